// SPDX-License-Identifier: MIT
// Sweeps over all nodes (dual.h).
#include "overlay/dual.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

static const int64_t ENTRIES_A_BLOCK = 1 << 15;
static const double SWEEPS_OF_CHECK = 6;  // the time of a check, in that of the fastest sweep so far

// ---- Opening

static mco_status open_rows(overlay_dual *d)
{
    mco_status st = MCO_OK;
    const int64_t room = d->o->degree + 1 + 2 * OVERLAY_ROW_PAD;
    MCO_TRY(mco_alloc(d->ctx, &d->rows, 2 * d->workers));
    for (int w = 0; w < 2 * d->workers; w++) {
        MCO_TRY(mco_alloc(d->ctx, &d->rows[w].excess, room));
        MCO_TRY(mco_alloc(d->ctx, &d->rows[w].most, room));
    }
done:
    return st;
}

mco_status overlay_dual_open(mco_context *ctx, mco_run *run, const mco_overlay *o, const mco_overlay_bound_params *p,
                             const overlay_build *build, int threads, overlay_dual *out)
{
    mco_status st = MCO_OK;
    const int64_t nodes = o->nodes, padded = nodes + OVERLAY_NODE_PAD;
    const int64_t per_node = o->is_complete ? nodes : nodes > 0 ? 2 * o->links / nodes + 1 : 1;
    *out = (overlay_dual){.ctx = ctx, .run = run, .o = o, .p = p, .build = build, .workers = threads,
                          .least = {UINT64_MAX, UINT64_MAX}, .stop_s = run->stop_s, .fastest_s = INFINITY};
    out->block = (ENTRIES_A_BLOCK / (per_node + 1) / OVERLAY_GROUP + 1) * OVERLAY_GROUP;
    out->blocks = (nodes + out->block - 1) / out->block;
    MCO_TRY(mco_alloc(ctx, &out->dual, padded));
    MCO_TRY(mco_alloc(ctx, &out->next, padded));
    MCO_TRY(mco_alloc(ctx, &out->best, padded));
    MCO_TRY(mco_alloc(ctx, &out->part, out->blocks));
    MCO_TRY(overlay_prices_open(ctx, o, build->both == NULL, &out->prices));
    if (out->prices.order != NULL) {
        out->room = nodes + OVERLAY_PRICE_PAD;
        MCO_TRY(mco_alloc(ctx, &out->loads, out->workers * out->room));
    }
    MCO_TRY(open_rows(out));
    MCO_TRY(overlay_exchange_open(out));
    if (threads > 1)
        MCO_TRY(mco_team_open(ctx, threads, false, &out->team));
done:
    return st;
}

void overlay_dual_close(overlay_dual *d)
{
    mco_team_close(&d->team);
    for (int w = 0; d->rows != NULL && w < 2 * d->workers; w++) {
        mco_free(d->ctx, &d->rows[w].excess);
        mco_free(d->ctx, &d->rows[w].most);
    }
    mco_free(d->ctx, &d->rows);
    overlay_prices_close(d->ctx, &d->prices);
    mco_free(d->ctx, &d->part);
    mco_free(d->ctx, &d->best);
    mco_free(d->ctx, &d->next);
    mco_free(d->ctx, &d->dual);
    mco_free(d->ctx, &d->reach);
    mco_free(d->ctx, &d->excess);
    mco_free(d->ctx, &d->loads);
    mco_free(d->ctx, &d->alpha);
    mco_free(d->ctx, &d->stalls);
    mco_free(d->ctx, &d->packed);
    mco_free(d->ctx, &d->first);
}

// ---- A sweep

typedef struct sweep {
    overlay_dual *d;
    overlay_node *node;
} sweep;

// Twice what a node pays, and what its row is worth.
static void add_node(const overlay_dual *d, overlay_sum *sum, int32_t i, uint64_t worth)
{
    overlay_add(sum, worth);
    overlay_add(sum, 2 * ((uint64_t)d->dual[i] * (uint32_t)d->o->bandwidth[i]));
}

// The places first .. end - 1, each by itself.
static void run_nodes(const sweep *s, overlay_row *row, int64_t first, int64_t end, overlay_sum *sum)
{
    overlay_dual *d = s->d;
    for (int64_t k = first; k < end; k++) {
        const int32_t i = d->prices.order != NULL ? d->prices.order[k] : (int32_t)k;
        add_node(d, sum, i, s->node(d, row, i));
    }
}

// overlay_measure() for groups of places, each link once.
static void measure_groups(overlay_dual *d, int worker, int64_t first, int64_t end, overlay_sum *sum)
{
    for (int64_t k = first; k < end; k += OVERLAY_GROUP) {
        uint64_t worth[OVERLAY_GROUP];
        d->build->group(&d->prices, k, d->loads + worker * d->room, worth);
        for (int g = 0; g < OVERLAY_GROUP && k + g < end; g++) {
            overlay_add(sum, worth[g]);
            add_node(d, sum, d->prices.order[k + g], worth[g]);
        }
    }
}

static bool is_by_groups(const overlay_dual *d, overlay_node *node)
{
    return node == overlay_measure && d->loads != NULL;
}

// What groups add up: none before a sweep, the excess of each node after it.
static void clear_loads(overlay_dual *d)
{
    memset(d->loads, 0, (size_t)(d->workers * d->room) * sizeof *d->loads);
}

static void give_excess(overlay_dual *d)
{
    for (int32_t k = 0; d->excess != NULL && k < d->o->nodes; k++) {
        const int32_t i = d->prices.order[k];
        d->excess[i] = mco_rank(d->ctx) == 0 ? -(int64_t)d->o->bandwidth[i] : 0;  // ranks add up
        for (int w = 0; w < d->workers; w++)
            d->excess[i] += d->loads[w * d->room + k];
    }
}

static void run_block(void *shared, int worker, int64_t own)
{
    const sweep *s = shared;
    overlay_dual *d = s->d;
    const int64_t block = own * mco_rank_count(d->ctx) + mco_rank(d->ctx);
    const int64_t first = block * d->block, end = first + d->block < d->o->nodes ? first + d->block : d->o->nodes;
    overlay_sum sum = {0};
    if (atomic_load_explicit(&d->is_cut, memory_order_relaxed))
        return;
    if (mco_clock_s() >= d->stop_s || mco_is_cancelled(d->ctx)) {
        atomic_store_explicit(&d->is_cut, true, memory_order_relaxed);
        return;
    }
    if (is_by_groups(d, s->node))
        measure_groups(d, worker, first, end, &sum);
    else
        run_nodes(s, &d->rows[worker], first, end, &sum);
    d->part[own] = sum;
}

bool overlay_sweep(overlay_dual *d, overlay_node *node, overlay_sum *bound)
{
    sweep s = {.d = d, .node = node};
    const double begin_s = mco_clock_s();
    overlay_prices_set(&d->prices, d->dual);
    if (is_by_groups(d, node))
        clear_loads(d);
    else if (d->excess != NULL && mco_rank_count(d->ctx) > 1)
        memset(d->excess, 0, (size_t)d->o->nodes * sizeof *d->excess);
    const int64_t own = overlay_own_blocks(d);
    if (d->workers > 1)
        mco_team_run(&d->team, own, run_block, NULL, &s);
    else
        for (int64_t b = 0; b < own; b++)
            run_block(&s, 0, b);
    *bound = (overlay_sum){0};
    for (int64_t b = 0; b < own; b++)
        overlay_add_sum(bound, &d->part[b]);
    if (is_by_groups(d, node))
        give_excess(d);
    if (!overlay_exchange(d, node != overlay_measure, bound)) {
        if (d->run->stop == MCO_STOP_FINISHED && !mco_run_must_stop(d->run, d->iterations))  // ranks have agreed on why
            d->run->stop = MCO_STOP_TIME;  // what is left is for the check
        return false;
    }
    d->fastest_s = fmin(d->fastest_s, mco_clock_s() - begin_s);
    d->stop_s = d->run->stop_s - SWEEPS_OF_CHECK * d->fastest_s;
    return true;
}

// ---- The check

static void check_block(void *shared, int worker, int64_t own)
{
    overlay_dual *d = shared;
    const int64_t block = own * mco_rank_count(d->ctx) + mco_rank(d->ctx);
    const int64_t first = block * d->block, end = first + d->block < d->o->nodes ? first + d->block : d->o->nodes;
    (void)worker;
    if (d->run->stop != MCO_STOP_CANCELLED && mco_is_cancelled(d->ctx))
        atomic_store_explicit(&d->is_cut, true, memory_order_relaxed);
    if (atomic_load_explicit(&d->is_cut, memory_order_relaxed))
        return;
    d->part[own] = (overlay_sum){0};
    overlay_check_rows(d->o, d->best, first, end, &d->part[own]);
}

bool overlay_check_best(overlay_dual *d, overlay_sum *sum)
{
    const int64_t own = overlay_own_blocks(d);
    atomic_store(&d->is_cut, false);  // a limit may have ended the last sweep
    if (d->workers > 1)
        mco_team_run(&d->team, own, check_block, NULL, d);
    else
        for (int64_t b = 0; b < own; b++)
            check_block(d, 0, b);
    *sum = (overlay_sum){0};
    for (int64_t b = 0; b < own; b++)
        overlay_add_sum(sum, &d->part[b]);
    if (!atomic_load(&d->is_cut))
        return true;
    d->run->stop = MCO_STOP_CANCELLED;
    return false;
}

// ---- Iterations

uint64_t overlay_measure(overlay_dual *d, overlay_row *row, int32_t i)
{
    overlay_fill_row(d, row, i, d->dual[i]);
    if (d->excess != NULL)
        d->excess[i] = (int64_t)d->build->over(row, d->dual[i]) - d->o->bandwidth[i];
    return d->build->ramp(row, d->dual[i], UINT32_MAX);
}

mco_status overlay_note(overlay_dual *d, overlay_sum bound)
{
    const size_t bytes = ((size_t)d->o->nodes + OVERLAY_NODE_PAD) * sizeof *d->best;
    if (!overlay_less(bound, d->least))
        return MCO_OK;
    d->least = bound;
    d->best_iteration = d->iterations;
    memcpy(d->best, d->dual, bytes);
    return mco_run_improve(d->run, overlay_bound_of(d->o, bound), NULL, NULL);
}

mco_status overlay_take(overlay_dual *d, overlay_sum bound)
{
    mco_status st = MCO_OK;
    MCO_TRY(overlay_note(d, bound));
    d->iterations++;
    uint32_t *const dual = d->dual;
    d->dual = d->next;
    d->next = dual;
done:
    return st;
}

bool overlay_goes_on(overlay_dual *d)
{
    if (overlay_is_shared(d))  // the last sweep has settled it for all ranks
        return d->iterations < d->p->iterations && d->run->stop == MCO_STOP_FINISHED;
    if (d->iterations >= d->p->iterations || mco_run_must_stop(d->run, d->iterations))
        return false;
    if (mco_clock_s() >= d->stop_s)
        d->run->stop = MCO_STOP_TIME;
    return d->run->stop == MCO_STOP_FINISHED;
}

void overlay_return(overlay_dual *d)
{
    if (d->least.high != UINT64_MAX)
        memcpy(d->dual, d->best, ((size_t)d->o->nodes + OVERLAY_NODE_PAD) * sizeof *d->best);
}
