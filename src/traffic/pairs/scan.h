// SPDX-License-Identifier: MIT
// One outer pass of the method of pairs at frozen costs: least-cost trees of all rows, their excess, and links that deserve a pair.
// A scanner is a table of functions, of the cores or of a GPU; the balance of pairs (balance.c) is written once over it.
#ifndef MCO_TRAFFIC_PAIRS_SCAN_H
#define MCO_TRAFFIC_PAIRS_SCAN_H

#include "traffic/engine.h"

// A link with flow of a row whose reduced cost times flow exceeds the threshold.
typedef struct traffic_candidate {
    int32_t row, link;
    double reduced;  // label[tail] + cost - label[head], 0 or more
} traffic_candidate;

// What a scan found. Candidates stand by row, then by link, whatever the number of threads.
typedef struct traffic_scan {
    double total, excess;            // sum of flow * cost, sum of flow * reduced cost: the gap is excess / total
    int64_t count;
    const traffic_candidate *candidate;  // [count] owned by the scanner until the next scan
} traffic_scan;

typedef struct traffic_scanner {
    void *self;
    // Assigns the trips of rows [count] to their least-cost trees at costs [classes][links] and stores the flows of these rows.
    mco_status (*load)(void *self, const double *cost, int64_t count, const int32_t *row);
    // Trees and scan at costs [classes][links] (one array where the problem has no extra).
    mco_status (*scan)(void *self, const double *cost, double threshold, traffic_scan *out);
    // The link by which the tree of the last scan enters each node [nodes], -1: none; valid until the next call, for rows with candidates.
    const int32_t *(*tree)(void *self, int32_t row);
    // Flows of a row on links [count], read and written.
    void (*get)(void *self, int32_t row, int64_t count, const int32_t *link, double *flow);
    void (*put)(void *self, int32_t row, int64_t count, const int32_t *link, const double *flow);
    void (*close)(void *self);
} traffic_scanner;

#endif
