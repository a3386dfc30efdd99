// SPDX-License-Identifier: MIT
// Sweeps of 2-opt by folded sums.
#ifndef MCO_VRP_SWEEP_TWO_OPT_H
#define MCO_VRP_SWEEP_TWO_OPT_H

#include "vrp/sweep/cpu.h"

// Evaluates the moves of first edges x_begin..x_end - 1; the workers keep the candidates. If it had to stop,
// cpu->is_stopped is set.
void vrp_two_opt_run(vrp_cpu *cpu);

#endif
