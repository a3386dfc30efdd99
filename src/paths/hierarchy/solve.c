// SPDX-License-Identifier: MIT
// What the calls for many trees, matrices and routes share.
#include "paths/hierarchy/solve.h"

#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"

double paths_stopper_watch(void *shared)
{
    static const double PERIOD_S = 0.02;
    paths_stopper *stopper = shared;
    if (mco_run_must_stop(stopper->run, 0))
        atomic_store_explicit(&stopper->is_set, true, memory_order_relaxed);
    return PERIOD_S;
}

void paths_settle_result(paths_stopper *stopper, mco_paths_result *result, int64_t done)
{
    const bool must_stop = mco_run_must_stop(stopper->run, 0), is_stopped = must_stop || paths_stopper_is_set(stopper);
    result->outcome = is_stopped ? MCO_OUTCOME_UNKNOWN : MCO_OUTCOME_OPTIMAL;
    result->stop = stopper->run->stop;
    result->done = is_stopped ? 0 : done;
}

mco_status paths_take_params(mco_context *ctx, const mco_paths_params *params, const mco_paths_result *result, mco_paths_params *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_struct_take(ctx, "params", params, out, sizeof *out));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof *result));
    MCO_TRY(mco_options_validate(ctx, mco_paths_options(), out));
done:
    return st;
}

mco_status paths_refuse_vertices(mco_context *ctx, const mco_paths_network *network, const char *what, int64_t count,
                                 const int32_t *vertex)
{
    if (count < 0 || (count > 0 && vertex == NULL))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, count < 0 ? "the number of %ss is %lld, 0 or more was expected"
                                                         : "the array of %ss is NULL, %lld vertices were expected",
                        what, (long long)count);
    for (int64_t i = 0; i < count; i++)
        if (vertex[i] < 0 || vertex[i] >= network->rows.vertices)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s %lld is vertex %d, the network has vertices 0 to %d", what, (long long)i,
                            vertex[i], network->rows.vertices - 1);
    return MCO_OK;
}

mco_status paths_refuse_gpu(mco_context *ctx, const mco_paths_params *params, const char *what)
{
    if (params->engine == MCO_ENGINE_GPU || params->engine == MCO_ENGINE_REFERENCE || params->gpus != NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s has the engine cpu, %s was asked for", what,
                        params->gpus != NULL ? "--gpus" : mco_engine_text(params->engine));
    if (params->method != MCO_PATHS_METHOD_AUTO && params->method != MCO_PATHS_METHOD_SWEEP)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s has the method sweep, another one was asked for", what);
    return MCO_OK;
}

mco_status paths_refuse_bytes(mco_context *ctx, const char *what, double bytes, int64_t memory_mib)
{
    const double most = mco_settle_memory(memory_mib);
    if (bytes > most)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s need %.0f bytes, %.0f are allowed (--memory)", what, bytes, most);
    return MCO_OK;
}

mco_status paths_tell_verdict(mco_context *ctx, const mco_paths_network *network, const paths_verdict *verdict, const int32_t *source)
{
    char name[16];
    if (verdict->overflow != 0)
        return mco_fail(ctx, MCO_ERR_LIMIT, "a distance from vertex %s is %d or more, less is supported: a smaller scale helps",
                        mco_paths_vertex_name(network, source[__builtin_ctzll(verdict->overflow)], name), MCO_PATHS_NONE);
    if (verdict->wrong != 0)
        return mco_fail(ctx, MCO_ERR_INTERNAL, "the tree from vertex %s fails its certificate",
                        mco_paths_vertex_name(network, source[__builtin_ctzll(verdict->wrong)], name));
    return MCO_OK;
}
