// SPDX-License-Identifier: MIT
// A worker: the search of one process, which exchanges with a coordinator (flowshop/tree/exchange.h).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "flowshop/cluster/cluster.h"
#include "flowshop/cluster/member.h"
#include "flowshop/tree/engines.h"

typedef struct station {
    mco_context *ctx;
    const flowshop_work_order *order;
    const mco_channel *channel;
    flowshop_member member;
    flowshop_message in;
    flowshop_bytes bytes;
    mco_flowshop *shop;        // of the coordinator
    flowshop_run run;
    mco_flowshop_result result;
    double welcome_s, looked_s;
    flowshop_work_done *done;
} station;

static mco_status send_bytes(void *self, const flowshop_message *m)
{
    mco_status st = MCO_OK;
    station *s = self;
    MCO_TRY(flowshop_message_encode(s->ctx, m, &s->bytes));
    MCO_TRY(s->channel->send(s->channel->self, 0, s->bytes.data, s->bytes.count));
done:
    return st;
}

// Takes in all messages that are here; waits for the first for `wait_s` at most.
static mco_status receive(station *s, double wait_s)
{
    mco_status st = MCO_OK;
    for (bool is_first = true;; is_first = false) {
        const uint8_t *data;
        uint64_t peer;
        int64_t size;
        MCO_TRY(s->channel->receive(s->channel->self, is_first ? wait_s : 0, &peer, &data, &size));
        if (size < 0)
            break;
        // Before the first welcome no other message has intervals for us.
        s->in.open.jobs = s->member.welcome.open.jobs;
        if (s->in.open.jobs == 0)
            flowshop_intervals_clear(s->ctx, &s->in.open);
        st = flowshop_message_decode(s->ctx, data, size, &s->in);
        if (st == MCO_ERR_PARSE) {
            mco_log(s->ctx, MCO_LOG_WARNING, "ignored: %s", mco_context_error(s->ctx));
            st = MCO_OK;
            continue;
        }
        MCO_TRY(st);
        MCO_TRY(flowshop_member_receive(&s->member, mco_clock_s(), &s->in));
    }
    st = flowshop_member_tick(&s->member, mco_clock_s());
done:
    return st;
}

// Fails if the worker was refused, or if no coordinator has answered for too long.
static mco_status test_membership(station *s)
{
    const flowshop_member *m = &s->member;
    const double patience_s = s->shop != NULL && s->order->return_s > 0 ? s->order->return_s : s->order->patience_s;
    if (m->state == FLOWSHOP_REFUSED)
        return mco_fail(s->ctx, MCO_ERR_CHECK, "refused: %s", m->text);
    if (m->state == FLOWSHOP_JOINING && mco_clock_s() > m->heard_s + patience_s)
        return mco_fail(s->ctx, MCO_ERR_IO, "no coordinator has answered for %g s: none is there, or it has another key",
                        patience_s);
    return MCO_OK;
}

// ---- The port of the search

// The search ends with an error when what it has counts no more. Nothing of it is used then.
static mco_status look(void *self, bool is_idle, flowshop_wish *wish)
{
    mco_status st = MCO_OK;
    station *s = self;
    const double now_s = mco_clock_s();
    s->done->idle_s += is_idle ? now_s - s->looked_s : 0;
    s->looked_s = now_s;
    MCO_TRY(receive(s, 0));
    MCO_TRY(test_membership(s));
    if (s->member.state == FLOWSHOP_VOID || (s->member.state == FLOWSHOP_OVER && !is_idle))
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_IO, "what this worker searches counts no more"));
    flowshop_member_wish(&s->member, now_s, is_idle, wish);
done:
    return st;
}

static mco_status found(void *self, int64_t makespan, const int32_t *order)
{
    return flowshop_member_found(&((station *)self)->member, makespan, order);
}

static mco_status report(void *self, const flowshop_checkpoint *note)
{
    return flowshop_member_report(&((station *)self)->member, mco_clock_s(), note);
}

static mco_status give(void *self, flowshop_intervals *given)
{
    return flowshop_member_give(&((station *)self)->member, given);
}

// ---- The search

// Makes the instance of the coordinator, and a run for it.
static mco_status prepare(station *s)
{
    mco_status st = MCO_OK;
    const flowshop_message *m = &s->member.welcome;
    const mco_flowshop_params *p = &s->order->params;
    mco_flowshop_result *r = &s->result;
    int32_t *times = NULL;
    MCO_TRY(mco_alloc(s->ctx, &times, m->count));
    for (int64_t i = 0; i < m->count; i++)
        times[i] = (int32_t)m->values[i];
    MCO_TRY(mco_flowshop_create(s->ctx, m->open.jobs, m->machines, times, &s->shop));
    s->shop->scale = m->scale;
    s->shop->places = m->places;
    memcpy(s->shop->name, m->name, sizeof s->shop->name);
    s->run.shop = s->shop;
    s->run.bound = (mco_flowshop_bound)m->bound;
    s->run.branching = (mco_flowshop_branching)m->branching;
    s->run.variant = flowshop_variant_choose(s->ctx, p->simd, s->shop);
    if (s->run.variant == NULL)
        MCO_TRY(MCO_ERR_ARGUMENT);
    r->makespan = -1;
    r->children_columns = flowshop_children_columns(m->open.jobs);
    MCO_TRY(mco_alloc(s->ctx, &r->children_by_depth, s->member.cells));
    if (p->engine != MCO_ENGINE_CPU)
        MCO_TRY(flowshop_refuse_gpu(&s->run));
    s->welcome_s = s->looked_s = mco_clock_s();
    mco_log(s->ctx, MCO_LOG_INFO, "welcome: %s, %d jobs, %d machines, upper bound %lld; %d thread%s, %d GPU%s", s->shop->name,
            s->shop->jobs, s->shop->machines, (long long)m->makespan, s->run.threads, mco_plural(s->run.threads), s->run.gpu_count,
            mco_plural(s->run.gpu_count));
done:
    mco_free(s->ctx, &times);
    return st;
}

// One incarnation: a search that begins with nothing. *is_over: the worker has done its part.
static mco_status live(station *s, bool *is_over)
{
    mco_status st = MCO_OK;
    const flowshop_exchange exchange = {s, look, found, report, give};
    flowshop_checkpoint state = {0};
    mco_stop stop = MCO_STOP_FINISHED;
    bool is_proved;
    MCO_TRY(flowshop_checkpoint_create(s->ctx, s->shop->jobs, &state));
    state.is_slice = state.is_fixed = true;  // this part of the tree proves no bound
    state.rule_bound = s->member.welcome.rule_bound;
    s->run.fixed_bound = s->run.upper_bound = s->member.incumbent;
    st = flowshop_search_tree_with(&s->run, &exchange, &state, &is_proved, &stop);
    s->done->nodes += flowshop_search_nodes(&state);
    if (s->member.state == FLOWSHOP_VOID) {
        mco_log(s->ctx, MCO_LOG_WARNING, "this worker was given up, or its coordinator is silent: it joins again");
        flowshop_member_rejoin(&s->member, mco_clock_s());
        st = MCO_OK;
        goto done;
    }
    *is_over = true;
    if (s->member.state == FLOWSHOP_OVER) {
        st = MCO_OK;
        goto done;
    }
    // After a failure the coordinator gives what this worker had to others.
    s->done->has_left = true;
    const mco_status left = flowshop_member_leave(&s->member, mco_clock_s(), st == MCO_OK ? &state : NULL);
    st = st == MCO_OK ? left : st;
done:
    flowshop_checkpoint_destroy(s->ctx, &state);
    return st;
}

// Cores, GPUs, or both. Without a word about it the worker takes all GPUs that it may use, else the cores.
static mco_status settle(station *s, mco_flowshop_params *p)
{
    mco_status st = MCO_OK;
    flowshop_run *run = &s->run;
    const char *reason = NULL;
    run->threads = mco_settle_threads(p->threads);
    if (p->engine == MCO_ENGINE_CPU)
        return MCO_OK;
    MCO_TRY(mco_alloc(s->ctx, &run->gpus, MCO_MAX_GPUS));
    if (p->engine == MCO_ENGINE_AUTO && p->gpus == NULL) {
        MCO_TRY(mco_gpus_list(s->ctx, run->gpus, &run->gpu_count, &reason));
        p->engine = reason == NULL ? MCO_ENGINE_GPU : MCO_ENGINE_CPU;
    } else {
        MCO_TRY(mco_gpus_choose(s->ctx, p->gpus != NULL ? p->gpus : "all", run->gpus, &run->gpu_count));
        p->engine = p->engine == MCO_ENGINE_AUTO ? MCO_ENGINE_GPU : p->engine;
    }
done:
    return st;
}

mco_status flowshop_work(mco_context *ctx, const flowshop_work_order *asked, const mco_channel *channel,
                         flowshop_work_done *out)
{
    mco_status st = MCO_OK;
    static const double WAIT_S = 0.05;
    flowshop_work_order order = *asked;
    station s = {.ctx = ctx, .order = &order, .channel = channel, .done = out};
    bool is_over = false;
    *out = (flowshop_work_done){0};
    s.run = (flowshop_run){.ctx = ctx, .params = &order.params, .result = &s.result};
    s.result = (mco_flowshop_result)MCO_FLOWSHOP_RESULT_INIT;
    s.run.run = mco_run_begin(ctx, &(mco_run_settings){.time_limit_s = (double)INFINITY, .target = -1, .objective = "makespan"});
    MCO_TRY(settle(&s, &order.params));
    s.member = (flowshop_member){.ctx = ctx, .build = flowshop_cluster_build(), .period_s = order.period_s,
                                 .instance = order.shop != NULL ? flowshop_fingerprint(order.shop) : 0,
                                 .power = s.run.gpu_count > 0 ? FLOWSHOP_GPU_CORES * s.run.gpu_count : s.run.threads,
                                 .silence_s = order.silence_s, .to = &s, .send = send_bytes};
    flowshop_member_begin(&s.member, mco_clock_s());
    MCO_TRY(flowshop_member_tick(&s.member, mco_clock_s()));  // the first hello, before the first wait
    while (!is_over && s.member.state != FLOWSHOP_OVER) {
        if (mco_is_cancelled(ctx))
            break;
        if (s.shop != NULL && s.member.state != FLOWSHOP_JOINING) {
            MCO_TRY(live(&s, &is_over));
            continue;
        }
        MCO_TRY(receive(&s, WAIT_S));
        MCO_TRY(test_membership(&s));
        if (s.member.state == FLOWSHOP_VOID)
            flowshop_member_rejoin(&s.member, mco_clock_s());
        if (s.shop == NULL && s.member.welcome.count > 0)
            MCO_TRY(prepare(&s));
    }
    out->rejoins = s.member.rejoins;
    out->work_s = s.shop != NULL ? mco_clock_s() - s.welcome_s : 0;
done:
    (void)flowshop_member_leave(&s.member, mco_clock_s(), NULL);  // if it is still in: it was told to end, or has failed, between two searches
    mco_run_clear(&s.run.run);
    mco_free(ctx, &s.run.gpus);
    mco_clear_cancel(ctx);
    mco_flowshop_result_clear(ctx, &s.result);
    mco_flowshop_destroy(ctx, &s.shop);
    flowshop_member_end(&s.member);
    flowshop_message_clear(ctx, &s.in);
    mco_free(ctx, &s.bytes.data);
    return st;
}
