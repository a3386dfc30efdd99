// SPDX-License-Identifier: MIT
#include "paths/moments.h"

#include "base/grow.h"

mco_status paths_moments_put(mco_context *ctx, paths_moments *moments, paths_moment moment)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(ctx, &moments->item, &moments->room, moments->count + 1));
    int64_t at = moments->count++;
    for (; at > 0 && moments->item[(at - 1) / 2].time > moment.time; at = (at - 1) / 2)
        moments->item[at] = moments->item[(at - 1) / 2];
    moments->item[at] = moment;
done:
    return st;
}

paths_moment paths_moments_take(paths_moments *moments)
{
    paths_moment *item = moments->item;
    const paths_moment first = item[0], last = item[--moments->count];
    int64_t at = 0;
    for (int64_t child = 1; child < moments->count; child = 2 * at + 1) {
        child += child + 1 < moments->count && item[child + 1].time < item[child].time;
        if (item[child].time >= last.time)
            break;
        item[at] = item[child];
        at = child;
    }
    item[at] = last;
    return first;
}
