// SPDX-License-Identifier: MIT
// Which nodes paths may pass, and the slots into every node in the order of relax.cu.
#include "traffic/gpu/inner.h"

enum { NO_NODE = -1, TWO_NODES = -2 };

static int32_t neighbour_after(int32_t known, int32_t node, int32_t other)
{
    return other == node || other == known ? known : known == NO_NODE ? other : TWO_NODES;
}

// The one neighbour of a node, NO_NODE, or TWO_NODES for more of them.
static int32_t neighbour_of(const traffic_problem *p, int32_t v)
{
    int32_t known = NO_NODE;
    for (int32_t a = p->first[v]; a < p->first[v + 1]; a++)
        known = neighbour_after(known, v, p->head[a]);
    for (int32_t s = p->into_first[v]; s < p->into_first[v + 1]; s++)
        known = neighbour_after(known, v, p->tail[p->into[s]]);
    return known;
}

// Which nodes are inner ones: place 0, and -1 for the others. A dead end has one neighbour, and that is no dead end itself: of two nodes that have
// only each other, the first one counts as a dead end.
static int32_t mark_inner(const traffic_problem *p, int32_t *place)
{
    int32_t inner = 0;
    for (int32_t v = 0; v < p->nodes; v++) {
        const int32_t near = v < p->first_through ? NO_NODE : neighbour_of(p, v);
        const bool is_other = near == NO_NODE || (near >= 0 && !(near >= p->first_through && near < v && place[near] < 0));
        place[v] = is_other ? -1 : 0;
        inner += !is_other;
    }
    return inner;
}

static bool has_few(const traffic_problem *p, const int32_t *place, int32_t v)
{
    int32_t slots = 0;
    for (int32_t s = p->into_first[v]; s < p->into_first[v + 1]; s++)
        slots += place[p->tail[p->into[s]]] >= 0;
    return slots <= TRAFFIC_GPU_FEW;
}

// Places: inner nodes with few slots, then those with more, so that warps have one kind; then all other nodes.
static void number_nodes(const traffic_problem *p, int32_t *place, int32_t *node)
{
    int32_t next = 0;
    for (int kind = 0; kind < 3; kind++)
        for (int32_t v = 0; v < p->nodes; v++)
            if (kind == (place[v] < 0 ? 2 : has_few(p, place, v) ? 0 : 1))
                node[next++] = v;
    for (int32_t i = 0; i < p->nodes; i++)
        place[node[i]] = i;
}

// The slots into the node of a place: the first ones from inner nodes stay apart, the rest goes to two ranges.
static void place_slots(const traffic_problem *p, traffic_inner *inner, int32_t v, int32_t *at)
{
    const int32_t place = inner->place[v], begin = p->into_first[v], end = p->into_first[v + 1];
    int32_t kept = 0;
    for (int32_t q = 0; q < TRAFFIC_GPU_KEPT; q++)
        inner->kept[(int64_t)q * p->nodes + place] = (traffic_gpu_entry){-1, place};
    inner->rest_first[2 * place] = *at;
    for (int32_t s = begin; s < end; s++) {
        const traffic_gpu_entry entry = {s, inner->place[p->tail[p->into[s]]]};
        if (entry.tail >= inner->count)
            continue;
        if (kept < TRAFFIC_GPU_KEPT)
            inner->kept[(int64_t)kept++ * p->nodes + place] = entry;
        else
            inner->rest[(*at)++] = entry;
    }
    inner->rest_first[2 * place + 1] = *at;
    for (int32_t s = begin; s < end; s++) {
        const traffic_gpu_entry entry = {s, inner->place[p->tail[p->into[s]]]};
        if (entry.tail >= inner->count)
            inner->rest[(*at)++] = entry;
    }
}

mco_status traffic_inner_make(mco_context *ctx, const traffic_problem *p, traffic_inner *out)
{
    mco_status st = MCO_OK;
    int32_t *node = NULL, at = 0;  // of a place
    *out = (traffic_inner){0};
    MCO_TRY(mco_alloc(ctx, &out->place, p->nodes));
    MCO_TRY(mco_alloc(ctx, &node, p->nodes));
    out->count = mark_inner(p, out->place);
    MCO_TRY(mco_alloc(ctx, &out->kept, (int64_t)TRAFFIC_GPU_KEPT * p->nodes));
    MCO_TRY(mco_alloc(ctx, &out->rest_first, 2 * (int64_t)p->nodes + 1));
    MCO_TRY(mco_alloc(ctx, &out->rest, p->links));
    number_nodes(p, out->place, node);
    for (int32_t i = 0; i < p->nodes; i++)
        place_slots(p, out, node[i], &at);
    out->rest_first[2 * (int64_t)p->nodes] = at;
done:
    mco_free(ctx, &node);
    if (st != MCO_OK)
        traffic_inner_clear(ctx, out);
    return st;
}

void traffic_inner_clear(mco_context *ctx, traffic_inner *inner)
{
    mco_free(ctx, &inner->rest);
    mco_free(ctx, &inner->rest_first);
    mco_free(ctx, &inner->kept);
    mco_free(ctx, &inner->place);
    *inner = (traffic_inner){0};
}
