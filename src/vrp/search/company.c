// SPDX-License-Identifier: MIT
// The cores beside a crowd (vrp/search/company.h). Their search runs on a thread, with a context and a run of its own. Both sides meet
// in vrp_search_ends(): the cores' side puts its best plan into the mailbox, the crowd's side takes it from there.
#include "vrp/search/company.h"

#include <math.h>
#include <stdatomic.h>

#include "base/machine.h"
#include "base/team.h"
#include "vrp/search/stages.h"
#include "vrp/solution.h"

struct vrp_company {
    vrp_search *search;        // of the crowd
    bool (*look)(void *user);  // what search->look was
    void *look_user;
    mco_context *ctx;          // of the cores
    mco_vrp_params params;
    vrp_search own;
    mco_team team;
    pthread_mutex_t lock;
    mco_vrp_solution plan;     // guarded by the lock, like `cost`
    int64_t cost;              // INT64_MAX: none
    int64_t told, taken;       // costs of the last plan put and taken; each belongs to its side
    atomic_bool must_end;
    mco_status own_status, look_status;
};

// ---- The mailbox

// The thread of the cores.
static void put(vrp_company *c)
{
    if (c->own.best_cost < 0 || c->own.best_cost >= c->told)
        return;
    pthread_mutex_lock(&c->lock);
    vrp_solution_copy(&c->own.best, &c->plan);
    c->cost = c->told = c->own.best_cost;
    pthread_mutex_unlock(&c->lock);
}

static bool look_of_cores(void *user)
{
    vrp_company *c = user;
    put(c);
    return atomic_load(&c->must_end);
}

// The calling thread.
static mco_status take(vrp_company *c)
{
    mco_status st = MCO_OK;
    pthread_mutex_lock(&c->lock);
    if (c->cost < c->taken) {
        c->taken = c->cost;
        st = vrp_search_note(c->search, &c->plan, c->cost, "cores");
    }
    pthread_mutex_unlock(&c->lock);
    return st;
}

static bool look_of_crowd(void *user)
{
    vrp_company *c = user;
    if (c->look_status == MCO_OK)
        c->look_status = take(c);
    return (c->look != NULL && c->look(c->look_user)) || c->look_status != MCO_OK;
}

// ---- The search of the cores

static void work(void *shared, int worker)
{
    vrp_company *c = shared;
    (void)worker;
    c->own_status = vrp_search_cpu(&c->own);
    put(c);
}

static void begin_own(vrp_company *c, double whole_share)
{
    const vrp_search *s = c->search;
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = s->run.settings.target, .objective = "cost"};
    c->own = (vrp_search){.ctx = c->ctx, .problem = s->problem, .given = s->given, .exactly = s->exactly, .shift = s->shift,
                          .params = &c->params, .best_cost = -1, .start_cost = -1, .proved = -1, .look = look_of_cores, .look_user = c,
                          .whole_share = whole_share};
    c->own.run = mco_run_begin(c->ctx, &settings);
    c->own.run.stop_s = s->run.stop_s;
}

// The caller reads the errors of its own context.
static mco_status fail_as_cores(vrp_company *c, mco_status st)
{
    return st != MCO_OK ? mco_fail(c->search->ctx, st, "%s", mco_context_error(c->ctx)) : MCO_OK;
}

static mco_status start(vrp_company *c, bool is_given, double whole_share)
{
    mco_status st = MCO_OK;
    vrp_search *s = c->search;
    const int32_t n = s->problem->customers;
    if (mco_context_create_child(s->ctx, &c->ctx) != MCO_OK)
        return mco_fail(s->ctx, MCO_ERR_MEMORY, "out of memory: a context for the cores");
    MCO_TRY(vrp_solution_new(s->ctx, n, n, &c->plan));
    begin_own(c, whole_share);
    if (is_given)
        MCO_TRY(fail_as_cores(c, vrp_search_note(&c->own, &s->best, s->best_cost, "start")));
    MCO_TRY(mco_team_start(s->ctx, 1, work, c, &c->team));
    s->look = look_of_crowd;
    s->look_user = c;
    mco_log(s->ctx, MCO_LOG_INFO, "%d thread%s of the cores search%s beside the GPU", (int)c->params.threads, mco_plural(c->params.threads),
            c->params.threads == 1 ? "es" : "");
done:
    return st;
}

// ---- Both ends

mco_status vrp_company_open(vrp_search *search, bool is_given, double whole_share, vrp_company **out)
{
    mco_status st = MCO_OK;
    const mco_vrp_params *p = search->params;
    const int threads = mco_settle_threads(p->threads) - 1;
    vrp_company *c = NULL;
    if (threads < 1 || p->iterations >= 0 || p->prove)
        return MCO_OK;
    MCO_TRY(mco_alloc(search->ctx, &c, 1));
    *c = (vrp_company){.search = search, .look = search->look, .look_user = search->look_user, .params = *p, .cost = INT64_MAX,
                       .told = INT64_MAX, .taken = INT64_MAX};
    c->params.engine = MCO_ENGINE_CPU;
    c->params.threads = threads;
    c->params.gpus = NULL;
    atomic_init(&c->must_end, false);
    pthread_mutex_init(&c->lock, NULL);
    *out = c;
    st = start(c, is_given, whole_share);
    if (st != MCO_OK)
        (void)vrp_company_close(out);
done:
    return st;
}

// What is left to say at the end. A search of the cores that lacked memory leaves the crowd's answer.
static mco_status take_end(vrp_company *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(c->look_status);
    MCO_TRY(take(c));
    c->search->iterations += c->own.iterations;
    if (c->own_status == MCO_ERR_MEMORY || c->own_status == MCO_ERR_LIMIT)
        mco_log(c->search->ctx, MCO_LOG_WARNING, "the search of the cores ended: %s", mco_context_error(c->ctx));
    else
        st = fail_as_cores(c, c->own_status);
done:
    return st;
}

mco_status vrp_company_close(vrp_company **company)
{
    mco_status st = MCO_OK;
    vrp_company *c = *company;
    if (c == NULL)
        return MCO_OK;
    mco_context *ctx = c->search->ctx;
    const bool is_started = c->team.started > 0;
    atomic_store(&c->must_end, true);
    mco_team_join(&c->team);  // the cores ask `must_end` as often as the clock (vrp_search_ends())
    c->search->look = c->look;
    c->search->look_user = c->look_user;
    if (is_started)
        st = take_end(c);
    if (c->ctx != NULL) {
        mco_run_clear(&c->own.run);
        mco_vrp_solution_clear(c->ctx, &c->own.best);
    }
    mco_vrp_solution_clear(ctx, &c->plan);
    mco_context_destroy(&c->ctx);
    pthread_mutex_destroy(&c->lock);
    mco_free(ctx, company);
    return st;
}
