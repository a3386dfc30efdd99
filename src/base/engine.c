// SPDX-License-Identifier: MIT
#include "mco/engine.h"

const char *mco_engine_text(mco_engine engine)
{
    switch (engine) {
    case MCO_ENGINE_AUTO: return "auto";
    case MCO_ENGINE_CPU: return "cpu";
    case MCO_ENGINE_GPU: return "gpu";
    case MCO_ENGINE_REFERENCE: return "reference";
    case MCO_ENGINE_HYBRID: return "hybrid";
    case MCO_ENGINE_GPU_BOUND: return "gpu-bound";
    case MCO_ENGINE_GPU_MULTINODE: return "gpu-multinode";
    case MCO_ENGINE_GPU_TREE: return "gpu-tree";
    case MCO_ENGINE_GPU_CONCURRENT: return "gpu-concurrent";
    case MCO_ENGINE_GPU_COOPERATIVE: return "gpu-cooperative";
    case MCO_ENGINE_MULTI_GPU_BOUND: return "multi-gpu-bound";
    case MCO_ENGINE_MULTI_GPU_FUNCTIONAL: return "multi-gpu-functional";
    }
    return "?";
}

const char *mco_simd_text(mco_simd simd)
{
    switch (simd) {
    case MCO_SIMD_AUTO: return "auto";
    case MCO_SIMD_AVX512: return "avx512";
    case MCO_SIMD_AVX2: return "avx2";
    case MCO_SIMD_PORTABLE: return "portable";
    }
    return "?";
}
