// SPDX-License-Identifier: MIT
// Sweeps of 3-opt by folded sums.
#ifndef MCO_VRP_SWEEP_THREE_OPT_H
#define MCO_VRP_SWEEP_THREE_OPT_H

#include "vrp/sweep/cpu.h"

// Allocates tables and the memory of the workers, unless they exist. Errors: MEMORY.
mco_status vrp_three_opt_open(vrp_cpu *cpu);
// Like vrp_two_opt_run().
void vrp_three_opt_run(vrp_cpu *cpu);

#endif
