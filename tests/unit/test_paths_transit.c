// SPDX-License-Identifier: MIT
// Journeys by rounds against the oracle, over random timetables; the checker, batches, reaches, and memory that fails.
#include <pthread.h>
#include <sys/stat.h>
#include <time.h>

#include "base/clock.h"
#include "gtfs_support.h"
#include "paths/transit/city.h"
#include "transit_support.h"

enum { STOPS = 12, ENDS = 3, RIDES = 5, CASES = TEST_IS_SANITIZED ? 300 : 4000 };

static const test_city CITY = {STOPS, 6, 6, 5, 2, 3600, 60};

typedef struct ends {
    transit_end start[ENDS], target[ENDS];
} ends;

static transit_query draw_query(mco_rng *rng, ends *e)
{
    for (int i = 0; i < ENDS; i++) {
        e->start[i] = (transit_end){test_draw(rng, 0, STOPS - 1), test_draw(rng, 0, 5) * 60, 0};
        e->target[i] = (transit_end){test_draw(rng, 0, STOPS - 1), test_draw(rng, 0, 5) * 60, 0};
    }
    return (transit_query){.depart_s = test_draw(rng, 0, 60) * 60, .direct_s = test_draw(rng, 0, 2) == 0 ? test_draw(rng, 0, 60) * 60 : TRANSIT_NEVER,
                           .max_rides = test_draw(rng, 0, RIDES), .start = e->start, .target = e->target,
                           .starts = test_draw(rng, 1, ENDS), .targets = test_draw(rng, 1, ENDS)};
}

// The journeys are the steps of the oracle's row of arrivals.
static int test_steps(const int32_t *best, const transit_query *q, const transit_found *found, int32_t count)
{
    int32_t at = 0;
    for (int32_t k = 0; k <= q->max_rides; k++) {
        if (best[k] == TRANSIT_NEVER || (k > 0 && best[k] == best[k - 1]))
            continue;
        assert_true(at < count);
        assert_int_equal(found[at].rides, k);
        assert_int_equal(found[at].arrive_s, best[k]);
        at++;
    }
    assert_int_equal(at, count);
    return at;
}

static void test_rounds_equal_the_oracle(void **state)
{
    (void)state;
    int64_t journeys = 0, rides = 0;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        transit_timetable t = test_city_make(&CITY, seed);
        transit_index index;
        transit_search *search = NULL;
        mco_rng rng;
        mco_rng_seed(&rng, seed, 1);
        assert_ok(transit_index_make(test_ctx, &t, &index));
        assert_ok(transit_search_open(test_ctx, &index, RIDES, NULL, &search));
        for (int i = 0; i < 4; i++) {
            ends e;
            transit_query q = draw_query(&rng, &e);
            int32_t best[RIDES + 1], seen[STOPS], expected[STOPS];
            transit_found found[RIDES + 1];
            assert_ok(transit_ref_search(test_ctx, &t, &q, best, NULL));
            assert_true(transit_search_run(search, &q));
            const int32_t count = transit_search_journeys(search, found);
            journeys += test_steps(best, &q, found, count);
            rides += count > 0 ? found[count - 1].rides : 0;
            q.targets = 0;
            q.direct_s = TRANSIT_NEVER;
            assert_ok(transit_ref_search(test_ctx, &t, &q, NULL, expected));
            assert_true(transit_search_run(search, &q));
            transit_search_arrivals(search, seen);
            assert_memory_equal(seen, expected, sizeof seen);
        }
        transit_search_close(test_ctx, &search);
        transit_index_clear(test_ctx, &index);
        test_city_free(&t);
    }
    assert_true(journeys > CASES);
    assert_true(rides > CASES);
}


// ---- Profiles

// Journeys of a profile leave within the window, not only the searches that found them; only if none does, the next ones are there. No
// journey that leaves later is as good.
static void test_no_later_is_as_good(const transit_timetable *t, const transit_query *q, const transit_found_list *list)
{
    int64_t behind = 0;
    for (int64_t i = 0; i < list->count; i++) {
        const transit_found *found = &list->journey[i];
        const transit_ride *ride = &found->ride[0];
        const int32_t stop = t->route_stop[t->stop_first[t->trip[ride->trip].route] + ride->board];
        int32_t walk = TRANSIT_NEVER, best[RIDES + 1];
        for (int32_t k = 0; k < q->starts; k++)
            if (q->start[k].stop == stop && q->start[k].seconds < walk)
                walk = q->start[k].seconds;
        const int32_t leaves = transit_times(t, ride->trip)[2 * ride->board + 1] - walk;
        behind += leaves > q->until_s;
        if (leaves > q->until_s)
            continue;
        assert_int_equal(leaves, found->depart_s);
        transit_query later = *q;
        later.depart_s = leaves + 1;
        assert_ok(transit_ref_search(test_ctx, t, &later, best, NULL));
        assert_true(best[found->rides] > found->arrive_s);
    }
    assert_true(behind == 0 || behind == list->count);
}

// The earliest arrival of every departure minute follows from the journeys of the profile, and each of them is a journey of its
// own departure.
static void test_profiles_equal_single_departures(void **state)
{
    (void)state;
    int64_t journeys = 0;
    for (uint64_t seed = 1; seed <= CASES / 4; seed++) {
        transit_timetable t = test_city_make(&CITY, seed);
        transit_index index;
        transit_search *search = NULL;
        transit_found_list list = {0};
        mco_rng rng;
        ends e;
        mco_rng_seed(&rng, seed, 2);
        transit_query q = draw_query(&rng, &e);
        q.until_s = q.depart_s + 30 * 60;
        assert_ok(transit_index_make(test_ctx, &t, &index));
        assert_ok(transit_search_open(test_ctx, &index, RIDES, NULL, &search));
        assert_ok(transit_search_profile(test_ctx, search, &q, &list));
        test_no_later_is_as_good(&t, &q, &list);
        for (int32_t now = q.depart_s; now <= q.until_s; now += 60) {
            transit_query single = q;
            int32_t best[RIDES + 1], seen[RIDES + 1];
            single.depart_s = now;
            assert_ok(transit_ref_search(test_ctx, &t, &single, best, NULL));
            for (int32_t k = 0; k <= q.max_rides; k++) {
                seen[k] = q.direct_s < TRANSIT_NEVER ? now + q.direct_s : TRANSIT_NEVER;
                for (int64_t i = 0; i < list.count; i++)
                    if (list.journey[i].depart_s >= now && list.journey[i].rides <= k && list.journey[i].arrive_s < seen[k])
                        seen[k] = list.journey[i].arrive_s;
                // Journeys that set out behind the window may arrive first only where none inside does.
                if (best[k] < seen[k]) {
                    single.depart_s = q.until_s + 1;
                    int32_t later[RIDES + 1];
                    assert_ok(transit_ref_search(test_ctx, &t, &single, later, NULL));
                    assert_true(later[k] <= best[k]);
                    single.depart_s = now;
                } else {
                    assert_int_equal(best[k], seen[k]);
                }
            }
        }
        journeys += list.count;
        mco_free(test_ctx, &list.journey);
        transit_search_close(test_ctx, &search);
        transit_index_clear(test_ctx, &index);
        test_city_free(&t);
    }
    assert_true(journeys > CASES / 8);
}

// ---- A city of a grid

static const char *grid_folder(void)
{
    static char folder[160];
    const mco_transit_shape shape = {.rows = 8, .columns = 9, .headway_s = 900};
    snprintf(folder, sizeof folder, "%s", test_path("grid"));
    assert_ok(mco_transit_generate(test_ctx, &shape, folder));
    return folder;
}

static void remove_grid(const char *folder)
{
    static const char *const names[] = {"agency.txt", "calendar.txt", "stops.txt", "routes.txt", "trips.txt", "stop_times.txt"};
    char path[256];
    for (int i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static mco_transit *open_grid(void)
{
    mco_transit *city = NULL;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    const char *folder = grid_folder();
    model.feeds = folder;
    model.date = 20190515;
    assert_ok(mco_transit_open(test_ctx, &model, &city));
    remove_grid(folder);
    return city;
}

static const mco_transit_query ACROSS = {{0.001, 0.002}, {0.024, 0.027}, 8 * 3600};

// A search, and the journey that it has found with one fault each.
static void test_checker_finds_each_fault(void **state)
{
    (void)state;
    mco_transit *city = open_grid();
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
    assert_ok(mco_transit_find(test_ctx, city, &ACROSS, &params, &r));
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    mco_transit_journey *j = &r.journeys[0];
    assert_int_equal(j->rides, 2);
    assert_int_equal(j->leg_count, 4);
    assert_ok(mco_transit_check(test_ctx, city, &ACROSS, &params, j));
    mco_transit_leg *legs = j->legs;
    const mco_transit_journey good = *j;
#define FAULT(change, text)                                                                                   \
    do {                                                                                                      \
        mco_transit_leg kept[4];                                                                              \
        memcpy(kept, legs, sizeof kept);                                                                      \
        change;                                                                                               \
        assert_int_equal(mco_transit_check(test_ctx, city, &ACROSS, &params, j), MCO_ERR_CHECK);              \
        if (strstr(mco_context_error(test_ctx), text) == NULL)                                                \
            fail_msg("\"%s\" lacks \"%s\"", mco_context_error(test_ctx), text);                               \
        memcpy(legs, kept, sizeof kept);                                                                      \
        *j = good;                                                                                            \
    } while (0)
    FAULT(j->leg_count = 0, "no legs");
    FAULT(legs[0].from = 3, "leg 1: it leads from");
    FAULT(legs[0].metres += 1, "leg 1: a walk of");
    FAULT(legs[0].metres = -1, "leg 1: a walk of");
    FAULT(legs[0].depart_s -= 1, "leg 1: a walk of");
    FAULT((legs[0].depart_s -= 3600, legs[0].arrive_s -= 3600), "leg 1: it sets out at");
    FAULT((legs[0].depart_s += 600, legs[0].arrive_s += 600), "leg 2: it begins at");
    FAULT(legs[1].trip = -1, "does not run");
    FAULT(legs[1].trip = city->table.trips, "does not run");
    FAULT(legs[1].trip += 1, "leg 2: the trip");
    FAULT(legs[1].leave = legs[1].board, "it rides from place");
    FAULT(legs[1].leave = 1000, "it rides from place");
    FAULT(legs[1].depart_s += 1, "the trip leaves at");
    FAULT(legs[1].arrive_s -= 1, "the trip leaves at");
    FAULT(legs[1].to += 1, "the trip calls at");
    FAULT(legs[2].from += 1, "leg 3: it begins at stop");
    FAULT(legs[2].move = MCO_TRANSIT_WALK, "the timetable has no walk");
    FAULT(legs[1].move = MCO_TRANSIT_WALK, "a walk follows a walk");
    FAULT(legs[2].move = (mco_transit_move)7, "neither a walk nor a ride");
    FAULT(legs[3].to = 2, "leg 4: it leads");
    FAULT(params.max_walk = 1, "at most 1 m are allowed");
    params.max_walk = 1200;
    FAULT(params.max_rides = 1, "1 are allowed");
    params.max_rides = 6;
    FAULT(j->rides = 1, "the journey states 1 rides");
    FAULT(j->metres += 1, "on foot");
    FAULT(j->arrive_s += 1, "its legs last");
    const int64_t place = city->table.stop_first[city->table.trip[legs[1].trip].route];
    city->table.use[place + legs[1].board] = 2;
    FAULT((void)0, "may not be boarded");
    city->table.use[place + legs[1].board] = 3;
    city->table.use[place + legs[1].leave] = 1;
    FAULT((void)0, "may not be left");
    city->table.use[place + legs[1].leave] = 3;
    city->table.change[legs[1].to] = 24 * 3600;
    FAULT((void)0, "a change at stop");
    mco_transit_result_clear(test_ctx, &r);
    mco_transit_destroy(test_ctx, &city);
}

enum { QUERIES = 300 };

static void draw_queries(const mco_transit *city, mco_transit_query *queries)
{
    mco_transit_facts f = MCO_TRANSIT_FACTS_INIT;
    mco_rng rng;
    mco_rng_seed(&rng, 5, 5);
    assert_ok(mco_transit_tell(test_ctx, city, &f));
    for (int i = 0; i < QUERIES; i++) {
        mco_transit_place *const places[] = {&queries[i].from, &queries[i].to};
        for (int k = 0; k < 2; k++)
            *places[k] = (mco_transit_place){f.south + (f.north - f.south) * mco_rng_real(&rng), f.west + (f.east - f.west) * mco_rng_real(&rng)};
        queries[i].depart_s = test_draw(&rng, 6 * 3600, 22 * 3600);
    }
}

// By fields: a leg has bytes between them that nobody sets.
static bool same_leg(const mco_transit_leg *a, const mco_transit_leg *b)
{
    return a->move == b->move && a->from == b->from && a->to == b->to && a->depart_s == b->depart_s && a->arrive_s == b->arrive_s &&
           a->metres == b->metres && a->trip == b->trip && a->board == b->board && a->leave == b->leave;
}

static bool same_journey(const mco_transit_journey *a, const mco_transit_journey *b)
{
    bool same = a->arrive_s == b->arrive_s && a->depart_s == b->depart_s && a->leg_count == b->leg_count && a->rides == b->rides;
    for (int32_t k = 0; k < a->leg_count && same; k++)
        same = same_leg(&a->legs[k], &b->legs[k]);
    return same;
}

// Equal answers on any number of threads, all equal to the oracle's.
static void test_batches(mco_transit *city)
{
    mco_transit_query queries[QUERIES];
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_batch batch[2] = {MCO_TRANSIT_BATCH_INIT, MCO_TRANSIT_BATCH_INIT};
    transit_planner planner = {0};
    int64_t found = 0;
    draw_queries(city, queries);
    for (int k = 0; k < 2; k++) {
        params.threads = k == 0 ? 1 : 3;
        assert_ok(mco_transit_find_many(test_ctx, city, QUERIES, queries, &params, &batch[k]));
        assert_int_equal(batch[k].done, QUERIES);
    }
    assert_ok(transit_planner_open(test_ctx, city, &params, NULL, &planner));
    for (int i = 0; i < QUERIES; i++) {
        int32_t best[TRANSIT_MAX_RIDES + 1];
        const mco_transit_journey *j = &batch[0].journeys[i];
        assert_true(same_journey(j, &batch[1].journeys[i]));
        if (transit_planner_prepare(test_ctx, &planner, &queries[i], &params) != MCO_OK) {
            assert_int_equal(j->leg_count, 0);
            continue;
        }
        if (i % 4 != 0)
            continue;
        assert_ok(transit_ref_search(test_ctx, &city->table, &planner.query, best, NULL));
        assert_int_equal(best[params.max_rides] < TRANSIT_NEVER ? best[params.max_rides] : MCO_TRANSIT_NEVER, j->arrive_s);
        found += j->leg_count > 0;
    }
    assert_true(found > QUERIES / 20);
    transit_planner_close(test_ctx, &planner);
    for (int k = 0; k < 2; k++)
        mco_transit_batch_clear(test_ctx, &batch[k]);
}

static void test_batches_equal_the_oracle(void **state)
{
    (void)state;
    mco_transit *city = open_grid();
    test_batches(city);
    mco_transit_destroy(test_ctx, &city);
}

static void test_a_real_city(void **state)
{
    (void)state;
#if !defined(MCO_HAVE_LIBZIP) || !defined(MCO_HAVE_PROTOBUF)
    skip();
#endif
    const char *data = getenv("MCO_DATA");
    char map[512], feeds[1024];
    mco_transit *city = NULL;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    snprintf(map, sizeof map, "%s/roads/osm/poa.osm.pbf", data != NULL ? data : "");
    snprintf(feeds, sizeof feeds, "%s/roads/gtfs/poa_eptc.zip,%s/roads/gtfs/poa_trensurb.zip", data != NULL ? data : "", data != NULL ? data : "");
    if (data == NULL || access(map, R_OK) != 0 || TEST_IS_SANITIZED)
        skip();
    model.map = map;
    model.feeds = feeds;
    model.date = 20190515;
    assert_ok(mco_transit_open(test_ctx, &model, &city));
    test_batches(city);
    mco_transit_destroy(test_ctx, &city);
}

// ---- Files

static void assert_same_legs(const mco_transit_journey *a, const mco_transit_journey *b)
{
    assert_int_equal(a->leg_count, b->leg_count);
    for (int32_t k = 0; k < a->leg_count; k++) {
        const mco_transit_leg *x = &a->legs[k], *y = &b->legs[k];
        assert_int_equal(x->move, y->move);
        assert_int_equal(x->from, y->from);
        assert_int_equal(x->to, y->to);
        assert_int_equal(x->depart_s, y->depart_s);
        assert_int_equal(x->arrive_s, y->arrive_s);
        assert_int_equal(x->trip, y->trip);
        assert_int_equal(x->board, y->board);
        assert_int_equal(x->leave, y->leave);
        assert_true(x->metres == y->metres);
    }
}

// What is read back is what was written, legs and places of the trips included; and it fails without memory.
static void test_journeys_return_from_a_file(void **state)
{
    (void)state;
    mco_transit *city = open_grid();
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
    mco_transit_query *queries = NULL;
    mco_transit_journey *journeys = NULL;
    int64_t count = 0;
    params.window = 60;
    assert_ok(mco_transit_find(test_ctx, city, &ACROSS, &params, &r));
    assert_ok(mco_transit_write_result(test_ctx, city, &ACROSS, &params, &r, NULL, test_path("r.json")));
    for (long k = 1, is_reached = true; is_reached; k++) {
        test_fail_allocation(k);
        const mco_status st = mco_transit_read_journeys(test_ctx, city, test_path("r.json"), &count, &queries, &journeys);
        is_reached = test_memory.calls >= k;
        test_fail_allocation(0);
        assert_int_equal(st, is_reached ? MCO_ERR_MEMORY : MCO_OK);
    }
    assert_int_equal(count, r.journey_count);
    for (int64_t i = 0; i < count; i++) {
        assert_int_equal(queries[i].depart_s, ACROSS.depart_s);
        assert_int_equal(journeys[i].rides, r.journeys[i].rides);
        assert_same_legs(&journeys[i], &r.journeys[i]);
    }
    assert_ok(mco_transit_check_many(test_ctx, city, count, queries, &params, journeys));
    journeys[1].arrive_s++;
    assert_int_equal(mco_transit_check_many(test_ctx, city, count, queries, &params, journeys), MCO_ERR_CHECK);
    assert_non_null(strstr(mco_context_error(test_ctx), "journey 2: the journey states"));
    mco_transit_journeys_clear(test_ctx, count, &queries, &journeys);
    mco_transit_result_clear(test_ctx, &r);
    mco_transit_destroy(test_ctx, &city);
}

// ---- Days

// A line at ten past midnight on weekdays of 2024: the arrival of who leaves at 23:50, MCO_TRANSIT_NEVER if there is none.
static int32_t arrival_after_midnight(int32_t date, int32_t days)
{
    const char *folder = feed_folder("stop_times.txt", "trip_id,arrival_time,departure_time,stop_id,stop_sequence\n"
                                                       "one,00:10:00,00:10:00,A,1\none,00:30:00,00:30:00,C,2\n"
                                                       "two,09:00:00,09:00:00,A,1\ntwo,09:20:00,09:20:00,C,2\n");
    const mco_transit_query query = {{45.0, 7.0}, {45.02, 7.0}, 23 * 3600 + 50 * 60};
    mco_transit *city = NULL;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
    model.feeds = folder;
    model.date = date;
    model.days = days;
    assert_ok(mco_transit_open(test_ctx, &model, &city));
    assert_ok(mco_transit_find(test_ctx, city, &query, &params, &r));
    const int32_t arrive_s = r.journey_count > 0 ? r.journeys[0].arrive_s : MCO_TRANSIT_NEVER;
    mco_transit_result_clear(test_ctx, &r);
    mco_transit_destroy(test_ctx, &city);
    return arrive_s;
}

static void test_a_journey_takes_the_next_day(void **state)
{
    (void)state;
    assert_int_equal(arrival_after_midnight(20240103, 0), MCO_TRANSIT_NEVER);
    assert_int_equal(arrival_after_midnight(20240103, 1), MCO_TRANSIT_NEVER);
    assert_int_equal(arrival_after_midnight(20240103, 2), 24 * 3600 + 1800);
    assert_int_equal(arrival_after_midnight(20240105, 2), MCO_TRANSIT_NEVER);           // Saturday has no service
    assert_int_equal(arrival_after_midnight(20240105, 4), 3 * 24 * 3600 + 1800);        // Monday has
}

// ---- Refusals, stops, memory

static void test_refusals_have_reasons(void **state)
{
    (void)state;
    mco_transit *city = open_grid();
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
    mco_transit_reach reach = MCO_TRANSIT_REACH_INIT;
    mco_transit_query q = ACROSS;
    q.from.latitude = 45;
    assert_int_equal(mco_transit_find(test_ctx, city, &q, &params, &r), MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), "latitudes 0.000000 to"));
    q = ACROSS;
    q.depart_s = 40 * 3600;
    assert_ok(mco_transit_find(test_ctx, city, &q, &params, &r));
    assert_int_equal(r.outcome, MCO_OUTCOME_INFEASIBLE);
    assert_non_null(strstr(r.reason, "no journey with at most 6 rides"));
    mco_transit_result_clear(test_ctx, &r);
    q.depart_s = -1;
    assert_fails(mco_transit_find(test_ctx, city, &q, &params, &r), MCO_ERR_ARGUMENT, "the departure is second -1 of the day, 0 to 172800 are allowed");
    const int32_t minutes[] = {30, 15};
    assert_fails(mco_transit_find_reach(test_ctx, city, ACROSS.from, 0, 2, minutes, &params, &reach), MCO_ERR_ARGUMENT,
                 "band 2 has 15 minutes: ascending numbers of 1 to 1440 were expected");
    mco_transit_destroy(test_ctx, &city);
}

static void test_a_cancelled_batch_ends(void **state)
{
    (void)state;
    mco_transit *city = open_grid();
    mco_transit_query queries[QUERIES];
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_batch batch = MCO_TRANSIT_BATCH_INIT;
    draw_queries(city, queries);
    params.time_limit_s = 0;
    assert_ok(mco_transit_find_many(test_ctx, city, QUERIES, queries, &params, &batch));
    assert_int_equal(batch.done, 0);
    assert_int_equal(batch.outcome, MCO_OUTCOME_UNKNOWN);
    assert_int_equal(batch.stop, MCO_STOP_TIME);
    mco_transit_batch_clear(test_ctx, &batch);
    mco_transit_destroy(test_ctx, &city);
}

// A station is no stop that anybody reaches, and a stop that is reached in the last second of a band belongs to it at any speed.
static void test_reach_of_stops(void **state)
{
    (void)state;
    static const struct {
        mco_transit_place from;
        int32_t stops;
    } cases[] = {{{45.00, 7.00}, 3}, {{45.03, 7.00}, 2}};  // trip "one" is at its third stop after 20 minutes; two platforms
    mco_transit *city = NULL;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    const mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    const int32_t minutes = 20;
    model.feeds = feed_folder(NULL, NULL);
    model.date = 20240102;
    model.walk_speed = 1.1;
    assert_ok(mco_transit_open(test_ctx, &model, &city));
    for (int k = 0; k < COUNT_OF(cases); k++) {
        mco_transit_reach reach = MCO_TRANSIT_REACH_INIT;
        assert_ok(mco_transit_find_reach(test_ctx, city, cases[k].from, 8 * 3600, 1, &minutes, &params, &reach));
        assert_int_equal(reach.stops[0], cases[k].stops);
        mco_transit_reach_clear(test_ctx, &reach);
    }
    mco_transit_result result = MCO_TRANSIT_RESULT_INIT;
    const mco_transit_query query = {.from = {45.03, 7.00}, .to = {45.00, 7.00}, .depart_s = 8 * 3600};
    assert_ok(mco_transit_find(test_ctx, city, &query, &params, &result));
    assert_int_equal(result.from_stops, 2);
    mco_transit_result_clear(test_ctx, &result);
    mco_transit_destroy(test_ctx, &city);
}

static void test_memory_that_fails(void **state)
{
    (void)state;
    mco_transit *city = open_grid();
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    const int32_t minutes[] = {15, 30};
    params.window = 30;
    for (int what = 0; what < 3; what++)
        for (long k = 1;; k++) {
            mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
            mco_transit_batch batch = MCO_TRANSIT_BATCH_INIT;
            mco_transit_reach reach = MCO_TRANSIT_REACH_INIT;
            test_fail_allocation(k);
            params.window = what == 0 ? 30 : 0;
            params.threads = 1;
            const mco_status st = what == 0 ? mco_transit_find(test_ctx, city, &ACROSS, &params, &r)
                                  : what == 1 ? mco_transit_find_many(test_ctx, city, 1, &ACROSS, &params, &batch)
                                              : mco_transit_find_reach(test_ctx, city, ACROSS.from, ACROSS.depart_s, 2, minutes, &params, &reach);
            const bool is_reached = test_memory.calls >= k;
            test_fail_allocation(0);
            mco_transit_result_clear(test_ctx, &r);
            mco_transit_batch_clear(test_ctx, &batch);
            mco_transit_reach_clear(test_ctx, &reach);
            assert_int_equal(st, is_reached ? MCO_ERR_MEMORY : MCO_OK);
            if (!is_reached)
                break;
        }
    mco_transit_destroy(test_ctx, &city);
}

// ---- Stops

typedef enum stopped { OPENING, WINDOW, REACH, STOPPED_CALLS } stopped;

static mco_transit *open_folder(const char *folder, mco_status *st)
{
    mco_transit *city = NULL;
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    model.feeds = folder;
    model.date = 20190515;
    *st = mco_transit_open(test_ctx, &model, &city);
    return city;
}

typedef struct canceller {
    double delay_s, at_s;
} canceller;

static void *cancel_later(void *user)
{
    canceller *c = user;
    const struct timespec delay = {0, (long)(1e9 * c->delay_s)};
    nanosleep(&delay, NULL);
    c->at_s = mco_cpu_clock_s();
    mco_cancel(test_ctx);
    return NULL;
}

// Runs a call that a cancellation or a limit ends. Returns whether it was ended.
static bool run_stopped(stopped what, const mco_transit *city, const char *folder, double limit_s)
{
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_result r = MCO_TRANSIT_RESULT_INIT;
    mco_transit_reach reach = MCO_TRANSIT_REACH_INIT;
    const mco_transit_query query = {{0.0021, 0.0022}, {0.108, 0.109}, 3600};
    const int32_t minutes[] = {1440};
    mco_status st = MCO_OK;
    bool is_ended = false;
    params.window = what == WINDOW ? 1440 : 0;
    params.max_rides = 16;
    params.time_limit_s = limit_s;
    if (what == OPENING) {
        mco_transit *opened = open_folder(folder, &st);
        mco_transit_destroy(test_ctx, &opened);
        assert_true(st == MCO_OK || st == MCO_ERR_STOPPED);
        return st == MCO_ERR_STOPPED;
    }
    if (what == WINDOW) {
        assert_ok(mco_transit_find(test_ctx, city, &query, &params, &r));
        is_ended = r.outcome == MCO_OUTCOME_UNKNOWN;
        assert_int_equal(r.stop, !is_ended ? MCO_STOP_FINISHED : limit_s < 1e9 ? MCO_STOP_TIME : MCO_STOP_CANCELLED);
        for (int64_t i = 0; i < r.journey_count; i++)
            assert_ok(mco_transit_check(test_ctx, city, &query, &params, &r.journeys[i]));
    } else {
        assert_ok(mco_transit_find_reach(test_ctx, city, query.from, query.depart_s, 1, minutes, &params, &reach));
        is_ended = reach.outcome == MCO_OUTCOME_UNKNOWN;
        assert_int_equal(reach.stop, !is_ended ? MCO_STOP_FINISHED : limit_s < 1e9 ? MCO_STOP_TIME : MCO_STOP_CANCELLED);
    }
    mco_transit_result_clear(test_ctx, &r);
    mco_transit_reach_clear(test_ctx, &reach);
    return is_ended;
}

// The processor seconds from a cancellation to the end of a call; the least of several tries. Negative: the call ended first each time.
static double latency_s(stopped what, const mco_transit *city, const char *folder, double delay_s)
{
    enum { TRIES = 5 };
    double least = -1;
    for (int k = 0; k < TRIES; k++) {
        canceller c = {.delay_s = delay_s};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, cancel_later, &c), 0);
        const bool is_ended = run_stopped(what, city, folder, HUGE_VAL);
        const double end_s = mco_cpu_clock_s();
        assert_int_equal(pthread_join(thread, NULL), 0);
        mco_clear_cancel(test_ctx);
        if (is_ended && (least < 0 || end_s - c.at_s < least))
            least = end_s - c.at_s;
    }
    return least;
}

static void test_stops_end_every_call(void **state)
{
    (void)state;
    static const double PROMISED_S = 0.1, delays[] = {0.0005, 0.003, 0.02, 0.05};
    const char *folder = test_path("large");
    const mco_transit_shape shape = {.rows = 32, .columns = 32, .headway_s = 1800};
    mco_status st;
    assert_ok(mco_transit_generate(test_ctx, &shape, folder));
    mco_transit *city = open_folder(folder, &st);
    assert_ok(st);
    int ended[STOPPED_CALLS] = {0};
    for (int what = 0; what < STOPPED_CALLS; what++)
        for (size_t d = 0; d < sizeof delays / sizeof delays[0]; d++) {
            const double s = latency_s((stopped)what, city, folder, delays[d]);
            ended[what] += s >= 0;
            if (s > PROMISED_S && !TEST_IS_SANITIZED)
                fail_msg("call %d ended %.3f s after its cancellation", what, s);
        }
    assert_true(ended[OPENING] > 0 && ended[WINDOW] > 0);
    for (int what = WINDOW; what < STOPPED_CALLS; what++)
        assert_true(run_stopped((stopped)what, city, folder, 0));
    test_ctx->read_stop_s = mco_clock_s();
    assert_true(run_stopped(OPENING, city, folder, HUGE_VAL));
    test_ctx->read_stop_s = 0;
    mco_transit_destroy(test_ctx, &city);
    remove_grid(folder);
}

// A small city on a map, and each allocation of its opening that fails in turn.
static void test_memory_that_fails_while_a_city_opens(void **state)
{
    (void)state;
    const char *folder = grid_folder(), *map = test_path("small.osm");
    FILE *file = fopen(map, "w");
    assert_non_null(file);
    fputs("<osm version=\"0.6\"><node id=\"1\" lat=\"0\" lon=\"0\"/><node id=\"2\" lat=\"0.02\" lon=\"0\"/><node id=\"3\" lat=\"0.02\" lon=\"0.02\"/>"
          "<way id=\"1\"><nd ref=\"1\"/><nd ref=\"2\"/><nd ref=\"3\"/><tag k=\"highway\" v=\"residential\"/></way></osm>", file);
    assert_int_equal(fclose(file), 0);
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    model.feeds = folder;
    model.date = 20190515;
    for (int with_map = 0; with_map < 2; with_map++) {
        model.map = with_map ? map : NULL;
        for (long k = 1;; k++) {
            mco_transit *city = NULL;
            test_fail_allocation(k);
            const mco_status st = mco_transit_open(test_ctx, &model, &city);
            const bool is_reached = test_memory.calls >= k;
            test_fail_allocation(0);
            assert_true((city == NULL) == (st != MCO_OK));
            mco_transit_destroy(test_ctx, &city);
            assert_int_equal(st, is_reached ? MCO_ERR_MEMORY : MCO_OK);
            if (!is_reached)
                break;
        }
    }
    unlink(map);
    remove_grid(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rounds_equal_the_oracle),
        TEST(test_profiles_equal_single_departures), TEST(test_reach_of_stops),
        TEST(test_checker_finds_each_fault),
        TEST(test_batches_equal_the_oracle),
        TEST(test_a_real_city),
        TEST(test_journeys_return_from_a_file),
        TEST(test_a_journey_takes_the_next_day),
        TEST(test_refusals_have_reasons),
        TEST(test_a_cancelled_batch_ends),
        TEST(test_memory_that_fails),
        TEST(test_memory_that_fails_while_a_city_opens),
        TEST(test_stops_end_every_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
