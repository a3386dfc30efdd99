// SPDX-License-Identifier: MIT
// Tables of a hierarchy for a GPU, walked through on the host as the kernels do: customising by levels, trees by levels and
// cells, for cells of all sizes.
#include "paths_hierarchy_support.h"

#include "paths/hierarchy/tables.h"

enum { CASES = TEST_IS_SANITIZED ? 60 : 400, UNSET = INT32_MIN / 4 };

typedef struct prepared {
    small_network net;
    paths_topology t;
    paths_metric metric;
    paths_tables tables;
} prepared;

// Cells of few nodes and arcs; every fourth case has rows that are too long for them.
static void make_prepared(prepared *p, mco_rng *rng, int k)
{
    const int32_t vertices = 1 + (int32_t)mco_rng_below(rng, MAX_VERTICES);
    const int32_t arcs = (int32_t)mco_rng_below(rng, (uint32_t)(vertices * 4 < MAX_ARCS ? vertices * 4 : MAX_ARCS) + 1);
    const int32_t boundary = k % 4 == 0 ? 1 + (int32_t)mco_rng_below(rng, 6) : MAX_VERTICES;
    const paths_cell_bounds bounds = {.leaf_nodes = 1 + (int32_t)mco_rng_below(rng, 12), .nodes = 1 + (int32_t)mco_rng_below(rng, 9),
                                      .boundary = boundary, .arcs = boundary + 2 + (int32_t)mco_rng_below(rng, 60)};
    make_small(&p->net, rng, vertices, arcs, k % 2 == 0 ? 0 : (int32_t)mco_rng_below(rng, (uint32_t)vertices + 1));
    assert_ok(paths_topology_make(test_ctx, &p->net.rows, p->net.order, &p->t));
    assert_ok(paths_metric_open(test_ctx, &p->t, &p->metric));
    paths_metric_ref(&p->t, arcs, p->net.weight, &p->metric);
    assert_ok(paths_tables_make(test_ctx, &p->t, arcs, k % 5 == 0 ? NULL : &bounds, &p->tables));
}

static void clear_prepared(prepared *p)
{
    paths_tables_clear(test_ctx, &p->tables);
    paths_metric_clear(test_ctx, &p->metric);
    paths_topology_clear(test_ctx, &p->t);
}

// ---- Customising

static void lower_to(int32_t *weight, int32_t value)
{
    *weight = value < *weight ? value : *weight;
}

static int32_t first_weight(const prepared *p, int32_t slot)
{
    const int32_t origin = p->tables.origin[slot];
    int32_t weight = origin >= 0 ? p->net.weight[origin] : MCO_PATHS_NONE;
    if (origin < -1)
        for (int32_t k = 1; k <= p->tables.more[-2 - origin]; k++)
            lower_to(&weight, p->net.weight[p->tables.more[-2 - origin + k]]);
    return weight;
}

static void customise(const prepared *p, int32_t *pair)
{
    const paths_tables *b = &p->tables;
    int32_t read_at[MAX_VERTICES * MAX_VERTICES];
    memset(read_at, 0xff, sizeof read_at);
    for (int32_t slot = 0; slot < 2 * p->t.arcs; slot++)
        pair[slot] = first_weight(p, slot);
    for (int32_t level = 0; level < b->triangle_levels; level++) {
        assert_true(b->triangle_level[level] < b->triangle_level[level + 1]);
        for (int64_t i = b->triangle_level[level]; i < b->triangle_level[level + 1]; i++)
            read_at[b->left[i]] = read_at[b->right[i]] = level;
        // Descending: the order within a level is free.
        for (int64_t i = b->triangle_level[level + 1]; i-- > b->triangle_level[level];) {
            const int32_t x = b->left[i], y = b->right[i], c = b->target[i];
            assert_int_equal(read_at[c], -1);
            lower_to(&pair[2 * c], pair[2 * x + 1] + pair[2 * y]);
            lower_to(&pair[2 * c + 1], pair[2 * y + 1] + pair[2 * x]);
        }
    }
    assert_int_equal(b->triangle_levels > 0 ? b->triangle_level[b->triangle_levels] : 0, p->t.triangles);
}

static void levels_give_the_same_weights(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 11, 0);
    for (int k = 0; k < CASES; k++) {
        prepared p;
        int32_t pair[MAX_VERTICES * MAX_VERTICES];
        make_prepared(&p, &rng, k);
        customise(&p, pair);
        assert_memory_equal(pair, p.metric.pair, 2 * (size_t)p.t.arcs * sizeof *pair);
        clear_prepared(&p);
    }
}

// ---- Trees

// The labels on the way up; others stay unset.
static void walk(const prepared *p, int32_t source, int32_t *label)
{
    const paths_topology *t = &p->t;
    for (int32_t v = 0; v < t->vertices; v++)
        label[v] = UNSET;
    for (int32_t v = source; v >= 0; v = t->parent[v])
        label[v] = v == source ? 0 : MCO_PATHS_NONE;
    for (int32_t v = source; v >= 0; v = t->parent[v]) {
        if (t->is_end != NULL && t->is_end[v] && v != source)
            continue;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            lower_to(&label[t->head[a]], label[v] + p->metric.up[a]);
    }
}

static int32_t walked(const int32_t *label, int32_t source, const paths_node *node)
{
    const bool is_below = source <= node->vertex && source > node->vertex - node->size;
    assert_int_equal(is_below, label[node->vertex] != UNSET);
    return is_below ? label[node->vertex] : MCO_PATHS_NONE;
}

static void sweep_high(const prepared *p, int32_t source, int32_t *label)
{
    const paths_tables *b = &p->tables;
    for (int32_t level = 0; level < b->high_levels; level++)
        for (int32_t k = b->high_level[level + 1]; k-- > b->high_level[level];) {
            const paths_node *node = &b->node[b->high_first + k];
            int32_t best = walked(label, source, node);
            for (int32_t a = node->first; a < node[1].first; a++) {
                assert_true(label[b->arc_end[a]] >= 0);
                lower_to(&best, label[b->arc_end[a]] + p->metric.down[b->arc_id[a]]);
            }
            label[node->vertex] = best;
        }
}

static void sweep_cell(const prepared *p, const paths_tier *tier, const paths_cell *cell, int32_t source, int32_t *label)
{
    const paths_tables *b = &p->tables;
    const paths_node *node = b->node + cell->node;
    int32_t rows[2 * MAX_VERTICES];
    assert_true(cell->nodes <= tier->nodes && cell->nodes + cell->boundaries <= tier->rows && cell->arcs <= tier->arcs);
    assert_true(cell->arc % 2 == 0 && cell->arcs % 2 == 0);
    assert_int_equal(node[cell->nodes].first, cell->arcs);
    for (int32_t k = 0; k < 2 * MAX_VERTICES; k++)
        rows[k] = UNSET;
    for (int32_t k = 0; k < cell->boundaries; k++)
        rows[k] = label[b->boundary[cell->boundary + k]];
    const bool is_touched = source >= cell->low && source <= cell->high;
    for (int32_t k = 0; k < cell->nodes; k++)
        assert_true(is_touched || source > node[k].vertex || source <= node[k].vertex - node[k].size);
    for (int32_t level = 0; level < cell->levels; level++) {
        const int32_t begin = b->level[cell->level + level], end = b->level[cell->level + level + 1];
        assert_true(begin < end);
        for (int32_t k = end; k-- > begin;) {
            int32_t best = walked(label, source, &node[k]);
            assert_true(node[k].first % 2 == 0 && node[k].middle % 2 == 0);
            for (int32_t a = node[k].first; a < node[k + 1].first; a++) {
                const int32_t row = b->arc_end[cell->arc + a] / PATHS_LANES;
                assert_int_equal(row >= cell->boundaries, a >= node[k].middle);
                assert_true(rows[row] >= 0);
                lower_to(&best, rows[row] + p->metric.down[b->arc_id[cell->arc + a]]);
            }
            rows[cell->boundaries + k] = label[node[k].vertex] = best;
        }
    }
    assert_int_equal(b->level[cell->level + cell->levels], cell->nodes);
}

static void leave_ends(const prepared *p, int32_t source, int32_t *label)
{
    const paths_topology *t = &p->t;
    if (t->is_end == NULL || !t->is_end[source])
        return;
    for (int32_t i = t->down_first[source]; i < t->down_first[source + 1]; i++) {
        assert_true(p->tables.end_arcs > 0);
        lower_to(&label[t->down_tail[i]], p->metric.down[t->down_arc[i]]);
    }
}

static void cells_give_the_shortest_distances(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 12, 0);
    int highs = 0, tiers = 0, merged = 0, ends = 0;
    for (int k = 0; k < CASES; k++) {
        prepared p;
        int32_t label[MAX_VERTICES], expected[MAX_VERTICES];
        make_prepared(&p, &rng, k);
        highs += p.tables.high_count > 0;
        tiers += p.tables.tiers > 2;
        ends += p.tables.end_arcs > 0;
        int32_t covered = p.tables.high_count;
        for (int32_t c = 0; c < p.tables.cells; c++) {
            covered += p.tables.cell[c].nodes;
            merged += p.tables.cell[c].levels < p.tables.cell[c].nodes;
        }
        assert_int_equal(covered, p.t.vertices);
        for (int32_t s = 0; s < p.t.vertices; s++) {
            const int32_t source = p.t.rank[s];
            walk(&p, source, label);
            sweep_high(&p, source, label);
            for (int32_t i = p.tables.tiers; i-- > 0;)
                for (int32_t c = 0; c < p.tables.tier[i].cells; c++)
                    sweep_cell(&p, &p.tables.tier[i], &p.tables.cell[p.tables.tier[i].cell_first + c], source, label);
            leave_ends(&p, source, label);
            assert_ok(paths_ref_tree(test_ctx, &p.net.rows, s, expected, NULL));
            for (int32_t v = 0; v < p.t.vertices; v++)
                assert_int_equal(label[p.t.rank[v]], expected[v]);
        }
        clear_prepared(&p);
    }
    assert_true(highs > CASES / 20 && tiers > CASES / 10 && merged > CASES / 10 && ends > CASES / 20);
}

// ---- Limits and memory

static void bounds_are_refused(void **state)
{
    (void)state;
    prepared p;
    mco_rng rng;
    paths_tables tables;
    const paths_cell_bounds bounds[] = {{.leaf_nodes = 1025}, {.nodes = -1}, {.boundary = 1025}, {.arcs = 8193}, {.boundary = 100, .arcs = 101}};
    mco_rng_seed(&rng, 13, 0);
    make_prepared(&p, &rng, 0);
    for (int k = 0; k < COUNT_OF(bounds); k++)
        assert_int_equal(paths_tables_make(test_ctx, &p.t, p.net.rows.arcs, &bounds[k], &tables), MCO_ERR_ARGUMENT);
    clear_prepared(&p);
}

static void no_allocation_may_fail_unseen(void **state)
{
    (void)state;
    prepared p;
    mco_rng rng;
    mco_rng_seed(&rng, 14, 0);
    make_small(&p.net, &rng, 20, 60, 5);
    assert_ok(paths_topology_make(test_ctx, &p.net.rows, p.net.order, &p.t));
    const long before = test_memory.live;
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k++) {
        test_fail_allocation(k);
        st = paths_tables_make(test_ctx, &p.t, p.net.rows.arcs, NULL, &p.tables);
        test_fail_allocation(0);
        if (st != MCO_OK) {
            assert_int_equal(st, MCO_ERR_MEMORY);
            assert_int_equal(test_memory.live, before);
        }
    }
    paths_tables_clear(test_ctx, &p.tables);
    paths_topology_clear(test_ctx, &p.t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(levels_give_the_same_weights),
        TEST(cells_give_the_shortest_distances),
        TEST(bounds_are_refused),
        TEST(no_allocation_may_fail_unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
