// SPDX-License-Identifier: MIT
// Files of the Transportation Networks collection (TNTP): links, places of nodes, trips.
//
// Metadata <NAME> value end with <END OF METADATA>. "~" begins a comment. A link is a line: tail, head, capacity, length, free-flow time,
// b, power, speed, toll, type; a semicolon may end it. Trips are rows "Origin o" with entries "d : amount;", several on a line. Files
// in the wild have tabs at any place, semicolons that are missing, and headers that differ from what follows them.
//
// Reading is the longest part of a short solve, so numbers are scanned in place: a few nanoseconds each. The line and the column of a
// number are found only for a message.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/names.h"
#include "base/text.h"
#include "traffic/model/network.h"

static const double MOST = 1e30;  // of every number in these files

// ---- Scanning

typedef struct scanner {
    mco_text *text;
    const char *at;  // next byte; the text ends with a NUL
    int64_t count;   // links or entries read
} scanner;

// The bytes from `from` to `to` with their place. O(bytes before it): for messages.
static mco_slice slice_of(const mco_text *text, const char *from, const char *to)
{
    mco_slice s = {from, (size_t)(to - from), 1, 1};
    const char *line = text->data;
    for (const char *newline; (newline = memchr(line, '\n', (size_t)(from - line))) != NULL; line = newline + 1)
        s.line++;
    s.column = from - line + 1;
    return s;
}

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline bool ends_number(char c)
{
    return is_blank(c) || c == '\n' || c == ';' || c == ':' || c == ',' || c == '~' || c == '\0';
}

static inline void skip_blanks(scanner *s)
{
    while (is_blank(*s->at))
        s->at++;
}

static void skip_line(scanner *s)
{
    while (*s->at != '\n' && *s->at != '\0')
        s->at++;
}

// Skips blanks, newlines, comments and the characters of `also`. False at the end of the text.
static inline bool skip_to_content(scanner *s, char also)
{
    for (;; s->at++) {
        if (*s->at == '~')
            skip_line(s);
        if (!is_blank(*s->at) && *s->at != '\n' && (*s->at == '\0' || *s->at != also))
            return *s->at != '\0';
    }
}

// The token at the scanner, without its place.
static mco_slice token_at(const scanner *s)
{
    const char *end = s->at;
    while (!ends_number(*end))
        end++;
    return (mco_slice){s->at, (size_t)(end - s->at), 0, 0};
}

// Scans digits with a point at *at. False: the number is long, or has an exponent, or is none.
static inline bool scan_real(const char **at, double *out)
{
    enum { SAFE_DIGITS = 19, EXACT_POWER = 22 };
    static const double powers[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    const uint64_t exact = UINT64_C(1) << 53;
    const char *p = *at;
    const bool is_negative = *p == '-';
    p += is_negative;
    const char *const begin = p;
    uint64_t m = 0;
    int64_t decimals = 0;
    for (; (unsigned char)(*p - '0') < 10; p++)
        m = m * 10 + (unsigned char)(*p - '0');
    if (*p == '.') {
        const char *const point = ++p;
        for (; (unsigned char)(*p - '0') < 10; p++)
            m = m * 10 + (unsigned char)(*p - '0');
        decimals = p - point;
    }
    const int64_t digits = p - begin - (decimals > 0);
    if (digits < 1 || digits > SAFE_DIGITS || !ends_number(*p) || (decimals == 0 && p[-1] == '.' && digits < 2))
        return false;
    for (; m > exact && decimals > 0 && m % 10 == 0; decimals--)
        m /= 10;
    if (m > exact)
        return false;
    const double value = (double)m / powers[decimals];
    *out = is_negative ? -value : value;
    *at = p;
    return true;
}

// Reads the number at the scanner as any reader would, with the message that the scan cannot give.
static mco_status read_carefully(scanner *s, const char *what, double low, double high, double *out)
{
    mco_slice token = token_at(s);
    mco_status st = mco_slice_real(s->text, token, what, low, high, out);
    if (st != MCO_OK) {  // once more, with its place
        token = slice_of(s->text, s->at, s->at + token.size);
        return mco_slice_real(s->text, token, what, low, high, out);
    }
    s->at += token.size;
    return MCO_OK;
}

static inline mco_status read_real(scanner *s, const char *what, double low, double high, double *out)
{
    const char *at = s->at;
    if (scan_real(&at, out) && *out >= low && *out <= high) {
        s->at = at;
        return MCO_OK;
    }
    return read_carefully(s, what, low, high, out);
}

static mco_status read_whole_carefully(scanner *s, const char *what, int64_t low, int64_t high, int64_t *out)
{
    mco_slice token = token_at(s);
    mco_status st = mco_slice_whole(s->text, token, what, low, high, out);
    if (st != MCO_OK) {
        token = slice_of(s->text, s->at, s->at + token.size);
        return mco_slice_whole(s->text, token, what, low, high, out);
    }
    s->at += token.size;
    return MCO_OK;
}

static inline mco_status read_whole(scanner *s, const char *what, int64_t low, int64_t high, int64_t *out)
{
    enum { SAFE = 15 };
    const char *p = s->at;
    int64_t value = 0;
    for (; (unsigned char)(*p - '0') < 10; p++)
        value = (int64_t)((uint64_t)value * 10 + (unsigned char)(*p - '0'));
    if (p > s->at && p - s->at <= SAFE && ends_number(*p) && value >= low && value <= high) {
        *out = value;
        s->at = p;
        return MCO_OK;
    }
    return read_whole_carefully(s, what, low, high, out);
}

static mco_status fail_at(const scanner *s, const char *what)
{
    const mco_slice token = token_at(s);
    const mco_slice place = slice_of(s->text, s->at, s->at + (token.size > 0 ? token.size : *s->at != '\0'));
    if (*s->at == '\0')
        return mco_text_fail(s->text, place.line, place.column, "the text ends where %s was expected", what);
    if (*s->at == '\n')
        return mco_text_fail(s->text, place.line, place.column, "the line ends where %s was expected", what);
    return mco_text_fail(s->text, place.line, place.column, "\"%.*s\" stands where %s was expected", mco_slice_shown(place), place.data,
                         what);
}

// ---- Metadata

typedef struct metadata {
    int64_t zones, nodes, links, through;  // -1: not stated
    double total, toll_factor, distance_factor;  // NaN: not stated
    mco_slice zones_at, nodes_at, through_at;
    bool has_end;
} metadata;

static mco_status read_count(mco_text *text, mco_slice value, const char *what, int64_t *out)
{
    mco_slice number;
    mco_slice_token(&value, &number);
    return mco_slice_whole(text, number, what, 0, INT64_C(1) << 52, out);
}

static mco_status read_factor(mco_text *text, mco_slice value, const char *what, double *out)
{
    mco_slice number;
    mco_slice_token(&value, &number);
    return mco_slice_real(text, number, what, 0, MOST, out);
}

static mco_status read_statement(mco_text *text, mco_slice line, metadata *m)
{
    const char *close = memchr(line.data, '>', line.size);
    if (close == NULL)
        return mco_text_fail(text, line.line, line.column, "the > behind the name of a value is missing");
    mco_slice name = mco_slice_behind(line, 1);
    name.size = (size_t)(close - name.data);
    name = mco_slice_trim(name);
    const mco_slice value = mco_slice_trim(mco_slice_behind(line, (size_t)(close - line.data) + 1));
    m->has_end = mco_slice_is(name, "END OF METADATA");
    if (mco_slice_is(name, "NUMBER OF ZONES"))
        return m->zones_at = value, read_count(text, value, "the number of zones", &m->zones);
    if (mco_slice_is(name, "NUMBER OF NODES"))
        return m->nodes_at = value, read_count(text, value, "the number of nodes", &m->nodes);
    if (mco_slice_is(name, "FIRST THRU NODE"))
        return m->through_at = value, read_count(text, value, "the first through node", &m->through);
    if (mco_slice_is(name, "NUMBER OF LINKS"))
        return read_count(text, value, "the number of links", &m->links);
    if (mco_slice_is(name, "TOTAL OD FLOW"))
        return read_factor(text, value, "the total of the trips", &m->total);
    if (mco_slice_is(name, "TOLL FACTOR"))
        return read_factor(text, value, "the toll factor", &m->toll_factor);
    if (mco_slice_is(name, "DISTANCE FACTOR"))
        return read_factor(text, value, "the distance factor", &m->distance_factor);
    return MCO_OK;
}

static mco_status read_metadata(mco_text *text, metadata *m)
{
    mco_status st = MCO_OK;
    mco_slice line;
    *m = (metadata){-1, -1, -1, -1, NAN, NAN, NAN, {0}, {0}, {0}, false};
    for (int64_t lines = 1; !m->has_end && mco_text_line(text, &line); lines++) {
        MCO_TRY(mco_text_in_time(text, lines));
        line = mco_slice_trim(line);
        if (line.size == 0 || line.data[0] == '~')
            continue;
        if (line.data[0] != '<')
            return mco_text_fail(text, line.line, line.column, "\"%.*s\" stands before <END OF METADATA>", mco_slice_shown(line), line.data);
        MCO_TRY(read_statement(text, line, m));
    }
    if (!m->has_end)
        return mco_text_fail_here(text, "the text ends before <END OF METADATA>");
done:
    return st;
}

static mco_status refuse_more(mco_text *text, int64_t count, const char *what)
{
    if (count <= MCO_TRAFFIC_MAX_NODES)
        return MCO_OK;
    return mco_fail(text->ctx, MCO_ERR_LIMIT, "%s: %" PRId64 " %s, at most %d supported", text->name, count, what, MCO_TRAFFIC_MAX_NODES);
}

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

static inline bool is_at_end(const scanner *s)
{
    return *s->at == ';' || *s->at == '\n' || *s->at == '\0' || *s->at == '~';
}

// Reads speed, toll and type as far as they are there, and what ends the link.
static mco_status read_rest(scanner *s, link_row *row, bool *has_more, bool *is_short)
{
    mco_status st = MCO_OK;
    double type = 0;
    for (int k = NEEDED; k < COLUMNS; k++) {
        skip_blanks(s);
        if (!is_at_end(s))
            MCO_TRY(read_real(s, column_names[k], -MOST, MOST, &row->value[k]));
    }
    skip_blanks(s);
    *is_short = is_at_end(s);
    if (!*is_short)
        MCO_TRY(read_real(s, "the type", INT32_MIN, INT32_MAX, &type));
    row->type = (int64_t)type;
    for (skip_blanks(s); !is_at_end(s); s->at++)
        *has_more = true;
    if (*s->at == ';')
        s->at++;
done:
    return st;
}

static mco_status read_link(scanner *s, link_row *row, bool *has_more, bool *is_short)
{
    mco_status st = MCO_OK;
    *row = (link_row){0};
    MCO_TRY(read_whole(s, "the tail", 1, INT32_MAX, &row->tail));
    skip_blanks(s);
    MCO_TRY(read_whole(s, "the head", 1, INT32_MAX, &row->head));
    for (int k = 0; k < NEEDED; k++) {
        skip_blanks(s);
        if (is_at_end(s))
            return fail_at(s, column_names[k]);
        const char *const at = s->at;
        MCO_TRY(read_real(s, column_names[k], 0, MOST, &row->value[k]));
        if (k == CAPACITY && !(row->value[k] > 0)) {
            s->at = at;
            return fail_at(s, "a capacity above 0");
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

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static mco_status read_links(mco_text *text, link_table *t)
{
    mco_status st = MCO_OK;
    scanner s = {text, text->data + text->at, 0};
    link_row row;
    if (skip_to_content(&s, ';') && is_letter(*s.at))  // names of the columns
        skip_line(&s);
    while (skip_to_content(&s, ';')) {
        MCO_TRY(mco_text_in_time(text, ++s.count));
        bool is_short = false;
        const char *const at = s.at;
        MCO_TRY(read_link(&s, &row, &t->has_more, &is_short));
        MCO_TRY(add_link(text->ctx, t, &row));
        if (is_short && t->short_rows++ == 0)
            t->first_short = slice_of(text, at, at).line;
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
static mco_status close_holes(mco_context *ctx, link_table *t, const char *path, const metadata *m, mco_traffic *traffic)
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

static mco_status check_metadata(mco_text *text, const metadata *m)
{
    mco_status st = MCO_OK;
    if (!isnan(m->total) && m->nodes < 0)
        return mco_text_fail_here(text, "this is a file of trips; the links are in the file *_net.tntp");
    if (m->nodes < 0 || m->zones < 0)
        return mco_text_fail_here(text, "<NUMBER OF %s> is missing: is this the file of the links, *_net.tntp?",
                                  m->nodes < 0 ? "NODES" : "ZONES");
    MCO_TRY(refuse_more(text, m->zones, "zones"));
    MCO_TRY(refuse_more(text, m->nodes, "nodes"));
    if (m->zones > m->nodes)
        return mco_text_fail(text, m->zones_at.line, m->zones_at.column, "%" PRId64 " zones, but %" PRId64 " nodes", m->zones, m->nodes);
    if (m->links > MCO_TRAFFIC_MAX_LINKS)
        return mco_fail(text->ctx, MCO_ERR_LIMIT, "%s: %" PRId64 " links, at most %d supported", text->name, m->links, MCO_TRAFFIC_MAX_LINKS);
done:
    return st;
}

// Moves the table into the network.
static mco_status take_links(mco_text *text, link_table *t, metadata *m, mco_traffic *traffic)
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
    metadata m;
    MCO_TRY(read_metadata(text, &m));
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

// ---- Places of nodes

typedef struct place_columns {
    int node, x, y;  // positions in a line
    int least;       // cells that a line needs
} place_columns;

static mco_slice next_cell(scanner *s, char separator)
{
    skip_blanks(s);
    if (separator != '\0' && *s->at == separator) {
        s->at++;
        return (mco_slice){s->at, 0, 0, 0};
    }
    mco_slice cell = token_at(s);
    s->at += cell.size;
    skip_blanks(s);
    if (separator != '\0' && *s->at == separator)
        s->at++;
    return cell;
}

// Reads the names of columns, if the line has them: "node X Y" is what files without names have.
static place_columns read_columns(scanner *s, char separator)
{
    place_columns c = {0, 1, 2, 3};
    if (!is_letter(*s->at))
        return c;
    for (int k = 0; !is_at_end(s) || (*s->at == ';' && separator == ';'); k++) {
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
    skip_line(s);
    c.least = 1 + (c.node > c.x ? c.node : c.x);
    c.least = c.least > c.y ? c.least : c.y + 1;
    return c;
}

// Finds a node by its name in files; -1: there is none.
static mco_status find_node(mco_name_finder *finder, mco_text *text, const mco_traffic *traffic, mco_slice cell, int32_t *node)
{
    scanner s = {text, cell.data, 0};
    int64_t number = 0;
    if (traffic->node_name != NULL)
        return mco_names_look_up(finder, text->ctx, cell.data, cell.size, node);
    mco_status st = read_whole(&s, "the node", 1, INT64_C(1) << 52, &number);
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

static mco_status read_place(scanner *s, const mco_traffic *traffic, place_table *t)
{
    mco_status st = MCO_OK;
    int32_t node = -1;
    double place[2] = {0, 0};
    for (int k = 0; k < t->columns.least; k++) {
        skip_blanks(s);
        const char *const at = s->at;
        const mco_slice cell = next_cell(s, t->separator);
        scanner inside = {s->text, at, 0};
        if (cell.size == 0 && (k == t->columns.node || k == t->columns.x || k == t->columns.y))
            return fail_at(&inside, k == t->columns.node ? "a node" : "a place");
        if (k == t->columns.node)
            MCO_TRY(find_node(&t->finder, s->text, traffic, cell, &node));
        else if (k == t->columns.x || k == t->columns.y)
            MCO_TRY(read_real(&inside, k == t->columns.x ? "x" : "y", -MOST, MOST, &place[k == t->columns.y]));
    }
    skip_line(s);
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
    scanner s = {&text, text.data + text.at, 0};
    if (skip_to_content(&s, ';')) {
        t.separator = memchr(s.at, ',', strcspn(s.at, "\n")) != NULL ? ',' : '\0';
        t.columns = read_columns(&s, t.separator);
    }
    while (skip_to_content(&s, ';')) {
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

// ---- Trips

typedef struct trip_table {
    traffic_trip *trips;
    int64_t count, room;
    double total, intrazonal;
    const mco_traffic *traffic;
    mco_name_finder finder;
} trip_table;

// A zone by its number, or by its name where nodes have names.
static inline mco_status read_zone(scanner *s, trip_table *t, const char *what, int32_t *zone)
{
    int64_t number = 0;
    const int32_t zones = t->traffic->view.zones;
    if (t->traffic->node_name == NULL) {
        mco_status st = read_whole(s, what, 1, zones, &number);
        *zone = (int32_t)number - 1;
        return st;
    }
    const mco_slice token = token_at(s);
    mco_status st = mco_names_look_up(&t->finder, s->text->ctx, token.data, token.size, zone);
    if (st == MCO_OK && (*zone < 0 || *zone >= zones))
        st = fail_at(s, "a zone");
    s->at += st == MCO_OK ? token.size : 0;
    return st;
}

static mco_status read_origin(scanner *s, trip_table *t, int32_t *origin)
{
    const mco_slice word = token_at(s);
    if (!mco_slice_is(word, "Origin"))
        return fail_at(s, "\"Origin\" or an entry \"zone : trips;\"");
    s->at += word.size;
    skip_blanks(s);
    if (*s->at == ':')
        s->at++;
    skip_blanks(s);
    return read_zone(s, t, "the origin", origin);
}

static inline mco_status read_entry(scanner *s, trip_table *t, int32_t origin)
{
    mco_status st = MCO_OK;
    traffic_trip trip = {.from = origin};
    MCO_TRY(read_zone(s, t, "the destination", &trip.to));
    skip_blanks(s);
    if (*s->at != ':')
        return fail_at(s, "\":\"");
    s->at++;
    skip_blanks(s);
    MCO_TRY(read_real(s, "the number of trips", 0, MOST, &trip.amount));
    t->total += trip.amount;
    t->intrazonal += trip.from == trip.to ? trip.amount : 0;
    if (t->count == t->room)
        MCO_TRY(mco_grow(s->text->ctx, &t->trips, &t->room, t->count + 1));
    t->trips[t->count] = trip;
    t->count += trip.amount > 0;
done:
    return st;
}

static mco_status read_trips(mco_text *text, trip_table *t)
{
    mco_status st = MCO_OK;
    scanner s = {text, text->data + text->at, 0};
    int32_t origin = -1;
    while (skip_to_content(&s, ';')) {
        MCO_TRY(mco_text_in_time(text, ++s.count));
        if (is_letter(*s.at))
            MCO_TRY(read_origin(&s, t, &origin));
        else if (origin < 0)
            return fail_at(&s, "\"Origin\"");
        else
            MCO_TRY(read_entry(&s, t, origin));
    }
done:
    return st;
}

static void say_differences(mco_context *ctx, const char *path, const metadata *m, const trip_table *t)
{
    static const double TOLERANCE = 1e-5;  // headers are rounded
    const int32_t zones = t->traffic->view.zones;
    if (m->zones >= 0 && m->zones != zones)
        mco_log(ctx, MCO_LOG_WARNING, "%s: %" PRId64 " zones are stated, the network has %d", path, m->zones, zones);
    if (!isnan(m->total) && !(fabs(m->total - t->total) <= TOLERANCE * fmax(fabs(m->total), t->total)))
        mco_log(ctx, MCO_LOG_WARNING, "%s: %.15g trips are stated, %.15g are there, %.15g of them within a zone", path, m->total, t->total,
                t->intrazonal);
}

mco_status traffic_parse_tntp_trips(mco_text *text, const mco_traffic *traffic, mco_traffic_class *out)
{
    enum { BYTES_OF_ENTRY = 12 };  // about; the room grows where there are more entries
    mco_status st = MCO_OK;
    mco_context *ctx = text->ctx;
    trip_table t = {.traffic = traffic,
                    .finder = {.what = "the zone", .names = traffic->node_name, .rows = traffic->view.nodes, .ids = MCO_IDS_NAMES}};
    metadata m;
    MCO_TRY(read_metadata(text, &m));
    if (m.nodes >= 0)
        MCO_TRY(mco_text_fail_here(text, "this is a file of links; the trips are in the file *_trips.tntp"));
    if (m.zones >= 0)
        MCO_TRY(refuse_more(text, m.zones, "zones"));
    MCO_TRY(mco_grow(ctx, &t.trips, &t.room, (int64_t)text->size / BYTES_OF_ENTRY + 1));
    MCO_TRY(read_trips(text, &t));
    say_differences(ctx, text->name, &m, &t);
    MCO_TRY(traffic_class_fill(ctx, traffic->view.zones, t.count, t.trips, out));
    out->stated_total = m.total;
    out->stated_toll_factor = m.toll_factor;
    out->stated_distance_factor = m.distance_factor;
done:
    mco_free(ctx, &t.finder.table.slots);
    mco_free(ctx, &t.trips);
    return st;
}

mco_status traffic_read_tntp_trips(mco_context *ctx, const char *path, const mco_traffic *traffic, mco_traffic_class *out)
{
    mco_text text = {.ctx = ctx};
    mco_status st = mco_text_open(ctx, path, &text);
    if (st == MCO_OK)
        st = traffic_parse_tntp_trips(&text, traffic, out);
    mco_text_close(&text);
    return st;
}
