// SPDX-License-Identifier: MIT
// The hierarchy on a GPU, as CSV: kernel time by events, wall clock and copies apart, the best of several runs each.
//
//     bench_paths_gpu --data DIR [--orders DIR] [--parts LIST] [--runs R] [--variants] [--make-orders DIR]
//
// DIR has roads/luxembourg and tntp/AustinTAPB. Parts: luxembourg, austin, million (ROAD 1024 x 1024), road (4096 x 2048).
// --orders: orders of elimination as written by --make-orders, which needs no GPU. --variants: also other tunings.
// Columns: part, what, variant, items, kernel ms, wall ms, copy ms, items per microsecond, checked. `checked` counts labels that
// were certified or compared; a failed check ends the program with status 1.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "base/clock.h"
#include "paths/hierarchy/gpu.h"

enum { SAMPLES = 16, LARGE = 100000000 };  // trees that are certified; a quarter of them where there are more labels

typedef struct bench {
    mco_context *ctx;
    const char *data, *orders, *part;
    int runs;
    bool has_variants;
    mco_paths_network *network;
    mco_paths_hierarchy *hierarchy;
    paths_device_hierarchy *device;
    int32_t *order;         // malloc
    int32_t *distance;      // [sources][vertices] of the first variant
    int32_t *other;         // the same of the variant at work
} bench;

static mco_status check_failed(bench *b, const char *what)
{
    return mco_fail(b->ctx, MCO_ERR_CHECK, "%s, %s: the answers differ", b->part, what);
}

static void print_row(const bench *b, const char *what, const char *variant, double items, double kernel_s, double wall_s, double copy_s, double checked)
{
    printf("%s,%s,%s,%.0f,%.4f,%.4f,%.3f,%.1f,%.0f\n", b->part, what, variant, items, 1e3 * kernel_s, 1e3 * wall_s, 1e3 * copy_s,
           1e-6 * items / kernel_s, checked);
    fflush(stdout);
}

// ---- Input

// Reads a file of 32-bit numbers. *out is malloc's.
static mco_status read_numbers(bench *b, const char *folder, const char *name, int32_t **out, int64_t *count)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return mco_fail(b->ctx, MCO_ERR_IO, "%s cannot be read", path);
    fseek(file, 0, SEEK_END);
    *count = ftell(file) / (int64_t)sizeof **out;
    rewind(file);
    *out = malloc(((size_t)*count + 1) * sizeof **out);
    const bool is_read = *out != NULL && fread(*out, sizeof **out, (size_t)*count, file) == (size_t)*count;
    fclose(file);
    return is_read ? MCO_OK : mco_fail(b->ctx, MCO_ERR_IO, "%s is cut", path);
}

static mco_status make_network(bench *b)
{
    char path[1024];
    mco_paths_shape shape = {.family = MCO_PATHS_ROAD, .a = 1024, .b = 1024, .seed = 1};
    if (strcmp(b->part, "luxembourg") == 0 || strcmp(b->part, "austin") == 0) {
        snprintf(path, sizeof path, "%s/%s", b->data, b->part[0] == 'l' ? "roads/luxembourg" : "tntp/AustinTAPB/AustinTAPB_net.tntp.gz");
        return mco_paths_read(b->ctx, path, 0, &b->network);
    }
    if (strcmp(b->part, "road") == 0) {
        shape.a = 2048;
        shape.b = 4096;
    } else if (strcmp(b->part, "million") != 0) {
        return mco_fail(b->ctx, MCO_ERR_ARGUMENT, "part '%s', expected luxembourg, austin, million or road", b->part);
    }
    int32_t *order = NULL;
    const mco_status st = mco_paths_generate(b->ctx, &shape, &b->network, &order);
    if (st != MCO_OK)
        return st;
    b->order = malloc((size_t)b->network->rows.vertices * sizeof *order);
    memcpy(b->order, order, (size_t)b->network->rows.vertices * sizeof *order);
    mco_paths_order_clear(b->ctx, &order);
    return MCO_OK;
}

static mco_status open_part(bench *b)
{
    mco_status st = MCO_OK;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    mco_paths_hierarchy_facts facts = MCO_PATHS_HIERARCHY_FACTS_INIT;
    int64_t count = 0;
    MCO_TRY(make_network(b));
    if (b->order == NULL && b->orders != NULL) {
        char name[64];
        snprintf(name, sizeof name, "%s.order", b->part);
        MCO_TRY(read_numbers(b, b->orders, name, &b->order, &count));
        if (count != b->network->rows.vertices)
            MCO_TRY(mco_fail(b->ctx, MCO_ERR_PARSE, "%s has %lld vertices, the network has %d", name, (long long)count, b->network->rows.vertices));
    }
    MCO_TRY(mco_paths_prepare(b->ctx, b->network, b->order, &params, &b->hierarchy));
    MCO_TRY(mco_paths_hierarchy_tell(b->ctx, b->hierarchy, &facts));
    fprintf(stderr, "%s: %d vertices, %lld arcs, hierarchy of %lld arcs, height %d, %lld triangles, order by %s\n", b->part,
            b->network->rows.vertices, (long long)b->network->rows.arcs, (long long)facts.arcs, facts.height, (long long)facts.triangles, facts.order_by);
done:
    return st;
}

static void close_part(bench *b)
{
    paths_device_close(b->ctx, &b->device);
    mco_paths_hierarchy_destroy(b->ctx, &b->hierarchy);
    mco_paths_destroy(b->ctx, &b->network);
    free(b->order);
    free(b->distance);
    free(b->other);
    b->order = b->distance = b->other = NULL;
}

// ---- Rows

static mco_status measure_customise(bench *b, const char *variant)
{
    mco_status st = MCO_OK;
    double best = HUGE_VAL, wall = HUGE_VAL;
    const int64_t arcs = b->hierarchy->topology.arcs;
    int32_t *pair = malloc((2 * (size_t)arcs + 1) * sizeof *pair);
    for (int run = 0; run < 2 * b->runs; run++) {
        double seconds = 0;
        const double begin_s = mco_clock_s();
        MCO_TRY(paths_device_customise(b->ctx, b->device, b->network->rows.weight, &seconds));
        wall = fmin(wall, mco_clock_s() - begin_s);
        best = fmin(best, seconds);
    }
    MCO_TRY(paths_device_weights(b->ctx, b->device, pair));
    if (memcmp(pair, b->hierarchy->metric.pair, 2 * (size_t)arcs * sizeof *pair) != 0)
        MCO_TRY(check_failed(b, "customise"));
    print_row(b, "customise", variant, (double)b->hierarchy->topology.triangles, best, wall, 0, 2 * (double)arcs);
done:
    free(pair);
    return st;
}

// Certifies a sample of the trees, or compares all labels with those of the variant before.
static mco_status check_trees(bench *b, int64_t count, const int32_t *source, double *copy_s, double *checked)
{
    mco_status st = MCO_OK;
    const int64_t n = b->network->rows.vertices;
    const bool is_first = b->distance == NULL;
    int32_t **to = is_first ? &b->distance : &b->other;
    if (*to == NULL)
        *to = malloc((size_t)(count * n) * sizeof **to);
    if (*to == NULL)
        return mco_fail(b->ctx, MCO_ERR_MEMORY, "no room for %lld labels", (long long)(count * n));
    MCO_TRY(paths_device_labels(b->ctx, b->device, NULL, *to, copy_s));
    *checked = (double)(count * n);
    if (!is_first) {
        if (memcmp(b->distance, b->other, (size_t)(count * n) * sizeof **to) != 0)
            MCO_TRY(check_failed(b, "trees"));
        return MCO_OK;
    }
    const int64_t samples = count * n > LARGE ? SAMPLES / 4 : SAMPLES, step = count > samples ? count / samples : 1;
    *checked = 0;
    for (int64_t k = 0; k < count; k += step, *checked += (double)n)
        MCO_TRY(mco_paths_check(b->ctx, b->network, source[k], b->distance + k * n));
done:
    return st;
}

// The time of each kernel on its own, the best of several runs; one row each.
static mco_status measure_pieces(bench *b, const char *variant)
{
    mco_status st = MCO_OK;
    paths_device_pieces best = {0};
    for (int run = 0; run < b->runs; run++) {
        paths_device_pieces now;
        MCO_TRY(paths_device_measure(b->ctx, b->device, NULL, &now));
        for (int k = 0; k < now.count && run > 0; k++)
            now.ms[k] = fminf(now.ms[k], best.ms[k]);
        best = now;
    }
    for (int k = 0; k < best.count; k++)
        printf("%s,  %s,%s,,%.4f,,,,\n", b->part, best.name[k], variant, (double)best.ms[k]);
done:
    return st;
}

static mco_status measure_trees(bench *b, const char *variant, int64_t count, const int32_t *source)
{
    mco_status st = MCO_OK;
    char what[64];
    double first = HUGE_VAL, best = HUGE_VAL, wall = HUGE_VAL, copy_s = 0, checked = 0;
    const double labels = (double)count * b->network->rows.vertices;
    int32_t *turned = malloc((size_t)count * sizeof *turned);
    for (int64_t k = 0; k < count; k++)
        turned[k] = source[count - 1 - k];
    for (int run = 0; run < 2 * b->runs; run++) {  // other sources than before
        double seconds = 0;
        MCO_TRY(paths_device_trees(b->ctx, b->device, NULL, count, run % 2 == 0 ? turned : source, NULL, &seconds, NULL));
        first = fmin(first, seconds);
    }
    for (int run = 0; run < 2 * b->runs; run++) {
        double seconds = 0;
        const double begin_s = mco_clock_s();
        MCO_TRY(paths_device_trees(b->ctx, b->device, NULL, count, source, NULL, &seconds, NULL));
        wall = fmin(wall, mco_clock_s() - begin_s);
        best = fmin(best, seconds);
    }
    MCO_TRY(check_trees(b, count, source, &copy_s, &checked));
    snprintf(what, sizeof what, "%lld trees", (long long)count);
    print_row(b, what, variant, labels, best, wall, copy_s, checked);
    snprintf(what, sizeof what, "%lld trees of new sources", (long long)count);
    print_row(b, what, variant, labels, first, 0, 0, 0);
    MCO_TRY(measure_pieces(b, variant));
done:
    free(turned);
    return st;
}

// Copies the labels of the last trees to memory that nobody has touched, or that was written before, or that CUDA has pinned.
static mco_status measure_copy(bench *b, int64_t count, const char *memory, int32_t threads, bool is_plain)
{
    mco_status st = MCO_OK;
    char variant[64], what[64];
    const size_t labels = (size_t)count * (size_t)b->network->rows.vertices;
    const paths_device_tuning tuning = {.copy_threads = threads, .copy_plain = is_plain};
    int32_t *to = NULL, *pinned = NULL;
    double best = HUGE_VAL;
    paths_device_tune(b->device, &tuning);
    if (memory[0] == 'p' && cudaHostAlloc((void **)&pinned, labels * sizeof *to, cudaHostAllocPortable) != cudaSuccess)
        return mco_fail(b->ctx, MCO_ERR_MEMORY, "no pinned memory for %zu labels", labels);
    for (int run = 0; run < b->runs; run++) {
        double copy_s = 0;
        if (pinned == NULL && (to == NULL || memory[0] == 'n')) {
            free(to);
            to = malloc(labels * sizeof *to);
        }
        MCO_TRY(paths_device_labels(b->ctx, b->device, NULL, pinned != NULL ? pinned : to, &copy_s));
        best = run > 0 ? fmin(best, copy_s) : best;
    }
    if (memcmp(b->distance, pinned != NULL ? pinned : to, labels * sizeof *to) != 0)
        MCO_TRY(check_failed(b, "copies"));
    snprintf(what, sizeof what, "copy of %lld trees", (long long)count);
    snprintf(variant, sizeof variant, "%s memory%s threads %d", memory, is_plain ? " small pages" : "", threads);
    printf("%s,%s,%s,%zu,,,%.3f,,%zu\n", b->part, what, variant, labels, 1e3 * best, labels);
    fflush(stdout);
done:
    (void)cudaFreeHost(pinned);
    free(to);
    return st;
}

static mco_status vary_copies(bench *b, int64_t count, const int32_t *source)
{
    mco_status st = MCO_OK;
    static const int32_t THREADS[] = {1, 4, 8, 16};
    MCO_TRY(paths_device_trees(b->ctx, b->device, NULL, count, source, NULL, NULL, NULL));
    MCO_TRY(measure_copy(b, count, "pinned", 0, false));
    for (int k = 0; k < 4; k++) {
        MCO_TRY(measure_copy(b, count, "written", THREADS[k], false));
        MCO_TRY(measure_copy(b, count, "new", THREADS[k], true));
        MCO_TRY(measure_copy(b, count, "new", THREADS[k], false));
    }
done:
    return st;
}

static mco_status measure_renew(bench *b, const char *variant, int64_t count, const int32_t *source)
{
    mco_status st = MCO_OK;
    double best = HUGE_VAL, wall = HUGE_VAL, copy_s = 0, checked = 0;
    MCO_TRY(paths_device_trees(b->ctx, b->device, NULL, count, source, NULL, NULL, NULL));
    for (int run = 0; run < 2 * b->runs; run++) {
        double seconds = 0;
        const double begin_s = mco_clock_s();
        MCO_TRY(paths_device_renew(b->ctx, b->device, NULL, b->network->rows.weight, &seconds));
        wall = fmin(wall, mco_clock_s() - begin_s);
        best = fmin(best, seconds);
    }
    MCO_TRY(check_trees(b, count, source, &copy_s, &checked));
    print_row(b, "new weights to all trees", variant, (double)count * b->network->rows.vertices, best, wall, copy_s, checked);
done:
    return st;
}

// Labels of all vertices; items are vertices.
static mco_status measure_labels(bench *b)
{
    mco_status st = MCO_OK;
    double best = HUGE_VAL, wall = HUGE_VAL;
    for (int run = 0; run < b->runs; run++) {
        double seconds = 0;
        const double begin_s = mco_clock_s();
        MCO_TRY(paths_device_ancestors(b->ctx, b->device, NULL, &seconds));
        wall = fmin(wall, mco_clock_s() - begin_s);
        best = fmin(best, seconds);
    }
    print_row(b, "labels for queries", "all vertices", b->network->rows.vertices, best, wall, 0, 0);
done:
    return st;
}

static mco_status measure_queries(bench *b)
{
    mco_status st = MCO_OK;
    char folder[1024];
    int32_t *source = NULL, *target = NULL, *expected = NULL, *distance = NULL;
    int64_t count = 0, bad = 0;
    snprintf(folder, sizeof folder, "%s/roads/luxembourg", b->data);
    MCO_TRY(read_numbers(b, folder, "source_node", &source, &count));
    MCO_TRY(read_numbers(b, folder, "target_node", &target, &count));
    MCO_TRY(read_numbers(b, folder, "query_reference_travel_time_length", &expected, &count));
    distance = malloc((size_t)count * sizeof *distance);
    MCO_TRY(measure_labels(b));
    for (int way = PATHS_QUERIES_WALK; way <= PATHS_QUERIES_LABELS; way++) {
        const paths_device_tuning tuning = {.queries = (paths_queries_way)way};
        double best = HUGE_VAL, wall = HUGE_VAL;
        paths_device_tune(b->device, &tuning);
        memset(distance, 0xff, (size_t)count * sizeof *distance);
        for (int run = 0; run < 2 * b->runs; run++) {
            double seconds = 0;
            const double begin_s = mco_clock_s();
            MCO_TRY(paths_device_queries(b->ctx, b->device, NULL, count, source, target, distance, &seconds));
            wall = fmin(wall, mco_clock_s() - begin_s);
            best = fmin(best, seconds);
        }
        for (int64_t q = 0; q < count; q++)
            bad += distance[q] != (expected[q] < 0 || expected[q] > MCO_PATHS_NONE ? MCO_PATHS_NONE : expected[q]);
        if (bad > 0)
            MCO_TRY(mco_fail(b->ctx, MCO_ERR_CHECK, "%lld of %lld queries differ from the reference", (long long)bad, (long long)count));
        print_row(b, "queries", way == PATHS_QUERIES_WALK ? "walks" : "labels", (double)count, best, wall, 0, (double)count);
    }
done:
    free(distance);
    free(expected);
    free(target);
    free(source);
    return st;
}

// ---- Parts

static mco_status reopen(bench *b, const paths_device_tuning *tuning)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    paths_device_close(b->ctx, &b->device);
    MCO_TRY(paths_device_open_tuned(b->ctx, b->hierarchy, 0, tuning, &b->device));
    const paths_device_stats s = paths_device_tell(b->device);
    fprintf(stderr, "  opened in %.2f s: %d tiers, %d cells, %d vertices by %d levels, %d levels of triangles, %.1f MB\n", mco_clock_s() - begin_s,
            s.tiers, s.cells, s.high_count, s.high_levels, s.triangle_levels, 1e-6 * (double)s.bytes);
done:
    return st;
}

static mco_status vary_customise(bench *b)
{
    mco_status st = MCO_OK;
    static const int32_t BLOCKS[] = {0, 66, 264, 0, 264}, THREADS[] = {1024, 1024, 1024, 512, 512};
    for (int k = 0; k < (b->has_variants ? 5 : 1); k++) {
        char variant[64];
        const paths_device_tuning tuning = {.customise_blocks = BLOCKS[k], .customise_threads = THREADS[k]};
        paths_device_tune(b->device, &tuning);
        snprintf(variant, sizeof variant, "blocks %d x %d", BLOCKS[k], THREADS[k]);
        MCO_TRY(measure_customise(b, variant));
    }
done:
    return st;
}

static mco_status vary_trees(bench *b, int64_t count, const int32_t *source, bool renews)
{
    mco_status st = MCO_OK;
    static const struct {
        int32_t leaf, nodes, lanes, warps, split, dense, walk;
    } WAYS[] = {{0, 0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1, 1}, {0, 0, 1, 0, 0, 0, 0}, {0, 0, 1, 0, 64, 0, 0},
                {0, 0, 0, 0, 16, 0, 0}, {0, 0, 2, 0, 0, 0, 0}, {0, 0, 2, 0, 64, 0, 0}, {0, 0, 2, 1, 0, 0, 0}, {0, 0, 2, 4, 0, 0, 0},
                {96, 64, 1, 0, 64, 0, 0}, {96, 64, 2, 0, 64, 0, 0},
                {64, 64, 0, 0, 0, 0, 0}, {64, 64, 1, 0, 64, 0, 0}, {64, 64, 2, 0, 64, 0, 0},
                {32, 64, 0, 0, 0, 0, 0}, {32, 64, 1, 0, 64, 0, 0}, {32, 64, 2, 0, 64, 0, 0}, {24, 48, 2, 0, 64, 0, 0},
                {48, 128, 0, 0, 0, 0, 0}, {48, 128, 1, 0, 64, 0, 0}, {48, 128, 2, 0, 64, 0, 0},
                {32, 96, 1, 0, 64, 0, 0}, {32, 96, 2, 0, 64, 0, 0}};
    free(b->distance);
    free(b->other);
    b->distance = b->other = NULL;
    for (int k = 0; k < (b->has_variants ? (int)(sizeof WAYS / sizeof *WAYS) : 1); k++) {
        char variant[96];
        const paths_device_tuning tuning = {.cells = {.leaf_nodes = WAYS[k].leaf, .nodes = WAYS[k].nodes}, .per_lane = WAYS[k].lanes,
                                            .group_warps = WAYS[k].warps, .split_warps = WAYS[k].split, .dense = WAYS[k].dense, .walk = WAYS[k].walk};
        if (k == 0 || WAYS[k].leaf != WAYS[k - 1].leaf || WAYS[k].nodes != WAYS[k - 1].nodes)
            MCO_TRY(reopen(b, &tuning));
        paths_device_tune(b->device, &tuning);
        snprintf(variant, sizeof variant, "cells %d/%d lanes %d warps %d split %d%s%s", WAYS[k].leaf, WAYS[k].nodes, WAYS[k].lanes, WAYS[k].warps,
                 WAYS[k].split, WAYS[k].dense == 1 ? " no matrix" : "", WAYS[k].walk == 1 ? " warps walk" : "");
        MCO_TRY(measure_trees(b, variant, count, source));
        if (k == 0 && b->has_variants)
            MCO_TRY(vary_copies(b, count, source));
        if (renews)
            MCO_TRY(measure_renew(b, variant, count, source));
    }
done:
    return st;
}

static mco_status measure_part(bench *b)
{
    mco_status st = MCO_OK;
    int32_t *source = NULL;
    int64_t count = 0;
    MCO_TRY(open_part(b));
    const int32_t n = b->network->rows.vertices;
    const paths_device_tuning none = {0};
    MCO_TRY(reopen(b, &none));
    MCO_TRY(vary_customise(b));
    if (strcmp(b->part, "luxembourg") == 0) {
        char folder[1024];
        snprintf(folder, sizeof folder, "%s/roads/luxembourg", b->data);
        MCO_TRY(measure_queries(b));
        MCO_TRY(read_numbers(b, folder, "source_node", &source, &count));
        MCO_TRY(vary_trees(b, 64, source, false));
        MCO_TRY(vary_trees(b, 1024, source, false));
    } else {
        count = strcmp(b->part, "austin") == 0 ? b->network->rows.first_through : 64;
        source = malloc((size_t)count * sizeof *source);
        for (int64_t k = 0; k < count; k++)
            source[k] = count == 64 ? (int32_t)((uint64_t)(k + 5) * 2654435761u % (uint64_t)n) : (int32_t)k;
        MCO_TRY(vary_trees(b, count, source, strcmp(b->part, "austin") == 0));
    }
done:
    free(source);
    close_part(b);
    return st;
}

static mco_status make_order(bench *b, const char *folder)
{
    mco_status st = MCO_OK;
    char path[1024];
    MCO_TRY(open_part(b));
    snprintf(path, sizeof path, "%s/%s.order", folder, b->part);
    FILE *file = fopen(path, "wb");
    const size_t n = (size_t)b->network->rows.vertices;
    if (file == NULL || fwrite(b->hierarchy->topology.vertex, sizeof(int32_t), n, file) != n || fclose(file) != 0)
        MCO_TRY(mco_fail(b->ctx, MCO_ERR_IO, "%s cannot be written", path));
done:
    close_part(b);
    return st;
}

int main(int argc, char **argv)
{
    bench b = {.data = getenv("MCO_DATA"), .runs = 10};
    char parts[256] = "luxembourg,austin,million,road";
    const char *make = NULL;
    mco_status st = MCO_OK;
    for (int k = 1; k < argc; k++) {
        const char *value = k + 1 < argc ? argv[k + 1] : "";
        if (strcmp(argv[k], "--variants") == 0) {
            b.has_variants = true;
            continue;
        }
        if (strcmp(argv[k], "--data") == 0)
            b.data = value;
        else if (strcmp(argv[k], "--orders") == 0)
            b.orders = value;
        else if (strcmp(argv[k], "--make-orders") == 0)
            make = value;
        else if (strcmp(argv[k], "--parts") == 0)
            snprintf(parts, sizeof parts, "%s", value);
        else if (strcmp(argv[k], "--runs") == 0)
            b.runs = atoi(value);
        else {
            fprintf(stderr, "unknown option %s\n", argv[k]);
            return 2;
        }
        k++;
    }
    if (b.data == NULL || b.runs < 1 || mco_context_create(&b.ctx, NULL) != MCO_OK) {
        fprintf(stderr, "usage: bench_paths_gpu --data DIR [--orders DIR] [--parts LIST] [--runs R] [--variants] [--make-orders DIR]\n");
        return 2;
    }
    if (make == NULL)
        printf("part,what,variant,items,kernel_ms,wall_ms,copy_ms,items_per_us,checked\n");
    int failed = 0;
    for (char *rest = parts, *part; (part = strsep(&rest, ",")) != NULL;) {
        b.part = part;
        st = make != NULL ? make_order(&b, make) : measure_part(&b);
        if (st != MCO_OK)
            fprintf(stderr, "%s: %s\n", part, mco_context_error(b.ctx));
        failed += st != MCO_OK;
    }
    mco_context_destroy(&b.ctx);
    return failed > 0;
}
