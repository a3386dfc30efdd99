// SPDX-License-Identifier: MIT
#include "vrp/bound/root.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/machine.h"
#include "vrp/bound/entry.h"
#include "vrp/search/construct.h"

// The largest cost of an arc in units. For ng-routes it is LEAST_LARGEST where prices of PRICES times as much as a larger one would leave the
// range of values, and beyond FINE_NODES nodes, where labels come late.
enum { LARGEST = 1 << 18, LEAST_LARGEST = 27000, PRICES = 4, FINE_NODES = 1000 };
// Values of paths stay below VRP_NO_PATH / 2 with prices as large as costs.
enum { PATH_SHARE = 4 };
// Passes that the choice of an engine reckons with.
static const double PASSES = 300;
// What is kept of the time for the last passes: a share and at most so many seconds.
static const double LAST_SHARE = 0.1, LAST_MOST_S = 10;
// Cuts: a round adds at most so many, first those of the greater violation. Rounds end after FLAT_ROUNDS that raise the program by less
// than FLAT_RISE of its value and than FLAT_SHARE of the gap to the known cost.
enum { CUTS_A_ROUND = 60, RANK1_A_ROUND = 30, FLAT_ROUNDS = 3, LARGEST_SET = 12, MEMBERS_A_ROUND = 80 };
// Capacity cuts of programs solved to COARSE_PRECISION are as good as those of the optimum. Later programs have the master's own precision.
static const double COARSE_PRECISION = 1e-3;
// Programs between rounds of rank-1 rows end at this share of the gap to the known cost: the next rows raise them more.
static const double ROUGH_SHARE = 0.05;
static const double GREAT_VIOLATION = 0.05, SMALL_VIOLATION = 0.02, LEAST_VIOLATION = 0.01, FLAT_RISE = 2e-4, FLAT_SHARE = 0.015;
// Seconds that opening a program and its pricer takes, for each pair of nodes; it looks at no clock.
static const double OPEN_S = 2e-7;
// Arcs are removed where the bound is so near to the known cost, and again when the gap has shrunk to this share.
static const double NEAR = 0.1, SHRUNK = 0.8;

// ---- Open, close

// Loads become coarse where q tables of them would take more than half of the memory, or are more than MOST_LOADS. Then ng tables of 8
// customers a set take at most TABLE_BYTES and an eighth of the memory.
enum { MOST_LOADS = 1 << 24, LEAST_COARSE = 64, MOST_COARSE = 1 << 14, Q_BYTES = 16, NG_BYTES = 256 };
static const double TABLE_BYTES = 1 << 30;

static void fit_loads(const vrp_proof *proof, vrp_bound_problem *p)
{
    const double memory = mco_settle_memory(proof->params->memory), sides = p->is_symmetric ? 1 : 2, nodes = sides * p->nodes;
    const double most = fmin(memory / 8, TABLE_BYTES) / (NG_BYTES * nodes);
    if (p->capacity <= MOST_LOADS && ((double)p->capacity + 1) * Q_BYTES * nodes <= memory / 2)
        return;
    vrp_bound_coarsen_loads(p, (int32_t)fmax(LEAST_COARSE, fmin(MOST_COARSE, most)));
    if (p->has_coarse_loads)
        mco_log(proof->ctx, MCO_LOG_DETAIL, "loads: rounded down to a capacity of %d, for the size of the tables", p->capacity);
}

static mco_status open_problem(const vrp_proof *proof, int32_t vehicles, int32_t largest, vrp_bound_problem *out)
{
    const double stop_s = proof->open_stop_s > 0 ? proof->open_stop_s : INFINITY;
    const mco_status st = vrp_bound_problem_open_until(proof->ctx, proof->problem, vehicles, proof->params->vehicles_exactly > 0, largest,
                                                       stop_s, out);
    if (st == MCO_OK)
        fit_loads(proof, out);
    return st;
}

// Opens the problem with the largest unit whose costs stay below `largest` and whose paths stay in range.
mco_status vrp_root_open_problem(const vrp_proof *proof, int32_t largest, vrp_bound_problem *out)
{
    const int64_t exactly = proof->params->vehicles_exactly;
    const int32_t vehicles = exactly > 0 ? (int32_t)exactly : proof->problem->vehicles;
    mco_status st = open_problem(proof, vehicles, largest, out);
    if (st != MCO_OK)
        return st;
    const int64_t arcs = (int64_t)out->capacity / out->least_demand + 1, room = VRP_NO_PATH / PATH_SHARE / arcs;
    if (room >= largest)
        return MCO_OK;
    vrp_bound_problem_close(proof->ctx, out);
    return open_problem(proof, vehicles, room > 1 ? (int32_t)room : 1, out);
}

static int64_t known_in_units(const vrp_root *r)
{
    return r->proof->known >= 0 ? (int64_t)ceil((double)r->proof->known * r->problem.unit) : INT64_MAX;
}

// Steps of an ascent towards a cost far above that of plans would leave the range of values.
static int64_t cost_of_single_routes(const vrp_bound_problem *p)
{
    int64_t cost = 0;
    for (int32_t i = 1; i < p->nodes; i++)
        cost += (int64_t)p->cost[i] + p->cost[(int64_t)i * p->stride];
    return cost;
}

// A construction ends with the columns, and a first bound's with that bound.
static bool estimate_ends(void *user)
{
    const vrp_root *r = user;
    const double open_s = r->proof->open_stop_s, now = mco_clock_s();
    return (open_s > 0 && now >= open_s) || vrp_bound_is_over(r->proof->ctx, r->stop_s) || mco_is_cancelled(r->proof->ctx);
}

// A cost to begin with: the known one, or that of a quick construction, which also gives columns.
static mco_status estimate(vrp_root *r)
{
    mco_status st = MCO_OK;
    vrp_proof *proof = r->proof;
    const int64_t exactly = proof->params->vehicles_exactly;
    int64_t cost;
    if (proof->known >= 0) {
        const int64_t most = cost_of_single_routes(&r->problem), known = known_in_units(r);
        r->estimate = known < most ? known : most;
        return MCO_OK;
    }
    const vrp_watch watch = {estimate_ends, r};
    st = vrp_construct(proof->ctx, proof->problem, MCO_VRP_CONSTRUCTION_SAVINGS, r->settings.threads, &watch, &r->plan);
    if (st == MCO_OK && mco_vrp_check(proof->ctx, proof->problem, &r->plan, &cost) == MCO_OK) {
        r->estimate = (int64_t)((double)cost * r->problem.unit);
        if (cost == 0 && (exactly <= 0 || r->plan.routes == exactly))
            MCO_TRY(vrp_proof_offer(proof, &r->plan, cost));  // no plan costs less
    } else if (st != MCO_ERR_MEMORY)
        mco_vrp_solution_clear(proof->ctx, &r->plan);  // no plan to begin with: columns do without
done:
    return st == MCO_ERR_MEMORY ? st : MCO_OK;
}

static bool is_ng(const vrp_proof *proof)
{
    return proof->params->relaxation == MCO_VRP_RELAXATION_NG;
}

// Opens the problem, and anew in finer units where its longest paths and its size allow it.
static mco_status open_for_columns(const vrp_proof *proof, vrp_bound_problem *out)
{
    const mco_status st = vrp_root_open_problem(proof, is_ng(proof) ? LEAST_LARGEST : LARGEST, out);
    if (st != MCO_OK || !is_ng(proof) || out->nodes > FINE_NODES)
        return st;
    const int64_t arcs = (int64_t)out->capacity / out->least_demand + 1, room = VRP_NO_PATH / 8 / arcs / PRICES;
    if (room <= LEAST_LARGEST)
        return MCO_OK;
    vrp_bound_problem_close(proof->ctx, out);
    return vrp_root_open_problem(proof, room < LARGEST ? (int32_t)room : LARGEST, out);
}

mco_status vrp_root_open(vrp_proof *proof, vrp_root *out)
{
    mco_status st = MCO_OK;
    const mco_vrp_bound_params *p = proof->params;
    vrp_root *r = out;
    *r = (vrp_root){.proof = proof, .sure_bound = INT64_MIN, .round_room = proof->result->round_count};
    MCO_TRY(open_for_columns(proof, &r->problem));
    MCO_TRY(vrp_bound_settle(proof->ctx, p->engine, p->simd, p->gpus, p->threads, p->memory,
                             PASSES * vrp_bound_share(p->relaxation) * (double)vrp_q_transitions(&r->problem), NULL, &r->settings));
    r->settings.may_use_cores = proof->may_use_cores;
    r->settings.runs_often = true;
    r->settings.threads_now = proof->threads_now;
    r->stop_s = proof->run->stop_s;
    if (isfinite(r->stop_s))
        r->stop_s -= fmin(LAST_MOST_S, LAST_SHARE * (r->stop_s - mco_clock_s()));
    MCO_TRY(estimate(r));
done:
    return st;
}

void vrp_root_close(vrp_root *root)
{
    mco_context *ctx = root->proof->ctx;
    if (root->has_master)
        vrp_master_close(&root->master);
    vrp_claims_clear(ctx, &root->claims);
    vrp_claim_prices_clear(ctx, &root->refined);
    vrp_cuts_close(ctx, &root->sure_cuts);
    mco_free(ctx, &root->sure_price);
    mco_free(ctx, &root->price);
    mco_vrp_solution_clear(ctx, &root->plan);
    vrp_bound_problem_close(ctx, &root->problem);
}

// ---- Rounds

bool vrp_root_is_over(vrp_root *root)
{
    const vrp_proof *proof = root->proof;
    const int64_t work = root->has_master ? root->master.pricings : 0;
    return (proof->known >= 0 && proof->scaled_bound >= proof->known) || mco_run_must_stop(proof->run, work) ||
           mco_clock_s() >= root->stop_s;
}

// Appends a round to the result and logs it.
static mco_status add_round(vrp_root *r, mco_vrp_bound_stage stage, double bound)
{
    mco_status st = MCO_OK;
    mco_vrp_bound_result *result = r->proof->result;
    const vrp_master *m = r->has_master ? &r->master : NULL;
    const mco_vrp_bound_round round = {
        .time_s = mco_run_time_s(r->proof->run),
        .stage = stage,
        .lp = m != NULL && m->lp_value != 0 && !m->has_artificial ? m->lp_value / r->problem.unit / r->proof->problem->scale : (double)NAN,
        .bound = bound,
        .columns = m != NULL ? m->columns.count : 0,
        .cuts = m != NULL ? m->cuts.count : 0,
        .arcs = m != NULL ? vrp_master_arcs(m) : (int64_t)r->problem.nodes * r->problem.customers,
    };
    char program[32] = "none";
    if (!isnan(round.lp))
        snprintf(program, sizeof program, "%.10g", round.lp);
    MCO_TRY(mco_grow(r->proof->ctx, &result->rounds, &r->round_room, result->round_count + 1));
    result->rounds[result->round_count++] = round;
    mco_log(r->proof->ctx, MCO_LOG_DETAIL, "%-13s  LP %s  bound %.10g  %lld columns, %lld cuts, %lld arcs, %.2f s",
            mco_vrp_bound_stage_text(stage), program, bound, (long long)round.columns, (long long)round.cuts, (long long)round.arcs,
            round.time_s);
done:
    return st;
}

mco_status vrp_root_note(vrp_root *root, mco_vrp_bound_stage stage, const vrp_bound_problem *problem, int64_t bound)
{
    mco_status st = MCO_OK;
    vrp_root *r = root;
    vrp_proof *proof = r->proof;
    int64_t scaled = bound > 0 ? vrp_bound_proved(problem, bound) : 0;
    if (proof->known >= 0 && scaled > proof->known)
        scaled = proof->known;  // no plan is cheaper than the known one: that is all the bound says
    proof->scaled_bound = scaled > proof->scaled_bound ? scaled : proof->scaled_bound;
    mco_run_raise_bound(proof->run, (double)proof->scaled_bound / proof->problem->scale);
    MCO_TRY(add_round(r, stage, (double)proof->scaled_bound / proof->problem->scale));
    if (proof->exchange != NULL)
        MCO_TRY(proof->exchange(proof, proof->user));
    if (r->has_master) {
        r->master.known = known_in_units(r);
        r->master.threads = vrp_relax_threads(&r->settings);
    }
done:
    return st;
}

void vrp_root_tell_engine(vrp_root *root, const vrp_q_pass *q, const vrp_ng_pass *ng)
{
    const mco_engine engine = ng != NULL ? vrp_ng_engine_in_use(ng) : q != NULL ? vrp_q_engine_in_use(q) : root->settings.engine;
    root->proof->result->used_cores |= engine != root->settings.engine;
}

// ---- Columns

mco_status vrp_root_keep_prices(vrp_root *root)
{
    mco_status st = MCO_OK;
    vrp_root *r = root;
    mco_context *ctx = r->proof->ctx;
    const vrp_master *m = &r->master;
    if (m->removed != NULL || m->bound <= r->sure_bound)
        return MCO_OK;
    if (r->sure_price == NULL)
        MCO_TRY(mco_alloc(ctx, &r->sure_price, r->problem.nodes));
    memcpy(r->sure_price, m->price, (size_t)r->problem.nodes * sizeof *m->price);
    vrp_cuts_close(ctx, &r->sure_cuts);
    MCO_TRY(vrp_cuts_copy(ctx, &m->cuts, &r->sure_cuts));
    r->sure_bound = m->bound;
done:
    return st;
}

// ng-routes, or q-routes where those are asked for or the tables of ng-routes are too large.
static mco_status take_pricer(vrp_root *r)
{
    const vrp_proof *proof = r->proof;
    mco_status st = MCO_ERR_LIMIT;
    if (is_ng(proof)) {
        st = vrp_master_take_ng(&r->master, &r->settings, (int32_t)proof->params->ng_size);
        if (st == MCO_ERR_LIMIT)
            mco_log(proof->ctx, MCO_LOG_WARNING, "%s: the bound is one of q-routes", mco_context_error(proof->ctx));
    }
    if (st == MCO_ERR_LIMIT)
        st = vrp_master_take_q(&r->master, &r->settings);
    if (st == MCO_OK) {
        proof->result->relaxation = r->master.ng != NULL ? MCO_VRP_RELAXATION_NG : MCO_VRP_RELAXATION_Q;
        vrp_root_tell_engine(r, r->master.q, r->master.ng);
    }
    return st;
}

static mco_status note_on_the_way(void *user)
{
    mco_status st = MCO_OK;
    vrp_root *r = user;
    MCO_TRY(vrp_root_keep_prices(r));
    MCO_TRY(vrp_root_note(r, r->stage, &r->problem, r->master.bound));
done:
    return st;
}

mco_status vrp_root_solve(vrp_root *root, mco_vrp_bound_stage stage, bool *is_done)
{
    mco_status st = MCO_OK;
    vrp_root *r = root;
    r->stage = stage;
    r->master.tell = note_on_the_way;
    r->master.user = r;
    st = vrp_master_solve(&r->master, r->stop_s, is_done);
    r->master.tell = NULL;  // bounds of nodes are none of all plans
    return st != MCO_OK ? st : note_on_the_way(r);
}

bool vrp_root_wants_lp(const vrp_root *root)
{
    const mco_vrp_bound_method method = root->proof->params->method;
    return method == MCO_VRP_BOUND_METHOD_LP || (method == MCO_VRP_BOUND_METHOD_AUTO && mco_lp_is_there());
}

mco_status vrp_root_columns(vrp_root *root)
{
    mco_status st = MCO_OK;
    vrp_root *r = root;
    const vrp_proof *proof = r->proof;
    const mco_vrp_solution *plan = proof->plan.order != NULL ? &proof->plan : &r->plan;
    bool is_done;
    const double open_s = OPEN_S * (double)r->problem.nodes * r->problem.nodes;
    r->lacks_time = r->stop_s - mco_clock_s() < open_s;
    if (!vrp_root_wants_lp(r) || vrp_root_is_over(r) || r->lacks_time)
        return MCO_OK;
    MCO_TRY(vrp_master_open(proof->ctx, proof->run, &r->problem, NULL, plan, r->price, &r->master));
    r->has_master = true;
    r->master.known = known_in_units(r);
    r->master.threads = vrp_relax_threads(&r->settings);
    r->precision = r->master.precision;
    if (proof->params->cuts != MCO_VRP_CUTS_NONE && !vrp_bound_has_length(&r->problem))
        r->master.precision = COARSE_PRECISION;
    MCO_TRY(take_pricer(r));
    MCO_TRY(vrp_root_solve(r, MCO_VRP_BOUND_COLUMNS, &is_done));
    MCO_TRY(vrp_root_limit_length(r));
done:
    return st;
}

// ---- Cuts

// One round of capacity cuts. *found of them.
static mco_status cut_capacity(vrp_root *r, int32_t *found)
{
    mco_status st = MCO_OK;
    bool is_done;
    MCO_TRY(vrp_master_cut_capacity(&r->master, CUTS_A_ROUND, GREAT_VIOLATION, r->stop_s, found));
    if (*found == 0)
        MCO_TRY(vrp_master_cut_capacity(&r->master, CUTS_A_ROUND, LEAST_VIOLATION, r->stop_s, found));
    if (*found > 0)
        MCO_TRY(vrp_root_solve(r, MCO_VRP_BOUND_CAPACITY_CUTS, &is_done));
done:
    return st;
}

// Sets grow with the rank-1 rows, up to LARGEST_SET members: labels price then anyway.
static mco_status grow_sets(vrp_root *r, int32_t *added)
{
    mco_status st = MCO_OK;
    *added = 0;
    st = vrp_master_grow_sets(&r->master, &r->settings, LARGEST_SET, MEMBERS_A_ROUND, added);
    if (st == MCO_ERR_LIMIT)
        *added = 0;  // the tables of small sets have grown beyond the memory: the sets are those that were
    vrp_root_tell_engine(r, r->master.q, r->master.ng);
    if (*added > 0)
        mco_log(r->proof->ctx, MCO_LOG_DETAIL, "ng sets: %d members more", *added);
    return st == MCO_ERR_LIMIT ? MCO_OK : st;
}

// What the program lacks to the known cost; 0: none is known.
static double gap_of(const vrp_root *r, double value)
{
    return r->proof->known >= 0 ? fmax(0, (double)known_in_units(r) - value) : 0;
}

// One round of rank-1 rows, and of capacity cuts as far as they are violated much. *found of both; 0 also where labels got stuck.
static mco_status cut_rank1(vrp_root *r, int32_t *found)
{
    mco_status st = MCO_OK;
    int32_t more = 0;
    bool is_done = false;
    MCO_TRY(vrp_master_cut_rank1(&r->master, RANK1_A_ROUND, GREAT_VIOLATION, r->stop_s, found));
    if (*found < RANK1_A_ROUND / 2) {
        MCO_TRY(vrp_master_cut_rank1(&r->master, RANK1_A_ROUND - *found, SMALL_VIOLATION, r->stop_s, &more));
        *found += more;
    }
    MCO_TRY(vrp_master_cut_capacity(&r->master, RANK1_A_ROUND, GREAT_VIOLATION, r->stop_s, &more));
    *found += more;
    MCO_TRY(grow_sets(r, &more));
    *found += more;
    r->master.precision = fmax(r->precision, ROUGH_SHARE * gap_of(r, r->master.lp_value) / fabs(r->master.lp_value));
    if (*found > 0)
        MCO_TRY(vrp_root_solve(r, MCO_VRP_BOUND_RANK1_CUTS, &is_done));
    if (!is_done)
        *found = 0;
    MCO_TRY(vrp_root_remove_arcs(r));
    MCO_TRY(vrp_root_enumerate(r));
done:
    return st;
}

// Rounds until so many in turn raise the program little.
static mco_status cut_rounds(vrp_root *r, mco_status (*round)(vrp_root *, int32_t *), int32_t flat_rounds)
{
    mco_status st = MCO_OK;
    int32_t found = 1, flat = 0;
    while (found > 0 && flat < flat_rounds && r->master.end == MCO_LP_OPTIMAL && !vrp_root_is_over(r)) {
        const double before = r->master.lp_value;
        MCO_TRY(round(r, &found));
        const double rise = r->master.lp_value - before;  // a program of value 0 stays there where all distances are 0
        flat = rise <= FLAT_RISE * fabs(before) && !(rise > FLAT_SHARE * gap_of(r, before) && r->proof->known >= 0) ? flat + 1 : 0;
    }
done:
    return st;
}

mco_status vrp_root_cut_capacity(vrp_root *root)
{
    mco_status st = MCO_OK;
    vrp_root *r = root;
    bool is_done;
    if (!r->has_master || r->proof->params->cuts == MCO_VRP_CUTS_NONE)
        return MCO_OK;
    if (r->master.precision > r->precision) {
        MCO_TRY(cut_rounds(r, cut_capacity, 1));
        r->master.precision = r->precision;
        if (!vrp_root_is_over(r))
            MCO_TRY(vrp_root_solve(r, MCO_VRP_BOUND_CAPACITY_CUTS, &is_done));
    }
    MCO_TRY(cut_rounds(r, cut_capacity, FLAT_ROUNDS));
done:
    return st;
}

mco_status vrp_root_cut_rank1(vrp_root *root)
{
    const bool is_wanted = root->has_master && root->proof->params->cuts == MCO_VRP_CUTS_ALL && root->master.ng != NULL;
    const mco_status st = is_wanted ? cut_rounds(root, cut_rank1, FLAT_ROUNDS) : MCO_OK;
    if (is_wanted)
        root->master.precision = root->precision;
    return st;
}

// ---- Arcs

mco_status vrp_root_remove_arcs(vrp_root *root)
{
    mco_status st = MCO_OK;
    vrp_root *r = root;
    vrp_master *m = &r->master;
    int64_t count = 0;
    bool is_done;
    if (!r->has_master || r->proof->known < 0 || m->end != MCO_LP_OPTIMAL || m->bound == INT64_MIN || vrp_root_is_over(r))
        return MCO_OK;
    m->known = known_in_units(r);
    const double gap = (double)(m->known - m->bound);
    if (gap > NEAR * (double)m->known || (r->removal_gap > 0 && gap > SHRUNK * r->removal_gap))
        return MCO_OK;
    r->removal_gap = gap;
    st = vrp_master_remove_arcs(m, r->stop_s, &count);
    if (st != MCO_OK)
        return st == MCO_ERR_STOPPED || st == MCO_ERR_LIMIT ? MCO_OK : st;  // no arc is removed then
    MCO_TRY(vrp_claims_remove(r->proof->ctx, &r->claims, 0, &r->problem, m->bound, m->price, &m->cuts));
    mco_log(r->proof->ctx, MCO_LOG_DETAIL, "arcs: %lld of %lld are in no better plan", (long long)count,
            (long long)r->problem.nodes * r->problem.customers);
    MCO_TRY(vrp_root_solve(r, MCO_VRP_BOUND_COLUMNS, &is_done));
done:
    return st;
}
