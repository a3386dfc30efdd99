// SPDX-License-Identifier: MIT
// The members of result files that belong to searches under an automaton.
#include "render/report.h"

#include <math.h>

#include "base/structs.h"
#include "paths/multimodal/multimodal.h"

typedef struct subject {
    const mco_multimodal *network;
    const mco_automaton *automaton;
    const mco_multimodal_query *query;
    const mco_multimodal_tree *tree;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const subject *s = user;
    mco_json_integer(json, "vertices", s->network->vertices);
    mco_json_integer(json, "arcs", s->network->arcs);
    mco_json_integer(json, "labels", s->network->labels);
    mco_json_integer(json, "functions", s->network->functions);
    mco_json_integer(json, "period", s->network->tables.period);
    mco_json_integer(json, "states", s->automaton->states);
}

static void write_counters(mco_json *json, const void *user)
{
    mco_json_integer(json, "reached", ((const subject *)user)->tree->reached);
}

static void write_step(mco_json *json, const subject *s, const mco_multimodal_step *step)
{
    mco_json_open(json, NULL, '{');
    mco_json_integer(json, "from", (int64_t)step->tail + 1);
    mco_json_integer(json, "to", (int64_t)step->head + 1);
    mco_json_text(json, "label", mco_multimodal_label_name(s->network, mco_multimodal_label(s->network, step->arc)));
    mco_json_text(json, "state", mco_automaton_state_name(s->automaton, step->state));
    mco_json_integer(json, "enter", step->enter);
    mco_json_integer(json, "leave", step->leave);
    mco_json_close(json, '}');
}

static void write_journey(mco_json *json, const void *user)
{
    const subject *s = user;
    mco_json_integer(json, "source", (int64_t)s->query->source + 1);
    mco_json_integer(json, "depart", s->query->depart);
    if (s->query->target < 0 || s->tree->outcome != MCO_OUTCOME_OPTIMAL)
        return;
    mco_json_integer(json, "target", (int64_t)s->query->target + 1);
    mco_json_integer(json, "arrival", s->tree->arrival);
    mco_json_open(json, "steps", '[');
    for (int64_t k = 0; k < s->tree->steps; k++)
        write_step(json, s, &s->tree->step[k]);
    mco_json_close(json, ']');
}

mco_status mco_multimodal_write_result(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton,
                                       const mco_multimodal_query *query, const mco_multimodal_params *params,
                                       const mco_multimodal_tree *tree, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_multimodal_params p = MCO_MULTIMODAL_PARAMS_INIT;
    mco_multimodal_tree t = MCO_MULTIMODAL_TREE_INIT;
    const subject s = {network, automaton, query, &t};
    if (ctx == NULL || network == NULL || automaton == NULL || query == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, tree, &t));
    const double arrival = t.arrival != MCO_MULTIMODAL_NONE && t.outcome == MCO_OUTCOME_OPTIMAL ? (double)t.arrival : (double)NAN;
    const mco_report report = {.kind = "paths", .name = "multimodal", .outcome = t.outcome, .stop = t.stop, .objective = arrival,
                               .bound = arrival, .options = {mco_multimodal_options(), &p}, .more = more, .work = &t.work, .user = &s,
                               .write_sizes = write_sizes, .write_counters = write_counters, .write_solution = write_journey};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    return st;
}
