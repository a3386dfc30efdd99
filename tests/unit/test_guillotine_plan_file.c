// SPDX-License-Identifier: MIT
// Plans and tables as files: what is written byte for byte, round trips, very deep trees, and every refusal with its place.
#include "test_support.h"

#include "guillotine/formats.h"

#define CUT(x, y, w, h, axis, at, first, second)                                                          \
    {.kind = MCO_GUILLOTINE_NODE_CUT, x, y, w, h, MCO_GUILLOTINE_CUT_##axis, at, {first, second}, 0, false}
#define PIECE(x, y, w, h, number) {.kind = MCO_GUILLOTINE_NODE_PIECE, x, y, w, h, .piece = (number) - 1}
#define TURNED(x, y, w, h, number) {.kind = MCO_GUILLOTINE_NODE_PIECE, x, y, w, h, .piece = (number) - 1, .is_rotated = true}
#define WASTE(x, y, w, h) {.kind = MCO_GUILLOTINE_NODE_WASTE, x, y, w, h}

// Plate 30 x 20, kerf 1: A 10 x 20 | B 9 x 9 below its turned neighbour, waste, and a cut that leaves nothing.
static const mco_guillotine_node example[] = {
    CUT(0, 0, 30, 20, X, 10, 1, 2),    // 0
    PIECE(0, 0, 10, 20, 1),            // 1
    CUT(11, 0, 19, 20, Y, 9, 3, 6),    // 2
    CUT(11, 0, 19, 9, X, 18, 4, 5),    // 3
    PIECE(11, 0, 18, 9, 2),            // 4
    WASTE(30, 0, 0, 9),                // 5
    CUT(11, 10, 19, 10, X, 9, 7, 8),   // 6
    TURNED(11, 10, 9, 10, 3),          // 7
    WASTE(21, 10, 9, 10),              // 8
};

#define EXAMPLE_INSTANCE "plate,30,20\nname,width,height\nA,10,20\nB,18,9\n,10,9\nC,5,5\n"

#define EXAMPLE_TREE                                                                               \
    "\"plan\": {\"x\": 0, \"y\": 0, \"w\": 30, \"h\": 20, \"cut\": \"x\", \"at\": 10, \"parts\": [\n" \
    "    {\"x\": 0, \"y\": 0, \"w\": 10, \"h\": 20, \"piece\": 1, \"name\": \"A\"},\n"             \
    "    {\"x\": 11, \"y\": 0, \"w\": 19, \"h\": 20, \"cut\": \"y\", \"at\": 9, \"parts\": [\n"     \
    "      {\"x\": 11, \"y\": 0, \"w\": 19, \"h\": 9, \"cut\": \"x\", \"at\": 18, \"parts\": [\n"   \
    "        {\"x\": 11, \"y\": 0, \"w\": 18, \"h\": 9, \"piece\": 2, \"name\": \"B\"},\n"         \
    "        {\"x\": 30, \"y\": 0, \"w\": 0, \"h\": 9, \"waste\": true}]},\n"                      \
    "      {\"x\": 11, \"y\": 10, \"w\": 19, \"h\": 10, \"cut\": \"x\", \"at\": 9, \"parts\": [\n"  \
    "        {\"x\": 11, \"y\": 10, \"w\": 9, \"h\": 10, \"piece\": 3, \"rotated\": true},\n"      \
    "        {\"x\": 21, \"y\": 10, \"w\": 9, \"h\": 10, \"waste\": true}]}]}]}"

#define EXAMPLE_CUTS                                                                                                   \
    "x counts from the left edge of the rectangle that is cut, y from its lower edge; R7 is the rectangle that cut 7 " \
    "divides\n"                                                                                                        \
    "1. cut the plate 30 x 20 at x = 10: 10 x 20 (piece A) | 19 x 20 (R2)\n"                                           \
    "2. cut R2 19 x 20 at y = 9: 19 x 9 (R3) | 19 x 10 (R4)\n"                                                         \
    "3. cut R3 19 x 9 at x = 18: 18 x 9 (piece B) | nothing (the saw takes the rest)\n"                                \
    "4. cut R4 19 x 10 at x = 9: 9 x 10 (piece 3, turned) | 9 x 10 (waste)\n"                                          \
    "pieces: 3\n"                                                                                                      \
    "     1 x piece A, 10 x 20\n"                                                                                      \
    "     1 x piece B, 18 x 9\n"                                                                                       \
    "     1 x piece 3, 10 x 9\n"                                                                                       \
    "waste: 148 of 600, 24.667%\n"

static mco_guillotine *instance(void)
{
    mco_text text;
    mco_guillotine *g = NULL;
    assert_ok(mco_text_from_memory(test_ctx, "instance", EXAMPLE_INSTANCE, strlen(EXAMPLE_INSTANCE), &text));
    assert_ok(guillotine_read_text(test_ctx, &text, "instance", &g));
    mco_text_close(&text);
    return g;
}

static mco_status read_plan(const mco_guillotine *g, const char *content, mco_guillotine_node **nodes, int64_t *count,
                            int64_t *value)
{
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "p", content, strlen(content), &text));
    mco_status st = guillotine_read_plan_text(test_ctx, g, &text, nodes, count, value);
    mco_text_close(&text);
    return st;
}

static void assert_nodes(const mco_guillotine_node *nodes, const mco_guillotine_node *expected, int64_t count)
{
    for (int64_t k = 0; k < count; k++) {
        const mco_guillotine_node *a = &nodes[k], *b = &expected[k];
        assert_true(a->kind == b->kind && a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height);
        assert_true(a->piece == b->piece && a->is_rotated == b->is_rotated && a->cut == b->cut && a->at == b->at);
        assert_true(a->parts[0] == b->parts[0] && a->parts[1] == b->parts[1]);
    }
}

// ---- Writing and reading back

static void test_round_trip(void **state)
{
    (void)state;
    mco_guillotine *g = instance();
    mco_guillotine_node *nodes = NULL;
    int64_t count, value;
    const char *path = test_path("plan.json");
    assert_ok(mco_guillotine_write_plan(test_ctx, g, example, COUNT_OF(example), 452, path));
    assert_content(path, "{\n  \"value\": 452,\n  " EXAMPLE_TREE "\n}\n");
    assert_ok(mco_guillotine_read_plan(test_ctx, g, path, &nodes, &count, &value));
    assert_int_equal(value, 452);
    assert_int_equal(count, COUNT_OF(example));
    assert_nodes(nodes, example, count);
    mco_guillotine_nodes_free(test_ctx, &nodes);
    assert_null(nodes);
    mco_guillotine_nodes_free(test_ctx, &nodes);
    mco_guillotine_nodes_free(test_ctx, NULL);
    assert_ok(mco_guillotine_write_plan(test_ctx, g, &example[1], 1, -1, path));
    assert_content(path, "{\n  \"value\": null,\n  \"plan\": {\"x\": 0, \"y\": 0, \"w\": 10, \"h\": 20, \"piece\": 1, \"name\": \"A\"}\n}\n");
    assert_ok(mco_guillotine_read_plan(test_ctx, g, path, &nodes, &count, &value));
    assert_int_equal(value, -1);
    assert_int_equal(count, 1);
    assert_nodes(nodes, &example[1], 1);
    mco_guillotine_nodes_free(test_ctx, &nodes);
    mco_guillotine_destroy(test_ctx, &g);
}

// A plan inside a result file, between members of the command.
static void test_in_result_file(void **state)
{
    (void)state;
    mco_guillotine *g = instance();
    mco_guillotine_node *nodes = NULL;
    int64_t count, value;
    const char *path = test_path("result.json");
    FILE *file = fopen(path, "w");
    mco_json json;
    assert_non_null(file);
    mco_json_begin(&json, file);
    mco_json_open(&json, NULL, '{');
    mco_json_text(&json, "outcome", "optimal");
    mco_json_real(&json, "objective", 8997780);
    mco_json_open(&json, "solution", '{');
    mco_json_integer(&json, "pieces", 3);
    assert_ok(guillotine_plan_to_json(test_ctx, g, example, COUNT_OF(example), &json, "plan"));
    mco_json_bool(&json, "last", true);
    mco_json_close(&json, '}');
    mco_json_integer(&json, "check", 1);
    mco_json_close(&json, '}');
    mco_json_end(&json);
    fclose(file);
    char *content = test_content(path);
    const char *tree = strstr(content, "\"plan\"");
    assert_non_null(tree);
    assert_non_null(strstr(content, "[\n      {\"x\": 0, \"y\": 0, \"w\": 10"));
    assert_non_null(strstr(content, "\"waste\": true}]}]}]},\n    \"last\": true\n  },\n  \"check\": 1\n}\n"));
    free(content);
    assert_ok(mco_guillotine_read_plan(test_ctx, g, path, &nodes, &count, &value));
    assert_int_equal(value, 8997780);
    assert_int_equal(count, COUNT_OF(example));
    assert_nodes(nodes, example, count);
    mco_guillotine_nodes_free(test_ctx, &nodes);
    mco_guillotine_destroy(test_ctx, &g);
}

static void test_values(void **state)
{
    (void)state;
#define TINY "\"plan\": {\"x\": 0, \"y\": 0, \"w\": 1, \"h\": 1, \"waste\": true}"
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {
        {"{" TINY "}", -1},
        {"{\"value\": 7, " TINY "}", 7},
        {"{" TINY ", \"value\": 4611686018427387904}", 4611686018427387904},
        {"{\"value\": null, " TINY "}", -1},
        {"{\"value\": 0, \"objective\": 9, " TINY "}", 0},
        {"{\"objective\": 1.2e+06, \"solution\": {" TINY "}}", 1200000},
        {"{\"objective\": null, \"solution\": {" TINY "}}", -1},
        {"{\"objective\": 1e+16, \"solution\": {\"value\": 10000000000000001, " TINY "}}", 10000000000000001},
        {"{\"solution\": {\"objective\": 5, \"solution\": {\"plan\": 3}, \"x\": [{\"plan\": 1}], " TINY "}, \"plan\": null}", -1},
    };
    mco_guillotine *g = instance();
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_guillotine_node *nodes = NULL;
        int64_t count, value;
        assert_ok(read_plan(g, cases[i].text, &nodes, &count, &value));
        assert_int_equal(value, cases[i].value);
        assert_int_equal(count, 1);
        mco_guillotine_nodes_free(test_ctx, &nodes);
    }
    mco_guillotine_destroy(test_ctx, &g);
}

// Members may have any order, with others among them.
static void test_member_order(void **state)
{
    (void)state;
    static const mco_guillotine_node expected[] = {CUT(0, 0, 5, 4, Y, 3, 1, 2), TURNED(0, 0, 5, 3, 4), WASTE(0, 3, 5, 1)};
    const char *text = "{\"comment\": [\"plan\", {\"x\": 1}], \"plan\": {\"parts\": [{\"rotated\": true, \"piece\": 4, \"h\": 3,"
                       "\"w\": 5, \"y\": 0, \"x\": 0, \"name\": \"C\"}, {\"waste\": true, \"x\": 0, \"y\": 3, \"w\": 5, \"h\": 1}],"
                       "\"at\": 3, \"stage\": {\"parts\": [1, 2, 3]}, \"cut\": \"y\", \"h\": 4, \"w\": 5, \"y\": 0, \"x\": 0}}";
    mco_guillotine *g = instance();
    mco_guillotine_node *nodes = NULL;
    int64_t count, value;
    assert_ok(read_plan(g, text, &nodes, &count, &value));
    assert_int_equal(count, 3);
    assert_nodes(nodes, expected, 3);
    mco_guillotine_nodes_free(test_ctx, &nodes);
    mco_guillotine_destroy(test_ctx, &g);
}

// ---- The list of cuts

static void assert_cuts(const mco_guillotine *g, const mco_guillotine_node *nodes, int64_t count, const char *expected)
{
    const char *path = test_path("cuts.txt");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_ok(guillotine_plan_to_cuts(test_ctx, g, nodes, count, file));
    fclose(file);
    assert_content(path, expected);
    assert_int_equal(remove(path), 0);
    assert_ok(mco_guillotine_write_cuts(test_ctx, g, nodes, count, path));
    assert_content(path, expected);
}

static void test_cuts(void **state)
{
    (void)state;
    static const mco_guillotine_node one_piece[] = {PIECE(0, 0, 30, 20, 4)}, all_waste[] = {WASTE(0, 0, 30, 20)};
    mco_guillotine *g = instance();
    assert_cuts(g, example, COUNT_OF(example), EXAMPLE_CUTS);
    assert_cuts(g, one_piece, 1,
                "no cut: the plate 30 x 20 is piece C\npieces: 1\n     1 x piece C, 5 x 5\nwaste: 575 of 600, 95.833%\n");
    assert_cuts(g, all_waste, 1, "no cut: the plate 30 x 20 is waste\npieces: 0\nwaste: 600 of 600, 100.000%\n");
    mco_guillotine_destroy(test_ctx, &g);
}

// ---- Deep trees

// One strip after another is cut off the right (or left) part: `levels` cuts below each other.
static mco_guillotine_node *deep_plan(int32_t levels, bool is_left)
{
    const int64_t count = 2 * (int64_t)levels + 1;
    mco_guillotine_node *nodes = calloc((size_t)count, sizeof *nodes);
    assert_non_null(nodes);
    for (int32_t d = 0; d < levels; d++) {
        const int64_t k = is_left ? d : 2 * (int64_t)d;
        nodes[k] = (mco_guillotine_node)CUT(is_left ? 0 : d, 0, levels + 1 - d, 1, X, is_left ? levels - d : 1, k + 1,
                                            is_left ? count - 1 - d : k + 2);
        if (is_left)
            nodes[count - 1 - d] = (mco_guillotine_node)PIECE(levels - d, 0, 1, 1, 4);
        else
            nodes[k + 1] = (mco_guillotine_node)PIECE(d, 0, 1, 1, 4);
    }
    nodes[is_left ? levels : count - 1] = (mco_guillotine_node)WASTE(is_left ? 0 : levels, 0, 1, 1);
    return nodes;
}

static void test_deep(void **state)
{
    (void)state;
    enum { LEVELS = 100000 };
    mco_guillotine *g = instance();
    for (int is_left = 0; is_left < 2; is_left++) {
        mco_guillotine_node *nodes = deep_plan(LEVELS, is_left == 1), *back = NULL;
        int64_t count, value;
        const char *path = test_path("deep.json");
        assert_ok(mco_guillotine_write_plan(test_ctx, g, nodes, 2 * LEVELS + 1, 5, path));
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        fseek(file, 0, SEEK_END);
        assert_true(ftell(file) < 150L * (2 * LEVELS + 1));
        fclose(file);
        assert_ok(mco_guillotine_read_plan(test_ctx, g, path, &back, &count, &value));
        assert_int_equal(count, 2 * LEVELS + 1);
        assert_nodes(back, nodes, count);
        mco_guillotine_nodes_free(test_ctx, &back);
        file = fopen("/dev/null", "w");
        assert_ok(guillotine_plan_to_cuts(test_ctx, g, nodes, 2 * LEVELS + 1, file));
        fclose(file);
        free(nodes);
    }
    mco_guillotine_destroy(test_ctx, &g);
}

// Only brackets, a million deep: refused at the end of the text, without an overflow of the stack.
static void test_hostile_depth(void **state)
{
    (void)state;
    enum { LEVELS = 1000000 };
    static const char opening[] = "{\"parts\":[";
    mco_guillotine *g = instance();
    mco_guillotine_node *nodes = NULL;
    int64_t count, value;
    char *content = malloc(LEVELS * (sizeof opening - 1) + 64), *at = content;
    char expected[100];
    assert_non_null(content);
    at += sprintf(at, "{\"plan\":");
    for (int i = 0; i < LEVELS; i++, at += sizeof opening - 1)
        memcpy(at, opening, sizeof opening);
    snprintf(expected, sizeof expected, "p:1:%ld: the text ends where '{' was expected", (long)(at - content) + 1);
    assert_fails(read_plan(g, content, &nodes, &count, &value), MCO_ERR_PARSE, expected);
    at = content + sprintf(content, "{\"tool\":");
    memset(at, '[', LEVELS);
    at[LEVELS] = '\0';
    snprintf(expected, sizeof expected, "p:1:%d: the text ends inside a value", LEVELS + 9);
    assert_fails(read_plan(g, content, &nodes, &count, &value), MCO_ERR_PARSE, expected);
    assert_null(nodes);
    free(content);
    mco_guillotine_destroy(test_ctx, &g);
}

// ---- Refusals

#define P(node) "{\"plan\": " node "}"
#define R "\"x\": 0, \"y\": 0, \"w\": 1, \"h\": 1"
#define LEAF "{" R ", \"waste\": true}"

static void test_plan_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "p:1:1: the file is empty"},
        {"1. cut the plate", "p:1:1: '{' was expected, '1' found: a plan is a JSON object, lists of cuts are not read"},
        {"[]", "p:1:1: '{' was expected, '[' found: a plan is a JSON object, lists of cuts are not read"},
        {"{}", "p:1:3: the file holds no plan"},
        {"{\"value\": 3}", "p:1:13: the file holds no plan"},
        {"{\"solution\": null, \"objective\": null}", "p:1:38: the file holds no plan"},
        {"{\"solution\": {\"plan\": null}}", "p:1:29: the file holds no plan"},
        {"{\"solution\": [1]}", "p:1:14: '{' was expected, '[' found"},
        {"{\"x\": 0, \"y\": 0, \"w\": 1, \"h\": 1, \"waste\": true}", "p:1:48: the file holds no plan"},
        {P(LEAF) " x", "p:1:59: the result ends before \"x\""},
        {"{\"plan\": " LEAF ", \"plan\": " LEAF "}", "p:1:67: the file has a second plan"},
        {"{\"plan\": " LEAF ", \"solution\": {\"plan\": " LEAF "}}", "p:1:80: the file has a second plan"},
        {"{\"value\": 1.5, \"plan\": " LEAF "}", "p:1:11: \"value\" is \"1.5\", a whole number from 0 was expected"},
        {"{\"value\": -1, \"plan\": " LEAF "}", "p:1:11: \"value\" is \"-1\", a whole number from 0 was expected"},
        {"{\"value\": \"7\", \"plan\": " LEAF "}", "p:1:11: \"value\": a whole number from 0 was expected"},
        {"{\"value\": 4611686018427387905, \"plan\": " LEAF "}",
         "p:1:11: \"value\" is \"4611686018427387905\", a whole number from 0 was expected"},
        {"{\"value\": 00000000000000000000000000000000000000000000000007, \"plan\": " LEAF "}",
         "p:1:11: \"value\" is \"000000000000000000000000000000000000000\", a whole number from 0 was expected"},
        {"{\"objective\": nan, \"plan\": " LEAF "}", "p:1:15: \"objective\" is \"nan\", a whole number from 0 was expected"},
        // Nodes
        {P("7"), "p:1:10: '{' was expected, '7' found"},
        {P("{}"), "p:1:10: the node has neither \"cut\", \"piece\" nor \"waste\""},
        {P("{" R "}"), "p:1:10: the node has neither \"cut\", \"piece\" nor \"waste\""},
        {P("{\"x\": 0, \"y\": 0, \"h\": 1, \"waste\": true}"), "p:1:10: the node is waste and has no \"w\""},
        {P("{" R ", \"waste\": true, \"piece\": 1}"), "p:1:10: the node is a piece and has \"waste\""},
        {P("{" R ", \"waste\": true, \"at\": 1}"), "p:1:10: the node is waste and has \"at\""},
        {P("{" R ", \"waste\": true, \"rotated\": false}"), "p:1:10: the node is waste and has \"rotated\""},
        {P("{" R ", \"piece\": 1, \"parts\": [" LEAF ", " LEAF "]}"), "p:1:10: the node is a piece and has \"parts\""},
        {P("{" R ", \"cut\": \"x\", \"parts\": [" LEAF ", " LEAF "]}"), "p:1:10: the node is a cut and has no \"at\""},
        {P("{" R ", \"cut\": \"x\", \"at\": 1}"), "p:1:10: the node is a cut and has no \"parts\""},
        {P("{" R ", \"x\": 0, \"waste\": true}"), "p:1:48: the node has \"x\" a second time"},
        {P("{\"x\": -1}"), "p:1:16: \"x\" is -1, allowed is 0 to 1073741824"},
        {P("{\"h\": 1073741825}"), "p:1:16: \"h\" is 1073741825, allowed is 0 to 1073741824"},
        {P("{\"w\": 1.5}"), "p:1:16: \"w\" is \"1.5\", an integer was expected"},
        {P("{\"at\": true}"), "p:1:17: \"at\" is \"true\", an integer was expected"},
        {P("{" R ", \"piece\": 1, \"name\": \"B\"}"), "p:1:10: piece 1 is \"B\" here, in the instance it is \"A\": the rows of the "
                                                    "instance have changed"},
        {P("{\"piece\": 0}"), "p:1:20: \"piece\" is 0, allowed is 1 to 4"},
        {P("{\"piece\": 5}"), "p:1:20: \"piece\" is 5, allowed is 1 to 4"},
        {P("{\"piece\": \"A\"}"), "p:1:20: \"piece\" is \"\", an integer was expected"},
        {P("{\"cut\": \"z\"}"), "p:1:18: \"cut\" is \"z\", \"x\" or \"y\" was expected"},
        {P("{\"cut\": x}"), "p:1:18: '\"' was expected, 'x' found"},
        {P("{\"waste\": false}"), "p:1:20: \"waste\" is false, true was expected"},
        {P("{\"waste\": 3}"), "p:1:20: \"waste\" is \"3\", true or false was expected"},
        {P("{\"rotated\": yes}"), "p:1:22: \"rotated\" is \"yes\", true or false was expected"},
        // Parts
        {P("{\"parts\": 3}"), "p:1:20: '[' was expected, '3' found"},
        {P("{\"parts\": []}"), "p:1:10: the cut has 0 parts, 2 were expected"},
        {P("{\"parts\": [" LEAF "]}"), "p:1:10: the cut has 1 parts, 2 were expected"},
        {"{\"plan\":\n {\"parts\": [" LEAF ",\n" LEAF ",\n" LEAF "]}}", "p:4:1: a cut has 2 parts, here is one more"},
        {P("{\"parts\": [1, 2]}"), "p:1:21: '{' was expected, '1' found"},
        {"{\"plan\": {\"parts\": [" LEAF, "p:1:68: the text ends where ',' was expected"},
        {"{\"plan\": {\"x\": 0", "p:1:17: the text ends where ',' was expected"},
        {"{\"plan\": {\"x\"", "p:1:14: the text ends where ':' was expected"},
    };
    mco_guillotine *g = instance();
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_guillotine_node *nodes = NULL;
        int64_t count = -7, value = -7;
        assert_fails(read_plan(g, cases[i].text, &nodes, &count, &value), MCO_ERR_PARSE, cases[i].message);
        assert_null(nodes);
        assert_true(count == -7 && value == -7);
    }
    mco_guillotine_destroy(test_ctx, &g);
}

static void test_writers_refuse(void **state)
{
    (void)state;
    mco_guillotine *g = instance();
    mco_guillotine_node nodes[COUNT_OF(example)];
    const char *path = test_path("refused.json");
#define EXPECT(change, message)                                                                                   \
    do {                                                                                                          \
        memcpy(nodes, example, sizeof nodes);                                                                     \
        change;                                                                                                   \
        assert_fails(mco_guillotine_write_plan(test_ctx, g, nodes, COUNT_OF(nodes), 1, path), MCO_ERR_ARGUMENT,   \
                     message);                                                                                    \
        assert_fails(guillotine_plan_to_cuts(test_ctx, g, nodes, COUNT_OF(nodes), NULL), MCO_ERR_ARGUMENT,        \
                     message);                                                                                    \
        assert_fails(mco_guillotine_write_cuts(test_ctx, g, nodes, COUNT_OF(nodes), path), MCO_ERR_ARGUMENT,      \
                     message);                                                                                    \
    } while (0)
    EXPECT(nodes[7].piece = 4, "node 7 holds piece 5, pieces are 1 to 4");
    EXPECT(nodes[7].piece = -1, "node 7 holds piece 0, pieces are 1 to 4");
    EXPECT(nodes[3].cut = MCO_GUILLOTINE_CUT_ANY, "node 3 is cut along neither x nor y");
    EXPECT(nodes[2].parts[1] = 7, "the parts of node 2 are nodes 3 and 7, depth first they are 3 and 6 of 9");
    EXPECT(nodes[0].parts[0] = 0, "the parts of node 0 are nodes 0 and 2, depth first they are 1 and 2 of 9");
    EXPECT(nodes[8] = nodes[6], "the parts of node 8 are nodes 7 and 8, depth first they are 9 and 9 of 9");
    EXPECT(nodes[0] = nodes[1], "the tree ends at node 0 of 9");
    assert_fails(mco_guillotine_write_plan(test_ctx, g, nodes, 0, 1, path), MCO_ERR_ARGUMENT,
                 "the plan has 0 nodes, at least 1 is needed");
    assert_fails(mco_guillotine_write_plan(test_ctx, g, NULL, 1, 1, path), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_guillotine_write_cuts(test_ctx, g, NULL, 1, path), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_null(test_content(path));
    assert_fails(mco_guillotine_write_plan(test_ctx, g, example, COUNT_OF(example), 1, "no-such-folder/f"), MCO_ERR_IO,
                 "cannot write no-such-folder/f: No such file or directory");
    mco_guillotine_node *read = NULL;
    int64_t count, value;
    assert_fails(mco_guillotine_read_plan(test_ctx, g, "no-such-file", &read, &count, &value), MCO_ERR_IO,
                 "cannot read no-such-file: No such file or directory");
    assert_fails(mco_guillotine_read_plan(test_ctx, g, path, &read, &count, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_guillotine_destroy(test_ctx, &g);
}

// ---- The k-th allocation fails, for every k

static void test_out_of_memory(void **state)
{
    (void)state;
    enum { LEVELS = 500 };
    mco_guillotine *g = instance();
    mco_guillotine_node *nodes = deep_plan(LEVELS, false);
    char path[160];
    snprintf(path, sizeof path, "%s", test_path("memory.json"));
    const long before = test_memory.live;
    bool is_done[3] = {false};
    for (long k = 1; !(is_done[0] && is_done[1] && is_done[2]); k++) {
        mco_guillotine_node *back = NULL;
        int64_t count, value;
        assert_true(k < 100);
        for (int what = 0; what < 3; what++) {
            FILE *file = what == 1 ? fopen("/dev/null", "w") : NULL;
            test_fail_allocation(k);
            mco_status st = what == 0   ? mco_guillotine_write_plan(test_ctx, g, nodes, 2 * LEVELS + 1, 1, path)
                            : what == 1 ? guillotine_plan_to_cuts(test_ctx, g, nodes, 2 * LEVELS + 1, file)
                            : is_done[0] ? mco_guillotine_read_plan(test_ctx, g, path, &back, &count, &value)
                                         : MCO_ERR_MEMORY;
            assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
            is_done[what] = st == MCO_OK;
            if (file != NULL)
                fclose(file);
            mco_guillotine_nodes_free(test_ctx, &back);
            assert_int_equal(test_memory.live, before);
        }
    }
    test_fail_allocation(0);
    free(nodes);
    mco_guillotine_destroy(test_ctx, &g);
}

// ---- Tables

static void test_tables(void **state)
{
    (void)state;
    int32_t x[] = {0, 5, 258}, y[] = {0, 70000}, small[] = {0, 0, 0, 7, 0, 2147483647};
    int64_t large[] = {0, 0, 0, 7, 0, 0x0102030405060708};
    const mco_guillotine_table narrow = {.x = x, .y = y, .columns = 3, .rows = 2, .values_32 = small};
    const mco_guillotine_table wide = {.x = x, .y = y, .columns = 3, .rows = 2, .values = large};
    static const char narrow_bytes[] = "mco-guillotine-table 1 3 2 32\n"
                                       "\0\0\0\0" "\5\0\0\0" "\2\1\0\0" "\0\0\0\0" "\x70\x11\1\0"
                                       "\0\0\0\0" "\0\0\0\0" "\0\0\0\0" "\7\0\0\0" "\0\0\0\0" "\xff\xff\xff\x7f";
    static const char wide_bytes[] = "mco-guillotine-table 1 3 2 64\n"
                                     "\0\0\0\0" "\5\0\0\0" "\2\1\0\0" "\0\0\0\0" "\x70\x11\1\0"
                                     "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\0\0\0\0\0\0\0\0" "\7\0\0\0\0\0\0\0"
                                     "\0\0\0\0\0\0\0\0" "\x8\7\6\5\4\3\2\1";
    char bytes[200];
    const char *path = test_path("table.csv");
    assert_ok(mco_guillotine_write_table(test_ctx, &narrow, path));
    assert_content(path, "x,y,value\n0,0,0\n0,70000,0\n5,0,0\n5,70000,7\n258,0,0\n258,70000,2147483647\n");
    assert_ok(mco_guillotine_write_table(test_ctx, &wide, test_path("table.CSV")));
    assert_content(test_path("table.CSV"),
                   "x,y,value\n0,0,0\n0,70000,0\n5,0,0\n5,70000,7\n258,0,0\n258,70000,72623859790382856\n");
    for (int i = 0; i < 2; i++) {
        const size_t size = i == 0 ? sizeof narrow_bytes - 1 : sizeof wide_bytes - 1;
        assert_ok(mco_guillotine_write_table(test_ctx, i == 0 ? &narrow : &wide, path = test_path("table")));
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        assert_int_equal(fread(bytes, 1, sizeof bytes, file), size);
        fclose(file);
        assert_memory_equal(bytes, i == 0 ? narrow_bytes : wide_bytes, size);
    }
}

// The table has more bytes than the writer's buffer.
static void test_large_table(void **state)
{
    (void)state;
    enum { SIDE = 300, HEAD = 34 };
    static int32_t x[SIDE], values[SIDE * SIDE];
    for (int32_t i = 0; i < SIDE; i++)
        x[i] = i;
    for (int32_t c = 0; c < SIDE * SIDE; c++)
        values[c] = c;
    const mco_guillotine_table table = {.x = x, .y = x, .columns = SIDE, .rows = SIDE, .values_32 = values};
    const char *path = test_path("large");
    assert_ok(mco_guillotine_write_table(test_ctx, &table, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    unsigned char cell[4];
    fseek(file, HEAD + 4 * 2 * SIDE, SEEK_SET);
    for (int32_t c = 0; c < SIDE * SIDE; c++) {
        assert_int_equal(fread(cell, 1, 4, file), 4);
        assert_int_equal(cell[0] + 256 * cell[1] + 65536 * cell[2], c);
    }
    assert_int_equal(fread(cell, 1, 4, file), 0);
    fclose(file);
}

static void test_table_refusals(void **state)
{
    (void)state;
    int32_t x[] = {0};
    const mco_guillotine_table none = {0}, empty = {.x = x, .y = x, .columns = 1, .rows = 1}, full = {x, x, 1, 1, NULL, x};
    const char *message = "the table is empty: it is computed where the parameters want it";
    assert_fails(mco_guillotine_write_table(test_ctx, &none, "f"), MCO_ERR_ARGUMENT, message);
    assert_fails(mco_guillotine_write_table(test_ctx, &empty, "f"), MCO_ERR_ARGUMENT, message);
    assert_fails(mco_guillotine_write_table(test_ctx, NULL, "f"), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_guillotine_write_table(test_ctx, &full, "no-such-folder/f"), MCO_ERR_IO,
                 "cannot write no-such-folder/f: No such file or directory");
    test_fail_allocation(1);
    assert_int_equal(mco_guillotine_write_table(test_ctx, &full, "f"), MCO_ERR_MEMORY);
    test_fail_allocation(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_round_trip),    TEST(test_in_result_file), TEST(test_values),        TEST(test_member_order),
        TEST(test_cuts),          TEST(test_deep),           TEST(test_hostile_depth), TEST(test_plan_refusals),
        TEST(test_writers_refuse), TEST(test_out_of_memory), TEST(test_tables),        TEST(test_large_table),
        TEST(test_table_refusals),
    };
    return cmocka_run_group_tests_name("guillotine_plan_file", tests, NULL, NULL);
}
