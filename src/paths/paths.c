// SPDX-License-Identifier: MIT
// One tree: validates, chooses the method, runs it, and certifies the distances.
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"
#include "device/device.h"
#include "paths/hierarchy/solve.h"
#include "paths/single/single.h"
#include "paths/tree.h"

#define MCO_OPTION_STRUCT mco_paths_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_PATHS_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

const mco_option_table *mco_paths_options(void)
{
    return &options;
}

const char *paths_method_text(mco_paths_method method)
{
    static const char *const names[] = {"auto", "dijkstra", "buckets", "tiles", "sweep"};
    return method >= MCO_PATHS_METHOD_AUTO && method <= MCO_PATHS_METHOD_SWEEP ? names[method] : "?";
}

typedef struct job {
    mco_context *ctx;
    const mco_paths_network *network;
    const mco_paths_hierarchy *hierarchy;  // NULL: none
    mco_paths_params p;
    mco_run run;
    mco_paths_tree tree;
    mco_engine engine;
    uint64_t gpus;
    paths_layout layout;
    int32_t *by_place;  // [vertices] distances in the layout
} job;

// ---- The method

static mco_status refuse_pair(const job *j)
{
    const mco_engine e = j->p.engine;
    const mco_paths_method m = j->p.method;
    const bool is_cpu = e == MCO_ENGINE_CPU || e == MCO_ENGINE_REFERENCE;
    if (m == MCO_PATHS_METHOD_SWEEP && j->hierarchy == NULL)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "method sweep needs a hierarchy: mco paths prepare makes one");
    if (e == MCO_ENGINE_REFERENCE && m != MCO_PATHS_METHOD_AUTO && m != MCO_PATHS_METHOD_DIJKSTRA)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "method %s and engine reference, which has dijkstra alone", paths_method_text(m));
    if (m == MCO_PATHS_METHOD_TILES && is_cpu)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "method tiles and engine %s, tiles need a GPU", mco_engine_text(e));
    if ((m == MCO_PATHS_METHOD_DIJKSTRA || m == MCO_PATHS_METHOD_BUCKETS) && e == MCO_ENGINE_GPU)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "method %s and engine gpu, which has tiles and sweep", paths_method_text(m));
    if (j->p.gpus != NULL && is_cpu)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "--gpus is for the gpu engine, the engine is %s", mco_engine_text(e));
    return MCO_OK;
}

static void choose(job *j, mco_engine engine, mco_paths_method method, const char *why, ...) MCO_PRINTF(4, 5);
static void choose(job *j, mco_engine engine, mco_paths_method method, const char *why, ...)
{
    va_list list;
    j->engine = engine;
    j->tree.method = method;
    va_start(list, why);
    vsnprintf(j->tree.reason, sizeof j->tree.reason, why, list);
    va_end(list);
}

// Where the arcs of a network take longer on cores than a GPU takes to begin: about 0.3 s.
static const int64_t ARCS_WORTH_A_GPU = (int64_t)1 << 26;

static mco_engine wanted_engine(const job *j)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    const char *reason = NULL;
    if (j->p.engine != MCO_ENGINE_AUTO)
        return j->p.engine;
    if (j->p.gpus != NULL || j->p.method == MCO_PATHS_METHOD_TILES)
        return MCO_ENGINE_GPU;
    if (j->p.method != MCO_PATHS_METHOD_AUTO || j->network->has_turns || j->hierarchy != NULL || j->network->rows.arcs < ARCS_WORTH_A_GPU)
        return MCO_ENGINE_CPU;
    return mco_gpus_list(j->ctx, gpus, &count, &reason) == MCO_OK && count > 0 ? MCO_ENGINE_GPU : MCO_ENGINE_CPU;
}

static mco_status choose_method(job *j)
{
    const mco_paths_method asked = j->p.method;
    const mco_engine engine = wanted_engine(j);
    const int64_t arcs = j->network->rows.arcs;
    if (engine == MCO_ENGINE_REFERENCE)
        choose(j, engine, MCO_PATHS_METHOD_DIJKSTRA, "the reference has this method alone");
    else if (asked != MCO_PATHS_METHOD_AUTO)
        choose(j, engine, asked, "it was asked for");
    else if (j->hierarchy != NULL && engine == MCO_ENGINE_CPU)
        choose(j, engine, MCO_PATHS_METHOD_SWEEP, "the hierarchy is there");
    else if (engine == MCO_ENGINE_GPU)
        choose(j, engine, MCO_PATHS_METHOD_TILES, "one tree on a GPU, %" PRId64 " arcs", arcs);
    else
        choose(j, engine, MCO_PATHS_METHOD_BUCKETS, "one tree on cores, %" PRId64 " arcs", arcs);
    if (j->network->has_turns && j->tree.method != MCO_PATHS_METHOD_SWEEP && engine != MCO_ENGINE_REFERENCE) {
        if (engine == MCO_ENGINE_GPU || (asked != MCO_PATHS_METHOD_AUTO && asked != MCO_PATHS_METHOD_DIJKSTRA))
            return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "method %s on a network with turns: dijkstra takes them, or sweep with a hierarchy",
                            paths_method_text(j->tree.method));
        choose(j, engine, MCO_PATHS_METHOD_DIJKSTRA, "the network has turns, labels are of arcs");
    }
    mco_log(j->ctx, MCO_LOG_INFO, "engine %s, method %s (%s)", mco_engine_text(j->engine), paths_method_text(j->tree.method), j->tree.reason);
    return MCO_OK;
}

static mco_status choose_gpus(job *j)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    if (j->engine != MCO_ENGINE_GPU)
        return MCO_OK;
    const mco_status st = mco_gpus_choose(j->ctx, j->p.gpus, gpus, &count);
    for (int k = 0; st == MCO_OK && k < count; k++)
        j->gpus |= (uint64_t)1 << gpus[k].index;
    return st;
}

// A layout, labels by place and by vertex, and the queue.
static mco_status refuse_memory(const job *j)
{
    enum { OF_A_VERTEX = 40 };
    const mco_paths_rows *r = &j->network->rows;
    const double need = (double)sizeof(paths_arc) * (double)r->arcs + OF_A_VERTEX * (double)r->vertices;
    const double room = mco_settle_memory(j->p.memory);
    if (need <= room)
        return MCO_OK;
    return mco_fail(j->ctx, MCO_ERR_LIMIT, "a tree of %d vertices and %" PRId64 " arcs needs about %.0f MiB, %.0f MiB are allowed", r->vertices, r->arcs,
                    need / (1 << 20), room / (1 << 20));
}

// ---- Running

// An order in which neighbours are near pays for its cost from about this size on: below, all labels are in the cache.
enum { WORTH_AN_ORDER = 1 << 18, TILE = 256 };

static mco_status make_layout(job *j)
{
    mco_status st = MCO_OK;
    int32_t *vertex_at = NULL;
    const mco_paths_rows *r = &j->network->rows;
    if (r->vertices >= WORTH_AN_ORDER || j->tree.method == MCO_PATHS_METHOD_TILES)
        MCO_TRY(paths_local_order(j->ctx, r, TILE, &vertex_at));
    MCO_TRY(paths_layout_make(j->ctx, r, vertex_at, false, &j->layout));
    MCO_TRY(mco_alloc(j->ctx, &j->by_place, r->vertices));
done:
    mco_free(j->ctx, &vertex_at);
    return st;
}

static mco_status stop_if_asked(job *j)
{
    return mco_run_must_stop(&j->run, 0) ? mco_fail(j->ctx, MCO_ERR_STOPPED, "stopped before the search") : MCO_OK;
}

static void take_by_place(job *j)
{
    for (int32_t v = 0; v < j->layout.vertices; v++)
        j->tree.distance[v] = j->by_place[j->layout.place[v]];
}

// A search of few arcs is over before threads have begun. Threads meet after each bucket, so those without a processor hold all
// others up: 1000 threads on 2 processors took minutes where one takes 2 ms.
static int32_t count_threads(const job *j)
{
    enum { ARCS_WORTH_THREADS = 1 << 20, THREADS_ANYWHERE = 8 };
    if (j->tree.method != MCO_PATHS_METHOD_BUCKETS || (j->p.threads == 0 && j->layout.arcs < ARCS_WORTH_THREADS))
        return 1;
    const int asked = mco_settle_threads(j->p.threads), processors = mco_settle_threads(0);
    const int most = processors > THREADS_ANYWHERE ? processors : THREADS_ANYWHERE;
    if (asked > most)
        mco_log(j->ctx, MCO_LOG_INFO, "%d threads in place of %d: there are %d processors", most, asked, processors);
    return asked < most ? asked : most;
}

static mco_status run_search(job *j)
{
    mco_status st = MCO_OK;
    paths_search *search = NULL;
    paths_counts counts = {0};
    double begin_s = mco_clock_s();
    MCO_TRY(make_layout(j));
    const int32_t threads = count_threads(j);
    MCO_TRY(j->tree.method == MCO_PATHS_METHOD_BUCKETS ? paths_buckets_open(j->ctx, &j->layout, threads, &search)
                                                       : paths_heap_open(j->ctx, &j->layout, &search));
    MCO_TRY(stop_if_asked(j));
    j->tree.prepare_s = mco_clock_s() - begin_s;
    begin_s = mco_clock_s();
    MCO_TRY(paths_search_tree(j->ctx, search, &j->run, j->layout.place[j->tree.source], j->by_place, &counts));
    take_by_place(j);
    j->tree.work.solve_s = mco_clock_s() - begin_s;
    j->tree.work.threads = threads;
done:
    paths_search_close(j->ctx, &search);
    return st;
}

static mco_status run_reference(job *j)
{
    const double begin_s = mco_clock_s();
    const mco_status st = paths_ref_search(j->ctx, &j->run, &j->network->rows, j->tree.source, j->tree.distance, NULL);
    j->tree.work.solve_s = mco_clock_s() - begin_s;
    j->tree.work.threads = 1;
    return st;
}

#ifdef MCO_HAVE_CUDA
static mco_status run_tiles(job *j)
{
    mco_status st = MCO_OK;
    paths_tiles *tiles = NULL;
    paths_counts counts = {0};
    double begin_s = mco_clock_s();
    MCO_TRY(make_layout(j));
    MCO_TRY(paths_tiles_open(j->ctx, &j->layout, j->gpus, &tiles));
    MCO_TRY(stop_if_asked(j));
    j->tree.prepare_s = mco_clock_s() - begin_s;
    begin_s = mco_clock_s();
    MCO_TRY(paths_tiles_tree(j->ctx, tiles, &j->run, j->layout.place[j->tree.source], j->by_place, &j->tree.work.device_s, &counts));
    take_by_place(j);
    j->tree.work.solve_s = mco_clock_s() - begin_s;
    j->tree.work.threads = 1;
    j->tree.work.gpus = j->gpus;
done:
    paths_tiles_close(j->ctx, &tiles);
    return st;
}

// One source on a GPU that has the hierarchy; opening it takes most of the time.
static mco_status run_device_sweep(job *j)
{
    mco_status st = MCO_OK;
    paths_device_hierarchy *device = NULL;
    double begin_s = mco_clock_s();
    MCO_TRY(paths_device_open(j->ctx, j->hierarchy, j->gpus, &device));
    MCO_TRY(stop_if_asked(j));
    j->tree.prepare_s = mco_clock_s() - begin_s;
    begin_s = mco_clock_s();
    MCO_TRY(paths_device_trees(j->ctx, device, &j->run, 1, &j->tree.source, j->tree.distance, &j->tree.work.device_s, NULL));
    j->tree.work.solve_s = mco_clock_s() - begin_s;
    j->tree.work.threads = 1;
    j->tree.work.gpus = j->gpus;
done:
    paths_device_close(j->ctx, &device);
    return st;
}
#else
static mco_status run_tiles(job *j)
{
    return mco_fail(j->ctx, MCO_ERR_DEVICE, "this build has no GPU engines");
}

static mco_status run_device_sweep(job *j)
{
    return run_tiles(j);
}
#endif

// One sweep, as the one item of a thread that the calling thread watches.
typedef struct sweeping {
    paths_stopper stopper;  // first, for paths_stopper_watch()
    paths_sweep *sweep;
    int32_t source_rank;
    int32_t *distance;
} sweeping;

static void sweep_tree(void *shared, int worker, int64_t item)
{
    sweeping *s = shared;
    (void)worker;
    (void)item;
    paths_sweep_tree(s->sweep, s->source_rank, s->distance, &s->stopper.is_set);
}

static mco_status run_sweep(job *j)
{
    mco_status st = MCO_OK;
    mco_team *team = NULL;
    sweeping s = {.stopper.run = &j->run, .source_rank = paths_source_rank(j->hierarchy, j->tree.source), .distance = j->tree.distance};
    double begin_s = mco_clock_s();
    MCO_TRY(paths_sweep_take(j->ctx, j->hierarchy, j->p.simd, &s.sweep));
    MCO_TRY(paths_team_take(j->ctx, j->hierarchy, 1, &team));
    MCO_TRY(stop_if_asked(j));
    j->tree.prepare_s = mco_clock_s() - begin_s;
    begin_s = mco_clock_s();
    mco_team_run(team, 1, sweep_tree, paths_stopper_watch, &s);
    if (paths_stopper_is_set(&s.stopper))
        MCO_TRY(mco_fail(j->ctx, MCO_ERR_STOPPED, "stopped while the hierarchy was swept"));
    j->tree.work.solve_s = mco_clock_s() - begin_s;
    j->tree.work.threads = 1;
done:
    paths_team_give(j->ctx, j->hierarchy, &team);
    if (paths_stopper_is_set(&s.stopper))
        paths_sweep_close(j->ctx, &s.sweep);  // it stands in the middle of a tree
    else if (s.sweep != NULL)
        paths_sweep_give(j->ctx, j->hierarchy, &s.sweep);
    return st;
}

static mco_status run_method(job *j)
{
    const bool is_plain = j->engine == MCO_ENGINE_REFERENCE || (j->network->has_turns && j->tree.method == MCO_PATHS_METHOD_DIJKSTRA);
    if (is_plain)
        return run_reference(j);
    if (j->tree.method == MCO_PATHS_METHOD_SWEEP)
        return j->engine == MCO_ENGINE_GPU ? run_device_sweep(j) : run_sweep(j);
    return j->tree.method == MCO_PATHS_METHOD_TILES ? run_tiles(j) : run_search(j);
}

// ---- The answer

// What follows an arc depends on its turns, so the reference tells.
static mco_status refuse_long_turns(mco_context *ctx, const mco_paths_rows *r, int32_t source)
{
    int32_t *work = NULL;
    mco_status st = mco_alloc(ctx, &work, r->vertices);
    if (st == MCO_OK)
        st = paths_ref_tree(ctx, r, source, work, NULL);
    mco_free(ctx, &work);
    return st;
}

// Refuses distances that end where the next one is beyond the limit: methods that cap distances leave such a vertex without one.
static mco_status refuse_long_paths(mco_context *ctx, const mco_paths_rows *r, int32_t source, const int32_t *d)
{
    if (r->turn_count > 0)
        return refuse_long_turns(ctx, r, source);
    for (int32_t u = 0; u < r->vertices; u++)
        for (int64_t a = r->first[u]; d[u] != MCO_PATHS_NONE && (u >= r->first_through || u == source) && a < r->first[u + 1]; a++)
            if (d[r->head[a]] == MCO_PATHS_NONE && r->weight[a] != MCO_PATHS_NONE && d[u] + r->weight[a] >= MCO_PATHS_NONE)
                return mco_fail(ctx, MCO_ERR_LIMIT, "vertex %d has distance %d or more, at most %d is supported; a smaller scale helps",
                                r->head[a], MCO_PATHS_NONE, MCO_PATHS_NONE - 1);
    return MCO_OK;
}

mco_status paths_certify_tree(mco_context *ctx, const mco_paths_network *network, mco_paths_method method, int32_t source,
                              const int32_t *distance)
{
    char why[MCO_ERROR_LENGTH];
    mco_status st = mco_paths_check(ctx, network, source, distance);
    if (st != MCO_ERR_CHECK)
        return st;
    snprintf(why, sizeof why, "%s", mco_context_error(ctx));
    st = refuse_long_paths(ctx, &network->rows, source, distance);
    return st != MCO_OK ? st : mco_fail(ctx, MCO_ERR_INTERNAL, "method %s failed the check: %s", paths_method_text(method), why);
}

static void count_reached(mco_paths_tree *t)
{
    for (int32_t v = 0; v < t->vertices; v++) {
        if (t->distance[v] == MCO_PATHS_NONE)
            continue;
        t->reached++;
        t->farthest = t->distance[v] > t->farthest ? t->distance[v] : t->farthest;
    }
}

static mco_status find_tree(job *j)
{
    mco_status st = MCO_OK;
    mco_paths_tree *t = &j->tree;
    const int32_t n = j->network->rows.vertices;
    MCO_TRY(mco_alloc(j->ctx, &t->distance, n));
    MCO_TRY(run_method(j));
    t->vertices = n;
    MCO_TRY(paths_certify_tree(j->ctx, j->network, t->method, t->source, t->distance));
    if (j->p.parents) {
        MCO_TRY(mco_alloc(j->ctx, &t->parent, n));
        MCO_TRY(paths_parents(j->ctx, &j->network->rows, t->source, t->distance, t->parent));
    }
    count_reached(t);
    t->outcome = MCO_OUTCOME_OPTIMAL;
done:
    return st;
}

// A run that is stopped has no tree, which is an answer too.
static mco_status settle_stop(job *j, mco_status st)
{
    const bool is_stopped = st == MCO_ERR_STOPPED && mco_run_must_stop(&j->run, 0);
    j->tree.stop = j->run.stop;
    j->tree.work.engine = j->engine;
    if (!is_stopped)
        return st;
    mco_free(j->ctx, &j->tree.distance);
    mco_free(j->ctx, &j->tree.parent);
    j->tree.outcome = MCO_OUTCOME_UNKNOWN;
    j->tree.vertices = 0;
    return MCO_OK;
}

static mco_status take_arguments(job *j, int32_t source, const mco_paths_params *params, const mco_paths_tree *tree)
{
    mco_status st = MCO_OK;
    j->p = (mco_paths_params)MCO_PATHS_PARAMS_INIT;
    j->tree = (mco_paths_tree)MCO_PATHS_TREE_INIT;
    j->tree.source = source;
    MCO_TRY(MCO_TAKE(j->ctx, params, &j->p));
    MCO_TRY(mco_struct_test(j->ctx, "tree", tree, sizeof *tree));
    MCO_TRY(mco_options_validate(j->ctx, &options, &j->p));
    if (source < 0 || source >= j->network->rows.vertices)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "the source is vertex %d, there are vertices 0 to %d", source, j->network->rows.vertices - 1);
    MCO_TRY(refuse_pair(j));
    MCO_TRY(paths_refuse_other(j->ctx, j->network, j->hierarchy != NULL ? j->hierarchy->network : NULL));
done:
    return st;
}

mco_status mco_paths_find_tree(mco_context *ctx, const mco_paths_network *network, const mco_paths_hierarchy *hierarchy, int32_t source,
                               const mco_paths_params *params, mco_paths_tree *tree)
{
    mco_status st = MCO_OK;
    job j = {.ctx = ctx, .network = network, .hierarchy = hierarchy};
    if (ctx == NULL || network == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(take_arguments(&j, source, params, tree));
    const mco_run_settings settings = {.time_limit_s = j.p.time_limit_s, .target = -1, .objective = "distance"};
    j.run = mco_run_begin(ctx, &settings);
    ctx->call_stop_s = j.run.stop_s;
    MCO_TRY(choose_method(&j));
    MCO_TRY(choose_gpus(&j));
    MCO_TRY(refuse_memory(&j));
    MCO_TRY(settle_stop(&j, find_tree(&j)));
    mco_struct_give(tree, &j.tree, sizeof j.tree);
done:
    mco_run_clear(&j.run);
    paths_layout_clear(ctx, &j.layout);
    mco_free(ctx, &j.by_place);
    mco_paths_tree_clear(ctx, &j.tree);  // what was not given
    ctx->call_stop_s = 0;
    mco_clear_cancel(ctx);
    return st;
}

void mco_paths_tree_clear(mco_context *ctx, mco_paths_tree *tree)
{
    mco_paths_tree full = MCO_PATHS_TREE_INIT;
    if (tree == NULL)
        return;
    mco_struct_clear(tree, &full, sizeof full);
    mco_free(ctx, &full.distance);
    mco_free(ctx, &full.parent);
}
