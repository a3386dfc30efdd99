// SPDX-License-Identifier: MIT
// What the search of one tree shares with its methods.
#ifndef MCO_PATHS_TREE_H
#define MCO_PATHS_TREE_H

#include "base/run.h"
#include "paths/network.h"

// As paths_ref_tree(); the run can stop it, `run` NULL: nothing does. Errors: LIMIT, STOPPED, MEMORY.
mco_status paths_ref_search(mco_context *ctx, mco_run *run, const mco_paths_rows *rows, int32_t source, int32_t *distance,
                            int64_t *parent);

// The name of a method, as the options write it.
const char *paths_method_text(mco_paths_method method);

#endif
