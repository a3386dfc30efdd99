// SPDX-License-Identifier: MIT
// The search. First it anneals the whole solution (vrp/search/whole.c). Such a single trajectory leaves each region where
// chance led it. So the search then anneals regions of some hundred customers again and again from a low temperature, and each
// keeps the best that it has had. Regions of one round share no route, so that cores, or the warps of a GPU, anneal them at the
// same time. On a GPU a crowd takes the place of both where it can (vrp/search/crowd.c), and the cores search beside it
// (vrp/search/company.c); then its parts begin from the better one of both plans. A given start is not annealed as a whole. Small
// instances have a population instead (vrp/genetic/population.c); it keeps a given start.
//
// Lengths of the stages are shares of the time limit, or of the number of iterations. With a number of iterations
// nothing depends on the clock.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/genetic/genetic.h"
#include "vrp/genetic/population.h"
#include "vrp/search/company.h"
#include "vrp/search/construct.h"
#include "vrp/search/cores.h"
#include "vrp/search/curve.h"
#include "vrp/search/fleet.h"
#include "vrp/search/gpu.h"
#include "vrp/search/neighbours.h"
#include "vrp/search/rounds.h"
#include "vrp/search/several.h"
#include "vrp/search/stages.h"
#include "vrp/search/whole.h"

enum {
    REGION_ROUTES = 6,            // of a region on the cores, at least
    CUSTOMERS_OF_REGIONS = 1000,  // up to here regions do more than half of the steps where these are many
    SMALL_CUSTOMERS = 500,        // up to here there is a population instead (vrp/genetic/population.c)
    // Where routes are short a crowd is for so many customers, as measured; else a GPU anneals regions in the memory of warps.
    CROWD_LEAST = 601, CROWD_MOST = 12000,
    LONGEST_ON_GPU = 256,         // customers of a route; if a route is longer the cores go on
    // A core anneals one region a round for each CUSTOMERS_PER_TASK customers, at least 1 and at most MOST_TASKS: a
    // round goes over the whole solution, and its regions have to be worth that.
    CUSTOMERS_PER_TASK = 20000, MOST_TASKS = 32
};
static const double WARM_LEAST = 0.07, WARM_MOST = 0.25;  // first temperature of a region, relative to `warm`
static const double WHOLE = 0.95;                  // of the search, on the cores
static const double WHOLE_LEAST = 0.3, WHOLE_MOST = 0.85;  // where regions follow: with FULL_STEPS a customer or more, with few
static const double FULL_STEPS = 15000;
static const double SHARE_BEFORE_GPU = 0.5;        // of the cores, before regions on a GPU
static const double LEAST_STEPS_BEFORE_GPU = 200;  // per customer: with fewer, regions on a GPU do all
static const double POPULATION_BEFORE_GPU = 0.75;  // the same if the cores have a population
static const double STEPS_BEFORE_GPU = 15000;      // per customer: a GPU makes hundreds of times the steps of the cores
static const double WHOLE_ON_GPU = 0.7;            // of the search, where a GPU anneals copies of the whole
static const double LONG_WHOLE_ON_GPU = 0.9;       // the same with long routes, whose regions hold few of them
static const double BEFORE_CROWD = 0.02;           // the cores beside a crowd end their whole so much earlier than it does
static const double REGIONS_LEAST = 20;            // a core anneals at least so many one after the other
static const int64_t LEAST_STEPS = 300;            // per customer of a region
static const double CHECKS_AT_END = 2;             // time left for the end, in checks of a solution

// The largest share of the search that the cores do before a GPU goes on.
static double share_before_gpu(const vrp_rounds *s)
{
    const double n = (double)s->search->params->iterations;
    const double share = s->problem->customers <= SMALL_CUSTOMERS ? POPULATION_BEFORE_GPU : SHARE_BEFORE_GPU;
    return vrp_rounds_counts_steps(s) && n > 0 ? fmin(share, STEPS_BEFORE_GPU * s->problem->customers / n) : share;
}

// The share of the search until which the cores anneal the whole. Regions make up for a short annealing of the whole where steps are
// many and a GPU anneals them, or few of them hold everything. With more customers, or long routes, of which regions hold few,
// steps gain more in the whole.
static double share_of_whole(const vrp_rounds *s, bool has_gpu)
{
    const bool has_regions = has_gpu || s->problem->customers <= CUSTOMERS_OF_REGIONS;
    double share = WHOLE;
    if (has_regions && vrp_rounds_customers_of_route(s) <= VRP_LONG_ROUTE) {
        const double few = fmax(0, fmin(1, -log(vrp_whole_steps(s) / FULL_STEPS) / 2));
        share = WHOLE_LEAST + (WHOLE_MOST - WHOLE_LEAST) * few;
    }
    if (s->search->whole_share > 0)
        share = fmin(share, s->search->whole_share);
    return has_gpu ? fmin(share_before_gpu(s), share) : share;
}

// The share of the search that the whole has as a crowd.
static double share_of_crowd(const vrp_rounds *s)
{
    return vrp_rounds_customers_of_route(s) > VRP_LONG_ROUTE ? LONG_WHOLE_ON_GPU : WHOLE_ON_GPU;
}

// ---- Regions

// Collects routes around a customer, until the region has `customers` customers or `most_routes` routes, or no route
// near it is free.
static void grow_region(vrp_rounds *s, int32_t k, int32_t customer, int32_t customers, int32_t most_routes)
{
    vrp_task *t = &s->tasks[k];
    int32_t at = customer;
    for (int32_t tries = 0; tries < 2 * customers; tries++) {
        const int32_t *near = s->near + (int64_t)at * s->near_count;
        for (int32_t m = -1; m < s->near_count; m++) {
            const int32_t route = s->route_of[m < 0 ? at : near[m]];
            if (s->task_of[route] >= 0 || t->first[t->routes] + vrp_route_size(&s->now, route) > t->part.most_customers)
                continue;
            vrp_rounds_add_route(s, k, route);
            if (t->first[t->routes] >= customers || t->routes >= most_routes)
                return;
        }
        if (t->routes == 0 || s->near_count == 0)
            return;
        at = t->customer[mco_rng_below(&s->rng, (uint32_t)t->first[t->routes])];
    }
}

static int32_t collect_regions(vrp_rounds *s, int32_t most, int32_t customers)
{
    const int32_t n = s->problem->customers;
    int32_t count = 0;
    vrp_rounds_begin_tasks(s, most);
    for (int32_t r = 0; r < s->now.routes; r++)
        for (int32_t k = s->now.first[r]; k < s->now.first[r + 1]; k++)
            s->route_of[s->now.order[k]] = r;
    for (int32_t tries = 0; tries < 8 * most && count < most; tries++) {
        const int32_t c = (int32_t)mco_rng_below(&s->rng, (uint32_t)n);
        if (s->task_of[s->route_of[c]] >= 0)
            continue;
        grow_region(s, count, c, customers, s->processor->part_routes);
        if (s->tasks[count].routes > 0)
            count++;
    }
    return count;
}

// Cores for which no region is left anneal copies of the others' regions, with other seeds.
static int32_t copy_regions(vrp_rounds *s, int32_t count)
{
    if (s->processor->gpus != 0)
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

// Puts the best copy of each region in the place of its original. Returns the change of the cost.
static int64_t choose_copies(vrp_rounds *s, int32_t count, int32_t all)
{
    int64_t change = 0;
    for (int32_t k = count; k < all; k++)
        if (s->tasks[k].cost < s->tasks[k % count].cost) {
            const vrp_task t = s->tasks[k % count];
            s->tasks[k % count] = s->tasks[k];
            s->tasks[k] = t;
        }
    for (int32_t k = 0; k < count; k++)
        change += s->tasks[k].cost - s->before[k];
    return change;
}

// Whether all routes fit the processor: a region on a GPU has to fit into the memory of a warp.
static bool fits(const vrp_rounds *s)
{
    return s->processor->gpus == 0 || vrp_rounds_longest_route(s) <= LONGEST_ON_GPU;
}

// The customers of a region.
static int32_t region_customers(const vrp_rounds *s)
{
    const int32_t usual = s->processor->part_customers;
    if (s->processor->gpus != 0)
        return usual;
    return (int32_t)fmin(s->problem->customers, fmax(usual, REGION_ROUTES * vrp_rounds_customers_of_route(s)));
}

static mco_status anneal_regions(vrp_rounds *s)
{
    mco_status st = MCO_OK;
    const int32_t n = s->problem->customers, most = region_customers(s);
    int32_t room = 2 * most + 2 * vrp_rounds_longest_route(s);
    int32_t tasks = s->processor->tasks;
    if (s->processor->gpus != 0 && n / most + 1 < tasks)
        tasks = n / most + 1;
    else if (s->processor->gpus == 0 && n > CUSTOMERS_PER_TASK)
        tasks *= n / CUSTOMERS_PER_TASK < MOST_TASKS ? n / CUSTOMERS_PER_TASK : MOST_TASKS;
    MCO_TRY(vrp_rounds_open_tasks(s, tasks, room < n ? room : n));
    while (!vrp_rounds_is_over(s) && fits(s)) {
        const int32_t count = collect_regions(s, tasks, most);
        if (count == 0) {  // a route has outgrown all tasks
            room = 2 * most + 2 * vrp_rounds_longest_route(s);
            MCO_TRY(vrp_rounds_open_tasks(s, tasks, room < n ? room : n));
            continue;
        }
        if (vrp_search_ends(s->search))
            break;
        const int32_t all = copy_regions(s, count);
        if (!vrp_rounds_fill_tasks(s, all, all))
            break;
        int64_t customers = 0;
        for (int32_t k = 0; k < all; k++) {
            const double warm = WARM_LEAST * pow(WARM_MOST / WARM_LEAST, mco_rng_real(&s->rng));
            vrp_rounds_set_temperatures(&s->tasks[k], warm * s->temperatures.warm, s->temperatures.cold);
            s->tasks[k].wants_last = false;
            customers += s->tasks[k].part.customers;
        }
        const int64_t full = s->processor->steps_per_customer * customers / all, least = LEAST_STEPS * customers / all;
        const double even = vrp_rounds_steps(s) * s->processor->threads / n * (double)(customers / all);
        const double usual = fmax((double)least, fmin(fmin((double)full, even), vrp_rounds_steps(s) / REGIONS_LEAST));
        vrp_rounds_plan_steps(s, all, usual * all / fmin(all, s->processor->threads) / vrp_rounds_steps(s), VRP_MOST_STEPS);
        MCO_TRY(vrp_rounds_run(s, all, count, "region"));
        vrp_rounds_merge(s, count, choose_copies(s, count, all));
        MCO_TRY(vrp_rounds_note(s, "region"));
    }
done:
    return st;
}

// ---- The beginning

// Notes routes along a curve, as the first solution. Their check tells how much time the search leaves for what follows it:
// the check of the answer, and a caller's walk over it. More routes than vehicles are no solution.
static mco_status note_curve(vrp_rounds *s, const vrp_watch *watch)
{
    mco_status st = MCO_OK;
    mco_vrp_solution routes = {0};
    vrp_search *search = s->search;
    int64_t cost;
    MCO_TRY(vrp_construct_along_curve(search->ctx, s->problem, watch, &routes));
    const double begin_s = mco_clock_s();
    st = mco_vrp_check(search->ctx, s->problem, &routes, &cost);
    search->run.stop_s -= CHECKS_AT_END * (mco_clock_s() - begin_s);
    if (st == MCO_OK)
        MCO_TRY(vrp_search_note(search, &routes, cost, "curve"));
    else if (st == MCO_ERR_CHECK)
        st = MCO_OK;
done:
    mco_vrp_solution_clear(search->ctx, &routes);
    return st;
}

// Constructs savings. If the run ends before they are complete, a curve gives the answer. Errors: also STOPPED.
static mco_status begin_with_savings(vrp_rounds *s, mco_vrp_solution *out)
{
    mco_status st = MCO_OK;
    const bool is_large = s->problem->customers > VRP_CURVE_CUSTOMERS;
    if (is_large)
        MCO_TRY(note_curve(s, &s->watch));
    st = vrp_construct(s->search->ctx, s->problem, MCO_VRP_CONSTRUCTION_SAVINGS, s->processor->threads, &s->watch, out);
    if (st == MCO_ERR_STOPPED && !is_large) {
        MCO_TRY(note_curve(s, NULL));
        st = MCO_ERR_STOPPED;
    }
done:
    return st;
}

static mco_status begin(vrp_rounds *s, bool *has_solution)
{
    mco_status st = MCO_OK;
    mco_vrp_solution start = {0};
    const mco_vrp *p = s->problem;
    const bool is_given = s->search->best_cost >= 0;
    if (!is_given)
        MCO_TRY(begin_with_savings(s, &start));
    const mco_vrp_solution *from = is_given ? &s->search->best : &start;
    s->now.routes = s->now.first[0] = 0;
    for (int32_t r = 0; r < from->routes; r++)
        vrp_add_route(&s->now, from->order + from->first[r], vrp_route_size(from, r));
    s->now_cost = vrp_solution_cost(p, &s->now);
    s->edge = fmax(1, (double)s->now_cost / ((double)p->customers + s->now.routes));
    *has_solution = (p->vehicles == 0 || s->now.routes <= p->vehicles) && vrp_fleet_fits(s);
    if (*has_solution)
        MCO_TRY(vrp_rounds_note(s, is_given ? "start" : "savings"));
    MCO_TRY(vrp_rounds_find_neighbours(s));
    s->temperatures = vrp_temperatures_of(p->customers, s->now.routes, s->now_cost, vrp_rounds_nearest(s), s->is_wide);
    if (*has_solution)
        goto done;
    MCO_TRY(vrp_fleet_pack(s, p->vehicles, VRP_MOST_STEPS, has_solution));
    if (*has_solution)
        MCO_TRY(vrp_rounds_note(s, "savings"));
done:
    mco_vrp_solution_clear(s->search->ctx, &start);
    return st;
}

// The same. If the run ends before the beginning does, the best so far is the answer, and search->run.stop says why.
static mco_status begin_in_time(vrp_rounds *s, bool *has_solution)
{
    const mco_status st = begin(s, has_solution);
    if (st != MCO_ERR_STOPPED)
        return st;
    *has_solution = false;  // no walk has what it needs
    return MCO_OK;
}

static bool has_crowd(const vrp_processor *regions)
{
    return regions != NULL && regions->crowd != NULL;
}

// Whether a crowd is the first choice.
static bool wants_crowd(const vrp_rounds *s, const vrp_processor *regions)
{
    const int32_t customers = s->problem->customers;
    const bool is_long = vrp_rounds_customers_of_route(s) > VRP_LONG_ROUTE || !fits(s);
    return has_crowd(regions) && (is_long || (customers >= CROWD_LEAST && customers <= CROWD_MOST));
}

// The whole, as a crowd on a GPU or on the cores.
static mco_status whole(vrp_rounds *s, const vrp_processor *regions, double *device_s)
{
    mco_status st = MCO_OK;
    const bool is_long = vrp_rounds_customers_of_route(s) > VRP_LONG_ROUTE;
    if (regions == NULL || is_long)
        MCO_TRY(vrp_fleet_choose(s));
    if (wants_crowd(s, regions))
        return regions->crowd(s, share_of_crowd(s), true, device_s);
    if (regions != NULL && vrp_whole_steps(s) < LEAST_STEPS_BEFORE_GPU)
        return MCO_OK;
    const double until = share_of_whole(s, regions != NULL);
    const int32_t copies = regions == NULL ? vrp_several_count(s) : 1;
    MCO_TRY(copies > 1 ? vrp_several_anneal(s, copies, until) : vrp_whole_anneal(s, until));
done:
    return st;
}

// What follows the whole, or the population: parts of a crowd, regions on a GPU, or regions on the cores.
static mco_status regions_on(vrp_rounds *s, vrp_processor *cores, vrp_processor *regions, double *device_s)
{
    mco_status st = MCO_OK;
    if (wants_crowd(s, regions) && !vrp_rounds_is_over(s)) {  // that took what the cores beside the crowd have found
        vrp_rounds_take_best(s);
        MCO_TRY(regions->crowd(s, 1, false, device_s));
    }
    if (vrp_rounds_is_over(s))
        return MCO_OK;
    MCO_TRY(anneal_regions(s));
    if (fits(s))
        return MCO_OK;
    if (has_crowd(regions))
        return regions->crowd(s, 1, false, device_s);
    mco_log(s->search->ctx, MCO_LOG_INFO, "a route has %d customers, more than the %d that a GPU takes: the cores go on",
            vrp_rounds_longest_route(s), LONGEST_ON_GPU);
    s->processor = cores;
    MCO_TRY(anneal_regions(s));
done:
    return st;
}

// `regions` is the processor that anneals the regions; NULL: the cores do.
static mco_status solve(vrp_search *search, vrp_processor *cores, vrp_processor *regions)
{
    mco_status st = MCO_OK;
    vrp_rounds s = {.search = search, .problem = search->problem, .processor = cores, .is_wide = regions != NULL,
                    .ends_together = search->problem->customers > SMALL_CUSTOMERS};
    const bool is_given = search->best_cost >= 0;
    bool has_solution = false;
    double device_s = 0;
    vrp_company *company = NULL;
    cores->ends = vrp_rounds_watch;
    cores->user = &s;
    MCO_TRY(vrp_rounds_open(&s));
    MCO_TRY(begin_in_time(&s, &has_solution));
    if (has_solution && wants_crowd(&s, regions))
        MCO_TRY(vrp_company_open(search, is_given, share_of_crowd(&s) - BEFORE_CROWD, &company));
    if (has_solution && search->problem->customers <= SMALL_CUSTOMERS)
        MCO_TRY(vrp_population_run(&s, regions != NULL ? share_before_gpu(&s) : 1));
    else if (has_solution && !is_given && !vrp_rounds_is_over(&s))
        MCO_TRY(whole(&s, regions, &device_s));
    if (regions != NULL) {
        regions->ends = vrp_rounds_watch;
        regions->user = &s;
        s.processor = regions;
    }
    if (has_solution)
        MCO_TRY(regions_on(&s, cores, regions, &device_s));
    if (!vrp_rounds_is_over(&s))  // no solution, or too few steps for another round of a crowd
        search->run.stop = MCO_STOP_ITERATIONS;
done:
    if (regions != NULL)
        regions->device_s += device_s;
    const mco_status end = vrp_company_close(&company);
    vrp_rounds_close(&s);
    return st == MCO_OK ? end : st;
}

mco_status vrp_search_first(vrp_search *search)
{
    mco_status st = MCO_OK;
    mco_vrp_params params = *search->params;
    vrp_processor core = {0};
    vrp_rounds s = {.search = search, .problem = search->problem, .processor = &core};
    bool has_solution = false;
    params.threads = 1;
    MCO_TRY(vrp_cores_open(search->ctx, search->problem, &params, &core));
    core.ends = vrp_rounds_watch;
    core.user = &s;
    MCO_TRY(vrp_rounds_open(&s));
    MCO_TRY(begin_in_time(&s, &has_solution));
    if (!has_solution && !vrp_search_ends(search))
        search->run.stop = MCO_STOP_ITERATIONS;
done:
    vrp_rounds_close(&s);
    if (core.close != NULL)
        core.close(&core);
    return st;
}

mco_status vrp_search_cpu(vrp_search *search)
{
    mco_status st = MCO_OK;
    vrp_processor cores = {0};
    MCO_TRY(vrp_cores_open(search->ctx, search->problem, search->params, &cores));
    search->work = (mco_work){.threads = cores.threads, .simd = cores.simd};
    MCO_TRY(solve(search, &cores, NULL));
done:
    if (cores.close != NULL)
        cores.close(&cores);
    return st;
}

#ifdef MCO_HAVE_CUDA
mco_status vrp_search_gpu(vrp_search *search)
{
    mco_status st = MCO_OK;
    vrp_processor cores = {0}, gpu = {0};
    MCO_TRY(vrp_cores_open(search->ctx, search->problem, search->params, &cores));
    MCO_TRY(vrp_gpu_walks_open(search->ctx, search->problem, search->params, &gpu));
    search->work = (mco_work){.threads = cores.threads, .simd = cores.simd, .gpus = gpu.gpus};
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
