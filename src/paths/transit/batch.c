// SPDX-License-Identifier: MIT
// Many queries on all cores. A query is the work of one thread, so answers do not depend on how many there are. Workers get blocks
// of queries; the calling thread watches the clock.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/run.h"
#include "base/structs.h"
#include "base/team.h"
#include "base/text.h"
#include "paths/transit/city.h"

enum { BLOCK = 8 };                   // queries a worker takes at a time
static const double WATCH_S = 0.02;   // between two looks at the clock

typedef struct worker {
    mco_context *ctx;
    transit_planner planner;
    mco_status status;
    int64_t done, found, off_map, walks, rides;
} worker;

typedef struct batch {
    mco_context *ctx;
    const mco_transit *city;
    const mco_transit_params *params;
    const mco_transit_query *query;
    int64_t count;
    mco_transit_journey *journey;
    worker *workers;
    mco_run run;
    atomic_bool must_stop;
} batch;

// A place off the map leaves its query without a journey.
static mco_status answer(batch *b, worker *w, int64_t q)
{
    mco_transit_journey *j = &b->journey[q];
    const mco_status st = transit_planner_earliest(w->ctx, &w->planner, &b->query[q], b->params, j);
    if (st == MCO_ERR_ARGUMENT)
        w->off_map++;
    else if (st != MCO_OK)
        return st;
    w->done++;
    w->found += j->leg_count > 0;
    w->walks += j->leg_count == 1;
    w->rides += j->rides;
    return MCO_OK;
}

static void work(void *shared, int which, int64_t item)
{
    batch *b = shared;
    worker *w = &b->workers[which];
    for (int64_t q = item * BLOCK; q < (item + 1) * BLOCK && q < b->count && w->status == MCO_OK; q++) {
        if (atomic_load_explicit(&b->must_stop, memory_order_relaxed))
            return;
        w->status = answer(b, w, q);
        if (w->status != MCO_OK)
            atomic_store(&b->must_stop, true);
    }
}

static double watch(void *shared)
{
    batch *b = shared;
    if (mco_run_must_stop(&b->run, 0))
        atomic_store(&b->must_stop, true);
    return WATCH_S;
}

static mco_status open_workers(batch *b, int threads)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(b->ctx, &b->workers, threads));
    for (int k = 0; k < threads; k++) {
        MCO_TRY(mco_context_create_child(b->ctx, &b->workers[k].ctx));
        MCO_TRY(transit_planner_open(b->ctx, b->city, b->params, &b->must_stop, &b->workers[k].planner));
    }
done:
    return st;
}

static void close_workers(batch *b, int threads)
{
    for (int k = 0; k < threads && b->workers != NULL; k++) {
        transit_planner_close(b->ctx, &b->workers[k].planner);
        mco_context_destroy(&b->workers[k].ctx);
    }
    mco_free(b->ctx, &b->workers);
}

// A stopped search is no failure of its worker.
static mco_status sum_up(batch *b, int threads, mco_transit_batch *r)
{
    for (int k = 0; k < threads; k++) {
        const worker *w = &b->workers[k];
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

static mco_status run_batch(batch *b, int threads, mco_transit_batch *r)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    MCO_TRY(open_workers(b, threads));
    MCO_TRY(mco_team_open(b->ctx, threads, true, &team));
    mco_team_run(&team, (b->count + BLOCK - 1) / BLOCK, work, watch, b);
    MCO_TRY(sum_up(b, threads, r));
done:
    mco_team_close(&team);
    close_workers(b, threads);
    return st;
}

mco_status mco_transit_find_many(mco_context *ctx, const mco_transit *transit, int64_t count, const mco_transit_query *queries,
                                 const mco_transit_params *params, mco_transit_batch *result)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_batch r = MCO_TRANSIT_BATCH_INIT;
    batch b = {.ctx = ctx, .city = transit, .params = &p, .query = queries, .count = count};
    if (ctx == NULL || transit == NULL || (queries == NULL && count > 0) || count < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, count < 0 ? "the number of queries is negative" : "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(mco_struct_test(ctx, "batch", result, sizeof r));
    MCO_TRY(mco_options_validate(ctx, mco_transit_options(), &p));
    const mco_run_settings settings = {.time_limit_s = p.time_limit_s, .target = -1, .objective = "queries"};
    b.run = mco_run_begin(ctx, &settings);
    MCO_TRY(mco_alloc(ctx, &r.journeys, count));
    for (int64_t q = 0; q < count; q++)
        r.journeys[q].arrive_s = MCO_TRANSIT_NEVER;
    b.journey = r.journeys;
    r.count = count;
    const int threads = mco_settle_threads(p.threads);
    MCO_TRY(run_batch(&b, threads, &r));
    r.stop = r.done == count ? MCO_STOP_FINISHED : b.run.stop;
    r.outcome = r.done == count ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_UNKNOWN;
    r.work = (mco_work){.engine = MCO_ENGINE_CPU, .lane_bits = 32, .threads = threads, .solve_s = mco_run_time_s(&b.run)};
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

// ---- Queries from a file

enum { COLUMNS = 5 };
static const char *const NAMES[COLUMNS] = {"from_lat", "from_lon", "to_lat", "to_lon", "depart"};

bool mco_transit_parse_time(const char *text, int32_t *out)
{
    int hours, minutes, seconds = 0, used = 0;
    if (sscanf(text, "%2d:%2d%n", &hours, &minutes, &used) != 2)
        return false;
    if (text[used] == ':') {
        int more = 0;
        if (sscanf(text + used, ":%2d%n", &seconds, &more) != 1)
            return false;
        used += more;
    }
    if (text[used] != '\0' || hours < 0 || hours > 47 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59)
        return false;
    *out = 3600 * hours + 60 * minutes + seconds;
    return true;
}

// The field of each column, by the names of the first row.
static mco_status read_header(mco_text *text, char *separator, int column[COLUMNS])
{
    mco_status st = MCO_OK;
    mco_slice row, field;
    for (int c = 0; c < COLUMNS; c++)
        column[c] = -1;
    if (!mco_text_row(text, ',', &row))
        return mco_text_fail_here(text, "there are no queries");
    *separator = mco_slice_separator(row);
    const mco_slice header = row;
    for (int i = 0; mco_slice_field(&row, *separator, &field); i++)
        for (int c = 0; c < COLUMNS; c++)
            if (mco_slice_is(field, NAMES[c]))
                column[c] = i;
    for (int c = 0; c < COLUMNS; c++)
        if (column[c] < 0)
            MCO_TRY(mco_text_fail(text, header.line, header.column, "there is no column %s", NAMES[c]));
done:
    return st;
}

static mco_status read_query(mco_text *text, mco_slice row, char separator, const int column[COLUMNS], mco_transit_query *out)
{
    mco_status st = MCO_OK;
    double *const number[] = {&out->from.latitude, &out->from.longitude, &out->to.latitude, &out->to.longitude};
    mco_slice field;
    int seen = 0;
    const mco_slice whole = row;
    for (int i = 0; mco_slice_field(&row, separator, &field); i++)
        for (int c = 0; c < COLUMNS; c++) {
            char time[16] = "";
            if (column[c] != i)
                continue;
            seen++;
            if (c < COLUMNS - 1) {
                const double most = c % 2 == 0 ? 90 : 180;
                MCO_TRY(mco_slice_real_in(text, field, NAMES[c], separator, -most, most, number[c]));
                continue;
            }
            memcpy(time, field.data, field.size < sizeof time ? field.size : 0);
            if (!mco_transit_parse_time(time, &out->depart_s))
                MCO_TRY(mco_text_fail(text, field.line, field.column, "depart is \"%.*s\", a time like 08:30 was expected",
                                      mco_slice_shown(field), field.data));
        }
    if (seen < COLUMNS)
        MCO_TRY(mco_text_fail(text, whole.line, whole.column, "the row has %d of %d columns", seen, COLUMNS));
done:
    return st;
}

mco_status mco_transit_read_queries(mco_context *ctx, const char *path, mco_transit_query **queries, int64_t *count)
{
    mco_status st = MCO_OK;
    mco_text text = {0};
    mco_transit_query *q = NULL;
    int64_t room = 0, n = 0;
    int column[COLUMNS];
    char separator = ',';
    mco_slice row;
    if (ctx == NULL || path == NULL || queries == NULL || count == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(read_header(&text, &separator, column));
    while (mco_text_row(&text, separator, &row)) {
        MCO_TRY(mco_text_in_time(&text, n));
        MCO_TRY(mco_grow(ctx, &q, &room, n + 1));
        MCO_TRY(read_query(&text, row, separator, column, &q[n++]));
    }
    *queries = q;
    *count = n;
    q = NULL;
done:
    mco_free(ctx, &q);
    mco_text_close(&text);
    return st;
}

void mco_transit_queries_clear(mco_context *ctx, mco_transit_query **queries)
{
    mco_free(ctx, queries);
}
