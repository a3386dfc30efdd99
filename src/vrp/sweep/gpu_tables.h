// SPDX-License-Identifier: MIT
// Scans of 3-opt by tables on a GPU.
#ifndef MCO_VRP_SWEEP_GPU_TABLES_H
#define MCO_VRP_SWEEP_GPU_TABLES_H

#include "vrp/sweep/gpu.h"

// 3-opt by tables of a tour whose sums and distances are on the device. *is_decided is false if this way cannot decide
// the scan.
mco_status vrp_gpu_scan_tables(vrp_gpu *s, vrp_scan *scan, double stop_s, bool *stopped, bool *is_decided);

#endif
