// SPDX-License-Identifier: MIT
// Many queries, on all cores or by a GPU (gpu.c). A query is the work of one thread, so answers do not depend on how many there are. Workers get blocks
// of queries; the calling thread watches the clock.
#include "base/machine.h"
#include "base/options.h"
#include "base/run.h"
#include "base/structs.h"
#include "base/team.h"
#include "device/device.h"
#include "paths/transit/batch.h"

enum { BLOCK = 8 };                   // queries a worker takes at a time
static const double WATCH_S = 0.02;   // between two looks at the clock

void transit_many_count(transit_worker *w, const mco_transit_journey *j, bool is_off_map)
{
    w->done++;
    w->off_map += is_off_map;
    w->found += j->leg_count > 0;
    w->walks += j->leg_count == 1;
    w->rides += j->rides;
}

// A place off the map leaves its query without a journey.
static mco_status answer(transit_many *b, transit_worker *w, int64_t q)
{
    const mco_status st = transit_planner_earliest(w->ctx, &w->planner, &b->query[q], b->params, &b->journey[q]);
    if (st != MCO_OK && st != MCO_ERR_ARGUMENT)
        return st;
    transit_many_count(w, &b->journey[q], st == MCO_ERR_ARGUMENT);
    return MCO_OK;
}

static void work(void *shared, int which, int64_t item)
{
    transit_many *b = shared;
    transit_worker *w = &b->workers[which];
    for (int64_t q = item * BLOCK; q < (item + 1) * BLOCK && q < b->count && w->status == MCO_OK; q++) {
        if (atomic_load_explicit(&b->must_stop, memory_order_relaxed))
            return;
        w->status = answer(b, w, q);
        if (w->status != MCO_OK)
            atomic_store(&b->must_stop, true);
    }
}

double transit_many_watch(void *shared)
{
    transit_many *b = shared;
    if (mco_run_must_stop(&b->run, 0))
        atomic_store(&b->must_stop, true);
    return WATCH_S;
}

static mco_status open_workers(transit_many *b, int threads)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(b->ctx, &b->workers, threads));
    for (int k = 0; k < threads; k++) {
        MCO_TRY(mco_context_create_child(b->ctx, &b->workers[k].ctx));
        b->workers[k].watch.must_stop = &b->must_stop;
        MCO_TRY(transit_planner_open(b->ctx, b->city, b->params, &b->workers[k].watch, &b->workers[k].planner));
    }
done:
    return st;
}

static void close_workers(transit_many *b, int threads)
{
    for (int k = 0; k < threads && b->workers != NULL; k++) {
        transit_planner_close(b->ctx, &b->workers[k].planner);
        mco_context_destroy(&b->workers[k].ctx);
    }
    mco_free(b->ctx, &b->workers);
}

// A stopped search is no failure of its worker.
static mco_status sum_up(transit_many *b, int threads, mco_transit_batch *r)
{
    for (int k = 0; k < threads; k++) {
        const transit_worker *w = &b->workers[k];
        if (w->status != MCO_OK && w->status != MCO_ERR_STOPPED)
            return mco_fail(b->ctx, w->status, "%.400s", w->ctx != NULL ? mco_context_error(w->ctx) : "");
        r->done += w->done;
        r->found += w->found;
        r->off_map += w->off_map;
        r->walks += w->walks;
        r->rides += w->rides;
    }
    return MCO_OK;
}

// Whether a GPU answers the queries. The longest walk of a query on foot alone leads over the whole map: the cores do that.
static mco_status choose_engine(const transit_many *b, int threads, mco_engine *out)
{
    static const double QUERY_S = 350e-6, PAYS_S = 2.0;  // of a query on a core; a GPU is open after half a second
    const char *no_gpu = b->params->modes == MCO_TRANSIT_MODES_WALK ? "journeys on foot alone are for the cores" : NULL;
    *out = mco_choose_engine(b->ctx, b->params->engine, b->params->gpus, QUERY_S * (double)b->count / threads, PAYS_S, no_gpu);
    if (*out == MCO_ENGINE_GPU && no_gpu != NULL)
        return mco_fail(b->ctx, MCO_ERR_ARGUMENT, "--engine is gpu, %s", no_gpu);
    return MCO_OK;
}

#ifndef MCO_HAVE_CUDA
mco_status transit_gpu_many(transit_many *many, mco_team *team, mco_work *work)
{
    (void)team;
    (void)work;
    return mco_fail(many->ctx, MCO_ERR_DEVICE, "this build has no GPU engines");
}
#endif

static mco_status run_batch(transit_many *b, int threads, mco_transit_batch *r)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    MCO_TRY(open_workers(b, threads));
    MCO_TRY(mco_team_open(b->ctx, threads, true, &team));
    (void)transit_many_watch(b);  // a limit that has passed answers no query
    if (r->work.engine == MCO_ENGINE_GPU)
        MCO_TRY(transit_gpu_many(b, &team, &r->work));
    else
        mco_team_run(&team, (b->count + BLOCK - 1) / BLOCK, work, transit_many_watch, b);
    MCO_TRY(sum_up(b, threads, r));
done:
    mco_team_close(&team);
    close_workers(b, threads);
    return st;
}

static mco_status test_queries(mco_context *ctx, int64_t count, const mco_transit_query *query)
{
    if (count < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%lld queries, a number of 0 or more was expected", (long long)count);
    for (int64_t q = 0; q < count; q++)
        if (query[q].depart_s < 0 || query[q].depart_s > MCO_TRANSIT_MAX_TIME_S)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "query %lld: the departure is second %d of the day, 0 to %d are allowed", (long long)q,
                            query[q].depart_s, MCO_TRANSIT_MAX_TIME_S);
    return MCO_OK;
}

mco_status mco_transit_find_many(mco_context *ctx, const mco_transit *transit, int64_t count, const mco_transit_query *queries,
                                 const mco_transit_params *params, mco_transit_batch *result)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_batch r = MCO_TRANSIT_BATCH_INIT;
    transit_many b = {.ctx = ctx, .city = transit, .params = &p, .query = queries, .count = count};
    if (ctx == NULL || transit == NULL || (queries == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(mco_struct_test(ctx, "batch", result, sizeof r));
    MCO_TRY(mco_options_validate(ctx, mco_transit_options(), &p));
    MCO_TRY(test_queries(ctx, count, queries));
    const mco_run_settings settings = {.time_limit_s = p.time_limit_s, .target = -1, .objective = "queries"};
    b.run = mco_run_begin(ctx, &settings);
    MCO_TRY(mco_alloc(ctx, &r.journeys, count));
    for (int64_t q = 0; q < count; q++)
        r.journeys[q].arrive_s = MCO_TRANSIT_NEVER;
    b.journey = r.journeys;
    r.count = count;
    const int threads = mco_settle_threads(p.threads);
    MCO_TRY(choose_engine(&b, threads, &r.work.engine));
    MCO_TRY(run_batch(&b, threads, &r));
    r.stop = r.done == count ? MCO_STOP_FINISHED : b.run.stop;
    r.outcome = r.done == count ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_UNKNOWN;
    r.work.lane_bits = 32;
    r.work.threads = threads;
    r.work.solve_s = mco_run_time_s(&b.run);
    mco_struct_give(result, &r, sizeof r);
done:
    mco_run_clear(&b.run);
    mco_transit_batch_clear(ctx, &r);
    mco_clear_cancel(ctx);
    return st;
}

void mco_transit_batch_clear(mco_context *ctx, mco_transit_batch *result)
{
    mco_transit_batch full = {0};
    if (result == NULL)
        return;
    mco_struct_clear(result, &full, sizeof full);
    for (int64_t i = 0; i < full.count && full.journeys != NULL; i++)
        mco_free(ctx, &full.journeys[i].legs);
    mco_free(ctx, &full.journeys);
}
