// SPDX-License-Identifier: MIT
// The steps of a journey, from labels: a breadth-first search over tight arcs from the start. Every step is walked with its cost, so
// the journey is one that exists and arrives when the label says.
#include <string.h>

#include "paths/multimodal/multimodal.h"

typedef struct trace {
    const mco_multimodal *network;
    const mco_automaton *automaton;
    const int32_t *label;
    int32_t arrival;
    int64_t *arc;        // [vertices * states] the arc by which a pair was met; -1: not yet, -2: a start
    uint8_t *before;     // [vertices * states] the state before that arc
    int64_t *queue;      // [vertices * states]
    int64_t count;
} trace;

enum { NOT_MET = -1, START = -2 };

static void meet(trace *t, int64_t pair, int64_t arc, int32_t before)
{
    if (t->arc[pair] != NOT_MET)
        return;
    t->arc[pair] = arc;
    t->before[pair] = (uint8_t)before;
    t->queue[t->count++] = pair;
}

static void walk(trace *t, int32_t vertex, int32_t state)
{
    const int32_t states = t->automaton->states, time = t->label[(int64_t)vertex * states + state];
    const mm_tables *m = &t->network->tables;
    for (int64_t a = t->network->first[vertex]; a < t->network->first[vertex + 1]; a++) {
        const mm_arc arc = t->network->arc[a];
        uint32_t next = t->automaton->next[state * t->automaton->labels + (int32_t)mm_label(m, arc.word)];
        if (next == 0)
            continue;
        const int64_t arrival = (int64_t)time + mm_cost(m, arc.word, time, t->automaton->pace[state]);
        for (; arrival <= t->arrival && next != 0; next &= next - 1) {
            const int64_t pair = (int64_t)arc.head * states + __builtin_ctz(next);
            if (t->label[pair] == arrival)
                meet(t, pair, a, state);
        }
    }
}

static int32_t tail_of(const mco_multimodal *n, int64_t arc)
{
    int32_t low = 0, high = n->vertices - 1;
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (n->first[middle] <= arc)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int64_t pair_before(const trace *t, int64_t pair)
{
    return (int64_t)tail_of(t->network, t->arc[pair]) * t->automaton->states + t->before[pair];
}

static mco_status write_steps(mco_context *ctx, const trace *t, int64_t pair, mco_multimodal_step **step, int64_t *steps)
{
    mco_status st = MCO_OK;
    int64_t count = 0;
    for (int64_t p = pair; t->arc[p] != START; p = pair_before(t, p))  // ends: pairs were met one after the other
        count++;
    MCO_TRY(mco_alloc(ctx, step, count));
    *steps = count;
    for (int64_t p = pair; t->arc[p] != START; p = pair_before(t, p)) {
        const int64_t before = pair_before(t, p);
        (*step)[--count] = (mco_multimodal_step){.arc = t->arc[p], .state = (int32_t)(p % t->automaton->states),
                                                 .enter = t->label[before], .leave = t->label[p],
                                                 .tail = (int32_t)(before / t->automaton->states),
                                                 .head = (int32_t)(p / t->automaton->states)};
    }
done:
    return st;
}

static mco_status open_trace(mco_context *ctx, trace *t)
{
    mco_status st = MCO_OK;
    const int64_t pairs = (int64_t)t->network->vertices * t->automaton->states;
    MCO_TRY(mco_alloc(ctx, &t->arc, pairs));
    MCO_TRY(mco_alloc(ctx, &t->before, pairs));
    MCO_TRY(mco_alloc(ctx, &t->queue, pairs));
    memset(t->arc, 0xff, (size_t)pairs * sizeof *t->arc);
done:
    return st;
}

mco_status mm_journey(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                      const mco_multimodal_query *query, const int32_t *label, int32_t arrival, mco_multimodal_step **step,
                      int64_t *steps)
{
    mco_status st = MCO_OK;
    trace t = {.network = network, .automaton = automaton, .label = label, .arrival = arrival};
    const int32_t states = automaton->states;
    MCO_TRY(open_trace(ctx, &t));
    for (uint32_t start = automaton->start; start != 0; start &= start - 1)
        meet(&t, (int64_t)query->source * states + __builtin_ctz(start), START, 0);
    for (int64_t k = 0; k < t.count; k++) {  // ends: a pair enters the queue once
        const int64_t pair = t.queue[k];
        if (pair / states == query->target && (automaton->final >> (pair % states) & 1) != 0 && label[pair] == arrival) {
            st = write_steps(ctx, &t, pair, step, steps);
            goto done;
        }
        walk(&t, (int32_t)(pair / states), (int32_t)(pair % states));
    }
    st = mco_fail(ctx, MCO_ERR_INTERNAL, "no journey arrives at vertex %d at %d s, as its label says", query->target, arrival);
done:
    mco_free(ctx, &t.arc);
    mco_free(ctx, &t.before);
    mco_free(ctx, &t.queue);
    return st;
}
