// SPDX-License-Identifier: MIT
// Published methods for one tree of shortest paths on a GPU (published.h has the sources). Each is one cooperative kernel with a
// barrier of the grid where the papers launch a kernel anew, which is in their favour. The first thread looks at the clock before
// each barrier, so that every kernel ends soon after plan.cap_ns. The reference of all is paths_ref_tree(); bench rows are
// certified.
//
// All kernels but the first map a thread to every so many vertices or entries of a queue, use no shared memory, and are limited by
// the barriers and by scans of all vertices in each round: 4 to 12 bytes a vertex and round.
#include "published.h"
#include "device/kernel.cuh"

namespace {

using namespace mco;

constexpr int32_t NONE = MCO_PATHS_NONE;
constexpr int THREADS = PUBLISHED_THREADS;
constexpr unsigned long long EMPTY = ~0ull;

template <class T> DEVICE T read_now(const T *word) { return *const_cast<const volatile T *>(word); }
DEVICE int first_item() { return (int)(blockIdx.x * THREADS + threadIdx.x); }
DEVICE int stride() { return (int)(gridDim.x * THREADS); }

// A barrier of the grid, and the time.
struct grid_clock {
    published_control *control;
    unsigned long long end_ns;
    int passed;

    DEVICE grid_clock(const published_plan &plan) : control(plan.d_control), end_ns(device_clock() + (unsigned long long)plan.cap_ns), passed(0) {}

    // Waits for all blocks; what they wrote before is visible after it. False, in all blocks at the same barrier: the time is over.
    // The wait ends because a cooperative launch has all blocks on the device, and each comes to the same barriers.
    DEVICE bool wait()
    {
        passed++;
        __syncthreads();
        if (threadIdx.x == 0) {
            if (blockIdx.x == 0 && device_clock() > end_ns)
                end_before(passed);
            __threadfence();
            atomicAdd(&control->arrived, 1ull);
            while (read_now(&control->arrived) < (unsigned long long)passed * gridDim.x)
                __nanosleep(20);
            __threadfence();
        }
        __syncthreads();
        return read_now(&control->capped_at) > passed;
    }

    // All blocks end at this barrier, which none has passed.
    DEVICE void end_before(int barrier) { atomicMin(&control->capped_at, barrier); }

    DEVICE void note(long long rounds) const
    {
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            control->barriers = passed;
            control->rounds = rounds;
        }
    }
};

// Lowers a label; whether it fell.
DEVICE bool lower(const published_plan &plan, int vertex, int label)
{
    return label < __ldcg(plan.d_label + vertex) && label < atomicMin(plan.d_label + vertex, label);
}

// The word of a round among three: that of the next round is cleared while this one is in use.
DEVICE int32_t *turn(int32_t *words, long long round, int32_t cleared)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        words[(round + 1) % 3] = cleared;
    return words + round % 3;
}

DEVICE void lower_word(int32_t *word, int value)
{
    value = __reduce_min_sync(ALL_LANES, value);
    if (threadIdx.x % WARP == 0 && value < read_now(word))
        atomicMin(word, value);
}

// ---- All arcs a round

__global__ void __launch_bounds__(THREADS) bellman(const published_plan plan)
{
    grid_clock clock(plan);
    long long round = 0;
    for (bool goes_on = true; goes_on; round++) {
        int32_t *const changed = turn(plan.d_control->changed, round, 0);
        bool fell = false;
        for (int v = first_item(); v < plan.vertices; v += stride()) {
            const int label = __ldcg(plan.d_label + v);
            for (int a = plan.d_first[v]; label < NONE && a < plan.d_first[v + 1]; a++)
                fell |= lower(plan, plan.d_arc[a].x, label + plan.d_arc[a].y);
        }
        if (fell)
            *const_cast<volatile int32_t *>(changed) = 1;
        goes_on = clock.wait() && read_now(changed) != 0;
    }
    clock.note(round);
}

__global__ void __launch_bounds__(THREADS) two_flags(const published_plan plan)
{
    grid_clock clock(plan);
    long long round = 0;
    for (bool goes_on = true; goes_on; round++) {
        int32_t *const changed = turn(plan.d_control->changed, round, 0);
        int32_t *const now = round % 2 == 0 ? plan.d_flag[0] : plan.d_flag[1];
        int32_t *const next = round % 2 == 0 ? plan.d_flag[1] : plan.d_flag[0];
        bool fell = false;
        for (int v = first_item(); v < plan.vertices; v += stride()) {
            if (__ldcg(now + v) == 0)
                continue;
            now[v] = 0;
            const int label = __ldcg(plan.d_label + v);
            for (int a = plan.d_first[v]; a < plan.d_first[v + 1]; a++) {
                const int2 arc = plan.d_arc[a];
                if (lower(plan, arc.x, label + arc.y)) {
                    __stcg(next + arc.x, 1);
                    fell = true;
                }
            }
        }
        if (fell)
            *const_cast<volatile int32_t *>(changed) = 1;
        goes_on = clock.wait() && read_now(changed) != 0;
    }
    clock.note(round);
}

// ---- Frontiers of vertices that are final

// d_flag[0]: settled. IS_OUT: the bound is the least label plus least arc out, kept in d_flag[1] (Crauser's OUT); else the least label.
template <bool IS_OUT> __global__ void __launch_bounds__(THREADS) frontier(const published_plan plan)
{
    grid_clock clock(plan);
    long long round = 0;
    int bound = 0;
    for (int v = first_item(); IS_OUT && v < plan.vertices; v += stride()) {
        int least = NONE;
        for (int a = plan.d_first[v]; a < plan.d_first[v + 1]; a++)
            least = min(least, plan.d_arc[a].y);
        plan.d_flag[1][v] = least;
    }
    for (bool goes_on = clock.wait(); goes_on; round++) {
        int32_t *const least = turn(plan.d_control->least, round, NONE);
        for (int v = first_item(); v < plan.vertices; v += stride()) {
            const int label = __ldcg(plan.d_label + v);
            if (label > bound || plan.d_flag[0][v] != 0)
                continue;
            plan.d_flag[0][v] = 1;
            for (int a = plan.d_first[v]; a < plan.d_first[v + 1]; a++)
                lower(plan, plan.d_arc[a].x, label + plan.d_arc[a].y);
        }
        goes_on = clock.wait();
        int of_thread = NONE;
        for (int v = first_item(); goes_on && v < plan.vertices; v += stride()) {
            const int label = __ldcg(plan.d_label + v);
            if (label < NONE && plan.d_flag[0][v] == 0)
                of_thread = min(of_thread, IS_OUT ? label + plan.d_flag[1][v] : label);
        }
        lower_word(least, of_thread);
        goes_on = clock.wait() && goes_on;
        bound = read_now(least);  // NONE: what is left has no arc out, or no label
        goes_on = goes_on && bound < NONE;
    }
    clock.note(round);
}

// ---- Near and far

DEVICE int32_t *near_queue(const published_plan &plan, long long round)
{
    return round % 2 == 0 ? plan.d_queue[0] : plan.d_queue[1];
}

DEVICE int32_t *far_queue(const published_plan &plan, int side)
{
    return side == 0 ? plan.d_queue[2] : plan.d_queue[3];
}

// d_flag[0]: in a near queue; d_flag[1]: in a far one. So no queue has a vertex twice, and none is longer than the vertices.
__global__ void __launch_bounds__(THREADS) near_far(const published_plan plan)
{
    grid_clock clock(plan);
    published_control *const control = plan.d_control;
    int threshold = plan.delta, far = 0, near_count = 1;
    long long round = 0;
    bool goes_on = true;
    while (goes_on) {
        for (; goes_on && near_count > 0; round++) {
            int32_t *const next = turn(control->count, round, 0);
            const int32_t *const queue = near_queue(plan, round);
            for (int i = first_item(); i < near_count; i += stride()) {
                const int v = __ldcg(queue + i);
                atomicExch(plan.d_flag[0] + v, 0);
                __threadfence();
                const int label = __ldcg(plan.d_label + v);
                for (int a = plan.d_first[v]; a < plan.d_first[v + 1]; a++) {
                    const int2 arc = plan.d_arc[a];
                    const int through = label + arc.y;
                    if (!lower(plan, arc.x, through))
                        continue;
                    if (through < threshold && atomicExch(plan.d_flag[0] + arc.x, 1) == 0)
                        near_queue(plan, round + 1)[atomicAdd(next, 1)] = arc.x;
                    else if (through >= threshold && atomicExch(plan.d_flag[1] + arc.x, 1) == 0)
                        far_queue(plan, far)[atomicAdd(&control->far_count[far], 1)] = arc.x;
                }
            }
            goes_on = clock.wait();
            near_count = read_now(next);
        }
        const int far_count = read_now(&control->far_count[far]), before = threshold;
        if (!goes_on || far_count == 0)
            break;
        // The least far label that is not done yet gives the new threshold.
        int32_t *const least = turn(control->least, round, NONE);
        int32_t *const next = turn(control->count, round, 0);
        int of_thread = NONE;
        for (int i = first_item(); i < far_count; i += stride()) {
            const int label = __ldcg(plan.d_label + __ldcg(far_queue(plan, far) + i));
            of_thread = label >= before ? min(of_thread, label) : of_thread;
        }
        lower_word(least, of_thread);
        if (first_item() == 0)
            control->far_count[1 - far] = 0;
        goes_on = clock.wait();
        const int from = read_now(least);
        threshold = from < NONE - plan.delta ? from + plan.delta : NONE;
        for (int i = first_item(); goes_on && i < far_count; i += stride()) {
            const int v = __ldcg(far_queue(plan, far) + i), label = __ldcg(plan.d_label + v);
            if (label >= threshold) {
                far_queue(plan, 1 - far)[atomicAdd(&control->far_count[1 - far], 1)] = v;
                continue;
            }
            atomicExch(plan.d_flag[1] + v, 0);
            if (label >= before && atomicExch(plan.d_flag[0] + v, 1) == 0)
                near_queue(plan, round + 1)[atomicAdd(next, 1)] = v;
        }
        goes_on = clock.wait() && goes_on;
        near_count = read_now(next);
        far = 1 - far;
        round++;
    }
    clock.note(round);
}

// ---- One vertex a barrier

// Shared memory of a block: its chunk of the queue.
struct chunk {
    unsigned long long least[THREADS / WARP];
    int count, match;
    int32_t label[PUBLISHED_CHUNK], vertex[PUBLISHED_CHUNK];
};

// The least of a number of each thread.
DEVICE unsigned long long least_of_block(unsigned long long *s_least, unsigned long long mine)
{
    for (int apart = WARP / 2; apart > 0; apart /= 2)
        mine = min(mine, __shfl_xor_sync(ALL_LANES, mine, apart));
    if (threadIdx.x % WARP == 0)
        s_least[threadIdx.x / WARP] = mine;
    __syncthreads();
    for (int w = 0; w < THREADS / WARP; w++)
        mine = min(mine, s_least[w]);
    __syncthreads();
    return mine;
}

// One thread of a block at most keeps a neighbour.
DEVICE void insert(const published_plan &plan, chunk *queue, grid_clock &clock, int vertex, int label, int parent)
{
    plan.d_parent[vertex] = parent;
    if (queue->count == PUBLISHED_CHUNK) {
        atomicExch(&plan.d_control->is_full, 1);
        clock.end_before(clock.passed + 1);
        return;
    }
    queue->label[queue->count] = label;
    queue->vertex[queue->count++] = vertex;
}

// Overwrites the entry, if it is in this chunk, by the last one. No entry is in the queue twice: labels fall between insertions.
DEVICE void remove(chunk *queue, int vertex, int label)
{
    if (threadIdx.x == 0)
        queue->match = -1;
    __syncthreads();
    for (int i = (int)threadIdx.x; i < queue->count; i += THREADS)
        if (queue->label[i] == label && queue->vertex[i] == vertex)
            queue->match = i;
    __syncthreads();
    if (threadIdx.x == 0 && queue->match >= 0) {
        queue->label[queue->match] = queue->label[--queue->count];
        queue->vertex[queue->match] = queue->vertex[queue->count];
    }
    __syncthreads();
}

// Jradi (2016), algorithm 7.3, with these corrections: the window is block / window == turn and neighbour + window * turn == block;
// a label falls by an atomic minimum, as parallel arcs meet; the barrier has a fence; each block takes the minimum from the
// partial results; an entry that is out of date relaxes nothing; a chunk that is full ends the search.
// Mapping: a block a multiprocessor, a thread for each neighbour of the vertex in hand. Shared memory: a chunk of 8192 entries of 8
// bytes. Limit: a barrier of the grid for each vertex.
__global__ void __launch_bounds__(THREADS) one_vertex(const published_plan plan)
{
    chunk *const queue = dynamic_shared<chunk>();
    grid_clock clock(plan);
    const int windows = max(1, (int)gridDim.x / plan.window);
    long long round = 0;
    int u = plan.source, of_u = 0, zeta = 0;
    if (threadIdx.x == 0)
        queue->count = 0;
    __syncthreads();
    for (bool goes_on = true; goes_on; round++) {
        const int begin = plan.d_first[u], degree = plan.d_first[u + 1] - begin, l = (int)threadIdx.x;
        if (l < degree && of_u <= __ldcg(plan.d_label + u)) {
            const int2 arc = plan.d_arc[begin + l];
            const bool is_kept = (int)blockIdx.x / plan.window == zeta && l + plan.window * zeta == (int)blockIdx.x;
            const bool improves = of_u + arc.y < __ldcg(plan.d_label + arc.x);
            if (is_kept && improves && of_u + arc.y < atomicMin(plan.d_label + arc.x, of_u + arc.y))
                insert(plan, queue, clock, arc.x, of_u + arc.y, u);
        }
        zeta = zeta == windows - 1 ? 0 : zeta + 1;
        __syncthreads();
        unsigned long long best = EMPTY;
        for (int i = (int)threadIdx.x; i < queue->count; i += THREADS)
            best = min(best, (unsigned long long)queue->label[i] << 32 | (unsigned int)queue->vertex[i]);
        best = least_of_block(queue->least, best);
        unsigned long long *const partial = plan.d_partial + round % 2 * PUBLISHED_MOST_BLOCKS;
        if (threadIdx.x == 0)
            __stcg(partial + blockIdx.x, best);
        goes_on = clock.wait();
        best = EMPTY;
        for (int b = (int)threadIdx.x; b < (int)gridDim.x; b += THREADS)
            best = min(best, __ldcg(partial + b));
        best = least_of_block(queue->least, best);
        goes_on = goes_on && best != EMPTY;
        u = (int)(best & 0xffffffffull);
        of_u = (int)(best >> 32);
        if (goes_on)
            remove(queue, u, of_u);
    }
    clock.note(round);
}

__global__ void __launch_bounds__(THREADS) begin(const published_plan plan)
{
    for (int v = first_item(); v < plan.vertices; v += stride()) {
        const bool is_source = v == plan.source;
        plan.d_label[v] = is_source ? 0 : NONE;
        plan.d_parent[v] = -1;
        plan.d_flag[0][v] = plan.d_flag[1][v] = 0;
    }
}

// The source is in the first queue, and active in the first round, where the method has such things.
__global__ void seed(const published_plan plan, published_method method)
{
    if (method == PUBLISHED_TWO_FLAGS)
        plan.d_flag[0][plan.source] = 1;
    if (method == PUBLISHED_NEAR_FAR)
        plan.d_queue[0][0] = plan.source;
}

typedef void (*published_kernel)(const published_plan);

published_kernel kernel_of(published_method method)
{
    switch (method) {
    case PUBLISHED_ONE_VERTEX: return one_vertex;
    case PUBLISHED_BELLMAN: return bellman;
    case PUBLISHED_TWO_FLAGS: return two_flags;
    case PUBLISHED_MARTIN: return frontier<false>;
    case PUBLISHED_CRAUSER: return frontier<true>;
    default: return near_far;
    }
}

size_t shared_bytes(published_method method)
{
    return method == PUBLISHED_ONE_VERTEX ? sizeof(chunk) : 0;
}

}  // namespace

const char *published_name(published_method method)
{
    static const char *const names[PUBLISHED_METHODS] = {"one vertex a barrier", "bellman",       "two flags",
                                                         "martin frontier",      "crauser frontier", "near-far"};
    return names[method];
}

cudaError_t published_shape(published_plan *plan, published_method method, int multiprocessors)
{
    constexpr int MOST_EACH = 2;  // few blocks make barriers fast
    int fit = 0;
    cudaError_t error = allow_shared(kernel_of(method), shared_bytes(method));
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel_of(method), THREADS, shared_bytes(method));
    if (error == cudaSuccess && fit == 0)
        error = cudaErrorInvalidConfiguration;
    plan->blocks = multiprocessors * (method == PUBLISHED_ONE_VERTEX || fit < MOST_EACH ? 1 : MOST_EACH);
    return plan->blocks <= PUBLISHED_MOST_BLOCKS ? error : cudaErrorInvalidConfiguration;
}

cudaError_t published_launch(const published_plan *plan, published_method method, cudaStream_t stream)
{
    void *arguments[] = {const_cast<published_plan *>(plan)};
    cudaError_t error = launch(begin, (unsigned int)plan->blocks, THREADS, 0, stream, *plan);
    if (error == cudaSuccess)
        error = launch(seed, 1, 1, 0, stream, *plan, method);
    if (error != cudaSuccess)
        return error;
    error = cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernel_of(method)), dim3((unsigned int)plan->blocks),
                                        dim3(THREADS), arguments, shared_bytes(method), stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}
