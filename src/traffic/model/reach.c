// SPDX-License-Identifier: MIT
// Who reaches whom. A pivot within the greatest strongly connected part settles nearly all pairs: an origin that reaches the pivot
// reaches whatever the pivot reaches. The other pairs take a search each, from the end if the pivot does not reach it, else
// from the origin: such a search never enters the part, so it is short where nearly all nodes are in it.
#include <string.h>

#include "traffic/model/settle.h"

static inline bool passes(const traffic_problem *p, int32_t v)
{
    return v >= p->first_through;
}

// Marks what a path from `start` reaches (ends included). Only nodes that are passed, and the start, are left. O(nodes + links).
static void search_ahead(const traffic_problem *p, int32_t start, int32_t mark, int32_t *seen, int32_t *queue)
{
    int32_t done = 0, count = 0;
    queue[count++] = start;
    seen[start] = mark;
    while (done < count) {
        const int32_t v = queue[done++];
        for (int32_t a = p->first[v]; a < p->first[v + 1]; a++) {
            const int32_t u = p->head[a];
            if (seen[u] == mark)
                continue;
            seen[u] = mark;
            if (passes(p, u))
                queue[count++] = u;
        }
    }
}

// The same backward: marks from where a path to `end` begins.
static void search_behind(const traffic_problem *p, int32_t end, int32_t mark, int32_t *seen, int32_t *queue)
{
    int32_t done = 0, count = 0;
    queue[count++] = end;
    seen[end] = mark;
    while (done < count) {
        const int32_t v = queue[done++];
        for (int32_t i = p->into_first[v]; i < p->into_first[v + 1]; i++) {
            const int32_t u = p->tail[p->into[i]];
            if (seen[u] == mark)
                continue;
            seen[u] = mark;
            if (passes(p, u))
                queue[count++] = u;
        }
    }
}

// Searches from and to a few nodes spread over the network; keeps those of the greatest part.
static mco_status find_part(mco_context *ctx, traffic_reach *r)
{
    enum { TRIES = 16 };
    const traffic_problem *p = r->problem;
    const int32_t through = p->nodes - p->first_through;
    int64_t best = -1;
    for (int32_t k = 0; k < TRIES && k < through; k++) {
        const int32_t pivot = p->first_through + (int32_t)((int64_t)through * k / (through < TRIES ? through : TRIES));
        const int32_t mark = ++r->searches;
        int64_t size = 0;
        mco_status st = mco_call_in_time(ctx, 0);
        if (st != MCO_OK)
            return st;
        search_ahead(p, pivot, mark, r->ahead, r->queue);
        search_behind(p, pivot, mark, r->behind, r->queue);
        for (int32_t v = 0; v < p->nodes; v++)
            size += r->ahead[v] == mark && r->behind[v] == mark;
        if (size > best) {
            best = size;
            for (int32_t v = 0; v < p->nodes; v++) {
                r->from[v] = r->behind[v] == mark;
                r->into[v] = r->ahead[v] == mark;
            }
        }
        if (2 * size >= p->nodes)
            break;
    }
    return MCO_OK;
}

mco_status traffic_reach_open(mco_context *ctx, const traffic_problem *problem, traffic_reach *out)
{
    mco_status st = MCO_OK;
    traffic_reach r = {.problem = problem, .origin = -1, .end = -1};
    MCO_TRY(mco_alloc(ctx, &r.from, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &r.into, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &r.ahead, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &r.behind, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &r.queue, problem->nodes));
    MCO_TRY(find_part(ctx, &r));
    *out = r;
done:
    if (st != MCO_OK)
        traffic_reach_close(ctx, &r);
    return st;
}

bool traffic_reach_has_path(traffic_reach *r, int32_t origin, int32_t end)
{
    if (r->from[origin] && r->into[end])
        return true;
    if (r->into[end] || r->origin == origin) {
        if (r->origin != origin) {
            r->origin = origin;
            r->origin_mark = ++r->searches;
            search_ahead(r->problem, origin, r->origin_mark, r->ahead, r->queue);
        }
        return r->ahead[end] == r->origin_mark;
    }
    if (r->end != end) {
        r->end = end;
        r->end_mark = ++r->searches;
        search_behind(r->problem, end, r->end_mark, r->behind, r->queue);
    }
    return r->behind[origin] == r->end_mark;
}

void traffic_reach_close(mco_context *ctx, traffic_reach *r)
{
    mco_free(ctx, &r->from);
    mco_free(ctx, &r->into);
    mco_free(ctx, &r->ahead);
    mco_free(ctx, &r->behind);
    mco_free(ctx, &r->queue);
}
