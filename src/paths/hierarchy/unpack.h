// SPDX-License-Identifier: MIT
// Paths of queries in arcs of the network.
#ifndef MCO_PATHS_HIERARCHY_UNPACK_H
#define MCO_PATHS_HIERARCHY_UNPACK_H

#include "paths/hierarchy/query.h"

typedef struct paths_unpacking paths_unpacking;  // scratch of one thread
mco_status paths_unpacking_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_unpacking **out);
// Finds a path of this distance between two vertices of the network, and checks that it is a walk of the network that adds up. Its
// arcs are (*arc) [*count], valid until the next call. `ctx` is the thread's. Errors: INTERNAL, MEMORY.
mco_status paths_unpack(mco_context *ctx, paths_unpacking *unpacking, int32_t source, int32_t target, int32_t distance,
                        const int64_t **arc, int64_t *count);
void paths_unpacking_close(mco_context *ctx, paths_unpacking **unpacking);

#endif
