// SPDX-License-Identifier: MIT
// Dense ng tables on a GPU (ng.h; the reference is ng_ref.c): a persistent kernel that waits for rows, not for all blocks.
//
// Mapping. A block has one customer k and takes its rows (loads) in turn; several blocks share a customer where there is room. For a
// cell the block scans the row of base values of load q - demand(k): far predecessors collapse to one minimum, near ones are live if
// base value and arc are below it. The live pairs are dealt out to the warps. A lane has the sets m = lane + 32 j: it reads the entries
// of the predecessor's cell that they map to, and keeps minima in registers. The warps meet in shared memory. Cells of more than 512 sets
// are made in parts of 512.
//
// Waits. Each row has a counter of finished cells. A cell waits for the one row that it reads, so customers of large demands run ahead
// of those that hold up a row. The wait ends: a cooperative launch has all blocks on the device, each takes its cells by rows upwards,
// and the cells of the least unfinished row read finished rows only.
//
// Bytes. A cell reads 4 stride bytes of base values (and as many of far arcs, from shared memory), 4 sets bytes for each live pair, and
// writes 4 sets + 4: with 1000 customers, sets of 8 and some 9 live pairs 9 KB a cell, from the L2 cache where the table fits it.
// Rate. An H200 makes 131,000 such cells in 131 rows in 0.62 ms, some 2 TB/s; 160,000 cells of 203 customers with 50 independent rows in
// 0.37 ms. Limit: a row that waits for the row before takes 2.3 to 6 microseconds, by the number of customers.
#include "device/barrier.cuh"
#include "vrp/bound/relax/ng_tables.cuh"

namespace {

using namespace mco;

constexpr int NAP_NS = 100, NEAR_CELLS = 32;  // of a wait for a row

// ---- Begin: clear, sort arcs

constexpr unsigned int BEGIN_BLOCKS = 528, BEGIN_THREADS = 512;

DEVICE int32_t arc_of(const vrp_ng_device_plan &plan, int side, int from, int to)
{
    const int row = plan.is_symmetric ? max(from, to) : side + plan.first_side == 1 ? to : from;
    const int32_t arc = plan.d_arcs[(int64_t)row * plan.stride + (from + to - row)];
    return arc < NO_ARC ? arc : APART;
}

__global__ void begin(const vrp_ng_device_plan plan)
{
    const int64_t threads = (int64_t)gridDim.x * blockDim.x, own = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t cells = ((int64_t)plan.capacity + 1) * plan.stride, arcs = (int64_t)plan.nodes * plan.stride;
    for (int64_t at = own; at < cells * plan.sides; at += threads)
        plan.d_base[at] = NO_PATH;
    for (int64_t at = own; at < (int64_t)plan.rows * plan.sides; at += threads)
        plan.d_done[at] = 0;
    for (int64_t at = own; at < arcs * plan.sides; at += threads) {
        const int side = at >= arcs ? 1 : 0;
        const int k = (int)((at - side * arcs) / plan.stride), i = (int)((at - side * arcs) % plan.stride);
        plan.d_far[at] = i > 0 && i < plan.nodes && k > 0 && i != k ? arc_of(plan, side, i, k) : APART;
    }
}

__global__ void take_near(const vrp_ng_device_plan plan)
{
    const int a = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (a >= plan.pairs * plan.sides)
        return;
    const int side = a / plan.pairs, to = plan.d_to[a % plan.pairs];
    int32_t *const far = plan.d_far + ((int64_t)side * plan.nodes + to) * plan.stride + plan.d_near[a].from;
    plan.d_near[a].arc = *far;
    *far = APART;
}

// ---- What a block knows of its customer

struct customer {
    int k, side, demand;
    int first, pairs;                   // of the near pairs to k
};

// Shared memory of a block. The last three only where the customer stays: his arcs and maps.
struct block_memory {
    int32_t *least;                     // [4: warps]
    int32_t *entry;                     // [warps][sets]
    int32_t *far;                       // [stride]
    vrp_ng_device_near *near;           // [most pairs]
    uint16_t *low, *high;               // [most pairs * 32], [most pairs * highs]
};

constexpr int LEASTS = 4;               // at least warps; what follows is aligned to 16 bytes

template <int WARPS, int PARTS> DEVICE block_memory memory_of(const vrp_ng_device_plan &plan)
{
    block_memory m;
    m.least = dynamic_shared<int32_t>();
    m.entry = m.least + LEASTS;
    m.far = m.entry + WARPS * PARTS * WARP;
    m.near = reinterpret_cast<vrp_ng_device_near *>(m.far + plan.stride);
    m.low = reinterpret_cast<uint16_t *>(m.near + plan.most_pairs);
    m.high = m.low + plan.most_pairs * WARP;
    return m;
}

// Units of work: customers by side by group.
DEVICE customer customer_of(const vrp_ng_device_plan &plan, int unit)
{
    const int customers = plan.nodes - 1;
    customer c;
    c.k = 1 + unit % customers;
    c.side = unit / customers % plan.sides;
    c.demand = plan.d_demand[c.k];
    c.first = plan.d_first_pair[c.k];
    c.pairs = plan.d_first_pair[c.k + 1] - c.first;
    return c;
}

DEVICE int group_of(const vrp_ng_device_plan &plan, int unit) { return unit / ((plan.nodes - 1) * plan.sides); }

DEVICE const int32_t *device_far(const vrp_ng_device_plan &plan, const customer &c)
{
    return plan.d_far + ((int64_t)c.side * plan.nodes + c.k) * plan.stride;
}

DEVICE const vrp_ng_device_near *device_near(const vrp_ng_device_plan &plan, const customer &c)
{
    return plan.d_near + (int64_t)c.side * plan.pairs + c.first;
}

template <bool STAYS> DEVICE int4 far_quad(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c, int quad)
{
    return reinterpret_cast<const int4 *>(STAYS ? m.far : device_far(plan, c))[quad];
}

template <bool STAYS> DEVICE vrp_ng_device_near near_at(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c, int pair)
{
    return STAYS ? m.near[pair] : device_near(plan, c)[pair];
}

template <class T> DEVICE void copy_words(T *to, const T *from, int count, int threads)
{
    const int words = count * (int)sizeof(T) / (int)sizeof(uint32_t);
    for (int w = (int)threadIdx.x; w < words; w += threads)
        reinterpret_cast<uint32_t *>(to)[w] = reinterpret_cast<const uint32_t *>(from)[w];
}

// Copies the customer's arcs and maps to shared memory.
template <int WARPS> DEVICE void keep(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c)
{
    copy_words(m.far, device_far(plan, c), plan.stride, WARPS * WARP);
    copy_words(m.near, device_near(plan, c), c.pairs, WARPS * WARP);
    copy_words(m.low, plan.d_low + (int64_t)c.first * WARP, c.pairs * WARP, WARPS * WARP);
    const int highs = vrp_ng_highs(plan.sets);
    copy_words(m.high, plan.d_high + (int64_t)c.first * highs, c.pairs * highs, WARPS * WARP);
    __syncthreads();
}

// ---- A cell

template <int WARPS> DEVICE void fill(const vrp_ng_device_plan &plan, const customer &c, int row, int load, int32_t value)
{
    int32_t *const cell = cell_of(plan, c.side, row, c.k);
    for (int m = (int)threadIdx.x; m < plan.sets; m += WARPS * WARP)
        cell[m] = value;
    if (threadIdx.x == 0)
        plan.d_base[((int64_t)c.side * (plan.capacity + 1) + load) * plan.stride + c.k] = value;
}

// The least sum of a base value and a far arc, or NO_PATH / 2: the same in all threads.
template <int WARPS, bool STAYS>
DEVICE int32_t far_minimum(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c, const int32_t *base)
{
    int32_t least = NO_PATH / 2;
#pragma unroll 2
    for (int i = (int)threadIdx.x; i < plan.stride / 4; i += WARPS * WARP) {
        const int4 value = reinterpret_cast<const int4 *>(base)[i], arc = far_quad<STAYS>(plan, m, c, i);
        least = __viaddmin_s32(value.x, arc.x, least);
        least = __viaddmin_s32(value.y, arc.y, least);
        least = __viaddmin_s32(value.z, arc.z, least);
        least = __viaddmin_s32(value.w, arc.w, least);
    }
    least = __reduce_min_sync(ALL_LANES, least);
    if (threadIdx.x % WARP == 0)
        m.least[threadIdx.x / WARP] = least;
    __syncthreads();
#pragma unroll
    for (int w = 0; w < WARPS; w++)
        least = min(least, m.least[w]);
    return least;
}

constexpr int MOST_PARTS = 16;          // sets of a lane; cells of more sets are made part by part

// Where all sets are done at once, their number is a constant.
template <int PARTS> DEVICE int sets_of(const vrp_ng_device_plan &plan) { return PARTS < MOST_PARTS ? PARTS * WARP : plan.sets; }

// The entries of a near predecessor that a lane's sets from `first` on map to.
template <int PARTS> struct reading {
    int32_t entry[PARTS], arc;
    uint32_t needed;
};

template <int PARTS, bool STAYS>
DEVICE void read(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c, const int32_t *cells, int pair, int first,
                 int lane, reading<PARTS> *out)
{
    const vrp_ng_device_near near = near_at<STAYS>(plan, m, c, pair);
    const int sets = sets_of<PARTS>(plan), highs = vrp_ng_highs(sets);
    const uint16_t *const low = STAYS ? m.low + pair * WARP : plan.d_low + (int64_t)(c.first + pair) * WARP;
    const uint16_t *const high = (STAYS ? m.high + pair * highs : plan.d_high + (int64_t)(c.first + pair) * highs) + first / WARP;
    const uint32_t *const twos = reinterpret_cast<const uint32_t *>(high);
    const int32_t *const cell = cells + (int64_t)near.from * sets;
    const int own = low[lane];
    out->arc = near.arc;
    out->needed = near.needed;
#pragma unroll
    for (int j = 0; j < PARTS; j++)
        out->entry[j] = cell[own | (int)(twos[j / 2] >> (j % 2 * 16) & 0xffff)];
}

template <int PARTS> DEVICE void lower(const reading<PARTS> &r, int first, int lane, int32_t best[PARTS])
{
#pragma unroll
    for (int j = 0; j < PARTS; j++)
        if (((uint32_t)(first + lane + WARP * j) & r.needed) == r.needed)
            best[j] = __viaddmin_s32(r.entry[j], r.arc, best[j]);
}

// Of the live pairs of a round, a bit each, those with rank = warp modulo WARPS; `before` were dealt out in earlier rounds.
template <int WARPS> DEVICE uint32_t share_of(uint32_t live, int before, int warp, int lane)
{
    const int rank = before + __popc(live & ((1u << lane) - 1));
    return __ballot_sync(ALL_LANES, (live >> lane & 1) != 0 && rank % WARPS == warp);
}

template <bool STAYS>
DEVICE int32_t near_value(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c, const int32_t *base, int pair)
{
    if (pair >= c.pairs)
        return NO_PATH;
    const vrp_ng_device_near near = near_at<STAYS>(plan, m, c, pair);
    return base[near.from] + near.arc;
}

// The minima of the sets first, first + 1, .. over the live pairs of a warp. `value` is near_value() of the lane's first pair. Returns how
// many pairs live, the same in all warps.
template <int WARPS, int PARTS, bool STAYS>
DEVICE int read_live(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c, const int32_t *base, const int32_t *cells,
                     int first, int32_t value, int32_t far, int32_t best[PARTS])
{
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    int dealt = 0;
#pragma unroll
    for (int j = 0; j < PARTS; j++)
        best[j] = far;
#pragma unroll 1
    for (int round = 0; round < c.pairs; round += WARP) {
        if (round > 0)
            value = near_value<STAYS>(plan, m, c, base, round + lane);
        const uint32_t live = __ballot_sync(ALL_LANES, value < far);
        uint32_t own = share_of<WARPS>(live, dealt, warp, lane);
        dealt += __popc(live);
#pragma unroll 1
        while (own != 0) {
            reading<PARTS> one, two;
            read<PARTS, STAYS>(plan, m, c, cells, round + __ffs((int)own) - 1, first, lane, &one);
            own &= own - 1;
            if (PARTS <= 4 && own != 0) {  // two in flight
                read<PARTS, STAYS>(plan, m, c, cells, round + __ffs((int)own) - 1, first, lane, &two);
                own &= own - 1;
                lower<PARTS>(two, first, lane, best);
            }
            lower<PARTS>(one, first, lane, best);
        }
    }
    return dealt;
}

// The warps' minima of the sets first, first + 1, .. become entries.
template <int WARPS, int PARTS>
DEVICE void write_sets(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c, int row, int load, int first, int32_t far,
                       const int32_t best[PARTS])
{
    constexpr int SETS = PARTS * WARP;
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    int32_t *const cell = cell_of(plan, c.side, row, c.k) + first;
#pragma unroll
    for (int j = 0; j < PARTS; j++)
        m.entry[warp * SETS + WARP * j + lane] = best[j];
    __syncthreads();
    for (int s = (int)threadIdx.x; s < SETS; s += WARPS * WARP) {
        int32_t least = far;
#pragma unroll
        for (int w = 0; w < WARPS; w++)
            least = min(least, m.entry[w * SETS + s]);
        cell[s] = is_path(least) ? least : NO_PATH;
        if (first + s == sets_of<PARTS>(plan) - 1 && is_path(least))
            plan.d_base[((int64_t)c.side * (plan.capacity + 1) + load) * plan.stride + c.k] = least;
    }
}

// F(load, k, all sets) from the row of load - demand(k).
template <int WARPS, int PARTS, bool STAYS>
DEVICE void make_cell(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c, int row, int load, int row_before)
{
    const int32_t *const base = base_of(plan, c.side, load - c.demand), *const cells = cell_of(plan, c.side, row_before, 0);
    const int32_t value = near_value<STAYS>(plan, m, c, base, (int)threadIdx.x % WARP);
    const int32_t far = far_minimum<WARPS, STAYS>(plan, m, c, base);
#pragma unroll 1
    for (int first = 0; first < sets_of<PARTS>(plan); first += PARTS * WARP) {
        int32_t best[PARTS];
        if (first > 0)
            __syncthreads();
        if (read_live<WARPS, PARTS, STAYS>(plan, m, c, base, cells, first, value, far, best) == 0) {
            if (is_path(far))  // all sets have it
                fill<WARPS>(plan, c, row, load, far);
            return;
        }
        write_sets<WARPS, PARTS>(plan, m, c, row, load, first, far, best);
    }
}

// The cell of customer c in the row, if there is one.
template <int WARPS, int PARTS, bool STAYS>
DEVICE void take_row(const vrp_ng_device_plan &plan, const block_memory &m, const customer &c, int row)
{
    const int load = plan.d_load[row], before = load - c.demand;
    uint32_t *const done = plan.d_done + (int64_t)c.side * plan.rows;
    if (before < 0)
        return;
    const int row_before = plan.d_row[before];
    if (before > 0 && row_before < 0)
        return;
    if (before == 0) {
        const int32_t arc = arc_of(plan, c.side, 0, c.k);
        if (arc < NO_ARC)
            fill<WARPS>(plan, c, row, load, arc);
    } else {
        wait_for_count<NAP_NS, NEAR_CELLS>(done + row_before, plan.d_needed[row_before]);
        make_cell<WARPS, PARTS, STAYS>(plan, m, c, row, load, row_before);
    }
    announce(done + row);
}

// A block for each unit.
template <int WARPS, int PARTS, int EACH> __global__ void __launch_bounds__(WARPS * WARP, EACH)
rows_of_one(const vrp_ng_device_plan plan, int32_t first, int32_t last)
{
    const block_memory m = memory_of<WARPS, PARTS>(plan);
    const customer c = customer_of(plan, (int)blockIdx.x);
    const int group = group_of(plan, (int)blockIdx.x);
    keep<WARPS>(plan, m, c);
    for (int row = first + (group + plan.groups - first % plan.groups) % plan.groups; row < last; row += plan.groups)
        take_row<WARPS, PARTS, true>(plan, m, c, row);
}

// Blocks take the units in turn, row by row.
template <int WARPS, int PARTS, int EACH> __global__ void __launch_bounds__(WARPS * WARP, EACH)
rows_of_all(const vrp_ng_device_plan plan, int32_t first, int32_t last)
{
    const block_memory m = memory_of<WARPS, PARTS>(plan);
    const int units = (plan.nodes - 1) * plan.sides;
    for (int row = first; row < last; row++)
        for (int unit = (int)blockIdx.x; unit < units; unit += (int)gridDim.x)
            take_row<WARPS, PARTS, false>(plan, m, customer_of(plan, unit), row);
}

// ---- Shapes

constexpr int SIZES = 5;                // parts of 1, 2, 4, 8, MOST_PARTS

struct shape {
    void (*kernel[SIZES])(const vrp_ng_device_plan, int32_t, int32_t);
    int warps;
    bool stays;
};

#define EACH_SIZE(rows, warps, each) {rows<warps, 1, each>, rows<warps, 2, each>, rows<warps, 4, each>, rows<warps, 8, each>, rows<warps, 16, each>}
#define STAYS(warps, each) {EACH_SIZE(rows_of_one, warps, each), warps, true}
#define MOVES(warps, each) {EACH_SIZE(rows_of_all, warps, each), warps, false}
constexpr shape shapes[] = {STAYS(4, 8), STAYS(2, 16), STAYS(2, 24), MOVES(4, 10)};
constexpr int SHAPES = (int)(sizeof shapes / sizeof *shapes);

int parts_of(int sets)
{
    return sets < MOST_PARTS * WARP ? sets / WARP : MOST_PARTS;
}

auto kernel_of(const shape &s, int sets)
{
    int size = 0;
    while (1 << size < parts_of(sets))
        size++;
    return s.kernel[size];
}

int64_t shared_of(const vrp_ng_device_plan &plan, const shape &s)
{
    const int64_t own = (int64_t)sizeof(int32_t) * (LEASTS + s.warps * parts_of(plan.sets) * WARP);
    const int64_t kept = (int64_t)plan.stride * (int64_t)sizeof(int32_t) +
                         plan.most_pairs * (int64_t)(sizeof(vrp_ng_device_near) + sizeof(uint16_t) * (size_t)(WARP + vrp_ng_highs(plan.sets)));
    return own + (s.stays ? kept : 0);
}

// For the length of launches only: a row that waits for the row before, and the rate of base values and entries.
constexpr double WAIT_S = 4e-6, BYTES_RATE = 1e12;

// Sets groups and blocks for the shape. Returns cudaErrorInvalidConfiguration where the device has no room for them.
cudaError_t measure(vrp_ng_device_plan *plan, int index, int32_t independent, int multiprocessors, int shared_bytes_most)
{
    const shape &s = shapes[index];
    const auto kernel = kernel_of(s, plan->sets);
    const int units = (plan->nodes - 1) * plan->sides;
    const int64_t bytes = shared_of(*plan, s);
    int each = 0;
    if (bytes > shared_bytes_most)
        return cudaErrorInvalidConfiguration;
    cudaError_t error = allow_shared(kernel, (size_t)bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, s.warps * WARP, (size_t)bytes);
    const int resident = each * multiprocessors, room = resident / units;
    if (error != cudaSuccess || each == 0 || (s.stays && room == 0))
        return error != cudaSuccess ? error : cudaErrorInvalidConfiguration;
    plan->shape = index;
    plan->warps = s.warps;
    plan->stays = s.stays;
    plan->groups = !s.stays ? 1 : room < independent ? room : independent;
    plan->blocks = units * plan->groups < resident ? units * plan->groups : resident;
    plan->shared_bytes = (int32_t)bytes;
    plan->row_s = WAIT_S + units * (4.0 * plan->stride + (plan->pairs / (plan->nodes - 1.0) + 1) * 4 * plan->sets) / BYTES_RATE;
    return cudaSuccess;
}

}  // namespace

// ---- Launchers

int32_t vrp_ng_shapes(void)
{
    return SHAPES;
}

// Rows that wait for each other want many warps a cell. Independent ones want many blocks. One customer a block comes first.
cudaError_t vrp_ng_choose_shape(vrp_ng_device_plan *plan, int32_t independent, int32_t asked, int multiprocessors, int shared_bytes_most)
{
    bool has_one = false;
    vrp_ng_device_plan best = *plan;
    for (int k = 0; k < SHAPES; k++) {
        vrp_ng_device_plan tried = *plan;
        if (asked >= 0 && asked != k)
            continue;
        const cudaError_t error = measure(&tried, k, independent < 1 ? 1 : independent, multiprocessors, shared_bytes_most);
        if (error == cudaErrorInvalidConfiguration)
            continue;
        if (error != cudaSuccess)
            return error;
        if (!has_one || (tried.stays && tried.groups > best.groups))
            best = tried;
        has_one = true;
    }
    *plan = best;
    return has_one ? cudaSuccess : cudaErrorInvalidConfiguration;
}

cudaError_t vrp_ng_launch_begin(const vrp_ng_device_plan *plan, cudaStream_t stream)
{
    const cudaError_t error = launch(begin, dim3(BEGIN_BLOCKS), BEGIN_THREADS, 0, stream, *plan);
    if (error != cudaSuccess || plan->pairs == 0)
        return error;
    constexpr unsigned int THREADS = 256;
    return launch(take_near, dim3((unsigned int)(plan->pairs * plan->sides + (int)THREADS - 1) / THREADS), THREADS, 0, stream, *plan);
}

cudaError_t vrp_ng_launch_rows(const vrp_ng_device_plan *plan, int32_t first, int32_t last, cudaStream_t stream)
{
    void *arguments[] = {const_cast<vrp_ng_device_plan *>(plan), &first, &last};
    const auto kernel = kernel_of(shapes[plan->shape], plan->sets);
    const cudaError_t error =
        cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel), dim3((unsigned int)plan->blocks),
                                    dim3((unsigned int)(plan->warps * WARP)), arguments, (size_t)plan->shared_bytes, stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}
