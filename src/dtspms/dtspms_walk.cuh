// SPDX-License-Identifier: MIT
// Walks (dtspms_walk.h): a block has a walk, whole steps on the device.
#ifndef MCO_DTSPMS_WALK_CUH
#define MCO_DTSPMS_WALK_CUH

#include "dtspms/dtspms_scan.cuh"

namespace dtspms {

// Of a block, in shared memory.
struct walk_desk {
    dtspms_move moves[DTSPMS_WALK_BATCH];
    int32_t thresholds[DTSPMS_WALK_BATCH];
    int32_t costs[2][DTSPMS_WALK_BATCH];
};

// The walk of a block. Every thread has a copy; what they share is in the desk and in node and position.
struct walk_block {
    const dtspms_device_problem &problem;
    const dtspms_device_walks &walks;
    walk_desk &desk;
    int16_t *const node, *const position;  // in shared memory
    int16_t *const best;
    dtspms_walk_view view;
    dtspms_device_walk walk;

    __device__ walk_block(const dtspms_device_problem &p, const dtspms_device_walks &w, void *s_memory)
        : problem(p), walks(w), desk(*static_cast<walk_desk *>(s_memory)),
          node(reinterpret_cast<int16_t *>(static_cast<walk_desk *>(s_memory) + 1)), position(node + p.orders),
          best(w.best + (int64_t)blockIdx.x * p.orders), walk(w.walk[blockIdx.x])
    {
        view = {p.orders, p.stacks, p.first, node, position, w.stack, w.near, w.near_count};
    }

    __host__ __device__ static size_t bytes(int orders) { return sizeof(walk_desk) + (2 * orders + 2) * sizeof(int16_t); }

    __device__ void put(int at, int32_t of_node) const
    {
        node[at] = (int16_t)of_node;
        position[of_node] = (int16_t)at;
    }

    __device__ void enter() const
    {
        for (int k = (int)threadIdx.x; k < problem.orders; k += (int)blockDim.x)
            put(k, walks.node[(int64_t)blockIdx.x * problem.orders + k]);
        __syncthreads();
    }

    // All neighbours of the next step, spread over the warps: they take different ways.
    __device__ void propose() const
    {
        const int warps = (int)blockDim.x / WARP, warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
        const int neighbour = lane * warps + warp;
        if (neighbour < DTSPMS_WALK_BATCH)
            dtspms_walk_propose(&view, walk.seed, walk.step, neighbour, walk.temperature, walks.logarithms,
                                &desk.moves[neighbour], &desk.thresholds[neighbour]);
        __syncthreads();
    }

    // The first of neighbours 0..count-1 that is accepted, or DTSPMS_WALK_BATCH; the same in all threads.
    __device__ int first_accepted(int count) const
    {
        const int k = (int)threadIdx.x % WARP;
        const bool is_accepted = k < count && desk.costs[0][k] + desk.costs[1][k] <= (int64_t)walk.cost + desk.thresholds[k];
        const uint32_t accepted = __ballot_sync(ALL, is_accepted);
        return accepted != 0 ? __ffs((int)accepted) - 1 : DTSPMS_WALK_BATCH;
    }

    // The neighbour becomes the plan.
    __device__ void accept(int neighbour)
    {
        const dtspms_move &move = desk.moves[neighbour];
        for (int k = (int)threadIdx.x; k < move.count; k += (int)blockDim.x)
            put(move.position[k], move.node[k]);
        walk.cost = desk.costs[0][neighbour] + desk.costs[1][neighbour];
        if (walk.cost >= walk.best_cost)
            return;
        walk.best_cost = walk.cost;
        walk.is_improved = true;
        __syncthreads();
        for (int k = (int)threadIdx.x; k < problem.orders; k += (int)blockDim.x)
            best[k] = node[k];
    }

    __device__ void leave() const
    {
        for (int k = (int)threadIdx.x; k < problem.orders; k += (int)blockDim.x)
            walks.node[(int64_t)blockIdx.x * problem.orders + k] = node[k];
        if (threadIdx.x == 0)
            walks.walk[blockIdx.x] = walk;
    }
};

// ---- Pairs

// Writes a move into one half of the group's list.
template <class S>
__device__ void list_move(const pair_thread<S> &t, const dtspms_device_problem &problem, int network, int half,
                          const dtspms_move &move)
{
    for (int k = t.lane; k < move.count; k += S::G)
        t.change(half, k) = (uint32_t)t.l.step_of(problem, network, move.position[k]) | (uint32_t)move.node[k] << 16;
    if (t.lane == 0)
        t.changes(half) = (uint32_t)move.count;
}

template <class S>
__device__ void list_moves(const pair_thread<S> &t, const dtspms_device_problem &problem, int network,
                           const dtspms_move &first, const dtspms_move &second)
{
    __syncwarp();  // all have read the list before
    list_move(t, problem, network, 0, first);
    list_move(t, problem, network, 1, second);
    __syncwarp();
}

// Half of a block's groups have pickup tours, half delivery tours; a pair of neighbours each, in as many rounds as it takes,
// until one is accepted. Shared: the groups' tables, the matrices where they fit, the plan. Limit: latency of a round.
template <class S>
__global__ void __launch_bounds__(S::WARPS *WARP, 1) walk_pairs(const __grid_constant__ dtspms_device_problem problem,
                                                               const __grid_constant__ dtspms_device_walks walks,
                                                               const bool shares_distances)
{
    extern __shared__ uint32_t s_words[];
    const pair_layout layout = pair_layout::of<S>(problem);
    const int groups = (int)blockDim.x / S::G, group = (int)threadIdx.x / S::G, half_groups = groups / 2;
    const int network = group / half_groups, pair = group % half_groups;
    uint16_t *s_distance = reinterpret_cast<uint16_t *>(s_words + groups * layout.words);
    const int entries = problem.nodes * problem.nodes;
    for (int k = (int)threadIdx.x; k < groups * layout.words; k += (int)blockDim.x)
        s_words[k] = 0;
    for (int k = (int)threadIdx.x; shares_distances && k < 2 * entries; k += (int)blockDim.x)
        s_distance[k] = k < entries ? problem.distance_16[0][k] : problem.distance_16[1][k - entries];
    walk_block block(problem, walks, s_words + groups * layout.words + (shares_distances ? entries : 0));
    block.enter();
    const pair_thread<S> t(s_words + group * layout.words, layout,
                           shares_distances ? s_distance + network * entries : problem.distance_16[network], problem,
                           network);
    t.build(problem, network, walks.node + (int64_t)blockIdx.x * problem.orders);
    for (int step = 0; step < walks.steps; step++, block.walk.step++) {
        int accepted = DTSPMS_WALK_BATCH;
        block.propose();
        for (int done = 0; done < DTSPMS_WALK_BATCH && accepted == DTSPMS_WALK_BATCH;) {
            const int at = done + 2 * pair;
            const int safe = at < DTSPMS_WALK_BATCH ? at : 0;  // a group too many repeats the first pair
            list_moves(t, problem, network, block.desk.moves[safe], block.desk.moves[safe + 1]);
            t.exchange_nodes();
            const uint32_t tours = t.tours();
            t.exchange_nodes();
            if (t.lane == t.owner() && at < DTSPMS_WALK_BATCH) {
                block.desk.costs[network][at] = (int32_t)(tours & HALF);
                block.desk.costs[network][at + 1] = (int32_t)(tours >> 16);
            }
            done = done + 2 * half_groups < DTSPMS_WALK_BATCH ? done + 2 * half_groups : DTSPMS_WALK_BATCH;
            block.walk.tours += 2 * (done - (at - 2 * pair));
            __syncthreads();
            accepted = block.first_accepted(done);
        }
        if (accepted < DTSPMS_WALK_BATCH) {
            list_moves(t, problem, network, block.desk.moves[accepted], block.desk.moves[accepted]);
            t.exchange_nodes();
            block.accept(accepted);
        }
        __syncthreads();
    }
    block.leave();
}

// ---- Plain

// A thread has a neighbour in one network.
template <int STACKS>
__global__ void __launch_bounds__(DTSPMS_PLAIN_THREADS) walk_plain(const __grid_constant__ dtspms_device_problem problem,
                                                                  const __grid_constant__ dtspms_device_walks walks,
                                                                  int32_t *tables)
{
    extern __shared__ uint32_t s_words[];
    const int64_t threads = (int64_t)gridDim.x * DTSPMS_PLAIN_THREADS;
    const int network = (int)threadIdx.x / DTSPMS_WALK_BATCH, neighbour = (int)threadIdx.x % DTSPMS_WALK_BATCH;
    const plain_thread t(problem, network, tables + (int64_t)blockIdx.x * DTSPMS_PLAIN_THREADS + threadIdx.x, threads);
    walk_block block(problem, walks, s_words);
    block.enter();
    t.build(block.node);
    for (int step = 0; step < walks.steps; step++, block.walk.step++) {
        block.propose();
        const dtspms_move &move = block.desk.moves[neighbour];
        for (int k = 0; k < move.count; k++)
            t.set(move.position[k], move.node[k]);
        block.desk.costs[network][neighbour] = t.template tour<STACKS>();
        for (int k = 0; k < move.count; k++)
            t.set(move.position[k], block.node[move.position[k]]);
        block.walk.tours += 2 * DTSPMS_WALK_BATCH;
        __syncthreads();
        const int accepted = block.first_accepted(DTSPMS_WALK_BATCH);
        if (accepted < DTSPMS_WALK_BATCH) {
            const dtspms_move &taken = block.desk.moves[accepted];
            for (int k = 0; k < taken.count; k++)
                t.set(taken.position[k], taken.node[k]);
            block.accept(accepted);
        }
        __syncthreads();
    }
    block.leave();
}

}  // namespace dtspms
#endif
