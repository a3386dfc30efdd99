// SPDX-License-Identifier: MIT
// Whole calls of the interface: every allocation may fail, in every format and method, and nothing is left over; a request to stop
// ends a call that is no assignment, and the next call knows nothing of it.
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/context.h"
#include "mco/traffic.h"
#include "test_support.h"

enum { ROWS = 5, COLUMNS = 5, SITES = 6, MOST = 60000, STRIDE = TEST_IS_SANITIZED ? 11 : 1 };

typedef mco_status whole_call(int variant);

// ---- The k-th allocation fails

// A call may do without a thread, or without a table that only saves time: then it succeeds although an allocation has failed.
static void assert_survives(whole_call *call, int variant)
{
    long k = 1;
    bool is_whole = false;
    int failures = 0;
    for (; !is_whole && k < MOST; k += k < 50 ? 1 : STRIDE) {
        const long live = test_memory.live;
        test_fail_allocation(k);
        const mco_status st = call(variant);
        is_whole = test_memory.calls < k;
        test_fail_allocation(0);
        assert_int_equal(test_memory.live, live);
        if (st != MCO_ERR_MEMORY && st != MCO_OK)
            print_error("variant %d, allocation %ld: status %d, %s\n", variant, k, (int)st, mco_context_error(test_ctx));
        assert_true(st == MCO_ERR_MEMORY || st == MCO_OK);
        assert_true(st == MCO_OK || !is_whole);
        failures += st == MCO_ERR_MEMORY;
    }
    assert_true(is_whole && (failures > 0 || k == 2));  // 2: the call allocates nothing
}

// ---- Files

static const char *const networks[] = {"small.tntp", "small.csv", "small_gmns"};
static const char *const trips_files[] = {"small_trips.tntp", "small_trips.csv", "small_trips.omx"};

// trips_files[2] needs HDF5.
static int trips_formats(void)
{
#ifdef MCO_HAVE_HDF5
    return 3;
#else
    return 2;
#endif
}

static mco_traffic *generate(mco_traffic_family family)
{
    const mco_traffic_shape shape = {.family = family, .rows = ROWS, .columns = COLUMNS, .zones = SITES, .load = 0.8, .seed = 5};
    mco_traffic *traffic = NULL;
    assert_ok(mco_traffic_generate(test_ctx, &shape, &traffic));
    return traffic;
}

static void write_files(void)
{
    mco_traffic *traffic = generate(MCO_TRAFFIC_STREETS);
    assert_ok(mco_traffic_write_network(test_ctx, traffic, test_path(networks[1])));
    mco_traffic_destroy(test_ctx, &traffic);
    traffic = generate(MCO_TRAFFIC_ROAD);
    mkdir(test_path(networks[2]), 0700);
    assert_ok(mco_traffic_write_network(test_ctx, traffic, test_path(networks[0])));
    assert_ok(mco_traffic_write_network(test_ctx, traffic, test_path(networks[2])));
    for (int i = 0; i < trips_formats(); i++)
        assert_ok(mco_traffic_write_trips(test_ctx, traffic, 0, test_path(trips_files[i])));
    mco_traffic_destroy(test_ctx, &traffic);
}

static mco_status call_read(int variant)
{
    char network[512], trips[512];
    mco_traffic *traffic = NULL;
    snprintf(network, sizeof network, "%s", test_path(networks[variant % 3]));
    snprintf(trips, sizeof trips, "%s", test_path(trips_files[variant / 3]));
    const mco_traffic_files files = {.network = network, .trips = trips};
    const mco_status st = mco_traffic_read(test_ctx, &files, &traffic);
    assert_true((st == MCO_OK) == (traffic != NULL));
    mco_traffic_destroy(test_ctx, &traffic);
    return st;
}

static void reading_survives(void **state)
{
    (void)state;
    write_files();
    for (int variant = 0; variant < 3 * trips_formats(); variant++)
        assert_survives(call_read, variant);
}

// ---- Assignments

static mco_traffic *town;
static mco_traffic_state *kept;  // of the town

static mco_traffic_params params_of(int variant)
{
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    p.gap = 1e-3;
    p.iterations = 4;
    p.engine = variant >= 8 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU;
    p.threads = variant >= 8 ? 1 : 2;
    p.method = (mco_traffic_method)((int)MCO_TRAFFIC_METHOD_PAIRS + variant % 4);
    p.unreachable = variant / 4 % 2 == 1 ? MCO_TRAFFIC_ARC : MCO_TRAFFIC_DROP;
    return p;
}

static mco_status assign_with(const mco_traffic *traffic, const mco_traffic_params *p, const mco_traffic_start *start)
{
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    const mco_status st = mco_traffic_assign(test_ctx, traffic, p, start, &r);
    assert_true((st == MCO_OK) == (r.flow != NULL));
    mco_traffic_result_clear(test_ctx, &r);
    return st;
}

static mco_status call_assign(int variant)
{
    const mco_traffic_params p = params_of(variant);
    return assign_with(town, &p, NULL);
}

static mco_status call_warm(int variant)
{
    mco_traffic_params p = params_of(0);
    const mco_traffic_start start = {.state = kept};
    p.demand_factor = variant == 0 ? 1 : 1.5;
    return assign_with(town, &p, &start);
}

static mco_status call_hard(int variant)
{
    mco_traffic_params p = params_of(0);
    p.method = MCO_TRAFFIC_METHOD_AUTO;
    p.capacities = MCO_TRAFFIC_CAPACITIES_HARD;
    p.demand_factor = 0.3;
    p.objective = variant == 0 ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO;
    return assign_with(town, &p, NULL);
}

static void assignments_survive(void **state)
{
    (void)state;
    town = generate(MCO_TRAFFIC_GRID);
    for (int variant = 0; variant < 12; variant++)
        assert_survives(call_assign, variant);
    for (int variant = 0; variant < 2; variant++)
        assert_survives(call_hard, variant);
    mco_traffic_params p = params_of(0);
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    p.wants_state = 1;
    assert_ok(mco_traffic_assign(test_ctx, town, &p, NULL, &r));
    kept = r.state;
    for (int variant = 0; variant < 2; variant++)
        assert_survives(call_warm, variant);
    mco_traffic_result_clear(test_ctx, &r);
    mco_traffic_destroy(test_ctx, &town);
}

static void streets_survive(void **state)
{
    (void)state;
    town = generate(MCO_TRAFFIC_STREETS);
    assert_survives(call_assign, 0);
    assert_survives(call_assign, 3);
    mco_traffic_destroy(test_ctx, &town);
}

// ---- What follows from a result

static mco_traffic_result solved;
static double matrix[SITES * SITES];

static mco_status call_after(int variant)
{
    const mco_traffic_params p = params_of(0);
    mco_traffic_facts facts;
    switch (variant) {
    case 0: return mco_traffic_check(test_ctx, town, &p, solved.flow, NULL, &facts);
    case 1: return mco_traffic_find_skim(test_ctx, town, &p, 0, solved.flow, MCO_TRAFFIC_SKIM_LENGTH, matrix);
    case 2: return mco_traffic_select_link(test_ctx, town, solved.state, 0, 0, matrix, NULL);
    case 3: return mco_traffic_write_paths(test_ctx, town, solved.state, 0, test_path("paths.csv"));
    case 4: return mco_traffic_write_matrix(test_ctx, town, "cost", matrix, test_path("m.csv"));
    case 5: return mco_traffic_write_flows(test_ctx, town, &solved, test_path("f.csv"));
    case 6: return mco_traffic_write_flows(test_ctx, town, &solved, test_path("f.geojson"));
    case 7: return mco_traffic_write_result(test_ctx, town, &p, &solved, NULL, test_path("r.json"));
    case 8: return mco_traffic_plot_flows(test_ctx, town, &p, &solved, test_path("f.svg"));
    case 9: return mco_traffic_plot_history(test_ctx, town, &solved, test_path("h.svg"));
    case 10: return mco_traffic_plot_difference(test_ctx, town, solved.flow, solved.cost, test_path("d.svg"));
    case 11: return mco_traffic_state_write(test_ctx, town, solved.state, test_path("s.mcot"));
    default: return mco_traffic_write_matrix(test_ctx, town, "cost", matrix, test_path("m.omx"));
    }
}

static void open_solved(void)
{
    mco_traffic_params p = params_of(0);
    p.wants_state = 1;
    town = generate(MCO_TRAFFIC_ROAD);
    solved = (mco_traffic_result)MCO_TRAFFIC_RESULT_INIT;
    assert_ok(mco_traffic_assign(test_ctx, town, &p, NULL, &solved));
}

static void close_solved(void)
{
    mco_traffic_result_clear(test_ctx, &solved);
    mco_traffic_destroy(test_ctx, &town);
}

static void analyses_and_files_survive(void **state)
{
    (void)state;
    open_solved();
    for (int variant = 0; variant < 10 + trips_formats(); variant++)
        assert_survives(call_after, variant);
    close_solved();
}

// ---- Requests to stop

static mco_status call_stoppable(int call)
{
    const mco_traffic_shape shape = {.family = MCO_TRAFFIC_ROAD, .rows = ROWS, .columns = COLUMNS, .zones = SITES, .load = 1, .seed = 5};
    mco_traffic *traffic = NULL;
    if (call < 5)
        return call_after(call);
    const mco_status st = mco_traffic_generate(test_ctx, &shape, &traffic);
    mco_traffic_destroy(test_ctx, &traffic);
    return st;
}

static void requests_end_one_call(void **state)
{
    (void)state;
    open_solved();
    for (int call = 0; call < 6; call++) {
        mco_cancel(test_ctx);
        assert_int_equal(call_stoppable(call), MCO_ERR_STOPPED);
        assert_ok(call_stoppable(call));
    }
    mco_traffic_params p = params_of(0);
    p.time_limit_s = 0;
    assert_int_equal(mco_traffic_find_skim(test_ctx, town, &p, 0, solved.flow, MCO_TRAFFIC_SKIM_COST, matrix), MCO_ERR_STOPPED);
    assert_ok(call_after(1));
    close_solved();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reading_survives), TEST(assignments_survive),   TEST(streets_survive),
        TEST(analyses_and_files_survive), TEST(requests_end_one_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
