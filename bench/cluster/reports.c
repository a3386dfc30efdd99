// SPDX-License-Identifier: MIT
// How many reports a second the coordinator of a flow shop search takes in, with decoding and commit, without a channel.
// Usage: bench_cluster_reports WORKERS INTERVALS REPORTS. Each report leaves so many intervals and changes 60 counters.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "flowshop/cluster/coordinator.h"
#include "mco/mco.h"

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

static mco_status make_report(mco_context *ctx, int64_t intervals, flowshop_message *m)
{
    enum { CHANGES = 60 };
    mco_status st = MCO_OK;
    const int32_t n = m->open.jobs;
    MCO_TRY(flowshop_message_reserve(ctx, m, 2 * CHANGES));
    for (m->count = 0; m->count < 2 * CHANGES; m->count += 2) {
        m->values[m->count] = n + 3 * m->count;
        m->values[m->count + 1] = 1000 + m->count;
    }
    MCO_TRY(flowshop_intervals_reserve(ctx, &m->open, intervals));
    for (m->open.count = 0; m->open.count < intervals;) {
        flowshop_interval *v = flowshop_intervals_push(&m->open);
        v->a_depth = v->b_depth = n / 2;
        for (int32_t d = 0; d < n / 2; d++)
            v->a[d] = v->b[d] = d % 5;
        v->b[3]++;
        v->bound = 2000;
    }
done:
    return st;
}

int main(int argc, char **argv)
{
    mco_context *ctx = NULL;
    mco_flowshop *shop = NULL;
    flowshop_checkpoint state = {0};
    flowshop_interval whole = {0};
    flowshop_message hello, report, in;
    flowshop_bytes bytes = {0};
    mco_status st = mco_context_create(&ctx, NULL);
    if (argc != 4 || st != MCO_OK)
        return fprintf(stderr, "usage: bench_cluster_reports WORKERS INTERVALS REPORTS\n"), 2;
    const int64_t workers = atoll(argv[1]), intervals = atoll(argv[2]), reports = atoll(argv[3]);
    uint64_t *incarnations = NULL;
    MCO_TRY(mco_alloc(ctx, &incarnations, workers));
    MCO_TRY(mco_flowshop_taillard(ctx, "ta056", &shop));
    const int32_t n = mco_flowshop_jobs(shop);
    MCO_TRY(flowshop_checkpoint_create(ctx, n, &state));
    MCO_TRY(flowshop_interval_create(ctx, n, &whole));
    for (int64_t i = 0; i < workers; i++)  // one piece of work for each
        MCO_TRY(flowshop_intervals_add(ctx, &state.open, &whole));
    flowshop_coordinator c = {.ctx = ctx, .shop = shop, .life = 1, .build = 1, .silence_s = 1e9, .send = listen, .state = &state};
    flowshop_coordinator_begin(&c);
    flowshop_message_begin(n, &hello);
    flowshop_message_begin(n, &report);
    flowshop_message_begin(n, &in);
    hello = (flowshop_message){.kind = FLOWSHOP_HELLO, .build = 1, .power = 1, .open.jobs = n};
    for (int64_t i = 0; i < workers; i++) {
        MCO_TRY(flowshop_coordinator_receive(&c, 0, (uint64_t)i + 1, &hello));
        incarnations[slot] = incarnation;
    }
    MCO_TRY(make_report(ctx, intervals, &report));
    report.kind = FLOWSHOP_REPORT;
    report.life = 1;
    double spent_s = 0;
    for (int64_t k = 0; k < reports; k++) {
        report.slot = k % workers;
        report.incarnation = incarnations[report.slot];
        report.number = k / workers + 1;
        MCO_TRY(flowshop_message_encode(ctx, &report, &bytes));
        const double begin_s = mco_cpu_clock_s();
        MCO_TRY(flowshop_message_decode(ctx, bytes.data, bytes.count, &in));
        MCO_TRY(flowshop_coordinator_receive(&c, 1, (uint64_t)report.slot + 1, &in));
        spent_s += mco_cpu_clock_s() - begin_s;
    }
    printf("%lld workers, %lld intervals and %lld bytes a report: %lld committed, %.0f a CPU second\n", (long long)workers,
           (long long)intervals, (long long)bytes.count, (long long)c.reports, (double)reports / spent_s);
done:
    if (st != MCO_OK)
        fprintf(stderr, "%s\n", mco_context_error(ctx));
    return st != MCO_OK;
}
