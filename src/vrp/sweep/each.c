// SPDX-License-Identifier: MIT
// Sweeps move by move, on all cores: with a filter, by stored segments, and of tours that cannot be folded. Each move
// is decided in constant time (vrp/sweep/move.h, vrp/sweep/segment.h). An item of work is a first edge.
#include "vrp/sweep/each.h"

static const vrp_candidate NONE = {.move = {-1, -1, -1, -1}};

// The state of the search of a first edge.
typedef struct each {
    vrp_cpu *cpu;
    vrp_worker *worker;
    vrp_candidate best;
    int64_t moves, most_moves;  // moves decided; no second edge is begun after most_moves
    bool wants_first;
} each;

// ---- Stored segments

static vrp_segment edge_segment(const vrp_cpu *c, int32_t i, int32_t j)
{
    const int32_t *node = c->sums.node;
    return vrp_segment_edge(node[i], node[j], vrp_cpu_distance(c, i, j), c->problem->demand[node[j]],
                            vrp_service(c->problem, node[j]), c->limits);
}

// The unit behind border k of the present level: an edge, or a part of the level below.
static vrp_segment unit_segment(const vrp_cpu *c, int32_t k, bool backwards)
{
    const int32_t below = c->level - 1;
    if (below < 0)
        return backwards ? edge_segment(c, k + 1, k) : edge_segment(c, k, k + 1);
    const int32_t begin = k << c->layout.bits[below];
    return c->stored[vrp_layout_at(&c->layout, below, begin, begin + vrp_layout_part(&c->layout, below, k), backwards)];
}

// Stores all segments of the level from border i on, each made from the one that ends a unit before it.
static void store_item(vrp_cpu *c, vrp_worker *w, int64_t item)
{
    const int32_t i = (int32_t)item, part = i >> c->layout.bits[c->level];
    const int32_t end = (part << c->layout.bits[c->level]) + vrp_layout_part(&c->layout, c->level, part);
    (void)w;
    if (vrp_cpu_ends(c))
        return;
    for (int backwards = 0; backwards < 2; backwards++) {
        vrp_segment so_far = vrp_segment_none(c->limits);
        for (int32_t j = i + 1; j <= end; j++) {
            const vrp_segment unit = unit_segment(c, j - 1, backwards);
            so_far = vrp_segment_extend(&so_far, &unit, backwards, c->limits);
            c->stored[vrp_layout_at(&c->layout, c->level, i, j, backwards)] = so_far;
        }
    }
}

static mco_status store_segments(vrp_cpu *c, int hierarchy)
{
    mco_status st = MCO_OK;
    c->layout = vrp_layout_best(c->edges, hierarchy);
    const double bytes = (double)c->layout.count * sizeof *c->stored;
    if (bytes > c->segment_bytes)
        return mco_fail(c->ctx, MCO_ERR_LIMIT,
                        "the segments of %d nodes with hierarchy %d take %.3g GiB, at most %.3g GiB are allowed", c->edges + 1,
                        hierarchy, bytes / (1 << 30), c->segment_bytes / (1 << 30));
    if (c->layout.count > c->stored_room) {
        mco_free(c->ctx, &c->stored);
        c->stored_room = 0;
        MCO_TRY(mco_alloc(c->ctx, &c->stored, c->layout.count));
        c->stored_room = c->layout.count;
    }
    c->limits = (vrp_limits){c->problem->capacity,
                             vrp_has_max_length(c->problem) ? c->problem->max_length : VRP_NO_LENGTH_LIMIT};
    for (c->level = 0; c->level <= hierarchy; c->level++)
        vrp_cpu_run(c, store_item, c->layout.units[c->level], false);
    c->cost = vrp_segment_of(&c->layout, c->stored, (vrp_piece){0, c->edges}, c->limits).cost;
done:
    return st;
}

static vrp_decision decide_by_segments(const vrp_cpu *c, vrp_move m)
{
    vrp_piece pieces[3];
    const int count = vrp_pieces(m.x, m.y, m.z, m.p, c->edges, pieces);
    vrp_segment so_far = vrp_segment_of(&c->layout, c->stored, (vrp_piece){0, m.x}, c->limits);
    int32_t end = m.x;
    for (int k = 0; k < count; k++) {
        const vrp_segment edge = edge_segment(c, end, pieces[k].from);
        const vrp_segment piece = vrp_segment_of(&c->layout, c->stored, pieces[k], c->limits);
        so_far = vrp_segment_join(&so_far, &edge, c->limits);
        so_far = vrp_segment_join(&so_far, &piece, c->limits);
        end = pieces[k].to;
    }
    return (vrp_decision){vrp_segment_is_ok(&so_far), so_far.routes, so_far.cost - c->cost};
}

// ---- Moves

static vrp_decision decide(const vrp_cpu *c, vrp_move m)
{
    if (c->has_segments)
        return decide_by_segments(c, m);
    int32_t from[3], to[3], join[3];
    const int count = vrp_joins(m, from, to);
    for (int k = 0; k < count; k++)
        join[k] = vrp_cpu_distance(c, from[k], to[k]);
    return vrp_decide(&c->sums, m, join);
}

// Decides a move; true if it ends the search.
static bool visit(each *e, vrp_move m)
{
    const vrp_cpu *c = e->cpu;
    const vrp_decision d = decide(c, m);
    const vrp_value value = {vrp_penalty(d.routes, c->sums.vehicles), d.change};
    e->moves++;
    if (!d.is_feasible || (e->wants_first && !vrp_is_less(value, c->to_beat)))
        return false;
    if (e->best.move.x < 0 || vrp_is_less(value, e->best.value))
        e->best = (vrp_candidate){m, value};
    return e->wants_first;
}

// The k-th move with first edge x and, for 3-opt, second edge y.
static vrp_move move_at(bool is_three_opt, int32_t x, int32_t y, int32_t k)
{
    return is_three_opt ? (vrp_move){x, y, y + 1 + k / 4, k % 4} : (vrp_move){x, x + 1 + k, -1, -1};
}

static bool visit_moves(each *e, int32_t x, int32_t y)
{
    const vrp_cpu *c = e->cpu;
    const vrp_scan *scan = c->scan;
    const bool is_three_opt = scan->is_three_opt, is_all = scan->keep == UINT64_MAX;
    const int32_t count = is_three_opt ? 4 * (c->edges - y - 1) : c->edges - x - 1;
    int32_t *kept = e->worker->kept, kept_count = 0;
    if (is_all || scan->filter == MCO_VRP_FILTER_MASK) {
        for (int32_t k = 0; k < count; k++) {
            const vrp_move m = move_at(is_three_opt, x, y, k);
            if ((is_all || vrp_is_kept(scan->filter_seed, scan->keep, m)) && visit(e, m))
                return true;
        }
        return false;
    }
    for (int32_t k = 0; k < count; k++) {
        kept[kept_count] = k;
        kept_count += vrp_is_kept(scan->filter_seed, scan->keep, move_at(is_three_opt, x, y, k));
    }
    for (int32_t k = 0; k < kept_count; k++)
        if (visit(e, move_at(is_three_opt, x, y, kept[k])))
            return true;
    return false;
}

static void visit_first(each *e, int32_t x)
{
    if (!e->cpu->scan->is_three_opt) {
        visit_moves(e, x, -1);
        return;
    }
    for (int32_t y = x + 1; y < e->cpu->edges; y++)
        if (vrp_cpu_ends(e->cpu) || e->moves >= e->most_moves || visit_moves(e, x, y))
            return;
}

static void each_item(vrp_cpu *c, vrp_worker *w, int64_t item)
{
    const int32_t x = (int32_t)item;
    each e = {.cpu = c, .worker = w, .best = NONE, .most_moves = INT64_MAX, .wants_first = c->scan->wants_first};
    if (!vrp_cpu_ends(c) && x <= atomic_load_explicit(&c->first_x, memory_order_relaxed))
        visit_first(&e, x);
    c->each[x] = e.best;
    c->each_moves[x] = e.moves;
    if (e.wants_first && e.best.move.x >= 0) {
        int known = atomic_load(&c->first_x);
        while (x < known && !atomic_compare_exchange_weak(&c->first_x, &known, x))
            continue;
    }
}

mco_status vrp_each_scan(vrp_cpu *cpu, int hierarchy)
{
    enum { ALONE_MOVES = 20000 };  // waking the other threads takes as long as so many moves
    vrp_scan *scan = cpu->scan;
    mco_status st = MCO_OK;
    cpu->has_segments = hierarchy >= 0;
    if (cpu->has_segments)
        MCO_TRY(store_segments(cpu, hierarchy));
    for (int k = 0; k < cpu->threads; k++)
        if (cpu->workers[k].kept == NULL)
            MCO_TRY(mco_alloc(cpu->ctx, &cpu->workers[k].kept, 4 * cpu->stride));
    if (cpu->each == NULL)
        MCO_TRY(mco_alloc(cpu->ctx, &cpu->each, cpu->room));
    if (cpu->each_moves == NULL)
        MCO_TRY(mco_alloc(cpu->ctx, &cpu->each_moves, cpu->room));
    atomic_store(&cpu->first_x, cpu->edges);
    vrp_cpu_run(cpu, each_item, cpu->edges, vrp_move_count(cpu->edges, scan->is_three_opt) < ALONE_MOVES);
    for (int32_t x = 0; x < cpu->edges; x++) {
        const bool is_beyond = x > atomic_load(&cpu->first_x);
        const vrp_candidate best = is_beyond ? NONE : cpu->each[x];
        scan->moves += is_beyond ? 0 : cpu->each_moves[x];
        if (best.move.x >= 0 && (scan->best.move.x < 0 || vrp_is_less(best.value, scan->best.value)))
            scan->best = best;
        if (scan->rows != NULL)
            scan->rows[x] = best;
    }
done:
    return st;
}

vrp_candidate vrp_each_first(vrp_cpu *cpu, int32_t x, int64_t most_moves)
{
    each e = {.cpu = cpu, .worker = &cpu->workers[0], .best = NONE, .most_moves = most_moves, .wants_first = true};
    cpu->has_segments = false;
    visit_first(&e, x);
    return e.best;
}
