// SPDX-License-Identifier: MIT
// Instances of guillotine cutting: creation, the generators, every format, and every refusal with its place and its values.
#include "test_support.h"

#include <fcntl.h>
#ifdef MCO_HAVE_ZLIB
#include <zlib.h>
#endif

#include "guillotine/formats.h"

#define LIMITS "allowed is 1 to 1073741824"

static mco_status read_text(const char *content, mco_guillotine **problem)
{
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "f", content, strlen(content), &text));
    mco_status st = guillotine_read_text(test_ctx, &text, "f", problem);
    mco_text_close(&text);
    return st;
}

static mco_guillotine *read_ok(const char *content)
{
    mco_guillotine *g = NULL;
    assert_ok(read_text(content, &g));
    return g;
}

static void assert_piece(const mco_guillotine *g, int64_t piece, int32_t width, int32_t height, int64_t value,
                         bool is_rotatable)
{
    const mco_guillotine_piece p = mco_guillotine_piece_at(g, piece);
    assert_int_equal(p.width, width);
    assert_int_equal(p.height, height);
    assert_int_equal(p.value, value);
    assert_int_equal(p.is_rotatable, is_rotatable);
}

static void assert_names(const mco_guillotine *g, const char *const *names)
{
    char number[24];
    for (int64_t p = 0; p < mco_guillotine_pieces(g); p++)
        assert_string_equal(mco_guillotine_piece_name(g, p, number), names[p]);
}

static void assert_equal(const mco_guillotine *a, const mco_guillotine *b)
{
    char first[24], second[24];
    assert_int_equal(mco_guillotine_width(a), mco_guillotine_width(b));
    assert_int_equal(mco_guillotine_height(a), mco_guillotine_height(b));
    assert_int_equal(mco_guillotine_pieces(a), mco_guillotine_pieces(b));
    for (int64_t p = 0; p < mco_guillotine_pieces(a); p++) {
        const mco_guillotine_piece q = mco_guillotine_piece_at(b, p);
        assert_piece(a, p, q.width, q.height, q.value, q.is_rotatable);
        assert_string_equal(mco_guillotine_piece_name(a, p, first), mco_guillotine_piece_name(b, p, second));
    }
}

// ---- Creation

static void test_create(void **state)
{
    (void)state;
    const mco_guillotine_piece pieces[] = {
        {3, 4, 0, false}, {3, 4, 0, false}, {1 << 30, 1 << 30, MCO_GUILLOTINE_MAX_VALUE, true}};
    mco_guillotine *g = NULL;
    assert_ok(mco_guillotine_create(test_ctx, 1, 1 << 30, pieces, 3, &g));
    assert_string_equal(mco_guillotine_name(g), "guillotine-1x1073741824-3");
    assert_int_equal(mco_guillotine_width(g), 1);
    assert_int_equal(mco_guillotine_height(g), 1 << 30);
    for (int p = 0; p < 3; p++)
        assert_piece(g, p, pieces[p].width, pieces[p].height, pieces[p].value, pieces[p].is_rotatable);
    assert_names(g, (const char *const[]){"1", "2", "3"});
    mco_guillotine_destroy(test_ctx, &g);
    assert_null(g);
    mco_guillotine_destroy(test_ctx, &g);
    assert_ok(mco_guillotine_create(test_ctx, 5, 6, NULL, 0, &g));
    assert_int_equal(mco_guillotine_pieces(g), 0);
    mco_guillotine_destroy(test_ctx, &g);
}

static void test_create_refuses(void **state)
{
    (void)state;
    mco_guillotine *g = NULL;
    mco_guillotine_piece pieces[] = {{1, 1, 1, true}, {2, 2, 2, true}};
    static const struct {
        int32_t width, height;
        int64_t count;
        mco_guillotine_piece second;
        const char *message;
    } cases[] = {
        {0, 5, 2, {2, 2, 2, true}, "the plate is 0 x 5, allowed sides are 1 to 1073741824"},
        {5, -1, 2, {2, 2, 2, true}, "the plate is 5 x -1, allowed sides are 1 to 1073741824"},
        {5, (1 << 30) + 1, 2, {2, 2, 2, true}, "the plate is 5 x 1073741825, allowed sides are 1 to 1073741824"},
        {5, 5, -1, {2, 2, 2, true}, "-1 pieces, allowed are 0 to 10000000"},
        {5, 5, 10000001, {2, 2, 2, true}, "10000001 pieces, allowed are 0 to 10000000"},
        {5, 5, 2, {0, 2, 2, true}, "piece 2 is 0 x 2, allowed sides are 1 to 1073741824"},
        {5, 5, 2, {2, (1 << 30) + 1, 2, true}, "piece 2 is 2 x 1073741825, allowed sides are 1 to 1073741824"},
        {5, 5, 2, {2, 2, -1, true}, "the value of piece 2 is -1, allowed is 0 to 9007199254740992"},
        {5, 5, 2, {2, 2, MCO_GUILLOTINE_MAX_VALUE + 1, true},
         "the value of piece 2 is 9007199254740993, allowed is 0 to 9007199254740992"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        pieces[1] = cases[i].second;
        assert_fails(mco_guillotine_create(test_ctx, cases[i].width, cases[i].height, pieces, cases[i].count, &g),
                     MCO_ERR_LIMIT, cases[i].message);
    }
    assert_fails(mco_guillotine_create(test_ctx, 5, 5, NULL, 1, &g), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_guillotine_create(test_ctx, 5, 5, pieces, 1, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_null(g);
}

// ---- Generators

// FNV-1a over the sides; each step takes a 32-bit number.
static uint64_t fingerprint(const mco_guillotine *g)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (int64_t p = 0; p < mco_guillotine_pieces(g); p++) {
        const mco_guillotine_piece piece = mco_guillotine_piece_at(g, p);
        hash = (hash ^ (uint32_t)piece.width) * 0x100000001b3u;
        hash = (hash ^ (uint32_t)piece.height) * 0x100000001b3u;
    }
    return hash;
}

typedef mco_status (*generator)(mco_context *, int32_t, int32_t, int32_t, int64_t, mco_guillotine **);

// Instances in use must not change, so these numbers are part of the format.
static void test_generated_bytes(void **state)
{
    (void)state;
    static const struct {
        generator generate;
        int32_t width, height, pieces;
        int64_t seed;
        const char *name;
        int32_t first[2][2];
        uint64_t fingerprint;
    } cases[] = {
        {mco_guillotine_randcut, 10000, 10000, 40, 1, "randcut-10000x10000-40-1", {{1709, 1286}, {6836, 4629}},
         0x024e05fd274752e4u},
        {mco_guillotine_randcut, 10000, 10000, 40, 2, "randcut-10000x10000-40-2", {{3181, 1998}, {5931, 6581}},
         0xe86a3449c7d28e1du},
        {mco_guillotine_randcut, 2000, 6000, 28, -1, "randcut-2000x6000-28--1", {{979, 1468}, {1067, 2978}},
         0x57105672b0424117u},
        {mco_guillotine_testcut, 6000, 6000, 80, 1, "testcut-6000x6000-80-1", {{1054, 781}, {861, 587}},
         0xf274722d38e50153u},
        {mco_guillotine_testcut, 10000, 5000, 82, INT64_MIN, "testcut-10000x5000-82--9223372036854775808",
         {{2032, 593}, {679, 1122}}, 0x8d09e090fe6d7cd0u},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_guillotine *g = NULL;
        assert_ok(cases[i].generate(test_ctx, cases[i].width, cases[i].height, cases[i].pieces, cases[i].seed, &g));
        assert_string_equal(mco_guillotine_name(g), cases[i].name);
        assert_int_equal(mco_guillotine_pieces(g), cases[i].pieces);
        for (int p = 0; p < 2; p++)
            assert_piece(g, p, cases[i].first[p][0], cases[i].first[p][1],
                         (int64_t)cases[i].first[p][0] * cases[i].first[p][1], true);
        assert_int_equal(fingerprint(g), cases[i].fingerprint);
        mco_guillotine_destroy(test_ctx, &g);
    }
}

// All pieces together fill the plate, whatever its shape, and none is thinner than necessary.
static void test_randcut_has_no_waste(void **state)
{
    (void)state;
    static const struct {
        int32_t width, height, pieces, least_width, least_height;
    } cases[] = {{10000, 10000, 40, 100, 100}, {6000, 2000, 52, 60, 20}, {10000, 10000, 2500, 100, 100},
                 {10000, 10000, 30000, 1, 1},  {7, 13, 91, 1, 1},        {1, 1000000, 5000, 1, 1},
                 {1, 1, 1, 1, 1},              {94906265, 94906265, 60, 949063, 949063},
                 {3, 1 << 30, 100000, 1, 1},   {12345, 6789, 1, 12345, 6789}};
    for (int i = 0; i < COUNT_OF(cases); i++)
        for (int64_t seed = 1; seed <= 3; seed++) {
            mco_guillotine *g = NULL;
            int64_t area = 0;
            assert_ok(mco_guillotine_randcut(test_ctx, cases[i].width, cases[i].height, cases[i].pieces, seed, &g));
            assert_int_equal(mco_guillotine_pieces(g), cases[i].pieces);
            for (int64_t p = 0; p < cases[i].pieces; p++) {
                const mco_guillotine_piece piece = mco_guillotine_piece_at(g, p);
                assert_true(piece.width >= cases[i].least_width && piece.height >= cases[i].least_height);
                assert_int_equal(piece.value, (int64_t)piece.width * piece.height);
                area += piece.value;
            }
            assert_int_equal(area, (int64_t)cases[i].width * cases[i].height);
            mco_guillotine_destroy(test_ctx, &g);
        }
}

// Counts the sums of piece sides up to the plate's side.
static int64_t count_patterns(const mco_guillotine *g, bool is_width)
{
    const int32_t side = is_width ? mco_guillotine_width(g) : mco_guillotine_height(g);
    bool *is_sum = calloc((size_t)side + 1, sizeof *is_sum);
    int64_t count = 0;
    assert_non_null(is_sum);
    is_sum[0] = true;
    for (int64_t p = 0; p < mco_guillotine_pieces(g); p++) {
        const mco_guillotine_piece piece = mco_guillotine_piece_at(g, p);
        const int32_t s = is_width ? piece.width : piece.height;
        for (int32_t x = s; x <= side; x++)
            is_sum[x] |= is_sum[x - s];
    }
    for (int32_t x = 1; x <= side; x++)
        count += is_sum[x];
    free(is_sum);
    return count;
}

// The instances must be as hard as the sets of the thesis, whose |X| and |Y| are 0.70 to 1.00 of the plate's side, 0.90
// on average.
static void test_randcut_patterns(void **state)
{
    (void)state;
    static const struct {
        int32_t side, pieces;
        int64_t seed, x, y;
    } cases[] = {{2000, 40, 1, 1907, 1842}, {6000, 40, 1, 5545, 5352}, {10000, 40, 1, 9166, 8836}, {10000, 28, 3, 7546, 7872}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_guillotine *g = NULL;
        assert_ok(mco_guillotine_randcut(test_ctx, cases[i].side, cases[i].side, cases[i].pieces, cases[i].seed, &g));
        assert_int_equal(count_patterns(g, true), cases[i].x);
        assert_int_equal(count_patterns(g, false), cases[i].y);
        mco_guillotine_destroy(test_ctx, &g);
    }
}

// A quarter of the pieces in [1, S/4), half in [S/4, S/2), a quarter in [S/2, 3S/4), on both axes.
static void test_testcut_classes(void **state)
{
    (void)state;
    static const int32_t sizes[][3] = {{6000, 6000, 80}, {10, 10, 4000}, {5, 7, 100}, {1001, 13, 83}, {6000, 6000, 0},
                                       {6000, 6000, 3}};
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        mco_guillotine *g = NULL;
        const int32_t w = sizes[i][0], h = sizes[i][1], n = sizes[i][2];
        assert_ok(mco_guillotine_testcut(test_ctx, w, h, n, 7, &g));
        int64_t count[3] = {0};
        for (int64_t p = 0; p < n; p++) {
            const mco_guillotine_piece piece = mco_guillotine_piece_at(g, p);
            const int quarter = 4 * piece.width / w;
            assert_true(piece.width >= 1 && piece.height >= 1 && quarter < 3);
            assert_int_equal(4 * piece.height / h, quarter);
            assert_int_equal(piece.value, piece.width * piece.height);
            count[quarter]++;
        }
        assert_int_equal(count[0], n / 4);
        assert_int_equal(count[1], n - 2 * (n / 4));
        assert_int_equal(count[2], n / 4);
        mco_guillotine_destroy(test_ctx, &g);
    }
}

static void test_generators_refuse(void **state)
{
    (void)state;
    mco_guillotine *g = NULL;
    assert_fails(mco_guillotine_testcut(test_ctx, 4, 9, 5, 1, &g), MCO_ERR_ARGUMENT,
                 "the plate of a testcut is 4 x 9, sides of at least 5 are needed");
    assert_fails(mco_guillotine_testcut(test_ctx, 100, 100, -1, 1, &g), MCO_ERR_LIMIT,
                 "-1 pieces, allowed are 0 to 10000000");
    assert_fails(mco_guillotine_testcut(test_ctx, 1 << 27, (1 << 26) + 1, 5, 1, &g), MCO_ERR_LIMIT,
                 "the plate is 134217728 x 67108865, values are areas and the largest value allowed is 9007199254740992");
    assert_fails(mco_guillotine_randcut(test_ctx, 3, 4, 13, 1, &g), MCO_ERR_ARGUMENT,
                 "a plate of 3 x 4 cannot be cut into 13 pieces");
    assert_fails(mco_guillotine_randcut(test_ctx, 3, 4, 0, 1, &g), MCO_ERR_ARGUMENT,
                 "a plate of 3 x 4 cannot be cut into 0 pieces");
    assert_fails(mco_guillotine_randcut(test_ctx, 0, 4, 1, 1, &g), MCO_ERR_LIMIT,
                 "the plate is 0 x 4, allowed sides are 1 to 1073741824");
    assert_fails(mco_guillotine_randcut(test_ctx, 10000, 10000, 10000001, 1, &g), MCO_ERR_LIMIT,
                 "10000001 pieces, allowed are 0 to 10000000");
    assert_fails(mco_guillotine_randcut(test_ctx, 9, 9, 1, 1, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_null(g);
}

// ---- Formats: plate 30 x 20, pieces 5 x 4 worth 20, 40 x 3 (too wide) worth 7, 1 x 1 worth 0

static void test_formats(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "3\n30 20\n5 4 20\n40 3 7\n1 1 0\n",
        "30 20\n3\n5 4 20\n40 3 7\n1 1 0\n",
        "\n 3 \r\n30\t20\r\n\r\n 5 4  20\r\n40 3 7\r\n1 1 0",
        "\xef\xbb\xbf 30 20\n\n3\n5 4 20\n40 3 7\n1 1 0\n\n \n",
        "plate,30,20\nwidth,height,value\n5,4,20\n40,3,7\n1,1,0\n",
        "plate;30;20\r\nVALUE;Height;width;Rotatable\r\n20;4;5;yes\r\n7;3;40;1\r\n0;1;1;TRUE",
        "Plate\t30\t20\t\t\t\n\t\t\t\t\nname\twidth\theight\tvalue\trotatable\n\t5\t4\t\t\n\t\t\t\t\n\t40\t3\t7\t\t\t\n\t1\t1\t0\t\n",
        "\xef\xbb\xbf\"plate\", 30 , 20 ,,\n\"width\",\"height\",value,\n \"5\",4 ,,\n40,3,7\n1,1,0\n",
    };
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_guillotine *g = read_ok(texts[i]);
        assert_int_equal(mco_guillotine_width(g), 30);
        assert_int_equal(mco_guillotine_height(g), 20);
        assert_int_equal(mco_guillotine_pieces(g), 3);
        assert_piece(g, 0, 5, 4, 20, true);
        assert_piece(g, 1, 40, 3, 7, true);
        assert_piece(g, 2, 1, 1, 0, true);
        assert_names(g, (const char *const[]){"1", "2", "3"});
        assert_null(g->piece_names);
        mco_guillotine_destroy(test_ctx, &g);
    }
}

static void test_no_pieces(void **state)
{
    (void)state;
    static const char *const texts[] = {"0\n30 20\n", "30 20 0", "30 20\n0", "plate,30,20\nname,width,height"};
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_guillotine *g = NULL;
        if (i == 1) {
            assert_fails(read_text(texts[i], &g), MCO_ERR_PARSE,
                         "f:1:1: the first line holds 3 numbers, expected were 1 (pieces) or 2 (width and height of the "
                         "plate)");
            continue;
        }
        g = read_ok(texts[i]);
        assert_int_equal(mco_guillotine_pieces(g), 0);
        mco_guillotine_destroy(test_ctx, &g);
    }
}

#define CSV_NAMES                                                                                  \
    "plate,30,20\nname,width,height,value,rotatable\n\"shelf, left\",5,4,20,yes\n\"12\"\" door\",40,3,7,no\n" \
    ",1,1,0,yes\nb\xc3\xb6" "den,2,9,18,no\n\" \",3,3,9,yes\n"

static void test_csv_names(void **state)
{
    (void)state;
    mco_guillotine *g = read_ok(CSV_NAMES);
    assert_names(g, (const char *const[]){"shelf, left", "12\" door", "3", "b\xc3\xb6" "den", " "});
    assert_piece(g, 1, 40, 3, 7, false);
    assert_piece(g, 3, 2, 9, 18, false);
    mco_guillotine_destroy(test_ctx, &g);
    g = read_ok("plate,9,9\nrotatable,height,name,width\n0,1,a,2\nNo,3,A,4\nfalse,5,,6\n,7,\"b\",8\n");
    assert_names(g, (const char *const[]){"a", "A", "3", "b"});
    assert_piece(g, 0, 2, 1, 2, false);
    assert_piece(g, 1, 4, 3, 12, false);
    assert_piece(g, 2, 6, 5, 30, false);
    assert_piece(g, 3, 8, 7, 56, true);
    mco_guillotine_destroy(test_ctx, &g);
}

// ---- Writing

static void round_trip(const char *content, const char *file, const char *expected)
{
    mco_guillotine *g = read_ok(content), *back = NULL;
    const char *path = test_path(file);
    assert_ok(mco_guillotine_write(test_ctx, g, path));
    assert_content(path, expected);
    assert_ok(mco_guillotine_read(test_ctx, path, &back));
    assert_string_equal(mco_guillotine_name(back), file);
    assert_equal(g, back);
    mco_guillotine_destroy(test_ctx, &back);
    mco_guillotine_destroy(test_ctx, &g);
}

static void test_round_trips(void **state)
{
    (void)state;
    const char *text = "2\n30 20\n5 4 20\n40 3 9007199254740992\n";
    const char *csv = "plate,30,20\nwidth,height,value,rotatable\n5,4,20,yes\n40,3,9007199254740992,yes\n";
    round_trip(text, "plain.txt", text);
    round_trip(csv, "plain.txt", text);
    round_trip("30 20\n2\n5 4 20\n40 3 9007199254740992\n", "plain", text);
    round_trip(text, "plain.csv", csv);
    round_trip(CSV_NAMES, "named.txt", CSV_NAMES);
    round_trip(CSV_NAMES, "named.csv", CSV_NAMES);
    round_trip("plate,3,2\nwidth,height,rotatable\n1,1,no\n", "fixed.txt",
               "plate,3,2\nwidth,height,value,rotatable\n1,1,1,no\n");
    round_trip("0\n3 2\n", "empty.txt", "0\n3 2\n");
    round_trip("0\n3 2\n", "empty.CSV", "plate,3,2\nwidth,height,value,rotatable\n");
}

// Names with characters that CSV uses itself.
static void test_awkward_names(void **state)
{
    (void)state;
    static const char *const names[] = {"\"", "\"\"", "a\"b", " lead", "trail ", "a,b", "a;b", "a\tb", "\tt", "\"q\"", "'",
                                        "plate", "\xff\xfe"};
    mco_guillotine_piece pieces[COUNT_OF(names)];
    mco_guillotine *g = NULL, *back = NULL;
    char *listed[COUNT_OF(names)];
    for (int p = 0; p < COUNT_OF(names); p++) {
        pieces[p] = (mco_guillotine_piece){p + 1, 1, 0, true};
        listed[p] = (char *)(uintptr_t)names[p];
    }
    assert_ok(mco_guillotine_create(test_ctx, 9, 9, pieces, COUNT_OF(names), &g));
    g->piece_names = listed;
    const char *path = test_path("awkward.csv");
    assert_ok(mco_guillotine_write(test_ctx, g, path));
    assert_ok(mco_guillotine_read(test_ctx, path, &back));
    assert_equal(g, back);
    g->piece_names = NULL;
    mco_guillotine_destroy(test_ctx, &back);
    mco_guillotine_destroy(test_ctx, &g);
}

static void test_write_refuses(void **state)
{
    (void)state;
    mco_guillotine *g = read_ok("0\n3 2\n");
    assert_fails(mco_guillotine_write(test_ctx, g, "no-such-folder/f"), MCO_ERR_IO,
                 "cannot write no-such-folder/f: No such file or directory");
    assert_fails(mco_guillotine_write(test_ctx, NULL, "f"), MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_guillotine_destroy(test_ctx, &g);
}

// ---- Other ways in

static void test_standard_input(void **state)
{
    (void)state;
    const char *path = test_file("piped", "1\n3 2\n1 1 5\n");
    mco_guillotine *g = NULL;
    const int saved = dup(STDIN_FILENO), file = open(path, O_RDONLY);
    assert_true(saved >= 0 && file >= 0);
    assert_true(dup2(file, STDIN_FILENO) >= 0);
    mco_status st = mco_guillotine_read(test_ctx, "-", &g);
    assert_true(dup2(saved, STDIN_FILENO) >= 0);
    close(saved);
    close(file);
    assert_ok(st);
    assert_string_equal(mco_guillotine_name(g), "stdin");
    assert_piece(g, 0, 1, 1, 5, true);
    mco_guillotine_destroy(test_ctx, &g);
}

static void test_compressed(void **state)
{
    (void)state;
#ifdef MCO_HAVE_ZLIB
    const char *path = test_path("f.gz");
    mco_guillotine *g = NULL;
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    gzputs(file, CSV_NAMES);
    assert_int_equal(gzclose(file), Z_OK);
    assert_ok(mco_guillotine_read(test_ctx, path, &g));
    assert_string_equal(mco_guillotine_name(g), "f.gz");
    assert_int_equal(mco_guillotine_pieces(g), 5);
    mco_guillotine_destroy(test_ctx, &g);
#else
    skip();
#endif
}

static void test_unreadable(void **state)
{
    (void)state;
    mco_guillotine *g = NULL;
    char expected[256];
    assert_fails(mco_guillotine_read(test_ctx, "no-such-file", &g), MCO_ERR_IO,
                 "cannot read no-such-file: No such file or directory");
    const char *path = test_file_bytes("binary", "1\n3 2\n\x01", 7);
    snprintf(expected, sizeof expected, "%s: not a text file (byte 0x01 at offset 6)", path);
    assert_fails(mco_guillotine_read(test_ctx, path, &g), MCO_ERR_PARSE, expected);
    assert_fails(mco_guillotine_read(test_ctx, NULL, &g), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_null(g);
}

// ---- Refusals

static void test_text_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "f:1:1: the file is empty"},
        {" \n\n", "f:3:1: the file is empty"},
        {"3", "f:1:2: the text ends where the plate was expected"},
        {"30 20\n", "f:2:1: the text ends where the number of pieces was expected"},
        {"1 2 3 4\n", "f:1:1: the first line holds 4 numbers, expected were 1 (pieces) or 2 (width and height of the plate)"},
        // Sizes
        {"-3\n30 20\n", "f:1:1: the number of pieces is -3, allowed is 0 to 10000000"},
        {"10000001\n30 20\n", "f:1:1: the number of pieces is 10000001, allowed is 0 to 10000000"},
        {"99999999999999999999\n30 20\n", "f:1:1: the number of pieces is 99999999999999999999, allowed is 0 to 10000000"},
        {"10000000\n30 20\n1 1 1\n",
         "f:1:1: the number of pieces is 10000000, the 6 bytes after the sizes hold at most 1"},
        {"30 20\n 2\n1 1 1\n1 1", "f:2:2: the number of pieces is 2, the 9 bytes after the sizes hold at most 1"},
        {"30 20\n3.5\n", "f:2:1: the number of pieces is \"3.5\", an integer was expected"},
        {"30 20\n1 5\n1 1 1\n", "f:2:1: the line of the number of pieces holds 2 numbers, 1 were expected: pieces"},
        {"1\n30\n1 1 1\n", "f:2:1: the line of the plate holds 1 numbers, 2 were expected: width, height"},
        {"1\n 30 20 10\n1 1 1\n", "f:2:2: the line of the plate holds 3 numbers, 2 were expected: width, height"},
        {"1\n0 20\n1 1 1\n", "f:2:1: the width of the plate is 0, " LIMITS},
        {"1\n30 1073741825\n1 1 1\n", "f:2:4: the height of the plate is 1073741825, " LIMITS},
        {"30 -20\n1\n1 1 1\n", "f:1:4: the height of the plate is -20, " LIMITS},
        {"30 2x\n1\n1 1 1\n", "f:1:4: the height of the plate is \"2x\", a number was expected"},
        {"30 nan\n1\n1 1 1\n", "f:1:4: the height of the plate is \"nan\", a number was expected"},
        // Pieces
        {"1\n30 20\n0 4 20\n", "f:3:1: the width of piece 1 is 0, " LIMITS},
        {"2\n30 20\n1 1 1\n5 -4 20\n", "f:4:3: the height of piece 2 is -4, " LIMITS},
        {"1\n30 20\n1073741825 4 20\n", "f:3:1: the width of piece 1 is 1073741825, " LIMITS},
        {"1\n30 20\n5 4 -1\n", "f:3:5: the value of piece 1 is -1, allowed is 0 to 9007199254740992"},
        {"1\n30 20\n5 4 9007199254740993\n",
         "f:3:5: the value of piece 1 is 9007199254740993, allowed is 0 to 9007199254740992"},
        {"1\n30 20\n5 4 1e-9\n", "f:3:5: the value of piece 1 is 1e-9, at most 6 decimals are supported"},
        {"1\n30 20\n5 4.1234567 20\n", "f:3:3: the height of piece 1 is 4.1234567, at most 6 decimals are supported"},
        {"1\n30 20\n5,4,20\n", "f:3:1: the line of piece 1 holds 1 numbers, 3 were expected: width, height, value"},
        {"2\n30 20\n5 4 20\n\n 55 44\n", "f:5:2: the line of piece 2 holds 2 numbers, 3 were expected: width, height, value"},
        {"1\n30 20\n5 4 20 1\n", "f:3:1: the line of piece 1 holds 4 numbers, 3 were expected: width, height, value"},
        {"3\n30 20\n15 14 210\n15 14 210\n", "f:5:1: the text ends where piece 3 was expected"},
        {"1\n30 20\n5 4 20\n\n 7 7 49\n", "f:5:2: the file goes on after the last of 1 pieces"},
        {"0\n30 20\nend\n", "f:3:1: the file goes on after the last of 0 pieces"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_guillotine *g = NULL;
        assert_fails(read_text(cases[i].text, &g), MCO_ERR_PARSE, cases[i].message);
        assert_null(g);
    }
}

#define PLATE "plate,30,20\n"
#define HEADER PLATE "name,width,height,value,rotatable\n"
#define COLUMNS_ARE ", columns are name, width, height, value and rotatable"

static void test_csv_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        // The plate
        {"name,width,height\nA,1,1\n",
         "f:1:1: neither numbers nor the row \"plate,W,H\" that begins a CSV file: \"name,width,height\""},
        {"#3\n", "f:1:1: neither numbers nor the row \"plate,W,H\" that begins a CSV file: \"#3\""},
        {"\n {\"schema\": 1, \"tool\": {\"version\": \"0.1.0\"}}",
         "f:2:2: this is JSON, perhaps a result file, and an instance was expected"},
        {"plate,30\n", "f:1:1: the row of the plate has 2 cells, 3 were expected: plate, width, height"},
        {"plate,30,\n", "f:1:10: the height of the plate is \"\", a number was expected"},
        {"plate,0,20\nwidth,height\n", "f:1:7: the width of the plate is 0, " LIMITS},
        {"plate,30,20,5\n", "f:1:13: the row of the plate has more than 3 cells"},
        {"plate,30,20,,10\n", "f:1:14: the row of the plate has more than 3 cells"},
        // The header
        {"plate,30,20", "f:1:12: the text ends where the header was expected: name,width,height,..."},
        {PLATE ",,\n\n", "f:4:1: the text ends where the header was expected: name,width,height,..."},
        {PLATE "name,width,colour\n", "f:2:12: column 3 is \"colour\"" COLUMNS_ARE},
        {PLATE "name,,width,height\n", "f:2:6: column 2 is \"\"" COLUMNS_ARE},
        {PLATE "A,1,2\n", "f:2:1: column 1 is \"A\"" COLUMNS_ARE},
        {PLATE "width,height,Width\n", "f:2:14: columns 1 and 3 are both \"width\""},
        {PLATE "name,height\n", "f:2:1: the header has no column \"width\""},
        {PLATE "name,width,value\n", "f:2:1: the header has no column \"height\""},
        // The pieces
        {HEADER "A,5,4,20\n", "f:3:1: the row of piece 1 has 4 cells, 5 were expected"},
        {HEADER "A,5,4,20,yes\nB,5", "f:4:1: the row of piece 2 has 2 cells, 5 were expected"},
        {HEADER "A,5,4,20,yes,no\n", "f:3:14: the row of piece 1 has more than 5 cells"},
        {HEADER "A,,4,20,yes\n", "f:3:3: the width of piece 1 is \"\", a number was expected"},
        {HEADER "A,5,0,20,yes\n", "f:3:5: the height of piece 1 is 0, " LIMITS},
        {HEADER "A,5,-4,20,yes\n", "f:3:5: the height of piece 1 is -4, " LIMITS},
        {HEADER "A,5,4,2..5,yes\n", "f:3:7: the value of piece 1 is \"2..5\", a number was expected"},
        {HEADER "A,5,4,-2,yes\n", "f:3:7: the value of piece 1 is -2, allowed is 0 to 9007199254740992"},
        {HEADER "A,94906266,94906266,,yes\n",
         "f:3:1: the value of piece 1, its area, is 94906266 x 94906266 = 9007199326062756, allowed is 0 to "
         "9007199254740992"},
        {HEADER "A,5,4,20,maybe\n",
         "f:3:10: rotatable of piece 1 is \"maybe\", allowed are yes, no, 1, 0, true and false"},
        {HEADER "A,5,4,20,\"\n", "f:3:10: rotatable of piece 1 is \"\"\", allowed are yes, no, 1, 0, true and false"},
        // Names
        {HEADER "A,5,4,20,yes\nB,5,4,20,yes\n\nA,6,4,20,yes\n",
         "f:6:1: the name \"A\" stands in line 3 and in line 6"},
        {HEADER "\"a\"\"b\",5,4,20,yes\n  a\"b ,5,4,20,yes\n",
         "f:4:3: the name \"a\"b\" stands in line 3 and in line 4"},
        {PLATE "width,height,name\n1,1,A\n2,2,\n3,3,\n4,4,B\n5,5,B\n", "f:7:5: the name \"B\" stands in line 6 and in line 7"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        mco_guillotine *g = NULL;
        assert_fails(read_text(cases[i].text, &g), MCO_ERR_PARSE, cases[i].message);
        assert_null(g);
    }
}

// Ten million rows and one, five bytes each.
static void test_csv_too_long(void **state)
{
    (void)state;
    const size_t head = strlen(PLATE "width,height\n"), rows = (size_t)MCO_GUILLOTINE_MAX_PIECES + 1;
    char *content = malloc(head + 4 * rows + 1);
    mco_guillotine *g = NULL;
    assert_non_null(content);
    strcpy(content, PLATE "width,height\n");
    for (size_t i = 0; i < rows; i++)
        memcpy(content + head + 4 * i, "1,1\n", 5);
    assert_fails(read_text(content, &g), MCO_ERR_PARSE,
                 "f:3:1: from here on 10000001 pieces, allowed are 0 to 10000000");
    assert_null(g);
    free(content);
}

// Many names: each is found in a moment, and all differ.
static void test_many_names(void **state)
{
    (void)state;
    enum { ROWS = 200000, ROW_ROOM = 24 };
    char *content = malloc((size_t)ROWS * ROW_ROOM + 64), *at = content;
    mco_guillotine *g = NULL;
    char number[24];
    assert_non_null(content);
    at += sprintf(at, PLATE "name,width,height\n");
    for (int i = 0; i < ROWS; i++)
        at += sprintf(at, "P%d,%d,1\n", i, i + 1);
    g = read_ok(content);
    assert_int_equal(mco_guillotine_pieces(g), ROWS);
    assert_string_equal(mco_guillotine_piece_name(g, ROWS - 1, number), "P199999");
    mco_guillotine_destroy(test_ctx, &g);
    sprintf(at, "P77777,5,5\n");
    assert_fails(read_text(content, &g), MCO_ERR_PARSE,
                 "f:200003:1: the name \"P77777\" stands in line 77780 and in line 200003");
    free(content);
}

// ---- The k-th allocation fails, for every k

static mco_status create_some(mco_guillotine **g)
{
    const mco_guillotine_piece piece = {1, 1, 1, true};
    return mco_guillotine_create(test_ctx, 5, 5, &piece, 1, g);
}

static mco_status randcut_some(mco_guillotine **g)
{
    return mco_guillotine_randcut(test_ctx, 50, 50, 10, 1, g);
}

static mco_status testcut_some(mco_guillotine **g)
{
    return mco_guillotine_testcut(test_ctx, 50, 50, 10, 1, g);
}

static mco_status read_file(mco_guillotine **g)
{
    return mco_guillotine_read(test_ctx, test_path("memory.csv"), g);
}

static mco_status read_numbers_file(mco_guillotine **g)
{
    return mco_guillotine_read(test_ctx, test_path("memory.txt"), g);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    mco_status (*const makers[])(mco_guillotine **) = {create_some, randcut_some, testcut_some, read_file, read_numbers_file};
    test_file("memory.csv", CSV_NAMES);
    test_file("memory.txt", "1\n30 20\n5 4 20\n");
    for (int m = 0; m < COUNT_OF(makers); m++) {
        const long before = test_memory.live;
        mco_guillotine *g = NULL;
        for (long k = 1; g == NULL; k++) {
            test_fail_allocation(k);
            mco_status st = makers[m](&g);
            assert_int_equal(st, g != NULL ? MCO_OK : MCO_ERR_MEMORY);
            assert_true(g != NULL || test_memory.live == before);
            assert_true(k < 100);
        }
        test_fail_allocation(0);
        mco_guillotine_destroy(test_ctx, &g);
        assert_int_equal(test_memory.live, before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_create),          TEST(test_create_refuses),      TEST(test_generated_bytes),
        TEST(test_randcut_has_no_waste), TEST(test_randcut_patterns), TEST(test_testcut_classes),
        TEST(test_generators_refuse), TEST(test_formats),           TEST(test_no_pieces),
        TEST(test_csv_names),       TEST(test_round_trips),         TEST(test_awkward_names),
        TEST(test_write_refuses),   TEST(test_standard_input),      TEST(test_compressed),
        TEST(test_unreadable),      TEST(test_text_refusals),       TEST(test_csv_refusals),
        TEST(test_csv_too_long),    TEST(test_many_names),          TEST(test_out_of_memory),
    };
    return cmocka_run_group_tests_name("guillotine_instance", tests, NULL, NULL);
}
