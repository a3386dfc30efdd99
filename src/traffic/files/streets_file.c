// SPDX-License-Identifier: MIT
// Networks of streets of twelve types (Jradi 2016): a table with a row for each link. Numbers of nodes and links count from 1. Comments
// before the header state what a row cannot: "# zones: Z" (without it every node is a zone), "# nodes: N", "# first through node: F".
//
// Lengths are metres, speeds km/h, and the free-flow time is 3.6 * length / speed, in seconds. A link that another depends on is named by
// its number, or by its ends as "3-7".
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "traffic/files/columns.h"
#include "traffic/files/files.h"

static const double DEFAULT_B = 0.15, DEFAULT_POWER = 4;
enum { TYPES = 12, OTHERS = 6 };

enum { FROM, TO, TYPE, LENGTH, SPEED, LANES, SIGNAL, CAPACITY, TOLL, B, POWER, REVERSE, Y1, Y2, W1, W2, W3, COLUMNS };
static const char *const names[COLUMNS] = {"from", "to",   "type",  "length",  "speed", "lanes", "signal", "capacity", "toll",
                                           "b",    "power", "reverse", "y1",    "y2",    "w1",     "w2",       "w3"};

typedef struct street_row {
    int32_t tail, head;
    double length, speed, capacity, toll, b, power;
    mco_traffic_street street;
} street_row;

typedef struct streets {
    mco_context *ctx;
    mco_text text;
    traffic_columns columns;
    mco_text rows_at;          // the text at the first row
    int64_t nodes, zones, through;  // stated, -1: not
    street_row *link;
    int64_t links, room;
    int32_t greatest;          // number of a node
} streets;

// ---- What stands before the header

static mco_status read_comment(streets *s, mco_slice line)
{
    static const char *const words[] = {"nodes", "zones", "first through node"};
    int64_t *const values[] = {&s->nodes, &s->zones, &s->through};
    mco_slice_take(&line, '#');
    for (int k = 0; k < 3; k++) {
        const size_t size = strlen(words[k]);
        mco_slice head = line;
        head.size = line.size < size ? line.size : size;
        mco_slice rest = mco_slice_trim(mco_slice_behind(line, head.size));
        if (mco_slice_is(head, words[k]) && mco_slice_take(&rest, ':'))
            return mco_slice_integer(&s->text, rest, words[k], 0, MCO_TRAFFIC_MAX_NODES, values[k]);
    }
    return MCO_OK;
}

// Refuses a table of trips or of nodes, which stands in the place of the network.
static mco_status refuse_other_table(mco_text ahead)
{
    enum { ORIGINS, NODES, OTHER_TABLES };
    static const char *const of_others[OTHER_TABLES] = {"o_zone_id|origin|o_zone|orig|orig_zone_id", "node_id|x_coord"};
    traffic_columns c;
    const mco_status st = traffic_columns_open(&ahead, of_others, OTHER_TABLES, &c);
    if (st == MCO_OK && c.has[ORIGINS])
        return mco_text_fail(&ahead, 1, 1, "this is a table of trips; the network comes before it");
    if (st == MCO_OK && c.has[NODES])
        return mco_text_fail(&ahead, 1, 1, "this is a table of nodes; the network is in the file link.csv, or the folder of both");
    return st;
}

static mco_status read_head(streets *s)
{
    mco_status st = MCO_OK;
    mco_slice line;
    while (mco_text_peek_line(&s->text, &line) && line.data[0] == '#') {
        mco_text_line(&s->text, &line);
        MCO_TRY(read_comment(s, mco_slice_trim(line)));
    }
    const mco_text begin = s->text;
    MCO_TRY(traffic_columns_open(&s->text, names, COLUMNS, &s->columns));
    if (!s->columns.has[FROM])
        MCO_TRY(refuse_other_table(begin));
    for (int k = FROM; k <= SPEED; k++)
        MCO_TRY(traffic_columns_require(&s->columns, k));
    s->rows_at = s->text;
done:
    return st;
}

// ---- Rows

static mco_status read_node(streets *s, mco_slice cell, const char *what, int32_t *out)
{
    const int64_t most = s->nodes >= 0 ? s->nodes : MCO_TRAFFIC_MAX_NODES;
    int64_t number = 0;
    const mco_status st = mco_slice_integer(&s->text, cell, what, 1, most, &number);
    *out = (int32_t)number - 1;
    s->greatest = number > s->greatest ? (int32_t)number : s->greatest;
    return st;
}

static mco_status above_zero(streets *s, mco_slice cell, const char *what, double fallback, double *out)
{
    const mco_status st = traffic_columns_real(&s->columns, cell, what, 0, TRAFFIC_MAX_VALUE, fallback, out);
    if (st == MCO_OK && !(*out > 0))
        return mco_text_fail(&s->text, cell.line, cell.column, "%s is %g, a number above 0 was expected", what, *out);
    return st;
}

static mco_status read_row(streets *s, mco_slice row)
{
    mco_status st = MCO_OK;
    const traffic_columns *c = &s->columns;
    mco_slice cells[TRAFFIC_COLUMNS];
    street_row l = {0};
    int64_t type;
    MCO_TRY(traffic_columns_cells(c, row, cells));
    MCO_TRY(read_node(s, cells[FROM], "from", &l.tail));
    MCO_TRY(read_node(s, cells[TO], "to", &l.head));
    MCO_TRY(mco_slice_integer(&s->text, cells[TYPE], "the type", 1, TYPES, &type));
    l.street.type = (int32_t)type;
    MCO_TRY(mco_slice_real_in(&s->text, cells[LENGTH], "the length", c->separator, 0, TRAFFIC_MAX_VALUE, &l.length));
    MCO_TRY(above_zero(s, cells[SPEED], "the speed", 0, &l.speed));
    MCO_TRY(above_zero(s, cells[LANES], "the number of lanes", 1, &l.street.lanes));
    MCO_TRY(traffic_columns_real(c, cells[SIGNAL], "the factor of the traffic light", 0, TRAFFIC_MAX_VALUE, 0, &l.street.signal));
    MCO_TRY(above_zero(s, cells[CAPACITY], "the capacity", traffic_lane_capacity(l.street.type) * l.street.lanes, &l.capacity));
    MCO_TRY(traffic_columns_real(c, cells[TOLL], "the toll", -TRAFFIC_MAX_VALUE, TRAFFIC_MAX_VALUE, 0, &l.toll));
    MCO_TRY(traffic_columns_real(c, cells[B], "b", 0, TRAFFIC_MAX_VALUE, DEFAULT_B, &l.b));
    MCO_TRY(traffic_columns_real(c, cells[POWER], "the power", 0, TRAFFIC_MAX_VALUE, DEFAULT_POWER, &l.power));
    MCO_TRY(mco_grow(s->ctx, &s->link, &s->room, s->links + 1));
    s->link[s->links++] = l;
    if (s->links > MCO_TRAFFIC_MAX_LINKS)
        return mco_fail(s->ctx, MCO_ERR_LIMIT, "%s: more than the %d links that are supported", s->text.name, MCO_TRAFFIC_MAX_LINKS);
done:
    return st;
}

static mco_status read_rows(streets *s)
{
    mco_status st = MCO_OK;
    mco_slice row;
    for (int64_t rows = 1; traffic_columns_row(&s->columns, &row); rows++) {
        MCO_TRY(mco_text_in_time(&s->text, rows));
        MCO_TRY(read_row(s, row));
    }
done:
    return st;
}

// ---- Links that others depend on

// Reads the number of a link, or its ends; -1 for none.
static mco_status read_other(streets *s, const traffic_ends *ends, mco_slice cell, const char *what, int32_t *out)
{
    mco_status st = MCO_OK;
    mco_slice ends_of[2] = {cell, cell};
    int64_t number = 0, v[2], count;
    const char *dash = cell.size > 1 ? memchr(cell.data + 1, '-', cell.size - 1) : NULL;
    *out = -1;
    if (traffic_is_missing(cell))
        return MCO_OK;
    if (dash == NULL) {
        MCO_TRY(mco_slice_integer(&s->text, cell, what, 1, s->links, &number));
        *out = (int32_t)number - 1;
        return MCO_OK;
    }
    ends_of[0].size = (size_t)(dash - cell.data);
    ends_of[1] = mco_slice_behind(cell, ends_of[0].size + 1);
    for (int k = 0; k < 2; k++)
        MCO_TRY(mco_slice_integer(&s->text, mco_slice_trim(ends_of[k]), what, 1, ends->view->nodes, &v[k]));
    const int64_t at = traffic_ends_find(ends, (int32_t)v[0] - 1, (int32_t)v[1] - 1, &count);
    if (count == 0)
        return mco_text_fail(&s->text, cell.line, cell.column, "%s is %.*s, no link goes so", what, mco_slice_shown(cell), cell.data);
    *out = ends->link[at];
done:
    return st;
}

static mco_status read_others(streets *s, const mco_traffic_network *view, mco_traffic_street *street)
{
    mco_status st = MCO_OK;
    traffic_ends ends = {0};
    mco_slice row, cells[TRAFFIC_COLUMNS];
    MCO_TRY(traffic_ends_make(s->ctx, view, &ends));
    s->text = s->rows_at;
    for (int64_t a = 0; traffic_columns_row(&s->columns, &row); a++) {
        mco_traffic_street *t = &street[a];
        int32_t *const others[OTHERS] = {&t->reverse, &t->preferential[0], &t->preferential[1], &t->circulating[0], &t->circulating[1],
                                         &t->circulating[2]};
        MCO_TRY(mco_text_in_time(&s->text, a + 1));
        MCO_TRY(traffic_columns_cells(&s->columns, row, cells));
        for (int k = 0; k < OTHERS; k++)
            MCO_TRY(read_other(s, &ends, cells[REVERSE + k], names[REVERSE + k], others[k]));
    }
done:
    traffic_ends_clear(s->ctx, &ends);
    return st;
}

// ---- The network

static mco_status take_sizes(streets *s, mco_traffic_network *view)
{
    view->nodes = s->nodes >= 0 ? (int32_t)s->nodes : s->greatest;
    view->zones = s->zones >= 0 ? (int32_t)s->zones : view->nodes;
    view->first_through = s->through > 0 ? (int32_t)s->through - 1 : 0;
    view->links = (int32_t)s->links;
    if (view->zones > view->nodes || view->first_through > view->nodes)
        return mco_fail(s->ctx, MCO_ERR_PARSE, "%s: %d zones and the first through node %d, there are %d nodes", s->text.name, view->zones,
                        view->first_through + 1, view->nodes);
    return MCO_OK;
}

#define COLUMN(type_, member, value)                   \
    do {                                               \
        type_ *column = NULL;                          \
        MCO_TRY(mco_alloc(s->ctx, &column, s->links)); \
        view->member = column;                         \
        for (int64_t a = 0; a < s->links; a++)         \
            column[a] = (value);                       \
    } while (0)

static mco_status give_links(streets *s, mco_traffic_network *view)
{
    mco_status st = MCO_OK;
    const street_row *l = s->link;
    mco_traffic_street *street = NULL;
    COLUMN(int32_t, tail, l[a].tail);
    COLUMN(int32_t, head, l[a].head);
    COLUMN(double, capacity, l[a].capacity);
    COLUMN(double, length, l[a].length);
    COLUMN(double, free_time, traffic_street_time(l[a].length, l[a].speed));
    COLUMN(double, b, l[a].b);
    COLUMN(double, power, l[a].power);
    COLUMN(double, speed, l[a].speed);
    COLUMN(double, toll, l[a].toll);
    COLUMN(int32_t, type, l[a].street.type);
    MCO_TRY(mco_alloc(s->ctx, &street, s->links));
    view->street = street;
    for (int64_t a = 0; a < s->links; a++)
        street[a] = l[a].street;
    MCO_TRY(read_others(s, view, street));
done:
    return st;
}

mco_status traffic_read_streets(mco_context *ctx, const char *path, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    streets s = {.ctx = ctx, .text = {.ctx = ctx}, .nodes = -1, .zones = -1, .through = -1};
    MCO_TRY(mco_text_open(ctx, path, &s.text));
    MCO_TRY(read_head(&s));
    MCO_TRY(read_rows(&s));
    MCO_TRY(take_sizes(&s, &traffic->view));
    MCO_TRY(give_links(&s, &traffic->view));
    mco_log(ctx, MCO_LOG_INFO, "%s: streets, %d zones, %d nodes, %d links", path, traffic->view.zones, traffic->view.nodes, traffic->view.links);
done:
    mco_free(ctx, &s.link);
    mco_text_close(&s.text);
    return st;
}
