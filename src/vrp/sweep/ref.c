// SPDX-License-Identifier: MIT
// The reference of the complete neighbourhoods. On one thread it decides every move in the order of the indices, by
// joining the segments of its pieces (vrp/sweep/segment.h). Every engine must give the same answers; the tests compare
// these with a plain walk of every neighbour.
#include <assert.h>
#include "base/machine.h"

#include "base/clock.h"
#include "vrp/sweep/ref.h"
#include "vrp/sweep/segment.h"


typedef struct ref_state {
    vrp_limits limits;
    double memory_bytes;
    vrp_segment *stored;  // [room]
    int64_t room;
    vrp_layout layout;    // of the last scan
} ref_state;

// The state of a scan.
typedef struct ref_scan {
    const mco_vrp *problem;
    const ref_state *state;
    const int32_t *node;
    int32_t edges;
    int64_t cost;         // of the tour
    vrp_value to_beat;
    vrp_scan *scan;
    vrp_candidate row;    // the best of this x so far
} ref_scan;

static const vrp_candidate NONE = {.move = {-1, -1, -1, -1}};

// ---- Segments

static vrp_segment edge_of(const mco_vrp *p, int32_t from, int32_t to, vrp_limits limits)
{
    return vrp_segment_edge(from, to, vrp_distance(p, from, to), p->demand[to], vrp_service(p, to), limits);
}

// The unit behind border k of a level: an edge, or a part of the level below.
static vrp_segment unit_of(const mco_vrp *p, const ref_state *s, const int32_t *node, int32_t level, int32_t k, bool backwards)
{
    const vrp_layout *layout = &s->layout;
    if (level == 0)
        return backwards ? edge_of(p, node[k + 1], node[k], s->limits) : edge_of(p, node[k], node[k + 1], s->limits);
    const int32_t below = level - 1, begin = k << layout->bits[below];
    return s->stored[vrp_layout_at(layout, below, begin, begin + vrp_layout_part(layout, below, k), backwards)];
}

// Stores every segment of a level, each made from the one that ends a unit before it.
static void store_level(const mco_vrp *p, ref_state *s, const int32_t *node, int32_t level, bool backwards)
{
    const vrp_layout *layout = &s->layout;
    for (int32_t i = 0; i < layout->units[level]; i++) {
        const int32_t part = i >> layout->bits[level];
        const int32_t end = (part << layout->bits[level]) + vrp_layout_part(layout, level, part);
        vrp_segment so_far = vrp_segment_none(s->limits);
        for (int32_t j = i + 1; j <= end; j++) {
            const vrp_segment unit = unit_of(p, s, node, level, j - 1, backwards);
            so_far = vrp_segment_extend(&so_far, &unit, backwards, s->limits);
            s->stored[vrp_layout_at(layout, level, i, j, backwards)] = so_far;
        }
    }
}

// Lays out the segments of a tour and allocates their memory. A hierarchy of -1 means 1, or 2 if 1 does not fit.
static mco_status lay_out(mco_context *ctx, ref_state *s, int32_t edges, int hierarchy)
{
    mco_status st = MCO_OK;
    s->layout = vrp_layout_best(edges, hierarchy < 0 ? 1 : hierarchy);
    double bytes = (double)s->layout.count * sizeof *s->stored;
    if (hierarchy < 0 && bytes > s->memory_bytes) {
        s->layout = vrp_layout_best(edges, 2);
        bytes = (double)s->layout.count * sizeof *s->stored;
    }
    if (bytes > s->memory_bytes)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "the reference needs %.3g GiB for the segments of %d nodes with hierarchy %d, at most %.3g GiB are "
                        "allowed",
                        bytes / (1 << 30), edges + 1, s->layout.levels - 1, s->memory_bytes / (1 << 30));
    if (s->layout.count <= s->room)
        return MCO_OK;
    mco_free(ctx, &s->stored);
    s->room = 0;
    MCO_TRY(mco_alloc(ctx, &s->stored, s->layout.count));
    s->room = s->layout.count;
done:
    return st;
}

// ---- Moves

// The segment of the whole neighbour; `so_far` is that of nodes 0..x.
static vrp_segment evaluate(const ref_scan *r, vrp_segment so_far, vrp_move m)
{
    const ref_state *s = r->state;
    vrp_piece pieces[3];
    const int count = vrp_pieces(m.x, m.y, m.z, m.p, r->edges, pieces);
    int32_t end = m.x;
    for (int k = 0; k < count; k++) {
        const vrp_segment edge = edge_of(r->problem, r->node[end], r->node[pieces[k].from], s->limits);
        const vrp_segment piece = vrp_segment_of(&s->layout, s->stored, pieces[k], s->limits);
        so_far = vrp_segment_join(&so_far, &edge, s->limits);
        so_far = vrp_segment_join(&so_far, &piece, s->limits);
        end = pieces[k].to;
    }
    return so_far;
}

// Decides one move; true if it ends the scan.
static bool visit(ref_scan *r, const vrp_segment *begin, vrp_move m)
{
    vrp_scan *scan = r->scan;
    if (!vrp_is_kept(scan->filter_seed, scan->keep, m))
        return false;
    scan->moves++;
    const vrp_segment tour = evaluate(r, *begin, m);
    const vrp_candidate c = {m, {vrp_penalty(tour.routes, r->problem->vehicles), tour.cost - r->cost}};
    if (!vrp_segment_is_ok(&tour) || (scan->wants_first && !vrp_is_less(c.value, r->to_beat)))
        return false;
    if (r->row.move.x < 0 || vrp_is_less(c.value, r->row.value))
        r->row = c;
    return scan->wants_first;
}

// Decides the moves that cut x and y; true if one ends the scan.
static bool visit_pair(ref_scan *r, const vrp_segment *begin, int32_t x, int32_t y)
{
    if (!r->scan->is_three_opt)
        return visit(r, begin, (vrp_move){x, y, -1, -1});
    for (int32_t z = y + 1; z < r->edges; z++)
        for (int32_t p = 0; p < 4; p++)
            if (visit(r, begin, (vrp_move){x, y, z, p}))
                return true;
    return false;
}

static bool is_time_over(mco_context *ctx, double stop_s)
{
    return mco_is_cancelled(ctx) || mco_clock_s() > stop_s;
}

static mco_status scan_moves(vrp_engine *engine, vrp_scan *scan, double stop_s)
{
    mco_status st = MCO_OK;
    ref_state *s = engine->state;
    const int32_t edges = scan->tour->count - 1;
    bool is_found = false;
    scan->best = NONE;
    scan->moves = scan->moves_skipped = 0;
    MCO_TRY(lay_out(engine->ctx, s, edges, scan->hierarchy));
    for (int32_t level = 0; level < s->layout.levels; level++)
        for (int backwards = 0; backwards < 2; backwards++)
            store_level(engine->problem, s, scan->tour->node, level, backwards);
    ref_scan r = {engine->problem, s, scan->tour->node, edges, 0, vrp_to_beat(engine->problem, scan->tour), scan, NONE};
    r.cost = vrp_segment_of(&s->layout, s->stored, (vrp_piece){0, edges}, s->limits).cost;
    for (int32_t x = 0; x < edges && !is_found; x++) {
        const vrp_segment begin = vrp_segment_of(&s->layout, s->stored, (vrp_piece){0, x}, s->limits);
        r.row = NONE;
        for (int32_t y = x + 1; y < edges && !is_found; y++) {
            if (is_time_over(engine->ctx, stop_s)) {
                scan->best = NONE;
                return MCO_OK;
            }
            is_found = visit_pair(&r, &begin, x, y);
        }
        if (scan->rows != NULL)
            scan->rows[x] = r.row;
        if (r.row.move.x >= 0 && (scan->best.move.x < 0 || vrp_is_less(r.row.value, scan->best.value)))
            scan->best = r.row;
    }
done:
    return st;
}

// ---- Opening and closing

static void free_state(mco_context *ctx, ref_state **s)
{
    if (*s == NULL)
        return;
    mco_free(ctx, &(*s)->stored);
    mco_free(ctx, s);
}

static void close_engine(vrp_engine *engine)
{
    ref_state *s = engine->state;
    free_state(engine->ctx, &s);
    engine->state = NULL;
}

mco_status vrp_ref_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                        vrp_engine *out)
{
    mco_status st = MCO_OK;
    ref_state *s = NULL;
    assert(tour_nodes >= 2 && tour_nodes < 1 << VRP_ONE_PART);
    MCO_TRY(mco_alloc(ctx, &s, 1));
    s->limits = (vrp_limits){problem->capacity, vrp_has_max_length(problem) ? problem->max_length : VRP_NO_LENGTH_LIMIT};
    s->memory_bytes = mco_settle_memory(params->memory);
    MCO_TRY(lay_out(ctx, s, tour_nodes - 1, (int)params->hierarchy));
    *out = (vrp_engine){.ctx = ctx, .problem = problem, .state = s, .work.threads = 1,
                        .scan = scan_moves, .close = close_engine};
done:
    if (st != MCO_OK)
        free_state(ctx, &s);
    return st;
}
