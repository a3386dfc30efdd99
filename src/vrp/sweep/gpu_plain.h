// SPDX-License-Identifier: MIT
// Scans on a GPU that decide every move by itself.
#ifndef MCO_VRP_SWEEP_GPU_PLAIN_H
#define MCO_VRP_SWEEP_GPU_PLAIN_H

#include "vrp/sweep/gpu.h"

// Every move by itself, or with only_open those of 3-opt that tables leave out: then scan->best and rows are improved upon.
mco_status vrp_gpu_scan_plain(vrp_gpu *s, vrp_scan *scan, bool only_open, double stop_s, bool *stopped);
// Nothing is legal: all that a filter keeps is skipped.
mco_status vrp_gpu_scan_hopeless(vrp_gpu *s, vrp_scan *scan, double stop_s, bool *stopped);

#endif
