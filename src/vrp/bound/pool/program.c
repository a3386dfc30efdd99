// SPDX-License-Identifier: MIT
#include "vrp/bound/pool/program.h"

#include <string.h>

#include "base/grow.h"
#include "base/rng.h"

// An artificial column costs as much as PLANS_OF_ARTIFICIAL plans. A price may be PRICES artificial columns, more where there is room, and at
// most RHS times that with its right-hand side or an entry. So all terms of a bound, or of a reduced cost, stay below 2^SUM_BITS together:
// rows of customers, the one of routes, and POOL_MOST_CUTS others. Optima of many ties have duals of several artificial columns.
enum { PLANS_OF_ARTIFICIAL = 16, PRICES = 4, RHS = 8, MOST_UNIT_BITS = 20, SUM_BITS = 60 };
enum { ROUTES_IN_TIME = 4096 };  // between looks at the clock

// ---- Routes

static int64_t exact_cost(const mco_vrp *vrp, const int32_t *node, int32_t count)
{
    int64_t cost = 0;
    for (int32_t k = 0, at = 0; k <= count; k++) {
        const int32_t next = k < count ? node[k] : 0;
        cost += vrp_distance(vrp, at, next);
        at = next;
    }
    return cost;
}

// Fills members [words]; false if a customer occurs twice.
static bool collect_members(const int32_t *node, int32_t count, uint64_t *members)
{
    for (int32_t k = 0; k < count; k++) {
        if (vrp_set_has(members, node[k]))
            return false;
        members[node[k] >> 6] |= (uint64_t)1 << (node[k] & 63);
    }
    return true;
}

// The cheapest route of each set of customers, by a hash of the set: open addressing, at most half of the slots are taken.
typedef struct cheapest {
    int32_t words;
    uint64_t mask;         // slots - 1
    int64_t *route;        // [slots] in the caller's list; -1: empty
    int64_t *cost;         // [slots]
    uint64_t *members;     // [slots * words]
} cheapest;

static uint64_t hash_of(const uint64_t *members, int32_t words)
{
    uint64_t hash = 0;
    for (int32_t w = 0; w < words; w++) {
        hash ^= members[w];
        hash = mco_splitmix64(&hash);
    }
    return hash;
}

// The slot of a set, or an empty one for it.
static uint64_t slot_of(const cheapest *c, const uint64_t *members)
{
    const size_t bytes = (size_t)c->words * sizeof *members;
    uint64_t at = hash_of(members, c->words) & c->mask;
    while (c->route[at] >= 0 && memcmp(c->members + at * (uint64_t)c->words, members, bytes) != 0)
        at = (at + 1) & c->mask;
    return at;
}

static mco_status open_cheapest(mco_context *ctx, int64_t routes, int32_t words, cheapest *c)
{
    mco_status st = MCO_OK;
    uint64_t slots = 2;
    while (slots < 2 * (uint64_t)routes)
        slots *= 2;
    *c = (cheapest){.words = words, .mask = slots - 1};
    MCO_TRY(mco_alloc(ctx, &c->route, slots));
    MCO_TRY(mco_alloc(ctx, &c->cost, slots));
    MCO_TRY(mco_alloc(ctx, &c->members, slots * (uint64_t)words));
    for (uint64_t k = 0; k < slots; k++)
        c->route[k] = -1;
done:
    return st;
}

// Marks the routes to copy: of some customers, each visited once, cheaper than `known`, the cheapest of their customers, the first of
// several. Errors: MEMORY, STOPPED.
static mco_status choose_routes(const pool_program *p, const vrp_routes *routes, int64_t known, bool *is_chosen)
{
    mco_status st = MCO_OK;
    cheapest c = {0};
    uint64_t *members = NULL;
    MCO_TRY(open_cheapest(p->ctx, routes->count, p->words, &c));
    MCO_TRY(mco_alloc(p->ctx, &members, p->words));
    for (int64_t k = 0; k < routes->count; k++) {
        const int32_t *node = routes->node + routes->first[k], length = vrp_routes_length(routes, k);
        const int64_t cost = exact_cost(p->problem->vrp, node, length);
        if (k % ROUTES_IN_TIME == 0 && vrp_bound_is_over(p->ctx, p->stop_s)) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
        memset(members, 0, (size_t)p->words * sizeof *members);
        if (length == 0 || cost >= known || !collect_members(node, length, members))
            continue;
        const uint64_t at = slot_of(&c, members);
        if (c.route[at] >= 0 && c.cost[at] <= cost)
            continue;
        if (c.route[at] >= 0)
            is_chosen[c.route[at]] = false;
        memcpy(c.members + at * (uint64_t)p->words, members, (size_t)p->words * sizeof *members);
        c.route[at] = k;
        c.cost[at] = cost;
        is_chosen[k] = true;
    }
done:
    mco_free(p->ctx, &c.route);
    mco_free(p->ctx, &c.cost);
    mco_free(p->ctx, &c.members);
    mco_free(p->ctx, &members);
    return st;
}

static mco_status copy_routes(pool_program *p, const vrp_routes *routes, const bool *is_chosen)
{
    mco_status st = MCO_OK;
    int64_t count = 0, nodes = 0;
    for (int64_t k = 0; k < routes->count; k++) {
        count += is_chosen[k];
        nodes += is_chosen[k] ? vrp_routes_length(routes, k) : 0;
    }
    MCO_TRY(mco_alloc(p->ctx, &p->index, count));
    MCO_TRY(mco_alloc(p->ctx, &p->cost, count));
    MCO_TRY(mco_alloc(p->ctx, &p->first, count + 1));
    MCO_TRY(mco_alloc(p->ctx, &p->node, nodes));
    MCO_TRY(mco_alloc(p->ctx, &p->members, count * p->words));
    MCO_TRY(mco_alloc(p->ctx, &p->allowed, count));
    MCO_TRY(mco_alloc(p->ctx, &p->column, count));
    MCO_TRY(mco_alloc(p->ctx, &p->value, count));
    MCO_TRY(mco_alloc(p->ctx, &p->reduced, count));
    for (int64_t k = 0; k < routes->count; k++) {
        const int32_t *node = routes->node + routes->first[k], length = vrp_routes_length(routes, k), j = p->routes;
        if (!is_chosen[k])
            continue;
        memcpy(p->node + p->first[j], node, (size_t)length * sizeof *node);
        (void)collect_members(node, length, p->members + (int64_t)j * p->words);
        p->index[j] = k;
        p->cost[j] = exact_cost(p->problem->vrp, node, length);
        p->allowed[j] = true;
        p->first[++p->routes] = p->first[j] + length;
    }
done:
    return st;
}

// ---- The program

static mco_status add_first_rows(pool_program *p)
{
    mco_status st = MCO_OK;
    double *side = NULL;
    const double least = p->fleet.least, most = p->fleet.most;
    MCO_TRY(mco_alloc(p->ctx, &side, p->customers));
    for (int32_t i = 0; i < p->customers; i++)
        side[i] = 1;
    MCO_TRY(mco_lp_add_rows(p->ctx, p->lp, p->customers, side, side, NULL, NULL, NULL));
    MCO_TRY(mco_lp_add_rows(p->ctx, p->lp, 1, &least, &most, NULL, NULL, NULL));
done:
    mco_free(p->ctx, &side);
    return st;
}

// A route of each customer that no vehicle drives, and a vehicle without customers.
static mco_status add_artificial_columns(pool_program *p)
{
    mco_status st = MCO_OK;
    const double cost = (double)p->artificial, least = 0, most = INFINITY, value = 1;
    const int64_t first[2] = {0, 1};
    for (int32_t row = 0; row <= p->customers; row++)
        MCO_TRY(mco_lp_add_columns(p->ctx, p->lp, 1, &cost, &least, &most, first, &row, &value));
done:
    return st;
}

static mco_status add_first_columns(pool_program *p, int32_t begin)
{
    mco_status st = MCO_OK;
    int32_t *route = NULL, count = 0;
    MCO_TRY(mco_alloc(p->ctx, &route, p->routes));
    for (int32_t j = 0; j < p->routes; j++) {
        p->column[j] = -1;
        if (j < begin)
            route[count++] = j;
    }
    MCO_TRY(pool_add_columns(p, route, count));
done:
    mco_free(p->ctx, &route);
    return st;
}

// Errors: LIMIT (sums of a proof would leave SUM_BITS).
static mco_status choose_unit(pool_program *p, int64_t known)
{
    int bits = 0;
    const double terms = (double)p->artificial * PRICES * (2.0 * p->customers + RHS * POOL_MOST_CUTS);
    if (terms >= ldexp(1, SUM_BITS))
        return mco_fail(p->ctx, MCO_ERR_LIMIT, "plans of %d customers that cost up to %lld, proofs of lists take at most %.0f", p->customers,
                        (long long)known, (double)known * ldexp(1, SUM_BITS) / terms);
    while (bits < MOST_UNIT_BITS && ldexp(terms, bits + 1) < ldexp(1, SUM_BITS))
        bits++;
    p->unit = (int64_t)1 << bits;
    p->most_price = (double)p->artificial * PRICES * (double)p->unit * floor(ldexp(1, SUM_BITS - bits) / terms);
    return MCO_OK;
}

int64_t pool_most_cost(const vrp_bound_problem *problem)
{
    return 2 * (int64_t)problem->customers * problem->vrp->longest + 1;
}

mco_status pool_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_routes *routes, int64_t known, int32_t begin,
                     double stop_s, pool_program *out)
{
    mco_status st = MCO_OK;
    bool *is_chosen = NULL;
    pool_program p = {.ctx = ctx, .problem = problem, .customers = problem->customers, .words = (problem->nodes + 63) / 64,
                      .fleet = problem->fleet, .stop_s = stop_s, .artificial = PLANS_OF_ARTIFICIAL * (known > 0 ? known : 1)};
    vrp_cuts_open(problem, &p.cuts);
    MCO_TRY(choose_unit(&p, known));
    MCO_TRY(mco_alloc(ctx, &is_chosen, routes->count));
    MCO_TRY(choose_routes(&p, routes, known, is_chosen));
    MCO_TRY(copy_routes(&p, routes, is_chosen));
    MCO_TRY(mco_alloc(ctx, &p.price, p.customers + 1));
    MCO_TRY(mco_lp_open(ctx, &p.lp));
    MCO_TRY(add_first_rows(&p));
    MCO_TRY(add_artificial_columns(&p));
    MCO_TRY(add_first_columns(&p, begin));
    *out = p;
done:
    mco_free(ctx, &is_chosen);
    if (st != MCO_OK)
        pool_close(&p);
    return st;
}

void pool_close(pool_program *p)
{
    for (int64_t k = 0; k < p->row_room; k++) {
        mco_free(p->ctx, &p->rows[k].route);
        mco_free(p->ctx, &p->rows[k].times);
    }
    mco_free(p->ctx, &p->rows);
    mco_lp_close(p->ctx, &p->lp);
    vrp_cuts_close(p->ctx, &p->cuts);
    mco_free(p->ctx, &p->index);
    mco_free(p->ctx, &p->cost);
    mco_free(p->ctx, &p->first);
    mco_free(p->ctx, &p->node);
    mco_free(p->ctx, &p->members);
    mco_free(p->ctx, &p->allowed);
    mco_free(p->ctx, &p->column);
    mco_free(p->ctx, &p->value);
    mco_free(p->ctx, &p->reduced);
    mco_free(p->ctx, &p->price);
}

// ---- Rows

static mco_status fill_row(pool_program *p, const vrp_cut *cut, pool_row *row)
{
    mco_status st = MCO_OK;
    int32_t *times = NULL;
    int64_t count = 0;
    MCO_TRY(mco_alloc(p->ctx, &times, p->routes));
    for (int32_t j = 0; j < p->routes; j++) {
        times[j] = vrp_cut_coefficient(cut, p->node + p->first[j], (int32_t)(p->first[j + 1] - p->first[j]));
        count += times[j] != 0;
        row->most = times[j] > row->most ? times[j] : row->most;
    }
    MCO_TRY(mco_alloc(p->ctx, &row->route, count));
    MCO_TRY(mco_alloc(p->ctx, &row->times, count));
    for (int32_t j = 0; j < p->routes; j++) {
        if (times[j] == 0)
            continue;
        row->route[row->count] = j;
        row->times[row->count++] = times[j];
    }
done:
    mco_free(p->ctx, &times);
    return st;
}

// An artificial route of a customer crosses each set that it is in twice. So it meets SET rows too.
static mco_status add_row(pool_program *p, const vrp_cut *cut, const pool_row *row)
{
    mco_status st = MCO_OK;
    int32_t *column = NULL;
    double *value = NULL;
    int64_t first[2] = {0, 0};
    const double least = cut->sense == VRP_CUT_AT_LEAST ? (double)cut->rhs : -INFINITY;
    const double most = cut->sense == VRP_CUT_AT_MOST ? (double)cut->rhs : INFINITY;
    MCO_TRY(mco_alloc(p->ctx, &column, row->count + cut->size));
    MCO_TRY(mco_alloc(p->ctx, &value, row->count + cut->size));
    for (int32_t k = 0; cut->kind == VRP_CUT_SET && cut->sense == VRP_CUT_AT_LEAST && k < cut->size; k++) {
        column[first[1]] = cut->node[k] - 1;
        value[first[1]++] = 2;
    }
    for (int64_t k = 0; k < row->count; k++) {
        if (p->column[row->route[k]] < 0)
            continue;
        column[first[1]] = p->column[row->route[k]];
        value[first[1]++] = row->times[k];
    }
    MCO_TRY(mco_lp_add_rows(p->ctx, p->lp, 1, &least, &most, first, column, value));
done:
    mco_free(p->ctx, &column);
    mco_free(p->ctx, &value);
    return st;
}

mco_status pool_add_rows(pool_program *p, int64_t from)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(p->ctx, &p->rows, &p->row_room, p->cuts.count));  // never more than POOL_MOST_CUTS
    for (int64_t k = from; k < p->cuts.count; k++) {
        if (vrp_bound_is_over(p->ctx, p->stop_s)) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
        MCO_TRY(fill_row(p, &p->cuts.cut[k], &p->rows[k]));
        MCO_TRY(add_row(p, &p->cuts.cut[k], &p->rows[k]));
    }
done:
    return st;
}

// ---- Fewer routes

static void move_routes(pool_program *p, const bool *keep)
{
    int32_t kept = 0;
    int64_t nodes = 0;
    for (int32_t j = 0; j < p->routes; j++) {
        const int64_t begin = p->first[j], length = p->first[j + 1] - begin;
        if (!keep[j])
            continue;
        memmove(p->node + nodes, p->node + begin, (size_t)length * sizeof *p->node);
        memmove(p->members + (int64_t)kept * p->words, p->members + (int64_t)j * p->words, (size_t)p->words * sizeof *p->members);
        p->index[kept] = p->index[j];
        p->cost[kept] = p->cost[j];
        p->allowed[kept] = p->allowed[j];
        p->column[kept] = p->column[j];
        p->value[kept] = p->value[j];
        p->reduced[kept] = p->reduced[j];
        p->first[kept++] = nodes;
        nodes += length;
    }
    p->routes = kept;
    p->first[kept] = nodes;
}

// Leaves out the routes that are gone; now [routes]: where each is, -1: gone.
static void move_entries(pool_row *row, const int32_t *now)
{
    int64_t kept = 0;
    row->most = 0;
    for (int64_t e = 0; e < row->count; e++) {
        if (now[row->route[e]] < 0)
            continue;
        row->route[kept] = now[row->route[e]];
        row->times[kept] = row->times[e];
        row->most = row->times[kept] > row->most ? row->times[kept] : row->most;
        kept++;
    }
    row->count = kept;
}

// Deletes the columns of routes that go; the others move up.
static mco_status delete_columns(pool_program *p, const bool *keep)
{
    mco_status st = MCO_OK;
    const int32_t columns = mco_lp_columns(p->lp);
    int32_t *now = NULL, *gone = NULL, count = 0;
    MCO_TRY(mco_alloc(p->ctx, &now, columns));
    MCO_TRY(mco_alloc(p->ctx, &gone, columns));
    for (int32_t j = 0; j < p->routes; j++)
        if (!keep[j] && p->column[j] >= 0)
            now[p->column[j]] = -1;
    for (int32_t c = 0; c < columns; c++) {
        if (now[c] < 0)
            gone[count++] = c;
        else
            now[c] = c - count;
    }
    MCO_TRY(mco_lp_delete_columns(p->ctx, p->lp, count, gone));
    for (int32_t j = 0; j < p->routes; j++)
        p->column[j] = p->column[j] < 0 ? -1 : now[p->column[j]];
done:
    mco_free(p->ctx, &now);
    mco_free(p->ctx, &gone);
    return st;
}

mco_status pool_keep(pool_program *p, const bool *keep)
{
    mco_status st = MCO_OK;
    int32_t *now = NULL, count = 0;
    MCO_TRY(mco_alloc(p->ctx, &now, p->routes));
    for (int32_t j = 0; j < p->routes; j++)
        now[j] = keep[j] ? count++ : -1;
    MCO_TRY(delete_columns(p, keep));
    move_routes(p, keep);
    for (int64_t k = 0; k < p->cuts.count; k++)
        move_entries(&p->rows[k], now);
done:
    mco_free(p->ctx, &now);
    return st;
}

mco_status pool_restrict(pool_program *p, const bool *allowed, vrp_fleet fleet)
{
    mco_status st = MCO_OK;
    int32_t *column = NULL, count = 0;
    double *least = NULL, *most = NULL;
    const double routes_least = fleet.least, routes_most = fleet.most;
    MCO_TRY(mco_alloc(p->ctx, &column, p->routes));
    MCO_TRY(mco_alloc(p->ctx, &least, p->routes));
    MCO_TRY(mco_alloc(p->ctx, &most, p->routes));
    for (int32_t j = 0; j < p->routes; j++) {
        if (allowed[j] != p->allowed[j] && p->column[j] >= 0) {
            column[count] = p->column[j];
            most[count++] = allowed[j] ? INFINITY : 0;
        }
        p->allowed[j] = allowed[j];
    }
    MCO_TRY(mco_lp_set_column_bounds(p->ctx, p->lp, count, column, least, most));
    MCO_TRY(mco_lp_set_row_bounds(p->ctx, p->lp, 1, &p->customers, &routes_least, &routes_most));
    p->fleet = fleet;
done:
    mco_free(p->ctx, &column);
    mco_free(p->ctx, &least);
    mco_free(p->ctx, &most);
    return st;
}

// ---- The proof

// The most that a price of a row with this right-hand side and entries may be. So each of its terms, in the bound and in a reduced cost,
// is in range.
static double most_price(const pool_program *p, int64_t rhs, int64_t entry)
{
    const int64_t size = rhs > entry ? rhs : entry;
    return p->most_price / (size > RHS ? (double)size / RHS : 1);
}

// A dual as a price of such a row.
static int64_t rounded(const pool_program *p, double dual, int64_t rhs, int64_t entry)
{
    const double most = most_price(p, rhs, entry);
    return (int64_t)llround(fmax(-most, fmin(most, dual * (double)p->unit)));
}

// What all duals are taken times, at most 1, so that none exceeds its most. Where a node has no plan, artificial columns make some of them
// very large. Costs are not negative, so lesser duals of the same proportions price no route below 0, and prove a lesser value.
static double scale_of(const pool_program *p, const double *dual)
{
    double scale = 1;
    for (int64_t i = 0; i <= p->customers + p->cuts.count; i++) {
        const int64_t k = i - p->customers - 1;
        const double most = k < 0 ? most_price(p, 1, 1) : most_price(p, p->cuts.cut[k].rhs, p->rows[k].most);
        if (fabs(dual[i]) * (double)p->unit * scale > most)
            scale = most / (fabs(dual[i]) * (double)p->unit);
    }
    return scale;
}

// A row k of `cuts` at its price, taken off the reduced costs of its routes.
static int64_t price_row(pool_program *p, int64_t k, double dual)
{
    const vrp_cut *cut = &p->cuts.cut[k];
    pool_row *row = &p->rows[k];
    int64_t price = rounded(p, dual, cut->rhs, row->most);
    if (cut->sense == VRP_CUT_AT_LEAST ? price < 0 : price > 0)
        price = 0;
    row->price = price;
    for (int64_t e = 0; price != 0 && e < row->count; e++)
        p->reduced[row->route[e]] -= price * row->times[e];
    return price * cut->rhs;
}

void pool_prove(pool_program *p)
{
    const double *dual = mco_lp_duals(p->lp);
    const int32_t n = p->customers;
    const double scale = p->scale = scale_of(p, dual);
    int64_t bound = 0;
    for (int32_t i = 0; i <= n; i++)
        p->price[i] = rounded(p, scale * dual[i], 1, 1);
    for (int32_t i = 0; i < n; i++)
        bound += p->price[i];
    bound += p->price[n] * (p->price[n] > 0 ? p->fleet.least : p->fleet.most);
    for (int32_t j = 0; j < p->routes; j++) {
        p->reduced[j] = p->cost[j] * p->unit - p->price[n];
        for (int64_t k = p->first[j]; k < p->first[j + 1]; k++)
            p->reduced[j] -= p->price[p->node[k] - 1];
    }
    for (int64_t k = 0; k < p->cuts.count; k++)
        bound += price_row(p, k, scale * dual[n + 1 + k]);
    for (int32_t j = 0; j < p->routes && bound > -((int64_t)1 << SUM_BITS); j++)
        if (p->allowed[j] && p->reduced[j] < 0)
            bound += p->reduced[j];
    p->bound = bound;
}
