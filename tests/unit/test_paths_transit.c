// SPDX-License-Identifier: MIT
// Journeys by rounds against the oracle, over random timetables.
#include "paths/transit/raptor.h"
#include "transit_support.h"

enum { STOPS = 12, ENDS = 3, RIDES = 5, CASES = TEST_IS_SANITIZED ? 300 : 4000 };

static const test_city CITY = {STOPS, 6, 6, 5, 2, 3600, 60};

typedef struct ends {
    transit_end start[ENDS], target[ENDS];
} ends;

static transit_query draw_query(mco_rng *rng, ends *e)
{
    for (int i = 0; i < ENDS; i++) {
        e->start[i] = (transit_end){test_draw(rng, 0, STOPS - 1), test_draw(rng, 0, 5) * 60};
        e->target[i] = (transit_end){test_draw(rng, 0, STOPS - 1), test_draw(rng, 0, 5) * 60};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rounds_equal_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
