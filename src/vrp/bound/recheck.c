// SPDX-License-Identifier: MIT
// The recheck (vrp/bound/recheck.h). All tables have a row a load and a cell a node, with ng sets a cell a node and a set of neighbours.
#include "vrp/bound/recheck.h"

#include <string.h>

#include "base/clock.h"
#include "vrp/bound/recheck_labels.h"

enum { MOST_SIZE = 14 };
static const int64_t NONE = INT64_MAX / 4;  // no path; sums with an arc stay far below INT64_MAX

typedef struct recheck {
    mco_context *ctx;
    const mco_vrp *vrp;
    const vrp_bound_problem *problem;
    const int32_t *price;
    const vrp_cuts *cuts;
    const vrp_ng_sets *sets;
    double stop_s;
    int32_t nodes;
    int64_t capacity;
    int64_t *demand;      // [nodes] as in vrp/bound/problem.h
    int64_t *arc;         // [nodes * nodes] cost - half of both prices - prices of crossed sets
    int64_t *least;       // [(capacity + 1) * nodes] of the paths of a load to a node, of all kinds
    int64_t *second;      // q: the same, of those that come from another node than the least one
    int32_t *before;      // q: the node before, of the least one
    int64_t *cell;        // ng: [(capacity + 1) * nodes << bits] least value with a memory inside the set
    int32_t bits;         // of the largest set, the node itself not counted
} recheck;

// ---- The rows: every plan obeys them

static mco_status check_set(const recheck *c, const vrp_cut *cut)
{
    int64_t demand = 0;
    for (int32_t k = 0; k < cut->size; k++)
        demand += c->vrp->demand[cut->node[k]];
    int64_t vehicles = (demand + c->vrp->capacity - 1) / c->vrp->capacity;
    vehicles = vehicles > 0 ? vehicles : 1;
    if (cut->size == c->vrp->customers && vehicles < c->problem->fleet.least)
        vehicles = c->problem->fleet.least;
    if (cut->sense != VRP_CUT_AT_LEAST || cut->rhs > 2 * vehicles)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "a row of %d customers wants %s %lld crossings, %lld vehicles serve them", cut->size,
                        cut->sense == VRP_CUT_AT_LEAST ? "at least" : "at most", (long long)cut->rhs, (long long)vehicles);
    return MCO_OK;
}

static mco_status check_rank1(const recheck *c, const vrp_cut *cut)
{
    const bool is_fraction = cut->numerator > 0 && cut->numerator < cut->denominator;
    if (cut->sense != VRP_CUT_AT_MOST || !is_fraction || cut->rhs < (int64_t)cut->numerator * cut->size / cut->denominator)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "a rank-1 row of %d customers by %d/%d has the right side %lld", cut->size, cut->numerator,
                        cut->denominator, (long long)cut->rhs);
    return MCO_OK;
}

static mco_status check_rows(const recheck *c)
{
    mco_status st = MCO_OK;
    for (int32_t i = 0; i < c->nodes; i++)
        if (c->price[i] % 2 != 0 || (i == 0 && c->price[i] != 0))
            return mco_fail(c->ctx, MCO_ERR_CHECK, "the price of node %d is %d, an even number was expected, 0 of the depot", i, c->price[i]);
    for (int64_t k = 0; c->cuts != NULL && k < c->cuts->count; k++) {
        const vrp_cut *cut = &c->cuts->cut[k];
        if (cut->price == 0)
            continue;
        if (cut->sense == VRP_CUT_AT_LEAST ? cut->price < 0 : cut->price > 0)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "row %lld has the price %d, the other sign was expected", (long long)k, cut->price);
        for (int32_t m = 0; m < cut->size; m++)
            if (cut->node[m] < 1 || cut->node[m] >= c->nodes || (m > 0 && cut->node[m] <= cut->node[m - 1]))
                return mco_fail(c->ctx, MCO_ERR_CHECK, "row %lld names the node %d twice, or none such exists", (long long)k, cut->node[m]);
        MCO_TRY(cut->kind == VRP_CUT_SET ? check_set(c, cut) : check_rank1(c, cut));
    }
done:
    return st;
}

// Rows of RANK1 cost routes by their whole sequence, which tables do not see: they need labels.
static bool has_priced_rank1(const recheck *c)
{
    for (int64_t k = 0; c->cuts != NULL && k < c->cuts->count; k++)
        if (c->cuts->cut[k].kind == VRP_CUT_RANK1 && c->cuts->cut[k].price != 0)
            return true;
    return false;
}

// ---- Loads and arcs

static void set_loads(recheck *c)
{
    int64_t divisor = 0, idle = 0, total = 0;
    for (int32_t i = 1; i < c->nodes; i++) {
        idle += c->vrp->demand[i] == 0;
        for (int64_t a = c->vrp->demand[i], rest; a != 0; a = rest) {
            rest = divisor % a;
            divisor = a;
        }
    }
    divisor = divisor > 0 ? divisor : 1;
    for (int32_t i = 1; i < c->nodes; i++) {
        c->demand[i] = c->vrp->demand[i] > 0 ? c->vrp->demand[i] / divisor * (idle + 1) : 1;
        total += c->demand[i];
    }
    c->capacity = c->vrp->capacity / divisor * (idle + 1) + idle;
    c->capacity = c->capacity < total ? c->capacity : total;
}

static int64_t cost_of(const recheck *c, int32_t i, int32_t j)
{
    const int64_t distance = vrp_distance(c->vrp, i, j);
    return c->problem->unit >= 1 ? distance * (int64_t)c->problem->unit : distance / (int64_t)(1 / c->problem->unit);
}

static void set_arcs(recheck *c)
{
    for (int32_t i = 0; i < c->nodes; i++)
        for (int32_t j = 0; j < c->nodes; j++)
            c->arc[(int64_t)i * c->nodes + j] = cost_of(c, i, j) - ((int64_t)c->price[i] + c->price[j]) / 2;
    for (int64_t k = 0; c->cuts != NULL && k < c->cuts->count; k++) {
        const vrp_cut *cut = &c->cuts->cut[k];
        if (cut->kind != VRP_CUT_SET || cut->price == 0)
            continue;
        for (int32_t i = 0; i < c->nodes; i++)
            c->before[i] = 0;
        for (int32_t m = 0; m < cut->size; m++)
            c->before[cut->node[m]] = 1;
        for (int32_t i = 0; i < c->nodes; i++)
            for (int32_t j = 0; j < c->nodes; j++)
                if (c->before[i] != c->before[j])
                    c->arc[(int64_t)i * c->nodes + j] -= cut->price;
    }
}

// ---- q-paths: the least value, and the least that comes from another node

static void extend_q(recheck *c, int64_t load, int32_t k)
{
    const int64_t at = load * c->nodes + k, from = (load - c->demand[k]) * c->nodes;
    int64_t best = NONE, other = NONE;
    int32_t before = -1;
    for (int32_t i = 0; i < c->nodes; i++) {
        int64_t value = c->before[from + i] == k ? c->second[from + i] : c->least[from + i];
        if (i == k || value >= NONE)
            continue;
        value += c->arc[(int64_t)i * c->nodes + k];
        if (value < best) {
            other = best;
            best = value;
            before = i;
        } else if (value < other) {
            other = value;
        }
    }
    c->least[at] = best;
    c->second[at] = other;
    c->before[at] = before;
}

// ---- ng-paths: M stands for neighbours of k; i comes before k

static int32_t bit_of(const vrp_ng_sets *sets, int32_t node, int32_t customer)
{
    for (int32_t b = 0; b < sets->size[node] - 1; b++)
        if (sets->neighbour[(int64_t)node * VRP_NG_MOST + b] == customer)
            return b;
    return -1;
}

// Of the neighbours of i: `always` may be in a memory at i whatever M is, `gained[b]` if M has the b-th neighbour of k. False: i is far
// from k, every memory at i will do.
static bool relate(const recheck *c, int32_t i, int32_t k, uint32_t *always, uint32_t gained[VRP_NG_MOST])
{
    const vrp_ng_sets *sets = c->sets;
    bool is_near = bit_of(sets, k, i) >= 0;
    *always = 0;
    memset(gained, 0, VRP_NG_MOST * sizeof *gained);
    for (int32_t b = 0; b < sets->size[i] - 1; b++) {
        const int32_t x = sets->neighbour[(int64_t)i * VRP_NG_MOST + b], at_k = x == k ? -1 : bit_of(sets, k, x);
        is_near |= x == k || at_k >= 0;
        if (at_k >= 0)
            gained[at_k] = (uint32_t)1 << b;
        else if (x != k)
            *always |= (uint32_t)1 << b;
    }
    return is_near;
}

static void extend_near(recheck *c, int64_t load, int32_t k, int32_t i)
{
    uint32_t always, gained[VRP_NG_MOST], inside[1 << (MOST_SIZE - 1)];
    const int32_t bits = c->sets->size[k] - 1, own = bit_of(c->sets, k, i);
    const int64_t *from = c->cell + (((load - c->demand[k]) * c->nodes + i) << c->bits);
    int64_t *to = c->cell + ((load * c->nodes + k) << c->bits);
    const int64_t arc = c->arc[(int64_t)i * c->nodes + k];
    relate(c, i, k, &always, gained);
    inside[0] = always;
    for (uint32_t m = 0; m < (uint32_t)1 << bits; m++) {
        if (m != 0)
            inside[m] = inside[m & (m - 1)] | gained[__builtin_ctz(m)];
        if ((own < 0 || (m >> own & 1) != 0) && from[inside[m]] < NONE && from[inside[m]] + arc < to[m])
            to[m] = from[inside[m]] + arc;
    }
}

static void extend_ng(recheck *c, int64_t load, int32_t k, const bool *is_near)
{
    const int64_t at = load * c->nodes + k, from = (load - c->demand[k]) * c->nodes;
    int64_t far = NONE;
    for (int32_t i = 0; i < c->nodes; i++)
        if (i != k && !is_near[(int64_t)k * c->nodes + i] && c->least[from + i] < NONE && c->least[from + i] + c->arc[(int64_t)i * c->nodes + k] < far)
            far = c->least[from + i] + c->arc[(int64_t)i * c->nodes + k];
    for (uint32_t m = 0; m < (uint32_t)1 << (c->sets->size[k] - 1); m++)
        c->cell[(at << c->bits) + m] = far;
    for (int32_t i = 1; i < c->nodes; i++)
        if (i != k && is_near[(int64_t)k * c->nodes + i] && c->least[from + i] < NONE)
            extend_near(c, load, k, i);
    c->least[at] = c->cell[(at << c->bits) + ((uint32_t)1 << (c->sets->size[k] - 1)) - 1];
}

// ---- All paths, load after load

static bool is_over(const recheck *c)
{
    return mco_clock_s() >= c->stop_s || mco_call_is_over(c->ctx) || mco_is_cancelled(c->ctx);
}

static mco_status fill(recheck *c, bool *is_near, bool *is_done)
{
    uint32_t always, gained[VRP_NG_MOST];
    for (int32_t k = 1; c->sets != NULL && k < c->nodes && !is_over(c); k++)
        for (int32_t i = 1; i < c->nodes; i++)
            is_near[(int64_t)k * c->nodes + i] = i != k && relate(c, i, k, &always, gained);
    for (int64_t at = 0; at < (c->capacity + 1) * c->nodes; at++) {
        c->least[at] = c->second[at] = NONE;
        c->before[at] = -1;
    }
    c->least[0] = 0;
    for (int64_t load = 1; load <= c->capacity; load++)
        for (int32_t k = 1; k < c->nodes; k++) {
            if (is_over(c))
                return MCO_OK;
            if (c->demand[k] > load)
                continue;
            if (c->sets != NULL)
                extend_ng(c, load, k, is_near);
            else
                extend_q(c, load, k);
        }
    *is_done = true;
    return MCO_OK;
}

static int64_t least_route(const recheck *c)
{
    int64_t least = NONE;
    for (int64_t load = 1; load <= c->capacity; load++)
        for (int32_t i = 1; i < c->nodes; i++) {
            const int64_t value = c->least[load * c->nodes + i] + c->arc[(int64_t)i * c->nodes];
            least = value < least ? value : least;
        }
    return least;
}

static void transpose_arcs(recheck *c)
{
    for (int32_t i = 0; i < c->nodes; i++)
        for (int32_t j = 0; j < i; j++) {
            const int64_t ij = (int64_t)i * c->nodes + j, ji = (int64_t)j * c->nodes + i, arc = c->arc[ij];
            c->arc[ij] = c->arc[ji];
            c->arc[ji] = arc;
        }
}

// The least value of a route with RANK1 rows. The tables of the transposed arcs, over all loads up to each, complete partial routes.
static mco_status label_least(recheck *c, bool *is_near, int64_t *least, bool *is_done)
{
    mco_status st = MCO_OK;
    const int64_t row = (int64_t)c->nodes << c->bits;
    transpose_arcs(c);
    *is_done = false;
    MCO_TRY(fill(c, is_near, is_done));
    if (!*is_done)
        goto done;
    for (int64_t at = 0; at < row; at++)
        c->cell[at] = NONE;
    for (int64_t load = 1; load <= c->capacity; load++)
        for (int32_t i = 1; i < c->nodes; i++)
            for (int64_t m = 0; m < (int64_t)1 << c->bits; m++) {
                const int64_t at = load * row + ((int64_t)i << c->bits) + m;
                if (c->demand[i] > load || c->cell[at - row] < c->cell[at])
                    c->cell[at] = c->cell[at - row];
            }
    transpose_arcs(c);
    const vrp_recheck_labels task = {.nodes = c->nodes, .bits = c->bits, .capacity = c->capacity, .demand = c->demand, .arc = c->arc,
                                     .completion = c->cell, .sets = c->sets, .cuts = c->cuts, .stop_s = c->stop_s};
    st = vrp_recheck_least(c->ctx, &task, least, is_done);
done:
    return st;
}

static int64_t bound_of(const recheck *c, int64_t least)
{
    int64_t sum = least * (least > 0 ? c->problem->fleet.least : c->problem->fleet.most);
    for (int32_t i = 1; i < c->nodes; i++)
        sum += c->price[i];
    for (int64_t k = 0; c->cuts != NULL && k < c->cuts->count; k++)
        sum += c->cuts->cut[k].rhs * c->cuts->cut[k].price;
    return sum;
}

static bool has_room(const recheck *c)
{
    const double cells = ((double)c->capacity + 1) * c->nodes;
    return c->bits < MOST_SIZE && cells * (20 + (c->sets != NULL ? 8.0 * (1 << c->bits) : 0)) <= VRP_RECHECK_BYTES;
}

static mco_status prove(recheck *c, int64_t *bound, bool *is_done)
{
    mco_status st = MCO_OK;
    bool *is_near = NULL;
    const int64_t nodes = c->nodes;
    MCO_TRY(check_rows(c));
    MCO_TRY(mco_alloc(c->ctx, &c->demand, nodes));
    set_loads(c);
    for (int32_t i = 1; c->sets != NULL && i < c->nodes; i++)
        c->bits = c->sets->size[i] - 1 > c->bits ? c->sets->size[i] - 1 : c->bits;
    if (!has_room(c) || (has_priced_rank1(c) && c->sets == NULL))
        goto done;
    MCO_TRY(mco_alloc(c->ctx, &c->arc, nodes * nodes));
    MCO_TRY(mco_alloc(c->ctx, &c->least, (c->capacity + 1) * nodes));
    MCO_TRY(mco_alloc(c->ctx, &c->second, (c->capacity + 1) * nodes));
    MCO_TRY(mco_alloc(c->ctx, &c->before, (c->capacity + 1) * nodes));
    if (c->sets != NULL)
        MCO_TRY(mco_alloc(c->ctx, &c->cell, (c->capacity + 1) * nodes << c->bits));
    if (c->sets != NULL)
        MCO_TRY(mco_alloc(c->ctx, &is_near, nodes * nodes));
    set_arcs(c);
    MCO_TRY(fill(c, is_near, is_done));
    int64_t least = *is_done ? least_route(c) : 0;
    if (*is_done && has_priced_rank1(c))
        MCO_TRY(label_least(c, is_near, &least, is_done));
    *bound = *is_done ? bound_of(c, least) : INT64_MIN;
done:
    mco_free(c->ctx, &is_near);
    return st;
}

mco_status vrp_bound_recheck(mco_context *ctx, const mco_vrp *vrp, const vrp_bound_problem *problem, const int32_t *price,
                             const vrp_cuts *cuts, const vrp_ng_sets *sets, double stop_s, int64_t *bound, bool *is_done)
{
    recheck c = {.ctx = ctx, .vrp = vrp, .problem = problem, .price = price, .cuts = cuts, .sets = sets, .stop_s = stop_s,
                 .nodes = vrp->nodes};
    *bound = INT64_MIN;
    *is_done = false;
    const mco_status st = prove(&c, bound, is_done);
    mco_free(ctx, &c.cell);
    mco_free(ctx, &c.before);
    mco_free(ctx, &c.second);
    mco_free(ctx, &c.least);
    mco_free(ctx, &c.arc);
    mco_free(ctx, &c.demand);
    return st;
}
