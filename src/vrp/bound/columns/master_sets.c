// SPDX-License-Identifier: MIT
// Dynamic ng sets: a cycle i, ..., i of a route that the program uses is forbidden from then on, by i in the sets of all customers between
// (Roberti and Mingozzi 2014). The shortest cycles of the routes of the greatest values come first.
#include "vrp/bound/columns/program.h"

// The cycle of a route that needs the fewest new members; its ends. Returns how many it needs, 0: there is no cycle that can go.
static int32_t find_cycle(const vrp_ng_sets *sets, int32_t limit, const int32_t *node, int32_t count, int32_t *from, int32_t *to)
{
    int32_t fewest = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t needed = 0;
        bool has_room = true;
        for (int32_t l = k + 1; l < count && has_room; l++) {
            if (node[l] == node[k]) {
                if (needed > 0 && (fewest == 0 || needed < fewest)) {
                    fewest = needed;
                    *from = k;
                    *to = l;
                }
                break;
            }
            if (vrp_ng_sets_bit(sets, node[l], node[k]) < 0) {
                needed++;
                has_room = sets->size[node[l]] < limit;
            }
        }
    }
    return fewest;
}

// Forbids a cycle of the route k in `sets`. Returns the members added.
static int32_t forbid(const vrp_master *m, int64_t k, int32_t limit, vrp_ng_sets *sets)
{
    const int32_t *node = m->columns.node + m->columns.first[k];
    int32_t from = 0, to = 0, added = 0;
    if (find_cycle(sets, limit, node, vrp_routes_length(&m->columns, k), &from, &to) == 0)
        return 0;
    for (int32_t v = from + 1; v < to; v++)
        added += vrp_ng_sets_add(sets, node[v], node[from], limit);
    return added;
}

mco_status vrp_master_grow_sets(vrp_master *master, const vrp_relax_settings *settings, int32_t limit, int32_t most, int32_t *found)
{
    mco_status st = MCO_OK;
    vrp_master *m = master;
    vrp_ng_sets *sets = NULL;
    *found = 0;
    if (m->ng == NULL)
        return MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &sets, 1));
    MCO_TRY(vrp_ng_sets_copy(m->ctx, m->sets, sets));
    // Routes of the greatest values first: thirds of 1, so that the order needs no sort.
    for (double least = 2.0 / 3; least > 0.01 && *found < most; least /= 2)
        for (int64_t k = 0; k < m->columns.count && *found < most; k++)
            if (m->x[k] >= least)
                *found += forbid(m, k, limit, sets);
    if (*found > 0)
        return vrp_master_take_sets(m, settings, sets);
    vrp_ng_sets_close(m->ctx, sets);
done:
    mco_free(m->ctx, &sets);
    return st;
}
