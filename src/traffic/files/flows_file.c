// SPDX-License-Identifier: MIT
// Flows of links as files: TNTP, CSV, GeoJSON; and the reader of the first two and of result files. A row names a link by its ends. Rows
// of parallel links follow each other in the order of the links.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "traffic/files/columns.h"
#include "render/report.h"
#include "traffic/files/files.h"
#include "traffic/files/sink.h"

// ---- Writing

typedef struct writer {
    mco_context *ctx;
    const mco_traffic *traffic;
    const mco_traffic_result *result;
    mco_stream sink;
} writer;

static const char *tail_name(const writer *w, int32_t a, char buffer[16])
{
    return mco_traffic_node_name(w->traffic, w->traffic->view.tail[a], buffer);
}

static const char *head_name(const writer *w, int32_t a, char buffer[16])
{
    return mco_traffic_node_name(w->traffic, w->traffic->view.head[a], buffer);
}

static double cost_of(const writer *w, int32_t a)
{
    return w->result->cost != NULL ? w->result->cost[a] : NAN;
}

static void put_tntp(writer *w)
{
    char buffer[16];
    traffic_put(&w->sink, "From \tTo \tVolume \tCost \n");
    for (int32_t a = 0; a < w->traffic->view.links; a++) {
        traffic_put(&w->sink, tail_name(w, a, buffer));
        traffic_put(&w->sink, " \t");
        traffic_put(&w->sink, head_name(w, a, buffer));
        traffic_put(&w->sink, " \t");
        traffic_put_number(&w->sink, w->result->flow[a]);
        if (w->result->cost != NULL) {
            traffic_put(&w->sink, " \t");
            traffic_put_number(&w->sink, cost_of(w, a));
        }
        traffic_put(&w->sink, " \n");
    }
}

enum { COLUMN_ROOM = 280 };

// The name of the column of a class, cut alike by writer and reader.
static void name_column(const mco_traffic *traffic, int32_t k, char out[COLUMN_ROOM])
{
    snprintf(out, COLUMN_ROOM, "volume_%s", traffic->classes[k].name);
}

static void put_class_column(writer *w, int32_t k)
{
    char name[COLUMN_ROOM];
    name_column(w->traffic, k, name);
    traffic_put(&w->sink, ",");
    traffic_put_cell(&w->sink, name);
}

static void put_csv(writer *w)
{
    const mco_traffic_result *r = w->result;
    const mco_traffic_network *net = &w->traffic->view;
    const int32_t classes = r->class_flow != NULL ? r->classes : 0;
    char buffer[16];
    traffic_put(&w->sink, "link_id,from_node_id,to_node_id,volume,cost,volume_over_capacity,marginal_toll");
    for (int32_t k = 0; k < classes; k++)
        put_class_column(w, k);
    traffic_put(&w->sink, "\n");
    for (int32_t a = 0; a < net->links; a++) {
        traffic_put_integer(&w->sink, (int64_t)a + 1);
        traffic_put(&w->sink, ",");
        traffic_put_cell(&w->sink, tail_name(w, a, buffer));
        traffic_put(&w->sink, ",");
        traffic_put_cell(&w->sink, head_name(w, a, buffer));
        traffic_put(&w->sink, ",");
        traffic_put_number(&w->sink, r->flow[a]);
        traffic_put(&w->sink, ",");
        if (r->cost != NULL)
            traffic_put_number(&w->sink, r->cost[a]);
        traffic_put(&w->sink, ",");
        traffic_put_number(&w->sink, r->flow[a] / net->capacity[a]);
        traffic_put(&w->sink, ",");
        if (r->toll != NULL)
            traffic_put_number(&w->sink, r->toll[a]);
        for (int32_t k = 0; k < classes; k++) {
            traffic_put(&w->sink, ",");
            traffic_put_number(&w->sink, r->class_flow[(int64_t)k * net->links + a]);
        }
        traffic_put(&w->sink, "\n");
    }
}

static void put_point(writer *w, int32_t v)
{
    traffic_put(&w->sink, "[");
    traffic_put_number(&w->sink, w->traffic->view.x[v]);
    traffic_put(&w->sink, ",");
    traffic_put_number(&w->sink, w->traffic->view.y[v]);
    traffic_put(&w->sink, "]");
}

static void put_feature(writer *w, int32_t a)
{
    const mco_traffic_network *net = &w->traffic->view;
    char buffer[16];
    traffic_put(&w->sink, "{\"type\":\"Feature\",\"geometry\":{\"type\":\"LineString\",\"coordinates\":[");
    put_point(w, net->tail[a]);
    traffic_put(&w->sink, ",");
    put_point(w, net->head[a]);
    traffic_put(&w->sink, "]},\"properties\":{\"link\":");
    traffic_put_integer(&w->sink, (int64_t)a + 1);
    traffic_put(&w->sink, ",\"from\":");
    traffic_put_json(&w->sink, tail_name(w, a, buffer));
    traffic_put(&w->sink, ",\"to\":");
    traffic_put_json(&w->sink, head_name(w, a, buffer));
    traffic_put(&w->sink, ",\"volume\":");
    traffic_put_number(&w->sink, w->result->flow[a]);
    traffic_put(&w->sink, ",\"volume_over_capacity\":");
    traffic_put_number(&w->sink, w->result->flow[a] / net->capacity[a]);
    if (isfinite(cost_of(w, a))) {
        traffic_put(&w->sink, ",\"cost\":");
        traffic_put_number(&w->sink, cost_of(w, a));
    }
    if (w->result->toll != NULL && isfinite(w->result->toll[a])) {
        traffic_put(&w->sink, ",\"marginal_toll\":");
        traffic_put_number(&w->sink, w->result->toll[a]);
    }
    traffic_put(&w->sink, "}}");
}

static void put_geojson(writer *w)
{
    traffic_put(&w->sink, "{\"type\":\"FeatureCollection\",\"features\":[");
    for (int32_t a = 0; a < w->traffic->view.links; a++) {
        traffic_put(&w->sink, a == 0 ? "\n" : ",\n");
        put_feature(w, a);
    }
    traffic_put(&w->sink, "\n]}\n");
}

mco_status mco_traffic_write_flows(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_result *result, const char *path)
{
    mco_status st = MCO_OK;
    writer w = {.ctx = ctx, .traffic = traffic, .result = result};
    if (ctx == NULL || traffic == NULL || result == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (result->flow == NULL || result->links != traffic->view.links)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the result has flows of %d links, the network has %d", result->flow != NULL ? result->links : 0,
                        traffic->view.links);
    if (result->class_flow != NULL && result->classes != traffic->class_count)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the result has flows of %d classes, the network has %d", result->classes, traffic->class_count);
    const bool is_map = traffic_ends_with(path, ".geojson");
    if (is_map && traffic->view.x == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s has no places, which GeoJSON needs: --nodes names a file of them", traffic->name);
    if (is_map && !traffic->view.is_map)
        mco_log(ctx, MCO_LOG_WARNING, "%s: GeoJSON means degrees, the places of %s are other units", path, traffic->name);
    MCO_TRY(mco_stream_open(ctx, path, &w.sink));
    if (is_map)
        put_geojson(&w);
    else if (traffic_ends_with(path, ".csv"))
        put_csv(&w);
    else
        put_tntp(&w);
    MCO_TRY(mco_stream_commit(&w.sink));
done:
    mco_stream_discard(&w.sink);
    return st;
}

// ---- Reading

typedef struct reader {
    mco_context *ctx;
    const mco_traffic *traffic;
    mco_text text;
    traffic_ends ends;
    mco_name_finder finder;
    int32_t *taken;           // [links] rows that came for the ends of entry `at` of `ends`, at the first entry of each group
    int64_t count;            // links that have a flow
    double *flow;             // [links]
    double *class_flow;       // [classes][links] or NULL
} reader;

// The next link of the network with the ends of a row.
static mco_status take_link(reader *r, const mco_slice end[2], int32_t *link)
{
    mco_status st = MCO_OK;
    int32_t v[2] = {0, 0};
    int64_t among;
    for (int k = 0; k < 2; k++) {
        r->finder.what = k == 0 ? "the tail" : "the head";
        MCO_TRY(mco_names_find_cell(&r->finder, &r->text, end[k], &v[k]));
    }
    const int64_t at = traffic_ends_find(&r->ends, v[0], v[1], &among);
    if (among == 0 || r->taken[at] == among)
        return mco_text_fail(&r->text, end[0].line, end[0].column, "a flow from %.*s to %.*s, the network has %s", mco_slice_shown(end[0]),
                             end[0].data, mco_slice_shown(end[1]), end[1].data, among == 0 ? "no such link" : "no further link so");
    *link = r->ends.link[at + r->taken[at]++];
    r->count++;
done:
    return st;
}

// A link that has no row is a hole in the flows.
static mco_status refuse_missing(reader *r)
{
    const mco_traffic_network *net = &r->traffic->view;
    char from[16], to[16];
    if (r->count == net->links)
        return MCO_OK;
    for (int64_t at = 0; at < net->links;) {
        const int32_t a = r->ends.link[at];
        int64_t among;
        traffic_ends_find(&r->ends, net->tail[a], net->head[a], &among);
        if (r->taken[at] < among)
            return mco_text_fail_here(&r->text, "%" PRId64 " of %d links have no flow, one of them leads from %s to %s", net->links - r->count,
                                      net->links, mco_traffic_node_name(r->traffic, net->tail[a], from),
                                      mco_traffic_node_name(r->traffic, net->head[a], to));
        at += among;
    }
    return MCO_OK;
}

// ---- TNTP: rows of tail, head, volume and perhaps cost, behind metadata or names of columns or neither

// Rows of flows end with the cost; those of a network go on, and their third number is a capacity.
static mco_status refuse_network(reader *r, mco_slice line, mco_slice rest)
{
    enum { MOST = 3 };  // further numbers that a row of flows may have: cost, and what other programs add
    mco_slice token;
    int64_t more = 0;
    while (traffic_next_token(&rest, &token))
        more++;
    if (more <= MOST)
        return MCO_OK;
    return mco_text_fail(&r->text, line.line, line.column, "the row has %" PRId64 " numbers: it looks like a link of a network, tail, head, volume and cost were expected",
                         more + 3);
}

static mco_status read_tntp_row(reader *r, mco_slice line)
{
    mco_status st = MCO_OK;
    mco_slice end[2], cell, rest = line;
    double flow;
    int32_t link;
    for (int k = 0; k < 2; k++)
        if (!traffic_next_token(&rest, &end[k]))
            return mco_text_fail(&r->text, line.line, line.column, "the row has no %s", k == 0 ? "tail" : "head");
    if (!traffic_next_token(&rest, &cell))
        return mco_text_fail(&r->text, line.line, line.column, "the row has no volume");
    MCO_TRY(mco_slice_real(&r->text, cell, "the volume", 0, TRAFFIC_MAX_VALUE, &flow));
    MCO_TRY(refuse_network(r, line, rest));
    MCO_TRY(take_link(r, end, &link));
    r->flow[link] = flow;
done:
    return st;
}

static mco_status read_tntp(reader *r)
{
    mco_status st = MCO_OK;
    mco_slice line, rest, token;
    bool is_first = true;
    for (int64_t lines = 1; mco_text_line(&r->text, &line); lines++) {
        MCO_TRY(mco_text_in_time(&r->text, lines));
        line = rest = mco_slice_trim(line);
        if (line.size == 0 || line.data[0] == '~' || line.data[0] == '<' || !traffic_next_token(&rest, &token))
            continue;
        const bool is_header = is_first && traffic_is_name(token, TRAFFIC_TAIL_NAMES);
        is_first = false;
        if (!is_header)
            MCO_TRY(read_tntp_row(r, line));
    }
done:
    return st;
}

// ---- CSV

enum { FROM, TO, VOLUME, FIXED_COLUMNS, CLASS_COLUMNS = TRAFFIC_COLUMNS - FIXED_COLUMNS };

typedef struct csv_names {
    char column[CLASS_COLUMNS][COLUMN_ROOM];
    const char *name[TRAFFIC_COLUMNS];
} csv_names;

static mco_status read_csv_row(reader *r, const traffic_columns *c, mco_slice row, int32_t classes)
{
    mco_status st = MCO_OK;
    mco_slice cells[TRAFFIC_COLUMNS];
    const int32_t links = r->traffic->view.links;
    double flow;
    int32_t link;
    MCO_TRY(traffic_columns_cells(c, row, cells));
    const mco_slice end[2] = {cells[FROM], cells[TO]};
    MCO_TRY(mco_slice_real_in(&r->text, cells[VOLUME], "the volume", c->separator, 0, TRAFFIC_MAX_VALUE, &flow));
    MCO_TRY(take_link(r, end, &link));
    r->flow[link] = flow;
    for (int32_t k = 0; k < classes; k++)
        MCO_TRY(mco_slice_real_in(&r->text, cells[FIXED_COLUMNS + k], "the volume of a class", c->separator, 0, TRAFFIC_MAX_VALUE,
                                  &r->class_flow[(int64_t)k * links + link]));
done:
    return st;
}

static mco_status read_csv(reader *r)
{
    mco_status st = MCO_OK;
    csv_names *names = NULL;
    traffic_columns c;
    mco_slice row;
    const int32_t all = r->traffic->class_count, most = CLASS_COLUMNS, asked = all > 1 && all <= most ? all : 0;
    int32_t classes = asked;
    MCO_TRY(mco_alloc(r->ctx, &names, 1));
    names->name[FROM] = TRAFFIC_TAIL_NAMES;
    names->name[TO] = TRAFFIC_HEAD_NAMES;
    names->name[VOLUME] = TRAFFIC_FLOW_NAMES;
    for (int32_t k = 0; k < asked; k++) {
        name_column(r->traffic, k, names->column[k]);
        names->name[FIXED_COLUMNS + k] = names->column[k];
    }
    MCO_TRY(traffic_columns_open(&r->text, names->name, FIXED_COLUMNS + asked, &c));
    for (int k = 0; k < FIXED_COLUMNS; k++)
        MCO_TRY(traffic_columns_require(&c, k));
    for (int32_t k = 0; k < asked; k++)
        classes = c.has[FIXED_COLUMNS + k] ? classes : 0;
    if (classes > 0)
        MCO_TRY(mco_alloc(r->ctx, &r->class_flow, (int64_t)classes * r->traffic->view.links));
    for (int64_t rows = 1; traffic_columns_row(&c, &row); rows++) {
        MCO_TRY(mco_text_in_time(&r->text, rows));
        MCO_TRY(read_csv_row(r, &c, row, classes));
    }
done:
    mco_free(r->ctx, &names);
    return st;
}

// ---- Result files: the members flow and class_flow, in the order of the links

static mco_status read_numbers(reader *r, double *out)
{
    mco_status st = MCO_OK;
    mco_text *text = &r->text;
    bool is_first = true, has_next;
    const int32_t links = r->traffic->view.links;
    int64_t count = 0;
    MCO_TRY(mco_json_enter(text, '['));
    for (;; count++) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        const mco_slice word = mco_json_peek_word(text);
        if (count == links)
            return mco_text_fail(text, word.line, word.column, "more than %d flows, the network has so many links", links);
        MCO_TRY(mco_slice_real(text, word, "a flow", 0, TRAFFIC_MAX_VALUE, &out[count]));
        text->at += word.size;
        MCO_TRY(mco_text_in_time(text, count + 1));
    }
    if (count != links)
        return mco_text_fail_here(text, "%" PRId64 " flows, the network has %d links", count, links);
done:
    return st;
}

static mco_status read_class_numbers(reader *r)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    const int32_t classes = r->traffic->class_count;
    int32_t k = 0;
    if (mco_json_skip_word(&r->text, "null"))
        return MCO_OK;
    if (r->class_flow == NULL)
        MCO_TRY(mco_alloc(r->ctx, &r->class_flow, (int64_t)classes * r->traffic->view.links));
    MCO_TRY(mco_json_enter(&r->text, '['));
    for (;; k++) {
        MCO_TRY(mco_json_next(&r->text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        if (k == classes)
            return mco_text_fail_here(&r->text, "flows of more than %d classes, the network has so many", classes);
        MCO_TRY(read_numbers(r, r->class_flow + (int64_t)k * r->traffic->view.links));
    }
    if (k != classes)
        return mco_text_fail_here(&r->text, "flows of %d classes, the network has %d", k, classes);
done:
    return st;
}

// Compares the tails or the heads of a result with those of the network: flows of another network are of no use.
static mco_status read_ends(reader *r, int end)
{
    mco_status st = MCO_OK;
    mco_text *text = &r->text;
    bool is_first = true, has_next;
    char name[280], buffer[16];
    const mco_traffic_network *net = &r->traffic->view;
    MCO_TRY(mco_json_enter(text, '['));
    for (int64_t l = 0;; l++) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        const int64_t line = text->line;
        MCO_TRY(mco_json_read_text(text, name, sizeof name));
        if (l >= net->links)
            return mco_text_fail_here(text, "the result has more than %d links, the network has so many", net->links);
        const char *own = mco_traffic_node_name(r->traffic, end == 0 ? net->tail[l] : net->head[l], buffer);
        if (strncmp(name, own, sizeof name - 1) != 0)
            return mco_text_fail(text, line, 1, "link %" PRId64 " of the result %s %s, that of the network %s: flows of another network", l + 1,
                                 end == 0 ? "leaves" : "enters", name, own);
        MCO_TRY(mco_text_in_time(text, l + 1));
    }
done:
    return st;
}

static mco_status read_tails(mco_text *text, void *user)
{
    (void)text;  // it is that of the reader
    return read_ends(user, 0);
}

static mco_status read_heads(mco_text *text, void *user)
{
    (void)text;
    return read_ends(user, 1);
}

static mco_status read_flow_member(mco_text *text, void *user)
{
    reader *r = user;
    (void)text;  // it is that of the reader
    r->count = r->traffic->view.links;
    return read_numbers(r, r->flow);
}

static mco_status read_class_member(mco_text *text, void *user)
{
    (void)text;
    return read_class_numbers(user);
}

static mco_status read_json(reader *r)
{
    static const mco_report_member members[] = {{"from", true, read_tails}, {"to", true, read_heads}, {"flow", true, read_flow_member},
                                                 {"class_flow", true, read_class_member}};
    mco_status st = MCO_OK;
    MCO_TRY(mco_report_read(&r->text, "traffic", members, sizeof members / sizeof members[0], r));
    if (r->count == 0 && r->traffic->view.links > 0)
        MCO_TRY(mco_text_fail_here(&r->text, "the result has no flows"));
done:
    return st;
}

static mco_status read_file(reader *r, const char *path)
{
    mco_status st = MCO_OK;
    mco_slice line = {0};
    const mco_traffic_network *net = &r->traffic->view;
    MCO_TRY(mco_text_open(r->ctx, path, &r->text));
    MCO_TRY(traffic_ends_make(r->ctx, net, &r->ends));
    MCO_TRY(mco_alloc(r->ctx, &r->taken, net->links));
    MCO_TRY(mco_alloc(r->ctx, &r->flow, net->links));
    if (mco_text_peek_line(&r->text, &line) && line.data[0] == '{')
        MCO_TRY(read_json(r));
    else if (traffic_ends_with(path, ".csv"))
        MCO_TRY(read_csv(r));
    else
        MCO_TRY(read_tntp(r));
    MCO_TRY(refuse_missing(r));
done:
    return st;
}

mco_status mco_traffic_read_flows(mco_context *ctx, const mco_traffic *traffic, const char *path, double **flow, double **class_flow)
{
    mco_status st = MCO_OK;
    reader r = {.ctx = ctx, .traffic = traffic, .text = {.ctx = ctx}};
    if (ctx == NULL || traffic == NULL || path == NULL || flow == NULL || class_flow == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    r.finder = traffic_find_nodes(traffic, "the tail");
    MCO_TRY(read_file(&r, path));
    *flow = r.flow;
    *class_flow = r.class_flow;
    r.flow = r.class_flow = NULL;
done:
    mco_free(ctx, &r.finder.table.slots);
    traffic_ends_clear(ctx, &r.ends);
    mco_free(ctx, &r.taken);
    mco_free(ctx, &r.flow);
    mco_free(ctx, &r.class_flow);
    mco_text_close(&r.text);
    return st;
}

void mco_traffic_flows_clear(mco_context *ctx, double **flow, double **class_flow)
{
    if (flow != NULL)
        mco_free(ctx, flow);
    if (class_flow != NULL)
        mco_free(ctx, class_flow);
}
