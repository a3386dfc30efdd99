// SPDX-License-Identifier: MIT
// The descent: known descents, whole descents against those of a plain walk of every neighbour, independent moves,
// filters, and how it ends.
#include "test_support.h"

#include <math.h>

#include "vrp_support.h"

enum { MOST_TOUR = 40 };

typedef struct bench {
    mco_vrp *problem;
    vrp_tour tour;
    vrp_engine engine;
    mco_vrp_params params;
    mco_vrp_neighbourhood_result result;
} bench;

static void open_bench(bench *b, mco_vrp *problem, vrp_tour tour)
{
    const mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    const mco_vrp_neighbourhood_result result = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    *b = (bench){.problem = problem, .tour = tour, .params = params, .result = result};
    b->params.sweeps = 0;
    assert_ok(vrp_ref_open(test_ctx, problem, tour.count, &b->params, &b->engine));
}

static void close_bench(bench *b)
{
    if (b->engine.close != NULL)
        b->engine.close(&b->engine);
    mco_free(test_ctx, &b->result.sweeps);
    free(b->tour.node);
    vrp_case_free(b->problem);
}

static void descend(bench *b)
{
    assert_ok(vrp_descend(test_ctx, &b->engine, &b->params, &b->tour, &b->result));
}

static vrp_tour tour_from(const int32_t *node, int32_t count)
{
    vrp_tour tour = {calloc((size_t)count, sizeof *node), count};
    assert_non_null(tour.node);
    memcpy(tour.node, node, (size_t)count * sizeof *node);
    return tour;
}

// ---- Known descents, Manhattan distances

typedef struct known {
    int32_t customers, x[7], y[7], demand[7], capacity, max_length;
    int32_t tour_nodes, start[10], end[10];
    int sweeps;
    int32_t cost[4], move[3][2];  // cost[0] is that of the start
} known;

static const known KNOWN[] = {
    {4, {0, -4, 6, 5, 1}, {0, -6, -3, -4, -5}, {0, 1, 2, 3, 4}, 8, 32, 7, {0, 1, 2, 0, 3, 4, 0}, {0, 1, 4, 0, 3, 2, 0}, 2,
     {52, 48, 42}, {{1, 5}, {2, 4}}},
    {6, {0, 2, -3, -6, -7, 3, 7}, {0, -2, 4, -8, -7, 6, -6}, {0, 5, 4, 1, 1, 3, 3}, 10, 66, 10,
     {0, 1, 2, 3, 0, 4, 5, 6, 0, 0}, {0, 1, 6, 4, 3, 0, 2, 5, 0, 0}, 3, {110, 98, 78, 68}, {{5, 7}, {2, 4}, {1, 6}}},
};

static void open_known(bench *b, const known *k)
{
    const vrp_shape shape = {.customers = k->customers, .is_symmetric = true, .distances = 100, .capacity = k->capacity,
                             .max_length = k->max_length};
    mco_vrp *p = vrp_case_new(&shape);
    for (int32_t i = 0; i < p->nodes; i++) {
        p->demand[i] = k->demand[i];
        for (int32_t j = 0; j < p->nodes; j++)
            p->matrix[i * p->nodes + j] = abs(k->x[i] - k->x[j]) + abs(k->y[i] - k->y[j]);
    }
    open_bench(b, p, tour_from(k->start, k->tour_nodes));
}

static void descents_are_known(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(KNOWN); i++) {
        const known *k = &KNOWN[i];
        bench b;
        open_known(&b, k);
        descend(&b);
        assert_true(b.result.is_local_optimum);
        assert_int_equal(b.result.stop, MCO_STOP_FINISHED);
        assert_int_equal(b.result.tour_nodes, k->tour_nodes);
        assert_int_equal(b.result.sweep_count, k->sweeps + 1);
        assert_int_equal(b.result.scaled_start_cost, k->cost[0]);
        assert_int_equal(b.result.scaled_cost, k->cost[k->sweeps]);
        assert_int_equal(b.result.start_routes, 2);
        assert_int_equal(b.result.routes, 2);
        assert_int_equal(b.result.moves, (k->sweeps + 1) * vrp_move_count(k->tour_nodes - 1, false));
        for (int s = 0; s < k->sweeps; s++) {
            const mco_vrp_sweep *sweep = &b.result.sweeps[s];
            assert_int_equal(sweep->scaled_cost, k->cost[s + 1]);
            assert_int_equal(sweep->x, k->move[s][0]);
            assert_int_equal(sweep->y, k->move[s][1]);
            assert_int_equal(sweep->z, -1);
            assert_int_equal(sweep->moves_made, 1);
        }
        assert_int_equal(b.result.sweeps[k->sweeps].x, -1);
        assert_int_equal(b.result.sweeps[k->sweeps].moves_made, 0);
        assert_memory_equal(b.tour.node, k->end, (size_t)k->tour_nodes * sizeof *k->end);
        close_bench(&b);
    }
}

// ---- Whole descents against a plain walk

static mco_vrp *random_problem(mco_rng *rng, int32_t customers, bool is_symmetric)
{
    const vrp_shape shape = {.customers = customers,
                             .distances = mco_rng_below(rng, 2) ? 5 : 1000,
                             .is_symmetric = is_symmetric,
                             .demands = 10,
                             .services = mco_rng_below(rng, 2) ? 100 : 1,
                             .capacity = 10 + (int32_t)mco_rng_below(rng, 40),
                             .vehicles = (int32_t)mco_rng_below(rng, 4)};
    mco_vrp *p = vrp_case_random(rng, &shape);
    if (mco_rng_below(rng, 2))
        p->max_length = (int32_t)(shape.distances + shape.services) * customers / 2;
    return p;
}

// Makes one sweep by a plain walk; false if no move improves.
static bool plain_sweep(const mco_vrp *problem, const mco_vrp_params *params, int64_t sweep, vrp_tour *tour)
{
    vrp_candidate best = {.move = {-1, -1, -1, -1}};
    int32_t after[MOST_TOUR];
    vrp_value base;
    const bool is_feasible = vrp_plain_value(problem, tour->node, tour->count, &base);
    for (int three = 0; three < 2; three++) {
        if (params->type != MCO_VRP_TYPE_THREE_OPT_COMPLETE && (params->type == MCO_VRP_TYPE_THREE_OPT) != three)
            continue;
        vrp_scan scan = {.tour = tour, .is_three_opt = three, .wants_first = params->improvement == MCO_VRP_IMPROVEMENT_FIRST,
                         .keep = params->keep < 1 ? (uint64_t)(params->keep * 0x1p64) : UINT64_MAX,
                         .filter_seed = (uint64_t)(params->filter_seed + sweep)};
        vrp_plain_scan(problem, &scan);
        if (scan.best.move.x >= 0 &&
            (best.move.x < 0 || (!scan.wants_first && vrp_is_less(scan.best.value, best.value))))
            best = scan.best;
    }
    if (best.move.x < 0 || (is_feasible && !vrp_is_less(best.value, (vrp_value){base.penalty, 0})))
        return false;
    vrp_plain_move(tour, best.move, after);
    memcpy(tour->node, after, (size_t)tour->count * sizeof *after);
    return true;
}

static void descents_are_those_of_a_plain_walk(void **state)
{
    (void)state;
    mco_rng rng;
    int from_infeasible = 0, to_fewer_routes = 0;
    int64_t sweeps = 0;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < 360; k++) {
        mco_vrp *problem = random_problem(&rng, 3 + (int32_t)mco_rng_below(&rng, 6), mco_rng_below(&rng, 2));
        const vrp_tour start = vrp_case_tour(&rng, problem, 2 + (int32_t)mco_rng_below(&rng, 4));
        vrp_tour plain = tour_from(start.node, start.count);
        vrp_value value, end;
        bench b;
        open_bench(&b, problem, start);
        b.params.type = (mco_vrp_type)(k % 3);
        b.params.improvement = (mco_vrp_improvement_rule)(k / 3 % 2);
        b.params.hierarchy = k / 6 % 4 - 1;
        b.params.keep = k % 5 == 0 ? 0.5 : 1;
        const bool was_feasible = vrp_plain_value(problem, start.node, start.count, &value);
        descend(&b);
        sweeps += b.result.sweep_count;
        for (int64_t s = 0; plain_sweep(problem, &b.params, s, &plain); s++) {
            vrp_value after;
            vrp_plain_value(problem, plain.node, plain.count, &after);
            assert_in_range(s, 0, b.result.sweep_count - 1);
            assert_int_equal(b.result.sweeps[s].scaled_cost, after.cost);
        }
        assert_memory_equal(b.tour.node, plain.node, (size_t)plain.count * sizeof *plain.node);
        assert_int_equal(b.result.is_local_optimum, b.params.keep >= 1);
        assert_int_equal(b.result.stop, MCO_STOP_FINISHED);
        from_infeasible += !was_feasible && vrp_plain_value(problem, plain.node, plain.count, &end);
        to_fewer_routes += vrp_plain_value(problem, plain.node, plain.count, &end) && end.penalty < value.penalty;
        free(plain.node);
        close_bench(&b);
    }
    assert_true(sweeps > 1000);
    assert_true(from_infeasible > 20 && to_fewer_routes > 20);
}

// ---- Independent moves

// Places in the plane, so that there are many moves, far from each other.
static mco_vrp *plane(mco_rng *rng, int32_t customers, int32_t capacity, int32_t vehicles)
{
    const vrp_shape shape = {.customers = customers, .distances = 1500, .is_symmetric = true, .demands = 4,
                             .services = 10, .capacity = capacity, .max_length = 6000, .vehicles = vehicles};
    mco_vrp *p = vrp_case_random(rng, &shape);
    double x[300], y[300];
    assert_true(customers < COUNT_OF(x));
    for (int32_t i = 0; i < p->nodes; i++) {
        x[i] = 1000 * mco_rng_real(rng);
        y[i] = 1000 * mco_rng_real(rng);
    }
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++)
            p->matrix[i * p->nodes + j] = (int32_t)hypot(x[i] - x[j], y[i] - y[j]);
    return p;
}

// Routes of `size` customers one after the other, then `empty` empty routes.
static vrp_tour plain_routes(const mco_vrp *p, int32_t size, int32_t empty)
{
    const int32_t routes = (p->customers + size - 1) / size + empty;
    vrp_tour tour = {calloc((size_t)(p->customers + routes + 1), sizeof *tour.node), p->customers + routes + 1};
    assert_non_null(tour.node);
    for (int32_t c = 0, at = 1; c < p->customers; c++) {
        tour.node[at++] = c + 1;
        at += c % size == size - 1;
    }
    return tour;
}

static void assert_all_customers(const mco_vrp *p, const vrp_tour *tour)
{
    int32_t *seen = calloc((size_t)p->nodes, sizeof *seen);
    assert_non_null(seen);
    for (int32_t i = 0; i < tour->count; i++)
        seen[tour->node[i]]++;
    for (int32_t i = 1; i < p->nodes; i++)
        assert_int_equal(seen[i], 1);
    assert_int_equal(tour->node[0], 0);
    assert_int_equal(tour->node[tour->count - 1], 0);
    free(seen);
}

// The descent itself checks that the changes add up and that the tour stays feasible.
static void independent_moves_add_up(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 2, 0);
    for (int k = 0; k < 6; k++) {
        const mco_vrp_type type = (mco_vrp_type)(k % 3);
        const int32_t customers = type == MCO_VRP_TYPE_TWO_OPT ? 150 : 30;
        mco_vrp *problem = plane(&rng, customers, 30, k < 3 ? 0 : customers / 5 + 2);
        int64_t made = 0, one_by_one;
        bench b, one;
        const vrp_tour start = plain_routes(problem, 5, 2);
        open_bench(&b, problem, start);
        b.params.type = type;
        b.params.moves = MCO_VRP_MOVES_INDEPENDENT;
        one = b;
        one.tour = tour_from(start.node, start.count);
        one.params.moves = MCO_VRP_MOVES_ONE;
        descend(&one);
        descend(&b);
        one_by_one = one.result.sweep_count;
        for (int64_t s = 0; s < b.result.sweep_count; s++) {
            made += b.result.sweeps[s].moves_made;
            assert_true(s == 0 || b.result.sweeps[s].scaled_cost <= b.result.sweeps[s - 1].scaled_cost);
        }
        assert_all_customers(problem, &b.tour);
        assert_true(b.result.is_local_optimum);
        assert_int_equal(b.result.sweeps[0].x, one.result.sweeps[0].x);
        assert_true(made > b.result.sweep_count);
        assert_true(b.result.sweep_count < one_by_one);
        if (type == MCO_VRP_TYPE_TWO_OPT)
            assert_true(made > 2 * b.result.sweep_count);
        free(one.tour.node);
        mco_free(test_ctx, &one.result.sweeps);
        close_bench(&b);
    }
}

// Small tours of every kind, with too many routes and broken limits. The descent checks that every move has the value
// expected.
static void independent_moves_of_any_tour(void **state)
{
    (void)state;
    mco_rng rng;
    int several = 0;
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < 400; k++) {
        mco_vrp *problem = random_problem(&rng, 4 + (int32_t)mco_rng_below(&rng, 9), true);
        bench b;
        open_bench(&b, problem, vrp_case_tour(&rng, problem, 3 + (int32_t)mco_rng_below(&rng, 4)));
        b.params.type = (mco_vrp_type)(k % 3);
        b.params.moves = MCO_VRP_MOVES_INDEPENDENT;
        descend(&b);
        assert_all_customers(problem, &b.tour);
        for (int64_t s = 0; s < b.result.sweep_count; s++)
            several += b.result.sweeps[s].moves_made > 1;
        close_bench(&b);
    }
    assert_true(several > 100);
}

// Two moves may each open one of the routes left. If both together would open more than there are vehicles, the second
// one waits.
static void independent_moves_leave_the_penalty(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = 4, .distances = 100, .is_symmetric = true, .demands = 1, .capacity = 10,
                             .vehicles = 3};
    mco_vrp *p = vrp_case_new(&shape);
    for (int32_t i = 1; i < p->nodes; i++)
        for (int32_t j = 1; j < p->nodes; j++)
            p->matrix[i * p->nodes + j] = i != j ? 50 : 0;  // all distances to the depot are 0, the others 50
    bench b;
    open_bench(&b, p, tour_from((int32_t[]){0, 1, 2, 0, 0, 3, 4, 0, 0}, 9));
    b.params.moves = MCO_VRP_MOVES_INDEPENDENT;
    descend(&b);
    assert_int_equal(b.result.routes, 3);
    assert_int_equal(b.result.scaled_cost, 50);
    assert_int_equal(b.result.sweeps[0].moves_made, 1);
    close_bench(&b);
}

static void what_has_no_independent_moves_is_refused(void **state)
{
    (void)state;
    const vrp_shape shape = {.customers = 3, .distances = 100, .demands = 1, .capacity = 10};
    bench b;
    open_bench(&b, vrp_case_new(&shape), tour_from((int32_t[]){0, 1, 2, 3, 0}, 5));
    b.params.moves = MCO_VRP_MOVES_INDEPENDENT;
    assert_fails(vrp_descend(test_ctx, &b.engine, &b.params, &b.tour, &b.result), MCO_ERR_ARGUMENT,
                 "independent moves need symmetric distances, these are not");
    b.problem->is_symmetric = true;
    b.params.improvement = MCO_VRP_IMPROVEMENT_FIRST;
    assert_fails(vrp_descend(test_ctx, &b.engine, &b.params, &b.tour, &b.result), MCO_ERR_ARGUMENT,
                 "independent moves are best moves, the improvement has to be best, not first");
    close_bench(&b);
}

// ---- How it ends

static void sweeps_are_limited(void **state)
{
    (void)state;
    bench b;
    open_known(&b, &KNOWN[1]);
    b.params.sweeps = 2;
    descend(&b);
    assert_int_equal(b.result.sweep_count, 2);
    assert_int_equal(b.result.scaled_cost, KNOWN[1].cost[2]);
    assert_false(b.result.is_local_optimum);
    assert_int_equal(b.result.stop, MCO_STOP_FINISHED);
    close_bench(&b);
}

// With a filter, more sweeps follow those without an improvement, up to their number.
static void filtered_sweeps_go_on(void **state)
{
    (void)state;
    bench b;
    open_known(&b, &KNOWN[1]);
    b.params.sweeps = 200;
    b.params.keep = 0.1;
    descend(&b);
    assert_int_equal(b.result.sweep_count, 200);
    assert_false(b.result.is_local_optimum);
    b.params.keep = 1;
    assert_false(plain_sweep(b.problem, &b.params, 0, &b.tour));  // a local optimum; no filtered sweep can know
    // The filter keeps a tenth of the moves, within six standard deviations.
    const double all = 200.0 * (double)vrp_move_count(b.tour.count - 1, false);
    assert_true(fabs((double)b.result.moves - 0.1 * all) < 6 * sqrt(0.09 * all));
    close_bench(&b);
    open_known(&b, &KNOWN[1]);
    b.params.keep = 0;
    descend(&b);
    assert_int_equal(b.result.sweep_count, 1);
    assert_int_equal(b.result.moves, 0);
    assert_false(b.result.is_local_optimum);
    close_bench(&b);
}

static int stop_at_once(const mco_progress *progress, void *user)
{
    int32_t *seen = user;
    const mco_vrp_solution *s = progress->solution;
    seen[0]++;
    assert_int_equal(progress->event, MCO_EVENT_INCUMBENT);
    assert_true(progress->objective == 98);
    assert_non_null(s);
    assert_int_equal(s->customers, 6);
    assert_int_equal(s->routes, 2);
    memcpy(seen + 1, s->first, 3 * sizeof *seen);
    memcpy(seen + 4, s->order, 6 * sizeof *seen);
    return 1;
}

static void it_is_stopped(void **state)
{
    (void)state;
    int32_t seen[10] = {0};
    const int32_t expected[10] = {1, 0, 3, 6, 0, 1, 2, 3, 5, 4};  // calls, borders, customers
    bench b;
    open_known(&b, &KNOWN[1]);
    b.params.time_limit_s = 0;
    descend(&b);
    assert_int_equal(b.result.stop, MCO_STOP_TIME);
    assert_int_equal(b.result.sweep_count, 0);
    b.params.time_limit_s = INFINITY;
    mco_cancel(test_ctx);
    descend(&b);
    assert_int_equal(b.result.stop, MCO_STOP_CANCELLED);
    assert_int_equal(b.result.scaled_cost, 110);
    mco_clear_cancel(test_ctx);
    mco_context_set_callback(test_ctx, stop_at_once, seen);
    descend(&b);
    mco_context_set_callback(test_ctx, NULL, NULL);
    mco_clear_cancel(test_ctx);
    assert_int_equal(b.result.stop, MCO_STOP_CANCELLED);
    assert_int_equal(b.result.sweep_count, 1);
    assert_memory_equal(seen, expected, sizeof seen);
    close_bench(&b);
}

// Engines with wrong answers, and engines that stop in the middle.
static mco_status scan_wrongly(vrp_engine *engine, vrp_scan *scan, double stop_s)
{
    (void)engine;
    (void)stop_s;
    scan->best = (vrp_candidate){{5, 7, -1, -1}, {0, -13}};
    return MCO_OK;
}

static mco_status scan_in_part(vrp_engine *engine, vrp_scan *scan, double stop_s)
{
    (void)stop_s;
    mco_cancel(engine->ctx);
    scan->best.move.x = -1;
    scan->moves = 7;
    return MCO_OK;
}

static void answers_are_not_taken_on_trust(void **state)
{
    (void)state;
    bench b;
    open_known(&b, &KNOWN[1]);
    mco_status (*scan)(vrp_engine *, vrp_scan *, double) = b.engine.scan;
    b.engine.scan = scan_wrongly;
    assert_fails(vrp_descend(test_ctx, &b.engine, &b.params, &b.tour, &b.result), MCO_ERR_INTERNAL,
                 "move 5 7 -1 -1 should give a tour of cost 97 with penalty 0, it gives cost 98, penalty 0");
    b.engine.scan = scan_in_part;
    assert_ok(vrp_descend(test_ctx, &b.engine, &b.params, &b.tour, &b.result));
    assert_int_equal(b.result.sweep_count, 0);
    assert_int_equal(b.result.moves, 0);
    assert_false(b.result.is_local_optimum);
    assert_int_equal(b.result.stop, MCO_STOP_CANCELLED);
    mco_clear_cancel(test_ctx);
    b.engine.scan = scan;
    close_bench(&b);
}

static void failed_allocations_leave_nothing(void **state)
{
    (void)state;
    long k = 1;
    for (mco_status st = MCO_ERR_MEMORY; st != MCO_OK; k++) {
        bench b;
        open_known(&b, &KNOWN[1]);
        b.params.type = MCO_VRP_TYPE_THREE_OPT_COMPLETE;
        b.params.moves = MCO_VRP_MOVES_INDEPENDENT;
        test_fail_allocation(k);
        st = vrp_descend(test_ctx, &b.engine, &b.params, &b.tour, &b.result);
        test_fail_allocation(0);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        close_bench(&b);
    }
    assert_int_equal(k, 13);  // two, eight for independent moves, the sweeps; then none fails
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(descents_are_known),
        TEST(descents_are_those_of_a_plain_walk),
        TEST(independent_moves_add_up),
        TEST(independent_moves_of_any_tour),
        TEST(independent_moves_leave_the_penalty),
        TEST(what_has_no_independent_moves_is_refused),
        TEST(sweeps_are_limited),
        TEST(filtered_sweeps_go_on),
        TEST(it_is_stopped),
        TEST(answers_are_not_taken_on_trust),
        TEST(failed_allocations_leave_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
