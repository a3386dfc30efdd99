// SPDX-License-Identifier: MIT
// Part of flowshop/gpu/dfs.cu: the state of a search between two launches. begin() reads it from the search's
// flowshop_dfs_search, path and last frame. save() writes it there, with the first and the last node that are left. The
// host makes an interval from these two.
#ifndef MCO_FLOWSHOP_GPU_DFS_STATE_CUH
#define MCO_FLOWSHOP_GPU_DFS_STATE_CUH

#include "flowshop/gpu/dfs_sharing.cuh"

namespace {

template <class S, int G>
__device__ void begin(const flowshop_dfs_args &a, S &s)
{
    typedef typename S::pair pair;
    const flowshop_dfs_search *state = &a.searches_state[s.number];
    const int status = state->status;
    s.is_active = status == FLOWSHOP_DFS_NEW || status == FLOWSHOP_DFS_SAVED;
    s.is_back = false;
    s.left.clear();
    s.depth = s.backs = s.bottom = s.top = s.walk = s.end_depth = 0;
    s.match = -1;
#pragma unroll
    for (int i = 0; i < S::K; i++) {
        s.ends[i] = static_cast<const pair *>(a.root_ends)[s.t * S::K + i];
        s.remain[i] = static_cast<const pair *>(a.root_remain)[s.t * S::K + i];
    }
#pragma unroll
    for (int i = 0; i < S::LIST_WORDS; i++) {
        const int job = 4 * (i * G + s.t);
        s.list[i] = 0;
        for (int k = 0; k < 4; k++)
            s.list[i] |= (job + k < a.jobs ? (uint32_t)(job + k) : 0u) << (8 * k);
    }
    if (s.is_active) {
        s.walk = state->walk;
        s.match = state->match;
        s.end_depth = state->end_depth;
    }
    if (status == FLOWSHOP_DFS_SAVED) {
        s.read_node(s.frame(a.levels - 1));
        s.bottom = state->bottom;
        s.top = state->top;
    }
    if (status == FLOWSHOP_DFS_IDLE)
        ask<S, G>(a, s);
    __syncwarp();
    s.publish();
}

template <class S, int G>
__device__ void save(const flowshop_dfs_args &a, S &s)
{
    flowshop_dfs_search *state = &a.searches_state[s.number];
    // The last node left is the last child in the shallowest frame; without frames it is the node in hand.
    typename S::set shallow;
    shallow.clear();
    const bool has_frame = s.is_active && s.bottom < s.top;
    int last_depth = s.depth, last_rank = -1;
    if (G < 32 ? has_frame : __any_sync(ALL_LANES, has_frame)) {
        const uint32_t *from = s.frame(s.bottom);
        shallow.read(from + S::lay::LAST_ROW, s.t);
        last_depth = (int)(from[S::lay::LAST_ROW + G - 1] & 1023);
        last_rank = shallow.last();
    }
    if (s.is_active)
        s.push(s.frame(a.levels - 1));
    if (s.t != 0)
        return;
    if (!s.is_active) {
        state->status = FLOWSHOP_DFS_WAITING;
        return;
    }
    state->status = FLOWSHOP_DFS_SAVED;
    state->depth = s.depth;
    state->walk = s.walk;
    state->bottom = s.bottom;
    state->top = s.top;
    state->match = s.match;
    state->end_depth = s.end_depth;
    state->first_depth = s.depth < s.walk ? s.walk : s.depth;
    state->first_rank = -1;
    state->last_depth = last_depth;
    state->last_rank = last_rank;
}

}  // namespace

#endif
