// SPDX-License-Identifier: MIT
// A Newton step of all live pairs together. The unknowns are the amounts that move; the matrix is A' S A with A the links of segments
// (+1, -1) and S the slopes of links. Conjugate gradients, preconditioned by its diagonal, solve it. A pair whose amount exceeds
// what it can move is dropped and the system solved again, so that the rest does not count on flow that is not there.
//
// Without the dropping one step went from a gap of 7e-10 to 8e-6 (ChicagoSketch, demand x 2).
#include <math.h>
#include <string.h>

#include "traffic/pairs/balance.h"

enum { STEPS = 100, ROUNDS = 4 };
static const double MOST_DAMPING = 1e6;  // by the slope
static const double RESIDUAL = 1e-3, MOST_SHARE = 0.9;  // by the first residual; by what a pair can move

typedef struct pairs_newton {
    int32_t count, room;
    int32_t *pair;        // [count] live pairs
    double *gradient, *direction, *step, *image, *inverse;  // [count] inverse of the diagonal
    double *damping;      // [count] what is added to the diagonal
    double *most;         // [count][2] what the segments can move
    double *link_step;    // [links] of the problem; all 0 between products
    int32_t *link;        // [link_count] links of the pairs of this step, each once
    int32_t link_count;
    int32_t *seen;        // [links] stamp
    int32_t stamp;
} pairs_newton;

void pairs_newton_close(pairs_balance *b)
{
    pairs_newton *n = b->newton;
    if (n == NULL)
        return;
    mco_free(b->ctx, &n->seen);
    mco_free(b->ctx, &n->link);
    mco_free(b->ctx, &n->link_step);
    mco_free(b->ctx, &n->most);
    mco_free(b->ctx, &n->damping);
    mco_free(b->ctx, &n->inverse);
    mco_free(b->ctx, &n->image);
    mco_free(b->ctx, &n->step);
    mco_free(b->ctx, &n->direction);
    mco_free(b->ctx, &n->gradient);
    mco_free(b->ctx, &n->pair);
    mco_free(b->ctx, &b->newton);
}

static mco_status open_newton(pairs_balance *b)
{
    mco_status st = MCO_OK;
    if (b->newton == NULL) {
        MCO_TRY(mco_alloc(b->ctx, &b->newton, 1));
        MCO_TRY(mco_alloc(b->ctx, &b->newton->link_step, b->problem->links));
        MCO_TRY(mco_alloc(b->ctx, &b->newton->link, b->problem->links));
        MCO_TRY(mco_alloc(b->ctx, &b->newton->seen, b->problem->links));
    }
    pairs_newton *n = b->newton;
    if (n->room < b->live) {
        mco_free(b->ctx, &n->pair);
        double **arrays[] = {&n->gradient, &n->direction, &n->step, &n->image, &n->inverse, &n->damping};
        n->room = 0;
        const int64_t room = (int64_t)b->live + b->live / 2;
        MCO_TRY(mco_alloc(b->ctx, &n->pair, room));
        for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) {
            mco_free(b->ctx, arrays[k]);
            MCO_TRY(mco_alloc(b->ctx, arrays[k], room));
        }
        mco_free(b->ctx, &n->most);
        MCO_TRY(mco_alloc(b->ctx, &n->most, 2 * room));
        n->room = (int32_t)(room < INT32_MAX ? room : INT32_MAX);
    }
done:
    if (st != MCO_OK)
        pairs_newton_close(b);
    return st;
}

// Gradients and the diagonal at present flows. Pairs without slope stay out. Returns the residual in the norm of the preconditioner.
static double begin_system(pairs_balance *b, pairs_newton *n)
{
    double residual = 0;
    int32_t count = 0;
    n->link_count = 0;
    n->stamp++;
    for (int32_t k = 0; k < n->count; k++) {
        const pairs_pair *pair = &b->pair[n->pair[k]];
        double slope;
        const double difference = pairs_difference(b, pair, &slope);
        if (slope < 1e-200 || slope > 1e50)  // flat, or infinitely steep at flow 0: the sweeps move it
            continue;
        const double most = n->most[2 * k + (difference < 0)];
        if (most <= 0 && difference != 0)  // at its bound
            continue;
        n->pair[count] = n->pair[k];
        n->most[2 * count] = n->most[2 * k];
        n->most[2 * count + 1] = n->most[2 * k + 1];
        n->gradient[count] = difference;
        n->damping[count] = difference == 0 ? 0 : fmin(fabs(difference) / most, slope * MOST_DAMPING);
        n->inverse[count] = 1 / (slope + n->damping[count]);
        n->direction[count] = difference * n->inverse[count];
        n->step[count] = 0;
        residual += difference * n->direction[count];
        count++;
        for (int32_t e = 0; e < pair->count[0] + pair->count[1]; e++) {
            if (n->seen[pair->link[e]] != n->stamp) {
                n->seen[pair->link[e]] = n->stamp;
                n->link[n->link_count++] = pair->link[e];
            }
        }
    }
    n->count = count;
    return residual;
}

// image = A' S A direction. Returns direction * image.
static double multiply(const pairs_balance *b, pairs_newton *n)
{
    double sum = 0;
    for (int32_t k = 0; k < n->count; k++) {
        const pairs_pair *pair = &b->pair[n->pair[k]];
        const double d = n->direction[k];
        const int32_t *link = pair->link, count0 = pair->count[0], count = count0 + pair->count[1];
        for (int32_t e = 0; e < count0; e++)
            n->link_step[link[e]] += d;
        for (int32_t e = count0; e < count; e++)
            n->link_step[link[e]] -= d;
    }
    for (int32_t k = 0; k < n->link_count; k++)
        n->link_step[n->link[k]] *= b->slope[n->link[k]];
    for (int32_t k = 0; k < n->count; k++) {
        const pairs_pair *pair = &b->pair[n->pair[k]];
        const int32_t *link = pair->link, count0 = pair->count[0], count = count0 + pair->count[1];
        double image = 0;
        for (int32_t e = 0; e < count0; e++)
            image += n->link_step[link[e]];
        for (int32_t e = count0; e < count; e++)
            image -= n->link_step[link[e]];
        n->image[k] = image + n->damping[k] * n->direction[k];
        sum += n->image[k] * n->direction[k];
    }
    for (int32_t k = 0; k < n->link_count; k++)
        n->link_step[n->link[k]] = 0;
    return sum;
}

static void solve(pairs_balance *b, pairs_newton *n)
{
    double residual = begin_system(b, n);
    const double enough = RESIDUAL * RESIDUAL * residual;
    for (int t = 0; t < STEPS && residual > enough && residual > 0; t++) {
        const double curvature = multiply(b, n);
        if (curvature <= 0 || pairs_must_stop(b, 8 * (int64_t)n->link_count + n->count))
            break;
        const double length = residual / curvature;
        double next = 0;
        for (int32_t k = 0; k < n->count; k++) {
            n->step[k] += length * n->direction[k];
            n->gradient[k] -= length * n->image[k];
            next += n->gradient[k] * n->gradient[k] * n->inverse[k];
        }
        for (int32_t k = 0; k < n->count; k++)
            n->direction[k] = n->gradient[k] * n->inverse[k] + next / residual * n->direction[k];
        residual = next;
        b->steps++;
    }
}

// Drops pairs whose amounts exceed what they can move. Returns whether there were any.
static bool drop_pairs(pairs_newton *n)
{
    int32_t count = 0;
    for (int32_t k = 0; k < n->count; k++) {
        const double amount = n->step[k];
        if (fabs(amount) > MOST_SHARE * n->most[2 * k + (amount < 0)])
            continue;
        n->pair[count] = n->pair[k];
        n->most[2 * count] = n->most[2 * k];
        n->most[2 * count + 1] = n->most[2 * k + 1];
        n->step[count++] = amount;
    }
    const bool is_fewer = count < n->count;
    n->count = count;
    return is_fewer;
}

static void apply_steps(pairs_balance *b, const pairs_newton *n)
{
    for (int32_t k = 0; k < n->count; k++) {
        const pairs_pair *pair = &b->pair[n->pair[k]];
        const int side = n->step[k] < 0;
        int32_t movers;
        if (n->step[k] == 0)
            continue;
        const double movable = pairs_movable(b, pair, side, &movers);
        if (movable > 0)
            pairs_move(b, pair, side, movers, movable, fmin(fabs(n->step[k]), movable));
    }
}

mco_status pairs_newton_step(pairs_balance *b)
{
    const mco_status st = open_newton(b);
    if (st != MCO_OK)
        return st;
    pairs_newton *n = b->newton;
    n->count = 0;
    b->steps = 0;
    for (int32_t i = 0; i < b->pairs; i++)
        if (b->pair[i].is_live) {
            int32_t movers;
            for (int side = 0; side < 2; side++)
                n->most[2 * n->count + side] = pairs_movable(b, &b->pair[i], side, &movers);
            n->pair[n->count++] = i;
        }
    for (int round = 0; round < ROUNDS && !b->must_stop; round++) {
        solve(b, n);
        if (round + 1 < ROUNDS && !drop_pairs(n))
            break;
    }
    if (!b->must_stop)
        apply_steps(b, n);
    return MCO_OK;
}
