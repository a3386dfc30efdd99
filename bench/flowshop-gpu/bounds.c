// SPDX-License-Identifier: MIT
// Tables 3.5 and 3.7 to 3.14 of Chakroun (2013) on today's chip: the bounding kernel on pools of nodes of one
// instance, drawn by seed with depths uniform in 1..n-2, against one CPU core on the same nodes.
//
//   bench_flowshop_bounds INSTANCE blocks|variants|profile [SEED]
//
// Prints CSV rows on standard output. The bounds of the device are compared with those that the core has computed, and
// the core's first ones with the library's reference. Times are the least of REPEATS.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "bounds_cuda.h"
#include "device/device_cuda.h"
#include "flowshop/systems/nodes.h"
#include "flowshop/tree/ref.h"
#include "mco/mco.h"

enum { LEAST_POOL = 4096, MOST_POOL = 262144, REPEATS = 3, BLOCK = 256, CHECKED = 100 };
static const double CPU_S = 0.5; // spent on the core's rate

typedef struct bench {
    mco_context *ctx;
    mco_flowshop *shop;
    mco_device device;
    mco_rng rng;
    int32_t n, row_bytes;
    bounds_args host, args; // pointers to tables and rows: in host memory; in device memory
    unsigned char *h_rows;  // [MOST_POOL * row_bytes] page-locked: the rows that are copied to the device
    int32_t *h_bounds;      // page-locked: the bounds that are copied back
    unsigned char *drawn;   // [MOST_POOL * row_bytes] as drawn
    int32_t *expected;      // [MOST_POOL] by the core, -1 where not computed
    double cpu_node_s;      // seconds of the core for a node
} bench;

static void fail(const char *message)
{
    fprintf(stderr, "%s\n", message);
    exit(EXIT_FAILURE);
}

// Ends the program with the message of the context.
static void need(const bench *b, mco_status st)
{
    if (st != MCO_OK)
        fail(mco_context_error(b->ctx));
}

static void cuda(const bench *b, cudaError_t error, const char *call)
{
    need(b, mco_cuda_status(b->ctx, error, call, __FILE__, __LINE__));
}

static void *host_memory(size_t bytes)
{
    void *memory = calloc(bytes, 1);
    if (memory == NULL)
        fail("out of memory");
    return memory;
}

// ---- Tables and nodes

static void build_tables(bench *b)
{
    const int32_t n = b->n, m = BOUNDS_MACHINES;
    flowshop_johnson johnson;
    uint8_t *ptm = host_memory((size_t)n * BOUNDS_MACHINES), *jm = host_memory((size_t)n * BOUNDS_PAIRS);
    uint16_t *lm = host_memory((size_t)n * BOUNDS_PAIRS * sizeof *lm), *mm = host_memory(BOUNDS_PAIRS * sizeof *mm);
    uint16_t *ends = host_memory(2 * BOUNDS_MACHINES * sizeof *ends);
    flowshop_step *steps = host_memory((size_t)n * BOUNDS_PAIRS * sizeof *steps);
    int32_t heads[BOUNDS_MACHINES], tails[BOUNDS_MACHINES];
    need(b, flowshop_johnson_create(b->ctx, b->shop, (double)INFINITY, &johnson));
    flowshop_root_ends(b->shop, heads, tails);
    for (int32_t k = 0; k < m; k++) {
        ends[k] = (uint16_t)heads[k];
        ends[m + k] = (uint16_t)tails[k];
        for (int32_t j = 0; j < n; j++)
            ptm[j * m + k] = (uint8_t)mco_flowshop_time(b->shop, k, j);
    }
    for (int32_t q = 0; q < BOUNDS_PAIRS; q++) {
        const int32_t k = johnson.first[q], l = johnson.second[q];
        mm[q] = (uint16_t)(k << 8 | l);
        for (int32_t i = 0; i < n; i++) {
            const int32_t j = johnson.order[q * n + i], lag = flowshop_lag(&johnson, m, j, k, l);
            jm[q * n + i] = (uint8_t)j;
            lm[q * n + j] = (uint16_t)lag;
            steps[q * n + i] = (flowshop_step){j, ptm[j * m + k], ptm[j * m + l], lag};
        }
    }
    b->host = (bounds_args){.jobs = n,
                            .row_bytes = b->row_bytes,
                            .ptm = ptm,
                            .jm = jm,
                            .lm = lm,
                            .mm = mm,
                            .heads = ends,
                            .tails = ends + m,
                            .steps = steps};
    flowshop_johnson_destroy(b->ctx, &johnson);
}

static void draw_row(bench *b, flowshop_row *row)
{
    uint16_t *order = flowshop_row_order(row);
    const int32_t n = b->n, depth = 1 + (int32_t)mco_rng_below(&b->rng, (uint32_t)n - 2);
    row->bound = 0;
    row->front = (uint16_t)mco_rng_below(&b->rng, (uint32_t)depth + 1);
    row->back = (uint16_t)(depth - row->front);
    for (int32_t j = 0; j < n; j++)
        order[j] = (uint16_t)j;
    for (int32_t j = n - 1; j > 0; j--) {
        const int32_t other = (int32_t)mco_rng_below(&b->rng, (uint32_t)j + 1);
        const uint16_t held = order[j];
        order[j] = order[other];
        order[other] = held;
    }
}

static flowshop_row *row_at(const bench *b, unsigned char *rows, int64_t i)
{
    return (flowshop_row *)(void *)(rows + i * b->row_bytes);
}

// ---- The core

static int32_t larger(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

static int32_t bound_on_core(const bounds_args *a, const flowshop_row *row)
{
    const int32_t n = a->jobs, m = BOUNDS_MACHINES;
    const uint16_t *order = flowshop_row_order(row);
    int32_t rm[BOUNDS_MACHINES] = {0}, qm[BOUNDS_MACHINES] = {0}, bound = 0;
    uint8_t is_free[BOUNDS_MOST_JOBS] = {0};
    for (int32_t i = 0; i < row->front; i++)
        for (int32_t k = 0, reach = 0; k < m; k++)
            rm[k] = reach = larger(reach, rm[k]) + a->ptm[order[i] * m + k];
    for (int32_t i = n - 1; i >= n - row->back; i--)
        for (int32_t k = m - 1, reach = 0; k >= 0; k--)
            qm[k] = reach = larger(reach, qm[k]) + a->ptm[order[i] * m + k];
    for (int32_t k = 0; k < m; k++) {
        rm[k] = row->front != 0 ? rm[k] : a->heads[k];
        qm[k] = row->back != 0 ? qm[k] : a->tails[k];
    }
    for (int32_t i = row->front; i < n - row->back; i++)
        is_free[order[i]] = 1;
    for (int32_t q = 0; q < BOUNDS_PAIRS; q++) {
        const int32_t k = a->mm[q] >> 8, l = a->mm[q] & 0xff;
        int32_t t1 = rm[k], t2 = rm[l];
        for (int32_t i = 0; i < n; i++) {
            const int32_t job = a->jm[q * n + i];
            if (!is_free[job])
                continue;
            t1 += a->ptm[job * m + k];
            t2 = larger(t2, t1 + a->lm[q * n + job]) + a->ptm[job * m + l];
        }
        bound = larger(bound, t2 + qm[l]);
    }
    return bound;
}

static void measure_core(bench *b)
{
    const double begin_s = mco_clock_s();
    int64_t done = 0;
    for (int64_t i = 0; i < MOST_POOL; i++)
        b->expected[i] = -1;
    while (done < MOST_POOL && mco_clock_s() - begin_s < CPU_S) {
        for (int64_t end = done + CHECKED; done < end && done < MOST_POOL; done++)
            b->expected[done] = bound_on_core(&b->host, row_at(b, b->drawn, done));
    }
    b->cpu_node_s = (mco_clock_s() - begin_s) / (double)done;
}

static void check_core(bench *b)
{
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = {.upper_bound_used = INT32_MAX};
    flowshop_run run = {.ctx = b->ctx,
                        .shop = b->shop,
                        .params = &params,
                        .result = &result,
                        .bound = MCO_FLOWSHOP_BOUND_LB2,
                        .branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH,
                        .run.stop_s = (double)INFINITY};
    flowshop_ref ref;
    int32_t order[BOUNDS_MOST_JOBS];
    need(b, flowshop_ref_create(&run, &ref));
    for (int64_t i = 0; i < CHECKED; i++) {
        const flowshop_row *row = row_at(b, b->drawn, i);
        for (int32_t j = 0; j < b->n; j++)
            order[j] = flowshop_row_order(row)[j];
        const flowshop_node node = {.front = row->front, .back = row->back, .order = order};
        if (flowshop_ref_pairs_bound(&ref, &node) != b->expected[i])
            fail("the core's bound is not the reference's");
    }
    flowshop_ref_destroy(b->ctx, &ref);
}

// ---- The device

static const void *upload(bench *b, const void *from, size_t bytes)
{
    unsigned char *memory = NULL;
    need(b, mco_device_take(&b->device, MCO_MEMORY_DEVICE, &memory, bytes));
    cuda(b, cudaMemcpyAsync(memory, from, bytes, cudaMemcpyHostToDevice, b->device.stream), "upload");
    return memory;
}

static void prepare_device(bench *b)
{
    const size_t n = (size_t)b->n, cells = n * BOUNDS_PAIRS, pool = MOST_POOL;
    const bounds_args *h = &b->host;
    unsigned char *d_rows = NULL;
    b->args = *h;
    b->args.ptm = upload(b, h->ptm, n * BOUNDS_MACHINES);
    b->args.jm = upload(b, h->jm, cells);
    b->args.lm = upload(b, h->lm, cells * sizeof *h->lm);
    b->args.mm = upload(b, h->mm, BOUNDS_PAIRS * sizeof *h->mm);
    b->args.heads = upload(b, h->heads, BOUNDS_MACHINES * sizeof *h->heads);
    b->args.tails = upload(b, h->tails, BOUNDS_MACHINES * sizeof *h->tails);
    b->args.steps = upload(b, h->steps, cells * sizeof *h->steps);
    need(b, mco_device_take(&b->device, MCO_MEMORY_DEVICE, &d_rows, pool * (size_t)b->row_bytes));
    need(b, mco_device_take(&b->device, MCO_MEMORY_DEVICE, &b->args.bounds, pool));
    need(b, mco_device_take(&b->device, MCO_MEMORY_PINNED, &b->h_rows, pool * (size_t)b->row_bytes));
    need(b, mco_device_take(&b->device, MCO_MEMORY_PINNED, &b->h_bounds, pool));
    b->args.rows = d_rows;
    cuda(b, bounds_set_constant(h->ptm, h->jm, b->n), "bounds_set_constant");
    cuda(b, cudaStreamSynchronize(b->device.stream), "prepare");
}

typedef struct timing {
    double up_s, kernel_s, down_s;
} timing;

static double timed(bench *b, cudaError_t error, const char *call)
{
    double seconds;
    cuda(b, error, call);
    need(b, mco_device_stop_clock(&b->device, &seconds));
    return seconds;
}

static void keep_least(double *least, double seconds)
{
    *least = seconds < *least ? seconds : *least;
}

// Copies the first `count` rows of h_rows to the device, bounds them and copies the bounds back.
static timing run_pool(bench *b, int32_t count, bounds_placement placement, bounds_form form, int block)
{
    timing t = {(double)INFINITY, (double)INFINITY, (double)INFINITY};
    cudaStream_t stream = b->device.stream;
    b->args.count = count;
    for (int i = 0; i < REPEATS; i++) {
        need(b, mco_device_start_clock(&b->device));
        keep_least(&t.up_s, timed(b,
                                  cudaMemcpyAsync((void *)(uintptr_t)b->args.rows, b->h_rows,
                                                  (size_t)count * (size_t)b->row_bytes, cudaMemcpyHostToDevice, stream),
                                  "up"));
        need(b, mco_device_start_clock(&b->device));
        keep_least(&t.kernel_s, timed(b, bounds_launch(&b->args, placement, form, block, stream), "bounds_launch"));
        need(b, mco_device_start_clock(&b->device));
        keep_least(&t.down_s, timed(b,
                                    cudaMemcpyAsync(b->h_bounds, b->args.bounds, (size_t)count * sizeof *b->h_bounds,
                                                    cudaMemcpyDeviceToHost, stream),
                                    "down"));
    }
    return t;
}

// ---- Sorting by depth, so that neighbouring threads have loops of similar length (section 4.6)

// Puts the first `count` drawn rows in order; place[i] becomes the new place of row i. Returns the seconds that this
// takes.
static double sort_rows(bench *b, int32_t count, int32_t *place)
{
    int32_t begin[BOUNDS_MOST_JOBS + 1] = {0};
    const double begin_s = mco_clock_s();
    for (int32_t i = 0; i < count; i++) {
        const flowshop_row *row = row_at(b, b->drawn, i);
        begin[row->front + row->back + 1]++;
    }
    for (int32_t d = 1; d <= b->n; d++)
        begin[d] += begin[d - 1];
    for (int32_t i = 0; i < count; i++) {
        const flowshop_row *row = row_at(b, b->drawn, i);
        place[i] = begin[row->front + row->back]++;
        memcpy(row_at(b, b->h_rows, place[i]), row, (size_t)b->row_bytes);
    }
    return mco_clock_s() - begin_s;
}

static double copy_rows(bench *b, int32_t count, int32_t *place)
{
    const double begin_s = mco_clock_s();
    for (int32_t i = 0; i < count; i++)
        place[i] = i;
    memcpy(b->h_rows, b->drawn, (size_t)count * (size_t)b->row_bytes);
    return mco_clock_s() - begin_s;
}

static int32_t count_wrong(const bench *b, int32_t count, const int32_t *place)
{
    int32_t wrong = 0;
    for (int32_t i = 0; i < count; i++)
        wrong += b->expected[i] >= 0 && b->h_bounds[place[i]] != b->expected[i];
    return wrong;
}

// ---- Tables

static const char *const placements[] = {"global",     "ptm-shared", "jm-shared", "jm-ptm-shared",
                                         "all-shared", "constant",   "fused"};
static const char *const forms[] = {"if", "cosine", "select"};

static void print_row(const bench *b, const char *what, int placement, int form, bool is_sorted, int32_t pool,
                      int block, double host_s, const timing *t, int32_t wrong)
{
    printf("%s,%d,%s,%s,%s,%d,%d,%d,%.3e,%.3e,%.3e,%.3e,%.3e,%d\n", mco_flowshop_name(b->shop), b->n, what,
           placements[placement], forms[form], is_sorted, pool, block, host_s, t->up_s, t->kernel_s, t->down_s,
           b->cpu_node_s * pool, wrong);
    fflush(stdout);
}

static void measure_variants(bench *b, int32_t *place)
{
    for (int32_t pool = LEAST_POOL; pool <= MOST_POOL; pool *= 2)
        for (int is_sorted = 0; is_sorted < 2; is_sorted++) {
            const double host_s = is_sorted ? sort_rows(b, pool, place) : copy_rows(b, pool, place);
            for (int placement = 0; placement < BOUNDS_PLACEMENTS; placement++)
                for (int form = 0; form < BOUNDS_FORMS; form++) {
                    const timing t = run_pool(b, pool, (bounds_placement)placement, (bounds_form)form, BLOCK);
                    print_row(b, "variants", placement, form, is_sorted != 0, pool, BLOCK, host_s, &t,
                              count_wrong(b, pool, place));
                }
        }
}

static void measure_blocks(bench *b, int32_t *place)
{
    for (int32_t pool = LEAST_POOL; pool <= MOST_POOL; pool *= 2) {
        const double host_s = copy_rows(b, pool, place);
        for (int block = 16; block <= 1024; block *= 2) {
            const timing t = run_pool(b, pool, BOUNDS_GLOBAL, BOUNDS_IF, block);
            print_row(b, "blocks", BOUNDS_GLOBAL, BOUNDS_IF, false, pool, block, host_s, &t,
                      count_wrong(b, pool, place));
        }
    }
}

// The host makes `count` complete rows: children, at both ends, of fathers of depth below n - 2. Returns the seconds.
static double branch_on_host(bench *b, int32_t count)
{
    const flowshop_tables t = {.jobs = b->n};
    int32_t made = 0;
    const double begin_s = mco_clock_s();
    for (int64_t i = 0; made < count; i = (i + 1) % MOST_POOL) {
        const flowshop_row *father = row_at(b, b->drawn, i);
        const int32_t free_jobs = b->n - father->front - father->back;
        for (int32_t c = 0; c < 2 * free_jobs && free_jobs > 2 && made < count; c++, made++)
            flowshop_make_child(&t, father, (flowshop_survivor){flowshop_child_word(&t, father, 0, c), 0},
                                row_at(b, b->h_rows, made));
    }
    return mco_clock_s() - begin_s;
}

// Writes the bounds into the rows and copies the rows below the mean bound to the pending nodes. Returns the seconds.
static double assign_bounds(bench *b, int32_t count)
{
    flowshop_pool_nodes nodes;
    int64_t sum = 0;
    for (int32_t i = 0; i < count; i++)
        sum += b->h_bounds[i];
    const int32_t middle = (int32_t)(sum / count);
    need(b, flowshop_pool_nodes_create(b->ctx, b->n, 0, 2 * (int64_t)middle, &nodes));
    const double begin_s = mco_clock_s();
    for (int32_t i = 0; i < count; i++) {
        flowshop_row *row = row_at(b, b->h_rows, i), *place;
        row->bound = b->h_bounds[i];
        if (row->bound >= middle)
            continue;
        need(b, flowshop_pool_nodes_add(&nodes, row->front + row->back, row->bound, &place));
        memcpy(place, row, (size_t)b->row_bytes);
    }
    const double seconds = mco_clock_s() - begin_s;
    flowshop_pool_nodes_destroy(&nodes);
    return seconds;
}

static void measure_profile(bench *b)
{
    const int32_t pool = MOST_POOL;
    double branch_s = branch_on_host(b, pool); // not counted: it touches the pages for the first time
    branch_s = branch_on_host(b, pool);
    const timing t = run_pool(b, pool, BOUNDS_JM_PTM_SHARED, BOUNDS_SELECT, BLOCK);
    const double assign_s = assign_bounds(b, pool);
    printf("%s,%d,profile,%d,%.3e,%.3e,%.3e,%.3e,%.3e\n", mco_flowshop_name(b->shop), b->n, pool, branch_s, t.up_s,
           t.kernel_s, t.down_s, assign_s);
}

int main(int argc, char **argv)
{
    bench b = {0};
    mco_gpu gpus[MCO_MAX_GPUS];
    int count;
    if (argc < 3)
        fail("usage: bench_flowshop_bounds INSTANCE blocks|variants|profile [SEED]");
    if (mco_context_create(&b.ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    need(&b, mco_flowshop_taillard(b.ctx, argv[1], &b.shop));
    b.n = mco_flowshop_jobs(b.shop);
    if (mco_flowshop_machines(b.shop) != BOUNDS_MACHINES || b.n > 200)
        fail("instances of 20 machines and at most 200 jobs were expected");
    need(&b, mco_gpus_choose(b.ctx, NULL, gpus, &count));
    need(&b, mco_device_open(b.ctx, &gpus[0], &b.device));
    mco_rng_seed(&b.rng, argc > 3 ? (uint64_t)strtoull(argv[3], NULL, 10) : 1, 0);
    b.row_bytes = flowshop_row_bytes(b.n);
    b.drawn = host_memory((size_t)MOST_POOL * (size_t)b.row_bytes);
    b.expected = host_memory(MOST_POOL * sizeof *b.expected);
    int32_t *place = host_memory(MOST_POOL * sizeof *place);
    build_tables(&b);
    for (int64_t i = 0; i < MOST_POOL; i++)
        draw_row(&b, row_at(&b, b.drawn, i));
    measure_core(&b);
    check_core(&b);
    prepare_device(&b);
    run_pool(&b, LEAST_POOL, BOUNDS_GLOBAL, BOUNDS_IF, BLOCK); // the first launch loads the code
    if (strcmp(argv[2], "blocks") == 0)
        measure_blocks(&b, place);
    else if (strcmp(argv[2], "variants") == 0)
        measure_variants(&b, place);
    else
        measure_profile(&b);
    mco_device_close(&b.device);
    mco_flowshop_destroy(b.ctx, &b.shop);
    mco_context_destroy(&b.ctx);
    return EXIT_SUCCESS;
}
