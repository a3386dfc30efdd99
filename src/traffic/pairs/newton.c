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
    int32_t *link;        // [link_count] links of the pairs of this step and of those that are held, each once, as they came
    int32_t link_count;
    int32_t *place;       // [links] of a link in that list
    int32_t *seen;        // [links] stamp
    int32_t stamp;
    double *link_step, *slope;  // [link_count] amounts that the links get, all 0 between products; slopes
    int64_t *first;       // [2 * count + 1] segment s of pair k has places item[first[2k + s]] .. item[first[2k + s + 1] - 1]
    int32_t *item;        // [item_room]
    int64_t item_room;
} pairs_newton;

void pairs_newton_close(pairs_balance *b)
{
    pairs_newton *n = b->newton;
    if (n == NULL)
        return;
    mco_free(b->ctx, &n->item);
    mco_free(b->ctx, &n->first);
    mco_free(b->ctx, &n->slope);
    mco_free(b->ctx, &n->link_step);
    mco_free(b->ctx, &n->seen);
    mco_free(b->ctx, &n->place);
    mco_free(b->ctx, &n->link);
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

// Room for the links of all live pairs.
static mco_status fit_items(pairs_balance *b, pairs_newton *n)
{
    int64_t items = 0;
    for (int32_t i = 0; i < b->pairs; i++)
        items += b->pair[i].is_live ? b->pair[i].count[0] + b->pair[i].count[1] : 0;
    if (items <= n->item_room)
        return MCO_OK;
    mco_free(b->ctx, &n->item);
    n->item_room = 0;
    const int64_t room = items + items / 2;
    const mco_status st = mco_alloc_unset(b->ctx, &n->item, room);
    n->item_room = st == MCO_OK ? room : 0;
    return st;
}

static mco_status open_newton(pairs_balance *b)
{
    mco_status st = MCO_OK;
    if (b->newton == NULL) {
        MCO_TRY(mco_alloc(b->ctx, &b->newton, 1));
        MCO_TRY(mco_alloc(b->ctx, &b->newton->link_step, b->problem->links));
        MCO_TRY(mco_alloc(b->ctx, &b->newton->slope, b->problem->links));
        MCO_TRY(mco_alloc(b->ctx, &b->newton->link, b->problem->links));
        MCO_TRY(mco_alloc(b->ctx, &b->newton->place, b->problem->links));
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
        mco_free(b->ctx, &n->first);
        MCO_TRY(mco_alloc(b->ctx, &n->most, 2 * room));
        MCO_TRY(mco_alloc(b->ctx, &n->first, 2 * room + 1));
        n->room = (int32_t)(room < INT32_MAX ? room : INT32_MAX);
    }
    MCO_TRY(fit_items(b, n));
done:
    if (st != MCO_OK)
        pairs_newton_close(b);
    return st;
}

// ---- Products with the matrix

// The links of the pairs stand in one list as they come, so that those of a segment are neighbours, and products read one array from begin to end.
// 98,210 streets, 15,000 pairs: products took half of a solve with links by their own numbers, in a block for each pair.

static inline int32_t place_of(pairs_newton *n, const double *slope, int32_t link)
{
    if (n->seen[link] != n->stamp) {
        n->seen[link] = n->stamp;
        n->place[link] = n->link_count;
        n->slope[n->link_count] = slope[link];
        n->link[n->link_count++] = link;
    }
    return n->place[link];
}

// Writes the places of the links of a pair to `item`. Returns the end.
static int32_t *list_links(const pairs_balance *b, pairs_newton *n, const pairs_pair *pair, int32_t *item)
{
    for (int32_t e = 0; e < pair->count[0] + pair->count[1]; e++)
        *item++ = place_of(n, b->slope, pair->link[e]);
    return item;
}

// Adds an amount to the links of the first segment and takes it from those of the second: items first[0] .. first[1] .. first[2].
static inline void spread(pairs_newton *n, const int64_t first[3], double amount)
{
    for (int64_t e = first[0]; e < first[1]; e++)
        n->link_step[n->item[e]] += amount;
    for (int64_t e = first[1]; e < first[2]; e++)
        n->link_step[n->item[e]] -= amount;
}

// Amounts of links become changes of their costs.
static void weigh(pairs_newton *n)
{
    for (int32_t k = 0; k < n->link_count; k++)
        n->link_step[k] *= n->slope[k];
}

// The sum over the links of a segment. Four sums side by side: none waits for another.
static inline double sum_of(const double *step, const int32_t *item, int64_t count)
{
    double sum[4] = {0};
    int64_t e = 0;
    for (; e + 4 <= count; e += 4)
        for (int k = 0; k < 4; k++)
            sum[k] += step[item[e + k]];
    for (; e < count; e++)
        sum[0] += step[item[e]];
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// The change of a pair's difference.
static inline double gather(const pairs_newton *n, const int64_t first[3])
{
    return sum_of(n->link_step, n->item + first[0], first[1] - first[0]) - sum_of(n->link_step, n->item + first[1], first[2] - first[1]);
}

static void clear_links(pairs_newton *n)
{
    memset(n->link_step, 0, (size_t)n->link_count * sizeof *n->link_step);
}

// image = A' S A direction. Returns direction * image.
static double multiply(pairs_newton *n)
{
    double sum = 0;
    for (int32_t k = 0; k < n->count; k++)
        spread(n, n->first + 2 * (int64_t)k, n->direction[k]);
    weigh(n);
    for (int32_t k = 0; k < n->count; k++) {
        n->image[k] = gather(n, n->first + 2 * (int64_t)k) + n->damping[k] * n->direction[k];
        sum += n->image[k] * n->direction[k];
    }
    clear_links(n);
    return sum;
}

// ---- The system

// The differences that held pairs leave to the others. Their items stand behind those of the others while they are needed.
static void add_held(const pairs_balance *b, pairs_newton *n)
{
    const int64_t end = n->first[2 * (int64_t)n->count];
    for (int32_t k = 0; k < n->held; k++) {
        const pairs_pair *pair = &b->pair[n->held_pair[k]];
        const int64_t first[3] = {end, end + pair->count[0], end + pair->count[0] + pair->count[1]};
        list_links(b, n, pair, n->item + end);
        spread(n, first, n->held_step[k]);
    }
    weigh(n);
    for (int32_t k = 0; k < n->count; k++)
        n->gradient[k] -= gather(n, n->first + 2 * (int64_t)k);
    clear_links(n);
}

// Gradients and the diagonal at present flows and the steps of held pairs. Pairs without slope stay out. Returns the residual in the norm of
// the preconditioner.
static double begin_system(pairs_balance *b, pairs_newton *n)
{
    double residual = 0;
    int32_t count = 0;
    int32_t *item = n->item;
    n->link_count = 0;
    n->stamp++;
    n->first[0] = 0;
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
        n->first[2 * (int64_t)count - 1] = item - n->item + pair->count[0];
        item = list_links(b, n, pair, item);
        n->first[2 * (int64_t)count] = item - n->item;
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
static double go_on(pairs_newton *n)
{
    double residual = 0;
    memcpy(n->direction, n->step, (size_t)n->count * sizeof *n->step);
    (void)multiply(n);
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
        residual = go_on(n);
    for (int t = 0; t < most && residual > enough && residual > 0; t++) {
        const double curvature = multiply(n);
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
