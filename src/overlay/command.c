// SPDX-License-Identifier: MIT
// mco overlay bound | generate
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/frame.h"
#include "mco/overlay.h"

typedef struct session {
    mco_overlay_model model;
    mco_overlay_bound_params params;
    mco_overlay_bound_result result;
    mco_overlay *instance;
} session;

static void begin(void *state)
{
    *(session *)state = (session){.model = MCO_OVERLAY_MODEL_INIT,
                                  .params = MCO_OVERLAY_BOUND_PARAMS_INIT,
                                  .result = MCO_OVERLAY_BOUND_RESULT_INIT};
}

static mco_status open(cli_call *call)
{
    session *s = call->state;
    return mco_overlay_read(call->ctx, call->inputs[0], &s->model, &s->instance);
}

static void end(cli_call *call)
{
    session *s = call->state;
    mco_overlay_bound_result_clear(call->ctx, &s->result);
    mco_overlay_destroy(call->ctx, &s->instance);
}

// ---- bound

static void bound_tables(void *state, mco_option_values *out)
{
    session *s = state;
    out[0] = (mco_option_values){mco_overlay_bound_options(), &s->params};
    out[1] = (mco_option_values){mco_overlay_model_options(), &s->model};
}

static const char *const *graph_of(const void *state, int64_t *count)
{
    *count = 1;
    return &((const session *)state)->model.links;
}

static mco_status find_bound(cli_call *call)
{
    session *s = call->state;
    return mco_overlay_bound(call->ctx, s->instance, &s->params, &s->result);
}

static bool has_bound(const void *state)
{
    return isfinite(((const session *)state)->result.bound);
}

static mco_status write_bound(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_overlay_write_bound(call->ctx, s->instance, &s->params, &s->result, more, path);
}

static void print_instance(const session *s)
{
    const long long links = mco_overlay_links(s->instance);
    const int32_t nodes = mco_overlay_nodes(s->instance);
    printf("instance   %s: %d node%s, %lld possible link%s\n", mco_overlay_name(s->instance), nodes, mco_plural(nodes), links,
           mco_plural(links));
}

static mco_status print_bound(cli_call *call)
{
    const session *s = call->state;
    const mco_overlay_bound_result *r = &s->result;
    print_instance(s);
    cli_print_outcome(r->outcome, r->stop, r->reason);
    printf("bound      %.10g, of links that may be split; a split overlay is worth %.10g", r->bound, r->value);
    if (r->bound > 0)
        printf(", gap %.5f%%", 100 * (r->bound - r->value) / r->bound);
    printf("\niterations %lld, the best is %lld\n", (long long)r->iterations, (long long)r->best);
    cli_print_engine(call->ctx, &r->work);
    printf("\n");
    return MCO_OK;
}

// ---- generate

typedef struct generation {
    mco_overlay_generation params;
    cli_generated file;
    mco_overlay *instance;
} generation;

static void begin_generation(void *state)
{
    ((generation *)state)->params = (mco_overlay_generation)MCO_OVERLAY_GENERATION_INIT;
}

static void generate_tables(void *state, mco_option_values *out)
{
    out[0] = (mco_option_values){mco_overlay_generation_options(), &((generation *)state)->params};
    out[1] = (mco_option_values){&cli_generated_options, &((generation *)state)->file};
}

static void generated_file(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const generation *)state)->file.output;
}

static mco_status generate(cli_call *call)
{
    mco_status st = MCO_OK;
    generation *g = call->state;
    MCO_TRY(mco_overlay_generate(call->ctx, &g->params, &g->instance));
    MCO_TRY(mco_overlay_write(call->ctx, g->instance, cli_generated_path(&g->file)));
done:
    return st;
}

static void end_generation(cli_call *call)
{
    mco_overlay_destroy(call->ctx, &((generation *)call->state)->instance);
}

const cli_problem cli_overlay = {
    .name = "overlay",
    .text = "membership overlay: which links peers of limited bandwidth and uptime keep, and how good that can be",
    .about = "Membership overlay: peers with an uptime and a bandwidth; find links, and the bandwidth of each, of the greatest sum of\n"
             "bandwidth times the probability that both ends are up.\n\n"
             "INSTANCE is CSV (plain or gzip, - for standard input).",
    .csv = {{"CSV of INSTANCE: rows of limits (least,L and most,U of a link), a header, a row for each node; where not all pairs may\n"
             "be linked, a second header that begins with from, and a row for each possible link",
             {{"uptime", "probability that the node is up, 0 to 1; needed"},
              {"bandwidth", "what its links carry at most, of up to 6 decimals; needed"},
              {"name", "its name; if absent or empty, its number from 1"},
              {"from, to", "both ends of a link, by name or number"},
              {"weight", "worth of a unit of bandwidth; if absent, the product of both uptimes"},
              {"least, most", "limits of the bandwidth of this link"}}}},
    .actions = {
        {.name = "bound", .arguments = "[OPTIONS] INSTANCE", .least = 1, .most = 1,
         .text = "an upper bound of what any overlay is worth, certified in integers", .state_bytes = sizeof(session), .begin = begin,
         .tables = bound_tables, .open = open, .more_inputs = graph_of, .solve = find_bound, .has_solution = has_bound,
         .write_result = write_bound, .objective = "bound", .history = offsetof(session, result.history),
         .history_count = offsetof(session, result.history_count), .print = print_bound, .end = end},
        {.name = "generate", .arguments = "--group NAME | --nodes N [OPTIONS]", .text = "a random instance", .state_bytes = sizeof(generation),
         .begin = begin_generation, .tables = generate_tables, .more_outputs = generated_file, .run = generate, .end = end_generation},
    },
};
