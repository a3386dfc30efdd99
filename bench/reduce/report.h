// SPDX-License-Identifier: MIT
// Rows of the tables, in text and CSV, and the extremes that the acceptance asks for.
#ifndef MCO_BENCH_REDUCE_REPORT_H
#define MCO_BENCH_REDUCE_REPORT_H

#include "measure.h"

enum { BENCH_CLOCKS = 2, BENCH_BUFFERS = 2 /* hot, rotating */, BENCH_SMALL_COUNT = 1 << 16 };

// The extremes of one clock and kind of buffer in table `cub`.
typedef struct bench_extremes {
    int rows;
    double worst_ratio;  // ours / CUB, of medians
    bench_case worst_case;
    double worst_pairs_ratio;  // median of the ratios of pairs
    double longest_small_s;    // of ours, for at most BENCH_SMALL_COUNT items
    double least_large_share;  // CUB's time / ours at the largest size: the share of CUB's bandwidth
    int64_t largest_count;
} bench_extremes;

typedef struct bench_report {
    FILE *csv;  // NULL: none
    double peak_bytes_per_s;
    bench_extremes extremes[BENCH_CLOCKS][BENCH_BUFFERS];
} bench_report;

// Writes comment lines with the machine, the build and the command, then the names of the columns.
void bench_report_begin(bench_report *report, const bench_run *run, int argc, char **argv);
// Writes a row for each competitor. Our rows in table `cub` count for the extremes.
void bench_report_case(bench_report *report, const bench_case *c, const bench_entry *entries, int entry_count,
                       const bench_shape *shape);
// Writes the extremes, the late samples and the wrong results.
void bench_report_end(bench_report *report, const bench_run *run, double wall_s);

#endif
