// SPDX-License-Identifier: MIT
// What every public function of all problems that makes, solves, checks, reads or writes must refuse: a NULL, and a
// struct that was not filled by its _INIT macro or that is of a later header.
#include "test_support.h"

#include "mco/mco.h"

#define REFUSED_AS(call, part)                                                                                       \
    do {                                                                                                             \
        mco_fail(test_ctx, MCO_OK, "nothing was said");                                                              \
        const mco_status refused = (call);                                                                           \
        if (refused != MCO_ERR_ARGUMENT || strstr(mco_context_error(test_ctx), part) == NULL)                        \
            fail_msg("%s: %s, \"%s\"", #call, mco_status_text(refused), mco_context_error(test_ctx));                \
    } while (0)
#define REFUSED(call) REFUSED_AS(call, "NULL")
// Without a context there is no place for a message.
#define REFUSED_WITHOUT_CONTEXT(call)                                                \
    do {                                                                             \
        const mco_status refused = (call);                                           \
        if (refused != MCO_ERR_ARGUMENT)                                             \
            fail_msg("%s: %s", #call, mco_status_text(refused));                     \
    } while (0)
// A call with a NULL in each place in turn: the context and two or three pointers, or three arguments of which the middle is
// no pointer, or what writes a result file without further options.
#define REFUSED_NULLS_OF_2(function, a, b)             \
    do {                                               \
        REFUSED_WITHOUT_CONTEXT(function(NULL, a, b)); \
        REFUSED(function(test_ctx, NULL, b));          \
        REFUSED(function(test_ctx, a, NULL));          \
    } while (0)
#define REFUSED_NULLS_AT_ENDS(function, a, b, c)          \
    do {                                                  \
        REFUSED_WITHOUT_CONTEXT(function(NULL, a, b, c)); \
        REFUSED(function(test_ctx, NULL, b, c));          \
        REFUSED(function(test_ctx, a, b, NULL));          \
    } while (0)
#define REFUSED_NULLS_OF_3(function, a, b, c)     \
    do {                                          \
        REFUSED_NULLS_AT_ENDS(function, a, b, c); \
        REFUSED(function(test_ctx, a, NULL, c));  \
    } while (0)
#define REFUSED_NULLS_OF_REPORT(function, a, b, c, path)              \
    do {                                                              \
        REFUSED_WITHOUT_CONTEXT(function(NULL, a, b, c, NULL, path)); \
        REFUSED(function(test_ctx, NULL, b, c, NULL, path));          \
        REFUSED(function(test_ctx, a, NULL, c, NULL, path));          \
        REFUSED(function(test_ctx, a, b, NULL, NULL, path));          \
        REFUSED(function(test_ctx, a, b, c, NULL, NULL));             \
    } while (0)
// A struct that was not filled by its _INIT macro, and one of a later header.
#define REFUSED_SIZES_OF(text, name, call)                                           \
    do {                                                                             \
        const size_t whole = (name).struct_size;                                     \
        (name).struct_size = 0;                                                      \
        REFUSED_AS(call, "struct_size of " text " is 0, ");                  \
        (name).struct_size = whole + 1;                                              \
        REFUSED_AS(call, " was expected: fill it by its _INIT macro");               \
        (name).struct_size = whole;                                                  \
    } while (0)
#define REFUSED_SIZES(name, call) REFUSED_SIZES_OF(#name, name, call)

enum { JOBS = 7 };

static void refuse_flowshop(mco_flowshop *shop)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    mco_flowshop *made = NULL;
    const int32_t order[JOBS] = {0, 1, 2, 3, 4, 5, 6}, times[1] = {1};
    int32_t read[JOBS];
    int64_t number;
    double real;
    mco_stop stop;
    REFUSED_NULLS_OF_3(mco_flowshop_solve, shop, &params, &result);
    REFUSED_SIZES(params, mco_flowshop_solve(test_ctx, shop, &params, &result));
    REFUSED_SIZES(result, mco_flowshop_solve(test_ctx, shop, &params, &result));
    REFUSED_NULLS_OF_REPORT(mco_flowshop_write_result, shop, &params, &result, "f");
    REFUSED_SIZES(params, mco_flowshop_write_result(test_ctx, shop, &params, &result, NULL, "f"));
    REFUSED_SIZES(result, mco_flowshop_write_result(test_ctx, shop, &params, &result, NULL, "f"));
    REFUSED_WITHOUT_CONTEXT(mco_flowshop_check(NULL, shop, order, JOBS, &number));
    REFUSED(mco_flowshop_check(test_ctx, NULL, order, JOBS, &number));
    REFUSED(mco_flowshop_check(test_ctx, shop, NULL, JOBS, &number));
    REFUSED(mco_flowshop_check(test_ctx, shop, order, JOBS, NULL));
    REFUSED_NULLS_OF_3(mco_flowshop_write_order, shop, order, "f");
    REFUSED_NULLS_OF_3(mco_flowshop_read_order, shop, "f", read);
    REFUSED_WITHOUT_CONTEXT(mco_flowshop_read_solution(NULL, shop, "f", read, &real));
    REFUSED(mco_flowshop_read_solution(test_ctx, NULL, "f", read, &real));
    REFUSED(mco_flowshop_read_solution(test_ctx, shop, NULL, read, &real));
    REFUSED(mco_flowshop_read_solution(test_ctx, shop, "f", NULL, &real));
    REFUSED(mco_flowshop_read_solution(test_ctx, shop, "f", read, NULL));
    REFUSED_NULLS_OF_3(mco_flowshop_write_schedule, shop, order, "f");
    REFUSED_NULLS_OF_3(mco_flowshop_plot, shop, order, "f");
    REFUSED_NULLS_OF_2(mco_flowshop_write, shop, "f");
    REFUSED_NULLS_AT_ENDS(mco_flowshop_lower_bound, shop, MCO_FLOWSHOP_BOUND_LB1, &number);
    REFUSED_WITHOUT_CONTEXT(mco_flowshop_lower_bound_within(NULL, shop, MCO_FLOWSHOP_BOUND_LB1, 1, &number, &stop));
    REFUSED(mco_flowshop_lower_bound_within(test_ctx, NULL, MCO_FLOWSHOP_BOUND_LB1, 1, &number, &stop));
    REFUSED(mco_flowshop_lower_bound_within(test_ctx, shop, MCO_FLOWSHOP_BOUND_LB1, 1, NULL, &stop));
    REFUSED(mco_flowshop_lower_bound_within(test_ctx, shop, MCO_FLOWSHOP_BOUND_LB1, 1, &number, NULL));
    assert_fails(mco_flowshop_lower_bound_within(test_ctx, shop, MCO_FLOWSHOP_BOUND_LB1, -1, &number, &stop),
                 MCO_ERR_ARGUMENT, "the time limit is -1 s, at least 0 was expected");
    REFUSED_WITHOUT_CONTEXT(mco_flowshop_create(NULL, 1, 1, times, &made));
    REFUSED(mco_flowshop_create(test_ctx, 1, 1, NULL, &made));
    REFUSED(mco_flowshop_create(test_ctx, 1, 1, times, NULL));
    REFUSED_NULLS_AT_ENDS(mco_flowshop_read, "f", 0, &made);
    REFUSED(mco_flowshop_taillard(test_ctx, NULL, &made));
    REFUSED(mco_flowshop_taillard(test_ctx, "ta001", NULL));
    REFUSED(mco_flowshop_generate(test_ctx, 1, 1, 1, NULL));
    assert_null(made);
    mco_flowshop_result_clear(NULL, &result);
    mco_flowshop_result_clear(test_ctx, NULL);
    mco_flowshop_destroy(test_ctx, NULL);
    mco_flowshop_destroy(test_ctx, &made);
}

static void test_flowshop(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    assert_ok(mco_flowshop_generate(test_ctx, JOBS, 4, 1, &shop));
    refuse_flowshop(shop);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void refuse_vrp(mco_vrp *problem, mco_vrp_solution *solution)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_result result = MCO_VRP_RESULT_INIT;
    mco_vrp_solution read = {0};
    int64_t cost;
    double stated;
    params.iterations = 1;
    REFUSED_NULLS_OF_3(mco_vrp_solve, problem, &params, &result);
    REFUSED_SIZES(params, mco_vrp_solve(test_ctx, problem, &params, &result));
    REFUSED_SIZES(result, mco_vrp_solve(test_ctx, problem, &params, &result));
    REFUSED_NULLS_OF_REPORT(mco_vrp_write_result, problem, &params, &result, "f");
    REFUSED_SIZES(params, mco_vrp_write_result(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_SIZES(result, mco_vrp_write_result(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_WITHOUT_CONTEXT(mco_vrp_check(NULL, problem, solution, &cost));
    REFUSED(mco_vrp_check(test_ctx, NULL, solution, &cost));
    REFUSED(mco_vrp_check(test_ctx, problem, NULL, &cost));
    REFUSED_WITHOUT_CONTEXT(mco_vrp_read_solution(NULL, problem, "f", &read, &stated));
    REFUSED(mco_vrp_read_solution(test_ctx, NULL, "f", &read, &stated));
    REFUSED(mco_vrp_read_solution(test_ctx, problem, NULL, &read, &stated));
    REFUSED(mco_vrp_read_solution(test_ctx, problem, "f", NULL, &stated));
    REFUSED_NULLS_OF_3(mco_vrp_write_solution, problem, solution, "f");
    REFUSED_NULLS_OF_3(mco_vrp_plot, problem, solution, "f");
    REFUSED_NULLS_AT_ENDS(mco_vrp_construct, problem, MCO_VRP_CONSTRUCTION_SAVINGS, &read);
    REFUSED_NULLS_OF_2(mco_vrp_write, problem, "f");
    assert_null(read.order);
    mco_vrp_result_clear(NULL, &result);
    mco_vrp_result_clear(test_ctx, NULL);
}

static void refuse_vrp_neighbourhood(mco_vrp *problem)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_vrp_neighbourhood_result result = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    REFUSED_NULLS_OF_3(mco_vrp_neighbourhood, problem, &params, &result);
    REFUSED_SIZES(params, mco_vrp_neighbourhood(test_ctx, problem, &params, &result));
    REFUSED_SIZES(result, mco_vrp_neighbourhood(test_ctx, problem, &params, &result));
    REFUSED_NULLS_OF_REPORT(mco_vrp_write_neighbourhood, problem, &params, &result, "f");
    REFUSED_SIZES(params, mco_vrp_write_neighbourhood(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_SIZES(result, mco_vrp_write_neighbourhood(test_ctx, problem, &params, &result, NULL, "f"));
    mco_vrp_neighbourhood_result_clear(NULL, &result);
    mco_vrp_neighbourhood_result_clear(test_ctx, NULL);
}

static void refuse_vrp_relax(mco_vrp *problem)
{
    mco_vrp_relax_params params = MCO_VRP_RELAX_PARAMS_INIT;
    mco_vrp_relax_result result = MCO_VRP_RELAX_RESULT_INIT;
    REFUSED_NULLS_OF_3(mco_vrp_relax, problem, &params, &result);
    REFUSED_SIZES(params, mco_vrp_relax(test_ctx, problem, &params, &result));
    REFUSED_SIZES(result, mco_vrp_relax(test_ctx, problem, &params, &result));
    REFUSED_NULLS_OF_REPORT(mco_vrp_write_relax, problem, &params, &result, "f");
    REFUSED_SIZES(params, mco_vrp_write_relax(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_SIZES(result, mco_vrp_write_relax(test_ctx, problem, &params, &result, NULL, "f"));
    mco_vrp_relax_result_clear(NULL, &result);
    mco_vrp_relax_result_clear(test_ctx, NULL);
}

static void refuse_vrp_bound(mco_vrp *problem)
{
    mco_vrp_bound_params params = MCO_VRP_BOUND_PARAMS_INIT;
    mco_vrp_bound_result result = MCO_VRP_BOUND_RESULT_INIT;
    REFUSED_NULLS_OF_3(mco_vrp_bound, problem, &params, &result);
    REFUSED_SIZES(params, mco_vrp_bound(test_ctx, problem, &params, &result));
    REFUSED_SIZES(result, mco_vrp_bound(test_ctx, problem, &params, &result));
    REFUSED_NULLS_OF_REPORT(mco_vrp_write_bound, problem, &params, &result, "f");
    REFUSED_SIZES(params, mco_vrp_write_bound(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_SIZES(result, mco_vrp_write_bound(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_NULLS_OF_3(mco_vrp_plot_bound, problem, &result, "f");
    REFUSED_SIZES(result, mco_vrp_plot_bound(test_ctx, problem, &result, "f"));
    mco_vrp_bound_result_clear(NULL, &result);
    mco_vrp_bound_result_clear(test_ctx, NULL);
}

static void refuse_vrp_making(void)
{
    static const int32_t distances[4] = {0, 1, 1, 0}, demands[1] = {1};
    static const double x[2] = {0, 1}, y[2] = {0, 0};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_vrp_generation generation = MCO_VRP_GENERATION_INIT;
    mco_vrp *made = NULL;
    model.capacity = 10;
    generation.customers = 2;
    REFUSED_WITHOUT_CONTEXT(mco_vrp_create(NULL, 1, distances, demands, &model, &made));
    REFUSED(mco_vrp_create(test_ctx, 1, NULL, demands, &model, &made));
    REFUSED(mco_vrp_create(test_ctx, 1, distances, NULL, &model, &made));
    REFUSED(mco_vrp_create(test_ctx, 1, distances, demands, &model, NULL));
    REFUSED_SIZES_OF("the model", model, mco_vrp_create(test_ctx, 1, distances, demands, &model, &made));
    REFUSED_WITHOUT_CONTEXT(mco_vrp_from_coordinates(NULL, 1, x, y, demands, &model, &made));
    REFUSED(mco_vrp_from_coordinates(test_ctx, 1, NULL, y, demands, &model, &made));
    REFUSED(mco_vrp_from_coordinates(test_ctx, 1, x, NULL, demands, &model, &made));
    REFUSED(mco_vrp_from_coordinates(test_ctx, 1, x, y, NULL, &model, &made));
    REFUSED(mco_vrp_from_coordinates(test_ctx, 1, x, y, demands, &model, NULL));
    REFUSED_SIZES_OF("the model", model, mco_vrp_from_coordinates(test_ctx, 1, x, y, demands, &model, &made));
    REFUSED_NULLS_AT_ENDS(mco_vrp_read, "f", &model, &made);
    REFUSED_NULLS_OF_2(mco_vrp_generate, &generation, &made);
    REFUSED_SIZES_OF("the generation", generation, mco_vrp_generate(test_ctx, &generation, &made));
    assert_null(made);
    mco_vrp_destroy(test_ctx, &made);
    mco_vrp_destroy(test_ctx, NULL);
}

static void test_vrp(void **state)
{
    (void)state;
    mco_vrp_generation generation = MCO_VRP_GENERATION_INIT;
    mco_vrp *problem = NULL;
    mco_vrp_solution solution = {0};
    generation.customers = 5;
    assert_ok(mco_vrp_generate(test_ctx, &generation, &problem));
    assert_ok(mco_vrp_construct(test_ctx, problem, MCO_VRP_CONSTRUCTION_SINGLE, &solution));
    refuse_vrp(problem, &solution);
    refuse_vrp_neighbourhood(problem);
    refuse_vrp_relax(problem);
    refuse_vrp_bound(problem);
    refuse_vrp_making();
    mco_vrp_solution_clear(test_ctx, &solution);
    mco_vrp_destroy(test_ctx, &problem);
}

static void refuse_dtspms(mco_dtspms *problem, const mco_dtspms_solution *solution)
{
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_result result = MCO_DTSPMS_RESULT_INIT;
    mco_dtspms_solution read = {0};
    int64_t cost, cost_of[2];
    params.iterations = 1;
    REFUSED_NULLS_OF_3(mco_dtspms_solve, problem, &params, &result);
    REFUSED_SIZES(params, mco_dtspms_solve(test_ctx, problem, &params, &result));
    REFUSED_SIZES(result, mco_dtspms_solve(test_ctx, problem, &params, &result));
    REFUSED_NULLS_OF_REPORT(mco_dtspms_write_result, problem, &params, &result, "f");
    REFUSED_SIZES(params, mco_dtspms_write_result(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_SIZES(result, mco_dtspms_write_result(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_WITHOUT_CONTEXT(mco_dtspms_check(NULL, problem, solution, 0, &cost, cost_of));
    REFUSED(mco_dtspms_check(test_ctx, NULL, solution, 0, &cost, cost_of));
    REFUSED(mco_dtspms_check(test_ctx, problem, NULL, 0, &cost, cost_of));
    REFUSED_WITHOUT_CONTEXT(mco_dtspms_read_solution(NULL, problem, "f", &read, &cost));
    REFUSED(mco_dtspms_read_solution(test_ctx, NULL, "f", &read, &cost));
    REFUSED(mco_dtspms_read_solution(test_ctx, problem, NULL, &read, &cost));
    REFUSED(mco_dtspms_read_solution(test_ctx, problem, "f", NULL, &cost));
    REFUSED_WITHOUT_CONTEXT(mco_dtspms_write_solution(NULL, problem, solution, 1, "f"));
    REFUSED(mco_dtspms_write_solution(test_ctx, NULL, solution, 1, "f"));
    REFUSED(mco_dtspms_write_solution(test_ctx, problem, NULL, 1, "f"));
    REFUSED(mco_dtspms_write_solution(test_ctx, problem, solution, 1, NULL));
    REFUSED_NULLS_OF_3(mco_dtspms_plot, problem, solution, "f");
    REFUSED_NULLS_AT_ENDS(mco_dtspms_write, problem, MCO_DTSPMS_NETWORK_PICKUP, "f");
    assert_null(read.plan);
    mco_dtspms_result_clear(NULL, &result);
    mco_dtspms_result_clear(test_ctx, NULL);
}

static void refuse_dtspms_neighbourhood(mco_dtspms *problem)
{
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_neighbourhood_result result = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    REFUSED_NULLS_OF_3(mco_dtspms_neighbourhood, problem, &params, &result);
    REFUSED_SIZES(params, mco_dtspms_neighbourhood(test_ctx, problem, &params, &result));
    REFUSED_SIZES(result, mco_dtspms_neighbourhood(test_ctx, problem, &params, &result));
    REFUSED_NULLS_OF_REPORT(mco_dtspms_write_neighbourhood, problem, &params, &result, "f");
    REFUSED_SIZES(params, mco_dtspms_write_neighbourhood(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_SIZES(result, mco_dtspms_write_neighbourhood(test_ctx, problem, &params, &result, NULL, "f"));
    mco_dtspms_neighbourhood_result_clear(NULL, &result);
    mco_dtspms_neighbourhood_result_clear(test_ctx, NULL);
}

static void refuse_dtspms_making(mco_dtspms *problem)
{
    static const int32_t distances[4] = {0, 1, 1, 0};
    mco_dtspms *made = NULL;
    REFUSED_WITHOUT_CONTEXT(mco_dtspms_create(NULL, 1, distances, distances, &made));
    REFUSED(mco_dtspms_create(test_ctx, 1, NULL, distances, &made));
    REFUSED(mco_dtspms_create(test_ctx, 1, distances, NULL, &made));
    REFUSED(mco_dtspms_create(test_ctx, 1, distances, distances, NULL));
    REFUSED_NULLS_AT_ENDS(mco_dtspms_read, "f", "g", &made);
    REFUSED_NULLS_AT_ENDS(mco_dtspms_named, "R00", 3, &made);
    REFUSED_WITHOUT_CONTEXT(mco_dtspms_generate(NULL, 3, 1, 2, &made));
    REFUSED(mco_dtspms_generate(test_ctx, 3, 1, 2, NULL));
    REFUSED_NULLS_AT_ENDS(mco_dtspms_prefix, problem, 2, &made);
    assert_null(made);
    mco_dtspms_destroy(test_ctx, &made);
    mco_dtspms_destroy(test_ctx, NULL);
}

static void test_dtspms(void **state)
{
    (void)state;
    mco_dtspms *problem = NULL;
    mco_dtspms_params params = MCO_DTSPMS_PARAMS_INIT;
    mco_dtspms_neighbourhood_result result = MCO_DTSPMS_NEIGHBOURHOOD_RESULT_INIT;
    assert_ok(mco_dtspms_named(test_ctx, "R00", 6, &problem));
    params.engine = MCO_ENGINE_REFERENCE;
    assert_ok(mco_dtspms_neighbourhood(test_ctx, problem, &params, &result));
    refuse_dtspms(problem, &result.solution);
    refuse_dtspms_neighbourhood(problem);
    refuse_dtspms_making(problem);
    mco_dtspms_neighbourhood_result_clear(test_ctx, &result);
    mco_dtspms_destroy(test_ctx, &problem);
}

static void refuse_guillotine(mco_guillotine *problem, const mco_guillotine_result *solved)
{
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result result = MCO_GUILLOTINE_RESULT_INIT;
    mco_guillotine_node *read = NULL;
    const mco_guillotine_node *nodes = solved->nodes;
    const int64_t count = solved->node_count;
    int64_t value, nodes_read;
    REFUSED_NULLS_OF_3(mco_guillotine_solve, problem, &params, &result);
    REFUSED_SIZES(params, mco_guillotine_solve(test_ctx, problem, &params, &result));
    REFUSED_SIZES(result, mco_guillotine_solve(test_ctx, problem, &params, &result));
    REFUSED_NULLS_OF_REPORT(mco_guillotine_write_result, problem, &params, solved, "f");
    REFUSED_SIZES(params, mco_guillotine_write_result(test_ctx, problem, &params, solved, NULL, "f"));
    REFUSED_SIZES(result, mco_guillotine_write_result(test_ctx, problem, &params, &result, NULL, "f"));
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_check(NULL, problem, &params, nodes, count, &value));
    REFUSED(mco_guillotine_check(test_ctx, NULL, &params, nodes, count, &value));
    REFUSED(mco_guillotine_check(test_ctx, problem, NULL, nodes, count, &value));
    REFUSED(mco_guillotine_check(test_ctx, problem, &params, NULL, count, &value));
    REFUSED_SIZES(params, mco_guillotine_check(test_ctx, problem, &params, nodes, count, &value));
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_read_plan(NULL, problem, "f", &read, &nodes_read, &value));
    REFUSED(mco_guillotine_read_plan(test_ctx, NULL, "f", &read, &nodes_read, &value));
    REFUSED(mco_guillotine_read_plan(test_ctx, problem, NULL, &read, &nodes_read, &value));
    REFUSED(mco_guillotine_read_plan(test_ctx, problem, "f", NULL, &nodes_read, &value));
    REFUSED(mco_guillotine_read_plan(test_ctx, problem, "f", &read, NULL, &value));
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_write_plan(NULL, problem, nodes, count, 1, "f"));
    REFUSED(mco_guillotine_write_plan(test_ctx, NULL, nodes, count, 1, "f"));
    REFUSED(mco_guillotine_write_plan(test_ctx, problem, NULL, count, 1, "f"));
    REFUSED(mco_guillotine_write_plan(test_ctx, problem, nodes, count, 1, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_write_cuts(NULL, problem, nodes, count, "f"));
    REFUSED(mco_guillotine_write_cuts(test_ctx, NULL, nodes, count, "f"));
    REFUSED(mco_guillotine_write_cuts(test_ctx, problem, NULL, count, "f"));
    REFUSED(mco_guillotine_write_cuts(test_ctx, problem, nodes, count, NULL));
    REFUSED_NULLS_OF_2(mco_guillotine_write_table, &solved->table, "f");
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_plot(NULL, problem, nodes, count, "f"));
    REFUSED(mco_guillotine_plot(test_ctx, NULL, nodes, count, "f"));
    REFUSED(mco_guillotine_plot(test_ctx, problem, NULL, count, "f"));
    REFUSED(mco_guillotine_plot(test_ctx, problem, nodes, count, NULL));
    REFUSED_NULLS_OF_2(mco_guillotine_write, problem, "f");
    assert_null(read);
    mco_guillotine_result_clear(NULL, &result);
    mco_guillotine_result_clear(test_ctx, NULL);
}

static void refuse_guillotine_batch(mco_guillotine *problem)
{
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result results[2] = {MCO_GUILLOTINE_RESULT_INIT, MCO_GUILLOTINE_RESULT_INIT};
    const mco_guillotine *const problems[2] = {problem, problem}, *const missing[2] = {problem, NULL};
    const char *const names[2] = {"a", "b"};
    const mco_guillotine_batch batch = {"batch", names, results, 2, 2, 1};
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_solve_batch(NULL, problems, 2, &params, results));
    REFUSED(mco_guillotine_solve_batch(test_ctx, NULL, 2, &params, results));
    REFUSED(mco_guillotine_solve_batch(test_ctx, missing, 2, &params, results));
    REFUSED(mco_guillotine_solve_batch(test_ctx, problems, 2, NULL, results));
    REFUSED(mco_guillotine_solve_batch(test_ctx, problems, 2, &params, NULL));
    REFUSED_SIZES(params, mco_guillotine_solve_batch(test_ctx, problems, 2, &params, results));
    results[0].struct_size = 0;
    REFUSED_AS(mco_guillotine_solve_batch(test_ctx, problems, 2, &params, results), "struct_size of a result is 0");
    results[0].struct_size = results[1].struct_size + 1;
    REFUSED_AS(mco_guillotine_solve_batch(test_ctx, problems, 2, &params, results), "struct_size of a result is ");
    results[0].struct_size--;
    results[1].struct_size = 0;
    REFUSED_AS(mco_guillotine_solve_batch(test_ctx, problems, 2, &params, results), "struct_size of a result is 0");
    results[1].struct_size = results[0].struct_size;
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_write_batch(NULL, &batch, &params, NULL, "f"));
    REFUSED(mco_guillotine_write_batch(test_ctx, NULL, &params, NULL, "f"));
    REFUSED(mco_guillotine_write_batch(test_ctx, &batch, NULL, NULL, "f"));
    REFUSED(mco_guillotine_write_batch(test_ctx, &batch, &params, NULL, NULL));
    REFUSED_SIZES(params, mco_guillotine_write_batch(test_ctx, &batch, &params, NULL, "f"));
}

static void refuse_guillotine_making(void)
{
    static const mco_guillotine_piece piece = {1, 1, 1, false};
    mco_guillotine *made = NULL;
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_create(NULL, 10, 10, &piece, 1, &made));
    REFUSED(mco_guillotine_create(test_ctx, 10, 10, NULL, 1, &made));
    REFUSED(mco_guillotine_create(test_ctx, 10, 10, &piece, 1, NULL));
    REFUSED_NULLS_OF_2(mco_guillotine_read, "f", &made);
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_testcut(NULL, 100, 100, 3, 1, &made));
    REFUSED(mco_guillotine_testcut(test_ctx, 100, 100, 3, 1, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_guillotine_randcut(NULL, 100, 100, 3, 1, &made));
    REFUSED(mco_guillotine_randcut(test_ctx, 100, 100, 3, 1, NULL));
    assert_null(made);
    mco_guillotine_destroy(test_ctx, &made);
    mco_guillotine_destroy(test_ctx, NULL);
}

static void test_guillotine(void **state)
{
    (void)state;
    mco_guillotine *problem = NULL;
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result result = MCO_GUILLOTINE_RESULT_INIT;
    assert_ok(mco_guillotine_randcut(test_ctx, 20, 20, 5, 1, &problem));
    params.wants_table = 1;
    assert_ok(mco_guillotine_solve(test_ctx, problem, &params, &result));
    refuse_guillotine(problem, &result);
    refuse_guillotine_batch(problem);
    refuse_guillotine_making();
    mco_guillotine_result_clear(test_ctx, &result);
    mco_guillotine_destroy(test_ctx, &problem);
}

static void test_reduce(void **state)
{
    (void)state;
    static const int64_t offsets[2] = {0, 2};
    const float data[2] = {1, 2};
    const mco_reduce_op sum = MCO_REDUCE_OP_SUM;
    const mco_reduce_type f32 = MCO_REDUCE_TYPE_F32;
    mco_reduce_params params = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result result = MCO_REDUCE_RESULT_INIT;
    mco_reduce_value values[1];
    float made[2];
    REFUSED_WITHOUT_CONTEXT(mco_reduce(NULL, sum, f32, data, 2, &params, &result));
    REFUSED(mco_reduce(test_ctx, sum, f32, NULL, 2, &params, &result));
    REFUSED(mco_reduce(test_ctx, sum, f32, data, 2, NULL, &result));
    REFUSED(mco_reduce(test_ctx, sum, f32, data, 2, &params, NULL));
    REFUSED_SIZES(params, mco_reduce(test_ctx, sum, f32, data, 2, &params, &result));
    REFUSED_SIZES(result, mco_reduce(test_ctx, sum, f32, data, 2, &params, &result));
    REFUSED_WITHOUT_CONTEXT(mco_reduce_segments(NULL, sum, f32, data, offsets, 1, &params, values, &result));
    REFUSED(mco_reduce_segments(test_ctx, sum, f32, NULL, offsets, 1, &params, values, &result));
    REFUSED(mco_reduce_segments(test_ctx, sum, f32, data, NULL, 1, &params, values, &result));
    REFUSED(mco_reduce_segments(test_ctx, sum, f32, data, offsets, 1, NULL, values, &result));
    REFUSED(mco_reduce_segments(test_ctx, sum, f32, data, offsets, 1, &params, NULL, &result));
    REFUSED(mco_reduce_segments(test_ctx, sum, f32, data, offsets, 1, &params, values, NULL));
    REFUSED_SIZES(params, mco_reduce_segments(test_ctx, sum, f32, data, offsets, 1, &params, values, &result));
    REFUSED_SIZES(result, mco_reduce_segments(test_ctx, sum, f32, data, offsets, 1, &params, values, &result));
    REFUSED_WITHOUT_CONTEXT(mco_reduce_generate(NULL, f32, 1, 0, 2, made));
    REFUSED(mco_reduce_generate(test_ctx, f32, 1, 0, 2, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_reduce_generated(NULL, sum, f32, 1, 2, 0, &params, NULL, &result));
    REFUSED(mco_reduce_generated(test_ctx, sum, f32, 1, 2, 0, NULL, NULL, &result));
    REFUSED(mco_reduce_generated(test_ctx, sum, f32, 1, 2, 0, &params, NULL, NULL));
    REFUSED_AS(mco_reduce_generated(test_ctx, sum, f32, 1, 2, 1, &params, NULL, &result), "values go with segments");
    REFUSED_SIZES(params, mco_reduce_generated(test_ctx, sum, f32, 1, 2, 0, &params, NULL, &result));
    REFUSED_SIZES(result, mco_reduce_generated(test_ctx, sum, f32, 1, 2, 0, &params, NULL, &result));
    REFUSED_WITHOUT_CONTEXT(mco_reduce_write_result(NULL, "n", sum, 2, 1, NULL, 0, &params, &result, NULL, "f"));
    REFUSED(mco_reduce_write_result(test_ctx, NULL, sum, 2, 1, NULL, 0, &params, &result, NULL, "f"));
    REFUSED(mco_reduce_write_result(test_ctx, "n", sum, 2, 1, NULL, 1, &params, &result, NULL, "f"));
    REFUSED(mco_reduce_write_result(test_ctx, "n", sum, 2, 1, NULL, 0, NULL, &result, NULL, "f"));
    REFUSED(mco_reduce_write_result(test_ctx, "n", sum, 2, 1, NULL, 0, &params, NULL, NULL, "f"));
    REFUSED(mco_reduce_write_result(test_ctx, "n", sum, 2, 1, NULL, 0, &params, &result, NULL, NULL));
    REFUSED_SIZES(params, mco_reduce_write_result(test_ctx, "n", sum, 2, 1, NULL, 0, &params, &result, NULL, "f"));
    REFUSED_SIZES(result, mco_reduce_write_result(test_ctx, "n", sum, 2, 1, NULL, 0, &params, &result, NULL, "f"));
}

static bool take_nothing(const mco_cycles_batch *batch, void *user)
{
    (void)batch, (void)user;
    return false;
}

static void refuse_cycles(const mco_graph *graph)
{
    mco_cycles_params params = MCO_CYCLES_PARAMS_INIT;
    mco_cycles_result result = MCO_CYCLES_RESULT_INIT;
    mco_graph *made = NULL;
    int64_t count = 7;
    REFUSED_WITHOUT_CONTEXT(mco_cycles_count(NULL, graph, &params, &result));
    REFUSED(mco_cycles_count(test_ctx, NULL, &params, &result));
    REFUSED(mco_cycles_count(test_ctx, graph, NULL, &result));
    REFUSED(mco_cycles_count(test_ctx, graph, &params, NULL));
    REFUSED_SIZES(params, mco_cycles_count(test_ctx, graph, &params, &result));
    REFUSED_SIZES(result, mco_cycles_count(test_ctx, graph, &params, &result));
    REFUSED_WITHOUT_CONTEXT(mco_cycles_list(NULL, graph, &params, take_nothing, NULL, &result));
    REFUSED(mco_cycles_list(test_ctx, NULL, &params, take_nothing, NULL, &result));
    REFUSED(mco_cycles_list(test_ctx, graph, NULL, take_nothing, NULL, &result));
    REFUSED(mco_cycles_list(test_ctx, graph, &params, NULL, NULL, &result));
    REFUSED(mco_cycles_list(test_ctx, graph, &params, take_nothing, NULL, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_cycles_write_list(NULL, graph, &params, MCO_CYCLES_FORMAT_TEXT, "f", &result));
    REFUSED(mco_cycles_write_list(test_ctx, NULL, &params, MCO_CYCLES_FORMAT_TEXT, "f", &result));
    REFUSED(mco_cycles_write_list(test_ctx, graph, NULL, MCO_CYCLES_FORMAT_TEXT, "f", &result));
    REFUSED(mco_cycles_write_list(test_ctx, graph, &params, MCO_CYCLES_FORMAT_TEXT, NULL, &result));
    REFUSED(mco_cycles_write_list(test_ctx, graph, &params, MCO_CYCLES_FORMAT_TEXT, "f", NULL));
    REFUSED_WITHOUT_CONTEXT(mco_cycles_check(NULL, graph, false, "f", &count));
    REFUSED(mco_cycles_check(test_ctx, NULL, false, "f", &count));
    REFUSED(mco_cycles_check(test_ctx, graph, false, NULL, &count));
    REFUSED(mco_cycles_check(test_ctx, graph, false, "f", NULL));
    REFUSED_WITHOUT_CONTEXT(mco_cycles_write_result(NULL, graph, &params, &result, NULL, "f"));
    REFUSED(mco_cycles_write_result(test_ctx, NULL, &params, &result, NULL, "f"));
    REFUSED(mco_cycles_write_result(test_ctx, graph, NULL, &result, NULL, "f"));
    REFUSED(mco_cycles_write_result(test_ctx, graph, &params, NULL, NULL, "f"));
    REFUSED(mco_cycles_write_result(test_ctx, graph, &params, &result, NULL, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_cycles_plot(NULL, graph, &result, NULL, 0, "f"));
    REFUSED(mco_cycles_plot(test_ctx, NULL, &result, NULL, 0, "f"));
    REFUSED(mco_cycles_plot(test_ctx, graph, NULL, NULL, 0, "f"));
    REFUSED(mco_cycles_plot(test_ctx, graph, &result, NULL, 0, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_cycles_niche_overlap(NULL, graph, &made));
    REFUSED(mco_cycles_niche_overlap(test_ctx, NULL, &made));
    REFUSED(mco_cycles_niche_overlap(test_ctx, graph, NULL));
    assert_null(made);
    assert_int_equal(count, 7);
}

static void test_cycles(void **state)
{
    (void)state;
    const mco_graph_shape shape = {.family = MCO_GRAPH_GRID, .a = 3, .b = 3};
    const mco_graph_edges edges = {.vertices = 1};
    mco_graph *graph = NULL, *made = NULL;
    int32_t vertex = 5;
    mco_graph_file file = MCO_GRAPH_FILE_INIT;
    REFUSED_WITHOUT_CONTEXT(mco_graph_generate(NULL, &shape, &graph));
    REFUSED(mco_graph_generate(test_ctx, NULL, &graph));
    REFUSED(mco_graph_generate(test_ctx, &shape, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_graph_create(NULL, &edges, &graph));
    REFUSED(mco_graph_create(test_ctx, NULL, &graph));
    REFUSED(mco_graph_create(test_ctx, &edges, NULL));
    assert_ok(mco_graph_generate(test_ctx, &shape, &graph));
    REFUSED_WITHOUT_CONTEXT(mco_graph_read(NULL, "f", &file, &made));
    REFUSED(mco_graph_read(test_ctx, NULL, &file, &made));
    REFUSED(mco_graph_read(test_ctx, "f", &file, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_graph_write(NULL, graph, MCO_GRAPH_FORMAT_AUTO, "f"));
    REFUSED(mco_graph_write(test_ctx, NULL, MCO_GRAPH_FORMAT_AUTO, "f"));
    REFUSED(mco_graph_write(test_ctx, graph, MCO_GRAPH_FORMAT_AUTO, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_graph_find(NULL, graph, "1", &vertex));
    REFUSED(mco_graph_find(test_ctx, NULL, "1", &vertex));
    REFUSED(mco_graph_find(test_ctx, graph, NULL, &vertex));
    REFUSED(mco_graph_find(test_ctx, graph, "1", NULL));
    assert_int_equal(vertex, 5);
    refuse_cycles(graph);
    mco_graph_destroy(test_ctx, &graph);
}

static void refuse_trees(const mco_paths_network *network)
{
    const int32_t distance[9] = {0};
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_tree tree = MCO_PATHS_TREE_INIT;
    mco_paths_result result = MCO_PATHS_RESULT_INIT;
    REFUSED_WITHOUT_CONTEXT(mco_paths_find_tree(NULL, network, NULL, 0, &params, &tree));
    REFUSED(mco_paths_find_tree(test_ctx, NULL, NULL, 0, &params, &tree));
    REFUSED(mco_paths_find_tree(test_ctx, network, NULL, 0, NULL, &tree));
    REFUSED(mco_paths_find_tree(test_ctx, network, NULL, 0, &params, NULL));
    REFUSED_SIZES(params, mco_paths_find_tree(test_ctx, network, NULL, 0, &params, &tree));
    REFUSED_SIZES(tree, mco_paths_find_tree(test_ctx, network, NULL, 0, &params, &tree));
    REFUSED_WITHOUT_CONTEXT(mco_paths_check(NULL, network, 0, distance));
    REFUSED(mco_paths_check(test_ctx, NULL, 0, distance));
    REFUSED(mco_paths_check(test_ctx, network, 0, NULL));
    REFUSED_NULLS_OF_REPORT(mco_paths_write_tree_result, network, &params, &tree, "f");
    REFUSED_NULLS_OF_REPORT(mco_paths_write_result, network, &params, &result, "f");
    REFUSED_NULLS_OF_3(mco_paths_plot_tree, network, &tree, "f");
}

static void refuse_distances(const mco_paths_network *network)
{
    static const int32_t source = 0, distance[9] = {0};
    int32_t *sources = NULL, *distances = NULL;
    int64_t count = 3;
    REFUSED_WITHOUT_CONTEXT(mco_paths_write_distances(NULL, network, MCO_PATHS_FORMAT_TEXT, 1, &source, distance, 9, "f"));
    REFUSED(mco_paths_write_distances(test_ctx, NULL, MCO_PATHS_FORMAT_TEXT, 1, &source, distance, 9, "f"));
    REFUSED(mco_paths_write_distances(test_ctx, network, MCO_PATHS_FORMAT_TEXT, 1, NULL, distance, 9, "f"));
    REFUSED(mco_paths_write_distances(test_ctx, network, MCO_PATHS_FORMAT_TEXT, 1, &source, NULL, 9, "f"));
    REFUSED(mco_paths_write_distances(test_ctx, network, MCO_PATHS_FORMAT_TEXT, 1, &source, distance, 9, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_paths_read_distances(NULL, network, "f", &count, &sources, &distances));
    REFUSED(mco_paths_read_distances(test_ctx, NULL, "f", &count, &sources, &distances));
    REFUSED(mco_paths_read_distances(test_ctx, network, NULL, &count, &sources, &distances));
    REFUSED(mco_paths_read_distances(test_ctx, network, "f", NULL, &sources, &distances));
    REFUSED(mco_paths_read_distances(test_ctx, network, "f", &count, NULL, &distances));
    REFUSED(mco_paths_read_distances(test_ctx, network, "f", &count, &sources, NULL));
    assert_int_equal(count, 3);
}

static void test_paths(void **state)
{
    (void)state;
    const mco_paths_shape shape = {.family = MCO_PATHS_GRID, .a = 3, .b = 3};
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    mco_graph *graph = NULL;
    mco_paths_network *network = NULL, *made = NULL;
    const mco_graph_edges edges = {.vertices = 1};
    int32_t vertex = 5;
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    REFUSED_WITHOUT_CONTEXT(mco_paths_create(NULL, graph, &model, &made));
    REFUSED(mco_paths_create(test_ctx, NULL, &model, &made));
    REFUSED(mco_paths_create(test_ctx, graph, &model, NULL));
    REFUSED_SIZES(model, mco_paths_create(test_ctx, graph, &model, &made));
    mco_graph_destroy(test_ctx, &graph);
    REFUSED_WITHOUT_CONTEXT(mco_paths_generate(NULL, &shape, &network, NULL));
    REFUSED(mco_paths_generate(test_ctx, NULL, &network, NULL));
    REFUSED(mco_paths_generate(test_ctx, &shape, NULL, NULL));
    assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_paths_read(NULL, "f", 0, &made));
    REFUSED(mco_paths_read(test_ctx, NULL, 0, &made));
    REFUSED(mco_paths_read(test_ctx, "f", 0, NULL));
    REFUSED_NULLS_OF_2(mco_paths_write, network, "f");
    REFUSED_NULLS_OF_3(mco_paths_find_vertex, network, "1", &vertex);
    assert_int_equal(vertex, 5);
    refuse_trees(network);
    refuse_distances(network);
    mco_paths_destroy(test_ctx, &network);
}

static void refuse_journeys(const mco_multimodal *network, const mco_automaton *automaton)
{
    const mco_multimodal_query query = {.source = 0, .target = -1};
    mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
    mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
    mco_multimodal_result result = MCO_MULTIMODAL_RESULT_INIT;
    int32_t arrival = 0;
    REFUSED_WITHOUT_CONTEXT(mco_multimodal_find_tree(NULL, network, automaton, &query, &params, &tree));
    REFUSED(mco_multimodal_find_tree(test_ctx, NULL, automaton, &query, &params, &tree));
    REFUSED(mco_multimodal_find_tree(test_ctx, network, NULL, &query, &params, &tree));
    REFUSED(mco_multimodal_find_tree(test_ctx, network, automaton, NULL, &params, &tree));
    REFUSED(mco_multimodal_find_tree(test_ctx, network, automaton, &query, NULL, &tree));
    REFUSED(mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, NULL));
    REFUSED_SIZES(params, mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, &tree));
    REFUSED_SIZES(tree, mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, &tree));
    REFUSED(mco_multimodal_find_many(test_ctx, network, automaton, 1, NULL, &params, &arrival, &result));
    REFUSED(mco_multimodal_find_many(test_ctx, network, automaton, 1, &query, &params, NULL, &result));
    REFUSED_SIZES(result, mco_multimodal_find_many(test_ctx, network, automaton, 1, &query, &params, &arrival, &result));
    REFUSED(mco_multimodal_find_profile(test_ctx, network, automaton, NULL, 1, 1, &params, &arrival, &result));
    REFUSED_AS(mco_multimodal_find_profile(test_ctx, network, automaton, &query, 0, 1, &params, &arrival, &result), "every 0 s");
    REFUSED(mco_multimodal_check(test_ctx, network, automaton, &query, NULL));
    REFUSED(mco_multimodal_write_result(test_ctx, network, automaton, &query, &params, &tree, NULL, NULL));
}

static void test_multimodal(void **state)
{
    (void)state;
    const mco_multimodal_shape shape = {.rows = 8, .columns = 8, .layer = {5, 5, 5, 5}, .degree = 2, .seed = 1};
    mco_multimodal *network = NULL;
    mco_automaton *automaton = NULL;
    REFUSED_WITHOUT_CONTEXT(mco_multimodal_generate(NULL, &shape, &network));
    REFUSED_NULLS_OF_2(mco_multimodal_generate, &shape, &network);
    assert_ok(mco_multimodal_generate(test_ctx, &shape, &network));
    REFUSED_NULLS_OF_2(mco_multimodal_write, network, "f");
    REFUSED(mco_automaton_generate(test_ctx, NULL, 2, &automaton));
    REFUSED(mco_automaton_generate(test_ctx, network, 2, NULL));
    REFUSED_AS(mco_automaton_generate(test_ctx, network, 9, &automaton), "9 states");
    assert_ok(mco_automaton_generate(test_ctx, network, 2, &automaton));
    REFUSED_NULLS_OF_3(mco_automaton_write, network, automaton, "f");
    refuse_journeys(network, automaton);
    mco_automaton_destroy(test_ctx, &automaton);
    mco_multimodal_destroy(test_ctx, &network);
}

static void refuse_transit_answers(const mco_transit *city)
{
    const mco_transit_query query = {{0, 0}, {0, 0.01}, 3600};
    const int32_t minutes[] = {15};
    mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    mco_transit_result result = MCO_TRANSIT_RESULT_INIT;
    mco_transit_batch batch = MCO_TRANSIT_BATCH_INIT;
    mco_transit_reach reach = MCO_TRANSIT_REACH_INIT;
    mco_transit_journey journey = {0};
    REFUSED_WITHOUT_CONTEXT(mco_transit_find(NULL, city, &query, &params, &result));
    REFUSED(mco_transit_find(test_ctx, NULL, &query, &params, &result));
    REFUSED(mco_transit_find(test_ctx, city, NULL, &params, &result));
    REFUSED(mco_transit_find(test_ctx, city, &query, NULL, &result));
    REFUSED(mco_transit_find(test_ctx, city, &query, &params, NULL));
    REFUSED_SIZES(params, mco_transit_find(test_ctx, city, &query, &params, &result));
    params.engine = MCO_ENGINE_GPU;
    REFUSED_AS(mco_transit_find(test_ctx, city, &query, &params, &result), "one query is for a core");
    REFUSED_AS(mco_transit_find_reach(test_ctx, city, query.from, 0, 1, minutes, &params, &reach), "a reach is for a core");
    params.engine = MCO_ENGINE_AUTO;
    REFUSED_SIZES(result, mco_transit_find(test_ctx, city, &query, &params, &result));
    REFUSED_WITHOUT_CONTEXT(mco_transit_check(NULL, city, &query, &params, &journey));
    REFUSED(mco_transit_check(test_ctx, NULL, &query, &params, &journey));
    REFUSED(mco_transit_check(test_ctx, city, NULL, &params, &journey));
    REFUSED(mco_transit_check(test_ctx, city, &query, NULL, &journey));
    REFUSED(mco_transit_check(test_ctx, city, &query, &params, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_transit_find_many(NULL, city, 1, &query, &params, &batch));
    REFUSED(mco_transit_find_many(test_ctx, NULL, 1, &query, &params, &batch));
    REFUSED(mco_transit_find_many(test_ctx, city, 1, NULL, &params, &batch));
    REFUSED(mco_transit_find_many(test_ctx, city, 1, &query, NULL, &batch));
    REFUSED(mco_transit_find_many(test_ctx, city, 1, &query, &params, NULL));
    REFUSED_AS(mco_transit_find_many(test_ctx, city, -1, &query, &params, &batch), "-1 queries");
    REFUSED_SIZES(batch, mco_transit_find_many(test_ctx, city, 1, &query, &params, &batch));
    REFUSED_WITHOUT_CONTEXT(mco_transit_find_reach(NULL, city, query.from, 0, 1, minutes, &params, &reach));
    REFUSED(mco_transit_find_reach(test_ctx, NULL, query.from, 0, 1, minutes, &params, &reach));
    REFUSED(mco_transit_find_reach(test_ctx, city, query.from, 0, 1, NULL, &params, &reach));
    REFUSED(mco_transit_find_reach(test_ctx, city, query.from, 0, 1, minutes, NULL, &reach));
    REFUSED(mco_transit_find_reach(test_ctx, city, query.from, 0, 1, minutes, &params, NULL));
    REFUSED_AS(mco_transit_find_reach(test_ctx, city, query.from, 0, 9, minutes, &params, &reach), "9 bands, 1 to 8 are supported");
    REFUSED_SIZES(reach, mco_transit_find_reach(test_ctx, city, query.from, 0, 1, minutes, &params, &reach));
}

static void refuse_transit_files(const mco_transit *city)
{
    const mco_transit_query query = {{0, 0}, {0, 0.01}, 3600};
    const mco_transit_params params = MCO_TRANSIT_PARAMS_INIT;
    const mco_transit_result result = MCO_TRANSIT_RESULT_INIT;
    mco_transit_batch batch = MCO_TRANSIT_BATCH_INIT;
    const mco_transit_reach reach = MCO_TRANSIT_REACH_INIT;
    mco_transit_query *queries = NULL;
    int64_t count = 3;
    REFUSED_NULLS_OF_3(mco_transit_read_queries, "f", &queries, &count);
    assert_int_equal(count, 3);
    REFUSED_WITHOUT_CONTEXT(mco_transit_write_result(NULL, city, &query, &params, &result, NULL, "f"));
    REFUSED(mco_transit_write_result(test_ctx, NULL, &query, &params, &result, NULL, "f"));
    REFUSED(mco_transit_write_result(test_ctx, city, NULL, &params, &result, NULL, "f"));
    REFUSED(mco_transit_write_result(test_ctx, city, &query, NULL, &result, NULL, "f"));
    REFUSED(mco_transit_write_result(test_ctx, city, &query, &params, NULL, NULL, "f"));
    REFUSED(mco_transit_write_result(test_ctx, city, &query, &params, &result, NULL, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_transit_write_batch(NULL, city, &query, &params, &batch, NULL, "f"));
    REFUSED(mco_transit_write_batch(test_ctx, NULL, &query, &params, &batch, NULL, "f"));
    batch.count = 1;
    REFUSED(mco_transit_write_batch(test_ctx, city, NULL, &params, &batch, NULL, "f"));
    batch.count = 0;
    REFUSED(mco_transit_write_batch(test_ctx, city, &query, NULL, &batch, NULL, "f"));
    REFUSED(mco_transit_write_batch(test_ctx, city, &query, &params, NULL, NULL, "f"));
    REFUSED(mco_transit_write_batch(test_ctx, city, &query, &params, &batch, NULL, NULL));
    REFUSED_NULLS_OF_REPORT(mco_transit_write_reach, city, &params, &reach, "f");
    REFUSED_WITHOUT_CONTEXT(mco_transit_write_geojson(NULL, city, &query, &result, "f"));
    REFUSED(mco_transit_write_geojson(test_ctx, NULL, &query, &result, "f"));
    REFUSED(mco_transit_write_geojson(test_ctx, city, NULL, &result, "f"));
    REFUSED(mco_transit_write_geojson(test_ctx, city, &query, NULL, "f"));
    REFUSED(mco_transit_write_geojson(test_ctx, city, &query, &result, NULL));
    REFUSED_NULLS_OF_3(mco_transit_write_reach_geojson, city, &reach, "f");
    REFUSED_WITHOUT_CONTEXT(mco_transit_plot(NULL, city, &query, &result, "f"));
    REFUSED(mco_transit_plot(test_ctx, NULL, &query, &result, "f"));
    REFUSED(mco_transit_plot(test_ctx, city, NULL, &result, "f"));
    REFUSED(mco_transit_plot(test_ctx, city, &query, NULL, "f"));
    REFUSED(mco_transit_plot(test_ctx, city, &query, &result, NULL));
    REFUSED_NULLS_OF_3(mco_transit_plot_reach, city, &reach, "f");
}

static void test_transit(void **state)
{
    (void)state;
    const mco_transit_shape shape = {.rows = 2, .columns = 2};
    const char *folder = test_path("transit");
    mco_transit_model model = MCO_TRANSIT_MODEL_INIT;
    mco_transit_facts facts = MCO_TRANSIT_FACTS_INIT;
    mco_transit *city = NULL;
    char command[160];
    REFUSED_NULLS_OF_2(mco_transit_generate, &shape, folder);
    assert_ok(mco_transit_generate(test_ctx, &shape, folder));
    REFUSED_AS(mco_transit_open(test_ctx, &model, &city), "no timetable is given");
    model.feeds = folder;
    model.date = 20190515;
    REFUSED_NULLS_OF_2(mco_transit_open, &model, &city);
    REFUSED_SIZES(model, mco_transit_open(test_ctx, &model, &city));
    assert_ok(mco_transit_open(test_ctx, &model, &city));
    REFUSED_NULLS_OF_2(mco_transit_tell, city, &facts);
    REFUSED_SIZES(facts, mco_transit_tell(test_ctx, city, &facts));
    assert_null(mco_transit_name(NULL));
    refuse_transit_answers(city);
    refuse_transit_files(city);
    mco_transit_destroy(test_ctx, &city);
    mco_transit_destroy(test_ctx, &city);
    mco_transit_destroy(test_ctx, NULL);
    mco_transit_result_clear(test_ctx, NULL);
    mco_transit_batch_clear(test_ctx, NULL);
    mco_transit_reach_clear(test_ctx, NULL);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

// Outputs of a call that is refused stay as they are.
static void test_devices(void **state)
{
    (void)state;
    mco_gpu gpus[MCO_MAX_GPUS] = {{.index = 0}};
    size_t bytes = 77;
    int count = 78;
    const char *reason = "kept";
    REFUSED_NULLS_OF_3(mco_gpus_list, gpus, &count, &reason);
    assert_int_equal(count, 78);
    assert_string_equal(reason, "kept");
    REFUSED_NULLS_OF_2(mco_gpu_free_bytes, gpus, &bytes);
    assert_int_equal(bytes, 77);
}

static void refuse_traffic_files(const mco_traffic *traffic, const mco_traffic_params *params)
{
    mco_traffic_result result = MCO_TRAFFIC_RESULT_INIT;
    mco_traffic_state *state = NULL;
    double *flow = NULL, *class_flow = NULL;
    const double numbers[8] = {0};
    double matrix[8];
    REFUSED_NULLS_OF_2(mco_traffic_write_network, traffic, "f");
    REFUSED_NULLS_AT_ENDS(mco_traffic_write_trips, traffic, 0, "f");
    REFUSED_NULLS_OF_3(mco_traffic_state_read, traffic, "f", &state);
    REFUSED_NULLS_OF_3(mco_traffic_write_flows, traffic, &result, "f");
    REFUSED_WITHOUT_CONTEXT(mco_traffic_read_flows(NULL, traffic, "f", &flow, &class_flow));
    REFUSED(mco_traffic_read_flows(test_ctx, NULL, "f", &flow, &class_flow));
    REFUSED(mco_traffic_read_flows(test_ctx, traffic, NULL, &flow, &class_flow));
    REFUSED(mco_traffic_read_flows(test_ctx, traffic, "f", NULL, &class_flow));
    REFUSED(mco_traffic_read_flows(test_ctx, traffic, "f", &flow, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_traffic_write_matrix(NULL, traffic, "m", numbers, "f"));
    REFUSED(mco_traffic_write_matrix(test_ctx, NULL, "m", numbers, "f"));
    REFUSED(mco_traffic_write_matrix(test_ctx, traffic, "m", NULL, "f"));
    REFUSED(mco_traffic_write_matrix(test_ctx, traffic, "m", numbers, NULL));
    REFUSED_NULLS_OF_REPORT(mco_traffic_write_result, traffic, params, &result, "f");
    REFUSED_SIZES(result, mco_traffic_write_result(test_ctx, traffic, params, &result, NULL, "f"));
    REFUSED_WITHOUT_CONTEXT(mco_traffic_plot_flows(NULL, traffic, params, &result, "f"));
    REFUSED(mco_traffic_plot_flows(test_ctx, NULL, params, &result, "f"));
    REFUSED(mco_traffic_plot_flows(test_ctx, traffic, params, NULL, "f"));
    REFUSED(mco_traffic_plot_flows(test_ctx, traffic, params, &result, NULL));
    REFUSED_NULLS_OF_3(mco_traffic_plot_history, traffic, &result, "f");
    REFUSED_WITHOUT_CONTEXT(mco_traffic_find_skim(NULL, traffic, params, 0, numbers, MCO_TRAFFIC_SKIM_COST, matrix));
    REFUSED(mco_traffic_find_skim(test_ctx, NULL, params, 0, numbers, MCO_TRAFFIC_SKIM_COST, matrix));
    REFUSED(mco_traffic_find_skim(test_ctx, traffic, params, 0, NULL, MCO_TRAFFIC_SKIM_COST, matrix));
    REFUSED(mco_traffic_find_skim(test_ctx, traffic, params, 0, numbers, MCO_TRAFFIC_SKIM_COST, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_traffic_select_link(NULL, traffic, state, 0, 0, matrix, NULL));
    REFUSED(mco_traffic_select_link(test_ctx, traffic, NULL, 0, 0, matrix, NULL));
    REFUSED_WITHOUT_CONTEXT(mco_traffic_write_paths(NULL, traffic, state, 0, "f"));
    REFUSED(mco_traffic_write_paths(test_ctx, traffic, NULL, 0, "f"));
    REFUSED_WITHOUT_CONTEXT(mco_traffic_state_write(NULL, traffic, state, "f"));
    REFUSED(mco_traffic_state_write(test_ctx, traffic, NULL, "f"));
    REFUSED(mco_traffic_plot_difference(test_ctx, traffic, NULL, numbers, "f"));
    REFUSED(mco_traffic_plot_difference(test_ctx, traffic, numbers, NULL, "f"));
}

static void test_traffic(void **state)
{
    (void)state;
    const mco_traffic_shape shape = {.family = MCO_TRAFFIC_BRAESS, .rows = 2, .columns = 2, .zones = 2, .destinations = 1, .load = 1, .seed = 1};
    const mco_traffic_network network = {.nodes = 1};
    const mco_traffic_files files = {.network = "f"};
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    mco_traffic_result result = MCO_TRAFFIC_RESULT_INIT;
    mco_traffic_facts facts;
    mco_traffic *traffic = NULL, *made = NULL;
    double flow[8] = {0};
    REFUSED_NULLS_OF_2(mco_traffic_generate, &shape, &traffic);
    REFUSED_NULLS_OF_2(mco_traffic_read, &files, &traffic);
    REFUSED_WITHOUT_CONTEXT(mco_traffic_create(NULL, "n", &network, 0, NULL, &made));
    REFUSED(mco_traffic_create(test_ctx, "n", NULL, 0, NULL, &made));
    REFUSED(mco_traffic_create(test_ctx, "n", &network, 0, NULL, NULL));
    assert_ok(mco_traffic_generate(test_ctx, &shape, &traffic));
    REFUSED_WITHOUT_CONTEXT(mco_traffic_assign(NULL, traffic, &params, NULL, &result));
    REFUSED(mco_traffic_assign(test_ctx, NULL, &params, NULL, &result));
    REFUSED(mco_traffic_assign(test_ctx, traffic, NULL, NULL, &result));
    REFUSED(mco_traffic_assign(test_ctx, traffic, &params, NULL, NULL));
    REFUSED_SIZES(params, mco_traffic_assign(test_ctx, traffic, &params, NULL, &result));
    REFUSED_SIZES(result, mco_traffic_assign(test_ctx, traffic, &params, NULL, &result));
    REFUSED_WITHOUT_CONTEXT(mco_traffic_check(NULL, traffic, &params, flow, NULL, &facts));
    REFUSED(mco_traffic_check(test_ctx, NULL, &params, flow, NULL, &facts));
    REFUSED(mco_traffic_check(test_ctx, traffic, NULL, flow, NULL, &facts));
    REFUSED(mco_traffic_check(test_ctx, traffic, &params, NULL, NULL, &facts));
    REFUSED(mco_traffic_check(test_ctx, traffic, &params, flow, NULL, NULL));
    refuse_traffic_files(traffic, &params);
    mco_traffic_destroy(test_ctx, &traffic);
    assert_null(made);
}

// ---- Membership overlay

static void refuse_overlay_solutions(const mco_overlay *overlay)
{
    mco_overlay_params params = MCO_OVERLAY_PARAMS_INIT;
    mco_overlay_result result = MCO_OVERLAY_RESULT_INIT;
    mco_overlay_solution solution = {0};
    double worth;
    REFUSED_NULLS_OF_3(mco_overlay_solve, overlay, &params, &result);
    REFUSED_SIZES(params, mco_overlay_solve(test_ctx, overlay, &params, &result));
    REFUSED_SIZES(result, mco_overlay_solve(test_ctx, overlay, &params, &result));
    REFUSED_NULLS_OF_3(mco_overlay_check, overlay, &solution, &worth);
    REFUSED_WITHOUT_CONTEXT(mco_overlay_read_solution(NULL, overlay, "f", &solution, &worth));
    REFUSED(mco_overlay_read_solution(test_ctx, NULL, "f", &solution, &worth));
    REFUSED(mco_overlay_read_solution(test_ctx, overlay, NULL, &solution, &worth));
    REFUSED(mco_overlay_read_solution(test_ctx, overlay, "f", NULL, &worth));
    REFUSED(mco_overlay_read_solution(test_ctx, overlay, "f", &solution, NULL));
    REFUSED_NULLS_OF_3(mco_overlay_write_solution, overlay, &solution, "f");
    REFUSED_WITHOUT_CONTEXT(mco_overlay_export(NULL, overlay, true, "f"));
    REFUSED(mco_overlay_export(test_ctx, NULL, true, "f"));
    REFUSED(mco_overlay_export(test_ctx, overlay, true, NULL));
    REFUSED_NULLS_OF_REPORT(mco_overlay_write_result, overlay, &params, &result, "f");
    REFUSED_SIZES(params, mco_overlay_write_result(test_ctx, overlay, &params, &result, NULL, "f"));
    REFUSED_NULLS_OF_3(mco_overlay_plot, overlay, &result, "f");
    REFUSED_SIZES(result, mco_overlay_plot(test_ctx, overlay, &result, "f"));
    REFUSED_SIZES(result, mco_overlay_write_result(test_ctx, overlay, &params, &result, NULL, "f"));
}

static void refuse_overlay_bounds(const mco_overlay *overlay)
{
    mco_overlay_bound_params params = MCO_OVERLAY_BOUND_PARAMS_INIT;
    mco_overlay_bound_result result = MCO_OVERLAY_BOUND_RESULT_INIT;
    uint32_t duals[2] = {0};
    double bound;
    REFUSED_NULLS_OF_3(mco_overlay_bound, overlay, &params, &result);
    REFUSED_SIZES(params, mco_overlay_bound(test_ctx, overlay, &params, &result));
    REFUSED_SIZES(result, mco_overlay_bound(test_ctx, overlay, &params, &result));
    REFUSED_WITHOUT_CONTEXT(mco_overlay_check_bound(NULL, overlay, duals, &bound, NULL));
    REFUSED(mco_overlay_check_bound(test_ctx, NULL, duals, &bound, NULL));
    REFUSED(mco_overlay_check_bound(test_ctx, overlay, NULL, &bound, NULL));
    REFUSED(mco_overlay_check_bound(test_ctx, overlay, duals, NULL, NULL));
    REFUSED_NULLS_OF_REPORT(mco_overlay_write_bound, overlay, &params, &result, "f");
    REFUSED_SIZES(params, mco_overlay_write_bound(test_ctx, overlay, &params, &result, NULL, "f"));
    REFUSED_NULLS_OF_3(mco_overlay_plot_bound, overlay, &result, "f");
    REFUSED_SIZES(result, mco_overlay_plot_bound(test_ctx, overlay, &result, "f"));
    REFUSED_SIZES(result, mco_overlay_write_bound(test_ctx, overlay, &params, &result, NULL, "f"));
}

static void refuse_overlay_events(const mco_overlay *overlay, mco_overlay_generation *generation)
{
    mco_overlay_bound_params bound = MCO_OVERLAY_BOUND_PARAMS_INIT;
    mco_overlay_live_params params = MCO_OVERLAY_LIVE_PARAMS_INIT;
    mco_overlay_bound_result result = MCO_OVERLAY_BOUND_RESULT_INIT;
    mco_overlay_events events = {0};
    mco_overlay_snapshot snapshot = {0};
    mco_overlay_live *live = NULL;
    mco_overlay_round round;
    REFUSED_NULLS_OF_3(mco_overlay_read_events, overlay, "f", &events);
    REFUSED_NULLS_OF_3(mco_overlay_generate_events, overlay, generation, &events);
    REFUSED_NULLS_OF_3(mco_overlay_write_events, overlay, &events, "f");
    REFUSED_WITHOUT_CONTEXT(mco_overlay_live_open(NULL, overlay, &bound, &params, &round, &live));
    REFUSED(mco_overlay_live_open(test_ctx, NULL, &bound, &params, &round, &live));
    REFUSED(mco_overlay_live_open(test_ctx, overlay, NULL, &params, &round, &live));
    REFUSED(mco_overlay_live_open(test_ctx, overlay, &bound, NULL, &round, &live));
    REFUSED(mco_overlay_live_open(test_ctx, overlay, &bound, &params, &round, NULL));
    REFUSED_SIZES(bound, mco_overlay_live_open(test_ctx, overlay, &bound, &params, &round, &live));
    REFUSED_SIZES(params, mco_overlay_live_open(test_ctx, overlay, &bound, &params, &round, &live));
    REFUSED_WITHOUT_CONTEXT(mco_overlay_follow(NULL, overlay, &events, &bound, &params, &result, NULL));
    REFUSED(mco_overlay_follow(test_ctx, NULL, &events, &bound, &params, &result, NULL));
    REFUSED(mco_overlay_follow(test_ctx, overlay, NULL, &bound, &params, &result, NULL));
    REFUSED(mco_overlay_follow(test_ctx, overlay, &events, &bound, &params, NULL, NULL));
    REFUSED_SIZES(result, mco_overlay_follow(test_ctx, overlay, &events, &bound, &params, &result, NULL));
    assert_ok(mco_overlay_live_open(test_ctx, overlay, &bound, &params, NULL, &live));
    REFUSED_WITHOUT_CONTEXT(mco_overlay_live_advance(NULL, live, NULL, 0, &round));
    REFUSED(mco_overlay_live_advance(test_ctx, NULL, NULL, 0, &round));
    REFUSED(mco_overlay_live_advance(test_ctx, live, NULL, 1, &round));
    REFUSED(mco_overlay_live_advance(test_ctx, live, NULL, 0, NULL));
    REFUSED_NULLS_OF_2(mco_overlay_live_take, live, &snapshot);
    mco_overlay_live_close(test_ctx, &live);
}

static void test_overlay(void **state)
{
    (void)state;
    const double uptime[2] = {0.5, 1};
    const int64_t bandwidth[2] = {1, 2};
    const mco_overlay_data data = {.nodes = 2, .uptime = uptime, .bandwidth = bandwidth, .links = -1, .most_of_all = -1};
    mco_overlay_generation generation = MCO_OVERLAY_GENERATION_INIT;
    mco_overlay_model model = MCO_OVERLAY_MODEL_INIT;
    mco_overlay *overlay = NULL, *made = NULL;
    generation.nodes = 2;
    REFUSED_WITHOUT_CONTEXT(mco_overlay_create(NULL, "n", &data, &made));
    REFUSED(mco_overlay_create(test_ctx, "n", NULL, &made));
    REFUSED(mco_overlay_create(test_ctx, "n", &data, NULL));
    REFUSED_NULLS_OF_2(mco_overlay_generate, &generation, &made);
    REFUSED_SIZES_OF("the generation", generation, mco_overlay_generate(test_ctx, &generation, &made));
    REFUSED_NULLS_AT_ENDS(mco_overlay_read, "f", &model, &made);
    REFUSED_SIZES(model, mco_overlay_read(test_ctx, "f", &model, &made));
    assert_ok(mco_overlay_create(test_ctx, "n", &data, &overlay));
    REFUSED_NULLS_OF_2(mco_overlay_write, overlay, "f");
    refuse_overlay_solutions(overlay);
    refuse_overlay_bounds(overlay);
    refuse_overlay_events(overlay, &generation);
    mco_overlay_destroy(test_ctx, &overlay);
    assert_null(made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_flowshop), TEST(test_vrp),   TEST(test_dtspms),     TEST(test_guillotine), TEST(test_reduce),
                                       TEST(test_cycles),   TEST(test_paths), TEST(test_multimodal), TEST(test_transit),    TEST(test_traffic),
                                       TEST(test_devices),   TEST(test_overlay)};
    return cmocka_run_group_tests_name("refusals", tests, NULL, NULL);
}
