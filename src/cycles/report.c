// SPDX-License-Identifier: MIT
// The members of the result file that belong to chordless cycles. Numbers above 2^53, which readers of JSON may round, stand as
// decimal strings too.
#include "render/report.h"

#include <math.h>
#include <stdio.h>

#include "base/structs.h"
#include "mco/cycles.h"

static const uint64_t LARGEST_EXACT = (uint64_t)1 << 53;  // of a double

typedef struct subject {
    const mco_graph *graph;
    const mco_cycles_params *params;
    const mco_cycles_result *result;
    char *text;   // [text_size] room for a count
    size_t text_size;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_cycles_result *r = s->result;
    mco_json_integer(json, "vertices", r->vertices);
    mco_json_integer(json, "edges", r->edges);
    mco_json_integer(json, "loops", r->loops);
    mco_json_integer(json, "parallel", r->parallel);
    mco_json_bool(json, "directed", s->params->directed != 0);
}

static bool is_above(const uint64_t *count, int32_t limbs)
{
    for (int32_t k = 1; k < limbs; k++)
        if (count[k] != 0)
            return true;
    return count[0] > LARGEST_EXACT;
}

static bool is_zero(const uint64_t *count, int32_t limbs)
{
    for (int32_t k = 0; k < limbs; k++)
        if (count[k] != 0)
            return false;
    return true;
}

// An object with a member for each length that occurs, or null. Exact: only lengths whose counts are above 2^53, as strings.
static void write_lengths(mco_json *json, const subject *s, const char *key, bool is_exact)
{
    const mco_cycles_result *r = s->result;
    char length[16];
    bool has_any = r->by_length != NULL && !is_exact;
    for (int32_t k = 3; k <= r->longest && r->by_length != NULL; k++)
        has_any = has_any || is_above(r->by_length + (size_t)k * (size_t)r->limbs, r->limbs);
    if (!has_any) {
        mco_json_null(json, key);
        return;
    }
    mco_json_open(json, key, '{');
    for (int32_t k = 3; k <= r->longest; k++) {
        const uint64_t *count = r->by_length + (size_t)k * (size_t)r->limbs;
        snprintf(length, sizeof length, "%d", k);
        if (is_zero(count, r->limbs) || (is_exact && !is_above(count, r->limbs)))
            continue;
        mco_cycles_count_text(count, r->limbs, s->text, s->text_size);
        if (is_exact)
            mco_json_text(json, length, s->text);
        else
            mco_json_number(json, length, s->text);
    }
    mco_json_close(json, '}');
}

static void write_counters(mco_json *json, const void *user)
{
    static const char *const methods[] = {"auto", "frontier", "search", "labels"};
    const subject *s = user;
    const mco_cycles_result *r = s->result;
    mco_json_number(json, "cycles", mco_cycles_count_text(r->exact, r->limbs, s->text, s->text_size));
    if (is_above(r->exact, r->limbs))
        mco_json_text(json, "cycles_exact", s->text);
    else
        mco_json_null(json, "cycles_exact");
    mco_json_integer(json, "triangles", r->triangles);
    mco_json_integer(json, "digons", r->digons);
    mco_json_integer(json, "longest", r->longest);
    write_lengths(json, s, "by_length", false);
    write_lengths(json, s, "by_length_exact", true);
    mco_json_text(json, "method", r->method != MCO_CYCLES_METHOD_AUTO ? methods[r->method] : "none");
    mco_json_text(json, "method_reason", r->reason);
    mco_json_integer(json, "blocks", r->blocks);
    mco_json_integer(json, "width", r->width);
    mco_json_integer(json, "states", r->states);
    mco_json_integer(json, "nodes", r->nodes);
    mco_json_integer(json, "bytes", r->bytes);
}

// Names or numbers of the vertices that every cycle holds.
static void write_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    char buffer[16];
    mco_json_open(json, "through", '[');
    for (int32_t k = 0; k < s->params->through_count; k++)
        mco_json_text(json, NULL, mco_graph_vertex_name(s->graph, s->params->through[k], buffer));
    mco_json_close(json, ']');
}

// The count as a real number.
static double as_double(const uint64_t *count, int32_t limbs)
{
    double value = 0;
    for (int32_t k = limbs - 1; k >= 0; k--)
        value = ldexp(value, 64) + (double)count[k];
    return value;
}

mco_status mco_cycles_write_result(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params,
                                   const mco_cycles_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_cycles_params p = MCO_CYCLES_PARAMS_INIT;
    mco_cycles_result r = MCO_CYCLES_RESULT_INIT;
    subject s = {.graph = graph, .params = &p, .result = &r};
    if (ctx == NULL || graph == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    if (r.exact == NULL || r.limbs < 1)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the result has no count"));
    s.text_size = 20 * (size_t)r.limbs + 2;
    MCO_TRY(mco_alloc(ctx, &s.text, s.text_size));
    const mco_report report = {.kind = "cycles",
                               .name = mco_graph_name(graph),
                               .outcome = r.outcome,
                               .stop = r.stop,
                               .objective = as_double(r.exact, r.limbs),
                               .bound = NAN,
                               .is_unchecked = true,
                               .seed = 0,
                               .options = {mco_cycles_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_counters,
                               .write_solution = write_solution};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    mco_free(ctx, &s.text);
    return st;
}
