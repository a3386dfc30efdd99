// SPDX-License-Identifier: MIT
// Launchers of the kernels for searches under an automaton, in plain C. They enqueue on a stream, allocate nothing and do not wait.
// The caller makes the device current and validates the arguments.
#ifndef MCO_PATHS_MULTIMODAL_CUDA_H
#define MCO_PATHS_MULTIMODAL_CUDA_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stdint.h>

#include "mco/paths.h"
#include "paths/multimodal/function.h"

MCO_BEGIN_C

enum {
    MM_SHAPES = 3,
    MM_LANES = 32,             // of a group: query k of the group and state q have the lane k * width + q
};

// A function of time as the kernels read it: 16 bytes.
typedef struct mm_device_function {
    int32_t kind_width;        // kind + 4 * width
    int32_t first;             // PROFILE, TIMETABLE: in d_point; HEADWAY: the offset
    int32_t count;
    float inverse;             // 1 / width
} mm_device_function;

// What all blocks share. Words with three places belong to round or window k by k mod 3.
typedef struct mm_control {
    int32_t stop;              // written by the host while the kernel runs
    int32_t pad_of_stop[31];
    uint32_t barrier[2];
    int32_t pad_of_barrier[30];
    uint32_t tail[3];          // entries of the queue of a round
    int32_t pad_of_tail[29];
    int32_t least[3];          // seconds after departure of the earliest label that a window leaves; MCO_PATHS_NONE: it leaves none
    int32_t has_moved[3];      // the window's scan walked a label
    int32_t halt[2];           // by rounds: `stop` as all blocks see it
    int32_t pad_of_least[24];
    // Where a launch goes on.
    int32_t round, window, end;  // `end` of the window: seconds after departure
    int32_t is_over;           // an arrival of MCO_PATHS_NONE or more
    int32_t is_done;
    int32_t pad_of_round;
    unsigned long long visits, triples, scans;  // walks over a vertex's arcs, triples of vertex, arc and lane, scans of all masks
} mm_control;

// What the certificate says.
typedef struct mm_verdict {
    unsigned long long wrong;  // starts, labels and arcs that break a rule
    unsigned long long loose;  // labels up to the end of their query that are not held
    uint32_t tail[3];          // entries of the queue of a round, by the round mod 3
} mm_verdict;

// Rows: vertex v of group g has the row g * vertices + v. A group of 32 lanes is a warp's width: 128 bytes of labels in one line.
typedef struct mm_plan {
    int32_t vertices, groups;
    int32_t width;                    // lanes of a query, a power of two
    int32_t states, labels;
    int32_t period, label_bits, function_bits;
    int32_t delta;                    // seconds of a window
    int32_t end_most;                 // of a window, so that no arrival is MCO_PATHS_NONE or more
    int32_t rounds_most;              // of a launch
    int32_t shape;                    // of blocks and registers, 0 to MM_SHAPES - 1
    int32_t threads, blocks;          // mm_shape_search()
    bool has_targets;
    const uint32_t *d_first;          // [vertices + 1]
    const mm_arc *d_arc;              // 8 bytes each
    const mm_device_function *d_function;
    const mm_point *d_point;
    const mm_function *d_exact;       // the functions as the checker reads them
    const uint32_t *d_next;           // [states * labels] states behind state q and label l: d_next[q * labels + l]
    const int32_t *d_pace;            // [states]
    uint32_t start, final;            // states
    // Of the queries at hand, groups * (32 / width) of them; those without a source have -1.
    const int32_t *d_source, *d_target, *d_depart;
    int32_t *d_lane_depart;           // [groups * 32]
    uint32_t *d_live;                 // [groups] lanes that may still improve a target
    int32_t *d_label;                 // [rows * 32]
    uint32_t *d_far;                  // [rows] lanes to walk in a later window
    uint32_t *d_near[2];              // [rows] lanes to walk in a round, by its parity
    uint32_t *d_queue[2];             // [rows] rows to visit in a round, by its parity
    mm_control *d_control;
    int32_t *d_lane_end;              // [groups * 32] arrival of the lane's query; MCO_PATHS_NONE: all labels count
    mm_verdict *d_verdict;
} mm_plan;

// Chooses plan->blocks for plan->threads (0: all of the shape): blocks_each of a multiprocessor, 0: as many as fit. Errors: also
// InvalidConfiguration if none fits.
cudaError_t mm_shape_search(mm_plan *plan, int multiprocessors, int blocks_each);
// Clears labels and masks, and enters the sources.
cudaError_t mm_launch_begin(const mm_plan *plan, cudaStream_t stream);
// Searches until d_control->is_done, or for rounds_most rounds, or until d_control->stop is set.
cudaError_t mm_launch_search(const mm_plan *plan, cudaStream_t stream);
// Arrivals at the targets in the best final states, and the labels of each query: d_arrival, d_reached [groups * (32 / width)].
cudaError_t mm_launch_answers(const mm_plan *plan, int32_t *d_arrival, unsigned long long *d_reached, cudaStream_t stream);
// Labels of one query of the plan, by vertex and state: d_out [count * states] of the vertices from `first` on.
cudaError_t mm_launch_labels(const mm_plan *plan, int32_t query, int32_t first, int32_t count, int32_t *d_out, cudaStream_t stream);

// certificate.cu: tests the labels that a search has left, and uses its masks and queues; `arcs` of the network. A search whose
// `stop` is set ends it early, and the verdict says nothing.
// The whole test. Where nothing is wrong and nothing is loose, all answers are right.
cudaError_t mm_launch_certificate(const mm_plan *plan, uint32_t arcs, cudaStream_t stream);
// Where labels are loose: `count` rounds from `round` on over arcs that take no time. Round 0 is first; the work is done when the queue of
// the next round is empty. Rounds but 0 count mod 6.
cudaError_t mm_launch_ties(const mm_plan *plan, int32_t round, int32_t count, cudaStream_t stream);
// Counts again what is loose; what is wrong may be counted twice.
cudaError_t mm_launch_rest(const mm_plan *plan, cudaStream_t stream);

MCO_END_C
#endif
