// SPDX-License-Identifier: MIT
// Exact counts as text, and the order of the vertices around the cycle of a row.
#include <string.h>

#include "mco/cycles.h"

// ---- Numbers as text

// Digits are made in place: out = out * 2^64 + limb, from the greatest limb on. A carry is below 2^64 + 10.
const char *mco_cycles_count_text(const uint64_t *count, int32_t limbs, char *out, size_t size)
{
    __extension__ typedef unsigned __int128 wide;
    size_t digits = 1;
    if (count == NULL || out == NULL || size < 2)
        return out;
    out[0] = 0;  // least digit first
    for (int32_t k = limbs - 1; k >= 0; k--) {
        wide carry = count[k];
        for (size_t d = 0; d < digits || carry > 0; d++) {
            if (d == digits) {
                if (++digits == size) {
                    out[0] = '\0';
                    return out;
                }
                out[d] = 0;
            }
            carry += (wide)(unsigned char)out[d] << 64;
            out[d] = (char)(carry % 10);
            carry /= 10;
        }
    }
    for (size_t d = 0; d < digits / 2; d++) {
        const char digit = out[d];
        out[d] = out[digits - 1 - d];
        out[digits - 1 - d] = digit;
    }
    for (size_t d = 0; d < digits; d++)
        out[d] = (char)('0' + out[d]);
    out[digits] = '\0';
    return out;
}

// ---- The order around a cycle

// The vertices of a row in a hash table, unless they are too many.
enum { TABLE_SLOTS = 4096, TABLE_MOST = TABLE_SLOTS / 2 };

typedef struct row_view {
    const mco_graph_rows *rows;
    const mco_cycles_batch *batch;
    const uint64_t *row;
    bool is_directed;
    int32_t count, least;
    uint32_t mask;               // slots in use - 1
    int32_t slots[TABLE_SLOTS];  // vertex + 1, 0 if empty
} row_view;

static uint32_t slot_of(const row_view *view, int32_t v)
{
    uint32_t at = (uint32_t)v * 0x9e3779b1u >> 16 & view->mask;
    while (view->slots[at] != 0 && view->slots[at] != v + 1)
        at = (at + 1) & view->mask;
    return at;
}

// Counts the vertices of the row, finds the least, and puts them into the table.
static void begin_row(row_view *view)
{
    const mco_cycles_batch *batch = view->batch;
    view->count = 0;
    view->least = INT32_MAX;
    for (int32_t w = 0; w < batch->words; w++)
        view->count += (int32_t)__builtin_popcountll(view->row[w]);
    view->mask = 1;
    while (view->mask < 2 * (uint32_t)view->count && view->mask < TABLE_SLOTS - 1)
        view->mask = 2 * view->mask + 1;
    memset(view->slots, 0, ((size_t)view->mask + 1) * sizeof *view->slots);
    for (int32_t w = 0; w < batch->words; w++)
        for (uint64_t bits = view->row[w]; bits != 0; bits &= bits - 1) {
            const int32_t v = batch->vertex[64 * w + (int32_t)__builtin_ctzll(bits)];
            view->least = v < view->least ? v : view->least;
            if (view->count <= TABLE_MOST)
                view->slots[slot_of(view, v)] = v + 1;
        }
}

static bool is_in_row(const row_view *view, int32_t v)
{
    if (view->count <= TABLE_MOST)
        return view->slots[slot_of(view, v)] != 0;
    for (int32_t b = 0; b < view->batch->vertices; b++)
        if (view->batch->vertex[b] == v)
            return (view->row[b / 64] >> b % 64 & 1) != 0;
    return false;
}

static bool has_row_arc(const mco_graph_rows *rows, int32_t u, int32_t v)
{
    for (int64_t a = rows->first[u]; a < rows->first[u + 1]; a++)
        if (rows->head[a] == v)
            return true;
    return false;
}

// Notes a neighbour. Of more than two different ones the count alone tells.
static void note_neighbour(int32_t v, int32_t out[2], int32_t *count)
{
    for (int32_t k = 0; k < *count && k < 2; k++)
        if (out[k] == v)
            return;
    if (*count < 2)
        out[*count] = v;
    (*count)++;
}

// Finds the neighbours of v in the row, or the heads of its arcs there, and returns how many they are.
static int32_t find_neighbours(const row_view *view, int32_t v, int32_t out[2])
{
    int32_t count = 0;
    const mco_graph_rows *rows = view->rows;
    for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++)
        if (rows->head[a] != v && is_in_row(view, rows->head[a]))
            note_neighbour(rows->head[a], out, &count);
    for (int32_t b = 0; b < view->batch->vertices && rows->is_directed && !view->is_directed; b++)
        if ((view->row[b / 64] >> b % 64 & 1) != 0 && view->batch->vertex[b] != v && has_row_arc(rows, view->batch->vertex[b], v))
            note_neighbour(view->batch->vertex[b], out, &count);
    return count;
}

int32_t mco_cycles_order(const mco_graph *graph, const mco_cycles_batch *batch, int64_t row, bool is_directed, int32_t *out)
{
    if (graph == NULL || batch == NULL || out == NULL || row < 0 || row >= batch->count)
        return 0;
    const mco_graph_rows rows = mco_graph_view(graph);
    row_view view;
    view.rows = &rows;
    view.batch = batch;
    view.row = batch->rows + row * batch->words;
    view.is_directed = is_directed;
    begin_row(&view);
    int32_t count = 0, neighbours[2] = {0, 0};
    if (view.count < 3)
        return 0;
    for (int32_t v = view.least, before = -1; count < view.count; count++) {
        out[count] = v;
        if (find_neighbours(&view, v, neighbours) != (is_directed ? 1 : 2) || (count > 0 && v == view.least))
            return 0;
        const bool takes_second = !is_directed && (before < 0 ? neighbours[1] < neighbours[0] : neighbours[0] == before);
        before = v;
        v = neighbours[takes_second];
        if (count + 1 == view.count && v != view.least)
            return 0;
    }
    return count;
}
