// SPDX-License-Identifier: MIT
// Itineraries a second on a GPU: seeded places near junctions of the map, departures 6:00 to 22:00, every journey checked, and
// compared with the answers of the cores.
//
//     bench_paths_transit_gpu MAP FEEDS YYYYMMDD [QUERIES [COMPARED]]
//
// MAP "-": straight lines. Columns: what, queries, found, rides, wall s, queries a second, open s, walks s, rounds s, copies s, host s, wait s,
// chunk, blocks of the walks and of the rounds. The queries a second leave out the opening of the device, which `open s` has.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/rng.h"
#include "paths/transit/gpu.h"

enum { REPEATS = 3 };
static const double NEAR = 0.0005;  // degrees between a junction and a place

static void draw(const mco_transit *city, int64_t count, mco_transit_query *query)
{
    mco_rng rng;
    const transit_streets *s = &city->streets;
    mco_rng_seed(&rng, 1, 0);
    for (int64_t i = 0; i < count; i++) {
        mco_transit_place *const places[] = {&query[i].from, &query[i].to};
        for (int k = 0; k < 2; k++) {
            const uint32_t v = mco_rng_below(&rng, (uint32_t)(s->vertices > 0 ? s->vertices : city->table.stops));
            places[k]->latitude = (s->vertices > 0 ? s->latitude[v] : city->table.stop[v].latitude) + NEAR * (2 * mco_rng_real(&rng) - 1);
            places[k]->longitude = (s->vertices > 0 ? s->longitude[v] : city->table.stop[v].longitude) + NEAR * (2 * mco_rng_real(&rng) - 1);
        }
        query[i].depart_s = 3600 * 6 + (int32_t)mco_rng_below(&rng, 3600 * 16);
    }
}

static mco_status open_workers(transit_many *m, int threads)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &m->workers, threads));
    for (int k = 0; k < threads; k++) {
        MCO_TRY(mco_context_create_child(m->ctx, &m->workers[k].ctx));
        MCO_TRY(transit_planner_open(m->workers[k].ctx, m->city, m->params, NULL, &m->workers[k].planner));
    }
done:
    return st;
}

static void clear_journeys(transit_many *m)
{
    for (int64_t i = 0; i < m->count; i++) {
        mco_free(m->ctx, &m->journey[i].legs);
        m->journey[i] = (mco_transit_journey){.arrive_s = MCO_TRANSIT_NEVER};
    }
}

static mco_status measure(mco_context *ctx, const mco_transit *city, const mco_transit_params *params, int64_t count, const mco_transit_query *query,
                          const char *what, const transit_gpu_tuning *tuning)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    const int threads = mco_settle_threads(0);
    double best_s = 1e300;
    transit_gpu_stats best = {0};
    int64_t found = 0, rides = 0;
    transit_many m = {.ctx = ctx, .city = city, .params = params, .query = query, .count = count};
    const mco_run_settings settings = {.time_limit_s = 1e9, .target = -1, .objective = "queries"};
    m.run = mco_run_begin(ctx, &settings);
    MCO_TRY(open_workers(&m, threads));
    MCO_TRY(mco_team_open(ctx, threads, true, &team));
    MCO_TRY(mco_alloc(ctx, &m.journey, count));
    for (int run = 0; run < REPEATS; run++) {
        mco_work work = {0};
        transit_gpu_stats stats;
        clear_journeys(&m);
        found = rides = 0;
        const double begin_s = mco_clock_s();
        MCO_TRY(transit_gpu_many_tuned(&m, &team, tuning, &work, &stats));
        const double wall_s = mco_clock_s() - begin_s - stats.open_s;
        for (int k = 0; k < threads; k++)
            if (m.workers[k].status != MCO_OK)
                MCO_TRY(mco_fail(ctx, m.workers[k].status, "%.300s", mco_context_error(m.workers[k].ctx)));
        for (int64_t i = 0; i < count; i++) {
            found += m.journey[i].leg_count > 0;
            rides += m.journey[i].rides;
        }
        if (wall_s < best_s) {
            best_s = wall_s;
            best = stats;
        }
    }
    printf("%s,%lld,%lld,%lld,%.4f,%.0f,%.3f,%.4f,%.4f,%.4f,%.4f,%.4f,%d,%d,%d\n", what, (long long)count, (long long)found, (long long)rides, best_s,
           (double)count / best_s, best.open_s, best.places_s, best.rounds_s, best.copies_s, best.host_s, best.wait_s, best.chunk, best.place_blocks, best.round_blocks);
    fflush(stdout);
done:
    if (m.journey != NULL)
        clear_journeys(&m);
    mco_free(ctx, &m.journey);
    mco_team_close(&team);
    for (int k = 0; k < threads && m.workers != NULL; k++) {
        transit_planner_close(ctx, &m.workers[k].planner);
        mco_context_destroy(&m.workers[k].ctx);
    }
    mco_free(ctx, &m.workers);
    mco_run_clear(&m.run);
    return st;
}

// By fields: a leg has bytes between them that nobody sets.
static bool same_leg(const mco_transit_leg *a, const mco_transit_leg *b)
{
    return a->move == b->move && a->from == b->from && a->to == b->to && a->depart_s == b->depart_s && a->arrive_s == b->arrive_s &&
           a->metres == b->metres && a->trip == b->trip && a->board == b->board && a->leave == b->leave;
}

static bool same_journey(const mco_transit_journey *a, const mco_transit_journey *b)
{
    bool same = a->leg_count == b->leg_count && a->arrive_s == b->arrive_s;
    for (int32_t k = 0; k < a->leg_count && same; k++)
        same = same_leg(&a->legs[k], &b->legs[k]);
    return same;
}

// Both engines by the public call, leg by leg.
static mco_status compare(mco_context *ctx, const mco_transit *city, int64_t count, const mco_transit_query *query)
{
    mco_status st = MCO_OK;
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_batch cores = MCO_TRANSIT_BATCH_INIT, gpu = MCO_TRANSIT_BATCH_INIT;
    int64_t unequal = 0;
    params.engine = MCO_ENGINE_CPU;
    MCO_TRY(mco_transit_find_many(ctx, city, count, query, &params, &cores));
    params.engine = MCO_ENGINE_GPU;
    MCO_TRY(mco_transit_find_many(ctx, city, count, query, &params, &gpu));
    for (int64_t i = 0; i < count; i++)
        unequal += !same_journey(&cores.journeys[i], &gpu.journeys[i]);
    printf("cores,%lld,%lld,%lld,%.4f,%.0f,%d threads\n", (long long)count, (long long)cores.found, (long long)cores.rides, cores.work.solve_s,
           (double)count / cores.work.solve_s, cores.work.threads);
    printf("gpu with opening,%lld,%lld,%lld,%.4f,%.0f,%lld unequal\n", (long long)count, (long long)gpu.found, (long long)gpu.rides, gpu.work.solve_s,
           (double)count / gpu.work.solve_s, (long long)unequal);
    if (unequal > 0)
        st = mco_fail(ctx, MCO_ERR_CHECK, "%lld journeys of %lld differ", (long long)unequal, (long long)count);
done:
    mco_transit_batch_clear(ctx, &cores);
    mco_transit_batch_clear(ctx, &gpu);
    return st;
}

static const struct {
    const char *what;
    transit_gpu_tuning tuning;
} VARIANTS[] = {
    {"chosen", {0}},
    {"chunks of 1024", {.chunk = 1024}},
    {"chunks of 16384", {.chunk = 16384}},
    {"64 threads a block", {.place_threads = 64, .round_threads = 64}},
    {"256 threads a block", {.place_threads = 256, .round_threads = 256}},
};

int main(int argc, char **argv)
{
    mco_context *ctx = NULL;
    mco_transit *city = NULL;
    mco_transit_query *query = NULL;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    const mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_status st = MCO_OK;
    if (argc < 4) {
        fprintf(stderr, "usage: bench_paths_transit_gpu MAP FEEDS YYYYMMDD [QUERIES [COMPARED]]\n");
        return 2;
    }
    const int64_t count = argc > 4 ? atoll(argv[4]) : 100000, compared = argc > 5 ? atoll(argv[5]) : count;
    model.map = strcmp(argv[1], "-") != 0 ? argv[1] : NULL;
    model.feeds = argv[2];
    model.date = atoi(argv[3]);
    MCO_TRY(mco_context_create(&ctx, NULL));
    MCO_TRY(mco_transit_open(ctx, &model, &city));
    MCO_TRY(mco_alloc(ctx, &query, count));
    draw(city, count, query);
    fprintf(stderr, "%s: %d vertices, %d stops, %d routes, %lld times, opened in %.3f s\n", city->name, city->streets.vertices, city->table.stops,
            city->table.routes, (long long)city->index.times, city->facts.open_s);
    printf("what,queries,found,rides,wall_s,queries_a_second,open_s,walks_s,rounds_s,copies_s,host_s,wait_s,chunk,walk_blocks,round_blocks\n");
    MCO_TRY(compare(ctx, city, compared < count ? compared : count, query));
    for (size_t k = 0; k < sizeof VARIANTS / sizeof VARIANTS[0]; k++)
        MCO_TRY(measure(ctx, city, &params, count, query, VARIANTS[k].what, &VARIANTS[k].tuning));
done:
    if (st != MCO_OK)
        fprintf(stderr, "%s\n", ctx != NULL ? mco_context_error(ctx) : "no memory");
    mco_free(ctx, &query);
    mco_transit_destroy(ctx, &city);
    mco_context_destroy(&ctx);
    return st == MCO_OK ? 0 : 1;
}
