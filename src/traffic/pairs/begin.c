// SPDX-License-Identifier: MIT
// The beginning of the method of pairs: what a solve keeps, and its first flows.
#include <string.h>

#include "traffic/pairs/balance.h"

enum { SHARES = 8 };  // of the rows, in the load and in eager passes
static const double FORESIGHT = 0.5;  // how much of the trips that are still to be loaded counts

// ---- State of a solve

void pairs_close_balance(pairs_balance *b)
{
    pairs_newton_close(b);
    for (int32_t i = 0; i < b->pairs; i++) {
        mco_free(b->ctx, &b->pair[i].use);
        mco_free(b->ctx, &b->pair[i].link);
    }
    if (b->pair != NULL && b->pairs < b->pair_room)  // one whose making failed
        mco_free(b->ctx, &b->pair[b->pairs].link);
    mco_free(b->ctx, &b->mover);
    mco_free(b->ctx, &b->least);
    mco_free(b->ctx, &b->visited);
    mco_free(b->ctx, &b->on_tree);
    mco_free(b->ctx, &b->front);
    mco_free(b->ctx, &b->back);
    mco_free(b->ctx, &b->dead);
    mco_free(b->ctx, &b->at_node);
    mco_free(b->ctx, &b->pair);
    mco_free(b->ctx, &b->class_flow);
    mco_free(b->ctx, &b->frozen);
    mco_free(b->ctx, &b->class_cost);
    mco_free(b->ctx, &b->slope);
    mco_free(b->ctx, &b->cost);
    mco_free(b->ctx, &b->flow);
}

mco_status pairs_open_balance(pairs_balance *b)
{
    const traffic_problem *p = b->problem;
    mco_status st = MCO_OK;
    MCO_TRY(pairs_pick_build(b->ctx, b->call->params->simd, &b->build));
    MCO_TRY(mco_alloc(b->ctx, &b->flow, p->links));
    MCO_TRY(mco_alloc(b->ctx, &b->cost, p->links));
    MCO_TRY(mco_alloc(b->ctx, &b->slope, p->links));
    if (p->extra != NULL)
        MCO_TRY(mco_alloc(b->ctx, &b->class_cost, (size_t)p->classes * (size_t)p->links));
    else
        MCO_TRY(mco_alloc(b->ctx, &b->frozen, p->links));
    if (p->classes > 1)
        MCO_TRY(mco_alloc(b->ctx, &b->class_flow, (size_t)p->classes * (size_t)p->links));
    MCO_TRY(mco_alloc(b->ctx, &b->at_node, p->nodes));
    MCO_TRY(mco_alloc(b->ctx, &b->on_tree, p->nodes));
    MCO_TRY(mco_alloc(b->ctx, &b->visited, p->nodes));
    MCO_TRY(mco_alloc(b->ctx, &b->least, (size_t)b->store->batches * PAIRS_LANES));
    MCO_TRY(mco_alloc(b->ctx, &b->mover, b->store->batches));
    for (int32_t v = 0; v < p->nodes; v++)
        b->at_node[v] = -1;
done:
    return st;
}

void pairs_sum_flows(pairs_balance *b)
{
    const size_t links = (size_t)b->problem->links;
    memset(b->flow, 0, links * sizeof *b->flow);
    if (b->class_flow != NULL)
        memset(b->class_flow, 0, (size_t)b->problem->classes * links * sizeof *b->class_flow);
    pairs_add_flows(b, 0, 1, b->flow, b->class_flow);
    for (int32_t l = 0; l < b->problem->links; l++)
        pairs_set_flow(b, l, b->flow[l]);
}

const double *pairs_scan_costs(pairs_balance *b)
{
    const traffic_problem *p = b->problem;
    if (p->extra == NULL) {
        memcpy(b->frozen, b->cost, (size_t)p->links * sizeof *b->frozen);
        return b->frozen;
    }
    for (int32_t k = 0; k < p->classes; k++)
        for (int32_t l = 0; l < p->links; l++) {
            const size_t at = (size_t)k * (size_t)p->links + (size_t)l;
            b->class_cost[at] = b->cost[l] + p->extra[at];
        }
    return b->class_cost;
}

// ---- Start

// Rows of a pair that is known, class by class.
static mco_status take_pair(pairs_balance *b, const traffic_pairs *known, int64_t i)
{
    const traffic_problem *p = b->problem;
    const int64_t *first = &known->first[2 * i];
    const int32_t count0 = (int32_t)(first[1] - first[0]), count1 = (int32_t)(first[2] - first[1]);
    int32_t index = -1, user_class = -1;
    if (count0 < 1 || count1 < 1)
        return MCO_OK;
    for (int64_t k = known->row_first[i]; k < known->row_first[i + 1]; k++) {
        const int32_t row = known->row[k], place = b->store->place[row];
        mco_status st = MCO_OK;
        if (p->row_class[row] != user_class) {
            user_class = p->row_class[row];
            st = pairs_add(b, user_class, known->link + first[0], count0, count1, &index);
        }
        if (st == MCO_OK)
            st = pairs_add_use(b, index, place / PAIRS_LANES, 1u << place % PAIRS_LANES);
        if (st != MCO_OK)
            return st;
    }
    return MCO_OK;
}

int32_t pairs_shares(const pairs_balance *b)
{
    const int32_t batches = b->store->batches;
    return b->scanner->choose == NULL || batches < 1 ? 1 : batches < SHARES ? batches : SHARES;
}

static double demand_of(const pairs_balance *b, int32_t first, int32_t step)
{
    const traffic_problem *p = b->problem;
    double sum = 0;
    for (int32_t i = first; i < b->store->batches; i += step)
        for (int lane = 0; lane < PAIRS_LANES; lane++) {
            const int32_t row = b->store->batch[i].row[lane];
            for (int64_t k = row < 0 ? 0 : p->row_first[row]; row >= 0 && k < p->row_first[row + 1]; k++)
                sum += p->amount[k];
        }
    return sum;
}

// Loads a share of the rows after the other. Before each, costs are those of the flows so far, scaled up for some of the trips that still lack.
static mco_status load_shares(pairs_balance *b)
{
    const traffic_problem *p = b->problem;
    const int32_t count = pairs_shares(b);
    double loaded = 0;
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < count; k++) {
        if (count > 1)
            b->scanner->choose(b->scanner->self, &(traffic_share){.first = k, .step = count});
        MCO_TRY(b->scanner->load(b->scanner->self, pairs_scan_costs(b)));
        if (k + 1 == count)
            break;
        pairs_add_flows(b, k, count, b->flow, NULL);
        loaded += demand_of(b, k, count);
        const double scale = loaded > 0 ? 1 + FORESIGHT * (p->demand / loaded - 1) : 1;
        for (int32_t l = 0; l < p->links; l++)
            b->cost[l] = traffic_cost(&p->costs, l, scale * b->flow[l]);
    }
done:
    if (count > 1)
        b->scanner->choose(b->scanner->self, &(traffic_share){.step = 1});
    return st;
}

static bool lacks_rows(const traffic_flows *flows)
{
    bool lacks = false;
    for (int32_t r = 0; r < flows->rows; r++)
        lacks = lacks || flows->first[r + 1] == flows->first[r];
    return lacks;
}

mco_status pairs_begin_flows(pairs_balance *b)
{
    const traffic_call *call = b->call;
    mco_status st = MCO_OK;
    if (call->start_flows != NULL)
        MCO_TRY(pairs_store_take(b->store, call->start_flows));
    if (call->spent_flows != NULL) {
        mco_free(b->ctx, &call->spent_flows->link);
        mco_free(b->ctx, &call->spent_flows->flow);
    }
    pairs_sum_flows(b);
    if (call->start_flows != NULL)
        MCO_TRY(b->scanner->load(b->scanner->self, pairs_scan_costs(b)));
    else
        MCO_TRY(load_shares(b));
    if (call->start_flows == NULL || lacks_rows(call->start_flows))
        pairs_sum_flows(b);
    for (int64_t i = 0; call->start_flows != NULL && call->start_pairs != NULL && i < call->start_pairs->count; i++)
        MCO_TRY(take_pair(b, call->start_pairs, i));
done:
    return st;
}
