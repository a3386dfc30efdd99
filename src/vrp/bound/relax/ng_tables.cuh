// SPDX-License-Identifier: MIT
// Dense ng tables on a device: where base values and cells are, and the arcs (ng_cuda.h).
#ifndef MCO_VRP_BOUND_RELAX_NG_TABLES_CUH
#define MCO_VRP_BOUND_RELAX_NG_TABLES_CUH

#include "device/kernel.cuh"
#include "vrp/bound/relax/ng_cuda.h"

namespace {

using namespace mco;

constexpr int NO_PATH = VRP_NG_DEVICE_NO_PATH, APART = VRP_NG_DEVICE_APART, NO_ARC = VRP_NG_DEVICE_NO_ARC;

DEVICE bool is_path(int32_t value) { return value < NO_PATH / 2; }

DEVICE int32_t *cell_of(const vrp_ng_device_plan &plan, int side, int row, int node)
{
    return plan.d_cell + (((int64_t)side * plan.rows + row) * plan.nodes + node) * plan.sets;
}

DEVICE const int32_t *base_of(const vrp_ng_device_plan &plan, int side, int load)
{
    return plan.d_base + ((int64_t)side * (plan.capacity + 1) + load) * plan.stride;
}

}  // namespace

#endif
