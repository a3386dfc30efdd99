// SPDX-License-Identifier: MIT
// The local search of the genetic search. Its result must be complete, never worse, reproducible, and a local optimum
// by a plain recount of all neighbours.
#include "vrp_genetic_support.h"

static void educate(vrp_local_search *local, vrp_weights w, uint64_t seed, vrp_genome *genome)
{
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    vrp_educate(local, w, (const vrp_genome *[2]){NULL, NULL}, &rng, genome);
}

// Routes must be sorted by the angle of their middle around the depot.
static void assert_sorted(const mco_vrp *p, const vrp_genome *genome)
{
    double last = -INFINITY;
    for (int32_t r = 0; r < genome->routes; r++) {
        double x = 0, y = 0;
        for (int32_t k = genome->first[r]; k < genome->first[r + 1]; k++) {
            x += p->x[genome->order[k]] - p->x[0];
            y += p->y[genome->order[k]] - p->y[0];
        }
        assert_true(atan2(y, x) >= last - 1e-9);
        last = atan2(y, x);
    }
}

// A local search that has seen other solutions under other weights must give the same result as a fresh one.
static void educate_once(const mco_vrp *problem, int32_t routes, vrp_weights w, bool splits, mco_rng *rng)
{
    vrp_network g = made_ground(problem, routes, 20);
    vrp_genome begin = {0}, fresh = {0}, again = {0};
    vrp_split *split = NULL;
    vrp_local_search *local = NULL, *used = NULL;
    const uint64_t seed = mco_rng_next(rng);
    assert_ok(vrp_genome_open(test_ctx, &g, &begin));
    assert_ok(vrp_genome_open(test_ctx, &g, &fresh));
    assert_ok(vrp_genome_open(test_ctx, &g, &again));
    assert_ok(vrp_split_open(test_ctx, &g, &split));
    assert_ok(vrp_local_search_open(test_ctx, &g, &local));
    assert_ok(vrp_local_search_open(test_ctx, &g, &used));
    for (int k = 0; k < 2; k++) {
        random_genome(&g, routes, rng, &again);
        educate(used, (vrp_weights){w.load / 3, w.length * 3}, seed + 1, &again);
    }
    random_genome(&g, routes, rng, &begin);
    if (splits) {
        vrp_split_run(split, w, &begin);
        vrp_genome_complete(&g, &begin);
    }
    vrp_genome_copy(&g, &fresh, &begin);
    vrp_genome_copy(&g, &again, &begin);
    educate(local, w, seed, &fresh);
    educate(used, w, seed, &again);
    assert_complete(&g, &fresh);
    assert_true(plain_cost(problem, w, &fresh) <= plain_cost(problem, w, &begin) * (1 + 1e-12) + 1e-6);
    if (problem->x != NULL)
        assert_sorted(problem, &fresh);
    assert_int_equal(fresh.routes, again.routes);
    assert_memory_equal(fresh.first, again.first, ((size_t)fresh.routes + 1) * sizeof *fresh.first);
    assert_memory_equal(fresh.order, again.order, (size_t)g.customers * sizeof *fresh.order);
    vrp_local_search_close(test_ctx, &used);
    vrp_local_search_close(test_ctx, &local);
    vrp_split_close(test_ctx, &split);
    vrp_genome_close(test_ctx, &again);
    vrp_genome_close(test_ctx, &fresh);
    vrp_genome_close(test_ctx, &begin);
    free_ground(&g);
}

static void education_never_makes_worse_and_is_the_same_again(void **state)
{
    enum { MOST = 60 };
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 60 : 300); k++) {
        const int32_t n = k < 8 ? 1 + k / 2 : 1 + (int32_t)mco_rng_below(&rng, MOST);
        const vrp_made made = {.customers = n,
                               .capacity = 6 + (int32_t)mco_rng_below(&rng, 60),
                               .is_matrix = k % 3 == 0,
                               .is_real = k % 3 == 1,
                               .has_service = k % 4 < 2,
                               .max_length = k % 5 < 3 ? 300.0 + mco_rng_below(&rng, 3000) : -1};
        mco_vrp *problem = made_problem(&rng, &made);
        const int32_t routes = k % 6 == 0 ? 1 : 1 + (int32_t)mco_rng_below(&rng, (uint32_t)n);
        const double size = pow(10, 2 - 4 * mco_rng_real(&rng));
        const vrp_weights w = {k % 11 == 0 ? 0 : size * 300 * problem->scale, k % 11 == 1 ? 0 : size};
        educate_once(problem, routes, w, k % 2 == 0, &rng);
        mco_vrp_destroy(test_ctx, &problem);
    }
}

// ---- All neighbours of a solution, as a tour with a depot before, between and after its routes

enum { MOST_PLACES = 80, NEAR_ROUTES = 5 };

typedef struct tour {
    const vrp_network *network;
    vrp_weights weights;
    int32_t node[MOST_PLACES], count;
    double best;          // cost of the cheapest neighbour so far
    char what[80];        // the name of that neighbour
} tour;

static double cost_of(const tour *t, const int32_t *node, int32_t count)
{
    const mco_vrp *p = t->network->problem;
    int64_t load = 0, way = 0, length = 0;
    double cost = 0;
    for (int32_t k = 1; k < count; k++) {
        way += t->network->distance[node[k - 1] * p->nodes + node[k]];
        length += vrp_service(p, node[k]);
        load += p->demand[node[k]];
        if (node[k] != 0)
            continue;
        length += way;
        cost += (double)way + t->weights.load * (double)(load > p->capacity ? load - p->capacity : 0) +
                t->weights.length * (double)(length > p->max_length ? length - p->max_length : 0);
        load = way = length = 0;
    }
    return cost;
}

static tour tour_of(const vrp_network *g, vrp_weights w, const vrp_genome *genome)
{
    tour t = {.network = g, .weights = w, .best = INFINITY};
    assert_true(g->customers + genome->routes + 2 <= MOST_PLACES);
    for (int32_t r = 0; r < genome->routes; r++) {
        t.node[t.count++] = 0;
        for (int32_t k = genome->first[r]; k < genome->first[r + 1]; k++)
            t.node[t.count++] = genome->order[k];
    }
    t.node[t.count++] = 0;
    return t;
}

static void consider(tour *t, const int32_t *node, int32_t count, const char *what, int32_t i, int32_t j)
{
    const double cost = cost_of(t, node, count);
    if (cost < t->best) {
        t->best = cost;
        snprintf(t->what, sizeof t->what, "%s of %d and %d", what, t->node[i], t->node[j]);
    }
}

static bool has_depot(const tour *t, int32_t from, int32_t count)
{
    for (int32_t k = from; k < from + count; k++)
        if (k >= t->count || t->node[k] == 0)
            return true;
    return false;
}

static int32_t append(int32_t *out, int32_t at, const int32_t *node, int32_t from, int32_t to)
{
    for (int32_t k = from; k < to; k++)
        out[at++] = node[k];
    return at;
}

// The stretches of a places from i and of b places from j change places; if asked, the first one, of two, is turned.
static void swap_stretches(tour *t, int32_t i, int32_t a, int32_t j, int32_t b, bool turns, const char *what)
{
    int32_t out[MOST_PLACES], own[MOST_PLACES], at = 0;
    if (has_depot(t, i, a) || has_depot(t, j, b) || (i < j ? i + a > j : j + b > i))
        return;
    memcpy(own, t->node, sizeof own);
    if (turns) {
        own[i] = t->node[i + 1];
        own[i + 1] = t->node[i];
    }
    const bool is_before = i < j;
    at = append(out, at, own, 0, is_before ? i : j);
    at = is_before ? append(out, at, own, j, j + b) : append(out, at, own, i, i + a);
    at = is_before ? append(out, at, own, i + a, j) : append(out, at, own, j + b, i);
    at = is_before ? append(out, at, own, i, i + a) : append(out, at, own, j, j + b);
    at = append(out, at, own, is_before ? j + b : i + a, t->count);
    consider(t, out, t->count, what, i, j);
}

static int32_t left_of_route(const tour *t, int32_t i)
{
    int32_t count = 0;
    while (t->node[i + count] != 0)
        count++;
    return count;
}

// Turns i+1 .. j round: 2-opt, or, with two routes, 2-opt* that turns.
static void turn(tour *t, int32_t i, int32_t j)
{
    int32_t out[MOST_PLACES];
    memcpy(out, t->node, sizeof out);
    for (int32_t k = i + 1; k <= j; k++)
        out[k] = t->node[i + 1 + j - k];
    consider(t, out, t->count, has_depot(t, i, j - i) ? "turning 2-opt*" : "2-opt", i, j);
}

// Tries the moves of the customers at places i and j, where the one at j is near the one at i. With short lists of near
// customers the search does not try all of them. It tries only moves to behind j or to the beginning of its route, and
// exchanges from the customer with the smaller number. It leaves out stretches that touch: these moves are relocations
// of customers that need not be near.
static void try_neighbours(tour *t, int32_t i, int32_t j)
{
    const bool has_all = t->network->near_count == t->network->customers - 1, touches = j >= i - 2 && j <= i + 2;
    for (int32_t behind = t->node[j - 1] != 0 && !has_all; behind <= 1; behind++) {
        swap_stretches(t, i, 1, j + behind, 0, false, behind ? "relocation behind" : "relocation before");
        if (has_all || !touches) {
            swap_stretches(t, i, 2, j + behind, 0, false, "relocation of two");
            swap_stretches(t, i, 2, j + behind, 0, true, "turning relocation of two");
        }
    }
    if (has_all || !touches)
        swap_stretches(t, i, 2, j, 1, false, "exchange of two for one");
    if (has_all || (!touches && t->node[i] < t->node[j])) {
        swap_stretches(t, i, 1, j, 1, false, "exchange");
        swap_stretches(t, i, 2, j, 2, false, "exchange of two");
    }
    const bool is_other_route = has_depot(t, i < j ? i : j, i < j ? j - i : i - j);
    if (is_other_route && t->node[j - 1] == 0)
        swap_stretches(t, i + 1, left_of_route(t, i + 1), j, left_of_route(t, j), false, "2-opt* with the depot");
    if (i < j) {
        turn(t, i, j);
        if (is_other_route)
            swap_stretches(t, i + 1, left_of_route(t, i + 1), j + 1, left_of_route(t, j + 1), false, "2-opt*");
    }
}

static void try_own_route(tour *t, int32_t i)
{
    int32_t out[MOST_PLACES], at = append(out, 0, t->node, 0, i);
    at = append(out, at, t->node, i + 1, t->count);
    out[at++] = t->node[i];
    out[at++] = 0;
    consider(t, out, at, "own route", i, i);
}

static bool is_near(const vrp_network *g, int32_t u, int32_t v, int32_t most)
{
    for (int32_t k = 0; k < g->near_count && k < most; k++)
        if (g->near[u * g->near_count + k] == v)
            return true;
    return false;
}

// ---- SWAP*

// u and v leave their routes and go to any place of the other's route. Other changes do not count.
static void try_swap_star(tour *t, int32_t i, int32_t j)
{
    int32_t rest[MOST_PLACES], out[MOST_PLACES], count = 0, route_u = 0, route_v = 0, at_u[2] = {0}, at_v[2] = {0};
    for (int32_t k = 0; k < t->count; k++) {
        route_u += k <= i && t->node[k] == 0;
        route_v += k <= j && t->node[k] == 0;
        if (k != i && k != j)
            rest[count++] = t->node[k];
    }
    for (int32_t k = 0, route = 0; k < count; k++) {  // places behind which each may go: [0] .. [1] - 1
        if (rest[k] == 0) {
            at_v[1] = route == route_u ? k : at_v[1];
            at_u[1] = route == route_v ? k : at_u[1];
            route++;
            at_v[0] = route == route_u ? k : at_v[0];
            at_u[0] = route == route_v ? k : at_u[0];
        }
    }
    for (int32_t a = at_u[0]; a < at_u[1]; a++)
        for (int32_t b = at_v[0]; b < at_v[1]; b++) {
            int32_t at = 0;
            for (int32_t k = 0; k < count; k++) {
                out[at++] = rest[k];
                if (k == a)
                    out[at++] = t->node[i];
                if (k == b)
                    out[at++] = t->node[j];
            }
            consider(t, out, at, "SWAP*", i, j);
        }
}

// Whether a customer of the route of place i has a customer of the route of place j among its nearest.
static bool reaches(const tour *t, int32_t i, int32_t j)
{
    while (t->node[i - 1] != 0)
        i--;
    while (t->node[j - 1] != 0)
        j--;
    for (int32_t a = i; t->node[a] != 0; a++)
        for (int32_t b = j; t->node[b] != 0; b++)
            if (is_near(t->network, t->node[a], t->node[b], NEAR_ROUTES))
                return true;
    return false;
}

// ---- Local optima

static void assert_local_optimum(tour *t, bool is_free)
{
    const double cost = cost_of(t, t->node, t->count);
    for (int32_t i = 1; i < t->count - 1; i++) {
        if (t->node[i] == 0)
            continue;
        for (int32_t j = 1; j < t->count - 1; j++) {
            if (t->node[j] == 0 || i == j)
                continue;
            if (is_near(t->network, t->node[i], t->node[j], INT32_MAX))
                try_neighbours(t, i, j);
            if (i < j && has_depot(t, i, j - i) && reaches(t, i, j) && reaches(t, j, i)) {
                try_swap_star(t, i, j);
                swap_stretches(t, i, 1, j + 1, 0, false, "SWAP* alone");
                swap_stretches(t, j, 1, i + 1, 0, false, "SWAP* alone");
            }
        }
        if (is_free)
            try_own_route(t, i);
    }
    if (t->best < cost - 1e-3)
        fail_msg("%s improves %.6f to %.6f", t->what, cost, t->best);
}

// A small instance. A customer's near ones are all others or eight; there is room for a few routes.
typedef struct class {
    mco_vrp *problem;
    vrp_network network;
    vrp_weights weights;
    vrp_local_search *local;
    vrp_genome genome[3];
    int32_t routes;
} class;

static class open_class(mco_rng *rng, int k)
{
    const int32_t n = 20 + (int32_t)mco_rng_below(rng, 15), routes = 2 + (int32_t)mco_rng_below(rng, 8);
    const vrp_made made = {.customers = n,
                           .capacity = 5 * n / routes + (int32_t)mco_rng_below(rng, 20),
                           .is_matrix = k % 4 == 0,
                           .is_real = k % 4 == 1,
                           .has_service = k % 3 == 0,
                           .max_length = k % 3 < 2 ? 2500 : -1};
    class c = {.problem = made_problem(rng, &made), .routes = routes};
    c.network = made_ground(c.problem, routes, k % 2 == 0 ? n : 8);
    c.weights = (vrp_weights){c.problem->scale * pow(10, 3 * mco_rng_real(rng)), pow(10, 1 - 2 * mco_rng_real(rng))};
    for (int i = 0; i < COUNT_OF(c.genome); i++)
        assert_ok(vrp_genome_open(test_ctx, &c.network, &c.genome[i]));
    return c;
}

static void close_class(class *c)
{
    vrp_local_search_close(test_ctx, &c->local);
    for (int i = 0; i < COUNT_OF(c->genome); i++)
        vrp_genome_close(test_ctx, &c->genome[i]);
    free_ground(&c->network);
    mco_vrp_destroy(test_ctx, &c->problem);
}

static void assert_educated(const class *c, vrp_weights w, const vrp_genome *genome)
{
    tour t = tour_of(&c->network, w, genome);
    assert_complete(&c->network, genome);
    assert_local_optimum(&t, genome->routes < c->routes);
}

static void education_ends_at_local_optima(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 2, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 30 : 240); k++) {
        class c = open_class(&rng, k);
        assert_ok(vrp_local_search_open(test_ctx, &c.network, &c.local));
        random_genome(&c.network, c.routes, &rng, &c.genome[0]);
        educate(c.local, c.weights, mco_rng_next(&rng), &c.genome[0]);
        assert_educated(&c, c.weights, &c.genome[0]);
        close_class(&c);
    }
}

// Moves that the education of the parents has tried are not tried again, and nothing is missed by that.
static void children_of_educated_parents_are_local_optima(void **state)
{
    bool is_taken[MOST_PLACES];
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 30 : 240); k++) {
        class c = open_class(&rng, k);
        vrp_genome *a = &c.genome[0], *b = &c.genome[1], *child = &c.genome[2];
        vrp_split *split = NULL;
        assert_ok(vrp_local_search_open(test_ctx, &c.network, &c.local));
        assert_ok(vrp_split_open(test_ctx, &c.network, &split));
        for (int i = 0; i < 2; i++) {
            random_genome(&c.network, c.routes, &rng, &c.genome[i]);
            educate(c.local, c.weights, mco_rng_next(&rng), &c.genome[i]);
        }
        vrp_cross(c.network.customers, a->order, b->order, &rng, is_taken, child->order);
        vrp_split_run(split, c.weights, child);
        vrp_educate(c.local, c.weights, (const vrp_genome *[2]){a, b}, &rng, child);
        assert_educated(&c, c.weights, child);
        vrp_split_close(test_ctx, &split);
        close_class(&c);
    }
}

static void turn_routes(const class *c, vrp_genome *genome, int32_t from, int32_t to)
{
    for (int32_t r = from; r < to; r++)
        for (int32_t i = genome->first[r], k = genome->first[r + 1] - 1; i < k; i++, k--) {
            const int32_t customer = genome->order[i];
            genome->order[i] = genome->order[k];
            genome->order[k] = customer;
        }
    vrp_genome_complete(&c->network, genome);
}

// Routes that come from one parent are not improved among themselves, even here, where moves would pay because no
// parent has been educated. They are improved together with the routes that the other parent has.
static void routes_of_one_parent_are_left_alone(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 4, 0);
    for (int k = 0; k < 20; k++) {
        class c = open_class(&rng, k);
        vrp_genome *a = &c.genome[0], *b = &c.genome[1], *child = &c.genome[2];
        assert_ok(vrp_local_search_open(test_ctx, &c.network, &c.local));
        random_genome(&c.network, c.routes, &rng, child);
        for (int32_t r = 0; r <= c.routes; r++)  // at least two customers in each
            child->first[r] = r * c.network.customers / c.routes;
        child->routes = c.routes;
        vrp_genome_complete(&c.network, child);
        vrp_genome_copy(&c.network, a, child);
        vrp_genome_copy(&c.network, b, child);
        vrp_educate(c.local, c.weights, (const vrp_genome *[2]){a, b}, &rng, child);
        assert_int_equal(child->cost, a->cost);
        turn_routes(&c, a, 0, c.routes / 2);  // b still has all routes
        vrp_educate(c.local, c.weights, (const vrp_genome *[2]){a, b}, &rng, child);
        assert_int_equal(child->cost, b->cost);
        vrp_genome_copy(&c.network, child, b);
        turn_routes(&c, b, c.routes / 2, c.routes);
        const double before = vrp_weighted_cost(child, c.weights);
        vrp_educate(c.local, c.weights, (const vrp_genome *[2]){a, b}, &rng, child);
        assert_true(vrp_weighted_cost(child, c.weights) < before);
        close_class(&c);
    }
}

static void repair_ends_at_local_optima(void **state)
{
    int repaired = 0;
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 5, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 30 : 240); k++) {
        class c = open_class(&rng, k);
        vrp_genome *genome = &c.genome[0];
        const vrp_weights low = {c.weights.load / 10, c.weights.length / 10};
        assert_ok(vrp_local_search_open(test_ctx, &c.network, &c.local));
        random_genome(&c.network, c.routes, &rng, genome);
        educate(c.local, low, mco_rng_next(&rng), genome);
        const double before = vrp_weighted_cost(genome, c.weights);
        vrp_repair(c.local, c.weights, &rng, genome);
        repaired += vrp_weighted_cost(genome, c.weights) < before;
        assert_educated(&c, c.weights, genome);
        close_class(&c);
    }
    assert_true(repaired > 5);
}

// Two full routes. Their last customers, 4 and 8, have the same demand, and each lies beside the other's route. They
// change routes: 4 goes between 5 and 6, 8 between 1 and 3.
static void swap_star_finds_what_no_other_move_does(void **state)
{
    enum { N = 8 };
    static const double x[N + 1] = {50, 90, 10, 20, 20, 20, 30, 40, 100}, y[N + 1] = {50, 30, 80, 10, 100, 80, 90, 50, 10};
    static const int32_t demands[N] = {8, 4, 7, 9, 7, 5, 7, 9};
    static const int32_t order[N] = {1, 3, 2, 4, 7, 5, 6, 8}, first[] = {0, 4, 8};
    const vrp_weights w = {1000, 1};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    vrp_genome genome = {0};
    vrp_local_search *local = NULL;
    (void)state;
    model.capacity = 28;
    assert_ok(mco_vrp_from_coordinates(test_ctx, N, x, y, demands, &model, &problem));
    vrp_network g = made_ground(problem, 2, N);
    assert_ok(vrp_genome_open(test_ctx, &g, &genome));
    assert_ok(vrp_local_search_open(test_ctx, &g, &local));
    memcpy(genome.order, order, sizeof order);
    memcpy(genome.first, first, sizeof first);
    genome.routes = 2;
    vrp_genome_complete(&g, &genome);
    tour t = tour_of(&g, w, &genome);
    const double begin = cost_of(&t, t.node, t.count);
    for (int32_t i = 1; i < t.count - 1; i++)
        for (int32_t j = 1; j < t.count - 1; j++)
            if (t.node[i] != 0 && t.node[j] != 0 && i != j)
                try_neighbours(&t, i, j);
    if (t.best < begin)
        fail_msg("%s improves %g to %g", t.what, begin, t.best);
    t.best = INFINITY;
    for (int32_t i = 1; i < 5; i++)
        for (int32_t j = 6; j < t.count - 1; j++)
            try_swap_star(&t, i, j);
    assert_string_equal(t.what, "SWAP* of 4 and 8");
    assert_true(t.best < begin - 100);
    educate(local, w, 1, &genome);
    assert_complete(&g, &genome);
    assert_true(vrp_weighted_cost(&genome, w) <= t.best);
    vrp_local_search_close(test_ctx, &local);
    vrp_genome_close(test_ctx, &genome);
    free_ground(&g);
    mco_vrp_destroy(test_ctx, &problem);
}

// Two routes are so far over the limit that their penalty is rounded to parts of 1.5e-5. A customer can go from one to
// the other and back at no cost. If the sum of rounded costs seemed to fall both ways, education would not end.
static void moves_that_undo_each_other_end(void **state)
{
    enum { N = 26, IN_FIRST = 9, SERVICE = 300000000, FAR_1 = 658, FAR_2 = 961 };
    const vrp_weights w = {1, 30.34};
    int32_t matrix[(N + 1) * (N + 1)] = {0}, demands[N] = {0};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp *problem = NULL;
    vrp_genome genome = {0};
    vrp_local_search *local = NULL;
    (void)state;
    for (int32_t i = 0; i <= N; i++) {  // all at one place but the first of each route
        matrix[i * (N + 1) + 1] = matrix[N + 1 + i] = i == 1 ? 0 : FAR_1;
        matrix[i * (N + 1) + IN_FIRST + 1] = matrix[(IN_FIRST + 1) * (N + 1) + i] = i == IN_FIRST + 1 ? 0 : FAR_2;
    }
    matrix[N + 1 + IN_FIRST + 1] = matrix[(IN_FIRST + 1) * (N + 1) + 1] = FAR_1 + FAR_2;
    model.capacity = 1;
    model.max_length = 1e9;
    model.service_time = SERVICE;
    assert_ok(mco_vrp_create(test_ctx, N, matrix, demands, &model, &problem));
    vrp_network g = made_ground(problem, 2, 20);
    assert_ok(vrp_genome_open(test_ctx, &g, &genome));
    assert_ok(vrp_local_search_open(test_ctx, &g, &local));
    for (int32_t k = 0; k < N; k++)
        genome.order[k] = k + 1;
    genome.first[1] = IN_FIRST;
    genome.first[2] = N;
    genome.routes = 2;
    vrp_genome_complete(&g, &genome);
    const int64_t before = genome.length_excess;
    educate(local, w, 1, &genome);
    assert_complete(&g, &genome);
    assert_int_equal(genome.length_excess, before);
    vrp_local_search_close(test_ctx, &local);
    vrp_genome_close(test_ctx, &genome);
    free_ground(&g);
    mco_vrp_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(education_never_makes_worse_and_is_the_same_again),
                                       TEST(education_ends_at_local_optima),
                                       TEST(children_of_educated_parents_are_local_optima),
                                       TEST(routes_of_one_parent_are_left_alone),
                                       TEST(repair_ends_at_local_optima),
                                       TEST(swap_star_finds_what_no_other_move_does),
                                       TEST(moves_that_undo_each_other_end)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
