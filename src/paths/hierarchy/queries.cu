// SPDX-License-Identifier: MIT
// Distances from point to point on a GPU: kernel and launcher. The oracle is paths_ref_tree().
#include "device/kernel.cuh"
#include "mco/paths.h"
#include "paths/hierarchy/cuda.h"

namespace {

using namespace mco;

constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr int BLOCK = 256, HALF = 16;

DEVICE int4 load_vertex(const paths_queries_plan &plan, int32_t v)
{
    return v >= 0 ? __ldg(reinterpret_cast<const int4 *>(plan.d_vertex) + v) : make_int4(0, -1, 1, 0);
}
DEVICE int32_t size_of(int4 vertex) { return abs(vertex.z); }
DEVICE bool is_end(int4 vertex) { return vertex.z < 0; }
DEVICE int height_of(int4 vertex) { return (int)((uint32_t)vertex.w >> 16); }

// A half warp relaxes a row with a label.
DEVICE void relax_row(const paths_queries_plan &plan, int4 vertex, const int32_t *weight, int32_t label, int32_t *labels, int lane)
{
    const int32_t end = vertex.x + (int32_t)((uint32_t)vertex.w & 0xffff);
    for (int32_t a = vertex.x + lane; a < end; a += HALF) {
        const int at = __ldg(plan.d_head_height + a);
        const int32_t sum = label + __ldg(weight + a);
        if (sum < labels[at])
            labels[at] = sum;
    }
}

// A warp takes queries in turn. Its first half walks up from the source, its second one from the target, each until its vertex is
// above both. From there on both take the same vertices up to the root. Labels are indexed by height; a step sets the label it
// has read back to NONE, and every label that was set is read, so the scratch is clean for the next query. Labels of no
// less than the best sum are not relaxed. Ends of paths are relaxed and joined only where the query begins or ends.
// Shared memory: 2 labels a height and warp, or none if `d_scratch` has them. Traffic: 16 bytes a vertex and 6 an arc, mostly
// from the caches. The limit is the instructions, about 60 a step. Ends: ranks ascend.
__global__ void __launch_bounds__(BLOCK) queries(const paths_queries_plan plan)
{
    const int lane = threadIdx.x % WARP, sub = lane % HALF, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const int64_t first = (int64_t)blockIdx.x * warps + warp, stride = (int64_t)gridDim.x * warps;
    const bool is_back = lane >= HALF;
    int32_t *const scratch = plan.d_scratch != nullptr ? plan.d_scratch + first * 2 * plan.height
                                                       : dynamic_shared<int32_t>() + (int64_t)warp * 2 * plan.height;
    int32_t *const labels = scratch + (is_back ? plan.height : 0);
    const int32_t *const weight = is_back ? plan.d_down : plan.d_up;
    for (int32_t i = lane; i < 2 * plan.height; i += WARP)
        scratch[i] = NONE;
    __syncwarp();
    for (int64_t q = first; q < plan.count; q += stride) {
        const int32_t source = __ldg(plan.d_source + q), target = __ldg(plan.d_target + q);
        const int32_t mine = is_back ? target : source, other = is_back ? source : target;
        int32_t v = mine;
        int4 vertex = load_vertex(plan, v);
        if (sub == 0)
            labels[height_of(vertex)] = 0;
        __syncwarp();
        // Apart.
        for (;;) {
            const bool is_apart = v >= 0 && !(other <= v && other > v - size_of(vertex));
            if (!__any_sync(ALL_LANES, is_apart))
                break;
            const int4 next = is_apart ? load_vertex(plan, vertex.y) : vertex;
            const int32_t label = is_apart ? labels[height_of(vertex)] : NONE;
            __syncwarp();
            if (is_apart) {
                if (sub == 0)
                    labels[height_of(vertex)] = NONE;
                if (label < NONE && (!is_end(vertex) || v == mine))
                    relax_row(plan, vertex, weight, label, labels, sub);
                v = vertex.y;
                vertex = next;
            }
            __syncwarp();
        }
        // Together: both halves are at the same vertex, or at none.
        int32_t best = NONE;
        while (v >= 0) {
            const int4 next = load_vertex(plan, vertex.y);
            const int32_t label = labels[height_of(vertex)];
            const int32_t sum = label + __shfl_xor_sync(ALL_LANES, label, HALF);
            if (!is_end(vertex) || v == source || v == target)
                best = min(best, sum);
            __syncwarp();
            if (sub == 0)
                labels[height_of(vertex)] = NONE;
            if (label < best && (!is_end(vertex) || v == mine))
                relax_row(plan, vertex, weight, label, labels, sub);
            v = vertex.y;
            vertex = next;
            __syncwarp();
        }
        if (lane == 0)
            plan.d_distance[q] = best;
    }
}

}  // namespace

cudaError_t paths_queries_shape(paths_queries_plan *plan, int multiprocessors, size_t *scratch_words)
{
    int fits = 0;
    size_t bytes = 2 * (size_t)plan->height * sizeof(int32_t);
    const bool has_room = bytes <= plan->shared_bytes;
    plan->warps = BLOCK / WARP;
    while (has_room && plan->warps > 1 && (size_t)plan->warps * bytes > plan->shared_bytes)
        plan->warps /= 2;
    bytes = has_room ? (size_t)plan->warps * bytes : 0;
    cudaError_t error = allow_shared(queries, plan->shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fits, queries, plan->warps * WARP, bytes);
    if (error != cudaSuccess)
        return error;
    if (fits == 0)
        return cudaErrorInvalidConfiguration;
    plan->blocks = (has_room ? fits : 1) * multiprocessors;  // the scratch of a tall hierarchy is large
    *scratch_words = has_room ? 0 : (size_t)plan->blocks * (size_t)plan->warps * 2 * (size_t)plan->height;
    return cudaSuccess;
}

cudaError_t paths_launch_queries(const paths_queries_plan *plan, cudaStream_t stream)
{
    const size_t bytes = plan->d_scratch != nullptr ? 0 : (size_t)plan->warps * 2 * (size_t)plan->height * sizeof(int32_t);
    return launch(queries, (unsigned int)plan->blocks, (unsigned int)(plan->warps * WARP), bytes, stream, *plan);
}
