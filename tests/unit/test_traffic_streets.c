// SPDX-License-Identifier: MIT
// Streets: the table against the formulas of the thesis written out, derivatives and integrals against differences, frozen costs against
// true ones, equilibria of tiny networks against an extragradient method on path flows, generated cities, refusals, stops, memory.
#include <math.h>

#include "base/clock.h"
#include "base/rng.h"
#include "mco/mco.h"
#include "traffic/streets/types.h"
#include "traffic_streets_support.h"

static double cubed(double x)
{
    return x * x * x;
}

// Section 8.b of the thesis, type by type, with T0 in seconds.
static double formula(int type, double t0, double f, double s, double x, double z, const double y[2], const double w[3])
{
    const double crossing = pow(y[0] / 300, 2) + pow(y[1] / 300, 2);
    const double turning = cubed(w[0] / 1800) + cubed(w[1] / 1800) + cubed(w[2] / 1800);
    switch (type) {
    case 1:
    case 2: return t0 * (1 + x / (2500 * f) + cubed(x / (500 * f))) + s * (3 + t0);
    case 3: return t0 * (1 + (3 * x + z) / (8000 * f) + cubed(x / (900 * f)) + cubed(z / (1500 * f))) + s * (3 + t0);
    case 4:
    case 5: return t0 * (1 + x / (4000 * f) + cubed(x / (900 * f)));
    case 6: return t0 * (1 + (3 * x + z) / (14000 * f) + cubed(x / (900 * f)) + cubed(z / (1600 * f)));
    case 7:
    case 8: return t0 * (1 + x / (2500 * f) + cubed(x / (900 * f))) + crossing;
    case 9: return t0 * (1 + (3 * x + z) / (10000 * f) + cubed(x / (900 * f)) + cubed(z / (1600 * f))) + crossing;
    case 10:
    case 11: return t0 * (1 + x / (3000 * f) + cubed(x / (1200 * f)) + turning);
    default: return t0 * (1 + (3 * x + z) / (12000 * f) + cubed(x / (1200 * f)) + turning + cubed(z / (2000 * f)));
    }
}

// ---- Networks

enum { MOST_LINKS = 2000, MOST_TRIPS = 4000 };

typedef struct town {
    mco_traffic_network net;
    int32_t tail[MOST_LINKS], head[MOST_LINKS];
    double capacity[MOST_LINKS], length[MOST_LINKS], free_time[MOST_LINKS], speed[MOST_LINKS], toll[MOST_LINKS];
    mco_traffic_street street[MOST_LINKS];
    mco_traffic_class class;
    int64_t first[MOST_LINKS];
    int32_t to[MOST_TRIPS];
    double amount[MOST_TRIPS];
} town;

static town place;

static town *new_town(int32_t nodes, int32_t zones)
{
    town *t = &place;
    memset(t, 0, sizeof *t);
    t->net = (mco_traffic_network){.nodes = nodes, .zones = zones, .tail = t->tail, .head = t->head, .capacity = t->capacity,
                                   .length = t->length, .free_time = t->free_time, .speed = t->speed, .toll = t->toll, .street = t->street};
    t->class = (mco_traffic_class){.name = "all", .first = t->first, .to = t->to, .amount = t->amount, .toll_factor = -1,
                                   .distance_factor = -1, .car_equivalent = 1, .stated_total = NAN, .stated_toll_factor = NAN,
                                   .stated_distance_factor = NAN};
    return t;
}

static int32_t add_street(town *t, int32_t tail, int32_t head, int type, double length, double speed, double lanes)
{
    const int32_t a = t->net.links++;
    assert_true(a < MOST_LINKS);
    t->tail[a] = tail;
    t->head[a] = head;
    t->capacity[a] = 900 * lanes;
    t->length[a] = length;
    t->speed[a] = speed;
    t->free_time[a] = 3.6 * length / speed;
    t->street[a] = (mco_traffic_street){.type = type, .lanes = lanes, .reverse = -1, .preferential = {-1, -1}, .circulating = {-1, -1, -1}};
    return a;
}

// Trips must come by ascending origin.
static void add_trip(town *t, int32_t from, int32_t to, double amount)
{
    const int64_t i = t->first[t->net.zones];
    assert_true(i < MOST_TRIPS);
    t->to[i] = to;
    t->amount[i] = amount;
    for (int32_t o = from + 1; o <= t->net.zones; o++)
        t->first[o] = i + 1;
}

static mco_traffic *make(town *t)
{
    mco_traffic *out = NULL;
    assert_ok(mco_traffic_create(test_ctx, "town", &t->net, 1, &t->class, &out));
    return out;
}

static double between(mco_rng *rng, double low, double high)
{
    return low + (high - low) * mco_rng_real(rng);
}

// A grid with a street in both directions between neighbours, of all twelve types; every type gets all that it depends on.
static town *grid(int rows, int columns, int zones, int ends, double load, uint64_t seed)
{
    static const int step[4][2] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}};
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    const int32_t n = rows * columns;
    town *t = new_town(n, zones);
    int32_t *id = malloc(sizeof *id * (size_t)n);
    assert_non_null(id);
    for (int32_t v = 0; v < n; v++)
        id[v] = v;
    for (int32_t v = n - 1; v > 0; v--) {
        const int32_t u = (int32_t)mco_rng_below(&rng, (uint32_t)v + 1), held = id[u];
        id[u] = id[v];
        id[v] = held;
    }
    for (int32_t v = 0; v < n; v++)
        for (int d = 0; d < 4; d++) {
            const int r = v / columns + step[d][0], c = v % columns + step[d][1];
            if (r < 0 || c < 0 || r >= rows || c >= columns)
                continue;
            const int32_t a = add_street(t, id[v], id[r * columns + c], 1 + (int)mco_rng_below(&rng, 12), between(&rng, 100, 400),
                                         30 + 10 * (double)mco_rng_below(&rng, 4), 1 + (double)mco_rng_below(&rng, 3));
            t->street[a].signal = between(&rng, 0, 1);
        }
    for (int32_t a = 0; a < t->net.links; a++) {
        int preferential = 0, circulating = 0;
        for (int32_t b = 0; b < t->net.links; b++) {
            if (t->tail[b] == t->head[a] && t->head[b] == t->tail[a])
                t->street[a].reverse = b;
            if (t->head[b] == t->head[a] && b != a && circulating < 3)
                t->street[a].circulating[circulating++] = b;
            if (t->head[b] == t->head[a] && b != a && preferential < 2 && mco_rng_below(&rng, 2) == 1)
                t->street[a].preferential[preferential++] = b;
        }
    }
    for (int o = 0; o < zones; o++) {
        bool *used = calloc((size_t)zones, sizeof *used);
        assert_non_null(used);
        for (int k = 0; k < ends; k++)
            used[mco_rng_below(&rng, (uint32_t)zones)] = true;
        for (int d = 0; d < zones; d++)
            if (used[d] && d != o)
                add_trip(t, o, d, load * between(&rng, 0.5, 1.5));
        free(used);
    }
    free(id);
    return t;
}

// ---- A solve

typedef struct solved {
    traffic_problem problem;
    traffic_answer answer;
    traffic_history history;
    mco_status status;
    mco_traffic_params params;
    double *flow;  // [links of the network]
} solved;

static solved solve(const mco_traffic *traffic, mco_traffic_objective objective, double gap, int threads, traffic_engine *inner)
{
    solved s = {.params = MCO_TRAFFIC_PARAMS_INIT};
    const mco_run_settings settings = {.time_limit_s = MCO_NO_LIMIT, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(test_ctx, &settings);
    s.params.objective = objective;
    s.params.threads = threads;
    s.params.gap = gap;
    s.status = traffic_problem_make(test_ctx, traffic, &s.params, &s.problem);
    const traffic_call call = {.problem = &s.problem, .params = &s.params, .run = &run, .history = &s.history, .gap = gap};
    if (s.status == MCO_OK)
        s.status = traffic_streets_assign(test_ctx, traffic, &s.params, inner, &call, &s.answer);
    if (s.status != MCO_OK && s.status != MCO_ERR_MEMORY)
        print_error("%s\n", mco_context_error(test_ctx));
    if (s.status == MCO_OK) {
        const int32_t links = mco_traffic_view(traffic).links;
        s.flow = malloc(sizeof *s.flow * (size_t)links);
        assert_non_null(s.flow);
        for (int32_t a = 0; a < links; a++)
            s.flow[a] = s.answer.flow[s.problem.link_at[a]];
    }
    mco_run_clear(&run);
    return s;
}

static void clear(solved *s)
{
    free(s->flow);
    mco_free(test_ctx, &s->history.pass);
    traffic_answer_clear(test_ctx, &s->answer);
    traffic_problem_clear(test_ctx, &s->problem);
    test_paths_reset();
}

// The checker's gap of flows.
static mco_traffic_facts check(const mco_traffic *traffic, const solved *s)
{
    mco_traffic_facts facts = {0};
    assert_ok(mco_traffic_check(test_ctx, traffic, &s->params, s->flow, NULL, &facts));
    return facts;
}

// ---- The table

static void test_table(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    for (int type = 1; type <= 12; type++)
        for (int k = 0; k < 50; k++) {
            town *t = new_town(2, 2);
            add_street(t, 0, 1, type, between(&rng, 50, 900), between(&rng, 20, 90), 1 + (double)mco_rng_below(&rng, 4));
            for (int i = 1; i < 7; i++)
                add_street(t, 0, 1, 1, 100, 50, 1);
            t->street[0].signal = between(&rng, 0, 2);
            t->street[0].reverse = 1;
            for (int j = 0; j < 2; j++)
                t->street[0].preferential[j] = 2 + j;
            for (int i = 0; i < 3; i++)
                t->street[0].circulating[i] = 4 + i;
            double flow[7];
            for (int i = 0; i < 7; i++)
                flow[i] = between(&rng, 0, 2000);
            const double t0 = 3.6 * t->length[0] / t->speed[0], f = t->street[0].lanes, s = t->street[0].signal, x = flow[0];
            const traffic_street_terms terms = traffic_street_terms_of(&t->net, 0);
            const traffic_street_others o = traffic_street_others_of(&t->net, 0, flow);
            const double expected = formula(type, t0, f, s, x, flow[1], flow + 2, flow + 4);
            assert_true(fabs(traffic_street_cost(&terms, x, &o) - expected) <= 1e-13 * expected);
            // A central difference of a cubic is exact but for h^2 times its third coefficient.
            const double h = 1e-3;
            const double slope = (formula(type, t0, f, s, x + h, flow[1], flow + 2, flow + 4) - formula(type, t0, f, s, x - h, flow[1], flow + 2, flow + 4)) / (2 * h);
            assert_true(fabs(traffic_street_slope(&terms, x) - slope) <= 1e-7 * (1 + slope));
            const traffic_street_others cross = traffic_street_cross(&terms, &o);
            const double got[6] = {cross.z, cross.y[0], cross.y[1], cross.w[0], cross.w[1], cross.w[2]};
            for (int i = 0; i < 6; i++) {
                double up[7], down[7];
                memcpy(up, flow, sizeof up);
                memcpy(down, flow, sizeof down);
                up[1 + i] += h;
                down[1 + i] -= h;
                const double d = (formula(type, t0, f, s, x, up[1], up + 2, up + 4) - formula(type, t0, f, s, x, down[1], down + 2, down + 4)) / (2 * h);
                // A type does not even see links that it does not depend on.
                assert_true(fabs(got[i] - d) <= 1e-7 * (1 + fabs(d)));
            }
            // Simpson's rule is exact for a cubic.
            const double integral = x / 6 * (formula(type, t0, f, s, 0, flow[1], flow + 2, flow + 4) + 4 * formula(type, t0, f, s, x / 2, flow[1], flow + 2, flow + 4) + expected);
            assert_true(fabs(traffic_street_integral(&terms, x, &o) - integral) <= 1e-12 * integral);
        }
}

static double total_cost(const mco_traffic_network *net, const double *flow, double *cost)
{
    double sum = 0;
    traffic_streets_costs(net, flow, false, cost);
    for (int32_t a = 0; a < net->links; a++)
        sum += flow[a] * cost[a];
    return sum;
}

// Marginal costs are the gradient of the total cost; frozen costs and their slopes are those of the true ones.
static void test_marginal_and_frozen(void **state)
{
    (void)state;
    town *t = grid(4, 4, 4, 3, 100, 5);
    mco_traffic *traffic = make(t);
    const mco_traffic_network net = mco_traffic_view(traffic);
    mco_rng rng;
    mco_rng_seed(&rng, 4, 0);
    static double flow[MOST_LINKS], cost[MOST_LINKS], marginal[MOST_LINKS], fixed[MOST_LINKS], base[MOST_LINKS], p[MOST_LINKS], k[MOST_LINKS];
    for (int32_t a = 0; a < net.links; a++) {
        flow[a] = between(&rng, 350, 1500);
        fixed[a] = between(&rng, 0, 5);
    }
    traffic_streets_costs(&net, flow, true, marginal);
    for (int is_marginal = 0; is_marginal < 2; is_marginal++) {
        traffic_problem problem;
        mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
        params.objective = is_marginal ? MCO_TRAFFIC_SO : MCO_TRAFFIC_UE;
        assert_ok(traffic_problem_make(test_ctx, traffic, &params, &problem));
        assert_false(problem.is_integral);
        for (int32_t e = 0; e < net.links; e++)
            assert_true(problem.origin_link[e] >= 0);
        traffic_streets_freeze(&problem, is_marginal, fixed, flow, base, p, k);
        const traffic_costs costs = {.shape = TRAFFIC_CUBIC, .base = base, .k = k, .p = p};
        for (int32_t a = 0; a < net.links; a++) {
            const int32_t e = problem.link_at[a];
            const double h = 1e-2, at = flow[a];
            flow[a] = at + h;
            const double up = total_cost(&net, flow, cost), cost_up = cost[a];
            flow[a] = at - h;
            const double down = total_cost(&net, flow, cost), cost_down = cost[a];
            flow[a] = at;
            const double middle = total_cost(&net, flow, cost);
            const double gradient = (up - down) / (2 * h), value = is_marginal ? gradient : cost[a];
            const double slope = is_marginal ? (up - 2 * middle + down) / (h * h) : (cost_up - cost_down) / (2 * h);
            if (is_marginal)
                assert_true(fabs(gradient - marginal[a]) <= 1e-6 * marginal[a]);
            assert_true(fabs(traffic_cost(&costs, e, at) - fixed[e] - value) <= 1e-6 * value);
            // Second differences of the total cost lose 6 digits and more.
            assert_true(fabs(traffic_slope(&costs, e, at) - slope) <= (is_marginal ? 1e-1 : 1e-6) * (slope + 1e-2));
            assert_true(base[e] >= 0 && p[e] >= 0 && k[e] >= 0);
        }
        traffic_problem_clear(test_ctx, &problem);
    }
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_refusals(void **state)
{
    (void)state;
    town *t = new_town(2, 2);
    add_street(t, 0, 1, 3, 100, 50, 1);
    add_street(t, 1, 0, 3, 100, 50, 1);
    assert_ok(traffic_streets_check(test_ctx, &t->net));
    assert_false(traffic_streets_interact(&t->net));
    t->street[1].reverse = 0;
    assert_true(traffic_streets_interact(&t->net));
    t->street[1].type = 4;  // a type without interaction
    assert_false(traffic_streets_interact(&t->net));
    t->street[1].reverse = 2;
    assert_fails(traffic_streets_check(test_ctx, &t->net), MCO_ERR_ARGUMENT, "link 2: the reverse link is 3, there are links 1 to 2");
    t->street[1].reverse = 1;
    assert_fails(traffic_streets_check(test_ctx, &t->net), MCO_ERR_ARGUMENT, "link 2: the reverse link is the link itself");
    t->street[1].reverse = -1;
    t->street[1].type = 13;
    assert_fails(traffic_streets_check(test_ctx, &t->net), MCO_ERR_ARGUMENT, "link 2: type of street 13, there are 1 to 12");
    t->street[1].type = 1;
    t->street[1].lanes = 0;
    assert_fails(traffic_streets_check(test_ctx, &t->net), MCO_ERR_ARGUMENT, "link 2: 0 lanes, a street has more than 0");
    t->street[1].lanes = 1;
    t->street[1].signal = NAN;
    assert_fails(traffic_streets_check(test_ctx, &t->net), MCO_ERR_ARGUMENT, "link 2: factor of the traffic light nan, it must be 0 or more");
    t->street[1].signal = 0;
    t->speed[1] = 0;
    assert_fails(traffic_streets_check(test_ctx, &t->net), MCO_ERR_ARGUMENT, "link 2: speed 0, a street needs one above 0");
    t->net.street = NULL;
    assert_fails(traffic_streets_check(test_ctx, &t->net), MCO_ERR_ARGUMENT, "the network has no types of streets: --cost streets needs them");
}

// ---- Tiny networks against an extragradient method

enum { TINY_PATHS = 64, TINY_LENGTH = 16 };

typedef struct tiny {
    const town *t;
    int count;
    int trip[TINY_PATHS], length[TINY_PATHS], link[TINY_PATHS][TINY_LENGTH];
    double flow[MOST_LINKS];
} tiny;

static void extend(tiny *y, int trip, int32_t at, int32_t end, const int *links, int length, const bool *seen)
{
    if (at == end) {
        assert_true(y->count < TINY_PATHS);
        y->trip[y->count] = trip;
        y->length[y->count] = length;
        memcpy(y->link[y->count++], links, (size_t)length * sizeof *links);
        return;
    }
    for (int32_t a = 0; a < y->t->net.links; a++) {
        if (y->t->tail[a] != at || seen[y->t->head[a]])
            continue;
        int more[TINY_LENGTH];
        bool now[TINY_LENGTH];
        memcpy(more, links, sizeof more);
        memcpy(now, seen, sizeof now);
        more[length] = a;
        now[y->t->head[a]] = true;
        extend(y, trip, y->t->head[a], end, more, length + 1, now);
    }
}

// Path costs by the formulas; by differences of the total cost for the system optimum.
static void path_costs(tiny *y, const double *f, bool is_marginal, double *out)
{
    const town *t = y->t;
    double cost[MOST_LINKS];
    memset(y->flow, 0, sizeof y->flow);
    for (int p = 0; p < y->count; p++)
        for (int i = 0; i < y->length[p]; i++)
            y->flow[y->link[p][i]] += f[p];
    for (int32_t pass = 0; pass < (is_marginal ? t->net.links : 1); pass++) {
        double total[2] = {0, 0};
        const double h = 1e-3, at = y->flow[pass];
        for (int side = 0; side < (is_marginal ? 2 : 1); side++) {
            y->flow[pass] = is_marginal ? at + (side == 0 ? h : -h) : at;
            for (int32_t a = 0; a < t->net.links; a++) {
                const mco_traffic_street *s = &t->street[a];
                const double z = s->reverse < 0 ? 0 : y->flow[s->reverse];
                double crossing[2], turning[3];
                for (int j = 0; j < 2; j++)
                    crossing[j] = s->preferential[j] < 0 ? 0 : y->flow[s->preferential[j]];
                for (int i = 0; i < 3; i++)
                    turning[i] = s->circulating[i] < 0 ? 0 : y->flow[s->circulating[i]];
                const double c = formula(s->type, t->free_time[a], s->lanes, s->signal, y->flow[a], z, crossing, turning);
                total[side] += y->flow[a] * c;
                if (!is_marginal)
                    cost[a] = c;
            }
        }
        y->flow[pass] = at;
        if (is_marginal)
            cost[pass] = (total[0] - total[1]) / (2 * h);
    }
    for (int p = 0; p < y->count; p++) {
        out[p] = 0;
        for (int i = 0; i < y->length[p]; i++)
            out[p] += cost[y->link[p][i]];
    }
}

// The nearest path flows of each trip that add to its amount: max(0, g - shift), the shift by bisection.
static void project(const tiny *y, double *g)
{
    const town *t = y->t;
    for (int64_t trip = 0; trip < t->first[t->net.zones]; trip++) {
        double low = -1e6, high = 1e6;
        for (int k = 0; k < 100; k++) {
            const double shift = (low + high) / 2;
            double sum = 0;
            for (int p = 0; p < y->count; p++)
                sum += y->trip[p] == trip ? fmax(0, g[p] - shift) : 0;
            *(sum > t->amount[trip] ? &low : &high) = shift;
        }
        for (int p = 0; p < y->count; p++)
            if (y->trip[p] == trip)
                g[p] = fmax(0, g[p] - (low + high) / 2);
    }
}

// Korpelevich (1976) with a step that shrinks while the costs change too fast. Leaves link flows in y->flow.
static void extragradient(tiny *y, bool is_marginal)
{
    double f[TINY_PATHS] = {0}, g[TINY_PATHS], cost[TINY_PATHS], there[TINY_PATHS], step = 100;
    for (int p = 0; p < y->count; p++)
        f[p] = 100;
    project(y, f);
    for (int k = 0; k < 4000; k++) {
        path_costs(y, f, is_marginal, cost);
        for (;;) {
            double moved = 0, changed = 0;
            for (int p = 0; p < y->count; p++)
                g[p] = f[p] - step * cost[p];
            project(y, g);
            path_costs(y, g, is_marginal, there);
            for (int p = 0; p < y->count; p++) {
                moved += (g[p] - f[p]) * (g[p] - f[p]);
                changed += (there[p] - cost[p]) * (there[p] - cost[p]);
            }
            if (step * sqrt(changed) <= 0.7 * sqrt(moved) || step < 1e-6)
                break;
            step /= 2;
        }
        for (int p = 0; p < y->count; p++)
            f[p] -= step * there[p];
        project(y, f);
        step *= 1.05;
    }
    path_costs(y, f, is_marginal, cost);
}

static tiny paths_of(const town *t)
{
    tiny y = {.t = t};
    for (int32_t o = 0; o < t->net.zones; o++)
        for (int64_t i = t->first[o]; i < t->first[o + 1]; i++) {
            const int links[TINY_LENGTH] = {0};
            bool seen[TINY_LENGTH] = {false};
            seen[o] = true;
            extend(&y, (int)i, o, t->to[i], links, 0, seen);
        }
    return y;
}

// Two streets in both directions, a one-way detour; both ways have trips.
static town *two_way(int type)
{
    town *t = new_town(3, 2);
    const int32_t a = add_street(t, 0, 1, type, 400, 50, 1), b = add_street(t, 1, 0, type, 400, 50, 1);
    t->street[a].reverse = b;
    t->street[b].reverse = a;
    add_street(t, 0, 2, 4, 300, 40, 1);
    add_street(t, 2, 1, 4, 300, 40, 1);
    add_street(t, 1, 2, 5, 350, 40, 1);
    add_street(t, 2, 0, 5, 300, 40, 1);
    add_trip(t, 0, 1, 1400);
    add_trip(t, 1, 0, 900);
    return t;
}

// A crossing at node 3: the flow from the north has to wait for those that cross; a detour avoids the crossing.
static town *crossing(int type)
{
    town *t = new_town(6, 4);
    const int32_t main = add_street(t, 0, 4, 4, 300, 60, 1), side = add_street(t, 1, 4, type, 300, 50, 1);
    const int32_t other = add_street(t, 5, 4, 1, 200, 50, 1);
    t->street[side].preferential[0] = main;
    t->street[side].preferential[1] = other;
    for (int i = 0; i < 2; i++)
        t->street[side].circulating[i] = i == 0 ? main : other;
    add_street(t, 0, 5, 6, 300, 50, 1);
    add_street(t, 1, 5, 7, 500, 50, 1);
    t->street[4].preferential[0] = 3;
    add_street(t, 4, 2, 4, 200, 60, 2);
    add_street(t, 4, 3, 4, 200, 60, 2);
    add_street(t, 5, 3, 10, 600, 60, 1);
    t->street[7].circulating[2] = 5;
    add_trip(t, 0, 2, 700);
    add_trip(t, 0, 3, 500);
    add_trip(t, 1, 2, 600);
    add_trip(t, 1, 3, 300);
    return t;
}

static void compare_tiny(town *t, mco_traffic_objective objective, const char *what, int type)
{
    mco_traffic *traffic = make(t);
    solved s = solve(traffic, objective, 1e-12, 1, test_path_engine);
    assert_int_equal(s.status, MCO_OK);
    const mco_traffic_facts facts = check(traffic, &s);
    if (!(facts.gap <= 1e-11))
        fail_msg("%s of type %d: gap %g by the engine, %g by the checker", what, type, s.answer.gap, facts.gap);
    tiny y = paths_of(t);
    extragradient(&y, objective == MCO_TRAFFIC_SO);
    for (int32_t a = 0; a < t->net.links; a++)
        if (fabs(y.flow[a] - s.flow[a]) > 2e-2)
            fail_msg("%s of type %d, link %d: flow %.9g, by extragradient %.9g", what, type, a, s.flow[a], y.flow[a]);
    clear(&s);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_tiny_networks(void **state)
{
    (void)state;
    static const int two_way_types[] = {3, 6, 9, 12}, crossing_types[] = {7, 8, 9, 10, 11, 12};
    for (int k = 0; k < COUNT_OF(two_way_types); k++) {
        compare_tiny(two_way(two_way_types[k]), MCO_TRAFFIC_UE, "two ways", two_way_types[k]);
        compare_tiny(two_way(two_way_types[k]), MCO_TRAFFIC_SO, "optimum of two ways", two_way_types[k]);
    }
    for (int k = 0; k < COUNT_OF(crossing_types); k++) {
        compare_tiny(crossing(crossing_types[k]), MCO_TRAFFIC_UE, "crossing", crossing_types[k]);
        compare_tiny(crossing(crossing_types[k]), MCO_TRAFFIC_SO, "optimum of a crossing", crossing_types[k]);
    }
}

// ---- Cities

static void test_cities(void **state)
{
    (void)state;
    static const double loads[] = {10, 60, 300};
    for (int k = 0; k < COUNT_OF(loads); k++) {
        mco_traffic *traffic = make(grid(6, 7, 12, 6, loads[k], 11 + (uint64_t)k));
        double paid[2];
        for (int objective = 0; objective < 2; objective++) {
            solved s = solve(traffic, objective == 0 ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO, 1e-10, 1, test_path_engine);
            assert_int_equal(s.status, MCO_OK);
            assert_true(s.answer.gap <= 1e-10);
            const mco_traffic_facts facts = check(traffic, &s);
            assert_true(facts.gap <= 1.1e-10);
            paid[objective] = facts.total_cost;
            assert_int_equal(s.history.count, s.answer.iterations);
            assert_true(s.history.pass[s.history.count - 1].gap == s.answer.gap);
            clear(&s);
        }
        assert_true(paid[1] <= paid[0] * (1 + 1e-9));
        mco_traffic_destroy(test_ctx, &traffic);
    }
}

// A city of 1,520 links, loaded above its capacity in places.
static void test_congested_city(void **state)
{
    (void)state;
    mco_traffic *traffic = make(grid(20, 20, 40, 8, 50, 21));
    solved s = solve(traffic, MCO_TRAFFIC_UE, 1e-9, 2, test_path_engine);
    assert_int_equal(s.status, MCO_OK);
    assert_true(check(traffic, &s).gap <= 1.1e-9);
    clear(&s);
    mco_traffic_destroy(test_ctx, &traffic);
}

// Pairs of segments as the inner engine, warm started from pass to pass: the same flows as by paths, and any number of threads.
static void test_pairs_within(void **state)
{
    (void)state;
    mco_traffic *traffic = make(grid(8, 8, 16, 6, 200, 61));
    solved paths = solve(traffic, MCO_TRAFFIC_UE, 1e-10, 1, test_path_engine);
    test_paths_reset();
    solved pairs = solve(traffic, MCO_TRAFFIC_UE, 1e-10, 1, traffic_pairs_assign);
    solved again = solve(traffic, MCO_TRAFFIC_UE, 1e-10, 3, traffic_pairs_assign);
    assert_int_equal(paths.status, MCO_OK);
    assert_int_equal(pairs.status, MCO_OK);
    assert_int_equal(again.status, MCO_OK);
    assert_true(check(traffic, &pairs).gap <= 1.1e-10);
    for (int32_t e = 0; e < paths.problem.links; e++)
        if (fabs(paths.answer.flow[e] - pairs.answer.flow[e]) > 1e-2)
            fail_msg("link %d: flow %.9g by pairs, %.9g by paths", e, pairs.answer.flow[e], paths.answer.flow[e]);
    assert_memory_equal(pairs.answer.flow, again.answer.flow, (size_t)pairs.problem.links * sizeof *pairs.answer.flow);
    clear(&again);
    clear(&pairs);
    clear(&paths);
    mco_traffic_destroy(test_ctx, &traffic);
}

// The network of twelve types by the library's own rule and entry point; loads above capacity. The gap is the one of the checker.
static void test_generated_city(void **state)
{
    (void)state;
    const mco_traffic_shape shape = {MCO_TRAFFIC_STREETS, 20, 20, 30, 10, 0.3, 1};
    mco_traffic *traffic = NULL;
    assert_ok(mco_traffic_generate(test_ctx, &shape, &traffic));
    for (int objective = 0; objective < 2; objective++) {
        mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
        mco_traffic_result result = MCO_TRAFFIC_RESULT_INIT;
        mco_traffic_facts facts = {0};
        params.objective = objective == 0 ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO;
        params.threads = 1;
        params.gap = 1e-8;
        assert_ok(mco_traffic_assign(test_ctx, traffic, &params, NULL, &result));
        assert_int_equal(result.outcome, MCO_OUTCOME_OPTIMAL);
        assert_true(result.gap <= 1e-8 && isnan(result.bound));
        assert_true(isnan(result.objective) == (objective == 0));
        assert_ok(mco_traffic_check(test_ctx, traffic, &params, result.flow, NULL, &facts));
        assert_true(facts.gap <= 1.1e-8);
        assert_true(fabs(facts.total_cost - result.total_cost) <= 1e-12 * facts.total_cost);
        mco_traffic_result_clear(test_ctx, &result);
    }
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_without_interaction(void **state)
{
    (void)state;
    town *t = grid(5, 5, 6, 4, 100, 2);
    for (int32_t a = 0; a < t->net.links; a++)
        t->street[a].type = 1 + a % 2 + 3 * (a % 3 > 0);  // 1, 2, 4, 5
    mco_traffic *traffic = make(t);
    solved s = solve(traffic, MCO_TRAFFIC_UE, 1e-12, 1, test_path_engine);
    assert_int_equal(s.status, MCO_OK);
    assert_true(s.problem.is_integral);
    assert_int_equal(test_paths.calls, 1);
    const mco_traffic_facts facts = check(traffic, &s);
    assert_true(facts.gap <= 1.1e-12);
    double objective = 0;
    for (int32_t e = 0; e < s.problem.links; e++)
        objective += traffic_integral(&s.problem.costs, e, s.answer.flow[e]);
    assert_true(fabs(objective - facts.objective) <= 1e-12 * objective);
    clear(&s);
    mco_traffic_destroy(test_ctx, &traffic);
}

// Threads share the search of least costs; the flows are the same bits.
static void test_threads(void **state)
{
    (void)state;
    mco_traffic *traffic = make(grid(8, 8, 16, 6, 100, 31));
    solved one = solve(traffic, MCO_TRAFFIC_UE, 1e-9, 1, test_path_engine);
    test_paths_reset();
    for (int threads = 2; threads <= 5; threads += 3) {
        solved more = solve(traffic, MCO_TRAFFIC_UE, 1e-9, threads, test_path_engine);
        assert_int_equal(more.status, MCO_OK);
        assert_true(one.answer.gap == more.answer.gap);
        assert_memory_equal(one.answer.flow, more.answer.flow, (size_t)one.problem.links * sizeof *one.answer.flow);
        clear(&more);
    }
    clear(&one);
    mco_traffic_destroy(test_ctx, &traffic);
}

// ---- Ends

static int stop_after;  // calls of the engine

static mco_status stopping_engine(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    if (--stop_after == 0)
        mco_cancel(ctx);
    return test_path_engine(ctx, call, out);
}

static void test_stops(void **state)
{
    (void)state;
    mco_traffic *traffic = make(grid(6, 6, 8, 5, 200, 41));
    for (int after = 1; after <= 4; after++) {
        stop_after = after;
        solved s = solve(traffic, MCO_TRAFFIC_UE, 1e-12, 1, stopping_engine);
        assert_int_equal(s.status, MCO_OK);
        assert_int_equal(s.answer.iterations, after);
        assert_true(s.answer.gap > 1e-12);
        mco_clear_cancel(test_ctx);
        assert_true(check(traffic, &s).imbalance <= 1e-6);
        clear(&s);
    }
    // A cancellation before any flows.
    mco_cancel(test_ctx);
    solved s = solve(traffic, MCO_TRAFFIC_UE, 1e-12, 1, test_path_engine);
    assert_true(s.status == MCO_ERR_STOPPED || s.status == MCO_OK);
    mco_clear_cancel(test_ctx);
    clear(&s);
    mco_traffic_destroy(test_ctx, &traffic);
}

static void test_failing_memory(void **state)
{
    (void)state;
    mco_traffic *traffic = make(grid(4, 4, 4, 3, 200, 51));
    bool is_done = false;
    int failures = 0;
    for (long k = 1; !is_done && k < 2000; k++) {
        test_fail_allocation(k);
        solved s = solve(traffic, k % 2 ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO, 1e-8, 2, test_path_engine);
        is_done = test_memory.calls < k;
        test_fail_allocation(0);
        assert_int_equal(s.status, is_done ? MCO_OK : MCO_ERR_MEMORY);
        failures += s.status == MCO_ERR_MEMORY;
        clear(&s);
    }
    assert_true(is_done && failures > 40);
    mco_traffic_destroy(test_ctx, &traffic);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_table),          TEST(test_marginal_and_frozen), TEST(test_refusals), TEST(test_tiny_networks), TEST(test_cities),
        TEST(test_congested_city), TEST(test_without_interaction), TEST(test_threads),  TEST(test_stops),         TEST(test_failing_memory),
        TEST(test_pairs_within),   TEST(test_generated_city),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
