// SPDX-License-Identifier: MIT
// A search and a proof that share the time (vrp/bound/beside.h).
//
// The proof has a context, a run and a result of its own. The mailbox between both is guarded by a lock: the best plan of the search on its
// way to the proof, the bound and the best plan of the proof on their way back. The calling thread looks at it from vrp_search_ends(), the
// proof between its rounds.
#include "vrp/bound/beside.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/team.h"
#include "vrp/bound/bound.h"
#include "vrp/bound/entry.h"
#include "vrp/solution.h"

static const double ALONE_SHARE = 0.1, ALONE_MOST_S = 5;  // of the time limit, and at most, for the search alone
static const double FIRST_SHARE = 0.05, FIRST_MOST_S = 0.4;  // of the time limit, and at most, for a first bound before the search
// A search stalls that finds no better plan for so long, for a multiple of the time from the begin to its last one, and for a share of
// all time so far: a first plan that is hard to better is no end of the search.
typedef struct patience {
    double least_s, times, share;  // times 0: the search goes on
} patience;
static const patience ENDLESS = {0, 0, 0}, ALONE = {0.3, 1, 0}, BESIDE = {2, 3, 0.1};
static const double TURN_SHARE = 0.25, TURN_LEAST_S = 0.1;  // with one thread: a turn of the search, relative to the proof's time before it
static const double LEG_GROWTH = 4, LEG_LEAST_S = 1;      // of the search beside the proof
static const double LOOK_S = 0.01;                        // of the calling thread, when there is no search left
static const double RECHECK_LEAST_S = 5;                  // for the end of the proof and its recheck, or twice the time so far
enum { MANY_THREADS = 4 };                                // from here on the proof has half of them

typedef struct mail {
    mco_vrp_solution plan;  // order NULL: no memory yet
    int64_t cost;           // INT64_MAX: none
} mail;

typedef struct beside {
    vrp_search *search;
    mco_vrp_params *params;
    mco_status (*run)(void *user);
    void *user;
    mco_context *ctx;        // of the proof
    mco_run proof_run;
    mco_vrp_bound_params proof_params;
    mco_vrp_bound_result result;
    vrp_proof proof;
    pthread_mutex_t lock;
    mail to_proof, to_search;  // guarded by the lock, like `bound`
    int64_t bound;           // scaled; -1: none
    mco_team team;
    mco_status proof_status;
    atomic_int proof_threads;     // that the proof may use now
    atomic_bool is_proof_over;
    patience patience;       // the search ends at a stall
    bool ends_with_proof;    // the search ends when the proof is over: it goes on with its threads
    bool takes_turns;        // the proof runs on the calling thread
    double last_s;           // from the begin to the last better plan that was seen
    double quiet_s;          // when it was seen, or when the search went on after a pause, by mco_clock_s()
    int64_t seen_cost;       // its cost
    double pause_stop_s;     // the end of a pause, unless a better plan comes
    int64_t pause_cost;
    double turn_s;           // the end of the last turn of the search
    mco_status look_status;
} beside;

// ---- The mailbox

static void put(mail *to, const mco_vrp_solution *plan, int64_t cost)
{
    to->plan.customers = plan->customers;
    to->plan.routes = plan->routes;
    memcpy(to->plan.order, plan->order, (size_t)plan->customers * sizeof *plan->order);
    memcpy(to->plan.first, plan->first, ((size_t)plan->routes + 1) * sizeof *plan->first);
    to->cost = cost;
}

// The calling thread, under the lock: takes what the proof has found, hands over what the search has.
static mco_status trade(beside *b)
{
    mco_status st = MCO_OK;
    vrp_search *s = b->search;
    int64_t cost = -1, best = vrp_search_cost(s);
    if (b->to_search.cost < INT64_MAX && (best < 0 || b->to_search.cost < best)) {
        st = mco_vrp_check(s->ctx, s->given, &b->to_search.plan, &cost);
        if (st == MCO_OK && cost != b->to_search.cost)
            return mco_fail(s->ctx, MCO_ERR_INTERNAL, "the plan costs %lld, the proof says %lld", (long long)cost,
                            (long long)b->to_search.cost);
        if (st != MCO_OK)
            return st == MCO_ERR_CHECK ? MCO_ERR_INTERNAL : st;
        MCO_TRY(vrp_search_note(s, &b->to_search.plan, cost + s->shift, "proof"));
        best = vrp_search_cost(s);
    }
    if (best >= 0 && best < b->to_proof.cost)
        put(&b->to_proof, &s->best, best);
    if (b->bound > s->proved) {
        s->proved = b->bound;
        mco_run_raise_bound(&s->run, (double)b->bound / s->problem->scale);
    }
    if (best >= 0 && s->proved > best)
        return mco_fail(s->ctx, MCO_ERR_INTERNAL, "the bound %lld is above the cost %lld of a plan", (long long)s->proved, (long long)best);
done:
    return st;
}

static bool is_stalled(const beside *b, double now)
{
    const patience *p = &b->patience;
    const double stall_s = fmax(fmax(p->least_s, p->times * b->last_s), p->share * (now - b->search->run.begin_s));
    return b->seen_cost >= 0 && p->times > 0 && now - b->quiet_s > stall_s;
}

// From vrp_search_ends(). True ends the search: at a stall, at the end of the proof where it goes on with more threads, or at a failure.
static bool look(void *user)
{
    beside *b = user;
    const double now = mco_clock_s();
    if (b->look_status == MCO_OK) {
        pthread_mutex_lock(&b->lock);
        b->look_status = trade(b);
        pthread_mutex_unlock(&b->lock);
    }
    if (b->search->best_cost != b->seen_cost) {
        b->seen_cost = b->search->best_cost;
        b->quiet_s = now;
        b->last_s = now - b->search->run.begin_s;
    }
    return b->look_status != MCO_OK || is_stalled(b, now) || (b->ends_with_proof && atomic_load(&b->is_proof_over));
}

static void turn(beside *b);

// From the proof, between its rounds.
static mco_status exchange(vrp_proof *proof, void *user)
{
    beside *b = user;
    mco_status st = MCO_OK;
    if (b->takes_turns)
        turn(b);
    pthread_mutex_lock(&b->lock);
    if (b->to_proof.cost < INT64_MAX && (proof->known < 0 || b->to_proof.cost < proof->known))
        st = vrp_proof_offer(proof, &b->to_proof.plan, b->to_proof.cost);
    if (proof->known >= 0)
        proof->run->objective = (double)proof->known / proof->problem->scale;  // for the gap
    b->bound = proof->scaled_bound > b->bound ? proof->scaled_bound : b->bound;
    if (proof->plan.order != NULL && proof->known < b->to_search.cost)
        put(&b->to_search, &proof->plan, proof->known);
    pthread_mutex_unlock(&b->lock);
    return st;
}

// ---- Phases

// Whether the search ends by itself: then it comes first, undisturbed, and the proof after it.
static bool comes_first(const mco_vrp_params *p)
{
    return p->iterations >= 0 || p->engine == MCO_ENGINE_REFERENCE;
}

// Searches until `stop_s`, or the end of the run. An end of the phase is no end of the run.
static mco_status search_until(beside *b, double stop_s)
{
    vrp_search *s = b->search;
    const double end_s = s->run.stop_s, phase_s = fmin(stop_s, end_s);
    s->run.stop_s = phase_s;
    const mco_status st = b->run(b->user);
    if (isfinite(phase_s))
        s->run.stop_s = end_s - (phase_s - s->run.stop_s);  // what the search keeps for the end
    return st != MCO_OK ? st : b->look_status;
}

// Searches until the end of the run, in legs that end at LEG_GROWTH times the time so far. A search anneals for a share of its time
// first: a leg is beyond that share when it begins, and goes on from the best plan.
static mco_status search_on(beside *b)
{
    mco_status st = MCO_OK;
    vrp_search *s = b->search;
    while (st == MCO_OK && !vrp_search_ends(s)) {
        const double leg_s = fmax(LEG_LEAST_S, (LEG_GROWTH - 1) * mco_run_time_s(&s->run)), now = mco_clock_s();
        const int64_t before = s->iterations;
        st = search_until(b, now + leg_s);
        if (s->iterations == before && mco_clock_s() < now + leg_s / 2)
            break;  // nothing is left to search; a leg that its first solution took whole is followed by a longer one
    }
    return st;
}

// Whether the bound of the proof and the cost have met, or are as near as was asked for. Then the proof ends by itself, behind its recheck.
// A bound from elsewhere tells it nothing.
static bool is_enough(const beside *b)
{
    const vrp_search *s = b->search;
    const double cost = (double)vrp_search_cost(s), gap = s->run.stop == MCO_STOP_GAP ? s->run.settings.gap : 0;
    const bool has_ended = s->run.stop == MCO_STOP_GAP || s->run.stop == MCO_STOP_FINISHED;
    return has_ended && cost >= 0 && s->proved >= 0 && cost - (double)s->proved <= gap * cost;
}

// A stalled search rests until the proof has had as much time alone as all before, or has a better plan.
static void begin_pause(beside *b)
{
    const vrp_search *s = b->search;
    const double now = mco_clock_s();
    b->pause_stop_s = now + mco_run_time_s(&s->run);
    b->pause_cost = s->best_cost;
    mco_log(s->ctx, MCO_LOG_DETAIL, "the search has found nothing better for %.2f s: the proof has its time for %.2f s", now - b->quiet_s,
            b->pause_stop_s - now);
}

static bool is_paused(const beside *b)
{
    return mco_clock_s() < b->pause_stop_s && b->search->best_cost == b->pause_cost;
}

// With one thread: a turn of the search, in proportion to what the proof has had since the last one.
static void take_turn(beside *b, double now, double seconds)
{
    if (b->pause_stop_s > 0)
        b->quiet_s = now;
    b->pause_stop_s = 0;
    b->patience = BESIDE;
    const mco_status st = search_until(b, now + seconds);
    if (is_stalled(b, mco_clock_s()))
        begin_pause(b);
    b->patience = ENDLESS;
    b->look_status = b->look_status == MCO_OK ? st : b->look_status;
    b->turn_s = mco_clock_s();
}

static void turn(beside *b)
{
    const double now = mco_clock_s(), share_s = TURN_SHARE * (now - b->turn_s);
    if (!vrp_search_ends(b->search) && share_s >= TURN_LEAST_S && !comes_first(b->params) && !is_paused(b))
        take_turn(b, now, share_s);
    if (vrp_search_ends(b->search) && !is_enough(b))
        mco_cancel(b->ctx);
}

static void prove(void *shared, int worker)
{
    beside *b = shared;
    (void)worker;
    b->proof_status = exchange(&b->proof, b);  // the plan of the search, to begin with
    if (b->proof_status == MCO_OK)
        b->proof_status = vrp_prove(&b->proof);
    b->takes_turns = false;
    const mco_status st = exchange(&b->proof, b);
    b->proof_status = b->proof_status == MCO_OK ? st : b->proof_status;
    atomic_store(&b->is_proof_over, true);
}

// The calling thread waits, until the end of the run, or of the proof, or of a pause.
static void wait_beside(beside *b, bool is_pause)
{
    while (b->look_status == MCO_OK && !vrp_search_ends(b->search) && (!is_pause || is_paused(b)))
        if (mco_team_wait(&b->team, LOOK_S))
            break;
}

// Searches beside the proof. Where the search stalls, all threads are the proof's for a time.
static mco_status search_beside(beside *b, int threads)
{
    mco_status st = MCO_OK;
    const int share = atomic_load(&b->proof_threads);
    while (st == MCO_OK && b->look_status == MCO_OK && !vrp_search_ends(b->search) && !atomic_load(&b->is_proof_over)) {
        b->quiet_s = mco_clock_s();
        b->patience = BESIDE;
        b->ends_with_proof = true;
        st = search_on(b);
        b->patience = ENDLESS;
        b->ends_with_proof = false;
        atomic_store(&b->proof_threads, threads);
        if (st == MCO_OK && b->look_status == MCO_OK && !vrp_search_ends(b->search) && !atomic_load(&b->is_proof_over)) {
            begin_pause(b);
            wait_beside(b, true);
        }
        atomic_store(&b->proof_threads, share);
    }
    return st;
}

// Behind an answer that is good enough: the recheck of its proof, for a time.
static void wait_for_recheck(beside *b)
{
    const mco_run *run = &b->search->run;
    const double until_s = fmin(run->stop_s, mco_clock_s() + fmax(RECHECK_LEAST_S, 2 * mco_run_time_s(run)));
    const mco_stop stop = run->stop;
    mco_log(b->search->ctx, MCO_LOG_DETAIL, "bound and cost have met: the recheck of the proof follows");
    atomic_store(&b->proof_threads, (int)b->proof_params.threads);
    while (mco_clock_s() < until_s && !mco_team_wait(&b->team, LOOK_S)) {
        (void)vrp_search_ends(b->search);
        if (b->search->run.stop == MCO_STOP_CANCELLED)
            break;
    }
    b->search->run.stop = stop;
}

// Of a proof that lacks memory or time the bound so far is left.
static bool has_failed(const beside *b)
{
    const mco_status st = b->proof_status;
    return st != MCO_OK && st != MCO_ERR_MEMORY && st != MCO_ERR_LIMIT && st != MCO_ERR_STOPPED;
}

// The proof on a thread, the search or a wait on the calling one. Where the proof ends first, the search goes on with all threads.
static mco_status prove_beside(beside *b, int threads)
{
    mco_status st = MCO_OK;
    const bool counts = comes_first(b->params);
    const int share = counts ? threads : threads >= MANY_THREADS ? threads / 2 : 1;
    atomic_store(&b->proof_threads, share);
    b->params->threads = threads - share > 0 ? threads - share : 1;
    MCO_TRY(mco_team_start(b->search->ctx, 1, prove, b, &b->team));
    if (counts)
        wait_beside(b, false);
    else
        st = search_beside(b, threads);
    if (st == MCO_OK && vrp_search_ends(b->search) && is_enough(b))
        wait_for_recheck(b);
    mco_cancel(b->ctx);
done:
    mco_team_join(&b->team);
    b->params->threads = threads;
    return st == MCO_OK && !counts && !has_failed(b) ? search_on(b) : st;
}

static mco_status prove_in_turns(beside *b)
{
    b->takes_turns = true;
    b->turn_s = mco_clock_s();
    prove(b, 0);
    (void)look(b);
    return vrp_search_ends(b->search) || comes_first(b->params) ? MCO_OK : search_on(b);
}

// ---- All of it

static mco_status open(beside *b)
{
    mco_status st = MCO_OK;
    const vrp_search *s = b->search;
    const mco_vrp_params *p = b->params;
    const int32_t n = s->problem->customers;
    vrp_relax_settings settings;
    MCO_TRY(vrp_solution_new(s->ctx, n, n, &b->to_proof.plan));
    MCO_TRY(vrp_solution_new(s->ctx, n, n, &b->to_search.plan));
    MCO_TRY(mco_context_create_child(s->ctx, &b->ctx));
    MCO_TRY(vrp_bound_settle(s->ctx, p->engine == MCO_ENGINE_REFERENCE ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU, p->simd, NULL, p->threads,
                             p->memory, 0, NULL, &settings));
    b->proof_params.engine = settings.engine;
    b->proof_params.simd = p->simd;
    b->proof_params.memory = p->memory;
    b->proof_params.threads = settings.threads;
    b->proof_params.vehicles_exactly = s->exactly > 0 ? s->exactly : -1;
done:
    return st;
}

static void begin_proof(beside *b)
{
    const vrp_search *s = b->search;
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .gap = s->run.settings.gap, .ends_at_bound = true,
                                       .objective = "cost"};
    b->proof_run = mco_run_begin(b->ctx, &settings);
    b->proof_run.stop_s = s->run.stop_s;
    b->proof = (vrp_proof){.ctx = b->ctx, .caller = s->ctx, .run = &b->proof_run, .problem = s->given, .params = &b->proof_params, .known = -1,
                           .scaled_bound = -1, .exchange = exchange, .user = b, .result = &b->result, .threads_now = &b->proof_threads};
}

// A short ascent before the search: an early bound. Where it lacks memory, the proof will say so.
static mco_status bound_first(beside *b)
{
    const double left_s = b->search->run.stop_s - mco_clock_s();
    const mco_status st = vrp_prove_first(&b->proof, fmin(FIRST_MOST_S, FIRST_SHARE * left_s));
    (void)look(b);
    if (b->look_status != MCO_OK || st == MCO_OK || st == MCO_ERR_MEMORY || st == MCO_ERR_LIMIT)
        return b->look_status;
    return mco_fail(b->search->ctx, st, "%s", mco_context_error(b->ctx));
}

static void close(beside *b)
{
    mco_context *ctx = b->search->ctx;
    if (b->ctx != NULL) {
        mco_vrp_bound_result_clear(b->ctx, &b->result);
        mco_vrp_solution_clear(b->ctx, &b->proof.plan);
        mco_run_clear(&b->proof_run);
    }
    mco_context_destroy(&b->ctx);
    mco_vrp_solution_clear(ctx, &b->to_search.plan);
    mco_vrp_solution_clear(ctx, &b->to_proof.plan);
    pthread_mutex_destroy(&b->lock);
}

// What was rechecked of the bound. That of the first ascent has left no prices.
static void tell_recheck(beside *b)
{
    vrp_search *s = b->search;
    const mco_vrp_bound_result *r = &b->result;
    const bool is_its_bound = b->proof.scaled_bound >= s->proved;
    const char *end = mco_is_cancelled(s->ctx) ? "nothing: the run was cancelled" :
                      s->run.stop == MCO_STOP_TIME ? "nothing: the time was over" : "nothing: the run ended before it";
    s->is_bound_rechecked = is_its_bound && r->is_bound_rechecked;
    snprintf(s->bound_checked, sizeof s->bound_checked, "%s",
             s->proved < 0 ? "" : !is_its_bound ? "nothing: the bound is that of the first ascent" :
             r->bound_checked[0] != '\0' ? r->bound_checked : end);
}

// What the proof says at its end. A failure of the proof for lack of memory leaves the search's answer.
static mco_status take_end(beside *b)
{
    mco_context *ctx = b->search->ctx;
    (void)look(b);
    if (b->look_status != MCO_OK)
        return b->look_status;
    if (has_failed(b))
        return mco_fail(ctx, b->proof_status, "%s", mco_context_error(b->ctx));
    if (b->proof_status != MCO_OK)
        mco_log(ctx, MCO_LOG_WARNING, "the proof ended: %s", mco_context_error(b->ctx));
    return MCO_OK;
}

mco_status vrp_search_and_prove(vrp_search *search, mco_vrp_params *params, mco_status (*run)(void *user), void *user)
{
    mco_status st = MCO_OK;
    const int threads = params->engine == MCO_ENGINE_REFERENCE ? 1 : mco_settle_threads(params->threads);
    const bool counts = comes_first(params);
    const double now = mco_clock_s(), alone_s = fmin(ALONE_SHARE * (search->run.stop_s - now), ALONE_MOST_S);
    beside b = {.search = search, .params = params, .run = run, .user = user, .proof_params = MCO_VRP_BOUND_PARAMS_INIT,
                .result = MCO_VRP_BOUND_RESULT_INIT, .to_proof.cost = INT64_MAX, .to_search.cost = INT64_MAX, .bound = -1,
                .quiet_s = now, .seen_cost = -1, .patience = counts ? ENDLESS : ALONE};
    pthread_mutex_init(&b.lock, NULL);
    atomic_init(&b.proof_threads, threads);
    atomic_init(&b.is_proof_over, false);
    MCO_TRY(open(&b));
    search->look = look;
    search->look_user = &b;
    begin_proof(&b);
    if (!counts)
        MCO_TRY(bound_first(&b));
    MCO_TRY(search_until(&b, counts ? INFINITY : now + alone_s));
    b.patience = ENDLESS;
    if (search->best_cost < 0 && search->run.stop == MCO_STOP_ITERATIONS)
        goto done;
    if (vrp_search_ends(search) && !is_enough(&b))
        goto done;
    if (vrp_search_ends(search)) {  // the prices of the first bound are gone: it, no less, is proved again, to be rechecked
        b.proof.scaled_bound = -1;
        b.proof_run.bound = NAN;
        b.proof_run.settings.gap = (double)(search->best_cost - search->proved) / fmax(1, (double)search->best_cost);
    }
    MCO_TRY(threads > 1 ? prove_beside(&b, threads) : prove_in_turns(&b));
    MCO_TRY(take_end(&b));
    (void)vrp_search_ends(search);
done:
    tell_recheck(&b);
    search->look = NULL;
    search->work.threads = threads;
    close(&b);
    return st;
}
