// SPDX-License-Identifier: MIT
// How instances come to be, and files as streams: what the creators, the readers, the writers and the fuzz targets share.
#ifndef MCO_VRP_FORMATS_H
#define MCO_VRP_FORMATS_H

#include <stdio.h>

#include "base/text.h"
#include "routing/tsplib.h"
#include "vrp/instance.h"

// ---- Drafts: what a file or a caller says, in units of the file, before it is scaled

typedef struct vrp_draft {
    mco_vrp *problem;      // customers, rule, name, demand, and x, y or places; owned
    double *service;       // [nodes]; owned; NULL: nobody takes time
    double max_length;     // -1: no limit
    double longest;        // greatest entry of a matrix, which is filled after vrp_settle()
    int64_t capacity;      // -1: not given
    int64_t vehicles;      // 0: any number
} vrp_draft;

// A draft without places: customers, nodes, name and room for demands. Errors: LIMIT, MEMORY.
mco_status vrp_draft_new(mco_context *ctx, int64_t customers, vrp_rule rule, const char *name, vrp_draft *out);
void vrp_draft_clear(mco_context *ctx, vrp_draft *draft);
// Room for coordinates of all nodes. Errors: MEMORY.
mco_status vrp_draft_places(mco_context *ctx, vrp_draft *draft);
// Applies the model (NULL for the defaults), chooses the scale, and fills all of the problem that follows from it, but a
// matrix. Errors: ARGUMENT, LIMIT, MEMORY.
mco_status vrp_settle(mco_context *ctx, const mco_vrp_model *model, vrp_draft *draft);
// Moves the problem to *out; a matrix has been filled.
void vrp_take(vrp_draft *draft, mco_vrp **out);

// ---- Instances: VRPLIB or CSV. Errors: PARSE with the place, LIMIT, MEMORY.
mco_status vrp_read_text(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out);
void vrp_write_text(const mco_vrp *problem, FILE *file);

// ---- Solutions, as mco_vrp_read_solution() and mco_vrp_write_solution().
mco_status vrp_read_solution_text(mco_context *ctx, const mco_vrp *problem, mco_text *text, mco_vrp_solution *solution,
                                  double *cost);
void vrp_write_solution_text(const mco_vrp *problem, const mco_vrp_solution *solution, FILE *file);
void vrp_write_solution_csv(const mco_vrp *problem, const mco_vrp_solution *solution, FILE *file);

// ---- What the formats offer each other

#define VRP_MAX_COORDINATE 1e9

extern const tsplib_entry vrp_keywords[TSPLIB_KEYWORDS];

// A value that was scaled, in units of the file: all digits of the scale with real distances, else an integer.
void vrp_write_scaled(const mco_vrp *problem, int64_t value, FILE *file);

mco_status vrp_read_csv(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out);
mco_status vrp_read_vrplib(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out);

#endif
