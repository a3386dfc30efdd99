// SPDX-License-Identifier: MIT
// Times the published search for GPUs on networks of the sizes of table 6.1: one query, with a cap on the seconds of a row. Arrivals of
// a search that came to its end are compared with the reference, state by state.
//
//     bench_paths_multimodal_published VERTICES STATES [CAP_SECONDS]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "device/device_cuda.h"
#include "mco/mco.h"
#include "multimodal_published.h"
#include "paths/multimodal/multimodal.h"

enum { LAYERS = 1400000, DEGREE = 15, LOOK_EACH = 16 };

static mco_context *ctx;

static void must(mco_status st)
{
    if (st == MCO_OK)
        return;
    fprintf(stderr, "%s\n", mco_context_error(ctx));
    exit(1);
}

static void must_cuda(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

static mco_multimodal *make(int32_t vertices)
{
    mco_multimodal *network = NULL;
    mco_multimodal_shape shape = {.rows = 8, .layer = {500000, 400000, 300000, 200000}, .degree = DEGREE, .seed = 1};
    if (vertices <= LAYERS)  // a small one, to try it out
        shape = (mco_multimodal_shape){.rows = 8, .layer = {vertices / 4, vertices / 5, vertices / 7, vertices / 10}, .degree = DEGREE, .seed = 1};
    const int64_t roads = vertices - shape.layer[0] - shape.layer[1] - shape.layer[2] - shape.layer[3];
    while (shape.rows * shape.rows < roads)
        shape.rows += 8;
    shape.columns = (roads + shape.rows - 1) / shape.rows;
    must(mco_multimodal_generate(ctx, &shape, &network));
    return network;
}

static void *upload(mco_device *device, const void *from, size_t count, size_t bytes)
{
    void *to = NULL;
    must(mco_device_take_bytes(device, MCO_MEMORY_DEVICE, &to, count + 1, bytes));
    if (from != NULL)
        must_cuda(cudaMemcpy(to, from, count * bytes, cudaMemcpyHostToDevice));
    return to;
}

static void fill_plan(mco_device *device, const mco_multimodal *n, const mco_automaton *a, published_plan *plan)
{
    const size_t pairs = (size_t)n->vertices * (size_t)a->states;
    uint8_t allows[MCO_MULTIMODAL_MAX_STATES * MCO_MULTIMODAL_MAX_LABELS];
    for (int32_t k = 0; k < a->states * n->labels; k++)
        allows[k] = a->next[k] != 0;
    *plan = (published_plan){.vertices = n->vertices, .states = a->states, .labels = n->labels, .tables = n->tables};
    plan->tables.function = upload(device, n->function, (size_t)n->functions, sizeof *n->function);
    plan->tables.point = upload(device, n->point, (size_t)n->points, sizeof *n->point);
    plan->d_first = upload(device, n->first, (size_t)n->vertices + 1, sizeof *n->first);
    plan->d_arc = upload(device, n->arc, (size_t)n->arcs, sizeof *n->arc);
    plan->d_allows = upload(device, allows, (size_t)(a->states * n->labels), 1);
    plan->d_pace = upload(device, a->pace, (size_t)a->states, sizeof *a->pace);
    plan->d_value = upload(device, NULL, pairs, sizeof *plan->d_value);
    plan->d_unsettled = upload(device, NULL, pairs, 1);
    plan->d_frontier = upload(device, NULL, pairs, 1);
    plan->d_bound = upload(device, NULL, MCO_MULTIMODAL_MAX_STATES, sizeof *plan->d_bound);
    plan->d_settled = upload(device, NULL, 1, sizeof *plan->d_settled);
}

// Whether a bound is left; the search is over when there is none.
static bool goes_on(const published_plan *plan)
{
    int32_t bound[MCO_MULTIMODAL_MAX_STATES];
    bool is_left = false;
    must_cuda(cudaMemcpy(bound, plan->d_bound, (size_t)plan->states * sizeof *bound, cudaMemcpyDeviceToHost));
    for (int32_t h = 0; h < plan->states; h++)
        is_left = is_left || bound[h] != MCO_PATHS_NONE;
    return is_left;
}

// Each state alone, by the reference.
static void compare(const mco_multimodal *n, const mco_automaton *a, const mco_multimodal_query *query, const published_plan *plan)
{
    int32_t *value = malloc((size_t)n->vertices * sizeof *value), *oracle = malloc((size_t)n->vertices * sizeof *oracle);
    for (int32_t h = 0; h < a->states && value != NULL && oracle != NULL; h++) {
        uint32_t next[MCO_MULTIMODAL_MAX_LABELS];
        mco_automaton one = *a;
        for (int32_t l = 0; l < n->labels; l++)
            next[l] = a->next[h * n->labels + l] != 0;
        one.states = 1;
        one.start = one.final = 1;
        one.next = next;
        one.pace = &a->pace[h];
        must(mm_ref_tree(ctx, n, &one, query, oracle));
        must_cuda(cudaMemcpy(value, plan->d_value + (size_t)h * (size_t)n->vertices, (size_t)n->vertices * sizeof *value, cudaMemcpyDeviceToHost));
        if (memcmp(value, oracle, (size_t)n->vertices * sizeof *value) != 0) {
            fprintf(stderr, "arrivals of state %d differ\n", h);
            exit(1);
        }
    }
    free(value);
    free(oracle);
}

int main(int argc, char **argv)
{
    mco_device device = {0};
    mco_automaton *a = NULL;
    published_plan plan;
    unsigned long long settled = 0;
    if (argc < 3 || mco_context_create(&ctx, NULL) != MCO_OK)
        return 1;
    const double cap_s = argc > 3 ? atof(argv[3]) : 20;
    const mco_multimodal_query query = {.source = 0, .target = -1, .depart = 8 * 3600};
    mco_multimodal *n = make(atoi(argv[1]));
    must(mco_automaton_generate(ctx, n, atoi(argv[2]), &a));
    must(mco_device_open_named(ctx, NULL, &device));
    fill_plan(&device, n, a, &plan);
    const double begin_s = mco_clock_s();
    int64_t iterations = 0;
    bool is_left = true;
    must_cuda(cudaMemset(plan.d_settled, 0, sizeof settled));
    must_cuda(published_begin(&plan, query.source, query.depart, device.stream));
    // An iteration settles a pair at least, and after the last one there is no bound. A look each few iterations waits for them.
    while (is_left && mco_clock_s() - begin_s < cap_s) {
        for (int k = 0; k < LOOK_EACH; k++, iterations++)
            must_cuda(published_iterate(&plan, device.stream));
        must_cuda(cudaStreamSynchronize(device.stream));
        is_left = goes_on(&plan);
    }
    const double seconds = mco_clock_s() - begin_s;
    must_cuda(cudaMemcpy(&settled, plan.d_settled, sizeof settled, cudaMemcpyDeviceToHost));
    if (!is_left)
        compare(n, a, &query, &plan);
    printf("vertices,arcs,states,iterations,settled_pairs,pairs,seconds,end\n%d,%lld,%d,%lld,%llu,%lld,%.3f,%s\n", n->vertices, (long long)n->arcs,
           a->states, (long long)iterations, settled, (long long)n->vertices * a->states, seconds, is_left ? "cap" : "compared");
    mco_device_close(&device);
    mco_automaton_destroy(ctx, &a);
    mco_multimodal_destroy(ctx, &n);
    mco_context_destroy(&ctx);
    return 0;
}
