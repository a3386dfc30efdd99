// SPDX-License-Identifier: MIT
// Graphs that are written: the exact files, the same graph after reading again in every format, and what a format cannot hold.
#include "graph_files_support.h"

static const mco_graph_format written[] = {MCO_GRAPH_FORMAT_EDGES,   MCO_GRAPH_FORMAT_DIMACS, MCO_GRAPH_FORMAT_METIS,
                                           MCO_GRAPH_FORMAT_GRAPHML, MCO_GRAPH_FORMAT_MATRIX, MCO_GRAPH_FORMAT_CSV};

static char *content_of(const mco_graph *graph, mco_graph_format format, mco_status *st)
{
    char *content = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&content, &size);
    assert_non_null(file);
    *st = graph_write_text(test_ctx, graph, format, file);
    assert_int_equal(fclose(file), 0);
    return content;
}

static mco_graph *read_ok(const char *content)
{
    mco_graph *graph = NULL;
    assert_ok(graph_of_text(content, MCO_GRAPH_FORMAT_AUTO, MCO_GRAPH_DIRECTION_AUTO, "file", &graph));
    return graph;
}

static void assert_written(const char *from, mco_graph_format format, const char *expected)
{
    mco_status st;
    mco_graph *graph = read_ok(from);
    char *content = content_of(graph, format, &st);
    assert_ok(st);
    assert_string_equal(content, expected);
    free(content);
    mco_graph_destroy(test_ctx, &graph);
}

static void test_contents(void **state)
{
    (void)state;
    static const char names[] = "a b 2\n\"c d\" a 0.5\n";
    assert_written(names, MCO_GRAPH_FORMAT_EDGES,
                   "# undirected\n# vertices: 3 edges: 2 from: 1\n# ids: names\na b 2\na \"c d\" 0.5\n");
    assert_written("# vertex: z\na b\n", MCO_GRAPH_FORMAT_EDGES,
                   "# undirected\n# vertices: 3 edges: 1 from: 1\n# ids: names\n# vertex: z\n# vertex: a\n# vertex: b\na b\n");
    assert_written(names, MCO_GRAPH_FORMAT_CSV, "source,target,weight\na,b,2\na,c d,0.5\n");
    assert_written("# directed\n0 1\n", MCO_GRAPH_FORMAT_CSV, "# directed\n# vertices: 2 edges: 1 from: 0\nsource,target\n0,1\n");
    assert_written("# vertex: z\na b\n", MCO_GRAPH_FORMAT_CSV, "source,target\nz,\na,\nb,\na,b\n");
    assert_written(names, MCO_GRAPH_FORMAT_DIMACS, "p edge 3 2\ne 1 2 2\ne 1 3 0.5\n");
    assert_written("# directed\n1 2\n", MCO_GRAPH_FORMAT_DIMACS, "p sp 2 1\na 1 2 1\n");
    assert_written("1 2 3\n2 3 4\n# vertices: 4\n", MCO_GRAPH_FORMAT_METIS, "4 2 001\n2 3\n1 3 3 4\n2 4\n\n");
    assert_written(names, MCO_GRAPH_FORMAT_MATRIX, ",a,b,c d\na,0,2,0.5\nb,2,0,0\nc d,0.5,0,0\n");
    assert_written("1 2\n2 2\n", MCO_GRAPH_FORMAT_MATRIX, "0 1\n1 1\n");
    assert_written("\"<a>\" b 2\n", MCO_GRAPH_FORMAT_GRAPHML,
                   "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                   "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
                   "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
                   "  <graph edgedefault=\"undirected\">\n"
                   "    <node id=\"n1\"><data key=\"name\">&#60;a&#62;</data></node>\n"
                   "    <node id=\"n2\"><data key=\"name\">b</data></node>\n"
                   "    <edge source=\"n1\" target=\"n2\"><data key=\"weight\">2</data></edge>\n"
                   "  </graph>\n</graphml>\n");
}

// Graphs with all that a format can hold: weights, names, loops, parallel edges, vertices without edges, both bases.
static const char *const graphs[] = {
    "1 2\n2 3\n3 1\n", "0 1 2\n1 2 3\n", "# directed\n0 1\n1 0\n1 2\n", "# directed\n1 2 0.25\n2 2 3\n", "1 2\n1 2\n2 2\n",
    "# vertices: 5 edges: 1 from: 0\n1 2\n", "# directed\n# vertices: 4\n3 1 -2\n", "# ids: names\n5 3\n3 4\n",
    "# vertex: lone\nfrom \"to \"\nto \",;\"\np \"#1\"\n\"a\"\"b\" \" c\"\n", "1999999999 5 7\n5 6 8\n", "",
    "source \"\t<&\"\n%x p\n\"p\" \"sp\"\n",
};

// Whether the format can hold the graph at all.
static bool is_held(mco_graph_format format, const char *line, mco_status st)
{
    if (st == MCO_OK)
        return true;
    assert_int_equal(st, MCO_ERR_ARGUMENT);
    assert_true(format == MCO_GRAPH_FORMAT_METIS || format == MCO_GRAPH_FORMAT_MATRIX);
    assert_true(strncmp(line, "directed", 8) == 0 || strstr(line, "2-2") != NULL || strstr(line, "(") != NULL);
    return false;
}

static void test_round_trips(void **state)
{
    (void)state;
    for (int g = 0; g < COUNT_OF(graphs); g++)
        for (int f = 0; f < COUNT_OF(written); f++) {
            mco_status st;
            char line[GRAPH_LINE];
            mco_graph *graph = read_ok(graphs[g]), *back = NULL;
            const bool keeps_names = written[f] != MCO_GRAPH_FORMAT_DIMACS && written[f] != MCO_GRAPH_FORMAT_METIS;
            const bool keeps_base = keeps_names && written[f] != MCO_GRAPH_FORMAT_MATRIX;
            const mco_graph_rows rows = mco_graph_view(graph);
            snprintf(line, sizeof line, "%s", graph_line(graph));
            char *content = content_of(graph, written[f], &st);
            if (is_held(written[f], line, st) && rows.vertices > 0) {
                assert_ok(graph_of_text(content, written[f], MCO_GRAPH_DIRECTION_AUTO, "file", &back));
                char *again = content_of(back, written[f], &st);
                if (written[f] != MCO_GRAPH_FORMAT_METIS)  // where edges of smaller ends go first after reading
                    assert_string_equal(again, content);
                const bool is_plain = mco_graph_base(graph) == 1 && !mco_graph_has_names(graph);
                if (keeps_base || (written[f] == MCO_GRAPH_FORMAT_METIS && is_plain) || (keeps_names && mco_graph_base(graph) == 1))
                    assert_string_equal(graph_line(back), line);
                else
                    assert_int_equal(mco_graph_view(back).edges, rows.edges);
                assert_int_equal(mco_graph_view(back).is_directed, rows.is_directed);
                free(again);
                mco_graph_destroy(test_ctx, &back);
            }
            free(content);
            mco_graph_destroy(test_ctx, &graph);
        }
}

// AUTO finds the format of what was written, without the help of a name.
static void test_found(void **state)
{
    (void)state;
    for (int g = 0; g < COUNT_OF(graphs); g++)
        for (int f = 0; f < COUNT_OF(written); f++) {
            mco_status st;
            mco_graph *graph = read_ok(graphs[g]);
            char *content = content_of(graph, written[f], &st);
            mco_text text;
            assert_ok(mco_text_from_memory(test_ctx, "f", content, strlen(content), &text));
            const bool is_told = written[f] != MCO_GRAPH_FORMAT_METIS && written[f] != MCO_GRAPH_FORMAT_MATRIX;
            if (is_told && st == MCO_OK)
                assert_int_equal(graph_find_format(&text, "file"), written[f]);
            mco_text_close(&text);
            free(content);
            mco_graph_destroy(test_ctx, &graph);
        }
}

static void test_places(void **state)
{
    (void)state;
    const int32_t from[] = {0}, to[] = {1};
    const double x[] = {1.5, -2}, y[] = {0, 1e-3};
    const mco_graph_edges edges = {.vertices = 2, .edges = 1, .from = from, .to = to, .x = x, .y = y};
    mco_graph *graph = NULL, *back = NULL;
    mco_status st;
    assert_ok(mco_graph_create(test_ctx, &edges, &graph));
    char *content = content_of(graph, MCO_GRAPH_FORMAT_GRAPHML, &st);
    assert_ok(graph_of_text(content, MCO_GRAPH_FORMAT_AUTO, MCO_GRAPH_DIRECTION_AUTO, "file", &back));
    const mco_graph_rows rows = mco_graph_view(back);
    assert_memory_equal(rows.x, x, sizeof x);
    assert_memory_equal(rows.y, y, sizeof y);
    free(content);
    mco_graph_destroy(test_ctx, &back);
    mco_graph_destroy(test_ctx, &graph);
}

static void assert_not_written(const char *from, mco_graph_format format, const char *expected)
{
    mco_graph *graph = read_ok(from);
    const char *path = test_path("out");
    assert_fails(mco_graph_write(test_ctx, graph, format, path), MCO_ERR_ARGUMENT, expected);
    assert_null(test_content(path));
    mco_graph_destroy(test_ctx, &graph);
}

static void test_refusals(void **state)
{
    (void)state;
    mco_graph *graph = read_ok("1 2\n");
    assert_not_written("# directed\n1 2\n", MCO_GRAPH_FORMAT_METIS, "METIS holds undirected graphs only, the graph is directed");
    assert_not_written("1 2\n2 2\n", MCO_GRAPH_FORMAT_METIS, "METIS holds no loops, vertex 2 has one");
    assert_not_written("1 2 0.5\n", MCO_GRAPH_FORMAT_METIS, "METIS holds integers from 0 to 2^53 as weights, an edge of vertex 1 has 0.5");
    assert_not_written("1 2\n2 1\n", MCO_GRAPH_FORMAT_MATRIX, "a matrix holds no parallel edges, vertices 1 and 2 have some");
    assert_not_written("1 2 0\n", MCO_GRAPH_FORMAT_MATRIX, "a matrix holds no edges of weight 0, vertices 1 and 2 have one");
    assert_not_written("# vertices: 20001\n1 2\n", MCO_GRAPH_FORMAT_MATRIX,
                       "20001 vertices, at most 20000 can be written as a matrix");
    assert_not_written("1 2\n", MCO_GRAPH_FORMAT_TNTP,
                       "the format tntp is only read; edges, dimacs, metis, graphml, matrix and csv are written");
    assert_not_written("1 2\n", MCO_GRAPH_FORMAT_SNAP,
                       "the format snap is only read; edges, dimacs, metis, graphml, matrix and csv are written");
    assert_fails(mco_graph_write(test_ctx, NULL, MCO_GRAPH_FORMAT_AUTO, "x"), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_int_equal(mco_graph_write(test_ctx, graph, MCO_GRAPH_FORMAT_AUTO, "none/such/folder"), MCO_ERR_IO);
    mco_graph_destroy(test_ctx, &graph);
}

// AUTO goes by the end of the path.
static void test_paths(void **state)
{
    (void)state;
    static const struct {
        const char *name, *expected;
    } cases[] = {
        {"a.col", "p edge 2 1\ne 1 2\n"},   {"a.graph", "2 1\n2\n1\n"}, {"a.mat", "0 1\n1 0\n"},
        {"a.txt", "# undirected\n# vertices: 2 edges: 1 from: 1\n1 2\n"},
        {"a.csv", "# vertices: 2 edges: 1 from: 1\nsource,target\n1,2\n"},
    };
    mco_graph *graph = read_ok("1 2\n");
    for (int k = 0; k < COUNT_OF(cases); k++) {
        const char *path = test_path(cases[k].name);
        assert_ok(mco_graph_write(test_ctx, graph, MCO_GRAPH_FORMAT_AUTO, path));
        assert_content(path, cases[k].expected);
    }
    mco_graph_destroy(test_ctx, &graph);
}

static void test_memory_failures(void **state)
{
    (void)state;
    mco_graph *graph = read_ok("1 2\n2 3\n");
    for (long k = 1; k <= 2; k++) {
        mco_status st;
        test_fail_allocation(k);
        char *content = content_of(graph, MCO_GRAPH_FORMAT_MATRIX, &st);
        test_fail_allocation(0);
        assert_int_equal(st, MCO_ERR_MEMORY);
        free(content);
    }
    mco_graph_destroy(test_ctx, &graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_contents), TEST(test_round_trips), TEST(test_found), TEST(test_places), TEST(test_refusals), TEST(test_paths),
        TEST(test_memory_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
