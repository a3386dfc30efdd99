// SPDX-License-Identifier: MIT
// Plans of the method of pairs in states: which rows stand side by side, and orders of nodes. A plan that does not fit any more is not used.
#include <string.h>

#include "traffic/model/problem.h"

void traffic_state_keep_plan(mco_context *ctx, const traffic_problem *problem, traffic_plan *plan, mco_traffic_state *state)
{
    for (int64_t i = 0; i < (int64_t)plan->batches * TRAFFIC_PLAN_ROWS; i++)
        if (plan->row[i] >= 0)
            plan->row[i] = traffic_state_row(problem, plan->row[i]);
    traffic_plan_clear(ctx, &state->plan);
    state->plan = *plan;
    *plan = (traffic_plan){0};
}

// Whether the batches have each row of the problem once, and rows of one class side by side. seen [rows], all 0.
static bool have_all_rows(const traffic_problem *p, const traffic_plan *plan, uint8_t *seen)
{
    int32_t count = 0;
    for (int32_t b = 0; b < plan->batches; b++) {
        int32_t user_class = -1;
        for (int k = 0; k < TRAFFIC_PLAN_ROWS; k++) {
            const int32_t row = plan->row[(int64_t)b * TRAFFIC_PLAN_ROWS + k];
            if (row < 0)
                continue;
            if (seen[row] != 0 || (user_class >= 0 && p->row_class[row] != user_class))
                return false;
            user_class = p->row_class[row];
            seen[row] = 1;
            count++;
        }
        if (user_class < 0)
            return false;
    }
    return count == p->rows;
}

// Whether each order has each node once. seen [places].
static bool are_orders(const traffic_plan *plan, uint8_t *seen)
{
    const size_t places = (size_t)plan->places;
    for (int32_t b = 0; b < plan->batches; b++) {
        const uint16_t *order = plan->order + (size_t)b * places;
        memset(seen, 0, places);
        for (size_t k = 0; k < places; k++) {
            const int32_t place = order[k] - plan->first;
            if (place < 0 || place >= plan->places)
                return false;
            seen[place] = 1;
        }
        if (memchr(seen, 0, places) != NULL)
            return false;
    }
    return true;
}

// Takes the rows that the problem still has, first ones first in each batch.
static void take_rows(const traffic_plan *of_state, const int32_t *row_at, int32_t *row)
{
    for (int32_t b = 0; b < of_state->batches; b++) {
        const int64_t first = (int64_t)b * TRAFFIC_PLAN_ROWS;
        int count = 0;
        for (int k = 0; k < TRAFFIC_PLAN_ROWS; k++) {
            const int32_t from = of_state->row[first + k], to = from < 0 ? -1 : row_at[from];
            if (to >= 0)
                row[first + count++] = to;
        }
        while (count < TRAFFIC_PLAN_ROWS)
            row[first + count++] = -1;
    }
}

mco_status traffic_state_take_plan(mco_context *ctx, const traffic_problem *problem, const mco_traffic_state *state, traffic_plan *out)
{
    mco_status st = MCO_OK;
    const int32_t places = problem->nodes - problem->first_through, most = problem->rows > places ? problem->rows : places;
    const int64_t count = (int64_t)state->plan.batches * TRAFFIC_PLAN_ROWS;
    int32_t *row_at = NULL;
    uint8_t *seen = NULL;
    traffic_plan plan = state->plan;
    plan.row = NULL;
    *out = (traffic_plan){0};
    MCO_TRY(mco_alloc(ctx, &plan.row, count));
    MCO_TRY(mco_alloc(ctx, &row_at, state->flows.rows));
    MCO_TRY(mco_alloc(ctx, &seen, most));
    memset(row_at, 0xff, (size_t)state->flows.rows * sizeof *row_at);
    for (int32_t r = 0; r < problem->rows; r++)
        row_at[traffic_state_row(problem, r)] = r;
    take_rows(&state->plan, row_at, plan.row);
    if (plan.batches < 1 || !have_all_rows(problem, &plan, seen))
        goto done;
    if (plan.first != problem->first_through || plan.places != places || plan.order == NULL || !are_orders(&plan, seen))
        plan.order = NULL;
    *out = plan;
    plan.row = NULL;
done:
    mco_free(ctx, &seen);
    mco_free(ctx, &row_at);
    mco_free(ctx, &plan.row);
    return st;
}
