// SPDX-License-Identifier: MIT
// Integer programs against brute force: cutoffs, starts, gaps, ends in time; and the files of models, read back by the solvers' readers.
#include <pthread.h>
#include <time.h>

#include "lp_support.h"

#include "base/clock.h"
#include "base/library.h"

static const double INF = INFINITY;

// A case as a model at rest; its arrays live in *m until mco_lp_model_clear().
static mco_lp_model make_model(const lp_case *c)
{
    mco_lp_model m = {.columns = c->columns, .rows = c->rows};
    const lp_entries e = lp_compress(c, false);
    assert_ok(mco_alloc(test_ctx, &m.cost, LP_MOST));
    assert_ok(mco_alloc(test_ctx, &m.column_least, LP_MOST));
    assert_ok(mco_alloc(test_ctx, &m.column_most, LP_MOST));
    assert_ok(mco_alloc(test_ctx, &m.row_least, LP_MOST));
    assert_ok(mco_alloc(test_ctx, &m.row_most, LP_MOST));
    assert_ok(mco_alloc(test_ctx, &m.first, LP_MOST + 1));
    assert_ok(mco_alloc(test_ctx, &m.row, LP_ENTRIES));
    assert_ok(mco_alloc(test_ctx, &m.value, LP_ENTRIES));
    assert_ok(mco_alloc(test_ctx, &m.is_integer, LP_MOST));
    memcpy(m.cost, c->cost, LP_MOST * sizeof *m.cost);
    memcpy(m.column_least, c->least, LP_MOST * sizeof *m.cost);
    memcpy(m.column_most, c->most, LP_MOST * sizeof *m.cost);
    memcpy(m.row_least, c->row_least, LP_MOST * sizeof *m.cost);
    memcpy(m.row_most, c->row_most, LP_MOST * sizeof *m.cost);
    memcpy(m.first, e.first, sizeof e.first);
    memcpy(m.row, e.index, sizeof e.index);
    memcpy(m.value, e.value, sizeof e.value);
    return m;
}

// ---- Files

static void test_write(void **state)
{
    (void)state;
    lp_case c = {.columns = 4, .rows = 4, .cost = {3, -2.5, 0, 1e-9}, .least = {0, -INF, -INF, -1}, .most = {INF, INF, 4, 7},
                 .a = {{1, 2, 0, 0}, {-1, 0, 1, 0}, {0, 0, 0, 0}, {0, 0.1, 0, -1}}, .row_least = {1, -INF, -INF, -2}, .row_most = {INF, 5, INF, 2}};
    mco_lp_model m = make_model(&c);
    m.is_integer[0] = m.is_integer[3] = true;
    assert_ok(mco_lp_model_write(test_ctx, &m, false, test_path("a.lp")));
    assert_content(test_path("a.lp"), "Minimize\n obj: 3 x0 - 2.5 x1 + 0 x2 + 1e-09 x3\nSubject To\n r0: 1 x0 + 2 x1 >= 1\n"
                   " r1: - 1 x0 + 1 x2 <= 5\n r2: 0 x0 >= -1e+30\n r3: 0.1 x1 - 1 x3 >= -2\n r3_most: 0.1 x1 - 1 x3 <= 2\nBounds\n x1 free\n -inf <= x2 <= 4\n"
                   " -1 <= x3 <= 7\nGeneral\n x0 x3\nEnd\n");
    assert_ok(mco_lp_model_write(test_ctx, &m, true, test_path("a.mps")));
    assert_content(test_path("a.mps"), "NAME mco FREE\nROWS\n N obj\n G r0\n L r1\n G r2\n G r3\nCOLUMNS\n MARKER0 'MARKER' 'INTORG'\n x0 obj 3\n"
                   " x0 r0 1\n x0 r1 -1\n MARKER1 'MARKER' 'INTEND'\n x1 obj -2.5\n x1 r0 2\n x1 r3 0.1\n x2 obj 0\n x2 r1 1\n"
                   " MARKER3 'MARKER' 'INTORG'\n x3 obj 1e-09\n x3 r3 -1\n MARKER4 'MARKER' 'INTEND'\nRHS\n rhs r0 1\n rhs r1 5\n"
                   " rhs r2 -1e+30\n rhs r3 -2\nRANGES\n range r3 4\nBOUNDS\n LO bound x0 0\n PL bound x0\n FR bound x1\n MI bound x2\n"
                   " UP bound x2 4\n LO bound x3 -1\n UP bound x3 7\nENDATA\n");
    assert_int_equal(mco_lp_model_write(test_ctx, &m, false, "no/such/folder/a.lp"), MCO_ERR_IO);
    mco_lp_model_clear(test_ctx, &m);
    mco_lp_model empty = {.first = (int64_t[]){0}};
    assert_ok(mco_lp_model_write(test_ctx, &empty, false, test_path("b.lp")));
    assert_content(test_path("b.lp"), "Minimize\n obj: 0 x0\nSubject To\nBounds\nEnd\n");
}

// Every allocation of a writer fails once.
static void test_write_memory(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 22, 10);
    const lp_case c = lp_draw(&rng);
    mco_lp_model m = make_model(&c);
    const long live = test_memory.live;
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k++) {
        test_fail_allocation(k);
        st = mco_lp_model_write(test_ctx, &m, false, test_path("m.lp"));
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        assert_int_equal(test_memory.live, live);
        assert_true(k < 100);
    }
    mco_lp_model_clear(test_ctx, &m);
}

#ifndef MCO_HAVE_CBC
static void test_absent(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 22, 11);
    const lp_case c = lp_draw(&rng);
    mco_lp_model m = make_model(&c);
    const mco_mip_settings settings = MCO_MIP_SETTINGS_INIT;
    mco_mip_answer answer = {0};
    assert_false(mco_mip_is_there());
    assert_int_equal(mco_mip_solve(test_ctx, &m, &settings, &answer), MCO_ERR_IO);
    assert_non_null(strstr(mco_context_error(test_ctx), "coinor-libcbc-dev"));
    mco_lp_model_clear(test_ctx, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_write), TEST(test_write_memory), TEST(test_absent)};
    return cmocka_run_group_tests_name("mip", tests, NULL, NULL);
}
#else
#include <Cbc_C_Interface.h>

// The solver's own readers.
#define SYMBOLS(SYMBOL) \
    SYMBOL(Cbc_newModel) SYMBOL(Cbc_deleteModel) SYMBOL(Cbc_readMps) SYMBOL(Cbc_readLp) SYMBOL(Cbc_getNumCols) SYMBOL(Cbc_getNumRows) \
    SYMBOL(Cbc_getObjCoefficients) SYMBOL(Cbc_getColLower) SYMBOL(Cbc_getColUpper) SYMBOL(Cbc_getRowLower) SYMBOL(Cbc_getRowUpper) \
    SYMBOL(Cbc_isInteger) SYMBOL(Cbc_getColNz) SYMBOL(Cbc_getColIndices) SYMBOL(Cbc_getColCoeffs) SYMBOL(Cbc_setLogLevel)
static struct {
    SYMBOLS(MCO_SYMBOL_POINTER)
} cbc;
static const char *const names[] = {SYMBOLS(MCO_SYMBOL_NAME)};
static mco_library library = {.file = MCO_CBC_FILE, .folder = MCO_CBC_FOLDER, .purpose = "Cbc", .count = COUNT_OF(names), .names = names,
                              .symbols = &cbc};

// The reader's own last digit may be wrong.
static void assert_number(double seen, double expected)
{
    assert_true(fabs(seen - expected) <= 1e-15 * fabs(expected));
}

static void assert_bound(double seen, double expected)
{
    if (isinf(expected))
        assert_true(expected > 0 ? seen >= 1e30 : seen <= -1e30);
    else
        assert_number(seen, expected);
}

// The columns that were read; `at` says which row is read for each row of the model, and `more` which second one, or -1.
static void assert_columns(const mco_lp_model *m, Cbc_Model *r, const int *at, const int *more)
{
    for (int32_t j = 0; j < m->columns; j++) {
        assert_number(cbc.Cbc_getObjCoefficients(r)[j], m->cost[j]);
        assert_bound(cbc.Cbc_getColLower(r)[j], m->column_least[j]);
        assert_bound(cbc.Cbc_getColUpper(r)[j], m->column_most[j]);
        assert_int_equal(cbc.Cbc_isInteger(r, j), m->is_integer[j]);
        double expected[2 * LP_MOST] = {0};
        for (int64_t k = m->first[j]; k < m->first[j + 1]; k++) {
            expected[at[m->row[k]]] = m->value[k];
            if (more[m->row[k]] >= 0)
                expected[more[m->row[k]]] = m->value[k];
        }
        for (int k = 0; k < cbc.Cbc_getColNz(r, j); k++) {
            double *entry = &expected[cbc.Cbc_getColIndices(r, j)[k]];
            assert_number(cbc.Cbc_getColCoeffs(r, j)[k], *entry);
            *entry = 0;
        }
        for (int k = 0; k < 2 * LP_MOST; k++)
            assert_true(expected[k] == 0);
    }
}

static void assert_read(const mco_lp_model *m, const char *path, bool is_mps)
{
    int at[LP_MOST], more[LP_MOST], rows = 0;
    Cbc_Model *r = cbc.Cbc_newModel();
    cbc.Cbc_setLogLevel(r, 0);
    assert_int_equal(is_mps ? cbc.Cbc_readMps(r, path) : cbc.Cbc_readLp(r, path), 0);
    for (int32_t i = 0; i < m->rows; i++) {
        const bool is_two = !is_mps && m->row_least[i] > -INF && m->row_most[i] < INF && m->row_least[i] != m->row_most[i];
        at[i] = rows++;
        more[i] = is_two ? rows++ : -1;
        assert_bound(cbc.Cbc_getRowLower(r)[at[i]], m->row_least[i]);
        assert_bound(cbc.Cbc_getRowUpper(r)[is_two ? more[i] : at[i]], m->row_most[i]);
    }
    assert_int_equal(cbc.Cbc_getNumCols(r), m->columns);
    assert_int_equal(cbc.Cbc_getNumRows(r), rows);
    assert_columns(m, r, at, more);
    cbc.Cbc_deleteModel(r);
}

// Models that the solver reads are those that were written.
static void test_read_back(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 22, 12);
    assert_ok(mco_library_open(test_ctx, &library, "tests"));
    for (int k = 0; k < 100; k++) {
        lp_case c = lp_draw(&rng);
        for (int32_t i = 0; i < c.rows; i++)
            c.a[i][0] = c.a[i][0] == 0 ? 1.0 / (1 + (double)i) : c.a[i][0];  // every row has an entry
        c.cost[0] += mco_rng_real(&rng);
        mco_lp_model m = make_model(&c);
        for (int32_t j = 0; j < c.columns; j++)
            m.is_integer[j] = mco_rng_below(&rng, 2) == 0;
        assert_ok(mco_lp_model_write(test_ctx, &m, true, test_path("r.mps")));
        assert_read(&m, test_path("r.mps"), true);
        assert_ok(mco_lp_model_write(test_ctx, &m, false, test_path("r.lp")));
        assert_read(&m, test_path("r.lp"), false);
        mco_lp_model_clear(test_ctx, &m);
    }
}

// ---- Integer programs

// Programs of integers 0..2 that enumeration solves.
static lp_case draw_integers(mco_rng *rng)
{
    lp_case c = lp_draw(rng);
    for (int32_t j = 0; j < c.columns; j++) {
        c.least[j] = 0;
        c.most[j] = 1 + (double)mco_rng_below(rng, 2);
    }
    return c;
}

static bool next_point(const lp_case *c, double *x)
{
    for (int32_t j = 0; j < c->columns; j++) {
        if (x[j]++ < c->most[j])
            return true;
        x[j] = 0;
    }
    return false;
}

static bool is_feasible(const lp_case *c, const double *x)
{
    for (int32_t i = 0; i < c->rows; i++) {
        double sum = 0;
        for (int32_t j = 0; j < c->columns; j++)
            sum += c->a[i][j] * x[j];
        if (sum < c->row_least[i] - 1e-9 || sum > c->row_most[i] + 1e-9)
            return false;
    }
    return true;
}

static double cost_of(const lp_case *c, const double *x)
{
    double cost = 0;
    for (int32_t j = 0; j < c->columns; j++)
        cost += c->cost[j] * x[j];
    return cost;
}

// The least and the greatest cost of a feasible point, and where the latter is; INFINITY and -INFINITY: there is none.
static void enumerate(const lp_case *c, double *best, double *worst, double *worst_at)
{
    double x[LP_MOST] = {0};
    *best = INF;
    *worst = -INF;
    do {
        const double cost = cost_of(c, x);
        if (!is_feasible(c, x))
            continue;
        *best = fmin(*best, cost);
        if (cost > *worst) {
            *worst = cost;
            memcpy(worst_at, x, sizeof x);
        }
    } while (next_point(c, x));
}

static mco_mip_answer solve(const mco_lp_model *m, const mco_mip_settings *settings)
{
    mco_mip_answer answer = {0};
    assert_ok(mco_mip_solve(test_ctx, m, settings, &answer));
    return answer;
}

// The answer of a case whose best solution below the cutoff costs `best`; INFINITY: there is none.
static void assert_answer(const lp_case *c, mco_mip_answer answer, double best)
{
    assert_int_equal(answer.end, best < INF ? MCO_LP_OPTIMAL : MCO_LP_INFEASIBLE);
    if (best < INF) {
        assert_true(fabs(answer.objective - best) < 1e-9 && fabs(answer.bound - best) < 1e-6);
        assert_true(is_feasible(c, answer.values) && cost_of(c, answer.values) == answer.objective);
    } else
        assert_true(answer.values == NULL && answer.objective == INF);
    mco_mip_answer_clear(test_ctx, &answer);
}

static void test_brute_force(void **state)
{
    (void)state;
    mco_rng rng;
    const int cases = TEST_IS_SANITIZED ? 20 : 100;
    int feasible = 0;
    mco_rng_seed(&rng, 22, 13);
    assert_true(mco_mip_is_there());
    for (int k = 0; k < cases; k++) {
        const lp_case c = draw_integers(&rng);
        double best, worst, at[LP_MOST] = {0};
        mco_lp_model m = make_model(&c);
        mco_mip_settings settings = MCO_MIP_SETTINGS_INIT;
        memset(m.is_integer, true, LP_MOST);
        enumerate(&c, &best, &worst, at);
        assert_answer(&c, solve(&m, &settings), best);
        if (best < INF) {
            feasible++;
            settings.cutoff = best;
            assert_answer(&c, solve(&m, &settings), INF);  // nothing is below the best one
            settings.cutoff = best + 0.5;
            assert_answer(&c, solve(&m, &settings), best);
            settings.cutoff = INF;
            settings.start = at;
            assert_answer(&c, solve(&m, &settings), best);
        }
        mco_lp_model_clear(test_ctx, &m);
    }
    assert_true(feasible > cases / 5);
}

// Programs that are no integer programs, or hardly.
static void test_odd(void **state)
{
    (void)state;
    const mco_mip_settings settings = MCO_MIP_SETTINGS_INIT;
    lp_case c = {.columns = 2, .rows = 1, .cost = {-1, -1}, .most = {INF, INF}, .a = {{2, 3}}, .row_least = {-INF}, .row_most = {7}};
    mco_lp_model m = make_model(&c);
    mco_mip_answer answer = solve(&m, &settings);  // continuous
    assert_int_equal(answer.end, MCO_LP_OPTIMAL);
    assert_true(fabs(answer.objective + 3.5) < 1e-9 && fabs(answer.bound + 3.5) < 1e-9);
    mco_mip_answer_clear(test_ctx, &answer);
    m.is_integer[0] = m.is_integer[1] = true;
    answer = solve(&m, &settings);
    assert_int_equal(answer.end, MCO_LP_OPTIMAL);
    assert_true(answer.objective == -3);
    mco_mip_answer_clear(test_ctx, &answer);
    m.row_most[0] = INF;
    answer = solve(&m, &settings);
    assert_int_equal(answer.end, MCO_LP_UNBOUNDED);
    assert_true(answer.bound == -INF && answer.values == NULL);
    m.column_most[0] = m.column_most[1] = 2.5;
    m.rows = 0;
    m.first[1] = m.first[2] = 0;
    answer = solve(&m, &settings);  // no rows
    assert_int_equal(answer.end, MCO_LP_OPTIMAL);
    assert_true(answer.objective == -4);
    mco_mip_answer_clear(test_ctx, &answer);
    m.columns = 0;
    m.rows = 1;
    answer = solve(&m, &settings);  // no columns
    assert_int_equal(answer.end, MCO_LP_OPTIMAL);
    assert_true(answer.objective == 0);
    mco_mip_answer_clear(test_ctx, &answer);
    m.row_least[0] = 1;
    answer = solve(&m, &settings);
    assert_int_equal(answer.end, MCO_LP_INFEASIBLE);
    mco_mip_answer_clear(test_ctx, &answer);
    mco_lp_model_clear(test_ctx, &m);
}

static void test_refusals(void **state)
{
    (void)state;
    lp_case c = {.columns = 2, .rows = 1, .cost = {-1, -1}, .most = {INF, INF}, .a = {{2, 3}}, .row_least = {-INF}, .row_most = {7}};
    const double wrong[] = {2, 2};
    mco_mip_settings settings = MCO_MIP_SETTINGS_INIT;
    mco_mip_answer answer = {0};
    mco_lp_model m = make_model(&c);
    settings.start = wrong;
    assert_fails(mco_mip_solve(test_ctx, &m, &settings, &answer), MCO_ERR_ARGUMENT, "the start breaks a row, a bound or integrality");
    settings.start = NULL;
    settings.gap = -1;
    assert_fails(mco_mip_solve(test_ctx, &m, &settings, &answer), MCO_ERR_ARGUMENT, "gap -1, cutoff inf, stop inf");
    settings.gap = 0;
    m.row[1] = 1;
    assert_fails(mco_mip_solve(test_ctx, &m, &settings, &answer), MCO_ERR_ARGUMENT, "an entry 3 in row 1, there are 1");
    m.row[1] = 0;
    m.cost[1] = NAN;
    assert_fails(mco_mip_solve(test_ctx, &m, &settings, &answer), MCO_ERR_ARGUMENT, "column 1 has cost nan between 0 and inf");
    mco_lp_model_clear(test_ctx, &m);
}

static void test_memory_fails(void **state)
{
    (void)state;
    lp_case c = {.columns = 2, .rows = 1, .cost = {-1, -1}, .most = {2, 2}, .a = {{2, 3}}, .row_least = {-INF}, .row_most = {7}};
    const double start[] = {1, 1};
    mco_mip_settings settings = MCO_MIP_SETTINGS_INIT;
    mco_lp_model m = make_model(&c);
    const long live = test_memory.live;
    mco_status st = MCO_ERR_MEMORY;
    m.is_integer[0] = true;
    settings.start = start;
    for (long k = 1; st != MCO_OK; k++) {
        mco_mip_answer answer = {0};
        test_fail_allocation(k);
        st = mco_mip_solve(test_ctx, &m, &settings, &answer);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        mco_mip_answer_clear(test_ctx, &answer);
        assert_int_equal(test_memory.live, live);
        assert_true(k < 100);
    }
    mco_lp_model_clear(test_ctx, &m);
}

// ---- The end in time: a market split, 5 rows of 40 columns, which takes Cbc hours (Cornuejols, Dawande 1998)

enum { SPLIT_ROWS = 5, SPLIT_COLUMNS = 40, SPLIT_SLACKS = 2 * SPLIT_ROWS, SPLIT_ALL = SPLIT_COLUMNS + SPLIT_SLACKS + 1, SPLIT_REWARD = 1000 };

// Slacks make it feasible; the least sum of slacks is wanted. A last column earns a reward, so that costs are negative.
static mco_lp_model make_split(void)
{
    mco_rng rng;
    mco_rng_seed(&rng, 22, 14);
    mco_lp_model m = {.columns = SPLIT_ALL, .rows = SPLIT_ROWS};
    assert_ok(mco_alloc(test_ctx, &m.cost, SPLIT_ALL));
    assert_ok(mco_alloc(test_ctx, &m.column_least, SPLIT_ALL));
    assert_ok(mco_alloc(test_ctx, &m.column_most, SPLIT_ALL));
    assert_ok(mco_alloc(test_ctx, &m.row_least, SPLIT_ROWS));
    assert_ok(mco_alloc(test_ctx, &m.row_most, SPLIT_ROWS));
    assert_ok(mco_alloc(test_ctx, &m.first, SPLIT_ALL + 1));
    assert_ok(mco_alloc(test_ctx, &m.row, SPLIT_ALL * SPLIT_ROWS));
    assert_ok(mco_alloc(test_ctx, &m.value, SPLIT_ALL * SPLIT_ROWS));
    assert_ok(mco_alloc(test_ctx, &m.is_integer, SPLIT_ALL));
    for (int32_t j = 0; j < SPLIT_ALL; j++) {
        const bool is_slack = j >= SPLIT_COLUMNS, is_last = j == SPLIT_ALL - 1;
        m.cost[j] = is_last ? -SPLIT_REWARD : is_slack;
        m.column_least[j] = is_last;
        m.column_most[j] = is_slack && !is_last ? INF : 1;
        m.is_integer[j] = !is_slack;
        m.first[j + 1] = m.first[j];
        for (int32_t i = 0; i < SPLIT_ROWS; i++) {
            const double value = is_slack ? ((j - SPLIT_COLUMNS) / 2 == i ? (j % 2 == 0 ? 1 : -1) : 0) : (double)mco_rng_below(&rng, 100);
            if (value == 0)
                continue;
            m.row[m.first[j + 1]] = i;
            m.value[m.first[j + 1]++] = value;
            m.row_least[i] += is_slack ? 0 : value / 2;
        }
    }
    for (int32_t i = 0; i < SPLIT_ROWS; i++)
        m.row_least[i] = m.row_most[i] = floor(m.row_least[i]);
    return m;
}

static const double LATE_S = TEST_IS_SANITIZED ? 2 : 0.5;  // of processors' time; a stop comes within 0.1 s

static void test_time_limit(void **state)
{
    (void)state;
    static const double limits_s[] = {0, 0.01, 0.3, 1};
    mco_lp_model m = make_split();
    mco_mip_settings settings = MCO_MIP_SETTINGS_INIT;
    for (int k = 0; k < COUNT_OF(limits_s); k++) {
        const double begin_s = mco_cpu_clock_s();
        settings.stop_s = mco_clock_s() + limits_s[k];
        mco_mip_answer answer = solve(&m, &settings);
        const double late_s = mco_cpu_clock_s() - begin_s - limits_s[k];
        print_message("%.3f s behind the limit, objective %g, bound %g\n", late_s, answer.objective, answer.bound);
        assert_int_equal(answer.end, MCO_LP_STOPPED);
        assert_true(late_s < LATE_S);
        assert_true(answer.bound <= answer.objective && answer.bound <= -SPLIT_REWARD + 1e-6);  // its linear relaxation needs no slack
        mco_mip_answer_clear(test_ctx, &answer);
    }
    mco_lp_model_clear(test_ctx, &m);
}

static void *cancel_soon(void *user)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
    *(double *)user = mco_cpu_clock_s();
    mco_cancel(test_ctx);
    return NULL;
}

static void test_cancel(void **state)
{
    (void)state;
    mco_lp_model m = make_split();
    const mco_mip_settings settings = MCO_MIP_SETTINGS_INIT;
    pthread_t thread;
    double cancelled_s;
    assert_int_equal(pthread_create(&thread, NULL, cancel_soon, &cancelled_s), 0);
    mco_mip_answer answer = solve(&m, &settings);
    const double ended_s = mco_cpu_clock_s();
    pthread_join(thread, NULL);
    assert_int_equal(answer.end, MCO_LP_STOPPED);
    assert_true(ended_s - cancelled_s < LATE_S);
    mco_clear_cancel(test_ctx);
    mco_mip_answer_clear(test_ctx, &answer);
    mco_lp_model_clear(test_ctx, &m);
}

// A gap ends the search early: the first feasible solutions of a split are within 100 %.
static void test_gap(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 22, 15);
    mco_mip_settings settings = MCO_MIP_SETTINGS_INIT;
    settings.gap = 0.5;
    for (int k = 0; k < 20; k++) {
        const lp_case c = draw_integers(&rng);
        double best, worst, at[LP_MOST] = {0};
        mco_lp_model m = make_model(&c);
        memset(m.is_integer, true, LP_MOST);
        enumerate(&c, &best, &worst, at);
        mco_mip_answer answer = solve(&m, &settings);
        assert_int_equal(answer.end, best < INF ? MCO_LP_OPTIMAL : MCO_LP_INFEASIBLE);
        if (best < INF)
            assert_true(answer.bound <= best + 1e-9 && answer.objective >= best - 1e-9 &&
                        answer.objective - answer.bound <= 0.5 * fabs(answer.bound) + 1e-6);
        mco_mip_answer_clear(test_ctx, &answer);
        mco_lp_model_clear(test_ctx, &m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_write), TEST(test_write_memory), TEST(test_read_back), TEST(test_brute_force), TEST(test_odd),
                                       TEST(test_refusals), TEST(test_memory_fails), TEST(test_time_limit), TEST(test_cancel), TEST(test_gap)};
    return cmocka_run_group_tests_name("mip", tests, NULL, NULL);
}
#endif
