// SPDX-License-Identifier: MIT
// NEH, then iterated greedy on every thread.
//
// NEH (M. Nawaz, E. Enscore, I. Ham, Omega 11, 1983) takes the jobs by falling total time and puts each at its best
// place. It breaks ties as V. Fernandez-Viagas and J. Framinan do (Computers and Operations Research 45, 2014).
// Iterated greedy (R. Ruiz, T. Stuetzle, EJOR 177, 2007) takes a few jobs out at random and improves the rest of the
// line (J. Dubois-Lacoste, F. Pagnozzi, T. Stuetzle, Computers and Operations Research 81, 2017). Then it puts each job
// back at its best place and improves the whole line. It accepts the outcome as simulated annealing does at a constant
// temperature.
//
// The local search moves single jobs as long as that shortens the line. It evaluates the jobs of many consecutive
// positions at once (flowshop/heuristic/insertion.h) and applies the first move that shortens the line. So it makes the
// same moves with any number of lanes.
//
// Every thread follows its own chain. A round is a number of iterations that depends on the size of the instance. After
// a round all threads rest, and the best schedule (ties: lowest thread) goes to the run. After some rounds, threads
// with a worse best schedule go on from the best one. With a given number of iterations nothing depends on the clock.
// Without one, a schedule found within a round is offered at once.
#include "flowshop/heuristic/heuristic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/team.h"
#include "flowshop/heuristic/insertion.h"

// Jobs taken out per iteration. Mean gaps in % of 12 instances of 50, 100 and 200 jobs on 20 machines after 3 to 4 s:
// one job 0.38, 0.70, 0.53; two jobs, the value of Dubois-Lacoste et al., 0.33, 0.83, 0.68; three jobs 0.35, 1.02,
// 0.81. At 100x20 after 12 s: one job 0.57, two jobs 0.73.
enum { TAKEN_OUT = 1 };
// Temperature in tenths of a mean processing time. Mean gaps in % of the same instances. Two jobs taken out:
// temperature 0.25 gives 0.65, 0.94, 0.72; 0.4 gives 0.29, 0.87, 0.65; 0.7 gives 0.35, 0.96, 0.74. One job taken out:
// 0.3 gives 0.38, 0.85, 0.55; 0.5 gives 0.28, 0.81, 0.54.
static const double TEMPERATURE = 0.4;
// Wall-clock time of a round. It is long against the waits between two rounds. It is short enough for a user to see the
// improvements of a run with a given number of iterations as they come.
static const double ROUND_S = 0.05;
// How long the calling thread rests between two looks at the clock and at the mailbox.
static const double WAIT_S = 0.005;
// Rounds between two exchanges of the best schedule. Mean gap of four threads after 40,000 iterations
// each on ta051, ta081 and ta085: 5 rounds 0.58 %, 20 rounds 0.54 %, never 0.58 %.
enum { EXCHANGE_ROUNDS = 20 };
// Time before branch and bound: SECONDS_PER * n m^2 (0.08 s at 20x10, 0.3 s at 20x20, 3 s at
// 200x20), at most LONGEST_S. No longer than a search of all orders would take, CHILD_S for each child and machine: 24 M nodes/s
// of 20x10 on one core (ta017) are 0.2 ns.
static const double SECONDS_PER = 37.5e-6, LONGEST_S = 10, CHILD_S = 0.2e-9;

typedef struct search search;

// The data of one thread.
typedef struct searcher {
    search *shared;
    flowshop_line *line;  // between iterations equal to `current`
    mco_rng rng;
    int32_t *current;  // [jobs], of the chain
    int32_t *best;     // [jobs], the best schedule that the thread has seen
    int64_t current_makespan, best_makespan;
    bool is_started;
    int64_t iterations;
} searcher;

struct search {
    const flowshop_insertion_ops *ops;
    const mco_flowshop *shop;
    int32_t jobs;
    int threads;
    searcher *searchers;       // [threads]
    double temperature;        // in units of time
    int64_t bound;             // a schedule that meets it is optimal
    int64_t round_iterations;  // iterations per thread in the running round
    int32_t *by_total;         // [jobs], the order in which NEH takes them
    atomic_bool must_stop;
    // The mailbox: the best schedule that threads find during a round.
    bool has_mailbox;
    pthread_mutex_t lock;
    int32_t *found;          // [jobs], guarded by the lock
    int64_t found_makespan;  // guarded by the lock
    int32_t *offered;        // [jobs], the supervisor's copy
    // For the supervisor while a team works.
    flowshop_run *run;
    mco_team team;
    int64_t iterations_before;  // iterations before this round; the threads count those of the round
    mco_status status;
    bool is_over;            // the run must end; *stop says why
    mco_stop *stop;
};

// ---- One thread

static bool must_stop(const search *s)
{
    return atomic_load_explicit(&s->must_stop, memory_order_relaxed);
}

// Keeps the line if it is the best so far. The line is complete and its makespan is current.
static void keep_best(searcher *w)
{
    search *s = w->shared;
    if (w->line->makespan >= w->best_makespan)
        return;
    w->best_makespan = w->line->makespan;
    memcpy(w->best, w->line->order, (size_t)s->jobs * sizeof *w->best);
    if (!s->has_mailbox)
        return;
    pthread_mutex_lock(&s->lock);
    if (w->best_makespan < s->found_makespan) {
        s->found_makespan = w->best_makespan;
        memcpy(s->found, w->best, (size_t)s->jobs * sizeof *w->best);
    }
    pthread_mutex_unlock(&s->lock);
}

static void keep_current(searcher *w)
{
    w->current_makespan = w->line->makespan;
    memcpy(w->current, w->line->order, (size_t)w->shared->jobs * sizeof *w->current);
}

// Moves single jobs of the line, complete or not, until no move shortens it. The walk begins at a random position: mean
// gaps 0.24, 0.92, 0.55 %. From the first position they are 0.29, 0.98, 0.66 % (12 instances as above).
static void local_search(searcher *w)
{
    const flowshop_insertion_ops *ops = w->shared->ops;
    flowshop_line *line = w->line;
    flowshop_place places[FLOWSHOP_MAX_LANES];
    const int32_t count = line->count;
    const bool is_complete = count == w->shared->jobs;
    int32_t position = count > 0 ? (int32_t)mco_rng_below(&w->rng, (uint32_t)count) : 0;
    int32_t quiet = 0;  // consecutive positions before `position` whose jobs no move improves
    ops->settle(line);
    if (is_complete)
        keep_best(w);
    while (quiet < count && !must_stop(w->shared)) {
        const int32_t done = ops->reinsert(line, position, places);
        int32_t i = 0;
        while (i < done && places[i].makespan >= line->makespan)
            i++;
        quiet += i;
        position += i;
        if (i < done) {
            const int32_t job = line->order[position];
            ops->take_out(line, position);
            ops->insert(line, job, places[i]);
            if (is_complete)
                keep_best(w);
            quiet = 0;
            position++;
        }
        position = position < count ? position : 0;
    }
}

static void insert_best(searcher *w, int32_t job)
{
    const flowshop_insertion_ops *ops = w->shared->ops;
    ops->insert(w->line, job, ops->best_place(w->line, job));
}

static void iterate(searcher *w)
{
    const search *s = w->shared;
    int32_t taken[TAKEN_OUT];
    const int32_t count = TAKEN_OUT < s->jobs - 1 ? TAKEN_OUT : s->jobs - 1;
    for (int32_t i = 0; i < count; i++) {
        const int32_t position = (int32_t)mco_rng_below(&w->rng, (uint32_t)w->line->count);
        taken[i] = w->line->order[position];
        s->ops->take_out(w->line, position);
    }
    local_search(w);  // mean gaps 0.29, 0.98, 0.66 %; without this line 0.52, 1.04, 0.72 % (instances as above)
    for (int32_t i = 0; i < count; i++)
        insert_best(w, taken[i]);
    local_search(w);
    const int64_t rise = w->line->makespan - w->current_makespan;
    if (rise <= 0 || mco_rng_real(&w->rng) < exp(-(double)rise / s->temperature))
        keep_current(w);
    else
        s->ops->assign(w->line, w->current, s->jobs);
}

// Goes machine by machine, because the times of one machine fit the cache. `ends` [jobs] is scratch.
static int32_t makespan_of(const mco_flowshop *shop, const int32_t *order, int32_t *ends)
{
    const int32_t n = shop->jobs;
    memset(ends, 0, (size_t)n * sizeof *ends);
    for (int32_t k = 0; k < shop->machines; k++) {
        const int32_t *times = shop->times + (int64_t)k * n;
        for (int32_t t = 0, end = 0; t < n; t++)
            ends[t] = end = (end > ends[t] ? end : ends[t]) + times[order[t]];
    }
    return ends[n - 1];
}

// NEH. If it must stop early, the schedule is the line followed by the jobs left, in the order in which NEH takes them.
// The line itself stays incomplete: nobody needs it any more, and to complete it takes too long at 20,000 jobs.
static void construct(void *shared, int worker, int64_t item)
{
    search *s = shared;
    searcher *w = &s->searchers[item];
    int32_t placed = 0;
    (void)worker;
    for (; placed < s->jobs && !must_stop(s); placed++)
        insert_best(w, s->by_total[placed]);
    if (placed == s->jobs) {
        keep_best(w);
        return;
    }
    memcpy(w->best, w->line->order, (size_t)placed * sizeof *w->best);
    memcpy(w->best + placed, s->by_total + placed, (size_t)(s->jobs - placed) * sizeof *w->best);
    w->best_makespan = makespan_of(s->shop, w->best, w->current);
}

static void work_round(void *shared, int worker, int64_t item)
{
    search *s = shared;
    searcher *w = &s->searchers[item];
    (void)worker;
    if (!w->is_started) {
        local_search(w);
        keep_current(w);
        w->is_started = true;
    }
    for (int64_t i = 0; i < s->round_iterations && w->best_makespan > s->bound && !must_stop(s); i++) {
        iterate(w);
        w->iterations++;
    }
}

// ---- The calling thread

// Estimates the nanoseconds of one iteration on one core of an EPYC 9005 with AVX-512. Measured from 20x5 to 200x20:
// 3.3, 4.5, 7.6 (20x20), 18, 46 and 127 us, all within 15 % of the estimate. At 500x20: 860 us measured, 550 estimated.
static double iteration_ns(const mco_flowshop *shop)
{
    const double n = mco_flowshop_jobs(shop), m = mco_flowshop_machines(shop);
    return 1500 + 15 * n * m * (1 + n / 190);
}

int64_t flowshop_heuristic_default_iterations(const mco_flowshop *shop)
{
    const double n = mco_flowshop_jobs(shop), m = mco_flowshop_machines(shop);
    const double longest_s = fmin(LONGEST_S, CHILD_S * tgamma(n + 1) * n * m);
    return 1 + (int64_t)(1e9 * fmin(SECONDS_PER * n * m * m, longest_s) / iteration_ns(shop));
}

static const searcher *best_searcher(const search *s)
{
    const searcher *best = &s->searchers[0];
    for (int i = 1; i < s->threads; i++)
        if (s->searchers[i].best_makespan < best->best_makespan)
            best = &s->searchers[i];
    return best;
}

static int64_t iterations_done(const search *s)
{
    int64_t sum = 0;
    for (int i = 0; i < s->threads; i++)
        sum += s->searchers[i].iterations;
    return sum;
}

static mco_status offer_mail(flowshop_run *run, search *s)
{
    pthread_mutex_lock(&s->lock);
    const int64_t makespan = s->found_makespan;
    if (makespan < run->upper_bound)
        memcpy(s->offered, s->found, (size_t)s->jobs * sizeof *s->offered);
    pthread_mutex_unlock(&s->lock);
    return makespan < run->upper_bound ? flowshop_run_improve(run, makespan, s->offered, "greedy") : MCO_OK;
}

static void write_columns(void *user, char *out, size_t size)
{
    snprintf(out, size, "  %12lld", (long long)((const search *)user)->iterations_before);
}

static double watch(void *shared)
{
    search *s = shared;
    if (s->has_mailbox && s->status == MCO_OK)
        s->status = offer_mail(s->run, s);
    if (s->run->tend != NULL)
        s->run->tend(s->run->tend_user);
    s->is_over = s->is_over || flowshop_run_must_stop(s->run, s->iterations_before, s->stop);
    if (s->is_over || s->status != MCO_OK)
        atomic_store_explicit(&s->must_stop, true, memory_order_relaxed);
    return WAIT_S;
}

// Lets `count` searchers work and offers their best schedule to the run.
static mco_status supervise(search *s, int count, mco_team_item *work, const char *source)
{
    mco_status st = MCO_OK;
    s->iterations_before = iterations_done(s);
    mco_team_run(&s->team, count, work, watch, s);
    MCO_TRY(s->status);
    const searcher *best = best_searcher(s);
    MCO_TRY(flowshop_run_improve(s->run, best->best_makespan, best->best, source));
    s->is_over = s->is_over || flowshop_run_must_stop(s->run, iterations_done(s), s->stop);
done:
    return st;
}

// Makes searchers go on from this complete order: all that the run has time for, at least the first. Each fills tables
// of jobs * machines cells.
static void spread(search *s, const int32_t *order)
{
    for (int i = 0; i < s->threads && (i == 0 || !flowshop_run_must_stop(s->run, s->iterations_before, s->stop)); i++) {
        searcher *w = &s->searchers[i];
        s->ops->assign(w->line, order, s->jobs);
        s->ops->settle(w->line);
        if (w->line->makespan < w->best_makespan) {
            w->best_makespan = w->line->makespan;
            memcpy(w->best, order, (size_t)s->jobs * sizeof *w->best);
        }
        keep_current(w);
    }
}

// Threads whose best schedule is worse than the best of all go on from the best of all.
static void exchange(search *s)
{
    const searcher *best = best_searcher(s);
    for (int i = 0; i < s->threads; i++) {
        searcher *w = &s->searchers[i];
        if (w->best_makespan <= best->best_makespan)
            continue;
        if (flowshop_run_must_stop(s->run, s->iterations_before, s->stop))
            break;
        w->best_makespan = best->best_makespan;
        memcpy(w->best, best->best, (size_t)s->jobs * sizeof *w->best);
        s->ops->assign(w->line, best->best, s->jobs);
        s->ops->settle(w->line);
        keep_current(w);
    }
}

typedef struct job_total {
    int64_t total;
    int32_t job;
} job_total;

static int by_falling_total(const void *left, const void *right)
{
    const job_total *a = left, *b = right;
    if (a->total != b->total)
        return a->total > b->total ? -1 : 1;
    return a->job < b->job ? -1 : 1;
}

// Fills by_total and the temperature.
static mco_status measure(flowshop_run *run, search *s)
{
    mco_status st = MCO_OK;
    job_total *totals = NULL;
    double sum = 0;
    const int32_t n = s->jobs, m = mco_flowshop_machines(run->shop);
    MCO_TRY(mco_alloc(run->ctx, &totals, n));
    for (int32_t j = 0; j < n; j++)
        totals[j].job = j;
    for (int32_t k = 0; k < m; k++)
        for (int32_t j = 0; j < n; j++)
            totals[j].total += run->shop->times[(int64_t)k * n + j];
    for (int32_t j = 0; j < n; j++)
        sum += (double)totals[j].total;
    qsort(totals, (size_t)n, sizeof *totals, by_falling_total);
    for (int32_t i = 0; i < n; i++)
        s->by_total[i] = totals[i].job;
    s->temperature = TEMPERATURE * sum / (10.0 * n * m);
done:
    mco_free(run->ctx, &totals);
    return st;
}

static mco_status create_searchers(flowshop_run *run, search *s)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(run->ctx, &s->searchers, s->threads));
    for (int i = 0; i < s->threads; i++) {
        searcher *w = &s->searchers[i];
        w->shared = s;
        w->best_makespan = INT64_MAX;
        mco_rng_seed(&w->rng, (uint64_t)run->params->seed, (uint64_t)i + ((uint64_t)run->result->iterations << 16));
        MCO_TRY(s->ops->create(run->ctx, run->shop, s->searchers[0].line, &w->line));
        MCO_TRY(mco_alloc(run->ctx, &w->current, s->jobs));
        MCO_TRY(mco_alloc(run->ctx, &w->best, s->jobs));
    }
done:
    return st;
}

static void destroy_searchers(mco_context *ctx, search *s)
{
    for (int i = 0; s->searchers != NULL && i < s->threads; i++) {
        mco_free(ctx, &s->searchers[i].best);
        mco_free(ctx, &s->searchers[i].current);
        s->ops->destroy(ctx, &s->searchers[i].line);
    }
    mco_free(ctx, &s->searchers);
}

// Runs rounds until the run must stop, the iterations are done, or the schedule meets the bound.
static mco_status run_rounds(flowshop_run *run, search *s, int64_t iterations, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const int64_t per_round = 1 + (int64_t)(ROUND_S * 1e9 / iteration_ns(run->shop));
    int64_t left = iterations;
    s->is_over = flowshop_run_must_stop(run, 0, stop);
    for (int64_t round = 1; !s->is_over; round++) {
        if (best_searcher(s)->best_makespan <= s->bound || s->jobs < 2) {
            *stop = MCO_STOP_FINISHED;
            break;
        }
        if (left == 0 || flowshop_run_turn_is_over(run)) {
            *stop = MCO_STOP_ITERATIONS;
            break;
        }
        s->round_iterations = iterations >= 0 && left < per_round ? left : per_round;
        left -= iterations >= 0 ? s->round_iterations : 0;
        MCO_TRY(supervise(s, s->threads, work_round, "greedy"));
        if (round % EXCHANGE_ROUNDS == 0)
            exchange(s);
    }
done:
    return st;
}

mco_status flowshop_heuristic(flowshop_run *run, int64_t iterations, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const int32_t n = mco_flowshop_jobs(run->shop);
    const int32_t *start = run->result->order != NULL ? run->result->order : run->params->start;
    search s = {.ops = run->variant->insertion, .shop = run->shop, .jobs = n, .threads = run->threads, .run = run, .stop = stop};
    s.bound = run->result->bound;
    s.found_makespan = INT64_MAX;
    s.has_mailbox = iterations < 0;
    pthread_mutex_init(&s.lock, NULL);
    *stop = MCO_STOP_FINISHED;
    if (n == 0)
        goto done;
    MCO_TRY(mco_alloc(run->ctx, &s.by_total, n));
    MCO_TRY(mco_alloc(run->ctx, &s.found, n));
    MCO_TRY(mco_alloc(run->ctx, &s.offered, n));
    MCO_TRY(measure(run, &s));
    MCO_TRY(create_searchers(run, &s));
    MCO_TRY(mco_team_open(run->ctx, s.threads, true, &s.team));
    mco_run_set_columns(&run->run, "    iterations", write_columns, &s);
    if (start == NULL) {
        MCO_TRY(supervise(&s, 1, construct, "NEH"));
        start = s.searchers[0].best;
    }
    if (s.is_over)
        goto done;
    spread(&s, start);
    MCO_TRY(flowshop_run_improve(run, s.searchers[0].best_makespan, s.searchers[0].best, "start"));
    MCO_TRY(run_rounds(run, &s, iterations, stop));
done:
    run->result->iterations += s.searchers != NULL ? iterations_done(&s) : 0;
    mco_run_set_columns(&run->run, NULL, NULL, NULL);
    mco_team_close(&s.team);
    destroy_searchers(run->ctx, &s);
    mco_free(run->ctx, &s.offered);
    mco_free(run->ctx, &s.found);
    mco_free(run->ctx, &s.by_total);
    pthread_mutex_destroy(&s.lock);
    return st;
}
