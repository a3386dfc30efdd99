// SPDX-License-Identifier: MIT
// Part of flowshop/tree/explorer.c: what a frame is, LB1 of all children of a node, the branching rules.
#ifndef MCO_FLOWSHOP_TREE_EXPLORER_NODE_H
#define MCO_FLOWSHOP_TREE_EXPLORER_NODE_H

#include <stdlib.h>
#include <string.h>

#include "flowshop/tree/explorer.h"
#include "flowshop/lanes.h"

#define INLINE static inline __attribute__((always_inline))

enum {
    // Widest table whose columns are kept, in vectors. Beyond it, a child's ends are computed again from its parent.
    COLUMN_VECTORS = 4,
    // A table of up to this many vectors is compacted as soon as that saves a vector. A larger one is compacted when
    // that saves an eighth. So the copies of all levels together take at most as much as eight tables.
    EAGER_VECTORS = 8,
    WORD_PAIRS = 64,
    WORD_VECTORS = WORD_PAIRS / PAIRS,  // vectors whose pairs fill one word of bits
    LOCAL_WORDS = MCO_FLOWSHOP_MAX_TREE_JOBS / WORD_PAIRS + 2,  // words of bits for the widest table
    FIRST_LEARNING = 1024  // the pairs of LB2 are first reordered after so many nodes
};

typedef struct table {
    int vectors;
    int32_t *jobs;  // [vectors * PAIRS], -1 for padding
    vec *times;     // [m * vectors]: (p[i][j], p[m-1-i][j])
} table;

typedef struct frame {
    const table *table;
    pair *ends;     // [m] (front[i], back[m-1-i])
    pair *remain;   // [m] (remain[i], remain[m-1-i])
    pair *through;  // [m] (remain[i] + back[i], remain[m-1-i] + front[m-1-i])
    vec *dead;      // [vectors] all ones in lanes of fixed jobs and padding, else 0
    vec *bounds;    // [vectors] bounds of the children, LANE_MAX where dead
    vec *columns;   // [m * vectors] ends of the children; NULL beyond COLUMN_VECTORS
    const int32_t *column_offsets;  // [m] i * vectors * PAIRS, the offset of row i of a column
    uint64_t *free; // [words] pairs of free jobs
    uint64_t *alive;// [words] children to visit
    int32_t words;
    int32_t first_word;  // the words of `alive` before it are 0
    int32_t depth;
    int32_t taken;       // lane pair of the child on the path
    int32_t prepared;    // lane pair of the child decomposed ahead, in the second frame of its depth; -1 if none
    bool is_front;       // the front is the end that grows
    bool is_at_end;      // the path up to here is the beginning of the interval's B
} frame;

// LB2: each lane is a pair of machines. A group is one vector of such pairs.
typedef struct pair_tables {
    int groups;
    int32_t *order;     // [groups * LANES] pair of each lane; spare lanes at the end repeat a pair
    int32_t *merged;    // [pairs] scratch of sorting
    int64_t *successes; // [pairs] children that the pair pruned
    int64_t next_learning;  // node count of the next reordering; 0: the tables are not yet filled
    vec *first, *second;         // [groups] machines k and l
    vec *job, *p1, *p2, *lag;    // [n * groups] for each position of Johnson's order
    vec *active;                 // [n * groups] all ones where the job is free at this node
    lane *is_free;               // [n] padded: -1 or 0
    lane *heads, *tails, *child; // [m] padded
} pair_tables;

struct flowshop_explorer {
    flowshop_search *search;
    int32_t n, m;
    int32_t depth;       // of the frame on top; -1 when the interval is done
    frame *frames;       // [2 * (n + 1)], two for each depth
    frame **path;        // [n + 1] frames from the root to the current node
    table *tables;       // [2 * (n + 1)], used at the depths where tables are compacted
    int32_t *table_of;   // [n + 1] depth whose table nodes of this depth use
    void (**bound_one)(frame *);           // [n + 1] by depth: LB1 of all children; NULL: bound_one_any()
    void (**bound_two)(frame *, frame *);  // [n + 1] the same for two siblings; NULL: siblings go one by one
    pair *job_times;     // [n * padded m]: (p[i][j], p[m-1-i][j]) by job
    int64_t padded_m;
    flowshop_interval interval;  // the current work; a split lowers its B
    bool is_untouched;   // stopped on the way down to A, so the whole interval is left
    int32_t *order;      // [n] scratch for leaves
    int64_t *completion; // [m] scratch for leaves
    int64_t *children_by_depth;  // [(n + 1) * columns]
    int64_t columns;
    int64_t leaves, nodes;
    atomic_int_least64_t published_nodes;  // `nodes` at the last return, for other threads
    lane rule_bound;     // U, at most LANE_MAX
    pair_tables lb2;
    void *memory;  // the block with all arrays above
};

static lane clamp_lane(int64_t value)
{
    return value > LANE_MAX ? LANE_MAX : (lane)value;
}

static lane incumbent(const flowshop_explorer *x)
{
    return clamp_lane(atomic_load_explicit(&x->search->incumbent, memory_order_relaxed));
}

// ---- Bounds of the children

// Bounds `count` neighbouring vectors of children of each of `frames` nodes at once, so that their chains of dependent
// operations overlap. `frames` and `count` are compile-time constants, so the loops over s and v unroll into registers.
INLINE void bound_vectors(frame *const *f, const int frames, int m, int vectors, int first, const int count)
{
    enum { CHAINS = 4 };
    vec reach[CHAINS], bound[CHAINS];
    const vec *times[2];
    vec *columns[2];
    const pair *ends[2], *through[2];
UNROLL(2)
    for (int s = 0; s < frames; s++) {
        times[s] = f[s]->table->times + first;
        columns[s] = f[s]->columns != NULL ? f[s]->columns + first : NULL;
        ends[s] = f[s]->ends;
        through[s] = f[s]->through;
    }
    const bool keeps_columns = f[0]->columns != NULL;
UNROLL(4)
    for (int c = 0; c < frames * count; c++)
        reach[c] = bound[c] = (vec){0};
UNROLL(20)
    for (int i = 0; i < m; i++)
UNROLL(2)
        for (int s = 0; s < frames; s++) {
            const vec end = vec_broadcast(ends[s][i]), load = vec_broadcast(through[s][i]);
UNROLL(4)
            for (int v = 0; v < count; v++) {
                const int c = s * count + v;
                reach[c] = vec_max(reach[c], end);
                bound[c] = vec_max(bound[c], reach[c] + load);
                reach[c] += times[s][i * vectors + v];
                if (vectors <= COLUMN_VECTORS || keeps_columns)
                    columns[s][i * vectors + v] = reach[c];
            }
        }
UNROLL(2)
    for (int s = 0; s < frames; s++)
UNROLL(4)
        for (int v = 0; v < count; v++)
            f[s]->bounds[first + v] = vec_blend(f[s]->dead[first + v], bound[s * count + v], vec_all(LANE_MAX));
}

INLINE void bound_children(frame *f, int m, const int vectors)
{
    int v = 0;
    for (; v + 4 <= vectors; v += 4)
        bound_vectors(&f, 1, m, vectors, v, 4);
    if (v + 2 <= vectors) {
        bound_vectors(&f, 1, m, vectors, v, 2);
        v += 2;
    }
    if (v < vectors)
        bound_vectors(&f, 1, m, vectors, v, 1);
}

#define BOUND_ONE(m, vectors) \
    static void bound_one_##m##_##vectors(frame *f) { bound_children(f, m, vectors); }
#define BOUND_TWO(m, vectors)                                               \
    static void bound_two_##m##_##vectors(frame *f, frame *g)               \
    {                                                                       \
        bound_vectors((frame *const[]){f, g}, 2, m, vectors, 0, vectors);   \
    }
#define BOUND_ALL(m) BOUND_ONE(m, 1) BOUND_ONE(m, 2) BOUND_ONE(m, 3) BOUND_ONE(m, 4) BOUND_TWO(m, 1) BOUND_TWO(m, 2)
BOUND_ALL(5)
BOUND_ALL(10)
BOUND_ALL(20)

static void bound_one_any(flowshop_explorer *x, frame *f)
{
    bound_children(f, x->m, f->table->vectors);
}

// Chooses the functions for nodes of this depth; NULL where there is only the general one. No function takes two
// siblings of three vectors or more: one of them fills the vector unit alone.
static void choose_bound(flowshop_explorer *x, int32_t depth, int vectors)
{
#define ONES(m) {bound_one_##m##_1, bound_one_##m##_2, bound_one_##m##_3, bound_one_##m##_4}
#define TWOS(m) {bound_two_##m##_1, bound_two_##m##_2}
    static void (*const ones[3][4])(frame *) = {ONES(5), ONES(10), ONES(20)};
    static void (*const twos[3][2])(frame *, frame *) = {TWOS(5), TWOS(10), TWOS(20)};
    int size = x->m == 5 ? 0 : x->m == 10 ? 1 : x->m == 20 ? 2 : -1;
    x->bound_one[depth] = size >= 0 && vectors <= 4 ? ones[size][vectors - 1] : NULL;
    x->bound_two[depth] = size >= 0 && vectors <= 2 ? twos[size][vectors - 1] : NULL;
}

// ---- Choice of the end that grows

typedef struct side_counts {
    int32_t front, back;
} side_counts;

// Counts the children below `limit` at each end. Their bits go to `front` and `back`, [words] each.
INLINE side_counts mark_below(const frame *f, const int vectors, lane limit, uint64_t *front, uint64_t *back)
{
    side_counts below = {0, 0};
    const vec limits = vec_all(limit);
    for (int v = 0; v < vectors; v += WORD_VECTORS) {
        uint64_t front_word = 0, back_word = 0;
        for (int w = 0; w < WORD_VECTORS && v + w < vectors; w++) {
            uint32_t even, odd;
            vec_less_bits(f->bounds[v + w], limits, &even, &odd);
            front_word |= (uint64_t)even << (w * PAIRS);
            back_word |= (uint64_t)odd << (w * PAIRS);
        }
        front[v / WORD_VECTORS] = front_word;
        back[v / WORD_VECTORS] = back_word;
        below.front += __builtin_popcountll(front_word);
        below.back += __builtin_popcountll(back_word);
    }
    return below;
}

// Sum of the front bounds minus sum of the back bounds. Dead lanes cancel out.
INLINE int64_t sum_difference(const frame *f, const int vectors)
{
    int64_t difference = 0;
    for (int v = 0; v < vectors; v++) {
#if defined(__AVX512BW__) && LANE_BITS == 16
        const __m512i signs = _mm512_set1_epi32((int)0xffff0001u);
        difference += _mm512_reduce_add_epi32(_mm512_madd_epi16((__m512i)f->bounds[v], signs));
#else
        for (int k = 0; k < PAIRS; k++)
            difference += (int64_t)f->bounds[v][2 * k] - f->bounds[v][2 * k + 1];
#endif
    }
    return difference;
}

INLINE side_counts count_equal(const frame *f, const int vectors, lane value)
{
    side_counts equal = {0, 0};
    const vec values = vec_all(value);
    for (int v = 0; v < vectors; v++) {
        uint32_t even, odd;
        vec_equal_bits(f->bounds[v], values, &even, &odd);
        equal.front += __builtin_popcount(even);
        equal.back += __builtin_popcount(odd);
    }
    return equal;
}

INLINE lane smallest_bound(const frame *f, const int vectors)
{
    vec least = f->bounds[0];
    for (int v = 1; v < vectors; v++)
        least = vec_min(least, f->bounds[v]);
    return (lane)vec_reduce_min(least);
}

// True if the front grows. `below` counts the children below U. Every rule is a function of the node alone: it sees the
// bounds and U, and nothing that changes during the search.
INLINE bool choose_front(const flowshop_explorer *x, const frame *f, const int vectors, side_counts below)
{
    switch (x->search->branching) {
    case MCO_FLOWSHOP_BRANCHING_FORWARD: return true;
    case MCO_FLOWSHOP_BRANCHING_BACKWARD: return false;
    case MCO_FLOWSHOP_BRANCHING_ALTERNATE: return f->depth % 2 == 0;
    case MCO_FLOWSHOP_BRANCHING_MINMIN: {
        // The end where the smallest bound occurs least; tie: the front if it has more children at or above U.
        side_counts least = count_equal(f, vectors, smallest_bound(f, vectors));
        return least.front != least.back ? least.front < least.back : below.front < below.back;
    }
    case MCO_FLOWSHOP_BRANCHING_MAXSUM: return sum_difference(f, vectors) >= 0;
    default:  // MinBranch: the end with fewer children below U; tie: the larger sum; tie: the front.
        return below.front != below.back ? below.front < below.back : sum_difference(f, vectors) >= 0;
    }
}

#endif
