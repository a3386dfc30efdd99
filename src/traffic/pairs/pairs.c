// SPDX-License-Identifier: MIT
// Traffic assignment by pairs of alternative segments (Bar-Gera 2010, TAPAS; Xie and Xie 2016, iTAPAS) with Newton steps.
//
//     load all trips on least-cost trees, a share of the rows after the other, so that later ones see what the earlier ones do
//     two eager passes, a share of the rows after the other: scan it, and let each of its rows shift at once
//     repeat
//         scan: least-cost trees at frozen costs; links with flow that no least-cost path has are candidates
//         stop if the gap is reached
//         for each candidate: let its row use a pair of segments that ends there, while others scan the next share of the rows
//         sweep over all pairs until little is left to move; near the end a Newton step of all pairs together
//
// Scans are what takes time. They run on all cores or on a GPU (scan.h); the rest takes a few per cent and one thread.
#include <float.h>
#include <math.h>

#include "traffic/pairs/balance.h"

enum {
    EAGER_PASSES = 2,  // of a cold start: rows shift one by one while costs change, as one pair for all is not worth much yet
    SAMPLE = 12, MOST_SAMPLES = 8,  // least batches of a share of a warm start, most shares
    PURGE = 4096,      // most pairs of an eager pass are useless soon: rows move all their flow
    PATIENCE = 30,     // passes without a smaller gap that end the solve
    SWEEPS = 30,
    LAST_SWEEPS = 5,   // after a Newton step
    SAMPLE_SWEEPS = 3, LAST_SAMPLE_SWEEPS = 1  // the same between the shares of a warm start
};
static const double CANDIDATE = 0.1;       // times gap * total / (rows * nodes): excess that deserves a pair
static const double QUICK_CANDIDATE = 10;    // the same to begin with where scans are quick
static const double QUICK_GAIN = 0.5;        // of a pass in the gap; after a smaller gain passes look at more candidates and solve more accurately
static const double LEAST_CANDIDATE = 1e-2;  // the same for the target gap
static const double LEAST_DIFFERENCE = 1e-3;  // times gap * cost of a trip: pairs that differ by less rest
static const double SWEEP_END = 0.05;      // sweeps end at this share of the first one's excess
static const double NEWTON_GAP = 1e-4;     // Newton steps begin below this gap
static const double LESS = 0.9;            // a gap is smaller below this share of the best one
static const double CERTAIN = 0.5;         // a gap below this share of the target needs no certificate to count
static const double NEAR = 1e4, NEAR_EARLY = 30;  // a pass within this factor of the target gap may be the last; without Newton steps

// ---- Passes

static mco_status use_candidates(pairs_balance *b, const traffic_scan *scan)
{
    traffic_tree tree = {0};
    for (int64_t k = 0; k < scan->count && !b->must_stop; k++) {
        const traffic_candidate *c = &scan->candidate[k];
        if (k == 0 || c->place != c[-1].place)
            tree = b->scanner->tree(b->scanner->self, c->place);
        const mco_status st = pairs_improve(b, c, &tree);
        if (st != MCO_OK)
            return st;
        (void)pairs_must_stop(b, 256);
        if (b->is_eager && b->live >= b->purge_at) {
            pairs_purge(b);
            b->purge_at = 2 * b->live + PURGE;
        }
    }
    return MCO_OK;
}

// Sweeps until little is left to move, and at small gaps a Newton step. Between the shares of a warm start few sweeps come before a rough step.
static mco_status balance_pairs(pairs_balance *b, double gap, double total, bool is_slow)
{
    const double target = b->call->gap;
    const int sweeps = b->is_sample ? SAMPLE_SWEEPS : SWEEPS, last_sweeps = b->is_sample ? LAST_SAMPLE_SWEEPS : LAST_SWEEPS;
    double first = 0;
    for (int t = 0; t < sweeps && !b->must_stop; t++) {
        pairs_sweep(b);
        if (t == 0)
            first = b->moved_excess;
        if (b->moved_excess < SWEEP_END * first || b->moved_excess < SWEEP_END * target * total)
            break;
    }
    if ((gap >= NEWTON_GAP && b->problem->extra == NULL) || b->moved_excess <= 1e-2 * first || b->must_stop)
        return MCO_OK;
    const mco_status st = pairs_newton_step(b, is_slow);
    for (int t = 0; t < last_sweeps && st == MCO_OK && !b->must_stop; t++) {
        pairs_sweep(b);
        if (b->moved_excess < 1e-3 * first)
            break;
    }
    return st;
}

static double total_cost(const pairs_balance *b)
{
    double total = 0;
    for (int32_t l = 0; l < b->problem->links; l++)
        total += b->flow[l] * b->cost[l];
    return total;
}

// The excess of a candidate, by the gap of the scan before and present flows.
static double excess_threshold(const pairs_balance *b, double gap)
{
    return fmax(b->candidate * gap, LEAST_CANDIDATE * b->call->gap) * total_cost(b) / ((double)b->problem->rows * (double)b->problem->nodes);
}

// What the calling thread does while others scan the next share.
typedef struct share_job {
    pairs_balance *balance;
    const traffic_scan *scan;
    mco_status status;
} share_job;

static void use_share(void *user)
{
    share_job *job = user;
    job->status = use_candidates(job->balance, job->scan);
}

// A scan at frozen costs, share by share: while one is scanned, the candidates of the share before join pairs, which moves no flow. Those of the
// last share are left; sums are those of all shares.
static mco_status scan_shares(pairs_balance *b, double threshold, traffic_scan *found)
{
    const int32_t count = pairs_shares(b);
    const traffic_scanner *scanner = b->scanner;
    const double *costs = pairs_scan_costs(b);
    traffic_scan next;
    double total = 0, excess = 0;
    share_job job = {b, found, MCO_OK};
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < count; k++) {
        scanner->choose(scanner->self, &(traffic_share){.first = k, .step = count, .meanwhile = k > 0 ? use_share : NULL, .user = &job});
        MCO_TRY(scanner->scan(scanner->self, costs, threshold, NULL, &next));
        MCO_TRY(job.status);
        *found = next;
        total += next.total;
        excess += next.excess;
    }
    found->total = total;
    found->excess = excess;
done:
    scanner->choose(scanner->self, &(traffic_share){.step = 1});
    return st;
}

// A scan. Far from the target some of its candidates have joined pairs at the end. Near it flows are summed anew, so that they have no drift, and the labels go to the certificate.
static mco_status scan_pass(pairs_balance *b, bool is_near, traffic_answer *out, traffic_scan *found)
{
    traffic_certificate *proof = &out->certificate;
    mco_status st = MCO_OK;
    traffic_certificate_clear(b->ctx, proof);
    if (is_near || b->class_flow != NULL)
        pairs_sum_flows(b);
    if (is_near) {
        MCO_TRY(traffic_certificate_open(b->ctx, b->problem, b->flow, b->class_flow, proof));
    }
    const double threshold = excess_threshold(b, out->gap);
    if (!is_near && pairs_shares(b) > 1)
        MCO_TRY(scan_shares(b, threshold, found));
    else
        MCO_TRY(b->scanner->scan(b->scanner->self, pairs_scan_costs(b), threshold, is_near ? proof : NULL, found));
done:
    if (st != MCO_OK && st != MCO_ERR_STOPPED)  // a proof that was stopped has some rows
        traffic_certificate_clear(b->ctx, proof);
    return st;
}

static double least_difference(const pairs_balance *b, double gap, double total)
{
    return fmax(LEAST_DIFFERENCE * gap, LEAST_CANDIDATE * b->call->gap) * total / b->problem->demand;
}

// A pass in which rows shift at once. While they do, other threads scan the next share, at the costs from before: these cost no passes. The gap is
// that of the shares, each at its own costs.
static mco_status eager_pass(pairs_balance *b, traffic_answer *out)
{
    const int32_t count = pairs_shares(b);
    const traffic_scanner *scanner = b->scanner;
    traffic_scan found = {0}, next;
    double total = 0, excess = 0;
    share_job job = {b, &found, MCO_OK};
    mco_status st = MCO_OK;
    if (b->class_flow != NULL)
        pairs_sum_flows(b);
    const double objective = traffic_objective(b->problem, b->flow, b->class_flow);
    out->iterations++;
    b->is_eager = true;
    b->least_difference = least_difference(b, out->gap, total_cost(b));
    for (int32_t k = 0; k < count; k++) {
        const traffic_share share = {.first = k, .step = count, .meanwhile = k > 0 ? use_share : NULL, .user = &job};
        const double threshold = excess_threshold(b, out->gap), *costs = pairs_scan_costs(b);
        scanner->choose(scanner->self, &share);
        MCO_TRY(scanner->scan(scanner->self, costs, threshold, NULL, &next));
        MCO_TRY(job.status);
        found = next;
        total += found.total;
        excess += found.excess;
    }
    MCO_TRY(use_candidates(b, &found));
    out->gap = total > 0 ? excess / total : 0;
    MCO_TRY(traffic_note(b->call, objective, out->gap));
    MCO_TRY(balance_pairs(b, out->gap, total, false));
done:
    b->is_eager = false;
    scanner->choose(scanner->self, &(traffic_share){.step = 1});
    return st;
}

// Balances the known pairs of a warm start, then scans one share of the rows after the other, whose new pairs others join, until a share has
// the target gap. Then the first scan of all rows is the last one, if the edit was small.
static mco_status warm_pass(pairs_balance *b, const traffic_answer *out)
{
    const traffic_scanner *scanner = b->scanner;
    const int32_t most = b->store->batches / SAMPLE, count = most < MOST_SAMPLES ? most : MOST_SAMPLES;
    const bool has_shares = scanner->choose != NULL && count > 1;  // a single share would be a scan of all rows
    const double total = total_cost(b);
    traffic_scan found;
    mco_status st = MCO_OK;
    b->is_sample = true;
    b->least_difference = LEAST_CANDIDATE * b->call->gap * total / b->problem->demand;
    MCO_TRY(balance_pairs(b, 0, total, false));
    for (int32_t k = 0; has_shares && k < count && !b->must_stop; k++) {
        scanner->choose(scanner->self, &(traffic_share){.first = k, .step = count});
        MCO_TRY(scanner->scan(scanner->self, pairs_scan_costs(b), excess_threshold(b, out->gap), NULL, &found));
        if (found.excess <= b->call->gap * found.total)
            break;
        MCO_TRY(use_candidates(b, &found));
        MCO_TRY(balance_pairs(b, 0, total_cost(b), false));
    }
    if (has_shares)
        MCO_TRY(balance_pairs(b, 0, total_cost(b), false));
done:
    b->is_sample = false;
    if (has_shares)
        scanner->choose(scanner->self, &(traffic_share){.step = 1});
    return st;
}

// A gap that says no more than rounding: the certificate adds ten times as much. Below it moves of pairs are noise: SiouxFalls at a target of 0
// went from 4e-17 to 1e-4 in one pass.
static double rounding_gap(const pairs_balance *b)
{
    return 0.1 * DBL_EPSILON * b->problem->nodes;
}

// Whether the gap is reached, with what the certificate adds for rounding. A certificate that misses the target by that alone does not count.
static bool is_done(const pairs_balance *b, traffic_answer *out)
{
    traffic_proof proof;
    if (out->gap <= rounding_gap(b))
        return true;
    if (!(out->gap <= b->call->gap))
        return false;
    if (out->gap <= CERTAIN * b->call->gap || out->certificate.cost == NULL)
        return true;
    return traffic_certificate_close(b->ctx, &out->certificate, NULL, &proof) != MCO_OK || !(proof.gap > b->call->gap && isfinite(proof.gap));
}

// Whether the solve ends by time alone, so that its last flows may have a scan for the proof.
static bool ends_by_time(const pairs_balance *b)
{
    return b->call->run->stop == MCO_STOP_TIME && traffic_has_grace(b->call);
}

// Whether the next scan may be the last, so that its labels are wanted for the proof.
static bool may_be_last(const pairs_balance *b, double gap)
{
    return gap < (gap < NEWTON_GAP ? NEAR : NEAR_EARLY) * fmax(b->call->gap, rounding_gap(b));
}

// What comes before scans of all rows: a warm pass, or eager passes. *is_last: the time is over. Errors: STOPPED too.
static mco_status begin_passes(pairs_balance *b, traffic_answer *out, bool *is_last)
{
    const bool is_warm = b->call->start_flows != NULL;
    const int64_t most = b->call->params->iterations;
    const int passes = is_warm ? 1 : b->scanner->choose != NULL ? EAGER_PASSES : 0;
    mco_status st = MCO_OK;
    for (int i = 0; i < passes && !*is_last; i++) {
        if (!is_warm && (out->gap <= b->call->gap || (most > 0 && out->iterations >= most)))
            break;
        st = is_warm ? warm_pass(b, out) : eager_pass(b, out);
        if (st == MCO_ERR_STOPPED && ends_by_time(b)) {
            b->must_stop = true;
            st = MCO_OK;
        }
        MCO_TRY(st);
        *is_last = b->must_stop;
        if (*is_last && !ends_by_time(b))
            MCO_TRY(MCO_ERR_STOPPED);
    }
done:
    return st;
}

static mco_status run_passes(pairs_balance *b, traffic_answer *out)
{
    const bool is_warm = b->call->start_flows != NULL;
    const int64_t most = b->call->params->iterations;
    double best = INFINITY;
    int stalled = 0;
    bool is_last = false;
    mco_status st = MCO_OK;
    out->gap = is_warm ? 1e-3 : 1;
    b->candidate = b->scanner->is_quick ? QUICK_CANDIDATE : CANDIDATE;
    MCO_TRY(begin_passes(b, out, &is_last));
    for (bool is_near = is_warm || is_last || may_be_last(b, out->gap);; is_near = is_last || may_be_last(b, out->gap)) {
        traffic_scan found;
        st = scan_pass(b, is_near, out, &found);
        if (st == MCO_ERR_STOPPED && !is_near && ends_by_time(b)) {
            is_last = true;
            continue;
        }
        MCO_TRY(st);
        const double total = found.total;
        out->gap = total > 0 ? found.excess / total : 0;
        MCO_TRY(traffic_note(b->call, traffic_objective(b->problem, b->flow, b->class_flow), out->gap));
        if (out->gap <= fmax(b->call->gap, rounding_gap(b)) && !is_near)
            continue;
        if (is_last || is_done(b, out) || (most > 0 && out->iterations >= most))
            break;
        if (is_near && mco_run_must_stop(b->call->run, out->iterations))  // the proof is of these flows
            break;
        stalled = out->gap < LESS * best ? 0 : stalled + 1;
        const bool is_slow = out->gap > QUICK_GAIN * best;
        if (is_slow)
            b->candidate = fmax(b->candidate / 10, CANDIDATE);
        best = fmin(best, out->gap);
        if (stalled > PATIENCE)  // at the limit of doubles
            break;
        traffic_certificate_clear(b->ctx, &out->certificate);
        out->iterations++;
        b->least_difference = least_difference(b, out->gap, total);
        MCO_TRY(use_candidates(b, &found));
        MCO_TRY(balance_pairs(b, out->gap, total, is_slow));
        is_last = b->must_stop;
        if (is_last && !ends_by_time(b))
            break;
    }
done:
    return st == MCO_ERR_STOPPED ? MCO_OK : st;  // flows are whole
}

mco_status traffic_pairs_balance(mco_context *ctx, const traffic_call *call, pairs_store *store, traffic_scanner *scanner,
                                 traffic_answer *out)
{
    pairs_balance b = {.ctx = ctx, .call = call, .problem = call->problem, .store = store, .scanner = scanner};
    mco_status st = MCO_OK;
    b.purge_at = PURGE;
    MCO_TRY(pairs_open_balance(&b));
    MCO_TRY(pairs_begin_flows(&b));
    MCO_TRY(run_passes(&b, out));
    if (scanner->forget != NULL)
        scanner->forget(scanner->self);
    if (out->certificate.cost != NULL)
        MCO_TRY(pairs_prove_balance(&b, &out->certificate));
    if (call->wants_state && scanner->orders != NULL)
        out->plan = (traffic_plan){.first = call->problem->first_through, .places = call->problem->nodes - call->problem->first_through,
                                   .order = scanner->orders(scanner->self)};
    scanner->close(scanner->self);
    scanner->self = NULL;
    MCO_TRY(pairs_give_answer(&b, out));
done:
    pairs_close_balance(&b);
    return st;
}

mco_status traffic_pairs_assign(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    pairs_store store = {0};
    traffic_scanner scanner = {0};
    mco_status st = MCO_OK;
    MCO_TRY(pairs_store_open(ctx, call->problem, false, call->start_plan, &store));
    MCO_TRY(traffic_core_scanner(ctx, call, &store, out, &scanner));
    MCO_TRY(traffic_pairs_balance(ctx, call, &store, &scanner, out));
done:
    if (scanner.self != NULL)
        scanner.close(scanner.self);
    pairs_store_close(&store);
    return st;
}
