// SPDX-License-Identifier: MIT
// Distances from point to point on a GPU: kernels and launchers. Either a query walks up from both points, or all vertices have
// labels, the distances to and from each ancestor, and a query is a minimum over the common ancestors. The oracle is
// paths_ref_tree().
#include "device/kernel.cuh"
#include "paths/hierarchy/cuda.h"
#include "mco/paths.h"
#include "device/barrier.cuh"

namespace {

using namespace mco;

constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr int BLOCK = 256, HALF = 16, LABEL_BLOCK = 512, LANES_OF_QUERY = 8;

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

// ---- Labels of ancestors

// 32 entries of a row, and what a lane knows of one of the first 32 arcs.
struct label_task {
    int32_t row, begin;          // row of 32 entries; the first ancestor's depth
    int32_t arc, end;
    int2 head;                   // this lane's arc: row and depth of its head, ~depth for an end
    int32_t up, down;
};

DEVICE void load_arc(const paths_ancestors_plan &plan, label_task &t, int32_t a)
{
    t.head = make_int2(0, -1);
    t.up = t.down = NONE;
    if (a >= t.end)
        return;
    t.head = __ldg(reinterpret_cast<const int2 *>(plan.d_head) + a);
    t.up = __ldg(plan.d_up + a);
    t.down = __ldg(plan.d_down + a);
}

// Task i of a level. All vertices of it have the same depth, the level's number.
DEVICE label_task load_task(const paths_ancestors_plan &plan, int32_t level, int32_t first, int64_t i, int lane)
{
    const int32_t parts = level / WARP + 1, part = (int32_t)(i % parts);
    const int4 vertex = __ldg(reinterpret_cast<const int4 *>(plan.d_by_depth) + first + i / parts);
    label_task t;
    t.row = vertex.x + part;
    t.begin = part * WARP;
    t.arc = vertex.y;
    t.end = vertex.z;
    load_arc(plan, t, t.arc + lane);
    return t;
}

DEVICE void run_task(const paths_ancestors_plan &plan, label_task t, int32_t level, int lane)
{
    const int32_t depth = t.begin + lane;
    int32_t to = depth == level ? 0 : NONE, from = to;
    for (int32_t a = t.arc; a < t.end; a += WARP) {
        const int32_t count = min(WARP, t.end - a);
        if (a > t.arc)
            load_arc(plan, t, a + lane);
#pragma unroll 4
        for (int32_t k = 0; k < count; k++) {
            const int32_t row = __shfl_sync(ALL_LANES, t.head.x, k), at = __shfl_sync(ALL_LANES, t.head.y, k);
            const int32_t up = __shfl_sync(ALL_LANES, t.up, k), down = __shfl_sync(ALL_LANES, t.down, k);
            int32_t x = at < 0 && depth == ~at ? 0 : NONE, y = x;
            if (t.begin <= at) {
                const int64_t place = (int64_t)(row + t.begin / WARP) * WARP + lane;
                x = __ldcg(plan.d_to + place);
                y = __ldcg(plan.d_from + place);
            }
            to = min(to, x + up);
            from = min(from, y + down);
        }
    }
    plan.d_to[(int64_t)t.row * WARP + lane] = to;
    plan.d_from[(int64_t)t.row * WARP + lane] = from;
}

// A row has the labels of a vertex for its ancestors by depth, itself included, and NONE up to a multiple of 32. A warp takes 32
// entries of a row: the minimum over the arcs up, whose heads have complete rows, because a barrier ends each
// depth. An arc to an end gives the label of that end alone. The first task of the next depth is loaded before the barrier.
// Shared memory: none. Traffic: 4 bytes an arc and ancestor, from the L2 cache where the rows fit. The limit is this
// traffic, or the barrier and one load a depth. Ends: barrier.cuh; the host cuts long work into launches.
__global__ void __launch_bounds__(LABEL_BLOCK, 2) label_ancestors(const paths_ancestors_plan plan, int32_t begin, int32_t end)
{
    const int lane = threadIdx.x % WARP;
    const int64_t warp = (int64_t)(threadIdx.x / WARP) * gridDim.x + blockIdx.x, warps = (int64_t)gridDim.x * (blockDim.x / WARP);
    uint32_t goal = 0;
    int32_t first = __ldg(plan.d_level + begin), last = __ldg(plan.d_level + begin + 1);
    label_task next = {};
    for (int32_t level = begin; level < end; level++) {
        const int64_t tasks = (int64_t)(last - first) * (level / WARP + 1);
        if (warp < tasks)
            next = load_task(plan, level, first, warp, lane);
        if (level > begin) {
            goal += gridDim.x;
            grid_barrier(plan.d_barrier, goal);
        }
        for (int64_t i = warp; i < tasks; i += warps) {
            if (i != warp)
                next = load_task(plan, level, first, i, lane);
            run_task(plan, next, level, lane);
        }
        first = last;
        last = __ldg(plan.d_level + min(level + 2, plan.levels));
    }
    leave_barriers(plan.d_barrier);
}

// The number of common ancestors of two vertices: the least depth of ranks between them, or all of one vertex.
DEVICE int32_t common_of(const paths_ancestors_plan &plan, int32_t a, int32_t b, int32_t depth)
{
    if (a == b)
        return depth + 1;
    const int32_t low = min(a, b), high = max(a, b), level = 31 - __clz(high - low);
    const uint16_t *const least = plan.d_least + (int64_t)level * plan.vertices;
    return min((int32_t)__ldg(least + low), (int32_t)__ldg(least + high - (1 << level)));
}

DEVICE int32_t join(int32_t best, int32_t to, int32_t from, bool meets)
{
    return meets ? min(best, to + from) : best;
}

// Eight lanes take a query and read 32 labels of both rows at once. The ways meet at a vertex that paths pass through, or where the
// query begins or ends. Shared memory: none. Traffic: 8 bytes a common ancestor, and about 40 bytes. The limit is device
// memory, where the rows do not fit into the L2 cache, or three loads one after the other.
__global__ void __launch_bounds__(BLOCK) join_labels(const paths_ancestors_plan plan, const paths_queries_plan asked)
{
    const int lane = threadIdx.x % LANES_OF_QUERY;
    const int64_t q = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / LANES_OF_QUERY;
    int32_t best = NONE;
    if (q < asked.count) {
        const int32_t source = __ldg(asked.d_source + q), target = __ldg(asked.d_target + q);
        const paths_label_row s = plan.d_row[source], t = plan.d_row[target];
        const int32_t depth = s.depth, common = common_of(plan, source, target, depth), other = t.depth, plain = s.plain;
        const int4 *const to = reinterpret_cast<const int4 *>(plan.d_to + (int64_t)s.row * WARP);
        const int4 *const from = reinterpret_cast<const int4 *>(plan.d_from + (int64_t)t.row * WARP);
        for (int32_t at = 4 * lane; at < common; at += 4 * LANES_OF_QUERY) {
            const int4 x = __ldg(to + at / 4), y = __ldg(from + at / 4);
            auto meets = [&](int32_t d) { return d < common && (d < plain || d == depth || d == other); };
            best = join(best, x.x, y.x, meets(at));
            best = join(best, x.y, y.y, meets(at + 1));
            best = join(best, x.z, y.z, meets(at + 2));
            best = join(best, x.w, y.w, meets(at + 3));
        }
    }
#pragma unroll
    for (int step = 1; step < LANES_OF_QUERY; step *= 2)
        best = min(best, __shfl_xor_sync(ALL_LANES, best, step));
    if (lane == 0 && q < asked.count)
        asked.d_distance[q] = best;
}

}  // namespace

cudaError_t paths_ancestors_shape(paths_ancestors_plan *plan, int multiprocessors)
{
    int fits = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fits, label_ancestors, LABEL_BLOCK, 0);
    if (error != cudaSuccess)
        return error;
    if (fits == 0)
        return cudaErrorInvalidConfiguration;
    plan->blocks = (fits < 2 ? fits : 2) * multiprocessors;
    return cudaSuccess;
}

cudaError_t paths_launch_ancestors(const paths_ancestors_plan *plan, int32_t begin, int32_t end, cudaStream_t stream)
{
    void *arguments[] = {const_cast<paths_ancestors_plan *>(plan), &begin, &end};
    const cudaError_t error = cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(label_ancestors), dim3((unsigned int)plan->blocks),
                                                          dim3(LABEL_BLOCK), arguments, 0, stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}

cudaError_t paths_launch_join(const paths_ancestors_plan *plan, const paths_queries_plan *asked, cudaStream_t stream)
{
    const int64_t threads = (int64_t)asked->count * LANES_OF_QUERY;
    return launch(join_labels, (unsigned int)((threads + BLOCK - 1) / BLOCK), BLOCK, 0, stream, *plan, *asked);
}

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
