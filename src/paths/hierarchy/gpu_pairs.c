// SPDX-License-Identifier: MIT
// Queries of pairs over a hierarchy on one GPU, host side: ways up from both ends, or labels of all ancestors, made once for the weights.
#include <stdlib.h>
#include <string.h>

#include "paths/hierarchy/gpu_host.h"

enum { VERTICES_A_QUERY = 2 };  // labels of all vertices take the time of a query by walks for every so many vertices
static const int64_t LABEL_WORK = INT64_C(1) << 34, QUERY_STEPS = 200000000;

// ---- Labels of ancestors

static int64_t label_bytes(const paths_device_hierarchy *d)
{
    const paths_topology *t = &d->hierarchy->topology;
    const int64_t n = t->vertices;
    int64_t rows = 0;
    for (int64_t v = 0; v < n; v++)
        rows += t->depth[v] / PATHS_LANES + 1;
    return 2 * PATHS_LANES * (int64_t)sizeof(int32_t) * rows + 24 * n + 8 * (int64_t)t->arcs + 4 * (int64_t)t->height +
           2 * n * (64 - __builtin_clzll((uint64_t)n + 1));
}

// Rows of labels, and the ranks by depth.
static mco_status upload_label_rows(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    const paths_topology *t = &d->hierarchy->topology;
    paths_ancestors_plan *p = &d->ancestors;
    paths_label_row *row = NULL;
    paths_label_head *head = NULL;
    paths_label_vertex *by_depth = NULL;
    int32_t *level = NULL;
    MCO_TRY(mco_alloc(ctx, &row, t->vertices));
    MCO_TRY(mco_alloc(ctx, &head, t->arcs));
    MCO_TRY(mco_alloc(ctx, &by_depth, t->vertices));
    MCO_TRY(mco_alloc(ctx, &level, (int64_t)t->height + 2));
    d->label_rows = 0;
    for (int32_t v = t->vertices; v-- > 0;) {  // parents come first
        const bool is_end = t->is_end != NULL && t->is_end[v];
        const int32_t above = t->parent[v] >= 0 ? row[t->parent[v]].plain : 0;
        row[v] = (paths_label_row){.row = (int32_t)d->label_rows, .depth = (uint16_t)t->depth[v], .plain = (uint16_t)(above + !is_end)};
        d->label_rows += t->depth[v] / PATHS_LANES + 1;
        level[t->depth[v] + 2]++;
    }
    for (int32_t l = 2; l < t->height + 2; l++)
        level[l] += level[l - 1];
    for (int32_t v = 0; v < t->vertices; v++) {
        by_depth[level[t->depth[v] + 1]++] = (paths_label_vertex){.row = row[v].row, .first = t->first[v], .end = t->first[v + 1]};
        d->label_work[t->depth[v]] += (int64_t)(t->first[v + 1] - t->first[v] + 1) * 2 * (t->depth[v] + 1);
    }
    for (int32_t a = 0; a < t->arcs; a++) {
        const int32_t u = t->head[a];
        head[a] = (paths_label_head){row[u].row, t->is_end != NULL && t->is_end[u] ? ~t->depth[u] : t->depth[u]};
    }
    MCO_TRY(PATHS_GPU_UPLOAD(d, &p->d_row, row, t->vertices));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &p->d_head, head, t->arcs));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &p->d_by_depth, by_depth, t->vertices));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &p->d_level, level, (int64_t)t->height + 1));
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
done:
    mco_free(ctx, &level);
    mco_free(ctx, &by_depth);
    mco_free(ctx, &head);
    mco_free(ctx, &row);
    return st;
}

// The least depth of 1, 2, 4 .. ranks from each one on.
static mco_status upload_least_depths(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &d->hierarchy->topology;
    const int64_t n = t->vertices;
    uint16_t *least = NULL;
    int64_t rows = 1;
    while ((int64_t)1 << rows <= n)
        rows++;
    MCO_TRY(mco_alloc(d->device.ctx, &least, rows * n));
    for (int64_t v = 0; v < n; v++)
        least[v] = (uint16_t)t->depth[v];
    for (int64_t k = 1; k < rows; k++)
        for (int64_t v = 0, half = (int64_t)1 << (k - 1); v < n; v++) {
            const uint16_t here = least[(k - 1) * n + v], next = v + half < n ? least[(k - 1) * n + v + half] : here;
            least[k * n + v] = here < next ? here : next;
        }
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->ancestors.d_least, least, rows * n));
    MCO_CUDA(d->device.ctx, cudaStreamSynchronize(d->device.stream));
done:
    mco_free(d->device.ctx, &least);
    return st;
}

static void drop_label_tables(paths_device_hierarchy *d)
{
    paths_ancestors_plan *p = &d->ancestors;
    mco_device_give(&d->device, &p->d_row);
    mco_device_give(&d->device, &p->d_head);
    mco_device_give(&d->device, &p->d_by_depth);
    mco_device_give(&d->device, &p->d_level);
    mco_device_give(&d->device, &p->d_least);
    mco_device_give(&d->device, &p->d_to);
    mco_device_give(&d->device, &p->d_from);
    mco_free(d->device.ctx, &d->label_work);
}

static mco_status make_label_tables(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    paths_ancestors_plan *p = &d->ancestors;
    size_t free_bytes, all_bytes;
    const int64_t bytes = d->bytes;
    if (d->has_label_tables)
        return MCO_OK;
    MCO_CUDA(ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    if (d->hierarchy->topology.height >= UINT16_MAX)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "labels of a hierarchy of height %d, at most %d is supported", d->hierarchy->topology.height, UINT16_MAX - 1));
    if (label_bytes(d) > (int64_t)free_bytes)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "GPU %d: labels need %.1f MB of device memory, %.1f MB are free", d->device.info.index,
                         1e-6 * (double)label_bytes(d), 1e-6 * (double)free_bytes));
    *p = (paths_ancestors_plan){.vertices = d->trees.vertices, .levels = d->trees.height,
                                .d_up = d->trees.d_up, .d_down = d->trees.d_down, .d_barrier = d->trees.d_barrier};
    MCO_CUDA(ctx, paths_ancestors_shape(p, d->device.info.multiprocessors));
    MCO_TRY(mco_alloc(ctx, &d->label_work, d->trees.height));
    MCO_TRY(upload_label_rows(d));
    MCO_TRY(upload_least_depths(d));
    MCO_TRY(mco_device_take(&d->device, MCO_MEMORY_DEVICE, &p->d_to, d->label_rows * PATHS_LANES));
    MCO_TRY(mco_device_take(&d->device, MCO_MEMORY_DEVICE, &p->d_from, d->label_rows * PATHS_LANES));
    d->bytes += 2 * PATHS_LANES * (int64_t)sizeof(int32_t) * d->label_rows;
    d->has_label_tables = true;
done:
    if (st != MCO_OK) {
        drop_label_tables(d);
        d->bytes = bytes;
    }
    return st;
}

mco_status paths_device_ancestors(mco_context *ctx, paths_device_hierarchy *d, mco_run *run, double *device_s)
{
    mco_status st = MCO_OK;
    float ms = 0;
    MCO_TRY(mco_device_use(&d->device));
    MCO_TRY(make_label_tables(d));
    MCO_CUDA(ctx, cudaEventRecord(d->device.begin, d->device.stream));
    for (int32_t begin = 0, end; begin < d->ancestors.levels; begin = end) {
        int64_t work = 0;
        for (end = begin; end < d->ancestors.levels && end - begin < PATHS_GPU_HIGH_LEVELS_MOST && work < LABEL_WORK; end++)
            work += d->label_work[end];
        MCO_CUDA(ctx, paths_launch_ancestors(&d->ancestors, begin, end, d->device.stream));
    }
    MCO_CUDA(ctx, cudaEventRecord(d->device.end, d->device.stream));
    MCO_TRY(mco_device_wait(&d->device, d->device.end, paths_gpu_must_stop, run, NULL));
    MCO_CUDA(ctx, cudaEventElapsedTime(&ms, d->device.begin, d->device.end));
    d->has_ancestors = true;
done:
    if (device_s != NULL)
        *device_s = 1e-3 * (double)ms;
    return st;
}

// Whether queries join labels; then the labels are there. *seconds: the kernel time for them.
static mco_status choose_labels(mco_context *ctx, paths_device_hierarchy *d, mco_run *run, int64_t count, bool *has_labels, double *seconds)
{
    mco_status st = MCO_OK;
    size_t free_bytes, all_bytes;
    *seconds = 0;
    *has_labels = d->has_ancestors && d->tuning.queries != PATHS_QUERIES_WALK;
    if (*has_labels || d->tuning.queries == PATHS_QUERIES_WALK)
        return MCO_OK;
    MCO_CUDA(ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    *has_labels = d->tuning.queries == PATHS_QUERIES_LABELS;
    if (count > d->trees.vertices / VERTICES_A_QUERY && d->trees.height < UINT16_MAX)
        *has_labels = *has_labels || d->has_label_tables || label_bytes(d) < (int64_t)free_bytes / 2;
    if (*has_labels)
        MCO_TRY(paths_device_ancestors(ctx, d, run, seconds));
done:
    return st;
}

// ---- Queries

mco_status paths_device_queries(mco_context *ctx, paths_device_hierarchy *d, mco_run *run, int64_t count, const int32_t *source,
                                const int32_t *target, int32_t *distance, double *device_s)
{
    mco_status st = MCO_OK;
    paths_queries_plan *p = &d->queries;
    int32_t *rank = NULL, *d_words = NULL;
    double kernel_s = 0;
    int64_t most = QUERY_STEPS / (p->height > 0 ? p->height : 1);
    most = most > 1024 ? most : 1024;
    most = most < count ? most : count;
    MCO_TRY(mco_device_use(&d->device));
    bool has_labels = false;
    if (count > 0)
        MCO_TRY(choose_labels(ctx, d, run, count, &has_labels, &kernel_s));
    MCO_TRY(mco_alloc(ctx, &rank, 2 * most));
    MCO_TRY(mco_device_take(&d->device, MCO_MEMORY_DEVICE, &d_words, 3 * most));
    for (int64_t begin = 0; begin < count; begin += most) {
        const int64_t now = count - begin < most ? count - begin : most;
        double seconds = 0;
        if (paths_gpu_must_stop(run))
            MCO_TRY(MCO_ERR_STOPPED);
        for (int64_t k = 0; k < now; k++) {
            rank[k] = paths_gpu_rank_of(d, source[begin + k]);
            rank[now + k] = d->hierarchy->topology.rank[target[begin + k]];
        }
        p->count = (int32_t)now;
        p->d_source = d_words;
        p->d_target = d_words + now;
        p->d_distance = d_words + 2 * now;
        MCO_CUDA(ctx, cudaMemcpyAsync(d_words, rank, 2 * (size_t)now * sizeof *rank, cudaMemcpyHostToDevice, d->device.stream));
        MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
        MCO_TRY(mco_device_start_clock(&d->device));
        if (has_labels)
            MCO_CUDA(ctx, paths_launch_join(&d->ancestors, p, d->device.stream));
        else
            MCO_CUDA(ctx, paths_launch_queries(p, d->device.stream));
        MCO_TRY(mco_device_stop_clock(&d->device, &seconds));
        MCO_CUDA(ctx, cudaMemcpyAsync(distance + begin, p->d_distance, (size_t)now * sizeof *distance, cudaMemcpyDeviceToHost,
                                      d->device.stream));
        MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
        kernel_s += seconds;
    }
done:
    mco_device_give(&d->device, &d_words);
    mco_free(ctx, &rank);
    if (device_s != NULL)
        *device_s = kernel_s;
    return st;
}
