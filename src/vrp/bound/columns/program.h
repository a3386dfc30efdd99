// SPDX-License-Identifier: MIT
// The program of a master: its rows, its columns, its solution.
#ifndef MCO_VRP_BOUND_COLUMNS_PROGRAM_H
#define MCO_VRP_BOUND_COLUMNS_PROGRAM_H

#include "vrp/bound/columns/master.h"

// Opens the program: rows of the fleet and of the customers, artificial columns. Errors: MEMORY, IO.
mco_status vrp_program_open(vrp_master *master);
// Puts the routes columns[from..columns.count) into the program, and x = 0 for them. Errors: MEMORY, LIMIT.
mco_status vrp_program_add_routes(vrp_master *master, int64_t from);
// Puts the rows cuts[from..cuts.count) into the program, and duals 0 for them. Errors: MEMORY, LIMIT.
mco_status vrp_program_add_cuts(vrp_master *master, int64_t from);
// The rows cuts[from..before) have other coefficients now, and those behind are new: puts them into the program anew. Errors: MEMORY, LIMIT.
mco_status vrp_program_renew_cuts(vrp_master *master, int64_t from, int64_t before);
// Keeps columns k with keep[k] [columns.count], or cuts k with keep[k] [cuts.count]; also in columns, x, cuts and duals. Errors: MEMORY.
mco_status vrp_program_keep_routes(vrp_master *master, const bool *keep);
mco_status vrp_program_keep_cuts(vrp_master *master, const bool *keep);
// Solves the program and sets end, lp_value, duals, x, has_artificial. Errors: MEMORY.
mco_status vrp_program_solve(vrp_master *master, double stop_s);
// Makes artificial columns dearer, if prices may be so large. Errors: MEMORY.
mco_status vrp_program_raise_artificial(vrp_master *master, bool *is_raised);
// Bounds the duals of the customers a little above master->price (columns/box.c), grows the bounds that the last optimum touches, and takes
// them away. vrp_program_grow_box() comes right behind a solve. Errors: MEMORY.
mco_status vrp_program_box(vrp_master *master);
mco_status vrp_program_grow_box(vrp_master *master, bool *is_grown);
mco_status vrp_program_unbox(vrp_master *master);
// The reduced cost of a route at the duals of the last program.
double vrp_program_reduced_cost(const vrp_master *master, const vrp_routes *routes, int64_t k);
// Whether a route has no removed arc, belongs to the relaxation of the pricer, and keeps the limit of length where the pricer does.
bool vrp_program_is_allowed(const vrp_master *master, const int32_t *node, int32_t count);

#endif
