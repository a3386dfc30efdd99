// SPDX-License-Identifier: MIT
// The insertion kernels of every vector unit against a plain computation, and the heuristic.
#include "flowshop_support.h"

#include "flowshop/beam/beam.h"
#include "flowshop/heuristic/heuristic.h"
#include "flowshop/heuristic/insertion.h"
#include "flowshop/run.h"
#include "mco/mco.h"

enum { LARGEST_TIME = 99, MOST_JOBS = 200 };

// ---- The plain computation

static void insert_at(int32_t *order, int32_t count, int32_t job, int32_t position)
{
    memmove(order + position + 1, order + position, (size_t)(count - position) * sizeof *order);
    order[position] = job;
}

static void remove_at(int32_t *order, int32_t count, int32_t position)
{
    memmove(order + position, order + position + 1, (size_t)(count - 1 - position) * sizeof *order);
}

// Fills the makespans with `job` at each place 0..count.
static void plain_places(const mco_flowshop *shop, const int32_t *order, int32_t count, int32_t job,
                         int32_t *makespans)
{
    int32_t line[MOST_JOBS + 1];
    for (int32_t t = 0; t <= count; t++) {
        memcpy(line, order, (size_t)count * sizeof *line);
        insert_at(line, count, job, t);
        makespans[t] = makespan_of(shop, line, count + 1);
    }
}

// The idle time of Fernandez-Viagas and Framinan (2014). The line before `place` is computed again each time.
static int64_t plain_idle(const mco_flowshop *shop, const int32_t *order, int32_t count, int32_t job,
                          int32_t place)
{
    const int32_t m = mco_flowshop_machines(shop);
    int32_t before[64] = {0}, end[64] = {0}, replaced[64] = {0}, next_end[64] = {0};
    int64_t idle = 0;
    for (int32_t t = 0; t < place; t++)
        for (int32_t k = 0; k < m; k++) {
            const int32_t ready = k > 0 ? before[k - 1] : 0;
            before[k] = (before[k] > ready ? before[k] : ready) + mco_flowshop_time(shop, k, order[t]);
        }
    for (int32_t k = 0; k < m; k++) {
        const int32_t ready = k > 0 && end[k - 1] > before[k] ? end[k - 1] : before[k];
        end[k] = ready + mco_flowshop_time(shop, k, job);
        if (k > 0 && place == count)
            idle += ready - before[k];
    }
    for (int32_t k = 0; k < m && place < count; k++) {
        const int32_t time = mco_flowshop_time(shop, k, order[place]);
        replaced[k] = (k > 0 && replaced[k - 1] > before[k] ? replaced[k - 1] : before[k]) + time;
        const int32_t ready = k > 0 && next_end[k - 1] > end[k] ? next_end[k - 1] : end[k];
        next_end[k] = ready + time;
        if (k > 0)
            idle += end[k] - mco_flowshop_time(shop, k, job) - (replaced[k] - time) + (ready - end[k]);
    }
    return idle;
}

// ---- Kernels

typedef struct fixture {
    mco_flowshop *shop;
    const flowshop_insertion_ops *ops;
    flowshop_line *line;
    mco_rng rng;
    int32_t order[MOST_JOBS];  // what the line must hold
    int32_t count;
} fixture;

static void compare_place(fixture *f, int32_t job)
{
    int32_t makespans[MOST_JOBS + 1], least = INT32_MAX, position = -1;
    int64_t least_idle = INT64_MAX;
    plain_places(f->shop, f->order, f->count, job, makespans);
    for (int32_t t = 0; t <= f->count; t++)
        least = makespans[t] < least ? makespans[t] : least;
    for (int32_t t = 0; t <= f->count; t++) {
        const int64_t idle = makespans[t] == least ? plain_idle(f->shop, f->order, f->count, job, t) : INT64_MAX;
        if (idle < least_idle) {
            least_idle = idle;
            position = t;
        }
    }
    const flowshop_place place = f->ops->best_place(f->line, job);
    assert_int_equal(place.makespan, least);
    assert_int_equal(place.position, position);
}

// The new place of the job at `at` by the rule of `reinsert`: the shortest one; ties go to the nearest behind, then
// nearest before.
static flowshop_place plain_reinsert(const fixture *f, int32_t at)
{
    int32_t rest[MOST_JOBS], makespans[MOST_JOBS + 1];
    flowshop_place best = {at, INT32_MAX};
    memcpy(rest, f->order, sizeof rest);
    remove_at(rest, f->count, at);
    plain_places(f->shop, rest, f->count - 1, f->order[at], makespans);
    for (int32_t t = at; t < f->count; t++)
        if (makespans[t] < best.makespan)
            best = (flowshop_place){t, makespans[t]};
    for (int32_t t = at; t >= 0; t--)
        if (makespans[t] < best.makespan)
            best = (flowshop_place){t, makespans[t]};
    return best;
}

// Long lines are compared at a few positions, because the plain computation takes count^2 m for each.
static void compare_reinsert(fixture *f)
{
    flowshop_place places[FLOWSHOP_MAX_LANES];
    const int32_t first = (int32_t)mco_rng_below(&f->rng, (uint32_t)f->count);
    const int32_t done = f->ops->reinsert(f->line, first, places), step = f->count > 64 ? 7 : 1;
    const int32_t makespan = makespan_of(f->shop, f->order, f->count);
    assert_int_equal(f->line->makespan, makespan);
    assert_true(done >= 1 && done <= FLOWSHOP_MAX_LANES && first + done <= f->count);
    for (int32_t i = 0; i < done; i += step) {
        const flowshop_place plain = plain_reinsert(f, first + i);
        assert_int_equal(places[i].makespan, plain.makespan);
        // If no place is shorter than the line, any place may be returned.
        if (plain.makespan < makespan)
            assert_int_equal(places[i].position, plain.position);
    }
}

static void compare_line(const fixture *f)
{
    assert_int_equal(f->line->count, f->count);
    if (f->count > 0)
        assert_memory_equal(f->line->order, f->order, (size_t)f->count * sizeof *f->order);
}

// Fills the line at random places, then moves and replaces jobs, and compares at intervals.
static void walk(fixture *f, int32_t n)
{
    const int32_t interval = n > 64 ? 29 : n > 20 ? 5 : 1;
    for (int32_t job = 0; job < n; job++) {
        const int32_t position = (int32_t)mco_rng_below(&f->rng, (uint32_t)f->count + 1);
        if (job % interval == 0)
            compare_place(f, job);
        insert_at(f->order, f->count++, job, position);
        f->ops->insert(f->line, job, (flowshop_place){position, 0});
        if (job % interval == 0 || job == n - 1)
            compare_reinsert(f);
    }
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 2 && f->count > 1; i++) {
            const int32_t position = (int32_t)mco_rng_below(&f->rng, (uint32_t)f->count);
            const int32_t job = f->order[position];
            f->ops->take_out(f->line, position);
            remove_at(f->order, f->count--, position);
            compare_place(f, job);
            compare_reinsert(f);
        }
        // Replaces the line: another order of the jobs left, the same at both ends, and in one round of another length.
        int32_t replaced[MOST_JOBS];
        memcpy(replaced, f->order, sizeof replaced);
        const int32_t last = f->count - 1, a = (int32_t)mco_rng_below(&f->rng, (uint32_t)f->count);
        const int32_t job = replaced[a];
        replaced[a] = replaced[last / 2];
        replaced[last / 2] = job;
        f->count -= f->count > 2 && round == 1;
        memcpy(f->order, replaced, sizeof replaced);
        f->ops->assign(f->line, f->order, f->count);
        compare_line(f);
        compare_reinsert(f);
    }
}

// Small times give 16-bit lanes, large ones 32-bit lanes.
static void walk_all(mco_simd simd, int32_t largest)
{
    static const int32_t jobs[] = {1, 2, 3, 15, 16, 17, 31, 33, 64, 65, 200}, machines[] = {1, 2, 5, 20, 33};
    for (int i = 0; i < COUNT_OF(jobs); i++)
        for (int k = 0; k < COUNT_OF(machines); k++) {
            if (TEST_IS_SANITIZED && jobs[i] * machines[k] > 1300)
                continue;
            fixture f = {.shop = random_shop(jobs[i], machines[k], 5, largest)};
            const flowshop_variant *variant = flowshop_variant_choose(NULL, simd, f.shop);
            f.ops = variant->insertion;
            mco_rng_seed(&f.rng, 3, (uint64_t)jobs[i]);
            assert_ok(f.ops->create(test_ctx, f.shop, NULL, &f.line));
            walk(&f, jobs[i]);
            f.ops->destroy(test_ctx, &f.line);
            mco_flowshop_destroy(test_ctx, &f.shop);
        }
}

static const mco_simd units[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};

static void test_kernels(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(units); i++) {
        if (flowshop_variant_choose(NULL, units[i], NULL) == NULL)
            continue;
        walk_all(units[i], LARGEST_TIME);
        walk_all(units[i], MCO_FLOWSHOP_MAX_TIME);
    }
}

// Paths as long as 16 bits allow: sums beyond every path of the instance would overflow.
static void test_full_lanes(void **state)
{
    (void)state;
    enum { N = 40, M = 20 };
    int32_t times[N * M];
    for (int32_t c = 0; c < N * M; c++)
        times[c] = (INT16_MAX - 1) / (N + M - 1) - c % 3;
    for (int i = 0; i < COUNT_OF(units); i++) {
        if (flowshop_variant_choose(NULL, units[i], NULL) == NULL)
            continue;
        fixture f = {.shop = NULL};
        assert_ok(mco_flowshop_create(test_ctx, N, M, times, &f.shop));
        assert_int_equal(flowshop_variant_choose(NULL, units[i], f.shop)->build.bits, 16);
        f.ops = flowshop_variant_choose(NULL, units[i], f.shop)->insertion;
        mco_rng_seed(&f.rng, 9, 1);
        assert_ok(f.ops->create(test_ctx, f.shop, NULL, &f.line));
        walk(&f, N);
        f.ops->destroy(test_ctx, &f.line);
        mco_flowshop_destroy(test_ctx, &f.shop);
    }
}

// ---- The heuristic

static mco_flowshop_result solve(const mco_flowshop *shop, mco_flowshop_params params)
{
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    params.method = MCO_FLOWSHOP_METHOD_HEURISTIC;
    assert_ok(mco_flowshop_solve(test_ctx, shop, &params, &result));
    if (mco_flowshop_jobs(shop) > 0) {
        int64_t makespan;
        assert_ok(mco_flowshop_check(test_ctx, shop, result.order, mco_flowshop_jobs(shop), &makespan));
        assert_int_equal(makespan, result.makespan);
    }
    return result;
}

static void test_small_optima(void **state)
{
    (void)state;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.iterations = 300;
    params.threads = 1;
    for (int32_t n = 1; n <= 7; n++)
        for (int32_t seed = 1; seed <= 10; seed++) {
            int32_t order[] = {0, 1, 2, 3, 4, 5, 6};
            const int32_t m = 1 + seed % 5;
            mco_flowshop *shop = random_shop(n, m, (uint64_t)seed, LARGEST_TIME);
            mco_flowshop_result result = solve(shop, params);
            assert_int_equal(result.makespan, best_of_rest(shop, order, 0));
            mco_flowshop_result_clear(test_ctx, &result);
            mco_flowshop_destroy(test_ctx, &shop);
        }
}

static void assert_same_run(const mco_flowshop_result *a, const mco_flowshop_result *b, int32_t n)
{
    assert_int_equal(a->makespan, b->makespan);
    assert_int_equal(a->iterations, b->iterations);
    assert_memory_equal(a->order, b->order, (size_t)n * sizeof *a->order);
    assert_int_equal(a->history_count, b->history_count);
    for (int64_t i = 0; i < a->history_count; i++)
        assert_true(a->history[i].objective == b->history[i].objective && a->history[i].bound == b->history[i].bound);
}

// Equal seeds, threads and iterations give equal schedules in equal order, on every vector unit.
static void test_determinism(void **state)
{
    (void)state;
    enum { N = 50, M = 20 };
    mco_flowshop *shop = NULL;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    assert_ok(mco_flowshop_taillard(test_ctx, "ta051", &shop));
    params.iterations = 300;
    for (params.threads = 1; params.threads <= 3; params.threads++) {
        params.simd = MCO_SIMD_AUTO;
        mco_flowshop_result first = solve(shop, params);
        assert_int_equal(first.stop, MCO_STOP_ITERATIONS);
        assert_int_equal(first.iterations, params.iterations * params.threads);
        for (int simd = MCO_SIMD_AUTO; simd <= MCO_SIMD_PORTABLE; simd++) {
            if (flowshop_variant_choose(NULL, (mco_simd)simd, shop) == NULL)
                continue;
            params.simd = (mco_simd)simd;
            mco_flowshop_result again = solve(shop, params);
            assert_same_run(&first, &again, N);
            mco_flowshop_result_clear(test_ctx, &again);
        }
        mco_flowshop_result_clear(test_ctx, &first);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// The widths of lane agree: when all times are scaled, the makespan scales with them.
static void test_scaling(void **state)
{
    (void)state;
    enum { N = 30, M = 7, FACTOR = 1000 };
    int32_t times[N * M];
    mco_flowshop *small = random_shop(N, M, 11, LARGEST_TIME), *large = NULL;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    for (int32_t c = 0; c < N * M; c++)
        times[c] = FACTOR * mco_flowshop_time(small, c / N, c % N);
    assert_ok(mco_flowshop_create(test_ctx, N, M, times, &large));
    assert_int_equal(flowshop_variant_choose(NULL, MCO_SIMD_AUTO, small)->build.bits, 16);
    assert_int_equal(flowshop_variant_choose(NULL, MCO_SIMD_AUTO, large)->build.bits, 32);
    params.iterations = 200;
    params.threads = 1;
    mco_flowshop_result a = solve(small, params), b = solve(large, params);
    assert_int_equal(FACTOR * a.makespan, b.makespan);
    assert_memory_equal(a.order, b.order, sizeof(int32_t) * N);
    mco_flowshop_result_clear(test_ctx, &b);
    mco_flowshop_result_clear(test_ctx, &a);
    mco_flowshop_destroy(test_ctx, &large);
    mco_flowshop_destroy(test_ctx, &small);
}

static void test_start_is_kept(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    assert_ok(mco_flowshop_taillard(test_ctx, "ta031", &shop));
    params.threads = 1;
    params.iterations = 500;
    mco_flowshop_result good = solve(shop, params);
    params.start = good.order;
    for (params.iterations = 0; params.iterations <= 20; params.iterations += 10) {
        mco_flowshop_result again = solve(shop, params);
        assert_true(again.makespan <= good.makespan);
        mco_flowshop_result_clear(test_ctx, &again);
    }
    mco_flowshop_result_clear(test_ctx, &good);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_no_iterations(void **state)
{
    (void)state;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.iterations = 0;
    for (int32_t n = 0; n <= 3; n++) {
        mco_flowshop *shop = random_shop(n, 2, 1, LARGEST_TIME), *idle = random_shop(n, 3, 1, 0);
        mco_flowshop_result result = solve(shop, params), nothing = solve(idle, params);
        assert_int_equal(result.iterations, 0);
        assert_int_equal(nothing.makespan, 0);
        assert_int_equal(nothing.stop, MCO_STOP_FINISHED);
        mco_flowshop_result_clear(test_ctx, &nothing);
        mco_flowshop_result_clear(test_ctx, &result);
        mco_flowshop_destroy(test_ctx, &idle);
        mco_flowshop_destroy(test_ctx, &shop);
    }
}

// NEH alone takes many times the limit here, but the schedule must still be complete.
static void test_time_limit_inside_neh(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    assert_ok(mco_flowshop_generate(test_ctx, 4000, 60, 1, &shop));
    params.threads = 1;
    params.time_limit_s = 0.05;
    mco_flowshop_result result = solve(shop, params);
    assert_int_equal(result.stop, MCO_STOP_TIME);
    mco_flowshop_result_clear(test_ctx, &result);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Turns with beams

// Without --iterations, beams prove the optimum of small shops with many jobs a machine.
static void test_beams_prove(void **state)
{
    (void)state;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    for (int32_t m = 1; m <= 2; m++)
        for (int32_t n = 4 * m; n <= 8; n++) {
            int32_t order[] = {0, 1, 2, 3, 4, 5, 6, 7};
            mco_flowshop *shop = random_shop(n, m, (uint64_t)(10 * n + m), LARGEST_TIME);
            params.threads = 1 + n % 2;
            mco_flowshop_result result = solve(shop, params);
            assert_int_equal(result.makespan, best_of_rest(shop, order, 0));
            assert_int_equal(result.bound, result.makespan);
            assert_int_equal(result.stop, MCO_STOP_FINISHED);
            mco_flowshop_result_clear(test_ctx, &result);
            mco_flowshop_destroy(test_ctx, &shop);
        }
}

// Stops after more iterations than there are beams.
static int stop_the_greedy(const mco_progress *progress, void *user)
{
    (void)user;
    return progress->work > 200;
}

// Once beams have no memory for the next width, the greedy goes on; only its iterations are counted.
static void test_greedy_after_beams(void **state)
{
    (void)state;
    mco_flowshop *shop = random_shop(84, 21, 3, LARGEST_TIME);
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    params.threads = 1;
    params.iterations = 0;
    mco_flowshop_result first = solve(shop, params);
    params.iterations = -1;
    params.memory = 1;
    mco_context_set_callback(test_ctx, stop_the_greedy, NULL);
    mco_flowshop_result result = solve(shop, params);
    mco_context_set_callback(test_ctx, NULL, NULL);
    assert_int_equal(result.stop, MCO_STOP_CANCELLED);
    assert_true(result.makespan < first.makespan);
    assert_true(result.iterations > 200);
    mco_flowshop_result_clear(test_ctx, &result);
    mco_flowshop_result_clear(test_ctx, &first);
    mco_flowshop_destroy(test_ctx, &shop);
}

typedef struct legs {
    int64_t makespan, width, iterations;
    int32_t order[60];
} legs;

// Ten beams in legs of `leg` beams, which go on where the one before has come.
static legs run_in_legs(const mco_flowshop *shop, int64_t leg)
{
    enum { BEAMS = 10 };
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "makespan"};
    const mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result result = MCO_FLOWSHOP_RESULT_INIT;
    flowshop_run run = {.ctx = test_ctx, .shop = shop, .params = &params, .result = &result, .threads = 1, .upper_bound = INT64_MAX,
                        .fixed_bound = -1, .variant = flowshop_variant_choose(test_ctx, MCO_SIMD_AUTO, shop)};
    flowshop_campaign state;
    mco_stop stop;
    result.makespan = -1;
    run.run = mco_run_begin(test_ctx, &settings);
    assert_ok(flowshop_heuristic(&run, 0, &stop));
    assert_ok(flowshop_campaign_create(test_ctx, mco_flowshop_jobs(shop), &state));
    for (int64_t beams = leg; beams <= BEAMS; beams += leg) {
        assert_ok(flowshop_beam(&run, beams, -1, &state, &stop));
        assert_int_equal(stop, MCO_STOP_ITERATIONS);
        assert_int_equal(state.beams, beams);
    }
    legs found = {.makespan = result.makespan, .width = state.width, .iterations = result.iterations};
    memcpy(found.order, result.order, sizeof found.order);
    flowshop_campaign_destroy(test_ctx, &state);
    mco_run_clear(&run.run);
    mco_flowshop_result_clear(test_ctx, &result);
    return found;
}

// The next turn of beams goes on with the next width.
static void test_beams_go_on(void **state)
{
    (void)state;
    mco_flowshop *shop = random_shop(60, 20, 5, LARGEST_TIME);
    const legs whole = run_in_legs(shop, 10), parts = run_in_legs(shop, 2);
    assert_int_equal(parts.makespan, whole.makespan);
    assert_int_equal(parts.width, whole.width);
    assert_int_equal(parts.iterations, whole.iterations);
    assert_memory_equal(parts.order, whole.order, sizeof whole.order);
    mco_flowshop_destroy(test_ctx, &shop);
}

// A turn ends after its patience, later if a better schedule comes meanwhile.
static void test_turn_ends(void **state)
{
    (void)state;
    const mco_run_settings settings = {.time_limit_s = MCO_NO_LIMIT, .target = -1, .objective = "makespan"};
    flowshop_run run = {.ctx = test_ctx, .run = mco_run_begin(test_ctx, &settings)};
    run.run.begin_s -= 100;  // so much time has passed
    assert_false(flowshop_run_turn_is_over(&run));
    flowshop_run_begin_turn(&run, 0.5);
    assert_false(flowshop_run_turn_is_over(&run));
    run.run.begin_s -= 49;
    assert_false(flowshop_run_turn_is_over(&run));
    assert_ok(mco_run_improve(&run.run, 7, NULL, "test"));
    run.run.begin_s -= 70;
    assert_false(flowshop_run_turn_is_over(&run));
    run.run.begin_s -= 6;
    assert_true(flowshop_run_turn_is_over(&run));
    flowshop_run_end_turns(&run);
    assert_false(flowshop_run_turn_is_over(&run));
    mco_run_clear(&run.run);
}

// ---- What the caller is told

typedef struct told {
    const mco_flowshop *shop;
    double objectives[1000];
    int count, progress;
    double bound;
} told;

// Every incumbent must be a schedule with the makespan told, and better than the one before.
static int listen(const mco_progress *progress, void *user)
{
    told *t = user;
    const mco_flowshop_solution *s = progress->solution;
    t->progress += progress->event == MCO_EVENT_PROGRESS;
    assert_int_equal(s == NULL, isnan(progress->objective));
    if (progress->event != MCO_EVENT_INCUMBENT)
        return 0;
    int64_t makespan;
    assert_non_null(s);
    assert_int_equal(s->jobs, mco_flowshop_jobs(t->shop));
    assert_ok(mco_flowshop_check(test_ctx, t->shop, s->order, s->jobs, &makespan));
    assert_int_equal(makespan, s->makespan);
    assert_true(progress->objective == (double)makespan && progress->bound <= progress->objective);
    assert_true(t->count < COUNT_OF(t->objectives));
    assert_true(t->count == 0 || progress->objective < t->objectives[t->count - 1]);
    t->objectives[t->count++] = progress->objective;
    t->bound = progress->bound;
    return 0;
}

static void test_history_is_what_was_told(void **state)
{
    (void)state;
    mco_flowshop *shop = NULL;
    mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    int64_t bound;
    assert_ok(mco_flowshop_taillard(test_ctx, "ta041", &shop));
    assert_ok(mco_flowshop_lower_bound(test_ctx, shop, MCO_FLOWSHOP_BOUND_LB1, &bound));
    for (params.threads = 1; params.threads <= 2; params.threads++) {
        told t = {.shop = shop};
        params.iterations = 2000;
        mco_context_set_callback(test_ctx, listen, &t);
        mco_flowshop_result result = solve(shop, params);
        mco_context_set_callback(test_ctx, NULL, NULL);
        assert_true(t.count > 1);
        assert_int_equal(result.history_count, t.count);
        for (int i = 0; i < t.count; i++) {
            const mco_improvement *h = &result.history[i];
            assert_true(h->objective == t.objectives[i] && h->bound == (double)bound);
            assert_true(h->time_s >= (i > 0 ? h[-1].time_s : 0) && h->time_s <= result.work.solve_s);
        }
        assert_true(t.bound == (double)bound && result.bound == bound);
        assert_true(t.objectives[t.count - 1] == (double)result.makespan);
        assert_int_equal(result.work.engine, MCO_ENGINE_CPU);
        assert_int_equal(result.work.threads, params.threads);
        assert_int_equal(result.work.gpus, 0);
        assert_int_equal(result.work.simd, flowshop_variant_choose(NULL, MCO_SIMD_AUTO, shop)->build.simd);
        assert_int_equal(result.work.lane_bits, 16);
        // The first incumbent that meets a target ends the search. A target between two makespans is met by the lower
        // one.
        const double last = t.objectives[t.count - 1], before = t.objectives[t.count - 2];
        params.target = before - 0.5;
        mco_flowshop_result met = solve(shop, params);
        assert_int_equal(met.stop, MCO_STOP_TARGET);
        assert_true((double)met.makespan <= params.target && (double)met.makespan >= last);
        mco_flowshop_result_clear(test_ctx, &met);
        params.target = -1;
        mco_flowshop_result_clear(test_ctx, &result);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_kernels), TEST(test_full_lanes), TEST(test_small_optima), TEST(test_determinism),
        TEST(test_scaling), TEST(test_start_is_kept), TEST(test_no_iterations), TEST(test_time_limit_inside_neh),
        TEST(test_beams_prove), TEST(test_greedy_after_beams), TEST(test_beams_go_on), TEST(test_turn_ends),
        TEST(test_history_is_what_was_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
