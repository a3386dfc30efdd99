// SPDX-License-Identifier: MIT
// Rank-1 cuts with limited node memory (Jepsen, Petersen, Spoorendonk, Pisinger 2008; Pecin, Pessoa, Poggi, Uchoa 2017).
//
// The rows of a few customers, each times the same multiplier, are added and rounded down. Three customers with 1/2 are found by
// enumeration over pairs that share routes. Four with 2/3 and five with 1/2, 1/3 or 3/4 grow from triples. Other multipliers of up to
// five equal ones are dominated by these. A row remembers only what the routes at hand need, since labels pay for what rows remember.
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

typedef struct multiplier {
    int32_t numerator, denominator;
} multiplier;

// Of 3, 4 and 5 members; {0, 0} ends a list.
static const multiplier multipliers[][4] = {{{1, 2}, {0, 0}}, {{2, 3}, {0, 0}}, {{1, 2}, {1, 3}, {3, 4}, {0, 0}}};

// Of the violation of a row of 3, 4 and 5 members. Small rows cost fewer labels for what they raise: with equal worths E-n76-k7 took twice
// the labels to the same value of the program.
static const double worth[] = {1, 0.7, 0.5};

typedef struct candidate {
    double violation;
    int32_t node[VRP_RANK1_MOST_MEMBERS], size;  // ascending
    multiplier by;
} candidate;

typedef struct visit {
    int32_t route, times;  // index among the routes of positive value
} visit;

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
    int32_t *hits, *touched; // [count] visits of a set; the routes that have some
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
    MCO_TRY(mco_alloc(s->ctx, &s->hits, s->count));
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

// ---- Candidates

static bool goes_on(separation *s)
{
    if (++s->evaluated % SETS_A_LOOK == 0 && (mco_is_cancelled(s->ctx) || mco_clock_s() >= s->stop_s))
        s->is_over = true;
    return !s->is_over;
}

// A row of this set is floor(size * multiplier).
static int64_t right_side(int32_t size, multiplier by)
{
    return (int64_t)size * by.numerator / by.denominator;
}

// Counts the visits of the set by route; returns how many routes are in s->touched.
static int32_t touch(separation *s, const int32_t *node, int32_t size)
{
    int32_t count = 0;
    for (int32_t m = 0; m < size; m++)
        for (int64_t k = s->first[node[m]]; k < s->first[node[m] + 1] && s->visit[k].times > 0; k++) {
            const visit v = s->visit[k];
            if (s->hits[v.route] == 0)
                s->touched[count++] = v.route;
            s->hits[v.route] += v.times;
        }
    return count;
}

// Adds the set with each of its multipliers that is violated; returns the greatest violation, -HUGE_VAL where there is none at all.
static mco_status try_set(separation *s, const int32_t *node, int32_t size, double *greatest)
{
    mco_status st = MCO_OK;
    const multiplier *by = multipliers[size - LEAST_MEMBERS];
    const int32_t count = touch(s, node, size);
    *greatest = -HUGE_VAL;
    for (; by->denominator > 0; by++) {
        candidate c = {.violation = -(double)right_side(size, *by), .size = size, .by = *by};
        for (int32_t k = 0; k < count; k++)
            c.violation += s->value[s->touched[k]] * (s->hits[s->touched[k]] * by->numerator / by->denominator);
        *greatest = c.violation > *greatest ? c.violation : *greatest;
        if (c.violation <= s->least_violation)
            continue;
        memcpy(c.node, node, (size_t)size * sizeof *node);
        MCO_TRY(mco_grow(s->ctx, &s->candidate, &s->room, s->candidates + 1));
        s->candidate[s->candidates++] = c;
    }
done:
    for (int32_t k = 0; k < count; k++)
        s->hits[s->touched[k]] = 0;
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
    return (x->by.denominator > y->by.denominator) - (x->by.denominator < y->by.denominator);
}

static bool is_same(const candidate *a, const candidate *b)
{
    return a->size == b->size && a->by.numerator == b->by.numerator && a->by.denominator == b->by.denominator &&
           memcmp(a->node, b->node, (size_t)a->size * sizeof *a->node) == 0;
}

static void sort_triple(int32_t *node)
{
    for (int x = 0; x < 2; x++)
        for (int y = 0; y < 2 - x; y++)
            if (node[y] > node[y + 1]) {
                const int32_t more = node[y];
                node[y] = node[y + 1];
                node[y + 1] = more;
            }
}

// A violated triple has two pairs of some weight: they meet in `middle`.
static mco_status try_triple(separation *s, int32_t middle, int32_t a, int32_t b)
{
    mco_status st = MCO_OK;
    candidate c = {.node = {middle, a, b}, .size = 3, .by = {1, 2}};
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

// Positions of the members in a route, and what lies between them.
typedef struct way {
    const int32_t *node;     // of the route
    int32_t at[MOST_GAPS + 1], hits;
} way;

// The coefficient if only the gaps in `kept` (bit k: between members k and k + 1) are remembered.
static int32_t times_with(const way *w, multiplier by, uint32_t kept)
{
    int32_t state = 0, times = 0;
    for (int32_t k = 0; k < w->hits; k++) {
        if (k > 0 && (kept >> (k - 1) & 1) == 0)
            state = 0;
        state += by.numerator;
        if (state >= by.denominator) {
            state -= by.denominator;
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
static void remember_route(const way *w, multiplier by, uint64_t *memory)
{
    const int32_t whole = w->hits * by.numerator / by.denominator;
    int32_t cost[MOST_GAPS], least = INT32_MAX;
    uint32_t best = 0;
    for (int32_t k = 0; k < w->hits - 1; k++)
        cost[k] = gap_cost(w, k, memory, false);
    for (uint32_t kept = 0; kept < (uint32_t)1 << (w->hits - 1); kept++) {
        int32_t sum = 0;
        for (int32_t k = 0; k < w->hits - 1; k++)
            sum += kept >> k & 1 ? cost[k] : 0;
        if (sum < least && times_with(w, by, kept) == whole) {
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
        const bool counts = s->hits[r] * c->by.numerator >= c->by.denominator;
        s->hits[r] = 0;
        if (!counts)
            continue;
        way w = {.node = s->routes->node + s->routes->first[s->route[r]]};
        const int32_t length = vrp_routes_length(s->routes, s->route[r]);
        for (int32_t x = 0; x < length && w.hits <= MOST_GAPS; x++)
            if (is_member(c, w.node[x]))
                w.at[w.hits++] = x;
        remember_route(&w, c->by, memory);
    }
}

// ---- Rows that are there

static candidate as_candidate(const vrp_cut *cut)
{
    candidate c = {.size = cut->size, .by = {cut->numerator, cut->denominator}};
    memcpy(c.node, cut->node, (size_t)cut->size * sizeof *cut->node);
    return c;
}

static double whole_violation(separation *s, const vrp_cut *cut)
{
    const int32_t count = touch(s, cut->node, cut->size);
    double sum = -(double)cut->rhs;
    for (int32_t k = 0; k < count; k++) {
        const int32_t r = s->touched[k];
        sum += s->value[r] * (s->hits[r] * cut->numerator / cut->denominator);
        s->hits[r] = 0;
    }
    return sum;
}

// Enlarges the memories of rows that would be violated if they remembered all.
static void grow_memories(separation *s, vrp_cuts *cuts, int32_t *grown)
{
    for (int64_t k = 0; k < cuts->count && goes_on(s); k++) {
        vrp_cut *cut = &cuts->cut[k];
        if (cut->kind != VRP_CUT_RANK1 || cut->memory == NULL || cut->size > VRP_RANK1_MOST_MEMBERS ||
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
        MCO_TRY(vrp_cuts_add_rank1(s->ctx, cuts, c->node, c->size, c->by.numerator, c->by.denominator, right_side(c->size, c->by), memory));
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
    mco_free(s->ctx, &s->hits);
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
