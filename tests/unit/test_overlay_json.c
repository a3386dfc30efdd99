// SPDX-License-Identifier: MIT
// Instances as JSON: read, refused with their place, written and read again; the same as their CSV.
#include "test_support.h"

#include "overlay_support.h"

static mco_overlay *read_as(const char *name, const char *text)
{
    mco_overlay *o = NULL;
    if (mco_overlay_read(test_ctx, test_file(name, text), NULL, &o) != MCO_OK)
        fail_msg("%s", mco_context_error(test_ctx));
    return o;
}

static void assert_equal(const mco_overlay *a, const mco_overlay *b)
{
    char one[16], two[16];
    assert_true(a->nodes == b->nodes && a->links == b->links && a->is_complete == b->is_complete && a->scale == b->scale);
    assert_true(a->least == b->least && a->most == b->most && a->weight_unit == b->weight_unit);
    for (int32_t i = 0; i < a->nodes; i++) {
        assert_true(a->uptime[i] == b->uptime[i] && a->bandwidth[i] == b->bandwidth[i]);
        assert_string_equal(mco_overlay_node_name(a, i, one), mco_overlay_node_name(b, i, two));
        assert_int_equal(overlay_row_size(a, i), overlay_row_size(b, i));
        for (int64_t k = 0; k < overlay_row_size(a, i); k++) {
            const overlay_link x = overlay_entry(a, i, k), y = overlay_entry(b, i, k);
            assert_true(x.node == y.node && x.weight == y.weight && x.most == y.most);
            assert_true(a->row_least == NULL || a->row_least[a->first[i] + k] == b->row_least[b->first[i] + k]);
        }
    }
}

static void test_as_csv(void **state)
{
    (void)state;
    mco_overlay *json = read_as("a.json", "{\"links\": [{\"from\": \"a\", \"to\": \"b \\\"\\u0042\\\"\", \"most\": 12.5, \"weight\": 3},\n"
                                "{\"to\": 3, \"from\": 1, \"least\": 3, \"most\": null, \"weight\": 0.75}], \"least\": 2, \"most\": 30, \"nodes\": [\n"
                                "{\"name\": \"a\", \"uptime\": 0.5, \"bandwidth\": 20}, {\"uptime\": 1, \"bandwidth\": 3e1, \"name\": \"b \\\"B\\\"\"},\n"
                                "{\"uptime\": 0.25, \"bandwidth\": 7.25}]}\n");
    mco_overlay *csv = read_as("a.csv", "least,2\nmost,30\nname,uptime,bandwidth\na,0.5,20\n\"b \"\"B\"\"\",1,30\n,0.25,7.25\n"
                               "from,to,weight,least,most\na,\"b \"\"B\"\"\",3,,12.5\na,3,0.75,3,\n");
    assert_equal(json, csv);
    mco_overlay_destroy(test_ctx, &json);
    mco_overlay_destroy(test_ctx, &csv);
    json = read_as("a.json", "{\"name\": \"x\", \"nodes\": [{\"uptime\": 0.5, \"bandwidth\": 2}, {\"uptime\": 1, \"bandwidth\": 3}], \"links\": null}");
    assert_true(json->is_complete && json->links == 1 && json->names == NULL);
    mco_overlay_destroy(test_ctx, &json);
    json = read_as("a.json", "{\"nodes\": [], \"links\": []}");
    assert_true(json->nodes == 0 && json->links == 0 && !json->is_complete);
    mco_overlay_destroy(test_ctx, &json);
}

static void test_round_trip(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 7, 0);
    for (int k = 0; k < 100; k++) {
        const test_shape shape = test_random_shape(&rng, TEST_NODES);
        mco_overlay *o = test_random_overlay(test_ctx, &rng, &shape), *back = NULL;
        const char *path = test_path("w.json");
        assert_non_null(o);
        assert_ok(mco_overlay_write(test_ctx, o, path));
        assert_ok(mco_overlay_read(test_ctx, path, NULL, &back));
        assert_equal(o, back);
        mco_overlay_destroy(test_ctx, &back);
        mco_overlay_destroy(test_ctx, &o);
    }
}

#define TWO "\"nodes\":[{\"uptime\":1,\"bandwidth\":1},{\"uptime\":1,\"bandwidth\":1}]"

static void test_refused(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"{", "i.json:1:2: the text ends"},
        {"{}", "i.json:1:3: the instance has no member nodes"},
        {"{\"nodes\":[{\"uptime\":2,\"bandwidth\":1}]}", "i.json:1:21: the uptime is 2, allowed is 0 to 1"},
        {"{\"nodes\":[{\"uptime\":NaN,\"bandwidth\":1}]}", "i.json:1:21: the uptime is \"NaN\""},
        {"{\"nodes\":[{\"uptime\":1,\"bandwidth\":-1}]}", "i.json:1:35: the bandwidth is -1"},
        {"{\"nodes\":[{\"uptime\":1,\"bandwidth\":1e400}]}", "i.json:1:35: "},
        {"{\"nodes\":[{\"uptime\":0.5}]}", "i.json:1:11: the bandwidth is missing"},
        {"{\"nodes\":[{\"bandwidth\":5}]}", "i.json:1:11: the uptime is missing"},
        {"{\"nodes\":[{\"uptime\":null,\"bandwidth\":5}]}", "i.json:1:11: the uptime is missing"},
        {"{\"nodes\":[{\"uptime\":1,\"uptime\":1,\"bandwidth\":5}]}", "i.json:1:32: uptime stands twice"},
        {"{\"nodes\":[{\"uptime\":0.5,\"bandwidth\":\"x\"}]}", "i.json:1:37: bandwidth: a number was expected"},
        {"{\"nodes\":[{\"uptime\":0.5,\"bandwidth\":1,\"name\":5}]}", "the name is no text"},
        {"{\"nodes\":[{\"uptime\":0.5,\"bandwidth\":1,\"speed\":5}]}", "a node has no member \"speed\"; it has name, uptime, bandwidth"},
        {"{\"nodes\":[],\"link\":[]}", "an instance has no member \"link\"; it has name, least, most, nodes, links"},
        {"{\"nodes\":[],\"nodes\":[]}", "nodes stands twice"},
        {"{\"nodes\":[{\"uptime\":1,\"bandwidth\":1,\"name\":\"a\"},{\"uptime\":1,\"bandwidth\":1,\"name\":\"a\"}]}", "the name \"a\" stands"},
        {"{" TWO ",\"links\":[{\"from\":1,\"to\":1}]}", "the link joins node \"1\" with itself"},
        {"{" TWO ",\"links\":[{\"from\":1}]}", "the link has no \"to\""},
        {"{" TWO ",\"links\":[{\"from\":1,\"to\":3}]}", "the node is 3, allowed is 1 to 2"},
        {"{" TWO ",\"links\":[{\"from\":1,\"to\":\"b\"}]}", "i.json:1:"},
        {"{" TWO ",\"links\":[{\"from\":1,\"to\":2},{\"from\":2,\"to\":1}]}", "the link between nodes 1 and 2 stands twice"},
        {"{" TWO ",\"links\":[{\"from\":1,\"to\":2,\"least\":2,\"most\":1}]}", "the least bandwidth of the link is above the most"},
        {"{" TWO ",\"links\":[{\"from\":1,\"to\":2,\"cost\":2}]}", "a link has no member \"cost\""},
        {"{" TWO ",\"least\":5,\"most\":3}", "the least bandwidth of all links, 5, is above the most, 3"},
        {"{\"schema\":1,\"nodes\":[]}", "this is a result file, and an instance was expected"},
        {"{\"nodes\":[]} x", "the instance ends before \"x\""},
        {"{\"nodes\":{}}", "i.json:1:10: "},
        {"{\"nodes\":[1]}", "i.json:1:11: "},
    };
    for (int k = 0; k < COUNT_OF(texts); k++) {
        mco_overlay *o = NULL;
        const mco_status st = mco_overlay_read(test_ctx, test_file("i.json", texts[k][0]), NULL, &o);
        const char *seen = mco_context_error(test_ctx);
        if (st == MCO_OK || strstr(seen, texts[k][1]) == NULL)
            fail_msg("%s: \"%s\" lacks \"%s\"", texts[k][0], seen, texts[k][1]);
        assert_null(o);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    const char *path = test_file("m.json", "{\"nodes\":[{\"uptime\":1,\"bandwidth\":1,\"name\":\"a\"},{\"uptime\":1,\"bandwidth\":1}],"
                                           "\"links\":[{\"from\":\"a\",\"to\":2,\"weight\":1,\"least\":0,\"most\":1}]}");
    const long before = test_memory.live;
    mco_status st = MCO_ERR_MEMORY;
    mco_overlay *o = NULL;
    long k = 1;
    for (; st == MCO_ERR_MEMORY; k++) {
        test_fail_allocation(k);
        st = mco_overlay_read(test_ctx, path, NULL, &o);
        assert_true(st == MCO_OK || (o == NULL && test_memory.live == before));
    }
    test_fail_allocation(0);
    assert_int_equal(st, MCO_OK);
    assert_true(k > 10);
    mco_overlay_destroy(test_ctx, &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_as_csv), TEST(test_round_trip), TEST(test_refused), TEST(test_failing_memory)};
    return cmocka_run_group_tests_name("overlay json", tests, NULL, NULL);
}
