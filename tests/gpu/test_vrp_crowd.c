// SPDX-License-Identifier: MIT
// A crowd on a GPU: after every launch all copies are fetched and compared with what their lists say: links, edges,
// positions, loads, lengths, limits, costs. Routes of two customers and of two thousand; parts; copies; ends. The rate
// goes to standard output.
//
//     gpu_test_vrp_crowd [tiny]    `tiny`: few steps, for checkers of memory and races
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "gpu/gpu_support.h"
#include "vrp/search/crowd_cuda.h"

static long checks;
static mco_context *ctx;
static mco_device device;
static bool is_tiny;

#define MUST(call)                                                        \
    do {                                                                  \
        const int must_error = (int)(call);                               \
        if (must_error != 0) {                                            \
            fprintf(stderr, "%s: error %d\n", #call, must_error);         \
            exit(EXIT_FAILURE);                                           \
        }                                                                 \
    } while (0)
#define CHECK(condition, ...)                                             \
    do {                                                                  \
        checks++;                                                         \
        GPU_CHECK(condition, __VA_ARGS__);                                \
    } while (0)

// ---- Cases

typedef struct shape {
    const char *name;
    int32_t customers, of_route;   // a vehicle carries about so many
    bool has_length, rounds_up, is_matrix;
    int32_t spare, room;           // empty routes at the beginning; room 0: twice the longest route
    int32_t copies, parts;
    int64_t steps;
    double gained;                 // the cost falls below so much of that of the start
    bool is_rate;                  // its rate is shown: tails are proposed only where routes are long, as a search does
} shape;

typedef struct instance {
    const shape *shape;
    float *xy;
    int32_t *demand, *service;
    vrp_crowd crowd;               // addresses in the device
    int32_t *d_stop, *d_from, *d_to;
    // Fetched:
    vrp_crowd_node *node;
    vrp_crowd_ring *ring;
    int32_t *load_to, *length_to;
    uint16_t *line;
    int64_t *cost, *change;
} instance;

static void *zeroed(size_t count, size_t bytes)
{
    void *out = calloc(count > 0 ? count : 1, bytes);
    if (out == NULL)
        abort();
    return out;
}

static void *sent(const void *host, size_t bytes)
{
    void *out = NULL;
    MUST(mco_device_take_bytes(&device, MCO_MEMORY_DEVICE, &out, bytes, 1));
    MUST(host != NULL ? cudaMemcpyAsync(out, host, bytes, cudaMemcpyHostToDevice, device.stream)
                      : cudaMemsetAsync(out, 0, bytes, device.stream));
    MUST(cudaStreamSynchronize(device.stream));
    return out;
}

static double exact(const instance *t, int32_t a, int32_t b)
{
    const int32_t n = t->crowd.customers, i = a <= n ? a : 0, j = b <= n ? b : 0;
    return hypot((double)t->xy[2 * i] - t->xy[2 * j], (double)t->xy[2 * i + 1] - t->xy[2 * j + 1]);
}

// The LANES nearest of each customer.
static uint16_t *nearest(const instance *t)
{
    const int32_t n = t->crowd.customers;
    uint16_t *near = zeroed((size_t)(n + 1) * VRP_CROWD_LANES, sizeof *near);
    for (int32_t c = 1; c <= n; c++) {
        uint16_t *row = near + (size_t)c * VRP_CROWD_LANES;
        int held = 0;
        for (int32_t u = 1; u <= n; u++) {
            if (u == c || (held == VRP_CROWD_LANES && exact(t, c, u) >= exact(t, c, row[held - 1])))
                continue;
            int k = held < VRP_CROWD_LANES ? held++ : held - 1;
            for (; k > 0 && exact(t, c, row[k - 1]) > exact(t, c, u); k--)
                row[k] = row[k - 1];
            row[k] = (uint16_t)u;
        }
    }
    return near;
}

// Fills rings and lines with routes of customers in their order; returns how many. `line` NULL: only counts them.
static int32_t fill_routes(const instance *t, vrp_crowd_ring *ring, uint16_t *line, int32_t room, int32_t *longest)
{
    int32_t routes = 0, load = 0, size = 0, at = 0;
    double length = 0;
    *longest = 0;
    for (int32_t c = 1; c <= t->crowd.customers; c++) {
        const double along = ceil(exact(t, at, c)) + t->service[c];
        if (size > 0 &&
            (load + t->demand[c] > t->crowd.capacity || length + along + ceil(exact(t, c, 0)) > t->crowd.longest ||
             (room > 0 && size >= room - VRP_CROWD_REMOVED))) {
            routes++;
            load = size = 0;
            length = 0;
            at = 0;
        }
        length += ceil(exact(t, at, c)) + t->service[c];
        load += t->demand[c];
        if (line != NULL) {
            line[(size_t)routes * (size_t)room + (size_t)size] = (uint16_t)c;
            ring[routes].count = size + 1;
        }
        size++;
        *longest = size > *longest ? size : *longest;
        at = c;
    }
    return routes + 1;
}

static void draw_instance(instance *t, const shape *s, mco_rng *rng)
{
    enum { SIDE = 1000, DEMANDS = 20 };
    const size_t rows = (size_t)s->customers + 1;
    t->shape = s;
    t->xy = zeroed(2 * rows, sizeof *t->xy);
    t->demand = zeroed(rows, sizeof *t->demand);
    t->service = zeroed(rows, sizeof *t->service);
    for (size_t i = 1; i < rows; i++) {
        t->xy[2 * i] = (float)mco_rng_below(rng, SIDE) - SIDE / 3;
        t->xy[2 * i + 1] = (float)mco_rng_below(rng, SIDE) - SIDE / 2;
        t->demand[i] = (int32_t)mco_rng_below(rng, DEMANDS) + 1;
        t->service[i] = s->has_length ? (int32_t)mco_rng_below(rng, SIDE / 20) : 0;
    }
    t->crowd = (vrp_crowd){.customers = s->customers, .copies = s->copies, .parts = s->parts,
                           .capacity = s->of_route * DEMANDS / 2 + DEMANDS,
                           .longest = s->has_length ? 3 * SIDE + s->of_route * SIDE / 3 : INT32_MAX / 2,
                           .bump = s->rounds_up ? 0.4999F : 0, .has_length = s->has_length};
}

static const int32_t *sent_matrix(const instance *t)
{
    const size_t rows = (size_t)t->crowd.customers + 1;
    int32_t *matrix = zeroed(rows * rows, sizeof *matrix);
    for (size_t i = 0; i < rows * rows; i++)
        matrix[i] = (int32_t)lround(exact(t, (int32_t)(i / rows), (int32_t)(i % rows)));
    const int32_t *out = sent(matrix, rows * rows * sizeof *matrix);
    free(matrix);
    return out;
}

static void open_instance(instance *t, const shape *s, mco_rng *rng)
{
    vrp_crowd *c = &t->crowd;
    int32_t longest;
    draw_instance(t, s, rng);
    fill_routes(t, NULL, NULL, s->room, &longest);
    const int32_t room = s->room > 0 ? s->room : 2 * longest + VRP_CROWD_REMOVED;
    c->room = (room + VRP_CROWD_ALIGNED - 1) / VRP_CROWD_ALIGNED * VRP_CROWD_ALIGNED;
    c->rings = fill_routes(t, NULL, NULL, c->room, &longest) + s->spare;
    c->nodes = (s->customers + 1 + c->rings + VRP_CROWD_ALIGNED - 1) / VRP_CROWD_ALIGNED * VRP_CROWD_ALIGNED;
    const size_t rows = (size_t)s->customers + 1, copies = (size_t)s->copies + 1, nodes = (size_t)c->nodes;
    const size_t rings = (size_t)c->rings, lists = rings * (size_t)c->room;
    t->node = zeroed(copies * nodes, sizeof *t->node);
    t->ring = zeroed(copies * (rings + 1), sizeof *t->ring);
    t->load_to = zeroed(copies * nodes, sizeof *t->load_to);
    t->length_to = zeroed(copies * nodes, sizeof *t->length_to);
    t->line = zeroed(copies * lists, sizeof *t->line);
    t->cost = zeroed(copies, sizeof *t->cost);
    t->change = zeroed(copies * (size_t)s->parts, sizeof *t->change);
    fill_routes(t, t->ring, t->line, c->room, &longest);
    t->ring[rings] = (vrp_crowd_ring){.load = INT32_MAX, .part = -1};
    t->node[0].ring = (uint16_t)rings;
    uint16_t *near = nearest(t);
    if (s->is_matrix)
        c->matrix = sent_matrix(t);
    c->xy = sent(t->xy, 2 * rows * sizeof *t->xy);
    c->demand = sent(t->demand, rows * sizeof *t->demand);
    c->service = sent(t->service, rows * sizeof *t->service);
    c->near = sent(near, rows * VRP_CROWD_LANES * sizeof *near);
    c->node = sent(t->node, copies * nodes * sizeof *t->node);
    c->ring = sent(t->ring, copies * (rings + 1) * sizeof *t->ring);
    c->line = sent(t->line, copies * lists * sizeof *t->line);
    c->load_to = sent(NULL, copies * nodes * sizeof *t->load_to);
    c->length_to = sent(NULL, copies * nodes * sizeof *t->length_to);
    c->scratch = sent(NULL, (size_t)s->copies * (size_t)s->parts * 2 * (size_t)c->room * sizeof *c->scratch);
    c->key = sent(NULL, copies * rings * sizeof *c->key);
    c->next_part = sent(NULL, copies * rings * sizeof *c->next_part);
    c->cost = sent(NULL, copies * sizeof *c->cost);
    c->change = sent(NULL, copies * (size_t)s->parts * sizeof *c->change);
    c->steps = sent(NULL, sizeof *c->steps);
    t->d_stop = sent(NULL, sizeof *t->d_stop);
    t->d_from = sent(NULL, copies * sizeof *t->d_from);
    t->d_to = sent(NULL, copies * sizeof *t->d_to);
    c->stop = t->d_stop;
    free(near);
}

static void close_instance(instance *t)
{
    void *device_memory[] = {(void *)(uintptr_t)t->crowd.xy,
                             (void *)(uintptr_t)t->crowd.matrix,
                             (void *)(uintptr_t)t->crowd.demand,
                             (void *)(uintptr_t)t->crowd.service,
                             (void *)(uintptr_t)t->crowd.near,
                             t->crowd.node,
                             t->crowd.ring,
                             t->crowd.line,
                             t->crowd.load_to,
                             t->crowd.length_to,
                             t->crowd.scratch,
                             t->crowd.key,
                             t->crowd.next_part,
                             t->crowd.cost,
                             t->crowd.change,
                             t->crowd.steps,
                             t->d_stop,
                             t->d_from,
                             t->d_to};
    void *host[] = {t->xy, t->demand, t->service, t->node, t->ring, t->load_to, t->length_to, t->line, t->cost, t->change};
    for (size_t k = 0; k < sizeof device_memory / sizeof *device_memory; k++)
        mco_device_give_bytes(&device, &device_memory[k]);
    for (size_t k = 0; k < sizeof host / sizeof *host; k++)
        free(host[k]);
}

static void fetch(void *host, const void *from, size_t bytes)
{
    MUST(cudaMemcpyAsync(host, from, bytes, cudaMemcpyDeviceToHost, device.stream));
}

static void fetch_all(instance *t, int32_t copies)
{
    const vrp_crowd *c = &t->crowd;
    const size_t all = (size_t)copies, nodes = all * (size_t)c->nodes, rings = (size_t)c->rings;
    fetch(t->node, c->node, nodes * sizeof *t->node);
    fetch(t->ring, c->ring, all * (rings + 1) * sizeof *t->ring);
    fetch(t->load_to, c->load_to, nodes * sizeof *t->load_to);
    fetch(t->length_to, c->length_to, nodes * sizeof *t->length_to);
    fetch(t->line, c->line, all * rings * (size_t)c->room * sizeof *t->line);
    fetch(t->cost, c->cost, all * sizeof *t->cost);
    fetch(t->change, c->change, (size_t)c->copies * (size_t)c->parts * sizeof *t->change);
    MUST(cudaStreamSynchronize(device.stream));
}

// ---- Checks of copies

// Counts faults in one route, and adds what it has.
static int32_t check_route(const instance *t, int32_t copy, int32_t r, bool *seen, int64_t *cost)
{
    const vrp_crowd *c = &t->crowd;
    const vrp_crowd_node *node = t->node + (size_t)copy * (size_t)c->nodes;
    const vrp_crowd_ring *ring = t->ring + (size_t)copy * (size_t)(c->rings + 1) + r;
    const int32_t *load_to = t->load_to + (size_t)copy * (size_t)c->nodes,
                  *length_to = t->length_to + (size_t)copy * (size_t)c->nodes;
    const uint16_t *line = t->line + ((size_t)copy * (size_t)c->rings + (size_t)r) * (size_t)c->room;
    const int32_t depot = c->customers + 1 + r;
    int32_t faults = 0, load = 0, at = depot;
    int64_t length = 0;
    if (ring->count < 0 || ring->count > c->room)
        return 1;
    for (int32_t k = 0; k <= ring->count; k++) {
        const int32_t id = k < ring->count ? line[k] : depot;
        if (id < 1 || (id > c->customers && id != depot))
            return faults + 1;
        const int32_t edge = node[at].edge;
        const double along = exact(t, at, id);
        faults += node[at].next != id || node[id].prev != at || node[id].back != edge;
        faults += t->shape->rounds_up ? edge < along - 0.01 || edge > along + 1.01 : fabs(edge - along) > 0.51;
        *cost += edge;
        length += edge;
        if (k < ring->count) {
            load += t->demand[id];
            length += t->service[id];
            faults += seen[id] || node[id].ring != r || node[id].position != k || load_to[id] != load;
            faults += c->has_length && length_to[id] != length;
            seen[id] = true;
        }
        at = id;
    }
    faults += load != ring->load || load > c->capacity || ring->part < 0 || ring->part >= c->parts;
    return faults + (c->has_length && (length != ring->length || length > c->longest));
}

static void check_copies(const instance *t, const char *when, int32_t copies)
{
    const vrp_crowd *c = &t->crowd;
    bool *seen = zeroed((size_t)c->customers + 1, sizeof *seen);
    for (int32_t copy = 0; copy < copies; copy++) {
        int64_t cost = 0;
        int32_t faults = 0, missing = 0;
        memset(seen, 0, ((size_t)c->customers + 1) * sizeof *seen);
        for (int32_t r = 0; r < c->rings; r++)
            faults += check_route(t, copy, r, seen, &cost);
        for (int32_t k = 1; k <= c->customers; k++)
            missing += !seen[k];
        CHECK(faults == 0 && missing == 0, "%s, %s: copy %d has %d faults, %d customers are missing", t->shape->name, when,
              (int)copy, (int)faults, (int)missing);
        CHECK(cost == t->cost[copy], "%s, %s: copy %d costs %lld, its edges %lld", t->shape->name, when, (int)copy,
              (long long)t->cost[copy], (long long)cost);
    }
    free(seen);
}

// Every route with customers is in a part, and parts have about as many customers each.
static void check_parts(const instance *t)
{
    const vrp_crowd *c = &t->crowd;
    for (int32_t copy = 0; copy < c->copies; copy++)
        for (int32_t part = 0; part < c->parts; part++) {
            int32_t customers = 0, longest = 0;
            for (int32_t r = 0; r < c->rings; r++) {
                const vrp_crowd_ring *ring = t->ring + (size_t)copy * (size_t)(c->rings + 1) + r;
                longest = ring->count > longest ? ring->count : longest;
                customers += ring->part == part ? ring->count : 0;
            }
            CHECK(customers <= 2 * (c->customers / c->parts + longest), "%s: part %d of copy %d has %d of %d customers",
                  t->shape->name, (int)part, (int)copy, (int)customers, (int)c->customers);
        }
}

// ---- Runs

// Copies copy 0 to all others, and to the one behind the last.
static void spread(instance *t)
{
    const int32_t copies = t->crowd.copies;
    int32_t *list = zeroed((size_t)copies, sizeof *list);
    MUST(cudaMemcpyAsync(t->d_from, list, (size_t)copies * sizeof *list, cudaMemcpyHostToDevice, device.stream));
    MUST(cudaStreamSynchronize(device.stream));
    for (int32_t k = 0; k < copies; k++)
        list[k] = k + 1;
    MUST(cudaMemcpyAsync(t->d_to, list, (size_t)copies * sizeof *list, cudaMemcpyHostToDevice, device.stream));
    MUST(vrp_launch_crowd_copy(&t->crowd, t->d_from, t->d_to, copies, device.stream));
    MUST(cudaStreamSynchronize(device.stream));
    free(list);
}

static int64_t walk(instance *t, int64_t steps, double hot, double cold, uint64_t seed)
{
    enum { TAILS = 10, LONG_ROUTE = 40 };
    const int32_t tails = t->shape->of_route >= LONG_ROUTE || !t->shape->is_rate ? TAILS : 0;
    const vrp_crowd_plan plan = {.steps = steps, .hot = (float)hot, .cold = (float)cold, .removed = 10, .longest_string = 10,
                                 .longest_kept = 20, .exchanges = 10, .tails = tails, .spread = 1, .seed = seed};
    int64_t done = 0;
    MUST(cudaMemsetAsync(t->crowd.steps, 0, sizeof done, device.stream));
    MUST(vrp_launch_crowd_walk(&t->crowd, &plan, device.stream));
    fetch(&done, t->crowd.steps, sizeof done);
    MUST(cudaStreamSynchronize(device.stream));
    return done;
}

static void test_shape(const shape *s, uint64_t seed)
{
    instance t = {0};
    mco_rng rng;
    mco_rng_seed(&rng, seed, 3);
    open_instance(&t, s, &rng);
    const int64_t steps = is_tiny ? 40 : s->steps, walks = (int64_t)s->copies * s->parts;
    MUST(vrp_launch_crowd_begin(&t.crowd, device.stream));
    fetch_all(&t, 1);
    check_copies(&t, "begin", 1);
    const int64_t start = t.cost[0];
    spread(&t);
    fetch_all(&t, s->copies + 1);
    check_copies(&t, "spread", s->copies + 1);
    for (int round = 0; round < 4; round++) {
        MUST(vrp_launch_crowd_cut(&t.crowd, seed + (uint64_t)round, false, device.stream));
        const int64_t done = walk(&t, steps / 4 + 1, 60 * pow(0.2, round), 60 * pow(0.2, round + 1), seed + (uint64_t)round);
        CHECK(done == walks * (steps / 4 + 1), "%s: %lld steps", s->name, (long long)done);
        fetch_all(&t, s->copies);
        check_copies(&t, "walk", s->copies);
        check_parts(&t);
    }
    for (int32_t k = 0; k < s->copies && !is_tiny; k++)
        CHECK((double)t.cost[k] < s->gained * (double)start, "%s: copy %d costs %lld, the start %lld", s->name, (int)k,
              (long long)t.cost[k], (long long)start);
    // The same walks again, from the same copy, in other order; then the best of each part.
    spread(&t);
    const int64_t before = t.cost[0];
    int64_t first_costs = 0;
    for (int time = 0; time < 2; time++) {
        MUST(vrp_launch_crowd_cut(&t.crowd, seed + 9, true, device.stream));
        walk(&t, steps / 4 + 1, 10, 0.5, seed + 10);
        fetch_all(&t, s->copies);
        check_copies(&t, "alike", s->copies);
        int64_t costs = 0, least = before;
        for (int32_t k = 0; k < s->copies; k++)
            costs += (k + 1) * t.cost[k];
        CHECK(time == 0 || costs == first_costs, "%s: costs differ between equal walks", s->name);
        first_costs = costs;
        for (int32_t part = 0; part < s->parts; part++) {
            int64_t best = 0;
            for (int32_t k = 0; k < s->copies; k++)
                best = t.change[(int64_t)k * s->parts + part] < best ? t.change[(int64_t)k * s->parts + part] : best;
            least += best;
        }
        MUST(vrp_launch_crowd_gather(&t.crowd, s->copies, device.stream));
        fetch_all(&t, 1);
        check_copies(&t, "gather", 1);
        CHECK(t.cost[0] == least, "%s: gathered %lld, the best parts %lld", s->name, (long long)t.cost[0], (long long)least);
        if (time == 0) {
            // Copy 0 is again the one before the walks.
            const int32_t from = s->copies, to = 0;
            MUST(cudaMemcpyAsync(t.d_from, &from, sizeof from, cudaMemcpyHostToDevice, device.stream));
            MUST(cudaMemcpyAsync(t.d_to, &to, sizeof to, cudaMemcpyHostToDevice, device.stream));
            MUST(vrp_launch_crowd_copy(&t.crowd, t.d_from, t.d_to, 1, device.stream));
            spread(&t);
        }
    }
    // A run that has to end does nothing.
    MUST(cudaMemsetAsync(t.d_stop, 1, sizeof *t.d_stop, device.stream));
    CHECK(walk(&t, 1000, 10, 1, 1) == 0, "%s: steps after the end", s->name);
    close_instance(&t);
}

static void show_rate(const shape *s)
{
    instance t = {0};
    mco_rng rng;
    mco_rng_seed(&rng, 5, 3);
    open_instance(&t, s, &rng);
    MUST(vrp_launch_crowd_begin(&t.crowd, device.stream));
    spread(&t);
    MUST(vrp_launch_crowd_cut(&t.crowd, 1, false, device.stream));
    walk(&t, s->steps, 60, 10, 1);
    const double begin_s = mco_clock_s();
    const int64_t done = walk(&t, s->steps, 10, 3, 2), walks = (int64_t)s->copies * s->parts;
    const double took_s = mco_clock_s() - begin_s;
    printf("%s, %d walks: %.1f M steps/s, %.0f a walk\n", s->name, (int)walks, (double)done / took_s * 1e-6,
           (double)done / took_s / (double)walks);
    fetch_all(&t, s->copies);
    check_copies(&t, "rate", s->copies);
    close_instance(&t);
}

static const shape shapes[] = {
    {"5 customers", 5, 3, false, false, false, 1, 0, 3, 1, 400, 1.01, false},
    {"60 customers", 60, 6, false, false, false, 2, 0, 5, 2, 2000, 0.7, false},
    {"60 customers, lengths", 60, 6, true, false, false, 2, 0, 5, 2, 2000, 0.8, false},
    {"one customer a route", 90, 1, false, true, false, 0, 0, 3, 4, 2000, 1.01, false},
    {"routes without room", 300, 20, false, false, false, 1, 40, 3, 3, 4000, 0.7, false},
    {"700 customers, lengths, rounded up", 700, 15, true, true, false, 4, 0, 4, 5, 8000, 0.7, false},
    {"600 customers, matrix", 600, 15, false, false, true, 4, 0, 4, 5, 8000, 0.7, false},
    {"120 customers, matrix, lengths", 120, 9, true, false, true, 1, 0, 3, 2, 2000, 0.8, false},
    {"one route of 500", 500, 600, false, false, false, 1, 0, 3, 1, 8000, 0.7, false},
    {"routes of 300, lengths", 900, 300, true, false, false, 2, 0, 3, 2, 8000, 0.7, false},
    {"routes of 2000", 6000, 2000, false, false, false, 2, 0, 2, 2, 16000, 0.8, false},
    {"a route of 4096", 4500, 4096, false, false, false, 1, 0, 2, 1, 16000, 0.8, false},
};

static const shape rates[] = {
    {"1000 customers, 10 a route, 9 parts", 1000, 10, false, false, false, 9, 0, 117, 9, 8000, 1, true},
    {"1000 customers, 10 a route, 9 parts", 1000, 10, false, false, false, 9, 0, 235, 9, 8000, 1, true},
    {"1000 customers, 10 a route, 9 parts", 1000, 10, false, false, false, 9, 0, 469, 9, 8000, 1, true},
    {"2600 customers, 50 a route, 13 parts", 2600, 50, false, false, false, 2, 0, 81, 13, 8000, 1, true},
    {"2600 customers, 50 a route, 13 parts", 2600, 50, false, false, false, 2, 0, 324, 13, 8000, 1, true},
    {"2600 customers, 150 a route, 4 parts", 2600, 150, false, false, false, 2, 0, 264, 4, 8000, 1, true},
    {"2600 customers, 150 a route, 4 parts", 2600, 150, false, false, false, 2, 0, 528, 4, 8000, 1, true},
    {"2600 customers, 150 a route, 4 parts", 2600, 150, false, false, false, 2, 0, 1056, 4, 8000, 1, true},
    {"7000 customers, 185 a route, 19 parts", 7000, 185, false, false, false, 2, 0, 55, 19, 8000, 1, true},
    {"7000 customers, 185 a route, 9 parts", 7000, 185, false, false, false, 2, 0, 469, 9, 4000, 1, true},
    {"4500 customers, 1500 a route, 1 part", 4500, 1500, false, false, false, 2, 0, 1056, 1, 4000, 1, true},
};

int main(int argc, char **argv)
{
    is_tiny = argc > 1 && strcmp(argv[1], "tiny") == 0;
    ctx = gpu_begin();
    gpu_open_first(ctx, &device);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes && gpu_failures < 20; k++)
        if (!is_tiny || shapes[k].customers <= 900)
            test_shape(&shapes[k], k + 1);
    for (size_t k = 0; k < sizeof rates / sizeof *rates && !is_tiny; k++)
        show_rate(&rates[k]);
    mco_device_close(&device);
    mco_context_destroy(&ctx);
    return gpu_summary("vrp crowd", checks);
}
