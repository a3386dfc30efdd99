// SPDX-License-Identifier: MIT
// One tree of shortest paths on a GPU by asynchronous tiles: kernels and launchers. The reference is paths_ref_tree() (ref.c).
//
// Vertices that are near in memory form tiles. A block owns every so many tiles and takes its tile of least key, the least label
// that waits to enter. It pulls labels over the arcs that enter from other tiles, settles the labels inside, publishes what became
// less, and gives keys to the neighbours that profit. No block waits for another one, and there is no barrier of the grid.
//
// What limits is the way of the wave from vertex to vertex, so all is made for latency. Inside a tile a warp owns a chunk of
// vertices and sweeps them as long as a label falls; then it sleeps until another warp has changed a label that it reads. A sweep
// is one shared load and one fused addition and minimum for each arc, because arcs are turned around and stay in registers. A
// label has one writer, the block of its tile: plain stores publish it.
//
// The end is exact. `pending` counts tiles with a key and tiles in work. A block adds a reserve before it gives keys and settles
// the account after it; the reserve is far above the number of keys that it can give. So `pending` is above zero as long as a
// tile waits or works, and it becomes zero with the last one.
//
// Published relatives: Delling, Katz, Pajor (2011) relax whole regions by tiles; Davidson, Baxter, Garland, Owens (2014) order
// the frontier of a GPU by near and far labels. Labels fall monotonically, and any fair order of relaxations ends at the shortest
// distances (Bertsekas, Tsitsiklis 1989, chapter 6, asynchronous relaxation).
#include "paths/single/cuda.h"
#include "device/kernel.cuh"

namespace {

using namespace mco;

constexpr int SLOTS = PATHS_TILE_SLOTS;
constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr int END = -1;
constexpr int RUNS = PATHS_TILE_WARPS;  // where the bits of warps that sweep begin
constexpr int LOOKS_EACH = 8;           // idle turns between two looks at the words that all blocks share
constexpr unsigned long long RESERVE = 1ull << 40;  // a visit gives fewer than 2^31 keys, and 2^23 blocks may hold one
constexpr unsigned int FELL = 1u << PATHS_TILE_WARPS;  // beside the bits of warps to wake

// Shared memory of a block, before its labels.
struct tile_state {
    unsigned int chunks;  // bit w: chunk w must be swept; bit RUNS + w: warp w sweeps it. 0: the tile is settled
    int halt;             // a warp has made its sweeps: all leave for an exchange
    int tile;             // in work; END: none is left
    int given, taken;     // keys given to tiles that had none; keys of this tile taken while it was in work
    unsigned int sweeps;
    int stops;            // the host has said stop
    int pad;
};

template <class T> DEVICE T read_now(const T *word) { return *const_cast<const volatile T *>(word); }
template <class T> DEVICE T from_first_lane(T value) { return __shfl_sync(ALL_LANES, value, 0); }
DEVICE int lane_id() { return (int)(threadIdx.x % WARP); }
DEVICE int warp_id() { return (int)(threadIdx.x / WARP); }

// What a thread keeps of a tile: arcs into its DEAL vertices. Vertex v of the thread has the number `at(v)` in the tile.
template <int DEAL> struct held_arcs {
    int32_t weight[DEAL][SLOTS];
    int32_t tail[DEAL][SLOTS];
    unsigned int readers[DEAL];
    int more, more_end;  // of the warp

    static DEVICE int at(int v) { return warp_id() * WARP * DEAL + v * WARP + lane_id(); }

    DEVICE void load(const paths_tiles_plan &plan, int tile)
    {
#pragma unroll
        for (int v = 0; v < DEAL; v++) {
            readers[v] = plan.d_readers[(int64_t)tile * plan.tile + at(v)];
#pragma unroll
            for (int k = 0; k < SLOTS; k++) {
                const int64_t entry = ((int64_t)tile * SLOTS + k) * plan.tile + at(v);
                weight[v][k] = plan.d_weight[entry];
                tail[v][k] = plan.d_tail[entry];
            }
        }
        more = more_end = 0;
        if (plan.d_more != nullptr) {
            const int *first = plan.d_more_first + tile * (plan.threads / WARP) + warp_id();
            more = first[0];
            more_end = first[1];
        }
    }
};

// ---- Which tile

// The own tile of least key, or END. One warp calls it. It ends because `pending` becomes zero when all tiles are settled, which
// the blocks that have tiles bring about, or because the host sets `stop`.
DEVICE int pick(const paths_tiles_plan &plan)
{
    const int32_t *key = plan.d_key + (int64_t)blockIdx.x * plan.own;
    for (int turn = 0;; turn++) {
        const bool looks = turn % LOOKS_EACH == 0;
        const unsigned long long pending = looks ? read_now(&plan.d_control->pending) : 1;
        const int stop = looks ? read_now(&plan.d_control->stop) : 0;
        int least = NONE, at = 0;
        for (int i = lane_id(); i < plan.own; i += WARP) {
            const int k = read_now(key + i);
            at = k < least ? i : at;
            least = k < least ? k : least;
        }
        if (from_first_lane((int)(stop != 0 || pending == 0)) != 0)
            return END;
        const int of_all = __reduce_min_sync(ALL_LANES, least);
        if (of_all < NONE) {
            const int who = __ffs((int)__ballot_sync(ALL_LANES, least == of_all)) - 1;
            return (int)blockIdx.x + __shfl_sync(ALL_LANES, at, who) * plan.blocks;
        }
        __nanosleep(20);
    }
}

DEVICE int32_t *key_of(const paths_tiles_plan &plan, int tile)
{
    return plan.d_key + (int64_t)blockIdx.x * plan.own + tile / plan.blocks;
}

// ---- Inside a tile

// Pulls labels over the arcs that enter the tile and wakes the chunks that profit.
DEVICE void pull(const paths_tiles_plan &plan, int tile, tile_state *state, int32_t *s_label)
{
    const int end = plan.d_in_first[tile + 1];
    for (int e = plan.d_in_first[tile] + (int)threadIdx.x; e < end; e += (int)blockDim.x) {
        const paths_tile_border arc = plan.d_in[e];
        const int label = __ldcg(plan.d_label + arc.far) + arc.weight;
        if (label < s_label[arc.local]) {
            atomicMin(&s_label[arc.local], label);
            atomicOr(&state->chunks, (unsigned int)arc.more);
        }
    }
}

// Relaxes all arcs into the chunk of the warp once. Returns whether a label fell; wakes the chunks that read it.
template <int DEAL> DEVICE bool sweep(const paths_tiles_plan &plan, const held_arcs<DEAL> &arcs, tile_state *state, int32_t *s_label)
{
    const volatile int32_t *const label = s_label;
    int before[DEAL], least[DEAL];
    unsigned int wake = 0;
#pragma unroll
    for (int v = 0; v < DEAL; v++) {
        before[v] = least[v] = label[held_arcs<DEAL>::at(v)];
#pragma unroll
        for (int k = 0; k < SLOTS; k++)  // a label is at most NONE, and 2 * NONE < 2^31
            least[v] = min(label[arcs.tail[v][k]] + arcs.weight[v][k], least[v]);
    }
#pragma unroll
    for (int v = 0; v < DEAL; v++)
        if (least[v] < before[v]) {
            atomicMin(&s_label[held_arcs<DEAL>::at(v)], least[v]);
            wake |= arcs.readers[v] | FELL;
        }
    for (int e = arcs.more + lane_id(); e < arcs.more_end; e += WARP) {
        const paths_tile_more arc = plan.d_more[e];
        const int through = label[arc.tail] + arc.weight;
        if (through < label[arc.head] && through < atomicMin(&s_label[arc.head], through)) {
            wake |= ((1u << (blockDim.x / WARP)) - 1) | FELL;
        }
    }
    wake = __reduce_or_sync(ALL_LANES, wake);
    if ((wake & ~FELL) != 0) {
        __threadfence_block();  // the labels come before the bits
        __syncwarp();
        if (lane_id() == 0)
            atomicOr(&state->chunks, wake & ~FELL);
    }
    return wake != 0;
}

// Sweeps until the tile is settled, or until a warp has made plan.exchange sweeps. Every warp calls it. It ends: labels only fall,
// to lengths of walks with fewer arcs than the tile has vertices, and while a bit is set its warp sweeps.
template <int DEAL>
DEVICE void settle(const paths_tiles_plan &plan, const held_arcs<DEAL> &arcs, tile_state *state, int32_t *s_label)
{
    const unsigned int mine = 1u << warp_id(), running = mine << RUNS;
    const int limit = plan.exchange > 0 ? plan.exchange : INT32_MAX;
    int sweeps = 0;
    for (;;) {
        const unsigned int chunks = from_first_lane(read_now(&state->chunks));
        if (chunks == 0 || (plan.exchange > 0 && from_first_lane(read_now(&state->halt)) != 0))
            break;
        if ((chunks & mine) == 0)
            continue;
        if (lane_id() == 0)
            atomicXor(&state->chunks, mine | running);  // only this warp clears the one bit and sets the other
        __syncwarp();
        __threadfence_block();
        bool goes_on;
        do {
            goes_on = sweep<DEAL>(plan, arcs, state, s_label);
            sweeps++;
        } while (goes_on && sweeps < limit && (plan.exchange == 0 || from_first_lane(read_now(&state->halt)) == 0));
        if (lane_id() == 0) {
            if (goes_on)
                atomicOr(&state->chunks, mine);
            if (sweeps >= limit)
                atomicExch(&state->halt, 1);
            atomicAnd(&state->chunks, ~running);
        }
        __syncwarp();
    }
    if (lane_id() == 0 && sweeps > 0)
        atomicAdd(&state->sweeps, (unsigned int)sweeps);
}

// ---- Between tiles

// The key that an arc out of the tile gives, NONE: its head does not profit. A label that was read too early is too great, which
// costs a visit in vain at most.
DEVICE int key_by(const paths_tiles_plan &plan, const paths_tile_border &arc, const int32_t *s_label, const int32_t *s_sent)
{
    const int label = s_label[arc.local];
    if (label >= s_sent[arc.local])
        return NONE;
    const int through = label + arc.weight;
    return through < __ldcg(plan.d_label + arc.far) ? through : NONE;
}

// Gives a key; returns 1 if the tile had none.
DEVICE int give_key(const paths_tiles_plan &plan, const paths_tile_border &arc, int key)
{
    return key < NONE && atomicMin(plan.d_key + arc.more, key) == NONE ? 1 : 0;
}

// Publishes the labels that have fallen since the last time and gives keys to the tiles that profit. All threads call it after a
// barrier; no label changes meanwhile. The fence orders the labels of the whole block before each key.
template <int DEAL>
DEVICE void publish(const paths_tiles_plan &plan, int tile, tile_state *state, const int32_t *s_label, int32_t *s_sent)
{
    const int begin = plan.d_out_first[tile] + (int)threadIdx.x, end = plan.d_out_first[tile + 1];
    paths_tile_border arc = {};
    int key = NONE, given = 0;
    if (begin < end) {
        arc = plan.d_out[begin];
        key = key_by(plan, arc, s_label, s_sent);
    }
#pragma unroll
    for (int v = 0; v < DEAL; v++) {
        const int i = held_arcs<DEAL>::at(v), label = s_label[i];
        if (label < s_sent[i])
            __stcg(plan.d_label + (int64_t)tile * plan.tile + i, label);
    }
    __syncthreads();
    __threadfence();
    given += give_key(plan, arc, key);
    for (int e = begin + (int)blockDim.x; e < end; e += (int)blockDim.x) {
        arc = plan.d_out[e];
        given += give_key(plan, arc, key_by(plan, arc, s_label, s_sent));
    }
    const int of_warp = (int)__reduce_add_sync(ALL_LANES, (unsigned int)given);
    if (lane_id() == 0 && of_warp > 0)
        atomicAdd(&state->given, of_warp);
    __syncthreads();
#pragma unroll
    for (int v = 0; v < DEAL; v++)
        s_sent[held_arcs<DEAL>::at(v)] = s_label[held_arcs<DEAL>::at(v)];
}

// Takes the key of the tile in work. One thread calls it. What the other tiles published before they gave the
// key is visible after it.
DEVICE void take_key(const paths_tiles_plan &plan, int tile, tile_state *state)
{
    state->stops = read_now(&plan.d_control->stop);
    state->taken += atomicExch(key_of(plan, tile), NONE) < NONE ? 1 : 0;
    state->halt = 0;
    __threadfence();
}

// Pulls, settles and publishes until the tile is settled or the host says stop. Each turn but the last one lets a label fall.
template <int DEAL>
DEVICE int visit(const paths_tiles_plan &plan, const held_arcs<DEAL> &arcs, int tile, tile_state *state, int32_t *s_label, int32_t *s_sent)
{
    for (int exchanges = 1;; exchanges++) {
        pull(plan, tile, state, s_label);
        __syncthreads();
        settle<DEAL>(plan, arcs, state, s_label);
        __syncthreads();
        const bool is_settled = state->chunks == 0;  // no warp changes it before the next barrier
        publish<DEAL>(plan, tile, state, s_label, s_sent);
        if (is_settled)
            return exchanges;
        if (threadIdx.x == 0)
            take_key(plan, tile, state);
        __syncthreads();
        if (state->stops != 0)
            return exchanges;
    }
}

// Mapping: a block works on one tile at a time, a warp on a chunk of 32 * DEAL of its vertices, a thread on DEAL of them. All blocks
// are on the device at once (a cooperative launch), because a tile has one owner.
// Shared memory: 8 bytes a vertex of the tile (its label, and the label that was published last) and 32 bytes.
// Traffic: a visit reads 24 bytes of arcs, 2 of readers and 4 of labels a vertex, 16 bytes and one label for each arc between
// tiles, and writes 4 bytes for each label that fell. Operations: a sweep of a chunk is 5 * DEAL shared loads and 4 * DEAL fused
// additions and minima for each lane.
// Limit: latency. A visit has two round trips to the L2 cache before its sweeps and three after it; between them labels pass from
// vertex to vertex at one sweep each. The registers of a thread hold 9 * DEAL words of the tile.
template <int DEAL> __global__ void __launch_bounds__(DEAL == PATHS_TILE_DEAL ? 256 : 512, 1) tiles(const paths_tiles_plan plan)
{
    tile_state *const state = dynamic_shared<tile_state>();
    int32_t *const s_label = reinterpret_cast<int32_t *>(state + 1), *const s_sent = s_label + plan.tile;
    held_arcs<DEAL> arcs;
    unsigned long long visits = 0, exchanges = 0;
    int held = END;  // the tile that registers and labels are of
    if (threadIdx.x == 0)
        *state = {};
    __syncthreads();
    for (;;) {  // ends with pick()
        if (warp_id() == 0) {
            const int tile = pick(plan);
            if (lane_id() == 0)
                state->tile = tile;
        }
        __syncthreads();
        const int tile = state->tile;
        if (tile == END)
            break;
        if (tile != held)
            arcs.load(plan, tile);
        if (threadIdx.x == 0) {
            state->given = state->taken = 0;
            atomicAdd(&plan.d_control->pending, RESERVE);
            take_key(plan, tile, state);
        }
        if (tile != held) {
            const bool is_first = plan.d_visits[tile] == 0;
#pragma unroll
            for (int v = 0; v < DEAL; v++) {
                const int i = held_arcs<DEAL>::at(v);
                s_label[i] = __ldcg(plan.d_label + (int64_t)tile * plan.tile + i);
                s_sent[i] = is_first ? NONE : s_label[i];  // no tile knows of a seed yet
            }
            if (is_first && threadIdx.x == 0)  // seeds come over no arc
                state->chunks = (1u << (blockDim.x / WARP)) - 1;
        }
        held = tile;
        __syncthreads();
        exchanges += (unsigned long long)visit<DEAL>(plan, arcs, tile, state, s_label, s_sent);
        visits++;
        if (threadIdx.x == 0) {
            const long long settled = (long long)state->given - state->taken - (long long)RESERVE;
            plan.d_visits[tile]++;
            atomicAdd(&plan.d_control->pending, (unsigned long long)settled);
        }
    }
    if (threadIdx.x == 0 && visits > 0) {
        atomicAdd(&plan.d_control->visits, visits);
        atomicAdd(&plan.d_control->exchanges, exchanges);
        atomicAdd(&plan.d_control->sweeps, (unsigned long long)state->sweeps);
    }
}

// ---- Begin and end

constexpr int PLAIN_BLOCK = 256;

// A thread fills one word of each array in turn; about 8 bytes a vertex are written, limited by bandwidth.
__global__ void __launch_bounds__(PLAIN_BLOCK) begin(const paths_tiles_plan plan)
{
    const int64_t stride = (int64_t)gridDim.x * PLAIN_BLOCK, thread = (int64_t)blockIdx.x * PLAIN_BLOCK + threadIdx.x;
    for (int64_t i = thread; i < (int64_t)plan.tiles * plan.tile; i += stride)
        plan.d_label[i] = NONE;
    for (int64_t i = thread; i < (int64_t)plan.blocks * plan.own; i += stride)
        plan.d_key[i] = NONE;
    for (int64_t i = thread; i < plan.tiles; i += stride)
        plan.d_visits[i] = 0;
}

// A thread for each seed. The first key of a tile counts as pending.
__global__ void __launch_bounds__(PLAIN_BLOCK) seed(const paths_tiles_plan plan, int32_t seeds, const int32_t *d_seed)
{
    const int stride = (int)gridDim.x * PLAIN_BLOCK;
    for (int i = (int)(blockIdx.x * PLAIN_BLOCK + threadIdx.x); i < seeds; i += stride) {
        const int place = d_seed[2 * i], label = d_seed[2 * i + 1], tile = place / plan.tile;
        atomicMin(&plan.d_label[place], label);
        if (atomicMin(&plan.d_key[(int64_t)(tile % plan.blocks) * plan.own + tile / plan.blocks], label) == NONE)
            atomicAdd(&plan.d_control->pending, 1ull);
    }
}

// Labels are read once, 4 bytes a vertex; one atomic maximum a warp.
__global__ void __launch_bounds__(PLAIN_BLOCK) farthest(const paths_tiles_plan plan)
{
    const int64_t stride = (int64_t)gridDim.x * PLAIN_BLOCK, end = (int64_t)plan.tiles * plan.tile;
    int most = 0;
    for (int64_t i = (int64_t)blockIdx.x * PLAIN_BLOCK + threadIdx.x; i < end; i += stride) {
        const int label = plan.d_label[i];
        most = label < NONE && label > most ? label : most;
    }
    most = __reduce_max_sync(ALL_LANES, most);
    if (lane_id() == 0)
        atomicMax(&plan.d_control->farthest, most);
}

typedef void (*tiles_kernel)(const paths_tiles_plan);

tiles_kernel kernel_of(const paths_tiles_plan &plan)
{
    if (plan.threads < WARP || plan.threads % WARP != 0 || plan.threads / WARP > PATHS_TILE_WARPS || plan.tile % plan.threads != 0)
        return nullptr;
    switch (plan.tile / plan.threads) {
    case 1: return tiles<1>;
    case 2: return tiles<2>;
    case 4: return tiles<4>;
    case PATHS_TILE_DEAL: return plan.threads <= 256 ? tiles<PATHS_TILE_DEAL> : nullptr;
    default: return nullptr;
    }
}

size_t shared_bytes(const paths_tiles_plan &plan)
{
    return sizeof(tile_state) + 2 * (size_t)plan.tile * sizeof(int32_t);
}

unsigned int plain_blocks(int64_t items)
{
    constexpr int64_t MOST = 132 * 8;  // enough for the bandwidth of an H200
    const int64_t blocks = (items + PLAIN_BLOCK - 1) / PLAIN_BLOCK;
    return (unsigned int)(blocks < 1 ? 1 : blocks < MOST ? blocks : MOST);
}

}  // namespace

cudaError_t paths_tiles_shape(paths_tiles_plan *plan, int multiprocessors, int blocks_each)
{
    const tiles_kernel kernel = kernel_of(*plan);
    int fit = 0;
    if (kernel == nullptr)
        return cudaErrorInvalidValue;
    cudaError_t error = allow_shared(kernel, shared_bytes(*plan));
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, plan->threads, shared_bytes(*plan));
    if (error != cudaSuccess)
        return error;
    if (fit == 0)
        return cudaErrorInvalidConfiguration;
    const int each = blocks_each > 0 && blocks_each < fit ? blocks_each : fit, all = each * multiprocessors;
    plan->blocks = plan->tiles < all ? plan->tiles : all;
    plan->own = (plan->tiles + plan->blocks - 1) / plan->blocks;
    return cudaSuccess;
}

cudaError_t paths_launch_tiles_begin(const paths_tiles_plan *plan, int32_t seeds, const int32_t *d_seed, cudaStream_t stream)
{
    const cudaError_t error = launch(begin, plain_blocks((int64_t)plan->tiles * plan->tile), PLAIN_BLOCK, 0, stream, *plan);
    return error != cudaSuccess ? error : launch(seed, plain_blocks(seeds), PLAIN_BLOCK, 0, stream, *plan, seeds, d_seed);
}

cudaError_t paths_launch_tiles(const paths_tiles_plan *plan, cudaStream_t stream)
{
    void *arguments[] = {const_cast<paths_tiles_plan *>(plan)};
    const cudaError_t error =
        cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel_of(*plan)), dim3((unsigned int)plan->blocks),
                                    dim3((unsigned int)plan->threads), arguments, shared_bytes(*plan), stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}

cudaError_t paths_launch_tiles_farthest(const paths_tiles_plan *plan, cudaStream_t stream)
{
    return launch(farthest, plain_blocks((int64_t)plan->tiles * plan->tile), PLAIN_BLOCK, 0, stream, *plan);
}
