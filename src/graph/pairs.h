// SPDX-License-Identifier: MIT
// Edges as pairs of words, from edge lists and CSV. The words of a file are either all numbers or all names.
//
// A reader begins by numbers. The first word that is none sets `wants_names`; then the reader begins anew, by names.
// Comments state what the lines do not show:
//     # directed                          or undirected; "# Directed graph ..." of SNAP
//     # vertices: 12 edges: 17 from: 0    "Nodes" is the same as "vertices"
//     # ids: names                        or rows: names that look like numbers, or numbers only
//     # vertex: "Old Bridge"              a vertex, so that those without edges are there, and the order stays
#ifndef MCO_GRAPH_PAIRS_H
#define MCO_GRAPH_PAIRS_H

#include "graph/names.h"
#include "graph/reader.h"

typedef struct graph_pairs {
    graph_draft *draft;
    bool is_by_name, wants_names, must_be_numbers;
    bool is_stated;           // a comment says that words are names
    graph_names names;
    int32_t greatest;         // number so far; -1: none
    bool has_zero;
    int32_t *declared;        // [declared_count] numbers of vertices that were declared, perhaps without edges
    int64_t declared_count, declared_room;
    int64_t vertices, edges;  // as a comment states; -1: not stated
    int32_t base;             // as a comment states; -1: not stated
    mco_slice stated_at;
} graph_pairs;

// Begins to read: by names if `is_by_name`. What was read before is released.
void graph_pairs_begin(graph_pairs *pairs, graph_draft *draft, bool is_by_name);
// Notes numbers that a reader has scanned itself.
static inline void graph_pairs_note(graph_pairs *pairs, int32_t number)
{
    pairs->greatest = number > pairs->greatest ? number : pairs->greatest;
    pairs->has_zero |= number == 0;
}
// The number of a word, or the index of its name. A word in quotes is a name; the cell of a table has lost its quotes. Errors:
// PARSE (no number, where only numbers are allowed), MEMORY.
mco_status graph_pairs_vertex(graph_pairs *pairs, mco_slice word, bool is_cell, int32_t *vertex);
// The same for a vertex that stands alone.
mco_status graph_pairs_declare(graph_pairs *pairs, mco_slice word, bool is_cell);
// Reads what a comment states; others say nothing. Errors: PARSE, LIMIT, MEMORY.
mco_status graph_pairs_comment(graph_pairs *pairs, mco_slice line);
// Completes the draft: its vertices, base and names. Errors: MEMORY.
mco_status graph_pairs_end(graph_pairs *pairs);
void graph_pairs_clear(graph_pairs *pairs);

#endif
