// SPDX-License-Identifier: MIT
// The permutation flow shop with makespan objective (Fm | prmu | Cmax).
//
// Each of n jobs visits m machines in the same machine order, and each machine takes the jobs in the same job order.
// The problem asks for the job order whose last job ends earliest. With p(t,k) the time of the t-th job on machine k,
// its completion time is C(t,k) = max(C(t-1,k), C(t,k-1)) + p(t,k).
#ifndef MCO_FLOWSHOP_H
#define MCO_FLOWSHOP_H

#include "mco/devices.h"
#include "mco/engine.h"
#include "mco/flowshop_options.def"

MCO_BEGIN_C

// ---- Limits. A value beyond a limit is refused, with a message that names the value and the limit.
enum {
    MCO_FLOWSHOP_MAX_JOBS = 20000,
    MCO_FLOWSHOP_MAX_TREE_JOBS = 2000,  // for branch and bound; the heuristic has no such limit
    MCO_FLOWSHOP_MAX_PAIR_CELLS = 1 << 24,  // for LB2: jobs * machines * (machines - 1) / 2
    MCO_FLOWSHOP_MAX_MACHINES = 1000,
    MCO_FLOWSHOP_MAX_TIME = 1000000  // one processing time
};
// The limits of times hold for integers, as the functions here take and give them. Times with decimals are integers by
// a common power of ten (mco_flowshop_scale()). A further limit: (jobs + machines - 1) times the largest time is at
// most 2^31 - 1. This product bounds every makespan and every lower bound.

// ---- Instance. It is immutable after creation; threads may share it.

typedef struct mco_flowshop mco_flowshop;

// Creates an instance from an array of times [machines * jobs], which is copied. The times of machine 0 come first,
// then those of machine 1, and so on. Each is 0..MCO_FLOWSHOP_MAX_TIME. Errors: ARGUMENT, LIMIT, MEMORY. O(n m).
MCO_API mco_status mco_flowshop_create(mco_context *ctx, int32_t jobs, int32_t machines, const int32_t *times,
                                       mco_flowshop **out);

// Reads an instance from a file: Taillard's text format, the format of Vallada, Ruiz and Framinan (2015), or CSV with
// names (docs/formats.md). The file may be compressed by gzip. "-" is standard input. `which` chooses among several
// instances of a file, counted from 1. It may be 0 if the file holds one instance. Times may have decimals; see
// mco_flowshop_scale(). Errors: IO, PARSE (with path:line:column), LIMIT, ARGUMENT (no such instance), MEMORY.
MCO_API mco_status mco_flowshop_read(mco_context *ctx, const char *path, int32_t which, mco_flowshop **out);

// Makes one of Taillard's 120 instances (1993), "ta001" to "ta120", from its published seed.
MCO_API mco_status mco_flowshop_taillard(mco_context *ctx, const char *name, mco_flowshop **out);

// Makes an instance with random times, uniform in 1..99, by Taillard's generator from `seed` (1..2^31-2).
MCO_API mco_status mco_flowshop_generate(mco_context *ctx, int32_t jobs, int32_t machines, int32_t seed,
                                         mco_flowshop **out);

// Writes the instance in Taillard's text format; path "-" is standard output. Errors: IO.
MCO_API mco_status mco_flowshop_write(mco_context *ctx, const mco_flowshop *shop, const char *path);

MCO_API void mco_flowshop_destroy(mco_context *ctx, mco_flowshop **shop);

MCO_API int32_t mco_flowshop_jobs(const mco_flowshop *shop);
MCO_API int32_t mco_flowshop_machines(const mco_flowshop *shop);
MCO_API int32_t mco_flowshop_time(const mco_flowshop *shop, int32_t machine, int32_t job);
// All integers that stand for time (times, makespans, bounds) are multiples of 1 / scale of the file's unit. The scale
// is 10^d, where d is the largest number of decimals in the file, 0 to 6. It is 1 for an instance that comes from no
// file. Exceptions, in the file's unit: mco_flowshop_params, mco_progress, the history, and the files that the library
// writes.
MCO_API int32_t mco_flowshop_scale(const mco_flowshop *shop);
// Names as read. Without names, jobs are "1", "2", ... and machines "M1", "M2", ... Owned by the instance.
MCO_API const char *mco_flowshop_name(const mco_flowshop *shop);
MCO_API const char *mco_flowshop_job_name(const mco_flowshop *shop, int32_t job);
MCO_API const char *mco_flowshop_machine_name(const mco_flowshop *shop, int32_t machine);
// The best known makespan and the best published lower bound of a Taillard instance; -1 for other instances.
MCO_API void mco_flowshop_best_known(const mco_flowshop *shop, int64_t *makespan, int64_t *bound);

// A schedule, as the progress of a solve shows it.
typedef struct mco_flowshop_solution {
    int32_t jobs;
    const int32_t *order;  // [jobs] 0-based
    int64_t makespan;
} mco_flowshop_solution;

// ---- Checking

// Recomputes the makespan of `order` [count], 0-based jobs. Errors: CHECK if `order` is not a permutation of all jobs,
// with the position and the value. O(n m).
MCO_API mco_status mco_flowshop_check(mco_context *ctx, const mco_flowshop *shop, const int32_t *order,
                                      int64_t count, int64_t *makespan);

// Reads an order from job numbers 1..n, from job names, from a file that the solver wrote, or from a result file
// (docs/formats.md). `order` [jobs] receives 0-based jobs. *makespan receives what the file states, in the file's unit;
// NaN if it states none. A wrong number of jobs, or a job that appears twice, is MCO_ERR_PARSE with the place.
MCO_API mco_status mco_flowshop_read_solution(mco_context *ctx, const mco_flowshop *shop, const char *path, int32_t *order,
                                              double *makespan);
// The same without the makespan.
MCO_API mco_status mco_flowshop_read_order(mco_context *ctx, const mco_flowshop *shop, const char *path,
                                           int32_t *order);
// Writes the job numbers 1..n on one line, then comment lines: the names of the jobs if there are any, and the
// makespan.
MCO_API mco_status mco_flowshop_write_order(mco_context *ctx, const mco_flowshop *shop, const int32_t *order,
                                            const char *path);
// Writes the schedule as CSV: a row for each operation, machine by machine in the order of work. O(n m).
MCO_API mco_status mco_flowshop_write_schedule(mco_context *ctx, const mco_flowshop *shop, const int32_t *order,
                                               const char *path);

// Draws the schedule as a Gantt chart with its critical path (SVG).
MCO_API mco_status mco_flowshop_plot(mco_context *ctx, const mco_flowshop *shop, const int32_t *order,
                                     const char *path);

// ---- Solving

typedef enum mco_flowshop_method {
    MCO_FLOWSHOP_METHOD_BB,
    MCO_FLOWSHOP_METHOD_HEURISTIC,
    MCO_FLOWSHOP_METHOD_BEAM
} mco_flowshop_method;
typedef enum mco_flowshop_bound {
    MCO_FLOWSHOP_BOUND_AUTO,
    MCO_FLOWSHOP_BOUND_LB1,
    MCO_FLOWSHOP_BOUND_LB2
} mco_flowshop_bound;
typedef enum mco_flowshop_branching {
    MCO_FLOWSHOP_BRANCHING_AUTO,
    MCO_FLOWSHOP_BRANCHING_FORWARD,
    MCO_FLOWSHOP_BRANCHING_BACKWARD,
    MCO_FLOWSHOP_BRANCHING_ALTERNATE,
    MCO_FLOWSHOP_BRANCHING_MINBRANCH,
    MCO_FLOWSHOP_BRANCHING_MINMIN,
    MCO_FLOWSHOP_BRANCHING_MAXSUM
} mco_flowshop_branching;
typedef enum mco_flowshop_select { MCO_FLOWSHOP_SELECT_DEPTH, MCO_FLOWSHOP_SELECT_BEST } mco_flowshop_select;

// flowshop_options.def lists the fields, their defaults and their meanings.
typedef struct mco_flowshop_params {
    size_t struct_size;
    MCO_FIELDS(MCO_FLOWSHOP_OPTIONS)
    const int32_t *start;  // [jobs] a known schedule, 0-based; borrowed; NULL: none
} mco_flowshop_params;

#define MCO_FLOWSHOP_PARAMS_INIT { sizeof(mco_flowshop_params), MCO_DEFAULTS(MCO_FLOWSHOP_OPTIONS) NULL }

// The table of all options of the solver.
MCO_API const mco_option_table *mco_flowshop_options(void);

// What a solve returns. The result owns its arrays; mco_flowshop_result_clear() releases them.
typedef struct mco_flowshop_result {
    size_t struct_size;
    mco_outcome outcome;
    mco_stop stop;
    int64_t makespan;  // in multiples of 1 / mco_flowshop_scale(), as `bound`; -1 while no schedule is known
    int64_t bound;     // proven: no schedule is shorter
    int32_t *order;    // [jobs], 0-based; NULL while no schedule is known

    mco_work work;
    // The values used; they show what auto has chosen.
    mco_flowshop_bound bound_used;
    mco_flowshop_branching branching_used;
    int64_t upper_bound_used;  // U, which the branching rules use; -1 without branch and bound

    // Counters. They also cover the earlier legs of a resumed search. A node is decomposed when the bounds of its
    // children are computed.
    int64_t nodes;       // decomposed nodes with 1..n-2 jobs fixed
    int64_t bounds;      // lower bounds that the branching rule asks for: of one end, or of both
    int64_t leaves;      // complete schedules reached by the tree search
    int64_t steals;      // times that a part of the work went to another worker
    int64_t iterations;  // of the heuristic, sum over all threads; of --method beam: beams
    int64_t nodes_resumed;        // the part of `nodes` that earlier legs decomposed
    bool is_checkpoint_lost;      // the last checkpoint was not written; mco_context_error() says why
    int64_t *nodes_by_depth;      // [jobs + 1] `nodes` by the number of jobs fixed
    int32_t children_columns;     // min(jobs, 256) + 1
    int64_t *children_by_depth;   // [(jobs + 1) * children_columns] nodes by depth and by number of
                                  // surviving children; the last column counts that number or more

    mco_improvement *history;  // [history_count] improvements, in order of time
    int64_t history_count;
    double heuristic_s;  // the part of work.solve_s before the tree search
    char reason[MCO_REASON_ROOM];  // why there is no solution, one line; "" where there is one or nothing is known
    int64_t beam_width, beam_bytes;  // of --method beam: the widest beam that is complete, and the memory it takes on cores or each GPU
} mco_flowshop_result;

#define MCO_FLOWSHOP_RESULT_INIT MCO_SIZED(mco_flowshop_result)

// Solves `shop`. MCO_OK means that *result is valid, whatever the outcome; its order has been checked against the raw
// instance. Zero jobs give makespan 0. Memory grows with threads * jobs * (jobs + machines). Errors: ARGUMENT, MEMORY,
// IO and PARSE (checkpoints), INTERNAL.
MCO_API mco_status mco_flowshop_solve(mco_context *ctx, const mco_flowshop *shop,
                                      const mco_flowshop_params *params, mco_flowshop_result *result);

MCO_API void mco_flowshop_result_clear(mco_context *ctx, mco_flowshop_result *result);

// Draws the schedule of a result as mco_flowshop_plot() does; the title has its gap or "optimal". Errors: also ARGUMENT
// (the result has no schedule).
MCO_API mco_status mco_flowshop_plot_result(mco_context *ctx, const mco_flowshop *shop, const mco_flowshop_result *result,
                                            const char *path);

// Writes the result file (docs/formats.md). `more` lists further options to echo and ends with an entry whose table is
// NULL. `more` NULL: none. Errors: ARGUMENT, IO.
MCO_API mco_status mco_flowshop_write_result(mco_context *ctx, const mco_flowshop *shop, const mco_flowshop_params *params,
                                             const mco_flowshop_result *result, const mco_option_values *more,
                                             const char *path);

// Computes a lower bound on the makespan of every schedule. LB1 is Taillard's bound (1993), in O(n m). It is the
// maximum, over the machines, of the load plus the smallest head and the smallest tail; and over the jobs, of the total
// time. LB2 also takes every pair of machines by Johnson's rule with lags, in O(n m^2 + m^2 n log n). mco_cancel() ends
// it early, with the best bound so far.
MCO_API mco_status mco_flowshop_lower_bound(mco_context *ctx, const mco_flowshop *shop, mco_flowshop_bound bound,
                                            int64_t *out);
// The same with a time limit in seconds (INFINITY: none). *stop receives FINISHED, TIME or CANCELLED. LB1 is computed
// whatever the limit.
MCO_API mco_status mco_flowshop_lower_bound_within(mco_context *ctx, const mco_flowshop *shop, mco_flowshop_bound bound,
                                                   double time_limit_s, int64_t *out, mco_stop *stop);

MCO_END_C
#endif
