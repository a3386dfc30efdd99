// SPDX-License-Identifier: MIT
// q-paths without loops i-j-i on cores (the reference is q_ref.c).
//
// Targets are ordered by demand and cut into groups of 16 (q_lanes.h). A group of least demand d does not need the paths that it
// makes from loads l..l+d-1 before any of these loads is complete, so it takes up to d of them at once: each row of arcs serves
// all of them from registers or from the first cache. Time runs over loads; a group works when its next d loads are complete.
//
// Keys pack values and nodes into 32 bits. Each value is compared with the range that its bits allow. If one leaves it, the run
// begins again with fewer bits for nodes; without any, values have all the range that passes support. So a key never overflows.
// With several threads, groups of one time are shared; every cell is the same.
#include <stdatomic.h>
#include <stdlib.h>

#include "base/team.h"
#include "vrp/bound/relax/q_inside.h"
#include "vrp/bound/relax/q_lanes.h"

static const int64_t TEAM_PAYS = 1 << 22;  // transitions of one time; a core does them in 0.2 ms, a team starts in some 0.02 ms

enum { ROWS_IN_TIME = 256 };  // of arcs between looks at the clock
static const int64_t LOOK_PAYS = 1 << 16;  // rows and loads of a task, some 0.05 ms: a task of more looks at the clock first

typedef struct cores {
    const vrp_q_lanes_variant *lanes;
    int32_t nodes, groups, capacity;
    int32_t *node_of;              // [groups * VRP_Q_GROUP] targets by demand, then index; 0: none
    int32_t *group_of, *lane_of;   // [nodes]
    int32_t *last;                 // [groups * VRP_Q_GROUP] greatest load before of each target; -1: no target
    int32_t *least_demand;         // [groups]
    int64_t *cells_of;             // [groups + 1]
    int64_t *where;                // [nodes] of cells; see vrp_q_paths
    vrp_q_paths direction[2];      // [1] without tables if the problem is symmetric
    int32_t *done;                 // [groups] loads before that are used
    vrp_q_task *due;               // [groups] tasks of the time at hand
    bool *is_right;                // [groups] of each task
    int32_t *row;                  // [nodes] a row of the transposed arcs
    mco_team team;
    int32_t team_size;   // 0: there is none
    mco_context *ctx;              // of the run, for tasks
    double stop_s;
    atomic_bool is_stopped;        // a task found the time over
    int bits;                      // that the last run needed
} cores;

// ---- Memory

static int32_t group_count(const vrp_bound_problem *problem)
{
    return (problem->customers + VRP_Q_GROUP - 1) / VRP_Q_GROUP;
}

// An upper bound: all groups with cells for all loads.
static double cpu_bytes(const vrp_bound_problem *problem, const vrp_relax_settings *settings)
{
    (void)settings;
    const double groups = group_count(problem), loads = (double)problem->capacity + 1, lanes = VRP_Q_GROUP;
    const double panels = groups * problem->nodes * lanes * sizeof(int32_t), cells = 4 * groups * lanes * loads * sizeof(int32_t);
    const double sources = (2 * (groups + 1) * lanes + groups) * loads * sizeof(int32_t);
    return (panels + cells + sources) * (problem->is_symmetric ? 1 : 2);
}

static void close_paths(mco_context *ctx, vrp_q_paths *paths)
{
    mco_free(ctx, &paths->panels);
    mco_free(ctx, &paths->value);
    mco_free(ctx, &paths->before);
    mco_free(ctx, &paths->second);
    mco_free(ctx, &paths->second_before);
    mco_free(ctx, &paths->key);
    mco_free(ctx, &paths->head);
    mco_free(ctx, &paths->next);
}

static mco_status open_paths(mco_context *ctx, const cores *c, vrp_q_paths *paths)
{
    mco_status st = MCO_OK;
    const size_t cells = (size_t)c->cells_of[c->groups], loads = (size_t)c->capacity + 1;
    paths->nodes = c->nodes;
    paths->groups = c->groups;
    paths->key_stride = (c->nodes + VRP_Q_GROUP - 1) / VRP_Q_GROUP * VRP_Q_GROUP;
    paths->group_of = c->group_of;
    paths->lane_of = c->lane_of;
    paths->where = c->where;
    MCO_TRY(mco_alloc(ctx, &paths->panels, (size_t)c->groups * (size_t)c->nodes * VRP_Q_GROUP));
    MCO_TRY(mco_alloc(ctx, &paths->value, cells));
    MCO_TRY(mco_alloc(ctx, &paths->before, cells));
    MCO_TRY(mco_alloc(ctx, &paths->second, cells));
    MCO_TRY(mco_alloc(ctx, &paths->second_before, cells));
    MCO_TRY(mco_alloc(ctx, &paths->key, loads * (size_t)paths->key_stride));
    MCO_TRY(mco_alloc(ctx, &paths->head, loads * (size_t)c->groups));
    MCO_TRY(mco_alloc(ctx, &paths->next, loads * (size_t)paths->key_stride));
done:
    return st;
}

static void cpu_close(mco_context *ctx, vrp_q_pass *pass)
{
    cores *c = pass->own;
    if (c == NULL)
        return;
    if (c->team_size > 0)
        mco_team_close(&c->team);
    for (int d = 0; d < 2; d++)
        close_paths(ctx, &c->direction[d]);
    mco_free(ctx, &c->node_of);
    mco_free(ctx, &c->group_of);
    mco_free(ctx, &c->lane_of);
    mco_free(ctx, &c->last);
    mco_free(ctx, &c->least_demand);
    mco_free(ctx, &c->cells_of);
    mco_free(ctx, &c->where);
    mco_free(ctx, &c->done);
    mco_free(ctx, &c->due);
    mco_free(ctx, &c->is_right);
    mco_free(ctx, &c->row);
    mco_free(ctx, &c);
    pass->own = NULL;
}

// ---- Groups

// Stable counting would need the capacity; customers are few, so they are sorted by keys of demand and index.
static int by_key(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static mco_status order_targets(mco_context *ctx, const vrp_bound_problem *problem, cores *c)
{
    mco_status st = MCO_OK;
    int64_t *order = NULL;
    MCO_TRY(mco_alloc(ctx, &order, problem->customers));
    for (int32_t i = 1; i < problem->nodes; i++)
        order[i - 1] = (int64_t)problem->demand[i] << 32 | i;
    qsort(order, (size_t)problem->customers, sizeof *order, by_key);
    for (int32_t k = 0; k < c->groups * VRP_Q_GROUP; k++) {
        const int32_t node = k < problem->customers ? (int32_t)(order[k] & INT32_MAX) : 0, g = k / VRP_Q_GROUP;
        c->node_of[k] = node;
        c->last[k] = node > 0 ? problem->capacity - problem->demand[node] : -1;
        if (k % VRP_Q_GROUP == 0) {
            c->least_demand[g] = problem->demand[node];
            c->cells_of[g + 1] = c->cells_of[g] + ((int64_t)problem->capacity - problem->demand[node] + 1) * VRP_Q_GROUP;
        }
        if (node > 0) {
            c->group_of[node] = g;
            c->lane_of[node] = k % VRP_Q_GROUP;
            c->where[node] = c->cells_of[g] + k % VRP_Q_GROUP - (int64_t)VRP_Q_GROUP * problem->demand[node];
        }
    }
done:
    mco_free(ctx, &order);
    return st;
}

#define DECLARE(set, unit) extern const vrp_q_lanes_variant vrp_q_lanes_##set;
#define LIST(set, unit) &vrp_q_lanes_##set,
MCO_EACH_SIMD(DECLARE)
static const vrp_q_lanes_variant *const variants[] = {MCO_EACH_SIMD(LIST)};

static mco_status cpu_open(mco_context *ctx, vrp_q_pass *pass)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = pass->problem;
    cores *c = NULL;
    MCO_TRY(mco_alloc(ctx, &c, 1));
    pass->own = c;
    c->nodes = problem->nodes;
    c->groups = group_count(problem);
    c->capacity = problem->capacity;
    c->bits = VRP_Q_MOST_BITS;
    MCO_TRY(mco_pick(ctx, variants, pass->settings.simd, 0, &c->lanes));
    MCO_TRY(mco_alloc(ctx, &c->node_of, c->groups * VRP_Q_GROUP));
    MCO_TRY(mco_alloc(ctx, &c->group_of, c->nodes));
    MCO_TRY(mco_alloc(ctx, &c->lane_of, c->nodes));
    MCO_TRY(mco_alloc(ctx, &c->last, c->groups * VRP_Q_GROUP));
    MCO_TRY(mco_alloc(ctx, &c->least_demand, c->groups));
    MCO_TRY(mco_alloc(ctx, &c->cells_of, c->groups + 1));
    MCO_TRY(mco_alloc(ctx, &c->where, c->nodes));
    MCO_TRY(mco_alloc(ctx, &c->done, c->groups));
    MCO_TRY(mco_alloc(ctx, &c->due, c->groups));
    MCO_TRY(mco_alloc(ctx, &c->is_right, c->groups));
    MCO_TRY(mco_alloc(ctx, &c->row, c->nodes));
    MCO_TRY(order_targets(ctx, problem, c));
    for (int d = 0; d < (problem->is_symmetric ? 1 : 2); d++)
        MCO_TRY(open_paths(ctx, c, &c->direction[d]));
    MCO_TRY(vrp_relax_fit_team(ctx, &pass->settings, &c->team, &c->team_size));
done:
    return st;
}

// ---- Arcs

// The least and the greatest value of the arcs that are there.
static void arc_range(const vrp_bound_problem *problem, const int32_t *arcs, int32_t *least, int32_t *greatest)
{
    int32_t low = 0, high = 0;
    for (int32_t i = 0; i < problem->nodes; i++) {
        const int32_t *row = arcs + (int64_t)i * problem->stride;
        for (int32_t j = 0; j < problem->nodes; j++) {
            const int32_t arc = row[j] < VRP_NO_ARC ? row[j] : 0;
            low = arc < low ? arc : low;
            high = arc > high ? arc : high;
        }
    }
    *least = low;
    *greatest = high;
}

// Errors: STOPPED.
static mco_status fill_panels(mco_context *ctx, const cores *c, const vrp_bound_problem *problem, const int32_t *arcs, bool backward,
                              const vrp_q_paths *paths, double stop_s)
{
    int32_t *row = c->row;
    for (int32_t j = 0; j < c->nodes; j++) {
        if (j % ROWS_IN_TIME == 0 && vrp_q_is_over(ctx, stop_s))
            return MCO_ERR_STOPPED;
        for (int32_t i = 0; backward && i < c->nodes; i++)
            row[i] = arcs[(int64_t)i * problem->stride + j];
        c->lanes->panel_row(paths, c->node_of, j, backward ? row : arcs + (int64_t)j * problem->stride);
    }
    return MCO_OK;
}

// ---- Time

// The keys of all paths of the load `load`, and for each group the list of those whose node before is one of its targets.
static void complete_load(const cores *c, const vrp_bound_problem *problem, vrp_q_paths *paths, int32_t load)
{
    const int bits = paths->bits;
    const int32_t mask = (1 << bits) - 1, none = vrp_q_no_source(bits);
    int32_t *key = paths->key + (int64_t)load * paths->key_stride, *next = paths->next + (int64_t)load * paths->key_stride;
    int32_t *head = paths->head + (int64_t)load * c->groups;
    for (int32_t g = 0; g < c->groups; g++)
        head[g] = -1;
    for (int32_t j = c->nodes - 1; j > 0; j--) {
        int32_t value = VRP_NO_PATH, before = 0;
        if (load >= problem->demand[j]) {
            const int64_t cell = c->where[j] + (int64_t)VRP_Q_GROUP * load;
            value = paths->value[cell];
            before = paths->before[cell];
        }
        key[j] = value < VRP_NO_PATH ? value * (1 << bits) + (j & mask) : none;
        if (before > 0) {
            next[j] = head[c->group_of[before]];
            head[c->group_of[before]] = j;
        }
    }
    key[0] = load == 0 ? 0 : none;
}

static void reach_due(void *shared, int worker, int64_t item)
{
    cores *c = shared;
    const vrp_q_task *task = &c->due[item];
    (void)worker;
    if ((int64_t)(task->end - task->begin) * c->nodes >= LOOK_PAYS && vrp_q_is_over(c->ctx, c->stop_s))
        atomic_store_explicit(&c->is_stopped, true, memory_order_relaxed);
    c->is_right[item] = atomic_load_explicit(&c->is_stopped, memory_order_relaxed) || c->lanes->reach(task);
}

// Lets all groups work whose next loads are complete. Returns false if a value left the range.
static bool reach_at(cores *c, const vrp_q_paths *paths, int32_t time)
{
    int64_t count = 0, transitions = 0;
    for (int32_t g = 0; g < c->groups; g++) {
        const int32_t end = c->capacity - c->least_demand[g] + 1;
        if (c->done[g] >= end || (time < end && time - c->done[g] < c->least_demand[g]))
            continue;
        c->due[count++] = (vrp_q_task){paths, g, c->done[g], time, c->cells_of[g], c->last + g * VRP_Q_GROUP};
        transitions += (int64_t)(time - c->done[g]) * c->nodes * VRP_Q_GROUP;
        c->done[g] = time;
    }
    if (c->team_size > 0 && transitions >= TEAM_PAYS)
        mco_team_run(&c->team, count, reach_due, NULL, c);
    else
        for (int64_t k = 0; k < count; k++)
            reach_due(c, 0, k);
    for (int64_t k = 0; k < count; k++)
        if (!c->is_right[k])
            return false;
    return true;
}

// Fills the tables of one direction. *fits false: a value left the range that `bits` allow.
static mco_status run_paths(mco_context *ctx, const vrp_q_pass *pass, cores *c, vrp_q_paths *paths, double stop_s, bool *fits)
{
    *fits = true;
    c->ctx = ctx;
    c->stop_s = stop_s;
    atomic_store(&c->is_stopped, false);
    for (int32_t g = 0; g < c->groups; g++)
        c->done[g] = 0;
    for (int32_t time = 0; time <= c->capacity && *fits; time++) {
        if (vrp_q_is_over(ctx, stop_s))
            return MCO_ERR_STOPPED;
        if (time > 0)
            *fits = reach_at(c, paths, time);
        if (atomic_load(&c->is_stopped))
            return MCO_ERR_STOPPED;
        if (*fits)
            complete_load(c, pass->problem, paths, time);
    }
    return MCO_OK;
}

// Sets the values that keys of `bits` can hold. Returns false if they do not hold the arcs.
static bool set_range(vrp_q_paths *paths, int bits, int32_t least_arc, int32_t greatest_arc)
{
    const int32_t limit = VRP_Q_NO_KEY >> bits;
    paths->bits = bits;
    paths->least = bits > 0 ? -limit : -VRP_NO_PATH / 2 + 1;
    paths->most = bits > 0 ? limit - 1 - greatest_arc : VRP_NO_PATH / 2 - 1;
    return bits == 0 || (least_arc > -limit && greatest_arc < limit / 2);
}

static mco_status run_direction(mco_context *ctx, vrp_q_pass *pass, const int32_t *arcs, bool backward, double stop_s)
{
    mco_status st = MCO_OK;
    cores *c = pass->own;
    vrp_q_paths *paths = &c->direction[backward];
    int32_t least, greatest;
    bool fits = false;
    arc_range(pass->problem, arcs, &least, &greatest);
    if (least <= -VRP_NO_PATH / 2)
        return vrp_q_refuse_value(ctx, "an arc", least);
    while (!fits) {
        if (set_range(paths, c->bits, least, greatest)) {
            MCO_TRY(fill_panels(ctx, c, pass->problem, arcs, backward, paths, stop_s));
            MCO_TRY(run_paths(ctx, pass, c, paths, stop_s, &fits));
        }
        if (!fits && c->bits == 0)
            return vrp_q_refuse_value(ctx, "a path", VRP_NO_PATH / 2);
        c->bits -= fits ? 0 : 2;
    }
done:
    return st;
}

static mco_status cpu_run(mco_context *ctx, vrp_q_pass *pass, const int32_t *arcs, double stop_s)
{
    cores *c = pass->own;
    mco_status st = vrp_relax_fit_team(ctx, &pass->settings, &c->team, &c->team_size);
    if (st == MCO_OK)
        st = run_direction(ctx, pass, arcs, false, stop_s);
    if (st == MCO_OK && !pass->problem->is_symmetric)
        st = run_direction(ctx, pass, arcs, true, stop_s);
    return st;
}

// ---- Cells

static vrp_q_cell cpu_cell(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node)
{
    const cores *c = pass->own;
    const vrp_q_paths *paths = &c->direction[backward];
    if (load < pass->problem->demand[node])
        return (vrp_q_cell){VRP_NO_PATH, -1, VRP_NO_PATH, -1};
    const int64_t cell = c->where[node] + (int64_t)VRP_Q_GROUP * load;
    return (vrp_q_cell){paths->value[cell], paths->before[cell], paths->second[cell], paths->second_before[cell]};
}

static void cpu_column(const vrp_q_pass *pass, bool backward, int32_t node, const vrp_q_column *out)
{
    const cores *c = pass->own;
    const vrp_q_paths *paths = &c->direction[backward];
    const int32_t demand = pass->problem->demand[node];
    const int64_t first = c->where[node] + (int64_t)VRP_Q_GROUP * demand;
    for (int64_t k = 0; k <= c->capacity - demand; k++) {
        out->value[k] = paths->value[first + VRP_Q_GROUP * k];
        out->before[k] = paths->before[first + VRP_Q_GROUP * k];
        out->second[k] = paths->second[first + VRP_Q_GROUP * k];
    }
}

const vrp_q_engine VRP_Q_CPU = {cpu_bytes, cpu_open, cpu_close, cpu_run, cpu_cell, cpu_column, NULL};
