// SPDX-License-Identifier: MIT
// Passes over the flows of all rows on all threads: sums of links, and the balance of every row.
#include <string.h>

#include "traffic/pairs/balance.h"

// Runs the items on the scanner's threads, if it is open and has some.
static void run_items(const pairs_balance *b, int64_t items, mco_team_item *work, void *shared)
{
    if (b->scanner->each != NULL && b->scanner->self != NULL && items > 1) {
        b->scanner->each(b->scanner->self, items, work, shared);
        return;
    }
    for (int64_t i = 0; i < items; i++)
        work(shared, 0, i);
}

static int workers(const pairs_balance *b)
{
    return b->scanner->each != NULL && b->scanner->self != NULL && b->scanner->workers > 1 ? b->scanner->workers : 1;
}

// ---- Sums

typedef struct adding {
    const pairs_balance *balance;
    int32_t first, step, ranges;
    double *flow, *class_flow;
} adding;

static void add_range(void *shared, int worker, int64_t item)
{
    const adding *a = shared;
    const int64_t links = a->balance->problem->links;
    const pairs_range range = {(int32_t)(links * item / a->ranges), (int32_t)(links * (item + 1) / a->ranges), a->first, a->step};
    (void)worker;
    pairs_store_add(a->balance->store, &range, a->flow, a->class_flow);
}

void pairs_add_flows(const pairs_balance *b, int32_t first, int32_t step, double *flow, double *class_flow)
{
    enum { MOST_RANGES = 8 };  // each reads the links of all slots
    const int count = workers(b);
    adding a = {b, first, step, count < MOST_RANGES ? count : MOST_RANGES, flow, class_flow};
    run_items(b, a.ranges, add_range, &a);
}

// ---- The balance of rows

typedef struct proving {
    const pairs_balance *balance;
    const traffic_certificate *proof;
    traffic_balance *own;  // [workers]
} proving;

static void prove_batch(void *shared, int worker, int64_t item)
{
    const proving *p = shared;
    const pairs_batch *batch = &p->balance->store->batch[item];
    traffic_balance_flows8(p->proof, &p->own[worker], batch->row, batch->slots, batch->link, batch->flow);
}

mco_status pairs_prove_balance(const pairs_balance *b, traffic_certificate *proof)
{
    mco_status st = MCO_OK;
    const int count = workers(b);
    proving p = {.balance = b, .proof = proof};
    MCO_TRY(mco_alloc(b->ctx, &p.own, count));
    for (int k = 0; k < count; k++)
        MCO_TRY(traffic_balance_open(b->ctx, proof, &p.own[k]));
    run_items(b, b->store->batches, prove_batch, &p);
    for (int k = 0; k < count; k++)
        traffic_certificate_take_balance(b->ctx, proof, &p.own[k]);
done:
    for (int k = 0; p.own != NULL && k < count; k++) {
        mco_free(b->ctx, &p.own[k].net);
        mco_free(b->ctx, &p.own[k].sum);
    }
    mco_free(b->ctx, &p.own);
    return st;
}
