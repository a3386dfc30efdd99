// SPDX-License-Identifier: MIT
// The coordinator with a clock, a channel and a file.
#include <sys/random.h>
#include <string.h>

#include "base/clock.h"
#include "flowshop/cluster/cluster.h"
#include "flowshop/cluster/coordinator.h"
#include "flowshop/cluster/writer.h"
#include "flowshop/tree/engines.h"
#include "mco/version.h"

static const double WAIT_S = 0.024;  // for a message: three of the longest naps of MPI
static const double TICK_S = 0.02;   // between two looks at silent workers
static const double FAREWELL_S = 3;  // for the last reports
static const double TELL_ALONE_S = 30;  // without a worker

enum { MOST_TOLD = 10 };  // messages that make no sense
enum { SLICE = 4096 };  // intervals of a snapshot between two looks at the channel: about half a millisecond

uint64_t flowshop_cluster_build(void)
{
    uint64_t hash = 0xcbf29ce484222325u;
    const char *const texts[] = {mco_version(), mco_version_git()};
    for (int i = 0; i < 2; i++)
        for (const char *c = texts[i]; *c != '\0'; c++)
            hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return hash;
}

typedef struct host {
    flowshop_run *run;
    const flowshop_station *station;
    flowshop_coordinator c;
    flowshop_checkpoint *state;
    flowshop_message in;
    flowshop_bytes bytes;
    flowshop_checkpoint note;   // its `open` alone is used
    flowshop_writer writer;     // of checkpoints
    double next_tick_s, next_checkpoint_s;
    double snapshot_s;          // when the last snapshot began
    bool *has_left;             // [ranks + 1] of the station: it has said its last word
    int64_t left;               // so many
    double alone_s, told_s;     // since when there is no worker; when that was told
    bool have_all_left, is_deserted;  // what ended the search: last words of all ranks; no worker for too long
    int64_t ignored;            // messages that make no sense
} host;

static mco_status send_bytes(void *self, uint64_t peer, const flowshop_message *m)
{
    mco_status st = MCO_OK;
    host *h = self;
    MCO_TRY(flowshop_message_encode(h->run->ctx, m, &h->bytes));
    MCO_TRY(h->station->channel.send(h->station->channel.self, peer, h->bytes.data, h->bytes.count));
done:
    return st;
}

// A rank repeats its last word until the search is over. Until then it is told to wait.
static mco_status answer_last_word(host *h, uint64_t peer)
{
    static const uint8_t later = FLOWSHOP_LATER;
    const mco_channel *channel = &h->station->channel;
    if (peer > (uint64_t)h->station->ranks)
        return MCO_OK;
    h->left += !h->has_left[peer];
    h->has_left[peer] = true;
    return channel->send(channel->self, peer, &later, 1);
}

// Takes in all messages that are here; waits for the first for `wait_s` at most.
static mco_status receive(host *h, double wait_s)
{
    mco_status st = MCO_OK;
    enum { MOST = 4096, FEW = 256 };  // then the clock is looked at; FEW while a snapshot is taken, so that it goes on
    const mco_channel *channel = &h->station->channel;
    const uint8_t *data;
    uint64_t peer;
    int64_t size;
    for (int i = 0; i < (h->c.snapshot.is_open ? FEW : MOST); i++) {
        MCO_TRY(channel->receive(channel->self, i == 0 ? wait_s : 0, &peer, &data, &size));
        if (size < 0)
            break;
        if (size == 1) {
            MCO_TRY(answer_last_word(h, peer));
            continue;
        }
        st = flowshop_message_decode(h->run->ctx, data, size, &h->in);
        if (st == MCO_ERR_PARSE) {
            if (++h->ignored <= MOST_TOLD)
                mco_log(h->run->ctx, MCO_LOG_WARNING, "ignored%s: %s", h->ignored == MOST_TOLD ? ", and no more of it" : "",
                        mco_context_error(h->run->ctx));
            st = MCO_OK;
            continue;
        }
        MCO_TRY(st);
        MCO_TRY(flowshop_coordinator_receive(&h->c, mco_clock_s(), peer, &h->in));
    }
done:
    return st;
}

// A schedule of a worker becomes that of the run.
static mco_status adopt(host *h)
{
    const flowshop_checkpoint *s = h->state;
    if (s->makespan < 0 || s->makespan >= h->run->upper_bound)
        return MCO_OK;
    return flowshop_run_improve(h->run, s->makespan, s->order, "tree");
}

// The checkpoint is written or has failed; mco_context_error(ctx) says more. The next one has its time.
static void end_checkpoint(host *h, mco_status st, const mco_context *ctx)
{
    const double now_s = mco_clock_s();
    flowshop_run_tell_checkpoint(h->run, st, ctx);
    if (st == MCO_OK)
        mco_log(h->run->ctx, MCO_LOG_DETAIL, "%9.2f s  checkpoint: %lld intervals open, in %.3f s", mco_run_time_s(&h->run->run),
                (long long)h->c.snapshot.open.count, now_s - h->snapshot_s);
    h->next_checkpoint_s = now_s + h->run->params->checkpoint_interval_s;
}

// One step of a checkpoint: the begin, a slice of the snapshot, its way to the writer, or the end. None of them waits.
static void step_checkpoint(host *h)
{
    mco_status st = MCO_OK;
    flowshop_snapshot *s = &h->c.snapshot;
    if (h->writer.snapshot != NULL) {
        if (flowshop_writer_is_done(&h->writer))
            end_checkpoint(h, h->writer.st, h->writer.own);
        return;
    }
    if (s->is_open) {
        if (flowshop_snapshot_go_on(&h->c, SLICE))
            st = flowshop_writer_start(&h->writer, s);
    } else if (s->has_failed) {
        s->has_failed = false;
        st = mco_fail(h->run->ctx, MCO_ERR_MEMORY, "out of memory for a checkpoint");
    } else if (mco_clock_s() >= h->next_checkpoint_s) {
        h->snapshot_s = mco_clock_s();
        flowshop_run_fill_state(h->run, h->state);
        st = flowshop_snapshot_begin(&h->c);
    }
    if (st != MCO_OK)
        end_checkpoint(h, st, h->run->ctx);
}

// Whether nobody will search any more: where all ranks have left, or are gone. Elsewhere workers may join at any time.
static bool is_over(host *h, double now_s, mco_stop *stop)
{
    const flowshop_station *s = h->station;
    h->have_all_left = s->ranks > 0 && h->left == s->ranks;
    if (h->c.workers > 0 && !h->have_all_left)
        return false;
    if (now_s >= h->told_s + TELL_ALONE_S) {
        mco_log(h->run->ctx, MCO_LOG_INFO, "%9.2f s  no worker for %.0f s: the search waits", mco_run_time_s(&h->run->run), now_s - h->alone_s);
        h->told_s = now_s;
    }
    h->is_deserted = s->ranks > 0 && now_s >= h->alone_s + s->alone_s;
    if (h->have_all_left || h->is_deserted)
        *stop = MCO_STOP_CANCELLED;
    return h->have_all_left || h->is_deserted;
}

static mco_status serve(host *h, mco_stop *stop)
{
    mco_status st = MCO_OK;
    int64_t workers = 0;
    while (!h->c.is_done) {
        MCO_TRY(receive(h, h->c.snapshot.is_open ? 0 : WAIT_S));
        MCO_TRY(adopt(h));
        const double now_s = mco_clock_s();
        if (now_s >= h->next_tick_s) {
            MCO_TRY(flowshop_coordinator_tick(&h->c, now_s));
            h->next_tick_s = mco_clock_s() + TICK_S;
        }
        step_checkpoint(h);
        if (h->c.workers != workers)
            mco_log(h->run->ctx, MCO_LOG_INFO, "%9.2f s  %lld worker%s", mco_run_time_s(&h->run->run),
                    (long long)h->c.workers, mco_plural((int)h->c.workers));
        // The time alone begins when workers are lost: a process that was stopped itself cannot tell how long others were silent.
        if (workers > 0 || h->c.workers > 0)
            h->alone_s = h->told_s = now_s;
        workers = h->c.workers;
        if (flowshop_run_must_stop(h->run, flowshop_search_nodes(h->state), stop) || (!h->c.is_done && is_over(h, now_s, stop)))
            break;
    }
done:
    return st;
}

// Ends the search for all. The last reports of those at work count.
static mco_status say_farewell(host *h)
{
    mco_status st = MCO_OK;
    const double end_s = mco_clock_s() + FAREWELL_S;
    MCO_TRY(flowshop_coordinator_stop(&h->c));
    while (h->c.workers > 0 && mco_clock_s() < end_s)
        MCO_TRY(receive(h, WAIT_S));
    MCO_TRY(adopt(h));
done:
    return st;
}

static mco_status begin(host *h)
{
    mco_status st = MCO_OK;
    flowshop_run *run = h->run;
    const double now_s = mco_clock_s();
    h->next_tick_s = h->alone_s = h->told_s = now_s;
    h->next_checkpoint_s = run->params->checkpoint != NULL ? now_s + run->params->checkpoint_interval_s : (double)INFINITY;
    h->state->bound = run->bound;
    h->state->branching = run->branching;
    h->state->upper_bound = run->upper_bound;
    h->c = (flowshop_coordinator){.ctx = run->ctx, .shop = run->shop, .build = flowshop_cluster_build(), .to = h,
                                  .silence_s = h->station->silence_s, .send = send_bytes, .state = h->state};
    if (getrandom(&h->c.life, sizeof h->c.life, 0) != sizeof h->c.life)
        MCO_TRY(mco_fail(run->ctx, MCO_ERR_INTERNAL, "no random number"));
    MCO_TRY(mco_alloc(run->ctx, &h->has_left, h->station->ranks + 1));
    flowshop_message_begin(run->shop->jobs, &h->in);
    flowshop_coordinator_begin(&h->c);
    MCO_TRY(flowshop_checkpoint_create(run->ctx, run->shop->jobs, &h->note));
    if (run->params->checkpoint != NULL)
        MCO_TRY(flowshop_writer_create(run->ctx, run->shop, run->params->checkpoint, &h->writer));
done:
    return st;
}

mco_status flowshop_coordinate(flowshop_run *run, flowshop_checkpoint *state, bool *is_proved, mco_stop *stop)
{
    mco_status st = MCO_OK;
    host h = {.run = run, .station = run->station, .state = state};
    flowshop_intervals queue;
    *stop = MCO_STOP_FINISHED;
    MCO_TRY(begin(&h));
    MCO_TRY(serve(&h, stop));
    MCO_TRY(say_farewell(&h));
    if (h.station->crew != NULL)
        *h.station->crew = (flowshop_crew){.workers = h.c.most_workers, .cores = h.c.most_power, .lost = h.c.lost,
                                           .have_all_left = h.have_all_left, .is_deserted = h.is_deserted};
    mco_log(run->ctx, MCO_LOG_INFO, "%lld reports, %lld gifts, %lld workers lost, %lld refused", (long long)h.c.reports,
            (long long)h.c.gifts, (long long)h.c.lost, (long long)h.c.refused);
    // What is left of a search that ended early: the queue and all records.
    MCO_TRY(flowshop_coordinator_rest(&h.c, &h.note.open));
    queue = state->open;
    state->open = h.note.open;
    h.note.open = queue;
    *is_proved = state->open.count == 0;
    flowshop_writer_destroy(&h.writer);  // an earlier file must not replace the last one
    if (run->params->checkpoint != NULL)
        run->result->is_checkpoint_lost = flowshop_run_write_checkpoint(run, state) != MCO_OK;
    flowshop_fill_counters(run, state);
done:
    flowshop_writer_destroy(&h.writer);  // before its snapshot
    flowshop_coordinator_end(&h.c);
    flowshop_message_clear(run->ctx, &h.in);
    flowshop_checkpoint_destroy(run->ctx, &h.note);
    mco_free(run->ctx, &h.bytes.data);
    mco_free(run->ctx, &h.has_left);
    return st;
}

mco_status flowshop_dismiss(mco_context *ctx, const mco_channel *channel, uint64_t first, uint64_t last)
{
    mco_status st = MCO_OK;
    flowshop_bytes bytes = {0};
    const flowshop_message m = {.kind = FLOWSHOP_STOP};  // without a life and an incarnation, as they have none
    MCO_TRY(flowshop_message_encode(ctx, &m, &bytes));
    for (uint64_t peer = first; peer <= last; peer++)
        MCO_TRY(channel->send(channel->self, peer, bytes.data, bytes.count));
done:
    mco_free(ctx, &bytes.data);
    return st;
}
