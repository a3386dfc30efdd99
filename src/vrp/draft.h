// SPDX-License-Identifier: MIT
// A draft is an instance as a file or a caller states it, in units of the file, before it is scaled (vrp/draft.c).
#ifndef MCO_VRP_DRAFT_H
#define MCO_VRP_DRAFT_H

#include "vrp/instance.h"

#define VRP_MAX_COORDINATE 1e9

typedef struct vrp_draft {
    mco_vrp *problem;      // customers, rule, name, demand, and x and y where nodes have places; owned
    double *service;       // [nodes]; owned; NULL: no service times
    double max_length;     // -1: no limit
    double longest;        // greatest entry of the matrix; the matrix itself is filled after vrp_settle()
    int64_t capacity;      // times the problem's load_scale; -1: not given
    int64_t vehicles;      // 0: any number
    bool is_geographic;    // the file says that x is a longitude and y a latitude, in degrees
} vrp_draft;

// Makes a draft without places: customers, nodes, name and room for demands. Errors: LIMIT, MEMORY.
mco_status vrp_draft_new(mco_context *ctx, int64_t customers, vrp_rule rule, const char *name, vrp_draft *out);
void vrp_draft_clear(mco_context *ctx, vrp_draft *draft);
// Allocates the coordinates of all nodes. Errors: MEMORY.
mco_status vrp_draft_places(mco_context *ctx, vrp_draft *draft);
// Applies the model (NULL: the draft stays as it is), chooses the scale, and fills every scaled member of the problem
// except a matrix. Errors: ARGUMENT, LIMIT, MEMORY.
mco_status vrp_settle(mco_context *ctx, const mco_vrp_model *model, vrp_draft *draft);
// Moves the problem to *out. A matrix must be filled before. Sets is_symmetric.
void vrp_take(vrp_draft *draft, mco_vrp **out);

#endif
