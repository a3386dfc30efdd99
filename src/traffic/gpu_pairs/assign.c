// SPDX-License-Identifier: MIT
// The method of pairs with its scans on a GPU: the engine.
#include "traffic/gpu_pairs/gpu.h"

mco_status traffic_gpu_pairs_assign(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    mco_status st = MCO_OK;
    pairs_store store = {0};
    traffic_scanner scanner = {0};
    traffic_gpu_stats stats = {0};
    if ((call->gpus & (call->gpus - 1)) != 0)
        mco_log(ctx, MCO_LOG_INFO, "the method pairs scans on one GPU, the first of those named");
    MCO_TRY(pairs_store_open(ctx, call->problem, true, call->start_plan, &store));
    MCO_TRY(traffic_gpu_scanner(ctx, call, &store, NULL, &scanner, &stats));
    MCO_TRY(traffic_pairs_balance(ctx, call, &store, &scanner, out));
    out->device_s = stats.device_s;
    out->gpus = call->gpus == 0 ? 1 : call->gpus & (~call->gpus + 1);
    mco_log(ctx, MCO_LOG_DETAIL, "pairs: %lld scans on the GPU, %.3f s there, %.1f MB of its memory", (long long)stats.scans,
            stats.device_s, 1e-6 * (double)stats.bytes);
done:
    if (scanner.self != NULL)
        scanner.close(scanner.self);
    pairs_store_close(&store);
    return st;
}
