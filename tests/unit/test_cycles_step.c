// SPDX-License-Identifier: MIT
// Steps of the search on bits against all subsets of small graphs, and against published counts.
#include "test_support.h"

#include "cycles/prefix.h"
#include "gpu/cycles_gpu_support.h"

typedef struct tally {
    const cycles_prefixes *prefixes;
    int64_t cycles, by_length[CYCLES_STEP_VERTICES + 1];
    uint64_t hash;
} tally;

static const uint64_t *row_of(const cycles_prefixes *p, int32_t vertex)
{
    return p->adjacent + (size_t)vertex * (size_t)p->row_words;
}

static void note_closing(tally *t, const uint64_t *path, uint64_t *closing, int32_t length)
{
    const int words = t->prefixes->row_words;
    while (cycles_set_any(closing, words)) {
        uint64_t set[CYCLES_STEP_WORDS] = {0};
        const int32_t last = cycles_set_take(closing, words);
        for (int k = 0; k < words; k++)
            set[k] = path[k] | cycles_set_bit(last, k);
        assert_int_equal(cycles_set_size(set, words), length);
        t->cycles++;
        t->by_length[length]++;
        t->hash += cycles_set_hash(set, words);
    }
}

static void search_node(tally *t, const uint64_t *node, const uint64_t *path, uint32_t tag)
{
    const cycles_prefixes *p = t->prefixes;
    const int words = p->row_words;
    cycles_walk walk = {0};
    cycles_walk_begin(&walk, words, node, tag, row_of(p, (int32_t)(tag & 0xff)), row_of(p, (int32_t)(tag >> 8 & 0xff)),
                      &p->rules);
    while (cycles_set_any(walk.next, words)) {
        cycles_walk child = {0};
        uint64_t closing[CYCLES_STEP_WORDS] = {0}, longer[CYCLES_STEP_WORDS] = {0}, below[CYCLES_STEP_WORDS] = {0};
        const int32_t v = cycles_set_take(walk.next, words);
        const bool goes_on = cycles_walk_try(&walk, words, v, row_of(p, v), &p->rules, closing, &child);
        for (int k = 0; k < words; k++) {
            longer[k] = path[k] | cycles_set_bit(v, k);
            below[k] = child.open[k] | child.next[k];
        }
        note_closing(t, longer, closing, walk.length + 2);
        if (goes_on)
            search_node(t, below, longer, cycles_walk_tag(&child));
    }
}

static void search(const cycles_prefixes *p, tally *t)
{
    *t = (tally){.prefixes = p};
    for (int64_t i = 0; i < p->roots.count; i++) {
        uint64_t node[CYCLES_STEP_WORDS] = {0}, path[CYCLES_STEP_WORDS] = {0};
        for (int k = 0; k < p->row_words; k++) {
            node[k] = p->roots.words[k * p->roots.count + i];
            path[k] = p->roots.words[(p->row_words + k) * p->roots.count + i];
        }
        search_node(t, node, path, p->roots.tags[i]);
    }
}

// A set is a chordless cycle if each of its vertices has two neighbours in it, and it is connected.
static bool is_cycle(const graph_simple *g, uint64_t set)
{
    uint64_t seen = set & (0 - set);
    for (int32_t v = 0; v < g->vertices; v++) {
        int32_t inside = 0;
        for (int64_t a = g->first[v]; a < g->first[v + 1]; a++)
            inside += (int32_t)(set >> g->head[a] & 1);
        if ((set >> v & 1) != 0 && inside != 2)
            return false;
    }
    for (int32_t round = 0; round < g->vertices; round++)
        for (int32_t v = 0; v < g->vertices; v++)
            for (int64_t a = g->first[v]; (seen >> v & 1) != 0 && a < g->first[v + 1]; a++)
                seen |= set & (uint64_t)1 << g->head[a];
    return seen == set;
}

static void compare(const cycles_job *job)
{
    tally seen;
    int64_t count = 0;
    uint64_t hash = 0, through = 0;
    cycles_prefixes p;
    const graph_simple *g = &job->block->graph;
    for (int32_t k = 0; k < job->through_count; k++)
        through |= (uint64_t)1 << job->through[k];
    for (uint64_t set = 0; set < (uint64_t)1 << g->vertices; set++) {
        const int32_t size = cycles_bits(set);
        if (size >= job->min_length && size <= job->max_length && (through & ~set) == 0 && is_cycle(g, set)) {
            count++;
            hash += cycles_set_hash(&set, 1);
        }
    }
    assert_ok(cycles_prefixes_make(job, &p));
    search(&p, &seen);
    assert_int_equal(seen.cycles, count);
    assert_true(seen.hash == hash);
    cycles_prefixes_clear(test_ctx, &p);
}

static void test_small(void **state)
{
    (void)state;
    const int32_t through[] = {1, 4, 6};
    for (int number = 0; number < 60; number++) {
        cycles_block block;
        test_edges edges = test_random(7 + number % 4, 200 + 90 * (number % 7), (uint64_t)number);
        assert_ok(test_block_make(test_ctx, &edges, &block));
        cycles_job job = {.ctx = test_ctx, .block = &block, .min_length = 4, .max_length = block.graph.vertices};
        compare(&job);
        for (job.through_count = 1; job.through_count <= 3; job.through_count++) {
            job.through = through;
            compare(&job);
        }
        job.through_count = number % 3;
        job.min_length = 5;
        job.max_length = 6;
        compare(&job);
        test_block_clear(test_ctx, &block);
    }
}

static void count_of(test_edges edges, int64_t cycles, int32_t longest)
{
    tally seen;
    cycles_block block;
    cycles_prefixes p;
    assert_ok(test_block_make(test_ctx, &edges, &block));
    const cycles_job job = {.ctx = test_ctx, .block = &block, .min_length = 4, .max_length = block.graph.vertices};
    assert_ok(cycles_prefixes_make(&job, &p));
    search(&p, &seen);
    assert_int_equal(seen.cycles, cycles);
    assert_true(seen.by_length[longest] > 0);
    for (int32_t k = longest + 1; k <= block.graph.vertices; k++)
        assert_int_equal(seen.by_length[k], 0);
    cycles_prefixes_clear(test_ctx, &p);
    test_block_clear(test_ctx, &block);
}

// Jradi (2016), table 5.1, and the lengths of the longest cycles.
static void test_published(void **state)
{
    (void)state;
    count_of(test_grid(4, 10), 1823, 28);
    count_of(test_grid(5, 6), 749, 18);
    count_of(test_grid(6, 6), 3436, 20);
    count_of(test_grid(5, 10), 52620, 32);
    count_of(test_bipartite(8, 8), 784, 4);
    count_of(test_bipartite(50, 50), 1500625, 4);
    count_of(test_circle(100, true), 1, 100);
    count_of(test_circle(100, false), 1, 100);
    count_of(test_circle(256, false), 1, 256);
}

static void test_refusals(void **state)
{
    (void)state;
    cycles_block block;
    cycles_prefixes p;
    test_edges edges = test_circle(257, false);
    assert_ok(test_block_make(test_ctx, &edges, &block));
    cycles_job job = {.ctx = test_ctx, .block = &block, .min_length = 4, .max_length = 257};
    assert_int_equal(cycles_prefixes_make(&job, &p), MCO_ERR_LIMIT);
    assert_non_null(strstr(mco_context_error(test_ctx), "257 vertices, the search on a GPU takes at most 256"));
    job.is_directed = true;
    assert_int_equal(cycles_prefixes_make(&job, &p), MCO_ERR_ARGUMENT);
    test_block_clear(test_ctx, &block);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_small), TEST(test_published), TEST(test_refusals)};
    return cmocka_run_group_tests_name("cycles_step", tests, NULL, NULL);
}
