// SPDX-License-Identifier: MIT
// Until the rooms of the engines are here. Whoever brings the last one removes this file.
#include "traffic/engine.h"


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
