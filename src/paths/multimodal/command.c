// SPDX-License-Identifier: MIT
// mco paths journey: earliest arrivals under an automaton, and generated networks for it.
#include "paths/multimodal/command.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/output.h"
#include "base/text.h"
#include "mco/multimodal.h"

#define JOURNEY_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                                     \
    INTEGER(source, "--source", -1, 1, 2000000000, -1, "V", "the vertex where the journey begins, from 1")                     \
    INTEGER(target, "--target", -1, 1, 2000000000, -1, "V", "the vertex where it ends; if not given: all vertices")            \
    TEXT(depart, "--depart", "HH:MM", "when it begins: hours and minutes, perhaps seconds")

typedef struct session {
    mco_multimodal_params params;
    MCO_FIELDS(JOURNEY_OPTIONS)
    mco_multimodal *network;
    mco_automaton *automaton;
    mco_multimodal_query query;
    mco_multimodal_tree tree;
} session;
_Static_assert(sizeof(session) <= MULTIMODAL_STATE_BYTES, "command.h states the size of a session");

#define MCO_OPTION_STRUCT session
static const mco_option journey_records[] = {MCO_OPTION_RECORDS(JOURNEY_OPTIONS)};
static const mco_option_table journey_table = MCO_OPTION_TABLE(journey_records);
#undef MCO_OPTION_STRUCT

void multimodal_begin(void *state)
{
    *(session *)state = (session){.params = MCO_MULTIMODAL_PARAMS_INIT, .source = -1, .target = -1, .tree = MCO_MULTIMODAL_TREE_INIT};
}

void multimodal_tables(void *state, mco_option_values *out)
{
    session *s = state;
    out[0] = (mco_option_values){mco_multimodal_options(), &s->params};
    out[1] = (mco_option_values){&journey_table, s};
}

// "8:05", "08:05:30", "25:10": seconds since midnight.
static bool read_time(const char *text, int32_t *out)
{
    int hours = 0, minutes = 0, seconds = 0, read = 0;
    const int count = sscanf(text, "%4d:%2d%n:%2d%n", &hours, &minutes, &read, &seconds, &read);
    if (count < 2 || text[read] != '\0' || hours < 0 || minutes < 0 || minutes > 59 || seconds < 0 || seconds > 59)
        return false;
    *out = (hours * 60 + minutes) * 60 + seconds;
    return true;
}

// Users count vertices from 1, queries from 0.
static mco_status refuse_vertices(mco_context *ctx, const session *s)
{
    mco_status st = MCO_OK;
    mco_multimodal_facts f = MCO_MULTIMODAL_FACTS_INIT;
    MCO_TRY(mco_multimodal_tell(ctx, s->network, &f));
    if (s->source > f.vertices || s->target > f.vertices)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s %" PRId64 ": the network has vertices 1 to %d", s->source > f.vertices ? "--source" : "--target",
                        s->source > f.vertices ? (int64_t)s->source : (int64_t)s->target, f.vertices);
done:
    return st;
}

mco_status multimodal_open(cli_call *call)
{
    mco_status st = MCO_OK;
    session *s = call->state;
    if (s->source < 0 || s->depart == NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s is missing", s->source < 0 ? "--source V" : "--depart HH:MM");
    if (!read_time(s->depart, &s->query.depart))
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--depart %.40s is no time, hours and minutes like 08:05 were expected", s->depart);
    s->query.source = (int32_t)s->source - 1;
    s->query.target = s->target > 0 ? (int32_t)s->target - 1 : -1;
    MCO_TRY(mco_multimodal_read(call->ctx, call->inputs[0], &s->network));
    MCO_TRY(refuse_vertices(call->ctx, s));
    MCO_TRY(mco_automaton_read(call->ctx, s->network, call->inputs[1], &s->automaton));
done:
    return st;
}

mco_status multimodal_solve(cli_call *call)
{
    session *s = call->state;
    return mco_multimodal_find_tree(call->ctx, s->network, s->automaton, &s->query, &s->params, &s->tree);
}

bool multimodal_has_answer(const void *state)
{
    return ((const session *)state)->tree.outcome == MCO_OUTCOME_OPTIMAL;
}

mco_status multimodal_write_json(cli_call *call, const mco_option_values *more, const char *path)
{
    const session *s = call->state;
    return mco_multimodal_write_result(call->ctx, s->network, s->automaton, &s->query, &s->params, &s->tree, more, path);
}

static void print_time(int32_t seconds)
{
    printf("%02d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

// A line for each run of steps with one label.
static void print_journey(const session *s)
{
    const mco_multimodal_tree *t = &s->tree;
    for (int64_t k = 0, next; k < t->steps; k = next) {
        const int32_t label = mco_multimodal_label(s->network, t->step[k].arc);
        for (next = k + 1; next < t->steps && mco_multimodal_label(s->network, t->step[next].arc) == label;)
            next++;
        printf("  ");
        print_time(t->step[k].enter);
        printf("  %s from %d to %d, %" PRId64 " arc%s, until ", mco_multimodal_label_name(s->network, label), t->step[k].tail + 1,
               t->step[next - 1].head + 1, next - k, mco_plural(next - k));
        print_time(t->step[next - 1].leave);
        printf("\n");
    }
}

mco_status multimodal_print(cli_call *call)
{
    const session *s = call->state;
    const mco_multimodal_tree *t = &s->tree;
    char seconds[MCO_NUMBER_TEXT];
    cli_print_outcome(t->outcome, t->stop, t->outcome == MCO_OUTCOME_INFEASIBLE ? "no journey arrives at the target" : "");
    if (t->outcome == MCO_OUTCOME_OPTIMAL && s->query.target >= 0) {
        printf("arrival    ");
        print_time(t->arrival);
        printf(" at vertex %d\n", s->query.target + 1);
        print_journey(s);
    }
    if (t->outcome == MCO_OUTCOME_OPTIMAL)
        printf("labels     %" PRId64 " of %" PRId64 " pairs of vertex and state\n", t->reached, (int64_t)t->vertices * t->states);
    printf("time       %s s, ", mco_scaled_text((int64_t)(t->work.solve_s * 1e6 + 0.5), 1000000, seconds));
    cli_print_engine(call->ctx, &t->work);
    printf("\n");
    return MCO_OK;
}

void multimodal_end(cli_call *call)
{
    session *s = call->state;
    mco_multimodal_tree_clear(call->ctx, &s->tree);
    mco_automaton_destroy(call->ctx, &s->automaton);
    mco_multimodal_destroy(call->ctx, &s->network);
}

// ---- generate multimodal

static mco_status read_layers(mco_context *ctx, const char *text, int64_t layer[4])
{
    const char *at = text;
    for (int k = 0; at != NULL; k++) {
        char *end = NULL;
        layer[k < 4 ? k : 3] = strtoll(at, &end, 10);
        if (k == 4 || end == at || (*end != '\0' && *end != ','))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "--layers %.60s, up to four numbers like 500,400,300,200 were expected", text);
        at = *end == ',' ? end + 1 : NULL;
    }
    return MCO_OK;
}

static mco_status write_automaton(mco_context *ctx, const mco_multimodal *network, int64_t states, const char *path)
{
    mco_status st = MCO_OK;
    mco_automaton *automaton = NULL;
    if (path == NULL)
        return MCO_OK;
    MCO_TRY(mco_automaton_generate(ctx, network, (int32_t)states, &automaton));
    MCO_TRY(mco_automaton_write(ctx, network, automaton, path));
done:
    mco_automaton_destroy(ctx, &automaton);
    return st;
}

mco_status multimodal_generate(mco_context *ctx, const multimodal_order *order, const char *path)
{
    mco_status st = MCO_OK;
    mco_multimodal *network = NULL;
    mco_multimodal_shape shape = {.rows = order->rows, .columns = order->columns, .degree = order->degree, .seed = (uint64_t)order->seed};
    MCO_TRY(read_layers(ctx, order->layers, shape.layer));
    MCO_TRY(mco_multimodal_generate(ctx, &shape, &network));
    MCO_TRY(mco_multimodal_write(ctx, network, path));
    MCO_TRY(write_automaton(ctx, network, order->states, order->automaton));
done:
    mco_multimodal_destroy(ctx, &network);
    return st;
}
