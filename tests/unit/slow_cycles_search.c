// SPDX-License-Identifier: MIT
// All graphs of 7 vertices, each at least once up to its names: brute force = labels = search. All searches of 8x10 and 7x10.
#include "cycles_support.h"

enum { VERTICES = 7, PAIRS = VERTICES * (VERTICES - 1) / 2 };

// The graph of this code if its degrees do not ascend, as those of some numbering of every graph do; else none: false.
static bool graph_of(uint32_t code, edges *e)
{
    int degree[VERTICES] = {0}, bit = 0;
    e->count = 0;
    for (int32_t u = 0; u < VERTICES; u++)
        for (int32_t v = u + 1; v < VERTICES; v++)
            if (code >> bit++ & 1) {
                degree[u]++;
                degree[v]++;
                edges_add(e, u, v);
            }
    for (int v = 0; v + 1 < VERTICES; v++)
        if (degree[v] < degree[v + 1])
            return false;
    return true;
}

static void test_all_graphs_of_7(void **state)
{
    (void)state;
    edges e = {.vertices = VERTICES};
    int64_t graphs = 0;
    for (uint32_t code = 0; code < 1u << PAIRS; code += TEST_IS_SANITIZED ? 101 : 1) {
        trial t[3];
        if (!graph_of(code, &e))
            continue;
        graphs++;
        for (int k = 0; k < 3; k++)
            trial_open(&t[k], &e, true);
        trial_brute_force(&t[0]);
        assert_ok(cycles_labels(&t[1].job));
        assert_ok(cycles_search(&t[2].job));
        for (int k = 1; k < 3; k++)
            assert_same(&t[k], &t[0]);
        for (int k = 0; k < 3; k++)
            trial_close(&t[k]);
    }
    edges_free(&e);
    assert_true(TEST_IS_SANITIZED || graphs >= 1044);  // so many there are up to isomorphism
}

// Jradi (2016), table 5.1, and the paths that a plain program with the same tie rule expands.
static void test_large_grids(void **state)
{
    (void)state;
    static const struct {
        int32_t rows;
        uint64_t cycles;
        int64_t paths;
    } GRIDS[] = {{7, 8136453, 140095471}, {8, 71535910, 1741924485}};
    for (int k = 0; k < COUNT_OF(GRIDS); k++) {
        edges e = edges_grid(GRIDS[k].rows, 10);
        trial labels, counts, lists;
        trial_open(&labels, &e, false);
        trial_open(&counts, &e, false);
        trial_open(&lists, &e, true);
        counts.job.threads = 2;
        assert_ok(cycles_search(&counts.job));
        assert_int_equal(trial_count(&counts, -1), GRIDS[k].cycles);
        if (k == 0) {
            assert_ok(cycles_search(&lists.job));
            assert_same(&lists, &counts);
            assert_int_equal((uint64_t)lists.listed, GRIDS[k].cycles);
        }
        if (!TEST_IS_SANITIZED) {
            assert_ok(cycles_labels(&labels.job));
            assert_same(&labels, &counts);
            assert_int_equal(labels.result.nodes, GRIDS[k].paths);
        }
        trial_close(&labels);
        trial_close(&counts);
        trial_close(&lists);
        edges_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_all_graphs_of_7), TEST(test_large_grids)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
