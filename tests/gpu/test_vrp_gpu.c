// SPDX-License-Identifier: MIT
// Complete neighbourhoods on a GPU: every scan against a plain walk of all neighbours, larger ones against the formula
// for one move on the host. Ties, infeasible tours, asymmetric costs, vehicles, filters, first improvement, the best of
// each x, hierarchies, slabs, coordinates of all kinds; local optima; refusals, stops and failing allocations.
//
//     gpu_test_vrp_gpu [CASES]    CASES random tours instead of 4000; fewer than 400 leave out what is large
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "gpu/vrp_gpu_support.h"
#include "vrp/sweep/fold.h"

static long checks;
static mco_context *ctx;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))

enum { DEFAULT_CASES = 4000, FEW_CASES = 400, MOST_FAILURES = 20, MOST_EDGES = 64 };

// ---- Scans

static void show(const char *name, const vrp_scan *scan, const char *what, vrp_candidate seen, vrp_candidate expected)
{
    const vrp_move a = seen.move, b = expected.move;
    GPU_CHECK(false,
              "%s: %s, %d nodes, first %d, hierarchy %d, keep %.3g, filter %d: %s (%d,%d,%d,%d) penalty %d cost %lld, expected "
              "(%d,%d,%d,%d) penalty %d cost %lld",
              name, scan->is_three_opt ? "3-opt" : "2-opt", (int)scan->tour->count, scan->wants_first, scan->hierarchy,
              (double)scan->keep / (double)UINT64_MAX, (int)scan->filter, what, (int)a.x, (int)a.y, (int)a.z, (int)a.p,
              (int)seen.value.penalty, (long long)seen.value.cost, (int)b.x, (int)b.y, (int)b.z, (int)b.p,
              (int)expected.value.penalty, (long long)expected.value.cost);
}

static void compare(const char *name, const vrp_scan *seen, const vrp_scan *expected)
{
    const int32_t edges = seen->tour->count - 1;
    if (!vrp_is_same(seen->best, expected->best))
        show(name, seen, "best", seen->best, expected->best);
    GPU_CHECK(seen->moves + seen->moves_skipped == expected->moves && (seen->moves_skipped == 0 || expected->best.move.x < 0),
              "%s: %lld moves, %lld skipped, expected %lld", name, (long long)seen->moves, (long long)seen->moves_skipped,
              (long long)expected->moves);
    checks += 2;
    for (int32_t x = 0; seen->rows != NULL && x < edges; x++, checks++)
        if (!vrp_is_same(seen->rows[x], expected->rows[x]) && !(seen->wants_first && x > expected->best.move.x))
            show(name, seen, "row", seen->rows[x], expected->rows[x]);
}

// Sets the way to scan: plain, rows, first, filters, hierarchies.
static void vary(vrp_scan *scan, uint32_t way, uint64_t seed, vrp_candidate *rows)
{
    static const double keeps[] = {0.9, 0.25, 0.01, 0};
    scan->keep = UINT64_MAX;
    scan->hierarchy = -1;
    scan->filter_seed = seed;
    scan->is_three_opt = way & 1;
    way >>= 1;
    scan->wants_first = way == 1 || way == 6 || way == 10;
    scan->rows = way == 2 || way == 5 || way == 6 || way == 9 ? rows : NULL;
    if (way >= 3 && way <= 6) {
        scan->keep = (uint64_t)(keeps[seed % 4] * 0x1p63) * 2;
        scan->filter = seed / 4 % 2 != 0 ? MCO_VRP_FILTER_COMPACT : MCO_VRP_FILTER_MASK;
    }
    if (way >= 7)
        scan->hierarchy = (int)(seed % 3);
}

enum { WAYS = 22 };

static void scan_both(const char *name, vrp_engine *gpu, const vrp_tour *tour, uint32_t way, uint64_t seed)
{
    vrp_candidate rows[2][MOST_EDGES];
    vrp_scan seen = {.tour = tour}, expected = seen;
    vary(&seen, way, seed, rows[0]);
    vary(&expected, way, seed, rows[1]);
    vrp_plain_scan(gpu->problem, &expected);
    MUST(gpu->scan(gpu, &seen, INFINITY));
    compare(name, &seen, &expected);
}

// ---- Small tours

static void scan_ways(const char *name, const mco_vrp *p, const vrp_tour *tour, mco_rng *rng, int ways)
{
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_engine gpu = {0};
    MUST(vrp_gpu_open(ctx, p, tour->count, &params, &gpu));
    if (gpu.close == NULL)
        return;
    for (uint32_t way = 0; way < 4 && gpu_failures < MOST_FAILURES; way++)  // 2-opt and 3-opt, alone and with rows
        scan_both(name, &gpu, tour, way < 2 ? way : way + 2, 1);
    for (int k = 0; k < ways && gpu_failures < MOST_FAILURES; k++)
        scan_both(name, &gpu, tour, mco_rng_below(rng, WAYS), mco_rng_next(rng));
    gpu.close(&gpu);
}

static void test_small(int cases)
{
    mco_rng rng;
    char name[64];
    mco_rng_seed(&rng, 5, 0);
    for (int k = 0; k < cases && gpu_failures < MOST_FAILURES; k++) {
        const uint32_t most = mco_rng_below(&rng, 20) == 0 ? 45 : 14;
        vrp_shape shape = {.customers = (int32_t)mco_rng_below(&rng, most), .is_symmetric = mco_rng_below(&rng, 5) > 0};
        shape.distances = mco_rng_below(&rng, 3) == 0 ? 3 : 1 + mco_rng_below(&rng, k % 7 == 0 ? 1 << 20 : 1000);
        shape.demands = 1 + mco_rng_below(&rng, 9);
        shape.services = mco_rng_below(&rng, 3) == 0 ? 1 + mco_rng_below(&rng, 50) : 0;
        shape.vehicles = mco_rng_below(&rng, 2) == 0 ? (int32_t)mco_rng_below(&rng, 7) : 0;
        mco_vrp *p = vrp_case_random(&rng, &shape);
        const places kind = mco_rng_below(&rng, PLACES);
        if (kind != BY_MATRIX)
            place(p, kind, &rng, 1 + (int32_t)mco_rng_below(&rng, 900));
        const int32_t routes = 1 + (int32_t)mco_rng_below(&rng, 1 + most / 2);
        vrp_tour tour = vrp_case_tour(&rng, p, routes);
        p->capacity = 1 << 28;
        const bool has_length = mco_rng_below(&rng, 2) == 0;
        if (mco_rng_below(&rng, 4) > 0)
            set_limits(p, &tour, &rng, has_length);
        snprintf(name, sizeof name, "small %d", k);
        if (tour.count <= MOST_EDGES)
            scan_ways(name, p, &tour, &rng, 4);
        free(tour.node);
        release(p);
    }
}

// Descends to a local optimum step by step, because ties are many there.
static void test_descent(int cases)
{
    mco_rng rng;
    char name[64];
    mco_rng_seed(&rng, 6, 0);
    for (int k = 0; k < cases && gpu_failures < MOST_FAILURES; k++) {
        const vrp_shape shape = {.customers = 12, .distances = 1000, .is_symmetric = true, .demands = 9,
                                 .vehicles = k % 3 == 0 ? 3 : 0};
        mco_vrp *p = vrp_case_random(&rng, &shape);
        place(p, k % 2 == 0 ? BY_GRID : BY_PLANE, &rng, 40);
        vrp_tour tour = vrp_case_tour(&rng, p, 5);
        int32_t spare[MOST_EDGES];
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        vrp_engine gpu = {0};
        set_limits(p, &tour, &rng, k % 2 == 0);
        MUST(vrp_gpu_open(ctx, p, tour.count, &params, &gpu));
        snprintf(name, sizeof name, "descent %d", k);
        for (int step = 0; step < 50 && gpu.close != NULL && gpu_failures < MOST_FAILURES; step++) {
            vrp_scan scan = {.tour = &tour, .is_three_opt = k % 5 != 0, .hierarchy = -1, .keep = UINT64_MAX};
            scan_both(name, &gpu, &tour, 1, 0);
            scan_both(name, &gpu, &tour, 0, 0);
            MUST(gpu.scan(&gpu, &scan, INFINITY));
            if (scan.best.move.x < 0 || !vrp_is_less(scan.best.value, vrp_to_beat(p, &tour)))
                break;
            vrp_apply(&tour, scan.best.move, spare);
        }
        if (gpu.close != NULL)
            gpu.close(&gpu);
        free(tour.node);
        release(p);
    }
}

// ---- Larger tours, against the formula

static vrp_candidate decide(const mco_vrp *p, const vrp_sums *t, vrp_move m)
{
    int32_t from[3], to[3], join[3];
    const int joins = vrp_joins(m, from, to);
    for (int k = 0; k < joins; k++)
        join[k] = p->matrix != NULL ? p->matrix[(int64_t)t->node[from[k]] * p->nodes + t->node[to[k]]]
                                    : vrp_distance(p, t->node[from[k]], t->node[to[k]]);
    const vrp_decision d = vrp_decide(t, m, join);
    const vrp_candidate none = {.move = {-1, -1, -1, -1}};
    return d.is_feasible ? (vrp_candidate){m, {vrp_penalty(d.routes, p->vehicles), d.change}} : none;
}

// Evaluates the moves in the order of their indices.
static void formula_scan(const mco_vrp *p, vrp_scan *scan)
{
    const int32_t edges = scan->tour->count - 1;
    const vrp_candidate none = {.move = {-1, -1, -1, -1}};
    vrp_sums_memory memory;
    vrp_sums sums;
    MUST(vrp_sums_open(ctx, p, scan->tour->count, &memory));
    MUST(vrp_sums_fill(ctx, p, scan->tour, &memory, &sums));
    scan->best = none;
    scan->moves = vrp_move_count(edges, scan->is_three_opt);
    for (int32_t x = 0; x < edges; x++) {
        vrp_candidate row = none;
        for (vrp_move m = {x, x + 1, scan->is_three_opt ? x + 2 : -1, scan->is_three_opt ? 0 : -1}; m.y < edges;) {
            const vrp_candidate c = m.z < edges ? decide(p, &sums, m) : none;
            if (c.move.x >= 0 && (row.move.x < 0 || vrp_is_less(c.value, row.value)))
                row = c;
            if (scan->is_three_opt && m.p < 3 && m.z < edges)
                m.p++;
            else if (scan->is_three_opt && m.z + 1 < edges)
                m = (vrp_move){x, m.y, m.z + 1, 0};
            else
                m = scan->is_three_opt ? (vrp_move){x, m.y + 1, m.y + 2, 0} : (vrp_move){x, m.y + 1, -1, -1};
        }
        if (scan->rows != NULL)
            scan->rows[x] = row;
        if (row.move.x >= 0 && (scan->best.move.x < 0 || vrp_is_less(row.value, scan->best.value)))
            scan->best = row;
    }
    vrp_sums_close(ctx, &memory);
}

typedef struct large_case {
    const char *name;
    int32_t customers, routes, empty;  // routes with customers; routes without
    places kind;
    int32_t side;         // of the square, or of the distances
    int64_t memory;       // MiB; 0: all there is
    bool is_symmetric, has_length, breaks_limits;
    int32_t vehicles;
    bool is_large;        // left out if few cases are wanted
    bool is_two_opt;      // without 3-opt, whose formula would take long
} large_case;

static const large_case large_cases[] = {
    {"one tile and a little", 60, 6, 0, BY_GRID, 1000, 0, true, true, false, 0, false, false},
    {"routes of one", 70, 70, 3, BY_GRID, 1000, 0, true, true, false, 0, false, false},
    {"one route", 90, 1, 0, BY_GRID, 1000, 0, true, true, false, 0, false, false},
    {"wide entries", 90, 9, 2, BY_PLANE, 1000, 0, true, true, false, 0, false, false},
    {"long edges", 80, 8, 1, BY_MATRIX, 1 << 24, 0, true, true, false, 0, false, false},
    {"many ties", 90, 9, 4, BY_MATRIX, 2, 0, true, false, false, 0, false, false},
    {"too many routes", 80, 10, 1, BY_GRID, 1000, 0, true, true, false, 8, false, false},
    {"as many routes as vehicles", 80, 10, 3, BY_GRID, 1000, 0, true, true, false, 10, false, false},
    {"asymmetric", 80, 8, 1, BY_MATRIX, 1000, 0, false, true, false, 0, false, false},
    {"infeasible", 80, 8, 1, BY_GRID, 1000, 0, true, true, true, 0, false, false},
    {"above a chunk", 305, 17, 2, BY_GRID, 1000, 0, true, true, false, 0, true, false},
    {"530 nodes", 520, 9, 0, BY_GRID, 1000, 0, true, true, false, 0, true, false},
    {"601 nodes, routes of five", 500, 100, 0, BY_GRID, 1000, 0, true, true, false, 0, true, false},
    {"700 nodes in 32 bits", 660, 37, 2, BY_PLANE, 1000, 0, true, true, false, 0, true, false},
    {"700 nodes in slabs", 660, 37, 2, BY_PLANE, 1000, 3, true, true, false, 0, true, false},
    {"700 nodes in narrow slabs", 660, 37, 2, BY_GRID, 1000, 3, true, true, false, 0, true, false},
    {"1100 nodes without a limit to lengths", 979, 120, 0, BY_GRID, 1000, 0, true, false, false, 0, true, false},
    {"1100 nodes, too many routes", 979, 120, 0, BY_GRID, 1000, 0, true, true, false, 100, true, false},
    {"1400 nodes, one route", 1398, 1, 0, BY_GRID, 1000, 0, true, true, false, 0, true, true},
    {"1500 nodes, many ties", 1400, 90, 9, BY_GRID, 8, 0, true, true, false, 0, true, true},
    {"1700 nodes by a matrix of ties", 1600, 60, 39, BY_MATRIX, 3, 0, true, true, false, 0, true, true},
    {"2100 nodes, as many routes as vehicles", 2000, 80, 20, BY_GRID, 1000, 0, true, true, false, 100, true, true},
    {"2401 nodes", 2300, 100, 0, BY_GRID, 1000, 0, true, true, false, 0, true, true},
    {"2401 nodes, routes of 400", 2394, 6, 0, BY_GRID, 1000, 0, true, true, false, 0, true, true},
    {"2500 nodes, routes of five", 2050, 410, 40, BY_PLANE, 1000, 0, true, true, false, 0, true, true},
    {"2900 nodes, half of the routes empty", 2700, 100, 99, BY_GRID, 1400, 0, true, false, false, 0, true, true},
    {"the largest small tour", 3995, 100, 0, BY_GRID, 1000, 0, true, true, false, 0, true, true},
    {"above a small tour", 3996, 100, 0, BY_GRID, 1000, 0, true, true, false, 0, true, true},
    {"4500 nodes, two routes", 4498, 2, 0, BY_CEILING, 1000, 0, true, true, false, 0, true, true},
};

static void test_large(const large_case *c)
{
    mco_rng rng;
    const vrp_shape shape = {.customers = c->customers, .distances = (uint32_t)c->side, .is_symmetric = c->is_symmetric,
                             .demands = 9, .services = c->has_length ? 20 : 0, .vehicles = c->vehicles};
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_engine gpu = {0};
    mco_rng_seed(&rng, (uint64_t)c->customers, 1);
    mco_vrp *p = vrp_case_random(&rng, &shape);
    if (c->kind != BY_MATRIX)
        place(p, c->kind, &rng, c->side);
    vrp_tour tour = sweep_tour(p, c->routes, c->empty);
    p->capacity = 1 << 28;
    set_limits(p, &tour, &rng, c->has_length);
    if (!c->breaks_limits) {
        p->capacity += p->capacity / 16;
        p->max_length = c->has_length ? p->max_length + p->max_length / 16 : p->max_length;
    } else {
        p->capacity -= p->capacity / 12;
    }
    params.memory = c->memory;
    MUST(vrp_gpu_open(ctx, p, tour.count, &params, &gpu));
    vrp_candidate *rows = calloc(2 * (size_t)tour.count, sizeof *rows);
    for (int kind = 0; kind < (c->is_two_opt ? 1 : 2) && gpu.close != NULL && rows != NULL; kind++) {
        vrp_scan expected = {.tour = &tour, .hierarchy = -1, .keep = UINT64_MAX, .is_three_opt = kind, .rows = rows};
        formula_scan(p, &expected);
        for (int way = 0; way < (c->is_large ? 2 : 4); way++) {
            vrp_scan seen = expected;
            seen.rows = (way & 1) != 0 ? rows + tour.count : NULL;
            seen.hierarchy = (way & 2) != 0 ? 1 : -1;
            MUST(gpu.scan(&gpu, &seen, INFINITY));
            compare(c->name, &seen, &expected);
        }
    }
    if (gpu.close != NULL)
        gpu.close(&gpu);
    free(rows);
    free(tour.node);
    release(p);
}

// ---- Refusals and stops

static void test_limits(void)
{
    mco_rng rng;
    const vrp_shape shape = {.customers = 600, .distances = 1000, .is_symmetric = true, .demands = 9};
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_engine gpu = {0};
    mco_rng_seed(&rng, 9, 0);
    mco_vrp *p = vrp_case_random(&rng, &shape);
    vrp_tour tour = vrp_case_tour(&rng, p, 20);
    vrp_scan scan = {.tour = &tour, .hierarchy = 0, .keep = UINT64_MAX, .is_three_opt = true};
    p->capacity = 1 << 28;
    params.gpus = "77";
    GPU_CHECK(vrp_gpu_open(ctx, p, tour.count, &params, &gpu) == MCO_ERR_DEVICE, "%s", mco_context_error(ctx));
    params.gpus = NULL;
    params.memory = 1;
    MUST(vrp_gpu_open(ctx, p, tour.count, &params, &gpu));
    GPU_CHECK(gpu.scan(&gpu, &scan, INFINITY) == MCO_ERR_LIMIT, "%s", mco_context_error(ctx));
    scan.hierarchy = -1;
    MUST(gpu.scan(&gpu, &scan, mco_clock_s() - 1));
    GPU_CHECK(scan.best.move.x == -1, "move %d after a stop", (int)scan.best.move.x);
    gpu.close(&gpu);
    checks += 3;
    free(tour.node);
    release(p);
}

// ---- Allocations that fail

static struct {
    long calls, live, fail_at;
} memory;

static void *allocate(size_t bytes, void *user)
{
    (void)user;
    if (++memory.calls == memory.fail_at)
        return NULL;
    void *out = malloc(bytes);
    memory.live += out != NULL;
    return out;
}

static void free_counted(void *block, void *user)
{
    (void)user;
    memory.live -= block != NULL;
    free(block);
}

// Opens the engine and scans while the k-th allocation fails, until none does: 2-opt that runs ahead, and plain 3-opt.
static void test_allocations(bool is_three_opt)
{
    mco_rng rng;
    const vrp_shape shape = {.customers = 20, .distances = 1000, .is_symmetric = !is_three_opt, .demands = 9};
    mco_rng_seed(&rng, 10, 0);
    mco_vrp *p = vrp_case_random(&rng, &shape);
    vrp_tour tour = vrp_case_tour(&rng, p, 4);
    p->capacity = 1 << 28;
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st == MCO_ERR_MEMORY && k < 100; k++, checks++) {
        mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
        mco_vrp_params engine_params = MCO_VRP_PARAMS_INIT;
        mco_context *counted = NULL;
        vrp_engine gpu = {0};
        vrp_scan scan = {.tour = &tour, .hierarchy = -1, .keep = UINT64_MAX, .is_three_opt = is_three_opt, .ahead = 100};
        params.allocate = allocate;
        params.release = free_counted;
        memory.fail_at = 0;
        if (mco_context_create(&counted, &params) != MCO_OK)
            abort();
        memory.calls = 0;
        memory.fail_at = k;
        st = vrp_gpu_open(counted, p, tour.count, &engine_params, &gpu);
        if (st == MCO_OK) {
            st = gpu.scan(&gpu, &scan, INFINITY);
            gpu.close(&gpu);
        }
        mco_context_destroy(&counted);
        GPU_CHECK(memory.live == 0, "%ld blocks live with allocation %ld failing", memory.live, k);
    }
    GPU_CHECK(st == MCO_OK, "status %d", (int)st);
    free(tour.node);
    release(p);
}

int main(int argc, char **argv)
{
    const int cases = argc > 1 ? atoi(argv[1]) : DEFAULT_CASES;
    ctx = gpu_begin();
    test_small(cases);
    test_descent(cases / 40 + 1);
    for (size_t k = 0; k < sizeof large_cases / sizeof *large_cases && gpu_failures < MOST_FAILURES; k++)
        if (cases >= FEW_CASES || !large_cases[k].is_large)
            test_large(&large_cases[k]);
    test_limits();
    test_allocations(false);
    test_allocations(true);
    mco_context_destroy(&ctx);
    return gpu_summary("vrp on a GPU", checks);
}
