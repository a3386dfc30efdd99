// SPDX-License-Identifier: MIT
// Paths of queries in arcs of the network.
#ifndef MCO_PATHS_HIERARCHY_UNPACK_H
#define MCO_PATHS_HIERARCHY_UNPACK_H

#include "paths/hierarchy/query.h"

// What each arc of the hierarchy stands for, [2 * arcs] by slot: the arcs from the middle vertex of a triangle to the lower end and to
// the upper end; or PATHS_PLAIN and an arc of the network. Shared by all threads; it knows the weights that were there when it was made.
enum { PATHS_PLAIN = -1 };
typedef struct paths_expansion {
    int32_t first, second;
} paths_expansion;
// Errors: MEMORY. O(triangles), about 3 ns each.
mco_status paths_expansions_make(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_expansion **out);
// As many queries pay for expansions: one that is unpacked without them looks at about so many triangles.
enum { PATHS_TRIANGLES_OF_A_QUERY = 4000 };

typedef struct paths_unpacking paths_unpacking;  // scratch of one thread
// `expansion` NULL: triangles are looked for.
mco_status paths_unpacking_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, const paths_expansion *expansion,
                                paths_unpacking **out);
// Finds a path of this distance between two vertices of the network, and checks that it is a walk of the network that adds up. Its
// arcs are (*arc) [*count], valid until the next call. `ctx` is the thread's. Errors: INTERNAL, MEMORY.
mco_status paths_unpack(mco_context *ctx, paths_unpacking *unpacking, int32_t source, int32_t target, int32_t distance,
                        const int64_t **arc, int64_t *count);
void paths_unpacking_close(mco_context *ctx, paths_unpacking **unpacking);

#endif
