// SPDX-License-Identifier: MIT
// Vectorised depth-first branch and bound over one interval. This file is compiled once for each vector unit and lane
// width. flowshop/tree/ref.c is the same search in plain C.
//
// A node fixes jobs at both ends. front[i] is when machine i is free after the jobs fixed in front. back[i] is the
// least time from the end of the free jobs on machine i to the end of the schedule. remain[i] is the load of the free
// jobs. One pass over the machines bounds all children of both ends (LB1). For a job j put in front:
//     reach = max(reach, front[i]);  bound = max(bound, reach + remain[i] + back[i]);  reach += p[i][j]
// A job put at the back is the mirror image, with the machines in reverse. The recurrence runs over the machines, so
// the machines are the loop and the children are the lanes. The even lane of a pair is the front child of a job, the
// odd lane its back child. So the constants of a machine are one word (front[i], back[m-1-i]), broadcast from memory.
//
// What makes it fast, measured on one thread of a Zen 5 core at 20x20 (flowshop/NOTES.md has the figures):
//   - Each level keeps its fronts, backs and remainders. So a child costs O(m), not O(n m).
//   - `columns`: the running vectors after each machine are the fronts and backs of all children. So a child's ends are
//     one column of what its parent computed.
//   - Lane tables hold the times of the free jobs. A table is compacted when that saves a vector, and all levels below
//     share it. A job fixed since then is a dead lane (bound LANE_MAX).
//   - The numbers of machines and vectors of the common sizes are compile-time constants.
//   - Two sibling nodes are decomposed together if there are two. One pass alone waits for its own chain of 2 m
//     dependent operations.
//
// Invariants: a frame of depth d has d jobs fixed. `alive` holds the surviving children that are not yet visited. The
// path is the frames from the root to the current node. A child that is prepared with its sibling stays alive in its
// parent until it is visited. Lanes are in increasing order of job, so ranks are popcounts.
// Values stay below LANE_MAX because flowshop_longest_path() does (flowshop/variants.c).
//
// Parts: flowshop/tree/explorer_node.h (frames, LB1, rules), flowshop/tree/explorer_pairs.h (LB2),
// flowshop/tree/explorer_memory.h (layout). This file has the search and its intervals.
#include "flowshop/tree/explorer_memory.h"
#include "flowshop/tree/explorer_node.h"
#include "flowshop/tree/explorer_pairs.h"

// ---- A node

// The bounds of f hold LB1 of the children. Refines them by LB2 if it is in use, chooses the end that grows, and marks
// the survivors. Returns false if the search is stopped before the end.
INLINE bool choose_children_sized(flowshop_explorer *x, frame *f, const int vectors)
{
    uint64_t front[LOCAL_WORDS], back[LOCAL_WORDS];
    if (x->search->bound == MCO_FLOWSHOP_BOUND_LB2 && !refine_by_pairs(x, f))
        return false;
    lane limit = incumbent(x);
    side_counts below = mark_below(f, vectors, x->rule_bound, front, back);
    f->is_front = choose_front(x, f, vectors, below);
    if (limit < x->rule_bound)
        below = mark_below(f, vectors, limit, front, back);
    const uint64_t *chosen = f->is_front ? front : back;
    for (int w = 0; w < (vectors + WORD_VECTORS - 1) / WORD_VECTORS; w++)
        f->alive[w] = chosen[w];
    f->first_word = 0;
    f->prepared = -1;
    return true;
}

INLINE bool choose_children(flowshop_explorer *x, frame *f)
{
    if (f->table->vectors == 1)
        return choose_children_sized(x, f, 1);
    if (f->table->vectors == 2)
        return choose_children_sized(x, f, 2);
    return choose_children_sized(x, f, f->table->vectors);
}

INLINE bool decompose(flowshop_explorer *x, frame *f)
{
    if (x->bound_one[f->depth] != NULL)
        x->bound_one[f->depth](f);
    else
        bound_one_any(x, f);
    return choose_children(x, f);
}

// Fills the table of c, the child `child` of f, with the times of the jobs that are still free.
static void compact_table(flowshop_explorer *x, const frame *f, frame *c, int32_t child)
{
    table *t = &x->tables[c - x->frames];
    const table *from = f->table;
    const int32_t pairs = t->vectors * PAIRS, free_jobs = x->n - c->depth;
    uint64_t left[LOCAL_WORDS] = {0};
    for (int32_t w = 0; w < f->words; w++)
        left[w] = f->free[w];
    left[child / WORD_PAIRS] &= ~((uint64_t)1 << (child % WORD_PAIRS));
    for (int32_t i = 0; i < x->m; i++)
        pairs_compress((const pair *)(from->times + (int64_t)i * from->vectors), from->vectors, left,
                       (pair *)(t->times + (int64_t)i * t->vectors));
    int32_t count = 0;
    for (int32_t w = 0; w < f->words; w++)
        for (uint64_t bits = left[w]; bits != 0; bits &= bits - 1)
            t->jobs[count++] = from->jobs[w * WORD_PAIRS + __builtin_ctzll(bits)];
    c->words = (t->vectors + WORD_VECTORS - 1) / WORD_VECTORS;
    for (int32_t w = 0; w < c->words; w++) {
        int32_t inside = free_jobs - w * WORD_PAIRS;
        c->free[w] = inside >= WORD_PAIRS ? ~(uint64_t)0 : ((uint64_t)1 << inside) - 1;
    }
    const vec_pairs numbers = vec_pair_numbers();
    for (int v = 0; v < t->vectors; v++)
        c->dead[v] = (vec)(numbers + (pair)(v * PAIRS) >= (vec_pairs){0} + (pair)free_jobs);
    for (int32_t k = count; k < pairs; k++)
        t->jobs[k] = -1;
    c->table = t;
}

// The child c uses the table of f. The lane pair k becomes dead.
INLINE void inherit_table(const frame *f, frame *c, int32_t k)
{
    c->table = f->table;
    c->words = f->words;
    for (int32_t w = 0; w < f->words; w++)
        c->free[w] = f->free[w];
    c->free[k / WORD_PAIRS] &= ~((uint64_t)1 << (k % WORD_PAIRS));
    const vec_pairs numbers = vec_pair_numbers(), step = (vec_pairs){0} + (pair)PAIRS;
    vec_pairs wanted = (vec_pairs){0} + (pair)k;
    const int vectors = f->table->vectors;
    for (int v = 0; v < vectors; v++, wanted -= step)
        c->dead[v] = f->dead[v] | (vec)(numbers == wanted);
}

#if defined(__AVX512BW__) && LANE_BITS == 16
// The first `rows` words of a column, at most 16. The cost of a gather grows with its width, so the narrowest one that
// suffices is used. Offsets behind the last row are 0 and read the first row.
INLINE __m512i gather_rows(const pair *column, const int32_t *offsets, const int rows)
{
    const int *words = (const int *)column;
    const __m128i *at = (const __m128i *)(const void *)offsets;
    if (rows > 12)
        return _mm512_i32gather_epi32(_mm512_loadu_si512(offsets), words, 4);
    if (rows <= 4)
        return _mm512_zextsi128_si512(_mm_i32gather_epi32(words, _mm_loadu_si128(at), 4));
    __m512i low = _mm512_zextsi256_si512(_mm256_i32gather_epi32(words, _mm256_loadu_si256((const __m256i *)at), 4));
    return rows <= 8 ? low : _mm512_inserti32x4(low, _mm_i32gather_epi32(words, _mm_loadu_si128(at + 2), 4), 2);
}
#endif

// Computes ends, remain and through of c, the child k of f. The ends are a column of f.
INLINE void descend_by_column(const flowshop_explorer *x, const frame *f, frame *c, int32_t k, int m)
{
    const pair front_half = (pair)-1 >> LANE_BITS;
    const pair taken_half = f->is_front ? front_half : ~front_half;
    const pair *columns = (const pair *)f->columns + k;
    const vec_pairs *times = (const vec_pairs *)(const void *)(x->job_times + f->table->jobs[k] * x->padded_m);
    const vec_pairs *ends = (const vec_pairs *)(const void *)f->ends, *remain = (const vec_pairs *)(const void *)f->remain;
    vec_pairs *child_ends = (vec_pairs *)(void *)c->ends, *child_remain = (vec_pairs *)(void *)c->remain;
    const vec_pairs taken = (vec_pairs){0} + taken_half;
#if defined(__AVX512BW__) && LANE_BITS == 16
    if (m <= 2 * PAIRS) {
        // All stays in registers: a vector read from memory just written as words would wait for the stores.
        const int words = (m + PAIRS - 1) / PAIRS;
        __m512i end[2] = {(__m512i)taken, (__m512i)taken}, rest[2];
UNROLL(2)
        for (int w = 0; w < words; w++) {
            __m512i column = gather_rows(columns, f->column_offsets + w * PAIRS, m - w * PAIRS);
            end[w] = _mm512_ternarylogic_epi32((__m512i)taken, column, (__m512i)ends[w], 0xca);
            rest[w] = (__m512i)(remain[w] - times[w]);
            child_ends[w] = (vec_pairs)end[w];
            child_remain[w] = (vec_pairs)rest[w];
        }
UNROLL(2)
        for (int w = 0; w < words; w++) {
            // Lane i of word w takes end[m - 1 - i].
            __m512i from = _mm512_sub_epi32(_mm512_set1_epi32(m - 1 - w * PAIRS), (__m512i)vec_pair_numbers());
            __m512i mirror = words == 1 ? _mm512_permutexvar_epi32(from, end[0])
                                        : _mm512_permutex2var_epi32(end[0], from, end[words - 1]);
            ((vec_pairs *)(void *)c->through)[w] = (vec_pairs)_mm512_add_epi32(rest[w], _mm512_rol_epi32(mirror, 16));
        }
        return;
    }
#endif
    (void)taken;
    (void)child_ends;
    for (int w = 0; w < (m + PAIRS - 1) / PAIRS; w++)
        child_remain[w] = remain[w] - times[w];
    for (int i = 0; i < m; i++)
        c->ends[i] = (columns[f->column_offsets[i]] & taken_half) | (f->ends[i] & ~taken_half);
    (void)ends;
    for (int i = 0; i < m; i++)
        c->through[i] = c->remain[i] + pair_swap(c->ends[m - 1 - i]);
}

static void descend_without_columns(const flowshop_explorer *x, const frame *f, frame *c, int32_t k)
{
    const int stride = f->table->vectors * PAIRS;
    const pair *times = (const pair *)f->table->times + k;
    int32_t reach = 0;
    for (int32_t i = 0; i < x->m; i++) {
        pair end = f->ends[i], time = times[(int64_t)i * stride];
        int32_t ready = f->is_front ? pair_even(end) : pair_odd(end);
        reach = (reach > ready ? reach : ready) + (f->is_front ? pair_even(time) : pair_odd(time));
        c->ends[i] = f->is_front ? pair_make(reach, pair_odd(end)) : pair_make(pair_even(end), reach);
        c->remain[i] = f->remain[i] - time;
    }
    for (int32_t i = 0; i < x->m; i++)
        c->through[i] = c->remain[i] + pair_swap(c->ends[x->m - 1 - i]);
}

static int32_t rank_of(const frame *f, int32_t k)
{
    int32_t rank = 0;
    for (int32_t w = 0; w < k / WORD_PAIRS; w++)
        rank += __builtin_popcountll(f->free[w]);
    return rank + __builtin_popcountll(f->free[k / WORD_PAIRS] & (((uint64_t)1 << (k % WORD_PAIRS)) - 1));
}

static int32_t pair_of_rank(const frame *f, int32_t rank)
{
    for (int32_t w = 0; w < f->words; w++) {
        int32_t in_word = __builtin_popcountll(f->free[w]);
        if (rank >= in_word) {
            rank -= in_word;
            continue;
        }
        uint64_t bits = f->free[w];
        for (; rank > 0; rank--)
            bits &= bits - 1;
        return w * WORD_PAIRS + __builtin_ctzll(bits);
    }
    return -1;
}

// Makes c the child k of f, without the bounds of its children.
INLINE void descend(flowshop_explorer *x, const frame *f, frame *c, int32_t k)
{
    switch (f->columns == NULL ? 0 : x->m) {
    case 0: descend_without_columns(x, f, c, k); break;
    case 5: descend_by_column(x, f, c, k, 5); break;
    case 10: descend_by_column(x, f, c, k, 10); break;
    case 20: descend_by_column(x, f, c, k, 20); break;
    default: descend_by_column(x, f, c, k, x->m); break;
    }
    if (x->table_of[c->depth] == c->depth)
        compact_table(x, f, c, k);
    else
        inherit_table(f, c, k);
    c->is_at_end = f->is_at_end && rank_of(f, k) == x->interval.b[f->depth];
}

// For a frame on the path to B: removes the children at and beyond B. Child B[d] stays if B lies deeper inside it.
static void cut_at_end(flowshop_explorer *x, frame *f)
{
    int32_t d = f->depth;
    if (d >= x->interval.b_depth) {  // the node is B: nothing of it belongs to the interval
        memset(f->alive, 0, (size_t)f->words * sizeof *f->alive);
        return;
    }
    int32_t k = pair_of_rank(f, x->interval.b[d]);
    bool keeps_child = d + 1 < x->interval.b_depth;
    for (int32_t w = 0; w < f->words; w++) {
        if (w > k / WORD_PAIRS)
            f->alive[w] = 0;
        else if (w == k / WORD_PAIRS) {
            uint64_t bit = (uint64_t)1 << (k % WORD_PAIRS);
            f->alive[w] &= (bit - 1) | (keeps_child ? bit : 0);
        }
    }
}

static int64_t count_alive(const frame *f)
{
    int64_t count = 0;
    for (int32_t w = f->first_word; w < f->words; w++)
        count += __builtin_popcountll(f->alive[w]);
    return count;
}

// Evaluates a complete schedule: the jobs of the path at both ends, and the last free job between them.
static void reach_leaf(flowshop_explorer *x, int32_t k)
{
    const frame *leaf_parent = x->path[x->depth];
    const mco_flowshop *shop = x->search->shop;
    int32_t front = 0, back = x->n;
    int32_t last = -1;
    for (int32_t d = 0; d <= x->depth; d++) {
        const frame *f = x->path[d];
        int32_t job = f->table->jobs[d == x->depth ? k : f->taken];
        x->order[f->is_front ? front++ : --back] = job;
    }
    for (int32_t p = 0; p < leaf_parent->table->vectors * PAIRS; p++)
        if (p != k && (leaf_parent->free[p / WORD_PAIRS] >> (p % WORD_PAIRS) & 1))
            last = leaf_parent->table->jobs[p];
    if (last >= 0)
        x->order[front] = last;
    memset(x->completion, 0, (size_t)x->m * sizeof *x->completion);
    for (int32_t t = 0; t < x->n; t++) {
        int64_t ready = 0;
        for (int32_t i = 0; i < x->m; i++) {
            int64_t begin = ready > x->completion[i] ? ready : x->completion[i];
            ready = x->completion[i] = begin + mco_flowshop_time(shop, i, x->order[t]);
        }
    }
    x->leaves++;
    if (x->completion[x->m - 1] < atomic_load_explicit(&x->search->incumbent, memory_order_relaxed))
        x->search->found(x->search, x->completion[x->m - 1], x->order);
}

// The first child of f that is alive, in rank order, or -1. It stays alive.
INLINE int32_t first_child(frame *f)
{
    if (f->words == 1)
        return f->alive[0] != 0 ? __builtin_ctzll(f->alive[0]) : -1;
    for (; f->first_word < f->words; f->first_word++)
        if (f->alive[f->first_word] != 0)
            return f->first_word * WORD_PAIRS + __builtin_ctzll(f->alive[f->first_word]);
    return -1;
}

INLINE void remove_child(frame *f, int32_t k)
{
    f->alive[k / WORD_PAIRS] &= ~((uint64_t)1 << (k % WORD_PAIRS));
}

INLINE lane bound_of_child(const frame *f, int32_t k)
{
    return ((const lane *)f->bounds)[2 * k + !f->is_front];
}

// Decomposes child k of f, together with the next child alive if that one is in the same word and two fit the vector
// unit. Returns the frame of child k, or NULL if the search is stopped before the end.
INLINE frame *decompose_child(flowshop_explorer *x, frame *f, int32_t k)
{
    frame *c = &x->frames[2 * (f->depth + 1)];
    if (k == f->prepared)
        return c + 1;
    descend(x, f, c, k);
    uint64_t others = f->alive[f->first_word] & (f->alive[f->first_word] - 1);
    if (others == 0 || x->bound_two[c->depth] == NULL || x->search->bound != MCO_FLOWSHOP_BOUND_LB1)
        return decompose(x, c) ? c : NULL;
    f->prepared = f->first_word * WORD_PAIRS + __builtin_ctzll(others);
    descend(x, f, c + 1, f->prepared);
    x->bound_two[c->depth](c, c + 1);
    choose_children(x, c + 1);
    choose_children(x, c);
    return c;
}

// A node counts when it is visited, not when it is prepared. In between, a new incumbent may prune it, or a split may
// give it away.
INLINE void enter_child(flowshop_explorer *x, frame *f, frame *c, int32_t k)
{
    remove_child(f, k);
    f->taken = k;
    int64_t children = count_alive(c);
    x->children_by_depth[c->depth * x->columns + (children < x->columns ? children : x->columns - 1)]++;
    if (c->is_at_end)
        cut_at_end(x, c);
    x->depth = c->depth;
    x->path[x->depth] = c;
    x->nodes++;
}

// True while work is left.
INLINE bool search_depth_first(flowshop_explorer *x, int64_t nodes)
{
    if (x->depth < 0 || x->is_untouched)
        return x->is_untouched;
    for (const int64_t until = x->nodes + nodes; x->nodes < until;) {
        frame *f = x->path[x->depth];
        int32_t k = first_child(f);
        if (k < 0) {
            if (--x->depth < 0)
                return false;
            continue;
        }
        if (bound_of_child(f, k) >= incumbent(x)) {
            remove_child(f, k);  // the incumbent has fallen since the child was bounded
        } else if (f->depth + 1 >= x->n - 1) {
            reach_leaf(x, k);
            remove_child(f, k);
        } else {
            frame *c = decompose_child(x, f, k);
            if (c == NULL)
                return true;
            enter_child(x, f, c, k);
        }
    }
    return true;
}

static flowshop_progress explore(flowshop_explorer *x, int64_t nodes)
{
    bool is_left = search_depth_first(x, nodes);
    atomic_store_explicit(&x->published_nodes, x->nodes, memory_order_relaxed);
    return is_left ? FLOWSHOP_WORK_LEFT : FLOWSHOP_WORK_DONE;
}

// ---- Intervals

static void start_root(flowshop_explorer *x)
{
    frame *f = x->path[0] = x->frames;
    const mco_flowshop *shop = x->search->shop;
    int32_t heads[MCO_FLOWSHOP_MAX_MACHINES], tails[MCO_FLOWSHOP_MAX_MACHINES], load[MCO_FLOWSHOP_MAX_MACHINES];
    flowshop_root_ends(shop, heads, tails);
    for (int32_t i = 0; i < x->m; i++) {
        load[i] = 0;
        for (int32_t j = 0; j < x->n; j++)
            load[i] += mco_flowshop_time(shop, i, j);
    }
    for (int32_t i = 0; i < x->m; i++) {
        f->ends[i] = pair_make(heads[i], tails[x->m - 1 - i]);
        f->remain[i] = pair_make(load[i], load[x->m - 1 - i]);
    }
    for (int32_t i = 0; i < x->m; i++)
        f->through[i] = f->remain[i] + pair_swap(f->ends[x->m - 1 - i]);
}

static void unfold(flowshop_explorer *x, const flowshop_interval *interval, int64_t count)
{
    frame *f = x->frames;
    (void)count;  // always 1: room() is 1
    flowshop_interval_copy(interval, &x->interval);
    start_root(x);
    f->is_at_end = interval->b_depth > 0;
    for (int32_t d = 0;; d++) {
        x->depth = d;
        x->is_untouched = !decompose(x, f);
        if (x->is_untouched)
            return;
        if (f->is_at_end)
            cut_at_end(x, f);
        if (d == interval->a_depth)
            return;
        int32_t k = pair_of_rank(f, interval->a[d]);
        uint64_t bit = (uint64_t)1 << (k % WORD_PAIRS);
        for (int32_t w = 0; w < k / WORD_PAIRS; w++)
            f->alive[w] = 0;
        f->alive[k / WORD_PAIRS] &= ~(bit - 1);
        // The walk ends above A, or above a node on the way that has been pruned. explore() goes on from there.
        if (d + 1 == interval->a_depth || !(f->alive[k / WORD_PAIRS] & bit))
            return;
        remove_child(f, k);
        f->taken = k;
        frame *c = x->path[d + 1] = &x->frames[2 * (d + 1)];
        descend(x, f, c, k);
        f = c;
    }
}

// The deepest frame with a child alive, or NULL.
static const frame *next_frame(const flowshop_explorer *x)
{
    for (int32_t d = x->depth; d >= 0; d--)
        if (count_alive(x->path[d]) > 0)
            return x->path[d];
    return NULL;
}

static void write_path(const flowshop_explorer *x, const frame *to, int32_t k, int32_t *digits)
{
    for (int32_t d = 0; d <= to->depth; d++)
        digits[d] = rank_of(x->path[d], d == to->depth ? k : x->path[d]->taken);
}

static int64_t least_alive_bound(const frame *f)
{
    int64_t least = INT64_MAX;
    for (int32_t k = 0; k < f->table->vectors * PAIRS; k++)
        if (f->alive[k / WORD_PAIRS] >> (k % WORD_PAIRS) & 1) {
            int64_t bound = bound_of_child(f, k);
            least = bound < least ? bound : least;
        }
    return least;
}

static void fold(const flowshop_explorer *x, flowshop_intervals *list)
{
    if (x->is_untouched) {
        flowshop_interval_copy(&x->interval, flowshop_intervals_push(list));
        return;
    }
    const frame *f = next_frame(x);
    if (f == NULL)
        return;
    flowshop_interval *out = flowshop_intervals_push(list);
    int32_t w = f->first_word;
    while (f->alive[w] == 0)
        w++;
    write_path(x, f, w * WORD_PAIRS + __builtin_ctzll(f->alive[w]), out->a);
    out->a_depth = f->depth + 1;
    out->b_depth = x->interval.b_depth;
    memcpy(out->b, x->interval.b, (size_t)out->b_depth * sizeof *out->b);
    out->bound = INT64_MAX;
    for (int32_t d = 0; d <= x->depth; d++) {
        int64_t bound = least_alive_bound(x->path[d]);
        out->bound = bound < out->bound ? bound : out->bound;
    }
}

// Gives away the later half of the alive children of the shallowest frame that has any, whatever `share` is: they are
// the largest subtrees. A single child goes too if deeper frames hold work.
static int64_t split(flowshop_explorer *x, double share, int64_t room, flowshop_intervals *list)
{
    int32_t d = 0;
    if (x->is_untouched || share <= 0 || room < 1)
        return 0;
    while (d <= x->depth && count_alive(x->path[d]) == 0)
        d++;
    if (d > x->depth)
        return 0;
    frame *f = x->path[d];
    int64_t count = count_alive(f);
    bool has_deeper = next_frame(x) != f;
    int64_t kept = has_deeper ? count / 2 : (count + 1) / 2;
    if (kept == count)
        return 0;
    int32_t k = 0;
    for (int64_t seen = 0;; k++)
        if (f->alive[k / WORD_PAIRS] >> (k % WORD_PAIRS) & 1 && seen++ == kept)
            break;
    flowshop_interval *given = flowshop_intervals_push(list);
    write_path(x, f, k, given->a);
    given->a_depth = d + 1;
    given->b_depth = x->interval.b_depth;
    memcpy(given->b, x->interval.b, (size_t)given->b_depth * sizeof *given->b);
    given->bound = least_alive_bound(f);
    // Our interval ends where the one given away begins.
    memcpy(x->interval.b, given->a, (size_t)given->a_depth * sizeof *given->a);
    x->interval.b_depth = flowshop_path_trim(given->a, given->a_depth);
    for (int32_t w = k / WORD_PAIRS; w < f->words; w++)
        f->alive[w] &= w == k / WORD_PAIRS ? ((uint64_t)1 << (k % WORD_PAIRS)) - 1 : 0;
    return 1;
}

static int64_t room(const flowshop_explorer *x)
{
    (void)x;
    return 1;
}

static const int64_t *children_by_depth(const flowshop_explorer *x)
{
    return x->children_by_depth;
}

static int64_t leaves(const flowshop_explorer *x)
{
    return x->leaves;
}

static int64_t nodes(const flowshop_explorer *x)
{
    return atomic_load_explicit(&x->published_nodes, memory_order_relaxed);
}

// ---- Creation

static void destroy(mco_context *ctx, flowshop_explorer **explorer)
{
    if (*explorer == NULL)
        return;
    mco_free(ctx, &(*explorer)->memory);
    mco_free(ctx, explorer);
}

static mco_status create(mco_context *ctx, flowshop_search *search, const mco_gpu *gpu, flowshop_explorer **out)
{
    mco_status st = MCO_OK;
    (void)gpu;
    flowshop_explorer *x = NULL;
    arena measure = {0}, arena_of_x = {0};
    MCO_TRY(mco_alloc(ctx, &x, 1));
    x->search = search;
    x->n = search->shop->jobs;
    x->m = search->shop->machines;
    x->columns = flowshop_children_columns(x->n);
    x->padded_m = (x->m + PAIRS - 1) / PAIRS * PAIRS;
    x->depth = -1;
    x->rule_bound = clamp_lane(search->rule_bound);
    lay_out(x, &measure);
    MCO_TRY(mco_alloc_bytes(ctx, &x->memory, measure.used, 1));
    arena_of_x.block = x->memory;
    lay_out(x, &arena_of_x);
    fill_root_table(x);
    if (search->johnson != NULL) {
        for (int32_t i = 0; i < x->lb2.groups * LANES; i++)
            x->lb2.order[i] = i < search->johnson->pairs ? i : 0;
    }
    *out = x;
    x = NULL;
done:
    if (x != NULL)
        destroy(ctx, &x);
    return st;
}

const flowshop_explorer_ops VARIANT(flowshop_explorer) = {
    .name = "cpu",
    .create = create,
    .destroy = destroy,
    .room = room,
    .unfold = unfold,
    .explore = explore,
    .fold = fold,
    .split = split,
    .children_by_depth = children_by_depth,
    .leaves = leaves,
    .nodes = nodes,
};
