// SPDX-License-Identifier: MIT
// The last stage of a proof: the recheck of what the root's prices alone do not prove, and what the result says of it.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "vrp/bound/recheck_fleet.h"
#include "vrp/bound/recheck_proof.h"
#include "vrp/bound/root.h"

// The recheck may last as long as the proof did, and LEAST_S if that was less; never beyond the run's end.
static const double LEAST_S = 5;

// ---- Its ng sets: those of the program

static mco_status open_sets(const vrp_root *r, vrp_ng_sets *out)
{
    const vrp_bound_problem *p = &r->problem;
    if (r->has_master && r->master.sets != NULL)
        return vrp_ng_sets_copy(r->proof->ctx, r->master.sets, out);
    return vrp_ng_sets_open(r->proof->ctx, p, p->customers < 6 ? p->customers : 6, out);
}

// ---- What the result says

static void say(vrp_root *r, const char *what, const char *why)
{
    mco_vrp_bound_result *result = r->proof->result;
    snprintf(result->bound_checked, sizeof result->bound_checked, "%s%s%s", what, why[0] != '\0' ? ": " : "", why);
}

static const char *text_of(const vrp_root *r, vrp_recheck_end end)
{
    const vrp_proof *proof = r->proof;
    if (end == VRP_RECHECK_TIME && mco_is_cancelled(proof->caller != NULL ? proof->caller : proof->ctx))
        return "the run was cancelled";
    if (end == VRP_RECHECK_TIME && mco_is_cancelled(proof->ctx))
        return "the run ended before it";
    switch (end) {
    case VRP_RECHECK_TIME: return "the whole recheck would take longer than the proof, or than the time left";
    case VRP_RECHECK_ROOM: return "the whole recheck would need too many routes or tables";
    case VRP_RECHECK_OPEN: return "the prices of a part prove less without the arcs that were removed";
    case VRP_RECHECK_PROVED:
    case VRP_RECHECK_DISPROVED: break;
    }
    return "";
}

// What the root's recheck proved, in scaled units; -1: nothing.
static int64_t proved_by_root(const vrp_root *r)
{
    const mco_vrp_bound_result *result = r->proof->result;
    return result->is_rechecked && isfinite(result->root_bound) ? llround(result->root_bound * r->proof->problem->scale) : -1;
}

// Why the whole recheck cannot begin; NULL: it can.
static const char *obstacle(const vrp_root *r)
{
    if (r->fleet_is_raised)
        return "the least number of routes was raised by a program of its own";
    if (r->claims.is_full)
        return "the proof has too many parts to be kept";
    if (r->claims.count == 0)
        return mco_is_cancelled(r->proof->ctx) ? text_of(r, VRP_RECHECK_TIME) : "there was too little time or memory for its prices";
    return NULL;
}

// Where no tree proved the bound, the root's prices are the claim: those of the finer unit, or those of the program.
static mco_status claim_root(vrp_root *r)
{
    mco_status st = MCO_OK;
    mco_context *ctx = r->proof->ctx;
    vrp_claim_prices prices = {0};
    const bool is_refined = r->refined.price != NULL && r->refined_bound >= r->proof->scaled_bound;
    if ((r->claims.count > 0 && !is_refined) || (!is_refined && (!r->has_master || r->master.bound == INT64_MIN)))
        return MCO_OK;
    MCO_TRY(vrp_claims_begin(ctx, &r->claims, r->problem.fleet));
    if (is_refined) {
        prices = r->refined;
        r->refined = (vrp_claim_prices){0};
    } else {
        MCO_TRY(vrp_claim_prices_copy(ctx, &r->problem, r->master.bound, r->master.price, &r->master.cuts, &prices));
    }
    vrp_claims_keep(ctx, &r->claims, 0, &prices);
done:
    return st;
}

mco_status vrp_root_recheck_claims(vrp_root *root, const vrp_claims *claims, int64_t bound, double stop_s, vrp_recheck_end *end)
{
    mco_status st = MCO_OK;
    const vrp_proof *proof = root->proof;
    const double now = mco_clock_s(), until_s = fmin(stop_s, now + fmax(LEAST_S, mco_run_time_s(proof->run)));
    int64_t part = 0;
    bool is_known = false;
    vrp_ng_sets sets = {0};
    const vrp_fleet fleet = vrp_recheck_fleet(proof->ctx, proof->problem, proof->params->vehicles_exactly, until_s, &is_known);
    *end = VRP_RECHECK_TIME;
    if (!is_known || mco_clock_s() >= until_s || mco_is_cancelled(proof->ctx))
        return MCO_OK;
    MCO_TRY(open_sets(root, &sets));
    st = vrp_bound_recheck_proof(proof->ctx, proof->problem, fleet, claims, &sets, bound, until_s, end, &part);
    if (st == MCO_ERR_CHECK)
        st = mco_fail(proof->ctx, MCO_ERR_INTERNAL, "the recheck of the proof: %s", mco_context_error(proof->ctx));
    MCO_TRY(st);
    if (*end == VRP_RECHECK_DISPROVED)
        st = mco_fail(proof->ctx, MCO_ERR_INTERNAL, "the recheck finds a plan that costs less than the bound %" PRId64, bound);
    mco_log(proof->ctx, MCO_LOG_DETAIL, "recheck: %lld parts, %s, %.2f s", (long long)claims->count,
            *end == VRP_RECHECK_PROVED ? "proved" : text_of(root, *end), mco_clock_s() - now);
done:
    vrp_ng_sets_close(proof->ctx, &sets);
    if (st == MCO_ERR_MEMORY)
        *end = VRP_RECHECK_ROOM;  // the bound is no worse for that
    return st == MCO_ERR_MEMORY || st == MCO_ERR_STOPPED ? MCO_OK : st;
}

mco_status vrp_root_recheck(vrp_root *root)
{
    mco_status st = MCO_OK;
    vrp_root *r = root;
    const vrp_proof *proof = r->proof;
    const int64_t by_root = proved_by_root(r);
    const char *why;
    vrp_recheck_end end = VRP_RECHECK_TIME;
    if (proof->scaled_bound < 0)
        return MCO_OK;
    if (proof->scaled_bound == 0 && proof->known != 0) {
        say(r, "nothing", "0 is no more than what every plan costs");
        return MCO_OK;
    }
    if (by_root >= proof->scaled_bound || proof->scaled_bound == 0) {
        say(r, "all of it", "");
        proof->result->is_bound_rechecked = true;
        return MCO_OK;
    }
    st = claim_root(r);
    why = st == MCO_ERR_MEMORY ? "the prices of the proof have no room in memory twice" : obstacle(r);
    st = st == MCO_ERR_MEMORY ? MCO_OK : st;
    if (why == NULL && st == MCO_OK)
        st = vrp_root_recheck_claims(r, &r->claims, proof->scaled_bound, proof->run->stop_s, &end);
    if (st != MCO_OK)
        return st;
    if (end == VRP_RECHECK_PROVED && why == NULL)
        say(r, "all of it", "");
    else
        say(r, by_root > 0 ? "the root's bound" : "nothing", why != NULL ? why : text_of(r, end));
    proof->result->is_bound_rechecked = end == VRP_RECHECK_PROVED && why == NULL;
    return MCO_OK;
}
