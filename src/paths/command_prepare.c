// SPDX-License-Identifier: MIT
// mco paths prepare.
#include "paths/command_prepare.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "paths/network.h"

#define MCO_OPTION_STRUCT paths_prepare_choice
static const mco_option prepare_records[] = {MCO_OPTION_RECORDS(PATHS_PREPARE_OPTIONS)};
static const mco_option_table prepare_table = MCO_OPTION_TABLE(prepare_records);
#undef MCO_OPTION_STRUCT

void paths_prepare_begin(void *state)
{
    *(paths_preparation *)state = (paths_preparation){.choice = {MCO_DEFAULTS(PATHS_PREPARE_OPTIONS)}};
}

void paths_prepare_tables(void *state, mco_option_values *out)
{
    paths_preparation *s = state;
    out[0] = (mco_option_values){&prepare_table, &s->choice};
    out[1] = (mco_option_values){&paths_graph_table, &s->graph};
}

const char *const *paths_prepare_inputs(const void *state, int64_t *count)
{
    *count = 1;
    return &((const paths_preparation *)state)->choice.order;
}

void paths_prepare_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const paths_preparation *)state)->choice.output;
}

// An order as text. Whether it is a permutation is for mco_paths_prepare() to say.
static mco_status read_order(mco_context *ctx, const mco_paths_network *network, const char *path, int32_t **out)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    int32_t *order = NULL;
    const int64_t base = mco_graph_base(network->graph);
    const int32_t n = mco_paths_view(network).vertices;
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(mco_alloc(ctx, &order, n));
    for (int32_t k = 0; k < n; k++) {
        int64_t number = 0;
        MCO_TRY(mco_text_in_time(&text, k));
        MCO_TRY(mco_text_integer(&text, "the vertex", base, base + n - 1, &number));
        order[k] = (int32_t)(number - base);
    }
    *out = order;
    order = NULL;
done:
    mco_free(ctx, &order);
    mco_text_close(&text);
    return st;
}

static mco_status print_facts(mco_context *ctx, const mco_paths_hierarchy *hierarchy)
{
    mco_paths_hierarchy_facts f = MCO_PATHS_HIERARCHY_FACTS_INIT;
    const mco_status st = mco_paths_hierarchy_tell(ctx, hierarchy, &f);
    if (st != MCO_OK)
        return st;
    printf("%" PRId32 " %s, %" PRId64 " arcs, height %" PRId32 ", %" PRId64 " triangles, %.1f MiB\n", f.vertices, f.vertices == 1 ? "vertex" : "vertices", f.arcs, f.height,
           f.triangles, (double)f.bytes / (1 << 20));
    printf("order by %s in %.3f s, built in %.4f s, customised in %.4f s\n", f.order_by, f.order_s, f.build_s, f.customise_s);
    return MCO_OK;
}

mco_status paths_prepare_run(cli_call *call)
{
    mco_status st = MCO_OK;
    const paths_preparation *s = call->state;
    mco_paths_network *network = NULL;
    mco_paths_hierarchy *hierarchy = NULL;
    int32_t *order = NULL;
    mco_paths_params params = MCO_PATHS_PARAMS_INIT;
    params.threads = s->choice.threads;
    params.memory = s->choice.memory;
    params.time_limit_s = s->choice.time_limit_s;
    if (s->choice.output == NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--output is missing: where to write the hierarchy");
    if (!cli_ends_with(s->choice.output, ".mcoh"))
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--output %s: a name that ends with .mcoh was expected", s->choice.output);
    cli_catch_signals(call->ctx);
    MCO_TRY(paths_open_graph(call->ctx, &s->graph, call->inputs[0], &network));
    if (s->choice.order != NULL)
        MCO_TRY(read_order(call->ctx, network, s->choice.order, &order));
    MCO_TRY(mco_paths_prepare(call->ctx, network, order, &params, &hierarchy));
    MCO_TRY(mco_paths_hierarchy_write(call->ctx, hierarchy, s->choice.output));
    MCO_TRY(print_facts(call->ctx, hierarchy));
done:
    mco_paths_hierarchy_destroy(call->ctx, &hierarchy);
    mco_free(call->ctx, &order);
    mco_paths_destroy(call->ctx, &network);
    return st;
}
