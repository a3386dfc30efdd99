// SPDX-License-Identifier: MIT
// Chordless cycles through the public face: every method against all sets of vertices of small graphs, published counts, lists
// in every format and their check, limits and requests, refusals, failing memory.
#include "graph_support.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/clock.h"
#include "cycles/distinct.h"
#include "cycles/solve.h"
#include "mco/mco.h"

static const mco_cycles_method methods[] = {MCO_CYCLES_METHOD_AUTO, MCO_CYCLES_METHOD_FRONTIER, MCO_CYCLES_METHOD_SEARCH,
                                            MCO_CYCLES_METHOD_LABELS};

static mco_cycles_params params_of(mco_cycles_method method)
{
    mco_cycles_params p = MCO_CYCLES_PARAMS_INIT;
    p.method = method;
    p.threads = 2;
    return p;
}

static void assert_counts(const mco_graph *graph, const mco_cycles_params *p, int64_t cycles, int64_t triangles)
{
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    assert_ok(mco_cycles_count(test_ctx, graph, p, &r));
    assert_int_equal(r.cycles, cycles);
    assert_int_equal(r.triangles, triangles);
    assert_int_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_int_equal(r.stop, MCO_STOP_FINISHED);
    assert_true(r.limbs >= 1 && r.exact[0] == (uint64_t)cycles);
    mco_cycles_result_clear(test_ctx, &r);
    assert_null(r.exact);
}

// ---- Every cycle of small graphs

typedef struct collected {
    const mco_graph *graph;
    bool is_directed;
    uint32_t *sets;  // [count]
    int64_t count, room;
} collected;

static bool collect(const mco_cycles_batch *batch, void *user)
{
    collected *c = user;
    int32_t order[TEST_GRAPH_MOST];
    for (int64_t k = 0; k < batch->count; k++) {
        uint32_t set = 0;
        for (int32_t b = 0; b < batch->vertices; b++)
            if ((batch->rows[k * batch->words + b / 64] >> b % 64 & 1) != 0)
                set |= UINT32_C(1) << batch->vertex[b];
        assert_int_equal(mco_cycles_order(c->graph, batch, k, c->is_directed, order), __builtin_popcount(set));
        if (c->count == c->room) {
            c->room = c->room > 0 ? 2 * c->room : 16;
            c->sets = realloc(c->sets, (size_t)c->room * sizeof *c->sets);
            assert_non_null(c->sets);
        }
        c->sets[c->count++] = set;
    }
    return true;
}

static int compare_sets(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void assert_lists(const mco_graph *graph, const mco_cycles_params *p, const uint32_t *sets, int64_t count)
{
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    collected c = {.graph = graph, .is_directed = p->directed != 0};
    assert_ok(mco_cycles_list(test_ctx, graph, p, collect, &c, &r));
    assert_int_equal(c.count, count);
    if (count > 0) {
        qsort(c.sets, (size_t)count, sizeof *c.sets, compare_sets);
        assert_memory_equal(c.sets, sets, (size_t)count * sizeof *sets);
    }
    mco_cycles_result_clear(test_ctx, &r);
    free(c.sets);
}

// Counts and lists by every method that takes the graph.
static void try_graph(const mco_graph *graph, bool is_directed)
{
    uint32_t *sets;
    const int64_t count = test_brute_cycles(graph, is_directed, 3, &sets);
    int64_t triangles = 0;
    for (int64_t k = 0; k < count; k++)
        triangles += __builtin_popcount(sets[k]) == 3;
    for (int m = 0; m < COUNT_OF(methods); m++) {
        mco_cycles_params p = params_of(methods[m]);
        p.directed = is_directed;
        if (is_directed && methods[m] != MCO_CYCLES_METHOD_AUTO && methods[m] != MCO_CYCLES_METHOD_SEARCH)
            continue;
        assert_counts(graph, &p, count - triangles, triangles);
        assert_lists(graph, &p, sets, count);
    }
    free(sets);
}

static void test_small_graphs(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 5; n++)
        for (uint64_t mask = 0; mask < UINT64_C(1) << test_graph_pairs(n); mask += n < 5 ? 1 : 7) {
            mco_graph *graph = test_graph_from_mask(n, mask, 0, false);
            try_graph(graph, false);
            mco_graph_destroy(test_ctx, &graph);
        }
}

static void test_random_graphs(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 10 : 60); k++) {
        const int32_t n = 4 + (int32_t)mco_rng_below(&rng, 10);
        const bool is_directed = k % 3 == 0;
        mco_graph *graph = test_graph_random(&rng, n, (int32_t)mco_rng_below(&rng, (uint32_t)(3 * n)), is_directed);
        try_graph(graph, false);
        if (is_directed)
            try_graph(graph, true);
        mco_graph_destroy(test_ctx, &graph);
    }
}

// ---- Published and known counts

static void test_known_counts(void **state)
{
    (void)state;
    static const struct {
        mco_graph_family family;
        int64_t a, b, cycles, triangles;
    } known[] = {
        {MCO_GRAPH_GRID, 1, 1, 0, 0},        {MCO_GRAPH_GRID, 2, 2, 1, 0},          {MCO_GRAPH_GRID, 4, 10, 1823, 0},
        {MCO_GRAPH_GRID, 5, 10, 52620, 0},   {MCO_GRAPH_CYCLE, 100, 0, 1, 0},       {MCO_GRAPH_WHEEL, 100, 0, 1, 100},
        {MCO_GRAPH_WHEEL, 3, 0, 0, 4},       {MCO_GRAPH_COMPLETE, 20, 0, 0, 1140},  {MCO_GRAPH_COMPLETE_BIPARTITE, 8, 8, 784, 0},
        {MCO_GRAPH_CYCLE, 3, 0, 0, 1},
    };
    for (int k = 0; k < COUNT_OF(known); k++) {
        mco_graph *graph = test_graph_generate(known[k].family, known[k].a, known[k].b, 0, 1);
        for (int m = 0; m < COUNT_OF(methods); m++) {
            const mco_cycles_params p = params_of(methods[m]);
            assert_counts(graph, &p, known[k].cycles, known[k].triangles);
        }
        mco_graph_destroy(test_ctx, &graph);
    }
}

// ---- Requests

static void test_lengths(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 4, 5, 0, 1);
    mco_cycles_result all = MCO_CYCLES_RESULT_INIT, some = MCO_CYCLES_RESULT_INIT;
    for (int m = 0; m < COUNT_OF(methods); m++) {
        mco_cycles_params p = params_of(methods[m]);
        assert_ok(mco_cycles_count(test_ctx, graph, &p, &all));
        assert_int_equal(all.by_length[(size_t)4 * (size_t)all.limbs], 12);
        uint64_t sum = 0;
        for (int32_t k = 0; k <= all.longest; k++)
            sum += all.by_length[(size_t)k * (size_t)all.limbs];
        assert_int_equal(sum, all.cycles);
        p.min_length = 6;
        p.max_length = 10;
        assert_ok(mco_cycles_count(test_ctx, graph, &p, &some));
        uint64_t between = 0;
        for (int32_t k = 6; k <= 10; k++)
            between += all.by_length[(size_t)k * (size_t)all.limbs];
        assert_int_equal(some.cycles, between);
        assert_true(some.longest <= 10);
        p.by_length = MCO_CYCLES_BY_LENGTH_OFF;
        mco_cycles_result_clear(test_ctx, &some);
        assert_ok(mco_cycles_count(test_ctx, graph, &p, &some));
        assert_int_equal(some.cycles, between);
        assert_null(some.by_length);
        mco_cycles_result_clear(test_ctx, &all);
        mco_cycles_result_clear(test_ctx, &some);
    }
    mco_graph_destroy(test_ctx, &graph);
}

// Cycles through two vertices, of all that there are.
static void test_through(void **state)
{
    (void)state;
    static const int32_t through[] = {7, 1, 7};
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 3, 5, 0, 1);
    uint32_t *sets;
    const int64_t count = test_brute_cycles(graph, false, 4, &sets);
    int64_t wanted = 0;
    for (int64_t k = 0; k < count; k++)
        wanted += (sets[k] >> 7 & 1) != 0 && (sets[k] >> 1 & 1) != 0;
    for (int m = 0; m < COUNT_OF(methods); m++) {
        mco_cycles_params p = params_of(methods[m]);
        p.through = through;
        p.through_count = COUNT_OF(through);
        assert_counts(graph, &p, wanted, 0);
    }
    free(sets);
    mco_graph_destroy(test_ctx, &graph);
}

static bool take_few(const mco_cycles_batch *batch, void *user)
{
    *(int64_t *)user += batch->count;
    return false;
}

static void test_limit_and_stop(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 4, 10, 0, 1);
    for (int m = 0; m < COUNT_OF(methods); m++) {
        mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
        mco_cycles_params p = params_of(methods[m]);
        int64_t taken = 0;
        p.limit = 10;
        assert_ok(mco_cycles_write_list(test_ctx, graph, &p, MCO_CYCLES_FORMAT_TEXT, test_path("ten"), &r));
        assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
        assert_int_equal(r.stop, MCO_STOP_TARGET);
        assert_int_equal(r.cycles, 10);
        mco_cycles_result_clear(test_ctx, &r);
        char *text = test_content(test_path("ten"));
        int lines = 0;
        for (const char *c = text; *c != '\0'; c++)
            lines += *c == '\n';
        free(text);
        assert_int_equal(lines, 10);
        p.limit = 0;
        assert_ok(mco_cycles_list(test_ctx, graph, &p, take_few, &taken, &r));
        assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
        assert_int_equal(r.stop, MCO_STOP_CANCELLED);
        assert_true(taken > 0);
        mco_cycles_result_clear(test_ctx, &r);
    }
    mco_graph_destroy(test_ctx, &graph);
}

// A frontier that does not fit a memory of one MiB: auto leaves the block to the search and says so.
static void test_fallback(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_REGULAR, 60, 3, 0, 4);
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    mco_cycles_params p = params_of(MCO_CYCLES_METHOD_SEARCH);
    assert_ok(mco_cycles_count(test_ctx, graph, &p, &r));
    const int64_t cycles = r.cycles;
    mco_cycles_result_clear(test_ctx, &r);
    p.method = MCO_CYCLES_METHOD_AUTO;
    p.memory = 1;
    assert_ok(mco_cycles_count(test_ctx, graph, &p, &r));
    assert_int_equal(r.cycles, cycles);
    assert_int_equal(r.method, MCO_CYCLES_METHOD_SEARCH);
    assert_memory_equal(r.reason, "search: ", 8);
    mco_cycles_result_clear(test_ctx, &r);
    p.method = MCO_CYCLES_METHOD_FRONTIER;
    assert_int_equal(mco_cycles_count(test_ctx, graph, &p, &r), MCO_ERR_LIMIT);
    mco_graph_destroy(test_ctx, &graph);
}

// Products that do not fit the memory: the search lists the block, which counts once.
static void test_factored_fallback(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 6, 12, 0, 1);
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
    int64_t count = -1;
    p.max_length = 8;
    assert_ok(mco_cycles_count(test_ctx, graph, &p, &r));
    const int64_t cycles = r.cycles;
    mco_cycles_result_clear(test_ctx, &r);
    p.memory = 1;
    assert_ok(mco_cycles_write_list(test_ctx, graph, &p, MCO_CYCLES_FORMAT_FACTORED, test_path("f"), &r));
    assert_int_equal(r.method, MCO_CYCLES_METHOD_SEARCH);
    assert_memory_equal(r.reason, "search: the frontier did not fit", 32);
    assert_int_equal(r.cycles, cycles);
    assert_ok(mco_cycles_check(test_ctx, graph, false, test_path("f"), &count));
    assert_int_equal(count, cycles);
    mco_cycles_result_clear(test_ctx, &r);
    mco_graph_destroy(test_ctx, &graph);
}

// An order of the frontier is not improved beyond the time limit, and blocks are not made after it.
static void test_time_limit(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_ROAD, 18, 3000, 0.2, 1);
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
    p.time_limit_s = 0.2;
    const double begin_s = mco_cpu_clock_s();
    assert_ok(mco_cycles_count(test_ctx, graph, &p, &r));
    assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_true(mco_cpu_clock_s() - begin_s < 5);
    mco_cycles_result_clear(test_ctx, &r);
    p.time_limit_s = 1e-9;
    assert_ok(mco_cycles_count(test_ctx, graph, &p, &r));
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_int_equal(r.blocks, 0);
    assert_memory_equal(r.reason, "it was stopped", 14);
    mco_cycles_result_clear(test_ctx, &r);
    mco_graph_destroy(test_ctx, &graph);
}

// ---- Lists in files

static const mco_cycles_format formats[] = {MCO_CYCLES_FORMAT_TEXT, MCO_CYCLES_FORMAT_JSONL, MCO_CYCLES_FORMAT_BITS,
                                            MCO_CYCLES_FORMAT_FACTORED};

static void try_file(const mco_graph *graph, const mco_cycles_params *p, mco_cycles_format format, const char *name)
{
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    int64_t count = -1, runs = 0;
    assert_ok(mco_cycles_write_list(test_ctx, graph, p, format, test_path(name), &r));
    assert_ok(mco_cycles_check(test_ctx, graph, p->directed != 0, test_path(name), &count));
    assert_int_equal(count, r.cycles + r.triangles);
    assert_ok(cycles_check_within(test_ctx, graph, p->directed != 0, test_path(name), 1, &count, &runs));
    assert_int_equal(count, r.cycles + r.triangles);
    assert_true(count < 1000 || runs > 0);
    mco_cycles_result_clear(test_ctx, &r);
}

static void test_files(void **state)
{
    (void)state;
    mco_graph *graphs[] = {test_graph_generate(MCO_GRAPH_GRID, 4, 10, 0, 1), test_graph_generate(MCO_GRAPH_WHEEL, 9, 0, 0, 1),
                           test_graph_generate(MCO_GRAPH_CYCLE, 5, 0, 0, 1), test_graph_generate(MCO_GRAPH_CYCLE, 300, 0, 0, 1),
                           test_graph_generate(MCO_GRAPH_COMPLETE, 12, 0, 0, 1), test_graph_generate(MCO_GRAPH_ROAD, 9, 9, 0.4, 1),
                           test_graph_generate(MCO_GRAPH_GRID, 2, 70, 0, 1)};
    for (int g = 0; g < COUNT_OF(graphs); g++) {
        for (int f = 0; f < COUNT_OF(formats); f++) {
            const mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
            try_file(graphs[g], &p, formats[f], "list");
#ifdef MCO_HAVE_ZLIB
            try_file(graphs[g], &p, formats[f], "list.gz");
#endif
        }
        mco_graph_destroy(test_ctx, &graphs[g]);
    }
}

static void test_directed_files(void **state)
{
    (void)state;
    static const int32_t from[] = {0, 1, 2, 3, 1, 4, 5, 0}, to[] = {1, 2, 3, 0, 4, 5, 1, 3};
    const mco_graph_edges edges = {.vertices = 6, .edges = COUNT_OF(from), .from = from, .to = to, .is_directed = true};
    mco_graph *graph = NULL;
    mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
    int64_t count;
    p.directed = 1;
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    for (int f = 0; f < COUNT_OF(formats); f++)
        try_file(graph, &p, formats[f], "directed");
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    assert_ok(mco_cycles_write_list(test_ctx, graph, &p, MCO_CYCLES_FORMAT_TEXT, test_path("d"), &r));
    assert_content(test_path("d"), "2 5 6\n");
    assert_int_equal(r.digons, 1);
    mco_cycles_result_clear(test_ctx, &r);
    assert_int_equal(mco_cycles_check(test_ctx, graph, true, test_file("w", "2 6 5\n"), &count), MCO_ERR_CHECK);
    mco_graph_destroy(test_ctx, &graph);
}

// A vertex of many blocks, whose row is far longer than a block: squares 0, 3k + 1, 3k + 2, 3k + 3, the first with a chord.
static void test_hub(void **state)
{
    enum { SQUARES = 100 };
    (void)state;
    int32_t from[4 * SQUARES + 1], to[4 * SQUARES + 1];
    for (int32_t k = 0; k < SQUARES; k++)
        for (int32_t i = 0; i < 4; i++) {
            from[4 * k + i] = i > 0 ? 3 * k + i : 0;
            to[4 * k + i] = i < 3 ? 3 * k + i + 1 : 0;
        }
    from[4 * SQUARES] = 0;
    to[4 * SQUARES] = 2;
    const mco_graph_edges edges = {.vertices = 3 * SQUARES + 1, .edges = COUNT_OF(from), .from = from, .to = to};
    const mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
    mco_graph *graph = NULL;
    int64_t count = 0;
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    assert_counts(graph, &p, SQUARES - 1, 2);
    for (int f = 0; f < COUNT_OF(formats); f++)
        try_file(graph, &p, formats[f], "hub");
    assert_ok(mco_cycles_check(test_ctx, graph, false, test_file("h", "5 6 7 1\n"), &count));
    assert_int_equal(mco_cycles_check(test_ctx, graph, false, test_file("h", "1 2 3 4\n"), &count), MCO_ERR_CHECK);
    assert_non_null(strstr(mco_context_error(test_ctx), "vertices 1 and 3 are joined by a chord"));
    assert_int_equal(mco_cycles_check(test_ctx, graph, false, test_file("h", "1 6 9\n"), &count), MCO_ERR_CHECK);
    assert_non_null(strstr(mco_context_error(test_ctx), "vertices 1 and 6 follow each other and are not joined"));
    mco_graph_destroy(test_ctx, &graph);
}

static void test_text(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 2, 3, 0, 1);
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    mco_cycles_params p = params_of(MCO_CYCLES_METHOD_SEARCH);
    p.min_length = 6;
    assert_ok(mco_cycles_write_list(test_ctx, graph, &p, MCO_CYCLES_FORMAT_TEXT, test_path("t"), &r));
    assert_content(test_path("t"), "");
    p.min_length = 3;
    p.max_length = 4;
    mco_cycles_result_clear(test_ctx, &r);
    assert_ok(mco_cycles_write_list(test_ctx, graph, &p, MCO_CYCLES_FORMAT_JSONL, test_path("t"), &r));
    char *text = test_content(test_path("t"));
    assert_non_null(strstr(text, "{\"length\":4,\"vertices\":[1,2,5,4]}\n"));
    assert_non_null(strstr(text, "{\"length\":4,\"vertices\":[2,3,6,5]}\n"));
    assert_int_equal(strlen(text), 2 * strlen("{\"length\":4,\"vertices\":[1,2,5,4]}\n"));
    free(text);
    mco_cycles_result_clear(test_ctx, &r);
    mco_graph_destroy(test_ctx, &graph);
}

// Lists with a fault each.
static void test_wrong_lists(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
        mco_status status;
    } wrong[] = {
        {"1 2 5 4\n1 2 3 6 5 4\n", "w:2: vertices 2 and 5 are joined by a chord", MCO_ERR_CHECK},
        {"1 2 5 4\n\n# a comment\n4 1 2 5\n", "w:4: cycle 2 has the vertices of cycle 1", MCO_ERR_CHECK},
        {"1 5 2 4\n", "w:1: vertices 1 and 2 are joined by a chord", MCO_ERR_CHECK},
        {"1 2 3 6\n", "w:1: vertices 6 and 1 follow each other and are not joined", MCO_ERR_CHECK},
        {"1 2 1 4\n", "w:1: vertex 1 stands twice in the cycle", MCO_ERR_CHECK},
        {"1 2\n", "w:1: the cycle has 2 vertices, 3 or more were expected", MCO_ERR_CHECK},
        {"1 2 5 7\n", "w:1:7: the graph has no vertex \"7\"", MCO_ERR_PARSE},
        {"1 2 5 0\n", "w:1:7: the graph has no vertex \"0\"", MCO_ERR_PARSE},
        {"1 2 5 x\n", "w:1:7: the graph has no vertex \"x\"", MCO_ERR_PARSE},
        {"{\"length\":3,\"vertices\":[1,2,5,4]}\n", "w:1: length is 3, and the line has 4 vertices", MCO_ERR_CHECK},
        {"{\"vertices\":[1,2,\"5\",9]}\n", "w:1:22: the graph has no vertex \"9\"", MCO_ERR_PARSE},
    };
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 2, 3, 0, 1);
    int64_t count;
    for (int k = 0; k < COUNT_OF(wrong); k++) {
        const mco_status st = mco_cycles_check(test_ctx, graph, false, test_file("w", wrong[k].text), &count);
        if (st != wrong[k].status || strstr(mco_context_error(test_ctx), wrong[k].message) == NULL)
            fail_msg("\"%s\": %s, %s", wrong[k].text, mco_status_text(st), mco_context_error(test_ctx));
    }
    mco_graph_destroy(test_ctx, &graph);
}

// Every cut of a binary list and every changed byte: no crash, and a cut is never taken for the whole.
static void test_damaged_lists(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_WHEEL, 8, 0, 0, 1);
    const mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
    for (int f = 2; f < COUNT_OF(formats); f++) {
        mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
        int64_t count;
        unsigned char bytes[4096];
        assert_ok(mco_cycles_write_list(test_ctx, graph, &p, formats[f], test_path("b"), &r));
        mco_cycles_result_clear(test_ctx, &r);
        FILE *file = fopen(test_path("b"), "rb");
        assert_non_null(file);
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_true(size > 100 && size < sizeof bytes);
        for (size_t cut = 0; cut < size; cut++)
            if (mco_cycles_check(test_ctx, graph, false, test_file_bytes("c", bytes, cut), &count) == MCO_OK)
                assert_true(cut == 0);  // an empty text
        for (size_t k = 0; k < size; k++) {
            bytes[k] ^= 0x81;
            const mco_status st = mco_cycles_check(test_ctx, graph, false, test_file_bytes("c", bytes, size), &count);
            assert_true(st == MCO_OK || st == MCO_ERR_PARSE || st == MCO_ERR_CHECK || st == MCO_ERR_MEMORY);
            bytes[k] ^= 0x81;
        }
    }
    mco_graph_destroy(test_ctx, &graph);
}

// A reader that has gone ends the list without an error; a full disk is one.
static void test_closed_pipe_and_full_disk(void **state)
{
    (void)state;
    int ends[2];
    char path[64];
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 5, 10, 0, 1);
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    const mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
    assert_int_equal(pipe(ends), 0);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    const int writer = open(path, O_WRONLY);
    close(ends[0]);
    if (writer >= 0) {
        assert_ok(mco_cycles_write_list(test_ctx, graph, &p, MCO_CYCLES_FORMAT_TEXT, path, &r));
        assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
        assert_int_equal(r.stop, MCO_STOP_CANCELLED);
        mco_cycles_result_clear(test_ctx, &r);
        close(writer);
    }
    close(ends[1]);
    signal(SIGPIPE, before);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(mco_cycles_write_list(test_ctx, graph, &p, MCO_CYCLES_FORMAT_TEXT, "/dev/full", &r), MCO_ERR_IO);
        assert_string_equal(mco_context_error(test_ctx), "cannot write /dev/full: No space left on device");
        assert_null(r.exact);
    }
    mco_graph_destroy(test_ctx, &graph);
}

// ---- Parts

static void test_count_text(void **state)
{
    (void)state;
    static const struct {
        uint64_t count[3];
        int32_t limbs;
        const char *text;
    } known[] = {
        {{0}, 1, "0"},
        {{0, 0, 0}, 3, "0"},
        {{7234839185}, 1, "7234839185"},
        {{UINT64_MAX}, 1, "18446744073709551615"},
        {{0, 1}, 2, "18446744073709551616"},
        {{UINT64_MAX, UINT64_MAX}, 2, "340282366920938463463374607431768211455"},
        {{0, 0, 1}, 3, "340282366920938463463374607431768211456"},
    };
    char text[61];
    for (int k = 0; k < COUNT_OF(known); k++)
        assert_string_equal(mco_cycles_count_text(known[k].count, known[k].limbs, text, 20 * (size_t)known[k].limbs + 1),
                            known[k].text);
    assert_string_equal(mco_cycles_count_text(known[3].count, 1, text, 5), "");
}

static void test_distinct(void **state)
{
    (void)state;
    enum { SETS = 5000 };
    for (int place = 0; place < 3; place++) {
        cycles_distinct d = {.ctx = test_ctx, .memory_bytes = place == 0 ? 1e9 : 1};
        int64_t same = 0, pair[2], first = 0;
        for (int64_t k = 1; k <= SETS && first == 0; k++) {
            cycles_hash hash = {0, 0};
            const int32_t v = (int32_t)(place < 2 && k == SETS ? 17 : k);
            cycles_hash_add(&hash, v);
            cycles_hash_add(&hash, v + 1);
            assert_ok(cycles_distinct_add(&d, hash, k, &same));
            first = same;
        }
        assert_int_equal(first, place == 0 ? 17 : 0);
        assert_int_equal(d.run_count > 0, place > 0);
        assert_ok(cycles_distinct_end(&d, pair));
        assert_int_equal(pair[0], place == 1 ? 17 : 0);
        assert_int_equal(pair[1], place == 1 ? SETS : 0);
        cycles_distinct_clear(&d);
    }
}

static void test_refused_requests(void **state)
{
    (void)state;
    static const int32_t outside[] = {9};
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 3, 3, 0, 1);
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
    p.directed = 1;
    assert_fails(mco_cycles_count(test_ctx, graph, &p, &r), MCO_ERR_ARGUMENT,
                 "directed cycles were asked for, and the graph is undirected");
    p = params_of(MCO_CYCLES_METHOD_AUTO);
    p.min_length = 8;
    p.max_length = 5;
    assert_fails(mco_cycles_count(test_ctx, graph, &p, &r), MCO_ERR_ARGUMENT, "the longest length is 5, less than the shortest, 8");
    p = params_of(MCO_CYCLES_METHOD_FRONTIER);
    p.engine = MCO_ENGINE_REFERENCE;
    assert_fails(mco_cycles_count(test_ctx, graph, &p, &r), MCO_ERR_ARGUMENT,
                 "the reference engine is the method labels, the method is frontier");
    p = params_of(MCO_CYCLES_METHOD_AUTO);
    p.through = outside;
    p.through_count = 1;
    assert_fails(mco_cycles_count(test_ctx, graph, &p, &r), MCO_ERR_ARGUMENT,
                 "cycles through vertex 9 were asked for, vertices are 0 to 8");
    p = params_of(MCO_CYCLES_METHOD_SEARCH);
    assert_fails(mco_cycles_write_list(test_ctx, graph, &p, MCO_CYCLES_FORMAT_FACTORED, test_path("f"), &r), MCO_ERR_ARGUMENT,
                 "a factored list comes from the method frontier, the method is search");
    p = params_of(MCO_CYCLES_METHOD_AUTO);
    p.limit = 3;
    assert_fails(mco_cycles_write_list(test_ctx, graph, &p, MCO_CYCLES_FORMAT_FACTORED, test_path("f"), &r), MCO_ERR_ARGUMENT,
                 "a factored list has all cycles, and the limit is 3");
    assert_null(r.exact);
    mco_graph_destroy(test_ctx, &graph);
}

// Every allocation fails once. The answer is MEMORY, or right where the search takes over.
static void test_failing_memory(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_WHEEL, 8, 0, 0, 1);
    const mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
    for (int f = 0; f < COUNT_OF(formats); f++)
        for (long k = 1;; k++) {
            mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
            int64_t count;
            test_fail_allocation(k);
            mco_status st = mco_cycles_write_list(test_ctx, graph, &p, formats[f], test_path("m"), &r);
            if (st == MCO_OK)
                st = mco_cycles_check(test_ctx, graph, false, test_path("m"), &count);
            const bool has_failed = test_memory.calls >= k;
            test_fail_allocation(0);
            mco_cycles_result_clear(test_ctx, &r);
            assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
            if (!has_failed)
                break;
        }
    mco_graph_destroy(test_ctx, &graph);
}

static void test_picture_and_result(void **state)
{
    (void)state;
    static const int32_t cycle[] = {0, 1, 4, 3};
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 3, 3, 0, 1);
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    mco_cycles_params p = params_of(MCO_CYCLES_METHOD_AUTO);
    assert_ok(mco_cycles_count(test_ctx, graph, &p, &r));
    assert_ok(mco_cycles_plot(test_ctx, graph, &r, cycle, 4, test_path("p.svg")));
    char *text = test_content(test_path("p.svg"));
    assert_non_null(strstr(text, "length 8: 1 cycles"));
    assert_non_null(strstr(text, "one of the cycles, of length 4"));
    free(text);
    assert_ok(mco_cycles_write_result(test_ctx, graph, &p, &r, NULL, test_path("r.json")));
    text = test_content(test_path("r.json"));
    assert_non_null(strstr(text, "\"cycles\": 5,"));
    assert_non_null(strstr(text, "\"cycles_exact\": null,"));
    assert_non_null(strstr(text, "\"4\": 4,\n"));
    assert_non_null(strstr(text, "\"8\": 1\n"));
    free(text);
    mco_cycles_result_clear(test_ctx, &r);
    p.by_length = MCO_CYCLES_BY_LENGTH_OFF;
    assert_ok(mco_cycles_count(test_ctx, graph, &p, &r));
    assert_fails(mco_cycles_plot(test_ctx, graph, &r, NULL, 0, test_path("p.svg")), MCO_ERR_ARGUMENT,
                 "the result has no counts by length");
    mco_cycles_result_clear(test_ctx, &r);
    mco_graph_destroy(test_ctx, &graph);
}

// Counts beyond 2^53 and beyond 64 bits stand in the result file as strings.
static void test_large_counts(void **state)
{
    (void)state;
    mco_graph *graph = test_graph_generate(MCO_GRAPH_GRID, 2, 2, 0, 1);
    uint64_t exact[2] = {5, 1}, by_length[10] = {0, 0, 0, 0, 0, 0, 0, 0, 5, 1};
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    const mco_cycles_params p = MCO_CYCLES_PARAMS_INIT;
    r.limbs = 2;
    r.exact = exact;
    r.by_length = by_length;
    r.longest = 4;
    r.cycles = INT64_MAX;
    r.work.engine = MCO_ENGINE_CPU;
    assert_ok(mco_cycles_write_result(test_ctx, graph, &p, &r, NULL, test_path("l.json")));
    char *text = test_content(test_path("l.json"));
    assert_non_null(strstr(text, "\"cycles\": 18446744073709551621,"));
    assert_non_null(strstr(text, "\"cycles_exact\": \"18446744073709551621\","));
    assert_non_null(strstr(text, "\"4\": \"18446744073709551621\""));
    free(text);
    mco_graph_destroy(test_ctx, &graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_small_graphs), TEST(test_random_graphs), TEST(test_known_counts), TEST(test_lengths), TEST(test_through),
        TEST(test_limit_and_stop), TEST(test_fallback), TEST(test_factored_fallback), TEST(test_time_limit), TEST(test_hub), TEST(test_files), TEST(test_directed_files), TEST(test_text),
        TEST(test_wrong_lists), TEST(test_damaged_lists), TEST(test_closed_pipe_and_full_disk), TEST(test_count_text),
        TEST(test_distinct), TEST(test_refused_requests), TEST(test_failing_memory), TEST(test_picture_and_result),
        TEST(test_large_counts),
    };
    return cmocka_run_group_tests_name("cycles", tests, NULL, NULL);
}
