// SPDX-License-Identifier: MIT
// Instances after Uchoa, Pecin, Pessoa, Poggi, Vidal and Subramanian (2017): integer points of a square, a depot,
// customers at random or around seeds, demands of seven kinds, and a capacity for a given average number of customers
// per route.
//
// Customers stand at distinct points. The paper draws random points and accepts each with the probability sum over the
// seeds of exp(-distance / 40). That takes ever longer as the points near the seeds are used up. One pass over all
// points gives the same distribution (Efraimidis and Spirakis 2006). A point p with the probability w(p) gets
// the key E / w(p), where E is exponential. The points with the smallest keys are those that would be accepted first,
// in this order.
#include <stdio.h>
#include <stdlib.h>

#include "base/options.h"
#include "base/rng.h"
#include "base/structs.h"
#include "vrp/draft.h"

// The paper's square is [0, 1000]^2. With more than FULL_SIDE customers, a fifth of its points, the square and the
// clusters grow with the square root of the number of customers.
enum { SIDE = 1000, FULL_SIDE = 200000, LEAST_SEEDS = 3, MOST_SEEDS = 8 };

static const double CLUSTER_WIDTH = 40;  // on the paper's square

typedef struct keyed {
    double key;
    int32_t point;
} keyed;

typedef struct generator {
    mco_context *ctx;
    const mco_vrp_generation *g;
    mco_rng rng;
    int32_t customers, vehicles;
    int32_t side;        // points are 0..side in both directions, numbered y * (side + 1) + x
    uint64_t *is_used;   // a bit for each point
    keyed *keys;         // of the free points
    vrp_draft draft;
} generator;

// ---- Points

static int32_t points_of(const generator *m)
{
    return (m->side + 1) * (m->side + 1);  // 5 * 10^7 for 10^7 customers
}

static bool use(generator *m, int32_t point)
{
    uint64_t *word = &m->is_used[point / 64];
    const uint64_t bit = (uint64_t)1 << (point % 64);
    const bool is_free = (*word & bit) == 0;
    *word |= bit;
    return is_free;
}

static void place(generator *m, int32_t node, int32_t point)
{
    m->draft.problem->x[node] = point % (m->side + 1);
    m->draft.problem->y[node] = point / (m->side + 1);
}

static int32_t draw_point(generator *m)
{
    return (int32_t)mco_rng_below(&m->rng, (uint32_t)points_of(m));
}

static void place_depot(generator *m)
{
    const int32_t half = m->side / 2;
    const int32_t point = m->g->depot == MCO_VRP_DEPOT_CENTRE ? half * (m->side + 1) + half
                          : m->g->depot == MCO_VRP_DEPOT_CORNER ? 0
                                                                : draw_point(m);
    use(m, point);
    place(m, 0, point);
}

// At most one point in five is used, so a free one is found soon.
static void place_random(generator *m, int32_t first, int32_t end)
{
    for (int32_t node = first; node < end; node++) {
        int32_t point = draw_point(m);
        while (!use(m, point))
            point = draw_point(m);
        place(m, node, point);
    }
}

static int by_key(const void *a, const void *b)
{
    const keyed *u = a, *v = b;
    if (u->key != v->key)
        return u->key < v->key ? -1 : 1;
    return (u->point > v->point) - (u->point < v->point);
}

// Moves the `wanted` smallest to the front, in any order (Hoare's selection).
static void select_smallest(keyed *k, int64_t count, int64_t wanted)
{
    int64_t low = 0, high = count - 1;
    while (low < high) {
        const keyed pivot = k[low + (high - low) / 2];
        int64_t i = low, j = high;
        while (i <= j) {
            while (by_key(&k[i], &pivot) < 0)
                i++;
            while (by_key(&pivot, &k[j]) < 0)
                j--;
            if (i <= j) {
                const keyed swap = k[i];
                k[i++] = k[j];
                k[j--] = swap;
            }
        }
        if (wanted <= j)
            high = j;
        else if (wanted >= i)
            low = i;
        else
            return;
    }
}

// Draws a key for every free point. Returns the number of free points.
static int64_t draw_keys(generator *m, const int32_t *seeds, int32_t seed_count)
{
    const double width = CLUSTER_WIDTH * m->side / SIDE;
    int64_t count = 0;
    for (int32_t point = 0; point < points_of(m); point++) {
        double weight = 0;
        if ((m->is_used[point / 64] >> (point % 64) & 1) != 0)
            continue;
        for (int32_t s = 0; s < seed_count; s++) {
            const double dx = point % (m->side + 1) - seeds[s] % (m->side + 1);
            const double dy = point / (m->side + 1) - seeds[s] / (m->side + 1);
            weight += exp(-sqrt(dx * dx + dy * dy) / width);
        }
        const double exponential = -log(1 - mco_rng_real(&m->rng));
        m->keys[count++] = (keyed){exponential / (weight < 1 ? weight : 1), point};
    }
    return count;
}

// The first customers are the seeds of the clusters.
static mco_status place_clusters(generator *m, int32_t first, int32_t end)
{
    mco_status st = MCO_OK;
    int32_t seeds[MOST_SEEDS];
    const int32_t drawn = LEAST_SEEDS + (int32_t)mco_rng_below(&m->rng, MOST_SEEDS - LEAST_SEEDS + 1);
    const int32_t count = drawn < end - first ? drawn : end - first, rest = end - first - count;
    place_random(m, first, first + count);
    for (int32_t s = 0; s < count; s++)
        seeds[s] = (int32_t)(m->draft.problem->y[first + s] * (m->side + 1) + m->draft.problem->x[first + s]);
    if (rest == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &m->keys, points_of(m)));
    select_smallest(m->keys, draw_keys(m, seeds, count), rest);
    qsort(m->keys, (size_t)rest, sizeof *m->keys, by_key);
    for (int32_t k = 0; k < rest; k++) {
        use(m, m->keys[k].point);
        place(m, first + count + k, m->keys[k].point);
    }
done:
    mco_free(m->ctx, &m->keys);
    return st;
}

static mco_status place_all(generator *m)
{
    mco_status st = MCO_OK;
    const int32_t nodes = m->customers + 1;
    const int32_t half = m->g->placement == MCO_VRP_PLACEMENT_RANDOM      ? nodes
                         : m->g->placement == MCO_VRP_PLACEMENT_CLUSTERED ? 1
                                                                          : 1 + m->customers / 2;
    MCO_TRY(mco_alloc(m->ctx, &m->is_used, points_of(m) / 64 + 1));
    MCO_TRY(vrp_draft_places(m->ctx, &m->draft));
    place_depot(m);
    place_random(m, 1, half);
    if (half < nodes)
        MCO_TRY(place_clusters(m, half, nodes));
done:
    mco_free(m->ctx, &m->is_used);
    return st;
}

// ---- Demands

static int32_t draw_between(generator *m, int32_t low, int32_t high)
{
    return low + (int32_t)mco_rng_below(&m->rng, (uint32_t)(high - low + 1));
}

// `small_share` is the share of small demands where many demands are small.
static int32_t draw_demand(generator *m, int32_t node, double small_share)
{
    const mco_vrp *p = m->draft.problem;
    const double middle = m->side / 2.0;
    switch (m->g->demand) {
    case MCO_VRP_DEMAND_1_10: return draw_between(m, 1, 10);
    case MCO_VRP_DEMAND_5_10: return draw_between(m, 5, 10);
    case MCO_VRP_DEMAND_1_100: return draw_between(m, 1, 100);
    case MCO_VRP_DEMAND_50_100: return draw_between(m, 50, 100);
    case MCO_VRP_DEMAND_QUADRANT:
        return (p->x[node] < middle) == (p->y[node] < middle) ? draw_between(m, 51, 100) : draw_between(m, 1, 50);
    case MCO_VRP_DEMAND_MANY_SMALL:
        return mco_rng_real(&m->rng) < small_share ? draw_between(m, 1, 10) : draw_between(m, 50, 100);
    default: return 1;
    }
}

// Returns the sum of the demands, at most 10^7 * 100. *most receives the greatest one, at least 1.
static int64_t draw_demands(generator *m, int32_t *most)
{
    const double small_share = 0.7 + 0.25 * mco_rng_real(&m->rng);  // 70 to 95 %, as in the paper
    mco_vrp *p = m->draft.problem;
    int64_t sum = 0;
    *most = 1;
    for (int32_t node = 1; node < p->nodes; node++) {
        p->demand[node] = draw_demand(m, node, small_share);
        sum += p->demand[node];
        *most = p->demand[node] > *most ? p->demand[node] : *most;
    }
    return sum;
}

// ---- Giant tours

static mco_status try_capacity(generator *m, mco_vrp *p, int64_t capacity, int32_t *routes)
{
    mco_status st = MCO_OK;
    mco_vrp_solution s = {0};
    p->capacity = (int32_t)capacity;
    MCO_TRY(mco_vrp_construct(m->ctx, p, MCO_VRP_CONSTRUCTION_INSERTION, &s));
    *routes = s.routes;
    mco_log(m->ctx, MCO_LOG_DETAIL, "capacity %lld: %d routes for %d vehicles", (long long)capacity, s.routes, m->vehicles);
done:
    mco_vrp_solution_clear(m->ctx, &s);
    return st;
}

// Finds a capacity with which cheapest insertion needs no more routes than there are vehicles, while a slightly smaller
// one needs more. Then few routes are empty, or none. Starts without slack, goes up in growing steps, then halves the
// last one.
static mco_status fit_capacity(generator *m, mco_vrp *p, int64_t sum, int32_t most)
{
    enum { HALVINGS = 8 };
    mco_status st = MCO_OK;
    const int64_t least = (sum + m->vehicles - 1) / m->vehicles;
    int64_t fits = least > most ? least : most, fails = fits - 1, step = fits / 100 + 1;
    int32_t routes;
    MCO_TRY(try_capacity(m, p, fits, &routes));
    for (; routes > m->vehicles; step *= 2) {
        if (fits >= sum)
            return mco_fail(m->ctx, MCO_ERR_ARGUMENT,
                            "%d routes are needed, whatever the capacity, as none may be longer than %d; %d customers and %d "
                            "vehicles make %d nodes", routes, p->max_length, p->customers, m->vehicles,
                            (int32_t)m->g->giant_tour_nodes);
        fails = fits;
        fits = fits + step < sum ? fits + step : sum;
        MCO_TRY(try_capacity(m, p, fits, &routes));
    }
    for (int k = 0; k < HALVINGS && fits - fails > 1; k++) {
        const int64_t middle = fails + (fits - fails) / 2;
        MCO_TRY(try_capacity(m, p, middle, &routes));
        if (routes <= m->vehicles)
            fits = middle;
        else
            fails = middle;
    }
    p->capacity = (int32_t)fits;
done:
    return st;
}

// ---- All of it

#define MCO_OPTION_STRUCT mco_vrp_generation
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_VRP_GENERATE_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

const mco_option_table *mco_vrp_generation_options(void)
{
    return &options;
}

static mco_status take_generation(mco_context *ctx, const mco_vrp_generation *given, mco_vrp_generation *g)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_struct_take(ctx, "the generation", given, g, sizeof *g));
    MCO_TRY(mco_options_validate(ctx, &options, g));
    if ((g->customers >= 0) == (g->giant_tour_nodes > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s of --customers and --giant-tour-nodes is given, one was expected",
                        g->customers >= 0 ? "each" : "none");
done:
    return st;
}

// A giant tour of T nodes has T = customers + vehicles + 1. There is a vehicle for every route_size customers, and
// there are no more vehicles than customers.
static void set_sizes(generator *m)
{
    const mco_vrp_generation *g = m->g;
    m->customers = (int32_t)g->customers;
    if (g->giant_tour_nodes > 0) {
        const int32_t rest = (int32_t)g->giant_tour_nodes - 1;
        m->vehicles = (int32_t)floor(rest / (g->route_size + 1) + 0.5);
        m->vehicles = m->vehicles < rest / 2 ? m->vehicles : rest / 2;
        m->vehicles = m->vehicles > 1 ? m->vehicles : 1;
        m->customers = rest - m->vehicles;
    }
    m->side = m->customers <= FULL_SIDE ? SIDE : (int32_t)(SIDE * sqrt((double)m->customers / FULL_SIDE));
}

mco_status mco_vrp_generate(mco_context *ctx, const mco_vrp_generation *generation, mco_vrp **out)
{
    enum { NAME_ROOM = 64 };
    mco_status st = MCO_OK;
    mco_vrp_generation g = MCO_VRP_GENERATION_INIT;
    generator m = {.ctx = ctx, .g = &g};
    char name[NAME_ROOM];
    int32_t most;
    mco_vrp *p = NULL;
    if (ctx == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(take_generation(ctx, generation, &g));
    set_sizes(&m);
    mco_rng_seed(&m.rng, (uint64_t)g.seed, 0);
    snprintf(name, sizeof name, "vrp-n%d-s%lld", m.customers, (long long)g.seed);
    MCO_TRY(vrp_draft_new(ctx, m.customers, VRP_EUC_2D, name, &m.draft));
    MCO_TRY(place_all(&m));
    const int64_t sum = draw_demands(&m, &most);
    const double mean = m.customers > 0 ? (double)sum / m.customers : 1;
    m.draft.capacity = (int64_t)ceil(fmin(g.route_size * mean, MCO_VRP_MAX_LENGTH));
    m.draft.capacity = m.draft.capacity > most ? m.draft.capacity : most;
    m.draft.max_length = g.max_length;
    m.draft.vehicles = m.vehicles;
    MCO_TRY(vrp_settle(ctx, NULL, &m.draft));
    vrp_take(&m.draft, &p);
    if (m.vehicles > 0)
        MCO_TRY(fit_capacity(&m, p, sum, most));
    *out = p;
    p = NULL;
done:
    mco_vrp_destroy(ctx, &p);
    vrp_draft_clear(ctx, &m.draft);
    return st;
}
