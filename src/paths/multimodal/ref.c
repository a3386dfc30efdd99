// SPDX-License-Identifier: MIT
// The oracle of searches under an automaton: Dijkstra's algorithm on pairs (vertex, state) with a binary heap and stale entries
// (Strappaveccia 2015, chapter 6, T-D-RegL-CSPP).
#include "paths/moments.h"
#include "paths/multimodal/multimodal.h"

typedef struct search {
    mco_context *ctx;
    const mco_multimodal *network;
    const mco_automaton *automaton;
    int32_t *label;
    paths_moments heap;  // of pairs, vertex * states + state
    mco_run *run;
    int64_t looks;  // pairs and arcs
    bool is_stopped;
} search;

enum { LOOKS = 4096 };  // between two looks at the clock

static bool must_stop(search *s)
{
    if (s->run != NULL && ++s->looks % LOOKS == 0 && mco_run_must_stop(s->run, 0))
        s->is_stopped = true;
    return s->is_stopped;
}

static mco_status improve(search *s, int32_t vertex, int32_t state, int32_t time)
{
    const int64_t pair = (int64_t)vertex * s->automaton->states + state;
    if (time >= s->label[pair])
        return MCO_OK;
    s->label[pair] = time;
    return paths_moments_put(s->ctx, &s->heap, (paths_moment){time, pair});
}

// Walks along an arc into every state that its label leads to.
static mco_status relax(search *s, int32_t state, int32_t time, mm_arc arc)
{
    mco_status st = MCO_OK;
    const mm_tables *m = &s->network->tables;
    uint32_t next = s->automaton->next[state * s->automaton->labels + (int32_t)mm_label(m, arc.word)];
    if (next == 0)
        return MCO_OK;
    const int64_t arrival = (int64_t)time + mm_cost(m, arc.word, time, s->automaton->pace[state]);
    if (arrival >= MCO_MULTIMODAL_NONE)
        return mco_fail(s->ctx, MCO_ERR_LIMIT, "an arrival at %lld s, at most %d is allowed", (long long)arrival, MCO_MULTIMODAL_NONE - 1);
    for (; next != 0; next &= next - 1)
        MCO_TRY(improve(s, arc.head, __builtin_ctz(next), (int32_t)arrival));
done:
    return st;
}

mco_status mm_ref_search(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                         const mco_multimodal_query *query, mco_run *run, int32_t *label, bool *is_whole)
{
    mco_status st = MCO_OK;
    const int32_t states = automaton->states;
    search s = {.ctx = ctx, .network = network, .automaton = automaton, .label = label, .run = run};
    for (int64_t k = 0; k < (int64_t)network->vertices * states; k++)
        label[k] = MCO_MULTIMODAL_NONE;
    for (uint32_t start = automaton->start; start != 0; start &= start - 1)
        MCO_TRY(improve(&s, query->source, __builtin_ctz(start), query->depart));
    while (s.heap.count > 0 && !must_stop(&s)) {
        const paths_moment e = paths_moments_take(&s.heap);
        const int32_t vertex = (int32_t)(e.what / states), state = (int32_t)(e.what % states);
        if (e.time > label[e.what])
            continue;
        if (vertex == query->target && (automaton->final >> state & 1) != 0)
            break;
        for (int64_t a = network->first[vertex]; a < network->first[vertex + 1] && !must_stop(&s); a++)
            MCO_TRY(relax(&s, state, e.time, network->arc[a]));
    }
done:
    *is_whole = !s.is_stopped;
    mco_free(ctx, &s.heap.item);
    return st;
}

mco_status mm_ref_tree(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                       const mco_multimodal_query *query, int32_t *label)
{
    bool is_whole;
    return mm_ref_search(ctx, network, automaton, query, NULL, label, &is_whole);
}
