// SPDX-License-Identifier: MIT
// The tables of an instance that the kernel of flowshop/gpu/dfs.cu reads: the times, the root, and for LB2 the Johnson
// orders of the pairs of machines.
#ifndef MCO_FLOWSHOP_GPU_TABLES_H
#define MCO_FLOWSHOP_GPU_TABLES_H

#include "device/device_cuda.h"
#include "flowshop/tree/bounds.h"
#include "flowshop/gpu/dfs.h"

// The greatest total time of a job. O(n m).
int64_t flowshop_longest_job(const mco_flowshop *shop);

// Makes the tables for a kernel of this shape and copies them to the device. Closing the device releases them.
// `johnson` is NULL without LB2. Sets times, behind, root_ends and root_remain of `args`; with `johnson` also pairs,
// pair_machines and pair_cells. Errors: MEMORY, DEVICE, in the context of the device. O(n m), with LB2 O(n m^2).
mco_status flowshop_gpu_upload(mco_device *device, const flowshop_dfs_shape *shape, const mco_flowshop *shop,
                               const flowshop_johnson *johnson, flowshop_dfs_args *args);

#endif
