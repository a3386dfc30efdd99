// SPDX-License-Identifier: MIT
// Entry points: they validate, settle method and engine, run, certify, and fill the result.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/machine.h"
#include "base/options.h"
#include "base/ranks.h"
#include "base/structs.h"
#include "traffic/check.h"
#include "traffic/model/network.h"
#include "traffic/solve.h"

#define MCO_OPTION_STRUCT mco_traffic_params
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_TRAFFIC_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

const mco_option_table *mco_traffic_options(void)
{
    return &options;
}

// ---- Passes

mco_status traffic_note(const traffic_call *call, double objective, double gap)
{
    mco_status st = MCO_OK;
    traffic_history *h = call->history;
    MCO_TRY(mco_grow(call->run->ctx, &h->pass, &h->room, h->count + 1));
    h->pass[h->count++] = (mco_traffic_pass){mco_run_time_s(call->run), objective, gap};
    h->objective = objective;
    h->gap = gap;
    if (!h->is_quiet)
        MCO_TRY(mco_run_improve(call->run, objective, NULL, ""));
done:
    return st;
}

static void write_columns(void *user, char *out, size_t size)
{
    const traffic_history *h = user;
    snprintf(out, size, " %9" PRId64 " %12.3e", h->count, h->gap);
}

void traffic_answer_clear(mco_context *ctx, traffic_answer *answer)
{
    mco_free(ctx, &answer->flow);
    mco_free(ctx, &answer->class_flow);
    mco_free(ctx, &answer->price);
    traffic_flows_clear(ctx, &answer->flows);
    traffic_pairs_clear(ctx, &answer->pairs);
    traffic_plan_clear(ctx, &answer->plan);
    traffic_certificate_clear(ctx, &answer->certificate);
}

double traffic_objective(const traffic_problem *problem, const double *flow, const double *class_flow)
{
    traffic_sum sum = {0, 0};
    for (int32_t l = 0; l < problem->links; l++) {
        traffic_sum_add(&sum, traffic_integral(&problem->costs, l, flow[l]));
        for (int32_t k = 0; k < problem->classes && problem->extra != NULL; k++) {
            const int64_t i = (int64_t)k * problem->links + l;
            traffic_sum_add_product(&sum, problem->extra[i], class_flow != NULL ? class_flow[i] : flow[l]);
        }
    }
    return sum.high;
}

// ---- A solve

static mco_status refuse_options(const traffic_solve *s)
{
    const mco_traffic_params *p = &s->p;
    const bool is_reference = p->engine == MCO_ENGINE_REFERENCE;
    if (is_reference && p->threads > 1)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--threads is %" PRId64 ", the reference runs on one core", p->threads);
    if (p->gpus != NULL && (is_reference || p->engine == MCO_ENGINE_CPU))
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "--gpus is for the gpu engine, the engine is %s", mco_engine_text(p->engine));
    if (s->start != NULL && s->start->flow != NULL && p->method == MCO_TRAFFIC_METHOD_PAIRS)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "flows of links start fw, cfw or bfw; the method pairs starts from a state");
    return MCO_OK;
}

// ---- Start

// Says how many origins begin anew, because the state has no flows that carry their trips.
static void say_lost_rows(const traffic_solve *s)
{
    int32_t lost = 0;
    const int32_t rows = s->problem.rows;
    for (int32_t r = 0; r < rows; r++)
        lost += s->start_flows.first[r + 1] == s->start_flows.first[r];
    if (lost > 0)
        mco_log(s->ctx, lost == rows ? MCO_LOG_WARNING : MCO_LOG_INFO, "the state has no flows for the trips of %d of %d origins, which begin anew%s", lost,
                rows, lost == rows ? ": is it of this network and these trips?" : "");
}

static mco_status take_start(traffic_solve *s)
{
    mco_status st = MCO_OK;
    const mco_traffic_start *start = s->start;
    const traffic_problem *p = &s->problem;
    if (start == NULL)
        return MCO_OK;
    if (start->state != NULL && s->p.method == MCO_TRAFFIC_METHOD_PAIRS) {
        MCO_TRY(traffic_state_take(s->ctx, p, start->state, &s->start_flows, &s->start_pairs));
        MCO_TRY(traffic_state_take_plan(s->ctx, p, start->state, &s->start_plan));
        say_lost_rows(s);
    } else if (start->state != NULL)
        mco_log(s->ctx, MCO_LOG_WARNING, "the state is not used: it starts the method pairs, the method is %s", traffic_method_text(s->p.method));
    if (start->flow == NULL)
        return MCO_OK;
    MCO_TRY(mco_alloc(s->ctx, &s->start_flow, p->links));
    for (int32_t l = 0; l < p->links; l++)
        s->start_flow[l] = p->origin_link[l] >= 0 ? start->flow[p->origin_link[l]] : 0;
    if (p->links != mco_traffic_view(s->traffic).links || p->classes > 1) {
        mco_log(s->ctx, MCO_LOG_WARNING, "flows of links do not start an assignment with turns, artificial arcs or several classes");
        mco_free(s->ctx, &s->start_flow);
    }
done:
    return st;
}

// ---- The end

// A tenth of the time limit and a tenth of a second.
static double grace_of(const mco_traffic_params *p)
{
    const double share = 0.1, least_s = 0.1;
    return p->time_limit_s < MCO_NO_LIMIT ? least_s + share * p->time_limit_s : 0;
}

bool traffic_has_grace(const traffic_call *call)
{
    return !mco_is_cancelled(call->run->ctx) && !call->run->is_asked_to_stop && mco_clock_s() < call->run->stop_s + call->grace_s;
}

// Searches the rows that have no labels, as long as the grace lasts, and closes the proof.
static mco_status prove(traffic_solve *s)
{
    mco_status st = MCO_OK;
    const int threads = s->p.engine == MCO_ENGINE_REFERENCE ? 1 : mco_settle_threads(s->p.threads);
    MCO_TRY(traffic_certificate_search(s->ctx, &s->answer.certificate, threads, s->run.stop_s + grace_of(&s->p)));
    MCO_TRY(traffic_certificate_close(s->ctx, &s->answer.certificate, &s->answer.flows, &s->proof));
done:
    return st;
}

// What is reported where time or a signal ended the proof: the engine's own gap. What was proved bounds the objective all the same.
static void settle_gap(traffic_solve *s)
{
    s->r.is_certified = s->proof.missing == 0 && isfinite(s->proof.gap);
    s->proven_gap = isfinite(s->proof.gap) ? s->proof.gap : NAN;
    if (s->r.is_certified || s->proof.gap <= s->answer.gap) {
        s->r.is_certified = true;
        return;
    }
    mco_log(s->ctx, MCO_LOG_WARNING, "the proof ended at %d of %d origins: the gap is at most %.3g, the engine's own of its last pass is %.3g",
            s->problem.rows - s->proof.missing, s->problem.rows, s->proof.gap, s->answer.gap);
    s->proof.gap = s->answer.gap;
}

static const double COARSE = 1.5;  // a proven gap above so many times the engine's own one has labels that are too coarse

// Proves the gap and the balance. An engine's own labels save the search, unless they are too coarse.
static mco_status certify(traffic_solve *s)
{
    mco_status st = MCO_OK;
    traffic_answer *a = &s->answer;
    traffic_certificate *c = &a->certificate;
    const traffic_problem *p = &s->problem;
    if (c->cost != NULL && memcmp(c->flow, a->flow, (size_t)p->links * sizeof *a->flow) != 0) {
        mco_log(s->ctx, MCO_LOG_WARNING, "the labels of the engine are of other flows: the gap is proved anew");
        traffic_certificate_clear(s->ctx, c);
    }
    const bool has_labels = c->cost != NULL;
    if (!has_labels)
        MCO_TRY(traffic_certificate_open(s->ctx, p, a->flow, a->class_flow, c));
    MCO_TRY(prove(s));
    if (has_labels && s->proof.missing == 0 && !(s->proof.gap <= fmax(s->p.gap, COARSE * a->gap))) {
        const traffic_proof coarse = s->proof;
        traffic_certificate_reset(c);
        MCO_TRY(prove(s));
        if (!(s->proof.gap < coarse.gap))
            s->proof = coarse;
    }
    settle_gap(s);
    if (!(s->proof.imbalance <= 1e-6 * fmax(1, p->demand)))
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_INTERNAL, "trips and flows differ by %.9g at a node, the trips are %.9g", s->proof.imbalance, p->demand));
done:
    return st;
}

static mco_status give_flows(traffic_solve *s)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = &s->problem;
    const traffic_answer *a = &s->answer;
    mco_traffic_result *r = &s->r;
    r->links = mco_traffic_view(s->traffic).links;
    r->classes = p->classes;
    MCO_TRY(mco_alloc(s->ctx, &r->flow, r->links));
    MCO_TRY(mco_alloc(s->ctx, &r->cost, r->links));
    MCO_TRY(mco_alloc(s->ctx, &r->toll, r->links));
    for (int32_t l = 0; l < r->links; l++)
        r->flow[l] = a->flow[p->link_at[l]];
    if (p->classes <= 1)
        return MCO_OK;
    MCO_TRY(mco_alloc(s->ctx, &r->class_flow, (int64_t)r->classes * r->links));
    for (int32_t k = 0; k < p->classes; k++)
        for (int32_t l = 0; l < r->links; l++)
            r->class_flow[(int64_t)k * r->links + l] = a->class_flow[(int64_t)k * p->links + p->link_at[l]] / p->car_equivalent[k];
done:
    return st;
}

// What turns and artificial arcs cost; *trips: cars that use an artificial arc, at least.
static double cost_of_more(const traffic_solve *s, double *trips)
{
    const traffic_problem *p = &s->problem;
    double sum = 0, out = 0, into = 0;
    for (int32_t l = 0; l < p->links; l++) {
        if (p->origin_link[l] >= 0)
            continue;
        sum += s->answer.flow[l] * p->costs.base[l];
        if (p->origin_link[l] == TRAFFIC_ARTIFICIAL_ARC)
            *(p->tail[l] == p->hub ? &into : &out) += s->answer.flow[l];
    }
    *trips = fmax(out, into);  // a trip that uses one of each counts once, or nearly
    return sum;
}

// The dual value, and the gap: what the objective is above it, the price of what exceeds capacities, or the greatest excess as a share.
static void price_queues(traffic_solve *s)
{
    const traffic_problem *p = &s->problem;
    const traffic_answer *a = &s->answer;
    const mco_traffic_network n = mco_traffic_view(s->traffic);
    double earned = 0, violation = 0, queues = 0;
    for (int32_t l = 0; l < n.links; l++) {
        const double price = a->price[p->link_at[l]], excess = s->r.flow[l] - n.capacity[l];
        earned += price * n.capacity[l];
        queues += price * s->r.flow[l];
        violation += excess > 0 ? price * excess : 0;
        s->r.cost[l] += price;
        s->r.toll[l] = price;
    }
    const double least = isnan(s->proven_gap) ? 0 : s->proof.total - s->proven_gap * s->proof.total, bound = fmax(0, least - earned);
    s->r.bound = bound;
    if (s->r.objective > 0)
        s->r.gap = fmax(a->excess, fmax(0, (s->r.objective - bound + violation) / s->r.objective));
    if (s->p.objective == MCO_TRAFFIC_UE)
        s->r.total_cost += queues;
}

static mco_status fill(traffic_solve *s)
{
    mco_status st = MCO_OK;
    mco_traffic_result *r = &s->r;
    const traffic_problem *p = &s->problem;
    mco_traffic_facts facts = {0};
    MCO_TRY(give_flows(s));
    MCO_TRY(traffic_check_costs(s->ctx, s->traffic, &s->p, r->flow, r->class_flow, &facts, r->cost, r->toll));
    const double more = cost_of_more(s, &r->artificial_trips);
    r->total_cost = facts.total_cost + more;
    r->objective = facts.objective + more;
    r->gap = s->proof.gap > 0 ? s->proof.gap : 0;
    r->bound = isnan(r->objective) || !p->is_integral ? NAN : fmax(0, r->objective - s->proven_gap * s->proof.total);
    if (s->p.capacities == MCO_TRAFFIC_CAPACITIES_HARD)
        price_queues(s);
    if (s->p.objective == MCO_TRAFFIC_UE && fabs(r->total_cost - s->proof.total) > 1e-9 * fmax(1, s->proof.total) && p->is_integral &&
        s->p.capacities == MCO_TRAFFIC_CAPACITIES_SOFT)
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_INTERNAL, "the total cost is %.17g by the network and %.17g by the problem", r->total_cost, s->proof.total));
    r->assigned = p->assigned;
    r->intrazonal = p->intrazonal;
    r->dropped = p->dropped;
    r->dropped_pairs = p->dropped_pairs;
    r->artificial_arcs = p->artificial_arcs;
    r->iterations = s->answer.iterations;
    r->segment_pairs = s->answer.segment_pairs;
    r->method = s->p.method;
    if (s->p.wants_state && s->answer.flows.first != NULL) {
        MCO_TRY(traffic_state_of(s->ctx, p, &s->answer.flows, &s->answer.pairs, &r->state));
        traffic_state_keep_plan(s->ctx, p, &s->answer.plan, r->state);
    }
done:
    return st;
}

static void settle_outcome(traffic_solve *s)
{
    mco_traffic_result *r = &s->r;
    const bool is_done = r->is_certified && r->gap <= s->p.gap;
    r->outcome = is_done ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE;
    r->stop = is_done ? MCO_STOP_GAP : s->run.stop;
    if (!r->is_certified && r->stop == MCO_STOP_FINISHED)  // the engine was done, the proof was not
        r->stop = mco_is_cancelled(s->ctx) ? MCO_STOP_CANCELLED : MCO_STOP_TIME;
    if (r->stop == MCO_STOP_FINISHED && s->p.iterations > 0 && r->iterations >= s->p.iterations)
        r->stop = MCO_STOP_ITERATIONS;
    r->history = s->history.pass;
    r->history_count = s->history.count;
    s->history = (traffic_history){0};
    const traffic_answer *a = &s->answer;
    r->work = (mco_work){.engine = s->p.engine, .simd = a->simd, .lane_bits = a->lane_bits, .threads = a->threads > 0 ? a->threads : 1,
                         .gpus = a->gpus, .device_s = a->device_s, .solve_s = mco_run_time_s(&s->run)};
}

// Where the time limit may end the first load of pairs: flows of one quick all-or-nothing load, with their proof. Errors: not STOPPED.
static mco_status load_once(traffic_solve *s, const traffic_call *call, traffic_answer *out)
{
    mco_traffic_params params = *call->params;
    traffic_history history = {.is_quiet = true};
    traffic_call quick = *call;
    params.method = MCO_TRAFFIC_METHOD_FW;
    quick.params = &params;
    quick.history = &history;
    quick.gap = 1;
    quick.wants_state = false;
    const mco_status st = traffic_frank_wolfe_assign(s->ctx, &quick, out);
    mco_free(s->ctx, &history.pass);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}

// Pairs on cores, with first flows that are there early where time is short.
static mco_status run_pairs(traffic_solve *s, const traffic_call *call)
{
    mco_status st = MCO_OK;
    traffic_answer first = {0};
    const bool is_short = s->engine == traffic_pairs_assign && s->start_flows.first == NULL && s->problem.is_integral &&
                          s->p.time_limit_s < traffic_guess_seconds(s, MCO_TRAFFIC_METHOD_PAIRS);
    if (is_short)
        MCO_TRY(load_once(s, call, &first));
    traffic_call last = *call;
    last.spent_flows = s->engine == traffic_pairs_assign && s->start_flows.first != NULL ? &s->start_flows : NULL;
    st = s->engine(s->ctx, &last, &s->answer);
    if (st == MCO_ERR_STOPPED && s->answer.flow == NULL && first.flow != NULL) {
        mco_log(s->ctx, MCO_LOG_WARNING, "time ended the first load of pairs: the flows are those of one all-or-nothing load");
        traffic_answer_clear(s->ctx, &s->answer);
        s->answer = first;
        first = (traffic_answer){0};
        st = MCO_OK;
    }
done:
    traffic_answer_clear(s->ctx, &first);
    return st;
}

static mco_status run_engine(traffic_solve *s)
{
    double memory = mco_settle_memory(s->p.memory);
    const mco_status st = mco_ranks_least(s->ctx, &memory);
    if (st != MCO_OK)
        return st;
    const traffic_call call = {.problem = &s->problem, .params = &s->p, .run = &s->run, .history = &s->history, .gap = s->p.gap,
                               .memory = memory, .gpus = s->r.work.gpus,
                               .start_flows = s->start_flows.first != NULL ? &s->start_flows : NULL,
                               .start_pairs = s->start_pairs.first != NULL ? &s->start_pairs : NULL,
                               .start_plan = s->start_plan.batches > 0 ? &s->start_plan : NULL, .start_flow = s->start_flow, .wants_state = s->p.wants_state, .grace_s = grace_of(&s->p)};
    if (!s->problem.is_integral && s->p.capacities == MCO_TRAFFIC_CAPACITIES_SOFT)
        return traffic_streets_assign(s->ctx, s->traffic, &s->p, s->engine, &call, &s->answer);
    return run_pairs(s, &call);
}

// A result without flows.
static void settle_nothing(traffic_solve *s, mco_outcome outcome)
{
    s->r.outcome = outcome;
    s->r.objective = s->r.bound = s->r.gap = s->r.total_cost = NAN;
    s->r.method = s->p.method != MCO_TRAFFIC_METHOD_AUTO ? s->p.method : MCO_TRAFFIC_METHOD_PAIRS;
    if (s->r.reason[0] == '\0')
        snprintf(s->r.reason, sizeof s->r.reason, "none was chosen yet");
    s->r.work = (mco_work){.engine = s->p.engine != MCO_ENGINE_AUTO ? s->p.engine : MCO_ENGINE_CPU, .threads = 1,
                           .solve_s = mco_run_time_s(&s->run)};
}

static mco_status run(traffic_solve *s)
{
    mco_status st = MCO_OK;
    const mco_run_settings settings = {.time_limit_s = s->p.time_limit_s, .target = -1, .objective = "objective", .decimals = 3,
                                       .columns = "      pass relative gap", .write_columns = write_columns, .user = &s->history};
    s->run = mco_run_begin(s->ctx, &settings);
    s->ctx->call_stop_s = s->run.stop_s;
    MCO_TRY(mco_ranks_agree(s->ctx, traffic_problem_make(s->ctx, s->traffic, &s->p, &s->problem)));
    MCO_TRY(traffic_settle_ranks(s));
    traffic_choose_method(s);
    MCO_TRY(traffic_choose_engine(s));
    if (s->p.engine != MCO_ENGINE_REFERENCE)
        s->p.threads = mco_settle_threads(s->p.threads);
    mco_log(s->ctx, MCO_LOG_INFO, "method %s; engine %s", s->r.reason, mco_engine_text(s->p.engine));
    MCO_TRY(take_start(s));
    MCO_TRY(run_engine(s));
    mco_run_log_end(&s->run);
    if (s->answer.is_infeasible) {
        settle_nothing(s, MCO_OUTCOME_INFEASIBLE);
        traffic_capacitated_explain(&s->problem, &s->answer, s->r.reason);
        s->r.stop = MCO_STOP_FINISHED;
        goto done;
    }
    if (s->p.capacities == MCO_TRAFFIC_CAPACITIES_HARD)
        traffic_capacitated_settle(&s->answer, &s->problem);
    else if (!s->problem.is_integral)
        MCO_TRY(traffic_streets_settle(s->ctx, &s->p, s->answer.flow, &s->problem));
    MCO_TRY(certify(s));
    MCO_TRY(fill(s));
    settle_outcome(s);
done:
    // No flows yet: that is an answer too. It is none where another rank was stopped elsewhere.
    if (st == MCO_ERR_STOPPED && s->answer.flow == NULL && !mco_ranks_have_failed(s->ctx)) {
        settle_nothing(s, MCO_OUTCOME_UNKNOWN);
        s->r.stop = mco_is_cancelled(s->ctx) ? MCO_STOP_CANCELLED : MCO_STOP_TIME;
        st = MCO_OK;
    }
    return st;
}

// The price of anarchy: total cost of the user equilibrium by that of the system optimum. Solves for the other objective in the time that is left.
static mco_status find_anarchy(traffic_solve *s)
{
    mco_status st = MCO_OK;
    mco_traffic_params p = s->p;
    mco_traffic_result other = MCO_TRAFFIC_RESULT_INIT;
    const bool is_so = p.objective == MCO_TRAFFIC_SO;
    p.objective = is_so ? MCO_TRAFFIC_UE : MCO_TRAFFIC_SO;
    p.anarchy = false;
    p.wants_state = 0;
    if (s->p.time_limit_s < MCO_NO_LIMIT)
        p.time_limit_s = fmax(1e-3, s->p.time_limit_s - mco_run_time_s(&s->run));
    mco_log(s->ctx, MCO_LOG_INFO, "price of anarchy: the %s follows", is_so ? "user equilibrium" : "system optimum");
    MCO_TRY(mco_traffic_assign(s->ctx, s->traffic, &p, NULL, &other));
    const double ue = is_so ? other.total_cost : s->r.total_cost, so = is_so ? s->r.total_cost : other.total_cost;
    s->r.price_of_anarchy = so > 0 ? ue / so : 1;
    s->r.anarchy_gap = fmax(s->r.gap, other.gap);
done:
    mco_traffic_result_clear(s->ctx, &other);
    return st;
}

mco_status mco_traffic_assign(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params,
                              const mco_traffic_start *start, mco_traffic_result *result)
{
    mco_status st = MCO_OK;
    traffic_solve s = {.ctx = ctx, .traffic = traffic, .start = start, .p = MCO_TRAFFIC_PARAMS_INIT, .r = MCO_TRAFFIC_RESULT_INIT};
    if (ctx == NULL || traffic == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &s.p));
    MCO_TRY(mco_struct_test(ctx, "result", result, sizeof *result));
    MCO_TRY(mco_options_validate(ctx, &options, &s.p));
    MCO_TRY(refuse_options(&s));
    MCO_TRY(run(&s));
    s.r.price_of_anarchy = s.r.anarchy_gap = NAN;
    if (s.p.anarchy && s.r.flow != NULL && s.r.stop != MCO_STOP_CANCELLED)
        MCO_TRY(find_anarchy(&s));
    mco_struct_give(result, &s.r, sizeof s.r);
done:
    mco_run_clear(&s.run);
    mco_free(ctx, &s.history.pass);
    mco_free(ctx, &s.start_flow);
    traffic_flows_clear(ctx, &s.start_flows);
    traffic_pairs_clear(ctx, &s.start_pairs);
    mco_free(ctx, &s.start_plan.row);
    traffic_answer_clear(ctx, &s.answer);
    traffic_problem_clear(ctx, &s.problem);
    mco_traffic_result_clear(ctx, &s.r);  // what was not given
    ctx->call_stop_s = 0;
    mco_clear_cancel(ctx);
    return st;
}

void mco_traffic_result_clear(mco_context *ctx, mco_traffic_result *result)
{
    mco_traffic_result full = MCO_TRAFFIC_RESULT_INIT;
    if (result == NULL)
        return;
    mco_struct_clear(result, &full, sizeof full);
    mco_free(ctx, &full.flow);
    mco_free(ctx, &full.class_flow);
    mco_free(ctx, &full.cost);
    mco_free(ctx, &full.toll);
    mco_free(ctx, &full.history);
    mco_traffic_state_clear(ctx, &full.state);
}
