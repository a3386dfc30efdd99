// SPDX-License-Identifier: MIT
// Times of all-or-nothing and of the Frank-Wolfe family on a GPU.
//
//     bench_traffic_gpu NET TRIPS [--threads T] [--shared 1|2] [--pulls P] [--apart 1] [--chunk C] [--way 1|2|3|4] [--toll-factor A] [--distance-factor B] [--gap G]... [--method fw|cfw|bfw] [--detail N] [--gpus N]
//
// Kernel times are those of events; wall times are of an open city, from empty links on, flows not copied. Minimum of several runs.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/run.h"
#include "mco/mco.h"
#include "traffic/gpu/city.h"

enum { RUNS = 5, MOST_GAPS = 8 };

typedef struct bench {
    mco_context *ctx;
    mco_traffic *traffic;
    mco_traffic_params params;
    traffic_problem problem;
    traffic_gpu_city city;
    traffic_gpu_tuning tuning;
    double gap[MOST_GAPS];
    int gaps, detail;
    uint64_t gpus;
    const char *label;
} bench;

static void must(const bench *b, mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "%s\n", mco_context_error(b->ctx));
    exit(EXIT_FAILURE);
}

static void must_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(EXIT_FAILURE);
}

// ---- Kernels

static float time_trees(bench *b)
{
    mco_device *d = &b->city.device;
    float ms = 0;
    must_cuda(cudaEventRecord(d->begin, d->stream));
    must_cuda(traffic_gpu_launch_trees(&b->city.trees, d->stream));
    must_cuda(cudaEventRecord(d->end, d->stream));
    must_cuda(cudaEventSynchronize(d->end));
    must_cuda(cudaEventElapsedTime(&ms, d->begin, d->end));
    b->city.trees.is_cold = false;
    return ms;
}

static float time_step(bench *b)
{
    mco_device *d = &b->city.device;
    float ms = 0;
    must_cuda(cudaEventRecord(d->begin, d->stream));
    must_cuda(traffic_gpu_launch_step(&b->city.steps, d->stream));
    must_cuda(cudaEventRecord(d->end, d->stream));
    must_cuda(cudaEventSynchronize(d->end));
    must_cuda(cudaEventElapsedTime(&ms, d->begin, d->end));
    return ms;
}

// A launch of trees that finds the iterations ended.
static float time_launch(bench *b)
{
    const int32_t end = TRAFFIC_GPU_REACHED;
    must(b, traffic_gpu_city_restart(&b->city));
    must_cuda(cudaMemcpyAsync(&b->city.steps.d_state->end, &end, sizeof end, cudaMemcpyHostToDevice, b->city.device.stream));
    must_cuda(cudaStreamSynchronize(b->city.device.stream));
    return time_trees(b);
}

// Trees without any before them, and at once again at the same costs; then from these trees, which are those of empty links, at the costs
// of their loads. The last figure is what a request with new costs takes, once the trees of empty links are there.
static void time_cold(bench *b)
{
    float cold = INFINITY, again = INFINITY, renewed = INFINITY, launch = INFINITY;
    for (int r = 0; r < 2 * RUNS; r++) {
        const float empty = time_launch(b);
        launch = empty < launch ? empty : launch;
        must(b, traffic_gpu_city_restart(&b->city));
        const float first = time_trees(b), second = time_trees(b);
        cold = first < cold ? first : cold;
        again = second < again ? second : again;
        must(b, traffic_gpu_city_restart(&b->city));
        (void)time_trees(b);
        (void)time_step(b);
        const float third = time_trees(b);
        renewed = third < renewed ? third : renewed;
    }
    printf("%s: all-or-nothing from nothing %.4f ms, at unchanged costs %.4f ms, at the costs of its loads %.4f ms, launch alone %.4f ms\n", b->label,
           (double)cold, (double)again, (double)renewed, (double)launch);
}

// Loads by a hierarchy: new weights, trees and loads, one behind the other; and steps.
static void time_wide(bench *b)
{
    mco_device *d = &b->city.device;
    float best = INFINITY, step = INFINITY;
    must(b, traffic_gpu_city_restart(&b->city));
    for (int r = 0; r < 2 * RUNS; r++) {
        float ms = 0;
        must_cuda(cudaStreamSynchronize(d->stream));
        must_cuda(cudaEventRecord(d->begin, d->stream));
        must(b, traffic_gpu_wide_load(b->city.wide, NULL));
        must_cuda(cudaEventRecord(d->end, d->stream));
        must_cuda(cudaEventSynchronize(d->end));
        must_cuda(cudaEventElapsedTime(&ms, d->begin, d->end));
        best = ms < best ? ms : best;
        ms = time_step(b);
        step = ms < step ? ms : step;
    }
    printf("%s: all-or-nothing by a hierarchy, new weights included %.4f ms, step %.4f ms\n", b->label, (double)best, (double)step);
}

// Each iteration's kernels apart; rounds a row.
static void time_iterations(bench *b)
{
    mco_device *d = &b->city.device;
    unsigned long long rounds[2] = {0}, *d_rounds = NULL;
    double trees = 0, steps = 0;
    must(b, traffic_gpu_city_restart(&b->city));
    must(b, mco_device_take(d, MCO_MEMORY_DEVICE, &d_rounds, 2));
    b->city.trees.d_rounds = d_rounds;
    b->city.steps.gap = 0;
    b->city.steps.memory = 2;
    for (int i = 0; i < b->detail; i++) {
        must_cuda(cudaMemsetAsync(d_rounds, 0, sizeof rounds, d->stream));
        const float tree = time_trees(b), step = time_step(b);
        traffic_gpu_state state;
        must_cuda(cudaMemcpyAsync(rounds, d_rounds, sizeof rounds, cudaMemcpyDeviceToHost, d->stream));
        must_cuda(cudaMemcpyAsync(&state, b->city.steps.d_state, sizeof state, cudaMemcpyDeviceToHost, d->stream));
        must_cuda(cudaStreamSynchronize(d->stream));
        trees += (double)tree;
        steps += (double)step;
        if (i < 6 || i % 10 == 9)
            printf("%s: iteration %d: trees %.4f ms, step %.4f ms, evaluations %.2f and pulls %.2f a row, step %.4f, gap %.3g, scale %g\n", b->label, i,
                   (double)tree, (double)step, (double)rounds[0] / b->problem.rows, (double)rounds[1] / b->problem.rows, state.step, state.gap, state.scale);
    }
    printf("%s: mean of %d iterations: trees %.4f ms, step %.4f ms\n", b->label, b->detail, trees / b->detail, steps / b->detail);
    b->city.trees.d_rounds = NULL;
    mco_device_give(d, &d_rounds);
}

// ---- Whole runs

static uint64_t hash_of(const double *flow, int32_t links)
{
    uint64_t hash = 0;
    for (int32_t a = 0; a < links; a++) {
        uint64_t bits;
        memcpy(&bits, &flow[a], sizeof bits);
        hash = hash * UINT64_C(1099511628211) + bits;
    }
    return hash;
}

static void time_method(bench *b, double gap)
{
    double best = INFINITY;
    traffic_answer answer = {0};
    uint64_t hash = 0;
    bool is_equal = true;
    for (int r = 0; r < RUNS; r++) {
        const mco_run_settings settings = {.time_limit_s = 5, .target = -1, .objective = "objective"};
        mco_run run = mco_run_begin(b->ctx, &settings);
        traffic_history history = {0};
        const traffic_call call = {.problem = &b->problem, .params = &b->params, .run = &run, .history = &history, .gap = gap, .memory = 1e9, .gpus = b->gpus};
        traffic_answer_clear(b->ctx, &answer);
        must(b, traffic_gpu_city_restart(&b->city));
        const double begin_s = mco_clock_s();
        must(b, traffic_gpu_iterate(b->ctx, &call, &b->city, &answer));
        const double taken = mco_clock_s() - begin_s;
        best = taken < best ? taken : best;
        const uint64_t now = hash_of(answer.flow, b->problem.links);
        is_equal = is_equal && (r == 0 || hash == now);
        hash = now;
        mco_free(b->ctx, &history.pass);
        mco_run_clear(&run);
        if (taken > 2)
            break;
    }
    mco_traffic_facts facts = {0};
    double *flow = calloc((size_t)mco_traffic_view(b->traffic).links + 1, sizeof *flow);
    for (int32_t a = 0; a < b->problem.links && flow != NULL; a++)
        if (b->problem.origin_link[a] >= 0)
            flow[b->problem.origin_link[a]] = answer.flow[a];
    const mco_status st = flow != NULL ? mco_traffic_check(b->ctx, b->traffic, &b->params, flow, NULL, &facts) : MCO_ERR_MEMORY;
    printf("%s: gap %g: %.3f ms, %lld iterations, gap %.4g, objective %.15g, %s %016llx; checker: %s gap %.4g, objective %.15g\n", b->label, gap, 1e3 * best,
           (long long)answer.iterations, answer.gap, traffic_objective(&b->problem, answer.flow, answer.class_flow),
           is_equal ? "equal bits" : "DIFFERENT BITS", (unsigned long long)hash, st == MCO_OK ? "" : mco_context_error(b->ctx), facts.gap, facts.objective);
    fflush(stdout);
    free(flow);
    traffic_answer_clear(b->ctx, &answer);
}

// ---- Frame

static void read_options(bench *b, int count, char **words)
{
    for (int i = 3; i + 1 < count; i += 2) {
        const char *value = words[i + 1];
        if (strcmp(words[i], "--threads") == 0)
            b->tuning.threads = atoi(value);
        else if (strcmp(words[i], "--shared") == 0)
            b->tuning.arcs_in_shared = atoi(value);
        else if (strcmp(words[i], "--pulls") == 0)
            b->tuning.pulls = atoi(value);
        else if (strcmp(words[i], "--apart") == 0)
            b->tuning.keeps_apart = atoi(value) != 0;
        else if (strcmp(words[i], "--chunk") == 0)
            b->tuning.chunk = atoi(value);
        else if (strcmp(words[i], "--toll-factor") == 0)
            b->params.toll_factor = atof(value);
        else if (strcmp(words[i], "--distance-factor") == 0)
            b->params.distance_factor = atof(value);
        else if (strcmp(words[i], "--way") == 0)
            b->tuning.way = atoi(value);
        else if (strcmp(words[i], "--gpus") == 0)
            b->gpus = (UINT64_C(1) << atoi(value)) - 1;  // the first ones
        else if (strcmp(words[i], "--detail") == 0)
            b->detail = atoi(value);
        else if (strcmp(words[i], "--label") == 0)
            b->label = value;
        else if (strcmp(words[i], "--gap") == 0 && b->gaps < MOST_GAPS)
            b->gap[b->gaps++] = atof(value);
        else if (strcmp(words[i], "--method") == 0)
            b->params.method = strcmp(value, "fw") == 0 ? MCO_TRAFFIC_METHOD_FW : strcmp(value, "cfw") == 0 ? MCO_TRAFFIC_METHOD_CFW : MCO_TRAFFIC_METHOD_BFW;
    }
}

int main(int count, char **words)
{
    bench b = {.params = MCO_TRAFFIC_PARAMS_INIT, .label = "network"};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count < 3) {
        fprintf(stderr, "usage: %s NET TRIPS [options]\n", words[0]);
        return EXIT_FAILURE;
    }
    b.params.method = MCO_TRAFFIC_METHOD_BFW;
    read_options(&b, count, words);
    if (mco_context_create(&b.ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    const mco_traffic_files files = {.network = words[1], .trips = words[2]};
    must(&b, mco_traffic_read(b.ctx, &files, &b.traffic));
    must(&b, traffic_problem_make(b.ctx, b.traffic, &b.params, &b.problem));
    const double begin_s = mco_clock_s();
    const mco_run_settings settings = {.time_limit_s = INFINITY, .target = -1, .objective = "objective"};
    mco_run run = mco_run_begin(b.ctx, &settings);
    const traffic_call call = {.problem = &b.problem, .params = &b.params, .run = &run, .gpus = b.gpus};
    must(&b, traffic_gpu_city_open(b.ctx, &call, &b.tuning, &b.city));
    printf("%s: %d nodes, %d links, %d rows; %d threads, %d blocks a multiprocessor, arcs in shared memory: %d, %zu bytes; opened in %.3f s\n", b.label,
           b.problem.nodes, b.problem.links, b.problem.rows, b.city.trees.threads, b.city.per_multiprocessor, b.city.trees.arcs_in_shared,
           traffic_gpu_trees_bytes(&b.city.trees), mco_clock_s() - begin_s);
    if (b.city.fleet != NULL)
        printf("%s: several GPUs, whole runs alone\n", b.label);
    else if (b.city.wide != NULL)
        time_wide(&b);
    else
        time_cold(&b);
    if (b.detail > 0 && b.city.wide == NULL && b.city.fleet == NULL)
        time_iterations(&b);
    for (int i = 0; i < b.gaps; i++)
        time_method(&b, b.gap[i]);
    if (b.city.wide != NULL) {
        double seconds[3];
        traffic_gpu_wide_times(b.city.wide, seconds);
        printf("%s: seconds of all loads: customising %.4f, trees %.4f, walks %.4f\n", b.label, seconds[0], seconds[1], seconds[2]);
    }
    mco_run_clear(&run);
    traffic_gpu_city_close(&b.city);
    traffic_problem_clear(b.ctx, &b.problem);
    mco_traffic_destroy(b.ctx, &b.traffic);
    mco_context_destroy(&b.ctx);
    return EXIT_SUCCESS;
}
