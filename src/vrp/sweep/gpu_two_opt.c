// SPDX-License-Identifier: MIT
// 2-opt of a symmetric tour on a GPU. A scan sends the tour, launches the decision of its moves and waits for the
// answer. If more scans may follow, the device makes the best move by itself and goes on (vrp/sweep/tour_sums.cuh).
// Sweeps are launched in batches, each before the ones ahead of it are done, and later scans take the answers one by
// one. So the host makes its own move, recounts and reports while the device is some sweeps ahead. A sweep takes the
// longer one of both times.
#include <string.h>

#include "vrp/sweep/gpu_two_opt.h"

static const double LAUNCH_MOVES = 1e11;  // moves of a launch: a tenth of a second, the longest wait of a cancellation
enum { MOST_SWEEPS = 16 };                // of a batch; to launch a batch costs the host about 6 us

// ---- Memory

static mco_status take_sides(vrp_gpu *s)
{
    mco_status st = MCO_OK;
    for (int k = 0; k < 2; k++) {
        vrp_device_side *side = &s->two_opt.side[k];
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &side->tour, s->room));
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &side->tally, vrp_two_opt_tallies(s->room)));
        MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &side->sweep, 1));
    }
done:
    return st;
}

static mco_status take_two_opt(vrp_gpu *s)
{
    mco_status st = MCO_OK;
    vrp_device_two_opt *t = &s->two_opt;
    const size_t place_bytes = s->places.kind == VRP_PLACES_PLANE ? 2 * sizeof(double) : 2 * sizeof(float);
    if (t->answers != NULL)
        return MCO_OK;
    MCO_TRY(take_sides(s));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_PINNED, &s->h_tour, s->room));
    MCO_TRY(mco_device_take_bytes(&s->device, MCO_MEMORY_DEVICE, &t->place, (size_t)s->room, place_bytes));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->stop, s->room));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->edge, s->room));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->next_depot, s->room));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_DEVICE, &t->partial, VRP_DEVICE_TWO_OPT_BLOCKS));
    MCO_TRY(mco_device_take(&s->device, MCO_MEMORY_PINNED, &t->answers, VRP_DEVICE_ANSWERS));
    memset(t->answers, 0, VRP_DEVICE_ANSWERS * sizeof *t->answers);
    t->capacity = s->problem->capacity;
    t->max_length = s->problem->max_length;
    t->vehicles = s->problem->vehicles;
    t->multiprocessors = s->device.info.multiprocessors;
    t->has_length = vrp_has_max_length(s->problem);
    t->overlaps = mco_device_overlaps(&s->device);
    t->start = s->h_tour;
done:
    return st;
}

// ---- Launches

static mco_status launch_sweep(vrp_gpu *s, int side)
{
    mco_status st = MCO_OK;
    MCO_CUDA(s->device.ctx, vrp_launch_two_opt_next(&s->two_opt, &s->places, side, s->device.stream));
    MCO_CUDA(s->device.ctx, vrp_launch_two_opt_moves(&s->two_opt, &s->places, 1 - side, 0, vrp_two_opt_tiles(s->two_opt.count),
                                                     s->device.stream));
done:
    return st;
}

void vrp_gpu_close_chain(vrp_gpu *s)
{
    if (s->chain.batch != NULL)
        cudaGraphExecDestroy(s->chain.batch);
    s->chain.batch = NULL;
}

// The number of sweeps of a batch. Two batches together last no longer than a launch may; 0 if the host has to wait for
// each sweep.
static int64_t batch_of(int32_t count)
{
    int64_t sweeps = MOST_SWEEPS;
    while (sweeps > 0 && 2 * (double)sweeps * (double)vrp_move_count(count - 1, false) > LAUNCH_MOVES)
        sweeps = sweeps > 2 ? sweeps / 2 : 0;
    return sweeps;
}

// Makes many launches one batch. A batch that is under way keeps what it needs when its graph is destroyed.
static mco_status make_batch(vrp_gpu *s)
{
    mco_status st = MCO_OK;
    cudaGraph_t graph = NULL;
    vrp_gpu_close_chain(s);
    s->chain.count = s->two_opt.count;
    s->chain.sweeps = batch_of(s->chain.count);
    MCO_CUDA(s->device.ctx, cudaStreamBeginCapture(s->device.stream, cudaStreamCaptureModeThreadLocal));
    for (int64_t k = 0; k < s->chain.sweeps && st == MCO_OK; k++)
        st = launch_sweep(s, (int)(k % 2));
    const mco_status captured = mco_cuda_status(s->device.ctx, cudaStreamEndCapture(s->device.stream, &graph),
                                                "cudaStreamEndCapture", __FILE__, __LINE__);
    MCO_TRY(st == MCO_OK ? captured : st);
    MCO_CUDA(s->device.ctx, cudaGraphInstantiate(&s->chain.batch, graph, 0));
done:
    if (graph != NULL)
        cudaGraphDestroy(graph);
    return st;
}

// Keeps a batch under way behind the one with the next answer: the launch behind a sweep writes its answer.
static mco_status run_ahead(vrp_gpu *s)
{
    mco_status st = MCO_OK;
    vrp_gpu_chain *c = &s->chain;
    if (c->batch == NULL || c->count != s->two_opt.count)
        MCO_TRY(make_batch(s));
    while (c->launched - c->taken <= c->sweeps) {
        MCO_CUDA(s->device.ctx, cudaGraphLaunch(c->batch, s->device.stream));
        c->launched += c->sweeps;
    }
done:
    return st;
}

// Launches the moves of the tour on side 0, in short launches.
static mco_status launch_moves(vrp_gpu *s, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    const int64_t tiles = vrp_two_opt_tiles(s->two_opt.count);
    const double launches = (double)vrp_move_count(s->two_opt.count - 1, false) / LAUNCH_MOVES;
    const int64_t step = launches > 1 ? (int64_t)((double)tiles / launches) + 1 : tiles;
    for (int64_t first = 0; first < tiles && !*stopped; first += step) {
        MCO_TRY(vrp_gpu_wait_between(s, stop_s, first == 0, stopped));
        if (!*stopped)
            MCO_CUDA(s->device.ctx, vrp_launch_two_opt_moves(&s->two_opt, &s->places, 0, first,
                                                             first + step < tiles ? first + step : tiles, s->device.stream));
    }
done:
    return st;
}

// Sends the tour and launches its sweep. The device goes on behind it if more scans may follow.
static mco_status begin(vrp_gpu *s, const vrp_scan *scan, double stop_s, bool *stopped)
{
    mco_status st = MCO_OK;
    vrp_device_two_opt *t = &s->two_opt;
    vrp_gpu_chain *c = &s->chain;
    t->count = scan->tour->count;
    memcpy(s->h_tour, scan->tour->node, (size_t)t->count * sizeof *s->h_tour);
    c->taken = c->launched++;  // sweeps of another tour that are still under way have lower numbers
    c->is_on = scan->ahead > 0 && batch_of(t->count) > 0;
    c->last = c->launched + (c->is_on ? scan->ahead : 0);
    MCO_CUDA(s->device.ctx, vrp_launch_two_opt_begin(t, &s->places, c->launched, c->last, s->device.stream));
    MCO_TRY(launch_moves(s, stop_s, stopped));
    if (!*stopped && !c->is_on)
        MCO_CUDA(s->device.ctx, vrp_launch_two_opt_tell(t, &s->places, 0, s->device.stream));
done:
    return st;
}

// ---- Answers

// Waits for the next answer. A kernel writes it to the host's memory, its number last; the host sees that sooner than
// the end of the stream. The loop ends: the kernels ahead last at most two tenths of a second, and once the stream is
// empty the answer is there or is known to be missing.
static mco_status take_answer(vrp_gpu *s, const vrp_device_answer **out)
{
    enum { LOOKS = 4096 };
    mco_status st = MCO_OK;
    const int64_t sequence = s->chain.taken + 1;
    const vrp_device_answer *answer = &s->two_opt.answers[sequence % VRP_DEVICE_ANSWERS];
    for (int64_t look = 1; __atomic_load_n(&answer->sequence, __ATOMIC_ACQUIRE) != sequence; look++) {
        if (look % LOOKS != 0)
            continue;
        const cudaError_t error = cudaStreamQuery(s->device.stream);
        if (error == cudaErrorNotReady)
            continue;
        MCO_CUDA(s->device.ctx, error);
        if (__atomic_load_n(&answer->sequence, __ATOMIC_ACQUIRE) != sequence)
            return mco_fail(s->device.ctx, MCO_ERR_INTERNAL, "GPU %d ended without the answer of a sweep",
                            s->device.info.index);
    }
    s->chain.taken = sequence;
    *out = answer;
done:
    return st;
}

mco_status vrp_gpu_scan_two_opt(vrp_engine *engine, vrp_scan *scan, double stop_s, bool *is_decided)
{
    mco_status st = MCO_OK;
    vrp_gpu *s = engine->state;
    const vrp_device_answer *answer = NULL;
    bool stopped = false;
    *is_decided = true;
    MCO_TRY(take_two_opt(s));
    if (!scan->is_next || !s->chain.is_on)
        MCO_TRY(begin(s, scan, stop_s, &stopped));
    if (stopped)
        return MCO_OK;
    if (s->chain.is_on)
        MCO_TRY(run_ahead(s));
    MCO_TRY(take_answer(s, &answer));
    engine->work.device_s += 1e-9 * (double)(answer->end_ns - answer->begin_ns);
    *is_decided = answer->is_decided;
    if (*is_decided) {
        scan->moves = vrp_move_count(scan->tour->count - 1, false);
        if (answer->best.index != UINT64_MAX)
            scan->best = (vrp_candidate){
                {(int32_t)(answer->best.index >> 32), (int32_t)(answer->best.index & UINT32_MAX), -1, -1},
                {0, (int64_t)answer->best.value + INT32_MIN}};
    }
    s->chain.is_on = s->chain.is_on && s->chain.taken < s->chain.last && scan->best.move.x >= 0 && scan->best.value.cost < 0;
done:
    return st;
}
