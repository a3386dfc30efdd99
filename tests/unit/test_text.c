// SPDX-License-Identifier: MIT
// The reader of text: places, line ends, compression, input that is no text, and numbers.
#include "test_support.h"

#include <math.h>
#include <sys/stat.h>
#ifdef MCO_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/table.h"
#include "base/text.h"

static mco_text from(const char *content)
{
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "t", content, strlen(content), &text));
    return text;
}

static void assert_slice(mco_slice s, const char *content, int64_t line, int64_t column)
{
    assert_int_equal(s.size, strlen(content));
    assert_memory_equal(s.data, content, s.size);
    assert_int_equal(s.line, line);
    assert_int_equal(s.column, column);
}

static void test_tokens(void **state)
{
    (void)state;
    mco_text text = from("  one\ttwo\r\n\n three");
    mco_slice token;
    assert_true(mco_text_peek(&text, &token));
    assert_slice(token, "one", 1, 3);
    assert_true(mco_text_peek(&text, &token));
    assert_slice(token, "one", 1, 3);
    text.at += token.size;
    assert_true(mco_text_peek(&text, &token));
    assert_slice(token, "two", 1, 7);
    text.at += token.size;
    assert_true(mco_text_peek(&text, &token));
    assert_slice(token, "three", 3, 2);
    text.at += token.size;
    assert_false(mco_text_peek(&text, &token));
    assert_false(mco_text_skip_blank(&text));
    mco_text_close(&text);
}

static void test_lines(void **state)
{
    (void)state;
    mco_text text = from("a b\r\n\nc\n\r\nlast");
    mco_slice line;
    const char *expected[] = {"a b", "", "c", "", "last"};
    for (int i = 0; i < COUNT_OF(expected); i++) {
        assert_true(mco_text_line(&text, &line));
        assert_slice(line, expected[i], i + 1, 1);
    }
    assert_false(mco_text_line(&text, &line));
    mco_text_close(&text);

    text = from("x yz\nnext");
    text.at += 2;  // the rest of a line keeps its column
    assert_true(mco_text_line(&text, &line));
    assert_slice(line, "yz", 1, 3);
    mco_text_close(&text);

    text = from("");
    assert_false(mco_text_line(&text, &line));
    mco_text_close(&text);
}

static void test_byte_order_mark(void **state)
{
    (void)state;
    mco_slice token;
    mco_text text = from("\xef\xbb\xbfword");
    assert_true(mco_text_peek(&text, &token));
    assert_slice(token, "word", 1, 1);
    mco_text_close(&text);
}

static void test_integers(void **state)
{
    (void)state;
    int64_t v = 77;
    mco_text text = from("12 -3\n +4 007 5x");
    assert_ok(mco_text_integer(&text, "a number", -10, 20, &v));
    assert_int_equal(v, 12);
    assert_fails(mco_text_integer(&text, "a number", 0, 20, &v), MCO_ERR_PARSE,
                 "t:1:4: a number is -3, allowed is 0 to 20");
    assert_int_equal(v, 12);
    assert_ok(mco_text_integer(&text, "a number", -3, -3, &v));
    assert_ok(mco_text_integer(&text, "a number", 0, 20, &v));
    assert_int_equal(v, 4);
    assert_ok(mco_text_integer(&text, "a number", 0, 20, &v));
    assert_int_equal(v, 7);
    assert_fails(mco_text_integer(&text, "a number", 0, 20, &v), MCO_ERR_PARSE,
                 "t:2:9: a number is \"5x\", an integer was expected");
    text.at += 2;
    assert_fails(mco_text_integer(&text, "a number", 0, 20, &v), MCO_ERR_PARSE,
                 "t:2:11: the text ends where a number was expected");
    mco_text_close(&text);
}

// A number beyond 64 bits stays out of every range; it does not wrap into one.
static void test_saturation(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } cases[] = {{"9223372036854775807", INT64_MAX},  {"9223372036854775808", INT64_MAX},
                 {"-9223372036854775808", INT64_MIN}, {"-9223372036854775809", INT64_MIN},
                 {"18446744073709551617", INT64_MAX}, {"99999999999999999999999999", INT64_MAX},
                 {"-99999999999999999999999999", INT64_MIN}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        int64_t v = 0;
        assert_true(mco_parse_integer(cases[i].text, INT64_MIN, INT64_MAX, &v));
        assert_true(v == cases[i].value);
        assert_false(mco_parse_integer(cases[i].text, INT64_MIN + 1, INT64_MAX - 1, &v));
    }
    mco_text text = from("99999999999999999999999999999999999999999999999999");
    int64_t v;
    assert_fails(mco_text_integer(&text, "v", 0, 9, &v), MCO_ERR_PARSE,
                 "t:1:1: v is 9999999999999999999999999999999999999999, allowed is 0 to 9");
    mco_text_close(&text);
}

static void test_parse_integer(void **state)
{
    (void)state;
    int64_t v = 5;
    const char *bad[] = {"", " 1", "1 ", "+", "-", "1.0", "0x10", "1e3", "--1", "one"};
    for (int i = 0; i < COUNT_OF(bad); i++)
        assert_false(mco_parse_integer(bad[i], INT64_MIN, INT64_MAX, &v));
    assert_int_equal(v, 5);
    assert_true(mco_parse_integer("-0", 0, 0, &v));
    assert_int_equal(v, 0);
    assert_false(mco_parse_integer("11", 0, 10, &v));
}

static void test_parse_real(void **state)
{
    (void)state;
    double v = 5;
    const char *bad[] = {"", " 1", "1 ", "inf", "+inf", "nan", "-nan", "0x1p3", "1,5", "1e", "e5", ".", "-", "1.2.3"};
    for (int i = 0; i < COUNT_OF(bad); i++)
        assert_false(mco_parse_real(bad[i], -1e308, 1e308, &v));
    assert_true(v == 5);
    assert_true(mco_parse_real(".5", 0, 1, &v) && v == 0.5);
    assert_true(mco_parse_real("-2.5e-1", -1, 1, &v) && v == -0.25);
    assert_false(mco_parse_real("1.01", 0, 1, &v));
    assert_false(mco_parse_real("1e999", 0, 1e308, &v));
}

static void test_slice_real(void **state)
{
    (void)state;
    double v = 5;
    mco_text text = from("-2.5e-1 nan 1e999 +9.5");
    mco_slice line, token;
    assert_true(mco_text_line(&text, &line));
    assert_true(mco_slice_token(&line, &token));
    assert_ok(mco_slice_real(&text, token, "v", -1, 1, &v));
    assert_true(v == -0.25);
    assert_true(mco_slice_token(&line, &token));
    assert_fails(mco_slice_real(&text, token, "v", -1, 1, &v), MCO_ERR_PARSE,
                 "t:1:9: v is \"nan\", a number was expected");
    assert_true(mco_slice_token(&line, &token));
    assert_fails(mco_slice_real(&text, token, "v", -1e7, 1e7, &v), MCO_ERR_PARSE,
                 "t:1:13: v is 1e999, allowed is -10000000 to 10000000");
    assert_true(mco_slice_token(&line, &token));
    assert_ok(mco_slice_real(&text, token, "v", 9.5, 9.5, &v));
    assert_true(v == 9.5);
    assert_false(mco_slice_token(&line, &token));
    mco_text_close(&text);
}

// The fast reading of numbers agrees with the C library to the last bit.
static void test_numbers_exact(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "0", "-0", "7", "007", "+3.", ".5", "-.25e2", "123456789012345678", "9007199254740993", "1.7976931348623157e308",
        "4.35", "0.1", "2.675", "1e22", "1e23", "123456.789e-22", "123456.789e-25", "5e-324", "0.000000000000000000000000125",
        "99999999999999999999999", "3.14159265358979323846264338327950288", "1e-00000000000005", "00000000000000000000001.5",
        "8.5e+3",
    };
    static const char *const refused[] = {"", "+", ".", "e5", "1e", "1e+", "1.2.3", "0x1p3", "inf", "1 2", "--1", "1e5.0"};
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "f", "", 0, &text));
    for (int i = 0; i < COUNT_OF(numbers); i++) {
        double value = -1;
        const mco_slice slice = {numbers[i], strlen(numbers[i]), 1, 1};
        assert_ok(mco_slice_real(&text, slice, "n", -INFINITY, INFINITY, &value));
        assert_true(value == strtod(numbers[i], NULL));
    }
    for (int i = 0; i < COUNT_OF(refused); i++) {
        double value;
        const mco_slice slice = {refused[i], strlen(refused[i]), 1, 1};
        assert_int_equal(mco_slice_real(&text, slice, "n", -INFINITY, INFINITY, &value), MCO_ERR_PARSE);
    }
    mco_text_close(&text);
}

static void test_rows(void **state)
{
    (void)state;
    mco_text text = from(";;\n \n a;b\r\n; ;\n;c");
    mco_slice row;
    assert_true(mco_text_peek_line(&text, &row));
    assert_slice(row, ";;", 1, 1);
    assert_true(mco_text_row(&text, ';', &row));
    assert_slice(row, " a;b", 3, 1);
    assert_true(mco_text_row(&text, ';', &row));
    assert_slice(row, ";c", 5, 1);
    assert_false(mco_text_row(&text, ';', &row));
    assert_false(mco_text_peek_line(&text, &row));
    assert_true(mco_slice_is((mco_slice){.data = "Name", .size = 4}, "nAME"));
    assert_false(mco_slice_is((mco_slice){.data = "Name", .size = 3}, "name"));
    mco_text_close(&text);
}

static void test_words(void **state)
{
    (void)state;
    static const char *const words[] = {"one", "two", "three"};
    int found = -1;
    int64_t n = -1;
    mco_text text = from("TWO: # 160.0 1.5\n");
    mco_slice line, token;
    assert_true(mco_text_line(&text, &line));
    token = mco_slice_before(line, ':');
    assert_slice(token, "TWO", 1, 1);
    assert_ok(mco_slice_find(&text, token, "it is", words, 3, &found));
    assert_int_equal(found, 1);
    assert_fails(mco_slice_find(&text, token, "it is", words, 1, &found), MCO_ERR_PARSE,
                 "t:1:1: it is \"TWO\", supported are one");
    line = mco_slice_behind(line, token.size);
    assert_slice(mco_slice_before(line, ' '), ":", 1, 4);
    assert_slice(mco_slice_before(line, ':'), "", 1, 4);
    assert_true(mco_slice_take(&line, ':'));
    assert_slice(line, "# 160.0 1.5", 1, 6);
    assert_false(mco_slice_take(&line, ':'));
    assert_fails(mco_slice_find(&text, mco_slice_before(line, ' '), "it is", words, 3, &found), MCO_ERR_PARSE,
                 "t:1:6: it is \"#\", supported are one, two and three");
    assert_true(mco_slice_take(&line, '#'));
    assert_true(mco_slice_token(&line, &token));
    assert_ok(mco_slice_whole(&text, token, "n", 0, 160, &n));
    assert_int_equal(n, 160);
    assert_fails(mco_slice_whole(&text, token, "n", 0, 159, &n), MCO_ERR_PARSE, "t:1:8: n is 160.0, allowed is 0 to 159");
    assert_true(mco_slice_token(&line, &token));
    assert_fails(mco_slice_whole(&text, token, "n", 0, 9, &n), MCO_ERR_PARSE, "t:1:14: n is 1.5, an integer was expected");
    assert_string_equal(mco_text_base_name("a/b c.vrp"), "b c.vrp");
    assert_string_equal(mco_text_base_name("b"), "b");
    assert_string_equal(mco_text_base_name("-"), "stdin");
    mco_text_close(&text);
}

static void test_table(void **state)
{
    (void)state;
    static const char *const columns[] = {"a", "b", "c"};
    mco_text text = from("\n# none\nC;a\n1;2\n;;\n3\n4;5;;\n"), end;
    mco_table t;
    mco_slice row, cells[MCO_TABLE_COLUMNS];
    assert_ok(mco_table_open(&text, columns, 3, &t));
    assert_int_equal(t.fields, 2);
    assert_true(mco_table_has(&t, 0) && !mco_table_has(&t, 1) && mco_table_has(&t, 2));
    assert_ok(mco_table_require(&t, 2));
    assert_fails(mco_table_require(&t, 1), MCO_ERR_PARSE, "t:3:1: the header has no column \"b\"");
    assert_int_equal(mco_table_count(&t, &end), 3);
    assert_true(mco_text_row(&text, t.separator, &row));
    assert_ok(mco_table_cells(&t, row, 2, cells));
    assert_slice(cells[0], "2", 4, 3);
    assert_int_equal(cells[1].size, 0);
    assert_slice(cells[2], "1", 4, 1);
    assert_true(mco_text_row(&text, t.separator, &row));
    assert_fails(mco_table_cells(&t, row, 2, cells), MCO_ERR_PARSE, "t:6:1: the row has 1 cells, 2 were expected");
    assert_ok(mco_table_cells(&t, row, 1, cells));
    assert_slice(cells[2], "3", 6, 1);
    assert_int_equal(cells[0].size, 0);
    assert_true(mco_text_row(&text, t.separator, &row));
    assert_ok(mco_table_cells(&t, row, 2, cells));
    mco_text_close(&text);
}

static void test_fields(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        char separator;
        const char *fields[5];
    } cases[] = {
        {"a, b ,c", ',', {"a", "b", "c"}},
        {"a;;c;", ';', {"a", "", "c", ""}},
        {"\"x, y\",z", ',', {"x, y", "z"}},
        {" \" x \" , z", ',', {" x ", "z"}},
        {"\"say \"\"a, b\"\"\",z", ',', {"say \"\"a, b\"\"", "z"}},
        {"\"\",z", ',', {"", "z"}},
        {"\"open,z", ',', {"\"open", "z"}},
        {"\"5\"7,z", ',', {"\"5\"7", "z"}},
        {"a\t\tc", '\t', {"a", "", "c"}},
        {"\tb\t", '\t', {"", "b", ""}},
        {"\"a\tb\"\tc", '\t', {"a\tb", "c"}},
        {"", ',', {""}},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_slice rest = {cases[i].line, strlen(cases[i].line), 1, 1}, field;
        for (int k = 0; k < 5 && cases[i].fields[k] != NULL; k++) {
            assert_true(mco_slice_field(&rest, cases[i].separator, &field));
            assert_int_equal(field.size, strlen(cases[i].fields[k]));
            assert_memory_equal(field.data, cases[i].fields[k], field.size);
            assert_ptr_equal(field.data, cases[i].line + (field.column - 1));
        }
        assert_false(mco_slice_field(&rest, cases[i].separator, &field));
    }
}

static void test_unreadable(void **state)
{
    (void)state;
    mco_text text;
    char expected[512];
    assert_fails(mco_text_open(test_ctx, "no/such/file", &text), MCO_ERR_IO,
                 "cannot read no/such/file: No such file or directory");
    const char *folder = test_path("folder");
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(expected, sizeof expected, "cannot read %s: it is a folder", folder);
    assert_fails(mco_text_open(test_ctx, folder, &text), MCO_ERR_IO, expected);
    rmdir(folder);
    const char *path = test_file_bytes("binary", "12 \0 4", 6);
    snprintf(expected, sizeof expected, "%s: not a text file (byte 0x00 at offset 3)", path);
    assert_fails(mco_text_open(test_ctx, path, &text), MCO_ERR_PARSE, expected);
    assert_fails(mco_text_from_memory(test_ctx, "t", "\x7f" "ELF\x02", 5, &text), MCO_ERR_PARSE,
                 "t: not a text file (byte 0x02 at offset 4)");
}

static void test_file_without_final_newline(void **state)
{
    (void)state;
    mco_text text;
    int64_t v;
    assert_ok(mco_text_open(test_ctx, test_file("plain", "1\r\n2"), &text));
    assert_ok(mco_text_integer(&text, "v", 0, 9, &v));
    assert_ok(mco_text_integer(&text, "v", 0, 9, &v));
    assert_int_equal(v, 2);
    assert_int_equal(text.line, 2);
    mco_text_close(&text);
    assert_ok(mco_text_open(test_ctx, test_file("empty", ""), &text));
    assert_int_equal(text.size, 0);
    mco_text_close(&text);
}

#ifdef MCO_HAVE_ZLIB
enum { NUMBERS = 40000 };  // several of the reader's chunks

// A compressed file of the numbers 0..NUMBERS-1, one per line; returns its size.
static size_t write_compressed(const char *path)
{
    struct stat info;
    gzFile file = gzopen(path, "wb1");
    assert_non_null(file);
    for (int i = 0; i < NUMBERS; i++)
        gzprintf(file, "%d\n", i);
    assert_int_equal(gzclose(file), Z_OK);
    assert_int_equal(stat(path, &info), 0);
    return (size_t)info.st_size;
}

static void test_gzip(void **state)
{
    (void)state;
    mco_text text;
    int64_t v;
    const char *path = test_path("numbers.gz");
    write_compressed(path);
    assert_ok(mco_text_open(test_ctx, path, &text));
    for (int i = 0; i < NUMBERS; i++)
        assert_ok(mco_text_integer(&text, "v", i, i, &v));
    assert_false(mco_text_skip_blank(&text));
    mco_text_close(&text);
}

// A cut file is refused wherever it is cut, even between two lines of its text.
static void test_gzip_cut(void **state)
{
    (void)state;
    mco_text text;
    const char *path = test_path("cut.gz");
    const size_t whole = write_compressed(path);
    const size_t sizes[] = {whole - 1, whole - 8, whole - 9, whole / 2, 20, 10, 5, 2};
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        assert_int_equal(truncate(path, (off_t)sizes[i]), 0);
        assert_int_equal(mco_text_open(test_ctx, path, &text), MCO_ERR_PARSE);
        assert_non_null(strstr(mco_context_error(test_ctx), "the compressed file is cut"));
    }
}

static void test_gzip_damaged(void **state)
{
    (void)state;
    mco_text text;
    const char *path = test_path("damaged.gz");
    const size_t whole = write_compressed(path);
    FILE *file = fopen(path, "r+b");
    fseek(file, (long)whole / 2, SEEK_SET);
    fwrite("mco", 1, 3, file);
    fclose(file);
    assert_int_equal(mco_text_open(test_ctx, path, &text), MCO_ERR_IO);
}

static void append(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// A member of `size` blanks at the end of the file.
static void append_blanks(const char *path, size_t size)
{
    char *blanks = malloc(size);
    gzFile file = gzopen(path, "ab9");
    assert_true(file != NULL && blanks != NULL);
    memset(blanks, ' ', size);
    assert_int_equal(gzwrite(file, blanks, (unsigned)size), size);
    assert_int_equal(gzclose(file), Z_OK);
    free(blanks);
}

// Members one after the other are one text, and zeros may follow them. Other bytes are named with their place.
static void test_gzip_members(void **state)
{
    (void)state;
    enum { BLOCK = 512 };
    static const char zeros[BLOCK];
    mco_text text;
    char expected[200];
    const char *path = test_path("members.gz");
    int64_t v;
    const size_t whole = write_compressed(path);
    append_blanks(path, 70000);
    append_blanks(path, 0);
    append(path, zeros, sizeof zeros);
    assert_ok(mco_text_open(test_ctx, path, &text));
    for (int i = 0; i < NUMBERS; i++)
        assert_ok(mco_text_integer(&text, "v", i, i, &v));
    assert_false(mco_text_skip_blank(&text));
    assert_true(text.size > 70000);
    mco_text_close(&text);
    assert_int_equal(truncate(path, (off_t)whole), 0);
    append(path, "12 13\n", 6);
    snprintf(expected, sizeof expected,
             "%s: other bytes follow the compressed data, from offset %zu on: remove them or compress the file again", path, whole);
    assert_fails(mco_text_open(test_ctx, path, &text), MCO_ERR_PARSE, expected);
    assert_int_equal(truncate(path, (off_t)whole), 0);
    append(path, "\x1f", 1);
    snprintf(expected, sizeof expected, "%s: the compressed file is cut after %zu bytes", path, whole + 1);
    assert_fails(mco_text_open(test_ctx, path, &text), MCO_ERR_PARSE, expected);
}

static void test_gzip_twice(void **state)
{
    (void)state;
    enum { MOST = 4096 };
    mco_text text;
    char expected[200], bytes[MOST];
    const char *once = test_path("once.gz"), *twice = test_path("twice.gz");
    append_blanks(once, 1000);
    FILE *file = fopen(once, "rb");
    assert_non_null(file);
    const size_t size = fread(bytes, 1, MOST, file);
    fclose(file);
    gzFile packed = gzopen(twice, "wb");
    assert_non_null(packed);
    assert_int_equal(gzwrite(packed, bytes, (unsigned)size), size);
    assert_int_equal(gzclose(packed), Z_OK);
    snprintf(expected, sizeof expected, "%s: compressed twice: decompress it once, by gzip -d", twice);
    assert_fails(mco_text_open(test_ctx, twice, &text), MCO_ERR_PARSE, expected);
}

// A file that unpacks beyond the limit is refused before memory is taken for it, whatever sizes its members state.
static void test_gzip_bomb(void **state)
{
    (void)state;
    enum { MEMBER = 1 << 24, MEMBERS = MCO_TEXT_MAX_BYTES / MEMBER + 1 };
    static char member[1 << 16];
    mco_text text;
    char expected[200];
    const char *path = test_path("bomb.gz");
    append_blanks(path, MEMBER);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(member, 1, sizeof member, file);
    fclose(file);
    for (int k = 1; k < MEMBERS; k++)
        append(path, member, size);
    snprintf(expected, sizeof expected, "%s has more than 1073741822 bytes of text, the most that is supported", path);
    assert_fails(mco_text_open(test_ctx, path, &text), MCO_ERR_LIMIT, expected);
    assert_true(test_memory.most_bytes < MEMBER);
    // Binary content ends with its first block.
    gzFile zeros = gzopen(path, "wb1");
    assert_non_null(zeros);
    memset(member, 0, sizeof member);
    for (int k = 0; k < 4 * MEMBER / (int)sizeof member; k++)
        assert_int_equal(gzwrite(zeros, member, sizeof member), sizeof member);
    assert_int_equal(gzclose(zeros), Z_OK);
    snprintf(expected, sizeof expected, "%s: not a text file (byte 0x00 at offset 0)", path);
    assert_fails(mco_text_open(test_ctx, path, &text), MCO_ERR_PARSE, expected);
    assert_true(test_memory.most_bytes < MEMBER);
}
#endif

// ---- Decimals by a common power of ten

static mco_slice cell(const char *text)
{
    return (mco_slice){text, strlen(text), 3, 7};
}

static void test_decimals(void **state)
{
    (void)state;
    mco_text t = from("");
    static const struct {
        const char *text;
        char separator;
        int places;
        int64_t scaled;  // by 10^4
    } good[] = {{"0", ',', 0, 0},          {"12", ',', 0, 120000},     {"2.50", ',', 1, 25000},   {"-0.0625", ',', 4, -625},
                {"1e2", ',', 0, 1000000},  {"25e-2", ',', 2, 2500},    {"3,5", ';', 1, 35000},    {"3.5", ';', 1, 35000},
                {"0.0000", ',', 0, 0},     {"+7.1", '\t', 1, 71000},   {"1000.", ',', 0, 10000000}};
    for (int i = 0; i < COUNT_OF(good); i++) {
        int places = 0;
        int64_t value = -1;
        assert_ok(mco_slice_places(&t, cell(good[i].text), "the time", good[i].separator, 4, &places));
        assert_int_equal(places, good[i].places);
        assert_ok(mco_slice_scaled(&t, cell(good[i].text), "the time", good[i].separator, 4, -2000, 2000, &value));
        assert_int_equal(value, good[i].scaled);
    }
    static const char *const bad[] = {"", "x", "1.2.3", "1,5", "0x1", "inf", "1e99", "12345678901234567890", "--1", "1 2"};
    for (int i = 0; i < COUNT_OF(bad); i++) {
        int places = 0;
        int64_t value = -1;
        assert_int_equal(mco_slice_places(&t, cell(bad[i]), "the time", ',', 4, &places), MCO_ERR_PARSE);
        assert_int_equal(mco_slice_scaled(&t, cell(bad[i]), "the time", ',', 4, -2000, 2000, &value), MCO_ERR_PARSE);
        assert_int_equal(value, -1);
    }
    int places = 0;
    int64_t value;
    double real;
    assert_fails(mco_slice_places(&t, cell("0.12345"), "the time", ',', 4, &places), MCO_ERR_PARSE,
                 "t:3:7: the time is 0.12345, at most 4 decimals are supported");
    assert_fails(mco_slice_scaled(&t, cell("2000.0001"), "the time", ',', 4, 0, 2000, &value), MCO_ERR_PARSE,
                 "t:3:7: the time is 2000.0001, allowed is 0 to 2000");
    assert_ok(mco_slice_real_in(&t, cell("-1,25"), "x", ';', -10, 10, &real));
    assert_true(real == -1.25);
    assert_int_equal(mco_slice_real_in(&t, cell("-1,25"), "x", ',', -10, 10, &real), MCO_ERR_PARSE);
    mco_text_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_decimals), TEST(test_tokens), TEST(test_lines), TEST(test_byte_order_mark), TEST(test_integers), TEST(test_saturation),
        TEST(test_parse_integer), TEST(test_parse_real), TEST(test_slice_real), TEST(test_numbers_exact),
        TEST(test_rows), TEST(test_words), TEST(test_table), TEST(test_fields), TEST(test_unreadable),
        TEST(test_file_without_final_newline),
#ifdef MCO_HAVE_ZLIB
        TEST(test_gzip), TEST(test_gzip_cut), TEST(test_gzip_damaged),
        TEST(test_gzip_members), TEST(test_gzip_twice), TEST(test_gzip_bomb),
#endif
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
