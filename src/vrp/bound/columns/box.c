// SPDX-License-Identifier: MIT
// Boxes around the prices that a program begins with. The artificial column of a customer costs a little more than the customer's price, so
// no dual is larger. The first duals of a program with few routes are near good prices then, and the first programs need few pivots
// (a one-sided box: du Merle, Villeneuve, Desrosiers, Hansen 1999; duals below their price are bounded by the value of the program). A
// box that the optimum touches grows, until none does. Then artificial columns cost what they cost elsewhere.
#include <string.h>

#include "vrp/bound/columns/program.h"

// A box exceeds the price by this share of it, and by this share of the mean price. It grows by BOX_GROWTH times its
// excess, or times that share of the box where the excess is below BOX_FOLLOWED of it.
static const double BOX_SHARE = 0.1, BOX_MEAN = 0.1, BOX_GROWTH = 3, BOX_FOLLOWED = 0.01;
static const double TOUCHED = 1e-6;

static mco_status set_costs(vrp_master *m)
{
    return mco_lp_set_costs(m->ctx, m->lp, m->problem->nodes, NULL, m->box);
}

mco_status vrp_program_box(vrp_master *master)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    const int32_t nodes = m->problem->nodes;
    double mean = 0;
    for (int32_t i = 1; i < nodes; i++)
        mean += fabs((double)m->price[i]) / (nodes - 1);
    MCO_TRY(mco_alloc(m->ctx, &m->box, 2 * (int64_t)nodes));
    m->box[0] = m->artificial_cost;
    for (int32_t i = 1; i < nodes; i++)
        m->box[i] = fmin(m->artificial_cost, m->price[i] + BOX_SHARE * fabs((double)m->price[i]) + BOX_MEAN * mean + 1);
    MCO_TRY(set_costs(m));
done:
    return st;
}

mco_status vrp_program_grow_box(vrp_master *master, bool *is_grown)
{
    vrp_master *m = master;
    const double *value = m->box + m->problem->nodes;
    *is_grown = false;
    for (int32_t i = 1; i < m->problem->nodes; i++) {
        if (value[i] <= TOUCHED || m->box[i] >= m->artificial_cost)
            continue;
        // Where no routes serve a customer its price follows the box, and the excess is small.
        const double excess = m->box[i] - m->price[i], share = BOX_SHARE * m->box[i];
        m->box[i] = fmin(m->artificial_cost, m->box[i] + BOX_GROWTH * fmax(1, excess < BOX_FOLLOWED * m->box[i] ? share : excess));
        *is_grown = true;
    }
    return *is_grown ? set_costs(m) : MCO_OK;
}

mco_status vrp_program_unbox(vrp_master *master)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    if (m->box == NULL)
        return MCO_OK;
    for (int32_t i = 0; i < m->problem->nodes; i++)
        m->box[i] = m->artificial_cost;
    st = set_costs(m);
    mco_free(m->ctx, &m->box);
    return st;
}
