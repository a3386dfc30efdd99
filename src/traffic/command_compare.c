// SPDX-License-Identifier: MIT
// mco traffic compare FLOWS_A FLOWS_B: what an edit changed. With --network lengths, capacities and a map are known; without it rows
// of both files stand in one order.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/number.h"
#include "base/output.h"
#include "render/report.h"
#include "traffic/command.h"
#include "traffic/files/columns.h"
#include "traffic/files/files.h"
#include "traffic/sum.h"

#define MCO_OPTION_STRUCT traffic_comparing
static const mco_option records[] = {MCO_OPTION_RECORDS(TRAFFIC_COMPARE_OPTIONS)};
static const mco_option_table compare_options = MCO_OPTION_TABLE(records);
#undef MCO_OPTION_STRUCT

void traffic_compare_begin(void *state)
{
    *(traffic_comparing *)state = (traffic_comparing){MCO_DEFAULTS(TRAFFIC_COMPARE_OPTIONS) {0}};
}

void traffic_compare_tables(void *state, mco_option_values *out)
{
    traffic_comparing *c = state;
    out[0] = (mco_option_values){&compare_options, c};
    out[1] = (mco_option_values){&traffic_input_options, &c->input};
}

const char *const *traffic_compare_inputs(const void *state, int64_t *count)
{
    *count = 2;
    return &((const traffic_comparing *)state)->input.nodes;
}

void traffic_compare_outputs(const void *state, const char *out[CLI_MORE_OUTPUTS])
{
    out[0] = ((const traffic_comparing *)state)->plot;
    out[1] = ((const traffic_comparing *)state)->output;
}

// ---- Files without a network

enum { NAME_ROOM = 32 };

// A row of a file: names of its ends, cut, and the flow.
typedef struct row {
    char end[2][NAME_ROOM];
    double flow;
} row;

typedef struct rows {
    mco_context *ctx;
    row *row;  // [count]
    int64_t count, room;
} rows;

static mco_status row_at(rows *r, int64_t k, row **out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(r->ctx, &r->row, &r->room, k + 1));
    r->count = k + 1 > r->count ? k + 1 : r->count;
    *out = &r->row[k];
done:
    return st;
}

static mco_status read_names(mco_text *text, rows *r, int end)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    row *at;
    MCO_TRY(mco_json_enter(text, '['));
    for (int64_t k = 0;; k++) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(row_at(r, k, &at));
        MCO_TRY(mco_json_read_text(text, at->end[end], NAME_ROOM));
    }
done:
    return st;
}

static mco_status read_tails(mco_text *text, void *user)
{
    return read_names(text, user, 0);
}

static mco_status read_heads(mco_text *text, void *user)
{
    return read_names(text, user, 1);
}

static mco_status read_numbers(mco_text *text, void *user)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    row *at;
    MCO_TRY(mco_json_enter(text, '['));
    for (int64_t k = 0;; k++) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(row_at(user, k, &at));
        const mco_slice word = mco_json_peek_word(text);
        MCO_TRY(mco_slice_real(text, word, "a flow", 0, 1e290, &at->flow));
        text->at += word.size;
    }
done:
    return st;
}

static mco_status take_end(mco_text *text, mco_slice field, char out[NAME_ROOM])
{
    if (field.size == 0)
        return mco_text_fail(text, field.line, field.column, "a node was expected");
    snprintf(out, NAME_ROOM, "%.*s", (int)(field.size < NAME_ROOM ? field.size : NAME_ROOM - 1), field.data);
    return MCO_OK;
}

static mco_status add_row(mco_text *text, const mco_slice cell[3], rows *r)
{
    mco_status st = MCO_OK;
    row *at;
    MCO_TRY(row_at(r, r->count, &at));
    MCO_TRY(take_end(text, cell[0], at->end[0]));
    MCO_TRY(take_end(text, cell[1], at->end[1]));
    MCO_TRY(mco_slice_real(text, cell[2], "a flow", 0, 1e290, &at->flow));
done:
    return st;
}

// A table whose header names the columns, in any order.
static mco_status read_table(mco_text *text, rows *r)
{
    static const char *const names[] = {TRAFFIC_TAIL_NAMES, TRAFFIC_HEAD_NAMES, TRAFFIC_FLOW_NAMES};
    mco_status st = MCO_OK;
    traffic_columns columns;
    mco_slice line, cells[TRAFFIC_COLUMNS];
    MCO_TRY(traffic_columns_open(text, names, 3, &columns));
    for (int k = 0; k < 3; k++)
        MCO_TRY(traffic_columns_require(&columns, k));
    for (int64_t lines = 1; traffic_columns_row(&columns, &line); lines++) {
        MCO_TRY(mco_text_in_time(text, lines));
        MCO_TRY(traffic_columns_cells(&columns, line, cells));
        MCO_TRY(add_row(text, cells, r));
    }
done:
    return st;
}

// TNTP: rows of tail, head and flow; comments begin with ~, metadata with <, and the first line may have names.
static mco_status read_tntp(mco_text *text, rows *r)
{
    mco_status st = MCO_OK;
    enum { MOST = 6 };  // numbers of a row of flows, with what other programs add; links of a network have 10
    mco_slice line, cell[3], more;
    for (int64_t lines = 1; mco_text_line(text, &line); lines++) {
        mco_slice rest = line = mco_slice_trim(line);
        int count = 0;
        MCO_TRY(mco_text_in_time(text, lines));
        if (line.size == 0 || line.data[0] == '~' || line.data[0] == '<')
            continue;
        while (count < 3 && traffic_next_token(&rest, &cell[count]))
            count++;
        int columns = count;
        while (traffic_next_token(&rest, &more))
            columns++;
        if (columns > MOST)
            MCO_TRY(mco_text_fail(text, line.line, line.column, "the row has %d numbers: it looks like a link of a network", columns));
        if (count > 0 && r->count == 0 && traffic_is_name(cell[0], TRAFFIC_TAIL_NAMES))
            continue;
        if (count < 3)
            MCO_TRY(mco_text_fail(text, line.line, line.column, "a row has %d columns, the ends of a link and its flow were expected", count));
        MCO_TRY(add_row(text, cell, r));
    }
done:
    return st;
}

static mco_status read_rows(mco_context *ctx, const char *path, rows *out)
{
    static const mco_report_member members[] = {{"from", true, read_tails}, {"to", true, read_heads}, {"flow", true, read_numbers}};
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    mco_slice line = {0};
    out->ctx = ctx;
    MCO_TRY(mco_text_open(ctx, path, &text));
    if (mco_text_peek_line(&text, &line) && line.data[0] == '{')
        MCO_TRY(mco_report_read(&text, "traffic", members, 3, out));
    else
        MCO_TRY(traffic_ends_with(path, ".csv") ? read_table(&text, out) : read_tntp(&text, out));
done:
    mco_text_close(&text);
    return st;
}

// ---- What changed

typedef struct change {
    mco_context *ctx;
    const traffic_comparing *options;
    mco_traffic *traffic;   // NULL: no network is known
    rows files[2];
    double *flow[2], *class_flow[2];  // [links] with a network
    int64_t links;
    int64_t *by_size;       // [links] links by |difference|, largest first
} change;

static double flow_of(const change *c, int side, int64_t link)
{
    return c->traffic != NULL ? c->flow[side][link] : c->files[side].row[link].flow;
}

static double difference(const change *c, int64_t link)
{
    return flow_of(c, 1, link) - flow_of(c, 0, link);
}

static const char *end_of(const change *c, int64_t link, int end, char buffer[16])
{
    if (c->traffic == NULL)
        return c->files[0].row[link].end[end];
    const mco_traffic_network n = mco_traffic_view(c->traffic);
    return mco_traffic_node_name(c->traffic, end == 0 ? n.tail[link] : n.head[link], buffer);
}

static mco_status open_files(cli_call *call, change *c)
{
    mco_status st = MCO_OK;
    if (c->options->plot != NULL && c->options->network == NULL)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--plot needs --network, and places of the nodes");
    if (c->options->network != NULL) {
        MCO_TRY(traffic_open(call, &c->options->input, c->options->network, NULL, &c->traffic));
        if (c->options->plot != NULL && mco_traffic_view(c->traffic).x == NULL)
            return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "--plot draws a map: %s has no places, --nodes names a file of them", c->options->network);
        c->links = mco_traffic_view(c->traffic).links;
        for (int side = 0; side < 2; side++)
            MCO_TRY(mco_traffic_read_flows(call->ctx, c->traffic, call->inputs[side], &c->flow[side], &c->class_flow[side]));
        return MCO_OK;
    }
    for (int side = 0; side < 2; side++)
        MCO_TRY(read_rows(call->ctx, call->inputs[side], &c->files[side]));
    c->links = c->files[0].count;
    if (c->files[1].count != c->links)
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "%s has %" PRId64 " links, %s has %" PRId64, call->inputs[0], c->links, call->inputs[1],
                         c->files[1].count));
    for (int64_t l = 0; l < c->links; l++) {
        const row *a = &c->files[0].row[l], *b = &c->files[1].row[l];
        if (strcmp(a->end[0], b->end[0]) != 0 || strcmp(a->end[1], b->end[1]) != 0)
            MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "link %" PRId64 " leads from %s to %s, and in %s from %s to %s; --network compares files in any order",
                             l + 1, a->end[0], a->end[1], call->inputs[1], b->end[0], b->end[1]));
    }
done:
    return st;
}

typedef struct sized {
    double size;
    int64_t link;
} sized;

static int compare_sizes(const void *a, const void *b)
{
    const sized *x = a, *y = b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : (x->link > y->link) - (x->link < y->link);
}

static mco_status sort_changes(change *c)
{
    mco_status st = MCO_OK;
    sized *all = NULL;
    MCO_TRY(mco_alloc(c->ctx, &all, c->links));
    MCO_TRY(mco_alloc(c->ctx, &c->by_size, c->links));
    for (int64_t l = 0; l < c->links; l++)
        all[l] = (sized){fabs(difference(c, l)), l};
    qsort(all, (size_t)c->links, sizeof *all, compare_sizes);
    for (int64_t l = 0; l < c->links; l++)
        c->by_size[l] = all[l].link;
done:
    mco_free(c->ctx, &all);
    return st;
}

static void print_totals(const change *c)
{
    const double tolerance = 1e-6;  // of a flow
    traffic_sum total[2] = {{0, 0}, {0, 0}}, moved = {0, 0}, distance[2] = {{0, 0}, {0, 0}};
    int64_t more = 0, less = 0;
    for (int64_t l = 0; l < c->links; l++) {
        const double d = difference(c, l), least = tolerance * fmax(1, flow_of(c, 0, l));
        more += d > least;
        less += d < -least;
        traffic_sum_add(&moved, fabs(d));
        for (int side = 0; side < 2; side++) {
            traffic_sum_add(&total[side], flow_of(c, side, l));
            if (c->traffic != NULL && mco_traffic_view(c->traffic).length != NULL)
                traffic_sum_add_product(&distance[side], flow_of(c, side, l), mco_traffic_view(c->traffic).length[l]);
        }
    }
    printf("links      %" PRId64 ": %" PRId64 " have more flow, %" PRId64 " less, %" PRId64 " the same\n", c->links, more, less,
           c->links - more - less);
    printf("flow       %.10g before, %.10g after, in sum over the links; %.6g changed\n", total[0].high, total[1].high, moved.high);
    if (c->traffic != NULL)
        printf("distance   %.10g before, %.10g after: flow by length\n", distance[0].high, distance[1].high);
}

static void print_largest(const change *c)
{
    char tail[16], head[16];
    for (int64_t k = 0; k < c->links && k < c->options->top; k++) {
        const int64_t l = c->by_size[k];
        if (difference(c, l) == 0)
            break;
        printf("%-10s %s to %s: %.6g to %.6g, %+.6g\n", k == 0 ? "largest" : "", end_of(c, l, 0, tail), end_of(c, l, 1, head),
               flow_of(c, 0, l), flow_of(c, 1, l), difference(c, l));
    }
}

static mco_status write_table(const change *c, const char *path)
{
    mco_output o;
    char buffer[16];
    const mco_status st = mco_output_open(c->ctx, path, &o);
    if (st != MCO_OK)
        return st;
    fprintf(o.file, "from,to,before,after,difference\n");
    for (int64_t l = 0; l < c->links; l++) {
        mco_write_cell(end_of(c, l, 0, buffer), o.file);
        fputc(',', o.file);
        mco_write_cell(end_of(c, l, 1, buffer), o.file);
        fprintf(o.file, ",%.17g,%.17g,%.17g\n", flow_of(c, 0, l), flow_of(c, 1, l), difference(c, l));
    }
    return mco_output_commit(c->ctx, &o, false);
}

mco_status traffic_compare(cli_call *call)
{
    mco_status st = MCO_OK;
    change c = {.ctx = call->ctx, .options = call->state};
    MCO_TRY(open_files(call, &c));
    MCO_TRY(sort_changes(&c));
    if (traffic_has_summary(c.options->output) && traffic_has_summary(c.options->plot)) {
        print_totals(&c);
        print_largest(&c);
    }
    if (c.options->output != NULL)
        MCO_TRY(write_table(&c, c.options->output));
    if (c.options->plot != NULL)
        MCO_TRY(mco_traffic_plot_difference(call->ctx, c.traffic, c.flow[0], c.flow[1], c.options->plot));
done:
    mco_free(c.ctx, &c.by_size);
    for (int side = 0; side < 2; side++) {
        mco_free(c.ctx, &c.files[side].row);
        mco_traffic_flows_clear(c.ctx, &c.flow[side], &c.class_flow[side]);
    }
    mco_traffic_destroy(c.ctx, &c.traffic);
    return st;
}
