// SPDX-License-Identifier: MIT
// Paths of dense ng tables, traced on a GPU by equality of values (ng.h). A warp has a path. A step looks at the near pairs first, a lane
// each, then at the far predecessors of smaller index, 512 at a time: two rows of 4 stride bytes at most. It waits for memory.
#include "vrp/bound/relax/ng_tables.cuh"

namespace {

constexpr int TRACE_WARPS = 4;

struct path_end {
    int node, load;
    int32_t value;
    uint32_t memory;
};

DEVICE int first_equal(const int4 &base, const int4 &arc, int32_t value)
{
    return base.x + arc.x == value ? 0 : base.y + arc.y == value ? 1 : base.z + arc.z == value ? 2 : base.w + arc.w == value ? 3 : 4;
}

// The customer of the smallest index below `end` whose far arc gives the value, or `end`. A lane reads AHEAD quads before it looks.
DEVICE int far_before(const vrp_ng_device_plan &plan, const int32_t *base, const int32_t *far, int32_t value, int end, int lane)
{
    constexpr int AHEAD = 4, STEP = 4 * WARP;
    for (int i = 0; i < end; i += AHEAD * STEP) {
        int4 bases[AHEAD], arcs[AHEAD];
        int least = end;
#pragma unroll
        for (int t = 0; t < AHEAD; t++) {
            const int at = i + t * STEP + 4 * lane;
            bases[t] = arcs[t] = make_int4(NO_PATH, NO_PATH, NO_PATH, NO_PATH);
            if (at < plan.stride) {
                bases[t] = *reinterpret_cast<const int4 *>(base + at);
                arcs[t] = *reinterpret_cast<const int4 *>(far + at);
            }
        }
#pragma unroll
        for (int t = 0; t < AHEAD; t++) {
            const int place = first_equal(bases[t], arcs[t], value);
            if (place < 4)
                least = min(least, i + t * STEP + 4 * lane + place);
        }
        least = __reduce_min_sync(ALL_LANES, least);
        if (least < end)
            return least;
    }
    return end;
}

// Steps to the predecessor of the smallest index that gives the value. Returns false if there is none.
DEVICE bool step_back(const vrp_ng_device_plan &plan, path_end &t, int lane)
{
    const int load = t.load - plan.d_demand[t.node], row = plan.d_row[load], first = plan.d_first_pair[t.node];
    const int pairs = plan.d_first_pair[t.node + 1] - first;
    const int32_t *const base = base_of(plan, 0, load), *const far = plan.d_far + (int64_t)t.node * plan.stride;
    int from = plan.nodes;
    int32_t arc = 0;
    uint32_t memory = 0;
    for (int a = lane; a - lane < pairs; a += WARP) {
        int own = plan.nodes;
        uint32_t entry = 0;
        int32_t own_arc = 0;
        if (a < pairs) {
            const vrp_ng_device_near near = plan.d_near[first + a];
            entry = plan.d_low[(int64_t)(first + a) * WARP + t.memory % WARP] |
                    plan.d_high[(int64_t)(first + a) * vrp_ng_highs(plan.sets) + t.memory / WARP];
            own_arc = near.arc;
            if (near.from < from && base[near.from] + near.arc <= t.value && (t.memory & near.needed) == near.needed &&
                cell_of(plan, 0, row, near.from)[entry] + near.arc == t.value)
                own = near.from;
        }
        const int least = __reduce_min_sync(ALL_LANES, own);
        if (least < from) {
            const int owner = __ffs((int)__ballot_sync(ALL_LANES, own == least)) - 1;
            from = least;
            arc = __shfl_sync(ALL_LANES, own_arc, owner);
            memory = __shfl_sync(ALL_LANES, entry, owner);
        }
    }
    const int far_from = far_before(plan, base, far, t.value, from, lane);
    if (far_from < from) {
        from = far_from;
        arc = far[from];
        memory = (uint32_t)plan.sets - 1;
    }
    t = {from, load, t.value - arc, memory};
    return from < plan.nodes;
}

// A warp has a path. It ends: each step takes a demand off the load.
__global__ void __launch_bounds__(TRACE_WARPS *WARP) trace(const vrp_ng_device_plan plan, vrp_ng_device_ending *endings, int32_t count,
                                                            int32_t longest, int32_t *paths)
{
    const int own = (int)blockIdx.x * TRACE_WARPS + (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    if (own >= count)
        return;
    const int node = endings[own].node, load = endings[own].load;
    path_end t = {node, load, base_of(plan, 0, load)[node], (uint32_t)plan.sets - 1};
    int begin = longest;
    bool has_more = is_path(t.value);
    while (has_more && begin > 0) {
        begin--;
        if (lane == 0)
            paths[(int64_t)own * longest + begin] = t.node;
        if (t.load == plan.d_demand[t.node])
            break;
        has_more = step_back(plan, t, lane);
    }
    if (lane == 0)
        endings[own].begin = has_more ? begin : longest;
}

}  // namespace

cudaError_t vrp_ng_launch_trace(const vrp_ng_device_plan *plan, vrp_ng_device_ending *d_ending, int32_t count, int32_t longest,
                                int32_t *d_path, cudaStream_t stream)
{
    return launch(trace, dim3((unsigned int)(count + TRACE_WARPS - 1) / TRACE_WARPS), TRACE_WARPS * WARP, 0, stream, *plan, d_ending, count,
                  longest, d_path);
}
