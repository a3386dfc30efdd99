// SPDX-License-Identifier: MIT
// States of assignments: the way to a file and back, edits, damaged files; select link and used paths against sums over paths.
#include "test_support.h"

#include <math.h>

#include "base/rng.h"
#include "mco/traffic.h"
#include "traffic/model/problem.h"
#include "traffic/files/state_file.h"

enum { SIDE = 4, NODES = SIDE * SIDE, ZONES = 4, MOST = 128 };

// A grid of streets in both directions; zones are its first nodes. Some turns cost, some are banned.
typedef struct grid {
    int32_t tail[MOST], head[MOST];
    double capacity[MOST], free_time[MOST];
    mco_traffic_turn turn[2];
    int64_t first[ZONES + 1];
    int32_t to[ZONES * ZONES];
    double amount[ZONES * ZONES];
    mco_traffic_network net;
    mco_traffic_class trips;
} grid;

static void join(grid *g, int32_t u, int32_t v)
{
    for (int k = 0; k < 2; k++) {
        const int32_t a = g->net.links++;
        g->tail[a] = k == 0 ? u : v;
        g->head[a] = k == 0 ? v : u;
        g->capacity[a] = 10;
        g->free_time[a] = 1 + a % 3;
    }
}

static void make_grid(grid *g, bool has_turns)
{
    memset(g, 0, sizeof *g);
    g->net = (mco_traffic_network){.nodes = NODES, .zones = ZONES, .tail = g->tail, .head = g->head, .capacity = g->capacity,
                                   .free_time = g->free_time, .turns = g->turn};
    for (int32_t v = 0; v < NODES; v++) {
        if (v % SIDE + 1 < SIDE)
            join(g, v, v + 1);
        if (v + SIDE < NODES)
            join(g, v, v + SIDE);
    }
    for (int32_t o = 0; o < ZONES; o++) {
        for (int32_t d = 0; d < ZONES; d++)
            if (o != d) {
                g->to[g->first[o + 1]] = d;
                g->amount[g->first[o + 1]++] = 1 + o + 2 * d;
            }
        if (o + 1 < ZONES)
            g->first[o + 2] = g->first[o + 1];
    }
    if (has_turns)
        for (int32_t a = 0; a < g->net.links; a++)
            for (int32_t b = 0; b < g->net.links && g->net.turn_count < 2; b++)
                if (g->head[a] == g->tail[b] && g->tail[a] != g->head[b] && g->head[a] == (g->net.turn_count == 0 ? 1 : 6))
                    g->turn[g->net.turn_count++] = (mco_traffic_turn){a, b, g->net.turn_count == 0 ? 2 : INFINITY};
    g->trips = (mco_traffic_class){.first = g->first, .to = g->to, .amount = g->amount, .toll_factor = -1, .distance_factor = -1,
                                   .car_equivalent = 2, .stated_total = NAN, .stated_toll_factor = NAN, .stated_distance_factor = NAN};
}

static void make_problem(const grid *g, mco_traffic **traffic, traffic_problem *p)
{
    const mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    assert_ok(mco_traffic_create(test_ctx, "grid", &g->net, 1, &g->trips, traffic));
    assert_ok(traffic_problem_make(test_ctx, *traffic, &params, p));
}

// Adds a trip to a link's flow in a dense row, along a path of least random weights.
static void load(const traffic_problem *p, mco_rng *rng, int32_t origin, int32_t end, double amount, double *flow)
{
    double weight[4 * MOST], label[4 * MOST];
    int32_t by[4 * MOST];
    assert_true(p->links <= 4 * MOST && p->nodes <= 4 * MOST);
    for (int32_t e = 0; e < p->links; e++)
        weight[e] = 0.1 + mco_rng_real(rng);
    for (int32_t v = 0; v < p->nodes; v++)
        label[v] = v == origin ? 0 : INFINITY;
    for (int32_t round = 0; round < p->nodes; round++)
        for (int32_t e = 0; e < p->links; e++)
            if (label[p->tail[e]] + weight[e] < label[p->head[e]]) {
                label[p->head[e]] = label[p->tail[e]] + weight[e];
                by[p->head[e]] = e;
            }
    assert_true(label[end] < INFINITY);
    for (int32_t v = end; v != origin; v = p->tail[by[v]])
        flow[by[v]] += amount;
}

// Flows of rows over a few random paths of each pair, and two pairs of segments made of the first links of row 0.
static void make_flows(const traffic_problem *p, mco_rng *rng, traffic_flows *flows, traffic_pairs *pairs)
{
    enum { PATHS = 3 };
    double flow[4 * MOST];
    int64_t used = 0;
    flows->rows = p->rows;
    assert_ok(mco_alloc(test_ctx, &flows->first, p->rows + 1));
    assert_ok(mco_alloc(test_ctx, &flows->link, (int64_t)p->rows * p->links));
    assert_ok(mco_alloc(test_ctx, &flows->flow, (int64_t)p->rows * p->links));
    for (int32_t r = 0; r < p->rows; r++) {
        memset(flow, 0, sizeof flow);
        for (int64_t i = p->row_first[r]; i < p->row_first[r + 1]; i++)
            for (int k = 0; k < PATHS; k++)
                load(p, rng, p->row_origin[r], p->to[i], p->amount[i] / PATHS, flow);
        for (int32_t e = 0; e < p->links; e++)
            if (flow[e] > 0) {
                flows->link[used] = e;
                flows->flow[used++] = flow[e];
            }
        flows->first[r + 1] = used;
    }
    // The two ways around the first square of the grid: right then down, down then right.
    static const int32_t ways[2][3] = {{0, 1, SIDE + 1}, {0, SIDE, SIDE + 1}};
    assert_ok(mco_alloc(test_ctx, &pairs->first, 3));
    assert_ok(mco_alloc(test_ctx, &pairs->row_first, 2));
    assert_ok(mco_alloc(test_ctx, &pairs->link, 4));
    assert_ok(mco_alloc(test_ctx, &pairs->row, p->rows));
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 2; k++)
            for (int32_t e = 0; e < p->links; e++)
                if (p->tail[e] == ways[s][k] && p->head[e] == ways[s][k + 1])
                    pairs->link[2 * s + k] = e;
    pairs->count = 1;
    pairs->first[1] = 2;
    pairs->first[2] = 4;
    pairs->row_first[1] = p->rows;
    for (int32_t r = 0; r < p->rows; r++)
        pairs->row[r] = r;
}

static void assert_equal_flows(const traffic_flows *a, const traffic_flows *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_memory_equal(a->first, b->first, (size_t)(a->rows + 1) * sizeof *a->first);
    assert_memory_equal(a->link, b->link, (size_t)a->first[a->rows] * sizeof *a->link);
    assert_memory_equal(a->flow, b->flow, (size_t)a->first[a->rows] * sizeof *a->flow);
}

static void assert_equal_pairs(const traffic_pairs *a, const traffic_pairs *b)
{
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->first, b->first, (size_t)(2 * a->count + 1) * sizeof *a->first);
    assert_memory_equal(a->link, b->link, (size_t)a->first[2 * a->count] * sizeof *a->link);
    assert_memory_equal(a->row_first, b->row_first, (size_t)(a->count + 1) * sizeof *a->row_first);
    assert_memory_equal(a->row, b->row, (size_t)a->row_first[a->count] * sizeof *a->row);
}

typedef struct solved {
    grid g;
    mco_traffic *traffic;
    traffic_problem p;
    traffic_flows flows;
    traffic_pairs pairs;
    mco_traffic_state *state;
} solved;

static void *copy_of(const void *items, size_t bytes)
{
    void *copy;
    assert_ok(mco_alloc_bytes(test_ctx, &copy, bytes, 1));
    memcpy(copy, items, bytes);
    return copy;
}

// A state takes its flows: here it gets a copy.
static traffic_flows copy_flows(const traffic_flows *flows)
{
    const size_t count = (size_t)flows->first[flows->rows];
    return (traffic_flows){.rows = flows->rows, .first = copy_of(flows->first, ((size_t)flows->rows + 1) * sizeof *flows->first),
                           .link = copy_of(flows->link, count * sizeof *flows->link),
                           .flow = copy_of(flows->flow, count * sizeof *flows->flow)};
}

static solved *open_solved(bool has_turns)
{
    static solved s;
    mco_rng rng;
    mco_rng_seed(&rng, 7, has_turns);
    memset(&s, 0, sizeof s);
    make_grid(&s.g, has_turns);
    make_problem(&s.g, &s.traffic, &s.p);
    make_flows(&s.p, &rng, &s.flows, &s.pairs);
    s.pairs.count = has_turns ? 0 : 1;  // nodes of the square are split there
    traffic_flows copy = copy_flows(&s.flows);
    assert_ok(traffic_state_of(test_ctx, &s.p, &copy, &s.pairs, &s.state));
    assert_null(copy.first);
    return &s;
}

static void close_solved(solved *s)
{
    mco_traffic_state_clear(test_ctx, &s->state);
    traffic_flows_clear(test_ctx, &s->flows);
    traffic_pairs_clear(test_ctx, &s->pairs);
    traffic_problem_clear(test_ctx, &s->p);
    mco_traffic_destroy(test_ctx, &s->traffic);
}

static void states_survive_files(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        solved *s = open_solved(k % 2 == 1);
        const char *path = test_path(k < 2 ? "a.mcot" : "a.mcot.gz");
        mco_traffic_state *back = NULL;
        traffic_flows flows = {0};
        traffic_pairs pairs = {0};
        assert_ok(mco_traffic_state_write(test_ctx, s->traffic, s->state, path));
        assert_ok(mco_traffic_state_read(test_ctx, s->traffic, path, &back));
        assert_int_equal(back->more_links > 0, k % 2 == 1);
        assert_ok(traffic_state_take(test_ctx, &s->p, back, &flows, &pairs));
        assert_equal_flows(&flows, &s->flows);
        assert_equal_pairs(&pairs, &s->pairs);
        traffic_flows_clear(test_ctx, &flows);
        traffic_pairs_clear(test_ctx, &pairs);
        mco_traffic_state_clear(test_ctx, &back);
        close_solved(s);
    }
}

// Rows with flow on links of the network from u to v.
static bool uses(const solved *s, int32_t row, int32_t u, int32_t v)
{
    for (int64_t i = s->flows.first[row]; i < s->flows.first[row + 1]; i++)
        if (s->p.tail[s->flows.link[i]] == u && s->p.head[s->flows.link[i]] == v)
            return true;
    return false;
}

// Takes the state for the edited grid, and compares each row with the old one: equal, or empty where `is_empty` says so.
static void take_edited(solved *s, const grid *edited, const bool *is_empty, int64_t pairs_left)
{
    mco_traffic *traffic = NULL;
    traffic_problem p = {0};
    traffic_flows flows = {0};
    traffic_pairs pairs = {0};
    make_problem(edited, &traffic, &p);
    assert_ok(traffic_state_take(test_ctx, &p, s->state, &flows, &pairs));
    assert_int_equal(flows.rows, s->flows.rows);
    for (int32_t r = 0; r < p.rows; r++) {
        const int64_t count = flows.first[r + 1] - flows.first[r];
        assert_int_equal(count, is_empty[r] ? 0 : s->flows.first[r + 1] - s->flows.first[r]);
        for (int64_t i = 0; i < count; i++) {
            const int32_t now = flows.link[flows.first[r] + i], old = s->flows.link[s->flows.first[r] + i];
            assert_true(p.tail[now] == s->p.tail[old] && p.head[now] == s->p.head[old]);
            assert_true(flows.flow[flows.first[r] + i] == s->flows.flow[s->flows.first[r] + i]);
        }
    }
    assert_int_equal(pairs.count, pairs_left);
    traffic_flows_clear(test_ctx, &flows);
    traffic_pairs_clear(test_ctx, &pairs);
    traffic_problem_clear(test_ctx, &p);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void edits_keep_what_fits(void **state)
{
    (void)state;
    solved *s = open_solved(false);
    bool is_empty[ZONES] = {false};
    static grid g;
    make_grid(&g, false);
    for (int32_t a = 0; a < g.net.links; a++)
        g.capacity[a] = 3;
    take_edited(s, &g, is_empty, 1);
    make_grid(&g, false);
    g.amount[4] += 0.5;  // of zone 1
    is_empty[1] = true;
    take_edited(s, &g, is_empty, 1);
    is_empty[1] = false;
    make_grid(&g, false);  // without the link from 0 to 1, which is in the pair
    for (int32_t a = 0; a < g.net.links; a++)
        if (g.tail[a] == 0 && g.head[a] == 1) {
            g.net.links--;
            memmove(g.tail + a, g.tail + a + 1, (size_t)(g.net.links - a) * sizeof *g.tail);
            memmove(g.head + a, g.head + a + 1, (size_t)(g.net.links - a) * sizeof *g.head);
        }
    int emptied = 0;
    for (int32_t r = 0; r < s->p.rows; r++)
        emptied += is_empty[r] = uses(s, r, 0, 1);
    assert_true(emptied > 0 && emptied < s->p.rows);
    take_edited(s, &g, is_empty, 0);
    make_grid(&g, false);
    g.net.first_through = 3;  // flows pass through zones that are ends now
    for (int32_t r = 0; r < ZONES; r++) {
        is_empty[r] = false;
        for (int64_t i = s->flows.first[r]; i < s->flows.first[r + 1]; i++)
            is_empty[r] = is_empty[r] || (s->p.tail[s->flows.link[i]] < 3 && s->p.tail[s->flows.link[i]] != s->p.row_origin[r]);
    }
    mco_traffic *traffic = NULL;
    traffic_problem p = {0};
    traffic_flows flows = {0};
    traffic_pairs pairs = {0};
    make_problem(&g, &traffic, &p);
    assert_ok(traffic_state_take(test_ctx, &p, s->state, &flows, &pairs));
    for (int32_t r = 0; r < ZONES; r++)
        assert_true((flows.first[r + 1] == flows.first[r]) == is_empty[r]);
    assert_int_equal(pairs.count, 0);  // its segment over node 1
    traffic_flows_clear(test_ctx, &flows);
    traffic_pairs_clear(test_ctx, &pairs);
    traffic_problem_clear(test_ctx, &p);
    p.classes = 2;
    p.traffic = traffic;
    assert_fails(traffic_state_take(test_ctx, &p, s->state, &flows, &pairs), MCO_ERR_ARGUMENT,
                 "the state is of a network with 4 zones and 1 class, this one has 4 and 2");
    mco_traffic_destroy(test_ctx, &traffic);
    close_solved(s);
}

// A plan of one batch with all rows, and an order of all nodes.
static void give_plan(solved *s)
{
    traffic_plan plan = {.batches = 1, .first = s->p.first_through, .places = s->p.nodes - s->p.first_through};
    assert_ok(mco_alloc(test_ctx, &plan.row, TRAFFIC_PLAN_ROWS));
    assert_ok(mco_alloc(test_ctx, &plan.order, plan.places));
    for (int32_t k = 0; k < TRAFFIC_PLAN_ROWS; k++)
        plan.row[k] = k < s->p.rows ? s->p.rows - 1 - k : -1;
    for (int32_t k = 0; k < plan.places; k++)
        plan.order[k] = (uint16_t)(plan.first + (k + 5) % plan.places);
    traffic_state_keep_plan(test_ctx, &s->p, &plan, s->state);
    assert_null(plan.row);
}

static void damaged_files_are_refused(void **state)
{
    (void)state;
    solved *s = open_solved(true);
    give_plan(s);
    const char *path = test_path("damaged.mcot");
    static unsigned char data[1 << 16], copy[1 << 16];
    mco_traffic_state *back = NULL;
    assert_ok(mco_traffic_state_write(test_ctx, s->traffic, s->state, path));
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    assert_true(size > 100 && size < sizeof data);
    for (size_t k = 0; k < size; k += k < 128 ? 1 : 7) {
        memcpy(copy, data, size);
        copy[k] ^= 0x41;
        assert_int_equal(traffic_state_parse(test_ctx, "copy", copy, (int64_t)size, &back), MCO_ERR_PARSE);
        assert_int_equal(traffic_state_parse(test_ctx, "copy", data, (int64_t)k, &back), MCO_ERR_PARSE);
    }
    assert_null(back);
    // The right sum over wrong numbers.
    for (size_t k = 64; k + 16 <= size; k += 4) {
        memcpy(copy, data, size);
        memset(copy + k, 0xfe, 4);
        const uint64_t sum = traffic_state_checksum(copy, (int64_t)size - 8);
        memcpy(copy + size - 8, &sum, sizeof sum);
        const mco_status st = traffic_state_parse(test_ctx, "copy", copy, (int64_t)size, &back);
        assert_true(st == MCO_ERR_PARSE || st == MCO_OK);  // a flow may have other digits
        traffic_flows flows = {0};
        traffic_pairs pairs = {0};
        traffic_plan plan = {0};
        if (st == MCO_OK) {
            assert_ok(traffic_state_take(test_ctx, &s->p, back, &flows, &pairs));
            assert_ok(traffic_state_take_plan(test_ctx, &s->p, back, &plan));
        }
        mco_free(test_ctx, &plan.row);
        traffic_flows_clear(test_ctx, &flows);
        traffic_pairs_clear(test_ctx, &pairs);
        mco_traffic_state_clear(test_ctx, &back);
    }
    close_solved(s);
}

// Segments that go to and fro are no pair, and a file of long ones takes no longer than its length.
static void segments_that_repeat_links_are_dropped(void **state)
{
    enum { TIMES = 100000 };
    (void)state;
    solved *s = open_solved(false);
    traffic_pairs *pairs = &s->state->pairs;
    const int32_t way[4] = {pairs->link[0], pairs->link[1], pairs->link[2], pairs->link[3]};
    traffic_flows flows = {0};
    traffic_pairs taken = {0};
    mco_free(test_ctx, &pairs->link);
    assert_ok(mco_alloc(test_ctx, &pairs->link, 4 * TIMES + 4));
    for (int segment = 0; segment < 2; segment++) {
        int32_t *link = pairs->link + pairs->first[segment];
        int64_t count = 0;
        for (int k = 0; k < TIMES; k++) {
            link[count++] = way[2 * segment];
            link[count++] = way[2 * segment] + 1;  // join() makes the way back
        }
        link[count++] = way[2 * segment];
        link[count++] = way[2 * segment + 1];
        pairs->first[segment + 1] = pairs->first[segment] + count;
    }
    assert_ok(traffic_state_take(test_ctx, &s->p, s->state, &flows, &taken));
    assert_int_equal(taken.count, 0);
    traffic_flows_clear(test_ctx, &flows);
    traffic_pairs_clear(test_ctx, &taken);
    close_solved(s);
}

// ---- What follows from flows

// Adds flow around the square of nodes 5, 6, 10, 9 to a row of the state.
static void add_cycle(mco_traffic_state *s, int32_t row)
{
    static const int32_t square[5] = {5, 6, 10, 9, 5};
    for (int k = 0; k < 4; k++)
        for (int64_t i = s->flows.first[row]; i < s->flows.first[row + 1]; i++) {
            const int32_t a = s->flows.link[i];
            if (a < s->links && s->tail[a] == square[k] && s->head[a] == square[k + 1])
                s->flows.flow[i] += 3;
        }
}

static void selections_add_up(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        solved *s = open_solved(k == 1);
        double matrix[ZONES * ZONES], share[MOST];
        for (int32_t link = 0; link < s->g.net.links; link++) {
            double flow = 0, sum = 0;
            assert_ok(mco_traffic_select_link(test_ctx, s->traffic, s->state, 0, link, matrix, share));
            for (int64_t i = 0; i < s->state->flows.first[ZONES]; i++)
                flow += s->state->flows.link[i] == link ? s->state->flows.flow[i] : 0;
            for (int z = 0; z < ZONES * ZONES; z++)
                sum += matrix[z];
            // Cycles of flow are no trips: removing them can only lower the flow of the link. A lorry counts as two cars.
            assert_true(sum <= flow / 2 + 1e-9);
            assert_true(fabs(share[link] - sum) < 1e-9);
        }
        close_solved(s);
    }
}

// Sums flows of written paths by pair and by link.
static void paths_carry_all_trips(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        solved *s = open_solved(k == 1);
        char line[1024];
        double pair[ZONES][ZONES] = {{0}}, used[NODES][NODES] = {{0}}, matrix[ZONES * ZONES];
        if (k == 2)
            add_cycle(s->state, 0);
        const char *path = test_path("paths.csv");
        assert_ok(mco_traffic_write_paths(test_ctx, s->traffic, s->state, 0, path));
        FILE *file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, "class,origin,destination,flow,nodes\n");
        while (fgets(line, sizeof line, file) != NULL) {
            int o, d, n = 0, last, node;
            double flow;
            assert_int_equal(sscanf(line, "trips,%d,%d,%lf,%d%n", &o, &d, &flow, &last, &n), 4);
            assert_int_equal(last, o);
            pair[o - 1][d - 1] += flow;
            for (int at = n; sscanf(line + at, "%d%n", &node, &n) == 1; at += n, last = node)
                used[last - 1][node - 1] += flow;
            assert_int_equal(last, d);
        }
        fclose(file);
        for (int32_t o = 0; o < ZONES; o++)
            for (int64_t i = s->g.first[o]; i < s->g.first[o + 1]; i++)
                assert_true(fabs(pair[o][s->g.to[i]] - s->g.amount[i]) < 1e-9);
        for (int32_t a = 0; a < s->g.net.links; a++) {
            double sum = 0;
            assert_ok(mco_traffic_select_link(test_ctx, s->traffic, s->state, 0, a, matrix, NULL));
            for (int z = 0; z < ZONES * ZONES; z++)
                sum += matrix[z];
            assert_true(fabs(sum - used[s->g.tail[a]][s->g.head[a]]) < 1e-9);
        }
        close_solved(s);
    }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int turns = 0; turns < 2; turns++) {
        solved *s = open_solved(turns == 1);
        const char *path = test_path("memory.mcot");
        mco_status st = MCO_ERR_MEMORY;
        double matrix[ZONES * ZONES], share[MOST];
        for (long k = 1; st != MCO_OK; k++) {
            mco_traffic_state *copy = NULL, *back = NULL;
            traffic_flows flows = {0};
            traffic_pairs pairs = {0};
            traffic_flows given = copy_flows(&s->flows);
            test_fail_allocation(k);
            st = traffic_state_of(test_ctx, &s->p, &given, &s->pairs, &copy);
            st = st == MCO_OK ? mco_traffic_state_write(test_ctx, s->traffic, copy, path) : st;
            st = st == MCO_OK ? mco_traffic_state_read(test_ctx, s->traffic, path, &back) : st;
            st = st == MCO_OK ? traffic_state_take(test_ctx, &s->p, back, &flows, &pairs) : st;
            st = st == MCO_OK ? mco_traffic_select_link(test_ctx, s->traffic, back, 0, 3, matrix, share) : st;
            st = st == MCO_OK ? mco_traffic_write_paths(test_ctx, s->traffic, back, 0, path) : st;
            assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
            traffic_flows_clear(test_ctx, &given);
            traffic_flows_clear(test_ctx, &flows);
            traffic_pairs_clear(test_ctx, &pairs);
            mco_traffic_state_clear(test_ctx, &copy);
            mco_traffic_state_clear(test_ctx, &back);
        }
        test_fail_allocation(0);
        close_solved(s);
    }
}

static void plans_are_used_where_they_fit(void **state)
{
    (void)state;
    solved *s = open_solved(false);
    const char *path = test_path("plan.mcot");
    mco_traffic_state *back = NULL;
    traffic_plan plan;
    give_plan(s);
    assert_ok(mco_traffic_state_write(test_ctx, s->traffic, s->state, path));
    assert_ok(mco_traffic_state_read(test_ctx, s->traffic, path, &back));
    assert_ok(traffic_state_take_plan(test_ctx, &s->p, back, &plan));
    assert_int_equal(plan.batches, 1);
    for (int32_t k = 0; k < TRAFFIC_PLAN_ROWS; k++)
        assert_int_equal(plan.row[k], k < s->p.rows ? s->p.rows - 1 - k : -1);
    for (int32_t k = 0; k < plan.places; k++)
        assert_int_equal(plan.order[k], plan.first + (k + 5) % plan.places);
    mco_free(test_ctx, &plan.row);
    // An order that lacks a node, one with a node that is none, and one of other nodes are not used; the rows are.
    for (int k = 0; k < 3; k++) {
        const uint16_t before = back->plan.order[2];
        back->plan.order[2] = k == 0 ? back->plan.order[3] : k == 1 ? UINT16_MAX : before;
        back->plan.first += k == 2;
        assert_ok(traffic_state_take_plan(test_ctx, &s->p, back, &plan));
        assert_true(plan.batches == 1 && plan.order == NULL);
        mco_free(test_ctx, &plan.row);
        back->plan.order[2] = before;
        back->plan.first -= k == 2;
    }
    // Without one of the rows, or with one twice, nothing is used.
    for (int k = 0; k < 2; k++) {
        const int32_t before = back->plan.row[1];
        back->plan.row[1] = k == 0 ? -1 : back->plan.row[0];
        assert_ok(traffic_state_take_plan(test_ctx, &s->p, back, &plan));
        assert_true(plan.batches == 0 && plan.row == NULL);
        back->plan.row[1] = before;
    }
    mco_traffic_state_clear(test_ctx, &back);
    close_solved(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(states_survive_files), TEST(edits_keep_what_fits),  TEST(damaged_files_are_refused), TEST(segments_that_repeat_links_are_dropped),
        TEST(plans_are_used_where_they_fit),
        TEST(selections_add_up),    TEST(paths_carry_all_trips), TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
