// SPDX-License-Identifier: MIT
// A crowd: copies of the whole solution that a GPU anneals (vrp/search/crowd.c).
#ifndef MCO_VRP_SEARCH_CROWD_H
#define MCO_VRP_SEARCH_CROWD_H

#include "vrp/search/rounds.h"

// Whether a crowd takes the instance: symmetric distances, and as few nodes as its words hold or as a matrix is made for.
bool vrp_crowd_takes(const mco_vrp *problem);
// Anneals copies of s->now until `share` of the search. From `hot` on, with `is_whole`; else parts of the best copy again
// and again from a low temperature. s->now becomes the best found. s->search->params->gpus names the GPU. Adds to
// *device_s. Errors: MEMORY, DEVICE.
mco_status vrp_crowd_run(vrp_rounds *s, double share, bool is_whole, double *device_s);

#endif
