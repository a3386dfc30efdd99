// SPDX-License-Identifier: MIT
// A hierarchy on one GPU, host side: its tables, and customising. gpu_trees.c and gpu_pairs.c have the answers.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "paths/hierarchy/gpu_host.h"
#include "paths/hierarchy/prepare.h"

// ---- Memory

// Makes room for `count` items in *memory; what it held is lost. *room is what it holds.
mco_status paths_gpu_make_room(mco_device *device, void **memory, int64_t *room, int64_t count, size_t item_bytes)
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

mco_status paths_gpu_upload(paths_device_hierarchy *d, void **out, const void *from, int64_t count, size_t item_bytes)
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
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_vertex, vertex, t->vertices));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_head_height, t->head_height, t->arcs));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->d_rank, t->rank, d->out_vertices));
    if (d->tables.end_arcs > 0) {
        MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_down_first, t->down_first, (int64_t)t->vertices + 1));
        MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_down_arc, t->down_arc, t->arcs));
        MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_down_tail, t->down_tail, t->arcs));
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
        arcs[v] = arcs[v] < PATHS_GPU_WAY_ARCS_MOST ? arcs[v] : PATHS_GPU_WAY_ARCS_MOST;
        d->way_arcs = d->way_arcs > arcs[v] ? d->way_arcs : arcs[v];
    }
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_way_arcs, arcs, t->vertices));
    MCO_CUDA(d->device.ctx, cudaStreamSynchronize(d->device.stream));
done:
    mco_free(d->device.ctx, &arcs);
    return st;
}

// Blocks walk if the ways fit, and no row is cut.
static int32_t choose_walk(const paths_device_hierarchy *d)
{
    const bool fits = d->way_arcs < PATHS_GPU_WAY_ARCS_MOST && paths_walk_block_bytes(d->hierarchy->topology.height, d->way_arcs) <= d->shared_bytes;
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
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_cell_arc, arc, t->arcs));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_cell, t->cell, t->cells));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_node, t->node, t->nodes));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_boundary, t->boundary, t->boundaries));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_level, t->level, t->levels));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d->trees.d_high_level, t->high_level, (int64_t)t->high_levels + 1));
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
    MCO_TRY(PATHS_GPU_UPLOAD(d, &plan->d_level, t->triangle_level, (int64_t)t->triangle_levels + 1));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &plan->d_left, t->left, topology->triangles));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &plan->d_right, t->right, topology->triangles));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &plan->d_target, t->target, topology->triangles));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &plan->d_origin, t->origin, 2 * arcs));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &plan->d_more, t->more, t->more_count));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &plan->d_cell_arc_id, t->arc_id, t->arcs));
    MCO_TRY(PATHS_GPU_UPLOAD(d, &d_barrier, zero, 4));
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
    for (int k = 0; k < PATHS_GPU_PIECES; k++)
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
    for (int k = 0; k < PATHS_GPU_PIECES; k++)
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
mco_status paths_gpu_upload_weights(paths_device_hierarchy *d, const int32_t *weight)
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
    MCO_TRY(paths_gpu_upload_weights(d, weight));
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
