// SPDX-License-Identifier: MIT
// A crowd on a GPU (vrp/search/crowd.cuh): what the walk of a part has in memory, distances, and random numbers.
#ifndef MCO_VRP_SEARCH_CROWD_STATE_CUH
#define MCO_VRP_SEARCH_CROWD_STATE_CUH

#include "base/rng.h"
#include "device/kernel.cuh"
#include "vrp/search/crowd_cuda.h"

namespace vrp_crowds {

using namespace mco;

constexpr int LANES = VRP_CROWD_LANES;
constexpr int32_t NOWHERE = 0x7fffffff;    // greater than every change of cost and every load
constexpr uint16_t MOVED = 0xffff;         // position of a customer taken out since the last accepted step
constexpr float BLINK = 0.01f;             // chance that the cheapest place is passed over
constexpr float SPLIT = 0.5f;              // share of the strings that keep some customers in their middle
constexpr float SPLIT_ENDS = 0.01f;        // chance that the middle ends here; else it grows by one customer
constexpr int STEPS_BETWEEN_LOOKS = 256;    // at *stop
constexpr int MOST_MOVES = 8;              // of the improvement around one customer
constexpr uint32_t NEAR_TAILS = 10;        // neighbours among which the other customer of an exchange of ends is drawn
constexpr float TAILS_HEAT = 0.3f;         // temperature of exchanges of route ends, relative to that of steps
constexpr int TOUCHED = 4 * VRP_CROWD_REMOVED + 2 * VRP_CROWD_REMOVED;
constexpr int RINGS = 2 * VRP_CROWD_REMOVED;

// What a warp has in shared memory.
struct shared_part {
    uint16_t own[VRP_CROWD_OWN];                 // rings of the part
    uint16_t removed[VRP_CROWD_REMOVED];         // customers taken out, in the order in which they come back
    uint16_t ring[VRP_CROWD_REMOVED], position[VRP_CROWD_REMOVED];  // where each was
    uint16_t touched[TOUCHED];                   // other nodes whose links changed
    uint16_t changed[RINGS];                     // rings that changed, each once
};

// A sum over the lanes up to this one.
DEVICE int32_t scan(int32_t value, int lane)
{
    for (int d = 1; d < LANES; d *= 2) {
        const int32_t other = __shfl_up_sync(ALL_LANES, value, (unsigned int)d);
        value += lane >= d ? other : 0;
    }
    return value;
}

// Where a node is: a point, or a row of the matrix.
template <bool IS_MATRIX> struct spot {
    float2 at;
};
template <> struct spot<true> {
    int row;
};

template <bool IS_MATRIX> DEVICE spot<IS_MATRIX> spot_of(const vrp_crowd &crowd, int id)
{
    const int row = id <= crowd.customers ? id : 0;
    if constexpr (IS_MATRIX)
        return {row};
    else
        return {__ldg(reinterpret_cast<const float2 *>(crowd.xy) + row)};
}

DEVICE int32_t distance_between(const vrp_crowd &crowd, spot<false> a, spot<false> b)
{
    const float dx = a.at.x - b.at.x, dy = a.at.y - b.at.y;
    return __float2int_rn(approximate_root(dx * dx + dy * dy) + crowd.bump);
}

DEVICE int32_t distance_between(const vrp_crowd &crowd, spot<true> a, spot<true> b)
{
    return __ldg(crowd.matrix + (int64_t)a.row * (crowd.customers + 1) + b.row);
}

// Lists of a step, and the copy. All lanes have the same numbers, but for the random ones.
template <bool IS_MATRIX, bool HAS_LENGTH> struct crowd_state {
    const vrp_crowd &crowd;
    const vrp_crowd_plan &plan;
    const int lane, customers, nowhere, part;
    vrp_crowd_node *const node;                  // of the copy, like all below
    int32_t *const load_to, *const length_to;
    vrp_crowd_ring *const ring;
    uint16_t *const lines, *const scratch;
    shared_part *const s;
    uint32_t stream = 0, drawn = 0, draws = 0;
    int own = 0, own_customers = 0, used = 0, longest_seed = 0;
    int removed = 0, touched = 0, changed = 0;   // lengths of the lists
    int order = 0;                               // the customer that comes back as number `lane`
    int64_t cost = 0;                            // change since the launch

    __device__ crowd_state(const vrp_crowd &c, const vrp_crowd_plan &p, int64_t copy, int32_t of_part, shared_part *shared)
        : crowd(c), plan(p), lane((int)threadIdx.x % LANES), customers(c.customers), nowhere(c.rings), part(of_part),
          node(c.node + copy * c.nodes), load_to(c.load_to + copy * c.nodes), length_to(c.length_to + copy * c.nodes),
          ring(c.ring + copy * (c.rings + 1)), lines(c.line + copy * c.rings * c.room),
          scratch(c.scratch + (copy * c.parts + of_part) * 2 * c.room), s(shared)
    {
    }

    __device__ int depot(int r) const { return customers + 1 + r; }
    __device__ uint16_t *line(int r) const { return lines + (int64_t)r * crowd.room; }
    __device__ int32_t demand(int c) const { return c <= customers ? __ldg(crowd.demand + c) : 0; }
    __device__ int32_t service(int c) const { return HAS_LENGTH && c <= customers ? __ldg(crowd.service + c) : 0; }
    // The neighbour of c for this lane; 0: none.
    __device__ int near(int c) const { return __ldg(crowd.near + c * LANES + lane); }

    // A node in one read of 16 bytes.
    __device__ vrp_crowd_node read(int id) const
    {
        const int4 words = *reinterpret_cast<const int4 *>(node + id);
        vrp_crowd_node out;
        out.next = (uint16_t)words.x;
        out.prev = (uint16_t)((uint32_t)words.x >> 16);
        out.ring = (uint16_t)words.y;
        out.position = (uint16_t)((uint32_t)words.y >> 16);
        out.edge = words.z;
        out.back = words.w;
        return out;
    }

    __device__ void write(int id, int next, int prev, int r, int position, int32_t edge, int32_t back) const
    {
        const int4 words = {(int)((uint32_t)next | (uint32_t)prev << 16), (int)((uint32_t)r | (uint32_t)position << 16), edge,
                            back};
        *reinterpret_cast<int4 *>(node + id) = words;
    }

    __device__ vrp_crowd_ring read_ring(int r) const
    {
        const int4 words = *reinterpret_cast<const int4 *>(ring + r);
        return {words.x, words.y, words.z, words.w};
    }

    // ---- Random numbers: each lane draws from a stream of its own, and all lanes read some of the numbers drawn

    __device__ void draw()
    {
        uint32_t x = stream + 0x9e3779b9u * ++draws;
        x = (x ^ x >> 16) * 0x7feb352du;
        x = (x ^ x >> 15) * 0x846ca68bu;
        drawn = x ^ x >> 16;
    }

    __device__ uint32_t drawn_by(int of_lane) const { return __shfl_sync(ALL_LANES, drawn, of_lane); }
    __device__ int below(int of_lane, int limit) const { return (int)__umulhi(drawn_by(of_lane), (uint32_t)limit); }
    static __device__ float as_real(uint32_t number) { return (float)(number >> 8) * 0x1p-24f; }
    __device__ float real(int of_lane) const { return as_real(drawn_by(of_lane)); }

    // ---- Distances

    __device__ spot<IS_MATRIX> place(int id) const { return spot_of<IS_MATRIX>(crowd, id); }
    __device__ int32_t between(spot<IS_MATRIX> a, spot<IS_MATRIX> b) const { return distance_between(crowd, a, b); }
    __device__ int32_t distance(int a, int b) const { return between(place(a), place(b)); }

    // ---- Lists of a step

    __device__ void touch(int id)
    {
        if (lane == 0)
            s->touched[touched] = (uint16_t)id;
        touched++;
    }

    __device__ void change_ring(int r)
    {
        const bool is_known =
            (lane < changed && s->changed[lane] == r) || (lane + LANES < changed && s->changed[lane + LANES] == r);
        if (__any_sync(ALL_LANES, is_known))
            return;
        if (lane == 0)
            s->changed[changed] = (uint16_t)r;
        changed++;
        __syncwarp();
    }

    __device__ void join(int from, int to, int32_t along) const
    {
        node[from].next = (uint16_t)to;
        node[from].edge = along;
        node[to].prev = (uint16_t)from;
        node[to].back = along;
    }
};

}  // namespace vrp_crowds
#endif
