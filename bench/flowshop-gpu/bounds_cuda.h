// SPDX-License-Identifier: MIT
// The bounding kernel of Chakroun (2013, chapter 3): a thread evaluates the two-machine bound of one node from its
// permutation alone. The forms are those that the thesis compares, and ours.
#ifndef BENCH_BOUNDS_CUDA_H
#define BENCH_BOUNDS_CUDA_H

#include <cuda_runtime_api.h>

#include "flowshop/kernels.h"

MCO_BEGIN_C

enum { BOUNDS_MACHINES = 20, BOUNDS_MOST_JOBS = 256, BOUNDS_PAIRS = BOUNDS_MACHINES * (BOUNDS_MACHINES - 1) / 2 };

// Where the constants of the instance are. PTM: times; JM: Johnson orders; LM: lags.
typedef enum bounds_placement {
    BOUNDS_GLOBAL,        // all in global memory
    BOUNDS_PTM_SHARED,    // scenario 1
    BOUNDS_JM_SHARED,     // scenario 2
    BOUNDS_JM_PTM_SHARED, // scenario 3
    BOUNDS_ALL_SHARED,    // beyond what the thesis' chip held
    BOUNDS_CONSTANT,      // PTM and JM in constant memory
    BOUNDS_FUSED,         // job, both times and lag of a step in one load of 16 bytes, global
    BOUNDS_PLACEMENTS
} bounds_placement;

// How conditions are written.
typedef enum bounds_form {
    BOUNDS_IF,     // as printed
    BOUNDS_COSINE, // the thesis' refactoring by cosine and exponential
    BOUNDS_SELECT, // maxima and selects
    BOUNDS_FORMS
} bounds_form;

// Pointers to device memory. `rows` holds flowshop_row structs, row_bytes apart.
typedef struct bounds_args {
    int32_t jobs, row_bytes, count;
    const unsigned char *rows;
    const uint8_t *ptm;            // [jobs * BOUNDS_MACHINES]
    const uint8_t *jm;             // [BOUNDS_PAIRS * jobs]
    const uint16_t *lm;            // [BOUNDS_PAIRS * jobs] by pair and job
    const uint16_t *mm;            // [BOUNDS_PAIRS] k << 8 | l
    const uint16_t *heads, *tails; // [BOUNDS_MACHINES]
    const flowshop_step *steps;    // [BOUNDS_PAIRS * jobs]
    int32_t *bounds;               // [count]
} bounds_args;

// Copies the tables from the host into constant memory, once for an instance.
cudaError_t bounds_set_constant(const uint8_t *ptm, const uint8_t *jm, int32_t jobs);
// Bytes of shared memory a block needs.
size_t bounds_shared_bytes(bounds_placement placement, int32_t jobs);
cudaError_t bounds_launch(const bounds_args *args, bounds_placement placement, bounds_form form, int block,
                          cudaStream_t stream);

MCO_END_C

#endif
