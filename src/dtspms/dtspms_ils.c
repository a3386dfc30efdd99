// SPDX-License-Identifier: MIT
// Iterated local search: rounds of annealing walks (dtspms_walk.h), each ended by descent in the complete neighbourhoods.
//
//     for each round
//         every walk cools from HOT to COLD; RESAMPLINGS times on the way the worst give up and go on from plans of the best
//         the best plan of the walks descends by the best swap, then by the best exchange of three, until neither improves
//
// Walks that leave each other for better ones are population annealing (Hukushima, Iba 2003; Machta 2010); with it, and equal
// work, the best plan of 16 walks is better than without, and than that of fewer and longer ones (README). Temperatures count
// in twice the mean distance of a node to its nearest, about the mean edge of a good solution. With a limit of time or steps
// a short round is for an early answer and the second takes the rest; without, each round is twice as long as the one before.
//
// A walk only changes which orders stand where. Where stacks have room to spare, rounds are all as short as the first, and
// two of three begin anew with other heights than those of the best plan: a few orders more here, fewer there.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "dtspms/dtspms_search.h"

static const double HOT = 0.75, COLD = 0.33;     // of the mean edge
static const double MOST_TEMPERATURE = 4e6;      // see dtspms_walk.temperature
static const double RESAMPLED = 0.3;             // share of the walks that give up
enum { RESAMPLINGS = 50 };                       // of a round
static const double FIRST_ROUND = 1.0 / 16;      // of the limit
static const int64_t FIRST_STEPS = 4096;         // of the first round without any limit
enum { SEGMENT = 64 };                           // steps at one temperature
static const double SEGMENT_RELAXATIONS = 6e10;  // seconds of one core: fewer steps where they are long
static const double SEGMENT_S = 0.05;            // without a number of steps; the clock is looked at between segments
static const double DESCENT_SHARE[] = {1, 0.1};  // of the round's relaxations that a scan of swaps, of exchanges may take

typedef struct ils {
    dtspms_search *search;
    dtspms_walk *walks;   // [count]
    dtspms_walk **by_cost;  // [count] the same, the best first
    int32_t count;
    int32_t *memory;      // behind their arrays
    int64_t relaxations;  // of one tour
    double mean_edge;
    dtspms_plan start;    // of the first walk; all have its heights
    bool has_room;        // heights may vary
    mco_rng rng;          // of the heights
    int64_t steps;        // of each walk, all rounds
    double step_s;        // what the last step took; 0 before the first: one step is tried then
    double begin_s;
} ils;

static double find_mean_edge(const dtspms_model *model)
{
    double sum = 0;
    for (int network = 0; network < 2; network++)
        for (int32_t i = 0; i < model->nodes; i++) {
            int32_t nearest = INT32_MAX;
            for (int32_t j = 0; j < model->nodes; j++) {
                const int32_t length = model->distance[network][(int64_t)i * model->nodes + j];
                nearest = j != i && length < nearest ? length : nearest;
            }
            sum += nearest;
        }
    return sum / model->nodes;
}

// Share of the limit that is gone, 0 to 1; negative without a limit.
static double progress(const ils *s)
{
    const mco_dtspms_params *p = s->search->params;
    double share = -1;
    if (p->iterations >= 0)
        share = p->iterations > 0 ? (double)s->steps / (double)p->iterations : 1;
    if (isfinite(s->search->stop_s)) {
        const double now_s = mco_clock_s(), by_time = (now_s - s->begin_s) / (s->search->stop_s - s->begin_s);
        share = by_time > share ? by_time : share;
    }
    return share;
}

static int32_t segment_steps(const ils *s)
{
    const double most = SEGMENT_RELAXATIONS / (2.0 * DTSPMS_WALK_BATCH * (double)s->relaxations);
    int64_t steps = most < 1 ? 1 : most < SEGMENT ? (int64_t)most : SEGMENT;
    if (s->search->params->iterations >= 0)
        steps = s->search->params->iterations - s->steps < steps ? s->search->params->iterations - s->steps : steps;
    else if (s->step_s == 0)
        steps = 1;
    else if (s->step_s * (double)steps > SEGMENT_S)
        steps = s->step_s > SEGMENT_S ? 1 : (int64_t)(SEGMENT_S / s->step_s);
    return (int32_t)steps;
}

static bool ends(ils *s)
{
    if (dtspms_search_ends(s->search))
        return true;
    if (s->search->params->iterations < 0 || s->steps < s->search->params->iterations)
        return false;
    s->search->stop = MCO_STOP_ITERATIONS;
    return true;
}

// Notes the best plan of all walks.
static mco_status note_walks(ils *s)
{
    dtspms_plan plan = s->start;
    int32_t best = 0;
    for (int32_t k = 1; k < s->count; k++)
        if (s->walks[k].best_cost < s->walks[best].best_cost)
            best = k;
    plan.node = s->walks[best].best;
    return dtspms_search_note(s->search, &plan, s->walks[best].best_cost);
}

static int compare_walks(const void *a, const void *b)
{
    const dtspms_walk *x = *(dtspms_walk *const *)a, *y = *(dtspms_walk *const *)b;
    return x->cost != y->cost ? (x->cost < y->cost ? -1 : 1) : (x > y) - (x < y);
}

// The worst walks go on from the plans of the best.
static void resample(ils *s)
{
    const int32_t most = s->count / 2, wanted = (int32_t)(RESAMPLED * s->count + 0.5);
    for (int32_t k = 0; k < s->count; k++)
        s->by_cost[k] = &s->walks[k];
    qsort(s->by_cost, (size_t)s->count, sizeof *s->by_cost, compare_walks);
    for (int32_t k = 0; k < wanted && k < most; k++) {
        dtspms_walk *worst = s->by_cost[s->count - 1 - k];
        memcpy(worst->node, s->by_cost[k]->node, (size_t)s->search->model->orders * sizeof *worst->node);
        worst->cost = s->by_cost[k]->cost;
    }
}

// The walks cool while the share of the limit goes from `begin` to `end`, or for `steps` without a limit.
static mco_status cool(ils *s, double begin, double end, int64_t steps, bool *has_ended)
{
    mco_status st = MCO_OK;
    const int64_t first = s->steps;
    for (int32_t resamplings = 1;;) {
        const double now = progress(s);
        const double share = now < 0 ? (double)(s->steps - first) / (double)steps : (now - begin) / (end - begin);
        if ((*has_ended = ends(s)) || !(share < 1))  // 0 / 0 in a round behind the last
            return MCO_OK;
        if (share * RESAMPLINGS >= resamplings) {
            resample(s);
            resamplings = 1 + (int32_t)(share * RESAMPLINGS);
        }
        const double temperature = HOT * s->mean_edge * pow(COLD / HOT, share);
        const int32_t segment = segment_steps(s);
        for (int32_t k = 0; k < s->count; k++)
            s->walks[k].temperature = (int32_t)(256 * (temperature < MOST_TEMPERATURE ? temperature : MOST_TEMPERATURE));
        const double begin_s = mco_clock_s();
        MCO_TRY(s->search->engine->walk(s->search->engine, s->walks, s->count, segment));
        s->step_s = (mco_clock_s() - begin_s) / segment;
        s->steps += segment;
        s->search->iterations += (int64_t)segment * s->count;
        MCO_TRY(note_walks(s));
    }
done:
    return st;
}

// The best plan descends after `steps` steps of the walks. Scans that take long beside them are left out.
static mco_status descend(ils *s, int64_t steps, bool *has_ended)
{
    mco_status st = MCO_OK;
    dtspms_search *search = s->search;
    const dtspms_model *model = search->model;
    mco_dtspms_move kind = MCO_DTSPMS_SWAP;
    dtspms_plan plan = search->best;
    plan.node = NULL;
    if (memcmp(search->best.heights, s->start.heights, (size_t)model->stacks * sizeof *search->best.heights) != 0)
        return MCO_OK;  // the engine has other heights now
    MCO_TRY(mco_alloc(search->ctx, &plan.node, model->orders));
    while (kind <= MCO_DTSPMS_EXCHANGE && !(*has_ended = dtspms_search_ends(search))) {
        dtspms_scan scan = {.plan = &search->best, .kind = kind, .reuse = true};
        const double walked = (double)DTSPMS_WALK_BATCH * (double)steps * s->count;
        if ((double)dtspms_move_count(kind, model->orders) > DESCENT_SHARE[kind] * walked)
            break;
        MCO_TRY(search->engine->scan(search->engine, &scan, search->stop_s));
        const int64_t cost = scan.best_cost_of[0] + scan.best_cost_of[1];
        if (scan.best_move >= 0 && cost < search->best_cost) {
            dtspms_move move;
            memcpy(plan.node, search->best.node, (size_t)model->orders * sizeof *plan.node);
            dtspms_move_at(&plan, kind, model->orders, scan.best_move, &move);
            dtspms_move_apply(&move, &plan);
            MCO_TRY(dtspms_search_note(search, &plan, cost));
            kind = MCO_DTSPMS_SWAP;
        } else {
            kind++;
        }
    }
done:
    mco_free(search->ctx, &plan.node);
    return st;
}

// Walks from the start and from random plans of its heights; as many as can be priced in time, but one.
static mco_status begin_walks(ils *s, int32_t round)
{
    mco_status st = MCO_OK;
    const int32_t n = s->search->model->orders;
    for (int32_t k = 0; k < s->count; k++) {
        if (k > 0 && mco_clock_s() >= s->search->stop_s) {
            s->count = s->search->walks = k;
            break;
        }
        uint64_t seed = (uint64_t)s->search->params->seed + ((uint64_t)k << 40) + ((uint64_t)round << 24);
        dtspms_walk *w = &s->walks[k];
        *w = (dtspms_walk){.seed = mco_splitmix64(&seed), .step = w->step, .node = s->memory + 2 * (int64_t)n * k,
                           .best = s->memory + (2 * (int64_t)k + 1) * n};
        dtspms_plan own = s->start;
        int64_t cost;
        own.node = w->node;
        if (k == 0)
            memcpy(w->node, s->start.node, (size_t)n * sizeof *w->node);
        else
            dtspms_plan_shuffle(s->search->model, w->seed, &own);
        MCO_TRY(dtspms_search_cost(s->search, &own, &cost));
        w->cost = w->best_cost = (int32_t)cost;
        memcpy(w->best, w->node, (size_t)n * sizeof *w->node);
    }
done:
    return st;
}

// Opens the engine for other heights, unless their tables are too large. Errors: as of dtspms_engine_open().
static mco_status change_heights(ils *s, const int32_t *heights)
{
    mco_status st = MCO_OK;
    dtspms_search *search = s->search;
    const int32_t stacks = search->model->stacks;
    if (dtspms_tour_bytes(heights, stacks) > dtspms_memory_bytes(search->params))
        return MCO_OK;
    st = dtspms_engine_change(search->ctx, search->model, heights, search->params, search->engine);
    if (st == MCO_OK)
        memcpy(s->start.heights, heights, (size_t)stacks * sizeof *heights);
    else if (st == MCO_ERR_LIMIT)
        st = dtspms_engine_change(search->ctx, search->model, s->start.heights, search->params, search->engine);
    s->relaxations = dtspms_relaxations(s->start.heights, stacks);
    return st;
}

// Heights of the best plan, or near them. Errors: as of dtspms_engine_open().
static mco_status vary_heights(ils *s, int32_t round)
{
    mco_status st = MCO_OK;
    dtspms_search *search = s->search;
    const int32_t stacks = search->model->stacks, capacity = search->model->capacity;
    int32_t heights[MCO_DTSPMS_MAX_STACKS];
    memcpy(heights, search->best.heights, sizeof heights);
    for (int32_t tries = round % 3 == 0 ? 0 : 1 + (int32_t)mco_rng_below(&s->rng, 4); tries > 0; tries--) {
        const int32_t from = (int32_t)mco_rng_below(&s->rng, (uint32_t)stacks);
        const int32_t to = (int32_t)mco_rng_below(&s->rng, (uint32_t)stacks);
        if (heights[from] > 0 && heights[to] < capacity) {
            heights[from]--;
            heights[to]++;
        }
    }
    memcpy(s->start.node, search->best.node, (size_t)search->model->orders * sizeof *s->start.node);
    if (memcmp(heights, s->start.heights, (size_t)stacks * sizeof *heights) != 0)
        MCO_TRY(change_heights(s, heights));
    MCO_TRY(begin_walks(s, round));
done:
    return st;
}

// Share of the limit at which a round begins.
static double round_begin(const ils *s, int32_t round)
{
    return s->has_room || round < 2 ? round * FIRST_ROUND : 1;
}

mco_status dtspms_ils(dtspms_search *search, dtspms_plan *plan)
{
    mco_status st = MCO_OK;
    const dtspms_model *model = search->model;
    ils s = {.search = search, .count = search->walks, .relaxations = dtspms_relaxations(plan->heights, model->stacks),
             .mean_edge = find_mean_edge(model), .start = *plan, .begin_s = mco_clock_s(),
             .has_room = (int64_t)model->capacity * model->stacks > model->orders && model->orders > 1};
    bool has_ended = false;
    mco_rng_seed(&s.rng, (uint64_t)search->params->seed, 1);
    MCO_TRY(mco_alloc(search->ctx, &s.walks, s.count));
    MCO_TRY(mco_alloc(search->ctx, &s.by_cost, s.count));
    MCO_TRY(mco_alloc(search->ctx, &s.memory, 2 * (int64_t)model->orders * s.count));
    MCO_TRY(begin_walks(&s, 0));
    MCO_TRY(note_walks(&s));
    for (int32_t round = 0; !has_ended; round++) {
        const int64_t done = s.steps;
        if (s.has_room && round > 0)
            MCO_TRY(vary_heights(&s, round));
        MCO_TRY(cool(&s, round_begin(&s, round), round_begin(&s, round + 1),
                     FIRST_STEPS << (s.has_room ? 0 : round < 40 ? round : 40), &has_ended));
        if (!has_ended || search->stop == MCO_STOP_ITERATIONS)
            MCO_TRY(descend(&s, s.steps - done, &has_ended));
        has_ended = has_ended || search->stop == MCO_STOP_ITERATIONS;
    }
done:
    mco_free(search->ctx, &s.memory);
    mco_free(search->ctx, &s.by_cost);
    mco_free(search->ctx, &s.walks);
    return st;
}
