// SPDX-License-Identifier: MIT
// q-paths without loops i-j-i on a GPU (the reference is q_ref.c): a persistent kernel with a barrier of the grid after each step.
//
// A step makes all paths that leave from up to least_demand loads, because none of them ends within these loads. A unit of work is a
// strip of targets and a group of those loads; its block keeps the arcs into the strip in shared memory for all steps. The sources are
// dealt out to the warps. A lane has one target and a part of the warp's sources, and keeps the two least keys of each load:
// value << bits | place, `place` the index of the source in the warp's share. Ties therefore go to the smaller index.
//
// Where the node before a source is a target of the strip, the warp takes the source out of the shared row and puts it in by itself:
// its second path for that target, its first path for all others. There is no list of such sources, so there may be any number. With one
// load a step the source stays, and its arc to that target leads from the second path for the step: no lane waits for another.
//
// Keys of 32 bits hold values of 32 - bits bits. Each value is compared with that range. If one leaves it, control->is_out tells the
// host, which runs again with keys of 64 bits. These hold all values that passes support.
#include <stdio.h>

#include "device/barrier.cuh"
#include "vrp/bound/relax/q_keys.cuh"

namespace {

using namespace mco;

DEVICE int32_t item(const int4 &quad, int index)
{
    return index == 0 ? quad.x : index == 1 ? quad.y : index == 2 ? quad.z : quad.w;
}

// ---- A block

template <class KEY> struct block_memory {
    KEY *arcs;    // [rounds * QUAD][parts][targets]: the sources of a round by index in their quad, then by part
    KEY *source;  // [layers of a unit][rounds * sources of a round]
    KEY *least;   // [warps][layers of a unit][2][targets]
};

DEVICE int64_t arc_place(const vrp_q_device_plan &plan, int from, int to)
{
    const int row = plan.is_symmetric ? max(from, to) : plan.is_backward ? to : from;
    return (int64_t)row * plan.stride + (from + to - row);
}

// The arcs into the targets k0, k0 + 1, .. as keys.
template <class KEY, int TARGETS> DEVICE void take_arcs(const vrp_q_device_plan &plan, const share &s, int k0, KEY *arcs)
{
    constexpr int PARTS = WARP / TARGETS, ROUND = QUAD * PARTS;
    for (int at = (int)threadIdx.x; at < s.rounds * ROUND * TARGETS; at += THREADS) {
        const int t = at % TARGETS, part = at / TARGETS % PARTS, place = at / (TARGETS * PARTS) % QUAD, round = at / (TARGETS * ROUND);
        const int i = round * ROUND + part * QUAD + place, k = k0 + t;
        int32_t arc = VRP_Q_DEVICE_NO_ARC;
        if (i > 0 && i < plan.nodes && k < plan.nodes && i != k)
            arc = __ldg(plan.d_arcs + arc_place(plan, i, k));
        arcs[at] = arc < VRP_Q_DEVICE_NO_ARC ? (KEY)arc * ((KEY)1 << s.bits) : keys<KEY>::absent;
    }
}

// The targets of the strip, plus 1, that are the nodes before a quad: a byte each; 0: none of them.
template <int TARGETS> DEVICE uint32_t apart_of(const ushort4 &before, int k0)
{
    const uint32_t a = (uint32_t)before.x - (uint32_t)k0, b = (uint32_t)before.y - (uint32_t)k0;
    const uint32_t c = (uint32_t)before.z - (uint32_t)k0, d = (uint32_t)before.w - (uint32_t)k0;
    return (a < TARGETS ? a + 1 : 0) | (b < TARGETS ? (b + 1) << 8 : 0) | (c < TARGETS ? (c + 1) << 16 : 0) |
           (d < TARGETS ? (d + 1) << 24 : 0);
}

// Loads whose rows a warp holds in registers at once.
MCO_HD constexpr int batch_of(int layers) { return layers <= 5 ? layers : layers % 5 == 0 ? 5 : 4; }

// A warp's sources of the loads load..end - 1 go to shared memory as keys; those that are apart are put in at once.
template <class KEY, int TARGETS, int LAYERS>
DEVICE void take_sources(const vrp_q_device_plan &plan, const share &s, const block_memory<KEY> &m, int k0, int load, int end, int warp,
                         int lane, int target, bool is_first_part, KEY first[LAYERS], KEY other[LAYERS])
{
    constexpr int PARTS = WARP / TARGETS, ROUND = QUAD * PARTS;
    const int base = first_round(s, warp) * ROUND, quads = rounds_of(s, warp) * PARTS, width = s.rounds * ROUND;
    constexpr int BATCH = batch_of(LAYERS);
    for (int begin = 0; begin < quads; begin += WARP) {
        const int i = base + QUAD * (begin + lane);
        const bool is_share = begin + lane < quads, is_there = is_share && i < plan.stride;
#pragma unroll
        for (int h = 0; h < LAYERS; h += BATCH) {
            int4 row[BATCH];
            ushort4 before[BATCH];
            uint32_t apart[BATCH];
#pragma unroll
            for (int l = 0; l < BATCH; l++) {
                const int64_t at = (int64_t)(load + h + l) * plan.stride + i;
                row[l] = make_int4(NO_PATH, NO_PATH, NO_PATH, NO_PATH);
                before[l] = make_ushort4(VRP_Q_DEVICE_NO_NODE, VRP_Q_DEVICE_NO_NODE, VRP_Q_DEVICE_NO_NODE, VRP_Q_DEVICE_NO_NODE);
                if (is_there && load + h + l < end) {
                    row[l] = __ldcg(reinterpret_cast<const int4 *>(plan.d_value + at));
                    before[l] = __ldcg(reinterpret_cast<const ushort4 *>(plan.d_before + at));
                }
            }
#pragma unroll
            for (int l = 0; l < BATCH; l++) {
                apart[l] = apart_of<TARGETS>(before[l], k0);
                KEY *const to = m.source + (h + l) * width + i;
                const int place = i - base;
                if (is_share) {
                    put_quad(to, key_of<KEY>(row[l].x, s.bits, place), key_of<KEY>(row[l].y, s.bits, place + 1),
                             key_of<KEY>(row[l].z, s.bits, place + 2), key_of<KEY>(row[l].w, s.bits, place + 3));
                }
                if (apart[l] != 0)
                    row[l] = __ldcg(reinterpret_cast<const int4 *>(plan.d_second + (int64_t)(load + h + l) * plan.stride + i));
            }
            __syncwarp();
#pragma unroll
            for (int l = 0; l < BATCH; l++) {
                for (unsigned int left = __ballot_sync(ALL_LANES, apart[l] != 0); left != 0; left &= left - 1) {
                    const int owner = __ffs((int)left) - 1;
                    const uint32_t word = __shfl_sync(ALL_LANES, apart[l], owner);
#pragma unroll 1
                    for (int e = 0; e < QUAD; e++) {
                        const int whose = (int)(word >> (8 * e) & 255);
                        if (whose == 0)
                            continue;
                        const int32_t second = __shfl_sync(ALL_LANES, item(row[l], e), owner);
                        const int j = QUAD * (begin + owner) + e;  // its place
                        KEY *const at = m.source + (h + l) * width + base + j;
                        const KEY key = target + 1 == whose ? key_of<KEY>(second, s.bits, j) : *at;
                        const int round = (base + j) / ROUND, part = j / QUAD % PARTS;
                        if (is_first_part)
                            insert(first[h + l], other[h + l], key, m.arcs[((round * QUAD + e) * PARTS + part) * TARGETS + target]);
                        __syncwarp();
                        if (lane == 0)
                            *at = keys<KEY>::absent - ((KEY)1 << s.bits);
                    }
                }
            }
        }
    }
    __syncwarp();
}

// Arcs in shared memory that lead from second paths for one step.
template <class KEY> struct swapped {
    KEY arc[QUAD];                      // as they were
    int32_t at[QUAD];                   // -1: none
};

// As take_sources() for one load and at most WARP quads. A source that is apart stays in the row: its arc to the one target is raised
// by what its second path costs more. So no lane waits for another.
template <class KEY, int TARGETS>
DEVICE void take_and_swap(const vrp_q_device_plan &plan, const share &s, const block_memory<KEY> &m, int k0, int load, int warp, int lane,
                          swapped<KEY> *out)
{
    constexpr int PARTS = WARP / TARGETS, ROUND = QUAD * PARTS;
    const int base = first_round(s, warp) * ROUND, i = base + QUAD * lane, place = QUAD * lane;
    const int64_t cell = (int64_t)load * plan.stride + i;
    const bool is_share = lane < rounds_of(s, warp) * PARTS;
    int4 row = make_int4(NO_PATH, NO_PATH, NO_PATH, NO_PATH), second = row;
    ushort4 before = make_ushort4(VRP_Q_DEVICE_NO_NODE, VRP_Q_DEVICE_NO_NODE, VRP_Q_DEVICE_NO_NODE, VRP_Q_DEVICE_NO_NODE);
    if (is_share && i < plan.stride) {
        row = __ldcg(reinterpret_cast<const int4 *>(plan.d_value + cell));
        before = __ldcg(reinterpret_cast<const ushort4 *>(plan.d_before + cell));
    }
    const uint32_t apart = apart_of<TARGETS>(before, k0);
    if (apart != 0)
        second = __ldcg(reinterpret_cast<const int4 *>(plan.d_second + cell));
    if (is_share)
        put_quad(m.source + i, key_of<KEY>(row.x, s.bits, place), key_of<KEY>(row.y, s.bits, place + 1),
                 key_of<KEY>(row.z, s.bits, place + 2), key_of<KEY>(row.w, s.bits, place + 3));
#pragma unroll
    for (int e = 0; e < QUAD; e++) {
        const int whose = (int)(apart >> (8 * e) & 255), round = i / ROUND, part = lane % PARTS;
        out->at[e] = whose == 0 ? -1 : ((round * QUAD + e) * PARTS + part) * TARGETS + whose - 1;
        if (whose == 0)
            continue;
        KEY *const arc = m.arcs + out->at[e];
        const bool is_there = item(second, e) < NO_PATH && *arc < keys<KEY>::absent;
        out->arc[e] = *arc;
        *arc = is_there ? *arc + ((KEY)item(second, e) - (KEY)item(row, e)) * ((KEY)1 << s.bits) : keys<KEY>::absent;
    }
    __syncwarp();
}

template <class KEY> DEVICE void swap_back(const block_memory<KEY> &m, const swapped<KEY> &s)
{
    __syncwarp();
#pragma unroll
    for (int e = 0; e < QUAD; e++)
        if (s.at[e] >= 0)
            m.arcs[s.at[e]] = s.arc[e];
}

// The two least keys of a warp's sources for each load, in the lanes of its first part.
template <class KEY, int TARGETS, int LAYERS>
DEVICE void reach(const vrp_q_device_plan &plan, const share &s, const block_memory<KEY> &m, int k0, int load, int end)
{
    constexpr int PARTS = WARP / TARGETS, ROUND = QUAD * PARTS, USED = PARTS * TARGETS;
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP, own = lane % USED;
    const int part = own / TARGETS, target = own % TARGETS, width = s.rounds * ROUND;
    KEY first[LAYERS], other[LAYERS];
#pragma unroll
    for (int l = 0; l < LAYERS; l++)
        first[l] = other[l] = keys<KEY>::none;
    const int begin = first_round(s, warp), rounds = rounds_of(s, warp);
    const bool swaps = LAYERS == 1 && rounds * PARTS <= WARP;
    swapped<KEY> own_arcs;
    if (swaps)
        take_and_swap<KEY, TARGETS>(plan, s, m, k0, load, warp, lane, &own_arcs);
    else
        take_sources<KEY, TARGETS, LAYERS>(plan, s, m, k0, load, end, warp, lane, target, lane < TARGETS, first, other);
    for (int r = begin; r < begin + rounds; r++) {
        KEY arc[QUAD];
#pragma unroll
        for (int e = 0; e < QUAD; e++)
            arc[e] = m.arcs[(r * QUAD + e) * USED + own];
#pragma unroll
        for (int l = 0; l < LAYERS; l++) {
            KEY source[QUAD];
            take_quad(m.source + l * width + r * ROUND + part * QUAD, source);
#pragma unroll
            for (int e = 0; e < QUAD; e++)
                insert(first[l], other[l], source[e], arc[e]);
        }
    }
    if (swaps)
        swap_back(m, own_arcs);
#pragma unroll
    for (int l = 0; l < LAYERS; l++) {
        const KEY own_first = first[l], own_other = other[l];
#pragma unroll
        for (int p = 1; p < PARTS; p++)
            merge(first[l], other[l], __shfl_sync(ALL_LANES, own_first, lane + p * TARGETS),
                  __shfl_sync(ALL_LANES, own_other, lane + p * TARGETS));
        if (lane < TARGETS) {
            m.least[((warp * LAYERS + l) * 2) * TARGETS + target] = first[l];
            m.least[((warp * LAYERS + l) * 2 + 1) * TARGETS + target] = other[l];
        }
    }
}

// Values of paths that keys hold.
struct range {
    int32_t limit, least, most;
};

template <class KEY> DEVICE range range_of(const vrp_q_device_plan &plan, int bits)
{
    const int32_t limit = sizeof(KEY) == 4 ? keys<int32_t>::no_key >> bits : NO_PATH;
    if (sizeof(KEY) == 4)
        return {limit, -limit, limit - 1 - plan.d_control->greatest_arc};
    return {limit, -NO_PATH / 2 + 1, NO_PATH / 2 - 1};
}

template <class KEY> DEVICE bool arcs_fit(const vrp_q_device_plan &plan, int bits)
{
    const int32_t limit = range_of<KEY>(plan, bits).limit, least = plan.d_control->least_arc, greatest = plan.d_control->greatest_arc;
    return sizeof(KEY) == 4 ? least > -limit && greatest < limit / 2 : least > -NO_PATH / 2;
}

// A path and the next one, of different nodes before.
struct pair {
    int32_t value, before, second, second_before;
};

// The value of a key; of no path a value beyond all paths.
DEVICE int32_t value_of(int32_t key, int bits) { return key >> bits; }
DEVICE int32_t value_of(int64_t key, int bits) { return (int32_t)min(key >> bits, (int64_t)INT32_MAX); }

// Adds the least two of a warp; earlier warps win ties.
template <class KEY> DEVICE void fold(pair &to, KEY first, KEY other, int bits, int base)
{
    const int mask = (1 << bits) - 1;
    const int32_t value = value_of(first, bits), before = (int32_t)(first & mask) + base;
    const bool is_less = value < to.value;
    const int32_t rival = is_less ? value_of(other, bits) : value;
    const int32_t rival_before = is_less ? (int32_t)(other & mask) + base : before;
    const int32_t kept = is_less ? to.value : to.second, kept_before = is_less ? to.before : to.second_before;
    to.second = rival < kept ? rival : kept;
    to.second_before = rival < kept ? rival_before : kept_before;
    to.value = is_less ? value : to.value;
    to.before = is_less ? before : to.before;
}

// What all warps have found becomes cells.
template <class KEY, int TARGETS, int LAYERS>
DEVICE void write_cells(const vrp_q_device_plan &plan, const share &s, const block_memory<KEY> &m, int k0, int load, int end)
{
    constexpr int ROUND = QUAD * (WARP / TARGETS);
    for (int at = (int)threadIdx.x; at < LAYERS * TARGETS; at += THREADS) {
        const int l = at / TARGETS, t = at % TARGETS, k = k0 + t;
        if (load + l >= end || k >= plan.nodes)
            continue;
        const int32_t to = load + l + plan.d_demand[k];
        pair least = {INT32_MAX, -1, INT32_MAX, -1};
        for (int w = 0; w < WARPS; w++)
            fold(least, m.least[((w * LAYERS + l) * 2) * TARGETS + t], m.least[((w * LAYERS + l) * 2 + 1) * TARGETS + t], s.bits,
                 first_round(s, w) * ROUND);
        if (to > plan.capacity)
            continue;
        const range r = range_of<KEY>(plan, s.bits);
        bool has = least.value < r.limit, has_second = least.second < r.limit;
        if ((has && (least.value < r.least || least.value > r.most)) || (has_second && least.second > r.most)) {
            plan.d_control->out = has_second && least.second > r.most ? least.second : least.value;
            plan.d_control->is_out = 1;
            has = has_second = false;  // the run is void; no later sum may leave the keys
        }
        const int64_t cell = (int64_t)to * plan.stride + k;
        plan.d_value[cell] = has ? least.value : NO_PATH;
        plan.d_before[cell] = has ? (uint16_t)least.before : (uint16_t)VRP_Q_DEVICE_NO_NODE;
        plan.d_second[cell] = has_second ? least.second : NO_PATH;
        plan.d_second_before[cell] = has_second ? (uint16_t)least.second_before : (uint16_t)VRP_Q_DEVICE_NO_NODE;
    }
}

// Blocks take units. Where there is a block for each unit, its arcs stay. Waits: each barrier ends because all blocks come to it.
template <class KEY, int TARGETS, int LAYERS, int BLOCKS_EACH>
__global__ void __launch_bounds__(THREADS, BLOCKS_EACH) steps(const vrp_q_device_plan plan, int32_t first, int32_t last)
{
    const share s = share_of<TARGETS>(plan.nodes);
    const int width = s.rounds * QUAD * (WARP / TARGETS), units = plan.strips * plan.groups;
    block_memory<KEY> m;
    m.arcs = dynamic_shared<KEY>();
    m.source = m.arcs + (int64_t)width * TARGETS;
    m.least = m.source + (int64_t)width * LAYERS;
    const bool stays = units <= (int)gridDim.x;
    uint32_t barriers = 0;
    if (!arcs_fit<KEY>(plan, s.bits)) {
        if (threadIdx.x == 0 && blockIdx.x == 0) {
            plan.d_control->out = plan.d_control->least_arc;
            plan.d_control->is_out = 1;
        }
        return;
    }
    if (stays && (int)blockIdx.x < units)
        take_arcs<KEY, TARGETS>(plan, s, 1 + (int)blockIdx.x % plan.strips * TARGETS, m.arcs);
    __syncthreads();
    for (int32_t load = first; load < last; load += plan.layers) {
        const int end = min(load + plan.layers, last);
        for (int unit = (int)blockIdx.x; unit < units; unit += (int)gridDim.x) {
            const int k0 = 1 + unit % plan.strips * TARGETS, begin = load + unit / plan.strips * LAYERS;
            if (!stays) {
                __syncthreads();
                take_arcs<KEY, TARGETS>(plan, s, k0, m.arcs);
                __syncthreads();
            }
            if (begin < end)
                reach<KEY, TARGETS, LAYERS>(plan, s, m, k0, begin, end);
            __syncthreads();
            if (begin < end)
                write_cells<KEY, TARGETS, LAYERS>(plan, s, m, k0, begin, end);
        }
        if (end < last)
            grid_barrier(plan.d_control->barrier, ++barriers * gridDim.x);
    }
    leave_barriers(plan.d_control->barrier);
}

// ---- Begin: all cells up to least_demand beyond each customer's demand, and those of no customer; the range of arcs

constexpr unsigned int BEGIN_BLOCKS = 528, BEGIN_THREADS = 512;

__global__ void begin(const vrp_q_device_plan plan)
{
    const int64_t threads = (int64_t)gridDim.x * blockDim.x, own = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int32_t least = 0, greatest = 0;
    for (int64_t at = own; at < ((int64_t)plan.capacity + 1) * plan.stride; at += threads) {
        const int32_t load = (int32_t)(at / plan.stride), k = (int32_t)(at % plan.stride);
        const bool is_customer = k > 0 && k < plan.nodes;
        const int32_t demand = is_customer ? plan.d_demand[k] : 0;
        if (is_customer && load >= demand + plan.least_demand)
            continue;
        int32_t arc = VRP_Q_DEVICE_NO_ARC;
        if (is_customer && load == demand)
            arc = plan.d_arcs[arc_place(plan, 0, k)];
        plan.d_value[at] = arc < VRP_Q_DEVICE_NO_ARC ? arc : NO_PATH;
        plan.d_before[at] = arc < VRP_Q_DEVICE_NO_ARC ? 0 : (uint16_t)VRP_Q_DEVICE_NO_NODE;
        plan.d_second[at] = NO_PATH;
        plan.d_second_before[at] = (uint16_t)VRP_Q_DEVICE_NO_NODE;
    }
    for (int64_t at = own; at < (int64_t)plan.nodes * plan.stride; at += threads) {
        const int32_t row = (int32_t)(at / plan.stride), column = (int32_t)(at % plan.stride);
        const int32_t arc = column <= (plan.is_symmetric ? row : plan.nodes - 1) ? plan.d_arcs[at] : 0;
        least = min(least, arc);
        greatest = arc < VRP_Q_DEVICE_NO_ARC ? max(greatest, arc) : greatest;
    }
    least = __reduce_min_sync(ALL_LANES, least);
    greatest = __reduce_max_sync(ALL_LANES, greatest);
    if (threadIdx.x % WARP == 0) {
        if (least < 0)
            atomicMin(&plan.d_control->least_arc, least);
        if (greatest > 0)
            atomicMax(&plan.d_control->greatest_arc, greatest);
    }
}

// ---- Shapes

struct shape {
    void (*kernel)(const vrp_q_device_plan, int32_t, int32_t);
    int targets, layers, key_bytes;
};

#define NARROW(targets, layers) {steps<int32_t, targets, layers, (layers) <= 2 ? 2 : 1>, targets, layers, 4}
#define WIDE(targets, layers) {steps<int64_t, targets, layers, 1>, targets, layers, 8}
constexpr shape shapes[] = {NARROW(8, 1),  NARROW(8, 2),  NARROW(8, 5),  NARROW(8, 10),  NARROW(10, 1), NARROW(10, 2), NARROW(10, 5),
                            NARROW(10, 8), NARROW(10, 10), NARROW(16, 1), NARROW(16, 2), NARROW(16, 5), NARROW(16, 10), NARROW(32, 3),
                            NARROW(32, 4), WIDE(8, 1), WIDE(8, 4), WIDE(10, 5)};
constexpr int SHAPES = (int)(sizeof shapes / sizeof *shapes);

share share_of_shape(const shape &s, int nodes)
{
    return s.targets == 8 ? share_of<8>(nodes) : s.targets == 10 ? share_of<10>(nodes) : s.targets == 16 ? share_of<16>(nodes) : share_of<32>(nodes);
}

int width_of(const shape &s, int nodes)
{
    return share_of_shape(s, nodes).rounds * QUAD * (WARP / s.targets);
}

int64_t shared_of(const shape &s, int nodes)
{
    return (int64_t)s.key_bytes * ((int64_t)width_of(s, nodes) * (s.targets + s.layers) + 2 * WARPS * s.layers * s.targets);
}

// Estimates, from times of all shapes on an H200 (NOTES.md). A step's barrier and its way through the L2 cache; then, for each load of
// a unit: its own time, that of each target, and that of each transition. Arcs that a multiprocessor takes again, a second.
constexpr double STEP_S = 3e-6, LOAD_S = 5e-7, TARGET_S = 2e-8, TRANSITION_S = 2.8e-11, ARCS_RATE = 3e9, WIDE_FACTOR = 4;

// Sets strips, groups, layers and blocks for the shape, and the seconds of a whole pass.
cudaError_t measure(vrp_q_device_plan *plan, int index, int multiprocessors, double *seconds)
{
    const shape &s = shapes[index];
    int each = 0;
    cudaError_t error = allow_shared(s.kernel, (size_t)shared_of(s, plan->nodes));
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, s.kernel, THREADS, (size_t)shared_of(s, plan->nodes));
    if (error != cudaSuccess || each == 0)
        return error != cudaSuccess ? error : cudaErrorInvalidConfiguration;
    const int strips = (plan->nodes - 1 + s.targets - 1) / s.targets, resident = each * multiprocessors;
    const int needed = (plan->least_demand + s.layers - 1) / s.layers, room = resident / strips > 1 ? resident / strips : 1;
    const int groups = needed < room ? needed : room, units = strips * groups;
    const int blocks = units < resident ? units : resident, turns = (units + blocks - 1) / blocks;
    const int shared_turns = (units + multiprocessors - 1) / multiprocessors;
    const double width = width_of(s, plan->nodes), load_s = LOAD_S + s.targets * (TARGET_S + TRANSITION_S * width);
    plan->shape = index;
    plan->targets = s.targets;
    plan->strips = strips;
    plan->groups = groups;
    plan->layers = plan->least_demand < groups * s.layers ? plan->least_demand : groups * s.layers;
    plan->blocks = blocks;
    plan->shared_bytes = (int32_t)shared_of(s, plan->nodes);
    plan->step_s = STEP_S + shared_turns * s.layers * load_s * (s.key_bytes == 8 ? WIDE_FACTOR : 1) +
                   (turns > 1 ? turns * width * s.targets / ARCS_RATE : 0);
    const double steps = (double)(plan->capacity - plan->least_demand) / plan->layers;
    *seconds = (steps > 0 ? steps : 0) * plan->step_s;
    return cudaSuccess;
}

}  // namespace

// ---- Launchers

int32_t vrp_q_shapes(void)
{
    return SHAPES;
}

void vrp_q_shape_text(int32_t shape, char *text, size_t size)
{
    snprintf(text, size, "%d targets, %d loads, %d bits", shapes[shape].targets, shapes[shape].layers, 8 * shapes[shape].key_bytes);
}

cudaError_t vrp_q_choose_shape(vrp_q_device_plan *plan, bool is_wide, int32_t asked, int multiprocessors, int shared_bytes_most)
{
    double best_s = -1;
    vrp_q_device_plan best = *plan;
    best.is_wide = is_wide;
    best.shared_bytes = INT32_MAX;
    for (int k = 0; k < SHAPES; k++) {
        vrp_q_device_plan tried = *plan;
        double seconds = 0;
        const int64_t bytes = shared_of(shapes[k], plan->nodes);
        if ((shapes[k].key_bytes == 8) != is_wide || (asked >= 0 && asked != k))
            continue;
        if (bytes > shared_bytes_most) {
            if (best_s < 0 && bytes < best.shared_bytes)
                best.shared_bytes = (int32_t)bytes;
            continue;
        }
        tried.is_wide = is_wide;
        const cudaError_t error = measure(&tried, k, multiprocessors, &seconds);
        if (error != cudaSuccess)
            return error;
        if (best_s < 0 || seconds < best_s) {
            best = tried;
            best_s = seconds;
        }
    }
    *plan = best;
    return best_s < 0 ? cudaErrorInvalidConfiguration : cudaSuccess;
}

cudaError_t vrp_q_launch_begin(const vrp_q_device_plan *plan, cudaStream_t stream)
{
    const cudaError_t error = cudaMemsetAsync(plan->d_control, 0, sizeof *plan->d_control, stream);
    return error != cudaSuccess ? error : launch(begin, dim3(BEGIN_BLOCKS), BEGIN_THREADS, 0, stream, *plan);
}

cudaError_t vrp_q_launch_steps(const vrp_q_device_plan *plan, int32_t first, int32_t last, cudaStream_t stream)
{
    void *arguments[] = {const_cast<vrp_q_device_plan *>(plan), &first, &last};
    const cudaError_t error =
        cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(shapes[plan->shape].kernel), dim3((unsigned int)plan->blocks), dim3(THREADS),
                                    arguments, (size_t)plan->shared_bytes, stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}
