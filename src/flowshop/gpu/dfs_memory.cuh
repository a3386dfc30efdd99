// SPDX-License-Identifier: MIT
// Part of flowshop/gpu/dfs.cu: the shared memory of a block. It also holds the counters of nodes if there is room.
#ifndef MCO_FLOWSHOP_GPU_DFS_MEMORY_CUH
#define MCO_FLOWSHOP_GPU_DFS_MEMORY_CUH

#include "flowshop/gpu/dfs_children.cuh"

namespace {

enum { BLOCK = 256 };  // threads

// The layout of a block's shared memory: tables, a record of each search, a further record of each for LB2, counters.
template <class L, int G, int M, int J, int MODE> struct shared_memory {
    typedef typename L::pair pair;
    typedef layout<L, G, M, J> lay;
    pair *times, *behind;
    uint32_t *records, *pairs, *rows;
    __device__ shared_memory(void *memory, int jobs)
        : times(static_cast<pair *>(memory)), behind(times + jobs * lay::JOB_STRIDE),
          records(reinterpret_cast<uint32_t *>(behind + (jobs * G + 3) / 4 * 4)),
          pairs(records + BLOCK / G * lay::RECORD_WORDS),
          rows(pairs + (MODE == PAIRS ? BLOCK / G * lay::PAIR_WORDS : 0))
    {
    }
    static int bytes(int jobs, bool has_rows)
    {
        return (int)sizeof(pair) * (jobs * lay::JOB_STRIDE + (jobs * G + 3) / 4 * 4) +
               4 * (BLOCK / G) * (lay::RECORD_WORDS + (MODE == PAIRS ? lay::PAIR_WORDS : 0)) +
               (has_rows ? 4 * (jobs + 1) * (jobs + 1) : 0);
    }
    // Fills the tables and clears the counters. All threads of the block call this.
    __device__ void fill(const flowshop_dfs_args &a) const
    {
        for (int i = (int)threadIdx.x; i < a.jobs * lay::JOB_STRIDE; i += BLOCK)
            times[i] = static_cast<const pair *>(a.times)[i];
        for (int i = (int)threadIdx.x; i < a.jobs * G; i += BLOCK)
            behind[i] = static_cast<const pair *>(a.behind)[i];
        for (int i = (int)threadIdx.x; a.has_shared_rows && i < (a.jobs + 1) * (a.jobs + 1); i += BLOCK)
            rows[i] = 0;
        __syncthreads();
    }
    template <class S> __device__ void assign(const flowshop_dfs_args &a, S &s) const
    {
        const int lane = (int)(threadIdx.x & 31), in_block = (int)threadIdx.x / G;
        s.t = lane & (G - 1);
        s.shift = lane & ~(G - 1);
        s.jobs = a.jobs;
        s.number = (int)blockIdx.x * (BLOCK / G) + in_block;
        s.s_ends = reinterpret_cast<pair *>(records + in_block * lay::RECORD_WORDS);
        s.s_through = s.s_ends + lay::MACHINES;
        s.s_list = reinterpret_cast<uint8_t *>(s.s_through + lay::MACHINES);
        s.s_child = reinterpret_cast<pair *>(pairs + in_block * lay::PAIR_WORDS);
        s.s_free = reinterpret_cast<uint32_t *>(s.s_child + lay::MACHINES);
        s.s_bounds = reinterpret_cast<int *>(s.s_free + FLOWSHOP_DFS_MAX_JOBS / 32);
        s.first_round = 0;
        s.s_times = times;
        s.s_behind = behind;
        s.frames = a.frames + (int64_t)s.number * a.levels * lay::FRAME_WORDS;
        s.path = a.paths + (int64_t)s.number * a.jobs;
        s.end = a.ends + (int64_t)s.number * a.jobs;
    }
    // Adds the counters of the block to those of the device. All threads of the block call this.
    __device__ void add_rows(const flowshop_dfs_args &a) const
    {
        __syncthreads();
        for (int i = (int)threadIdx.x; a.has_shared_rows && i < (a.jobs + 1) * (a.jobs + 1); i += BLOCK)
            if (rows[i] != 0)
                atomicAdd(&a.rows[i], (unsigned long long)rows[i]);
    }
};

__device__ inline void add_nodes(const flowshop_dfs_args &a, unsigned counted)
{
    const unsigned sum = __reduce_add_sync(ALL_LANES, counted);
    if ((threadIdx.x & 31) == 0 && sum > 0)
        atomicAdd(&a.control->nodes, (unsigned long long)sum);
}

}  // namespace

#endif
