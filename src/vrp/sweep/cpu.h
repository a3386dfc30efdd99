// SPDX-License-Identifier: MIT
// The inside of the cpu engine of complete neighbourhoods: what the threads share (vrp/sweep/cpu.c), sweeps by folded
// sums (vrp/sweep/two_opt.c, vrp/sweep/three_opt.c), and sweeps move by move (vrp/sweep/each.c).
#ifndef MCO_VRP_SWEEP_CPU_H
#define MCO_VRP_SWEEP_CPU_H

#include <stdatomic.h>

#include "base/team.h"
#include "vrp/sweep/engine.h"
#include "vrp/sweep/fold.h"
#include "vrp/sweep/lanes.h"
#include "vrp/sweep/segment.h"

// How moves are folded into 32-bit sums. A legal move cuts every route that breaks a limit (a bad route); each cut
// takes bad_weight off its sum.
typedef struct vrp_folding {
    int32_t weight;       // of a route that is not empty; 0 if the number of routes does not matter
    int32_t bad_weight;
    int32_t offset;       // -(bad routes) * bad_weight: the sum of a legal move that changes no cost
    int32_t limit;        // legal sums are at most this, all others are above it
    bool needs_few;       // moves that leave more routes than vehicles are passed over
} vrp_folding;

typedef struct vrp_worker {
    struct vrp_cpu *cpu;
    vrp_candidate best;
    int32_t best_sum;         // sum of the best; folding.limit while there is none
    vrp_candidate *rows;      // [edges] the best of each x, kept instead of `best`; NULL: not wanted
    vrp_candidate *row_room;  // [room] the memory for `rows`
    int32_t *row_sums;        // [edges] like best_sum, of each x
    int32_t *limits;          // [stride]
    int32_t *lanes;           // [stride]
    int32_t *distances;       // rows of [stride]: 2, for 3-opt VRP_DISTANCE_ROWS
    int32_t *constants;       // [VRP_Y_TILE][4][stride], 3-opt
    int32_t *kept;            // [4 * stride] moves that the compact filter keeps
} vrp_worker;

enum { VRP_PART_EDGES = 32, VRP_DISTANCE_ROWS = 4 * (VRP_PART_EDGES + 1), VRP_Y_TILE = 32 };

typedef struct vrp_cpu {
    mco_context *ctx;
    const mco_vrp *problem;
    const vrp_lanes_variant *lanes;
    int32_t room;             // nodes of the longest tour
    int64_t stride;           // items of an array by position, VRP_PAD of them for padding
    double slab_bytes;        // memory for tables, about
    double segment_bytes;     // memory for stored segments, at most
    vrp_sums_memory sums_memory;
    vrp_sums sums;
    vrp_places places;
    float *grid_x, *grid_y;   // [stride]
    double *x, *y;            // [stride]
    int32_t *matrix;          // of distances on a sphere; else NULL
    int32_t *transposed;      // of an asymmetric matrix; else NULL
    double grid_x0, grid_y0;
    int32_t *by_lane;         // the memory of the arrays in the next lines
    int32_t *route_load, *route_length, *tail_weight, *head_weight, *edge, *turn_behind, *turn_before, *bad_behind,
        *bad_before, *zeros;  // [stride] see fill_lanes() in vrp/sweep/cpu.c
    vrp_folding folding;
    int32_t *tables;          // 3-opt; [table_items]
    int64_t table_items;
    bool has_three_opt;       // tables and workers have the memory for 3-opt
    struct vrp_stretch *parts;   // [part_count] parts of routes, 3-opt
    int64_t part_count, part_room;

    vrp_worker *workers;      // [threads]
    int threads;
    mco_team team;            // includes the calling thread
    void (*run_item)(struct vrp_cpu *cpu, vrp_worker *w, int64_t item);  // of the present job
    double stop_s;
    atomic_bool is_stopped;

    // The present scan.
    vrp_scan *scan;
    int32_t edges;
    int32_t all_routes;       // of the tour, with empty ones
    int32_t x_begin, x_end;   // range of first edges; x_begin is a multiple of VRP_BLOCK
    int32_t first_column, columns;  // of the tables
    // Move by move.
    vrp_value to_beat;
    vrp_candidate *each;      // [room] the best of each x
    int64_t *each_moves;      // [room]
    atomic_int first_x;       // the lowest x with a known improving move; edges while there is none
    // By stored segments (vrp/sweep/segment.h).
    bool has_segments;
    vrp_limits limits;
    vrp_layout layout;
    vrp_segment *stored;      // [stored_room]
    int64_t stored_room;
    int32_t level;            // the level that is being stored
    int64_t cost;             // of the tour
} vrp_cpu;

// Runs items 0..count - 1 on all threads, the caller's included; with is_alone on the caller's only.
void vrp_cpu_run(vrp_cpu *cpu, void (*run_item)(vrp_cpu *, vrp_worker *, int64_t), int64_t count, bool is_alone);
// Whether to stop, by the clock or a cancellation.
bool vrp_cpu_ends(vrp_cpu *cpu);

// Distance from position i of the tour to position j.
static inline int32_t vrp_cpu_distance(const vrp_cpu *c, int32_t i, int32_t j)
{
    return vrp_distance(c->problem, c->sums.node[i], c->sums.node[j]);
}

// Writes the distances from position i to positions begin..end - 1, with is_to those to i, to row[begin..].
static inline void vrp_cpu_row(const vrp_cpu *c, int32_t i, int32_t begin, int32_t end, bool is_to, int32_t *row)
{
    c->lanes->row(&c->places, i, begin, end, is_to, row + begin);
}

static inline int32_t vrp_room(int64_t room)
{
    return room < -1 ? -1 : room > INT32_MAX ? INT32_MAX : (int32_t)room;
}

// ---- Candidates of a worker

// The greatest sum with which a move of x, y, z can become the best candidate.
static inline int32_t vrp_limit(const vrp_worker *w, int32_t x, int32_t y, int32_t z)
{
    const vrp_candidate *c = w->rows != NULL ? &w->rows[x] : &w->best;
    const int32_t sum = w->rows != NULL ? w->row_sums[x] : w->best_sum;
    const vrp_move m = c->move;
    const bool is_behind = m.x >= 0 && (m.x != x ? m.x < x : m.y != y ? m.y < y : m.z <= z);
    return is_behind ? sum - 1 : sum;
}

// Decides the moves of x, y, z exactly and keeps the best.
void vrp_consider(vrp_worker *w, int32_t x, int32_t y, int32_t z);
// Consider the moves whose sums can make them the best; `least` is the least of sums [end - begin]. Lanes are z, x, or,
// for 2-opt, y.
void vrp_consider_last(vrp_worker *w, int32_t x, int32_t y, int32_t begin, int32_t end, const int32_t *sums, int32_t least);
void vrp_consider_first(vrp_worker *w, int32_t begin, int32_t end, int32_t y, int32_t z, const int32_t *sums, int32_t least);
void vrp_consider_second(vrp_worker *w, int32_t x, int32_t begin, int32_t end, const int32_t *sums, int32_t least);

// ---- The engine

// Opens the engine for giant tours of `tour_nodes` nodes; *out is all zero before. It takes params->threads, simd,
// memory. Errors: ARGUMENT, LIMIT, MEMORY.
mco_status vrp_cpu_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                        vrp_engine *out);

#endif
