// SPDX-License-Identifier: MIT
// Segments of a giant tour. A segment describes a piece of the tour in constant space, and two segments combine in
// constant time (Irnich 2008, Schulz 2013). It holds integers only, so that host and device agree. This header includes
// plain headers only, so that kernels can include it.
//
// A segment leads from one node to another; two segments that are joined share the node between them. A segment charges
// for its edges, and for the nodes where these end. So a piece and the same piece backwards are two segments.
//
// A resource (the load or the length of a route) is what a vehicle has used since the last depot: T in 0..limit. A
// segment can be passed if 0 <= T <= u at its begin; it changes T into max(a, T + t). Invariants: 0 <= a <= limit, t <=
// a, -limit <= t, t <= limit - u. The limit is at most 2^30, so that no sum of two values overflows 32 bits. A segment
// that cannot be passed even from T = 0 has u = -1 and a = INT32_MAX; every join keeps that.
//
// - A depot resets T: behind it, the outcome does not depend on T. So all t with T + t <= a for every T <= u mean the
//   same. A t below -limit, the sum of many resets, is therefore raised to -limit.
// - The number of routes that are not empty is the number of edges from the depot to a customer, a sum like the cost.
//   On a tour from depot to depot it equals what Schulz counts with flags for the depots inside a piece.
#ifndef MCO_VRP_SWEEP_SEGMENT_H
#define MCO_VRP_SWEEP_SEGMENT_H

#include "mco/compiler.h"

enum { VRP_NO_LENGTH_LIMIT = 1 << 30 };  // MCO_VRP_MAX_LENGTH

typedef struct vrp_limits {
    int32_t load, length;  // 0..2^30; VRP_NO_LENGTH_LIMIT: lengths are not added up
} vrp_limits;

typedef struct vrp_resource {
    int32_t a, t, u;
} vrp_resource;

typedef struct vrp_segment {
    int64_t cost;
    int32_t routes;
    vrp_resource load, length;
} vrp_segment;

// ---- One resource

static inline MCO_HD bool vrp_resource_is_ok(vrp_resource r)
{
    return r.u >= 0;
}

// The resource of an edge that uses `used` >= 0.
static inline MCO_HD vrp_resource vrp_resource_edge(int64_t used, bool ends_at_depot, int32_t limit)
{
    if (used > limit)
        return (vrp_resource){INT32_MAX, 0, -1};
    const int32_t rest = limit - (int32_t)used;
    return ends_at_depot ? (vrp_resource){0, -limit, rest} : (vrp_resource){(int32_t)used, (int32_t)used, rest};
}

// The resource of p, then q. T = 0 gets through both exactly if a of p is at most u of q.
static inline MCO_HD vrp_resource vrp_resource_join(vrp_resource p, vrp_resource q, int32_t limit)
{
    if (p.a > q.u)
        return (vrp_resource){INT32_MAX, 0, -1};
    const int32_t a = p.a + q.t, u = p.u + p.t, t = p.t + q.t;
    return (vrp_resource){a > q.a ? a : q.a, t > -limit ? t : -limit, (u < q.u ? u : q.u) - p.t};
}

// ---- Segments

static inline MCO_HD bool vrp_segment_is_ok(const vrp_segment *s)
{
    return vrp_resource_is_ok(s->load) && vrp_resource_is_ok(s->length);
}

// The segment of a single node: joining it changes nothing.
static inline MCO_HD vrp_segment vrp_segment_none(vrp_limits limits)
{
    return (vrp_segment){0, 0, {0, 0, limits.load}, {0, 0, limits.length}};
}

// The segment of an edge. `demand` and `service` are those of the node `to`; 0 for the depot.
static inline MCO_HD vrp_segment vrp_segment_edge(int32_t from, int32_t to, int32_t distance, int32_t demand, int32_t service,
                                                  vrp_limits limits)
{
    const int64_t length = limits.length == VRP_NO_LENGTH_LIMIT ? 0 : (int64_t)distance + service;
    return (vrp_segment){distance, from == 0 && to != 0, vrp_resource_edge(demand, to == 0, limits.load),
                         vrp_resource_edge(length, to == 0, limits.length)};
}

static inline MCO_HD vrp_segment vrp_segment_join(const vrp_segment *p, const vrp_segment *q, vrp_limits limits)
{
    return (vrp_segment){p->cost + q->cost, p->routes + q->routes, vrp_resource_join(p->load, q->load, limits.load),
                         vrp_resource_join(p->length, q->length, limits.length)};
}

// ---- Moves: the pieces of the new tour that follow A = nodes 0..x

// A piece leads from node `from` to node `to` of the tour; backwards if from > to.
typedef struct vrp_piece {
    int32_t from, to;
} vrp_piece;

// Sets the pieces in the new order, and returns their number: 3, or 2 for 2-opt, whose z and p are -1.
static inline MCO_HD int vrp_pieces(int32_t x, int32_t y, int32_t z, int32_t p, int32_t edges, vrp_piece pieces[3])
{
    const vrp_piece b = {x + 1, y}, c = {y + 1, z}, b_back = {y, x + 1}, c_back = {z, y + 1};
    if (z < 0) {
        pieces[0] = b_back;
        pieces[1] = (vrp_piece){y + 1, edges};
        return 2;
    }
    pieces[0] = p == 3 ? b_back : p == 2 ? c_back : c;
    pieces[1] = p == 3 ? c_back : p == 1 ? b_back : b;
    pieces[2] = (vrp_piece){z + 1, edges};
    return 3;
}

// ---- Stored segments. The borders of level 0 are the nodes of the tour, 0..units[0] = edges. Level l is cut into
// parts of 1 << bits[l] units; the last part may be shorter. Level l stores every segment between two borders of one
// part. The ends of its parts are the borders of level l + 1. The highest level is a single part. A hierarchy of h has
// the levels 0..h.
//
// The segments of level l lie from first[l] on, part after part. In a part they are sorted by the border where they
// begin, then by the border where they end. Behind each segment is the same one backwards. A part of n units takes
// n (n + 1) places.

enum { VRP_MOST_LEVELS = 3, VRP_ONE_PART = 30 };  // VRP_ONE_PART: bits of a level that is not cut

typedef struct vrp_layout {
    int32_t levels;
    int32_t units[VRP_MOST_LEVELS], bits[VRP_MOST_LEVELS];
    int64_t first[VRP_MOST_LEVELS];
    int64_t count;  // segments stored in all
} vrp_layout;

// Units of a part.
static inline MCO_HD int32_t vrp_layout_part(const vrp_layout *layout, int32_t level, int32_t part)
{
    const int32_t rest = layout->units[level] - (part << layout->bits[level]);
    return rest < 1 << layout->bits[level] ? rest : 1 << layout->bits[level];
}

// Place of the segment from border i to border j > i of the same part.
static inline MCO_HD int64_t vrp_layout_at(const vrp_layout *layout, int32_t level, int32_t i, int32_t j, bool backwards)
{
    const int32_t bits = layout->bits[level], part = i >> bits;
    const int64_t n = vrp_layout_part(layout, level, part), whole = (int64_t)1 << bits, row = i - (part << bits);
    return layout->first[level] + part * whole * (whole + 1) + 2 * (row * n - row * (row - 1) / 2 + (j - i - 1)) + backwards;
}

// The layout for a tour with `edges` edges and given bits[l], l < hierarchy < VRP_MOST_LEVELS.
static inline MCO_HD vrp_layout vrp_layout_of(int32_t edges, int32_t hierarchy, const int32_t *bits)
{
    vrp_layout layout = {hierarchy + 1, {edges, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
    for (int32_t l = 0; l <= hierarchy && l < VRP_MOST_LEVELS; l++) {
        const int32_t units = layout.units[l], b = l < hierarchy ? bits[l] : VRP_ONE_PART;
        const int64_t whole = (int64_t)1 << b, rest = units & (whole - 1);
        layout.bits[l] = b;
        layout.first[l] = layout.count;
        layout.count += (units >> b) * whole * (whole + 1) + rest * (rest + 1);
        if (l < hierarchy && l + 1 < VRP_MOST_LEVELS)
            layout.units[l + 1] = (int32_t)((units + whole - 1) >> b);
    }
    return layout;
}

// The layout with the fewest stored segments.
static inline vrp_layout vrp_layout_best(int32_t edges, int32_t hierarchy)
{
    enum { MOST_BITS = 16 };
    const int32_t most[2] = {hierarchy > 0 ? MOST_BITS : 1, hierarchy > 1 ? MOST_BITS : 1};
    vrp_layout best = {0, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 0};
    for (int32_t low = 1; low <= most[0]; low++)
        for (int32_t high = 1; high <= most[1]; high++) {
            const int32_t bits[2] = {low, high};
            const vrp_layout layout = vrp_layout_of(edges, hierarchy, bits);
            if (best.levels == 0 || layout.count < best.count)
                best = layout;
        }
    return best;
}

// Joins `part`, which lies behind `so_far` on the tour. In a segment that is read backwards, `part` comes first.
static inline MCO_HD vrp_segment vrp_segment_extend(const vrp_segment *so_far, const vrp_segment *part, bool backwards,
                                                    vrp_limits limits)
{
    return backwards ? vrp_segment_join(part, so_far, limits) : vrp_segment_join(so_far, part, limits);
}

// The segment of a piece. It joins at most 2 * levels - 1 stored ones: from its begin up to borders of higher levels,
// between these, and from them down to its end.
static inline MCO_HD vrp_segment vrp_segment_of(const vrp_layout *layout, const vrp_segment *stored, vrp_piece piece,
                                                vrp_limits limits)
{
    const bool backwards = piece.from > piece.to;
    int32_t i = backwards ? piece.to : piece.from, j = backwards ? piece.from : piece.to;
    vrp_segment head = vrp_segment_none(limits), tail = head;
    for (int32_t l = 0; i < j; l++) {
        const int32_t bits = layout->bits[l], units = layout->units[l];
        if (i >> bits == (j - 1) >> bits) {
            head = vrp_segment_extend(&head, &stored[vrp_layout_at(layout, l, i, j, backwards)], backwards, limits);
            break;
        }
        const int32_t whole = 1 << bits, up = (i + whole - 1) >> bits, down = j == units ? (j + whole - 1) >> bits : j >> bits;
        if (i < up << bits)
            head = vrp_segment_extend(&head, &stored[vrp_layout_at(layout, l, i, up << bits, backwards)], backwards, limits);
        if (down << bits < j)
            tail = vrp_segment_extend(&stored[vrp_layout_at(layout, l, down << bits, j, backwards)], &tail, backwards, limits);
        i = up;
        j = down;
    }
    return vrp_segment_extend(&head, &tail, backwards, limits);
}

#endif
