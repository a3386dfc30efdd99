// SPDX-License-Identifier: MIT
// The linear program, exactly. Duals that jumps found tell which links it is about: those whose reduced weight is near 0 are its
// columns; those above carry their limit, those below nothing. Links that its duals prove wrong become columns, until there is none.
// The bound is then computed from the rounded duals, as every bound.
#include <inttypes.h>
#include <math.h>

#include "base/grow.h"
#include "lp/lp.h"
#include "overlay/dual.h"

static const double UNITS = 4294967296.0;
static const double NEAR = 2e-4;        // reduced weights of the first columns
static const double TOLERANCE = 1e-10;  // of a reduced weight, in the pricing

typedef enum place { IDLE, FULL, COLUMN } place;

typedef struct program {
    overlay_dual *d;
    const mco_overlay *o;
    mco_lp *lp;
    uint8_t *at;        // [entries] the place of each link, at the entry of the row of its lesser end
    double *rest;       // [nodes] bandwidth that full links leave
    double *dual;       // [nodes]
    double full_worth;
    int64_t first_new;  // columns below are in the program
    int32_t *ends;      // [2 * columns] of each column
    double *cost, *most;
    int64_t count, ends_room, cost_room, most_room;
} program;

static int64_t entry_of(const mco_overlay *o, int32_t i, int64_t k)
{
    return o->is_complete ? (int64_t)i * (o->nodes - 1) + k : o->first[i] + k;
}

static double reduced_weight(const program *q, int32_t i, const overlay_link *link)
{
    return link->weight / UNITS - q->dual[i] - q->dual[link->node];
}

static mco_status add_column(program *q, int32_t i, const overlay_link *link)
{
    mco_status st = MCO_OK;
    mco_context *ctx = q->d->ctx;
    MCO_TRY(mco_grow(ctx, &q->ends, &q->ends_room, 2 * (q->count + 1)));
    MCO_TRY(mco_grow(ctx, &q->cost, &q->cost_room, q->count + 1));
    MCO_TRY(mco_grow(ctx, &q->most, &q->most_room, q->count + 1));
    q->ends[2 * q->count] = i;
    q->ends[2 * q->count + 1] = link->node;
    q->cost[q->count] = -(double)link->weight / UNITS;
    q->most[q->count++] = link->most;
done:
    return st;
}

static void fill_or_empty(program *q, int32_t i, const overlay_link *link, double sign)
{
    q->rest[i] -= sign * link->most;
    q->rest[link->node] -= sign * link->most;
    q->full_worth += sign * link->most * (link->weight / UNITS);
}

// Places every link by its reduced weight. A node never carries more full links than it has bandwidth: the rest are columns.
static mco_status place_links(program *q)
{
    mco_status st = MCO_OK;
    for (int32_t i = 0; i < q->o->nodes && !mco_run_must_stop(q->d->run, q->d->iterations); i++)
        for (int64_t k = 0; k < overlay_row_size(q->o, i); k++) {
            const overlay_link link = overlay_entry(q->o, i, k);
            const double reduced = reduced_weight(q, i, &link);
            if (link.node < i || link.most == 0 || reduced < -NEAR)
                continue;
            const bool has_room = q->rest[i] >= link.most && q->rest[link.node] >= link.most;
            q->at[entry_of(q->o, i, k)] = reduced > NEAR && has_room ? FULL : COLUMN;
            if (reduced > NEAR && has_room)
                fill_or_empty(q, i, &link, 1);
            else
                MCO_TRY(add_column(q, i, &link));
        }
done:
    return st;
}

// Links that the duals prove wrong become columns. *found: how many.
static mco_status price(program *q, int64_t *found)
{
    mco_status st = MCO_OK;
    const int64_t before = q->count;
    *found = 1;  // if the time ends before all are priced
    for (int32_t i = 0; i < q->o->nodes; i++) {
        if (mco_run_must_stop(q->d->run, q->d->iterations))
            return MCO_OK;
        for (int64_t k = 0; k < overlay_row_size(q->o, i); k++) {
            const overlay_link link = overlay_entry(q->o, i, k);
            uint8_t *at = &q->at[entry_of(q->o, i, k)];
            if (link.node < i || link.most == 0 || *at == COLUMN)
                continue;
            const double reduced = reduced_weight(q, i, &link);
            if (*at == FULL ? reduced >= -TOLERANCE : reduced <= TOLERANCE)
                continue;
            if (*at == FULL)
                fill_or_empty(q, i, &link, -1);
            *at = COLUMN;
            MCO_TRY(add_column(q, i, &link));
        }
    }
    *found = q->count - before;
done:
    return st;
}

// ---- The solver

static mco_status send_columns(program *q)
{
    mco_status st = MCO_OK;
    mco_context *ctx = q->d->ctx;
    const int64_t from = q->first_new, count = q->count - from;
    int64_t *first = NULL;
    double *ones = NULL, *zeros = NULL;
    MCO_TRY(mco_alloc(ctx, &first, count + 1));
    MCO_TRY(mco_alloc(ctx, &ones, 2 * count));
    MCO_TRY(mco_alloc(ctx, &zeros, count));
    for (int64_t k = 0; k < count; k++) {
        first[k + 1] = 2 * (k + 1);
        ones[2 * k] = ones[2 * k + 1] = 1;
    }
    if (q->count > INT32_MAX / 2)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "the linear program has %" PRId64 " columns, at most %d are supported; --method jump has no such "
                         "limit", q->count, INT32_MAX / 2));
    if (count > 0)
        MCO_TRY(mco_lp_add_columns(ctx, q->lp, (int32_t)count, q->cost + from, zeros, q->most + from, first, q->ends + 2 * from, ones));
    q->first_new = q->count;
done:
    mco_free(ctx, &zeros);
    mco_free(ctx, &ones);
    mco_free(ctx, &first);
    return st;
}

static mco_status open_program(program *q)
{
    mco_status st = MCO_OK;
    mco_context *ctx = q->d->ctx;
    const mco_overlay *o = q->o;
    double *none = NULL;
    MCO_TRY(mco_lp_open(ctx, &q->lp));
    MCO_TRY(mco_alloc(ctx, &q->at, o->is_complete ? 2 * o->links : o->first[o->nodes]));
    MCO_TRY(mco_alloc(ctx, &q->rest, o->nodes));
    MCO_TRY(mco_alloc(ctx, &q->dual, o->nodes));
    MCO_TRY(mco_alloc(ctx, &none, o->nodes));
    for (int32_t i = 0; i < o->nodes; i++) {
        q->rest[i] = o->bandwidth[i];
        q->dual[i] = q->d->best[i] / UNITS;
        none[i] = -INFINITY;
    }
    MCO_TRY(place_links(q));
    MCO_TRY(mco_lp_add_rows(ctx, q->lp, o->nodes, none, q->rest, NULL, NULL, NULL));
done:
    mco_free(ctx, &none);
    return st;
}

static void close_program(program *q)
{
    mco_context *ctx = q->d->ctx;
    mco_lp_close(ctx, &q->lp);
    mco_free(ctx, &q->at);
    mco_free(ctx, &q->rest);
    mco_free(ctx, &q->dual);
    mco_free(ctx, &q->ends);
    mco_free(ctx, &q->cost);
    mco_free(ctx, &q->most);
}

static mco_status set_rest(program *q)
{
    mco_status st = MCO_OK;
    double *none = NULL;
    MCO_TRY(mco_alloc(q->d->ctx, &none, q->o->nodes));
    for (int32_t i = 0; i < q->o->nodes; i++)
        none[i] = -INFINITY;
    MCO_TRY(mco_lp_set_row_bounds(q->d->ctx, q->lp, q->o->nodes, NULL, none, q->rest));
done:
    mco_free(q->d->ctx, &none);
    return st;
}

// Takes value and duals of an optimum of the program. False: one of them is no number; the optimum is void.
static bool read_optimum(program *q, double *value)
{
    const mco_overlay *o = q->o;
    const double *dual = mco_lp_duals(q->lp), found = (q->full_worth - mco_lp_objective(q->lp)) * o->weight_unit / (double)o->scale;
    bool is_finite = isfinite(found);
    for (int32_t i = 0; i < o->nodes && is_finite; i++)
        is_finite = isfinite(dual[i]);
    for (int32_t i = 0; i < o->nodes && is_finite; i++)
        q->dual[i] = fmax(-dual[i], 0);
    *value = is_finite ? found : *value;
    return is_finite;
}

// Takes the duals of the program as those of a new iteration.
static mco_status take_duals(program *q)
{
    mco_status st = MCO_OK;
    overlay_sum bound;
    overlay_dual *d = q->d;
    for (int32_t i = 0; i < q->o->nodes; i++)
        d->dual[i] = (uint32_t)fmin(fmax(floor(q->dual[i] * UNITS + 0.5), 0), UNITS - 1);
    if (overlay_sweep(d, overlay_measure, &bound))
        MCO_TRY(overlay_take(d, bound));
done:
    return st;
}

mco_status overlay_program(overlay_dual *d, double *value, bool *is_exact)
{
    mco_status st = MCO_OK;
    program q = {.d = d, .o = d->o};
    mco_lp_end end = MCO_LP_STOPPED;
    int64_t found = 1;
    *is_exact = false;
    MCO_TRY(open_program(&q));
    while (found > 0 && !mco_run_must_stop(d->run, d->iterations)) {
        MCO_TRY(send_columns(&q));
        MCO_TRY(set_rest(&q));
        MCO_TRY(mco_lp_solve(d->ctx, q.lp, MCO_LP_AUTO, d->run->stop_s, &end));
        if (end != MCO_LP_OPTIMAL)
            break;
        if (!read_optimum(&q, value)) {
            end = MCO_LP_FAILED;
            break;
        }
        MCO_TRY(take_duals(&q));
        *value = fmin(*value, overlay_bound_of(d->o, d->least));  // the bound is exact, the value is not
        MCO_TRY(price(&q, &found));
        mco_log(d->ctx, MCO_LOG_INFO, "linear program: %" PRId64 " columns, value %.10g, %" PRId64 " more", q.first_new, *value, found);
    }
    *is_exact = end == MCO_LP_OPTIMAL && found == 0;
    if (end == MCO_LP_FAILED)
        MCO_TRY(mco_fail(d->ctx, MCO_ERR_INTERNAL, "the solver of linear programs failed; --method jump needs none"));
done:
    close_program(&q);
    return st;
}
