// SPDX-License-Identifier: MIT
// Bounds of the membership overlay: against all fractional overlays of small instances; every method, vector unit and number of threads
// against the reference, bit for bit; the linear program against the whole model; limits, cancels, refusals, failing memory.
#include "test_support.h"

#include <math.h>

#include "base/clock.h"
#include "device/device.h"
#include "lp/lp.h"
#include "overlay/dual.h"
#include "overlay_support.h"

static const mco_overlay_method methods[] = {MCO_OVERLAY_METHOD_JUMP, MCO_OVERLAY_METHOD_STD, MCO_OVERLAY_METHOD_DIST};
static const double UNITS = 4294967296.0;

static mco_overlay *generated(int64_t nodes, int64_t degree, double skew)
{
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    g.nodes = nodes;
    g.degree = degree;
    g.skew = skew;
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    return o;
}

static mco_overlay *of_group(const char *group)
{
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    g.group = group;
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    return o;
}

// A sparse instance with weights above 1 and limits of each link.
static mco_overlay *with_weights(int32_t nodes, uint64_t seed)
{
    enum { ROOM = 2000 };
    double uptime[100], weight[ROOM];
    int64_t bandwidth[100], least[ROOM], most[ROOM], links = 0;
    int32_t from[ROOM], to[ROOM];
    mco_overlay *o = NULL;
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    for (int32_t i = 0; i < nodes; i++) {
        uptime[i] = 0.5;
        bandwidth[i] = mco_rng_below(&rng, 100);
        for (int32_t j = 0; j < i && links < ROOM; j++)
            if (mco_rng_below(&rng, 4) == 0) {
                from[links] = i;
                to[links] = j;
                weight[links] = 1000 * mco_rng_real(&rng) - 10;
                least[links] = mco_rng_below(&rng, 10);
                most[links] = least[links] + mco_rng_below(&rng, 20);
                links++;
            }
    }
    const mco_overlay_data data = {.nodes = nodes, .uptime = uptime, .bandwidth = bandwidth, .links = links, .from = from, .to = to,
                                   .weight = weight, .least = least, .most = most, .most_of_all = -1};
    assert_ok(mco_overlay_create(test_ctx, NULL, &data, &o));
    return o;
}

static mco_overlay_bound_params params_of(mco_overlay_method method, int64_t iterations, mco_engine engine, int threads)
{
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    p.method = method;
    p.iterations = iterations;
    p.engine = engine;
    p.threads = threads;
    return p;
}

static mco_overlay_bound_result bounded(const mco_overlay *o, const mco_overlay_bound_params *p)
{
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    assert_ok(mco_overlay_bound(test_ctx, o, p, &r));
    return r;
}

// ---- Against all fractional overlays

static void assert_bound(const mco_overlay *o, const mco_overlay_bound_result *r, int64_t doubled)
{
    double bound;
    uint64_t exact[2];
    assert_ok(mco_overlay_check_bound(test_ctx, o, r->duals, &bound, exact));
    assert_true(bound == r->bound);
    assert_memory_equal(exact, r->exact, sizeof exact);
    assert_true(exact[1] == 0 && 2 * exact[0] >= (uint64_t)doubled);
    assert_true(r->bound >= (double)doubled / 2 / UNITS * o->weight_unit / (double)o->scale);
    assert_true(r->value >= 0 && r->value <= (double)doubled / 2 / UNITS * o->weight_unit / (double)o->scale * (1 + 1e-9));
}

static void test_small_instances(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 11, 0);
    for (int k = 0; k < 250; k++) {
        const test_shape shape = test_random_shape(&rng, 5);
        mco_overlay *o = test_random_overlay(test_ctx, &rng, &shape);
        assert_non_null(o);
        const int64_t doubled = test_best_worth(o, true);
        for (int m = 0; m < COUNT_OF(methods); m++) {
            const mco_overlay_bound_params p = params_of(methods[m], 60, MCO_ENGINE_CPU, 1);
            mco_overlay_bound_result r = bounded(o, &p);
            assert_bound(o, &r, doubled);
            assert_true(r.method == methods[m] && r.outcome == MCO_OUTCOME_FEASIBLE && r.stop == MCO_STOP_ITERATIONS);
            assert_int_equal(r.iterations, 60);
            assert_true(r.best >= 0 && r.best < 60);
            mco_overlay_bound_result_clear(test_ctx, &r);
        }
        mco_overlay_destroy(test_ctx, &o);
    }
}

// The linear program finds the value of all fractional overlays, up to the rounding of its duals.
static void test_program_of_small_instances(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 12, 0);
    if (!mco_lp_is_there())
        skip();
    for (int k = 0; k < 150; k++) {
        const test_shape shape = test_random_shape(&rng, 5);
        mco_overlay *o = test_random_overlay(test_ctx, &rng, &shape);
        assert_non_null(o);
        const int64_t doubled = test_best_worth(o, true);
        const double value = (double)doubled / 2 / UNITS * o->weight_unit;
        const mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_LP, 20, MCO_ENGINE_CPU, 1);
        mco_overlay_bound_result r = bounded(o, &p);
        assert_bound(o, &r, doubled);
        assert_true(r.outcome == MCO_OUTCOME_OPTIMAL && r.stop == MCO_STOP_FINISHED);
        assert_true(fabs(r.value - value) <= 1e-8 * o->weight_unit && r.bound - value <= 1e-8 * o->weight_unit);
        mco_overlay_bound_result_clear(test_ctx, &r);
        mco_overlay_destroy(test_ctx, &o);
    }
}

// The value of the program with all links as columns.
static double value_of_model(const mco_overlay *o)
{
    mco_lp *lp = NULL;
    mco_lp_end end;
    double least[256], most[256];
    assert_true(o->nodes <= 256);
    assert_ok(mco_lp_open(test_ctx, &lp));
    for (int32_t i = 0; i < o->nodes; i++) {
        least[i] = -INFINITY;
        most[i] = o->bandwidth[i];
    }
    assert_ok(mco_lp_add_rows(test_ctx, lp, o->nodes, least, most, NULL, NULL, NULL));
    for (int32_t i = 0; i < o->nodes; i++)
        for (int64_t k = 0; k < overlay_row_size(o, i); k++) {
            const overlay_link link = overlay_entry(o, i, k);
            const double cost = -(double)link.weight / UNITS, none = 0, limit = link.most, ones[2] = {1, 1};
            const int64_t first[2] = {0, 2};
            const int32_t ends[2] = {i, link.node};
            if (link.node > i)
                assert_ok(mco_lp_add_columns(test_ctx, lp, 1, &cost, &none, &limit, first, ends, ones));
        }
    assert_ok(mco_lp_solve(test_ctx, lp, MCO_LP_PRIMAL, INFINITY, &end));
    assert_int_equal(end, MCO_LP_OPTIMAL);
    const double value = -mco_lp_objective(lp) * o->weight_unit / (double)o->scale;
    mco_lp_close(test_ctx, &lp);
    return value;
}

static void test_program_of_models(void **state)
{
    (void)state;
    if (!mco_lp_is_there())
        skip();
    mco_overlay *cases[] = {of_group("grafo50a-14"), of_group("grafo50b-128"), generated(100, 6, 0), generated(80, 8, 1), with_weights(60, 3)};
    for (int c = 0; c < COUNT_OF(cases); c++) {
        const mco_overlay *o = cases[c];
        const double value = value_of_model(o);
        mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_LP, 0, MCO_ENGINE_CPU, 1);
        mco_overlay_bound_result r = bounded(o, &p);
        assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
        assert_true(fabs(r.value - value) <= 1e-9 * value && r.bound >= value && r.bound <= value * (1 + 1e-6));
        mco_overlay_bound_result_clear(test_ctx, &r);
        for (int m = 0; m < COUNT_OF(methods); m++) {
            p = params_of(methods[m], 100, MCO_ENGINE_CPU, 1);
            r = bounded(o, &p);
            assert_true(r.bound >= value * (1 - 1e-12) && r.value <= value * (1 + 1e-9) && r.value >= 0);
            mco_overlay_bound_result_clear(test_ctx, &r);
        }
        mco_overlay_destroy(test_ctx, &cases[c]);
    }
}

// ---- Engines

static void assert_same(const mco_overlay *o, const mco_overlay_bound_result *a, const mco_overlay_bound_result *b)
{
    assert_memory_equal(a->exact, b->exact, sizeof a->exact);
    if (o->nodes > 0)
        assert_memory_equal(a->duals, b->duals, (size_t)o->nodes * sizeof *a->duals);
    assert_true(a->bound == b->bound && a->value == b->value && a->best == b->best && a->iterations == b->iterations);
    assert_int_equal(a->history_count, b->history_count);
}

static void compare_engines(const mco_overlay *o)
{
    static const mco_simd units[] = {MCO_SIMD_PORTABLE, MCO_SIMD_AVX2, MCO_SIMD_AVX512};
    for (int m = 0; m < COUNT_OF(methods); m++) {
        mco_overlay_bound_params p = params_of(methods[m], methods[m] == MCO_OVERLAY_METHOD_DIST ? 12 : 60, MCO_ENGINE_REFERENCE, 1);
        mco_overlay_bound_result reference = bounded(o, &p);
        assert_int_equal(reference.work.engine, MCO_ENGINE_REFERENCE);
        for (int u = 0; u < COUNT_OF(units); u++)
            for (int threads = 1; threads <= 3; threads++) {
                mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
                p.engine = MCO_ENGINE_CPU;
                p.simd = units[u];
                p.threads = threads;
                const mco_status st = mco_overlay_bound(test_ctx, o, &p, &r);
                if (st == MCO_ERR_ARGUMENT && units[u] != MCO_SIMD_PORTABLE)
                    break;  // this processor lacks it
                assert_ok(st);
                assert_int_equal(r.work.simd, units[u]);
                assert_int_equal(r.work.threads, threads);
                assert_same(o, &reference, &r);
                mco_overlay_bound_result_clear(test_ctx, &r);
            }
        mco_overlay_bound_result_clear(test_ctx, &reference);
    }
}

static void test_engines_agree(void **state)
{
    (void)state;
    mco_overlay *cases[] = {of_group("grafo100b-14"), of_group("grafo50a-128"), generated(700, 7, 0), generated(300, 9, 1.5), with_weights(90, 4)};
    for (int c = 0; c < COUNT_OF(cases); c++) {
        compare_engines(cases[c]);
        mco_overlay_destroy(test_ctx, &cases[c]);
    }
    for (int64_t nodes = 0; nodes <= 35; nodes++) {  // rows that end anywhere in a vector
        mco_overlay *o = generated(nodes, -1, 0);
        compare_engines(o);
        mco_overlay_destroy(test_ctx, &o);
    }
}

// The functions over rows by themselves, at the ends of the numbers.
static void test_rows(void **state)
{
    (void)state;
    static const uint32_t duals[] = {0, 1, 1000, UINT32_C(0x7fffffff), UINT32_C(0x80000000), UINT32_MAX - 1, UINT32_MAX};
    static const uint32_t widths[] = {1, 85899, UINT32_C(0x80000001), UINT32_MAX};
    int32_t excess[40 + OVERLAY_ROW_PAD] = {0}, most[40 + OVERLAY_ROW_PAD] = {0};
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    for (int64_t size = 0; size <= 40; size++) {
        const overlay_row row = {excess, most, size, 0};
        memset(most, 0, sizeof most);
        for (int64_t k = 0; k < size; k++) {
            excess[k] = overlay_biased(mco_rng_below(&rng, 3) ? mco_rng_below(&rng, UINT32_MAX) : duals[k % COUNT_OF(duals)]);
            most[k] = (int32_t)mco_rng_below(&rng, INT32_MAX / 40);
        }
        for (int u = MCO_SIMD_AVX512; u <= MCO_SIMD_PORTABLE; u++) {
            const overlay_build *build;
            if (overlay_pick(test_ctx, (mco_simd)u, &build) != MCO_OK)
                continue;
            for (int d = 0; d < COUNT_OF(duals); d++) {
                assert_int_equal(build->over(&row, duals[d]), overlay_plain.over(&row, duals[d]));
                for (int w = 0; w < COUNT_OF(widths); w++)
                    assert_true(build->ramp(&row, duals[d], widths[w]) == overlay_plain.ramp(&row, duals[d], widths[w]));
            }
        }
    }
}

// An instance of uptimes and caps at the ends of the numbers, and some between.
static mco_overlay *at_the_ends(int32_t nodes, mco_rng *rng)
{
    static const double ends[] = {0, 1, 0x1p-32, 1 - 0x1p-31, 0.5, 0x1p-17};
    double uptime[100];
    int64_t bandwidth[100];
    mco_overlay *o = NULL;
    for (int32_t i = 0; i < nodes; i++) {
        uptime[i] = mco_rng_below(rng, 3) ? mco_rng_real(rng) : ends[mco_rng_below(rng, COUNT_OF(ends))];
        bandwidth[i] = mco_rng_below(rng, 1000);
    }
    const mco_overlay_data data = {.nodes = nodes, .uptime = uptime, .bandwidth = bandwidth, .links = -1, .most_of_all = -1};
    assert_ok(mco_overlay_create(test_ctx, NULL, &data, &o));
    return o;
}

typedef struct sorting {
    const mco_overlay *o;
    overlay_prices plain, quick;
    overlay_row all, some, inside;
    uint32_t *dual;
} sorting;

static void open_sorting(const mco_overlay *o, sorting *s)
{
    overlay_row *rows[] = {&s->all, &s->some, &s->inside};
    const int64_t room = o->degree + 1 + 2 * OVERLAY_ROW_PAD;
    *s = (sorting){.o = o};
    assert_ok(overlay_prices_open(test_ctx, o, true, &s->plain));
    assert_ok(overlay_prices_open(test_ctx, o, false, &s->quick));
    for (int k = 0; k < COUNT_OF(rows); k++) {
        assert_ok(mco_alloc(test_ctx, &rows[k]->excess, room));
        assert_ok(mco_alloc(test_ctx, &rows[k]->most, room));
    }
    assert_ok(mco_alloc(test_ctx, &s->dual, o->nodes + OVERLAY_NODE_PAD));
}

static void close_sorting(sorting *s)
{
    overlay_row *rows[] = {&s->all, &s->some, &s->inside};
    overlay_prices_close(test_ctx, &s->plain);
    overlay_prices_close(test_ctx, &s->quick);
    for (int k = 0; k < COUNT_OF(rows); k++) {
        mco_free(test_ctx, &rows[k]->excess);
        mco_free(test_ctx, &rows[k]->most);
    }
    mco_free(test_ctx, &s->dual);
}

// A row of links above `low` has the sums of the whole row at every dual from there on, and so has its split.
static void assert_row(sorting *s, const overlay_build *build, int32_t i, uint32_t low)
{
    const uint32_t high = low < UINT32_MAX / 2 ? low + UINT32_MAX / 4 : UINT32_MAX;
    const uint32_t duals[] = {low, low < UINT32_MAX ? low + 1 : low, low / 2 + high / 2, high};
    overlay_above above;
    overlay_plain.load(&s->plain, i, low, &s->all);
    build->load(&s->quick, i, low, &s->some);
    assert_true(s->some.low <= low && s->some.size <= s->o->nodes);
    build->split(&s->some, low, high, &s->inside, &above);
    for (int d = 0; d < COUNT_OF(duals); d++) {
        const uint32_t load = overlay_plain.over(&s->all, duals[d]);
        const uint64_t worth = overlay_plain.ramp(&s->all, duals[d], UINT32_MAX);
        const overlay_above sums = build->both(&s->some, duals[d]), inside = build->both(&s->inside, duals[d]);
        assert_true(build->over(&s->some, duals[d]) == load && build->ramp(&s->some, duals[d], UINT32_MAX) == worth);
        assert_true(sums.most == load && sums.worth == worth);
        assert_true(inside.most + above.most == load);
        assert_true(inside.worth + above.worth - (uint64_t)above.most * duals[d] == worth);
    }
}

// Groups have each link once: loads are those of the rows, and the worth is half of theirs.
static void assert_groups(sorting *s, const overlay_build *build)
{
    uint32_t load[97 + OVERLAY_PRICE_PAD] = {0};
    overlay_sum grouped = {0}, whole = {0};
    for (int64_t place = 0; place < s->o->nodes; place += OVERLAY_GROUP) {
        uint64_t worth[OVERLAY_GROUP];
        build->group(&s->quick, place, load, worth);
        for (int g = 0; g < 2 * OVERLAY_GROUP; g++)
            overlay_add(&grouped, worth[g / 2]);
    }
    for (int32_t place = 0; place < s->o->nodes; place++) {
        const int32_t i = s->quick.order[place];
        overlay_plain.load(&s->plain, i, 0, &s->all);
        assert_int_equal(load[place], overlay_plain.over(&s->all, s->dual[i]));
        overlay_add(&whole, overlay_plain.ramp(&s->all, s->dual[i], UINT32_MAX));
    }
    assert_true(whole.low == grouped.low && whole.high == grouped.high);
    for (int64_t k = s->o->nodes; k < COUNT_OF(load); k++)
        assert_int_equal(load[k], 0);
}

// Duals that leave all links, some, hardly any; those of the closed form lie on the border of all links at once.
static void set_duals(sorting *s, mco_rng *rng, int kind)
{
    for (int32_t i = 0; i < s->o->nodes; i++) {
        const uint32_t p = s->o->uptime[i], half = (uint32_t)((uint64_t)p * p >> 33);
        const uint32_t any = mco_rng_below(rng, UINT32_MAX);
        s->dual[i] = kind == 0 ? 0 : kind == 1 ? half : kind == 2 ? half - half / 1000 : kind == 3 ? any / 4 : any;
    }
    overlay_prices_set(&s->plain, s->dual);
    overlay_prices_set(&s->quick, s->dual);
}

static void test_sorting_out(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 9, 0);
    for (int32_t nodes = 1; nodes <= 97; nodes += 1 + nodes / 4)
        for (int c = 0; c < 3; c++) {
            mco_overlay *o = c == 0 ? at_the_ends(nodes, &rng) : c == 1 && nodes > 4 ? generated(nodes, nodes / 4 * 2, 0) : with_weights(nodes, 3);
            sorting s;
            open_sorting(o, &s);
            for (int u = MCO_SIMD_AVX512; u <= MCO_SIMD_PORTABLE; u++) {
                const overlay_build *build;
                if (overlay_pick(test_ctx, (mco_simd)u, &build) != MCO_OK)
                    continue;
                for (int kind = 0; kind < 5; kind++) {
                    set_duals(&s, &rng, kind);
                    for (int32_t i = 0; i < nodes; i++) {
                        assert_row(&s, build, i, s.dual[i]);
                        assert_row(&s, build, i, 0);
                        assert_row(&s, build, i, mco_rng_below(&rng, UINT32_MAX));
                    }
                    if (o->is_complete)
                        assert_groups(&s, build);
                }
            }
            close_sorting(&s);
            mco_overlay_destroy(test_ctx, &o);
        }
}

// ---- By hand

static mco_overlay *two_nodes(void)
{
    static const double uptime[] = {0.5, 0.5};
    static const int64_t bandwidth[] = {4, 3};
    const mco_overlay_data data = {.nodes = 2, .uptime = uptime, .bandwidth = bandwidth, .links = -1, .most_of_all = -1};
    mco_overlay *o = NULL;
    assert_ok(mco_overlay_create(test_ctx, "two", &data, &o));
    return o;
}

static void test_check_by_hand(void **state)
{
    (void)state;
    mco_overlay *o = two_nodes();
    uint32_t duals[2] = {0, 0};
    uint64_t exact[2];
    double bound;
    assert_ok(mco_overlay_check_bound(test_ctx, o, duals, &bound, exact));
    assert_true(exact[0] == (UINT64_C(3) << 30) && exact[1] == 0);  // 3 times a weight of 1 / 4
    assert_true(bound >= 0.75 && bound < 0.75 + 1e-8);
    duals[0] = UINT32_C(1) << 30;  // of node 1, which has 4
    assert_ok(mco_overlay_check_bound(test_ctx, o, duals, &bound, exact));
    assert_true(exact[0] == (UINT64_C(4) << 30));
    duals[0] = duals[1] = UINT32_MAX;
    assert_ok(mco_overlay_check_bound(test_ctx, o, duals, &bound, NULL));
    assert_true(bound > 6.99 && bound <= 7 + 1e-7);
    mco_overlay_destroy(test_ctx, &o);
}

static void test_tiny(void **state)
{
    (void)state;
    for (int64_t nodes = 0; nodes <= 2; nodes++) {
        mco_overlay *o = generated(nodes, -1, 0);
        for (int m = MCO_OVERLAY_METHOD_AUTO; m <= MCO_OVERLAY_METHOD_DIST; m++) {
            if (m == MCO_OVERLAY_METHOD_LP && !mco_lp_is_there())
                continue;
            const mco_overlay_bound_params p = params_of((mco_overlay_method)m, 0, MCO_ENGINE_AUTO, 2);
            mco_overlay_bound_result r = bounded(o, &p);
            assert_true(nodes < 2 ? r.bound == 0 && r.value == 0 : r.bound > 0);
            mco_overlay_bound_result_clear(test_ctx, &r);
        }
        mco_overlay_destroy(test_ctx, &o);
    }
}

// The better start is taken; both are duals.
static void test_starts(void **state)
{
    (void)state;
    mco_overlay *o = of_group("grafo100b-14");
    double bound[3];
    for (int start = MCO_OVERLAY_START_AUTO; start <= MCO_OVERLAY_START_HALF; start++) {
        mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_STD, 1, MCO_ENGINE_CPU, 1);
        p.start = (mco_overlay_start)start;
        mco_overlay_bound_result r = bounded(o, &p);
        bound[start] = r.bound;
        mco_overlay_bound_result_clear(test_ctx, &r);
    }
    assert_true(bound[0] == fmin(bound[1], bound[2]) && bound[1] != bound[2]);
    mco_overlay_destroy(test_ctx, &o);
}

static void test_options_of_methods(void **state)
{
    (void)state;
    mco_overlay *o = of_group("grafo50b-14");
    double least = INFINITY, most = 0;
    for (int k = 0; k < 8; k++) {
        mco_overlay_bound_params p = params_of(k < 6 ? MCO_OVERLAY_METHOD_DIST : MCO_OVERLAY_METHOD_STD, 30, MCO_ENGINE_CPU, 1);
        p.dist_step = (mco_overlay_step)(k % 2);
        p.dist_keep = (mco_overlay_keep)(k / 2 % 3);
        p.std_norm = (mco_overlay_norm)(k % 2);
        mco_overlay_bound_result r = bounded(o, &p), again;
        p.engine = MCO_ENGINE_REFERENCE;
        again = bounded(o, &p);
        assert_same(o, &r, &again);
        least = fmin(least, r.bound);
        most = fmax(most, r.bound);
        mco_overlay_bound_result_clear(test_ctx, &again);
        mco_overlay_bound_result_clear(test_ctx, &r);
    }
    assert_true(least < most);
    mco_overlay_destroy(test_ctx, &o);
}

// ---- Limits

static void test_stops(void **state)
{
    (void)state;
    mco_overlay *o = of_group("grafo100a-14");
    mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_JUMP, 2000, MCO_ENGINE_CPU, 2);
    p.gap = 0.01;
    mco_overlay_bound_result r = bounded(o, &p);
    assert_true(r.stop == MCO_STOP_GAP && r.outcome == MCO_OUTCOME_OPTIMAL && r.iterations < 2000);
    assert_true(r.value > 0 && r.bound - r.value <= 0.01 * r.value);
    mco_overlay_bound_result_clear(test_ctx, &r);
    p.method = MCO_OVERLAY_METHOD_DIST;
    r = bounded(o, &p);
    assert_true(r.stop == MCO_STOP_GAP && r.bound - r.value <= 0.01 * r.value);
    mco_overlay_bound_result_clear(test_ctx, &r);
    p.method = MCO_OVERLAY_METHOD_JUMP;
    p.gap = 0;
    p.iterations = 1000000000;
    p.time_limit_s = 0.02;
    const double begin_s = mco_cpu_clock_s();
    r = bounded(o, &p);
    assert_true(r.stop == MCO_STOP_TIME && r.outcome == MCO_OUTCOME_FEASIBLE && r.bound > 0 && mco_cpu_clock_s() - begin_s < 5);
    mco_overlay_bound_result_clear(test_ctx, &r);
    p.time_limit_s = 0;
    for (int m = MCO_OVERLAY_METHOD_AUTO; m <= MCO_OVERLAY_METHOD_DIST; m++) {
        if (m == MCO_OVERLAY_METHOD_LP && !mco_lp_is_there())
            continue;
        p.method = (mco_overlay_method)m;
        r = bounded(o, &p);
        assert_true(r.stop == MCO_STOP_TIME && r.bound > 0 && r.duals != NULL);
        p.start = MCO_OVERLAY_START_ZERO;  // without any sweep the start is that of the uptimes, not this one
        mco_overlay_bound_result of_zero = bounded(o, &p);
        assert_true(r.bound != of_zero.bound);
        p.start = MCO_OVERLAY_START_AUTO;
        mco_overlay_bound_result_clear(test_ctx, &of_zero);
        mco_overlay_bound_result_clear(test_ctx, &r);
    }
    p.time_limit_s = INFINITY;
    p.method = MCO_OVERLAY_METHOD_STD;
    mco_cancel(test_ctx);
    r = bounded(o, &p);
    assert_true(r.stop == MCO_STOP_CANCELLED && r.iterations <= 1);
    mco_overlay_bound_result_clear(test_ctx, &r);
    p.iterations = 3;
    r = bounded(o, &p);
    assert_true(r.stop == MCO_STOP_ITERATIONS && r.iterations == 3);  // the cancel is over
    mco_overlay_bound_result_clear(test_ctx, &r);
    mco_overlay_destroy(test_ctx, &o);
}

static void test_refusals(void **state)
{
    (void)state;
    mco_overlay *o = two_nodes();
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    mco_overlay_bound_params p = params_of(MCO_OVERLAY_METHOD_JUMP, 3, MCO_ENGINE_GPU, 1);
    if (!mco_has_gpu(test_ctx)) {
        assert_int_equal(mco_overlay_bound(test_ctx, o, &p, &r), MCO_ERR_DEVICE);
        assert_non_null(strstr(mco_context_error(test_ctx), "no GPU: "));
        p.engine = MCO_ENGINE_AUTO;
        p.gpus = "0";
        assert_int_equal(mco_overlay_bound(test_ctx, o, &p, &r), MCO_ERR_DEVICE);
    }
    p.gpus = "0";
    p.engine = MCO_ENGINE_REFERENCE;
    assert_fails(mco_overlay_bound(test_ctx, o, &p, &r), MCO_ERR_ARGUMENT, "--gpus is for the gpu engine, the engine is reference");
    p.engine = MCO_ENGINE_AUTO;
    p.gpus = NULL;
    p.method = MCO_OVERLAY_METHOD_STD;
    p.inner = 4;
    assert_fails(mco_overlay_bound(test_ctx, o, &p, &r), MCO_ERR_ARGUMENT, "--inner is for jump and dist, a node of std has one step in an iteration");
    p.inner = 0;
    p.start = MCO_OVERLAY_START_HALF;
    mco_overlay *own = with_weights(10, 3);
    assert_fails(mco_overlay_bound(test_ctx, own, &p, &r), MCO_ERR_ARGUMENT,
                 "--start-duals half is for weights that are products of uptimes, and links have weights of their own here");
    mco_overlay_destroy(test_ctx, &own);
    p.gap = 2;
    assert_int_equal(mco_overlay_bound(test_ctx, o, &p, &r), MCO_ERR_ARGUMENT);
    assert_fails(mco_overlay_write_bound(test_ctx, o, &(mco_overlay_bound_params)MCO_OVERLAY_BOUND_PARAMS_INIT, &r, NULL, "f"), MCO_ERR_ARGUMENT,
                 "the duals of the result are NULL");
    mco_overlay_destroy(test_ctx, &o);
}

static void test_failing_memory(void **state)
{
    (void)state;
    mco_overlay *cases[] = {generated(30, -1, 0), generated(40, 6, 1)};
    const long before = test_memory.live;
    for (int c = 0; c < 2 * 4; c++) {
        mco_overlay_bound_params p = params_of(c % 4 == 3 ? MCO_OVERLAY_METHOD_LP : methods[c % 4], 5, MCO_ENGINE_CPU, 1 + c / 4);
        mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
        mco_status st = MCO_ERR_MEMORY;
        long k = 1;
        if (p.method == MCO_OVERLAY_METHOD_LP && !mco_lp_is_there())
            continue;
        for (; st != MCO_OK && k < 300; k++) {
            test_fail_allocation(k);
            st = mco_overlay_bound(test_ctx, cases[c / 4], &p, &r);
            assert_true(st == MCO_OK || (st == MCO_ERR_MEMORY && r.duals == NULL && test_memory.live == before));
        }
        test_fail_allocation(0);
        assert_int_equal(st, MCO_OK);
        assert_true(k > 6);
        mco_overlay_bound_result_clear(test_ctx, &r);
    }
    for (int c = 0; c < COUNT_OF(cases); c++)
        mco_overlay_destroy(test_ctx, &cases[c]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_small_instances), TEST(test_program_of_small_instances), TEST(test_program_of_models),
        TEST(test_engines_agree),   TEST(test_rows),                       TEST(test_sorting_out),
        TEST(test_check_by_hand),   TEST(test_tiny),                       TEST(test_starts),
        TEST(test_options_of_methods), TEST(test_stops),                   TEST(test_refusals),
        TEST(test_failing_memory),
    };
    return cmocka_run_group_tests_name("overlay bound", tests, NULL, NULL);
}
