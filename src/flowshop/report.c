// SPDX-License-Identifier: MIT
// The members of the result file that are special to the flow shop.
#include <math.h>

#include "base/structs.h"
#include "flowshop/instance.h"
#include "render/report.h"

typedef struct subject {
    const mco_flowshop *shop;
    const mco_flowshop_result *result;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const subject *s = user;
    mco_json_integer(json, "jobs", mco_flowshop_jobs(s->shop));
    mco_json_integer(json, "machines", mco_flowshop_machines(s->shop));
}

static void write_children(mco_json *json, const mco_flowshop_result *r, int64_t jobs)
{
    mco_json_open(json, "children_by_depth", '[');
    for (int64_t d = 0; d <= jobs; d++) {
        const int64_t *row = r->children_by_depth + d * r->children_columns;
        int64_t used = r->children_columns;
        while (used > 0 && row[used - 1] == 0)
            used--;
        mco_json_counts(json, NULL, row, used);
    }
    mco_json_close(json, ']');
}

static void write_counters(mco_json *json, const void *user)
{
    static const char *const bounds[] = {"auto", "lb1", "lb2"};
    static const char *const rules[] = {"auto", "forward", "backward", "alternate", "minbranch", "minmin", "maxsum"};
    const subject *s = user;
    const mco_flowshop_result *r = s->result;
    const int64_t n = mco_flowshop_jobs(s->shop);
    mco_json_integer(json, "iterations", r->iterations);
    mco_json_real(json, "heuristic_s", r->heuristic_s);
    mco_json_text(json, "simd", mco_report_simd(r->work.simd));
    if (r->beam_width > 0)
        mco_json_integer(json, "beam_width", r->beam_width);
    if (r->beam_bytes > 0)
        mco_json_integer(json, "beam_bytes", r->beam_bytes);
    if (r->nodes_by_depth == NULL)
        return;
    mco_json_text(json, "bound", bounds[r->bound_used]);
    mco_json_text(json, "branching", rules[r->branching_used]);
    if (r->upper_bound_used >= 0)
        mco_json_real(json, "rule_bound", flowshop_units(s->shop, r->upper_bound_used));
    mco_json_integer(json, "nodes", r->nodes);
    mco_json_integer(json, "nodes_resumed", r->nodes_resumed);
    mco_json_integer(json, "bounds", r->bounds);
    mco_json_integer(json, "leaves", r->leaves);
    mco_json_integer(json, "steals", r->steals);
    mco_json_counts(json, "nodes_by_depth", r->nodes_by_depth, n + 1);
    write_children(json, r, n);
}

static void write_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    const int32_t *order = s->result->order;
    if (order == NULL)
        return;
    mco_json_integers(json, "order", order, s->shop->jobs, 1);
    if (!s->shop->has_names)
        return;
    mco_json_open(json, "names", '[');
    for (int32_t t = 0; t < s->shop->jobs; t++)
        mco_json_text(json, NULL, s->shop->job_names[order[t]]);
    mco_json_close(json, ']');
}

mco_status mco_flowshop_write_result(mco_context *ctx, const mco_flowshop *shop, const mco_flowshop_params *params,
                                     const mco_flowshop_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_flowshop_params p = MCO_FLOWSHOP_PARAMS_INIT;
    mco_flowshop_result r = MCO_FLOWSHOP_RESULT_INIT;
    const subject s = {shop, &r};
    if (ctx == NULL || shop == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    const mco_report report = {.kind = "flowshop",
                               .name = mco_flowshop_name(shop),
                               .outcome = r.outcome,
                               .stop = r.stop,
                               .reason = r.reason,
                               .objective = r.order != NULL ? flowshop_units(shop, r.makespan) : NAN,
                               .bound = flowshop_units(shop, r.bound),
                               .is_unchecked = r.order == NULL,
                               .seed = p.seed,
                               .options = {mco_flowshop_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .history = r.history,
                               .history_count = r.history_count,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_counters,
                               .write_solution = write_solution};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}
