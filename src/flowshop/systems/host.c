// SPDX-License-Identifier: MIT
// The host as a backend: a kernel is a loop over its threads, and a copy between devices is a memcpy between two sets
// of arrays. With it, tests without a GPU cover everything but the CUDA calls themselves.
#include <string.h>

#include "flowshop/systems/batch.h"

// is_done() is false so many times, so that callers that work in the meantime do so.
enum { POLLS = 3 };

typedef struct host_batch {
    flowshop_batch base;
    mco_context *ctx;
    flowshop_arrays sides[2]; // of the device that branches, and of a second device
    bool is_split;
    uint32_t survivor_counts[2];
    int polls;
} host_batch;

static mco_status create(mco_context *ctx, const flowshop_tables *tables, flowshop_operators operators,
                         const flowshop_batch_place *place, flowshop_batch **out)
{
    mco_status st = MCO_OK;
    host_batch *b = NULL;
    MCO_TRY(mco_alloc(ctx, &b, 1));
    b->base.tables = *tables;
    b->base.operators = operators;
    b->ctx = ctx;
    b->is_split = place->second != NULL;
    *out = &b->base;
done:
    return st;
}

static void release(host_batch *b)
{
    for (int i = 0; i < 2; i++) {
        flowshop_arrays *a = &b->sides[i];
        mco_free(b->ctx, &a->rows);
        mco_free(b->ctx, &a->offsets);
        mco_free(b->ctx, &a->words);
        mco_free(b->ctx, &a->ends);
        mco_free(b->ctx, &a->child_ends);
        mco_free(b->ctx, &a->bounds);
        mco_free(b->ctx, &a->survivors);
        mco_free(b->ctx, &a->counts);
    }
    b->base.host = (flowshop_arrays){0};
    b->base.child_room = b->base.father_room = 0;
}

static void destroy(mco_context *ctx, flowshop_batch **batch)
{
    host_batch *b = (host_batch *)(void *)*batch;
    if (b == NULL)
        return;
    release(b);
    mco_free(ctx, &b);
    *batch = NULL;
}

static mco_status resize(flowshop_batch *batch, int32_t children, int32_t fathers)
{
    mco_status st = MCO_OK;
    host_batch *b = (host_batch *)(void *)batch;
    const flowshop_batch_bytes room = flowshop_batch_room(&batch->tables, batch->operators, children, fathers);
    release(b);
    for (int i = 0; i < 1 + b->is_split; i++) {
        flowshop_arrays *a = &b->sides[i];
        MCO_TRY(mco_alloc_bytes(b->ctx, (void **)&a->rows, room.rows, 1));
        MCO_TRY(mco_alloc_bytes(b->ctx, (void **)&a->offsets, room.offsets, 1));
        MCO_TRY(mco_alloc_bytes(b->ctx, (void **)&a->words, room.words, 1));
        MCO_TRY(mco_alloc_bytes(b->ctx, (void **)&a->ends, room.ends, 1));
        MCO_TRY(mco_alloc_bytes(b->ctx, (void **)&a->child_ends, room.child_ends, 1));
        MCO_TRY(mco_alloc_bytes(b->ctx, (void **)&a->bounds, room.bounds, 1));
        MCO_TRY(mco_alloc_bytes(b->ctx, (void **)&a->survivors, room.survivors, 1));
        MCO_TRY(mco_alloc_bytes(b->ctx, (void **)&a->counts, room.counts, 1));
        a->survivor_count = &b->survivor_counts[i];
    }
    // The pool loop writes its input to the arrays of the first side and reads results from those of the last side.
    const flowshop_arrays *in = &b->sides[0], *out = &b->sides[b->is_split];
    batch->host = (flowshop_arrays){.rows = in->rows,
                                    .offsets = in->offsets,
                                    .words = in->words,
                                    .bounds = out->bounds,
                                    .survivors = out->survivors,
                                    .counts = out->counts,
                                    .survivor_count = out->survivor_count,
                                    .row_bytes = flowshop_row_bytes(batch->tables.jobs)};
    batch->child_room = children;
    batch->father_room = fathers;
    return MCO_OK;
done:
    release(b);
    return st;
}

// Copies what the second device needs from the first, as the CUDA backend does.
static void move(const flowshop_tables *t, const flowshop_arrays *from, flowshop_arrays *to)
{
    memcpy(to->rows, from->rows, (size_t)from->fathers * (size_t)from->row_bytes);
    memcpy(to->offsets, from->offsets, ((size_t)from->fathers + 1) * sizeof *to->offsets);
    memcpy(to->ends, from->ends, (size_t)(3 * t->machines + t->words) * (size_t)from->stride * sizeof *to->ends);
    memcpy(to->words, from->words, (size_t)from->children * sizeof *to->words);
    memcpy(to->child_ends, from->child_ends, (size_t)t->machines * (size_t)from->child_stride * sizeof *to->child_ends);
}

static void run_kernels(host_batch *b)
{
    const flowshop_tables *t = &b->base.tables;
    const flowshop_arrays *first = &b->sides[0], *last = &b->sides[b->is_split];
    for (int32_t s = 0; s < first->fathers; s++)
        flowshop_thread_ends(t, first, s);
    for (int32_t i = 0; i < first->children; i++)
        flowshop_thread_branch(t, first, flowshop_father_of(first->offsets, 0, first->fathers, i), i);
    if (b->is_split)
        move(t, first, &b->sides[1]);
    for (int32_t i = 0; i < last->children; i++)
        flowshop_thread_bound(t, last, i);
    *last->survivor_count = 0;
    for (int32_t s = 0; s < last->fathers && b->base.operators == FLOWSHOP_THREE_KERNELS; s++)
        flowshop_thread_prune(t, last, s);
}

static mco_status begin(flowshop_batch *batch)
{
    host_batch *b = (host_batch *)(void *)batch;
    const flowshop_tables *t = &batch->tables;
    const flowshop_arrays *a = &b->sides[0];
    for (int i = 0; i < 1 + b->is_split; i++)
        flowshop_batch_measure(batch, &b->sides[i]);
    b->polls = 0;
    if (batch->operators == FLOWSHOP_THREE_KERNELS || batch->operators == FLOWSHOP_BRANCH_AND_BOUND)
        run_kernels(b);
    for (int32_t s = 0; s < a->fathers && batch->operators == FLOWSHOP_WHOLE_NODE; s++)
        flowshop_thread_node(t, a, s);
    for (int32_t s = 0; s < a->fathers && batch->operators == FLOWSHOP_BOUND_ONLY; s++)
        flowshop_thread_ends(t, a, s);
    for (int32_t i = 0; i < a->children && batch->operators == FLOWSHOP_BOUND_ONLY; i++)
        flowshop_thread_bound_child(t, a, i);
    return MCO_OK;
}

static bool is_done(flowshop_batch *batch)
{
    host_batch *b = (host_batch *)(void *)batch;
    return ++b->polls > POLLS;
}

static mco_status finish(flowshop_batch *batch)
{
    (void)batch;
    return MCO_OK;
}

const flowshop_backend flowshop_host_backend = {"host", create, destroy, resize, begin, is_done, finish};
