// SPDX-License-Identifier: MIT
// JSON: the exact text written, numbers that read back as themselves, and the reader on hostile text.
#include "test_support.h"

#include <locale.h>
#include <math.h>

#include "base/json.h"

static char *written;  // what the last test wrote
static size_t written_size;

static FILE *begin(mco_json *json)
{
    FILE *file = open_memstream(&written, &written_size);
    assert_non_null(file);
    mco_json_begin(json, file);
    return file;
}

static void assert_written(FILE *file, const char *expected)
{
    fclose(file);
    assert_string_equal(written, expected);
    free(written);
    written = NULL;
}

static void test_golden(void **state)
{
    (void)state;
    static const int32_t order[] = {2, 0, 1};
    static const int64_t counts[] = {INT64_MAX, 0, INT64_MIN};
    mco_json j;
    FILE *file = begin(&j);
    mco_json_open(&j, NULL, '{');
    mco_json_text(&j, "name", "ta001");
    mco_json_text(&j, "none", NULL);
    mco_json_integer(&j, "objective", -7);
    mco_json_real(&j, "gap", 0.1);
    mco_json_bool(&j, "ok", true);
    mco_json_null(&j, "bound");
    mco_json_open(&j, "empty", '{');
    mco_json_close(&j, '}');
    mco_json_integers(&j, "order", order, 3, 1);
    mco_json_counts(&j, "counts", counts, 3);
    mco_json_integers(&j, "nobody", NULL, 0, 1);
    mco_json_open(&j, "list", '[');
    mco_json_integer(&j, NULL, 1);
    mco_json_counts(&j, NULL, counts + 1, 1);
    mco_json_close(&j, ']');
    mco_json_close(&j, '}');
    mco_json_end(&j);
    assert_written(file, "{\n"
                         "  \"name\": \"ta001\",\n"
                         "  \"none\": null,\n"
                         "  \"objective\": -7,\n"
                         "  \"gap\": 0.1,\n"
                         "  \"ok\": true,\n"
                         "  \"bound\": null,\n"
                         "  \"empty\": {},\n"
                         "  \"order\": [3, 1, 2],\n"
                         "  \"counts\": [9223372036854775807, 0, -9223372036854775808],\n"
                         "  \"nobody\": [],\n"
                         "  \"list\": [\n"
                         "    1,\n"
                         "    [0]\n"
                         "  ]\n"
                         "}\n");
}

static void test_text_escapes(void **state)
{
    (void)state;
    static const struct {
        const char *text, *json;
    } cases[] = {
        {"", "\"\""},
        {"a\"b\\c/d", "\"a\\\"b\\\\c/d\""},
        {"\n\t\x01\x1f\x7f", "\"\\u000a\\u0009\\u0001\\u001f\x7f\""},
        {"é ≤ 𝄞", "\"é ≤ 𝄞\""},
        {"M\xfcller", "\"M\xef\xbf\xbdller\""},                         // Latin-1
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                   // overlong
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},   // surrogate
        {"\xe2\x89", "\"\xef\xbf\xbd\xef\xbf\xbd\""},                   // cut
        {"\xf4\x90\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},  // beyond U+10FFFF
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_json j;
        FILE *file = begin(&j);
        mco_json_text(&j, NULL, cases[i].text);
        assert_written(file, cases[i].json);
    }
}

static void test_reals_read_back(void **state)
{
    (void)state;
    static const double values[] = {0,     -0.0,      1,        0.1,      1.0 / 3,        100000,  1e6,  1234567.5,
                                    1e-7,  5e-324,    2.2250738585072014e-308, 1.7976931348623157e308, 2297.0,
                                    -0.25, 123456789.123456789, 9007199254740993.0};
    for (int i = 0; i < COUNT_OF(values); i++) {
        mco_json j;
        double back;
        FILE *file = begin(&j);
        mco_json_real(&j, NULL, values[i]);
        fclose(file);
        assert_true(mco_parse_real(written, -HUGE_VAL, HUGE_VAL, &back));
        assert_memory_equal(&back, &values[i], sizeof back);
        free(written);
    }
    const double unknown[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < COUNT_OF(unknown); i++) {
        mco_json j;
        FILE *file = begin(&j);
        mco_json_real(&j, NULL, unknown[i]);
        assert_written(file, "null");
    }
}

// A locale with a comma changes nothing. The test is skipped if no such locale is installed.
static void test_reals_in_other_locale(void **state)
{
    (void)state;
    const char *names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    bool is_set = false;
    for (int i = 0; i < COUNT_OF(names) && !is_set; i++)
        is_set = setlocale(LC_NUMERIC, names[i]) != NULL;
    if (!is_set)
        skip();
    mco_json j;
    FILE *file = begin(&j);
    mco_json_real(&j, NULL, -0.1);
    mco_json_real(&j, NULL, 1.5e-7);
    mco_json_real(&j, NULL, 1e20);
    setlocale(LC_NUMERIC, "C");
    assert_written(file, "-0.1,1.5e-07,1e+20");
}

static mco_text from(const char *content)
{
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "t", content, strlen(content), &text));
    return text;
}

static void test_walk(void **state)
{
    (void)state;
    mco_text t = from("{\"a\": [1, -2 ,3], \"long key\":{\"x\":[{},[]]} ,\n\"b\":\"v\\\"w\", \"c\": true}  x");
    bool is_first = true, has_next;
    char key[5], value[8];
    int64_t v;
    assert_ok(mco_json_enter(&t, '{'));
    assert_ok(mco_json_next(&t, '{', &is_first, &has_next, key, sizeof key));
    assert_string_equal(key, "a");
    bool in_first = true;
    assert_ok(mco_json_enter(&t, '['));
    for (int i = 0; i < 3; i++) {
        assert_ok(mco_json_next(&t, '[', &in_first, &has_next, NULL, 0));
        assert_true(has_next);
        assert_ok(mco_json_read_integer(&t, "v", -9, 9, &v));
    }
    assert_int_equal(v, 3);
    assert_ok(mco_json_next(&t, '[', &in_first, &has_next, NULL, 0));
    assert_false(has_next);
    assert_ok(mco_json_next(&t, '{', &is_first, &has_next, key, sizeof key));
    assert_string_equal(key, "long");  // cut to the room given
    assert_ok(mco_json_skip(&t));
    assert_ok(mco_json_next(&t, '{', &is_first, &has_next, key, sizeof key));
    assert_ok(mco_json_read_text(&t, value, sizeof value));
    assert_string_equal(value, "v\"w");
    assert_ok(mco_json_next(&t, '{', &is_first, &has_next, key, sizeof key));
    assert_ok(mco_json_skip(&t));
    assert_ok(mco_json_next(&t, '{', &is_first, &has_next, key, sizeof key));
    assert_false(has_next);
    assert_true(mco_text_skip_blank(&t) && t.data[t.at] == 'x');
    mco_text_close(&t);
}

static void test_read_escapes(void **state)
{
    (void)state;
    static const char *const good[][2] = {
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"},
        {"\"M\\u00fcller\"", "M\xc3\xbcller"},
        {"\"\\u0001\\u007F\\u0080\\u07ff\\u0800\\uFFFF\"", "\x01\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf"},
        {"\"\\ud83d\\ude00 \\uD800\\uDC00\\udbff\\udfff\"", "\xf0\x9f\x98\x80 \xf0\x90\x80\x80\xf4\x8f\xbf\xbf"},
    };
    static const char *const bad[][2] = {
        {"\"a\\q\"", "t:1:3: one of \"\\/bfnrtu was expected behind a backslash"},
        {"\"\\", "t:1:3: the text ends where '\"' was expected"},
        {"\"\\u12\"", "t:1:2: four hexadecimal digits, not all of them 0, were expected behind \\u"},
        {"\"\\u12g4\"", "t:1:2: four hexadecimal digits, not all of them 0, were expected behind \\u"},
        {"\"\\u0000\"", "t:1:2: four hexadecimal digits, not all of them 0, were expected behind \\u"},
        {"\"\\ud800\"", "t:1:2: \\ud800 is half of a pair, and the other half is missing"},
        {"\"\\ud800\\u0041\"", "t:1:2: \\ud800 is half of a pair, and the other half is missing"},
        {"\"\\ud800\\ud800\"", "t:1:2: \\ud800 is half of a pair, and the other half is missing"},
        {"\"a\\uDFFF\"", "t:1:3: \\udfff is half of a pair, and the other half is missing"},
    };
    char out[32], cut[3];
    for (int i = 0; i < COUNT_OF(good); i++) {
        mco_text t = from(good[i][0]);
        assert_ok(mco_json_read_text(&t, out, sizeof out));
        assert_string_equal(out, good[i][1]);
        t.at = 0;
        assert_ok(mco_json_read_text(&t, cut, sizeof cut));
        assert_memory_equal(cut, good[i][1], 2);
        mco_text_close(&t);
    }
    for (int i = 0; i < COUNT_OF(bad); i++) {
        mco_text t = from(bad[i][0]);
        assert_fails(mco_json_read_text(&t, out, sizeof out), MCO_ERR_PARSE, bad[i][1]);
        mco_text_close(&t);
    }
}

// A million open brackets cost neither stack nor time.
static void test_deep_nesting(void **state)
{
    (void)state;
    enum { DEPTH = 1000000 };
    char *deep = malloc(2 * DEPTH + 1);
    assert_non_null(deep);
    memset(deep, '[', DEPTH);
    memset(deep + DEPTH, ']', DEPTH);
    deep[2 * DEPTH] = '\0';
    mco_text t = from(deep);
    assert_ok(mco_json_skip(&t));
    assert_int_equal(t.at, 2 * DEPTH);
    mco_text_close(&t);
    deep[2 * DEPTH - 1] = '\0';
    t = from(deep);
    assert_fails(mco_json_skip(&t), MCO_ERR_PARSE, "t:1:2000000: the text ends inside a value");
    mco_text_close(&t);
    free(deep);
}

static void test_skip_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t:1:1: the text ends inside a value"},
        {"{\"a\": 1", "t:1:8: the text ends inside a value"},
        {"[1, \"x", "t:1:7: the text ends where '\"' was expected"},
        {"\"two\nlines\"", "t:1:5: the line ends inside a string"},
        {"\"\\\nx\"", "t:1:3: the line ends inside a string"},
        {"]", "t:1:1: a value was expected, ']' found"},
        {" ,", "t:1:2: a value was expected, ',' found"},
        {"[1 # 2]", "t:1:4: a value was expected, '#' found"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_text t = from(cases[i].text);
        assert_fails(mco_json_skip(&t), MCO_ERR_PARSE, cases[i].message);
        mco_text_close(&t);
    }
}

// Reads {"k": integer, ...} to its end.
static mco_status read_members(mco_text *t)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next = true;
    char key[8];
    int64_t v;
    MCO_TRY(mco_json_enter(t, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(t, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        MCO_TRY(mco_json_read_integer(t, "v", 0, 9, &v));
    }
done:
    return st;
}

static void test_members_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "t:1:1: the text ends where '{' was expected"},
        {"[", "t:1:1: '{' was expected, '[' found"},
        {"{", "t:1:2: the text ends where '\"' was expected"},
        {"{k", "t:1:2: '\"' was expected, 'k' found"},
        {"{\"k\" 1}", "t:1:6: ':' was expected, '1' found"},
        {"{\"k\":", "t:1:6: the text ends where v was expected"},
        {"{\"k\":1.5}", "t:1:6: v is \"1.5\", an integer was expected"},
        {"{\"k\":12}", "t:1:6: v is 12, allowed is 0 to 9"},
        {"{\"k\":}", "t:1:6: v is \"\", an integer was expected"},
        {"{\"k\":1 \"l\":2}", "t:1:8: ',' was expected, '\"' found"},
        {"{\"k\":1,}", "t:1:8: '\"' was expected, '}' found"},
        {"{\"k\":1", "t:1:7: the text ends where ',' was expected"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_text t = from(cases[i].text);
        assert_fails(read_members(&t), MCO_ERR_PARSE, cases[i].message);
        mco_text_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_golden),       TEST(test_text_escapes), TEST(test_reals_read_back),
                                       TEST(test_walk),         TEST(test_deep_nesting), TEST(test_skip_refuses),
                                       TEST(test_members_refuse), TEST(test_read_escapes), TEST(test_reals_in_other_locale)};
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
