// SPDX-License-Identifier: MIT
// One layer of a beam: nodes with equally many jobs placed, and the bounds and guides of all their children. There is one
// table of functions per vector unit and lane width, and a plain one, the reference. All give the same bits.
//
// A node has placed some jobs in front and some at the back. Its children place one more job at one end, which the rule
// chooses. For machine k, and the end that grows:
//
//     free[k]   when the machine is free there: the front, or the time from the last job's start at the back to the end
//     idle[k]   how much of that it has waited
//     rest[k]   the work of the free jobs, and the time that the other end needs
//     start[k] = max(free[k], start[k'] + time[k'])  of a job placed next, k' the machine before k in the order of that end
//
//     bound = max(bound of the node, max over k of start[k] + rest[k])
//
// The rule takes the end with fewer children below `upper`; tie: the larger sum of min(bound, upper); tie: the front. The
// root grows in front.
//
// The guide weighs the bound with idle time (L. Libralesso, P. Focke, A. Secardin, V. Jost, EJOR 301, 2022):
//
//     guide = bound * (share + idle_share * (1 - share) * weight),     share = jobs placed / jobs
//     weight = sum over k of idle[k] / free[k], of both ends
//
// Here the weight of the end that grows is linear in the new gap and in the time of the job, so that a child needs no division. It is the
// tangent of idle / free at free[k] + mean[k], where the mean job would leave the machine. Its slopes are rounded to 16 bits:
//
//     reach[k] = free[k] + mean[k],   base = min over k of reach[k],   spare[k] = largest time of all - time[k]
//     unit[k] = floor(65535 base / reach[k]),   time_slope[k] = floor(unit[k] idle[k] / reach[k]),   gap_slope[k] = unit[k] - time_slope[k]
//     sum    = sum over k of floor(2^shift gap[k] gap_slope[k] / 2^16) + floor(2^shift spare[k] time_slope[k] / 2^16),  gap = start - free
//     weight = max(0, weight of the node + min(65535, sum) / (2^shift base))
//
// A tangent may fall below 0 where a job is more than twice as long as the mean; its curve does not.
//
// A complete schedule has its makespan in place of the guide. Keys are the bits of the guide as a float: they compare as the
// guides do. While one end of a child is empty, its key has bit 31, so that it comes after all others.
#ifndef MCO_FLOWSHOP_BEAM_LAYER_H
#define MCO_FLOWSHOP_BEAM_LAYER_H

#include "base/simd.h"
#include "flowshop/instance.h"

// What all layers of a beam share.
typedef struct flowshop_beam_shape {
    int32_t jobs, machines;
    int32_t words;          // of 64 jobs, in the set of free jobs
    int32_t shift;          // gaps and spare times count times 2^shift; below 0: divided, rounded down
    int32_t largest;        // time
    bool fits;              // the first incumbent and `machines` times `largest` stay below 2^16
    float idle_share;
    const int32_t *times;   // [jobs * machines], job-major
    const int32_t *rows;    // [machines * jobs], the same, machine-major
    const int32_t *totals;  // [machines]
    const int32_t *means;   // [machines], at least 1
} flowshop_beam_shape;

typedef struct flowshop_beam_layer {
    const flowshop_beam_shape *shape;
    int64_t upper;         // children are pruned from this bound on
    int32_t depth;         // jobs placed in each node
    int32_t columns;       // jobs that are free in some node
    int32_t stride;        // columns, rounded up to a multiple of 64
    const int32_t *jobs;   // [columns], ascending
    const uint64_t *free;  // [words], the set of them
    void *table;           // 3 [machines][stride] lanes: times, shifted times and spare times, as the vectors want them
    char *nodes;           // of node_bytes each
    uint8_t *sides;        // of each node: 0 the front grows, 1 the back
} flowshop_beam_layer;

// What long loops ask now and then. True: the run is over. Then they give up, and what they were to compute is void.
typedef bool flowshop_beam_look(void *user);

// Keeps the best children that one thread meets. A child is key << 32 | node * columns + column. The lower halves ascend, and
// where keys are equal the lesser one wins.
typedef struct flowshop_beam_sieve {
    uint64_t *children;  // [room], room for 2 width + 64 at least
    int64_t count, room;
    int64_t width;       // of which so many may stay
    uint32_t limit;      // keys from here on are too late
    bool has_limit;
    int64_t seen;        // children below upper
    int64_t bounded;     // children
    void *scratch;       // of scratch_bytes, for expand()
    flowshop_beam_look *look;  // for flowshop_beam_squeeze(); NULL: it never gives up
    void *user;                // of look
} flowshop_beam_sieve;

// Makes room in a full sieve: the best `width` children stay, in their order. If look() says so, none stay.
void flowshop_beam_squeeze(flowshop_beam_sieve *sieve);

typedef struct flowshop_beam_ops {
    mco_build build;
    int64_t (*node_bytes)(const flowshop_beam_shape *shape);
    int64_t (*scratch_bytes)(const flowshop_beam_shape *shape);
    void (*make_root)(const flowshop_beam_shape *shape, void *node);
    // Adds the free jobs of `count` nodes to `free` [words].
    void (*join_free)(const flowshop_beam_shape *shape, const char *nodes, int64_t count, uint64_t *free);
    // Fills the table. O(columns machines): some 50 ms at 20,000 jobs and 1,000 machines.
    void (*fill_table)(const flowshop_beam_layer *layer);
    // Offers the children of nodes [first, last) to the sieve, and writes the sides. O((last - first) columns machines).
    void (*expand)(const flowshop_beam_layer *layer, int64_t first, int64_t last, flowshop_beam_sieve *sieve);
    // Makes the child of `node` with `job` at the side of that node. Returns its bound.
    uint32_t (*make_child)(const flowshop_beam_layer *layer, int64_t node, int32_t job, void *child);
} flowshop_beam_ops;

extern const flowshop_beam_ops flowshop_beam_plain;

// The table for the widest vector unit of this processor, or for the unit asked for, with lanes of 16 or 32 bits. Errors:
// ARGUMENT, this processor lacks the unit.
mco_status flowshop_beam_choose(mco_context *ctx, mco_simd simd, int bits, const flowshop_beam_ops **out);

#endif
