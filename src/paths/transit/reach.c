// SPDX-License-Identifier: MIT
// The reach of a place (isochrones): rounds to all stops, then one walk from the place and from every stop at once, each stop with
// the arrival there as a head start. Walks are bounded by the time alone.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "base/structs.h"
#include "paths/transit/city.h"

static const double SQUARE_M = 100;  // side of the squares that the area counts

typedef struct reaching {
    mco_context *ctx;
    const mco_transit *city;
    transit_watch watch;
    transit_planner planner;
    mco_transit_reach *r;
    int32_t limit_cm;
    int32_t *stop_cm;  // [stops] time of the arrival, as centimetres on foot
} reaching;

static mco_status test_request(mco_context *ctx, int32_t depart_s, int32_t bands, const int32_t *minutes)
{
    enum { MOST_MINUTES = 1440 };
    if (bands < 1 || bands > MCO_TRANSIT_MAX_BANDS)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d bands, 1 to %d are supported", bands, MCO_TRANSIT_MAX_BANDS);
    for (int32_t k = 0; k < bands; k++)
        if (minutes[k] <= (k > 0 ? minutes[k - 1] : 0) || minutes[k] > MOST_MINUTES)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "band %d has %d minutes: ascending numbers of 1 to %d were expected", k + 1, minutes[k], MOST_MINUTES);
    if (depart_s < 0 || depart_s > MCO_TRANSIT_MAX_TIME_S)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the departure is second %d of the day, 0 to %d are allowed", depart_s, MCO_TRANSIT_MAX_TIME_S);
    return MCO_OK;
}

// The longest walk that takes at most so many seconds, by transit_walk_seconds(): sums of both come back to the second.
static int32_t longest_cm(const transit_streets *s, int32_t seconds)
{
    int32_t cm = (int32_t)floor(seconds * 100 * s->walk_speed) + 1;
    while (cm > 0 && transit_walk_seconds(s, cm) > seconds)  // once or twice
        cm--;
    return cm;
}

// Rides to stops, by the rounds; a label that comes too late is dropped as one behind the target would be.
static mco_status ride(reaching *x, const mco_transit_params *params, mco_transit_place from)
{
    mco_status st = MCO_OK;
    const transit_streets *s = &x->city->streets;
    transit_planner *p = &x->planner;
    const int32_t limit_s = 60 * x->r->minutes[x->r->bands - 1];
    int32_t *arrive = NULL;
    if (!transit_streets_near(s, from.latitude, from.longitude, &p->origin))
        return mco_fail(x->ctx, MCO_ERR_ARGUMENT, "the place is %.6f,%.6f, and no street within %d m is on the map, which has latitudes %.6f to %.6f and longitudes %.6f to %.6f",
                        from.latitude, from.longitude, TRANSIT_OFF_MAP_M, s->south, s->north, s->west, s->east);
    MCO_TRY(mco_alloc(x->ctx, &arrive, s->stops));
    transit_walker_run(&p->from, &p->origin, x->limit_cm, NULL);
    transit_walker_find_stops(&p->from, &p->origin, x->limit_cm);
    p->query = (transit_query){.depart_s = x->r->depart_s, .direct_s = limit_s + 1, .max_rides = params->modes == MCO_TRANSIT_MODES_WALK ? 0 : (int32_t)params->max_rides,
                               .start = p->from.end, .starts = p->from.end_count};
    if (!transit_search_run(p->search, &p->query))
        MCO_TRY(mco_fail(x->ctx, MCO_ERR_STOPPED, "the search was stopped"));
    transit_search_arrivals(p->search, arrive);
    for (int32_t i = 0; i < s->stops; i++)
        x->stop_cm[i] = arrive[i] <= x->r->depart_s + limit_s ? longest_cm(s, arrive[i] - x->r->depart_s) : INT32_MAX;
    for (int32_t i = 0; i < p->from.end_count; i++) {
        const int32_t cm = longest_cm(s, p->from.end[i].seconds);
        if (cm < x->stop_cm[p->from.end[i].stop])
            x->stop_cm[p->from.end[i].stop] = cm;
    }
done:
    mco_free(x->ctx, &arrive);
    return st;
}

// The band of a length on foot; `bands`: none.
static int32_t band_of(const reaching *x, int32_t cm)
{
    int32_t band = 0;
    if (cm == INT32_MAX)
        return x->r->bands;
    const int32_t seconds = transit_walk_seconds(&x->city->streets, cm);
    while (band < x->r->bands && seconds > 60 * x->r->minutes[band])
        band++;
    return band;
}

// Squares of the map with a vertex that is reached: the least band of each.
static mco_status count_area(reaching *x)
{
    mco_status st = MCO_OK;
    const transit_streets *s = &x->city->streets;
    const double height = transit_beeline_m(s->south, s->west, s->north, s->west), width = transit_beeline_m(s->south, s->west, s->south, s->east);
    const int64_t columns = 1 + (int64_t)(width / SQUARE_M), rows = 1 + (int64_t)(height / SQUARE_M);
    uint8_t *least = NULL;
    if (s->vertices == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(x->ctx, &least, columns * rows));  // 0: none, else `bands` less the band
    for (int32_t v = 0; v < s->vertices; v++) {
        const uint8_t rank = (uint8_t)(x->r->bands - band_of(x, x->planner.from.cm[v]));
        const int64_t row = (int64_t)(transit_beeline_m(s->south, s->west, s->latitude[v], s->west) / SQUARE_M);
        const int64_t column = (int64_t)((s->longitude[v] - s->west) / fmax(s->east - s->west, 1e-9) * width / SQUARE_M);
        uint8_t *cell = &least[(row < rows ? row : rows - 1) * columns + (column < columns ? column : columns - 1)];
        *cell = rank > *cell ? rank : *cell;
    }
    for (int64_t c = 0; c < columns * rows; c++)
        for (int32_t k = 0; k < x->r->bands; k++)
            x->r->area_km2[k] += least[c] >= x->r->bands - k ? SQUARE_M * SQUARE_M / 1e6 : 0;
done:
    mco_free(x->ctx, &least);
    return st;
}

static mco_status count_bands(reaching *x)
{
    mco_status st = MCO_OK;
    const transit_streets *s = &x->city->streets;
    const int32_t *cm = x->planner.from.cm;
    mco_transit_reach *r = x->r;
    for (int32_t i = 0; i < s->stops; i++)
        for (int32_t k = band_of(x, x->stop_cm[i]); k < r->bands; k++)
            r->stops[k]++;
    for (int32_t e = 0; e < s->pieces; e++) {
        const int32_t from = band_of(x, cm[s->piece_from[e]]), to = band_of(x, cm[s->piece_to[e]]);
        for (int32_t k = from > to ? from : to; k < r->bands; k++)
            r->street_km[k] += s->piece_cm[e] / 1e5;
    }
    MCO_TRY(mco_alloc(x->ctx, &r->arrive, s->vertices));
    r->vertices = s->vertices;
    for (int32_t v = 0; v < s->vertices; v++)
        r->arrive[v] = band_of(x, cm[v]) < r->bands ? r->depart_s + transit_walk_seconds(s, cm[v]) : MCO_TRANSIT_NEVER;
    MCO_TRY(count_area(x));
done:
    return st;
}

// Finds the reach. One that is stopped has neither counts nor arrivals.
static mco_status find(reaching *x, const mco_transit_params *params, mco_transit_place from)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(x->ctx, &x->stop_cm, x->city->table.stops));
    MCO_TRY(ride(x, params, from));
    transit_walker_run_stops(&x->planner.from, &x->planner.origin, x->stop_cm, x->limit_cm);
    if (!transit_is_stopped(&x->watch))
        MCO_TRY(count_bands(x));
done:
    return st == MCO_ERR_STOPPED && x->watch.is_stopped ? MCO_OK : st;
}

mco_status mco_transit_find_reach(mco_context *ctx, const mco_transit *transit, mco_transit_place from, int32_t depart_s, int32_t bands,
                                  const int32_t *minutes, const mco_transit_params *params, mco_transit_reach *reach)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_reach r = MCO_TRANSIT_REACH_INIT;
    reaching x = {.ctx = ctx, .city = transit, .r = &r};
    mco_run run = {0};
    if (ctx == NULL || transit == NULL || minutes == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(mco_struct_test(ctx, "reach", reach, sizeof r));
    MCO_TRY(mco_options_validate(ctx, mco_transit_options(), &p));
    if (p.engine == MCO_ENGINE_GPU)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--engine is gpu, which answers many queries: a reach is for a core");
    MCO_TRY(test_request(ctx, depart_s, bands, minutes));
    r.from = from;
    r.depart_s = depart_s;
    r.bands = bands;
    memcpy(r.minutes, minutes, (size_t)bands * sizeof *minutes);
    x.limit_cm = longest_cm(&transit->streets, 60 * minutes[bands - 1]);
    const mco_run_settings settings = {.time_limit_s = p.time_limit_s, .target = -1, .objective = "reach"};
    run = mco_run_begin(ctx, &settings);
    x.watch.run = &run;
    MCO_TRY(transit_planner_open(ctx, transit, &p, &x.watch, &x.planner));
    MCO_TRY(find(&x, &p, from));
    r.outcome = x.watch.is_stopped ? MCO_OUTCOME_UNKNOWN : MCO_OUTCOME_OPTIMAL;
    r.stop = x.watch.is_stopped ? run.stop : MCO_STOP_FINISHED;
    r.work = (mco_work){.engine = MCO_ENGINE_CPU, .lane_bits = 32, .threads = 1, .solve_s = mco_run_time_s(&run)};
    mco_struct_give(reach, &r, sizeof r);
done:
    mco_free(ctx, &x.stop_cm);
    transit_planner_close(ctx, &x.planner);
    mco_run_clear(&run);
    mco_transit_reach_clear(ctx, &r);
    mco_clear_cancel(ctx);
    return st;
}

void mco_transit_reach_clear(mco_context *ctx, mco_transit_reach *reach)
{
    mco_transit_reach full = {0};
    if (reach == NULL)
        return;
    mco_struct_clear(reach, &full, sizeof full);
    mco_free(ctx, &full.arrive);
}
