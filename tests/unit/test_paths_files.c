// SPDX-License-Identifier: MIT
// Files of networks and of distances, and generated networks.
#include "test_support.h"

#include <sys/stat.h>

#include "paths/file.h"

// ---- Folders of vectors, built from memory

// 0 -> 1 -> 2, 0 -> 2, with one forbidden turn.
static const uint32_t FIRST[] = {0, 2, 3, 3}, HEAD[] = {1, 2, 2}, WEIGHT[] = {5, 20, 7};
static const float LATITUDE[] = {49.5f, 49.6f, 49.7f}, LONGITUDE[] = {6.1f, 6.2f, 6.3f};
static const uint32_t TURN_FROM[] = {0}, TURN_TO[] = {2}, THROUGH[] = {1};

static void put(paths_folder *f, paths_vector k, const void *data, size_t bytes)
{
    mco_free_bytes(test_ctx, &f->data[k]);
    assert_ok(mco_alloc_bytes(test_ctx, &f->data[k], bytes + 1, 1));
    memcpy(f->data[k], data, bytes);
    f->bytes[k] = (int64_t)bytes;
}

static paths_folder sample(void)
{
    static const char *const names[PATHS_VECTORS] = {"first_out", "head", "travel_time", "latitude", "longitude", "turn_from_arc", "turn_to_arc",
                                                     "turn_cost", "first_through"};
    paths_folder f = {.name = "F"};
    for (int k = 0; k < PATHS_VECTORS; k++)
        f.file[k] = names[k];
    put(&f, PATHS_FIRST_OUT, FIRST, sizeof FIRST);
    put(&f, PATHS_HEAD, HEAD, sizeof HEAD);
    put(&f, PATHS_WEIGHT, WEIGHT, sizeof WEIGHT);
    return f;
}

static void assert_refused(paths_folder *f, double scale, mco_status status, const char *text)
{
    mco_paths_network *network = NULL;
    assert_fails(paths_folder_build(test_ctx, f, scale, &network), status, text);
    assert_null(network);
    paths_folder_clear(test_ctx, f);
}

static void test_folder_vectors(void **state)
{
    (void)state;
    mco_paths_network *network = NULL;
    paths_folder f = sample();
    int32_t vertex;
    put(&f, PATHS_LATITUDE, LATITUDE, sizeof LATITUDE);
    put(&f, PATHS_LONGITUDE, LONGITUDE, sizeof LONGITUDE);
    put(&f, PATHS_TURN_FROM, TURN_FROM, sizeof TURN_FROM);
    put(&f, PATHS_TURN_TO, TURN_TO, sizeof TURN_TO);
    put(&f, PATHS_THROUGH, THROUGH, sizeof THROUGH);
    assert_ok(paths_folder_build(test_ctx, &f, 2, &network));
    const mco_paths_rows r = mco_paths_view(network);
    assert_int_equal(r.vertices, 3);
    assert_int_equal(r.arcs, 3);
    assert_int_equal(r.weight[2], 14);
    assert_true(r.is_map && r.y[1] == (double)LATITUDE[1] && r.x[1] == (double)LONGITUDE[1]);
    assert_int_equal(r.first_through, 1);
    assert_int_equal(r.turn_count, 1);
    assert_int_equal(r.turns[0].cost, -1);
    assert_ok(mco_paths_find_vertex(test_ctx, network, "0", &vertex));  // vectors count from 0
    assert_int_equal(vertex, 0);
    assert_fails(mco_paths_find_vertex(test_ctx, network, "3", &vertex), MCO_ERR_ARGUMENT, "F has no vertex 3, its vertices are 0 to 2");
    mco_paths_destroy(test_ctx, &network);
    paths_folder_clear(test_ctx, &f);
}

static void test_folder_refusals(void **state)
{
    (void)state;
    static const uint32_t back[] = {0, 2, 1, 3}, late[] = {1, 2, 3, 3}, far[] = {1, 2, 3}, many[] = {0, 2, 3, 0x80000000u}, heavy[] = {5, 2000000000u, 7};
    static const float outside[] = {49.5f, 91, 49.7f};
    static const uint32_t wrong_turn[] = {1};
    paths_folder f = sample();
    put(&f, PATHS_FIRST_OUT, back, sizeof back);
    assert_refused(&f, 0, MCO_ERR_PARSE, "F: first_out[2] is 1, 2 or more was expected");
    f = sample();
    put(&f, PATHS_FIRST_OUT, late, sizeof late);
    assert_refused(&f, 0, MCO_ERR_PARSE, "F: first_out[0] is 1, 0 was expected");
    f = sample();
    put(&f, PATHS_FIRST_OUT, FIRST, 7);
    assert_refused(&f, 0, MCO_ERR_PARSE, "F: first_out has 7 bytes, a multiple of 4 was expected: one for each vertex and one more");
    f = sample();
    put(&f, PATHS_FIRST_OUT, many, sizeof many);
    assert_refused(&f, 0, MCO_ERR_LIMIT, "F: first_out ends with 2147483648 arcs, at most 2147483647 are supported");
    f = sample();
    put(&f, PATHS_HEAD, far, sizeof far);
    assert_refused(&f, 0, MCO_ERR_PARSE, "F: head[2] is 3, there are vertices 0 to 2");
    f = sample();
    put(&f, PATHS_HEAD, HEAD, 8);
    assert_refused(&f, 0, MCO_ERR_PARSE, "F: head has 8 bytes, 12 were expected: 4 for each arc");
    f = sample();
    put(&f, PATHS_WEIGHT, WEIGHT, 4);
    assert_refused(&f, 0, MCO_ERR_PARSE, "F: travel_time has 4 bytes, 12 were expected: 4 for each arc");
    f = sample();
    put(&f, PATHS_WEIGHT, heavy, sizeof heavy);
    assert_refused(&f, 0, MCO_ERR_LIMIT, "F: travel_time[1] is 2000000000, times the scale at most 1073741822 is supported");
    f = sample();
    put(&f, PATHS_LATITUDE, LATITUDE, sizeof LATITUDE);
    assert_refused(&f, 0, MCO_ERR_PARSE, "F: latitude is there without longitude");
    f = sample();
    put(&f, PATHS_LATITUDE, outside, sizeof outside);
    put(&f, PATHS_LONGITUDE, LONGITUDE, sizeof LONGITUDE);
    assert_refused(&f, 0, MCO_ERR_PARSE, "F: latitude[1] is 91, -90 to 90 were expected");
    f = sample();
    put(&f, PATHS_TURN_FROM, wrong_turn, sizeof wrong_turn);
    put(&f, PATHS_TURN_TO, TURN_TO, sizeof TURN_TO);
    assert_refused(&f, 0, MCO_ERR_PARSE, "F: turn 0: arc 1 ends at vertex 2, arc 2 does not begin there");
}

// ---- Round trips

static bool is_same(const mco_paths_network *a, const mco_paths_network *b, double tolerance)
{
    const mco_paths_rows r = mco_paths_view(a), s = mco_paths_view(b);
    bool same = r.vertices == s.vertices && r.arcs == s.arcs && r.turn_count == s.turn_count && r.first_through == s.first_through &&
                r.is_map == s.is_map && (r.x == NULL) == (s.x == NULL);
    for (int32_t v = 0; same && v <= r.vertices; v++)
        same = r.first[v] == s.first[v];
    for (int64_t k = 0; same && k < r.arcs; k++)
        same = r.head[k] == s.head[k] && r.weight[k] == s.weight[k];
    for (int32_t v = 0; same && r.x != NULL && v < r.vertices; v++)
        same = r.x[v] - s.x[v] <= tolerance && s.x[v] - r.x[v] <= tolerance && r.y[v] - s.y[v] <= tolerance && s.y[v] - r.y[v] <= tolerance;
    for (int64_t k = 0; same && k < r.turn_count; k++)
        same = r.turns[k].from == s.turns[k].from && r.turns[k].to == s.turns[k].to && r.turns[k].cost == s.turns[k].cost;
    return same;
}

static void remove_folder(const char *path)
{
    static const char *const names[] = {"first_out", "head", "travel_time", "latitude", "longitude", "turn_from_arc", "turn_to_arc", "turn_cost",
                                        "first_through"};
    char file[256];
    for (int k = 0; k < COUNT_OF(names); k++) {
        snprintf(file, sizeof file, "%s/%s", path, names[k]);
        unlink(file);
    }
    rmdir(path);
}

static void test_round_trips(void **state)
{
    (void)state;
    mco_paths_network *network = NULL, *again = NULL;
    char folder[200], weights[240];
    paths_folder f = sample();
    snprintf(folder, sizeof folder, "%s/", test_path("vectors"));
    put(&f, PATHS_LATITUDE, LATITUDE, sizeof LATITUDE);
    put(&f, PATHS_LONGITUDE, LONGITUDE, sizeof LONGITUDE);
    assert_ok(paths_folder_build(test_ctx, &f, 0, &network));
    paths_folder_clear(test_ctx, &f);
    assert_ok(mco_paths_write(test_ctx, network, folder));
    assert_ok(mco_paths_read(test_ctx, folder, 0, &again));
    assert_true(is_same(network, again, 0));
    assert_string_equal(mco_paths_name(again), "vectors");
    mco_paths_destroy(test_ctx, &again);
    snprintf(weights, sizeof weights, "%shead", folder);  // any vector of the right size can be the weights
    assert_ok(mco_paths_read(test_ctx, weights, 0, &again));
    assert_int_equal(mco_paths_view(again).weight[1], 2);
    mco_paths_destroy(test_ctx, &again);
    remove_folder(folder);
    assert_ok(mco_paths_write(test_ctx, network, test_path("map.gr")));
    assert_ok(mco_paths_read(test_ctx, test_path("map.gr"), 0, &again));
    assert_true(is_same(network, again, 1e-6));
    mco_paths_destroy(test_ctx, &again);
    mco_paths_destroy(test_ctx, &network);
}

static void test_rules_need_a_folder(void **state)
{
    (void)state;
    mco_paths_network *network = NULL, *again = NULL;
    char folder[200];
    paths_folder f = sample();
    snprintf(folder, sizeof folder, "%s/", test_path("rules"));
    put(&f, PATHS_TURN_FROM, TURN_FROM, sizeof TURN_FROM);
    put(&f, PATHS_TURN_TO, TURN_TO, sizeof TURN_TO);
    put(&f, PATHS_THROUGH, THROUGH, sizeof THROUGH);
    assert_ok(paths_folder_build(test_ctx, &f, 0, &network));
    paths_folder_clear(test_ctx, &f);
    assert_int_equal(mco_paths_write(test_ctx, network, test_path("rules.gr")), MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), "DIMACS holds no turns; a folder does"));
    assert_ok(mco_paths_write(test_ctx, network, folder));
    assert_ok(mco_paths_read(test_ctx, folder, 0, &again));
    assert_true(is_same(network, again, 0));
    mco_paths_destroy(test_ctx, &again);
    remove_folder(folder);
    mco_paths_destroy(test_ctx, &network);
}

// ---- Places

static void assert_places(const char *content, const char *text)
{
    mco_text t;
    double *x = NULL, *y = NULL;
    bool is_map;
    assert_ok(mco_text_from_memory(test_ctx, "co", content, strlen(content), &t));
    assert_fails(paths_places_read(test_ctx, &t, 2, &x, &y, &is_map), MCO_ERR_PARSE, text);
    mco_text_close(&t);
}

static void test_places(void **state)
{
    (void)state;
    assert_places("p aux sp co 2\nv 1 5 6\n", "co:3:1: the file has places of 1 vertices, the network has 2");
    assert_places("p aux sp co 3\n", "co:1:1: places of 3 vertices are stated, the network has 2");
    assert_places("v 1 5 6\n", "co:1:1: a place before the line \"p aux sp co\"");
    assert_places("p aux sp co 2\nv 1 5 6\nv 1 5 6\n", "co:3:3: vertex 1 has a place already");
    assert_places("p aux sp co 2\nv 1 5 6 7\n", "co:2:9: the line has more than a vertex and its place");
    assert_places("p aux sp co 2\nw 1 5 6\n", "co:2:1: the line begins with \"w\", c, p or v was expected");
    assert_places("p sp 2\n", "co:1:1: \"p aux sp co VERTICES\" was expected");
}

// ---- TNTP

static const char TNTP[] = "<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 3\n<FIRST THRU NODE> 3\n<NUMBER OF LINKS> 2\n<END OF METADATA>\n"
                           "1 3 100 9 1.5 0 0 0 0 1 ;\n3 2 100 9 2 0 0 0 0 1 ;\n";

static void test_tntp(void **state)
{
    (void)state;
    mco_paths_network *network = NULL;
    assert_ok(mco_paths_read(test_ctx, test_file("net.tntp", TNTP), 0, &network));
    const mco_paths_rows r = mco_paths_view(network);
    assert_int_equal(r.first_through, 2);
    assert_int_equal(r.weight[0], 1500);  // free-flow times, and not lengths
    assert_int_equal(r.weight[1], 2000);
    mco_paths_destroy(test_ctx, &network);
    char *beyond = strdup(TNTP);
    strstr(beyond, "THRU NODE> 3")[11] = '5';
    assert_int_equal(mco_paths_read(test_ctx, test_file("beyond.tntp", beyond), 0, &network), MCO_ERR_PARSE);
    assert_non_null(strstr(mco_context_error(test_ctx), ":3:19: the first through node is 5, there are nodes 1 to 3"));
    free(beyond);
}

// ---- Distances

static mco_paths_network *named(void)
{
    static const char content[] = "from,to,weight\nA,B,3\nB,\"C D\",4\n\"C D\",A,1\n";
    mco_paths_network *network = NULL;
    assert_ok(mco_paths_read(test_ctx, test_file("named.csv", content), 0, &network));
    return network;
}

static void test_distances(void **state)
{
    (void)state;
    static const char *const files[] = {"d.txt", "d.bin", "d.json", "d.txt.gz", "d.bin.gz", "d.json.gz"};
    static const int32_t source[] = {1, 0}, distance[] = {3, 0, 4, -9, 0, 3, MCO_PATHS_NONE, -9};
    mco_paths_network *network = named();
    for (int k = 0; k < COUNT_OF(files); k++) {
        int64_t count = 0;
        int32_t *sources = NULL, *distances = NULL;
        const mco_status st = mco_paths_write_distances(test_ctx, network, MCO_PATHS_FORMAT_AUTO, 2, source, distance, 4, test_path(files[k]));
        if (st == MCO_ERR_IO && strstr(files[k], ".gz") != NULL)
            continue;  // a build without zlib
        assert_ok(st);
        assert_ok(mco_paths_read_distances(test_ctx, network, test_path(files[k]), &count, &sources, &distances));
        assert_int_equal(count, 2);
        assert_memory_equal(sources, source, sizeof source);
        assert_memory_equal(distances, distance, 3 * sizeof *distance);
        assert_memory_equal(distances + 3, distance + 4, 3 * sizeof *distance);
        mco_paths_distances_clear(test_ctx, &sources, &distances);
    }
    assert_content(test_path("d.txt"), "# source B\nA 3\nB 0\n\"C D\" 4\n# source A\nA 0\nB 3\n");
    mco_paths_destroy(test_ctx, &network);
}

static void assert_distances(const mco_paths_network *network, const char *content, const char *text)
{
    mco_text t;
    int64_t count = 0;
    int32_t *source = NULL, *distance = NULL;
    assert_ok(mco_text_from_memory(test_ctx, "d", content, strlen(content), &t));
    assert_fails(paths_distances_from_text(test_ctx, network, &t, &count, &source, &distance), MCO_ERR_PARSE, text);
    mco_text_close(&t);
}

static void test_bad_distances(void **state)
{
    (void)state;
    mco_paths_network *network = named();
    int64_t count = 0;
    int32_t *source = NULL, *distance = NULL;
    assert_distances(network, "A 3\n", "d:1:1: a distance before the line \"# source VERTEX\"");
    assert_distances(network, "\n", "d:2:1: the file has no line \"# source VERTEX\"");
    assert_distances(network, "# source A\nA 0\nA 0\n", "d:3:1: the vertex has distance 0 already");
    assert_distances(network, "# source A\nA 0 1\n", "d:2:5: the line has more than a vertex and its distance");
    assert_distances(network, "{\"trees\": [{\"source\": \"A\", \"distance\": [0, 1]}]}", "d:1:46: the tree has 2 distances, 3 were expected");
    assert_distances(network, "{\"trees\": [{\"source\": \"A\"}]}", "d:1:27: a tree has no \"distance\"");
    assert_distances(network, "{}", "d:1:3: the file has no member \"trees\"");
    assert_fails(paths_distances_from_bytes(test_ctx, network, "b", "MCODIST2................", 24, &count, &source, &distance), MCO_ERR_PARSE,
                 "b: the file does not begin with MCODIST1");
    mco_paths_destroy(test_ctx, &network);
}

// ---- Generators

static void assert_order(const int32_t *order, int32_t vertices)
{
    bool *seen = calloc((size_t)vertices, sizeof *seen);
    assert_non_null(seen);
    for (int32_t k = 0; k < vertices; k++) {
        assert_true(order[k] >= 0 && order[k] < vertices && !seen[order[k]]);
        seen[order[k]] = true;
    }
    free(seen);
}

static void test_families(void **state)
{
    (void)state;
    static const mco_paths_shape shapes[] = {{MCO_PATHS_GRID, 7, 10, 1}, {MCO_PATHS_GRID, 1, 1, 1},    {MCO_PATHS_ROAD, 40, 33, 1},
                                             {MCO_PATHS_ROAD, 1, 100, 2}, {MCO_PATHS_ROAD, 100, 1, 2}, {MCO_PATHS_ROAD, 9, 9, 3},
                                             {MCO_PATHS_RANDOM, 50, 120, 1}, {MCO_PATHS_RANDOM, 0, 0, 1}};
    static const int64_t arcs[] = {246, 0, -1, 198, 198, -1, 120, 0};
    for (int k = 0; k < COUNT_OF(shapes); k++) {
        mco_paths_network *a = NULL, *b = NULL;
        int32_t *order = NULL;
        assert_ok(mco_paths_generate(test_ctx, &shapes[k], &a, &order));
        assert_ok(mco_paths_generate(test_ctx, &shapes[k], &b, NULL));
        assert_true(is_same(a, b, 0));
        const mco_paths_rows r = mco_paths_view(a);
        assert_int_equal(r.vertices, shapes[k].family == MCO_PATHS_RANDOM ? shapes[k].a : shapes[k].a * shapes[k].b);
        if (arcs[k] >= 0)
            assert_int_equal(r.arcs, arcs[k]);
        assert_int_equal(order != NULL, shapes[k].family == MCO_PATHS_ROAD);
        if (order != NULL) {  // connected, in both directions
            mco_paths_params p = MCO_PATHS_PARAMS_INIT;
            mco_paths_tree t = MCO_PATHS_TREE_INIT;
            p.threads = 1;
            assert_order(order, r.vertices);
            assert_ok(mco_paths_find_tree(test_ctx, a, NULL, 0, &p, &t));
            assert_int_equal(t.reached, r.vertices);
            mco_paths_tree_clear(test_ctx, &t);
        }
        mco_paths_order_clear(test_ctx, &order);
        mco_paths_destroy(test_ctx, &b);
        mco_paths_destroy(test_ctx, &a);
    }
}

// Both directions of a grid's street have the same weight, in 100 .. 1099.
static void test_grid_weights(void **state)
{
    (void)state;
    const mco_paths_shape shape = {MCO_PATHS_GRID, 20, 30, 5};
    mco_paths_network *network = NULL;
    assert_ok(mco_paths_generate(test_ctx, &shape, &network, NULL));
    const mco_paths_rows r = mco_paths_view(network);
    for (int32_t u = 0; u < r.vertices; u++)
        for (int64_t a = r.first[u]; a < r.first[u + 1]; a++) {
            int64_t back = r.first[r.head[a]];
            while (r.head[back] != u)
                back++;
            assert_int_equal(r.weight[a], r.weight[back]);
            assert_in_range(r.weight[a], 100, 1099);
        }
    mco_paths_destroy(test_ctx, &network);
}

static void test_refused_shapes(void **state)
{
    (void)state;
    mco_paths_network *network = NULL;
    const mco_paths_shape empty = {MCO_PATHS_GRID, 0, 5, 1}, large = {MCO_PATHS_ROAD, 100000, 100000, 1}, arcs = {MCO_PATHS_RANDOM, 0, 5, 1};
    assert_fails(mco_paths_generate(test_ctx, &empty, &network, NULL), MCO_ERR_ARGUMENT, "0 rows and 5 columns, 1 or more were expected");
    assert_fails(mco_paths_generate(test_ctx, &large, &network, NULL), MCO_ERR_LIMIT,
                 "100000 rows and 100000 columns, at most 2000000000 vertices are supported");
    assert_fails(mco_paths_generate(test_ctx, &arcs, &network, NULL), MCO_ERR_ARGUMENT, "0 vertices and 5 arcs are no network");
}

// ---- Every allocation may fail

static mco_status whole_call(const char *path, const char *output)
{
    mco_status st = MCO_OK;
    const mco_paths_shape shape = {MCO_PATHS_ROAD, 12, 12, 1};
    mco_paths_network *network = NULL, *read = NULL;
    int32_t *order = NULL, *source = NULL, *distance = NULL;
    int64_t count;
    const int32_t one = 0, far[] = {0, 3, MCO_PATHS_NONE};
    MCO_TRY(mco_paths_generate(test_ctx, &shape, &network, &order));
    MCO_TRY(mco_paths_read(test_ctx, path, 0, &read));
    MCO_TRY(mco_paths_write_distances(test_ctx, read, MCO_PATHS_FORMAT_AUTO, 1, &one, far, 3, output));
    MCO_TRY(mco_paths_read_distances(test_ctx, read, output, &count, &source, &distance));
done:
    mco_paths_distances_clear(test_ctx, &source, &distance);
    mco_paths_order_clear(test_ctx, &order);
    mco_paths_destroy(test_ctx, &read);
    mco_paths_destroy(test_ctx, &network);
    return st;
}

static void test_memory_failures(void **state)
{
    (void)state;
    static const char *const outputs[] = {"m.txt", "m.bin", "m.json"};
    char path[160];
    snprintf(path, sizeof path, "%s", test_file("m.csv", "from,to,weight\nA,B,3\nB,\"C D\",4\n"));
    for (int f = 0; f < COUNT_OF(outputs); f++) {
        mco_status st = MCO_ERR_MEMORY;
        long k = 0;
        while (st == MCO_ERR_MEMORY) {
            test_fail_allocation(++k);
            st = whole_call(path, test_path(outputs[f]));
            test_fail_allocation(0);
        }
        assert_ok(st);
        assert_true(k > 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_folder_vectors), TEST(test_folder_refusals), TEST(test_round_trips),  TEST(test_rules_need_a_folder),
        TEST(test_places),         TEST(test_tntp),            TEST(test_distances),    TEST(test_bad_distances),
        TEST(test_families),       TEST(test_grid_weights),    TEST(test_refused_shapes), TEST(test_memory_failures)};
    return cmocka_run_group_tests_name("paths_files", tests, NULL, NULL);
}
