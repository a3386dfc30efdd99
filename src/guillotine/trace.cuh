// SPDX-License-Identifier: MIT
// From the tables to the plan, on the GPU: what guillotine_walk() does on the host, all rectangles that are known at a time
// together. A block takes the next node, makes its rectangle as small as its value allows, and looks for the piece or the
// lowest cut that explains the value; a cut makes two more nodes. Values of both parts are positive then: the smaller
// rectangle would have the value otherwise. So there are at most two nodes a piece.
#ifndef MCO_GUILLOTINE_TRACE_CUH
#define MCO_GUILLOTINE_TRACE_CUH

#include "device/kernel.cuh"
#include "guillotine/cuda.h"

namespace {

constexpr int TRACE_THREADS = 512;
constexpr int TRACE_BLOCKS = 64;  // all resident at the same time: they wait for each other

// One line of a table: V of all positions of an axis at one position of the other.
template <class T> struct line {
    const T *values;
    const guillotine_device_axis &axis;

    DEVICE T value(int32_t p) const
    {
        return values[p];
    }
};

template <class T> DEVICE line<T> line_along(const guillotine_device_tables &t, int axis, int32_t across)
{
    // Contiguous in the table whose lanes run along the axis.
    return {static_cast<const T *>(t.table[1 - axis]) + across * t.axis[axis].pitch, t.axis[axis]};
}

// The least position at or below `high` with the value that `high` has, which is positive; values ascend.
template <class Line, class T> DEVICE int32_t least_position(const Line &l, int32_t high, T value)
{
    int32_t low = 0;  // V(low) < value = V(high)
    while (high - low > 1) {
        const int32_t step = (high - low - 1 + TRACE_THREADS - 1) / TRACE_THREADS;
        const int32_t p = low + 1 + (int32_t)threadIdx.x * step;
        const int32_t below = __syncthreads_count(p < high && l.value(p) < value);
        const int32_t end = low + 1 + below * step;
        low = below > 0 ? end - step : low;
        high = end < high ? end : high;
    }
    return high;
}

// The lowest cut of position `whole` whose parts are worth `value`; false if there is none.
template <class Line, class T>
DEVICE bool find_cut(const Line &l, int32_t whole, T value, int32_t *s_found, int32_t *second)
{
    const int32_t at = l.axis.at[whole];
    for (int32_t first = 1; first < whole && l.axis.at[first] <= at / 2; first += TRACE_THREADS) {
        const int32_t p = first + (int32_t)threadIdx.x;
        if (threadIdx.x == 0)
            *s_found = INT32_MAX;
        bool is_cut = p < whole && l.axis.at[p] <= at / 2;
        is_cut = is_cut && l.value(p) + l.value(l.axis.last_at[at - l.axis.at[p]]) == value;
        if (__syncthreads_or(is_cut)) {
            if (is_cut)
                atomicMin(s_found, p);
            __syncthreads();
            *second = l.axis.last_at[at - l.axis.at[*s_found]];
            return true;
        }
    }
    return false;
}

// What becomes of node (i,j), for all threads of the block alike but in *node. along(axis, across) is a line of the tables.
template <class Tables, class Along>
DEVICE guillotine_trace_node explain(const Tables &t, Along along, guillotine_trace_node node, int32_t *s_found)
{
    const auto value = along(1, node.i).value(node.j);
    node.kind = GUILLOTINE_TRACE_WASTE;
    if (value == 0)
        return node;
    node.i = least_position(along(0, node.j), node.i, value);
    node.j = least_position(along(1, node.i), node.j, value);
    const int64_t piece = t.best_piece[t.axis[0].piece_class[node.i] * (int64_t)t.class_pitch + t.axis[1].piece_class[node.j]];
    node.first = node.i;
    node.second = node.j;
    node.kind = GUILLOTINE_TRACE_PIECE;
    if (piece == value)
        return node;
    node.kind = GUILLOTINE_TRACE_X;
    if (find_cut(along(0, node.j), node.i, value, s_found, &node.second)) {
        node.first = *s_found;
        return node;
    }
    node.kind = GUILLOTINE_TRACE_Y;
    if (find_cut(along(1, node.i), node.j, value, s_found, &node.second)) {
        node.first = *s_found;
        return node;
    }
    node.kind = GUILLOTINE_TRACE_UNEXPLAINED;
    return node;
}

// Thread 0: the next node, when it is made; -1 when all are done.
DEVICE int32_t take_node(guillotine_trace *trace, int32_t capacity)
{
    const int32_t mine = atomicAdd(&trace->taken, 1);
    for (;;) {
        const volatile guillotine_trace *seen = trace;
        // Nodes are made before the one that makes them is done: if as many are done as are made later, all are.
        const int32_t done = seen->done;
        __threadfence();
        const int32_t made = seen->made;
        if (mine < capacity && seen->nodes[mine].is_open) {
            __threadfence();
            return mine;
        }
        if (done == made || seen->is_full || mine >= capacity)
            return -1;
        __nanosleep(100);
    }
}

DEVICE void open_node(guillotine_trace_node *node, int32_t i, int32_t j)
{
    *node = guillotine_trace_node{i, j, 0, 0, 0, 0, 0};
    __threadfence();
    *(volatile int32_t *)&node->is_open = 1;
}

// Thread 0: makes the parts of a cut, and the node is done.
DEVICE void finish_node(guillotine_trace *trace, int32_t capacity, int32_t number, guillotine_trace_node node)
{
    const bool is_x = node.kind == GUILLOTINE_TRACE_X;
    if (is_x || node.kind == GUILLOTINE_TRACE_Y) {
        node.part = atomicAdd(&trace->made, 2);
        if (node.part + 2 > capacity) {
            *(volatile int32_t *)&trace->is_full = 1;
            return;
        }
        open_node(&trace->nodes[node.part], is_x ? node.first : node.i, is_x ? node.j : node.first);
        open_node(&trace->nodes[node.part + 1], is_x ? node.second : node.i, is_x ? node.j : node.second);
    } else if (node.kind == GUILLOTINE_TRACE_UNEXPLAINED) {
        *(volatile int32_t *)&trace->is_full = 1;
    }
    node.is_open = 1;
    trace->nodes[number] = node;
    __threadfence();
    atomicAdd(&trace->done, 1);
}

// Takes nodes until the plan is complete, with lines as in explain(). A block has a node at a time, its threads positions
// of a line. Traffic: a few lines of the tables a node. Limit: latency, about ten dependent loads a node and as many for every
// 512 strips that do not explain the value.
template <class Tables, class Along>
DEVICE void trace_nodes(guillotine_trace *trace, int32_t capacity, const Tables &t, Along along)
{
    __shared__ int32_t s_number, s_found;
    for (;;) {
        if (threadIdx.x == 0)
            s_number = take_node(trace, capacity);
        __syncthreads();
        const int32_t number = s_number;
        if (number < 0)
            return;
        const volatile guillotine_trace_node *made = &trace->nodes[number];
        const guillotine_trace_node node = explain(t, along, {made->i, made->j, 0, 0, 0, 0, 0}, &s_found);
        if (threadIdx.x == 0)
            finish_node(trace, capacity, number, node);
        __syncthreads();
    }
}

template <class T>
__global__ void __launch_bounds__(TRACE_THREADS)
    trace_plan(const __grid_constant__ guillotine_device_tables t, guillotine_trace *trace, int32_t capacity)
{
    trace_nodes(trace, capacity, t, [&](int axis, int32_t across) { return line_along<T>(t, axis, across); });
}

// The plate is the first node.
template <class T>
__global__ void start_trace(const __grid_constant__ guillotine_device_tables t, guillotine_trace *trace)
{
    const int32_t i = t.axis[0].count - 1, j = t.axis[1].count - 1;
    trace->value = line_along<T>(t, 1, i).value(j);
    trace->made = 1;
    open_node(&trace->nodes[0], i, j);
}

}  // namespace

#endif
