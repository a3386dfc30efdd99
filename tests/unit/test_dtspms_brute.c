// SPDX-License-Identifier: MIT
// The reference against results that are known without it: four small instances on whose optima and neighbourhoods two
// independent programs agree, an enumeration of all interleavings, and counts made by walking all states and all moves.
#include "test_support.h"

#include "base/clock.h"
#include "base/machine.h"
#include "base/rng.h"
#include "dtspms/engine.h"

enum { MOST_ORDERS = 6, MOST_NODES = MOST_ORDERS + 1, MOST_MOVES = 40 };

static const mco_dtspms_network NETWORKS[] = {MCO_DTSPMS_NETWORK_PICKUP, MCO_DTSPMS_NETWORK_DELIVERY};

// ---- Instances A to D. Lists are in the order of the moves; for C's exchanges only the best and the sum are known.

typedef struct known {
    int32_t orders, stacks;
    int32_t distance[2][MOST_NODES * MOST_NODES];
    int64_t optimum_of[2], worst;
    int optimal_plans;  // stacks are distinguished
    int32_t optimal_plan[MOST_ORDERS], pickup[MOST_ORDERS], delivery[MOST_ORDERS];
    int64_t ident_of[2];                 // of the plan 1 2 ... n
    int32_t ident_tour[2][MOST_ORDERS];  // all 0 if no tour is known
    int32_t swap[15], exchange[40];    // exchange[0] is 0 where the list is not known
    int64_t swap_sum, exchange_sum, exchange_best;
} known;

static const known KNOWN[] = {
    {.orders = 4,
     .stacks = 2,
     .distance = {{0, 13, 16, 14, 7, 13, 0, 7, 13, 2, 16, 7, 0, 14, 15, 14, 13, 14, 0, 15, 7, 2, 15, 15, 0},
                  {0, 10, 16, 14, 7, 10, 0, 2, 14, 10, 16, 2, 0, 10, 12, 14, 14, 10, 0, 1, 7, 10, 12, 1, 0}},
     .optimum_of = {52, 30},
     .worst = 87,
     .optimal_plans = 4,
     .optimal_plan = {1, 4, 2, 3},
     .pickup = {2, 3, 1, 4},
     .delivery = {4, 3, 2, 1},
     .ident_of = {54, 30},
     .swap = {83, 87, 84, 84, 87, 83},
     .exchange = {82, 87, 87, 82, 82, 87, 87, 82},
     .swap_sum = 508,
     .exchange_sum = 676,
     .exchange_best = 82},
    {.orders = 6,
     .stacks = 3,
     .distance = {{0,  20, 9, 12, 17, 1, 15, 20, 0,  8, 2, 6,  4,  12, 9,  8,  0, 16, 8, 13, 18, 12, 2, 16, 0,
                   4,  19, 8, 17, 6,  8, 4,  0,  1,  7, 1, 4,  13, 19, 1,  0,  14, 15, 12, 18, 8, 7, 14, 0},
                  {0,  16, 13, 18, 14, 19, 10, 16, 0,  12, 18, 6,  16, 4,  13, 12, 0,  19, 11, 12, 7, 18, 18, 19, 0,
                   2,  19, 2,  14, 6,  11, 2,  0,  10, 2,  19, 16, 12, 19, 10, 0,  11, 10, 4,  7,  2, 2,  11, 0}},
     .optimum_of = {36, 61},
     .worst = 114,
     .optimal_plans = 12,
     .optimal_plan = {1, 4, 2, 5, 3, 6},
     .pickup = {2, 1, 3, 6, 4, 5},
     .delivery = {6, 3, 4, 1, 5, 2},
     .ident_of = {39, 65},
     .ident_tour = {{5, 1, 3, 6, 4, 2}, {2, 1, 4, 3, 6, 5}},
     .swap = {112, 104, 98, 98, 103, 108, 104, 98, 98, 98, 101, 104, 114, 101, 102},
     .exchange = {109, 113, 113, 98,  98,  112, 112, 108, 98,  104, 104, 101, 103, 104, 112, 98,  101, 98,  108, 102,
                  104, 109, 104, 100, 98,  108, 98,  114, 101, 104, 102, 98,  111, 98,  98,  101, 101, 102, 102, 111},
     .swap_sum = 1543,
     .exchange_sum = 4160,
     .exchange_best = 98},
    {.orders = 6,
     .stacks = 2,
     .distance = {{0,  20, 3,  20, 17, 2, 12, 15, 0,  17, 4, 15, 20, 10, 13, 14, 0,  15, 5, 2,  3, 14, 3,  18, 0,
                   10, 12, 14, 19, 19, 12, 19, 0, 2,  17, 20, 7, 17, 14, 3, 0,  1,  1,  17, 12, 3, 19, 8,  0},
                  {0, 3, 15, 16, 4,  2,  1, 12, 0, 10, 19, 8,  5,  20, 1, 17, 0,  5,  10, 2,  18, 3,  11, 13, 0,
                   2, 9, 10, 1,  13, 14, 8, 0,  6, 13, 12, 6, 18, 11, 6, 0, 8, 20, 14, 14, 16, 15, 15, 0}},
     .optimum_of = {32, 40},
     .worst = 147,
     .optimal_plans = 2,
     .optimal_plan = {2, 5, 6, 4, 3, 1},
     .pickup = {2, 4, 5, 6, 3, 1},
     .delivery = {6, 5, 1, 2, 3, 4},
     .ident_of = {62, 47},
     .ident_tour = {{1, 2, 4, 5, 6, 3}, {6, 3, 2, 5, 1, 4}},
     .swap = {82, 102, 108, 93, 117, 93, 94, 111, 119, 109, 109, 95, 109, 138, 147},
     .swap_sum = 1626,
     .exchange_sum = 4275,
     .exchange_best = 79},
    {.orders = 4,
     .stacks = 2,
     .distance = {{0, 20, 9, 12, 17, 1, 0, 15, 8, 2, 6, 4, 0, 12, 16, 8, 13, 18, 0, 4, 19, 8, 1, 7, 0},
                  {0, 16, 13, 18, 14, 19, 0, 10, 12, 18, 6, 16, 0, 4, 19, 11, 12, 7, 0, 2, 19, 2, 10, 2, 0}},
     .optimum_of = {22, 41},
     .worst = 91,
     .optimal_plans = 2,
     .optimal_plan = {2, 1, 3, 4},
     .pickup = {3, 4, 2, 1},
     .delivery = {4, 1, 2, 3},
     .ident_of = {34, 57},
     .swap = {63, 74, 73, 68, 74, 83},
     .exchange = {68, 75, 75, 73, 73, 78, 78, 68},
     .swap_sum = 435,
     .exchange_sum = 588,
     .exchange_best = 68},
};

// ---- A problem with its model and a plan

typedef struct bench {
    mco_dtspms *problem;
    dtspms_model model;
    dtspms_plan plan;
    int32_t node[64];
} bench;

static void open_bench(bench *b, int32_t orders, int32_t stacks, const int32_t *pickup, const int32_t *delivery)
{
    *b = (bench){0};
    assert_ok(mco_dtspms_create(test_ctx, orders, pickup, delivery, &b->problem));
    assert_ok(dtspms_model_create(test_ctx, b->problem, stacks, 0, INFINITY, &b->model));
    b->plan.node = b->node;
    for (int32_t k = 0; k < stacks; k++)
        b->plan.heights[k] = orders / stacks + (k < orders % stacks);
    for (int32_t i = 0; i < orders; i++)
        b->node[i] = i + 1;
}

static void close_bench(bench *b)
{
    dtspms_model_clear(test_ctx, &b->model);
    mco_dtspms_destroy(test_ctx, &b->problem);
}

static void open_known(bench *b, const known *k)
{
    open_bench(b, k->orders, k->stacks, k->distance[0], k->distance[1]);
}

// Asymmetric distances below `limit`, random heights, orders at random places.
static void open_random(bench *b, mco_rng *rng, int32_t orders, int32_t stacks, uint32_t limit)
{
    int32_t distance[2][64 * 64];
    for (int network = 0; network < 2; network++)
        for (int32_t k = 0; k < (orders + 1) * (orders + 1); k++)
            distance[network][k] = (int32_t)mco_rng_below(rng, limit);
    open_bench(b, orders, stacks, distance[0], distance[1]);
    memset(b->plan.heights, 0, sizeof b->plan.heights);
    for (int32_t i = 0; i < orders; i++) {
        const int32_t j = (int32_t)mco_rng_below(rng, (uint32_t)i + 1);
        b->plan.heights[mco_rng_below(rng, (uint32_t)stacks)]++;
        b->node[i] = b->node[j];
        b->node[j] = i + 1;
    }
}

static void costs_of(const bench *b, int64_t cost_of[2])
{
    for (int n = 0; n < 2; n++)
        assert_ok(dtspms_tour(test_ctx, &b->model, &b->plan, NETWORKS[n], &cost_of[n], NULL));
}

static void set_nodes(bench *b, const int32_t *node)
{
    memcpy(b->node, node, (size_t)b->model.orders * sizeof *node);
}

static int64_t length_of(const bench *b, mco_dtspms_network network, const int32_t *nodes)
{
    int64_t length = 0;
    int32_t at = 0;
    for (int32_t i = 0; i <= b->model.orders; i++) {
        const int32_t next = i < b->model.orders ? nodes[i] : 0;
        if (b->model.orders > 0)
            length += mco_dtspms_distance(b->problem, network, at, next);
        at = next;
    }
    return length;
}

// Makes the next permutation in lexicographic order; false after the last.
static bool next_permutation(int32_t *p, int32_t n)
{
    int32_t i = n - 2, j = n - 1;
    while (i >= 0 && p[i] > p[i + 1])
        i--;
    if (i < 0)
        return false;
    while (p[j] < p[i])
        j--;
    int32_t swapped = p[i];
    p[i] = p[j];
    p[j] = swapped;
    for (i++, j = n - 1; i < j; i++, j--) {
        swapped = p[i];
        p[i] = p[j];
        p[j] = swapped;
    }
    return true;
}

// ---- Known answers

static void optima_over_all_plans_are_known(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(KNOWN); k++) {
        bench b;
        int64_t best = INT64_MAX, worst = 0, cost_of[2], best_of[2] = {0};
        int optima = 0;
        open_known(&b, &KNOWN[k]);
        do {
            costs_of(&b, cost_of);
            const int64_t cost = cost_of[0] + cost_of[1];
            if (cost < best) {
                optima = 0;
                best = cost;
                memcpy(best_of, cost_of, sizeof best_of);
            }
            optima += cost == best;
            worst = cost > worst ? cost : worst;
        } while (next_permutation(b.node, b.model.orders));
        assert_int_equal(best_of[0], KNOWN[k].optimum_of[0]);
        assert_int_equal(best_of[1], KNOWN[k].optimum_of[1]);
        assert_int_equal(worst, KNOWN[k].worst);
        assert_int_equal(optima, KNOWN[k].optimal_plans);
        set_nodes(&b, KNOWN[k].optimal_plan);
        costs_of(&b, cost_of);
        assert_int_equal(cost_of[0] + cost_of[1], best);
        close_bench(&b);
    }
}

// Checks the tours that are given with plans; other tours may be as short.
static void assert_known_tours(const known *o, const int32_t *plan, const int32_t *pickup, const int32_t *delivery,
                               const int64_t expected_of[2])
{
    bench b;
    int32_t orders[3][MOST_ORDERS];
    int64_t cost_of[2];
    open_known(&b, o);
    mco_dtspms_solution s = {.orders = o->orders, .stacks = o->stacks, .plan = orders[0], .pickup = orders[1],
                             .delivery = orders[2]};
    memcpy(s.heights, b.plan.heights, sizeof s.heights);
    for (int32_t i = 0; i < o->orders; i++) {
        orders[0][i] = plan[i] - 1;
        orders[1][i] = pickup[i] - 1;
        orders[2][i] = delivery[i] - 1;
    }
    assert_ok(mco_dtspms_check(test_ctx, b.problem, &s, 0, NULL, cost_of));
    assert_int_equal(cost_of[0], expected_of[0]);
    assert_int_equal(cost_of[1], expected_of[1]);
    close_bench(&b);
}

static void known_tours_are_as_long(void **state)
{
    const int32_t ident[MOST_ORDERS] = {1, 2, 3, 4, 5, 6};
    (void)state;
    for (int k = 0; k < COUNT_OF(KNOWN); k++) {
        const known *o = &KNOWN[k];
        assert_known_tours(o, o->optimal_plan, o->pickup, o->delivery, o->optimum_of);
        if (o->ident_tour[0][0] > 0)
            assert_known_tours(o, ident, o->ident_tour[0], o->ident_tour[1], o->ident_of);
    }
}

static dtspms_engine open_engine(const bench *b)
{
    const mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    dtspms_engine engine = {0};
    assert_ok(dtspms_ref_open(test_ctx, &b->model, b->plan.heights, &params, &engine));
    return engine;
}

static void assert_scan(const bench *b, mco_dtspms_move kind, const int32_t *expected, int64_t sum, int64_t best)
{
    dtspms_engine engine = open_engine(b);
    const int64_t moves = dtspms_move_count(kind, b->model.orders);
    int32_t costs[MOST_MOVES];
    int64_t first_best = 0, total = 0;
    dtspms_scan scan = {.plan = &b->plan, .kind = kind, .costs = costs};
    assert_ok(engine.scan(&engine, &scan, INFINITY));
    for (int64_t m = 0; m < moves; m++) {
        if (expected[0] > 0)
            assert_int_equal(costs[m], expected[m]);
        total += costs[m];
        if (costs[m] < costs[first_best])
            first_best = m;
    }
    assert_int_equal(total, sum);
    assert_int_equal(scan.cost_sum, sum);
    assert_int_equal(scan.best_move, first_best);
    assert_int_equal(scan.best_cost_of[0] + scan.best_cost_of[1], best);
    assert_int_equal(engine.counters.tours, 2 * moves);
    assert_int_equal(engine.counters.relaxations, 2 * moves * dtspms_relaxations(b->plan.heights, b->model.stacks));
    dtspms_scan reused = {.plan = &b->plan, .kind = kind, .reuse = true};
    assert_ok(engine.scan(&engine, &reused, INFINITY));
    assert_int_equal(reused.best_move, first_best);
    assert_memory_equal(reused.best_cost_of, scan.best_cost_of, sizeof scan.best_cost_of);
    assert_int_equal(reused.cost_sum, -1);
    engine.close(&engine);
}

static int64_t least(const int32_t *values, int64_t count)
{
    int64_t best = values[0];
    for (int64_t k = 1; k < count; k++)
        best = values[k] < best ? values[k] : best;
    return best;
}

static void neighbourhoods_of_the_first_plan_are_known(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(KNOWN); k++) {
        const known *o = &KNOWN[k];
        bench b;
        int64_t cost_of[2];
        open_known(&b, o);
        costs_of(&b, cost_of);
        assert_int_equal(cost_of[0], o->ident_of[0]);
        assert_int_equal(cost_of[1], o->ident_of[1]);
        assert_scan(&b, MCO_DTSPMS_MOVE_SWAP, o->swap, o->swap_sum,
                    least(o->swap, dtspms_move_count(MCO_DTSPMS_MOVE_SWAP, o->orders)));
        assert_scan(&b, MCO_DTSPMS_MOVE_EXCHANGE, o->exchange, o->exchange_sum, o->exchange_best);
        close_bench(&b);
    }
}

// ---- Enumeration

// Length of the shortest way on from node `at` and back to the depot, when h[k] orders of stack k are visited.
static int64_t enumerate(const bench *b, mco_dtspms_network network, int32_t at, const int32_t *h)
{
    int64_t best = INT64_MAX;
    for (int32_t k = 0; k < b->model.stacks; k++) {
        if (h[k] == b->plan.heights[k])
            continue;
        int32_t next[MCO_DTSPMS_MAX_STACKS];
        memcpy(next, h, sizeof next);
        const int32_t *lowest = b->node + dtspms_plan_first(&b->plan, k);
        const int32_t to = network == MCO_DTSPMS_NETWORK_PICKUP ? lowest[h[k]] : lowest[b->plan.heights[k] - 1 - h[k]];
        next[k]++;
        const int64_t length = mco_dtspms_distance(b->problem, network, at, to) + enumerate(b, network, to, next);
        best = length < best ? length : best;
    }
    if (best < INT64_MAX)
        return best;
    return at == 0 ? 0 : mco_dtspms_distance(b->problem, network, at, 0);
}

// The tours of the reference must be feasible and have the lengths that it says.
static void assert_tours(const bench *b, const int64_t cost_of[2])
{
    int32_t plan[64], tour[2][64];
    int64_t seen_of[2], seen;
    mco_dtspms_solution s = {.orders = b->model.orders, .stacks = b->model.stacks, .plan = plan, .pickup = tour[0],
                             .delivery = tour[1]};
    memcpy(s.heights, b->plan.heights, sizeof s.heights);
    for (int n = 0; n < 2; n++) {
        int64_t cost;
        assert_ok(dtspms_tour(test_ctx, &b->model, &b->plan, NETWORKS[n], &cost, tour[n]));
        assert_int_equal(cost, cost_of[n]);
        assert_int_equal(length_of(b, NETWORKS[n], tour[n]), cost);
    }
    for (int32_t i = 0; i < s.orders; i++) {
        plan[i] = b->node[i] - 1;
        tour[0][i]--;
        tour[1][i]--;
    }
    assert_ok(mco_dtspms_check(test_ctx, b->problem, &s, s.orders, &seen, seen_of));
    assert_int_equal(seen, cost_of[0] + cost_of[1]);
    assert_memory_equal(seen_of, cost_of, sizeof seen_of);
}

static void tours_are_the_best_interleavings(void **state)
{
    const int32_t none[MCO_DTSPMS_MAX_STACKS] = {0};
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < 1500; k++) {
        bench b;
        int64_t cost_of[2];
        open_random(&b, &rng, k % 7, 2 + k / 7 % 5, k % 2 == 0 ? 4 : 1000);
        costs_of(&b, cost_of);
        for (int n = 0; n < 2; n++)
            assert_int_equal(cost_of[n], enumerate(&b, NETWORKS[n], 0, none));
        assert_tours(&b, cost_of);
        close_bench(&b);
    }
}

static void larger_tours_are_feasible(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 2, 0);
    for (int k = 0; k < 60; k++) {
        bench b;
        int64_t cost_of[2];
        open_random(&b, &rng, 10 + k / 4, 2 + k % 5, 1 << 20);
        costs_of(&b, cost_of);
        assert_tours(&b, cost_of);
        close_bench(&b);
    }
}

// If all ways are equal, the lowest stack is taken, counted from the end of the tour.
static void ties_go_to_the_lowest_stack(void **state)
{
    const int32_t same[7 * 7] = {0};
    const int32_t expected[2][6] = {{5, 6, 3, 4, 1, 2}, {6, 5, 4, 3, 2, 1}};
    bench b;
    (void)state;
    open_bench(&b, 6, 3, same, same);
    for (int n = 0; n < 2; n++) {
        int32_t tour[6];
        int64_t cost;
        assert_ok(dtspms_tour(test_ctx, &b.model, &b.plan, NETWORKS[n], &cost, tour));
        assert_memory_equal(tour, expected[n], sizeof tour);
        assert_int_equal(cost, 0);
    }
    close_bench(&b);
}

// With the longest distances that a model takes, no sum leaves 32 bits.
static void the_longest_paths_are_no_overflow(void **state)
{
    int32_t far[7 * 7];
    bench b;
    int64_t cost_of[2];
    (void)state;
    for (int k = 0; k < COUNT_OF(far); k++)
        far[k] = ((1 << 30) - 1) / 7;
    open_bench(&b, 6, 2, far, far);
    costs_of(&b, cost_of);
    assert_int_equal(cost_of[0], 7 * (((1 << 30) - 1) / 7));
    assert_tours(&b, cost_of);
    close_bench(&b);
}

// ---- Counts

// Counts one relaxation for each pair of a state and a way on from it, and for each way back to the depot.
static int64_t count_relaxations(const int32_t *heights, int32_t stacks)
{
    int32_t h[MCO_DTSPMS_MAX_STACKS] = {0}, k = 0;
    int64_t count = 0;
    while (k < stacks) {
        int64_t last = 0, sum = 0, open = 0;
        for (k = 0; k < stacks; k++) {
            last += h[k] > 0;
            sum += h[k];
            open += h[k] < heights[k];
        }
        count += sum == 0 ? open : last * open;
        if (open == 0)
            count += last;
        for (k = 0; k < stacks && h[k] == heights[k]; k++)
            h[k] = 0;
        if (k < stacks)
            h[k]++;
    }
    return count;
}

static void relaxations_are_counted(void **state)
{
    static const struct {
        int32_t height, stacks;
        int64_t relaxations;
    } known_counts[] = {{4, 3, 711}, {11, 3, 13038}, {22, 3, 100125}, {44, 3, 783951}, {22, 4, 4094468}, {33, 2, 4358}};
    mco_rng rng;
    (void)state;
    for (int k = 0; k < COUNT_OF(known_counts); k++) {
        int32_t heights[MCO_DTSPMS_MAX_STACKS];
        for (int j = 0; j < MCO_DTSPMS_MAX_STACKS; j++)
            heights[j] = known_counts[k].height;
        assert_int_equal(dtspms_relaxations(heights, known_counts[k].stacks), known_counts[k].relaxations);
        assert_int_equal(count_relaxations(heights, known_counts[k].stacks), known_counts[k].relaxations);
    }
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < 500; k++) {
        int32_t heights[MCO_DTSPMS_MAX_STACKS];
        const int32_t stacks = 2 + k % 5;
        for (int j = 0; j < stacks; j++)
            heights[j] = (int32_t)mco_rng_below(&rng, 6);
        assert_int_equal(dtspms_relaxations(heights, stacks), count_relaxations(heights, stacks));
    }
}

static void assert_positions(mco_dtspms_move kind, int32_t orders, int64_t index, int32_t p, int32_t q, int32_t r)
{
    int32_t seen[3];
    dtspms_move_positions(kind, orders, index, seen);
    assert_int_equal(seen[0], p);
    assert_int_equal(seen[1], q);
    assert_int_equal(seen[2], r);
}

static void all_moves_are_listed(int32_t n)
{
    int64_t swaps = 0, exchanges = 0;
    for (int32_t p = 0; p < n; p++)
        for (int32_t q = p + 1; q < n; q++) {
            assert_positions(MCO_DTSPMS_MOVE_SWAP, n, swaps++, p, q, -1);
            for (int32_t r = q + 1; r < n; r++)
                for (int rotation = 0; rotation < 2; rotation++)
                    assert_positions(MCO_DTSPMS_MOVE_EXCHANGE, n, exchanges++, p, q, r);
        }
    assert_int_equal(dtspms_move_count(MCO_DTSPMS_MOVE_SWAP, n), swaps);
    assert_int_equal(dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, n), exchanges);
}

static void moves_are_listed_in_order(void **state)
{
    static const struct {
        int32_t orders;
        int64_t swaps, exchanges;
    } sizes[] = {{66, 2145, 91520}, {2000, 1999000, 2662668000}};
    (void)state;
    for (int32_t n = 0; n <= 8; n++)
        all_moves_are_listed(n);
    all_moves_are_listed(66);
    for (int k = 0; k < COUNT_OF(sizes); k++) {
        const int32_t n = sizes[k].orders;
        const int64_t swaps = sizes[k].swaps, exchanges = sizes[k].exchanges;
        assert_int_equal(dtspms_move_count(MCO_DTSPMS_MOVE_SWAP, n), swaps);
        assert_int_equal(dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, n), exchanges);
        assert_positions(MCO_DTSPMS_MOVE_SWAP, n, 0, 0, 1, -1);
        assert_positions(MCO_DTSPMS_MOVE_SWAP, n, n - 2, 0, n - 1, -1);
        assert_positions(MCO_DTSPMS_MOVE_SWAP, n, n - 1, 1, 2, -1);
        assert_positions(MCO_DTSPMS_MOVE_SWAP, n, swaps - 1, n - 2, n - 1, -1);
        assert_positions(MCO_DTSPMS_MOVE_SWAP, n, swaps - 2, n - 3, n - 1, -1);
        assert_positions(MCO_DTSPMS_MOVE_EXCHANGE, n, 1, 0, 1, 2);
        assert_positions(MCO_DTSPMS_MOVE_EXCHANGE, n, 2, 0, 1, 3);
        assert_positions(MCO_DTSPMS_MOVE_EXCHANGE, n, exchanges - 1, n - 3, n - 2, n - 1);
        assert_positions(MCO_DTSPMS_MOVE_EXCHANGE, n, exchanges - 3, n - 4, n - 2, n - 1);
    }
}

// ---- Stopping, limits, failures

static void a_scan_stops_on_time(void **state)
{
    bench b;
    (void)state;
    open_known(&b, &KNOWN[1]);
    dtspms_engine engine = open_engine(&b);
    dtspms_scan scan = {.plan = &b.plan, .kind = MCO_DTSPMS_MOVE_EXCHANGE, .best_move = 7};
    assert_ok(engine.scan(&engine, &scan, mco_clock_s() - 1));
    assert_int_equal(scan.best_move, -1);
    scan.best_move = 7;
    mco_cancel(test_ctx);
    assert_ok(engine.scan(&engine, &scan, INFINITY));
    assert_int_equal(scan.best_move, -1);
    assert_int_equal(engine.counters.tours, 0);
    engine.close(&engine);
    close_bench(&b);
}

static void where_there_is_no_move_none_is_the_best(void **state)
{
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 4, 0);
    for (int32_t orders = 0; orders < 3; orders++)
        for (int kind = orders < 2 ? 0 : 1; kind < 2; kind++) {
            bench b;
            open_random(&b, &rng, orders, 2, 10);
            dtspms_engine engine = open_engine(&b);
            dtspms_scan scan = {.plan = &b.plan, .best_move = 7};
            scan.kind = kind == 0 ? MCO_DTSPMS_MOVE_SWAP : MCO_DTSPMS_MOVE_EXCHANGE;
            assert_ok(engine.scan(&engine, &scan, INFINITY));
            assert_int_equal(scan.best_move, -1);
            assert_int_equal(scan.cost_sum, 0);
            engine.close(&engine);
            close_bench(&b);
        }
}

static void tables_beyond_memory_are_refused(void **state)
{
    const int32_t heights[] = {63, 63, 63};
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    dtspms_engine engine = {0};
    (void)state;
    static int32_t zero[190 * 190];
    const dtspms_model model = {.orders = 189, .stacks = 3, .nodes = 190, .distance = {zero, zero}};
    // 64^3 states of 3 entries, 5 bytes each.
    assert_true(dtspms_tour_bytes(heights, 3) == 64.0 * 64 * 64 * 3 * 5);
    params.memory = 3;
    assert_true(mco_settle_memory(params.memory) == 3.0 * (1 << 20));
    assert_fails(dtspms_ref_open(test_ctx, &model, heights, &params, &engine), MCO_ERR_LIMIT,
                 "the reference needs 0.00366 GiB for the states of a tour of 189 orders in 3 stacks, at most 0.00293 GiB "
                 "are allowed");
    assert_null(engine.close);
    params.memory = 4;
    assert_ok(dtspms_ref_open(test_ctx, &model, heights, &params, &engine));
    engine.close(&engine);
    params.memory = 0;
    assert_true(mco_settle_memory(params.memory) > 1 << 20);
}

static void failing_memory_is_told(void **state)
{
    const mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_status st = MCO_ERR_MEMORY;
    bench b;
    (void)state;
    open_known(&b, &KNOWN[0]);
    for (long k = 1; st != MCO_OK; k++) {
        int32_t tour[4];
        int64_t cost = -7;
        dtspms_engine engine = {0};
        test_fail_allocation(k);
        st = dtspms_tour(test_ctx, &b.model, &b.plan, MCO_DTSPMS_NETWORK_PICKUP, &cost, tour);
        assert_int_equal(cost, st == MCO_OK ? 54 : -7);
        if (st == MCO_OK)
            st = dtspms_ref_open(test_ctx, &b.model, b.plan.heights, &params, &engine);
        if (st == MCO_OK)
            engine.close(&engine);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
    }
    test_fail_allocation(0);
    close_bench(&b);
}

// ---- Walks

// A walk must find the known optimum and never go below it.
static void walks_find_the_optimum(void **state)
{
    (void)state;
    for (int k = 0; k < COUNT_OF(KNOWN); k++) {
        bench b;
        dtspms_walk_tables tables;
        dtspms_walk w;
        open_known(&b, &KNOWN[k]);
        assert_ok(dtspms_walk_tables_make(test_ctx, &b.model, &tables));
        assert_ok(dtspms_walk_make(test_ctx, &tables, &w));
        dtspms_walk_scatter(&tables, 1, MCO_SIMD_PORTABLE, &w);
        w.temperature = 10 << 8;
        assert_ok(dtspms_walk_all(test_ctx, &tables, &w, 1, 300, 1, MCO_SIMD_PORTABLE));
        assert_int_equal(w.best.cost, KNOWN[k].optimum_of[0] + KNOWN[k].optimum_of[1]);
        dtspms_walk_clear(test_ctx, &w);
        dtspms_walk_tables_clear(test_ctx, &tables);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(optima_over_all_plans_are_known),
        TEST(known_tours_are_as_long),
        TEST(neighbourhoods_of_the_first_plan_are_known),
        TEST(tours_are_the_best_interleavings),
        TEST(larger_tours_are_feasible),
        TEST(ties_go_to_the_lowest_stack),
        TEST(the_longest_paths_are_no_overflow),
        TEST(relaxations_are_counted),
        TEST(moves_are_listed_in_order),
        TEST(a_scan_stops_on_time),
        TEST(where_there_is_no_move_none_is_the_best),
        TEST(tables_beyond_memory_are_refused),
        TEST(failing_memory_is_told),
        TEST(walks_find_the_optimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
