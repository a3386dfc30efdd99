// SPDX-License-Identifier: MIT
// The tables of the recheck (vrp/bound/recheck_tables.h). They have a row a load and a cell a node, with ng sets a cell a node and a set
// of neighbours.
#include "vrp/bound/recheck_tables.h"

#include <string.h>

#include "base/clock.h"
#include "vrp/bound/recheck.h"

enum { MOST_SIZE = 14, LIGHT_BYTES = 1 << 28 };  // LIGHT_BYTES: of tables that may know smaller sets
enum { ROWS_IN_TIME = 64, TILE = 32 };  // of arcs between looks at the clock; rows and columns that are transposed together

// ---- The rows: every plan, or every plan of the part, obeys them

// Whether the part, or one that holds it, was made by such a row.
static bool is_side(const vrp_recheck *c, const vrp_cut *cut)
{
    for (int64_t k = c->claims != NULL ? c->part : -1; k >= 0; k = c->claims->claim[k].parent) {
        const vrp_claim *side = &c->claims->claim[k];
        if (side->size == cut->size && side->size > 0 && side->sense == cut->sense &&
            memcmp(side->node, cut->node, (size_t)cut->size * sizeof *cut->node) == 0 &&
            (cut->sense == VRP_CUT_AT_LEAST ? cut->rhs <= side->rhs : cut->rhs >= side->rhs))
            return true;
    }
    return false;
}

static mco_status check_set(const vrp_recheck *c, const vrp_cut *cut)
{
    int64_t demand = 0;
    if (is_side(c, cut))
        return MCO_OK;
    for (int32_t k = 0; k < cut->size; k++)
        demand += c->vrp->demand[cut->node[k]];
    int64_t vehicles = (demand + c->vrp->capacity - 1) / c->vrp->capacity;
    vehicles = vehicles > 0 ? vehicles : 1;
    if (cut->size == c->vrp->customers && vehicles < c->fleet.least)
        vehicles = c->fleet.least;
    if (cut->sense != VRP_CUT_AT_LEAST || cut->rhs > 2 * vehicles)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "a row of %d customer%s wants %s %lld crossings, %lld vehicle%s enough", cut->size,
                        mco_plural(cut->size), cut->sense == VRP_CUT_AT_LEAST ? "at least" : "at most", (long long)cut->rhs, (long long)vehicles,
                        vehicles == 1 ? " is" : "s are");
    return MCO_OK;
}

static mco_status check_rank1(const vrp_recheck *c, const vrp_cut *cut)
{
    int64_t sum = 0;
    if (cut->size < 1 || cut->size > VRP_RANK1_MOST_MEMBERS)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "a rank-1 row has %d customers, 1..%d were expected", cut->size, VRP_RANK1_MOST_MEMBERS);
    for (int32_t m = 0; m < cut->size; m++) {
        sum += cut->numerator[m];
        if (cut->numerator[m] < 1 || cut->numerator[m] >= cut->denominator)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "a rank-1 row of %d customer%s has a multiplier %d/%d", cut->size, mco_plural(cut->size),
                            cut->numerator[m], cut->denominator);
    }
    if (cut->sense != VRP_CUT_AT_MOST || cut->rhs < sum / cut->denominator)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "a rank-1 row of %d customer%s by %lld/%d in all has the right side %lld", cut->size,
                        mco_plural(cut->size), (long long)sum, cut->denominator, (long long)cut->rhs);
    return MCO_OK;
}

mco_status vrp_recheck_rows(const vrp_recheck *c)
{
    mco_status st = MCO_OK;
    for (int32_t i = 0; i < c->vrp->nodes; i++)
        if (c->price[i] % 2 != 0 || (i == 0 && c->price[i] != 0))
            return mco_fail(c->ctx, MCO_ERR_CHECK, "the price of node %d is %d, an even number was expected, 0 of the depot", i, c->price[i]);
    for (int64_t k = 0; c->cuts != NULL && k < c->cuts->count; k++) {
        const vrp_cut *cut = &c->cuts->cut[k];
        if (cut->price == 0)
            continue;
        if (cut->sense == VRP_CUT_AT_LEAST ? cut->price < 0 : cut->price > 0)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "row %lld has the price %d, the other sign was expected", (long long)k, cut->price);
        for (int32_t m = 0; m < cut->size; m++)
            if (cut->node[m] < 1 || cut->node[m] >= c->vrp->nodes || (m > 0 && cut->node[m] <= cut->node[m - 1]))
                return mco_fail(c->ctx, MCO_ERR_CHECK, "row %lld names the node %d twice, or none such exists", (long long)k, cut->node[m]);
        MCO_TRY(cut->kind == VRP_CUT_SET ? check_set(c, cut) : check_rank1(c, cut));
    }
done:
    return st;
}

// ---- Loads and arcs

static void set_loads(vrp_recheck *c)
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

static int64_t cost_of(const vrp_recheck *c, int32_t i, int32_t j)
{
    const int64_t distance = vrp_distance(c->vrp, i, j);
    return c->unit >= 1 ? distance * (int64_t)c->unit : distance / (int64_t)(1 / c->unit);
}

// Takes the price of a set off the arcs that cross its border. Returns false if the time is over.
static bool take_off_crossings(vrp_recheck *c, const vrp_cut *cut)
{
    for (int32_t i = 0; i < c->nodes; i++)
        c->before[i] = 0;
    for (int32_t m = 0; m < cut->size; m++)
        c->before[cut->node[m]] = 1;
    for (int32_t i = 0; i < c->nodes; i++) {
        if (i % ROWS_IN_TIME == 0 && vrp_recheck_is_over(c))
            return false;
        for (int32_t j = 0; j < c->nodes; j++)
            if (c->before[i] != c->before[j])
                c->arc[(int64_t)i * c->nodes + j] -= cut->price;
    }
    return true;
}

void vrp_recheck_arcs(vrp_recheck *c)
{
    for (int32_t i = 0; i < c->nodes; i++) {
        if (i % ROWS_IN_TIME == 0 && vrp_recheck_is_over(c))
            return;
        for (int32_t j = 0; j < c->nodes; j++)
            c->arc[(int64_t)i * c->nodes + j] = cost_of(c, i, j) - ((int64_t)c->price[i] + c->price[j]) / 2;
    }
    for (int64_t k = 0; c->cuts != NULL && k < c->cuts->count; k++)
        if (c->cuts->cut[k].kind == VRP_CUT_SET && c->cuts->cut[k].price != 0 && !take_off_crossings(c, &c->cuts->cut[k]))
            return;
    for (int64_t ij = 0; c->removed != NULL && ij < (int64_t)c->nodes * c->nodes; ij++)
        if (c->removed[ij])
            c->arc[ij] = VRP_RECHECK_ABSENT;
}

// ---- q-paths: the least value, and the least that comes from another node

static void extend_q(vrp_recheck *c, int64_t load, int32_t k)
{
    const int64_t at = load * c->nodes + k, from = (load - c->demand[k]) * c->nodes;
    int64_t best = VRP_RECHECK_NONE, other = VRP_RECHECK_NONE;
    int32_t before = -1;
    for (int32_t i = 0; i < c->nodes; i++) {
        int64_t value = c->before[from + i] == k ? c->second[from + i] : c->least[from + i];
        if (i == k || value >= VRP_RECHECK_NONE)
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

// How many neighbours of a node have bits.
static int32_t bits_of(const vrp_recheck *c, int32_t node)
{
    return c->sets->size[node] - 1 < c->bits ? c->sets->size[node] - 1 : c->bits;
}

static int32_t bit_of(const vrp_recheck *c, int32_t node, int32_t customer)
{
    for (int32_t b = 0; b < bits_of(c, node); b++)
        if (c->sets->neighbour[(int64_t)node * VRP_NG_MOST + b] == customer)
            return b;
    return -1;
}

// Of the neighbours of i: `always` may be in a memory at i whatever M is, `gained[b]` if M has the b-th neighbour of k. False: i is far
// from k, every memory at i will do.
static bool relate(const vrp_recheck *c, int32_t i, int32_t k, uint32_t *always, uint32_t gained[VRP_NG_MOST])
{
    bool is_near = bit_of(c, k, i) >= 0;
    *always = 0;
    memset(gained, 0, VRP_NG_MOST * sizeof *gained);
    for (int32_t b = 0; b < bits_of(c, i); b++) {
        const int32_t x = c->sets->neighbour[(int64_t)i * VRP_NG_MOST + b], at_k = x == k ? -1 : bit_of(c, k, x);
        is_near |= x == k || at_k >= 0;
        if (at_k >= 0)
            gained[at_k] = (uint32_t)1 << b;
        else if (x != k)
            *always |= (uint32_t)1 << b;
    }
    return is_near;
}

static void extend_near(vrp_recheck *c, int64_t load, int32_t k, int32_t i)
{
    uint32_t always, gained[VRP_NG_MOST], inside[1 << (MOST_SIZE - 1)];
    const int32_t bits = bits_of(c, k), own = bit_of(c, k, i);
    const int64_t *from = c->cell + (((load - c->demand[k]) * c->nodes + i) << c->bits);
    int64_t *to = c->cell + ((load * c->nodes + k) << c->bits);
    const int64_t arc = c->arc[(int64_t)i * c->nodes + k];
    relate(c, i, k, &always, gained);
    inside[0] = always;
    for (uint32_t m = 0; m < (uint32_t)1 << bits; m++) {
        if (m != 0)
            inside[m] = inside[m & (m - 1)] | gained[__builtin_ctz(m)];
        if ((own < 0 || (m >> own & 1) != 0) && from[inside[m]] < VRP_RECHECK_NONE && from[inside[m]] + arc < to[m])
            to[m] = from[inside[m]] + arc;
    }
}

static void extend_ng(vrp_recheck *c, int64_t load, int32_t k)
{
    const int64_t at = load * c->nodes + k, from = (load - c->demand[k]) * c->nodes;
    int64_t far = VRP_RECHECK_NONE;
    for (int32_t i = 0; i < c->nodes; i++)
        if (i != k && !c->is_near[(int64_t)k * c->nodes + i] && c->least[from + i] < VRP_RECHECK_NONE && c->least[from + i] + c->arc[(int64_t)i * c->nodes + k] < far)
            far = c->least[from + i] + c->arc[(int64_t)i * c->nodes + k];
    for (uint32_t m = 0; m < (uint32_t)1 << bits_of(c, k); m++)
        c->cell[(at << c->bits) + m] = far;
    // The set without neighbours has the greatest value: what does not lower it lowers none.
    for (int32_t i = 1; i < c->nodes; i++)
        if (i != k && c->is_near[(int64_t)k * c->nodes + i] && c->least[from + i] < VRP_RECHECK_NONE &&
            c->least[from + i] + c->arc[(int64_t)i * c->nodes + k] < c->cell[at << c->bits])
            extend_near(c, load, k, i);
    c->least[at] = c->cell[(at << c->bits) + vrp_recheck_known(c->sets, c->bits, k)];
}

// ---- All paths, load after load

bool vrp_recheck_is_over(const vrp_recheck *c)
{
    return mco_clock_s() >= c->stop_s || mco_call_is_over(c->ctx) || mco_is_cancelled(c->ctx);
}

void vrp_recheck_fill(vrp_recheck *c, bool *is_done)
{
    uint32_t always, gained[VRP_NG_MOST];
    *is_done = false;
    for (int32_t k = 1; c->sets != NULL && k < c->nodes && !vrp_recheck_is_over(c); k++)
        for (int32_t i = 1; i < c->nodes; i++)
            c->is_near[(int64_t)k * c->nodes + i] = i != k && relate(c, i, k, &always, gained);
    for (int64_t at = 0; at < (c->capacity + 1) * c->nodes; at++) {
        c->least[at] = c->second[at] = VRP_RECHECK_NONE;
        c->before[at] = -1;
    }
    c->least[0] = 0;
    for (int64_t load = 1; load <= c->capacity; load++)
        for (int32_t k = 1; k < c->nodes; k++) {
            if (vrp_recheck_is_over(c))
                return;
            if (c->demand[k] > load)
                continue;
            if (c->sets != NULL)
                extend_ng(c, load, k);
            else
                extend_q(c, load, k);
        }
    *is_done = true;
}

// Returns false if the time is over: then the arcs are void.
static bool transpose_arcs(vrp_recheck *c)
{
    for (int32_t top = 0; top < c->nodes; top += TILE) {
        const int32_t end = top + TILE < c->nodes ? top + TILE : c->nodes;
        if (vrp_recheck_is_over(c))
            return false;
        for (int32_t left = 0; left < end; left += TILE)
            for (int32_t i = top; i < end; i++)
                for (int32_t j = left; j < left + TILE && j < i; j++) {
                    const int64_t ij = (int64_t)i * c->nodes + j, ji = (int64_t)j * c->nodes + i, arc = c->arc[ij];
                    c->arc[ij] = c->arc[ji];
                    c->arc[ji] = arc;
                }
    }
    return true;
}

// Over all loads up to each. Returns false if the time is over.
static bool cumulate(vrp_recheck *c)
{
    const int64_t row = (int64_t)c->nodes << c->bits;
    for (int64_t at = 0; at < row; at++)
        c->cell[at] = VRP_RECHECK_NONE;
    for (int64_t load = 1; load <= c->capacity; load++) {
        if (vrp_recheck_is_over(c))
            return false;
        for (int32_t i = 1; i < c->nodes; i++)
            for (int64_t m = 0; m < (int64_t)1 << c->bits; m++) {
                const int64_t at = load * row + ((int64_t)i << c->bits) + m;
                if (c->demand[i] > load || c->cell[at - row] < c->cell[at])
                    c->cell[at] = c->cell[at - row];
            }
    }
    return true;
}

void vrp_recheck_complete(vrp_recheck *c, bool *is_done)
{
    *is_done = transpose_arcs(c);
    if (*is_done)
        vrp_recheck_fill(c, is_done);
    *is_done = *is_done && transpose_arcs(c) && cumulate(c);
}

// ---- Open, close

static bool has_room_for(const vrp_recheck *c)
{
    const double cells = ((double)c->capacity + 1) * c->nodes, arcs = (double)c->nodes * c->nodes;
    const double bytes = cells * (20 + (c->sets != NULL ? 8.0 * (1 << c->bits) : 0)) + arcs * (c->sets != NULL ? 9 : 8);
    return c->bits < MOST_SIZE && bytes <= VRP_RECHECK_BYTES;
}

mco_status vrp_recheck_open(vrp_recheck *c, bool *has_room)
{
    mco_status st = MCO_OK;
    const int64_t nodes = c->nodes = c->vrp->nodes;
    MCO_TRY(mco_alloc(c->ctx, &c->demand, nodes));
    set_loads(c);
    c->bits = 0;
    for (int32_t i = 1; c->sets != NULL && i < c->nodes; i++)
        c->bits = c->sets->size[i] - 1 > c->bits ? c->sets->size[i] - 1 : c->bits;
    if (c->most_bits > 0 && c->bits > c->most_bits)
        c->bits = c->most_bits;
    while (c->most_bits > 0 && c->bits > 1 && 8.0 * ((double)c->capacity + 1) * c->nodes * (1 << c->bits) > LIGHT_BYTES)
        c->bits--;
    *has_room = has_room_for(c);
    if (!*has_room)
        return MCO_OK;
    MCO_TRY(mco_alloc(c->ctx, &c->arc, nodes * nodes));
    MCO_TRY(mco_alloc(c->ctx, &c->least, (c->capacity + 1) * nodes));
    MCO_TRY(mco_alloc(c->ctx, &c->second, (c->capacity + 1) * nodes));
    MCO_TRY(mco_alloc(c->ctx, &c->before, (c->capacity + 1) * nodes));
    if (c->sets != NULL)
        MCO_TRY(mco_alloc(c->ctx, &c->cell, (c->capacity + 1) * nodes << c->bits));
    if (c->sets != NULL)
        MCO_TRY(mco_alloc(c->ctx, &c->is_near, nodes * nodes));
done:
    return st;
}

void vrp_recheck_close(vrp_recheck *c)
{
    mco_free(c->ctx, &c->is_near);
    mco_free(c->ctx, &c->cell);
    mco_free(c->ctx, &c->before);
    mco_free(c->ctx, &c->second);
    mco_free(c->ctx, &c->least);
    mco_free(c->ctx, &c->arc);
    mco_free(c->ctx, &c->demand);
}
