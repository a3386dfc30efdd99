// SPDX-License-Identifier: MIT
// From the tables to the plan, on the GPU. It does the work of guillotine_walk(), with all known rectangles in
// parallel. A block takes the next node, makes its rectangle as small as its value allows, and looks for the piece or
// the lowest cut that explains the value. A cut makes two more nodes. Both parts of the cut have positive values:
// otherwise a smaller rectangle would have the value. So there are at most two nodes for each piece.
#ifndef MCO_GUILLOTINE_TRACE_CUH
#define MCO_GUILLOTINE_TRACE_CUH

#include "device/kernel.cuh"
#include "guillotine/cuda.h"

namespace {

constexpr int TRACE_THREADS = 512;
constexpr int TRACE_BLOCKS = 64;  // all must be resident at the same time, because they wait for each other

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
    // A line along the axis is contiguous in the table whose lanes run along it.
    return {static_cast<const T *>(t.table[1 - axis]) + across * t.axis[axis].pitch, t.axis[axis]};
}

// The least position with the value that position `high` has. Values ascend, and `value`, that of `high`, is positive.
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

// Finds the lowest cut of position `whole` whose parts are together worth `value`: *s_found and *second. Returns false
// if there is none.
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

// Finds what becomes of node (i,j). All threads of the block get the same result. along(axis, across) gives a line of
// the tables.
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

// Thread 0: waits until the next node is made and returns it; -1 when all are done or there is no room for more.
DEVICE int32_t take_node(guillotine_trace *trace, int32_t capacity)
{
    const int32_t mine = atomicAdd(&trace->taken, 1);
    for (;;) {
        const volatile guillotine_trace *seen = trace;
        // A node makes its parts before it is done, and `made` is read after `done`. So if both are equal, all nodes
        // are done.
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

// Thread 0: makes the parts of a cut, then counts the node as done.
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

// Takes nodes until the plan is complete; `along` is as in explain(). A block works on one node at a time, and its
// threads on the positions of a line. Traffic: a few lines of the tables for a node. Limit: latency, about ten
// dependent loads for a node, and as many for every 512 strips that do not explain the value.
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
