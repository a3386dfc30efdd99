// SPDX-License-Identifier: MIT
// Clocks, and the comparison of what the device finds with the walk along every neighbour.
#include "steps_bench.cuh"

#include <cmath>
#include <cstdlib>

// ---- Clocks

static int by_size(const void *a, const void *b)
{
    const double d = *(const double *)a - *(const double *)b;
    return d < 0 ? -1 : d > 0;
}

static __global__ void hold_stream(int64_t cycles)
{
    const int64_t begin = clock64();
    while (clock64() - begin < cycles) {
    }
}

// The stream is held until the host has enqueued all calls, so that the times are those of the device.
static double sample_ms(timed_work work, void *state, int calls, const cudaEvent_t *events, int64_t *hold_cycles)
{
    static const int64_t MOST_CYCLES = 1 << 26;
    for (;; *hold_cycles *= 2) {
        cudaLaunchConfig_t c = {};
        float ms;
        c.gridDim = c.blockDim = dim3(1);
        MUST(cudaLaunchKernelEx(&c, hold_stream, *hold_cycles));
        MUST(cudaEventRecord(events[0], 0));
        for (int k = 0; k < calls; k++)
            work(0, state);
        MUST(cudaEventRecord(events[1], 0));
        const bool is_ahead = cudaEventQuery(events[0]) == cudaErrorNotReady;
        MUST(cudaEventSynchronize(events[1]));
        MUST(cudaEventElapsedTime(&ms, events[0], events[1]));
        if (is_ahead)
            return ms / calls;
        if (*hold_cycles > MOST_CYCLES)
            steps_die("the host does not enqueue %d calls in %lld cycles", calls, (long long)*hold_cycles);
    }
}

double time_ms(timed_work work, void *state, bool is_quick)
{
    enum { MOST_SAMPLES = 9 };
    const double SAMPLE_MS = 0.5, LONG_MS = 50, MOST_CALLS = 20;
    int64_t hold_cycles = 1 << 17;
    cudaEvent_t events[2];
    double ms[MOST_SAMPLES];
    MUST(cudaEventCreate(&events[0]));
    MUST(cudaEventCreate(&events[1]));
    sample_ms(work, state, 1, events, &hold_cycles);
    const double once = sample_ms(work, state, 1, events, &hold_cycles);
    const double calls = fmin(ceil(SAMPLE_MS / (once > 0 ? once : SAMPLE_MS)), MOST_CALLS);
    const int samples = is_quick || once > LONG_MS ? 3 : MOST_SAMPLES;
    for (int k = 0; k < samples; k++)
        ms[k] = sample_ms(work, state, (int)calls, events, &hold_cycles);
    cudaEventDestroy(events[0]);
    cudaEventDestroy(events[1]);
    qsort(ms, (size_t)samples, sizeof *ms, by_size);
    return ms[samples / 2];
}

void row_of_kernel(steps_row *row, const void *kernel, int block)
{
    cudaFuncAttributes attributes;
    int blocks, threads;
    MUST(cudaFuncGetAttributes(&attributes, kernel));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, 0));
    MUST(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, 0));
    row->registers = attributes.numRegs;
    row->local_bytes = (int)attributes.localSizeBytes;
    row->occupancy = (double)blocks * block / threads;
    row->block = block;
}

// ---- Checks

int64_t rank_of_place(const kernel_set *k, int32_t edges, int64_t place)
{
    if (k->cuts == 2 && k->c.pair == PAIR_TRIANGLE) {
        const int32_t width = triangle_width(edges);
        return steps_rank(edges, pair_of_triangle(edges, (int32_t)(place / width), (int32_t)(place % width)));
    }
    if (k->cuts == 2 || k->c.order == P_INNERMOST)
        return place;
    const int64_t triples = steps_triples(edges);
    return 4 * (place % triples) + place / triples;
}

void check_answers(const device_tour *t, const kernel_set *k, const workspace *w, const char *variant)
{
    const steps_answers *answers = &t->answers[k->cuts];
    int32_t *value = (int32_t *)steps_take(answers->count, sizeof *value);
    uint8_t *feasible = (uint8_t *)steps_take(answers->count, 1), *seen = (uint8_t *)steps_take(answers->count, 1);
    MUST(cudaMemcpy(value, w->value, (size_t)answers->count * sizeof *value, cudaMemcpyDeviceToHost));
    MUST(cudaMemcpy(feasible, w->feasible, (size_t)answers->count, cudaMemcpyDeviceToHost));
    for (int64_t place = 0; place < answers->count; place++) {
        const int64_t rank = rank_of_place(k, t->host.edges, place);
        if (rank < 0 || rank >= answers->count || seen[rank])
            steps_die("%s, %d cuts, %d nodes: place %lld has no move of its own", variant, k->cuts, t->host.nodes,
                      (long long)place);
        const steps_verdict v = answers->of[rank];
        if (value[place] != v.value || feasible[place] != v.is_feasible)
            steps_die("%s, %d cuts, %d nodes, move %lld: value %d, feasible %d; the walk has %d, %d", variant, k->cuts,
                      t->host.nodes, (long long)rank, value[place], feasible[place], v.value, v.is_feasible);
        seen[rank] = 1;
    }
    free(seen);
    free(feasible);
    free(value);
}

candidate best_of_answers(const device_tour *t, int cuts, bool (*is_kept)(uint64_t key, uint32_t rate), uint32_t rate)
{
    candidate best = no_candidate();
    const steps_answers *answers = &t->answers[cuts];
    const int32_t edges = t->host.edges;
    int64_t rank = 0;
    const auto visit = [&](steps_move m) {
        const candidate c = {answers->of[rank].value, key_of(m)};
        if (answers->of[rank++].is_feasible && (!is_kept || is_kept(c.key, rate)) && is_better(c, best))
            best = c;
    };
    for (int32_t x = 0; x < edges; x++)
        for (int32_t y = x + 1; y < edges; y++) {
            if (cuts == 2)
                visit({x, y, -1, -1});
            for (int32_t z = y + 1; cuts == 3 && z < edges; z++)
                for (int32_t p = 0; p < 4; p++)
                    visit({x, y, z, p});
        }
    return best;
}

void check_candidate(const device_tour *t, int cuts, const candidate *d_best, candidate expected, const char *variant)
{
    candidate best;
    MUST(cudaMemcpy(&best, d_best, sizeof best, cudaMemcpyDeviceToHost));
    const steps_move m = move_of_key(best.key), e = move_of_key(expected.key);
    if (best.value != expected.value || best.key != expected.key)
        steps_die("%s, %d cuts, %d nodes: best move (%d,%d,%d,%d) of value %d; expected (%d,%d,%d,%d) of %d", variant, cuts,
                  t->host.nodes, m.x, m.y, m.z, m.p, best.value, e.x, e.y, e.z, e.p, expected.value);
}

void check_best(device_tour *t, int cuts, const candidate *d_best, const char *variant)
{
    if (!t->has_best[cuts])
        MUST(cudaMemcpy(&t->best[cuts], d_best, sizeof *d_best, cudaMemcpyDeviceToHost));
    t->has_best[cuts] = true;
    check_candidate(t, cuts, d_best, t->best[cuts], variant);
}
