// SPDX-License-Identifier: MIT
// What the tests of linear programs share: small random models, and the criss-cross method in rationals, their reference.
#ifndef MCO_LP_SUPPORT_H
#define MCO_LP_SUPPORT_H

#include <math.h>

#include "test_support.h"

#include "base/rng.h"
#include "lp/lp.h"

// ---- Models: at most LP_MOST rows and columns of small integers

enum { LP_MOST = 6, LP_ROOM = LP_MOST + 1, LP_ENTRIES = LP_MOST * LP_MOST };

typedef struct lp_case {
    int32_t columns, rows;
    double a[LP_ROOM][LP_ROOM];  // [rows][columns]
    double cost[LP_ROOM], least[LP_ROOM], most[LP_ROOM], row_least[LP_ROOM], row_most[LP_ROOM];
} lp_case;

// Two bounds, one, or none, within -4..4.
TEST_UNUSED static void lp_draw_bounds(mco_rng *rng, double *least, double *most)
{
    const double a = (double)mco_rng_below(rng, 9) - 4, b = a + (double)mco_rng_below(rng, 5);
    const uint32_t kind = mco_rng_below(rng, 8);
    *least = kind == 6 || kind == 7 ? -INFINITY : a;
    *most = kind == 7 || kind < 3 ? INFINITY : kind == 5 ? a : b;
}

TEST_UNUSED static lp_case lp_draw(mco_rng *rng)
{
    lp_case c = {.columns = 1 + (int32_t)mco_rng_below(rng, LP_MOST), .rows = 1 + (int32_t)mco_rng_below(rng, LP_MOST)};
    for (int32_t j = 0; j < c.columns; j++) {
        c.cost[j] = (double)mco_rng_below(rng, 9) - 3;
        c.least[j] = 0;
        c.most[j] = INFINITY;
        if (mco_rng_below(rng, 2) == 0)
            lp_draw_bounds(rng, &c.least[j], &c.most[j]);
        for (int32_t i = 0; i < c.rows; i++)
            c.a[i][j] = mco_rng_below(rng, 3) == 0 ? 0 : (double)mco_rng_below(rng, 6) - 2;
    }
    for (int32_t i = 0; i < c.rows; i++)
        lp_draw_bounds(rng, &c.row_least[i], &c.row_most[i]);
    return c;
}

// Compressed columns of a case, or its rows, in `first`, `index` and `value`.
typedef struct lp_entries {
    int64_t first[LP_MOST + 1];
    int32_t index[LP_ENTRIES];
    double value[LP_ENTRIES];
} lp_entries;

TEST_UNUSED static lp_entries lp_compress(const lp_case *c, bool by_rows)
{
    lp_entries e = {0};
    for (int32_t k = 0; k < (by_rows ? c->rows : c->columns); k++) {
        e.first[k + 1] = e.first[k];
        for (int32_t l = 0; l < (by_rows ? c->columns : c->rows); l++) {
            const double value = by_rows ? c->a[k][l] : c->a[l][k];
            if (value != 0) {
                e.index[e.first[k + 1]] = l;
                e.value[e.first[k + 1]++] = value;
            }
        }
    }
    return e;
}

// ---- The reference: least-index criss-cross (Terlaky 1985; Wang 1987), which needs no first phase and never cycles

__extension__ typedef __int128 lp_long;

typedef struct lp_number {
    int64_t over, under;  // over / under, under > 0, without common factors
} lp_number;

static lp_number lp_ratio(lp_long over, lp_long under)
{
    over = under < 0 ? -over : over;
    under = under < 0 ? -under : under;
    lp_long a = over < 0 ? -over : over, b = under;
    while (b != 0) {
        const lp_long rest = a % b;
        a = b;
        b = rest;
    }
    over /= a;
    under /= a;
    assert_true(over <= INT64_MAX && over >= -INT64_MAX && under <= INT64_MAX);
    return (lp_number){(int64_t)over, (int64_t)under};
}

// a - b c
static lp_number lp_minus(lp_number a, lp_number b, lp_number c)
{
    const lp_number p = lp_ratio((lp_long)b.over * c.over, (lp_long)b.under * c.under);
    return lp_ratio((lp_long)a.over * p.under - (lp_long)p.over * a.under, (lp_long)a.under * p.under);
}

static lp_number lp_over(lp_number a, lp_number b)
{
    return lp_ratio((lp_long)a.over * b.under, (lp_long)a.under * b.over);
}

// Maximise t[0] x, t[1..rows] x <= t[..][columns], x >= 0: a dictionary. The last column holds sides, that of row 0 minus the objective.
enum { LP_MOST_T = 3 * LP_MOST + 1 };
typedef struct lp_dictionary {
    int rows, columns;
    int basic[LP_MOST_T], other[LP_MOST_T];  // numbers of variables
    lp_number t[LP_MOST_T][LP_MOST_T];
} lp_dictionary;

static void lp_pivot(lp_dictionary *d, int r, int s)
{
    const lp_number one = {1, 1}, pivot = d->t[r][s];
    for (int j = 0; j <= d->columns; j++)
        d->t[r][j] = lp_over(j == s ? one : d->t[r][j], pivot);
    for (int i = 0; i <= d->rows; i++) {
        const lp_number factor = d->t[i][s];
        if (i == r || factor.over == 0)
            continue;
        d->t[i][s] = (lp_number){0, 1};
        for (int j = 0; j <= d->columns; j++)
            d->t[i][j] = lp_minus(d->t[i][j], factor, d->t[r][j]);
    }
    const int variable = d->basic[r];
    d->basic[r] = d->other[s];
    d->other[s] = variable;
}

// The least variable of the row or column that may enter or leave; -1: none.
static int lp_partner(const lp_dictionary *d, int r, int s)
{
    int best = -1;
    for (int k = r >= 0 ? 0 : 1; k < (r >= 0 ? d->columns : d->rows + 1); k++)
        if (r >= 0 ? d->t[r][k].over < 0 && (best < 0 || d->other[k] < d->other[best])
                   : d->t[k][s].over > 0 && (best < 0 || d->basic[k] < d->basic[best]))
            best = k;
    return best;
}

// OPTIMAL, INFEASIBLE, or UNBOUNDED where the dual program has no solution.
static mco_lp_end lp_criss_cross(lp_dictionary *d)
{
    for (;;) {
        int r = -1, s = -1, least = INT32_MAX;
        for (int i = 1; i <= d->rows; i++)
            if (d->t[i][d->columns].over < 0 && d->basic[i] < least) {
                least = d->basic[i];
                r = i;
            }
        for (int j = 0; j < d->columns; j++)
            if (d->t[0][j].over > 0 && d->other[j] < least) {
                least = d->other[j];
                s = j;
            }
        if (s >= 0)
            r = -1;
        if (r < 0 && s < 0)
            return MCO_LP_OPTIMAL;
        const int partner = lp_partner(d, r, s);
        if (partner < 0)
            return r >= 0 ? MCO_LP_INFEASIBLE : MCO_LP_UNBOUNDED;
        lp_pivot(d, r >= 0 ? r : partner, r >= 0 ? partner : s);
    }
}

static void lp_add_row(lp_dictionary *d, const lp_case *c, const double *row, double sign, double side)
{
    int at = 0;
    d->rows++;
    for (int32_t j = 0; j < c->columns; j++) {
        const double shift = c->least[j] > -INFINITY ? c->least[j] : c->most[j] < INFINITY ? c->most[j] : 0;
        const double turn = c->least[j] == -INFINITY && c->most[j] < INFINITY ? -1 : 1;
        side -= sign * row[j] * shift;
        d->t[d->rows][at++] = (lp_number){(int64_t)(sign * turn * row[j]), 1};
        if (c->least[j] == -INFINITY && c->most[j] == INFINITY)
            d->t[d->rows][at++] = (lp_number){(int64_t)(-sign * row[j]), 1};
    }
    d->t[d->rows][d->columns] = (lp_number){(int64_t)side, 1};
}

// x = least + x', most - x', or x' - x''; a second bound is a row.
static lp_dictionary lp_settle(const lp_case *c, double cost_factor)
{
    lp_dictionary d = {.rows = -1};
    double row[LP_MOST] = {0};
    for (int32_t j = 0; j < c->columns; j++)
        d.columns += c->least[j] == -INFINITY && c->most[j] == INFINITY ? 2 : 1;
    for (int i = 0; i < LP_MOST_T; i++)
        for (int j = 0; j < LP_MOST_T; j++)
            d.t[i][j].under = 1;
    for (int32_t j = 0; j < c->columns; j++)
        row[j] = cost_factor * c->cost[j];
    lp_add_row(&d, c, row, -1, 0);
    for (int32_t i = 0; i < c->rows; i++) {
        if (c->row_most[i] < INFINITY)
            lp_add_row(&d, c, c->a[i], 1, c->row_most[i]);
        if (c->row_least[i] > -INFINITY)
            lp_add_row(&d, c, c->a[i], -1, -c->row_least[i]);
    }
    for (int32_t j = 0; j < c->columns; j++)
        if (c->least[j] > -INFINITY && c->most[j] < INFINITY) {
            memset(row, 0, sizeof row);
            row[j] = 1;
            lp_add_row(&d, c, row, 1, c->most[j]);
        }
    for (int j = 0; j < d.columns; j++)
        d.other[j] = j;
    for (int i = 1; i <= d.rows; i++)
        d.basic[i] = d.columns + i;
    return d;
}

// Solves a case exactly.
TEST_UNUSED static mco_lp_end lp_reference(const lp_case *c, double *objective)
{
    lp_dictionary d = lp_settle(c, 1), feasible = lp_settle(c, 0);
    if (lp_criss_cross(&feasible) == MCO_LP_INFEASIBLE)
        return MCO_LP_INFEASIBLE;
    const mco_lp_end end = lp_criss_cross(&d);
    const lp_number side = d.t[0][d.columns];  // minus the maximum of minus the cost
    *objective = (double)side.over / (double)side.under;
    return end;
}

// ---- Programs of the solver

TEST_UNUSED static const mco_lp_method lp_methods[] = {MCO_LP_AUTO, MCO_LP_PRIMAL, MCO_LP_DUAL};

TEST_UNUSED static mco_lp *lp_open(void)
{
    mco_lp *lp = NULL;
    assert_ok(mco_lp_open(test_ctx, &lp));
    return lp;
}

TEST_UNUSED static mco_lp_end lp_solve(mco_lp *lp, mco_lp_method method)
{
    mco_lp_end end = MCO_LP_FAILED;
    assert_ok(mco_lp_solve(test_ctx, lp, method, INFINITY, &end));
    return end;
}

TEST_UNUSED static void assert_near(double seen, double expected)
{
    if (!(fabs(seen - expected) <= 1e-6 * (1 + fabs(expected))))
        fail_msg("%.17g instead of %.17g", seen, expected);
}

TEST_UNUSED static void lp_add_case(mco_lp *lp, const lp_case *c, bool by_rows)
{
    const lp_entries e = lp_compress(c, by_rows);
    assert_ok(mco_lp_add_rows(test_ctx, lp, by_rows ? 0 : c->rows, c->row_least, c->row_most, NULL, NULL, NULL));
    assert_ok(mco_lp_add_columns(test_ctx, lp, c->columns, c->cost, c->least, c->most, by_rows ? NULL : e.first, e.index, e.value));
    if (by_rows)
        assert_ok(mco_lp_add_rows(test_ctx, lp, c->rows, c->row_least, c->row_most, e.first, e.index, e.value));
}

#endif
