// SPDX-License-Identifier: MIT
// Filters (section 12). Random filters keep a share of the moves. A filter is a vector with an entry for each
// neighbour, which its thread tests, or a list of the moves kept. Making the list from the vector is measured too.
//
// One kernel evaluates all four resources and writes the fitness structure. The host knows how many moves are listed.
#include "steps_bench.cuh"

#include <cstdlib>

#include "base/rng.h"

enum { TABLE_NODES = 399, LARGE_NODES = 2401, PER_MILLE = 1000 };

static __device__ __host__ inline bool is_kept(uint64_t key, uint32_t per_mille)
{
    uint64_t state = key;
    return mco_splitmix64(&state) % PER_MILLE < per_mille;
}

// Writes the filter vector for PER_MILLE of the moves to a.feasible.
template <config C, int CUTS, uint32_t PER_MILLE> static __global__ void write_keep(const __grid_constant__ move_args a)
{
    uint32_t place;
    steps_move m;
    if (find_move<C, CUTS, PICK_ALL>(a, &place, &m))
        a.feasible[place] = is_kept(key_of(m), PER_MILLE);
}

struct filter {
    neighbourhood n;
    move_args all, kept, listed;
    uint8_t *keep;
    uint32_t *list, *d_count;
    void *scratch;
    size_t scratch_bytes;
};

static void run_all(cudaStream_t stream, void *state)
{
    const filter *f = (const filter *)state;
    enqueue_moves(stream, &f->n.e.k, f->n.e.k.set_all, &f->all, DEFAULT_BLOCK);
}

static void run_kept(cudaStream_t stream, void *state)
{
    const filter *f = (const filter *)state;
    MUST(cudaMemsetAsync(f->kept.feasible, 0, (size_t)f->n.w.moves, stream));
    enqueue_moves(stream, &f->n.e.k, f->n.e.k.set_kept, &f->kept, DEFAULT_BLOCK);
}

static void run_listed(cudaStream_t stream, void *state)
{
    const filter *f = (const filter *)state;
    enqueue_moves(stream, &f->n.e.k, f->n.e.k.set_listed, &f->listed, DEFAULT_BLOCK);
}

static void run_compaction(cudaStream_t stream, void *state)
{
    const filter *f = (const filter *)state;
    enqueue_compaction(stream, f->scratch, f->scratch_bytes, f->keep, (uint32_t)f->n.w.moves, f->list, f->d_count);
}

template <timed_work WORK, move_args filter::*ARGS> static void run_to_best(cudaStream_t stream, void *state)
{
    const filter *f = (const filter *)state;
    WORK(stream, state);
    enqueue_reduction(stream, &f->n.e.k, &(f->*ARGS), &f->n.w, NULL);
}

static constexpr timed_work run_kept_to_best = run_to_best<run_kept, &filter::kept>,
                            run_listed_to_best = run_to_best<run_listed, &filter::listed>;

static void run_compaction_to_best(cudaStream_t stream, void *state)
{
    run_compaction(stream, state);
    run_listed_to_best(stream, state);
}

static void print_filter(const bench *b, filter *f, const char *variant, const char *kernel, timed_work work, int64_t moves)
{
    const double ms = time_ms(work, f, b->is_quick);
    const steps_row row = steps_row_of("filter", variant, kernel, f->n.e.k.cuts, f->n.t->host.nodes, moves, ms);
    steps_report_row(&b->report, &row);
}

static filter filter_open(device_tour *t, const evaluation *e, const hierarchy *h)
{
    filter f = {};
    f.n = neighbourhood_open(t, e, h, 0);
    f.keep = (uint8_t *)device_take(f.n.w.moves);
    f.list = (uint32_t *)device_take(f.n.w.moves * (int64_t)sizeof *f.list);
    f.d_count = (uint32_t *)device_take(sizeof *f.d_count);
    f.scratch_bytes = compaction_bytes((uint32_t)f.n.w.moves);
    f.scratch = device_take((int64_t)f.scratch_bytes);
    f.all = f.kept = f.listed = f.n.a;
    f.kept.keep = f.keep;
    f.listed.list = f.list;
    return f;
}

static void filter_close(filter *f)
{
    cudaFree(f->scratch);
    cudaFree(f->d_count);
    cudaFree(f->list);
    cudaFree(f->keep);
    neighbourhood_close(&f->n);
}

// Makes the vector and the list. Compares what both find with the walk on small tours, else with each other.
static void prepare(filter *f, move_kernel write, uint32_t per_mille)
{
    const device_tour *t = f->n.t;
    const int cuts = f->n.e.k.cuts;
    move_args a = f->n.a;
    a.feasible = f->keep;
    enqueue_moves(0, &f->n.e.k, write, &a, DEFAULT_BLOCK);
    run_compaction(0, f);
    MUST(cudaMemcpy(&f->listed.listed, f->d_count, sizeof f->listed.listed, cudaMemcpyDeviceToHost));
    run_kept_to_best(0, f);
    candidate expected;
    MUST(cudaMemcpy(&expected, f->n.w.best, sizeof expected, cudaMemcpyDeviceToHost));
    if (t->answers[cuts].of)
        expected = best_of_answers(t, cuts, is_kept, per_mille);
    check_candidate(t, cuts, f->n.w.best, expected, "filter vector");
    run_listed_to_best(0, f);
    check_candidate(t, cuts, f->n.w.best, expected, "mapping vector");
}

template <config C, int CUTS> static void measure_filter(bench *b, int32_t nodes, bool is_printed)
{
    static const struct {
        uint32_t per_mille;
        move_kernel write;
        const char *vector, *list;
    } RATES[] = {{250, write_keep<C, CUTS, 250>, "filter vector; 25 %", "mapping vector; 25 %"},
                 {100, write_keep<C, CUTS, 100>, "filter vector; 10 %", "mapping vector; 10 %"},
                 {10, write_keep<C, CUTS, 10>, "filter vector; 1 %", "mapping vector; 1 %"},
                 {1, write_keep<C, CUTS, 1>, "filter vector; 0.1 %", "mapping vector; 0.1 %"}};
    const evaluation e = evaluation_of(kernels_of<C, CUTS, WHOLE | PICKING>(), SET_WHOLE, WHOLE_SET, 1, DEFAULT_BLOCK);
    device_tour *t = tour_of(b, nodes);
    hierarchy h = hierarchy_open(t, &e.k.c, {0, 0});
    filter f = filter_open(t, &e, &h);
    enqueue_hierarchy(0, &h, t, false);
    if (is_printed) {
        print_filter(b, &f, "all moves", "evaluation", run_all, f.n.w.moves);
        print_filter(b, &f, "all moves", "evaluation+reduction", run_to_best<run_all, &filter::all>, f.n.w.moves);
    }
    for (size_t k = 0; k < sizeof RATES / sizeof *RATES; k++) {
        prepare(&f, RATES[k].write, RATES[k].per_mille);
        if (!is_printed)
            continue;
        const int64_t kept = f.listed.listed;
        print_filter(b, &f, RATES[k].vector, "evaluation", run_kept, kept);
        print_filter(b, &f, RATES[k].vector, "evaluation+reduction", run_kept_to_best, kept);
        print_filter(b, &f, RATES[k].list, "evaluation", run_listed, kept);
        print_filter(b, &f, RATES[k].list, "evaluation+reduction", run_listed_to_best, kept);
        print_filter(b, &f, RATES[k].list, "compaction", run_compaction, 0);
        print_filter(b, &f, RATES[k].list, "compaction+evaluation+reduction", run_compaction_to_best, kept);
    }
    filter_close(&f);
    hierarchy_close(&h);
}

void run_filter(bench *b)
{
    if (!is_wanted(b, "filter"))
        return;
    for (int s = 0; s < SMALL_TOURS; s++) {
        measure_filter<ONE_LEVEL, 2>(b, SMALL_NODES[s], false);
        measure_filter<ZERO_LEVEL, 3>(b, SMALL_NODES[s], false);
    }
    measure_filter<ONE_LEVEL, 2>(b, TABLE_NODES, true);
    measure_filter<ZERO_LEVEL, 3>(b, TABLE_NODES, true);
    if (b->largest > TABLE_NODES)
        measure_filter<ONE_LEVEL, 2>(b, LARGE_NODES, true);
}
