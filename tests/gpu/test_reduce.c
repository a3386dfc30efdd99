// SPDX-License-Identifier: MIT
// Reduction on GPUs: every operation, type, size, block size and alignment against the reference; 2^28 elements against the
// cpu engine; segments; host data in parts; several GPUs; graph replay.
#include <string.h>

#include "gpu/gpu_support.h"
#include "reduce/cuda.h"
#include "reduce_support.h"

enum { MOST = (1 << 20) + 1, OFFSETS = 4 };
static const int64_t sizes[] = {0, 1, 31, 32, 33, 1000, 1024, 1025, 4096, 4097, 16384, 16385, 100003, MOST};
static const int blocks[] = {0, 256, 512, 1024};
#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

static long checks;
static mco_context *ctx;
static mco_device device;

#define MUST(call) GPU_CHECK((call) == MCO_OK, "%s", mco_context_error(ctx))
#define MUST_CUDA(call)                                                         \
    do {                                                                        \
        cudaError_t error_seen = (call);                                        \
        GPU_CHECK(error_seen == cudaSuccess, "%s", cudaGetErrorString(error_seen)); \
    } while (0)

// A copy from pageable memory may return before it has arrived, and the device's stream does not wait for it.
static void upload(void *to, const void *from, int64_t bytes)
{
    MUST_CUDA(cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyHostToDevice));
    MUST_CUDA(cudaDeviceSynchronize());
}

static void expect(const reduce_kind *k, mco_reduce_value seen, mco_reduce_value expected, const char *what, long long count,
                   int more)
{
    checks++;
    GPU_CHECK(seen.u == expected.u && seen.index == expected.index,
              "%s: %s%s of type %d, %lld elements (%d): %016llx at %lld, expected %016llx at %lld", what,
              k->is_compensated ? "compensated " : "", mco_reduce_op_text(k->op), (int)k->type, count, more,
              (unsigned long long)seen.u, (long long)seen.index, (unsigned long long)expected.u, (long long)expected.index);
}

static mco_reduce_value on_host(const reduce_kind *k, mco_engine engine, const void *data, int64_t count)
{
    mco_reduce_params p = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
    p.engine = engine;
    p.compensated = k->is_compensated;
    MUST(mco_reduce(ctx, k->op, k->type, data, count, &p, &r));
    return r.value;
}

// ---- Kernels: sizes, alignments, block sizes

static void test_launches(void)
{
    char *data = malloc((MOST + OFFSETS) * sizeof(double)), *d_data = NULL;
    void *d_scratch = NULL;
    mco_reduce_value *h_value = NULL;
    MUST(mco_device_take(&device, MCO_MEMORY_DEVICE, &d_data, (MOST + OFFSETS) * sizeof(double)));
    MUST(mco_device_take_bytes(&device, MCO_MEMORY_DEVICE, &d_scratch, reduce_scratch_bytes(), 1));
    MUST(mco_device_take(&device, MCO_MEMORY_PINNED, &h_value, 1));
    MUST_CUDA(cudaMemset(d_scratch, 0, reduce_scratch_bytes()));
    for (int number = 0; number < TEST_KINDS * 3 && gpu_failures < 50; number++) {
        reduce_kind k;
        const int hostile = number % 3;
        if (!test_kind(number / 3, &k))
            continue;
        const int64_t width = mco_reduce_type_bytes(k.type);
        MUST(test_elements(ctx, k.type, MOST + OFFSETS, 42, hostile, data));
        upload(d_data, data, (MOST + OFFSETS) * width);
        for (int n = 0; n < COUNT_OF(sizes); n++)
            for (int offset = 0; offset < OFFSETS; offset++) {
                if ((sizes[n] == 0 && reduce_is_place(k.op)) || (sizes[n] > 100003 && offset > 1))
                    continue;
                const mco_reduce_value expected = on_host(&k, MCO_ENGINE_REFERENCE, data + offset * width, sizes[n]);
                for (int b = 0; b < COUNT_OF(blocks); b++) {
                    const reduce_launch_args args = {.op = k.op, .type = k.type, .is_compensated = k.is_compensated,
                                                     .d_data = d_data + offset * width, .count = sizes[n], .d_value = h_value,
                                                     .d_scratch = d_scratch, .block = blocks[b]};
                    memset(h_value, 0x5a, sizeof *h_value);
                    MUST_CUDA(reduce_launch(&args, device.stream));
                    MUST_CUDA(cudaStreamSynchronize(device.stream));
                    expect(&k, *h_value, expected, "launch", sizes[n], 10000 * offset + blocks[b]);
                }
            }
    }
    const reduce_launch_args wrong = {.op = MCO_REDUCE_OP_XOR, .type = MCO_REDUCE_TYPE_F32, .d_data = d_data, .count = 1,
                                      .d_value = h_value, .d_scratch = d_scratch};
    GPU_CHECK(reduce_launch(&wrong, device.stream) == cudaErrorInvalidValue, "bits of floats are launched");
    mco_device_give(&device, &h_value);
    mco_device_give_bytes(&device, &d_scratch);
    mco_device_give(&device, &d_data);
    free(data);
}

// ---- 2^28 elements, made on the device

static void test_large(void)
{
    const int64_t count = (int64_t)1 << 28, sample = 100000;
    char *data = malloc((size_t)count * sizeof(double)), *back = malloc((size_t)sample * sizeof(double)), *d_data = NULL;
    void *d_scratch = NULL;
    mco_reduce_value *h_value = NULL;
    if (data == NULL || mco_device_take(&device, MCO_MEMORY_DEVICE, &d_data, (size_t)count * sizeof(double)) != MCO_OK) {
        fprintf(stderr, "2^28 elements are left out: too little memory\n");
        free(data);
        free(back);
        return;
    }
    MUST(mco_device_take_bytes(&device, MCO_MEMORY_DEVICE, &d_scratch, reduce_scratch_bytes(), 1));
    MUST(mco_device_take(&device, MCO_MEMORY_PINNED, &h_value, 1));
    MUST_CUDA(cudaMemset(d_scratch, 0, reduce_scratch_bytes()));
    int made = -1;
    for (int number = 0; number < TEST_KINDS && gpu_failures < 50; number++) {
        reduce_kind k;
        if (!test_kind(number, &k))
            continue;
        const int64_t width = mco_reduce_type_bytes(k.type);
        if (made != (int)k.type) {
            made = (int)k.type;
            MUST(mco_reduce_generate(ctx, k.type, 7, 0, count, data));
            MUST_CUDA(reduce_launch_generate(k.type, 7, 0, count, d_data, device.stream));
            MUST_CUDA(cudaStreamSynchronize(device.stream));
            for (int64_t at = 0; at + sample <= count; at += (count - sample) / 7) {
                MUST_CUDA(cudaMemcpy(back, d_data + at * width, (size_t)(sample * width), cudaMemcpyDeviceToHost));
                GPU_CHECK(memcmp(back, data + at * width, (size_t)(sample * width)) == 0,
                          "type %d: generated data differ at %lld", (int)k.type, (long long)at);
                checks++;
            }
        }
        const mco_reduce_value expected = on_host(&k, MCO_ENGINE_CPU, data, count);
        for (int b = 0; b < COUNT_OF(blocks); b++) {
            const reduce_launch_args args = {.op = k.op, .type = k.type, .is_compensated = k.is_compensated, .d_data = d_data,
                                             .count = count, .d_value = h_value, .d_scratch = d_scratch, .block = blocks[b]};
            MUST_CUDA(reduce_launch(&args, device.stream));
            MUST_CUDA(cudaStreamSynchronize(device.stream));
            expect(&k, *h_value, expected, "large", (long long)count, blocks[b]);
        }
    }
    mco_device_give(&device, &h_value);
    mco_device_give_bytes(&device, &d_scratch);
    mco_device_give(&device, &d_data);
    free(back);
    free(data);
}

// ---- Segments

// Offsets of segments with one length, or with lengths from 0 to far beyond a chunk.
static int64_t make_offsets(int64_t count, int64_t length, bool has_empty, int64_t *offsets)
{
    int64_t segments = 0;
    for (offsets[0] = 0; offsets[segments] < count; segments++) {
        int64_t size = length > 0             ? length
                       : segments % 11 == 7   ? (has_empty ? 0 : 1)
                       : segments % 101 == 50 ? 50000
                                              : segments * 37 % 2000 + 1;
        offsets[segments + 1] = offsets[segments] + size < count ? offsets[segments] + size : count;
    }
    return segments;
}

static void check_segments(const reduce_kind *k, const char *data, const int64_t *offsets, int64_t segments, const char *d_data,
                           int64_t *d_offsets, mco_reduce_workspace *workspace, int64_t equal)
{
    mco_reduce_value *d_values = NULL;
    mco_reduce_value *expected = malloc((size_t)segments * sizeof *expected), *seen = malloc((size_t)segments * sizeof *seen);
    mco_reduce_params p = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
    p.compensated = k->is_compensated;
    p.engine = MCO_ENGINE_CPU;
    MUST(mco_reduce_segments(ctx, k->op, k->type, data, offsets, segments, &p, expected, &r));
    p.engine = MCO_ENGINE_GPU;
    MUST(mco_reduce_segments(ctx, k->op, k->type, data, offsets, segments, &p, seen, &r));
    for (int64_t s = 0; s < segments; s++)
        expect(k, seen[s], expected[s], "host segments", s, (int)segments);
    MUST(mco_device_use(&device));
    MUST(mco_device_take(&device, MCO_MEMORY_DEVICE, &d_values, segments));
    const bool is_whole = equal > 0 && offsets[segments] == segments * equal;
    for (int way = 0; way < 3; way++) {  // as chosen; for short segments; for long segments
        const int64_t mean = way == 0 ? offsets[segments] / segments : way == 1 ? 1 : 1 << 20;
        if (way == 0 && is_whole)
            MUST(mco_reduce_segments_device(ctx, workspace, k->op, k->type, k->is_compensated, d_data, NULL, equal, segments,
                                            d_values, device.stream));
        else
            MUST(mco_reduce_segments_device(ctx, workspace, k->op, k->type, k->is_compensated, d_data, d_offsets, mean,
                                            segments, d_values, device.stream));
        MUST_CUDA(cudaStreamSynchronize(device.stream));
        MUST_CUDA(cudaMemcpy(seen, d_values, (size_t)segments * sizeof *seen, cudaMemcpyDeviceToHost));
        for (int64_t s = 0; s < segments; s++)
            expect(k, seen[s], expected[s], "device segments", s, way);
    }
    mco_device_give(&device, &d_values);
    free(seen);
    free(expected);
}

static void test_segments(void)
{
    static const int64_t lengths[] = {0, 1, 7, 1000, 1024, 4096, 4097, 100000, 1 << 19};
    const int64_t most = MOST;
    char *data = malloc((size_t)most * sizeof(double)), *d_data = NULL;
    int64_t *offsets = malloc((size_t)(most + 1) * sizeof *offsets), *d_offsets = NULL;
    mco_reduce_workspace *workspace = NULL;
    MUST(mco_reduce_workspace_create(ctx, 0, &workspace));
    MUST(mco_device_take(&device, MCO_MEMORY_DEVICE, &d_data, (size_t)most * sizeof(double)));
    MUST(mco_device_take(&device, MCO_MEMORY_DEVICE, &d_offsets, (size_t)most + 1));
    for (int number = 0; number < TEST_KINDS && gpu_failures < 50; number++) {
        reduce_kind k;
        if (!test_kind(number, &k))
            continue;
        MUST(test_elements(ctx, k.type, most, 42, 2, data));
        upload(d_data, data, most * mco_reduce_type_bytes(k.type));
        for (int n = 0; n < COUNT_OF(lengths); n++) {
            const int64_t count = lengths[n] == 1 ? 3000 : lengths[n] == 1024 ? most - 1 : most;
            const int64_t segments = make_offsets(count, lengths[n], !reduce_is_place(k.op), offsets);
            upload(d_offsets, offsets, (segments + 1) * (int64_t)sizeof *offsets);
            check_segments(&k, data, offsets, segments, d_data, d_offsets, workspace, lengths[n]);
        }
    }
    mco_device_give(&device, &d_offsets);
    mco_device_give(&device, &d_data);
    mco_reduce_workspace_destroy(ctx, &workspace);
    GPU_CHECK(workspace == NULL, "the workspace stays");
    free(offsets);
    free(data);
}

// ---- The interfaces

static void test_host_data(void)
{
    char *data = malloc((size_t)MOST * sizeof(double));
    for (int number = 0; number < TEST_KINDS && gpu_failures < 50; number += 1) {
        reduce_kind k;
        if (!test_kind(number, &k))
            continue;
        MUST(test_elements(ctx, k.type, MOST, 42, 0, data));
        expect(&k, on_host(&k, MCO_ENGINE_GPU, data, MOST), on_host(&k, MCO_ENGINE_REFERENCE, data, MOST), "host data", MOST,
               0);
        if (!reduce_is_place(k.op))
            expect(&k, on_host(&k, MCO_ENGINE_GPU, NULL, 0), on_host(&k, MCO_ENGINE_REFERENCE, NULL, 0), "no data", 0, 0);
    }
    free(data);
}

static void test_device_interface(void)
{
    const reduce_kind k = {MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, false};
    float *data = malloc((size_t)MOST * sizeof *data), *d_data = NULL;
    mco_reduce_value *d_value = NULL, seen;
    mco_reduce_workspace *workspace = NULL;
    GPU_CHECK(mco_reduce_workspace_create(ctx, MCO_MAX_GPUS - 1, &workspace) == MCO_ERR_DEVICE && workspace == NULL,
              "GPU 63 exists");
    MUST(mco_reduce_workspace_create(ctx, 0, &workspace));
    MUST(mco_device_take(&device, MCO_MEMORY_DEVICE, &d_data, MOST));
    MUST(mco_device_take(&device, MCO_MEMORY_DEVICE, &d_value, 1));
    MUST(test_elements(ctx, k.type, MOST, 42, 0, data));
    upload(d_data, data, MOST * (int64_t)sizeof *data);
    for (int offset = 0; offset < OFFSETS; offset++) {
        MUST(mco_reduce_device(ctx, workspace, k.op, k.type, false, d_data + offset, MOST - offset, d_value, device.stream));
        MUST_CUDA(cudaStreamSynchronize(device.stream));
        MUST_CUDA(cudaMemcpy(&seen, d_value, sizeof seen, cudaMemcpyDeviceToHost));
        expect(&k, seen, on_host(&k, MCO_ENGINE_REFERENCE, data + offset, MOST - offset), "device", MOST, offset);
    }
    mco_reduce_value *between = (mco_reduce_value *)((char *)d_value + 8);
    GPU_CHECK(mco_reduce_device(ctx, workspace, k.op, k.type, false, (char *)d_data + 1, 5, d_value, NULL) == MCO_ERR_ARGUMENT,
              "alignment");
    GPU_CHECK(mco_reduce_device(ctx, workspace, MCO_REDUCE_OP_ARGMIN, k.type, false, d_data, 0, d_value, NULL) ==
                  MCO_ERR_ARGUMENT,
              "argmin of nothing");
    GPU_CHECK(mco_reduce_device(ctx, workspace, k.op, k.type, false, d_data, 5, between, NULL) == MCO_ERR_ARGUMENT,
              "alignment of the value");
    mco_reduce_workspace_destroy(ctx, &workspace);
    mco_device_give(&device, &d_value);
    mco_device_give(&device, &d_data);
    free(data);
}

// The launch is captured once and replayed over changing data: the ticket must be 0 again every time.
static void test_graph(void)
{
    enum { REPLAYS = 200 };
    const reduce_kind k = {MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F64, false};
    double *d_data = NULL;
    mco_reduce_value *h_value = NULL;
    mco_reduce_workspace *workspace = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t replay = NULL;
    MUST(mco_reduce_workspace_create(ctx, 0, &workspace));
    MUST(mco_device_take(&device, MCO_MEMORY_DEVICE, &d_data, MOST));
    MUST(mco_device_take(&device, MCO_MEMORY_PINNED, &h_value, 1));
    MUST_CUDA(cudaStreamBeginCapture(device.stream, cudaStreamCaptureModeThreadLocal));
    MUST(mco_reduce_device(ctx, workspace, k.op, k.type, false, d_data, MOST, h_value, device.stream));
    MUST_CUDA(cudaStreamEndCapture(device.stream, &graph));
    MUST_CUDA(cudaGraphInstantiate(&replay, graph, 0));
    double *data = malloc((size_t)MOST * sizeof *data);
    for (uint64_t seed = 0; seed < REPLAYS && gpu_failures < 50; seed++) {
        MUST_CUDA(reduce_launch_generate(k.type, seed, 0, MOST, d_data, device.stream));
        MUST_CUDA(cudaGraphLaunch(replay, device.stream));
        MUST_CUDA(cudaStreamSynchronize(device.stream));
        MUST(mco_reduce_generate(ctx, k.type, seed, 0, MOST, data));
        expect(&k, *h_value, on_host(&k, MCO_ENGINE_CPU, data, MOST), "replay", MOST, (int)seed);
    }
    free(data);
    (void)cudaGraphExecDestroy(replay);
    (void)cudaGraphDestroy(graph);
    mco_device_give(&device, &h_value);
    mco_device_give(&device, &d_data);
    mco_reduce_workspace_destroy(ctx, &workspace);
}

// ---- Data larger than what is free, and several GPUs

static void expect_generated(const reduce_kind *k, int64_t count, int64_t length, const char *gpus, int64_t least_parts,
                             const char *what)
{
    const int64_t segments = length > 0 ? reduce_ceil_div(count, length) : 0;
    mco_reduce_value *expected = malloc((size_t)(segments + 1) * sizeof *expected);
    mco_reduce_value *seen = malloc((size_t)(segments + 1) * sizeof *seen);
    mco_reduce_params p = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result on_cpu = MCO_REDUCE_RESULT_INIT, on_gpu = MCO_REDUCE_RESULT_INIT;
    p.compensated = k->is_compensated;
    p.engine = MCO_ENGINE_CPU;
    MUST(mco_reduce_generated(ctx, k->op, k->type, 5, count, length, &p, length > 0 ? expected : NULL, &on_cpu));
    p.engine = MCO_ENGINE_GPU;
    p.gpus = gpus;
    p.repeat = 2;
    MUST(mco_reduce_generated(ctx, k->op, k->type, 5, count, length, &p, length > 0 ? seen : NULL, &on_gpu));
    const int gpu_count = __builtin_popcountll(on_gpu.work.gpus);
    if (length == 0)
        expect(k, on_gpu.value, on_cpu.value, what, (long long)count, gpu_count);
    for (int64_t s = 0; s < segments; s++)
        expect(k, seen[s], expected[s], what, s, gpu_count);
    GPU_CHECK(on_gpu.parts >= least_parts, "%s: %lld parts", what, (long long)on_gpu.parts);
    GPU_CHECK(on_gpu.kernel_s > 0 && gpu_count == (gpus != NULL ? 2 : 1), "%s: %g s on %d GPUs", what, on_gpu.kernel_s,
              gpu_count);
    GPU_CHECK(on_gpu.work.engine == MCO_ENGINE_GPU && on_gpu.work.device_s > 0, "%s: engine %s, %g s of kernels", what,
              mco_engine_text(on_gpu.work.engine), on_gpu.work.device_s);
    free(seen);
    free(expected);
}

// The same, with the data in host memory.
static void expect_uploaded(const reduce_kind *k, int64_t count, const char *gpus, const char *what)
{
    char *data = malloc((size_t)(count * mco_reduce_type_bytes(k->type)));
    mco_reduce_params p = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
    MUST(mco_reduce_generate(ctx, k->type, 6, 0, count, data));
    p.engine = MCO_ENGINE_GPU;
    p.gpus = gpus;
    p.compensated = k->is_compensated;
    MUST(mco_reduce(ctx, k->op, k->type, data, count, &p, &r));
    expect(k, r.value, on_host(k, MCO_ENGINE_CPU, data, count), what, (long long)count, (int)r.parts);
    free(data);
}

// A cancellation ends the repeats on the device too.
static void test_cancel(void)
{
    for (int64_t length = 0; length <= 1000; length += 1000) {
        mco_reduce_value values[300], expected[300];
        mco_reduce_params p = MCO_REDUCE_PARAMS_INIT;
        mco_reduce_result r = MCO_REDUCE_RESULT_INIT, on_cpu = MCO_REDUCE_RESULT_INIT;
        p.engine = MCO_ENGINE_CPU;
        MUST(mco_reduce_generated(ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, 1, 300000, length, &p,
                                  length > 0 ? expected : NULL, &on_cpu));
        p.engine = MCO_ENGINE_GPU;
        p.repeat = 1000;
        mco_cancel(ctx);
        MUST(mco_reduce_generated(ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, 1, 300000, length, &p,
                                  length > 0 ? values : NULL, &r));
        GPU_CHECK(r.repeats == 1, "cancelled: %lld repeats", (long long)r.repeats);
        for (int64_t s = 0; s < (length > 0 ? 300 : 0); s++)
            GPU_CHECK(values[s].u == expected[s].u, "cancelled: segment %lld", (long long)s);
        GPU_CHECK(length > 0 || r.value.u == on_cpu.value.u, "cancelled: %016llx", (unsigned long long)r.value.u);
    }
}

static void test_parts(void)
{
    enum { LEFT_BYTES = 640 << 20 };  // the engine leaves 512 MB of them untouched
    const int64_t count = (int64_t)1 << 27;
    size_t free_bytes, all_bytes;
    void *hog = NULL;
    MUST_CUDA(cudaMemGetInfo(&free_bytes, &all_bytes));
    if (free_bytes <= LEFT_BYTES || cudaMalloc(&hog, free_bytes - LEFT_BYTES) != cudaSuccess) {
        (void)cudaGetLastError();
        fprintf(stderr, "parts are left out: the device's memory cannot be filled\n");
        return;
    }
    const reduce_kind sum = {MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, false};
    const reduce_kind compensated = {MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, true};
    const reduce_kind place = {MCO_REDUCE_OP_ARGMIN, MCO_REDUCE_TYPE_F32, false};
    const reduce_kind bits = {MCO_REDUCE_OP_XOR, MCO_REDUCE_TYPE_I32, false};
    expect_generated(&sum, count, 0, NULL, 2, "parts");
    expect_generated(&compensated, count, 0, NULL, 2, "parts");
    expect_generated(&place, count, 0, NULL, 2, "parts");
    expect_generated(&sum, count, 1000, NULL, 2, "segments in parts");
    expect_uploaded(&sum, count, NULL, "uploaded parts");
    expect_uploaded(&bits, count, NULL, "uploaded parts");
    MUST_CUDA(cudaFree(hog));
}

static void test_two_gpus(void)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count;
    const char *reason;
    MUST(mco_gpus_list(ctx, gpus, &count, &reason));
    if (count < 2) {
        fprintf(stderr, "two GPUs are left out: %d is there\n", count);
        return;
    }
    for (int number = 0; number < TEST_KINDS && gpu_failures < 50; number++) {
        reduce_kind k;
        if (!test_kind(number, &k))
            continue;
        expect_generated(&k, 3, 0, "0,1", 1, "two GPUs");
        expect_generated(&k, MOST, 0, "0,1", 1, "two GPUs");
        expect_generated(&k, MOST, 777, "0,1", 1, "segments on two GPUs");
        expect_uploaded(&k, MOST, "0,1", "uploaded to two GPUs");
    }
    const reduce_kind sum = {MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, false};
    expect_generated(&sum, (int64_t)1 << 28, 0, "1,0", 1, "two GPUs");
}

int main(void)
{
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return EXIT_FAILURE;
    gpu_open_first(ctx, &device);
    test_launches();
    test_device_interface();
    test_graph();
    test_segments();
    test_host_data();
    test_cancel();
    test_parts();
    test_large();
    mco_device_close(&device);
    test_two_gpus();
    mco_context_destroy(&ctx);
    return gpu_summary("reduce", checks);
}
