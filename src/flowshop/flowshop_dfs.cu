// SPDX-License-Identifier: MIT
// Depth-first branch and bound by thousands of searches on one GPU, LB1 of both ends.
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
// m (m - 1) / 2 pairs of machines times n positions of some ten operations. Sources: the bound, Gmys et al. (2020); intervals, Mezmaz
// et al. (2007). The oracle is flowshop_ref.c through the counts of nodes.
#include <cuda_runtime.h>

#include "flowshop/flowshop_dfs.h"

namespace {

const unsigned ALL = 0xffffffffu;

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

// ---- Pairs

struct lanes16 {
    typedef uint32_t pair;
    enum { WORDS = 1 };
    static __device__ pair add_max(pair a, pair b, pair c) { return __viaddmax_s16x2(a, b, c); }
    static __device__ pair max2(pair a, pair b) { return __vmaxs2(a, b); }
    static __device__ pair add(pair a, pair b) { return a + b; }
    static __device__ pair subtract(pair a, pair b) { return a - b; }
    static __device__ pair swap(pair a) { return __byte_perm(a, 0, 0x1032); }
    static __device__ pair zero() { return 0; }
    static __device__ int low(pair a) { return (int)(a & 0xffff); }
    static __device__ int high(pair a) { return (int)(a >> 16); }
    static __device__ pair choose(bool is_back, pair old, pair grown)
    {
        return is_back ? (grown & 0xffff0000u) | (old & 0xffffu) : (grown & 0xffffu) | (old & 0xffff0000u);
    }
    template <int G> static __device__ pair up(pair a, int distance) { return __shfl_up_sync(ALL, a, distance, G); }
    static __device__ void to_words(pair a, uint32_t *w) { w[0] = a; }
    static __device__ pair from_words(const uint32_t *w) { return w[0]; }
    static __device__ void load4(const pair *from, pair *to)
    {
        const uint4 v = *reinterpret_cast<const uint4 *>(from);
        to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
    }
};

struct lanes32 {
    typedef int2 pair;
    enum { WORDS = 2 };
    static __device__ pair add_max(pair a, pair b, pair c) { return make_int2(max(a.x + b.x, c.x), max(a.y + b.y, c.y)); }
    static __device__ pair max2(pair a, pair b) { return make_int2(max(a.x, b.x), max(a.y, b.y)); }
    static __device__ pair add(pair a, pair b) { return make_int2(a.x + b.x, a.y + b.y); }
    static __device__ pair subtract(pair a, pair b) { return make_int2(a.x - b.x, a.y - b.y); }
    static __device__ pair swap(pair a) { return make_int2(a.y, a.x); }
    static __device__ pair zero() { return make_int2(0, 0); }
    static __device__ int low(pair a) { return a.x; }
    static __device__ int high(pair a) { return a.y; }
    static __device__ pair choose(bool is_back, pair old, pair grown)
    {
        return is_back ? make_int2(old.x, grown.y) : make_int2(grown.x, old.y);
    }
    template <int G> static __device__ pair up(pair a, int distance)
    {
        return make_int2(__shfl_up_sync(ALL, a.x, distance, G), __shfl_up_sync(ALL, a.y, distance, G));
    }
    static __device__ void to_words(pair a, uint32_t *w) { w[0] = (uint32_t)a.x, w[1] = (uint32_t)a.y; }
    static __device__ pair from_words(const uint32_t *w) { return make_int2((int)w[0], (int)w[1]); }
    static __device__ void load4(const pair *from, pair *to)
    {
        const int4 v = reinterpret_cast<const int4 *>(from)[0], w = reinterpret_cast<const int4 *>(from)[1];
        to[0] = make_int2(v.x, v.y), to[1] = make_int2(v.z, v.w);
        to[2] = make_int2(w.x, w.y), to[3] = make_int2(w.z, w.w);
    }
};

// ---- Sets of children: bit k is the child of rank k

__device__ inline int first_bit(uint32_t x) { return __ffs((int)x) - 1; }
__device__ inline int first_bit(uint64_t x) { return __ffsll((long long)x) - 1; }
__device__ inline int count_bits(uint32_t x) { return __popc(x); }
__device__ inline int count_bits(uint64_t x) { return __popcll(x); }
__device__ inline int last_bit(uint32_t x) { return 31 - __clz((int)x); }
__device__ inline int last_bit(uint64_t x) { return 63 - __clzll((long long)x); }
__device__ inline uint32_t low_bits(int count) { return count >= 32 ? ~0u : (1u << count) - 1; }
template <class BITS> __device__ inline BITS bits_below(int k)
{
    return k >= (int)(8 * sizeof(BITS)) ? ~(BITS)0 : ((BITS)1 << k) - 1;
}
template <class BITS> __device__ inline int nth_bit(BITS x, int n)
{
    for (; n > 0; n--)
        x &= x - 1;
    return first_bit(x);
}

// Every lane of the group holds the whole set.
template <class BITS> struct set_in_lane {
    BITS bits;
    __device__ void clear() { bits = 0; }
    __device__ void add_pass(unsigned votes, int base, int /*lane*/, int shift)
    {
        bits |= (BITS)((votes >> shift) & 0xff) << base;
    }
    __device__ bool any() const { return bits != 0; }
    __device__ int count() const { return count_bits(bits); }
    __device__ int first() const { return first_bit(bits); }
    __device__ int last() const { return last_bit(bits); }
    __device__ int nth(int n) const { return nth_bit(bits, n); }
    __device__ bool has(int k) const { return (bits >> k) & 1; }
    __device__ void remove(int k) { bits &= ~((BITS)1 << k); }
    __device__ void keep_below(int k, int /*lane*/) { bits &= bits_below<BITS>(k); }
    __device__ void keep_from(int k, int /*lane*/) { bits &= ~bits_below<BITS>(k); }
    __device__ uint32_t word(int lane) const { return lane < (int)sizeof(BITS) / 4 ? (uint32_t)(bits >> (32 * lane % (8 * sizeof(BITS)))) : 0; }
    // From the words of a frame's last row.
    __device__ void read(const uint32_t *row, int /*lane*/)
    {
        bits = row[0];
        if (sizeof(BITS) == 8)
            bits |= (BITS)((uint64_t)row[1] << 32);
    }
};

// Lane l of the warp holds ranks 32 l .. 32 l + 31. All lanes call every function together.
struct set_in_warp {
    uint32_t bits;
    __device__ void clear() { bits = 0; }
    __device__ void add_pass(unsigned votes, int base, int lane, int /*shift*/)
    {
        if (lane == base / 32)
            bits = votes;
    }
    __device__ bool any() const { return __any_sync(ALL, bits != 0); }
    __device__ int count() const { return (int)__reduce_add_sync(ALL, (unsigned)__popc(bits)); }
    __device__ int first() const
    {
        const int at = first_bit(__ballot_sync(ALL, bits != 0));
        return 32 * at + first_bit(__shfl_sync(ALL, bits, at & 31));
    }
    __device__ int last() const
    {
        const int at = last_bit(__ballot_sync(ALL, bits != 0));
        return 32 * at + last_bit(__shfl_sync(ALL, bits, at & 31));
    }
    __device__ int nth(int n) const
    {
        int before = 0, at = 0;
        for (;; at++) {
            const int here = __popc(__shfl_sync(ALL, bits, at));
            if (before + here > n)
                break;
            before += here;
        }
        return 32 * at + nth_bit(__shfl_sync(ALL, bits, at), n - before);
    }
    __device__ bool has(int k) const { return (__shfl_sync(ALL, bits, k / 32) >> (k % 32)) & 1; }
    __device__ void remove(int k)
    {
        if ((int)(threadIdx.x & 31) == k / 32)
            bits &= ~(1u << (k % 32));
    }
    __device__ void keep_below(int k, int lane) { bits &= low_bits(max(0, min(32, k - 32 * lane))); }
    __device__ void keep_from(int k, int lane) { bits &= ~low_bits(max(0, min(32, k - 32 * lane))); }
    __device__ uint32_t word(int /*lane*/) const { return bits; }
    __device__ void read(const uint32_t *row, int lane) { bits = lane < FLOWSHOP_DFS_MAX_JOBS / 32 ? row[lane] : 0; }
};

template <int G, int J> struct set_for { typedef set_in_lane<uint64_t> type; };
template <> struct set_for<8, 32> { typedef set_in_lane<uint32_t> type; };
template <> struct set_for<32, 256> { typedef set_in_warp type; };

// ---- Layout

// L: lanes; G: threads of a search; M: machines, padded to a multiple of 4; J: most jobs.
template <class L, int G, int M, int J> struct layout {
    enum {
        K = (M + G - 1) / G,     // machines of a lane
        MACHINES = K * G,
        LIST_WORDS = J / 4 / G,  // of the list of free jobs in each lane
        ROWS = 2 * K * L::WORDS + LIST_WORDS + 1,
        LAST_ROW = (ROWS - 1) * G,  // the set of children left, and in the row's last word the rest
        FRAME_WORDS = ROWS * G,
        RECORD = 2 * MACHINES * L::WORDS + J / 4,
        // With LB2 besides: ends of a child, free jobs, bounds of the children.
        PAIR_WORDS = MACHINES * L::WORDS + FLOWSHOP_DFS_MAX_JOBS / 32 + 2 * J,
        // Records of the searches of a warp begin in different banks: 4 words apart modulo 32.
        RECORD_WORDS = G == 32 ? RECORD : (RECORD - 4 + 31) / 32 * 32 + 4,
        // Strides of jobs of 4, 12, 20, 28 words modulo 32 spread 16-byte reads over all banks.
        JOB_STRIDE = M % 8 == 4 ? M : M + 4
    };
};

__device__ inline int4 load_volatile(const int4 *p)
{
    int4 v;
    asm volatile("ld.volatile.global.v4.s32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    return v;
}

__device__ inline int load_volatile(const int *p)
{
    return *reinterpret_cast<const volatile int *>(p);
}

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
    uint32_t list[LIST_WORDS];  // word w of the list of free jobs: lane w % G, list[w / G]
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
    int first_round;
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

    // Rows are written lane by lane: 4 G bytes each.
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

    // Puts the node in hand where all lanes see it. All groups of the warp together.
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

    // The times of a job on this lane's machines, and the ends of both its children there.
    __device__ void ends_of_child(int job, pair (&p)[K], pair (&y)[K]) const
    {
        const pair *times = s_times + job * lay::JOB_STRIDE + t * K;
#pragma unroll
        for (int i = 0; i < K; i++)
            p[i] = lay::MACHINES == M || t * K + i < M ? times[i] : L::zero();
        const pair behind = s_behind[job * G + t];
        // Through this lane's machines alone, then the greatest over the lanes before it.
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

    // Makes the child that puts the k-th free job at the chosen end the node in hand.
    __device__ void descend(int k)
    {
        const int word = k >> 2;
        uint32_t mine = list[0];
        if (LIST_WORDS == 2 && word >= G)
            mine = list[LIST_WORDS - 1];
        const uint32_t four = __shfl_sync(ALL, mine, word % G, G);
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
            next[i] = __shfl_down_sync(ALL, list[i], 1, G);
#pragma unroll
        for (int i = 0; i < LIST_WORDS; i++) {
            const uint32_t wrapped = i + 1 < LIST_WORDS ? __shfl_sync(ALL, list[(i + 1) % LIST_WORDS], 0, G) : 0;
            if (t == G - 1)
                next[i] = wrapped;
        }
#pragma unroll
        for (int i = 0; i < LIST_WORDS; i++) {
            const uint32_t kept = low_bits(8 * max(0, min(4, k - 4 * (i * G + t))));
            list[i] = (list[i] & kept) | (__funnelshift_r(list[i], next[i], 8) & ~kept);
        }
    }

    // Bounds of both children of one job, or of two jobs at once.
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

    // The two-machine bound of the child that fixes the k-th free job at an end, cut at U: pairs of machines
    // are lanes, positions of Johnson's order the loop. The round that pruned last comes first.
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
            if (__any_sync(ALL, best >= a.rule_bound)) {
                first_round = round;
                return a.rule_bound;
            }
        }
        return (int)__reduce_max_sync(ALL, (unsigned)best);
    }

    // Raises the bounds of the children in `below` and drops those that reach U. One warp a search.
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

template <class S> __device__ void ask(const flowshop_dfs_args &a, const S &s)
{
    if (s.t == 0) {
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
        if (!has_kept)
            s.bottom++;
        else if (s.t < G - 1)
            from[lay::LAST_ROW + s.t] = kept.word(s.t);
        s.match = -1;
        s.end_depth = 0;
        __threadfence();
    }
    __syncwarp();
    if ((int)(threadIdx.x & 31) == giver)
        atomicExch(&a.searches_state[receiver].mail, 1);
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
        ask(a, s);
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
    state->backs = s.backs;
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

// Takes up what another search has put into the first frame.
template <class S> __device__ inline void open_mail(const flowshop_dfs_args &a, S &s)
{
    flowshop_dfs_search *state = &a.searches_state[s.number];
    if (load_volatile(&state->mail) == 0)
        return;
    __threadfence();
    s.match = load_volatile(&state->match);
    s.end_depth = load_volatile(&state->end_depth);
    s.bottom = 0;
    s.top = 1;
    s.walk = 0;
    s.is_active = true;
}

template <class L, int G, int M, int J, int MODE>
__global__ void __launch_bounds__(BLOCK, G == 8 ? 3 : L::WORDS == 1 ? 2 : 1) explore(const flowshop_dfs_args a)
{
    typedef search<L, G, M, J> S;
    typedef typename S::lay lay;
    typedef typename L::pair pair;
    extern __shared__ uint4 s_memory[];
    const int lane = (int)(threadIdx.x & 31), columns = a.jobs + 1;
    const bool has_shared_rows = columns * columns * 4 <= ROWS_BYTES;

    // Tables of the block, then a record for each search.
    pair *s_times = reinterpret_cast<pair *>(s_memory);
    pair *s_behind = s_times + a.jobs * lay::JOB_STRIDE;
    uint32_t *s_records = reinterpret_cast<uint32_t *>(s_behind + (a.jobs * G + 3) / 4 * 4);
    uint32_t *s_pairs = s_records + BLOCK / G * lay::RECORD_WORDS;
    uint32_t *s_rows = s_pairs + (MODE == PAIRS ? BLOCK / G * lay::PAIR_WORDS : 0);
    for (int i = (int)threadIdx.x; i < a.jobs * lay::JOB_STRIDE; i += BLOCK)
        s_times[i] = static_cast<const pair *>(a.times)[i];
    for (int i = (int)threadIdx.x; i < a.jobs * G; i += BLOCK)
        s_behind[i] = static_cast<const pair *>(a.behind)[i];
    for (int i = (int)threadIdx.x; has_shared_rows && i < columns * columns; i += BLOCK)
        s_rows[i] = 0;
    __syncthreads();

    S s;
    s.t = lane & (G - 1);
    s.shift = lane & ~(G - 1);
    s.jobs = a.jobs;
    s.number = (int)blockIdx.x * (BLOCK / G) + (int)threadIdx.x / G;
    uint32_t *record = s_records + (int)threadIdx.x / G * lay::RECORD_WORDS;
    s.s_ends = reinterpret_cast<pair *>(record);
    s.s_through = s.s_ends + lay::MACHINES;
    s.s_list = reinterpret_cast<uint8_t *>(s.s_through + lay::MACHINES);
    s.s_child = reinterpret_cast<pair *>(s_pairs + (int)threadIdx.x / G * lay::PAIR_WORDS);
    s.s_free = reinterpret_cast<uint32_t *>(s.s_child + lay::MACHINES);
    s.s_bounds = reinterpret_cast<int *>(s.s_free + FLOWSHOP_DFS_MAX_JOBS / 32);
    s.first_round = 0;
    s.s_times = s_times;
    s.s_behind = s_behind;
    s.frames = a.frames + (int64_t)s.number * a.levels * lay::FRAME_WORDS;
    s.path = a.paths + (int64_t)s.number * a.jobs;
    s.end = a.ends + (int64_t)s.number * a.jobs;
    begin<S, G>(a, s);

    bool has_node = s.is_active;
    int incumbent = a.rule_bound;
    unsigned counted = 0;
    for (uint32_t step = 0;; step++) {
        // Look around.
        const bool any_active = __any_sync(ALL, s.is_active);
        if (any_active ? step % POLL_STEPS == 0 || step < a.early_steps : step % IDLE_STEPS == 0) {
            const int4 control = load_volatile(reinterpret_cast<const int4 *>(a.control));
            const int4 tickets = load_volatile(reinterpret_cast<const int4 *>(&a.control->asked));
            incumbent = __shfl_sync(ALL, min(min(control.x, control.y), a.rule_bound), 0);
            if (__any_sync(ALL, control.z != 0 || tickets.x - tickets.y == a.searches))
                break;
            if (any_active && __shfl_sync(ALL, tickets.z, 0) > 0)
                give<S, G>(a, s);
        }
        if (!any_active || step % MAIL_STEPS == 0) {
            if (!s.is_active) {
                open_mail(a, s);
                if (s.is_active && s.t == 0)
                    atomicExch(&a.searches_state[s.number].mail, 0);
            }
            __syncwarp();
            if (!__any_sync(ALL, s.is_active)) {
                __nanosleep(IDLE_NS);
                continue;
            }
        }

        // Bound all children of the node in hand.
        const int free_jobs = has_node ? a.jobs - s.depth : 0;
        const int most_free = G == 32 ? free_jobs : (int)__reduce_max_sync(ALL, (unsigned)free_jobs);
        typename S::set front, back, front_below, back_below;
        front.clear(), back.clear(), front_below.clear(), back_below.clear();
        tally c = {0, INT32_MAX, 0, 0};
        for (int base = 0; base < most_free; base += 2 * G) {
            pair bounds[2];
            const int job[2] = {s.s_list[base + s.t], s.s_list[base + G + s.t]};
            if (base + G < most_free) {
                s.bound(job, bounds);
            } else {
                const int one[1] = {job[0]};
                pair of_one[1];
                s.bound(one, of_one);
                bounds[0] = of_one[0];
                bounds[1] = L::zero();
            }
#pragma unroll
            for (int u = 0; u < 2; u++) {
                const int at = base + u * G;
                if (at >= most_free)
                    break;
                const bool is_child = at + s.t < free_jobs;
                const int front_bound = L::low(bounds[u]), back_bound = L::high(bounds[u]);
                front.add_pass(__ballot_sync(ALL, is_child && front_bound < a.rule_bound), at, s.t, s.shift);
                back.add_pass(__ballot_sync(ALL, is_child && back_bound < a.rule_bound), at, s.t, s.shift);
                if (incumbent < a.rule_bound) {
                    front_below.add_pass(__ballot_sync(ALL, is_child && front_bound < incumbent), at, s.t, s.shift);
                    back_below.add_pass(__ballot_sync(ALL, is_child && back_bound < incumbent), at, s.t, s.shift);
                }
                if (is_child && MODE != PAIRS)
                    add_to_tally<MODE>(c, front_bound, back_bound);
                if (is_child && MODE == PAIRS) {
                    s.s_bounds[at + s.t] = min(front_bound, a.rule_bound);
                    s.s_bounds[J + at + s.t] = min(back_bound, a.rule_bound);
                }
            }
        }
        if (MODE == PAIRS) {
            s.refine(a, front, false);
            s.refine(a, back, true);
            __syncwarp();
            for (int at = 0; at < free_jobs; at += G) {
                const bool is_child = at + s.t < free_jobs;
                const int front_bound = s.s_bounds[at + s.t], back_bound = s.s_bounds[J + at + s.t];
                front_below.add_pass(__ballot_sync(ALL, is_child && front_bound < incumbent), at, s.t, s.shift);
                back_below.add_pass(__ballot_sync(ALL, is_child && back_bound < incumbent), at, s.t, s.shift);
                if (is_child)
                    add_to_tally<MODE>(c, front_bound, back_bound);
            }
        }

        // Choose an end; what survives there is left to visit.
        const bool is_front = choose_front<G, MODE>(a.rule, s.depth, front.count(), back.count(), c);
        s.is_back = !is_front;
        if (incumbent < a.rule_bound)
            s.left = is_front ? front_below : back_below;
        else
            s.left = is_front ? front : back;

        // Count it, unless it lies on the walk down to A.
        const int survivors = s.left.count();
        if (has_node && s.t == 0 && s.depth > 0 && s.depth >= s.walk) {
            counted++;
            const int at = s.depth * columns + survivors;
            if (has_shared_rows)
                atomicAdd(&s_rows[at], 1u);
            else
                atomicAdd(&a.rows[at], 1ull);
        }

        // Cut the children before A and at or beyond B.
        if (has_node && s.match == s.depth) {
            const int d = s.depth;
            s.left.keep_below(d < s.end_depth ? (int)s.end[d] + (d + 1 < s.end_depth) : 0, s.t);
        }
        if (has_node && s.depth < s.walk) {
            const int k = s.path[s.depth];
            s.left.keep_from(k, s.t);
            if (s.depth + 1 == s.walk || !s.left.has(k))
                s.walk = 0;
        }

        // Leaves.
        if (has_node && free_jobs <= 2) {
            while (s.left.any()) {
                const int k = s.left.first();
                s.left.remove(k);
                if (s.t == 0) {
                    const int taken = s.s_list[k], last = free_jobs == 2 ? s.s_list[1 - k] : -1;
                    const bool swaps = s.is_back && last >= 0;
                    const int makespan = leaf_makespan<S, L, M>(s, swaps ? last : taken, swaps ? taken : last);
                    atomicAdd(&a.control->leaves, 1ull);
                    if (makespan < load_volatile(&a.control->incumbent) && makespan < incumbent)
                        report(a, s.path, s.depth, taken | (s.is_back ? FLOWSHOP_DFS_SIDE : 0), last, makespan);
                }
            }
        }

        // The next child: of this node, or of the last frame.
        int k = 0;
        const bool has_child = has_node && s.left.any();
        if (has_child) {
            k = s.left.first();
            s.left.remove(k);
            if (s.left.any())
                s.push(s.frame(s.top++));
        } else if (s.is_active) {
            if (s.top > s.bottom) {
                uint32_t *frame = s.frame(s.top - 1);
                s.read_node(frame);
                s.left.read(frame + lay::LAST_ROW, s.t);
                k = s.left.first();
                s.left.remove(k);
                if (!s.left.any())
                    s.top--;
                else if (s.t < G - 1)
                    frame[lay::LAST_ROW + s.t] = s.left.word(s.t);
            } else {
                s.is_active = false;
                ask(a, s);
            }
        }
        has_node = s.is_active;
        __syncwarp();
        s.descend(k);
        s.publish();
        if (step % COUNT_STEPS == COUNT_STEPS - 1) {
            const unsigned sum = __reduce_add_sync(ALL, counted);
            counted = 0;
            if (lane == 0 && sum > 0)
                atomicAdd(&a.control->nodes, (unsigned long long)sum);
        }
    }

    __syncwarp();
    const unsigned rest = __reduce_add_sync(ALL, counted);
    if (lane == 0 && rest > 0)
        atomicAdd(&a.control->nodes, (unsigned long long)rest);
    save<S, G>(a, s);
    __syncthreads();
    for (int i = (int)threadIdx.x; has_shared_rows && i < columns * columns; i += BLOCK)
        if (s_rows[i] != 0)
            atomicAdd(&a.rows[i], (unsigned long long)s_rows[i]);
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

template <class L, int G, int M, int J> cudaError_t shape_of(int jobs, int mode, flowshop_dfs_shape *out)
{
    typedef layout<L, G, M, J> lay;
    const int rows = (jobs + 1) * (jobs + 1) * 4;
    const void *kernel = reinterpret_cast<const void *>(kernels<L, G, M, J>::of(mode));
    out->group = G;
    out->machines = M;
    out->lane_bits = 16 * L::WORDS;
    out->mode = mode;
    out->job_stride = lay::JOB_STRIDE;
    out->frame_words = lay::FRAME_WORDS;
    out->block = BLOCK;
    out->searches_per_block = BLOCK / G;
    out->shared_bytes = (int)sizeof(typename L::pair) * (jobs * lay::JOB_STRIDE + (jobs * G + 3) / 4 * 4) +
                        4 * (BLOCK / G) * (lay::RECORD_WORDS + (mode == PAIRS ? lay::PAIR_WORDS : 0)) +
                        (rows <= ROWS_BYTES ? rows : 0);
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, out->shared_bytes);
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
                                   flowshop_dfs_shape *out)
{
    const int mode = has_pairs ? PAIRS : rule == RULE_MINBRANCH ? MINBRANCH : ANY_RULE;
#define CHOOSE(L, G, M, J)                                                                               \
    if (jobs <= J && machines <= M && lane_bits <= 16 * L::WORDS && (mode != PAIRS || G == 32))          \
        return shape_of<L, G, M, J>(jobs, mode, out);
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
