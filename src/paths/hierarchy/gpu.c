// SPDX-License-Identifier: MIT
// A hierarchy on one GPU, host side: tables, customising, trees, queries.
//
// Trees run in batches of sources whose labels fit into device memory. Sources are sorted by rank, so that the sources of a
// group lie below few cells. A batch has at most BATCH_LABELS labels, tens of milliseconds on a large GPU; between batches, and
// between pieces of a copy, the host looks whether it must stop.
#include "paths/hierarchy/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/pages.h"
#include "base/team.h"
#include "device/device_cuda.h"
#include "paths/hierarchy/prepare.h"

enum {
    WARPS_MOST = 8, DENSE_WARPS_MOST = 32, DENSE_PER_MULTIPROCESSOR = 8, WARPS_PER_MULTIPROCESSOR = 32, GROUPS_MOST = 32768, PIECES = 3, COPY_THREADS = 8, WAY_ARCS_MOST = 1 << 20, FEW_SOURCES = 256,
    HIGH_LEVELS_MOST = 16384, // levels of a launch: barriers of about 0.05 s
    VERTICES_A_QUERY = 2      // labels of all vertices take the time of a query by walks for every so many vertices
};
static const int64_t BATCH_LABELS = INT64_C(1) << 32, HIGH_WORK = INT64_C(1) << 31, LABEL_WORK = INT64_C(1) << 34, QUERY_STEPS = 200000000;
static const size_t PIECE_BYTES = (size_t)8 << 20, SLICE_BYTES = (size_t)256 << 10, SPARE_BYTES = (size_t)256 << 20;

// A source in the order of ranks.
typedef struct sorted_source {
    int32_t rank, place;  // of the caller
} sorted_source;

struct paths_device_hierarchy {
    mco_device device;
    const mco_paths_hierarchy *hierarchy;
    paths_device_tuning tuning;
    paths_tables tables;       // the long arrays are released once they are on the device
    int32_t out_vertices;      // of the network
    int64_t network_arcs;      // of the network that was expanded, or of the network
    size_t shared_bytes;
    int32_t way_arcs;          // the most on a way to a root, at most WAY_ARCS_MOST
    int64_t bytes;
    paths_customise_plan customise;
    paths_trees_plan trees;
    paths_queries_plan queries;
    paths_ancestors_plan ancestors;
    int64_t *label_work;       // [height] arcs and ancestors of each depth
    int64_t label_rows;        // of 32 entries, in one direction
    bool has_label_tables;     // which depend on the topology
    bool has_ancestors;        // the labels are those of the weights
    int32_t *d_rank;           // [out_vertices]
    int32_t *h_weight;         // [network_arcs] pinned
    int32_t *d_weight;
    // The sources of the last call of trees.
    int64_t count;
    sorted_source *sources;    // [count] by rank
    int32_t *asked;            // [count] as the caller gave them
    bool is_traced;            // the ways up on the device are those of all sources
    bool has_labels;           // the labels of all sources are on the device
    // What the device has for trees, and how much of it.
    int64_t source_room, step_room, walk_room, label_room, query_room;
    int32_t *h_piece[PIECES];  // pinned, PIECE_BYTES each
    mco_team team;             // writes rows of the caller
    int32_t team_threads;      // 0: not open
    int32_t *d_out;            // a group's rows
    int64_t out_room;
    cudaEvent_t copied[PIECES];
    paths_device_pieces *pieces;  // NULL: not measured
    cudaEvent_t piece_end[PATHS_MOST_PIECES];
};

// ---- Memory

// Makes room for `count` items in *memory; what it held is lost. *room is what it holds.
static mco_status make_room(mco_device *device, void **memory, int64_t *room, int64_t count, size_t item_bytes)
{
    mco_status st = MCO_OK;
    if (*room >= count)
        return MCO_OK;
    mco_device_give_bytes(device, memory);
    *room = 0;
    MCO_TRY(mco_device_take_bytes(device, MCO_MEMORY_DEVICE, memory, (size_t)count, item_bytes));
    *room = count;
done:
    return st;
}

static mco_status upload(paths_device_hierarchy *d, void **out, const void *from, int64_t count, size_t item_bytes)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    MCO_TRY(mco_device_take_bytes(&d->device, MCO_MEMORY_DEVICE, out, (size_t)(count > 0 ? count : 1), item_bytes));
    if (count > 0)
        MCO_CUDA(ctx, cudaMemcpyAsync(*out, from, (size_t)count * item_bytes, cudaMemcpyHostToDevice, d->device.stream));
    d->bytes += count * (int64_t)item_bytes;
done:
    return st;
}
#define UPLOAD(d, out, from, count) upload(d, (void **)(out), from, count, sizeof *(from))

static mco_status upload_vertices(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    const paths_topology *t = &d->hierarchy->topology;
    paths_vertex *vertex = NULL;
    MCO_TRY(mco_alloc(ctx, &vertex, t->vertices));
    for (int32_t v = 0; v < t->vertices; v++) {
        const bool is_end = t->is_end != NULL && t->is_end[v];
        vertex[v] = (paths_vertex){
            .first = t->first[v], .parent = t->parent[v], .size = is_end ? -d->tables.size[v] : d->tables.size[v],
            .row = (uint32_t)(t->first[v + 1] - t->first[v]) | (uint32_t)(t->height - 1 - t->depth[v]) << 16};
    }
    MCO_TRY(UPLOAD(d, &d->trees.d_vertex, vertex, t->vertices));
    MCO_TRY(UPLOAD(d, &d->trees.d_head_height, t->head_height, t->arcs));
    MCO_TRY(UPLOAD(d, &d->d_rank, t->rank, d->out_vertices));
    if (d->tables.end_arcs > 0) {
        MCO_TRY(UPLOAD(d, &d->trees.d_down_first, t->down_first, (int64_t)t->vertices + 1));
        MCO_TRY(UPLOAD(d, &d->trees.d_down_arc, t->down_arc, t->arcs));
        MCO_TRY(UPLOAD(d, &d->trees.d_down_tail, t->down_tail, t->arcs));
    }
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
done:
    mco_free(ctx, &vertex);
    return st;
}

// How many arcs lie on each vertex's way to its root.
static mco_status upload_ways(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &d->hierarchy->topology;
    int32_t *arcs = NULL;
    MCO_TRY(mco_alloc(d->device.ctx, &arcs, t->vertices));
    for (int32_t v = t->vertices; v-- > 0;) {  // parents come first
        arcs[v] = t->first[v + 1] - t->first[v] + (t->parent[v] >= 0 ? arcs[t->parent[v]] : 0);
        arcs[v] = arcs[v] < WAY_ARCS_MOST ? arcs[v] : WAY_ARCS_MOST;
        d->way_arcs = d->way_arcs > arcs[v] ? d->way_arcs : arcs[v];
    }
    MCO_TRY(UPLOAD(d, &d->trees.d_way_arcs, arcs, t->vertices));
    MCO_CUDA(d->device.ctx, cudaStreamSynchronize(d->device.stream));
done:
    mco_free(d->device.ctx, &arcs);
    return st;
}

// Blocks walk if the ways fit, and no row is cut.
static int32_t choose_walk(const paths_device_hierarchy *d)
{
    const bool fits = d->way_arcs < WAY_ARCS_MOST && paths_walk_block_bytes(d->hierarchy->topology.height, d->way_arcs) <= d->shared_bytes;
    return d->tuning.walk == 0 && fits ? d->way_arcs : 0;
}

static mco_status upload_cells(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    const paths_tables *t = &d->tables;
    paths_cell_arc *arc = NULL;
    MCO_TRY(mco_alloc(ctx, &arc, t->arcs));
    for (int32_t a = 0; a < t->arcs; a++)
        arc[a] = (paths_cell_arc){t->arc_end[a], MCO_PATHS_NONE};
    MCO_TRY(UPLOAD(d, &d->trees.d_cell_arc, arc, t->arcs));
    MCO_TRY(UPLOAD(d, &d->trees.d_cell, t->cell, t->cells));
    MCO_TRY(UPLOAD(d, &d->trees.d_node, t->node, t->nodes));
    MCO_TRY(UPLOAD(d, &d->trees.d_boundary, t->boundary, t->boundaries));
    MCO_TRY(UPLOAD(d, &d->trees.d_level, t->level, t->levels));
    MCO_TRY(UPLOAD(d, &d->trees.d_high_level, t->high_level, (int64_t)t->high_levels + 1));
    d->trees.high_first = t->high_first;
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
done:
    mco_free(ctx, &arc);
    return st;
}

static mco_status upload_triangles(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    const paths_tables *t = &d->tables;
    const paths_topology *topology = &d->hierarchy->topology;
    paths_customise_plan *plan = &d->customise;
    const int64_t arcs = topology->arcs;
    const uint32_t zero[4] = {0};
    uint32_t *d_barrier = NULL;
    plan->arcs = topology->arcs;
    plan->levels = t->triangle_levels;
    MCO_TRY(UPLOAD(d, &plan->d_level, t->triangle_level, (int64_t)t->triangle_levels + 1));
    MCO_TRY(UPLOAD(d, &plan->d_left, t->left, topology->triangles));
    MCO_TRY(UPLOAD(d, &plan->d_right, t->right, topology->triangles));
    MCO_TRY(UPLOAD(d, &plan->d_target, t->target, topology->triangles));
    MCO_TRY(UPLOAD(d, &plan->d_origin, t->origin, 2 * arcs));
    MCO_TRY(UPLOAD(d, &plan->d_more, t->more, t->more_count));
    MCO_TRY(UPLOAD(d, &plan->d_cell_arc_id, t->arc_id, t->arcs));
    MCO_TRY(UPLOAD(d, &d_barrier, zero, 4));
    MCO_TRY(mco_device_take(&d->device, MCO_MEMORY_DEVICE, &plan->d_pair, 2 * arcs + 2));
    MCO_TRY(mco_device_take(&d->device, MCO_MEMORY_DEVICE, &plan->d_up, arcs + 1));
    MCO_TRY(mco_device_take(&d->device, MCO_MEMORY_DEVICE, &plan->d_down, arcs + 1));
    MCO_TRY(mco_device_take(&d->device, MCO_MEMORY_DEVICE, &d->d_weight, d->network_arcs + 1));
    d->bytes += 16 * arcs + 4 * d->network_arcs;
    plan->d_weight = d->d_weight;
    plan->cell_arcs = t->arcs;
    plan->d_cell_arc = (paths_cell_arc *)d->trees.d_cell_arc;
    plan->d_barrier = d_barrier;
    d->trees.d_barrier = d_barrier + 2;
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
done:
    return st;
}

// Bytes of device memory for the tables and weights.
static int64_t table_bytes(const paths_device_hierarchy *d)
{
    const paths_topology *t = &d->hierarchy->topology;
    const paths_tables *b = &d->tables;
    return 12 * t->triangles + (int64_t)t->arcs * (2 + 16 + 8 + (b->end_arcs > 0 ? 8 : 0)) + 12 * (int64_t)b->arcs +
           (int64_t)t->vertices * 28 + (int64_t)b->nodes * (int64_t)sizeof(paths_node) +
           (int64_t)b->cells * (int64_t)sizeof(paths_cell) + 4 * ((int64_t)b->boundaries + b->levels + b->more_count + d->network_arcs);
}

// Releases what the device alone needs.
static void drop_host_tables(mco_context *ctx, paths_tables *t)
{
    mco_free(ctx, &t->left);
    mco_free(ctx, &t->right);
    mco_free(ctx, &t->target);
    mco_free(ctx, &t->origin);
    mco_free(ctx, &t->more);
    mco_free(ctx, &t->arc_end);
    mco_free(ctx, &t->arc_id);
    mco_free(ctx, &t->level);
    mco_free(ctx, &t->boundary);
}

// ---- Opening

static mco_status choose_shapes(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    int most = 0;
    size_t scratch = 0;
    MCO_CUDA(ctx, cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->device.info.index));
    d->shared_bytes = (size_t)most;
    if (d->tuning.shared_bytes > 0 && d->tuning.shared_bytes < d->shared_bytes)
        d->shared_bytes = d->tuning.shared_bytes;
    MCO_CUDA(ctx, paths_trees_prepare(d->shared_bytes));
    d->customise.blocks = d->tuning.customise_blocks;
    d->customise.threads = d->tuning.customise_threads;
    MCO_CUDA(ctx, paths_customise_shape(&d->customise, d->device.info.multiprocessors));
    MCO_CUDA(ctx, paths_high_shape(&d->trees, d->device.info.multiprocessors));
    d->queries.height = d->hierarchy->topology.height;
    d->queries.shared_bytes = d->shared_bytes;
    MCO_CUDA(ctx, paths_queries_shape(&d->queries, d->device.info.multiprocessors, &scratch));
    if (scratch > 0)
        MCO_TRY(mco_device_take(&d->device, MCO_MEMORY_DEVICE, &d->queries.d_scratch, scratch));
done:
    return st;
}

// Every cell must fit into a block's shared memory, for one group of one source a lane.
static mco_status check_cells(const paths_device_hierarchy *d)
{
    for (int32_t k = 0; k < d->tables.tiers; k++) {
        const paths_tier *t = &d->tables.tier[k];
        const paths_tier_shape shape = {.rows = t->rows, .nodes = t->nodes, .arcs = t->arcs, .warps = 1};
        if (paths_tier_bytes(&shape, 1) > d->shared_bytes)
            return mco_fail(d->device.ctx, MCO_ERR_LIMIT, "GPU %d: a cell needs %zu bytes of shared memory, a block has %zu",
                            d->device.info.index, paths_tier_bytes(&shape, 1), d->shared_bytes);
    }
    return MCO_OK;
}

// The one GPU of the set, or the first one if the set is empty.
static mco_status open_gpu(mco_context *ctx, uint64_t gpus, mco_device *out)
{
    char name[16];
    if (gpus == 0)
        return mco_device_open_named(ctx, NULL, out);
    if ((gpus & (gpus - 1)) != 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "several GPUs are named, a hierarchy lies on one");
    snprintf(name, sizeof name, "%d", __builtin_ctzll(gpus));
    return mco_device_open_named(ctx, name, out);
}

static mco_status open_device(mco_context *ctx, paths_device_hierarchy *d, uint64_t gpus)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &d->hierarchy->topology;
    size_t free_bytes, all_bytes;
    MCO_TRY(open_gpu(ctx, gpus, &d->device));
    for (int k = 0; k < PIECES; k++)
        MCO_CUDA(ctx, cudaEventCreateWithFlags(&d->copied[k], cudaEventDisableTiming));
    MCO_CUDA(ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    if ((size_t)table_bytes(d) > free_bytes)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "GPU %d: the hierarchy needs %.1f MB of device memory, %.1f MB are free", d->device.info.index,
                         1e-6 * (double)table_bytes(d), 1e-6 * (double)free_bytes));
    MCO_TRY(upload_vertices(d));
    MCO_TRY(upload_ways(d));
    MCO_TRY(upload_cells(d));
    MCO_TRY(upload_triangles(d));
    MCO_TRY(mco_device_take(&d->device, MCO_MEMORY_PINNED, &d->h_weight, d->network_arcs + 1));
    MCO_TRY(choose_shapes(d));
    MCO_TRY(check_cells(d));
    d->trees.vertices = t->vertices;
    d->trees.height = t->height;
    d->trees.overlaps = mco_device_overlaps(&d->device);
    d->trees.shared_bytes = d->shared_bytes;
    d->trees.way_arcs = choose_walk(d);
    d->trees.d_up = d->queries.d_up = d->customise.d_up;
    d->trees.d_down = d->queries.d_down = d->customise.d_down;
    d->queries.d_vertex = d->trees.d_vertex;
    d->queries.d_head_height = d->trees.d_head_height;
done:
    return st;
}

mco_status paths_device_open_tuned(mco_context *ctx, const mco_paths_hierarchy *hierarchy, uint64_t gpus,
                                   const paths_device_tuning *tuning, paths_device_hierarchy **out)
{
    mco_status st = MCO_OK;
    paths_device_hierarchy *d = NULL;
    const mco_paths_network *searched = hierarchy->expanded != NULL ? hierarchy->expanded : hierarchy->network;
    MCO_TRY(mco_alloc(ctx, &d, 1));
    d->hierarchy = hierarchy;
    d->tuning = tuning != NULL ? *tuning : (paths_device_tuning){0};
    d->out_vertices = hierarchy->network->rows.vertices;
    d->network_arcs = searched->rows.arcs;
    MCO_TRY(paths_tables_make(ctx, &hierarchy->topology, d->network_arcs, &d->tuning.cells, &d->tables));
    MCO_TRY(open_device(ctx, d, gpus));
    drop_host_tables(ctx, &d->tables);
    MCO_TRY(paths_device_customise(ctx, d, hierarchy->network->rows.weight, NULL));
    mco_log(ctx, MCO_LOG_DETAIL, "GPU %d: %d tiers of %d cells, %d vertices by levels, %d levels of triangles, %.1f MB",
            d->device.info.index, d->tables.tiers, d->tables.cells, d->tables.high_count, d->tables.triangle_levels, 1e-6 * (double)d->bytes);
    *out = d;
    d = NULL;
done:
    paths_device_close(ctx, &d);
    return st;
}

mco_status paths_device_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, uint64_t gpus, paths_device_hierarchy **out)
{
    return paths_device_open_tuned(ctx, hierarchy, gpus, NULL, out);
}

void paths_device_tune(paths_device_hierarchy *d, const paths_device_tuning *tuning)
{
    d->tuning.per_lane = tuning->per_lane;
    d->tuning.group_warps = tuning->group_warps;
    d->tuning.queries = tuning->queries;
    d->tuning.dense = tuning->dense;
    d->tuning.walk = tuning->walk;
    d->trees.way_arcs = choose_walk(d);
    d->tuning.copy_threads = tuning->copy_threads;
    d->tuning.copy_plain = tuning->copy_plain;
    d->tuning.split_warps = tuning->split_warps;
    d->customise.blocks = tuning->customise_blocks;
    d->customise.threads = tuning->customise_threads;
    d->is_traced = false;
    (void)paths_customise_shape(&d->customise, d->device.info.multiprocessors);
}

void paths_device_close(mco_context *ctx, paths_device_hierarchy **device)
{
    paths_device_hierarchy *d = *device;
    if (d == NULL)
        return;
    for (int k = 0; k < PIECES; k++)
        if (d->copied[k] != NULL)
            (void)cudaEventDestroy(d->copied[k]);
    for (int k = 0; k < PATHS_MOST_PIECES; k++)
        if (d->piece_end[k] != NULL)
            (void)cudaEventDestroy(d->piece_end[k]);
    mco_device_close(&d->device);
    mco_team_close(&d->team);
    mco_free(ctx, &d->label_work);
    mco_free(ctx, &d->asked);
    mco_free(ctx, &d->sources);
    paths_tables_clear(ctx, &d->tables);
    mco_free(ctx, device);
}

paths_device_stats paths_device_tell(const paths_device_hierarchy *d)
{
    return (paths_device_stats){.tiers = d->tables.tiers, .cells = d->tables.cells, .high_count = d->tables.high_count,
                                .high_levels = d->tables.high_levels, .triangle_levels = d->tables.triangle_levels,
                                .per_lane = d->trees.per_lane, .bytes = d->bytes};
}

// ---- Customising

// The weights of the network that the hierarchy is of, to the device. Turns keep their costs.
static mco_status upload_weights(paths_device_hierarchy *d, const int32_t *weight)
{
    mco_status st = MCO_OK;
    const mco_paths_hierarchy *h = d->hierarchy;
    if (h->expanded == NULL)
        memcpy(d->h_weight, weight, (size_t)d->network_arcs * sizeof *weight);
    else
        paths_turns_weigh(h, weight, d->h_weight);
    MCO_CUDA(d->device.ctx, cudaMemcpyAsync(d->d_weight, d->h_weight, (size_t)d->network_arcs * sizeof *weight, cudaMemcpyHostToDevice,
                                            d->device.stream));
done:
    return st;
}

paths_device_parts paths_device_look(const paths_device_hierarchy *d)
{
    return (paths_device_parts){.d_weight = d->d_weight, .trees = &d->trees, .stream = d->device.stream};
}

mco_status paths_device_customise(mco_context *ctx, paths_device_hierarchy *d, const int32_t *weight, double *device_s)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_device_use(&d->device));
    MCO_TRY(upload_weights(d, weight));
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
    MCO_TRY(paths_device_customise_here(ctx, d, device_s));
done:
    return st;
}

mco_status paths_device_customise_here(mco_context *ctx, paths_device_hierarchy *d, double *device_s)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_device_use(&d->device));
    d->has_labels = d->has_ancestors = false;
    MCO_TRY(mco_device_start_clock(&d->device));
    MCO_CUDA(ctx, paths_launch_customise(&d->customise, d->device.stream));
    MCO_TRY(mco_device_stop_clock(&d->device, device_s));
done:
    return st;
}

mco_status paths_device_weights(mco_context *ctx, paths_device_hierarchy *d, int32_t *pair)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_device_use(&d->device));
    MCO_CUDA(ctx, cudaMemcpyAsync(pair, d->customise.d_pair, 2 * (size_t)d->customise.arcs * sizeof *pair, cudaMemcpyDeviceToHost,
                                  d->device.stream));
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
done:
    return st;
}

// ---- Sources

static int by_rank(const void *a, const void *b)
{
    const sorted_source *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int32_t rank_of(const paths_device_hierarchy *d, int32_t vertex)
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
        d->sources[k] = (sorted_source){rank_of(d, source[k]), (int32_t)k};
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
        MCO_TRY(make_room(&d->device, (void **)&p->d_source, &d->source_room, padded, sizeof *p->d_source));
        MCO_TRY(make_room(&d->device, (void **)&p->d_steps, &room, padded, sizeof *p->d_steps));
    }
    MCO_TRY(make_room(&d->device, (void **)&p->d_step, &d->step_room, sources * height, sizeof *p->d_step));
    if (paths_walk_bytes(p->height) > d->shared_bytes)
        MCO_TRY(make_room(&d->device, (void **)&p->d_walk, &d->walk_room, sources * height, sizeof *p->d_walk));
    MCO_TRY(make_room(&d->device, (void **)&p->d_label, &d->label_room, padded * p->vertices, sizeof *p->d_label));
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
        for (end = begin; end < t->high_levels && end - begin < HIGH_LEVELS_MOST && work < HIGH_WORK; end++)
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

static bool must_stop(void *state)
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
    MCO_TRY(mco_device_wait(&d->device, d->device.end, must_stop, run, NULL));
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
                        .count = sources * n - at < piece ? sources * n - at : piece, .from = d->h_piece[k % PIECES], .to = distance};
}

static mco_status open_pieces(paths_device_hierarchy *d)
{
    mco_status st = MCO_OK;
    const int cores = mco_settle_threads(0);
    for (int k = 0; k < PIECES; k++)
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
    for (int64_t k = 0; k < pieces + PIECES - 1; k++) {
        if (k < pieces) {
            const rows_piece p = piece_of(d, begin, count, k, distance);
            if (p.at == 0)
                MCO_CUDA(ctx, paths_launch_rows(&d->trees, (int32_t)p.group, d->out_vertices, d->d_rank, d->d_out, d->device.stream));
            MCO_CUDA(ctx, cudaMemcpyAsync(d->h_piece[k % PIECES], d->d_out + p.at, (size_t)p.count * sizeof *distance, cudaMemcpyDeviceToHost,
                                          d->device.stream));
            MCO_CUDA(ctx, cudaEventRecord(d->copied[k % PIECES], d->device.stream));
        }
        const int64_t arrived = k - (PIECES - 1);
        if (arrived >= 0) {
            rows_piece p = piece_of(d, begin, count, arrived, distance);
            MCO_TRY(mco_device_wait(&d->device, d->copied[arrived % PIECES], must_stop, run, NULL));
            mco_team_run(&d->team, (p.count * (int64_t)sizeof *distance + (int64_t)SLICE_BYTES - 1) / (int64_t)SLICE_BYTES, give_slice, NULL, &p);
        }
        if (must_stop(run))
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
        MCO_TRY(mco_device_wait(&d->device, d->copied[0], must_stop, run, NULL));
        if (must_stop(run))
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
    MCO_TRY(make_room(&d->device, (void **)&d->d_out, &d->out_room, lanes * d->out_vertices, sizeof *d->d_out));
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
        if (must_stop(run))
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
    MCO_TRY(upload_weights(d, weight));
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
    MCO_CUDA(ctx, cudaEventRecord(d->device.begin, d->device.stream));
    MCO_CUDA(ctx, paths_launch_customise(&d->customise, d->device.stream));
    MCO_TRY(launch_trees(d));
    MCO_CUDA(ctx, cudaEventRecord(d->device.end, d->device.stream));
    MCO_TRY(mco_device_wait(&d->device, d->device.end, must_stop, run, NULL));
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
    MCO_TRY(UPLOAD(d, &p->d_row, row, t->vertices));
    MCO_TRY(UPLOAD(d, &p->d_head, head, t->arcs));
    MCO_TRY(UPLOAD(d, &p->d_by_depth, by_depth, t->vertices));
    MCO_TRY(UPLOAD(d, &p->d_level, level, (int64_t)t->height + 1));
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
    MCO_TRY(UPLOAD(d, &d->ancestors.d_least, least, rows * n));
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
        for (end = begin; end < d->ancestors.levels && end - begin < HIGH_LEVELS_MOST && work < LABEL_WORK; end++)
            work += d->label_work[end];
        MCO_CUDA(ctx, paths_launch_ancestors(&d->ancestors, begin, end, d->device.stream));
    }
    MCO_CUDA(ctx, cudaEventRecord(d->device.end, d->device.stream));
    MCO_TRY(mco_device_wait(&d->device, d->device.end, must_stop, run, NULL));
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
        if (must_stop(run))
            MCO_TRY(MCO_ERR_STOPPED);
        for (int64_t k = 0; k < now; k++) {
            rank[k] = rank_of(d, source[begin + k]);
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
