// SPDX-License-Identifier: MIT
// Iterated local search: rounds of annealing walks by ruin and recreate (dtspms/walk.h). Dynamic programs and a descent
// end each round.
//
//     for each round
//         every walk cools from HOT to COLD
//         the best plans of the walks get their best tours
//         the best plan of all descends by the best swap, then by the best 3-exchange, until neither improves it or
//         a scan would take long compared with the round
//         before the third round and each later one, every second walk begins anew
//
// The unit of temperature is twice the mean distance of a node to its nearest, about the mean edge of a good solution.
// The first round is short, for an early answer. The others end where it is better to heat up again than to go on
// (NOTES). Walks evaluate no neighbourhood. If the engine cannot move them, the cores do.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/clock.h"
#include "dtspms/search.h"
#include "dtspms/walk.h"

static const double HOT = 1.3, COLD = 0.5;       // in mean edges
static const double MOST_TEMPERATURE = 4e6;      // see dtspms_walk.temperature
static const int64_t FIRST_STEPS = 200, ROUND_STEPS = 2000;  // of a round, for each node
static const double FIRST_END = 1.0 / 16, END = 0.97;  // shares of the limit by which rounds have cooled down
static const int64_t MOST_SEGMENT = 256, SEGMENTS = 4096;  // --iterations: steps at a temperature; temperatures
static const double SEGMENT_S = 0.05;            // else: time at one temperature on the cores; then the clock is read
static const double LONG_SEGMENT_S = 0.2;        // the same on an engine that moves walks: it copies them to and fro
enum { MOST_PRICED = 64 };                       // walks that get their best tours at the end of a round
static const int64_t LONG_TOUR = 10000000;       // relaxations: longer dynamic programs run only at the end of a round
static const double STEP_RELAXATIONS = 4e3;      // relaxations that take as long as a step, for each order
static const double PLAIN_SLOWER = 1000;         // about how many times slower a relaxation is in plain kernels
static const double DESCENT_SHARE[] = {1, 0.1};  // share of a round's work that a scan of swaps, of exchanges may take

typedef struct ils {
    dtspms_search *search;
    dtspms_walk_tables tables;
    dtspms_walk *walks;  // [count]
    dtspms_walk **by_cost;  // [count] the same, the best first
    int32_t count;
    dtspms_plan plan;    // scratch: the plan of a walk
    int32_t *tours[2];   // [orders] its tours
    int32_t heights[MCO_DTSPMS_MAX_STACKS];  // for which the engine is open
    double mean_edge;
    int64_t steps;       // of each walk, all rounds
    double step_s;       // time of a step at the last measurement; 0 before the first, when one step is tried
    double begin_s;
} ils;

static double find_mean_edge(const dtspms_model *model)
{
    double sum = 0;
    int64_t left = DTSPMS_LOOK;
    for (int network = 0; network < 2; network++)
        for (int32_t i = 0; i < model->nodes && !dtspms_is_late(model, &left, model->nodes); i++) {
            int32_t nearest = INT32_MAX;
            for (int32_t j = 0; j < model->nodes; j++) {
                const int32_t length = model->distance[network][(int64_t)i * model->nodes + j];
                nearest = length > 0 && length < nearest ? length : nearest;
            }
            sum += nearest < INT32_MAX ? nearest : 0;
        }
    return sum / model->nodes;
}

// ---- Limits

// Share of the limit that is used, 0 to 1; negative without a limit. With a number of steps the clock has no influence
// here. It can end the search, but until then the result depends on the steps alone.
static double progress(const ils *s)
{
    const mco_dtspms_params *p = s->search->params;
    double share = -1;
    if (p->iterations >= 0)
        share = p->iterations > 0 ? (double)s->steps / (double)p->iterations : 1;
    else if (isfinite(s->search->run.stop_s))
        share = (mco_clock_s() - s->begin_s) / (s->search->run.stop_s - s->begin_s);
    return share;
}

// Steps until the clock is read.
static int64_t timed_steps(const ils *s)
{
    const double seconds = s->search->engine->walk != NULL ? LONG_SEGMENT_S : SEGMENT_S;
    return s->step_s == 0 ? 1 : s->step_s > seconds ? 1 : (int64_t)(seconds / s->step_s);
}

// Steps at one temperature.
static int64_t segment_steps(const ils *s)
{
    const int64_t limit = s->search->params->iterations;
    if (limit >= 0) {
        const int64_t share = 1 + limit / SEGMENTS, steps = share < MOST_SEGMENT ? share : MOST_SEGMENT;
        return limit - s->steps < steps ? limit - s->steps : steps;
    }
    return timed_steps(s);
}

static bool ends(ils *s)
{
    if (dtspms_search_ends(s->search))
        return true;
    if (s->search->params->iterations < 0 || s->steps < s->search->params->iterations)
        return false;
    s->search->run.stop = MCO_STOP_ITERATIONS;
    return true;
}

// ---- The best plans of the walks

// Notes the best plan of a walk: with the best tours if is_exact, else with the walk's tours.
static mco_status note_walk(ils *s, const dtspms_walk *walk, bool is_exact)
{
    mco_status st = MCO_OK;
    int64_t cost = walk->best.cost;
    dtspms_tours_plan(&s->tables, &walk->best, &s->plan, s->tours);
    if (is_exact)
        MCO_TRY(dtspms_search_cost(s->search, &s->plan, &cost));
    MCO_TRY(dtspms_search_note(s->search, &s->plan, cost, is_exact ? NULL : s->tours, "walk"));
done:
    return st;
}

// Notes the best plan of the first `count` walks if it is better than all before.
static mco_status note_walks(ils *s, int32_t count)
{
    int32_t best = 0;
    for (int32_t k = 1; k < count; k++)
        if (s->walks[k].best.cost < s->walks[best].best.cost)
            best = k;
    if (s->search->best_cost >= 0 && s->walks[best].best.cost >= s->search->best_cost)
        return MCO_OK;
    return note_walk(s, &s->walks[best], dtspms_relaxations(s->walks[best].best.heights, s->tables.stacks) <= LONG_TOUR);
}

// Moves all walks on by `steps` steps, or fewer if the search ends.
static mco_status move_walks(ils *s, int64_t steps)
{
    mco_status st = MCO_OK;
    dtspms_search *search = s->search;
    dtspms_engine *engine = search->engine;
    for (int64_t left = steps; left > 0 && !dtspms_search_ends(search);) {
        const int64_t most = timed_steps(s), part = left < most ? left : most;
        const double begin_s = mco_clock_s();
        if (engine->walk != NULL)
            MCO_TRY(engine->walk(engine, &s->tables, s->walks, s->count, part));
        else
            MCO_TRY(dtspms_walk_all(search->ctx, &s->tables, s->walks, s->count, part, search->threads, search->simd));
        s->step_s = (mco_clock_s() - begin_s) / (double)part;
        s->steps += part;
        search->iterations += part * s->count;
        left -= part;
    }
done:
    return st;
}

// Cools the walks for `steps` steps or until the share `end` of the limit is used, whichever comes first.
static mco_status cool(ils *s, int64_t steps, double end, bool *has_ended)
{
    mco_status st = MCO_OK;
    const int64_t first = s->steps;
    const double begin = progress(s);
    for (;;) {
        const double now = progress(s), by_steps = (double)(s->steps - first) / (double)steps;
        const double by_limit = now < 0 ? 0 : now < end ? (now - begin) / (end - begin) : 1;
        const double share = by_steps > by_limit ? by_steps : by_limit;
        if ((*has_ended = ends(s)) || !(share < 1))
            return MCO_OK;
        const double temperature = HOT * s->mean_edge * pow(COLD / HOT, share);
        const int64_t segment = segment_steps(s);
        for (int32_t k = 0; k < s->count; k++)
            s->walks[k].temperature = (int32_t)(256 * (temperature < MOST_TEMPERATURE ? temperature : MOST_TEMPERATURE));
        MCO_TRY(move_walks(s, segment));
        MCO_TRY(note_walks(s, s->count));
    }
done:
    return st;
}

// ---- Descent

// Whether a tour with these heights fits the memory, and a scan takes at most its share of the work of `steps` steps of
// all walks.
static bool is_short(const ils *s, const int32_t *heights, mco_dtspms_move kind, int64_t steps)
{
    const dtspms_engine *engine = s->search->engine;
    const bool is_plain = engine->work.gpus != 0 && engine->work.lane_bits == 32 && s->search->params->iterations < 0;
    const double relaxations = 2 * (double)dtspms_relaxations(heights, s->tables.stacks) * (is_plain ? PLAIN_SLOWER : 1);
    const double work = STEP_RELAXATIONS * s->tables.orders * (double)steps * s->count;
    return dtspms_tour_bytes(heights, s->tables.stacks) <= mco_settle_memory(s->search->params->memory) &&
           (double)dtspms_move_count(kind, s->tables.orders) * relaxations <= DESCENT_SHARE[kind] * work;
}

// Opens the engine for the heights of the best plan. *fits is false if their tables are too large; the engine then
// stays open for the heights before. Errors: as dtspms_engine_open().
static mco_status fit_engine(ils *s, bool *fits)
{
    mco_status st = MCO_OK;
    dtspms_search *search = s->search;
    const dtspms_model *model = search->model;
    const size_t bytes = (size_t)model->stacks * sizeof *s->heights;
    *fits = memcmp(search->best.heights, s->heights, bytes) == 0;
    if (*fits)
        return MCO_OK;
    st = dtspms_engine_change(search->ctx, model, search->best.heights, search->params, search->engine);
    *fits = st == MCO_OK;
    if (*fits)
        memcpy(s->heights, search->best.heights, bytes);
    else if (st == MCO_ERR_LIMIT)
        st = dtspms_engine_change(search->ctx, model, s->heights, search->params, search->engine);
    return st;
}

// Lets the best plan descend, after a round of `steps` steps of each walk.
static mco_status descend(ils *s, int64_t steps, bool *has_ended)
{
    mco_status st = MCO_OK;
    dtspms_search *search = s->search;
    const dtspms_model *model = search->model;
    mco_dtspms_move kind = MCO_DTSPMS_MOVE_SWAP;
    bool fits = is_short(s, search->best.heights, kind, steps);
    if (fits)
        MCO_TRY(fit_engine(s, &fits));
    while (fits && kind <= MCO_DTSPMS_MOVE_EXCHANGE && is_short(s, search->best.heights, kind, steps) && !(*has_ended = dtspms_search_ends(search))) {
        dtspms_scan scan = {.plan = &search->best, .kind = kind, .reuse = true};
        MCO_TRY(search->engine->scan(search->engine, &scan, search->run.stop_s));
        const int64_t cost = scan.best_cost_of[0] + scan.best_cost_of[1];
        if (scan.best_move >= 0 && cost < search->best_cost) {
            dtspms_move move;
            memcpy(s->plan.heights, search->best.heights, sizeof s->plan.heights);
            memcpy(s->plan.node, search->best.node, (size_t)model->orders * sizeof *s->plan.node);
            dtspms_move_at(&s->plan, kind, model->orders, scan.best_move, &move);
            dtspms_move_apply(&move, &s->plan);
            MCO_TRY(dtspms_search_note(search, &s->plan, cost, NULL, "descent"));
            kind = MCO_DTSPMS_MOVE_SWAP;
        } else {
            kind++;
        }
    }
done:
    return st;
}

static int compare_walks(const void *a, const void *b)
{
    const dtspms_walk *x = *(dtspms_walk *const *)a, *y = *(dtspms_walk *const *)b;
    return x->best.cost != y->best.cost ? (x->best.cost < y->best.cost ? -1 : 1) : (x > y) - (x < y);
}

// Gives the best plans of the walks their best tours. Then the best plan of all descends.
static mco_status finish_round(ils *s, int64_t steps, bool *has_ended)
{
    mco_status st = MCO_OK;
    for (int32_t k = 0; k < s->count; k++)
        s->by_cost[k] = &s->walks[k];
    qsort(s->by_cost, (size_t)s->count, sizeof *s->by_cost, compare_walks);
    for (int32_t k = 0; k < s->count && k < MOST_PRICED && !(*has_ended = dtspms_search_ends(s->search)); k++)
        if (is_short(s, s->by_cost[k]->best.heights, MCO_DTSPMS_MOVE_SWAP, steps))
            MCO_TRY(note_walk(s, s->by_cost[k], true));
    if (!*has_ended)
        MCO_TRY(descend(s, steps, has_ended));
done:
    return st;
}

// ---- Rounds

// Begins the first walk at the start, if one is given, and the others with orders placed in random order. If the time
// runs out, there are fewer walks; none if even the first is late.
static mco_status begin_walks(ils *s, const dtspms_plan *plan)
{
    mco_status st = MCO_OK;
    const dtspms_search *search = s->search;
    for (int32_t k = 0; k < s->count; k++) {
        uint64_t seed = (uint64_t)search->params->seed + ((uint64_t)k << 40);
        if (k > 0 && (mco_clock_s() >= search->run.stop_s || mco_is_cancelled(search->ctx))) {
            s->count = s->search->walks = k;
            break;
        }
        MCO_TRY(dtspms_walk_make(search->ctx, &s->tables, &s->walks[k]));
        int64_t cost = 0;
        for (mco_dtspms_network w = 0; w < 2 && k == 0 && cost >= 0 && search->params->start != NULL; w++)
            MCO_TRY(dtspms_tour(search->ctx, search->model, plan, w, &cost, s->tours[w]));
        if (cost < 0 || !dtspms_walk_scatter(&s->tables, mco_splitmix64(&seed), search->simd, &s->walks[k])) {
            dtspms_walk_clear(search->ctx, &s->walks[k]);
            s->count = s->search->walks = k;
            break;
        }
        if (k == 0 && search->params->start != NULL)
            dtspms_walk_enter(&s->tables, plan, (const int32_t *const *)s->tours, &s->walks[k]);
        if (k == 0)
            MCO_TRY(note_walks(s, 1));
    }
done:
    return st;
}

// Begins every second walk anew.
static void begin_anew(ils *s)
{
    for (int32_t k = 1; k < s->count; k += 2)
        dtspms_walk_scatter(&s->tables, s->walks[k].random, s->search->simd, &s->walks[k]);
}

static void clear(ils *s)
{
    mco_context *ctx = s->search->ctx;
    for (int32_t k = 0; s->walks != NULL && k < s->search->walks; k++)
        dtspms_walk_clear(ctx, &s->walks[k]);
    mco_free(ctx, &s->by_cost);
    mco_free(ctx, &s->walks);
    mco_free(ctx, &s->tours[1]);
    mco_free(ctx, &s->tours[0]);
    mco_free(ctx, &s->plan.node);
    dtspms_walk_tables_clear(ctx, &s->tables);
}

mco_status dtspms_ils(dtspms_search *search, dtspms_plan *plan)
{
    mco_status st = MCO_OK;
    const dtspms_model *model = search->model;
    ils s = {.search = search, .count = search->walks, .mean_edge = find_mean_edge(model), .begin_s = mco_clock_s()};
    bool has_ended = false;
    memcpy(s.heights, plan->heights, sizeof s.heights);
    MCO_TRY(dtspms_walk_tables_make(search->ctx, model, &s.tables));
    MCO_TRY(mco_alloc(search->ctx, &s.plan.node, model->orders));
    for (int w = 0; w < 2; w++)
        MCO_TRY(mco_alloc(search->ctx, &s.tours[w], model->orders));
    MCO_TRY(mco_alloc(search->ctx, &s.walks, s.count));
    MCO_TRY(mco_alloc(search->ctx, &s.by_cost, s.count));
    if (s.tables.is_complete)
        MCO_TRY(begin_walks(&s, plan));
    else
        s.count = search->walks = 0;
    if (s.count > 0)
        MCO_TRY(note_walks(&s, s.count));
    else
        has_ended = dtspms_search_ends(search);
    for (int32_t round = 0; !has_ended; round++) {
        const int64_t done = s.steps;
        if (round > 1 && progress(&s) < END)
            begin_anew(&s);
        MCO_TRY(cool(&s, (round == 0 ? FIRST_STEPS : ROUND_STEPS) * (model->orders + 1),
                     round == 0 ? FIRST_END : progress(&s) < END ? END : 1, &has_ended));
        if (!has_ended || search->run.stop == MCO_STOP_ITERATIONS)
            MCO_TRY(finish_round(&s, s.steps - done, &has_ended));
        has_ended = has_ended || search->run.stop == MCO_STOP_ITERATIONS;
    }
done:
    clear(&s);
    return st;
}
