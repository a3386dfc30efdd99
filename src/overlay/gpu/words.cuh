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

// Two words at once, at an address of 16 bytes. Each is read and written as a whole, but not both together: each needs a tag.
DEVICE void send_two(uint64_t *words, uint64_t first, uint64_t second)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(words), "l"(first), "l"(second) : "memory");
#else
    *(volatile uint64_t *)words = first;
    *(volatile uint64_t *)(words + 1) = second;
#endif
}

DEVICE void look_at_two(const uint64_t *words, uint64_t &first, uint64_t &second)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(first), "=l"(second) : "l"(words) : "memory");
#else
    first = *(const volatile uint64_t *)words;
    second = *(const volatile uint64_t *)(words + 1);
#endif
}

// Looks that come too early cost a way to the L2 cache and back, and those of many blocks hold up the words that they wait for.
DEVICE void pause_for(int clocks)
{
    const long long begin = clock64();
    while (clock64() - begin < clocks)
        ;
}

// A launch whose blocks are all on the device at once, or an error.
template <class... PARAMETERS, class... ARGUMENTS>
cudaError_t launch_together(void (*kernel)(PARAMETERS...), int blocks, int threads, size_t shared_bytes, cudaStream_t stream,
                            const ARGUMENTS &...arguments)
{
    cudaLaunchAttribute together = {};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned int)blocks);
    config.blockDim = dim3((unsigned int)threads);
    config.dynamicSmemBytes = shared_bytes;
    config.stream = stream;
    config.attrs = &together;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace

#endif
