// SPDX-License-Identifier: MIT
// Files of events: CSV with a row for each (docs/formats.md), read, written, made at random. What a row says must be possible after the
// rows before it: who joins is not there, who leaves is.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/grow.h"
#include "base/names.h"
#include "base/number.h"
#include "base/options.h"
#include "base/output.h"
#include "base/structs.h"
#include "base/table.h"
#include "overlay/formats.h"
#include "overlay/instance.h"

typedef enum column { COLUMN_ROUND, COLUMN_EVENT, COLUMN_NODE, COLUMN_TO, COLUMN_UPTIME, COLUMN_BANDWIDTH, COLUMN_WEIGHT, COLUMN_LEAST,
                      COLUMN_MOST, COLUMNS } column;
static const char *const columns[COLUMNS] = {"round", "event", "node", "to", "uptime", "bandwidth", "weight", "least", "most"};
static const char *const words[] = {"join", "leave", "link"};

enum { MOST_ROUND = 1000000000, KINDS = sizeof words / sizeof *words };

typedef struct reader {
    mco_context *ctx;
    const mco_overlay *o;
    mco_text *text;
    mco_table table;
    mco_slice row;          // that is read
    int places;             // decimals of the instance's bandwidths
    mco_overlay_events e;
    int64_t room;           // of the list
    char *name_data;        // all names, one after another
    char **names;           // [name_room]
    int64_t name_room;
    bool *is_there;         // [name_room]
    mco_name_table finder;
} reader;

// ---- Names

// All names in one block: those of the instance, or its numbers, and room for one of each row.
static mco_status open_names(reader *r)
{
    mco_status st = MCO_OK;
    char buffer[16];
    size_t bytes = r->text->size - r->text->at + 1;
    mco_text end = *r->text;
    r->name_room = r->o->nodes + 2 * mco_table_count(&r->table, &end) + 1;  // a row may name two nodes
    for (int32_t i = 0; i < r->o->nodes; i++)
        bytes += strlen(mco_overlay_node_name(r->o, i, buffer)) + 1;
    bytes += (size_t)r->name_room;
    if (r->name_room > INT32_MAX / 2)
        MCO_TRY(mco_fail(r->ctx, MCO_ERR_LIMIT, "%" PRId64 " nodes and events, allowed are %d", r->name_room, INT32_MAX / 2));
    MCO_TRY(mco_alloc_bytes(r->ctx, (void **)&r->names, 1, (size_t)r->name_room * sizeof *r->names + bytes));
    MCO_TRY(mco_alloc(r->ctx, &r->is_there, r->name_room));
    r->name_data = (char *)(r->names + r->name_room);
    MCO_TRY(mco_name_table_new(r->ctx, r->names, r->name_room, &r->finder));
    for (int32_t i = 0; i < r->o->nodes; i++) {
        const char *name = mco_overlay_node_name(r->o, i, buffer);
        r->names[i] = r->name_data;
        strcpy(r->name_data, name);
        r->name_data += strlen(name) + 1;
        *mco_name_slot(&r->finder, r->names[i], strlen(r->names[i])) = i + 1;
        r->is_there[i] = true;
    }
    r->e.ids = r->o->nodes;
done:
    return st;
}

// The number of a node, a new one where no other node is called so.
static mco_status find_node(reader *r, mco_slice cell, int32_t *out)
{
    if (cell.size == 0)
        return mco_text_fail(r->text, r->row.line, r->row.column, "the name of a node was expected");
    char *name = mco_slice_copy(cell, &r->name_data);
    int32_t *slot = mco_name_slot(&r->finder, name, strlen(name));
    if (*slot == 0) {
        r->names[r->e.ids] = name;
        *slot = ++r->e.ids;
    } else
        r->name_data = name;
    *out = *slot - 1;
    return MCO_OK;
}

// ---- Rows

static mco_status read_bandwidth(reader *r, mco_slice cell, const char *what, int64_t *out)
{
    mco_status st = MCO_OK;
    int places = r->places;
    if (cell.size == 0)
        return mco_text_fail(r->text, r->row.line, r->row.column, "%s is missing", what);
    MCO_TRY(mco_slice_places(r->text, cell, what, r->table.separator, MCO_OVERLAY_MAX_PLACES, &places));
    if (places > r->places)
        MCO_TRY(mco_text_fail(r->text, cell.line, cell.column, "%s is %.*s, with %d decimal%s; those of this instance have %d at most", what,
                              mco_slice_shown(cell), cell.data, places, mco_plural(places), r->places));
    MCO_TRY(mco_slice_scaled(r->text, cell, what, r->table.separator, r->places, 0, MCO_OVERLAY_MAX_BANDWIDTH, out));
    if (*out > MCO_OVERLAY_MAX_BANDWIDTH)
        MCO_TRY(mco_text_fail(r->text, cell.line, cell.column, "%s is %.*s, allowed is 0 to %.15g", what, mco_slice_shown(cell), cell.data,
                              MCO_OVERLAY_MAX_BANDWIDTH / (double)r->o->scale));
done:
    return st;
}

// Which cells an event has; others must be empty.
static mco_status refuse_cells(reader *r, mco_overlay_event_kind kind, const mco_slice cells[MCO_TABLE_COLUMNS])
{
    static const bool takes[KINDS][COLUMNS] = {
        [MCO_OVERLAY_EVENT_JOIN] = {[COLUMN_UPTIME] = true, [COLUMN_BANDWIDTH] = true},
        [MCO_OVERLAY_EVENT_LEAVE] = {0},
        [MCO_OVERLAY_EVENT_LINK] = {[COLUMN_TO] = true, [COLUMN_WEIGHT] = true, [COLUMN_LEAST] = true, [COLUMN_MOST] = true}};
    for (int k = COLUMN_TO; k < COLUMNS; k++)
        if (cells[k].size > 0 && !takes[kind][k])
            return mco_text_fail(r->text, cells[k].line, cells[k].column, "a %s has no %s", words[kind], columns[k]);
    return MCO_OK;
}

static mco_status read_round(reader *r, mco_slice cell, mco_overlay_event *e)
{
    mco_status st = MCO_OK;
    const int64_t before = r->e.count > 0 ? r->e.list[r->e.count - 1].round : 0;
    if (!mco_table_has(&r->table, COLUMN_ROUND)) {
        e->round = e->kind == MCO_OVERLAY_EVENT_LINK && before > 0 ? before : before + 1;
        return MCO_OK;
    }
    MCO_TRY(mco_slice_integer(r->text, cell, "the round", 1, MOST_ROUND, &e->round));
    if (e->round < before)
        MCO_TRY(mco_text_fail(r->text, cell.line, cell.column, "round %" PRId64 " comes after round %" PRId64, e->round, before));
done:
    return st;
}

static mco_status read_join(reader *r, mco_slice row, const mco_slice cells[MCO_TABLE_COLUMNS], mco_overlay_event *e)
{
    mco_status st = MCO_OK;
    if (r->is_there[e->node])
        MCO_TRY(mco_text_fail(r->text, row.line, cells[COLUMN_NODE].column, "\"%s\" joins, and it is there", r->names[e->node]));
    r->is_there[e->node] = true;
    if (cells[COLUMN_UPTIME].size == 0)
        MCO_TRY(mco_text_fail(r->text, row.line, row.column, "the uptime is missing"));
    MCO_TRY(mco_slice_real_in(r->text, cells[COLUMN_UPTIME], "the uptime", r->table.separator, 0, 1, &e->uptime));
    MCO_TRY(read_bandwidth(r, cells[COLUMN_BANDWIDTH], "the bandwidth", &e->bandwidth));
done:
    return st;
}

static mco_status read_link(reader *r, mco_slice row, const mco_slice cells[MCO_TABLE_COLUMNS], mco_overlay_event *e)
{
    mco_status st = MCO_OK;
    if (r->o->is_complete)
        MCO_TRY(mco_text_fail(r->text, row.line, row.column, "a link, and all pairs of this instance are possible links"));
    MCO_TRY(find_node(r, cells[COLUMN_TO], &e->to));
    if (!r->is_there[e->node] || !r->is_there[e->to])
        MCO_TRY(mco_text_fail(r->text, row.line, row.column, "a link to \"%s\", which is not there",
                              r->names[r->is_there[e->node] ? e->to : e->node]));
    if (e->node == e->to)
        MCO_TRY(mco_text_fail(r->text, row.line, row.column, "the link joins node \"%s\" with itself", r->names[e->node]));
    if (cells[COLUMN_WEIGHT].size > 0)
        MCO_TRY(mco_slice_real_in(r->text, cells[COLUMN_WEIGHT], "the weight", r->table.separator, -MCO_OVERLAY_MAX_WEIGHT,
                                  MCO_OVERLAY_MAX_WEIGHT, &e->weight));
    if (cells[COLUMN_LEAST].size > 0)
        MCO_TRY(read_bandwidth(r, cells[COLUMN_LEAST], "the least bandwidth", &e->least));
    if (cells[COLUMN_MOST].size > 0)
        MCO_TRY(read_bandwidth(r, cells[COLUMN_MOST], "the most bandwidth", &e->most));
    if (e->most >= 0 && (e->least >= 0 ? e->least : r->o->least) > e->most)
        MCO_TRY(mco_text_fail(r->text, row.line, row.column, "the least bandwidth of the link is above the most"));
done:
    return st;
}

static mco_status read_event(reader *r, mco_slice row)
{
    mco_status st = MCO_OK;
    mco_slice cells[MCO_TABLE_COLUMNS];
    int kind = 0;
    mco_overlay_event e = {.to = -1, .weight = NAN, .least = -1, .most = -1};
    r->row = row;
    MCO_TRY(mco_table_cells(&r->table, row, 1, cells));
    MCO_TRY(mco_slice_find(r->text, cells[COLUMN_EVENT], "the event is", words, KINDS, &kind));
    e.kind = (mco_overlay_event_kind)kind;
    MCO_TRY(refuse_cells(r, e.kind, cells));
    MCO_TRY(read_round(r, cells[COLUMN_ROUND], &e));
    MCO_TRY(find_node(r, cells[COLUMN_NODE], &e.node));
    if (e.kind == MCO_OVERLAY_EVENT_JOIN)
        MCO_TRY(read_join(r, row, cells, &e));
    else if (e.kind == MCO_OVERLAY_EVENT_LINK)
        MCO_TRY(read_link(r, row, cells, &e));
    else if (!r->is_there[e.node])
        MCO_TRY(mco_text_fail(r->text, row.line, cells[COLUMN_NODE].column, "\"%s\" leaves, and it is not there", r->names[e.node]));
    else
        r->is_there[e.node] = false;
    MCO_TRY(mco_grow(r->ctx, &r->e.list, &r->room, r->e.count + 1));
    r->e.list[r->e.count++] = e;
done:
    return st;
}

mco_status overlay_read_events_text(mco_context *ctx, mco_text *text, const mco_overlay *o, mco_overlay_events *out)
{
    mco_status st = MCO_OK;
    mco_slice row;
    reader r = {.ctx = ctx, .o = o, .text = text};
    for (int64_t scale = o->scale; scale > 1; scale /= 10)
        r.places++;
    if (!mco_text_skip_blank(text))
        return mco_text_fail_here(text, "the text ends where a header was expected: round,event,node,uptime,bandwidth");
    MCO_TRY(mco_table_open(text, columns, COLUMNS, &r.table));
    MCO_TRY(mco_table_require(&r.table, COLUMN_EVENT));
    MCO_TRY(mco_table_require(&r.table, COLUMN_NODE));
    MCO_TRY(open_names(&r));
    while (mco_text_row(text, r.table.separator, &row)) {
        MCO_TRY(mco_text_in_time(text, r.e.count));
        MCO_TRY(read_event(&r, row));
    }
    *out = r.e;
    out->names = r.names;
    r.e = (mco_overlay_events){0};
    r.names = NULL;
done:
    mco_free(ctx, &r.finder.slots);
    mco_free(ctx, &r.is_there);
    mco_free(ctx, &r.names);
    mco_free(ctx, &r.e.list);
    return st;
}

mco_status mco_overlay_read_events(mco_context *ctx, const mco_overlay *instance, const char *path, mco_overlay_events *out)
{
    mco_status st = MCO_OK;
    mco_text text = {0};
    if (ctx == NULL || instance == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_text_open(ctx, path, &text));
    st = overlay_read_events_text(ctx, &text, instance, out);
    mco_text_close(&text);
done:
    return st;
}

void mco_overlay_events_clear(mco_context *ctx, mco_overlay_events *events)
{
    if (ctx == NULL || events == NULL)
        return;
    mco_free(ctx, &events->list);
    mco_free(ctx, &events->names);
    events->count = 0;
    events->ids = 0;
}

// ---- Writing

static void write_event(const mco_overlay *o, const mco_overlay_events *events, const mco_overlay_event *e, FILE *file)
{
    char number[MCO_NUMBER_TEXT];
    fprintf(file, "%" PRId64 ",%s,", e->round, words[e->kind]);
    mco_write_cell(events->names[e->node], file);
    if (e->kind == MCO_OVERLAY_EVENT_JOIN) {
        fputs(",,", file);
        mco_write_number(e->uptime, file);
        fprintf(file, ",%s", mco_scaled_text(e->bandwidth, o->scale, number));
    } else if (e->kind == MCO_OVERLAY_EVENT_LINK) {
        fputc(',', file);
        mco_write_cell(events->names[e->to], file);
        fputs(",,,", file);
        if (!isnan(e->weight))
            mco_write_number(e->weight, file);
        fprintf(file, ",%s", e->least >= 0 ? mco_scaled_text(e->least, o->scale, number) : "");
        fprintf(file, ",%s", e->most >= 0 ? mco_scaled_text(e->most, o->scale, number) : "");
    }
    fputc('\n', file);
}

mco_status mco_overlay_write_events(mco_context *ctx, const mco_overlay *instance, const mco_overlay_events *events, const char *path)
{
    mco_output output;
    if (ctx == NULL || instance == NULL || events == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    for (int64_t k = 0; k < events->count; k++) {
        const mco_overlay_event *e = &events->list[k];
        if ((unsigned)e->kind >= KINDS || e->node < 0 || e->node >= events->ids ||
            (e->kind == MCO_OVERLAY_EVENT_LINK && (e->to < 0 || e->to >= events->ids)))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "event %" PRId64 " is of no kind or of a node without a name", k + 1);
    }
    const mco_status st = mco_output_open(ctx, path, &output);
    if (st != MCO_OK)
        return st;
    fputs("round,event,node,to,uptime,bandwidth,weight,least,most\n", output.file);
    for (int64_t k = 0; k < events->count; k++)
        write_event(instance, events, &events->list[k], output.file);
    return mco_output_commit(ctx, &output, false);
}
