// SPDX-License-Identifier: MIT
// Journeys on a GPU against the cores, leg by leg: random timetables in which many trips arrive at the same second, with straight walks
// and on small maps; cities of a grid; many shapes of blocks and chunks; limits and stops.
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "paths/transit/gpu.h"

static long checks;
static mco_context *ctx;
static char folder[64];

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))

static int32_t draw(mco_rng *rng, int32_t low, int32_t high)
{
    return low + (int32_t)mco_rng_below(rng, (uint32_t)(high - low + 1));
}

// ---- Files of random cities

static FILE *begin_file(const char *name, const char *header)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        exit(EXIT_FAILURE);
    fputs(header, file);
    return file;
}

// The place of a stop: near the crossings of a grid of streets, about 100 m apart.
static void place_of(int32_t stop, int32_t side, double *latitude, double *longitude)
{
    *latitude = -30 + 0.001 * (stop / side % side);
    *longitude = -51 + 0.001 * (stop % side);
}

static void write_trips(mco_rng *rng, int32_t stops, int32_t routes, int32_t grain)
{
    FILE *trips = begin_file("trips.txt", "route_id,service_id,trip_id\n");
    FILE *times = begin_file("stop_times.txt", "trip_id,arrival_time,departure_time,stop_id,stop_sequence,pickup_type,drop_off_type\n");
    FILE *lines = begin_file("routes.txt", "route_id,agency_id,route_short_name,route_type\n");
    int trip = 0;
    for (int32_t r = 0; r < routes; r++) {
        int32_t row[12], pick[12], drop[12], length = draw(rng, 2, 12);
        fprintf(lines, "r%d,a,%d,3\n", r, r);
        for (int32_t k = 0; k < length; k++) {
            row[k] = draw(rng, 0, stops - 1);
            pick[k] = draw(rng, 0, 11) == 0;
            drop[k] = draw(rng, 0, 11) == 0;
        }
        for (int32_t t = draw(rng, 1, 12); t > 0; t--, trip++) {
            int32_t now = 8 * 3600 + draw(rng, -20, 120) * grain;
            fprintf(trips, "r%d,s,t%d\n", r, trip);
            for (int32_t k = 0; k < length; k++) {
                const int32_t arrive = now += k > 0 ? draw(rng, 0, 6) * grain : 0;
                now += draw(rng, 0, 3) == 0 ? grain : 0;
                fprintf(times, "t%d,%02d:%02d:%02d,%02d:%02d:%02d,p%d,%d,%d,%d\n", trip, arrive / 3600, arrive / 60 % 60, arrive % 60, now / 3600,
                        now / 60 % 60, now % 60, row[k], k, pick[k], drop[k]);
            }
        }
    }
    fclose(lines);
    fclose(times);
    fclose(trips);
}

static void write_city(uint64_t seed, int32_t side, int32_t stops, int32_t routes, int32_t grain)
{
    mco_rng rng;
    double latitude, longitude;
    mco_rng_seed(&rng, seed, 0);
    fclose(begin_file("agency.txt", "agency_id,agency_name,agency_url,agency_timezone\na,A,http://example.org,UTC\n"));
    fclose(begin_file("calendar.txt", "service_id,monday,tuesday,wednesday,thursday,friday,saturday,sunday,start_date,end_date\n"
                                      "s,1,1,1,1,1,1,1,20190101,20191231\n"));
    FILE *file = begin_file("stops.txt", "stop_id,stop_name,stop_lat,stop_lon\n");
    for (int32_t s = 0; s < stops; s++) {
        place_of(draw(&rng, 0, side * side - 1), side, &latitude, &longitude);
        fprintf(file, "p%d,Stop %d,%.6f,%.6f\n", s, s, latitude + 1e-6 * draw(&rng, -200, 200), longitude + 1e-6 * draw(&rng, -200, 200));
    }
    fclose(file);
    file = begin_file("transfers.txt", "from_stop_id,to_stop_id,transfer_type,min_transfer_time\n");
    for (int32_t s = 0; s < stops; s += 3)
        fprintf(file, "p%d,p%d,2,%d\n", s, draw(&rng, 0, stops - 1), draw(&rng, 0, 5) * grain);
    fclose(file);
    write_trips(&rng, stops, routes, grain);
}

// A grid of streets, some of them missing.
static void write_map(uint64_t seed, int32_t side)
{
    mco_rng rng;
    double latitude, longitude;
    int way = 1;
    mco_rng_seed(&rng, seed, 1);
    FILE *file = begin_file("city.osm", "<?xml version=\"1.0\"?>\n<osm version=\"0.6\">\n");
    for (int32_t v = 0; v < side * side; v++) {
        place_of(v, side, &latitude, &longitude);
        fprintf(file, "<node id=\"%d\" lat=\"%.6f\" lon=\"%.6f\"/>\n", v + 1, latitude + 1e-6 * draw(&rng, -100, 100), longitude + 1e-6 * draw(&rng, -100, 100));
    }
    for (int32_t v = 0; v < side * side; v++)
        for (int k = 0; k < 2; k++) {
            const int32_t to = k == 0 ? v + 1 : v + side;
            if ((k == 0 ? (v + 1) % side == 0 : to >= side * side) || draw(&rng, 0, 9) == 0)
                continue;
            fprintf(file, "<way id=\"%d\"><nd ref=\"%d\"/><nd ref=\"%d\"/><tag k=\"highway\" v=\"residential\"/></way>\n", way++, v + 1, to + 1);
        }
    fputs("</osm>\n", file);
    fclose(file);
}

static mco_transit *open_city(bool with_map)
{
    char map[128];
    mco_transit *city = NULL;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    snprintf(map, sizeof map, "%s/city.osm", folder);
    model.feeds = folder;
    model.map = with_map ? map : NULL;
    model.date = 20190515;
    model.max_transfer_m = 200;
    MUST(mco_transit_open(ctx, &model, &city));
    return city;
}

static mco_transit_query *draw_queries(const mco_transit *city, int64_t count, uint64_t seed, int32_t grain)
{
    mco_rng rng;
    mco_transit_query *query = calloc((size_t)count, sizeof *query);
    if (query == NULL)
        exit(EXIT_FAILURE);
    mco_rng_seed(&rng, seed, 2);
    for (int64_t i = 0; i < count; i++) {
        const transit_stop *a = &city->table.stop[draw(&rng, 0, city->table.stops - 1)], *b = &city->table.stop[draw(&rng, 0, city->table.stops - 1)];
        query[i].from = (mco_transit_place){a->latitude + 1e-6 * draw(&rng, -900, 900), a->longitude + 1e-6 * draw(&rng, -900, 900)};
        query[i].to = (mco_transit_place){b->latitude + 1e-6 * draw(&rng, -900, 900), b->longitude + 1e-6 * draw(&rng, -900, 900)};
        query[i].depart_s = 8 * 3600 + draw(&rng, -20, 120) * grain;
        if (i % 50 == 7)
            query[i].to.latitude = 10;  // off the map
    }
    return query;
}

// ---- Comparisons

static void compare(const char *what, const mco_transit *city, const mco_transit_batch *a, const mco_transit_batch *b)
{
    GPU_CHECK(a->done == b->done && a->found == b->found && a->off_map == b->off_map && a->walks == b->walks && a->rides == b->rides,
              "%s: %lld and %lld found", what, (long long)a->found, (long long)b->found);
    for (int64_t i = 0; i < a->count; i++) {
        const mco_transit_journey *x = &a->journeys[i], *y = &b->journeys[i];
        bool is_equal = x->arrive_s == y->arrive_s && x->rides == y->rides && x->leg_count == y->leg_count;
        for (int32_t k = 0; is_equal && k < x->leg_count; k++) {
            const mco_transit_leg *l = &x->legs[k], *m = &y->legs[k];
            is_equal = l->move == m->move && l->from == m->from && l->to == m->to && l->depart_s == m->depart_s && l->arrive_s == m->arrive_s &&
                       l->metres == m->metres && l->trip == m->trip && l->board == m->board && l->leave == m->leave;
        }
        GPU_CHECK(is_equal, "%s, %s, query %lld: %d legs to %d, and %d legs to %d", what, city->name, (long long)i, x->leg_count, x->arrive_s, y->leg_count, y->arrive_s);
        checks += 1 + x->leg_count;
    }
}

static mco_transit_batch find(const mco_transit *city, mco_engine engine, int64_t count, const mco_transit_query *query, int64_t max_rides, int64_t max_walk)
{
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_batch batch = MCO_TRANSIT_BATCH_INIT;
    params.engine = engine;
    params.max_rides = max_rides;
    params.max_walk = max_walk;
    params.threads = 3;
    MUST(mco_transit_find_many(ctx, city, count, query, &params, &batch));
    GPU_CHECK(batch.work.engine == engine, "engine %d", (int)batch.work.engine);
    return batch;
}

static void parity(const char *what, const mco_transit *city, int64_t count, const mco_transit_query *query, int64_t max_rides, int64_t max_walk)
{
    mco_transit_batch cores = find(city, MCO_ENGINE_CPU, count, query, max_rides, max_walk);
    mco_transit_batch gpu = find(city, MCO_ENGINE_GPU, count, query, max_rides, max_walk);
    compare(what, city, &cores, &gpu);
    mco_transit_batch_clear(ctx, &cores);
    mco_transit_batch_clear(ctx, &gpu);
}

static void test_random(void)
{
    for (uint64_t seed = 1; seed <= 24; seed++) {
        const int32_t side = 4 + (int32_t)(seed % 3) * 4, grain = seed % 4 == 0 ? 1 : 60, stops = 5 + 9 * (int32_t)(seed % 7);
        write_city(seed, side, stops, 4 + 5 * (int32_t)(seed % 9), grain);
        write_map(seed, side);
        for (int with_map = 0; with_map < 2; with_map++) {
            mco_transit *city = open_city(with_map != 0);
            if (city == NULL)
                continue;
            mco_transit_query *query = draw_queries(city, 300, seed, grain);
            parity(with_map ? "map" : "lines", city, 300, query, seed % 5 == 0 ? 1 : 6, seed % 3 == 0 ? 120 : 400);
            if (seed % 6 == 0)
                parity("no rides", city, 60, query, 0, 300);
            if (seed % 6 == 1)
                parity("many rides", city, 60, query, 16, 0);
            free(query);
            mco_transit_destroy(ctx, &city);
        }
    }
}

static void test_grid(void)
{
    char path[128];
    mco_transit *city = NULL;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    const mco_transit_shape shape = {.rows = 12, .columns = 15, .latitude = -30, .longitude = -51};
    snprintf(path, sizeof path, "%s/grid", folder);
    model.feeds = path;
    model.date = 20190515;
    MUST(mco_transit_generate(ctx, &shape, path));
    MUST(mco_transit_open(ctx, &model, &city));
    if (city == NULL)
        return;
    mco_transit_query *query = draw_queries(city, 600, 5, 97);
    parity("grid", city, 600, query, 6, 1200);
    free(query);
    mco_transit_destroy(ctx, &city);
}

// ---- Shapes, limits, stops

static transit_many open_many(const mco_transit *city, const mco_transit_params *params, int64_t count, const mco_transit_query *query)
{
    transit_many m = {.ctx = ctx, .city = city, .params = params, .query = query, .count = count};
    m.workers = calloc(1, sizeof *m.workers);
    m.journey = calloc((size_t)count, sizeof *m.journey);
    const mco_run_settings settings = {.time_limit_s = 1e9, .target = -1, .objective = "queries"};
    m.run = mco_run_begin(ctx, &settings);
    m.workers[0].ctx = ctx;
    for (int64_t i = 0; i < count; i++)
        m.journey[i].arrive_s = MCO_TRANSIT_NEVER;
    MUST(transit_planner_open(ctx, city, params, NULL, &m.workers[0].planner));
    return m;
}

static void close_many(transit_many *m)
{
    for (int64_t i = 0; i < m->count; i++)
        mco_free(ctx, &m->journey[i].legs);
    transit_planner_close(ctx, &m->workers[0].planner);
    mco_run_clear(&m->run);
    free(m->journey);
    free(m->workers);
}

static void test_shapes(void)
{
    static const transit_gpu_tuning tunings[] = {{1, 32, 32, 1}, {7, 64, 96, 2}, {64, 256, 256, 0}, {300, 1024, 1024, 3}};
    const mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    write_city(77, 8, 60, 40, 60);
    write_map(77, 8);
    mco_transit *city = open_city(true);
    if (city == NULL)
        return;
    mco_transit_query *query = draw_queries(city, 150, 9, 60);
    mco_transit_batch cores = find(city, MCO_ENGINE_CPU, 150, query, 6, 1200);
    for (size_t k = 0; k < sizeof tunings / sizeof tunings[0]; k++) {
        mco_team team = {0};
        mco_work work = {0};
        transit_many m = open_many(city, &params, 150, query);
        MUST(mco_team_open(ctx, 1, true, &team));
        MUST(transit_gpu_many_tuned(&m, &team, &tunings[k], &work, NULL));
        GPU_CHECK(m.workers[0].status == MCO_OK, "%s", mco_context_error(ctx));
        const mco_transit_batch gpu = {.count = 150, .done = m.workers[0].done, .found = m.workers[0].found, .off_map = m.workers[0].off_map,
                                       .walks = m.workers[0].walks, .rides = m.workers[0].rides, .journeys = m.journey};
        compare("shape", city, &cores, &gpu);
        mco_team_close(&team);
        close_many(&m);
    }
    mco_transit_batch_clear(ctx, &cores);
    free(query);
    mco_transit_destroy(ctx, &city);
}

static void test_refusals(void)
{
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_batch batch = MCO_TRANSIT_BATCH_INIT;
    write_city(5, 4, 10, 5, 60);
    mco_transit *city = open_city(false);
    if (city == NULL)
        return;
    mco_transit_query *query = draw_queries(city, 10, 9, 60);
    params.engine = MCO_ENGINE_GPU;
    params.modes = MCO_TRANSIT_MODES_WALK;
    GPU_CHECK(mco_transit_find_many(ctx, city, 10, query, &params, &batch) == MCO_ERR_ARGUMENT, "%s", mco_context_error(ctx));
    params.modes = MCO_TRANSIT_MODES_ALL;
    params.time_limit_s = 0;
    MUST(mco_transit_find_many(ctx, city, 10, query, &params, &batch));
    GPU_CHECK(batch.outcome == MCO_OUTCOME_UNKNOWN && batch.stop == MCO_STOP_TIME && batch.done < 10, "%lld are done", (long long)batch.done);
    mco_transit_batch_clear(ctx, &batch);
    params.time_limit_s = 1e9;
    MUST(mco_transit_find_many(ctx, city, 0, query, &params, &batch));
    checks += 3;
    mco_transit_batch_clear(ctx, &batch);
    free(query);
    mco_transit_destroy(ctx, &city);
}

int main(void)
{
    char command[128];
    ctx = gpu_begin();
    snprintf(folder, sizeof folder, "/tmp/mco_transit_%ld", (long)getpid());
    if (mkdir(folder, 0700) != 0)
        return EXIT_FAILURE;
    test_random();
    test_grid();
    test_shapes();
    test_refusals();
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s is left\n", folder);
    mco_context_destroy(&ctx);
    return gpu_summary("transit", checks);
}
