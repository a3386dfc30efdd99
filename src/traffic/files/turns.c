// SPDX-License-Identifier: MIT
// Turns by nodes: a table of from, via, to and cost. A turn counts for all links between these nodes. "no" is a forbidden turn.
#include <inttypes.h>
#include <math.h>

#include "base/grow.h"
#include "traffic/files/columns.h"
#include "traffic/files/files.h"

enum { FROM, VIA, TO, COST, COLUMNS };
static const char *const names[COLUMNS] = {"from", "via", "to", "cost"};

typedef struct turns {
    mco_context *ctx;
    const mco_traffic *traffic;
    traffic_columns columns;
    traffic_ends ends;
    mco_name_finder finder;
    mco_traffic_turn *turn;
    int64_t count, room;
} turns;

static mco_status find_links(turns *t, mco_slice place, int32_t tail, int32_t head, int64_t *at, int64_t *count)
{
    char from[16], to[16];
    *at = traffic_ends_find(&t->ends, tail, head, count);
    if (*count == 0)
        return mco_text_fail(t->columns.text, place.line, place.column, "the turn needs a link from node %s to node %s, there is none",
                             mco_traffic_node_name(t->traffic, tail, from), mco_traffic_node_name(t->traffic, head, to));
    return MCO_OK;
}

static mco_status read_row(turns *t, mco_slice row)
{
    mco_status st = MCO_OK;
    mco_slice cells[TRAFFIC_COLUMNS];
    int32_t v[3];
    int64_t in, out, ins, outs;
    double cost = INFINITY;
    MCO_TRY(traffic_columns_cells(&t->columns, row, cells));
    for (int k = 0; k < 3; k++) {
        t->finder.what = names[k];
        MCO_TRY(mco_names_find_cell(&t->finder, t->columns.text, cells[k], &v[k]));
    }
    if (!mco_slice_is(cells[COST], "no"))
        MCO_TRY(mco_slice_real_in(t->columns.text, cells[COST], "the cost", t->columns.separator, 0, TRAFFIC_MAX_VALUE, &cost));
    MCO_TRY(find_links(t, cells[FROM], v[0], v[1], &in, &ins));
    MCO_TRY(find_links(t, cells[TO], v[1], v[2], &out, &outs));
    if (ins * outs > MCO_TRAFFIC_MAX_LINKS - t->count)
        return mco_fail(t->ctx, MCO_ERR_LIMIT, "%s: more than the %d turns that are supported", t->columns.text->name, MCO_TRAFFIC_MAX_LINKS);
    MCO_TRY(mco_grow(t->ctx, &t->turn, &t->room, t->count + ins * outs));
    for (int64_t i = in; i < in + ins; i++)
        for (int64_t k = out; k < out + outs; k++)
            t->turn[t->count++] = (mco_traffic_turn){t->ends.link[i], t->ends.link[k], cost};
done:
    return st;
}

mco_status traffic_read_turns(mco_context *ctx, const char *path, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    mco_text text = {.ctx = ctx};
    mco_slice row;
    turns t = {.ctx = ctx, .traffic = traffic, .finder = traffic_find_nodes(traffic, "from")};
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(traffic_columns_open(&text, names, COLUMNS, &t.columns));
    for (int k = 0; k < COLUMNS; k++)
        MCO_TRY(traffic_columns_require(&t.columns, k));
    MCO_TRY(traffic_ends_make(ctx, &traffic->view, &t.ends));
    for (int64_t rows = 1; traffic_columns_row(&t.columns, &row); rows++) {
        MCO_TRY(mco_text_in_time(&text, rows));
        MCO_TRY(read_row(&t, row));
    }
    traffic->view.turns = t.turn;
    traffic->view.turn_count = t.count;
    t.turn = NULL;
    mco_log(ctx, MCO_LOG_INFO, "%s: %" PRId64 " turn%s", path, traffic->view.turn_count, mco_plural(traffic->view.turn_count));
done:
    mco_free(ctx, &t.turn);
    mco_free(ctx, &t.finder.table.slots);
    traffic_ends_clear(ctx, &t.ends);
    mco_text_close(&text);
    return st;
}
