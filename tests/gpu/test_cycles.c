// SPDX-License-Identifier: MIT
// Chordless cycles on GPUs: counts, lengths and sets against the search on cores and against published counts; tiny stacks,
// pools and lists; limits, through vertices, stops; products; the published algorithm.
#include <string.h>

#include "base/clock.h"
#include "cycles/gpu.h"
#include "cycles/step.h"
#include "gpu/cycles_gpu_support.h"
#include "gpu/gpu_support.h"

static long checks;
static mco_context *ctx;
static int gpu_number;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))

typedef struct trial {
    cycles_block block;
    cycles_tally tally;
    cycles_sink sink;
    mco_cycles_result result;
    mco_run run;
    cycles_job job;
    uint64_t hash;      // sum over the cycles listed
    int64_t bad_rows;   // of a length out of range
    cycles_gpu_stats stats;
} trial;

// A batch may hold a part of the block with numbers of its own; sets are hashed by the graph's numbers.
static bool take(const mco_cycles_batch *batch, void *user)
{
    trial *t = user;
    for (int64_t r = 0; r < batch->count; r++) {
        uint64_t row[CYCLES_STEP_WORDS], set[CYCLES_STEP_WORDS] = {0};
        memcpy(row, batch->rows + r * batch->words, (size_t)batch->words * sizeof *row);
        const int32_t size = cycles_set_size(row, batch->words);
        while (cycles_set_any(row, batch->words)) {
            const int32_t v = batch->vertex[cycles_set_take(row, batch->words)];
            set[v >> 6] |= (uint64_t)1 << (v & 63);
        }
        t->hash += cycles_set_hash(set, (t->block.graph.vertices + 63) / 64);
        t->bad_rows += size < t->job.min_length || size > t->job.max_length;
    }
    return true;
}

static void trial_open(trial *t, test_edges edges, bool lists, double time_limit_s)
{
    const mco_run_settings settings = {.time_limit_s = time_limit_s, .target = -1, .objective = "cycles"};
    *t = (trial){.tally = {.ctx = ctx}, .result = MCO_CYCLES_RESULT_INIT};
    MUST(test_block_make(ctx, &edges, &t->block));
    t->run = mco_run_begin(ctx, &settings);
    t->sink = (cycles_sink){.take = take, .user = t, .left = INT64_MAX};
    t->job = (cycles_job){.ctx = ctx, .run = &t->run, .block = &t->block, .min_length = 4, .max_length = t->block.graph.vertices,
                          .wants_lengths = true, .sink = lists ? &t->sink : NULL, .tally = &t->tally, .threads = 4,
                          .memory_bytes = 1e10, .result = &t->result};
}

static void trial_close(trial *t)
{
    mco_run_clear(&t->run);
    cycles_tally_clear(&t->tally);
    test_block_clear(ctx, &t->block);
}

static int64_t tally_sum(const cycles_tally *tally)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < tally->lengths; k++)
        sum += (int64_t)tally->by_length[(size_t)k * (size_t)tally->limbs];
    return sum;
}

static int64_t tally_of(const cycles_tally *tally, int32_t length)
{
    return length < tally->lengths ? (int64_t)tally->by_length[(size_t)length * (size_t)tally->limbs] : 0;
}

static void expect_equal(const char *what, const trial *seen, const trial *expected)
{
    const int32_t lengths = seen->tally.lengths > expected->tally.lengths ? seen->tally.lengths : expected->tally.lengths;
    checks++;
    GPU_CHECK(tally_sum(&seen->tally) == tally_sum(&expected->tally), "%s: %lld cycles, expected %lld", what,
              (long long)tally_sum(&seen->tally), (long long)tally_sum(&expected->tally));
    for (int32_t k = 0; k < lengths; k++)
        GPU_CHECK(tally_of(&seen->tally, k) == tally_of(&expected->tally, k), "%s: %lld cycles of length %d, expected %lld", what,
                  (long long)tally_of(&seen->tally, k), (int)k, (long long)tally_of(&expected->tally, k));
    if (seen->job.sink != NULL) {
        GPU_CHECK(seen->sink.taken == expected->sink.taken, "%s: %lld listed, expected %lld", what, (long long)seen->sink.taken,
                  (long long)expected->sink.taken);
        GPU_CHECK(seen->hash == expected->hash, "%s: the listed sets differ", what);
        GPU_CHECK(seen->bad_rows == 0, "%s: %lld rows of a wrong length", what, (long long)seen->bad_rows);
    }
}

// ---- Graphs of all widths: 1, 2, 3 and 4 words a row

typedef struct graph_case {
    const char *name;
    int64_t cycles;  // longer than 3, as published; -1: the cores say
} graph_case;

static const graph_case graphs[] = {
    {"grid 2x2", 1},          {"grid 4x10", 1823},     {"grid 5x10", 52620},         {"grid 6x10", 800139},
    {"K 8,8", 784},           {"K 50,50", 1500625},    {"wheel of 100", 1},          {"circle of 100", 1},
    {"circle of 256", 1},     {"K 128,128", 66064384}, {"regular 40, 4", -1},        {"random 60", -1},
    {"regular 150, sparse", -1}, {"regular 250, sparse", -1}, {"no cycle", 0},       {"grid 13x5", -1}};

static test_edges graph_edges_of(int number)
{
    switch (number) {
    case 0: return test_grid(2, 2);
    case 1: return test_grid(4, 10);
    case 2: return test_grid(5, 10);
    case 3: return test_grid(6, 10);
    case 4: return test_bipartite(8, 8);
    case 5: return test_bipartite(50, 50);
    case 6: return test_circle(100, true);
    case 7: return test_circle(100, false);
    case 8: return test_circle(256, false);
    case 9: return test_bipartite(128, 128);
    case 10: return test_regular(40, 4, 1);
    case 11: return test_random(60, 150, 2);
    case 12: return test_chords(150, 24, 3);
    case 13: return test_chords(250, 24, 4);
    case 14: return test_grid(1, 10);
    default: return test_grid(13, 5);
    }
}

static void run_gpu(trial *t, const char *gpus, const cycles_gpu_tuning *tuning)
{
    MUST(cycles_gpu_search(&t->job, gpus, tuning, &t->stats));
}

static void test_graphs(void)
{
    for (int number = 0; number < (int)(sizeof graphs / sizeof *graphs); number++)
        for (int lists = 0; lists < 2; lists++) {
            trial seen, expected;
            if (number == 9 && lists == 1)  // 2 GB through the hash on one core
                continue;
            trial_open(&seen, graph_edges_of(number), lists == 1, MCO_NO_LIMIT);
            trial_open(&expected, graph_edges_of(number), lists == 1, MCO_NO_LIMIT);
            MUST(cycles_search(&expected.job));
            run_gpu(&seen, NULL, NULL);
            expect_equal(graphs[number].name, &seen, &expected);
            GPU_CHECK(graphs[number].cycles < 0 || tally_sum(&seen.tally) == graphs[number].cycles, "%s: %lld, published %lld",
                      graphs[number].name, (long long)tally_sum(&seen.tally), (long long)graphs[number].cycles);
            GPU_CHECK(seen.stats.cycles == tally_sum(&seen.tally), "%s: the devices counted %lld", graphs[number].name,
                      (long long)seen.stats.cycles);
            trial_close(&seen);
            trial_close(&expected);
        }
}

// Large counts, published or agreed by two methods.
static void test_large(void)
{
    const struct {
        int32_t rows;
        int64_t cycles;
    } large[] = {{7, 8136453}, {8, 71535910}, {9, 668179142}};
    for (int k = 0; k < 3; k++)
        for (int run = 0; run < 3; run++) {  // a moving count is a race
            trial t;
            trial_open(&t, test_grid(large[k].rows, 10), false, MCO_NO_LIMIT);
            t.job.wants_lengths = run == 0;
            run_gpu(&t, NULL, NULL);
            checks++;
            GPU_CHECK(tally_sum(&t.tally) == large[k].cycles, "grid %dx10: %lld cycles, expected %lld", (int)large[k].rows,
                      (long long)tally_sum(&t.tally), (long long)large[k].cycles);
            trial_close(&t);
        }
}

// ---- Tiny stacks, pools, lists and slices

static void test_tunings(void)
{
    const cycles_gpu_tuning tunings[] = {
        {.stack = 64},
        {.prefixes = 1},
        {.stack = 64, .prefixes = 1, .rounds = 1},
        {.stack = 64, .prefixes = 1, .pool = 4096, .rounds = 3},
        {.pool = 4096, .prefixes = 100},
        {.slice_s = 1e-6},
        {.slice_s = 2e-5, .stack = 64, .pool = 4096, .prefixes = 1},
        {.rows = 1},
        {.rows = 200000, .prefixes = 1},
        {.rows = 5000000, .slice_s = 1e-4},
        {.prefixes = INT64_C(1) << 40}};
    const int numbers[] = {3, 5, 12, 13, 15};
    int64_t spilled = 0, dumped = 0;
    for (int n = 0; n < (int)(sizeof numbers / sizeof *numbers); n++) {
        trial expected;
        trial_open(&expected, graph_edges_of(numbers[n]), true, MCO_NO_LIMIT);
        MUST(cycles_search(&expected.job));
        for (int k = 0; k < (int)(sizeof tunings / sizeof *tunings); k++)
            for (int lists = 0; lists < 2; lists++) {
                trial seen;
                char what[64];
                snprintf(what, sizeof what, "%s, tuning %d, %s", graphs[numbers[n]].name, k, lists == 1 ? "list" : "count");
                trial_open(&seen, graph_edges_of(numbers[n]), lists == 1, MCO_NO_LIMIT);
                run_gpu(&seen, NULL, &tunings[k]);
                expect_equal(what, &seen, &expected);
                spilled += seen.stats.spilled;
                dumped += seen.stats.dumped;
                trial_close(&seen);
            }
        trial_close(&expected);
    }
    trial t;
    trial_open(&t, test_grid(7, 10), false, MCO_NO_LIMIT);
    run_gpu(&t, NULL, &tunings[2]);
    GPU_CHECK(tally_sum(&t.tally) == 8136453, "grid 7x10 with tiny stacks: %lld", (long long)tally_sum(&t.tally));
    spilled += t.stats.spilled;
    trial_close(&t);
    GPU_CHECK(spilled > 0, "no stack was ever full, so spills are untested");
    GPU_CHECK(dumped > 0, "no warp ever put work back, so that is untested");
    printf("tunings: %lld nodes spilled, %lld put back\n", (long long)spilled, (long long)dumped);
    checks += 3;
}

// ---- Which cycles

static void test_rules(void)
{
    static const int32_t through[] = {0, 17, 42, 8};
    const int numbers[] = {2, 10, 11, 12, 13, 15};
    for (int n = 0; n < (int)(sizeof numbers / sizeof *numbers); n++)
        for (int k = 0; k < 9; k++) {
            trial seen, expected;
            trial *const both[] = {&seen, &expected};
            for (int b = 0; b < 2; b++) {
                trial_open(both[b], graph_edges_of(numbers[n]), true, MCO_NO_LIMIT);
                const int32_t vertices = both[b]->block.graph.vertices;
                both[b]->job.through = through + k % 2;
                both[b]->job.through_count = vertices > 42 ? k / 2 % 4 : k / 2 % 2;
                both[b]->job.min_length = k % 3 == 1 ? 6 : 4;
                both[b]->job.max_length = k % 3 == 2 ? (vertices < 13 ? vertices : 13) : vertices;
                both[b]->job.wants_lengths = k != 8;
            }
            if (numbers[n] == 10)  // 40 vertices
                seen.job.through_count = expected.job.through_count = k / 2 % 2;
            MUST(cycles_search(&expected.job));
            run_gpu(&seen, NULL, NULL);
            // Without lengths the tallies may stand under different lengths.
            GPU_CHECK(tally_sum(&seen.tally) == tally_sum(&expected.tally), "%s, rules %d: %lld, expected %lld",
                      graphs[numbers[n]].name, k, (long long)tally_sum(&seen.tally), (long long)tally_sum(&expected.tally));
            if (k != 8)
                expect_equal(graphs[numbers[n]].name, &seen, &expected);
            GPU_CHECK(seen.hash == expected.hash, "%s, rules %d: the sets differ", graphs[numbers[n]].name, k);
            checks++;
            trial_close(&seen);
            trial_close(&expected);
        }
}

// ---- Ends

static bool take_one(const mco_cycles_batch *batch, void *user)
{
    (void)batch;
    ++*(int64_t *)user;
    return false;
}

static void test_stops(void)
{
    const int64_t wanted[] = {1, 1000, 1500};
    trial t;
    for (int k = 0; k < 3; k++) {
        trial_open(&t, test_grid(6, 10), true, MCO_NO_LIMIT);
        t.sink.left = wanted[k];
        run_gpu(&t, NULL, NULL);
        GPU_CHECK(t.sink.taken == wanted[k] && t.sink.is_closed, "%lld taken, expected %lld", (long long)t.sink.taken, (long long)wanted[k]);
        GPU_CHECK(tally_sum(&t.tally) == wanted[k], "%lld tallied, expected %lld", (long long)tally_sum(&t.tally), (long long)wanted[k]);
        trial_close(&t);
        checks++;
    }
    int64_t calls = 0;
    trial_open(&t, test_grid(6, 10), true, MCO_NO_LIMIT);
    t.sink.take = take_one;
    t.sink.user = &calls;
    run_gpu(&t, NULL, NULL);
    GPU_CHECK(calls == 1, "a sink that says stop was called %lld times", (long long)calls);
    trial_close(&t);
    for (int lists = 0; lists < 2; lists++) {  // 12x12 has 4e14 cycles
        trial_open(&t, test_grid(12, 12), lists == 1, 1);
        const double begin_s = mco_clock_s();
        run_gpu(&t, NULL, NULL);
        const double seconds = mco_clock_s() - begin_s;
        GPU_CHECK(seconds < 1.5, "a time limit of 1 s ended after %.2f s", seconds);
        GPU_CHECK(tally_sum(&t.tally) > 0 && t.run.stop == MCO_STOP_TIME, "%lld cycles until the time limit, stop %d",
                  (long long)tally_sum(&t.tally), (int)t.run.stop);
        GPU_CHECK(lists == 0 || tally_sum(&t.tally) == t.sink.taken, "%lld tallied, %lld listed", (long long)tally_sum(&t.tally),
                  (long long)t.sink.taken);
        printf("time limit of 1 s, %s: %.3f s\n", lists == 1 ? "list" : "count", seconds);
        trial_close(&t);
        checks += 2;
    }
}

static void test_refusals(void)
{
    trial t;
    trial_open(&t, test_circle(257, false), false, MCO_NO_LIMIT);
    GPU_CHECK(cycles_gpu_search(&t.job, NULL, NULL, NULL) == MCO_ERR_LIMIT, "257 vertices are taken");
    GPU_CHECK(strstr(mco_context_error(ctx), "257") != NULL && strstr(mco_context_error(ctx), "256") != NULL, "message: %s",
              mco_context_error(ctx));
    GPU_CHECK(cycles_gpu_labels(&t.job, NULL, NULL, NULL) == MCO_ERR_LIMIT && tally_sum(&t.tally) == 0, "257 vertices are taken");
    t.job.is_directed = true;
    GPU_CHECK(cycles_gpu_search(&t.job, NULL, NULL, NULL) == MCO_ERR_ARGUMENT, "directed cycles are taken");
    trial_close(&t);
    trial_open(&t, test_grid(3, 3), false, MCO_NO_LIMIT);
    GPU_CHECK(cycles_gpu_search(&t.job, "63", NULL, NULL) == MCO_ERR_DEVICE, "GPU 63 is taken");
    checks += 5;
    trial_close(&t);
}

// ---- Products

// Lists of random rows, and the hash of all their products.
static cycles_factors make_factors(int32_t vertices, int64_t segments, uint64_t seed, uint64_t *hash)
{
    const int32_t words = (vertices + 63) / 64;
    const uint64_t last_word = UINT64_MAX >> (64 * words - vertices);
    cycles_factors f = {.words = words, .segments = segments};
    f.segment = calloc((size_t)segments + 1, sizeof *f.segment);
    for (int64_t s = 0; s < segments; s++) {
        const int64_t left = (int64_t)(mco_splitmix64(&seed) % 40), right = (int64_t)(mco_splitmix64(&seed) % 3000);
        f.segment[s] = (cycles_segment){f.left_count, s % 7 == 3 ? 0 : left, f.right_count, right};
        f.left_count += f.segment[s].left_count;
        f.right_count += right;
        f.cycles += f.segment[s].left_count * right;
    }
    f.single_count = (int64_t)(seed % 5000);
    f.cycles += f.single_count;
    uint64_t **const lists[] = {&f.left, &f.right, &f.single};
    const int64_t counts[] = {f.left_count, f.right_count, f.single_count};
    for (int k = 0; k < 3; k++) {
        *lists[k] = malloc((size_t)(counts[k] * words + 1) * sizeof(uint64_t));
        for (int64_t i = 0; i < counts[k] * words; i++)
            (*lists[k])[i] = mco_splitmix64(&seed) & (i % words == words - 1 ? last_word : UINT64_MAX);
    }
    *hash = 0;
    for (int64_t i = 0; i < f.single_count; i++)
        *hash += cycles_set_hash(f.single + i * words, words);
    for (int64_t s = 0; s < segments; s++)
        for (int64_t l = 0; l < f.segment[s].left_count; l++)
            for (int64_t r = 0; r < f.segment[s].right_count; r++) {
                uint64_t row[CYCLES_STEP_WORDS];
                for (int32_t w = 0; w < words; w++)
                    row[w] = f.left[(f.segment[s].left + l) * words + w] | f.right[(f.segment[s].right + r) * words + w];
                *hash += cycles_set_hash(row, words);
            }
    return f;
}

static void test_products(const char *gpus)
{
    const int32_t vertices[] = {40, 100, 150, 250};
    const cycles_gpu_tuning tunings[] = {{0}, {.rows = 1}, {.rows = 100000}};
    for (int32_t words = 1; words <= CYCLES_STEP_WORDS; words++)
        for (int k = 0; k < 9; k++) {
            trial t;
            uint64_t hash;
            cycles_factors f = make_factors(vertices[words - 1], k < 3 ? 0 : 1 + 20 * (k % 3), (uint64_t)(words + 10 * k), &hash);
            trial_open(&t, test_circle(vertices[words - 1], false), true, MCO_NO_LIMIT);
            MUST(cycles_gpu_product(&t.job, &f, gpus, &tunings[k % 3], &t.stats));
            GPU_CHECK(t.sink.taken == f.cycles && t.stats.rows == f.cycles, "%lld products, expected %lld", (long long)t.sink.taken,
                      (long long)f.cycles);
            GPU_CHECK(t.hash == hash, "%d words, case %d: the products differ", (int)words, k);
            t.job.sink = NULL;
            MUST(cycles_gpu_product(&t.job, &f, gpus, &tunings[k % 3], &t.stats));
            GPU_CHECK(t.stats.cycles == f.cycles, "%lld products in device memory", (long long)t.stats.cycles);
            checks += 2;
            trial_close(&t);
            free(f.segment);
            free(f.left);
            free(f.right);
            free(f.single);
        }
}

// ---- The published algorithm

static void test_labels(void)
{
    const int numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 14, 15};
    const int64_t pools[] = {0, 2000000, 50000};
    for (int n = 0; n < (int)(sizeof numbers / sizeof *numbers); n++) {
        trial expected;
        trial_open(&expected, graph_edges_of(numbers[n]), true, MCO_NO_LIMIT);
        MUST(cycles_search(&expected.job));
        for (int k = 0; k < 3; k++) {
            trial seen;
            const cycles_gpu_tuning tuning = {.pool = pools[k], .makes_lists = k == 1, .rows = 1000};
            trial_open(&seen, graph_edges_of(numbers[n]), false, MCO_NO_LIMIT);
            const mco_status st = cycles_gpu_labels(&seen.job, NULL, &tuning, &seen.stats);
            if (st == MCO_ERR_LIMIT && k == 2) {  // K 50,50 and others with too many triplets
                trial_close(&seen);
                continue;
            }
            MUST(st);
            expect_equal(graphs[numbers[n]].name, &seen, &expected);
            GPU_CHECK(seen.stats.hash == expected.hash, "%s: the published algorithm finds other sets", graphs[numbers[n]].name);
            trial_close(&seen);
        }
        trial_close(&expected);
    }
    trial t;
    const cycles_gpu_tuning tiny = {.pool = 10};
    trial_open(&t, test_grid(6, 10), false, MCO_NO_LIMIT);
    GPU_CHECK(cycles_gpu_labels(&t.job, NULL, &tiny, NULL) == MCO_ERR_LIMIT, "a table of 10 paths is enough");
    t.job.sink = &t.sink;
    GPU_CHECK(cycles_gpu_labels(&t.job, NULL, NULL, NULL) == MCO_ERR_ARGUMENT, "the published algorithm lists");
    trial_close(&t);
    checks += 2;
}

// ---- Several GPUs

static void test_several(void)
{
    const int numbers[] = {3, 5, 12};
    if (gpu_number < 2) {
        printf("one GPU: the tests of several are left out\n");
        return;
    }
    test_products("all");
    for (int n = 0; n < 3; n++)
        for (int lists = 0; lists < 2; lists++) {
            trial seen, expected;
            trial_open(&seen, graph_edges_of(numbers[n]), lists == 1, MCO_NO_LIMIT);
            trial_open(&expected, graph_edges_of(numbers[n]), lists == 1, MCO_NO_LIMIT);
            MUST(cycles_search(&expected.job));
            run_gpu(&seen, "all", NULL);
            expect_equal("all GPUs", &seen, &expected);
            trial_close(&seen);
            trial_close(&expected);
        }
    trial t;
    trial_open(&t, test_grid(9, 10), false, MCO_NO_LIMIT);
    run_gpu(&t, "all", NULL);
    GPU_CHECK(tally_sum(&t.tally) == 668179142, "grid 9x10 on all GPUs: %lld", (long long)tally_sum(&t.tally));
    trial_close(&t);
    checks++;
}

int main(void)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    const char *reason;
    ctx = gpu_begin();
    MUST(mco_gpus_list(ctx, gpus, &gpu_number, &reason));
    test_graphs();
    test_large();
    test_tunings();
    test_rules();
    test_stops();
    test_refusals();
    test_products(NULL);
    test_labels();
    test_several();
    mco_context_destroy(&ctx);
    return gpu_summary("cycles", checks);
}
