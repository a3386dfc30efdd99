// SPDX-License-Identifier: MIT
// Depth-first branch and bound by thousands of searches on one GPU, both ends of the schedule, LB1 or LB2.
//
// A search is a group of G threads (8: four searches share a warp in lockstep; 32: a warp each). It
// holds one node in registers, spread over its lanes, and the siblings yet to be visited as frames in
// device memory: the parent's fronts, backs and remainders, its free jobs, and a bit for each child
// left. A step decomposes the node in hand, keeps the first survivor, and leaves the others behind
// as a frame; where nothing survives it goes on with the first child of the last frame. Children are
// taken in the order of their ranks, so what a search has left is one interval of the tree.
//
// Words. A pair holds two machines' values, one of the schedule read forwards and one of its mirror
// image: ends[i] = (front[i], back[m-1-i]), remain[i] = (remain[i], remain[m-1-i]), through[i] =
// remain[i] + swap(ends[m-1-i]). With them one chain bounds both children of a job, one in each half:
//     bound = max(bound, reach + through[i]);  reach = max(reach + p[i], ends[i+1])
// two DPX instructions per machine. Values are not negative and below 2^15, so whole-word additions
// serve for both halves.
//
// A child's own ends are that chain's values for one job: a (max, +) prefix over machines, spread
// over the lanes (machines_per_lane each): y[i] = max(y[i-1], ends[i]) + p[i]. With the sum of the
// times up to each lane's last machine at hand, what enters a lane is a prefix maximum.
//
// Sharing. An idle search draws a ticket and writes itself into a queue. A busy one that sees more
// tickets than answers takes one and copies the later half of its shallowest frame into the idle one's
// first frame. When every search stands in the queue, the tree is done. The host is not needed.
//
// Cost of a node with f free jobs, G = 8: ceil(f / 16) passes of 4 DPX, 2 shared 16-byte broadcasts and 2
// shared 16-byte reads for four machines; a child made: one prefix of 3 shuffles, 8 rows of 32 bytes to or
// from memory for each frame pushed or popped. LB2 (a warp a search) adds, for each child LB1 leaves, up to
// m (m - 1) / 2 pairs of machines times n positions of some ten operations. Sources: the bound, Gmys et al.
// (2020); intervals, Mezmaz et al. (2007). The oracle is flowshop_ref.c through the counts of nodes.
//
// In parts: flowshop_dfs_sets.cuh (pairs, sets of children), flowshop_dfs_node.cuh (the search of a group, its
// node and frames); here the rules, leaves, sharing, the loop, and the launch.
#include "flowshop/flowshop_dfs_node.cuh"

namespace {

// What a kernel is made for.
enum { MINBRANCH, ANY_RULE, PAIRS };  // LB1 and MinBranch; LB1; LB2

// Rules, as mco_flowshop_branching numbers them.
enum { RULE_FORWARD = 1, RULE_BACKWARD, RULE_ALTERNATE, RULE_MINBRANCH, RULE_MINMIN, RULE_MAXSUM };

enum {
    BLOCK = 256,
    POLL_STEPS = 8,       // between two looks at the control block
    COUNT_STEPS = 256,     // between two additions to the count for the log
    LEAST_SHARED_FREE = 5, // free jobs of a node worth giving away
    MAIL_STEPS = 4,        // between two looks of an idle search at its mail
    IDLE_STEPS = 16,       // looks of an idle warp at the mail between two at the control block
    IDLE_NS = 400,
    ROWS_BYTES = 45056     // largest table of counters kept in shared memory
};

// ---- Choosing an end

// What the rules need to know of the children, gathered lane by lane.
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
        x += __shfl_xor_sync(ALL, x, distance, G);
    return x;
}

template <int G> __device__ inline int group_min(int x)
{
#pragma unroll
    for (int distance = G / 2; distance > 0; distance /= 2)
        x = min(x, __shfl_xor_sync(ALL, x, distance, G));
    return x;
}

// True for the front. `fronts` and `backs` count the children below U. All groups of the warp together.
template <int G, int MODE>
__device__ inline bool choose_front(int rule, int depth, int fronts, int backs, const tally &c)
{
    if (MODE == MINBRANCH) {
        int difference = c.difference;
        if (__any_sync(ALL, fronts == backs && fronts > 0))
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

// ---- Leaves

// The schedule with the last two free jobs (or the last) in place: its makespan from the ends of the
// node. One thread; leaves are rare.
template <class S, class L, int M>
__device__ int leaf_makespan(const S &s, int first, int second)
{
    int worst = 0, reach_first = 0, reach_second = 0;
    const bool has_front = s.depth > s.backs, has_back = s.backs > 0;
    for (int i = 0; i < M; i++) {
        const int front = has_front ? L::low(s.s_ends[i]) : 0;
        const int back = has_back ? L::high(s.s_ends[M - 1 - i]) : 0;
        reach_first = max(reach_first, front) + L::low(s.s_times[first * S::lay::JOB_STRIDE + i]);
        reach_second = max(reach_second, reach_first);
        if (second >= 0)
            reach_second += L::low(s.s_times[second * S::lay::JOB_STRIDE + i]);
        worst = max(worst, reach_second + back);
    }
    return worst;
}

// Writes a schedule where the host sees it, if it is the best so far.
__device__ void report(const flowshop_dfs_args &a, const uint16_t *path, int depth, int taken, int last, int makespan)
{
    if (makespan >= atomicMin(&a.control->incumbent, makespan))
        return;
    while (atomicCAS(&a.control->lock, 0, 1) != 0)
        __nanosleep(IDLE_NS);
    __threadfence();
    if (makespan == load_volatile(&a.control->incumbent)) {
        volatile flowshop_dfs_found *found = a.found;
        found->version = found->version + 1;
        __threadfence_system();
        for (int d = 0; d < depth; d++)
            found->path[d] = path[d];
        found->path[depth] = (uint16_t)taken;
        if (last >= 0)
            found->path[depth + 1] = (uint16_t)last;
        found->makespan = makespan;
        __threadfence_system();
        found->version = found->version + 1;
        __threadfence_system();
    }
    __threadfence();
    atomicExch(&a.control->lock, 0);
}

// ---- Sharing

// Threads of this thread's group, as a mask of the warp.
template <int G> __device__ inline unsigned group_mask()
{
    return G == 32 ? ALL : ((1u << (G % 32)) - 1) << (threadIdx.x & 31 & ~(G - 1));
}

// What the group has written to its frames and path comes before what a giver writes there.
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

// Claims the next ticket, if there is one: the search that drew it, or -1. No loop around a contended
// word: thousands of warps come here at the same time. One thread.
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

// One search of the warp gives the later half of its shallowest children away, if another asks. All
// lanes together.
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
    const unsigned votes = __ballot_sync(ALL, can_give);
    if (votes == 0)
        return;
    const int giver = first_bit(votes);
    int receiver = -1;
    if ((int)(threadIdx.x & 31) == giver)
        receiver = next_asking(a);
    receiver = __shfl_sync(ALL, receiver, giver);
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
        __syncwarp(group_mask<G>());  // all have read the set before it changes
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

// ---- Beginning and end of a launch

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
    // The deepest set of the search: only the shallowest frame matters for its last node.
    typename S::set shallow;
    shallow.clear();
    const bool has_frame = s.is_active && s.bottom < s.top;
    int last_depth = s.depth, last_rank = -1;
    if (G < 32 ? has_frame : __any_sync(ALL, has_frame)) {
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

// ---- The kernel

// Searches without work look whether another has put some into their first frame. All lanes together.
template <class S, int G> __device__ inline void open_mail(const flowshop_dfs_args &a, S &s)
{
    flowshop_dfs_search *state = &a.searches_state[s.number];
    int mail = 0;
    if (!s.is_active && s.t == 0)
        mail = load_volatile(&state->mail);
    mail = __shfl_sync(ALL, mail, 0, G);
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

// The least makespan known, or -1 when this launch ends: the host asks for it, or nobody has work.
__device__ inline int look_around(const flowshop_dfs_args &a, bool *is_asked)
{
    const int4 control = load_volatile(reinterpret_cast<const int4 *>(a.control));
    int4 tickets = load_volatile(reinterpret_cast<const int4 *>(&a.control->asked));
    if (tickets.x - tickets.y == a.searches)  // once more: the two may have been read apart
        tickets = load_volatile(reinterpret_cast<const int4 *>(&a.control->asked));
    *is_asked = __shfl_sync(ALL, tickets.z, 0) > 0;
    const bool ends = control.z != 0 || tickets.x - tickets.y == a.searches;
    return __any_sync(ALL, ends) ? -1 : __shfl_sync(ALL, min(min(control.x, control.y), a.rule_bound), 0);
}

// What a decomposition gives: the children below U at each end, those below the incumbent, and the tally.
template <class S> struct children {
    typename S::set front, back, front_below, back_below;
    tally c;
};

// Children base + t of the groups, of which `most` are free: bounds, votes, tally.
template <class S, class L, int G, int J, int MODE>
__device__ inline void add_children(const flowshop_dfs_args &a, S &s, children<S> &r, typename L::pair bounds, int at,
                                    int free_jobs, int incumbent)
{
    const bool is_child = at + s.t < free_jobs;
    const int front = L::low(bounds), back = L::high(bounds);
    r.front.add_pass(__ballot_sync(ALL, is_child && front < a.rule_bound), at, s.t, s.shift);
    r.back.add_pass(__ballot_sync(ALL, is_child && back < a.rule_bound), at, s.t, s.shift);
    if (MODE != PAIRS && incumbent < a.rule_bound) {
        r.front_below.add_pass(__ballot_sync(ALL, is_child && front < incumbent), at, s.t, s.shift);
        r.back_below.add_pass(__ballot_sync(ALL, is_child && back < incumbent), at, s.t, s.shift);
    }
    if (is_child && MODE != PAIRS)
        add_to_tally<MODE>(r.c, front, back);
    if (is_child && MODE == PAIRS) {
        s.s_bounds[at + s.t] = min(front, a.rule_bound);
        s.s_bounds[J + at + s.t] = min(back, a.rule_bound);
    }
}

// LB1 of all children of the nodes in hand, two jobs a lane at a time.
template <class S, class L, int G, int J, int MODE>
__device__ inline void bound_children(const flowshop_dfs_args &a, S &s, children<S> &r, int free_jobs, int incumbent)
{
    const int most_free = G == 32 ? free_jobs : (int)__reduce_max_sync(ALL, (unsigned)free_jobs);
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

// LB2 of those LB1 leaves; what the rules see is then LB2.
template <class S, int J, int MODE>
__device__ inline void refine_children(const flowshop_dfs_args &a, S &s, children<S> &r, int free_jobs, int incumbent)
{
    s.refine(a, r.front, false);
    s.refine(a, r.back, true);
    __syncwarp();
    for (int at = 0; at < free_jobs; at += 32) {
        const bool is_child = at + s.t < free_jobs;
        const int front = s.s_bounds[at + s.t], back = s.s_bounds[J + at + s.t];
        r.front_below.add_pass(__ballot_sync(ALL, is_child && front < incumbent), at, s.t, s.shift);
        r.back_below.add_pass(__ballot_sync(ALL, is_child && back < incumbent), at, s.t, s.shift);
        if (is_child)
            add_to_tally<MODE>(r.c, front, back);
    }
}

// Children before A and at or beyond B are not this search's.
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

// The children of a node with one or two free jobs are schedules.
template <class S, class L, int M>
__device__ inline void visit_leaves(const flowshop_dfs_args &a, S &s, int free_jobs, int incumbent)
{
    while (s.left.any()) {
        const int k = s.left.first();
        s.left.remove(k);
        if (s.t != 0)
            continue;
        const int taken = s.s_list[k], last = free_jobs == 2 ? s.s_list[1 - k] : -1;
        const bool swaps = s.is_back && last >= 0;
        const int makespan = leaf_makespan<S, L, M>(s, swaps ? last : taken, swaps ? taken : last);
        atomicAdd(&a.control->leaves, 1ull);
        if (makespan < incumbent && makespan < load_volatile(&a.control->incumbent))
            report(a, s.path, s.depth, taken | (s.is_back ? FLOWSHOP_DFS_SIDE : 0), last, makespan);
    }
}

// The next child to become the node in hand: the first one left here, or in the last frame. The others stay
// behind as a frame. Without any the search asks for work.
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
        __syncwarp(group_mask<G>());  // all have read the set before it changes
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

// Where a block keeps what: tables, a record for each search, what LB2 needs besides, counters.
template <class L, int G, int M, int J, int MODE> struct shared_memory {
    typedef typename L::pair pair;
    typedef layout<L, G, M, J> lay;
    pair *times, *behind;
    uint32_t *records, *pairs, *rows;
    __device__ shared_memory(void *memory, int jobs)
        : times(static_cast<pair *>(memory)), behind(times + jobs * lay::JOB_STRIDE),
          records(reinterpret_cast<uint32_t *>(behind + (jobs * G + 3) / 4 * 4)),
          pairs(records + BLOCK / G * lay::RECORD_WORDS),
          rows(pairs + (MODE == PAIRS ? BLOCK / G * lay::PAIR_WORDS : 0))
    {
    }
    static int bytes(int jobs, bool has_rows)
    {
        return (int)sizeof(pair) * (jobs * lay::JOB_STRIDE + (jobs * G + 3) / 4 * 4) +
               4 * (BLOCK / G) * (lay::RECORD_WORDS + (MODE == PAIRS ? lay::PAIR_WORDS : 0)) +
               (has_rows ? 4 * (jobs + 1) * (jobs + 1) : 0);
    }
    // Fills the tables, clears the counters. All threads of the block.
    __device__ void fill(const flowshop_dfs_args &a) const
    {
        for (int i = (int)threadIdx.x; i < a.jobs * lay::JOB_STRIDE; i += BLOCK)
            times[i] = static_cast<const pair *>(a.times)[i];
        for (int i = (int)threadIdx.x; i < a.jobs * G; i += BLOCK)
            behind[i] = static_cast<const pair *>(a.behind)[i];
        for (int i = (int)threadIdx.x; a.has_shared_rows && i < (a.jobs + 1) * (a.jobs + 1); i += BLOCK)
            rows[i] = 0;
        __syncthreads();
    }
    template <class S> __device__ void assign(const flowshop_dfs_args &a, S &s) const
    {
        const int lane = (int)(threadIdx.x & 31), in_block = (int)threadIdx.x / G;
        s.t = lane & (G - 1);
        s.shift = lane & ~(G - 1);
        s.jobs = a.jobs;
        s.number = (int)blockIdx.x * (BLOCK / G) + in_block;
        s.s_ends = reinterpret_cast<pair *>(records + in_block * lay::RECORD_WORDS);
        s.s_through = s.s_ends + lay::MACHINES;
        s.s_list = reinterpret_cast<uint8_t *>(s.s_through + lay::MACHINES);
        s.s_child = reinterpret_cast<pair *>(pairs + in_block * lay::PAIR_WORDS);
        s.s_free = reinterpret_cast<uint32_t *>(s.s_child + lay::MACHINES);
        s.s_bounds = reinterpret_cast<int *>(s.s_free + FLOWSHOP_DFS_MAX_JOBS / 32);
        s.first_round = 0;
        s.s_times = times;
        s.s_behind = behind;
        s.frames = a.frames + (int64_t)s.number * a.levels * lay::FRAME_WORDS;
        s.path = a.paths + (int64_t)s.number * a.jobs;
        s.end = a.ends + (int64_t)s.number * a.jobs;
    }
    // The counters of the block to those of the device. All threads of the block.
    __device__ void add_rows(const flowshop_dfs_args &a) const
    {
        __syncthreads();
        for (int i = (int)threadIdx.x; a.has_shared_rows && i < (a.jobs + 1) * (a.jobs + 1); i += BLOCK)
            if (rows[i] != 0)
                atomicAdd(&a.rows[i], (unsigned long long)rows[i]);
    }
};

__device__ inline void add_nodes(const flowshop_dfs_args &a, unsigned counted)
{
    const unsigned sum = __reduce_add_sync(ALL, counted);
    if ((threadIdx.x & 31) == 0 && sum > 0)
        atomicAdd(&a.control->nodes, (unsigned long long)sum);
}

// Grid: all blocks the device holds at a time. Block: 256 threads, 256 / G searches; times, the searches' records
// and the counters of its nodes in shared memory (flowshop_dfs_shape tells the bytes). A step of the loop
// decomposes one node of each search. Rates and what bounds them: README of this folder.
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
        // Is there news, does anyone ask, has anyone given?
        const bool any_active = __any_sync(ALL, s.is_active);
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
        if (!__any_sync(ALL, s.is_active)) {
            __nanosleep(IDLE_NS);
            continue;
        }

        // Decompose the node in hand: bound all children, choose an end, keep what survives there.
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

        // Count it, unless it lies on the walk down to A.
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

// Counters go to shared memory where that costs no block its place, and to device memory otherwise.
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
    const void *kernel = reinterpret_cast<const void *>(kernels<L, G, M, J>::of(mode));
    error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, out->shared_bytes);
    if (error != cudaSuccess)
        return error;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&out->blocks_per_multiprocessor, kernel, BLOCK,
                                                         (size_t)out->shared_bytes);
}

}  // namespace

// The kernels there are: lanes, threads of a search, machines, jobs. The first that fits is taken.
#define FLOWSHOP_DFS_KERNELS(X)  \
    X(lanes16, 8, 8, 32)         \
    X(lanes16, 8, 12, 32)        \
    X(lanes16, 8, 20, 32)        \
    X(lanes16, 8, 20, 64)        \
    X(lanes16, 32, 20, 256)      \
    X(lanes16, 32, 60, 256)      \
    X(lanes32, 32, 60, 256)

extern "C" int flowshop_dfs_choose(int32_t jobs, int32_t machines, int32_t lane_bits, int32_t rule, int32_t has_pairs,
                                   int32_t device, flowshop_dfs_shape *out)
{
    const int mode = has_pairs ? PAIRS : rule == RULE_MINBRANCH ? MINBRANCH : ANY_RULE;
#define CHOOSE(L, G, M, J)                                                                               \
    if (jobs <= J && machines <= M && lane_bits <= 16 * L::WORDS && (mode != PAIRS || G == 32))          \
        return shape_of<L, G, M, J>(jobs, mode, device, out);
    FLOWSHOP_DFS_KERNELS(CHOOSE)
    return cudaErrorInvalidValue;
}

extern "C" int flowshop_dfs_launch(const flowshop_dfs_shape *shape, const flowshop_dfs_args *args, void *stream)
{
    void (*kernel)(flowshop_dfs_args) = nullptr;
#define FIND(L, G, M, J)                                                                                             \
    if (kernel == nullptr && args->jobs <= J && shape->machines == M && shape->lane_bits == 16 * L::WORDS &&         \
        shape->group == G)                                                                                           \
        kernel = kernels<L, G, M, J>::of(shape->mode);
    FLOWSHOP_DFS_KERNELS(FIND)
    if (kernel == nullptr)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                                             cudaFuncAttributeMaxDynamicSharedMemorySize, shape->shared_bytes);
    if (error != cudaSuccess)
        return error;
    kernel<<<args->blocks, BLOCK, shape->shared_bytes, static_cast<cudaStream_t>(stream)>>>(*args);
    return cudaGetLastError();
}
