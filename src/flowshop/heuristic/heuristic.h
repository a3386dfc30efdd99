// SPDX-License-Identifier: MIT
// Finds good schedules fast: NEH, then iterated greedy on every thread.
#ifndef MCO_FLOWSHOP_HEURISTIC_HEURISTIC_H
#define MCO_FLOWSHOP_HEURISTIC_HEURISTIC_H

#include "flowshop/run.h"

// Improves the schedule of run->result. If there is none it starts from params->start, else from NEH. `iterations` is
// per thread; -1 means until the run must stop. *stop tells why it returned: what flowshop_run_must_stop said,
// MCO_STOP_ITERATIONS (also at the end of its turn), or MCO_STOP_FINISHED if the schedule meets run->result->bound or there are fewer than two jobs.
// Adds to result->iterations. With `iterations` >= 0, the same seed and number of threads give the same schedules in
// the same order. Errors: MEMORY, INTERNAL.
mco_status flowshop_heuristic(flowshop_run *run, int64_t iterations, mco_stop *stop);

// Iterations per thread worth spending before branch and bound.
int64_t flowshop_heuristic_default_iterations(const mco_flowshop *shop);

#endif
