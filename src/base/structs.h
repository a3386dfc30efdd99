// SPDX-License-Identifier: MIT
// Structs that callers pass. The first member is the size of the caller's version. A program that was built with an
// older header passes a shorter struct. The members that it lacks keep their defaults.
#ifndef MCO_BASE_STRUCTS_H
#define MCO_BASE_STRUCTS_H

#include "base/context.h"
#include "mco/mco.h"

// The last member that each struct had in the first release. No header made a shorter one. A struct of a later release
// stands here with its last member too; one that is not here may have any size.
#define MCO_FIRST_STRUCTS(X)                         \
    X(mco_context_params, log_level)                 \
    X(mco_cycles_params, through_count)              \
    X(mco_cycles_result, reason)                     \
    X(mco_dtspms_neighbourhood_result, counters)     \
    X(mco_dtspms_params, start)                      \
    X(mco_dtspms_result, history_count)              \
    X(mco_flowshop_params, start)                    \
    X(mco_flowshop_result, heuristic_s)              \
    X(mco_graph_file, direction)                     \
    X(mco_guillotine_params, wants_table)            \
    X(mco_guillotine_result, history_count)          \
    X(mco_multimodal_facts, arcs)                    \
    X(mco_multimodal_params, time_limit_s)           \
    X(mco_multimodal_result, work)                   \
    X(mco_multimodal_tree, work)                     \
    X(mco_overlay_bound_params, dist_keep)           \
    X(mco_overlay_bound_result, reason)              \
    X(mco_overlay_generation, events)                \
    X(mco_overlay_live_params, seed)                 \
    X(mco_overlay_model, links)                      \
    X(mco_overlay_params, time_limit_s)              \
    X(mco_overlay_result, reason)                    \
    X(mco_paths_hierarchy_facts, order_by)           \
    X(mco_paths_model, turn_count)                   \
    X(mco_paths_params, time_limit_s)                \
    X(mco_paths_result, reason)                      \
    X(mco_paths_tree, reason)                        \
    X(mco_reduce_params, check)                      \
    X(mco_reduce_result, bytes_per_s)                \
    X(mco_traffic_params, time_limit_s)              \
    X(mco_traffic_result, reason)                    \
    X(mco_transit_batch, work)                       \
    X(mco_transit_facts, open_s)                     \
    X(mco_transit_model, max_transfer_m)             \
    X(mco_transit_params, time_limit_s)              \
    X(mco_transit_reach, work)                       \
    X(mco_transit_result, reason)                    \
    X(mco_vrp_bound_params, start)                   \
    X(mco_vrp_bound_result, reason)                  \
    X(mco_vrp_generation, seed)                      \
    X(mco_vrp_model, vehicles)                       \
    X(mco_vrp_neighbourhood_result, work)            \
    X(mco_vrp_params, start)                         \
    X(mco_vrp_relax_params, price)                   \
    X(mco_vrp_relax_result, work)                    \
    X(mco_vrp_result, history_count)

// The least size of the struct that `given` points to.
#define MCO_LEAST_OF(type, last)                              \
    type *: offsetof(type, last) + sizeof(((type *)0)->last), \
    const type *: offsetof(type, last) + sizeof(((type *)0)->last),
#define MCO_LEAST_SIZE(given) _Generic((given), MCO_FIRST_STRUCTS(MCO_LEAST_OF) default: sizeof(size_t))

// Copies the caller's struct over the defaults in *full [size]. `name` names the struct in the message. Errors:
// ARGUMENT (the struct is NULL, not filled by its _INIT macro, or from a later version than this library).
mco_status mco_struct_take_sizes(mco_context *ctx, const char *name, const void *given, void *full, size_t least, size_t size);
#define mco_struct_take(ctx, name, given, full, size) \
    mco_struct_take_sizes(ctx, name, given, full, MCO_LEAST_SIZE(given), size)
// The same test for a struct that the library will fill. Reads only its size.
mco_status mco_struct_test_sizes(mco_context *ctx, const char *name, const void *given, size_t least, size_t size);
#define mco_struct_test(ctx, name, given, size) \
    mco_struct_test_sizes(ctx, name, given, MCO_LEAST_SIZE(given), size)
// Fills the caller's struct from *full [size], as far as the struct has room. Sets the copied part of *full to zero.
// The caller of this function releases what *full still owns.
void mco_struct_give(void *given, void *full, size_t size);

// For the release of a result. Moves the content of the caller's struct into *full [size], which is zero before. Leaves
// the struct as its _INIT macro makes it.
void mco_struct_clear(void *given, void *full, size_t size);

#define MCO_TAKE(ctx, given, full) mco_struct_take(ctx, #given, given, full, sizeof *(full))

#endif
