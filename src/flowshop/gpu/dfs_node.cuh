// SPDX-License-Identifier: MIT
// Part of flowshop/gpu/dfs.cu: the search of one group. Its node in hand is spread over the lanes; frames hold the
// rest.
#ifndef MCO_FLOWSHOP_GPU_DFS_NODE_CUH
#define MCO_FLOWSHOP_GPU_DFS_NODE_CUH

#include "flowshop/gpu/dfs_sets.cuh"

namespace {

// ---- Layout

// L: lanes; G: threads of a search; M: machines, padded to a multiple of 4; J: most jobs.
template <class L, int G, int M, int J> struct layout {
    enum {
        K = (M + G - 1) / G,     // machines of a lane
        MACHINES = K * G,
        LIST_WORDS = J / 4 / G,  // words of the list of free jobs that each lane holds
        ROWS = 2 * K * L::WORDS + LIST_WORDS + 1,
        LAST_ROW = (ROWS - 1) * G,  // holds the set of children left; its last word holds meta()
        FRAME_WORDS = ROWS * G,
        RECORD = 2 * MACHINES * L::WORDS + J / 4,
        // LB2 needs these words besides: ends of a child, free jobs, bounds of the children.
        PAIR_WORDS = MACHINES * L::WORDS + FLOWSHOP_DFS_MAX_JOBS / 32 + 2 * J,
        // The records of a warp's searches begin in different banks: 4 words apart modulo 32.
        RECORD_WORDS = G == 32 ? RECORD : (RECORD - 4 + 31) / 32 * 32 + 4,
        // A stride between jobs of 4, 12, 20 or 28 words modulo 32 spreads the 16-byte reads over all banks.
        JOB_STRIDE = M % 8 == 4 ? M : M + 4
    };
};

// ---- Words that other searches or the host change

enum { IDLE_NS = 400 };  // pause between two looks at such a word

__device__ inline int4 load_volatile(const int4 *p)
{
    int4 v;
    asm volatile("ld.volatile.global.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}

__device__ inline int load_volatile(const int *p)
{
    return *reinterpret_cast<const volatile int *>(p);
}

// ---- Pairs of machines

// One position of the Johnson order of a pair of machines.
template <class L> struct pair_cell;
template <> struct pair_cell<lanes16> {
    int job, first, second, lag;
    __device__ pair_cell(const void *cells, int64_t at)
    {
        const uint2 c = __ldg(static_cast<const uint2 *>(cells) + at);
        first = (int)(c.x & 0xffff), second = (int)(c.x >> 16), lag = (int)(c.y & 0xffff), job = (int)(c.y >> 16);
    }
};
template <> struct pair_cell<lanes32> {
    int job, first, second, lag;
    __device__ pair_cell(const void *cells, int64_t at)
    {
        const int4 c = __ldg(static_cast<const int4 *>(cells) + at);
        first = c.x, second = c.y, lag = c.z, job = c.w;
    }
};

// ---- The search of one group

template <class L, int G, int M, int J> struct search {
    typedef typename L::pair pair;
    typedef layout<L, G, M, J> lay;
    typedef typename set_for<G, J>::type set;
    enum { K = lay::K, LIST_WORDS = lay::LIST_WORDS };

    // The node in hand, spread over the lanes.
    pair ends[K], remain[K];
    uint32_t list[LIST_WORDS];  // word w of the list of free jobs is list[w / G] of lane w % G
    set left;                   // children to visit
    int depth, backs, bottom, top, match, end_depth, walk;
    bool is_active, is_back;
    // Where things are.
    int t, shift, jobs, number;
    pair *s_ends, *s_through;
    uint8_t *s_list;
    pair *s_child;       // LB2: ends of a child
    uint32_t *s_free;    // LB2: bits of the free jobs
    int *s_bounds;       // LB2: [2 J] bounds of the children, front then back
    int first_round;     // LB2: the round of pairs that comes first: the last one that pruned
    const pair *s_times, *s_behind;
    uint32_t *frames;
    uint16_t *path, *end;

    __device__ uint32_t *frame(int at) const { return frames + (int64_t)at * lay::FRAME_WORDS; }

    __device__ uint32_t meta() const { return (uint32_t)depth | (uint32_t)backs << 10 | (uint32_t)is_back << 20; }
    __device__ void set_meta(uint32_t m)
    {
        depth = (int)(m & 1023);
        backs = (int)(m >> 10 & 1023);
        is_back = m >> 20 & 1;
    }

    // Writes the node in hand as a frame. A row is one word from each lane: 4 G bytes.
    __device__ void push(uint32_t *to) const
    {
        int row = t;
#pragma unroll
        for (int i = 0; i < K; i++) {
            uint32_t w[4];
            L::to_words(ends[i], w);
            L::to_words(remain[i], w + 2);
#pragma unroll
            for (int k = 0; k < L::WORDS; k++) {
                to[row] = w[k];
                to[row + K * L::WORDS * G] = w[2 + k];
                row += G;
            }
        }
#pragma unroll
        for (int i = 0; i < LIST_WORDS; i++)
            to[2 * K * L::WORDS * G + i * G + t] = list[i];
        to[lay::LAST_ROW + t] = t == G - 1 ? meta() : left.word(t);
    }

    __device__ void read_node(const uint32_t *from)
    {
        int row = t;
#pragma unroll
        for (int i = 0; i < K; i++) {
            uint32_t w[4];
#pragma unroll
            for (int k = 0; k < L::WORDS; k++) {
                w[k] = from[row];
                w[2 + k] = from[row + K * L::WORDS * G];
                row += G;
            }
            ends[i] = L::from_words(w);
            remain[i] = L::from_words(w + 2);
        }
#pragma unroll
        for (int i = 0; i < LIST_WORDS; i++)
            list[i] = from[2 * K * L::WORDS * G + i * G + t];
        set_meta(from[lay::LAST_ROW + G - 1]);
    }

    // Writes the node in hand to shared memory, where all lanes see it. All groups of the warp call this together.
    __device__ void publish()
    {
#pragma unroll
        for (int i = 0; i < K; i++)
            s_ends[t * K + i] = ends[i];
#pragma unroll
        for (int i = 0; i < LIST_WORDS; i++)
            reinterpret_cast<uint32_t *>(s_list)[i * G + t] = list[i];
        __syncwarp();
#pragma unroll
        for (int i = 0; i < K; i++)
            if (lay::MACHINES == M || t * K + i < M)
                s_through[t * K + i] = L::add(remain[i], L::swap(s_ends[M - 1 - (t * K + i)]));
        __syncwarp();
    }

    // Computes the times p of a job on this lane's machines, and the ends y of both its children on them.
    __device__ void ends_of_child(int job, pair (&p)[K], pair (&y)[K]) const
    {
        const pair *times = s_times + job * lay::JOB_STRIDE + t * K;
#pragma unroll
        for (int i = 0; i < K; i++)
            p[i] = lay::MACHINES == M || t * K + i < M ? times[i] : L::zero();
        const pair behind = s_behind[job * G + t];
        // First the chain through this lane's machines alone, then the maximum over the lanes before it.
        pair reach = L::zero();
#pragma unroll
        for (int i = 0; i < K; i++)
            reach = L::add_max(reach, p[i], L::add(ends[i], p[i]));
        pair prefix = L::add(reach, behind);
#pragma unroll
        for (int distance = 1; distance < G; distance *= 2)
            prefix = L::max2(prefix, L::template up<G>(prefix, distance));
        reach = L::subtract(L::template up<G>(prefix, 1), L::template up<G>(behind, 1));
        if (t == 0)
            reach = L::zero();
#pragma unroll
        for (int i = 0; i < K; i++)
            reach = y[i] = L::add_max(reach, p[i], L::add(ends[i], p[i]));
    }

    // Goes down to the child that fixes the k-th free job at the chosen end: that child becomes the node in hand.
    __device__ void descend(int k)
    {
        const int word = k >> 2;
        uint32_t mine = list[0];
        if (LIST_WORDS == 2 && word >= G)
            mine = list[LIST_WORDS - 1];
        const uint32_t four = __shfl_sync(ALL_LANES, mine, word % G, G);
        const int job = (int)(four >> (8 * (k & 3)) & 0xff);
        remove_from_list(k);

        pair p[K], y[K];
        ends_of_child(job, p, y);
#pragma unroll
        for (int i = 0; i < K; i++) {
            ends[i] = L::choose(is_back, ends[i], y[i]);
            remain[i] = L::subtract(remain[i], p[i]);
        }
        if (is_active) {
            if (match >= depth)
                match = depth < end_depth && end[depth] == k ? depth + 1 : depth;
            if (t == 0)
                path[depth] = (uint16_t)(job | (is_back ? FLOWSHOP_DFS_SIDE : 0));
            depth++;
            backs += is_back;
        }
    }

    __device__ void remove_from_list(int k)
    {
        uint32_t next[LIST_WORDS];
#pragma unroll
        for (int i = 0; i < LIST_WORDS; i++)
            next[i] = __shfl_down_sync(ALL_LANES, list[i], 1, G);
#pragma unroll
        for (int i = 0; i < LIST_WORDS; i++) {
            const uint32_t wrapped = i + 1 < LIST_WORDS ? __shfl_sync(ALL_LANES, list[(i + 1) % LIST_WORDS], 0, G) : 0;
            if (t == G - 1)
                next[i] = wrapped;
        }
#pragma unroll
        for (int i = 0; i < LIST_WORDS; i++) {
            const uint32_t kept = low_bits(8 * max(0, min(4, k - 4 * (i * G + t))));
            list[i] = (list[i] & kept) | (__funnelshift_r(list[i], next[i], 8) & ~kept);
        }
    }

    // Bounds of both children of each job; JOBS is 1 or 2.
    template <int JOBS> __device__ void bound(const int (&job)[JOBS], pair (&bounds)[JOBS]) const
    {
        pair reach[JOBS];
#pragma unroll
        for (int s = 0; s < JOBS; s++) {
            reach[s] = s_ends[0];
            bounds[s] = L::zero();
        }
#pragma unroll
        for (int i = 0; i < M; i += 4) {
            pair e[5], h[4], p[4];
            L::load4(s_ends + i, e);
            e[4] = i + 4 < M ? s_ends[i + 4] : L::zero();
            L::load4(s_through + i, h);
#pragma unroll
            for (int s = 0; s < JOBS; s++) {
                L::load4(s_times + job[s] * lay::JOB_STRIDE + i, p);
#pragma unroll
                for (int u = 0; u < 4; u++) {
                    bounds[s] = L::add_max(reach[s], h[u], bounds[s]);
                    if (i + u + 1 < M)
                        reach[s] = L::add_max(reach[s], p[u], e[u + 1]);
                }
            }
        }
    }

    // The two-machine bound of the child that fixes the k-th free job at an end; U stands for any bound of U or more.
    // Each lane takes a pair of machines and loops over the positions of its Johnson order. A round is 32 pairs. The
    // round that pruned last comes first.
    __device__ int bound_by_pairs(const flowshop_dfs_args &a, int k, bool at_back)
    {
        const int job = s_list[k];
        pair p[K], y[K];
        ends_of_child(job, p, y);
#pragma unroll
        for (int i = 0; i < K; i++)
            s_child[t * K + i] = L::choose(at_back, ends[i], y[i]);
        __syncwarp();
        int best = 0;
        const int rounds = (a.pairs + 31) / 32;
        for (int r = 0; r < rounds; r++) {
            const int round = first_round + r < rounds ? first_round + r : first_round + r - rounds;
            const int at = round * 32 + t;
            const uchar2 machines = reinterpret_cast<const uchar2 *>(a.pair_machines)[at];
            int t1 = L::low(s_child[machines.x]), t2 = L::low(s_child[machines.y]);
            for (int position = 0; position < jobs; position++) {
                const pair_cell<L> cell(a.pair_cells, (int64_t)position * 32 * rounds + at);
                const bool is_on = cell.job != job && (s_free[cell.job >> 5] >> (cell.job & 31) & 1);
                if (is_on) {
                    t1 += cell.first;
                    t2 = max(t2, t1 + cell.lag) + cell.second;
                }
            }
            best = max(best, t2 + L::high(s_child[M - 1 - machines.y]));
            if (__any_sync(ALL_LANES, best >= a.rule_bound)) {
                first_round = round;
                return a.rule_bound;
            }
        }
        return (int)__reduce_max_sync(ALL_LANES, (unsigned)best);
    }

    // Raises the bounds of the children in `below` to LB2 and drops the children that reach U. A search is one warp.
    __device__ void refine(const flowshop_dfs_args &a, set &below, bool at_back)
    {
        __syncwarp();
        if (t < FLOWSHOP_DFS_MAX_JOBS / 32)
            s_free[t] = 0;
        __syncwarp();
        for (int k = t; k < jobs - depth; k += G)
            atomicOr(&s_free[s_list[k] >> 5], 1u << (s_list[k] & 31));
        __syncwarp();
        int *bounds = s_bounds + (at_back ? J : 0);
        for (set rest = below; rest.any();) {
            const int k = rest.first();
            rest.remove(k);
            const int bound = bound_by_pairs(a, k, at_back);
            if (t == 0)
                bounds[k] = max(bounds[k], bound);
            if (bound >= a.rule_bound)
                below.remove(k);
            __syncwarp();
        }
    }
};

}  // namespace

#endif
