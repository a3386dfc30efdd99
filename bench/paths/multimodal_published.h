// SPDX-License-Identifier: MIT
// The published search for GPUs (Strappaveccia 2015, sections 6.c.2 and 6.c.3), for comparison alone: kernels of one iteration.
#ifndef MCO_BENCH_MULTIMODAL_PUBLISHED_H
#define MCO_BENCH_MULTIMODAL_PUBLISHED_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "mco/paths.h"
#include "paths/multimodal/function.h"

MCO_BEGIN_C

// Arrays by state and vertex: the pair of state h and vertex v is h * vertices + v. States are independent: a path keeps its state.
typedef struct published_plan {
    int32_t vertices, states, labels;
    mm_tables tables;          // on the device
    const int64_t *d_first;
    const mm_arc *d_arc;
    const uint8_t *d_allows;   // [states * labels]
    const int32_t *d_pace;     // [states]
    int32_t *d_value;          // arrivals; MCO_PATHS_NONE: none
    uint8_t *d_unsettled, *d_frontier;
    int32_t *d_bound;          // [states] the bound up to which labels are final
    unsigned long long *d_settled;
} published_plan;

cudaError_t published_begin(const published_plan *plan, int32_t source, int32_t depart, cudaStream_t stream);
// Relax the frontier, bound, next frontier: a thread for each pair in each kernel.
cudaError_t published_iterate(const published_plan *plan, cudaStream_t stream);

MCO_END_C
#endif
