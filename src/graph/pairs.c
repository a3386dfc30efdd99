// SPDX-License-Identifier: MIT
#include "graph/pairs.h"

#include <inttypes.h>
#include <string.h>

#include "base/grow.h"
#include "base/names.h"

void graph_pairs_begin(graph_pairs *p, graph_draft *draft, bool is_by_name)
{
    const bool must_be_numbers = p->must_be_numbers;
    if (p->draft != NULL)
        graph_pairs_clear(p);
    graph_edges_clear(draft->ctx, &draft->edges);
    draft->is_directed = false;
    *p = (graph_pairs){.draft = draft, .is_by_name = is_by_name, .must_be_numbers = must_be_numbers, .greatest = -1,
                       .vertices = -1, .edges = -1, .base = -1};
}

void graph_pairs_clear(graph_pairs *p)
{
    graph_names_clear(p->draft->ctx, &p->names);
    mco_free(p->draft->ctx, &p->declared);
}

// ---- Words

// The word without its double quotes.
static mco_status unquote(mco_text *text, mco_slice word, mco_slice *inside)
{
    *inside = word;
    if (word.size == 0 || word.data[0] != '"')
        return MCO_OK;
    if (word.size < 2 || word.data[word.size - 1] != '"')
        return mco_text_fail(text, word.line, word.column, "the quote before the vertex is not closed");
    *inside = mco_slice_behind(word, 1);
    inside->size--;
    return MCO_OK;
}

static mco_status take_number(graph_pairs *p, mco_slice word, int32_t *vertex)
{
    const char *end = graph_scan_vertex(word.data, vertex);
    if (end != NULL && end == word.data + word.size) {
        graph_pairs_note(p, *vertex);
        return MCO_OK;
    }
    *vertex = 0;
    p->wants_names = true;
    if (!p->must_be_numbers)
        return MCO_OK;
    return mco_text_fail(p->draft->text, word.line, word.column, "the vertex is \"%.*s\", a number from 0 to %d was expected",
                         mco_slice_shown(word), word.data, MCO_GRAPH_MAX_VERTICES);
}

mco_status graph_pairs_vertex(graph_pairs *p, mco_slice word, bool is_cell, int32_t *vertex)
{
    mco_status st = MCO_OK;
    mco_slice name = word;
    if (!p->is_by_name)
        return take_number(p, word, vertex);
    if (!is_cell)
        MCO_TRY(unquote(p->draft->text, word, &name));
    if (name.size == 0)
        return mco_text_fail(p->draft->text, word.line, word.column, "the name of a vertex is empty");
    MCO_TRY(graph_names_add(p->draft->ctx, &p->names, name, true, vertex));
done:
    return st;
}

mco_status graph_pairs_declare(graph_pairs *p, mco_slice word, bool is_cell)
{
    mco_status st = MCO_OK;
    int32_t vertex;
    MCO_TRY(graph_pairs_vertex(p, word, is_cell, &vertex));
    if (p->is_by_name)
        return MCO_OK;
    MCO_TRY(mco_grow(p->draft->ctx, &p->declared, &p->declared_room, p->declared_count + 1));
    p->declared[p->declared_count++] = vertex;
done:
    return st;
}

// ---- Comments

// Reads the pairs "word: number" at the begin of a comment; stops at anything else.
static mco_status read_counts(graph_pairs *p, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_slice word, value;
    int64_t number;
    while (mco_slice_token(&rest, &word) && word.size > 1 && word.data[word.size - 1] == ':' && mco_slice_token(&rest, &value)) {
        const char *end = value.data;
        for (number = 0; end < value.data + value.size && (unsigned)(*end - '0') < 10 && number < INT64_MAX / 100; end++)
            number = 10 * number + (*end - '0');
        if (end != value.data + value.size)
            break;
        word.size--;
        if (mco_slice_is(word, "nodes") || mco_slice_is(word, "vertices")) {
            MCO_TRY(graph_refuse_vertices(p->draft->text, value, number));
            p->vertices = number;
            p->stated_at = value;
        } else if (mco_slice_is(word, "edges")) {
            p->edges = number;
        } else if (mco_slice_is(word, "from") && number <= 1) {
            p->base = (int32_t)number;
        }
    }
done:
    return st;
}

// "# ids: names". It stands before the edges.
static mco_status read_ids(graph_pairs *p, mco_slice comment)
{
    mco_name_finder finder = {.what = "the vertex"};
    const mco_status st = mco_names_read_comment(&finder, p->draft->text, comment);
    p->is_stated |= finder.ids == MCO_IDS_NAMES;
    p->wants_names |= p->is_stated && !p->is_by_name;
    if (finder.ids == MCO_IDS_ROWS)
        p->must_be_numbers = true;
    return st;
}

static mco_status refuse_comment(graph_pairs *p, mco_slice line, mco_slice word)
{
    mco_text *text = p->draft->text;
    if (mco_slice_is(word, "%MatrixMarket"))
        return mco_text_fail(text, line.line, line.column, "Matrix Market files are not supported; without the comments and the "
                             "line of sizes this is a list of edges");
    if (line.data[0] == '%' && mco_slice_is(word, "bip"))
        return mco_text_fail(text, line.line, line.column, "the file numbers the two sides of a bipartite graph each from 1, "
                             "which is not supported; give them different names");
    return MCO_OK;
}

mco_status graph_pairs_comment(graph_pairs *p, mco_slice line)
{
    mco_status st = MCO_OK;
    mco_slice word;
    mco_slice comment = mco_slice_trim(mco_slice_behind(line, 1)), rest = comment;
    mco_slice_token(&rest, &word);
    MCO_TRY(refuse_comment(p, line, word));
    if (word.size > 0 && word.data[word.size - 1] == ':')
        word.size--;
    if (mco_slice_is(word, "directed") || (line.data[0] == '%' && mco_slice_is(word, "asym")))
        p->draft->is_directed = true;
    if (mco_slice_is(word, "vertex") && word.data[word.size] == ':') {
        rest = mco_slice_trim(rest);
        if (rest.size > 0)
            MCO_TRY(graph_pairs_declare(p, rest, false));
    }
    MCO_TRY(read_counts(p, comment));
    MCO_TRY(read_ids(p, comment));
done:
    return st;
}

// ---- The end

// Vertices of numbers that are far apart, by hashing.
typedef struct sparse {
    mco_context *ctx;
    int32_t *numbers;  // [count] in the order of first appearance
    int64_t room;
    int32_t *slots;    // [slot_count] index + 1, or 0
    uint64_t slot_count;
    int32_t count;
} sparse;

static uint64_t slot_of(const sparse *s, int32_t number)
{
    uint64_t slot = ((uint64_t)(uint32_t)number * 0x9e3779b97f4a7c15u >> 32) & (s->slot_count - 1);
    while (s->slots[slot] != 0 && s->numbers[s->slots[slot] - 1] != number)
        slot = (slot + 1) & (s->slot_count - 1);
    return slot;
}

static mco_status grow_sparse(sparse *s)
{
    enum { FIRST = 64 };
    mco_status st = MCO_OK;
    if (2 * ((uint64_t)s->count + 1) <= s->slot_count)
        return MCO_OK;
    s->slot_count = s->slot_count == 0 ? FIRST : 2 * s->slot_count;
    mco_free(s->ctx, &s->slots);
    MCO_TRY(mco_alloc(s->ctx, &s->slots, s->slot_count));
    for (int32_t k = 0; k < s->count; k++)
        s->slots[slot_of(s, s->numbers[k])] = k + 1;
done:
    return st;
}

// Replaces a number by the index of its vertex.
static mco_status make_dense(sparse *s, int32_t *number)
{
    mco_status st = MCO_OK;
    MCO_TRY(grow_sparse(s));
    const uint64_t slot = slot_of(s, *number);
    if (s->slots[slot] == 0) {
        MCO_TRY(mco_grow(s->ctx, &s->numbers, &s->room, (int64_t)s->count + 1));
        s->numbers[s->count++] = *number;
        s->slots[slot] = s->count;
    }
    *number = s->slots[slot] - 1;
done:
    return st;
}

static mco_status end_sparse(graph_pairs *p, int64_t span)
{
    mco_status st = MCO_OK;
    graph_draft *d = p->draft;
    sparse s = {.ctx = d->ctx};
    for (int64_t k = 0; k < d->edges.count; k++) {
        MCO_TRY(make_dense(&s, &d->edges.from[k]));
        MCO_TRY(make_dense(&s, &d->edges.to[k]));
    }
    for (int64_t k = 0; k < p->declared_count; k++)
        MCO_TRY(make_dense(&s, &p->declared[k]));
    MCO_TRY(graph_numbers_block(d->ctx, s.numbers, s.count, &d->names, &d->base));
    d->vertices = s.count;
    mco_log(d->ctx, MCO_LOG_INFO, "%s: numbers of vertices reach %" PRId64 ", and %d of them occur: only these are vertices, and "
            "the numbers are their names", d->text->name, span - 1 + (p->has_zero ? 0 : 1), s.count);
    if (p->vertices >= 0 && p->vertices != s.count)
        mco_log(d->ctx, MCO_LOG_WARNING, "%s:%" PRId64 ":%" PRId64 ": %" PRId64 " vertices are stated, %d occur", d->text->name,
                p->stated_at.line, p->stated_at.column, p->vertices, s.count);
done:
    mco_free(d->ctx, &s.slots);
    mco_free(d->ctx, &s.numbers);
    return st;
}

static mco_status end_numbers(graph_pairs *p)
{
    enum { FREE_GAPS = 1 << 16, GAPS_OF_EDGE = 4 };  // a number counts as near if so many vertices lack edges at most
    graph_draft *d = p->draft;
    const int32_t base = p->has_zero ? 0 : p->base >= 0 ? p->base : 1;
    const int64_t span = p->greatest < 0 ? 0 : (int64_t)p->greatest - base + 1;
    const bool is_dense = p->vertices >= 0 ? p->vertices >= span : span <= GAPS_OF_EDGE * d->edges.count + FREE_GAPS;
    if (!is_dense)
        return end_sparse(p, span);
    for (int64_t k = 0; k < d->edges.count && base > 0; k++) {
        d->edges.from[k] -= base;
        d->edges.to[k] -= base;
    }
    d->base = base;
    d->vertices = (int32_t)(p->vertices >= 0 ? p->vertices : span);
    return MCO_OK;
}

mco_status graph_pairs_end(graph_pairs *p)
{
    graph_draft *d = p->draft;
    if (p->edges >= 0 && p->edges != d->edges.count)
        mco_log(d->ctx, MCO_LOG_WARNING, "%s: %" PRId64 " edges are stated, %" PRId64 " are there", d->text->name, p->edges,
                d->edges.count);
    if (!p->is_by_name)
        return end_numbers(p);
    d->vertices = p->names.count;
    return graph_names_block(d->ctx, &p->names, NULL, &d->names, &d->base);
}
