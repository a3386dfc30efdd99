// SPDX-License-Identifier: MIT
// The published algorithm on a GPU: degree labelling, triplets, and chordless paths that grow level by level in tables of bit
// rows with first, second and last vertex (Jradi 2016, section 5). The reference is cycles_labels() (labels.c).
//
// Two things differ from the thesis. Labels are made on the device. A table that would overflow gives only as many paths from
// its top to the next level as the other table has room for; the others wait. So memory is bounded.
#include "cycles/cuda.h"
#include "device/kernel.cuh"

namespace {

using namespace mco;

DEVICE int lane_id() { return (int)(threadIdx.x % WARP); }

template <int WORDS> DEVICE bool set_has(const uint64_t *set, int vertex)
{
    return (set[vertex >> 6] >> (vertex & 63) & 1) != 0;
}

// ---- Labels

// One block, a thread for each of at most 256 vertices, n rounds: the block takes the minimum of degree * 256 + vertex, then
// the neighbours of that vertex lose a degree. Shared memory: a word for each warp. Latency: n times three barriers, about
// 0.3 ms for 256 vertices.
__global__ void __launch_bounds__(CYCLES_BLOCK) label_by_degree(const cycles_labels_plan plan)
{
    constexpr unsigned int NONE = 0xffffffffu;
    __shared__ unsigned int s_least[CYCLES_BLOCK_WARPS];
    __shared__ int s_label[CYCLES_BLOCK];
    const int v = threadIdx.x;
    const bool is_vertex = v < plan.vertices;
    const uint64_t *row = plan.d_adjacent + (int64_t)(is_vertex ? v : 0) * plan.words;
    int degree = 0;
    bool is_labelled = !is_vertex;
    for (int k = 0; is_vertex && k < plan.words; k++)
        degree += cycles_bits(row[k]);
    for (int label = 0; label < plan.vertices; label++) {
        const unsigned int mine = is_labelled ? NONE : (unsigned int)degree << 8 | (unsigned int)v;
        const unsigned int of_warp = __reduce_min_sync(ALL_LANES, mine);
        if (lane_id() == 0)
            s_least[v / WARP] = of_warp;
        __syncthreads();
        unsigned int least = s_least[0];
        for (int k = 1; k < CYCLES_BLOCK_WARPS; k++)
            least = least < s_least[k] ? least : s_least[k];
        const int u = (int)(least & 0xff);
        if (u == v && is_vertex) {
            s_label[v] = label;
            is_labelled = true;
        }
        if (is_vertex && !is_labelled && (row[u >> 6] >> (u & 63) & 1) != 0)
            degree--;
        __syncthreads();  // before s_least is written again
    }
    for (int k = 0; is_vertex && k < plan.words; k++) {
        uint64_t later = 0;
        for (int w = 64 * k; w < 64 * (k + 1) && w < plan.vertices; w++)
            later |= s_label[w] > s_label[v] ? (uint64_t)1 << (w - 64 * k) : 0;
        plan.d_later[(int64_t)v * plan.words + k] = later;
    }
}

// ---- Tables

DEVICE unsigned int path_tag(int first, int second, int last)
{
    return (unsigned int)first | (unsigned int)second << 8 | (unsigned int)last << 16;
}

// Reserves a place for each thread with `has`, by one addition for those of a warp that are here together.
DEVICE int64_t reserve(unsigned long long *counter, bool has)
{
    const unsigned int who = __ballot_sync(ALL_LANES, has);
    unsigned long long before = 0;
    if (lane_id() == 0 && who != 0)
        before = atomicAdd(counter, (unsigned long long)__popc(who));
    return (int64_t)__shfl_sync(ALL_LANES, before, 0) + __popc(who & ((1u << lane_id()) - 1));
}

template <int WORDS>
DEVICE void put_path(const cycles_labels_plan &plan, int side, int64_t at, const uint64_t *set, unsigned int tag)
{
    CYCLES_UNROLL
    for (int k = 0; k < WORDS; k++)
        plan.d_words[side][k * plan.capacity + at] = set[k];
    plan.d_tags[side][at] = tag;
}

// Stage 1. A thread for each (u, ix, iy), as published: x and y are neighbours of u. Traffic: a path written for each triplet.
template <int WORDS> __global__ void __launch_bounds__(CYCLES_BLOCK) triplets(const cycles_labels_plan plan)
{
    const int64_t i = (int64_t)blockIdx.x * CYCLES_BLOCK + threadIdx.x;
    const int64_t pairs = (int64_t)plan.max_degree * plan.max_degree, u = i / pairs;
    const int ix = (int)(i % pairs / plan.max_degree), iy = (int)(i % plan.max_degree);
    uint64_t set[WORDS];
    bool has = false;
    int x = 0, y = 0;
    if (u < plan.vertices) {
        const int first = plan.d_first[u], degree = plan.d_first[u + 1] - first;
        if (ix < degree && iy < degree) {
            x = plan.d_head[first + ix];
            y = plan.d_head[first + iy];
            has = set_has<WORDS>(plan.d_later + u * WORDS, x) && set_has<WORDS>(plan.d_later + (int64_t)x * WORDS, y) &&
                  !set_has<WORDS>(plan.d_adjacent + (int64_t)x * WORDS, y);
        }
    }
    const int64_t at = reserve(&plan.d_control->grown, has);
    if (!has)
        return;
    CYCLES_UNROLL
    for (int k = 0; k < WORDS; k++)
        set[k] = cycles_set_bit((int)u, k) | cycles_set_bit(x, k) | cycles_set_bit(y, k);
    put_path<WORDS>(plan, 0, at, set, path_tag(x, (int)u, y));
}

// What a thread counts.
struct path_counts {
    unsigned long long cycles, hash;
};

template <int WORDS>
DEVICE void note_cycle(const cycles_labels_plan &plan, const uint64_t *set, int length, path_counts &counts, uint32_t *s_by_length)
{
    bool counted = length >= plan.rules.min_length && length <= plan.rules.max_length;
    CYCLES_UNROLL
    for (int k = 0; k < WORDS; k++)
        counted = counted && (plan.rules.through[k] & ~set[k]) == 0;
    if (!counted)
        return;
    uint64_t row[WORDS];
    CYCLES_UNROLL
    for (int k = 0; k < WORDS; k++)
        row[k] = set[k];
    counts.cycles++;
    // The rows of 129 to 192 vertices have 3 words.
    counts.hash += WORDS == 4 && plan.row_words == 3 ? cycles_set_hash(row, 3 < WORDS ? 3 : WORDS) : cycles_set_hash(row, WORDS);
    atomicAdd(&s_by_length[length], 1u);
    if (plan.d_rows == nullptr)
        return;
    const unsigned long long at = atomicAdd(&plan.d_control->listed, 1ull) % (unsigned long long)plan.row_capacity;
    CYCLES_UNROLL
    for (int k = 0; k < WORDS; k++)
        if (k < plan.row_words)
            plan.d_rows[(int64_t)at * plan.row_words + k] = row[k];
}

// Stage 2. A thread takes one (path, neighbour of its last vertex) at a time, as published; the grid stays. The neighbour's row
// and the path meet in the last vertex: a longer path; in the first and the last: a cycle; in others: a chord. Traffic: a path
// of 12 to 36 bytes read for each of max_degree neighbours, through the caches, and a path written for each that grows. Shared
// memory: the counts by length. The floor is device memory: the 1.7 billion paths of 8x10, 20 bytes written, read and partly
// moved, are 70 GB, 17 ms at 4.2 TB/s. An H200 takes 217 ms, 8 billion paths a second: most threads find no neighbour that
// makes the path longer, and an atomic addition places each path that grows.
template <int WORDS> __global__ void __launch_bounds__(CYCLES_BLOCK) grow(const cycles_labels_plan plan)
{
    const cycles_labels_control *control = plan.d_control;
    const int side = control->side;
    const int64_t taken = control->taken, base = control->count - taken, items = taken * plan.max_degree;
    const int64_t stride = (int64_t)gridDim.x * CYCLES_BLOCK;
    path_counts counts = {0, 0};
    __shared__ uint32_t s_by_length[CYCLES_LENGTHS];
    for (int k = threadIdx.x; k < CYCLES_LENGTHS; k += CYCLES_BLOCK)
        s_by_length[k] = 0;
    __syncthreads();
    // All threads of a warp make the same number of turns, because they reserve places together.
    for (int64_t from = (int64_t)blockIdx.x * CYCLES_BLOCK; from < items; from += stride) {
        const int64_t i = from + threadIdx.x, path = base + i / plan.max_degree;
        const int iv = (int)(i % plan.max_degree);
        uint64_t set[WORDS];
        bool grows = false;
        unsigned int tag = 0;
        if (i < items) {
            tag = plan.d_tags[side][path];
            const int first = (int)(tag & 0xff), second = (int)(tag >> 8 & 0xff), last = (int)(tag >> 16);
            const int from_arc = plan.d_first[last], degree = plan.d_first[last + 1] - from_arc;
            const int v = iv < degree ? plan.d_head[from_arc + iv] : last;
            bool is_inside = false;
            int size = 1, touched = 0;
            CYCLES_UNROLL
            for (int k = 0; k < WORDS; k++) {
                set[k] = plan.d_words[side][k * plan.capacity + path];
                is_inside = is_inside || (set[k] & cycles_set_bit(v, k)) != 0;
                touched += cycles_bits(set[k] & plan.d_adjacent[(int64_t)v * WORDS + k]);
                size += cycles_bits(set[k]);
                set[k] |= cycles_set_bit(v, k);
            }
            if (!is_inside && set_has<WORDS>(plan.d_later + (int64_t)second * WORDS, v)) {
                if (touched == 2 && set_has<WORDS>(plan.d_adjacent + (int64_t)first * WORDS, v))
                    note_cycle<WORDS>(plan, set, size, counts, s_by_length);
                grows = touched == 1 && size < plan.rules.max_length;
                tag = path_tag(first, second, v);
            }
        }
        const int64_t at = reserve(&plan.d_control->grown, grows);
        if (grows)
            put_path<WORDS>(plan, 1 - side, at, set, tag);
    }
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
        counts.cycles += __shfl_xor_sync(ALL_LANES, counts.cycles, apart);
        counts.hash += __shfl_xor_sync(ALL_LANES, counts.hash, apart);
    }
    if (lane_id() == 0 && counts.cycles > 0) {
        atomicAdd(&plan.d_control->cycles, counts.cycles);
        atomicAdd(&plan.d_control->hash, counts.hash);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < CYCLES_LENGTHS; k += CYCLES_BLOCK)
        if (s_by_length[k] > 0)
            atomicAdd(&plan.d_control->by_length[k], (unsigned long long)s_by_length[k]);
}

// If paths below those taken wait, what has grown moves on top of them. Else the tables change places instead.
template <int WORDS> __global__ void __launch_bounds__(CYCLES_BLOCK) move_grown(const cycles_labels_plan plan)
{
    const cycles_labels_control *control = plan.d_control;
    const int64_t to = control->count - control->taken, grown = (int64_t)control->grown;
    const int64_t stride = (int64_t)gridDim.x * CYCLES_BLOCK;
    const int side = control->side;
    if (to == 0)
        return;
    for (int64_t i = (int64_t)blockIdx.x * CYCLES_BLOCK + threadIdx.x; i < grown; i += stride) {
        uint64_t set[WORDS];
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++)
            set[k] = plan.d_words[1 - side][k * plan.capacity + i];
        put_path<WORDS>(plan, side, to + i, set, plan.d_tags[1 - side][i]);
    }
}

// One thread: counts the table anew and says how many paths the next level takes: all, if the other table holds what may grow
// from them; else as many as it holds, if they fit back on top of those that wait.
__global__ void settle(const cycles_labels_plan plan, bool is_first)
{
    cycles_labels_control *control = plan.d_control;
    const int64_t waiting = control->count - control->taken;
    if (!is_first && waiting == 0)
        control->side = 1 - control->side;
    const int64_t count = waiting + (int64_t)control->grown;
    int64_t taken = count;
    if (count > plan.capacity / plan.max_degree) {
        const int64_t by_other = plan.capacity / plan.max_degree, by_top = (plan.capacity - count) / (plan.max_degree - 1);
        taken = by_other < by_top ? by_other : by_top;
        if (taken < 1)
            control->is_full = 1;
    }
    control->count = count;
    control->taken = taken < 0 ? 0 : taken;
    control->grown = 0;
}

typedef void (*labels_kernel)(const cycles_labels_plan);

struct labels_kernels {
    labels_kernel triplets, grow, move_grown;
};

labels_kernels kernels_of(const cycles_labels_plan *plan)
{
    switch (plan->words) {
    case 1: return {triplets<1>, grow<1>, move_grown<1>};
    case 2: return {triplets<2>, grow<2>, move_grown<2>};
    case 4: return {triplets<4>, grow<4>, move_grown<4>};
    default: return {nullptr, nullptr, nullptr};
    }
}

}  // namespace

cudaError_t cycles_launch_degree_labels(const cycles_labels_plan *plan, cudaStream_t stream)
{
    return launch(label_by_degree, 1, CYCLES_BLOCK, 0, stream, *plan);
}

cudaError_t cycles_launch_triplets(const cycles_labels_plan *plan, cudaStream_t stream)
{
    const labels_kernels k = kernels_of(plan);
    const int64_t items = (int64_t)plan->vertices * plan->max_degree * plan->max_degree;
    if (k.triplets == nullptr)
        return cudaErrorInvalidValue;
    const cudaError_t error = launch(k.triplets, (unsigned int)((items + CYCLES_BLOCK - 1) / CYCLES_BLOCK), CYCLES_BLOCK, 0, stream, *plan);
    return error != cudaSuccess ? error : launch(settle, 1, 1, 0, stream, *plan, true);
}

cudaError_t cycles_launch_growth(const cycles_labels_plan *plan, int multiprocessors, cudaStream_t stream)
{
    constexpr unsigned int BLOCKS = 8;  // of a multiprocessor: all its threads
    const labels_kernels k = kernels_of(plan);
    const unsigned int blocks = BLOCKS * (unsigned int)multiprocessors;
    if (k.grow == nullptr)
        return cudaErrorInvalidValue;
    cudaError_t error = launch(k.grow, blocks, CYCLES_BLOCK, 0, stream, *plan);
    if (error == cudaSuccess)
        error = launch(k.move_grown, blocks, CYCLES_BLOCK, 0, stream, *plan);
    return error != cudaSuccess ? error : launch(settle, 1, 1, 0, stream, *plan, false);
}
