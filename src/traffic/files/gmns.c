// SPDX-License-Identifier: MIT
// Networks of the General Modeling Network Specification: a table of links, link.csv, and one of nodes, node.csv, beside it. Names of nodes
// are any text. Units stand in config.csv.
//
// A node with a zone_id is the end of that zone's trips. Where nodes are called centroids (node_type), these alone are zones, and paths
// do not pass through them. Without any zone, every node is one. Zones become the first nodes, in the order of their numbers.
// An undirected link stands for two. The capacity of a link is that of a lane times its lanes. Turns stand in movement.csv.
#include "traffic/files/gmns.h"

#include <inttypes.h>
#include <string.h>

#include "base/grow.h"

static const double DEFAULT_B = 0.15, DEFAULT_POWER = 4;

enum { FROM, TO, DIRECTED, LENGTH, FREE_SPEED, LANES, CAPACITY, ALPHA, BETA, TIME, TOLL, TYPE, USES, LINK_ID, LINK_COLUMNS };
static const char *const link_columns[LINK_COLUMNS] = {
    "from_node_id", "to_node_id", "directed", "length", "free_speed", "lanes", "capacity", "vdf_alpha|vdf_alpha1", "vdf_beta|vdf_beta1",
    "vdf_fftt|vdf_fftt1|free_flow_time|fftt", "toll", "link_type", "allowed_uses", "link_id"};

static void gmns_clear(gmns *g)
{
    mco_names_clear(g->ctx, &g->node);
    mco_names_clear(g->ctx, &g->zone);
    mco_free(g->ctx, &g->x);
    mco_free(g->ctx, &g->y);
    mco_free(g->ctx, &g->is_centroid);
    mco_free(g->ctx, &g->place);
    mco_free(g->ctx, &g->link);
    mco_names_clear(g->ctx, &g->link_id);
    mco_free(g->ctx, &g->row_link);
}

// ---- Links

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

static bool is_false(mco_slice cell)
{
    return traffic_is_name(cell, "0|false|no|f|n");
}

bool gmns_is_for_cars(mco_slice uses)
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

static mco_status read_time(const gmns *g, const traffic_columns *c, mco_slice row, const mco_slice *cells, gmns_link *l)
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

static mco_status read_capacity(gmns *g, const traffic_columns *c, const mco_slice *cells, gmns_link *l)
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
    gmns_link l = {0};
    double type;
    MCO_TRY(traffic_columns_cells(c, row, cells));
    if (!gmns_is_for_cars(cells[USES])) {
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

// Makes room for the names of links, by which movements call them.
static mco_status name_links(gmns *g, const traffic_columns *columns)
{
    mco_status st = MCO_OK;
    const int64_t rows = traffic_columns_count(columns);
    MCO_TRY(traffic_columns_require(columns, LINK_ID));
    if (rows > MCO_TRAFFIC_MAX_LINKS)
        MCO_TRY(mco_fail(g->ctx, MCO_ERR_LIMIT, "%s: %" PRId64 " rows, at most %d supported with movements", columns->text->name, rows,
                         MCO_TRAFFIC_MAX_LINKS));
    MCO_TRY(mco_names_reserve(g->ctx, columns->text, rows, &g->link_id));
    MCO_TRY(mco_alloc(g->ctx, &g->row_link, rows + 1));
done:
    return st;
}

// Names row k, whose links are the last ones.
static mco_status name_row(gmns *g, const traffic_columns *c, mco_slice row, int64_t k)
{
    mco_status st = MCO_OK;
    mco_slice cells[TRAFFIC_COLUMNS];
    MCO_TRY(traffic_columns_cells(c, row, cells));
    if (!traffic_is_missing(cells[LINK_ID]))
        MCO_TRY(mco_names_give(&g->link_id, c->text, k, cells[LINK_ID]));
    g->row_link[k + 1] = (int32_t)g->links;
    g->link_rows = k + 1;
done:
    return st;
}

static mco_status read_links(gmns *g, const char *path, bool has_movements)
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
    if (has_movements)
        MCO_TRY(name_links(g, &columns));
    mco_name_finder finder = {.names = g->node.names, .rows = (int32_t)g->rows, .ids = MCO_IDS_NAMES, .table = g->node.table};
    for (int64_t rows = 1; traffic_columns_row(&columns, &row); rows++) {
        MCO_TRY(mco_text_in_time(&text, rows));
        MCO_TRY(read_link(g, &columns, row, &finder));
        if (g->links > MCO_TRAFFIC_MAX_LINKS)
            MCO_TRY(mco_fail(g->ctx, MCO_ERR_LIMIT, "%s: more than the %d links that are supported", path, MCO_TRAFFIC_MAX_LINKS));
        if (has_movements)
            MCO_TRY(name_row(g, &columns, row, rows - 1));
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
    const gmns_link *l = g->link;
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

static mco_status read_files(gmns *g, const char *link, const char *node, const char *config, const char *movement)
{
    mco_status st = MCO_OK;
    g->minutes = GMNS_MINUTES;
    if (config != NULL)
        MCO_TRY(gmns_read_units(g, config));
    if (node != NULL)
        MCO_TRY(gmns_read_nodes(g, node));
    MCO_TRY(read_links(g, link, movement != NULL));
    MCO_TRY(gmns_number_nodes(g));
    MCO_TRY(give_links(g));
    MCO_TRY(gmns_give_places(g));
    MCO_TRY(gmns_give_names(g));
    mco_log(g->ctx, MCO_LOG_INFO, "%s: GMNS, %d zones, %d nodes, %d links", link, g->traffic->view.zones, g->traffic->view.nodes,
            g->traffic->view.links);
    if (movement != NULL)
        MCO_TRY(gmns_read_movements(g, movement));
done:
    return st;
}

// Turns of movements are read unless others are given: from the table that `turns` names, else from the one beside the links.
static mco_status find_movements(mco_context *ctx, const char *folder, const char *turns, char path[MCO_PATH_LENGTH], const char **out)
{
    mco_status st = MCO_OK;
    MCO_TRY(traffic_path_in(ctx, folder, "movement.csv", path));
    *out = turns != NULL ? (traffic_is_movements(turns) ? turns : NULL) : traffic_is_there(path) ? path : NULL;
    if (turns != NULL && *out == NULL && traffic_is_there(path))
        mco_log(ctx, MCO_LOG_INFO, "%s is not read: %s has the turns", path, turns);
done:
    return st;
}

mco_status traffic_read_gmns(mco_context *ctx, const char *path, const char *nodes, const char *turns, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    char folder[MCO_PATH_LENGTH], link[MCO_PATH_LENGTH], node[MCO_PATH_LENGTH], config[MCO_PATH_LENGTH], beside[MCO_PATH_LENGTH];
    const char *movement = NULL;
    gmns g = {.ctx = ctx, .traffic = traffic};
    const char *slash = strrchr(path, '/');
    const bool is_folder = traffic_is_folder(path);
    if (snprintf(folder, sizeof folder, "%.*s", is_folder ? (int)strlen(path) : slash != NULL ? (int)(slash - path) : 1,
                 is_folder || slash != NULL ? path : ".") >= MCO_PATH_LENGTH)
        return mco_fail(ctx, MCO_ERR_IO, "%s: the path is longer than %d bytes", path, MCO_PATH_LENGTH - 1);
    MCO_TRY(traffic_path_in(ctx, folder, "link.csv", link));
    MCO_TRY(traffic_path_in(ctx, folder, "node.csv", node));
    MCO_TRY(traffic_path_in(ctx, folder, "config.csv", config));
    MCO_TRY(find_movements(ctx, folder, turns, beside, &movement));
    st = read_files(&g, is_folder ? link : path, nodes != NULL ? nodes : traffic_is_there(node) ? node : NULL,
                    traffic_is_there(config) ? config : NULL, movement);
done:
    gmns_clear(&g);
    return st;
}

// Whether the first line of a file has a word.
static bool has_header(const char *path, const char *word)
{
    enum { ROOM = 1 << 12 };
    char line[ROOM];
    FILE *file = traffic_is_file(path) ? fopen(path, "rb") : NULL;
    const size_t size = file != NULL ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file != NULL)
        fclose(file);
    line[size] = '\0';
    line[strcspn(line, "\r\n")] = '\0';
    return strstr(line, word) != NULL;
}

bool traffic_is_gmns(const char *path)
{
    return traffic_is_folder(path) || traffic_ends_with(path, "link.csv") || has_header(path, "from_node_id");
}

bool traffic_is_movements(const char *path)
{
    return traffic_ends_with(path, "movement.csv") || has_header(path, "ib_link_id");
}
