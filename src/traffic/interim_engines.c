// SPDX-License-Identifier: MIT
// Until all rooms are here. Whoever brings the last one removes this file.
#include "traffic/engine.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define LATER(name, ...) __attribute__((weak)) mco_status name(__VA_ARGS__) { return mco_fail(ctx, MCO_ERR_ARGUMENT, #name " is not supported yet"); }
#ifdef MCO_HAVE_CUDA
LATER(traffic_gpu_frank_wolfe_assign, mco_context *ctx, const traffic_call *call, traffic_answer *out)
LATER(traffic_gpu_pairs_assign, mco_context *ctx, const traffic_call *call, traffic_answer *out)
#endif
LATER(mco_traffic_state_read, mco_context *ctx, const mco_traffic *traffic, const char *path, mco_traffic_state **out)
LATER(mco_traffic_state_write, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, const char *path)
LATER(mco_traffic_plot_flows, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, const mco_traffic_result *result, const char *path)
LATER(mco_traffic_plot_history, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_result *result, const char *path)
LATER(mco_traffic_plot_difference, mco_context *ctx, const mco_traffic *traffic, const double *before, const double *after, const char *path)
LATER(mco_traffic_find_skim, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, int32_t k, const double *flow, mco_traffic_skim what, double *matrix)
LATER(mco_traffic_select_link, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, int32_t k, int32_t link, double *matrix, double *share)
LATER(mco_traffic_write_paths, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, double least, const char *path)

__attribute__((weak)) mco_status traffic_state_of(mco_context *ctx, const traffic_problem *problem, const traffic_flows *flows,
                                                  const traffic_pairs *pairs, mco_traffic_state **out)
{
    *out = NULL;
    return MCO_OK;
}

LATER(traffic_state_take, mco_context *ctx, const traffic_problem *problem, const mco_traffic_state *state, traffic_flows *flows, traffic_pairs *pairs)

__attribute__((weak)) void mco_traffic_state_clear(mco_context *ctx, mco_traffic_state **state)
{
    *state = NULL;
}
