// SPDX-License-Identifier: MIT
// Places of nodes in TNTP files: node, x, y between blanks or commas, with names of columns or without.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/names.h"
#include "traffic/files/tntp.h"

typedef struct place_columns {
    int node, x, y;  // positions in a line
    int least;       // cells that a line needs
} place_columns;

static mco_slice next_cell(tntp_scanner *s, char separator)
{
    tntp_skip_blanks(s);
    if (separator != '\0' && *s->at == separator) {
        s->at++;
        return (mco_slice){s->at, 0, 0, 0};
    }
    mco_slice cell = tntp_token_at(s);
    s->at += cell.size;
    tntp_skip_blanks(s);
    if (separator != '\0' && *s->at == separator)
        s->at++;
    return cell;
}

// Reads the names of columns, if the line has them: "node X Y" is what files without names have.
static place_columns read_columns(tntp_scanner *s, char separator)
{
    place_columns c = {0, 1, 2, 3};
    if (!tntp_is_letter(*s->at))
        return c;
    for (int k = 0; !tntp_is_at_end(s) || (*s->at == ';' && separator == ';'); k++) {
        const mco_slice name = next_cell(s, separator);
        if (mco_slice_is(name, "node") || mco_slice_is(name, "node_id") || mco_slice_is(name, "id"))
            c.node = k;
        else if (mco_slice_is(name, "x") || mco_slice_is(name, "x_coord") || mco_slice_is(name, "lon"))
            c.x = k;
        else if (mco_slice_is(name, "y") || mco_slice_is(name, "y_coord") || mco_slice_is(name, "lat"))
            c.y = k;
        if (name.size == 0 && separator == '\0')
            break;
    }
    tntp_skip_line(s);
    c.least = 1 + (c.node > c.x ? c.node : c.x);
    c.least = c.least > c.y ? c.least : c.y + 1;
    return c;
}

// Finds a node by its name in files; -1: there is none.
static mco_status find_node(mco_name_finder *finder, mco_text *text, const mco_traffic *traffic, mco_slice cell, int32_t *node)
{
    tntp_scanner s = {text, cell.data, 0};
    int64_t number = 0;
    if (traffic->node_name != NULL)
        return mco_names_look_up(finder, text->ctx, cell.data, cell.size, node);
    mco_status st = tntp_read_whole(&s, "the node", 1, INT64_C(1) << 52, &number);
    *node = number >= 1 && number <= traffic->view.nodes ? (int32_t)number - 1 : -1;
    return st;
}

typedef struct place_table {
    place_columns columns;
    char separator;
    double *x, *y;  // [nodes] NaN: unknown
    int64_t unknown;  // lines of nodes that the network lacks
    mco_name_finder finder;
} place_table;

static mco_status read_place(tntp_scanner *s, const mco_traffic *traffic, place_table *t)
{
    mco_status st = MCO_OK;
    int32_t node = -1;
    double place[2] = {0, 0};
    for (int k = 0; k < t->columns.least; k++) {
        tntp_skip_blanks(s);
        const char *const at = s->at;
        const mco_slice cell = next_cell(s, t->separator);
        tntp_scanner inside = {s->text, at, 0};
        if (cell.size == 0 && (k == t->columns.node || k == t->columns.x || k == t->columns.y))
            return tntp_fail_at(&inside, k == t->columns.node ? "a node" : "a place");
        if (k == t->columns.node)
            MCO_TRY(find_node(&t->finder, s->text, traffic, cell, &node));
        else if (k == t->columns.x || k == t->columns.y)
            MCO_TRY(tntp_read_real(&inside, k == t->columns.x ? "x" : "y", -TNTP_MOST, TNTP_MOST, &place[k == t->columns.y]));
    }
    tntp_skip_line(s);
    t->unknown += node < 0;
    if (node >= 0) {
        t->x[node] = place[0];
        t->y[node] = place[1];
    }
done:
    return st;
}

// Nodes without a place stand in the middle of the others.
static int64_t fill_places(int32_t nodes, double *x, double *y)
{
    double sum_x = 0, sum_y = 0;
    int64_t known = 0;
    for (int32_t v = 0; v < nodes; v++)
        if (!isnan(x[v])) {
            sum_x += x[v];
            sum_y += y[v];
            known++;
        }
    for (int32_t v = 0; v < nodes; v++)
        if (isnan(x[v])) {
            x[v] = known > 0 ? sum_x / (double)known : 0;
            y[v] = known > 0 ? sum_y / (double)known : 0;
        }
    return nodes - known;
}

// Degrees, as far as numbers can tell: all in their range, and the middle is over ten from (0, 0), where plans in kilometres begin.
static bool are_degrees(int32_t nodes, const double *x, const double *y)
{
    double sum_x = 0, sum_y = 0;
    for (int32_t v = 0; v < nodes; v++) {
        if (!(fabs(x[v]) <= 180 && fabs(y[v]) <= 90))
            return false;
        sum_x += x[v];
        sum_y += y[v];
    }
    return nodes > 0 && hypot(sum_x, sum_y) > 10.0 * nodes;
}

mco_status traffic_read_tntp_nodes(mco_context *ctx, const char *path, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    const int32_t nodes = traffic->view.nodes;
    place_table t = {.finder = {.what = "the node", .names = traffic->node_name, .rows = nodes, .ids = MCO_IDS_NAMES}};
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(mco_alloc(ctx, &t.x, nodes));
    MCO_TRY(mco_alloc(ctx, &t.y, nodes));
    for (int32_t v = 0; v < nodes; v++)
        t.x[v] = t.y[v] = NAN;
    tntp_scanner s = {&text, text.data + text.at, 0};
    if (tntp_skip_to_content(&s, ';')) {
        t.separator = memchr(s.at, ',', strcspn(s.at, "\n")) != NULL ? ',' : '\0';
        t.columns = read_columns(&s, t.separator);
    }
    while (tntp_skip_to_content(&s, ';')) {
        MCO_TRY(mco_text_in_time(&text, ++s.count));
        MCO_TRY(read_place(&s, traffic, &t));
    }
    if (t.unknown > 0)
        mco_log(ctx, MCO_LOG_WARNING, "%s: %" PRId64 " places of nodes that the network lacks", text.name, t.unknown);
    const int64_t missing = fill_places(nodes, t.x, t.y);
    if (missing > 0)
        mco_log(ctx, MCO_LOG_WARNING, "%s: %" PRId64 " nodes have no place; they stand in the middle of the others", text.name, missing);
    traffic->view.is_map = are_degrees(nodes, t.x, t.y);
    mco_free_bytes(ctx, &(void *){(void *)(uintptr_t)traffic->view.x});
    mco_free_bytes(ctx, &(void *){(void *)(uintptr_t)traffic->view.y});
    traffic->view.x = t.x;
    traffic->view.y = t.y;
    t.x = t.y = NULL;
done:
    mco_free(ctx, &t.finder.table.slots);
    mco_free(ctx, &t.x);
    mco_free(ctx, &t.y);
    mco_text_close(&text);
    return st;
}
