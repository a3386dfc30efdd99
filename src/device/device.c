// SPDX-License-Identifier: MIT
// Which GPUs there are, and which of them the user asks for. Compiled in every build.
#include "device/device.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#ifndef MCO_HAVE_CUDA
static const char NO_ENGINE[] = "this build has no GPU engine (it was made without nvcc or with -DMCO_CUDA=OFF)";

mco_status mco_gpus_list(mco_context *ctx, mco_gpu out[MCO_MAX_GPUS], int *count, const char **reason)
{
    if (ctx == NULL || out == NULL || count == NULL || reason == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    *count = 0;
    *reason = NO_ENGINE;
    return MCO_OK;
}

mco_status mco_gpu_free_bytes(mco_context *ctx, const mco_gpu *gpu, size_t *free_bytes)
{
    if (ctx == NULL || gpu == NULL || free_bytes == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    return mco_fail(ctx, MCO_ERR_DEVICE, "%s", NO_ENGINE);
}
#endif

// Takes one index, and the comma after it if there is one. An index that is too large gives MCO_MAX_GPUS; anything else
// gives -1.
static int next_index(const char **text)
{
    if (!isdigit((unsigned char)**text))
        return -1;
    char *end;
    long value = strtol(*text, &end, 10);
    bool is_last = *end == '\0', has_more = *end == ',' && end[1] != '\0';
    if (value >= MCO_MAX_GPUS || (!is_last && !has_more))
        return value >= MCO_MAX_GPUS && (is_last || has_more) ? MCO_MAX_GPUS : -1;
    *text = is_last ? end : end + 1;
    return (int)value;
}

// The indices of a list, in its order; whether there are such GPUs is another question.
static mco_status read_indices(mco_context *ctx, const char *text, int out[MCO_MAX_GPUS + 1], int *count)
{
    const char *rest = text;
    bool is_taken[MCO_MAX_GPUS + 1] = {false};
    *count = 0;
    do {
        int index = next_index(&rest);
        if (index < 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus is \"%s\", \"all\" or indices like \"0,1\" were expected",
                            text);
        if (is_taken[index])
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus \"%s\" names GPU %d twice", text, index);
        is_taken[index] = true;
        out[(*count)++] = index;
    } while (*rest != '\0' && out[*count - 1] < MCO_MAX_GPUS);  // behind a larger one nothing is read
    return MCO_OK;
}

mco_status mco_gpus_choose(mco_context *ctx, const char *text, mco_gpu out[MCO_MAX_GPUS], int *count)
{
    mco_status st = MCO_OK;
    mco_gpu all[MCO_MAX_GPUS];
    int all_count, indices[MCO_MAX_GPUS + 1], named = 0;
    const char *reason;
    const bool is_list = text != NULL && strcmp(text, "all") != 0;
    if (is_list)
        MCO_TRY(read_indices(ctx, text, indices, &named));
    MCO_TRY(mco_gpus_list(ctx, all, &all_count, &reason));
    if (all_count == 0)
        return mco_fail(ctx, MCO_ERR_DEVICE, "no GPU: %s; --engine cpu needs none", reason);
    for (int k = 0; k < named; k++) {
        if (indices[k] >= all_count)
            return mco_fail(ctx, MCO_ERR_DEVICE,
                            "--gpus \"%s\" names a GPU that does not exist: the last visible one is %d", text,
                            all_count - 1);
        out[k] = all[indices[k]];
    }
    *count = is_list ? named : text == NULL ? 1 : all_count;
    if (!is_list)
        memcpy(out, all, (size_t)*count * sizeof *out);
done:
    return st;
}

mco_status mco_gpu_choose(mco_context *ctx, const char *text, mco_gpu *out)
{
    mco_gpu chosen[MCO_MAX_GPUS];
    int count;
    mco_status st = mco_gpus_choose(ctx, text, chosen, &count);
    if (st == MCO_OK && count > 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "--gpus \"%s\" names %d GPUs, this engine uses one", text, count);
    if (st == MCO_OK)
        *out = chosen[0];
    return st;
}

#ifndef MCO_HAVE_CUDA
mco_status mco_fail_no_gpu(mco_context *ctx, const char *text)
{
    mco_gpu none[MCO_MAX_GPUS];
    int count;
    return mco_gpus_choose(ctx, text, none, &count);
}
#endif

const char *mco_why_no_gpu(mco_context *ctx)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    const char *why_none;
    if (mco_gpus_list(ctx, gpus, &count, &why_none) != MCO_OK)
        return mco_context_error(ctx);
    return count > 0 ? NULL : why_none;
}

bool mco_has_gpu(mco_context *ctx)
{
    return mco_why_no_gpu(ctx) == NULL;
}

mco_engine mco_choose_engine(mco_context *ctx, mco_engine asked, const char *gpus, double cpu_s, double pays_s,
                             const char *no_gpu)
{
    if (asked != MCO_ENGINE_AUTO)
        return asked;
    if (gpus != NULL && no_gpu == NULL) {
        mco_log(ctx, MCO_LOG_INFO, "engine gpu: GPUs were named");
        return MCO_ENGINE_GPU;
    }
    const bool pays = cpu_s > pays_s;
    const char *none = pays && no_gpu == NULL ? mco_why_no_gpu(ctx) : NULL, *why_not = no_gpu != NULL ? no_gpu : none;
    const mco_engine engine = pays && why_not == NULL ? MCO_ENGINE_GPU : MCO_ENGINE_CPU;
    const bool has_reason = pays && why_not != NULL;
    mco_log(ctx, MCO_LOG_INFO, "engine %s: about %.3g s on the cores%s%s%s", mco_engine_text(engine), cpu_s,
            has_reason ? "; " : "", none != NULL ? "no GPU: " : "", has_reason ? why_not : "");
    return engine;
}
