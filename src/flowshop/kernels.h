// SPDX-License-Identifier: MIT
// The arithmetic of a node for the systems that keep a pool of nodes (flowshop/systems/pool.c): the bounds of all
// children of a father, the branching rule, the survivors. This file is compiled for the host and for the device.
// Each function flowshop_thread_* is the work of one thread of the kernel of that name.
//
// A batch is an array of fathers. A father with r free jobs has 2 r children. Child c fixes free job c % r: in front
// if c < r, else at the back. The children of father s have the indices offsets[s]..offsets[s + 1).
// In vectors over machines the slot varies fastest: entry k of father s is at [k * stride + s].
//
// Bounds: README.md (Lageweg, Lenstra, Rinnooy Kan 1978; the schema of Chakroun 2013, figure 3.3, with the
// heads and tails of what is fixed). Every value is a lower bound of some schedule or the length of a path
// in one. So int32_t holds it (limits in mco/flowshop.h). Reference: flowshop/tree/ref.c.
#ifndef MCO_FLOWSHOP_KERNELS_H
#define MCO_FLOWSHOP_KERNELS_H

#include <string.h>

#include "mco/compiler.h"
#include "mco/flowshop.h"

// One step of Johnson's order for a pair of machines k < l. One load fetches everything that the step needs.
typedef struct flowshop_step {
    int32_t job, time_k, time_l, lag;
} flowshop_step;

// Constants of an instance and a search, in the memory of the host or of one device.
typedef struct flowshop_tables {
    int32_t jobs, machines;
    int32_t words; // 32-bit words in a set of jobs; 0 without LB2
    int32_t pairs; // pairs of machines; 0 without LB2
    int32_t is_lb2;
    int32_t rule;                 // mco_flowshop_branching, resolved
    int64_t rule_bound;           // U
    const int32_t *times;         // [machines * jobs], machine-major
    const int32_t *heads, *tails; // [machines] heads and tails of the root
    const int32_t *loads;         // [machines] sums of the times of all jobs
    const int32_t *pair_machines; // [pairs] k << 16 | l
    const flowshop_step *steps;   // [pairs * jobs]
} flowshop_tables;

// A node: the first `front` jobs of its order and the last `back` jobs are fixed. The jobs between are free.
// The order follows the row in memory: uint16_t [jobs].
typedef struct flowshop_row {
    int32_t bound;
    uint16_t front, back;
} flowshop_row;

// A child in one word: slot of its father << 12 | (1 if at the back) << 11 | index of the free job.
enum {
    FLOWSHOP_SLOT_SHIFT = 12,
    FLOWSHOP_BACK_BIT = 1 << 11,
    FLOWSHOP_INDEX_MASK = FLOWSHOP_BACK_BIT - 1,
    FLOWSHOP_MAX_FATHERS = 1 << (32 - FLOWSHOP_SLOT_SHIFT)
};

typedef struct flowshop_survivor {
    uint32_t word;
    int32_t bound;
} flowshop_survivor;

// The arrays of a batch, in the memory of the host or of one device.
typedef struct flowshop_arrays {
    unsigned char *rows;          // [fathers * row_bytes]
    int32_t *offsets;             // [fathers + 1] index of the first child
    uint32_t *words;              // [children]
    int32_t *ends;                // [(3 machines + words) * stride] see flowshop_ends_of
    int32_t *child_ends;          // [machines * child_stride] the end that grew, for each child. Where a thread does a
                                  // whole node: for the current child of each father. NULL where nothing reads it.
    int32_t *bounds;              // [children]
    flowshop_survivor *survivors; // [children / 2]
    int32_t *counts;              // [fathers] surviving children
    uint32_t *survivor_count;     // sum of `counts`; the tree kernels use it
    int32_t row_bytes, fathers, children;
    int64_t stride, child_stride;
    int64_t upper; // children with bound >= upper are pruned
} flowshop_arrays;

// front[k]: when machine k is free after the jobs fixed in front. back[k]: the least time from the end of the free
// jobs on k to the end of the schedule. remain[k]: the total time of the free jobs on k. free: the set of the free
// jobs. Entry k of each is at [k * stride].
typedef struct flowshop_ends {
    int32_t *front, *back, *remain;
    uint32_t *free;
    int64_t stride;
} flowshop_ends;

static inline MCO_HD int32_t flowshop_max32(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

// Bytes of a row, a multiple of 16.
static inline MCO_HD int32_t flowshop_row_bytes(int32_t jobs)
{
    return (int32_t)((sizeof(flowshop_row) + (size_t)jobs * sizeof(uint16_t) + 15) / 16 * 16);
}

static inline MCO_HD flowshop_row *flowshop_row_of(const flowshop_arrays *a, int64_t slot)
{
    return (flowshop_row *)(void *)(a->rows + slot * a->row_bytes);
}

static inline MCO_HD uint16_t *flowshop_row_order(const flowshop_row *row)
{
    return (uint16_t *)(void *)(row + 1);
}

static inline MCO_HD flowshop_ends flowshop_ends_of(const flowshop_tables *t, const flowshop_arrays *a, int64_t slot)
{
    const int64_t m = t->machines;
    int32_t *first = a->ends + slot;
    flowshop_ends e = {first, first + m * a->stride, first + 2 * m * a->stride,
                       (uint32_t *)(void *)(first + 3 * m * a->stride), a->stride};
    return e;
}

// ---- Branching: the ends of a father, the end of a child

static inline MCO_HD void flowshop_fix_in_front(const flowshop_tables *t, const flowshop_ends *e, int32_t job)
{
    int32_t reach = 0;
    for (int32_t k = 0; k < t->machines; k++) {
        const int32_t time = t->times[(int64_t)k * t->jobs + job];
        reach = flowshop_max32(reach, e->front[k * e->stride]) + time;
        e->front[k * e->stride] = reach;
        e->remain[k * e->stride] -= time;
    }
}

static inline MCO_HD void flowshop_fix_at_back(const flowshop_tables *t, const flowshop_ends *e, int32_t job)
{
    int32_t reach = 0;
    for (int32_t k = t->machines - 1; k >= 0; k--) {
        const int32_t time = t->times[(int64_t)k * t->jobs + job];
        reach = flowshop_max32(reach, e->back[k * e->stride]) + time;
        e->back[k * e->stride] = reach;
        e->remain[k * e->stride] -= time;
    }
}

// Computes front, back, remain and the set of the free jobs of father s.
static inline MCO_HD void flowshop_thread_ends(const flowshop_tables *t, const flowshop_arrays *a, int64_t s)
{
    const flowshop_row *row = flowshop_row_of(a, s);
    const uint16_t *order = flowshop_row_order(row);
    const int32_t n = t->jobs, front = row->front, back = row->back;
    const flowshop_ends e = flowshop_ends_of(t, a, s);
    for (int32_t k = 0; k < t->machines; k++) {
        e.front[k * e.stride] = front == 0 ? t->heads[k] : 0;
        e.back[k * e.stride] = back == 0 ? t->tails[k] : 0;
        e.remain[k * e.stride] = t->loads[k];
    }
    for (int32_t i = 0; i < front; i++)
        flowshop_fix_in_front(t, &e, order[i]);
    for (int32_t i = n - 1; i >= n - back; i--)
        flowshop_fix_at_back(t, &e, order[i]);
    for (int32_t w = 0; w < t->words; w++)
        e.free[w * e.stride] = 0;
    for (int32_t i = front; i < n - back && t->words > 0; i++)
        e.free[(order[i] >> 5) * e.stride] |= (uint32_t)1 << (order[i] & 31);
}

// Computes the vector of the end that grows by `job`.
static inline MCO_HD void flowshop_child_end(const flowshop_tables *t, const flowshop_ends *e, int32_t job,
                                             bool in_front, int32_t *end, int64_t end_stride)
{
    int32_t reach = 0;
    for (int32_t i = 0; i < t->machines; i++) {
        const int32_t k = in_front ? i : t->machines - 1 - i;
        const int32_t before = in_front ? e->front[k * e->stride] : e->back[k * e->stride];
        reach = flowshop_max32(reach, before) + t->times[(int64_t)k * t->jobs + job];
        end[k * end_stride] = reach;
    }
}

// The father whose children include index i. It must be in [low, high).
static inline MCO_HD int32_t flowshop_father_of(const int32_t *offsets, int32_t low, int32_t high, int32_t i)
{
    while (high - low > 1) {
        const int32_t middle = low + (high - low) / 2;
        if (offsets[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static inline MCO_HD uint32_t flowshop_child_word(const flowshop_tables *t, const flowshop_row *father, int32_t slot,
                                                  int32_t c)
{
    const int32_t free_jobs = t->jobs - father->front - father->back;
    return (uint32_t)slot << FLOWSHOP_SLOT_SHIFT | (uint32_t)(c < free_jobs ? c : FLOWSHOP_BACK_BIT | (c - free_jobs));
}

static inline MCO_HD int32_t flowshop_child_job(const flowshop_arrays *a, uint32_t word)
{
    const flowshop_row *father = flowshop_row_of(a, word >> FLOWSHOP_SLOT_SHIFT);
    return flowshop_row_order(father)[father->front + (word & FLOWSHOP_INDEX_MASK)];
}

// Writes the word and the grown end of child i of father `slot`.
static inline MCO_HD void flowshop_thread_branch(const flowshop_tables *t, const flowshop_arrays *a, int32_t slot,
                                                 int32_t i)
{
    const uint32_t word = flowshop_child_word(t, flowshop_row_of(a, slot), slot, i - a->offsets[slot]);
    const flowshop_ends e = flowshop_ends_of(t, a, slot);
    a->words[i] = word;
    flowshop_child_end(t, &e, flowshop_child_job(a, word), (word & FLOWSHOP_BACK_BIT) == 0, a->child_ends + i,
                       a->child_stride);
}

// ---- Bounding

// LB1 of a child in one pass. When the bound is taken, `remain` still includes the job's time and `reach` does not yet.
static inline MCO_HD int32_t flowshop_one_machine(const flowshop_tables *t, const flowshop_ends *e, int32_t job,
                                                  bool in_front)
{
    int32_t reach = 0, bound = 0;
    for (int32_t i = 0; i < t->machines; i++) {
        const int32_t k = in_front ? i : t->machines - 1 - i;
        const int32_t front = e->front[k * e->stride], back = e->back[k * e->stride];
        reach = flowshop_max32(reach, in_front ? front : back);
        bound = flowshop_max32(bound, reach + e->remain[k * e->stride] + (in_front ? back : front));
        reach += t->times[(int64_t)k * t->jobs + job];
    }
    return bound;
}

// LB1 of a child whose grown end is stored.
static inline MCO_HD int32_t flowshop_one_machine_of(const flowshop_tables *t, const flowshop_ends *e, int32_t job,
                                                     bool in_front, const int32_t *end, int64_t end_stride)
{
    const int32_t *other = in_front ? e->back : e->front;
    int32_t bound = 0;
    for (int32_t k = 0; k < t->machines; k++)
        bound = flowshop_max32(bound, end[k * end_stride] + other[k * e->stride] + e->remain[k * e->stride] -
                                          t->times[(int64_t)k * t->jobs + job]);
    return bound;
}

// When the second machine ends in the two-machine flow shop with lags. Its jobs are the free jobs without `job`. Its
// machines start at t1 and t2.
static inline MCO_HD int32_t flowshop_johnson_end(const flowshop_tables *t, const flowshop_ends *e, int32_t job,
                                                  const flowshop_step *steps, int32_t t1, int32_t t2)
{
    for (int32_t s = 0; s < t->jobs; s++) {
        const flowshop_step step = steps[s];
        const uint32_t is_free = e->free[(step.job >> 5) * e->stride] >> (step.job & 31) & 1;
        if (is_free == 0 || step.job == job)
            continue;
        t1 += step.time_k;
        t2 = flowshop_max32(t2, t1 + step.lag) + step.time_l;
    }
    return t2;
}

// The greatest of `bound` and the bounds of all pairs of machines, at most U. Stops at the first pair that reaches U.
static inline MCO_HD int32_t flowshop_two_machine(const flowshop_tables *t, const flowshop_ends *e, int32_t job,
                                                  bool in_front, const int32_t *end, int64_t end_stride, int32_t bound)
{
    const int32_t *front = in_front ? end : e->front, *back = in_front ? e->back : end;
    const int64_t front_stride = in_front ? end_stride : e->stride, back_stride = in_front ? e->stride : end_stride;
    for (int32_t q = 0; q < t->pairs && bound < t->rule_bound; q++) {
        const int32_t k = t->pair_machines[q] >> 16, l = t->pair_machines[q] & 0xffff;
        const int32_t of_pair =
            back[l * back_stride] + flowshop_johnson_end(t, e, job, t->steps + (int64_t)q * t->jobs,
                                                         front[k * front_stride], front[l * front_stride]);
        bound = flowshop_max32(bound, of_pair);
    }
    return bound < t->rule_bound ? bound : (int32_t)t->rule_bound;
}

// The bound (LB1 or LB2) of a child whose grown end is not yet stored. LB2 stores that end at `end` if LB1 is below U.
static inline MCO_HD int32_t flowshop_child_bound(const flowshop_tables *t, const flowshop_ends *e, int32_t job,
                                                  bool in_front, int32_t *end, int64_t end_stride)
{
    const int32_t bound = flowshop_one_machine(t, e, job, in_front);
    if (t->is_lb2 == 0)
        return bound;
    if (bound < t->rule_bound)
        flowshop_child_end(t, e, job, in_front, end, end_stride);
    return flowshop_two_machine(t, e, job, in_front, end, end_stride, bound);
}

// Bounding alone: the host has branched, and child i is words[i].
static inline MCO_HD void flowshop_thread_bound_child(const flowshop_tables *t, const flowshop_arrays *a, int64_t i)
{
    const uint32_t word = a->words[i];
    const flowshop_ends e = flowshop_ends_of(t, a, word >> FLOWSHOP_SLOT_SHIFT);
    a->bounds[i] = flowshop_child_bound(t, &e, flowshop_child_job(a, word), (word & FLOWSHOP_BACK_BIT) == 0,
                                        t->is_lb2 != 0 ? a->child_ends + i : a->child_ends, a->child_stride);
}

// Bounding after the branch kernel, which stored the grown end of child i.
static inline MCO_HD void flowshop_thread_bound(const flowshop_tables *t, const flowshop_arrays *a, int64_t i)
{
    const uint32_t word = a->words[i];
    const bool in_front = (word & FLOWSHOP_BACK_BIT) == 0;
    const int32_t job = flowshop_child_job(a, word), *end = a->child_ends + i;
    const flowshop_ends e = flowshop_ends_of(t, a, word >> FLOWSHOP_SLOT_SHIFT);
    const int32_t bound = flowshop_one_machine_of(t, &e, job, in_front, end, a->child_stride);
    a->bounds[i] = t->is_lb2 != 0 ? flowshop_two_machine(t, &e, job, in_front, end, a->child_stride, bound) : bound;
}

// ---- The rule and pruning

// MinMin: the end where the smallest bound occurs least. Tie: the front if it has more children at or above U, else
// the back.
static inline MCO_HD bool flowshop_min_min(const int32_t *front, const int32_t *back, int32_t count,
                                           int32_t below_front, int32_t below_back)
{
    int32_t least = front[0], least_front = 0, least_back = 0;
    for (int32_t c = 0; c < count; c++) {
        const int32_t smaller = front[c] < back[c] ? front[c] : back[c];
        least = smaller < least ? smaller : least;
    }
    for (int32_t c = 0; c < count; c++) {
        least_front += front[c] == least;
        least_back += back[c] == least;
    }
    return least_front != least_back ? least_front < least_back : below_front < below_back;
}

// True if the front grows. `bounds` [2 count]: those of the children in front, then those of the children at the back.
static inline MCO_HD bool flowshop_choose_front(const flowshop_tables *t, int32_t depth, const int32_t *bounds,
                                                int32_t count)
{
    const int32_t *front = bounds, *back = bounds + count;
    int64_t sum_front = 0, sum_back = 0;
    int32_t below_front = 0, below_back = 0;
    for (int32_t c = 0; c < count; c++) {
        sum_front += front[c];
        sum_back += back[c];
        below_front += front[c] < t->rule_bound;
        below_back += back[c] < t->rule_bound;
    }
    switch (t->rule) {
    case MCO_FLOWSHOP_BRANCHING_FORWARD: return true;
    case MCO_FLOWSHOP_BRANCHING_BACKWARD: return false;
    case MCO_FLOWSHOP_BRANCHING_ALTERNATE: return depth % 2 == 0;
    case MCO_FLOWSHOP_BRANCHING_MAXSUM: return sum_front >= sum_back;
    case MCO_FLOWSHOP_BRANCHING_MINMIN: return flowshop_min_min(front, back, count, below_front, below_back);
    default: return below_front != below_back ? below_front < below_back : sum_front >= sum_back;
    }
}

// Applies the rule to father s. *bounds [*count] receives the bounds of the end that grows. Returns how many of them
// are below `upper`.
static inline MCO_HD int32_t flowshop_choose(const flowshop_tables *t, const flowshop_arrays *a, int64_t s,
                                             const int32_t **bounds, int32_t *count, bool *in_front)
{
    const flowshop_row *row = flowshop_row_of(a, s);
    const int32_t depth = row->front + row->back;
    int32_t survivors = 0;
    *count = t->jobs - depth;
    *bounds = a->bounds + a->offsets[s];
    *in_front = flowshop_choose_front(t, depth, *bounds, *count);
    *bounds += *in_front ? 0 : *count;
    for (int32_t c = 0; c < *count; c++)
        survivors += (*bounds)[c] < a->upper;
    return survivors;
}

// Writes the survivors of father s from out[0] on.
static inline MCO_HD void flowshop_write_survivors(const flowshop_arrays *a, int64_t s, const int32_t *bounds,
                                                   int32_t count, bool in_front, flowshop_survivor *out)
{
    const uint32_t word = (uint32_t)s << FLOWSHOP_SLOT_SHIFT | (in_front ? 0u : (uint32_t)FLOWSHOP_BACK_BIT);
    for (int32_t c = 0; c < count; c++) {
        if (bounds[c] >= a->upper)
            continue;
        const flowshop_survivor survivor = {word | (uint32_t)c, bounds[c]};
        *out++ = survivor;
    }
}

// Reserves places for `count` survivors, in the order in which threads ask. Returns the first place.
static inline MCO_HD uint32_t flowshop_reserve(uint32_t *total, uint32_t count)
{
#ifdef __CUDA_ARCH__
    return atomicAdd(total, count);
#else
    const uint32_t before = *total;
    *total += count;
    return before;
#endif
}

// Pruning: of the children at the chosen end, father s keeps those below `upper`. All survivors lie without gaps.
static inline MCO_HD void flowshop_thread_prune(const flowshop_tables *t, const flowshop_arrays *a, int64_t s)
{
    const int32_t *bounds;
    int32_t count;
    bool in_front;
    const int32_t survivors = flowshop_choose(t, a, s, &bounds, &count, &in_front);
    a->counts[s] = survivors;
    if (survivors > 0)
        flowshop_write_survivors(a, s, bounds, count, in_front,
                                 a->survivors + flowshop_reserve(a->survivor_count, (uint32_t)survivors));
}

// A whole node: branching, bounding and pruning of father s. Its survivors begin at half its offset, with gaps behind.
static inline MCO_HD void flowshop_thread_node(const flowshop_tables *t, const flowshop_arrays *a, int64_t s)
{
    const flowshop_row *row = flowshop_row_of(a, s);
    const int32_t free_jobs = t->jobs - row->front - row->back;
    const uint16_t *jobs = flowshop_row_order(row) + row->front;
    int32_t *of_children = a->bounds + a->offsets[s], *end = t->is_lb2 != 0 ? a->child_ends + s : a->child_ends;
    flowshop_thread_ends(t, a, s);
    const flowshop_ends e = flowshop_ends_of(t, a, s);
    for (int32_t c = 0; c < free_jobs; c++) {
        of_children[c] = flowshop_child_bound(t, &e, jobs[c], true, end, a->child_stride);
        of_children[free_jobs + c] = flowshop_child_bound(t, &e, jobs[c], false, end, a->child_stride);
    }
    const int32_t *bounds;
    int32_t count;
    bool in_front;
    a->counts[s] = flowshop_choose(t, a, s, &bounds, &count, &in_front);
    flowshop_write_survivors(a, s, bounds, count, in_front, a->survivors + a->offsets[s] / 2);
}

// Makes the row `child` from the row of its father.
static inline void flowshop_make_child(const flowshop_tables *t, const flowshop_row *father, flowshop_survivor survivor,
                                       flowshop_row *child)
{
    const uint16_t *from = flowshop_row_order(father);
    uint16_t *to = flowshop_row_order(child);
    const bool in_front = (survivor.word & FLOWSHOP_BACK_BIT) == 0;
    const int32_t at = father->front + (int32_t)(survivor.word & FLOWSHOP_INDEX_MASK);
    const int32_t place = in_front ? father->front : t->jobs - 1 - father->back;
    memcpy(to, from, (size_t)t->jobs * sizeof *to);
    to[at] = from[place];
    to[place] = from[at];
    child->bound = survivor.bound;
    child->front = (uint16_t)(father->front + in_front);
    child->back = (uint16_t)(father->back + !in_front);
}

#endif
