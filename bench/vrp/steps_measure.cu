// SPDX-License-Identifier: MIT
// The evaluation of a neighbourhood, whole or in parts, and the rows of one configuration: each kernel, all kernels,
// all kernels with the reduction, and a whole iteration.
#include "steps_bench.cuh"

#include <cstring>

static const int64_t MOST_PLACES = INT32_MAX;  // of a fitness structure: places are 32 bits

evaluation evaluation_of(kernel_set k, evaluation_mode mode, const int *sets, int set_count, int block)
{
    evaluation e = {k, mode, {}, set_count, {}};
    for (int s = 0; s < set_count; s++) {
        e.sets[s] = sets[s];
        e.block[s] = block;
    }
    return e;
}

// Names of the sets, indexed by the bits of their resources.
static const char *const SET_NAMES[ALL_FOUR + 1] = {
    NULL,     "cost",        "vehicles",        NULL, "capacity", "cost+capacity", "capacity+vehicles", NULL,
    "length", "cost+length", "length+vehicles", NULL, NULL,       NULL,            NULL,                "all four"};

// ---- Neighbourhoods

neighbourhood neighbourhood_open(device_tour *t, const evaluation *e, const hierarchy *h, int64_t most_moves)
{
    neighbourhood n = {t, *e, h, {}, {}, NULL, 1, NULL, {}};
    const int64_t moves = steps_moves(t->p.edges, e->k.cuts);
    const bool has_structure = e->mode != FIND_BEST;
    if (most_moves <= 0 || most_moves > MOST_PLACES)
        most_moves = MOST_PLACES;
    if (e->k.cuts == 3 && e->k.c.triple == TRIPLE_TABLE)
        n.triples = triples_open(t->p.edges);
    int64_t places = moves;
    if (has_structure && moves > most_moves && e->k.cuts == 3) {
        n.parts = (int)((moves + most_moves - 1) / most_moves);
        places = 4 * ((moves / 4 + n.parts - 1) / n.parts);
        n.other = workspace_open(places, NULL);
        n.part = (uint8_t *)device_take(places);
    }
    n.w = workspace_open(has_structure ? places : 0, has_structure ? NULL : e->k.best);
    n.a = args_of(t, h, &n.w, n.triples, e->k.cuts);
    if (n.parts > 1)
        n.a.stride = (uint32_t)(places / 4);
    return n;
}

void neighbourhood_close(neighbourhood *n)
{
    workspace_close(&n->w);
    if (n->parts > 1)
        workspace_close(&n->other);
    cudaFree(n->part);
    cudaFree(n->triples);
}

static move_kernel kernel_of(const evaluation *e, int s)
{
    return e->mode == SET_WHOLE ? e->k.set_all : e->k.add[e->sets[s]];
}

void enqueue_part(cudaStream_t stream, const neighbourhood *n, const move_args *a)
{
    const evaluation *e = &n->e;
    if (e->mode == ADD_SETS)
        enqueue_clear(stream, &e->k, a);
    else if (a->count < a->stride)
        MUST(cudaMemsetAsync(a->feasible, 0, 4 * (size_t)a->stride, stream));
    for (int s = 0; s < e->set_count; s++)
        enqueue_moves(stream, &e->k, kernel_of(e, s), a, e->block[s]);
}

// Part 0 is evaluated into w, the others into `other`.
void args_of_part(const neighbourhood *n, int number, move_args *a)
{
    *a = n->a;
    if (n->parts == 1)
        return;
    const uint32_t total = n->a.count, first = (uint32_t)number * n->a.stride;
    a->first = first;
    a->count = total - first < n->a.stride ? total - first : n->a.stride;
    a->triples = n->triples ? n->triples + first : NULL;
    const workspace *w = number == 0 ? &n->w : &n->other;
    a->value = w->value;
    a->feasible = w->feasible;
}

void enqueue_neighbourhood(cudaStream_t stream, const neighbourhood *n)
{
    if (n->e.mode == FIND_BEST) {
        enqueue_best(stream, &n->e.k, &n->a, &n->w);
        return;
    }
    const int64_t places = n->w.moves;
    if (n->parts > 1)
        MUST(cudaMemsetAsync(n->part, 0, (size_t)places, stream));
    for (int number = 0; number < n->parts; number++) {
        move_args a;
        args_of_part(n, number, &a);
        enqueue_part(stream, n, &a);
        if (number > 0)
            enqueue_merge(stream, &n->w, &n->other, n->part, number, places);
    }
    enqueue_reduction(stream, &n->e.k, &n->a, &n->w, n->part);
}

// ---- Times

struct timed_neighbourhood {
    const neighbourhood *n;
    int set;
    int32_t *d_node;  // a copy of the tour, on which moves are executed
    candidate *d_moves;
    uint32_t *d_counter;
};

static void run_set(cudaStream_t stream, void *state)
{
    const timed_neighbourhood *t = (const timed_neighbourhood *)state;
    const evaluation *e = &t->n->e;
    move_args a;
    args_of_part(t->n, 0, &a);
    if (e->mode == FIND_BEST)
        enqueue_best(stream, &e->k, &a, &t->n->w);
    else
        enqueue_moves(stream, &e->k, kernel_of(e, t->set), &a, e->block[t->set]);
}

static void run_evaluation(cudaStream_t stream, void *state)
{
    const timed_neighbourhood *t = (const timed_neighbourhood *)state;
    enqueue_part(stream, t->n, &t->n->a);
}

static void run_with_reduction(cudaStream_t stream, void *state)
{
    enqueue_neighbourhood(stream, ((const timed_neighbourhood *)state)->n);
}

static void run_iteration(cudaStream_t stream, void *state)
{
    const timed_neighbourhood *t = (const timed_neighbourhood *)state;
    const neighbourhood *n = t->n;
    enqueue_hierarchy(stream, n->h, n->t, n->e.mode == FIND_BEST);
    enqueue_neighbourhood(stream, n);
    enqueue_execution(stream, n->w.best, NULL, t->d_node, n->t->d_start, n->t->host.nodes, t->d_moves, t->d_counter);
}

void tune(neighbourhood *n)
{
    static const int BLOCKS[] = {64, 128, 256, 512};
    static const int64_t MOST_MOVES = 1 << 27;  // a larger neighbourhood takes the default
    for (int s = 0; s < n->e.set_count && n->e.mode != FIND_BEST; s++) {
        if (n->e.block[s] > 0)
            continue;
        timed_neighbourhood t = {n, s, NULL, NULL, NULL};
        double best_ms = 0;
        int best = DEFAULT_BLOCK;
        for (size_t k = 0; k < sizeof BLOCKS / sizeof *BLOCKS && n->w.moves <= MOST_MOVES; k++) {
            n->e.block[s] = BLOCKS[k];
            const double ms = time_ms(run_set, &t, true);
            if (k == 0 || ms < best_ms) {
                best_ms = ms;
                best = BLOCKS[k];
            }
        }
        n->e.block[s] = best;
    }
}

// ---- Rows

// The least that a kernel has to move: its share of the fitness structure, and each triple once for each grid row that
// reads it.
static double counted_bytes(const evaluation *e, int s, int64_t moves)
{
    double bytes = 0;
    if (e->mode == SET_WHOLE)
        bytes = (sizeof(int32_t) + 1.0) * (double)moves;
    else if (e->mode == ADD_SETS && e->sets[s] & (COST | VEHICLES))
        bytes = 2.0 * sizeof(int32_t) * (double)moves;
    if (e->k.cuts == 3 && e->k.c.triple == TRIPLE_TABLE)
        bytes += (double)sizeof(triple) * (double)moves / 4 * (e->k.c.order == P_OUTERMOST && e->mode != FIND_BEST ? 4 : 1);
    return bytes;
}

static void print_rows(const bench *b, const steps_row *base, timed_neighbourhood *t)
{
    const neighbourhood *n = t->n;
    const evaluation *e = &n->e;
    for (t->set = 0; t->set < e->set_count; t->set++) {
        steps_row row = *base;
        row.kernel = e->mode == FIND_BEST ? "all four+reduction" : SET_NAMES[e->sets[t->set]];
        row_of_kernel(&row, e->mode == FIND_BEST ? (const void *)e->k.best : (const void *)kernel_of(e, t->set),
                      e->mode == FIND_BEST ? (int)BEST_THREADS : e->block[t->set]);
        row.ms = time_ms(run_set, t, b->is_quick);
        row.counted_bytes = counted_bytes(e, t->set, base->moves);
        steps_report_row(&b->report, &row);
    }
    static const struct {
        const char *name;
        timed_work work;
    } WHOLE[] = {{"evaluation", run_evaluation}, {"evaluation+reduction", run_with_reduction}, {"iteration", run_iteration}};
    for (size_t k = e->mode == FIND_BEST ? 2 : 0; k < sizeof WHOLE / sizeof *WHOLE; k++) {
        steps_row row = *base;
        row.kernel = WHOLE[k].name;
        row.ms = time_ms(WHOLE[k].work, t, b->is_quick);
        steps_report_row(&b->report, &row);
    }
}

static void check_once(neighbourhood *n, const char *variant)
{
    MUST(cudaMemset(n->w.value, 0xff, (size_t)n->w.moves * sizeof *n->w.value));
    MUST(cudaMemset(n->w.feasible, 0xff, (size_t)n->w.moves));
    enqueue_hierarchy(0, n->h, n->t, n->e.mode == FIND_BEST);
    enqueue_neighbourhood(0, n);
    if (n->e.mode != FIND_BEST && n->parts == 1 && n->t->answers[n->e.k.cuts].of)
        check_answers(n->t, &n->e.k, &n->w, variant);
    check_best(n->t, n->e.k.cuts, n->w.best, variant);
}

static void check_small(bench *b, const char *variant, const evaluation *e, part_sizes parts)
{
    for (int s = 0; s < SMALL_TOURS; s++) {
        device_tour *t = tour_of(b, SMALL_NODES[s]);
        evaluation small = *e;
        for (int k = 0; k < e->set_count; k++)
            small.block[k] = e->block[k] > 0 ? e->block[k] : (int)DEFAULT_BLOCK;
        hierarchy h = hierarchy_open(t, &e->k.c, parts);
        neighbourhood n = neighbourhood_open(t, &small, &h, 0);
        check_once(&n, variant);
        neighbourhood_close(&n);
        hierarchy_close(&h);
    }
}

void measure(bench *b, const char *step, const char *variant, int32_t nodes, const evaluation *e, part_sizes parts)
{
    check_small(b, variant, e, parts);
    device_tour *t = tour_of(b, nodes);
    hierarchy h = hierarchy_open(t, &e->k.c, parts);
    neighbourhood n = neighbourhood_open(t, e, &h, 0);
    for (int s = 0; s < n.e.set_count; s++)
        if (n.e.block[s] == 0 && b->is_quick)
            n.e.block[s] = DEFAULT_BLOCK;
    enqueue_hierarchy(0, &h, t, false);
    if (n.w.moves > 0)
        enqueue_clear(0, &n.e.k, &n.a);
    tune(&n);
    check_once(&n, variant);

    timed_neighbourhood timed = {&n, 0, (int32_t *)device_take(t->host.nodes * (int64_t)sizeof(int32_t)),
                                 (candidate *)device_take(RING * sizeof(candidate)), (uint32_t *)device_take(sizeof(uint32_t))};
    MUST(cudaMemset(timed.d_counter, 0, sizeof *timed.d_counter));
    MUST(cudaMemcpy(timed.d_node, t->d_start, (size_t)t->host.nodes * sizeof(int32_t), cudaMemcpyDeviceToDevice));
    const steps_row base = steps_row_of(step, variant, NULL, e->k.cuts, t->host.nodes, steps_moves(t->p.edges, e->k.cuts), 0);
    print_rows(b, &base, &timed);
    check_once(&n, variant);
    cudaFree(timed.d_node);
    cudaFree(timed.d_moves);
    cudaFree(timed.d_counter);
    neighbourhood_close(&n);
    hierarchy_close(&h);
}
