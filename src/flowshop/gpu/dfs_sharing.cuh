// SPDX-License-Identifier: MIT
// Part of flowshop/gpu/dfs.cu: searches give each other work without the host.
//
// An idle search draws a ticket and writes its number into a queue. A busy search that sees unclaimed tickets takes
// one. It copies the later half of the children in its shallowest frame into the first frame of the idle search. The
// idle search looks at its mail from time to time. When every search stands in the queue, the tree is done.
#ifndef MCO_FLOWSHOP_GPU_DFS_SHARING_CUH
#define MCO_FLOWSHOP_GPU_DFS_SHARING_CUH

#include "flowshop/gpu/dfs_node.cuh"

namespace {

enum { LEAST_SHARED_FREE = 5 };  // a node with fewer free jobs is not worth giving away

// The threads of this thread's group, as a mask of the warp.
template <int G> __device__ inline unsigned group_mask()
{
    return G == 32 ? ALL_LANES : ((1u << (G % 32)) - 1) << (threadIdx.x & 31 & ~(G - 1));
}

// Asks for work. The fences order the group's own writes to its frames and path before the writes of a giver.
template <class S, int G> __device__ void ask(const flowshop_dfs_args &a, const S &s)
{
    __syncwarp(group_mask<G>());
    if (s.t == 0) {
        __threadfence();
        const uint32_t ticket = atomicAdd(&a.control->asked, 1);
        while (atomicCAS(&a.queue[ticket & a.queue_mask], 0, (uint32_t)s.number + 1) != 0)
            __nanosleep(IDLE_NS);
        atomicAdd(&a.control->unclaimed, 1);
    }
}

// Claims the next ticket and returns the number of the search that drew it, or -1 if there is none. One thread calls
// this. It does not retry on a contended word, because thousands of warps come here at the same time.
__device__ inline int next_asking(const flowshop_dfs_args &a)
{
    if (atomicSub(&a.control->unclaimed, 1) <= 0) {
        atomicAdd(&a.control->unclaimed, 1);
        return -1;
    }
    const uint32_t ticket = atomicAdd(&a.control->served, 1);
    uint32_t who;
    while ((who = atomicExch(&a.queue[ticket & a.queue_mask], 0)) == 0)
        __nanosleep(IDLE_NS);
    __threadfence();
    return (int)who - 1;
}

// One search of the warp gives away the later half of its shallowest children, if another search asks. All lanes call
// this together.
template <class S, int G>
__device__ void give(const flowshop_dfs_args &a, S &s)
{
    typedef typename S::lay lay;
    uint32_t *from = s.frame(s.bottom);
    uint32_t meta = 0;
    bool can_give = s.is_active && s.bottom < s.top;
    if (can_give) {
        meta = from[lay::LAST_ROW + G - 1];
        can_give = s.jobs - (int)(meta & 1023) >= LEAST_SHARED_FREE;
    }
    const unsigned votes = __ballot_sync(ALL_LANES, can_give);
    if (votes == 0)
        return;
    const int giver = first_bit(votes);
    int receiver = -1;
    if ((int)(threadIdx.x & 31) == giver)
        receiver = next_asking(a);
    receiver = __shfl_sync(ALL_LANES, receiver, giver);
    if (receiver < 0)
        return;
    const bool is_giver = ((int)(threadIdx.x & 31) & ~(G - 1)) == giver;

    typename S::set kept, given;
    kept.read(from + lay::LAST_ROW, s.t);
    if (!is_giver && G < 32)
        kept.clear();
    given = kept;
    const int count = kept.count();
    const int half = is_giver ? kept.nth(count / 2) : 0;
    kept.keep_below(half, s.t);
    given.keep_from(half, s.t);
    const int first = given.first(), last = given.last();
    const bool has_kept = kept.any();
    if (is_giver) {
        const int depth = (int)(meta & 1023);
        flowshop_dfs_search *r = &a.searches_state[receiver];
        uint32_t *to = a.frames + (int64_t)receiver * a.levels * lay::FRAME_WORDS;
        for (int row = 0; row < lay::ROWS - 1; row++)
            to[row * G + s.t] = from[row * G + s.t];
        to[lay::LAST_ROW + s.t] = s.t == G - 1 ? meta : given.word(s.t);
        for (int d = s.t; d < depth; d += G)
            a.paths[(int64_t)receiver * a.jobs + d] = s.path[d];
        for (int d = s.t; d < s.end_depth; d += G)
            a.ends[(int64_t)receiver * a.jobs + d] = s.end[d];
        if (s.t == 0) {
            r->match = s.match < 0 ? -1 : min(s.match, depth);
            r->end_depth = s.end_depth;
            r->first_depth = r->last_depth = depth;
            r->first_rank = first;
            r->last_rank = last;
            atomicAdd(&a.control->gifts, 1ull);
        }
        __syncwarp(group_mask<G>());  // all lanes read the set before it changes
        if (!has_kept)
            s.bottom++;
        else if (s.t < G - 1)
            from[lay::LAST_ROW + s.t] = kept.word(s.t);
        s.match = -1;
        s.end_depth = 0;
    }
    __threadfence();
    __syncwarp();
    if ((int)(threadIdx.x & 31) == giver) {
        __threadfence();
        atomicExch(&a.searches_state[receiver].mail, 1);
    }
}

// A search without work looks whether another has put work into its first frame. All lanes call this together.
template <class S, int G> __device__ inline void open_mail(const flowshop_dfs_args &a, S &s)
{
    flowshop_dfs_search *state = &a.searches_state[s.number];
    int mail = 0;
    if (!s.is_active && s.t == 0)
        mail = load_volatile(&state->mail);
    mail = __shfl_sync(ALL_LANES, mail, 0, G);
    if (mail == 0)
        return;
    __threadfence();
    s.match = load_volatile(&state->match);
    s.end_depth = load_volatile(&state->end_depth);
    s.bottom = 0;
    s.top = 1;
    s.walk = 0;
    s.is_active = true;
    if (s.t == 0)
        state->mail = 0;
}

}  // namespace

#endif
