// SPDX-License-Identifier: MIT
// Walks on the host: the tables they read, the plan at hand, a step.
#include "dtspms/dtspms_walk.h"

#include <math.h>
#include <string.h>

void dtspms_walk_logarithms(uint32_t *table)
{
    for (int32_t k = 0; k < DTSPMS_LOGARITHMS; k++)
        table[k] = (uint32_t)(-log((k + 0.5) / DTSPMS_LOGARITHMS) * 65536 + 0.5);
}

// The nearest so far, kept in order by insertion.
static void find_near(const dtspms_model *model, const int32_t *distance, int32_t node, int32_t near_count, int16_t *near,
                      int64_t *length)
{
    int32_t count = 0;
    for (int32_t other = 1; other < model->nodes; other++) {
        const int64_t both = (int64_t)distance[(int64_t)node * model->nodes + other] + distance[(int64_t)other * model->nodes + node];
        if (other == node || (count == near_count && both >= length[count - 1]))
            continue;
        int32_t at = count < near_count ? count++ : count - 1;
        for (; at > 0 && length[at - 1] > both; at--) {
            length[at] = length[at - 1];
            near[at] = near[at - 1];
        }
        length[at] = both;
        near[at] = (int16_t)other;
    }
}

void dtspms_walk_near(const dtspms_model *model, int32_t near_count, int16_t *near)
{
    int64_t length[DTSPMS_NEAR];
    for (int network = 0; network < 2; network++)
        for (int32_t node = 1; node < model->nodes && near_count > 0; node++)
            find_near(model, model->distance[network], node, near_count,
                      near + ((int64_t)network * model->nodes + node) * near_count, length);
}

// ---- Tables

mco_status dtspms_walk_tables_make(mco_context *ctx, const dtspms_model *model, const int32_t *heights, dtspms_walk_tables *out)
{
    mco_status st = MCO_OK;
    dtspms_walk_tables t = {0};
    const int32_t n = model->orders, near_count = n > DTSPMS_NEAR ? DTSPMS_NEAR : n > 0 ? n - 1 : 0;
    if (n > DTSPMS_MAX_WALK_ORDERS)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, &t.first, model->stacks + 1));
    MCO_TRY(mco_alloc(ctx, &t.stack, n));
    MCO_TRY(mco_alloc(ctx, &t.near, 2 * (int64_t)model->nodes * near_count));
    MCO_TRY(mco_alloc(ctx, &t.logarithms, DTSPMS_LOGARITHMS));
    for (int32_t k = 0; k < model->stacks; k++) {
        t.first[k + 1] = t.first[k] + heights[k];
        for (int32_t p = t.first[k]; p < t.first[k + 1]; p++)
            t.stack[p] = (int16_t)k;
    }
    dtspms_walk_near(model, near_count, t.near);
    dtspms_walk_logarithms(t.logarithms);
    t.view = (dtspms_walk_view){.orders = n, .stacks = model->stacks, .first = t.first, .stack = t.stack, .near = t.near,
                                .near_count = near_count};
    *out = t;
done:
    if (st != MCO_OK)
        dtspms_walk_tables_clear(ctx, &t);
    return st;
}

void dtspms_walk_tables_clear(mco_context *ctx, dtspms_walk_tables *tables)
{
    mco_free(ctx, &tables->logarithms);
    mco_free(ctx, &tables->near);
    mco_free(ctx, &tables->stack);
    mco_free(ctx, &tables->first);
}

// ---- The plan at hand

mco_status dtspms_walk_state_make(mco_context *ctx, const dtspms_walk_tables *tables, dtspms_walk_state *out)
{
    mco_status st = MCO_OK;
    dtspms_walk_state s = {.view = tables->view, .logarithms = tables->logarithms};
    MCO_TRY(mco_alloc(ctx, &s.node, s.view.orders));
    MCO_TRY(mco_alloc(ctx, &s.position, s.view.orders + 1));
    s.view.node = s.node;
    s.view.position = s.position;
    *out = s;
done:
    if (st != MCO_OK)
        dtspms_walk_state_clear(ctx, &s);
    return st;
}

void dtspms_walk_state_clear(mco_context *ctx, dtspms_walk_state *state)
{
    mco_free(ctx, &state->position);
    mco_free(ctx, &state->node);
}

static void place(dtspms_walk_state *state, int32_t position, int32_t node)
{
    state->node[position] = (int16_t)node;
    state->position[node] = (int16_t)position;
}

void dtspms_walk_enter(dtspms_walk_state *state, const int32_t *node)
{
    for (int32_t p = 0; p < state->view.orders; p++)
        place(state, p, node[p]);
}

// ---- A step

void dtspms_walk_neighbours(const dtspms_walk_state *state, const dtspms_walk *walk, dtspms_move *moves, int32_t *thresholds)
{
    for (int32_t k = 0; k < DTSPMS_WALK_BATCH; k++)
        dtspms_walk_propose(&state->view, walk->seed, walk->step, k, walk->temperature, state->logarithms, &moves[k],
                            &thresholds[k]);
}

int32_t dtspms_walk_first(const dtspms_walk *walk, const int32_t *thresholds, const int32_t *pickup, const int32_t *delivery,
                          int32_t from, int32_t to)
{
    for (int32_t k = from; k < to; k++)
        if ((int64_t)pickup[k] + delivery[k] <= (int64_t)walk->cost + thresholds[k])
            return k;
    return DTSPMS_WALK_BATCH;
}

void dtspms_walk_accept(dtspms_walk_state *state, dtspms_walk *walk, const dtspms_move *move, int32_t cost)
{
    for (int32_t k = 0; k < move->count; k++) {
        place(state, move->position[k], move->node[k]);
        walk->node[move->position[k]] = move->node[k];
    }
    walk->cost = cost;
    if (cost < walk->best_cost) {
        walk->best_cost = cost;
        memcpy(walk->best, walk->node, (size_t)state->view.orders * sizeof *walk->node);
    }
}
