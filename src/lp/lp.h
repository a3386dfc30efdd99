// SPDX-License-Identifier: MIT
// Linear programs and integer programs by a solver that is loaded when it is first needed (base/library.h): Clp and Cbc.
//
//     minimise cost x   subject to   row_least <= A x <= row_most,   column_least <= x <= column_most
//
// An mco_lp is a program that changes and is solved again: columns and rows come and go, and each solve starts from the last basis.
// An mco_lp_model is a program at rest, in compressed columns: it is written to a file, or solved in integers. It needs no solver.
// INFINITY and -INFINITY are absent bounds. What calls are given is copied. The solver prints nothing.
//
// The solver takes the memory of an mco_lp from the C++ heap, not from the context's allocator. Two threads may solve two programs,
// each with a context of its own. Values are floating point: whoever needs a proof recomputes it from the duals.
#ifndef MCO_LP_LP_H
#define MCO_LP_LP_H

#include <math.h>

#include "base/context.h"

typedef struct mco_lp mco_lp;

typedef enum mco_lp_method {
    MCO_LP_AUTO,    // the dual simplex where rows or bounds changed since the last optimum and columns and costs did not; else the primal
    MCO_LP_PRIMAL,
    MCO_LP_DUAL
} mco_lp_method;

typedef enum mco_lp_end {
    MCO_LP_OPTIMAL,
    MCO_LP_INFEASIBLE,
    MCO_LP_UNBOUNDED,
    MCO_LP_STOPPED,  // by the time or by a cancel; the basis so far is kept
    MCO_LP_FAILED    // both simplex methods lost their way, from the last basis and from scratch
} mco_lp_end;

// ---- A program that changes

// Whether a solver of linear programs can be loaded. Loads it.
bool mco_lp_is_there(void);

// Makes an empty program. Errors: IO (no solver: the message tells what to install), MEMORY.
mco_status mco_lp_open(mco_context *ctx, mco_lp **out);
// Releases it and sets *lp to NULL. NULL and a pointer to NULL are allowed.
void mco_lp_close(mco_context *ctx, mco_lp **lp);

// Makes another program of the same columns, rows and basis, which two threads may then solve at the same time. Errors: IO, MEMORY.
mco_status mco_lp_copy(mco_context *ctx, const mco_lp *lp, mco_lp **out);

int32_t mco_lp_rows(const mco_lp *lp);
int32_t mco_lp_columns(const mco_lp *lp);

// Adds rows behind the last one. Row k has the entries first[k]..first[k + 1] of `column` and `value`; a column occurs at most once in
// a row. `first` NULL: rows without entries. New rows are basic. Errors: ARGUMENT (a column out of range, NaN, an infinite value),
// LIMIT (more than 2^31 - 1 entries), MEMORY; then nothing has changed.
mco_status mco_lp_add_rows(mco_context *ctx, mco_lp *lp, int32_t count, const double *least, const double *most,
                           const int64_t *first /* [count + 1] */, const int32_t *column, const double *value);
// Adds columns behind the last one, in the same way. New columns are at a bound. Errors: as above.
mco_status mco_lp_add_columns(mco_context *ctx, mco_lp *lp, int32_t count, const double *cost, const double *least, const double *most,
                              const int64_t *first /* [count + 1] */, const int32_t *row, const double *value);
// Deletes rows or columns, in any order, none twice. Those behind move up. Errors: ARGUMENT, MEMORY; then nothing has changed.
mco_status mco_lp_delete_rows(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index);
mco_status mco_lp_delete_columns(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index);
// Changes rows or columns index[0..count); `index` NULL: the first `count`. Least above most is allowed, and infeasible. Errors: ARGUMENT;
// then nothing has changed.
mco_status mco_lp_set_row_bounds(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index, const double *least, const double *most);
mco_status mco_lp_set_column_bounds(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index, const double *least, const double *most);
mco_status mco_lp_set_costs(mco_context *ctx, mco_lp *lp, int32_t count, const int32_t *index, const double *cost);

// Solves from the last basis. `stop_s` by mco_clock_s(), INFINITY: no limit. The solve ends within some 0.1 s of it or of mco_cancel(),
// as long as one iteration or factorisation is not longer. A long solve starts one thread, which only watches the clock. An optimum
// has been tested against rows, bounds and reduced costs within 10^-6, relative to their size. Errors: ARGUMENT, MEMORY.
mco_status mco_lp_solve(mco_context *ctx, mco_lp *lp, mco_lp_method method, double stop_s, mco_lp_end *end);

// The optimum. Valid after OPTIMAL only, until the next change or solve. Arrays are borrowed from the solver.
double mco_lp_objective(const mco_lp *lp);
const double *mco_lp_values(const mco_lp *lp);         // [columns]
const double *mco_lp_activities(const mco_lp *lp);     // [rows] A x
const double *mco_lp_duals(const mco_lp *lp);          // [rows] change of the objective for one unit more of a row that binds
const double *mco_lp_reduced_costs(const mco_lp *lp);  // [columns] cost - duals A
bool mco_lp_column_is_basic(const mco_lp *lp, int32_t column);
bool mco_lp_row_is_basic(const mco_lp *lp, int32_t row);
// Iterations of all solves.
int64_t mco_lp_iterations(const mco_lp *lp);

// A basis at rest, for branching. A zeroed one is empty. It is the solver's own: where each column, then each row stands.
typedef struct mco_lp_basis {
    int32_t columns, rows;
    uint8_t *place;  // [columns + rows]
} mco_lp_basis;

// Saves the basis over the one in *out, which owns it. Errors: MEMORY; then *out is unchanged.
mco_status mco_lp_save_basis(mco_context *ctx, const mco_lp *lp, mco_lp_basis *out);
// Takes a basis of this program as it is or was: columns and rows that came since are at a bound and basic. Errors: ARGUMENT (the
// basis has more columns or rows than the program).
mco_status mco_lp_load_basis(mco_context *ctx, mco_lp *lp, const mco_lp_basis *basis);
void mco_lp_basis_clear(mco_context *ctx, mco_lp_basis *basis);

// ---- A program at rest

// Column j has the entries first[j]..first[j + 1] of `row` and `value`.
typedef struct mco_lp_model {
    int32_t columns, rows;
    double *cost, *column_least, *column_most;  // [columns]
    double *row_least, *row_most;               // [rows]
    int64_t *first;                             // [columns + 1]
    int32_t *row;                               // [first[columns]]
    double *value;                              // [first[columns]]
    bool *is_integer;                           // [columns]; NULL: no column is
} mco_lp_model;

// Copies a program; *out owns its arrays, `is_integer` is NULL. Errors: MEMORY.
mco_status mco_lp_copy_model(mco_context *ctx, const mco_lp *lp, mco_lp_model *out);
void mco_lp_model_clear(mco_context *ctx, mco_lp_model *model);
// Whether a path ends in .mps or .mps.gz.
bool mco_lp_is_mps(const char *path);
// Writes a model as free MPS or in the LP format of CPLEX; "-" is standard output. Columns are x0, x1, ..., rows r0, r1, ...
// In LP a row between two bounds is two rows. Numbers read back as the same. Errors: IO, MEMORY.
mco_status mco_lp_model_write(mco_context *ctx, const mco_lp_model *model, bool is_mps, const char *path);
// Writes the program as it is now, in the format that the path's end tells. Errors: as above.
mco_status mco_lp_write(mco_context *ctx, const mco_lp *lp, const char *path);

// ---- Integer programs

typedef struct mco_mip_settings {
    double cutoff;        // only solutions below it are wanted; INFINITY: any
    double gap;           // ends at objective - bound <= gap |bound|; 0: at the optimum
    double stop_s;        // by mco_clock_s(); INFINITY: no limit
    const double *start;  // [columns] a known solution: one below it is wanted, else it is the answer; NULL: none
} mco_mip_settings;

#define MCO_MIP_SETTINGS_INIT { .cutoff = INFINITY, .stop_s = INFINITY }

typedef struct mco_mip_answer {
    mco_lp_end end;    // OPTIMAL: within the gap; INFEASIBLE: none below the cutoff; STOPPED: `values` may be there all the same
    double objective;  // of the best solution; INFINITY: none
    double bound;      // no solution is below it, by the solver's word; -INFINITY: none is known
    double *values;    // [columns] the best solution, integers rounded; NULL: none
} mco_mip_answer;

// Whether a solver of integer programs can be loaded. Loads it.
bool mco_mip_is_there(void);
// Solves an integer program, in a process of its own: it ends within 0.1 s of `stop_s` or mco_cancel(). The answer owns its values, which
// have been tested: integers are integers, rows and bounds hold within 10^-6 of their size. A start that fails this test is an error.
// Errors: IO (no solver: the message tells what to install; no process), ARGUMENT, LIMIT, MEMORY.
mco_status mco_mip_solve(mco_context *ctx, const mco_lp_model *model, const mco_mip_settings *settings, mco_mip_answer *answer);
void mco_mip_answer_clear(mco_context *ctx, mco_mip_answer *answer);

#endif
