// SPDX-License-Identifier: MIT
// Distances and paths of many queries. Threads take blocks of queries. Few queries walk the elimination tree; where they are many for
// the size of the network, labels of all ancestors are made first. The metric is proven, and labels too where they are made; every
// distance is found again by the code of the proof (proof.h), and every path is added up over the network.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/machine.h"
#include "base/structs.h"
#include "paths/hierarchy/proof.h"
#include "paths/hierarchy/reach.h"
#include "paths/hierarchy/unpack.h"

// Queries of an item, at most 20 ms of unpacking.
enum { BLOCK = 256 };
// A query by labels saves 3 us and their rows cost 0.4 us a vertex.
static const int32_t VERTICES_PER_QUERY = 8;

typedef struct block {
    int64_t *arc;  // paths of the block, one after the other
    int64_t count, room;
} block;

typedef struct worker {
    mco_context *ctx;
    paths_query *query;
    paths_unpacking *unpacking;
    paths_recheck recheck;
    mco_status status;  // the first failure, its message in ctx
    int64_t reached, done;
} worker;

typedef struct routes_job {
    paths_stopper stopper;  // first, for paths_stopper_watch()
    const mco_paths_hierarchy *hierarchy;
    mco_paths_params p;
    int64_t count;
    const int32_t *source, *target;
    int32_t *distance;
    int64_t *first;      // [count + 1] lengths of paths, from 1 on; NULL: not asked for
    block *blocks;       // [block_count]
    int64_t block_count;
    paths_labels *labels;  // NULL: none
    paths_expansion *expansion;  // NULL: none
    worker *worker;      // [workers]
    int32_t workers;
} routes_job;

// ---- A block

static void find_distances(const routes_job *j, const worker *w, int64_t begin, int64_t count)
{
    int32_t source[BLOCK], target[BLOCK];
    for (int64_t q = 0; q < count; q++) {
        source[q] = paths_source_rank(j->hierarchy, j->source[begin + q]);
        target[q] = paths_target_rank(j->hierarchy, j->target[begin + q]);
    }
    if (j->labels != NULL)
        paths_labels_distances(j->labels, count, source, target, j->distance + begin);
    else
        for (int64_t q = 0; q < count; q++)
            j->distance[begin + q] = paths_query_distance(w->query, source[q], target[q]);
    for (int64_t q = begin; q < begin + count; q++)
        if (j->source[q] == j->target[q])
            j->distance[q] = 0;
}

// Finds the distances of the block again.
static mco_status certify_block(const routes_job *j, worker *w, int64_t begin, int64_t count)
{
    for (int64_t q = begin; q < begin + count; q++) {
        const int32_t source = paths_source_rank(j->hierarchy, j->source[q]), target = paths_target_rank(j->hierarchy, j->target[q]);
        const int32_t expected = j->source[q] == j->target[q] ? 0
                                 : j->labels != NULL          ? paths_recheck_labels(&w->recheck, j->labels, source, target)
                                                              : paths_recheck_pair(&w->recheck, source, target);
        if (j->distance[q] != expected)
            return mco_fail(w->ctx, MCO_ERR_INTERNAL, "query %" PRId64 " has distance %d, its certificate %d", q, j->distance[q], expected);
    }
    return MCO_OK;
}

static mco_status unpack_block(const routes_job *j, worker *w, int64_t begin, int64_t count, block *b)
{
    mco_status st = MCO_OK;
    for (int64_t q = begin; q < begin + count && !atomic_load_explicit(&j->stopper.is_set, memory_order_relaxed); q++) {
        const int64_t *arc;
        int64_t arcs;
        MCO_TRY(paths_unpack(w->ctx, w->unpacking, j->source[q], j->target[q], j->distance[q], &arc, &arcs));
        MCO_TRY(mco_grow(w->ctx, &b->arc, &b->room, b->count + arcs));
        if (arcs > 0)
            memcpy(b->arc + b->count, arc, (size_t)arcs * sizeof *arc);
        b->count += arcs;
        j->first[q + 1] = arcs;
    }
done:
    return st;
}

static void take_block(void *shared, int index, int64_t item)
{
    routes_job *j = shared;
    worker *w = &j->worker[index];
    const int64_t begin = item * BLOCK, count = j->count - begin < BLOCK ? j->count - begin : BLOCK;
    if (paths_stopper_is_set(&j->stopper) || w->status != MCO_OK)
        return;
    find_distances(j, w, begin, count);
    w->status = certify_block(j, w, begin, count);
    if (w->status == MCO_OK && j->first != NULL)
        w->status = unpack_block(j, w, begin, count, &j->blocks[item]);
    if (w->status != MCO_OK)
        atomic_store_explicit(&j->stopper.is_set, true, memory_order_relaxed);
    for (int64_t q = begin; q < begin + count; q++)
        w->reached += j->distance[q] < MCO_PATHS_NONE;
    w->done += count;
}

// ---- All of them

static void close_job(mco_context *ctx, routes_job *j)
{
    // A block is the child's that grew it; all children use the caller's allocator.
    for (int64_t k = 0; j->blocks != NULL && k < j->block_count; k++)
        if (j->blocks[k].arc != NULL)
            mco_free(j->worker[0].ctx, &j->blocks[k].arc);
    for (int32_t k = 0; j->worker != NULL && k < j->workers; k++) {
        if (j->worker[k].unpacking != NULL)
            paths_unpacking_close(j->worker[k].ctx, &j->worker[k].unpacking);
        paths_recheck_close(ctx, &j->worker[k].recheck);
        paths_query_close(ctx, &j->worker[k].query);
        mco_context_destroy(&j->worker[k].ctx);
    }
    mco_free(ctx, &j->worker);
    mco_free(ctx, &j->expansion);
    mco_free(ctx, &j->blocks);
    mco_free(ctx, &j->first);
    paths_labels_close(ctx, &j->labels);
}

static mco_status open_job(mco_context *ctx, routes_job *j, bool has_paths)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &j->hierarchy->topology;
    const bool wants_labels = j->count >= t->vertices / VERTICES_PER_QUERY &&
                              (double)paths_labels_bytes(t) < mco_settle_memory(j->p.memory) / 2;
    const double expansion_bytes = 2.0 * t->arcs * (double)sizeof *j->expansion;
    j->workers = mco_settle_threads(j->p.threads);
    j->block_count = (j->count + BLOCK - 1) / BLOCK;
    if (has_paths && j->count >= t->triangles / PATHS_TRIANGLES_OF_A_QUERY && expansion_bytes < mco_settle_memory(j->p.memory) / 2)
        MCO_TRY(paths_expansions_make(ctx, j->hierarchy, &j->expansion));
    MCO_TRY(mco_alloc(ctx, &j->worker, j->workers));
    for (int32_t k = 0; k < j->workers; k++) {
        MCO_TRY(mco_context_create_child(ctx, &j->worker[k].ctx));
        MCO_TRY(paths_query_open(ctx, j->hierarchy, j->p.simd, &j->worker[k].query));
        MCO_TRY(paths_recheck_open(ctx, j->hierarchy, &j->worker[k].recheck));
        if (has_paths)
            MCO_TRY(paths_unpacking_open(j->worker[k].ctx, j->hierarchy, j->expansion, &j->worker[k].unpacking));
    }
    if (has_paths) {
        MCO_TRY(mco_alloc(ctx, &j->first, j->count + 1));
        MCO_TRY(mco_alloc(ctx, &j->blocks, j->block_count));
    }
    if (wants_labels)
        MCO_TRY(paths_labels_open(ctx, j->hierarchy, j->p.simd, j->workers, &j->labels));
done:
    return st;
}

static mco_status run_job(mco_context *ctx, routes_job *j, mco_paths_result *result)
{
    mco_status st = MCO_OK;
    mco_team *team = NULL;
    MCO_TRY(paths_metric_prove_once(ctx, j->hierarchy));
    MCO_TRY(paths_team_take(ctx, j->hierarchy, j->workers, &team));
    if (j->labels != NULL)
        MCO_TRY(paths_labels_prove(ctx, j->labels, j->hierarchy, team, j->workers, &j->stopper));
    mco_team_run(team, j->block_count, take_block, paths_stopper_watch, j);
    for (int32_t k = 0; k < j->workers; k++) {
        result->reached += j->worker[k].reached;
        if (j->worker[k].status != MCO_OK)
            MCO_TRY(mco_fail(ctx, j->worker[k].status, "%s", mco_context_error(j->worker[k].ctx)));
    }
done:
    paths_team_give(ctx, j->hierarchy, &team);
    return st;
}

// Puts the paths of the blocks one after the other.
static mco_status give_routes(mco_context *ctx, routes_job *j, mco_paths_routes *routes)
{
    mco_status st = MCO_OK;
    int64_t *arc = NULL, at = 0;
    for (int64_t q = 0; q < j->count; q++)
        j->first[q + 1] += j->first[q];
    MCO_TRY(mco_alloc(ctx, &arc, j->first[j->count]));
    for (int64_t k = 0; k < j->block_count; at += j->blocks[k++].count)
        if (j->blocks[k].count > 0)
            memcpy(arc + at, j->blocks[k].arc, (size_t)j->blocks[k].count * sizeof *arc);
    *routes = (mco_paths_routes){j->count, j->first, arc};
    j->first = NULL;
done:
    return st;
}

// Tests up to 64 queries [count] without a distance for a path that is too long.
static mco_status refuse_group(mco_context *ctx, const routes_job *j, paths_reach *reach, int32_t count, const int64_t *query)
{
    mco_status st = MCO_OK;
    int32_t source[PATHS_REACH_SOURCES];
    for (int32_t k = 0; k < count; k++)
        source[k] = j->source[query[k]];
    MCO_TRY(paths_reach_from(ctx, reach, j->stopper.run, count, source));
    for (int32_t k = 0; k < count; k++)
        MCO_TRY(paths_reach_refuse(ctx, reach, k, source[k], j->target[query[k]]));
done:
    return st;
}

static mco_status refuse_long(mco_context *ctx, const routes_job *j, int64_t reached)
{
    mco_status st = MCO_OK;
    paths_reach reach = {0};
    bool is_short = false;
    int64_t query[PATHS_REACH_SOURCES];
    int32_t count = 0;
    if (reached == j->count)
        return MCO_OK;
    MCO_TRY(paths_is_short(ctx, j->hierarchy, &is_short));
    if (is_short)
        return MCO_OK;
    MCO_TRY(paths_reach_open(ctx, j->hierarchy, j->stopper.run, &reach));
    for (int64_t q = 0; q < j->count; q++) {
        if (j->distance[q] == MCO_PATHS_NONE)
            query[count++] = q;
        if (count == PATHS_REACH_SOURCES || (q + 1 == j->count && count > 0)) {
            MCO_TRY(refuse_group(ctx, j, &reach, count, query));
            count = 0;
        }
    }
done:
    paths_reach_close(ctx, &reach);
    return st;
}

// Finds, certifies and gives.
static mco_status find_routes(mco_context *ctx, routes_job *j, mco_paths_routes *routes, mco_paths_result *r)
{
    mco_status st = MCO_OK;
    double begin_s = mco_clock_s();
    MCO_TRY(paths_or_stopped(&j->stopper, open_job(ctx, j, routes != NULL)));
    r->prepare_s = mco_clock_s() - begin_s;
    snprintf(r->reason, sizeof r->reason, j->labels != NULL ? "%" PRId64 " queries pay for labels of all ancestors" : "%" PRId64 " queries along the elimination tree",
             j->count);
    begin_s = mco_clock_s();
    if (!paths_stopper_is_set(&j->stopper))
        MCO_TRY(paths_or_stopped(&j->stopper, run_job(ctx, j, r)));
    if (!paths_stopper_is_set(&j->stopper))
        MCO_TRY(paths_or_stopped(&j->stopper, refuse_long(ctx, j, r->reached)));
    r->work.solve_s = mco_clock_s() - begin_s;
    r->work.threads = j->workers;
    r->work.simd = j->worker[0].query->lanes->build.simd;
    paths_settle_result(&j->stopper, r, j->count);
    if (r->outcome != MCO_OUTCOME_OPTIMAL)
        return MCO_OK;
    if (routes != NULL)
        MCO_TRY(give_routes(ctx, j, routes));
done:
    return st;
}

mco_status mco_paths_find_routes(mco_context *ctx, const mco_paths_hierarchy *hierarchy, int64_t count, const int32_t *source,
                                 const int32_t *target, const mco_paths_params *params, int32_t *distance, mco_paths_routes *routes,
                                 mco_paths_result *result)
{
    mco_status st = MCO_OK;
    routes_job j = {.hierarchy = hierarchy, .count = count, .source = source, .target = target, .distance = distance,
                    .p = MCO_PATHS_PARAMS_INIT};
    mco_paths_result r = MCO_PATHS_RESULT_INIT;
    mco_run run = {0};
    if (ctx == NULL || hierarchy == NULL || (distance == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(paths_take_params(ctx, params, result, &j.p));
    MCO_TRY(paths_refuse_gpu(ctx, &j.p, "a route"));
    MCO_TRY(paths_refuse_vertices(ctx, hierarchy->network, "source", count, source));
    MCO_TRY(paths_refuse_vertices(ctx, hierarchy->network, "target", count, target));
    run = mco_run_begin(ctx, &(mco_run_settings){.time_limit_s = j.p.time_limit_s, .target = -1, .objective = "distances"});
    j.stopper.run = &run;
    ctx->call_stop_s = run.stop_s;
    r.method = MCO_PATHS_METHOD_SWEEP;
    r.work = (mco_work){.engine = MCO_ENGINE_CPU, .lane_bits = 32};
    MCO_TRY(find_routes(ctx, &j, routes, &r));
    mco_struct_give(result, &r, sizeof r);
done:
    close_job(ctx, &j);
    mco_run_clear(&run);
    ctx->call_stop_s = 0;
    mco_clear_cancel(ctx);
    return st;
}

void mco_paths_routes_clear(mco_context *ctx, mco_paths_routes *routes)
{
    if (routes == NULL)
        return;
    mco_free(ctx, &routes->arc);
    mco_free(ctx, &routes->first);
    *routes = (mco_paths_routes){0};
}
