// SPDX-License-Identifier: MIT
// Times of passes of bounds on a GPU: bench_vrp_bound_gpu [--runs N] [--shapes] [--cores] [--case NAME] [--only q|ng].
//
// `whole` is the wall time of a call: arcs from pageable memory, kernels, tables in host memory. `kernels` is the part from the arcs
// on the device to complete tables there. Transitions are customers^2 * capacity. Each time is the least of N runs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/rng.h"
#include "mco/mco.h"
#include "vrp/bound/relax/ng_cuda.h"
#include "vrp/bound/relax/ng_gpu.h"
#include "vrp/bound/relax/q_cuda.h"
#include "vrp/bound/relax/q_gpu.h"

typedef struct bench {
    mco_context *ctx;
    int runs;
    bool has_shapes, has_cores;
    const char *only, *pass;
    vrp_bound_problem problem;
    int32_t *arcs;
    const char *name;
} bench;

static void die(const bench *b, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, b->ctx != NULL ? mco_context_error(b->ctx) : "no context");
    exit(EXIT_FAILURE);
}

// ---- Problems

// Room for a problem of `nodes`; x and y [nodes] become its costs, rounded, times `unit`.
static void set_problem(bench *b, const char *name, int32_t nodes, const double *x, const double *y, const int32_t *demand, int32_t capacity,
                        int32_t unit, int32_t skew)
{
    vrp_bound_problem *p = &b->problem;
    uint64_t state = 7;
    free(p->demand);
    free(p->cost);
    free(b->arcs);
    *p = (vrp_bound_problem){.customers = nodes - 1, .nodes = nodes, .stride = (nodes + 15) / 16 * 16, .capacity = capacity, .unit = unit,
                             .is_exact = true, .is_symmetric = skew == 0, .least_demand = INT32_MAX};
    p->demand = malloc((size_t)nodes * sizeof *p->demand);
    p->cost = malloc((size_t)nodes * (size_t)p->stride * sizeof *p->cost);
    b->arcs = malloc((size_t)nodes * (size_t)p->stride * sizeof *b->arcs);
    int32_t *price = calloc((size_t)nodes, sizeof *price);
    if (p->demand == NULL || p->cost == NULL || b->arcs == NULL || price == NULL)
        die(b, "memory");
    b->name = name;
    for (int32_t i = 0; i < nodes; i++) {
        p->demand[i] = i > 0 ? demand[i] : 0;
        if (i > 0 && demand[i] < p->least_demand)
            p->least_demand = demand[i];
        const double home = hypot(x[i] - x[0], y[i] - y[0]);
        price[i] = i > 0 ? (int32_t)(unit * (0.1 * home + 0.7 * home * demand[i] / capacity + (double)(mco_splitmix64(&state) % 10)) / 2) : 0;
    }
    for (int32_t i = 0; i < nodes; i++)
        for (int32_t j = 0; j < p->stride; j++) {
            const int64_t at = (int64_t)i * p->stride + j;
            const int32_t more = skew > 0 ? (int32_t)(mco_splitmix64(&state) % (uint64_t)skew) : 0;
            p->cost[at] = j >= nodes || i == j ? VRP_NO_ARC : (int32_t)lround(hypot(x[i] - x[j], y[i] - y[j]) + more) * unit;
            b->arcs[at] = p->cost[at] < VRP_NO_ARC ? p->cost[at] - price[i] - price[j] : VRP_NO_ARC;
        }
    free(price);
}

// Li, Golden and Wasil (2005), instance 32: 30 rings of 40 customers around the depot.
static void set_rings(bench *b, const char *name, int32_t divisor)
{
    enum { RINGS = 30, EACH = 40, NODES = RINGS * EACH + 1 };
    static double x[NODES], y[NODES];
    static int32_t demand[NODES];
    int32_t at = 1;
    for (int k = 1; k <= RINGS; k++)
        for (int i = 1; i <= EACH; i++, at++) {
            x[at] = 30 * k * cos(2 * acos(-1) * (i - 1) / EACH);
            y[at] = 30 * k * sin(2 * acos(-1) * (i - 1) / EACH);
            demand[at] = (i % 4 == 2 || i % 4 == 3 ? 30 : 10) / divisor;
        }
    set_problem(b, name, NODES, x, y, demand, 2500 / divisor, 256, 0);
}

// As the X set makes them: places in a square of 1000, demands of a range.
static void set_random(bench *b, const char *name, int32_t nodes, int32_t capacity, int32_t least, int32_t most, int32_t skew)
{
    uint64_t state = 11;
    double *x = malloc((size_t)nodes * sizeof *x), *y = malloc((size_t)nodes * sizeof *y);
    int32_t *demand = malloc((size_t)nodes * sizeof *demand);
    if (x == NULL || y == NULL || demand == NULL)
        die(b, "memory");
    for (int32_t i = 0; i < nodes; i++) {
        x[i] = (double)(mco_splitmix64(&state) % 1001);
        y[i] = (double)(mco_splitmix64(&state) % 1001);
        demand[i] = least + (int32_t)(mco_splitmix64(&state) % (uint64_t)(most - least + 1));
    }
    demand[1] = least;
    set_problem(b, name, nodes, x, y, demand, capacity, 64, skew);
    free(x);
    free(y);
    free(demand);
}

// ---- q-paths

static double transitions(const bench *b)
{
    return (double)b->problem.customers * b->problem.customers * b->problem.capacity * (b->problem.is_symmetric ? 1 : 2);
}

static vrp_q_pass *open_q(const bench *b, mco_engine engine)
{
    vrp_q_pass *pass = NULL;
    const vrp_relax_settings settings = {.engine = engine, .threads = engine == MCO_ENGINE_CPU ? 1 : mco_settle_threads(0), .memory = 6e10};
    if (vrp_q_open(b->ctx, &b->problem, &settings, &pass) != MCO_OK)
        die(b, "open");
    return pass;
}

static void time_shape(const bench *b, vrp_q_pass *pass, const char *label)
{
    double whole_s = INFINITY, kernel_s = INFINITY;
    for (int r = 0; r < b->runs; r++) {
        const double begin_s = mco_clock_s();
        if (vrp_q_run(b->ctx, pass, b->arcs, INFINITY) != MCO_OK)
            die(b, "q");
        whole_s = fmin(whole_s, mco_clock_s() - begin_s);
        kernel_s = fmin(kernel_s, vrp_q_gpu_tell(pass)->kernel_s);
    }
    const vrp_q_gpu_stats *s = vrp_q_gpu_tell(pass);
    char shape[64];
    vrp_q_shape_text(s->shape, shape, sizeof shape);
    printf("%s q%s (%s; %d blocks, %d loads a step, %d launches, %d bytes shared): whole %.3f ms = %.3f T/s, kernels %.3f ms = %.3f T/s\n",
           b->name, label, shape, s->blocks, s->layers, s->launches, s->shared_bytes, 1e3 * whole_s, transitions(b) / whole_s / 1e12,
           1e3 * kernel_s, transitions(b) / kernel_s / 1e12);
    fflush(stdout);
}

static void time_through(const bench *b, vrp_q_pass *pass)
{
    double whole_s = INFINITY, through_s = INFINITY, kernel_s = INFINITY, each_s = INFINITY;
    int32_t *value = calloc(2 * (size_t)b->problem.nodes, sizeof *value);
    vrp_routes routes;
    vrp_routes_open(b->problem.is_symmetric, &routes);
    for (int r = 0; r < b->runs; r++) {
        const double begin_s = mco_clock_s();
        if (vrp_q_run(b->ctx, pass, b->arcs, INFINITY) != MCO_OK)
            die(b, "q");
        const double middle_s = mco_clock_s();
        if (vrp_through_ratios(b->ctx, pass, value, value + b->problem.nodes, NULL, INFINITY) != MCO_OK)
            die(b, "through");
        const double end_s = mco_clock_s();
        whole_s = fmin(whole_s, end_s - begin_s);
        through_s = fmin(through_s, end_s - middle_s);
        kernel_s = fmin(kernel_s, vrp_q_gpu_tell(pass)->through_s);
        if (vrp_through_ratios(b->ctx, pass, value, value + b->problem.nodes, &routes, INFINITY) != MCO_OK)
            die(b, "through");
        each_s = fmin(each_s, mco_clock_s() - end_s);
    }
    printf("%s q + through-q: whole %.3f ms, of it through-q %.3f ms (kernel %.3f ms); ratios with their routes %.3f ms\n", b->name,
           1e3 * whole_s, 1e3 * through_s, 1e3 * kernel_s, 1e3 * each_s);
    fflush(stdout);
    vrp_routes_close(b->ctx, &routes);
    free(value);
}

static void time_cores(const bench *b)
{
    vrp_q_pass *pass = open_q(b, MCO_ENGINE_CPU);
    double whole_s = INFINITY;
    for (int r = 0; r < 3; r++) {
        const double begin_s = mco_clock_s();
        if (vrp_q_run(b->ctx, pass, b->arcs, INFINITY) != MCO_OK)
            die(b, "q");
        whole_s = fmin(whole_s, mco_clock_s() - begin_s);
    }
    printf("%s q on one core: %.3f ms\n", b->name, 1e3 * whole_s);
    vrp_q_close(b->ctx, &pass);
}

static void time_q(const bench *b)
{
    if (b->only != NULL && strcmp(b->only, b->name) != 0)
        return;
    vrp_q_pass *pass = open_q(b, MCO_ENGINE_GPU);
    time_shape(b, pass, "");
    time_through(b, pass);
    for (int32_t k = 0; b->has_shapes && k < vrp_q_shapes(); k++)
        if (vrp_q_gpu_take_shape(b->ctx, pass, k) == MCO_OK)
            time_shape(b, pass, ", asked");
    vrp_q_close(b->ctx, &pass);
    if (b->has_cores)
        time_cores(b);
}

// ---- ng-paths of size 8

static vrp_ng_pass *open_ng(const bench *b, const vrp_ng_sets *sets, mco_engine engine)
{
    vrp_ng_pass *pass = NULL;
    const vrp_relax_settings settings = {.engine = engine, .threads = 1, .memory = 6e10};
    if (vrp_ng_open(b->ctx, &b->problem, sets, &settings, &pass) != MCO_OK)
        die(b, "open");
    return pass;
}

static double least_time(const bench *b, vrp_ng_pass *pass, int runs, double *kernel_s)
{
    double whole_s = INFINITY;
    for (int r = 0; r < runs; r++) {
        const double begin_s = mco_clock_s();
        if (vrp_ng_run(b->ctx, pass, b->arcs, INFINITY) != MCO_OK)
            die(b, "ng");
        whole_s = fmin(whole_s, mco_clock_s() - begin_s);
        if (kernel_s != NULL)
            *kernel_s = fmin(*kernel_s, vrp_ng_gpu_tell(pass)->kernel_s);
    }
    return whole_s;
}

static void time_ng_shape(const bench *b, vrp_ng_pass *pass, const char *label)
{
    double kernel_s = INFINITY;
    const double whole_s = least_time(b, pass, b->runs, &kernel_s);
    const vrp_ng_gpu_stats *s = vrp_ng_gpu_tell(pass);
    printf("%s ng%s (shape %d: %d warps a cell, %d groups, %d blocks%s, %d bytes shared; %d rows, %d launches): whole %.3f ms, kernels %.3f ms "
           "= %.2f T/s times 128 sets\n",
           b->name, label, s->shape, s->warps, s->groups, s->blocks, s->stays ? "" : " in turn", s->shared_bytes, s->rows, s->launches,
           1e3 * whole_s, 1e3 * kernel_s, 128 * transitions(b) / kernel_s / 1e12);
    fflush(stdout);
}

// The routes of a pricing, and the copy of all cells.
static void time_ng_routes(const bench *b, vrp_ng_pass *pass, const char *engine)
{
    enum { MOST = 500 };
    double routes_s = INFINITY, fetch_s = INFINITY;
    long count = 0;
    for (int r = 0; r < 3; r++) {
        vrp_routes routes;
        vrp_routes_open(b->problem.is_symmetric, &routes);
        (void)least_time(b, pass, 1, NULL);
        const double begin_s = mco_clock_s();
        if (vrp_ng_routes(b->ctx, pass, vrp_ng_least_route(pass) / 2, MOST, &routes) != MCO_OK)
            die(b, "routes");
        const double middle_s = mco_clock_s();
        routes_s = fmin(routes_s, middle_s - begin_s);
        if (vrp_ng_fetch(b->ctx, pass) != MCO_OK)
            die(b, "fetch");
        fetch_s = fmin(fetch_s, mco_clock_s() - middle_s);
        count = (long)routes.count;
        vrp_routes_close(b->ctx, &routes);
    }
    printf("%s ng on %s: %ld routes %.3f ms, all cells to the host %.3f ms\n", b->name, engine, count, 1e3 * routes_s, 1e3 * fetch_s);
    fflush(stdout);
}

static void time_ng(const bench *b)
{
    vrp_ng_sets sets;
    if ((b->only != NULL && strcmp(b->only, b->name) != 0) || (b->pass != NULL && strcmp(b->pass, "ng") != 0))
        return;
    if (vrp_ng_sets_open(b->ctx, &b->problem, VRP_NG_DENSE, &sets) != MCO_OK)
        die(b, "sets");
    vrp_ng_pass *pass = open_ng(b, &sets, MCO_ENGINE_GPU);
    time_ng_shape(b, pass, "");
    time_ng_routes(b, pass, "a GPU");
    for (int32_t k = 0; b->has_shapes && k < vrp_ng_shapes(); k++)
        if (vrp_ng_gpu_take_shape(b->ctx, pass, k) == MCO_OK)
            time_ng_shape(b, pass, ", asked");
    vrp_ng_close(b->ctx, &pass);
    if (b->has_cores) {
        pass = open_ng(b, &sets, MCO_ENGINE_CPU);
        printf("%s ng on one core: %.3f ms\n", b->name, 1e3 * least_time(b, pass, 3, NULL));
        time_ng_routes(b, pass, "one core");
        vrp_ng_close(b->ctx, &pass);
    }
    vrp_ng_sets_close(b->ctx, &sets);
}

static void time_passes(const bench *b)
{
    if (b->pass == NULL || strcmp(b->pass, "q") == 0)
        time_q(b);
    time_ng(b);
}

int main(int argc, char **argv)
{
    bench b = {.runs = 10};
    for (int k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--runs") == 0 && k + 1 < argc)
            b.runs = atoi(argv[++k]);
        else if (strcmp(argv[k], "--case") == 0 && k + 1 < argc)
            b.only = argv[++k];
        else if (strcmp(argv[k], "--only") == 0 && k + 1 < argc)
            b.pass = argv[++k];
        else if (strcmp(argv[k], "--shapes") == 0)
            b.has_shapes = true;
        else if (strcmp(argv[k], "--cores") == 0)
            b.has_cores = true;
        else
            die(&b, argv[k]);
    }
    if (mco_context_create(&b.ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    set_rings(&b, "li", 1);
    time_passes(&b);
    set_rings(&b, "li/10", 10);
    time_passes(&b);
    set_random(&b, "x1001", 1001, 131, 1, 10, 0);
    time_passes(&b);
    set_random(&b, "x502", 502, 13, 1, 1, 0);
    time_passes(&b);
    set_random(&b, "x204", 204, 836, 50, 100, 0);
    time_passes(&b);
    set_random(&b, "e101", 101, 200, 1, 41, 0);
    time_passes(&b);
    set_random(&b, "x195", 195, 181, 1, 100, 0);
    time_passes(&b);
    set_random(&b, "asymmetric-1001", 1001, 131, 1, 10, 100);
    time_passes(&b);
    set_random(&b, "asymmetric-72", 72, 1000, 1, 100, 100);
    time_passes(&b);
    free(b.problem.demand);
    free(b.problem.cost);
    free(b.arcs);
    mco_context_destroy(&b.ctx);
    return EXIT_SUCCESS;
}
