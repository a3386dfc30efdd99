// SPDX-License-Identifier: MIT
// What the files of the scanner of pairs on a GPU share: its state, and the steps of a scan in the order of their calls.
#ifndef MCO_TRAFFIC_GPU_PAIRS_SCANNER_H
#define MCO_TRAFFIC_GPU_PAIRS_SCANNER_H

#include "base/team.h"
#include "traffic/gpu_pairs/gpu.h"

typedef struct gpu_scanner {
    mco_context *ctx;
    const traffic_problem *problem;
    pairs_store *store;
    mco_run *run;
    bool is_stopped;
    mco_device device;
    traffic_gpu_plan plan;
    traffic_gpu_tuning tuning;
    traffic_gpu_stats own, *stats;  // the caller's, or the own ones
    int32_t places;
    int32_t *live, live_count;   // [places] those with a row
    // Device memory that the host writes.
    double *d_cost;
    int32_t *d_place, *d_batch, *d_link;
    double *d_change;
    // Pinned.
    double *h_cost;              // [tables * links]
    int32_t *h_place;            // [places]
    int32_t *h_batch, *h_link;   // [stage]
    double *h_change;            // [stage][8]
    void *h_parent;              // as plan.d_parent
    traffic_place_sum *h_sum;    // [places]
    traffic_place_link *h_found; // [room]
    traffic_gpu_control *h_control;
    traffic_candidate *candidate;  // [candidate_room] by place and link
    int64_t candidate_room;
    cudaEvent_t begun, changed, ended, copied;
    mco_team team;               // for work on the host between launches
    int workers;
    // Labels for a proof.
    double *d_label, *h_label;   // [places][nodes], NULL until they are wanted; [label_places][nodes] pinned
    int32_t label_places, label_first;
    traffic_certificate *proof;
    mco_status *status;          // [batches] of a job
    mco_context **worker_ctx;    // [workers]
} gpu_scanner;

typedef struct gpu_tables {
    traffic_star_link *star, *more;
    traffic_into_link *into;
    int32_t *star_link;
    int32_t *place_table, *place_origin;
    int64_t *place_first, *place_end;
    double *place_scale;
} gpu_tables;

// ---- Tables (tables.c)
// Stars of nodes, what leads into them, and places of rows; s->live becomes the places with a row. Errors: MEMORY.
mco_status gpu_make_tables(gpu_scanner *s, gpu_tables *t);
void gpu_tables_clear(mco_context *ctx, gpu_tables *t);
// Links that the stars have no room for.
int32_t gpu_count_more(const traffic_problem *p);
// The most links into a node.
int32_t gpu_most_into(const traffic_problem *p);

// ---- Plan and memory (memory.c)
// Sizes of all that the device holds. Errors: LIMIT (bytes needed and free), DEVICE.
mco_status gpu_plan(gpu_scanner *s);
// Takes device memory and enqueues copies of the tables, which must stay until the next wait. Errors: MEMORY, DEVICE.
mco_status gpu_place_problem(gpu_scanner *s, const gpu_tables *t);
mco_status gpu_take_memory(gpu_scanner *s);
// Enqueues a copy to the device. Errors: DEVICE.
mco_status gpu_send_bytes(gpu_scanner *s, void *d_to, const void *from, int64_t count, size_t item);
#define GPU_SEND(s, d_to, from, count) gpu_send_bytes(s, d_to, from, count, sizeof *(from))
#define GPU_TAKE(s, out, count) mco_device_take(&(s)->device, MCO_MEMORY_DEVICE, out, (count) + 1)
#define GPU_TAKE_PINNED(s, out, count) mco_device_take(&(s)->device, MCO_MEMORY_PINNED, out, (count) + 1)

// ---- Launches (passes.c)
// Waits for all work on the stream. Errors: DEVICE. A request to stop sets s->is_stopped.
mco_status gpu_wait_for(gpu_scanner *s, cudaEvent_t event);
// Sends what the balance has changed since the last call. The last part is still on its way: the stage is free after the next wait.
mco_status gpu_send_changes(gpu_scanner *s);
mco_status gpu_send_costs(gpu_scanner *s, const double *cost);
// Launches a scan or a load over `count` places of h_place, and waits for sums and control. Errors: STOPPED, DEVICE, INTERNAL.
mco_status gpu_run_trees(gpu_scanner *s, cudaError_t (*launch)(const traffic_gpu_plan *plan, cudaStream_t stream), int32_t count,
                         double *device_s);
// Loads the trips of all rows without flow at costs [tables * links] into the store: traffic_scanner.load.
mco_status gpu_load(void *self, const double *cost);

#endif
