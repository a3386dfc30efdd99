// SPDX-License-Identifier: MIT
// Scans on a GPU that decide every move by itself.
#ifndef MCO_VRP_SWEEP_GPU_PLAIN_H
#define MCO_VRP_SWEEP_GPU_PLAIN_H

#include "vrp/sweep/gpu.h"

// Decides all moves. With only_open it decides only the 3-opt moves that tables leave out, and improves scan->best and
// rows.
mco_status vrp_gpu_scan_plain(vrp_gpu *s, vrp_scan *scan, bool only_open, double stop_s, bool *stopped);
// For a tour without a legal move: counts the moves that the filter keeps as skipped.
mco_status vrp_gpu_scan_hopeless(vrp_gpu *s, vrp_scan *scan, double stop_s, bool *stopped);

#endif
