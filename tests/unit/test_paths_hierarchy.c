// SPDX-License-Identifier: MIT
// The customizable hierarchy against definitions: the topology, the metric, and distances by a plain search up and down.
#include "paths_hierarchy_support.h"

#include <pthread.h>
#include <time.h>

#include "paths/hierarchy/customise.h"
#include "paths/hierarchy/order.h"
#include "paths/hierarchy/prepare.h"

enum { CASES = TEST_IS_SANITIZED ? 60 : 400 };

// ---- The topology

// Eliminates one vertex after the other in a matrix. is_joined receives the pairs by rank.
static void eliminate(const small_network *net, const paths_topology *t, bool is_joined[MAX_VERTICES][MAX_VERTICES])
{
    const mco_paths_rows *rows = &net->rows;
    memset(is_joined, 0, sizeof(bool[MAX_VERTICES][MAX_VERTICES]));
    for (int32_t v = 0; v < rows->vertices; v++)
        for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++)
            is_joined[t->rank[v]][t->rank[rows->head[a]]] = is_joined[t->rank[rows->head[a]]][t->rank[v]] = rows->head[a] != v;
    for (int32_t v = 0; v < rows->vertices; v++)
        for (int32_t x = v + 1; x < rows->vertices; x++)
            for (int32_t y = x + 1; y < rows->vertices; y++)
                if (is_joined[v][x] && is_joined[v][y])
                    is_joined[x][y] = is_joined[y][x] = true;
}

// Neighbours keep the order of elimination that was given, ends first.
static void assert_order(const small_network *net, const paths_topology *t, bool is_joined[MAX_VERTICES][MAX_VERTICES])
{
    int32_t place[MAX_VERTICES];
    for (int32_t k = 0; k < t->vertices; k++)
        place[net->order[k]] = k - (net->order[k] < net->rows.first_through ? t->vertices : 0);
    for (int32_t v = 0; v < t->vertices; v++) {
        assert_int_equal(t->rank[t->vertex[v]], v);
        for (int32_t x = v + 1; x < t->vertices; x++)
            if (is_joined[v][x])
                assert_true(place[t->vertex[v]] < place[t->vertex[x]]);
    }
}

static void assert_rows(const paths_topology *t, bool is_joined[MAX_VERTICES][MAX_VERTICES])
{
    int64_t triangles = 0;
    int32_t arcs = 0;
    for (int32_t v = 0; v < t->vertices; v++) {
        assert_int_equal(t->first[v], arcs);
        for (int32_t x = v + 1; x < t->vertices; x++)
            if (is_joined[v][x]) {
                assert_int_equal(t->head[arcs], x);
                assert_int_equal(t->head_height[arcs++], t->height - 1 - t->depth[x]);
            }
        const int32_t degree = arcs - t->first[v];
        assert_int_equal(t->parent[v], degree > 0 ? t->head[t->first[v]] : -1);
        assert_int_equal(t->depth[v], degree > 0 ? t->depth[t->parent[v]] + 1 : 0);
        triangles += t->is_end != NULL && t->is_end[v] ? 0 : (int64_t)degree * (degree - 1) / 2;
        int32_t tail = arcs;
        while (tail > t->first[v] && (tail == arcs || t->head_height[tail - 1] + 1 == t->head_height[tail]))
            tail--;
        assert_int_equal(t->tail_at[v], tail);
    }
    assert_int_equal(t->first[t->vertices], arcs);
    assert_int_equal(t->arcs, arcs);
    assert_int_equal(t->triangles, triangles);
}

// A subtree is a range of ranks that ends with its root.
static void assert_post_order(const paths_topology *t)
{
    int32_t size[MAX_VERTICES], height = 0;
    for (int32_t v = 0; v < t->vertices; v++)
        size[v] = 1;
    for (int32_t v = 0; v < t->vertices; v++) {
        height = t->depth[v] + 1 > height ? t->depth[v] + 1 : height;
        for (int32_t u = v - size[v] + 1; u < v; u++) {
            assert_true(t->parent[u] > u);
            assert_true(t->parent[u] <= v);
        }
        if (t->parent[v] >= 0)
            size[t->parent[v]] += size[v];
    }
    assert_int_equal(t->height, height);
}

static void assert_down(const paths_topology *t)
{
    int32_t arcs = 0;
    for (int32_t x = 0; x < t->vertices; x++) {
        assert_int_equal(t->down_first[x], arcs);
        for (int32_t v = 0; v < x; v++)
            for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
                if (t->head[a] == x) {
                    assert_int_equal(t->down_arc[arcs], a);
                    assert_int_equal(t->down_tail[arcs++], v);
                }
    }
    assert_int_equal(t->down_first[t->vertices], t->arcs);
}

static void assert_slots(const small_network *net, const paths_topology *t)
{
    for (int32_t v = 0; v < t->vertices; v++)
        for (int64_t k = net->first[v]; k < net->first[v + 1]; k++) {
            const int32_t from = t->rank[v], to = t->rank[net->head[k]], arc = t->slot[k] >> 1;
            if (from == to) {
                assert_int_equal(t->slot[k], -1);
                continue;
            }
            assert_int_equal(t->slot[k] & 1, from < to ? 0 : 1);
            assert_int_equal(t->head[arc], from < to ? to : from);
            assert_in_range(arc, t->first[from < to ? from : to], t->first[(from < to ? from : to) + 1] - 1);
        }
}

static void assert_topology(const small_network *net, const paths_topology *t)
{
    bool is_joined[MAX_VERTICES][MAX_VERTICES];
    eliminate(net, t, is_joined);
    assert_order(net, t, is_joined);
    assert_rows(t, is_joined);
    assert_post_order(t);
    assert_down(t);
    assert_slots(net, t);
    assert_int_equal(t->is_end != NULL, net->rows.first_through > 0);
    for (int32_t v = 0; t->is_end != NULL && v < t->vertices; v++)
        assert_int_equal(t->is_end[v], t->vertex[v] < net->rows.first_through);
}

// A random network of a random size and density; every second one has ends.
static void make_case(small_network *net, mco_rng *rng, int k)
{
    const int32_t vertices = 1 + (int32_t)mco_rng_below(rng, MAX_VERTICES);
    const int32_t arcs = (int32_t)mco_rng_below(rng, (uint32_t)(vertices * 5 < MAX_ARCS ? vertices * 5 : MAX_ARCS) + 1);
    make_small(net, rng, vertices, arcs, k % 2 == 0 ? 0 : (int32_t)mco_rng_below(rng, (uint32_t)vertices + 1));
}

static void topology_is_the_completion_in_post_order(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < CASES; k++) {
        small_network net;
        paths_topology t;
        make_case(&net, &rng, k);
        assert_ok(paths_topology_make(test_ctx, &net.rows, net.order, &t));
        assert_topology(&net, &t);
        paths_topology_clear(test_ctx, &t);
    }
}

// ---- The metric

static void ways_up_and_down_are_shortest(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 2, 0);
    for (int k = 0; k < CASES; k++) {
        small_network net;
        paths_topology t;
        paths_metric metric;
        int32_t expected[MAX_VERTICES];
        make_case(&net, &rng, k);
        assert_ok(paths_topology_make(test_ctx, &net.rows, net.order, &t));
        assert_ok(paths_metric_open(test_ctx, &t, &metric));
        paths_metric_ref(&t, net.rows.arcs, net.weight, &metric);
        for (int32_t s = 0; s < t.vertices; s++) {
            assert_ok(paths_ref_tree(test_ctx, &net.rows, s, expected, NULL));
            for (int32_t v = 0; v < t.vertices; v++)
                assert_int_equal(up_down_distance(&t, &metric, t.rank[s], t.rank[v]), expected[v]);
        }
        paths_metric_clear(test_ctx, &metric);
        paths_topology_clear(test_ctx, &t);
    }
}

// Weights where much is closed, much is free, and sums come near the greatest number.
static void draw_weights(mco_rng *rng, int32_t arcs, int32_t *weight)
{
    for (int32_t k = 0; k < arcs; k++) {
        const uint32_t kind = mco_rng_below(rng, 8);
        weight[k] = kind == 0 ? MCO_PATHS_NONE : kind == 1 ? 0 : kind == 2 ? MCO_PATHS_MAX_WEIGHT : (int32_t)mco_rng_below(rng, 1000);
    }
}

static void assert_same_metric(const paths_topology *t, const paths_metric *metric, const paths_metric *expected)
{
    const size_t bytes = (size_t)t->arcs * sizeof(int32_t);
    assert_memory_equal(metric->pair, expected->pair, 2 * bytes);
    assert_memory_equal(metric->up, expected->up, bytes);
    assert_memory_equal(metric->down, expected->down, bytes);
}

static void every_unit_and_thread_gives_the_same_metric(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 4, 0);
    static const mco_simd UNITS[] = {MCO_SIMD_AVX512, MCO_SIMD_AVX2, MCO_SIMD_PORTABLE};
    for (int k = 0; k < CASES; k++) {
        small_network net;
        paths_topology t;
        paths_metric metric, expected;
        int32_t *triangle;
        make_case(&net, &rng, k);
        draw_weights(&rng, (int32_t)net.rows.arcs, net.weight);
        assert_ok(paths_topology_make(test_ctx, &net.rows, net.order, &t));
        assert_ok(paths_triangles_make(test_ctx, &t, &triangle));
        assert_ok(paths_metric_open(test_ctx, &t, &metric));
        assert_ok(paths_metric_open(test_ctx, &t, &expected));
        paths_metric_ref(&t, net.rows.arcs, net.weight, &expected);
        for (int u = 0; u < COUNT_OF(UNITS); u++)
            for (int way = 0; way < 6 && mco_simd_has(UNITS[u]); way++) {
                memset(metric.pair, 0, 2 * (size_t)t.arcs * sizeof *metric.pair);
                assert_ok(paths_metric_make_on(test_ctx, &t, way % 2 == 0 ? triangle : NULL, net.weight, 1 + way / 2, UNITS[u], NULL, &metric));
                assert_same_metric(&t, &metric, &expected);
            }
        mco_free(test_ctx, &triangle);
        paths_metric_clear(test_ctx, &expected);
        paths_metric_clear(test_ctx, &metric);
        paths_topology_clear(test_ctx, &t);
    }
}

// ---- Preparing

static mco_paths_network *make_random_network(mco_rng *rng, int k)
{
    const int32_t vertices = 1 + (int32_t)mco_rng_below(rng, MAX_VERTICES);
    const int32_t most = vertices * 4 < MAX_ARCS ? vertices * 4 : MAX_ARCS;
    return make_network(rng, vertices, (int32_t)mco_rng_below(rng, (uint32_t)most + 1),
                        k % 3 == 0 ? (int32_t)mco_rng_below(rng, (uint32_t)vertices + 1) : 0, k % 2 == 0 ? 0 : MAX_TURNS);
}

static void prepared_and_customised_networks_have_shortest_distances(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    for (int k = 0; k < CASES; k++) {
        mco_paths_network *network = make_random_network(&rng, k);
        mco_paths_hierarchy *h;
        int32_t weight[MAX_ARCS];
        assert_ok(mco_paths_prepare(test_ctx, network, NULL, NULL, &h));
        assert_hierarchy(h);
        for (int32_t a = 0; a < mco_paths_view(network).arcs; a++)
            weight[a] = mco_rng_below(&rng, 8) == 0 ? MCO_PATHS_NONE : (int32_t)mco_rng_below(&rng, 500);
        assert_ok(mco_paths_customise(test_ctx, h, weight, NULL));
        assert_hierarchy(h);
        mco_paths_hierarchy_destroy(test_ctx, &h);
        mco_paths_destroy(test_ctx, &network);
    }
}

static void orders_that_are_none_are_refused(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 6, 0);
    mco_paths_network *network = make_network(&rng, 3, 5, 0, 0);
    mco_paths_hierarchy *h = NULL;
    assert_fails(mco_paths_prepare(test_ctx, network, (int32_t[]){0, 3, 1}, NULL, &h), MCO_ERR_ARGUMENT,
                 "the order has vertex 3 at place 1, 0 to 2 were expected");
    assert_fails(mco_paths_prepare(test_ctx, network, (int32_t[]){0, 1, 1}, NULL, &h), MCO_ERR_ARGUMENT,
                 "the order has vertex 1 twice, again at place 2");
    assert_ok(mco_paths_prepare(test_ctx, network, (int32_t[]){2, 0, 1}, NULL, &h));
    assert_fails(mco_paths_customise(test_ctx, h, (int32_t[]){1, 2, -3, 4, 5}, NULL), MCO_ERR_ARGUMENT,
                 "arc 2 has weight -3, 0 to 1073741823 were expected");
    mco_paths_hierarchy_destroy(test_ctx, &h);
    mco_paths_destroy(test_ctx, &network);
}

static void assert_permutation(const int32_t *order, int32_t vertices)
{
    bool *is_seen = calloc((size_t)vertices, sizeof *is_seen);
    assert_non_null(is_seen);
    for (int32_t k = 0; k < vertices; k++) {
        assert_in_range(order[k], 0, vertices - 1);
        assert_false(is_seen[order[k]]);
        is_seen[order[k]] = true;
    }
    free(is_seen);
}

// Orders a shape and returns its topology's height; *triangles is theirs.
static int32_t order_shape(const mco_paths_rows *rows, order_way way, int32_t threads, int32_t **order, int64_t *triangles)
{
    mco_run run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = MCO_NO_LIMIT});
    char by[16];
    paths_topology t;
    assert_ok(paths_order_find_by(test_ctx, rows, &run, threads, way, order, by));
    assert_permutation(*order, rows->vertices);
    assert_ok(paths_topology_make(test_ctx, rows, *order, &t));
    const int32_t height = t.height;
    *triangles = t.triangles;
    paths_topology_clear(test_ctx, &t);
    mco_run_clear(&run);
    return height;
}

// Every way to find an order of a grid, with and without places, gives a flat hierarchy.
static void orders_of_a_grid_are_flat(void **state)
{
    (void)state;
    enum { SIDE = 24, MOST_HEIGHT = 4 * SIDE };
    static const order_way WAYS[] = {ORDER_BEST, ORDER_FLOW, ORDER_METIS};
    const mco_paths_shape shape = {MCO_PATHS_GRID, SIDE, SIDE, 1};
    mco_paths_network *network;
    assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
    for (int k = 0; k < 2 * COUNT_OF(WAYS); k++) {
        mco_paths_rows rows = mco_paths_view(network);
        int32_t *order;
        int64_t triangles;
        if (k % 2 == 1)
            rows.x = rows.y = NULL;
        assert_in_range(order_shape(&rows, WAYS[k / 2], 1, &order, &triangles), SIDE, MOST_HEIGHT);
        mco_free(test_ctx, &order);
    }
    mco_paths_destroy(test_ctx, &network);
}

// A network with large parts: all threads together find the order that one finds. It has few triangles.
static void threads_find_the_same_order(void **state)
{
    (void)state;
    enum { SIDE = 160, MOST_TRIANGLES = 400000, MOST_HEIGHT = 200 };
    const mco_paths_shape shape = {MCO_PATHS_ROAD, SIDE, SIDE, 1};
    mco_paths_network *network;
    int32_t *expected, *order;
    int64_t triangles;
    assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
    const mco_paths_rows rows = mco_paths_view(network);
    assert_in_range(order_shape(&rows, ORDER_FLOW, 1, &expected, &triangles), 20, MOST_HEIGHT);
    assert_in_range(triangles, rows.vertices, MOST_TRIANGLES);
    for (int32_t threads = 2; threads <= 5; threads += 3) {
        (void)order_shape(&rows, ORDER_FLOW, threads, &order, &triangles);
        assert_memory_equal(order, expected, (size_t)rows.vertices * sizeof *order);
        mco_free(test_ctx, &order);
    }
    mco_free(test_ctx, &expected);
    mco_paths_destroy(test_ctx, &network);
}

typedef enum strange { STAR, COMPLETE, PATH, APART, STRANGE } strange;

static bool are_strange_neighbours(strange kind, int32_t u, int32_t v)
{
    return kind == COMPLETE || (kind == STAR ? u == 0 : v == u + 1 && (kind == PATH || v % 10 != 0));
}

// A star, a complete graph, a path and paths apart, at places that are all the same: trees of elimination stay low.
static void orders_of_strange_graphs_are_orders(void **state)
{
    (void)state;
    enum { VERTICES = 300, MOST_HEIGHT = 16 };
    static int64_t first[VERTICES + 1];
    static int32_t head[VERTICES * VERTICES];
    double same[VERTICES] = {0};
    for (strange kind = STAR; kind < STRANGE; kind++) {
        mco_paths_rows rows = {.vertices = VERTICES, .first = first, .head = head, .x = same, .y = same};
        int64_t triangles;
        int32_t *order;
        for (int32_t u = 0; u < VERTICES; u++) {
            for (int32_t v = u + 1; v < VERTICES; v++)
                if (are_strange_neighbours(kind, u, v))
                    head[rows.arcs++] = v;
            first[u + 1] = rows.arcs;
        }
        const int32_t height = order_shape(&rows, ORDER_FLOW, 1, &order, &triangles);
        assert_in_range(height, 2, kind == COMPLETE ? VERTICES : MOST_HEIGHT);
        mco_free(test_ctx, &order);
    }
}

// A complete bipartite network of few hubs: the hubs separate all others, and a flow looks at each arc some times only.
static void hubs_are_found_soon(void **state)
{
    (void)state;
    enum { HUBS = 200, OTHERS = TEST_IS_SANITIZED ? 2000 : 14000, MOST_CPU_S = 2 };
    const int32_t n = HUBS + OTHERS;
    int64_t *first = calloc((size_t)n + 1, sizeof *first), triangles;
    int32_t *head = malloc((size_t)HUBS * OTHERS * sizeof *head), *order;
    assert_non_null(first);
    assert_non_null(head);
    mco_paths_rows rows = {.vertices = n, .first = first, .head = head};
    for (int32_t u = 0; u < n; u++) {
        for (int32_t v = HUBS; u < HUBS && v < n; v++)
            head[rows.arcs++] = v;
        first[u + 1] = rows.arcs;
    }
    const clock_t begin = clock();
    assert_int_equal(order_shape(&rows, ORDER_FLOW, 1, &order, &triangles), HUBS + 1);
    const double cpu_s = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (!TEST_IS_SANITIZED && cpu_s > MOST_CPU_S)
        fail_msg("the order took %.2f s, at most %d were expected", cpu_s, MOST_CPU_S);
    mco_free(test_ctx, &order);
    free(head);
    free(first);
}

static void a_stopped_run_gives_no_order(void **state)
{
    (void)state;
    const mco_paths_shape shape = {MCO_PATHS_GRID, 200, 200, 1};
    mco_paths_network *network;
    mco_paths_hierarchy *h = NULL;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    params.time_limit_s = 1e-4;
    assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
    assert_fails(mco_paths_prepare(test_ctx, network, NULL, &params, &h), MCO_ERR_STOPPED,
                 "stopped while the order of 40000 vertices was looked for");
    mco_paths_destroy(test_ctx, &network);
}

// ---- Files

static void files_keep_hierarchies(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 8, 0);
    for (int k = 0; k < CASES / 4; k++) {
        mco_paths_network *network = make_random_network(&rng, k);
        mco_paths_hierarchy *h, *copy;
        assert_ok(mco_paths_prepare(test_ctx, network, NULL, NULL, &h));
        assert_ok(mco_paths_hierarchy_write(test_ctx, h, test_path("h.mcoh")));
        assert_ok(mco_paths_hierarchy_read(test_ctx, test_path("h.mcoh"), &copy));
        assert_hierarchy(copy);
        assert_same_metric(&h->topology, &copy->metric, &h->metric);
        assert_string_equal(copy->facts.order_by, h->facts.order_by);
        const mco_paths_rows a = mco_paths_view(network), b = mco_paths_view(mco_paths_hierarchy_network(copy));
        assert_int_equal(a.first_through, b.first_through);
        assert_int_equal(a.turn_count, b.turn_count);
        assert_int_equal(a.x != NULL, b.x != NULL);
        if (a.x != NULL)
            assert_memory_equal(a.y, b.y, (size_t)a.vertices * sizeof *a.y);
        mco_paths_hierarchy_destroy(test_ctx, &copy);
        mco_paths_hierarchy_destroy(test_ctx, &h);
        mco_paths_destroy(test_ctx, &network);
    }
}

static void a_hierarchy_file_is_a_network_too(void **state)
{
    (void)state;
    const char *path = test_file("named.csv", "from,to,weight\nStation,Market,7\nMarket,Bridge,5\n");
    mco_paths_network *network, *again;
    mco_paths_hierarchy *h;
    char buffer[16];
    assert_ok(mco_paths_read(test_ctx, path, 0, &network));
    assert_ok(mco_paths_prepare(test_ctx, network, NULL, NULL, &h));
    assert_ok(mco_paths_hierarchy_write(test_ctx, h, test_path("named.mcoh")));
    assert_ok(mco_paths_read(test_ctx, test_path("named.mcoh"), 0, &again));
    assert_int_equal(mco_paths_view(again).arcs, mco_paths_view(network).arcs);
    for (int32_t v = 0; v < mco_paths_view(network).vertices; v++) {
        char name[64];
        snprintf(name, sizeof name, "%s", mco_paths_vertex_name(network, v, buffer));
        assert_string_equal(mco_paths_vertex_name(again, v, buffer), name);
    }
    mco_paths_destroy(test_ctx, &again);
    assert_ok(mco_paths_read(test_ctx, test_path("named.mcoh"), 10, &again));
    assert_int_equal(mco_paths_view(again).weight[0], 10 * mco_paths_view(network).weight[0]);
    mco_paths_destroy(test_ctx, &again);
    mco_paths_hierarchy_destroy(test_ctx, &h);
    mco_paths_destroy(test_ctx, &network);
}

// The file of a small network with turns and places, in memory. To be freed.
static char *make_file(size_t *bytes)
{
    mco_rng rng;
    mco_rng_seed(&rng, 9, 0);
    mco_paths_network *network = make_network(&rng, 6, 14, 2, 10);
    mco_paths_hierarchy *h;
    assert_ok(mco_paths_prepare(test_ctx, network, NULL, NULL, &h));
    assert_ok(mco_paths_hierarchy_write(test_ctx, h, test_path("small.mcoh")));
    mco_paths_hierarchy_destroy(test_ctx, &h);
    mco_paths_destroy(test_ctx, &network);
    FILE *file = fopen(test_path("small.mcoh"), "rb");
    char *data = malloc(1 << 16);
    assert_non_null(file);
    assert_non_null(data);
    *bytes = fread(data, 1, 1 << 16, file);
    fclose(file);
    return data;
}

static void files_that_are_cut_or_changed_are_refused(void **state)
{
    (void)state;
    size_t bytes;
    char *data = make_file(&bytes);
    mco_paths_hierarchy *h = NULL;
    assert_in_range(bytes, 200, 4000);
    assert_ok(paths_hierarchy_parse(test_ctx, "f", data, (int64_t)bytes, &h));
    mco_paths_hierarchy_destroy(test_ctx, &h);
    for (size_t k = 0; k < bytes; k++) {
        assert_int_equal(paths_hierarchy_parse(test_ctx, "f", data, (int64_t)k, &h), MCO_ERR_PARSE);
        for (int bit = 0; bit < 8; bit++) {
            data[k] = (char)(data[k] ^ (1 << bit));
            assert_int_equal(paths_hierarchy_parse(test_ctx, "f", data, (int64_t)bytes, &h), MCO_ERR_PARSE);
            data[k] = (char)(data[k] ^ (1 << bit));
        }
    }
    data[bytes] = 0;
    assert_int_equal(paths_hierarchy_parse(test_ctx, "f", data, (int64_t)bytes + 1, &h), MCO_ERR_PARSE);
    assert_null(h);
    free(data);
}

static void no_allocation_of_files_may_fail_unseen(void **state)
{
    (void)state;
    size_t bytes;
    char *data = make_file(&bytes);
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k++) {
        mco_paths_hierarchy *h = NULL;
        const long before = test_memory.live;
        test_fail_allocation(k);
        st = paths_hierarchy_parse(test_ctx, "f", data, (int64_t)bytes, &h);
        if (st == MCO_OK)
            st = mco_paths_hierarchy_write(test_ctx, h, test_path("small.mcoh"));
        test_fail_allocation(0);
        mco_paths_hierarchy_destroy(test_ctx, &h);
        assert_int_equal(test_memory.live, before);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
    }
    free(data);
}

// A network without small separators is refused from counts alone, and a stop ends each part of building.
static void building_keeps_its_limits(void **state)
{
    (void)state;
    mco_rng rng;
    small_network net;
    paths_topology t = {0};
    paths_metric metric = {0};
    int32_t *triangle = NULL;
    const paths_limits poor = {.memory = 1000, .stop_s = INFINITY}, late = {.memory = 1e9, .stop_s = 0};
    mco_rng_seed(&rng, 3, 0);
    make_small(&net, &rng, 20, 60, 0);
    assert_int_equal(paths_topology_make_within(test_ctx, &net.rows, net.order, &poor, &t), MCO_ERR_MEMORY);
    assert_non_null(strstr(mco_context_error(test_ctx), "MiB are allowed"));
    assert_ok(paths_topology_make_within(test_ctx, &net.rows, net.order, &late, &t));  // too small to be stopped
    assert_ok(paths_triangles_make_within(test_ctx, &t, &late, &triangle));
    assert_ok(paths_metric_open(test_ctx, &t, &metric));
    assert_int_equal(paths_metric_make_within(test_ctx, &t, triangle, net.weight, 2, &late, &metric), MCO_ERR_STOPPED);
    mco_cancel(test_ctx);
    const paths_limits never = {.memory = 1e9, .stop_s = INFINITY};
    assert_int_equal(paths_metric_make_within(test_ctx, &t, triangle, net.weight, 1, &never, &metric), MCO_ERR_STOPPED);
    mco_clear_cancel(test_ctx);
    assert_ok(paths_metric_make_within(test_ctx, &t, triangle, net.weight, 1, &never, &metric));
    mco_free(test_ctx, &triangle);
    paths_metric_clear(test_ctx, &metric);
    paths_topology_clear(test_ctx, &t);
}

// A random network has no small separators: its hierarchy has few arcs, but more triangles than are supported.
static void a_hierarchy_that_explodes_is_refused(void **state)
{
    (void)state;
    enum { VERTICES = 10000 };
    mco_paths_network *network;
    int32_t *order = malloc(VERTICES * sizeof *order);
    paths_topology t = {0};
    const mco_paths_shape shape = {MCO_PATHS_RANDOM, VERTICES, 6 * VERTICES, 1};
    assert_non_null(order);
    for (int32_t v = 0; v < VERTICES; v++)
        order[v] = v;
    assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
    const mco_paths_rows rows = mco_paths_view(network);
    assert_int_equal(paths_topology_make(test_ctx, &rows, order, &t), MCO_ERR_LIMIT);
    assert_non_null(strstr(mco_context_error(test_ctx), "at most 34359738368 triangles are supported"));
    mco_paths_destroy(test_ctx, &network);
    free(order);
}

static void no_allocation_may_fail_unseen(void **state)
{
    (void)state;
    mco_rng rng;
    small_network net;
    paths_topology t = {0};
    paths_metric metric = {0};
    mco_rng_seed(&rng, 3, 0);
    make_small(&net, &rng, 20, 60, 5);
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k++) {
        const long before = test_memory.live;
        test_fail_allocation(k);
        st = paths_topology_make(test_ctx, &net.rows, net.order, &t);
        if (st == MCO_OK)
            st = paths_metric_open(test_ctx, &t, &metric);
        test_fail_allocation(0);
        if (st != MCO_OK) {
            assert_int_equal(st, MCO_ERR_MEMORY);
            paths_topology_clear(test_ctx, &t);
            assert_int_equal(test_memory.live, before);
        }
    }
    paths_metric_clear(test_ctx, &metric);
    paths_topology_clear(test_ctx, &t);
}

static void no_allocation_of_preparing_may_fail_unseen(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 7, 0);
    mco_paths_network *network = make_network(&rng, 20, 60, 3, MAX_TURNS);
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k++) {
        mco_paths_hierarchy *h = NULL;
        const long before = test_memory.live;
        test_fail_allocation(k);
        st = mco_paths_prepare(test_ctx, network, NULL, NULL, &h);
        test_fail_allocation(0);
        if (st != MCO_OK) {
            assert_int_equal(st, MCO_ERR_MEMORY);
            assert_null(h);
            assert_int_equal(test_memory.live, before);
        }
        mco_paths_hierarchy_destroy(test_ctx, &h);
    }
    mco_paths_destroy(test_ctx, &network);
}

// ---- What hierarchies keep between calls

// New weights again and again, by different numbers of threads, with trees in between: kept tables and threads never show.
static void calls_that_follow_each_other_agree(void **state)
{
    (void)state;
    enum { SIDE = 250, CALLS = 8 };
    const mco_paths_shape shape = {MCO_PATHS_ROAD, SIDE, SIDE, 1};
    mco_paths_network *network;
    mco_paths_hierarchy *h;
    paths_metric expected;
    mco_rng rng;
    mco_rng_seed(&rng, 11, 0);
    assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
    assert_ok(mco_paths_prepare(test_ctx, network, NULL, NULL, &h));
    assert_true(paths_metric_threads(&h->topology, 3) == 3);
    assert_ok(paths_metric_open(test_ctx, &h->topology, &expected));
    const mco_paths_rows rows = mco_paths_view(mco_paths_hierarchy_network(h));
    int32_t *weight = calloc((size_t)rows.arcs, sizeof *weight);
    assert_non_null(weight);
    for (int call = 0; call < CALLS; call++) {
        static const int32_t THREADS[CALLS] = {2, 2, 3, 1, 2, 3, 3, 2};
        mco_paths_params params = MCO_PATHS_PARAMS_INIT, plain = MCO_PATHS_PARAMS_INIT;
        mco_paths_tree tree = MCO_PATHS_TREE_INIT, other = MCO_PATHS_TREE_INIT;
        params.threads = THREADS[call];
        for (int64_t a = 0; a < rows.arcs; a++)
            weight[a] = (int32_t)mco_rng_below(&rng, 1000);
        assert_ok(mco_paths_customise(test_ctx, h, weight, &params));
        paths_metric_ref(&h->topology, rows.arcs, weight, &expected);
        assert_same_metric(&h->topology, &h->metric, &expected);
        params.method = MCO_PATHS_METHOD_SWEEP;
        for (int again = 0; again < 2; again++) {
            const int32_t source = (int32_t)mco_rng_below(&rng, (uint32_t)rows.vertices);
            params.simd = call % 3 == 1 ? MCO_SIMD_PORTABLE : MCO_SIMD_AUTO;
            assert_ok(mco_paths_find_tree(test_ctx, mco_paths_hierarchy_network(h), h, source, &params, &tree));
            assert_ok(mco_paths_find_tree(test_ctx, mco_paths_hierarchy_network(h), NULL, source, &plain, &other));
            assert_memory_equal(tree.distance, other.distance, (size_t)rows.vertices * sizeof *tree.distance);
            mco_paths_tree_clear(test_ctx, &other);
            mco_paths_tree_clear(test_ctx, &tree);
        }
    }
    free(weight);
    paths_metric_clear(test_ctx, &expected);
    mco_paths_hierarchy_destroy(test_ctx, &h);
    mco_paths_destroy(test_ctx, &network);
}

// Threads that share a hierarchy: one finds the kept tables, the others make their own.
static void *find_trees_of_a_thread(void *argument)
{
    const mco_paths_hierarchy *h = argument;
    for (int k = 0; k < 20; k++) {
        paths_sweep *sweep = NULL;
        int32_t *distance = calloc((size_t)h->network->rows.vertices, sizeof *distance);
        if (distance == NULL || paths_sweep_take(test_ctx, h, MCO_SIMD_AUTO, &sweep) != MCO_OK)
            return NULL;
        paths_sweep_tree(sweep, h->topology.rank[k], distance, NULL);
        const bool is_right = mco_paths_check(test_ctx, h->network, k, distance) == MCO_OK;
        paths_sweep_give(test_ctx, h, &sweep);
        free(distance);
        if (!is_right)
            return NULL;
    }
    return argument;
}

static void threads_share_a_hierarchy(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    const mco_paths_shape shape = {MCO_PATHS_ROAD, 40, 40, 1};
    mco_paths_network *network;
    mco_paths_hierarchy *h;
    pthread_t thread[THREADS];
    assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
    assert_ok(mco_paths_prepare(test_ctx, network, NULL, NULL, &h));
    for (int k = 0; k < THREADS; k++)
        assert_int_equal(pthread_create(&thread[k], NULL, find_trees_of_a_thread, h), 0);
    for (int k = 0; k < THREADS; k++) {
        void *result = NULL;
        assert_int_equal(pthread_join(thread[k], &result), 0);
        assert_ptr_equal(result, h);
    }
    mco_paths_hierarchy_destroy(test_ctx, &h);
    mco_paths_destroy(test_ctx, &network);
}

static void no_allocation_of_what_is_kept_may_fail_unseen(void **state)
{
    (void)state;
    const mco_paths_shape shape = {MCO_PATHS_ROAD, 250, 250, 1};
    mco_paths_network *network;
    mco_paths_hierarchy *h;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_tree tree = MCO_PATHS_TREE_INIT;
    mco_status st = MCO_ERR_MEMORY;
    params.threads = 2;
    assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
    const long before = test_memory.live;
    assert_ok(mco_paths_prepare(test_ctx, network, NULL, NULL, &h));
    const mco_paths_rows rows = mco_paths_view(network);
    for (long k = 1; st != MCO_OK; k++) {
        test_fail_allocation(k);
        st = mco_paths_customise(test_ctx, h, rows.weight, &params);
        if (st == MCO_OK)
            st = mco_paths_find_tree(test_ctx, network, h, 0, &params, &tree);
        test_fail_allocation(0);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
    }
    mco_paths_tree_clear(test_ctx, &tree);
    mco_paths_hierarchy_destroy(test_ctx, &h);
    assert_int_equal(test_memory.live, before);
    mco_paths_destroy(test_ctx, &network);
}

// A failure in any thread gives no order and leaves no memory behind.
static void no_allocation_of_orders_may_fail_unseen(void **state)
{
    (void)state;
    static const struct {
        int32_t side, threads;
        long step;
    } CASES_OF[] = {{20, 1, 1}, {110, 3, 37}};
    for (int c = 0; c < COUNT_OF(CASES_OF); c++) {
        const mco_paths_shape shape = {MCO_PATHS_GRID, CASES_OF[c].side, CASES_OF[c].side, 1};
        mco_paths_network *network;
        mco_status st = MCO_ERR_MEMORY;
        assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
        const mco_paths_rows rows = mco_paths_view(network);
        mco_run run = mco_run_begin(test_ctx, &(mco_run_settings){.time_limit_s = MCO_NO_LIMIT});
        for (long k = 1; st != MCO_OK; k += CASES_OF[c].step) {
            int32_t *order = NULL;
            char by[16];
            const long before = test_memory.live;
            test_fail_allocation(k);
            st = paths_order_find_by(test_ctx, &rows, &run, CASES_OF[c].threads, ORDER_FLOW, &order, by);
            test_fail_allocation(0);
            assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
            assert_int_equal(order != NULL, st == MCO_OK);
            mco_free(test_ctx, &order);
            assert_int_equal(test_memory.live, before);
        }
        mco_run_clear(&run);
        mco_paths_destroy(test_ctx, &network);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(topology_is_the_completion_in_post_order),
        TEST(ways_up_and_down_are_shortest),
        TEST(every_unit_and_thread_gives_the_same_metric),
        TEST(prepared_and_customised_networks_have_shortest_distances),
        TEST(orders_that_are_none_are_refused),
        TEST(orders_of_a_grid_are_flat), TEST(threads_find_the_same_order), TEST(orders_of_strange_graphs_are_orders),
        TEST(hubs_are_found_soon), TEST(a_stopped_run_gives_no_order),
        TEST(files_keep_hierarchies),
        TEST(a_hierarchy_file_is_a_network_too),
        TEST(files_that_are_cut_or_changed_are_refused),
        TEST(no_allocation_of_files_may_fail_unseen),
        TEST(building_keeps_its_limits),
        TEST(a_hierarchy_that_explodes_is_refused),
        TEST(no_allocation_may_fail_unseen),
        TEST(no_allocation_of_preparing_may_fail_unseen),
        TEST(no_allocation_of_orders_may_fail_unseen),
        TEST(calls_that_follow_each_other_agree), TEST(threads_share_a_hierarchy),
        TEST(no_allocation_of_what_is_kept_may_fail_unseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
