// SPDX-License-Identifier: MIT
// Launchers of the kernels of the pool systems. Tables and arrays point to device memory. The work is queued on
// `stream`. `block` is the number of threads of a block, a multiple of 32 up to 1024.
#ifndef MCO_FLOWSHOP_SYSTEMS_CUDA_H
#define MCO_FLOWSHOP_SYSTEMS_CUDA_H

#include <cuda_runtime_api.h>

#include "flowshop/kernels.h"

MCO_BEGIN_C

cudaError_t flowshop_cuda_ends(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream);
cudaError_t flowshop_cuda_branch(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream);
cudaError_t flowshop_cuda_bound(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream);
cudaError_t flowshop_cuda_bound_child(const flowshop_tables *t, const flowshop_arrays *a, int block,
                                      cudaStream_t stream);
cudaError_t flowshop_cuda_prune(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream);
cudaError_t flowshop_cuda_node(const flowshop_tables *t, const flowshop_arrays *a, int block, cudaStream_t stream);

MCO_END_C

#endif
