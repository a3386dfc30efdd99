// SPDX-License-Identifier: MIT
// The workers of a search, and how work moves between them. Internal to flowshop/tree/search.c.
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
    flowshop_worker_state state;  // guarded by flowshop_workers.lock, as all below
    flowshop_intervals given; // work not begun; while the worker works, only the worker touches it
    double answered_s;        // when this GPU last answered a call
    bool has_given;           // it had something to give then
    bool has_noted;           // its part of the current note is written
    flowshop_intervals rest;  // its note: what is left; below, what is done
    int64_t *children_by_depth;
    int64_t leaves;
    double device_s;          // seconds its kernels ran, set when the worker ends
} flowshop_worker;

typedef struct flowshop_workers {
    flowshop_search search;  // must be the first member: found() converts its address
    flowshop_run *run;
    flowshop_leg *leg;
    const flowshop_checkpoint *base;  // the state at the beginning of the leg
    flowshop_intervals *queue;        // its intervals, and those taken in since
    flowshop_worker *workers;         // [leg->count], GPUs first
    int count, gpu_count;             // that work
    int64_t total_power;
    int64_t batch_nodes;
    int64_t cells;           // size of children_by_depth
    int64_t base_nodes;      // nodes of earlier legs
    pthread_mutex_t lock;    // guards all below, up to found_lock
    pthread_cond_t changed;
    atomic_int wanted;       // number of waiting workers, plus one while a note is taken; read without the lock
    int waiting, waiting_gpus;
    double answered_s;       // when a GPU last answered a call to share
    int missing_notes;
    bool is_noting, is_done;
    int64_t taken;           // intervals of the queue that workers have taken
    int64_t noted_taken;     // `taken` when the note began
    _Atomic int64_t steals;  // a row of the log reads it without the lock, which a note holds while it waits
    bool wants_gift;         // a gift is wanted outside: a worker puts it into `gift`
    flowshop_intervals gift; // on its way out
    mco_status failure;      // error of the first GPU that failed, and its text
    const char *failure_text;
    pthread_mutex_t found_lock;
    int64_t found_makespan;  // guarded by found_lock, as found_order; -1: nothing to record
    int32_t *found_order;
} flowshop_workers;

// Creates the workers of a leg that begins at `state`, with their explorers. None runs yet. The caller destroys `out`
// after an error too. Errors: MEMORY, DEVICE.
mco_status flowshop_workers_create(flowshop_run *run, flowshop_checkpoint *state, flowshop_leg *leg,
                                   flowshop_workers *out);
void flowshop_workers_destroy(flowshop_workers *p);

// Thread `index`: works until nothing is left anywhere or must_stop is set. Then it writes its last note.
void flowshop_workers_work(void *workers, int index);

// With the lock held: calls the GPUs if one of them should stop for a note or for waiting workers, else ends the call.
// Must be repeated when the note or the waiting workers change.
void flowshop_workers_call_locked(flowshop_workers *p);
// With the lock held: waits for a change, for `seconds` at most.
void flowshop_workers_wait_locked(flowshop_workers *p, double seconds);
bool flowshop_workers_must_stop(flowshop_workers *p);

// ---- Exchange with a larger search. The supervisor calls these.

// True if nothing is left and all workers wait.
bool flowshop_workers_are_idle(flowshop_workers *p);
// Adds intervals to the queue and wakes waiting workers for them. Errors: MEMORY.
mco_status flowshop_workers_take(flowshop_workers *p, const flowshop_intervals *work);
// Asks for a gift, or withdraws that. The gift comes from the queue at once, else from a worker soon.
void flowshop_workers_want_gift(flowshop_workers *p, bool is_wanted);
// Prunes by a makespan that is known outside. A schedule that is no shorter is dropped.
void flowshop_workers_lower(flowshop_workers *p, int64_t makespan);

#endif
