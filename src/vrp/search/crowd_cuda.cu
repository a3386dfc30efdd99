// SPDX-License-Identifier: MIT
// Launchers of a crowd on a GPU.
#include "vrp/search/crowd_cuda.h"

#include "vrp/search/crowd.cuh"

using namespace vrp_crowds;

cudaError_t vrp_crowd_resident(bool has_length, int32_t *out)
{
    int blocks = 0;
    const cudaError_t error = has_length ? cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk_crowd<true>, LANES, 0)
                                         : cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk_crowd<false>, LANES, 0);
    *out = blocks;
    return error;
}

cudaError_t vrp_launch_crowd_begin(const vrp_crowd *crowd, cudaStream_t stream)
{
    const vrp_crowd_plan plan = {};
    return crowd->has_length ? launch(begin_crowd<true>, 1, LANES, 0, stream, *crowd, plan)
                             : launch(begin_crowd<false>, 1, LANES, 0, stream, *crowd, plan);
}

cudaError_t vrp_launch_crowd_copy(const vrp_crowd *crowd, const int32_t *from, const int32_t *to, int32_t count, cudaStream_t stream)
{
    constexpr unsigned int THREADS = 256;
    return launch(copy_crowd, dim3((unsigned int)count), THREADS, 0, stream, *crowd, from, to);
}

cudaError_t vrp_launch_crowd_cut(const vrp_crowd *crowd, uint64_t seed, bool is_same, cudaStream_t stream)
{
    return launch(cut_crowd, dim3((unsigned int)crowd->copies), LANES, 0, stream, *crowd, seed, is_same);
}

cudaError_t vrp_launch_crowd_gather(const vrp_crowd *crowd, int32_t before, cudaStream_t stream)
{
    constexpr unsigned int THREADS = 256;
    return launch(gather_crowd, dim3((unsigned int)crowd->parts), THREADS, 0, stream, *crowd, before);
}

cudaError_t vrp_launch_crowd_walk(const vrp_crowd *crowd, const vrp_crowd_plan *plan, cudaStream_t stream)
{
    const dim3 walks((unsigned int)crowd->copies * (unsigned int)crowd->parts);
    return crowd->has_length ? launch(walk_crowd<true>, walks, LANES, 0, stream, *crowd, *plan)
                             : launch(walk_crowd<false>, walks, LANES, 0, stream, *crowd, *plan);
}
