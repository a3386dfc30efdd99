// SPDX-License-Identifier: MIT
// Trees and scans of the method of pairs on a GPU: labels, parents, sums and candidates against an oracle that relaxes links until
// nothing changes, for networks of all kinds, several classes, links without cost, labels in either memory, and little room. Whole solves against the cores.
#include <math.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "traffic/gpu_pairs/gpu.h"

static long checks;
static bool is_small;  // the argument `small`: few cases, for tools that slow kernels down
static mco_context *ctx;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))
#define CHECK(condition, ...) \
    do {                      \
        checks++;             \
        GPU_CHECK(condition, __VA_ARGS__); \
    } while (0)

// ---- Steps: each is printed with its time, and one that does not end ends the test as failed

enum { MOST_STEP_S = 60, SLOWER = 5 };
static char step_name[128];
static double step_begin_s;

static void step_is_late(int sig)
{
    static const char text[] = ": this step has not ended, a kernel or a wait hangs\n";
    (void)sig;
    if (write(STDERR_FILENO, step_name, strlen(step_name)) >= 0 && write(STDERR_FILENO, text, sizeof text - 1) >= 0)
        _exit(EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

// Ends the step before. NULL: the last one has ended.
static void begin_step(const char *name)
{
    const double now_s = mco_clock_s();
    if (step_name[0] != 0)
        printf("  %s: %.2f s\n", step_name, now_s - step_begin_s);
    fflush(stdout);
    snprintf(step_name, sizeof step_name, "%s", name == NULL ? "" : name);
    step_begin_s = now_s;
    alarm(name == NULL ? 0 : is_small ? SLOWER * MOST_STEP_S : MOST_STEP_S);
}

// ---- Networks

typedef struct instance {
    mco_traffic *traffic;
    traffic_problem problem;
    pairs_store store;
    mco_run run;
    traffic_call call;
    mco_traffic_params params;
    traffic_scanner scanner;
    traffic_gpu_stats stats;
    double *cost;   // [tables][links]
    int32_t tables;
} instance;

typedef struct shape {
    int32_t nodes, zones, first_through, links, classes, trips;
    int zero_share;      // one link in so many costs nothing; 0: none does
    bool is_grid;        // links of a square grid come first, so that all is reachable
    int32_t hub;         // so many links lead into one node
} shape;

typedef struct made {
    int32_t *tail, *head;
    double *capacity, *time, *power, *b, *toll;
    int32_t links, room;
} made;

static void add_link(made *m, mco_rng *rng, const shape *s, int32_t tail, int32_t head)
{
    const int32_t l = m->links;
    if (l == m->room || tail == head)
        return;
    m->tail[l] = tail;
    m->head[l] = head;
    m->capacity[l] = 100 + mco_rng_below(rng, 1000);
    const bool is_free = s->zero_share > 0 && mco_rng_below(rng, (uint32_t)s->zero_share) == 0;
    m->time[l] = is_free ? 0 : mco_rng_below(rng, 2) == 0 ? 1 + mco_rng_below(rng, 8) : 0.5 + mco_rng_below(rng, 100000) * 1e-4;
    m->power[l] = 4;
    m->b[l] = 0.15;
    m->toll[l] = mco_rng_below(rng, 3) == 0 ? mco_rng_below(rng, 5) : 0;
    m->links++;
}

static void make_links(made *m, mco_rng *rng, const shape *s)
{
    const int32_t side = (int32_t)sqrt((double)s->nodes);
    for (int32_t v = 0; s->is_grid && v < side * side; v++) {
        if (v % side + 1 < side) {
            add_link(m, rng, s, v, v + 1);
            add_link(m, rng, s, v + 1, v);
        }
        if (v + side < side * side) {
            add_link(m, rng, s, v, v + side);
            add_link(m, rng, s, v + side, v);
        }
    }
    for (int32_t k = 0; k < s->hub; k++)
        add_link(m, rng, s, (int32_t)mco_rng_below(rng, (uint32_t)s->nodes), s->nodes - 1);
    while (m->links < m->room && s->nodes > 1)
        add_link(m, rng, s, (int32_t)mco_rng_below(rng, (uint32_t)s->nodes), (int32_t)mco_rng_below(rng, (uint32_t)s->nodes));
}

static void make_classes(mco_rng *rng, const shape *s, mco_traffic_class *classes)
{
    for (int32_t k = 0; k < s->classes; k++) {
        mco_traffic_class *c = &classes[k];
        *c = (mco_traffic_class){.name = "class", .toll_factor = k, .distance_factor = 0, .car_equivalent = 1 + 0.5 * k,
                                 .stated_total = NAN, .stated_toll_factor = NAN, .stated_distance_factor = NAN};
        c->first = calloc((size_t)s->zones + 1, sizeof *c->first);
        c->to = calloc((size_t)(s->trips + 1), sizeof *c->to);
        c->amount = calloc((size_t)(s->trips + 1), sizeof *c->amount);
        int64_t count = 0;
        for (int32_t o = 0; o < s->zones; o++) {
            c->first[o] = count;
            const int64_t end = (int64_t)s->trips * (o + 1) / s->zones;
            for (int32_t d = (int32_t)mco_rng_below(rng, 3); d < s->zones && count < end; d += 1 + (int32_t)mco_rng_below(rng, 4)) {
                c->to[count] = d;
                c->amount[count++] = 0.1 + mco_rng_below(rng, 1000) * 0.07;
            }
        }
        c->first[s->zones] = count;
    }
}

static void open_instance(instance *in, mco_rng *rng, const shape *s, const traffic_gpu_tuning *tuning)
{
    made m = {.room = s->links};
    const size_t room = (size_t)s->links + 1;
    int32_t **const ints[] = {&m.tail, &m.head};
    double **const reals[] = {&m.capacity, &m.time, &m.power, &m.b, &m.toll};
    mco_traffic_class *classes = calloc((size_t)s->classes + 1, sizeof *classes);
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "objective"};
    *in = (instance){.params = MCO_TRAFFIC_PARAMS_INIT};
    for (int k = 0; k < 2; k++)
        *ints[k] = calloc(room, sizeof(int32_t));
    for (int k = 0; k < 5; k++)
        *reals[k] = calloc(room, sizeof(double));
    make_links(&m, rng, s);
    make_classes(rng, s, classes);
    const mco_traffic_network network = {.nodes = s->nodes, .zones = s->zones, .first_through = s->first_through, .links = m.links,
                                         .tail = m.tail, .head = m.head, .capacity = m.capacity, .free_time = m.time, .b = m.b,
                                         .power = m.power, .toll = m.toll};
    MUST(mco_traffic_create(ctx, "made", &network, s->classes, classes, &in->traffic));
    MUST(traffic_problem_make(ctx, in->traffic, &in->params, &in->problem));
    in->run = mco_run_begin(ctx, &settings);
    in->call = (traffic_call){.problem = &in->problem, .params = &in->params, .run = &in->run, .gap = 1e-10};
    in->tables = in->problem.extra != NULL ? in->problem.classes : 1;
    in->cost = calloc((size_t)in->tables * ((size_t)in->problem.links + 1), sizeof *in->cost);
    MUST(pairs_store_open(ctx, &in->problem, true, NULL, &in->store));
    MUST(traffic_gpu_scanner(ctx, &in->call, &in->store, tuning, &in->scanner, &in->stats));
    for (int k = 0; k < 2; k++)
        free(*ints[k]);
    for (int k = 0; k < 5; k++)
        free(*reals[k]);
    for (int32_t k = 0; k < s->classes; k++) {
        free(classes[k].first);
        free(classes[k].to);
        free(classes[k].amount);
    }
    free(classes);
}

static void close_instance(instance *in)
{
    if (in->scanner.close != NULL)
        in->scanner.close(in->scanner.self);
    pairs_store_close(&in->store);
    mco_run_clear(&in->run);
    traffic_problem_clear(ctx, &in->problem);
    mco_traffic_destroy(ctx, &in->traffic);
    free(in->cost);
}

// Costs at the flows of the store.
static void set_costs(instance *in)
{
    const traffic_problem *p = &in->problem;
    double *flow = calloc((size_t)p->links + 1, sizeof *flow);
    pairs_store_sum(&in->store, flow, NULL);
    for (int32_t k = 0; k < in->tables; k++)
        for (int32_t l = 0; l < p->links; l++)
            in->cost[(size_t)k * (size_t)p->links + (size_t)l] =
                traffic_cost(&p->costs, l, flow[l]) + (p->extra != NULL ? p->extra[(size_t)k * (size_t)p->links + (size_t)l] : 0);
    free(flow);
}

// ---- The oracle

typedef struct oracle {
    double *label;
    int32_t *parent;  // link, -1: none
    int32_t *queue;
    bool *is_in, *is_queued;
} oracle;

static void oracle_open(oracle *o, int32_t nodes)
{
    o->label = calloc((size_t)nodes, sizeof *o->label);
    o->parent = calloc((size_t)nodes, sizeof *o->parent);
    o->queue = calloc((size_t)nodes + 1, sizeof *o->queue);
    o->is_in = calloc((size_t)nodes, sizeof *o->is_in);
    o->is_queued = calloc((size_t)nodes, sizeof *o->is_queued);
}

static void oracle_close(oracle *o)
{
    free(o->label);
    free(o->parent);
    free(o->queue);
    free(o->is_in);
    free(o->is_queued);
}

// Relaxes links of a queue of nodes until nothing changes: the least fixed point of rounded sums.
static void oracle_labels(const traffic_problem *p, const double *cost, int32_t origin, oracle *o)
{
    int64_t head = 0, count = 1;
    for (int32_t v = 0; v < p->nodes; v++)
        o->label[v] = INFINITY;
    o->label[origin] = 0;
    o->queue[0] = origin;
    for (; count > 0; count--) {
        const int32_t v = o->queue[head];
        head = (head + 1) % (p->nodes + 1);
        o->is_queued[v] = false;
        for (int32_t l = p->first[v]; l < p->first[v + 1]; l++) {
            const int32_t w = p->head[l];
            if (!(o->label[v] + cost[l] < o->label[w]))
                continue;
            o->label[w] = o->label[v] + cost[l];
            if (w < p->first_through || o->is_queued[w])
                continue;
            o->is_queued[w] = true;
            o->queue[(head + count - 1) % (p->nodes + 1)] = w;  // v still counts
            count++;
        }
    }
}

static void oracle_parents(const traffic_problem *p, const double *cost, int32_t origin, oracle *o)
{
    bool *enters = calloc((size_t)p->nodes, sizeof *enters);
    for (int round = 0, moved = 1; moved > 0; round++) {
        moved = 0;
        for (int32_t v = 0; v < p->nodes; v++) {
            if (round == 0) {
                o->parent[v] = -1;
                o->is_in[v] = v == origin;
                enters[v] = false;
            }
            if (o->is_in[v] || o->label[v] == INFINITY)
                continue;
            for (int32_t k = p->into_first[v]; k < p->into_first[v + 1] && !enters[v]; k++) {
                const int32_t l = p->into[k], u = p->tail[l];
                if ((u < p->first_through && u != origin) || o->label[u] + cost[l] != o->label[v])
                    continue;
                if (round == 0 ? !(o->label[u] < o->label[v]) : !o->is_in[u])
                    continue;
                o->parent[v] = l;
                enters[v] = true;
            }
            moved += enters[v];
        }
        for (int32_t v = 0; v < p->nodes; v++)
            o->is_in[v] = o->is_in[v] || enters[v];
        moved += round == 0;
    }
    free(enters);
}

static const double *cost_of(const instance *in, int32_t row)
{
    return in->cost + (in->tables > 1 ? (size_t)in->problem.row_class[row] * (size_t)in->problem.links : 0);
}

static bool is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * (fabs(a) + fabs(b));
}

// ---- Loads and scans against the oracle

// The flows of a row against its trips on the oracle's tree.
static void check_load(const instance *in, int32_t row, oracle *o, double *amount)
{
    const traffic_problem *p = &in->problem;
    const int32_t place = in->store.place[row];
    double worst = 0, most = 0;
    memset(amount, 0, (size_t)p->links * sizeof *amount);
    for (int64_t k = p->row_first[row]; k < p->row_first[row + 1]; k++)
        for (int32_t v = p->to[k]; v != p->row_origin[row]; v = p->tail[o->parent[v]]) {
            CHECK(o->parent[v] >= 0, "row %d: no way to %d", row, p->to[k]);
            if (o->parent[v] < 0)
                return;
            amount[o->parent[v]] += p->amount[k];
        }
    for (int32_t l = 0; l < p->links; l++) {
        const double flow = pairs_flow(&in->store.batch[place / PAIRS_LANES], place % PAIRS_LANES, l);
        worst = fmax(worst, fabs(flow - amount[l]));
        most = fmax(most, amount[l]);
    }
    CHECK(worst <= 1e-13 * most, "row %d: a flow differs by %g of %g", row, worst, most);
}

static void check_loads(instance *in)
{
    const traffic_problem *p = &in->problem;
    oracle o;
    double *amount = calloc((size_t)p->links + 1, sizeof *amount);
    oracle_open(&o, p->nodes);
    for (int32_t row = 0; row < p->rows; row++) {
        oracle_labels(p, cost_of(in, row), p->row_origin[row], &o);
        oracle_parents(p, cost_of(in, row), p->row_origin[row], &o);
        check_load(in, row, &o, amount);
    }
    free(amount);
    oracle_close(&o);
}

// Candidates of a place: *at moves behind them. Returns how many there should be.
static void check_place(instance *in, const traffic_scan *scan, double threshold, int32_t row, oracle *o, int64_t *at, double sum[2])
{
    const traffic_problem *p = &in->problem;
    const int32_t place = in->store.place[row];
    const pairs_batch *b = &in->store.batch[place / PAIRS_LANES];
    const double *cost = cost_of(in, row);
    const int64_t begin = *at;
    for (int32_t l = 0; l < p->links; l++) {
        const double flow = pairs_flow(b, place % PAIRS_LANES, l);
        if (!(flow > 0))
            continue;
        const double reduced = o->label[p->tail[l]] + cost[l] - o->label[p->head[l]];
        sum[0] += flow * cost[l];
        sum[1] += flow * reduced;
        if (!(flow * reduced > threshold))
            continue;
        const bool is_there = *at < scan->count && scan->candidate[*at].place == place && scan->candidate[*at].link == l;
        CHECK(is_there && scan->candidate[*at].reduced == reduced, "row %d, link %d: reduced cost %.17g", row, l, reduced);
        *at += is_there;
    }
    if (*at == begin)
        return;
    const traffic_tree t = in->scanner.tree(in->scanner.self, place);
    int32_t wrong = 0;
    for (int32_t v = 0; v < p->nodes; v++)
        wrong += traffic_tree_link(p, &t, v) != o->parent[v];
    CHECK(wrong == 0, "row %d: %d parents differ", row, wrong);
}

static void check_scan(instance *in, const traffic_scan *scan, double threshold)
{
    const traffic_problem *p = &in->problem;
    double sum[2] = {0, 0};
    int64_t at = 0;
    oracle o;
    oracle_open(&o, p->nodes);
    for (int32_t place = 0; place < in->store.batches * PAIRS_LANES; place++) {
        const int32_t row = in->store.batch[place / PAIRS_LANES].row[place % PAIRS_LANES];
        if (row < 0)
            continue;
        oracle_labels(p, cost_of(in, row), p->row_origin[row], &o);
        oracle_parents(p, cost_of(in, row), p->row_origin[row], &o);
        check_place(in, scan, threshold, row, &o, &at, sum);
    }
    CHECK(at == scan->count, "%lld candidates, %lld are right", (long long)scan->count, (long long)at);
    CHECK(is_near(sum[0], scan->total, 1e-12) && is_near(sum[1], scan->excess, 1e-11), "total %.17g, excess %.17g; right are %.17g, %.17g",
          scan->total, scan->excess, sum[0], sum[1]);
    oracle_close(&o);
}

// Moves flow of random rows to random links, as the balance would: old slots and new ones.
static void edit_flows(instance *in, mco_rng *rng, int count)
{
    const traffic_problem *p = &in->problem;
    for (int k = 0; k < count && p->rows > 0 && p->links > 0; k++) {
        const int32_t place = in->store.place[mco_rng_below(rng, (uint32_t)p->rows)], lane = place % PAIRS_LANES;
        pairs_batch *b = &in->store.batch[place / PAIRS_LANES];
        int32_t slot = b->slots > 0 ? (int32_t)mco_rng_below(rng, (uint32_t)b->slots) : 0;
        if (b->slots == 0)
            continue;
        double *flow = &b->flow[(size_t)slot * PAIRS_LANES + (size_t)lane];
        *flow = mco_rng_below(rng, 3) == 0 ? 0 : *flow > 0 ? *flow * 0.75 : 0;
        b->is_changed[slot] = 1;
    }
}

static uint64_t hash_of(const traffic_scan *scan)
{
    const unsigned char *byte = (const unsigned char *)scan->candidate;
    uint64_t hash = 1469598103934665603u;
    for (size_t k = 0; k < (size_t)scan->count * sizeof *scan->candidate; k++)
        hash = (hash ^ byte[k]) * 1099511628211u;
    return hash;
}

// Loads, then scans of edited flows at their costs, each twice.
static void run_instance(const char *what, mco_rng *rng, const shape *s, const traffic_gpu_tuning *tuning, int scans)
{
    instance in;
    traffic_scan scan, again;
    open_instance(&in, rng, s, tuning);
    if (gpu_failures > 0) {
        fprintf(stderr, "%s: not opened\n", what);
        exit(EXIT_FAILURE);
    }
    set_costs(&in);
    MUST(in.scanner.load(in.scanner.self, in.cost));
    check_loads(&in);
    for (int k = 0; k < scans; k++) {
        if (k > 0)
            edit_flows(&in, rng, 40);
        set_costs(&in);
        MUST(in.scanner.scan(in.scanner.self, in.cost, 0, NULL, &scan));
        const double threshold = k % 2 == 0 || scan.count == 0 ? 0 : scan.excess / (double)scan.count;
        MUST(in.scanner.scan(in.scanner.self, in.cost, threshold, NULL, &scan));
        check_scan(&in, &scan, threshold);
        const uint64_t hash = hash_of(&scan);
        MUST(in.scanner.scan(in.scanner.self, in.cost, threshold, NULL, &again));
        CHECK(again.total == scan.total && again.excess == scan.excess && again.count == scan.count && hash_of(&again) == hash,
              "%s: two scans differ", what);
    }
    close_instance(&in);
}

// ---- Parts

static void random_networks(void)
{
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < (is_small ? 12 : 60); k++) {
        const int32_t nodes = 2 + (int32_t)mco_rng_below(&rng, 200), zones = 1 + (int32_t)mco_rng_below(&rng, (uint32_t)nodes - 1);
        const shape s = {.nodes = nodes, .zones = zones, .first_through = k % 3 == 0 ? zones : k % 3 == 1 ? zones / 2 : 0,
                         .links = nodes * (2 + k % 5), .classes = 1 + k % 3, .trips = 4 * zones, .zero_share = k % 4 == 0 ? 3 : k % 4};
        const traffic_gpu_tuning tuning = {.is_wide = k % 5 == 4, .has_wide_parents = k % 7 == 6, .queue = k % 2 == 0 ? 0 : 16,
                                           .room = k % 3 == 0 ? 8 : 0, .stage = k % 4 == 1 ? 5 : 0, .delta_links = k % 6};
        run_instance("random", &rng, &s, &tuning, 3);
    }
}

static void smallest_networks(void)
{
    mco_rng rng;
    mco_rng_seed(&rng, 2, 0);
    const shape shapes[] = {{.nodes = 1, .zones = 1, .links = 0, .classes = 1, .trips = 1},
                            {.nodes = 2, .zones = 2, .links = 2, .classes = 1, .trips = 2, .is_grid = true},
                            {.nodes = 4, .zones = 4, .links = 8, .classes = 2, .trips = 8, .is_grid = true, .zero_share = 1},
                            {.nodes = 33, .zones = 32, .links = 200, .classes = 1, .trips = 0}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++)
        run_instance("small", &rng, &shapes[k], NULL, 2);
}

static void hub(void)
{
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    const shape s = {.nodes = 400, .zones = 20, .links = 2400, .classes = 1, .trips = 100, .is_grid = true, .hub = 700};
    run_instance("hub", &rng, &s, NULL, 2);
}

static void large_networks(void)
{
    mco_rng rng;
    mco_rng_seed(&rng, 4, 0);
    const shape city = {.nodes = 13000, .zones = 40, .first_through = 0, .links = 52000, .classes = 1, .trips = 900, .is_grid = true, .zero_share = 50};
    const shape beyond = {.nodes = 40000, .zones = 20, .links = 160000, .classes = 2, .trips = 300, .is_grid = true, .zero_share = 20};
    const shape wide = {.nodes = 70000, .zones = 10, .links = 280000, .classes = 1, .trips = 60, .is_grid = true};
    run_instance("13,000 nodes", &rng, &city, NULL, 2);
    run_instance("40,000 nodes", &rng, &beyond, NULL, 2);
    run_instance("70,000 nodes", &rng, &wide, NULL, 1);
}

static void stops(void)
{
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    const shape s = {.nodes = 40000, .zones = 400, .links = 160000, .classes = 1, .trips = 800, .is_grid = true};
    instance in;
    traffic_scan scan;
    open_instance(&in, &rng, &s, NULL);
    set_costs(&in);
    MUST(in.scanner.load(in.scanner.self, in.cost));
    mco_run_limit(&in.run, mco_run_time_s(&in.run));
    const double begin_s = mco_clock_s();
    mco_status st = MCO_OK;
    for (int k = 0; k < 20 && st == MCO_OK; k++)
        st = in.scanner.scan(in.scanner.self, in.cost, 0, NULL, &scan);
    CHECK(st == MCO_ERR_STOPPED, "status %d", (int)st);
    CHECK(mco_clock_s() - begin_s < 0.5, "the stop took %.3f s", mco_clock_s() - begin_s);
    close_instance(&in);
}

// Whole solves: the same objective as the cores, and the same flows twice.
static void solves(void)
{
    mco_rng rng;
    mco_rng_seed(&rng, 6, 0);
    for (int k = 0; k < (is_small ? 1 : 6); k++) {
        const shape s = {.nodes = 100 + 60 * k, .zones = 12 + k, .first_through = k % 2 * 12, .links = 700 + 300 * k, .classes = 1 + k % 3,
                         .trips = 120, .is_grid = true, .zero_share = k % 3 * 10};
        instance in;
        traffic_history history = {0};
        traffic_answer answer[3] = {{0}};
        open_instance(&in, &rng, &s, NULL);
        in.call.history = &history;
        in.params.threads = 1;
        in.call.wants_state = k % 2 == 0;
        MUST(traffic_pairs_assign(ctx, &in.call, &answer[0]));
        MUST(traffic_gpu_pairs_assign(ctx, &in.call, &answer[1]));
        MUST(traffic_gpu_pairs_assign(ctx, &in.call, &answer[2]));
        double objective[3];
        for (int j = 0; j < 3; j++) {
            CHECK(answer[j].flow != NULL && answer[j].gap <= in.call.gap, "solve %d of network %d: gap %g", j, k, answer[j].gap);
            objective[j] = answer[j].flow != NULL ? traffic_objective(&in.problem, answer[j].flow, answer[j].class_flow) : NAN;
        }
        CHECK(is_near(objective[0], objective[1], 1e-9), "network %d: objectives %.17g and %.17g", k, objective[0], objective[1]);
        CHECK(answer[1].flow != NULL && answer[2].flow != NULL &&
                  memcmp(answer[1].flow, answer[2].flow, (size_t)in.problem.links * sizeof(double)) == 0, "network %d: flows differ", k);
        for (int j = 0; j < 3; j++)
            traffic_answer_clear(ctx, &answer[j]);
        mco_free(ctx, &history.pass);
        close_instance(&in);
    }
}

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*run)(void); bool is_large; } parts[] = {
        {"smallest networks", smallest_networks, false}, {"random networks", random_networks, false}, {"a hub", hub, false},
        {"large networks", large_networks, true}, {"stops", stops, true}, {"solves", solves, false}};
    is_small = argc > 1 && strcmp(argv[1], "small") == 0;
    signal(SIGALRM, step_is_late);
    ctx = gpu_begin();
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++) {
        if (is_small && parts[k].is_large)
            continue;
        begin_step(parts[k].name);
        parts[k].run();
    }
    begin_step(NULL);
    mco_context_destroy(&ctx);
    return gpu_summary("trees and scans of pairs", checks);
}
