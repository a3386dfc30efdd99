// SPDX-License-Identifier: MIT
// Walks from places and targets on a GPU, a block for each query: kernel and launchers. The reference is transit_walker (streets.c).
//
// Both searches of a query run together: an entry of the queue is a side and a vertex. A round relaxes the arcs of all entries; a
// label that falls puts its vertex into the queue of the next round. Labels end as the lengths of shortest walks within the limit,
// in whatever order they fall, so they equal those of Dijkstra's algorithm on the cores.
//
// Labels lie in device memory, and near places only a few hundred of them are touched: they stay in the L2 cache. A round is a
// chain of four reads and an atomic there, and a hundred rounds follow each other; blocks of 16 queries a multiprocessor hide that.
#include "paths/transit/cuda.h"
#include "device/kernel.cuh"

namespace {

using namespace mco;

constexpr int32_t NONE = TRANSIT_GPU_NONE;

struct place_state {
    int ask;
    int queue_count[2];
    int touched_count;
    int end_count[2];
    int direct_cm;
};

// The parts of a block's scratch.
struct place_memory {
    place_state *state;
    int32_t *label, *stamp, *queue[2], *touched, *stop_cm;
};

template <class T> DEVICE T read_now(const T *word) { return *const_cast<const volatile T *>(word); }

DEVICE place_memory divide_memory(const transit_places_plan &plan)
{
    const size_t b = blockIdx.x, n = 2 * (size_t)plan.vertices;
    place_memory m;
    m.state = dynamic_shared<place_state>();
    m.label = plan.d_label + b * n;
    m.stamp = plan.d_stamp + b * n;
    m.queue[0] = plan.d_queue + b * 2 * n;
    m.queue[1] = m.queue[0] + n;
    m.touched = plan.d_touched + b * n;
    m.stop_cm = plan.d_stop_cm + b * 2 * (size_t)plan.stops;
    return m;
}

// Lowers the label of an entry, which then waits for `round`.
DEVICE void lower(const place_memory &m, int entry, int cm, int round)
{
    if (cm >= read_now(&m.label[entry]))
        return;
    const int before = atomicMin(&m.label[entry], cm);
    if (cm >= before)
        return;
    if (before == NONE)
        m.touched[atomicAdd(&m.state->touched_count, 1)] = entry;
    if (atomicExch(&m.stamp[entry], round) != round)
        m.queue[round % 2][atomicAdd(&m.state->queue_count[round % 2], 1)] = entry;
}

DEVICE void set_out(const transit_places_plan &plan, const place_memory &m, const transit_gpu_ask &ask)
{
    for (int i = threadIdx.x; i < 4; i += blockDim.x) {
        const transit_gpu_spot &spot = ask.spot[i / 2];
        if (spot.piece >= 0 && spot.cm[i % 2] <= plan.limit_cm)
            lower(m, i / 2 * plan.vertices + spot.end[i % 2], spot.cm[i % 2], 1);
    }
}

// Rounds until no label falls. They end: labels are whole numbers that only fall, and the walks within the limit are finite.
DEVICE void walk(const transit_places_plan &plan, const place_memory &m)
{
    for (int round = 1;; round++) {
        const int count = m.state->queue_count[round % 2];
        const int32_t *queue = m.queue[round % 2];
        if (count == 0)
            break;
        for (int i = threadIdx.x; i < count; i += blockDim.x) {
            const int entry = queue[i], side = entry >= plan.vertices ? plan.vertices : 0, v = entry - side;
            const int cm = read_now(&m.label[entry]);
            for (int a = plan.d_first[v]; a < plan.d_first[v + 1]; a++) {
                const transit_gpu_arc arc = plan.d_arc[a];
                if (arc.cm <= plan.limit_cm - cm)
                    lower(m, side + arc.head, cm + arc.cm, round + 1);
            }
        }
        __syncthreads();
        if (threadIdx.x == 0)
            m.state->queue_count[round % 2] = 0;
        __syncthreads();
    }
}

// Centimetres between two spots on one piece of street; NONE if they are on two.
DEVICE int piece_cm(const transit_gpu_spot &a, const transit_gpu_spot &b)
{
    if (a.piece < 0 || a.piece != b.piece)
        return NONE;
    return a.off + b.off + (a.along < b.along ? b.along - a.along : a.along - b.along);
}

// The walk from place to target: along one piece, to an end of the other one's piece, or by an arc between both searches.
DEVICE void meet(const transit_places_plan &plan, const place_memory &m, const transit_gpu_ask &ask)
{
    const int n = plan.vertices;
    if (threadIdx.x == 0)
        atomicMin(&m.state->direct_cm, piece_cm(ask.spot[0], ask.spot[1]));
    for (int i = threadIdx.x; i < 4; i += blockDim.x) {
        const int side = i / 2;
        const transit_gpu_spot &other = ask.spot[1 - side];
        const int cm = other.piece >= 0 ? m.label[side * n + other.end[i % 2]] : NONE;
        if (cm != NONE)
            atomicMin(&m.state->direct_cm, cm + other.cm[i % 2]);
    }
    for (int i = threadIdx.x; i < m.state->touched_count; i += blockDim.x) {
        const int v = m.touched[i];
        if (v >= n)
            continue;
        const int cm = m.label[v];
        for (int a = plan.d_first[v]; a < plan.d_first[v + 1]; a++) {
            const transit_gpu_arc arc = plan.d_arc[a];
            const int rest = m.label[n + arc.head];
            if (rest != NONE)
                atomicMin(&m.state->direct_cm, cm + arc.cm + rest);
        }
    }
}

DEVICE void reach_stop(const transit_places_plan &plan, const place_memory &m, int side, int stop, int cm)
{
    if (cm > plan.limit_cm)
        return;
    if (atomicMin(&m.stop_cm[side * plan.stops + stop], cm) != NONE)
        return;
    const int at = atomicAdd(&m.state->end_count[side], 1);
    plan.d_end[(2 * (size_t)m.state->ask + side) * plan.stops + at].stop = stop;
}

DEVICE void find_stops(const transit_places_plan &plan, const place_memory &m, const transit_gpu_ask &ask)
{
    for (int i = threadIdx.x; i < m.state->touched_count; i += blockDim.x) {
        const int entry = m.touched[i], side = entry >= plan.vertices, v = entry - side * plan.vertices, cm = m.label[entry];
        for (int k = plan.d_at_first[v]; k < plan.d_at_first[v + 1]; k++)
            reach_stop(plan, m, side, plan.d_at[k].stop, cm + plan.d_at[k].cm);
    }
    for (int i = threadIdx.x; i < 4; i += blockDim.x) {
        const transit_gpu_spot &spot = ask.spot[i / 2];
        if (spot.piece < 0)
            continue;
        const int v = spot.end[i % 2];
        for (int k = plan.d_at_first[v]; k < plan.d_at_first[v + 1]; k++)
            reach_stop(plan, m, i / 2, plan.d_at[k].stop, piece_cm(spot, plan.d_stop[plan.d_at[k].stop]));
    }
}

// Writes the lengths of the walks to the stops, and clears what the query has touched.
DEVICE void finish(const transit_places_plan &plan, const place_memory &m, transit_gpu_ask *ask)
{
    for (int side = 0; side < 2; side++)
        for (int i = threadIdx.x; i < m.state->end_count[side]; i += blockDim.x) {
            transit_gpu_end *end = &plan.d_end[(2 * (size_t)m.state->ask + side) * plan.stops + i];
            int32_t *cm = &m.stop_cm[side * plan.stops + end->stop];
            end->cm = *cm;
            *cm = NONE;
        }
    for (int i = threadIdx.x; i < m.state->touched_count; i += blockDim.x) {
        m.label[m.touched[i]] = NONE;
        m.stamp[m.touched[i]] = 0;
    }
    if (threadIdx.x == 0) {
        ask->end_count[0] = m.state->end_count[0];
        ask->end_count[1] = m.state->end_count[1];
        ask->direct_cm = m.state->direct_cm <= 2 * plan.limit_cm ? m.state->direct_cm : -1;
    }
}

DEVICE void take_ask(const transit_places_plan &plan, place_state *state)
{
    if (threadIdx.x == 0) {
        const bool is_stopped = read_now(&plan.d_control->stop) != 0;
        state->ask = is_stopped ? plan.count : (int)atomicAdd(&plan.d_control->next_place, 1u);
        state->queue_count[0] = state->queue_count[1] = state->touched_count = 0;
        state->end_count[0] = state->end_count[1] = 0;
        state->direct_cm = NONE;
    }
}

__global__ void places(const transit_places_plan plan)
{
    const place_memory m = divide_memory(plan);
    for (;;) {
        take_ask(plan, m.state);
        __syncthreads();
        if (m.state->ask >= plan.count)
            break;
        transit_gpu_ask *d_ask = plan.d_ask + m.state->ask;
        const transit_gpu_ask ask = *d_ask;
        if (!ask.is_off_map) {
            set_out(plan, m, ask);
            __syncthreads();
            walk(plan, m);
            meet(plan, m, ask);
            find_stops(plan, m, ask);
            __syncthreads();
            finish(plan, m, d_ask);
        }
        __syncthreads();
    }
}

}  // namespace

cudaError_t transit_places_shape(transit_places_plan *plan, int multiprocessors)
{
    int fit = 0;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, places, plan->threads, sizeof(place_state));
    if (error == cudaSuccess && fit == 0)
        error = cudaErrorInvalidConfiguration;
    plan->blocks = fit * multiprocessors;
    return error;
}

cudaError_t transit_launch_places(const transit_places_plan *plan, cudaStream_t stream)
{
    const int32_t blocks = plan->blocks < plan->count ? plan->blocks : plan->count;
    return launch(places, (unsigned int)blocks, (unsigned int)plan->threads, sizeof(place_state), stream, *plan);
}
