// SPDX-License-Identifier: MIT
// Subgradients by themselves: duals whose best value is known by hand, or by trying everything; the rules of steps; averages; failures.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "lagrange/lagrange.h"

// ---- A cover of three elements by three sets of two. Best: all duals 1/2, bound 3/2, half of each set.

typedef struct cover {
    double best_seen;
    int64_t evaluations, fails_at, stops_at;  // -1: never
} cover;

static mco_status evaluate_cover(void *user, lagrange *l, double *bound)
{
    cover *c = user;
    if (c->evaluations == c->fails_at)
        return MCO_ERR_INTERNAL;
    if (c->evaluations++ == c->stops_at)
        return MCO_ERR_STOPPED;
    *bound = 0;
    for (int i = 0; i < 3; i++) {
        *bound += l->dual[i];
        l->subgradient[i] = 1;
    }
    for (int s = 0; s < 3; s++) {  // set s lacks element s
        const double reduced = 1 - l->dual[(s + 1) % 3] - l->dual[(s + 2) % 3];
        l->solution[s] = reduced < 0;
        if (reduced >= 0)
            continue;
        *bound += reduced;
        l->subgradient[(s + 1) % 3] -= 1;
        l->subgradient[(s + 2) % 3] -= 1;
    }
    assert_true(*bound <= 1.5 + 1e-12);
    c->best_seen = fmax(c->best_seen, *bound);
    return MCO_OK;
}

static void not_negative(void *user, lagrange *l)
{
    (void)user;
    for (int64_t i = 0; i < l->duals; i++)
        l->dual[i] = fmax(l->dual[i], 0);
}

static const lagrange_rules POLYAK = {.factor = 1, .shrink = 0.7, .least_factor = 1e-7, .patience = 5, .newest = 1, .before = 0};
static const lagrange_rules CAMERINI = {.factor = 1.5, .shrink = 0.7, .least_factor = 1e-7, .patience = 6, .eases = true, .newest = 0.7,
                                        .before = 0.3, .returns = LAGRANGE_RETURNS_WHEN_IT_SHRINKS};
static const lagrange_rules VOLGENANT = {.factor = 1, .shrink = 0.5, .least_factor = 1e-7, .patience = 6, .newest = 0.7, .before = 0.3,
                                         .memory = LAGRANGE_SUBGRADIENT};

static void test_cover(void **state)
{
    (void)state;
    const lagrange_rules rules[] = {POLYAK, CAMERINI, VOLGENANT, lagrange_volume(false, 0.1)};
    for (int k = 0; k < COUNT_OF(rules); k++) {
        cover c = {.best_seen = -INFINITY, .fails_at = -1, .stops_at = -1};
        const lagrange_problem problem = {.user = &c, .evaluate = evaluate_cover, .project = not_negative};
        lagrange l;
        assert_ok(lagrange_open(test_ctx, &rules[k], 3, 3, &l));
        l.dual[0] = 0.9;
        assert_ok(lagrange_run(&l, &problem, 500));
        assert_true(l.best == c.best_seen && l.steps == c.evaluations);
        if (l.best < 1.5 - 1e-4)
            fail_msg("rules %d: %.9f after %d steps", k, l.best, (int)l.steps);
        lagrange_close(test_ctx, &l);
    }
}

// The volume method tells the solution of the linear program too.
static void test_average(void **state)
{
    (void)state;
    const lagrange_rules rules = lagrange_volume(false, 0.05);
    cover c = {.best_seen = -INFINITY, .fails_at = -1, .stops_at = -1};
    const lagrange_problem problem = {.user = &c, .evaluate = evaluate_cover, .project = not_negative};
    lagrange l;
    assert_ok(lagrange_open(test_ctx, &rules, 3, 3, &l));
    assert_ok(lagrange_run(&l, &problem, 2000));
    for (int s = 0; s < 3; s++)
        if (fabs(l.average[s] - 0.5) > 0.05)
            fail_msg("set %d: %.4f", s, l.average[s]);
    lagrange_close(test_ctx, &l);
}

// ---- Assignments: the rows are priced, each column takes its cheapest row. The best bound is the optimum, since the duals of an
// assignment have no gap.

enum { SIZE = 6 };

typedef struct assignment {
    int cost[SIZE][SIZE];
    int sign;  // -1: the greatest assignment, bounds from above
    int optimum;
} assignment;

static void try_all(assignment *a, int column, unsigned used, int cost)
{
    if (column == SIZE)
        a->optimum = a->optimum < cost ? a->optimum : cost;
    for (int row = 0; row < SIZE && column < SIZE; row++)
        if ((used >> row & 1) == 0)
            try_all(a, column + 1, used | 1U << row, cost + a->sign * a->cost[row][column]);
}

static mco_status evaluate_assignment(void *user, lagrange *l, double *bound)
{
    const assignment *a = user;
    double sum = 0;
    for (int row = 0; row < SIZE; row++) {
        sum += a->sign * l->dual[row];
        l->subgradient[row] = 1;
    }
    for (int column = 0; column < SIZE; column++) {
        int best = 0;
        for (int row = 1; row < SIZE; row++)
            if (a->sign * (a->cost[row][column] - l->dual[row]) < a->sign * (a->cost[best][column] - l->dual[best]))
                best = row;
        sum += a->sign * (a->cost[best][column] - l->dual[best]);
        l->subgradient[best] -= 1;
    }
    *bound = a->sign * sum;
    assert_true(sum <= a->optimum + 1e-9);
    return MCO_OK;
}

static void test_assignments(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < 40; k++) {
        assignment a = {.sign = k % 2 == 0 ? 1 : -1, .optimum = INT32_MAX};
        for (int c = 0; c < SIZE * SIZE; c++)
            a.cost[c / SIZE][c % SIZE] = (int)mco_rng_below(&rng, 100);
        try_all(&a, 0, 0, 0);
        lagrange_rules rules[] = {CAMERINI, VOLGENANT, lagrange_volume(false, 0.1)};
        for (int m = 0; m < COUNT_OF(rules); m++) {
            const lagrange_problem problem = {.user = &a, .evaluate = evaluate_assignment};
            lagrange l;
            rules[m].is_upper = a.sign < 0;
            assert_ok(lagrange_open(test_ctx, &rules[m], SIZE, 0, &l));
            assert_ok(lagrange_run(&l, &problem, 3000));
            const double gap = a.optimum - a.sign * l.best;
            if (gap < -1e-9 || gap > 0.01 * abs(a.optimum) + 0.01)
                fail_msg("case %d, rules %d: %.6f, optimum %d", k, m, a.sign * l.best, a.optimum);
            lagrange_close(test_ctx, &l);
        }
    }
}

// ---- Rules by hand

static void test_one_step(void **state)
{
    (void)state;
    lagrange l;
    lagrange_rules rules = VOLGENANT;
    rules.is_upper = true;
    assert_ok(lagrange_open(test_ctx, &rules, 2, 1, &l));
    l.subgradient[0] = 3;
    l.subgradient[1] = -4;
    l.solution[0] = 8;
    assert_true(lagrange_take(&l, 10));
    assert_true(lagrange_move(&l, 5));  // 5 / 25, downwards
    assert_true(fabs(l.dual[0] + 0.6) < 1e-15 && fabs(l.dual[1] - 0.8) < 1e-15 && l.average[0] == 8);
    l.subgradient[0] = 0;
    l.subgradient[1] = 1;
    assert_false(lagrange_take(&l, 10));  // equal is not better
    assert_true(lagrange_move(&l, 1));
    assert_true(fabs(l.dual[0] + 0.6 + 0.9) < 1e-15 && fabs(l.dual[1] - 0.8 - 0.5) < 1e-15);  // 0.7 of the new one, 0.3 of the old one
    assert_true(l.best == 10 && l.best_dual[0] == 0 && l.steps == 2);
    l.subgradient[1] = 0;
    assert_false(lagrange_take(&l, 11));
    assert_false(lagrange_move(&l, 1));  // nowhere to go
    lagrange_close(test_ctx, &l);
}

static void test_paces(void **state)
{
    (void)state;
    lagrange_pace plain = {.factor = 1}, eased = {.factor = 1};
    static const bool better[] = {false, false, true, false, false, false};
    static const bool shrinks[] = {false, false, false, false, false, true}, shrinks_eased[] = {false, false, false, false, true, false};
    for (int k = 0; k < COUNT_OF(better); k++) {
        assert_int_equal(lagrange_note(&plain, better[k], 3, 0.5, false), shrinks[k]);
        assert_int_equal(lagrange_note(&eased, better[k], 3, 0.5, true), shrinks_eased[k]);
    }
    assert_true(plain.factor == 0.5 && eased.factor == 0.5 && plain.idle == 0 && eased.idle == 1);
}

static void test_quasi_constant_steps(void **state)
{
    (void)state;
    const lagrange_quasi_rules rules = {.grows = 200, .shrinks = 20, .least = 990, .most = 1010, .patience = 1};
    uint64_t step = 1000;
    int32_t idle = 0;
    lagrange_quasi(&step, &idle, true, &rules);
    assert_int_equal(step, 1005);
    lagrange_quasi(&step, &idle, false, &rules);
    assert_true(step == 1005 && idle == 1);
    lagrange_quasi(&step, &idle, true, &rules);
    assert_true(step == 1010 && idle == 1);  // the patience is not renewed
    lagrange_quasi(&step, &idle, true, &rules);
    assert_int_equal(step, 1010);
    lagrange_quasi(&step, &idle, false, &rules);
    assert_true(step == 990 && idle == 0);
}

// ---- Ends

static void test_ends(void **state)
{
    (void)state;
    cover c = {.best_seen = -INFINITY, .fails_at = 3, .stops_at = -1};
    const lagrange_problem problem = {.user = &c, .evaluate = evaluate_cover, .project = not_negative};
    lagrange l;
    assert_ok(lagrange_open(test_ctx, &POLYAK, 3, 3, &l));
    assert_int_equal(lagrange_run(&l, &problem, 100), MCO_ERR_INTERNAL);
    assert_int_equal(l.steps, 3);
    lagrange_restart(&l);
    assert_true(l.best == -INFINITY && l.steps == 0);
    c = (cover){.best_seen = -INFINITY, .fails_at = -1, .stops_at = 2};
    assert_ok(lagrange_run(&l, &problem, 100));
    assert_int_equal(l.steps, 2);
    lagrange_close(test_ctx, &l);
    assert_ok(lagrange_open(test_ctx, &POLYAK, 0, 0, &l));
    assert_true(lagrange_take(&l, 1));
    assert_false(lagrange_move(&l, 1));
    lagrange_close(test_ctx, &l);
}

static void test_failing_memory(void **state)
{
    (void)state;
    const long before = test_memory.live;
    for (long k = 1;; k++) {
        lagrange l;
        test_fail_allocation(k);
        const mco_status st = lagrange_open(test_ctx, &POLYAK, 3, 3, &l);
        test_fail_allocation(0);
        lagrange_close(test_ctx, &l);
        assert_int_equal(test_memory.live, before);
        if (st == MCO_OK)
            break;
        assert_int_equal(st, MCO_ERR_MEMORY);
        assert_true(k < 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_cover), TEST(test_average),              TEST(test_assignments), TEST(test_one_step),
        TEST(test_paces), TEST(test_quasi_constant_steps), TEST(test_ends),        TEST(test_failing_memory),
    };
    return cmocka_run_group_tests_name("lagrange", tests, NULL, NULL);
}
