// SPDX-License-Identifier: MIT
// Sums of a giant tour (vrp/sweep/fold.h). A walk backward makes the sums of what lies behind each position, a walk
// forward those of what lies before.
#include "vrp/sweep/fold.h"

#include <string.h>

enum { ARRAYS = 15, PADDING = 16 };

mco_status vrp_sums_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, vrp_sums_memory *memory)
{
    mco_status st = MCO_OK;
    memset(memory, 0, sizeof *memory);
    memory->stride = ((int64_t)tour_nodes + 2 * PADDING - 1) / PADDING * PADDING;
    memory->items = memory->stride * ARRAYS;
    MCO_TRY(mco_alloc(ctx, &memory->block, memory->items));
    if (!problem->is_symmetric)
        MCO_TRY(mco_alloc(ctx, &memory->turn, memory->stride));
done:
    if (st != MCO_OK)
        vrp_sums_close(ctx, memory);
    return st;
}

void vrp_sums_close(mco_context *ctx, vrp_sums_memory *memory)
{
    mco_free(ctx, &memory->turn);
    mco_free(ctx, &memory->block);
}

static void lay_out(const mco_vrp *problem, const vrp_sums_memory *memory, vrp_sums *t)
{
    int32_t **const arrays[] = {&t->node,    &t->demand,    &t->service,     &t->last_depot, &t->next_depot, &t->load_to,
                                &t->load_from, &t->length_to, &t->length_from, &t->edge,       &t->full_to,    &t->bad_to,
                                &t->back_to, &t->back_from, &t->bad_back_to};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = memory->block + (int64_t)k * memory->stride;
    if (problem->is_symmetric) {
        t->back_to = t->length_to;
        t->back_from = t->length_from;
        t->bad_back_to = t->bad_to;
    }
    t->turn = memory->turn;
}

// Sums of the route under way, in 64 bits: they may exceed VRP_SUMS_LIMIT.
typedef struct running {
    int64_t load, length, back;
} running;

static bool is_within(running r)
{
    return r.load <= VRP_SUMS_LIMIT && r.length <= VRP_SUMS_LIMIT && r.back <= VRP_SUMS_LIMIT;
}

// Adds position i to the sums. The walk comes from a neighbour of i; `towards` adds to the length in the direction of
// the tour, `away` to that against it. A depot resets the sums.
static running step(const vrp_sums *t, running r, int32_t i, int64_t towards, int64_t away)
{
    if (t->node[i] == 0)
        return (running){0, 0, 0};
    return (running){r.load + t->demand[i], r.length + towards + t->service[i], r.back + away + t->service[i]};
}

// Fills the edges and the sums of what lies behind each position. False if a sum exceeds VRP_SUMS_LIMIT.
static bool walk_backward(const mco_vrp *p, const vrp_sums *t, bool has_length)
{
    running r = {0, 0, 0};
    bool is_narrow = true;
    for (int32_t i = t->count - 1; i >= 0; i--) {
        const bool is_end = i == t->count - 1;
        const int32_t edge = is_end ? 0 : vrp_distance(p, t->node[i], t->node[i + 1]);
        const int32_t back = is_end ? 0 : t->is_symmetric ? edge : vrp_distance(p, t->node[i + 1], t->node[i]);
        t->edge[i] = edge;
        r = step(t, r, i, has_length ? edge : 0, has_length ? back : 0);
        is_narrow &= is_within(r);
        t->next_depot[i] = t->node[i] == 0 ? i : t->next_depot[i + 1];
        t->load_from[i] = (int32_t)r.load;
        t->length_from[i] = (int32_t)r.length;
        t->back_from[i] = (int32_t)r.back;
        if (!t->is_symmetric)
            t->turn[i] = (int64_t)back - edge;
    }
    return is_narrow;
}

// Fills the sums of what lies before each position. A route ends at a depot; its sums are those up to its last
// customer, and the edge from there. False if a sum exceeds VRP_SUMS_LIMIT.
static bool walk_forward(const vrp_sums *t, bool has_length)
{
    running r = {0, 0, 0};
    bool is_narrow = true;
    int32_t full = 0, bad = 0, bad_back = 0;
    int64_t turned = 0;
    for (int32_t i = 0; i < t->count; i++) {
        const int64_t turn = i > 0 && !t->is_symmetric ? t->turn[i - 1] : 0, edge = i > 0 ? t->edge[i - 1] : 0;
        const int64_t forward = has_length ? edge : 0, back = has_length ? edge + turn : 0;
        const bool is_depot = t->node[i] == 0;
        if (is_depot) {
            const running whole = {r.load, r.length + forward, r.back + back};
            const bool is_heavy = whole.load > t->capacity;
            is_narrow &= is_within(whole);
            full += i > 0 && t->node[i - 1] != 0;
            bad += is_heavy || whole.length > t->max_length;
            bad_back += is_heavy || whole.back > t->max_length;
        }
        r = step(t, r, i, forward, back);
        t->last_depot[i] = is_depot ? i : t->last_depot[i - 1];
        t->load_to[i] = (int32_t)r.load;
        t->length_to[i] = (int32_t)r.length;
        t->back_to[i] = (int32_t)r.back;
        t->full_to[i] = full;
        t->bad_to[i] = bad;
        t->bad_back_to[i] = t->is_symmetric ? bad : bad_back;
        // turn[i - 1] holds the change by its own edge, which has been read; it becomes the sum before position i - 1.
        if (!t->is_symmetric && i > 0)
            t->turn[i - 1] = turned;
        turned += turn;
    }
    if (!t->is_symmetric)
        t->turn[t->count - 1] = turned;
    return is_narrow;
}

mco_status vrp_sums_fill(mco_context *ctx, const mco_vrp *problem, const vrp_tour *tour, vrp_sums_memory *memory,
                         vrp_sums *out)
{
    const bool has_length = vrp_has_max_length(problem);
    *out = (vrp_sums){.count = tour->count,
                      .capacity = problem->capacity,
                      .max_length = problem->max_length,
                      .vehicles = problem->vehicles,
                      .is_symmetric = problem->is_symmetric};
    lay_out(problem, memory, out);
    for (int32_t i = 0; i < tour->count; i++) {
        out->node[i] = tour->node[i];
        out->demand[i] = problem->demand[tour->node[i]];
        out->service[i] = has_length ? vrp_service(problem, tour->node[i]) : 0;
    }
    const bool is_narrow_behind = walk_backward(problem, out, has_length), is_narrow = walk_forward(out, has_length);
    out->routes = out->full_to[tour->count - 1];
    out->bad = out->bad_to[tour->count - 1];
    if (!is_narrow || !is_narrow_behind)
        return mco_fail(ctx, MCO_ERR_LIMIT, 
                        "a route of the tour has a load or a length above %d, in one direction or the other",
                        VRP_SUMS_LIMIT);
    return MCO_OK;
}
