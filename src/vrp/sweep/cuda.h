// SPDX-License-Identifier: MIT
// Launchers of the kernels of complete neighbourhoods (vrp/sweep/cuda.cu), in plain C for the engine (vrp/sweep/gpu.c).
// They enqueue work on a stream, allocate nothing and do not wait. The caller has made the device current. Pointers are
// to device memory unless a comment says otherwise.
//
// A scan can go three ways:
// - 2-opt of a symmetric, feasible tour: one kernel makes the sums of the tour (vrp/sweep/tour_sums.cuh), another
//   decides all moves (vrp/sweep/two_opt.cuh).
// - 3-opt of a symmetric, feasible tour: a kernel makes tables of joins (vrp/sweep/joins.cuh). Moves with a depot
//   between any two of their edges are sums of two table entries (vrp/sweep/closed.cuh); the others are sums of terms
//   that pairs of edges share (vrp/sweep/open.cuh). Both ways leave the best value with x and y / 4;
//   vrp/sweep/narrow.cuh finds the whole move.
// - Any scan move by move (vrp/sweep/plain.cuh).
#ifndef MCO_VRP_SWEEP_CUDA_H
#define MCO_VRP_SWEEP_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "vrp/sweep/move.h"
#include "vrp/sweep/segment.h"

MCO_BEGIN_C

enum {
    VRP_DEVICE_THREE_OPT_NODES = 1 << 16,  // most nodes of a tour: a packed index holds no more
    VRP_DEVICE_TILE = 16,                  // the rows of tables are a multiple of this
    VRP_DEVICE_COLUMNS = 64                // the columns of tables are a multiple of this
};

// How distances of nodes are computed.
typedef enum vrp_place_kind {
    VRP_PLACES_GRID,   // integer coordinates, rounded distances; an approximate root is exact (vrp_launch_grid_check())
    VRP_PLACES_PLANE,  // coordinates, in double precision
    VRP_PLACES_MATRIX
} vrp_place_kind;

typedef struct vrp_device_places {
    vrp_place_kind kind;
    bool rounds_up;
    int32_t nodes;
    double scale;
    const float *grid;      // [2 * nodes] x, y of VRP_PLACES_GRID
    const double *plane;    // [2 * nodes] x, y of VRP_PLACES_PLANE
    const int32_t *matrix;  // [nodes * nodes]
    const int32_t *demand, *service;  // [nodes]; service is NULL without service times or without a limit of length
} vrp_device_places;

// *wrong becomes the number of squared distances 0..squares whose root the approximation rounds to another integer.
cudaError_t vrp_launch_grid_check(int64_t squares, unsigned int *wrong, cudaStream_t stream);

// A tour, its sums, and with 3-opt its distances. Row i of `distance` has the distances from position i.
typedef struct vrp_device_tour {
    vrp_sums sums;
    int32_t *distance;  // [count][stride]; NULL: distances are computed from the places
    int64_t stride;
} vrp_device_tour;

// A move as two words that compare like its value and its index; both are all ones if there is no move.
typedef struct vrp_device_key {
    unsigned long long value, index;
} vrp_device_key;

// ---- 2-opt. A sweep is two launches: the first makes its tour and the sums of the tour, the second decides the moves.
// In a descent the first launch of a sweep makes the best move of the sweep before, and writes that move to the host as
// its answer. So the device does not wait for the host. If no more sweeps are wanted, a launch only writes the answer.

enum {
    VRP_DEVICE_TWO_OPT_BLOCKS = 4096,  // at most
    VRP_DEVICE_ANSWERS = 64            // ring of answers: the host takes an answer before so many more are made
};

// Sums at a position, which are read together.
typedef struct vrp_device_stop {
    int32_t load_to, length_to, load_from, length_from;
} vrp_device_stop;

typedef struct vrp_device_answer {
    int64_t sequence;                       // of the sweep; written last
    unsigned long long begin_ns, end_ns;    // of the sweep
    vrp_device_key best;
    bool is_decided;                        // false: this way cannot decide the scan
} vrp_device_answer;

// The routes that end among the positions of a block.
typedef struct vrp_device_tally {
    int32_t routes, full;  // all of them; those with a customer
    int32_t is_legal;      // whether all of them keep the limits
} vrp_device_tally;

typedef struct vrp_device_sweep {
    int64_t sequence, last;      // number of this sweep, and of the last one wanted
    unsigned long long begin_ns;
    bool is_wanted;              // false: the sweep before was the last, or found no improvement
} vrp_device_sweep;

// The tour of a sweep; successive sweeps alternate between two sides.
typedef struct vrp_device_side {
    int32_t *tour;               // [count]
    vrp_device_tally *tally;     // [vrp_two_opt_tallies(count)]
    vrp_device_sweep *sweep;
} vrp_device_side;

typedef struct vrp_device_two_opt {
    int32_t count;               // positions
    int32_t capacity, max_length, vehicles;
    int multiprocessors;
    bool has_length;
    bool overlaps;               // the device can begin a kernel before the one ahead of it ends
    const int32_t *start;        // [count] the host's tour, in mapped memory
    vrp_device_side side[2];
    void *place;                 // [count] float2 (GRID), double2 (PLANE), int32_t node (MATRIX)
    vrp_device_stop *stop;       // [count]
    int32_t *edge, *next_depot;  // [count]
    vrp_device_key *partial;     // [VRP_DEVICE_TWO_OPT_BLOCKS]
    vrp_device_answer *answers;  // [VRP_DEVICE_ANSWERS] mapped memory of the host: sequence n is at n modulo the size
} vrp_device_two_opt;

// The most tallies, and the number of tiles, of a tour with `count` positions.
int64_t vrp_two_opt_tallies(int32_t count);
int64_t vrp_two_opt_tiles(int32_t count);
// Begins a sweep: the tour of the host becomes that of side 0.
cudaError_t vrp_launch_two_opt_begin(const vrp_device_two_opt *job, const vrp_device_places *places, int64_t sequence,
                                     int64_t last, cudaStream_t stream);
// Decides the moves of tiles first..end - 1 of vrp_two_opt_tiles(). A sweep may take several launches; the first has
// first = 0.
cudaError_t vrp_launch_two_opt_moves(const vrp_device_two_opt *job, const vrp_device_places *places, int side, int64_t first,
                                     int64_t end, cudaStream_t stream);
// Writes the answer of the sweep of side `from`, and makes its best move, which gives the tour of the other side.
cudaError_t vrp_launch_two_opt_next(const vrp_device_two_opt *job, const vrp_device_places *places, int from,
                                    cudaStream_t stream);
// Writes the answer of the sweep of side `from`.
cudaError_t vrp_launch_two_opt_tell(const vrp_device_two_opt *job, const vrp_device_places *places, int from,
                                    cudaStream_t stream);

// ---- 3-opt by tables. Values of moves are below VRP_FAR / 2. An entry that is no legal join is VRP_FAR, or VRP_FAR_16
// in 16 bits.

enum { VRP_FAR = 1 << 28, VRP_FAR_16 = 16000 };

typedef struct vrp_device_tables {
    bool is_narrow;             // entries of 16 bits
    int32_t rows;               // a multiple of VRP_DEVICE_TILE, at least edges
    int32_t first, columns;     // the slab of z that the tables hold; multiples of VRP_DEVICE_COLUMNS
    bool is_whole;              // the slab is all of z
    int32_t weight;             // of a route that is not empty
    int32_t longest;            // greatest distance; read with entries of 16 bits
    void *join[4];              // [rows][columns] tail-head, head-tail, head-head, tail-tail
} vrp_device_tables;

// The state of a search. Keys pack a value, x and y / 4 (vrp/sweep/narrow.cuh); they are all ones while there is no
// move.
typedef struct vrp_device_three_opt {
    vrp_device_tour tour;
    bool wants_first;           // the first of the moves with a negative value, instead of the best
    bool needs_few;             // moves that leave more routes than vehicles do not count
    unsigned long long *best;
    unsigned long long *rows;   // [edges] key of each x; NULL: not wanted
    unsigned long long *index;  // [1], or [edges] of each x: y, z and p
    vrp_candidate *answer;      // [1], or [edges]
} vrp_device_three_opt;

// Fills tour->distance for all pairs of positions.
cudaError_t vrp_launch_distances(const vrp_device_tour *tour, const vrp_device_places *places, cudaStream_t stream);
cudaError_t vrp_launch_joins(const vrp_device_tour *tour, const vrp_device_tables *tables, cudaStream_t stream);
cudaError_t vrp_launch_begin(const vrp_device_three_opt *job, cudaStream_t stream);
// Evaluates moves with a depot between any two edges, with y in blocks first_block..end_block - 1 of VRP_DEVICE_TILE,
// and z in the slab.
cudaError_t vrp_launch_closed(const vrp_device_three_opt *job, const vrp_device_tables *tables, int32_t first_block,
                              int32_t end_block, int multiprocessors, cudaStream_t stream);
// Evaluates the moves without a depot between two of their edges, with x in first..end - 1; first is even. The tour is
// also read from its end, where x counts from there.
cudaError_t vrp_launch_open(const vrp_device_three_opt *job, int32_t first, int32_t end, cudaStream_t stream);
// Finds the moves of the keys.
cudaError_t vrp_launch_narrow(const vrp_device_three_opt *job, int32_t weight, cudaStream_t stream);

// ---- Move by move

typedef struct vrp_device_plain {
    vrp_device_tour tour;
    vrp_device_places places;
    bool is_three_opt, wants_first;
    bool only_open;             // 3-opt: leave out the moves that have a depot between any two of their edges
    bool compacts;              // list the moves that the filter keeps before they are decided
    bool counts;                // only count the moves kept, up to the index `last`
    uint64_t keep, filter_seed;
    unsigned long long last;
    unsigned long long to_beat; // wants_first: a move improves if its packed value is below this
    int32_t value_bits;         // bits of the cost in a packed value; the penalty is above them
    int32_t bad;                // routes that break a limit and have to be cut, at most 3
    int32_t bad_first[3], bad_end[3];  // ranges of their edges
    const vrp_segment *stored;  // NULL: by sums
    vrp_layout layout;
    vrp_limits limits;
    int64_t cost;               // of the tour, with segments
    int32_t chunk, chunks;      // a unit is one x and `chunk` of its y; an x has `chunks` units
    vrp_device_key *partial;    // [edges * chunks] best of each unit
    vrp_device_key *rows;       // [edges + 1] best of each x, then of all
    unsigned long long *kept;   // number of moves kept; the caller sets it to 0
    unsigned long long *found;  // wants_first: least index found so far; the caller sets all ones
} vrp_device_plain;

// Evaluates units first..end - 1.
cudaError_t vrp_launch_plain(const vrp_device_plain *job, int64_t first, int64_t end, int multiprocessors,
                             cudaStream_t stream);
// Fills `rows` from `partial`.
cudaError_t vrp_launch_plain_rows(const vrp_device_plain *job, cudaStream_t stream);
// Makes one level of stored segments; the level below has been made.
cudaError_t vrp_launch_segments(const vrp_device_tour *tour, const vrp_device_places *places, const vrp_layout *layout,
                                vrp_limits limits, int level, vrp_segment *stored, cudaStream_t stream);

MCO_END_C
#endif
