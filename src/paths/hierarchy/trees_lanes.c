// SPDX-License-Identifier: MIT
// Many trees over a hierarchy on all cores. A batch is a sweep of 16, 32 or 64 lanes; its labels are certified while they are in
// the cache, and copied to the caller's rows. Threads take batches one by one. A network with turns also has every tree checked
// as it was given, because the certificate knows only its expansion.
#include "base/clock.h"
#include "base/machine.h"
#include "paths/hierarchy/trees.h"
#include "paths/tree.h"

typedef struct worker {
    mco_context *ctx;     // a child, for checks and parents
    paths_batch batch;
    paths_evidence evidence;
    int32_t *label;       // [vertices][lanes]
    int32_t *arc;         // [vertices][lanes] parents; NULL: not asked for, or of a network with turns
    int32_t *row;         // [16][vertices] of them
    int32_t *queue;       // [vertices]
    int64_t reached, done;
    mco_status status;    // the first failure, its message in ctx
} worker;

typedef struct lanes_job {
    paths_stopper stopper;  // first, for paths_stopper_watch()
    paths_trees *trees;
    int32_t lanes;
    int32_t workers;
    worker *worker;       // [workers]
    paths_batches batches;
    paths_certificate certificate;
    paths_zeros zeros;      // where parents are asked for
} lanes_job;

// As many lanes as the sources fill, as long as the labels of all threads fit.
static mco_status choose_lanes(lanes_job *j)
{
    enum { OF_A_VERTEX = 16 };  // evidence and marks
    const paths_trees *t = j->trees;
    const double n = t->hierarchy->topology.vertices, room = mco_settle_memory(t->p.memory);
    const double own = 12.0 * (double)t->network->rows.arcs + 12 * n;  // the certificate
    const double of_a_lane = t->parent != NULL ? 12 : 4;
    j->lanes = t->count > 32 ? 64 : t->count > 16 ? 32 : 16;
    j->workers = mco_settle_threads(t->p.threads);
    while (j->lanes > 16 && (t->count < (int64_t)j->lanes * j->workers || own + j->workers * n * (of_a_lane * j->lanes + OF_A_VERTEX) > room))
        j->lanes /= 2;
    while (j->workers > 1 && own + j->workers * n * (of_a_lane * j->lanes + OF_A_VERTEX) > room)
        j->workers--;
    return paths_refuse_bytes(t->ctx, "the labels of 16 trees", own + j->workers * n * (of_a_lane * j->lanes + OF_A_VERTEX), t->p.memory);
}

static void close_job(mco_context *ctx, lanes_job *j)
{
    for (int32_t k = 0; j->worker != NULL && k < j->workers; k++) {
        worker *w = &j->worker[k];
        mco_free(ctx, &w->queue);
        mco_free(ctx, &w->row);
        mco_free(ctx, &w->arc);
        mco_free(ctx, &w->label);
        paths_evidence_close(ctx, &w->evidence);
        paths_batch_close(ctx, &w->batch);
        mco_context_destroy(&w->ctx);
    }
    mco_free(ctx, &j->worker);
    paths_zeros_close(ctx, &j->zeros);
    paths_certificate_close(ctx, &j->certificate);
    paths_batches_close(ctx, &j->batches);
}

static mco_status open_job(mco_context *ctx, lanes_job *j)
{
    mco_status st = MCO_OK;
    const mco_paths_hierarchy *h = j->trees->hierarchy;
    MCO_TRY(choose_lanes(j));
    MCO_TRY(paths_batches_open(ctx, h, j->trees->p.simd, &j->batches));
    MCO_TRY(paths_certificate_open(ctx, h, j->trees->p.simd, &j->certificate));
    if (j->trees->parent != NULL)
        MCO_TRY(paths_zeros_open(ctx, &j->trees->network->rows, &j->zeros));
    MCO_TRY(mco_alloc(ctx, &j->worker, j->workers));
    for (int32_t k = 0; k < j->workers; k++) {
        worker *w = &j->worker[k];
        MCO_TRY(mco_context_create_child(ctx, &w->ctx));
        MCO_TRY(paths_batch_open(ctx, h, &w->batch));
        MCO_TRY(paths_evidence_open(ctx, &j->certificate, &w->evidence));
        MCO_TRY(mco_alloc(ctx, &w->label, (int64_t)h->topology.vertices * j->lanes));
        if (j->trees->parent == NULL || h->entry != NULL)
            continue;
        MCO_TRY(mco_alloc(ctx, &w->arc, (int64_t)h->topology.vertices * j->lanes));
        MCO_TRY(mco_alloc(ctx, &w->row, (int64_t)h->topology.vertices * PATHS_CHUNK));
        MCO_TRY(mco_alloc(ctx, &w->queue, h->topology.vertices));
    }
done:
    return st;
}

// Checks a tree of a network with turns, and finds its parents.
static mco_status finish_tree(const lanes_job *j, worker *w, int64_t k)
{
    mco_status st = MCO_OK;
    const paths_trees *t = j->trees;
    const int64_t n = t->network->rows.vertices;
    int32_t *distance = t->distance + k * n;
    distance[t->source[k]] = 0;  // its labels begin behind its turns
    for (int64_t v = 0; v < n; v++)
        w->reached += distance[v] < MCO_PATHS_NONE;
    MCO_TRY(paths_certify_tree(w->ctx, t->network, MCO_PATHS_METHOD_SWEEP, t->source[k], distance));
    if (t->parent != NULL)
        MCO_TRY(paths_parents(w->ctx, &t->network->rows, t->source[k], distance, t->parent + k * n));
done:
    return st;
}

// Writes the parents of a tree. Returns how many vertices with a distance have none; the source is one of them.
static int32_t widen(int32_t vertices, const int32_t *arc, const int32_t *distance, int64_t *parent)
{
    int32_t lacking = 0;
    for (int32_t v = 0; v < vertices; v++) {
        const bool has_none = arc[v] == INT32_MAX;
        parent[v] = has_none ? -1 : arc[v];
        lacking += has_none & (distance[v] < MCO_PATHS_NONE);
    }
    return lacking;
}

// Parents of a batch, 16 trees at a time.
static mco_status find_parents(lanes_job *j, worker *w, int64_t begin, int32_t count, const int32_t *rank)
{
    mco_status st = MCO_OK;
    const paths_trees *t = j->trees;
    const int32_t n = t->network->rows.vertices;
    if (!paths_certified_parents(&j->certificate, j->lanes, count, rank, w->label, w->arc, &j->stopper.is_set))
        return MCO_OK;
    for (int32_t first = 0; first < count && !paths_stopper_is_set(&j->stopper); first += PATHS_CHUNK) {
        const int32_t trees = count - first < PATHS_CHUNK ? count - first : PATHS_CHUNK;
        j->batches.lanes->copy_many(w->arc + first, j->lanes, t->hierarchy->topology.rank, n, trees, w->row, n);
        for (int32_t k = 0; k < trees; k++) {
            const int64_t tree = begin + first + k;
            const int32_t *distance = t->distance + tree * n;
            if (widen(n, w->row + (int64_t)k * n, distance, t->parent + tree * n) > 1)
                MCO_TRY(paths_parents_of_zeros(w->ctx, &t->network->rows, &j->zeros, t->source[tree], distance, w->queue, t->parent + tree * n));
        }
    }
done:
    return st;
}

static mco_status run_batch(lanes_job *j, worker *w, int64_t begin)
{
    mco_status st = MCO_OK;
    const paths_trees *t = j->trees;
    const int32_t n = t->network->rows.vertices;
    const int32_t count = (int32_t)(t->count - begin < j->lanes ? t->count - begin : j->lanes);
    int32_t rank[PATHS_MOST_LANES];
    paths_verdict verdict;
    for (int32_t k = 0; k < count; k++)
        rank[k] = paths_source_rank(t->hierarchy, t->source[begin + k]);
    if (!paths_batch_sweep(&j->batches, &w->batch, j->lanes, count, rank, w->label, &j->stopper.is_set) ||
        !paths_certify(&j->certificate, &w->evidence, j->lanes, count, rank, w->label, &verdict, &j->stopper.is_set))
        return MCO_OK;
    if (t->hierarchy->entry != NULL)
        verdict.overflow = 0;  // of an arc with its turn, whose head may have a shorter path: finish_tree() tells
    MCO_TRY(paths_tell_verdict(w->ctx, t->network, &verdict, t->source + begin));
    j->batches.lanes->copy_many(w->label, j->lanes, t->hierarchy->topology.rank, n, count, t->distance + begin * n, n);
    for (int32_t k = 0; t->hierarchy->entry != NULL && k < count && !paths_stopper_is_set(&j->stopper); k++)
        MCO_TRY(finish_tree(j, w, begin + k));
    if (w->arc != NULL)
        MCO_TRY(find_parents(j, w, begin, count, rank));
    w->reached += t->hierarchy->entry == NULL ? verdict.reached : 0;  // else finish_tree() has counted
    w->done += count;
done:
    return st;
}

static void take_batch(void *shared, int index, int64_t item)
{
    lanes_job *j = shared;
    worker *w = &j->worker[index];
    if (paths_stopper_is_set(&j->stopper) || w->status != MCO_OK)
        return;
    w->status = run_batch(j, w, item * j->lanes);
    if (w->status != MCO_OK)
        atomic_store_explicit(&j->stopper.is_set, true, memory_order_relaxed);
}

static mco_status take_all(mco_context *ctx, lanes_job *j)
{
    mco_status st = MCO_OK;
    mco_team *team = NULL;
    paths_trees *t = j->trees;
    MCO_TRY(paths_team_take(ctx, j->trees->hierarchy, j->workers, &team));
    paths_stopper_watch(j);
    mco_team_run(team, (t->count + j->lanes - 1) / j->lanes, take_batch, paths_stopper_watch, j);
    for (int32_t k = 0; k < j->workers; k++) {
        t->result.reached += j->worker[k].reached;
        t->result.done += j->worker[k].done;
        if (j->worker[k].status != MCO_OK)
            MCO_TRY(mco_fail(ctx, j->worker[k].status, "%s", mco_context_error(j->worker[k].ctx)));
    }
done:
    paths_team_give(ctx, j->trees->hierarchy, &team);
    return st;
}

mco_status paths_trees_by_lanes(paths_trees *job)
{
    mco_status st = MCO_OK;
    mco_context *ctx = job->ctx;
    lanes_job j = {.stopper.run = &job->run, .trees = job};
    double begin_s = mco_clock_s();
    MCO_TRY(open_job(ctx, &j));
    job->result.prepare_s += mco_clock_s() - begin_s;
    begin_s = mco_clock_s();
    MCO_TRY(take_all(ctx, &j));
    job->result.method = MCO_PATHS_METHOD_SWEEP;
    job->result.work = (mco_work){.engine = MCO_ENGINE_CPU, .simd = j.batches.lanes->build.simd, .lane_bits = 32,
                                  .threads = j.workers, .solve_s = mco_clock_s() - begin_s};
    mco_log(ctx, MCO_LOG_DETAIL, "%d trees a sweep", j.lanes);
done:
    close_job(ctx, &j);
    return st;
}
