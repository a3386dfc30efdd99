// SPDX-License-Identifier: MIT
// Passes of bounds on a GPU against the same passes on cores: every cell, ratio and table. `small`: sizes for a sanitizer of memory;
// `tiny`: for one of races, under which a step takes milliseconds.
#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "device/device.h"
#include "bound_support.h"
#include "gpu_support.h"
#include "vrp/bound/relax/q_cuda.h"
#include "vrp/bound/relax/q_gpu.h"

static long checks;
static const char *gpus;  // of the passes; NULL: the first one

// ---- q-paths

static vrp_q_pass *open_q(mco_context *ctx, const instance *in, mco_engine engine)
{
    vrp_q_pass *pass = NULL;
    const vrp_relax_settings settings = {.engine = engine, .threads = mco_settle_threads(0), .memory = 6e10,
                                         .gpus = engine == MCO_ENGINE_GPU ? gpus : NULL};
    const mco_status st = vrp_q_open(ctx, &in->problem, &settings, &pass);
    GPU_CHECK(st == MCO_OK, "%s: %s", mco_engine_text(engine), mco_context_error(ctx));
    return pass;
}

static void compare_cells(const instance *in, const vrp_q_pass *cpu, const vrp_q_pass *gpu, bool backward, const char *what)
{
    const vrp_bound_problem *p = &in->problem;
    long differ = 0, paths = 0;
    for (int32_t q = 0; q <= p->capacity; q++)
        for (int32_t i = 1; i < p->nodes; i++) {
            const int32_t value = vrp_q_value(cpu, backward, q, i), before = vrp_q_before(cpu, backward, q, i);
            const int32_t second = vrp_q_second(cpu, backward, q, i), second_before = vrp_q_second_before(cpu, backward, q, i);
            const bool is_same = value == vrp_q_value(gpu, backward, q, i) && before == vrp_q_before(gpu, backward, q, i) &&
                                 second == vrp_q_second(gpu, backward, q, i) && second_before == vrp_q_second_before(gpu, backward, q, i);
            if (!is_same && differ == 0)
                fprintf(stderr, "load %d, node %d: %d %d %d %d, cores %d %d %d %d\n", q, i, vrp_q_value(gpu, backward, q, i),
                        vrp_q_before(gpu, backward, q, i), vrp_q_second(gpu, backward, q, i), vrp_q_second_before(gpu, backward, q, i), value,
                        before, second, second_before);
            differ += !is_same;
            paths += value < VRP_NO_PATH;
        }
    checks += (long)p->customers * (p->capacity + 1);
    GPU_CHECK(differ == 0, "%ld of %ld cells differ: %s%s", differ, (long)p->customers * (p->capacity + 1), what, backward ? ", backward" : "");
    GPU_CHECK(paths > 0, "no path at all: %s", what);
}

static void compare_through(mco_context *ctx, const instance *in, vrp_q_pass *cpu, vrp_q_pass *gpu, const char *what)
{
    const vrp_bound_problem *p = &in->problem;
    const size_t nodes = (size_t)p->nodes, cells = ((size_t)p->capacity + 1) * nodes;
    int32_t *ratio = calloc(4 * nodes, sizeof *ratio), *table = malloc(2 * cells * sizeof *table);
    long differ = 0;
    if (ratio == NULL || table == NULL)
        exit(EXIT_FAILURE);
    GPU_CHECK(vrp_through_ratios(ctx, cpu, ratio, ratio + nodes, NULL, INFINITY) == MCO_OK, "%s", mco_context_error(ctx));
    GPU_CHECK(vrp_through_ratios(ctx, gpu, ratio + 2 * nodes, ratio + 3 * nodes, NULL, INFINITY) == MCO_OK, "%s", mco_context_error(ctx));
    for (size_t i = 1; i < nodes; i++)
        differ += ratio[i] != ratio[2 * nodes + i] || ratio[nodes + i] != ratio[3 * nodes + i];
    GPU_CHECK(differ == 0, "%ld ratios differ: %s", differ, what);
    GPU_CHECK(vrp_through_table(ctx, cpu, table, INFINITY) == MCO_OK, "%s", mco_context_error(ctx));
    GPU_CHECK(vrp_through_table(ctx, gpu, table + cells, INFINITY) == MCO_OK, "%s", mco_context_error(ctx));
    GPU_CHECK(memcmp(table, table + cells, cells * sizeof *table) == 0, "tables of through-q-routes differ: %s", what);
    checks += (long)(cells + nodes);
    free(ratio);
    free(table);
}

static void compare_routes(mco_context *ctx, const instance *in, const vrp_q_pass *cpu, vrp_q_pass *gpu, const char *what)
{
    vrp_routes a, b;
    vrp_routes_open(in->problem.is_symmetric, &a);
    vrp_routes_open(in->problem.is_symmetric, &b);
    GPU_CHECK(vrp_q_least_route(cpu) == vrp_q_least_route(gpu), "least routes differ: %s", what);
    GPU_CHECK(vrp_q_routes(ctx, cpu, VRP_NO_PATH, 50, &a) == MCO_OK && vrp_q_routes(ctx, gpu, VRP_NO_PATH, 50, &b) == MCO_OK, "%s",
              mco_context_error(ctx));
    GPU_CHECK(a.count == b.count && a.count > 0, "%ld routes, cores %ld: %s", (long)b.count, (long)a.count, what);
    vrp_routes_close(ctx, &a);
    vrp_routes_close(ctx, &b);
}

// All shapes of blocks too, where `each_shape`. `is_wide`: values are expected to leave keys of 32 bits.
static void test_q(mco_context *ctx, const shape *s, uint64_t seed, bool each_shape, bool is_wide)
{
    instance in = make(s, seed);
    const char *what = text_of(s);
    vrp_q_pass *cpu = open_q(ctx, &in, MCO_ENGINE_CPU), *gpu = open_q(ctx, &in, MCO_ENGINE_GPU);
    if (cpu != NULL && gpu != NULL) {
        GPU_CHECK(vrp_q_run(ctx, cpu, in.arcs, INFINITY) == MCO_OK, "cores: %s: %s", mco_context_error(ctx), what);
        for (int32_t k = each_shape ? 0 : -1; k < (each_shape ? vrp_q_shapes() : 0); k++) {
            if (k >= 0 && vrp_q_gpu_take_shape(ctx, gpu, k) != MCO_OK)
                continue;  // a shape of wide keys, or one beyond the shared memory
            const mco_status st = vrp_q_run(ctx, gpu, in.arcs, INFINITY);
            GPU_CHECK(st == MCO_OK, "%s: %s", mco_context_error(ctx), what);
            if (st != MCO_OK)
                continue;
            GPU_CHECK(vrp_q_gpu_tell(gpu)->is_wide == is_wide, "keys of %d bits: %s", is_wide ? 32 : 64, what);
            for (int d = 0; d < (s->is_symmetric ? 1 : 2); d++)
                compare_cells(&in, cpu, gpu, d == 1, what);
        }
        compare_through(ctx, &in, cpu, gpu, what);
        compare_routes(ctx, &in, cpu, gpu, what);
    }
    vrp_q_close(ctx, &cpu);
    vrp_q_close(ctx, &gpu);
    drop(&in);
}

// Values that leave what passes support: both engines refuse.
static void test_refusal(mco_context *ctx)
{
    static const shape s = {40, 400, 1, 3, 3000000, 4000000, 0, 0, true};
    instance in = make(&s, 5);
    vrp_q_pass *cpu = open_q(ctx, &in, MCO_ENGINE_CPU), *gpu = open_q(ctx, &in, MCO_ENGINE_GPU);
    GPU_CHECK(vrp_q_run(ctx, cpu, in.arcs, INFINITY) == MCO_ERR_LIMIT, "the cores take values of 10^9");
    GPU_CHECK(vrp_q_run(ctx, gpu, in.arcs, INFINITY) == MCO_ERR_LIMIT, "a GPU takes values of 10^9");
    for (int32_t i = 0; i < in.problem.nodes; i++)
        for (int32_t j = 0; j < in.problem.nodes; j++)
            in.arcs[i * in.problem.stride + j] %= 1000;
    GPU_CHECK(vrp_q_run(ctx, cpu, in.arcs, INFINITY) == MCO_OK && vrp_q_run(ctx, gpu, in.arcs, INFINITY) == MCO_OK, "%s", mco_context_error(ctx));
    compare_cells(&in, cpu, gpu, false, "after a refusal");
    GPU_CHECK(vrp_q_run(ctx, gpu, in.arcs, 0) == MCO_ERR_STOPPED, "a run whose time is over");
    GPU_CHECK(vrp_q_run(ctx, gpu, in.arcs, INFINITY) == MCO_OK, "%s", mco_context_error(ctx));
    compare_cells(&in, cpu, gpu, false, "after a stop");
    vrp_q_close(ctx, &cpu);
    vrp_q_close(ctx, &gpu);
    drop(&in);
}

// A small pass that opens beside a large one leaves it able to run: kernels are the same, their shared memory is not.
static void test_beside(mco_context *ctx)
{
    static const shape large = {2500, 40, 1, 9, -40, 50, 0, 0, true}, little = {300, 40, 1, 9, -40, 50, 0, 0, true};
    instance in = make(&large, 3), other = make(&little, 4);
    vrp_q_pass *cpu = open_q(ctx, &in, MCO_ENGINE_CPU), *gpu = open_q(ctx, &in, MCO_ENGINE_GPU), *beside = open_q(ctx, &other, MCO_ENGINE_GPU);
    if (cpu != NULL && gpu != NULL && beside != NULL) {
        GPU_CHECK(vrp_q_run(ctx, beside, other.arcs, INFINITY) == MCO_OK, "%s", mco_context_error(ctx));
        const mco_status st = vrp_q_run(ctx, gpu, in.arcs, INFINITY);
        GPU_CHECK(st == MCO_OK, "beside a small pass: %s", mco_context_error(ctx));
        GPU_CHECK(vrp_q_run(ctx, cpu, in.arcs, INFINITY) == MCO_OK, "%s", mco_context_error(ctx));
        if (st == MCO_OK)
            compare_cells(&in, cpu, gpu, false, "beside a small pass");
    }
    vrp_q_close(ctx, &beside);
    vrp_q_close(ctx, &gpu);
    vrp_q_close(ctx, &cpu);
    drop(&other);
    drop(&in);
}

static void test_tiny(mco_context *ctx)
{
    static const shape all[] = {{15, 14, 1, 7, -50, 90, 10, 0, true}, {17, 20, 3, 9, -50, 90, 10, 0, false}, {70, 24, 10, 12, -9, 9, 0, 3, true}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        test_q(ctx, &all[k], 1, true, false);
    test_q(ctx, &(shape){20, 20, 1, 1, 9000000, 12000000, 0, 0, true}, 1, false, true);
}

static void test_all_q(mco_context *ctx, bool is_small)
{
    static const shape few[] = {
        {15, 40, 1, 7, -50, 90, 10, 0, true},  {17, 40, 3, 9, -50, 90, 10, 0, false}, {33, 60, 2, 5, -9, 9, 30, 0, false},
        {64, 50, 4, 30, -9, 99, 0, 3, true},   {130, 30, 1, 9, -20, 50, 5, 9, false},
    };
    static const shape many[] = {
        {16, 100, 5, 9, -5, 9, 20, 0, true},        {65, 300, 10, 40, -50, 90, 10, 0, false},  {127, 200, 1, 100, -30, 60, 40, 0, true},
        {129, 200, 7, 30, -1, 1, 0, 0, false},      {204, 836, 50, 100, -300, 500, 0, 0, true}, {257, 120, 1, 9, -20, 50, 3, 100, true},
        {513, 90, 3, 9, -900, 900, 1, 0, false},    {700, 60, 2, 9, -40, 50, 0, 650, false},   {1001, 131, 1, 10, -200, 800, 0, 0, true},
        {1001, 131, 1, 10, -3, 3, 2, 0, true},      {1001, 131, 1, 10, -30, 40, 1, 500, true}, {1201, 250, 1, 3, -100, 400, 0, 0, true},
        {1201, 200, 10, 30, -100, 400, 1, 0, false}, {1201, 120, 10, 30, -30, 40, 0, 1200, true}, {1999, 60, 2, 9, -40, 50, 0, 0, false},
    };
    for (size_t k = 0; k < sizeof few / sizeof *few; k++)
        for (uint64_t seed = 1; seed <= (is_small ? 1 : 3); seed++)
            test_q(ctx, &few[k], seed, seed == 1, false);
    // Keys of 64 bits. A place takes at least 2 bits in any shape, so keys of 32 bits hold values below 2^27 at most: here some are
    // beyond, upwards and downwards.
    test_q(ctx, &(shape){50, 250, 1, 1, 600000, 900000, 5, 0, true}, 1, false, true);
    test_q(ctx, &(shape){61, 250, 2, 4, -1300000, -500000, 0, 7, false}, 2, false, true);
    test_refusal(ctx);
    if (is_small)
        return;
    test_beside(ctx);
    test_q(ctx, &(shape){1201, 100, 2, 9, 500000, 900000, 5, 0, true}, 3, false, true);
    for (size_t k = 0; k < sizeof many / sizeof *many; k++)
        for (uint64_t seed = 1; seed <= 2; seed++)
            test_q(ctx, &many[k], 10 + seed, seed == 1 && many[k].nodes < 300, false);
    test_q(ctx, &(shape){1201, 250, 10, 30, -100, 400, 0, 0, true}, 9, true, false);
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
        test_q(ctx, &asymmetric[k], 5, k == 0, false);
    gpus = NULL;
}

int main(int argc, char **argv)
{
    mco_context *ctx = gpu_begin();
    if (argc > 1 && strcmp(argv[1], "tiny") == 0)
        test_tiny(ctx);
    else
        test_all_q(ctx, argc > 1 && strcmp(argv[1], "small") == 0);
    test_two_gpus(ctx);
    mco_context_destroy(&ctx);
    return gpu_summary("bounds of vehicle routing on a GPU", checks);
}
