// SPDX-License-Identifier: MIT
// Trees over a hierarchy (PHAST: Delling, Goldberg, Nowatzyk, Werneck 2013): up from the source along its ancestors, then every vertex takes
// the least sum over its upper neighbours, which are final before it. One tree: vertices are sorted by (level, degree), so that 16 rows
// of about equal length make a chunk, and one gather reads 16 heads. Many trees: lanes of a vector are trees.
//
// Ends of paths are the lowest vertices. An arc down from an end serves the tree of that end alone, as its first step; in the sweep
// it has the weight MCO_PATHS_NONE.
#include "paths/hierarchy/query.h"

// ---- Batches

static bool is_end(const paths_topology *t, int32_t v)
{
    return t->is_end != NULL && t->is_end[v];
}

mco_status paths_batches_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_batches *out)
{
    mco_status st = MCO_OK;
    paths_batches b = {.hierarchy = hierarchy};
    MCO_TRY(paths_lanes_find(ctx, simd, &b.lanes));
    if (hierarchy->topology.is_end != NULL)
        MCO_TRY(mco_alloc(ctx, &b.down, hierarchy->topology.arcs));
    paths_batches_weigh(&b);
    *out = b;
done:
    return st;
}

void paths_batches_weigh(paths_batches *batches)
{
    const paths_topology *t = &batches->hierarchy->topology;
    for (int32_t a = 0; batches->down != NULL && a < t->arcs; a++)
        batches->down[a] = t->is_end[t->head[a]] ? MCO_PATHS_NONE : batches->hierarchy->metric.down[a];
}

void paths_batches_close(mco_context *ctx, paths_batches *batches)
{
    mco_free(ctx, &batches->down);
    *batches = (paths_batches){0};
}

mco_status paths_batch_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_batch *out)
{
    mco_status st = MCO_OK;
    paths_batch b = {0};
    MCO_TRY(paths_climb_open(ctx, hierarchy, &b.climb));
    MCO_TRY(mco_alloc(ctx, &b.ancestors, hierarchy->topology.height));
    MCO_TRY(mco_alloc(ctx, &b.is_begun, hierarchy->topology.vertices));
    *out = b;
    b = (paths_batch){0};
done:
    paths_batch_close(ctx, &b);
    return st;
}

void paths_batch_close(mco_context *ctx, paths_batch *batch)
{
    mco_free(ctx, &batch->is_begun);
    mco_free(ctx, &batch->ancestors);
    paths_climb_close(ctx, &batch->climb);
    *batch = (paths_batch){0};
}

// The row of a vertex before the sweep.
static int32_t *begin_row(paths_batch *batch, int32_t lanes, int32_t vertex, int32_t *label)
{
    int32_t *row = label + (int64_t)vertex * lanes;
    if (!batch->is_begun[vertex])
        for (int32_t j = 0; j < lanes; j++)
            row[j] = MCO_PATHS_NONE;
    batch->is_begun[vertex] = true;
    return row;
}

// Labels of the ancestors of a source, and of the ends that its arcs lead down to.
static void begin_lane(const paths_batches *batches, paths_batch *batch, int32_t lanes, int32_t lane, int32_t source, int32_t *label)
{
    const paths_topology *t = &batches->hierarchy->topology;
    const paths_metric *m = &batches->hierarchy->metric;
    int32_t depth = t->depth[source];
    batches->lanes->climb(&batch->climb, m->up, source, batch->ancestors);
    for (int32_t x = source; x >= 0; x = t->parent[x], depth--)
        begin_row(batch, lanes, x, label)[lane] = batch->ancestors[depth];
    if (!is_end(t, source))
        return;
    for (int32_t k = t->down_first[source]; k < t->down_first[source + 1]; k++)
        begin_row(batch, lanes, t->down_tail[k], label)[lane] = m->down[t->down_arc[k]];
    for (int32_t a = t->first[source]; a < t->first[source + 1]; a++)
        if (is_end(t, t->head[a]))
            begin_row(batch, lanes, t->head[a], label)[lane] = m->up[a];
}

bool paths_batch_sweep(const paths_batches *batches, paths_batch *batch, int32_t lanes, int32_t count, const int32_t *source_rank,
                       int32_t *label, const atomic_bool *stop)
{
    const paths_topology *t = &batches->hierarchy->topology;
    const paths_lane_rows rows = {.vertices = t->vertices,
                                  .first = t->first,
                                  .head = t->head,
                                  .weight = batches->down != NULL ? batches->down : batches->hierarchy->metric.down,
                                  .is_begun = batch->is_begun,
                                  .label = label};
    for (int32_t j = 0; j < count; j++)
        begin_lane(batches, batch, lanes, j, source_rank[j], label);
    return batches->lanes->sweep_many(&rows, lanes, stop);
}

// ---- One tree

struct paths_sweep {
    const mco_paths_hierarchy *hierarchy;
    paths_chunks chunks;
    int64_t *first;   // [chunks + 1]
    int32_t *head;    // [16 * slots] places
    int32_t *arc;     // [16 * slots] of the hierarchy, -1: none
    int32_t *weight;  // [16 * slots]
    int32_t *label;   // [16 * chunks]
    bool *is_begun;   // [chunks]
    int32_t *place;   // [vertices] by rank
    int32_t *place_of;  // [vertices of the network] by the network's vertices
    int32_t outside;  // vertices of the network
    int64_t metric_number;  // of the weights
    paths_batches batches;
    paths_batch batch;
};

// What sorting needs. Places are 16 times chunk plus lane.
typedef struct sorting {
    int32_t *level;   // [vertices]
    int32_t *order;   // [vertices] ranks by (level, degree)
    int32_t *count;   // [most keys + 1]
} sorting;

static int32_t degree(const paths_topology *t, int32_t v)
{
    return t->first[v + 1] - t->first[v];
}

// Levels are lengths of longest ways from above. Returns the number of levels.
static int32_t find_levels(const paths_topology *t, int32_t *level)
{
    int32_t levels = 0;
    for (int32_t v = t->vertices - 1; v >= 0; v--) {
        level[v] = 0;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++)
            level[v] = level[t->head[a]] >= level[v] ? level[t->head[a]] + 1 : level[v];
        levels = level[v] >= levels ? level[v] + 1 : levels;
    }
    return levels;
}

// One pass of a sort by counting: out gets the items of `in`, stable by key.
static void sort_by(const int32_t *key, int32_t keys, int32_t items, const int32_t *in, int32_t *count, int32_t *out)
{
    for (int32_t k = 0; k <= keys; k++)
        count[k] = 0;
    for (int32_t i = 0; i < items; i++)
        count[key[in[i]] + 1]++;
    for (int32_t k = 0; k < keys; k++)
        count[k + 1] += count[k];
    for (int32_t i = 0; i < items; i++)
        out[count[key[in[i]]]++] = in[i];
}

// Sorts ranks by (level, degree) into s->order. `other` is scratch [vertices].
static void sort_rows(const paths_topology *t, sorting *s, int32_t levels, int32_t *degrees, int32_t *other)
{
    for (int32_t v = 0; v < t->vertices; v++) {
        s->order[v] = v;
        degrees[v] = degree(t, v);
    }
    sort_by(degrees, t->height, t->vertices, s->order, s->count, other);
    sort_by(s->level, levels, t->vertices, other, s->count, s->order);
}

// Gives places, a level to whole chunks, and returns the number of chunks.
static int32_t give_places(const paths_topology *t, const sorting *s, int32_t *place)
{
    int32_t at = 0;
    for (int32_t i = 0; i < t->vertices; i++) {
        if (i > 0 && s->level[s->order[i]] != s->level[s->order[i - 1]])
            at = (at + PATHS_CHUNK - 1) / PATHS_CHUNK * PATHS_CHUNK;
        place[s->order[i]] = at++;
    }
    return (at + PATHS_CHUNK - 1) / PATHS_CHUNK;
}

static mco_status find_places(mco_context *ctx, const paths_topology *t, int32_t *place, int32_t *chunks)
{
    mco_status st = MCO_OK;
    sorting s = {0};
    int32_t *degrees = NULL, *other = NULL;
    MCO_TRY(mco_alloc(ctx, &s.level, t->vertices));
    MCO_TRY(mco_alloc(ctx, &s.order, t->vertices));
    MCO_TRY(mco_alloc(ctx, &s.count, t->height + 1));
    MCO_TRY(mco_alloc(ctx, &degrees, t->vertices));
    MCO_TRY(mco_alloc(ctx, &other, t->vertices));
    const int32_t levels = find_levels(t, s.level);  // at most the height
    sort_rows(t, &s, levels, degrees, other);
    *chunks = give_places(t, &s, place);
done:
    mco_free(ctx, &other);
    mco_free(ctx, &degrees);
    mco_free(ctx, &s.count);
    mco_free(ctx, &s.order);
    mco_free(ctx, &s.level);
    return st;
}

// Lays out the arcs: slot k of a chunk has the k-th arc of each of its rows.
static mco_status fill_slots(mco_context *ctx, const paths_topology *t, paths_sweep *s)
{
    mco_status st = MCO_OK;
    const int32_t chunks = s->chunks.count;
    for (int32_t v = 0; v < t->vertices; v++) {
        int64_t *most = &s->first[s->place[v] / PATHS_CHUNK + 1];
        *most = degree(t, v) > *most ? degree(t, v) : *most;
    }
    for (int32_t c = 0; c < chunks; c++)
        s->first[c + 1] += s->first[c];
    const int64_t items = s->first[chunks] * PATHS_CHUNK;
    MCO_TRY(mco_alloc(ctx, &s->head, items));
    MCO_TRY(mco_alloc(ctx, &s->arc, items));
    MCO_TRY(mco_alloc(ctx, &s->weight, items));
    for (int64_t i = 0; i < items; i++)
        s->arc[i] = -1;
    for (int32_t v = 0; v < t->vertices; v++)
        for (int32_t k = 0; k < degree(t, v); k++) {
            const int64_t i = (s->first[s->place[v] / PATHS_CHUNK] + k) * PATHS_CHUNK + s->place[v] % PATHS_CHUNK;
            s->arc[i] = t->first[v] + k;
            s->head[i] = s->place[t->head[s->arc[i]]];
        }
done:
    return st;
}

mco_status paths_sweep_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_sweep **out)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &hierarchy->topology;
    paths_sweep *s = NULL;
    MCO_TRY(mco_alloc(ctx, &s, 1));
    s->hierarchy = hierarchy;
    s->outside = hierarchy->network->rows.vertices;
    MCO_TRY(paths_batches_open(ctx, hierarchy, simd, &s->batches));
    MCO_TRY(paths_batch_open(ctx, hierarchy, &s->batch));
    MCO_TRY(mco_alloc(ctx, &s->place, t->vertices));
    MCO_TRY(mco_alloc(ctx, &s->place_of, s->outside));
    MCO_TRY(find_places(ctx, t, s->place, &s->chunks.count));
    MCO_TRY(mco_alloc(ctx, &s->first, s->chunks.count + 1));
    MCO_TRY(mco_alloc(ctx, &s->label, (int64_t)PATHS_CHUNK * s->chunks.count));
    MCO_TRY(mco_alloc(ctx, &s->is_begun, s->chunks.count));
    MCO_TRY(fill_slots(ctx, t, s));
    for (int32_t v = 0; v < s->outside; v++)
        s->place_of[v] = s->place[paths_target_rank(hierarchy, v)];
    s->chunks = (paths_chunks){s->chunks.count, s->first, s->head, s->weight, s->label, s->is_begun};
    paths_sweep_weigh(s);
    *out = s;
    s = NULL;
done:
    paths_sweep_close(ctx, &s);
    return st;
}

void paths_sweep_weigh(paths_sweep *sweep)
{
    const paths_sweep *s = sweep;
    sweep->metric_number = s->hierarchy->metric_number;
    const int64_t items = s->first[s->chunks.count] * PATHS_CHUNK;
    paths_batches_weigh(&sweep->batches);
    const int32_t *down = s->batches.down != NULL ? s->batches.down : s->hierarchy->metric.down;
    for (int64_t i = 0; i < items; i++)
        s->weight[i] = s->arc[i] >= 0 ? down[s->arc[i]] : MCO_PATHS_NONE;
}

void paths_sweep_refresh(paths_sweep *sweep)
{
    if (sweep->metric_number != sweep->hierarchy->metric_number)
        paths_sweep_weigh(sweep);
}

const paths_lanes *paths_sweep_lanes(const paths_sweep *sweep)
{
    return sweep->batches.lanes;
}

static int32_t *begin_place(const paths_sweep *s, int32_t vertex)
{
    const int32_t chunk = s->place[vertex] / PATHS_CHUNK;
    int32_t *label = s->label + (int64_t)chunk * PATHS_CHUNK;
    if (!s->is_begun[chunk])
        for (int j = 0; j < PATHS_CHUNK; j++)
            label[j] = MCO_PATHS_NONE;
    s->is_begun[chunk] = true;
    return &s->label[s->place[vertex]];
}

bool paths_sweep_labels(paths_sweep *sweep, int32_t source_rank, const atomic_bool *stop)
{
    paths_sweep *s = sweep;
    const int32_t source = source_rank;
    const paths_topology *t = &s->hierarchy->topology;
    const paths_metric *m = &s->hierarchy->metric;
    int32_t depth = t->depth[source];
    s->batches.lanes->climb(&s->batch.climb, m->up, source, s->batch.ancestors);
    for (int32_t x = source; x >= 0; x = t->parent[x], depth--)
        *begin_place(s, x) = s->batch.ancestors[depth];
    if (is_end(t, source)) {
        for (int32_t k = t->down_first[source]; k < t->down_first[source + 1]; k++)
            *begin_place(s, t->down_tail[k]) = m->down[t->down_arc[k]];
        for (int32_t a = t->first[source]; a < t->first[source + 1]; a++)
            if (is_end(t, t->head[a]))
                *begin_place(s, t->head[a]) = m->up[a];
    }
    return s->batches.lanes->sweep_one(&s->chunks, stop);
}

void paths_sweep_tree(paths_sweep *sweep, int32_t source_rank, int32_t *distance)
{
    paths_sweep_labels(sweep, source_rank, NULL);
    sweep->batches.lanes->copy(sweep->label, sweep->place_of, sweep->outside, distance);
}

void paths_sweep_trees(paths_sweep *sweep, int32_t lanes, const int32_t *source_rank, int32_t *distance)
{
    paths_batch_sweep(&sweep->batches, &sweep->batch, lanes, lanes, source_rank, distance, NULL);
}

void paths_sweep_close(mco_context *ctx, paths_sweep **sweep)
{
    paths_sweep *s = *sweep;
    if (s != NULL) {
        mco_free(ctx, &s->weight);
        mco_free(ctx, &s->arc);
        mco_free(ctx, &s->head);
        mco_free(ctx, &s->is_begun);
        mco_free(ctx, &s->label);
        mco_free(ctx, &s->first);
        mco_free(ctx, &s->place_of);
        mco_free(ctx, &s->place);
        paths_batch_close(ctx, &s->batch);
        paths_batches_close(ctx, &s->batches);
    }
    mco_free(ctx, sweep);
}
