// SPDX-License-Identifier: MIT
// The first stage of a root: an ascent. That of a large map takes a step first, for a bound however soon the run is stopped, then begins
// again at the prices of its parts.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/bound/columns/ascent.h"
#include "vrp/bound/columns/parts.h"
#include "vrp/bound/root.h"

// Steps of an ascent before columns, and alone. More steps than STEPS_BEFORE save columns nothing. From MANY customers on, or in less time
// than SHORT_S, columns may not come far: then the ascent goes on.
enum { STEPS_BEFORE = 120, STEPS_MANY = 300, STEPS_ALONE = 2000, MANY = 800 };
static const double SHORT_S = 2;
// Of the time that is left: for the first step, and for the parts of a large map.
static const double FIRST_SHARE = 0.1, PARTS_SHARE = 0.4;

static int32_t steps_of(const vrp_root *r)
{
    if (!vrp_root_wants_lp(r))
        return STEPS_ALONE;
    return r->problem.customers >= MANY || r->stop_s - mco_clock_s() < SHORT_S ? STEPS_MANY : STEPS_BEFORE;
}

static double share_of_time(const vrp_root *r, double share)
{
    const double now = mco_clock_s(), left = r->stop_s - now;
    return isfinite(left) ? now + share * left : INFINITY;
}

static mco_status note(void *user, int64_t bound)
{
    vrp_root *r = user;
    return vrp_root_note(r, MCO_VRP_BOUND_ASCENT, &r->problem, bound);
}

// Keeps the prices of an ascent that are better than those before, or are the first ones.
static mco_status keep(vrp_root *r, const vrp_ascent *ascent)
{
    mco_status st = MCO_OK;
    const int32_t nodes = r->problem.nodes;
    r->proof->result->pricings += ascent->steps;
    MCO_TRY(note(r, ascent->bound));
    if (r->sure_price != NULL && (ascent->steps == 0 || ascent->bound < r->sure_bound))
        return MCO_OK;
    if (r->sure_price == NULL)
        MCO_TRY(mco_alloc(r->proof->ctx, &r->sure_price, nodes));
    if (r->price == NULL)
        MCO_TRY(mco_alloc(r->proof->ctx, &r->price, nodes));
    memcpy(r->sure_price, ascent->price, (size_t)nodes * sizeof *r->sure_price);
    memcpy(r->price, ascent->price, (size_t)nodes * sizeof *r->price);
    r->sure_bound = ascent->bound;
done:
    return st;
}

static mco_status take(vrp_root *r, const vrp_ascent *ascent)
{
    const mco_status st = keep(r, ascent);
    mco_log(r->proof->ctx, MCO_LOG_DETAIL, "ascent: %d step%s, bound %.6g", ascent->steps, mco_plural(ascent->steps),
            (double)r->proof->scaled_bound / r->proof->problem->scale);
    return st;
}

// One step, for a bound: without the passes that prove it to the last unit.
static mco_status step_once(vrp_root *r, vrp_q_pass *q)
{
    mco_status st = MCO_OK;
    vrp_ascent ascent = {0};
    const vrp_proof *proof = r->proof;
    MCO_TRY(vrp_ascend_roughly(proof->ctx, &r->problem, q, NULL, r->estimate, 1, share_of_time(r, FIRST_SHARE), proof->run, &ascent));
    MCO_TRY(take(r, &ascent));
done:
    vrp_ascent_clear(proof->ctx, &ascent);
    return st;
}

static mco_status climb(vrp_root *r, vrp_q_pass *q, const int32_t *start, int32_t steps, double stop_s)
{
    mco_status st = MCO_OK;
    vrp_ascent ascent = {0};
    const vrp_proof *proof = r->proof;
    const vrp_ascent_listener listener = {.tell = note, .user = r};
    MCO_TRY(vrp_ascend(proof->ctx, &r->problem, q, start, r->estimate, steps, stop_s, proof->run, &listener, &ascent));
    MCO_TRY(take(r, &ascent));
done:
    vrp_ascent_clear(proof->ctx, &ascent);
    return st;
}

// Prices of the parts of a large map, in a share of the time.
static mco_status begin_by_parts(vrp_root *r, int32_t **start)
{
    const double now = mco_clock_s();
    const mco_status st = vrp_ascend_parts(r->proof->ctx, &r->problem, &r->settings, share_of_time(r, PARTS_SHARE), start);
    if (*start != NULL)
        mco_log(r->proof->ctx, MCO_LOG_DETAIL, "ascent: parts of the map, %.2f s", mco_clock_s() - now);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}

static mco_status ascend(vrp_root *r)
{
    mco_status st = MCO_OK;
    mco_context *ctx = r->proof->ctx;
    vrp_q_pass *q = NULL;
    int32_t *start = NULL;
    if (!vrp_root_wants_lp(r) && r->proof->params->method == MCO_VRP_BOUND_METHOD_AUTO)
        mco_log(ctx, MCO_LOG_WARNING, "no solver of linear programs was found: the bound is that of the ascent alone; Clp is one");
    MCO_TRY(vrp_q_open(ctx, &r->problem, &r->settings, &q));
    vrp_root_tell_engine(r, q, NULL);
    r->proof->result->relaxation = MCO_VRP_RELAXATION_THROUGH_Q;
    if (vrp_has_parts(&r->problem)) {
        MCO_TRY(step_once(r, q));
        MCO_TRY(begin_by_parts(r, &start));
    }
    MCO_TRY(climb(r, q, start, steps_of(r), r->stop_s));
done:
    mco_free(ctx, &start);
    vrp_q_close(ctx, &q);
    return st;
}

mco_status vrp_root_ascend(vrp_root *root)
{
    const mco_status st = ascend(root);
    const bool is_of_gpu = st == MCO_ERR_DEVICE || st == MCO_ERR_MEMORY;
    if (!is_of_gpu || root->settings.engine != MCO_ENGINE_GPU || !root->proof->may_use_cores)
        return st;
    mco_log(root->proof->ctx, MCO_LOG_WARNING, "%s: the ascent begins again on the cores", mco_context_error(root->proof->ctx));
    root->settings.engine = MCO_ENGINE_CPU;
    root->proof->result->used_cores = true;
    return ascend(root);
}
