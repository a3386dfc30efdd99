// SPDX-License-Identifier: MIT
// Beams and iterated greedy on one run: which of them a shape of instance gets, and how they share the time.
#ifndef MCO_FLOWSHOP_HEURISTIC_TURNS_H
#define MCO_FLOWSHOP_HEURISTIC_TURNS_H

#include "flowshop/run.h"

// The method `heuristic`. With --iterations iterated greedy alone, `iterations` in each thread. Else, where beams pay, beams and iterated
// greedy take turns: each goes on from the best schedule of both, while it brings better ones (flowshop_run_begin_turn()). Elsewhere
// the greedy is alone; from 50 jobs on more than 20 machines narrow beams come before it. *stop and errors as flowshop_heuristic(), flowshop_beam().
mco_status flowshop_find_schedules(flowshop_run *run, mco_stop *stop);

// The schedule before a tree search: beams where they pay, then iterated greedy. How much of both depends on the size alone.
mco_status flowshop_find_first_schedule(flowshop_run *run, mco_stop *stop);

#endif
