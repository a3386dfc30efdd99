// SPDX-License-Identifier: MIT
// Who searches the tree. Engine auto decides by measurement; Chakroun's meta-algorithm (2013) decides by the class of
// the instance. The cores begin, since the search of most small trees ends before a GPU is open. Then the GPUs take
// over for a while. Then the cores join if they are fast enough to help.
#include "flowshop/tree/engines.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#ifdef MCO_HAVE_CUDA
#include "flowshop/gpu/explorer.h"
#endif

static const double CORES_LEG_S = 0.2;   // about as long as it takes to open a GPU
static const double GPUS_LEG_S = 0.5;    // only the second half is measured: at first a GPU has too few intervals
static const double WORTH_JOINING = 0.02;  // cores join only with at least this share of the rate of the GPUs

// With engine hybrid, each GPU takes a core for the thread that drives it, unless --threads is given. A driving thread
// that has to wait for a core leaves its GPU idle.
int flowshop_exploring_cores(const flowshop_run *run, mco_engine engine)
{
    if (engine == MCO_ENGINE_GPU)
        return 0;
    if (engine != MCO_ENGINE_HYBRID || run->params->threads > 0)
        return run->threads;
    return run->threads > run->gpu_count ? run->threads - run->gpu_count : 1;
}

void flowshop_use_engine(flowshop_run *run, mco_engine engine)
{
    mco_flowshop_result *r = run->result;
    bool has_gpus = engine == MCO_ENGINE_GPU || engine == MCO_ENGINE_HYBRID;
    r->work.engine = engine;
    r->work.threads = has_gpus ? run->gpu_count + flowshop_exploring_cores(run, engine) : run->threads;
}

mco_status flowshop_refuse_gpu(const flowshop_run *run)
{
#ifdef MCO_HAVE_CUDA
    return flowshop_gpu_refuse(run->ctx, run->shop);
#else
    (void)run;
    return MCO_OK;
#endif
}

// ---- A search: what all its legs share

typedef struct tree_search {
    flowshop_run *run;
    const flowshop_engine_setup *setup;
    flowshop_worker_kind *workers;  // [gpus + threads]
    flowshop_johnson johnson;       // filled with LB2 only
    flowshop_checkpoint *state;
    mco_stop *stop;
} tree_search;

// Lists the workers, GPUs first: they receive intervals before the cores do.
static mco_status list_workers(tree_search *s, flowshop_leg *leg)
{
    mco_status st = MCO_OK;
    const flowshop_run *run = s->run;
    const mco_engine engine = run->result->work.engine;
    mco_free(run->ctx, &s->workers);
    MCO_TRY(mco_alloc(run->ctx, &s->workers, run->gpu_count + run->threads));
    leg->count = 0;
    for (int i = 0; i < run->gpu_count && engine != MCO_ENGINE_CPU; i++)
        s->workers[leg->count++] = (flowshop_worker_kind){s->setup->gpu_explorer, &run->gpus[i]};
    for (int i = 0; i < flowshop_exploring_cores(run, engine); i++)
        s->workers[leg->count++] = (flowshop_worker_kind){run->variant->explorer, NULL};
    leg->workers = s->workers;
done:
    return st;
}

static mco_status search(tree_search *s, mco_engine engine, flowshop_leg *leg)
{
    mco_status st = MCO_OK;
    flowshop_use_engine(s->run, engine);
    leg->johnson = s->run->bound == MCO_FLOWSHOP_BOUND_LB2 ? &s->johnson : NULL;
    MCO_TRY(list_workers(s, leg));
    MCO_TRY(flowshop_search_leg(s->run, s->state, leg, s->stop));
done:
    return st;
}

// ---- Engine auto

// Looks for the first GPU, as the other engines do without --gpus. Returns NULL, or the reason why there is none.
static const char *find_gpu(flowshop_run *run)
{
    const char *reason = NULL;
    if (mco_alloc(run->ctx, &run->gpus, MCO_MAX_GPUS) != MCO_OK ||
        mco_gpus_list(run->ctx, run->gpus, &run->gpu_count, &reason) != MCO_OK)
        return mco_context_error(run->ctx);
    run->gpu_count = reason == NULL;
    return reason;
}

// True when the search stays on the cores: there is no GPU, or the GPU explorer cannot search this tree.
static bool stays_with_cores(flowshop_run *run)
{
    const char *reason = run->gpus == NULL ? find_gpu(run) : NULL;
    if (reason == NULL && flowshop_refuse_gpu(run) != MCO_OK)
        reason = mco_context_error(run->ctx);
    if (reason != NULL)
        mco_log(run->ctx, MCO_LOG_INFO, "engine cpu: %s", reason);
    return reason != NULL;
}

static bool is_over(const tree_search *s)
{
    return s->state->open.count == 0 || *s->stop != MCO_STOP_FINISHED;
}

// After a GPU is lost or memory is short, the cores go on with what is left. Any other failure ends the run.
static mco_status go_on_without_gpus(tree_search *s, mco_status st)
{
    if (st != MCO_ERR_DEVICE && st != MCO_ERR_MEMORY)
        return st;
    mco_log(s->run->ctx, MCO_LOG_WARNING, "engine cpu from here on: %s", mco_context_error(s->run->ctx));
    flowshop_leg rest = {.limit_s = INFINITY};
    return search(s, MCO_ENGINE_CPU, &rest);
}

// Goes on with the GPUs alone or with GPUs and cores, whichever is faster. Cores below WORTH_JOINING are not tried
// together with the GPUs, because the GPUs must stop now and then to give them work.
static mco_status search_by_the_faster(tree_search *s, const flowshop_leg *cores, const flowshop_leg *gpus)
{
    mco_status st = MCO_OK;
    const flowshop_run *run = s->run;
    flowshop_leg both = {.limit_s = s->setup->gpus_leg_s}, rest = {.limit_s = INFINITY};
    const bool is_worth_trying = cores->nodes_per_s >= WORTH_JOINING * gpus->nodes_per_s;
    if (is_worth_trying)
        MCO_TRY(search(s, MCO_ENGINE_HYBRID, &both));
    if (is_over(s))
        return MCO_OK;
    const bool is_joined = both.nodes_per_s > gpus->nodes_per_s;
    char with_both[64] = "too slow to be tried together";
    if (is_worth_trying)
        snprintf(with_both, sizeof with_both, "together %.1f M", both.nodes_per_s * 1e-6);
    mco_log(run->ctx, MCO_LOG_INFO, "engine %s: %d GPU%s %.1f M nodes/s, %d thread%s %.1f M, %s",
            is_joined ? "hybrid" : "gpu", run->gpu_count, mco_plural(run->gpu_count), gpus->nodes_per_s * 1e-6,
            run->threads, mco_plural(run->threads), cores->nodes_per_s * 1e-6, with_both);
    MCO_TRY(search(s, is_joined ? MCO_ENGINE_HYBRID : MCO_ENGINE_GPU, &rest));
done:
    return st;
}

static mco_status search_by_measurement(tree_search *s)
{
    mco_status st = MCO_OK;
    flowshop_leg cores = {.limit_s = s->setup->cores_leg_s, .goes_on = stays_with_cores};
    flowshop_leg gpus = {.limit_s = s->setup->gpus_leg_s};
    MCO_TRY(search(s, MCO_ENGINE_CPU, &cores));
    if (is_over(s))
        return MCO_OK;
    mco_log(s->run->ctx, MCO_LOG_INFO, "engine gpu for %.1f s, to be measured: %s%s", gpus.limit_s,
            s->run->gpus[0].name, s->run->gpu_count > 1 ? " and others" : "");
    st = search(s, MCO_ENGINE_GPU, &gpus);
    if (st == MCO_OK && !is_over(s))
        st = search_by_the_faster(s, &cores, &gpus);
    if (st != MCO_OK)
        st = go_on_without_gpus(s, st);
done:
    return st;
}

// ---- Any engine

static mco_status prepare_pairs(tree_search *s)
{
    mco_status st = MCO_OK;
    flowshop_run *run = s->run;
    if (run->bound != MCO_FLOWSHOP_BOUND_LB2)
        return MCO_OK;
    MCO_TRY(flowshop_johnson_create(run->ctx, run->shop, run->run.stop_s, &s->johnson));
    flowshop_run_raise_bound(run, s->johnson.bound);
done:
    return st;
}

void flowshop_fill_counters(flowshop_run *run, const flowshop_checkpoint *state)
{
    mco_flowshop_result *r = run->result;
    const size_t cells = ((size_t)run->shop->jobs + 1) * (size_t)r->children_columns;
    memcpy(r->children_by_depth, state->children_by_depth, cells * sizeof *r->children_by_depth);
    r->nodes = flowshop_search_nodes(state);
    r->leaves = state->leaves;
    r->steals = state->steals;
}

// After a GPU failed: writes what is done to the checkpoint, and adds to the error what became of it. If the leg could
// not be recorded, the last checkpoint stays.
static mco_status keep_search(tree_search *s, const flowshop_leg *leg, mco_status failure)
{
    flowshop_run *run = s->run;
    char text[MCO_ERROR_LENGTH];
    snprintf(text, sizeof text, "%s", mco_context_error(run->ctx));
    const char *file = run->params->checkpoint;
    if (file == NULL)
        return mco_fail(run->ctx, failure, "%s; the search is lost: with --checkpoint it could be resumed", text);
    if (!leg->is_recorded)
        return mco_fail(run->ctx, failure, "%s; what was done since the last checkpoint is lost", text);
    if (flowshop_run_write_checkpoint(run, s->state) == MCO_OK)
        return mco_fail(run->ctx, failure, "%s; nothing is lost: --resume %s goes on from here", text, file);
    char reason[MCO_ERROR_LENGTH];
    snprintf(reason, sizeof reason, "%s", mco_context_error(run->ctx));
    return mco_fail(run->ctx, failure, "%s; and the checkpoint could not be written: %s", text, reason);
}

mco_status flowshop_search_tree_by(flowshop_run *run, const flowshop_engine_setup *setup, flowshop_checkpoint *state,
                                   bool *is_proved, mco_stop *stop)
{
    mco_status st = MCO_OK;
    tree_search s = {.run = run, .setup = setup, .state = state, .stop = stop};
    flowshop_leg whole = {.limit_s = INFINITY, .exchange = setup->exchange};
    MCO_TRY(prepare_pairs(&s));
    // Explorers of a large instance take a while to set up.
    if (!flowshop_run_must_stop(run, run->result->nodes, stop))
        st = run->params->engine == MCO_ENGINE_AUTO ? search_by_measurement(&s) : search(&s, run->params->engine, &whole);
    if (st != MCO_OK && whole.has_lost_device)
        st = keep_search(&s, &whole, st);
    MCO_TRY(st);
    *is_proved = state->open.count == 0;
    flowshop_search_raise_bound(run, state);
    if (run->params->checkpoint != NULL)
        run->result->is_checkpoint_lost = flowshop_run_write_checkpoint(run, state) != MCO_OK;
    flowshop_fill_counters(run, state);
done:
    flowshop_johnson_destroy(run->ctx, &s.johnson);
    mco_free(run->ctx, &s.workers);
    return st;
}

mco_status flowshop_search_tree_with(flowshop_run *run, const flowshop_exchange *exchange, flowshop_checkpoint *state,
                                     bool *is_proved, mco_stop *stop)
{
    flowshop_engine_setup setup = {.cores_leg_s = CORES_LEG_S, .gpus_leg_s = GPUS_LEG_S, .exchange = exchange};
#ifdef MCO_HAVE_CUDA
    setup.gpu_explorer = &flowshop_gpu_explorer;
#endif
    return flowshop_search_tree_by(run, &setup, state, is_proved, stop);
}

mco_status flowshop_search_tree(flowshop_run *run, flowshop_checkpoint *state, bool *is_proved, mco_stop *stop)
{
    return flowshop_search_tree_with(run, NULL, state, is_proved, stop);
}
