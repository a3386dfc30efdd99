// SPDX-License-Identifier: MIT
// Scans of 2-opt on a GPU.
#ifndef MCO_VRP_SWEEP_GPU_TWO_OPT_H
#define MCO_VRP_SWEEP_GPU_TWO_OPT_H

#include "vrp/sweep/gpu.h"

// 2-opt of a symmetric tour. *is_decided is false if this way cannot decide the scan.
mco_status vrp_gpu_scan_two_opt(vrp_engine *engine, vrp_scan *scan, double stop_s, bool *is_decided);
void vrp_gpu_close_chain(vrp_gpu *s);

#endif
