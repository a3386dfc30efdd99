// SPDX-License-Identifier: MIT
// The scanner of the method of pairs on one GPU, beyond what scan.h offers: tunings for study, and times.
//
// The host's store has the flows; the device mirrors them as dense rows, [places][links] doubles. Before a scan it is sent the slots that
// the balance has changed. Back come sums, candidates, and the parents of batches that have candidates, a byte for each node of a row.
#ifndef MCO_TRAFFIC_GPU_PAIRS_GPU_H
#define MCO_TRAFFIC_GPU_PAIRS_GPU_H

#include "device/device_cuda.h"
#include "traffic/gpu_pairs/cuda.h"
#include "traffic/pairs/scan.h"

// Zero members take the defaults.
typedef struct traffic_gpu_tuning {
    double delta_links;      // the range of near labels, in mean costs of a link
    int32_t blocks_each;     // of a multiprocessor, at most
    int32_t queue;           // entries of a queue
    int64_t room;            // links that a launch may list
    int64_t stage;           // changed slots that are sent at a time
    bool is_wide;            // labels lie in device memory, whatever the network
    bool has_wide_parents;
} traffic_gpu_tuning;

typedef struct traffic_gpu_stats {
    int32_t blocks, queue;
    bool is_wide;
    int64_t bytes;           // of device memory
    int64_t loads, scans, rounds, searches;  // launches; rounds and searches for near nodes of all trees of the last launch
    int64_t changed, candidates;  // of the last scan
    // Seconds of the last scan: on the device by events, the rest by the clock of the host.
    double trees_s, change_s, upload_s, copy_s, scan_s;
    double open_s, load_s, load_device_s, device_s;  // device_s: of all launches
} traffic_gpu_stats;

// Opens the scanner of one of call->gpus over a store with is_watched set. `tuning` and `stats` may be NULL; stats are
// written until the scanner is closed. Errors: DEVICE, LIMIT (device memory, with the bytes needed and free), MEMORY.
mco_status traffic_gpu_scanner(mco_context *ctx, const traffic_call *call, pairs_store *store, const traffic_gpu_tuning *tuning,
                               traffic_scanner *out, traffic_gpu_stats *stats);

// Bytes of device memory that the scanner takes for a problem.
int64_t traffic_gpu_pairs_bytes(const traffic_problem *problem);

#endif
