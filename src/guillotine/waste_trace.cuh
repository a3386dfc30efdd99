// SPDX-License-Identifier: MIT
// From tables of waste to the plan: guillotine/trace.cuh with V = x * y - w. For a cell at the cap this V may exceed
// the true value. It still never matches a value that the trace looks for: a rectangle of the plan wastes less than the
// cap, and so do a smaller rectangle of the same value and both parts of its cut.
#ifndef MCO_GUILLOTINE_WASTE_TRACE_CUH
#define MCO_GUILLOTINE_WASTE_TRACE_CUH

#include "guillotine/trace.cuh"
#include "guillotine/waste.h"

namespace waste {

// Values of all positions of an axis at one position of the other.
struct line {
    const uint16_t *lanes;
    const guillotine_waste_axis &axis;
    int64_t across;  // area of the line for each coordinate along the axis

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

__global__ void __launch_bounds__(TRACE_THREADS)
    trace_plan(const __grid_constant__ guillotine_waste_tables t, guillotine_trace *trace, int32_t capacity)
{
    trace_nodes(trace, capacity, t, [&](int axis, int32_t across) { return line_along(t, axis, across); });
}

// Makes the plate the first node, if its waste lies below the cap.
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
