// SPDX-License-Identifier: MIT
// Until the rooms of the engines are here. Whoever brings the last one removes this file.
#include "traffic/engine.h"

#define MISSING(name) \
    __attribute__((weak)) mco_status name(mco_context *ctx, const traffic_call *call, traffic_answer *out) { return traffic_ref_assign(ctx, call, out); }
#ifdef MCO_HAVE_CUDA
MISSING(traffic_gpu_frank_wolfe_assign)
MISSING(traffic_gpu_pairs_assign)
#endif

__attribute__((weak)) mco_status traffic_capacitated_assign(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    (void)call, (void)out;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "hard capacities are not supported by this build");
}

__attribute__((weak)) mco_status traffic_streets_assign(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params,
                                                        traffic_engine *inner, const traffic_call *call, traffic_answer *out)
{
    (void)traffic, (void)params, (void)inner, (void)call, (void)out;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "streets that depend on each other are not supported by this build");
}

__attribute__((weak)) double traffic_objective(const traffic_problem *problem, const double *flow, const double *class_flow)
{
    double sum = 0;
    for (int32_t l = 0; l < problem->links; l++) {
        sum += traffic_integral(&problem->costs, l, flow[l]);
        for (int32_t k = 0; k < problem->classes && problem->extra != NULL; k++)
            sum += problem->extra[(size_t)k * (size_t)problem->links + (size_t)l] *
                   (class_flow != NULL ? class_flow[(size_t)k * (size_t)problem->links + (size_t)l] : flow[l]);
    }
    return sum;
}

__attribute__((weak)) mco_status traffic_state_of(mco_context *ctx, const traffic_problem *problem, const traffic_flows *flows,
                                                  const traffic_pairs *pairs, mco_traffic_state **out)
{
    (void)ctx, (void)problem, (void)flows, (void)pairs;
    *out = NULL;
    return MCO_OK;
}

__attribute__((weak)) mco_status traffic_state_take(mco_context *ctx, const traffic_problem *problem, const mco_traffic_state *state,
                                                    traffic_flows *flows, traffic_pairs *pairs)
{
    (void)ctx, (void)problem, (void)state, (void)flows, (void)pairs;
    return MCO_OK;
}

__attribute__((weak)) void mco_traffic_state_clear(mco_context *ctx, mco_traffic_state **state)
{
    (void)ctx;
    *state = NULL;
}

__attribute__((weak)) void traffic_flows_clear(mco_context *ctx, traffic_flows *flows)
{
    mco_free(ctx, &flows->first);
    mco_free(ctx, &flows->link);
    mco_free(ctx, &flows->flow);
}

__attribute__((weak)) void traffic_pairs_clear(mco_context *ctx, traffic_pairs *pairs)
{
    mco_free(ctx, &pairs->first);
    mco_free(ctx, &pairs->link);
    mco_free(ctx, &pairs->row_first);
    mco_free(ctx, &pairs->row);
}

__attribute__((weak)) mco_status mco_traffic_state_read(mco_context *ctx, const mco_traffic *traffic, const char *path, mco_traffic_state **out)
{
    (void)traffic, (void)out;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: not supported yet", path);
}

__attribute__((weak)) mco_status mco_traffic_state_write(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, const char *path)
{
    (void)traffic, (void)state;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: not supported yet", path);
}

__attribute__((weak)) mco_status mco_traffic_write_flows(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_result *result, const char *path)
{
    (void)traffic, (void)result;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: not supported yet", path);
}

__attribute__((weak)) mco_status mco_traffic_read_flows(mco_context *ctx, const mco_traffic *traffic, const char *path, double **flow, double **class_flow)
{
    (void)traffic, (void)flow, (void)class_flow;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: not supported yet", path);
}

__attribute__((weak)) void mco_traffic_flows_clear(mco_context *ctx, double **flow, double **class_flow)
{
    mco_free(ctx, flow);
    mco_free(ctx, class_flow);
}

__attribute__((weak)) mco_status mco_traffic_plot_flows(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params,
                                                        const mco_traffic_result *result, const char *path)
{
    (void)traffic, (void)params, (void)result;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: not supported yet", path);
}

__attribute__((weak)) mco_status mco_traffic_plot_history(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_result *result, const char *path)
{
    (void)traffic, (void)result;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: not supported yet", path);
}
