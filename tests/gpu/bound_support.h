// SPDX-License-Identifier: MIT
// Random problems of routing bounds for tests of their passes on a GPU.
#ifndef MCO_TESTS_GPU_BOUND_SUPPORT_H
#define MCO_TESTS_GPU_BOUND_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "vrp/bound/problem.h"

typedef struct shape {
    int32_t nodes, capacity, least_demand, most_demand, low, high;  // arcs in low..high
    int32_t absent;      // per cent of the arcs
    int32_t hub;         // all arcs out of this node are very cheap; 0: none
    bool is_symmetric;
} shape;

typedef struct instance {
    vrp_bound_problem problem;
    int32_t *arcs;       // [nodes * stride]
} instance;

static inline int32_t draw(uint64_t *state, int32_t low, int32_t high)
{
    return low + (int32_t)(mco_splitmix64(state) % (uint64_t)((int64_t)high - low + 1));
}

static inline instance make(const shape *s, uint64_t seed)
{
    instance in = {.problem = {.customers = s->nodes - 1, .nodes = s->nodes, .capacity = s->capacity, .is_symmetric = s->is_symmetric, .unit = 1}};
    vrp_bound_problem *p = &in.problem;
    p->stride = (p->nodes + 15) / 16 * 16;
    p->least_demand = INT32_MAX;
    p->demand = calloc((size_t)p->nodes, sizeof *p->demand);
    p->cost = calloc((size_t)p->nodes * (size_t)p->stride, sizeof *p->cost);
    if (p->demand == NULL || p->cost == NULL)
        exit(EXIT_FAILURE);
    for (int32_t i = 1; i < p->nodes; i++) {
        p->demand[i] = draw(&seed, s->least_demand, s->most_demand);
        p->least_demand = p->demand[i] < p->least_demand ? p->demand[i] : p->least_demand;
    }
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->stride; j++) {
            int32_t arc = draw(&seed, 0, 99) < s->absent ? VRP_NO_ARC : draw(&seed, s->low, s->high);
            if (s->hub > 0 && (i == s->hub || j == s->hub))
                arc = s->low - (s->high - s->low) - (i + j) % 3;
            if (s->is_symmetric && j < i)
                arc = p->cost[(int64_t)j * p->stride + i];
            p->cost[(int64_t)i * p->stride + j] = i == j || j >= p->nodes ? VRP_NO_ARC : arc;
        }
    in.arcs = p->cost;
    return in;
}

static inline void drop(instance *in)
{
    free(in->problem.demand);
    free(in->problem.cost);
}

static inline const char *text_of(const shape *s)
{
    static char text[160];
    snprintf(text, sizeof text, "%d nodes, capacity %d, demands %d-%d, arcs %d..%d, %d %% absent, hub %d, %s", s->nodes, s->capacity,
             s->least_demand, s->most_demand, s->low, s->high, s->absent, s->hub, s->is_symmetric ? "symmetric" : "asymmetric");
    return text;
}

#endif
