// SPDX-License-Identifier: MIT
// Links of TNTP files. A link is a line: tail, head, capacity, length, free-flow time, b, power, speed, toll, type; a semicolon may end it.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/grow.h"
#include "traffic/files/tntp.h"

// ---- Links

enum { CAPACITY, LENGTH, FREE_TIME, B, POWER, SPEED, TOLL, COLUMNS, NEEDED = POWER + 1 };
static const char *const column_names[COLUMNS] = {"the capacity", "the length", "the free-flow time", "b", "the power", "the speed", "the toll"};

typedef struct link_row {
    int64_t tail, head, type;  // nodes from 1
    double value[COLUMNS];
} link_row;

typedef struct link_table {
    int32_t *tail, *head;  // numbers of the file
    int32_t *type;
    double *value[COLUMNS];
    int64_t count, room;
    int64_t greatest;  // number of a node
    bool has_more;     // columns behind the type
    int64_t short_rows, first_short;  // links that end before the type; the line of the first
} link_table;

static void link_table_clear(mco_context *ctx, link_table *t)
{
    mco_free(ctx, &t->tail);
    mco_free(ctx, &t->head);
    mco_free(ctx, &t->type);
    for (int k = 0; k < COLUMNS; k++)
        mco_free(ctx, &t->value[k]);
}

static mco_status make_room(mco_context *ctx, link_table *t)
{
    mco_status st = MCO_OK;
    const int64_t room = t->room > 0 ? 2 * t->room : 1024;
    for (int k = 0; k < COLUMNS; k++) {
        int64_t had = t->room;
        MCO_TRY(mco_grow(ctx, &t->value[k], &had, room));
    }
    for (int k = 0; k < 3; k++) {
        int64_t had = t->room;
        MCO_TRY(mco_grow(ctx, k == 0 ? &t->tail : k == 1 ? &t->head : &t->type, &had, room));
    }
    t->room = room;
done:
    return st;
}

// Reads speed, toll and type as far as they are there, and what ends the link.
static mco_status read_rest(tntp_scanner *s, link_row *row, bool *has_more, bool *is_short)
{
    mco_status st = MCO_OK;
    double type = 0;
    for (int k = NEEDED; k < COLUMNS; k++) {
        tntp_skip_blanks(s);
        if (!tntp_is_at_end(s))
            MCO_TRY(tntp_read_real(s, column_names[k], -TNTP_MOST, TNTP_MOST, &row->value[k]));
    }
    tntp_skip_blanks(s);
    *is_short = tntp_is_at_end(s);
    if (!*is_short)
        MCO_TRY(tntp_read_real(s, "the type", INT32_MIN, INT32_MAX, &type));
    row->type = (int64_t)type;
    for (tntp_skip_blanks(s); !tntp_is_at_end(s); s->at++)
        *has_more = true;
    if (*s->at == ';')
        s->at++;
done:
    return st;
}

static mco_status read_link(tntp_scanner *s, link_row *row, bool *has_more, bool *is_short)
{
    mco_status st = MCO_OK;
    *row = (link_row){0};
    MCO_TRY(tntp_read_whole(s, "the tail", 1, INT32_MAX, &row->tail));
    tntp_skip_blanks(s);
    MCO_TRY(tntp_read_whole(s, "the head", 1, INT32_MAX, &row->head));
    for (int k = 0; k < NEEDED; k++) {
        tntp_skip_blanks(s);
        if (tntp_is_at_end(s))
            return tntp_fail_at(s, column_names[k]);
        const char *const at = s->at;
        MCO_TRY(tntp_read_real(s, column_names[k], 0, TNTP_MOST, &row->value[k]));
        if (k == CAPACITY && !(row->value[k] > 0)) {
            s->at = at;
            return tntp_fail_at(s, "a capacity above 0");
        }
    }
    MCO_TRY(read_rest(s, row, has_more, is_short));
done:
    return st;
}

static mco_status add_link(mco_context *ctx, link_table *t, const link_row *row)
{
    if (t->count == MCO_TRAFFIC_MAX_LINKS)
        return mco_fail(ctx, MCO_ERR_LIMIT, "more than %d links, the most that are supported", MCO_TRAFFIC_MAX_LINKS);
    mco_status st = t->count < t->room ? MCO_OK : make_room(ctx, t);
    if (st != MCO_OK)
        return st;
    t->tail[t->count] = (int32_t)row->tail;
    t->head[t->count] = (int32_t)row->head;
    t->type[t->count] = (int32_t)row->type;
    for (int k = 0; k < COLUMNS; k++)
        t->value[k][t->count] = row->value[k];
    t->greatest = row->tail > t->greatest ? row->tail : t->greatest;
    t->greatest = row->head > t->greatest ? row->head : t->greatest;
    t->count++;
    return MCO_OK;
}

static mco_status read_links(mco_text *text, link_table *t)
{
    mco_status st = MCO_OK;
    tntp_scanner s = {text, text->data + text->at, 0};
    link_row row;
    if (tntp_skip_to_content(&s, ';') && tntp_is_letter(*s.at))  // names of the columns
        tntp_skip_line(&s);
    while (tntp_skip_to_content(&s, ';')) {
        MCO_TRY(mco_text_in_time(text, ++s.count));
        bool is_short = false;
        const char *const at = s.at;
        MCO_TRY(read_link(&s, &row, &t->has_more, &is_short));
        MCO_TRY(add_link(text->ctx, t, &row));
        if (is_short && t->short_rows++ == 0)
            t->first_short = tntp_slice_of(text, at, at).line;
    }
done:
    return st;
}

// ---- Node numbers with holes

static int compare_numbers(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

// The numbers of all nodes, ascending: those of the zones, then others that links name.
static mco_status list_numbers(mco_context *ctx, const link_table *t, int64_t zones, int32_t **numbers, int64_t *count)
{
    int32_t *all = NULL;
    int64_t used = 0;
    mco_status st = mco_alloc(ctx, &all, 2 * t->count + zones);
    if (st != MCO_OK)
        return st;
    for (; used < zones; used++)
        all[used] = (int32_t)used + 1;
    for (int64_t a = 0; a < 2 * t->count; a++) {
        const int32_t v = a < t->count ? t->tail[a] : t->head[a - t->count];
        if (v > zones)
            all[used++] = v;
    }
    qsort(all + zones, (size_t)(used - zones), sizeof *all, compare_numbers);
    *count = 0;
    for (int64_t i = 0; i < used; i++)
        if (*count == 0 || all[*count - 1] != all[i])
            all[(*count)++] = all[i];
    *numbers = all;
    return MCO_OK;
}

// The index of the first number that is not below `number`.
static int32_t index_of(const int32_t *numbers, int64_t count, int64_t number)
{
    int64_t low = 0, high = count;
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return (int32_t)low;
}

static mco_status name_nodes(mco_context *ctx, const int32_t *numbers, int64_t count, char ***out)
{
    enum { ROOM = 12 };
    char *names = NULL;
    mco_status st = mco_alloc(ctx, &names, (size_t)count * (sizeof(char *) + ROOM));
    if (st != MCO_OK)
        return st;
    char **at = (char **)(void *)names;
    char *text = names + (size_t)count * sizeof(char *);
    for (int64_t v = 0; v < count; v++, text += ROOM) {
        snprintf(text, ROOM, "%d", numbers[v]);
        at[v] = text;
    }
    *out = at;
    return MCO_OK;
}

// Nodes whose numbers exceed the stated count keep their numbers as names.
static mco_status close_holes(mco_context *ctx, link_table *t, const char *path, const tntp_metadata *m, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    int32_t *numbers = NULL;
    int64_t count = 0;
    MCO_TRY(list_numbers(ctx, t, m->zones, &numbers, &count));
    mco_log(ctx, MCO_LOG_WARNING, "%s: node numbers reach %" PRId64 ", %" PRId64 " nodes are stated: the %" PRId64
            " nodes found keep their numbers as names", path, t->greatest, m->nodes, count);
    if (count > MCO_TRAFFIC_MAX_NODES)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "%s: %" PRId64 " nodes, at most %d supported", path, count, MCO_TRAFFIC_MAX_NODES));
    for (int64_t a = 0; a < t->count; a++) {
        t->tail[a] = index_of(numbers, count, t->tail[a]) + 1;
        t->head[a] = index_of(numbers, count, t->head[a]) + 1;
    }
    traffic->view.nodes = (int32_t)count;
    traffic->view.first_through = index_of(numbers, count, m->through);
    MCO_TRY(name_nodes(ctx, numbers, count, &traffic->node_name));
done:
    mco_free(ctx, &numbers);
    return st;
}

static mco_status check_metadata(mco_text *text, const tntp_metadata *m)
{
    mco_status st = MCO_OK;
    if (!isnan(m->total) && m->nodes < 0)
        return mco_text_fail_here(text, "this is a file of trips; the links are in the file *_net.tntp");
    if (m->nodes < 0 || m->zones < 0)
        return mco_text_fail_here(text, "<NUMBER OF %s> is missing: is this the file of the links, *_net.tntp?",
                                  m->nodes < 0 ? "NODES" : "ZONES");
    MCO_TRY(tntp_refuse_more(text, m->zones, "zones"));
    MCO_TRY(tntp_refuse_more(text, m->nodes, "nodes"));
    if (m->zones > m->nodes)
        return mco_text_fail(text, m->zones_at.line, m->zones_at.column, "%" PRId64 " zones, but %" PRId64 " nodes", m->zones, m->nodes);
    if (m->links > MCO_TRAFFIC_MAX_LINKS)
        return mco_fail(text->ctx, MCO_ERR_LIMIT, "%s: %" PRId64 " links, at most %d supported", text->name, m->links, MCO_TRAFFIC_MAX_LINKS);
done:
    return st;
}

// Moves the table into the network.
static mco_status take_links(mco_text *text, link_table *t, tntp_metadata *m, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    mco_traffic_network *view = &traffic->view;
    m->through = m->through > 1 ? m->through : 1;
    view->zones = (int32_t)m->zones;
    view->nodes = (int32_t)m->nodes;
    if (t->greatest > m->nodes)
        MCO_TRY(close_holes(text->ctx, t, text->name, m, traffic));
    else if (m->through > m->nodes + 1)
        return mco_text_fail(text, m->through_at.line, m->through_at.column, "the first through node is %" PRId64 ", there are nodes 1 to %" PRId64,
                             m->through, m->nodes);
    else
        view->first_through = (int32_t)m->through - 1;
    for (int64_t a = 0; a < t->count; a++) {
        t->tail[a]--;
        t->head[a]--;
    }
    view->links = (int32_t)t->count;
    view->tail = t->tail;
    view->head = t->head;
    view->type = t->type;
    view->capacity = t->value[CAPACITY];
    view->length = t->value[LENGTH];
    view->free_time = t->value[FREE_TIME];
    view->b = t->value[B];
    view->power = t->value[POWER];
    view->speed = t->value[SPEED];
    view->toll = t->value[TOLL];
    *t = (link_table){0};
done:
    return st;
}

mco_status traffic_parse_tntp_network(mco_text *text, mco_traffic *traffic)
{
    mco_status st = MCO_OK;
    mco_context *ctx = text->ctx;
    link_table table = {0};
    tntp_metadata m;
    MCO_TRY(tntp_read_metadata(text, &m));
    MCO_TRY(check_metadata(text, &m));
    MCO_TRY(make_room(ctx, &table));
    MCO_TRY(read_links(text, &table));
    if (m.links >= 0 && m.links != table.count)
        mco_log(ctx, MCO_LOG_WARNING, "%s: %" PRId64 " links are stated, %" PRId64 " are there", text->name, m.links, table.count);
    if (table.has_more)
        mco_log(ctx, MCO_LOG_WARNING, "%s: columns behind the type of a link are not read", text->name);
    if (table.short_rows > 0)
        mco_log(ctx, MCO_LOG_WARNING, "%s:%" PRId64 ": %" PRId64 " link%s less than 10 columns, this is the first; the last ones count as 0",
                text->name, table.first_short, table.short_rows, table.short_rows == 1 ? " has" : "s have");
    MCO_TRY(take_links(text, &table, &m, traffic));
done:
    link_table_clear(ctx, &table);
    return st;
}

mco_status traffic_read_tntp_network(mco_context *ctx, const char *path, mco_traffic *traffic)
{
    mco_text text = {.ctx = ctx};
    mco_status st = mco_text_open(ctx, path, &text);
    if (st == MCO_OK)
        st = traffic_parse_tntp_network(&text, traffic);
    mco_text_close(&text);
    return st;
}
