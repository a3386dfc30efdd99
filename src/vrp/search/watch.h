// SPDX-License-Identifier: MIT
// Work before a search that may take long asks now and then whether it has to end.
#ifndef MCO_VRP_SEARCH_WATCH_H
#define MCO_VRP_SEARCH_WATCH_H

#include "base/context.h"

typedef struct vrp_watch {
    bool (*ends)(void *user);  // only the calling thread asks
    void *user;
} vrp_watch;

// `watch` NULL: the work never ends early. Errors: STOPPED.
static inline mco_status vrp_watch_test(mco_context *ctx, const vrp_watch *watch)
{
    if (watch == NULL || !watch->ends(watch->user))
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_STOPPED, "the time limit or a cancellation ended the search for first routes");
}

enum { VRP_WATCH_ITEMS = 1 << 14 };  // between two questions, where an item takes less than a microsecond

// The same at every VRP_WATCH_ITEMS-th item.
static inline mco_status vrp_watch_item(mco_context *ctx, const vrp_watch *watch, int64_t item)
{
    return item % VRP_WATCH_ITEMS == 0 ? vrp_watch_test(ctx, watch) : MCO_OK;
}

#endif
