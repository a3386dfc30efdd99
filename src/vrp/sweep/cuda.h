// SPDX-License-Identifier: MIT
// Launchers of the kernels of complete neighbourhoods (vrp/sweep/cuda.cu), in plain C for the engine (vrp/sweep/gpu.c). They
// enqueue on a stream, allocate nothing and do not wait. The caller has made the device current. Pointers are of device memory
// unless said.
//
// Three ways to a scan:
// - 2-opt, symmetric and feasible: a kernel makes the sums of the tour (vrp/sweep/tour_sums.cuh), another decides all moves
//   (vrp/sweep/two_opt.cuh).
// - 3-opt, symmetric and feasible: tables of joins (vrp/sweep/joins.cuh), moves with a depot between any two of their edges by
//   sums of two table entries (vrp/sweep/closed.cuh), the others by terms that pairs of edges share (vrp/sweep/open.cuh). Both
//   leave the best value with x and y; vrp/sweep/narrow.cuh finds the whole move.
// - Anything, move by move (vrp/sweep/plain.cuh).
#ifndef MCO_VRP_SWEEP_CUDA_H
#define MCO_VRP_SWEEP_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>

#include "vrp/sweep/move.h"
#include "vrp/sweep/segment.h"

MCO_BEGIN_C

enum {
    VRP_DEVICE_THREE_OPT_NODES = 1 << 16,  // of a tour, at most: places of a packed index
    VRP_DEVICE_TILE = 16,                  // rows of tables come in so many
    VRP_DEVICE_COLUMNS = 64                // and columns
};

// Distances of nodes.
typedef enum vrp_place_kind {
    VRP_PLACES_GRID,   // integer coordinates, distances rounded: by an approximate root that is exact there (vrp_grid_check)
    VRP_PLACES_PLANE,  // coordinates, in double precision
    VRP_PLACES_MATRIX
} vrp_place_kind;

typedef struct vrp_device_places {
    vrp_place_kind kind;
    bool rounds_up;
    int32_t nodes;
    double scale;
    const float *grid;      // [2 * nodes] x, y of VRP_PLACES_GRID
    const double *plane;    // [2 * nodes] x, y of VRP_PLACES_GRID and VRP_PLACES_PLANE
    const int32_t *matrix;  // [nodes * nodes]
    const int32_t *demand, *service;  // [nodes]; service NULL where there is none or no limit to lengths
} vrp_device_places;

// *wrong becomes the number of squared distances 0..squares - 1 whose root is rounded otherwise by the approximation.
cudaError_t vrp_launch_grid_check(int64_t squares, unsigned int *wrong, cudaStream_t stream);

// A tour, its sums, and with 3-opt its distances. In `distance`, row i has those from position i.
typedef struct vrp_device_tour {
    vrp_sums sums;
    int32_t *distance;  // [count][stride]; NULL: they are taken from the places
    int64_t stride;
} vrp_device_tour;

// Best moves as two words that compare like value and index: vrp_key_of() in vrp/sweep/device.cuh.
typedef struct vrp_device_key {
    unsigned long long value, index;
} vrp_device_key;

// ---- 2-opt. A sweep is two launches: one makes its tour and the sums of that, another decides the moves. In a descent, the
// launch that makes the next tour makes the move that was found best, and tells the host of it; so the host is only told. Where
// no more sweeps are wanted, a launch tells and does nothing else.

enum {
    VRP_DEVICE_TWO_OPT_BLOCKS = 4096,  // at most
    VRP_DEVICE_ANSWERS = 64            // the host has looked at an answer before so many more are made
};

// What is known of a position and read for many others at once.
typedef struct vrp_device_stop {
    int32_t load_to, length_to, load_from, length_from;
} vrp_device_stop;

typedef struct vrp_device_answer {
    int64_t sequence;                       // of the sweep; written last
    unsigned long long begin_ns, end_ns;    // of the sweep
    vrp_device_key best;
    bool is_decided;                        // false: this way does not serve the tour
} vrp_device_answer;

// Of the routes that end among a block's positions.
typedef struct vrp_device_tally {
    int32_t routes, full;  // with a customer
    int32_t is_legal;      // all of them
} vrp_device_tally;

typedef struct vrp_device_sweep {
    int64_t sequence, last;      // of this sweep, and of the last one wanted
    unsigned long long begin_ns;
    bool is_wanted;              // false: the sweep before was the last, or found no improvement
} vrp_device_sweep;

// The tours of two sweeps in turn.
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
    const int32_t *start;        // [count] of the host, mapped
    vrp_device_side side[2];
    void *place;                 // [count] float2 (GRID), double2 (PLANE), int32_t node (MATRIX)
    vrp_device_stop *stop;       // [count]
    int32_t *edge, *next_depot;  // [count]
    vrp_device_key *partial;     // [VRP_DEVICE_TWO_OPT_BLOCKS]
    vrp_device_answer *answers;  // [VRP_DEVICE_ANSWERS] of the host, mapped: sequence n is at n modulo their number
} vrp_device_two_opt;

int64_t vrp_two_opt_tallies(int32_t count);
int64_t vrp_two_opt_tiles(int32_t count);
// The tour of the host becomes that of side 0.
cudaError_t vrp_launch_two_opt_begin(const vrp_device_two_opt *job, const vrp_device_places *places, int64_t sequence,
                                     int64_t last, cudaStream_t stream);
// Tiles of moves, first..end - 1 of vrp_two_opt_tiles(); a later launch of the same sweep adds to an earlier one.
cudaError_t vrp_launch_two_opt_moves(const vrp_device_two_opt *job, const vrp_device_places *places, int side, int64_t first,
                                     int64_t end, cudaStream_t stream);
// Tells of the sweep of side `from` and makes its best move: the tour of the other side.
cudaError_t vrp_launch_two_opt_next(const vrp_device_two_opt *job, const vrp_device_places *places, int from,
                                    cudaStream_t stream);
cudaError_t vrp_launch_two_opt_tell(const vrp_device_two_opt *job, const vrp_device_places *places, int from,
                                    cudaStream_t stream);

// ---- 3-opt by tables. Values of moves are below VRP_FAR / 2; entries that stand for no join are VRP_FAR, in 16 bits
// VRP_FAR_16.

enum { VRP_FAR = 1 << 28, VRP_FAR_16 = 16000 };

typedef struct vrp_device_tables {
    bool is_narrow;             // entries of 16 bits
    int32_t rows;               // a multiple of VRP_DEVICE_TILE, at least edges
    int32_t first, columns;     // the slab of z that the tables hold; multiples of VRP_DEVICE_COLUMNS
    bool is_whole;              // all of z
    int32_t weight;             // of a route that is not empty
    int32_t longest;            // entries of 16 bits: no distance is greater
    void *join[4];              // [rows][columns] tail-head, head-tail, head-head, tail-tail
} vrp_device_tables;

// Where the search has come to: packed value, x and y / 4 (vrp/sweep/narrow.cuh), all ones while there is none.
typedef struct vrp_device_three_opt {
    vrp_device_tour tour;
    bool wants_first;           // among moves of negative value, the first
    bool needs_few;             // moves that leave more routes than vehicles do not count
    unsigned long long *best;
    unsigned long long *rows;   // [edges] of each x; NULL where not wanted
    unsigned long long *index;  // [1], or [edges] of each x: y, z and p
    vrp_candidate *answer;      // [1], or [edges]
} vrp_device_three_opt;

// Distances of all pairs of positions.
cudaError_t vrp_launch_distances(const vrp_device_tour *tour, const vrp_device_places *places, cudaStream_t stream);
cudaError_t vrp_launch_joins(const vrp_device_tour *tour, const vrp_device_tables *tables, cudaStream_t stream);
cudaError_t vrp_launch_begin(const vrp_device_three_opt *job, cudaStream_t stream);
// Moves whose y is in blocks of VRP_DEVICE_TILE first_block..end_block - 1, with z in the slab.
cudaError_t vrp_launch_closed(const vrp_device_three_opt *job, const vrp_device_tables *tables, int32_t first_block,
                              int32_t end_block, int multiprocessors, cudaStream_t stream);
cudaError_t vrp_launch_open(const vrp_device_three_opt *job, cudaStream_t stream);
cudaError_t vrp_launch_narrow(const vrp_device_three_opt *job, int32_t weight, cudaStream_t stream);

// ---- Move by move

typedef struct vrp_device_plain {
    vrp_device_tour tour;
    vrp_device_places places;
    bool is_three_opt, wants_first;
    bool only_open;             // 3-opt: without the moves that have a depot between any two of their edges
    bool compacts;
    bool counts;                // only counts those kept, up to the index `last`
    uint64_t keep, filter_seed;
    unsigned long long last;
    unsigned long long to_beat; // wants_first: values below this
    int32_t value_bits;         // of the cost in a packed value; the penalty is above
    int32_t bad;                // routes that break a limit and have to be cut, at most 3
    int32_t bad_first[3], bad_end[3];  // their edges
    const vrp_segment *stored;  // NULL: by sums
    vrp_layout layout;
    vrp_limits limits;
    int64_t cost;               // of the tour, with segments
    int32_t chunk, chunks;      // a unit is one x and `chunk` of its y; chunks of an x
    vrp_device_key *partial;    // [edges * chunks]
    vrp_device_key *rows;       // [edges + 1] best of each x, then of all
    unsigned long long *kept;   // those evaluated; 0 before
    unsigned long long *found;  // wants_first: index of the first so far; all ones before
} vrp_device_plain;

// Units first..end - 1.
cudaError_t vrp_launch_plain(const vrp_device_plain *job, int64_t first, int64_t end, int multiprocessors,
                             cudaStream_t stream);
cudaError_t vrp_launch_plain_rows(const vrp_device_plain *job, cudaStream_t stream);
// One level of stored segments, the level below being there.
cudaError_t vrp_launch_segments(const vrp_device_tour *tour, const vrp_device_places *places, const vrp_layout *layout,
                                vrp_limits limits, int level, vrp_segment *stored, cudaStream_t stream);

MCO_END_C
#endif
