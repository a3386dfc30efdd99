// SPDX-License-Identifier: MIT
// Tours that need no instance file, and the walk along every neighbour that all kernels are compared with.
//
// Customers lie at random in a square with the depot in its middle. Routes are sectors with equally many customers,
// visited in the order of their angle, so a search has much to improve.
#include "steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

enum { SQUARE = 1000, MOST_DEMAND = 20, ROUTE_NODES = 21 };
static const double ROOM = 1.02;  // factor of capacity and length above those of the worst route

typedef struct point {
    double x, y, angle;
} point;

static int by_angle(const void *a, const void *b)
{
    const double d = ((const point *)a)->angle - ((const point *)b)->angle;
    return d < 0 ? -1 : d > 0;
}

static double draw(uint64_t *state, int32_t below)
{
    return (double)(mco_splitmix64(state) % (uint64_t)below);
}

static int32_t distance_of(point a, point b)
{
    return (int32_t)lrint(hypot(a.x - b.x, a.y - b.y));
}

// The greatest load and the greatest length of a route.
static void find_worst(const steps_tour *t, int32_t *load, int32_t *length)
{
    int32_t route_load = 0, route_length = 0;
    *load = *length = 0;
    for (int32_t k = 1; k < t->nodes; k++) {
        const int32_t from = t->node[k - 1], to = t->node[k];
        route_load += t->demand[to];
        route_length += t->distance[from * t->locations + to];
        *load = route_load > *load ? route_load : *load;
        *length = route_length > *length ? route_length : *length;
        if (to == 0)
            route_load = route_length = 0;
    }
}

void steps_tour_generate(steps_tour *t, int32_t nodes, int32_t step, uint64_t seed)
{
    const int32_t routes = (nodes - 2 + ROUTE_NODES / 2) / ROUTE_NODES, customers = nodes - 2 - routes;
    if (routes < 1 || nodes > STEPS_MOST_EDGES)
        steps_die("a tour of %d nodes: %d to %d are supported", nodes, ROUTE_NODES, STEPS_MOST_EDGES);
    *t = (steps_tour){.nodes = nodes, .edges = nodes - 1, .locations = customers + 1, .vehicles = routes};
    t->distance = steps_take((int64_t)t->locations * t->locations, sizeof *t->distance);
    t->demand = steps_take(t->locations, sizeof *t->demand);
    t->node = steps_take(nodes, sizeof *t->node);
    point *at = steps_take(t->locations, sizeof *at);

    at[0] = (point){SQUARE / 2.0, SQUARE / 2.0, 0};
    for (int32_t i = 1; i < t->locations; i++) {
        at[i].x = draw(&seed, SQUARE / step + 1) * step;
        at[i].y = draw(&seed, SQUARE / step + 1) * step;
        at[i].angle = atan2(at[i].y - at[0].y, at[i].x - at[0].x);
        t->demand[i] = 1 + (int32_t)draw(&seed, MOST_DEMAND);
    }
    qsort(at + 1, (size_t)customers, sizeof *at, by_angle);
    for (int32_t i = 0; i < t->locations; i++)
        for (int32_t j = 0; j < t->locations; j++)
            t->distance[i * t->locations + j] = distance_of(at[i], at[j]);
    free(at);

    int32_t *next = t->node;
    for (int32_t r = 0, c = 1; r < routes; r++) {
        *next++ = 0;
        for (const int32_t end = 1 + (int32_t)((int64_t)customers * (r + 1) / routes); c < end; c++)
            *next++ = c;
    }
    *next++ = 0;
    *next = 0;
    find_worst(t, &t->capacity, &t->length);
    t->capacity = (int32_t)(t->capacity * ROOM);
    t->length = (int32_t)(t->length * ROOM);
}

void steps_tour_free(steps_tour *t)
{
    free(t->node);
    free(t->demand);
    free(t->distance);
    *t = (steps_tour){0};
}

static int32_t *copy_piece(int32_t *out, const int32_t *node, int32_t from, int32_t to)
{
    const int32_t step = from <= to ? 1 : -1;
    for (int32_t i = from; i != to + step; i += step)
        *out++ = node[i];
    return out;
}

void steps_neighbour(const int32_t *node, int32_t edges, steps_move m, int32_t *out)
{
    out = copy_piece(out, node, 0, m.x);
    if (m.z < 0) {
        out = copy_piece(out, node, m.y, m.x + 1);
        copy_piece(out, node, m.y + 1, edges);
        return;
    }
    if (m.p == 3)
        out = copy_piece(out, node, m.y, m.x + 1);
    out = m.p >= 2 ? copy_piece(out, node, m.z, m.y + 1) : copy_piece(out, node, m.y + 1, m.z);
    if (m.p == 1)
        out = copy_piece(out, node, m.y, m.x + 1);
    else if (m.p != 3)
        out = copy_piece(out, node, m.x + 1, m.y);
    copy_piece(out, node, m.z + 1, edges);
}

void steps_walk(const steps_tour *t, const int32_t *node, int64_t *objective, bool *is_feasible)
{
    int64_t cost = 0;
    int32_t load = 0, length = 0, routes = 0;
    *is_feasible = true;
    for (int32_t k = 1; k < t->nodes; k++) {
        const int32_t from = node[k - 1], to = node[k], w = t->distance[from * t->locations + to];
        cost += w;
        length += w;
        load += t->demand[to];
        routes += from == 0 && to != 0;
        if (load > t->capacity || length > t->length)
            *is_feasible = false;
        if (to == 0)
            load = length = 0;
    }
    *objective = cost + (routes > t->vehicles ? (int64_t)STEPS_LAMBDA * routes : 0);
}

int64_t steps_triples(int32_t edges)
{
    return (int64_t)edges * (edges - 1) * (edges - 2) / 6;
}

int64_t steps_moves(int32_t edges, int cuts)
{
    return cuts == 2 ? (int64_t)edges * (edges - 1) / 2 : 4 * steps_triples(edges);
}

int64_t steps_rank(int32_t edges, steps_move m)
{
    const int64_t n = edges, x = m.x, y = m.y - x - 1, rest = n - x;  // y is counted among the edges behind x
    if (m.z < 0)
        return x * (2 * n - x - 1) / 2 + y;
    const int64_t behind = rest - 1;
    return 4 * (steps_triples(edges) - rest * behind * (rest - 2) / 6 + y * (2 * behind - y - 1) / 2 + m.z - m.y - 1) + m.p;
}

static void answer(const steps_tour *t, steps_move m, int64_t start, int32_t *neighbour, steps_verdict *verdict)
{
    int64_t objective;
    steps_neighbour(t->node, t->edges, m, neighbour);
    steps_walk(t, neighbour, &objective, &verdict->is_feasible);
    verdict->value = (int32_t)(objective - start);
}

steps_answers steps_all_answers(const steps_tour *t, int cuts)
{
    steps_answers answers = {steps_moves(t->edges, cuts), NULL};
    answers.of = steps_take(answers.count, sizeof *answers.of);
    int32_t *neighbour = steps_take(t->nodes, sizeof *neighbour);
    int64_t start;
    bool is_feasible;
    steps_walk(t, t->node, &start, &is_feasible);
    steps_verdict *next = answers.of;
    for (int32_t x = 0; x < t->edges; x++)
        for (int32_t y = x + 1; y < t->edges; y++) {
            if (cuts == 2)
                answer(t, (steps_move){x, y, -1, -1}, start, neighbour, next++);
            for (int32_t z = y + 1; cuts == 3 && z < t->edges; z++)
                for (int32_t p = 0; p < 4; p++)
                    answer(t, (steps_move){x, y, z, p}, start, neighbour, next++);
        }
    free(neighbour);
    return answers;
}
