// SPDX-License-Identifier: MIT
// A Newton step of all live pairs together. The unknowns are the amounts that move; the matrix is A' S A with A the links of segments
// (+1, -1) and S the slopes of links. Conjugate gradients, preconditioned by its diagonal, solve it. A pair whose amount exceeds
// what it can move is held at that bound and the system solved again, so that the rest does not count on flow that is not there.
//
// Pairs depend on each other, so the matrix is singular: one with little movable flow might get a large amount that another could take.
// The diagonal therefore gets |difference| / (movable flow) more. Both vanish together towards equilibrium, so the steps stay quadratic there.
// Without this damping 400 of 1,500 pairs were dropped, and the gap fell by half in each pass (ChicagoSketch, demand x 2, below 1e-8).
//
// Without the bounds one step went from a gap of 7e-10 to 8e-6 (ChicagoSketch, demand x 2). A pair that is left out at its bound, rather
// than moved to it, leaves its partner alone: two pairs whose moves cancel on steep links, but not in cost, then gain the same little in each
// pass. HessenAsymmetric stayed at 2e-9 for 17 passes that way.
//
// Several classes. Where one class moves to a segment and another off it, total flows stay: the matrix is singular, the objective is
// linear along such a direction, and sweeps zigzag with tiny steps. A direction of conjugate gradients without curvature
// is therefore followed until the first of its pairs has nothing left to move (Steihaug 1983).
// Without it SiouxFalls with three classes, demand x 3, halted at 4.5e-6.
#include <math.h>
#include <string.h>

#include "traffic/pairs/balance.h"

enum { STEPS = 100, LATER_STEPS = 25, ROUNDS = 8, EXCHANGES = 64 };
enum { SLOW_FACTOR = 4 };  // so many times more steps where passes gain little
static const double MOST_DAMPING = 1e6;  // by the slope
static const double RESIDUAL = 1e-3, ROUGH_RESIDUAL = 0.1;  // by the first residual; the latter between the shares of a warm start
static const double MOST_SHARE = 0.9;  // by what a pair can move
static const double FLAT = 1e-6;  // curvature by that of the diagonal, below which a direction counts as flat

typedef struct pairs_newton {
    int32_t count, room;
    int32_t *pair;        // [count] live pairs
    double *gradient, *direction, *step, *image, *inverse;  // [count] inverse of the diagonal
    double *damping;      // [count] what is added to the diagonal
    double *most;         // [count][2] what the segments can move; of damped systems
    bool is_damped, is_slow;
    int32_t held;         // pairs that move all they can
    int32_t *held_pair;   // [held]
    double *held_step;    // [held]
    double *link_step;    // [links] of the problem; all 0 between products
    int32_t *link;        // [link_count] links of the pairs of this step and of those that are held, each once
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
    mco_free(b->ctx, &n->held_step);
    mco_free(b->ctx, &n->held_pair);
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
        mco_free(b->ctx, &n->held_pair);
        double **arrays[] = {&n->gradient, &n->direction, &n->step, &n->image, &n->inverse, &n->damping, &n->held_step};
        n->room = 0;
        const int64_t room = (int64_t)b->live + b->live / 2;
        MCO_TRY(mco_alloc(b->ctx, &n->pair, room));
        MCO_TRY(mco_alloc(b->ctx, &n->held_pair, room));
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

// ---- Products with the matrix

// Adds the links of a pair to the list, each once.
static void list_links(pairs_newton *n, const pairs_pair *pair)
{
    for (int32_t e = 0; e < pair->count[0] + pair->count[1]; e++) {
        if (n->seen[pair->link[e]] != n->stamp) {
            n->seen[pair->link[e]] = n->stamp;
            n->link[n->link_count++] = pair->link[e];
        }
    }
}

// Adds a pair's amount to the links of its segments.
static inline void spread(pairs_newton *n, const pairs_pair *pair, double amount)
{
    const int32_t *link = pair->link, count0 = pair->count[0], count = count0 + pair->count[1];
    for (int32_t e = 0; e < count0; e++)
        n->link_step[link[e]] += amount;
    for (int32_t e = count0; e < count; e++)
        n->link_step[link[e]] -= amount;
}

// Amounts of links become changes of their costs.
static void weigh(const pairs_balance *b, pairs_newton *n)
{
    for (int32_t k = 0; k < n->link_count; k++)
        n->link_step[n->link[k]] *= b->slope[n->link[k]];
}

// The change of a pair's difference.
static inline double gather(const pairs_newton *n, const pairs_pair *pair)
{
    const int32_t *link = pair->link, count0 = pair->count[0], count = count0 + pair->count[1];
    double image = 0;
    for (int32_t e = 0; e < count0; e++)
        image += n->link_step[link[e]];
    for (int32_t e = count0; e < count; e++)
        image -= n->link_step[link[e]];
    return image;
}

static void clear_links(pairs_newton *n)
{
    for (int32_t k = 0; k < n->link_count; k++)
        n->link_step[n->link[k]] = 0;
}

// image = A' S A direction. Returns direction * image.
static double multiply(const pairs_balance *b, pairs_newton *n)
{
    double sum = 0;
    for (int32_t k = 0; k < n->count; k++)
        spread(n, &b->pair[n->pair[k]], n->direction[k]);
    weigh(b, n);
    for (int32_t k = 0; k < n->count; k++) {
        n->image[k] = gather(n, &b->pair[n->pair[k]]) + n->damping[k] * n->direction[k];
        sum += n->image[k] * n->direction[k];
    }
    clear_links(n);
    return sum;
}

// ---- The system

// The differences that held pairs leave to the others.
static void add_held(const pairs_balance *b, pairs_newton *n)
{
    for (int32_t k = 0; k < n->held; k++) {
        list_links(n, &b->pair[n->held_pair[k]]);
        spread(n, &b->pair[n->held_pair[k]], n->held_step[k]);
    }
    weigh(b, n);
    for (int32_t k = 0; k < n->count; k++)
        n->gradient[k] -= gather(n, &b->pair[n->pair[k]]);
    clear_links(n);
}

// Gradients and the diagonal at present flows and the steps of held pairs. Pairs without slope stay out. Returns the residual in the norm of
// the preconditioner.
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
        if (n->is_damped && most <= 0 && difference != 0)  // at its bound
            continue;
        n->pair[count] = n->pair[k];
        n->most[2 * count] = n->most[2 * k];
        n->most[2 * count + 1] = n->most[2 * k + 1];
        n->gradient[count] = difference;
        n->damping[count] = !n->is_damped || difference == 0 ? 0 : fmin(fabs(difference) / most, slope * MOST_DAMPING);
        n->inverse[count] = 1 / (slope + n->damping[count]);
        n->step[count++] = n->step[k];
        list_links(n, pair);
    }
    n->count = count;
    if (n->held > 0)
        add_held(b, n);
    for (int32_t k = 0; k < count; k++) {
        n->direction[k] = n->gradient[k] * n->inverse[k];
        residual += n->gradient[k] * n->direction[k];
    }
    return residual;
}

// Whether the objective is linear along the direction: classes exchange places.
static bool is_flat(const pairs_balance *b, const pairs_newton *n, double curvature)
{
    double diagonal = 0;
    if (b->problem->extra == NULL)
        return false;
    for (int32_t k = 0; k < n->count; k++)
        diagonal += n->direction[k] * n->direction[k] / n->inverse[k];
    return curvature <= FLAT * diagonal;
}

// Takes the steps of the round before as the first guess. Returns the residual that they leave.
static double go_on(const pairs_balance *b, pairs_newton *n)
{
    double residual = 0;
    memcpy(n->direction, n->step, (size_t)n->count * sizeof *n->step);
    (void)multiply(b, n);
    for (int32_t k = 0; k < n->count; k++) {
        n->gradient[k] -= n->image[k];
        n->direction[k] = n->gradient[k] * n->inverse[k];
        residual += n->gradient[k] * n->direction[k];
    }
    return residual;
}

// Solves for the steps, or finds a flat direction and returns true. A later round has fewer pairs by some, so its steps are near.
static bool solve(pairs_balance *b, pairs_newton *n, bool is_later)
{
    if (!is_later)
        memset(n->step, 0, (size_t)n->count * sizeof *n->step);
    double residual = begin_system(b, n);
    const double share = b->is_sample ? ROUGH_RESIDUAL : RESIDUAL, enough = share * share * residual;
    const int most = (is_later ? LATER_STEPS : STEPS) * (n->is_slow ? SLOW_FACTOR : 1);
    if (is_later)
        residual = go_on(b, n);
    for (int t = 0; t < most && residual > enough && residual > 0; t++) {
        const double curvature = multiply(b, n);
        if (is_flat(b, n, curvature))
            return true;
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
    return false;
}

// Holds pairs whose amounts exceed what they can move. Returns whether there were any.
static bool hold_pairs(pairs_newton *n)
{
    int32_t count = 0;
    for (int32_t k = 0; k < n->count; k++) {
        const double amount = n->step[k], most = n->most[2 * k + (amount < 0)];
        if (fabs(amount) > MOST_SHARE * most) {
            if (most > 0) {
                n->held_pair[n->held] = n->pair[k];
                n->held_step[n->held++] = amount < 0 ? -most : most;
            }
            continue;
        }
        n->pair[count] = n->pair[k];
        n->most[2 * count] = n->most[2 * k];
        n->most[2 * count + 1] = n->most[2 * k + 1];
        n->step[count++] = amount;
    }
    const bool is_fewer = count < n->count;
    n->count = count;
    return is_fewer;
}

static void apply_step(pairs_balance *b, const pairs_pair *pair, double step)
{
    const int side = step < 0;
    int32_t movers;
    const double movable = step == 0 ? 0 : pairs_movable(b, pair, side, &movers);
    if (movable > 0)
        pairs_move(b, pair, side, movers, movable, fmin(fabs(step), movable));
}

static void apply_steps(pairs_balance *b, const pairs_newton *n)
{
    for (int32_t k = 0; k < n->count; k++)
        apply_step(b, &b->pair[n->pair[k]], n->step[k]);
    for (int32_t k = 0; k < n->held; k++)
        apply_step(b, &b->pair[n->held_pair[k]], n->held_step[k]);
}

static void take_live(pairs_balance *b, pairs_newton *n, bool is_damped)
{
    n->count = n->held = 0;
    n->is_damped = is_damped;
    for (int32_t i = 0; i < b->pairs; i++) {
        int32_t movers;
        if (!b->pair[i].is_live)
            continue;
        for (int side = 0; side < 2 && is_damped; side++)
            n->most[2 * n->count + side] = pairs_movable(b, &b->pair[i], side, &movers);
        n->pair[n->count++] = i;
    }
}

// What pair k can move along the direction, by what it is to move.
static double room_along(pairs_balance *b, const pairs_newton *n, int32_t k)
{
    int32_t movers;
    const double d = n->direction[k];
    return d != 0 ? pairs_movable(b, &b->pair[n->pair[k]], d < 0, &movers) / fabs(d) : INFINITY;
}

// Follows the flat direction as far as all pairs can. Those that end it are dropped, so that the next direction goes without them.
static void follow(pairs_balance *b, pairs_newton *n)
{
    const double near = 1 + 1e-9;
    double length = INFINITY;
    int32_t count = 0;
    for (int32_t k = 0; k < n->count; k++) {
        n->step[k] = room_along(b, n, k);
        length = fmin(length, n->step[k]);
    }
    for (int32_t k = 0; k < n->count; k++) {
        const double room = n->step[k];
        n->step[k] = length < INFINITY ? length * n->direction[k] : 0;
        n->gradient[k] = room;
    }
    if (length > 0)
        apply_steps(b, n);
    for (int32_t k = 0; k < n->count; k++)
        if (n->gradient[k] > near * length)
            n->pair[count++] = n->pair[k];
    n->count = count;
}

// Classes exchange places while a direction is flat.
static void exchange_classes(pairs_balance *b, pairs_newton *n)
{
    take_live(b, n, false);  // damping would hide what is flat
    for (int i = 0; i < EXCHANGES && !b->must_stop && solve(b, n, false); i++)
        follow(b, n);
}

mco_status pairs_newton_step(pairs_balance *b, bool is_slow)
{
    const mco_status st = open_newton(b);
    if (st != MCO_OK)
        return st;
    pairs_newton *n = b->newton;
    b->steps = 0;
    n->is_slow = is_slow;
    if (b->problem->extra != NULL)
        exchange_classes(b, n);
    take_live(b, n, true);
    for (int round = 0; round < ROUNDS && !b->must_stop; round++) {
        if (solve(b, n, round > 0))
            n->count = n->held = 0;
        if (round + 1 < ROUNDS && !hold_pairs(n))
            break;
    }
    if (!b->must_stop)
        apply_steps(b, n);
    return MCO_OK;
}
