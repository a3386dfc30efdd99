// SPDX-License-Identifier: MIT
// Launchers of a crowd on a GPU.
#include "vrp/search/crowd_cuda.h"

#include "vrp/search/crowd.cuh"
#include "vrp/search/crowd_copies.cuh"

using namespace vrp_crowds;

typedef void crowd_kernel(const vrp_crowd, const vrp_crowd_plan);

static crowd_kernel *walk_of(const vrp_crowd *crowd)
{
    if (crowd->matrix != nullptr)
        return crowd->has_length ? walk_crowd<true, true> : walk_crowd<true, false>;
    return crowd->has_length ? walk_crowd<false, true> : walk_crowd<false, false>;
}

static crowd_kernel *begin_of(const vrp_crowd *crowd)
{
    if (crowd->matrix != nullptr)
        return crowd->has_length ? begin_crowd<true, true> : begin_crowd<true, false>;
    return crowd->has_length ? begin_crowd<false, true> : begin_crowd<false, false>;
}

cudaError_t vrp_crowd_resident(const vrp_crowd *crowd, int32_t *out)
{
    int blocks = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk_of(crowd), LANES, 0);
    *out = blocks;
    return error;
}

cudaError_t vrp_launch_crowd_begin(const vrp_crowd *crowd, cudaStream_t stream)
{
    return launch(begin_of(crowd), 1, LANES, 0, stream, *crowd, vrp_crowd_plan{});
}

cudaError_t vrp_launch_crowd_copy(const vrp_crowd *crowd, const int32_t *from, const int32_t *to, int32_t count,
                                  cudaStream_t stream)
{
    constexpr unsigned int THREADS = 256;
    return launch(copy_crowd, dim3((unsigned int)count), THREADS, 0, stream, *crowd, from, to);
}

cudaError_t vrp_launch_crowd_cut(const vrp_crowd *crowd, uint64_t seed, bool is_same, cudaStream_t stream)
{
    constexpr unsigned int THREADS = 256;
    return launch(crowd->matrix != nullptr ? cut_crowd<true> : cut_crowd<false>, dim3((unsigned int)crowd->copies), THREADS,
                  0, stream, *crowd, seed, is_same);
}

cudaError_t vrp_launch_crowd_gather(const vrp_crowd *crowd, int32_t before, cudaStream_t stream)
{
    constexpr unsigned int THREADS = 256;
    return launch(gather_crowd, dim3((unsigned int)crowd->parts), THREADS, 0, stream, *crowd, before);
}

cudaError_t vrp_launch_crowd_walk(const vrp_crowd *crowd, const vrp_crowd_plan *plan, cudaStream_t stream)
{
    const dim3 walks((unsigned int)crowd->copies * (unsigned int)crowd->parts);
    return launch(walk_of(crowd), walks, LANES, 0, stream, *crowd, *plan);
}
