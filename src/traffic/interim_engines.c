// SPDX-License-Identifier: MIT
// Until the rooms of the engines are here. Whoever brings the last one removes this file.
#include "traffic/engine.h"

#define MISSING(name) \
    __attribute__((weak)) mco_status name(mco_context *ctx, const traffic_call *call, traffic_answer *out) { return traffic_ref_assign(ctx, call, out); }
MISSING(traffic_frank_wolfe_assign)
#ifdef MCO_HAVE_CUDA
MISSING(traffic_gpu_frank_wolfe_assign)
#endif

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

#define LATER(name, ...) __attribute__((weak)) mco_status name(__VA_ARGS__) { return mco_fail(ctx, MCO_ERR_ARGUMENT, #name " is not supported yet"); }
#pragma GCC diagnostic ignored "-Wunused-parameter"
LATER(mco_traffic_plot_difference, mco_context *ctx, const mco_traffic *traffic, const double *before, const double *after, const char *path)
LATER(mco_traffic_find_skim, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, int32_t k, const double *flow, mco_traffic_skim what, double *matrix)
LATER(mco_traffic_select_link, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, int32_t k, int32_t link, double *matrix, double *share)
LATER(mco_traffic_write_paths, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, double least, const char *path)
