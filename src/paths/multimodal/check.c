// SPDX-License-Identifier: MIT
// The certificate of arrivals, in the whole network or up to the arrival at a target. It shares the costs of arcs with the searches, and nothing else.
#include <inttypes.h>
#include <stdbool.h>

#include "paths/multimodal/multimodal.h"

typedef struct certificate {
    mco_context *ctx;
    const mco_multimodal *network;
    const mco_automaton *automaton;
    const int32_t *label;
    int32_t end;       // labels and arrivals up to it count
    bool *is_reached;  // [vertices * states] tight arcs lead there from the start
    int64_t *queue;    // [vertices * states]
    int64_t count;
} certificate;

static void reach(certificate *c, int64_t pair)
{
    if (c->is_reached[pair])
        return;
    c->is_reached[pair] = true;
    c->queue[c->count++] = pair;
}

static mco_status test_start(certificate *c, const mco_multimodal_query *query)
{
    for (int32_t q = 0; q < c->automaton->states; q++) {
        const int64_t pair = (int64_t)query->source * c->automaton->states + q;
        if ((c->automaton->start >> q & 1) == 0)
            continue;
        if (c->label[pair] != query->depart)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "the source in state %s is reached at %d s, the departure is at %d s",
                            c->automaton->name[q], c->label[pair], query->depart);
        reach(c, pair);
    }
    return MCO_OK;
}

// No arc of this pair may improve a label; arcs that meet a label reach its pair.
static mco_status test_arc(certificate *c, int32_t vertex, int32_t state, int64_t a)
{
    const int32_t states = c->automaton->states, time = c->label[(int64_t)vertex * states + state];
    const mm_tables *m = &c->network->tables;
    const mm_arc arc = c->network->arc[a];
    uint32_t next = c->automaton->next[state * c->automaton->labels + (int32_t)mm_label(m, arc.word)];
    if (next == 0)
        return MCO_OK;
    const int64_t arrival = (int64_t)time + mm_cost(m, arc.word, time, c->automaton->pace[state]);
    for (; next != 0; next &= next - 1) {
        const int32_t q = __builtin_ctz(next);
        const int64_t pair = (int64_t)arc.head * states + q;
        if (arrival < c->label[pair] && arrival < c->end)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "arc %" PRId64 " from vertex %d, state %s, at %d s reaches vertex %d, state %s, at %" PRId64
                            " s, its label is %d", a, vertex, c->automaton->name[state], time, arc.head, c->automaton->name[q], arrival,
                            c->label[pair]);
        if (arrival == c->label[pair])
            reach(c, pair);
    }
    return MCO_OK;
}

// A label without a path to it.
static mco_status test_rest(const certificate *c)
{
    const int32_t states = c->automaton->states;
    for (int64_t pair = 0; pair < (int64_t)c->network->vertices * states; pair++)
        if (!c->is_reached[pair] && c->label[pair] != MCO_MULTIMODAL_NONE && c->label[pair] <= c->end)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "vertex %" PRId64 ", state %s, has the label %d, no path arrives then", pair / states,
                            c->automaton->name[pair % states], c->label[pair]);
    return MCO_OK;
}

// Tight arcs from the start reach every label up to `end`, and no arc from an earlier label improves one.
static mco_status test_labels(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                              const mco_multimodal_query *query, const int32_t *label, int32_t end)
{
    mco_status st = MCO_OK;
    certificate c = {.ctx = ctx, .network = network, .automaton = automaton, .label = label, .end = end};
    const int32_t states = automaton->states;
    const int64_t pairs = (int64_t)network->vertices * states;
    MCO_TRY(mco_alloc(ctx, &c.is_reached, pairs));
    MCO_TRY(mco_alloc(ctx, &c.queue, pairs));
    MCO_TRY(test_start(&c, query));
    for (int64_t k = 0; k < c.count; k++) {  // ends: each pair enters the queue once
        const int32_t vertex = (int32_t)(c.queue[k] / states), state = (int32_t)(c.queue[k] % states);
        for (int64_t a = network->first[vertex]; label[c.queue[k]] <= end && a < network->first[vertex + 1]; a++)
            MCO_TRY(test_arc(&c, vertex, state, a));
    }
    MCO_TRY(test_rest(&c));
done:
    mco_free(ctx, &c.is_reached);
    mco_free(ctx, &c.queue);
    return st;
}

mco_status mm_certify_labels(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                             const mco_multimodal_query *query, const int32_t *label)
{
    int32_t end = MCO_MULTIMODAL_NONE;
    for (int32_t q = 0; query->target >= 0 && q < automaton->states; q++)
        if ((automaton->final >> q & 1) != 0 && label[(int64_t)query->target * automaton->states + q] < end)
            end = label[(int64_t)query->target * automaton->states + q];
    const mco_status st = test_labels(ctx, network, automaton, query, label, end);
    return st == MCO_ERR_CHECK ? MCO_ERR_INTERNAL : st;
}

mco_status mco_multimodal_check(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                const mco_multimodal_query *query, const int32_t *label)
{
    mco_status st = MCO_OK;
    int32_t longest;
    if (ctx == NULL || network == NULL || automaton == NULL || query == NULL || label == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (query->source < 0 || query->source >= network->vertices || query->depart < 0 || query->depart >= MCO_MULTIMODAL_NONE)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the query has source %d and departure %d", query->source, query->depart);
    if (automaton->labels != network->labels)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the automaton has %d labels, the network %d", automaton->labels, network->labels);
    MCO_TRY(mm_longest_arc(ctx, network, automaton, &longest));
    MCO_TRY(test_labels(ctx, network, automaton, query, label, MCO_MULTIMODAL_NONE));
done:
    return st;
}
