// SPDX-License-Identifier: MIT
// Hierarchies as callers see them: an order, a topology, a metric, and new weights.
#include "paths/hierarchy/prepare.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"
#include "paths/file.h"
#include "paths/hierarchy/customise.h"

static const mco_paths_rows *plain_rows(const mco_paths_hierarchy *h)
{
    return h->expanded != NULL ? &h->expanded->rows : &h->network->rows;
}

static int64_t count_bytes(const mco_paths_hierarchy *h)
{
    enum { OF_A_VERTEX = 40, OF_AN_ARC = 30, OF_AN_ORIGIN = 24 };
    const paths_topology *t = &h->topology;
    return OF_A_VERTEX * (int64_t)t->vertices + OF_AN_ARC * (int64_t)t->arcs + OF_AN_ORIGIN * plain_rows(h)->arcs +
           (h->triangle != NULL ? (int64_t)sizeof *h->triangle * t->triangles : 0);
}

// ---- Building

// The list saves two thirds of the time of customising. It is left out where memory is short.
static mco_status list_triangles(mco_context *ctx, mco_paths_hierarchy *h, const paths_limits *limits)
{
    const double list = (double)h->topology.triangles * (double)sizeof *h->triangle, rest = (double)count_bytes(h);
    if (list + rest <= limits->memory)
        return paths_triangles_make_within(ctx, &h->topology, limits, &h->triangle);
    mco_log(ctx, MCO_LOG_INFO, "no list of %" PRId64 " triangles: %.0f MiB are needed, %.0f MiB are allowed", h->topology.triangles,
            (list + rest) / (1 << 20), limits->memory / (1 << 20));
    return MCO_OK;
}

static mco_status build(mco_context *ctx, mco_paths_hierarchy *h, const int32_t *order, const paths_limits *limits, int32_t threads)
{
    mco_status st = MCO_OK;
    int32_t *expanded_order = NULL;
    const double begin_s = mco_clock_s();
    if (h->network->has_turns) {
        MCO_TRY(paths_turns_expand(ctx, h->network, h));
        MCO_TRY(paths_turns_order(ctx, h, order, &expanded_order));
        order = expanded_order;
    }
    const mco_paths_rows *rows = plain_rows(h);
    MCO_TRY(paths_topology_make_within(ctx, rows, order, limits, &h->topology));
    MCO_TRY(paths_metric_open(ctx, &h->topology, &h->metric));
    MCO_TRY(list_triangles(ctx, h, limits));
    const double customise_s = mco_clock_s();
    h->facts.build_s = customise_s - begin_s;
    MCO_TRY(paths_metric_make_within(ctx, &h->topology, h->triangle, rows->weight, threads, limits, &h->metric));
    h->facts.customise_s = mco_clock_s() - customise_s;
    h->facts.vertices = h->topology.vertices;
    h->facts.height = h->topology.height;
    h->facts.arcs = h->topology.arcs;
    h->facts.triangles = h->topology.triangles;
    h->facts.bytes = count_bytes(h);
done:
    mco_free(ctx, &expanded_order);
    return st;
}

mco_status paths_hierarchy_build(mco_context *ctx, mco_paths_network **network, const int32_t *order,
                                 const paths_limits *limits, int32_t threads, mco_paths_hierarchy **out)
{
    mco_status st = MCO_OK;
    mco_paths_hierarchy *h = NULL;
    MCO_TRY(mco_alloc(ctx, &h, 1));
    h->facts = (mco_paths_hierarchy_facts)MCO_PATHS_HIERARCHY_FACTS_INIT;
    h->network = *network;
    *network = NULL;
    MCO_TRY(paths_kept_open(ctx, &h->kept));
    MCO_TRY(mco_alloc(ctx, &h->order, h->network->rows.vertices));
    memcpy(h->order, order, (size_t)h->network->rows.vertices * sizeof *order);
    MCO_TRY(build(ctx, h, order, limits, threads));
    *out = h;
    h = NULL;
done:
    mco_paths_hierarchy_destroy(ctx, &h);
    return st;
}

mco_status paths_order_refuse(mco_context *ctx, const int32_t *order, int32_t vertices)
{
    mco_status st = MCO_OK;
    bool *is_seen = NULL;
    MCO_TRY(mco_alloc(ctx, &is_seen, vertices));
    for (int32_t k = 0; k < vertices; k++) {
        if (order[k] < 0 || order[k] >= vertices)
            MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the order has vertex %d at place %d, 0 to %d were expected", order[k], k, vertices - 1));
        if (is_seen[order[k]])
            MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the order has vertex %d twice, again at place %d", order[k], k));
        is_seen[order[k]] = true;
    }
done:
    mco_free(ctx, &is_seen);
    return st;
}

static mco_status find_order(mco_context *ctx, const mco_paths_network *network, const mco_paths_params *p, int32_t **order, char by[16])
{
    mco_run run = mco_run_begin(ctx, &(mco_run_settings){.time_limit_s = p->time_limit_s, .target = -1, .objective = "order"});
    mco_status st = mco_run_must_stop(&run, 0) ? MCO_ERR_STOPPED : paths_order_find(ctx, &network->rows, &run, mco_settle_threads(p->threads), order, by);
    if (st == MCO_ERR_STOPPED)
        st = mco_fail(ctx, st, "stopped while the order of %d vertices was looked for", network->rows.vertices);
    mco_run_clear(&run);
    return st;
}

mco_status mco_paths_prepare(mco_context *ctx, const mco_paths_network *network, const int32_t *order, const mco_paths_params *params,
                             mco_paths_hierarchy **out)
{
    mco_status st = MCO_OK;
    mco_paths_params p = MCO_PATHS_PARAMS_INIT;
    mco_paths_network *copy = NULL;
    int32_t *found = NULL;
    char by[16] = "given";
    if (ctx == NULL || network == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const bool is_outermost = ctx->call_stop_s == 0;
    if (params != NULL)
        MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(mco_options_validate(ctx, mco_paths_options(), &p));
    const double begin_s = mco_clock_s();
    if (is_outermost)
        ctx->call_stop_s = begin_s + p.time_limit_s;
    if (order != NULL)
        MCO_TRY(paths_order_refuse(ctx, order, network->rows.vertices));
    else
        MCO_TRY(find_order(ctx, network, &p, &found, by));
    const double order_s = mco_clock_s() - begin_s;
    MCO_TRY(paths_network_copy(ctx, network, &copy));
    const paths_limits limits = {.memory = mco_settle_memory(p.memory), .stop_s = begin_s + p.time_limit_s};
    MCO_TRY(paths_hierarchy_build(ctx, &copy, found != NULL ? found : order, &limits, mco_settle_threads(p.threads), out));
    (*out)->facts.order_s = order_s;
    memcpy((*out)->facts.order_by, by, sizeof by);
    mco_log(ctx, MCO_LOG_INFO, "hierarchy: order by %s in %.3f s, %" PRId64 " arcs, height %d, %" PRId64 " triangles, built in %.3f s", by, order_s,
            (*out)->facts.arcs, (*out)->facts.height, (*out)->facts.triangles, (*out)->facts.build_s);
done:
    if (is_outermost) {  // else the call that prepares for itself still asks why it was stopped
        ctx->call_stop_s = 0;
        if (st == MCO_ERR_STOPPED)
            mco_clear_cancel(ctx);
    }
    mco_paths_destroy(ctx, &copy);
    mco_free(ctx, &found);
    return st;
}

void mco_paths_hierarchy_destroy(mco_context *ctx, mco_paths_hierarchy **hierarchy)
{
    if (hierarchy == NULL || *hierarchy == NULL)
        return;
    mco_paths_hierarchy *h = *hierarchy;
    paths_kept_close(ctx, &h->kept);
    mco_free(ctx, &h->triangle);
    paths_metric_clear(ctx, &h->spare);
    paths_metric_clear(ctx, &h->metric);
    paths_topology_clear(ctx, &h->topology);
    mco_free(ctx, &h->order);
    mco_free(ctx, &h->turn_cost);
    mco_free(ctx, &h->plain_arc);
    mco_free(ctx, &h->entry);
    mco_paths_destroy(ctx, &h->expanded);
    mco_paths_destroy(ctx, &h->network);
    mco_free(ctx, hierarchy);
}

// ---- New weights

static mco_status refuse_weights(mco_context *ctx, const paths_limits *limits, int64_t arcs, const int32_t *weight)
{
    enum { LOOK = 1 << 22 };
    for (int64_t begin = 0; begin < arcs; begin += LOOK) {
        const int64_t end = arcs - begin < LOOK ? arcs : begin + LOOK;
        if (paths_limits_must_stop(ctx, limits))
            return mco_fail(ctx, MCO_ERR_STOPPED, "stopped while %" PRId64 " weights were tested", arcs);
        for (int64_t a = begin; a < end; a++)
            if (weight[a] < 0 || weight[a] > MCO_PATHS_NONE)
                return mco_fail(ctx, MCO_ERR_ARGUMENT, "arc %" PRId64 " has weight %d, 0 to %d were expected", a, weight[a], MCO_PATHS_NONE);
    }
    return MCO_OK;
}

static mco_status take_weights(mco_context *ctx, mco_paths_hierarchy *h, const int32_t *weight, const mco_paths_params *p, double begin_s)
{
    mco_status st = MCO_OK;
    const paths_limits limits = {.memory = mco_settle_memory(p->memory), .stop_s = begin_s + p->time_limit_s};
    MCO_TRY(refuse_weights(ctx, &limits, h->network->rows.arcs, weight));
    if (h->expanded != NULL)
        paths_turns_weigh(h, weight, h->expanded->weight);
    st = paths_metric_remake(ctx, h, h->expanded != NULL ? h->expanded->weight : weight, mco_settle_threads(p->threads), p->simd, &limits);
    if (st != MCO_OK && h->expanded != NULL)  // the metric is as it was, and so are all weights
        paths_turns_weigh(h, h->network->weight, h->expanded->weight);
    MCO_TRY(st);
    memcpy(h->network->weight, weight, (size_t)h->network->rows.arcs * sizeof *weight);
    h->facts.customise_s = mco_clock_s() - begin_s;
done:
    return st;
}

mco_status mco_paths_customise(mco_context *ctx, mco_paths_hierarchy *hierarchy, const int32_t *weight, const mco_paths_params *params)
{
    mco_status st = MCO_OK;
    mco_paths_params p = MCO_PATHS_PARAMS_INIT;
    const double begin_s = mco_clock_s();
    if (ctx == NULL || hierarchy == NULL || weight == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (params != NULL)
        MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(mco_options_validate(ctx, mco_paths_options(), &p));
    st = take_weights(ctx, hierarchy, weight, &p, begin_s);
    if (st == MCO_ERR_STOPPED && ctx->call_stop_s == 0)  // else the call that customises for itself still asks why it was stopped
        mco_clear_cancel(ctx);
done:
    return st;
}

// ---- Facts

const mco_paths_network *mco_paths_hierarchy_network(const mco_paths_hierarchy *hierarchy)
{
    return hierarchy != NULL ? hierarchy->network : NULL;
}

mco_status mco_paths_hierarchy_tell(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_paths_hierarchy_facts *facts)
{
    mco_status st = MCO_OK;
    if (ctx == NULL || hierarchy == NULL || facts == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_paths_hierarchy_facts full = hierarchy->facts;
    MCO_TRY(mco_struct_test(ctx, "facts", facts, sizeof full));
    mco_struct_give(facts, &full, sizeof full);
done:
    return st;
}
