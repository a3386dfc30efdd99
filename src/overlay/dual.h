// SPDX-License-Identifier: MIT
// Upper bounds by duals. A method is a way to change all duals at once, from those of the iteration before (Jacobi). So results do not
// depend on the number of threads, and engines agree bit for bit: everything that decides is an integer.
#ifndef MCO_OVERLAY_DUAL_H
#define MCO_OVERLAY_DUAL_H

#include "base/ranks.h"
#include "base/run.h"
#include "base/team.h"
#include "overlay/rows.h"

typedef struct overlay_dual {
    mco_context *ctx;
    mco_run *run;
    const mco_overlay *o;
    const mco_overlay_bound_params *p;  // with settled iterations and steps
    const overlay_build *build;
    mco_team team;
    overlay_prices prices;  // of the sweep
    overlay_row *rows;      // [2 * workers] that of each worker; then a part of it
    int workers;
    int64_t block, blocks;  // nodes of a block, blocks
    overlay_sum *part;      // [blocks] of a sweep: doubled bounds
    atomic_bool is_cut;     // the sweep was ended by a limit
    double stop_s;          // the end of the run, less what the check of the bound will take
    double fastest_s;       // time of the fastest sweep
    uint32_t *dual, *next;  // [nodes], padded
    uint32_t *best;         // [nodes] of the least bound
    overlay_sum least;      // the least doubled bound
    int64_t iterations, best_iteration;
    // Of the methods.
    uint32_t width;         // jump: of the ramp that stands for the step; 0: none
    uint32_t *reach;        // [nodes] jump: how far a node looks first
    uint32_t *loads;        // [workers * room] complete instances: load of the node at each place, what each worker has found; else NULL
    int64_t room;
    int64_t *excess;        // [nodes] std: load less bandwidth, which overlay_measure() fills; else NULL
    uint64_t *alpha;        // [nodes] dist: step in units of 2^-48
    int32_t *stalls;        // [nodes] dist: steps without gain
    // Of several ranks (exchange.c); else NULL.
    uint32_t *packed;       // [nodes] new duals, those of a rank behind each other
    int64_t *first;         // [ranks + 1] where those of a rank begin, in bytes
    double share;           // of the time limit that has passed, as all ranks see it
    bool is_asynchronous;   // the ranks have parted: a sweep is that of this rank alone (asynchronous.c)
} overlay_dual;

// Opens duals at zero, and settles what the parameters leave open. overlay_dual_close() releases it. Errors: MEMORY.
mco_status overlay_dual_open(mco_context *ctx, mco_run *run, const mco_overlay *o, const mco_overlay_bound_params *p,
                             const overlay_build *build, int threads, overlay_dual *out);
void overlay_dual_close(overlay_dual *d);

// What a node does in a sweep: looks at its row, writes its new dual to d->next and returns what the row is worth at the present duals.
typedef uint64_t overlay_node(overlay_dual *d, overlay_row *row, int32_t i);

// Fills the row of node i with the links whose excess is above `low`.
static inline void overlay_fill_row(const overlay_dual *d, overlay_row *row, int32_t i, uint32_t low)
{
    d->build->load(&d->prices, i, low, row);
}

// One iteration. *bound: the doubled bound of the duals before it. False: a limit ended it, duals and bound are void.
bool overlay_sweep(overlay_dual *d, overlay_node *node, overlay_sum *bound);
// Takes the bound of the present duals if it is the least. Errors: MEMORY.
mco_status overlay_note(overlay_dual *d, overlay_sum bound);
// The same; then d->next becomes the present ones.
mco_status overlay_take(overlay_dual *d, overlay_sum bound);
// Whether the run goes on.
bool overlay_goes_on(overlay_dual *d);
// The bound of the best duals by the checker, each link once: what this rank has of it. All workers take part. False: a cancel ended the check,
// and *sum is void. After a run that a cancel has ended the check goes on.
bool overlay_check_best(overlay_dual *d, overlay_sum *sum);
// Makes the best duals the present ones, once a sweep has measured some.
void overlay_return(overlay_dual *d);

// Tests now and then whether the least bound is within p->gap of a feasible fractional overlay; then the run ends as GAP, and *goes_on
// becomes false. Errors: MEMORY.
mco_status overlay_test_gap(overlay_dual *d, bool *goes_on);

// ---- Several ranks (exchange.c). One rank alone keeps what it has.

mco_status overlay_exchange_open(overlay_dual *d);  // Errors: MEMORY.
// Blocks of this rank: that of its number, and every ranks-th behind it.
int64_t overlay_own_blocks(const overlay_dual *d);
// Copies duals [nodes] of the nodes of a rank to packed[], block behind block, or back. They take first[rank + 1] - first[rank] bytes.
void overlay_pack(const overlay_dual *d, int rank, uint32_t *duals, uint32_t *packed, bool is_back);
// Behind a sweep: sums up the bound, and spreads the new duals if it `moves` nodes, else the excesses. False: a limit or a failed rank
// has ended the sweep.
bool overlay_exchange(overlay_dual *d, bool moves, overlay_sum *bound);
// The share of the time limit that has passed, the same on all ranks.
double overlay_share(const overlay_dual *d);
// overlay_check_best() of all ranks together. Errors: STOPPED (a cancel of any rank ended the check), those of other ranks.
mco_status overlay_check_together(overlay_dual *d, overlay_sum *sum);
// Takes over what the first rank has found about the gap. Errors: those of other ranks.
mco_status overlay_agree_on_gap(overlay_dual *d, bool *goes_on);

// Whether the ranks sweep together, each iteration in common.
static inline bool overlay_is_shared(const overlay_dual *d)
{
    return mco_rank_count(d->ctx) > 1 && !d->is_asynchronous;
}

// The distributed method without common iterations (asynchronous.c). Afterwards the ranks have parted, and d->best is the same on all that
// answer. Errors: MEMORY, STOPPED (the first rank does not answer).
mco_status overlay_dist_asynchronous(overlay_dual *d);

static inline bool overlay_less(overlay_sum a, overlay_sum b)
{
    return a.high != b.high ? a.high < b.high : a.low < b.low;
}
// Of doubled bounds, in units.
static inline double overlay_units(overlay_sum sum)
{
    return (double)sum.high * 18446744073709551616.0 + (double)sum.low;
}

// A node that stays where it is: for the bound of the present duals, and d->excess. Sweeps of complete instances know it and take groups
// of nodes at once.
uint64_t overlay_measure(overlay_dual *d, overlay_row *row, int32_t i);

// A node that jumps: 0.6 of the way to the least bound that it alone can reach. d->reach and d->width are set.
uint64_t overlay_jump_node(overlay_dual *d, overlay_row *row, int32_t i);

// Width of the ramp, in units of duals, when this share of the iterations with one is done, from 0.
uint32_t overlay_ramp_width(double done);

// ---- The methods. Each ends after p->iterations, or when the run does.

mco_status overlay_jump(overlay_dual *d);
mco_status overlay_std(overlay_dual *d);
mco_status overlay_dist(overlay_dual *d);
// The steps of one node in dist, which overlay_dist_open() prepares. It knows the duals of the others as the sweep tells them: they may be
// stale. Errors: MEMORY.
mco_status overlay_dist_open(overlay_dual *d);
uint64_t overlay_dist_node(overlay_dual *d, overlay_row *row, int32_t i);

// Solves the linear program from the best duals. *value: that of the last optimum; it is not touched where there is none. *is_exact: no
// other link could raise it. Errors: IO (no solver), MEMORY, INTERNAL.
mco_status overlay_program(overlay_dual *d, double *value, bool *is_exact);

// As mco_overlay_bound(), as a part of another call: a cancel stays.
mco_status overlay_bound(mco_context *ctx, const mco_overlay *instance, const mco_overlay_bound_params *params,
                         mco_overlay_bound_result *result);

// The worth of a feasible fractional overlay, found by a search that duals guide: a lower bound of the linear program. The
// first overlay is the answer if it is worth `hopeless` at most. Errors: MEMORY. O(links) and the search.
mco_status overlay_split_worth(overlay_dual *d, const uint32_t *dual, double hopeless, double *value);

#endif
