// SPDX-License-Identifier: MIT
// All chordless cycles of a graph: cycles that no further edge shortens. mco counts them, lists them and checks lists.
//
// A cycle of k vertices is chordless if its vertices induce exactly k edges. Triangles are chordless; they are counted apart.
// The set of its vertices determines a chordless cycle, so lists are sets of vertices, a bit each.
//
//     mco_cycles_params params = MCO_CYCLES_PARAMS_INIT;
//     mco_cycles_result result = MCO_CYCLES_RESULT_INIT;
//     if (mco_cycles_count(ctx, graph, &params, &result) == MCO_OK)
//         printf("%lld longer than 3, %lld triangles\n", (long long)result.cycles, (long long)result.triangles);
//     mco_cycles_result_clear(ctx, &result);
//
// Sources: Dias, Castonguay, Longo, Jradi (2013); Jradi (2016), chapter 5; Uno, Satoh (2014).
#ifndef MCO_CYCLES_H
#define MCO_CYCLES_H

#include "mco/cycles_options.def"
#include "mco/devices.h"
#include "mco/engine.h"
#include "mco/graph.h"

MCO_BEGIN_C

// ---- Parameters

typedef enum mco_cycles_method {
    MCO_CYCLES_METHOD_AUTO,      // estimates the width of the frontier first, and says what it chose
    MCO_CYCLES_METHOD_FRONTIER,  // dynamic program over induced subgraphs along an order of the vertices
    MCO_CYCLES_METHOD_SEARCH,    // depth-first search with bitsets
    MCO_CYCLES_METHOD_LABELS     // degree labelling and triplets, as published
} mco_cycles_method;
typedef enum mco_cycles_by_length { MCO_CYCLES_BY_LENGTH_OFF, MCO_CYCLES_BY_LENGTH_ON } mco_cycles_by_length;

// cycles_options.def lists the fields, their defaults and their meanings.
typedef struct mco_cycles_params {
    size_t struct_size;
    MCO_FIELDS(MCO_CYCLES_OPTIONS)
    const int32_t *through;  // [through_count] only cycles through all of these vertices; borrowed; NULL: any
    int32_t through_count;
} mco_cycles_params;
#define MCO_CYCLES_PARAMS_INIT { sizeof(mco_cycles_params), MCO_DEFAULTS(MCO_CYCLES_OPTIONS) NULL, 0 }

// The options as a table.
MCO_API const mco_option_table *mco_cycles_options(void);

// ---- Result

typedef struct mco_cycles_result {
    size_t struct_size;
    mco_outcome outcome;   // OPTIMAL: all cycles; FEASIBLE: a limit or a request ended it, the counts are what was found
    mco_stop stop;
    int64_t cycles;        // chordless cycles longer than 3; INT64_MAX stands for more
    int64_t triangles;
    int64_t digons;        // of directed graphs: pairs of opposite arcs, which are in no other chordless cycle; not listed
    int32_t limbs;         // of an exact count: a number in base 2^64, least limb first
    uint64_t *exact;       // [limbs] cycles longer than 3; owned
    int32_t longest;       // length of the longest cycle found; 0: none
    uint64_t *by_length;   // [(longest + 1) * limbs] exact counts, triangles included; NULL if not asked for; owned
    mco_cycles_method method;  // of the largest block; AUTO if no block needed one
    int64_t vertices, edges;   // of the simple graph
    int64_t loops, parallel;   // ignored
    int64_t blocks;            // biconnected components in which a cycle longer than 3 is possible
    int32_t width;             // most vertices of a frontier; 0: none was made
    int64_t states, nodes;     // of all frontiers; of all searches
    int64_t bytes;             // most memory for tables and lists at a time
    mco_work work;
    char reason[MCO_REASON_ROOM];  // why the method was chosen, one line
} mco_cycles_result;
#define MCO_CYCLES_RESULT_INIT MCO_SIZED(mco_cycles_result)

// Counts the cycles. MCO_OK means that *result is valid, whatever the outcome; mco_cycles_result_clear() releases it. Errors:
// ARGUMENT (a method and an engine that exclude each other, a vertex out of range), LIMIT (memory, with the bytes needed),
// MEMORY, DEVICE, INTERNAL. The frontier takes O(states) per vertex, the search O(vertices / 64) per node.
MCO_API mco_status mco_cycles_count(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params,
                                    mco_cycles_result *result);
MCO_API void mco_cycles_result_clear(mco_context *ctx, mco_cycles_result *result);

// Writes an exact count [limbs] in decimal digits to `out` [size], 20 * limbs + 1 bytes are enough, and returns `out`.
MCO_API const char *mco_cycles_count_text(const uint64_t *count, int32_t limbs, char *out, size_t size);

// ---- Lists

// Some cycles. Row r, rows[r * words] and on, is a set over `vertices` vertices of a block: bit b of word w stands for the
// graph's vertex vertex[64 * w + b]. All arrays are valid during the call only.
typedef struct mco_cycles_batch {
    const uint64_t *rows;  // [count * words]
    int64_t count;
    int32_t words;         // (vertices + 63) / 64
    int32_t vertices;
    const int32_t *vertex; // [vertices] all different, in any order
} mco_cycles_batch;

// Takes a batch, on the thread that called. False: stop, no more is wanted.
typedef bool (*mco_cycles_take)(const mco_cycles_batch *batch, void *user);

// Lists the cycles in batches, each cycle once, in no stated order. Counts, outcome and errors are as mco_cycles_count() says;
// a take that returns false ends it with CANCELLED. The log says how much memory the lists take before they are built.
MCO_API mco_status mco_cycles_list(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params,
                                   mco_cycles_take take, void *user, mco_cycles_result *result);

// Writes the vertices of a row in their order around the cycle to `out` [vertices] and returns how many they are. The first is
// the least, the second the lesser of its two neighbours; in a directed graph the cycle follows the arcs. 0: the row is no
// chordless cycle. O(sum of degrees) up to 2048 vertices; times the length beyond, and in the undirected sense of a directed graph.
MCO_API int32_t mco_cycles_order(const mco_graph *graph, const mco_cycles_batch *batch, int64_t row, bool is_directed,
                                 int32_t *out);

// How a list is written.
typedef enum mco_cycles_format {
    MCO_CYCLES_FORMAT_TEXT,      // a line for each cycle: its vertices in order
    MCO_CYCLES_FORMAT_JSONL,     // a line for each cycle: {"length":4,"vertices":[1,2,6,5]}
    MCO_CYCLES_FORMAT_BITS,      // packed sets (docs/formats.md)
    MCO_CYCLES_FORMAT_FACTORED,  // prefixes and suffixes whose products are the cycles; of the frontier only
    MCO_CYCLES_FORMAT_NONE       // nothing: cycles are made and counted
} mco_cycles_format;
#define MCO_CYCLES_FORMAT_NAMES "text|jsonl|bits|factored|none"

// Lists the cycles into a file; ".gz" at its end compresses it; "-" is standard output. A reader that closes the pipe ends the
// list with OK and CANCELLED. Errors: as mco_cycles_list(), IO.
MCO_API mco_status mco_cycles_write_list(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params,
                                         mco_cycles_format format, const char *path, mco_cycles_result *result);

// Checks a list in any of the formats: every cycle is chordless, and no two are equal. *count receives their number, triangles
// included. Errors: CHECK with the place and the vertices at fault, IO, PARSE with the place, LIMIT, MEMORY. O(size of the list).
MCO_API mco_status mco_cycles_check(mco_context *ctx, const mco_graph *graph, bool is_directed, const char *path, int64_t *count);

// ---- Food webs

// Makes the niche-overlap graph of a food web, whose arcs lead from prey to predator: two vertices are joined if they have a
// prey in common (Wilson, Watkins 1990). Errors: ARGUMENT (an undirected web), LIMIT, MEMORY. O(sum of squared degrees).
MCO_API mco_status mco_cycles_niche_overlap(mco_context *ctx, const mco_graph *web, mco_graph **out);

// ---- Files

// Writes the result file (docs/formats.md). `more`: further options to echo, or NULL. Errors: ARGUMENT, IO.
MCO_API mco_status mco_cycles_write_result(mco_context *ctx, const mco_graph *graph, const mco_cycles_params *params,
                                           const mco_cycles_result *result, const mco_option_values *more, const char *path);
// Draws the counts by length (SVG); a graph of up to 200 vertices is drawn beside them with one of its cycles marked, if
// `cycle` [length] is not NULL. Errors: ARGUMENT (the result has no counts by length), IO.
MCO_API mco_status mco_cycles_plot(mco_context *ctx, const mco_graph *graph, const mco_cycles_result *result,
                                   const int32_t *cycle, int32_t length, const char *path);

MCO_END_C
#endif
