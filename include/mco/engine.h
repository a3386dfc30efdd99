// SPDX-License-Identifier: MIT
// What computes, in one vocabulary for all problems: engines, vector units, a record of
// what a solve worked with, and the options that choose engines and units.
#ifndef MCO_ENGINE_H
#define MCO_ENGINE_H

#include <math.h>

#include "mco/options.h"

MCO_BEGIN_C

// Each problem has the first engines of this list; its help names them. AUTO chooses one and says why in the log.
typedef enum mco_engine {
    MCO_ENGINE_AUTO,
    MCO_ENGINE_CPU,        // all cores
    MCO_ENGINE_GPU,        // one GPU or several
    MCO_ENGINE_REFERENCE,  // the plain algorithm on one core
    MCO_ENGINE_HYBRID,     // GPUs and all cores on one search tree
    // The systems of Chakroun (2013) for the flow shop: the host keeps a pool of nodes, devices run the operators.
    MCO_ENGINE_GPU_BOUND,            // GB&B: the device computes the bounds
    MCO_ENGINE_GPU_MULTINODE,        // a thread branches, bounds and prunes a whole node
    MCO_ENGINE_GPU_TREE,             // LL-GB&B: one kernel each for branching, bounding and pruning
    MCO_ENGINE_GPU_CONCURRENT,       // RLL-GB&B: GPU and CPU threads share one pool
    MCO_ENGINE_GPU_COOPERATIVE,      // PLL-GB&B: several streams overlap
    MCO_ENGINE_MULTI_GPU_BOUND,      // GB&B; several devices share the pool
    MCO_ENGINE_MULTI_GPU_FUNCTIONAL  // LL-MultiGB&B: one device branches, another one does the rest
} mco_engine;

// The vector unit of the cores.
typedef enum mco_simd {
    MCO_SIMD_AUTO,  // the widest unit of this processor; in a result: no unit was used
    MCO_SIMD_AVX512,
    MCO_SIMD_AVX2,
    MCO_SIMD_PORTABLE
} mco_simd;

// The names that the options use: "auto", "cpu", ...; "?" for a value outside the list. Static storage.
MCO_API const char *mco_engine_text(mco_engine engine);
MCO_API const char *mco_simd_text(mco_simd simd);

// What a solve worked with. It owns no memory.
typedef struct mco_work {
    mco_engine engine;  // never AUTO
    mco_simd simd;      // AUTO if the engine uses no vector unit
    int32_t lane_bits;  // bits of one number in the engine's vectors and tables; 0 if it has neither
    int32_t threads;    // CPU threads, including those that drive a GPU
    uint64_t gpus;      // bit k is set if GPU k of mco_gpus_list() was used
    double device_s;    // kernel time, summed over the GPUs
    double solve_s;     // wall-clock time inside the call
} mco_work;

// ---- Option groups for the lists of the problems. mco/options.h describes the shape of a list.

#define MCO_ENGINE_CHOICES "auto|cpu|gpu|reference"

#define MCO_ENGINE_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                   \
    CHOICE(engine, "--engine", mco_engine, MCO_ENGINE_AUTO, MCO_ENGINE_CHOICES,                                 \
           "what computes: all cores, a GPU, or the plain reference on one core")

#define MCO_PROCESSOR_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                \
    CHOICE(simd, "--simd", mco_simd, MCO_SIMD_AUTO, "auto|avx512|avx2|portable",                                \
           "vector unit; auto takes the widest unit of this processor")                                         \
    TEXT(gpus, "--gpus", "LIST", "GPUs to use: indices like 0,1 or all; the first if not given")                \
    INTEGER(threads, "--threads", 0, 0, 1024, 0, "T",                                                           \
            "worker threads; 0 or not given: one for each processor that this process may use")

#define MCO_MEMORY_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                   \
    INTEGER(memory, "--memory", 0, 1, 1000000, 0, "MIB",                                                        \
            "use at most MIB MiB for tables; if not given, most of the machine's memory")

#define MCO_TIME_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                     \
    REAL(time_limit_s, "--time-limit", HUGE_VAL, 0, HUGE_VAL, HUGE_VAL, "S", "stop after S seconds of wall clock; inf: never")

#define MCO_SEARCH_OPTIONS(INTEGER, REAL, CHOICE, TEXT, FLAG)                                                   \
    INTEGER(seed, "--seed", 1, 0, 9007199254740992, -1, "K", "seed of the random numbers")                      \
    REAL(target, "--target", -1, 0, 1e15, -1, "V", "stop at an objective of V or better")                       \
    REAL(gap, "--gap", 0, 0, 1, 0, "G", "stop when the gap, |objective - bound| / objective, is at most G")

MCO_END_C
#endif
