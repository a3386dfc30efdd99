// SPDX-License-Identifier: MIT
// What the benchmarks of the cluster make up: a coordinator that has work for every worker, and their messages.
#ifndef MCO_BENCH_CLUSTER_MADE_H
#define MCO_BENCH_CLUSTER_MADE_H

#include "flowshop/cluster/coordinator.h"
#include "mco/mco.h"

enum { MADE_BUILD = 1, MADE_LIFE = 1 };

typedef struct made {
    mco_context *ctx;
    mco_flowshop *shop;         // ta056
    flowshop_checkpoint state;
    flowshop_coordinator coordinator;
} made;

// The caller sets out->coordinator's `to` and `send` afterwards. Errors: MEMORY.
mco_status made_begin(mco_context *ctx, made *out);
// Puts one piece of work in the queue if it is empty. Before each hello: so the new worker has work, and nobody waits.
mco_status made_refill(made *m);
void made_end(made *m);
// A message of a worker of ta056. *out is empty before. Errors: MEMORY.
void made_hello(flowshop_message *out);
// A report that leaves `intervals` and changes 60 counters.
mco_status made_report(mco_context *ctx, int64_t intervals, flowshop_message *out);

#endif
