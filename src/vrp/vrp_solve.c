// SPDX-License-Identifier: MIT
// The search. First the whole solution is annealed: cut into as many parts as there are cores, along another line every
// round. A single trajectory ends where chance led each of its regions; so then regions of some hundred customers are annealed
// again, from a low temperature, over and over, and each keeps the best that it has had. Regions of one round share no route,
// so that cores, or the warps of a GPU, anneal them at the same time. A start that is given is not annealed as a whole,
// except where a population is (vrp_population.c), which keeps it.
//
// Lengths of all of it are shares of the time limit, or of the number of iterations; in the latter case nothing depends on
// the clock.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/vrp_solver.h"

enum {
    NEIGHBOURS = 40, FEW_NEIGHBOURS = 16, MANY_CUSTOMERS = 200000,  // the lists of a million customers take long
    EXCHANGES = 10,
    LONGEST_STRING = 10,
    ROUNDS = 24,                  // of the annealing of the whole
    SMALL_CUSTOMERS = 500,        // up to here there is a population instead (vrp_population.c)
    PART_CUSTOMERS = 200,         // of a part of the whole, at least
    MOST_PART_CUSTOMERS = 20000,  // of a part of the whole
    LONGEST_ON_GPU = 256,         // customers of a route; with longer ones the cores go on
    SPARE_ROUTES = 2,             // of a part, besides those it has
    CUSTOMERS_PER_TASK = 20000, MOST_TASKS = 32  // regions of a round, for a core: what a round does to the whole has to pay
};
static const double REMOVED = 10;
static const double HOT = 0.6, COLD = 0.02;        // of the whole, in mean edges
static const double FULL_STEPS = 15000;            // per customer: with fewer, the whole takes a larger share
static const double WARM_LEAST = 0.07, WARM_MOST = 0.25;  // of a region
static const double SHARE_LEAST = 0.3, SHARE_MOST = 0.85;  // of the whole in all the time: many steps per customer, few
static const double SHARE_BEFORE_GPU = 0.5;        // of the cores, before regions on a GPU
static const double POPULATION_BEFORE_GPU = 0.75;  // of those where they have a population
static const double STEPS_BEFORE_GPU = 15000;      // per customer: a GPU makes hundreds of times the steps of the cores
static const double FIRST_RATE = 1e5;              // steps a second and core, before any are known
static const double ENDLESS_S = 60;                // a search without an end is planned as one of this length
static const double REGIONS_LEAST = 20;            // that a core anneals one after the other, in all the time
static const double LEAST_STEPS_OF_WHOLE = 200;    // per customer: with fewer, only regions are annealed
static const int64_t LEAST_STEPS = 300;            // per customer of a region
static const int64_t MOST_STEPS = (int64_t)1 << 30;  // of one task

// ---- How much is left

static bool counts_steps(const vrp_solver *s)
{
    return s->search->params->iterations >= 0;
}

static double planned_s(const vrp_solver *s)
{
    const double seconds = s->search->stop_s - s->search->begin_s;
    return isfinite(seconds) ? seconds : ENDLESS_S;
}

// Of all steps that one core will make.
double vrp_solver_steps(const vrp_solver *s)
{
    return counts_steps(s) ? (double)s->search->params->iterations / s->crew->threads : s->rate * planned_s(s);
}

double vrp_solver_share(const vrp_solver *s)
{
    const double n = (double)s->search->params->iterations;
    return counts_steps(s) ? (n > 0 ? (double)s->search->iterations / n : 1)
                           : (mco_clock_s() - s->search->begin_s) / planned_s(s);
}

bool vrp_solver_is_at(const vrp_solver *s, double share)
{
    return share < 1 && vrp_solver_share(s) >= share;
}

int64_t vrp_solver_steps_left(const vrp_solver *s, double share)
{
    return counts_steps(s) ? (int64_t)ceil(share * (double)s->search->params->iterations) - s->search->iterations : INT64_MAX;
}

static bool ends(void *user)
{
    vrp_solver *s = user;
    return vrp_search_ends(s->search);
}

bool vrp_solver_is_over(vrp_solver *s)
{
    if (vrp_search_ends(s->search))
        return true;
    if (!counts_steps(s) || s->search->iterations < s->search->params->iterations)
        return false;
    s->search->stop = MCO_STOP_ITERATIONS;
    return true;
}

// Steps of each of `count` tasks, of which one core does `share` of all that is planned; never more than are left.
void vrp_solver_plan_steps(vrp_solver *s, int32_t count, double share, int64_t most)
{
    const double at_once = count < s->crew->threads ? count : s->crew->threads;
    double steps = vrp_solver_steps(s) * share * at_once / count;
    if (!counts_steps(s)) {
        const double left = (s->search->stop_s - mco_clock_s()) * s->rate * at_once / count;
        steps = steps > left && left > 0 ? left : steps;
    }
    const int64_t each = !(steps > 1) ? 1 : steps > (double)most ? most : (int64_t)steps;
    int64_t left = vrp_solver_steps_left(s, 1);
    for (int32_t k = 0; k < count; k++) {
        // What remains is divided among the last tasks.
        const int64_t mine = left < each * (count - k) + count ? left / (count - k) : each;
        s->tasks[k].plan.steps = mine;
        left -= mine;
    }
}

mco_status vrp_solver_run(vrp_solver *s, int32_t count)
{
    const double begin_s = mco_clock_s();
    const int64_t before = s->crew->steps;
    for (int32_t k = 0; k < count; k++)
        s->tasks[k].seed = mco_rng_next(&s->rng);
    const mco_status st = s->crew->run(s->crew, s->tasks, count, s->search->stop_s);
    const double seconds = mco_clock_s() - begin_s;
    const int32_t at_once = count < s->crew->threads ? count : s->crew->threads;
    s->search->iterations += s->crew->steps - before;
    if (seconds > 1e-3 && s->crew->steps > before)
        s->rate = (double)(s->crew->steps - before) / seconds / at_once;
    return st;
}

// ---- Tasks

static void close_tasks(vrp_solver *s)
{
    for (int32_t k = 0; k < s->task_count; k++)
        vrp_task_close(s->search->ctx, &s->tasks[k]);
    mco_free(s->search->ctx, &s->tasks);
    s->task_count = 0;
}

mco_status vrp_solver_open_tasks(vrp_solver *s, int32_t count, int32_t customers)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->search->ctx;
    close_tasks(s);
    MCO_TRY(mco_alloc(ctx, &s->tasks, count));
    s->task_count = count;
    for (int32_t k = 0; k < count; k++)
        MCO_TRY(vrp_task_open(ctx, s->problem, customers, customers + SPARE_ROUTES, NEIGHBOURS, &s->tasks[k]));
done:
    return st;
}

static int32_t size_of(const mco_vrp_solution *solution, int32_t route)
{
    return solution->first[route + 1] - solution->first[route];
}

// Adds a route to a task that is being collected.
void vrp_solver_add_route(vrp_solver *s, int32_t k, int32_t route)
{
    vrp_task *t = &s->tasks[k];
    const int32_t count = t->first[t->routes], size = size_of(&s->now, route);
    memcpy(t->customer + count, s->now.order + s->now.first[route], (size_t)size * sizeof *t->customer);
    t->first[++t->routes] = count + size;
    s->task_of[route] = k;
}

// Completes the parts of tasks [count]: nodes are numbered as they are visited.
void vrp_solver_fill_tasks(vrp_solver *s, int32_t count)
{
    const int32_t vehicles = s->problem->vehicles;
    const int32_t over = vehicles > 0 && vehicles > s->now.routes ? (vehicles - s->now.routes) / count : 0;
    const int32_t free_routes = vehicles > 0 ? over : SPARE_ROUTES;
    for (int32_t k = 0; k < count; k++) {
        vrp_task *t = &s->tasks[k];
        const int32_t customers = t->first[t->routes];
        const int32_t spare = free_routes < SPARE_ROUTES ? free_routes : SPARE_ROUTES;
        for (int32_t c = 0; c < customers; c++)
            t->order[c] = c + 1;
        vrp_part_fill(t, customers, t->routes + spare, s->near, s->near_count, s->local);
        t->cost = 0;
        for (int32_t r = 0; r < t->routes; r++) {
            int32_t at = 0;
            for (int32_t c = t->first[r]; c < t->first[r + 1]; at = t->part.place[++c])
                t->cost += vrp_distance(s->problem, at, t->part.place[c + 1]);
            t->cost += vrp_distance(s->problem, at, 0);
        }
    }
}

void vrp_solver_begin_tasks(vrp_solver *s, int32_t count)
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

// The solution with the routes of tasks [count] instead of those they began with.
static void merge(vrp_solver *s, int32_t count, int64_t change)
{
    mco_vrp_solution *next = &s->next;
    next->customers = s->now.customers;
    next->routes = next->first[0] = 0;
    for (int32_t r = 0; r < s->now.routes; r++)
        if (s->task_of[r] < 0 || s->task_of[r] >= count)
            vrp_add_route(next, s->now.order + s->now.first[r], size_of(&s->now, r));
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

static int32_t longest_route(const vrp_solver *s)
{
    int32_t longest = 0;
    for (int32_t r = 0; r < s->now.routes; r++)
        longest = size_of(&s->now, r) > longest ? size_of(&s->now, r) : longest;
    return longest;
}

// ---- The whole

static int by_key(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

// Cuts the solution into parts by how much nearer the routes lie to one of two customers, drawn anew, than to the other.
// Returns how many there are, none of them empty; 0 where one would be too large for its task.
static int32_t cut(vrp_solver *s, int32_t parts)
{
    const int32_t n = s->problem->customers, routes = s->now.routes;
    const int32_t a = (int32_t)mco_rng_below(&s->rng, (uint32_t)n) + 1, b = (int32_t)mco_rng_below(&s->rng, (uint32_t)n) + 1;
    for (int32_t r = 0; r < routes; r++) {
        double sum = 0;
        for (int32_t k = s->now.first[r]; k < s->now.first[r + 1]; k++)
            sum += vrp_distance(s->problem, a, s->now.order[k] + 1) - vrp_distance(s->problem, b, s->now.order[k] + 1);
        s->key[2 * r] = sum / size_of(&s->now, r);
        s->key[2 * r + 1] = r;
    }
    qsort(s->key, (size_t)routes, 2 * sizeof *s->key, by_key);
    vrp_solver_begin_tasks(s, parts);
    int64_t count = 0;
    int32_t part = -1, last = -1;
    for (int32_t k = 0; k < routes; k++) {
        const int32_t r = (int32_t)s->key[2 * k + 1], place = (int32_t)(count * parts / n);
        part += place != last;
        last = place;
        if (s->tasks[part].first[s->tasks[part].routes] + size_of(&s->now, r) > s->tasks[part].part.most_customers)
            return 0;
        vrp_solver_add_route(s, part, r);
        count += size_of(&s->now, r);
    }
    return part + 1;
}

void vrp_solver_set_temperatures(vrp_task *task, double hot, double cold)
{
    task->plan.hot = hot;
    task->plan.cold = cold;
    task->plan.removed = REMOVED;
    task->plan.longest_string = LONGEST_STRING;
    task->plan.exchanges = EXCHANGES;
}

static mco_status note(vrp_solver *s)
{
    return vrp_search_note(s->search, &s->now, s->now_cost);
}

// Share of all the time that the whole is annealed.
static double share_of_whole(double steps_per_customer)
{
    const double x = steps_per_customer / FULL_STEPS;
    return x >= 1 ? SHARE_LEAST : SHARE_LEAST + (SHARE_MOST - SHARE_LEAST) * fmin(1, -log(x) / 2);
}

// The most that the cores do, as a share of all, before a GPU goes on.
static double share_before_gpu(const vrp_solver *s)
{
    const double n = (double)s->search->params->iterations;
    const double share = s->problem->customers <= SMALL_CUSTOMERS ? POPULATION_BEFORE_GPU : SHARE_BEFORE_GPU;
    return counts_steps(s) && n > 0 ? fmin(share, STEPS_BEFORE_GPU * s->problem->customers / n) : share;
}

static mco_status anneal_whole(vrp_solver *s, double most_share)
{
    mco_status st = MCO_OK;
    const int32_t n = s->problem->customers, threads = s->crew->threads;
    int32_t parts = n / PART_CUSTOMERS < threads ? n / PART_CUSTOMERS + 1 : threads;
    while (n / parts > MOST_PART_CUSTOMERS)
        parts += threads;
    const int32_t longest = longest_route(s);
    // A route may grow; a part that would not hold it ends the annealing.
    const int32_t room = (int32_t)fmin(n, (double)n / parts + 4.0 * longest + LONGEST_STRING);
    const double per_customer = vrp_solver_steps(s) * threads / n;
    if (per_customer < LEAST_STEPS_OF_WHOLE)
        return MCO_OK;
    MCO_TRY(vrp_solver_open_tasks(s, parts, room));
    const double share = fmin(most_share, share_of_whole(per_customer));
    const double last = share * (1 - 0.5 / ROUNDS);
    for (double from; (from = vrp_solver_share(s)) < last && !vrp_solver_is_over(s);) {
        const double to = fmin(share, from + share / ROUNDS);
        const int32_t count = cut(s, parts);
        if (count == 0)
            break;
        vrp_solver_fill_tasks(s, count);
        int64_t before = 0, after = 0;
        for (int32_t k = 0; k < count; k++) {
            vrp_solver_set_temperatures(&s->tasks[k], HOT * s->edge * pow(COLD / HOT, from / share),
                                        HOT * s->edge * pow(COLD / HOT, to / share));
            s->tasks[k].wants_last = to < last;
            before += s->tasks[k].cost;
        }
        vrp_solver_plan_steps(s, count, to - from, MOST_STEPS);
        MCO_TRY(vrp_solver_run(s, count));
        for (int32_t k = 0; k < count; k++)
            after += s->tasks[k].cost;
        merge(s, count, after - before);
        MCO_TRY(note(s));
    }
done:
    return st;
}

// ---- Regions

// Collects routes around a customer, until the region has `customers` customers or no route near it is free.
static void grow_region(vrp_solver *s, int32_t k, int32_t customer, int32_t customers, int32_t most_routes)
{
    vrp_task *t = &s->tasks[k];
    int32_t at = customer;
    for (int32_t tries = 0; tries < 2 * customers; tries++) {
        const int32_t *near = s->near + (int64_t)at * s->near_count;
        for (int32_t m = -1; m < s->near_count; m++) {
            const int32_t route = s->route_of[m < 0 ? at : near[m]];
            if (s->task_of[route] >= 0 || t->first[t->routes] + size_of(&s->now, route) > t->part.most_customers)
                continue;
            vrp_solver_add_route(s, k, route);
            if (t->first[t->routes] >= customers || t->routes >= most_routes)
                return;
        }
        if (t->routes == 0 || s->near_count == 0)
            return;
        at = t->customer[mco_rng_below(&s->rng, (uint32_t)t->first[t->routes])];
    }
}

static int32_t collect_regions(vrp_solver *s, int32_t most)
{
    const int32_t n = s->problem->customers;
    int32_t count = 0;
    vrp_solver_begin_tasks(s, most);
    for (int32_t r = 0; r < s->now.routes; r++)
        for (int32_t k = s->now.first[r]; k < s->now.first[r + 1]; k++)
            s->route_of[s->now.order[k]] = r;
    for (int32_t tries = 0; tries < 8 * most && count < most; tries++) {
        const int32_t c = (int32_t)mco_rng_below(&s->rng, (uint32_t)n);
        if (s->task_of[s->route_of[c]] >= 0)
            continue;
        grow_region(s, count, c, s->crew->part_customers, s->crew->part_routes);
        if (s->tasks[count].routes > 0)
            count++;
    }
    return count;
}

// Cores for which no region is left anneal one of those that others do, with another seed.
static int32_t copy_regions(vrp_solver *s, int32_t count)
{
    if (s->crew->has_gpu)
        return count;
    for (int32_t k = count; k < s->task_count; k++) {
        const vrp_task *from = &s->tasks[k % count];
        vrp_task *to = &s->tasks[k];
        to->routes = from->routes;
        memcpy(to->customer, from->customer, (size_t)from->first[from->routes] * sizeof *to->customer);
        memcpy(to->first, from->first, ((size_t)from->routes + 1) * sizeof *to->first);
    }
    return s->task_count;
}

// Of the copies of a region the best takes the place of the first. Returns the change of the cost.
static int64_t choose_copies(vrp_solver *s, int32_t count, int32_t all, const int64_t *before)
{
    int64_t change = 0;
    for (int32_t k = count; k < all; k++)
        if (s->tasks[k].cost < s->tasks[k % count].cost) {
            const vrp_task t = s->tasks[k % count];
            s->tasks[k % count] = s->tasks[k];
            s->tasks[k] = t;
        }
    for (int32_t k = 0; k < count; k++)
        change += s->tasks[k].cost - before[k];
    return change;
}

// A region of the GPU has to fit into the memory of a warp.
static bool fits(const vrp_solver *s)
{
    return !s->crew->has_gpu || longest_route(s) <= LONGEST_ON_GPU;
}

static mco_status anneal_regions(vrp_solver *s)
{
    mco_status st = MCO_OK;
    const int32_t n = s->problem->customers, most = s->crew->part_customers;
    int64_t *before = NULL;
    int32_t room = 2 * most + 2 * longest_route(s);
    int32_t tasks = s->crew->tasks;
    if (s->crew->has_gpu && n / most + 1 < tasks)
        tasks = n / most + 1;
    else if (!s->crew->has_gpu && n > CUSTOMERS_PER_TASK)
        tasks *= n / CUSTOMERS_PER_TASK < MOST_TASKS ? n / CUSTOMERS_PER_TASK : MOST_TASKS;
    MCO_TRY(vrp_solver_open_tasks(s, tasks, room < n ? room : n));
    MCO_TRY(mco_alloc(s->search->ctx, &before, tasks));
    while (!vrp_solver_is_over(s) && fits(s)) {
        const int32_t count = collect_regions(s, tasks);
        if (count == 0) {  // a route has outgrown all tasks
            room = 2 * most + 2 * longest_route(s);
            MCO_TRY(vrp_solver_open_tasks(s, tasks, room < n ? room : n));
            continue;
        }
        const int32_t all = copy_regions(s, count);
        vrp_solver_fill_tasks(s, all);
        int64_t customers = 0;
        for (int32_t k = 0; k < all; k++) {
            const double warm = WARM_LEAST * pow(WARM_MOST / WARM_LEAST, mco_rng_real(&s->rng));
            vrp_solver_set_temperatures(&s->tasks[k], warm * s->edge, COLD * s->edge);
            s->tasks[k].wants_last = false;
            customers += s->tasks[k].part.customers;
            if (k < count)
                before[k] = s->tasks[k].cost;
        }
        const int64_t full = s->crew->steps_per_customer * customers / all, least = LEAST_STEPS * customers / all;
        const double even = vrp_solver_steps(s) * s->crew->threads / n * (double)(customers / all);
        const double usual = fmax((double)least, fmin(fmin((double)full, even), vrp_solver_steps(s) / REGIONS_LEAST));
        vrp_solver_plan_steps(s, all, usual * all / fmin(all, s->crew->threads) / vrp_solver_steps(s), MOST_STEPS);
        MCO_TRY(vrp_solver_run(s, all));
        merge(s, count, choose_copies(s, count, all, before));
        MCO_TRY(note(s));
    }
done:
    mco_free(s->search->ctx, &before);
    return st;
}

// ---- The beginning

// As many of the fullest routes as there are vehicles, then all customers besides into them.
static mco_status pack(vrp_solver *s, bool *is_found)
{
    mco_status st = MCO_OK;
    const int32_t n = s->problem->customers, vehicles = s->problem->vehicles;
    MCO_TRY(vrp_solver_open_tasks(s, 1, n));
    vrp_task *t = &s->tasks[0];
    for (int32_t r = 0; r < s->now.routes; r++) {
        int64_t load = 0;
        for (int32_t k = s->now.first[r]; k < s->now.first[r + 1]; k++)
            load -= s->problem->demand[s->now.order[k] + 1];
        s->key[2 * r] = (double)load;
        s->key[2 * r + 1] = r;
    }
    qsort(s->key, (size_t)s->now.routes, 2 * sizeof *s->key, by_key);
    vrp_solver_begin_tasks(s, 1);
    for (int32_t k = 0; k < s->now.routes; k++)
        vrp_solver_add_route(s, 0, (int32_t)s->key[2 * k + 1]);
    vrp_solver_fill_tasks(s, 1);
    t->part.routes = vehicles;
    vrp_solver_set_temperatures(t, 1, 1);
    t->plan.steps = counts_steps(s) && s->search->params->iterations < MOST_STEPS ? s->search->params->iterations : MOST_STEPS;
    t->seed = mco_rng_next(&s->rng);
    const int64_t before = s->crew->steps;
    MCO_TRY(vrp_cores_pack(s->crew, t, s->search->stop_s, is_found));
    s->search->iterations += s->crew->steps - before;
    if (*is_found)
        merge(s, 1, t->cost - s->now_cost);
done:
    return st;
}

static int64_t cost_of(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    int64_t cost = 0;
    for (int32_t r = 0; r < solution->routes; r++)
        cost += mco_vrp_route_of(problem, solution, r).cost;
    return cost;
}

static mco_status begin(vrp_solver *s, bool *has_solution)
{
    mco_status st = MCO_OK;
    mco_vrp_solution start = {0};
    const mco_vrp *p = s->problem;
    const bool is_given = s->search->best_cost >= 0;
    if (!is_given)
        MCO_TRY(mco_vrp_construct(s->search->ctx, p, MCO_VRP_SAVINGS, &start));
    const mco_vrp_solution *from = is_given ? &s->search->best : &start;
    s->now.routes = s->now.first[0] = 0;
    for (int32_t r = 0; r < from->routes; r++)
        vrp_add_route(&s->now, from->order + from->first[r], size_of(from, r));
    s->now_cost = cost_of(p, &s->now);
    s->edge = fmax(1, (double)s->now_cost / ((double)p->customers + s->now.routes));
    *has_solution = p->vehicles == 0 || s->now.routes <= p->vehicles;
    if (!*has_solution)
        MCO_TRY(pack(s, has_solution));
    if (*has_solution)
        MCO_TRY(note(s));
done:
    mco_vrp_solution_clear(s->search->ctx, &start);
    return st;
}

static mco_status open_solver(vrp_solver *s)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->search->ctx;
    const mco_vrp *p = s->problem;
    s->near_count = p->customers > MANY_CUSTOMERS ? FEW_NEIGHBOURS : NEIGHBOURS;
    s->rate = FIRST_RATE;
    mco_rng_seed(&s->rng, (uint64_t)s->search->params->seed, 0);
    MCO_TRY(vrp_neighbours(ctx, p, &s->near_count, s->crew->threads, &s->near));
    MCO_TRY(mco_alloc(ctx, &s->local, p->nodes));
    MCO_TRY(mco_alloc(ctx, &s->route_of, p->customers));
    MCO_TRY(mco_alloc(ctx, &s->task_of, p->customers));
    MCO_TRY(mco_alloc(ctx, &s->key, 2 * (int64_t)p->customers));
    MCO_TRY(vrp_solution_new(ctx, p->customers, p->customers, &s->now));
    MCO_TRY(vrp_solution_new(ctx, p->customers, p->customers, &s->next));
done:
    return st;
}

static void close_solver(vrp_solver *s)
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

// `regions` anneals the regions; NULL: the cores do.
static mco_status solve(vrp_search *search, vrp_crew *cores, vrp_crew *regions)
{
    mco_status st = MCO_OK;
    vrp_solver s = {.search = search, .problem = search->problem, .crew = cores};
    const bool is_given = search->best_cost >= 0;
    bool has_solution = false;
    cores->ends = ends;
    cores->user = &s;
    MCO_TRY(open_solver(&s));
    MCO_TRY(begin(&s, &has_solution));
    const double share = regions != NULL ? share_before_gpu(&s) : 1;
    if (has_solution && search->problem->customers <= SMALL_CUSTOMERS)
        MCO_TRY(vrp_solver_population(&s, share));
    else if (has_solution && !is_given && !vrp_solver_is_over(&s))
        MCO_TRY(anneal_whole(&s, share));
    if (regions != NULL) {
        regions->ends = ends;
        regions->user = &s;
        s.crew = regions;
    }
    if (has_solution)
        MCO_TRY(anneal_regions(&s));
    if (has_solution && regions != NULL && !fits(&s)) {
        mco_log(search->ctx, MCO_LOG_INFO, "a route has %d customers, more than the %d that a GPU takes: the cores go on",
                longest_route(&s), LONGEST_ON_GPU);
        s.crew = cores;
        MCO_TRY(anneal_regions(&s));
    }
    if (!has_solution && !vrp_search_ends(search))
        search->stop = MCO_STOP_ITERATIONS;
done:
    close_solver(&s);
    return st;
}

mco_status vrp_solve_cpu(vrp_search *search)
{
    mco_status st = MCO_OK;
    vrp_crew cores = {0};
    MCO_TRY(vrp_cores_open(search->ctx, search->problem, search->params, &cores));
    search->work.threads_used = cores.threads;
    search->work.simd_used = cores.simd;
    MCO_TRY(solve(search, &cores, NULL));
done:
    if (cores.close != NULL)
        cores.close(&cores);
    return st;
}

#ifdef MCO_HAVE_CUDA
mco_status vrp_solve_gpu(vrp_search *search)
{
    mco_status st = MCO_OK;
    vrp_crew cores = {0}, gpu = {0};
    MCO_TRY(vrp_cores_open(search->ctx, search->problem, search->params, &cores));
    MCO_TRY(vrp_gpu_crew_open(search->ctx, search->problem, search->params, &gpu));
    search->work.threads_used = cores.threads;
    search->work.simd_used = cores.simd;
    search->work.gpu = gpu.gpu;
    search->work.has_gpu = true;
    MCO_TRY(solve(search, &cores, &gpu));
    search->work.device_s = gpu.device_s;
done:
    if (gpu.close != NULL)
        gpu.close(&gpu);
    if (cores.close != NULL)
        cores.close(&cores);
    return st;
}
#endif
