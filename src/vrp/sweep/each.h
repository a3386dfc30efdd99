// SPDX-License-Identifier: MIT
// Sweeps move by move: with filters, by stored segments, and of tours that cannot be folded.
#ifndef MCO_VRP_SWEEP_EACH_H
#define MCO_VRP_SWEEP_EACH_H

#include "vrp/sweep/cpu.h"

// Decides the moves by stored segments of a hierarchy, or by sums if it is -1, and fills the scan. If it had to stop,
// cpu->is_stopped is set. Errors: LIMIT, MEMORY.
mco_status vrp_each_scan(vrp_cpu *cpu, int hierarchy);
// The first improving move with first edge x; none if it is not among about the first most_moves.
vrp_candidate vrp_each_first(vrp_cpu *cpu, int32_t x, int64_t most_moves);

#endif
