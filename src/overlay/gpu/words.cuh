// SPDX-License-Identifier: MIT
// Words that blocks of a running kernel pass to each other, and launches of blocks that all run at once.
#ifndef MCO_OVERLAY_GPU_WORDS_CUH
#define MCO_OVERLAY_GPU_WORDS_CUH

#include "device/kernel.cuh"

namespace {

using namespace mco;

// A word that the host may write while the kernel runs.
DEVICE int32_t load_word(const int32_t *word)
{
    return *(const volatile int32_t *)word;
}

// A value and its tag in one word of 64 bits, which is read and written as a whole. So no fence and no other word is needed: who finds the
// tag has the value. One way to the L2 cache and one back; a barrier and a load behind it would be two.
DEVICE void send(uint64_t *word, uint32_t value, uint32_t tag)
{
    const uint64_t both = value | (uint64_t)tag << 32;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(both) : "memory");
#else
    *(volatile uint64_t *)word = both;
#endif
}

DEVICE uint64_t look(const uint64_t *word)
{
    uint64_t both;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(both) : "l"(word) : "memory");
#else
    both = *(const volatile uint64_t *)word;
#endif
    return both;
}

// ---- Clusters: C blocks that write to each other's shared memory; 1: a block by itself

// A barrier of the cluster: what any of its threads wrote before, to shared memory of any block, is visible behind it.
template <int C> DEVICE void cluster_barrier()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (C > 1) {
        asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
        return;
    }
#endif
    __syncthreads();
}

// Writes a value to the same place in the shared memory of all blocks of the cluster.
template <int C> DEVICE void give_all(uint32_t *shared, uint32_t value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if (C > 1) {
        const uint32_t here = (uint32_t)__cvta_generic_to_shared(shared);
#pragma unroll
        for (int rank = 0; rank < C; rank++) {
            uint32_t there;
            asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(here), "r"(rank));
            asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(value) : "memory");
        }
        return;
    }
#endif
    *shared = value;
}

// A launch whose blocks, in clusters, are all on the device at once, or an error. `attributes` [2] lives as long as the result.
inline cudaLaunchConfig_t together_with(cudaLaunchAttribute *attributes, int blocks, int threads, int cluster, size_t shared_bytes, cudaStream_t stream)
{
    cudaLaunchConfig_t config = {};
    attributes[0] = {};
    attributes[0].id = cudaLaunchAttributeCooperative;
    attributes[0].val.cooperative = 1;
    attributes[1] = {};
    attributes[1].id = cudaLaunchAttributeClusterDimension;
    attributes[1].val.clusterDim.x = (unsigned int)cluster;
    attributes[1].val.clusterDim.y = 1;
    attributes[1].val.clusterDim.z = 1;
    config.gridDim = dim3((unsigned int)blocks);
    config.blockDim = dim3((unsigned int)threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = attributes;
    config.numAttrs = cluster > 1 ? 2 : 1;
    return config;
}

}  // namespace

#endif
