// SPDX-License-Identifier: MIT
// The genetic search of instances of up to 500 customers. All threads make children of the same populations. A giant
// tour is crossed from two parents, split and educated. If the child exceeds a limit, a copy is, with probability 1/2,
// educated again with higher penalties, and kept if it obeys the limits. The children of a batch then join in a fixed
// order, so equal seeds and threads give equal populations.
#include "vrp/genetic/genetic.h"

#include "base/clock.h"
#include "base/team.h"
#include "vrp/genetic/educate.h"
#include "vrp/genetic/pool.h"
#include "vrp/genetic/split.h"
#include "vrp/search/neighbours.h"
#include "vrp/search/rounds.h"

enum {
    NEIGHBOURS = 12,
    FIRST_CHILDREN = 4 * VRP_POOL_LEAST,  // first batches are random, until there are this many
    BATCH = 64,                   // the least number of children at once: threads that are done wait for the last one
    PENALTY_CHILDREN = 100,       // penalties are adapted after this many
    FRUITLESS_CHILDREN = 20000,   // the populations begin anew after this many without a better solution
    SPARE_ROUTES = 3              // in addition to MORE_ROUTES
};
static const double MORE_ROUTES = 0.3;  // relative to the routes of the present solution
// A penalty aims at this share of the last 64 children within its limit.
static const double WITHIN = 0.2, WITHIN_MORE = 0.25;
static const double HIGHER = 1.2, LOWER = 0.85;  // factors of a penalty if fewer are within, if more are
static const double LEAST_WEIGHT = 1e-3, MOST_WEIGHT = 1e4;  // the range of a weight, relative to the first one
static const double REPAIR = 10;        // factor of the penalties for a repair
static const double LOOK_S = 0.02;      // between two looks at the clock and for a cancellation

typedef struct task {
    const vrp_genome *parents[2];  // NULL: a random child
    uint64_t seed;
    vrp_genome child, repaired;
    atomic_bool is_made;           // child and, with is_repaired, `repaired` are complete
    bool is_repaired, is_seen;     // is_seen: by the calling thread, while the batch was under way
} task;

typedef struct worker {
    vrp_split *split;
    vrp_local_search *local;
    bool *is_taken;            // [customers + 1]
} worker;

struct vrp_genetic {
    vrp_rounds *s;
    vrp_network network;
    vrp_weights first, weights;
    vrp_pools pools;
    task *tasks;               // [batch]
    worker *workers;           // [threads]
    int32_t batch;
    int32_t count;             // tasks of the present batch
    uint64_t within_load, within_length;  // a bit for each of the last 64 children
    int32_t children, fruitless;
    int64_t best;              // least cost within the limits since the populations began, or began anew
    mco_team team;
    atomic_bool stop;
    mco_status look_status;
};

// ---- Children

static vrp_weights repairing(vrp_weights w)
{
    return (vrp_weights){w.load * REPAIR, w.length * REPAIR};
}

static void make_child(const vrp_genetic *g, const worker *w, task *t)
{
    mco_rng rng;
    mco_rng_seed(&rng, t->seed, 0);
    if (t->parents[0] == NULL)
        vrp_random_tour(g->network.customers, &rng, t->child.order);
    else
        vrp_cross(g->network.customers, t->parents[0]->order, t->parents[1]->order, &rng, w->is_taken, t->child.order);
    vrp_split_run(w->split, g->weights, &t->child);
    vrp_educate(w->local, g->weights, t->parents, &rng, &t->child);
    if (!vrp_genome_is_within(&t->child) && mco_rng_below(&rng, 2) == 0) {
        vrp_genome_copy(&g->network, &t->repaired, &t->child);
        vrp_repair(w->local, repairing(g->weights), &rng, &t->repaired);
        t->is_repaired = vrp_genome_is_within(&t->repaired);
    }
    atomic_store(&t->is_made, true);
}

// Makes a solution of a genome. Nodes become customers.
static void to_solution(const vrp_genome *genome, mco_vrp_solution *out)
{
    out->routes = out->first[0] = 0;
    for (int32_t r = 0; r < genome->routes; r++)
        vrp_add_route(out, genome->order + genome->first[r], genome->first[r + 1] - genome->first[r]);
    for (int32_t k = 0; k < out->customers; k++)
        out->order[k]--;
}

static void work(void *shared, int number, int64_t item)
{
    vrp_genetic *g = shared;
    if (!atomic_load(&g->stop))
        make_child(g, &g->workers[number], &g->tasks[item]);
}

// Notes a child as soon as it is made; `next` of the rounds is free during a batch.
static mco_status note_early(vrp_genetic *g, const vrp_genome *genome)
{
    vrp_rounds *s = g->s;
    if (!vrp_genome_is_within(genome) || genome->cost >= s->search->best_cost)
        return MCO_OK;
    to_solution(genome, &s->next);
    return vrp_search_note_early(s->search, &s->next, genome->cost, "child");
}

static mco_status look(vrp_genetic *g)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->count; k++) {
        task *t = &g->tasks[k];
        if (t->is_seen || !atomic_load(&t->is_made))
            continue;
        t->is_seen = true;
        MCO_TRY(note_early(g, &t->child));
        if (t->is_repaired)
            MCO_TRY(note_early(g, &t->repaired));
    }
done:
    return st;
}

static double watch(void *shared)
{
    vrp_genetic *g = shared;
    if (g->look_status == MCO_OK)
        g->look_status = look(g);
    if (g->look_status != MCO_OK || vrp_search_ends(g->s->search))
        atomic_store(&g->stop, true);
    return fmin(LOOK_S, fmax(1e-4, g->s->search->run.stop_s - mco_clock_s()));
}

static mco_status make_batch(vrp_genetic *g)
{
    vrp_rounds *s = g->s;
    vrp_pools_rank(&g->pools);
    for (int32_t k = 0; k < g->count; k++) {
        task *t = &g->tasks[k];
        for (int parent = 0; parent < 2; parent++)
            t->parents[parent] = g->children < FIRST_CHILDREN ? NULL : vrp_pools_draw(&g->pools, &s->rng);
        t->seed = mco_rng_next(&s->rng);
        t->is_repaired = t->is_seen = false;
        atomic_store(&t->is_made, false);
    }
    atomic_store(&g->stop, false);
    g->look_status = MCO_OK;
    mco_team_run(&g->team, g->count, work, watch, g);
    return g->look_status;
}

// ---- What becomes of the children

static mco_status admit(vrp_genetic *g, const vrp_genome *genome)
{
    vrp_rounds *s = g->s;
    vrp_pools_join(&g->pools, g->weights, genome);
    if (!vrp_genome_is_within(genome))
        return MCO_OK;
    if (genome->cost < g->best) {
        g->best = genome->cost;
        g->fruitless = 0;
    }
    if (genome->cost >= s->now_cost)
        return MCO_OK;
    to_solution(genome, &s->now);
    s->now_cost = genome->cost;
    return vrp_search_note(s->search, &s->now, s->now_cost, "child");
}

static double adapted(double first, double weight, uint64_t within)
{
    const double share = (double)__builtin_popcountll(within) / 64;
    const double next = share < WITHIN ? weight * HIGHER : share > WITHIN_MORE ? weight * LOWER : weight;
    return fmin(fmax(next, LEAST_WEIGHT * first), MOST_WEIGHT * first);
}

static void adapt_weights(vrp_genetic *g)
{
    g->weights.load = adapted(g->first.load, g->weights.load, g->within_load);
    g->weights.length = adapted(g->first.length, g->weights.length, g->within_length);
    vrp_pools_weigh(&g->pools, g->weights);
}

static mco_status admit_batch(vrp_genetic *g)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < g->count; k++) {
        const task *t = &g->tasks[k];
        if (!t->is_made)
            continue;
        g->fruitless++;
        MCO_TRY(admit(g, &t->child));
        if (t->is_repaired)
            MCO_TRY(admit(g, &t->repaired));
        g->within_load = g->within_load << 1 | (t->child.load_excess == 0);
        g->within_length = g->within_length << 1 | (t->child.length_excess == 0);
        if (++g->children % PENALTY_CHILDREN == 0)
            adapt_weights(g);
        g->s->search->iterations += g->network.customers;
    }
    if (g->fruitless >= FRUITLESS_CHILDREN) {
        vrp_pools_clear(&g->pools);
        g->children = g->fruitless = 0;
        g->best = INT64_MAX;
    }
done:
    return st;
}

mco_status vrp_genetic_admit(vrp_genetic *g, const mco_vrp_solution *solution)
{
    vrp_genome *genome = &g->tasks[0].child, *educated = &g->tasks[0].repaired;
    if (solution->routes > g->network.routes)
        return MCO_OK;
    genome->routes = solution->routes;
    for (int32_t r = 0; r <= solution->routes; r++)
        genome->first[r] = solution->first[r];
    for (int32_t k = 0; k < solution->customers; k++)
        genome->order[k] = solution->order[k] + 1;
    vrp_genome_complete(&g->network, genome);
    vrp_genome_copy(&g->network, educated, genome);
    vrp_educate(g->workers[0].local, repairing(g->weights), (const vrp_genome *[2]){NULL, NULL}, &g->s->rng, educated);
    return admit(g, vrp_genome_is_within(educated) ? educated : genome);
}

// ---- Memory

// If demands differ, and the free room of all routes together is less than the smallest demand, hardly any child gets
// along with `routes` routes. Children with more routes would crowd out the others, so they are not allowed then.
int32_t vrp_genetic_routes(const mco_vrp *p, int32_t routes)
{
    int64_t room = (int64_t)routes * p->capacity;
    int32_t least = INT32_MAX, most = 0;
    for (int32_t i = 1; i < p->nodes; i++) {
        room -= p->demand[i];
        least = p->demand[i] < least ? p->demand[i] : least;
        most = p->demand[i] > most ? p->demand[i] : most;
    }
    const double wanted = room < least && least < most ? routes : ceil((1 + MORE_ROUTES) * routes) + SPARE_ROUTES;
    const int32_t allowed = p->vehicles > 0 && p->vehicles < p->customers ? p->vehicles : p->customers;
    return wanted < allowed ? (int32_t)wanted : allowed;
}

static mco_status open_ground(vrp_genetic *g)
{
    mco_status st = MCO_OK;
    const vrp_rounds *s = g->s;
    mco_context *ctx = s->search->ctx;
    const mco_vrp *p = s->problem;
    vrp_network *network = &g->network;
    const int64_t n = p->customers, nodes = p->nodes;
    network->problem = p;
    network->customers = p->customers;
    network->routes = vrp_genetic_routes(p, s->now.routes);
    if (p->matrix == NULL)
        MCO_TRY(mco_alloc(ctx, &network->distance_memory, nodes * nodes));
    for (int32_t i = 0; p->matrix == NULL && i < p->nodes; i++)
        for (int32_t j = 0; j < p->nodes; j++)
            network->distance_memory[i * nodes + j] = vrp_distance(p, i, j);
    network->distance = p->matrix != NULL ? p->matrix : network->distance_memory;
    MCO_TRY(mco_alloc(ctx, &network->service, nodes));
    for (int32_t i = 0; i < p->nodes; i++)
        network->service[i] = vrp_service(p, i);
    network->near_count = s->near_count < NEIGHBOURS ? s->near_count : NEIGHBOURS;
    MCO_TRY(mco_alloc(ctx, &network->near, nodes * network->near_count));
    for (int64_t c = 0; c < n; c++)
        for (int32_t k = 0; k < network->near_count; k++)
            network->near[(c + 1) * network->near_count + k] = s->near[c * s->near_count + k] + 1;
done:
    return st;
}

mco_status vrp_genetic_open(vrp_rounds *s, vrp_genetic **out)
{
    mco_status st = MCO_OK;
    mco_context *ctx = s->search->ctx;
    const mco_vrp *p = s->problem;
    const int threads = s->processor->threads;
    MCO_TRY(mco_alloc(ctx, out, 1));
    vrp_genetic *g = *out;
    g->s = s;
    g->best = INT64_MAX;
    MCO_TRY(open_ground(g));
    MCO_TRY(vrp_pools_open(ctx, &g->network, &g->pools));
    g->batch = threads > BATCH ? threads : BATCH;
    MCO_TRY(mco_alloc(ctx, &g->tasks, g->batch));
    for (int32_t k = 0; k < g->batch; k++) {
        MCO_TRY(vrp_genome_open(ctx, &g->network, &g->tasks[k].child));
        MCO_TRY(vrp_genome_open(ctx, &g->network, &g->tasks[k].repaired));
    }
    MCO_TRY(mco_alloc(ctx, &g->workers, threads));
    for (int k = 0; k < threads; k++) {
        MCO_TRY(vrp_split_open(ctx, &g->network, &g->workers[k].split));
        MCO_TRY(vrp_local_search_open(ctx, &g->network, &g->workers[k].local));
        MCO_TRY(mco_alloc(ctx, &g->workers[k].is_taken, (int64_t)p->customers + 1));
    }
    MCO_TRY(mco_team_open(ctx, threads, true, &g->team));
    int32_t most_demand = 1;
    for (int32_t i = 1; i < p->nodes; i++)
        most_demand = p->demand[i] > most_demand ? p->demand[i] : most_demand;
    g->first = g->weights = (vrp_weights){fmax(p->longest, 1) / most_demand, 1};
done:
    if (st != MCO_OK)
        vrp_genetic_close(out);
    return st;
}

void vrp_genetic_close(vrp_genetic **genetic)
{
    vrp_genetic *g = *genetic;
    if (g == NULL)
        return;
    mco_context *ctx = g->s->search->ctx;
    mco_team_close(&g->team);
    for (int k = 0; g->workers != NULL && k < g->s->processor->threads; k++) {
        mco_free(ctx, &g->workers[k].is_taken);
        vrp_local_search_close(ctx, &g->workers[k].local);
        vrp_split_close(ctx, &g->workers[k].split);
    }
    mco_free(ctx, &g->workers);
    for (int32_t k = 0; g->tasks != NULL && k < g->batch; k++) {
        vrp_genome_close(ctx, &g->tasks[k].repaired);
        vrp_genome_close(ctx, &g->tasks[k].child);
    }
    mco_free(ctx, &g->tasks);
    vrp_pools_close(ctx, &g->pools);
    mco_free(ctx, &g->network.near);
    mco_free(ctx, &g->network.service);
    mco_free(ctx, &g->network.distance_memory);
    mco_free(ctx, genetic);
}

// ---- The search

mco_status vrp_genetic_run(vrp_genetic *g, double share)
{
    mco_status st = MCO_OK;
    vrp_rounds *s = g->s;
    while (!vrp_rounds_is_at(s, share) && !vrp_rounds_is_over(s)) {
        const int64_t left = vrp_rounds_steps_left(s, share) / s->problem->customers;
        g->count = left < g->batch ? (int32_t)left : g->batch;
        if (g->count <= 0)
            break;
        MCO_TRY(make_batch(g));
        MCO_TRY(admit_batch(g));
    }
done:
    return st;
}
