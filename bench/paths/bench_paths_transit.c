// SPDX-License-Identifier: MIT
// Itineraries a second in Porto Alegre: seeded places near junctions of the map, departures 6:00 to 22:00, every journey checked.
// Usage: MCO_DATA=FOLDER bench_paths_transit [QUERIES [FIRST_HOUR LAST_HOUR]]
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/rng.h"
#include "paths/transit/city.h"

enum { REPEATS = 5, SAMPLE = 50 };
static const double NEAR = 0.0005;  // degrees between a junction and a place

static void draw(const mco_transit *city, int64_t count, int first_hour, int last_hour, mco_transit_query *query)
{
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int64_t i = 0; i < count; i++) {
        mco_transit_place *const places[] = {&query[i].from, &query[i].to};
        for (int k = 0; k < 2; k++) {
            const uint32_t v = mco_rng_below(&rng, (uint32_t)city->streets.vertices);
            places[k]->latitude = city->streets.latitude[v] + NEAR * (2 * mco_rng_real(&rng) - 1);
            places[k]->longitude = city->streets.longitude[v] + NEAR * (2 * mco_rng_real(&rng) - 1);
        }
        query[i].depart_s = 3600 * first_hour + (int32_t)mco_rng_below(&rng, 3600 * (uint32_t)(last_hour - first_hour));
    }
}

static mco_status run(mco_context *ctx, const mco_transit *city, int64_t count, const mco_transit_query *query)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    for (int threads = 1; threads <= 2; threads++) {
        double wall_s = 1e300, cpu_s = 1e300;
        mco_transit_batch b = MCO_TRANSIT_BATCH_INIT;
        for (int i = 0; i < REPEATS; i++) {
            const double begin_s = mco_cpu_clock_s();
            mco_transit_batch_clear(ctx, &b);
            b = (mco_transit_batch)MCO_TRANSIT_BATCH_INIT;
            p.threads = threads;
            MCO_TRY(mco_transit_find_many(ctx, city, count, query, &p, &b));
            cpu_s = mco_cpu_clock_s() - begin_s < cpu_s ? mco_cpu_clock_s() - begin_s : cpu_s;
            wall_s = b.work.solve_s < wall_s ? b.work.solve_s : wall_s;
        }
        printf("%d threads: %lld queries, %lld found, %lld direct walks, %lld rides, %lld off the map, %.4f s, %.4f CPU s, %.0f queries/s, %.0f a CPU second\n",
               threads, (long long)b.count, (long long)b.found, (long long)b.walks, (long long)b.rides, (long long)b.off_map, wall_s, cpu_s, (double)count / wall_s, (double)count / cpu_s);
        mco_transit_batch_clear(ctx, &b);
    }
done:
    return st;
}

// The parts of a query, in CPU seconds, and the oracle on a sample.
static mco_status parts(mco_context *ctx, const mco_transit *city, int64_t count, const mco_transit_query *query)
{
    mco_status st = MCO_OK;
    mco_transit_params p = MCO_TRANSIT_PARAMS_INIT;
    transit_planner planner = {0};
    double walk_s = 0, rounds_s = 0, oracle_s = 0;
    int64_t sampled = 0, equal = 0, starts = 0;
    MCO_TRY(transit_planner_open(ctx, city, &p, NULL, &planner));
    for (int64_t i = 0; i < count; i++) {
        int32_t best[TRANSIT_MAX_RIDES + 1];
        transit_found found[TRANSIT_MAX_RIDES + 1];
        double at = mco_cpu_clock_s();
        if (transit_planner_prepare(ctx, &planner, &query[i], &p) != MCO_OK)
            continue;
        walk_s += mco_cpu_clock_s() - at;
        at = mco_cpu_clock_s();
        (void)transit_search_run(planner.search, &planner.query);
        rounds_s += mco_cpu_clock_s() - at;
        starts += planner.query.starts;
        if (i % (count / SAMPLE + 1) != 0)
            continue;
        at = mco_cpu_clock_s();
        MCO_TRY(transit_ref_search(ctx, &city->table, &planner.query, best, NULL));
        oracle_s += mco_cpu_clock_s() - at;
        const int32_t k = transit_search_journeys(planner.search, found);
        sampled++;
        equal += (k > 0 ? found[k - 1].arrive_s : TRANSIT_NEVER) == best[p.max_rides];
    }
    printf("walks %.1f us, rounds %.1f us a query; %.1f stops near a place; oracle %.1f us, %lld of %lld equal\n", 1e6 * walk_s / (double)count,
           1e6 * rounds_s / (double)count, (double)starts / (double)count, 1e6 * oracle_s / (double)sampled, (long long)equal, (long long)sampled);
done:
    transit_planner_close(ctx, &planner);
    return st;
}

int main(int argc, char **argv)
{
    const char *data = getenv("MCO_DATA");
    const int64_t count = argc > 1 ? atoll(argv[1]) : 1000;
    const int first_hour = argc > 3 ? atoi(argv[2]) : 6, last_hour = argc > 3 ? atoi(argv[3]) : 22;
    char map[1024], feeds[2048];
    mco_context *ctx = NULL;
    mco_transit *city = NULL;
    mco_transit_query *query = NULL;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    mco_status st = MCO_OK;
    if (data == NULL || count < 1 || last_hour <= first_hour) {
        fprintf(stderr, "usage: MCO_DATA=FOLDER bench_paths_transit [QUERIES [FIRST_HOUR LAST_HOUR]]\n");
        return 2;
    }
    snprintf(map, sizeof map, "%s/roads/osm/poa.osm.pbf", data);
    snprintf(feeds, sizeof feeds, "%s/roads/gtfs/poa_eptc.zip,%s/roads/gtfs/poa_trensurb.zip", data, data);
    model.map = map;
    model.feeds = feeds;
    model.date = 20190515;
    MCO_TRY(mco_context_create(&ctx, NULL));
    MCO_TRY(mco_transit_open(ctx, &model, &city));
    MCO_TRY(mco_alloc(ctx, &query, count));
    draw(city, count, first_hour, last_hour, query);
    printf("opened in %.3f s\n", city->facts.open_s);
    MCO_TRY(run(ctx, city, count, query));
    MCO_TRY(parts(ctx, city, count, query));
done:
    if (st != MCO_OK)
        fprintf(stderr, "%s\n", mco_context_error(ctx));
    mco_free(ctx, &query);
    mco_transit_destroy(ctx, &city);
    mco_context_destroy(&ctx);
    return st == MCO_OK ? 0 : 1;
}
