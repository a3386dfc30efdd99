// SPDX-License-Identifier: MIT
// What the stages of the search share (vrp/search/stages.c, vrp/genetic/population.c, vrp/genetic/genetic.c): how many
// steps or how much time is left; tasks that are cut out of the present solution and put back.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/search/cores.h"
#include "vrp/search/neighbours.h"
#include "vrp/search/rounds.h"

enum {
    NEIGHBOURS = 40, FEW_NEIGHBOURS = 16, MANY_CUSTOMERS = 200000,  // long lists of a million customers take much time
    EXCHANGES = 10,   // neighbours tried by the improvement of a step
    TAILS = 10, MIDDLES = 5,  // exchanges of ends and of middles of routes proposed by a step, in parts of long routes
    SPARE_ROUTES = 2  // of a part, besides those it has
};
static const double REMOVED = 10;      // customers that a step takes out, on average
static const double FIRST_RATE = 1e5;  // steps a second and core, until a run has measured them
static const double ENDLESS_S = 60;    // a search without an end is planned as one of this length
static const double LOOK_S = 0.1;      // between two solutions of walks under way, at least
static const double LOOK_SHARE = 20;   // the same, relative to the time that such a solution takes

// ---- How much is left

bool vrp_rounds_counts_steps(const vrp_rounds *s)
{
    return s->search->params->iterations >= 0;
}

double vrp_rounds_planned_s(const vrp_rounds *s)
{
    const double seconds = s->search->run.stop_s - s->search->run.begin_s;
    return isfinite(seconds) ? seconds : ENDLESS_S;
}

double vrp_rounds_steps(const vrp_rounds *s)
{
    return vrp_rounds_counts_steps(s) ? (double)s->search->params->iterations / s->processor->threads : s->rate * vrp_rounds_planned_s(s);
}

double vrp_rounds_share(const vrp_rounds *s)
{
    const double n = (double)s->search->params->iterations;
    if (vrp_rounds_counts_steps(s))
        return n > 0 ? (double)s->search->iterations / n : 1;
    return (mco_clock_s() - s->search->run.begin_s) / vrp_rounds_planned_s(s);
}

bool vrp_rounds_is_at(const vrp_rounds *s, double share)
{
    return share < 1 && vrp_rounds_share(s) >= share;
}

int64_t vrp_rounds_steps_left(const vrp_rounds *s, double share)
{
    if (!vrp_rounds_counts_steps(s))
        return INT64_MAX;
    return (int64_t)ceil(share * (double)s->search->params->iterations) - s->search->iterations;
}

bool vrp_rounds_is_over(vrp_rounds *s)
{
    if (vrp_search_ends(s->search))
        return true;
    if (!vrp_rounds_counts_steps(s) || s->search->iterations < s->search->params->iterations)
        return false;
    s->search->run.stop = MCO_STOP_ITERATIONS;
    return true;
}

void vrp_rounds_plan_steps(vrp_rounds *s, int32_t count, double share, int64_t most)
{
    const double at_once = count < s->processor->threads ? count : s->processor->threads;
    double steps = vrp_rounds_steps(s) * share * at_once / count;
    if (!vrp_rounds_counts_steps(s)) {
        const double left = (s->search->run.stop_s - mco_clock_s()) * s->rate * at_once / count;
        steps = steps > left && left > 0 ? left : steps;
    }
    const int64_t each = !(steps > 1) ? 1 : steps > (double)most ? most : (int64_t)steps;
    int64_t left = vrp_rounds_steps_left(s, 1);
    for (int32_t k = 0; k < count; k++) {
        // When few steps are left, the remaining tasks share them evenly.
        const int64_t mine = left < each * (count - k) + count ? left / (count - k) : each;
        s->tasks[k].plan.steps = mine;
        left -= mine;
    }
}

// ---- Solutions of walks under way

// Returns the cost of the present solution with the best cost of each group, as the walks have told or shown it.
static int64_t best_cost(const vrp_rounds *s)
{
    int64_t cost = s->now_cost;
    for (int32_t g = 0; g < s->groups; g++) {
        int64_t least = s->before[g];
        for (int32_t k = g; k < s->running; k += s->groups) {
            const int64_t best = atomic_load_explicit(&s->tasks[k].view->best, memory_order_relaxed);
            least = best < least ? best : least;
        }
        cost += least - s->before[g];
    }
    return cost;
}

static int64_t shown_cost(const vrp_rounds *s, int32_t k)
{
    vrp_view *v = s->tasks[k].view;
    pthread_mutex_lock(&v->lock);
    const int64_t cost = v->cost;
    pthread_mutex_unlock(&v->lock);
    return cost;
}

static void ask(vrp_rounds *s)
{
    for (int32_t k = 0; k < s->running; k++)
        if (atomic_load_explicit(&s->tasks[k].view->best, memory_order_relaxed) < shown_cost(s, k))
            atomic_store(&s->tasks[k].view->is_wanted, true);
}

// Adds the routes that a task shows; returns their cost.
static int64_t add_shown(const vrp_task *task, mco_vrp_solution *out)
{
    vrp_view *v = task->view;
    pthread_mutex_lock(&v->lock);
    for (int32_t r = 0; r < v->routes; r++) {
        const int32_t at = out->first[out->routes], count = v->first[r + 1] - v->first[r];
        vrp_add_route(out, v->order + v->first[r], count);
        for (int32_t k = at; k < at + count; k++)
            out->order[k] = task->customer[out->order[k] - 1];
    }
    const int64_t cost = v->cost;
    pthread_mutex_unlock(&v->lock);
    return cost;
}

// Makes `next` the present solution with the best routes that each group shows. Returns its cost.
static int64_t gather_shown(vrp_rounds *s)
{
    mco_vrp_solution *out = &s->next;
    int64_t cost = s->now_cost;
    for (int32_t g = 0; g < s->groups; g++) {
        int64_t least = s->before[g];
        s->shown[g] = -1;
        for (int32_t k = g; k < s->running; k += s->groups)
            if (shown_cost(s, k) < least) {
                least = shown_cost(s, k);
                s->shown[g] = k;
            }
    }
    out->customers = s->now.customers;
    out->routes = out->first[0] = 0;
    for (int32_t r = 0; r < s->now.routes; r++)
        if (s->task_of[r] < 0 || s->task_of[r] >= s->groups || s->shown[s->task_of[r]] < 0)
            vrp_add_route(out, s->now.order + s->now.first[r], vrp_route_size(&s->now, r));
    for (int32_t g = 0; g < s->groups; g++)
        if (s->shown[g] >= 0)
            cost += add_shown(&s->tasks[s->shown[g]], out) - s->before[g];
    return cost;
}

// Asks the walks for their solutions when these are together better than the best; notes them at the next call.
static mco_status look(vrp_rounds *s)
{
    const double begin_s = mco_clock_s();
    if (begin_s < s->next_look_s || best_cost(s) >= s->search->best_cost)
        return MCO_OK;
    s->is_asked = !s->is_asked;
    if (s->is_asked) {
        ask(s);
        return MCO_OK;
    }
    const int64_t cost = gather_shown(s);
    const mco_status st = vrp_search_note_early(s->search, &s->next, cost, s->source);
    const double end_s = mco_clock_s();
    s->next_look_s = end_s + fmax(LOOK_S, LOOK_SHARE * (end_s - begin_s));
    return st;
}

bool vrp_rounds_watch(void *rounds)
{
    vrp_rounds *s = rounds;
    if (s->groups > 0 && s->look_status == MCO_OK)
        s->look_status = look(s);
    return s->look_status != MCO_OK || vrp_search_ends(s->search);
}

// ---- Runs

// A step takes longer in some parts than in others, by up to a half where routes are long. So walks that all run at once may end at the
// same moment, and no core waits for another.
static void time_walks(vrp_rounds *s, int32_t count)
{
    const bool run_at_once = count > 1 && count <= s->processor->threads && s->processor->gpus == 0;
    const bool is_timed = s->ends_together && run_at_once && !vrp_rounds_counts_steps(s);
    for (int32_t k = 0; k < count; k++)
        s->tasks[k].plan.seconds = is_timed ? (double)s->tasks[k].plan.steps / s->rate : 0;
}

static void begin_run(vrp_rounds *s, int32_t count, int32_t groups, const char *source)
{
    for (int32_t k = 0; k < count; k++) {
        s->tasks[k].seed = mco_rng_next(&s->rng);
        s->before[k] = s->tasks[k].cost;
        vrp_view_clear(s->tasks[k].view);
    }
    time_walks(s, count);
    s->running = count;
    s->groups = groups;
    s->source = source;
    s->is_asked = false;
    s->look_status = MCO_OK;
}

// The walks have shown their best solutions at their ends. Those of a walk that returns its last one are lost otherwise.
static mco_status end_run(vrp_rounds *s)
{
    mco_status st = s->look_status;
    const int64_t best = best_cost(s), known = s->search->best_cost;
    if (st == MCO_OK && (best < known || (best == known && s->search->is_early))) {
        const int64_t cost = gather_shown(s);
        st = vrp_search_note(s->search, &s->next, cost, s->source);
    }
    return st;
}

mco_status vrp_rounds_run(vrp_rounds *s, int32_t count, int32_t groups, const char *source)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_clock_s();
    const int64_t before = s->processor->steps;
    begin_run(s, count, groups, source);
    MCO_TRY(s->processor->run(s->processor, s->tasks, count, s->search->run.stop_s));
    const double seconds = mco_clock_s() - begin_s;
    const int32_t at_once = count < s->processor->threads ? count : s->processor->threads;
    s->search->iterations += s->processor->steps - before;
    if (seconds > 1e-3 && s->processor->steps > before)
        s->rate = (double)(s->processor->steps - before) / seconds / at_once;
    MCO_TRY(end_run(s));
done:
    s->groups = 0;
    return st;
}

mco_status vrp_rounds_pack(vrp_rounds *s, vrp_task *task, bool *is_found)
{
    const int64_t before = s->processor->steps;
    task->seed = mco_rng_next(&s->rng);
    const mco_status st = vrp_cores_pack(s->processor, task, s->search->run.stop_s, is_found);
    s->search->iterations += s->processor->steps - before;
    return st;
}

// ---- Tasks

static void close_tasks(vrp_rounds *s)
{
    for (int32_t k = 0; k < s->task_count; k++)
        vrp_task_close(s->search->ctx, &s->tasks[k]);
    mco_free(s->search->ctx, &s->shown);
    mco_free(s->search->ctx, &s->before);
    mco_free(s->search->ctx, &s->tasks);
    s->task_count = 0;
}

mco_status vrp_rounds_open_tasks(vrp_rounds *s, int32_t count, int32_t customers)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->search->ctx;
    close_tasks(s);
    MCO_TRY(mco_alloc(ctx, &s->tasks, count));
    s->task_count = count;
    MCO_TRY(mco_alloc(ctx, &s->before, count));
    MCO_TRY(mco_alloc(ctx, &s->shown, count));
    for (int32_t k = 0; k < count; k++)
        MCO_TRY(vrp_task_open(ctx, s->problem, customers, customers + SPARE_ROUTES, NEIGHBOURS, &s->tasks[k]));
done:
    return st;
}

void vrp_rounds_add_route(vrp_rounds *s, int32_t k, int32_t route)
{
    vrp_task *t = &s->tasks[k];
    const int32_t count = t->first[t->routes], size = vrp_route_size(&s->now, route);
    memcpy(t->customer + count, s->now.order + s->now.first[route], (size_t)size * sizeof *t->customer);
    t->first[++t->routes] = count + size;
    s->task_of[route] = k;
}

// Lists of a part take as long as one or two steps a customer. So the tasks get theirs at the same time.
static void list_item(void *shared, int worker, int64_t item)
{
    const vrp_rounds *s = shared;
    vrp_task *t = &s->tasks[item];
    (void)worker;
    vrp_part_list(t, s->near, s->near_count, s->local);
    t->cost = 0;
    for (int32_t r = 0; r < t->routes; r++) {
        int32_t at = 0;
        for (int32_t c = t->first[r]; c < t->first[r + 1]; at = t->part.place[++c])
            t->cost += vrp_distance(s->problem, at, t->part.place[c + 1]);
        t->cost += vrp_distance(s->problem, at, 0);
    }
}

bool vrp_rounds_fill_tasks(vrp_rounds *s, int32_t count, int32_t shares)
{
    const int32_t vehicles = s->vehicles;
    const int32_t over = vehicles > 0 && vehicles > s->now.routes ? (vehicles - s->now.routes) / shares : 0;
    const int32_t free_routes = vehicles > 0 ? over : SPARE_ROUTES;
    for (int32_t k = 0; k < count; k++) {
        vrp_task *t = &s->tasks[k];
        const int32_t customers = t->first[t->routes];
        const int32_t spare = free_routes < SPARE_ROUTES ? free_routes : SPARE_ROUTES;
        for (int32_t c = 0; c < customers; c++)
            t->order[c] = c + 1;
        vrp_part_number(t, customers, t->routes + spare, s->local);
    }
    const bool has_each = s->processor->each != NULL;
    const bool is_filled = !has_each || s->processor->each(s->processor, count, list_item, s, s->search->run.stop_s);
    for (int32_t k = 0; k < count && !has_each; k++)
        list_item(s, 0, k);
    for (int32_t k = 0; k < count; k++)
        vrp_part_clear(&s->tasks[k], s->local);
    return is_filled;
}

void vrp_rounds_begin_tasks(vrp_rounds *s, int32_t count)
{
    for (int32_t r = 0; r < s->now.routes; r++)
        s->task_of[r] = -1;
    for (int32_t k = 0; k < count; k++)
        s->tasks[k].routes = s->tasks[k].first[0] = 0;
}

void vrp_add_route(mco_vrp_solution *solution, const int32_t *customers, int32_t count)
{
    const int32_t at = solution->first[solution->routes];
    memcpy(solution->order + at, customers, (size_t)count * sizeof *customers);
    solution->first[++solution->routes] = at + count;
}

void vrp_rounds_merge(vrp_rounds *s, int32_t count, int64_t change)
{
    mco_vrp_solution *next = &s->next;
    next->customers = s->now.customers;
    next->routes = next->first[0] = 0;
    for (int32_t r = 0; r < s->now.routes; r++)
        if (s->task_of[r] < 0 || s->task_of[r] >= count)
            vrp_add_route(next, s->now.order + s->now.first[r], vrp_route_size(&s->now, r));
    for (int32_t k = 0; k < count; k++) {
        vrp_task *t = &s->tasks[k];
        for (int32_t r = 0; r < t->routes; r++) {
            for (int32_t c = t->first[r]; c < t->first[r + 1]; c++)
                t->order[c] = t->customer[t->order[c] - 1];
            vrp_add_route(next, t->order + t->first[r], t->first[r + 1] - t->first[r]);
        }
    }
    const mco_vrp_solution old = s->now;
    s->now = *next;
    *next = old;
    s->now_cost += change;
}

void vrp_rounds_take_best(vrp_rounds *s)
{
    const vrp_search *search = s->search;
    if (search->best_cost < 0 || search->best_cost >= s->now_cost)
        return;
    vrp_solution_copy(&search->best, &s->now);
    s->now_cost = search->best_cost;
    if (s->vehicles > 0 && s->vehicles < s->now.routes)  // this search went on with fewer routes, another one did not
        s->vehicles = s->now.routes;
}

int32_t vrp_rounds_longest_route(const vrp_rounds *s)
{
    int32_t longest = 0;
    for (int32_t r = 0; r < s->now.routes; r++)
        longest = vrp_route_size(&s->now, r) > longest ? vrp_route_size(&s->now, r) : longest;
    return longest;
}

mco_status vrp_rounds_note(vrp_rounds *s, const char *source)
{
    return vrp_search_note(s->search, &s->now, s->now_cost, source);
}

void vrp_rounds_set_temperatures(vrp_task *task, double hot, double cold)
{
    task->plan.hot = hot;
    task->plan.cold = cold;
    task->plan.removed = REMOVED;
    task->plan.longest_string = VRP_LONGEST_STRING;
    task->plan.exchanges = EXCHANGES;
    const bool is_long = task->routes > 0 && task->part.customers / task->routes >= VRP_LONG_ROUTE;
    task->plan.tails = is_long ? TAILS : 0;
    task->plan.middles = is_long ? MIDDLES : 0;
}

// ---- Memory

mco_status vrp_rounds_open(vrp_rounds *s)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->search->ctx;
    const mco_vrp *p = s->problem;
    s->rate = FIRST_RATE;
    s->vehicles = p->vehicles;
    s->watch = (vrp_watch){.ends = vrp_rounds_watch, .user = s};
    mco_rng_seed(&s->rng, (uint64_t)s->search->params->seed, 0);
    MCO_TRY(mco_alloc(ctx, &s->local, p->nodes));
    MCO_TRY(mco_alloc(ctx, &s->route_of, p->customers));
    MCO_TRY(mco_alloc(ctx, &s->task_of, p->customers));
    MCO_TRY(mco_alloc(ctx, &s->key, 2 * (int64_t)p->customers));
    MCO_TRY(vrp_solution_new(ctx, p->customers, p->customers, &s->now));
    MCO_TRY(vrp_solution_new(ctx, p->customers, p->customers, &s->next));
done:
    return st;
}

mco_status vrp_rounds_find_neighbours(vrp_rounds *s)
{
    s->near_count = s->problem->customers > MANY_CUSTOMERS ? FEW_NEIGHBOURS : NEIGHBOURS;
    return vrp_neighbours(s->search->ctx, s->problem, &s->near_count, s->processor->threads, &s->watch, &s->near);
}

double vrp_rounds_nearest(const vrp_rounds *s)
{
    const int32_t n = s->problem->customers;
    double sum = 0;
    for (int32_t c = 0; c < n && s->near_count > 0; c++) {
        const int32_t near = s->near[(int64_t)c * s->near_count];
        const int32_t there = vrp_distance(s->problem, c + 1, near + 1), back = vrp_distance(s->problem, near + 1, c + 1);
        sum += there < back ? there : back;
    }
    return n > 0 ? sum / n : 0;
}

void vrp_rounds_close(vrp_rounds *s)
{
    mco_context *ctx = s->search->ctx;
    close_tasks(s);
    mco_vrp_solution_clear(ctx, &s->next);
    mco_vrp_solution_clear(ctx, &s->now);
    mco_free(ctx, &s->key);
    mco_free(ctx, &s->task_of);
    mco_free(ctx, &s->route_of);
    mco_free(ctx, &s->local);
    mco_free(ctx, &s->near);
}
