// SPDX-License-Identifier: MIT
// The distributed method without common iterations. Each rank sweeps its own blocks again and again, with the latest duals of the
// others that have reached it, and sends its own to all behind each sweep. It may be LEAD iterations ahead of what it knows of others: nodes
// that sweep on and on without news shorten their steps too early. A rank that is silent for too long is not waited for: its nodes keep
// their last duals. When it comes back, it goes on from the iteration of the others.
//
// Any vector of duals gives a valid bound, whatever the age of its parts (dual.h). The first rank measures the bound of the duals that it
// knows now and then, and alone: one vector, all links. When all ranks that answer have done their iterations, it ends the run and
// tells its best duals.
//
// A rank sends another one duals only while at most WINDOW of its letters are unconfirmed, so a stopped rank gets no pile of them.
// Bertsekas, Tsitsiklis (1989), chapter 7, has such methods with bounded delays.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "cluster/channel.h"
#include "overlay/dual.h"

enum { WINDOW = 2, LEAD = 4, SIGNS_OF_LIFE = 4 };
static const double MEASURE_SHARE = 0.2;   // of the time of the first rank, at most
static const double WAIT_S = 0.01;         // for letters, where there is nothing else to do
static const double PATIENCE_SWEEPS = 16;  // a rank that sweeps does not answer, so silence is that of some sweeps at least

typedef enum letter_kind {
    LETTER_DUALS,    // the duals of the sender's nodes behind it
    LETTER_CONFIRM,  // that duals have come
    LETTER_END,      // of the first rank: the run is over; `ending` and the duals of all nodes are behind it
    LETTER_LEAVE     // the sender has got the end
} letter_kind;

typedef struct letter {
    uint32_t kind, stop;
    int64_t number;     // DUALS: how many the sender has sent to this rank
    int64_t confirmed;  // the last number that the sender has got from this rank
    int64_t iterations, best_iteration;
    overlay_sum least;  // END: the bound of the duals
} letter;

typedef struct peer {
    int64_t sent, confirmed;  // letters to it with duals, and how many of them it has got
    int64_t got, told;        // the last such letter of it, and the last that it knows to have come
    int64_t iterations;       // it has done
    int64_t shown;            // the iteration of the duals that were sent to it last
    double heard_s, wrote_s;  // when something came, and was sent
    bool has_left;
} peer;

typedef struct post {
    overlay_dual *d;
    mco_ranks *ranks;
    mco_channel channel;
    peer *peers;          // [ranks]
    uint8_t *out;         // a letter with duals of all nodes
    double sweep_s;       // the fastest sweep
    double looked_s;      // when this rank last looked for letters
    double measured_s, measure_s;  // when the first rank has measured, and how long that took
    bool has_ended;
} post;

// ---- Letters

static int64_t bytes_of(const post *p, int rank)
{
    return p->d->first[rank + 1] - p->d->first[rank];
}

// Sends p->out, which holds `bytes` behind its head.
static mco_status send_letter(post *p, int to, letter_kind kind, int64_t bytes)
{
    peer *other = &p->peers[to];
    overlay_dual *d = p->d;
    const letter head = {.kind = kind, .stop = d->run->stop, .number = other->sent, .confirmed = other->got, .iterations = d->iterations,
                         .best_iteration = d->best_iteration, .least = d->least};
    other->told = other->got;
    other->wrote_s = mco_clock_s();
    memcpy(p->out, &head, sizeof head);
    return p->channel.send(p->channel.self, (uint64_t)to, p->out, (int64_t)sizeof head + bytes);
}

// New duals, confirmations, or a sign of life where there was neither for a while.
static mco_status send_to_all(post *p)
{
    mco_status st = MCO_OK;
    const int own = p->ranks->rank;
    overlay_pack(p->d, own, p->d->dual, (uint32_t *)(void *)(p->out + sizeof(letter)), false);
    for (int r = 0; r < p->ranks->count; r++) {
        peer *other = &p->peers[r];
        const bool has_duals = bytes_of(p, own) > 0 && p->d->iterations > other->shown && other->sent - other->confirmed < WINDOW;
        const bool is_quiet = mco_clock_s() - other->wrote_s > p->d->p->silence_s / SIGNS_OF_LIFE;
        if (r == own || (!has_duals && !is_quiet && other->told == other->got))
            continue;
        other->sent += has_duals;
        other->shown = has_duals ? p->d->iterations : other->shown;
        MCO_TRY(send_letter(p, r, has_duals ? LETTER_DUALS : LETTER_CONFIRM, has_duals ? bytes_of(p, own) : 0));
    }
done:
    return st;
}

// Takes over what the first rank has found.
static void take_end(post *p, const letter *head, const uint8_t *duals)
{
    overlay_dual *d = p->d;
    memcpy(d->best, duals, (size_t)d->o->nodes * sizeof *d->best);
    d->least = head->least;
    d->iterations = head->iterations;
    d->best_iteration = head->best_iteration;
    d->run->stop = (mco_stop)head->stop;
    p->has_ended = true;
}

// The channel loses letters whole or not at all, and only ranks of this build write here.
static void take_letter(post *p, int from, const uint8_t *data)
{
    letter head;
    peer *other = &p->peers[from];
    memcpy(&head, data, sizeof head);
    other->heard_s = mco_clock_s();
    other->iterations = head.iterations;
    other->confirmed = head.confirmed;
    other->has_left = other->has_left || head.kind == LETTER_LEAVE;
    if (p->ranks->rank == 0 && p->d->run->stop == MCO_STOP_FINISHED)
        p->d->run->stop = (mco_stop)head.stop;  // a limit or a cancel of one rank ends all
    if (head.kind == LETTER_DUALS) {
        other->got = head.number;
        memcpy(p->d->packed, data + sizeof head, (size_t)bytes_of(p, from));
        overlay_pack(p->d, from, p->d->dual, p->d->packed, true);
    } else if (head.kind == LETTER_END)
        take_end(p, &head, data + sizeof head);
}

// How long a rank may be silent.
static double patience_s(const post *p)
{
    return fmax(p->d->p->silence_s, PATIENCE_SWEEPS * p->sweep_s);
}

// Takes all letters that have come, after a wait for the first one. A rank that was stopped itself cannot tell how long others were silent.
static mco_status hear(post *p, double wait_s)
{
    mco_status st = MCO_OK;
    const uint8_t *data;
    uint64_t from;
    int64_t size;
    const double now_s = mco_clock_s();
    for (int r = 0; now_s - p->looked_s > patience_s(p) / 2 && r < p->ranks->count; r++)
        p->peers[r].heard_s = now_s;
    for (;; wait_s = 0) {
        MCO_TRY(p->channel.receive(p->channel.self, wait_s, &from, &data, &size));
        if (size < 0)
            break;
        take_letter(p, (int)from, data);
    }
    p->looked_s = mco_clock_s();
done:
    return st;
}

// ---- Ends

// Every wait for a rank ends here, by the clock.
static bool is_silent(const post *p, int rank)
{
    return p->looked_s - p->peers[rank].heard_s > patience_s(p);
}

// Of the first rank: whether all ranks that answer have done their iterations.
static bool have_all_done(const post *p)
{
    bool have_done = p->d->iterations >= p->d->p->iterations;
    for (int r = 1; r < p->ranks->count; r++)
        have_done = have_done && (p->peers[r].iterations >= p->d->p->iterations || is_silent(p, r));
    return have_done;
}

// Whether another rank that answers is too far behind. Of those that do, the one with the fewest iterations is not held up.
static bool is_ahead(const post *p)
{
    bool is_it = false;
    for (int r = 0; r < p->ranks->count; r++)
        is_it = is_it || (r != p->ranks->rank && bytes_of(p, r) > 0 && p->d->iterations - p->peers[r].iterations > LEAD && !is_silent(p, r));
    return is_it;
}

// A rank that was stopped takes over the iteration of the others.
static void catch_up(post *p)
{
    for (int r = 0; r < p->ranks->count; r++)
        if (r != p->ranks->rank && bytes_of(p, r) > 0 && p->peers[r].iterations - p->d->iterations > LEAD + 1)
            p->d->iterations = p->peers[r].iterations;
}

// Whether the rank sweeps on. Ranks that are through sweep on, too, until the first one ends the run.
static bool goes_on(post *p)
{
    overlay_dual *d = p->d;
    if (p->has_ended || mco_run_must_stop(d->run, d->iterations))
        return false;
    if (mco_clock_s() >= d->stop_s)
        d->run->stop = MCO_STOP_TIME;
    return d->run->stop == MCO_STOP_FINISHED && (p->ranks->rank > 0 || !have_all_done(p));
}

// The first rank measures all that it knows. Where a limit ends the sweep, the bounds before it stay.
static mco_status measure(post *p)
{
    mco_status st = MCO_OK;
    overlay_sum bound;
    mco_context *ctx = p->d->ctx;
    const double begin_s = mco_clock_s();
    ctx->ranks = NULL;  // all blocks are its own
    if (overlay_sweep(p->d, overlay_measure, &bound))
        st = overlay_note(p->d, bound);
    ctx->ranks = p->ranks;
    p->measured_s = mco_clock_s();
    p->measure_s = p->measured_s - begin_s;
    return st;
}

// The first rank tells the end to all, and waits for their leave, but for that of ranks that were silent before.
static mco_status end_all(post *p)
{
    mco_status st = MCO_OK;
    overlay_dual *d = p->d;
    const int64_t bytes = d->o->nodes * (int64_t)sizeof *d->best;
    const double end_s = mco_clock_s() + patience_s(p);
    bool is_waiting = true;
    if (d->least.high == UINT64_MAX)  // the time was over before a bound: then its duals are those of all
        memcpy(d->best, d->dual, (size_t)bytes);
    memcpy(p->out + sizeof(letter), d->best, (size_t)bytes);
    for (int r = 1; r < p->ranks->count; r++)
        MCO_TRY(send_letter(p, r, LETTER_END, bytes));
    while (is_waiting && mco_clock_s() < end_s) {
        MCO_TRY(hear(p, WAIT_S));
        is_waiting = false;
        for (int r = 1; r < p->ranks->count; r++)
            is_waiting = is_waiting || (!p->peers[r].has_left && !is_silent(p, r));
    }
    p->ranks->must_abort = false;
    for (int r = 1; r < p->ranks->count; r++)
        if (!p->peers[r].has_left) {
            p->ranks->must_abort = true;
            mco_log(d->ctx, MCO_LOG_WARNING, "rank %d has not answered for %.1f s: its nodes keep the last duals that came, and the launcher "
                    "ends it", r, mco_clock_s() - p->peers[r].heard_s);
        }
done:
    return st;
}

// The others wait for the end. They tell the first rank that they are through, for it has to know where a limit or a cancel ends them.
static mco_status await_end(post *p)
{
    mco_status st = MCO_OK;
    MCO_TRY(send_letter(p, 0, LETTER_CONFIRM, 0));
    while (!p->has_ended) {
        MCO_TRY(hear(p, WAIT_S));
        if (!p->has_ended && is_silent(p, 0))
            return mco_fail(p->d->ctx, MCO_ERR_STOPPED, "the first rank has not answered for %.1f s", mco_clock_s() - p->peers[0].heard_s);
    }
    MCO_TRY(send_letter(p, 0, LETTER_LEAVE, 0));
    p->ranks->must_abort = false;
done:
    return st;
}

// ---- The run

static mco_status iterate(post *p)
{
    mco_status st = MCO_OK;
    overlay_dual *d = p->d;
    overlay_sum part;
    const double begin_s = mco_clock_s();
    const int own = p->ranks->rank;
    if (!overlay_sweep(d, overlay_dist_node, &part))
        return MCO_OK;
    const double sweep_s = mco_clock_s() - begin_s;
    p->sweep_s = p->sweep_s > 0 ? fmin(p->sweep_s, sweep_s) : sweep_s;
    overlay_pack(d, own, d->next, d->packed, false);
    overlay_pack(d, own, d->dual, d->packed, true);
    d->iterations++;
    MCO_TRY(hear(p, bytes_of(p, own) > 0 ? 0 : WAIT_S));
    catch_up(p);
    MCO_TRY(send_to_all(p));
    if (own == 0 && (mco_clock_s() - p->measured_s) * MEASURE_SHARE > p->measure_s)
        MCO_TRY(measure(p));
done:
    return st;
}

static mco_status run_all(post *p)
{
    mco_status st = MCO_OK;
    const bool is_first = p->ranks->rank == 0;
    if (is_first)
        MCO_TRY(measure(p));
    while (goes_on(p)) {
        if (is_ahead(p)) {
            MCO_TRY(hear(p, WAIT_S));
            MCO_TRY(send_to_all(p));
        } else
            MCO_TRY(iterate(p));
        if (!is_first && is_silent(p, 0))
            break;
    }
    if (is_first) {
        MCO_TRY(hear(p, 0));
        MCO_TRY(measure(p));
    }
    MCO_TRY(is_first ? end_all(p) : await_end(p));
done:
    return st;
}

mco_status overlay_dist_asynchronous(overlay_dual *d)
{
    mco_status st = MCO_OK;
    post p = {.d = d, .ranks = d->ctx->ranks};
    MCO_TRY(overlay_dist_open(d));
    MCO_TRY(mco_alloc(d->ctx, &p.peers, p.ranks->count));
    MCO_TRY(mco_alloc(d->ctx, &p.out, (int64_t)sizeof(letter) + d->o->nodes * (int64_t)sizeof *d->best));
    MCO_TRY(p.ranks->open_channel(p.ranks->user, d->ctx, &p.channel));
done:
    st = mco_ranks_agree(d->ctx, st);  // the last common call
    if (st == MCO_OK) {
        p.looked_s = mco_clock_s();
        for (int r = 0; r < p.ranks->count; r++)
            p.peers[r].heard_s = p.looked_s;
        d->is_asynchronous = p.ranks->have_parted = true;
        p.ranks->must_abort = true;  // until all have said that they leave
        mco_log(d->ctx, MCO_LOG_INFO, "ranks go on without each other, and without one that is silent for %g s", patience_s(&p));
        st = run_all(&p);
    }
    if (p.channel.close != NULL)
        p.channel.close(d->ctx, p.channel.self);
    mco_free(d->ctx, &p.out);
    mco_free(d->ctx, &p.peers);
    return st;
}
