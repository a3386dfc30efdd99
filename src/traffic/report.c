// SPDX-License-Identifier: MIT
// The members of the result file that belong to traffic assignment. History: [seconds, objective, gap] of each pass.
#include "render/report.h"

#include <math.h>

#include "base/structs.h"
#include "mco/traffic.h"

typedef struct subject {
    mco_context *ctx;
    const mco_traffic *traffic;
    const mco_traffic_params *params;
    const mco_traffic_result *result;
} subject;

static void write_sizes(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_traffic_network n = mco_traffic_view(s->traffic);
    int64_t entries = 0;
    double trips = 0;
    for (int32_t k = 0; k < mco_traffic_class_count(s->traffic); k++) {
        const mco_traffic_class *c = mco_traffic_class_at(s->traffic, k);
        entries += c->first[n.zones];
        for (int64_t t = 0; t < c->first[n.zones]; t++)
            trips += c->amount[t];
    }
    mco_json_integer(json, "nodes", n.nodes);
    mco_json_integer(json, "zones", n.zones);
    mco_json_integer(json, "links", n.links);
    mco_json_integer(json, "turns", n.turn_count);
    mco_json_integer(json, "classes", mco_traffic_class_count(s->traffic));
    mco_json_integer(json, "pairs", entries);
    mco_json_real(json, "trips", trips);
}

static const char *method_text(mco_traffic_method method)
{
    static const char *const names[] = {"auto", "pairs", "fw", "cfw", "bfw"};
    return names[method];
}

// The factors of tolls and lengths that counted, one for each class.
static void write_factors(mco_json *json, const subject *s)
{
    const int32_t classes = mco_traffic_class_count(s->traffic);
    for (int of_length = 0; of_length < 2; of_length++) {
        mco_json_open_line(json, of_length ? "distance_factors" : "toll_factors");
        for (int32_t k = 0; k < classes; k++) {
            double factor[2] = {NAN, NAN};
            if (mco_traffic_factors(s->ctx, s->traffic, s->params, k, &factor[0], &factor[1]) == MCO_OK)
                mco_json_real(json, NULL, factor[of_length]);
        }
        mco_json_close(json, ']');
    }
}

static void write_counters(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_traffic_result *r = s->result;
    mco_json_text(json, "method", method_text(r->method));
    mco_json_text(json, "method_reason", r->reason);
    mco_json_bool(json, "gap_is_certified", r->is_certified);
    write_factors(json, s);
    mco_json_real(json, "total_cost", r->total_cost);
    mco_json_real(json, "price_of_anarchy", r->price_of_anarchy > 0 ? r->price_of_anarchy : NAN);
    mco_json_real(json, "assigned", r->assigned);
    mco_json_real(json, "intrazonal", r->intrazonal);
    mco_json_real(json, "dropped", r->dropped);
    mco_json_integer(json, "dropped_pairs", r->dropped_pairs);
    mco_json_integer(json, "artificial_arcs", r->artificial_arcs);
    mco_json_real(json, "artificial_trips", r->artificial_trips);
    mco_json_integer(json, "iterations", r->iterations);
    mco_json_integer(json, "segment_pairs", r->segment_pairs);
    mco_json_text(json, "simd", mco_report_simd(r->work.simd));
}

static void write_numbers(mco_json *json, const char *key, const double *numbers, const double *below, int32_t count)
{
    mco_json_open_line(json, key);
    for (int32_t l = 0; l < count; l++)
        mco_json_real(json, NULL, below != NULL ? numbers[l] / below[l] : numbers[l]);
    mco_json_close(json, ']');
}

// Arrays over the links of the network, in its order: ends, flow in cars, cost, flow over capacity, vehicles of each class.
static void write_solution(mco_json *json, const void *user)
{
    const subject *s = user;
    const mco_traffic_result *r = s->result;
    const mco_traffic_network n = mco_traffic_view(s->traffic);
    char buffer[16];
    for (int end = 0; end < 2; end++) {
        mco_json_open_line(json, end == 0 ? "from" : "to");
        for (int32_t l = 0; l < n.links; l++)
            mco_json_text(json, NULL, mco_traffic_node_name(s->traffic, end == 0 ? n.tail[l] : n.head[l], buffer));
        mco_json_close(json, ']');
    }
    if (r->flow == NULL) {
        mco_json_null(json, "flow");
        return;
    }
    write_numbers(json, "flow", r->flow, NULL, n.links);
    write_numbers(json, "cost", r->cost, NULL, n.links);
    if (r->toll != NULL)
        write_numbers(json, "toll", r->toll, NULL, n.links);
    else
        mco_json_null(json, "toll");
    write_numbers(json, "volume_over_capacity", r->flow, n.capacity, n.links);
    if (r->class_flow == NULL) {
        mco_json_null(json, "class_flow");
        return;
    }
    mco_json_open(json, "class_flow", '[');
    for (int32_t k = 0; k < r->classes; k++)
        write_numbers(json, NULL, r->class_flow + (size_t)k * (size_t)n.links, NULL, n.links);
    mco_json_close(json, ']');
}

mco_status mco_traffic_write_result(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params,
                                    const mco_traffic_result *result, const mco_option_values *more, const char *path)
{
    mco_status st = MCO_OK;
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    mco_traffic_result r = MCO_TRAFFIC_RESULT_INIT;
    const subject s = {.ctx = ctx, .traffic = traffic, .params = &p, .result = &r};
    mco_improvement *history = NULL;  // [history_count] the gap stands where other problems have the bound
    if (ctx == NULL || traffic == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(MCO_TAKE(ctx, result, &r));
    if (r.flow != NULL && r.links != mco_traffic_view(traffic).links)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the result has %d links, the network has %d", r.links, mco_traffic_view(traffic).links));
    MCO_TRY(mco_alloc(ctx, &history, r.history_count));
    for (int64_t i = 0; i < r.history_count; i++)
        history[i] = (mco_improvement){r.history[i].time_s, r.history[i].objective, r.history[i].gap};
    const mco_report report = {.kind = "traffic",
                               .name = mco_traffic_name(traffic),
                               .outcome = r.outcome,
                               .stop = r.stop,
                               .reason = r.outcome == MCO_OUTCOME_INFEASIBLE ? r.reason : NULL,
                               .objective = r.objective,
                               .bound = r.bound,
                               .gap = &r.gap,
                               .is_unchecked = r.flow == NULL,
                               .options = {mco_traffic_options(), &p},
                               .more = more,
                               .work = &r.work,
                               .history = history,
                               .history_count = r.history_count,
                               .user = &s,
                               .write_sizes = write_sizes,
                               .write_counters = write_counters,
                               .write_solution = write_solution};
    MCO_TRY(mco_report_write(ctx, &report, path));
done:
    mco_free(ctx, &history);
    return st;
}
