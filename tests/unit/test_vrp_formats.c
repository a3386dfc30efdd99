// SPDX-License-Identifier: MIT
// Instance files of vehicle routing: every format, what is written, every refusal with its place and its values. If
// MCO_DATA names the folder of the public collections, all files of cvrp/ are read and their solutions checked.
#include "test_support.h"

#include <math.h>
#include <locale.h>

#include "vrp/formats.h"

#define HEAD(dimension) "NAME : a\nTYPE : CVRP\nDIMENSION : " #dimension "\nCAPACITY : 10\n"
#define EUC(dimension) HEAD(dimension) "EDGE_WEIGHT_TYPE : EUC_2D\n"
#define PLACES "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 -6 8\n"
#define DEMANDS "DEMAND_SECTION\n1 0\n2 5\n3 7\n"
#define DEPOT "DEPOT_SECTION\n1\n-1\n"
#define BURMA                                                                                                   \
    HEAD(3) "EDGE_WEIGHT_TYPE : GEO\nNODE_COORD_SECTION\n1 16.47 96.10\n2 16.47 94.44\n3 20.09 92.54\n" DEMANDS DEPOT
#define THREE EUC(3) PLACES DEMANDS DEPOT "EOF\n"
#define MATRIX(format, numbers) \
    HEAD(3) "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : " format "\nEDGE_WEIGHT_SECTION\n" numbers "\n" DEMANDS DEPOT

static mco_status read_with(const char *content, const mco_vrp_model *model, mco_vrp **out)
{
    mco_text text;
    assert_ok(mco_text_from_memory(test_ctx, "f", content, strlen(content), &text));
    mco_status st = vrp_read_text(test_ctx, &text, model, "file", out);
    mco_text_close(&text);
    return st;
}

static mco_vrp *read_ok(const char *content)
{
    mco_vrp *p = NULL;
    assert_ok(read_with(content, NULL, &p));
    return p;
}

static mco_vrp *read_real(const char *content)
{
    mco_vrp *p = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.distance = MCO_VRP_DISTANCES_REAL;
    assert_ok(read_with(content, &model, &p));
    return p;
}

static void assert_same(const mco_vrp *a, const mco_vrp *b)
{
    assert_int_equal(mco_vrp_customers(a), mco_vrp_customers(b));
    assert_int_equal(mco_vrp_capacity(a), mco_vrp_capacity(b));
    assert_int_equal(mco_vrp_max_length(a), mco_vrp_max_length(b));
    assert_int_equal(mco_vrp_vehicles(a), mco_vrp_vehicles(b));
    assert_true(mco_vrp_scale(a) == mco_vrp_scale(b));
    for (int32_t i = 0; i <= mco_vrp_customers(a); i++) {
        double x[2], y[2];
        assert_int_equal(mco_vrp_coordinates(a, i, &x[0], &y[0]), mco_vrp_coordinates(b, i, &x[1], &y[1]));
        if (a->x != NULL)
            assert_true(x[0] == x[1] && y[0] == y[1]);
        for (int32_t j = 0; j <= mco_vrp_customers(a); j++)
            assert_int_equal(mco_vrp_distance(a, i, j), mco_vrp_distance(b, i, j));
        if (i > 0) {
            assert_int_equal(mco_vrp_demand(a, i - 1), mco_vrp_demand(b, i - 1));
            assert_int_equal(mco_vrp_service(a, i - 1), mco_vrp_service(b, i - 1));
        }
    }
}

static void assert_reads_as_three(const char *content)
{
    mco_vrp *p = read_ok(content), *three = read_ok(THREE);
    assert_same(p, three);
    mco_vrp_destroy(test_ctx, &three);
    mco_vrp_destroy(test_ctx, &p);
}

// ---- VRPLIB

static void test_vrplib(void **state)
{
    (void)state;
    char number[16];
    mco_vrp *p = read_ok(THREE);
    assert_string_equal(mco_vrp_name(p), "a");
    assert_int_equal(mco_vrp_customers(p), 2);
    assert_int_equal(mco_vrp_capacity(p), 10);
    assert_int_equal(mco_vrp_max_length(p), MCO_VRP_MAX_LENGTH);
    assert_int_equal(mco_vrp_vehicles(p), 0);
    assert_int_equal(mco_vrp_demand(p, 0), 5);
    assert_int_equal(mco_vrp_demand(p, 1), 7);
    assert_int_equal(mco_vrp_distance(p, 0, 1), 5);
    assert_int_equal(mco_vrp_distance(p, 2, 0), 10);
    assert_int_equal(mco_vrp_distance(p, 1, 2), 10);  // 9.85
    assert_int_equal(mco_vrp_distance(p, 1, 1), 0);
    assert_string_equal(mco_vrp_customer_name(p, 1, number), "2");
    mco_vrp_destroy(test_ctx, &p);
}

static void test_layouts(void **state)
{
    (void)state;
    // Sections and keywords in any order, DIMENSION behind them, no EOF.
    assert_reads_as_three(DEPOT DEMANDS PLACES "EDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\nDIMENSION : 3\n");
    // The ends of lines, tabs, blanks, missing colons, upper and lower case, comments.
    assert_reads_as_three("\xef\xbb\xbfname : a\r\n# a comment\r\nComment : DIMENSION : 7\r\nCOMMENT what: ever\r\n\r\n"
                          "type\t:\tDCVRP\t\r\nDimension:3\r\nCAPACITY 10\r\nEDGE_WEIGHT_TYPE : \tEUC_2D\t\r\n"
                          "NODE_COORD_TYPE : TWOD_COORDS\r\nNODE_COORD_SECTION\t\t\r\n\t1\t0\t0\r\n# 9 9 9\r\n\r\n"
                          "2 3. 4.0\r\n3 -0.6e1 +800E-2\r\nDEMAND_SECTION :\r\n# 3 8\n3 7.0\r\n1 0\r\n2 5\r\n"
                          "DEPOT_SECTION\r\n# 2\r\n 1 -1\r\nEOF\r\n\r\n");
    // Rows in any order, numbers from 0, the depot without a demand, remarks.
    assert_reads_as_three(EUC(3) "BEST_KNOWN : 12\nNODE_COORD_SECTION\n2 -6 8\n0 0 0\n1 3 4\nDEMAND_SECTION\n2 7\n1 5\n"
                                 "DEPOT_SECTION\n0\n");
    // The depot in the middle: customers are the other nodes in their order.
    assert_reads_as_three(EUC(3) "NODE_COORD_SECTION\n1 3 4\n2 0 0\n3 -6 8\nDEMAND_SECTION\n1 5\n2 0\n3 7\n"
                                 "DEPOT_SECTION\n2 -1\n");
    assert_reads_as_three(EUC(3) "NODE_COORD_SECTION\n0 3 4\n1 -6 8\n2 0 0\nDEMAND_SECTION\n0 5\n1 7\nDEPOT_SECTION\n2\n-1\n");
    // Tabs instead of colons are no header of CSV.
    assert_reads_as_three("NAME\ta\nDIMENSION\t3\nCAPACITY\t10\nEDGE_WEIGHT_TYPE\tEUC_2D\n" PLACES DEMANDS DEPOT);
    // Coordinates beside the display's; EDGE_WEIGHT_FORMAT of coordinates.
    assert_reads_as_three(EUC(3) "EDGE_WEIGHT_FORMAT : FUNCTION\nDISPLAY_DATA_TYPE : TWOD_DISPLAY\n"
                                 "DISPLAY_DATA_SECTION\n1 9 9\n2 9 9\n3 9 9\n" PLACES DEMANDS DEPOT);
}

static void test_limits_of_file(void **state)
{
    (void)state;
    mco_vrp *p = read_ok(EUC(3) "DISTANCE : 30.9\nSERVICE_TIME : 2\nVEHICLES : 2\n" PLACES DEMANDS DEPOT);
    assert_int_equal(mco_vrp_max_length(p), 30);
    assert_int_equal(mco_vrp_service(p, 0), 2);
    assert_int_equal(mco_vrp_service(p, 1), 2);
    assert_int_equal(mco_vrp_vehicles(p), 2);
    mco_vrp_destroy(test_ctx, &p);
    p = read_ok(EUC(3) "DISTANCE : 30\nSERVICE_TIME : 2\n" PLACES DEMANDS "SERVICE_TIME_SECTION\n3 4\n2 1\n" DEPOT);
    assert_int_equal(mco_vrp_service(p, 0), 1);
    assert_int_equal(mco_vrp_service(p, 1), 4);
    mco_vrp_destroy(test_ctx, &p);
    // The model comes before the file.
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 77;
    model.max_length = 25;
    model.service_time = 3;
    model.vehicles = 9;
    assert_ok(read_with(EUC(3) "DISTANCE : 30\nVEHICLES : 2\n" PLACES DEMANDS "SERVICE_TIME_SECTION\n3 4\n2 1\n" DEPOT, &model,
                        &p));
    assert_int_equal(mco_vrp_capacity(p), 77);
    assert_int_equal(mco_vrp_max_length(p), 25);
    assert_int_equal(mco_vrp_service(p, 0), 3);
    assert_int_equal(mco_vrp_service(p, 1), 3);
    assert_int_equal(mco_vrp_vehicles(p), 9);
    mco_vrp_destroy(test_ctx, &p);
    model.service_time = 0;
    model.vehicles = 0;
    assert_ok(read_with("EDGE_WEIGHT_TYPE : EUC_2D\nDIMENSION : 3\nSERVICE_TIME : 2\nVEHICLES : 2\n" PLACES DEMANDS DEPOT,
                        &model, &p));
    assert_int_equal(mco_vrp_service(p, 0), 0);
    assert_int_equal(mco_vrp_vehicles(p), 0);
    assert_string_equal(mco_vrp_name(p), "file");
    mco_vrp_destroy(test_ctx, &p);
}

static void test_sizes(void **state)
{
    (void)state;
    mco_vrp *p = read_ok(EUC(1) "NODE_COORD_SECTION\n1 5 5\nDEMAND_SECTION\n" DEPOT);
    assert_int_equal(mco_vrp_customers(p), 0);
    assert_ok(vrp_refuse_unservable(test_ctx, p, (double)INFINITY));
    mco_vrp_destroy(test_ctx, &p);
    p = read_ok(EUC(2) "NODE_COORD_SECTION\n1 5 5\n2 5 5\nDEMAND_SECTION\n2 11\n" DEPOT);
    assert_int_equal(mco_vrp_customers(p), 1);
    assert_int_equal(mco_vrp_distance(p, 0, 1), 0);
    assert_int_equal(vrp_refuse_unservable(test_ctx, p, (double)INFINITY), MCO_ERR_ARGUMENT);
    mco_vrp_destroy(test_ctx, &p);
    p = read_ok(HEAD(1) "EDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: LOWER_ROW\nEDGE_WEIGHT_SECTION\n"
                        "DEMAND_SECTION\n" DEPOT);
    assert_int_equal(mco_vrp_customers(p), 0);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_rules(void **state)
{
    (void)state;
    mco_vrp *p = read_ok(HEAD(3) "EDGE_WEIGHT_TYPE : CEIL_2D\nNODE_COORD_SECTION\n1 0 0\n2 1 1\n3 3 4\n" DEMANDS DEPOT);
    assert_int_equal(mco_vrp_distance(p, 0, 1), 2);
    assert_int_equal(mco_vrp_distance(p, 0, 2), 5);
    mco_vrp_destroy(test_ctx, &p);
    // The first nodes of TSPLIB's burma14 and their distances.
    p = read_ok(BURMA);
    assert_int_equal(mco_vrp_distance(p, 0, 1), 153);
    assert_int_equal(mco_vrp_distance(p, 0, 2), 510);
    assert_int_equal(mco_vrp_distance(p, 1, 2), 422);
    mco_vrp_destroy(test_ctx, &p);
    p = read_real(BURMA);
    assert_true(mco_vrp_scale(p) == 10000);
    assert_in_range(mco_vrp_distance(p, 0, 1), 1520000, 1530000);
    assert_in_range(mco_vrp_distance(p, 0, 2), 5090000, 5100000);
    mco_vrp_destroy(test_ctx, &p);
}

static void assert_matrix(mco_vrp *p, const int32_t expected[9])
{
    for (int32_t i = 0; i < 9; i++)
        assert_int_equal(mco_vrp_distance(p, i / 3, i % 3), expected[i]);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_matrices(void **state)
{
    (void)state;
    const int32_t symmetric[] = {0, 1, 2, 1, 0, 3, 2, 3, 0}, full[] = {0, 1, 2, 3, 0, 4, 5, 6, 0};
    mco_vrp *p = read_ok(MATRIX("FULL_MATRIX", "9 1 2\n3 9 4 5 6\n 9"));
    assert_false(p->is_symmetric);
    assert_matrix(p, full);
    p = read_ok(MATRIX("UPPER_ROW", "1 2 3"));
    assert_true(p->is_symmetric);
    assert_matrix(p, symmetric);
    assert_matrix(read_ok(MATRIX("LOWER_ROW", "1\n# 7\n2 3")), symmetric);
    assert_matrix(read_ok(MATRIX("UPPER_DIAG_ROW", "-9 1 2 1.5 3 0")), symmetric);
    assert_matrix(read_ok(MATRIX("LOWER_DIAG_ROW", "0 1 0 2 3 0")), symmetric);
    assert_matrix(read_ok(MATRIX("UPPER_COL", "1 2 3")), symmetric);
    assert_matrix(read_ok(MATRIX("LOWER_COL", "1 2 3")), symmetric);
    assert_matrix(read_ok(MATRIX("UPPER_DIAG_COL", "0 1 0 2 3 0")), symmetric);
    assert_matrix(read_ok(MATRIX("LOWER_DIAG_COL", "0 1 2 0 3 0")), symmetric);
    // The depot is the last node.
    assert_matrix(read_ok(HEAD(3) "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n"
                                  "0 4 3\n6 0 5\n1 2 0\nDEMAND_SECTION\n1 2\n2 3\n3 0\nDEPOT_SECTION\n3\n"),
                  full);
}

static void test_real_matrix(void **state)
{
    (void)state;
    double x, y;
    mco_vrp *p = read_real(MATRIX("UPPER_ROW", "1.5 20.25 0.125") "DISTANCE : 30.5\n"
                           "DISPLAY_DATA_SECTION\n1 0 0\n2 1 0\n3 7 9\n");
    assert_true(mco_vrp_scale(p) == 100000);
    assert_int_equal(mco_vrp_distance(p, 0, 1), 150000);
    assert_int_equal(mco_vrp_distance(p, 0, 2), 2025000);
    assert_int_equal(mco_vrp_distance(p, 1, 2), 12500);
    assert_int_equal(mco_vrp_max_length(p), 3050000);
    assert_true(mco_vrp_coordinates(p, 2, &x, &y) && x == 7 && y == 9);
    mco_vrp_destroy(test_ctx, &p);
}

// ---- CSV

static mco_vrp *read_csv(const char *content)
{
    mco_vrp *p = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 10;
    assert_ok(read_with(content, &model, &p));
    return p;
}

static void test_csv(void **state)
{
    (void)state;
    char number[16];
    mco_vrp *three = read_ok(THREE), *p = read_csv("name,x,y,demand\ndepot,0,0,0\nBerger,3,4,5\n\"a \"\"b\"\", c\",-6,8,7\n");
    assert_same(p, three);
    assert_string_equal(mco_vrp_customer_name(p, 0, number), "Berger");
    assert_string_equal(mco_vrp_customer_name(p, 1, number), "a \"b\", c");
    mco_vrp_destroy(test_ctx, &p);
    p = read_csv("# made by hand\n\nDemand;Y;X;id;\r\n;0;0;;\r\n5;4;3;;\r\n;;;;\r\n7;8;-6;#9\r\n");
    assert_same(p, three);
    assert_string_equal(mco_vrp_customer_name(p, 0, number), "1");
    assert_string_equal(mco_vrp_customer_name(p, 1, number), "#9");
    mco_vrp_destroy(test_ctx, &p);
    p = read_csv("name\tx\ty\tdemand\tservice\nd\t0\t0\t0\t0\nA\t3\t4\t5\t\nB\t-6\t8\t7\t2");
    assert_int_equal(mco_vrp_service(p, 0), 0);
    assert_int_equal(mco_vrp_service(p, 1), 2);
    mco_vrp_destroy(test_ctx, &p);
    mco_vrp_destroy(test_ctx, &three);
}

static void write_and_read(const mco_vrp *p)
{
    mco_vrp *back = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.distance = mco_vrp_distance_rule(p);
    assert_ok(mco_vrp_write(test_ctx, p, test_path("w.vrp")));
    assert_ok(mco_vrp_read(test_ctx, test_path("w.vrp"), &model, &back));
    assert_same(p, back);
    mco_vrp_destroy(test_ctx, &back);
}

// Limits, decimals and a matrix in a file of their own.
static void test_csv_limits(void **state)
{
    (void)state;
    char number[16];
    mco_vrp *p = read_ok("# a bakery\ncapacity;7,5\nvehicles;3;\n\nmax-length;20,5\nname;x;y;demand;service\nd;0,5;0;;\n"
                         "a;10;0,25;2,5;1,5\nb;10;1;1,75;\n");
    assert_int_equal(mco_vrp_load_scale(p), 100);
    assert_int_equal(mco_vrp_capacity(p), 750);
    assert_int_equal(mco_vrp_demand(p, 0), 250);
    assert_int_equal(mco_vrp_demand(p, 1), 175);
    assert_int_equal(mco_vrp_vehicles(p), 3);
    assert_int_equal(mco_vrp_max_length(p), 20);
    assert_true(p->x[0] == 0.5 && p->y[1] == 0.25);
    mco_vrp_destroy(test_ctx, &p);
    // Limits that are given come before those of the file; a capacity has the scale of the demands.
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 9;
    model.vehicles = 0;
    assert_ok(read_with("vehicles\t2\ncapacity\t8\nservice-time\t4\nx\ty\tdemand\n0\t0\t\n3\t4\t0.1\n", &model, &p));
    assert_int_equal(mco_vrp_capacity(p), 90);
    assert_int_equal(mco_vrp_vehicles(p), 0);
    assert_int_equal(mco_vrp_service(p, 0), 4);
    mco_vrp_destroy(test_ctx, &p);
    // Rows and columns of a matrix stand in any order.
    p = read_ok("capacity,2\nname,demand\nD,\nA,1\n\"B, b\",1\ndistances,\"B, b\",D,A\nD,5,0,7\nA,1,2,x\n\"B, b\",0,3,4\n");
    assert_matrix(p, (const int32_t[9]){0, 7, 5, 2, 0, 1, 3, 4, 0});
    p = read_ok("capacity,2\nx,y,demand\n5,5,\n6,6,1\n7,7,1\n\ndistances,depot,1,2\n0,0,1,2\n1,3,0,4\n2,5,6,0\n");
    assert_true(mco_vrp_coordinates(p, 2, &model.max_length, &model.service_time));
    assert_string_equal(mco_vrp_customer_name(p, 1, number), "2");
    assert_matrix(p, (const int32_t[9]){0, 1, 2, 3, 0, 4, 5, 6, 0});
    // Without places the depot's row may be empty; its name is then 0 or "depot". Empty rows elsewhere are skipped.
    p = read_ok("capacity,2\nname,demand\n,\n,,\nA,1\n,\nB,1\n,,\ndistances,depot,A,B\n0,0,1,2\nA,3,0,4\n,,\nB,5,6,0\n");
    assert_matrix(p, (const int32_t[9]){0, 1, 2, 3, 0, 4, 5, 6, 0});
    p = read_ok("capacity\t2\ndemand\tname\n\t\n1\tA\n1\tB\ndistances\tdepot\tA\tB\n0\t0\t1\t2\nA\t3\t0\t4\nB\t5\t6\t0\n");
    assert_matrix(p, (const int32_t[9]){0, 1, 2, 3, 0, 4, 5, 6, 0});
    p = read_real("capacity;2\nname;demand\nD;\nA;1\nB;1\ndistances;D;A;B\nD;0;1,5;2\nA;3;0;4,25\nB;5;6;0\n");
    assert_int_equal(mco_vrp_distance(p, 1, 2), (int32_t)(4.25 * mco_vrp_scale(p)));
    mco_vrp_destroy(test_ctx, &p);
}

// Metres between Berlin, Munich and Hamburg: 504307.92 and 255273.31 by the angle between vectors, in another program.
static void test_geographic(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "capacity,2\nlatitude,longitude,demand\n52.52,13.405,\n48.1372,11.5755,1\n53.5507,9.993,1\n",
        "capacity,2\nlon,lat,demand\n13.405,52.52,\n11.5755,48.1372,1\n9.993,53.5507,1\n",
        "capacity,2\nx,y,demand\n13.405,52.52,\n11.5755,48.1372,1\n9.993,53.5507,1\n",
        HEAD(3) "EDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 13.405 52.52\n2 11.5755 48.1372\n3 9.993 53.5507\n" DEMANDS
            DEPOT,
        HEAD(3) "EDGE_WEIGHT_TYPE : GEO\nNODE_COORD_SECTION\n1 52.52 13.405\n2 48.1372 11.5755\n3 53.5507 9.993\n" DEMANDS DEPOT,
    };
    mco_vrp *p = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    for (int i = 0; i < COUNT_OF(texts); i++) {
        model.distance = i < 2 ? MCO_VRP_DISTANCES_ROUNDED : MCO_VRP_DISTANCES_GEO;
        assert_ok(read_with(texts[i], &model, &p));
        assert_int_equal(mco_vrp_distance_rule(p), MCO_VRP_DISTANCES_GEO);
        assert_true(mco_vrp_scale(p) == 1);
        assert_int_equal(mco_vrp_distance(p, 0, 1), 504308);
        assert_int_equal(mco_vrp_distance(p, 1, 0), 504308);
        assert_int_equal(mco_vrp_distance(p, 0, 2), 255273);
        write_and_read(p);
        mco_vrp_destroy(test_ctx, &p);
    }
    model.distance = MCO_VRP_DISTANCES_GEO;
    assert_fails(read_with(MATRIX("UPPER_ROW", "1 2 3"), &model, &p), MCO_ERR_ARGUMENT,
                 "a: --distance geo is for coordinates, the distances are a matrix");
    assert_fails(read_with(EUC(3) "NODE_COORD_SECTION\n1 0 0\n2 10 91\n3 1 1\n" DEMANDS DEPOT, &model, &p), MCO_ERR_LIMIT,
                 "a: the latitude of customer 1 is 91 and its longitude 10, allowed are -90 to 90 and -180 to 180; with "
                 "--distance geo x is the longitude, y the latitude");
    model.distance = MCO_VRP_DISTANCES_REAL;
    assert_fails(read_with(texts[0], &model, &p), MCO_ERR_ARGUMENT,
                 "file: the file has latitudes and longitudes, for which --distance is geo, not real");
}

// ---- Refusals

#define KEYWORDS_ARE                                                                                                       \
    ", supported are NAME, COMMENT, TYPE, DIMENSION, CAPACITY, DISTANCE, SERVICE_TIME, VEHICLES, EDGE_WEIGHT_TYPE, "       \
    "EDGE_WEIGHT_FORMAT, NODE_COORD_TYPE, DISPLAY_DATA_TYPE, NODE_COORD_SECTION, DEMAND_SECTION, DEPOT_SECTION, "          \
    "EDGE_WEIGHT_SECTION, SERVICE_TIME_SECTION, DISPLAY_DATA_SECTION and EOF"

typedef struct refusal {
    const char *text, *message;
} refusal;

static const refusal vrplib_refusals[] = {
    {"", "f:1:1: the file is empty"},
    {" \n# nothing\n", "f:3:1: the file is empty"},
    // Keywords and values
    {"3\n", "f:1:1: the keyword is \"3\"" KEYWORDS_ARE},
    {"NAME : a\n 7 7\n", "f:2:2: the keyword is \"7\"" KEYWORDS_ARE},
    // What is not supported
    {"2 4 50 4\n0 80\n",
     "f:1:1: the file begins with numbers alone; the formats of Cordeau (several depots, periods, time windows) and of Li and Lim (pickups and deliveries) are not supported, VRPLIB and CSV are"},
    {"C101\n\nVEHICLE\nNUMBER     CAPACITY\n  25         200\n",
     "f:3:1: this is a file of Solomon or of Gehring and Homberger: time windows are not supported"},
    {"VEHICLE\nNUMBER CAPACITY\n",
     "f:1:1: this is a file of Solomon or of Gehring and Homberger: time windows are not supported"},
    {"TYPE : PDPTW\n", "f:1:8: TYPE is \"PDPTW\": time windows are not supported"},
    {"TYPE : MDVRP\n", "f:1:8: TYPE is \"MDVRP\": several depots are not supported"},
    {"TYPE : HFVRP\n", "f:1:8: TYPE is \"HFVRP\": vehicles of several kinds are not supported"},
    {"TYPE : VRPB\n", "f:1:8: TYPE is \"VRPB\": backhauls are not supported"},
    {"TYPE : XYZ\n", "f:1:8: TYPE is \"XYZ\", supported are CVRP, ACVRP and DCVRP"},
    {EUC(3) "PICKUP_AND_DELIVERY_SECTION\n1 0 5\n",
     "f:6:1: the keyword is \"PICKUP_AND_DELIVERY_SECTION\": pickups and deliveries are not supported"},
    {EUC(3) "VEHICLES_DEPOT_SECTION\n1 1\n",
     "f:6:1: the keyword is \"VEHICLES_DEPOT_SECTION\": several depots are not supported"},
    {EUC(3) "TIME_WINDOW_SECTION\n1 0 5\n", "f:6:1: the keyword is \"TIME_WINDOW_SECTION\": time windows are not supported"},
    {"TYPE : TSP\n", "f:1:8: TYPE is TSP, a problem without demands and capacity; supported are CVRP, ACVRP and DCVRP"},
    {"TYPE : VRPTW\n", "f:1:8: TYPE is \"VRPTW\": time windows are not supported"},
    {"CAPACITY : 5\nCAPACITY : 6\n", "f:2:1: CAPACITY stands in line 1 and in line 2"},
    {"DEPOT_SECTION 1 -1\n", "f:1:15: \"1 -1\" stands behind DEPOT_SECTION, nothing was expected"},
    {"CAPACITY : 0\n", "f:1:12: CAPACITY is 0, allowed is 1 to 1073741824"},
    {"CAPACITY : -3\n", "f:1:12: CAPACITY is -3, allowed is 1 to 1073741824"},
    {"CAPACITY : 1073741825\n", "f:1:12: CAPACITY is 1073741825, allowed is 1 to 1073741824"},
    {"CAPACITY : 7.5\n", "f:1:12: CAPACITY is 7.5, an integer was expected"},
    {"CAPACITY :\n", "f:1:11: CAPACITY is \"\", a number was expected"},
    {"CAPACITY : many\n", "f:1:12: CAPACITY is \"many\", a number was expected"},
    {"DIMENSION : 0\n", "f:1:13: DIMENSION is 0, allowed is 1 to 10000001"},
    {"DIMENSION : 99999999999999999999\n", "f:1:13: DIMENSION is 99999999999999999999, allowed is 1 to 10000001"},
    {"DISTANCE : -1\n", "f:1:12: DISTANCE is -1, allowed is 0 to 1e+15"},
    {"DISTANCE : inf\n", "f:1:12: DISTANCE is \"inf\", a number was expected"},
    {"SERVICE_TIME : -1\n", "f:1:16: SERVICE_TIME is -1, allowed is 0 to 1e+15"},
    {"VEHICLES : -1\n", "f:1:12: VEHICLES is -1, allowed is 0 to 100000000"},
    {"EDGE_WEIGHT_TYPE : ATT\n", "f:1:20: EDGE_WEIGHT_TYPE is \"ATT\", supported are EUC_2D, CEIL_2D, GEO and EXPLICIT"},
    {"EDGE_WEIGHT_FORMAT : HALF\n",
     "f:1:22: EDGE_WEIGHT_FORMAT is \"HALF\", supported are FULL_MATRIX, UPPER_ROW, LOWER_ROW, UPPER_DIAG_ROW, "
     "LOWER_DIAG_ROW, UPPER_COL, LOWER_COL, UPPER_DIAG_COL and LOWER_DIAG_COL"},
    {"NODE_COORD_TYPE : THREED_COORDS\n",
     "f:1:19: NODE_COORD_TYPE is \"THREED_COORDS\", supported are TWOD_COORDS and NO_COORDS"},
    {THREE "NAME : b\n", "f:18:1: the file goes on after EOF"},
    // What is missing
    {"NAME : a\n", "f:2:1: the file ends without DIMENSION"},
    {"DIMENSION : 3\nEOF", "f:2:4: the file ends without EDGE_WEIGHT_TYPE"},
    {"DIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\n" PLACES DEMANDS DEPOT,
     "f:14:1: the file ends without CAPACITY, and --capacity is not given"},
    {EUC(3) DEMANDS DEPOT, "f:13:1: the file ends without NODE_COORD_SECTION"},
    {EUC(3) PLACES DEPOT, "f:13:1: the file ends without DEMAND_SECTION"},
    {EUC(3) PLACES DEMANDS, "f:14:1: the file ends without DEPOT_SECTION"},
    {HEAD(3) "EDGE_WEIGHT_TYPE : EXPLICIT\n" PLACES DEMANDS DEPOT, "f:17:1: the file ends without EDGE_WEIGHT_FORMAT"},
    {HEAD(3) "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : UPPER_ROW\n" PLACES DEMANDS DEPOT,
     "f:18:1: the file ends without EDGE_WEIGHT_SECTION"},
    {MATRIX("FUNCTION", "1 2 3"),
     "f:6:22: EDGE_WEIGHT_FORMAT is \"FUNCTION\", supported are FULL_MATRIX, UPPER_ROW, LOWER_ROW, UPPER_DIAG_ROW, "
     "LOWER_DIAG_ROW, UPPER_COL, LOWER_COL, UPPER_DIAG_COL and LOWER_DIAG_COL"},
    {EUC(3) "EDGE_WEIGHT_SECTION\n1 2 3\n" PLACES DEMANDS DEPOT,
     "f:6:1: EDGE_WEIGHT_SECTION with EDGE_WEIGHT_TYPE EUC_2D, EXPLICIT was expected"},
    // DIMENSION lies
    {EUC(4) PLACES DEMANDS DEPOT,
     "f:3:13: DIMENSION is 4, 4 rows are too many for the 19 bytes of NODE_COORD_SECTION in line 6"},
    {EUC(4) "NODE_COORD_SECTION\n1 0 0\n2 3 4\n3 -6 8\n\n\n\n\n\n\n" DEMANDS "   \n" DEPOT,
     "f:16:1: NODE_COORD_SECTION ends after 3 nodes, DIMENSION is 4"},
    {EUC(2) PLACES DEMANDS DEPOT, "f:9:1: node 3, but DIMENSION is 2"},
    {EUC(10000001) PLACES DEMANDS DEPOT,
     "f:3:13: DIMENSION is 10000001, 10000000 rows are too many for the 12 bytes of DEMAND_SECTION in line 10"},
    // Nodes
    {EUC(3) "NODE_COORD_SECTION\n1 0 0\n2 3 4\n2 -6 8\n" DEMANDS DEPOT, "f:9:1: node 2 stands in line 8 and in line 9"},
    {EUC(3) "NODE_COORD_SECTION\n1 0 0\n2 3\n3 -6 8\n" DEMANDS DEPOT,
     "f:8:1: the row holds 2 numbers, 3 were expected: node, x, y"},
    {EUC(3) "NODE_COORD_SECTION\n1 0 0\n2 3 4 5\n3 -6 8\n" DEMANDS DEPOT,
     "f:8:1: the row holds 4 numbers, 3 were expected: node, x, y"},
    {EUC(3) "NODE_COORD_SECTION\n1 0 0\n2 3 4,5\n3 -6 8\n" DEMANDS DEPOT,
     "f:8:5: the coordinate is \"4,5\", a number was expected"},
    {EUC(3) "NODE_COORD_SECTION\n1 0 0\n2 3 4e\n3 -6 8\n" DEMANDS DEPOT,
     "f:8:5: the coordinate is \"4e\", a number was expected"},
    {EUC(3) "NODE_COORD_SECTION\n1 0 0\n2 3 2e9\n3 -6 8\n" DEMANDS DEPOT,
     "f:8:5: the coordinate is 2e9, allowed is -1000000000 to 1000000000"},
    {EUC(3) "NODE_COORD_SECTION\n1 0 0\n2 3 nan\nnan 1 1\n" DEMANDS DEPOT,
     "f:9:1: the keyword is \"nan\"" KEYWORDS_ARE},
    {EUC(3) "NODE_COORD_SECTION\n1 0 0\n1.5 3 4\n3 -6 8\n" DEMANDS DEPOT,
     "f:8:1: the number of the node is 1.5, an integer was expected"},
    {EUC(3) "NODE_COORD_SECTION\n0 0 0\n1 3 4\n3 -6 8\n" DEMANDS DEPOT,
     "f:9:1: node 3 in NODE_COORD_SECTION, but there is a node 0: nodes are numbered 0 to 2 or 1 to 3"},
    {EUC(3) "NODE_COORD_SECTION\n0 0 0\n1 3 4\n2 -6 8\n" DEMANDS DEPOT,
     "f:13:1: node 3 in DEMAND_SECTION, but there is a node 0: nodes are numbered 0 to 2 or 1 to 3"},
    // Demands
    {EUC(3) PLACES "DEMAND_SECTION\n1 0\n3 7\n" DEPOT, "f:10:1: DEMAND_SECTION has no row for node 2, DIMENSION is 3"},
    {EUC(3) PLACES "DEMAND_SECTION\n1 0\n2 -5\n3 7\n" DEPOT, "f:12:3: the demand is -5, allowed is 0 to 1073741824"},
    {EUC(3) PLACES "DEMAND_SECTION\n1 0\n2 0.5\n3 7\n" DEPOT, "f:12:3: the demand is 0.5, an integer was expected"},
    {EUC(3) PLACES "DEMAND_SECTION\n1 0\n2\n3 7\n" DEPOT, "f:12:1: the row holds 1 numbers, 2 were expected: node, demand"},
    {EUC(3) PLACES "DEMAND_SECTION\n1 0\n2 5\n3 7\n4 8\n" DEPOT, "f:14:1: node 4, but DIMENSION is 3"},
    {EUC(3) PLACES "DEMAND_SECTION\n1 4\n2 5\n3 7\n" DEPOT,
     "f:11:1: node 1, the depot, has 4 in DEMAND_SECTION, 0 was expected"},
    {EUC(3) PLACES "DEMAND_SECTION\n1 0\n2 1073741824\n3 1\n" DEPOT,
     "a: the demands sum up to 1073741825, at most 1073741824 supported"},
    {EUC(3) PLACES DEMANDS "SERVICE_TIME_SECTION\n2 1\n3 -1\n" DEPOT,
     "f:16:3: the service time is -1, allowed is 0 to 1e+15"},
    {EUC(3) PLACES DEMANDS "SERVICE_TIME_SECTION\n2 1\n    \n" DEPOT,
     "f:14:1: SERVICE_TIME_SECTION has no row for node 3, DIMENSION is 3"},
    // The depot
    {EUC(3) PLACES DEMANDS "DEPOT_SECTION\n1\n2\n-1\n",
     "f:16:1: a second depot, node 2, the first is node 1: several depots are not supported"},
    {EUC(3) PLACES DEMANDS "DEPOT_SECTION\n-1\n", "f:16:1: DEPOT_SECTION ends without a depot"},
    {EUC(3) PLACES DEMANDS "DEPOT_SECTION\n4\n-1\n", "f:15:1: the number of the depot is 4, allowed is -1 to 3"},
    {EUC(3) PLACES DEMANDS "DEPOT_SECTION\n1 -1\n2\n", "f:16:1: DEPOT_SECTION goes on after -1"},
    {EUC(3) "NODE_COORD_SECTION\n0 0 0\n1 3 4\n2 -6 8\nDEMAND_SECTION\n0 0\n1 5\n2 7\nDEPOT_SECTION\n3\n-1\n",
     "f:15:1: the depot is node 3, but there is a node 0 and DIMENSION is 3"},
    // Matrices
    {MATRIX("FULL_MATRIX", "0 1 2 3 0 4 5 6"),
     "f:3:13: DIMENSION is 3, 9 numbers are too many for the 16 bytes of EDGE_WEIGHT_SECTION in line 7"},
    {MATRIX("FULL_MATRIX", "0 1 2 3 0 4 5 666"),
     "f:9:1: EDGE_WEIGHT_SECTION ends after 8 numbers, 9 were expected of a FULL_MATRIX as DIMENSION is 3"},
    {MATRIX("UPPER_ROW", "1 2\n3 4"), "f:9:3: EDGE_WEIGHT_SECTION goes on after 3 numbers of a UPPER_ROW, DIMENSION is 3"},
    {MATRIX("UPPER_ROW", "1 -2 3"), "f:8:3: the distance from node 1 to node 3 is -2, allowed is 0 to 16777216"},
    {MATRIX("UPPER_ROW", "1 2 16777217"),
     "f:8:5: the distance from node 2 to node 3 is 16777217, allowed is 0 to 16777216"},
    {MATRIX("UPPER_ROW", "1 2.5 3"),
     "f:8:3: the distance from node 1 to node 3 is 2.5, an integer was expected; --distance real keeps decimals"},
    {"CAPACITY : 1\nDIMENSION : 20002\nEDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : UPPER_ROW\nEDGE_WEIGHT_SECTION\n",
     "f:2:13: DIMENSION is 20002, with a matrix allowed is 1 to 20001"},
    // Limits
    {EUC(3) "NODE_COORD_SECTION\n1 0 0\n2 10000000 0\n3 -10000000 0\n" DEMANDS DEPOT,
     "a: distances up to 20000000, at most 16777216 supported"},
    {EUC(2) "DISTANCE : 1073741824\nSERVICE_TIME : 1073741823.4\nNODE_COORD_SECTION\n1 0 0\n2 1 0\n"
            "DEMAND_SECTION\n1 0\n2 5\n" DEPOT,
     "a: routes as long as 1073741824, less than 1073741824 supported"},
    {EUC(3) "SERVICE_TIME : 1073741824\n" PLACES DEMANDS DEPOT,
     "a: service times up to 1073741824, less than 1073741824 supported"},
};

static void test_vrplib_refusals(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT_OF(vrplib_refusals); i++) {
        mco_vrp *p = NULL;
        const char *message = vrplib_refusals[i].message;
        const mco_status st = read_with(vrplib_refusals[i].text, NULL, &p);
        assert_string_equal(mco_context_error(test_ctx), message);
        assert_int_equal(st, message[0] == 'a' ? MCO_ERR_LIMIT : MCO_ERR_PARSE);  // a: the instance, f: the file
        assert_null(p);
    }
}

#define PAIR "name,demand\nD,\nA,1\n"

static const refusal csv_refusals[] = {
    {"name,x,y\n", "f:1:1: the header has no column \"demand\""},
    {"x,y,demand,weight\n",
     "f:1:12: the column is \"weight\", supported are name, id, x, y, demand, service, latitude, longitude, lat and lon"},
    {"x,y,demand,ready_time\n", "f:1:12: the column is \"ready_time\": time windows are not supported"},
    {"lat,latitude,lon,demand\n0,0,0,0\n", "f:1:5: the columns \"latitude\" and \"lat\" are both latitudes"},
    {"lat,x,demand\n0,0,0\n", "f:1:1: the header has x or y, and latitude or longitude; one kind of place was expected"},
    {"lat,demand\n0,0\n", "f:1:1: the header has no column \"longitude\""},
    // Limits
    {"capacity,5\nvehicles,2\nCapacity,6\nx,y,demand\n", "f:3:1: capacity stands in line 1 and in line 3"},
    {"capacity,5,6\nx,y,demand\n", "f:1:12: the row has more than 2 cells"},
    {"capacity,-5\nx,y,demand\n0,0,\n", "f:1:10: the capacity is -5, allowed is 0 to 1073741824"},
    {"capacity,0\nx,y,demand\n0,0,\n", "f:1:10: the capacity is 0, more than 0 was expected"},
    {"capacity,\nx,y,demand\n0,0,\n", "f:1:10: the capacity is \"\", a number was expected"},
    {"vehicles,1.5\nx,y,demand\n0,0,\n", "f:1:10: the number of vehicles is 1.5, an integer was expected"},
    {"max-length,far\nx,y,demand\n0,0,\n", "f:1:12: the longest route is \"far\", a number was expected"},
    {"service-time,1\nx,y,demand,service\n0,0,,\n",
     "f:2:12: the column \"service\" and the row \"service-time\" in line 1; one of them was expected"},
    {"capacity,5\n", "f:2:1: the file is empty"},
    // Decimals
    {"x,y,demand\n0,0,\n1,2,0.0000001\n", "f:3:5: the demand is 0.0000001, at most 6 decimals are supported"},
    {"x,y,demand\n0,0,\n1,2,0.000001\n1,2,1074\n",
     "f:4:5: the demand is 1074, with 6 decimals in the file allowed is 0 to 1073"},
    {"x,y,demand\n0,0,\n1,2,1074\n1,2,0.5\n1,2,0.000001\n",
     "f:5:5: 0.000001 has 6 decimals, and the demand of customer 1 is 1074: with so many decimals allowed is 0 to 1073"},
    {"capacity,2000.000001\nx,y,demand\n0,0,\n",
     "f:1:10: the capacity is 2000.000001, with 6 decimals in the file allowed is 0 to 1073"},
    {"x,y,demand\n0,0,\n1,2,\"2,5\"\n", "f:3:6: the demand is \"2,5\", a number was expected"},
    // A matrix
    {"name,demand\ndistances,D\n", "f:2:1: the text ends where the row of the depot was expected"},
    {"x,y,demand,x\n", "f:1:12: the column \"x\" a second time, first at 1:1"},
    {"id,x,y,demand,name\n", "f:1:15: the columns \"name\" and \"id\" are both names"},
    {"x,y,demand\n", "f:2:1: the text ends where the row of the depot was expected"},
    {"x,y,demand\n0,0,0\n1,2\n", "f:3:1: the row has 2 cells, 3 were expected"},
    {"x,y,demand\n0,0,0\n1,2,3,4\n", "f:3:7: the row has more than 3 cells"},
    {"x,y,demand\n0,0,5\n", "f:2:5: the demand of the depot is 5, allowed is 0 to 0"},
    {"x,y,demand\n0,0,0\n1,2,\n", "f:3:5: the demand is \"\", a number was expected"},
    {"x,y,demand\n0,0,0\n1,,3\n", "f:3:3: the coordinate is \"\", a number was expected"},
    {"x,y,demand\n0,0,0\n1,2,-3\n", "f:3:5: the demand is -3, allowed is 0 to 1073741824"},
    {"x,y,demand,service\n0,0,0,1\n", "f:2:7: the service time of the depot is 1, allowed is 0 to 0"},
    {"name,x,y,demand\n,0,0,0\na,1,2,3\na,1,2,3\n", "f:4:1: the name \"a\" stands in line 3 and in line 4"},
    {"name,x,y,demand\n,0,0,0\n,1,2,3\n1,1,2,3\n",
     "f:4:1: the name \"1\" is the number of another row, which has no name and is called by it; give that row a name"},
    {PAIR "distances,D\n", "f:4:1: the matrix has 1 columns, the depot and 1 customers were expected"},
    {PAIR "distances,D,B\n", "f:4:13: the node is \"B\", a name of the instance was expected"},
    {PAIR "distances,D,D\n", "f:4:13: the node \"D\" has two columns"},
    {PAIR "distances,D,A\nD,0,1\n", "f:6:1: the matrix ends after 1 rows, the depot and 1 customers were expected"},
    {PAIR "distances,D,A\nD,0,1\nD,1,0\n", "f:6:1: the node \"D\" has two rows"},
    {PAIR "distances,D,A\nD,0\n", "f:5:1: the row has 1 distances, 2 were expected"},
    {PAIR "distances,D,A\nD,0,1,1\n", "f:5:7: the row has more than 2 distances"},
    {PAIR "distances,D,A\nD,0,-1\n", "f:5:5: the distance is -1, allowed is 0 to 16777216"},
    {PAIR "distances,D,A\nD,0,1.5\n",
     "f:5:5: the distance is 1.5, an integer was expected; --distance real keeps decimals"},
};

static void test_csv_refusals(void **state)
{
    (void)state;
    mco_vrp *p = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    assert_fails(read_with("x,y,demand\n0,0,0\n", NULL, &p), MCO_ERR_PARSE,
                 "f:2:1: CSV holds no row \"capacity,Q\", and --capacity is not given");
    model.capacity = 5;
    for (int i = 0; i < COUNT_OF(csv_refusals); i++) {
        assert_fails(read_with(csv_refusals[i].text, &model, &p), MCO_ERR_PARSE, csv_refusals[i].message);
        assert_null(p);
    }
}

// A file that is cut anywhere is refused, unless only its end mark is missing.
static void test_cut(void **state)
{
    (void)state;
    const size_t size = sizeof THREE - 1, whole = size - sizeof "\n-1\nEOF\n" + 1;
    for (size_t cut = 0; cut < size; cut++) {
        mco_text text;
        mco_vrp *p = NULL;
        assert_ok(mco_text_from_memory(test_ctx, "f", THREE, cut, &text));
        const mco_status st = vrp_read_text(test_ctx, &text, NULL, "file", &p);
        assert_true(st == MCO_OK ? cut >= whole : st == MCO_ERR_PARSE);
        mco_text_close(&text);
        mco_vrp_destroy(test_ctx, &p);
    }
}

// ---- Writing

#define AWKWARD                                                                                                            \
    EUC(3) "DISTANCE : 27.7\nSERVICE_TIME : 1.25\nVEHICLES : 3\nNODE_COORD_SECTION\n1 -0.1 1e-300\n2 1e-7 12.345678\n"     \
           "3 -9.999999999999998 0.30000000000000004\n" DEMANDS DEPOT

static void test_round_trips(void **state)
{
    (void)state;
    static const char *const texts[] = {
        THREE,
        AWKWARD,
        MATRIX("FULL_MATRIX", "9 1 2\n3 9 4 5 6\n 9"),
        MATRIX("UPPER_ROW", "1 2 3") "SERVICE_TIME_SECTION\n2 4\n3 5\nDISPLAY_DATA_SECTION\n1 0.5 0\n2 0 0\n3 7 7\n",
        HEAD(3) "EDGE_WEIGHT_TYPE : GEO\nDISTANCE : 1500\n" PLACES DEMANDS DEPOT,
        HEAD(3) "EDGE_WEIGHT_TYPE : CEIL_2D\n" PLACES DEMANDS DEPOT,
        EUC(1) "NODE_COORD_SECTION\n1 5 5\nDEMAND_SECTION\n1 0\n" DEPOT,
    };
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_vrp *p = read_ok(texts[i]);
        write_and_read(p);
        mco_vrp_destroy(test_ctx, &p);
        p = read_real(texts[i]);
        write_and_read(p);
        mco_vrp_destroy(test_ctx, &p);
    }
    mco_vrp *p = read_real(AWKWARD);
    assert_ok(mco_vrp_write(test_ctx, p, test_path("w.vrp")));
    assert_content(test_path("w.vrp"),
                   "NAME : a\nTYPE : CVRP\nDIMENSION : 3\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\nDISTANCE : 27.7\n"
                   "VEHICLES : 3\nSERVICE_TIME : 1.25\nNODE_COORD_SECTION\n1 -0.1 1e-300\n2 1e-07 12.345678\n"
                   "3 -9.999999999999998 0.30000000000000004\nDEMAND_SECTION\n1 0\n2 5\n3 7\nDEPOT_SECTION\n1\n-1\nEOF\n");
    assert_fails(mco_vrp_write(test_ctx, p, "no-such-folder/f"), MCO_ERR_IO,
                 "cannot write no-such-folder/f: No such file or directory");
    mco_vrp_destroy(test_ctx, &p);
    assert_fails(mco_vrp_read(test_ctx, "no-such-file", NULL, &p), MCO_ERR_IO,
                 "cannot read no-such-file: No such file or directory");
    assert_fails(mco_vrp_read(test_ctx, NULL, NULL, &p), MCO_ERR_ARGUMENT, "a pointer is NULL");
}

static void test_locale(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "nl_NL.UTF-8"};
    bool is_set = false;
    for (int i = 0; i < COUNT_OF(locales) && !is_set; i++)
        is_set = setlocale(LC_NUMERIC, locales[i]) != NULL;
    if (!is_set)
        skip();
    mco_vrp *p = read_real(AWKWARD);
    write_and_read(p);
    setlocale(LC_NUMERIC, "C");
    write_and_read(p);
    mco_vrp_destroy(test_ctx, &p);
}

static void test_memory_failures(void **state)
{
    (void)state;
    static const char *const texts[] = {
        EUC(3) "SERVICE_TIME : 2\n" PLACES DEMANDS DEPOT,
        HEAD(3) "EDGE_WEIGHT_TYPE : EXPLICIT\nEDGE_WEIGHT_FORMAT : FULL_MATRIX\nEDGE_WEIGHT_SECTION\n0 4 3\n6 0 5\n1 2 0\n"
                "DEMAND_SECTION\n1 2\n2 3\n3 0\nDEPOT_SECTION\n3\nSERVICE_TIME_SECTION\n1 1\n2 1\n",
        HEAD(3) "EDGE_WEIGHT_TYPE : GEO\n" PLACES DEMANDS DEPOT,
        "name,x,y,demand,service\nd,0,0,0,0\nA,3,4,5,1\n",
        "name,lat,lon,demand\nd,0,0,0\nA,3,4,0.5\n",
        "service-time,2\nname,demand\nd,\n\"A \"\"a\"\"\",5\ndistances,d,\"A \"\"a\"\"\"\nd,0,1\n\"A \"\"a\"\"\",1,0\n",
    };
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = 10;
    for (int i = 0; i < COUNT_OF(texts); i++) {
        mco_text text;
        long k = 0;
        mco_status st = MCO_ERR_MEMORY;
        while (st == MCO_ERR_MEMORY) {
            mco_vrp *p = NULL;
            assert_ok(mco_text_from_memory(test_ctx, "f", texts[i], strlen(texts[i]), &text));
            test_fail_allocation(++k);
            st = vrp_read_text(test_ctx, &text, &model, "file", &p);
            test_fail_allocation(0);
            assert_int_equal(p != NULL, st == MCO_OK);
            mco_vrp_destroy(test_ctx, &p);
            mco_text_close(&text);
        }
        assert_ok(st);
        assert_true(k > 5);
    }
}

// ---- Public instances

// The value of one column in a line of bks.csv.
static const char *column_of(char *line, int column, char *out, size_t size)
{
    const char *at = line;
    while (column-- > 0 && at != NULL)
        at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL;
    snprintf(out, size, "%.*s", at != NULL ? (int)strcspn(at, ",\n") : 0, at != NULL ? at : "");
    return out;
}

static bool check_public(const char *folder, char *line)
{
    enum { ROOM = 256 };
    char set[ROOM], name[ROOM], number[ROOM], rule[ROOM], path[1024];
    mco_vrp *p = NULL;
    mco_vrp_solution s = {0};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    int64_t cost;
    double stated;
    column_of(line, 0, set, sizeof set);
    column_of(line, 1, name, sizeof name);
    if (strcmp(column_of(line, 9, rule, sizeof rule), "real") == 0)
        model.distance = MCO_VRP_DISTANCES_REAL;
    snprintf(path, sizeof path, "%s/cvrp/%s/%s.vrp", folder, set, name);
    assert_ok(mco_vrp_read(test_ctx, path, &model, &p));
    const char *size = strchr(name, '-'), *own_size = strchr(mco_vrp_name(p), '-');  // XL-n1281-k29 calls itself X-n1281-k29
    assert_string_equal(own_size != NULL ? own_size : mco_vrp_name(p), size != NULL ? size : name);
    assert_int_equal(mco_vrp_customers(p), atoi(column_of(line, 2, number, sizeof number)));
    assert_int_equal(mco_vrp_capacity(p), atoi(column_of(line, 3, number, sizeof number)));
    assert_ok(vrp_refuse_unservable(test_ctx, p, (double)INFINITY));
    const bool has_solution = column_of(line, 6, number, sizeof number)[0] != '\0';
    if (has_solution) {
        snprintf(path, sizeof path, "%s/cvrp/%s/%s.sol", folder, set, name);
        assert_ok(mco_vrp_read_solution(test_ctx, p, path, &s, &stated));
        assert_ok(mco_vrp_check(test_ctx, p, &s, &cost));
        assert_int_equal(s.routes, atoi(number));
        const double expected = strtod(column_of(line, 7, number, sizeof number), NULL);
        assert_true(fabs((double)cost / mco_vrp_scale(p) - expected) < (model.distance == MCO_VRP_DISTANCES_REAL ? 0.01 : 0.5));
        // Some files give their cost with six digits.
        assert_true(fabs(stated - expected) <= 1e-5 * expected);
        mco_vrp_solution_clear(test_ctx, &s);
    }
    mco_vrp_destroy(test_ctx, &p);
    return has_solution;
}

static void test_public(void **state)
{
    (void)state;
    const char *folder = getenv("MCO_DATA");
    char path[1024], line[1024];
    int instances = 0, solutions = 0;
    if (folder == NULL)
        skip();
    snprintf(path, sizeof path, "%s/cvrp/bks.csv", folder);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        skip();
    assert_non_null(fgets(line, sizeof line, file));
    for (; fgets(line, sizeof line, file) != NULL; instances++)
        solutions += check_public(folder, line);
    fclose(file);
    assert_true(instances > 0);  // the folder may grow
    assert_true(solutions > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_vrplib),          TEST(test_layouts),      TEST(test_limits_of_file), TEST(test_sizes),
        TEST(test_rules),           TEST(test_matrices),     TEST(test_real_matrix),    TEST(test_csv),
        TEST(test_vrplib_refusals), TEST(test_csv_refusals), TEST(test_cut),            TEST(test_round_trips),
        TEST(test_locale),          TEST(test_memory_failures), TEST(test_public),       TEST(test_csv_limits),
        TEST(test_geographic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
