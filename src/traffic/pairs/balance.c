// SPDX-License-Identifier: MIT
// Moves of flow between the segments of a pair: by a safeguarded secant on the true costs, pair by pair (Bar-Gera 2010, Xie and Xie 2016).
#include <math.h>

#include "traffic/pairs/balance.h"

enum { LINKS_OF_LOOK = 1 << 17, TRIES = 48 };
static const double ACCURACY = 0.2;  // of a move: the difference that may stay, by what it was

bool pairs_must_stop(pairs_balance *b, int64_t links)
{
    b->work += links;
    if (b->work > LINKS_OF_LOOK) {
        b->work = 0;
        b->must_stop = b->must_stop || mco_run_must_stop(b->call->run, 0);
    }
    return b->must_stop;
}

static void mark_changed(pairs_batch *batch, const int32_t *slot, int32_t count)
{
    for (int32_t k = 0; batch->is_changed != NULL && k < count; k++)
        batch->is_changed[slot[k]] = 1;
}

double pairs_movable(pairs_balance *b, const pairs_pair *pair, int side, int32_t *movers)
{
    double sum = 0;
    int32_t n = 0;
    const int32_t first = side == 0 ? 0 : pair->count[0];
    for (int32_t u = 0; u < pair->uses; u++) {
        const int32_t *use = pairs_use_at(pair, u);
        const double part = b->build->least(&b->store->batch[use[0]], use + 2 + first, pair->count[side], (uint32_t)use[1],
                                            b->least + (int64_t)n * PAIRS_LANES);
        if (part > 0) {
            b->mover[n++] = u;
            sum += part;
        }
    }
    *movers = n;
    return sum;
}

// The flow of links after a move of `amount` off segment `side`.
static void move_totals(pairs_balance *b, const pairs_pair *pair, int side, double amount)
{
    const int32_t *from = pairs_segment(pair, side), *to = pairs_segment(pair, 1 - side);
    for (int32_t k = 0; k < pair->count[side]; k++)
        pairs_set_flow(b, from[k], b->flow[from[k]] - amount);
    for (int32_t k = 0; k < pair->count[1 - side]; k++)
        pairs_set_flow(b, to[k], b->flow[to[k]] + amount);
}

void pairs_move(pairs_balance *b, const pairs_pair *pair, int side, int32_t movers, double movable, double amount)
{
    const double share = amount >= movable ? 1 : amount / movable;
    for (int32_t n = 0; n < movers; n++) {
        const int32_t *use = pairs_use_at(pair, b->mover[n]);
        const int32_t *slot[2] = {use + 2, use + 2 + pair->count[0]};
        pairs_batch *batch = &b->store->batch[use[0]];
        b->build->move(batch, slot[side], pair->count[side], slot[1 - side], pair->count[1 - side], share,
                       b->least + (int64_t)n * PAIRS_LANES);
        mark_changed(batch, use + 2, pair->count[0] + pair->count[1]);
    }
    move_totals(b, pair, side, amount);
}

// The difference that is left after a move of `amount` off segment `side`.
static double difference_after(const pairs_balance *b, const pairs_pair *pair, int side, double amount)
{
    const int32_t *from = pairs_segment(pair, side), *to = pairs_segment(pair, 1 - side);
    double sum = side == 0 ? pair->extra : -pair->extra;
    for (int32_t k = 0; k < pair->count[side]; k++)
        sum += traffic_cost(&b->problem->costs, from[k], b->flow[from[k]] - amount);
    for (int32_t k = 0; k < pair->count[1 - side]; k++)
        sum -= traffic_cost(&b->problem->costs, to[k], b->flow[to[k]] + amount);
    return sum;
}

// The amount that balances segments which differ by `difference` > 0, at most `most`. Begins with a Newton step; false position, which
// halves the weight of an end that stays (Illinois), corrects it. The amount errs by a difference of ACCURACY of the old one.
static double balancing_amount(const pairs_balance *b, const pairs_pair *pair, int side, double difference, double slope, double most)
{
    double low = 0, at_low = difference, high = -1, at_high = 0;
    double amount = slope > 0 && difference < slope * most ? difference / slope : most;
    int last = 0;
    for (int t = 0; t < TRIES; t++) {
        const double left = difference_after(b, pair, side, amount);
        if (fabs(left) < ACCURACY * difference || (left > 0 && amount >= most))
            return amount;
        if (left > 0) {
            at_high *= last == 1 ? 0.5 : 1;
            low = amount;
            at_low = left;
            last = 1;
        } else {
            at_low *= last == -1 ? 0.5 : 1;
            high = amount;
            at_high = left;
            last = -1;
        }
        amount = high > 0 ? low + (high - low) * at_low / (at_low - at_high) : 2 * amount;
        if (amount > most)
            amount = most;
    }
    return low;
}

// Balances a pair. Returns whether it lives on: whether its dearer segment has flow.
static bool balance_pair(pairs_balance *b, const pairs_pair *pair)
{
    double slope;
    int32_t movers;
    const double signed_difference = pairs_difference(b, pair, &slope), difference = fabs(signed_difference);
    const int side = signed_difference < 0;
    if (difference <= b->least_difference)
        return true;
    const double movable = pairs_movable(b, pair, side, &movers);
    if (movable <= 0)
        return false;
    b->moved_excess += movable * difference;
    pairs_move(b, pair, side, movers, movable, balancing_amount(b, pair, side, difference, slope, movable));
    return true;
}

void pairs_sweep(pairs_balance *b)
{
    b->moved_excess = 0;
    for (int32_t i = 0; i < b->pairs; i++) {
        const pairs_pair *pair = &b->pair[i];
        if (!pair->is_live)
            continue;
        if (!balance_pair(b, pair))
            pairs_remove(b, i);
        else if (pairs_must_stop(b, (int64_t)(pair->count[0] + pair->count[1]) * (4 + pair->uses)))
            return;
    }
}

void pairs_purge(pairs_balance *b)
{
    for (int32_t i = 0; i < b->pairs; i++) {
        const pairs_pair *pair = &b->pair[i];
        double slope;
        int32_t movers;
        if (!pair->is_live)
            continue;
        const double difference = pairs_difference(b, pair, &slope);
        if (fabs(difference) > b->least_difference && pairs_movable(b, pair, difference < 0, &movers) <= 0)
            pairs_remove(b, i);
    }
}

void pairs_shift_row(pairs_balance *b, const pairs_pair *pair, pairs_batch *batch, int lane, const int32_t *slot)
{
    double slope;
    const double signed_difference = pairs_difference(b, pair, &slope), difference = fabs(signed_difference);
    const int side = signed_difference < 0;
    const int32_t begin = side == 0 ? 0 : pair->count[0], end = side == 0 ? pair->count[0] : pair->count[0] + pair->count[1];
    double most = INFINITY;
    for (int32_t k = begin; k < end; k++) {
        const double flow = batch->flow[(size_t)slot[k] * PAIRS_LANES + (size_t)lane];
        most = flow < most ? flow : most;
    }
    if (most <= 0 || difference <= 0)
        return;
    const double amount = balancing_amount(b, pair, side, difference, slope, most);
    for (int32_t k = 0; k < pair->count[0] + pair->count[1]; k++) {
        double *flow = &batch->flow[(size_t)slot[k] * PAIRS_LANES + (size_t)lane];
        *flow = k >= begin && k < end ? fmax(*flow - amount, 0) : *flow + amount;
    }
    mark_changed(batch, slot, pair->count[0] + pair->count[1]);
    move_totals(b, pair, side, amount);
}
