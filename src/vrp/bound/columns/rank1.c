// SPDX-License-Identifier: MIT
// Rank-1 cuts with limited node memory (Jepsen, Petersen, Spoorendonk, Pisinger 2008; Pecin, Pessoa, Poggi, Uchoa 2017).
//
// The rows of a few customers, each times a multiplier, are added and rounded down. Three customers with 1/2 are found by enumeration over
// pairs that share routes, four and five grow from triples. The multipliers are those of Pecin et al. (2017), which dominate all others
// of up to five customers. Four times 2/3 and five times 3/4 are dominated, and one such row does the work of several. A row remembers
// only what the routes at hand need, since labels pay for what rows remember.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "vrp/bound/columns/separate.h"

enum {
    LEAST_MEMBERS = 3,
    MOST_SEEDS = 4000,       // triples that grow
    MOST_FOURS = 1000,       // sets of four that grow
    MOST_USES = 6,           // of a customer in the new rows of a round
    MOST_GAPS = 10,          // between members of one route for which every choice of memory is tried
    SETS_A_LOOK = 256        // sets evaluated between looks at the clock
};
static const double LEAST_VALUE = 1e-6;  // of a route that counts
static const double LEAST_PAIR = 0.05;   // pairs of less weight join no seed

enum { MOST_MEMBERS = VRP_RANK1_MOST_MEMBERS, PATTERNS = 1 << MOST_MEMBERS, ORDERS = 94 };

// Numerators in ascending order; any order of them is tried, ORDERS in all. By size.
typedef struct multipliers {
    int32_t size, denominator, numerator[MOST_MEMBERS];
} multipliers;

static const multipliers families[] = {
    {3, 2, {1, 1, 1}},
    {4, 3, {2, 2, 2, 2}},    {4, 3, {1, 1, 1, 2}},
    {5, 2, {1, 1, 1, 1, 1}}, {5, 3, {1, 1, 1, 1, 1}}, {5, 4, {3, 3, 3, 3, 3}}, {5, 4, {1, 1, 1, 2, 2}},
    {5, 4, {1, 1, 1, 1, 3}}, {5, 5, {1, 1, 2, 2, 3}}, {5, 3, {1, 1, 1, 2, 2}}, {5, 4, {1, 2, 2, 3, 3}},
};

// A family in one order.
typedef struct order {
    int32_t family, numerator[MOST_MEMBERS];
    int32_t rhs;
    uint8_t times[PATTERNS];  // the coefficient of a route that visits the members of these bits once each
} order;

// Of the violation of a row of 3, 4 and 5 members. Small rows cost fewer labels for what they raise: with equal worths E-n76-k7 took twice
// the labels to the same value of the program.
static const double worth[] = {1, 0.7, 0.5};

typedef struct candidate {
    double violation;
    int32_t node[MOST_MEMBERS], size;  // ascending
    int32_t numerator[MOST_MEMBERS], denominator;
} candidate;

typedef struct visit {
    int32_t route, times;  // index among the routes of positive value
} visit;

// A route's visits of a set.
typedef struct visits {
    uint32_t pattern;      // bits of the members that it visits
    int32_t times[MOST_MEMBERS];
    bool is_repeated;      // of some member
} visits;

typedef struct separation {
    mco_context *ctx;
    const vrp_bound_problem *problem;
    const vrp_routes *routes;
    double least_violation, stop_s;
    bool is_over;
    int64_t evaluated;
    int32_t count;           // routes of positive value
    int64_t *route;          // [count] their indices
    double *value;           // [count]
    int64_t *first;          // [nodes + 1] into `visit`
    visit *visit;            // routes of each node
    double *pair;            // [nodes * nodes] the value of the routes that visit both
    order order[ORDERS];
    int32_t first_order[MOST_MEMBERS + 2];  // of those of each size
    visits *visits;          // [count] of a set
    int32_t *touched;        // [count] the routes that have some
    candidate *candidate;    // [candidates]
    int64_t candidates, room;
    candidate *seed;         // [seeds] triples; their violation is the value of their pairs
    int64_t seeds, seed_room;
} separation;

// ---- Routes

static mco_status list_routes(separation *s, const double *x)
{
    mco_status st = MCO_OK;
    for (int64_t k = 0; k < s->routes->count; k++)
        s->count += x[k] > LEAST_VALUE;
    MCO_TRY(mco_alloc(s->ctx, &s->route, s->count));
    MCO_TRY(mco_alloc(s->ctx, &s->value, s->count));
    MCO_TRY(mco_alloc(s->ctx, &s->visits, s->count));
    MCO_TRY(mco_alloc(s->ctx, &s->touched, s->count));
    s->count = 0;
    for (int64_t k = 0; k < s->routes->count; k++)
        if (x[k] > LEAST_VALUE) {
            s->route[s->count] = k;
            s->value[s->count++] = x[k];
        }
done:
    return st;
}

// The visits of each node, by route.
static mco_status list_visits(separation *s)
{
    mco_status st = MCO_OK;
    const int32_t nodes = s->problem->nodes;
    int64_t *end = NULL;
    MCO_TRY(mco_alloc(s->ctx, &s->first, nodes + 1));
    MCO_TRY(mco_alloc(s->ctx, &end, nodes));
    for (int32_t r = 0; r < s->count; r++)
        for (int64_t k = s->routes->first[s->route[r]]; k < s->routes->first[s->route[r] + 1]; k++)
            s->first[s->routes->node[k] + 1]++;
    for (int32_t i = 0; i < nodes; i++) {
        s->first[i + 1] += s->first[i];
        end[i] = s->first[i];
    }
    MCO_TRY(mco_alloc(s->ctx, &s->visit, s->first[nodes]));
    for (int32_t r = 0; r < s->count; r++)
        for (int64_t k = s->routes->first[s->route[r]]; k < s->routes->first[s->route[r] + 1]; k++) {
            const int32_t i = s->routes->node[k];
            if (end[i] > s->first[i] && s->visit[end[i] - 1].route == r)
                s->visit[end[i] - 1].times++;
            else
                s->visit[end[i]++] = (visit){r, 1};
        }
    for (int32_t i = 0; i < nodes; i++)
        for (int64_t k = end[i]; k < s->first[i + 1]; k++)
            s->visit[k] = (visit){0, 0};  // room of repeated visits
done:
    mco_free(s->ctx, &end);
    return st;
}

// A route that visits i twice counts once for each pair of visits, as it does for the row.
static mco_status weigh_pairs(separation *s)
{
    const int32_t nodes = s->problem->nodes;
    const mco_status st = mco_alloc(s->ctx, &s->pair, (int64_t)nodes * nodes);
    for (int32_t r = 0; st == MCO_OK && r < s->count; r++) {
        const int64_t first = s->routes->first[s->route[r]], end = s->routes->first[s->route[r] + 1];
        for (int64_t a = first; a < end; a++)
            for (int64_t b = a + 1; b < end; b++) {
                const int64_t i = s->routes->node[a], j = s->routes->node[b];
                s->pair[i * nodes + j] += s->value[r];
                if (i != j)
                    s->pair[j * nodes + i] += s->value[r];
            }
    }
    return st;
}

static double pair_of(const separation *s, int32_t i, int32_t j)
{
    return s->pair[(int64_t)i * s->problem->nodes + j];
}

// ---- Multipliers

static void swap(int32_t *a, int32_t *b)
{
    const int32_t other = *a;
    *a = *b;
    *b = other;
}

// The next one of all orders, which begin with the ascending one; false: that was the last.
static bool permute(int32_t *numerator, int32_t size)
{
    int32_t at = size - 2, with = size - 1;
    while (at >= 0 && numerator[at] >= numerator[at + 1])
        at--;
    if (at < 0)
        return false;
    while (numerator[with] <= numerator[at])
        with--;
    swap(&numerator[at], &numerator[with]);
    for (int32_t low = at + 1, high = size - 1; low < high; low++, high--)
        swap(&numerator[low], &numerator[high]);
    return true;
}

static void list_orders(separation *s)
{
    int32_t count = 0;
    for (int32_t f = 0; f < (int32_t)(sizeof families / sizeof *families); f++) {
        const multipliers *by = &families[f];
        order o = {.family = f};
        memcpy(o.numerator, by->numerator, sizeof o.numerator);
        do {
            for (uint32_t pattern = 0; pattern < PATTERNS; pattern++) {
                int32_t sum = 0;
                for (int32_t m = 0; m < MOST_MEMBERS; m++)
                    sum += pattern >> m & 1 ? o.numerator[m] : 0;
                o.times[pattern] = (uint8_t)(sum / by->denominator);
            }
            o.rhs = o.times[PATTERNS - 1];
            s->order[count++] = o;
        } while (permute(o.numerator, by->size));
        s->first_order[by->size + 1] = count;
    }
}

// ---- Candidates

static bool goes_on(separation *s)
{
    if (++s->evaluated % SETS_A_LOOK == 0 && (mco_is_cancelled(s->ctx) || mco_clock_s() >= s->stop_s))
        s->is_over = true;
    return !s->is_over;
}

// Counts the visits of the set by route; returns how many routes are in s->touched.
static int32_t touch(separation *s, const int32_t *node, int32_t size)
{
    int32_t count = 0;
    for (int32_t m = 0; m < size; m++)
        for (int64_t k = s->first[node[m]]; k < s->first[node[m] + 1] && s->visit[k].times > 0; k++) {
            const visit v = s->visit[k];
            visits *of = &s->visits[v.route];
            if (of->pattern == 0)
                s->touched[count++] = v.route;
            of->pattern |= (uint32_t)1 << m;
            of->times[m] = v.times;
            of->is_repeated |= v.times > 1;
        }
    return count;
}

// What the numerators of all visits of a route add up to.
static int32_t sum_of(const visits *of, const int32_t *numerator, int32_t size)
{
    int32_t sum = 0;
    for (int32_t m = 0; m < size; m++)
        sum += of->times[m] * numerator[m];
    return sum;
}

// `weight` [PATTERNS]: the value of the routes that visit no member twice, by pattern. The others come one by one.
static double violation_of(const separation *s, const order *o, int32_t size, const double *weight, const int32_t *repeated, int32_t repeats)
{
    double sum = -o->rhs;
    for (uint32_t pattern = 1; pattern < (uint32_t)1 << size; pattern++)
        sum += weight[pattern] * o->times[pattern];
    for (int32_t k = 0; k < repeats; k++)
        sum += s->value[repeated[k]] * (sum_of(&s->visits[repeated[k]], o->numerator, size) / families[o->family].denominator);
    return sum;
}

static mco_status add_candidate(separation *s, const int32_t *node, int32_t size, const order *o, double violation)
{
    const mco_status st = mco_grow(s->ctx, &s->candidate, &s->room, s->candidates + 1);
    if (st != MCO_OK)
        return st;
    candidate c = {.violation = violation, .size = size, .denominator = families[o->family].denominator};
    memcpy(c.node, node, (size_t)size * sizeof *node);
    memcpy(c.numerator, o->numerator, sizeof c.numerator);
    s->candidate[s->candidates++] = c;
    return MCO_OK;
}

// Adds the set with the best order of each family that is violated; *greatest: the greatest violation.
static mco_status try_set(separation *s, const int32_t *node, int32_t size, double *greatest)
{
    mco_status st = MCO_OK;
    double weight[PATTERNS] = {0};
    const int32_t count = touch(s, node, size), end = s->first_order[size + 1];
    int32_t repeats = 0;
    for (int32_t k = 0; k < count; k++) {
        const int32_t r = s->touched[k];
        if (s->visits[r].is_repeated) {
            s->touched[repeats++] = r;
            continue;
        }
        weight[s->visits[r].pattern] += s->value[r];
        s->visits[r] = (visits){0};
    }
    *greatest = -HUGE_VAL;
    for (int32_t o = s->first_order[size]; o < end;) {
        const order *best = NULL;
        double most = s->least_violation;
        for (const int32_t family = s->order[o].family; o < end && s->order[o].family == family; o++) {
            const double violation = violation_of(s, &s->order[o], size, weight, s->touched, repeats);
            *greatest = violation > *greatest ? violation : *greatest;
            if (violation > most) {
                most = violation;
                best = &s->order[o];
            }
        }
        if (best != NULL)
            MCO_TRY(add_candidate(s, node, size, best, most));
    }
done:
    for (int32_t k = 0; k < repeats; k++)
        s->visits[s->touched[k]] = (visits){0};
    return st;
}

// Most violated first, as rows count by size; equal sets side by side.
static int by_violation(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    const double more = x->violation * worth[x->size - LEAST_MEMBERS] - y->violation * worth[y->size - LEAST_MEMBERS];
    if (more > 0 || more < 0)
        return more > 0 ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    for (int32_t k = 0; k < x->size; k++)
        if (x->node[k] != y->node[k])
            return x->node[k] < y->node[k] ? -1 : 1;
    if (x->denominator != y->denominator)
        return x->denominator < y->denominator ? -1 : 1;
    return memcmp(x->numerator, y->numerator, sizeof x->numerator);
}

static bool is_same(const candidate *a, const candidate *b)
{
    return a->size == b->size && a->denominator == b->denominator && memcmp(a->numerator, b->numerator, sizeof a->numerator) == 0 &&
           memcmp(a->node, b->node, (size_t)a->size * sizeof *a->node) == 0;
}

static void sort_triple(int32_t *node)
{
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2 - x; y++)
            if (node[y] > node[y + 1])
                swap(&node[y], &node[y + 1]);
}

// A violated triple has two pairs of some weight: they meet in `middle`.
static mco_status try_triple(separation *s, int32_t middle, int32_t a, int32_t b)
{
    mco_status st = MCO_OK;
    candidate c = {.node = {middle, a, b}, .size = 3};
    const double least = 1 + s->least_violation, other = pair_of(s, a, b);
    double unused;
    // Each triple once: with three pairs of weight its middle is the least customer.
    if (other > LEAST_PAIR && (a < middle || b < middle))
        return MCO_OK;
    c.violation = pair_of(s, middle, a) + pair_of(s, middle, b) + other;
    sort_triple(c.node);
    MCO_TRY(mco_grow(s->ctx, &s->seed, &s->seed_room, s->seeds + 1));
    s->seed[s->seeds++] = c;
    if (c.violation + pair_of(s, a, a) + pair_of(s, b, b) + pair_of(s, middle, middle) > least)
        MCO_TRY(try_set(s, c.node, 3, &unused));
done:
    return st;
}

static mco_status try_triples(separation *s)
{
    mco_status st = MCO_OK;
    const int32_t nodes = s->problem->nodes;
    int32_t *near = NULL;
    MCO_TRY(mco_alloc(s->ctx, &near, nodes));
    for (int32_t i = 1; i < nodes && !s->is_over; i++) {
        int32_t count = 0;
        for (int32_t j = 1; j < nodes; j++)
            if (j != i && pair_of(s, i, j) > LEAST_PAIR)
                near[count++] = j;
        for (int32_t a = 0; a < count && !s->is_over; a++)
            for (int32_t b = a + 1; b < count && goes_on(s); b++)
                MCO_TRY(try_triple(s, i, near[a], near[b]));
    }
    if (s->seeds > 0)
        qsort(s->seed, (size_t)s->seeds, sizeof *s->seed, by_violation);
done:
    mco_free(s->ctx, &near);
    return st;
}

// `from` with one more node, ascending.
static candidate with_node(const candidate *from, int32_t node)
{
    candidate c = *from;
    int32_t at = c.size++;
    for (; at > 0 && c.node[at - 1] > node; at--)
        c.node[at] = c.node[at - 1];
    c.node[at] = node;
    return c;
}

static bool is_member(const candidate *c, int32_t node)
{
    for (int32_t k = 0; k < c->size; k++)
        if (c->node[k] == node)
            return true;
    return false;
}

// Tries each set of `from` with one more customer; *best: the one of the greatest violation.
static mco_status grow_set(separation *s, const candidate *from, candidate *best)
{
    mco_status st = MCO_OK;
    best->violation = -HUGE_VAL;
    for (int32_t i = 1; i < s->problem->nodes; i++) {
        double weight = 0, violation;
        for (int32_t k = 0; k < from->size; k++)
            weight += pair_of(s, from->node[k], i);
        if (weight <= 2 * LEAST_PAIR || is_member(from, i))
            continue;
        if (!goes_on(s))
            break;
        candidate c = with_node(from, i);
        MCO_TRY(try_set(s, c.node, c.size, &violation));
        c.violation = violation;
        if (violation > best->violation)
            *best = c;
    }
done:
    return st;
}

// Four members from the best triples, five from the best fours.
static mco_status try_larger(separation *s)
{
    mco_status st = MCO_OK;
    candidate *four = NULL, five;
    int64_t fours = 0;
    MCO_TRY(mco_alloc(s->ctx, &four, MOST_SEEDS));
    for (int64_t k = 0; k < s->seeds && k < MOST_SEEDS && !s->is_over; k++) {
        MCO_TRY(grow_set(s, &s->seed[k], &four[fours]));
        fours += four[fours].violation > -1;
    }
    qsort(four, (size_t)fours, sizeof *four, by_violation);
    for (int64_t k = 0, tried = 0; k < fours && tried < MOST_FOURS && !s->is_over; k++)
        if (k == 0 || !is_same(&four[k], &four[k - 1])) {
            MCO_TRY(grow_set(s, &four[k], &five));
            tried++;
        }
done:
    mco_free(s->ctx, &four);
    return st;
}

// ---- Memories

// Positions and numerators of the members in a route, and what lies between them.
typedef struct way {
    const int32_t *node;     // of the route
    int32_t denominator;
    int32_t at[MOST_GAPS + 1], numerator[MOST_GAPS + 1], hits;
} way;

// The coefficient if only the gaps in `kept` (bit k: between members k and k + 1) are remembered.
static int32_t times_with(const way *w, uint32_t kept)
{
    int32_t state = 0, times = 0;
    for (int32_t k = 0; k < w->hits; k++) {
        if (k > 0 && (kept >> (k - 1) & 1) == 0)
            state = 0;
        state += w->numerator[k];
        if (state >= w->denominator) {
            state -= w->denominator;
            times++;
        }
    }
    return times;
}

// How many nodes the gap after member k adds to the memory. add: it adds them.
static int32_t gap_cost(const way *w, int32_t k, uint64_t *memory, bool add)
{
    int32_t cost = 0;
    for (int32_t x = w->at[k] + 1; x < w->at[k + 1]; x++) {
        const int32_t node = w->node[x];
        cost += !vrp_set_has(memory, node);
        if (add)
            memory[node >> 6] |= (uint64_t)1 << (node & 63);
    }
    return cost;
}

// Enlarges `memory`, which has all members, by the fewest nodes that give this route its whole coefficient.
static void remember_route(const way *w, uint64_t *memory)
{
    const int32_t whole = times_with(w, UINT32_MAX);
    int32_t cost[MOST_GAPS], least = INT32_MAX;
    uint32_t best = 0;
    for (int32_t k = 0; k < w->hits - 1; k++)
        cost[k] = gap_cost(w, k, memory, false);
    for (uint32_t kept = 0; kept < (uint32_t)1 << (w->hits - 1); kept++) {
        int32_t sum = 0;
        for (int32_t k = 0; k < w->hits - 1; k++)
            sum += kept >> k & 1 ? cost[k] : 0;
        if (sum < least && times_with(w, kept) == whole) {
            least = sum;
            best = kept;
        }
    }
    for (int32_t k = 0; k < w->hits - 1; k++)
        if (best >> k & 1)
            gap_cost(w, k, memory, true);
}

// Enlarges the memory for all routes of positive value.
static void remember(separation *s, const candidate *c, uint64_t *memory)
{
    const int32_t count = touch(s, c->node, c->size);
    for (int32_t k = 0; k < count; k++) {
        const int32_t r = s->touched[k];
        const bool counts = sum_of(&s->visits[r], c->numerator, c->size) >= c->denominator;
        s->visits[r] = (visits){0};
        if (!counts)
            continue;
        way w = {.node = s->routes->node + s->routes->first[s->route[r]], .denominator = c->denominator};
        const int32_t length = vrp_routes_length(s->routes, s->route[r]);
        for (int32_t x = 0; x < length && w.hits <= MOST_GAPS; x++)
            for (int32_t m = 0; m < c->size; m++)
                if (c->node[m] == w.node[x]) {
                    w.numerator[w.hits] = c->numerator[m];
                    w.at[w.hits++] = x;
                }
        remember_route(&w, memory);
    }
}

// ---- Rows that are there

static candidate as_candidate(const vrp_cut *cut)
{
    candidate c = {.size = cut->size, .denominator = cut->denominator};
    memcpy(c.numerator, cut->numerator, sizeof c.numerator);
    memcpy(c.node, cut->node, (size_t)cut->size * sizeof *cut->node);
    return c;
}

static double whole_violation(separation *s, const vrp_cut *cut)
{
    const int32_t count = touch(s, cut->node, cut->size);
    double sum = -(double)cut->rhs;
    for (int32_t k = 0; k < count; k++) {
        const int32_t r = s->touched[k];
        sum += s->value[r] * (sum_of(&s->visits[r], cut->numerator, cut->size) / cut->denominator);
        s->visits[r] = (visits){0};
    }
    return sum;
}

// Enlarges the memories of rows that would be violated if they remembered all.
static void grow_memories(separation *s, vrp_cuts *cuts, int32_t *grown)
{
    for (int64_t k = 0; k < cuts->count && goes_on(s); k++) {
        vrp_cut *cut = &cuts->cut[k];
        if (cut->kind != VRP_CUT_RANK1 || cut->memory == NULL ||
            whole_violation(s, cut) <= s->least_violation)
            continue;
        const candidate c = as_candidate(cut);
        int32_t before = 0, after = 0;
        for (int32_t w = 0; w < cuts->words; w++)
            before += __builtin_popcountll(cut->memory[w]);
        remember(s, &c, cut->memory);
        for (int32_t w = 0; w < cuts->words; w++)
            after += __builtin_popcountll(cut->memory[w]);
        *grown += after > before;
    }
}

static bool is_there(const vrp_cuts *cuts, const candidate *c)
{
    for (int64_t k = 0; k < cuts->count; k++) {
        if (cuts->cut[k].kind != VRP_CUT_RANK1 || cuts->cut[k].size != c->size)
            continue;
        const candidate old = as_candidate(&cuts->cut[k]);
        if (is_same(&old, c))
            return true;
    }
    return false;
}

// ---- New rows

static bool is_used_up(const int32_t *uses, const candidate *c)
{
    for (int32_t k = 0; k < c->size; k++)
        if (uses[c->node[k]] >= MOST_USES)
            return true;
    return false;
}

static int64_t right_side(const candidate *c)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < c->size; k++)
        sum += c->numerator[k];
    return sum / c->denominator;
}

static mco_status add_rows(separation *s, int32_t most, vrp_cuts *cuts, int32_t *found)
{
    mco_status st = MCO_OK;
    uint64_t *memory = NULL;
    int32_t *uses = NULL;
    MCO_TRY(mco_alloc(s->ctx, &memory, cuts->words));
    MCO_TRY(mco_alloc(s->ctx, &uses, s->problem->nodes));
    if (s->candidates > 0)
        qsort(s->candidate, (size_t)s->candidates, sizeof *s->candidate, by_violation);
    for (int64_t k = 0; k < s->candidates && *found < most; k++) {
        const candidate *c = &s->candidate[k];
        if (is_used_up(uses, c) || is_there(cuts, c))
            continue;
        memset(memory, 0, (size_t)cuts->words * sizeof *memory);
        for (int32_t m = 0; m < c->size; m++) {
            memory[c->node[m] >> 6] |= (uint64_t)1 << (c->node[m] & 63);
            uses[c->node[m]]++;
        }
        remember(s, c, memory);
        MCO_TRY(vrp_cuts_add_rank1(s->ctx, cuts, c->node, c->size, c->numerator, c->denominator, right_side(c), memory));
        (*found)++;
    }
done:
    mco_free(s->ctx, &uses);
    mco_free(s->ctx, &memory);
    return st;
}

static void clear(separation *s)
{
    mco_free(s->ctx, &s->route);
    mco_free(s->ctx, &s->value);
    mco_free(s->ctx, &s->first);
    mco_free(s->ctx, &s->visit);
    mco_free(s->ctx, &s->pair);
    mco_free(s->ctx, &s->visits);
    mco_free(s->ctx, &s->touched);
    mco_free(s->ctx, &s->candidate);
    mco_free(s->ctx, &s->seed);
}

mco_status vrp_separate_rank1(mco_context *ctx, const vrp_bound_problem *problem, const vrp_routes *routes, const double *x, int32_t most,
                              double least_violation, double stop_s, vrp_cuts *cuts, int32_t *found, int32_t *grown)
{
    mco_status st = MCO_OK;
    separation s = {.ctx = ctx, .problem = problem, .routes = routes, .least_violation = least_violation, .stop_s = stop_s};
    *found = *grown = 0;
    list_orders(&s);
    MCO_TRY(list_routes(&s, x));
    MCO_TRY(list_visits(&s));
    MCO_TRY(weigh_pairs(&s));
    grow_memories(&s, cuts, grown);
    MCO_TRY(try_triples(&s));
    MCO_TRY(try_larger(&s));
    MCO_TRY(add_rows(&s, most, cuts, found));
done:
    clear(&s);
    return st;
}
