// SPDX-License-Identifier: MIT
// Networks of the General Modeling Network Specification: a table of links, link.csv, and one of nodes, node.csv, beside it. Names of nodes
// are any text. Units stand in config.csv.
//
// A node with a zone_id is the end of that zone's trips. Where nodes are called centroids (node_type), these alone are zones, and paths
// do not pass through them. Without any zone, every node is one. Zones become the first nodes, in the order of their numbers.
// An undirected link stands for two. The capacity of a link is that of a lane times its lanes.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "traffic/files/columns.h"
#include "traffic/files/files.h"

static const double MINUTES = 60, DEFAULT_B = 0.15, DEFAULT_POWER = 4;

enum { FROM, TO, DIRECTED, LENGTH, FREE_SPEED, LANES, CAPACITY, ALPHA, BETA, TIME, TOLL, TYPE, USES, LINK_COLUMNS };
static const char *const link_columns[LINK_COLUMNS] = {
    "from_node_id", "to_node_id", "directed", "length", "free_speed", "lanes", "capacity", "vdf_alpha|vdf_alpha1", "vdf_beta|vdf_beta1",
    "vdf_fftt|vdf_fftt1|free_flow_time|fftt", "toll", "link_type", "allowed_uses"};

enum { NODE_ID, X, Y, ZONE, NODE_TYPE, NODE_COLUMNS };
static const char *const node_columns[NODE_COLUMNS] = {"node_id|node|id", "x_coord|x|longitude|lon", "y_coord|y|latitude|lat", "zone_id", "node_type"};

typedef struct link_row {
    int32_t tail, head;  // rows of nodes
    double capacity, length, time, b, power, speed, toll;
    int32_t type;
} link_row;

typedef struct gmns {
    mco_context *ctx;
    mco_traffic *traffic;
    mco_names node, zone;  // by row of node.csv
    int64_t rows;
    double *x, *y;         // [rows] NULL: unknown
    bool *is_centroid;     // [rows]
    int64_t centroids;
    int32_t *place;        // [rows] number of the node in the network
    double minutes;        // length / free_speed times this
    link_row *link;        // [links]
    int64_t links, link_room, without_capacity, without_cars;
    bool has_node_file, has_toll, has_type;
} gmns;

static void gmns_clear(gmns *g)
{
    mco_names_clear(g->ctx, &g->node);
    mco_names_clear(g->ctx, &g->zone);
    mco_free(g->ctx, &g->x);
    mco_free(g->ctx, &g->y);
    mco_free(g->ctx, &g->is_centroid);
    mco_free(g->ctx, &g->place);
    mco_free(g->ctx, &g->link);
}

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

// Reads the units of lengths and speeds. Files without them use one pair, miles and mph or km and km/h.
static mco_status read_units(gmns *g, const char *path)
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
    g->minutes = MINUTES * length / speed;
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
static mco_status read_nodes(gmns *g, const char *path)
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

// Collects the nodes that links name, where there is no table of nodes.
static mco_status collect_nodes(gmns *g, const traffic_columns *columns)
{
    mco_status st = MCO_OK;
    mco_text *text = columns->text;
    const mco_text begin = *text;
    mco_slice row, cells[TRAFFIC_COLUMNS];
    const int64_t room = 2 * traffic_columns_count(columns);
    MCO_TRY(mco_names_reserve(g->ctx, text, room, &g->node));
    MCO_TRY(mco_names_reserve(g->ctx, text, room, &g->zone));
    for (int64_t rows = 1; traffic_columns_row(columns, &row); rows++) {
        MCO_TRY(mco_text_in_time(text, rows));
        MCO_TRY(traffic_columns_cells(columns, row, cells));
        for (int k = FROM; k <= TO; k++) {
            if (traffic_is_missing(cells[k]))
                MCO_TRY(mco_text_fail(text, row.line, row.column, "the link has no %s", link_columns[k]));
            if (*mco_name_slot(&g->node.table, cells[k].data, cells[k].size) == 0)
                MCO_TRY(mco_names_give(&g->node, text, g->rows++, cells[k]));
        }
    }
    if (g->rows > MCO_TRAFFIC_MAX_NODES)
        MCO_TRY(mco_fail(g->ctx, MCO_ERR_LIMIT, "%s: %" PRId64 " nodes, at most %d supported", text->name, g->rows, MCO_TRAFFIC_MAX_NODES));
    MCO_TRY(mco_alloc(g->ctx, &g->is_centroid, g->rows));
    *text = begin;
done:
    return st;
}

// ---- Links

static bool is_false(mco_slice cell)
{
    return traffic_is_name(cell, "0|false|no|f|n");
}

// Whether cars may use the link: the list of uses is empty, or names more than walking, cycling and public transport.
static bool is_for_cars(mco_slice uses)
{
    if (traffic_is_missing(uses))
        return true;
    for (size_t at = 0; at < uses.size;) {
        size_t end = at;
        while (end < uses.size && strchr(",;| ", uses.data[end]) == NULL)
            end++;
        const mco_slice word = {uses.data + at, end - at, uses.line, uses.column};
        if (word.size > 0 && !traffic_is_name(word, "walk|w|ped|pedestrian|foot|bike|b|bicycle|transit|bus|rail|none"))
            return true;
        at = end + 1;
    }
    return false;
}

static mco_status read_time(const gmns *g, const traffic_columns *c, mco_slice row, const mco_slice *cells, link_row *l)
{
    mco_status st = MCO_OK;
    MCO_TRY(traffic_columns_real(c, cells[TIME], "the free-flow time", 0, TRAFFIC_MAX_VALUE, -1, &l->time));
    MCO_TRY(traffic_columns_real(c, cells[FREE_SPEED], "free_speed", 0, TRAFFIC_MAX_VALUE, 0, &l->speed));
    if (l->time >= 0)
        return MCO_OK;
    if (!(l->speed > 0) || traffic_is_missing(cells[LENGTH]))
        return mco_text_fail(c->text, row.line, row.column, "the link has no free-flow time: neither vdf_fftt, nor length and a free_speed above 0");
    l->time = g->minutes * l->length / l->speed;
done:
    return st;
}

static mco_status read_capacity(gmns *g, const traffic_columns *c, const mco_slice *cells, link_row *l)
{
    mco_status st = MCO_OK;
    double lanes;
    MCO_TRY(traffic_columns_real(c, cells[LANES], "lanes", 0, TRAFFIC_MAX_VALUE, 1, &lanes));
    MCO_TRY(traffic_columns_real(c, cells[CAPACITY], "capacity", 0, TRAFFIC_MAX_VALUE, 0, &l->capacity));
    l->capacity *= lanes > 0 ? lanes : 1;
    if (l->capacity > 0)
        return MCO_OK;
    if (!traffic_is_missing(cells[CAPACITY]))
        return mco_text_fail(c->text, cells[CAPACITY].line, cells[CAPACITY].column, "capacity is 0, a number above 0 was expected");
    g->without_capacity++;
    l->capacity = 1;
    l->b = 0;
done:
    return st;
}

static mco_status read_link(gmns *g, const traffic_columns *c, mco_slice row, mco_name_finder *finder)
{
    mco_status st = MCO_OK;
    mco_slice cells[TRAFFIC_COLUMNS];
    link_row l = {0};
    double type;
    MCO_TRY(traffic_columns_cells(c, row, cells));
    if (!is_for_cars(cells[USES])) {
        g->without_cars++;
        return MCO_OK;
    }
    finder->what = "from_node_id";
    MCO_TRY(mco_names_find_cell(finder, c->text, cells[FROM], &l.tail));
    finder->what = "to_node_id";
    MCO_TRY(mco_names_find_cell(finder, c->text, cells[TO], &l.head));
    MCO_TRY(traffic_columns_real(c, cells[LENGTH], "length", 0, TRAFFIC_MAX_VALUE, 0, &l.length));
    MCO_TRY(read_time(g, c, row, cells, &l));
    MCO_TRY(traffic_columns_real(c, cells[ALPHA], "vdf_alpha", 0, TRAFFIC_MAX_VALUE, DEFAULT_B, &l.b));
    MCO_TRY(traffic_columns_real(c, cells[BETA], "vdf_beta", 0, TRAFFIC_MAX_VALUE, DEFAULT_POWER, &l.power));
    MCO_TRY(read_capacity(g, c, cells, &l));
    MCO_TRY(traffic_columns_real(c, cells[TOLL], "toll", -TRAFFIC_MAX_VALUE, TRAFFIC_MAX_VALUE, 0, &l.toll));
    if (mco_slice_is_number(cells[TYPE])) {
        MCO_TRY(mco_slice_real(c->text, cells[TYPE], "link_type", INT32_MIN, INT32_MAX, &type));
        l.type = (int32_t)type;
    }
    const bool is_two = is_false(cells[DIRECTED]);
    MCO_TRY(mco_grow(g->ctx, &g->link, &g->link_room, g->links + 2));
    g->link[g->links++] = l;
    if (is_two) {
        g->link[g->links] = l;
        g->link[g->links].tail = l.head;
        g->link[g->links++].head = l.tail;
    }
done:
    return st;
}

static mco_status read_links(gmns *g, const char *path)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = g->ctx};
    traffic_columns columns;
    mco_slice row;
    MCO_TRY(mco_text_open(g->ctx, path, &text));
    MCO_TRY(traffic_columns_open(&text, link_columns, LINK_COLUMNS, &columns));
    MCO_TRY(traffic_columns_require(&columns, FROM));
    MCO_TRY(traffic_columns_require(&columns, TO));
    if (!g->has_node_file)
        MCO_TRY(collect_nodes(g, &columns));
    mco_name_finder finder = {.names = g->node.names, .rows = (int32_t)g->rows, .ids = MCO_IDS_NAMES, .table = g->node.table};
    for (int64_t rows = 1; traffic_columns_row(&columns, &row); rows++) {
        MCO_TRY(mco_text_in_time(&text, rows));
        MCO_TRY(read_link(g, &columns, row, &finder));
        if (g->links > MCO_TRAFFIC_MAX_LINKS)
            MCO_TRY(mco_fail(g->ctx, MCO_ERR_LIMIT, "%s: more than the %d links that are supported", path, MCO_TRAFFIC_MAX_LINKS));
    }
    if (g->without_capacity > 0)
        mco_log(g->ctx, MCO_LOG_WARNING, "%s: %" PRId64 " link%s no capacity and cost%s the free-flow time at any flow", path, g->without_capacity,
                g->without_capacity == 1 ? " has" : "s have", g->without_capacity == 1 ? "s" : "");
    if (g->without_cars > 0)
        mco_log(g->ctx, MCO_LOG_INFO, "%s: %" PRId64 " row%s left out, whose allowed_uses name no cars", path, g->without_cars,
                g->without_cars == 1 ? " is" : "s are");
done:
    mco_text_close(&text);
    return st;
}

// ---- The network

typedef struct numbered {
    int64_t number;
    int32_t row;
} numbered;

static int by_number(const void *left, const void *right)
{
    const numbered *a = left, *b = right;
    return a->number != b->number ? (a->number > b->number) - (a->number < b->number) : (a->row > b->row) - (a->row < b->row);
}

// Numbers the nodes: zones first, in the order of their numbers, or of the file where one is called by letters.
static mco_status number_nodes(gmns *g)
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

// Gives the network the names of its nodes and zones, unless they are the numbers that nodes have anyway.
static mco_status give_names(gmns *g)
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

static mco_status give_places(gmns *g)
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

#define COLUMN(type_, member, value)                                   \
    do {                                                               \
        type_ *column = NULL;                                          \
        MCO_TRY(mco_alloc(g->ctx, &column, g->links));                 \
        view->member = column;                                         \
        for (int64_t a = 0; a < g->links; a++)                         \
            column[a] = (value);                                       \
    } while (0)

static mco_status give_links(gmns *g)
{
    mco_status st = MCO_OK;
    mco_traffic_network *view = &g->traffic->view;
    const link_row *l = g->link;
    view->links = (int32_t)g->links;
    COLUMN(int32_t, tail, g->place[l[a].tail]);
    COLUMN(int32_t, head, g->place[l[a].head]);
    COLUMN(double, capacity, l[a].capacity);
    COLUMN(double, length, l[a].length);
    COLUMN(double, free_time, l[a].time);
    COLUMN(double, b, l[a].b);
    COLUMN(double, power, l[a].power);
    COLUMN(double, speed, l[a].speed);
    COLUMN(double, toll, l[a].toll);
    COLUMN(int32_t, type, l[a].type);
done:
    return st;
}

static mco_status read_files(gmns *g, const char *link, const char *node, const char *config)
{
    mco_status st = MCO_OK;
    g->minutes = MINUTES;
    if (config != NULL)
        MCO_TRY(read_units(g, config));
    if (node != NULL)
        MCO_TRY(read_nodes(g, node));
    MCO_TRY(read_links(g, link));
    MCO_TRY(number_nodes(g));
    MCO_TRY(give_links(g));
    MCO_TRY(give_places(g));
    MCO_TRY(give_names(g));
    mco_log(g->ctx, MCO_LOG_INFO, "%s: GMNS, %d zones, %d nodes, %d links", link, g->traffic->view.zones, g->traffic->view.nodes,
            g->traffic->view.links);
done:
    return st;
}

mco_status traffic_read_gmns(mco_context *ctx, const char *path, const char *nodes, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    char folder[MCO_PATH_LENGTH], link[MCO_PATH_LENGTH], node[MCO_PATH_LENGTH], config[MCO_PATH_LENGTH];
    gmns g = {.ctx = ctx, .traffic = traffic};
    const char *slash = strrchr(path, '/');
    const bool is_folder = traffic_is_folder(path);
    if (snprintf(folder, sizeof folder, "%.*s", is_folder ? (int)strlen(path) : slash != NULL ? (int)(slash - path) : 1,
                 is_folder || slash != NULL ? path : ".") >= MCO_PATH_LENGTH)
        return mco_fail(ctx, MCO_ERR_IO, "%s: the path is longer than %d bytes", path, MCO_PATH_LENGTH - 1);
    MCO_TRY(traffic_path_in(ctx, folder, "link.csv", link));
    MCO_TRY(traffic_path_in(ctx, folder, "node.csv", node));
    MCO_TRY(traffic_path_in(ctx, folder, "config.csv", config));
    st = read_files(&g, is_folder ? link : path, nodes != NULL ? nodes : traffic_is_there(node) ? node : NULL,
                    traffic_is_there(config) ? config : NULL);
done:
    gmns_clear(&g);
    return st;
}

bool traffic_is_gmns(const char *path)
{
    enum { ROOM = 1 << 12 };
    char line[ROOM];
    if (traffic_is_folder(path))
        return true;
    if (traffic_ends_with(path, "link.csv"))
        return true;
    FILE *file = traffic_is_file(path) ? fopen(path, "rb") : NULL;
    const size_t size = file != NULL ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    line[size] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    return strstr(line, "from_node_id") != NULL;
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
