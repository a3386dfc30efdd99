// SPDX-License-Identifier: MIT
// Instances of the double TSP with multiple stacks: the random streams, every format, every refusal with its place and
// its values. If MCO_DATA names the folder of the public collection, all of its files are read.
#include "test_support.h"

#include <fcntl.h>
#include <locale.h>
#ifdef MCO_HAVE_ZLIB
#include <zlib.h>
#endif

#include "dtspms/formats.h"

#define TSP_HEAD(dimension) "NAME: a\nTYPE: TSP\nDIMENSION: " #dimension "\nEDGE_WEIGHT_TYPE: "
#define EUC(dimension) TSP_HEAD(dimension) "EUC_2D\nNODE_COORD_SECTION\n"
#define MATRIX(dimension, format) TSP_HEAD(dimension) "EXPLICIT\nEDGE_WEIGHT_FORMAT: " format "\nEDGE_WEIGHT_SECTION\n"
#define ONE EUC(1) "0 50 50\n"
#define THREE EUC(3) "0 0 0\n1 3 4\n2 1 1\n"

// Reads files p and d from memory; `delivery` is NULL for CSV.
static mco_status read_texts(const char *pickup, const char *delivery, mco_dtspms **out)
{
    mco_text p, d = {.ctx = test_ctx};
    assert_ok(mco_text_from_memory(test_ctx, "p", pickup, strlen(pickup), &p));
    if (delivery != NULL)
        assert_ok(mco_text_from_memory(test_ctx, "d", delivery, strlen(delivery), &d));
    mco_status st = dtspms_read_texts(test_ctx, &p, delivery != NULL ? &d : NULL, "f", out);
    mco_text_close(&d);
    mco_text_close(&p);
    return st;
}

static mco_dtspms *read_ok(const char *pickup, const char *delivery)
{
    mco_dtspms *d = NULL;
    assert_ok(read_texts(pickup, delivery, &d));
    return d;
}

static void assert_place(const mco_dtspms *d, mco_dtspms_network network, int32_t node, double x, double y)
{
    double seen_x, seen_y;
    assert_true(mco_dtspms_coordinates(d, network, node, &seen_x, &seen_y));
    assert_true(seen_x == x && seen_y == y);
}

static void assert_matrix(const mco_dtspms *d, mco_dtspms_network network, const int32_t *expected)
{
    const int32_t nodes = mco_dtspms_orders(d) + 1;
    double x, y;
    assert_false(mco_dtspms_coordinates(d, network, 0, &x, &y));
    for (int32_t i = 0; i < nodes; i++)
        for (int32_t j = 0; j < nodes; j++)
            assert_int_equal(mco_dtspms_distance(d, network, i, j), i == j ? 0 : expected[i * nodes + j]);
}

static void assert_same(const mco_dtspms *a, const mco_dtspms *b)
{
    assert_int_equal(mco_dtspms_orders(a), mco_dtspms_orders(b));
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i <= mco_dtspms_orders(a); i++) {
            double x, y;
            if (mco_dtspms_coordinates(b, (mco_dtspms_network)k, i, &x, &y))
                assert_place(a, (mco_dtspms_network)k, i, x, y);
            for (int32_t j = 0; j <= mco_dtspms_orders(a); j++)
                assert_int_equal(mco_dtspms_distance(a, (mco_dtspms_network)k, i, j),
                                 mco_dtspms_distance(b, (mco_dtspms_network)k, i, j));
        }
}

// ---- Creation

static void test_create(void **state)
{
    (void)state;
    const int32_t p[] = {-7, 1, 2, 3, -7, 4, 5, 1 << 30, -7}, q[] = {9, 0, 0, 0, 9, 1, 2, 3, 9};
    mco_dtspms *d = NULL, *first = NULL;
    char number[16];
    assert_ok(mco_dtspms_create(test_ctx, 2, p, q, &d));
    assert_string_equal(mco_dtspms_name(d), "dtspms-2");
    assert_string_equal(mco_dtspms_order_name(d, 1, number), "2");
    assert_matrix(d, MCO_DTSPMS_NETWORK_PICKUP, p);
    assert_matrix(d, MCO_DTSPMS_NETWORK_DELIVERY, q);
    assert_ok(mco_dtspms_prefix(test_ctx, d, 1, &first));
    assert_matrix(first, MCO_DTSPMS_NETWORK_PICKUP, (const int32_t[]){0, 1, 3, 0});
    assert_matrix(first, MCO_DTSPMS_NETWORK_DELIVERY, (const int32_t[]){0, 0, 0, 0});
    mco_dtspms_destroy(test_ctx, &first);
    mco_dtspms_destroy(test_ctx, &d);
    assert_null(d);
    mco_dtspms_destroy(test_ctx, &d);
    mco_dtspms_destroy(test_ctx, NULL);
    assert_ok(mco_dtspms_create(test_ctx, 0, p, q, &d));
    assert_int_equal(mco_dtspms_orders(d), 0);
    mco_dtspms_destroy(test_ctx, &d);
}

static void test_create_refuses(void **state)
{
    (void)state;
    const int32_t good[] = {0, 1, 1, 0}, negative[] = {0, 1, -5, 0}, large[] = {0, (1 << 30) + 1, 1, 0};
    mco_dtspms *d = NULL;
    assert_fails(mco_dtspms_create(test_ctx, 1, negative, good, &d), MCO_ERR_ARGUMENT,
                 "the pickup distance from node 1 to node 0 is -5, allowed is 0 to 1073741824");
    assert_fails(mco_dtspms_create(test_ctx, 1, good, negative, &d), MCO_ERR_ARGUMENT,
                 "the delivery distance from node 1 to node 0 is -5, allowed is 0 to 1073741824");
    assert_fails(mco_dtspms_create(test_ctx, 1, large, good, &d), MCO_ERR_LIMIT,
                 "the pickup distance from node 0 to node 1 is 1073741825, allowed is 0 to 1073741824");
    assert_fails(mco_dtspms_create(test_ctx, -1, good, good, &d), MCO_ERR_LIMIT, "-1 orders, allowed are 0 to 20000");
    assert_fails(mco_dtspms_create(test_ctx, 20001, good, good, &d), MCO_ERR_LIMIT, "20001 orders, allowed are 0 to 20000");
    assert_fails(mco_dtspms_create(test_ctx, 1, NULL, good, &d), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_dtspms_create(test_ctx, 1, good, NULL, &d), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_dtspms_create(test_ctx, 1, good, good, NULL), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_null(d);
}

// ---- Random streams

static void test_streams(void **state)
{
    (void)state;
    mco_dtspms *d = NULL, *other = NULL, *prefix = NULL;
    assert_ok(mco_dtspms_named(test_ctx, "R00", 66, &d));
    assert_string_equal(mco_dtspms_name(d), "R00");
    assert_int_equal(mco_dtspms_orders(d), 66);
    assert_place(d, MCO_DTSPMS_NETWORK_PICKUP, 0, 50, 50);
    assert_place(d, MCO_DTSPMS_NETWORK_DELIVERY, 0, 50, 50);
    assert_place(d, MCO_DTSPMS_NETWORK_PICKUP, 1, 69.78587508896166, 44.09839798224298);
    assert_place(d, MCO_DTSPMS_NETWORK_PICKUP, 2, 62.54262652830561, 33.07207556094717);
    assert_place(d, MCO_DTSPMS_NETWORK_PICKUP, 66, 91.80332221125641, 72.53576512712097);
    assert_ok(mco_dtspms_generate(test_ctx, 66, 234876, 9386, &other));
    assert_string_equal(mco_dtspms_name(other), "random-234876-9386");
    assert_same(d, other);
    mco_dtspms_destroy(test_ctx, &other);
    assert_ok(mco_dtspms_named(test_ctx, "r00", 12, &other));
    assert_string_equal(mco_dtspms_name(other), "R00");
    assert_ok(mco_dtspms_prefix(test_ctx, d, 12, &prefix));
    assert_string_equal(mco_dtspms_name(prefix), "R00");
    assert_same(other, prefix);
    assert_fails(mco_dtspms_prefix(test_ctx, prefix, 13, &d), MCO_ERR_ARGUMENT,
                 "the first 13 orders are asked for, R00 has 12");
    assert_fails(mco_dtspms_prefix(test_ctx, prefix, -1, &d), MCO_ERR_ARGUMENT,
                 "the first -1 orders are asked for, R00 has 12");
    mco_dtspms_destroy(test_ctx, &prefix);
    assert_ok(mco_dtspms_prefix(test_ctx, d, 0, &prefix));
    assert_int_equal(mco_dtspms_orders(prefix), 0);
    mco_dtspms_destroy(test_ctx, &prefix);
    mco_dtspms_destroy(test_ctx, &other);
    mco_dtspms_destroy(test_ctx, &d);
}

// Java prints new Random(42).nextDouble() as 0.7275636800328681, then 0.6832234717598454.
static void test_generate(void **state)
{
    (void)state;
    mco_dtspms *d = NULL;
    assert_ok(mco_dtspms_generate(test_ctx, 1, 42, (int64_t)1 << 53, &d));
    assert_place(d, MCO_DTSPMS_NETWORK_PICKUP, 1, 0.7275636800328681 * 100, 0.6832234717598454 * 100);
    mco_dtspms_destroy(test_ctx, &d);
    assert_fails(mco_dtspms_generate(test_ctx, 1, -1, 0, &d), MCO_ERR_ARGUMENT,
                 "the pickup seed is -1, allowed is 0 to 9007199254740992");
    assert_fails(mco_dtspms_generate(test_ctx, 1, 0, ((int64_t)1 << 53) + 1, &d), MCO_ERR_ARGUMENT,
                 "the delivery seed is 9007199254740993, allowed is 0 to 9007199254740992");
    assert_fails(mco_dtspms_generate(test_ctx, 10000001, 1, 1, &d), MCO_ERR_LIMIT,
                 "10000001 orders, allowed are 0 to 10000000");
    assert_fails(mco_dtspms_named(test_ctx, "R07", -1, &d), MCO_ERR_LIMIT, "-1 orders, allowed are 0 to 10000000");
    for (int i = 0; i < 3; i++) {
        const char *const names[] = {"R20", "R0", "R00p"};
        char expected[80];
        snprintf(expected, sizeof expected, "there is no instance \"%s\", the names are R00 to R19", names[i]);
        assert_fails(mco_dtspms_named(test_ctx, names[i], 5, &d), MCO_ERR_ARGUMENT, expected);
    }
    assert_null(d);
}

// A million orders: memory must stay linear.
static void test_many_orders(void **state)
{
    (void)state;
    enum { ORDERS = 1000000 };
    mco_dtspms *d = NULL;
    assert_ok(mco_dtspms_named(test_ctx, "R19", ORDERS, &d));
    for (int32_t i = 0; i < ORDERS; i += 997) {
        const int32_t length = mco_dtspms_distance(d, MCO_DTSPMS_NETWORK_DELIVERY, i, ORDERS);
        assert_true(length >= 0 && length <= 141);
        assert_int_equal(length, mco_dtspms_distance(d, MCO_DTSPMS_NETWORK_DELIVERY, ORDERS, i));
    }
    mco_dtspms_destroy(test_ctx, &d);
}

// ---- Formats

static void test_rounding(void **state)
{
    (void)state;
    // From the depot: sqrt(2) = 1.41, 1.5 exactly, sqrt(2.5) = 1.58, 5, 5.0000001, and the longest allowed.
    static const char rows[] = "0 0 0\n1 1 1\n2 1.5 0\n3 1.5 .5\n4 3 -4\n5 5.0000001 0\n6 -1e7 1e+7\n7 1E7 -10000000.0\n";
    static const int32_t nearest[] = {0, 1, 2, 2, 5, 5, 14142136, 14142136}, up[] = {0, 2, 2, 2, 5, 6, 14142136, 14142136};
    char pickup[300], delivery[300];
    snprintf(pickup, sizeof pickup, EUC(8) "%s", rows);
    snprintf(delivery, sizeof delivery, TSP_HEAD(8) "CEIL_2D\nNODE_COORD_SECTION\n%s", rows);
    mco_dtspms *d = read_ok(pickup, delivery);
    for (int32_t i = 0; i < COUNT_OF(nearest); i++) {
        assert_int_equal(mco_dtspms_distance(d, MCO_DTSPMS_NETWORK_PICKUP, 0, i), nearest[i]);
        assert_int_equal(mco_dtspms_distance(d, MCO_DTSPMS_NETWORK_DELIVERY, i, 0), up[i]);
    }
    assert_int_equal(mco_dtspms_distance(d, MCO_DTSPMS_NETWORK_PICKUP, 6, 7), 28284271);
    mco_dtspms_destroy(test_ctx, &d);
}

// The same three nodes, written as loosely as people write files.
static void test_tsplib_habits(void **state)
{
    (void)state;
    static const char *const texts[] = {
        THREE,
        EUC(3) "0 0 0\n1 3 4\n2 1 1\nEOF",
        EUC(3) "3 1 1\n1 0 0\n2 3 4\nEOF\n\n",
        EUC(3) "2 1 1\n0 0 0\n1 3 4",
        "EDGE_WEIGHT_TYPE : EUC_2D\r\nDIMENSION :3\r\nNODE_COORD_SECTION\r\n"
        "  1\t0.0\t0e5 \r\n\r\n 2 +3 4.\r\n 3 1 01\r\nEOF\r\n",
        "\n\nCOMMENT: a: b\nCOMMENT :\nNAME :\nEDGE_WEIGHT_FORMAT: FUNCTION\nNODE_COORD_TYPE: TWOD_COORDS\nTYPE : ATSP\n"
        "DISPLAY_DATA_TYPE: COORD_DISPLAY\nedge_weight_type: euc_2d\nDimension:3\nNode_Coord_Section:\n0 0 0\n1 3 4\n2 1 1\n"
        "DISPLAY_DATA_SECTION\n0 8 8\n1 8 9\n2 9 9\nEOF\n",
        // Sections before the keywords they need, no colons, comments, remarks.
        "# by hand\nNODE_COORD_SECTION\n0 0 0\n# 7 7 7\n1 3e0 4\n2 1 1\nDIMENSION 3.0\nAUTHOR : b\nEDGE_WEIGHT_TYPE EUC_2D\n",
        "\xef\xbb\xbfNAME: a, b;\tc\nDIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n0 0 0\n1 3 4\n2 1 1\n",
    };
    mco_dtspms *expected = read_ok(THREE, THREE);
    assert_string_equal(mco_dtspms_name(expected), "f");
    assert_place(expected, MCO_DTSPMS_NETWORK_DELIVERY, 1, 3, 4);
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_dtspms *d = read_ok(THREE, texts[i]);
        assert_same(d, expected);
        mco_dtspms_destroy(test_ctx, &d);
        d = read_ok(texts[i], THREE);
        assert_same(d, expected);
        mco_dtspms_destroy(test_ctx, &d);
    }
    mco_dtspms_destroy(test_ctx, &expected);
}

static void test_matrices(void **state)
{
    (void)state;
    static const int32_t symmetric[] = {0, 1, 2, 1, 0, 3, 2, 3, 0}, full[] = {0, 1, 2, 3, 0, 4, 5, 1 << 30, 0};
    static const char *const texts[] = {
        MATRIX(3, "UPPER_ROW") "1 2\n3\nEOF\n",
        MATRIX(3, "LOWER_ROW") "1\n2 3\n",
        MATRIX(3, "UPPER_DIAG_ROW") "0 1 2 0 3 0",
        MATRIX(3, "LOWER_COL") "1 2 3", MATRIX(3, "UPPER_DIAG_COL") "0 1 0 2 3.0 0",
        MATRIX(3, "LOWER_DIAG_ROW") "-1\n1 0\n2\n3\n9999999999999999999999\nEOF\n",
        MATRIX(3, "FULL_MATRIX") "0 1\n2 1\n0\t3\r\n 2 3 0\n"
        "NODE_COORD_SECTION\n0 1 nonsense\n1\nDISPLAY_DATA_SECTION\n.5\nEOF",
        "NODE_COORD_TYPE: TWOD_COORDS\n" MATRIX(3, "LOWER_ROW") "1 2 3",
    };
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_dtspms *d = read_ok(texts[i], THREE);
        assert_matrix(d, MCO_DTSPMS_NETWORK_PICKUP, symmetric);
        assert_place(d, MCO_DTSPMS_NETWORK_DELIVERY, 1, 3, 4);
        mco_dtspms_destroy(test_ctx, &d);
    }
    mco_dtspms *d = read_ok(THREE, MATRIX(3, "FULL_MATRIX") "8 1 2 3 8 4 5 1073741824 8");
    assert_matrix(d, MCO_DTSPMS_NETWORK_DELIVERY, full);
    mco_dtspms_destroy(test_ctx, &d);
    d = read_ok(MATRIX(1, "UPPER_ROW"), MATRIX(1, "FULL_MATRIX") "5\n");
    assert_int_equal(mco_dtspms_orders(d), 0);
    assert_int_equal(mco_dtspms_distance(d, MCO_DTSPMS_NETWORK_DELIVERY, 0, 0), 0);
    mco_dtspms_destroy(test_ctx, &d);
}

static void test_csv(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "name,pickup_x,pickup_y,delivery_x,delivery_y\ndepot,0,0,1,1\nA,3,4,5,6\nB b,1,1,2,2\n",
        "\xef\xbb\xbf\nname;pickup_x;pickup_y;delivery_x;delivery_y\r\n;0;0;1;1;;\r\n;;;;\r\n\"A\";3;4;5;6\r\n B b ;1;1;2;2",
        "Delivery_Y\tdelivery_x\tname\tPICKUP_X\tpickup_y\t\n1\t1\tA\t0\t0\n6\t5\tA\t3\t4\n2\t2\t\"B b\"\t1\t1\n",
    };
    char number[16];
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_dtspms *d = read_ok(texts[i], NULL), *prefix = NULL;
        assert_int_equal(mco_dtspms_orders(d), 2);
        assert_place(d, MCO_DTSPMS_NETWORK_PICKUP, 0, 0, 0);
        assert_place(d, MCO_DTSPMS_NETWORK_DELIVERY, 0, 1, 1);
        assert_place(d, MCO_DTSPMS_NETWORK_PICKUP, 1, 3, 4);
        assert_place(d, MCO_DTSPMS_NETWORK_DELIVERY, 2, 2, 2);
        assert_string_equal(mco_dtspms_order_name(d, 0, number), "A");
        assert_string_equal(mco_dtspms_order_name(d, 1, number), "B b");
        assert_int_equal(mco_dtspms_distance(d, MCO_DTSPMS_NETWORK_PICKUP, 0, 1), 5);
        assert_ok(mco_dtspms_prefix(test_ctx, d, 1, &prefix));
        mco_dtspms_destroy(test_ctx, &d);
        assert_string_equal(mco_dtspms_order_name(prefix, 0, number), "A");
        mco_dtspms_destroy(test_ctx, &prefix);
    }
    mco_dtspms *d = read_ok("pickup_x,pickup_y,delivery_x,delivery_y\n0,0,1,1\n3,4,5,6\n", NULL);
    assert_string_equal(mco_dtspms_order_name(d, 0, number), "1");
    mco_dtspms_destroy(test_ctx, &d);
    d = read_ok("name,pickup_x,pickup_y,delivery_x,delivery_y\n,0,0,1,1\n,3,4,5,6\n7,3,4,5,6\n", NULL);
    assert_string_equal(mco_dtspms_order_name(d, 0, number), "1");
    assert_string_equal(mco_dtspms_order_name(d, 1, number), "7");
    mco_dtspms_destroy(test_ctx, &d);
    d = read_ok("name,pickup_x,pickup_y,delivery_x,delivery_y\nonly the depot,0,0,1,1\n", NULL);
    assert_int_equal(mco_dtspms_orders(d), 0);
    mco_dtspms_destroy(test_ctx, &d);
}

// ---- Writing

static void write_and_read(const mco_dtspms *d)
{
    mco_dtspms *back = NULL;
    assert_ok(mco_dtspms_write(test_ctx, d, MCO_DTSPMS_NETWORK_PICKUP, test_path("p.tsp")));
    assert_ok(mco_dtspms_write(test_ctx, d, MCO_DTSPMS_NETWORK_DELIVERY, test_path("d.tsp")));
    assert_ok(mco_dtspms_read(test_ctx, test_path("p.tsp"), test_path("d.tsp"), &back));
    assert_string_equal(mco_dtspms_name(back), "p.tsp");
    assert_same(d, back);
    mco_dtspms_destroy(test_ctx, &back);
}

static void test_round_trips(void **state)
{
    (void)state;
    mco_dtspms *d = NULL;
    assert_ok(mco_dtspms_named(test_ctx, "R03", 200, &d));
    write_and_read(d);
    mco_dtspms_destroy(test_ctx, &d);
    d = read_ok(MATRIX(3, "FULL_MATRIX") "8 1 2 3 8 4 5 6 8",
                TSP_HEAD(3) "CEIL_2D\nNODE_COORD_SECTION\n0 -0.1 1e-300\n1 1e-7 123456.789\n"
                "2 -9999999.999999998 0.30000000000000004");
    write_and_read(d);
    assert_content(test_path("p.tsp"),
                   "NAME: f\nTYPE: ATSP\nCOMMENT: pickup network, the first node is the depot\nDIMENSION: 3\n"
                   "EDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                   "0 1 2\n3 0 4\n5 6 0\nEOF\n");
    assert_content(test_path("d.tsp"),
                   "NAME: f\nTYPE: TSP\nCOMMENT: delivery network, the first node is the depot\nDIMENSION: 3\n"
                   "EDGE_WEIGHT_TYPE: CEIL_2D\nNODE_COORD_SECTION\n0 -0.1 1e-300\n1 1e-07 123456.789\n"
                   "2 -9999999.999999998 0.30000000000000004\nEOF\n");
    assert_fails(mco_dtspms_write(test_ctx, d, MCO_DTSPMS_NETWORK_PICKUP, "no-such-folder/f"), MCO_ERR_IO,
                 "cannot write no-such-folder/f: No such file or directory");
    assert_fails(mco_dtspms_write(test_ctx, NULL, MCO_DTSPMS_NETWORK_PICKUP, "f"), MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_dtspms_destroy(test_ctx, &d);
    assert_ok(mco_dtspms_named(test_ctx, "R03", 0, &d));
    write_and_read(d);
    mco_dtspms_destroy(test_ctx, &d);
}

// A line end in a file's name does not become a line end in the file.
static void test_awkward_name(void **state)
{
    (void)state;
    mco_dtspms *d = NULL;
    test_file("a\nTYPE: b", THREE);
    assert_ok(mco_dtspms_read(test_ctx, test_path("a\nTYPE: b"), test_path("a\nTYPE: b"), &d));
    write_and_read(d);
    mco_dtspms_destroy(test_ctx, &d);
}

// A program whose decimal point is a comma reads and writes the same files.
static void test_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    bool is_set = false;
    for (int i = 0; i < COUNT_OF(locales) && !is_set; i++)
        is_set = setlocale(LC_NUMERIC, locales[i]) != NULL;
    if (!is_set)
        skip();
    mco_dtspms *d = read_ok(EUC(2) "0 0.5 2.25\n1 1e-7 -3", EUC(2) "0 1 1\n1 1.5 2");
    assert_place(d, MCO_DTSPMS_NETWORK_PICKUP, 0, 0.5, 2.25);
    write_and_read(d);
    setlocale(LC_NUMERIC, "C");
    write_and_read(d);
    mco_dtspms_destroy(test_ctx, &d);
}

// ---- Input

static void test_standard_input(void **state)
{
    (void)state;
    mco_dtspms *d = NULL;
    test_file("p.tsp", THREE);
    test_file("d.tsp", EUC(3) "0 0 0\n1 6 8\n2 1 1\n");
    const int saved = dup(STDIN_FILENO), file = open(test_path("p.tsp"), O_RDONLY);
    assert_true(saved >= 0 && file >= 0);
    assert_true(dup2(file, STDIN_FILENO) >= 0);
    mco_status st = mco_dtspms_read(test_ctx, "-", test_path("d.tsp"), &d);
    assert_true(dup2(saved, STDIN_FILENO) >= 0);
    close(saved);
    close(file);
    assert_ok(st);
    assert_string_equal(mco_dtspms_name(d), "stdin");
    assert_int_equal(mco_dtspms_distance(d, MCO_DTSPMS_NETWORK_PICKUP, 0, 1), 5);
    assert_int_equal(mco_dtspms_distance(d, MCO_DTSPMS_NETWORK_DELIVERY, 0, 1), 10);
    mco_dtspms_destroy(test_ctx, &d);
    assert_fails(mco_dtspms_read(test_ctx, "-", "-", &d), MCO_ERR_ARGUMENT,
                 "both networks are \"-\", standard input can be one of them");
}

static void test_compressed(void **state)
{
    (void)state;
#ifdef MCO_HAVE_ZLIB
    const char *path = test_path("f.gz");
    mco_dtspms *d = NULL;
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    gzputs(file, THREE);
    assert_int_equal(gzclose(file), Z_OK);
    assert_ok(mco_dtspms_read(test_ctx, path, path, &d));
    assert_int_equal(mco_dtspms_orders(d), 2);
    mco_dtspms_destroy(test_ctx, &d);
#else
    skip();
#endif
}

static void test_unreadable(void **state)
{
    (void)state;
    mco_dtspms *d = NULL;
    const char *path = test_file("p.tsp", THREE);
    char expected[256];
    assert_fails(mco_dtspms_read(test_ctx, "no-such-file", NULL, &d), MCO_ERR_IO,
                 "cannot read no-such-file: No such file or directory");
    assert_fails(mco_dtspms_read(test_ctx, path, "no-such-file", &d), MCO_ERR_IO,
                 "cannot read no-such-file: No such file or directory");
    snprintf(expected, sizeof expected, "%s: not a text file (byte 0x01 at offset 2)", test_path("binary"));
    assert_fails(mco_dtspms_read(test_ctx, path, test_file_bytes("binary", "1\n\x01", 3), &d), MCO_ERR_PARSE, expected);
    assert_fails(mco_dtspms_read(test_ctx, NULL, path, &d), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_null(d);
}

// ---- Refusals

#define KEYWORDS_ARE                                                                                                  \
    ", supported are NAME, COMMENT, TYPE, DIMENSION, EDGE_WEIGHT_TYPE, EDGE_WEIGHT_FORMAT, NODE_COORD_TYPE, "         \
    "DISPLAY_DATA_TYPE, NODE_COORD_SECTION, EDGE_WEIGHT_SECTION, DISPLAY_DATA_SECTION and EOF"
#define FORMATS_ARE                                                                                                   \
    ", supported are FULL_MATRIX, UPPER_ROW, LOWER_ROW, UPPER_DIAG_ROW, LOWER_DIAG_ROW, UPPER_COL, LOWER_COL, "       \
    "UPPER_DIAG_COL and LOWER_DIAG_COL"

// Each text is read as the delivery network beside ONE.
static const struct {
    const char *text, *message;
} tsplib_refusals[] = {
    {"", "d:1:1: the file is empty"},
    {" \n\n", "d:3:1: the file is empty"},
    // Keywords
    {"3 4\n", "d:1:1: the keyword is \"3\"" KEYWORDS_ARE},
    {"NAME: a\nCAPACITY: 3\n", "d:2:1: the keyword is \"CAPACITY\"" KEYWORDS_ARE},
    {EUC(1) "0 1 1\nFIXED_EDGES_SECTION\n1 2\n-1\n", "d:7:1: the keyword is \"FIXED_EDGES_SECTION\"" KEYWORDS_ARE},
    {"NAME: a\n  DIMENSION 5.5\n", "d:2:13: DIMENSION is 5.5, an integer was expected"},
    {"TYPE: TSP\nNODE_COORD_SECTION 0 1 1\n", "d:2:20: \"0 1 1\" stands behind NODE_COORD_SECTION, nothing was expected"},
    {"EOF: 5", "d:1:6: \"5\" stands behind EOF, nothing was expected"},
    {"TYPE: TSP\nNAME: a\nTYPE: TSP\n", "d:3:1: TYPE stands in line 1 and in line 3"},
    {ONE "NODE_COORD_SECTION\n0 50 50\n", "d:7:1: NODE_COORD_SECTION stands in line 5 and in line 7"},
    {"TYPE: CVRP\n", "d:1:7: TYPE is \"CVRP\", supported are TSP and ATSP"},
    {"TYPE:\n", "d:1:6: TYPE is \"\", supported are TSP and ATSP"},
    {"EDGE_WEIGHT_TYPE: GEO\n", "d:1:19: EDGE_WEIGHT_TYPE is \"GEO\", supported are EUC_2D, CEIL_2D and EXPLICIT"},
    {"EDGE_WEIGHT_FORMAT: HALF\n", "d:1:21: EDGE_WEIGHT_FORMAT is \"HALF\"" FORMATS_ARE},
    {"NODE_COORD_TYPE: THREED_COORDS\n", "d:1:18: NODE_COORD_TYPE is \"THREED_COORDS\", supported are TWOD_COORDS"},
    {"DIMENSION: 0\n", "d:1:12: DIMENSION is 0, allowed is 1 to 10000001"},
    {"DIMENSION: -3\n", "d:1:12: DIMENSION is -3, allowed is 1 to 10000001"},
    {"DIMENSION: 10000002\n", "d:1:12: DIMENSION is 10000002, allowed is 1 to 10000001"},
    {"DIMENSION: 99999999999999999999\n", "d:1:12: DIMENSION is 99999999999999999999, allowed is 1 to 10000001"},
    {"DIMENSION: 3.5\n", "d:1:12: DIMENSION is 3.5, an integer was expected"},
    // What is missing
    {"NAME: a\n", "d:2:1: the file ends without DIMENSION"},
    {"DIMENSION: 1\nEOF", "d:2:4: the file ends without EDGE_WEIGHT_TYPE"},
    {TSP_HEAD(1) "EUC_2D\n", "d:5:1: the file ends without NODE_COORD_SECTION"},
    {TSP_HEAD(1) "EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\nNODE_COORD_SECTION\n0 50 50\n",
     "d:8:1: the file ends without EDGE_WEIGHT_SECTION"},
    {"EDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n", "d:3:1: the file ends without DIMENSION"},
    {"DIMENSION: 1\nNODE_COORD_SECTION\n", "d:3:1: the file ends without EDGE_WEIGHT_TYPE"},
    {TSP_HEAD(1) "EXPLICIT\nEDGE_WEIGHT_SECTION\n0\n", "d:7:1: the file ends without EDGE_WEIGHT_FORMAT"},
    {MATRIX(1, "FUNCTION") "0\n", "d:5:21: EDGE_WEIGHT_FORMAT is \"FUNCTION\"" FORMATS_ARE},
    {TSP_HEAD(1) "EUC_2D\nEDGE_WEIGHT_SECTION\n0\n",
     "d:5:1: EDGE_WEIGHT_SECTION with EDGE_WEIGHT_TYPE EUC_2D, EXPLICIT was expected"},
    {ONE "EOF\nNAME: b\n", "d:8:1: the file goes on after EOF"},
    // Nodes
    {EUC(2) "0 1 1\nEOF\n",
     "d:3:12: DIMENSION is 2, 2 rows are too many for the 6 bytes of NODE_COORD_SECTION in line 5"},
    {EUC(2) "0 1 1\n\n\n\n\n\nEOF\n", "d:12:1: NODE_COORD_SECTION ends after 1 nodes, DIMENSION is 2"},
    {EUC(2) "0 100000001e-3 100000001e-3", "d:6:28: NODE_COORD_SECTION ends after 1 nodes, DIMENSION is 2"},
    {EUC(2) "0 1 1\n1 1 1\n 2 1 1\n",
     "d:8:1: node 2 in NODE_COORD_SECTION, but there is a node 0: nodes are numbered 0 to 1 or 1 to 2"},
    {EUC(10000001) "0 1 1\n",
     "d:3:12: DIMENSION is 10000001, 10000001 rows are too many for the 6 bytes of NODE_COORD_SECTION in line 5"},
    {EUC(1) "0 1  \n", "d:6:1: the row holds 2 numbers, 3 were expected: node, x, y"},
    {EUC(1) " 0 1 1 5\n", "d:6:2: the row holds 4 numbers, 3 were expected: node, x, y"},
    {EUC(1) "2 1 1\n", "d:6:1: node 2, but DIMENSION is 1"},
    {EUC(1) "-1 1 1\n", "d:6:1: node -1, but DIMENSION is 1"},
    {EUC(1) "+a 1 1\n", "d:6:1: the number of the node is \"+a\", a number was expected"},
    {EUC(1) "a 1 1\n", "d:6:1: the keyword is \"a\"" KEYWORDS_ARE},
    {EUC(2) "1 1 1\n1 2 2\n", "d:7:1: node 1 stands in line 6 and in line 7"},
    {EUC(2) "2 1 1\n0 2 2\n",
     "d:6:1: node 2 in NODE_COORD_SECTION, but there is a node 0: nodes are numbered 0 to 1 or 1 to 2"},
    {EUC(1) "0 nan 1\n", "d:6:3: the coordinate is \"nan\", a number was expected"},
    {EUC(1) "0 1 -inf\n", "d:6:5: the coordinate is \"-inf\", a number was expected"},
    {EUC(1) "0 1 0x1p3\n", "d:6:5: the coordinate is \"0x1p3\", a number was expected"},
    {EUC(1) "0 1 1,5\n", "d:6:5: the coordinate is \"1,5\", a number was expected"},
    {EUC(1) "0 1 --1\n", "d:6:5: the coordinate is \"--1\", a number was expected"},
    {EUC(1) "0 . 1\n", "d:6:3: the coordinate is \".\", a number was expected"},
    {EUC(1) "0 1e999 1\n", "d:6:3: the coordinate is 1e999, allowed is -10000000 to 10000000"},
    {EUC(1) "0 1 -10000000.01\n", "d:6:5: the coordinate is -10000000.01, allowed is -10000000 to 10000000"},
    // Matrices
    {MATRIX(20002, "UPPER_ROW") "1\n", "d:3:12: DIMENSION is 20002, with a matrix allowed is 1 to 20001"},
    {MATRIX(20001, "UPPER_ROW") "1\n",
     "d:3:12: DIMENSION is 20001, 200010000 numbers are too many for the 2 bytes of EDGE_WEIGHT_SECTION in line 6"},
    {MATRIX(2, "FULL_MATRIX") "0 1 2\n    \nEOF",
     "d:9:1: EDGE_WEIGHT_SECTION ends after 3 numbers, 4 were expected of a FULL_MATRIX as DIMENSION is 2"},
    {MATRIX(2, "FULL_MATRIX") "0 11 222\n",
     "d:8:1: EDGE_WEIGHT_SECTION ends after 3 numbers, 4 were expected of a FULL_MATRIX as DIMENSION is 2"},
    {MATRIX(2, "LOWER_DIAG_ROW") "0 1\n 0 5",
     "d:8:4: EDGE_WEIGHT_SECTION goes on after 3 numbers of a LOWER_DIAG_ROW, DIMENSION is 2"},
    {MATRIX(2, "FULL_MATRIX") "0 1 -2 0", "d:7:5: the distance from node 2 to node 1 is -2, allowed is 0 to 1073741824"},
    {MATRIX(3, "UPPER_ROW") "1 2 1073741825",
     "d:7:5: the distance from node 2 to node 3 is 1073741825, allowed is 0 to 1073741824"},
    {MATRIX(2, "LOWER_ROW") "1.5", "d:7:1: the distance from node 2 to node 1 is 1.5, an integer was expected"},
    {MATRIX(2, "LOWER_ROW") "nan", "d:7:1: the keyword is \"nan\"" KEYWORDS_ARE},
    {MATRIX(2, "LOWER_ROW") "1e3e", "d:7:1: the distance from node 2 to node 1 is \"1e3e\", a number was expected"},
};

static const struct {
    const char *pickup, *delivery, *message;
} pair_refusals[] = {
    {ONE, THREE, "d:3:12: DIMENSION is 3, but 1 in p: both networks have the same orders"},
    {ONE, "name,pickup_x\n", "d:1:1: a CSV file holds both networks and stands alone, a pair of files is TSPLIB"},
    {"\nname,pickup_x\n", ONE, "p:2:1: a CSV file holds both networks and stands alone, a pair of files is TSPLIB"},
    {ONE, NULL, "p:1:1: one network of two: TSPLIB needs two files, pickup and delivery; CSV begins with "
                "name,pickup_x,pickup_y,delivery_x,delivery_y"},
    {"", NULL, "p:1:1: the file is empty"},
    {MATRIX(1, "FULL_MATRIX") "0x", ONE, "p:7:1: the distance from node 1 to node 1 is \"0x\", a number was expected"},
};

static void assert_refused(const char *pickup, const char *delivery, const char *message)
{
    mco_dtspms *d = NULL;
    assert_fails(read_texts(pickup, delivery, &d), MCO_ERR_PARSE, message);
    assert_null(d);
}

static void test_tsplib_refusals(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(tsplib_refusals); i++)
        assert_refused(ONE, tsplib_refusals[i].text, tsplib_refusals[i].message);
}

static void test_pair_refusals(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(pair_refusals); i++)
        assert_refused(pair_refusals[i].pickup, pair_refusals[i].delivery, pair_refusals[i].message);
}

#define HEADER "name,pickup_x,pickup_y,delivery_x,delivery_y\n"
#define DEPOT HEADER "depot,0,0,0,0\n"
#define COLUMNS_ARE ", supported are name, pickup_x, pickup_y, delivery_x and delivery_y"

static void test_csv_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"name,x\n", "p:1:6: the column is \"x\"" COLUMNS_ARE},
        {"A,1,2,3,4\n", "p:1:1: the column is \"A\"" COLUMNS_ARE},
        {"name,,pickup_x\n", "p:1:6: the column is \"\"" COLUMNS_ARE},
        {"name,pickup_x,pickup_x\n", "p:1:15: the column \"pickup_x\" a second time, first at 1:6"},
        {"name,pickup_x,pickup_y,delivery_x\n", "p:1:1: the header has no column \"delivery_y\""},
        {HEADER, "p:2:1: the text ends where the row of the depot was expected"},
        {HEADER ",,,,\n", "p:3:1: the text ends where the row of the depot was expected"},
        {DEPOT "A,1,2,3\n", "p:3:1: the row has 4 cells, 5 were expected"},
        {DEPOT "A,1,2,3,4,,5\n", "p:3:12: the row has more than 5 cells"},
        {DEPOT "A,1,2,3,\n", "p:3:9: the coordinate is \"\", a number was expected"},
        {DEPOT "A,1,2,3,four\n", "p:3:9: the coordinate is \"four\", a number was expected"},
        {DEPOT "A,1,2e7,3,4\n", "p:3:5: the coordinate is 2e7, allowed is -10000000 to 10000000"},
        {DEPOT "A,1,2,3,4\n\nB,1,2,3,4\n\"A\",5,5,5,5\n", "p:6:2: the name \"A\" stands in line 3 and in line 6"},
        {DEPOT "\"a\"\"b\",1,2,3,4\na\"b,5,5,5,5\n", "p:4:1: the name \"a\"b\" stands in line 3 and in line 4"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++)
        assert_refused(cases[i].text, NULL, cases[i].message);
}

// Many names: each is found in a moment, and all differ.
static void test_many_names(void **state)
{
    (void)state;
    enum { ROWS = 200000, ROW_ROOM = 24 };
    char *content = malloc((size_t)ROWS * ROW_ROOM + 128), *at = content;
    mco_dtspms *d = NULL;
    char number[16];
    assert_non_null(content);
    at += sprintf(at, DEPOT);
    for (int i = 0; i < ROWS; i++)
        at += sprintf(at, "P%d,%d,1,2,3\n", i, i);
    d = read_ok(content, NULL);
    assert_int_equal(mco_dtspms_orders(d), ROWS);
    assert_string_equal(mco_dtspms_order_name(d, ROWS - 1, number), "P199999");
    mco_dtspms_destroy(test_ctx, &d);
    sprintf(at, "P77777,5,5,5,5\n");
    assert_fails(read_texts(content, NULL, &d), MCO_ERR_PARSE,
                 "p:200003:1: the name \"P77777\" stands in line 77780 and in line 200003");
    free(content);
}

// Cut at every byte, a file is read or refused with a place, never with another error.
static void test_cut(void **state)
{
    (void)state;
    static const char *const texts[] = {
        EUC(3) "0 1.5 2\n1 3 4\n2 1 1\nEOF\n",
        MATRIX(3, "FULL_MATRIX") "0 1 2\n3 0 4\n5 6 0\nDISPLAY_DATA_SECTION\n1 2 3\nEOF\n",
        DEPOT "A,1,2,3,4\nB,1,2,3,4\n",
    };
    for (int i = 0; i < COUNT_OF(texts); i++)
        for (size_t size = 0; size <= strlen(texts[i]); size++) {
            char cut[400];
            mco_dtspms *d = NULL;
            snprintf(cut, sizeof cut, "%.*s", (int)size, texts[i]);
            mco_status st = read_texts(cut, i < 2 ? texts[i] : NULL, &d);
            assert_true(st == MCO_OK ? d != NULL : st == MCO_ERR_PARSE && d == NULL);
            assert_true(st == MCO_OK || strncmp(mco_context_error(test_ctx), "p:", 2) == 0);
            assert_true(st == MCO_OK || size < strlen(texts[i]));
            mco_dtspms_destroy(test_ctx, &d);
        }
}

// ---- The k-th allocation fails, for every k

static mco_status create_some(mco_dtspms **d)
{
    const int32_t lengths[] = {0, 1, 2, 0};
    return mco_dtspms_create(test_ctx, 1, lengths, lengths, d);
}

static mco_status named_some(mco_dtspms **d)
{
    return mco_dtspms_named(test_ctx, "R01", 5, d);
}

static mco_status read_pair_of_files(mco_dtspms **d)
{
    return mco_dtspms_read(test_ctx, test_path("memory.tsp"), test_path("memory-matrix.tsp"), d);
}

static mco_status read_csv_file(mco_dtspms **d)
{
    return mco_dtspms_read(test_ctx, test_path("memory.csv"), NULL, d);
}

static mco_dtspms *whole;

static mco_status prefix_of_whole(mco_dtspms **d)
{
    return mco_dtspms_prefix(test_ctx, whole, 1, d);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    mco_status (*const makers[])(mco_dtspms **) = {create_some, named_some, read_pair_of_files, read_csv_file,
                                                     prefix_of_whole};
    test_file("memory.tsp", THREE);
    test_file("memory-matrix.tsp", MATRIX(3, "UPPER_ROW") "1 2 3\n");
    test_file("memory.csv", DEPOT "A,1,2,3,4\nB,5,6,7,8\n");
    assert_ok(read_csv_file(&whole));
    for (int m = 0; m < COUNT_OF(makers); m++) {
        const long before = test_memory.live;
        mco_dtspms *d = NULL;
        long k = 1;
        for (; d == NULL; k++) {
            test_fail_allocation(k);
            mco_status st = makers[m](&d);
            assert_int_equal(st, d != NULL ? MCO_OK : MCO_ERR_MEMORY);
            assert_true(d != NULL || test_memory.live == before);
            assert_true(k < 100);
        }
        test_fail_allocation(0);
        assert_true(k > 4);
        mco_dtspms_destroy(test_ctx, &d);
        assert_int_equal(test_memory.live, before);
    }
    mco_dtspms_destroy(test_ctx, &whole);
}

// ---- The public collection

static const char *data_folder(void)
{
    const char *data = getenv("MCO_DATA");
    if (data == NULL || data[0] == '\0')
        skip();
    return data;
}

// The files of R00 to R19 hold the streams to the last digit, those of R05p to the sixth decimal.
static void test_public_streams(void **state)
{
    (void)state;
    const char *data = data_folder();
    for (int i = 0; i < 20; i++) {
        char paths[2][400], name[8];
        mco_dtspms *file = NULL, *stream = NULL;
        snprintf(name, sizeof name, "R%02d", i);
        for (int k = 0; k < 2; k++)
            snprintf(paths[k], sizeof paths[k], "%s/dtspms/R66/%s%c.tsp", data, name, "pd"[k]);
        if (i >= 10 && access(paths[0], F_OK) != 0)
            continue;  // a collection may hold only the first half
        assert_ok(mco_dtspms_read(test_ctx, paths[0], paths[1], &file));
        assert_int_equal(mco_dtspms_orders(file), 66);
        assert_ok(mco_dtspms_named(test_ctx, name, 66, &stream));
        for (int k = 0; k < 2; k++)
            for (int32_t node = 0; node <= 66; node++) {
                double x, y, u, v;
                assert_true(mco_dtspms_coordinates(file, (mco_dtspms_network)k, node, &x, &y));
                assert_true(mco_dtspms_coordinates(stream, (mco_dtspms_network)k, node, &u, &v));
                const double allowed = i == 5 && k == 0 ? 0.5e-6 + 1e-12 : 0;
                assert_true(fabs(x - u) <= allowed && fabs(y - v) <= allowed);
            }
        if (i != 5)
            assert_same(file, stream);
        mco_dtspms_destroy(test_ctx, &stream);
        mco_dtspms_destroy(test_ctx, &file);
    }
}

static void test_public_files(void **state)
{
    (void)state;
    static const struct {
        const char *names;
        int count;
        int32_t orders;
    } sets[] = {{"T132/132a", 10, 132}, {"calibration/33p", 10, 33}, {"calibration/66p", 10, 66},
                {"calibration/132p", 10, 132}};
    const char *data = data_folder();
    for (int s = 0; s < COUNT_OF(sets); s++)
        for (int i = 0; i < sets[s].count; i++) {
            char paths[2][400];
            mco_dtspms *d = NULL;
            for (int k = 0; k < 2; k++)
                snprintf(paths[k], sizeof paths[k], "%s/dtspms/%s%02d%c.tsp", data, sets[s].names, i, "pd"[k]);
            assert_ok(mco_dtspms_read(test_ctx, paths[0], paths[1], &d));
            assert_int_equal(mco_dtspms_orders(d), sets[s].orders);
            assert_place(d, MCO_DTSPMS_NETWORK_PICKUP, 0, 50, 50);
            write_and_read(d);
            mco_dtspms_destroy(test_ctx, &d);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_create),         TEST(test_create_refuses), TEST(test_streams),       TEST(test_generate),
        TEST(test_many_orders),    TEST(test_rounding),       TEST(test_tsplib_habits), TEST(test_matrices),
        TEST(test_csv),            TEST(test_round_trips),    TEST(test_awkward_name),  TEST(test_locale),
        TEST(test_standard_input), TEST(test_compressed),     TEST(test_unreadable),    TEST(test_tsplib_refusals),
        TEST(test_pair_refusals),  TEST(test_csv_refusals),   TEST(test_many_names),    TEST(test_cut),
        TEST(test_out_of_memory),  TEST(test_public_streams), TEST(test_public_files),
    };
    return cmocka_run_group_tests_name("dtspms_instance", tests, NULL, NULL);
}
