// SPDX-License-Identifier: MIT
// Trees of a hierarchy on one GPU, host side: sources, batches, and rows to the caller's memory.
//
// Trees run in batches of sources whose labels fit into device memory. Sources are sorted by rank, so that the sources of a
// group lie below few cells. A batch has at most BATCH_LABELS labels, tens of milliseconds on a large GPU; between batches, and
// between pieces of a copy, the host looks whether it must stop.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/pages.h"
#include "paths/hierarchy/gpu_host.h"

enum {
    WARPS_MOST = 8, DENSE_WARPS_MOST = 32, DENSE_PER_MULTIPROCESSOR = 8, WARPS_PER_MULTIPROCESSOR = 32, GROUPS_MOST = 32768, COPY_THREADS = 8,
    FEW_SOURCES = 256
};
static const int64_t BATCH_LABELS = INT64_C(1) << 32, HIGH_WORK = INT64_C(1) << 31;
static const size_t PIECE_BYTES = (size_t)8 << 20, SLICE_BYTES = (size_t)256 << 10, SPARE_BYTES = (size_t)256 << 20;

// ---- Sources

static int by_rank(const void *a, const void *b)
{
    const paths_sorted_source *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

int32_t paths_gpu_rank_of(const paths_device_hierarchy *d, int32_t vertex)
{
    const mco_paths_hierarchy *h = d->hierarchy;
    return h->topology.rank[h->entry != NULL ? h->entry[vertex] : vertex];
}

static mco_status set_sources(mco_context *ctx, paths_device_hierarchy *d, int64_t count, const int32_t *source)
{
    mco_status st = MCO_OK;
    if (d->count == count && d->asked != NULL && memcmp(d->asked, source, (size_t)count * sizeof *source) == 0)
        return MCO_OK;
    d->count = 0;
    d->is_traced = d->has_labels = false;
    mco_free(ctx, &d->asked);
    mco_free(ctx, &d->sources);
    MCO_TRY(mco_alloc(ctx, &d->sources, count));
    MCO_TRY(mco_alloc(ctx, &d->asked, count));
    memcpy(d->asked, source, (size_t)count * sizeof *source);
    for (int64_t k = 0; k < count; k++)
        d->sources[k] = (paths_sorted_source){paths_gpu_rank_of(d, source[k]), (int32_t)k};
    qsort(d->sources, (size_t)count, sizeof *d->sources, by_rank);
    d->count = count;
done:
    return st;
}

// ---- Trees

// How many sources a batch has, a multiple of the lanes of a group. `copies`: the rows of a group need room too.
static mco_status choose_batch(paths_device_hierarchy *d, bool copies, int64_t *batch)
{
    mco_status st = MCO_OK;
    size_t free_bytes, all_bytes;
    paths_trees_plan *p = &d->trees;
    const int64_t lanes = PATHS_LANES * (int64_t)p->per_lane, n = p->vertices, height = p->height;
    const int64_t per_source = 4 * n + height * (int64_t)(sizeof(paths_step) + sizeof(int32_t)) + 8;
    MCO_CUDA(d->device.ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    // What trees have already is free for them.
    int64_t room = (int64_t)free_bytes + 4 * (d->label_room + d->out_room) + d->step_room * (int64_t)sizeof(paths_step) + 4 * d->walk_room;
    room -= (int64_t)SPARE_BYTES + (copies ? 4 * lanes * d->out_vertices : 0);
    if (d->tuning.batch_bytes > 0 && room > d->tuning.batch_bytes)
        room = d->tuning.batch_bytes;
    int64_t groups = room / (per_source * lanes);
    if (groups < 1)
        MCO_TRY(mco_fail(d->device.ctx, MCO_ERR_LIMIT, "GPU %d: %lld trees at once need %.1f MB of device memory, %.1f MB are free",
                         d->device.info.index, (long long)lanes, 1e-6 * (double)(per_source * lanes), 1e-6 * (double)room));
    if (copies && groups * lanes * n > BATCH_LABELS)
        groups = BATCH_LABELS / (lanes * n) > 0 ? BATCH_LABELS / (lanes * n) : 1;
    groups = groups < GROUPS_MOST ? groups : GROUPS_MOST;
    *batch = groups * lanes;
    if (!copies && d->count > *batch)
        MCO_TRY(mco_fail(d->device.ctx, MCO_ERR_LIMIT, "GPU %d: labels of %lld trees are to stay on the device, at most %lld fit",
                         d->device.info.index, (long long)d->count, (long long)*batch));
done:
    return st;
}

static mco_status make_tree_room(paths_device_hierarchy *d, int64_t sources)
{
    mco_status st = MCO_OK;
    paths_trees_plan *p = &d->trees;
    const int64_t lanes = PATHS_LANES * (int64_t)p->per_lane, padded = (sources + lanes - 1) / lanes * lanes, height = p->height;
    if (d->source_room < padded) {
        int64_t room = d->source_room;
        MCO_TRY(paths_gpu_make_room(&d->device, (void **)&p->d_source, &d->source_room, padded, sizeof *p->d_source));
        MCO_TRY(paths_gpu_make_room(&d->device, (void **)&p->d_steps, &room, padded, sizeof *p->d_steps));
    }
    MCO_TRY(paths_gpu_make_room(&d->device, (void **)&p->d_step, &d->step_room, sources * height, sizeof *p->d_step));
    if (paths_walk_bytes(p->height) > d->shared_bytes)
        MCO_TRY(paths_gpu_make_room(&d->device, (void **)&p->d_walk, &d->walk_room, sources * height, sizeof *p->d_walk));
    MCO_TRY(paths_gpu_make_room(&d->device, (void **)&p->d_label, &d->label_room, padded * p->vertices, sizeof *p->d_label));
done:
    return st;
}

// Uploads the ranks of sources begin .. begin + count - 1.
static mco_status upload_sources(paths_device_hierarchy *d, int64_t begin, int64_t count)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    paths_trees_plan *p = &d->trees;
    const int64_t lanes = PATHS_LANES * (int64_t)p->per_lane, padded = (count + lanes - 1) / lanes * lanes;
    int32_t *rank = NULL;
    MCO_TRY(mco_alloc(ctx, &rank, padded));
    for (int64_t k = 0; k < padded; k++)
        rank[k] = k < count ? d->sources[begin + k].rank : PATHS_NO_SOURCE;
    p->count = (int32_t)count;
    p->groups = (int32_t)(padded / lanes);
    MCO_CUDA(ctx, cudaMemcpyAsync((void *)p->d_source, rank, (size_t)padded * sizeof *rank, cudaMemcpyHostToDevice, d->device.stream));
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
done:
    mco_free(ctx, &rank);
    return st;
}

// With few cells and groups the warps of a block share a cell by a matrix, if it has room.
static bool shape_dense(const paths_device_hierarchy *d, paths_tier_shape *s)
{
    paths_tier_shape dense = *s;
    dense.is_dense = true;
    dense.warps = (s->nodes + PATHS_DENSE_NODES - 1) / PATHS_DENSE_NODES;
    if (d->tuning.dense == 1 || dense.warps > DENSE_WARPS_MOST || paths_tier_bytes(&dense, d->trees.per_lane) > d->shared_bytes)
        return false;
    *s = dense;
    return true;
}

// The warps of a block: with few cells and groups they share a cell, else each has a group of its own.
static paths_tier_shape shape_of(const paths_device_hierarchy *d, const paths_tier *tier)
{
    const paths_trees_plan *p = &d->trees;
    const int64_t tasks = (int64_t)tier->cells * p->groups,
                  wanted = (int64_t)d->device.info.multiprocessors *
                  (d->tuning.split_warps > 0 ? d->tuning.split_warps : WARPS_PER_MULTIPROCESSOR);
    paths_tier_shape s = {.cell = tier->cell_first, .cells = tier->cells, .rows = tier->rows, .nodes = tier->nodes, .arcs = tier->arcs,
                          .warps = d->tuning.group_warps, .splits = 2 * tasks <= wanted};
    if (s.splits && tasks <= DENSE_PER_MULTIPROCESSOR * (int64_t)d->device.info.multiprocessors && shape_dense(d, &s))
        return s;
    if (s.warps == 0) {
        s.warps = 2;
        while (s.splits && s.warps < WARPS_MOST && tasks * s.warps < wanted)
            s.warps *= 2;
    }
    if (s.splits)
        return s;
    s.warps = s.warps < p->groups ? s.warps : p->groups;
    // Two blocks of a multiprocessor at least, if one group of sources leaves room for that.
    while (s.warps > 1 && paths_tier_bytes(&s, p->per_lane) > d->shared_bytes / 2)
        s.warps--;
    return s;
}

static int64_t high_arcs(const paths_tables *t, int32_t level)
{
    const paths_node *node = t->node + t->high_first;
    return node[t->high_level[level + 1]].first - node[t->high_level[level]].first;
}

// Launches what is swept by levels, so many levels at a time.
static mco_status launch_high(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    const paths_tables *t = &d->tables;
    for (int32_t begin = 0, end; begin < t->high_levels; begin = end) {
        int64_t work = 0;
        for (end = begin; end < t->high_levels && end - begin < PATHS_GPU_HIGH_LEVELS_MOST && work < HIGH_WORK; end++)
            work += high_arcs(t, end) * d->trees.groups * d->trees.per_lane;
        MCO_CUDA(d->device.ctx, paths_launch_high(&d->trees, begin, end, d->device.stream));
    }
done:
    return st;
}

// The end of a piece of trees, if pieces are measured.
static mco_status end_piece(paths_device_hierarchy *d, const char *name, int32_t tier)
{
    mco_status st = MCO_OK;
    paths_device_pieces *p = d->pieces;
    if (p == NULL || p->count == PATHS_MOST_PIECES)
        return MCO_OK;
    snprintf(p->name[p->count], sizeof p->name[0], tier >= 0 ? "%s %d" : "%s", name, tier);
    MCO_CUDA(d->device.ctx, cudaEventRecord(d->piece_end[p->count], d->device.stream));
    p->count++;
done:
    return st;
}

// Enqueues the kernels of a batch. Its sources are on the device.
static mco_status launch_trees(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    cudaStream_t stream = d->device.stream;
    if (!d->is_traced)
        MCO_CUDA(ctx, paths_launch_trace(&d->trees, stream));
    MCO_TRY(end_piece(d, "trace", -1));
    MCO_CUDA(ctx, paths_launch_walk(&d->trees, stream));
    MCO_TRY(end_piece(d, "walk", -1));
    MCO_TRY(launch_high(d));
    MCO_TRY(end_piece(d, "levels", -1));
    for (int32_t k = d->tables.tiers; k-- > 0;) {
        const paths_tier_shape shape = shape_of(d, &d->tables.tier[k]);
        MCO_CUDA(ctx, paths_launch_tier(&d->trees, &shape, stream));
        MCO_TRY(end_piece(d, shape.is_dense ? "dense tier" : shape.splits ? "shared tier" : "tier", k));
    }
    if (d->tables.end_arcs > 0)
        MCO_CUDA(ctx, paths_launch_ends(&d->trees, stream));
done:
    return st;
}

bool paths_gpu_must_stop(void *state)
{
    mco_run *run = state;
    return run != NULL && mco_run_must_stop(run, run->work);
}

// Runs a batch between two events.
static mco_status run_batch(paths_device_hierarchy *d, mco_run *run, double *seconds)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    float ms = 0;
    MCO_CUDA(ctx, cudaEventRecord(d->device.begin, d->device.stream));
    MCO_TRY(launch_trees(d));
    MCO_CUDA(ctx, cudaEventRecord(d->device.end, d->device.stream));
    MCO_TRY(mco_device_wait(&d->device, d->device.end, paths_gpu_must_stop, run, NULL));
    MCO_CUDA(ctx, cudaEventElapsedTime(&ms, d->device.begin, d->device.end));
    *seconds += 1e-3 * (double)ms;
done:
    return st;
}

mco_status paths_device_measure(mco_context *ctx, paths_device_hierarchy *d, mco_run *run, paths_device_pieces *pieces)
{
    mco_status st = MCO_OK;
    double seconds = 0;
    *pieces = (paths_device_pieces){0};
    if (!d->has_labels)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the device has no labels of all trees");
    MCO_TRY(mco_device_use(&d->device));
    for (int k = 0; k < PATHS_MOST_PIECES; k++)
        if (d->piece_end[k] == NULL)
            MCO_CUDA(ctx, cudaEventCreate(&d->piece_end[k]));
    d->pieces = pieces;
    MCO_TRY(run_batch(d, run, &seconds));
    for (int k = 0; k < pieces->count; k++)
        MCO_CUDA(ctx, cudaEventElapsedTime(&pieces->ms[k], k == 0 ? d->device.begin : d->piece_end[k - 1], d->piece_end[k]));
done:
    d->pieces = NULL;
    return st;
}

// ---- Rows to the host
//
// The labels of a group become rows in device memory, and these go to the caller. Memory that CUDA has pinned takes the copies
// itself, row by row. Other memory is written by threads from pinned pieces, while the next pieces are on their way: one thread
// writes about 2 GB/s to pages that nobody has touched yet, so several share a piece, and the system is asked for huge pages.

// A piece of the rows of one group.
typedef struct rows_piece {
    const paths_device_hierarchy *d;
    int64_t group, source;     // the first source of the group
    int64_t at, count;         // labels
    const int32_t *from;
    int32_t *to;               // of the caller
} rows_piece;

// Slice `item` of a piece, to the rows of the caller.
static void give_slice(void *shared, int worker, int64_t item)
{
    const rows_piece *p = shared;
    const int64_t n = p->d->out_vertices, slice = (int64_t)(SLICE_BYTES / sizeof *p->to);
    int64_t at = item * slice, left = p->count - at < slice ? p->count - at : slice;
    (void)worker;
    while (left > 0) {
        const int64_t row = (p->at + at) / n, column = (p->at + at) % n, part = n - column < left ? n - column : left;
        memcpy(p->to + p->d->sources[p->source + row].place * n + column, p->from + at, (size_t)part * sizeof *p->to);
        at += part;
        left -= part;
    }
}

static int64_t pieces_of(int64_t labels)
{
    const int64_t piece = (int64_t)(PIECE_BYTES / sizeof(int32_t));
    return (labels + piece - 1) / piece;
}

// Piece k of a batch of `count` sources from `begin` on.
static rows_piece piece_of(const paths_device_hierarchy *d, int64_t begin, int64_t count, int64_t k, int32_t *distance)
{
    const int64_t lanes = PATHS_LANES * (int64_t)d->trees.per_lane, n = d->out_vertices, each = pieces_of(lanes * n);
    const int64_t group = k / each, sources = count - group * lanes < lanes ? count - group * lanes : lanes;
    const int64_t piece = (int64_t)(PIECE_BYTES / sizeof(int32_t)), at = k % each * piece;
    return (rows_piece){.d = d, .group = group, .source = begin + group * lanes, .at = at,
                        .count = sources * n - at < piece ? sources * n - at : piece, .from = d->h_piece[k % PATHS_GPU_PIECES], .to = distance};
}

static mco_status open_pieces(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    const int cores = mco_settle_threads(0);
    for (int k = 0; k < PATHS_GPU_PIECES; k++)
        if (d->h_piece[k] == NULL)
            MCO_TRY(mco_device_take_bytes(&d->device, MCO_MEMORY_PINNED, (void **)&d->h_piece[k], 1, PIECE_BYTES));
    const int wanted = d->tuning.copy_threads > 0 ? d->tuning.copy_threads : cores < COPY_THREADS ? cores : COPY_THREADS;
    if (d->team_threads == wanted)
        return MCO_OK;
    mco_team_close(&d->team);
    d->team = (mco_team){0};
    d->team_threads = 0;
    MCO_TRY(mco_team_open(d->device.ctx, wanted, false, &d->team));
    d->team_threads = wanted;
done:
    return st;
}

static mco_status copy_by_pieces(paths_device_hierarchy *d, mco_run *run, int64_t begin, int64_t count, int32_t *distance)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    const int64_t lanes = PATHS_LANES * (int64_t)d->trees.per_lane, n = d->out_vertices, full = d->trees.groups - 1;
    const int64_t pieces = full * pieces_of(lanes * n) + pieces_of((count - full * lanes) * n);
    MCO_TRY(open_pieces(d));
    if (!d->tuning.copy_plain)
        mco_advise_huge(distance, (size_t)(d->count * n) * sizeof *distance);
    for (int64_t k = 0; k < pieces + PATHS_GPU_PIECES - 1; k++) {
        if (k < pieces) {
            const rows_piece p = piece_of(d, begin, count, k, distance);
            if (p.at == 0)
                MCO_CUDA(ctx, paths_launch_rows(&d->trees, (int32_t)p.group, d->out_vertices, d->d_rank, d->d_out, d->device.stream));
            MCO_CUDA(ctx, cudaMemcpyAsync(d->h_piece[k % PATHS_GPU_PIECES], d->d_out + p.at, (size_t)p.count * sizeof *distance, cudaMemcpyDeviceToHost,
                                          d->device.stream));
            MCO_CUDA(ctx, cudaEventRecord(d->copied[k % PATHS_GPU_PIECES], d->device.stream));
        }
        const int64_t arrived = k - (PATHS_GPU_PIECES - 1);
        if (arrived >= 0) {
            rows_piece p = piece_of(d, begin, count, arrived, distance);
            MCO_TRY(mco_device_wait(&d->device, d->copied[arrived % PATHS_GPU_PIECES], paths_gpu_must_stop, run, NULL));
            mco_team_run(&d->team, (p.count * (int64_t)sizeof *distance + (int64_t)SLICE_BYTES - 1) / (int64_t)SLICE_BYTES, give_slice, NULL, &p);
        }
        if (paths_gpu_must_stop(run))
            return MCO_ERR_STOPPED;
    }
done:
    return st;
}

// To pinned memory of the caller.
static mco_status copy_to_pinned(paths_device_hierarchy *d, mco_run *run, int64_t begin, int64_t count, int32_t *distance)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    const int64_t lanes = PATHS_LANES * (int64_t)d->trees.per_lane, n = d->out_vertices;
    for (int64_t k = 0; k < count; k++) {
        if (k % lanes == 0)
            MCO_CUDA(ctx, paths_launch_rows(&d->trees, (int32_t)(k / lanes), d->out_vertices, d->d_rank, d->d_out, d->device.stream));
        MCO_CUDA(ctx, cudaMemcpyAsync(distance + d->sources[begin + k].place * n, d->d_out + k % lanes * n, (size_t)n * sizeof *distance,
                                      cudaMemcpyDeviceToHost, d->device.stream));
        if (k % lanes != lanes - 1 && k != count - 1)
            continue;
        MCO_CUDA(ctx, cudaEventRecord(d->copied[0], d->device.stream));
        MCO_TRY(mco_device_wait(&d->device, d->copied[0], paths_gpu_must_stop, run, NULL));
        if (paths_gpu_must_stop(run))
            return MCO_ERR_STOPPED;
    }
done:
    return st;
}

static bool is_pinned(const void *memory)
{
    struct cudaPointerAttributes about = {0};
    const bool is = cudaPointerGetAttributes(&about, memory) == cudaSuccess && about.type == cudaMemoryTypeHost;
    (void)cudaGetLastError();
    return is;
}

static mco_status copy_batch(paths_device_hierarchy *d, mco_run *run, int64_t begin, int64_t count, int32_t *distance)
{
    mco_status st = MCO_OK;
    const int64_t lanes = PATHS_LANES * (int64_t)d->trees.per_lane;
    if (count == 0)
        return MCO_OK;
    MCO_TRY(paths_gpu_make_room(&d->device, (void **)&d->d_out, &d->out_room, lanes * d->out_vertices, sizeof *d->d_out));
    MCO_TRY(is_pinned(distance) ? copy_to_pinned(d, run, begin, count, distance) : copy_by_pieces(d, run, begin, count, distance));
done:
    return st;
}

mco_status paths_device_labels(mco_context *ctx, paths_device_hierarchy *d, mco_run *run, int32_t *distance, double *copy_s)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    if (!d->has_labels)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the device has no labels of all trees");
    MCO_TRY(mco_device_use(&d->device));
    MCO_TRY(copy_batch(d, run, 0, d->count, distance));
    if (copy_s != NULL)
        *copy_s = mco_clock_s() - begin_s;
done:
    (void)cudaStreamSynchronize(d->device.stream);
    return st;
}

mco_status paths_device_trees(mco_context *ctx, paths_device_hierarchy *d, mco_run *run, int64_t count, const int32_t *source,
                              int32_t *distance, double *device_s, double *copy_s)
{
    mco_status st = MCO_OK;
    double kernel_s = 0, copies_s = 0;
    int64_t batch = 0;
    MCO_TRY(mco_device_use(&d->device));
    if (count < 0 || count > INT32_MAX)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "%lld trees, at most %d are supported", (long long)count, INT32_MAX));
    const int32_t before = d->trees.per_lane;
    d->trees.per_lane = d->tuning.per_lane != 0 ? d->tuning.per_lane : count < FEW_SOURCES ? 1 : 2;
    d->is_traced = d->is_traced && d->trees.per_lane == before;
    MCO_TRY(set_sources(ctx, d, count, source));
    d->has_labels = false;
    if (count > 0)
        MCO_TRY(choose_batch(d, distance != NULL, &batch));
    for (int64_t begin = 0; begin < count; begin += batch) {
        const int64_t sources = count - begin < batch ? count - begin : batch;
        if (paths_gpu_must_stop(run))
            MCO_TRY(MCO_ERR_STOPPED);
        if (!d->is_traced) {
            MCO_TRY(make_tree_room(d, sources));
            MCO_TRY(upload_sources(d, begin, sources));
        }
        MCO_TRY(run_batch(d, run, &kernel_s));
        d->is_traced = d->has_labels = sources == count;
        if (distance == NULL)
            continue;
        const double begin_s = mco_clock_s();
        MCO_TRY(copy_batch(d, run, begin, sources, distance));
        copies_s += mco_clock_s() - begin_s;
    }
done:
    (void)cudaStreamSynchronize(d->device.stream);
    if (device_s != NULL)
        *device_s = kernel_s;
    if (copy_s != NULL)
        *copy_s = copies_s;
    return st;
}

mco_status paths_device_renew(mco_context *ctx, paths_device_hierarchy *d, mco_run *run, const int32_t *weight, double *device_s)
{
    mco_status st = MCO_OK;
    float ms = 0;
    if (!d->is_traced)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the ways up of all sources are not on the device");
    MCO_TRY(mco_device_use(&d->device));
    d->has_labels = d->has_ancestors = false;
    MCO_TRY(paths_gpu_upload_weights(d, weight));
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
    MCO_CUDA(ctx, cudaEventRecord(d->device.begin, d->device.stream));
    MCO_CUDA(ctx, paths_launch_customise(&d->customise, d->device.stream));
    MCO_TRY(launch_trees(d));
    MCO_CUDA(ctx, cudaEventRecord(d->device.end, d->device.stream));
    MCO_TRY(mco_device_wait(&d->device, d->device.end, paths_gpu_must_stop, run, NULL));
    MCO_CUDA(ctx, cudaEventElapsedTime(&ms, d->device.begin, d->device.end));
    d->has_labels = true;
    if (device_s != NULL)
        *device_s = 1e-3 * (double)ms;
done:
    return st;
}

mco_status paths_device_enqueue(mco_context *ctx, paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    if (!d->is_traced)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the ways up of all sources are not on the device");
    d->has_ancestors = false;
    MCO_CUDA(ctx, paths_launch_customise(&d->customise, d->device.stream));
    MCO_TRY(launch_trees(d));
    d->has_labels = true;
done:
    return st;
}
