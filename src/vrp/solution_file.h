// SPDX-License-Identifier: MIT
// Files of solutions.
#ifndef MCO_VRP_SOLUTION_FILE_H
#define MCO_VRP_SOLUTION_FILE_H

#include <stdio.h>

#include "base/text.h"
#include "vrp/instance.h"

// As mco_vrp_read_solution() and mco_vrp_write_solution().
mco_status vrp_read_solution_text(mco_context *ctx, const mco_vrp *problem, mco_text *text, mco_vrp_solution *solution,
                                  double *cost);
void vrp_write_solution_text(const mco_vrp *problem, const mco_vrp_solution *solution, FILE *file);
void vrp_write_solution_csv(const mco_vrp *problem, const mco_vrp_solution *solution, FILE *file);

#endif
