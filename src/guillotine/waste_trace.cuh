// SPDX-License-Identifier: MIT
// From tables of waste to the plan: guillotine/trace.cuh with V = x * y - w. A cell at the cap then stands for more than its
// value, but less than what the plan looks for: a part of the plan, or what is worth as much and smaller, wastes less than
// the cap, and so do both parts of a cut.
#ifndef MCO_GUILLOTINE_WASTE_TRACE_CUH
#define MCO_GUILLOTINE_WASTE_TRACE_CUH

#include "guillotine/trace.cuh"
#include "guillotine/waste.h"

namespace waste {

// Values of all positions of an axis at one position of the other.
struct line {
    const uint16_t *lanes;
    const guillotine_waste_axis &axis;
    int64_t across;  // area of a line one wide

    DEVICE int64_t value(int32_t p) const
    {
        return axis.at[p] * across - lanes[p];
    }
};

DEVICE line line_along(const guillotine_waste_tables &t, int axis, int32_t across)
{
    const guillotine_waste_axis &other = t.axis[1 - axis];
    const int64_t at = other.at[across];
    return {other.table + at * t.axis[axis].pitch, t.axis[axis], at * t.unit_area};
}

// The least position at or below `high` with the value that `high` has, which is positive.
DEVICE int32_t least_position(const line &l, int32_t high, int64_t value)
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
DEVICE bool find_cut(const line &l, int32_t whole, int64_t value, int32_t *s_found, int32_t *second)
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

// What becomes of node (i,j), for all threads of the block alike but in *node.
DEVICE guillotine_trace_node explain(const guillotine_waste_tables &t, guillotine_trace_node node, int32_t *s_found)
{
    const int64_t value = line_along(t, 1, node.i).value(node.j);
    node.kind = GUILLOTINE_TRACE_WASTE;
    if (value == 0)
        return node;
    node.i = least_position(line_along(t, 0, node.j), node.i, value);
    node.j = least_position(line_along(t, 1, node.i), node.j, value);
    const int64_t piece = t.best_piece[t.axis[0].piece_class[node.i] * (int64_t)t.class_pitch + t.axis[1].piece_class[node.j]];
    node.first = node.i;
    node.second = node.j;
    node.kind = GUILLOTINE_TRACE_PIECE;
    if (piece == value)
        return node;
    node.kind = GUILLOTINE_TRACE_X;
    if (find_cut(line_along(t, 0, node.j), node.i, value, s_found, &node.second)) {
        node.first = *s_found;
        return node;
    }
    node.kind = GUILLOTINE_TRACE_Y;
    if (find_cut(line_along(t, 1, node.i), node.j, value, s_found, &node.second)) {
        node.first = *s_found;
        return node;
    }
    node.kind = GUILLOTINE_TRACE_UNEXPLAINED;
    return node;
}

__global__ void __launch_bounds__(TRACE_THREADS)
    trace_plan(const __grid_constant__ guillotine_waste_tables t, guillotine_trace *trace, int32_t capacity)
{
    trace_nodes(trace, capacity, [&](guillotine_trace_node node, int32_t *s_found) { return explain(t, node, s_found); });
}

// The plate is the first node, if its waste is known.
__global__ void start_trace(const __grid_constant__ guillotine_waste_tables t, guillotine_trace *trace)
{
    const int32_t i = t.axis[0].count - 1, j = t.axis[1].count - 1;
    const line plate = line_along(t, 1, i);
    trace->value = -1;
    if (plate.lanes[j] >= t.cap)
        return;
    trace->value = plate.value(j);
    trace->made = 1;
    open_node(&trace->nodes[0], i, j);
}

}  // namespace waste

#endif
