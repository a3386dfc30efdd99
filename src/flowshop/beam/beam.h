// SPDX-License-Identifier: MIT
// Beam search from both ends of the schedule, and targets that it proves.
#ifndef MCO_FLOWSHOP_BEAM_BEAM_H
#define MCO_FLOWSHOP_BEAM_BEAM_H

#include "flowshop/beam/campaign.h"
#include "flowshop/run.h"

// Improves the schedule of run->result; there must be one, unless it resumes. With `campaign` it goes on where that has come, and leaves
// there how far it has come itself; NULL: it begins anew. Beams follow one another until `beams` of them are
// complete (-1: no limit), each twice as wide as the one before or with another target. A beam that discards no child below its target
// proves that no schedule is shorter, or that the one it finds is optimal; then it raises the bound. No beam follows where the next one
// does not fit the memory, is wider than `widest` (-1: than numbers of children allow), or, without targets, has time for hardly more
// width. Then with --method beam and a time limit iterated greedy goes on from the best schedule until the run must stop.
// *stop tells why it returned: what flowshop_run_must_stop said, MCO_STOP_ITERATIONS (also at the end of its turn), MCO_STOP_MEMORY if the
// next beam does not fit it, or MCO_STOP_FINISHED if the schedule meets the bound or no wider beam follows. Adds the beams to
// result->iterations. Without a time limit schedules and bounds are the same for any number of threads and any engine. A time limit cuts
// beams off and sets the width of the last one without targets; the greedy depends on threads and clock. With --method beam it writes
// and resumes checkpoints, and states what it used in result->beam_width, beam_bytes and work. Errors: MEMORY, INTERNAL, ARGUMENT (the
// vector unit is missing); IO and PARSE (the checkpoint to resume).
mco_status flowshop_beam(flowshop_run *run, int64_t beams, int64_t widest, flowshop_campaign *campaign, mco_stop *stop);

// Targets pay where a schedule close to the bound exists: at least m^2 / 4 jobs on m machines (up to 20 machines: 4 m).
bool flowshop_beam_has_targets(const mco_flowshop *shop);

#endif
