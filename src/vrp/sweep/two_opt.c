// SPDX-License-Identifier: MIT
// A sweep of 2-opt on all cores: for each first edge x, the lanes are second edges y. A move joins the tail of x with
// the tail of y, and the head of x with the head of y. If a depot lies between x and y, each join is legal or not by
// itself. In one route only the length changes.
//
// Rows of distances are made as they are needed: row x + 1 serves x and then the next x. Second edges go in tiles, so
// that the arrays read by lane stay in the first cache.
#include "vrp/sweep/two_opt.h"

enum { X_ITEM = 64, Y_TILE = 1024 };

static void run_closed(vrp_cpu *c, vrp_worker *w, int32_t x, const int32_t *row, const int32_t *next, int32_t begin,
                       int32_t end)
{
    const vrp_sums *t = &c->sums;
    const bool is_full = c->folding.weight > 0 || !t->is_symmetric;
    const int32_t first = t->next_depot[x + 1];
    const vrp_join tail = {.distance = row,
                           .load = t->load_to,
                           .length = t->back_to,
                           .weight = c->tail_weight,
                           .edge = c->edge,
                           .turn = is_full ? c->turn_behind : NULL,
                           .bad = c->bad_behind,
                           .load_room = t->capacity - t->load_to[x],
                           .length_room = vrp_room((int64_t)t->max_length - t->length_to[x]),
                           .weight_own = c->tail_weight[x],
                           .add = c->turn_before[x] - c->edge[x],
                           .bad_is = t->is_symmetric ? 0 : t->bad_back_to[first]};
    const vrp_join head = {.distance = next + 1,
                           .load = t->load_from + 1,
                           .length = t->length_from + 1,
                           .weight = c->head_weight,
                           .load_room = vrp_room((int64_t)t->capacity - t->load_from[x + 1]),
                           .length_room = vrp_room((int64_t)t->max_length - t->back_from[x + 1]),
                           .weight_own = c->head_weight[x]};
    const int32_t least = c->lanes->two_joins(&tail, &head, begin, end, w->lanes);
    vrp_consider_second(w, x, begin, end, w->lanes, least);
}

static void run_same_route(vrp_cpu *c, vrp_worker *w, int32_t x, const int32_t *row, const int32_t *next, int32_t begin,
                           int32_t end)
{
    const vrp_sums *t = &c->sums;
    const int32_t last = t->next_depot[x + 1], route_load = c->route_load[x];
    const bool is_bad = t->bad_to[last] != t->bad_to[t->last_depot[x]];
    if (route_load > t->capacity || t->bad > is_bad)
        return;
    const int32_t offset = is_bad ? c->folding.bad_weight : 0;
    const vrp_opening o = {.from_x = row,
                           .from_x1_next = next + 1,
                           .edge = t->edge,
                           .turn = t->is_symmetric ? NULL : c->turn_behind,
                           .add = {c->turn_before[x] - t->edge[x] - offset},
                           .room = vrp_has_max_length(c->problem)
                                       ? t->max_length - c->route_length[x] - t->edge[x] - offset
                                       : INT32_MAX};
    const int32_t least = c->lanes->turning(&o, begin, end, w->lanes);
    vrp_consider_second(w, x, begin, end, w->lanes, least);
}

static void run_x(vrp_cpu *c, vrp_worker *w, int32_t x, const int32_t *row, const int32_t *next, int32_t begin,
                       int32_t end)
{
    const int32_t border = c->sums.next_depot[x + 1];
    if (begin < x + 1)
        begin = x + 1;
    const int32_t same_end = border < end ? border : end, closed_begin = border > begin ? border : begin;
    if (begin < same_end)
        run_same_route(c, w, x, row, next, begin, same_end);
    if (closed_begin < end)
        run_closed(c, w, x, row, next, closed_begin, end);
}

static void run_item(vrp_cpu *c, vrp_worker *w, int64_t item)
{
    const int32_t x_begin = c->x_begin + (int32_t)item * X_ITEM;
    const int32_t x_end = c->x_end - x_begin < X_ITEM ? c->x_end : x_begin + X_ITEM;
    for (int32_t begin = x_begin; begin < c->edges; begin += Y_TILE) {
        const int32_t end = c->edges - begin < Y_TILE ? c->edges : begin + Y_TILE;
        int32_t *row = w->distances, *next = w->distances + c->stride;
        if (vrp_cpu_ends(c))
            return;
        vrp_cpu_row(c, x_begin, begin, end + 1, false, row);
        for (int32_t x = x_begin; x < x_end && x + 1 < end; x++) {
            vrp_cpu_row(c, x + 1, begin, end + 1, false, next);
            run_x(c, w, x, row, next, begin, end);
            int32_t *const swap = row;
            row = next;
            next = swap;
        }
    }
}


void vrp_two_opt_run(vrp_cpu *cpu)
{
    enum { ALONE_MOVES = 400000 };  // waking the other threads takes as long as so many moves
    const int64_t count = cpu->x_end - cpu->x_begin;
    vrp_cpu_run(cpu, run_item, (count + X_ITEM - 1) / X_ITEM, count * cpu->edges < ALONE_MOVES);
}
