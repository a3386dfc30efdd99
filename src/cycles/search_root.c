// SPDX-License-Identifier: MIT
#include "cycles/search_root.h"

#include <string.h>

#include "cycles/search_order.h"

// Up to here all roots share the rows of the whole block: sets of two words are as fast as shorter ones.
enum { SHARED_MOST = 128 };

static inline void put_bit(uint64_t *set, int32_t v)
{
    set[v / 64] |= (uint64_t)1 << (v % 64);
}

static inline bool has_bit(const uint64_t *set, int32_t v)
{
    return set[v / 64] >> (v % 64) & 1;
}

static int32_t words_for(const search_block *b, int32_t vertices)
{
    int32_t words = b->least;
    while (64 * words < vertices)
        words *= 2;
    return words;
}

static int tables_of(const search_block *b)
{
    return b->job->is_directed ? 3 : 1;
}

// ---- Rows

// Lays out rows of `count` vertices in `bits`, all zero.
static search_rows clear_rows(const search_block *b, uint64_t *bits, int32_t count)
{
    const int32_t words = words_for(b, count);
    const int64_t size = (int64_t)count * words;
    memset(bits, 0, (size_t)(tables_of(b) * size) * sizeof *bits);
    return (search_rows){.vertices = count, .words = words, .near = bits,
                         .grows = {b->job->is_directed ? bits + size : bits, b->job->is_directed ? bits + 2 * size : bits}};
}

// Fills the rows of vertex `label`, whose number is `own`; number[w] - 1 is the number of w, NULL: its label.
static void fill_row(const search_block *b, uint64_t *bits, const search_rows *rows, int32_t label, int32_t own,
                     const int32_t *number)
{
    const int64_t size = (int64_t)rows->vertices * rows->words;
    uint64_t *near = bits + (int64_t)own * rows->words, *forth = near + size, *back = forth + size;
    const bool is_directed = b->job->is_directed;
    for (int64_t a = b->out.first[label]; a < b->out.first[label + 1]; a++) {
        const int32_t w = number != NULL ? number[b->out.head[a]] - 1 : b->out.head[a];
        if (w < 0)
            continue;
        put_bit(near, w);
        if (is_directed)
            put_bit(forth, w);
    }
    if (!is_directed)
        return;
    for (int64_t a = b->in.first[label]; a < b->in.first[label + 1]; a++) {
        const int32_t w = number != NULL ? number[b->in.head[a]] - 1 : b->in.head[a];
        if (w < 0)
            continue;
        put_bit(near, w);
        put_bit(back, w);
    }
    for (int32_t i = 0; i < rows->words; i++) {  // arcs in both directions join nothing
        const uint64_t both = forth[i] & back[i];
        forth[i] ^= both;
        back[i] ^= both;
    }
}

// ---- The block

// Moves the required vertices to the front: the first of them is the only root.
static void put_required_first(search_block *b)
{
    const cycles_job *job = b->job;
    const int32_t n = job->block->graph.vertices;
    for (int32_t k = job->through_count; k-- > 0;) {
        int32_t at = 0;
        while (b->vertex[at] != job->through[k])
            at++;
        memmove(b->vertex + 1, b->vertex, (size_t)at * sizeof *b->vertex);
        b->vertex[0] = job->through[k];
    }
    b->roots = job->through_count > 0 ? 1 : n;
    b->required = job->through_count > 0 ? job->through_count - 1 : 0;
}

mco_status search_block_make(cycles_job *job, const search_choice *choice, search_block *out)
{
    mco_status st = MCO_OK;
    mco_context *ctx = job->ctx;
    const int32_t n = job->block->graph.vertices;
    search_block *b = out;
    *b = (search_block){.job = job, .least = choice->least};
    MCO_TRY(mco_alloc(ctx, &b->vertex, n));
    MCO_TRY(mco_alloc(ctx, &b->block_vertex, n));
    MCO_TRY(cycles_degree_labels(ctx, job->run, &job->block->graph, job->is_directed, b->vertex));
    put_required_first(b);
    for (int32_t v = 0; v < n; v++)
        b->block_vertex[v] = job->block->vertex[b->vertex[v]];
    MCO_TRY(cycles_relabel(ctx, &job->block->graph, b->vertex, &b->out));
    if (job->is_directed)
        MCO_TRY(cycles_reverse(ctx, &b->out, &b->in));
    if (n <= SHARED_MOST && choice->widest > 0) {
        MCO_TRY(mco_alloc(ctx, &b->bits, (int64_t)tables_of(b) * n * words_for(b, n)));
        b->rows = clear_rows(b, b->bits, n);
        for (int32_t v = 0; v < n; v++)
            fill_row(b, b->bits, &b->rows, v, v, NULL);
    }
done:
    return st;
}

void search_block_clear(search_block *b)
{
    if (b->job == NULL)
        return;
    mco_context *ctx = b->job->ctx;
    graph_simple_clear(ctx, &b->out);
    graph_simple_clear(ctx, &b->in);
    mco_free(ctx, &b->vertex);
    mco_free(ctx, &b->block_vertex);
    mco_free(ctx, &b->bits);
}

// ---- A root

static int64_t own_bits(const search_block *b)
{
    const int32_t n = b->job->block->graph.vertices, most = n < SEARCH_MOST ? n : SEARCH_MOST;
    return b->rows.words > 0 ? 0 : (int64_t)tables_of(b) * most * words_for(b, most);
}

double search_root_bytes(const search_block *b)
{
    return 8.0 * (double)own_bits(b) + 8.0 * b->job->block->graph.vertices;
}

mco_status search_root_make(const search_block *b, search_root *out)
{
    mco_status st = MCO_OK;
    mco_context *ctx = b->job->ctx;
    const int32_t n = b->job->block->graph.vertices;
    *out = (search_root){.is_own = b->rows.words == 0};
    MCO_TRY(mco_alloc(ctx, &out->bits, own_bits(b)));
    MCO_TRY(mco_alloc(ctx, &out->number, n));
    MCO_TRY(mco_alloc(ctx, &out->vertex, n));
    for (int32_t v = 0; v < n; v++)
        out->vertex[v] = v;
done:
    return st;
}

void search_root_clear(mco_context *ctx, search_root *root)
{
    mco_free(ctx, &root->bits);
    mco_free(ctx, &root->number);
    mco_free(ctx, &root->vertex);
}

// The first arc of v that leads behind the root. Rows ascend.
static int64_t first_behind(const graph_simple *g, int32_t root, int32_t v)
{
    int64_t low = g->first[v], high = g->first[v + 1];
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (g->head[middle] <= root)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// Adds the neighbours of v behind the root that are new, up to one more than `most` vertices: long rows are not read to the end.
static void reach_from(const graph_simple *g, search_root *r, int32_t v, int32_t most)
{
    for (int64_t a = first_behind(g, r->root, v); a < g->first[v + 1] && r->vertices <= most; a++) {
        const int32_t w = g->head[a];
        if (r->number[w] != 0)
            continue;
        r->vertex[r->vertices++] = w;
        r->number[w] = r->vertices;
    }
}

// Breadth first, as far as half of the longest cycle.
static void reach(const search_block *b, search_root *r, int32_t most)
{
    int32_t level_end = 1, radius = b->job->max_length / 2;
    r->vertices = 1;
    r->vertex[0] = r->root;
    r->number[r->root] = 1;
    for (int32_t k = 0; k < r->vertices && r->vertices <= most; k++) {
        if (k == level_end) {
            level_end = r->vertices;
            radius--;
        }
        if (radius == 0)
            break;
        reach_from(&b->out, r, r->vertex[k], most);
        if (b->job->is_directed)
            reach_from(&b->in, r, r->vertex[k], most);
    }
}

int32_t search_root_gather(const search_block *b, search_root *r, int32_t label, int32_t most, search_rows *rows)
{
    if (!r->is_own) {
        r->root = r->local = label;
        r->vertices = b->rows.vertices;
        *rows = b->rows;
        return r->vertices;
    }
    for (int32_t k = 0; k < r->vertices; k++)
        r->number[r->vertex[k]] = 0;
    r->root = label;
    r->local = 0;
    reach(b, r, most);
    if (r->vertices > most)
        return most + 1;
    for (int32_t v = 1; v <= b->required; v++)
        if (r->number[v] == 0)
            return 0;
    *rows = clear_rows(b, r->bits, r->vertices);
    for (int32_t k = 0; k < r->vertices; k++)
        fill_row(b, r->bits, rows, r->vertex[k], k, r->number);
    return r->vertices;
}

// ---- The first nodes

typedef struct start_sets {
    uint64_t ahead[SEARCH_WIDEST];   // vertices behind the root that touch it not
    uint64_t before[SEARCH_WIDEST], after[SEARCH_WIDEST];  // by which the root's two sides begin; equal if undirected
} start_sets;

static void list_triangle(search_walker *w, int32_t a, int32_t b, int32_t c)
{
    uint64_t *row = w->list + w->list_count++ * w->list_words;
    memset(row, 0, (size_t)w->list_words * sizeof *row);
    put_bit(row, a);
    put_bit(row, b);
    put_bit(row, c);
}

// Directed cycles x -> root -> y -> x.
static void find_triangles(search_walker *w, const start_sets *s, int32_t root, int32_t x)
{
    const int32_t words = w->rows.words;
    if (w->is_listing && w->list_count + w->rows.vertices > w->list_room)
        w->flush(w);
    for (int32_t i = 0; i < words; i++) {
        uint64_t left = s->after[i] & w->rows.grows[1][(int64_t)x * words + i];
        for (; left != 0; left &= left - 1) {
            const int32_t y = 64 * i + __builtin_ctzll(left);
            if (has_bit(w->required, x) + has_bit(w->required, y) < w->required_count)
                continue;
            w->tally[3 * SEARCH_LANES]++;
            if (w->is_listing)
                list_triangle(w, root, x, y);
        }
    }
}

// Pushes the path x, root, whose other end grows by what follows x in `after`, or by all of it if directed. Where that end
// can grow once only, the cycles are counted at once: so it is in complete bipartite graphs.
static void push(const search_block *b, search_walker *w, const start_sets *s, int32_t root, int32_t x)
{
    const int32_t words = w->rows.words;
    const int64_t room = w->stack.room;
    const uint64_t *near = w->rows.near + (int64_t)x * words, *back = w->rows.grows[1] + (int64_t)x * words;
    uint64_t p[SEARCH_WIDEST], q[SEARCH_WIDEST], any_p = 0, any_q = 0, any_r = 0;
    for (int32_t i = 0; i < words; i++) {
        const uint64_t behind = w->is_directed || i > x / 64 ? ~(uint64_t)0 : i < x / 64 ? 0 : ~(uint64_t)1 << (x % 64);
        q[i] = s->after[i] & ~near[i] & behind;
        p[i] = s->ahead[i] & back[i];
        any_q |= q[i];
        any_p |= p[i];
        any_r |= s->ahead[i] & ~near[i];
    }
    if (any_p == 0 || any_q == 0)
        return;
    if (any_r == 0 && !w->is_directed && !w->keeps_paths) {
        const uint64_t pairs = b->build->pairs(&w->rows, p, q);
        w->tally[4 * SEARCH_LANES] += pairs;
        w->cycles += pairs;
        w->nodes++;
        return;
    }
    uint64_t *to = w->stack.field + w->stack.top++;
    for (int32_t i = 0; i < words; i++) {
        to[i * room] = s->ahead[i] & ~near[i];
        to[(words + i) * room] = p[i];
        to[(2 * words + i) * room] = q[i];
        if (w->keeps_paths)
            to[(3 * words + 1 + i) * room] = (root / 64 == i ? (uint64_t)1 << (root % 64) : 0) |
                                             (x / 64 == i ? (uint64_t)1 << (x % 64) : 0);
    }
    to[3 * words * room] = 2;
}

void search_root_require(const search_block *b, const search_root *r, search_walker *w)
{
    memset(w->required, 0, sizeof w->required);
    w->required_count = b->required;
    for (int32_t v = 1; v <= b->required; v++)
        put_bit(w->required, r->is_own ? r->number[v] - 1 : v);
}

void search_root_begin(const search_block *b, const search_root *r, search_walker *w)
{
    const int32_t words = w->rows.words, root = r->local, n = w->rows.vertices;
    const int64_t row = (int64_t)root * words;
    start_sets s = {0};
    for (int32_t i = 0; i < words; i++) {
        const int32_t first = root + 1 - 64 * i, end = n - 64 * i;  // vertices behind the root, in this word
        const uint64_t from = first <= 0 ? ~(uint64_t)0 : first >= 64 ? 0 : ~(uint64_t)0 << first;
        const uint64_t behind = from & (end >= 64 ? ~(uint64_t)0 : end <= 0 ? 0 : ((uint64_t)1 << end) - 1);
        s.ahead[i] = behind & ~w->rows.near[row + i];
        s.after[i] = behind & w->rows.grows[0][row + i];
        s.before[i] = behind & w->rows.grows[1][row + i];
    }
    for (int32_t i = 0; i < words; i++)
        for (uint64_t left = s.before[i]; left != 0; left &= left - 1) {
            const int32_t x = 64 * i + __builtin_ctzll(left);
            if (w->is_directed && w->min_length <= 3)
                find_triangles(w, &s, root, x);
            if (w->max_length >= 4)
                push(b, w, &s, root, x);
        }
}
