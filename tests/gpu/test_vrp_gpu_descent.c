// SPDX-License-Identifier: MIT
// Descents over 2-opt and 3-opt on a GPU against those on the cores, sweep by sweep. The device makes sweeps ahead of
// the host, the host ends them at any time, and other scans come between them.
//
//     gpu_test_vrp_gpu_descent [CASES]    CASES random descents instead of 2000; fewer than 400 leave out what is large
#include <math.h>
#include <string.h>

#include "gpu/gpu_support.h"
#include "gpu/vrp_gpu_support.h"

static long checks, sweeps_made;
static mco_context *ctx;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))

enum { DEFAULT_CASES = 2000, FEW_CASES = 400, MOST_FAILURES = 20 };

// ---- Descents

typedef mco_status (*open_function)(mco_context *, const mco_vrp *, int32_t, const mco_vrp_params *, vrp_engine *);

static vrp_tour copy_of(const vrp_tour *tour)
{
    vrp_tour copy = {calloc((size_t)tour->count, sizeof *tour->node), tour->count};
    if (copy.node == NULL)
        abort();
    memcpy(copy.node, tour->node, (size_t)tour->count * sizeof *tour->node);
    return copy;
}

static mco_vrp_neighbourhood_result descend(open_function open, const mco_vrp *p, const mco_vrp_params *params, vrp_tour *tour)
{
    mco_vrp_neighbourhood_result result = MCO_VRP_NEIGHBOURHOOD_RESULT_INIT;
    vrp_engine engine = {0};
    MUST(open(ctx, p, tour->count, params, &engine));
    if (engine.close != NULL) {
        MUST(vrp_descend(ctx, &engine, params, tour, &result));
        engine.close(&engine);
    }
    return result;
}

// Engines may skip different moves, so only the sum of evaluated and skipped moves is compared.
static bool is_same_sweep(const mco_vrp_sweep *a, const mco_vrp_sweep *b)
{
    return a->x == b->x && a->y == b->y && a->z == b->z && a->p == b->p && a->scaled_cost == b->scaled_cost &&
           a->routes == b->routes && a->moves + a->moves_skipped == b->moves + b->moves_skipped &&
           a->moves_made == b->moves_made;
}

static void print_sweep(const char *what, const mco_vrp_sweep *s)
{
    printf("%s: (%d, %d, %d, %d) cost %lld, %d routes, %lld + %lld moves, %lld made\n", what, (int)s->x, (int)s->y, (int)s->z,
           (int)s->p, (long long)s->scaled_cost, (int)s->routes, (long long)s->moves, (long long)s->moves_skipped,
           (long long)s->moves_made);
}

static void compare_descents(const char *name, const mco_vrp *p, const mco_vrp_params *params, const vrp_tour *start)
{
    vrp_tour tours[2] = {copy_of(start), copy_of(start)};
    mco_vrp_neighbourhood_result a = descend(vrp_gpu_open, p, params, &tours[0]),
                                 b = descend(vrp_cpu_open, p, params, &tours[1]);
    GPU_CHECK(a.sweep_count == b.sweep_count && a.scaled_cost == b.scaled_cost && a.is_local_optimum == b.is_local_optimum &&
                  a.stop == b.stop,
              "%s, %d nodes: %lld sweeps to %lld, expected %lld to %lld", name, (int)start->count, (long long)a.sweep_count,
              (long long)a.scaled_cost, (long long)b.sweep_count, (long long)b.scaled_cost);
    for (int64_t k = 0; k < a.sweep_count && k < b.sweep_count; k++, checks++)
        if (!is_same_sweep(&a.sweeps[k], &b.sweeps[k])) {
            GPU_CHECK(false, "%s, %d nodes, sweep %lld differs", name, (int)start->count, (long long)k);
            print_sweep("is", &a.sweeps[k]);
            print_sweep("expected", &b.sweeps[k]);
            break;
        }
    GPU_CHECK(memcmp(tours[0].node, tours[1].node, (size_t)start->count * sizeof *start->node) == 0, "%s: other tours", name);
    checks += 2;
    sweeps_made += a.sweep_count;
    mco_free(ctx, &a.sweeps);
    mco_free(ctx, &b.sweeps);
    free(tours[0].node);
    free(tours[1].node);
}

// ---- Random ones

static void test_random(int cases)
{
    static const mco_vrp_type types[] = {MCO_VRP_TYPE_TWO_OPT, MCO_VRP_TYPE_TWO_OPT, MCO_VRP_TYPE_TWO_OPT,
                                         MCO_VRP_TYPE_THREE_OPT, MCO_VRP_TYPE_THREE_OPT_COMPLETE};
    mco_rng rng;
    char name[64];
    mco_rng_seed(&rng, 21, 0);
    for (int k = 0; k < cases && gpu_failures < MOST_FAILURES; k++) {
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        params.type = types[mco_rng_below(&rng, 5)];
        const int32_t most = params.type == MCO_VRP_TYPE_TWO_OPT && k % 10 == 0 ? 300 : 40;
        const vrp_shape shape = {.customers = 3 + (int32_t)mco_rng_below(&rng, (uint32_t)most),
                                 .distances = mco_rng_below(&rng, 2) == 0 ? 4 : 1000,
                                 .is_symmetric = mco_rng_below(&rng, 10) > 0, .demands = 9,
                                 .services = mco_rng_below(&rng, 3) == 0 ? 50 : 0,
                                 .vehicles = mco_rng_below(&rng, 2) == 0 ? 1 + (int32_t)mco_rng_below(&rng, 12) : 0};
        mco_vrp *p = vrp_case_random(&rng, &shape);
        const places kind = mco_rng_below(&rng, PLACES);
        if (kind != BY_MATRIX)
            place(p, kind, &rng, mco_rng_below(&rng, 2) == 0 ? 12 : 1000);
        vrp_tour tour = vrp_case_tour(&rng, p, 1 + (int32_t)mco_rng_below(&rng, 10));
        set_limits(p, &tour, &rng, mco_rng_below(&rng, 2) == 0);
        params.sweeps = mco_rng_below(&rng, 2) == 0 ? 0 : 1 + (int64_t)mco_rng_below(&rng, 40);
        if (p->is_symmetric && mco_rng_below(&rng, 8) == 0)
            params.moves = MCO_VRP_MOVES_INDEPENDENT;
        snprintf(name, sizeof name, "descent %d", k);
        compare_descents(name, p, &params, &tour);
        free(tour.node);
        release(p);
    }
}

// ---- Larger ones

typedef struct large_case {
    const char *name;
    int32_t customers, routes, empty;
    places kind;
    int32_t side, sweeps;
    bool has_length;
} large_case;

static const large_case large_cases[] = {
    {"967 nodes to the end", 920, 46, 0, BY_GRID, 1000, 0, true},
    {"1500 nodes, many ties", 1400, 90, 9, BY_GRID, 8, 150, true},
    {"2401 nodes to the end", 2300, 100, 0, BY_GRID, 1000, 0, true},
    {"2401 nodes, no limit to lengths", 2300, 100, 0, BY_PLANE, 1000, 150, false},
    {"2900 nodes, one route", 2898, 1, 0, BY_GRID, 1000, 150, true},
    {"4500 nodes", 4300, 150, 49, BY_GRID, 1000, 100, true},
    {"8001 nodes", 7600, 380, 20, BY_GRID, 1000, 60, true},
};

static void test_large(const large_case *c)
{
    mco_rng rng;
    const vrp_shape shape = {.customers = c->customers, .distances = (uint32_t)c->side, .is_symmetric = true, .demands = 9};
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    mco_rng_seed(&rng, (uint64_t)c->customers, 2);
    mco_vrp *p = vrp_case_random(&rng, &shape);
    place(p, c->kind, &rng, c->side);
    vrp_tour tour = sweep_tour(p, c->routes, c->empty);
    p->capacity = 1 << 28;
    set_limits(p, &tour, &rng, c->has_length);
    p->capacity += p->capacity / 8;
    if (c->has_length)
        p->max_length += p->max_length / 8;
    params.type = MCO_VRP_TYPE_TWO_OPT;
    params.sweeps = c->sweeps;
    compare_descents(c->name, p, &params, &tour);
    free(tour.node);
    release(p);
}

// ---- Ends, and scans in between

static int stop_soon(const mco_progress *progress, void *user)
{
    int *sweeps_left = user;
    (void)progress;
    return --*sweeps_left == 0;
}

static mco_vrp *ring_case(mco_rng *rng, vrp_tour *tour)
{
    const vrp_shape shape = {.customers = 200, .distances = 1000, .is_symmetric = true, .demands = 9};
    mco_vrp *p = vrp_case_random(rng, &shape);
    place(p, BY_GRID, rng, 1000);
    p->capacity = 1 << 28;
    *tour = vrp_case_tour(rng, p, 12);
    tour->node = realloc(tour->node, ((size_t)tour->count + 1) * sizeof *tour->node);
    if (tour->node == NULL)
        abort();
    tour->node[tour->count++] = 0;  // an empty route, which some turns leave out
    return p;
}

// The callback stops the descent in the middle of a batch or at its end.
static void test_stops(void)
{
    mco_rng rng;
    vrp_tour tour;
    mco_rng_seed(&rng, 22, 0);
    mco_vrp *p = ring_case(&rng, &tour);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    params.type = MCO_VRP_TYPE_TWO_OPT;
    for (int sweeps = 1; sweeps < 50; sweeps += 1 + sweeps / 4, checks += 2) {
        vrp_tour tours[2] = {copy_of(&tour), copy_of(&tour)};
        int left = sweeps;
        params.sweeps = 0;
        mco_context_set_callback(ctx, stop_soon, &left);
        mco_vrp_neighbourhood_result a = descend(vrp_gpu_open, p, &params, &tours[0]);
        mco_context_set_callback(ctx, NULL, NULL);
        params.sweeps = sweeps;
        mco_vrp_neighbourhood_result b = descend(vrp_cpu_open, p, &params, &tours[1]);
        GPU_CHECK(a.stop == MCO_STOP_CANCELLED && a.sweep_count == sweeps, "%lld sweeps of %d, end %d",
                  (long long)a.sweep_count, sweeps, (int)a.stop);
        GPU_CHECK(a.scaled_cost == b.scaled_cost &&
                      memcmp(tours[0].node, tours[1].node, (size_t)tour.count * sizeof *tour.node) == 0,
                  "cost %lld after %d sweeps, expected %lld", (long long)a.scaled_cost, sweeps, (long long)b.scaled_cost);
        mco_free(ctx, &a.sweeps);
        mco_free(ctx, &b.sweeps);
        free(tours[0].node);
        free(tours[1].node);
    }
    free(tour.node);
    release(p);
}

// One engine follows a descent for a while. Then it is asked for another tour, or for another kind of scan.
static void test_turns(int turns)
{
    mco_rng rng;
    vrp_tour tour;
    mco_rng_seed(&rng, 23, 0);
    mco_vrp *p = ring_case(&rng, &tour);
    mco_vrp_params params = MCO_VRP_PARAMS_INIT;
    vrp_engine gpu = {0}, cpu = {0};
    vrp_candidate rows[2][256];
    int32_t spare[256];
    MUST(vrp_gpu_open(ctx, p, tour.count, &params, &gpu));
    MUST(vrp_cpu_open(ctx, p, tour.count, &params, &cpu));
    for (int turn = 0; turn < turns && gpu.close != NULL && cpu.close != NULL && gpu_failures < MOST_FAILURES; turn++) {
        vrp_tour now = copy_of(&tour);
        const int32_t ahead = (int32_t)mco_rng_below(&rng, 60), follow = (int32_t)mco_rng_below(&rng, (uint32_t)ahead + 1);
        now.count -= (int32_t)mco_rng_below(&rng, 2) * (now.node[now.count - 2] == 0);
        for (int32_t k = 0; k <= follow; k++, checks++) {
            vrp_scan seen = {.tour = &now, .hierarchy = -1, .keep = UINT64_MAX, .ahead = ahead - k, .is_next = k > 0},
                     expected = {.tour = &now, .hierarchy = -1, .keep = UINT64_MAX};
            if (mco_rng_below(&rng, 30) == 0) {  // another kind of scan; the next one follows nothing
                vrp_scan other = expected;
                other.rows = rows[0];
                MUST(gpu.scan(&gpu, &other, INFINITY));
                seen.is_next = false;
            }
            MUST(gpu.scan(&gpu, &seen, INFINITY));
            MUST(cpu.scan(&cpu, &expected, INFINITY));
            GPU_CHECK(vrp_is_same(seen.best, expected.best), "turn %d, scan %d: (%d, %d), expected (%d, %d)", turn, (int)k,
                      (int)seen.best.move.x, (int)seen.best.move.y, (int)expected.best.move.x, (int)expected.best.move.y);
            if (expected.best.move.x < 0 || !vrp_is_less(expected.best.value, vrp_to_beat(p, &now)))
                break;
            vrp_apply(&now, expected.best.move, spare);
        }
        if (mco_rng_below(&rng, 3) == 0)
            memcpy(tour.node, now.node, (size_t)now.count * sizeof *tour.node);
        free(now.node);
    }
    if (cpu.close != NULL)
        cpu.close(&cpu);
    if (gpu.close != NULL)
        gpu.close(&gpu);
    free(tour.node);
    release(p);
}

int main(int argc, char **argv)
{
    const int cases = argc > 1 ? atoi(argv[1]) : DEFAULT_CASES;
    ctx = gpu_begin();
    test_random(cases);
    test_stops();
    test_turns(cases / 20 + 1);
    for (size_t k = 0; k < sizeof large_cases / sizeof *large_cases && gpu_failures < MOST_FAILURES && cases >= FEW_CASES; k++)
        test_large(&large_cases[k]);
    GPU_CHECK(sweeps_made > 2 * cases, "%ld sweeps in %d descents", sweeps_made, cases);
    mco_context_destroy(&ctx);
    return gpu_summary("vrp descents on a GPU", checks);
}
