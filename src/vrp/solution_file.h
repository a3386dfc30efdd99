// SPDX-License-Identifier: MIT
// Solution files.
#ifndef MCO_VRP_SOLUTION_FILE_H
#define MCO_VRP_SOLUTION_FILE_H

#include <stdio.h>

#include "base/text.h"
#include "vrp/instance.h"

// Like mco_vrp_read_solution() and mco_vrp_write_solution(), for open texts and files.
mco_status vrp_read_solution_text(mco_context *ctx, const mco_vrp *problem, mco_text *text, mco_vrp_solution *solution,
                                  double *cost);
void vrp_write_solution_text(const mco_vrp *problem, const mco_vrp_solution *solution, FILE *file);
void vrp_write_solution_csv(const mco_vrp *problem, const mco_vrp_solution *solution, FILE *file);

#endif
