// SPDX-License-Identifier: MIT
// Tours, moves and answers of the benchmark of Schulz's tuning steps, for host and device: what the host generates and
// walks (steps_tour.c), and what the rows of the result need (steps_report.c).
//
// A tour is a giant tour: location 0 is the depot, which is the first and the last node and stands between two routes.
// One route is empty. Costs, demands and lengths are int32. The value of a neighbour is its objective less that of the
// tour. The objective is the cost; if more routes are not empty than there are vehicles, each of them adds
// STEPS_LAMBDA.
#ifndef BENCH_VRP_STEPS_H
#define BENCH_VRP_STEPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    STEPS_LAMBDA = 1 << 22,     // above the cost of any tour here; 400 times this fits int32
    STEPS_MOST_EDGES = 1 << 12  // 12 bits for an edge in the key of a move
};

typedef struct steps_tour {
    int32_t nodes, edges, locations;  // edges = nodes - 1
    int32_t capacity, length, vehicles;
    int32_t *distance;  // [locations * locations]
    int32_t *demand;    // [locations]; 0 for the depot
    int32_t *node;      // [nodes]
} steps_tour;

// Cuts the edges x < y (< z); edge x leads from node x to node x + 1. For 2-opt, z and p are -1.
typedef struct steps_move {
    int32_t x, y, z, p;
} steps_move;

typedef struct steps_verdict {
    int32_t value;
    bool is_feasible;
} steps_verdict;

// The answers of a whole neighbourhood, in lexicographic order of (x, y[, z, p]).
typedef struct steps_answers {
    int64_t count;
    steps_verdict *of;  // [count]
} steps_answers;

// ---- Tours and moves (steps_tour.c)

// Routes have about 20 nodes. Capacity and length are 2 % above those of the worst route. Coordinates are multiples of
// `step`.
void steps_tour_generate(steps_tour *t, int32_t nodes, int32_t step, uint64_t seed);
void steps_tour_free(steps_tour *t);

// Writes the neighbour of node[0..edges] to `out`.
void steps_neighbour(const int32_t *node, int32_t edges, steps_move m, int32_t *out);
// Walks along a tour; `objective` is that of the tour itself, not a difference.
void steps_walk(const steps_tour *t, const int32_t *node, int64_t *objective, bool *is_feasible);
// Walks along every neighbour; `cuts` is 2 or 3.
steps_answers steps_all_answers(const steps_tour *t, int cuts);
// The place of a move in the order of steps_answers.
int64_t steps_rank(int32_t edges, steps_move m);
int64_t steps_moves(int32_t edges, int cuts);
int64_t steps_triples(int32_t edges);

// ---- Rows (steps_report.c)

typedef struct steps_row {
    const char *step, *variant, *kernel;
    int cuts;  // 2 or 3; 0: complete 3-opt, which is both
    int32_t nodes;
    double ms;
    int registers, local_bytes, block;  // -1: more than one kernel
    double occupancy;                   // below 0: more than one kernel
    int64_t moves;
    double counted_bytes;               // 0: not counted
} steps_row;

typedef struct steps_report {
    FILE *csv;  // NULL: standard output alone
} steps_report;

// Makes a row of more than one kernel.
steps_row steps_row_of(const char *step, const char *variant, const char *kernel, int cuts, int32_t nodes, int64_t moves,
                       double ms);
void steps_report_row(const steps_report *r, const steps_row *row);
void steps_report_line(const steps_report *r, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Ends the program with exit code 1.
void steps_die(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void *steps_take(int64_t count, int64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
