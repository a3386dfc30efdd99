// SPDX-License-Identifier: MIT
// The members of the result file that belong to the membership overlay. Bandwidths are in units of the instance's file.
#include "render/report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/number.h"
#include "base/structs.h"
#include "overlay/instance.h"

static const char *const methods[] = {"auto", "lp", "jump", "std", "dist"};

typedef struct subject {
    const mco_overlay *o;
    const mco_overlay_bound_result *bound;
    const mco_overlay_result *result;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const mco_overlay *o = ((const subject *)user)->o;
    mco_json_integer(json, "nodes", o->nodes);
    mco_json_integer(json, "links", o->links);
    mco_json_bool(json, "complete", o->is_complete);
}

// ---- A bound

static void write_bound_counters(mco_json *json, const void *user)
{
    const mco_overlay_bound_result *r = ((const subject *)user)->bound;
    char exact[40];
    snprintf(exact, sizeof exact, "%016" PRIx64 "%016" PRIx64, r->exact[1], r->exact[0]);
    mco_json_text(json, "method", methods[r->method]);
    mco_json_integer(json, "iterations", r->iterations);
    mco_json_integer(json, "best_iteration", r->best);
    if (r->round_count > 0)
        mco_json_integer(json, "rounds", r->round_count - 1);
    else
        mco_json_text(json, "exact_bound", exact);
    mco_json_real(json, "weight_unit", r->weight_unit);
}

#define WRITE_ROUNDS(json, r, key, write, field)         \
    do {                                                  \
        mco_json_open_line(json, key);                    \
        for (int64_t k = 0; k < (r)->round_count; k++)    \
            write(json, NULL, (r)->rounds[k].field);      \
        mco_json_close(json, ']');                        \
    } while (0)

// Lists over the rounds.
static void write_rounds(mco_json *json, const mco_overlay_bound_result *r)
{
    WRITE_ROUNDS(json, r, "round", mco_json_integer, round);
    WRITE_ROUNDS(json, r, "joins", mco_json_integer, joins);
    WRITE_ROUNDS(json, r, "leaves", mco_json_integer, leaves);
    WRITE_ROUNDS(json, r, "nodes", mco_json_integer, nodes);
    WRITE_ROUNDS(json, r, "bound", mco_json_real, bound);
    WRITE_ROUNDS(json, r, "worth", mco_json_real, worth);
    WRITE_ROUNDS(json, r, "kept", mco_json_integer, kept);
    WRITE_ROUNDS(json, r, "bound_s", mco_json_real, bound_s);
    WRITE_ROUNDS(json, r, "overlay_s", mco_json_real, overlay_s);
}

static void write_duals(mco_json *json, const void *user)
{
    const subject *s = user;
    if (s->bound->round_count > 0) {
        write_rounds(json, s->bound);
        return;
    }
    mco_json_open_line(json, "duals");
    for (int32_t i = 0; i < s->o->nodes; i++)
        mco_json_integer(json, NULL, s->bound->duals[i]);
    mco_json_close(json, ']');
}

mco_status mco_overlay_write_bound(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *params,
                                   const mco_overlay_bound_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    const subject s = {.o = instance, .bound = &r};
    if (ctx == NULL || instance == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    if (r.duals == NULL && r.round_count == 0 && instance->nodes > 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the duals of the result are NULL");
    const mco_report report = {.kind = "overlay",
                               .name = instance->name,
                               .outcome = r.outcome,
                               .stop = r.stop,
                               .reason = r.reason,
                               .objective = r.value,
                               .bound = r.bound,
                               .seed = r.seed,
                               .options = {mco_overlay_bound_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .history = r.history,
                               .history_count = r.history_count,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_bound_counters,
                               .write_solution = write_duals};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}

// ---- An overlay

static void write_counters(mco_json *json, const void *user)
{
    const mco_overlay_result *r = ((const subject *)user)->result;
    mco_json_integer(json, "moves", r->moves);
    mco_json_integer(json, "kept", r->solution.count);
}

static void write_links(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_overlay_solution *links = &s->result->solution;
    char number[MCO_NUMBER_TEXT];
    mco_json_integers(json, "from", links->from, links->count, 1);
    mco_json_integers(json, "to", links->to, links->count, 1);
    mco_json_open_line(json, "bandwidth");
    for (int64_t k = 0; k < links->count; k++)
        mco_json_number(json, NULL, mco_scaled_text(links->bandwidth[k], s->o->scale, number));
    mco_json_close(json, ']');
}

mco_status mco_overlay_write_result(mco_context *ctx, const mco_overlay *instance, const mco_overlay_params *params,
                                    const mco_overlay_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_overlay_params p = MCO_OVERLAY_PARAMS_INIT;
    mco_overlay_result r = MCO_OVERLAY_RESULT_INIT;
    const subject s = {.o = instance, .result = &r};
    if (ctx == NULL || instance == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    const mco_report report = {.kind = "overlay",
                               .name = instance->name,
                               .outcome = r.outcome,
                               .stop = r.stop,
                               .reason = r.reason,
                               .objective = r.worth,
                               .bound = r.bound,
                               .seed = p.seed,
                               .options = {mco_overlay_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .history = r.history,
                               .history_count = r.history_count,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_counters,
                               .write_solution = write_links};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}
