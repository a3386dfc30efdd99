// SPDX-License-Identifier: MIT
// Many trees: validates, chooses the way, and settles the result. With a hierarchy trees are lanes of sweeps; without one, each tree is
// a search of its own, until so many trees are asked for that preparing a hierarchy pays. All trees are certified.
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/structs.h"
#include "device/device.h"
#include "paths/hierarchy/trees.h"
#include "paths/single/single.h"
#include "paths/tree.h"

// Preparing takes about 22 us a vertex, a tree by buckets 18 ns a vertex, one of a sweep 0.5 ns.
static const int64_t TREES_WORTH_A_HIERARCHY = 1200;

static bool is_plain(const paths_trees *t)
{
    return t->p.engine == MCO_ENGINE_REFERENCE || t->p.method == MCO_PATHS_METHOD_DIJKSTRA || t->p.method == MCO_PATHS_METHOD_BUCKETS;
}

static mco_status refuse(const paths_trees *t)
{
    const mco_engine e = t->p.engine;
    const mco_paths_method m = t->p.method;
    if (m == MCO_PATHS_METHOD_TILES)
        return mco_fail(t->ctx, MCO_ERR_ARGUMENT, "method tiles is for one tree, many trees have dijkstra, buckets and sweep");
    if (e == MCO_ENGINE_REFERENCE && m != MCO_PATHS_METHOD_AUTO && m != MCO_PATHS_METHOD_DIJKSTRA)
        return mco_fail(t->ctx, MCO_ERR_ARGUMENT, "method %s and engine reference, which has dijkstra alone", paths_method_text(m));
    if ((m == MCO_PATHS_METHOD_DIJKSTRA || m == MCO_PATHS_METHOD_BUCKETS) && e == MCO_ENGINE_GPU)
        return mco_fail(t->ctx, MCO_ERR_ARGUMENT, "method %s and engine gpu, which has sweep", paths_method_text(m));
    if (t->p.gpus != NULL && (e == MCO_ENGINE_CPU || e == MCO_ENGINE_REFERENCE))
        return mco_fail(t->ctx, MCO_ERR_ARGUMENT, "--gpus is for the gpu engine, the engine is %s", mco_engine_text(e));
    if (m == MCO_PATHS_METHOD_BUCKETS && t->network->has_turns)
        return mco_fail(t->ctx, MCO_ERR_ARGUMENT, "method buckets on a network with turns: dijkstra takes them, or sweep");
    return MCO_OK;
}

// ---- A search for each tree

static mco_status check_tree(const paths_trees *t, int64_t k)
{
    return paths_certify_tree(t->ctx, t->network, t->result.method, t->source[k], t->distance + k * t->network->rows.vertices);
}

static mco_status search_tree(paths_trees *t, const paths_layout *layout, paths_search *search, int32_t *by_place, int64_t k)
{
    mco_status st = MCO_OK;
    paths_counts counts = {0};
    const int32_t n = t->network->rows.vertices;
    int32_t *distance = t->distance + k * n;
    if (search == NULL) {
        MCO_TRY(paths_ref_search(t->ctx, &t->run, &t->network->rows, t->source[k], distance, NULL));
    } else {
        MCO_TRY(paths_search_tree(t->ctx, search, &t->run, layout->place[t->source[k]], by_place, &counts));
        for (int32_t v = 0; v < n; v++)
            distance[v] = by_place[layout->place[v]];
    }
    MCO_TRY(check_tree(t, k));
    if (t->parent != NULL)
        MCO_TRY(paths_parents(t->ctx, &t->network->rows, t->source[k], distance, t->parent + k * n));
    for (int32_t v = 0; v < n; v++)
        t->result.reached += distance[v] < MCO_PATHS_NONE;
    t->result.done++;
done:
    return st;
}

static mco_status search_all(paths_trees *t)
{
    mco_status st = MCO_OK;
    const bool is_reference = t->p.engine == MCO_ENGINE_REFERENCE || t->network->has_turns;
    const bool is_heap = is_reference || t->p.method == MCO_PATHS_METHOD_DIJKSTRA;
    const int32_t threads = is_heap ? 1 : mco_settle_threads(t->p.threads);
    paths_layout layout = {0};
    paths_search *search = NULL;
    int32_t *by_place = NULL;
    double begin_s = mco_clock_s();
    t->result.method = is_heap ? MCO_PATHS_METHOD_DIJKSTRA : MCO_PATHS_METHOD_BUCKETS;
    if (!is_reference) {
        MCO_TRY(paths_layout_make(t->ctx, &t->network->rows, NULL, false, &layout));
        MCO_TRY(is_heap ? paths_heap_open(t->ctx, &layout, &search) : paths_buckets_open(t->ctx, &layout, threads, &search));
        MCO_TRY(mco_alloc(t->ctx, &by_place, layout.vertices));
    }
    t->result.prepare_s += mco_clock_s() - begin_s;
    begin_s = mco_clock_s();
    for (int64_t k = 0; k < t->count && !mco_run_must_stop(&t->run, k); k++)
        MCO_TRY(search_tree(t, &layout, search, by_place, k));
    t->result.work = (mco_work){.engine = t->p.engine == MCO_ENGINE_REFERENCE ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU,
                                .threads = threads, .solve_s = mco_clock_s() - begin_s};
done:
    mco_free(t->ctx, &by_place);
    paths_search_close(t->ctx, &search);
    paths_layout_clear(t->ctx, &layout);
    return st;
}

// ---- The way

static mco_status prepare(paths_trees *t)
{
    mco_status st = MCO_OK;
    mco_paths_params p = t->p;
    const double begin_s = mco_clock_s();
    p.engine = MCO_ENGINE_CPU;
    p.method = MCO_PATHS_METHOD_AUTO;
    p.gpus = NULL;
    p.time_limit_s = t->p.time_limit_s - mco_run_time_s(&t->run);
    p.time_limit_s = p.time_limit_s > 0 ? p.time_limit_s : 0;
    MCO_TRY(mco_paths_prepare(t->ctx, t->network, NULL, &p, &t->own));
    t->hierarchy = t->own;
    t->result.prepare_s = mco_clock_s() - begin_s;
    mco_log(t->ctx, MCO_LOG_INFO, "hierarchy prepared in %.3f s", t->result.prepare_s);
done:
    return st;
}

#ifdef PATHS_HAS_DEVICE_TREES
static mco_status run_gpu(paths_trees *t)
{
    mco_status st = MCO_OK;
    paths_device_hierarchy *device = NULL;
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    uint64_t mask = 0;
    double copy_s = 0, begin_s = mco_clock_s();
    const int64_t n = t->network->rows.vertices;
    MCO_TRY(mco_gpus_choose(t->ctx, t->p.gpus, gpus, &count));
    for (int k = 0; k < count; k++)
        mask |= (uint64_t)1 << gpus[k].index;
    MCO_TRY(paths_device_open(t->ctx, t->hierarchy, mask, &device));
    t->result.prepare_s += mco_clock_s() - begin_s;
    begin_s = mco_clock_s();
    t->result.work = (mco_work){.engine = MCO_ENGINE_GPU, .lane_bits = 32, .threads = 1, .gpus = mask};
    MCO_TRY(paths_device_trees(t->ctx, device, &t->run, t->count, t->source, t->distance, &t->result.work.device_s, &copy_s));
    t->result.work.solve_s = mco_clock_s() - begin_s;
    t->result.method = MCO_PATHS_METHOD_SWEEP;
    for (int64_t k = 0; k < t->count && !mco_run_must_stop(&t->run, k); k++) {
        MCO_TRY(check_tree(t, k));
        if (t->parent != NULL)
            MCO_TRY(paths_parents(t->ctx, &t->network->rows, t->source[k], t->distance + k * n, t->parent + k * n));
        for (int64_t v = 0; v < n; v++)
            t->result.reached += t->distance[k * n + v] < MCO_PATHS_NONE;
        t->result.done++;
    }
done:
    paths_device_close(t->ctx, &device);
    return st;
}
#else
// Says why there is no GPU.
static mco_status run_gpu(paths_trees *t)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count;
    const mco_status st = mco_gpus_choose(t->ctx, t->p.gpus, gpus, &count);
    return st != MCO_OK ? st : mco_fail(t->ctx, MCO_ERR_DEVICE, "this build has no GPU engine for many trees");
}
#endif

static mco_status run_way(paths_trees *t)
{
    mco_status st = MCO_OK;
    const bool is_gpu = t->p.engine == MCO_ENGINE_GPU || t->p.gpus != NULL;
    const bool is_asked = is_gpu || t->p.method == MCO_PATHS_METHOD_SWEEP;
    if (t->hierarchy == NULL && (is_plain(t) || (!is_asked && t->count < TREES_WORTH_A_HIERARCHY))) {
        snprintf(t->result.reason, sizeof t->result.reason, is_plain(t) ? "it was asked for" : "no hierarchy, and %" PRId64 " trees do not pay for one", t->count);
        return search_all(t);
    }
    if (is_plain(t)) {
        snprintf(t->result.reason, sizeof t->result.reason, "it was asked for");
        return search_all(t);
    }
    snprintf(t->result.reason, sizeof t->result.reason, t->hierarchy != NULL ? "the hierarchy is there" : is_asked ? "it was asked for" : "%" PRId64 " trees pay for a hierarchy", t->count);
    if (t->hierarchy == NULL)
        MCO_TRY(prepare(t));
    MCO_TRY(is_gpu ? run_gpu(t) : paths_trees_by_lanes(t));
done:
    return st;
}

// A run that is stopped has no trees, which is an answer too.
static mco_status settle(paths_trees *t, mco_status st)
{
    const bool is_stopped = mco_run_must_stop(&t->run, 0) && (st == MCO_ERR_STOPPED || (st == MCO_OK && t->result.done < t->count));
    t->result.outcome = is_stopped ? MCO_OUTCOME_UNKNOWN : MCO_OUTCOME_OPTIMAL;
    t->result.stop = is_stopped ? t->run.stop : MCO_STOP_FINISHED;
    return is_stopped ? MCO_OK : st;
}

mco_status mco_paths_find_trees(mco_context *ctx, const mco_paths_network *network, const mco_paths_hierarchy *hierarchy,
                                int64_t count, const int32_t *source, const mco_paths_params *params, int32_t *distance,
                                int64_t *parent, mco_paths_result *result)
{
    mco_status st = MCO_OK;
    paths_trees t = {.ctx = ctx, .p = MCO_PATHS_PARAMS_INIT, .network = network, .hierarchy = hierarchy, .count = count,
                     .source = source, .distance = distance, .parent = parent, .result = MCO_PATHS_RESULT_INIT};
    if (ctx == NULL || network == NULL || (distance == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(paths_take_params(ctx, params, result, &t.p));
    MCO_TRY(paths_refuse_vertices(ctx, network, "source", count, source));
    MCO_TRY(paths_refuse_other(ctx, network, hierarchy != NULL ? hierarchy->network : NULL));
    MCO_TRY(refuse(&t));
    t.run = mco_run_begin(ctx, &(mco_run_settings){.time_limit_s = t.p.time_limit_s, .target = -1, .objective = "distances"});
    ctx->call_stop_s = t.run.stop_s;
    MCO_TRY(settle(&t, count > 0 ? run_way(&t) : MCO_OK));
    mco_log(ctx, MCO_LOG_INFO, "engine %s, method %s (%s)", mco_engine_text(t.result.work.engine), paths_method_text(t.result.method),
            t.result.reason);
    mco_struct_give(result, &t.result, sizeof t.result);
done:
    mco_run_clear(&t.run);
    mco_paths_hierarchy_destroy(ctx, &t.own);
    ctx->call_stop_s = 0;
    mco_clear_cancel(ctx);
    return st;
}
