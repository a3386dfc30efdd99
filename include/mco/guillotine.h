// SPDX-License-Identifier: MIT
// Unconstrained two-dimensional guillotine cutting. Edge-to-edge cuts divide a plate W x H into rectangles. Each piece
// may be cut any number of times. The total value of the pieces is to be greatest.
//
//     V(w,h) = max( best single piece,  V(x,h) + V(w-x,h),  V(w,y) + V(w,h-y) )        (Beasley 1985)
//
// where x and y are normal patterns: sums of piece sides. The origin is the lower left corner. x runs along the width.
#ifndef MCO_GUILLOTINE_H
#define MCO_GUILLOTINE_H

#include "mco/devices.h"
#include "mco/engine.h"
#include "mco/guillotine_options.def"

MCO_BEGIN_C

// ---- Limits. A value beyond a limit is refused, with a message that names the value and the limit.
#define MCO_GUILLOTINE_MAX_SIDE ((int64_t)1 << 30)    // of a side of the plate or a piece, and of side + kerf
#define MCO_GUILLOTINE_MAX_PIECES ((int64_t)10000000)
#define MCO_GUILLOTINE_MAX_VALUE ((int64_t)1 << 53)   // of a piece
// A further limit: the greatest value per area of any piece, times the plate's area, is below 2^62.

// ---- Instance. It is immutable after creation; threads may share it.

typedef struct mco_guillotine mco_guillotine;

typedef struct mco_guillotine_piece {
    int32_t width, height;  // at least 1; a piece larger than the plate is never used
    int64_t value;          // at least 0
    bool is_rotatable;      // has an effect only if params allow rotation
} mco_guillotine_piece;

// Sizes are integers here. A file may have decimals: then a unit of the instance is a power of ten of the file's, and results are
// in the instance's unit. Files that the library writes, and pictures, are in the file's.

// Creates an instance from pieces [count], which are copied. Errors: ARGUMENT, LIMIT, MEMORY. O(count).
MCO_API mco_status mco_guillotine_create(mco_context *ctx, int32_t width, int32_t height,
                                         const mco_guillotine_piece *pieces, int64_t count, mco_guillotine **out);

// Reads an instance from a file (docs/formats.md): OR-Library's gcut text ("n", then "W H", then lines "w h value"),
// the same with the plate first ("W H", then "n"), or CSV with a plate line and names. The file may be compressed by
// gzip. "-" is standard input. Errors: IO, PARSE (with path:line:column), LIMIT, MEMORY.
MCO_API mco_status mco_guillotine_read(mco_context *ctx, const char *path, mco_guillotine **out);

// Makes a copy with a finer unit, so that it holds sizes with `places` decimals of the file's unit, such as a kerf. Errors:
// ARGUMENT (fewer places than it has, or more than 6), LIMIT (a size or a value gets too large), MEMORY.
MCO_API mco_status mco_guillotine_refine(mco_context *ctx, const mco_guillotine *problem, int places, mco_guillotine **out);
// Decimals of a number such as a kerf: 0 to 6, or -1 if it has more.
MCO_API int mco_guillotine_places_of(double size);

// Make random instances as in the thesis of Strappaveccia (2015), chapter 4. Values are areas, and all pieces are
// rotatable. Any seed is valid. With S the plate's side on an axis, testcut draws the sides of a quarter of the pieces
// from [1, S/4), of half of them from [S/4, S/2), and of a quarter from [S/2, 3S/4). The pieces of randcut are the
// parts of the plate after `pieces` - 1 random guillotine cuts, so the optimum is W * H. Errors: ARGUMENT (testcut: a
// side of the plate is below 5; randcut: the plate has fewer unit squares than pieces), LIMIT, MEMORY.
MCO_API mco_status mco_guillotine_testcut(mco_context *ctx, int32_t width, int32_t height, int32_t pieces,
                                          int64_t seed, mco_guillotine **out);
MCO_API mco_status mco_guillotine_randcut(mco_context *ctx, int32_t width, int32_t height, int32_t pieces,
                                          int64_t seed, mco_guillotine **out);

// Writes the instance. The format is CSV if `path` ends in .csv, if pieces have names, or if some pieces are not
// rotatable; else it is OR-Library's text. "-" is standard output. Errors: IO.
MCO_API mco_status mco_guillotine_write(mco_context *ctx, const mco_guillotine *problem, const char *path);

MCO_API void mco_guillotine_destroy(mco_context *ctx, mco_guillotine **problem);

MCO_API int32_t mco_guillotine_width(const mco_guillotine *problem);
MCO_API int32_t mco_guillotine_height(const mco_guillotine *problem);
MCO_API int64_t mco_guillotine_pieces(const mco_guillotine *problem);
// Units of the instance in one of the file: of sizes, and of values, which are areas where a file gives none. 1 without decimals.
MCO_API int64_t mco_guillotine_scale(const mco_guillotine *problem);
MCO_API int64_t mco_guillotine_value_scale(const mco_guillotine *problem);
MCO_API mco_guillotine_piece mco_guillotine_piece_at(const mco_guillotine *problem, int64_t piece);
// Names of the instance and of a piece, as read. The name of an instance without one is that of its file. The name of a
// piece without one is its number from 1, written to `buffer` [24]. Other names are owned by the instance.
MCO_API const char *mco_guillotine_name(const mco_guillotine *problem);
MCO_API const char *mco_guillotine_piece_name(const mco_guillotine *problem, int64_t piece, char buffer[24]);

// ---- Parameters

typedef enum mco_guillotine_cut {
    MCO_GUILLOTINE_CUT_ANY,
    MCO_GUILLOTINE_CUT_X,  // a vertical cut at an x position
    MCO_GUILLOTINE_CUT_Y
} mco_guillotine_cut;

// guillotine_options.def lists the fields, their defaults and their meanings.
typedef struct mco_guillotine_params {
    size_t struct_size;
    MCO_FIELDS(MCO_GUILLOTINE_PLAN_OPTIONS)
    int64_t kerf;     // in the instance's unit; 0 to 10^9. Counts where kerf_width is negative
    MCO_FIELDS(MCO_GUILLOTINE_SOLVE_OPTIONS)
    int wants_table;  // 0 or 1: compute and return the whole table of values
    MCO_FIELDS(MCO_GUILLOTINE_KERF_OPTION)  // kerf_width, in the file's unit: a whole number of the instance's
} mco_guillotine_params;

#define MCO_GUILLOTINE_PARAMS_INIT                                                                                      \
    { sizeof(mco_guillotine_params), MCO_DEFAULTS(MCO_GUILLOTINE_PLAN_OPTIONS) 0, MCO_DEFAULTS(MCO_GUILLOTINE_SOLVE_OPTIONS) \
      0, MCO_DEFAULTS(MCO_GUILLOTINE_KERF_OPTION) }

// Option tables: all options of the solver, and the options that say what a plan may be.
MCO_API const mco_option_table *mco_guillotine_options(void);
MCO_API const mco_option_table *mco_guillotine_plan_options(void);

// ---- Plan: a tree in depth-first order. Node 0 is the plate. Parts follow their parent, the left or lower part first.

typedef enum mco_guillotine_node_kind {
    MCO_GUILLOTINE_NODE_WASTE,
    MCO_GUILLOTINE_NODE_PIECE,
    MCO_GUILLOTINE_NODE_CUT
} mco_guillotine_node_kind;

typedef struct mco_guillotine_node {
    mco_guillotine_node_kind kind;
    int32_t x, y, width, height;  // of the rectangle on the plate
    // Of a cut: its direction, X or Y, and its place on the cut side, counted from the rectangle's corner. The parts
    // are [0, at) and [at + kerf, side). If the blade takes all the rest, the second part is empty: width or height 0.
    mco_guillotine_cut cut;
    int32_t at;
    int64_t parts[2];             // of a cut: the nodes of the two parts
    int64_t piece;                // of a piece: its 0-based index; the rectangle has exactly its size
    bool is_rotated;
} mco_guillotine_node;

// A plan with its value, as the progress of a solve shows it. It exists only at the end of the solve.
typedef struct mco_guillotine_solution {
    const mco_guillotine_node *nodes;  // [node_count]
    int64_t node_count, value;
} mco_guillotine_solution;

// The values of all rectangles x[i] x y[j]. The value of a rectangle w x h is the one at the largest x[i] <= w and y[j]
// <= h. The sides do not include the kerf: a rectangle is exactly x[i] x y[j].
typedef struct mco_guillotine_table {
    int32_t *x, *y;       // [columns], [rows], ascending from 0
    int64_t columns, rows;
    int64_t *values;      // [columns * rows] the value of x[i], y[j] at i * rows + j; NULL if values_32 is there
    int32_t *values_32;   // the same, if all values fit in 32 bits; else NULL
} mco_guillotine_table;

// What a solve returns. The result owns its arrays; mco_guillotine_result_clear() releases them.
typedef struct mco_guillotine_result {
    size_t struct_size;
    mco_outcome outcome;
    mco_stop stop;
    int64_t value;  // -1 if no plan is known: in a batch, if it stopped before the problem's turn
    int64_t bound;  // proven: no plan is worth more
    double waste;   // share of the plate's area outside of pieces, 0..1
    mco_guillotine_node *nodes;  // [node_count]; NULL if no plan is known
    int64_t node_count;
    mco_guillotine_table table;  // if params->wants_table
    int64_t pieces_used;         // pieces on the plate
    int64_t pieces_too_large;    // piece types that do not fit the plate

    mco_work work;  // lane_bits: of the last pass, 16, 32 or 64
    int64_t patterns_x, patterns_y;   // |X| and |Y|: number of normal patterns, without 0
    int64_t positions_x, positions_y; // of the computed table: normal patterns, or raster points if they suffice
    int64_t relaxations;              // sums V + V that were evaluated
    int64_t relaxations_skipped;      // sums left out, of all sums over normal patterns with x' <= x/2
    int64_t table_bytes;              // memory of the tables
    int32_t passes;                   // over the table; more than 1 if a cap on the waste grew
    double copy_s;                    // time of copies to and from the GPU
    mco_improvement *history;         // [history_count] one entry: the plan
    int64_t history_count;
    int64_t value_scale;              // units of value and bound in one of the file, as mco_guillotine_value_scale()
} mco_guillotine_result;

#define MCO_GUILLOTINE_RESULT_INIT MCO_SIZED(mco_guillotine_result)

// ---- Solving and checking

// Solves a problem. MCO_OK means that *result is valid, whatever the outcome; its plan has been checked. If no piece
// fits the plate, the value is 0 and the plan is one waste node. A stopped run has a plan too: the best one known, at
// least a grid of one piece. Its outcome is FEASIBLE, unless its value meets the bound. Errors: ARGUMENT, LIMIT (the
// table is too large: the message says how much memory it needs), MEMORY, DEVICE, INTERNAL. O(|X| |Y| (|X| + |Y|)) at
// most.
MCO_API mco_status mco_guillotine_solve(mco_context *ctx, const mco_guillotine *problem,
                                        const mco_guillotine_params *params, mco_guillotine_result *result);

// Solves problems [count] on all cores, each problem on one core. With engine gpu, each worker thread solves one
// problem at a time on the GPU. The caller initialises results [count]. Worker threads call the context's allocator
// too, one thread at a time. The batch stops at the first error; results written so far are valid. Errors: as
// mco_guillotine_solve().
MCO_API mco_status mco_guillotine_solve_batch(mco_context *ctx, const mco_guillotine *const *problems, int64_t count,
                                              const mco_guillotine_params *params, mco_guillotine_result *results);

MCO_API void mco_guillotine_result_clear(mco_context *ctx, mco_guillotine_result *result);

// Writes the result file (docs/formats.md). `more` lists further options to echo and ends with an entry whose table is
// NULL. `more` NULL: none. Errors: ARGUMENT, IO.
MCO_API mco_status mco_guillotine_write_result(mco_context *ctx, const mco_guillotine *problem,
                                               const mco_guillotine_params *params, const mco_guillotine_result *result,
                                               const mco_option_values *more, const char *path);

// A solved batch, for its result file. All pointers are borrowed.
typedef struct mco_guillotine_batch {
    const char *name;
    const char *const *names;              // [count] names of the problems
    const mco_guillotine_result *results;  // [count]
    int64_t count, files;                  // number of problems, and of files that they came from
    double solve_s;                        // time that mco_guillotine_solve_batch() took
} mco_guillotine_batch;

// Sums over the results of a batch.
typedef struct mco_guillotine_totals {
    int64_t solved, with_plan;  // numbers of problems: solved to the optimum, with a plan
    int64_t relaxations, relaxations_skipped;
    mco_outcome outcome;        // OPTIMAL if all problems are; else FEASIBLE if all have a plan; else UNKNOWN
    mco_stop stop;              // of the first problem that did not finish
    mco_work work;              // of the whole batch
} mco_guillotine_totals;
MCO_API mco_guillotine_totals mco_guillotine_sum(const mco_guillotine_batch *batch, const mco_guillotine_params *params);

// Writes the result file of a batch. Errors: ARGUMENT, IO.
MCO_API mco_status mco_guillotine_write_batch(mco_context *ctx, const mco_guillotine_batch *batch,
                                              const mco_guillotine_params *params, const mco_option_values *more,
                                              const char *path);

// Checks that nodes [count] are a plan. All cuts must go from edge to edge inside the plate. Kerf, rotation, stages and
// first cut must be as in params; its other fields are not read. Pieces must have exactly their size. *value receives
// the value of the plan. Errors: CHECK, with the node and what is wrong. O(count).
MCO_API mco_status mco_guillotine_check(mco_context *ctx, const mco_guillotine *problem,
                                        const mco_guillotine_params *params, const mco_guillotine_node *nodes,
                                        int64_t count, int64_t *value);

// Reads a plan from a result file or from a file that mco_guillotine_write_plan() wrote. mco_guillotine_nodes_free()
// releases *nodes. *value receives the value that the file states, or -1. A file whose rectangles overlap or lie
// outside the plate is still read; mco_guillotine_check() finds the fault. Errors: IO, PARSE with the place, MEMORY.
MCO_API mco_status mco_guillotine_read_plan(mco_context *ctx, const mco_guillotine *problem, const char *path,
                                            mco_guillotine_node **nodes, int64_t *count, int64_t *value);
MCO_API void mco_guillotine_nodes_free(mco_context *ctx, mco_guillotine_node **nodes);

// Writes the plan as a JSON tree. `path` "-" is standard output. A negative `value` is written as null. Errors:
// ARGUMENT (the nodes are not a tree in depth-first order), IO, MEMORY.
MCO_API mco_status mco_guillotine_write_plan(mco_context *ctx, const mco_guillotine *problem,
                                             const mco_guillotine_node *nodes, int64_t count, int64_t value,
                                             const char *path);

// Writes the cuts for the operator of the saw: numbered, in depth-first order; then the pieces with their counts, and
// the waste. Errors: as mco_guillotine_write_plan().
MCO_API mco_status mco_guillotine_write_cuts(mco_context *ctx, const mco_guillotine *problem,
                                             const mco_guillotine_node *nodes, int64_t count, const char *path);

// Writes the table. The format is CSV "x,y,value" if `path` ends in .csv; else a text line and then little-endian
// numbers (docs/formats.md). Errors: IO.
MCO_API mco_status mco_guillotine_write_table(mco_context *ctx, const mco_guillotine_table *table, const char *path);
// The same in the units of the instance's file.
MCO_API mco_status mco_guillotine_write_values(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_table *table,
                                               const char *path);

// Draws the plan (SVG): cuts by stage, waste hatched, pieces with their names. Errors: CHECK (the solution breaks a
// rule), IO.
MCO_API mco_status mco_guillotine_plot(mco_context *ctx, const mco_guillotine *problem,
                                       const mco_guillotine_node *nodes, int64_t count, const char *path);
// Draws the plan of a result: the title has the gap or "optimal", the legend the kerf of params. Errors: also ARGUMENT (the
// result has no plan).
MCO_API mco_status mco_guillotine_plot_result(mco_context *ctx, const mco_guillotine *problem,
                                              const mco_guillotine_params *params, const mco_guillotine_result *result,
                                              const char *path);

MCO_END_C
#endif
