// SPDX-License-Identifier: MIT
// Random problems and arcs for the tests of ng-paths. Problems are made by hand: passes read only demands and costs.
#ifndef MCO_TEST_VRP_BOUND_NG_SUPPORT_H
#define MCO_TEST_VRP_BOUND_NG_SUPPORT_H

#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "vrp/bound/relax/ng.h"

typedef struct ng_case {
    int32_t customers, capacity, least_demand, most_demand;
    int32_t span;        // places lie in a square of this side
    int32_t price;       // arcs lose up to this much
    int32_t absent;      // of 100 arcs
    int32_t clusters;    // 0: none
    bool is_symmetric;
} ng_case;

static int32_t ng_draw(uint64_t *state, int32_t below)
{
    return (int32_t)(mco_splitmix64(state) % (uint64_t)below);
}

TEST_UNUSED static void ng_problem_close(vrp_bound_problem *p)
{
    free(p->demand);
    free(p->cost);
}

static int32_t ng_length(int32_t x, int32_t y)
{
    return (int32_t)lround(sqrt((double)x * x + (double)y * y));
}

TEST_UNUSED static void ng_problem_open(const ng_case *c, uint64_t *state, vrp_bound_problem *out)
{
    const int32_t nodes = c->customers + 1, stride = (nodes + 15) / 16 * 16;
    *out = (vrp_bound_problem){.customers = c->customers, .nodes = nodes, .stride = stride, .capacity = c->capacity,
                               .least_demand = c->capacity, .unit = 1, .is_exact = true, .is_symmetric = c->is_symmetric};
    int32_t *x = malloc((size_t)nodes * 2 * sizeof *x);
    out->demand = calloc((size_t)nodes, sizeof *out->demand);
    out->cost = malloc((size_t)nodes * (size_t)stride * sizeof *out->cost);
    for (int32_t i = 0; i < nodes; i++) {
        const int32_t leader = c->clusters > 0 && i > c->clusters ? 1 + ng_draw(state, c->clusters) : -1;
        for (int axis = 0; axis < 2; axis++)
            x[2 * i + axis] = leader < 0 ? ng_draw(state, c->span) : x[2 * leader + axis] + ng_draw(state, c->span / 16 + 1);
        out->demand[i] = i == 0 ? 0 : c->least_demand + ng_draw(state, c->most_demand - c->least_demand + 1);
        if (i > 0 && out->demand[i] < out->least_demand)
            out->least_demand = out->demand[i];
    }
    for (int32_t i = 0; i < nodes; i++)
        for (int32_t j = 0; j < stride; j++) {
            const int32_t skew = c->is_symmetric ? 0 : ng_draw(state, c->span / 4 + 1);
            out->cost[i * stride + j] =
                i == j || j >= nodes ? VRP_NO_ARC : ng_length(x[2 * i] - x[2 * j], x[2 * i + 1] - x[2 * j + 1]) + skew;
        }
    free(x);
}

// Reduced costs: the costs less half a price of each end; some arcs are absent. The caller frees them.
TEST_UNUSED static int32_t *ng_arcs(const ng_case *c, const vrp_bound_problem *p, uint64_t *state)
{
    int32_t *arcs = malloc((size_t)p->nodes * (size_t)p->stride * sizeof *arcs);
    int32_t *price = malloc((size_t)p->nodes * sizeof *price);
    for (int32_t i = 0; i < p->nodes; i++)
        price[i] = ng_draw(state, c->price + 1) / 2;
    memcpy(arcs, p->cost, (size_t)p->nodes * (size_t)p->stride * sizeof *arcs);
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < (p->is_symmetric ? i : p->nodes); j++) {
            if (i == j)
                continue;
            const bool is_absent = ng_draw(state, 100) < c->absent;
            arcs[i * p->stride + j] = is_absent ? VRP_NO_ARC : arcs[i * p->stride + j] - price[i] - price[j];
            if (p->is_symmetric)
                arcs[j * p->stride + i] = arcs[i * p->stride + j];
        }
    free(price);
    return arcs;
}

TEST_UNUSED static vrp_relax_settings ng_settings(mco_engine engine, mco_simd simd, int32_t threads)
{
    return (vrp_relax_settings){.engine = engine, .simd = simd, .threads = threads, .memory = 1e9};
}

#endif
