// SPDX-License-Identifier: MIT
// Trees of many sources on a GPU: kernels and launchers. A tree is the labels on the source's way up, and then a sweep down in which
// a vertex takes the minimum over its upper neighbours. Lanes are sources, so that a warp shares each arc. A cell (tables.h)
// is the work of one warp, or of a few that share its nodes; its rows of labels lie in shared memory. The oracle is
// paths_ref_tree().
//
// Order of launches: trace (once for the same sources), walk, levels, tiers from the top, ends. Each kernel waits for the one before it
// and only then lets the next one begin. So when a kernel begins, the one before the one before it has ended: cells may load
// their arcs while a walk still runs, because customising comes before the walk.
#include "device/kernel.cuh"
#include "paths/hierarchy/cuda.h"
#include "mco/paths.h"
#include "device/barrier.cuh"

namespace {

using namespace mco;

constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr int WALK_BLOCK = 128, WALK_ALL_BLOCK = 256, WALK_AHEAD = 4, HIGH_BLOCK = 512, DENSE_BLOCK = 1024, ROWS_TILE = 32, ROWS_BLOCK = 256;

// ---- The labels of a lane: of one source, or of two side by side

DEVICE int32_t lower(int32_t best, int32_t label, int32_t weight)
{
    return __viaddmin_s32(label, weight, best);
}
DEVICE int2 lower(int2 best, int2 label, int32_t weight)
{
    return make_int2(__viaddmin_s32(label.x, weight, best.x), __viaddmin_s32(label.y, weight, best.y));
}
DEVICE int32_t least(int32_t a, int32_t b) { return min(a, b); }
DEVICE int2 least(int2 a, int2 b) { return make_int2(min(a.x, b.x), min(a.y, b.y)); }
DEVICE void clear(int32_t &v) { v = NONE; }
DEVICE void clear(int2 &v) { v = make_int2(NONE, NONE); }

template <int PER_LANE> struct lane_of;
template <> struct lane_of<1> {
    using value = int32_t;
};
template <> struct lane_of<2> {
    using value = int2;
};

DEVICE bool is_below(int32_t source, int32_t vertex, int32_t size)
{
    return source <= vertex && source > vertex - size;
}

// The label that the walk left at a vertex, for sources below it; NONE for others.
DEVICE int32_t walked(const int32_t *label, int32_t source, int32_t vertex, int32_t size)
{
    return is_below(source, vertex, size) ? __ldcg(label) : NONE;
}
DEVICE int2 walked(const int2 *label, int2 source, int32_t vertex, int32_t size)
{
    const int32_t *both = reinterpret_cast<const int32_t *>(label);
    return make_int2(walked(both, source.x, vertex, size), walked(both + 1, source.y, vertex, size));
}
// The same of a label that has been loaded.
DEVICE int32_t of_walk(int32_t label, int32_t source, int32_t vertex, int32_t size)
{
    return is_below(source, vertex, size) ? label : NONE;
}
DEVICE int2 of_walk(int2 label, int2 source, int32_t vertex, int32_t size)
{
    return make_int2(of_walk(label.x, source.x, vertex, size), of_walk(label.y, source.y, vertex, size));
}
DEVICE bool touches(int32_t source, int32_t low, int32_t high) { return source >= low && source <= high; }
DEVICE bool touches(int2 source, int32_t low, int32_t high) { return touches(source.x, low, high) || touches(source.y, low, high); }

// ---- Ways up

// A warp follows a source's way to its root. The parent of a vertex is mostly the next one: a warp looks at 32 vertices and
// takes those up to the first whose parent lies farther. Shared memory: none. Traffic: 16 bytes read and written a step. The
// limit is the latency of a load for each run. Ends: ranks ascend.
__global__ void __launch_bounds__(WALK_BLOCK) trace(const paths_trees_plan plan)
{
    const int lane = threadIdx.x % WARP, q = (int)((blockIdx.x * blockDim.x + threadIdx.x) / WARP);
    wait_for_kernel_before();
    let_next_begin();
    if (q >= plan.count)
        return;
    paths_step *const steps = plan.d_step + (int64_t)q * plan.height;
    const int32_t source = plan.d_source[q];
    int32_t v = source, n = 0;
    while (v >= 0) {
        const int32_t u = v + lane;
        int4 vertex = make_int4(0, -1, 1, 0);
        if (u < plan.vertices)
            vertex = __ldg(reinterpret_cast<const int4 *>(plan.d_vertex) + u);
        const unsigned int breaks = __ballot_sync(ALL_LANES, vertex.y != u + 1);
        const int last = breaks == 0 ? WARP - 1 : __ffs((int)breaks) - 1;
        if (lane <= last) {
            const bool relaxes = vertex.z > 0 || u == source;
            const int32_t end = vertex.x + (relaxes ? (int32_t)((uint32_t)vertex.w & 0xffff) : 0);
            const int32_t before = __ldg(plan.d_way_arcs + source) - __ldg(plan.d_way_arcs + u);
            reinterpret_cast<int4 *>(steps)[n + lane] = make_int4(vertex.x, end, u, before);
        }
        n += last + 1;
        v = __shfl_sync(ALL_LANES, vertex.y, last);
    }
    if (lane == 0)
        plan.d_steps[q] = n;
}

struct row_part {
    int32_t height, weight;
};

// This lane's entry among the first 32 of a row, or one that changes nothing.
DEVICE row_part load_part(const paths_trees_plan &plan, int2 row, int lane)
{
    row_part part = {plan.height - 1, NONE};
    if (row.x + lane < row.y) {
        part.height = __ldg(plan.d_head_height + row.x + lane);
        part.weight = plan.d_up[row.x + lane];
    }
    return part;
}

// A warp walks up from a source: at each step all lanes relax the row of a vertex. Labels are indexed by height; a row has
// each height once. Rows of the next steps are on their way meanwhile. Then the labels go to their places in the table.
// Shared memory: 12 bytes a height and warp; without room for it, IN_SHARED is false and the labels lie in device memory.
// Traffic: 6 bytes for each arc, from the L2 cache. The limit is the chain of steps, about 100 cycles each.
template <bool IN_SHARED> __global__ void __launch_bounds__(WALK_BLOCK) walk(const paths_trees_plan plan)
{
    const int lane = threadIdx.x % WARP, q = (int)((blockIdx.x * blockDim.x + threadIdx.x) / WARP);
    wait_for_kernel_before();
    let_next_begin();
    if (q >= plan.count)
        return;
    const int32_t n = plan.d_steps[q], height = plan.height, bottom = height - n;
    const int4 *const steps = reinterpret_cast<const int4 *>(plan.d_step + (int64_t)q * height);
    int2 *rows = nullptr;
    int32_t *labels;
    if constexpr (IN_SHARED) {
        // The rows of all warps come first: they need 8 bytes of alignment.
        const int warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
        rows = dynamic_shared<int2>() + (int64_t)warp * height;
        labels = reinterpret_cast<int32_t *>(dynamic_shared<int2>() + (int64_t)warps * height) + (int64_t)warp * height;
        for (int32_t i = lane; i < n; i += WARP) {
            const int4 step = steps[i];
            rows[i] = make_int2(step.x, step.y);
        }
    } else {
        labels = plan.d_walk + (int64_t)q * height;
    }
    for (int32_t i = bottom + lane; i < height; i += WARP)
        labels[i] = i == bottom ? 0 : NONE;
    __syncwarp();
    auto row_of = [&](int32_t i) {
        if (i >= n)
            return make_int2(0, 0);
        if constexpr (IN_SHARED)
            return rows[i];
        const int4 step = steps[i];
        return make_int2(step.x, step.y);
    };
    int2 row[WALK_AHEAD];
    row_part part[WALK_AHEAD];
#pragma unroll
    for (int d = 0; d < WALK_AHEAD; d++) {
        row[d] = row_of(d);
        part[d] = load_part(plan, row[d], lane);
    }
    for (int32_t i = 0; i < n; i += WALK_AHEAD) {
#pragma unroll
        for (int d = 0; d < WALK_AHEAD; d++) {
            const int32_t label = i + d < n ? labels[bottom + i + d] : NONE;
            if (label < NONE) {
                const int32_t sum = label + part[d].weight;
                if (part[d].weight < NONE && sum < labels[part[d].height])
                    labels[part[d].height] = sum;
                for (int32_t a = row[d].x + WARP + lane; a < row[d].y; a += WARP) {
                    const int32_t at = __ldg(plan.d_head_height + a), other = label + plan.d_up[a];
                    if (other < labels[at])
                        labels[at] = other;
                }
            }
            row[d] = row_of(i + d + WALK_AHEAD);
            part[d] = load_part(plan, row[d], lane);
            __syncwarp();
        }
    }
    const int lanes = PATHS_LANES * plan.per_lane;
    int32_t *const out = plan.d_label + (int64_t)(q / lanes) * plan.vertices * lanes + q % lanes;
    for (int32_t i = lane; i < n; i += WARP)
        out[(int64_t)steps[i].z * lanes] = labels[bottom + i];
}

// A block walks up from a source. All warps bring the arcs of the way to shared memory, where arc k of the way has place k; then the
// first warp takes the steps as in walk(). Shared memory: paths_walk_block_bytes(). Traffic: 6 bytes an arc, from the L2 cache. The
// limit is the chain of steps, a load and an atomic operation in shared memory each.
__global__ void __launch_bounds__(WALK_ALL_BLOCK) walk_block(const paths_trees_plan plan)
{
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const int32_t q = (int32_t)blockIdx.x, height = plan.height;
    int4 *const s_step = dynamic_shared<int4>();
    int32_t *const s_label = reinterpret_cast<int32_t *>(s_step + height);
    int32_t *const s_weight = s_label + height;
    uint16_t *const s_at = reinterpret_cast<uint16_t *>(s_weight + plan.way_arcs);
    wait_for_kernel_before();
    let_next_begin();
    const int32_t n = plan.d_steps[q], bottom = height - n;
    const int4 *const steps = reinterpret_cast<const int4 *>(plan.d_step + (int64_t)q * height);
    for (int32_t i = threadIdx.x; i < n; i += blockDim.x) {
        s_step[i] = steps[i];
        s_label[bottom + i] = i == 0 ? 0 : NONE;
    }
    __syncthreads();
#pragma unroll 4
    for (int32_t i = warp; i < n; i += warps) {
        const int4 step = s_step[i];
        for (int32_t a = lane; a < step.y - step.x; a += WARP) {
            s_weight[step.w + a] = plan.d_up[step.x + a];
            s_at[step.w + a] = __ldg(plan.d_head_height + step.x + a);
        }
    }
    __syncthreads();
    if (warp > 0)
        return;
    // The row of the next step and this lane's arc of it are loaded ahead.
    int4 step = s_step[0];
    int32_t at = 0, weight = NONE;
    auto load_arc = [&]() {
        at = height - 1;
        weight = NONE;
        if (lane < step.y - step.x) {
            at = s_at[step.w + lane];
            weight = s_weight[step.w + lane];
        }
    };
    load_arc();
    for (int32_t i = 0; i < n; i++) {
        const int4 now = step;
        const int32_t label = s_label[bottom + i], now_at = at, now_weight = weight;
        if (i + 1 < n) {
            step = s_step[i + 1];
            load_arc();
        }
        if (label < NONE) {
            if (now_weight < NONE)
                atomicMin(s_label + now_at, label + now_weight);
            for (int32_t a = lane + WARP; a < now.y - now.x; a += WARP)
                atomicMin(s_label + s_at[now.w + a], label + s_weight[now.w + a]);
        }
        __syncwarp();
    }
    const int lanes = PATHS_LANES * plan.per_lane;
    int32_t *const out = plan.d_label + (int64_t)(q / lanes) * plan.vertices * lanes + q % lanes;
    for (int32_t i = lane; i < n; i += WARP)
        out[(int64_t)s_step[i].z * lanes] = s_label[bottom + i];
}

// ---- Levels

// A warp takes a vertex of a level and a group of sources; a barrier ends each level. Labels are in device memory, and loads pass
// by the L1 cache. Shared memory: none. Traffic: 8 bytes and a row of 128 or 256 bytes for each arc and group. The limit is
// this traffic, or the barriers. Serves what cells cannot hold. Ends: barrier.cuh; the host cuts long work into launches.
template <int PER_LANE> __global__ void __launch_bounds__(HIGH_BLOCK, 2) high(const paths_trees_plan plan, int32_t begin, int32_t end)
{
    using value = typename lane_of<PER_LANE>::value;
    const int lane = threadIdx.x % WARP;
    const int64_t warp = (int64_t)(threadIdx.x / WARP) * gridDim.x + blockIdx.x, warps = (int64_t)gridDim.x * (blockDim.x / WARP);
    value *const table = reinterpret_cast<value *>(plan.d_label);
    uint32_t goal = 0;
    wait_for_kernel_before();
    for (int32_t level = begin; level < end; level++) {
        const int32_t first = plan.d_high_level[level], count = plan.d_high_level[level + 1] - first;
        for (int64_t i = warp; i < (int64_t)count * plan.groups; i += warps) {
            const int32_t group = (int32_t)(i / count);
            const paths_node *node = plan.d_node + plan.high_first + first + i % count;
            const int32_t vertex = node->vertex, last = node[1].first;
            value *const labels = table + (int64_t)group * plan.vertices * WARP + lane;
            const value source = reinterpret_cast<const value *>(plan.d_source)[group * WARP + lane];
            value best = walked(labels + (int64_t)vertex * WARP, source, vertex, node->size);
#pragma unroll 4
            for (int32_t a = node->first; a < last; a++) {
                const int2 arc = __ldcg(reinterpret_cast<const int2 *>(plan.d_cell_arc) + a);
                best = lower(best, __ldcg(labels + (int64_t)arc.x * WARP), arc.y);
            }
            labels[(int64_t)vertex * WARP] = best;
        }
        goal += gridDim.x;
        grid_barrier(plan.d_barrier, goal);
    }
    leave_barriers(plan.d_barrier);
}

// ---- Cells

// The minimum over arcs [from, to) of a cell, both even.
template <class V> DEVICE V lower_all(V best, const int4 *arcs, int32_t from, int32_t to, const V *rows)
{
    V other;
    clear(other);
#pragma unroll 4
    for (int32_t a = from / 2; a < to / 2; a++) {
        const int4 two = arcs[a];
        best = lower(best, rows[two.x], two.y);
        other = lower(other, rows[two.z], two.w);
    }
    return least(best, other);
}

DEVICE paths_cell load_cell(const paths_cell *cell)
{
    return *cell;
}

// A cell in shared memory, as a lane sees it.
template <class V> struct cell_view {
    const int4 *arcs, *node;   // two arcs each; vertex, size, first arc, middle arc
    const int32_t *level;      // where levels begin
    V *rows, *own;             // labels of the boundary and then of the nodes; those of the nodes
    V *out;                    // labels of the group, [vertices][32]
    V source;
    bool is_touched;           // a source lies below the cell: `own` has what its walk left
};

// The warps of a block share a cell: first all arcs to the boundary, then level by level those within the cell.
template <class V> DEVICE void sweep_by_levels(const paths_cell &cell, const cell_view<V> &c, int warp, int warps)
{
    for (int32_t k = warp; k < cell.nodes; k += warps) {
        const int4 node = c.node[k];
        V best;
        clear(best);
        if (c.is_touched)
            best = of_walk(c.own[k * WARP], c.source, node.x, node.y);
        c.own[k * WARP] = lower_all(best, c.arcs, node.z, node.w, c.rows);
    }
    __syncthreads();
    for (int32_t level = 0; level < cell.levels; level++) {
        for (int32_t k = c.level[level] + warp; k < c.level[level + 1]; k += warps) {
            const int4 node = c.node[k];
            const V best = lower_all(c.own[k * WARP], c.arcs, node.w, c.node[k + 1].z, c.rows);
            c.own[k * WARP] = best;
            c.out[(int64_t)node.x * WARP] = best;
        }
        __syncthreads();
    }
}

// A warp sweeps a cell alone. Rows follow each other, so the next arcs are loaded before a label is stored. The last load is behind the
// arcs, among the nodes, and is not used.
template <class V> DEVICE void sweep_alone(const paths_cell &cell, const cell_view<V> &c)
{
    int4 node = c.node[0], next_two = c.arcs[0];
    int32_t a = 0;
    for (int32_t k = 0; k < cell.nodes; k++) {
        const int4 next = c.node[k + 1];
        V best, other;
        clear(best);
        clear(other);
        if (c.is_touched)
            best = of_walk(c.own[k * WARP], c.source, node.x, node.y);
#pragma unroll 4
        for (; a < next.z / 2; a++) {
            const int4 two = next_two;
            next_two = c.arcs[a + 1];
            best = lower(best, c.rows[two.x], two.y);
            other = lower(other, c.rows[two.z], two.w);
        }
        best = least(best, other);
        c.own[k * WARP] = best;
        c.out[(int64_t)node.x * WARP] = best;
        node = next;
    }
}

// A block takes a cell. Its arcs and nodes come to shared memory, and the labels of its boundary for one group of sources or
// several. With SPLITS the warps share one group: first all arcs to the boundary, then level by level the arcs within the
// cell. Without, each warp sweeps the cell alone for a group of its own, without a barrier: a lane reads labels of its own
// sources alone, which it has written itself. Rows of 128 bytes are written at once, of 256 with two sources a lane.
// Shared memory: paths_tier_bytes(). Traffic: the labels of nodes once, of boundaries once a cell; 8 bytes an arc and block.
// Operations: for each arc and label an addition with minimum, and 4 bytes from shared memory, which is the limit (128 bytes a
// cycle and multiprocessor), besides the chain of nodes, about 100 cycles each.
template <int PER_LANE, bool SPLITS>
__global__ void __launch_bounds__(256) sweep_cells(const paths_trees_plan plan, const paths_tier_shape shape)
{
    using value = typename lane_of<PER_LANE>::value;
    constexpr int PARTS = 8 * PER_LANE;  // of 16 bytes, in a row of labels
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
    const paths_cell cell = load_cell(plan.d_cell + shape.cell + blockIdx.x);
    int4 *const s_arc = dynamic_shared<int4>();
    int4 *const s_node = s_arc + shape.arcs / 2;
    int32_t *const s_level = reinterpret_cast<int32_t *>(s_node + shape.nodes + 1);
    value *const s_rows = reinterpret_cast<value *>(s_level + (shape.nodes + 4) / 4 * 4);
    value *const rows = s_rows + (SPLITS ? 0 : (int64_t)warp * shape.rows * WARP) + lane;
    const int32_t group = (int32_t)blockIdx.y * (SPLITS ? 1 : warps) + (SPLITS ? 0 : warp);

    const int4 *const arcs = reinterpret_cast<const int4 *>(plan.d_cell_arc + cell.arc);
    for (int32_t i = threadIdx.x; i < cell.arcs / 2; i += blockDim.x)
        copy_16(s_arc + i, arcs + i);
    for (int32_t i = threadIdx.x; i <= cell.nodes; i += blockDim.x)
        copy_16(s_node + i, plan.d_node + cell.node + i);
    if (SPLITS)
        for (int32_t i = threadIdx.x; i <= cell.levels; i += blockDim.x)
            s_level[i] = __ldg(plan.d_level + cell.level + i);
    wait_for_kernel_before();
    let_next_begin();
    value *const table = reinterpret_cast<value *>(plan.d_label) + (int64_t)group * plan.vertices * WARP;
    value source;
    bool is_touched = false;
    if (group < plan.groups) {
        const int step = SPLITS ? (int)blockDim.x : WARP, begin = SPLITS ? (int)threadIdx.x : lane;
        auto load_row = [&](int32_t row, int32_t part, int32_t vertex) {
            copy_16(reinterpret_cast<int4 *>(rows - lane) + (int64_t)row * PARTS + part,
                    reinterpret_cast<const int4 *>(table) + (int64_t)vertex * PARTS + part);
        };
        for (int32_t i = begin; i < cell.boundaries * PARTS; i += step)
            load_row(i / PARTS, i % PARTS, __ldg(plan.d_boundary + cell.boundary + i / PARTS));
        // What the walks left, where a source is below the cell.
        source = reinterpret_cast<const value *>(plan.d_source)[group * WARP + lane];
        is_touched = __any_sync(ALL_LANES, touches(source, cell.low, cell.high));
        if (is_touched)
            for (int32_t i = begin; i < cell.nodes * PARTS; i += step)
                load_row(cell.boundaries + i / PARTS, i % PARTS, __ldg(&plan.d_node[cell.node + i / PARTS].vertex));
    }
    copies_wait_all();
    __syncthreads();
    if (group >= plan.groups)
        return;
    const cell_view<value> view = {s_arc, s_node, s_level, rows, rows + (int64_t)cell.boundaries * WARP, table + lane, source, is_touched};
    if constexpr (SPLITS)
        sweep_by_levels(cell, view, warp, warps);
    else
        sweep_alone(cell, view);
}

// A block takes a cell of at most 128 nodes and one group. A warp has four nodes in registers, and the weights between nodes are
// a matrix, NONE where there is no arc. Nodes are settled four by four: their warp takes the minimum among the four and stores
// the rows, and after a barrier the later warps lower theirs by these rows. So a cell takes a barrier for four nodes, where
// sweep_cells<SPLITS> takes one a level and follows a row of arcs in between. Shared memory: paths_tier_bytes(). Traffic: as
// sweep_cells. The limit is the chain, about 150 cycles for four nodes.
template <int PER_LANE>
__global__ void __launch_bounds__(DENSE_BLOCK) sweep_dense(const paths_trees_plan plan, const paths_tier_shape shape)
{
    using value = typename lane_of<PER_LANE>::value;
    constexpr int PARTS = 8 * PER_LANE, EACH = PATHS_DENSE_NODES;
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, pitch = (int)blockDim.x / WARP;  // in 4 weights
    const int32_t group = (int32_t)blockIdx.y;
    const paths_cell cell = load_cell(plan.d_cell + shape.cell + blockIdx.x);
    int4 *const s_arc = dynamic_shared<int4>();
    int4 *const s_node = s_arc + shape.arcs / 2;
    int4 *const s_weight = s_node + shape.nodes + 1;
    value *const rows = reinterpret_cast<value *>(s_weight + EACH * pitch * pitch) + lane;
    value *const own = rows + (int64_t)cell.boundaries * WARP;
    int32_t *const weight = reinterpret_cast<int32_t *>(s_weight);

    const int4 *const arcs = reinterpret_cast<const int4 *>(plan.d_cell_arc + cell.arc);
    for (int32_t i = threadIdx.x; i < cell.arcs / 2; i += blockDim.x)
        copy_16(s_arc + i, arcs + i);
    for (int32_t i = threadIdx.x; i <= cell.nodes; i += blockDim.x)
        copy_16(s_node + i, plan.d_node + cell.node + i);
    for (int32_t i = threadIdx.x; i < EACH * pitch * pitch; i += blockDim.x)
        s_weight[i] = make_int4(NONE, NONE, NONE, NONE);
    copies_wait_all();
    __syncthreads();
    for (int32_t k = EACH * warp; k < min(EACH * warp + EACH, cell.nodes); k++)
        for (int32_t a = s_node[k].w + lane; a < s_node[k + 1].z; a += WARP) {
            const int2 arc = reinterpret_cast<const int2 *>(s_arc)[a];
            weight[k * EACH * pitch + arc.x / WARP - cell.boundaries] = arc.y;
        }
    wait_for_kernel_before();
    let_next_begin();
    value *const table = reinterpret_cast<value *>(plan.d_label) + (int64_t)group * plan.vertices * WARP;
    for (int32_t i = threadIdx.x; i < cell.boundaries * PARTS; i += blockDim.x)
        copy_16(reinterpret_cast<int4 *>(rows - lane) + i,
                reinterpret_cast<const int4 *>(table) + (int64_t)__ldg(plan.d_boundary + cell.boundary + i / PARTS) * PARTS + i % PARTS);
    const value source = reinterpret_cast<const value *>(plan.d_source)[group * WARP + lane];
    const bool is_touched = __any_sync(ALL_LANES, touches(source, cell.low, cell.high));
    value best[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        const int32_t k = EACH * warp + r;
        clear(best[r]);
        if (is_touched && k < cell.nodes)
            best[r] = walked(table + (int64_t)s_node[k].x * WARP + lane, source, s_node[k].x, s_node[k].y);
    }
    copies_wait_all();
    __syncthreads();
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        const int32_t k = EACH * warp + r;
        if (k < cell.nodes)
            best[r] = lower_all(best[r], s_arc, s_node[k].z, s_node[k].w, rows);
    }
    const int32_t panels = (cell.nodes + EACH - 1) / EACH;
    const int4 *const mine = s_weight + EACH * warp * pitch;  // of this warp's nodes
    for (int32_t p = 0; p < panels; p++) {
        int4 w[EACH];
#pragma unroll
        for (int r = 0; r < EACH; r++)
            w[r] = mine[r * pitch + p];
        if (warp == p) {
            best[1] = lower(best[1], best[0], w[1].x);
            best[2] = lower(lower(best[2], best[0], w[2].x), best[1], w[2].y);
            best[3] = lower(lower(lower(best[3], best[0], w[3].x), best[1], w[3].y), best[2], w[3].z);
#pragma unroll
            for (int r = 0; r < EACH; r++)
                if (EACH * p + r < cell.nodes)
                    own[(EACH * p + r) * WARP] = best[r];
        }
        __syncthreads();
        if (warp > p && warp < panels) {  // so panel p has four nodes
            const value a = own[EACH * p * WARP], b = own[(EACH * p + 1) * WARP];
            const value c = own[(EACH * p + 2) * WARP], d = own[(EACH * p + 3) * WARP];
#pragma unroll
            for (int r = 0; r < EACH; r++)
                best[r] = least(lower(lower(best[r], a, w[r].x), b, w[r].y), lower(lower(best[r], c, w[r].z), d, w[r].w));
        }
    }
#pragma unroll
    for (int r = 0; r < EACH; r++)
        if (EACH * warp + r < cell.nodes)
            table[(int64_t)s_node[EACH * warp + r].x * WARP + lane] = best[r];
}

// ---- Ends of paths

// A sweep leaves out arcs that lead up to ends. Only a path that begins there takes one, and it ends after it. A thread takes a
// source that is an end. Shared memory: none. Traffic: 12 bytes an arc into the source, and its label.
__global__ void __launch_bounds__(WALK_BLOCK) leave_ends(const paths_trees_plan plan)
{
    const int32_t q = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    wait_for_kernel_before();
    let_next_begin();
    if (q >= plan.count)
        return;
    const int32_t source = plan.d_source[q];
    if (plan.d_vertex[source].size > 0)
        return;
    const int lanes = PATHS_LANES * plan.per_lane;
    int32_t *const labels = plan.d_label + (int64_t)(q / lanes) * plan.vertices * lanes + q % lanes;
    for (int32_t i = plan.d_down_first[source]; i < plan.d_down_first[source + 1]; i++) {
        int32_t *const label = labels + (int64_t)plan.d_down_tail[i] * lanes;
        *label = min(*label, plan.d_down[plan.d_down_arc[i]]);
    }
}

// ---- Rows for the host

// A block transposes the labels of 32 vertices of one group. Shared memory: 33 or 65 words for each vertex. Traffic: each
// label read and written once, in rows of 128 bytes or more. The limit is device memory.
template <int PER_LANE>
__global__ void __launch_bounds__(ROWS_BLOCK)
    rows_of_group(const paths_trees_plan plan, int32_t group, int32_t out_vertices, const int32_t *d_rank, int32_t *d_out)
{
    constexpr int LANES = PATHS_LANES * PER_LANE;
    __shared__ int32_t s_tile[ROWS_TILE][LANES + 1];
    const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const int32_t base = (int32_t)blockIdx.x * ROWS_TILE;
    const int32_t *const labels = plan.d_label + (int64_t)group * plan.vertices * LANES;
    wait_for_kernel_before();
    let_next_begin();
    for (int r = warp; r < ROWS_TILE; r += ROWS_BLOCK / WARP)
        if (base + r < out_vertices) {
            const int32_t rank = d_rank[base + r];
#pragma unroll
            for (int k = 0; k < PER_LANE; k++)
                s_tile[r][k * WARP + lane] = __ldcs(labels + (int64_t)rank * LANES + k * WARP + lane);
        }
    __syncthreads();
    if (base + lane < out_vertices)
        for (int source = warp; source < LANES; source += ROWS_BLOCK / WARP)
            d_out[(int64_t)source * out_vertices + base + lane] = s_tile[lane][source];
}

int ceil_div(int64_t a, int64_t b)
{
    return (int)((a + b - 1) / b);
}

}  // namespace

size_t paths_tier_bytes(const paths_tier_shape *shape, int per_lane)
{
    const size_t rows = (size_t)shape->rows * PATHS_LANES * (size_t)per_lane * sizeof(int32_t), warps = (size_t)shape->warps;
    if (shape->is_dense)
        return (size_t)shape->arcs * sizeof(paths_cell_arc) + ((size_t)shape->nodes + 1) * sizeof(paths_node) +
               PATHS_DENSE_NODES * warps * warps * sizeof(int4) + rows;
    return (size_t)shape->arcs * sizeof(paths_cell_arc) + ((size_t)shape->nodes + 1) * sizeof(paths_node) +
           ((size_t)shape->nodes + 4) / 4 * 4 * sizeof(int32_t) + rows * (shape->splits ? 1 : warps);
}

size_t paths_walk_bytes(int32_t height)
{
    return (size_t)height * (sizeof(int2) + sizeof(int32_t));
}

size_t paths_walk_block_bytes(int32_t height, int32_t way_arcs)
{
    return (size_t)height * (sizeof(int4) + sizeof(int32_t)) + (size_t)way_arcs * (sizeof(int32_t) + sizeof(uint16_t));
}

cudaError_t paths_trees_prepare(size_t shared_bytes)
{
    cudaError_t error = allow_shared(sweep_cells<1, false>, shared_bytes);
    error = error == cudaSuccess ? allow_shared(sweep_cells<1, true>, shared_bytes) : error;
    error = error == cudaSuccess ? allow_shared(sweep_cells<2, false>, shared_bytes) : error;
    error = error == cudaSuccess ? allow_shared(sweep_cells<2, true>, shared_bytes) : error;
    error = error == cudaSuccess ? allow_shared(sweep_dense<1>, shared_bytes) : error;
    error = error == cudaSuccess ? allow_shared(sweep_dense<2>, shared_bytes) : error;
    error = error == cudaSuccess ? allow_shared(walk_block, shared_bytes) : error;
    return error == cudaSuccess ? allow_shared(walk<true>, shared_bytes) : error;
}

cudaError_t paths_high_shape(paths_trees_plan *plan, int multiprocessors)
{
    int one = 0, two = 0;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&one, high<1>, HIGH_BLOCK, 0);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&two, high<2>, HIGH_BLOCK, 0);
    if (error != cudaSuccess)
        return error;
    const int fits = one < two ? one : two;
    if (fits == 0)
        return cudaErrorInvalidConfiguration;
    plan->high_blocks = (fits < 2 ? fits : 2) * multiprocessors;
    return cudaSuccess;
}

cudaError_t paths_launch_trace(const paths_trees_plan *plan, cudaStream_t stream)
{
    return launch_behind(plan->overlaps, trace, (unsigned int)ceil_div(plan->count, WALK_BLOCK / WARP), WALK_BLOCK, 0, stream, *plan);
}

cudaError_t paths_launch_walk(const paths_trees_plan *plan, cudaStream_t stream)
{
    const size_t bytes = paths_walk_bytes(plan->height);
    int warps = WALK_BLOCK / WARP;
    if (plan->way_arcs > 0)
        return launch_behind(plan->overlaps, walk_block, (unsigned int)plan->count, WALK_ALL_BLOCK,
                             paths_walk_block_bytes(plan->height, plan->way_arcs), stream, *plan);
    if (plan->d_walk != nullptr)
        return launch_behind(plan->overlaps, walk<false>, (unsigned int)ceil_div(plan->count, warps), WALK_BLOCK, 0, stream, *plan);
    while (warps > 1 && warps * bytes > plan->shared_bytes)
        warps /= 2;
    return launch_behind(plan->overlaps, walk<true>, (unsigned int)ceil_div(plan->count, warps), (unsigned int)(warps * WARP), warps * bytes,
                         stream, *plan);
}

cudaError_t paths_launch_high(const paths_trees_plan *plan, int32_t begin, int32_t end, cudaStream_t stream)
{
    void *arguments[] = {const_cast<paths_trees_plan *>(plan), &begin, &end};
    const void *kernel = plan->per_lane == 1 ? reinterpret_cast<const void *>(high<1>) : reinterpret_cast<const void *>(high<2>);
    const cudaError_t error = cudaLaunchCooperativeKernel(kernel, dim3((unsigned int)plan->high_blocks), dim3(HIGH_BLOCK), arguments, 0, stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}

cudaError_t paths_launch_tier(const paths_trees_plan *plan, const paths_tier_shape *shape, cudaStream_t stream)
{
    const size_t bytes = paths_tier_bytes(shape, plan->per_lane);
    const dim3 blocks((unsigned int)shape->cells, (unsigned int)(shape->splits ? plan->groups : ceil_div(plan->groups, shape->warps)));
    const unsigned int threads = (unsigned int)(shape->warps * WARP);
    if (shape->is_dense)
        return plan->per_lane == 1 ? launch_behind(plan->overlaps, sweep_dense<1>, blocks, threads, bytes, stream, *plan, *shape)
                                   : launch_behind(plan->overlaps, sweep_dense<2>, blocks, threads, bytes, stream, *plan, *shape);
    if (plan->per_lane == 1)
        return shape->splits ? launch_behind(plan->overlaps, sweep_cells<1, true>, blocks, threads, bytes, stream, *plan, *shape)
                             : launch_behind(plan->overlaps, sweep_cells<1, false>, blocks, threads, bytes, stream, *plan, *shape);
    return shape->splits ? launch_behind(plan->overlaps, sweep_cells<2, true>, blocks, threads, bytes, stream, *plan, *shape)
                         : launch_behind(plan->overlaps, sweep_cells<2, false>, blocks, threads, bytes, stream, *plan, *shape);
}

cudaError_t paths_launch_ends(const paths_trees_plan *plan, cudaStream_t stream)
{
    return launch_behind(plan->overlaps, leave_ends, (unsigned int)ceil_div(plan->count, WALK_BLOCK), WALK_BLOCK, 0, stream, *plan);
}

cudaError_t paths_launch_rows(const paths_trees_plan *plan, int32_t group, int32_t out_vertices, const int32_t *d_rank,
                              int32_t *d_out, cudaStream_t stream)
{
    const unsigned int blocks = (unsigned int)ceil_div(out_vertices, ROWS_TILE);
    return plan->per_lane == 1 ? launch_behind(plan->overlaps, rows_of_group<1>, blocks, ROWS_BLOCK, 0, stream, *plan, group, out_vertices, d_rank, d_out)
                               : launch_behind(plan->overlaps, rows_of_group<2>, blocks, ROWS_BLOCK, 0, stream, *plan, group, out_vertices, d_rank, d_out);
}
