// SPDX-License-Identifier: MIT
// Part of flowshop/tree/explorer.c: LB2 of the children that LB1 does not prune. The lanes are pairs of machines: those
// that pruned most come first. The loop runs over the positions of Johnson's order. See flowshop/tree/bounds.h.
#ifndef MCO_FLOWSHOP_TREE_EXPLORER_PAIRS_H
#define MCO_FLOWSHOP_TREE_EXPLORER_PAIRS_H

#include "flowshop/tree/explorer_node.h"

// values[index] in each lane. `values` [size] is padded to whole vectors.
INLINE vec look_up(const lane *values, int size, vec index)
{
#if defined(__AVX512BW__) && LANE_BITS == 16
    const __m512i *v = (const __m512i *)(const void *)values;
    if (size <= LANES)
        return (vec)_mm512_permutexvar_epi16((__m512i)index, v[0]);
    if (size <= 2 * LANES)
        return (vec)_mm512_permutex2var_epi16(v[0], (__m512i)index, v[1]);
#endif
    (void)size;
    vec result;
    for (int k = 0; k < LANES; k++)
        result[k] = values[index[k]];
    return result;
}

// Fills the tables in the order learned so far. Returns false if the search is stopped before the end: at 2000x100 the
// tables hold ten million cells.
static bool fill_pair_tables(flowshop_explorer *x)
{
    const flowshop_johnson *jo = x->search->johnson;
    const mco_flowshop *shop = x->search->shop;
    pair_tables *t = &x->lb2;
    for (int g = 0; g < t->groups; g++) {
        if (atomic_load_explicit(&x->search->must_stop, memory_order_relaxed))
            return false;
        for (int k = 0; k < LANES; k++) {
            int32_t q = t->order[g * LANES + k], first = jo->first[q], second = jo->second[q];
            ((lane *)&t->first[g])[k] = (lane)first;
            ((lane *)&t->second[g])[k] = (lane)second;
            for (int32_t s = 0; s < x->n; s++) {
                int32_t j = jo->order[(int64_t)q * x->n + s];
                int64_t at = ((int64_t)s * t->groups + g) * LANES + k;
                ((lane *)t->job)[at] = (lane)j;
                ((lane *)t->p1)[at] = (lane)mco_flowshop_time(shop, first, j);
                ((lane *)t->p2)[at] = (lane)mco_flowshop_time(shop, second, j);
                ((lane *)t->lag)[at] = (lane)flowshop_lag(jo, x->m, j, first, second);
            }
        }
    }
    return true;
}

// Sorts the pairs by decreasing success: merges sorted runs of 1, 2, 4, ... pairs. Stable, so that the order does not
// depend on the method.
static void sort_pairs(pair_tables *t, int32_t pairs)
{
    for (int64_t run = 1; run < pairs; run *= 2) {
        for (int64_t first = 0; first < pairs; first += 2 * run) {
            const int64_t middle = first + run < pairs ? first + run : pairs;
            const int64_t last = middle + run < pairs ? middle + run : pairs;
            int64_t a = first, b = middle;
            for (int64_t at = first; at < last; at++) {
                const bool takes_a = a < middle && (b == last || t->successes[t->order[a]] >= t->successes[t->order[b]]);
                t->merged[at] = t->order[takes_a ? a++ : b++];
            }
        }
        memcpy(t->order, t->merged, (size_t)pairs * sizeof *t->order);
    }
}

// Sorts the pairs and fills the tables. Doubles the node count of the next sort. False as above.
static bool learn_pairs(flowshop_explorer *x)
{
    pair_tables *t = &x->lb2;
    int32_t pairs = x->search->johnson->pairs;
    sort_pairs(t, pairs);
    for (int32_t i = pairs; i < t->groups * LANES; i++)
        t->order[i] = t->order[0];
    if (!fill_pair_tables(x))
        return false;
    t->next_learning = t->next_learning > 0 ? 2 * t->next_learning : FIRST_LEARNING;
    return true;
}

// The two-machine bound of the child that fixes `job`. Its ends are `heads` and `tails`. Stops at the first group that
// reaches U, and returns U.
static lane two_machine_bound(flowshop_explorer *x, lane job, const lane *heads, const lane *tails)
{
    pair_tables *t = &x->lb2;
    const vec jobs = vec_all(job), limit = vec_all((int32_t)(x->rule_bound - 1));
    vec best = {0};
    for (int g = 0; g < t->groups; g++) {
        vec t1 = look_up(heads, x->m, t->first[g]), t2 = look_up(heads, x->m, t->second[g]);
        const vec *at = t->job + g;
        const int64_t p1 = t->p1 - t->job, p2 = t->p2 - t->job, lag = t->lag - t->job, active = t->active - t->job;
        for (int32_t s = 0; s < x->n; s++, at += t->groups) {
            // A fixed job adds nothing in its lane: its times and its arrival become 0.
            vec is_on = at[active] & (vec)(at[0] != jobs);
            t1 += at[p1] & is_on;
            t2 = vec_max(t2, (t1 + at[lag]) & is_on) + (at[p2] & is_on);
        }
        vec bound = t2 + look_up(tails, x->m, t->second[g]);
        uint32_t even, odd;
        vec_less_bits(limit, bound, &even, &odd);
        if ((even | odd) != 0) {
            int lane_index = even != 0 ? 2 * __builtin_ctz(even) : 2 * __builtin_ctz(odd) + 1;
            t->successes[t->order[g * LANES + lane_index]]++;
            return x->rule_bound;
        }
        best = vec_max(best, bound);
    }
    lane result = 0;
    for (int k = 0; k < LANES; k++)
        result = best[k] > result ? best[k] : result;
    return result;
}

// Computes the grown end of child k of f: the front if `is_front`, else the back.
static void ends_with_child(const flowshop_explorer *x, const frame *f, int32_t k, bool is_front, lane *out)
{
    const pair *times = (const pair *)f->table->times + k;
    const int stride = f->table->vectors * PAIRS;
    int32_t reach = 0;
    for (int32_t i = 0; i < x->m; i++) {
        pair end = f->ends[i], time = times[(int64_t)i * stride];
        int32_t ready = is_front ? pair_even(end) : pair_odd(end);
        reach = (reach > ready ? reach : ready) + (is_front ? pair_even(time) : pair_odd(time));
        out[is_front ? i : x->m - 1 - i] = (lane)reach;
    }
}

// Raises the bounds of the children to LB2 = min(max(LB1, all pairs), U). The pairs are evaluated only where LB1 is
// below U. Returns false if the search is stopped before the end. The node is then not decomposed.
static bool refine_by_pairs(flowshop_explorer *x, frame *f)
{
    pair_tables *t = &x->lb2;
    lane *bounds = (lane *)f->bounds;
    if (x->nodes >= t->next_learning && !learn_pairs(x))
        return false;
    memset(t->is_free, 0, (size_t)x->n * sizeof *t->is_free);
    for (int32_t i = 0; i < x->m; i++) {
        t->heads[i] = (lane)pair_even(f->ends[i]);
        t->tails[x->m - 1 - i] = (lane)pair_odd(f->ends[i]);
    }
    const int32_t pairs = f->table->vectors * PAIRS;
    for (int32_t k = 0; k < pairs; k++)
        if (f->free[k / WORD_PAIRS] >> (k % WORD_PAIRS) & 1)
            t->is_free[f->table->jobs[k]] = -1;
    for (int64_t s = 0; s < (int64_t)x->n * t->groups; s++)
        t->active[s] = look_up(t->is_free, x->n, t->job[s]);
    for (int32_t k = 0; k < pairs; k++) {
        if (!(f->free[k / WORD_PAIRS] >> (k % WORD_PAIRS) & 1))
            continue;
        for (int side = 0; side < 2; side++) {
            lane *bound = &bounds[2 * k + side];
            if (*bound >= x->rule_bound) {
                *bound = x->rule_bound;
                continue;
            }
            if (atomic_load_explicit(&x->search->must_stop, memory_order_relaxed))
                return false;
            ends_with_child(x, f, k, side == 0, t->child);
            lane pairs_bound = two_machine_bound(x, (lane)f->table->jobs[k], side == 0 ? t->child : t->heads,
                                                 side == 0 ? t->tails : t->child);
            *bound = pairs_bound > *bound ? pairs_bound : *bound;
        }
    }
    return true;
}

#endif
