// SPDX-License-Identifier: MIT
// How many reports a second the coordinator of a flow shop search takes in, with decoding and commit, without a channel.
// Usage: bench_cluster_reports WORKERS INTERVALS REPORTS. Each report leaves so many intervals and changes 60 counters.
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "made.h"

static uint64_t incarnation;  // of the last welcome
static int64_t slot;

static mco_status listen(void *to, uint64_t peer, const flowshop_message *m)
{
    (void)to, (void)peer;
    if (m->kind == FLOWSHOP_WELCOME) {
        incarnation = m->incarnation;
        slot = m->slot;
    }
    return MCO_OK;
}

int main(int argc, char **argv)
{
    mco_context *ctx = NULL;
    made m = {0};
    flowshop_message hello, report, in;
    flowshop_bytes bytes = {0};
    mco_status st = mco_context_create(&ctx, NULL);
    if (argc != 4 || st != MCO_OK)
        return fprintf(stderr, "usage: bench_cluster_reports WORKERS INTERVALS REPORTS\n"), 2;
    const int64_t workers = atoll(argv[1]), intervals = atoll(argv[2]), reports = atoll(argv[3]);
    uint64_t *incarnations = NULL;
    MCO_TRY(mco_alloc(ctx, &incarnations, workers));
    MCO_TRY(made_begin(ctx, &m));
    flowshop_coordinator *const c = &m.coordinator;
    c->send = listen;
    made_hello(&hello);
    flowshop_message_begin(hello.open.jobs, &in);
    for (int64_t i = 0; i < workers; i++) {
        MCO_TRY(made_refill(&m));
        MCO_TRY(flowshop_coordinator_receive(c, 0, (uint64_t)i + 1, &hello));
        incarnations[slot] = incarnation;
    }
    MCO_TRY(made_report(ctx, intervals, &report));
    double spent_s = 0;
    for (int64_t k = 0; k < reports; k++) {
        report.slot = k % workers;
        report.incarnation = incarnations[report.slot];
        report.number = k / workers + 1;
        MCO_TRY(flowshop_message_encode(ctx, &report, &bytes));
        const double begin_s = mco_cpu_clock_s();
        MCO_TRY(flowshop_message_decode(ctx, bytes.data, bytes.count, &in));
        MCO_TRY(flowshop_coordinator_receive(c, 1, (uint64_t)report.slot + 1, &in));
        spent_s += mco_cpu_clock_s() - begin_s;
    }
    printf("%lld workers, %lld intervals and %lld bytes a report: %lld committed, %.0f a CPU second\n", (long long)workers,
           (long long)intervals, (long long)bytes.count, (long long)c->reports, (double)reports / spent_s);
done:
    if (st != MCO_OK)
        fprintf(stderr, "%s\n", mco_context_error(ctx));
    return st != MCO_OK;
}
