// SPDX-License-Identifier: MIT
// All-or-nothing and the Frank-Wolfe family on a GPU, against plain code: loads are equal to the unit, at cold and at warm trees; the
// methods reach the objective of the cores; two runs give the same bits.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu_support.h"
#include "base/rng.h"
#include "base/run.h"
#include "traffic/gpu/city.h"

enum { MOST_GAPS = 3, MOST_OF_128 = 64 * 128, MOST_OF_BLOCK = 20000, MOST_OF_REGISTERS = 2048, MOST_OF_SMALL = 120, ALL_WAYS = 4 };

typedef struct shape {
    const char *name;
    int32_t nodes, links, ends, classes, origins, destinations;
    traffic_shape cost;
    int32_t free_tenths;   // links without any cost
    double load;           // trips of a pair
    bool is_open;          // paths may pass the ends, which are dead ends then
} shape;

typedef struct trial {
    mco_context *ctx;
    traffic_problem problem;
    uint64_t seed;
} trial;

static double draw(trial *t)
{
    t->seed = t->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(t->seed >> 11) * 0x1p-53;
}
static int32_t draw_below(trial *t, int32_t n)
{
    return (int32_t)(draw(t) * n);
}

static void *make(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (memory == NULL)
        exit(EXIT_FAILURE);
    return memory;
}

// ---- Problems

// A ring in both directions, so that every pair has a path, and other links between near numbers. Ends hang on two nodes of the ring.
static void draw_links(trial *t, const shape *s)
{
    traffic_problem *p = &t->problem;
    const int32_t n = s->nodes, through = n - s->ends;
    int32_t *degree = make((size_t)n + 2, sizeof *degree), count = 0;
    const size_t room = (size_t)s->links + 4 * (size_t)n;
    int32_t *tails = make(room, sizeof *tails), *heads = make(room, sizeof *heads);
    for (int32_t v = 0; v < through && n > 1; v++) {
        tails[count] = heads[count + 1] = s->ends + v;
        heads[count] = tails[count + 1] = s->ends + (v + 1) % through;
        count += 2;
    }
    for (int32_t v = 0; v < s->ends; v++) {
        tails[count] = heads[count + 1] = v;
        heads[count] = tails[count + 1] = s->ends + draw_below(t, through);
        count += 2;
    }
    for (; count < s->links && n > 1; count++) {
        tails[count] = draw_below(t, n);
        heads[count] = (tails[count] + draw_below(t, 60) + n - 30 % n) % n;
    }
    p->links = count;
    for (int32_t a = 0; a < count; a++)
        degree[tails[a] + 1]++;
    p->first = make((size_t)n + 2, sizeof *p->first);
    for (int32_t v = 0; v < n; v++)
        p->first[v + 1] = p->first[v] + degree[v + 1];
    memcpy(degree, p->first, ((size_t)n + 1) * sizeof *degree);
    p->tail = make((size_t)count, sizeof *p->tail);
    p->head = make((size_t)count, sizeof *p->head);
    for (int32_t a = 0; a < count; a++) {
        const int32_t at = degree[tails[a]]++;
        p->tail[at] = tails[a];
        p->head[at] = heads[a];
    }
    free(heads);
    free(tails);
    free(degree);
}

static void sort_into(traffic_problem *p)
{
    p->into_first = make((size_t)p->nodes + 2, sizeof *p->into_first);
    p->into = make((size_t)p->links, sizeof *p->into);
    int32_t *next = make((size_t)p->nodes + 2, sizeof *next);
    for (int32_t a = 0; a < p->links; a++)
        p->into_first[p->head[a] + 1]++;
    for (int32_t v = 0; v < p->nodes; v++)
        p->into_first[v + 1] += p->into_first[v];
    memcpy(next, p->into_first, ((size_t)p->nodes + 1) * sizeof *next);
    for (int32_t a = 0; a < p->links; a++)
        p->into[next[p->head[a]]++] = a;
    free(next);
}

static void draw_costs(trial *t, const shape *s)
{
    traffic_problem *p = &t->problem;
    double *base = make((size_t)p->links, sizeof *base), *k = make((size_t)p->links, sizeof *k), *power = make((size_t)p->links, sizeof *power),
           *capacity = make((size_t)p->links, sizeof *capacity);
    for (int32_t a = 0; a < p->links; a++) {
        const bool is_free = draw_below(t, 10) < s->free_tenths;
        const double c = 20 + 80 * draw(t), time = is_free ? 0 : floor(1 + 8 * draw(t)) / 4;
        base[a] = time;
        capacity[a] = c;
        k[a] = time * 0.15 / (c * c * c * c);
        if (s->cost == TRAFFIC_POWER) {
            power[a] = 1 + 3 * draw(t);
            k[a] = time * 0.15 / pow(c, power[a]);
        } else if (s->cost == TRAFFIC_CUBIC) {
            power[a] = time * 0.1 / c;
            k[a] = time * 0.1 / (c * c * c);
        } else if (s->cost == TRAFFIC_CONICAL) {
            power[a] = 2 + 4 * draw(t);
            k[a] = time;
            base[a] = 0;
        } else if (s->cost == TRAFFIC_AKCELIK) {
            power[a] = 0.2;
        }
    }
    p->costs = (traffic_costs){.shape = s->cost, .period = 60, .base = base, .k = k, .p = power, .capacity = capacity};
    p->classes = s->classes;
    p->car_equivalent = make((size_t)s->classes, sizeof *p->car_equivalent);
    if (s->classes > 1)
        p->extra = make((size_t)(s->classes * p->links), sizeof *p->extra);
    for (int32_t i = 0; i < s->classes * p->links && s->classes > 1; i++)
        p->extra[i] = draw(t);
    for (int32_t i = 0; i < s->classes; i++)
        p->car_equivalent[i] = 1;
}

static void draw_trips(trial *t, const shape *s)
{
    traffic_problem *p = &t->problem;
    const int32_t n = s->ends > 0 ? s->ends : s->nodes, rows = s->nodes > 1 ? s->classes * s->origins : 0;
    p->row_class = make((size_t)rows, sizeof *p->row_class);
    p->row_origin = make((size_t)rows, sizeof *p->row_origin);
    p->row_first = make((size_t)rows + 1, sizeof *p->row_first);
    p->to = make((size_t)rows * (size_t)n, sizeof *p->to);
    p->amount = make((size_t)rows * (size_t)n, sizeof *p->amount);
    int64_t count = 0;
    for (int32_t r = 0; r < rows; r++) {
        p->row_class[r] = r / s->origins;
        p->row_origin[r] = (int32_t)((int64_t)(r % s->origins) * n / s->origins);
        for (int32_t v = 0; v < n; v++)
            if (v != p->row_origin[r] && draw_below(t, n) < s->destinations) {
                p->to[count] = v;
                p->amount[count++] = s->load * (0.1 + draw(t));
            }
        p->row_first[r + 1] = count;
    }
    p->rows = rows;
    for (int64_t i = 0; i < count; i++)
        p->demand += p->amount[i];
}

static void trial_open(trial *t, mco_context *ctx, const shape *s, uint64_t seed)
{
    *t = (trial){.ctx = ctx, .seed = seed};
    t->problem.nodes = s->nodes;
    t->problem.first_through = s->is_open ? 0 : s->ends;
    t->problem.is_integral = true;
    draw_links(t, s);
    sort_into(&t->problem);
    draw_costs(t, s);
    draw_trips(t, s);
}

static void trial_close(trial *t)
{
    traffic_problem *p = &t->problem;
    void *all[] = {p->first, p->tail, p->head, p->into_first, p->into, (void *)p->costs.base, (void *)p->costs.k, (void *)p->costs.p,
                   (void *)p->costs.capacity, p->extra, p->car_equivalent, p->row_class, p->row_origin, p->row_first, p->to, p->amount};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

// ---- Plain loads at costs in units of labels

static uint64_t label_of(const traffic_problem *p, int32_t k, int32_t link, double flow, double scale)
{
    const double cost = traffic_cost(&p->costs, link, flow) + (p->extra != NULL ? p->extra[(int64_t)k * p->links + link] : 0);
    return (uint64_t)floor(cost * scale) + 1;
}

typedef struct waiting {
    uint64_t label;
    int32_t node;
} waiting;

static void push(waiting *heap, int64_t *count, waiting entry)
{
    int64_t at = (*count)++;
    for (; at > 0 && heap[(at - 1) / 2].label > entry.label; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = entry;
}

static waiting pop(waiting *heap, int64_t *count)
{
    const waiting least = heap[0], last = heap[--*count];
    int64_t at = 0;
    for (int64_t child; (child = 2 * at + 1) < *count; at = child) {
        child += child + 1 < *count && heap[child + 1].label < heap[child].label;
        if (heap[child].label >= last.label)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return least;
}

// Dijkstra's algorithm.
static void find_labels(const traffic_problem *p, int32_t origin, const uint64_t *cost, uint64_t *label)
{
    waiting *heap = make((size_t)p->links + 2, sizeof *heap);
    int64_t count = 0;
    memset(label, 0xff, (size_t)p->nodes * sizeof *label);
    label[origin] = 0;
    push(heap, &count, (waiting){0, origin});
    while (count > 0) {
        const waiting now = pop(heap, &count);
        const int32_t v = now.node;
        if (now.label > label[v] || (v < p->first_through && v != origin))
            continue;
        for (int32_t a = p->first[v]; a < p->first[v + 1]; a++)
            if (now.label + cost[a] < label[p->head[a]]) {
                label[p->head[a]] = now.label + cost[a];
                push(heap, &count, (waiting){label[p->head[a]], p->head[a]});
            }
    }
    free(heap);
}

// Labels of one row, parents by the smallest slot, loads from the farthest node on.
static void load_plain(const traffic_problem *p, const double *flow, double scale, double unit, double *load)
{
    const size_t n = (size_t)p->nodes;
    uint64_t *cost = make((size_t)p->links, sizeof *cost), *label = make(n, sizeof *label), *through = make(n, sizeof *through);
    uint64_t *sum = make((size_t)p->links * (size_t)p->classes, sizeof *sum);
    int32_t *parent = make(n, sizeof *parent);
    for (int32_t r = 0; r < p->rows; r++) {
        const int32_t origin = p->row_origin[r];
        for (int32_t a = 0; a < p->links; a++)
            cost[a] = label_of(p, p->row_class[r], a, flow[a], scale);
        find_labels(p, origin, cost, label);
        for (int32_t v = 0; v < p->nodes; v++) {
            parent[v] = -1;
            through[v] = 0;
            for (int32_t s = p->into_first[v]; s < p->into_first[v + 1] && parent[v] < 0 && v != origin; s++) {
                const int32_t u = p->tail[p->into[s]];
                if (label[u] != UINT64_MAX && (u >= p->first_through || u == origin) && label[u] + cost[p->into[s]] == label[v])
                    parent[v] = p->into[s];
            }
        }
        for (int64_t i = p->row_first[r]; i < p->row_first[r + 1]; i++) {
            const uint64_t units = (uint64_t)(p->amount[i] / unit + 0.5);
            for (int32_t v = p->to[i]; v != origin; v = p->tail[parent[v]])
                sum[(int64_t)p->row_class[r] * p->links + parent[v]] += units;
        }
    }
    for (int64_t i = 0; i < (int64_t)p->links * p->classes; i++)
        load[i] = (double)sum[i] * unit;
    void *all[] = {cost, label, through, sum, parent};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

// ---- What is checked

static traffic_gpu_state read_state(traffic_gpu_city *c)
{
    traffic_gpu_state state = {0};
    if (cudaStreamSynchronize(c->device.stream) != cudaSuccess ||
        cudaMemcpyAsync(&state, c->steps.d_state, sizeof state, cudaMemcpyDeviceToHost, c->device.stream) != cudaSuccess ||
        cudaStreamSynchronize(c->device.stream) != cudaSuccess)
        exit(EXIT_FAILURE);
    return state;
}

static void set_scale(traffic_gpu_city *c, double scale)
{
    traffic_gpu_state state = read_state(c);
    state.scale = scale;
    state.greatest = 0;
    if (cudaMemcpyAsync(c->steps.d_state, &state, sizeof state, cudaMemcpyHostToDevice, c->device.stream) != cudaSuccess ||
        traffic_gpu_launch_costs(&c->steps, c->device.stream) != cudaSuccess || cudaStreamSynchronize(c->device.stream) != cudaSuccess)
        exit(EXIT_FAILURE);
}

static void find_loads(trial *t, traffic_gpu_city *c, mco_run *run)
{
    if (c->wide != NULL)
        GPU_CHECK(traffic_gpu_wide_load(c->wide, run) == MCO_OK, "%s", mco_context_error(t->ctx));
    else
        GPU_CHECK(traffic_gpu_launch_trees(&c->trees, c->device.stream) == cudaSuccess, "trees");
}

// Loads at flows, from no trees and from those of the flows before.
static void check_loads(trial *t, const shape *s, const traffic_gpu_tuning *tuning)
{
    const traffic_problem *p = &t->problem;
    const int64_t all = (int64_t)p->links * p->classes;
    double *flow = make((size_t)p->links, sizeof *flow), *load = make((size_t)all, sizeof *load), *plain = make((size_t)all, sizeof *plain);
    traffic_gpu_city city;
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(t->ctx, &settings);
    const traffic_call call = {.problem = p, .params = &params, .run = &run};
    if (traffic_gpu_city_open(t->ctx, &call, tuning, &city) != MCO_OK) {
        GPU_CHECK(false, "%s: %s", s->name, mco_context_error(t->ctx));
        goto done;
    }
    for (int round = 0; round < 4 && p->rows > 0; round++) {
        for (int32_t a = 0; a < p->links; a++)
            flow[a] = round == 0 ? 0 : 60 * draw(t) * round;
        GPU_CHECK(traffic_gpu_city_put(&city, flow) == MCO_OK, "%s", s->name);
        city.trees.is_cold = round == 0;
        double scale = read_state(&city).scale;
        find_loads(t, &city, &run);
        while (read_state(&city).greatest >= TRAFFIC_GPU_FAR_LABEL && scale > 1e-9) {  // as a step does
            scale /= 16;
            set_scale(&city, scale);
            find_loads(t, &city, &run);
        }
        GPU_CHECK(traffic_gpu_city_loads(&city, load) == MCO_OK, "%s: %s", s->name, mco_context_error(t->ctx));
        load_plain(p, flow, scale, city.steps.flow_unit, plain);
        int64_t differ = 0;
        for (int64_t i = 0; i < all; i++)
            differ += load[i] != plain[i];
        GPU_CHECK(read_state(&city).greatest < TRAFFIC_GPU_FAR_LABEL, "%s: labels were too coarse", s->name);
        GPU_CHECK(differ == 0, "%s, round %d: %lld of %lld loads differ", s->name, round, (long long)differ, (long long)all);
    }
done:
    traffic_gpu_city_close(&city);
    mco_run_clear(&run);
    free(plain);
    free(load);
    free(flow);
}

typedef struct found {
    double objective, gap;
    double *flow;
    int64_t iterations;
} found;

static found solve_by(trial *t, traffic_engine *engine, mco_traffic_method method, mco_traffic_line_search search, double gap)
{
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    const mco_run_settings settings = {.time_limit_s = 20, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(t->ctx, &settings);
    traffic_history history = {0};
    traffic_answer answer = {0};
    found f = {.objective = NAN, .gap = NAN};
    params.method = method;
    params.line_search = search;
    const traffic_call call = {.problem = &t->problem, .params = &params, .run = &run, .history = &history, .gap = gap, .memory = 1e9};
    if (engine(t->ctx, &call, &answer) == MCO_OK) {
        f = (found){.objective = traffic_objective(&t->problem, answer.flow, answer.class_flow), .gap = answer.gap,
                    .iterations = answer.iterations, .flow = make((size_t)t->problem.links, sizeof(double))};
        memcpy(f.flow, answer.flow, (size_t)t->problem.links * sizeof(double));
        const double noted = history.count > 0 ? history.pass[history.count - 1].objective : NAN;
        GPU_CHECK(history.count == 0 || fabs(noted - f.objective) <= 1e-3 * fabs(f.objective), "noted %.12g, is %.12g", noted, f.objective);
    } else {
        GPU_CHECK(false, "%s", mco_context_error(t->ctx));
    }
    traffic_answer_clear(t->ctx, &answer);
    mco_free(t->ctx, &history.pass);
    mco_run_clear(&run);
    return f;
}

static found solve(trial *t, traffic_engine *engine, mco_traffic_method method, double gap)
{
    return solve_by(t, engine, method, MCO_TRAFFIC_SEARCH_EXACT, gap);
}

// Each line search reaches the gap.
static void check_searches(trial *t, const shape *s)
{
    const mco_traffic_line_search searches[] = {MCO_TRAFFIC_SEARCH_GOLDEN, MCO_TRAFFIC_SEARCH_FIBONACCI, MCO_TRAFFIC_SEARCH_DICHOTOMY};
    const double gap = 1e-4;
    const found exact = solve(t, traffic_gpu_frank_wolfe_assign, MCO_TRAFFIC_METHOD_CFW, gap);
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        const found f = solve_by(t, traffic_gpu_frank_wolfe_assign, MCO_TRAFFIC_METHOD_CFW, searches[i], gap);
        GPU_CHECK(f.gap <= gap && fabs(f.objective - exact.objective) <= 2 * gap * exact.objective, "%s, search %zu: gap %g, objective %.12g, exact %.12g",
                  s->name, i, f.gap, f.objective, exact.objective);
        free(f.flow);
    }
    free(exact.flow);
}

// Every method reaches the gap and the objective of the cores within the sum of both gaps, and gives the same bits twice.
static void check_methods(trial *t, const shape *s, int first)
{
    const mco_traffic_method methods[MOST_GAPS] = {MCO_TRAFFIC_METHOD_FW, MCO_TRAFFIC_METHOD_CFW, MCO_TRAFFIC_METHOD_BFW};
    const double fine[MOST_GAPS] = {1e-3, 1e-4, 1e-5}, coarse[MOST_GAPS] = {1e-2, 1e-2, 1e-3}, *const gaps = s->nodes < 1000 ? fine : coarse;
    for (int m = first; m < MOST_GAPS; m++) {
        found a = solve(t, traffic_gpu_frank_wolfe_assign, methods[m], gaps[m]), b = solve(t, traffic_gpu_frank_wolfe_assign, methods[m], gaps[m]);
        found c = solve(t, traffic_frank_wolfe_assign, methods[m], gaps[m]);
        GPU_CHECK(a.gap <= gaps[m], "%s, method %d: gap %g after %lld iterations", s->name, m, a.gap, (long long)a.iterations);
        GPU_CHECK(a.flow != NULL && b.flow != NULL && memcmp(a.flow, b.flow, (size_t)t->problem.links * sizeof(double)) == 0, "%s, method %d: two runs differ",
                  s->name, m);
        GPU_CHECK(fabs(a.objective - c.objective) <= 2 * gaps[m] * fabs(c.objective) + 1e-9, "%s, method %d: %.12g, cores %.12g", s->name, m, a.objective, c.objective);
        free(a.flow);
        free(b.flow);
        free(c.flow);
    }
}

// Biconjugate steps by one way of finding trees, on the GPUs of a set.
static found solve_on(trial *t, const traffic_gpu_tuning *tuning, uint64_t gpus)
{
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    const mco_run_settings settings = {.time_limit_s = 20, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(t->ctx, &settings);
    traffic_history history = {0};
    traffic_answer answer = {0};
    traffic_gpu_city city = {0};
    found f = {.gap = NAN};
    params.method = MCO_TRAFFIC_METHOD_BFW;
    params.iterations = 12;
    const traffic_call call = {.problem = &t->problem, .params = &params, .run = &run, .history = &history, .gap = 1e-3, .memory = 1e9, .gpus = gpus};
    if (traffic_gpu_city_open(t->ctx, &call, tuning, &city) == MCO_OK && traffic_gpu_iterate(t->ctx, &call, &city, &answer) == MCO_OK) {
        f = (found){.gap = answer.gap, .iterations = answer.iterations, .flow = make((size_t)t->problem.links, sizeof(double))};
        memcpy(f.flow, answer.flow, (size_t)t->problem.links * sizeof(double));
    } else {
        GPU_CHECK(false, "%s", mco_context_error(t->ctx));
    }
    if (city.problem != NULL)
        traffic_gpu_city_close(&city);
    traffic_answer_clear(t->ctx, &answer);
    mco_free(t->ctx, &history.pass);
    mco_run_clear(&run);
    return f;
}

// Several GPUs give the flows of one, bit for bit.
static void check_fleet(trial *t, const shape *s)
{
    mco_gpu list[MCO_MAX_GPUS];
    const char *reason = NULL;
    int count = 0;
    if (mco_gpus_list(t->ctx, list, &count, &reason) != MCO_OK || count < 2 || t->problem.rows == 0)
        return;
    for (int32_t way = s->nodes <= 1000 ? 1 : 2; way <= (s->nodes <= 1000 ? ALL_WAYS : 3); way++) {
        const traffic_gpu_tuning tuning = {.way = way};
        const found one = solve_on(t, &tuning, 1);
        for (int n = 2; n <= count; n++) {
            const found all = solve_on(t, &tuning, (UINT64_C(1) << n) - 1);
            GPU_CHECK(all.iterations == one.iterations && all.gap == one.gap, "%s, way %d: %d GPUs make %lld steps to %g, one %lld to %g", s->name,
                      way, n, (long long)all.iterations, all.gap, (long long)one.iterations, one.gap);
            GPU_CHECK(one.flow != NULL && all.flow != NULL && memcmp(one.flow, all.flow, (size_t)t->problem.links * sizeof(double)) == 0,
                      "%s, way %d: flows of %d GPUs differ", s->name, way, n);
            free(all.flow);
        }
        free(one.flow);
    }
}

// Labels are integers that are rounded down link by link: a path of hundreds of links loses up to this share of its cost.
#define LABELS_MISS 1e-4

// The proof by labels of the GPU: no smaller than the gap by exact labels, and near it.
static void check_proof(trial *t, const shape *s)
{
    const traffic_problem *p = &t->problem;
    const traffic_gpu_tuning tuning = {.way = 2};
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    const mco_run_settings settings = {.time_limit_s = 20, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(t->ctx, &settings);
    traffic_history history = {0};
    traffic_answer answer = {0};
    traffic_gpu_city city = {0};
    traffic_certificate proof[2] = {{0}};
    traffic_proof told[2] = {{0}};
    params.method = MCO_TRAFFIC_METHOD_BFW;
    params.iterations = 4;
    const traffic_call call = {.problem = p, .params = &params, .run = &run, .history = &history, .gap = 1e-6, .memory = 1e9};
    bool is_done = traffic_gpu_city_open(t->ctx, &call, &tuning, &city) == MCO_OK && traffic_gpu_iterate(t->ctx, &call, &city, &answer) == MCO_OK;
    for (int k = 0; k < 2 && is_done; k++)
        is_done = traffic_certificate_open(t->ctx, p, answer.flow, answer.class_flow, &proof[k]) == MCO_OK;
    is_done = is_done && traffic_gpu_launch_costs(&city.steps, city.device.stream) == cudaSuccess &&
              traffic_gpu_wide_prove(city.wide, &call, &city.device, city.scale, &proof[0]) == MCO_OK &&
              traffic_certificate_search(t->ctx, &proof[1], 1, INFINITY) == MCO_OK;
    for (int k = 0; k < 2 && is_done; k++)
        is_done = traffic_certificate_close(t->ctx, &proof[k], NULL, &told[k]) == MCO_OK;
    GPU_CHECK(is_done, "%s: %s", s->name, mco_context_error(t->ctx));
    GPU_CHECK(told[0].gap >= told[1].gap - 1e-12 && told[0].gap <= told[1].gap + LABELS_MISS, "%s: gap %.12g by the GPU's labels, %.12g by exact ones",
              s->name, told[0].gap, told[1].gap);
    for (int k = 0; k < 2; k++)
        traffic_certificate_clear(t->ctx, &proof[k]);
    if (city.problem != NULL)
        traffic_gpu_city_close(&city);
    traffic_answer_clear(t->ctx, &answer);
    mco_free(t->ctx, &history.pass);
    mco_run_clear(&run);
}

enum { LARGE = 10000 };

// Solves as the size of a network allows. Short: a few steps.
static void check_solves(trial *t, const shape *s, bool is_short)
{
    if (s->nodes < LARGE)
        check_fleet(t, s);
    if (t->problem.rows > 0)
        check_proof(t, s);
    if (is_short) {
        const found f = solve(t, traffic_gpu_frank_wolfe_assign, MCO_TRAFFIC_METHOD_BFW, 0.1);
        GPU_CHECK(f.gap <= 0.1, "%s: gap %g", s->name, f.gap);
        free(f.flow);
        return;
    }
    if (s->nodes <= 150)
        check_searches(t, s);
    if (s->nodes <= 1000)
        check_methods(t, s, 0);
    else if (s->nodes > TRAFFIC_GPU_MOST_NODES)
        check_methods(t, s, MOST_GAPS - 1);
}

// Without arguments: everything. `small`: loads of small networks and one short solve of each, for tools that slow kernels down.
int main(int argc, char **argv)
{
    const bool is_small = argc > 1 && strcmp(argv[1], "small") == 0;
    const shape shapes[] = {
        {"two nodes", 2, 2, 0, 1, 2, 2, TRAFFIC_QUARTIC, 0, 30, false},
        {"small", 40, 150, 0, 1, 20, 20, TRAFFIC_QUARTIC, 0, 4, false},
        {"ends", 120, 500, 30, 1, 30, 20, TRAFFIC_QUARTIC, 0, 4, false},
        {"dead ends", 120, 420, 40, 1, 40, 30, TRAFFIC_QUARTIC, 2, 3, true},
        {"free links", 150, 600, 0, 1, 40, 30, TRAFFIC_QUARTIC, 4, 2, false},
        {"classes", 100, 420, 20, 3, 20, 12, TRAFFIC_QUARTIC, 1, 2, false},
        {"powers", 100, 400, 10, 2, 10, 8, TRAFFIC_POWER, 0, 4, false},
        {"cubic", 100, 400, 10, 1, 10, 8, TRAFFIC_CUBIC, 0, 4, false},
        {"conical", 100, 400, 10, 1, 10, 8, TRAFFIC_CONICAL, 0, 4, false},
        {"akcelik", 100, 400, 10, 1, 10, 8, TRAFFIC_AKCELIK, 0, 4, false},
        {"a thousand", 1000, 3100, 200, 1, 200, 150, TRAFFIC_QUARTIC, 0, 0.2, false},
        {"eight thousand", 8000, 20000, 500, 1, 60, 60, TRAFFIC_QUARTIC, 1, 1, false},
        {"a hundred thousand", 100000, 260000, 0, 1, 40, 100, TRAFFIC_QUARTIC, 1, 1, false},
        {"most", 20000, 45000, 1000, 1, 12, 60, TRAFFIC_QUARTIC, 1, 1, false},
    };
    const traffic_gpu_tuning tunings[] = {{.way = 1}, {.threads = 128, .arcs_in_shared = 2, .way = 1}, {.threads = 1024, .pulls = 4, .way = 1}, {.way = 2}, {.way = 3},
                                          {.way = 4}, {.threads = 128, .pulls = 1, .way = 4}};
    const int32_t most_of[] = {MOST_OF_BLOCK, MOST_OF_128, MOST_OF_BLOCK, INT32_MAX, INT32_MAX, MOST_OF_REGISTERS, MOST_OF_REGISTERS};
    mco_context *ctx = gpu_begin();
    long checks = 0;
    trial t;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (is_small && shapes[i].nodes > MOST_OF_SMALL)
            continue;
        printf("  %s\n", shapes[i].name);
        fflush(stdout);
        trial_open(&t, ctx, &shapes[i], 17 + i);
        for (size_t k = 0; k < sizeof tunings / sizeof *tunings; k++, checks++)
            if ((!is_small || k == 0 || i < ALL_WAYS) && shapes[i].nodes <= most_of[k])
                check_loads(&t, &shapes[i], &tunings[k]);
        if (!is_small || i <= ALL_WAYS)
            check_solves(&t, &shapes[i], is_small || shapes[i].nodes >= LARGE);  // a hierarchy of a large network takes seconds for each
        checks++;
        trial_close(&t);
    }
    trial_open(&t, ctx, &(shape){"one node", 1, 0, 0, 1, 1, 1, TRAFFIC_QUARTIC, 0, 1, false}, 1);
    found f = solve(&t, traffic_gpu_frank_wolfe_assign, MCO_TRAFFIC_METHOD_BFW, 1e-4);
    GPU_CHECK(f.gap == 0 && f.objective == 0, "no trips: gap %g, objective %g", f.gap, f.objective);
    free(f.flow);
    trial_close(&t);
    mco_context_destroy(&ctx);
    return gpu_summary("traffic on a GPU", checks);
}
