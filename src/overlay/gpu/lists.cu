// SPDX-License-Identifier: MIT
// Lists of near links: the links of a row that can matter in the next jumps come to its front, and sweeps look no farther.
//
// Near the optimum a node has few links whose excess comes near its dual: those of weights about p_i^2 where weights are products. A look at
// a dual sees a link only where its excess is above. So links whose excess stays below all duals that are looked at may be left out, and
// every sum is the same. A list says below which dual it is not enough (d_floor), and each node up to where its neighbours' lists allow it to
// fall (d_lowest). A sweep that looks lower takes the whole row; a node that falls lower makes its neighbours' rows whole again.
//
// Mapping: a warp a row, as in sweep.cu; rows of more than 1,024 links have no lists. Bytes: as a sweep, and each entry is written, 8 or 16 bytes a
// link more. So a list takes a bit longer than a sweep of whole rows, and saves most of each later one.
#include "overlay/gpu/rows.cuh"

namespace {

constexpr int WARPS = OVERLAY_GPU_BLOCK / WARP, NODES_A_LOOK = 16, BLOCKS_OF_NODES = 4096;

struct list_task {
    overlay_gpu_plan plan;
    int64_t first, end, tick;
    uint32_t half;  // of the ramp's width
};

DEVICE uint32_t less(uint32_t value, uint64_t way)
{
    return way < value ? value - (uint32_t)way : 0;
}

DEVICE uint64_t reach_of(const overlay_gpu_plan &p, int64_t i)
{
    const uint32_t reach = p.d_reach[i];
    return reach > LEAST_REACH ? reach : LEAST_REACH;
}

// How far a node may fall: some times its last way, and a bit that lets lists live longer.
DEVICE uint64_t fall_of(const overlay_gpu_plan &p, int64_t i)
{
    constexpr uint64_t MORE = 6442451;  // 0.0015
    return 3 * reach_of(p, i) + MORE;
}

// The lowest duals go to the side of the nodes that the next sweep writes, so that a gather finds them, and to the other parts.
__global__ void __launch_bounds__(OVERLAY_GPU_BLOCK) prepare(const __grid_constant__ list_task t)
{
    const overlay_gpu_plan &p = t.plan;
    const overlay_gpu_state &s = p.d_state[t.tick % OVERLAY_GPU_SLOTS];
    const int side = s.side;
    if (s.is_ended != 0)
        return;
    for (int64_t i = p.first_node + (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.end_node; i += (int64_t)gridDim.x * blockDim.x) {
        const uint32_t dual = p.d_node[side][i].dual, lowest = less(dual, fall_of(p, i));
        tell_others(p, t.tick, (int32_t)i, lowest, 1, 0);
        p.d_lowest[i] = lowest;
        p.d_floor[i] = less(dual, fall_of(p, i) + 2 * reach_of(p, i) + t.half);
        p.d_node[side ^ 1][i].dual = lowest;
    }
}

// Those of the other parts' nodes.
__global__ void __launch_bounds__(OVERLAY_GPU_BLOCK) hear(const __grid_constant__ list_task t)
{
    const overlay_gpu_plan &p = t.plan;
    const overlay_gpu_state &s = p.d_state[t.tick % OVERLAY_GPU_SLOTS];
    const uint32_t *told = p.inbox.duals + t.tick % OVERLAY_GPU_SLOTS * p.nodes;
    if (s.is_ended != 0)
        return;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.nodes; i += (int64_t)gridDim.x * blockDim.x)
        if (i < p.first_node || i >= p.end_node)
            p.d_node[s.side ^ 1][i].dual = told[i];
}

template <int K> __global__ void __launch_bounds__(OVERLAY_GPU_BLOCK) list_rows(const __grid_constant__ list_task t)
{
    const overlay_gpu_plan &p = t.plan;
    const overlay_gpu_state &s = p.d_state[t.tick % OVERLAY_GPU_SLOTS];
    const overlay_gpu_node *nodes = p.d_node[s.side ^ 1];
    const int warp = (int)(threadIdx.x / WARP), lane = (int)(threadIdx.x % WARP);
    int looked = 0;
    if (s.is_ended != 0)
        return;
    for (int64_t row = t.first + (int64_t)blockIdx.x * WARPS + warp; row < t.end; row += (int64_t)gridDim.x * WARPS) {
        const int32_t i = p.d_order != nullptr ? p.d_order[row] : (int32_t)row;
        const int64_t first = row_begin(p, i);
        const int32_t size = (int32_t)(row_begin(p, i + 1) - first);
        const uint32_t uptime = node_at(nodes, i).uptime, floor = p.d_floor[i];
        int32_t to[K], most[K], near = 0, far = 0;
        uint32_t weight[K], is_near = 0;
        if (looked++ % NODES_A_LOOK == 0 && __any_sync(ALL_LANES, load_word(p.d_stop) != 0))
            break;
#pragma unroll
        for (int k = 0; k < K; k++) {
            const int64_t at = first + k * WARP + lane;
            const bool is_link = k * WARP + lane < size;
            to[k] = is_link ? p.d_to[at] : 0;
            weight[k] = is_link && p.d_weight != nullptr ? p.d_weight[at] : 0;
            most[k] = is_link && p.d_most != nullptr ? p.d_most[at] : 0;
        }
#pragma unroll
        for (int k = 0; k < K; k++) {
            const overlay_gpu_node other = node_at(nodes, to[k]);
            const uint32_t of_link = p.d_weight != nullptr ? weight[k] : __umulhi(uptime, other.uptime);
            const bool counts = k * WARP + lane < size && above(of_link, other.dual) > floor;
            is_near |= counts ? 1u << k : 0;
            near += __popc(__ballot_sync(ALL_LANES, counts));
        }
        if (near < size) {
            far = near;
            near = 0;
            __syncwarp();
#pragma unroll
            for (int k = 0; k < K; k++) {
                const bool counts = (is_near >> k & 1) != 0, is_link = k * WARP + lane < size;
                const unsigned int with = __ballot_sync(ALL_LANES, counts), without = __ballot_sync(ALL_LANES, is_link && !counts);
                const unsigned int before = (1u << lane) - 1;
                const int64_t at = first + (counts ? near + __popc(with & before) : far + __popc(without & before));
                if (is_link) {
                    p.d_to[at] = to[k];
                    if (p.d_weight != nullptr)
                        p.d_weight[at] = weight[k];
                    if (p.d_most != nullptr)
                        p.d_most[at] = most[k];
                }
                near += __popc(with);
                far += __popc(without);
            }
        }
        if (lane == 0)
            p.d_near[i] = near < size ? near : INT32_MAX;
    }
}

typedef void list_kernel(const list_task);

dim3 blocks_of_nodes(int32_t nodes)
{
    const int64_t blocks = ((int64_t)nodes + OVERLAY_GPU_BLOCK - 1) / OVERLAY_GPU_BLOCK;
    return dim3((unsigned int)(blocks < 1 ? 1 : blocks < BLOCKS_OF_NODES ? blocks : BLOCKS_OF_NODES));
}

}  // namespace

extern "C" cudaError_t overlay_gpu_launch_falls(const overlay_gpu_plan *plan, int64_t tick, uint32_t width, cudaStream_t stream)
{
    const list_task task = {*plan, 0, 0, tick, width / 2};
    return launch(prepare, blocks_of_nodes(plan->end_node - plan->first_node), OVERLAY_GPU_BLOCK, 0, stream, task);
}

extern "C" cudaError_t overlay_gpu_launch_lists(const overlay_gpu_plan *plan, int64_t tick, cudaStream_t stream)
{
    static list_kernel *const kernels[OVERLAY_GPU_WARP_CLASSES] = {list_rows<1>, list_rows<4>, list_rows<8>, list_rows<32>};
    list_task task = {*plan, 0, 0, tick, 0};
    cudaError_t error = plan->mails == 0 ? cudaSuccess : launch(hear, blocks_of_nodes(plan->nodes), OVERLAY_GPU_BLOCK, 0, stream, task);
    for (int c = 0; c < OVERLAY_GPU_WARP_CLASSES && error == cudaSuccess; c++) {
        task.first = plan->classes[c].first;
        task.end = plan->classes[c].end;
        if (task.first < task.end)
            error = launch(kernels[c], dim3((unsigned int)plan->blocks[c]), OVERLAY_GPU_BLOCK, 0, stream, task);
    }
    return error;
}
