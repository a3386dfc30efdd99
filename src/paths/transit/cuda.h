// SPDX-License-Identifier: MIT
// Launchers of the kernels for journeys, in plain C. They enqueue on a stream, allocate nothing and do not wait. The caller makes
// the device current and validates the arguments.
#ifndef MCO_PATHS_TRANSIT_CUDA_H
#define MCO_PATHS_TRANSIT_CUDA_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "mco/compiler.h"

MCO_BEGIN_C

enum {
    TRANSIT_GPU_RIDES = 16,              // of a journey, at most
    TRANSIT_GPU_NONE = 0x7f7f7f7f,       // cm of a vertex or a stop that is not reached: four equal bytes, so that memset() writes it
    TRANSIT_GPU_NEVER = 1 << 29          // seconds, as TRANSIT_NEVER
};

// The side of a query: its place or its target.
typedef struct transit_gpu_spot {
    int32_t piece;   // -1: there is no map
    int32_t end[2];  // vertices
    int32_t cm[2];   // to them
    int32_t along, off;
} transit_gpu_spot;

typedef struct transit_gpu_ask {
    transit_gpu_spot spot[2];
    int32_t depart_s;
    int32_t is_off_map;    // there is nothing to search
    int32_t direct_cm;     // the walk from place to target; -1: none
    int32_t end_count[2];  // stops near the place and near the target
} transit_gpu_ask;

typedef struct transit_gpu_end {  // a stop that a walk joins with a place
    int32_t stop, cm;
} transit_gpu_end;

typedef struct transit_gpu_walk {  // a walk between two stops, or a change with itself
    int32_t stop, seconds;
} transit_gpu_walk;

typedef struct transit_gpu_ride {
    int32_t trip;
    uint16_t board, leave;  // places of the route
} transit_gpu_ride;

typedef struct transit_gpu_answer {
    int32_t arrive_s;   // TRANSIT_GPU_NEVER: there is no journey
    int32_t rides;      // 0: the direct walk
    int32_t first_cm, last_cm, direct_cm;  // the walks of both ends; the direct walk, -1: none
    transit_gpu_ride ride[TRANSIT_GPU_RIDES];
} transit_gpu_answer;

// Zeroed before each launch.
typedef struct transit_gpu_control {
    int32_t stop;               // written by the host while kernels run
    int32_t pad_of_stop[31];
    unsigned int next_place;    // queries taken by the walks
    unsigned int next_round;    // and by the rounds
    unsigned int done;          // answers written
} transit_gpu_control;

typedef struct transit_gpu_arc {
    int32_t head, cm;
} transit_gpu_arc;

// ---- Walks from places and targets (places.cu)

typedef struct transit_places_plan {
    int32_t vertices, stops, limit_cm;
    int32_t threads, blocks;
    const int32_t *d_first;            // [vertices + 1]
    const transit_gpu_arc *d_arc;
    const int32_t *d_at_first;         // [vertices + 1] stops near a vertex
    const transit_gpu_end *d_at;
    const transit_gpu_spot *d_stop;    // [stops]
    // Scratch; a block has its own part of each.
    int32_t *d_label;     // [blocks * 2 * vertices] TRANSIT_GPU_NONE before the first launch and after each
    int32_t *d_stamp;     // [blocks * 2 * vertices] the round that a vertex waits for; 0 before the first launch and after each
    int32_t *d_queue;     // [blocks * 4 * vertices]
    int32_t *d_touched;   // [blocks * 2 * vertices]
    int32_t *d_stop_cm;   // [blocks * 2 * stops] TRANSIT_GPU_NONE before the first launch and after each
    int32_t count;
    transit_gpu_ask *d_ask;            // [count]
    transit_gpu_end *d_end;            // [count * 2 * stops] of query q, side s: (2 * q + s) * stops and on
    transit_gpu_control *d_control;
} transit_places_plan;

// Sets `blocks` to what fits on the current device at a time. `threads` is set.
cudaError_t transit_places_shape(transit_places_plan *plan, int multiprocessors);
// Finds for each query the stops near its place and its target, and the walk between them.
cudaError_t transit_launch_places(const transit_places_plan *plan, cudaStream_t stream);

// ---- Rounds (rounds.cu)

typedef struct transit_rounds_plan {
    int32_t stops, routes, max_rides;
    int32_t threads, blocks;
    // The timetable: transit_index and transit_timetable.
    const int32_t *d_first, *d_time_first, *d_trip_first;  // [routes + 1], [routes], [routes + 1]
    const int32_t *d_route_stop;       // [places]
    const uint8_t *d_use;              // [places]
    const int32_t *d_arrive, *d_depart;  // [times]
    const int32_t *d_serve_first, *d_serve_route, *d_serve_place;  // [stops + 1], [places], [places]
    const int32_t *d_change;           // [stops]
    const int32_t *d_walk_first;       // [stops + 1]
    const transit_gpu_walk *d_walk;
    const int32_t *d_back_first;       // [stops + 1] the same walks by the stop where they end, by that where they begin
    const transit_gpu_walk *d_back;
    double cm_a_second;                // of a walk
    // Scratch: the labels after each round. Row k of block b is b * (max_rides + 1) + k.
    int32_t *d_row;                    // [blocks * (max_rides + 1) * 2 * stops] ready, then ride
    uint32_t *d_bits;                  // [blocks * (max_rides + 1) * 2 * words] marked, then ridden
    int32_t count;
    const transit_gpu_ask *d_ask;      // [count]
    const transit_gpu_end *d_end;      // [count * 2 * stops]
    transit_gpu_answer *d_answer;      // [count]
    transit_gpu_control *d_control;
} transit_rounds_plan;

// Bytes of shared memory of a block.
size_t transit_rounds_bytes(int32_t stops, int32_t routes);
// Sets `blocks`. `stops`, `routes` and `threads` are set. Errors: InvalidConfiguration if no block fits.
cudaError_t transit_rounds_shape(transit_rounds_plan *plan, int multiprocessors);
cudaError_t transit_launch_rounds(const transit_rounds_plan *plan, cudaStream_t stream);

MCO_END_C
#endif
