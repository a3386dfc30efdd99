// SPDX-License-Identifier: MIT
// Two dynamic programs over sets of customers, which are bits of a word. The first finds the cheapest route of every
// set (Bellman 1962, Held and Karp 1962). Its cost and its length differ by the service times of the set, so the
// cheapest route is the shortest as well: if it is too long, all routes of the set are. The second partitions the
// customers into routes. It takes 3^n / 2 steps for each vehicle, with 12 customers and vehicles 3 million, so it looks
// at no clock.
#include "vrp/search/exact.h"

#include "vrp/solution.h"

static const int64_t NONE = INT64_MAX / 4;  // two of them can be added; no sum of 24 distances comes near

typedef struct exact {
    const mco_vrp *problem;
    int32_t customers, routes;  // at most so many routes
    uint32_t sets;              // 1 << customers
    int64_t *way;    // [sets * customers] from the depot through the whole set to its customer c; NONE if c is not in it
    int64_t *route;  // [sets] the cheapest route of a set within the limits
    int64_t *best;   // [(routes + 1) * sets] row k: the cheapest partition of a set into at most k routes, or into exactly k
} exact;

static int64_t distance(const exact *e, int32_t from, int32_t to)
{
    return vrp_distance(e->problem, from, to);
}

// ---- Routes

// The cheapest way through `set` that ends in c and comes from the customer *before; -1: from the depot.
static int64_t find_way(const exact *e, uint32_t set, int32_t c, int32_t *before)
{
    const uint32_t rest = set & ~(1u << c);
    int64_t least = rest == 0 ? distance(e, 0, c + 1) : NONE;
    *before = -1;
    for (int32_t b = 0; b < e->customers; b++)
        if (rest >> b & 1 && e->way[rest * (uint32_t)e->customers + (uint32_t)b] + distance(e, b + 1, c + 1) < least) {
            least = e->way[rest * (uint32_t)e->customers + (uint32_t)b] + distance(e, b + 1, c + 1);
            *before = b;
        }
    return least;
}

// The cheapest route of `set`, whose last customer becomes *last.
static int64_t find_route(const exact *e, uint32_t set, int32_t *last)
{
    int64_t least = NONE;
    for (int32_t c = 0; c < e->customers; c++) {
        const int64_t cost = e->way[set * (uint32_t)e->customers + (uint32_t)c] + distance(e, c + 1, 0);
        if (cost < least) {
            least = cost;
            *last = c;
        }
    }
    return least;
}

static bool is_within(const exact *e, uint32_t set, int64_t cost)
{
    const mco_vrp *p = e->problem;
    int64_t load = 0, length = cost;
    for (int32_t c = 0; c < e->customers; c++)
        if (set >> c & 1) {
            load += p->demand[c + 1];
            length += vrp_service(p, c + 1);
        }
    return load <= p->capacity && (!vrp_has_max_length(p) || length <= p->max_length);
}

static void fill_routes(exact *e)
{
    int32_t unused;
    for (uint32_t set = 1; set < e->sets; set++) {
        for (int32_t c = 0; c < e->customers; c++)
            e->way[set * (uint32_t)e->customers + (uint32_t)c] = set >> c & 1 ? find_way(e, set, c, &unused) : NONE;
        const int64_t cost = find_route(e, set, &unused);
        e->route[set] = is_within(e, set, cost) ? cost : NONE;
    }
}

// ---- Partitions

// The cheapest partition of `set` into at most k routes. *first becomes the route that holds its lowest customer.
static int64_t find_partition(const exact *e, int32_t k, uint32_t set, uint32_t *first)
{
    const uint32_t lowest = set & (~set + 1), others = set ^ lowest;
    int64_t least = NONE;
    for (uint32_t more = others;; more = (more - 1) & others) {
        const int64_t cost = e->route[more | lowest] + e->best[(uint32_t)(k - 1) * e->sets + (others ^ more)];
        if (cost < least) {
            least = cost;
            *first = more | lowest;
        }
        if (more == 0)
            return least;
    }
}

static void fill_partitions(exact *e, bool is_exactly)
{
    uint32_t unused;
    for (int32_t k = 1; is_exactly && k <= e->routes; k++)
        e->best[(uint32_t)k * e->sets] = NONE;
    for (uint32_t set = 1; set < e->sets; set++)
        e->best[set] = NONE;
    for (int32_t k = 1; k <= e->routes; k++)
        for (uint32_t set = 1; set < e->sets; set++)
            e->best[(uint32_t)k * e->sets + set] = find_partition(e, k, set, &unused);
}

// ---- The solution

// Adds the cheapest route of `set`, from its end to its begin.
static void add_route(const exact *e, uint32_t set, mco_vrp_solution *out)
{
    const int32_t from = out->first[out->routes];
    int32_t at = from, c = -1;
    for (uint32_t left = set; left != 0; left &= left - 1)
        at++;
    out->first[++out->routes] = at;
    find_route(e, set, &c);
    while (at > from) {
        int32_t before;
        out->order[--at] = c;
        find_way(e, set, c, &before);
        set &= ~(1u << c);
        c = before;
    }
}

static mco_status note(const exact *e, vrp_search *search)
{
    mco_status st = MCO_OK;
    mco_vrp_solution s = {0};
    const int64_t cost = e->best[(uint32_t)e->routes * e->sets + e->sets - 1];
    MCO_TRY(vrp_solution_new(search->ctx, e->customers, e->customers, &s));
    s.routes = s.first[0] = 0;
    uint32_t left = e->sets - 1, first = 0;
    for (int32_t k = e->routes; left != 0; k--, left ^= first) {
        find_partition(e, k, left, &first);
        add_route(e, first, &s);
    }
    mco_run_raise_bound(&search->run, (double)(cost - search->shift) / e->problem->scale);
    MCO_TRY(vrp_search_note(search, &s, cost, "exact"));
done:
    mco_vrp_solution_clear(search->ctx, &s);
    return st;
}

mco_status vrp_search_exact(vrp_search *search)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = search->problem;
    const int32_t n = p->customers;
    exact e = {.problem = p, .customers = n, .routes = p->vehicles > 0 && p->vehicles < n ? p->vehicles : n, .sets = 1u << n};
    if (search->best_cost >= 0 && vrp_search_ends(search))
        return MCO_OK;
    MCO_TRY(mco_alloc(search->ctx, &e.way, (int64_t)e.sets * n));
    MCO_TRY(mco_alloc(search->ctx, &e.route, e.sets));
    MCO_TRY(mco_alloc(search->ctx, &e.best, ((int64_t)e.routes + 1) * e.sets));
    fill_routes(&e);
    fill_partitions(&e, search->exactly > 0);
    if (e.best[(uint32_t)e.routes * e.sets + e.sets - 1] < NONE)
        MCO_TRY(note(&e, search));
    search->is_proven = true;
    search->run.stop = MCO_STOP_FINISHED;
    search->work.threads = search->work.threads > 0 ? search->work.threads : 1;
done:
    mco_free(search->ctx, &e.best);
    mco_free(search->ctx, &e.route);
    mco_free(search->ctx, &e.way);
    return st;
}
