// SPDX-License-Identifier: MIT
// Labels of all ancestors (hierarchical 2-hop labels: Ouyang, Qin, Chang, Lin, Zhang, Zhu 2018). Every vertex has the distances to and from each of its
// ancestors, in a row by depth. A shortest path has its vertex of greatest rank among the common ancestors of both ends, which are the
// first entries of both rows. So a distance is the least sum of two rows up to the number of common ancestors. Rows begin at a cache line and
// are padded by MCO_PATHS_NONE.
//
// Ancestors that end paths have no entry but the vertex's own; a single arc between two ends is looked up apart.
#include "base/pages.h"
#include "paths/hierarchy/query.h"

struct paths_labels {
    const mco_context *ctx;  // whose call may end
    const mco_paths_hierarchy *hierarchy;
    const paths_lanes *lanes;
    paths_ancestors ancestors;
    int64_t *row;       // [vertices + 1] where rows begin
    int32_t *up, *down; // [row[vertices]] distances to ancestors, and from them
    int32_t *size;      // [vertices] of the subtree; ranks v - size + 1 .. v
    int32_t *cell;      // [cells] roots of small subtrees, which threads take one by one
    int32_t cells;
};

static int64_t width(const paths_topology *t, int32_t v)
{
    return (t->depth[v] + PATHS_CHUNK) / PATHS_CHUNK * PATHS_CHUNK;
}

int64_t paths_labels_bytes(const paths_topology *topology)
{
    int64_t entries = 0;
    for (int32_t v = 0; v < topology->vertices; v++)
        entries += width(topology, v);
    return entries * 2 * (int64_t)sizeof(int32_t) + (int64_t)topology->vertices * 20;
}

// ---- Building

static void fill_row(const paths_labels *l, int32_t v)
{
    const paths_topology *t = &l->hierarchy->topology;
    const paths_metric *m = &l->hierarchy->metric;
    int32_t *up = l->up + l->row[v], *down = l->down + l->row[v];
    for (int64_t i = 0; i < width(t, v); i++)
        up[i] = down[i] = MCO_PATHS_NONE;
    for (int32_t a = t->first[v]; a < t->first[v + 1]; a++) {
        const int32_t x = t->head[a];
        if (t->is_end != NULL && t->is_end[x])
            continue;
        l->lanes->lower(up, l->up + l->row[x], m->up[a], t->depth[x] + 1);
        l->lanes->lower(down, l->down + l->row[x], m->down[a], t->depth[x] + 1);
    }
    up[t->depth[v]] = down[t->depth[v]] = 0;
}

static void fill_cell(void *shared, int worker, int64_t item)
{
    enum { LOOK = 256 };  // vertices between two looks at the end of the call
    const paths_labels *l = shared;
    const int32_t root = l->cell[item];
    (void)worker;
    for (int32_t v = root; v > root - l->size[root]; v--) {
        if (v % LOOK == 0 && mco_call_is_over(l->ctx))
            return;
        fill_row(l, v);
    }
}

// Chooses the cells: the largest subtrees of at most a share of the vertices. The vertices above them are filled here.
static void fill_top(paths_labels *l, int32_t threads)
{
    enum { CELLS_PER_THREAD = 8 };
    const paths_topology *t = &l->hierarchy->topology;
    const int32_t most = threads == 1 ? t->vertices : t->vertices / (threads * CELLS_PER_THREAD) + 1;
    l->cells = 0;
    for (int32_t v = t->vertices - 1; v >= 0; v--)
        if (l->size[v] > most)
            fill_row(l, v);
        else {
            l->cell[l->cells++] = v;
            v -= l->size[v] - 1;
        }
}

mco_status paths_labels_weigh(mco_context *ctx, paths_labels *labels, int32_t threads)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    fill_top(labels, threads);
    for (int64_t cell = 0; threads == 1 && cell < labels->cells; cell++)
        fill_cell(labels, 0, cell);
    if (threads > 1) {
        MCO_TRY(mco_team_open(ctx, threads, false, &team));
        mco_team_run(&team, labels->cells, fill_cell, NULL, labels);
    }
    MCO_TRY(mco_call_in_time(ctx, 0));
done:
    mco_team_close(&team);
    return st;
}

static void measure(const paths_topology *t, paths_labels *l)
{
    for (int32_t v = 0; v < t->vertices; v++) {
        l->row[v + 1] = l->row[v] + width(t, v);
        l->size[v]++;
        if (t->parent[v] >= 0)
            l->size[t->parent[v]] += l->size[v];
    }
}

mco_status paths_labels_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, int32_t threads,
                             paths_labels **out)
{
    mco_status st = MCO_OK;
    const int32_t n = hierarchy->topology.vertices;
    paths_labels *l = NULL;
    MCO_TRY(mco_alloc(ctx, &l, 1));
    l->ctx = ctx;
    l->hierarchy = hierarchy;
    MCO_TRY(paths_lanes_find(ctx, simd, &l->lanes));
    MCO_TRY(paths_ancestors_open(ctx, &hierarchy->topology, &l->ancestors));
    MCO_TRY(mco_alloc(ctx, &l->row, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &l->size, n));
    MCO_TRY(mco_alloc(ctx, &l->cell, n));
    measure(&hierarchy->topology, l);
    MCO_TRY(mco_alloc(ctx, &l->up, l->row[n]));
    MCO_TRY(mco_alloc(ctx, &l->down, l->row[n]));
    mco_advise_huge(l->up, (size_t)l->row[n] * sizeof *l->up);
    mco_advise_huge(l->down, (size_t)l->row[n] * sizeof *l->down);
    MCO_TRY(paths_labels_weigh(ctx, l, threads));
    *out = l;
    l = NULL;
done:
    paths_labels_close(ctx, &l);
    return st;
}

void paths_labels_close(mco_context *ctx, paths_labels **labels)
{
    paths_labels *l = *labels;
    if (l != NULL) {
        mco_free(ctx, &l->down);
        mco_free(ctx, &l->up);
        mco_free(ctx, &l->cell);
        mco_free(ctx, &l->size);
        mco_free(ctx, &l->row);
        paths_ancestors_close(ctx, &l->ancestors);
    }
    mco_free(ctx, labels);
}

const int32_t *paths_labels_up(const paths_labels *labels, int32_t rank)
{
    return labels->up + labels->row[rank];
}

const int32_t *paths_labels_down(const paths_labels *labels, int32_t rank)
{
    return labels->down + labels->row[rank];
}

// ---- Distances

int32_t paths_between_ends(const mco_paths_hierarchy *hierarchy, int32_t source_rank, int32_t target_rank)
{
    const paths_topology *t = &hierarchy->topology;
    const bool is_up = source_rank < target_rank;
    const int32_t low = is_up ? source_rank : target_rank, high = is_up ? target_rank : source_rank;
    if (t->is_end == NULL || !t->is_end[low] || !t->is_end[high])
        return MCO_PATHS_NONE;
    for (int32_t a = t->first[low]; a < t->first[low + 1]; a++)
        if (t->head[a] == high)
            return is_up ? hierarchy->metric.up[a] : hierarchy->metric.down[a];
    return MCO_PATHS_NONE;
}

static int32_t sum_rows(const paths_labels *l, int32_t source, int32_t target, int32_t common)
{
    const int32_t least = l->lanes->least_sum(l->up + l->row[source], l->down + l->row[target], common);
    const int32_t between = paths_between_ends(l->hierarchy, source, target);
    return between < least ? between : least;
}

int32_t paths_labels_distance(const paths_labels *labels, int32_t source_rank, int32_t target_rank)
{
    return sum_rows(labels, source_rank, target_rank, paths_common(&labels->ancestors, source_rank, target_rank));
}

// Asks for the lines of both rows.
static void prefetch(const paths_labels *l, int32_t source, int32_t target, int32_t common)
{
    enum { LINE = 16 };
    for (int32_t i = 0; i < common; i += LINE) {
        __builtin_prefetch(l->up + l->row[source] + i);
        __builtin_prefetch(l->down + l->row[target] + i);
    }
}

void paths_labels_distances(const paths_labels *labels, int64_t count, const int32_t *source_rank, const int32_t *target_rank,
                            int32_t *distance)
{
    enum { AHEAD = 8, ROWS_AHEAD = 16 };
    int32_t common[AHEAD];
    for (int64_t q = -ROWS_AHEAD; q < count; q++) {
        const int64_t rows = q + ROWS_AHEAD, lines = q + AHEAD;
        if (rows < count) {
            __builtin_prefetch(labels->row + source_rank[rows]);
            __builtin_prefetch(labels->row + target_rank[rows]);
        }
        if (q >= 0)
            distance[q] = sum_rows(labels, source_rank[q], target_rank[q], common[q % AHEAD]);
        if (lines >= 0 && lines < count) {
            common[lines % AHEAD] = paths_common(&labels->ancestors, source_rank[lines], target_rank[lines]);
            prefetch(labels, source_rank[lines], target_rank[lines], common[lines % AHEAD]);
        }
    }
}
