// SPDX-License-Identifier: MIT
// Movements of GMNS as turns: from an inbound link over a node into an outbound link, with a penalty in seconds, or banned for cars.
//
// Costs of GMNS networks are minutes, so a penalty counts a 60th. A movement whose allowed_uses name no cars, or say "none", is banned.
// Rows of one movement, a row for each of its lanes, count once: by the least penalty, banned where all are. A turn without a row is
// free, as is one without a penalty. Movements of links that cars may not use are left out.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/grow.h"
#include "traffic/files/gmns.h"

enum { INBOUND, OUTBOUND, NODE, PENALTY, USES, COLUMNS };
static const char *const names[COLUMNS] = {"ib_link_id", "ob_link_id", "node_id", "penalty", "allowed_uses"};

typedef struct movements {
    const gmns *g;
    traffic_columns columns;
    mco_name_finder link, node;
    mco_traffic_turn *turn;
    int64_t count, room;
    int64_t without_cars;  // rows of links that cars may not use
} movements;

static mco_status find_row(movements *m, mco_slice row, const mco_slice *cells, int column, int32_t *out)
{
    if (traffic_is_missing(cells[column]))
        return mco_text_fail(m->columns.text, row.line, row.column, "the movement has no %s", names[column]);
    m->link.what = names[column];
    return mco_names_find_cell(&m->link, m->columns.text, cells[column], out);
}

// Fails with the ends of the first link of each row.
static mco_status refuse_links(const movements *m, mco_slice row, int32_t in, int32_t out, int32_t node, bool is_none)
{
    char text[5][16];
    const mco_traffic *t = m->g->traffic;
    const int32_t a = m->g->row_link[in], b = m->g->row_link[out];
    return mco_text_fail(m->columns.text, row.line, row.column, "link %s joins nodes %s and %s, link %s nodes %s and %s: %s%s",
                         m->g->link_id.names[in], mco_traffic_node_name(t, t->view.tail[a], text[0]),
                         mco_traffic_node_name(t, t->view.head[a], text[1]), m->g->link_id.names[out],
                         mco_traffic_node_name(t, t->view.tail[b], text[2]), mco_traffic_node_name(t, t->view.head[b], text[3]),
                         !is_none ? "a node_id is needed that says where they meet" :
                         node < 0 ? "the one does not lead into the other" : "the one does not lead into the other at node ",
                         is_none && node >= 0 ? mco_traffic_node_name(t, node, text[4]) : "");
}

// The links of two rows of link.csv that meet, at `node` unless it is -1. Two ways to meet are refused: undirected links have them.
static mco_status find_turn(const movements *m, mco_slice row, int32_t in, int32_t out, int32_t node, mco_traffic_turn *turn)
{
    const mco_traffic_network *view = &m->g->traffic->view;
    const int32_t *first = m->g->row_link;
    int ways = 0;
    for (int32_t a = first[in]; a < first[in + 1]; a++)
        for (int32_t b = first[out]; b < first[out + 1]; b++)
            if (view->head[a] == view->tail[b] && (node < 0 || view->head[a] == node)) {
                turn->from = a;
                turn->to = b;
                ways++;
            }
    return ways == 1 ? MCO_OK : refuse_links(m, row, in, out, node, ways == 0);
}

static mco_status read_row(movements *m, mco_slice row)
{
    mco_status st = MCO_OK;
    mco_slice cells[TRAFFIC_COLUMNS];
    int32_t in, out, node = -1;
    double seconds;
    mco_traffic_turn turn = {0};
    MCO_TRY(traffic_columns_cells(&m->columns, row, cells));
    MCO_TRY(find_row(m, row, cells, INBOUND, &in));
    MCO_TRY(find_row(m, row, cells, OUTBOUND, &out));
    if (!traffic_is_missing(cells[NODE]))
        MCO_TRY(mco_names_find_cell(&m->node, m->columns.text, cells[NODE], &node));
    MCO_TRY(traffic_columns_real(&m->columns, cells[PENALTY], "the penalty", 0, TRAFFIC_MAX_VALUE, 0, &seconds));
    if (m->g->row_link[in] == m->g->row_link[in + 1] || m->g->row_link[out] == m->g->row_link[out + 1]) {
        m->without_cars++;
        return MCO_OK;
    }
    MCO_TRY(find_turn(m, row, in, out, node, &turn));
    const bool is_banned = traffic_is_name(cells[USES], "none") || !gmns_is_for_cars(cells[USES]);
    turn.cost = is_banned ? INFINITY : seconds / GMNS_MINUTES;
    if (m->count == MCO_TRAFFIC_MAX_LINKS)
        return mco_fail(m->g->ctx, MCO_ERR_LIMIT, "%s: more than the %d turns that are supported", m->columns.text->name, MCO_TRAFFIC_MAX_LINKS);
    MCO_TRY(mco_grow(m->g->ctx, &m->turn, &m->room, m->count + 1));
    m->turn[m->count++] = turn;
done:
    return st;
}

static int compare_turns(const void *left, const void *right)
{
    const mco_traffic_turn *a = left, *b = right;
    if (a->from != b->from)
        return (a->from > b->from) - (a->from < b->from);
    return a->to != b->to ? (a->to > b->to) - (a->to < b->to) : (a->cost > b->cost) - (a->cost < b->cost);
}

// Keeps one turn of each movement, the cheapest, and drops those that cost nothing. Returns how many are banned.
static int64_t merge(movements *m)
{
    int64_t kept = 0, banned = 0;
    if (m->count > 0)
        qsort(m->turn, (size_t)m->count, sizeof *m->turn, compare_turns);
    for (int64_t k = 0, begin = 0; k < m->count; k++) {
        const mco_traffic_turn t = m->turn[k];
        if (k > 0 && t.from == m->turn[begin].from && t.to == m->turn[begin].to)
            continue;
        begin = k;
        if (t.cost > 0) {
            banned += isinf(t.cost) != 0;
            m->turn[kept++] = t;
        }
    }
    m->count = kept;
    return banned;
}

mco_status gmns_read_movements(gmns *g, const char *path)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = g->ctx};
    mco_slice row;
    movements m = {.g = g, .node = traffic_find_nodes(g->traffic, "node_id"),
                   .link = {.names = g->link_id.names, .rows = (int32_t)g->link_rows, .ids = MCO_IDS_NAMES, .table = g->link_id.table}};
    MCO_TRY(mco_text_open(g->ctx, path, &text));
    MCO_TRY(traffic_columns_open(&text, names, COLUMNS, &m.columns));
    MCO_TRY(traffic_columns_require(&m.columns, INBOUND));
    MCO_TRY(traffic_columns_require(&m.columns, OUTBOUND));
    int64_t rows = 0;
    for (; traffic_columns_row(&m.columns, &row); rows++) {
        MCO_TRY(mco_text_in_time(&text, rows + 1));
        MCO_TRY(read_row(&m, row));
    }
    const int64_t banned = merge(&m);
    g->traffic->view.turns = m.turn;
    g->traffic->view.turn_count = m.count;
    m.turn = NULL;
    mco_log(g->ctx, MCO_LOG_INFO, "%s: %" PRId64 " movement%s, %" PRId64 " turns with a penalty, %" PRId64 " banned", path, rows,
            mco_plural(rows), m.count - banned, banned);
    if (m.without_cars > 0)
        mco_log(g->ctx, MCO_LOG_INFO, "%s: %" PRId64 " movement%s of links whose allowed_uses name no cars left out", path, m.without_cars,
                m.without_cars == 1 ? " is" : "s are");
done:
    mco_free(g->ctx, &m.turn);
    mco_free(g->ctx, &m.node.table.slots);
    mco_text_close(&text);
    return st;
}
