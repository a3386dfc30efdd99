// SPDX-License-Identifier: MIT
// A search over many processes: one coordinates, the others search. Both sides of the protocol with a clock, a channel
// and a real search.
#ifndef MCO_FLOWSHOP_CLUSTER_CLUSTER_H
#define MCO_FLOWSHOP_CLUSTER_CLUSTER_H

#include "cluster/channel.h"
#include "flowshop/run.h"
#include "flowshop/tree/checkpoint.h"

// The workers of a search, those that were there at one time: the most of them.
typedef struct flowshop_crew {
    int64_t workers, cores;  // they are worth; a GPU counts for FLOWSHOP_GPU_CORES
    int64_t lost;            // how often one was given up
    bool have_all_left;      // the search ended because all ranks had said their last word
    bool is_deserted;        // it ended because no rank had searched for `alone_s`
} flowshop_crew;

enum { FLOWSHOP_GPU_CORES = 200 };
enum { FLOWSHOP_LATER = 3 };  // answers the last word of a rank during a search: its end comes later

// How a run reaches its workers.
typedef struct flowshop_station {
    mco_channel channel;
    double silence_s;  // a worker that is silent for so long is given up
    flowshop_crew *crew;  // borrowed; becomes the crew of the search; NULL: nobody asks
    int64_t ranks;     // peers 1 to `ranks` are all that can ever join, each says its last word, of one byte; 0: any may join
    double alone_s;    // with ranks: the search ends if there was no worker for so long
} flowshop_station;

// As mco_flowshop_solve(), but workers search the tree; this process coordinates and computes the first schedule alone.
mco_status flowshop_solve_at(mco_context *ctx, const mco_flowshop *shop, const mco_flowshop_params *params,
                             const flowshop_station *station, mco_flowshop_result *result);
// The part of it after the first schedule. As flowshop_search_tree().
mco_status flowshop_coordinate(flowshop_run *run, flowshop_checkpoint *state, bool *is_proved, mco_stop *stop);

// What a worker is asked for, and what it did.
typedef struct flowshop_work_order {
    mco_flowshop_params params;   // engine, threads, gpus, simd; the rest comes from the coordinator
    const mco_flowshop *shop;     // refuse any other instance; NULL: take what comes
    double period_s;              // between two reports
    double silence_s;             // a coordinator that is silent for so long is lost, and the worker joins again
    double patience_s;            // the worker ends if no coordinator answers for so long
    double return_s;              // the same once it has been welcome; 0: no other time
} flowshop_work_order;
typedef struct flowshop_work_done {
    int64_t nodes, rejoins;       // nodes decomposed here, also those that were dropped later
    double idle_s, work_s;        // without anything to search; in all since it was welcome
    bool has_left;                // it was told to end before the search was over
} flowshop_work_done;

// Works until the search is over or ctx is cancelled; then it reports and leaves. Errors: CHECK (refused; the message has the
// reason), IO (no coordinator), MEMORY, DEVICE.
mco_status flowshop_work(mco_context *ctx, const flowshop_work_order *order, const mco_channel *channel,
                         flowshop_work_done *done);

// Ends workers of peers first to last that are still joining: there is nothing to search, or no search at all.
mco_status flowshop_dismiss(mco_context *ctx, const mco_channel *channel, uint64_t first, uint64_t last);

// The build, as HELLO tells it.
uint64_t flowshop_cluster_build(void);

#endif
