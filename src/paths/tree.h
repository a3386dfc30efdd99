// SPDX-License-Identifier: MIT
// What the search of one tree shares with its methods.
#ifndef MCO_PATHS_TREE_H
#define MCO_PATHS_TREE_H

#include "base/run.h"
#include "paths/network.h"

// As paths_ref_tree(); the run can stop it, `run` NULL: nothing does. Errors: LIMIT, STOPPED, MEMORY.
mco_status paths_ref_search(mco_context *ctx, mco_run *run, const mco_paths_rows *rows, int32_t source, int32_t *distance,
                            int64_t *parent);

// mco_paths_check() for a tree that a method of the library found. Errors: LIMIT (a path is too long for its distance), INTERNAL (the
// tree is wrong), MEMORY.
mco_status paths_certify_tree(mco_context *ctx, const mco_paths_network *network, mco_paths_method method, int32_t source,
                              const int32_t *distance);

// The name of a method, as the options write it.
const char *paths_method_text(mco_paths_method method);

#endif
