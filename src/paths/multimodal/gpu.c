// SPDX-License-Identifier: MIT
// Searches under an automaton on one GPU, host side: the network and the moves stay on the device; queries run in batches whose labels
// fit there.
#include "paths/multimodal/gpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "device/device_cuda.h"
#include "paths/multimodal/cuda.h"
#include "paths/multimodal/search.h"

enum {
    SHAPE = 1, DELTA = 40, ROUNDS_MOST = 1 << 14, ROW_BYTES = 4 * MM_LANES + 20,  // labels, three masks, two queues
    DEGREE_MOST = (1 << 22) - 1,  // so that the triples of 32 rows have 32 bits
    PIECE_WORDS = 1 << 22,  // of a copy of labels: 16 MB, about 1 ms
    TIE_ROUNDS = 18,  // of a launch; kernels look at the round mod 2 and mod 3
    EVENTS = 5
};
static const int64_t ROUND_ARCS = 500000000;  // walked in a round at most: about 0.05 s
static const double SPARE_BYTES = 256e6;

// A query in the order of sources and departures.
typedef struct sorted_query {
    int32_t source, depart;
    int64_t place;  // of the caller
} sorted_query;

struct mm_device {
    mco_device device;
    const mco_multimodal *network;
    const mco_automaton *automaton;
    mm_plan plan;
    int32_t each;               // queries of a group
    int32_t longest;
    int32_t *d_query, *h_query;  // [3 * batch] source, target, depart
    int32_t *d_arrival, *h_arrival;            // [batch]
    unsigned long long *d_reached, *h_reached;
    int32_t *d_piece, *h_piece;  // [PIECE_WORDS]
    mm_control *h_control;
    mm_verdict *h_verdict;
    cudaEvent_t event[EVENTS];  // begun, cleared, searched, certified, answered
    sorted_query *order;        // [count] of the last call
    int64_t count, batch_first, batch_count;
    mm_device_stats stats;
};

// ---- Tables

static mco_status upload(mm_device *d, const void *from, int64_t count, size_t item_bytes, const void **out)
{
    mco_status st = MCO_OK;
    void *to = NULL;
    MCO_TRY(mco_device_take_bytes(&d->device, MCO_MEMORY_DEVICE, &to, (size_t)(count > 0 ? count : 1), item_bytes));
    if (count > 0)
        MCO_CUDA(d->device.ctx, cudaMemcpyAsync(to, from, (size_t)count * item_bytes, cudaMemcpyHostToDevice, d->device.stream));
    *out = to;
done:
    return st;
}
#define UPLOAD(d, from, count, out) upload(d, from, count, sizeof *(from), (const void **)(out))

static mco_status upload_network(mm_device *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    const mco_multimodal *n = d->network;
    mm_device_function *function = NULL;
    uint32_t *first = NULL;
    if (n->arcs > UINT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " arcs, a GPU searches at most %" PRIu32, n->arcs, UINT32_MAX);
    MCO_TRY(mco_alloc(ctx, &first, (int64_t)n->vertices + 1));
    MCO_TRY(mco_alloc(ctx, &function, n->functions));
    for (int32_t v = 0; v <= n->vertices; v++)
        first[v] = (uint32_t)n->first[v];
    for (int32_t v = 0; v < n->vertices; v++)
        if (first[v + 1] - first[v] > DEGREE_MOST)
            MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "vertex %d has %" PRIu32 " arcs, a GPU searches at most %d", v, first[v + 1] - first[v], DEGREE_MOST));
    for (int32_t k = 0; k < n->functions; k++) {
        const mm_function *f = &n->function[k];
        const bool is_headway = f->kind == MCO_MULTIMODAL_HEADWAY;
        function[k] = (mm_device_function){.kind_width = f->kind + 4 * f->width, .first = is_headway ? f->offset : f->first, .count = f->count,
                                           .inverse = f->width > 0 ? 1.0f / (float)f->width : 0};
    }
    MCO_TRY(UPLOAD(d, first, (int64_t)n->vertices + 1, &d->plan.d_first));
    MCO_TRY(UPLOAD(d, n->arc, n->arcs, &d->plan.d_arc));
    MCO_TRY(UPLOAD(d, function, n->functions, &d->plan.d_function));
    MCO_TRY(UPLOAD(d, n->point, n->points, &d->plan.d_point));
    MCO_TRY(UPLOAD(d, n->function, n->functions, &d->plan.d_exact));
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));
done:
    mco_free(ctx, &first);
    mco_free(ctx, &function);
    return st;
}

static mco_status upload_automaton(mm_device *d)
{
    mco_status st = MCO_OK;
    const mco_automaton *a = d->automaton;
    MCO_TRY(UPLOAD(d, a->next, (int64_t)a->states * a->labels, &d->plan.d_next));
    MCO_TRY(UPLOAD(d, a->pace, a->states, &d->plan.d_pace));
    MCO_CUDA(d->device.ctx, cudaStreamSynchronize(d->device.stream));
done:
    return st;
}

// ---- Open

static void set_plan(mm_device *d, const mm_device_tuning *tuning)
{
    mm_plan *p = &d->plan;
    const mco_multimodal *n = d->network;
    p->vertices = n->vertices;
    p->states = d->automaton->states;
    for (p->width = 1; p->width < p->states;)
        p->width *= 2;
    p->labels = n->labels;
    p->period = n->tables.period;
    p->label_bits = n->tables.label_bits;
    p->function_bits = n->tables.function_bits;
    p->delta = tuning->delta > 0 ? tuning->delta : DELTA;
    p->rounds_most = tuning->rounds > 0 && tuning->rounds < ROUNDS_MOST ? tuning->rounds : ROUNDS_MOST;
    p->shape = tuning->shape > 0 ? tuning->shape - 1 : SHAPE;
    p->threads = tuning->threads;
    p->start = d->automaton->start;
    p->final = d->automaton->final;
    d->each = MM_LANES / p->width;
}

// As many groups as the queries need, and as memory and the length of a round allow.
static mco_status settle_groups(mm_device *d, int64_t queries, int32_t most)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    size_t free_bytes = 0, all_bytes = 0;
    MCO_CUDA(ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    const double group_bytes = (double)d->network->vertices * ROW_BYTES + 12 * MM_LANES, room = (double)free_bytes - SPARE_BYTES;
    if (group_bytes > room)
        return mco_fail(ctx, MCO_ERR_LIMIT, "GPU %d: a search needs %.1f MB of device memory, %.1f MB are free", d->device.info.index,
                        1e-6 * group_bytes, 1e-6 * (room > 0 ? room : 0));
    int64_t groups = queries / d->each + (queries % d->each > 0 ? 1 : 0);
    const int64_t by_round = ROUND_ARCS / (d->network->arcs + 1), by_rows = INT32_MAX / d->network->vertices;
    groups = groups > by_round ? by_round : groups;
    groups = groups > by_rows ? by_rows : groups;
    groups = (double)groups > room / group_bytes ? (int64_t)(room / group_bytes) : groups;
    groups = most > 0 && groups > most ? most : groups;
    d->plan.groups = groups > 1 ? (int32_t)groups : 1;
done:
    return st;
}

static mco_status take_memory(mm_device *d)
{
    mco_status st = MCO_OK;
    mm_plan *p = &d->plan;
    mco_device *device = &d->device;
    const int64_t rows = (int64_t)p->vertices * p->groups, batch = mm_device_batch(d);
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p->d_label, rows * MM_LANES));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p->d_far, rows));
    for (int k = 0; k < 2; k++) {
        MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p->d_near[k], rows));
        MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p->d_queue[k], rows));
    }
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p->d_lane_depart, p->groups * MM_LANES));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p->d_live, p->groups));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p->d_control, 1));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p->d_lane_end, p->groups * MM_LANES));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &p->d_verdict, 1));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &d->d_query, 3 * batch));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &d->d_arrival, batch));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &d->d_reached, batch));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_DEVICE, &d->d_piece, PIECE_WORDS));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &d->h_query, 3 * batch));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &d->h_arrival, batch));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &d->h_reached, batch));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &d->h_piece, PIECE_WORDS));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &d->h_control, 1));
    MCO_TRY(mco_device_take(device, MCO_MEMORY_PINNED, &d->h_verdict, 1));
    p->d_source = d->d_query;
    p->d_target = d->d_query + batch;
    p->d_depart = d->d_query + 2 * batch;
    for (int k = 0; k < EVENTS; k++)
        MCO_CUDA(device->ctx, cudaEventCreate(&d->event[k]));
done:
    return st;
}

mco_status mm_device_open(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, const char *gpus,
                          int64_t queries, const mm_device_tuning *tuning, mm_device **out)
{
    mco_status st = MCO_OK;
    static const mm_device_tuning chosen = {0};
    mm_device *d = NULL;
    tuning = tuning != NULL ? tuning : &chosen;
    MCO_TRY(mco_alloc(ctx, &d, 1));
    d->network = network;
    d->automaton = automaton;
    MCO_TRY(mm_longest_arc(ctx, network, automaton, &d->longest));
    MCO_TRY(mco_device_open_named(ctx, gpus, &d->device));
    set_plan(d, tuning);
    const cudaError_t error = mm_shape_search(&d->plan, d->device.info.multiprocessors, tuning->blocks_each);
    if (error == cudaErrorInvalidValue)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "shape %d with %d threads a block, 1 to %d and a multiple of 32 were expected",
                         d->plan.shape + 1, d->plan.threads, MM_SHAPES));
    MCO_CUDA(ctx, error);
    MCO_TRY(upload_network(d));
    MCO_TRY(upload_automaton(d));
    MCO_TRY(settle_groups(d, queries, tuning->groups));
    MCO_TRY(take_memory(d));
    mco_log(ctx, MCO_LOG_DETAIL, "GPU %d: %d groups of %d queries with %d lanes each, windows of %d s, %d blocks", d->device.info.index,
            d->plan.groups, d->each, d->plan.width, d->plan.delta, d->plan.blocks);
    *out = d;
    d = NULL;
done:
    mm_device_close(ctx, &d);
    return st;
}

void mm_device_close(mco_context *ctx, mm_device **device)
{
    mm_device *d = *device;
    if (d == NULL)
        return;
    for (int k = 0; k < EVENTS; k++)
        if (d->event[k] != NULL)
            (void)cudaEventDestroy(d->event[k]);
    mco_device_close(&d->device);
    mco_free(ctx, &d->order);
    mco_free(ctx, device);
}

int64_t mm_device_batch(const mm_device *device)
{
    return (int64_t)device->plan.groups * device->each;
}

const mm_device_stats *mm_device_tell(const mm_device *device)
{
    return &device->stats;
}

// ---- A batch

static int by_source(const void *a, const void *b)
{
    const sorted_query *x = a, *y = b;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    if (x->depart != y->depart)
        return x->depart < y->depart ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static mco_status sort_queries(mm_device *d, int64_t count, const mco_multimodal_query *query)
{
    mco_status st = MCO_OK;
    mco_free(d->device.ctx, &d->order);
    d->count = d->batch_count = 0;
    MCO_TRY(mco_alloc(d->device.ctx, &d->order, count));
    for (int64_t k = 0; k < count; k++)
        d->order[k] = (sorted_query){query[k].source, query[k].depart, k};
    qsort(d->order, (size_t)count, sizeof *d->order, by_source);
    d->count = count;
done:
    return st;
}

// Writes the batch that begins at `first` in the order; the last one may lack queries.
static void write_batch(mm_device *d, int64_t first, const mco_multimodal_query *query)
{
    const int64_t batch = mm_device_batch(d), left = d->count - first;
    mm_plan *p = &d->plan;
    int32_t latest = 0;
    d->batch_first = first;
    d->batch_count = left < batch ? left : batch;
    p->has_targets = true;
    for (int64_t k = 0; k < batch; k++) {
        static const mco_multimodal_query none = {.source = -1, .target = -1};
        const mco_multimodal_query *q = k < d->batch_count ? &query[d->order[first + k].place] : &none;
        d->h_query[k] = q->source;
        d->h_query[batch + k] = q->target;
        d->h_query[2 * batch + k] = q->depart;
        latest = q->depart > latest ? q->depart : latest;
        p->has_targets = p->has_targets && (q->source < 0 || q->target >= 0);
    }
    p->end_most = MCO_MULTIMODAL_NONE - d->longest - latest;
}

typedef struct watch {
    mco_run *run;
    bool is_stopped;
} watch;

static bool must_stop(void *state)
{
    watch *w = state;
    w->is_stopped = w->is_stopped || (w->run != NULL && mco_run_must_stop(w->run, w->run->work));
    return w->is_stopped;
}

static mco_status begin_batch(mm_device *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    const mm_plan *p = &d->plan;
    cudaStream_t stream = d->device.stream;
    MCO_CUDA(ctx, cudaMemcpyAsync(d->d_query, d->h_query, 3 * (size_t)mm_device_batch(d) * sizeof *d->h_query, cudaMemcpyHostToDevice, stream));
    MCO_CUDA(ctx, cudaMemsetAsync(p->d_control, 0, sizeof *p->d_control, stream));
    MCO_CUDA(ctx, cudaEventRecord(d->event[0], stream));
    MCO_CUDA(ctx, cudaStreamWaitEvent(d->device.side, d->event[0], 0));  // `stop` is not written before it is cleared
    MCO_CUDA(ctx, mm_launch_begin(p, stream));
    MCO_CUDA(ctx, cudaEventRecord(d->event[1], stream));
done:
    return st;
}

// Launches until the search is done. It ends: each launch but the last one makes its rounds, and a round walks a label
// that has become earlier, or scans for the next window.
static mco_status search_batch(mm_device *d, watch *w)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    const mm_plan *p = &d->plan;
    cudaStream_t stream = d->device.stream;
    do {
        MCO_CUDA(ctx, mm_launch_search(p, stream));
        MCO_CUDA(ctx, cudaMemcpyAsync(d->h_control, p->d_control, sizeof *p->d_control, cudaMemcpyDeviceToHost, stream));
        MCO_CUDA(ctx, cudaEventRecord(d->event[2], stream));
        MCO_TRY(mco_device_wait(&d->device, d->event[2], must_stop, w, &d->plan.d_control->stop));
        d->stats.launches++;
    } while (!must_stop(w) && d->h_control->is_done == 0 && d->h_control->is_over == 0);
    if (d->h_control->is_over != 0)
        return mco_fail(ctx, MCO_ERR_LIMIT, "an arrival at %d s or later", MCO_MULTIMODAL_NONE);
done:
    return st;
}

// ---- The certificate of a batch

static mco_status read_verdict(mm_device *d, watch *w)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    MCO_CUDA(ctx, cudaMemcpyAsync(d->h_verdict, d->plan.d_verdict, sizeof *d->h_verdict, cudaMemcpyDeviceToHost, d->device.stream));
    MCO_CUDA(ctx, cudaEventRecord(d->event[3], d->device.stream));
    MCO_TRY(mco_device_wait(&d->device, d->event[3], must_stop, w, &d->plan.d_control->stop));
done:
    return st;
}

// Follows arcs that take no time. It ends: each launch but the last one holds more labels.
static mco_status follow_ties(mm_device *d, watch *w)
{
    mco_status st = MCO_OK;
    int32_t round = 0;
    do {
        MCO_CUDA(d->device.ctx, mm_launch_ties(&d->plan, round, TIE_ROUNDS, d->device.stream));
        MCO_TRY(read_verdict(d, w));
        round = TIE_ROUNDS;  // all but the first are alike
    } while (!w->is_stopped && d->h_verdict->tail[TIE_ROUNDS % 3] != 0);
    MCO_CUDA(d->device.ctx, mm_launch_rest(&d->plan, d->device.stream));
    MCO_TRY(read_verdict(d, w));
done:
    return st;
}

// Certifies the labels of the batch. If w says stop, then the verdict says nothing.
static mco_status certify_batch(mm_device *d, watch *w)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    MCO_CUDA(ctx, mm_launch_certificate(&d->plan, (uint32_t)d->network->arcs, d->device.stream));
    MCO_TRY(read_verdict(d, w));
    if (!w->is_stopped && d->h_verdict->wrong == 0 && d->h_verdict->loose != 0)
        MCO_TRY(follow_ties(d, w));
    if (!w->is_stopped && (d->h_verdict->wrong != 0 || d->h_verdict->loose != 0))
        return mco_fail(ctx, MCO_ERR_INTERNAL, "the labels of a batch of %" PRId64 " queries fail their certificate: %llu are wrong, no path leads to %llu",
                        d->batch_count, d->h_verdict->wrong, d->h_verdict->loose);
done:
    return st;
}

static mco_status read_answers(mm_device *d)
{
    mco_status st = MCO_OK;
    mco_context *ctx = d->device.ctx;
    cudaStream_t stream = d->device.stream;
    const size_t batch = (size_t)mm_device_batch(d);
    float whole_ms = 0, search_ms = 0, certificate_ms = 0;
    MCO_CUDA(ctx, mm_launch_answers(&d->plan, d->d_arrival, d->d_reached, stream));
    MCO_CUDA(ctx, cudaEventRecord(d->event[4], stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(d->h_arrival, d->d_arrival, batch * sizeof *d->h_arrival, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(ctx, cudaMemcpyAsync(d->h_reached, d->d_reached, batch * sizeof *d->h_reached, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(ctx, cudaStreamSynchronize(stream));  // ends: a reading of all labels and a copy, milliseconds
    MCO_CUDA(ctx, cudaEventElapsedTime(&whole_ms, d->event[0], d->event[4]));
    MCO_CUDA(ctx, cudaEventElapsedTime(&search_ms, d->event[1], d->event[2]));
    MCO_CUDA(ctx, cudaEventElapsedTime(&certificate_ms, d->event[2], d->event[3]));
    d->stats.device_s += 1e-3 * (double)whole_ms;
    d->stats.search_s += 1e-3 * (double)search_ms;
    d->stats.certificate_s += 1e-3 * (double)certificate_ms;
    d->stats.visits += (int64_t)d->h_control->visits;
    d->stats.triples += (int64_t)d->h_control->triples;
    d->stats.windows += (int64_t)d->h_control->scans;
    d->stats.rounds += d->h_control->round;
    d->stats.batches++;
done:
    return st;
}

mco_status mm_device_find(mco_context *ctx, mm_device *d, mco_run *run, int64_t count, const mco_multimodal_query *query,
                          int32_t *arrival, int64_t *reached, int64_t *done_count)
{
    mco_status st = MCO_OK;
    watch w = {.run = run};
    d->device.ctx = ctx;
    d->stats = (mm_device_stats){.blocks = d->plan.blocks, .groups = d->plan.groups, .gpu = d->device.info.index};
    *done_count = 0;
    MCO_TRY(mco_device_use(&d->device));
    MCO_TRY(sort_queries(d, count, query));
    for (int64_t first = 0; first < count && !must_stop(&w); first += mm_device_batch(d)) {
        write_batch(d, first, query);
        MCO_TRY(begin_batch(d));
        MCO_TRY(search_batch(d, &w));
        if (d->h_control->is_done == 0 || d->h_control->stop != 0)
            break;
        MCO_TRY(certify_batch(d, &w));
        if (w.is_stopped)
            break;
        MCO_TRY(read_answers(d));
        for (int64_t k = 0; k < d->batch_count; k++) {
            arrival[d->order[first + k].place] = d->h_arrival[k];
            reached[d->order[first + k].place] = (int64_t)d->h_reached[k];
        }
        *done_count += d->batch_count;
    }
done:
    return st;
}

// ---- The last batch

// Takes the device in use; *at: where the query is in the last batch.
static mco_status find_query(mco_context *ctx, mm_device *d, int64_t query, int64_t *at)
{
    mco_status st = MCO_OK;
    for (*at = 0; *at < d->batch_count && d->order[d->batch_first + *at].place != query;)
        ++*at;
    if (*at >= d->batch_count)
        return mco_fail(ctx, MCO_ERR_INTERNAL, "query %" PRId64 " is not of the last batch", query);
    d->device.ctx = ctx;
    MCO_TRY(mco_device_use(&d->device));
done:
    return st;
}

mco_status mm_device_certify(mco_context *ctx, mm_device *d)
{
    mco_status st = MCO_OK;
    watch nobody = {0};
    d->device.ctx = ctx;
    MCO_TRY(mco_device_use(&d->device));
    MCO_TRY(certify_batch(d, &nobody));
done:
    return st;
}

mco_status mm_device_spoil(mco_context *ctx, mm_device *d, int64_t query, int32_t vertex, int32_t state, int32_t label)
{
    mco_status st = MCO_OK;
    int64_t at = 0;
    MCO_TRY(find_query(ctx, d, query, &at));
    const int64_t row = at / d->each * d->plan.vertices + vertex, lane = at % d->each * d->plan.width + state;
    MCO_CUDA(ctx, cudaMemcpyAsync(d->plan.d_label + row * MM_LANES + lane, &label, sizeof label, cudaMemcpyHostToDevice, d->device.stream));
    MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));  // ends: a copy of four bytes
done:
    return st;
}

mco_status mm_device_labels(mco_context *ctx, mm_device *d, int64_t query, int32_t *label)
{
    mco_status st = MCO_OK;
    const int32_t states = d->plan.states, each = PIECE_WORDS / states;
    int64_t at = 0;
    MCO_TRY(find_query(ctx, d, query, &at));
    for (int64_t first = 0; first < d->plan.vertices; first += each) {
        const int32_t left = d->plan.vertices - (int32_t)first, count = left < each ? left : each;
        const size_t bytes = (size_t)count * (size_t)states * sizeof *label;
        MCO_CUDA(ctx, mm_launch_labels(&d->plan, (int32_t)at, (int32_t)first, count, d->d_piece, d->device.stream));
        MCO_CUDA(ctx, cudaMemcpyAsync(d->h_piece, d->d_piece, bytes, cudaMemcpyDeviceToHost, d->device.stream));
        MCO_CUDA(ctx, cudaStreamSynchronize(d->device.stream));  // ends: a copy of 16 MB at most
        memcpy(label + (size_t)first * (size_t)states, d->h_piece, bytes);
    }
done:
    return st;
}
