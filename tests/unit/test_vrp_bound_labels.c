// SPDX-License-Identifier: MIT
// Labels against an enumeration of all routes: random small problems of any symmetry, prices of any sign, rows with limited memory,
// limits of length, absent arcs, neighbour sets of any size, with and without dense tables.
#include "test_support.h"

#include "base/clock.h"
#include "base/rng.h"
#include "vrp/bound/labels/labels.h"

enum { MOST_CUSTOMERS = 6, MOST_NODES = MOST_CUSTOMERS + 1, STRIDE = 16, MOST_VISITS = 8, ROUTES_ROOM = 1 << 12 };

// ---- Cases

typedef struct test_case {
    vrp_bound_problem problem;
    int32_t demand[MOST_NODES], service[MOST_NODES], price[MOST_NODES];
    int32_t cost[MOST_NODES * STRIDE], arcs[MOST_NODES * STRIDE];
    int32_t size[MOST_NODES], neighbour[MOST_NODES * VRP_NG_MOST];
    vrp_ng_sets sets;
    vrp_cuts cuts;
    uint64_t removed[1];
} test_case;

static int32_t between(mco_rng *rng, int32_t least, int32_t most)
{
    return least + (int32_t)mco_rng_below(rng, (uint32_t)(most - least + 1));
}

static void draw_problem(mco_rng *rng, test_case *c)
{
    vrp_bound_problem *p = &c->problem;
    const int32_t distances = between(rng, 0, 2) == 0 ? 3 : 100;
    p->customers = between(rng, 1, MOST_CUSTOMERS);
    p->nodes = p->customers + 1;
    p->stride = STRIDE;
    p->capacity = between(rng, 3, MOST_VISITS);
    p->least_demand = p->capacity;
    p->unit = 1;
    p->is_exact = true;
    p->is_symmetric = between(rng, 0, 2) > 0;
    p->fleet = (vrp_fleet){1, p->customers};
    p->max_length = between(rng, 0, 2) > 0 ? INT64_MAX : between(rng, 1, 4 * distances);
    p->demand = c->demand;
    p->cost = c->cost;
    p->service = p->max_length < INT64_MAX ? c->service : NULL;
    for (int32_t i = 1; i < p->nodes; i++) {
        c->demand[i] = between(rng, 1, 3);
        c->service[i] = between(rng, 0, distances / 3);
        c->price[i] = 2 * between(rng, -distances / 4, distances);
        if (c->demand[i] < p->least_demand)
            p->least_demand = c->demand[i];
    }
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < STRIDE; j++)
            c->cost[i * STRIDE + j] = i == j || j >= p->nodes ? VRP_NO_ARC
                                      : p->is_symmetric && j < i ? c->cost[j * STRIDE + i]
                                                                 : between(rng, 0, distances);
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++) {
            const bool is_gone = i != j && (p->is_symmetric && j < i ? c->removed[0] >> (j * p->nodes + i) & 1
                                                                     : (uint64_t)(between(rng, 0, 9) == 0));
            c->removed[0] |= (uint64_t)is_gone << (i * p->nodes + j);
        }
}

// Up to `most` members, ascending.
static int32_t draw_members(mco_rng *rng, int32_t customers, int32_t most, int32_t *node)
{
    int32_t count = 0;
    for (int32_t i = 1; i <= customers && count < most; i++)
        if (between(rng, 0, 1))
            node[count++] = i;
    return count;
}

static void draw_rows(mco_rng *rng, test_case *c)
{
    const int32_t rows = between(rng, 0, 6);
    vrp_cuts_open(&c->problem, &c->cuts);
    for (int32_t k = 0; k < rows; k++) {
        int32_t node[MOST_CUSTOMERS], numerator[VRP_RANK1_MOST_MEMBERS];
        const int32_t size = draw_members(rng, c->problem.customers, VRP_RANK1_MOST_MEMBERS, node), denominator = between(rng, 2, 5);
        for (int32_t m = 0; m < size; m++)
            numerator[m] = between(rng, 1, denominator - 1);
        const uint64_t memory = mco_rng_next(rng);
        if (size == 0)
            continue;
        if (between(rng, 0, 4) == 0) {
            assert_ok(vrp_cuts_add_set(test_ctx, &c->cuts, node, size, VRP_CUT_AT_LEAST, 2));
            c->cuts.cut[c->cuts.count - 1].price = between(rng, 0, 20);
        } else {
            assert_ok(vrp_cuts_add_rank1(test_ctx, &c->cuts, node, size, numerator, denominator, 1, between(rng, 0, 2) ? &memory : NULL));
            c->cuts.cut[c->cuts.count - 1].price = between(rng, 0, 5) ? -between(rng, 1, 60) : 0;
        }
    }
}

static void draw_sets(mco_rng *rng, test_case *c)
{
    const int32_t nodes = c->problem.nodes, odds = between(rng, 0, 3);
    c->sets = (vrp_ng_sets){nodes, c->size, c->neighbour};
    for (int32_t i = 0; i < nodes; i++) {
        c->size[i] = 1;
        for (int32_t j = 1; j < nodes && i > 0; j++)
            if (j != i && between(rng, 0, 2) < odds)
                c->neighbour[i * VRP_NG_MOST + c->size[i]++ - 1] = j;
    }
}

static test_case *new_case(mco_rng *rng)
{
    test_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    draw_problem(rng, c);
    draw_rows(rng, c);
    draw_sets(rng, c);
    vrp_prices_arcs(&c->problem, c->price, &c->cuts, c->removed, c->arcs);
    return c;
}

static void free_case(test_case *c)
{
    vrp_cuts_close(test_ctx, &c->cuts);
    free(c);
}

// ---- All routes

typedef struct plain {
    const test_case *c;
    bool is_elementary;
    int32_t node[MOST_VISITS + 1], count;
    int64_t least;                          // of all routes
    int64_t below;
    int64_t best_cost[1 << MOST_CUSTOMERS]; // elementary: the cheapest route of a set
    int64_t best_value[1 << MOST_CUSTOMERS];  // the least value of those of that cost
    int64_t arc_value[MOST_NODES * MOST_NODES];
} plain;

static bool in_set(const test_case *c, int32_t node, int32_t other)
{
    for (int32_t b = 0; b < c->size[node] - 1; b++)
        if (c->neighbour[node * VRP_NG_MOST + b] == other)
            return true;
    return node == other;
}

static bool has_arc(const test_case *c, int32_t i, int32_t j)
{
    return c->arcs[i * STRIDE + j] < VRP_NO_ARC;
}

// Whether the visit of `node` after node[0..count) is allowed: somebody since the last visit of it has forgotten it.
static bool may_visit(const test_case *c, bool is_elementary, const int32_t *visited, int32_t count, int32_t node)
{
    for (int32_t k = count - 1; k >= 0; k--) {
        if (visited[k] == node)
            return false;
        if (!is_elementary && !in_set(c, visited[k], node))
            return true;
    }
    return true;
}

static int64_t length_of(const test_case *c, const int32_t *node, int32_t count)
{
    int64_t length = vrp_bound_route_cost(&c->problem, node, count);
    for (int32_t k = 0; k < count && c->problem.service != NULL; k++)
        length += c->service[node[k]];
    return length;
}

static void close_plain(plain *b)
{
    const test_case *c = b->c;
    if (!has_arc(c, b->node[b->count - 1], 0) || length_of(c, b->node, b->count) > c->problem.max_length)
        return;
    const int64_t value = vrp_prices_route(&c->problem, c->price, &c->cuts, b->node, b->count);
    const int64_t cost = vrp_bound_route_cost(&c->problem, b->node, b->count);
    int32_t set = 0, at = 0;
    b->least = value < b->least ? value : b->least;
    for (int32_t k = 0; k <= b->count; k++) {
        const int32_t to = k < b->count ? b->node[k] : 0;
        int64_t *arc = &b->arc_value[at * MOST_NODES + to];
        *arc = value < *arc ? value : *arc;
        at = to;
        set |= to > 0 ? 1 << (to - 1) : 0;
    }
    if (!b->is_elementary)
        return;
    if (cost < b->best_cost[set] || (cost == b->best_cost[set] && value < b->best_value[set])) {
        b->best_cost[set] = cost;
        b->best_value[set] = value;
    }
}

static void walk_plain(plain *b, int32_t load)
{
    const test_case *c = b->c;
    for (int32_t k = 1; k < c->problem.nodes; k++) {
        if (load + c->demand[k] > c->problem.capacity || !has_arc(c, b->count > 0 ? b->node[b->count - 1] : 0, k) ||
            !may_visit(c, b->is_elementary, b->node, b->count, k))
            continue;
        b->node[b->count++] = k;
        close_plain(b);
        walk_plain(b, load + c->demand[k]);
        b->count--;
    }
}

static void find_all(const test_case *c, bool is_elementary, plain *b)
{
    *b = (plain){.c = c, .is_elementary = is_elementary, .least = VRP_NO_PATH};
    for (int32_t s = 0; s < 1 << MOST_CUSTOMERS; s++)
        b->best_cost[s] = b->best_value[s] = VRP_NO_PATH;
    for (int32_t a = 0; a < MOST_NODES * MOST_NODES; a++)
        b->arc_value[a] = VRP_NO_PATH;
    walk_plain(b, 0);
}

// ---- Comparisons

static void assert_route(const test_case *c, const vrp_label_task *task, const vrp_routes *routes, int64_t k)
{
    const int32_t *node = routes->node + routes->first[k], count = vrp_routes_length(routes, k);
    int32_t load = 0, at = 0;
    for (int32_t x = 0; x < count; x++) {
        assert_true(has_arc(c, at, node[x]));
        assert_true(may_visit(c, task->is_elementary, node, x, node[x]));
        at = node[x];
        load += c->demand[at];
    }
    assert_true(has_arc(c, at, 0));
    assert_true(load <= c->problem.capacity);
    assert_true(length_of(c, node, count) <= c->problem.max_length);
    assert_int_equal(routes->cost[k], vrp_bound_route_cost(&c->problem, node, count));
    assert_true(vrp_prices_route(&c->problem, c->price, &c->cuts, node, count) < task->below);
}

static void assert_sets_found(const plain *b, const vrp_label_task *task, const vrp_routes *routes)
{
    int64_t found[1 << MOST_CUSTOMERS];
    for (int32_t s = 0; s < 1 << MOST_CUSTOMERS; s++)
        found[s] = -1;
    for (int64_t k = 0; k < routes->count; k++) {
        int32_t set = 0;
        for (int64_t x = routes->first[k]; x < routes->first[k + 1]; x++)
            set |= 1 << (routes->node[x] - 1);
        assert_int_equal(found[set], -1);
        found[set] = routes->cost[k];
    }
    for (int32_t s = 0; s < 1 << MOST_CUSTOMERS; s++)
        if (b->best_value[s] < task->below)
            assert_int_equal(found[s], b->best_cost[s]);
}

// Over the sets of customers: the value of the cheapest route of each.
static int64_t least_of_cheapest(const plain *b, int64_t below)
{
    int64_t least = below;
    for (int32_t s = 0; s < 1 << MOST_CUSTOMERS; s++)
        least = b->best_value[s] < least ? b->best_value[s] : least;
    return least;
}

static vrp_label_task task_of(const test_case *c, bool is_elementary, int32_t below)
{
    return (vrp_label_task){.problem = &c->problem, .arcs = c->arcs, .cuts = &c->cuts, .sets = &c->sets, .below = below,
                            .most_routes = ROUTES_ROOM, .most_labels = 1 << 20, .is_elementary = is_elementary, .threads = 1,
                            .stop_s = INFINITY};
}

static void assert_one_run(const test_case *c, const plain *b, const vrp_label_task *task)
{
    vrp_routes routes;
    vrp_labels_result result;
    vrp_routes_open(c->problem.is_symmetric, &routes);
    assert_ok(vrp_label(test_ctx, task, &routes, &result));
    assert_int_equal(result.end, VRP_LABELS_DONE);
    const int64_t least = b->least < task->below ? b->least : task->below;
    const int64_t of_cheapest = task->is_elementary ? least_of_cheapest(b, task->below) : least;
    assert_true(least <= result.least && result.least <= of_cheapest);
    assert_true(of_cheapest == task->below || routes.count > 0);
    for (int64_t k = 0; k < routes.count; k++)
        assert_route(c, task, &routes, k);
    if (routes.count > 0 && !task->is_elementary)
        assert_int_equal(vrp_prices_route(&c->problem, c->price, &c->cuts, routes.node, vrp_routes_length(&routes, 0)), b->least);
    if (task->is_elementary)
        assert_sets_found(b, task, &routes);
    vrp_routes_close(test_ctx, &routes);
}

// Routes of a quick run are routes, its bound is one.
static void assert_quick_run(const test_case *c, const plain *b, vrp_label_task task)
{
    vrp_routes routes;
    vrp_labels_result result;
    task.is_quick = true;
    vrp_routes_open(c->problem.is_symmetric, &routes);
    assert_ok(vrp_label(test_ctx, &task, &routes, &result));
    assert_true(result.least <= b->least);
    for (int64_t k = 0; k < routes.count; k++)
        assert_route(c, &task, &routes, k);
    vrp_routes_close(test_ctx, &routes);
}

static void assert_run(const test_case *c, const plain *b, const vrp_label_task *task)
{
    if (!task->is_elementary)
        assert_quick_run(c, b, *task);
    vrp_label_task forward = *task;
    forward.is_one_way = true;
    assert_one_run(c, b, &forward);
    assert_one_run(c, b, task);
}

static void labels_equal_an_enumeration(void **state)
{
    (void)state;
    mco_rng rng;
    int64_t priced = 0, limited = 0;
    mco_rng_seed(&rng, 22, 0);
    plain *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 300 : 3000); k++) {
        test_case *c = new_case(&rng);
        for (int elementary = 0; elementary < 2; elementary++) {
            find_all(c, elementary, b);
            const int32_t least = b->least < VRP_NO_PATH ? (int32_t)b->least : 7;
            const int32_t belows[] = {0, VRP_NO_PATH, least + 1, least + between(&rng, 1, 60)};
            for (int x = 0; x < COUNT_OF(belows); x++) {
                const vrp_label_task task = task_of(c, elementary, belows[x]);
                assert_run(c, b, &task);
            }
        }
        priced += c->cuts.count > 2;
        limited += c->problem.max_length < INT64_MAX;
        free_case(c);
    }
    assert_true(priced > 50 && limited > 50);
    free(b);
}

// ---- Completion bounds

static const vrp_relax_settings plain_settings = {.engine = MCO_ENGINE_REFERENCE, .simd = MCO_SIMD_PORTABLE, .threads = 1,
                                                  .memory = 1e9};

// With tables of the same sets, and of smaller ones; elementary routes also with q tables.
static void assert_run_with_tables(mco_rng *rng, const test_case *c, const plain *b, vrp_label_task *task)
{
    vrp_ng_pass *pass = NULL;
    vrp_q_pass *q = NULL;
    vrp_ng_sets sets;
    assert_ok(vrp_ng_sets_copy(test_ctx, &c->sets, &sets));
    for (int32_t i = 1; i < c->problem.nodes && between(rng, 0, 1); i++)
        sets.size[i] = between(rng, 1, sets.size[i]);
    assert_ok(vrp_ng_open(test_ctx, &c->problem, &sets, &plain_settings, &pass));
    assert_ok(vrp_ng_run(test_ctx, pass, c->arcs, INFINITY));
    task->tables = pass;
    task->table_sets = &sets;
    assert_run(c, b, task);
    task->tables = NULL;
    task->table_sets = NULL;
    if (task->is_elementary) {
        assert_ok(vrp_q_open(test_ctx, &c->problem, &plain_settings, &q));
        assert_ok(vrp_q_run(test_ctx, q, c->arcs, INFINITY));
        task->q_tables = q;
        assert_run(c, b, task);
        task->q_tables = NULL;
        vrp_q_close(test_ctx, &q);
    }
    vrp_ng_close(test_ctx, &pass);
    vrp_ng_sets_close(test_ctx, &sets);
}

static void tables_change_no_route(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 23, 0);
    plain *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 200 : 2000); k++) {
        test_case *c = new_case(&rng);
        for (int elementary = 0; elementary < 2; elementary++) {
            find_all(c, elementary, b);
            const int32_t least = b->least < VRP_NO_PATH ? (int32_t)b->least : 7;
            vrp_label_task task = task_of(c, elementary, between(&rng, 0, 1) ? VRP_NO_PATH : least + between(&rng, 0, 60));
            assert_run_with_tables(&rng, c, b, &task);
        }
        free_case(c);
    }
    free(b);
}

// Capacities beyond the rows of the bounds, and demands below their step and below the width of a bucket.
static void wide_loads_change_no_route(void **state)
{
    (void)state;
    enum { SCALE = 400000 };
    mco_rng rng;
    mco_rng_seed(&rng, 28, 0);
    plain *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 2 : 6); k++) {
        test_case *c = new_case(&rng);
        vrp_bound_problem *p = &c->problem;
        const bool elementary = k % 2;
        p->capacity *= SCALE;
        p->least_demand = p->capacity;
        for (int32_t i = 1; i < p->nodes; i++) {
            c->demand[i] = elementary && i < 3 ? i : c->demand[i] * SCALE + between(&rng, -SCALE / 8, SCALE / 8);
            p->least_demand = c->demand[i] < p->least_demand ? c->demand[i] : p->least_demand;
        }
        find_all(c, elementary, b);
        const vrp_label_task task = task_of(c, elementary, (b->least < VRP_NO_PATH ? (int32_t)b->least : 0) + between(&rng, 0, 60));
        assert_run(c, b, &task);
        free_case(c);
    }
    free(b);
}

// A case with many routes.
static test_case *wide_case(mco_rng *rng)
{
    test_case *c = new_case(rng);
    while (c->problem.customers < 5 || c->problem.capacity < 6 || c->problem.max_length < INT64_MAX) {
        free_case(c);
        c = new_case(rng);
    }
    return c;
}

static void refusals_name_both_numbers(void **state)
{
    (void)state;
    mco_rng rng;
    vrp_routes routes;
    vrp_labels_result result;
    mco_rng_seed(&rng, 29, 0);
    test_case *c = wide_case(&rng);
    const vrp_label_task task = task_of(c, false, VRP_NO_PATH);
    c->problem.capacity = 1000000000;
    c->problem.least_demand = 1;
    vrp_routes_open(c->problem.is_symmetric, &routes);
    assert_int_equal(vrp_label(test_ctx, &task, &routes, &result), MCO_ERR_LIMIT);
    assert_non_null(strstr(mco_context_error(test_ctx), "1000000000"));
    c->problem.capacity = 8;
    for (int32_t a = 0; a < MOST_NODES * STRIDE; a++)
        c->arcs[a] = -VRP_NO_ARC + 1;
    assert_int_equal(vrp_label(test_ctx, &task, &routes, &result), MCO_ERR_LIMIT);
    assert_non_null(strstr(mco_context_error(test_ctx), "268435456"));
    free_case(c);
}

// ---- Arcs

// Values of arcs are lower bounds. They are exact with a symmetric problem, and with tables of the same sets, neither rows nor lengths.
static void assert_arc_values(const test_case *c, const plain *b, const vrp_label_task *task)
{
    int32_t value[MOST_NODES * STRIDE];
    vrp_labels_result result;
    bool is_exact = task->tables != NULL && c->problem.max_length == INT64_MAX;
    for (int64_t k = 0; k < c->cuts.count; k++)
        is_exact = is_exact && (c->cuts.cut[k].kind == VRP_CUT_SET || c->cuts.cut[k].price == 0);
    is_exact = is_exact || (c->problem.is_symmetric && task->most_labels > 20);  // few labels grow to half the capacity only
    assert_ok(vrp_label_arc_values(test_ctx, task, value, &result));
    assert_true(result.least <= b->least || (result.end == VRP_LABELS_STOPPED && result.least == VRP_NO_PATH));
    for (int32_t i = 0; i < c->problem.nodes; i++)
        for (int32_t j = 0; j < c->problem.nodes; j++) {
            const int64_t least = b->arc_value[i * MOST_NODES + j];
            assert_true(value[i * STRIDE + j] <= least);
            if (result.end == VRP_LABELS_DONE && is_exact)
                assert_int_equal(value[i * STRIDE + j], least < task->below ? least : task->below);
        }
}

static void arc_values_are_bounds(void **state)
{
    (void)state;
    mco_rng rng;
    int64_t exact = 0, removed = 0;
    mco_rng_seed(&rng, 27, 0);
    plain *b = calloc(1, sizeof *b);
    assert_non_null(b);
    const int rounds = TEST_IS_SANITIZED ? 200 : 2000;
    for (int k = 0; k < rounds; k++) {
        test_case *c = new_case(&rng);
        vrp_ng_pass *pass = NULL;
        vrp_label_task task = task_of(c, false, 0);
        find_all(c, false, b);
        task.below = (b->least < VRP_NO_PATH ? (int32_t)b->least : 0) + between(&rng, 0, 60);
        assert_ok(vrp_ng_open(test_ctx, &c->problem, &c->sets, &plain_settings, &pass));
        assert_ok(vrp_ng_run(test_ctx, pass, c->arcs, INFINITY));
        assert_arc_values(c, b, &task);
        task.tables = pass;
        assert_arc_values(c, b, &task);
        task.most_labels = between(&rng, 0, 20);
        assert_arc_values(c, b, &task);
        task.stop_s = 0;
        assert_arc_values(c, b, &task);
        exact += c->cuts.count == 0 && c->problem.max_length == INT64_MAX;
        removed += c->removed[0] != 0;
        vrp_ng_close(test_ctx, &pass);
        free_case(c);
    }
    assert_true(exact > rounds / 40 && removed > rounds / 40);
    free(b);
}

// ---- Ends

static void labels_that_run_out_leave_a_bound(void **state)
{
    (void)state;
    mco_rng rng;
    int64_t ended = 0;
    mco_rng_seed(&rng, 24, 0);
    plain *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (int k = 0; k < 200; k++) {
        test_case *c = wide_case(&rng);
        find_all(c, false, b);
        vrp_label_task task = task_of(c, false, VRP_NO_PATH);
        vrp_routes routes;
        vrp_labels_result result;
        task.most_labels = between(&rng, 0, 40);
        vrp_routes_open(c->problem.is_symmetric, &routes);
        assert_ok(vrp_label(test_ctx, &task, &routes, &result));
        assert_true(result.labels <= task.most_labels);
        assert_true(result.least <= b->least);
        ended += result.end == VRP_LABELS_LIMIT;
        for (int64_t r = 0; r < routes.count; r++)
            assert_route(c, &task, &routes, r);
        vrp_routes_close(test_ctx, &routes);
        free_case(c);
    }
    assert_true(ended > 50);
    free(b);
}

static void a_stop_ends_labels(void **state)
{
    (void)state;
    mco_rng rng;
    vrp_routes routes;
    vrp_labels_result result;
    mco_rng_seed(&rng, 25, 0);
    test_case *c = wide_case(&rng);
    vrp_label_task task = task_of(c, false, VRP_NO_PATH);
    task.stop_s = 0;
    vrp_routes_open(c->problem.is_symmetric, &routes);
    assert_ok(vrp_label(test_ctx, &task, &routes, &result));
    assert_int_equal(result.end, VRP_LABELS_STOPPED);
    task.stop_s = INFINITY;
    mco_cancel(test_ctx);
    assert_ok(vrp_label(test_ctx, &task, &routes, &result));
    assert_int_equal(result.end, VRP_LABELS_STOPPED);
    vrp_routes_close(test_ctx, &routes);
    free_case(c);
}

static void failed_allocations_release_all(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 26, 0);
    test_case *c = wide_case(&rng);
    const long before = test_memory.live;
    for (int elementary = 0; elementary < 2; elementary++) {
        mco_status st = MCO_ERR_MEMORY;
        for (long k = 1; st != MCO_OK; k++) {
            const vrp_label_task task = task_of(c, elementary, VRP_NO_PATH);
            vrp_routes routes;
            vrp_labels_result result;
            vrp_routes_open(c->problem.is_symmetric, &routes);
            test_fail_allocation(k);
            st = vrp_label(test_ctx, &task, &routes, &result);
            test_fail_allocation(0);
            assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
            vrp_routes_close(test_ctx, &routes);
            assert_int_equal(test_memory.live, before);
        }
    }
    free_case(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(labels_equal_an_enumeration, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(tables_change_no_route, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(wide_loads_change_no_route, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(refusals_name_both_numbers, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(arc_values_are_bounds, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(labels_that_run_out_leave_a_bound, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(a_stop_ends_labels, test_setup, test_teardown),
        cmocka_unit_test_setup_teardown(failed_allocations_release_all, test_setup, test_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
