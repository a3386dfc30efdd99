// SPDX-License-Identifier: MIT
// Instances of the membership overlay: arrays, files, graphs, random ones; what is refused, and where; failing memory.
#include "test_support.h"

#include <math.h>

#include "mco/overlay.h"
#include "overlay_support.h"

// ---- Arrays

enum { NODES = 4, LINKS = 3 };

// A path 1 - 2 - 3, and node 4 alone.
typedef struct sample {
    double uptime[NODES], weight[LINKS];
    int64_t bandwidth[NODES], least[LINKS], most[LINKS];
    int32_t from[LINKS], to[LINKS];
    mco_overlay_data data;
} sample;

static void make_sample(sample *s)
{
    *s = (sample){.uptime = {0.5, 1, 0.25, 0}, .weight = {3, -1, 0.5}, .bandwidth = {10, 20, 30, 40}, .least = {1, 2, 0},
                  .most = {5, 100, 6}, .from = {0, 2, 2}, .to = {1, 1, 0}};
    s->data = (mco_overlay_data){.nodes = NODES, .uptime = s->uptime, .bandwidth = s->bandwidth, .links = 2, .from = s->from, .to = s->to,
                                 .most_of_all = -1};
}

static mco_overlay *created(const mco_overlay_data *data)
{
    mco_overlay *o = NULL;
    assert_ok(mco_overlay_create(test_ctx, "sample", data, &o));
    return o;
}

static void test_create(void **state)
{
    (void)state;
    sample s;
    char buffer[16];
    make_sample(&s);
    mco_overlay *o = created(&s.data);
    assert_string_equal(mco_overlay_name(o), "sample");
    assert_int_equal(mco_overlay_nodes(o), 4);
    assert_int_equal(mco_overlay_links(o), 2);
    assert_int_equal(mco_overlay_scale(o), 1);
    assert_string_equal(mco_overlay_node_name(o, 3, buffer), "4");
    assert_int_equal(overlay_row_size(o, 0), 1);
    assert_int_equal(overlay_row_size(o, 1), 2);
    assert_int_equal(overlay_row_size(o, 3), 0);
    const overlay_link link = overlay_entry(o, 1, 0);
    assert_true(link.node == 0 && link.most == 10 && link.weight == UINT32_C(0x7fffffff));  // an uptime of 1 is 2^32 - 1
    mco_overlay_destroy(test_ctx, &o);
    assert_null(o);
    s.data.links = -1;
    o = created(&s.data);
    assert_int_equal(mco_overlay_links(o), 6);
    assert_int_equal(overlay_entry(o, 1, 0).node, 0);
    assert_int_equal(overlay_entry(o, 1, 1).node, 2);
    mco_overlay_destroy(test_ctx, &o);
    s.data.links = 3;
    s.data.weight = s.weight;
    s.data.least = s.least;
    s.data.most = s.most;
    o = created(&s.data);
    assert_true(o->weight_unit == 4 && o->weight[o->first[0]] == UINT32_C(0xc0000000));
    assert_int_equal(overlay_entry(o, 1, 1).weight, 0);  // a weight below 0
    assert_int_equal(overlay_entry(o, 1, 1).most, 20);
    assert_int_equal(o->row_least[o->first[1] + 1], 2);
    mco_overlay_destroy(test_ctx, &o);
}

static void test_empty(void **state)
{
    (void)state;
    const mco_overlay_data data = {.links = -1, .most_of_all = -1};
    for (int64_t links = -1; links <= 0; links++) {
        mco_overlay_data d = data;
        d.links = links;
        mco_overlay *o = created(&d);
        mco_overlay_solution none = {0};
        double worth = 1;
        assert_int_equal(mco_overlay_links(o), 0);
        assert_ok(mco_overlay_check(test_ctx, o, &none, &worth));
        assert_true(worth == 0);
        mco_overlay_destroy(test_ctx, &o);
    }
}

#define assert_refused(data, status, text)                                       \
    do {                                                                         \
        mco_overlay *refused = NULL;                                             \
        assert_fails(mco_overlay_create(test_ctx, NULL, data, &refused), status, text); \
        assert_null(refused);                                                    \
    } while (0)

static void test_refused_nodes(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    s.uptime[1] = 1.5;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the uptime of node 2 is 1.5, allowed is 0 to 1");
    s.uptime[1] = -0.25;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the uptime of node 2 is -0.25, allowed is 0 to 1");
    s.uptime[1] = NAN;
    mco_overlay *o = NULL;
    assert_int_equal(mco_overlay_create(test_ctx, NULL, &s.data, &o), MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), "the uptime of node 2 is "));
    s.uptime[1] = 1;
    s.bandwidth[2] = -7;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the bandwidth of node 3 is -7, allowed is 0 to 1000000000");
    s.bandwidth[2] = 1000000001;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the bandwidth of node 3 is 1000000001, allowed is 0 to 1000000000");
    s.bandwidth[2] = 30;
    s.data.nodes = -1;
    assert_refused(&s.data, MCO_ERR_LIMIT, "-1 nodes, allowed are 0 to 1000000000");
    s.data.nodes = MCO_OVERLAY_MAX_COMPLETE + 1;
    s.data.links = -1;
    assert_refused(&s.data, MCO_ERR_LIMIT, "1000001 nodes and all pairs as links, allowed are 1000000 nodes; give the possible links");
    s.data.links = MCO_OVERLAY_MAX_LINKS + 1;
    assert_refused(&s.data, MCO_ERR_LIMIT, "17179869185 links, allowed are 17179869184");
    s.data.uptime = NULL;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "an array of the data is NULL");
}

static void test_refused_links(void **state)
{
    (void)state;
    sample s;
    make_sample(&s);
    s.to[1] = 2;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "link 2 joins nodes 3 and 3, expected are two different ones of 4");
    s.to[1] = 4;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "link 2 joins nodes 3 and 5, expected are two different ones of 4");
    s.from[1] = 1;
    s.to[1] = 0;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the link between nodes 1 and 2 stands twice");
    make_sample(&s);
    s.data.weight = s.weight;
    s.weight[0] = INFINITY;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the weight of link 1 is inf, allowed is -1e+15 to 1e+15");
    s.weight[0] = 2e15;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the weight of link 1 is 2e+15, allowed is -1e+15 to 1e+15");
    s.weight[0] = 1;
    s.data.least = s.least;
    s.data.most = s.most;
    s.least[0] = 6;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the least bandwidth of link 1, 6, is above the most, 5");
    s.least[0] = -1;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the least bandwidth of link 1 is -1, allowed is 0 to 1000000000");
    s.least[0] = 1;
    s.most[1] = -3;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the most bandwidth of link 2 is -3, 0 or more was expected");
    make_sample(&s);
    s.data.least_of_all = 5;
    s.data.most_of_all = 4;
    assert_refused(&s.data, MCO_ERR_ARGUMENT, "the least bandwidth of all links, 5, is above the most, 4");
}

// The sum of what a node's links may carry, which the arithmetic of the engines needs.
static void test_load_limit(void **state)
{
    (void)state;
    const double uptime[4] = {1, 1, 1, 1};
    int64_t bandwidth[4] = {1000000000, 1000000000, 1000000000, 1000000000};
    const int32_t from[3] = {1, 1, 1}, to[3] = {0, 2, 3};
    mco_overlay_data data = {.nodes = 4, .uptime = uptime, .bandwidth = bandwidth, .links = -1, .most_of_all = -1};
    assert_refused(&data, MCO_ERR_LIMIT, "the links of node 1 may carry 3000000000 in all, allowed is 2147483647; a coarser unit of bandwidth "
                                         "or --most would help");
    data.links = 3;
    data.from = from;
    data.to = to;
    assert_refused(&data, MCO_ERR_LIMIT, "the links of node 2 may carry 3000000000 in all, allowed is 2147483647; a coarser unit of bandwidth "
                                         "or --most would help");
    bandwidth[3] = 147483647;
    mco_overlay *o = created(&data);
    mco_overlay_destroy(test_ctx, &o);
    bandwidth[3]++;
    assert_int_equal(mco_overlay_create(test_ctx, NULL, &data, &o), MCO_ERR_LIMIT);
    data.most_of_all = 700000000;
    o = created(&data);
    mco_overlay_destroy(test_ctx, &o);
}

// ---- Files

static mco_overlay *read_text(const char *text)
{
    mco_overlay *o = NULL;
    assert_ok(mco_overlay_read(test_ctx, test_file("i.csv", text), NULL, &o));
    return o;
}

static void refuse_text(const char *text, const char *message)
{
    mco_overlay *o = NULL;
    const mco_status st = mco_overlay_read(test_ctx, test_file("i.csv", text), NULL, &o);
    const char *seen = mco_context_error(test_ctx);
    if (st == MCO_OK || strstr(seen, message) == NULL)
        fail_msg("%s: \"%s\" lacks \"%s\"", mco_status_text(st), seen, message);
    assert_null(o);
}

static void test_read(void **state)
{
    (void)state;
    char buffer[16];
    mco_overlay *o = read_text("# peers\nleast,0.5\nmost,2.25\nbandwidth,name,uptime\n3.5,a,0.5\n4,from,1\n0,\"c, d\",0.1\nfrom,to\nfrom,a\n");
    assert_int_equal(mco_overlay_nodes(o), 3);
    assert_int_equal(mco_overlay_links(o), 1);
    assert_int_equal(mco_overlay_scale(o), 100);
    assert_true(o->least == 50 && o->most == 225 && o->bandwidth[0] == 350);
    assert_string_equal(mco_overlay_node_name(o, 1, buffer), "from");
    assert_string_equal(mco_overlay_node_name(o, 2, buffer), "c, d");
    mco_overlay_destroy(test_ctx, &o);
    o = read_text("name,uptime,bandwidth\nfrom,0.5,1\nto,0.5,1\n");  // a node called from is no header
    assert_int_equal(mco_overlay_nodes(o), 2);
    assert_int_equal(mco_overlay_links(o), 1);
    mco_overlay_destroy(test_ctx, &o);
    o = read_text("uptime;bandwidth\n0,5;1,5\n1;2\nfrom;to;weight;least;most\n1;2;0,75;;1,5\n");
    assert_true(o->scale == 10 && o->row_most[0] == 15 && o->row_least[0] == 0 && o->weight[0] == UINT32_C(0xc0000000));
    mco_overlay_destroy(test_ctx, &o);
    o = read_text("uptime,bandwidth\n");
    assert_int_equal(mco_overlay_nodes(o), 0);
    mco_overlay_destroy(test_ctx, &o);
}

static void test_refused_texts(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"", "i.csv:1:1: the text ends where a header was expected: name,uptime,bandwidth"},
        {"least\n", "i.csv:1:1: a number was expected behind least"},
        {"least,1\nleast,2\nuptime,bandwidth\n", "i.csv:2:1: least stands in line 1 and in line 2"},
        {"least,x\nuptime,bandwidth\n", "i.csv:1:7: "},
        {"uptime\n0.5\n", "i.csv:1:"},
        {"uptime,bandwidth,speed\n", "i.csv:1:18: "},
        {"uptime,bandwidth\n0.5,1\n1.5,2\n", "i.csv:3:1: the uptime is 1.5"},
        {"uptime,bandwidth\n-1,1\n", "i.csv:2:1: the uptime is -1"},
        {"uptime,bandwidth\nnan,1\n", "i.csv:2:1: "},
        {"uptime,bandwidth\n0.5,-1\n", "i.csv:2:5: the bandwidth is -1"},
        {"uptime,bandwidth\n0.5,1.1234567\n", "i.csv:2:5: "},
        {"uptime,bandwidth\n0.5,2000000000\n", "i.csv:2:5: the bandwidth is 2000000000"},
        {"uptime,bandwidth\n0.5,0.001\n0.5,2000000\n", "i.csv:3:5: the bandwidth is 2000000; with 3 decimals in the file allowed is 0 to 1000000"},
        {"uptime,bandwidth\n0.5\n", "i.csv:2:"},
        {"name,uptime,bandwidth\na,1,1\na,1,1\n", "i.csv:3:1: "},
        {"uptime,bandwidth\n1,1\n1,1\nfrom,to\n1,1\n", "i.csv:5:1: the link joins node \"1\" with itself"},
        {"uptime,bandwidth\n1,1\n1,1\nfrom,to\n1,3\n", "i.csv:5:3: "},
        {"name,uptime,bandwidth\na,1,1\nb,1,1\nfrom,to\na,c\n", "i.csv:5:3: "},
        {"uptime,bandwidth\n1,1\n1,1\nfrom,to\n1,2\n2,1\n", "the link between nodes 1 and 2 stands twice"},
        {"name,uptime,bandwidth\nann,1,1\nbob,1,1\nfrom,to\nann,bob\nbob,ann\n", "the link between nodes ann and bob stands twice"},
        {"uptime,bandwidth\n1,1\n1,1\nfrom,to,least,most\n1,2,2,1\n", "i.csv:5:1: the least bandwidth of the link is above the most"},
        {"uptime,bandwidth\n1,1\n1,1\nfrom,to,weight\n1,2,1e16\n", "i.csv:5:5: the weight is 1e16"},
        {"uptime,bandwidth\n1,1\n1,1\nfrom,to,weight\n1,2,\n", "i.csv:5:"},
        {"least,3\nmost,2\nuptime,bandwidth\n1,1\n", "the least bandwidth of all links, 3, is above the most, 2"},
        {"a,b\n1,2\n", "i.csv:1:1: "},
        {"\001\002\377\376", "i.csv: not a text file (byte 0x01 at offset 0)"},
        {"{\"kind\": \"overlay\"}", "i.csv:1:"},
    };
    for (int k = 0; k < COUNT_OF(texts); k++)
        refuse_text(texts[k][0], texts[k][1]);
    mco_overlay *o = NULL;
    assert_int_equal(mco_overlay_read(test_ctx, test_path("missing"), NULL, &o), MCO_ERR_IO);
}

// Options replace what the file says, in its unit.
static void test_model(void **state)
{
    (void)state;
    mco_overlay *o = NULL;
    mco_overlay_model model = MCO_OVERLAY_MODEL_INIT;
    const char *path = test_file("i.csv", "least,0.5\nuptime,bandwidth\n1,2.25\n0.5,7\n");
    model.least = 0.07;  // 0.07 * 100 is above 7 in doubles
    model.most = 1.1;
    assert_ok(mco_overlay_read(test_ctx, path, &model, &o));
    assert_true(o->least == 7 && o->most == 110);
    mco_overlay_destroy(test_ctx, &o);
    model.least = 0.001;
    assert_fails(mco_overlay_read(test_ctx, path, &model, &o), MCO_ERR_ARGUMENT,
                 "--least 0.001: bandwidths of this file have 2 decimals and are at most 10000000");
    model.least = -1;
    model.links = test_file("g.csv", "from,to,weight\n1,2,4\n");
    assert_ok(mco_overlay_read(test_ctx, path, &model, &o));
    assert_true(o->links == 1 && o->weight != NULL && o->weight_unit == 8 && !o->is_complete);
    mco_overlay_destroy(test_ctx, &o);
    model.links = test_file("g.csv", "from,to\n1,2\n2,3\n");
    assert_int_equal(mco_overlay_read(test_ctx, path, &model, &o), MCO_ERR_PARSE);
    assert_non_null(strstr(mco_context_error(test_ctx), "--links: the graph has the vertex 3"));
    path = test_file("j.csv", "uptime,bandwidth\n1,2.25\n0.5,7\nfrom,to\n1,2\n");
    assert_fails(mco_overlay_read(test_ctx, path, &model, &o), MCO_ERR_ARGUMENT, "--links is given, and the file has links, too");
}

static void assert_equal(const mco_overlay *a, const mco_overlay *b)
{
    assert_true(a->nodes == b->nodes && a->links == b->links && a->is_complete == b->is_complete && a->scale == b->scale);
    assert_true(a->least == b->least && a->most == b->most && a->weight_unit == b->weight_unit && a->degree == b->degree);
    assert_true((a->weight != NULL) == (b->weight != NULL) && (a->row_least != NULL) == (b->row_least != NULL));
    assert_true((a->row_most != NULL) == (b->row_most != NULL));
    for (int32_t i = 0; i < a->nodes; i++) {
        assert_true(a->uptime[i] == b->uptime[i] && a->bandwidth[i] == b->bandwidth[i] && a->cap[i] == b->cap[i]);
        assert_int_equal(overlay_row_size(a, i), overlay_row_size(b, i));
        for (int64_t k = 0; k < overlay_row_size(a, i) && !a->is_complete; k++) {
            const int64_t e = a->first[i] + k;
            assert_int_equal(a->to[e], b->to[e]);
            assert_true(a->weight == NULL || a->weight[e] == b->weight[e]);
            assert_true(a->row_least == NULL || a->row_least[e] == b->row_least[e]);
            assert_true(a->row_most == NULL || a->row_most[e] == b->row_most[e]);
        }
    }
}

static mco_overlay *written_and_read(const mco_overlay *o)
{
    mco_overlay *back = NULL;
    const char *path = test_path("w.csv");
    assert_ok(mco_overlay_write(test_ctx, o, path));
    assert_ok(mco_overlay_read(test_ctx, path, NULL, &back));
    return back;
}

static void test_round_trip(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 31, 0);
    for (int k = 0; k < 200; k++) {
        const test_shape shape = test_random_shape(&rng, TEST_NODES);
        mco_overlay *o = test_random_overlay(test_ctx, &rng, &shape);
        assert_non_null(o);
        mco_overlay *back = written_and_read(o);
        assert_equal(o, back);
        mco_overlay_destroy(test_ctx, &back);
        mco_overlay_destroy(test_ctx, &o);
    }
    mco_overlay *o = read_text("least,0.25\nname,uptime,bandwidth\n\"a \"\"b\"\"\",0.3,1.5\nfrom,1,2\n3,1e-9,7\nfrom,to,weight\nfrom,3,1.0000000001\n");
    mco_overlay *back = written_and_read(o);
    char one[16], two[16];
    assert_equal(o, back);
    for (int32_t i = 0; i < 3; i++)
        assert_string_equal(mco_overlay_node_name(o, i, one), mco_overlay_node_name(back, i, two));
    mco_overlay_destroy(test_ctx, &back);
    mco_overlay_destroy(test_ctx, &o);
}

// ---- Random instances

static mco_overlay *generated(const char *group, int64_t nodes, int64_t degree, double skew, int64_t seed)
{
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    g.group = group;
    g.nodes = nodes;
    g.degree = degree;
    g.skew = skew;
    g.seed = seed;
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    return o;
}

static void test_generated_groups(void **state)
{
    (void)state;
    static const struct {
        const char *group;
        int32_t nodes, least, most, lowest, highest;
    } groups[] = {{"grafo50a-14", 50, 14, 20, 14, 4000},  {"grafo100a-128", 100, 128, 128, 128, 4000},
                  {"grafo250b-14", 250, 14, INT32_MAX, 14, 256}, {"grafo1000b-128", 1000, 128, INT32_MAX, 128, 256}};
    for (int k = 0; k < COUNT_OF(groups); k++) {
        mco_overlay *o = generated(groups[k].group, -1, -1, 0, 1);
        assert_string_equal(mco_overlay_name(o), groups[k].group);
        assert_true(o->nodes == groups[k].nodes && o->least == groups[k].least && o->most == groups[k].most && o->is_complete);
        double sum = 0;
        for (int32_t i = 0; i < o->nodes; i++) {
            assert_true(o->bandwidth[i] >= groups[k].lowest && o->bandwidth[i] <= groups[k].highest);
            sum += o->uptime[i] / 4294967296.0;
        }
        assert_true(fabs(sum / o->nodes - 0.5) < 0.15);
        mco_overlay_destroy(test_ctx, &o);
    }
}

static void test_generated_graphs(void **state)
{
    (void)state;
    static const int32_t sizes[][2] = {{0, 0}, {1, 0}, {2, 1}, {7, 6}, {8, 7}, {9, 4}, {30, 3}, {101, 8}};
    for (int k = 0; k < COUNT_OF(sizes); k++) {
        mco_overlay *o = generated(NULL, sizes[k][0], sizes[k][1], 0, 5);
        mco_overlay *same = generated(NULL, sizes[k][0], sizes[k][1], 0, 5);
        assert_int_equal(mco_overlay_links(o), (int64_t)sizes[k][0] * sizes[k][1] / 2);
        for (int32_t i = 0; i < o->nodes; i++) {
            assert_int_equal(overlay_row_size(o, i), sizes[k][1]);
            for (int64_t a = o->first[i]; a < o->first[i + 1]; a++) {
                assert_int_not_equal(o->to[a], i);
                for (int64_t b = o->first[i]; b < a; b++)
                    assert_int_not_equal(o->to[a], o->to[b]);
            }
        }
        assert_equal(o, same);
        mco_overlay *back = written_and_read(o);  // every link stands in two rows, else its reader would see another number
        assert_int_equal(mco_overlay_links(back), mco_overlay_links(o));
        mco_overlay_destroy(test_ctx, &back);
        mco_overlay_destroy(test_ctx, &same);
        mco_overlay_destroy(test_ctx, &o);
    }
    mco_overlay *even = generated(NULL, 2000, 10, 0, 1), *skewed = generated(NULL, 2000, 10, 1, 1), *other = generated(NULL, 2000, 10, 1, 2);
    assert_int_equal(even->degree, 10);
    assert_true(skewed->degree > 100 && mco_overlay_links(skewed) < mco_overlay_links(even));
    assert_true(mco_overlay_links(skewed) > mco_overlay_links(even) / 2);
    assert_true(memcmp(skewed->uptime, other->uptime, 2000 * sizeof *other->uptime) != 0);
    mco_overlay_destroy(test_ctx, &other);
    mco_overlay_destroy(test_ctx, &skewed);
    mco_overlay_destroy(test_ctx, &even);
}

static void test_refused_generations(void **state)
{
    (void)state;
    static const struct {
        const char *group;
        int64_t nodes, degree;
        double skew;
        mco_status status;
        const char *message;
    } cases[] = {
        {NULL, -1, -1, 0, MCO_ERR_ARGUMENT, "none of --group and --nodes is given, one was expected"},
        {"grafo50a-14", 3, -1, 0, MCO_ERR_ARGUMENT, "each of --group and --nodes is given, one was expected"},
        {"grafo51a-14", -1, -1, 0, MCO_ERR_ARGUMENT,
         "--group grafo51a-14 is none of the groups, which are grafoN{a|b}-{14|128} with N 50, 100, 250, 500, 750 or 1000"},
        {"grafo50a-14", -1, 3, 0, MCO_ERR_ARGUMENT, "--degree is for --nodes; a group has all pairs"},
        {NULL, 9, -1, 1, MCO_ERR_ARGUMENT, "--skew is for sparse graphs, which --degree makes"},
        {NULL, 9, 9, 0, MCO_ERR_ARGUMENT, "--degree 9 of 9 nodes, most is 8"},
        {NULL, 9, 3, 0, MCO_ERR_ARGUMENT, "--degree 3 of 9 nodes: one of both must be even"},
        {NULL, 1000000, 40000, 0, MCO_ERR_LIMIT, "20000000000 links, allowed are 17179869184"},
        {NULL, 1000001, -1, 0, MCO_ERR_LIMIT, "1000001 nodes and all pairs as links, allowed are 1000000 nodes; give the possible links"},
    };
    for (int k = 0; k < COUNT_OF(cases); k++) {
        mco_overlay *o = NULL;
        mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
        g.group = cases[k].group;
        g.nodes = cases[k].nodes;
        g.degree = cases[k].degree;
        g.skew = cases[k].skew;
        assert_fails(mco_overlay_generate(test_ctx, &g, &o), cases[k].status, cases[k].message);
        assert_null(o);
    }
}

// ---- Failing memory

static mco_status make(int which, const char *path, const mco_overlay_model *model, mco_overlay **out)
{
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    if (which < 2)
        return mco_overlay_read(test_ctx, path, which == 0 ? NULL : model, out);
    g.nodes = 20;
    g.degree = 4;
    g.skew = which == 2 ? 0 : 1;
    return mco_overlay_generate(test_ctx, &g, out);
}

static void test_failing_memory(void **state)
{
    (void)state;
    static const char *const texts[] = {"name,uptime,bandwidth\na,1,2.5\nb,1,3\nfrom,to,weight,least,most\na,b,1,0,2\n", "uptime,bandwidth\n1,1\n1,2\n"};
    mco_overlay_model model = MCO_OVERLAY_MODEL_INIT;
    model.links = test_file("g.csv", "from,to,weight\n1,2,4\n");
    for (int which = 0; which < 4; which++) {
        const char *path = test_file("i.csv", texts[which % 2]);
        mco_overlay *o = NULL;
        const long before = test_memory.live;
        long k = 1;
        for (; o == NULL && k < 200; k++) {
            test_fail_allocation(k);
            const mco_status st = make(which, path, &model, &o);
            assert_int_equal(st, o != NULL ? MCO_OK : MCO_ERR_MEMORY);
            assert_true(o != NULL || test_memory.live == before);
        }
        test_fail_allocation(0);
        assert_true(o != NULL && k > 4);
        mco_overlay_destroy(test_ctx, &o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_create),           TEST(test_empty),           TEST(test_refused_nodes),    TEST(test_refused_links),
        TEST(test_load_limit),       TEST(test_read),            TEST(test_refused_texts),    TEST(test_model),
        TEST(test_round_trip),       TEST(test_generated_groups), TEST(test_generated_graphs), TEST(test_refused_generations),
        TEST(test_failing_memory),
    };
    return cmocka_run_group_tests_name("overlay", tests, NULL, NULL);
}
