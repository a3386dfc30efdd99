// SPDX-License-Identifier: MIT
// Checks lists of cycles. It shares the walk along a set with the writer, and nothing with the methods.
//
// Every cycle must be chordless, and no two may be equal. Text and JSON lines have vertices in order: they are marked, neighbours
// in the line must be joined, and no others may be. Packed sets must induce one cycle (cycles_walk_strictly()). Products are
// expanded. Sets are compared by hashes of 128 bits (distinct.h).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/blocks.h"
#include "base/grow.h"
#include "base/json.h"
#include "base/machine.h"
#include "base/names.h"
#include "cycles/distinct.h"
#include "cycles/solve.h"

enum { FIRST_BUFFER = 1 << 20, SHOWN_VERTICES = 12 };
static const double HASH_SHARE = 0.25;  // of the memory that tables may have

typedef struct checker {
    mco_context *ctx;
    const mco_graph *graph;
    const char *path;
    bool is_directed;
    graph_simple simple;
    // The input: data[at..end) waits.
    mco_blocks blocks;
    char *data;  // [room + 1]
    size_t at, end, room;
    bool is_end;
    int64_t line;
    // Of text
    mco_name_table names;
    char *name;         // [name_room] of a JSON line
    size_t name_room;
    int32_t *sequence;  // [sequence_room]
    int64_t sequence_room;
    int64_t *mark;      // [vertices] number of the last cycle with this vertex
    // Of packed sets: the block
    cycles_block block;
    cycles_walk walk;
    int32_t *local;     // [vertices] all -1 between calls
    int32_t *order;     // [vertices of the block]
    // All
    cycles_distinct distinct;
    int64_t count;
} checker;

// ---- Input

// Reads more behind what waits. is_end: nothing more came.
static mco_status fill(checker *c)
{
    mco_status st = MCO_OK;
    size_t got = 0;
    memmove(c->data, c->data + c->at, c->end - c->at);
    c->end -= c->at;
    c->at = 0;
    if (c->end == c->room) {
        char *grown = NULL;
        MCO_TRY(mco_alloc(c->ctx, &grown, 2 * c->room + 1));
        memcpy(grown, c->data, c->end);
        mco_free(c->ctx, &c->data);
        c->data = grown;
        c->room *= 2;
    }
    MCO_TRY(mco_blocks_read(&c->blocks, c->data + c->end, c->room - c->end, &got));
    c->end += got;
    c->is_end = got == 0;
done:
    return st;
}

// The next line, NUL-terminated in place. *line NULL: there is none.
static mco_status next_line(checker *c, char **line, size_t *size)
{
    mco_status st = MCO_OK;
    char *newline;
    size_t searched = 0;
    while ((newline = memchr(c->data + c->at + searched, '\n', c->end - c->at - searched)) == NULL && !c->is_end) {
        searched = c->end - c->at;
        MCO_TRY(fill(c));
    }
    const bool is_over = newline == NULL && c->at == c->end;
    *line = is_over ? NULL : c->data + c->at;
    *size = newline != NULL ? (size_t)(newline - *line) : c->end - c->at;
    c->at += *size + (newline != NULL);
    c->line++;
    if (!is_over)
        (*line)[*size] = '\0';
done:
    return st;
}

static mco_status fail_cut(const checker *c)
{
    return mco_fail(c->ctx, MCO_ERR_PARSE, "%s: the list ends inside a part, after %" PRId64 " cycles", c->path, c->count);
}

// Takes `bytes` off the input.
static mco_status take_bytes(checker *c, void *out, size_t bytes)
{
    mco_status st = MCO_OK;
    const size_t waiting = c->end - c->at, head = waiting < bytes ? waiting : bytes;
    size_t got = 0;
    memcpy(out, c->data + c->at, head);
    c->at += head;
    if (head < bytes)
        MCO_TRY(mco_blocks_read(&c->blocks, (char *)out + head, bytes - head, &got));
    if (head + got < bytes)
        st = fail_cut(c);
done:
    return st;
}

// Takes items [count] into an array that grows as they come: a file that is cut takes no more memory than it has bytes.
static mco_status take_array(checker *c, void **items, int64_t count, size_t item_bytes)
{
    enum { STEP = 1 << 16 };
    mco_status st = MCO_OK;
    int64_t room = 0;
    mco_free_bytes(c->ctx, items);
    MCO_TRY(mco_alloc_bytes(c->ctx, items, 1, item_bytes));
    room = 1;
    for (int64_t done_count = 0; done_count < count;) {
        const int64_t part = count - done_count < STEP ? count - done_count : STEP;
        MCO_TRY(mco_grow_bytes(c->ctx, items, &room, done_count + part, item_bytes));
        MCO_TRY(take_bytes(c, (char *)*items + (size_t)done_count * item_bytes, (size_t)part * item_bytes));
        done_count += part;
    }
done:
    return st;
}

// ---- One cycle

// Says where the cycle stands: its line, or its number.
static const char *place_of(const checker *c, char out[MCO_ERROR_LENGTH / 2])
{
    if (c->line > 0)
        snprintf(out, MCO_ERROR_LENGTH / 2, "%.200s:%" PRId64, c->path, c->line);
    else
        snprintf(out, MCO_ERROR_LENGTH / 2, "%.200s: cycle %" PRId64, c->path, c->count);
    return out;
}

static mco_status fail_pair(const checker *c, int32_t u, int32_t v, const char *what)
{
    char place[MCO_ERROR_LENGTH / 2], a[16], b[16];
    return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: vertices %.60s and %.60s %s", place_of(c, place),
                    mco_graph_vertex_name(c->graph, u, a), mco_graph_vertex_name(c->graph, v, b), what);
}

static mco_status count_cycle(checker *c, cycles_hash hash)
{
    mco_status st = MCO_OK;
    int64_t same;
    char place[MCO_ERROR_LENGTH / 2];
    MCO_TRY(cycles_distinct_add(&c->distinct, hash, c->count, &same));
    if (same != 0)
        st = mco_fail(c->ctx, MCO_ERR_CHECK, "%s: cycle %" PRId64 " has the vertices of cycle %" PRId64, place_of(c, place), c->count,
                      same);
done:
    return st;
}

// Marks the vertices of the sequence.
static mco_status mark_vertices(checker *c, int32_t length)
{
    char place[MCO_ERROR_LENGTH / 2], name[16];
    if (length < 3)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: the cycle has %d vert%s, 3 or more were expected", place_of(c, place), length,
                        length == 1 ? "ex" : "ices");
    for (int32_t k = 0; k < length; k++) {
        const int32_t v = c->sequence[k];
        if (c->mark[v] == c->count)
            return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: vertex %.60s stands twice in the cycle", place_of(c, place),
                            mco_graph_vertex_name(c->graph, v, name));
        c->mark[v] = c->count;
    }
    return MCO_OK;
}

// The vertex among `to` [count] that is marked, is joined to v, and is neither `next` nor `before`; -1: none is a chord.
// *has_next: `next` is among them.
static int32_t find_chord(const checker *c, const int32_t *to, int64_t count, int32_t next, int32_t before, bool *has_next)
{
    for (int64_t a = 0; a < count; a++) {
        *has_next |= to[a] == next;
        if (c->mark[to[a]] == c->count && to[a] != next && to[a] != before)
            return to[a];
    }
    return -1;
}

// The same for a row far longer than the cycle: its vertices look for themselves in the row of v.
static int32_t find_chord_of_hub(const checker *c, int32_t v, int32_t length, int32_t next, int32_t before, bool *has_next)
{
    *has_next = graph_simple_has(&c->simple, v, next);
    for (int32_t k = 0; k < length; k++) {
        const int32_t u = c->sequence[k];
        if (u != next && u != before && graph_simple_has(&c->simple, v, u))
            return u;
    }
    return -1;
}

static mco_status check_sequence(checker *c, int32_t length)
{
    enum { LONG = 32 };  // times the length of the cycle
    mco_status st = MCO_OK;
    cycles_hash hash = {0, 0};
    const graph_simple *g = &c->simple;
    c->count++;
    MCO_TRY(mark_vertices(c, length));
    for (int32_t k = 0; k < length; k++) {
        const int32_t v = c->sequence[k], next = c->sequence[k + 1 < length ? k + 1 : 0];
        const int32_t before = c->is_directed ? next : c->sequence[k > 0 ? k - 1 : length - 1];
        const int64_t degree = g->first[v + 1] - g->first[v];
        bool has_next = false;
        const int32_t chord = degree > (int64_t)LONG * length
                                  ? find_chord_of_hub(c, v, length, next, before, &has_next)
                                  : find_chord(c, g->head + g->first[v], degree, next, before, &has_next);
        if (chord >= 0)
            return fail_pair(c, v, chord, "are joined by a chord");
        if (!has_next)
            return fail_pair(c, v, next, "follow each other and are not joined");
        cycles_hash_add(&hash, v);
    }
    MCO_TRY(count_cycle(c, hash));
done:
    return st;
}

static mco_status fail_row(const checker *c, const uint64_t *row)
{
    char place[MCO_ERROR_LENGTH / 2], text[MCO_ERROR_LENGTH / 2] = "", name[16];
    int shown = 0;
    for (int32_t v = 0; v < c->block.graph.vertices; v++)
        if ((row[v / 64] >> v % 64 & 1) != 0 && shown++ < SHOWN_VERTICES) {
            const size_t used = strlen(text);
            snprintf(text + used, sizeof text - used, " %.16s", mco_graph_vertex_name(c->graph, c->block.vertex[v], name));
        }
    return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: the %d vertices%s%s induce no chordless cycle", place_of(c, place), shown, text,
                    shown > SHOWN_VERTICES ? " ..." : "");
}

static mco_status check_row(checker *c, const uint64_t *row)
{
    cycles_hash hash = {0, 0};
    c->count++;
    const int32_t n = c->block.graph.vertices, tail = n % 64;
    if (tail != 0 && row[n / 64] >> tail != 0)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: cycle %" PRId64 " has bits beyond the %d vertices of its block", c->path, c->count, n);
    const int32_t length = cycles_walk_strictly(&c->walk, row, c->order);
    if (length == 0)
        return fail_row(c, row);
    for (int32_t k = 0; k < length; k++)
        cycles_hash_add(&hash, c->block.vertex[c->order[k]]);
    return count_cycle(c, hash);
}

// ---- Text and JSON lines

static mco_status begin_text(checker *c)
{
    mco_status st = MCO_OK;
    const int32_t n = c->simple.vertices;
    MCO_TRY(mco_alloc(c->ctx, &c->mark, n));
    c->name_room = 32;
    if (mco_graph_has_names(c->graph)) {
        char buffer[16];
        MCO_TRY(mco_name_table_new(c->ctx, c->graph->names, n, &c->names));
        for (int32_t v = 0; v < n; v++) {
            const size_t size = strlen(mco_graph_vertex_name(c->graph, v, buffer));
            c->name_room = size + 2 > c->name_room ? size + 2 : c->name_room;
            if (c->graph->names[v] != NULL)
                *mco_name_slot(&c->names, c->graph->names[v], size) = v + 1;
        }
    }
    MCO_TRY(mco_alloc(c->ctx, &c->name, c->name_room));
done:
    return st;
}

// The vertex of a name or a number; -1 if there is none.
static int32_t find_vertex(const checker *c, const char *name, size_t size)
{
    const int32_t base = mco_graph_base(c->graph);
    int64_t number = 0;
    if (c->names.slots != NULL && *mco_name_slot(&c->names, name, size) != 0)
        return *mco_name_slot(&c->names, name, size) - 1;
    for (size_t k = 0; k < size; k++) {
        if (name[k] < '0' || name[k] > '9' || number > INT32_MAX)
            return -1;
        number = 10 * number + (name[k] - '0');
    }
    const bool is_vertex = size > 0 && number >= base && number - base < c->simple.vertices;
    return is_vertex && (c->names.slots == NULL || c->graph->names[number - base] == NULL) ? (int32_t)(number - base) : -1;
}

static mco_status add_vertex(checker *c, mco_text *text, mco_slice place, const char *name, size_t size, int32_t *length)
{
    mco_status st = MCO_OK;
    const int32_t v = find_vertex(c, name, size);
    if (v < 0)
        return mco_text_fail(text, place.line, place.column, "the graph has no vertex \"%.*s\"",
                             size < MCO_SHOWN ? (int)size : MCO_SHOWN, name);
    if (*length >= c->simple.vertices)
        return mco_text_fail(text, place.line, place.column, "the cycle has more vertices than the graph, %d", c->simple.vertices);
    MCO_TRY(mco_grow(c->ctx, &c->sequence, &c->sequence_room, (int64_t)*length + 1));
    c->sequence[(*length)++] = v;
done:
    return st;
}

static mco_status read_line(checker *c, mco_text *text, int32_t *length)
{
    mco_status st = MCO_OK;
    mco_slice rest, token;
    if (!mco_text_line(text, &rest))
        return MCO_OK;
    while (mco_names_take(&rest, &token)) {
        if (token.data[0] != '"') {
            MCO_TRY(add_vertex(c, text, token, token.data, token.size, length));
            continue;
        }
        mco_slice inside = mco_slice_behind(token, 1);
        inside.size -= inside.size > 0;
        char *name = NULL;
        MCO_TRY(mco_alloc(c->ctx, &name, inside.size + 1));
        char *next = name;
        mco_slice_copy(inside, &next);
        st = add_vertex(c, text, token, name, strlen(name), length);
        mco_free(c->ctx, &name);
        MCO_TRY(st);
    }
done:
    return st;
}

static mco_status read_vertices(checker *c, mco_text *text, int32_t *length)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    MCO_TRY(mco_json_enter(text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        mco_slice place = {.data = text->data + text->at, .line = text->line, .column = (int64_t)text->at + 1};
        if (mco_text_skip_blank(text) && text->data[text->at] == '"') {
            MCO_TRY(mco_json_read_text(text, c->name, c->name_room));
            MCO_TRY(add_vertex(c, text, place, c->name, strlen(c->name), length));
        } else {
            const mco_slice word = mco_json_peek_word(text);
            MCO_TRY(add_vertex(c, text, place, word.data, word.size, length));
            MCO_TRY(mco_json_skip(text));
        }
    }
done:
    return st;
}

static mco_status read_json_line(checker *c, mco_text *text, int32_t *length)
{
    enum { KEY_ROOM = 32 };
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[KEY_ROOM];
    int64_t stated = -1;
    MCO_TRY(mco_json_enter(text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        if (strcmp(key, "vertices") == 0)
            MCO_TRY(read_vertices(c, text, length));
        else if (strcmp(key, "length") == 0)
            MCO_TRY(mco_json_read_integer(text, "length", 0, INT32_MAX, &stated));
        else
            MCO_TRY(mco_json_skip(text));
    }
    if (mco_text_skip_blank(text))
        MCO_TRY(mco_text_fail_here(text, "one object for each line was expected"));
    if (stated >= 0 && stated != *length)
        MCO_TRY(mco_fail(c->ctx, MCO_ERR_CHECK, "%s:%" PRId64 ": length is %" PRId64 ", and the line has %d vertices", c->path,
                         c->line, stated, *length));
done:
    return st;
}

// Place of the first byte that no text has, as the readers of graphs have it; `size`: there is none.
static size_t find_control(const char *line, size_t size)
{
    bool is_text = true;
    for (size_t i = 0; i < size; i++)
        is_text &= (unsigned char)line[i] >= ' ';
    if (is_text)
        return size;
    size_t at = 0;
    while (at < size && ((unsigned char)line[at] >= ' ' || (line[at] >= '\t' && line[at] <= '\r')))
        at++;
    return at;
}

static mco_status check_lines(checker *c)
{
    mco_status st = MCO_OK;
    char *line;
    size_t size;
    MCO_TRY(begin_text(c));
    for (;;) {
        MCO_TRY(next_line(c, &line, &size));
        if (line == NULL)
            break;
        const size_t at = find_control(line, size);
        if (at < size)
            MCO_TRY(mco_fail(c->ctx, MCO_ERR_PARSE, "%s:%" PRId64 ":%zu: not a text file (byte 0x%02x)", c->path, c->line, at + 1,
                             (unsigned char)line[at]));
        int32_t length = 0;
        mco_text text = {.ctx = c->ctx, .name = (char *)(uintptr_t)c->path, .data = line, .size = size, .line = c->line};
        if (!mco_text_skip_blank(&text) || line[text.at] == '#')
            continue;
        if (line[text.at] == '{')
            MCO_TRY(read_json_line(c, &text, &length));
        else
            MCO_TRY(read_line(c, &text, &length));
        MCO_TRY(check_sequence(c, length));
    }
done:
    return st;
}

// ---- Packed sets

static void clear_block(checker *c)
{
    graph_simple_clear(c->ctx, &c->block.graph);
    mco_free(c->ctx, &c->block.vertex);
    mco_free(c->ctx, &c->order);
    cycles_walk_clear(c->ctx, &c->walk);
}

// The vertices of a block must be in range and all different.
static mco_status refuse_vertices(checker *c, int64_t n)
{
    int64_t bad = -1;
    for (int64_t k = 0; k < n && bad < 0; k++) {
        const int32_t v = c->block.vertex[k];
        if (v < 0 || v >= c->simple.vertices || c->local[v] >= 0)
            bad = k;
        else
            c->local[v] = 0;
    }
    for (int64_t k = 0; k < (bad < 0 ? n : bad); k++)
        c->local[c->block.vertex[k]] = -1;
    if (bad < 0)
        return MCO_OK;
    return mco_fail(c->ctx, MCO_ERR_PARSE, "%s: vertex %" PRId64 " of a block is %d, different numbers from 0 to %d were expected",
                    c->path, bad, c->block.vertex[bad], c->simple.vertices - 1);
}

static mco_status take_padding(checker *c, size_t bytes)
{
    char zeros[8];
    return take_bytes(c, zeros, -bytes % 8);
}

static mco_status take_block(checker *c, const cycles_part *part)
{
    mco_status st = MCO_OK;
    const int64_t n = part->a;
    if (n < 1 || n > c->simple.vertices || part->count != (uint64_t)(n + 63) / 64)
        return mco_fail(c->ctx, MCO_ERR_PARSE, "%s: a block of %" PRId64 " vertices and %" PRIu64 " words, the graph has %d vertices",
                        c->path, n, part->count, c->simple.vertices);
    clear_block(c);
    MCO_TRY(take_array(c, (void **)&c->block.vertex, n, sizeof *c->block.vertex));
    MCO_TRY(take_padding(c, (size_t)n * sizeof *c->block.vertex));
    MCO_TRY(refuse_vertices(c, n));
    MCO_TRY(cycles_induce(c->ctx, &c->simple, c->block.vertex, (int32_t)n, c->local, &c->block.graph));
    MCO_TRY(mco_alloc(c->ctx, &c->order, n));
    MCO_TRY(cycles_walk_make(c->ctx, &c->block.graph, c->is_directed, &c->walk));
done:
    return st;
}

static mco_status refuse_without_block(const checker *c, uint64_t count)
{
    if (c->walk.words > 0 && count <= INT64_MAX / 8 / (uint64_t)c->walk.words)
        return MCO_OK;
    return mco_fail(c->ctx, MCO_ERR_PARSE, "%s: %" PRIu64 " rows, and %s", c->path, count,
                    c->walk.words == 0 ? "no block before them" : "no file has so many");
}

static mco_status check_rows(checker *c, uint64_t count)
{
    enum { AT_ONCE = 1 << 17 };  // words
    mco_status st = MCO_OK;
    uint64_t *rows = NULL;
    MCO_TRY(refuse_without_block(c, count));
    const uint64_t words = (uint64_t)c->walk.words, room = words < AT_ONCE ? AT_ONCE / words : 1;
    const uint64_t most = count < room ? count : room;  // parts may be many and small
    MCO_TRY(mco_alloc(c->ctx, &rows, most * words));
    for (uint64_t first = 0; first < count;) {
        const uint64_t part = count - first < most ? count - first : most;
        MCO_TRY(take_bytes(c, rows, part * words * sizeof *rows));
        for (uint64_t k = 0; k < part; k++)
            MCO_TRY(check_row(c, rows + k * words));
        first += part;
    }
done:
    mco_free(c->ctx, &rows);
    return st;
}

static mco_status check_triangles(checker *c, uint64_t count)
{
    mco_status st = MCO_OK;
    int32_t triangle[3];
    if (c->mark == NULL)
        MCO_TRY(mco_alloc(c->ctx, &c->mark, c->simple.vertices));
    MCO_TRY(mco_grow(c->ctx, &c->sequence, &c->sequence_room, 3));
    for (uint64_t k = 0; k < count; k++) {
        MCO_TRY(take_bytes(c, triangle, sizeof triangle));
        for (int i = 0; i < 3; i++)
            if (triangle[i] < 0 || triangle[i] >= c->simple.vertices)
                MCO_TRY(mco_fail(c->ctx, MCO_ERR_PARSE, "%s: vertex %d of a triangle, vertices are 0 to %d", c->path, triangle[i],
                                 c->simple.vertices - 1));
        memcpy(c->sequence, triangle, sizeof triangle);
        MCO_TRY(check_sequence(c, 3));
    }
    MCO_TRY(take_padding(c, count % 2 * sizeof triangle));
done:
    return st;
}

// ---- Products

typedef struct factors {
    cycles_part_factors counts;
    cycles_segment *segment;
    uint64_t *left, *right, *single;
} factors;

static bool is_inside(int64_t first, int64_t count, int64_t all)
{
    return first >= 0 && count >= 0 && first <= all && count <= all - first;
}

static mco_status check_segment(checker *c, const factors *f, const cycles_segment *s, uint64_t *row)
{
    mco_status st = MCO_OK;
    const int64_t words = c->walk.words;
    if (!is_inside(s->left, s->left_count, f->counts.left_count) || !is_inside(s->right, s->right_count, f->counts.right_count))
        return mco_fail(c->ctx, MCO_ERR_PARSE, "%s: a segment has rows %" PRId64 " and %" PRId64 " on, beyond its lists", c->path,
                        s->left, s->right);
    for (int64_t a = s->left; a < s->left + s->left_count; a++)
        for (int64_t b = s->right; b < s->right + s->right_count; b++) {
            for (int64_t w = 0; w < words; w++)
                row[w] = f->left[a * words + w] | f->right[b * words + w];
            MCO_TRY(check_row(c, row));
        }
done:
    return st;
}

static mco_status take_factors(checker *c, uint64_t segments, factors *f)
{
    mco_status st = MCO_OK;
    const size_t row = (size_t)c->walk.words * sizeof(uint64_t);
    MCO_TRY(take_bytes(c, &f->counts, sizeof f->counts));
    const int64_t counts[] = {f->counts.left_count, f->counts.right_count, f->counts.single_count};
    for (int i = 0; i < 3; i++)
        MCO_TRY(refuse_without_block(c, (uint64_t)counts[i]));
    if (segments > INT64_MAX / sizeof *f->segment)
        MCO_TRY(mco_fail(c->ctx, MCO_ERR_PARSE, "%s: %" PRIu64 " segments, and no file has so many", c->path, segments));
    MCO_TRY(take_array(c, (void **)&f->segment, (int64_t)segments, sizeof *f->segment));
    MCO_TRY(take_array(c, (void **)&f->left, counts[0], row));
    MCO_TRY(take_array(c, (void **)&f->right, counts[1], row));
    MCO_TRY(take_array(c, (void **)&f->single, counts[2], row));
done:
    return st;
}

static mco_status check_factors(checker *c, uint64_t segments)
{
    mco_status st = MCO_OK;
    factors f = {0};
    uint64_t *row = NULL;
    MCO_TRY(refuse_without_block(c, 0));
    MCO_TRY(take_factors(c, segments, &f));
    MCO_TRY(mco_alloc(c->ctx, &row, c->walk.words));
    for (uint64_t k = 0; k < segments; k++)
        MCO_TRY(check_segment(c, &f, &f.segment[k], row));
    for (int64_t k = 0; k < f.counts.single_count; k++)
        MCO_TRY(check_row(c, f.single + k * c->walk.words));
done:
    mco_free(c->ctx, &f.segment);
    mco_free(c->ctx, &f.left);
    mco_free(c->ctx, &f.right);
    mco_free(c->ctx, &f.single);
    mco_free(c->ctx, &row);
    return st;
}

// ---- The binary file

static mco_status check_header(checker *c)
{
    mco_status st = MCO_OK;
    cycles_list_header header;
    const int64_t edges = c->is_directed ? c->simple.arcs : c->simple.arcs / 2;
    MCO_TRY(take_bytes(c, &header, sizeof header));
    if (header.is_factored > 1 || header.is_directed > 1)
        MCO_TRY(mco_fail(c->ctx, MCO_ERR_PARSE, "%s: the header says neither 0 nor 1 where it tells factored and directed", c->path));
    if ((header.is_directed != 0) != c->is_directed)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: the list is of %s cycles, %s were expected", c->path,
                        header.is_directed ? "directed" : "undirected", c->is_directed ? "directed" : "undirected");
    if (header.vertices != c->simple.vertices || header.edges != edges)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: the list is of a graph of %" PRId64 " vertices and %" PRId64
                        " edges, this one has %d and %" PRId64, c->path, header.vertices, header.edges, c->simple.vertices, edges);
    MCO_TRY(mco_alloc(c->ctx, &c->local, c->simple.vertices));
    for (int32_t v = 0; v < c->simple.vertices; v++)
        c->local[v] = -1;
done:
    return st;
}

static mco_status check_end(checker *c, uint64_t count)
{
    char more;
    if (count != (uint64_t)c->count)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: the list has %" PRId64 " cycles and states %" PRIu64, c->path, c->count, count);
    if (c->at < c->end || take_bytes(c, &more, 1) == MCO_OK)
        return mco_fail(c->ctx, MCO_ERR_PARSE, "%s: other bytes follow the end of the list", c->path);
    return MCO_OK;
}

static mco_status check_parts(checker *c)
{
    mco_status st = MCO_OK;
    cycles_part part = {0};
    MCO_TRY(check_header(c));
    while (part.kind != CYCLES_PART_END) {
        MCO_TRY(take_bytes(c, &part, sizeof part));
        switch (part.kind) {
        case CYCLES_PART_VERTICES: MCO_TRY(take_block(c, &part)); break;
        case CYCLES_PART_ROWS: MCO_TRY(check_rows(c, part.count)); break;
        case CYCLES_PART_TRIANGLES: MCO_TRY(check_triangles(c, part.count)); break;
        case CYCLES_PART_FACTORS: MCO_TRY(check_factors(c, part.count)); break;
        case CYCLES_PART_END: MCO_TRY(check_end(c, part.count)); break;
        default:
            MCO_TRY(mco_fail(c->ctx, MCO_ERR_PARSE, "%s: a part of kind %u, 1 to 5 were expected", c->path, part.kind));
        }
    }
done:
    return st;
}

// ---- The whole check

static mco_status open_list(checker *c)
{
    mco_status st = MCO_OK;
    const mco_graph_rows rows = mco_graph_view(c->graph);
    MCO_TRY(graph_simple_make(c->ctx, &rows, c->is_directed, &c->simple));
    MCO_TRY(mco_blocks_open(c->ctx, c->path, MCO_PACKING_BY_CONTENT, &c->blocks));
    c->room = FIRST_BUFFER;
    MCO_TRY(mco_alloc(c->ctx, &c->data, c->room + 1));
    MCO_TRY(fill(c));
done:
    return st;
}

static mco_status check_list(checker *c)
{
    mco_status st = MCO_OK;
    int64_t pair[2];
    const size_t mark = sizeof CYCLES_MAGIC - 1;
    MCO_TRY(open_list(c));
    if (c->end >= mark && memcmp(c->data, CYCLES_MAGIC, mark) == 0)
        MCO_TRY(check_parts(c));
    else
        MCO_TRY(check_lines(c));
    MCO_TRY(cycles_distinct_end(&c->distinct, pair));
    if (pair[0] != 0)
        st = mco_fail(c->ctx, MCO_ERR_CHECK, "%s: cycle %" PRId64 " has the vertices of cycle %" PRId64, c->path, pair[1], pair[0]);
done:
    return st;
}

mco_status cycles_check_within(mco_context *ctx, const mco_graph *graph, bool is_directed, const char *path, double memory_bytes,
                               int64_t *count, int64_t *runs)
{
    checker c = {.ctx = ctx, .graph = graph, .path = path, .is_directed = is_directed,
                 .distinct = {.ctx = ctx, .memory_bytes = memory_bytes}};
    const mco_status st = check_list(&c);
    if (st == MCO_OK)
        *count = c.count;
    *runs = c.distinct.run_count;
    clear_block(&c);
    cycles_distinct_clear(&c.distinct);
    mco_blocks_close(&c.blocks);
    graph_simple_clear(ctx, &c.simple);
    mco_free(ctx, &c.data);
    mco_free(ctx, &c.names.slots);
    mco_free(ctx, &c.name);
    mco_free(ctx, &c.sequence);
    mco_free(ctx, &c.mark);
    mco_free(ctx, &c.local);
    return st;
}

mco_status mco_cycles_check(mco_context *ctx, const mco_graph *graph, bool is_directed, const char *path, int64_t *count)
{
    int64_t runs;
    if (ctx == NULL || graph == NULL || path == NULL || count == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (is_directed && !mco_graph_view(graph).is_directed)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "directed cycles were asked for, and the graph is undirected");
    return cycles_check_within(ctx, graph, is_directed, path, HASH_SHARE * mco_settle_memory(0), count, &runs);
}
