// SPDX-License-Identifier: MIT
// Tails of the recheck, its arcs and its list of routes against all sequences of few customers, at random prices with rank-1 rows.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "vrp/bound/recheck_labels.h"
#include "vrp/bound/recheck_routes.h"

enum { CUSTOMERS = 7, NODES = CUSTOMERS + 1, SETS = 1 << CUSTOMERS, ROWS = 4, MOST_LABELS = 100000 };

typedef struct walk {
    const mco_vrp *vrp;
    const vrp_bound_problem *problem;
    const int32_t *price;
    const vrp_cuts *cuts;
    int64_t limit;
    int32_t node[CUSTOMERS];
    int64_t cost[SETS];        // of the cheapest sequence of a set; INT64_MAX: it is too heavy
    int64_t worst[SETS];       // the greatest value of a sequence of that cost
    bool is_used[NODES][NODES];  // by a route below the limit
} walk;

static int32_t draw(uint64_t *state, int32_t below)
{
    return (int32_t)(mco_splitmix64(state) % (uint64_t)below);
}

static mco_vrp *random_instance(uint64_t *seed)
{
    double x[NODES], y[NODES];
    int32_t demand[CUSTOMERS];
    mco_vrp *vrp = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 14 + draw(seed, 8);
    for (int i = 0; i < NODES; i++) {
        x[i] = draw(seed, 100);
        y[i] = draw(seed, 100);
    }
    for (int i = 0; i < CUSTOMERS; i++)
        demand[i] = 1 + draw(seed, 6);
    assert_ok(mco_vrp_from_coordinates(test_ctx, CUSTOMERS, x, y, demand, &model, &vrp));
    return vrp;
}

static void add_rows(uint64_t *seed, int32_t span, vrp_cuts *cuts)
{
    for (int r = 0; r < ROWS; r++) {
        const int32_t first = 1 + draw(seed, CUSTOMERS - 2), node[3] = {first, first + 1, first + 2};
        uint64_t memory = draw(seed, 2) == 0 ? UINT64_MAX : 0;
        for (int m = 0; m < 3; m++)
            memory |= (uint64_t)1 << node[m];
        assert_ok(vrp_cuts_add_rank1(test_ctx, cuts, node, 3, (int32_t[]){1, 1, 2}, 3, 1, &memory));
        cuts->cut[cuts->count - 1].price = -draw(seed, span / 2);
    }
}

// All routes that go on from the first `count` nodes.
static void walk_on(walk *w, uint32_t set, int32_t count, int64_t cost, int64_t load)
{
    for (int32_t k = 1; k < NODES; k++) {
        const uint32_t next = set | (uint32_t)1 << (k - 1);
        if (next == set || load + w->problem->demand[k] > w->problem->capacity)
            continue;
        w->node[count] = k;
        const int64_t there = cost + mco_vrp_distance(w->vrp, count > 0 ? w->node[count - 1] : 0, k), whole = there + mco_vrp_distance(w->vrp, k, 0);
        const int64_t value = vrp_prices_route(w->problem, w->price, w->cuts, w->node, count + 1);
        if (whole < w->cost[next] || (whole == w->cost[next] && value > w->worst[next]))
            w->worst[next] = value;
        w->cost[next] = whole < w->cost[next] ? whole : w->cost[next];
        for (int32_t v = 0; v <= count + 1 && value < w->limit; v++)
            w->is_used[v > 0 ? w->node[v - 1] : 0][v <= count ? w->node[v] : 0] = true;
        walk_on(w, next, count + 1, there, load + w->problem->demand[k]);
    }
}

// The list has each set whose cheapest sequences are all below the limit, at its least cost, and no route beyond the limit.
static int check_list(const walk *w, const vrp_recheck *t)
{
    vrp_recheck_list list;
    int64_t listed[SETS] = {0};
    bool is_done;
    int found = 0;
    assert_ok(vrp_recheck_list_routes(t, w->limit, MOST_LABELS, NULL, 0, &list, &is_done));
    assert_true(is_done);
    for (int64_t k = 0; k < list.routes.count; k++) {
        uint32_t set = 0;
        for (int64_t v = list.routes.first[k]; v < list.routes.first[k + 1]; v++)
            set |= (uint32_t)1 << (list.routes.node[v] - 1);
        listed[set] = list.routes.cost[k];
        assert_true(list.value[k] < w->limit);
        assert_true(list.routes.cost[k] >= w->cost[set]);
    }
    for (uint32_t set = 1; set < SETS; set++)
        if (w->cost[set] < INT64_MAX && w->worst[set] < w->limit) {
            assert_true(listed[set] == w->cost[set]);
            found++;
        }
    vrp_recheck_list_clear(test_ctx, &list);
    return found;
}

// Each arc of a route below the limit has a pair of tails. Returns how many have none.
static int check_arcs(const walk *w, const vrp_recheck *t)
{
    const vrp_recheck_labels task = vrp_recheck_task(t);
    vrp_recheck_tails tails;
    bool is_done;
    int without = 0;
    assert_ok(vrp_recheck_tails_open(test_ctx, &task, w->limit, MOST_LABELS, &tails, &is_done));
    assert_true(is_done);
    for (int32_t i = 0; i < NODES; i++)
        for (int32_t j = i + 1; j < NODES; j++) {
            const bool has = vrp_recheck_has_route(&tails, &task, i, j, w->limit);
            assert_true(has || !(w->is_used[i][j] || w->is_used[j][i]));
            without += !has;
        }
    vrp_recheck_tails_close(test_ctx, &tails);
    assert_ok(vrp_recheck_tails_open(test_ctx, &task, w->limit, 0, &tails, &is_done));
    assert_true(!is_done && tails.first == NULL);
    return without;
}

static void test_all_sequences(void **state)
{
    (void)state;
    uint64_t seed = 41;
    int found = 0, without = 0;
    for (int round = 0; round < (TEST_IS_SANITIZED ? 20 : 40); round++) {
        vrp_bound_problem p;
        vrp_ng_sets sets = {0};
        vrp_cuts cuts;
        int32_t price[NODES] = {0};
        bool has_room, is_done;
        mco_vrp *vrp = random_instance(&seed);
        assert_ok(vrp_bound_problem_open(test_ctx, vrp, 0, false, 4000, &p));
        assert_ok(vrp_ng_sets_open(test_ctx, &p, 3, &sets));
        vrp_cuts_open(&p, &cuts);
        const int32_t span = (int32_t)(60 * p.unit);
        add_rows(&seed, span, &cuts);
        for (int32_t i = 1; i < NODES; i++)
            price[i] = 2 * draw(&seed, span);
        walk w = {.vrp = vrp, .problem = &p, .price = price, .cuts = &cuts, .limit = draw(&seed, 2 * span) - span};
        for (int s = 0; s < SETS; s++)
            w.cost[s] = INT64_MAX;
        walk_on(&w, 0, 0, 0, 0);
        vrp_recheck t = {.ctx = test_ctx, .vrp = vrp, .unit = p.unit, .fleet = p.fleet, .price = price, .cuts = &cuts, .sets = &sets, .stop_s = INFINITY};
        assert_ok(vrp_recheck_open(&t, &has_room));
        vrp_recheck_arcs(&t);
        vrp_recheck_complete(&t, &is_done);
        assert_true(has_room && is_done);
        found += check_list(&w, &t);
        without += check_arcs(&w, &t);
        vrp_recheck_close(&t);
        vrp_cuts_close(test_ctx, &cuts);
        vrp_ng_sets_close(test_ctx, &sets);
        vrp_bound_problem_close(test_ctx, &p);
        mco_vrp_destroy(test_ctx, &vrp);
    }
    assert_true(found > 50 && without > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_all_sequences)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
