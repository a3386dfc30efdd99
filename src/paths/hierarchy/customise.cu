// SPDX-License-Identifier: MIT
// Customising on a GPU: kernel and launcher. Triangles lie by levels of the elimination tree: those of a level read arcs that
// no triangle of the level, or of a later one, writes. One launch makes the weights from those of the network. The oracle is
// paths_metric_ref(), and the weights are equal to its weights.
#include "device/kernel.cuh"
#include "paths/hierarchy/cuda.h"
#include "mco/paths.h"
#include "device/barrier.cuh"

namespace {

using namespace mco;

constexpr int BLOCK_MOST = 1024;

struct triangle {
    int32_t left, right, target;
};

DEVICE triangle load(const paths_customise_plan &plan, int64_t i)
{
    return {__ldg(plan.d_left + i), __ldg(plan.d_right + i), __ldg(plan.d_target + i)};
}

// Others change `target` meanwhile, by minima alone: a weight that is read too early costs an atomic operation in vain.
DEVICE void relax(const paths_customise_plan &plan, const triangle &t)
{
    const int2 *pairs = reinterpret_cast<const int2 *>(plan.d_pair);
    const int2 left = __ldcg(pairs + t.left), right = __ldcg(pairs + t.right), old = __ldcg(pairs + t.target);
    const int up = left.y + right.x, down = right.y + left.x;
    if (up < old.x)
        atomicMin(plan.d_pair + 2 * (int64_t)t.target, up);
    if (down < old.y)
        atomicMin(plan.d_pair + 2 * (int64_t)t.target + 1, down);
}

DEVICE int32_t first_weight(const paths_customise_plan &plan, int64_t slot)
{
    const int32_t origin = __ldg(plan.d_origin + slot);
    if (origin == -1)
        return MCO_PATHS_NONE;
    if (origin >= 0)
        return __ldg(plan.d_weight + origin);
    const int32_t *list = plan.d_more + (-2 - origin);
    int32_t weight = MCO_PATHS_NONE;
    for (int k = 1; k <= list[0]; k++)
        weight = min(weight, __ldg(plan.d_weight + list[k]));
    return weight;
}

// A thread takes a weight at the start, then a triangle of each level or every so manieth, then an arc at the end. All blocks are
// on the device at once, and a barrier ends each level; there are levels + 1 of them. Warps are dealt out to the blocks in turn,
// so that a short level is spread over the device. The triangle of the next level is loaded before the barrier. Shared memory:
// none. Traffic: 12 bytes of the list and 24 of weights for a triangle, of which the weights stay in the L2 cache. The limit
// is the barrier, about 1 us a level, and three loads one after the other; for large networks also the list.
// Ends: barrier.cuh; the loops are over counts that do not change.
__global__ void __launch_bounds__(BLOCK_MOST, 1) customise(const paths_customise_plan plan)
{
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    const int64_t thread = ((int64_t)(threadIdx.x / WARP) * gridDim.x + blockIdx.x) * WARP + threadIdx.x % WARP;
    uint32_t goal = gridDim.x;
    for (int64_t slot = thread; slot < 2 * (int64_t)plan.arcs; slot += stride)
        plan.d_pair[slot] = first_weight(plan, slot);
    int64_t at = 0, end = 0;
    triangle mine = {0, 0, 0};
    if (plan.levels > 0) {
        at = __ldg(plan.d_level) + thread;
        end = __ldg(plan.d_level + 1);
        if (at < end)
            mine = load(plan, at);
    }
    grid_barrier(plan.d_barrier, goal);
    for (int32_t level = 0; level < plan.levels; level++) {
        if (at < end)
            relax(plan, mine);
#pragma unroll 4
        for (at += stride; at < end; at += stride)
            relax(plan, load(plan, at));
        if (level + 1 < plan.levels) {
            at = end + thread;
            end = __ldg(plan.d_level + level + 2);
            if (at < end)
                mine = load(plan, at);
        }
        goal += gridDim.x;
        grid_barrier(plan.d_barrier, goal);
    }
    for (int64_t a = thread; a < plan.arcs; a += stride) {
        const int2 pair = __ldcg(reinterpret_cast<const int2 *>(plan.d_pair) + a);
        plan.d_up[a] = pair.x;
        plan.d_down[a] = pair.y;
    }
    for (int64_t a = thread; a < plan.cell_arcs; a += stride)
        plan.d_cell_arc[a].weight = __ldcg(plan.d_pair + 2 * (int64_t)__ldg(plan.d_cell_arc_id + a) + 1);
    leave_barriers(plan.d_barrier);
}

}  // namespace

cudaError_t paths_customise_shape(paths_customise_plan *plan, int multiprocessors)
{
    int fits = 0;
    if (plan->threads <= 0 || plan->threads > BLOCK_MOST)
        plan->threads = BLOCK_MOST;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fits, customise, plan->threads, 0);
    if (error != cudaSuccess)
        return error;
    if (fits == 0)
        return cudaErrorInvalidConfiguration;
    if (plan->blocks <= 0)
        plan->blocks = multiprocessors;  // few blocks make barriers fast
    if (plan->blocks > fits * multiprocessors)
        plan->blocks = fits * multiprocessors;
    return cudaSuccess;
}

cudaError_t paths_launch_customise(const paths_customise_plan *plan, cudaStream_t stream)
{
    void *arguments[] = {const_cast<paths_customise_plan *>(plan)};
    const cudaError_t error = cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(customise), dim3((unsigned int)plan->blocks),
                                                          dim3((unsigned int)plan->threads), arguments, 0, stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}
