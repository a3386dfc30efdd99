// SPDX-License-Identifier: MIT
// Passes over ng-paths on a GPU against the cores, and the reference where it is cheap: every cell, the routes and their order. `small`:
// sizes for a sanitizer of memory; `tiny`: for one of races.
#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "device/device.h"
#include "bound_support.h"
#include "gpu_support.h"
#include "vrp/bound/relax/ng_cuda.h"
#include "vrp/bound/relax/ng_gpu.h"

static long checks;
static const char *gpus;  // of the passes; NULL: the first one

static vrp_ng_pass *open_ng(mco_context *ctx, const instance *in, const vrp_ng_sets *sets, mco_engine engine)
{
    vrp_ng_pass *pass = NULL;
    const int threads = engine == MCO_ENGINE_REFERENCE ? 1 : mco_settle_threads(0);
    const vrp_relax_settings settings = {.engine = engine, .threads = threads, .memory = 6e10, .gpus = engine == MCO_ENGINE_GPU ? gpus : NULL};
    const mco_status st = vrp_ng_open(ctx, &in->problem, sets, &settings, &pass);
    GPU_CHECK(st == MCO_OK, "%s: %s", mco_engine_text(engine), mco_context_error(ctx));
    return pass;
}

// The nearest customers, and some that are far, so that sets differ in size.
static bool make_sets(mco_context *ctx, const instance *in, int32_t size, uint64_t seed, vrp_ng_sets *sets)
{
    const int32_t near = size > 2 ? size - 2 : size;
    if (vrp_ng_sets_open(ctx, &in->problem, near, sets) != MCO_OK)
        return false;
    for (int32_t i = 1; i < in->problem.nodes; i++)
        for (int32_t t = 0; t < 2; t++)
            (void)vrp_ng_sets_add(sets, i, draw(&seed, 1, in->problem.customers), size);
    return true;
}

// ---- Cells

static void compare_cells(const instance *in, const vrp_ng_sets *sets, const vrp_ng_pass *a, const vrp_ng_pass *gpu, bool backward,
                          const char *what)
{
    const vrp_bound_problem *p = &in->problem;
    long differ = 0, paths = 0;
    for (int32_t q = 0; q <= p->capacity; q++)
        for (int32_t i = 1; i < p->nodes; i++)
            for (uint32_t m = 0; m < UINT32_C(1) << (sets->size[i] - 1); m++) {
                const int32_t value = vrp_ng_value(a, backward, q, i, m), own = vrp_ng_value(gpu, backward, q, i, m);
                if (value != own && differ == 0)
                    fprintf(stderr, "load %d, node %d, memory %x: %d, not %d\n", q, i, m, own, value);
                differ += value != own;
                paths += value < VRP_NO_PATH;
                checks++;
            }
    GPU_CHECK(differ == 0, "%ld cells differ: %s%s", differ, what, backward ? ", backward" : "");
    GPU_CHECK(paths > 0, "no path at all: %s", what);
}

static void compare_routes(mco_context *ctx, const instance *in, const vrp_ng_pass *cpu, const vrp_ng_pass *gpu, const char *what)
{
    vrp_routes a, b;
    long differ = 0;
    vrp_routes_open(in->problem.is_symmetric, &a);
    vrp_routes_open(in->problem.is_symmetric, &b);
    GPU_CHECK(vrp_ng_least_route(cpu) == vrp_ng_least_route(gpu), "least routes differ: %s", what);
    GPU_CHECK(vrp_ng_routes(ctx, cpu, VRP_NO_PATH, 700, &a) == MCO_OK && vrp_ng_routes(ctx, gpu, VRP_NO_PATH, 700, &b) == MCO_OK, "%s",
              mco_context_error(ctx));
    GPU_CHECK(a.count == b.count && a.count > 0, "%ld routes, cores %ld: %s", (long)b.count, (long)a.count, what);
    for (int64_t k = 0; k < a.count && k < b.count; k++) {
        const int32_t length = vrp_routes_length(&a, k);
        const bool is_same = length == vrp_routes_length(&b, k) &&
                             memcmp(a.node + a.first[k], b.node + b.first[k], (size_t)length * sizeof *a.node) == 0;
        differ += !is_same;
        checks++;
    }
    GPU_CHECK(differ == 0, "%ld of %ld routes differ: %s", differ, (long)a.count, what);
    vrp_routes_close(ctx, &a);
    vrp_routes_close(ctx, &b);
}

static void compare_all(mco_context *ctx, const instance *in, const vrp_ng_sets *sets, const vrp_ng_pass *cpu, const vrp_ng_pass *gpu,
                        const char *what)
{
    GPU_CHECK(vrp_ng_fetch(ctx, gpu) == MCO_OK, "%s: %s", mco_context_error(ctx), what);
    for (int d = 0; d < (in->problem.is_symmetric ? 1 : 2); d++)
        compare_cells(in, sets, cpu, gpu, d == 1, what);
    compare_routes(ctx, in, cpu, gpu, what);
}

// All shapes of blocks too, where `each_shape`. `with`: the engine that tells what is right.
static void test_ng(mco_context *ctx, const shape *s, int32_t size, uint64_t seed, bool each_shape, mco_engine with)
{
    instance in = make(s, seed);
    const char *what = text_of(s);
    vrp_ng_sets sets;
    if (!make_sets(ctx, &in, size, seed, &sets))
        exit(EXIT_FAILURE);
    vrp_ng_pass *cpu = open_ng(ctx, &in, &sets, with), *gpu = open_ng(ctx, &in, &sets, MCO_ENGINE_GPU);
    if (cpu != NULL && gpu != NULL) {
        GPU_CHECK(vrp_ng_run(ctx, cpu, in.arcs, INFINITY) == MCO_OK, "cores: %s: %s", mco_context_error(ctx), what);
        for (int32_t k = each_shape ? 0 : -1; k < (each_shape ? vrp_ng_shapes() : 0); k++) {
            if (k >= 0 && vrp_ng_gpu_take_shape(ctx, gpu, k) != MCO_OK)
                continue;  // more customers than blocks
            const mco_status st = vrp_ng_run(ctx, gpu, in.arcs, INFINITY);
            GPU_CHECK(st == MCO_OK, "%s: %s", mco_context_error(ctx), what);
            if (st == MCO_OK)
                compare_all(ctx, &in, &sets, cpu, gpu, what);
        }
    }
    vrp_ng_close(ctx, &cpu);
    vrp_ng_close(ctx, &gpu);
    vrp_ng_sets_close(ctx, &sets);
    drop(&in);
}

// ---- Limits, stops, and runs after them

static void test_refusal(mco_context *ctx)
{
    static const shape s = {40, 90, 1, 9, -90, 400, 0, 0, true};
    instance in = make(&s, 5);
    vrp_ng_sets sets, large;
    vrp_ng_pass *none = NULL;
    if (!make_sets(ctx, &in, 6, 3, &sets) || !make_sets(ctx, &in, 15, 3, &large))
        exit(EXIT_FAILURE);
    const vrp_relax_settings settings = {.engine = MCO_ENGINE_GPU, .threads = 1, .memory = 6e10};
    const vrp_relax_settings poor = {.engine = MCO_ENGINE_GPU, .threads = 1, .memory = 3e5};
    GPU_CHECK(vrp_ng_open(ctx, &in.problem, &large, &settings, &none) == MCO_ERR_LIMIT, "sets of 15 customers");
    GPU_CHECK(strstr(mco_context_error(ctx), "15") != NULL && strstr(mco_context_error(ctx), "14") != NULL, "%s", mco_context_error(ctx));
    GPU_CHECK(vrp_ng_open(ctx, &in.problem, &sets, &poor, &none) == MCO_ERR_LIMIT, "tables beyond the memory");
    vrp_relax_settings either = poor;  // cells of 16 bits fit
    either.may_use_cores = true;
    GPU_CHECK(vrp_ng_open(ctx, &in.problem, &sets, &either, &none) == MCO_OK && vrp_ng_engine_in_use(none) == MCO_ENGINE_CPU, "%s",
              mco_context_error(ctx));
    vrp_ng_close(ctx, &none);
    vrp_ng_pass *cpu = open_ng(ctx, &in, &sets, MCO_ENGINE_CPU), *gpu = open_ng(ctx, &in, &sets, MCO_ENGINE_GPU);
    GPU_CHECK(vrp_ng_run(ctx, gpu, in.arcs, 0) == MCO_ERR_STOPPED, "a run whose time is over");
    for (int round = 0; round < 3; round++) {
        GPU_CHECK(vrp_ng_run(ctx, cpu, in.arcs, INFINITY) == MCO_OK && vrp_ng_run(ctx, gpu, in.arcs, INFINITY) == MCO_OK, "%s",
                  mco_context_error(ctx));
        compare_all(ctx, &in, &sets, cpu, gpu, "runs in turn");
        for (int32_t i = 0; i < in.problem.nodes; i++)
            for (int32_t j = 0; j < i; j++)
                if ((i + j) % 7 == round)
                    in.arcs[i * in.problem.stride + j] = in.arcs[j * in.problem.stride + i] = round == 0 ? VRP_NO_ARC : 3 * (i + j) % 100;
    }
    vrp_ng_close(ctx, &cpu);
    vrp_ng_close(ctx, &gpu);
    vrp_ng_sets_close(ctx, &sets);
    vrp_ng_sets_close(ctx, &large);
    drop(&in);
}

static void test_tiny(mco_context *ctx)
{
    static const shape all[] = {{15, 14, 1, 7, -50, 90, 10, 0, true}, {17, 20, 3, 9, -50, 90, 10, 0, false}, {40, 24, 4, 12, -9, 9, 0, 3, true}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        test_ng(ctx, &all[k], k == 0 ? 11 : 8, 1, k < 2, MCO_ENGINE_REFERENCE);
}

static void test_all(mco_context *ctx, bool is_small)
{
    static const shape few[] = {
        {15, 40, 1, 7, -50, 90, 10, 0, true}, {17, 40, 3, 9, -50, 90, 10, 0, false}, {33, 60, 2, 5, -9, 9, 30, 0, false},
        {64, 50, 4, 30, -9, 99, 0, 3, true},  {90, 30, 1, 9, -20, 50, 5, 9, false},  {2, 9, 3, 3, 5, 9, 0, 0, true},
    };
    static const shape many[] = {
        {65, 300, 10, 40, -50, 90, 10, 0, false},   {127, 200, 1, 100, -30, 60, 40, 0, true},  {204, 836, 50, 100, -300, 500, 0, 0, true},
        {257, 120, 1, 9, -20, 50, 3, 100, true},    {300, 90, 30, 31, -90, 90, 1, 0, false},   {700, 60, 2, 9, -40, 50, 0, 650, false},
        {1001, 131, 1, 10, -200, 800, 0, 0, true},  {1201, 250, 1, 3, -100, 400, 0, 0, true},  {1999, 60, 2, 9, -40, 50, 0, 0, false},
    };
    for (size_t k = 0; k < sizeof few / sizeof *few; k++)
        for (int32_t size = 1; size <= 11; size += is_small ? 5 : 1)  // small: 1, 6, 11
            test_ng(ctx, &few[k], size, (uint64_t)size, size == 8 || size >= 10, size == 5 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU);
    test_ng(ctx, &(shape){50, 120, 1, 3, 900000, 1900000, 5, 0, true}, 8, 1, false, MCO_ENGINE_CPU);  // differences beyond 16 bits
    test_refusal(ctx);
    if (is_small)
        return;
    test_ng(ctx, &few[1], 14, 2, true, MCO_ENGINE_CPU);
    test_ng(ctx, &(shape){60, 90, 2, 9, -50, 90, 10, 0, false}, 12, 2, true, MCO_ENGINE_CPU);
    test_ng(ctx, &(shape){101, 120, 1, 30, -50, 90, 0, 0, true}, 13, 2, true, MCO_ENGINE_CPU);
    for (size_t k = 0; k < sizeof many / sizeof *many; k++)
        test_ng(ctx, &many[k], 8, 10 + k, many[k].nodes < 300 || many[k].nodes == 1001, MCO_ENGINE_CPU);
    test_ng(ctx, &(shape){1001, 131, 1, 10, -200, 800, 0, 0, true}, 7, 3, false, MCO_ENGINE_CPU);
}

// A direction on each of two GPUs, where there are two.
static void test_two_gpus(mco_context *ctx)
{
    static const shape asymmetric[] = {{17, 40, 3, 9, -50, 90, 10, 0, false}, {65, 300, 10, 40, -50, 90, 10, 0, false}, {700, 60, 2, 9, -40, 50, 0, 650, false}};
    mco_gpu list[MCO_MAX_GPUS];
    int count = 0;
    if (mco_gpus_choose(ctx, "all", list, &count) != MCO_OK || count < 2)
        return;
    gpus = "0,1";
    for (size_t k = 0; k < sizeof asymmetric / sizeof *asymmetric; k++)
        test_ng(ctx, &asymmetric[k], k == 2 ? 6 : 8, 5, k == 0, MCO_ENGINE_CPU);
    gpus = NULL;
}

int main(int argc, char **argv)
{
    mco_context *ctx = gpu_begin();
    if (argc > 1 && strcmp(argv[1], "tiny") == 0)
        test_tiny(ctx);
    else
        test_all(ctx, argc > 1 && strcmp(argv[1], "small") == 0);
    test_two_gpus(ctx);
    mco_context_destroy(&ctx);
    return gpu_summary("ng-paths of vehicle routing on a GPU", checks);
}
