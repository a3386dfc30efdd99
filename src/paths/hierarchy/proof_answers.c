// SPDX-License-Identifier: MIT
// Finds the answers of routes again (proof.h): plain loops over the arcs up, and rows of labels that are tested against each other.
#include "paths/hierarchy/proof.h"

#include <string.h>

enum { NONE = MCO_PATHS_NONE };

mco_status paths_recheck_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_recheck *out)
{
    mco_status st = MCO_OK;
    paths_recheck r = {.hierarchy = hierarchy};
    MCO_TRY(mco_alloc(ctx, &r.from, hierarchy->topology.height));
    MCO_TRY(mco_alloc(ctx, &r.to, hierarchy->topology.height));
    *out = r;
    r = (paths_recheck){0};
done:
    paths_recheck_close(ctx, &r);
    return st;
}

void paths_recheck_close(mco_context *ctx, paths_recheck *recheck)
{
    mco_free(ctx, &recheck->to);
    mco_free(ctx, &recheck->from);
    *recheck = (paths_recheck){0};
}

static bool is_end(const paths_topology *t, int32_t v)
{
    return t->is_end != NULL && t->is_end[v];
}

static int32_t height_of(const paths_topology *t, int32_t v)
{
    return t->height - 1 - t->depth[v];
}

// ---- Pairs

void paths_recheck_way(const paths_topology *t, const int32_t *weight, int32_t vertex, int32_t *label)
{
    int32_t i = height_of(t, vertex);
    for (int32_t k = i; k < t->height; k++)
        label[k] = NONE;
    label[i] = 0;
    for (int32_t x = vertex; x >= 0; x = t->parent[x], i++) {
        const int32_t d = label[i];
        if (d >= NONE || (is_end(t, x) && x != vertex))
            continue;
        const int32_t tail = t->tail_at[x], count = t->first[x + 1] - tail;
        for (int32_t a = t->first[x]; a < tail; a++) {
            int32_t *at = &label[t->head_height[a]];
            *at = d + weight[a] < *at ? d + weight[a] : *at;
        }
        int32_t *restrict at = &label[count > 0 ? t->head_height[tail] : 0];
        const int32_t *restrict by = weight + tail;
        for (int32_t k = 0; k < count; k++)  // heads are the following ancestors
            at[k] = d + by[k] < at[k] ? d + by[k] : at[k];
    }
}

// The least common ancestor; -1: none. Ranks are a post-order, so the first ancestor of the lower one from the higher one on is it.
static int32_t meet(const paths_topology *t, int32_t a, int32_t b)
{
    int32_t x = a < b ? a : b;
    const int32_t high = a < b ? b : a;
    while (x >= 0 && x < high)
        x = t->parent[x];
    return x;
}

int32_t paths_recheck_pair(paths_recheck *recheck, int32_t source_rank, int32_t target_rank)
{
    const paths_topology *t = &recheck->hierarchy->topology;
    const paths_metric *m = &recheck->hierarchy->metric;
    const int32_t *from = recheck->from, *to = recheck->to;
    int32_t least = NONE, x = meet(t, source_rank, target_rank);
    if (x < 0)
        return NONE;
    paths_recheck_way(t, m->up, source_rank, recheck->from);
    paths_recheck_way(t, m->down, target_rank, recheck->to);
    for (int32_t i = height_of(t, x); i < t->height; i++, x = t->parent[x])
        if (from[i] + to[i] < least && (!is_end(t, x) || x == source_rank || x == target_rank))
            least = from[i] + to[i];
    return least;
}

// ---- Labels of all ancestors

int32_t paths_recheck_labels(paths_recheck *recheck, const paths_labels *labels, int32_t source_rank, int32_t target_rank)
{
    const paths_topology *t = &recheck->hierarchy->topology;
    const int32_t x = meet(t, source_rank, target_rank);
    int32_t least = NONE;
    if (is_end(t, source_rank) && is_end(t, target_rank))  // an arc between them stands in no label
        return paths_recheck_pair(recheck, source_rank, target_rank);
    const int32_t *up = paths_labels_up(labels, source_rank), *down = paths_labels_down(labels, target_rank);
    for (int32_t i = 0; x >= 0 && i <= t->depth[x]; i++)
        least = up[i] + down[i] < least ? up[i] + down[i] : least;
    return least;
}

enum { BLOCK = 1024 };  // vertices of an item

typedef struct labels_proof {
    paths_stopper *stopper;
    const mco_paths_hierarchy *hierarchy;
    const paths_labels *labels;
    int32_t *row;          // [workers][height]
    atomic_int fault;      // a vertex with a wrong row; -1: none
} labels_proof;

// Whether the row of v, up or down, is what the rows of its upper neighbours give.
static bool is_row(const labels_proof *p, int32_t v, const int32_t *weight, const int32_t *(*row_of)(const paths_labels *, int32_t),
                   int32_t *restrict expected)
{
    const paths_topology *t = &p->hierarchy->topology;
    const int32_t depth = t->depth[v];
    for (int32_t i = 0; i < depth; i++)
        expected[i] = NONE;
    expected[depth] = 0;
    for (int32_t a = t->first[v]; a < t->first[v + 1]; a++) {
        const int32_t x = t->head[a], w = weight[a], count = is_end(t, x) ? 0 : t->depth[x] + 1;
        const int32_t *restrict upper = row_of(p->labels, x);
        for (int32_t i = 0; i < count; i++)
            expected[i] = w + upper[i] < expected[i] ? w + upper[i] : expected[i];
    }
    return memcmp(expected, row_of(p->labels, v), ((size_t)depth + 1) * sizeof *expected) == 0;
}

static void prove_block(void *shared, int worker, int64_t item)
{
    labels_proof *p = shared;
    const paths_topology *t = &p->hierarchy->topology;
    const int32_t begin = (int32_t)item * BLOCK, end = t->vertices - begin < BLOCK ? t->vertices : begin + BLOCK;
    int32_t *row = p->row + (int64_t)worker * t->height;
    for (int32_t v = begin; v < end && !paths_stopper_is_set(p->stopper); v++)
        if (!is_row(p, v, p->hierarchy->metric.up, paths_labels_up, row) || !is_row(p, v, p->hierarchy->metric.down, paths_labels_down, row))
            atomic_store(&p->fault, v);
}

static double watch(void *shared)
{
    labels_proof *p = shared;
    return paths_stopper_watch(p->stopper);
}

mco_status paths_labels_prove(mco_context *ctx, const paths_labels *labels, const mco_paths_hierarchy *hierarchy, mco_team *team,
                              int32_t workers, paths_stopper *stopper)
{
    mco_status st = MCO_OK;
    labels_proof p = {.stopper = stopper, .hierarchy = hierarchy, .labels = labels, .fault = -1};
    MCO_TRY(mco_alloc(ctx, &p.row, (int64_t)workers * hierarchy->topology.height));
    mco_team_run(team, (hierarchy->topology.vertices + BLOCK - 1) / BLOCK, prove_block, watch, &p);
    if (paths_stopper_is_set(stopper))
        MCO_TRY(mco_fail(ctx, MCO_ERR_STOPPED, "stopped while labels were certified"));
    if (atomic_load(&p.fault) >= 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "the labels of the vertex of rank %d fail their certificate", atomic_load(&p.fault)));
done:
    mco_free(ctx, &p.row);
    return st;
}
