// SPDX-License-Identifier: MIT
#include "flowshop/tree/branch_and_bound.h"

#include <stdio.h>
#include <string.h>

#include "flowshop/cluster/cluster.h"
#include "flowshop/heuristic/turns.h"
#include "flowshop/systems/pool.h"
#include "flowshop/tree/engines.h"
#include "flowshop/tree/ref.h"

// Fills `state` with the whole tree, or with the slice of --interval.
static mco_status prepare_state(flowshop_run *run, flowshop_checkpoint *state)
{
    mco_status st = MCO_OK;
    const mco_flowshop_params *p = run->params;
    flowshop_interval whole = {0};
    MCO_TRY(flowshop_interval_create(run->ctx, run->shop->jobs, &whole));
    state->is_fixed = run->fixed_bound >= 0;
    state->rule_bound = state->is_fixed ? run->fixed_bound : run->upper_bound;
    state->is_slice = p->interval != NULL;
    if (p->interval != NULL)
        MCO_TRY(flowshop_interval_parse(run->ctx, p->interval, run->shop->jobs, &whole));
    whole.bound = run->result->bound;
    MCO_TRY(flowshop_intervals_add(run->ctx, &state->open, &whole));
done:
    flowshop_interval_destroy(run->ctx, &whole);
    return st;
}

static mco_status refuse_resume(const flowshop_run *run, const flowshop_checkpoint *c)
{
    const mco_flowshop_params *p = run->params;
    const char *file = p->resume;
    char text[FLOWSHOP_UNITS_TEXT];
    if (p->bound != MCO_FLOWSHOP_BOUND_AUTO && p->bound != c->bound)
        return mco_fail(run->ctx, MCO_ERR_PARSE, "%s was written with another --bound: give the same or none", file);
    if (p->branching != MCO_FLOWSHOP_BRANCHING_AUTO && p->branching != c->branching)
        return mco_fail(run->ctx, MCO_ERR_PARSE, "%s was written with another --branching: give the same or none",
                        file);
    if (run->fixed_bound >= 0 && (!c->is_fixed || run->fixed_bound != c->rule_bound))
        return mco_fail(run->ctx, MCO_ERR_PARSE, "%s was written with upper bound %s%s, now it is %lld", file,
                        flowshop_units_text(run->shop, c->rule_bound, text), c->is_fixed ? "" : " of the heuristic",
                        (long long)p->upper_bound);
    return MCO_OK;
}

static mco_status resume(flowshop_run *run, flowshop_checkpoint *state)
{
    mco_status st = MCO_OK;
    mco_flowshop_result *r = run->result;
    char text[FLOWSHOP_UNITS_TEXT];
    MCO_TRY(flowshop_checkpoint_read(run->ctx, run->shop, run->params->resume, state));
    MCO_TRY(refuse_resume(run, state));
    run->bound = state->bound;
    run->branching = state->branching;
    run->fixed_bound = state->is_fixed ? state->rule_bound : -1;
    run->upper_bound = state->upper_bound < run->upper_bound ? state->upper_bound : run->upper_bound;
    if (state->makespan >= 0 && (r->makespan < 0 || state->makespan < r->makespan))
        MCO_TRY(flowshop_run_adopt(run, state->makespan, state->order, "resumed"));
    const int64_t cells = ((int64_t)run->shop->jobs + 1) * r->children_columns;
    r->nodes = r->nodes_resumed = flowshop_search_nodes(state);
    r->leaves = state->leaves;
    r->steals = state->steals;
    r->iterations += state->iterations;
    memcpy(r->children_by_depth, state->children_by_depth, (size_t)cells * sizeof *r->children_by_depth);
    mco_log(run->ctx, MCO_LOG_INFO, "resumed: %lld intervals open, %lld nodes done, best %s", (long long)state->open.count,
            (long long)r->nodes_resumed, r->makespan >= 0 ? flowshop_units_text(run->shop, r->makespan, text) : "unknown");
done:
    return st;
}

static mco_status search_tree(flowshop_run *run, flowshop_checkpoint *state, bool *is_proved, mco_stop *stop)
{
    mco_flowshop_result *r = run->result;
    r->upper_bound_used = state->rule_bound;
    r->bound_used = run->bound;
    r->branching_used = run->branching;
    if (run->station != NULL)
        return flowshop_coordinate(run, state, is_proved, stop);
    if (run->params->select == MCO_FLOWSHOP_SELECT_BEST)
        return flowshop_best_first(run, is_proved, stop);
    switch (r->work.engine) {
    case MCO_ENGINE_REFERENCE: return flowshop_reference(run, is_proved, stop);
    case MCO_ENGINE_CPU:
    case MCO_ENGINE_GPU:
    case MCO_ENGINE_HYBRID: return flowshop_search_tree(run, state, is_proved, stop);
    default: return flowshop_pool(run, state, is_proved, stop);
    }
}

// Computes nodes_by_depth, and counts the lower bounds that the branching rule asks for: of each decomposed node, those
// of one end or of both. The root counts too, if the tree was searched at all. The count is a property of the tree.
// With a rule that asks for one end, engines compute both all the same.
static void count_from_rows(const flowshop_run *run, bool has_root)
{
    mco_flowshop_result *r = run->result;
    const int64_t n = run->shop->jobs;
    const int64_t ends = run->branching == MCO_FLOWSHOP_BRANCHING_FORWARD || run->branching == MCO_FLOWSHOP_BRANCHING_BACKWARD ||
                                 run->branching == MCO_FLOWSHOP_BRANCHING_ALTERNATE
                             ? 1
                             : 2;
    r->bounds = has_root ? ends * n : 0;
    for (int64_t d = 1; d <= n; d++) {
        for (int64_t c = 0; c < r->children_columns; c++)
            r->nodes_by_depth[d] += r->children_by_depth[d * r->children_columns + c];
        r->bounds += ends * (n - d) * r->nodes_by_depth[d];
    }
}

static mco_status refuse_gpu_asked_for(const flowshop_run *run)
{
    char text[MCO_ERROR_LENGTH];
    mco_status st = flowshop_refuse_gpu(run);
    if (st == MCO_OK)
        return MCO_OK;
    snprintf(text, sizeof text, "%s", mco_context_error(run->ctx));
    return mco_fail(run->ctx, st, "%s: use --engine cpu", text);
}

mco_status flowshop_branch_and_bound(flowshop_run *run, mco_stop *stop)
{
    mco_status st = MCO_OK;
    mco_flowshop_result *r = run->result;
    const mco_flowshop_params *p = run->params;
    const int64_t n = run->shop->jobs;
    flowshop_checkpoint state = {0};
    int64_t before = -1;
    bool is_proved = false, is_searched = false;
    MCO_TRY(flowshop_checkpoint_create(run->ctx, run->shop->jobs, &state));
    MCO_TRY(mco_alloc(run->ctx, &r->nodes_by_depth, n + 1));
    r->children_columns = flowshop_children_columns(run->shop->jobs);
    MCO_TRY(mco_alloc(run->ctx, &r->children_by_depth, (n + 1) * r->children_columns));
    if (p->resume != NULL)
        MCO_TRY(resume(run, &state));
    if (r->work.engine == MCO_ENGINE_GPU || r->work.engine == MCO_ENGINE_HYBRID)
        MCO_TRY(refuse_gpu_asked_for(run));
    if (p->resume == NULL) {
        if (p->upper_bound < 0) {
            MCO_TRY(flowshop_find_first_schedule(run, stop));
            r->heuristic_s = mco_run_time_s(&run->run);
        }
        MCO_TRY(prepare_state(run, &state));
    }
    is_proved = state.open.count == 0 || (!state.is_slice && r->makespan >= 0 && r->makespan <= r->bound);
    is_searched = !is_proved && !flowshop_run_must_stop(run, r->nodes, stop);
    before = r->makespan;
    if (is_searched)
        MCO_TRY(search_tree(run, &state, &is_proved, stop));
    else if (p->checkpoint != NULL && state.rule_bound <= INT32_MAX)
        r->is_checkpoint_lost = flowshop_run_write_checkpoint(run, &state) != MCO_OK;
    if (is_proved)
        *stop = MCO_STOP_FINISHED;
    run->is_tree_vain = is_searched && !state.is_slice && *stop == MCO_STOP_TIME && p->upper_bound < 0 && r->makespan == before;
    // No schedule is shorter than the upper bound.
    if (is_proved && !state.is_slice)
        flowshop_run_raise_bound(run, run->upper_bound);
    count_from_rows(run, is_searched || r->nodes > 0);
done:
    flowshop_checkpoint_destroy(run->ctx, &state);
    return st;
}
