// SPDX-License-Identifier: MIT
// mco_overlay_solve(): a bound, whose duals guide the search; the search; the check.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/options.h"
#include "base/structs.h"
#include "lp/lp.h"
#include "overlay/branch.h"
#include "overlay/counts.h"
#include "overlay/dual.h"
#include "overlay/matching.h"
#include "overlay/search.h"

#define MCO_OPTION_STRUCT mco_overlay_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_OVERLAY_SOLVE_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

enum { SHAKES_A_NODE = 100, FEWEST_SHAKES = 5, FEW_CANDIDATES = 32, SHAKES_A_LOOK = 64, MOST_OF_PROGRAM = 3000, FIRST_JUMPS = 30 };
static const double BOUND_SHARE = 0.3;  // of the time limit
static const double COUNT_S = 1e-7;      // a link, to make the instance of numbers of links
static const double BRANCH_SHARE = 0.7;  // of the time limit, when the branch and bound ends
static const double PROGRAMS = 4e6;      // times the square of the nodes: the programs of a branch and bound without time limit
static const double PROVEN = 1e-9, ROUNDED = 4;  // share of the bound; units of a weight

const mco_option_table *mco_overlay_options(void)
{
    return &options;
}

typedef struct solver {
    mco_context *ctx;
    const mco_overlay *o;
    mco_overlay_params p;
    mco_run run;
    mco_overlay_bound_result bound;
    double *price;    // [nodes] of links; NULL: the duals of the bound guide
    overlay_matching matching;
    overlay_search search;
    double recorded;  // worth of the last solution, in units
    mco_overlay_result r;
} solver;

// The bound by numbers of links: all links have the same limit there, so jumps are slow to agree, and up to MOST_OF_PROGRAM nodes the linear
// program is solved. Its duals, prices of links, guide the search.
static mco_status count_links(solver *s, const mco_overlay_bound_params *p)
{
    mco_status st = MCO_OK;
    mco_overlay *counts = NULL;
    mco_overlay_bound_params counting = *p;
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    MCO_TRY(overlay_counts_open(s->ctx, &s->run, s->o, &counts));
    if (counts == NULL)
        goto done;
    if (overlay_matching_pays(s->o))
        counting.iterations = FIRST_JUMPS;  // a start of the matching
    else if (counts->nodes <= MOST_OF_PROGRAM && mco_lp_is_there())
        counting.method = MCO_OVERLAY_METHOD_LP;
    MCO_TRY(overlay_bound(s->ctx, counts, &counting, &r));
    s->run.is_asked_to_stop |= r.stop == MCO_STOP_CANCELLED;
    const double bound = overlay_counts_bound(s->o, r.bound);
    mco_log(s->ctx, MCO_LOG_INFO, "bound by bandwidths %.10g, by numbers of links %.10g", s->r.bound, bound);
    if (bound < s->r.bound) {
        s->r.bound = bound;
        snprintf(s->r.reason, sizeof s->r.reason, "the bound is that of numbers of links");
    }
    MCO_TRY(mco_alloc(s->ctx, &s->price, s->o->nodes));
    for (int32_t i = 0; i < s->o->nodes; i++)
        s->price[i] = overlay_counts_price(counts, r.duals[i]);
done:
    mco_overlay_bound_result_clear(s->ctx, &r);
    mco_overlay_destroy(s->ctx, &counts);
    return st;
}

// The bound by matchings, from the duals of the numbers of links. Its prices of links guide the search from then on.
static mco_status match_links(solver *s)
{
    mco_status st = MCO_OK;
    MCO_TRY(overlay_matching_find(s->ctx, &s->run, s->o, s->bound.duals, s->price, &s->matching));
    if (s->matching.count == 0)
        return MCO_OK;
    for (int32_t i = 0; i < s->o->nodes; i++)
        s->price[i] = s->matching.price[i];
    if (s->matching.bound < s->r.bound) {
        s->r.bound = s->matching.bound;
        snprintf(s->r.reason, sizeof s->r.reason, "the bound is that of a matching");
    }
done:
    return st;
}

static mco_status find_bound(solver *s)
{
    mco_status st = MCO_OK;
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    p.simd = s->p.simd;
    p.threads = s->p.threads;
    p.gpus = s->p.gpus;
    if (s->p.time_limit_s < MCO_NO_LIMIT)
        p.time_limit_s = BOUND_SHARE * s->p.time_limit_s;
    MCO_TRY(overlay_bound(s->ctx, s->o, &p, &s->bound));
    s->r.bound = s->bound.bound;
    s->run.is_asked_to_stop = s->bound.stop == MCO_STOP_CANCELLED;  // the callback may ask once
    const double counting_s = COUNT_S * (double)s->o->links, left_s = s->p.time_limit_s - mco_run_time_s(&s->run);
    if (!s->run.is_asked_to_stop && counting_s < left_s && overlay_counts_pay(s->o))
        MCO_TRY(count_links(s, &p));
    if (!s->run.is_asked_to_stop && s->price != NULL && overlay_matching_pays(s->o))
        MCO_TRY(match_links(s));
    mco_run_raise_bound(&s->run, s->r.bound);
done:
    return st;
}

// Takes the overlay of the search if it is worth more than the last one. No answer leaves unchecked.
static mco_status record(solver *s, const char *source)
{
    mco_status st = MCO_OK;
    if (s->search.worth <= s->recorded)
        return MCO_OK;
    MCO_TRY(overlay_give(&s->search, &s->r.solution));
    MCO_TRY(mco_overlay_check(s->ctx, s->o, &s->r.solution, &s->r.worth));
    s->recorded = s->search.worth;
    MCO_TRY(mco_run_improve(&s->run, s->r.worth, &s->r.solution, source));
done:
    return st;
}

// Whether the bound proves the overlay but for the rounding of weights: bounds allow for ROUNDED units that a weight may have lost, on
// each unit of bandwidth that links may carry.
static bool is_proven(const solver *s)
{
    double carried = 0;
    for (int32_t i = 0; i < s->o->nodes; i++)
        carried += 0.5 * s->o->bandwidth[i];
    const double lost = ROUNDED * 0x1p-32 * s->o->weight_unit * carried / (double)s->o->scale;
    return s->r.worth >= s->r.bound * (1 - PROVEN) - lost;
}

// As asked for; without end where there is a time limit. Else some a node, fewer where nodes have many candidates: the time of a chain
// grows with their square.
static int64_t shakes_of(const solver *s)
{
    if (s->p.iterations > 0)
        return s->p.iterations;
    if (s->p.time_limit_s < MCO_NO_LIMIT)
        return INT64_MAX;
    const double candidates = 2.0 * (double)s->search.links / fmax(s->o->nodes, 1), share = FEW_CANDIDATES / fmax(candidates, FEW_CANDIDATES);
    return (int64_t)fmax(SHAKES_A_NODE * share * share, FEWEST_SHAKES) * s->o->nodes;
}

static int64_t exact_worth(const overlay_search *search)
{
    int64_t worth = 0;
    for (int64_t e = 0; e < search->links; e++)
        worth += (int64_t)search->link[e].weight * search->x[e];
    return worth;
}

// Proves the overlay of the search, or finds a better one, where there are few nodes.
static mco_status branch(solver *s)
{
    mco_status st = MCO_OK;
    overlay_branch_result r = {0};
    const bool is_timed = s->p.time_limit_s < MCO_NO_LIMIT;
    const double nodes = fmax(s->o->nodes, 1);
    if (is_proven(s) || !overlay_branch_takes(s->o))
        return MCO_OK;
    const int64_t programs = is_timed ? INT64_MAX : (int64_t)(PROGRAMS / (nodes * nodes));
    MCO_TRY(overlay_branch(s->ctx, &s->run, s->o, exact_worth(&s->search), programs, is_timed ? BRANCH_SHARE : INFINITY, &r));
    if (r.is_better) {
        MCO_TRY(mco_overlay_check(s->ctx, s->o, &r.solution, &s->r.worth));
        mco_overlay_solution_clear(s->ctx, &s->r.solution);
        s->r.solution = r.solution;
        r.solution = (mco_overlay_solution){0};
        s->recorded = s->r.worth * (double)s->o->scale / s->o->weight_unit * 0x1p32;
        MCO_TRY(mco_run_improve(&s->run, s->r.worth, &s->r.solution, "branches"));
    }
    if (r.bound < s->r.bound) {
        s->r.bound = r.bound;
        mco_run_raise_bound(&s->run, r.bound);
        snprintf(s->r.reason, sizeof s->r.reason, "the bound is that of a branch and bound of %" PRId64 " linear programs", r.programs);
    }
done:
    mco_overlay_solution_clear(s->ctx, &r.solution);
    return st;
}

static mco_status search(solver *s)
{
    mco_status st = MCO_OK;
    const overlay_guide guide = {.dual = s->bound.duals, .price = s->price, .seed = (uint64_t)s->p.seed};
    MCO_TRY(overlay_search_open(s->ctx, &s->run, s->o, &guide, &s->search));
    const int64_t most = shakes_of(s);
    MCO_TRY(record(s, "greedy"));
    MCO_TRY(overlay_start_over(&s->search));
    if (s->matching.count > 0)
        MCO_TRY(overlay_start_with(&s->search, s->matching.count, s->matching.from, s->matching.to));
    MCO_TRY(overlay_descend(&s->search));
    MCO_TRY(record(s, "chains"));
    MCO_TRY(branch(s));
    for (int64_t k = 0; k < most && s->search.links > 0; k++) {
        if (k % SHAKES_A_LOOK == 0)
            MCO_TRY(record(s, "shakes"));
        if (mco_run_must_stop(&s->run, s->search.moves) || (k % SHAKES_A_LOOK == 0 && is_proven(s)))
            break;
        MCO_TRY(overlay_shake(&s->search));
    }
    MCO_TRY(record(s, "shakes"));
    if (s->run.stop == MCO_STOP_FINISHED && s->p.iterations > 0 && !is_proven(s))
        s->run.stop = MCO_STOP_ITERATIONS;
done:
    return st;
}

static mco_status give(solver *s)
{
    mco_overlay_result *r = &s->r;
    if (r->solution.from == NULL) {  // no link at all is an overlay, too
        const mco_status st = overlay_give(&s->search, &r->solution);
        if (st != MCO_OK)
            return st;
    }
    r->moves = s->search.moves;
    r->stop = s->run.stop;
    r->outcome = is_proven(s) ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    r->work = s->bound.work;
    r->work.solve_s = mco_run_time_s(&s->run);
    mco_run_log_end(&s->run);
    mco_run_give_history(&s->run, &r->history, &r->history_count);
    return MCO_OK;
}

mco_status mco_overlay_solve(mco_context *ctx, const mco_overlay *instance, const mco_overlay_params *params, mco_overlay_result *result)
{
    mco_status st = MCO_OK;
    solver s = {.ctx = ctx, .o = instance, .p = MCO_OVERLAY_PARAMS_INIT, .bound = MCO_OVERLAY_BOUND_RESULT_INIT, .recorded = -1,
                .search = {.ctx = ctx}, .r = MCO_OVERLAY_RESULT_INIT};
    if (ctx == NULL || instance == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &s.p));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof s.r));
    MCO_TRY(mco_options_validate(ctx, &options, &s.p));
    const mco_run_settings settings = {.time_limit_s = s.p.time_limit_s, .target = -1, .gap = s.p.gap, .maximises = true,
                                       .objective = "worth", .decimals = 4};
    s.run = mco_run_begin(ctx, &settings);
    MCO_TRY(find_bound(&s));
    MCO_TRY(search(&s));
    MCO_TRY(give(&s));
    mco_struct_give(result, &s.r, sizeof s.r);
done:
    overlay_search_close(&s.search);
    overlay_matching_clear(ctx, &s.matching);
    mco_free(ctx, &s.price);
    mco_overlay_bound_result_clear(ctx, &s.bound);
    mco_run_clear(&s.run);
    mco_overlay_result_clear(ctx, &s.r);  // what was not given
    mco_clear_cancel(ctx);
    return st;
}

void mco_overlay_solution_clear(mco_context *ctx, mco_overlay_solution *solution)
{
    if (solution == NULL)
        return;
    mco_free(ctx, &solution->from);
    mco_free(ctx, &solution->to);
    mco_free(ctx, &solution->bandwidth);
    solution->count = 0;
}

void mco_overlay_result_clear(mco_context *ctx, mco_overlay_result *result)
{
    mco_overlay_result full = MCO_OVERLAY_RESULT_INIT;
    if (result == NULL)
        return;
    mco_struct_clear(result, &full, sizeof full);
    mco_overlay_solution_clear(ctx, &full.solution);
    mco_free(ctx, &full.history);
}
