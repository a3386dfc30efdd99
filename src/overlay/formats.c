// SPDX-License-Identifier: MIT
// Instance files. CSV: rows of limits ("least,14", "most,20"), a header, a row for each node (name, uptime, bandwidth). Where not all
// pairs may be linked a second header follows, which begins with "from", and a row for each possible link (from, to, weight, least,
// most). docs/formats.md describes it. JSON: json.c.
//
// The text is read twice: first for the most decimals of all bandwidths, which then are integers by this common power of ten.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "base/kinds.h"
#include "base/names.h"
#include "base/number.h"
#include "base/options.h"
#include "base/output.h"
#include "base/structs.h"
#include "base/table.h"
#include "overlay/reader.h"

typedef enum node_column { NODE_NAME, NODE_UPTIME, NODE_BANDWIDTH, NODE_COLUMNS } node_column;
static const char *const node_columns[NODE_COLUMNS] = {"name", "uptime", "bandwidth"};

typedef enum link_column { LINK_FROM, LINK_TO, LINK_WEIGHT, LINK_LEAST, LINK_MOST, LINK_COLUMNS } link_column;
static const char *const link_columns[LINK_COLUMNS] = {"from", "to", "weight", "least", "most"};

static const char *const limit_words[LIMITS] = {"least", "most"};

// ---- Shape of the text

// Takes rows of limits, behind comments.
static mco_status read_limits(overlay_reader *c)
{
    mco_status st = MCO_OK;
    mco_slice line, cell;
    while (mco_text_skip_blank(c->text)) {
        const mco_text before = *c->text;
        mco_text_line(c->text, &line);
        if (line.data[0] == '#')
            continue;
        const char separator = mco_slice_separator(line);
        int k = 0;
        mco_slice rest = line;
        mco_slice_field(&rest, separator, &cell);
        while (k < LIMITS && !mco_slice_is(cell, limit_words[k]))
            k++;
        if (k == LIMITS) {
            *c->text = before;
            break;
        }
        if (c->limits[k].data != NULL)
            MCO_TRY(mco_text_fail(c->text, line.line, line.column, "%s stands in line %lld and in line %lld", limit_words[k],
                                  (long long)c->limits[k].line, (long long)line.line));
        if (!mco_slice_field(&rest, separator, &c->limits[k]))
            MCO_TRY(mco_text_fail(c->text, line.line, line.column, "a number was expected behind %s", limit_words[k]));
        c->limit_separators[k] = separator;
    }
done:
    return st;
}

// A node may be called from, too; but its uptime is a number.
static bool is_link_header(const overlay_reader *c, mco_slice row)
{
    mco_slice cell;
    bool has_to = false;
    if (!mco_slice_field(&row, c->nodes.separator, &cell) || !mco_slice_is(cell, link_columns[LINK_FROM]))
        return false;
    while (!has_to && mco_slice_field(&row, c->nodes.separator, &cell))
        has_to = mco_slice_is(cell, link_columns[LINK_TO]);
    return has_to;
}

static mco_status measure(overlay_reader *c)
{
    mco_status st = MCO_OK;
    mco_slice row;
    mco_text before = *c->text, ahead = *c->text;
    c->node_rows = *c->text;
    for (; !c->has_links && mco_text_row(&ahead, c->nodes.separator, &row); before = ahead) {
        c->has_links = is_link_header(c, row);
        c->node_count += !c->has_links;
        if (c->has_links)
            break;
    }
    if (c->has_links) {
        *c->text = before;
        MCO_TRY(mco_table_open(c->text, link_columns, LINK_COLUMNS, &c->links));
        c->link_rows = *c->text;
        c->link_count = mco_table_count(&c->links, &ahead);
    }
    if (c->node_count > MCO_OVERLAY_MAX_NODES)
        MCO_TRY(mco_text_fail(c->text, c->nodes.header.line, 1, "%lld nodes, allowed are 0 to %d", (long long)c->node_count, MCO_OVERLAY_MAX_NODES));
done:
    return st;
}

// ---- Numbers

mco_status overlay_read_bandwidth(overlay_reader *c, mco_slice cell, const char *what, char separator, int64_t *out)
{
    mco_status st = MCO_OK;
    if (out == NULL)
        return mco_slice_places(c->text, cell, what, separator, MCO_OVERLAY_MAX_PLACES, &c->places);
    MCO_TRY(mco_slice_scaled(c->text, cell, what, separator, c->places, 0, MCO_OVERLAY_MAX_BANDWIDTH, out));
    if (*out > MCO_OVERLAY_MAX_BANDWIDTH)
        MCO_TRY(mco_text_fail(c->text, cell.line, cell.column, "%s is %.*s; with %d decimal%s in the file allowed is 0 to %.15g", what,
                              mco_slice_shown(cell), cell.data, c->places, mco_plural(c->places),
                              MCO_OVERLAY_MAX_BANDWIDTH / (double)c->scale));
done:
    return st;
}

// An option of the model in units of the instance. Decimals such as 0.07 are no exact doubles.
static mco_status take_option(overlay_reader *c, const char *flag, double value, int64_t *out)
{
    const double units = floor(value * (double)c->scale + 0.5);
    if (units > MCO_OVERLAY_MAX_BANDWIDTH || fabs(units / (double)c->scale - value) > 1e-12 * value)
        return mco_fail(c->ctx, MCO_ERR_ARGUMENT, "%s %g: bandwidths of this file have %d decimal%s and are at most %.15g", flag, value,
                        c->places, mco_plural(c->places), MCO_OVERLAY_MAX_BANDWIDTH / (double)c->scale);
    *out = (int64_t)units;
    return MCO_OK;
}

mco_status overlay_take_limits(overlay_reader *c)
{
    mco_status st = MCO_OK;
    for (int k = 0; k < LIMITS; k++)
        if (c->limits[k].data != NULL)
            MCO_TRY(overlay_read_bandwidth(c, c->limits[k], limit_words[k], c->limit_separators[k], NULL));
    c->scale = 1;
    for (int k = 0; k < c->places; k++)
        c->scale *= 10;
    c->data.least_of_all = 0;
    c->data.most_of_all = -1;
    if (c->limits[LIMIT_LEAST].data != NULL)
        MCO_TRY(overlay_read_bandwidth(c, c->limits[LIMIT_LEAST], "least", c->limit_separators[LIMIT_LEAST], &c->data.least_of_all));
    if (c->limits[LIMIT_MOST].data != NULL)
        MCO_TRY(overlay_read_bandwidth(c, c->limits[LIMIT_MOST], "most", c->limit_separators[LIMIT_MOST], &c->data.most_of_all));
    if (c->model->least >= 0)
        MCO_TRY(take_option(c, "--least", c->model->least, &c->data.least_of_all));
    if (c->model->most >= 0)
        MCO_TRY(take_option(c, "--most", c->model->most, &c->data.most_of_all));
done:
    return st;
}

// ---- Rows

static mco_status read_node(overlay_reader *c, mco_slice row, int64_t i, bool is_first)
{
    mco_status st = MCO_OK;
    mco_slice cells[MCO_TABLE_COLUMNS];
    const char separator = c->nodes.separator;
    MCO_TRY(mco_table_cells(&c->nodes, row, c->nodes.fields, cells));
    MCO_TRY(overlay_read_bandwidth(c, cells[NODE_BANDWIDTH], "the bandwidth", separator, is_first ? NULL : &c->bandwidth[i]));
    if (is_first)
        return MCO_OK;
    MCO_TRY(mco_slice_real_in(c->text, cells[NODE_UPTIME], "the uptime", separator, 0, 1, &c->uptime[i]));
    if (mco_table_has(&c->nodes, NODE_NAME))
        MCO_TRY(mco_names_give(&c->names, c->text, i, cells[NODE_NAME]));
done:
    return st;
}

static mco_status read_link(overlay_reader *c, mco_slice row, int64_t k, bool is_first)
{
    mco_status st = MCO_OK;
    mco_slice cells[MCO_TABLE_COLUMNS];
    const char separator = c->links.separator;
    MCO_TRY(mco_table_cells(&c->links, row, 2, cells));
    if (!is_first) {
        if (c->least != NULL)
            c->least[k] = c->data.least_of_all;
        if (c->most != NULL)
            c->most[k] = c->data.most_of_all >= 0 ? c->data.most_of_all : MCO_OVERLAY_MAX_BANDWIDTH;
    }
    if (cells[LINK_LEAST].size > 0)
        MCO_TRY(overlay_read_bandwidth(c, cells[LINK_LEAST], "the least bandwidth", separator, is_first ? NULL : &c->least[k]));
    if (cells[LINK_MOST].size > 0)
        MCO_TRY(overlay_read_bandwidth(c, cells[LINK_MOST], "the most bandwidth", separator, is_first ? NULL : &c->most[k]));
    if (is_first)
        return MCO_OK;
    MCO_TRY(mco_names_find_cell(&c->finder, c->text, cells[LINK_FROM], &c->from[k]));
    MCO_TRY(mco_names_find_cell(&c->finder, c->text, cells[LINK_TO], &c->to[k]));
    if (c->from[k] == c->to[k])
        MCO_TRY(mco_text_fail(c->text, row.line, row.column, "the link joins node \"%.*s\" with itself", mco_slice_shown(cells[LINK_FROM]),
                              cells[LINK_FROM].data));
    if (c->weight != NULL)
        MCO_TRY(mco_slice_real_in(c->text, cells[LINK_WEIGHT], "the weight", separator, -MCO_OVERLAY_MAX_WEIGHT, MCO_OVERLAY_MAX_WEIGHT,
                                  &c->weight[k]));
    if (c->least != NULL && c->most != NULL && c->least[k] > c->most[k])
        MCO_TRY(mco_text_fail(c->text, row.line, row.column, "the least bandwidth of the link is above the most"));
done:
    return st;
}

static mco_status read_tables(overlay_reader *c, bool is_first)
{
    mco_status st = MCO_OK;
    mco_slice row;
    *c->text = c->node_rows;
    for (int64_t i = 0; i < c->node_count; i++) {
        mco_text_row(c->text, c->nodes.separator, &row);
        MCO_TRY(mco_text_in_time(c->text, i));
        MCO_TRY(read_node(c, row, i, is_first));
    }
    if (!is_first && c->names.count > 0)
        MCO_TRY(mco_names_test(&c->names, c->text, c->node_count));
    c->finder = (mco_name_finder){.what = "the node", .names = c->names.count > 0 ? c->names.names : NULL, .rows = (int32_t)c->node_count};
    if (c->has_links)
        *c->text = c->link_rows;
    for (int64_t k = 0; k < c->link_count; k++) {
        mco_text_row(c->text, c->links.separator, &row);
        MCO_TRY(mco_text_in_time(c->text, k));
        MCO_TRY(read_link(c, row, k, is_first));
    }
done:
    return st;
}

mco_status overlay_open_arrays(overlay_reader *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(c->ctx, &c->uptime, c->node_count));
    MCO_TRY(mco_alloc(c->ctx, &c->bandwidth, c->node_count));
    if (c->has_names)
        MCO_TRY(mco_names_reserve(c->ctx, &c->node_rows, c->node_count, &c->names));
    if (!c->has_links)
        return MCO_OK;
    MCO_TRY(mco_alloc(c->ctx, &c->from, c->link_count));
    MCO_TRY(mco_alloc(c->ctx, &c->to, c->link_count));
    if (c->has_weight)
        MCO_TRY(mco_alloc(c->ctx, &c->weight, c->link_count));
    if (c->has_least)
        MCO_TRY(mco_alloc(c->ctx, &c->least, c->link_count));
    if (c->has_most)
        MCO_TRY(mco_alloc(c->ctx, &c->most, c->link_count));
done:
    return st;
}

// ---- Links of a graph

// The node that a vertex stands for: by name where the graph has names, else by number. A name that is a number is that of an unnamed node.
static mco_status find_vertex(overlay_reader *c, const mco_graph *graph, int32_t vertex, int32_t *node)
{
    char buffer[16];
    mco_status st = MCO_OK;
    const char *name = mco_graph_vertex_name(graph, vertex, buffer);
    *node = vertex;
    if (mco_graph_has_names(graph))
        MCO_TRY(mco_names_look_up(&c->finder, c->ctx, name, strlen(name), node));
    if (*node < 0 || *node >= c->node_count)
        st = mco_fail(c->ctx, MCO_ERR_PARSE, "--links: the graph has the vertex %s, and the instance has no such node among its %lld", name,
                      (long long)c->node_count);
done:
    return st;
}

static mco_status take_graph(overlay_reader *c, const mco_graph *graph)
{
    mco_status st = MCO_OK;
    const mco_graph_rows rows = mco_graph_view(graph);
    int64_t count = 0;
    MCO_TRY(mco_alloc(c->ctx, &c->from, rows.arcs));
    MCO_TRY(mco_alloc(c->ctx, &c->to, rows.arcs));
    if (rows.weight != NULL)
        MCO_TRY(mco_alloc(c->ctx, &c->weight, rows.arcs));
    for (int32_t v = 0; v < rows.vertices; v++)
        for (int64_t a = rows.first[v]; a < rows.first[v + 1]; a++) {
            if (!rows.is_directed && rows.head[a] < v)
                continue;  // the edge stands in the other row too
            MCO_TRY(find_vertex(c, graph, v, &c->from[count]));
            MCO_TRY(find_vertex(c, graph, rows.head[a], &c->to[count]));
            if (c->weight != NULL)
                c->weight[count] = rows.weight[a];
            count++;
        }
    c->data.links = count;
done:
    return st;
}

static mco_status read_graph(overlay_reader *c)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    if (c->has_links)
        MCO_TRY(mco_fail(c->ctx, MCO_ERR_ARGUMENT, "--links is given, and the file has links, too"));
    MCO_TRY(mco_graph_read(c->ctx, c->model->links, NULL, &graph));
    MCO_TRY(take_graph(c, graph));
done:
    mco_graph_destroy(c->ctx, &graph);
    return st;
}

// ---- All of it

static mco_status read_csv(overlay_reader *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(read_limits(c));
    if (!mco_text_skip_blank(c->text))
        return mco_text_fail_here(c->text, "the text ends where a header was expected: name,uptime,bandwidth");
    MCO_TRY(mco_table_open(c->text, node_columns, NODE_COLUMNS, &c->nodes));
    MCO_TRY(mco_table_require(&c->nodes, NODE_UPTIME));
    MCO_TRY(mco_table_require(&c->nodes, NODE_BANDWIDTH));
    MCO_TRY(measure(c));
    c->has_names = mco_table_has(&c->nodes, NODE_NAME);
    c->has_weight = c->has_links && mco_table_has(&c->links, LINK_WEIGHT);
    c->has_least = c->has_links && mco_table_has(&c->links, LINK_LEAST);
    c->has_most = c->has_links && mco_table_has(&c->links, LINK_MOST);
    MCO_TRY(read_tables(c, true));
    MCO_TRY(overlay_take_limits(c));
    MCO_TRY(overlay_open_arrays(c));
    MCO_TRY(read_tables(c, false));
done:
    return st;
}

// What is wrong with the data is wrong with the file, unless an option changed it.
static mco_status blame_file(const overlay_reader *c, mco_status st)
{
    char message[MCO_ERROR_LENGTH];
    if (st != MCO_ERR_ARGUMENT || c->model->least >= 0 || c->model->most >= 0 || c->model->links != NULL)
        return st;
    snprintf(message, sizeof message, "%s", mco_context_error(c->ctx));
    return mco_fail(c->ctx, MCO_ERR_PARSE, "%s: %s", c->text->name, message);
}

mco_status overlay_read_text(mco_context *ctx, mco_text *text, const mco_overlay_model *model, const char *name, mco_overlay **out)
{
    mco_status st = MCO_OK;
    overlay_reader c = {.ctx = ctx, .text = text, .model = model};
    char **none = NULL;
    if (mco_text_skip_blank(text) && text->data[text->at] == '{')
        MCO_TRY(overlay_read_json(&c));
    else {
        MCO_TRY(mco_refuse_other_kind(text, "overlay"));
        MCO_TRY(read_csv(&c));
    }
    c.data.nodes = (int32_t)c.node_count;
    c.data.links = c.has_links ? c.link_count : -1;
    if (model->links != NULL)
        MCO_TRY(read_graph(&c));
    c.data.uptime = c.uptime;
    c.data.bandwidth = c.bandwidth;
    c.data.from = c.from;
    c.data.to = c.to;
    c.data.weight = c.weight;
    c.data.least = c.least;
    c.data.most = c.most;
    MCO_TRY(blame_file(&c, overlay_create_named(ctx, name, &c.data, c.names.count > 0 ? &c.names.names : &none, out)));
    (*out)->scale = c.scale;
done:
    mco_free(ctx, &c.finder.table.slots);
    mco_names_clear(ctx, &c.names);
    mco_free(ctx, &c.uptime);
    mco_free(ctx, &c.bandwidth);
    mco_free(ctx, &c.from);
    mco_free(ctx, &c.to);
    mco_free(ctx, &c.weight);
    mco_free(ctx, &c.least);
    mco_free(ctx, &c.most);
    return st;
}

mco_status mco_overlay_read(mco_context *ctx, const char *path, const mco_overlay_model *model, mco_overlay **out)
{
    mco_status st = MCO_OK;
    mco_text text = {0};
    mco_overlay_model m = MCO_OVERLAY_MODEL_INIT;
    if (ctx == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (model != NULL)
        MCO_TRY(MCO_TAKE(ctx, model, &m));
    MCO_TRY(mco_options_validate(ctx, mco_overlay_model_options(), &m));
    MCO_TRY(mco_text_open(ctx, path, &text));
    st = overlay_read_text(ctx, &text, &m, mco_text_base_name(path), out);
    mco_text_close(&text);
done:
    return st;
}

#define MCO_OPTION_STRUCT mco_overlay_model
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_OVERLAY_MODEL_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

const mco_option_table *mco_overlay_model_options(void)
{
    return &options;
}

// ---- Writing

static void write_scaled(const mco_overlay *o, int64_t value, FILE *file)
{
    char text[MCO_NUMBER_TEXT];
    fputs(mco_scaled_text(value, o->scale, text), file);
}

// 32 bits behind the point, in decimal digits that read back as the same units.
static void write_share(double units, FILE *file)
{
    mco_write_number(units / 4294967296.0, file);
}

static void write_node(const mco_overlay *o, int32_t i, FILE *file)
{
    char buffer[16];
    if (o->names != NULL) {
        mco_write_cell(mco_overlay_node_name(o, i, buffer), file);
        fputc(',', file);
    }
    if (o->uptime[i] == UINT32_MAX)
        fputc('1', file);
    else
        write_share(o->uptime[i], file);
    fputc(',', file);
    write_scaled(o, o->bandwidth[i], file);
    fputc('\n', file);
}

static void write_link(const mco_overlay *o, int32_t i, int64_t k, FILE *file)
{
    char buffer[16];
    const int64_t a = o->first[i] + k;
    mco_write_cell(mco_overlay_node_name(o, i, buffer), file);
    fputc(',', file);
    mco_write_cell(mco_overlay_node_name(o, o->to[a], buffer), file);
    if (o->weight != NULL) {
        fputc(',', file);
        mco_write_number(o->weight[a] * (o->weight_unit / 4294967296.0), file);
    }
    if (o->row_least != NULL) {
        fputc(',', file);
        write_scaled(o, o->row_least[a], file);
    }
    if (o->row_most != NULL) {  // where an end has less bandwidth than the least, the link's own limit was more
        const int32_t least = o->row_least != NULL ? o->row_least[a] : o->least;
        fputc(',', file);
        write_scaled(o, o->row_most[a] > least ? o->row_most[a] : least, file);
    }
    fputc('\n', file);
}

static void write_csv(const mco_overlay *o, FILE *file)
{
    fputs("least,", file);
    write_scaled(o, o->least, file);
    if (o->most != INT32_MAX) {
        fputs("\nmost,", file);
        write_scaled(o, o->most, file);
    }
    fprintf(file, "\n%suptime,bandwidth\n", o->names != NULL ? "name," : "");
    for (int32_t i = 0; i < o->nodes; i++)
        write_node(o, i, file);
    if (o->is_complete)
        return;
    fprintf(file, "from,to%s%s%s\n", o->weight != NULL ? ",weight" : "", o->row_least != NULL ? ",least" : "",
            o->row_most != NULL ? ",most" : "");
    for (int32_t i = 0; i < o->nodes; i++)
        for (int64_t k = 0; k < overlay_row_size(o, i); k++)
            if (o->to[o->first[i] + k] > i)
                write_link(o, i, k, file);
}

mco_status mco_overlay_write(mco_context *ctx, const mco_overlay *instance, const char *path)
{
    mco_output output;
    if (ctx == NULL || instance == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_status st = mco_output_open(ctx, path, &output);
    const size_t length = strlen(path);
    if (st != MCO_OK)
        return st;
    if (length > 5 && strcmp(path + length - 5, ".json") == 0)
        overlay_write_json(instance, output.file);
    else
        write_csv(instance, output.file);
    return mco_output_commit(ctx, &output, false);
}
