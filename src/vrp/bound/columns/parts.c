// SPDX-License-Identifier: MIT
#include "vrp/bound/columns/parts.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/grow.h"
#include "vrp/bound/columns/ascent.h"
#include "vrp/bound/relax/twin.h"

// From MANY customers on; parts of at most PART_SIZE, each of PART_STEPS steps.
enum { MANY = 2000, PART_SIZE = 650, PART_STEPS = 100 };
// Where sides are cut, in turn: prices near the border of a part are too high, so each customer takes those of the turn in which it is farther
// from a border.
enum { TURNS = 2 };
static const double cut_at[TURNS] = {0.5, 0.4};

typedef struct place {
    double x, y;
    double border;         // how far the nearest cut is
    int32_t node;
} place;

typedef struct map_part {
    place *at;             // [count] its customers
    int32_t count;
} map_part;

// Who climbs parts, one at a time: a thread of the cores, or one that serves a GPU.
typedef struct climber {
    mco_context *ctx;
    vrp_relax_settings settings;
    mco_status status;
} climber;

typedef struct parts {
    mco_context *ctx;
    const vrp_bound_problem *problem;
    place *place;          // [customers] in the order of parts
    map_part *part;        // [count]
    int64_t count, room;
    climber *climber;      // [climbers]; the first one has the context of the call
    int32_t climbers;
    vrp_twin gpus;         // that the settings name
    double stop_s;
    int32_t *price;        // [nodes] of this turn; before it, those to begin with
    int32_t turn;          // of cut_at
    atomic_int begun, done;  // customers whose part has begun in this turn, and those that have prices of it
} parts;

static int by_x(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->x < q->x || p->x > q->x)
        return p->x < q->x ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

static int by_y(const void *a, const void *b)
{
    const place *p = a, *q = b;
    if (p->y < q->y || p->y > q->y)
        return p->y < q->y ? -1 : 1;
    return (p->node > q->node) - (p->node < q->node);
}

// ---- One part

// The problem of the depot and `count` customers. The fleet is free: the whole one is shared by all parts.
static mco_status open_part(mco_context *ctx, const parts *s, const place *at, int32_t count, vrp_bound_problem *out)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = s->problem;
    vrp_bound_problem part = *p;
    int64_t load = 0;
    part.customers = count;
    part.nodes = count + 1;
    part.stride = (part.nodes + 15) / 16 * 16;
    part.least_demand = p->capacity;
    part.max_length = INT64_MAX;
    part.demand = part.cost = part.service = NULL;
    MCO_TRY(mco_alloc(ctx, &part.demand, part.nodes));
    MCO_TRY(mco_alloc(ctx, &part.cost, (int64_t)part.nodes * part.stride));
    for (int32_t i = 0; i < part.nodes; i++) {
        const int32_t from = i > 0 ? at[i - 1].node : 0;
        int32_t *row = part.cost + (int64_t)i * part.stride;
        for (int32_t j = 0; j < part.stride; j++)
            row[j] = j == i || j >= part.nodes ? VRP_NO_ARC : p->cost[(int64_t)from * p->stride + (j > 0 ? at[j - 1].node : 0)];
        part.demand[i] = p->demand[from];
        load += part.demand[i];
        if (i > 0 && part.demand[i] < part.least_demand)
            part.least_demand = part.demand[i];
    }
    part.fleet = (vrp_fleet){(int32_t)((load + p->capacity - 1) / p->capacity), count};
    *out = part;
done:
    if (st != MCO_OK)
        vrp_bound_problem_close(ctx, &part);
    return st;
}

// Its time is the share of its customers in what is left, times those who share it.
static double end_of(parts *s, int32_t count)
{
    const double now = mco_clock_s(), left = s->stop_s - now;
    const int32_t before = atomic_fetch_add(&s->begun, count);
    return now + left * fmin(1, (double)s->climbers * count / (s->problem->customers - before));
}

static mco_status climb_part(parts *s, const climber *c, const place *at, int32_t count)
{
    mco_status st = MCO_OK;
    vrp_bound_problem part = {0};
    vrp_q_pass *pass = NULL;
    vrp_ascent ascent = {0};
    const double stop_s = end_of(s, count);
    int32_t *start = NULL;
    if (vrp_bound_is_over(c->ctx, s->stop_s))
        return MCO_OK;
    MCO_TRY(mco_alloc(c->ctx, &start, count + 1));
    for (int32_t k = 0; k < count; k++)
        start[k + 1] = s->price[at[k].node];
    MCO_TRY(open_part(c->ctx, s, at, count, &part));
    MCO_TRY(vrp_q_open(c->ctx, &part, &c->settings, &pass));
    MCO_TRY(vrp_ascend_roughly(c->ctx, &part, pass, s->turn > 0 ? start : NULL, -1, PART_STEPS, stop_s, NULL, &ascent));
    for (int32_t k = 0; k < count && ascent.steps > 0; k++)
        s->price[at[k].node] = ascent.price[k + 1];
    atomic_fetch_add(&s->done, ascent.steps > 0 ? count : 0);
done:
    mco_free(c->ctx, &start);
    vrp_ascent_clear(c->ctx, &ascent);
    vrp_q_close(c->ctx, &pass);
    vrp_bound_problem_close(c->ctx, &part);
    return st;
}

// ---- All parts

// Cuts the places across the longer side until a part is small enough. O(count (log count)^2).
static mco_status cut(parts *s, place *at, int32_t count)
{
    mco_status st = MCO_OK;
    double least_x = INFINITY, most_x = -INFINITY, least_y = INFINITY, most_y = -INFINITY;
    if (vrp_bound_is_over(s->ctx, s->stop_s))
        return MCO_OK;
    if (count <= PART_SIZE) {
        MCO_TRY(mco_grow(s->ctx, &s->part, &s->room, s->count + 1));
        s->part[s->count++] = (map_part){at, count};
        return MCO_OK;
    }
    for (int32_t k = 0; k < count; k++) {
        least_x = fmin(least_x, at[k].x);
        most_x = fmax(most_x, at[k].x);
        least_y = fmin(least_y, at[k].y);
        most_y = fmax(most_y, at[k].y);
    }
    const int32_t first = (int32_t)(cut_at[s->turn] * count);
    const bool is_x = most_x - least_x > most_y - least_y;
    qsort(at, (size_t)count, sizeof *at, is_x ? by_x : by_y);
    for (int32_t k = 0; k < count; k++)
        at[k].border = fmin(at[k].border, is_x ? fabs(at[k].x - at[first].x) : fabs(at[k].y - at[first].y));
    MCO_TRY(cut(s, at, first));
    MCO_TRY(cut(s, at + first, count - first));
done:
    return st;
}

static void do_part(void *shared, int worker, int64_t k)
{
    parts *s = shared;
    climber *c = &s->climber[worker];
    if (c->status == MCO_OK)
        c->status = climb_part(s, c, s->part[k].at, s->part[k].count);
}

static mco_status climb_all(parts *s)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    for (int32_t k = 0; k < s->climbers; k++)
        s->climber[k].status = MCO_OK;
    if (s->climbers > 1) {
        MCO_TRY(mco_team_open(s->ctx, s->climbers, false, &team));
        mco_team_run(&team, s->count, do_part, NULL, s);
    }
    for (int64_t k = 0; k < s->count && s->climbers == 1; k++)
        do_part(s, 0, k);
    for (int32_t k = 0; k < s->climbers; k++)
        if (s->climber[k].status != MCO_OK) {
            st = s->climber[k].status;
            if (s->climber[k].ctx != s->ctx)
                (void)mco_fail(s->ctx, st, "%s", mco_context_error(s->climber[k].ctx));
            break;
        }
done:
    mco_team_close(&team);
    return st;
}

// One turn: prices of all parts. s->done says whether the time did.
static mco_status take_turn(parts *s)
{
    mco_status st = MCO_OK;
    const mco_vrp *vrp = s->problem->vrp;
    for (int32_t i = 1; i < s->problem->nodes; i++)
        s->place[i - 1] = (place){vrp->x[i], vrp->y[i], INFINITY, i};
    atomic_store(&s->begun, 0);
    atomic_store(&s->done, 0);
    s->count = 0;
    MCO_TRY(cut(s, s->place, s->problem->customers));
    MCO_TRY(climb_all(s));
done:
    return st;
}

// A climber for each GPU, or for each thread. All parts together have at most as many cells as the map.
static mco_status open_climbers(parts *s, const vrp_relax_settings *settings)
{
    mco_status st = MCO_OK;
    const int32_t threads = vrp_relax_threads(settings), most = s->problem->customers / PART_SIZE;
    const bool is_gpu = settings->engine == MCO_ENGINE_GPU;
    if (is_gpu)
        MCO_TRY(vrp_twin_name(s->ctx, settings, &s->gpus));
    s->climbers = is_gpu ? (s->gpus.gpu[1][0] != '\0' ? 2 : 1) : threads < most ? threads : most;
    MCO_TRY(mco_alloc(s->ctx, &s->climber, s->climbers));
    for (int32_t k = 0; k < s->climbers; k++) {
        climber *c = &s->climber[k];
        c->settings = *settings;
        c->settings.gpus = is_gpu && s->gpus.gpu[k][0] != '\0' ? s->gpus.gpu[k] : NULL;
        if (!is_gpu && s->climbers > 1) {
            c->settings.threads = threads / s->climbers;
            c->settings.threads_now = NULL;
        }
        if (s->climbers > 1)
            MCO_TRY(mco_context_create_child(s->ctx, &c->ctx));
        else
            c->ctx = s->ctx;
    }
done:
    return st;
}

static void close_climbers(parts *s)
{
    for (int32_t k = 0; k < s->climbers && s->climber != NULL; k++)
        if (s->climber[k].ctx != s->ctx)
            mco_context_destroy(&s->climber[k].ctx);
    mco_free(s->ctx, &s->climber);
    mco_free(s->ctx, &s->part);
}

bool vrp_has_parts(const vrp_bound_problem *problem)
{
    return problem->customers >= MANY && problem->vrp->x != NULL;
}

mco_status vrp_ascend_parts(mco_context *ctx, const vrp_bound_problem *problem, const vrp_relax_settings *settings, double stop_s,
                            int32_t **price)
{
    mco_status st = MCO_OK;
    const int32_t n = problem->customers;
    parts s = {.ctx = ctx, .problem = problem};
    int32_t *first = NULL;
    double *border = NULL;
    *price = NULL;
    if (!vrp_has_parts(problem))
        return MCO_OK;
    MCO_TRY(open_climbers(&s, settings));
    MCO_TRY(mco_alloc(ctx, &s.place, n));
    MCO_TRY(mco_alloc(ctx, &s.price, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &first, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &border, problem->nodes));
    s.stop_s = isfinite(stop_s) ? (mco_clock_s() + stop_s) / 2 : stop_s;
    MCO_TRY(take_turn(&s));
    for (int32_t k = 0; k < n; k++) {
        first[s.place[k].node] = s.price[s.place[k].node];
        border[s.place[k].node] = s.place[k].border;
    }
    s.stop_s = stop_s;
    s.turn = 1;
    if (s.done == n)
        MCO_TRY(take_turn(&s));
    for (int32_t k = 0; k < n && s.done == n; k++)
        if (border[s.place[k].node] > s.place[k].border)
            s.price[s.place[k].node] = first[s.place[k].node];
    if (s.done == n) {
        *price = s.price;
        s.price = NULL;
    }
done:
    close_climbers(&s);
    mco_free(ctx, &s.place);
    mco_free(ctx, &s.price);
    mco_free(ctx, &first);
    mco_free(ctx, &border);
    return st;
}
