// SPDX-License-Identifier: MIT
#include "vrp/search/savings.h"

#include <string.h>

#include "vrp/search/neighbours.h"
#include "vrp/solution.h"

enum {
    FEW_CUSTOMERS = 1000,       // up to here all pairs
    MOST_NEIGHBOURS = 100,      // of a customer
    LEAST_NEIGHBOURS = 10,
    MOST_LISTED = 20000000,     // neighbours of all customers together, about
    WATCHED = 16                // items of vrp_watch_item() that the neighbours of a customer count
};

// A saving is at most 2^25 and at least -2^24. Plus BASE it has two digits.
enum { DIGIT_BITS = 13, DIGITS = 1 << DIGIT_BITS, BASE = MCO_VRP_MAX_DISTANCE };

typedef struct saving {
    int32_t amount, from, to;  // customers
} saving;

typedef struct savings {
    mco_context *ctx;
    const mco_vrp *problem;
    const vrp_watch *watch;
    saving *list, *sorted;  // [count], [room]
    int64_t count;
    int32_t *link;          // [2 * customers] before and behind each customer; if symmetric, in any order; -1: none
    int32_t *parent;        // [customers] forest: the root of a tree is the customer that stands for its route
    int32_t *load;          // [customers] load of the route, at the customer that stands for it
    int64_t *length;        // [customers] its length, at the same place
    int32_t routes;
} savings;

static void add_saving(savings *s, int32_t from, int32_t to)
{
    const mco_vrp *p = s->problem;
    const int32_t amount =
        vrp_distance(p, from + 1, 0) + vrp_distance(p, 0, to + 1) - vrp_distance(p, from + 1, to + 1);
    if (amount > 0 || p->vehicles > 0)
        s->list[s->count++] = (saving){amount, from, to};
}

static int32_t nearness(const mco_vrp *p, int32_t a, int32_t b)
{
    const int32_t d = vrp_distance(p, a + 1, b + 1), back = p->is_symmetric ? d : vrp_distance(p, b + 1, a + 1);
    return d < back ? d : back;
}

// If two customers are neighbours of each other, the pair is listed once. Only if it is as far apart as the last
// neighbour may it be listed twice; then the second one does nothing.
static mco_status list_savings(savings *s, const int32_t *neighbours, int32_t count)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    for (int32_t c = 0; c < p->customers; c++) {
        MCO_TRY(vrp_watch_item(s->ctx, s->watch, (int64_t)c * WATCHED));
        for (int32_t k = 0; k < count; k++) {
            const int32_t other = neighbours[(int64_t)c * count + k];
            const int32_t last_of_other = neighbours[(int64_t)other * count + count - 1];
            if (c > other && nearness(p, c, other) < nearness(p, other, last_of_other))
                continue;
            add_saving(s, c, other);
            if (!p->is_symmetric)
                add_saving(s, other, c);
        }
    }
done:
    return st;
}

static int32_t digit_of(saving s, int32_t shift)
{
    return (s.amount + BASE) >> shift & (DIGITS - 1);
}

// Sorts by digits: largest first, equal ones in the order of the list.
static mco_status sort_savings(savings *s)
{
    mco_status st = MCO_OK;
    for (int32_t shift = 0; shift < 2 * DIGIT_BITS; shift += DIGIT_BITS) {
        int64_t place[DIGITS + 1] = {0};
        MCO_TRY(vrp_watch_test(s->ctx, s->watch));
        for (int64_t k = 0; k < s->count; k++)
            place[DIGITS - digit_of(s->list[k], shift)]++;
        for (int32_t d = 0; d < DIGITS; d++)
            place[d + 1] += place[d];
        for (int64_t k = 0; k < s->count; k++) {
            MCO_TRY(vrp_watch_item(s->ctx, s->watch, k));
            s->sorted[place[DIGITS - 1 - digit_of(s->list[k], shift)]++] = s->list[k];
        }
        saving *swapped = s->list;
        s->list = s->sorted;
        s->sorted = swapped;
    }
done:
    return st;
}

static int32_t route_of(int32_t *parent, int32_t c)
{
    while (parent[c] != c)
        c = parent[c] = parent[parent[c]];
    return c;
}

static void join_routes(savings *s, saving join)
{
    const mco_vrp *p = s->problem;
    int32_t behind = 2 * join.from + 1, before = 2 * join.to;
    if (p->is_symmetric && s->link[behind] >= 0)
        behind--;
    if (p->is_symmetric && s->link[before] >= 0)
        before++;
    if (s->link[behind] >= 0 || s->link[before] >= 0)
        return;
    const int32_t a = route_of(s->parent, join.from), b = route_of(s->parent, join.to);
    const int64_t length = s->length[a] + s->length[b] - join.amount;
    if (a == b || (int64_t)s->load[a] + s->load[b] > p->capacity || (vrp_has_max_length(p) && length > p->max_length))
        return;
    s->link[behind] = join.to;
    s->link[before] = join.from;
    s->parent[b] = a;
    s->load[a] += s->load[b];
    s->length[a] = length;
    s->routes--;
}

// Writes the routes, each from the end with the lowest number; `parent` marks the customers that are written.
static void collect_routes(savings *s, mco_vrp_solution *out)
{
    int32_t count = 0, routes = 0;
    memset(s->parent, 0, (size_t)out->customers * sizeof *s->parent);
    for (int32_t c = 0; c < out->customers; c++) {
        const bool is_end = s->link[2 * c] < 0 || (s->problem->is_symmetric && s->link[2 * c + 1] < 0);
        if (!is_end || s->parent[c] != 0)
            continue;
        out->first[routes++] = count;
        for (int32_t at = c, last = -1; at >= 0;) {
            const int32_t next = s->link[2 * at] == last ? s->link[2 * at + 1] : s->link[2 * at];
            out->order[count++] = at;
            s->parent[at] = 1;
            last = at;
            at = next;
        }
    }
    out->first[routes] = count;
}

static mco_status open_savings(mco_context *ctx, savings *s, int32_t neighbour_count)
{
    mco_status st = MCO_OK;
    const mco_vrp *p = s->problem;
    const int64_t room = (int64_t)p->customers * neighbour_count * (p->is_symmetric ? 1 : 2);
    MCO_TRY(mco_alloc(ctx, &s->list, room));
    MCO_TRY(mco_alloc(ctx, &s->sorted, room));
    MCO_TRY(mco_alloc(ctx, &s->link, 2 * (int64_t)p->customers));
    MCO_TRY(mco_alloc(ctx, &s->parent, p->customers));
    MCO_TRY(mco_alloc(ctx, &s->load, p->customers));
    MCO_TRY(mco_alloc(ctx, &s->length, p->customers));
    s->routes = p->customers;
    for (int32_t c = 0; c < p->customers; c++) {
        s->link[2 * c] = s->link[2 * c + 1] = -1;
        s->parent[c] = c;
        s->load[c] = p->demand[c + 1];
        s->length[c] = (int64_t)vrp_distance(p, 0, c + 1) + vrp_distance(p, c + 1, 0) + vrp_service(p, c + 1);
    }
done:
    return st;
}

mco_status vrp_savings(mco_context *ctx, const mco_vrp *problem, int threads, const vrp_watch *watch, mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    savings s = {.ctx = ctx, .problem = problem, .watch = watch};
    const int32_t n = problem->customers, room = MOST_LISTED / n;
    int32_t *neighbours = NULL, count = n - 1;
    if (n > FEW_CUSTOMERS)
        count = room > MOST_NEIGHBOURS ? MOST_NEIGHBOURS : room > LEAST_NEIGHBOURS ? room : LEAST_NEIGHBOURS;
    MCO_TRY(vrp_neighbours(ctx, problem, &count, threads, watch, &neighbours));
    MCO_TRY(open_savings(ctx, &s, count));
    MCO_TRY(list_savings(&s, neighbours, count));
    MCO_TRY(sort_savings(&s));
    for (int64_t k = 0; k < s.count && (s.list[k].amount > 0 || s.routes > problem->vehicles); k++) {
        MCO_TRY(vrp_watch_item(ctx, watch, k));
        join_routes(&s, s.list[k]);
    }
    MCO_TRY(vrp_solution_new(ctx, n, s.routes, out));
    collect_routes(&s, out);
done:
    mco_free(ctx, &s.length);
    mco_free(ctx, &s.load);
    mco_free(ctx, &s.parent);
    mco_free(ctx, &s.link);
    mco_free(ctx, &s.sorted);
    mco_free(ctx, &s.list);
    mco_free(ctx, &neighbours);
    return st;
}
