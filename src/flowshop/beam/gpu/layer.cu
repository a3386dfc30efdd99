// SPDX-License-Identifier: MIT
// A layer of a beam on a GPU: expand, select, make (flowshop/beam/layer.h has the definitions, plain.c is the reference). The whole beam
// stays on the device: two layers of nodes, the keys of one layer's children, and for each layer the parents and moves of its nodes. Several
// GPUs have a beam each in the same state; they share the children (select.cuh says how).
//
// Mapping and operations are at the head of each part: expand.cuh, select.cuh, make.cuh.
//
// Bytes of a node: 16 stride + 8 words + 34 for two layers, 4 jobs for keys (of its share), 6 jobs for parents and moves, 20 for choosing.
//
// Rate. An H200 makes 42.5 G children a second at 500x60 and 72.5 G at 300x20, both ends counted (NOTES.md,
// bench/results/flowshop-beams-gpu.csv). Limit: issue slots. A child and machine takes 2.2 instructions for its bound, and 6.9 for its guide
// at the end that grows.
#include "flowshop/beam/gpu/expand.cuh"
#include "flowshop/beam/gpu/make.cuh"
#include "flowshop/beam/gpu/select.cuh"

namespace {

constexpr int MOST_WARPS = EXPAND_THREADS / WARP;
constexpr size_t SHARED_OF_BLOCK = 1024;  // what the system takes of each block

template <int BYTES> cudaError_t settle(flowshop_beam_gpu_shape *shape)
{
    int blocks = 0;
    cudaError_t error = allow_shared(expand<BYTES>, (size_t)shape->shared_bytes);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, expand<BYTES>, shape->warps * WARP, (size_t)shape->shared_bytes);
    shape->blocks = blocks * shape->multiprocessors;
    return error;
}

}  // namespace

cudaError_t flowshop_beam_gpu_settle(const flowshop_beam_gpu_args *args, int32_t multiprocessors, int32_t shared_limit,
                                     flowshop_beam_gpu_shape *shape)
{
    *shape = (flowshop_beam_gpu_shape){multiprocessors, MOST_WARPS, 0, 0};
    // Two blocks a multiprocessor where both have ten warps or more, else one.
    size_t most = (size_t)shared_limit / 2 - SHARED_OF_BLOCK;
    if (table_bytes(*args) + 10 * warp_bytes(*args) > most)
        most = (size_t)shared_limit;
    while (shape->warps > 0 && table_bytes(*args) + (size_t)shape->warps * warp_bytes(*args) > most)
        shape->warps--;
    if (shape->warps == 0)
        return cudaSuccess;
    shape->shared_bytes = (int32_t)(table_bytes(*args) + (size_t)shape->warps * warp_bytes(*args));
    return args->time_bytes == 1 ? settle<1>(shape) : settle<2>(shape);
}

cudaError_t flowshop_beam_gpu_launch(const flowshop_beam_gpu_args *args, const flowshop_beam_gpu_shape *shape, int step, cudaStream_t stream)
{
    const flowshop_beam_gpu_args &a = *args;
    const dim3 selectors((unsigned int)a.select_blocks), makers((unsigned int)shape->multiprocessors * 8);
    cudaError_t error = cudaSuccess;
    switch (step) {
    case 0:
        return launch(a.time_bytes == 1 ? expand<1> : expand<2>, dim3((unsigned int)shape->blocks), (unsigned int)shape->warps * WARP,
                      (size_t)shape->shared_bytes, stream, a);
    case 1:
        if (a.depth + 1 == a.jobs)
            return launch(take_leaf, dim3(1), LEAF_THREADS, 0, stream, a);
        return launch(count_digit, selectors, SELECT_THREADS, 0, stream, a, 0);
    case 2:
        error = launch(place_digit, selectors, SELECT_THREADS, 0, stream, a, 0);
        return error != cudaSuccess ? error : launch(write_children, selectors, SELECT_THREADS, 0, stream, a, 0);
    case 3:
        return launch(count_digit, selectors, SELECT_THREADS, 0, stream, a, 1);
    case 4:
        error = launch(place_digit, dim3(1), SELECT_THREADS, 0, stream, a, 1);
        return error != cudaSuccess ? error : launch(count_digit, selectors, SELECT_THREADS, 0, stream, a, LAST_DIGIT);
    case 5:
        error = launch(place_digit, selectors, SELECT_THREADS, 0, stream, a, LAST_DIGIT);
        return error != cudaSuccess ? error : launch(write_children, selectors, SELECT_THREADS, 0, stream, a, LAST_DIGIT);
    default:
        return launch(make_nodes, makers, MAKE_THREADS, 0, stream, a);
    }
}
