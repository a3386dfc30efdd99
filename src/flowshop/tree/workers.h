// SPDX-License-Identifier: MIT
// Workers of a search and how work moves between them: the inside of flowshop/tree/search.c.
#ifndef MCO_FLOWSHOP_TREE_WORKERS_H
#define MCO_FLOWSHOP_TREE_WORKERS_H

#include <pthread.h>

#include "flowshop/tree/search.h"

typedef enum flowshop_worker_state { FLOWSHOP_WORKING, FLOWSHOP_WAITING, FLOWSHOP_GIVEN } flowshop_worker_state;

typedef struct flowshop_worker {
    const flowshop_explorer_ops *ops;
    flowshop_explorer *x;
    bool is_gpu;
    int power;                // in cores
    flowshop_worker_state state;  // guarded by the lock of all, as all below
    flowshop_intervals given; // work not begun; only the worker itself touches it while it works
    double answered_s;        // when this GPU was last called
    bool has_given;           // and whether it had something to give
    bool has_noted;           // for the note being taken
    flowshop_intervals rest;  // the note: what is left, and what is done
    int64_t *children_by_depth;
    int64_t leaves;
    double device_s;          // at the end
} flowshop_worker;

typedef struct flowshop_workers {
    flowshop_search search;  // first: found() receives its address
    flowshop_run *run;
    flowshop_leg *leg;
    const flowshop_checkpoint *base;  // where the leg begins
    flowshop_worker *workers;         // [count], GPUs first
    int count, gpu_count;
    int64_t total_power;
    int64_t batch_nodes;
    int64_t cells;           // of children_by_depth
    int64_t base_nodes;      // of earlier legs
    pthread_mutex_t lock;    // guards all below
    pthread_cond_t changed;
    atomic_int wanted;       // workers that wait, plus one while a note is taken; read without the lock
    int waiting, waiting_gpus;
    double answered_s;       // when a GPU was last called to share
    int missing_notes;
    bool is_noting, is_done;
    int64_t taken;           // of base->open, by workers
    int64_t noted_taken;     // the same when the note began
    int64_t steals;
    mco_status failure;      // of the first GPU that failed, and its text
    const char *failure_text;
    pthread_mutex_t found_lock;
    int64_t found_makespan;  // guarded by found_lock; -1 once recorded
    int32_t *found_order;
} flowshop_workers;

// The workers of a leg that begins at `state`, with their explorers; none runs yet. Errors: MEMORY, DEVICE.
// Destroyed in either case.
mco_status flowshop_workers_create(flowshop_run *run, const flowshop_checkpoint *state, flowshop_leg *leg,
                                   flowshop_workers *out);
void flowshop_workers_destroy(flowshop_workers *p);

// Thread `index`: works until nothing is left anywhere or must_stop. At its end its note is written.
void flowshop_workers_work(void *workers, int index);

// With the lock held: calls the GPUs if one of them should stop for a note or for those that wait, or calls no
// longer. To be repeated when either changes.
void flowshop_workers_call_locked(flowshop_workers *p);
// With the lock held: waits for a change, at most that long.
void flowshop_workers_wait_locked(flowshop_workers *p, double seconds);
bool flowshop_workers_must_stop(flowshop_workers *p);

#endif
