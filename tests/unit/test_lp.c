// SPDX-License-Identifier: MIT
// Linear programs: by hand, at random against exact rationals by all methods, changed and solved again, without memory.
#include "lp_support.h"

#ifndef MCO_HAVE_CLP
static void test_absent(void **state)
{
    (void)state;
    mco_lp *lp = NULL;
    assert_false(mco_lp_is_there());
    assert_int_equal(mco_lp_open(test_ctx, &lp), MCO_ERR_IO);
    assert_non_null(strstr(mco_context_error(test_ctx), "coinor-libclp-dev"));
    assert_null(lp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_absent)};
    return cmocka_run_group_tests_name("lp", tests, NULL, NULL);
}
#else
#include "lp/program.h"

static const double INF = INFINITY;
enum { CASES = TEST_IS_SANITIZED ? 100 : 600 };

// max 3a + 2b, a + b <= 4, a + 3b <= 9, a <= 3: a = 3, b = 1; duals 2 and 0, the bound of a is worth 1.
static void add_hand(mco_lp *lp)
{
    const int64_t first[] = {0, 2, 4};
    const int32_t row[] = {0, 1, 0, 1};
    const double value[] = {1, 1, 1, 3};
    assert_ok(mco_lp_add_rows(test_ctx, lp, 2, (double[]){-INF, -INF}, (double[]){4, 9}, NULL, NULL, NULL));
    assert_ok(mco_lp_add_columns(test_ctx, lp, 2, (double[]){-3, -2}, (double[]){0, 0}, (double[]){3, INF}, first, row, value));
}

static void test_by_hand(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(lp_methods); k++) {
        mco_lp *lp = lp_open();
        add_hand(lp);
        assert_int_equal(mco_lp_rows(lp), 2);
        assert_int_equal(mco_lp_columns(lp), 2);
        assert_int_equal(lp_solve(lp, lp_methods[k]), MCO_LP_OPTIMAL);
        assert_near(mco_lp_objective(lp), -11);
        assert_near(mco_lp_values(lp)[0], 3);
        assert_near(mco_lp_values(lp)[1], 1);
        assert_near(mco_lp_activities(lp)[0], 4);
        assert_near(mco_lp_duals(lp)[0], -2);
        assert_near(mco_lp_reduced_costs(lp)[0], -1);
        assert_near(mco_lp_reduced_costs(lp)[1], 0);
        assert_false(mco_lp_column_is_basic(lp, 0));
        assert_true(mco_lp_column_is_basic(lp, 1));
        assert_false(mco_lp_row_is_basic(lp, 0));
        assert_true(mco_lp_iterations(lp) > 0);
        mco_lp_close(test_ctx, &lp);
        assert_null(lp);
    }
    mco_lp_close(test_ctx, NULL);
}

// Beale's program, on which a naive simplex method cycles: all rows but one are zero at the begin. Optimum -5/4.
static void test_degenerate(void **state)
{
    (void)state;
    const double value[] = {0.25, 0.5, -8, -12, -1, -0.5, 1, 9, 3};
    const int32_t row[] = {0, 1, 0, 1, 0, 1, 2, 0, 1};
    for (int k = 0; k < COUNT_OF(lp_methods); k++) {
        mco_lp *lp = lp_open();
        assert_ok(mco_lp_add_rows(test_ctx, lp, 3, (double[]){-INF, -INF, -INF}, (double[]){0, 0, 1}, NULL, NULL, NULL));
        assert_ok(mco_lp_add_columns(test_ctx, lp, 4, (double[]){-0.75, 20, -0.5, 6}, (double[]){0, 0, 0, 0}, (double[]){INF, INF, INF, INF},
                                     (int64_t[]){0, 2, 4, 7, 9}, row, value));
        assert_int_equal(lp_solve(lp, lp_methods[k]), MCO_LP_OPTIMAL);
        assert_near(mco_lp_objective(lp), -1.25);
        assert_near(mco_lp_values(lp)[0], 1);
        assert_near(mco_lp_values(lp)[2], 1);
        mco_lp_close(test_ctx, &lp);
    }
}

// The test of an optimum sees each kind of error.
static void test_wrong_optimum(void **state)
{
    (void)state;
    mco_lp *lp = lp_open();
    bool is_optimal = false;
    add_hand(lp);
    assert_int_equal(lp_solve(lp, MCO_LP_AUTO), MCO_LP_OPTIMAL);
    Clp_Simplex *const m = lp->model;
    struct { double *at, wrong; } errors[] = {
        {&lp_clp.Clp_primalColumnSolution(m)[0], 3.001},  // beyond its bound
        {&lp_clp.Clp_primalColumnSolution(m)[1], 1.001},  // beyond its row
        {&lp_clp.Clp_primalColumnSolution(m)[0], 2.9},    // its price asks for more
        {&lp_clp.Clp_primalColumnSolution(m)[1], NAN},
        {&lp_clp.Clp_dualRowSolution(m)[0], -2.001},      // the reduced cost of a basic column
        {&lp_clp.Clp_dualRowSolution(m)[1], -0.001},      // a price on a row that does not bind
        {&lp_clp.Clp_dualRowSolution(m)[1], NAN},
        {&lp_clp.Clp_objective(m)[0], -1.9},              // the column had better leave its bound
    };
    assert_ok(lp_test_optimum(test_ctx, lp, &is_optimal));
    assert_true(is_optimal);
    for (int k = 0; k < COUNT_OF(errors); k++) {
        const double right = *errors[k].at;
        *errors[k].at = errors[k].wrong;
        assert_ok(lp_test_optimum(test_ctx, lp, &is_optimal));
        if (is_optimal)
            fail_msg("error %d is not seen", k);
        *errors[k].at = right;
    }
    assert_ok(lp_test_optimum(test_ctx, lp, &is_optimal));
    assert_true(is_optimal);
    mco_lp_close(test_ctx, &lp);
}

// Programs without rows, without columns, without both; rows and columns without entries.
static void test_empty(void **state)
{
    (void)state;
    const struct { int rows, columns; double row_least, row_most, cost, least, most; mco_lp_end end; double objective; } cases[] = {
        {0, 0, 0, 0, 0, 0, 0, MCO_LP_OPTIMAL, 0},
        {1, 0, -1, 1, 0, 0, 0, MCO_LP_OPTIMAL, 0},
        {1, 0, 1, 1, 0, 0, 0, MCO_LP_INFEASIBLE, 0},
        {0, 1, 0, 0, 2, 3, INF, MCO_LP_OPTIMAL, 6},
        {0, 1, 0, 0, -2, 3, 5, MCO_LP_OPTIMAL, -10},
        {0, 1, 0, 0, -2, 3, INF, MCO_LP_UNBOUNDED, 0},
        {0, 1, 0, 0, 2, -INF, 3, MCO_LP_UNBOUNDED, 0},
        {1, 1, -INF, INF, 0, -INF, INF, MCO_LP_OPTIMAL, 0},
        {1, 1, -2, -1, 1, 1, 2, MCO_LP_INFEASIBLE, 0},
        {1, 1, -2, 1, 1, 1, 2, MCO_LP_OPTIMAL, 1},
        {1, 1, 0, 0, 1, 2, 1, MCO_LP_INFEASIBLE, 0},
    };
    for (int k = 0; k < COUNT_OF(cases) * COUNT_OF(lp_methods); k++) {
        const int c = k / COUNT_OF(lp_methods);
        mco_lp *lp = lp_open();
        assert_ok(mco_lp_add_rows(test_ctx, lp, cases[c].rows, &cases[c].row_least, &cases[c].row_most, NULL, NULL, NULL));
        assert_ok(mco_lp_add_columns(test_ctx, lp, cases[c].columns, &cases[c].cost, &cases[c].least, &cases[c].most, NULL, NULL, NULL));
        const mco_lp_end end = lp_solve(lp, lp_methods[k % COUNT_OF(lp_methods)]);
        if (end != cases[c].end)
            fail_msg("case %d: end %d instead of %d", c, (int)end, (int)cases[c].end);
        if (end == MCO_LP_OPTIMAL)
            assert_near(mco_lp_objective(lp), cases[c].objective);
        mco_lp_close(test_ctx, &lp);
    }
}

// ---- At random against the reference

// The program's optimum, or its end, is that of the case.
static mco_lp_end assert_as_case(mco_lp *lp, mco_lp_method method, const lp_case *c)
{
    double objective = 0;
    const mco_lp_end expected = lp_reference(c, &objective), end = lp_solve(lp, method);
    if (end != expected)
        fail_msg("end %d instead of %d", (int)end, (int)expected);
    if (end != MCO_LP_OPTIMAL)
        return end;
    assert_near(mco_lp_objective(lp), objective);
    double sum = 0;
    int basic = 0;
    for (int32_t j = 0; j < c->columns; j++) {
        double reduced = c->cost[j];
        for (int32_t i = 0; i < c->rows; i++)
            reduced -= mco_lp_duals(lp)[i] * c->a[i][j];
        assert_near(mco_lp_reduced_costs(lp)[j], reduced);
        sum += c->cost[j] * mco_lp_values(lp)[j];
        basic += mco_lp_column_is_basic(lp, j);
    }
    for (int32_t i = 0; i < c->rows; i++)
        basic += mco_lp_row_is_basic(lp, i);
    assert_near(sum, objective);
    assert_int_equal(basic, c->rows);
    return end;
}

static void test_random(void **state)
{
    (void)state;
    mco_rng rng;
    int seen[5] = {0};
    mco_rng_seed(&rng, 22, 0);
    for (int k = 0; k < CASES; k++) {
        const lp_case c = lp_draw(&rng);
        for (int m = 0; m < COUNT_OF(lp_methods); m++) {
            mco_lp *lp = lp_open();
            lp_add_case(lp, &c, k % 2 == 1);
            seen[assert_as_case(lp, lp_methods[m], &c)]++;
            mco_lp_close(test_ctx, &lp);
        }
    }
    assert_true(seen[MCO_LP_OPTIMAL] > CASES / 2 && seen[MCO_LP_INFEASIBLE] > CASES / 10 && seen[MCO_LP_UNBOUNDED] > CASES / 10);
}

static void drop_column(lp_case *c, int32_t column)
{
    c->columns--;
    for (int32_t j = column; j < c->columns; j++) {
        c->cost[j] = c->cost[j + 1];
        c->least[j] = c->least[j + 1];
        c->most[j] = c->most[j + 1];
        for (int32_t i = 0; i < c->rows; i++)
            c->a[i][j] = c->a[i][j + 1];
    }
}

static void drop_row(lp_case *c, int32_t row)
{
    c->rows--;
    for (int32_t i = row; i < c->rows; i++) {
        c->row_least[i] = c->row_least[i + 1];
        c->row_most[i] = c->row_most[i + 1];
        memcpy(c->a[i], c->a[i + 1], sizeof c->a[i]);
    }
}

// Adds column or row `of` of another case behind the last one.
static void add_column_of(mco_lp *lp, lp_case *c, const lp_case *other, int32_t of)
{
    int32_t row[LP_MOST], entries = 0;
    double value[LP_MOST];
    const int32_t j = c->columns++;
    c->cost[j] = other->cost[of];
    c->least[j] = other->least[of];
    c->most[j] = other->most[of];
    for (int32_t i = 0; i < c->rows; i++) {
        c->a[i][j] = i < other->rows ? other->a[i][of] : 0;
        if (c->a[i][j] != 0) {
            row[entries] = i;
            value[entries++] = c->a[i][j];
        }
    }
    assert_ok(mco_lp_add_columns(test_ctx, lp, 1, &c->cost[j], &c->least[j], &c->most[j], (int64_t[]){0, entries}, row, value));
}

static void add_row_of(mco_lp *lp, lp_case *c, const lp_case *other, int32_t of)
{
    int32_t column[LP_MOST], entries = 0;
    double value[LP_MOST];
    const int32_t i = c->rows++;
    c->row_least[i] = other->row_least[of];
    c->row_most[i] = other->row_most[of];
    for (int32_t j = 0; j < c->columns; j++) {
        c->a[i][j] = j < other->columns ? other->a[of][j] : 0;
        if (c->a[i][j] != 0) {
            column[entries] = j;
            value[entries++] = c->a[i][j];
        }
    }
    assert_ok(mco_lp_add_rows(test_ctx, lp, 1, &c->row_least[i], &c->row_most[i], (int64_t[]){0, entries}, column, value));
}

// One change of the program and of the case.
static void change(mco_rng *rng, mco_lp *lp, lp_case *c)
{
    const lp_case other = lp_draw(rng);
    const int32_t column = c->columns > 0 ? (int32_t)mco_rng_below(rng, (uint32_t)c->columns) : 0;
    const int32_t row = c->rows > 0 ? (int32_t)mco_rng_below(rng, (uint32_t)c->rows) : 0;
    const uint32_t kind = mco_rng_below(rng, 7);
    if (kind == 0 && c->columns < LP_MOST)
        add_column_of(lp, c, &other, 0);
    else if (kind == 1 && c->rows < LP_MOST)
        add_row_of(lp, c, &other, 0);
    else if (kind == 2 && c->columns > 1) {
        drop_column(c, column);
        assert_ok(mco_lp_delete_columns(test_ctx, lp, 1, &column));
    } else if (kind == 3 && c->rows > 1) {
        drop_row(c, row);
        assert_ok(mco_lp_delete_rows(test_ctx, lp, 1, &row));
    } else if (kind == 4) {
        c->cost[column] = other.cost[0];
        assert_ok(mco_lp_set_costs(test_ctx, lp, 1, &column, other.cost));
    } else if (kind == 5) {
        c->least[column] = other.least[0];
        c->most[column] = other.most[0];
        assert_ok(mco_lp_set_column_bounds(test_ctx, lp, 1, &column, other.least, other.most));
    } else {
        c->row_least[row] = other.row_least[0];
        c->row_most[row] = other.row_most[0];
        assert_ok(mco_lp_set_row_bounds(test_ctx, lp, 1, &row, other.row_least, other.row_most));
    }
}

// Warm starts: a sequence of changes, each solved from the last basis or from one that was saved on the way.
static void test_changes(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 22, 1);
    for (int k = 0; k < CASES / 10; k++) {
        lp_case c = lp_draw(&rng);
        mco_lp_basis basis = {0};
        mco_lp *lp = lp_open();
        lp_add_case(lp, &c, false);
        for (int step = 0; step < 20; step++) {
            assert_as_case(lp, lp_methods[mco_rng_below(&rng, COUNT_OF(lp_methods))], &c);
            if (step == 7)
                assert_ok(mco_lp_save_basis(test_ctx, lp, &basis));
            if (step == 12 && basis.columns <= c.columns && basis.rows <= c.rows)
                assert_ok(mco_lp_load_basis(test_ctx, lp, &basis));
            for (uint32_t changes = 1 + mco_rng_below(&rng, 3); changes > 0; changes--)
                change(&rng, lp, &c);
        }
        mco_lp_basis_clear(test_ctx, &basis);
        mco_lp_close(test_ctx, &lp);
    }
}

// Many rows and columns are deleted at once, in any order.
static void test_delete_many(void **state)
{
    (void)state;
    lp_case c;
    mco_rng rng;
    mco_rng_seed(&rng, 22, 2);
    do
        c = lp_draw(&rng);
    while (c.columns < LP_MOST || c.rows < LP_MOST);
    mco_lp *lp = lp_open();
    lp_add_case(lp, &c, false);
    lp_solve(lp, MCO_LP_AUTO);
    assert_ok(mco_lp_delete_columns(test_ctx, lp, 3, (int32_t[]){5, 0, 2}));
    assert_ok(mco_lp_delete_rows(test_ctx, lp, 3, (int32_t[]){1, 4, 3}));
    drop_column(&c, 5), drop_column(&c, 2), drop_column(&c, 0);
    drop_row(&c, 4), drop_row(&c, 3), drop_row(&c, 1);
    assert_as_case(lp, MCO_LP_AUTO, &c);
    assert_ok(mco_lp_delete_columns(test_ctx, lp, 3, (int32_t[]){2, 1, 0}));
    assert_int_equal(mco_lp_columns(lp), 0);
    lp_solve(lp, MCO_LP_AUTO);
    mco_lp_close(test_ctx, &lp);
}

// A copy of a program at rest is the program.
static void test_copy(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 22, 3);
    for (int k = 0; k < 50; k++) {
        lp_case c = lp_draw(&rng);
        mco_lp *lp = lp_open();
        mco_lp_model m = {0};
        lp_add_case(lp, &c, k % 2 == 1);
        for (int changes = 0; changes < 6; changes++)
            change(&rng, lp, &c);
        assert_ok(mco_lp_copy_model(test_ctx, lp, &m));
        const lp_entries e = lp_compress(&c, false);
        assert_int_equal(m.columns, c.columns);
        assert_int_equal(m.rows, c.rows);
        assert_memory_equal(m.first, e.first, ((size_t)c.columns + 1) * sizeof *m.first);
        for (int32_t j = 0; j < c.columns; j++) {
            assert_true(m.cost[j] == c.cost[j] && m.column_least[j] == c.least[j] && m.column_most[j] == c.most[j]);
            for (int64_t at = m.first[j]; at < m.first[j + 1]; at++)
                assert_true(m.value[at] == c.a[m.row[at]][j]);
        }
        for (int32_t i = 0; i < c.rows; i++)
            assert_true(m.row_least[i] == c.row_least[i] && m.row_most[i] == c.row_most[i]);
        mco_lp_model_clear(test_ctx, &m);
        mco_lp_close(test_ctx, &lp);
    }
}

// ---- Refusals

static void test_refusals(void **state)
{
    (void)state;
    const double one[] = {1, 1}, nan[] = {NAN, NAN}, inf[] = {INF, INF};
    const int64_t first[] = {0, 2};
    mco_lp_end end;
    mco_lp_basis basis = {.columns = 3};
    mco_lp *lp = lp_open();
    add_hand(lp);
    assert_fails(mco_lp_add_columns(test_ctx, lp, 1, one, one, one, first, (int32_t[]){0, 2}, one), MCO_ERR_ARGUMENT, "row 2, there are 2");
    assert_fails(mco_lp_add_columns(test_ctx, lp, 1, one, one, one, first, (int32_t[]){1, 1}, one), MCO_ERR_ARGUMENT, "row 1 occurs twice");
    assert_fails(mco_lp_add_rows(test_ctx, lp, 1, one, one, first, (int32_t[]){0, -1}, one), MCO_ERR_ARGUMENT, "column -1, there are 2");
    assert_fails(mco_lp_add_rows(test_ctx, lp, 1, one, one, first, (int32_t[]){0, 1}, inf), MCO_ERR_ARGUMENT, "the value at column 0 is inf");
    assert_fails(mco_lp_add_rows(test_ctx, lp, 1, one, one, (int64_t[]){2, 0}, (int32_t[]){0, 1}, one), MCO_ERR_ARGUMENT, "entries 2..0");
    assert_fails(mco_lp_add_rows(test_ctx, lp, 1, nan, one, NULL, NULL, NULL), MCO_ERR_ARGUMENT, "row 0 of 1 lies between nan and 1");
    assert_fails(mco_lp_add_rows(test_ctx, lp, -1, one, one, NULL, NULL, NULL), MCO_ERR_ARGUMENT, "-1 rows");
    assert_fails(mco_lp_add_rows(test_ctx, lp, INT32_MAX, one, one, NULL, NULL, NULL), MCO_ERR_LIMIT, "2147483649 rows, at most 1073741823 supported");
    assert_fails(mco_lp_add_columns(test_ctx, lp, 1, inf, one, one, NULL, NULL, NULL), MCO_ERR_ARGUMENT, "cost 0 of 1 is inf");
    assert_fails(mco_lp_add_columns(test_ctx, lp, 1, one, one, one, (int64_t[]){0, INT32_MAX}, NULL, one), MCO_ERR_LIMIT,
                 "2147483651 entries, at most 2147483647 supported");
    assert_fails(mco_lp_delete_rows(test_ctx, lp, 1, (int32_t[]){2}), MCO_ERR_ARGUMENT, "row 2, there are 2");
    assert_fails(mco_lp_delete_columns(test_ctx, lp, 2, (int32_t[]){1, 1}), MCO_ERR_ARGUMENT, "column 1 occurs twice");
    assert_fails(mco_lp_set_costs(test_ctx, lp, 3, NULL, one), MCO_ERR_ARGUMENT, "3 columns, there are 2");
    assert_fails(mco_lp_set_costs(test_ctx, lp, 1, NULL, nan), MCO_ERR_ARGUMENT, "cost 0 of 1 is nan");
    assert_fails(mco_lp_set_row_bounds(test_ctx, lp, 1, NULL, inf, inf), MCO_ERR_ARGUMENT, "row 0 of 1 lies between inf and inf");
    assert_fails(mco_lp_load_basis(test_ctx, lp, &basis), MCO_ERR_ARGUMENT, "a basis of 3 columns and 0 rows, the program has 2 and 2");
    assert_fails(mco_lp_solve(test_ctx, lp, MCO_LP_AUTO, NAN, &end), MCO_ERR_ARGUMENT, "a solve by method 0 until nan s");
    assert_int_equal(mco_lp_columns(lp), 2);
    assert_int_equal(mco_lp_rows(lp), 2);
    assert_int_equal(lp_solve(lp, MCO_LP_AUTO), MCO_LP_OPTIMAL);  // nothing has changed
    assert_near(mco_lp_objective(lp), -11);
    mco_lp_close(test_ctx, &lp);
}

// ---- Without memory: each allocation of ours fails once

static mco_status do_all(void)
{
    mco_status st = MCO_OK;
    const double one[] = {1, 1}, two[] = {2, 2};
    mco_lp *lp = NULL;
    mco_lp_end end;
    mco_lp_basis basis = {0};
    mco_lp_model model = {0};
    MCO_TRY(mco_lp_open(test_ctx, &lp));
    MCO_TRY(mco_lp_add_columns(test_ctx, lp, 2, one, one, two, NULL, NULL, NULL));
    MCO_TRY(mco_lp_add_rows(test_ctx, lp, 1, one, two, (int64_t[]){0, 2}, (int32_t[]){0, 1}, one));
    MCO_TRY(mco_lp_solve(test_ctx, lp, MCO_LP_AUTO, INFINITY, &end));
    MCO_TRY(mco_lp_save_basis(test_ctx, lp, &basis));
    MCO_TRY(mco_lp_delete_rows(test_ctx, lp, 1, (int32_t[]){0}));
    MCO_TRY(mco_lp_copy_model(test_ctx, lp, &model));
    MCO_TRY(mco_lp_write(test_ctx, lp, test_path("memory.lp")));
done:
    mco_lp_model_clear(test_ctx, &model);
    mco_lp_basis_clear(test_ctx, &basis);
    mco_lp_close(test_ctx, &lp);
    return st;
}

static void test_memory_fails(void **state)
{
    (void)state;
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k++) {
        test_fail_allocation(k);
        st = do_all();
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        assert_int_equal(test_memory.live, 1);  // the context
        assert_true(k < 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_by_hand), TEST(test_degenerate), TEST(test_wrong_optimum), TEST(test_empty),
                                       TEST(test_random), TEST(test_changes), TEST(test_delete_many), TEST(test_copy), TEST(test_refusals),
                                       TEST(test_memory_fails)};
    return cmocka_run_group_tests_name("lp", tests, NULL, NULL);
}
#endif
