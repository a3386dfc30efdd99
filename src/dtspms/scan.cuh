// SPDX-License-Identifier: MIT
// Complete neighbourhoods: moves one after another, and the best of them.
#ifndef MCO_DTSPMS_SCAN_CUH
#define MCO_DTSPMS_SCAN_CUH

#include "dtspms/pair.cuh"
#include "dtspms/plain.cuh"

namespace dtspms {

// The positions p < q < r of a move. It goes from move to move.
struct cursor {
    int n, p, q, r;
    bool is_swap;

    // Number of tuples that begin with p and this q.
    __device__ int64_t below(int64_t of_q) const { return is_swap ? 1 : n - of_q - 1; }

    // Goes to the next tuple. After the last one the positions mean nothing.
    __device__ void next()
    {
        if (!is_swap && ++r < n)
            return;
        if (++q >= (is_swap ? n : n - 1)) {
            p++;
            q = p + 1;
        }
        r = q + 1;
    }

    // Goes to pair or triple number `tuple` in lexicographic order. O(n).
    __device__ void seek(bool swaps, int orders, int64_t tuple)
    {
        is_swap = swaps;
        n = orders;
        for (p = 0;; p++) {
            const int64_t rest = n - 1 - p, count = is_swap ? rest : rest * (rest - 1) / 2;
            if (tuple < count)
                break;
            tuple -= count;
        }
        for (q = p + 1; tuple >= below(q); q++)
            tuple -= below(q);
        r = q + 1 + (int)tuple;
    }

    __device__ int count() const { return is_swap ? 2 : 3; }
    __device__ int position(int k) const { return k == 0 ? p : k == 1 ? q : r; }
    // The position whose node goes to position(k).
    __device__ int source(int k, int rotation) const
    {
        const int from = k + 1 + rotation;
        return position(from < count() ? from : from - count());
    }
};

// A thread's part of the answer.
struct answer_part {
    unsigned long long best = ~0ull, sum = 0;

    // Takes the cost of a move in one network. A pickup cost is stored until the delivery cost arrives.
    __device__ void settle(const dtspms_device_scan &scan, int network, int64_t move, int32_t cost)
    {
        if (network == MCO_DTSPMS_NETWORK_PICKUP) {
            scan.pickup[move] = cost;
            return;
        }
        const unsigned long long total = (unsigned long long)scan.pickup[move] + (unsigned long long)cost;
        const unsigned long long entry = total << DTSPMS_INDEX_BITS | (unsigned long long)move;
        if (scan.costs != nullptr)
            scan.costs[move] = (int32_t)total;
        best = entry < best ? entry : best;
        sum += total;
    }

    // Merges the parts of all threads of a warp into the answer.
    __device__ void publish(const dtspms_device_scan &scan)
    {
        for (int distance = WARP / 2; distance > 0; distance /= 2) {
            const unsigned long long other = __shfl_xor_sync(ALL_LANES, best, distance);
            best = other < best ? other : best;
            sum += __shfl_xor_sync(ALL_LANES, sum, distance);
        }
        if (threadIdx.x % WARP == 0 && best != ~0ull) {
            atomicMin(&scan.answer->best, best);
            atomicAdd(&scan.answer->sum, sum);
        }
    }
};

// ---- Pairs

struct scan_range {
    int64_t first, end;  // items, or moves
    bool shares_distances;
};

// Writes the two moves of an item into the group's list.
template <class S>
__device__ void list_item(const pair_thread<S> &t, const dtspms_device_problem &problem, const dtspms_device_scan &scan,
                          int network, const cursor &at)
{
    cursor second = at;
    if (at.is_swap)
        second.next();
    if (second.p >= at.n - 1)  // with an odd number of moves, the last one takes both halves
        second = at;
    const int count = at.count();
    for (int k = t.lane; k < 2 * count; k += S::G) {
        const int half = k >= count, number = half ? k - count : k;
        const cursor &c = half ? second : at;
        const int step = t.l.step_of(problem, network, c.position(number));
        const int from = c.source(number, c.is_swap ? 0 : half);
        t.change(half, number) = (uint32_t)step | (uint32_t)scan.node[from] << 16;
        t.changes(half) = (uint32_t)count;
    }
    __syncwarp();
}

// One block for each multiprocessor. A group of threads evaluates consecutive items, one at a time. Shared memory with
// 22 orders in each stack: 5.5 kB a group, 32 groups, 9 kB for the matrix of distances. With 44 orders: 17.7 kB a
// group, 12 groups; the matrix stays in device memory. A cell, for both neighbours: six sums with a minimum, three
// without, and (R + 4) / R words read from shared memory. Device memory: 4 bytes written for each move and network.
// Limit: integer arithmetic and shared memory, nearly in balance.
template <class S>
__global__ void __launch_bounds__(S::WARPS *WARP, 1) scan_pairs(const __grid_constant__ dtspms_device_problem problem,
                                                               const __grid_constant__ dtspms_device_scan scan,
                                                               const __grid_constant__ scan_range range, const int network)
{
    extern __shared__ uint32_t s_words[];
    const pair_layout layout = pair_layout::of<S>(problem);
    const int groups = (int)blockDim.x / S::G, group = (int)threadIdx.x / S::G;
    uint16_t *s_distance = reinterpret_cast<uint16_t *>(s_words + groups * layout.words);
    for (int k = (int)threadIdx.x; k < groups * layout.words; k += (int)blockDim.x)
        s_words[k] = 0;
    for (int k = (int)threadIdx.x; range.shares_distances && k < problem.nodes * problem.nodes; k += (int)blockDim.x)
        s_distance[k] = problem.distance_16[network][k];
    __syncthreads();
    const pair_thread<S> t(s_words + group * layout.words, layout,
                           range.shares_distances ? s_distance : problem.distance_16[network], problem, network);
    const int64_t all_groups = (int64_t)gridDim.x * groups, share = (range.end - range.first + all_groups - 1) / all_groups;
    const int64_t begin = range.first + ((int64_t)blockIdx.x * groups + group) * share;
    const bool is_swap = scan.kind == MCO_DTSPMS_MOVE_SWAP;
    int64_t item = begin < range.end ? begin : range.end - 1;
    answer_part part;
    cursor at;
    at.seek(is_swap, problem.orders, is_swap ? 2 * item : item);
    t.build(problem, network, scan.node);
    for (int64_t k = 0; k < share; k++) {  // the same for all groups of a warp
        list_item(t, problem, scan, network, at);
        t.exchange_nodes();
        const uint32_t tours = t.tours();
        t.exchange_nodes();
        if (begin + k < range.end && t.lane == t.owner()) {
            part.settle(scan, network, 2 * item, (int32_t)(tours & HALF));
            if (2 * item + 1 < scan.moves)
                part.settle(scan, network, 2 * item + 1, (int32_t)(tours >> 16));
        }
        if (item + 1 < range.end) {
            item++;
            at.next();
            if (is_swap)
                at.next();
        }
    }
    part.publish(scan);
}

// ---- Plain

// A thread evaluates one move at a time.
template <int STACKS>
__global__ void __launch_bounds__(DTSPMS_PLAIN_THREADS)
    scan_plain(const __grid_constant__ dtspms_device_problem problem, const __grid_constant__ dtspms_device_scan scan,
               const __grid_constant__ scan_range range, const int network, int32_t *tables)
{
    const int64_t threads = (int64_t)gridDim.x * DTSPMS_PLAIN_THREADS;
    const int64_t thread = (int64_t)blockIdx.x * DTSPMS_PLAIN_THREADS + threadIdx.x;
    const plain_thread t(problem, network, tables + thread, threads);
    const bool is_swap = scan.kind == MCO_DTSPMS_MOVE_SWAP;
    answer_part part;
    t.build(scan.node);
    for (int64_t move = range.first + thread; move < range.end; move += threads) {
        cursor at;
        at.seek(is_swap, problem.orders, is_swap ? move : move / 2);
        for (int k = 0; k < at.count(); k++)
            t.set(at.position(k), scan.node[at.source(k, is_swap ? 0 : (int)(move & 1))]);
        part.settle(scan, network, move, t.template tour<STACKS>());
        for (int k = 0; k < at.count(); k++)
            t.set(at.position(k), scan.node[at.position(k)]);
    }
    __syncwarp();
    part.publish(scan);
}

// ---- Answer

__global__ void begin_scan(const dtspms_device_scan scan)
{
    *scan.answer = {~0ull, 0, 0};
}

__global__ void end_scan(const dtspms_device_scan scan)
{
    constexpr unsigned long long INDEX = (1ull << DTSPMS_INDEX_BITS) - 1;
    if (scan.answer->best != ~0ull)
        scan.answer->pickup = scan.pickup[scan.answer->best & INDEX];
}

}  // namespace dtspms
#endif
