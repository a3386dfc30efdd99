// SPDX-License-Identifier: MIT
// Reads and solves every instance of the cutting collection in the folder that MCO_DATA names; skipped without it.
#include "test_support.h"

#include "guillotine/formats.h"

// All files are read; those with plates up to this width are solved.
enum {
    SKIPPED = 77,
    PATH_ROOM = 4096,
    LARGEST_QUICK = TEST_IS_SANITIZED ? 1000 : 10000
};

static void collection_path(char *path, size_t size, const char *name)
{
    const char *data = getenv("MCO_DATA");
    snprintf(path, size, "%.3000s/cutting/%.900s", data != NULL ? data : "", name);
}

// Solves for value and plan, and for the whole table; mco_guillotine_solve() checks the plan.
static void compare_value(const mco_guillotine *g, mco_slice best, int is_rotated, mco_text *text)
{
    int64_t value;
    assert_ok(mco_slice_integer(text, best, "an optimum", 1, INT64_MAX, &value));
    for (int wants_table = 0; wants_table < 2; wants_table++) {
        mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
        mco_guillotine_result result = MCO_GUILLOTINE_RESULT_INIT;
        params.engine = MCO_ENGINE_CPU;
        params.rotate = is_rotated;
        params.wants_table = wants_table;
        assert_ok(mco_guillotine_solve(test_ctx, g, &params, &result));
        assert_int_equal(result.outcome, MCO_OUTCOME_OPTIMAL);
        assert_int_equal(result.value, value);
        mco_guillotine_result_clear(test_ctx, &result);
    }
}

// The list of best known values says which plate and how many pieces each file holds.
static void test_collection(void **state)
{
    (void)state;
    char path[PATH_ROOM], name[512];
    mco_text text;
    mco_slice line, fields[11];
    int count = 0, optima = 0;
    collection_path(path, sizeof path, "bestknown.csv");
    assert_ok(mco_text_open(test_ctx, path, &text));
    mco_text_line(&text, &line);
    for (; mco_text_line(&text, &line); count++) {
        int64_t sizes[3];
        mco_guillotine *g = NULL, *back = NULL;
        for (int i = 0; i < COUNT_OF(fields); i++)
            assert_true(mco_slice_field(&line, ',', &fields[i]));
        for (int i = 0; i < COUNT_OF(sizes); i++)
            assert_ok(mco_slice_integer(&text, fields[2 + i], "a size", 1, INT32_MAX, &sizes[i]));
        snprintf(name, sizeof name, "%.*s/%.*s.txt", (int)fields[1].size, fields[1].data, (int)fields[0].size,
                 fields[0].data);
        collection_path(path, sizeof path, name);
        assert_ok(mco_guillotine_read(test_ctx, path, &g));
        assert_int_equal(mco_guillotine_width(g), sizes[0]);
        assert_int_equal(mco_guillotine_height(g), sizes[1]);
        assert_int_equal(mco_guillotine_pieces(g), sizes[2]);
        assert_ok(mco_guillotine_write(test_ctx, g, test_path("copy")));
        assert_ok(mco_guillotine_read(test_ctx, test_path("copy"), &back));
        for (int64_t p = 0; p < sizes[2]; p++) {
            const mco_guillotine_piece a = mco_guillotine_piece_at(g, p), b = mco_guillotine_piece_at(back, p);
            assert_true(a.width == b.width && a.height == b.height && a.value == b.value && a.is_rotatable);
        }
        const bool is_large = sizes[0] > LARGEST_QUICK;
        for (int turned = 0; turned < 2 && !is_large; turned++)
            if (fields[9 + turned].size > 0) {
                compare_value(g, fields[9 + turned], turned, &text);
                optima++;
            }
        mco_guillotine_destroy(test_ctx, &back);
        mco_guillotine_destroy(test_ctx, &g);
    }
    assert_true(count > 0);
    assert_true(optima > 0);
    mco_text_close(&text);
}

int main(void)
{
    char path[PATH_ROOM];
    collection_path(path, sizeof path, "bestknown.csv");
    if (access(path, R_OK) != 0) {
        printf("skipped: %s cannot be read\n", path);
        return SKIPPED;
    }
    const struct CMUnitTest tests[] = {TEST(test_collection)};
    return cmocka_run_group_tests_name("guillotine_files", tests, NULL, NULL);
}
