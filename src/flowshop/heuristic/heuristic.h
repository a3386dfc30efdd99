// SPDX-License-Identifier: MIT
// Good schedules fast: NEH, then iterated greedy on every thread.
#ifndef MCO_FLOWSHOP_HEURISTIC_HEURISTIC_H
#define MCO_FLOWSHOP_HEURISTIC_HEURISTIC_H

#include "flowshop/run.h"

// Improves the schedule of run->result: goes on from it, else from params->start, else from NEH.
// `iterations` per thread; -1: until the run must stop. *stop tells why it returned: what
// flowshop_run_must_stop said, MCO_STOP_ITERATIONS, or MCO_STOP_FINISHED when the schedule meets
// run->result->bound. Adds to result->iterations. With `iterations` >= 0, equal seed and threads
// give equal schedules in equal order. Errors: MEMORY, INTERNAL.
mco_status flowshop_heuristic(flowshop_run *run, int64_t iterations, mco_stop *stop);

// Iterations per thread worth spending before branch and bound.
int64_t flowshop_heuristic_default_iterations(const mco_flowshop *shop);

#endif
