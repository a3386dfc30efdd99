// SPDX-License-Identifier: MIT
// Entry points of searches under an automaton: validate, run an engine, walk the journey again, certify whole networks.
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/structs.h"
#include "base/team.h"
#include "device/device.h"
#include "paths/multimodal/gpu.h"
#include "paths/multimodal/search.h"

// The cores need about this much for an arc and a query of the whole network; a GPU must gain more than it takes to open it.
static const double SECONDS_EACH_ARC = 1.3e-7, GPU_PAYS_S = 1;

#define MCO_OPTION_STRUCT mco_multimodal_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_MULTIMODAL_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

const mco_option_table *mco_multimodal_options(void)
{
    return &options;
}

typedef struct job {
    mco_context *ctx;
    const mco_multimodal *network;
    const mco_automaton *automaton;
    mco_multimodal_params p;
    mco_run run;
    mco_engine engine;      // that runs
    uint64_t gpus;          // that were used
    double device_s;
    const mm_search_build *build;
    mm_search *search;      // [threads]
    int32_t threads;
    atomic_bool is_stopped;
    mco_team team;
    // Of many queries.
    int64_t count;
    const mco_multimodal_query *query;  // [count]
    int32_t *arrival;                   // [count]
    int64_t *reached;                   // [threads]
    atomic_int_least64_t done;
    atomic_bool is_over, is_wrong;
} job;

// ---- Arguments

static mco_status test_query(const job *j, const mco_multimodal_query *q, int64_t k)
{
    if (q->source < 0 || q->source >= j->network->vertices)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "query %" PRId64 " has source %d, there are vertices 0 to %d", k, q->source, j->network->vertices - 1);
    if (q->target < -1 || q->target >= j->network->vertices)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "query %" PRId64 " has target %d, -1 or a vertex up to %d were expected", k, q->target,
                        j->network->vertices - 1);
    if (q->depart < 0 || q->depart > MCO_MULTIMODAL_NONE / 2)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "query %" PRId64 " departs at %d s, 0 to %d were expected", k, q->depart, MCO_MULTIMODAL_NONE / 2);
    return MCO_OK;
}

static mco_status take_arguments(job *j, const mco_multimodal_params *params)
{
    mco_status st = MCO_OK;
    int32_t longest;
    if (j->ctx == NULL || j->network == NULL || j->automaton == NULL)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (j->automaton->labels != j->network->labels)
        return mco_fail(j->ctx, MCO_ERR_ARGUMENT, "the automaton has %d labels, the network %d", j->automaton->labels, j->network->labels);
    j->p = (mco_multimodal_params)MCO_MULTIMODAL_PARAMS_INIT;
    MCO_TRY(MCO_TAKE(j->ctx, params, &j->p));
    MCO_TRY(mco_options_validate(j->ctx, &options, &j->p));
    MCO_TRY(mm_longest_arc(j->ctx, j->network, j->automaton, &longest));
    const mco_run_settings settings = {.time_limit_s = j->p.time_limit_s, .target = -1, .objective = "arrival"};
    j->run = mco_run_begin(j->ctx, &settings);
done:
    return st;
}

// The engine for `count` queries.
static void choose_engine(job *j, int64_t count)
{
    const double work = (double)j->network->arcs * (double)count * SECONDS_EACH_ARC;
    j->engine = mco_choose_engine(j->ctx, j->p.engine, j->p.gpus, work / mco_settle_threads(j->p.threads), GPU_PAYS_S, NULL);
}

static mco_work work_of(const job *j, double begin_s)
{
    return (mco_work){.engine = j->engine, .threads = j->threads > 0 ? j->threads : 1, .gpus = j->gpus, .device_s = j->device_s,
                      .simd = j->build != NULL ? j->build->build.simd : MCO_SIMD_AUTO, .lane_bits = j->build != NULL ? 32 : 0,
                      .solve_s = mco_clock_s() - begin_s};
}

// ---- Cores

// As many searches as threads, and as the memory holds.
static mco_status open_searches(job *j, int64_t wanted)
{
    mco_status st = MCO_OK;
    const double room = mco_settle_memory(j->p.memory);
    double each;
    MCO_TRY(mm_search_bytes(j->ctx, j->network, j->automaton, &each));
    int64_t threads = mco_settle_threads(j->p.threads);
    threads = threads > wanted ? wanted : threads;
    threads = (double)threads * each > room && room > each ? (int64_t)(room / each) : threads;
    j->threads = threads > 1 ? (int32_t)threads : 1;
    MCO_TRY(mm_search_pick(j->ctx, j->p.simd, &j->build));
    MCO_TRY(mco_alloc(j->ctx, &j->search, j->threads));
    MCO_TRY(mco_alloc(j->ctx, &j->reached, j->threads));
    for (int32_t k = 0; k < j->threads; k++) {
        MCO_TRY(mm_search_open(j->ctx, j->network, j->automaton, room, &j->search[k]));
        j->search[k].is_stopped = &j->is_stopped;
    }
    MCO_TRY(mco_team_open(j->ctx, j->threads, true, &j->team));
done:
    return st;
}

// The earliest arrival at a vertex in a final state.
static int32_t arrival_of(const job *j, const int32_t *label)
{
    int32_t best = MCO_MULTIMODAL_NONE;
    for (uint32_t left = j->automaton->final; left != 0; left &= left - 1) {
        const int32_t value = label[__builtin_ctz(left)];
        best = value < best ? value : best;
    }
    return best;
}

static int64_t count_labels(const job *j, const mm_search *search)
{
    int64_t reached = 0;
    for (int32_t v = 0; v < j->network->vertices; v++)
        for (int32_t q = 0; q < j->automaton->states; q++)
            reached += mm_labels(search, v)[q] != MCO_MULTIMODAL_NONE;
    return reached;
}

static void work(void *shared, int worker, int64_t item)
{
    job *j = shared;
    mm_search *search = &j->search[worker];
    const mco_multimodal_query *q = &j->query[item];
    if (atomic_load_explicit(&j->is_stopped, memory_order_relaxed))
        return;
    if (!mm_search_of(j->build, search)(search, q) || !mm_certify_of(j->build, search)(search, q)) {
        if (search->is_over)
            atomic_store(&j->is_over, true);
        if (search->is_wrong)
            atomic_store(&j->is_wrong, true);
        return;
    }
    j->arrival[item] = q->target >= 0 ? arrival_of(j, mm_labels(search, q->target)) : MCO_MULTIMODAL_NONE;
    j->reached[worker] += q->target < 0 ? count_labels(j, search) : j->arrival[item] != MCO_MULTIMODAL_NONE;
    atomic_fetch_add(&j->done, 1);
}

static double watch(void *shared)
{
    job *j = shared;
    if (mco_run_must_stop(&j->run, atomic_load(&j->done)) || atomic_load(&j->is_over) || atomic_load(&j->is_wrong))
        atomic_store(&j->is_stopped, true);
    return 0.02;
}

static mco_status run_queries(job *j)
{
    mco_team_run(&j->team, j->count, work, watch, j);
    if (atomic_load(&j->is_over))
        return mco_fail(j->ctx, MCO_ERR_LIMIT, "an arrival at %d s or later", MCO_MULTIMODAL_NONE);
    if (atomic_load(&j->is_wrong))
        return mco_fail(j->ctx, MCO_ERR_INTERNAL, "the labels of a query fail their certificate");
    return MCO_OK;
}

static void close_job(job *j)
{
    mco_team_close(&j->team);
    for (int32_t k = 0; j->search != NULL && k < j->threads; k++)
        mm_search_close(j->ctx, &j->search[k]);
    mco_free(j->ctx, &j->search);
    mco_free(j->ctx, &j->reached);
    mco_run_clear(&j->run);
    mco_clear_cancel(j->ctx);
}

// ---- A GPU

#ifdef MCO_HAVE_CUDA
static int64_t sum(const int64_t *value, int64_t count)
{
    int64_t all = 0;
    for (int64_t k = 0; k < count; k++)
        all += value[k];
    return all;
}

// `label`: the labels of the first query, or NULL.
static mco_status run_gpu(job *j, int32_t *arrival, int64_t *all_reached, int32_t *label)
{
    mco_status st = MCO_OK;
    mm_device *device = NULL;
    int64_t *reached = NULL, done_count = 0;
    MCO_TRY(mco_alloc(j->ctx, &reached, j->count));
    MCO_TRY(mm_device_open(j->ctx, j->network, j->automaton, j->p.gpus, j->count, NULL, &device));
    MCO_TRY(mm_device_find(j->ctx, device, &j->run, j->count, j->query, arrival, reached, &done_count));
    atomic_store(&j->done, done_count);
    *all_reached = sum(reached, j->count);
    j->gpus = (uint64_t)1 << mm_device_tell(device)->gpu;
    j->device_s = mm_device_tell(device)->device_s;
    if (label != NULL && done_count == j->count)
        MCO_TRY(mm_device_labels(j->ctx, device, 0, label));
done:
    mm_device_close(j->ctx, &device);
    mco_free(j->ctx, &reached);
    return st;
}
#else
static mco_status run_gpu(job *j, int32_t *arrival, int64_t *all_reached, int32_t *label)
{
    mco_gpu gpu;
    (void)arrival;
    (void)all_reached;
    (void)label;
    const mco_status st = mco_gpu_choose(j->ctx, j->p.gpus, &gpu);
    return st != MCO_OK ? st : mco_fail(j->ctx, MCO_ERR_DEVICE, "this build has no GPU engines");
}
#endif

// ---- One query

static void copy_labels(const job *j, int32_t *label)
{
    const size_t states = (size_t)j->automaton->states;
    for (int32_t v = 0; v < j->network->vertices; v++)
        memcpy(label + (size_t)v * states, mm_labels(&j->search[0], v), states * sizeof *label);
}

static mco_status find_labels(job *j, mco_multimodal_tree *tree)
{
    mco_status st = MCO_OK;
    int64_t reached = 0;
    MCO_TRY(mco_alloc(j->ctx, &tree->label, (int64_t)j->network->vertices * j->automaton->states));
    if (j->engine == MCO_ENGINE_REFERENCE) {
        bool is_whole = false;
        MCO_TRY(mm_ref_search(j->ctx, j->network, j->automaton, j->query, &j->run, tree->label, &is_whole));
        atomic_store(&j->done, is_whole);
    } else if (j->engine == MCO_ENGINE_GPU) {
        MCO_TRY(run_gpu(j, &tree->arrival, &reached, tree->label));
    } else {
        MCO_TRY(open_searches(j, 1));
        j->arrival = &tree->arrival;
        MCO_TRY(run_queries(j));
        copy_labels(j, tree->label);
    }
done:
    return st;
}

static mco_status settle_tree(job *j, mco_multimodal_tree *tree)
{
    mco_status st = MCO_OK;
    const mco_multimodal_query *q = j->query;
    if (atomic_load(&j->done) == 0) {
        mco_free(j->ctx, &tree->label);
        tree->outcome = MCO_OUTCOME_UNKNOWN;
        return MCO_OK;
    }
    tree->vertices = j->network->vertices;
    tree->states = j->automaton->states;
    tree->arrival = q->target >= 0 ? arrival_of(j, tree->label + (size_t)q->target * (size_t)tree->states) : MCO_MULTIMODAL_NONE;
    for (int64_t k = 0; k < (int64_t)tree->vertices * tree->states; k++)
        tree->reached += tree->label[k] != MCO_MULTIMODAL_NONE;
    if (q->target < 0)
        MCO_TRY(mco_multimodal_check(j->ctx, j->network, j->automaton, q, tree->label));
    else if (tree->arrival != MCO_MULTIMODAL_NONE)
        MCO_TRY(mm_journey(j->ctx, j->network, j->automaton, q, tree->label, tree->arrival, &tree->step, &tree->steps));
    tree->outcome = q->target >= 0 && tree->arrival == MCO_MULTIMODAL_NONE ? MCO_OUTCOME_INFEASIBLE : MCO_OUTCOME_OPTIMAL;
done:
    return st == MCO_ERR_CHECK ? MCO_ERR_INTERNAL : st;
}

mco_status mco_multimodal_find_tree(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                    const mco_multimodal_query *query, const mco_multimodal_params *params, mco_multimodal_tree *tree)
{
    mco_status st = MCO_OK;
    job j = {.ctx = ctx, .network = network, .automaton = automaton, .count = 1, .query = query};
    mco_multimodal_tree t = MCO_MULTIMODAL_TREE_INIT;
    const double begin_s = mco_clock_s();
    if (ctx == NULL || network == NULL || automaton == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(take_arguments(&j, params));
    MCO_TRY(mco_struct_test(ctx, "tree", tree, sizeof *tree));
    if (query == NULL)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the query is NULL"));
    MCO_TRY(test_query(&j, query, 0));
    choose_engine(&j, 1);
    MCO_TRY(find_labels(&j, &t));
    t.stop = j.run.stop;
    t.work = work_of(&j, begin_s);
    MCO_TRY(settle_tree(&j, &t));
    mco_struct_give(tree, &t, sizeof t);
done:
    close_job(&j);
    mco_multimodal_tree_clear(ctx, &t);  // what was not given
    return st;
}

void mco_multimodal_tree_clear(mco_context *ctx, mco_multimodal_tree *tree)
{
    mco_multimodal_tree full = MCO_MULTIMODAL_TREE_INIT;
    if (tree == NULL)
        return;
    mco_struct_clear(tree, &full, sizeof full);
    mco_free(ctx, &full.label);
    mco_free(ctx, &full.step);
}

// ---- Many queries

static mco_status find_by_reference(job *j)
{
    mco_status st = MCO_OK;
    int32_t *label = NULL;
    bool is_whole = true;
    MCO_TRY(mco_alloc(j->ctx, &label, (int64_t)j->network->vertices * j->automaton->states));
    for (int64_t k = 0; k < j->count && !mco_run_must_stop(&j->run, k); k++) {
        const mco_multimodal_query *q = &j->query[k];
        MCO_TRY(mm_ref_search(j->ctx, j->network, j->automaton, q, &j->run, label, &is_whole));
        if (!is_whole)
            break;
        MCO_TRY(mm_certify_labels(j->ctx, j->network, j->automaton, q, label));
        j->arrival[k] = q->target < 0 ? MCO_MULTIMODAL_NONE : arrival_of(j, label + (size_t)q->target * (size_t)j->automaton->states);
        atomic_fetch_add(&j->done, 1);
    }
done:
    mco_free(j->ctx, &label);
    return st;
}

mco_status mco_multimodal_find_many(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, int64_t count,
                                    const mco_multimodal_query *query, const mco_multimodal_params *params, int32_t *arrival,
                                    mco_multimodal_result *result)
{
    mco_status st = MCO_OK;
    job j = {.ctx = ctx, .network = network, .automaton = automaton, .count = count, .query = query, .arrival = arrival};
    mco_multimodal_result r = MCO_MULTIMODAL_RESULT_INIT;
    const double begin_s = mco_clock_s();
    if (ctx == NULL || network == NULL || automaton == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(take_arguments(&j, params));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof *result));
    if (count < 0 || (count > 0 && (query == NULL || arrival == NULL)))
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " queries, and a pointer is NULL", count));
    for (int64_t k = 0; k < count; k++)
        MCO_TRY(test_query(&j, &query[k], k));
    choose_engine(&j, count);
    if (j.engine == MCO_ENGINE_REFERENCE) {
        MCO_TRY(find_by_reference(&j));
    } else if (j.engine == MCO_ENGINE_GPU && count > 0) {
        MCO_TRY(run_gpu(&j, arrival, &r.reached, NULL));
    } else if (count > 0) {
        MCO_TRY(open_searches(&j, count));
        MCO_TRY(run_queries(&j));
    }
    r.done = atomic_load(&j.done);
    r.outcome = r.done == count ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_UNKNOWN;
    r.stop = j.run.stop;
    for (int32_t k = 0; j.reached != NULL && k < j.threads; k++)
        r.reached += j.reached[k];
    r.work = work_of(&j, begin_s);
    mco_struct_give(result, &r, sizeof r);
done:
    close_job(&j);
    return st;
}

mco_status mco_multimodal_find_profile(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                       const mco_multimodal_query *query, int32_t step, int64_t count,
                                       const mco_multimodal_params *params, int32_t *arrival, mco_multimodal_result *result)
{
    mco_status st = MCO_OK;
    mco_multimodal_query *all = NULL;
    if (ctx == NULL || query == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (step < 1 || count < 0 || (double)query->depart + (double)step * (double)count > MCO_MULTIMODAL_NONE / 2)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " departures every %d s from %d s on, up to %d s were expected", count, step, query->depart,
                        MCO_MULTIMODAL_NONE / 2);
    MCO_TRY(mco_alloc(ctx, &all, count));
    for (int64_t k = 0; k < count; k++) {
        all[k] = *query;
        all[k].depart += (int32_t)(k * step);
    }
    MCO_TRY(mco_multimodal_find_many(ctx, network, automaton, count, all, params, arrival, result));
done:
    mco_free(ctx, &all);
    return st;
}
