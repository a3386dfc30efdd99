// SPDX-License-Identifier: MIT
#include "graph/xml.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/grow.h"

typedef enum event { EVENT_OPEN, EVENT_CLOSE, EVENT_TEXT, EVENT_CDATA, EVENT_END } event;

// ---- Moving through the text

static const char *here(const xml_reader *x)
{
    return x->text->data + x->text->at;
}

// Moves to `end`, and counts the lines on the way.
static void move_to(xml_reader *x, const char *end)
{
    mco_text *t = x->text;
    const size_t to = (size_t)(end - t->data);
    for (const char *p; (p = memchr(here(x), '\n', to - t->at)) != NULL;) {
        t->at = (size_t)(p - t->data) + 1;
        t->line++;
        t->line_at = t->at;
    }
    t->at = to;
}

static bool starts_with(const xml_reader *x, const char *word)
{
    const size_t size = strlen(word);
    return x->text->size - x->text->at >= size && memcmp(here(x), word, size) == 0;
}

// Moves behind the next `mark`; *inside is what stands from `skip` bytes on before it.
static mco_status move_behind(xml_reader *x, size_t skip, const char *mark, const char *what, mco_slice *inside)
{
    mco_text *t = x->text;
    const char *begin = here(x) + skip, *end = strstr(begin, mark);
    if (end == NULL)
        return mco_text_fail_here(t, "the %s is not closed by %s", what, mark);
    *inside = (mco_slice){begin, (size_t)(end - begin), t->line, (int64_t)(t->at - t->line_at + skip) + 1};
    move_to(x, end + strlen(mark));
    return MCO_OK;
}

// The encoding of the text must be UTF-8.
static mco_status test_declaration(xml_reader *x, mco_slice inside)
{
    static const char KEY[] = "encoding";
    if (inside.size < 4 || memcmp(inside.data, "xml", 3) != 0 || !isspace((unsigned char)inside.data[3]))
        return MCO_OK;
    for (size_t i = 0; i + sizeof KEY <= inside.size; i++) {
        if (memcmp(inside.data + i, KEY, sizeof KEY - 1) != 0)
            continue;
        mco_slice value = mco_slice_trim(mco_slice_behind(inside, i + sizeof KEY - 1));
        if (!mco_slice_take(&value, '=') || value.size == 0)
            break;
        const char quote = value.data[0];
        value = mco_slice_before(mco_slice_behind(value, 1), quote);
        if (!mco_slice_is(value, "utf-8") && !mco_slice_is(value, "us-ascii") && !mco_slice_is(value, "ascii"))
            return mco_text_fail(x->text, value.line, value.column, "the encoding is \"%.*s\", UTF-8 was expected",
                                 mco_slice_shown(value), value.data);
    }
    return MCO_OK;
}

// ---- Tags

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == ':' || (unsigned char)c >= 0x80;
}

static mco_slice take_name(xml_reader *x)
{
    mco_text *t = x->text;
    const char *begin = here(x), *end = begin;
    while (is_name_byte(*end))
        end++;
    const mco_slice name = {begin, (size_t)(end - begin), t->line, (int64_t)(t->at - t->line_at) + 1};
    move_to(x, end);
    return name;
}

static mco_slice without_prefix(mco_slice name)
{
    const char *colon = memchr(name.data, ':', name.size);
    return colon != NULL ? mco_slice_behind(name, (size_t)(colon - name.data) + 1) : name;
}

static mco_status read_attribute(xml_reader *x)
{
    mco_status st = MCO_OK;
    mco_text *t = x->text;
    const mco_slice name = take_name(x);
    if (name.size == 0)
        return mco_text_fail_here(t, "the tag <%.*s is not closed by >", mco_slice_shown(x->name), x->name.data);
    if (x->attribute_count == XML_ATTRIBUTES)
        return mco_text_fail_here(t, "the element has more than %d attributes", XML_ATTRIBUTES);
    mco_text_skip_blank(t);
    const bool has_sign = *here(x) == '=';
    t->at += has_sign;
    mco_text_skip_blank(t);
    const char quote[2] = {*here(x), '\0'};
    if (!has_sign || (quote[0] != '"' && quote[0] != '\''))
        return mco_text_fail(t, name.line, name.column, "the attribute \"%.*s\" has no value in quotes", mco_slice_shown(name),
                             name.data);
    x->attributes[x->attribute_count][0] = name;
    MCO_TRY(move_behind(x, 1, quote, "value", &x->attributes[x->attribute_count][1]));
    x->attribute_count++;
done:
    return st;
}

// Reads "<name attributes>" or "<name attributes/>".
static mco_status open_tag(xml_reader *x)
{
    mco_status st = MCO_OK;
    mco_text *t = x->text;
    t->at++;
    const mco_slice name = take_name(x);
    if (name.size == 0)
        return mco_text_fail_here(t, "a name was expected behind <");
    if (x->depth == XML_DEPTH)
        return mco_text_fail(t, name.line, name.column, "elements are nested deeper than %d", XML_DEPTH);
    x->open[x->depth++] = name;
    x->name = without_prefix(name);
    x->attribute_count = 0;
    for (;;) {
        mco_text_skip_blank(t);
        if (*here(x) == '>' || starts_with(x, "/>"))
            break;
        MCO_TRY(read_attribute(x));
    }
    x->is_closed = *here(x) == '/';
    t->at += x->is_closed ? 2 : 1;
done:
    return st;
}

static mco_status close_tag(xml_reader *x)
{
    mco_text *t = x->text;
    t->at += 2;
    const mco_slice name = take_name(x);
    if (x->depth == 0)
        return mco_text_fail(t, name.line, name.column, "the tag </%.*s> closes nothing", mco_slice_shown(name), name.data);
    const mco_slice open = x->open[x->depth - 1];
    if (name.size != open.size || memcmp(name.data, open.data, name.size) != 0)
        return mco_text_fail(t, name.line, name.column, "the tag </%.*s> does not close <%.*s> of line %lld", mco_slice_shown(name),
                             name.data, mco_slice_shown(open), open.data, (long long)open.line);
    mco_text_skip_blank(t);
    if (*here(x) != '>')
        return mco_text_fail_here(t, "the tag </%.*s is not closed by >", mco_slice_shown(name), name.data);
    t->at++;
    x->depth--;
    return MCO_OK;
}

static mco_status skip_doctype(xml_reader *x)
{
    mco_slice inside;
    if (!starts_with(x, "<!DOCTYPE") || x->depth > 0)
        return mco_text_fail_here(x->text, "a declaration that is not supported");
    const mco_slice begin = {.line = x->text->line, .column = (int64_t)(x->text->at - x->text->line_at) + 1};
    const mco_status st = move_behind(x, 0, ">", "document type", &inside);
    if (st == MCO_OK && memchr(inside.data, '[', inside.size) != NULL)
        return mco_text_fail(x->text, begin.line, begin.column, "declarations inside the document type are not supported");
    return st;
}

// The next event; comments and instructions are passed. `text` is the text of TEXT and CDATA.
static mco_status next_event(xml_reader *x, event *what, mco_slice *text)
{
    mco_status st = MCO_OK;
    mco_text *t = x->text;
    if (x->is_closed) {
        x->is_closed = false;
        x->depth--;
        *what = EVENT_CLOSE;
        return MCO_OK;
    }
    while (t->at < t->size) {
        if (*here(x) != '<') {
            const char *end = memchr(here(x), '<', t->size - t->at);
            end = end != NULL ? end : t->data + t->size;
            *text = (mco_slice){here(x), (size_t)(end - here(x)), t->line, (int64_t)(t->at - t->line_at) + 1};
            move_to(x, end);
            *what = EVENT_TEXT;
            return MCO_OK;
        }
        if (starts_with(x, "<!--")) {
            MCO_TRY(move_behind(x, 4, "-->", "comment", text));
        } else if (starts_with(x, "<?")) {
            MCO_TRY(move_behind(x, 2, "?>", "instruction", text));
            MCO_TRY(test_declaration(x, *text));
        } else if (starts_with(x, "<![CDATA[")) {
            *what = EVENT_CDATA;
            return move_behind(x, strlen("<![CDATA["), "]]>", "CDATA section", text);
        } else if (starts_with(x, "<!")) {
            MCO_TRY(skip_doctype(x));
        } else {
            *what = starts_with(x, "</") ? EVENT_CLOSE : EVENT_OPEN;
            return *what == EVENT_CLOSE ? close_tag(x) : open_tag(x);
        }
    }
    *what = EVENT_END;
done:
    return st;
}

static mco_status refuse_end(xml_reader *x)
{
    const mco_slice open = x->open[x->depth - 1];
    return mco_text_fail_here(x->text, "the text ends inside <%.*s> of line %lld", mco_slice_shown(open), open.data,
                              (long long)open.line);
}

// ---- Elements

bool xml_is(const xml_reader *x, const char *name)
{
    return x->name.size == strlen(name) && memcmp(x->name.data, name, x->name.size) == 0;
}

bool xml_attribute(const xml_reader *x, const char *name, mco_slice *value)
{
    for (int k = 0; k < x->attribute_count; k++)
        if (x->attributes[k][0].size == strlen(name) && memcmp(x->attributes[k][0].data, name, strlen(name)) == 0) {
            *value = x->attributes[k][1];
            return true;
        }
    return false;
}

static mco_status refuse_text(xml_reader *x, mco_slice text)
{
    for (size_t i = 0; i < text.size; i++)
        if (!isspace((unsigned char)text.data[i]))
            return mco_text_fail(x->text, text.line, text.column, "text between elements");
    return MCO_OK;
}

mco_status xml_root(xml_reader *x, const char *name)
{
    mco_status st = MCO_OK;
    event what;
    mco_slice text = {0};
    do {
        MCO_TRY(next_event(x, &what, &text));
        if (what == EVENT_TEXT || what == EVENT_CDATA)
            MCO_TRY(refuse_text(x, text));
    } while (what == EVENT_TEXT);
    if (what != EVENT_OPEN)
        return mco_text_fail_here(x->text, "the text ends before the element %s", name);
    if (!xml_is(x, name))
        return mco_text_fail(x->text, x->name.line, x->name.column, "the first element is \"%.*s\", \"%s\" was expected",
                             mco_slice_shown(x->name), x->name.data, name);
done:
    return st;
}

mco_status xml_child(xml_reader *x, bool *has_child)
{
    mco_status st = MCO_OK;
    event what;
    mco_slice text = {0};
    do {
        MCO_TRY(next_event(x, &what, &text));
        if (what == EVENT_TEXT || what == EVENT_CDATA)
            MCO_TRY(refuse_text(x, text));
    } while (what == EVENT_TEXT || what == EVENT_CDATA);
    if (what == EVENT_END)
        return refuse_end(x);
    *has_child = what == EVENT_OPEN;
done:
    return st;
}

mco_status xml_skip(xml_reader *x)
{
    mco_status st = MCO_OK;
    const int depth = x->depth - 1;
    mco_slice text;
    event what;
    while (x->depth > depth) {
        MCO_TRY(next_event(x, &what, &text));
        if (what == EVENT_END)
            return refuse_end(x);
    }
done:
    return st;
}

mco_status xml_end(xml_reader *x)
{
    mco_status st = MCO_OK;
    event what = EVENT_TEXT;
    mco_slice text = {0};
    while (what != EVENT_END) {
        MCO_TRY(next_event(x, &what, &text));
        if (what == EVENT_TEXT)
            MCO_TRY(refuse_text(x, text));
        else if (what != EVENT_END)
            return mco_text_fail_here(x->text, "something follows the last element");
    }
done:
    return st;
}

// ---- Characters

static mco_status put(xml_reader *x, const char *bytes, size_t size)
{
    const mco_status st = mco_grow(x->text->ctx, &x->value, &x->value_room, x->value_size + (int64_t)size + 1);
    if (st != MCO_OK)
        return st;
    memcpy(x->value + x->value_size, bytes, size);
    x->value_size += (int64_t)size;
    return MCO_OK;
}

// Appends a character as UTF-8.
static mco_status put_character(xml_reader *x, uint32_t c)
{
    char b[4];
    if (c < 0x80)
        return put(x, (b[0] = (char)c, b), 1);
    if (c < 0x800) {
        b[0] = (char)(0xc0 | c >> 6);
        b[1] = (char)(0x80 | (c & 0x3f));
        return put(x, b, 2);
    }
    if (c < 0x10000) {
        b[0] = (char)(0xe0 | c >> 12);
        b[1] = (char)(0x80 | (c >> 6 & 0x3f));
        b[2] = (char)(0x80 | (c & 0x3f));
        return put(x, b, 3);
    }
    b[0] = (char)(0xf0 | c >> 18);
    b[1] = (char)(0x80 | (c >> 12 & 0x3f));
    b[2] = (char)(0x80 | (c >> 6 & 0x3f));
    b[3] = (char)(0x80 | (c & 0x3f));
    return put(x, b, 4);
}

// The character of "#65" or "#x41"; 0 if it is none that a text may have.
static uint32_t reference(mco_slice name)
{
    enum { MOST = 0x10ffff };
    const bool is_hex = name.size > 1 && name.data[1] == 'x';
    uint32_t c = 0;
    for (size_t i = is_hex ? 2 : 1; i < name.size; i++) {
        const char d = name.data[i];
        const bool is_digit = d >= '0' && d <= '9', is_letter = is_hex && isxdigit((unsigned char)d);
        if (!is_digit && !is_letter)
            return 0;
        c = c * (is_hex ? 16 : 10) + (uint32_t)(is_digit ? d - '0' : tolower((unsigned char)d) - 'a' + 10);
        if (c > MOST)
            return 0;
    }
    const bool is_control = c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v';
    return is_control || (c >= 0xd800 && c < 0xe000) ? 0 : c;
}

static mco_status put_entity(xml_reader *x, mco_slice name)
{
    static const struct {
        const char *name;
        char character;
    } entities[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    uint32_t c = name.size > 1 && name.data[0] == '#' ? reference(name) : 0;
    for (size_t k = 0; k < sizeof entities / sizeof entities[0] && c == 0; k++)
        if (name.size == strlen(entities[k].name) && memcmp(name.data, entities[k].name, name.size) == 0)
            c = (unsigned char)entities[k].character;
    if (c == 0)
        return mco_text_fail(x->text, name.line, name.column, "the entity \"&%.*s;\" is not supported", mco_slice_shown(name),
                             name.data);
    return put_character(x, c == '\n' ? ' ' : c);  // names have no line breaks
}

// Appends raw text. Line breaks become blanks. Entities are replaced, except in CDATA.
static mco_status put_text(xml_reader *x, mco_slice raw, bool has_entities)
{
    enum { LONGEST = 12 };
    mco_status st = MCO_OK;
    while (raw.size > 0) {
        size_t plain = 0;
        while (plain < raw.size && raw.data[plain] != '\n' && raw.data[plain] != '\r' && (raw.data[plain] != '&' || !has_entities))
            plain++;
        MCO_TRY(put(x, raw.data, plain));
        raw = mco_slice_behind(raw, plain);
        if (raw.size == 0)
            break;
        if (raw.data[0] != '&') {
            MCO_TRY(put(x, " ", 1));
            raw = mco_slice_behind(raw, 1);
            continue;
        }
        const char *end = memchr(raw.data, ';', raw.size < LONGEST ? raw.size : LONGEST);
        if (end == NULL)
            return mco_text_fail(x->text, raw.line, raw.column, "the & begins no entity, a plain one is written &amp;");
        mco_slice name = mco_slice_behind(raw, 1);
        name.size = (size_t)(end - name.data);
        MCO_TRY(put_entity(x, name));
        raw = mco_slice_behind(raw, (size_t)(end - raw.data) + 1);
    }
done:
    return st;
}

mco_status xml_decode(xml_reader *x, mco_slice raw, mco_slice *out)
{
    x->value_size = 0;
    const mco_status st = put_text(x, raw, true);
    *out = (mco_slice){x->value, (size_t)x->value_size, raw.line, raw.column};
    return st;
}

mco_status xml_content(xml_reader *x, mco_slice *out)
{
    mco_status st = MCO_OK;
    const int depth = x->depth - 1;
    mco_slice text = x->name, place = x->name;
    event what;
    MCO_TRY((x->value_size = 0, put(x, "", 0)));
    while (x->depth > depth) {
        MCO_TRY(next_event(x, &what, &text));
        if (what == EVENT_END)
            return refuse_end(x);
        if (what == EVENT_OPEN)
            return mco_text_fail(x->text, x->name.line, x->name.column, "an element where text was expected");
        if (what == EVENT_CLOSE)
            continue;
        text = what == EVENT_TEXT ? mco_slice_trim(text) : text;
        place = x->value_size == 0 ? text : place;
        MCO_TRY(put_text(x, text, what == EVENT_TEXT));
    }
    *out = (mco_slice){x->value, (size_t)x->value_size, place.line, place.column};
done:
    return st;
}

void xml_clear(xml_reader *x)
{
    mco_free(x->text->ctx, &x->value);
}
