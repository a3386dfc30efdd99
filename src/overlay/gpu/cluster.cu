// SPDX-License-Identifier: MIT
// Whole runs of std on a complete instance of up to 1,024 nodes by one cluster of C blocks: what whole.cu does with words through the L2 cache
// goes through shared memory here.
//
// Mapping. A block of 512 threads has 1,024 / C rows, and all nodes in shared memory, in ascending order of uptime. A warp looks at 4 rows at a
// time; lane k of a group of 32 nodes looks at the k-th of them. Near the optimum few links lie above the duals of their ends, and they join
// nodes of like uptime. So floats sort out groups first, then links, and only what they leave is computed, in integers: floats err to the safe
// side and decide nothing. Of 1,000 nodes a row looks at 8.5 of 32 groups on average, and finds one link in 10 rows.
//
// An iteration. Each warp writes the excesses of its rows and the pieces of its sums to the shared memory of all blocks. Behind a barrier of
// the cluster every block adds up the pieces and moves all duals by itself.
//
// Operations of 1,000 nodes, C = 16: 4 warps a scheduler, 9 groups of 25 instructions each, and 150 more: 1,500 cycles at most, 0.8 us.
#include "overlay/gpu/rows.cuh"

namespace {

constexpr int THREADS = 512, WARPS = THREADS / WARP, MOST = OVERLAY_GPU_WHOLE_MOST, GROUPS = MOST / WARP, ROWS = 4;
constexpr int SENDERS = MOST / ROWS;  // warps of all blocks that have rows
// A sum goes in three pieces of 22 bits. Sums of 1,024 first or second pieces fit 32 bits; those of the third do since they have 20 bits, or 22 of
// the worths of 4 rows.
constexpr int PIECE_BITS = 22, PIECES = 3, KINDS = 3 * PIECES, MESSAGE = 12;  // worths, what nodes pay, squares; words, padded to 16 bytes
constexpr uint32_t PIECE = (1u << PIECE_BITS) - 1;

struct cluster_room {
    uint4 message[OVERLAY_GPU_SLOTS][SENDERS][MESSAGE / 4];
    int4 excess[OVERLAY_GPU_SLOTS][MOST / ROWS];
    float2 price[MOST];  // of 1: an uptime, or a bit more; a dual, or a bit less
    float2 group[GROUPS];
    uint32_t uptime[MOST], cap[MOST], bandwidth[MOST], dual[MOST];
    int32_t order[MOST];
    uint32_t total[KINDS];
};

struct cluster_task {
    overlay_gpu_plan plan;
    int32_t count;
    bool from_best;
};

// ---- Clusters

DEVICE uint32_t rank_in_cluster()
{
    uint32_t rank = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#endif
    return rank;
}

// What any thread of the cluster wrote before, to shared memory of any block, is visible behind it.
DEVICE void cluster_barrier()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
    __syncthreads();
#endif
}

// Writes 16 bytes to the same place in the shared memory of block `rank`.
DEVICE void give(void *shared, uint32_t rank, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    const uint32_t here = (uint32_t)__cvta_generic_to_shared(shared);
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
    asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(there), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
#else
    if (rank == 0)
        *reinterpret_cast<uint4 *>(shared) = {a, b, c, d};
#endif
}

// ---- Floats that err to the safe side: both roundings together are below 2^-22

constexpr float UNIT = 1.0f / 4294967296.0f, MARGIN = 1.0f / 4194304.0f;

DEVICE float not_less(uint32_t value)
{
    return (float)value * (UNIT * (1 + MARGIN));
}

DEVICE float not_more(uint32_t value)
{
    return (float)value * (UNIT * (1 - MARGIN));
}

// ---- The nodes

// Nodes in ascending order of uptime, equal ones by number. Places behind them have uptime 0 and the greatest dual: no link reaches them.
DEVICE void open_nodes(const cluster_task &t, cluster_room &room, bool from_best)
{
    const overlay_gpu_plan &p = t.plan;
    uint32_t *const raw = room.uptime;
    for (int i = (int)threadIdx.x; i < MOST; i += THREADS)
        raw[i] = i < p.nodes ? p.d_node[0][i].uptime : 0;
    __syncthreads();
    int place[MOST / THREADS];
    for (int k = 0; k < MOST / THREADS; k++) {
        const int i = k * THREADS + (int)threadIdx.x;
        place[k] = i < p.nodes ? 0 : i;
        for (int j = 0; i < p.nodes && j < p.nodes; j++)
            place[k] += raw[j] < raw[i] || (raw[j] == raw[i] && j < i) ? 1 : 0;
    }
    __syncthreads();  // the uptimes have been read
    for (int k = 0; k < MOST / THREADS; k++) {
        const int i = k * THREADS + (int)threadIdx.x, at = place[k];
        const overlay_gpu_node me = i < p.nodes ? p.d_node[0][i] : overlay_gpu_node{0, 0, UINT32_MAX, 0};
        room.uptime[at] = me.uptime;
        room.cap[at] = me.cap;
        room.bandwidth[at] = me.bandwidth;
        room.dual[at] = i < p.nodes && from_best ? p.d_best[i] : me.dual;
        room.order[at] = i;
    }
    __syncthreads();
}

// Prices of the nodes and of their groups. A warp has 32 nodes side by side. All threads call it; a barrier follows.
DEVICE void set_prices(cluster_room &room)
{
    for (int at = (int)threadIdx.x; at < MOST; at += THREADS) {
        const uint32_t least = __reduce_min_sync(ALL_LANES, room.dual[at]), greatest = __reduce_max_sync(ALL_LANES, room.uptime[at]);
        room.price[at] = {not_less(room.uptime[at]), not_more(room.dual[at])};
        if (at % WARP == 0)
            room.group[at / WARP] = {not_less(greatest), not_more(least)};
    }
}

// ---- Rows

// Four rows side by side: sums of a lane, then of all.
struct four_rows {
    uint32_t uptime[ROWS], cap[ROWS], dual[ROWS], load[ROWS];
    uint64_t low, high;  // of the worths: sums of their low and high words
    float above[ROWS], below[ROWS];
};

// The links between the rows and the nodes of a group, exactly.
DEVICE void add_group(const cluster_room &room, int first, int at, four_rows &rows)
{
    const uint32_t uptime = room.uptime[at], cap = room.cap[at], dual = room.dual[at];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const uint32_t excess = at == first + r ? 0 : above(__umulhi(rows.uptime[r], uptime), dual);
        const uint32_t most = excess > rows.dual[r] ? lesser(rows.cap[r], cap) : 0;
        const uint64_t worth = (uint64_t)above(excess, rows.dual[r]) * most;
        rows.load[r] += most;
        rows.low += (uint32_t)worth;
        rows.high += worth >> 32;
    }
}

// Sums of the rows first .. first + 3. True: they are not all 0.
DEVICE bool add_rows(const cluster_room &room, int first, four_rows &rows)
{
    const int lane = (int)(threadIdx.x % WARP);
    bool is_near = false, has_links = false;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const float2 price = room.price[first + r];
        rows.uptime[r] = room.uptime[first + r];
        rows.cap[r] = room.cap[first + r];
        rows.dual[r] = room.dual[first + r];
        rows.load[r] = 0;
        rows.above[r] = price.x;
        rows.below[r] = price.y;
        is_near = is_near || fmaf(price.x, room.group[lane].x, -room.group[lane].y) > price.y;
    }
    rows.low = rows.high = 0;
    for (uint32_t groups = __ballot_sync(ALL_LANES, is_near); groups != 0; groups &= groups - 1) {
        const int at = (__ffs((int)groups) - 1) * WARP + lane;
        const float2 price = room.price[at];
        bool is_link = false;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            is_link = is_link || fmaf(rows.above[r], price.x, -price.y) > rows.below[r];
        if (__any_sync(ALL_LANES, is_link)) {
            add_group(room, first, at, rows);
            has_links = true;
        }
    }
    return has_links;
}

DEVICE void split(uint64_t value, uint32_t (&piece)[PIECES])
{
    piece[0] = (uint32_t)value & PIECE;
    piece[1] = (uint32_t)(value >> PIECE_BITS) & PIECE;
    piece[2] = (uint32_t)(value >> 2 * PIECE_BITS);
}

// The work of a warp: its four rows, and what it tells all blocks of them.
template <int C> DEVICE void tell(cluster_room &room, int nodes, int sender, int slot)
{
    const int lane = (int)(threadIdx.x % WARP), first = ROWS * sender;
    four_rows rows;
    uint32_t worth[PIECES] = {0, 0, 0}, paid[PIECES], square[PIECES];
    if (add_rows(room, first, rows)) {
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            rows.load[r] = __reduce_add_sync(ALL_LANES, rows.load[r]);
        const uint64_t low = sum_of_lanes(rows.low), high = sum_of_lanes(rows.high) + (low >> 32);  // 66 bits: pieces of 22
        worth[0] = (uint32_t)low & PIECE;
        worth[1] = ((uint32_t)low >> PIECE_BITS | (uint32_t)(high << (32 - PIECE_BITS))) & PIECE;
        worth[2] = (uint32_t)(high >> (2 * PIECE_BITS - 32));
    }
    int32_t excess[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        excess[r] = (int32_t)(rows.load[r] - room.bandwidth[first + r]);
    const int32_t mine = lane == 0 ? excess[0] : lane == 1 ? excess[1] : lane == 2 ? excess[2] : excess[3];
    split(lane < ROWS && first + lane < nodes ? 2 * ((uint64_t)room.dual[first + lane] * room.bandwidth[first + lane]) : 0, paid);
    split(lane < ROWS ? (uint64_t)((int64_t)mine * mine) : 0, square);
#pragma unroll
    for (int k = 0; k < PIECES; k++) {
        paid[k] = __reduce_add_sync(ALL_LANES, paid[k]);
        square[k] = __reduce_add_sync(ALL_LANES, square[k]);
    }
    uint4 *const message = room.message[slot][sender];
    if (lane < C) {
        give(&room.excess[slot][sender], (uint32_t)lane, (uint32_t)excess[0], (uint32_t)excess[1], (uint32_t)excess[2], (uint32_t)excess[3]);
        give(message + 2, (uint32_t)lane, square[2], 0, 0, 0);
    } else if (lane < 2 * C) {
        give(message, (uint32_t)(lane - C), worth[0], worth[1], worth[2], paid[0]);
        give(message + 1, (uint32_t)(lane - C), paid[1], paid[2], square[0], square[1]);
    }
}

// ---- After the barrier

// A warp adds up one kind of pieces.
DEVICE void add_up(cluster_room &room, int slot)
{
    const int warp = (int)(threadIdx.x / WARP), lane = (int)(threadIdx.x % WARP);
    const uint32_t *const words = reinterpret_cast<const uint32_t *>(room.message[slot]);
    uint32_t sum = 0;
    if (warp >= KINDS)
        return;
#pragma unroll
    for (int k = 0; k < SENDERS / WARP; k++)
        sum += words[(k * WARP + lane) * MESSAGE + warp];
    sum = __reduce_add_sync(ALL_LANES, sum);
    if (lane == 0)
        room.total[warp] = sum;
}

DEVICE wide_sum total_of(const cluster_room &room, int kind)
{
    const uint64_t middle = room.total[kind * PIECES + 1], high = room.total[kind * PIECES + 2];
    wide_sum sum = {room.total[kind * PIECES], 0};
    add_to(sum, middle << PIECE_BITS);
    add_to(sum, high << 2 * PIECE_BITS, high >> (64 - 2 * PIECE_BITS));
    return sum;
}

template <int C> __global__ void __launch_bounds__(THREADS, 1) run_cluster(const __grid_constant__ cluster_task t)
{
    cluster_room &room = *dynamic_shared<cluster_room>();
    const overlay_gpu_plan &p = t.plan;
    const int rank = (int)rank_in_cluster(), warp = (int)(threadIdx.x / WARP);
    const bool is_writer = rank == 0 && threadIdx.x == 0;
    overlay_gpu_state s = p.d_state[0];
    s.changes = 0;
    open_nodes(t, room, t.from_best && s.least_high != UINT64_MAX);
    set_prices(room);
    cluster_barrier();  // all blocks are there
    for (int32_t at = 0; at < t.count; at++) {
        const int slot = at % OVERLAY_GPU_SLOTS;
        for (int sender = warp * C + rank; sender < SENDERS; sender += WARPS * C)
            tell<C>(room, p.nodes, sender, slot);
        cluster_barrier();
        add_up(room, slot);
        __syncthreads();
        wide_sum bound = total_of(room, 0);
        const wide_sum paid = total_of(room, 1);
        add_to(bound, paid.low, paid.high);
        const bool is_less = take_bound(s, bound, p.d_log, is_writer);
        const double length = step_length(s, p.rules, is_less, bound, norm_of(p.rules, total_of(room, 2)));
        for (int k = (int)threadIdx.x; k < p.nodes; k += THREADS) {
            if (is_less && k % C == rank)
                p.d_best[room.order[k]] = room.dual[k];
            room.dual[k] = stepped(room.dual[k], length, reinterpret_cast<const int32_t *>(room.excess[slot])[k]);
        }
        __syncwarp();
        set_prices(room);
        __syncthreads();
    }
    for (int k = (int)threadIdx.x; k < p.nodes; k += THREADS)
        if (k % C == rank)
            p.d_node[0][room.order[k]].dual = room.dual[k];
    if (is_writer)
        p.d_state[0] = s;
}

typedef void cluster_kernel(const cluster_task);

cluster_kernel *kernel_of(int blocks)
{
    return blocks == 16 ? run_cluster<16> : run_cluster<8>;
}

// `attribute` lives as long as the result.
cudaLaunchConfig_t config_of(cudaLaunchAttribute *attribute, int blocks, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    *attribute = {};
    attribute->id = cudaLaunchAttributeClusterDimension;
    attribute->val.clusterDim.x = (unsigned int)blocks;
    attribute->val.clusterDim.y = 1;
    attribute->val.clusterDim.z = 1;
    config.gridDim = dim3((unsigned int)blocks);
    config.blockDim = dim3(THREADS);
    config.dynamicSmemBytes = sizeof(cluster_room);
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = 1;
    return config;
}

}  // namespace

extern "C" cudaError_t overlay_gpu_cluster_fits(int blocks, bool *fits)
{
    const void *const kernel = (const void *)kernel_of(blocks);
    cudaFuncAttributes of = {};
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = config_of(&attribute, blocks, NULL);
    int clusters = 0;
    *fits = false;
    cudaError_t error = cudaFuncGetAttributes(&of, kernel);
    if (error != cudaSuccess || of.ptxVersion < 90)  // code of older devices has no clusters
        return error;
    error = allow_shared(kernel_of(blocks), sizeof(cluster_room));
    if (error == cudaSuccess && blocks > 8)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
    *fits = error == cudaSuccess && clusters > 0;
    if (error == cudaErrorInvalidClusterSize || error == cudaErrorInvalidValue) {
        (void)cudaGetLastError();  // this device has no such cluster
        error = cudaSuccess;
    }
    return error;
}

extern "C" cudaError_t overlay_gpu_launch_cluster(const overlay_gpu_plan *plan, int32_t count, bool from_best, cudaStream_t stream)
{
    const cluster_task task = {*plan, count, from_best};
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = config_of(&attribute, plan->whole_cluster, stream);
    return cudaLaunchKernelEx(&config, kernel_of(plan->whole_cluster), task);
}
