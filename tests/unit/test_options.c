// SPDX-License-Identifier: MIT
// Options by table: setting from text, ranges, echo, help; and the table of the flow shop.
#include "test_support.h"

#include <math.h>

#include "base/options.h"
#include "mco/flowshop.h"

typedef struct sample {
    int64_t count;
    double limit;
    int method;
    const char *path;
    int is_quick;
} sample;

static const sample defaults = {-1, (double)INFINITY, 0, NULL, 0};

#define MCO_OPTION_STRUCT sample
static const mco_option table[] = {
    MCO_OPTION_INTEGER_ENTRY(count, "--count", -1, 0, 10, -1, "N", "how many")
    MCO_OPTION_REAL_ENTRY(limit, "--limit", INFINITY, 0, (double)INFINITY, (double)INFINITY, "S", "how long")
    MCO_OPTION_CHOICE_ENTRY(method, "--method", int, 0, "auto|fast|exact", "how")
    MCO_OPTION_TEXT_ENTRY(path, "--path-of-the-result", "F", "where")
    MCO_OPTION_FLAG_ENTRY(is_quick, "--quick", "be quick")
};
#undef MCO_OPTION_STRUCT

#define MCO_OPTION_STRUCT mco_flowshop_params
static const mco_option flowshop_table[] = {MCO_FLOWSHOP_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_REAL_ENTRY,
                                                                  MCO_OPTION_CHOICE_ENTRY, MCO_OPTION_TEXT_ENTRY)};
#undef MCO_OPTION_STRUCT

static void test_set(void **state)
{
    (void)state;
    sample s = defaults;
    assert_ok(mco_option_set(test_ctx, &table[0], &s, "10"));
    assert_ok(mco_option_set(test_ctx, &table[1], &s, "2.5"));
    assert_ok(mco_option_set(test_ctx, &table[2], &s, "exact"));
    assert_ok(mco_option_set(test_ctx, &table[3], &s, "out.json"));
    assert_ok(mco_option_set(test_ctx, &table[4], &s, NULL));
    assert_int_equal(s.count, 10);
    assert_true(s.limit == 2.5);
    assert_int_equal(s.method, 2);
    assert_string_equal(s.path, "out.json");
    assert_int_equal(s.is_quick, 1);
}

static void test_set_refuses(void **state)
{
    (void)state;
    sample s = defaults;
    assert_fails(mco_option_set(test_ctx, &table[0], &s, "11"), MCO_ERR_ARGUMENT,
                 "--count is \"11\", an integer from 0 to 10 was expected");
    assert_fails(mco_option_set(test_ctx, &table[0], &s, "-1"), MCO_ERR_ARGUMENT,
                 "--count is \"-1\", an integer from 0 to 10 was expected");
    assert_fails(mco_option_set(test_ctx, &table[0], &s, "3x"), MCO_ERR_ARGUMENT,
                 "--count is \"3x\", an integer from 0 to 10 was expected");
    assert_fails(mco_option_set(test_ctx, &table[1], &s, "soon"), MCO_ERR_ARGUMENT,
                 "--limit is \"soon\", a number from 0 to inf was expected");
    assert_fails(mco_option_set(test_ctx, &table[1], &s, "-0.5"), MCO_ERR_ARGUMENT,
                 "--limit is \"-0.5\", a number from 0 to inf was expected");
    assert_fails(mco_option_set(test_ctx, &table[2], &s, "slow"), MCO_ERR_ARGUMENT,
                 "--method is \"slow\", one of auto|fast|exact was expected");
    assert_fails(mco_option_set(test_ctx, &table[2], &s, "aut"), MCO_ERR_ARGUMENT,
                 "--method is \"aut\", one of auto|fast|exact was expected");
    assert_fails(mco_option_set(test_ctx, &table[2], &s, "auto|fast"), MCO_ERR_ARGUMENT,
                 "--method is \"auto|fast\", one of auto|fast|exact was expected");
    assert_true(s.count == defaults.count && s.limit == defaults.limit && s.method == defaults.method);
}

static void test_validate(void **state)
{
    (void)state;
    sample s = defaults;
    assert_ok(mco_options_validate(test_ctx, table, COUNT_OF(table), &s));
    s.count = 11;
    assert_fails(mco_options_validate(test_ctx, table, COUNT_OF(table), &s), MCO_ERR_ARGUMENT,
                 "count is 11, allowed is 0 to 10");
    s = defaults;
    s.limit = (double)NAN;
    assert_int_equal(mco_options_validate(test_ctx, table, COUNT_OF(table), &s), MCO_ERR_ARGUMENT);
    s = defaults;
    s.method = 3;
    assert_fails(mco_options_validate(test_ctx, table, COUNT_OF(table), &s), MCO_ERR_ARGUMENT,
                 "method is 3, one of auto|fast|exact was expected");
    s.method = -1;
    assert_fails(mco_options_validate(test_ctx, table, COUNT_OF(table), &s), MCO_ERR_ARGUMENT,
                 "method is -1, one of auto|fast|exact was expected");
}

static char *print(void (*writer)(FILE *, const sample *), const sample *s)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    writer(file, s);
    fclose(file);
    return text;
}

static void write_echo(FILE *file, const sample *s)
{
    mco_json j;
    mco_json_begin(&j, file);
    mco_json_open(&j, NULL, '{');
    mco_options_echo(&j, table, COUNT_OF(table), s);
    mco_json_close(&j, '}');
}

static void write_help(FILE *file, const sample *s)
{
    mco_options_help(file, table, COUNT_OF(table), s);
}

static void test_echo(void **state)
{
    (void)state;
    const sample given = {3, 0.5, 1, "x", 1};
    char *text = print(write_echo, &defaults);
    assert_string_equal(text, "{\n  \"count\": null,\n  \"limit\": null,\n  \"method\": \"auto\",\n"
                              "  \"path-of-the-result\": null,\n  \"quick\": false\n}");
    free(text);
    text = print(write_echo, &given);
    assert_string_equal(text, "{\n  \"count\": 3,\n  \"limit\": 0.5,\n  \"method\": \"fast\",\n"
                              "  \"path-of-the-result\": \"x\",\n  \"quick\": true\n}");
    free(text);
}

static void test_help(void **state)
{
    (void)state;
    char *text = print(write_help, &defaults);
    assert_string_equal(text, "  --count N                 how many\n"
                              "  --limit S                 how long\n"
                              "  --method auto|fast|exact  how [auto]\n"
                              "  --path-of-the-result F    where\n"
                              "  --quick                   be quick\n");
    free(text);
}

// Each flag once, a help text for each, a default that is in range or "not given", all choices named.
static void test_flowshop_table(void **state)
{
    (void)state;
    const mco_flowshop_params params = MCO_FLOWSHOP_PARAMS_INIT;
    char name[32];
    for (int i = 0; i < COUNT_OF(flowshop_table); i++) {
        const mco_option *o = &flowshop_table[i];
        assert_memory_equal(o->flag, "--", 2);
        assert_true(strlen(o->help) > 5);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(o->flag, flowshop_table[k].flag);
        for (int c = 0; o->kind == MCO_OPTION_CHOICE && mco_option_choice(o, c, name, sizeof name) != NULL; c++) {
            mco_flowshop_params chosen = params;
            assert_ok(mco_option_set(test_ctx, o, &chosen, name));
            assert_int_equal(*(const int *)((const char *)&chosen + o->offset), c);
        }
    }
    assert_ok(mco_options_validate(test_ctx, flowshop_table, COUNT_OF(flowshop_table), &params));
    assert_null(params.start);
    assert_int_equal(params.struct_size, sizeof params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_set),  TEST(test_set_refuses), TEST(test_validate),
                                       TEST(test_echo), TEST(test_help),        TEST(test_flowshop_table)};
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
