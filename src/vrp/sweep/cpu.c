// SPDX-License-Identifier: MIT
// The cpu engine of complete neighbourhoods. A sweep decides all moves by folded sums (vrp/sweep/lanes.h,
// vrp/sweep/two_opt.c, vrp/sweep/three_opt.c). With a filter, by stored segments, and if sums do not fit 32 bits, it
// goes move by move (vrp/sweep/each.c).
//
// A folded sum adds and subtracts these values. A join adds its distance, and `weight` if the route that it makes is
// not empty. A join that is not legal adds VRP_ILLEGAL. An edge cut subtracts its length, `weight` if its route is not
// empty, and `bad_weight` if its route breaks a limit. Let D be the longest distance, W = weight, V = bad_weight, b the
// number of bad routes, and R the range of `turn`:
// - A move cuts three edges and makes three joins, so it changes the number of routes that are not empty by at most
//   one. So the sum of a legal move is at most -b V + W + 3 D + 2 R (`limit`). W = 6 D + 4 R + 1 makes one route less
//   worth more than any change of the cost.
// - A move that leaves a bad route uncut has at least V more. V = 2 (W + 3 D + 2 R) + 1 puts it above the limit.
// - A sum with an illegal join is at least VRP_ILLEGAL - 3 (D + W + V) - 2 R. choose_folding() refuses the tour if that
//   is not above the limit, or if a sum with three illegal joins may not fit 32 bits. V counts three times here,
//   although a legal move subtracts it b times: tables also add up illegal moves with all edges in one route, and each
//   of these edges subtracts V.
// Sums that may be the best are decided again by the exact formula, so that ties go to the lowest index.
//
// If there are as many routes as vehicles, a move that adds a route is the worst, but one that saves a route is no
// better than others. So sums without weights find candidates, and candidates with too many routes are passed over. If
// none is left, a second sweep has weights.
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/simd.h"
#include "vrp/sweep/cpu.h"
#include "vrp/sweep/each.h"
#include "vrp/sweep/three_opt.h"
#include "vrp/sweep/two_opt.h"

// Memory for tables by default. From 8 to 400 MiB the times differ by less than the noise, 13 %.
static const double SLAB_BYTES = 64 << 20;
static const vrp_candidate NONE = {.move = {-1, -1, -1, -1}};

enum { MOST_BAD_TWO_OPT = 2, MOST_BAD_THREE_OPT = 3 };  // routes that a move can cut

// ---- Threads

static void work(void *shared, int worker, int64_t item)
{
    vrp_cpu *c = shared;
    c->run_item(c, &c->workers[worker], item);
}

void vrp_cpu_run(vrp_cpu *c, void (*run_item)(vrp_cpu *, vrp_worker *, int64_t), int64_t count, bool is_alone)
{
    if (atomic_load_explicit(&c->is_stopped, memory_order_relaxed))
        return;
    c->run_item = run_item;
    if (!is_alone && count > 1 && c->threads > 1)
        mco_team_run(&c->team, count, work, NULL, c);
    else
        for (int64_t item = 0; item < count; item++)
            run_item(c, &c->workers[0], item);
}

bool vrp_cpu_ends(vrp_cpu *c)
{
    if (atomic_load_explicit(&c->is_stopped, memory_order_relaxed))
        return true;
    if (mco_clock_s() <= c->stop_s && !mco_is_cancelled(c->ctx))
        return false;
    atomic_store(&c->is_stopped, true);
    return true;
}

// ---- Candidates

// Compares by value, then index.
static bool is_better(vrp_candidate a, vrp_candidate b)
{
    if (a.move.x < 0 || b.move.x < 0)
        return a.move.x >= 0;
    if (vrp_is_less(a.value, b.value) || vrp_is_less(b.value, a.value))
        return vrp_is_less(a.value, b.value);
    return vrp_is_before(a.move, b.move);
}

static void consider_move(vrp_worker *w, vrp_move m)
{
    const vrp_cpu *c = w->cpu;
    int32_t from[3], to[3], join[3];
    const int count = vrp_joins(m, from, to);
    for (int k = 0; k < count; k++)
        join[k] = vrp_cpu_distance(c, from[k], to[k]);
    const vrp_decision d = vrp_decide(&c->sums, m, join);
    const vrp_candidate now = {m, {vrp_penalty(d.routes, c->sums.vehicles), d.change}};
    vrp_candidate *best = w->rows != NULL ? &w->rows[m.x] : &w->best;
    if (!d.is_feasible || (c->folding.needs_few && now.value.penalty > 0) || !is_better(now, *best))
        return;
    *best = now;
    *(w->rows != NULL ? &w->row_sums[m.x] : &w->best_sum) =
        (int32_t)(d.change + (int64_t)c->folding.weight * (d.routes - c->sums.routes)) + c->folding.offset;
}

void vrp_consider(vrp_worker *w, int32_t x, int32_t y, int32_t z)
{
    for (int32_t p = 0; p < (z < 0 ? 1 : 4); p++)
        consider_move(w, (vrp_move){x, y, z, z < 0 ? -1 : p});
}

void vrp_consider_last(vrp_worker *w, int32_t x, int32_t y, int32_t begin, int32_t end, const int32_t *sums, int32_t least)
{
    int32_t limit = vrp_limit(w, x, y, begin);
    for (int32_t z = begin; z < end && least <= limit; z++)
        if (sums[z - begin] <= limit) {
            vrp_consider(w, x, y, z);
            limit = vrp_limit(w, x, y, z + 1);
        }
}

void vrp_consider_second(vrp_worker *w, int32_t x, int32_t begin, int32_t end, const int32_t *sums, int32_t least)
{
    int32_t limit = vrp_limit(w, x, begin, -1);
    for (int32_t y = begin; y < end && least <= limit; y++)
        if (sums[y - begin] <= limit) {
            vrp_consider(w, x, y, -1);
            limit = vrp_limit(w, x, y + 1, -1);
        }
}

void vrp_consider_first(vrp_worker *w, int32_t begin, int32_t end, int32_t y, int32_t z, const int32_t *sums, int32_t least)
{
    if (w->rows == NULL && least > vrp_limit(w, begin, y, z))
        return;
    for (int32_t x = begin; x < end; x++)
        if (sums[x - begin] <= (w->rows != NULL ? w->row_sums[x] : w->best_sum) && sums[x - begin] <= vrp_limit(w, x, y, z))
            vrp_consider(w, x, y, z);
}

// ---- What lanes read

static int32_t *take_array(const vrp_cpu *c, int64_t *at)
{
    int32_t *out = c->by_lane + *at;
    *at += c->stride;
    return out;
}

static void lay_out(vrp_cpu *c)
{
    int32_t **const arrays[] = {&c->route_load,  &c->route_length, &c->tail_weight, &c->head_weight, &c->edge,
                                &c->turn_behind, &c->turn_before,  &c->bad_behind,  &c->bad_before,  &c->zeros};
    int64_t at = 0;
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        *arrays[k] = take_array(c, &at);
}

enum { LANE_ARRAYS = 10 };

// The middle of the range of `turn`; *range is its size.
static int64_t turn_middle(const vrp_sums *t, int64_t *range)
{
    int64_t least = 0, most = 0;
    for (int32_t i = 0; i < t->count && !t->is_symmetric; i++) {
        least = t->turn[i] < least ? t->turn[i] : least;
        most = t->turn[i] > most ? t->turn[i] : most;
    }
    *range = most - least;
    return least + (most - least) / 2;
}

static void fill_lanes(vrp_cpu *c, int64_t middle)
{
    const vrp_sums *t = &c->sums;
    for (int32_t e = 0; e < c->edges; e++) {
        const bool tail_is_full = t->last_depot[e] < e, head_is_full = t->next_depot[e + 1] > e + 1;
        const bool is_bad = t->bad_to[t->next_depot[e + 1]] != t->bad_to[t->last_depot[e]];
        c->route_load[e] = t->load_to[e] + t->load_from[e + 1];
        c->route_length[e] = t->length_to[e] + t->length_from[e + 1];
        c->tail_weight[e] = tail_is_full ? c->folding.weight : 0;
        c->head_weight[e] = head_is_full ? c->folding.weight : 0;
        c->edge[e] = t->edge[e] + (tail_is_full || head_is_full ? c->folding.weight : 0) + (is_bad ? c->folding.bad_weight : 0);
        if (t->is_symmetric)
            continue;
        c->turn_behind[e] = (int32_t)(t->turn[e] - middle);
        c->turn_before[e] = (int32_t)(middle - t->turn[e + 1]);
        c->bad_behind[e] = t->bad_back_to[t->last_depot[e]];
        c->bad_before[e] = t->bad_back_to[t->next_depot[e + 1]];
    }
}

static void fill_places(vrp_cpu *c)
{
    const int32_t *node = c->sums.node;
    c->places.node = node;
    for (int32_t i = 0; i < c->sums.count; i++) {
        if (c->places.source == VRP_SOURCE_GRID) {
            c->grid_x[i] = (float)(c->problem->x[node[i]] - c->grid_x0);
            c->grid_y[i] = (float)(c->problem->y[node[i]] - c->grid_y0);
        } else if (c->places.source == VRP_SOURCE_PLANE) {
            c->x[i] = c->problem->x[node[i]];
            c->y[i] = c->problem->y[node[i]];
        }
    }
}

// Chooses c->folding, with weights for the number of routes or without. False if moves cannot be folded: see the head
// of this file.
static bool choose_folding(vrp_cpu *c, bool has_weight, bool needs_few, int64_t range)
{
    const int64_t longest = c->problem->longest, bad = c->sums.bad;
    const int64_t weight = has_weight ? 6 * longest + 4 * range + 1 : 0, legal = weight + 3 * longest + 2 * range;
    const int64_t bad_weight = bad > 0 ? 2 * legal + 1 : 0;
    const int64_t illegal = VRP_ILLEGAL - 3 * (longest + weight + bad_weight) - 2 * range;
    if ((bad > 0 && !c->sums.is_symmetric) || illegal <= legal - bad * bad_weight ||
        3 * (int64_t)VRP_ILLEGAL + 2 * range > INT32_MAX ||
        -3 * (longest + weight + bad_weight) - 2 * range < INT32_MIN)
        return false;
    c->folding = (vrp_folding){(int32_t)weight, (int32_t)bad_weight, (int32_t)(-bad * bad_weight),
                               (int32_t)(legal - bad * bad_weight), needs_few};
    return true;
}

// ---- Scan

static void clear_candidates(vrp_cpu *c)
{
    for (int k = 0; k < c->threads; k++) {
        vrp_worker *w = &c->workers[k];
        w->best = NONE;
        w->best_sum = c->folding.limit;
        for (int32_t x = 0; w->rows != NULL && x < c->edges; x++) {
            w->rows[x] = NONE;
            w->row_sums[x] = c->folding.limit;
        }
    }
}

// Merges the candidates of the workers, for x_begin..x_end - 1, into those of the scan.
static void collect(vrp_cpu *c, vrp_candidate *rows)
{
    vrp_scan *scan = c->scan;
    for (int k = 0; k < c->threads; k++) {
        const vrp_worker *w = &c->workers[k];
        if (is_better(w->best, scan->best))
            scan->best = w->best;
        for (int32_t x = c->x_begin; w->rows != NULL && x < c->x_end; x++) {
            if (is_better(w->rows[x], scan->best))
                scan->best = w->rows[x];
            if (is_better(w->rows[x], rows[x]))
                rows[x] = w->rows[x];
        }
    }
}

static void run_folded(vrp_cpu *c, vrp_candidate *rows, int64_t middle)
{
    fill_lanes(c, middle);
    clear_candidates(c);
    if (c->scan->is_three_opt)
        vrp_three_opt_run(c);
    else
        vrp_two_opt_run(c);
    collect(c, rows);
}

static bool lacks_one(const vrp_cpu *c, const vrp_candidate *rows)
{
    if (rows == NULL)
        return c->scan->best.move.x < 0;
    for (int32_t x = c->x_begin; x < c->x_end; x++)
        if (rows[x].move.x < 0)
            return true;
    return false;
}

// Decides all moves of the first edges x_begin..x_end - 1. False if they cannot be folded.
static bool scan_folded(vrp_cpu *c, vrp_candidate *rows)
{
    const vrp_sums *t = &c->sums;
    const int32_t all_routes = c->all_routes;
    const bool is_free = t->vehicles == 0 || all_routes <= t->vehicles || t->routes < t->vehicles;
    const bool is_full = !is_free && t->routes == t->vehicles;
    int64_t range;
    const int64_t middle = turn_middle(t, &range);
    if (!choose_folding(c, !is_free && !is_full, is_full, range))
        return false;
    run_folded(c, rows, middle);
    if (!is_full || !lacks_one(c, rows) || vrp_cpu_ends(c))
        return true;
    if (!choose_folding(c, true, false, range))
        return false;
    run_folded(c, rows, middle);
    return true;
}

// The index of a move among all, from 0.
static int64_t move_index(int64_t edges, bool is_three_opt, vrp_move m)
{
    const int64_t behind_x = edges - m.x - 1, behind_y = edges - m.y;
    const int64_t before = vrp_move_count(edges, is_three_opt) - vrp_move_count(edges - m.x, is_three_opt);
    if (!is_three_opt)
        return before + m.y - m.x - 1;
    return before + 2 * (behind_x * (behind_x - 1) - behind_y * (behind_y - 1)) + 4 * (int64_t)(m.z - m.y - 1) + m.p;
}

static void take_first(vrp_cpu *c, vrp_candidate best)
{
    vrp_scan *scan = c->scan;
    scan->best = best;
    scan->moves = move_index(c->edges, scan->is_three_opt, best.move) + 1;
    if (scan->rows != NULL)
        scan->rows[best.move.x] = best;
}

// Decides the first moves one by one, then the first edges a range at a time, until one has an improving move. False if
// moves cannot be folded.
static bool scan_for_first(vrp_cpu *c)
{
    enum { SINGLE_MOVES = 1 << 18, FIRST_RANGE = 64, GROWTH = 4 };
    vrp_scan *scan = c->scan;
    const vrp_candidate soon = c->edges > 1 ? vrp_each_first(c, 0, SINGLE_MOVES) : NONE;
    if (soon.move.x >= 0) {
        take_first(c, soon);
        return true;
    }
    c->x_begin = 0;
    for (int32_t range = FIRST_RANGE; c->x_begin < c->edges; range = range > c->edges ? range : range * GROWTH) {
        c->x_end = c->edges - c->x_begin < range ? c->edges : c->x_begin + range;
        for (int32_t x = c->x_begin; x < c->x_end; x++)
            c->each[x] = NONE;
        if (!scan_folded(c, c->each))
            return false;
        scan->best = NONE;
        for (int32_t x = c->x_begin; x < c->x_end && !vrp_cpu_ends(c); x++)
            if (c->each[x].move.x >= 0 && vrp_is_less(c->each[x].value, c->to_beat)) {
                take_first(c, vrp_each_first(c, x, INT64_MAX));
                return true;
            }
        c->x_begin = c->x_end;
    }
    scan->moves = vrp_move_count(c->edges, scan->is_three_opt);
    return true;
}

static void clear_scan(vrp_cpu *c)
{
    vrp_scan *scan = c->scan;
    scan->best = NONE;
    scan->moves = scan->moves_skipped = 0;
    for (int32_t x = 0; scan->rows != NULL && x < c->edges; x++)
        scan->rows[x] = NONE;
}

static mco_status scan_all(vrp_cpu *c)
{
    vrp_scan *scan = c->scan;
    const bool is_each = scan->keep != UINT64_MAX || scan->hierarchy >= 0;
    const int64_t moves = vrp_move_count(c->edges, scan->is_three_opt);
    if (c->sums.bad > (scan->is_three_opt ? MOST_BAD_THREE_OPT : MOST_BAD_TWO_OPT) && !is_each) {
        scan->moves_skipped = moves;  // every move leaves a route that breaks a limit
        return MCO_OK;
    }
    c->x_begin = 0;
    c->x_end = c->edges;
    for (int k = 0; k < c->threads; k++)
        c->workers[k].rows = scan->rows != NULL || scan->wants_first ? c->workers[k].row_room : NULL;
    if (!is_each && (scan->wants_first ? scan_for_first(c) : scan_folded(c, scan->rows))) {
        scan->moves = scan->wants_first ? scan->moves : moves;
        return MCO_OK;
    }
    clear_scan(c);
    return vrp_each_scan(c, scan->hierarchy);
}

static mco_status open_rows(vrp_cpu *c)
{
    mco_status st = MCO_OK;
    if (c->each == NULL)
        MCO_TRY(mco_alloc(c->ctx, &c->each, c->room));
    for (int k = 0; k < c->threads; k++) {
        if (c->workers[k].row_room == NULL)
            MCO_TRY(mco_alloc(c->ctx, &c->workers[k].row_room, c->room));
        if (c->workers[k].row_sums == NULL)
            MCO_TRY(mco_alloc(c->ctx, &c->workers[k].row_sums, c->room));
    }
done:
    return st;
}

// Scans a tour that has no sums.
static mco_status scan_by_segments(vrp_cpu *c)
{
    enum { HIERARCHY = 1 };
    const mco_status st = vrp_each_scan(c, c->scan->hierarchy >= 0 ? c->scan->hierarchy : HIERARCHY);
    if (atomic_load(&c->is_stopped))
        c->scan->best = NONE;
    return st;
}

static mco_status scan(vrp_engine *engine, vrp_scan *scan, double stop_s)
{
    mco_status st = MCO_OK;
    vrp_cpu *c = engine->state;
    c->scan = scan;
    c->edges = scan->tour->count - 1;
    c->stop_s = stop_s;
    atomic_store(&c->is_stopped, false);
    clear_scan(c);
    st = vrp_sums_fill(c->ctx, c->problem, scan->tour, &c->sums_memory, &c->sums);
    c->to_beat = vrp_to_beat(c->problem, scan->tour);
    if (st == MCO_ERR_LIMIT)  // loads or lengths beyond 32 bits
        return scan_by_segments(c);
    MCO_TRY(st);
    c->all_routes = 0;
    for (int32_t i = 1; i < c->sums.count; i++)
        c->all_routes += c->sums.node[i] == 0;
    fill_places(c);
    if (scan->rows != NULL || scan->wants_first)
        MCO_TRY(open_rows(c));
    if (scan->is_three_opt)
        MCO_TRY(vrp_three_opt_open(c));
    MCO_TRY(scan_all(c));
    if (atomic_load(&c->is_stopped))
        scan->best = NONE;
done:
    return st;
}

// ---- Opening and closing

#define DECLARE(set, simd) extern const vrp_lanes_variant vrp_lanes_##set;
#define LIST(set, simd) &vrp_lanes_##set,

MCO_EACH_SIMD(DECLARE)
static const vrp_lanes_variant *const variants[] = {MCO_EACH_SIMD(LIST)};

// Whether all coordinates are integers in a range that VRP_SOURCE_GRID allows.
static bool is_grid(const mco_vrp *p, double *least_x, double *least_y)
{
    double most_x = p->x[0], most_y = p->y[0];
    *least_x = most_x;
    *least_y = most_y;
    for (int32_t i = 0; i < p->nodes; i++) {
        if (p->x[i] != floor(p->x[i]) || p->y[i] != floor(p->y[i]))
            return false;
        *least_x = fmin(*least_x, p->x[i]);
        *least_y = fmin(*least_y, p->y[i]);
        most_x = fmax(most_x, p->x[i]);
        most_y = fmax(most_y, p->y[i]);
    }
    return most_x - *least_x <= VRP_GRID_LIMIT && most_y - *least_y <= VRP_GRID_LIMIT;
}

// Makes the transposed matrix, or for GEO a matrix of distances: they take 30 times as long to compute as to read.
static mco_status make_matrix(vrp_cpu *c, int32_t **out)
{
    mco_status st = MCO_OK;
    const int64_t n = c->problem->nodes;
    const bool is_transposed = c->problem->rule == VRP_MATRIX;
    MCO_TRY(mco_alloc(c->ctx, out, n * n));
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n; j++)
            (*out)[i * n + j] = is_transposed ? c->problem->matrix[j * n + i] : vrp_distance(c->problem, i, j);
done:
    return st;
}

static mco_status open_places(vrp_cpu *c)
{
    enum { GEO_NODES = 5000 };
    mco_status st = MCO_OK;
    const mco_vrp *p = c->problem;
    c->places.problem = p;
    if (p->rule == VRP_MATRIX) {
        if (!p->is_symmetric)
            MCO_TRY(make_matrix(c, &c->transposed));
        c->places.source = VRP_SOURCE_MATRIX;
        c->places.matrix = p->matrix;
        c->places.transposed = p->is_symmetric ? p->matrix : c->transposed;
    } else if (p->rule == VRP_GEO) {
        c->places.source = p->nodes <= GEO_NODES ? VRP_SOURCE_MATRIX : VRP_SOURCE_PLAIN;
        if (p->nodes <= GEO_NODES)
            MCO_TRY(make_matrix(c, &c->matrix));
        c->places.matrix = c->places.transposed = c->matrix;
    } else if (p->rule == VRP_EUC_2D && p->distances == MCO_VRP_DISTANCES_ROUNDED && is_grid(p, &c->grid_x0, &c->grid_y0)) {
        c->places.source = VRP_SOURCE_GRID;
        MCO_TRY(mco_alloc(c->ctx, &c->grid_x, c->stride));
        MCO_TRY(mco_alloc(c->ctx, &c->grid_y, c->stride));
        c->places.grid_x = c->grid_x;
        c->places.grid_y = c->grid_y;
    } else {
        c->places.source = VRP_SOURCE_PLANE;
        MCO_TRY(mco_alloc(c->ctx, &c->x, c->stride));
        MCO_TRY(mco_alloc(c->ctx, &c->y, c->stride));
        c->places.x = c->x;
        c->places.y = c->y;
    }
done:
    return st;
}

static mco_status open_workers(vrp_cpu *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(c->ctx, &c->workers, c->threads));
    for (int k = 0; k < c->threads; k++) {
        c->workers[k].cpu = c;
        MCO_TRY(mco_alloc(c->ctx, &c->workers[k].limits, c->stride));
        MCO_TRY(mco_alloc(c->ctx, &c->workers[k].lanes, c->stride));
        MCO_TRY(mco_alloc(c->ctx, &c->workers[k].distances, 2 * c->stride));
    }
    MCO_TRY(mco_team_open(c->ctx, c->threads, false, &c->team));
done:
    return st;
}

static void free_state(mco_context *ctx, vrp_cpu **state)
{
    vrp_cpu *c = *state;
    if (c == NULL)
        return;
    mco_team_close(&c->team);
    for (int k = 0; c->workers != NULL && k < c->threads; k++) {
        vrp_worker *w = &c->workers[k];
        int32_t **const arrays[] = {&w->kept, &w->constants, &w->row_sums, &w->distances, &w->lanes, &w->limits};
        for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
            mco_free(ctx, arrays[a]);
        mco_free(ctx, &w->row_room);
    }
    mco_free(ctx, &c->workers);
    mco_free(ctx, &c->stored);
    mco_free(ctx, &c->each_moves);
    mco_free(ctx, &c->each);
    mco_free(ctx, &c->parts);
    mco_free(ctx, &c->tables);
    mco_free(ctx, &c->by_lane);
    mco_free(ctx, &c->transposed);
    mco_free(ctx, &c->matrix);
    mco_free(ctx, &c->y);
    mco_free(ctx, &c->x);
    mco_free(ctx, &c->grid_y);
    mco_free(ctx, &c->grid_x);
    vrp_sums_close(ctx, &c->sums_memory);
    mco_free(ctx, state);
}

static void close_engine(vrp_engine *engine)
{
    vrp_cpu *c = engine->state;
    free_state(engine->ctx, &c);
    engine->state = NULL;
}

mco_status vrp_cpu_open(mco_context *ctx, const mco_vrp *problem, int32_t tour_nodes, const mco_vrp_params *params,
                        vrp_engine *out)
{
    mco_status st = MCO_OK;
    vrp_cpu *c = NULL;
    MCO_TRY(mco_alloc(ctx, &c, 1));
    c->ctx = ctx;
    c->problem = problem;
    c->room = tour_nodes;
    c->stride = ((int64_t)tour_nodes + 15) / 16 * 16 + VRP_PAD;
    c->slab_bytes = params->memory > 0 ? (double)params->memory * (1 << 20) : SLAB_BYTES;
    c->segment_bytes = mco_settle_memory(params->memory);
    c->threads = mco_settle_threads(params->threads);
    MCO_TRY(mco_pick(ctx, variants, params->simd, 0, &c->lanes));
    MCO_TRY(vrp_sums_open(ctx, problem, tour_nodes, &c->sums_memory));
    MCO_TRY(mco_alloc(ctx, &c->by_lane, c->stride * LANE_ARRAYS));
    lay_out(c);
    MCO_TRY(open_places(c));
    MCO_TRY(open_workers(c));
    *out = (vrp_engine){.ctx = ctx, .problem = problem, .state = c,
                        .work = {.simd = c->lanes->build.simd, .threads = c->threads}, .scan = scan, .close = close_engine};
    c = NULL;
done:
    free_state(ctx, &c);
    return st;
}
