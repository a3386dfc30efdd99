// SPDX-License-Identifier: MIT
#include "vrp/bound/recheck_detours.h"

enum { SEGMENT = 3 };  // nodes in a row that go elsewhere, at most

// ---- Paths that grow

typedef struct path {
    const int32_t *distance, *node;
    int32_t nodes;
} path;

static int64_t between(const path *p, int32_t i, int32_t j)
{
    return p->distance[(int64_t)i * p->nodes + j];
}

// What it costs to leave out the nodes at j..e, `after` behind them, and to put them between i and k, in the better order.
static int64_t shift_of(const path *p, int32_t j, int32_t e, int32_t after, int32_t i, int32_t k)
{
    const int32_t before = j > 0 ? p->node[j - 1] : 0, first = p->node[j], last = p->node[e];
    const int64_t straight = between(p, i, first) + between(p, last, k), turned = between(p, i, last) + between(p, first, k);
    return between(p, before, after) - between(p, before, first) - between(p, last, after) + (straight < turned ? straight : turned) -
           between(p, i, k);
}

bool vrp_recheck_is_detour(const int32_t *distance, int32_t nodes, const int32_t *node, int32_t count, int32_t k)
{
    const path p = {distance, node, nodes};
    const int32_t end = count - 1;
    for (int32_t j = 0; j < end; j++) {
        const int32_t before = j > 0 ? node[j - 1] : 0;
        if (between(&p, before, node[end]) + between(&p, node[j], k) < between(&p, before, node[j]) + between(&p, node[end], k))
            return true;
        for (int32_t e = j; e < end && e < j + SEGMENT; e++)
            if (shift_of(&p, j, e, node[e + 1], node[end], k) < 0)
                return true;
        for (int32_t from = end; from > j && from > end - SEGMENT; from--)
            if (shift_of(&p, from, end, k, before, node[j]) < 0)
                return true;
    }
    return false;
}

// ---- Whole routes

static int64_t cost_of_path(const mco_vrp *vrp, const int32_t *node, int32_t count)
{
    int64_t cost = 0;
    for (int32_t v = 0; v <= count; v++)
        cost += vrp_distance(vrp, v > 0 ? node[v - 1] : 0, v < count ? node[v] : 0);
    return cost;
}

static void turn(int32_t *node, int32_t from, int32_t to)
{
    for (; from < to; from++, to--) {
        const int32_t swap = node[from];
        node[from] = node[to];
        node[to] = swap;
    }
}

// Moves the customer at `from` to `to`; the others keep their order.
static void shift(int32_t *node, int32_t from, int32_t to)
{
    const int32_t moved = node[from], step = from < to ? 1 : -1;
    for (int32_t v = from; v != to; v += step)
        node[v] = node[v + step];
    node[to] = moved;
}

bool vrp_recheck_is_improvable(const mco_vrp *vrp, int32_t *node, int32_t count, int64_t cost)
{
    bool is_better = false;
    for (int32_t i = 0; i < count; i++)
        for (int32_t j = 0; j < count && !is_better; j++) {
            if (i < j) {
                turn(node, i, j);
                is_better = cost_of_path(vrp, node, count) < cost;
                turn(node, i, j);
            }
            shift(node, i, j);
            is_better = is_better || cost_of_path(vrp, node, count) < cost;
            shift(node, j, i);
        }
    return is_better;
}
