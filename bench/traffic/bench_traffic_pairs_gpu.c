// SPDX-License-Identifier: MIT
// Times of the method of pairs with trees and scans on one GPU: passes in parts, whole solves to several gaps, and ranges of near labels.
//
//     bench_traffic_pairs_gpu --data FOLDER [--nets ChicagoSketch,AustinTAPB] [--runs N] [--passes] [--variants] [--cores]
//
// FOLDER has a folder for each network, with NAME_net.tntp and NAME_trips.tntp, or .gz. Without --passes, --variants or --cores, the
// first two run.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "mco/mco.h"
#include "traffic/gpu_pairs/gpu.h"

typedef struct bench {
    mco_context *ctx;
    const char *data, *nets;
    int runs;
    bool passes, variants, cores;
    mco_traffic *traffic;
    traffic_problem problem;
    mco_traffic_params params;
} bench;

static void must(const bench *b, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "%s: %s\n", mco_status_text(st), mco_context_error(b->ctx));
    exit(EXIT_FAILURE);
}

static void find_file(const bench *b, const char *name, const char *what, char path[512])
{
    snprintf(path, 512, "%s/%s/%s_%s.tntp", b->data, name, name, what);
    if (access(path, R_OK) != 0)
        snprintf(path, 512, "%s/%s/%s_%s.tntp.gz", b->data, name, name, what);
}

static void open_network(bench *b, const char *name)
{
    char network[512], trips[512];
    find_file(b, name, "net", network);
    find_file(b, name, "trips", trips);
    const mco_traffic_files files = {.network = network, .trips = trips};
    const double begin_s = mco_clock_s();
    must(b, mco_traffic_read(b->ctx, &files, &b->traffic));
    const double read_s = mco_clock_s();
    b->params = (mco_traffic_params)MCO_TRAFFIC_PARAMS_INIT;
    if (strcmp(name, "ChicagoSketch") == 0) {
        b->params.toll_factor = 0.02;
        b->params.distance_factor = 0.04;
    }
    must(b, traffic_problem_make(b->ctx, b->traffic, &b->params, &b->problem));
    const traffic_problem *p = &b->problem;
    printf("\n== %s: %d nodes, %d links, %d rows; read %.1f ms, settled %.1f ms\n", name, p->nodes, p->links, p->rows, 1e3 * (read_s - begin_s),
           1e3 * (mco_clock_s() - read_s));
}

static void close_network(bench *b)
{
    traffic_problem_clear(b->ctx, &b->problem);
    mco_traffic_destroy(b->ctx, &b->traffic);
}

// ---- A call

typedef struct solve {
    mco_run run;
    traffic_history history;
    traffic_call call;
} solve;

static void begin_solve(bench *b, solve *s, double gap)
{
    const mco_run_settings settings = {.time_limit_s = 100, .target = -1, .objective = "objective", .decimals = 3};
    *s = (solve){.run = mco_run_begin(b->ctx, &settings)};
    s->call = (traffic_call){.problem = &b->problem, .params = &b->params, .run = &s->run, .history = &s->history, .gap = gap, .memory = 1e11};
}

static void end_solve(bench *b, solve *s)
{
    mco_run_clear(&s->run);
    mco_free(b->ctx, &s->history.pass);
}

// ---- Passes, in parts: a scanner around the scanner

typedef struct watch {
    traffic_scanner inner;
    traffic_gpu_stats stats;
    double ended_s;
    double host_s, scan_s;
    int pass;
} watch;

static mco_status watch_load(void *self, const double *cost)
{
    watch *w = self;
    const mco_status st = w->inner.load(w->inner.self, cost);
    printf("load: %.2f ms, of these %.2f on the device in %" PRId64 " launches\n", 1e3 * w->stats.load_s, 1e3 * w->stats.load_device_s,
           w->stats.loads);
    w->ended_s = mco_clock_s();
    return st;
}

static mco_status watch_scan(void *self, const double *cost, double threshold, traffic_certificate *proof, traffic_scan *out)
{
    watch *w = self;
    const double begin_s = mco_clock_s(), host_s = begin_s - w->ended_s;
    const mco_status st = w->inner.scan(w->inner.self, cost, threshold, proof, out);
    const traffic_gpu_stats *s = &w->stats;
    w->ended_s = mco_clock_s();
    w->host_s += host_s;
    w->scan_s += w->ended_s - begin_s;
    printf("%4d %9.2e %8" PRId64 " %8" PRId64 " %9.3f %9.3f %9.3f %9.3f %9.3f %8.1f %8.1f\n", ++w->pass, out->excess / out->total, s->candidates,
           s->changed, 1e3 * host_s, 1e3 * s->upload_s, 1e3 * s->trees_s, 1e3 * s->copy_s, 1e3 * s->scan_s, (double)s->rounds, (double)s->searches);
    return st;
}

static traffic_tree watch_tree(void *self, int32_t place)
{
    const watch *w = self;
    return w->inner.tree(w->inner.self, place);
}

static void watch_close(void *self)
{
    watch *w = self;
    w->inner.close(w->inner.self);
}

static void show_passes(bench *b, double gap)
{
    solve s;
    pairs_store store = {0};
    watch w = {0};
    traffic_answer answer = {0};
    traffic_scanner around = {.self = &w, .load = watch_load, .scan = watch_scan, .tree = watch_tree, .close = watch_close};
    begin_solve(b, &s, gap);
    const double begin_s = mco_clock_s();
    must(b, pairs_store_open(b->ctx, &b->problem, true, NULL, &store));
    const double store_s = mco_clock_s();
    must(b, traffic_gpu_scanner(b->ctx, &s.call, &store, NULL, &w.inner, &w.stats));
    printf("gap %.0e: store %.2f ms, scanner %.2f ms; %d blocks, queues of %d, %.1f MB of the device\n", gap, 1e3 * (store_s - begin_s),
           1e3 * w.stats.open_s, w.stats.blocks, w.stats.queue, 1e-6 * (double)w.stats.bytes);
    printf("pass       gap    cand.  changed   host ms upload ms  trees ms   copy ms   scan ms   rounds searches\n");
    around.is_quick = w.inner.is_quick;
    w.ended_s = mco_clock_s();
    must(b, traffic_pairs_balance(b->ctx, &s.call, &store, &around, &answer));
    const double solved_s = mco_clock_s();
    pairs_store_close(&store);
    printf("host %.2f ms, scans %.2f ms, after the last scan %.2f ms, close %.2f ms; all %.2f ms; gap %.3g, objective %.15g, %" PRId64
           " pairs\n", 1e3 * w.host_s, 1e3 * w.scan_s, 1e3 * (solved_s - w.ended_s), 1e3 * (mco_clock_s() - solved_s),
           1e3 * (mco_clock_s() - begin_s), answer.gap, traffic_objective(&b->problem, answer.flow, answer.class_flow), answer.segment_pairs);
    traffic_answer_clear(b->ctx, &answer);
    end_solve(b, &s);
}

// ---- Whole solves

static uint64_t hash_of(const double *flow, int32_t links)
{
    const unsigned char *byte = (const unsigned char *)flow;
    uint64_t hash = 1469598103934665603u;
    for (size_t k = 0; k < (size_t)links * sizeof *flow; k++)
        hash = (hash ^ byte[k]) * 1099511628211u;
    return hash;
}

static void show_solves(bench *b, traffic_engine *engine, const char *what, double gap)
{
    double best_s = INFINITY, first_s = 0, device_s = 0;
    uint64_t hash = 0;
    bool is_same = true;
    traffic_answer answer = {0};
    for (int k = 0; k < b->runs; k++) {
        solve s;
        traffic_answer_clear(b->ctx, &answer);
        answer = (traffic_answer){0};
        begin_solve(b, &s, gap);
        const double begin_s = mco_clock_s();
        must(b, engine(b->ctx, &s.call, &answer));
        const double all_s = mco_clock_s() - begin_s;
        const uint64_t now = hash_of(answer.flow, b->problem.links);
        is_same = is_same && (k == 0 || now == hash);
        hash = now;
        first_s = k == 0 ? all_s : first_s;
        best_s = all_s < best_s ? all_s : best_s;
        device_s = answer.device_s;
        end_solve(b, &s);
    }
    printf("%s to %.0e: best %.2f ms of %d, first %.2f ms, kernels %.2f ms; gap %.3g, objective %.15g, %" PRId64 " passes; flows %016" PRIx64
           " %s\n", what, gap, 1e3 * best_s, b->runs, 1e3 * first_s, 1e3 * device_s, answer.gap,
           traffic_objective(&b->problem, answer.flow, answer.class_flow), answer.iterations, hash, is_same ? "each time" : "DIFFER");
    fflush(stdout);
    traffic_answer_clear(b->ctx, &answer);
}

// ---- Ranges of near labels, labels in device memory

static void show_variant(bench *b, const char *what, const traffic_gpu_tuning *tuning)
{
    solve s;
    pairs_store store = {0};
    traffic_scanner scanner = {0};
    traffic_gpu_stats stats = {0};
    traffic_scan found;
    const traffic_problem *p = &b->problem;
    double *cost = calloc((size_t)p->links + 1, sizeof *cost), *flow = calloc((size_t)p->links + 1, sizeof *flow), best_s = INFINITY;
    begin_solve(b, &s, 1e-6);
    must(b, pairs_store_open(b->ctx, p, true, NULL, &store));
    must(b, traffic_gpu_scanner(b->ctx, &s.call, &store, tuning, &scanner, &stats));
    for (int32_t l = 0; l < p->links; l++)
        cost[l] = traffic_cost(&p->costs, l, 0);
    must(b, scanner.load(scanner.self, cost));
    pairs_store_sum(&store, flow, NULL);
    for (int32_t l = 0; l < p->links; l++)
        cost[l] = traffic_cost(&p->costs, l, 0.5 * flow[l]);
    for (int k = 0; k < 5; k++) {
        must(b, scanner.scan(scanner.self, cost, INFINITY, NULL, &found));
        best_s = stats.trees_s < best_s ? stats.trees_s : best_s;
    }
    printf("%-28s trees and scan %.3f ms, load %.3f ms on the device; rounds %.1f, searches %.1f a row; %d blocks, queues of %d\n", what,
           1e3 * best_s, 1e3 * stats.load_device_s, (double)stats.rounds / p->rows, (double)stats.searches / p->rows, stats.blocks,
           stats.queue);
    fflush(stdout);
    scanner.close(scanner.self);
    pairs_store_close(&store);
    end_solve(b, &s);
    free(cost);
    free(flow);
}

static void show_variants(bench *b)
{
    static const double ranges[] = {1, 2, 4, 8, 16, 32, 64, 1e6};
    char what[64];
    for (size_t k = 0; k < sizeof ranges / sizeof ranges[0]; k++) {
        snprintf(what, sizeof what, "near: %g links", ranges[k]);
        show_variant(b, what, &(traffic_gpu_tuning){.delta_links = ranges[k]});
    }
    show_variant(b, "one block each", &(traffic_gpu_tuning){.blocks_each = 1});
    show_variant(b, "two blocks each", &(traffic_gpu_tuning){.blocks_each = 2});
    show_variant(b, "labels in device memory", &(traffic_gpu_tuning){.is_wide = true});
}

// ---- Command

static void bench_network(bench *b, const char *name)
{
    static const double chicago[] = {1e-4, 1e-6, 1e-12}, others[] = {1e-6, 1e-10};
    const bool is_chicago = strcmp(name, "ChicagoSketch") == 0;
    const double *gap = is_chicago ? chicago : others;
    const int gaps = is_chicago ? 3 : 2;
    open_network(b, name);
    if (b->passes)
        show_passes(b, gap[gaps - 1]);
    for (int k = 0; k < gaps; k++)
        show_solves(b, traffic_gpu_pairs_assign, "gpu", gap[k]);
    for (int k = 0; k < gaps && b->cores; k++)
        show_solves(b, traffic_pairs_assign, "cores", gap[k]);
    if (b->variants)
        show_variants(b);
    close_network(b);
}

int main(int argc, char **argv)
{
    bench b = {.nets = "ChicagoSketch,AustinTAPB", .runs = 3};
    char nets[256];
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int k = 1; k < argc; k++) {
        const char *a = argv[k], *next = k + 1 < argc ? argv[k + 1] : "";
        b.passes = b.passes || strcmp(a, "--passes") == 0;
        b.variants = b.variants || strcmp(a, "--variants") == 0;
        b.cores = b.cores || strcmp(a, "--cores") == 0;
        b.data = strcmp(a, "--data") == 0 ? next : b.data;
        b.nets = strcmp(a, "--nets") == 0 ? next : b.nets;
        b.runs = strcmp(a, "--runs") == 0 ? atoi(next) : b.runs;
    }
    if (b.data == NULL || b.runs < 1) {
        fprintf(stderr, "--data FOLDER is needed, and --runs of 1 or more\n");
        return EXIT_FAILURE;
    }
    if (!b.passes && !b.variants && !b.cores)
        b.passes = b.variants = true;
    must(&b, mco_context_create(&b.ctx, NULL));
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    const char *reason = NULL;
    mco_device first = {0};
    const double begin_s = mco_clock_s();
    must(&b, mco_gpus_list(b.ctx, gpus, &count, &reason));
    if (count == 0) {
        fprintf(stderr, "no GPU: %s\n", reason);
        return EXIT_FAILURE;
    }
    must(&b, mco_device_open(b.ctx, &gpus[0], &first));
    printf("%s, opened in %.0f ms\n", gpus[0].name, 1e3 * (mco_clock_s() - begin_s));
    snprintf(nets, sizeof nets, "%s", b.nets);
    for (char *rest = nets, *name; (name = strtok_r(rest, ",", &rest)) != NULL;)
        bench_network(&b, name);
    mco_device_close(&first);
    mco_context_destroy(&b.ctx);
    return EXIT_SUCCESS;
}
