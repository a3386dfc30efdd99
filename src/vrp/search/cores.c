// SPDX-License-Identifier: MIT
// The processor of cores: each thread walks the tasks that it claims, and the calling thread watches the clock.
#include <math.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/team.h"
#include "vrp/search/cores.h"
#include "vrp/search/walk.h"

static const double LOOK_S = 0.02;          // between looks at the clock and for a cancellation
static const int32_t PART_CUSTOMERS = 250;
static const int64_t STEPS_PER_CUSTOMER = 3000;

// ---- Memory of a walk

mco_status vrp_walk_open(mco_context *ctx, int32_t customers, int32_t routes, vrp_walk *out)
{
    mco_status st = MCO_OK;
    const int64_t nodes = (int64_t)customers + 1 + routes;
    MCO_TRY(mco_alloc(ctx, &out->node, nodes));
    MCO_TRY(mco_alloc(ctx, &out->ring, routes));
    MCO_TRY(mco_alloc(ctx, &out->spare, routes));
    MCO_TRY(mco_alloc(ctx, &out->best_node, nodes));
    MCO_TRY(mco_alloc(ctx, &out->changed, nodes));
    MCO_TRY(mco_alloc(ctx, &out->is_changed, nodes));
    MCO_TRY(mco_alloc(ctx, &out->route_of, nodes));
    MCO_TRY(mco_alloc(ctx, &out->edge, nodes));
    MCO_TRY(mco_alloc(ctx, &out->end_of, nodes));
    MCO_TRY(mco_alloc(ctx, &out->load_of, routes));
    MCO_TRY(mco_alloc(ctx, &out->node_stamp, nodes));
    MCO_TRY(mco_alloc(ctx, &out->saved_nodes, nodes));
    MCO_TRY(mco_alloc(ctx, &out->saved_rings, routes));
    MCO_TRY(mco_alloc(ctx, &out->removed, customers));
    MCO_TRY(mco_alloc(ctx, &out->key, customers));
    MCO_TRY(mco_alloc(ctx, &out->line, 4 * (int64_t)customers));
    MCO_TRY(mco_alloc(ctx, &out->absent, customers));
    MCO_TRY(mco_alloc(ctx, &out->absences, (int64_t)customers + 1));
done:
    if (st != MCO_OK)
        vrp_walk_close(ctx, out);
    return st;
}

void vrp_walk_close(mco_context *ctx, vrp_walk *walk)
{
    mco_free(ctx, &walk->absences);
    mco_free(ctx, &walk->absent);
    mco_free(ctx, &walk->line);
    mco_free(ctx, &walk->key);
    mco_free(ctx, &walk->removed);
    mco_free(ctx, &walk->saved_rings);
    mco_free(ctx, &walk->saved_nodes);
    mco_free(ctx, &walk->node_stamp);
    mco_free(ctx, &walk->load_of);
    mco_free(ctx, &walk->end_of);
    mco_free(ctx, &walk->edge);
    mco_free(ctx, &walk->route_of);
    mco_free(ctx, &walk->is_changed);
    mco_free(ctx, &walk->changed);
    mco_free(ctx, &walk->best_node);
    mco_free(ctx, &walk->spare);
    mco_free(ctx, &walk->ring);
    mco_free(ctx, &walk->node);
}

#define DECLARE(set, simd) extern const vrp_walk_variant vrp_walk_##set;
#define LIST(set, simd) &vrp_walk_##set,

MCO_EACH_SIMD(DECLARE)
static const vrp_walk_variant *const variants[] = {MCO_EACH_SIMD(LIST)};

mco_status vrp_walk_choose(mco_context *ctx, mco_simd simd, const vrp_walk_variant **out)
{
    return mco_pick(ctx, variants, simd, 0, out);
}

// ---- The processor

typedef struct cores {
    const vrp_walk_variant *variant;
    vrp_walk *walks;         // [threads]
    int32_t most_customers, most_routes;
    vrp_task *tasks;         // of the present run
    bool packs, is_packed;   // whether the run packs its task, and whether that succeeded
    mco_team_item *item_work;  // of other work, and what it shares
    void *item_shared;
    atomic_bool stop;
    mco_team team;
    vrp_processor *processor;
    double stop_s;
} cores;

static void work(void *shared, int worker, int64_t item)
{
    cores *c = shared;
    if (c->packs)
        c->is_packed = c->variant->pack(&c->walks[worker], c->tasks, &c->stop);
    else
        c->variant->run(&c->walks[worker], &c->tasks[item], &c->stop);
}

static double watch(void *shared)
{
    cores *c = shared;
    vrp_processor *processor = c->processor;
    const double now = mco_clock_s();
    if (mco_is_cancelled(processor->ctx) || now >= c->stop_s || (processor->ends != NULL && processor->ends(processor->user)))
        atomic_store(&c->stop, true);
    return fmin(LOOK_S, fmax(1e-4, c->stop_s - now));
}

// Makes room in every walk for the largest task so far.
static mco_status grow(vrp_processor *processor, const vrp_task *tasks, int32_t count)
{
    cores *c = processor->state;
    int32_t customers = c->most_customers, routes = c->most_routes;
    for (int32_t k = 0; k < count; k++) {
        customers = tasks[k].part.most_customers > customers ? tasks[k].part.most_customers : customers;
        routes = tasks[k].part.most_routes > routes ? tasks[k].part.most_routes : routes;
    }
    if (customers == c->most_customers && routes == c->most_routes)
        return MCO_OK;
    for (int t = 0; t < processor->threads; t++)
        vrp_walk_close(processor->ctx, &c->walks[t]);
    c->most_customers = c->most_routes = 0;
    for (int t = 0; t < processor->threads; t++) {
        const mco_status st = vrp_walk_open(processor->ctx, customers, routes, &c->walks[t]);
        if (st != MCO_OK)
            return st;
    }
    c->most_customers = customers;
    c->most_routes = routes;
    return MCO_OK;
}

static mco_status run_all(vrp_processor *processor, vrp_task *tasks, int32_t count, bool packs, double stop_s)
{
    mco_status st = MCO_OK;
    cores *c = processor->state;
    MCO_TRY(grow(processor, tasks, count));
    c->tasks = tasks;
    c->packs = packs;
    c->stop_s = stop_s;
    atomic_store(&c->stop, false);
    for (int t = 0; t < processor->threads; t++)
        c->walks[t].steps = 0;
    mco_team_run(&c->team, count, work, watch, c);
    for (int t = 0; t < processor->threads; t++)
        processor->steps += c->walks[t].steps;
done:
    return st;
}

static mco_status run(vrp_processor *processor, vrp_task *tasks, int32_t count, double stop_s)
{
    return run_all(processor, tasks, count, false, stop_s);
}

mco_status vrp_cores_pack(vrp_processor *processor, vrp_task *task, double stop_s, bool *is_found)
{
    const mco_status st = run_all(processor, task, 1, true, stop_s);
    *is_found = st == MCO_OK && ((cores *)processor->state)->is_packed;
    return st;
}

static void work_item(void *shared, int worker, int64_t item)
{
    cores *c = shared;
    if (!atomic_load(&c->stop))
        c->item_work(c->item_shared, worker, item);
}

static bool each(vrp_processor *processor, int64_t items, mco_team_item *item_work, void *shared, double stop_s)
{
    cores *c = processor->state;
    c->item_work = item_work;
    c->item_shared = shared;
    c->stop_s = stop_s;
    atomic_store(&c->stop, false);
    watch(c);  // a moment that is over begins no item
    mco_team_run(&c->team, items, work_item, watch, c);
    return !atomic_load(&c->stop);
}

static void close_crew(vrp_processor *processor)
{
    cores *c = processor->state;
    for (int t = 0; c != NULL && c->walks != NULL && t < processor->threads; t++)
        vrp_walk_close(processor->ctx, &c->walks[t]);
    if (c != NULL) {
        mco_team_close(&c->team);
        mco_free(processor->ctx, &c->walks);
    }
    mco_free(processor->ctx, &processor->state);
}

mco_status vrp_cores_open(mco_context *ctx, const mco_vrp *problem, const mco_vrp_params *params, vrp_processor *out)
{
    mco_status st = MCO_OK;
    cores *c = NULL;
    out->ctx = ctx;
    out->problem = problem;
    out->threads = mco_settle_threads(params->threads);
    out->run = run;
    out->each = each;
    out->close = close_crew;
    MCO_TRY(mco_alloc(ctx, &c, 1));
    out->state = c;
    MCO_TRY(mco_alloc(ctx, &c->walks, out->threads));
    c->processor = out;
    MCO_TRY(vrp_walk_choose(ctx, params->simd, &c->variant));
    MCO_TRY(mco_team_open(ctx, out->threads, true, &c->team));
    out->simd = c->variant->build.simd;
    out->tasks = out->threads;
    out->part_customers = PART_CUSTOMERS;
    out->part_routes = PART_CUSTOMERS;
    out->steps_per_customer = STEPS_PER_CUSTOMER;
done:
    if (st != MCO_OK)
        close_crew(out);
    return st;
}
