// SPDX-License-Identifier: MIT
// The search of instances of up to 500 customers. Several solutions are annealed, each on its own. On a symmetric
// instance they then join the genetic search (vrp/genetic/genetic.c). On an asymmetric one pairs of them exchange
// routes that lie together (selective route exchange: Nagata, Braysy 2009). The child is annealed from a low
// temperature. It takes the place of its first parent if it is better and no member has the same cost.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "vrp/genetic/genetic.h"
#include "vrp/genetic/population.h"

enum {
    // FEW_MEMBERS are annealed if the genetic search follows or customers exceed MANY_CUSTOMERS, else MEMBERS.
    MEMBERS = 8, MANY_CUSTOMERS = 300, FEW_MEMBERS = 4,
    MORE_ROUTES = 2  // a task may have this many more than twice those of the start
};
static const double HOT = 0.6, COLD = 0.02;               // temperatures of a member, in mean edges
static const double WARM_LEAST = 0.07, WARM_MOST = 0.35;  // first temperature of a child, in mean edges
static const double SHARE = 0.4;                          // of the time of this search that the members take
static const double GENETIC_SHARE = 0.15;                 // the same if the genetic search follows
static const double CHILDREN = 40;                        // per core, within LEAST_STEPS and FULL_STEPS
static const int64_t LEAST_STEPS = 200, FULL_STEPS = 1000;  // of annealing a child, per customer
static const double PACKING = 1;                          // steps that pack a member, relative to those that anneal it
static const int64_t MOST_STEPS = (int64_t)1 << 30;

typedef struct population {
    vrp_rounds *s;
    mco_vrp_solution *member;  // [count]
    int64_t *cost;             // [count]
    int32_t count, wanted;     // members that exist, and that are wanted
    double share;              // of all time, or of all steps, until they exist
    int32_t most_routes;       // the most that a task may have
    bool packs;                // members with fewer routes are still tried
    int32_t *parent;           // [tasks] the first parent of the task's child
    int32_t *route_of[2];      // [customers] the route of a customer in either parent
    int32_t *shared;           // [customers] by route of the second parent: its customers in chosen routes of the first
    bool *is_chosen[2];        // [customers] by route of either parent
} population;

static void copy(mco_vrp_solution *to, const mco_vrp_solution *from)
{
    to->customers = from->customers;
    to->routes = from->routes;
    memcpy(to->order, from->order, (size_t)from->customers * sizeof *to->order);
    memcpy(to->first, from->first, ((size_t)from->routes + 1) * sizeof *to->first);
}

// ---- Tasks. Each holds all customers; node c + 1 is customer c

static void begin_task(vrp_task *task)
{
    task->routes = task->first[0] = 0;
}

// Adds a route of the customers that are not in a chosen route of the second parent; of all with `chosen` NULL.
static void add_route(vrp_task *task, const int32_t *customers, int32_t count, const int32_t *route_of, const bool *chosen)
{
    int32_t at = task->first[task->routes];
    for (int32_t k = 0; k < count; k++)
        if (chosen == NULL || !chosen[route_of[customers[k]]])
            task->order[at++] = customers[k] + 1;
    if (at > task->first[task->routes])
        task->first[++task->routes] = at;
}

static void to_task(const mco_vrp_solution *solution, vrp_task *task)
{
    begin_task(task);
    for (int32_t r = 0; r < solution->routes; r++)
        add_route(task, solution->order + solution->first[r], vrp_route_size(solution, r), NULL, NULL);
}

static void from_task(const vrp_task *task, mco_vrp_solution *solution)
{
    solution->routes = solution->first[0] = 0;
    for (int32_t r = 0; r < task->routes; r++) {
        const int32_t at = task->first[r], count = task->first[r + 1] - at;
        vrp_add_route(solution, task->order + at, count);
        for (int32_t k = at; k < at + count; k++)
            solution->order[k]--;
    }
}

static mco_status open_tasks(vrp_rounds *s, int32_t count)
{
    const mco_vrp *p = s->problem;
    const int32_t n = p->customers, wanted = 2 * s->now.routes + MORE_ROUTES;
    const mco_status st = vrp_rounds_open_tasks(s, count, n);
    const int32_t room = st == MCO_OK ? s->tasks[0].part.most_routes : 0, most = wanted < room ? wanted : room;
    for (int32_t k = 0; st == MCO_OK && k < count; k++) {
        for (int32_t c = 0; c < n; c++)
            s->tasks[k].customer[c] = c;
        vrp_part_fill(&s->tasks[k], n, p->vehicles > 0 && p->vehicles < most ? p->vehicles : most, s->near, s->near_count,
                      s->local);
    }
    memset(s->task_of, 0, (size_t)n * sizeof *s->task_of);
    return st;
}

// Any task may replace the present solution as a whole: all are in one group.
static mco_status run_tasks(vrp_rounds *s, int32_t count)
{
    s->tasks[0].cost = s->now_cost;
    return vrp_rounds_run(s, count, 1, "member");
}

// Makes the solution the present one if it is better, and then tells the search of it.
static mco_status note(vrp_rounds *s, const mco_vrp_solution *solution, int64_t cost)
{
    if (cost >= s->now_cost)
        return MCO_OK;
    copy(&s->now, solution);
    s->now_cost = cost;
    return vrp_search_note(s->search, &s->now, cost, "member");
}

// ---- Members

static int32_t least_routes(const mco_vrp *problem)
{
    int64_t sum = 0;
    for (int32_t i = 1; i <= problem->customers; i++)
        sum += problem->demand[i];
    return sum > 0 ? (int32_t)((sum + problem->capacity - 1) / problem->capacity) : 1;
}

static int32_t emptiest_route(const mco_vrp *problem, const mco_vrp_solution *solution)
{
    int32_t least = 0;
    int64_t least_load = INT64_MAX;
    for (int32_t r = 0; r < solution->routes; r++) {
        int64_t load = 0;
        for (int32_t k = solution->first[r]; k < solution->first[r + 1]; k++)
            load += problem->demand[solution->order[k] + 1];
        if (load < least_load) {
            least_load = load;
            least = r;
        }
    }
    return least;
}

// Gives `from` to the task and packs the customers of its emptiest route into the others. *is_found: they fit.
static mco_status pack(population *p, const mco_vrp_solution *from, vrp_task *task, bool *is_found)
{
    vrp_rounds *s = p->s;
    const int32_t least = emptiest_route(s->problem, from);
    begin_task(task);
    for (int32_t r = 0; r < from->routes; r++)
        if (r != least)
            add_route(task, from->order + from->first[r], vrp_route_size(from, r), NULL, NULL);
    task->part.routes = from->routes - 1;
    vrp_rounds_set_temperatures(task, 1, 1);
    vrp_rounds_plan_steps(s, 1, PACKING * p->share / p->wanted, MOST_STEPS);
    task->plan.steps = s->tasks[0].plan.steps;
    return vrp_rounds_pack(s, task, is_found);
}

// Sets where a member starts. Annealing hardly ever gives up a route. So a member of the later half starts with one
// route less than the best member, until packing fails once. After that it starts from the best member and may not have
// more routes, if that has fewer than the present solution. All others start from the present solution.
static mco_status begin_member(population *p, int32_t member, vrp_task *task)
{
    mco_status st = MCO_OK;
    vrp_rounds *s = p->s;
    int32_t best = 0;
    bool is_packed = false;
    for (int32_t k = 1; k < p->count; k++)
        best = p->cost[k] < p->cost[best] ? k : best;
    const mco_vrp_solution *from = p->count > 0 ? &p->member[best] : &s->now;
    const bool is_late = member >= p->wanted / 2;
    if (is_late && p->packs && from->routes > least_routes(s->problem)) {
        MCO_TRY(pack(p, from, task, &is_packed));
        p->packs = is_packed;
    }
    if (!is_packed) {
        const bool has_fewer = is_late && from->routes < s->now.routes;
        task->part.routes = has_fewer ? from->routes : p->most_routes;
        to_task(has_fewer ? from : &s->now, task);
    }
done:
    return st;
}

static mco_status anneal_members(population *p)
{
    mco_status st = MCO_OK;
    vrp_rounds *s = p->s;
    const int32_t at_once = s->processor->threads < p->wanted ? s->processor->threads : p->wanted;
    for (int32_t done = 0; done < p->wanted && !vrp_rounds_is_over(s); done += at_once) {
        const int32_t count = p->wanted - done < at_once ? p->wanted - done : at_once;
        for (int32_t k = 0; k < count; k++) {
            MCO_TRY(begin_member(p, done + k, &s->tasks[k]));
            vrp_rounds_set_temperatures(&s->tasks[k], HOT * s->edge, COLD * s->edge);
            s->tasks[k].wants_last = true;  // the best solution may still be the start, which all members share
        }
        vrp_rounds_plan_steps(s, count, p->share * at_once / p->wanted, MOST_STEPS);
        MCO_TRY(run_tasks(s, count));
        for (int32_t k = 0; k < count; k++) {
            from_task(&s->tasks[k], &p->member[p->count]);
            p->cost[p->count] = s->tasks[k].cost;
            p->count++;
        }
    }
    for (int32_t k = 0; k < p->count; k++)
        MCO_TRY(note(s, &p->member[k], p->cost[k]));
    for (int32_t k = 0; k < s->task_count; k++)
        s->tasks[k].part.routes = p->most_routes;
done:
    return st;
}

// ---- Children

// Chooses routes of the first parent that lie together, and as many of the second that have most customers in them.
static void choose_routes(population *p, const mco_vrp_solution *a, const mco_vrp_solution *b)
{
    vrp_rounds *s = p->s;
    const int32_t n = s->problem->customers;
    const mco_vrp_solution *parents[2] = {a, b};
    for (int k = 0; k < 2; k++)
        for (int32_t r = 0; r < parents[k]->routes; r++) {
            p->is_chosen[k][r] = false;
            for (int32_t i = parents[k]->first[r]; i < parents[k]->first[r + 1]; i++)
                p->route_of[k][parents[k]->order[i]] = r;
        }
    const int32_t half = a->routes / 2 > 1 ? a->routes / 2 : 1;
    const int32_t wanted = 1 + (int32_t)mco_rng_below(&s->rng, (uint32_t)half);
    int32_t at = (int32_t)mco_rng_below(&s->rng, (uint32_t)n), chosen = 0;
    for (int32_t tries = 0; chosen < wanted && tries < 50 * wanted; tries++) {
        bool *is_chosen = &p->is_chosen[0][p->route_of[0][at]];
        chosen += !*is_chosen;
        *is_chosen = true;
        const int32_t from = mco_rng_below(&s->rng, 2) == 0 ? at : a->order[mco_rng_below(&s->rng, (uint32_t)n)];
        if (s->near_count > 0 && p->is_chosen[0][p->route_of[0][from]])
            at = s->near[(int64_t)from * s->near_count + mco_rng_below(&s->rng, (uint32_t)s->near_count)];
    }
    memset(p->shared, 0, (size_t)b->routes * sizeof *p->shared);
    for (int32_t c = 0; c < n; c++)
        p->shared[p->route_of[1][c]] += p->is_chosen[0][p->route_of[0][c]];
    for (int32_t k = 0; k < chosen && k < b->routes; k++) {
        int32_t best = -1;
        for (int32_t r = 0; r < b->routes; r++)
            if (!p->is_chosen[1][r] && (best < 0 || p->shared[r] > p->shared[best]))
                best = r;
        p->is_chosen[1][best] = true;
    }
}

// The child is the first parent, with the chosen routes of the second in place of its own chosen ones. The walk inserts
// the customers that are in no route.
static void make_child(population *p, const mco_vrp_solution *a, const mco_vrp_solution *b, vrp_task *task)
{
    choose_routes(p, a, b);
    begin_task(task);
    for (int32_t r = 0; r < a->routes; r++)
        if (!p->is_chosen[0][r])
            add_route(task, a->order + a->first[r], vrp_route_size(a, r), p->route_of[1], p->is_chosen[1]);
    for (int32_t r = 0; r < b->routes; r++)
        if (p->is_chosen[1][r])
            add_route(task, b->order + b->first[r], vrp_route_size(b, r), NULL, NULL);
}

static bool has_cost(const population *p, int64_t cost)
{
    for (int32_t k = 0; k < p->count; k++)
        if (p->cost[k] == cost)
            return true;
    return false;
}

static mco_status anneal_children(population *p, double share)
{
    mco_status st = MCO_OK;
    vrp_rounds *s = p->s;
    const int64_t n = s->problem->customers;
    while (p->count > 1 && !vrp_rounds_is_at(s, share) && !vrp_rounds_is_over(s)) {
        for (int32_t k = 0; k < s->task_count; k++) {
            const int32_t a = (int32_t)mco_rng_below(&s->rng, (uint32_t)p->count);
            const int32_t b = (a + 1 + (int32_t)mco_rng_below(&s->rng, (uint32_t)p->count - 1)) % p->count;
            const double warm = WARM_LEAST * pow(WARM_MOST / WARM_LEAST, mco_rng_real(&s->rng));
            make_child(p, &p->member[a], &p->member[b], &s->tasks[k]);
            vrp_rounds_set_temperatures(&s->tasks[k], warm * s->edge, COLD * s->edge);
            s->tasks[k].wants_last = false;
            p->parent[k] = a;
        }
        const double all = vrp_rounds_steps(s);
        const double each = fmax((double)(LEAST_STEPS * n), fmin((double)(FULL_STEPS * n), all / CHILDREN));
        vrp_rounds_plan_steps(s, s->task_count, each / all, MOST_STEPS);
        MCO_TRY(run_tasks(s, s->task_count));
        for (int32_t k = 0; k < s->task_count; k++) {
            const int32_t a = p->parent[k];
            if (s->tasks[k].cost >= p->cost[a] || has_cost(p, s->tasks[k].cost))
                continue;
            from_task(&s->tasks[k], &p->member[a]);
            p->cost[a] = s->tasks[k].cost;
            MCO_TRY(note(s, &p->member[a], p->cost[a]));
        }
    }
done:
    return st;
}

// The genetic search begins with the members, and with the present solution if no member has its cost.
static mco_status breed(population *p, double share)
{
    mco_status st = MCO_OK;
    vrp_rounds *s = p->s;
    vrp_genetic *g = NULL;
    if (vrp_rounds_is_over(s))
        return MCO_OK;
    MCO_TRY(vrp_genetic_open(s, &g));
    if (!has_cost(p, s->now_cost))
        MCO_TRY(vrp_genetic_admit(g, &s->now));
    for (int32_t k = 0; k < p->count; k++)
        MCO_TRY(vrp_genetic_admit(g, &p->member[k]));
    MCO_TRY(vrp_genetic_run(g, share));
done:
    vrp_genetic_close(&g);
    return st;
}

mco_status vrp_population_run(vrp_rounds *s, double share)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->search->ctx;
    const int32_t n = s->problem->customers;
    const bool is_genetic = s->problem->is_symmetric;
    population p = {.s = s, .wanted = is_genetic || n > MANY_CUSTOMERS ? FEW_MEMBERS : MEMBERS,
                    .share = share * (is_genetic ? GENETIC_SHARE : SHARE), .packs = true};
    MCO_TRY(open_tasks(s, s->processor->threads));
    p.most_routes = s->tasks[0].part.routes;
    MCO_TRY(mco_alloc(ctx, &p.member, p.wanted));
    MCO_TRY(mco_alloc(ctx, &p.cost, p.wanted));
    for (int32_t k = 0; k < p.wanted; k++)
        MCO_TRY(vrp_solution_new(ctx, n, n, &p.member[k]));
    MCO_TRY(mco_alloc(ctx, &p.parent, s->task_count));
    MCO_TRY(mco_alloc(ctx, &p.shared, n));
    for (int k = 0; k < 2; k++) {
        MCO_TRY(mco_alloc(ctx, &p.route_of[k], n));
        MCO_TRY(mco_alloc(ctx, &p.is_chosen[k], n));
    }
    MCO_TRY(anneal_members(&p));
    MCO_TRY(is_genetic ? breed(&p, share) : anneal_children(&p, share));
done:
    for (int k = 1; k >= 0; k--) {
        mco_free(ctx, &p.is_chosen[k]);
        mco_free(ctx, &p.route_of[k]);
    }
    mco_free(ctx, &p.shared);
    mco_free(ctx, &p.parent);
    for (int32_t k = 0; p.member != NULL && k < p.wanted; k++)
        mco_vrp_solution_clear(ctx, &p.member[k]);
    mco_free(ctx, &p.cost);
    mco_free(ctx, &p.member);
    return st;
}
