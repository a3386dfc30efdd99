// SPDX-License-Identifier: MIT
// Part of flowshop/tree/explorer.c: the layout of an explorer's arrays in one block of memory.
#ifndef MCO_FLOWSHOP_TREE_EXPLORER_MEMORY_H
#define MCO_FLOWSHOP_TREE_EXPLORER_MEMORY_H

#include "flowshop/tree/explorer_node.h"

static int vectors_for(int32_t jobs)
{
    return jobs > 0 ? (jobs + PAIRS - 1) / PAIRS : 1;
}

// Hands out aligned pieces of one block. With a NULL block it only measures.
typedef struct arena {
    char *block;
    size_t used;
} arena;

static void *take(arena *a, size_t count, size_t item_bytes)
{
    void *piece = a->block != NULL ? a->block + a->used : NULL;
    a->used += (count * item_bytes + 63) / 64 * 64;
    return piece;
}

static void lay_out_frame(flowshop_explorer *x, arena *a, int32_t at, int vectors, bool has_table)
{
    const size_t m = (size_t)x->padded_m, v = (size_t)vectors, words = (v + WORD_VECTORS - 1) / WORD_VECTORS;
    table t = {.vectors = vectors};
    if (has_table) {
        t.jobs = take(a, v * PAIRS, sizeof *t.jobs);
        t.times = take(a, m * v + 1, sizeof *t.times);  // one more: pairs_compress() may write a vector behind the end
    }
    frame f = {.depth = at / 2, .words = (int32_t)words, .prepared = -1};
    f.ends = take(a, m, sizeof *f.ends);
    f.remain = take(a, m, sizeof *f.remain);
    f.through = take(a, m, sizeof *f.through);
    f.dead = take(a, v, sizeof *f.dead);
    f.bounds = take(a, v, sizeof *f.bounds);
    if (vectors <= COLUMN_VECTORS)
        f.columns = take(a, m * v, sizeof *f.columns);
    f.free = take(a, words, sizeof *f.free);
    f.alive = take(a, words, sizeof *f.alive);
    int32_t *offsets = take(a, m, sizeof *offsets);
    if (a->block == NULL)
        return;
    for (int32_t i = 0; i < x->m; i++)
        offsets[i] = i * vectors * PAIRS;
    f.column_offsets = offsets;
    x->tables[at] = t;
    x->frames[at] = f;
}

static void lay_out_frames(flowshop_explorer *x, arena *a)
{
    int vectors = vectors_for(x->n);
    int32_t owner = 0;
    for (int32_t d = 0; d <= x->n; d++) {
        int fewer = vectors_for(x->n - d);
        if (fewer < vectors && (vectors <= EAGER_VECTORS || fewer <= vectors - vectors / 8)) {
            vectors = fewer;
            owner = d;
        }
        lay_out_frame(x, a, 2 * d, vectors, owner == d);
        if (vectors <= 2)  // a second frame: two siblings are decomposed together only here
            lay_out_frame(x, a, 2 * d + 1, vectors, owner == d);
        if (a->block == NULL)
            continue;
        x->table_of[d] = owner;
        choose_bound(x, d, vectors);
    }
}

static void lay_out_pairs(flowshop_explorer *x, arena *a)
{
    const flowshop_johnson *jo = x->search->johnson;
    pair_tables *t = &x->lb2;
    if (jo == NULL)
        return;
    t->groups = (jo->pairs + LANES - 1) / LANES;
    const size_t groups = (size_t)t->groups, cells = groups * (size_t)x->n;
    const size_t padded_n = (size_t)x->n + 2 * LANES, padded_m = (size_t)x->m + 2 * LANES;
    t->order = take(a, groups * LANES, sizeof *t->order);
    t->merged = take(a, (size_t)jo->pairs, sizeof *t->merged);
    t->successes = take(a, (size_t)jo->pairs, sizeof *t->successes);
    t->first = take(a, groups, sizeof *t->first);
    t->second = take(a, groups, sizeof *t->second);
    t->job = take(a, cells, sizeof *t->job);
    t->p1 = take(a, cells, sizeof *t->p1);
    t->p2 = take(a, cells, sizeof *t->p2);
    t->lag = take(a, cells, sizeof *t->lag);
    t->active = take(a, cells, sizeof *t->active);
    t->is_free = take(a, padded_n, sizeof *t->is_free);
    t->heads = take(a, padded_m, sizeof *t->heads);
    t->tails = take(a, padded_m, sizeof *t->tails);
    t->child = take(a, padded_m, sizeof *t->child);
}

static void lay_out(flowshop_explorer *x, arena *a)
{
    const size_t depths = (size_t)x->n + 1;
    x->frames = take(a, 2 * depths, sizeof *x->frames);
    x->path = take(a, depths, sizeof *x->path);
    x->tables = take(a, 2 * depths, sizeof *x->tables);
    x->table_of = take(a, depths, sizeof *x->table_of);
    x->bound_one = take(a, depths, sizeof *x->bound_one);
    x->bound_two = take(a, depths, sizeof *x->bound_two);
    x->job_times = take(a, (size_t)x->n * (size_t)x->padded_m, sizeof *x->job_times);
    x->order = take(a, depths, sizeof *x->order);
    x->completion = take(a, (size_t)x->m, sizeof *x->completion);
    x->children_by_depth = take(a, depths * (size_t)x->columns, sizeof *x->children_by_depth);
    x->interval.a = take(a, depths, sizeof *x->interval.a);
    x->interval.b = take(a, depths, sizeof *x->interval.b);
    lay_out_frames(x, a);
    lay_out_pairs(x, a);
}

static void fill_root_table(flowshop_explorer *x)
{
    const mco_flowshop *shop = x->search->shop;
    table *t = &x->tables[0];
    frame *f = &x->frames[0];
    const int32_t pairs = t->vectors * PAIRS;
    for (int32_t k = 0; k < pairs; k++) {
        t->jobs[k] = k < x->n ? k : -1;
        ((pair *)f->dead)[k] = k < x->n ? 0 : (pair)-1;
        if (k < x->n)
            f->free[k / WORD_PAIRS] |= (uint64_t)1 << (k % WORD_PAIRS);
    }
    for (int32_t i = 0; i < x->m; i++)
        for (int32_t j = 0; j < x->n; j++)
            ((pair *)t->times)[(int64_t)i * pairs + j] = x->job_times[j * x->padded_m + i] =
                pair_make(mco_flowshop_time(shop, i, j), mco_flowshop_time(shop, x->m - 1 - i, j));
    f->table = t;
}

#endif
