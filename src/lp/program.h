// SPDX-License-Identifier: MIT
// The inside of a program that Clp holds. Only the files of this folder that need Clp include it.
#ifndef MCO_LP_PROGRAM_H
#define MCO_LP_PROGRAM_H

#include <Clp_C_Interface.h>

#include "base/library.h"
#include "lp/lp.h"

#define LP_SYMBOLS(SYMBOL) \
    SYMBOL(Clp_newModel) SYMBOL(Clp_deleteModel) SYMBOL(Clp_setLogLevel) SYMBOL(Clp_scaling) SYMBOL(Clp_setPerturbation) \
    SYMBOL(Clp_loadProblem) SYMBOL(Clp_addRows) SYMBOL(Clp_addColumns) SYMBOL(Clp_deleteRows) SYMBOL(Clp_deleteColumns) \
    SYMBOL(Clp_rowLower) SYMBOL(Clp_rowUpper) SYMBOL(Clp_columnLower) SYMBOL(Clp_columnUpper) SYMBOL(Clp_objective) \
    SYMBOL(Clp_getVectorStarts) SYMBOL(Clp_getVectorLengths) SYMBOL(Clp_getIndices) SYMBOL(Clp_getElements) SYMBOL(Clp_getNumElements) \
    SYMBOL(Clp_primal) SYMBOL(Clp_dual) SYMBOL(Clp_status) SYMBOL(Clp_objectiveValue) SYMBOL(Clp_setMaximumIterations) \
    SYMBOL(Clp_numberIterations) SYMBOL(Clp_primalRowSolution) SYMBOL(Clp_primalColumnSolution) SYMBOL(Clp_dualRowSolution) \
    SYMBOL(Clp_dualColumnSolution) SYMBOL(Clp_statusArray) SYMBOL(Clp_copyinStatus)
typedef struct lp_solver {
    LP_SYMBOLS(MCO_SYMBOL_POINTER)
} lp_solver;

// Loaded by mco_lp_open().
extern lp_solver lp_clp;

// What Clp writes for a row or column, in the low bits of its place.
enum { LP_FREE = 0, LP_BASIC = 1, LP_AT_MOST = 2, LP_AT_LEAST = 3, LP_PLACE = 7 };

struct mco_lp {
    Clp_Simplex *model;
    int32_t rows, columns;
    int64_t entries;      // of the matrix
    int64_t iterations;
    int64_t *mark;        // [mark_room] number of the last call that saw this row or column
    int64_t mark_room, calls;
    bool is_optimal;      // the arrays of the solver are an optimum of the program as it is
    bool was_optimal;     // the last solve found an optimum
    bool needs_primal;    // columns or costs have changed since
    bool is_long;         // the last run took more than its first slice of iterations
};

// Any change ends what is known of an optimum.
static inline void lp_change(mco_lp *lp, bool needs_primal)
{
    lp->is_optimal = false;
    lp->needs_primal |= needs_primal;
}

// Whether the solver's values are an optimum: recomputes activities and reduced costs from the matrix and tests rows, bounds and
// signs, each within 10^-6 of the size of what it sums. *is_optimal is false where one breaks. Errors: MEMORY.
mco_status lp_test_optimum(mco_context *ctx, const mco_lp *lp, bool *is_optimal);

#endif
