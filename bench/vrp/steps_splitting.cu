// SPDX-License-Identifier: MIT
// Step 13: a neighbourhood in parts. Part 0 is evaluated into the fitness structure A, each other part into B; A keeps
// the better of each two places. One reduction of A ends the evaluation. The triples are on the device, or come from
// the host one part ahead, or are computed. Without a fitness structure nothing has to be split.
#include "steps_bench.cuh"

enum { MIDDLE_NODES = 967, LARGE_NODES = 2401 };

// The triples come from the host into two buffers, in turn.
struct streamed {
    neighbourhood n;
    triple *h_triples, *d_buffer[2];
    cudaStream_t copies;  // NULL: each copy runs before its evaluation, in one stream
    cudaEvent_t copied[2], used[2];
    int turn;             // buffer of the next part to be evaluated
};

// The copy waits for the last use of the buffer that it overwrites.
static void enqueue_copy(streamed *s, cudaStream_t stream, int number, int buffer)
{
    move_args a;
    args_of_part(&s->n, number, &a);
    const cudaStream_t copies = s->copies ? s->copies : stream;
    MUST(cudaStreamWaitEvent(copies, s->used[buffer], 0));
    MUST(cudaMemcpyAsync(s->d_buffer[buffer], s->h_triples + a.first, (size_t)a.count * sizeof(triple), cudaMemcpyHostToDevice,
                         copies));
    MUST(cudaEventRecord(s->copied[buffer], copies));
}

static void run_streamed(cudaStream_t stream, void *state)
{
    streamed *s = (streamed *)state;
    const neighbourhood *n = &s->n;
    const int64_t places = n->w.moves;
    MUST(cudaMemsetAsync(n->part, 0, (size_t)places, stream));
    for (int number = 0; number < n->parts; number++, s->turn ^= 1) {
        enqueue_copy(s, stream, (number + 1) % n->parts, s->turn ^ 1);
        MUST(cudaStreamWaitEvent(stream, s->copied[s->turn], 0));
        move_args a;
        args_of_part(n, number, &a);
        a.triples = s->d_buffer[s->turn];
        enqueue_part(stream, n, &a);
        MUST(cudaEventRecord(s->used[s->turn], stream));
        if (number > 0)
            enqueue_merge(stream, &n->w, &n->other, n->part, number, places);
    }
    enqueue_reduction(stream, &n->e.k, &n->a, &n->w, n->part);
}

static streamed streamed_open(device_tour *t, const evaluation *e, const hierarchy *h, int64_t most_moves, bool overlaps)
{
    streamed s = {};
    s.n = neighbourhood_open(t, e, h, most_moves);
    const size_t bytes = (size_t)s.n.a.count * sizeof(triple);
    MUST(cudaHostAlloc((void **)&s.h_triples, bytes, cudaHostAllocDefault));
    MUST(cudaMemcpy(s.h_triples, s.n.triples, bytes, cudaMemcpyDeviceToHost));
    cudaFree(s.n.triples);
    s.n.triples = NULL;
    s.n.a.triples = NULL;
    for (int k = 0; k < 2; k++) {
        s.d_buffer[k] = (triple *)device_take(s.n.a.stride * (int64_t)sizeof(triple));
        MUST(cudaEventCreateWithFlags(&s.copied[k], cudaEventDisableTiming));
        MUST(cudaEventCreateWithFlags(&s.used[k], cudaEventDisableTiming));
    }
    if (overlaps)
        MUST(cudaStreamCreateWithFlags(&s.copies, cudaStreamNonBlocking));
    enqueue_copy(&s, 0, 0, 0);
    return s;
}

static void streamed_close(streamed *s)
{
    MUST(cudaDeviceSynchronize());
    if (s->copies)
        cudaStreamDestroy(s->copies);
    for (int k = 0; k < 2; k++) {
        cudaEventDestroy(s->used[k]);
        cudaEventDestroy(s->copied[k]);
        cudaFree(s->d_buffer[k]);
    }
    cudaFreeHost(s->h_triples);
    neighbourhood_close(&s->n);
}

static void run_split(cudaStream_t stream, void *state)
{
    enqueue_neighbourhood(stream, (const neighbourhood *)state);
}

// Small tours are only checked, not timed.
static void measure_split(bench *b, const neighbourhood *n, const char *variant, timed_work work, void *state)
{
    device_tour *t = n->t;
    const bool is_small = t->answers[3].of != NULL;
    double ms = 0;
    if (is_small)
        work(0, state);
    else
        ms = time_ms(work, state, b->is_quick);
    check_best(t, 3, n->w.best, variant);
    if (is_small)
        return;
    char kernel[32];
    snprintf(kernel, sizeof kernel, "%d parts", n->parts);
    const steps_row row = steps_row_of("splitting", variant, kernel, 3, t->host.nodes, steps_moves(t->p.edges, 3), ms);
    steps_report_row(&b->report, &row);
}

static void measure_resident(bench *b, device_tour *t, const hierarchy *h, const char *variant, const evaluation *e, int parts)
{
    neighbourhood n = neighbourhood_open(t, e, h, (steps_moves(t->p.edges, 3) + parts - 1) / parts);
    measure_split(b, &n, variant, run_split, &n);
    neighbourhood_close(&n);
}

static void measure_streamed(bench *b, device_tour *t, const hierarchy *h, const char *variant, const evaluation *e, int parts,
                             bool overlaps)
{
    streamed s = streamed_open(t, e, h, (steps_moves(t->p.edges, 3) + parts - 1) / parts, overlaps);
    measure_split(b, &s.n, variant, run_streamed, &s);
    streamed_close(&s);
}

struct split_methods {
    evaluation pairs, newton, best, newton_best;
};

static void measure_splits(bench *b, int32_t nodes, const split_methods *m, const int *parts, int count, bool is_streamed)
{
    device_tour *t = tour_of(b, nodes);
    hierarchy h = hierarchy_open(t, &m->pairs.k.c, {0, 0});
    enqueue_hierarchy(0, &h, t, false);
    for (int k = 0; k < count; k++) {
        measure_resident(b, t, &h, "triples on the device", &m->pairs, parts[k]);
        if (is_streamed && parts[k] > 1) {
            measure_streamed(b, t, &h, "triples copied before each part", &m->pairs, parts[k], false);
            measure_streamed(b, t, &h, "triples copied during the part before", &m->pairs, parts[k], true);
        }
        measure_resident(b, t, &h, "triples by Newton's method", &m->newton, parts[k]);
    }
    measure_resident(b, t, &h, "no fitness structure; triples on the device", &m->best, 1);
    measure_resident(b, t, &h, "no fitness structure; triples by Newton's method", &m->newton_best, 1);
    hierarchy_close(&h);
}

void run_splitting(bench *b)
{
    if (!is_wanted(b, "splitting"))
        return;
    // With 64 parts, two of the best moves of the tour with ties share a place of the fitness structure.
    static const int SMALL_PARTS[] = {1, 2, 16, 64}, MIDDLE_PARTS[] = {1, 2, 4, 16}, LARGE_PARTS[] = {9, 18};
    constexpr config C = with(ZERO_LEVEL, RECTANGLE);
    const kernel_set table = kernels_of<C, 3, PAIRS | BEST>(), newton = kernels_of<with(C, TRIPLE_NEWTON), 3, PAIRS | BEST>();
    const split_methods m = {evaluation_of(table, ADD_SETS, PAIR_SETS, 2, DEFAULT_BLOCK),
                             evaluation_of(newton, ADD_SETS, PAIR_SETS, 2, DEFAULT_BLOCK),
                             evaluation_of(table, FIND_BEST, WHOLE_SET, 1, DEFAULT_BLOCK),
                             evaluation_of(newton, FIND_BEST, WHOLE_SET, 1, DEFAULT_BLOCK)};
    for (int s = 0; s < SMALL_TOURS; s++)
        measure_splits(b, SMALL_NODES[s], &m, SMALL_PARTS, 4, true);
    if (b->largest >= MIDDLE_NODES)
        measure_splits(b, MIDDLE_NODES, &m, MIDDLE_PARTS, 4, true);
    if (b->largest >= LARGE_NODES)
        measure_splits(b, LARGE_NODES, &m, LARGE_PARTS, 2, false);
}
