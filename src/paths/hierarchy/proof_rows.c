// SPDX-License-Identifier: MIT
// Finds a matrix again (proof.h). Targets and their ancestors are closed: the upper neighbours of each are among them. So a sweep over
// them alone gives the distances of all targets from the labels of the ways up.
#include "paths/hierarchy/proof.h"

#include <inttypes.h>
#include <string.h>

typedef struct scratch {
    int32_t *way;      // [height]
    int32_t *label;    // [count][lanes]
    bool *is_begun;    // [count]
    int32_t *row;      // [lanes][targets]
} scratch;

typedef struct rows_proof {
    paths_stopper stopper;  // first, for paths_stopper_watch()
    const mco_paths_hierarchy *hierarchy;
    const paths_lanes *lanes;
    int32_t width;      // sources of a sweep
    int64_t sources, targets;
    const int32_t *source, *target, *distance;
    int32_t count;      // targets and their ancestors
    int32_t *place;     // [vertices] among them; -1: not one of them
    int32_t *first;     // [count + 1] their arcs up
    int32_t *head, *weight;
    int32_t *where;     // [targets] place
    scratch *scratch;   // [workers]
    int32_t workers;
    atomic_int_least64_t fault;  // an entry that differs; -1: none
} rows_proof;

static bool is_end(const paths_topology *t, int32_t v)
{
    return t->is_end != NULL && t->is_end[v];
}

// ---- Targets and their ancestors

static mco_status number_places(mco_context *ctx, rows_proof *p)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &p->hierarchy->topology;
    MCO_TRY(mco_alloc(ctx, &p->place, t->vertices));
    MCO_TRY(mco_alloc(ctx, &p->where, p->targets));
    for (int64_t k = 0; k < p->targets; k++)
        for (int32_t x = paths_target_rank(p->hierarchy, p->target[k]); x >= 0 && p->place[x] == 0; x = t->parent[x])
            p->place[x] = 1;
    for (int32_t v = 0; v < t->vertices; v++)
        p->place[v] = p->place[v] != 0 ? p->count++ : -1;
    for (int64_t k = 0; k < p->targets; k++)
        p->where[k] = p->place[paths_target_rank(p->hierarchy, p->target[k])];
done:
    return st;
}

// Arcs whose upper end paths do not pass weigh nothing that counts.
static mco_status collect_rows(mco_context *ctx, rows_proof *p)
{
    mco_status st = MCO_OK;
    const paths_topology *t = &p->hierarchy->topology;
    int64_t arcs = 0;
    for (int32_t v = 0; v < t->vertices; v++) {
        MCO_TRY(mco_call_in_time(ctx, v));
        arcs += p->place[v] >= 0 ? t->first[v + 1] - t->first[v] : 0;
    }
    MCO_TRY(mco_alloc(ctx, &p->first, (int64_t)p->count + 1));
    MCO_TRY(mco_alloc(ctx, &p->head, arcs));
    MCO_TRY(mco_alloc(ctx, &p->weight, arcs));
    for (int32_t v = 0, next = 0; v < t->vertices; v++) {
        MCO_TRY(mco_call_in_time(ctx, v));
        if (p->place[v] < 0)
            continue;
        for (int32_t a = t->first[v]; a < t->first[v + 1]; a++, next++) {
            p->head[next] = p->place[t->head[a]];
            p->weight[next] = is_end(t, t->head[a]) ? MCO_PATHS_NONE : p->hierarchy->metric.down[a];
        }
        p->first[p->place[v] + 1] = next;
    }
done:
    return st;
}

// ---- Sweeps

static void begin(const rows_proof *p, const scratch *s, int32_t vertex, int32_t lane, int32_t value)
{
    const int32_t place = p->place[vertex];
    if (place < 0)
        return;
    int32_t *row = s->label + (int64_t)place * p->width;
    for (int32_t j = 0; !s->is_begun[place] && j < p->width; j++)
        row[j] = MCO_PATHS_NONE;
    s->is_begun[place] = true;
    row[lane] = value < row[lane] ? value : row[lane];
}

// The way up of a source. Arcs down from a source that ends paths are taken here, because the sweep does not pass ends.
static void begin_lane(const rows_proof *p, const scratch *s, int32_t lane, int32_t source)
{
    const paths_topology *t = &p->hierarchy->topology;
    const paths_metric *m = &p->hierarchy->metric;
    paths_recheck_way(t, m->up, source, s->way);
    for (int32_t x = source; x >= 0; x = t->parent[x])
        begin(p, s, x, lane, s->way[t->height - 1 - t->depth[x]]);
    for (int32_t k = t->down_first[source]; is_end(t, source) && k < t->down_first[source + 1]; k++)
        begin(p, s, t->down_tail[k], lane, m->down[t->down_arc[k]]);
}

static void compare(rows_proof *p, int64_t source, const int32_t *row)
{
    const int32_t *given = p->distance + source * p->targets;
    if (memcmp(given, row, (size_t)p->targets * sizeof *row) == 0)
        return;
    for (int64_t k = 0; k < p->targets; k++)  // from a vertex that was split for its turns to itself: 0
        if (given[k] != (p->target[k] == p->source[source] ? 0 : row[k]))
            atomic_store(&p->fault, source * p->targets + k);
}

static void prove_rows(void *shared, int worker, int64_t item)
{
    rows_proof *p = shared;
    const scratch *s = &p->scratch[worker];
    const int64_t first = item * p->width;
    const int32_t count = (int32_t)(p->sources - first < p->width ? p->sources - first : p->width);
    const paths_lane_rows rows = {.vertices = p->count, .first = p->first, .head = p->head, .weight = p->weight, .is_begun = s->is_begun,
                                  .label = s->label};
    if (paths_stopper_is_set(&p->stopper))
        return;
    for (int32_t j = 0; j < count; j++)
        begin_lane(p, s, j, paths_source_rank(p->hierarchy, p->source[first + j]));
    if (!p->lanes->sweep_many(&rows, p->width, &p->stopper.is_set))
        return;
    p->lanes->copy_many(s->label, p->width, p->where, (int32_t)p->targets, count, s->row, p->targets);
    for (int32_t j = 0; j < count; j++)
        compare(p, first + j, s->row + j * p->targets);
}

// ---- All of it

static int32_t width_for(int64_t sources, int32_t workers)
{
    return sources > 32 * (int64_t)workers ? 64 : sources > 16 * (int64_t)workers ? 32 : 16;
}

double paths_matrix_proof_bytes(const mco_paths_hierarchy *hierarchy, int32_t workers, int64_t targets)
{
    const double vertices = hierarchy->topology.vertices, arcs = hierarchy->topology.arcs, chain = (double)targets * hierarchy->topology.height;
    const double most = chain < vertices ? chain : vertices;
    return 8 * arcs + 4 * vertices + 16 * most + 2 * arcs + 4.0 * PATHS_MOST_LANES * workers * (most + (double)targets);
}

static void close_proof(mco_context *ctx, rows_proof *p)
{
    for (int32_t k = 0; p->scratch != NULL && k < p->workers; k++) {
        mco_free(ctx, &p->scratch[k].row);
        mco_free(ctx, &p->scratch[k].is_begun);
        mco_free(ctx, &p->scratch[k].label);
        mco_free(ctx, &p->scratch[k].way);
    }
    mco_free(ctx, &p->scratch);
    mco_free(ctx, &p->where);
    mco_free(ctx, &p->weight);
    mco_free(ctx, &p->head);
    mco_free(ctx, &p->first);
    mco_free(ctx, &p->place);
}

static mco_status open_proof(mco_context *ctx, rows_proof *p)
{
    mco_status st = MCO_OK;
    MCO_TRY(number_places(ctx, p));
    MCO_TRY(collect_rows(ctx, p));
    MCO_TRY(mco_alloc(ctx, &p->scratch, p->workers));
    for (int32_t k = 0; k < p->workers; k++) {
        MCO_TRY(mco_alloc(ctx, &p->scratch[k].way, p->hierarchy->topology.height));
        MCO_TRY(mco_alloc(ctx, &p->scratch[k].label, (int64_t)p->count * p->width));
        MCO_TRY(mco_alloc(ctx, &p->scratch[k].is_begun, p->count));
        MCO_TRY(mco_alloc(ctx, &p->scratch[k].row, p->targets * p->width));
    }
done:
    return st;
}

mco_status paths_matrix_prove(mco_context *ctx, const mco_paths_hierarchy *hierarchy, const paths_lanes *lanes, mco_team *team,
                              int32_t workers, mco_run *run, int64_t sources, const int32_t *source, int64_t targets,
                              const int32_t *target, const int32_t *distance)
{
    mco_status st = MCO_OK;
    rows_proof p = {.stopper.run = run, .hierarchy = hierarchy, .lanes = lanes, .width = width_for(sources, workers), .sources = sources,
                    .targets = targets, .source = source, .target = target, .distance = distance, .workers = workers, .fault = -1};
    MCO_TRY(paths_metric_prove_once(ctx, hierarchy));
    MCO_TRY(open_proof(ctx, &p));
    mco_team_run(team, (sources + p.width - 1) / p.width, prove_rows, paths_stopper_watch, &p);
    if (paths_stopper_is_set(&p.stopper))
        MCO_TRY(mco_fail(ctx, MCO_ERR_STOPPED, "stopped while a matrix was certified"));
    const int64_t fault = atomic_load(&p.fault);
    if (fault >= 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "from source %" PRId64 " to target %" PRId64 ": the distance %d fails its certificate",
                         fault / targets, fault % targets, distance[fault]));
done:
    close_proof(ctx, &p);
    return st;
}
