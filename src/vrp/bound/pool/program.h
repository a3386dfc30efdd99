// SPDX-License-Identifier: MIT
// The linear program over a list of routes, and what its duals prove in integers.
//
// The first customers + 1 columns are artificial, at a cost beyond all plans, so that the program always has a solution: column i - 1
// is a route of customer i that no vehicle drives, column `customers` is a vehicle without customers. The others are routes: the first
// of the list at the beginning, then those that join it at a negative reduced cost (Bixby, Gregory, Lustig, Marsten, Shanno 1992). No
// plan uses an artificial column, so a proof does not ask for their reduced costs, but for those of all routes. Row i - 1 is customer i,
// row `customers` the number of routes, row customers + 1 + k is row k of `cuts`.
#ifndef MCO_VRP_BOUND_POOL_PROGRAM_H
#define MCO_VRP_BOUND_POOL_PROGRAM_H

#include "lp/lp.h"
#include "vrp/bound/prices.h"
#include "vrp/bound/routes.h"

enum { POOL_MOST_CUTS = 2000 };

// Entries of a row: which routes, and how often.
typedef struct pool_row {
    int64_t count;
    int32_t *route;        // [count]
    int32_t *times;        // [count]
    int32_t most;          // of `times`
    int64_t price;         // of the last proof
} pool_row;

typedef struct pool_program {
    mco_context *ctx;
    const vrp_bound_problem *problem;
    double stop_s;
    int32_t threads;       // of trials
    mco_lp *lp;
    int32_t customers, routes, words;
    int64_t *index;        // [routes] in the caller's list
    int64_t *cost;         // [routes] scaled units
    int64_t *first;        // [routes + 1] into `node`
    int32_t *node;         // customers 1..n, in order of visit
    uint64_t *members;     // [routes * words]
    bool *allowed;         // [routes] not fixed to 0 at the present node of the search
    int32_t *column;       // [routes] of the linear program; -1: the route has not joined it
    double *value;         // [routes] in the last optimum
    vrp_cuts cuts;
    pool_row *rows;        // [row_room] of each cut
    int64_t row_room;
    vrp_fleet fleet;       // at the present node
    int64_t artificial;    // cost of an artificial column
    int64_t unit;          // prices of a proof are 1 / unit of a scaled unit
    double most_price;     // of a row with a right-hand side and entries of 1
    int64_t *price;        // [customers + 1] of the last proof
    int64_t *reduced;      // [routes] of the last proof, in its units
    int64_t bound;         // of the last proof, in its units: an optimum proves little before no route joins any more
    double scale;          // of the last proof: its prices are the duals times this, at most 1
} pool_program;

// More than any plan costs, in scaled units.
int64_t pool_most_cost(const vrp_bound_problem *problem);
// Copies the routes that cost less than `known` and visit some customers, none twice; of those with the same customers only the
// cheapest. `known`: a cost in scaled units that plans should undercut, at most pool_most_cost(); it sets the cost of artificial
// columns. The first `begin` of them are columns of the program. Errors: MEMORY, IO, LIMIT (a proof would leave 64 bits), STOPPED.
mco_status pool_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_routes *routes, int64_t known, int32_t begin,
                     double stop_s, pool_program *out);
void pool_close(pool_program *p);
// Takes over row k = cuts.count of `from` onwards: adds rows `from`.. of p->cuts to the program. Errors: MEMORY, STOPPED (some
// rows are missing then: nothing can be proved any more).
mco_status pool_add_rows(pool_program *p, int64_t from);
// Deletes rows of no dual in the last optimum. Saved bases do not fit any more. The program has no optimum before it is solved again, unless
// *has_dropped is false. O(rows). Errors: MEMORY.
mco_status pool_drop_idle_rows(pool_program *p, bool *has_dropped);
// Deletes routes. The arrays move up. Errors: MEMORY.
mco_status pool_keep(pool_program *p, const bool *keep);
// Allows the routes `allowed` and no others, with `fleet`.
mco_status pool_restrict(pool_program *p, const bool *allowed, vrp_fleet fleet);
// Proves p->bound and p->reduced by the duals of the last optimum, for the routes that are allowed.
void pool_prove(pool_program *p);
// Adds the columns of routes that have not joined. Errors: MEMORY.
mco_status pool_add_columns(pool_program *p, const int32_t *route, int32_t count);
// Adds allowed routes of negative reduced cost behind the last proof, the least ones of them. *joined of them; with 0 the optimum is that of
// all routes, and p->value holds it. Errors: MEMORY.
mco_status pool_join(pool_program *p, int32_t *joined);

static inline bool pool_visits(const pool_program *p, int32_t route, int32_t node)
{
    return vrp_set_has(p->members + (int64_t)route * p->words, node);
}

#endif
