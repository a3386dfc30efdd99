// SPDX-License-Identifier: MIT
// Options by table: setting from text, by record and by name, ranges, output, help; and the tables of all problems.
#include "test_support.h"

#include <math.h>

#include "base/options.h"
#include "mco/mco.h"

typedef struct sample {
    size_t struct_size;
    int64_t count;
    double limit;
    int method, is_quick;
    const char *path;
    int64_t depth;
} sample;

static const sample defaults = {sizeof(sample), -1, (double)INFINITY, 0, 0, NULL, 4};

#define MCO_OPTION_STRUCT sample
static const mco_option records[] = {
    MCO_OPTION_INTEGER_ENTRY(count, "--count", -1, 0, 10, -1, "N", "how many")
    MCO_OPTION_REAL_ENTRY(limit, "--limit", INFINITY, 0, (double)INFINITY, (double)INFINITY, "S", "how long")
    MCO_OPTION_CHOICE_ENTRY(method, "--method", int, 0, "auto|fast|exact", "how")
    MCO_OPTION_TEXT_ENTRY(path, "--path-of-the-result", "F", "where")
    MCO_OPTION_FLAG_ENTRY(is_quick, "--quick", "be quick")
};
static const mco_option_table table = MCO_OPTION_TABLE(records);

// The same with choices and options for study.
static const mco_option study_records[] = {
    MCO_OPTION_INTEGER_ENTRY(count, "--count", -1, 0, 10, -1, "N", "how many")
    MCO_OPTION_CHOICE_ENTRY(method, "--method", int, 0, "auto|fast||slow|slower", "how")
    MCO_OPTION_INTEGER_ENTRY(depth, "--depth", 4, 1, 9, -1, "D", "how deep")
};
static const mco_option_table study_table = MCO_STUDY_TABLE(study_records, 1);
#undef MCO_OPTION_STRUCT

static void test_set(void **state)
{
    (void)state;
    sample s = defaults;
    assert_ok(mco_option_set(test_ctx, &records[0], &s, "10"));
    assert_ok(mco_option_set(test_ctx, &records[1], &s, "2.5"));
    assert_ok(mco_option_set(test_ctx, &records[2], &s, "exact"));
    assert_ok(mco_option_set(test_ctx, &records[3], &s, "out.json"));
    assert_ok(mco_option_set(test_ctx, &records[4], &s, NULL));
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
    assert_fails(mco_option_set(test_ctx, &records[0], &s, "11"), MCO_ERR_ARGUMENT,
                 "--count is \"11\", an integer from 0 to 10 was expected");
    assert_fails(mco_option_set(test_ctx, &records[0], &s, "-1"), MCO_ERR_ARGUMENT,
                 "--count is \"-1\", an integer from 0 to 10 was expected");
    assert_fails(mco_option_set(test_ctx, &records[0], &s, "3x"), MCO_ERR_ARGUMENT,
                 "--count is \"3x\", an integer from 0 to 10 was expected");
    assert_fails(mco_option_set(test_ctx, &records[1], &s, "soon"), MCO_ERR_ARGUMENT,
                 "--limit is \"soon\", a number from 0 to inf was expected");
    assert_fails(mco_option_set(test_ctx, &records[1], &s, "-0.5"), MCO_ERR_ARGUMENT,
                 "--limit is \"-0.5\", a number from 0 to inf was expected");
    assert_fails(mco_option_set(test_ctx, &records[2], &s, "slow"), MCO_ERR_ARGUMENT,
                 "--method is \"slow\", one of auto|fast|exact was expected");
    assert_fails(mco_option_set(test_ctx, &records[2], &s, "aut"), MCO_ERR_ARGUMENT,
                 "--method is \"aut\", one of auto|fast|exact was expected");
    assert_fails(mco_option_set(test_ctx, &records[2], &s, "auto|fast"), MCO_ERR_ARGUMENT,
                 "--method is \"auto|fast\", one of auto|fast|exact was expected");
    assert_true(s.count == defaults.count && s.limit == defaults.limit && s.method == defaults.method);
}

// "inf" is a number where the range is endless. It is no default that a solver may replace.
static void test_set_infinity(void **state)
{
    (void)state;
    sample s = defaults;
    assert_ok(mco_option_set(test_ctx, &records[1], &s, "inf"));
    assert_true(s.limit == MCO_NO_LIMIT);
    assert_true(isfinite(s.limit));
    assert_ok(mco_options_validate(test_ctx, &table, &s));
    mco_option endless = records[1];
    endless.unset = -1;
    assert_ok(mco_option_set(test_ctx, &endless, &s, "inf"));
    assert_true(isinf(s.limit));
    endless.high = 1e9;
    assert_fails(mco_option_set(test_ctx, &endless, &s, "inf"), MCO_ERR_ARGUMENT,
                 "--limit is \"inf\", a number from 0 to 1e+09 was expected");
}

static void test_validate(void **state)
{
    (void)state;
    sample s = defaults;
    assert_ok(mco_options_validate(test_ctx, &table, &s));
    s.count = 11;
    assert_fails(mco_options_validate(test_ctx, &table, &s), MCO_ERR_ARGUMENT,
                 "count is 11, allowed is 0 to 10");
    s = defaults;
    s.limit = (double)NAN;
    assert_int_equal(mco_options_validate(test_ctx, &table, &s), MCO_ERR_ARGUMENT);
    s = defaults;
    s.method = 3;
    assert_fails(mco_options_validate(test_ctx, &table, &s), MCO_ERR_ARGUMENT,
                 "method is 3, one of auto|fast|exact was expected");
    s.method = -1;
    assert_fails(mco_options_validate(test_ctx, &table, &s), MCO_ERR_ARGUMENT,
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
    mco_options_echo(&j, &table, s);
    mco_json_close(&j, '}');
}

static void write_help(FILE *file, const sample *s)
{
    mco_options_help(file, &table, s, false);
}

static void write_user_help(FILE *file, const sample *s)
{
    mco_options_help(file, &study_table, s, false);
}

static void write_study_help(FILE *file, const sample *s)
{
    mco_options_help(file, &study_table, s, true);
}

static void test_echo(void **state)
{
    (void)state;
    const sample given = {sizeof(sample), 3, 0.5, 1, 1, "x", 4};
    char *text = print(write_echo, &defaults);
    assert_string_equal(text, "{\n  \"count\": null,\n  \"limit\": null,\n  \"method\": \"auto\",\n"
                              "  \"path-of-the-result\": null,\n  \"quick\": false\n}");
    free(text);
    sample endless = defaults;
    endless.limit = MCO_NO_LIMIT;
    text = print(write_echo, &endless);
    assert_non_null(strstr(text, "\"limit\": null,"));
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
    text = print(write_user_help, &defaults);
    assert_string_equal(text, "  --count N                 how many\n"
                              "  --method auto|fast        how [auto]\n");
    free(text);
    text = print(write_study_help, &defaults);
    assert_string_equal(text, "  --count N                 how many\n"
                              "  --method auto|fast|slow|slower\n"
                              "                            how [auto]\n"
                              "  --depth D                 how deep [4]\n");
    free(text);
}

// ---- By name

static void test_find(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(records); i++) {
        assert_ptr_equal(mco_options_find(&table, records[i].flag), &records[i]);
        assert_ptr_equal(mco_options_find(&table, records[i].flag + 2), &records[i]);
    }
    static const char *const none[] = {"", "-", "--", "-count", "---count", "coun", "counts", "--counts", "Count", "depth"};
    for (int i = 0; i < COUNT_OF(none); i++)
        assert_null(mco_options_find(&table, none[i]));
}

static void test_set_by_name(void **state)
{
    (void)state;
    sample s = defaults;
    assert_ok(mco_options_set(test_ctx, &table, &s, "count", "7"));
    assert_ok(mco_options_set(test_ctx, &table, &s, "--limit", "1e3"));
    assert_ok(mco_options_set(test_ctx, &table, &s, "method", "fast"));
    assert_ok(mco_options_set(test_ctx, &table, &s, "path-of-the-result", "out.json"));
    assert_ok(mco_options_set(test_ctx, &table, &s, "--quick", "1"));
    assert_int_equal(s.count, 7);
    assert_true(s.limit == 1000);
    assert_int_equal(s.method, 1);
    assert_string_equal(s.path, "out.json");
    assert_int_equal(s.is_quick, 1);
    const sample before = s;
    assert_fails(mco_options_set(test_ctx, &table, &s, "depth", "2"), MCO_ERR_ARGUMENT, "no option is named \"depth\"");
    assert_fails(mco_options_set(test_ctx, &table, &s, "count", "11"), MCO_ERR_ARGUMENT,
                 "--count is \"11\", an integer from 0 to 10 was expected");
    assert_fails(mco_options_set(test_ctx, NULL, &s, "count", "1"), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_options_set(test_ctx, &table, NULL, "count", "1"), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_options_set(test_ctx, &table, &s, NULL, "1"), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_options_set(test_ctx, &table, &s, "count", NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_memory_equal(&s, &before, sizeof s);
}

// A shorter struct, of an older header, has no field for later options.
static void test_set_in_a_short_struct(void **state)
{
    (void)state;
    sample s = defaults;
    s.struct_size = offsetof(sample, is_quick);
    const sample before = s;
    assert_fails(mco_options_set(test_ctx, &table, &s, "path-of-the-result", "x"), MCO_ERR_ARGUMENT,
                 "the struct has 28 bytes, path-of-the-result is behind them");
    assert_int_equal(mco_options_set(test_ctx, &table, &s, "quick", ""), MCO_ERR_ARGUMENT);
    assert_memory_equal(&s, &before, sizeof s);
    assert_ok(mco_options_set(test_ctx, &table, &s, "method", "exact"));
    assert_int_equal(s.method, 2);
}

// Options and choices behind "||" are accepted, but no message and no help for users names them.
static void test_study(void **state)
{
    (void)state;
    char name[32];
    sample s = defaults;
    const mco_option *method = mco_options_find(&study_table, "method");
    assert_int_equal(study_table.count, 3);
    assert_int_equal(study_table.user_count, 2);
    assert_int_equal(table.user_count, table.count);
    assert_int_equal(study_table.struct_size, sizeof(sample));
    static const char *const names[] = {"auto", "fast", "slow", "slower"};
    for (int i = 0; i < COUNT_OF(names); i++) {
        assert_string_equal(mco_option_choice(method, i, name, sizeof name), names[i]);
        assert_ok(mco_options_set(test_ctx, &study_table, &s, "method", names[i]));
        assert_int_equal(s.method, i);
        assert_ok(mco_options_validate(test_ctx, &study_table, &s));
    }
    assert_null(mco_option_choice(method, COUNT_OF(names), name, sizeof name));
    assert_null(mco_option_choice(method, -1, name, sizeof name));
    assert_fails(mco_options_set(test_ctx, &study_table, &s, "method", ""), MCO_ERR_ARGUMENT,
                 "--method is \"\", one of auto|fast was expected");
    s.method = COUNT_OF(names);
    assert_fails(mco_options_validate(test_ctx, &study_table, &s), MCO_ERR_ARGUMENT,
                 "method is 4, one of auto|fast was expected");
    assert_ok(mco_options_set(test_ctx, &study_table, &s, "depth", "9"));
    assert_int_equal(s.depth, 9);
}

// ---- The tables of all problems

static const mco_flowshop_params flowshop = MCO_FLOWSHOP_PARAMS_INIT;
static const mco_vrp_params vrp = MCO_VRP_PARAMS_INIT;
static const mco_vrp_model vrp_model = MCO_VRP_MODEL_INIT;
static const mco_vrp_relax_params vrp_relax = MCO_VRP_RELAX_PARAMS_INIT;
static const mco_vrp_bound_params vrp_bound = MCO_VRP_BOUND_PARAMS_INIT;
static const mco_vrp_generation vrp_generation = MCO_VRP_GENERATION_INIT;
static const mco_dtspms_params dtspms = MCO_DTSPMS_PARAMS_INIT;
static const mco_guillotine_params guillotine = MCO_GUILLOTINE_PARAMS_INIT;
static const mco_reduce_params reduce = MCO_REDUCE_PARAMS_INIT;
static const mco_cycles_params cycles = MCO_CYCLES_PARAMS_INIT;
static const mco_overlay_model overlay_model = MCO_OVERLAY_MODEL_INIT;
static const mco_overlay_bound_params overlay_bound = MCO_OVERLAY_BOUND_PARAMS_INIT;
static const mco_overlay_live_params overlay_live = MCO_OVERLAY_LIVE_PARAMS_INIT;
static const mco_overlay_params overlay = MCO_OVERLAY_PARAMS_INIT;
static const mco_overlay_generation overlay_generation = MCO_OVERLAY_GENERATION_INIT;
static const mco_multimodal_params multimodal = MCO_MULTIMODAL_PARAMS_INIT;
static const mco_traffic_params traffic = MCO_TRAFFIC_PARAMS_INIT;
static const mco_transit_params transit = MCO_TRANSIT_PARAMS_INIT;
static const mco_paths_params paths = MCO_PATHS_PARAMS_INIT;

typedef struct problem_table {
    const mco_option_table *(*table)(void);
    const void *defaults;
    size_t size;
    int study;  // options that are for study only
} problem_table;

static const problem_table problem_tables[] = {
    {mco_flowshop_options, &flowshop, sizeof flowshop, 3},
    {mco_vrp_solve_options, &vrp, sizeof vrp, 0},
    {mco_vrp_neighbourhood_options, &vrp, sizeof vrp, 6},
    {mco_vrp_model_options, &vrp_model, sizeof vrp_model, 0},
    {mco_vrp_relax_options, &vrp_relax, sizeof vrp_relax, 0},
    {mco_vrp_bound_options, &vrp_bound, sizeof vrp_bound, 0},
    {mco_vrp_generation_options, &vrp_generation, sizeof vrp_generation, 0},
    {mco_dtspms_solve_options, &dtspms, sizeof dtspms, 0},
    {mco_dtspms_neighbourhood_options, &dtspms, sizeof dtspms, 0},
    {mco_guillotine_options, &guillotine, sizeof guillotine, 0},
    {mco_guillotine_plan_options, &guillotine, sizeof guillotine, 0},
    {mco_reduce_options, &reduce, sizeof reduce, 0},
    {mco_cycles_options, &cycles, sizeof cycles, 0},
    {mco_multimodal_options, &multimodal, sizeof multimodal, 0},
    {mco_overlay_model_options, &overlay_model, sizeof overlay_model, 0},
    {mco_overlay_bound_options, &overlay_bound, sizeof overlay_bound, 0},
    {mco_overlay_live_options, &overlay_live, sizeof overlay_live, 0},
    {mco_overlay_options, &overlay, sizeof overlay, 0},
    {mco_overlay_generation_options, &overlay_generation, sizeof overlay_generation, 0},
    {mco_traffic_options, &traffic, sizeof traffic, 0},
    {mco_transit_options, &transit, sizeof transit, 0},
    {mco_paths_options, &paths, sizeof paths, 0},
};
enum { LARGEST_STRUCT = 1024 };

static size_t field_size(const mco_option *o)
{
    return o->kind == MCO_OPTION_CHOICE || o->kind == MCO_OPTION_FLAG ? sizeof(int) : 8;
}

// Sets the option by its name, with and without dashes, in the defaults. Both must do the same; on failure nothing may
// change.
static bool set_both(const problem_table *p, const mco_option *o, const char *value, char params[LARGEST_STRUCT])
{
    char other[LARGEST_STRUCT];
    memcpy(params, p->defaults, p->size);
    memcpy(other, p->defaults, p->size);
    const mco_status st = mco_options_set(test_ctx, p->table(), params, o->flag, value);
    assert_int_equal(mco_options_set(test_ctx, p->table(), other, o->flag + 2, value), st);
    assert_memory_equal(params, other, p->size);
    assert_true(st == MCO_OK || st == MCO_ERR_ARGUMENT);
    if (st == MCO_OK)
        assert_ok(mco_options_validate(test_ctx, p->table(), params));
    // All fields but its own are unchanged.
    const char *before = p->defaults;
    const size_t end = o->offset + (st == MCO_OK ? field_size(o) : 0);
    assert_memory_equal(params, before, o->offset);
    assert_memory_equal(params + end, before + end, p->size - end);
    return st == MCO_OK;
}

static void try_number(const problem_table *p, const mco_option *o)
{
    char params[LARGEST_STRUCT], text[40];
    const double bounds[] = {o->low, isfinite(o->high) ? o->high : 1e300};
    for (int i = 0; i < COUNT_OF(bounds); i++) {
        double real;
        int64_t integer;
        snprintf(text, sizeof text, o->kind == MCO_OPTION_INTEGER ? "%.0f" : "%.17g", bounds[i]);
        assert_true(set_both(p, o, text, params));
        memcpy(&real, params + o->offset, sizeof real);
        memcpy(&integer, params + o->offset, sizeof integer);
        assert_true(o->kind == MCO_OPTION_INTEGER ? (double)integer == bounds[i] : real == bounds[i]);
    }
    snprintf(text, sizeof text, "%.17g", o->low - 1);
    assert_false(set_both(p, o, text, params));
    if (isfinite(o->high)) {
        snprintf(text, sizeof text, "%.17g", o->high + (o->high < 1e6 ? 1 : o->high));
        assert_false(set_both(p, o, text, params));
    }
    assert_false(set_both(p, o, "x", params));
    assert_false(set_both(p, o, "nan", params));
    assert_false(set_both(p, o, "", params));
}

static void try_choices(const problem_table *p, const mco_option *o)
{
    char params[LARGEST_STRUCT], name[32];
    int c = 0, chosen;
    for (; mco_option_choice(o, c, name, sizeof name) != NULL; c++) {
        assert_true(strlen(name) > 0);
        assert_true(set_both(p, o, name, params));
        memcpy(&chosen, params + o->offset, sizeof chosen);
        assert_int_equal(chosen, c);
    }
    assert_true(c >= 2);
    assert_false(set_both(p, o, o->choices, params));
    assert_false(set_both(p, o, "", params));
}

static void try_option(const problem_table *p, const mco_option *o)
{
    char params[LARGEST_STRUCT];
    const char *text;
    int flag;
    switch (o->kind) {
    case MCO_OPTION_INTEGER:
    case MCO_OPTION_REAL: try_number(p, o); break;
    case MCO_OPTION_CHOICE: try_choices(p, o); break;
    case MCO_OPTION_TEXT:
        assert_true(set_both(p, o, "some text", params));
        memcpy(&text, params + o->offset, sizeof text);
        assert_string_equal(text, "some text");
        break;
    case MCO_OPTION_FLAG:
        for (int wanted = 0; wanted <= 1; wanted++) {
            assert_true(set_both(p, o, wanted ? "1" : "0", params));
            memcpy(&flag, params + o->offset, sizeof flag);
            assert_int_equal(flag, wanted);
        }
        assert_false(set_both(p, o, "", params));
        break;
    }
}

// Checks that a default is in range or "not given". Choices must have a name, flags must be off, and texts must be
// absent.
static void check_default(const problem_table *p, const mco_option *o)
{
    const char *field = (const char *)p->defaults + o->offset;
    char name[32];
    double value;
    int64_t integer;
    int choice;
    memcpy(&value, field, field_size(o));
    memcpy(&integer, field, field_size(o));
    memcpy(&choice, field, sizeof choice);
    if (o->kind == MCO_OPTION_INTEGER)
        value = (double)integer;
    if (o->kind == MCO_OPTION_INTEGER || o->kind == MCO_OPTION_REAL)
        assert_true(value == o->unset || (value >= o->low && value <= o->high));
    else if (o->kind == MCO_OPTION_CHOICE)
        assert_non_null(mco_option_choice(o, choice, name, sizeof name));
    else
        assert_int_equal(o->kind == MCO_OPTION_FLAG ? choice : integer, 0);
}

// Each flag occurs once, each has a help text, its default is in range or "not given", and all choices have names.
static void test_problem_tables(void **state)
{
    (void)state;
    for (int t = 0; t < COUNT_OF(problem_tables); t++) {
        const problem_table *p = &problem_tables[t];
        const mco_option_table *all = p->table();
        size_t size;
        memcpy(&size, p->defaults, sizeof size);
        assert_int_equal(size, p->size);
        assert_int_equal(all->struct_size, p->size);
        assert_true(p->size <= LARGEST_STRUCT);
        assert_true(all->count > 0);
        assert_int_equal(all->user_count, all->count - (size_t)p->study);
        for (size_t i = 0; i < all->count; i++) {
            const mco_option *o = &all->options[i];
            assert_memory_equal(o->flag, "--", 2);
            assert_true(strlen(o->flag) > 2 && strlen(o->help) > 3);
            assert_true(o->offset >= sizeof size && o->offset + field_size(o) <= p->size);
            assert_true((o->kind == MCO_OPTION_CHOICE) == (o->choices != NULL));
            assert_true((o->kind == MCO_OPTION_CHOICE || o->kind == MCO_OPTION_FLAG) == (o->argument == NULL));
            for (size_t k = 0; k < i; k++) {
                assert_string_not_equal(o->flag, all->options[k].flag);
                assert_int_not_equal(o->offset, all->options[k].offset);
            }
            assert_ptr_equal(mco_options_find(all, o->flag), o);
            check_default(p, o);
            try_option(p, o);
        }
        assert_ok(mco_options_validate(test_ctx, all, p->defaults));
    }
    assert_null(flowshop.start);
    assert_null(vrp.start);
    assert_null(vrp_relax.price);
    assert_null(vrp_bound.start);
    assert_null(dtspms.start);
    assert_int_equal(guillotine.wants_table, 0);
}

// What users see of the flow shop's engines, and what is for study.
static void test_engines_for_study(void **state)
{
    (void)state;
    const mco_option_table *all = mco_flowshop_options();
    const mco_option *engine = mco_options_find(all, "engine");
    char name[32];
    assert_non_null(engine);
    assert_memory_equal(engine->choices, "auto|cpu|gpu|reference|hybrid||", strlen("auto|cpu|gpu|reference|hybrid||"));
    for (int e = MCO_ENGINE_AUTO; e <= MCO_ENGINE_MULTI_GPU_FUNCTIONAL; e++)
        assert_string_equal(mco_option_choice(engine, e, name, sizeof name), mco_engine_text((mco_engine)e));
    assert_null(mco_option_choice(engine, MCO_ENGINE_MULTI_GPU_FUNCTIONAL + 1, name, sizeof name));
    static const char *const study[] = {"pool", "streams", "block"};
    for (int i = 0; i < COUNT_OF(study); i++)
        assert_true(mco_options_find(all, study[i]) >= all->options + all->user_count);
    // Other problems take a prefix of the engines, and all vector units.
    for (int t = 0; t < COUNT_OF(problem_tables); t++) {
        const mco_option *some = mco_options_find(problem_tables[t].table(), "engine");
        for (int e = 0; some != NULL && mco_option_choice(some, e, name, sizeof name) != NULL; e++)
            assert_string_equal(name, mco_engine_text((mco_engine)e));
        const mco_option *simd = mco_options_find(problem_tables[t].table(), "simd");
        for (int v = 0; simd != NULL && v <= MCO_SIMD_PORTABLE; v++)
            assert_string_equal(mco_option_choice(simd, v, name, sizeof name), mco_simd_text((mco_simd)v));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_set),  TEST(test_set_refuses), TEST(test_set_infinity), TEST(test_validate), TEST(test_echo),
        TEST(test_help), TEST(test_find),        TEST(test_set_by_name), TEST(test_set_in_a_short_struct),
        TEST(test_study), TEST(test_problem_tables), TEST(test_engines_for_study),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
