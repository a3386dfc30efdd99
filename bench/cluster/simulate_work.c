// SPDX-License-Identifier: MIT
#include "simulate.h"

#include <math.h>

#include "base/grow.h"

enum { LEAST_NODES = 4000 };  // a worker with less left gives nothing: that is about what an explorer searches between two looks

// The part of its nodes that a worker gives away by a split: quantiles of 346 splits of real searches (tenth, quarter, half,
// three quarters, nine tenths); least and largest are assumed.
static const double QUANTILES[][2] = {{0, 0.001}, {0.1, 0.005}, {0.25, 0.02}, {0.5, 0.04}, {0.75, 0.17}, {0.9, 0.33}, {1, 0.6}};

static double draw_share(mco_rng *rng)
{
    const double at = mco_rng_real(rng);
    int k = 1;
    while (QUANTILES[k][0] < at)
        k++;
    const double *low = QUANTILES[k - 1], *high = QUANTILES[k];
    return low[1] + (high[1] - low[1]) * (at - low[0]) / (high[0] - low[0]);
}

// How the share of the leaves differs from that of the nodes: the coordinator sees the leaves alone, and asks who has the most.
// Assumed: lognormal.
static double draw_mistake(mco_rng *rng)
{
    static const double SIGMA = 0.7;
    const double radius = sqrt(-2 * log(1 - mco_rng_real(rng)));
    return exp(SIGMA * radius * cos(6.283185307179586 * mco_rng_real(rng)));
}

// ---- Numbers and paths: digit d counts (SIM_JOBS - 1 - d)! leaves. 20! is below 2^62.

static int64_t number_of(const int32_t *digits, int32_t depth)
{
    int64_t number = 0;
    for (int32_t d = 0; d < SIM_JOBS; d++)
        number = number * (SIM_JOBS - d) + (d < depth ? digits[d] : 0);
    return number;
}

static int64_t leaves_of_tree(void)
{
    int64_t leaves = 1;
    for (int32_t d = 2; d <= SIM_JOBS; d++)
        leaves *= d;
    return leaves;
}

static int32_t path_of(int64_t number, int32_t *digits)
{
    if (number == leaves_of_tree())
        return 0;
    for (int32_t d = SIM_JOBS - 1; d >= 0; d--) {
        digits[d] = (int32_t)(number % (SIM_JOBS - d));
        number /= SIM_JOBS - d;
    }
    return SIM_JOBS;
}

static void push(flowshop_intervals *list, const sim_piece *p)
{
    flowshop_interval *v = flowshop_intervals_push(list);
    v->a_depth = path_of(p->first, v->a);
    v->b_depth = path_of(p->end, v->b);
    v->bound = p->nodes;
}

// ---- A worker's load

void sim_search(sim_load *load, int64_t nodes)
{
    nodes = nodes < load->nodes ? nodes : load->nodes;
    load->nodes -= nodes;
    load->done += nodes;
    while (nodes > 0) {
        sim_piece *p = &load->pieces[load->count - 1];
        if (nodes >= p->nodes) {
            nodes -= p->nodes;
            load->count--;
            continue;
        }
        const double share = (double)nodes / (double)p->nodes;
        int64_t step = (int64_t)(share * (double)(p->end - p->first));
        step = step < p->end - p->first ? step : p->end - p->first - 1;
        p->first += step;
        p->nodes -= nodes;
        nodes = 0;
    }
}

mco_status sim_take(mco_context *ctx, sim_load *load, const flowshop_intervals *work)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(ctx, &load->pieces, &load->room, load->count + work->count));
    for (int64_t i = 0; i < work->count; i++) {
        const flowshop_interval *v = &work->items[i];
        load->pieces[load->count++] = (sim_piece){number_of(v->a, v->a_depth),
                                                  v->b_depth == 0 ? leaves_of_tree() : number_of(v->b, v->b_depth), v->bound};
        load->nodes += v->bound;
    }
done:
    return st;
}

mco_status sim_give(mco_context *ctx, mco_rng *rng, sim_load *load, flowshop_intervals *given)
{
    mco_status st = MCO_OK;
    given->count = 0;
    if (load->nodes < LEAST_NODES)
        return MCO_OK;
    MCO_TRY(flowshop_intervals_reserve(ctx, given, 1));
    if (load->count > 1) {  // one that is not begun, the first that came
        load->nodes -= load->pieces[0].nodes;
        push(given, &load->pieces[0]);
        for (int64_t i = 1; i < load->count; i++)
            load->pieces[i - 1] = load->pieces[i];
        load->count--;
        return MCO_OK;
    }
    sim_piece *p = &load->pieces[0];
    const double share = draw_share(rng), of_leaves = fmin(0.9, share * draw_mistake(rng));
    const int64_t nodes = (int64_t)(share * (double)p->nodes);
    const int64_t middle = p->end - (int64_t)(of_leaves * (double)(p->end - p->first));
    if (middle <= p->first || middle == p->end || nodes < 1)
        return MCO_OK;
    push(given, &(sim_piece){middle, p->end, nodes});
    p->end = middle;
    p->nodes -= nodes;
    load->nodes -= nodes;
done:
    return st;
}

mco_status sim_note(mco_context *ctx, const sim_load *load, flowshop_checkpoint *note)
{
    mco_status st = MCO_OK;
    note->open.count = 0;
    MCO_TRY(flowshop_intervals_reserve(ctx, &note->open, load->count));
    for (int64_t i = 0; i < load->count; i++)
        push(&note->open, &load->pieces[i]);
    for (int64_t c = 0; c < SIM_CELLS; c++)  // their sum is `done`
        note->children_by_depth[c] = (load->done + c) / SIM_CELLS;
done:
    return st;
}
