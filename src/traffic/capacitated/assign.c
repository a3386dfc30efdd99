// SPDX-License-Identifier: MIT
#include "traffic/engine.h"

// Inner solves are steep: pairs reach any gap, the Frank-Wolfe family and the reference a coarse one.
mco_status traffic_capacitated_assign(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    const mco_traffic_params *p = call->params;
    if (p->cost == MCO_TRAFFIC_COST_STREETS || (p->cost == MCO_TRAFFIC_COST_AUTO && mco_traffic_view(call->problem->traffic).street != NULL))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "hard capacities do not go with the cost of streets: --cost bpr takes free times alone");
    const bool is_pairs = p->method == MCO_TRAFFIC_METHOD_PAIRS || p->method == MCO_TRAFFIC_METHOD_AUTO;
    traffic_engine *inner = is_pairs ? traffic_pairs_assign : traffic_frank_wolfe_assign;
    if (p->engine == MCO_ENGINE_REFERENCE)
        inner = traffic_ref_assign;
#ifdef MCO_HAVE_CUDA
    if (p->engine == MCO_ENGINE_GPU)
        inner = is_pairs ? traffic_gpu_pairs_assign : traffic_gpu_frank_wolfe_assign;
#endif
    return traffic_capacitated_solve(ctx, inner, call, out);
}
