// SPDX-License-Identifier: MIT
// Distances from every source to every target. Labels of all ancestors are found for these vertices alone, by their ways up. Targets are
// sorted by rank and stand in panels of 16, labels of one depth side by side; sources are sorted too and taken 8 at a time. A
// panel takes one vector for each depth that its targets share with the source, so a distance costs a sixteenth of that.
// O((sources + targets) * arcs of a way up + sources * targets * common ancestors / 16).
//
// Then the metric is proven, and the matrix is found again by sweeps and compared (proof.h).
#include <stdio.h>
#include <stdlib.h>

#include "base/machine.h"
#include "base/structs.h"
#include "paths/hierarchy/proof.h"
#include "paths/hierarchy/reach.h"

enum { SOURCES = 8 };  // of an item: their labels stay in the first-level cache

typedef struct entry {
    int32_t rank;
    int64_t index;  // of the caller
} entry;

typedef struct panel {
    int32_t *down;                // [height][16]
    int32_t after[PATHS_CHUNK];   // common ancestors of the first target and of target j, for sources below
    int32_t before[PATHS_CHUNK];  // of target j and the last one, for sources above
    int32_t low, high;            // ranks of both ends
    int32_t next;                 // common ancestors of the first target and the next panel's first one
} panel;

typedef struct matrix {
    paths_stopper stopper;   // first, for paths_stopper_watch()
    const mco_paths_hierarchy *hierarchy;
    const paths_lanes *lanes;
    const int32_t *sources_given, *targets_given;
    paths_ancestors ancestors;
    int64_t sources, targets;
    entry *source, *target;  // sorted by rank
    int32_t *place;          // [targets] of the caller's target among the sorted ones
    panel *panels;
    int64_t panel_count;
    int32_t *labels;         // of all panels
    int32_t *distance;
    struct worker {
        paths_climb climb;
        int32_t *up;         // [SOURCES][height]
        int32_t *row;        // [SOURCES][16 * panels]
        int64_t reached;
    } *worker;
    int workers;
} matrix;

static int by_rank(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

// ---- Panels

static void describe_panel(matrix *m, int64_t k)
{
    panel *p = &m->panels[k];
    int32_t rank[PATHS_CHUNK];
    for (int j = 0; j < PATHS_CHUNK; j++) {
        const int64_t t = k * PATHS_CHUNK + j;
        rank[j] = m->target[t < m->targets ? t : m->targets - 1].rank;
    }
    p->low = rank[0];
    p->high = rank[PATHS_CHUNK - 1];
    p->next = INT32_MAX;
    if ((k + 1) * PATHS_CHUNK < m->targets)
        p->next = paths_common(&m->ancestors, p->low, m->target[(k + 1) * PATHS_CHUNK].rank);
    for (int j = 0; j < PATHS_CHUNK; j++) {
        p->after[j] = paths_common(&m->ancestors, p->low, rank[j]);
        p->before[j] = paths_common(&m->ancestors, rank[j], p->high);
    }
}

static void fill_panel(void *shared, int worker, int64_t item)
{
    matrix *m = shared;
    struct worker *w = &m->worker[worker];
    const paths_topology *t = &m->hierarchy->topology;
    if (paths_stopper_is_set(&m->stopper))
        return;
    panel *p = &m->panels[item];
    describe_panel(m, item);
    for (int j = 0; j < PATHS_CHUNK; j++) {
        const int64_t k = item * PATHS_CHUNK + j;
        const int32_t rank = m->target[k < m->targets ? k : m->targets - 1].rank;
        if (j == 0 || rank != m->target[k < m->targets ? k - 1 : m->targets - 1].rank)
            m->lanes->climb(&w->climb, m->hierarchy->metric.down, rank, w->up);
        for (int32_t d = 0; d <= t->depth[rank]; d++)
            p->down[(int64_t)d * PATHS_CHUNK + j] = w->up[d];
    }
}

// ---- Rows

static void take_panel(const matrix *m, const panel *p, const int32_t inner[PATHS_CHUNK], int32_t near, const int32_t *up, int32_t *row)
{
    paths_panel of = {.down = p->down, .inner = inner, .near = near, .least = near, .most = 0};
    for (int j = 0; j < PATHS_CHUNK; j++) {
        const int32_t common = inner[j] < near ? inner[j] : near;
        of.least = common < of.least ? common : of.least;
        of.most = common > of.most ? common : of.most;
    }
    m->lanes->panel(&of, up, row);
}

// The panel in whose range the source is.
static void take_own_panel(const matrix *m, int64_t k, int32_t source, const int32_t *up, int32_t *row)
{
    int32_t common[PATHS_CHUNK];
    for (int j = 0; j < PATHS_CHUNK; j++) {
        const int64_t t = k * PATHS_CHUNK + j;
        common[j] = paths_common(&m->ancestors, source, m->target[t < m->targets ? t : m->targets - 1].rank);
    }
    take_panel(m, &m->panels[k], common, INT32_MAX, up, row);
}

static void take_any_panel(const matrix *m, int64_t k, int32_t source, const int32_t *up, int32_t *row)
{
    const panel *p = &m->panels[k];
    if (source < p->low)
        take_panel(m, p, p->after, paths_common(&m->ancestors, source, p->low), up, row);
    else if (source > p->high)
        take_panel(m, p, p->before, paths_common(&m->ancestors, p->high, source), up, row);
    else
        take_own_panel(m, k, source, up, row);
}

// Arcs between two vertices that end paths stand in no label.
static void lower_ends(const matrix *m, int32_t source, int32_t *row)
{
    const paths_topology *t = &m->hierarchy->topology;
    if (t->is_end == NULL || !t->is_end[source])
        return;
    for (int64_t k = 0; k < m->targets; k++) {
        const int32_t between = paths_between_ends(m->hierarchy, source, m->target[k].rank);
        row[k] = between < row[k] ? between : row[k];
    }
}

// A vertex that was split for its turns begins and ends at two places.
static void zero_own(const matrix *m, int64_t i, int32_t *out)
{
    for (int64_t k = 0; m->hierarchy->entry != NULL && k < m->targets; k++)
        if (m->targets_given[k] == m->sources_given[i])
            out[k] = 0;
}

static void fill_rows(void *shared, int worker, int64_t item)
{
    matrix *m = shared;
    struct worker *w = &m->worker[worker];
    const int32_t height = m->hierarchy->topology.height;
    const int64_t begin = item * SOURCES, stride = m->panel_count * PATHS_CHUNK;
    const int count = (int)(m->sources - begin < SOURCES ? m->sources - begin : SOURCES);
    if (paths_stopper_is_set(&m->stopper))
        return;
    for (int i = 0; i < count; i++)
        m->lanes->climb(&w->climb, m->hierarchy->metric.up, m->source[begin + i].rank, w->up + (int64_t)i * height);
    for (int64_t k = 0; k < m->panel_count; k++)
        for (int i = 0; i < count; i++)
            take_any_panel(m, k, m->source[begin + i].rank, w->up + (int64_t)i * height, w->row + i * stride + k * PATHS_CHUNK);
    for (int i = 0; i < count; i++) {
        int32_t *out = m->distance + m->source[begin + i].index * m->targets;
        lower_ends(m, m->source[begin + i].rank, w->row + i * stride);
        m->lanes->copy(w->row + i * stride, m->place, (int32_t)m->targets, out);
        zero_own(m, m->source[begin + i].index, out);
        for (int64_t k = 0; k < m->targets; k++)
            w->reached += out[k] < MCO_PATHS_NONE;
    }
}

// ---- All of it

static void close_matrix(mco_context *ctx, matrix *m)
{
    for (int k = 0; m->worker != NULL && k < m->workers; k++) {
        mco_free(ctx, &m->worker[k].row);
        mco_free(ctx, &m->worker[k].up);
        paths_climb_close(ctx, &m->worker[k].climb);
    }
    mco_free(ctx, &m->worker);
    mco_free(ctx, &m->labels);
    mco_free(ctx, &m->panels);
    mco_free(ctx, &m->place);
    mco_free(ctx, &m->target);
    mco_free(ctx, &m->source);
    paths_ancestors_close(ctx, &m->ancestors);
}

static mco_status open_matrix(mco_context *ctx, matrix *m)
{
    mco_status st = MCO_OK;
    const int32_t height = m->hierarchy->topology.height;
    m->panel_count = (m->targets + PATHS_CHUNK - 1) / PATHS_CHUNK;
    MCO_TRY(paths_ancestors_open(ctx, &m->hierarchy->topology, &m->ancestors));
    MCO_TRY(mco_alloc(ctx, &m->source, m->sources));
    MCO_TRY(mco_alloc(ctx, &m->target, m->targets));
    MCO_TRY(mco_alloc(ctx, &m->place, m->targets));
    MCO_TRY(mco_alloc(ctx, &m->panels, m->panel_count));
    MCO_TRY(mco_alloc(ctx, &m->labels, m->panel_count * height * PATHS_CHUNK));
    MCO_TRY(mco_alloc(ctx, &m->worker, m->workers));
    for (int k = 0; k < m->workers; k++) {
        MCO_TRY(paths_climb_open(ctx, m->hierarchy, &m->worker[k].climb));
        MCO_TRY(mco_alloc(ctx, &m->worker[k].up, (int64_t)SOURCES * height));
        MCO_TRY(mco_alloc(ctx, &m->worker[k].row, SOURCES * m->panel_count * PATHS_CHUNK));
    }
    for (int64_t k = 0; k < m->panel_count; k++)
        m->panels[k].down = m->labels + k * height * PATHS_CHUNK;
done:
    return st;
}

static void sort_ends(matrix *m)
{
    for (int64_t i = 0; i < m->sources; i++)
        m->source[i] = (entry){paths_source_rank(m->hierarchy, m->sources_given[i]), i};
    for (int64_t k = 0; k < m->targets; k++)
        m->target[k] = (entry){paths_target_rank(m->hierarchy, m->targets_given[k]), k};
    qsort(m->source, (size_t)m->sources, sizeof *m->source, by_rank);
    qsort(m->target, (size_t)m->targets, sizeof *m->target, by_rank);
    for (int64_t k = 0; k < m->targets; k++)
        m->place[m->target[k].index] = (int32_t)k;
}

static mco_status fill_matrix(mco_context *ctx, matrix *m)
{
    mco_status st = MCO_OK;
    mco_team *team = NULL;
    sort_ends(m);
    MCO_TRY(paths_team_take(ctx, m->hierarchy, m->workers, &team));
    mco_team_run(team, m->panel_count, fill_panel, paths_stopper_watch, m);
    mco_team_run(team, (m->sources + SOURCES - 1) / SOURCES, fill_rows, paths_stopper_watch, m);
done:
    paths_team_give(ctx, m->hierarchy, &team);
    return st;
}

static mco_status certify(mco_context *ctx, const matrix *m)
{
    mco_status st = MCO_OK;
    mco_team *team = NULL;
    MCO_TRY(paths_team_take(ctx, m->hierarchy, m->workers, &team));
    st = paths_matrix_prove(ctx, m->hierarchy, m->lanes, team, m->workers, m->stopper.run, m->sources, m->sources_given, m->targets,
                            m->targets_given, m->distance);
done:
    paths_team_give(ctx, m->hierarchy, &team);
    return st;
}

// Tests all pairs without a distance for a path that is too long, 64 sources at a time.
static mco_status refuse_long(mco_context *ctx, const matrix *m)
{
    mco_status st = MCO_OK;
    paths_reach reach = {0};
    bool is_short = false;
    int64_t lacking = m->sources * m->targets;
    for (int k = 0; k < m->workers; k++)
        lacking -= m->worker[k].reached;
    if (lacking == 0)
        return MCO_OK;
    MCO_TRY(paths_is_short(ctx, m->hierarchy, &is_short));
    if (is_short)
        return MCO_OK;
    MCO_TRY(paths_reach_open(ctx, m->hierarchy, m->stopper.run, &reach));
    for (int64_t i = 0; i < m->sources; i += PATHS_REACH_SOURCES) {
        const int32_t count = (int32_t)(m->sources - i < PATHS_REACH_SOURCES ? m->sources - i : PATHS_REACH_SOURCES);
        MCO_TRY(paths_reach_from(ctx, &reach, m->stopper.run, count, m->sources_given + i));
        for (int32_t j = 0; j < count; j++)
            for (int64_t k = 0; k < m->targets; k++)
                if (m->distance[(i + j) * m->targets + k] == MCO_PATHS_NONE && paths_reach_has(&reach, j, m->targets_given[k]))
                    MCO_TRY(paths_reach_refuse(ctx, &reach, j, m->sources_given[i + j], m->targets_given[k]));
    }
done:
    paths_reach_close(ctx, &reach);
    return st;
}

// The matrix and the labels that it needs, in bytes.
static double bytes_of(const matrix *m)
{
    const double height = m->hierarchy->topology.height, panels = ((double)m->targets + PATHS_CHUNK - 1) / PATHS_CHUNK;
    return 4 * panels * PATHS_CHUNK * (height + (double)m->workers * SOURCES) + 16.0 * (double)(m->sources + m->targets) +
           paths_matrix_proof_bytes(m->hierarchy, m->workers, m->targets);
}

mco_status mco_paths_find_matrix(mco_context *ctx, const mco_paths_hierarchy *hierarchy, int64_t sources, const int32_t *source,
                                 int64_t targets, const int32_t *target, const mco_paths_params *params, int32_t *distance,
                                 mco_paths_result *result)
{
    mco_status st = MCO_OK;
    mco_paths_params p = MCO_PATHS_PARAMS_INIT;
    mco_paths_result r = MCO_PATHS_RESULT_INIT;
    matrix m = {.hierarchy = hierarchy, .sources = sources, .targets = targets, .sources_given = source, .targets_given = target,
                .distance = distance};
    mco_run run = {0};
    if (ctx == NULL || hierarchy == NULL || (distance == NULL && sources > 0 && targets > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(paths_take_params(ctx, params, result, &p));
    MCO_TRY(paths_refuse_vertices(ctx, hierarchy->network, "source", sources, source));
    MCO_TRY(paths_refuse_vertices(ctx, hierarchy->network, "target", targets, target));
    MCO_TRY(paths_refuse_gpu(ctx, &p, "a matrix"));
    run = mco_run_begin(ctx, &(mco_run_settings){.time_limit_s = p.time_limit_s, .target = -1, .objective = "distances"});
    m.stopper.run = &run;
    ctx->call_stop_s = run.stop_s;
    m.workers = mco_settle_threads(p.threads);
    MCO_TRY(paths_lanes_find(ctx, p.simd, &m.lanes));
    MCO_TRY(paths_refuse_bytes(ctx, "the labels of a matrix", bytes_of(&m), p.memory));
    r.method = MCO_PATHS_METHOD_SWEEP;
    snprintf(r.reason, sizeof r.reason, "labels of the ancestors of %lld sources and %lld targets", (long long)sources, (long long)targets);
    if (sources > 0 && targets > 0) {
        MCO_TRY(open_matrix(ctx, &m));
        MCO_TRY(fill_matrix(ctx, &m));
        if (!paths_stopper_is_set(&m.stopper))
            MCO_TRY(paths_or_stopped(&m.stopper, refuse_long(ctx, &m)));
        if (!paths_stopper_is_set(&m.stopper))
            MCO_TRY(paths_or_stopped(&m.stopper, certify(ctx, &m)));
    }
    paths_settle_result(&m.stopper, &r, sources);
    for (int k = 0; m.worker != NULL && k < m.workers; k++)
        r.reached += m.worker[k].reached;
    r.work = (mco_work){.engine = MCO_ENGINE_CPU, .simd = m.lanes->build.simd, .lane_bits = 32, .threads = m.workers,
                        .solve_s = mco_run_time_s(&run)};
    mco_struct_give(result, &r, sizeof r);
done:
    close_matrix(ctx, &m);
    mco_run_clear(&run);
    ctx->call_stop_s = 0;
    mco_clear_cancel(ctx);
    return st;
}
