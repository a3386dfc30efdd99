// SPDX-License-Identifier: MIT
// Units and nodes of GMNS: config.csv, node.csv, the numbers and names that nodes get in a network.
#include "traffic/files/gmns.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NODE_ID, X, Y, ZONE, NODE_TYPE, NODE_COLUMNS };
static const char *const node_columns[NODE_COLUMNS] = {"node_id|node|id", "x_coord|x|longitude|lon", "y_coord|y|latitude|lat", "zone_id", "node_type"};

// ---- Units

typedef struct unit {
    const char *names;
    double size;  // in km, or km/h
} unit;

static const unit lengths[] = {{"km|kilometer|kilometers|kilometre|kilometres", 1}, {"m|meter|meters|metre|metres", 0.001},
                               {"mi|mile|miles", 1.609344}, {"ft|foot|feet", 0.0003048}};
static const unit speeds[] = {{"km/h|kmh|kph|kmph", 1}, {"mph|mi/h|miles/h", 1.609344}, {"m/s|mps", 3.6}};

static mco_status find_unit(mco_text *text, mco_slice cell, const unit *units, int count, const char *what, double *size)
{
    for (int k = 0; k < count; k++)
        if (traffic_is_name(cell, units[k].names)) {
            *size = units[k].size;
            return MCO_OK;
        }
    return mco_text_fail(text, cell.line, cell.column, "the unit of %s is \"%.*s\", supported are %s", what, mco_slice_shown(cell), cell.data,
                         units == speeds ? "km/h, mph and m/s" : "km, m, miles and feet");
}

mco_status gmns_read_units(gmns *g, const char *path)
{
    static const char *const names[] = {"long_length", "speed"};
    mco_status st = MCO_OK;
    mco_text text = {.ctx = g->ctx};
    traffic_columns columns;
    mco_slice row, cells[TRAFFIC_COLUMNS];
    double length = 1, speed = 1;
    MCO_TRY(mco_text_open(g->ctx, path, &text));
    MCO_TRY(traffic_columns_open(&text, names, 2, &columns));
    if (traffic_columns_row(&columns, &row)) {
        MCO_TRY(traffic_columns_cells(&columns, row, cells));
        if (!traffic_is_missing(cells[0]) && !traffic_is_missing(cells[1])) {
            MCO_TRY(find_unit(&text, cells[0], lengths, 4, "lengths", &length));
            MCO_TRY(find_unit(&text, cells[1], speeds, 3, "speeds", &speed));
        }
    }
    g->minutes = GMNS_MINUTES * length / speed;
done:
    mco_text_close(&text);
    return st;
}

// ---- Nodes

static mco_status give_zone(gmns *g, mco_text *text, int64_t row, mco_slice cell)
{
    if (traffic_is_missing(cell) || mco_slice_is(cell, "0"))
        return MCO_OK;
    const int32_t other = *mco_name_slot(&g->zone.table, cell.data, cell.size);
    if (other != 0)
        return mco_text_fail(text, cell.line, cell.column,
                             "zone %.*s has a second node, its first stands in line %" PRId64 "; one node of a zone is its centroid (node_type)",
                             mco_slice_shown(cell), cell.data, g->zone.lines[other - 1]);
    return mco_names_give(&g->zone, text, row, cell);
}

static mco_status read_node(gmns *g, traffic_columns *columns, mco_slice row, int64_t k, bool wants_zone)
{
    mco_status st = MCO_OK;
    mco_text *text = columns->text;
    mco_slice cells[TRAFFIC_COLUMNS];
    MCO_TRY(traffic_columns_cells(columns, row, cells));
    if (traffic_is_missing(cells[NODE_ID]))
        return mco_text_fail(text, row.line, row.column, "the node has no node_id");
    const bool is_centroid = mco_slice_is(cells[NODE_TYPE], "centroid");
    if (wants_zone) {
        if (g->centroids == 0 || is_centroid)
            MCO_TRY(give_zone(g, text, k, is_centroid && traffic_is_missing(cells[ZONE]) ? cells[NODE_ID] : cells[ZONE]));
        return MCO_OK;
    }
    g->is_centroid[k] = is_centroid;
    g->centroids += is_centroid;
    MCO_TRY(mco_names_give(&g->node, text, k, cells[NODE_ID]));
    if (g->x != NULL) {
        MCO_TRY(mco_slice_real_in(text, cells[X], "x_coord", columns->separator, -TRAFFIC_MAX_VALUE, TRAFFIC_MAX_VALUE, &g->x[k]));
        MCO_TRY(mco_slice_real_in(text, cells[Y], "y_coord", columns->separator, -TRAFFIC_MAX_VALUE, TRAFFIC_MAX_VALUE, &g->y[k]));
    }
done:
    return st;
}

// Two passes: whether a node of a zone counts depends on whether there are centroids.
mco_status gmns_read_nodes(gmns *g, const char *path)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = g->ctx};
    traffic_columns columns;
    mco_slice row;
    MCO_TRY(mco_text_open(g->ctx, path, &text));
    MCO_TRY(traffic_columns_open(&text, node_columns, NODE_COLUMNS, &columns));
    MCO_TRY(traffic_columns_require(&columns, NODE_ID));
    const int64_t room = traffic_columns_count(&columns);
    if (room > MCO_TRAFFIC_MAX_NODES)
        MCO_TRY(mco_fail(g->ctx, MCO_ERR_LIMIT, "%s: %" PRId64 " nodes, at most %d supported", path, room, MCO_TRAFFIC_MAX_NODES));
    MCO_TRY(mco_names_reserve(g->ctx, &text, room, &g->node));
    MCO_TRY(mco_names_reserve(g->ctx, &text, room, &g->zone));
    MCO_TRY(mco_alloc(g->ctx, &g->is_centroid, room));
    if (columns.has[X] && columns.has[Y]) {
        MCO_TRY(mco_alloc(g->ctx, &g->x, room));
        MCO_TRY(mco_alloc(g->ctx, &g->y, room));
    }
    const mco_text begin = text;
    for (int pass = 0; pass < 2; pass++) {
        text = begin;
        for (g->rows = 0; traffic_columns_row(&columns, &row); g->rows++) {
            MCO_TRY(mco_text_in_time(&text, g->rows + 1));
            MCO_TRY(read_node(g, &columns, row, g->rows, pass == 1));
        }
    }
    g->has_node_file = true;
done:
    mco_text_close(&text);
    return st;
}

// ---- Numbers and names

typedef struct numbered {
    int64_t number;
    int32_t row;
} numbered;

static int by_number(const void *left, const void *right)
{
    const numbered *a = left, *b = right;
    return a->number != b->number ? (a->number > b->number) - (a->number < b->number) : (a->row > b->row) - (a->row < b->row);
}

mco_status gmns_number_nodes(gmns *g)
{
    mco_status st = MCO_OK;
    numbered *zones = NULL;
    bool has_zones = g->zone.count > 0, is_numeric = true;
    int32_t count = 0, next;
    MCO_TRY(mco_alloc(g->ctx, &g->place, g->rows));
    MCO_TRY(mco_alloc(g->ctx, &zones, g->rows));
    for (int32_t k = 0; k < g->rows; k++) {
        char *const name = has_zones ? g->zone.names[k] : g->node.names[k];
        if (name == NULL)
            continue;
        zones[count].row = k;
        is_numeric = is_numeric && mco_parse_integer(name, INT64_MIN, INT64_MAX, &zones[count].number);
        count++;
    }
    if (is_numeric && (has_zones || !g->has_node_file))
        qsort(zones, (size_t)count, sizeof *zones, by_number);
    for (int32_t v = 0; v < g->rows; v++)
        g->place[v] = -1;
    for (int32_t z = 0; z < count; z++)
        g->place[zones[z].row] = z;
    next = count;
    for (int32_t v = 0; v < g->rows; v++)
        if (g->place[v] < 0)
            g->place[v] = next++;
    g->traffic->view.nodes = (int32_t)g->rows;
    g->traffic->view.zones = count;
    g->traffic->view.first_through = g->centroids > 0 ? count : 0;
done:
    mco_free(g->ctx, &zones);
    return st;
}

// Moves pointers [rows] to the places of their nodes. `scratch` [rows].
static void permute(const gmns *g, char **names, char **scratch)
{
    memcpy(scratch, names, (size_t)g->rows * sizeof *names);
    for (int32_t v = 0; v < g->rows; v++)
        names[g->place[v]] = scratch[v];
}

mco_status gmns_give_names(gmns *g)
{
    mco_status st = MCO_OK;
    char **scratch = NULL;
    bool is_plain = true, are_zones_plain = true;
    char number[16];
    MCO_TRY(mco_alloc(g->ctx, &scratch, g->rows));
    permute(g, g->node.names, scratch);
    permute(g, g->zone.names, scratch);
    for (int32_t v = 0; v < g->rows && is_plain; v++) {
        snprintf(number, sizeof number, "%d", v + 1);
        is_plain = strcmp(g->node.names[v], number) == 0;
    }
    for (int32_t z = 0; g->zone.count > 0 && z < g->traffic->view.zones && are_zones_plain; z++)
        are_zones_plain = strcmp(g->zone.names[z], g->node.names[z]) == 0;
    if (!is_plain) {
        g->traffic->node_name = g->node.names;
        g->node.names = NULL;
    }
    if (!are_zones_plain) {
        g->traffic->zone_name = g->zone.names;
        g->zone.names = NULL;
    }
done:
    mco_free(g->ctx, &scratch);
    return st;
}

mco_status gmns_give_places(gmns *g)
{
    mco_status st = MCO_OK;
    mco_traffic_network *view = &g->traffic->view;
    double *x = NULL, *y = NULL;
    if (g->x == NULL)
        return MCO_OK;
    MCO_TRY(mco_alloc(g->ctx, &x, g->rows));
    view->x = x;
    MCO_TRY(mco_alloc(g->ctx, &y, g->rows));
    view->y = y;
    view->is_map = g->rows > 0;
    for (int32_t v = 0; v < g->rows; v++) {
        x[g->place[v]] = g->x[v];
        y[g->place[v]] = g->y[v];
        view->is_map = view->is_map && fabs(g->x[v]) <= 180 && fabs(g->y[v]) <= 90;
    }
done:
    return st;
}

// ---- Places alone

// Reads places of nodes by their names: node_id, x_coord, y_coord. Nodes that the table lacks are refused.
mco_status traffic_read_csv_nodes(mco_context *ctx, const char *path, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    traffic_columns columns;
    mco_slice row, cells[TRAFFIC_COLUMNS];
    mco_name_finder finder = traffic_find_nodes(traffic, "node_id");
    const int32_t nodes = traffic->view.nodes;
    double *x = NULL, *y = NULL;
    bool is_map = true;
    int32_t v = 0;
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(traffic_columns_open(&text, node_columns, NODE_COLUMNS, &columns));
    for (int k = NODE_ID; k <= Y; k++)
        MCO_TRY(traffic_columns_require(&columns, k));
    MCO_TRY(mco_alloc(ctx, &x, nodes));
    MCO_TRY(mco_alloc(ctx, &y, nodes));
    for (int32_t k = 0; k < nodes; k++)
        x[k] = NAN;
    for (int64_t rows = 1; traffic_columns_row(&columns, &row); rows++) {
        MCO_TRY(mco_text_in_time(&text, rows));
        MCO_TRY(traffic_columns_cells(&columns, row, cells));
        MCO_TRY(mco_names_find_cell(&finder, &text, cells[NODE_ID], &v));
        MCO_TRY(mco_slice_real_in(&text, cells[X], "x_coord", columns.separator, -TRAFFIC_MAX_VALUE, TRAFFIC_MAX_VALUE, &x[v]));
        MCO_TRY(mco_slice_real_in(&text, cells[Y], "y_coord", columns.separator, -TRAFFIC_MAX_VALUE, TRAFFIC_MAX_VALUE, &y[v]));
        is_map = is_map && fabs(x[v]) <= 180 && fabs(y[v]) <= 90;
    }
    for (int32_t k = 0; k < nodes; k++) {
        char buffer[16];
        if (isnan(x[k]))
            MCO_TRY(mco_text_fail_here(&text, "the table ends without the place of node %s", mco_traffic_node_name(traffic, k, buffer)));
    }
    traffic->view.x = x;
    traffic->view.y = y;
    traffic->view.is_map = is_map && nodes > 0;
    x = y = NULL;
done:
    mco_free(ctx, &finder.table.slots);
    mco_free(ctx, &x);
    mco_free(ctx, &y);
    mco_text_close(&text);
    return st;
}
