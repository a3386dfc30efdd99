// SPDX-License-Identifier: MIT
// For the tests that need a GPU. They are plain programs with exit code 0 for passed, 1 for failed, 77 for skipped.
#ifndef MCO_TESTS_GPU_SUPPORT_H
#define MCO_TESTS_GPU_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>

#include "device/device_cuda.h"
#include "mco/mco.h"

enum { GPU_TEST_SKIPPED = 77 };

static int gpu_failures;

// Reports a failure with its place and continues.
#define GPU_CHECK(condition, ...)                                            \
    do {                                                                     \
        if (!(condition)) {                                                  \
            gpu_failures++;                                                  \
            fprintf(stderr, "%s:%d: %s: ", __FILE__, __LINE__, #condition);  \
            fprintf(stderr, __VA_ARGS__);                                    \
            fputc('\n', stderr);                                             \
        }                                                                    \
    } while (0)

// Opens the first GPU; ends the program as skipped if there is none.
static inline void gpu_open_first(mco_context *ctx, mco_device *out)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count;
    const char *reason;
    if (mco_gpus_list(ctx, gpus, &count, &reason) != MCO_OK) {
        fprintf(stderr, "%s\n", mco_context_error(ctx));
        exit(EXIT_FAILURE);
    }
    if (count == 0) {
        fprintf(stderr, "skipped: %s\n", reason);
        exit(GPU_TEST_SKIPPED);
    }
    if (mco_device_open(ctx, &gpus[0], out) != MCO_OK) {
        fprintf(stderr, "%s\n", mco_context_error(ctx));
        exit(EXIT_FAILURE);
    }
}

// Makes a context for a test that opens GPUs by itself; ends the program as skipped if there is none.
static inline mco_context *gpu_begin(void)
{
    mco_context *ctx = NULL;
    mco_device first = {0};
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        exit(EXIT_FAILURE);
    gpu_open_first(ctx, &first);
    mco_device_close(&first);
    return ctx;
}

static inline int gpu_summary(const char *what, long checks)
{
    printf("%s: %ld checks, %d failed\n", what, checks, gpu_failures);
    return gpu_failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#endif
