// SPDX-License-Identifier: MIT
// Tables 8.2 to 8.13 of Jradi (2016) on generated networks of the same sizes: Frank-Wolfe on one core and on a GPU, beside the published seconds,
// with the gap that each row reached (the thesis tells none); and table 8.3, the shares of time of a sequential run.
//     bench_traffic_published [--nodes MOST] [--origins MOST] [--gap G] [--iterations N] [--load L] [--method fw|cfw|bfw]
//         [--least NODES] [--from-origins LEAST] [--no-gpu] [--no-cores] [--profile]
// Rows whose network or number of origins exceeds MOST, or whose network has fewer nodes than NODES or fewer origins than LEAST, are left out. Without the cores their
// columns are empty. A solve with a GPU may use all cores for the hierarchy and the proof of the gap: its CPU seconds stand beside. Every origin has 256 random destinations.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "mco/mco.h"
#include "traffic/frank_wolfe/line_search.h"
#include "traffic/frank_wolfe/load.h"

enum { NETWORKS = 10, SIZES = 6, DESTINATIONS = 256 };

static const int32_t origins[SIZES] = {1000, 2500, 5000, 7500, 10000, 15000};

typedef struct published {
    const char *name;
    int64_t nodes;
    double sequential_s[SIZES], gpu_s[SIZES];  // tables 8.4 to 8.13, the GPU with transfers
} published;

static const published networks[NETWORKS] = {
    {"New York City", 264346, {1601, 3431, 5426, 7175, 7968, 9756}, {174.18, 353.26, 413.47, 515.80, 546.77, 610.61}},
    {"San Francisco Bay", 321270, {1916, 4132, 6568, 8676, 9637, 11818}, {183.40, 406.25, 404.53, 406.75, 408.62, 407.66}},
    {"Colorado", 435666, {2540, 5610, 8917, 11763, 13081, 16042}, {258.83, 577.88, 571.12, 579.9, 582.04, 583.11}},
    {"Florida", 1070376, {6217, 13691, 21786, 28870, 31946, 39272}, {335.78, 735.99, 834.34, 929.03, 1026.06, 1158.06}},
    {"Pennsylvania", 1088092, {6231, 13896, 22107, 29268, 32443, 39916}, {387.71, 846.54, 975.23, 1068.69, 1183.76, 1337.04}},
    {"Northwest USA", 1207945, {7555, 14496, 23364, 31405, 34654, 40674}, {401.06, 852.01, 992.99, 1073.64, 1185.42, 1352.67}},
    {"Texas", 1379917, {8606, 16598, 26777, 35955, 39689, 46602}, {406.37, 855.30, 1000.58, 1074.35, 1191.26, 1358.79}},
    {"Northeast USA", 1524453, {8197, 16097, 26181, 31259, 34727, 41398}, {411.58, 855.71, 1004.31, 1080.37, 1196.35, 1359.44}},
    {"California & Nevada", 1890815, {10133, 19952, 32473, 38709, 43101, 51349}, {413.11, 862.70, 1010.73, 1080.48, 1205.09, 1365.80}},
    {"California", 1965206, {10598, 20933, 34154, 40684, 45280, 53989}, {414.64, 867.71, 1017.84, 1080.74, 1210.24, 1365.80}}};

typedef struct bench {
    mco_context *ctx;
    int64_t least_nodes, most_nodes, least_origins, most_origins, iterations;
    double gap, load;
    mco_traffic_method method;
    bool has_gpu, has_cores, is_profile;
} bench;

static void require(const bench *b, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "bench_traffic_published: %s\n", mco_context_error(b->ctx));
    exit(1);
}

static mco_traffic *generate(const bench *b, int64_t nodes, int32_t zones)
{
    mco_traffic *traffic = NULL;
    const int64_t rows = (int64_t)floor(sqrt((double)nodes)), columns = (nodes + rows - 1) / rows;
    const mco_traffic_shape shape = {.family = MCO_TRAFFIC_ROAD, .rows = rows, .columns = columns, .zones = zones, .destinations = DESTINATIONS,
                                     .load = b->load, .seed = 1};
    require(b, mco_traffic_generate(b->ctx, &shape, &traffic));
    return traffic;
}

// ---- Tables 8.4 to 8.13

static void assign(const bench *b, const mco_traffic *traffic, mco_engine engine, double published_s)
{
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    p.engine = engine;
    p.method = b->method;
    p.gap = b->gap;
    p.iterations = b->iterations;
    p.threads = engine == MCO_ENGINE_GPU ? 0 : 1;
    const double begin_s = mco_clock_s(), begin_cpu_s = mco_cpu_clock_s();
    require(b, mco_traffic_assign(b->ctx, traffic, &p, NULL, &r));
    const double wall_s = mco_clock_s() - begin_s, cpu_s = mco_cpu_clock_s() - begin_cpu_s;
    printf(",%.2f,%.2f,%lld,%.2e,%.0f,%.1f", wall_s, cpu_s, (long long)r.iterations, r.gap, published_s, published_s / wall_s);
    mco_traffic_result_clear(b->ctx, &r);
}

static void measure(const bench *b, const published *n, int size)
{
    mco_traffic *traffic = generate(b, n->nodes, origins[size]);
    const mco_traffic_network view = mco_traffic_view(traffic);
    printf("%s,%d,%d,%d", n->name, view.nodes, view.links, origins[size]);
    if (b->has_cores)
        assign(b, traffic, MCO_ENGINE_CPU, n->sequential_s[size]);
    else
        printf(",,,,,%.0f,", n->sequential_s[size]);
    if (b->has_gpu)
        assign(b, traffic, MCO_ENGINE_GPU, n->gpu_s[size]);
    printf("\n");
    fflush(stdout);
    mco_traffic_destroy(b->ctx, &traffic);
}

// ---- Table 8.3

typedef struct shares {
    double costs_s, search_s, paths_s, loading_s, all_s;
} shares;

// Frank-Wolfe with golden section, as in the thesis: costs, load, line search and move, each with its time.
static void iterate(const bench *b, const traffic_problem *p, traffic_loader *loader, shares *out)
{
    double *cost = NULL, *flow = NULL, *load = NULL, least;
    require(b, mco_alloc(b->ctx, &cost, p->links));
    require(b, mco_alloc(b->ctx, &flow, p->links));
    require(b, mco_alloc(b->ctx, &load, p->links));
    const double begin_s = mco_clock_s();
    for (int64_t i = 0; i <= b->iterations; i++) {
        const double t0 = mco_clock_s();
        for (int32_t a = 0; a < p->links; a++)
            cost[a] = traffic_cost(&p->costs, a, flow[a]);
        const double t1 = mco_clock_s();
        require(b, loader->load(loader->self, cost, load, &least));
        const double t2 = mco_clock_s();
        for (int32_t a = 0; a < p->links; a++)
            load[a] -= flow[a];
        const traffic_line line = traffic_line_make(p, flow, load, 0);
        const double step = i == 0 ? 1 : traffic_line_search(&line, MCO_TRAFFIC_SEARCH_GOLDEN);
        for (int32_t a = 0; a < p->links; a++)
            flow[a] = fmax(0, flow[a] + step * load[a]);
        out->costs_s += t1 - t0;
        out->search_s += mco_clock_s() - t2;
    }
    out->all_s = mco_clock_s() - begin_s;
    loader->tell(loader->self, &out->paths_s, &out->loading_s);
    mco_free(b->ctx, &load);
    mco_free(b->ctx, &flow);
    mco_free(b->ctx, &cost);
}

static void profile(const bench *b, const published *n, int size)
{
    mco_traffic *traffic = generate(b, n->nodes, origins[size]);
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    traffic_problem p = {0};
    traffic_loader loader = {0};
    shares s = {0};
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(b->ctx, &settings);
    const traffic_call call = {.problem = &p, .params = &params, .run = &run, .memory = 1e12};
    params.threads = 1;
    require(b, traffic_problem_make(b->ctx, traffic, &params, &p));
    require(b, traffic_loader_open(b->ctx, &call, &loader));
    iterate(b, &p, &loader, &s);
    printf("%s,%d,%lld,%.3f,%.2f,44.87,%.2f,26.79,%.2f,14.27,%.2f,8.91\n", n->name, origins[size], (long long)b->iterations, s.all_s,
           100 * s.paths_s / s.all_s, 100 * s.loading_s / s.all_s, 100 * s.costs_s / s.all_s, 100 * s.search_s / s.all_s);
    fflush(stdout);
    traffic_loader_close(&loader);
    mco_run_clear(&run);
    traffic_problem_clear(b->ctx, &p);
    mco_traffic_destroy(b->ctx, &traffic);
}

// ---- The command

static const char *value_of(int argc, char **argv, const char *option)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], option) == 0)
            return i + 1 < argc ? argv[i + 1] : "";
    return NULL;
}

static double number_of(int argc, char **argv, const char *option, double otherwise)
{
    const char *text = value_of(argc, argv, option);
    return text != NULL ? strtod(text, NULL) : otherwise;
}

int main(int argc, char **argv)
{
    bench b = {0};
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    const char *reason = NULL, *method = value_of(argc, argv, "--method");
    if (mco_context_create(&b.ctx, NULL) != MCO_OK)
        return 1;
    b.most_nodes = (int64_t)number_of(argc, argv, "--nodes", 3e5);
    b.most_origins = (int64_t)number_of(argc, argv, "--origins", 1000);
    b.gap = number_of(argc, argv, "--gap", 1e-4);
    b.least_origins = (int64_t)number_of(argc, argv, "--from-origins", 0);
    b.iterations = (int64_t)number_of(argc, argv, "--iterations", 20);
    b.load = number_of(argc, argv, "--load", 0.5);
    b.is_profile = value_of(argc, argv, "--profile") != NULL;
    b.method = method == NULL || strcmp(method, "fw") == 0 ? MCO_TRAFFIC_METHOD_FW
               : strcmp(method, "cfw") == 0                ? MCO_TRAFFIC_METHOD_CFW
                                                           : MCO_TRAFFIC_METHOD_BFW;
    b.least_nodes = (int64_t)number_of(argc, argv, "--least", 0);
    b.has_cores = value_of(argc, argv, "--no-cores") == NULL;
    b.has_gpu = value_of(argc, argv, "--no-gpu") == NULL && mco_gpus_list(b.ctx, gpus, &count, &reason) == MCO_OK && count > 0;
    if (b.is_profile)
        printf("network,origins,iterations,seconds,paths %%,published,loading %%,published,arc times %%,published,line search %%,published\n");
    else
        printf("network,nodes,links,origins,seconds,cpu seconds,iterations,gap,published sequential s,ratio%s\n",
               b.has_gpu ? ",gpu seconds,host cpu seconds,iterations,gap,published gpu s,ratio" : "");
    for (int n = 0; n < NETWORKS; n++)
        for (int s = 0; s < SIZES; s++)
            if (networks[n].nodes >= b.least_nodes && networks[n].nodes <= b.most_nodes && origins[s] >= b.least_origins && origins[s] <= b.most_origins)
                (b.is_profile ? profile : measure)(&b, &networks[n], s);
    mco_context_destroy(&b.ctx);
    return 0;
}
