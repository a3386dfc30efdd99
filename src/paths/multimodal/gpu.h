// SPDX-License-Identifier: MIT
// Searches on one GPU, many queries at a time. Only in builds with MCO_HAVE_CUDA.
#ifndef MCO_PATHS_MULTIMODAL_GPU_H
#define MCO_PATHS_MULTIMODAL_GPU_H

#include "paths/multimodal/multimodal.h"

typedef struct mm_device mm_device;

// Zero: chosen.
typedef struct mm_device_tuning {
    int32_t delta;        // seconds of a window
    int32_t shape;        // 1 to MM_SHAPES (cuda.h): 2 x 512, 3 x 512 or 5 x 256 threads of a multiprocessor
    int32_t threads;      // of a block, at most those of the shape
    int32_t blocks_each;  // blocks of a multiprocessor, at most
    int32_t groups;       // of 32 lanes that run at a time, at most
    int32_t rounds;       // of a launch, at most
} mm_device_tuning;

// Of the last call of mm_device_find(), all batches together.
typedef struct mm_device_stats {
    double device_s;      // kernels, by events: labels cleared, searches, certificates, answers
    double search_s;      // the searches alone
    double certificate_s; // the certificates alone
    int64_t visits;       // of vertices and groups
    int64_t triples;      // of vertex, arc, and lane of a query and a state, walked in visits
    int64_t rounds, windows, launches, batches;
    int32_t blocks, groups;  // groups of a batch
    int32_t gpu;          // its index
} mm_device_stats;

// Puts a network and an automaton on the GPU that `gpus` names (NULL: the first one); the caller keeps both while it is open. At most
// `queries` of them will run at a time. tuning NULL: all chosen. Errors: DEVICE, ARGUMENT (gpus), LIMIT (device memory), MEMORY.
mco_status mm_device_open(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, const char *gpus,
                          int64_t queries, const mm_device_tuning *tuning, mm_device **out);
void mm_device_close(mco_context *ctx, mm_device **device);

// Finds the arrivals of queries in batches, sorted by source and departure. The labels of every batch are certified (certificate.cu),
// up to the arrival where a query has a target. arrival [count]: MCO_MULTIMODAL_NONE for queries without
// a target. reached [count]: labels of queries without a target, else whether there is an arrival. run NULL: nobody stops it; it looks
// at the clock while kernels run. *done counts queries of complete batches; those of other ones are left out. Errors: DEVICE, MEMORY,
// LIMIT (an arrival of MCO_MULTIMODAL_NONE or more), INTERNAL (a certificate fails).
mco_status mm_device_find(mco_context *ctx, mm_device *device, mco_run *run, int64_t count, const mco_multimodal_query *query,
                          int32_t *arrival, int64_t *reached, int64_t *done);
// The labels [vertices * states] of a query of the last batch, by its number in the call. Errors: INTERNAL (another batch), DEVICE.
mco_status mm_device_labels(mco_context *ctx, mm_device *device, int64_t query, int32_t *label);
// Certifies the last batch again. Errors: INTERNAL (the certificate fails), DEVICE.
mco_status mm_device_certify(mco_context *ctx, mm_device *device);
// Replaces a label of a query of the last batch, so that a test can see the certificate fail. Errors: INTERNAL (another batch), DEVICE.
mco_status mm_device_spoil(mco_context *ctx, mm_device *device, int64_t query, int32_t vertex, int32_t state, int32_t label);
// Queries of a batch.
int64_t mm_device_batch(const mm_device *device);
const mm_device_stats *mm_device_tell(const mm_device *device);

#endif
