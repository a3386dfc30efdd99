// SPDX-License-Identifier: MIT
#include "flowshop/flowshop_heuristic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "base/team.h"
#include "flowshop/flowshop_insertion.h"

enum { MAX_D = 16 };
static int D = 2;
static double T = 0.7;
static int PARTIAL = 1;
static int MODE = 0;

typedef struct search search;

typedef struct searcher {
    search *shared;
    flowshop_line *line;
    mco_rng rng;
    int32_t *current;
    int32_t *best;
    int32_t current_makespan, best_makespan;
    bool is_started;
    int64_t iterations;
} searcher;

struct search {
    const flowshop_insertion_ops *ops;
    int32_t jobs;
    double temperature;
    int64_t bound;
    int threads;
    int64_t round_iterations;
    int32_t *neh_order;
    searcher *searchers;
    atomic_bool must_stop;
    bool hands_over;
    pthread_mutex_t lock;
    int32_t *found;
    int32_t found_makespan;
};

int64_t stat_batches, stat_places, stat_improve;

static bool stops(const search *s) { return atomic_load_explicit(&s->must_stop, memory_order_relaxed); }

static void note(searcher *w)
{
    if (w->line->makespan >= w->best_makespan) return;
    search *s = w->shared;
    w->best_makespan = w->line->makespan;
    memcpy(w->best, w->line->order, (size_t)s->jobs * sizeof *w->best);
    if (!s->hands_over) return;
    pthread_mutex_lock(&s->lock);
    if (w->best_makespan < s->found_makespan) {
        s->found_makespan = w->best_makespan;
        memcpy(s->found, w->best, (size_t)s->jobs * sizeof *w->best);
    }
    pthread_mutex_unlock(&s->lock);
}

static void put_best(searcher *w, int32_t job)
{
    flowshop_place p = w->shared->ops->best_place(w->line, job);
    w->shared->ops->insert(w->line, job, p.position);
    w->line->makespan = p.makespan;
    stat_places++;
}

static void local_search(searcher *w)
{
    const flowshop_insertion_ops *ops = w->shared->ops;
    flowshop_line *line = w->line;
    flowshop_place least[FLOWSHOP_MAX_LANES];
    int32_t quiet = 0, position = 0;
    bool complete = line->count == w->shared->jobs;
    ops->settle(line);
    if (complete) note(w);
    if (line->count == 0) return;
    if (MODE & 1) position = (int32_t)mco_rng_below(&w->rng, (uint32_t)line->count);
    while (quiet < line->count && !stops(w->shared)) {
        int32_t done = ops->reinsert(line, position, least);
        stat_batches++;
        int32_t lane = 0;
        while (lane < done && least[lane].makespan >= line->makespan) lane++;
        if (lane == done) {
            quiet += done;
            position = position + done < line->count ? position + done : 0;
            continue;
        }
        if (MODE & 2) for (int32_t x = lane + 1; x < done; x++) if (least[x].makespan < least[lane].makespan) lane = x;
        stat_improve++;
        int32_t job = line->order[position + lane];
        ops->take_out(line, position + lane);
        if (MODE & 4) put_best(w, job); else { ops->insert(line, job, least[lane].position); line->makespan = least[lane].makespan; }
        if (complete) note(w);
        quiet = 0;
        position = position + lane + 1 < line->count ? position + lane + 1 : 0;
    }
}

static void iterate(searcher *w)
{
    search *s = w->shared;
    const flowshop_insertion_ops *ops = s->ops;
    int32_t out[MAX_D];
    int d = D < s->jobs - 1 ? D : s->jobs - 1;
    for (int i = 0; i < d; i++) {
        int32_t at = (int32_t)mco_rng_below(&w->rng, (uint32_t)w->line->count);
        out[i] = w->line->order[at];
        ops->take_out(w->line, at);
    }
    if (PARTIAL) local_search(w);
    for (int i = 0; i < d; i++) put_best(w, out[i]);
    local_search(w);
    int32_t delta = w->line->makespan - w->current_makespan;
    if (delta <= 0 || mco_rng_real(&w->rng) < exp(-delta / s->temperature)) {
        w->current_makespan = w->line->makespan;
        memcpy(w->current, w->line->order, (size_t)s->jobs * sizeof *w->current);
    } else {
        ops->assign(w->line, w->current, s->jobs);
    }
}

static void neh(searcher *w)
{
    search *s = w->shared;
    int32_t i = 0;
    for (; i < s->jobs && !stops(s); i++) put_best(w, s->neh_order[i]);
    for (; i < s->jobs; i++) s->ops->insert(w->line, s->neh_order[i], w->line->count);
    s->ops->settle(w->line);
    note(w);
}

static void work_neh(void *shared, int worker)
{
    search *s = shared;
    if (worker == 0) neh(&s->searchers[0]);
}

static void work_round(void *shared, int worker)
{
    search *s = shared;
    searcher *w = &s->searchers[worker];
    if (!w->is_started) {
        local_search(w);
        memcpy(w->current, w->line->order, (size_t)s->jobs * sizeof *w->current);
        w->current_makespan = w->line->makespan;
        w->is_started = true;
    }
    for (int64_t i = 0; i < s->round_iterations && !stops(s) && w->best_makespan > s->bound; i++) {
        iterate(w);
        w->iterations++;
    }
}

struct by_total { int64_t total; int32_t job; };
static int compare(const void *a, const void *b)
{
    const struct by_total *x = a, *y = b;
    if (x->total != y->total) return x->total > y->total ? -1 : 1;
    return x->job < y->job ? -1 : 1;
}

mco_status flowshop_heuristic(flowshop_run *run, int64_t iterations, mco_stop *stop)
{
    if (getenv("FD")) D = atoi(getenv("FD"));
    if (getenv("FT")) T = atof(getenv("FT"));
    if (getenv("FP")) PARTIAL = atoi(getenv("FP"));
    if (getenv("FM")) MODE = atoi(getenv("FM"));
    mco_status st = MCO_OK;
    int32_t n = run->shop->jobs, m = run->shop->machines;
    search s = {.ops = run->variant->insertion, .jobs = n, .threads = run->threads, .bound = run->result->bound};
    s.found_makespan = INT32_MAX;
    s.hands_over = true;
    pthread_mutex_init(&s.lock, NULL);
    MCO_TRY(mco_alloc(run->ctx, &s.searchers, s.threads));
    MCO_TRY(mco_alloc(run->ctx, &s.found, n));
    MCO_TRY(mco_alloc(run->ctx, &s.neh_order, n));
    struct by_total *t = NULL;
    MCO_TRY(mco_alloc(run->ctx, &t, n));
    int64_t total = 0;
    for (int j = 0; j < n; j++) { t[j].job = j; for (int k = 0; k < m; k++) t[j].total += mco_flowshop_time(run->shop, k, j); total += t[j].total; }
    qsort(t, (size_t)n, sizeof *t, compare);
    for (int j = 0; j < n; j++) s.neh_order[j] = t[j].job;
    s.temperature = T * (double)total / ((double)n * m * 10);
    for (int i = 0; i < s.threads; i++) {
        searcher *w = &s.searchers[i];
        w->shared = &s;
        w->best_makespan = INT32_MAX;
        mco_rng_seed(&w->rng, (uint64_t)run->params->seed, (uint64_t)i);
        MCO_TRY(s.ops->create(run->ctx, run->shop, &w->line));
        MCO_TRY(mco_alloc(run->ctx, &w->current, n));
        MCO_TRY(mco_alloc(run->ctx, &w->best, n));
    }
    work_neh(&s, 0);
    for (int i = 1; i < s.threads; i++) s.ops->assign(s.searchers[i].line, s.searchers[0].line->order, n);
    MCO_TRY(flowshop_run_improve(run, s.searchers[0].best_makespan, s.searchers[0].best, "NEH"));
    s.round_iterations = 20;
    while (!flowshop_run_must_stop(run, 0, stop)) {
        work_round(&s, 0);
        if (s.searchers[0].best_makespan < run->upper_bound) MCO_TRY(flowshop_run_improve(run, s.searchers[0].best_makespan, s.searchers[0].best, "IG"));
        if (iterations >= 0 && s.searchers[0].iterations >= iterations) break;
        if (s.searchers[0].best_makespan <= s.bound) break;
    }
    run->result->iterations = s.searchers[0].iterations;
done:
    return st;
}
