// SPDX-License-Identifier: MIT
// The model of traffic assignment: what networks refuse, TNTP as it is found in the wild, costs against numerical integrals and
// derivatives, reachability and turns against brute force, the published counts of the public collections (MCO_DATA).
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "mco/traffic.h"
#include "traffic/model/problem.h"

// ---- Networks

enum { MOST = 400 };

typedef struct sketch {
    int32_t tail[MOST], head[MOST];
    double capacity[MOST], length[MOST], free_time[MOST], b[MOST], power[MOST], toll[MOST];
    mco_traffic_turn turn[MOST];
    int64_t first[MOST + 1];
    int32_t to[MOST * 8];
    double amount[MOST * 8];
    mco_traffic_network net;
    mco_traffic_class trips;
} sketch;

static sketch *begin(int32_t nodes, int32_t zones)
{
    static sketch s;
    memset(&s, 0, sizeof s);
    s.net = (mco_traffic_network){.nodes = nodes, .zones = zones, .tail = s.tail, .head = s.head, .capacity = s.capacity,
                                  .length = s.length, .free_time = s.free_time, .b = s.b, .power = s.power, .toll = s.toll, .turns = s.turn};
    s.trips = (mco_traffic_class){.first = s.first, .to = s.to, .amount = s.amount, .toll_factor = -1, .distance_factor = -1,
                                  .car_equivalent = 1, .stated_total = NAN, .stated_toll_factor = NAN, .stated_distance_factor = NAN};
    return &s;
}

static int32_t add_link(sketch *s, int32_t tail, int32_t head, double time)
{
    const int32_t a = s->net.links++;
    s->tail[a] = tail;
    s->head[a] = head;
    s->capacity[a] = 10;
    s->free_time[a] = time;
    s->b[a] = 0.15;
    s->power[a] = 4;
    s->length[a] = 2;
    return a;
}

static void add_trips(sketch *s, int32_t from, int32_t to, double amount)
{
    const int64_t at = s->first[s->net.zones];
    s->to[at] = to;
    s->amount[at] = amount;
    for (int32_t z = from; z < s->net.zones; z++)
        s->first[z + 1]++;
}

static mco_status make(const sketch *s, mco_traffic **out)
{
    return mco_traffic_create(test_ctx, "sketch", &s->net, 1, &s->trips, out);
}

static void refuses(const sketch *s, mco_status status, const char *message)
{
    mco_traffic *traffic = NULL;
    assert_fails(make(s, &traffic), status, message);
    assert_null(traffic);
}

static sketch *pair_of_links(void)
{
    sketch *s = begin(3, 2);
    add_link(s, 0, 2, 1);
    add_link(s, 2, 1, 1);
    add_trips(s, 0, 1, 5);
    return s;
}

static void networks_refuse(void **state)
{
    (void)state;
    sketch *s = pair_of_links();
    s->capacity[1] = 0;
    refuses(s, MCO_ERR_ARGUMENT, "sketch: link 2: the capacity is 0, a number above 0 was expected");
    s = pair_of_links();
    s->capacity[0] = NAN;
    refuses(s, MCO_ERR_ARGUMENT, "sketch: link 1: the capacity is nan, a number above 0 was expected");
    s = pair_of_links();
    s->head[1] = 3;
    refuses(s, MCO_ERR_ARGUMENT, "sketch: link 2 goes from node 3 to node 4, there are nodes 1 to 3");
    s = pair_of_links();
    s->free_time[0] = -1;
    refuses(s, MCO_ERR_ARGUMENT, "sketch: link 1: the free-flow time is -1, a number of 0 or more was expected");
    s = pair_of_links();
    s->net.zones = 4;
    refuses(s, MCO_ERR_ARGUMENT, "the network: 4 zones, but 3 nodes: zones are the first nodes");
    s = pair_of_links();
    s->net.nodes = MCO_TRAFFIC_MAX_NODES + 1;
    refuses(s, MCO_ERR_LIMIT, "the network: 50000001 nodes, at most 50000000 supported");
    s = pair_of_links();
    s->amount[0] = -2;
    refuses(s, MCO_ERR_ARGUMENT, "sketch: -2 trips from zone 1 to zone 2, a number above 0 was expected");
    s = pair_of_links();
    s->to[0] = 2;
    refuses(s, MCO_ERR_ARGUMENT, "sketch: trips from zone 1 to zone 3, there are zones 1 to 2");
    s = pair_of_links();
    s->trips.car_equivalent = 0;
    refuses(s, MCO_ERR_ARGUMENT, "sketch: class 1: the car equivalent is 0, a number above 0 was expected");
    s = pair_of_links();
    s->turn[0] = (mco_traffic_turn){1, 0, 1};
    s->net.turn_count = 1;
    refuses(s, MCO_ERR_ARGUMENT, "sketch: turn 1: link 2 ends at node 2, link 1 begins at node 1");
    s = pair_of_links();
    s->turn[0] = (mco_traffic_turn){0, 1, -1};
    s->net.turn_count = 1;
    refuses(s, MCO_ERR_ARGUMENT, "sketch: turn 1: its cost is -1, a number of 0 or more was expected");
}

static void missing_arrays_are_zeros(void **state)
{
    (void)state;
    mco_traffic *traffic = NULL;
    sketch *s = pair_of_links();
    s->net.length = s->net.toll = NULL;
    assert_ok(make(s, &traffic));
    const mco_traffic_network net = mco_traffic_view(traffic);
    assert_true(net.length[1] == 0 && net.toll[0] == 0 && net.speed[0] == 0 && net.type[1] == 0 && net.free_time[1] == 1);
    assert_string_equal(mco_traffic_class_at(traffic, 0)->name, "trips");
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- TNTP

static char logged[4096];

static void keep_log(mco_log_level level, const char *line, void *user)
{
    (void)level;
    (void)user;
    strncat(logged, line, sizeof logged - strlen(logged) - 2);
    strcat(logged, "\n");
}

// Reads files whose warnings are kept.
static mco_status read_files(const char *network, const char *trips, mco_traffic **out)
{
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    mco_context *ctx = NULL;
    params.allocate = test_allocate;
    params.release = test_release;
    params.log = keep_log;
    params.log_level = MCO_LOG_WARNING;
    logged[0] = '\0';
    assert_int_equal(mco_context_create(&ctx, &params), MCO_OK);
    const mco_traffic_files files = {.network = test_file("net.tntp", network), .trips = trips != NULL ? test_file("trips.tntp", trips) : NULL};
    mco_status st = mco_traffic_read(ctx, &files, out);
    mco_fail(test_ctx, st, "%s", mco_context_error(ctx));
    mco_context_destroy(&ctx);
    return st;
}

#define HEAD "<NUMBER OF ZONES> 2\t\t\n<NUMBER OF NODES>3\n<FIRST THRU NODE> 3\r\n<NUMBER OF LINKS> 3\n<END OF METADATA>\t\n\n~ tail head\t;\n"

static void wild_files_are_read(void **state)
{
    (void)state;
    static const char network[] = HEAD
        "\t1\t3\t10.5\t2\t1e1\t0.15\t4\t25\t0\t1\t;\r\n"
        " 3 2 99999.0000000000 0 0.21999999999999997 0 0 0 1.5 2\n"       // no semicolon
        "~ a comment\n\t3\t2\t7\t1\t2\t0.1\t1.5;  3 1 1 1 1 0 1 ; ~ another\n";  // parallel; two links on a line
    static const char trips[] =
        "<NUMBER OF ZONES> 2\n<TOTAL OD FLOW> 100.0\n<TOLL FACTOR> 0.5\n<DISTANCE FACTOR>0.25\n<END OF METADATA>\n~x\n\n"
        "Origin \t1 \n 1 : 2.5; 2\t:\t 4;\r\n2:1;\norigin 2\n 1 : 0 ;";
    mco_traffic *traffic = NULL;
    assert_ok(read_files(network, trips, &traffic));
    const mco_traffic_network net = mco_traffic_view(traffic);
    const mco_traffic_class *c = mco_traffic_class_at(traffic, 0);
    assert_int_equal(net.links, 4);
    assert_int_equal(net.first_through, 2);
    assert_true(net.tail[0] == 0 && net.head[0] == 2 && net.tail[3] == 2 && net.head[3] == 0);
    assert_true(net.capacity[0] == 10.5 && net.free_time[0] == 10 && net.capacity[1] == 99999 && net.free_time[1] == 0.21999999999999997);
    assert_true(net.toll[1] == 1.5 && net.type[1] == 2 && net.power[2] == 1.5 && net.type[0] == 1 && net.speed[0] == 25);
    assert_true(c->first[1] == 2 && c->first[2] == 2 && c->to[0] == 0 && c->amount[0] == 2.5 && c->to[1] == 1 && c->amount[1] == 5);
    assert_true(c->stated_total == 100 && c->stated_toll_factor == 0.5 && c->stated_distance_factor == 0.25);
    assert_non_null(strstr(logged, "net.tntp: 3 links are stated, 4 are there\n"));
    assert_non_null(strstr(logged, "1 link leads from a node to one that an earlier link joins it to, the first from 3 to 2; all are kept"));
    assert_non_null(strstr(logged, "trips.tntp: 100 trips are stated, 7.5 are there, 2.5 of them within a zone"));
    mco_traffic_destroy(test_ctx, &traffic);
}

static void bad_files_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *network, *trips, *message;
        mco_status status;
    } cases[] = {
        {HEAD "1 3 0 1 1 0 4 ;", NULL, "net.tntp:8:5: \"0\" stands where a capacity above 0 was expected", MCO_ERR_PARSE},
        {HEAD "1 3 -4 1 1 0 4 ;", NULL, "net.tntp:8:5: the capacity is -4, allowed is 0 to 1e+30", MCO_ERR_PARSE},
        {HEAD "1 3 nan 1 1 0 4 ;", NULL, "net.tntp:8:5: the capacity is \"nan\", a number was expected", MCO_ERR_PARSE},
        {HEAD "1 3 4 1 1 ;", NULL, "net.tntp:8:11: \";\" stands where b was expected", MCO_ERR_PARSE},
        {HEAD "1 3 4 1\n", NULL, "net.tntp:8:8: the line ends where the free-flow time was expected", MCO_ERR_PARSE},
        {HEAD "1 0 4 1 1 0 4 ;", NULL, "net.tntp:8:3: the head is 0, allowed is 1 to 2147483647", MCO_ERR_PARSE},
        {"<NUMBER OF ZONES> 1000000000\n<NUMBER OF NODES> 1000000000\n<END OF METADATA>\n", NULL,
         "net.tntp: 1000000000 zones, at most 50000000 supported", MCO_ERR_LIMIT},
        {"<NUMBER OF ZONES> 5\n<NUMBER OF NODES> 4\n<END OF METADATA>\n", NULL, "net.tntp:1:19: 5 zones, but 4 nodes", MCO_ERR_PARSE},
        {"<NUMBER OF ZONES> 2\n1 2 3\n", NULL, "net.tntp:2:1: \"1 2 3\" stands before <END OF METADATA>", MCO_ERR_PARSE},
        {HEAD, "<TOTAL OD FLOW> 3\n<END OF METADATA>\nOrigin 1\n 3 : 4;", "trips.tntp:4:2: the destination is 3, allowed is 1 to 2", MCO_ERR_PARSE},
        {HEAD, "<END OF METADATA>\n 2 : 4;", "trips.tntp:2:2: \"2\" stands where \"Origin\" was expected", MCO_ERR_PARSE},
        {HEAD, "<END OF METADATA>\nOrigin 1\n 2 : -4;", "trips.tntp:3:6: the number of trips is -4, allowed is 0 to 1e+30", MCO_ERR_PARSE},
        {HEAD, "<NUMBER OF ZONES> 1000000000\n<END OF METADATA>\n", "trips.tntp: 1000000000 zones, at most 50000000 supported", MCO_ERR_LIMIT},
    };
    for (int k = 0; k < COUNT_OF(cases); k++) {
        mco_traffic *traffic = NULL;
        assert_int_equal(read_files(cases[k].network, cases[k].trips, &traffic), cases[k].status);
        const char *seen = strstr(mco_context_error(test_ctx), cases[k].trips != NULL ? "trips.tntp" : "net.tntp");
        assert_non_null(seen);
        assert_string_equal(seen, cases[k].message);
        assert_null(traffic);
    }
}

static void holes_keep_their_numbers(void **state)
{
    (void)state;
    mco_traffic *traffic = NULL;
    char buffer[16];
    assert_ok(read_files("<NUMBER OF ZONES> 2\n<NUMBER OF NODES> 4\n<FIRST THRU NODE> 50\n<END OF METADATA>\n"
                         "1 100 5 1 1 0 1;\n100 70 5 1 1 0 1;\n70 2 5 1 1 0 1;\n",
                         "<END OF METADATA>\nOrigin 1\n2 : 3;\n", &traffic));
    const mco_traffic_network net = mco_traffic_view(traffic);
    assert_true(net.nodes == 4 && net.first_through == 2 && net.head[0] == 3 && net.head[1] == 2 && net.head[2] == 1);
    assert_string_equal(mco_traffic_node_name(traffic, 2, buffer), "70");
    assert_string_equal(mco_traffic_node_name(traffic, 3, buffer), "100");
    assert_true(mco_traffic_class_at(traffic, 0)->to[0] == 1);
    assert_non_null(strstr(logged, "node numbers reach 100, 4 nodes are stated"));
    mco_traffic_destroy(test_ctx, &traffic);
}

// Every number has the value that strtod gives.
static void numbers_are_exact(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    char text[1 << 16];
    double value[200];
    for (int round = 0; round < 20; round++) {
        int used = snprintf(text, sizeof text, "<NUMBER OF ZONES> 1\n<NUMBER OF NODES> 2\n<END OF METADATA>\n");
        for (int k = 0; k < COUNT_OF(value); k++) {
            char number[64];
            const uint64_t bits = mco_rng_next(&rng) >> (mco_rng_next(&rng) % 60);
            const int decimals = (int)(mco_rng_next(&rng) % 20);
            snprintf(number, sizeof number, k % 3 == 0 ? "%.0f.%0*u" : k % 3 == 1 ? "%.0f.%0*u000000" : "%.0fe-%0*u", (double)(bits % 100000000u),
                     k % 3 == 2 ? 1 : decimals + 1, k % 3 == 2 ? (unsigned)decimals : (unsigned)(bits >> 20));
            value[k] = strtod(number, NULL);
            used += snprintf(text + used, sizeof text - (size_t)used, "1 2 1 %s 1 0 1;\n", number);
        }
        mco_traffic *traffic = NULL;
        assert_ok(read_files(text, NULL, &traffic));
        const mco_traffic_network net = mco_traffic_view(traffic);
        assert_int_equal(net.links, COUNT_OF(value));
        for (int k = 0; k < COUNT_OF(value); k++)
            assert_true(net.length[k] == value[k]);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// ---- Costs

// Integral by Simpson's rule, the derivative by differences.
static void costs_agree_with_calculus(void **state)
{
    (void)state;
    static const mco_traffic_cost kinds[] = {MCO_TRAFFIC_COST_BPR, MCO_TRAFFIC_COST_BPR, MCO_TRAFFIC_COST_CONICAL, MCO_TRAFFIC_COST_AKCELIK};
    for (int k = 0; k < COUNT_OF(kinds); k++)
        for (int so = 0; so < 2; so++) {
            enum { PARTS = 4000 };
            mco_traffic *traffic = NULL;
            traffic_problem p = {0};
            mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
            sketch *s = pair_of_links();
            s->power[0] = k == 0 ? 4 : 2.5;
            s->power[1] = k == 2 ? 6 : k == 0 ? 4 : 1.5;
            s->b[1] = k == 3 ? 300 : 0.15;  // Akcelik: 8 b / (c T) above 4
            params.cost = kinds[k];
            params.objective = so == 1 ? MCO_TRAFFIC_SO : MCO_TRAFFIC_UE;
            params.distance_factor = 0.5;
            assert_ok(make(s, &traffic));
            assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
            assert_int_equal(p.costs.shape, k == 0 ? TRAFFIC_QUARTIC : k == 1 ? TRAFFIC_POWER : k == 2 ? TRAFFIC_CONICAL : TRAFFIC_AKCELIK);
            for (int32_t e = 0; e < p.links; e++)
                for (double v = 1; v < 40; v *= 1.9) {
                    double sum = traffic_cost(&p.costs, e, 0) + traffic_cost(&p.costs, e, v), h = v / PARTS, d = 1e-5;
                    for (int i = 1; i < PARTS; i++)
                        sum += (i % 2 == 1 ? 4 : 2) * traffic_cost(&p.costs, e, h * i);
                    const double slope = (traffic_cost(&p.costs, e, v + d) - traffic_cost(&p.costs, e, v - d)) / (2 * d);
                    assert_true(fabs(traffic_integral(&p.costs, e, v) / (sum * h / 3) - 1) < 1e-8);
                    assert_true(fabs(traffic_slope(&p.costs, e, v) - slope) <= 1e-6 * (1 + fabs(slope)));
                    assert_true(fabs(traffic_cost(&p.costs, e, 0) - 2) < 1e-12);  // 1 + 0.5 * length 2
                }
            traffic_problem_clear(test_ctx, &p);
            mco_traffic_destroy(test_ctx, &traffic);
        }
}

static void factors_have_an_order(void **state)
{
    (void)state;
    mco_traffic *traffic = NULL;
    traffic_problem p = {0};
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    sketch *s = pair_of_links();
    s->toll[0] = 4;
    s->trips.stated_toll_factor = 0.5;
    assert_ok(make(s, &traffic));
    for (int k = 0; k < 2; k++) {
        params.toll_factor = k == 0 ? -1 : 0.25;
        assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
        assert_true(p.costs.base[0] == 1 + (k == 0 ? 2 : 1) && p.extra == NULL);
        traffic_problem_clear(test_ctx, &p);
    }
    mco_traffic_destroy(test_ctx, &traffic);
    // Two classes that differ; a lorry is two cars.
    mco_traffic_class classes[2] = {s->trips, s->trips};
    classes[1].toll_factor = 3;
    classes[1].value_of_time = 2;
    classes[1].car_equivalent = 2;
    params = (mco_traffic_params)MCO_TRAFFIC_PARAMS_INIT;
    params.demand_factor = 3;
    assert_ok(mco_traffic_create(test_ctx, "two", &s->net, 2, classes, &traffic));
    assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
    assert_true(p.rows == 2 && p.costs.base[0] == 1 && p.extra[0] == 2 && p.extra[2] == 14 && p.extra[1] == 0);
    assert_true(p.amount[0] == 15 && p.amount[1] == 30 && p.demand == 45 && p.assigned == 30);
    traffic_problem_clear(test_ctx, &p);
    mco_traffic_destroy(test_ctx, &traffic);
    s->toll[0] = -4;
    assert_ok(make(s, &traffic));
    assert_fails(traffic_problem_make(test_ctx, traffic, &params, &p), MCO_ERR_ARGUMENT,
                 "link 1 costs -1 without any flow, a number of 0 or more was expected");
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Paths by brute force

static sketch *random_network(mco_rng *rng, bool has_turns)
{
    const int32_t nodes = 2 + (int32_t)(mco_rng_next(rng) % 12), zones = 1 + (int32_t)(mco_rng_next(rng) % (uint64_t)nodes);
    sketch *s = begin(nodes, zones);
    const int32_t links = (int32_t)(mco_rng_next(rng) % (uint64_t)(3 * nodes));
    s->net.first_through = (int32_t)(mco_rng_next(rng) % (uint64_t)(zones + 1));
    for (int32_t a = 0; a < links; a++)
        add_link(s, (int32_t)(mco_rng_next(rng) % (uint64_t)nodes), (int32_t)(mco_rng_next(rng) % (uint64_t)nodes), (double)(mco_rng_next(rng) % 5));
    for (int32_t o = 0; o < zones; o++)
        for (int32_t d = 0; d < zones; d++)
            if (mco_rng_next(rng) % 2 == 0)
                add_trips(s, o, d, 1 + (double)(mco_rng_next(rng) % 3));
    for (int32_t a = 0; a < links && has_turns; a++)
        for (int32_t b = 0; b < links; b++)
            if (s->head[a] == s->tail[b] && mco_rng_next(rng) % 3 == 0 && s->net.turn_count < MOST)
                s->turn[s->net.turn_count++] = (mco_traffic_turn){a, b, mco_rng_next(rng) % 2 == 0 ? INFINITY : (double)(mco_rng_next(rng) % 4)};
    return s;
}

static double turn_cost(const sketch *s, int32_t a, int32_t b)
{
    for (int64_t k = 0; k < s->net.turn_count; k++)
        if (s->turn[k].from == a && s->turn[k].to == b)
            return s->turn[k].cost;
    return 0;
}

// Least costs from an origin over sequences of links (Bellman, Ford). label [links]: up to the end of each link.
static void brute_force(const sketch *s, int32_t origin, double *label)
{
    const int32_t links = s->net.links;
    for (int32_t a = 0; a < links; a++)
        label[a] = s->tail[a] == origin ? s->free_time[a] : INFINITY;
    for (int32_t round = 0; round < links; round++)
        for (int32_t a = 0; a < links; a++)
            for (int32_t b = 0; b < links; b++)
                if (s->head[a] == s->tail[b] && s->head[a] >= s->net.first_through)
                    label[b] = fmin(label[b], label[a] + turn_cost(s, a, b) + s->free_time[b]);
}

static void check_star(const traffic_problem *p)
{
    for (int32_t v = 0; v < p->nodes; v++) {
        for (int32_t e = p->first[v]; e < p->first[v + 1]; e++)
            assert_int_equal(p->tail[e], v);
        for (int32_t i = p->into_first[v]; i < p->into_first[v + 1]; i++)
            assert_true(p->head[p->into[i]] == v && (i == p->into_first[v] || p->into[i] > p->into[i - 1]));
    }
    assert_true(p->first[p->nodes] == p->links && p->into_first[p->nodes] == p->links);
    for (int32_t a = 0; a < mco_traffic_view(p->traffic).links; a++)
        assert_int_equal(p->origin_link[p->link_at[a]], a);
}

static void paths_agree_with_brute_force(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 11, 0);
    for (int round = 0; round < 600; round++) {
        const bool has_turns = round % 2 == 1;
        sketch *s = random_network(&rng, has_turns);
        mco_traffic *traffic = NULL;
        traffic_problem p = {0};
        mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
        double label[MOST], flow[MOST] = {0}, *matrix = test_calloc((size_t)(s->net.zones * s->net.zones), sizeof *matrix);
        double dropped = 0, assigned = 0, intrazonal = 0;
        assert_ok(make(s, &traffic));
        assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
        check_star(&p);
        params.threads = 1;
        assert_ok(mco_traffic_find_skim(test_ctx, traffic, &params, 0, flow, MCO_TRAFFIC_SKIM_COST, matrix));
        for (int32_t o = 0; o < s->net.zones; o++) {
            brute_force(s, o, label);
            for (int32_t d = 0; d < s->net.zones; d++) {
                double least = o == d ? 0 : INFINITY, amount = 0;
                for (int32_t a = 0; a < s->net.links && o != d; a++)
                    least = s->head[a] == d ? fmin(least, label[a]) : least;
                assert_true(matrix[o * s->net.zones + d] == least);
                for (int64_t i = s->first[o]; i < s->first[o + 1]; i++)
                    amount += s->to[i] == d ? s->amount[i] : 0;
                *(o == d ? &intrazonal : least < INFINITY ? &assigned : &dropped) += amount;
            }
        }
        assert_true(p.dropped == dropped && p.assigned == assigned && p.intrazonal == intrazonal && p.demand == assigned);
        for (int32_t r = 0; r < p.rows; r++)
            for (int64_t i = p.row_first[r] + 1; i < p.row_first[r + 1]; i++)
                assert_true(p.to[i] > p.to[i - 1]);
        traffic_problem_clear(test_ctx, &p);
        mco_traffic_destroy(test_ctx, &traffic);
        test_free(matrix);
    }
}

static void artificial_arcs_follow_the_rule(void **state)
{
    (void)state;
    mco_traffic *traffic = NULL;
    traffic_problem p = {0};
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    sketch *s = begin(5, 3);  // hub 4; 0 -> 3 -> 4, 4 -> 1; node 2 alone
    add_link(s, 0, 3, 1);
    add_link(s, 3, 4, 1);
    add_link(s, 4, 1, 1);
    add_trips(s, 0, 1, 1);
    add_trips(s, 0, 2, 1);
    add_trips(s, 1, 0, 1);
    assert_ok(make(s, &traffic));
    params.unreachable = MCO_TRAFFIC_ARC;
    params.arc_cost = 7;
    assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
    check_star(&p);
    assert_int_equal(p.artificial_arcs, 5);  // 4 -> 0, 4 -> 2, 4 -> 3; 1 -> 4, 2 -> 4
    assert_true(p.dropped == 0 && p.assigned == 3);
    for (int32_t e = 0; e < p.links; e++)
        if (p.origin_link[e] == TRAFFIC_ARTIFICIAL_ARC)
            assert_true((p.tail[e] == 4) != (p.head[e] == 4) && p.costs.base[e] == 7 && p.costs.k[e] == 0);
    traffic_problem_clear(test_ctx, &p);
    params.unreachable = MCO_TRAFFIC_DROP;
    assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
    assert_true(p.dropped == 2 && p.dropped_pairs == 2 && p.first_dropped[1].from == 1 && p.first_dropped[1].to == 0);
    traffic_problem_clear(test_ctx, &p);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- The public collections

static void collections_have_their_counts(void **state)
{
    (void)state;
    static const struct {
        const char *network, *trips;
        int32_t links, artificial;
        double assigned, dropped, intrazonal;
        int64_t pairs;
    } cases[] = {
        {"SiouxFalls/SiouxFalls_net.tntp", "SiouxFalls/SiouxFalls_trips.tntp", 76, 0, 360600, 0, 0, 0},
        {"ChicagoSketch/ChicagoSketch_net.tntp", "ChicagoSketch/ChicagoSketch_trips.tntp.gz", 2950, 0, 1137493.44, 0, 123414, 0},
        {"AustinTAPB/AustinTAPB_net.tntp.gz", "AustinTAPB/AustinTAPB_trips.tntp.gz", 35940, 15, 1309381, 3075, 0, 1157},
    };
    const char *data = getenv("MCO_DATA");
    if (data == NULL)
        skip();
    for (int k = 0; k < COUNT_OF(cases); k++) {
        char network[400], trips[400];
        mco_traffic *traffic = NULL;
        traffic_problem p = {0};
        mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
        snprintf(network, sizeof network, "%s/tntp/%s", data, cases[k].network);
        snprintf(trips, sizeof trips, "%s/tntp/%s", data, cases[k].trips);
        if (access(network, R_OK) != 0 || access(trips, R_OK) != 0)
            skip();
        const mco_traffic_files files = {.network = network, .trips = trips};
        assert_ok(mco_traffic_read(test_ctx, &files, &traffic));
        assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
        assert_true(p.links == cases[k].links && p.dropped_pairs == cases[k].pairs && p.dropped == cases[k].dropped);
        assert_true(fabs(p.assigned - cases[k].assigned) < 1e-4 && fabs(p.intrazonal - cases[k].intrazonal) < 1e-4);
        traffic_problem_clear(test_ctx, &p);
        params.unreachable = MCO_TRAFFIC_ARC;
        assert_ok(traffic_problem_make(test_ctx, traffic, &params, &p));
        assert_true(p.artificial_arcs == cases[k].artificial && p.dropped == 0);
        traffic_problem_clear(test_ctx, &p);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// ---- Memory

static void every_allocation_may_fail(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    mco_status st = MCO_ERR_MEMORY;
    const mco_traffic_files files = {.network = test_file("memory.tntp", HEAD "1 3 5 1 1 0 1;3 2 5 1 1 .1 2;90 2 4 1 1 1 1;"),
                                     .trips = test_file("memory_trips.tntp", "<END OF METADATA>\nOrigin 2\n1 : 3;\nOrigin 1\n2 : 3; 1 : 4;\n"),
                                     .nodes = test_file("memory_node.tntp", "node x y\n1 2.5 3 ;\n3\t4\t5\n90 1 1\n")};
    const mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    for (long k = 1; st != MCO_OK; k++) {
        mco_traffic *traffic = NULL;
        test_fail_allocation(k);
        st = mco_traffic_read(test_ctx, &files, &traffic);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        mco_traffic_destroy(test_ctx, &traffic);
    }
    for (int round = 0; round < 8; round++) {
        mco_traffic *traffic = NULL;
        double flow[MOST] = {0}, matrix[MOST];
        mco_traffic_params p = params;
        p.threads = 1;
        p.unreachable = round % 2 == 0 ? MCO_TRAFFIC_ARC : MCO_TRAFFIC_DROP;
        const sketch *s = random_network(&rng, round % 4 >= 2);
        st = MCO_ERR_MEMORY;
        for (long k = 1; st != MCO_OK; k++) {
            test_fail_allocation(k);
            st = make(s, &traffic);
            assert_true(st == MCO_OK || (st == MCO_ERR_MEMORY && traffic == NULL));
        }
        st = MCO_ERR_MEMORY;
        for (long k = 1; st != MCO_OK; k++) {
            test_fail_allocation(k);
            st = mco_traffic_find_skim(test_ctx, traffic, &p, 0, flow, MCO_TRAFFIC_SKIM_TIME, matrix);
            assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        }
        test_fail_allocation(0);
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(networks_refuse),
        TEST(missing_arrays_are_zeros),
        TEST(wild_files_are_read),
        TEST(bad_files_are_refused),
        TEST(holes_keep_their_numbers),
        TEST(numbers_are_exact),
        TEST(costs_agree_with_calculus),
        TEST(factors_have_an_order),
        TEST(paths_agree_with_brute_force),
        TEST(artificial_arcs_follow_the_rule),
        TEST(collections_have_their_counts),
        TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
