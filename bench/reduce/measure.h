// SPDX-License-Identifier: MIT
// Competitors timed against each other on the same data, their results checked.
#ifndef MCO_BENCH_REDUCE_MEASURE_H
#define MCO_BENCH_REDUCE_MEASURE_H

#include "bench.h"
#include "device/device_cuda.h"

// Both are clocks of the device. A waiting kernel holds the stream until the host has enqueued the whole sample, so
// that a sample contains no time of the host.
typedef enum bench_clock {
    BENCH_CLOCK_EVENTS,  // one call between two events
    BENCH_CLOCK_GRAPH    // one replay of a graph of several calls between two events, divided by their number
} bench_clock;

// What is measured, and how.
typedef struct bench_case {
    const char *table;
    bench_op op;
    bench_type type;
    int64_t count;
    bool is_rotating;  // calls rotate over buffers that together span ROTATION_L2 times the L2; else one hot buffer
    bench_clock clock;
    double budget_s;  // fewer samples, at least LEAST_SAMPLES, if all would take longer; 0: no limit
} bench_case;

enum { ROTATION_L2 = 4, LEAST_SAMPLES = 5, GRAPH_CALLS = 20, BENCH_MAX_ENTRIES = 32 };

// A competitor in a case, and what was measured.
typedef struct bench_entry {
    bench_competitor who;
    bench_job job;
    cudaGraphExec_t graph;
    double *samples;  // [sample_count] seconds of a call
    double median_s, least_s;
    double pairs_ratio;  // median over the rounds of own sample / CUB's sample; 0 without CUB
    bool is_wrong;
} bench_entry;

typedef struct bench_run {
    mco_context *ctx;
    mco_device device;
    char *d_data;
    size_t data_bytes;
    const bench_reference *references;  // [reference_count]
    int reference_count;
    int repeat;                  // samples of each competitor
    unsigned long long hold_ns;  // how long the stream is held for a sample; grows if the host needs longer
    int64_t late_samples;        // samples for which the host was not ahead, in spite of the longest hold
    int wrong_results;
} bench_run;

typedef struct bench_shape {
    int calls;    // in a sample
    int slots;    // buffers taken in turn
    size_t slot_bytes;
    int samples;  // taken of each competitor
} bench_shape;

// Times `entries`, whose `who` is set, in rounds. A round takes one sample of each and begins with another entry every
// time. Sets the other fields of the entries; `samples` is NULL again afterwards. Errors: DEVICE, MEMORY. A wrong
// result is not an error.
mco_status bench_measure(bench_run *run, const bench_case *c, bench_entry *entries, int entry_count, bench_shape *shape);

// The bytes that hold one buffer of `most` bytes and any rotation of smaller buffers.
size_t bench_data_bytes(const bench_run *run, size_t most);

#endif
