// SPDX-License-Identifier: MIT
// Instances as JSON (docs/formats.md): an object with the members name, least, most, nodes and links, in any order. `nodes` is a list of
// objects with uptime, bandwidth and name; `links` one of objects with from, to, weight, least and most.
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/number.h"
#include "overlay/reader.h"

enum { KEY_ROOM = 32, NAME_ROOM = 4096 };  // bytes of the longest name, its NUL included

// ---- Values

typedef struct item {
    mco_slice uptime, bandwidth, weight, limit[LIMITS];  // numbers as they stand; data is NULL where a member is missing or null
    char *text[2];       // [2 * NAME_ROOM] name, or from and to; quotes are doubled
    mco_slice place[2];  // of a text or a number; data is NULL: missing
    bool is_text[2];
    mco_slice at;        // of the object
} item;

static mco_slice here(mco_text *text)
{
    mco_text_skip_blank(text);
    return (mco_slice){text->data + text->at, 0, text->line, (int64_t)(text->at - text->line_at) + 1};
}

static mco_status read_number(mco_text *text, const char *what, mco_slice *out)
{
    const mco_slice word = mco_json_peek_word(text);
    if (out->data != NULL)
        return mco_text_fail(text, word.line, word.column, "%s stands twice", what);
    if (word.size == 0)
        return mco_text_fail(text, word.line, word.column, "%s: a number was expected", what);
    text->at += word.size;
    if (word.size != 4 || memcmp(word.data, "null", 4) != 0)
        *out = word;
    return MCO_OK;
}

// A name as a cell of a table has it: with doubled quotes.
static mco_status read_name(mco_text *text, char *out, mco_slice *place)
{
    mco_status st = MCO_OK;
    size_t quotes = 0;
    MCO_TRY(mco_json_read_text(text, out, NAME_ROOM));
    const size_t length = strlen(out);
    if (length == NAME_ROOM - 1)
        MCO_TRY(mco_text_fail(text, place->line, place->column, "the name is longer than %d bytes", NAME_ROOM - 2));
    for (size_t k = 0; k < length; k++) {
        quotes += out[k] == '"';
        if ((unsigned char)out[k] < ' ' && out[k] != '\t')  // solutions and events are lines of text
            MCO_TRY(mco_text_fail(text, place->line, place->column, "the name holds the byte 0x%02x: no cell of a table can", (unsigned)out[k]));
    }
    place->size = length + quotes;
    out[length + quotes] = '\0';
    for (size_t k = length; quotes > 0 && k-- > 0;) {
        out[k + quotes] = out[k];
        if (out[k] == '"')
            out[k + --quotes] = '"';
    }
    place->data = out;
done:
    return st;
}

// A node by name, or by number.
static mco_status read_end(mco_text *text, item *it, int k, const char *what)
{
    mco_status st = MCO_OK;
    mco_slice place = here(text);
    if (it->place[k].data != NULL)
        MCO_TRY(mco_text_fail(text, place.line, place.column, "%s stands twice", what));
    it->is_text[k] = text->at < text->size && text->data[text->at] == '"';
    if (it->is_text[k])
        MCO_TRY(read_name(text, it->text[k], &place));
    else
        MCO_TRY(read_number(text, what, &it->place[k]));
    if (it->is_text[k])
        it->place[k] = place;
done:
    return st;
}

// ---- Objects

static mco_status read_node_member(mco_text *text, const char *key, item *it)
{
    mco_status st = MCO_OK;
    const mco_slice place = here(text);
    if (strcmp(key, "uptime") == 0)
        return read_number(text, "uptime", &it->uptime);
    if (strcmp(key, "bandwidth") == 0)
        return read_number(text, "bandwidth", &it->bandwidth);
    if (strcmp(key, "name") != 0)
        return mco_text_fail(text, place.line, place.column, "a node has no member \"%s\"; it has name, uptime, bandwidth", key);
    MCO_TRY(read_end(text, it, 0, "name"));
    if (it->place[0].data != NULL && !it->is_text[0])
        MCO_TRY(mco_text_fail(text, place.line, place.column, "the name is no text"));
done:
    return st;
}

static mco_status read_link_member(mco_text *text, const char *key, item *it)
{
    const mco_slice place = here(text);
    if (strcmp(key, "from") == 0)
        return read_end(text, it, 0, "from");
    if (strcmp(key, "to") == 0)
        return read_end(text, it, 1, "to");
    if (strcmp(key, "weight") == 0)
        return read_number(text, "weight", &it->weight);
    if (strcmp(key, "least") == 0)
        return read_number(text, "least", &it->limit[LIMIT_LEAST]);
    if (strcmp(key, "most") == 0)
        return read_number(text, "most", &it->limit[LIMIT_MOST]);
    return mco_text_fail(text, place.line, place.column, "a link has no member \"%s\"; it has from, to, weight, least, most", key);
}

static mco_status read_object(mco_text *text, bool is_link, item *it)
{
    mco_status st = MCO_OK;
    char key[KEY_ROOM];
    bool is_first = true, has_next;
    *it = (item){.text = {it->text[0], it->text[1]}, .at = here(text)};
    MCO_TRY(mco_json_enter(text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        MCO_TRY(is_link ? read_link_member(text, key, it) : read_node_member(text, key, it));
    }
done:
    return st;
}

// ---- Nodes and links, each twice

static mco_status take_bandwidth(overlay_reader *c, const item *it, mco_slice number, const char *what, int64_t *out)
{
    if (number.data == NULL)
        return mco_text_fail(c->text, it->at.line, it->at.column, "%s is missing", what);
    return overlay_read_bandwidth(c, number, what, ',', out);
}

static mco_status take_node(overlay_reader *c, const item *it, int64_t i, bool is_first)
{
    mco_status st = MCO_OK;
    c->has_names = c->has_names || it->place[0].data != NULL;
    MCO_TRY(take_bandwidth(c, it, it->bandwidth, "the bandwidth", is_first ? NULL : &c->bandwidth[i]));
    if (it->uptime.data == NULL)
        MCO_TRY(mco_text_fail(c->text, it->at.line, it->at.column, "the uptime is missing"));
    if (is_first)
        return MCO_OK;
    MCO_TRY(mco_slice_real(c->text, it->uptime, "the uptime", 0, 1, &c->uptime[i]));
    if (it->place[0].data != NULL)
        MCO_TRY(mco_names_give(&c->names, c->text, i, it->place[0]));
done:
    return st;
}

static mco_status find_end(overlay_reader *c, const item *it, int k, int32_t *out)
{
    mco_status st = MCO_OK;
    int64_t number;
    const mco_slice place = it->place[k];
    if (place.data == NULL)
        return mco_text_fail(c->text, it->at.line, it->at.column, "the link has no \"%s\"", k == 0 ? "from" : "to");
    if (it->is_text[k])
        return mco_names_find_cell(&c->finder, c->text, place, out);
    MCO_TRY(mco_slice_integer(c->text, place, "the node", 1, c->node_count, &number));
    *out = (int32_t)number - 1;
done:
    return st;
}

static mco_status take_link(overlay_reader *c, const item *it, int64_t k, bool is_first)
{
    static const char *const what[LIMITS] = {"the least bandwidth", "the most bandwidth"};
    mco_status st = MCO_OK;
    int64_t limit[LIMITS] = {c->data.least_of_all, c->data.most_of_all >= 0 ? c->data.most_of_all : MCO_OVERLAY_MAX_BANDWIDTH};
    for (int l = 0; l < LIMITS; l++)
        if (it->limit[l].data != NULL)
            MCO_TRY(overlay_read_bandwidth(c, it->limit[l], what[l], ',', is_first ? NULL : &limit[l]));
    c->has_weight = c->has_weight || it->weight.data != NULL;
    c->has_least = c->has_least || it->limit[LIMIT_LEAST].data != NULL;
    c->has_most = c->has_most || it->limit[LIMIT_MOST].data != NULL;
    if (is_first)
        return MCO_OK;
    MCO_TRY(find_end(c, it, 0, &c->from[k]));
    MCO_TRY(find_end(c, it, 1, &c->to[k]));
    if (c->from[k] == c->to[k])
        MCO_TRY(mco_text_fail(c->text, it->at.line, it->at.column, "the link joins node \"%.*s\" with itself", mco_slice_shown(it->place[0]),
                              it->place[0].data));
    if (c->weight != NULL && it->weight.data == NULL)
        MCO_TRY(mco_text_fail(c->text, it->at.line, it->at.column, "the link has no weight, and others have"));
    if (c->weight != NULL)
        MCO_TRY(mco_slice_real(c->text, it->weight, "the weight", -MCO_OVERLAY_MAX_WEIGHT, MCO_OVERLAY_MAX_WEIGHT, &c->weight[k]));
    if (c->least != NULL)
        c->least[k] = limit[LIMIT_LEAST];
    if (c->most != NULL)
        c->most[k] = limit[LIMIT_MOST];
    if (limit[LIMIT_LEAST] > limit[LIMIT_MOST])
        MCO_TRY(mco_text_fail(c->text, it->at.line, it->at.column, "the least bandwidth of the link is above the most"));
done:
    return st;
}

// One pass over a list. In the first one *count is what is counted.
static mco_status read_list(overlay_reader *c, const mco_text *begin, bool is_link, bool is_first, item *it, int64_t *count)
{
    mco_status st = MCO_OK;
    bool is_first_item = true, has_next;
    int64_t at = 0;
    *c->text = *begin;
    MCO_TRY(mco_json_enter(c->text, '['));
    for (;; at++) {
        MCO_TRY(mco_json_next(c->text, '[', &is_first_item, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(mco_text_in_time(c->text, at));
        MCO_TRY(read_object(c->text, is_link, it));
        MCO_TRY(is_link ? take_link(c, it, at, is_first) : take_node(c, it, at, is_first));
    }
    *count = at;
done:
    return st;
}

// ---- The file

typedef struct parts {
    mco_text nodes, links;  // where their values begin
    bool has_nodes;
} parts;

static mco_status read_member(overlay_reader *c, const char *key, parts *f)
{
    mco_text *text = c->text;
    const mco_slice place = here(text);
    const bool is_nodes = strcmp(key, "nodes") == 0, is_links = strcmp(key, "links") == 0;
    if (is_nodes ? f->has_nodes : is_links && c->has_links)
        return mco_text_fail(text, place.line, place.column, "%s stands twice", key);
    if (strcmp(key, "least") == 0)
        return read_number(text, "least", &c->limits[LIMIT_LEAST]);
    if (strcmp(key, "most") == 0)
        return read_number(text, "most", &c->limits[LIMIT_MOST]);
    if (strcmp(key, "schema") == 0)
        return mco_text_fail(text, place.line, place.column, "this is a result file, and an instance was expected");
    if (!is_nodes && !is_links && strcmp(key, "name") != 0)
        return mco_text_fail(text, place.line, place.column, "an instance has no member \"%s\"; it has name, least, most, nodes, links", key);
    if (is_nodes) {
        f->nodes = *text;
        f->has_nodes = true;
    } else if (is_links && !mco_json_skip_word(text, "null")) {
        f->links = *text;
        c->has_links = true;
    } else if (is_links)
        return MCO_OK;
    return mco_json_skip(text);
}

static mco_status read_members(overlay_reader *c, parts *f)
{
    mco_status st = MCO_OK;
    char key[KEY_ROOM];
    bool is_first = true, has_next;
    c->limit_separators[LIMIT_LEAST] = c->limit_separators[LIMIT_MOST] = ',';
    MCO_TRY(mco_json_enter(c->text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(c->text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        MCO_TRY(read_member(c, key, f));
    }
    if (mco_text_skip_blank(c->text))
        MCO_TRY(mco_text_fail_here(c->text, "the instance ends before \"%c\"", c->text->data[c->text->at]));
    if (!f->has_nodes)
        MCO_TRY(mco_text_fail_here(c->text, "the instance has no member nodes"));
done:
    return st;
}

mco_status overlay_read_json(overlay_reader *c)
{
    mco_status st = MCO_OK;
    parts f = {0};
    item it = {0};
    char *room = NULL;
    MCO_TRY(mco_alloc(c->ctx, &room, 4 * NAME_ROOM));
    it.text[0] = room;
    it.text[1] = room + 2 * (size_t)NAME_ROOM;
    MCO_TRY(read_members(c, &f));
    MCO_TRY(read_list(c, &f.nodes, false, true, &it, &c->node_count));
    if (c->has_links)
        MCO_TRY(read_list(c, &f.links, true, true, &it, &c->link_count));
    MCO_TRY(overlay_take_limits(c));
    c->node_rows = f.nodes;
    MCO_TRY(overlay_open_arrays(c));
    MCO_TRY(read_list(c, &f.nodes, false, false, &it, &c->node_count));
    if (c->names.count > 0)
        MCO_TRY(mco_names_test(&c->names, c->text, c->node_count));
    c->finder = (mco_name_finder){.what = "the node", .names = c->names.count > 0 ? c->names.names : NULL, .rows = (int32_t)c->node_count,
                                  .ids = c->names.count > 0 ? MCO_IDS_NAMES : MCO_IDS_ROWS};
    if (c->has_links)
        MCO_TRY(read_list(c, &f.links, true, false, &it, &c->link_count));
done:
    mco_free(c->ctx, &room);
    return st;
}

// ---- Writing

static void write_scaled(mco_json *json, const char *key, const mco_overlay *o, int64_t value)
{
    char digits[MCO_NUMBER_TEXT];
    mco_json_number(json, key, mco_scaled_text(value, o->scale, digits));
}

static void write_node(mco_json *json, const mco_overlay *o, int32_t i)
{
    char digits[MCO_NUMBER_TEXT];
    mco_json_open(json, NULL, '{');
    if (o->names != NULL && o->names[i] != NULL)
        mco_json_text(json, "name", o->names[i]);
    mco_json_number(json, "uptime", o->uptime[i] == UINT32_MAX ? "1" : mco_number_text(o->uptime[i] / 4294967296.0, digits));
    write_scaled(json, "bandwidth", o, o->bandwidth[i]);
    mco_json_close(json, '}');
}

static void write_end(mco_json *json, const char *key, const mco_overlay *o, int32_t i)
{
    if (o->names != NULL && o->names[i] != NULL)
        mco_json_text(json, key, o->names[i]);
    else
        mco_json_integer(json, key, (int64_t)i + 1);
}

// Where an end has less bandwidth than the least, the link's own limit was more.
static void write_link(mco_json *json, const mco_overlay *o, int32_t i, int64_t a)
{
    char digits[MCO_NUMBER_TEXT];
    const int32_t least = o->row_least != NULL ? o->row_least[a] : o->least;
    mco_json_open(json, NULL, '{');
    write_end(json, "from", o, i);
    write_end(json, "to", o, o->to[a]);
    if (o->weight != NULL)
        mco_json_number(json, "weight", mco_number_text(o->weight[a] * (o->weight_unit / 4294967296.0), digits));
    if (o->row_least != NULL)
        write_scaled(json, "least", o, least);
    if (o->row_most != NULL)
        write_scaled(json, "most", o, o->row_most[a] > least ? o->row_most[a] : least);
    mco_json_close(json, '}');
}

void overlay_write_json(const mco_overlay *o, FILE *file)
{
    mco_json json;
    mco_json_begin(&json, file);
    mco_json_open(&json, NULL, '{');
    mco_json_text(&json, "name", o->name);
    write_scaled(&json, "least", o, o->least);
    if (o->most != INT32_MAX)
        write_scaled(&json, "most", o, o->most);
    mco_json_open(&json, "nodes", '[');
    for (int32_t i = 0; i < o->nodes; i++)
        write_node(&json, o, i);
    mco_json_close(&json, ']');
    if (!o->is_complete) {
        mco_json_open(&json, "links", '[');
        for (int32_t i = 0; i < o->nodes; i++)
            for (int64_t a = o->first[i]; a < o->first[i + 1]; a++)
                if (o->to[a] > i)
                    write_link(&json, o, i, a);
        mco_json_close(&json, ']');
    }
    mco_json_close(&json, '}');
    mco_json_end(&json);
}
