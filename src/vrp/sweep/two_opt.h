// SPDX-License-Identifier: MIT
// Sweeps of 2-opt by folded sums.
#ifndef MCO_VRP_SWEEP_TWO_OPT_H
#define MCO_VRP_SWEEP_TWO_OPT_H

#include "vrp/sweep/cpu.h"

// Of first edges x_begin..x_end - 1, for the workers' candidates; cpu->is_stopped is set where it had to stop.
void vrp_two_opt_run(vrp_cpu *cpu);

#endif
