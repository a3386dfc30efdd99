// SPDX-License-Identifier: MIT
// Checkpoints of a coordinator while workers talk to it: how long one takes, and how long a worker waits for a reply.
// Usage: bench_cluster_checkpoint WORKERS INTERVALS SECONDS FILE
//
// The true loop of the coordinator (flowshop/cluster/host.c) runs on a channel of this program: WORKERS join, each reports its share of
// INTERVALS of ta056, then so for SECONDS: every worker reports once in 5 s, and a ping comes every millisecond, which the
// coordinator answers. First without checkpoints, then with one after another. A reply is late by the clock from the moment at which its ping was
// due. Other programs on the machine make it late too. So the longest time between two looks at the channel is also told
// in CPU seconds of the loop's thread.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "flowshop/cluster/cluster.h"
#include "flowshop/cluster/message.h"
#include "flowshop/tree/search.h"
#include "mco/mco.h"

static const double PERIOD_S = 5, PING_S = 0.001, INTERVAL_S = 0.5, LATE_S = 0.010;

typedef struct worker {
    uint64_t incarnation;
    int64_t slot, number;
} worker;

typedef struct net {
    mco_context *ctx;
    worker *workers;  // [count]
    int64_t count, share;  // share: intervals of each
    int64_t joined, reported, pings, turn;
    uint64_t life;
    double seconds, begin_s, next_ping_s, next_report_s;
    flowshop_message out, in;
    flowshop_bytes bytes;
    double looked_cpu_s, longest_cpu_s, latest_s, due_s;
    double *lates;  // [room] of the replies
    int64_t late_count, room;
    flowshop_run *run;
} net;

static double thread_cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static mco_status on_send(void *self, uint64_t peer, const uint8_t *data, int64_t size)
{
    mco_status st = MCO_OK;
    net *n = self;
    if (data[1] == FLOWSHOP_PING && n->late_count < n->room) {
        n->lates[n->late_count++] = mco_clock_s() - n->due_s;
    } else if (data[1] == FLOWSHOP_WELCOME) {
        MCO_TRY(flowshop_message_decode(n->ctx, data, size, &n->in));
        n->life = n->in.life;
        n->workers[peer - 1] = (worker){.incarnation = n->in.incarnation, .slot = n->in.slot};
    }
done:
    return st;
}

// Fills n->bytes with a message of a worker.
static mco_status speak(net *n, int64_t w, flowshop_message_kind kind)
{
    flowshop_message *m = &n->out;
    const bool is_report = kind == FLOWSHOP_REPORT;
    m->kind = kind;
    m->life = n->life;
    m->incarnation = n->workers[w].incarnation;
    m->slot = n->workers[w].slot;
    m->number = is_report ? ++n->workers[w].number : 0;
    return flowshop_message_encode(n->ctx, m, &n->bytes);
}

// The next message: all join, all report, then pings and reports at their times. *peer 0: none is due.
static mco_status next_message(net *n, uint64_t *peer)
{
    const double now_s = mco_clock_s();
    int64_t w = n->joined;
    flowshop_message_kind kind = FLOWSHOP_HELLO;
    n->due_s = now_s;
    if (n->joined < n->count) {
        n->joined++;
    } else if (n->reported < n->count) {
        w = n->reported++;
        kind = FLOWSHOP_REPORT;
        n->begin_s = n->next_ping_s = n->next_report_s = now_s;
        n->longest_cpu_s = 0;
        n->run->run.stop_s = now_s + n->seconds;
    } else if (n->next_ping_s <= now_s) {
        n->due_s = n->next_ping_s;
        n->next_ping_s += PING_S;
        w = n->pings++ % n->count;
        kind = FLOWSHOP_PING;
    } else if (n->next_report_s <= now_s) {
        n->next_report_s += PERIOD_S / (double)n->count;
        w = n->turn++ % n->count;
        kind = FLOWSHOP_REPORT;
    } else {
        *peer = 0;
        return MCO_OK;
    }
    *peer = (uint64_t)w + 1;
    return speak(n, w, kind);
}

static mco_status on_receive(void *self, double wait_s, uint64_t *peer, const uint8_t **data, int64_t *size)
{
    mco_status st = MCO_OK;
    net *n = self;
    const double busy_s = thread_cpu_s() - n->looked_cpu_s;
    n->longest_cpu_s = busy_s > n->longest_cpu_s ? busy_s : n->longest_cpu_s;
    MCO_TRY(next_message(n, peer));
    if (*peer == 0 && wait_s > 0) {
        const struct timespec nap = {.tv_nsec = (long)(1e9 * (wait_s < PING_S / 4 ? wait_s : PING_S / 4))};
        nanosleep(&nap, NULL);
        MCO_TRY(next_message(n, peer));
    }
    *data = n->bytes.data;
    *size = *peer != 0 ? n->bytes.count : -1;
    n->looked_cpu_s = thread_cpu_s();
done:
    return st;
}

static void show(mco_log_level level, const char *line, void *user)
{
    (void)level, (void)user;
    if (strstr(line, "checkpoint") != NULL)
        printf("%s\n", line);
}

static int compare(const void *a, const void *b)
{
    return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

// Paths of 20 to 45 digits, as a search leaves them.
static mco_status make_intervals(net *n, int32_t jobs)
{
    enum { SHORTEST = 20, SPREAD = 26 };
    mco_status st = MCO_OK;
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    MCO_TRY(flowshop_intervals_reserve(n->ctx, &n->out.open, n->share));
    while (n->out.open.count < n->share) {
        flowshop_interval *v = flowshop_intervals_push(&n->out.open);
        v->a_depth = v->b_depth = SHORTEST + (int32_t)mco_rng_below(&rng, SPREAD);
        for (int32_t d = 0; d < v->a_depth; d++)
            v->a[d] = v->b[d] = (int32_t)mco_rng_below(&rng, (uint32_t)(jobs - d));
        v->b[3] = jobs - 4;
        v->a[3] = 0;
    }
done:
    return st;
}

static mco_status run_once(mco_context *ctx, const mco_flowshop *shop, int64_t workers, int64_t intervals, double seconds, const char *file)
{
    mco_status st = MCO_OK;
    const int32_t jobs = mco_flowshop_jobs(shop);
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    flowshop_checkpoint state = {0};
    flowshop_interval whole = {0};
    bool is_proved;
    mco_stop stop;
    params.checkpoint = file;
    params.checkpoint_interval_s = INTERVAL_S;
    result.makespan = -1;
    result.children_columns = flowshop_children_columns(jobs);
    net n = {.ctx = ctx, .count = workers, .share = intervals / workers, .seconds = seconds, .room = 10000000};
    flowshop_station station = {.channel = {.self = &n, .send = on_send, .receive = on_receive}, .silence_s = 1e9};
    flowshop_run run = {.ctx = ctx, .shop = shop, .params = &params, .result = &result, .bound = MCO_FLOWSHOP_BOUND_LB1,
                        .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH, .threads = 1, .upper_bound = 3679, .fixed_bound = 3679,
                        .station = &station};
    run.run = mco_run_begin(ctx, &(mco_run_settings){.time_limit_s = (double)INFINITY, .target = -1, .objective = "makespan"});
    n.run = &run;
    MCO_TRY(mco_alloc(ctx, &n.workers, workers));
    MCO_TRY(mco_alloc(ctx, &n.lates, n.room));
    MCO_TRY(mco_alloc(ctx, &result.children_by_depth, ((int64_t)jobs + 1) * result.children_columns));
    MCO_TRY(flowshop_checkpoint_create(ctx, jobs, &state));
    state.rule_bound = 3679;
    state.is_fixed = true;
    MCO_TRY(flowshop_interval_create(ctx, jobs, &whole));
    MCO_TRY(flowshop_intervals_add(ctx, &state.open, &whole));
    flowshop_message_begin(jobs, &n.out);
    flowshop_message_begin(jobs, &n.in);
    n.out.build = flowshop_cluster_build();
    n.out.power = 1;
    MCO_TRY(make_intervals(&n, jobs));
    const double begin_cpu_s = mco_cpu_clock_s(), begin_own_s = thread_cpu_s();
    MCO_TRY(flowshop_coordinate(&run, &state, &is_proved, &stop));
    const double own_s = thread_cpu_s() - begin_own_s, all_s = mco_cpu_clock_s() - begin_cpu_s;
    int64_t later = 0;
    for (int64_t i = 0; i < n.late_count; i++)
        later += n.lates[i] > LATE_S;
    qsort(n.lates, (size_t)n.late_count, sizeof *n.lates, compare);
    if (n.late_count > 0)
        printf("%s: %lld intervals, %lld replies: median %.3f, 99.9 %% within %.3f, latest %.3f ms, %lld later than 10 ms; "
               "longest time between two looks %.3f CPU ms; CPU s: loop %.2f, writer %.2f\n", file != NULL ? "checkpoints" : "no checkpoints", (long long)state.open.count,
               (long long)n.late_count, 1e3 * n.lates[n.late_count / 2], 1e3 * n.lates[n.late_count - 1 - n.late_count / 1000],
               1e3 * n.lates[n.late_count - 1], (long long)later, 1e3 * n.longest_cpu_s, own_s, all_s - own_s);
done:
    flowshop_message_clear(ctx, &n.out);
    flowshop_message_clear(ctx, &n.in);
    mco_free(ctx, &n.bytes.data);
    mco_free(ctx, &n.lates);
    mco_free(ctx, &n.workers);
    flowshop_interval_destroy(ctx, &whole);
    flowshop_checkpoint_destroy(ctx, &state);
    mco_run_clear(&run.run);
    mco_flowshop_result_clear(ctx, &result);
    return st;
}

int main(int argc, char **argv)
{
    mco_status st = MCO_OK;
    mco_context *ctx = NULL;
    mco_flowshop *shop = NULL;
    flowshop_checkpoint read = {0};
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    params.log = show;
    params.log_level = MCO_LOG_DETAIL;
    if (argc != 5 || mco_context_create(&ctx, &params) != MCO_OK)
        return fprintf(stderr, "usage: bench_cluster_checkpoint WORKERS INTERVALS SECONDS FILE\n"), 2;
    const int64_t workers = atoll(argv[1]), intervals = atoll(argv[2]);
    MCO_TRY(mco_flowshop_taillard(ctx, "ta056", &shop));
    for (int k = 0; k < 2; k++)
        MCO_TRY(run_once(ctx, shop, workers, intervals, atof(argv[3]), k == 0 ? NULL : argv[4]));
    MCO_TRY(flowshop_checkpoint_create(ctx, mco_flowshop_jobs(shop), &read));
    const double begin_s = mco_clock_s(), begin_cpu_s = mco_cpu_clock_s();
    MCO_TRY(flowshop_checkpoint_read(ctx, shop, argv[4], &read));
    printf("read again: %lld intervals, %.3f s, %.3f CPU s\n", (long long)read.open.count, mco_clock_s() - begin_s,
           mco_cpu_clock_s() - begin_cpu_s);
done:
    if (st != MCO_OK)
        fprintf(stderr, "%s\n", mco_context_error(ctx));
    flowshop_checkpoint_destroy(ctx, &read);
    mco_flowshop_destroy(ctx, &shop);
    mco_context_destroy(&ctx);
    return st != MCO_OK;
}
