// SPDX-License-Identifier: MIT
// Depth-first branch and bound by thousands of searches on one GPU. It branches at both ends of the schedule and bounds
// with LB1 or LB2.
//
// A search is a group of G threads. With G = 8 four searches share a warp in lockstep; with G = 32 each has a warp. A
// search holds one node in registers, spread over its lanes. The siblings that it has still to visit lie as frames in
// device memory. A frame holds the parent's fronts, backs and remainders, its free jobs, and a bit for each child left.
// A step decomposes the node in hand, goes on with the first survivor, and leaves the others behind as a frame. If no
// child survives, the step goes on with the first child of the last frame. A search takes children in the order of
// their ranks, so what it has left is one interval of the tree.
//
// Words. A pair holds the values of two machines, one of the schedule read forwards and one of its mirror image:
//     ends[i] = (front[i], back[m-1-i]);  remain[i] = (remain[i], remain[m-1-i])
//     through[i] = remain[i] + swap(ends[m-1-i])
// With them one chain bounds both children of a job, one in each half:
//     bound = max(bound, reach + through[i]);  reach = max(reach + p[i], ends[i+1])
// This takes two DPX instructions per machine. With 16-bit lanes values are in 0..2^15-1, so one addition of whole
// words adds both halves.
//
// The ends of a child are the values of that chain for one job: y[i] = max(y[i-1], ends[i]) + p[i]. This is a (max, +)
// prefix over machines, spread over the lanes (K machines each). A table has the sum of the times up to each lane's
// last machine. With it, the value that enters a lane is a prefix maximum.
//
// Searches share work among themselves (flowshop/gpu/dfs_sharing.cuh) without the host. When all are idle, the tree is
// done.
//
// Cost of a node with f free jobs, G = 8: ceil(f / 16) passes. For four machines a pass takes 4 DPX, 2 shared 16-byte
// broadcasts and 2 shared 16-byte reads. Making a child takes one prefix of 3 shuffles. A frame pushed or popped moves
// 8 rows of 32 bytes to or from memory. LB2 (one warp for each search) adds, for each child that LB1 does not prune, up
// to m (m - 1) / 2 pairs of machines times n positions of some ten operations.
//
// Sources: the bound, Gmys et al. (2020); intervals, Mezmaz et al. (2007). The oracle is flowshop/tree/ref.c, by the
// counts of nodes.
//
// Parts, in flowshop/gpu/: dfs_sets.cuh (pairs, sets of children), dfs_node.cuh (the search of a group, its node and
// frames), dfs_children.cuh (bounds of all children, rules), dfs_leaves.cuh, dfs_sharing.cuh, dfs_state.cuh (begin and
// end of a launch), dfs_memory.cuh (a block's shared memory). This file has the loop and the launch.
#include "flowshop/gpu/dfs_children.cuh"
#include "flowshop/gpu/dfs_leaves.cuh"
#include "flowshop/gpu/dfs_memory.cuh"
#include "flowshop/gpu/dfs_sharing.cuh"
#include "flowshop/gpu/dfs_state.cuh"

namespace {

enum {
    POLL_STEPS = 8,     // steps between two looks at the control block
    COUNT_STEPS = 256,  // steps between two additions to the count for the log
    MAIL_STEPS = 4,     // steps between two looks of an idle search at its mail
    IDLE_STEPS = 16,    // looks of an idle warp at its mail between two looks at the control block
    ROWS_BYTES = 45056  // largest table of counters kept in shared memory
};

// ---- The kernel

// The least makespan known, at most U; or -1 if this launch ends, because the host asks for it or no search has work.
__device__ inline int look_around(const flowshop_dfs_args &a, bool *is_asked)
{
    const int4 control = load_volatile(reinterpret_cast<const int4 *>(a.control));
    int4 tickets = load_volatile(reinterpret_cast<const int4 *>(&a.control->asked));
    if (tickets.x - tickets.y == a.searches)  // read again: the two words may come from different moments
        tickets = load_volatile(reinterpret_cast<const int4 *>(&a.control->asked));
    *is_asked = __shfl_sync(ALL_LANES, tickets.z, 0) > 0;
    const bool ends = control.z != 0 || tickets.x - tickets.y == a.searches;
    return __any_sync(ALL_LANES, ends) ? -1 : __shfl_sync(ALL_LANES, min(min(control.x, control.y), a.rule_bound), 0);
}

// The next child to become the node in hand: the first one left of the node in hand, else of the last frame. The others
// stay behind as a frame. If there is no child at all, the search asks for work.
template <class S, int G> __device__ inline int next_child(const flowshop_dfs_args &a, S &s, bool has_node)
{
    typedef typename S::lay lay;
    int k = 0;
    if (has_node && s.left.any()) {
        k = s.left.first();
        s.left.remove(k);
        if (s.left.any())
            s.push(s.frame(s.top++));
    } else if (s.is_active && s.top > s.bottom) {
        uint32_t *frame = s.frame(s.top - 1);
        s.read_node(frame);
        s.left.read(frame + lay::LAST_ROW, s.t);
        k = s.left.first();
        s.left.remove(k);
        __syncwarp(group_mask<G>());  // all lanes read the set before it changes
        if (!s.left.any())
            s.top--;
        else if (s.t < G - 1)
            frame[lay::LAST_ROW + s.t] = s.left.word(s.t);
    } else if (s.is_active) {
        s.is_active = false;
        ask<S, G>(a, s);
    }
    return k;
}

// Grid: as many blocks as the device holds at a time. Block: 256 threads, 256 / G searches. Shared memory holds the
// times, the records of the searches and, if there is room, the counters of nodes; flowshop_dfs_shape has its bytes. A
// step of the loop decomposes one node of each search. flowshop/NOTES.md has the rates and what limits them.
template <class L, int G, int M, int J, int MODE>
__global__ void __launch_bounds__(BLOCK, G == 8 ? 3 : L::WORDS == 1 ? 2 : 1) explore(const flowshop_dfs_args a)
{
    typedef search<L, G, M, J> S;
    extern __shared__ uint4 s_memory[];
    const shared_memory<L, G, M, J, MODE> memory(s_memory, a.jobs);
    S s;
    memory.fill(a);
    memory.assign(a, s);
    begin<S, G>(a, s);
    bool has_node = s.is_active;
    int incumbent = a.rule_bound;
    unsigned counted = 0;
    for (uint32_t step = 0;; step++) {
        // Look for a better incumbent or the wish to stop, for searches that ask, and for work given to this one.
        const bool any_active = __any_sync(ALL_LANES, s.is_active);
        if (any_active ? MODE == PAIRS || step % POLL_STEPS == 0 || step < a.early_steps : step % IDLE_STEPS == 0) {
            bool is_asked;
            incumbent = look_around(a, &is_asked);
            if (incumbent < 0)
                break;
            if (any_active && is_asked)
                give<S, G>(a, s);
        }
        if (!any_active || step % MAIL_STEPS == 0)
            open_mail<S, G>(a, s);
        if (!__any_sync(ALL_LANES, s.is_active)) {
            __nanosleep(IDLE_NS);
            continue;
        }

        // Decompose the node in hand: bound all children, choose an end, keep the survivors there.
        const int free_jobs = has_node ? a.jobs - s.depth : 0;
        children<S> r;
        bound_children<S, L, G, J, MODE>(a, s, r, free_jobs, incumbent);
        if (MODE == PAIRS)
            refine_children<S, J, MODE>(a, s, r, free_jobs, incumbent);
        s.is_back = !choose_front<G, MODE>(a.rule, s.depth, r.front.count(), r.back.count(), r.c);
        if (incumbent < a.rule_bound)
            s.left = s.is_back ? r.back_below : r.front_below;
        else
            s.left = s.is_back ? r.back : r.front;

        // Count the node, unless it lies on the walk down to A.
        const int survivors = s.left.count();
        if (has_node && s.t == 0 && s.depth > 0 && s.depth >= s.walk) {
            const int at = s.depth * (a.jobs + 1) + survivors;
            counted++;
            if (a.has_shared_rows)
                atomicAdd(&memory.rows[at], 1u);
            else
                atomicAdd(&a.rows[at], 1ull);
        }
        if (has_node)
            cut_children(s);
        if (has_node && free_jobs <= 2)
            visit_leaves<S, L, M>(a, s, free_jobs, incumbent);

        // Go on with the next child.
        const int k = next_child<S, G>(a, s, has_node);
        has_node = s.is_active;
        __syncwarp();
        s.descend(k);
        s.publish();
        if (step % COUNT_STEPS == COUNT_STEPS - 1) {
            add_nodes(a, counted);
            counted = 0;
        }
    }
    __syncwarp();
    add_nodes(a, counted);
    save<S, G>(a, s);
    memory.add_rows(a);
}

// ---- Launch

template <class L, int G, int M, int J> struct kernels {
    typedef void (*kernel)(flowshop_dfs_args);
    static kernel of(int mode)
    {
        return mode == MINBRANCH ? explore<L, G, M, J, MINBRANCH> : explore<L, G, M, J, ANY_RULE>;
    }
};
template <class L, int M, int J> struct kernels<L, 32, M, J> {
    typedef void (*kernel)(flowshop_dfs_args);
    static kernel of(int mode)
    {
        return mode == MINBRANCH  ? explore<L, 32, M, J, MINBRANCH>
               : mode == ANY_RULE ? explore<L, 32, M, J, ANY_RULE>
                                  : explore<L, 32, M, J, PAIRS>;
    }
};

// The counters go to shared memory if their table is small (ROWS_BYTES) and fits a block beside the rest. Else they go
// to device memory.
template <class L, int G, int M, int J> cudaError_t shape_of(int jobs, int mode, int device, flowshop_dfs_shape *out)
{
    typedef layout<L, G, M, J> lay;
    const bool has_pairs = mode == PAIRS, has_rows = 4 * (jobs + 1) * (jobs + 1) <= ROWS_BYTES;
    *out = {G, M, 16 * L::WORDS, mode, lay::JOB_STRIDE, lay::FRAME_WORDS, BLOCK / G, 0, 0, 0, 0};
    cudaError_t error = cudaDeviceGetAttribute(&out->shared_limit, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    for (int rows = has_rows; rows >= 0 && error == cudaSuccess; rows--) {
        out->has_shared_rows = rows;
        out->shared_bytes = has_pairs ? shared_memory<L, G, M, J, PAIRS>::bytes(jobs, rows != 0)
                                      : shared_memory<L, G, M, J, MINBRANCH>::bytes(jobs, rows != 0);
        if (out->shared_bytes <= out->shared_limit)
            break;
    }
    if (error != cudaSuccess || out->shared_bytes > out->shared_limit)
        return error;  // blocks_per_multiprocessor stays 0
    void (*const kernel)(flowshop_dfs_args) = kernels<L, G, M, J>::of(mode);
    error = allow_shared(kernel, (size_t)out->shared_bytes);
    if (error != cudaSuccess)
        return error;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out->blocks_per_multiprocessor, kernel, BLOCK,
                                                         (size_t)out->shared_bytes);
}

}  // namespace

// All kernels: lanes, threads of a search, most machines, most jobs. flowshop_dfs_choose takes the first that fits.
#define FLOWSHOP_DFS_KERNELS(X)  \
    X(lanes16, 8, 8, 32)         \
    X(lanes16, 8, 12, 32)        \
    X(lanes16, 8, 20, 32)        \
    X(lanes16, 8, 20, 64)        \
    X(lanes16, 32, 20, 256)      \
    X(lanes16, 32, 60, 256)      \
    X(lanes32, 32, 60, 256)

cudaError_t flowshop_dfs_choose(int32_t jobs, int32_t machines, int32_t lane_bits, int32_t rule, int32_t has_pairs,
                                int32_t device, flowshop_dfs_shape *out)
{
    const int mode = has_pairs ? PAIRS : rule == RULE_MINBRANCH ? MINBRANCH : ANY_RULE;
#define CHOOSE(L, G, M, J)                                                                               \
    if (jobs <= J && machines <= M && lane_bits <= 16 * L::WORDS && (mode != PAIRS || G == 32))          \
        return shape_of<L, G, M, J>(jobs, mode, device, out);
    FLOWSHOP_DFS_KERNELS(CHOOSE)
    return cudaErrorInvalidValue;
}

cudaError_t flowshop_dfs_launch(const flowshop_dfs_shape *shape, const flowshop_dfs_args *args, cudaStream_t stream)
{
    void (*kernel)(flowshop_dfs_args) = nullptr;
#define FIND(L, G, M, J)                                                                                             \
    if (kernel == nullptr && args->jobs <= J && shape->machines == M && shape->lane_bits == 16 * L::WORDS &&         \
        shape->group == G)                                                                                           \
        kernel = kernels<L, G, M, J>::of(shape->mode);
    FLOWSHOP_DFS_KERNELS(FIND)
    if (kernel == nullptr)
        return cudaErrorInvalidValue;
    const size_t bytes = (size_t)shape->shared_bytes;
    const cudaError_t error = allow_shared(kernel, bytes);
    return error != cudaSuccess ? error : launch(kernel, (unsigned)args->blocks, BLOCK, bytes, stream, *args);
}
