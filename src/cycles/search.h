// SPDX-License-Identifier: MIT
// The inside of the depth-first search for chordless cycles: what the driver (search.c) and the walkers of each width
// (search_lanes.c) share.
//
// A node of the search is a chordless path through the root, which grows at both ends. It is held as three sets: P, by which one
// end may grow, Q, by which the other end may, and R, the vertices that touch no vertex of the path. A vertex that touches both
// ends closes a cycle and can do nothing else, so neither P nor Q holds it. To grow by w from Q:
//     closers = N(w) & P,  Q' = N(w) & R,  P' = P - N(w),  R' = R - N(w).
// The new path is a node if P' and Q' have vertices. It grows at the end with fewer choices, which halves the tree.
// The root is the least vertex of the cycle in the order of the rows, or a vertex that all cycles must hold.
// In a directed graph P holds vertices before the path and Q vertices behind it, or the other way round; "touches" means an arc
// in either direction, and a vertex with arcs in both directions to an end can never join.
#ifndef MCO_CYCLES_SEARCH_H
#define MCO_CYCLES_SEARCH_H

#include "base/simd.h"
#include "cycles/block.h"

enum {
    SEARCH_WIDEST = 16,                    // words of the widest set; larger graphs are searched by lists (search_sparse.c)
    SEARCH_MOST = 64 * SEARCH_WIDEST,      // vertices
    SEARCH_LANES = 8,                      // most nodes that a walker takes at a time
    SEARCH_NOTES = 4 * SEARCH_LANES,       // paths that close are noted and settled so many at a time
    SEARCH_SLACK = 2 * SEARCH_LANES        // entries beyond the top of a stack that a walker may write
};

// Rows of bits. near: all neighbours. grows[0]: by whom an end grows that follows the arcs, grows[1]: one that goes against them.
// All three are the same for an undirected graph. Row v begins at v * words.
typedef struct search_rows {
    int32_t vertices, words;
    const uint64_t *near, *grows[2];
} search_rows;

// Nodes to be done, as a structure of arrays: field f of entry e is field[f * room + e]. Fields: R, P, Q of `words` each, then
// the length of the path and in bit 32 the direction of Q's end, then the path's set if sets are kept.
typedef struct search_stack {
    uint64_t *field;
    int64_t room, top;
} search_stack;

typedef struct search_walker {
    search_rows rows;
    search_stack stack;
    bool is_directed, keeps_paths, checks;  // checks: a node must have a way from Q to P
    bool is_listing;
    int32_t min_length, max_length;
    int32_t required_count;
    uint64_t required[SEARCH_WIDEST];  // every cycle holds these; needs paths
    uint64_t *tally;                   // [(vertices + 3) * SEARCH_LANES] cycles by length and lane
    uint64_t *list;                    // [list_room * list_words]
    int64_t list_count, list_room;     // it stops where fewer than SEARCH_NOTES * vertices rows are left
    int32_t list_words;                // (vertices + 63) / 64
    int64_t nodes;
    uint64_t cycles;  // of all lengths, for the choice of `checks`
    void (*flush)(struct search_walker *walker);  // empties the list; for search_root_begin()
} search_walker;

// Does about `steps` steps of up to SEARCH_LANES nodes each; ends earlier if the stack is empty or the list is full.
typedef void search_walk(search_walker *walker, int64_t steps);

// Cycles that a path closes which can grow once and no further: pairs of a vertex of P and one of Q that are neighbours.
typedef uint64_t search_pairs(const search_rows *rows, const uint64_t *p, const uint64_t *q);

// What each vector unit exports.
typedef struct search_build {
    mco_build build;
    search_walk *walk[5];  // for 1, 2, 4, 8 and 16 words
    search_pairs *pairs;
} search_build;
// How the search works; tests force what is chosen otherwise.
typedef struct search_choice {
    mco_simd simd;          // AUTO: the widest of this processor
    int32_t least, widest;  // words of the sets: powers of two; widest 0: lists only
    int checks;             // tests for a way between the ends: 0 or 1; -1: by measurement
    double alone_s;         // threads start after this time
} search_choice;
#define SEARCH_CHOICE_INIT { .least = 1, .widest = SEARCH_WIDEST, .checks = -1, .alone_s = 0.002 }

// cycles_search() with a choice.
mco_status cycles_search_with(cycles_job *job, const search_choice *choice);

static inline int search_width_index(int32_t words)
{
    return words <= 1 ? 0 : words <= 2 ? 1 : words <= 4 ? 2 : words <= 8 ? 3 : 4;
}
static inline int64_t search_fields(int32_t words, bool keeps_paths)
{
    return (keeps_paths ? 4 : 3) * (int64_t)words + 1;
}

#endif
