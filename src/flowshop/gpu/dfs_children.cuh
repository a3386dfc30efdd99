// SPDX-License-Identifier: MIT
// Part of flowshop/gpu/dfs.cu: decomposing the nodes in hand. The kernel bounds all children at both ends, one job in
// each lane. The branching rule chooses between the two sets of children below U. The search may visit the children
// below the incumbent. A rule depends on the node and U alone; each lane tallies what the rule needs beside the sets.
#ifndef MCO_FLOWSHOP_GPU_DFS_CHILDREN_CUH
#define MCO_FLOWSHOP_GPU_DFS_CHILDREN_CUH

#include "flowshop/gpu/dfs_node.cuh"

namespace {

// The bound and the rules that a kernel is compiled for.
enum { MINBRANCH, ANY_RULE, PAIRS };  // LB1 and MinBranch; LB1; LB2

// Rules, as mco_flowshop_branching numbers them.
enum { RULE_FORWARD = 1, RULE_BACKWARD, RULE_ALTERNATE, RULE_MINBRANCH, RULE_MINMIN, RULE_MAXSUM };

// ---- Choosing an end

// What the rules need to know about the children. Each lane gathers its own.
struct tally {
    int difference;               // sum of front bounds minus sum of back bounds
    int least;                    // MinMin: smallest bound this lane has seen
    int fronts_least, backs_least;
};

template <int MODE>
__device__ inline void add_to_tally(tally &c, int front, int back)
{
    c.difference += front - back;
    if (MODE == MINBRANCH)
        return;
    const int least = min(front, back);
    if (least < c.least) {
        c.least = least;
        c.fronts_least = c.backs_least = 0;
    }
    c.fronts_least += front == c.least;
    c.backs_least += back == c.least;
}

template <int G> __device__ inline int group_sum(int x)
{
#pragma unroll
    for (int distance = G / 2; distance > 0; distance /= 2)
        x += __shfl_xor_sync(ALL_LANES, x, distance, G);
    return x;
}

template <int G> __device__ inline int group_min(int x)
{
#pragma unroll
    for (int distance = G / 2; distance > 0; distance /= 2)
        x = min(x, __shfl_xor_sync(ALL_LANES, x, distance, G));
    return x;
}

// True if the front grows. `fronts` and `backs` count the children below U. All groups of the warp call this together.
template <int G, int MODE>
__device__ inline bool choose_front(int rule, int depth, int fronts, int backs, const tally &c)
{
    if (MODE == MINBRANCH) {
        int difference = c.difference;
        if (__any_sync(ALL_LANES, fronts == backs && fronts > 0))
            difference = group_sum<G>(difference);
        return fronts != backs ? fronts < backs : difference >= 0;
    }
    const int difference = group_sum<G>(c.difference), least = group_min<G>(c.least);
    const int fronts_least = group_sum<G>(c.least == least ? c.fronts_least : 0);
    const int backs_least = group_sum<G>(c.least == least ? c.backs_least : 0);
    switch (rule) {
    case RULE_FORWARD: return true;
    case RULE_BACKWARD: return false;
    case RULE_ALTERNATE: return depth % 2 == 0;
    case RULE_MINMIN: return fronts_least != backs_least ? fronts_least < backs_least : fronts < backs;
    case RULE_MAXSUM: return difference >= 0;
    default: return fronts != backs ? fronts < backs : difference >= 0;
    }
}

// ---- Bounding all children

// The outcome of a decomposition: at each end the children below U and those below the incumbent; and the tally.
template <class S> struct children {
    typename S::set front, back, front_below, back_below;
    tally c;
};

// Takes the bounds of the two children of free job at + t of each group, if there is such a job: adds them to the sets
// and to the tally.
template <class S, class L, int G, int J, int MODE>
__device__ inline void add_children(const flowshop_dfs_args &a, S &s, children<S> &r, typename L::pair bounds, int at,
                                    int free_jobs, int incumbent)
{
    const bool is_child = at + s.t < free_jobs;
    const int front = L::low(bounds), back = L::high(bounds);
    r.front.add_pass(__ballot_sync(ALL_LANES, is_child && front < a.rule_bound), at, s.t, s.shift);
    r.back.add_pass(__ballot_sync(ALL_LANES, is_child && back < a.rule_bound), at, s.t, s.shift);
    if (MODE != PAIRS && incumbent < a.rule_bound) {
        r.front_below.add_pass(__ballot_sync(ALL_LANES, is_child && front < incumbent), at, s.t, s.shift);
        r.back_below.add_pass(__ballot_sync(ALL_LANES, is_child && back < incumbent), at, s.t, s.shift);
    }
    if (is_child && MODE != PAIRS)
        add_to_tally<MODE>(r.c, front, back);
    if (is_child && MODE == PAIRS) {
        s.s_bounds[at + s.t] = min(front, a.rule_bound);
        s.s_bounds[J + at + s.t] = min(back, a.rule_bound);
    }
}

// LB1 of all children of the nodes in hand. A lane bounds the children of two jobs at a time.
template <class S, class L, int G, int J, int MODE>
__device__ inline void bound_children(const flowshop_dfs_args &a, S &s, children<S> &r, int free_jobs, int incumbent)
{
    const int most_free = G == 32 ? free_jobs : (int)__reduce_max_sync(ALL_LANES, (unsigned)free_jobs);
    r.front.clear(), r.back.clear(), r.front_below.clear(), r.back_below.clear();
    r.c = {0, INT32_MAX, 0, 0};
    for (int base = 0; base < most_free; base += 2 * G) {
        if (base + G < most_free) {
            typename L::pair bounds[2];
            s.bound({s.s_list[base + s.t], s.s_list[base + G + s.t]}, bounds);
            add_children<S, L, G, J, MODE>(a, s, r, bounds[0], base, free_jobs, incumbent);
            add_children<S, L, G, J, MODE>(a, s, r, bounds[1], base + G, free_jobs, incumbent);
        } else {
            typename L::pair bounds[1];
            s.bound({s.s_list[base + s.t]}, bounds);
            add_children<S, L, G, J, MODE>(a, s, r, bounds[0], base, free_jobs, incumbent);
        }
    }
}

// Computes LB2 of the children that LB1 does not prune. The rules then see LB2.
template <class S, int J, int MODE>
__device__ inline void refine_children(const flowshop_dfs_args &a, S &s, children<S> &r, int free_jobs, int incumbent)
{
    s.refine(a, r.front, false);
    s.refine(a, r.back, true);
    __syncwarp();
    for (int at = 0; at < free_jobs; at += 32) {
        const bool is_child = at + s.t < free_jobs;
        const int front = s.s_bounds[at + s.t], back = s.s_bounds[J + at + s.t];
        r.front_below.add_pass(__ballot_sync(ALL_LANES, is_child && front < incumbent), at, s.t, s.shift);
        r.back_below.add_pass(__ballot_sync(ALL_LANES, is_child && back < incumbent), at, s.t, s.shift);
        if (is_child)
            add_to_tally<MODE>(r.c, front, back);
    }
}

// Removes the children before A and those at or beyond B: they belong to other searches.
template <class S> __device__ inline void cut_children(S &s)
{
    const int d = s.depth;
    if (s.match == d)
        s.left.keep_below(d < s.end_depth ? (int)s.end[d] + (d + 1 < s.end_depth) : 0, s.t);
    if (d < s.walk) {
        const int k = s.path[d];
        s.left.keep_from(k, s.t);
        if (d + 1 == s.walk || !s.left.has(k))
            s.walk = 0;
    }
}

}  // namespace

#endif
