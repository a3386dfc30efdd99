// SPDX-License-Identifier: MIT
// A sweep of pure 3-opt on all cores. The parts B = x+1..y and C = y+1..z are closed if they hold a depot, else open:
// - Both are closed (nearly all moves): a move is a sum of table entries (vrp/sweep/lanes.h). Tables hold the joins of
//   every edge with the third edges of one slab, as wide as memory allows. An item of work is VRP_Y_TILE second edges,
//   with all first edges before them.
// - One is open: either B, with x and y in one route and z in another, or C, with y and z in one route and x in
//   another. For each such pair of edges the lanes are the third edge. Reversing the whole tour turns C into B (p = 1
//   and 2 change places), so that one loop does both.
// - All edges are in one route: its load stays, and its length changes by as much as the cost.
//
// Distances may be asymmetric. A reversed part changes the cost by `turn`, and its routes must be legal when walked
// back. For B both go into the constants of x and y; for C tables of y of their own hold them.
#include <string.h>

#include "vrp/sweep/three_opt.h"

enum { Z_TILE = 256, X_RUN = 1024, ROWS_ITEM = 32 };

// Edges begin..end - 1 of a route; pairs of one of them and a later edge of the same route are an item of work.
typedef struct vrp_stretch {
    int32_t begin, end;
    int32_t first, last;  // the route has edges first..last - 1; its depots are at positions first and last
} vrp_stretch;

// ---- Open parts

// An open part and the rest of its route. The comments name positions for B; for C the tour is reversed.
typedef struct opening_ends {
    int64_t near_load, far_load, part_load;        // to x; from y + 1; between
    int64_t near_length, far_length, far_back;     // to x; from y + 1; the latter walked back
    int64_t part_length, part_back;                // the part with its service times; walked back
    int32_t closing, crossing, turning;            // distances: x to y + 1; y + 1 to x + 1; x to y
    int32_t near_weight, far_weight;
    int32_t part_turn, other_turn;                 // `turn` of the part; of the other part, less what the lanes add
    int32_t cut;                                   // length of both edges
} opening_ends;

// Sets the constants of *o for an open part that leaves its route.
static void set_opening(const vrp_cpu *c, const opening_ends *e, bool is_bad, vrp_opening *o)
{
    const vrp_sums *t = &c->sums;
    const int64_t capacity = t->capacity, most = t->max_length;
    const bool closes = e->near_load + e->far_load <= capacity && e->near_length + e->closing + e->far_length <= most;
    // The weights of the part's route before the move and of the one that takes the part cancel: neither is empty.
    const int32_t base = -e->cut - (is_bad ? c->folding.bad_weight : 0);
    o->add[0] = closes ? base + e->closing + (e->near_weight | e->far_weight) : VRP_ILLEGAL;
    o->add[1] = closes ? o->add[0] + e->part_turn : VRP_ILLEGAL;
    o->add[2] = base + e->crossing + e->other_turn;
    o->add[3] = base + e->turning + e->part_turn + e->other_turn;
    o->inner_load_room = vrp_room(capacity - e->part_load);
    o->inner_length_room = vrp_room(most - e->part_length);
    o->inner_back_room = vrp_room(most - e->part_back);
    o->tail_load_room[0] = vrp_room(capacity - e->near_load);
    o->tail_load_room[1] = vrp_room(capacity - e->near_load - e->part_load);
    o->tail_length_room[0] = vrp_room(most - e->near_length);
    o->tail_length_room[1] = vrp_room(most - e->near_length - e->turning - e->part_back);
    o->head_load_room[0] = vrp_room(capacity - e->far_load - e->part_load);
    o->head_load_room[1] = vrp_room(capacity - e->far_load);
    o->head_length_room[0] = vrp_room(most - e->far_back - e->crossing - e->part_length);
    o->head_length_room[1] = vrp_room(most - e->far_back);
    o->tail_weight_own = e->near_weight;
    o->head_weight_own = e->far_weight;
}

// Rows of distances from and to a position of the tour.
typedef struct pair_rows {
    const int32_t *from_u, *from_u1, *from_v, *from_v1, *to_u, *to_u1, *to_v, *to_v1;
} pair_rows;

// B = x + 1..y is open, and z lies behind its route.
static void run_open_b(vrp_cpu *c, vrp_worker *w, const vrp_stretch *part, bool is_bad, int32_t x, int32_t y, const pair_rows *r)
{
    const vrp_sums *t = &c->sums;
    const bool is_full = c->folding.weight > 0 || !t->is_symmetric;
    vrp_opening o = {.from_x = r->from_u, .from_x1 = r->from_u1, .from_x1_next = r->from_u1 + 1,
                     .from_y_next = r->from_v + 1, .from_y1_next = r->from_v1 + 1, .to_x1 = r->to_u1, .to_y = r->to_v,
                     .tail_load = t->load_to, .head_load = t->load_from + 1, .route_load = c->route_load,
                     .tail_back = t->back_to, .head_length = t->length_from + 1, .route_length = c->route_length,
                     .tail_weight = c->tail_weight, .head_weight = c->head_weight, .edge = c->edge,
                     .turn = is_full ? c->turn_behind : NULL, .bad = c->bad_behind,
                     .bad_is = t->is_symmetric ? 0 : t->bad_back_to[part->last]};
    const opening_ends ends = {.near_load = t->load_to[x], .far_load = t->load_from[y + 1],
                               .part_load = t->load_to[y] - t->load_to[x],
                               .near_length = t->length_to[x], .far_length = t->length_from[y + 1],
                               .far_back = t->back_from[y + 1],
                               .part_length = t->length_to[y] - t->length_to[x + 1] + t->service[x + 1],
                               .part_back = t->back_from[x + 1] - t->back_from[y] + t->service[y],
                               .closing = r->from_u[y + 1], .crossing = r->to_u1[y + 1], .turning = r->from_u[y],
                               .near_weight = c->tail_weight[x], .far_weight = c->head_weight[y],
                               .part_turn = c->turn_behind[y] + c->turn_before[x], .other_turn = c->turn_before[y],
                               .cut = t->edge[x] + t->edge[y]};
    set_opening(c, &ends, is_bad, &o);
    const int32_t least = c->lanes->opening(&o, part->last, c->edges, w->lanes);
    vrp_consider_last(w, x, y, part->last, c->edges, w->lanes, least);
}

// C = y + 1..z is open, and x lies before its route. The ends are those of the reversed tour.
static void run_open_c(vrp_cpu *c, vrp_worker *w, const vrp_stretch *part, bool is_bad, int32_t y, int32_t z, const pair_rows *r)
{
    const vrp_sums *t = &c->sums;
    const bool is_full = c->folding.weight > 0 || !t->is_symmetric;
    const int32_t end = part->first < c->x_end ? part->first : c->x_end;
    vrp_opening o = {.from_x = r->to_v1 + 1, .from_x1 = r->to_v + 1, .from_x1_next = r->to_v,
                     .from_y_next = r->to_u1, .from_y1_next = r->to_u, .to_x1 = r->from_v + 1, .to_y = r->from_u1 + 1,
                     .tail_load = t->load_from + 1, .head_load = t->load_to, .route_load = c->route_load,
                     .tail_back = t->back_from + 1, .head_length = t->length_to, .route_length = c->route_length,
                     .tail_weight = c->head_weight, .head_weight = c->tail_weight, .edge = c->edge,
                     .turn = is_full ? c->turn_before : NULL, .bad = c->bad_before,
                     .bad_is = t->is_symmetric ? 0 : t->bad_back_to[part->first]};
    const opening_ends ends = {.near_load = t->load_from[z + 1], .far_load = t->load_to[y],
                               .part_load = t->load_to[z] - t->load_to[y],
                               .near_length = t->length_from[z + 1], .far_length = t->length_to[y],
                               .far_back = t->back_to[y],
                               .part_length = t->length_to[z] - t->length_to[y + 1] + t->service[y + 1],
                               .part_back = t->back_from[y + 1] - t->back_from[z] + t->service[z],
                               .closing = r->from_u[z + 1], .crossing = r->from_v[y], .turning = r->from_u1[z + 1],
                               .near_weight = c->head_weight[z], .far_weight = c->tail_weight[y],
                               .part_turn = c->turn_behind[z] + c->turn_before[y], .other_turn = c->turn_behind[y],
                               .cut = t->edge[y] + t->edge[z]};
    if (end <= c->x_begin)
        return;
    set_opening(c, &ends, is_bad, &o);
    const int32_t least = c->lanes->opening(&o, c->x_begin, end, w->lanes);
    vrp_consider_first(w, c->x_begin, end, y, z, w->lanes, least);
}

static void run_same_route(vrp_cpu *c, vrp_worker *w, const vrp_stretch *part, bool is_bad, int32_t x, int32_t y,
                           const pair_rows *r)
{
    const vrp_sums *t = &c->sums;
    const int32_t begin = y + 1, end = part->last, offset = is_bad ? c->folding.bad_weight : 0;
    if (begin >= end || c->route_load[x] > t->capacity)
        return;
    const int32_t turn = c->turn_behind[y] + c->turn_before[x], base = -t->edge[x] - t->edge[y] - offset;
    const vrp_opening o = {.from_x = r->from_u, .from_x1 = r->from_u1, .from_x1_next = r->from_u1 + 1,
                           .from_y_next = r->from_v + 1, .from_y1_next = r->from_v1 + 1, .to_x1 = r->to_u1, .to_y = r->to_v,
                           .edge = t->edge, .turn = t->is_symmetric ? NULL : c->turn_behind,
                           .add = {base + r->from_u[y + 1], base + r->from_u[y + 1] + turn,
                                   base + r->to_u1[y + 1] + c->turn_before[y], base + r->from_u[y] + turn + c->turn_before[y]},
                           .room = vrp_has_max_length(c->problem)
                                       ? t->max_length - c->route_length[x] - t->edge[x] - offset
                                       : INT32_MAX};
    const int32_t least = c->lanes->same_route(&o, begin, end, w->lanes);
    vrp_consider_last(w, x, y, begin, end, w->lanes, least);
}

static void run_pair(vrp_cpu *c, vrp_worker *w, const vrp_stretch *part, int32_t u, int32_t v, const pair_rows *r)
{
    const vrp_sums *t = &c->sums;
    const bool is_bad = t->bad_to[part->last] != t->bad_to[part->first];
    const int32_t others = t->bad - is_bad;
    if (u >= c->x_begin && u < c->x_end && others <= 1)
        run_open_b(c, w, part, is_bad, u, v, r);
    if (u >= c->x_begin && u < c->x_end && others == 0)
        run_same_route(c, w, part, is_bad, u, v, r);
    if (others <= 1)
        run_open_c(c, w, part, is_bad, u, v, r);
}

// Makes the rows of distances from positions begin..end and, if `to` is another array, those to them. False if the scan
// has to end.
static bool make_rows(vrp_cpu *c, int32_t begin, int32_t end, int32_t *from, int32_t *to)
{
    if (vrp_cpu_ends(c))
        return false;
    for (int32_t i = begin; i <= end; i++) {
        vrp_cpu_row(c, i, 0, c->sums.count, false, from + (i - begin) * c->stride);
        if (to != from)
            vrp_cpu_row(c, i, 0, c->sums.count, true, to + (i - begin) * c->stride);
    }
    return true;
}

// Runs all pairs of an edge of the part and a later edge of its route, the latter VRP_PART_EDGES at a time.
static void run_part(vrp_cpu *c, vrp_worker *w, int64_t item)
{
    const vrp_stretch *part = &c->parts[item];
    const bool is_symmetric = c->sums.is_symmetric;
    const int64_t s = c->stride, rows = VRP_PART_EDGES + 1;
    int32_t *from_u = w->distances, *to_u = is_symmetric ? from_u : from_u + 2 * rows * s;
    if (!make_rows(c, part->begin, part->end, from_u, to_u))
        return;
    for (int32_t begin = part->begin; begin < part->last; begin += VRP_PART_EDGES) {
        const int32_t end = part->last - begin < VRP_PART_EDGES ? part->last : begin + VRP_PART_EDGES;
        int32_t *const from_v = begin == part->begin ? from_u : from_u + rows * s, *const to_v = to_u + (from_v - from_u);
        if (begin != part->begin && !make_rows(c, begin, end, from_v, to_v))
            return;
        for (int32_t u = part->begin; u < part->end; u++) {
            if (vrp_cpu_ends(c))
                return;
            for (int32_t v = u + 1 > begin ? u + 1 : begin; v < end; v++) {
                const int64_t at_u = (u - part->begin) * s, at_v = (v - begin) * s;
                run_pair(c, w, part, u, v,
                         &(pair_rows){from_u + at_u, from_u + at_u + s, from_v + at_v, from_v + at_v + s, to_u + at_u,
                                      to_u + at_u + s, to_v + at_v, to_v + at_v + s});
            }
        }
    }
}

static void list_parts(vrp_cpu *c)
{
    const vrp_sums *t = &c->sums;
    c->part_count = 0;
    for (int32_t first = 0, last; first < c->edges; first = last) {
        last = t->next_depot[first + 1];
        for (int32_t begin = first; begin + 1 < last; begin += VRP_PART_EDGES) {
            const int32_t end = last - begin < VRP_PART_EDGES ? last : begin + VRP_PART_EDGES;
            c->parts[c->part_count++] = (vrp_stretch){begin, end, first, last};
        }
    }
}

// ---- Closed parts: tables

// The kinds of joins between an end of edge r and an end of the lanes' edge z, with their direction.
typedef enum join_kind {
    LANE_TAIL_TO_HEAD,   // z -> r + 1
    TAIL_TO_LANE_HEAD,   // r -> z + 1
    HEAD_TO_LANE_HEAD,   // r + 1 -> z + 1
    TAIL_TO_LANE_TAIL,   // r -> z
    HEAD_TO_LANE_TAIL,   // r + 1 -> z; with symmetric distances the same as LANE_TAIL_TO_HEAD
    LANE_TAIL_TO_TAIL    // z -> r; with symmetric distances the same as TAIL_TO_LANE_TAIL
} join_kind;

// The joins of an end of edge r by lane. One of the two joins of a move with the third edge is with its tail; that one
// subtracts the edge.
static vrp_join make_join(const vrp_cpu *c, join_kind kind, int32_t r, const int32_t *distance)
{
    const vrp_sums *t = &c->sums;
    const bool is_head = kind == LANE_TAIL_TO_HEAD || kind == HEAD_TO_LANE_HEAD || kind == HEAD_TO_LANE_TAIL;
    const bool is_lane_head = kind == TAIL_TO_LANE_HEAD || kind == HEAD_TO_LANE_HEAD;
    const bool is_to = kind == LANE_TAIL_TO_HEAD || kind == LANE_TAIL_TO_TAIL;  // the lane's end comes first
    const bool is_full = c->folding.weight > 0 || !t->is_symmetric;
    const int32_t own_load = is_head ? t->load_from[r + 1] : t->load_to[r];
    const int32_t head_length = (is_to ? t->length_from : t->back_from)[r + 1];
    const int32_t tail_length = (is_to ? t->back_to : t->length_to)[r];
    const int32_t own_length = is_head ? head_length : tail_length;
    return (vrp_join){.distance = is_lane_head ? distance + 1 : distance,
                      .load = is_lane_head ? t->load_from + 1 : t->load_to,
                      .length = is_lane_head ? t->length_from + 1 : is_to ? t->length_to : t->back_to,
                      .weight = is_lane_head ? c->head_weight : c->tail_weight,
                      .edge = is_lane_head ? c->zeros : c->edge,
                      .turn = is_full ? c->zeros : NULL,
                      .bad = c->zeros,
                      .load_room = vrp_room((int64_t)t->capacity - own_load),
                      .length_room = vrp_room((int64_t)t->max_length - own_length),
                      .weight_own = is_head ? c->head_weight[r] : c->tail_weight[r]};
}

static void fill(int32_t *out, int32_t begin, int32_t end)
{
    for (int32_t k = begin; k < end; k++)
        out[k] = VRP_ILLEGAL;
}

// Copies `row` [columns] to row r of table k.
static void put_row(vrp_cpu *c, int32_t r, int32_t count, int32_t k, const int32_t *row)
{
    int32_t *out = c->tables + vrp_table_place(r, c->columns, count, k, 0);
    for (int32_t at = 0; at < c->columns; at += VRP_CHUNK)
        memcpy(out + (int64_t)at * count, row + at, VRP_CHUNK * sizeof *row);
}

// Makes row r of all tables for the slab, from the rows of distances of positions r and r + 1.
static void make_table_row(vrp_cpu *c, vrp_worker *w, int32_t r, const int32_t *from, const int32_t *to, const int32_t *from1,
                           const int32_t *to1)
{
    const vrp_sums *t = &c->sums;
    const int32_t count = t->is_symmetric ? VRP_SYMMETRIC_TABLES : VRP_TABLES;
    const int32_t slab = c->first_column, slab_end = slab + c->columns < c->edges ? slab + c->columns : c->edges;
    const int32_t first = r < c->edges ? t->next_depot[r + 1] : c->edges, begin = first > slab ? first : slab;
    fill(w->lanes, 0, begin < slab_end ? begin - slab : c->columns);
    if (begin >= slab_end) {
        for (int32_t k = 0; k < count; k++)
            put_row(c, r, count, k, w->lanes);
        return;
    }
    fill(w->lanes, slab_end - slab, c->columns);
    vrp_join joins[VRP_TABLES] = {make_join(c, LANE_TAIL_TO_HEAD, r, to1), make_join(c, TAIL_TO_LANE_HEAD, r, from),
                              make_join(c, HEAD_TO_LANE_HEAD, r, from1), make_join(c, TAIL_TO_LANE_TAIL, r, from),
                              make_join(c, HEAD_TO_LANE_TAIL, r, from1), make_join(c, LANE_TAIL_TO_TAIL, r, to)};
    joins[6] = joins[1];
    joins[7] = joins[2];
    for (int k = 6; k < VRP_TABLES && count == VRP_TABLES; k++) {  // C = r + 1..z is reversed
        joins[k].turn = c->turn_behind;
        joins[k].add = c->turn_before[r];
        joins[k].bad = c->bad_behind;
        joins[k].bad_is = t->bad_back_to[first];
    }
    for (int32_t k = 0; k < count; k++) {
        c->lanes->join(&joins[k], begin, slab_end, w->lanes + (begin - slab));
        put_row(c, r, count, k, w->lanes);
    }
}

static void table_item(vrp_cpu *c, vrp_worker *w, int64_t item)
{
    const vrp_sums *t = &c->sums;
    const int64_t s = c->stride;
    const int32_t r_begin = (int32_t)item * ROWS_ITEM, padded = (c->edges + VRP_BLOCK - 1) / VRP_BLOCK * VRP_BLOCK;
    const int32_t r_end = padded - r_begin < ROWS_ITEM ? padded : r_begin + ROWS_ITEM;
    const int32_t begin = c->first_column, slab_end = begin + c->columns;
    const int32_t end = slab_end < c->edges ? slab_end + 1 : c->edges + 1;
    const int64_t next_to = t->is_symmetric ? 0 : 2 * s;
    if (vrp_cpu_ends(c))
        return;
    for (int32_t i = r_begin; i <= r_end; i++) {
        int32_t *const row = w->distances + (i & 1) * s, *const before = w->distances + (~i & 1) * s;
        if (i <= c->edges) {
            vrp_cpu_row(c, i, begin, end, false, row);
            if (next_to != 0)
                vrp_cpu_row(c, i, begin, end, true, row + next_to);
        }
        if (i > r_begin)
            make_table_row(c, w, i - 1, before, before + next_to, row, row + next_to);
    }
}

// ---- Closed parts: sums

// Makes the constants of y for first edges by lane: the joins of x and y; with asymmetric distances also B walked back.
static void make_constants(const vrp_cpu *c, int32_t y, const int32_t *from1, const int32_t *to, const int32_t *to1,
                           int32_t *out)
{
    const vrp_sums *t = &c->sums;
    const int32_t last = t->last_depot[y], end = last < c->x_end ? last : c->x_end, begin = c->x_begin;
    const int32_t padded = (end + VRP_BLOCK - 1) / VRP_BLOCK * VRP_BLOCK;
    const bool is_full = c->folding.weight > 0 || !t->is_symmetric;
    const vrp_join x_to_y1 = {.distance = to1, .load = t->load_to, .length = t->length_to, .weight = c->tail_weight,
                              .edge = c->edge, .turn = is_full ? c->zeros : NULL, .bad = c->zeros,
                              .load_room = vrp_room((int64_t)t->capacity - t->load_from[y + 1]),
                              .length_room = vrp_room((int64_t)t->max_length - t->length_from[y + 1]),
                              .weight_own = c->head_weight[y], .add = -c->edge[y]};
    vrp_join y1_to_x1 = x_to_y1, x_to_y = x_to_y1, x_to_y1_turned = x_to_y1;
    y1_to_x1.distance = from1 + 1;
    y1_to_x1.load = t->load_from + 1;
    y1_to_x1.length = t->length_from + 1;
    y1_to_x1.weight = c->head_weight;
    y1_to_x1.length_room = vrp_room((int64_t)t->max_length - t->back_from[y + 1]);
    x_to_y.distance = to;
    x_to_y.load_room = vrp_room((int64_t)t->capacity - t->load_to[y]);
    x_to_y.length_room = vrp_room((int64_t)t->max_length - t->back_to[y]);
    x_to_y.weight_own = c->tail_weight[y];
    if (!t->is_symmetric) {
        x_to_y1_turned.turn = x_to_y.turn = c->turn_before;
        x_to_y1_turned.bad = x_to_y.bad = c->bad_before;
        x_to_y1_turned.bad_is = x_to_y.bad_is = t->bad_back_to[last];
        x_to_y1_turned.add = x_to_y.add = c->turn_behind[y] - c->edge[y];
    }
    const vrp_join *const joins[4] = {&x_to_y1, &x_to_y1_turned, &y1_to_x1, &x_to_y};
    for (int p = 0; p < 4; p++) {
        if (begin < end)
            c->lanes->join(joins[p], begin, end, out + p * c->stride + begin);
        fill(out + p * c->stride, end, padded);
    }
}

static void make_tile_constants(vrp_cpu *c, vrp_worker *w, int32_t y_begin, int32_t y_end)
{
    const int64_t s = c->stride, next_to = c->sums.is_symmetric ? 0 : 2 * s;
    const int32_t x_end = c->x_end < y_end ? c->x_end : y_end;
    for (int32_t i = y_begin; i <= y_end; i++) {
        int32_t *const row = w->distances + (i & 1) * s, *const before = w->distances + (~i & 1) * s;
        vrp_cpu_row(c, i, c->x_begin, x_end + 1, false, row);
        if (next_to != 0)
            vrp_cpu_row(c, i, c->x_begin, x_end + 1, true, row + next_to);
        if (i > y_begin)
            make_constants(c, i - 1, row, before + next_to, row + next_to, w->constants + (i - 1 - y_begin) * 4 * s);
    }
}

static void set_limits(vrp_worker *w, int32_t begin, int32_t end, int32_t y, int32_t z)
{
    for (int32_t x = begin; x < end; x++)
        w->limits[x] = vrp_limit(w, x, y, z);
}

// Considers the moves of a block with sums within the limits, one x after the other.
static void found(void *user, const vrp_closed *t, int32_t x, int32_t y)
{
    vrp_worker *w = user;
    const vrp_cpu *c = w->cpu;
    const int32_t z = t->first_column + t->begin, tile_end = t->first_column + t->end;
    const int32_t end = tile_end < c->edges ? tile_end : c->edges;
    const int32_t x_most = t->x_end_of[y] < t->x_end ? t->x_end_of[y] : t->x_end;
    const int32_t best_sum = w->best_sum;
    for (int32_t i = x; i < x + VRP_BLOCK && i < x_most; i++) {
        int32_t least = INT32_MAX;
        c->lanes->closed_pair(t, i, y, w->lanes);
        for (int32_t k = 0; k < end - z; k++)
            least = w->lanes[k] < least ? w->lanes[k] : least;
        vrp_consider_last(w, i, y, z, end, w->lanes, least);
    }
    set_limits(w, x, x + VRP_BLOCK < t->x_end ? x + VRP_BLOCK : t->x_end, y + 1, z);
    if (w->rows == NULL && w->best_sum != best_sum)
        set_limits(w, x + VRP_BLOCK < t->x_end ? x + VRP_BLOCK : t->x_end, t->x_end, t->y_begin, z);
}

static void closed_item(vrp_cpu *c, vrp_worker *w, int64_t item)
{
    const vrp_sums *t = &c->sums;
    const int32_t y_begin = (int32_t)item * VRP_Y_TILE;
    const int32_t y_end = c->edges - y_begin < VRP_Y_TILE ? c->edges : y_begin + VRP_Y_TILE;
    const int32_t x_most = t->last_depot[y_end - 1], x_end = x_most < c->x_end ? x_most : c->x_end;
    const int32_t z_least = t->next_depot[y_begin + 1];
    vrp_closed k = {.tables = c->tables, .columns = c->columns,
                    .table_count = t->is_symmetric ? VRP_SYMMETRIC_TABLES : VRP_TABLES, .constants = w->constants,
                    .constant_stride = c->stride, .x_begin = c->x_begin, .y_begin = y_begin, .y_end = y_end,
                    .x_end_of = t->last_depot, .z_begin_of = t->next_depot + 1, .first_column = c->first_column,
                    .limits = w->limits, .found = found, .user = w};
    if (x_end <= c->x_begin || z_least >= c->first_column + c->columns || z_least >= c->edges || vrp_cpu_ends(c))
        return;
    make_tile_constants(c, w, y_begin, y_end);
    for (int32_t x = x_end; x < x_end + VRP_BLOCK; x++)
        w->limits[x] = INT32_MIN;
    for (int32_t begin = 0; begin < c->columns; begin += Z_TILE) {
        k.begin = begin;
        k.end = c->columns - begin < Z_TILE ? c->columns : begin + Z_TILE;
        if (z_least >= c->first_column + k.end || c->first_column + begin >= c->edges)
            continue;
        set_limits(w, c->x_begin, x_end, y_begin, c->first_column + begin);
        for (k.x_begin = c->x_begin; k.x_begin < x_end; k.x_begin += X_RUN) {
            if (vrp_cpu_ends(c))
                return;
            k.x_end = x_end - k.x_begin < X_RUN ? x_end : k.x_begin + X_RUN;
            c->lanes->closed(&k);
        }
    }
}

// ---- The sweep

mco_status vrp_three_opt_open(vrp_cpu *cpu)
{
    mco_status st = MCO_OK;
    const int64_t tables = cpu->problem->is_symmetric ? VRP_SYMMETRIC_TABLES : VRP_TABLES;
    const int64_t rows = cpu->room + VRP_BLOCK, all = ((int64_t)cpu->room + 15) / 16 * 16;
    int64_t columns = (int64_t)(cpu->slab_bytes / ((double)rows * (double)tables * sizeof *cpu->tables)) / 16 * 16;
    if (cpu->has_three_opt)
        return MCO_OK;
    columns = columns < 64 ? 64 : columns;
    columns = columns > all ? all : columns;
    cpu->table_items = rows * tables * columns + VRP_PAD;
    cpu->columns = (int32_t)columns;
    cpu->part_room = cpu->room;
    MCO_TRY(mco_alloc(cpu->ctx, &cpu->tables, cpu->table_items));
    MCO_TRY(mco_alloc(cpu->ctx, &cpu->parts, cpu->part_room));
    for (int k = 0; k < cpu->threads; k++) {
        vrp_worker *w = &cpu->workers[k];
        mco_free(cpu->ctx, &w->distances);
        MCO_TRY(mco_alloc(cpu->ctx, &w->distances, cpu->stride * VRP_DISTANCE_ROWS));
        MCO_TRY(mco_alloc(cpu->ctx, &w->constants, cpu->stride * 4 * VRP_Y_TILE));
    }
    cpu->has_three_opt = true;
done:
    return st;
}

void vrp_three_opt_run(vrp_cpu *cpu)
{
    enum { ALONE_MOVES = 4000000 };  // waking the other threads takes as long as so many moves
    const bool is_alone = vrp_move_count(cpu->edges, true) < ALONE_MOVES;
    const int64_t y_tiles = (cpu->edges + VRP_Y_TILE - 1) / VRP_Y_TILE, row_items = (cpu->edges + ROWS_ITEM - 1) / ROWS_ITEM;
    list_parts(cpu);
    vrp_cpu_run(cpu, run_part, cpu->part_count, is_alone);
    for (cpu->first_column = 0; cpu->first_column < cpu->edges; cpu->first_column += cpu->columns) {
        vrp_cpu_run(cpu, table_item, row_items, is_alone);
        vrp_cpu_run(cpu, closed_item, y_tiles, is_alone);
    }
}
