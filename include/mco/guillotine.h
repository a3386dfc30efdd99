// SPDX-License-Identifier: MIT
// Unconstrained two-dimensional guillotine cutting: cut a plate W x H by edge-to-edge cuts into rectangles, any number
// of each piece, so that the value of the pieces is greatest.
//
//     V(w,h) = max( best single piece,  V(x,h) + V(w-x,h),  V(w,y) + V(w,h-y) )        (Beasley 1985)
//
// over normal patterns x, y: sums of piece sides. The origin is the lower left corner, x grows along the width.
#ifndef MCO_GUILLOTINE_H
#define MCO_GUILLOTINE_H

#include "mco/devices.h"
#include "mco/engine.h"
#include "mco/guillotine_options.def"

MCO_BEGIN_C

// ---- Limits, refused with a message that names the value seen and the value allowed.
#define MCO_GUILLOTINE_MAX_SIDE ((int64_t)1 << 30)    // of the plate and the pieces, and of side + kerf
#define MCO_GUILLOTINE_MAX_PIECES ((int64_t)10000000)
#define MCO_GUILLOTINE_MAX_VALUE ((int64_t)1 << 53)   // of a piece
// Besides, the greatest value per area of any piece times the plate's area stays below 2^62.

// ---- Instance: immutable after creation, may be shared between threads.

typedef struct mco_guillotine mco_guillotine;

typedef struct mco_guillotine_piece {
    int32_t width, height;  // at least 1; may exceed the plate: such a piece is never used
    int64_t value;          // at least 0
    bool is_rotatable;      // where rotation is allowed at all
} mco_guillotine_piece;

// From pieces [count], copied. Errors: ARGUMENT, LIMIT, MEMORY. O(count).
MCO_API mco_status mco_guillotine_create(mco_context *ctx, int32_t width, int32_t height,
                                         const mco_guillotine_piece *pieces, int64_t count, mco_guillotine **out);

// From a file: OR-Library's gcut text ("n", then "W H", then "w h value" lines), the same with the plate first
// ("W H", then "n"), or CSV with a plate line and names (docs/formats.md); gzip is read directly, "-" is standard
// input. Errors: IO, PARSE (with path:line:column), LIMIT, MEMORY.
MCO_API mco_status mco_guillotine_read(mco_context *ctx, const char *path, mco_guillotine **out);

// Thesis of Strappaveccia (2015), chapter 4. testcut: a quarter of the pieces with sides in [1, S/4), half in
// [S/4, S/2), a quarter in [S/2, 3S/4), S the plate's side on that axis. randcut: the parts of the plate after `pieces` - 1
// random guillotine cuts, so that the optimum is W * H. Values are areas; all pieces are rotatable. Any seed is fine. Errors:
// ARGUMENT (a testcut with a side below 5, a randcut with fewer unit squares than pieces), LIMIT, MEMORY.
MCO_API mco_status mco_guillotine_testcut(mco_context *ctx, int32_t width, int32_t height, int32_t pieces,
                                          int64_t seed, mco_guillotine **out);
MCO_API mco_status mco_guillotine_randcut(mco_context *ctx, int32_t width, int32_t height, int32_t pieces,
                                          int64_t seed, mco_guillotine **out);

// Writes the instance: CSV where `path` ends in .csv, pieces have names or some are not rotatable, else OR-Library's text.
// "-" is standard output. Errors: IO.
MCO_API mco_status mco_guillotine_write(mco_context *ctx, const mco_guillotine *problem, const char *path);

MCO_API void mco_guillotine_destroy(mco_context *ctx, mco_guillotine **problem);

MCO_API int32_t mco_guillotine_width(const mco_guillotine *problem);
MCO_API int32_t mco_guillotine_height(const mco_guillotine *problem);
MCO_API int64_t mco_guillotine_pieces(const mco_guillotine *problem);
MCO_API mco_guillotine_piece mco_guillotine_piece_at(const mco_guillotine *problem, int64_t piece);
// Names as read, or the file's, "1", "2", ... Owned by the instance; a piece's number is written to `buffer` [24] where it
// has no name.
MCO_API const char *mco_guillotine_name(const mco_guillotine *problem);
MCO_API const char *mco_guillotine_piece_name(const mco_guillotine *problem, int64_t piece, char buffer[24]);

// ---- Parameters

typedef enum mco_guillotine_cut {
    MCO_GUILLOTINE_CUT_ANY,
    MCO_GUILLOTINE_CUT_X,  // a vertical line at an x position
    MCO_GUILLOTINE_CUT_Y
} mco_guillotine_cut;

// Fields, defaults and meanings are the table in guillotine_options.def.
typedef struct mco_guillotine_params {
    size_t struct_size;
    MCO_FIELDS(MCO_GUILLOTINE_OPTIONS)
    int wants_table;  // 0 or 1: compute and return the whole table of values
} mco_guillotine_params;

#define MCO_GUILLOTINE_PARAMS_INIT { sizeof(mco_guillotine_params), MCO_DEFAULTS(MCO_GUILLOTINE_OPTIONS) 0 }

// The options as tables: all of the solver; those that say what a plan may be.
MCO_API const mco_option_table *mco_guillotine_options(void);
MCO_API const mco_option_table *mco_guillotine_plan_options(void);

// ---- Plan: a tree. Node 0 is the plate; parts follow their parent. Depth first, lower or left part first.

typedef enum mco_guillotine_node_kind {
    MCO_GUILLOTINE_NODE_WASTE,
    MCO_GUILLOTINE_NODE_PIECE,
    MCO_GUILLOTINE_NODE_CUT
} mco_guillotine_node_kind;

typedef struct mco_guillotine_node {
    mco_guillotine_node_kind kind;
    int32_t x, y, width, height;  // of the rectangle on the plate
    mco_guillotine_cut cut;       // CUT_NODE: X or Y; parts: [0, at) and [at + kerf, side), where the second may be
    int32_t at;                   // empty: a part of width or height 0, when the blade takes all the rest
    int64_t parts[2];             // CUT_NODE: their nodes
    int64_t piece;                // PIECE: 0-based; the rectangle has exactly its size
    bool is_rotated;
} mco_guillotine_node;

// A plan with its value, as the progress of a solve shows it at its end: before there is none.
typedef struct mco_guillotine_solution {
    const mco_guillotine_node *nodes;  // [node_count]
    int64_t node_count, value;
} mco_guillotine_solution;

// The values of all rectangles x[i] x y[j]: the largest x[i] <= w and y[j] <= h give the value of w x h. Sides are
// those of the plate before the kerf is added: a rectangle of exactly x[i] x y[j].
typedef struct mco_guillotine_table {
    int32_t *x, *y;       // [columns], [rows], ascending from 0
    int64_t columns, rows;
    int64_t *values;      // [columns * rows], value of x[i], y[j] at i * rows + j; NULL if it is the one below
    int32_t *values_32;   // the same where all values fit; else NULL
} mco_guillotine_table;

// What a solve returns. Arrays are owned by the result; mco_guillotine_result_clear releases them.
typedef struct mco_guillotine_result {
    size_t struct_size;
    mco_outcome outcome;
    mco_stop stop;
    int64_t value;  // -1 while no plan is known: in a batch, where a stop came before the problem's turn
    int64_t bound;  // proven: no plan is worth more
    double waste;   // share of the plate's area that is no piece, 0..1
    mco_guillotine_node *nodes;  // [node_count]; NULL while no plan is known
    int64_t node_count;
    mco_guillotine_table table;  // where wanted
    int64_t pieces_used;         // pieces on the plate
    int64_t pieces_too_large;    // piece types that do not fit the plate

    mco_work work;  // lane_bits are those of the last pass: 16, 32 or 64
    int64_t patterns_x, patterns_y;   // |X| and |Y|: normal patterns, without 0
    int64_t positions_x, positions_y; // of the table computed: normal patterns, or raster points where they suffice
    int64_t relaxations;              // sums V + V evaluated
    int64_t relaxations_skipped;      // not evaluated, of all over normal patterns with x' <= x/2
    int64_t table_bytes;              // memory of the tables
    int32_t passes;                   // over the table: more than one where a cap on the waste grew
    double copy_s;                    // copies to and from the GPU
    mco_improvement *history;         // [history_count] one, the plan
    int64_t history_count;
} mco_guillotine_result;

#define MCO_GUILLOTINE_RESULT_INIT MCO_SIZED(mco_guillotine_result)

// ---- Solving and checking

// MCO_OK means *result is valid, whatever the outcome; its plan has been checked. A plate that no piece fits has value
// 0 and a plan of one waste node. A run that is stopped has a plan too, a grid of one piece unless a better one is known:
// FEASIBLE. Errors: ARGUMENT, LIMIT (a table too large: the message says how much memory it needs),
// MEMORY, DEVICE, INTERNAL. O(|X| |Y| (|X| + |Y|)) at most.
MCO_API mco_status mco_guillotine_solve(mco_context *ctx, const mco_guillotine *problem,
                                        const mco_guillotine_params *params, mco_guillotine_result *result);

// Solves problems [count], each on one core, all cores at work; with engine gpu each on the GPU, one a worker thread at a
// time. results [count] are initialised by the caller. The context's allocator is called by one thread at a time, not only
// by the caller's. Stops at the first error; results written so far are valid. Errors: as mco_guillotine_solve().
MCO_API mco_status mco_guillotine_solve_batch(mco_context *ctx, const mco_guillotine *const *problems, int64_t count,
                                              const mco_guillotine_params *params, mco_guillotine_result *results);

MCO_API void mco_guillotine_result_clear(mco_context *ctx, mco_guillotine_result *result);

// Writes the result file (docs/formats.md). `more`: further options to be echoed, up to the first without a table; NULL: none.
// Errors: ARGUMENT, IO.
MCO_API mco_status mco_guillotine_write_result(mco_context *ctx, const mco_guillotine *problem,
                                               const mco_guillotine_params *params, const mco_guillotine_result *result,
                                               const mco_option_values *more, const char *path);

// A batch that has been solved, for its result file. All is borrowed.
typedef struct mco_guillotine_batch {
    const char *name;
    const char *const *names;              // [count] of the problems
    const mco_guillotine_result *results;  // [count]
    int64_t count, files;                  // problems; files that they came from
    double solve_s;                        // that mco_guillotine_solve_batch() took
} mco_guillotine_batch;

// Sums over its results.
typedef struct mco_guillotine_totals {
    int64_t solved, with_plan;  // problems; solved: to the optimum
    int64_t relaxations, relaxations_skipped;
    mco_outcome outcome;        // OPTIMAL if all are, else FEASIBLE if all have a plan
    mco_stop stop;              // of the first that did not finish
    mco_work work;              // of the batch
} mco_guillotine_totals;
MCO_API mco_guillotine_totals mco_guillotine_sum(const mco_guillotine_batch *batch, const mco_guillotine_params *params);

// Writes its result file. Errors: ARGUMENT, IO.
MCO_API mco_status mco_guillotine_write_batch(mco_context *ctx, const mco_guillotine_batch *batch,
                                              const mco_guillotine_params *params, const mco_option_values *more,
                                              const char *path);

// Verifies that nodes [count] are a plan: edge-to-edge cuts inside the plate, kerf, rotation, stages and first cut as in
// params (the rest of it is not read), pieces of exactly their size. *value receives its worth. Errors: CHECK, with the
// node and what is wrong. O(count).
MCO_API mco_status mco_guillotine_check(mco_context *ctx, const mco_guillotine *problem,
                                        const mco_guillotine_params *params, const mco_guillotine_node *nodes,
                                        int64_t count, int64_t *value);

// Reads a plan: a result file, or what mco_guillotine_write_plan() wrote. Node memory is taken from the context: release with
// mco_guillotine_nodes_free(). *value receives the value that the file states, -1 if none. A file that holds rectangles only
// loosely (overlap, outside) is still read: the check finds it. Errors: IO, PARSE with the place, MEMORY.
MCO_API mco_status mco_guillotine_read_plan(mco_context *ctx, const mco_guillotine *problem, const char *path,
                                            mco_guillotine_node **nodes, int64_t *count, int64_t *value);
MCO_API void mco_guillotine_nodes_free(mco_context *ctx, mco_guillotine_node **nodes);

// Writes the plan as a JSON tree; `path` "-" is standard output; a negative value is written as null. Errors: ARGUMENT (nodes
// that are no tree, depth first), IO, MEMORY.
MCO_API mco_status mco_guillotine_write_plan(mco_context *ctx, const mco_guillotine *problem,
                                             const mco_guillotine_node *nodes, int64_t count, int64_t value,
                                             const char *path);

// Writes the cuts for the saw's operator: numbered, depth first, then the pieces with their counts, and the waste. Errors: as
// above.
MCO_API mco_status mco_guillotine_write_cuts(mco_context *ctx, const mco_guillotine *problem,
                                             const mco_guillotine_node *nodes, int64_t count, const char *path);

// Writes the table: CSV "x,y,value" where `path` ends in .csv, else a text line and little-endian numbers
// (docs/formats.md). Errors: IO.
MCO_API mco_status mco_guillotine_write_table(mco_context *ctx, const mco_guillotine_table *table, const char *path);

// Draws the sheet (SVG): cuts by stage, waste hatched, names of pieces. Errors: CHECK (the solution breaks a rule), IO.
MCO_API mco_status mco_guillotine_plot(mco_context *ctx, const mco_guillotine *problem,
                                       const mco_guillotine_node *nodes, int64_t count, const char *path);

MCO_END_C
#endif
