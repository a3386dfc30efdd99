// SPDX-License-Identifier: MIT
// Walks on a GPU: parts of random problems, from one customer on; loads, lengths and costs recounted from the instance;
// small parts against the optimum; tasks one at a time and many together; a run that is ended. The rate goes to
// standard output.
//
//     gpu_test_vrp_walk [STEPS]    STEPS of each task instead of 10000; fewer than 1000 leave out what has to be reached
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "vrp/search/gpu.h"
#include "vrp/search/neighbours.h"
#include "vrp_support.h"

static long checks;
static mco_context *ctx;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))
#define CHECK(condition, ...)                \
    do {                                     \
        checks++;                            \
        GPU_CHECK(condition, __VA_ARGS__);   \
    } while (0)

enum { DEFAULT_STEPS = 10000, FEW_STEPS = 1000, NEIGHBOURS = 64 };

static const double WELL_WALKED = 0.6;

static int64_t steps_of_task = DEFAULT_STEPS;

// ---- Problems

typedef enum places { BY_MATRIX, BY_ASYMMETRIC_MATRIX, BY_GRID, BY_PLANE, BY_CEILING, PLACES } places;

static const char *const PLACE_NAMES[PLACES] = {"matrix", "asymmetric", "grid", "plane", "ceiling"};

static void put_on_plane(mco_vrp *p, places kind, mco_rng *rng, int32_t side)
{
    p->x = calloc((size_t)p->nodes, sizeof *p->x);
    p->y = calloc((size_t)p->nodes, sizeof *p->y);
    if (p->x == NULL || p->y == NULL)
        abort();
    for (int32_t i = 0; i < p->nodes; i++) {
        p->x[i] = (kind == BY_PLANE ? 0.37 : 1) * (double)mco_rng_below(rng, (uint32_t)side) + 1000;
        p->y[i] = (kind == BY_PLANE ? 0.37 : 1) * (double)mco_rng_below(rng, (uint32_t)side) - 300;
    }
    free(p->matrix);
    p->matrix = NULL;
    p->rule = kind == BY_CEILING ? VRP_CEIL_2D : VRP_EUC_2D;
    p->scale = kind == BY_PLANE ? 1000 : 1;
    p->distances = kind == BY_PLANE ? MCO_VRP_DISTANCES_REAL : MCO_VRP_DISTANCES_ROUNDED;
    p->longest = (int32_t)ceil(sqrt(2) * side * p->scale) + 1;
}

// About `of_route` customers fit a route by their demands. With `has_length` a limit keeps most such routes, but not
// all.
static mco_vrp *problem_new(mco_rng *rng, places kind, int32_t customers, int32_t of_route, bool has_length)
{
    enum { SIDE = 1000, DEMANDS = 20 };
    const vrp_shape shape = {.customers = customers, .distances = SIDE, .is_symmetric = kind != BY_ASYMMETRIC_MATRIX,
                             .demands = DEMANDS, .services = has_length ? SIDE / 10 : 0,
                             .capacity = of_route * DEMANDS / 2 + DEMANDS};
    mco_vrp *p = vrp_case_random(rng, &shape);
    if (kind >= BY_GRID)
        put_on_plane(p, kind, rng, SIDE);
    if (has_length)
        p->max_length = (int32_t)(p->scale * SIDE * (3 + 0.2 * of_route));
    return p;
}

static void problem_free(mco_vrp *p)
{
    free(p->x);
    free(p->y);
    vrp_case_free(p);
}

// ---- Tasks

// Begins a new route when the next customer does not fit the last one. Returns the number of routes.
static int32_t fill_routes(vrp_task *task)
{
    const vrp_part *p = &task->part;
    int64_t load = 0, length = 0;
    task->routes = 0;
    task->cost = 0;
    for (int32_t k = 0, at = p->customers + 1; k < p->customers; k++) {
        const int32_t c = task->order[k], depot = p->customers + 1;
        const int64_t along = vrp_part_distance(p, at, c) + p->service[c];
        const bool fits = k > 0 && load + p->demand[c] <= p->problem->capacity &&
                          (!vrp_has_max_length(p->problem) ||
                           length + along + vrp_part_distance(p, c, depot) <= p->problem->max_length);
        if (!fits) {
            task->cost += k > 0 ? vrp_part_distance(p, at, depot) : 0;
            task->first[task->routes++] = k;
            load = length = 0;
            at = depot;
        }
        task->cost += vrp_part_distance(p, at, c);
        length += vrp_part_distance(p, at, c) + p->service[c];
        load += p->demand[c];
        at = c;
        if (k + 1 == p->customers)
            task->cost += vrp_part_distance(p, at, depot);
    }
    task->first[task->routes] = p->customers;
    return task->routes;
}

// Makes a task of customers first..first + customers - 1, in routes in their order. `routes` 0: allows a few more
// routes than used.
static void task_new(const mco_vrp *problem, int32_t first, int32_t customers, int32_t routes, vrp_task *out)
{
    int32_t count = NEIGHBOURS, *near = NULL, *local = calloc((size_t)problem->nodes, sizeof *local);
    const int32_t most = routes > 0 ? routes : customers;
    if (local == NULL)
        abort();
    *out = (vrp_task){.seed = (uint64_t)(first + customers)};
    MUST(vrp_neighbours(ctx, problem, &count, 1, NULL, &near));
    MUST(vrp_task_open(ctx, problem, customers, most, NEIGHBOURS, out));
    for (int32_t k = 0; k < customers; k++) {
        out->customer[k] = first + k;
        out->order[k] = k + 1;
    }
    vrp_part_fill(out, customers, most, near, count, local);
    const int32_t used = fill_routes(out);
    if (routes == 0)
        out->part.routes = used + 4 < customers ? used + 4 : customers;
    const double scale = problem->scale;
    out->plan = (vrp_walk_plan){.steps = steps_of_task, .hot = 30 * scale, .cold = 0.3 * scale, .removed = 10,
                                .longest_string = 10, .exchanges = 12};
    mco_free(ctx, &near);
    free(local);
}

// Checks a task by the instance alone.
static void check_task(const char *name, const vrp_task *task, int64_t before)
{
    const vrp_part *p = &task->part;
    const mco_vrp *problem = p->problem;
    bool seen[1024] = {false};
    int64_t cost = 0;
    int32_t wrong = 0;
    CHECK(task->cost <= before, "%s: %lld, before %lld", name, (long long)task->cost, (long long)before);
    CHECK(task->routes <= p->routes, "%s: %d routes, at most %d", name, (int)task->routes, (int)p->routes);
    CHECK(task->first[0] == 0 && task->first[task->routes] == p->customers, "%s: routes end at %d", name,
          (int)task->first[task->routes]);
    for (int32_t r = 0; r < task->routes; r++) {
        int64_t load = 0, length = 0;
        int32_t at = 0;
        wrong += task->first[r] >= task->first[r + 1];
        for (int32_t k = task->first[r]; k < task->first[r + 1]; k++) {
            const int32_t c = task->order[k], node = p->place[c];
            wrong += c < 1 || c > p->customers || seen[c];
            seen[c] = true;
            cost += vrp_distance(problem, at, node);
            length += vrp_distance(problem, at, node) + vrp_service(problem, node);
            load += problem->demand[node];
            at = node;
        }
        cost += vrp_distance(problem, at, 0);
        length += vrp_distance(problem, at, 0);
        wrong += load > problem->capacity || (vrp_has_max_length(problem) && length > problem->max_length);
    }
    CHECK(wrong == 0, "%s: %d faults in the routes", name, (int)wrong);
    CHECK(cost == task->cost, "%s: cost %lld, recounted %lld", name, (long long)task->cost, (long long)cost);
}

static bool open_processor(const mco_vrp *problem, vrp_processor *processor)
{
    const mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    *processor = (vrp_processor){0};
    MUST(vrp_gpu_walks_open(ctx, problem, &params, processor));
    if (processor->close == NULL)
        return false;
    CHECK(processor->tasks > 0 && processor->part_customers > 0 && processor->part_routes > 0 && processor->steps_per_customer > 0 &&
              processor->gpus != 0,
          "processor of %d tasks", (int)processor->tasks);
    return true;
}

// ---- Parts

// Runs `count` parts at once, each with from..to customers.
static void test_parts(places kind, int32_t from, int32_t to, int32_t count, int32_t of_route, bool has_length)
{
    char name[64];
    mco_rng rng;
    vrp_processor processor;
    vrp_task *tasks = calloc((size_t)count, sizeof *tasks);
    int64_t *before = calloc((size_t)count, sizeof *before);
    snprintf(name, sizeof name, "%s, %d-%d customers, %d a route%s", PLACE_NAMES[kind], (int)from, (int)to, (int)of_route,
             has_length ? ", lengths" : "");
    if (tasks == NULL || before == NULL)
        abort();
    mco_rng_seed(&rng, (uint64_t)kind * 1000 + (uint64_t)to, (uint64_t)count);
    mco_vrp *problem = problem_new(&rng, kind, 2 * to, of_route, has_length);
    if (open_processor(problem, &processor)) {
        for (int32_t k = 0; k < count; k++) {
            const int32_t size = from + (int32_t)mco_rng_below(&rng, (uint32_t)(to - from + 1));
            task_new(problem, (int32_t)mco_rng_below(&rng, (uint32_t)(2 * to - size + 1)), size, 0, &tasks[k]);
            before[k] = tasks[k].cost;
        }
        MUST(processor.run(&processor, tasks, count, INFINITY));
        CHECK(processor.steps >= count * steps_of_task, "%s: %lld steps", name, (long long)processor.steps);
        for (int32_t k = 0; k < count; k++) {
            check_task(name, &tasks[k], before[k]);
            // The start has customers in random order, so what a walk finds within the limits is far better.
            if (steps_of_task >= FEW_STEPS && tasks[k].part.customers >= 20 && of_route > 2)
                CHECK((double)tasks[k].cost < WELL_WALKED * (double)before[k], "%s: %lld, before %lld", name,
                      (long long)tasks[k].cost, (long long)before[k]);
            vrp_task_close(ctx, &tasks[k]);
        }
        processor.close(&processor);
    }
    problem_free(problem);
    free(before);
    free(tasks);
}

// ---- The optimum of few customers

static void test_optimum(bool is_symmetric, bool has_length, int32_t routes)
{
    enum { CUSTOMERS = 7, CASES = 6 };
    mco_rng rng;
    mco_rng_seed(&rng, (uint64_t)routes + 10, (uint64_t)has_length);
    for (int k = 0; k < CASES; k++) {
        vrp_processor processor;
        vrp_task task;
        mco_vrp *p = problem_new(&rng, is_symmetric ? BY_MATRIX : BY_ASYMMETRIC_MATRIX, CUSTOMERS, routes == 1 ? 20 : 3,
                                 has_length);
        p->vehicles = routes;
        if (open_processor(p, &processor)) {
            task_new(p, 0, CUSTOMERS, routes > 0 ? routes : CUSTOMERS, &task);
            const int64_t before = task.cost, least = vrp_optimal_cost(p);
            // If the start needs more routes than allowed, the walk may keep as many, so this case is left out.
            if (task.routes <= task.part.routes) {
                task.plan.hot = 300;
                MUST(processor.run(&processor, &task, 1, INFINITY));
                check_task("optimum", &task, before);
                CHECK(steps_of_task < FEW_STEPS || task.cost == least, "%d routes: %lld, optimum %lld", (int)routes,
                      (long long)task.cost, (long long)least);
            }
            vrp_task_close(ctx, &task);
            processor.close(&processor);
        }
        problem_free(p);
    }
}

// ---- Ends

static bool ends_at_once(void *user)
{
    ++*(int *)user;
    return true;
}

static void test_end(void)
{
    mco_rng rng;
    vrp_processor processor;
    vrp_task task;
    int asked = 0;
    mco_rng_seed(&rng, 77, 0);
    mco_vrp *p = problem_new(&rng, BY_GRID, 60, 8, false);
    if (open_processor(p, &processor)) {
        task_new(p, 0, 60, 0, &task);
        const int64_t before = task.cost;
        MUST(processor.run(&processor, &task, 0, INFINITY));
        MUST(processor.run(&processor, &task, 1, mco_clock_s() - 1));
        CHECK(task.cost == before && processor.steps == 0, "%lld steps behind the limit", (long long)processor.steps);
        processor.ends = ends_at_once;
        processor.user = &asked;
        MUST(processor.run(&processor, &task, 1, INFINITY));
        CHECK(task.cost == before && processor.steps == 0 && asked == 1, "%lld steps, asked %d times", (long long)processor.steps, asked);
        processor.ends = NULL;
        vrp_task_close(ctx, &task);
        processor.close(&processor);
    }
    problem_free(p);
}

// A run that would take minutes is ended after a third of a second.
static void test_stop(void)
{
    mco_rng rng;
    vrp_processor processor;
    vrp_task task;
    mco_rng_seed(&rng, 78, 0);
    mco_vrp *p = problem_new(&rng, BY_GRID, 60, 8, false);
    if (open_processor(p, &processor)) {
        task_new(p, 0, 60, 0, &task);
        task.plan.steps = 100000000;
        const int64_t before = task.cost;
        const double begin_s = mco_clock_s();
        MUST(processor.run(&processor, &task, 1, begin_s + 0.3));
        CHECK(mco_clock_s() - begin_s < 5, "%.1f s", mco_clock_s() - begin_s);
        CHECK(processor.steps > 0 && task.cost < before, "%lld steps", (long long)processor.steps);
        check_task("stop", &task, before);
        vrp_task_close(ctx, &task);
        processor.close(&processor);
    }
    problem_free(p);
}

// ---- Rate

static void show_rate(int32_t count)
{
    enum { CUSTOMERS = 120 };
    mco_rng rng;
    vrp_processor processor;
    vrp_task *tasks = calloc((size_t)count, sizeof *tasks);
    if (tasks == NULL)
        abort();
    mco_rng_seed(&rng, 9, 0);
    mco_vrp *p = problem_new(&rng, BY_GRID, CUSTOMERS, 10, false);
    if (open_processor(p, &processor)) {
        for (int32_t k = 0; k < count; k++)
            task_new(p, 0, CUSTOMERS, 0, &tasks[k]);
        const double begin_s = mco_clock_s();
        MUST(processor.run(&processor, tasks, count, INFINITY));
        const double took_s = mco_clock_s() - begin_s;
        printf("%d tasks of %d customers: %.2f s, %.1f M steps/s; kernels %.1f M steps/s\n", (int)count, (int)CUSTOMERS, took_s,
               (double)processor.steps / took_s * 1e-6, (double)processor.steps / processor.device_s * 1e-6);
        for (int32_t k = 0; k < count; k++)
            vrp_task_close(ctx, &tasks[k]);
        processor.close(&processor);
    }
    problem_free(p);
    free(tasks);
}

int main(int argc, char **argv)
{
    steps_of_task = argc > 1 ? strtoll(argv[1], NULL, 10) : DEFAULT_STEPS;
    ctx = gpu_begin();
    for (places kind = 0; kind < PLACES; kind++)
        for (int has_length = 0; has_length < 2; has_length++) {
            test_parts(kind, 1, 4, 9, 2, has_length);
            test_parts(kind, 5, 40, 5, 6, has_length);
            test_parts(kind, 60, 120, 3, 12, has_length);
        }
    test_parts(BY_GRID, 100, 100, 1, 200, false);  // one route
    test_parts(BY_GRID, 120, 120, 1, 1, false);    // one or two customers in a route
    test_parts(BY_GRID, 200, 240, 2, 9, false);
    test_parts(BY_PLANE, 240, 240, 1, 15, true);
    test_parts(BY_MATRIX, 200, 240, 1, 9, true);
    test_optimum(true, false, 0);
    test_optimum(true, true, 0);
    test_optimum(true, false, 1);
    test_optimum(false, false, 0);
    test_end();
    if (steps_of_task >= DEFAULT_STEPS) {
        test_stop();
        show_rate(1);
        show_rate(64);
        show_rate(1000);
    }
    mco_context_destroy(&ctx);
    return gpu_summary("vrp walks", checks);
}
