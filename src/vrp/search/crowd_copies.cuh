// SPDX-License-Identifier: MIT
// A crowd on a GPU (vrp/search/crowd.cuh): copies of copies, the best parts of all copies, and how copies are cut into parts.
#ifndef MCO_VRP_SEARCH_CROWD_COPIES_CUH
#define MCO_VRP_SEARCH_CROWD_COPIES_CUH

#include "vrp/search/crowd_state.cuh"

namespace vrp_crowds {

template <class T> DEVICE void copy_items(T *table, int64_t from, int64_t to, int64_t stride)
{
    for (int64_t k = threadIdx.x; k < stride; k += blockDim.x)
        table[to * stride + k] = table[from * stride + k];
}

// Block k makes copy to[k] equal to copy from[k].
__global__ void copy_crowd(const __grid_constant__ vrp_crowd crowd, const int32_t *from, const int32_t *to)
{
    const int64_t a = from[blockIdx.x], b = to[blockIdx.x], lists = (int64_t)crowd.rings * crowd.room;
    copy_items(reinterpret_cast<int4 *>(crowd.node), a, b, crowd.nodes);
    copy_items(reinterpret_cast<int4 *>(crowd.ring), a, b, crowd.rings + 1);
    copy_items(reinterpret_cast<int4 *>(crowd.line), a, b, lists * (int)sizeof *crowd.line / (int)sizeof(int4));
    copy_items(crowd.load_to, a, b, crowd.nodes);
    if (crowd.has_length)
        copy_items(crowd.length_to, a, b, crowd.nodes);
    if (threadIdx.x == 0)
        crowd.cost[b] = crowd.cost[a];
}

// Gives copy 0 each part of the copy that changed it to the least cost, or that of copy `before` if none improved it. All
// were equal to that one before their walks, and cut alike; that one was not cut. Block k has part k.
__global__ void gather_crowd(const __grid_constant__ vrp_crowd crowd, int32_t before)
{
    __shared__ int s_best;
    const int part = (int)blockIdx.x;
    if (threadIdx.x == 0) {
        int best = 0;
        for (int copy = 1; copy < crowd.copies; copy++)
            if (crowd.change[(int64_t)copy * crowd.parts + part] < crowd.change[(int64_t)best * crowd.parts + part])
                best = copy;
        const int64_t change = crowd.change[(int64_t)best * crowd.parts + part];
        s_best = change < 0 ? best : before;
        atomicAdd((unsigned long long *)crowd.cost, (unsigned long long)((change < 0 ? change : 0) - crowd.change[part]));
    }
    __syncthreads();
    const int64_t best = s_best;
    if (best == 0)
        return;
    const vrp_crowd_ring *ring = crowd.ring + best * (crowd.rings + 1);
    const uint16_t *lines = crowd.line + best * crowd.rings * crowd.room;
    for (int r = 0; r < crowd.rings; r++) {
        if (crowd.ring[r].part != part)
            continue;
        for (int k = (int)threadIdx.x; k <= ring[r].count; k += (int)blockDim.x) {
            const int id = k < ring[r].count ? lines[(int64_t)r * crowd.room + k] : crowd.customers + 1 + r;
            crowd.node[id] = crowd.node[best * crowd.nodes + id];
            crowd.load_to[id] = crowd.load_to[best * crowd.nodes + id];
            if (crowd.has_length)
                crowd.length_to[id] = crowd.length_to[best * crowd.nodes + id];
            if (k < ring[r].count)
                crowd.line[(int64_t)r * crowd.room + k] = (uint16_t)id;
        }
        if (threadIdx.x == 0)
            crowd.ring[r] = {ring[r].load, ring[r].length, ring[r].count, part};
    }
}

// A group of parts under way: `count` parts from `first` on.
struct group {
    int first, count;
};

// The group that holds part `first` after so many halvings.
DEVICE group group_of(int parts, int first, int halvings)
{
    group g = {0, parts};
    for (int k = 0; k < halvings && g.count > 1; k++) {
        const int half = g.count / 2;
        g = first < g.first + half ? group{g.first, half} : group{g.first + half, g.count - half};
    }
    return g;
}

// How much nearer route r lies to one customer than to another, both drawn.
template <bool IS_MATRIX>
DEVICE float nearer(const vrp_crowd &crowd, const vrp_crowd_ring *ring, const uint16_t *lines, int r, uint64_t seed)
{
    const uint64_t first = mco_splitmix64(&seed), second = mco_splitmix64(&seed);
    const spot<IS_MATRIX> a = spot_of<IS_MATRIX>(crowd, (int)(1 + first % (uint32_t)crowd.customers));
    const spot<IS_MATRIX> b = spot_of<IS_MATRIX>(crowd, (int)(1 + second % (uint32_t)crowd.customers));
    float sum = 0;
    for (int k = 0; k < ring[r].count; k++) {
        const spot<IS_MATRIX> c = spot_of<IS_MATRIX>(crowd, lines[(int64_t)r * crowd.room + k]);
        sum += (float)(distance_between(crowd, c, a) - distance_between(crowd, c, b));
    }
    return sum / (float)max(ring[r].count, 1);
}

// The part or group of parts of route r after its group is halved: its routes are sorted by `key`, and each half gets
// customers for its parts. A warp asks for one route.
DEVICE int half_of(const vrp_crowd &crowd, const vrp_crowd_ring *ring, const float *key, int r, group g, int lane)
{
    int64_t before = 0, all = 0;
    for (int k = lane; k < crowd.rings; k += LANES) {
        const int count = ring[k].part == g.first ? ring[k].count : 0;
        all += count;
        before += key[k] < key[r] || (key[k] == key[r] && k < r) ? count : 0;
    }
    const int64_t middle = 2 * (int64_t)__reduce_add_sync(ALL_LANES, (int)before) + ring[r].count;
    const int64_t sum = __reduce_add_sync(ALL_LANES, (int)all);
    const int half = g.count / 2;
    return middle * g.count < 2 * sum * half ? g.first : g.first + half;
}

// Cuts a copy into parts of about as many customers: halves of halves, each along a line of its own, so that parts are
// compact. Empty routes go to the parts in turn. A block has a copy.
template <bool IS_MATRIX>
__global__ void cut_crowd(const __grid_constant__ vrp_crowd crowd, uint64_t seed, bool is_same)
{
    const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES, warps = (int)blockDim.x / LANES;
    const int64_t copy = blockIdx.x;
    vrp_crowd_ring *ring = crowd.ring + copy * (crowd.rings + 1);
    const uint16_t *lines = crowd.line + copy * crowd.rings * crowd.room;
    float *key = crowd.key + copy * crowd.rings;
    int32_t *next = crowd.next_part + copy * crowd.rings;
    seed += is_same ? 0 : (uint64_t)copy * 0xd1342543de82ef95u;
    for (int r = (int)threadIdx.x; r < crowd.rings; r += (int)blockDim.x)
        ring[r].part = 0;
    __syncthreads();
    for (int level = 0; 1 << level < 2 * crowd.parts - 1; level++) {
        for (int r = (int)threadIdx.x; r < crowd.rings; r += (int)blockDim.x)
            key[r] = nearer<IS_MATRIX>(crowd, ring, lines, r,
                                       seed + (uint64_t)(level * crowd.parts + ring[r].part) * 0x2545f4914f6cdd1du);
        __syncthreads();
        for (int r = warp; r < crowd.rings; r += warps) {
            const group g = group_of(crowd.parts, ring[r].part, level);
            const int part = g.count > 1 ? half_of(crowd, ring, key, r, g, lane) : g.first;
            if (lane == 0)
                next[r] = part;
        }
        __syncthreads();
        for (int r = (int)threadIdx.x; r < crowd.rings; r += (int)blockDim.x)
            ring[r].part = next[r];
        __syncthreads();
    }
    for (int r = warp; r < crowd.rings; r += warps) {
        int before = 0;
        for (int k = lane; k < r && ring[r].count == 0; k += LANES)
            before += ring[k].count == 0;
        before = __reduce_add_sync(ALL_LANES, before);
        if (lane == 0 && ring[r].count == 0)
            ring[r].part = before % crowd.parts;
    }
}

}  // namespace vrp_crowds
#endif
