// SPDX-License-Identifier: MIT
// What a node of the search decides: whether two customers share a route, or how many routes there are.
#ifndef MCO_VRP_BOUND_POOL_BRANCH_H
#define MCO_VRP_BOUND_POOL_BRANCH_H

#include "vrp/bound/pool/program.h"

typedef enum pool_choice { POOL_NOTHING, POOL_TOGETHER, POOL_APART, POOL_FLEET } pool_choice;

typedef struct pool_decision {
    pool_choice choice;
    int32_t a, b;      // customers; with FLEET the least and most number of routes
} pool_decision;

// Whether the routes with a value are whole; then they are a plan of the present node.
bool pool_is_whole(const pool_program *p);
// Chooses two decisions, one of which every plan of the present node obeys. Candidates are pairs whose share of common routes is near a
// half; the first few are tried on copies of the program (strong branching), by p->threads threads. *found: false if there is
// none. Errors: MEMORY.
mco_status pool_branch(const pool_program *p, double stop_s, pool_decision out[2], bool *found);
// Whether a route obeys a decision.
bool pool_obeys(const pool_program *p, int32_t route, const pool_decision *decision);

#endif
