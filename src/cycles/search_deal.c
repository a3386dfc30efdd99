// SPDX-License-Identifier: MIT
#include "cycles/search_deal.h"

#include <string.h>

// Nodes of a root before they are dealt, for each part; and how many are grown at most, since all parts do this work.
enum { NODES_PER_PART = 64, NODES_MOST = 4096, GROWN_PER_NODE = 4 };

int64_t search_deal_room(int parts)
{
    if (parts <= 1)
        return 0;
    return parts < NODES_MOST / NODES_PER_PART ? (int64_t)NODES_PER_PART * parts : NODES_MOST;
}

typedef struct node {
    uint64_t r[SEARCH_WIDEST], p[SEARCH_WIDEST], q[SEARCH_WIDEST], path[SEARCH_WIDEST];
    uint64_t length;  // of the path; bit 32: the direction of Q's end
} node;

static void load(const search_walker *w, int64_t at, node *x)
{
    const int32_t words = w->rows.words;
    const uint64_t *from = w->stack.field + at;
    for (int32_t i = 0; i < words; i++) {
        x->r[i] = from[i * w->stack.room];
        x->p[i] = from[(words + i) * w->stack.room];
        x->q[i] = from[(2 * words + i) * w->stack.room];
        x->path[i] = w->keeps_paths ? from[(3 * words + 1 + i) * w->stack.room] : 0;
    }
    x->length = from[3 * words * w->stack.room];
}

static void store(search_walker *w, const node *x)
{
    const int32_t words = w->rows.words;
    uint64_t *to = w->stack.field + w->stack.top++;
    for (int32_t i = 0; i < words; i++) {
        to[i * w->stack.room] = x->r[i];
        to[(words + i) * w->stack.room] = x->p[i];
        to[(2 * words + i) * w->stack.room] = x->q[i];
        if (w->keeps_paths)
            to[(3 * words + 1 + i) * w->stack.room] = x->path[i];
    }
    to[3 * words * w->stack.room] = x->length;
}

static void move(search_stack *s, int64_t fields, int64_t from, int64_t to)
{
    for (int64_t f = 0; f < fields; f++)
        s->field[f * s->room + to] = s->field[f * s->room + from];
}

static uint64_t size_of(const uint64_t *set, int32_t words)
{
    uint64_t size = 0;
    for (int32_t i = 0; i < words; i++)
        size += (uint64_t)__builtin_popcountll(set[i]);
    return size;
}

// Leaves to c [words] the closers by which all required vertices are on the cycle. False: the grown path cannot hold them all.
static bool require(const search_walker *w, const node *x, uint64_t *c)
{
    uint64_t missing[SEARCH_WIDEST], blocked = 0;
    const int32_t words = w->rows.words;
    for (int32_t i = 0; i < words; i++) {
        missing[i] = w->required[i] & ~x->path[i];
        blocked |= missing[i] & ~(x->p[i] | x->q[i] | x->r[i]);
    }
    const uint64_t count = size_of(missing, words);
    for (int32_t i = 0; i < words && count > 0; i++)
        c[i] = count == 1 ? c[i] & missing[i] : 0;
    return blocked == 0;
}

// Grows x by vertex v of its Q, as search_words.h does: tallies the cycles that close, and stores the longer path if it is a node.
static void grow(search_walker *w, const node *x, int32_t v, bool tallies)
{
    const int32_t words = w->rows.words, size = (int32_t)(x->length & UINT32_MAX);
    const uint64_t *near = w->rows.near + (int64_t)v * words;
    const uint64_t *grows = w->is_directed ? w->rows.grows[x->length >> 32] + (int64_t)v * words : near;
    uint64_t c[SEARCH_WIDEST];
    node child = {.length = x->length + 1};
    for (int32_t i = 0; i < words; i++) {
        c[i] = x->p[i] & grows[i];
        child.q[i] = x->r[i] & grows[i];
        child.p[i] = x->p[i] & ~near[i];
        child.r[i] = x->r[i] & ~near[i];
        child.path[i] = x->path[i] | (v / 64 == i ? (uint64_t)1 << (v % 64) : 0);
    }
    const bool may_go_on = (w->required_count == 0 || require(w, &child, c)) && size <= w->max_length - 3;
    const uint64_t closed = size_of(c, words), q = size_of(child.q, words), p = size_of(child.p, words);
    if (tallies) {
        w->tally[((int64_t)size + 2) * SEARCH_LANES] += closed;
        w->cycles += closed;
        w->nodes++;
    }
    if (!may_go_on || p == 0 || q == 0)
        return;
    if (q > p) {  // the end with fewer choices grows next
        node swapped = child;
        memcpy(swapped.p, child.q, sizeof child.q);
        memcpy(swapped.q, child.p, sizeof child.p);
        swapped.length ^= w->is_directed ? (uint64_t)1 << 32 : 0;
        store(w, &swapped);
        return;
    }
    store(w, &child);
}

static void grow_all(search_walker *w, int64_t at, bool tallies)
{
    node x;
    load(w, at, &x);
    for (int32_t i = 0; i < w->rows.words; i++)
        for (uint64_t left = x.q[i]; left != 0; left &= left - 1)
            grow(w, &x, 64 * i + __builtin_ctzll(left), tallies);
}

void search_deal(const search_block *b, const search_root *root, search_walker *w)
{
    enum { BY_ROOT = 5 };  // lengths that search_root_begin() tallies are below this
    const cycles_job *job = b->job;
    search_stack *s = &w->stack;
    const bool tallies = root->root % job->parts == job->part;
    const int64_t fields = search_fields(w->rows.words, w->keeps_paths), wanted = search_deal_room(job->parts);
    const int64_t nodes = w->nodes;
    const uint64_t cycles = w->cycles;
    uint64_t before[BY_ROOT];
    int64_t first = 0, grown = 0;
    for (int k = 0; k < BY_ROOT; k++)
        before[k] = w->tally[k * SEARCH_LANES];
    search_root_begin(b, root, w);
    for (int k = 0; k < BY_ROOT && !tallies; k++)
        w->tally[k * SEARCH_LANES] = before[k];
    w->nodes = tallies ? w->nodes : nodes;
    w->cycles = tallies ? w->cycles : cycles;
    // It ends: each step takes one node, and their number is limited.
    for (; first < s->top && s->top - first < wanted && grown < GROWN_PER_NODE * wanted; grown++) {
        if (s->top + w->rows.vertices > s->room - SEARCH_SLACK) {
            for (int64_t k = first; k < s->top; k++)
                move(s, fields, k, k - first);
            s->top -= first;
            first = 0;
        }
        grow_all(w, first++, tallies);
    }
    int64_t kept = 0;
    for (int64_t k = first; k < s->top; k++)
        if ((k - first + root->root) % job->parts == job->part)
            move(s, fields, k, kept++);
    s->top = kept;
}
