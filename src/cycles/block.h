// SPDX-License-Identifier: MIT
// What the methods work on: one biconnected block at a time, with vertices 0..n-1 of its own. Every chordless cycle lies in one
// block, and longer cycles only where a block has 4 vertices and more.
#ifndef MCO_CYCLES_BLOCK_H
#define MCO_CYCLES_BLOCK_H

#include "base/run.h"
#include "graph/graph.h"
#include "mco/cycles.h"

typedef struct cycles_block {
    graph_simple graph;  // of the block alone; undirected, or its arcs if cycles are directed
    int32_t *vertex;     // [graph.vertices] the vertex of the whole graph
    bool is_cycle;       // the block is one plain cycle: all of its vertices are its only chordless cycle
} cycles_block;

// ---- Exact counts. All rows have `limbs` limbs in base 2^64, least first.

typedef struct cycles_tally {
    mco_context *ctx;
    int32_t limbs;
    int32_t lengths;      // room: lengths below this
    uint64_t *by_length;  // [lengths * limbs]; row 0: cycles of unknown length
} cycles_tally;

// Adds a count [limbs] of cycles of this length, 0 if the length is unknown. Rows and limbs grow as needed. Errors: MEMORY.
mco_status cycles_tally_add(cycles_tally *tally, int32_t length, const uint64_t *count, int32_t limbs);
static inline mco_status cycles_tally_add_u64(cycles_tally *tally, int32_t length, uint64_t count)
{
    return cycles_tally_add(tally, length, &count, 1);
}
void cycles_tally_clear(cycles_tally *tally);

// ---- Where listed cycles go

typedef struct cycles_sink {
    mco_cycles_take take;
    void *user;
    int64_t left;     // cycles still wanted; INT64_MAX: all
    bool is_closed;   // no more is wanted: `take` said so, or none are left
    int64_t taken;
} cycles_sink;

// Hands rows [count * words] over `block` to the sink, at most as many as are wanted. False: no more is wanted.
bool cycles_sink_give(cycles_sink *sink, const cycles_block *block, const uint64_t *rows, int64_t count);

// ---- One block to count or to list

typedef struct cycles_job {
    mco_context *ctx;
    mco_run *run;
    const cycles_block *block;
    bool is_directed;
    int32_t min_length, max_length;  // of the cycles that count, 4 <= min_length (directed: 3), max_length <= n
    const int32_t *through;          // [through_count] vertices of the block that every cycle must hold
    int32_t through_count;
    bool wants_lengths;              // else cycles may be tallied under length 0
    cycles_sink *sink;               // NULL: count only
    cycles_tally *tally;             // receives what is counted, and what is listed too
    int threads;
    int part, parts;                 // of several processes: the share of a search that this one has; parts 0 or 1: all
    double memory_bytes;             // for tables and lists
    mco_cycles_result *result;       // the job adds to width, states, nodes, bytes
} cycles_job;

// A method works through the block. It looks at mco_run_must_stop() at least every 0.05 s; when that is true, or the sink is
// closed, it ends soon with OK, and the tally has what was found. The methods:

// The published algorithm in its plainest form, the oracle of the tests; undirected only (labels.c).
mco_status cycles_labels(cycles_job *job);
// Depth-first search (search.c); directed too.
mco_status cycles_search(cycles_job *job);

// The dynamic program (frontier.c). Plan first: an order of the vertices and its width; then counts; then lists.
typedef struct cycles_frontier cycles_frontier;
// Chooses an order. *width: most vertices of the frontier at a time; *cost: estimated states. Errors: MEMORY.
mco_status cycles_frontier_plan(cycles_job *job, cycles_frontier **out, int32_t *width, double *cost);
// Counts, and lists if the job has a sink. A count that must stop tallies nothing; a list tallies what the sink took. LIMIT, with
// nothing tallied or given to the sink, if the states or lists outgrow job->memory_bytes; the message has the bytes: the caller
// may go on with the search.
mco_status cycles_frontier_run(cycles_job *job, cycles_frontier *frontier);
void cycles_frontier_destroy(mco_context *ctx, cycles_frontier **frontier);

// ---- A list as products: every cycle is one row of `left` or'ed with one of `right` in the same segment, or a row of `single`.

typedef struct cycles_segment {
    int64_t left, left_count, right, right_count;  // rows of the two lists
} cycles_segment;

typedef struct cycles_factors {
    int32_t words;            // of a row over the block's vertices
    cycles_segment *segment;  // [segments]
    int64_t segments;
    uint64_t *left, *right, *single;  // [left_count * words], [right_count * words], [single_count * words]
    int64_t left_count, right_count, single_count;
    int64_t cycles;           // of all products and single rows
} cycles_factors;

// Makes the factors, before or after a count; lengths and `through` of the job hold for every product. LIMIT as
// cycles_frontier_run() says. OK with *out untouched where the run must stop. The caller clears *out.
mco_status cycles_frontier_factors(cycles_job *job, cycles_frontier *frontier, cycles_factors *out);
void cycles_factors_clear(mco_context *ctx, cycles_factors *factors);

#endif
