// SPDX-License-Identifier: MIT
// Sweeps move by move: with filters, and what cannot be folded.
#ifndef MCO_VRP_SWEEP_EACH_H
#define MCO_VRP_SWEEP_EACH_H

#include "vrp/sweep/cpu.h"

// By stored segments of a hierarchy, or by sums where it is -1. Fills
// the scan; cpu->is_stopped is set where it had to stop. Errors: LIMIT, MEMORY.
mco_status vrp_each_scan(vrp_cpu *cpu, int hierarchy);
// The first improving move with first edge x; none where it is not among about the first most_moves.
vrp_candidate vrp_each_first(vrp_cpu *cpu, int32_t x, int64_t most_moves);

#endif
