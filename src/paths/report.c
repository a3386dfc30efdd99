// SPDX-License-Identifier: MIT
// The members of result files that belong to shortest paths.
#include "render/report.h"

#include <math.h>

#include "base/structs.h"
#include "paths/tree.h"

typedef struct subject {
    const mco_paths_network *network;
    const mco_paths_tree *tree;      // NULL: a result of many
    const mco_paths_result *result;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const mco_paths_rows *r = &((const subject *)user)->network->rows;
    mco_json_integer(json, "vertices", r->vertices);
    mco_json_integer(json, "arcs", r->arcs);
    mco_json_integer(json, "turns", r->turn_count);
    mco_json_integer(json, "first_through", r->first_through);
    mco_json_real(json, "scale", r->scale);
}

static void write_tree_counters(mco_json *json, const void *user)
{
    const mco_paths_tree *t = ((const subject *)user)->tree;
    mco_json_integer(json, "reached", t->reached);
    mco_json_integer(json, "farthest", t->farthest);
    mco_json_text(json, "method", paths_method_text(t->method));
    mco_json_text(json, "method_reason", t->reason);
    mco_json_real(json, "prepare_s", t->prepare_s);
}

static void write_source(mco_json *json, const void *user)
{
    const subject *s = user;
    char buffer[16];
    mco_json_text(json, "source", mco_paths_vertex_name(s->network, s->tree->source, buffer));
}

static void write_counters(mco_json *json, const void *user)
{
    const mco_paths_result *r = ((const subject *)user)->result;
    mco_json_integer(json, "done", r->done);
    mco_json_integer(json, "reached", r->reached);
    mco_json_text(json, "method", paths_method_text(r->method));
    mco_json_text(json, "method_reason", r->reason);
    mco_json_real(json, "prepare_s", r->prepare_s);
}

mco_status mco_paths_write_tree_result(mco_context *ctx, const mco_paths_network *network, const mco_paths_params *params,
                                       const mco_paths_tree *tree, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_paths_params p = MCO_PATHS_PARAMS_INIT;
    mco_paths_tree t = MCO_PATHS_TREE_INIT;
    const subject s = {.network = network, .tree = &t};
    if (ctx == NULL || network == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, tree, &t));
    const double farthest = t.outcome == MCO_OUTCOME_OPTIMAL ? (double)t.farthest : (double)NAN;
    const mco_report report = {.kind = "paths", .name = mco_paths_name(network), .outcome = t.outcome, .stop = t.stop,
                               .objective = farthest, .bound = farthest, .options = {mco_paths_options(), &p}, .more = more,
                               .work = &t.work, .user = &s, .write_sizes = write_sizes, .write_counters = write_tree_counters,
                               .write_solution = write_source};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}

mco_status mco_paths_write_result(mco_context *ctx, const mco_paths_network *network, const mco_paths_params *params,
                                  const mco_paths_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_paths_params p = MCO_PATHS_PARAMS_INIT;
    mco_paths_result r = MCO_PATHS_RESULT_INIT;
    const subject s = {.network = network, .result = &r};
    if (ctx == NULL || network == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    const mco_report report = {.kind = "paths", .name = mco_paths_name(network), .outcome = r.outcome, .stop = r.stop,
                               .objective = NAN, .bound = NAN, .options = {mco_paths_options(), &p}, .more = more, .work = &r.work,
                               .user = &s, .write_sizes = write_sizes, .write_counters = write_counters};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}
