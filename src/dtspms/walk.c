// SPDX-License-Identifier: MIT
// Walks (dtspms/walk.h): tables, solutions, ruin, steps, and all walks on a team of threads.
#include "dtspms/walk.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/team.h"

// ---- Tables

static void find_logarithms(uint32_t *table)
{
    for (int32_t k = 0; k < DTSPMS_LOGARITHMS; k++)
        table[k] = (uint32_t)(-log((k + 0.5) / DTSPMS_LOGARITHMS) * 65536 + 0.5);
}

// Finds the near_count orders nearest to `node` by D[i][j] + D[j][i], the lower node first among equals. Insertion
// keeps them in order.
static void find_near(const dtspms_model *model, const int32_t *distance, bool is_symmetric, int32_t node, int32_t near_count, int32_t *near)
{
    int64_t length[DTSPMS_NEAR];
    const int32_t *out = distance + (int64_t)node * model->nodes;
    int32_t count = 0;
    for (int32_t other = 1; other < model->nodes; other++) {
        // The column is read only where it differs from the row, because its entries lie far apart.
        const int64_t both = (int64_t)out[other] + (is_symmetric ? out[other] : distance[(int64_t)other * model->nodes + node]);
        if (other == node || (count == near_count && (count == 0 || both >= length[count - 1])))
            continue;
        int32_t at = count < near_count ? count++ : count - 1;
        for (; at > 0 && length[at - 1] > both; at--) {
            length[at] = length[at - 1];
            near[at] = near[at - 1];
        }
        length[at] = both;
        near[at] = other;
    }
}

typedef struct far_order {
    int64_t distance;
    int32_t node;
} far_order;

static int compare_far(const void *a, const void *b)
{
    const far_order *x = a, *y = b;
    return x->distance != y->distance ? (x->distance < y->distance ? -1 : 1) : (x->node > y->node) - (x->node < y->node);
}

static mco_status find_ranks(mco_context *ctx, const dtspms_model *model, int32_t *rank)
{
    mco_status st = MCO_OK;
    far_order *orders = NULL;
    MCO_TRY(mco_alloc(ctx, &orders, model->orders));
    for (int32_t x = 1; x < model->nodes; x++) {
        orders[x - 1].node = x;
        for (int network = 0; network < 2; network++)
            orders[x - 1].distance += (int64_t)model->distance[network][x] + model->distance[network][(int64_t)x * model->nodes];
    }
    qsort(orders, (size_t)model->orders, sizeof *orders, compare_far);
    for (int32_t k = 0; k < model->orders; k++)
        rank[orders[k].node] = k;
done:
    mco_free(ctx, &orders);
    return st;
}

static mco_status turn(mco_context *ctx, const int32_t *distance, int32_t nodes, dtspms_walk_tables *t, int32_t **out)
{
    mco_status st = MCO_OK;
    int64_t left = DTSPMS_LOOK;
    MCO_TRY(mco_alloc(ctx, out, (int64_t)nodes * nodes));
    for (int64_t i = 0; i < nodes && t->is_complete; t->is_complete = !dtspms_is_late(t->model, &left, nodes), i++)
        for (int64_t j = 0; j < nodes; j++)
            (*out)[i * nodes + j] = distance[j * nodes + i];
done:
    return st;
}

double dtspms_walk_tables_bytes(int32_t orders)
{
    const double nodes = orders + 1.0;
    return 2 * nodes * nodes * sizeof(int32_t) + 2 * nodes * DTSPMS_NEAR * sizeof(int32_t);
}

mco_status dtspms_walk_tables_make(mco_context *ctx, const dtspms_model *model, dtspms_walk_tables *out)
{
    mco_status st = MCO_OK;
    const int32_t n = model->orders;
    int64_t left = DTSPMS_LOOK;
    dtspms_walk_tables t = {.model = model, .is_complete = true, .orders = n, .nodes = n + 1, .stacks = model->stacks, .capacity = model->capacity};
    t.near_count = n > DTSPMS_NEAR ? DTSPMS_NEAR : n > 0 ? n - 1 : 0;
    for (int network = 0; network < 2; network++) {
        const int32_t *rows = model->distance[network], *columns = rows;
        if (!model->is_symmetric[network]) {
            MCO_TRY(turn(ctx, rows, t.nodes, &t, &t.turned[network]));
            columns = t.turned[network];
        }
        t.leave[network] = network == MCO_DTSPMS_NETWORK_PICKUP ? rows : columns;
        t.reach[network] = network == MCO_DTSPMS_NETWORK_PICKUP ? columns : rows;
    }
    MCO_TRY(mco_alloc(ctx, &t.near, 2 * (int64_t)t.nodes * t.near_count));
    for (int network = 0; network < 2; network++)
        for (int32_t node = 1; node < t.nodes && t.is_complete; node++) {
            find_near(model, model->distance[network], model->is_symmetric[network], node, t.near_count,
                      t.near + ((int64_t)network * t.nodes + node) * t.near_count);
            t.is_complete = !dtspms_is_late(model, &left, t.nodes);
        }
    MCO_TRY(mco_alloc(ctx, &t.rank, t.nodes));
    MCO_TRY(find_ranks(ctx, model, t.rank));
    MCO_TRY(mco_alloc(ctx, &t.logarithms, DTSPMS_LOGARITHMS));
    find_logarithms(t.logarithms);
    *out = t;
done:
    if (st != MCO_OK)
        dtspms_walk_tables_clear(ctx, &t);
    return st;
}

void dtspms_walk_tables_clear(mco_context *ctx, dtspms_walk_tables *tables)
{
    mco_free(ctx, &tables->logarithms);
    mco_free(ctx, &tables->rank);
    mco_free(ctx, &tables->near);
    mco_free(ctx, &tables->turned[1]);
    mco_free(ctx, &tables->turned[0]);
}

// ---- Solutions

static int64_t tours_words(int32_t nodes)
{
    return 5 * (int64_t)nodes + 2;
}

static int64_t work_words(int32_t nodes)
{
    return 3 * (int64_t)nodes + DTSPMS_WALK_LANES;
}

static void lay_out(int32_t nodes, int32_t *words, dtspms_tours *out)
{
    *out = (dtspms_tours){.node = {words, words + nodes + 1},
                          .gap = {words + 2 * (nodes + 1), words + 2 * (nodes + 1) + nodes},
                          .stack = words + 2 * (nodes + 1) + 2 * (int64_t)nodes};
}

static void copy_tours(const dtspms_tours *from, int32_t nodes, dtspms_tours *to)
{
    memcpy(to->node[0], from->node[0], (size_t)tours_words(nodes) * sizeof(int32_t));
    memcpy(to->heights, from->heights, sizeof from->heights);
    to->placed = from->placed;
    to->cost = from->cost;
}

double dtspms_walk_bytes(int32_t orders)
{
    return sizeof(dtspms_walk) + (3.0 * (double)tours_words(orders + 1) + (double)work_words(orders + 1)) * sizeof(int32_t) + orders + 1;
}

mco_status dtspms_walk_make(mco_context *ctx, const dtspms_walk_tables *tables, dtspms_walk *out)
{
    mco_status st = MCO_OK;
    const int64_t words = tours_words(tables->nodes);
    dtspms_walk w = {0};
    MCO_TRY(mco_alloc(ctx, &w.is_removed, tables->nodes));
    MCO_TRY(mco_alloc(ctx, &w.work, 3 * words + work_words(tables->nodes)));
    lay_out(tables->nodes, w.work + work_words(tables->nodes), &w.now);
    lay_out(tables->nodes, w.now.node[0] + words, &w.trial);
    lay_out(tables->nodes, w.trial.node[0] + words, &w.best);
    *out = w;
done:
    if (st != MCO_OK)
        dtspms_walk_clear(ctx, &w);
    return st;
}

void dtspms_walk_clear(mco_context *ctx, dtspms_walk *walk)
{
    mco_free(ctx, &walk->work);
    mco_free(ctx, &walk->is_removed);
}

void dtspms_walk_enter(const dtspms_walk_tables *tables, const dtspms_plan *plan, const int32_t *const tours[2], dtspms_walk *walk)
{
    const int32_t n = tables->orders;
    dtspms_tours *s = &walk->now;
    s->placed = n;
    s->cost = 0;
    for (int32_t k = 0, p = 0; k < tables->stacks; k++) {
        s->heights[k] = plan->heights[k];
        for (int32_t end = p + plan->heights[k]; p < end; p++)
            s->stack[plan->node[p]] = k;
    }
    for (int w = 0; w < 2; w++) {
        s->node[w][0] = s->node[w][n + 1] = 0;
        for (int32_t i = 0; i < n; i++)
            s->node[w][i + 1] = tours[w][w == MCO_DTSPMS_NETWORK_PICKUP ? i : n - 1 - i];
        for (int32_t i = 0; i <= n; i++)
            s->cost += s->gap[w][i] = tables->leave[w][(int64_t)s->node[w][i] * tables->nodes + s->node[w][i + 1]];
    }
    copy_tours(s, tables->nodes, &walk->best);
}

void dtspms_tours_plan(const dtspms_walk_tables *tables, const dtspms_tours *from, dtspms_plan *plan, int32_t *const tours[2])
{
    const int32_t n = tables->orders;
    int32_t next[MCO_DTSPMS_MAX_STACKS];
    for (int32_t k = 0, first = 0; k < tables->stacks; k++) {
        next[k] = first;
        first += plan->heights[k] = from->heights[k];
    }
    for (int32_t i = 0; i < n; i++) {
        const int32_t node = from->node[MCO_DTSPMS_NETWORK_PICKUP][i + 1];
        plan->node[next[from->stack[node]]++] = node;
        tours[MCO_DTSPMS_NETWORK_PICKUP][i] = node;
        tours[MCO_DTSPMS_NETWORK_DELIVERY][i] = from->node[MCO_DTSPMS_NETWORK_DELIVERY][n - i];
    }
}

// ---- A step

// Takes out a string of `length` stops that has `node` at a random place. Stops that are out already are passed over.
// Returns the new number of orders in `removed`.
static int32_t take_string(dtspms_walk *w, int sequence, int32_t node, int32_t length, int32_t *removed, int32_t count)
{
    dtspms_tours *s = &w->trial;
    const int32_t *stop = s->node[sequence];
    int32_t at = 1;
    while (stop[at] != node)
        at++;
    int32_t first = at - dtspms_walk_below(&w->random, length);
    if (first > s->placed + 1 - length)
        first = s->placed + 1 - length;
    if (first < 1)
        first = 1;
    for (int32_t i = first; i < first + length; i++)
        if (!w->is_removed[stop[i]]) {
            w->is_removed[stop[i]] = 1;
            s->heights[s->stack[stop[i]]]--;
            removed[count++] = stop[i];
        }
    return count;
}

// Closes up a sequence where stops have gone.
static void close_up(const dtspms_walk_tables *t, dtspms_walk *w, int sequence)
{
    dtspms_tours *s = &w->trial;
    int32_t *stop = s->node[sequence], *gap = s->gap[sequence], last = 0;
    bool is_joined = true;  // no stop between stop `last` and stop i is gone
    for (int32_t i = 1; i <= s->placed + 1; i++) {
        s->cost -= gap[i - 1];
        if (w->is_removed[stop[i]]) {
            is_joined = false;
            continue;
        }
        gap[last] = is_joined ? gap[i - 1] : t->leave[sequence][(int64_t)stop[last] * t->nodes + stop[i]];
        s->cost += gap[last];
        stop[++last] = stop[i];
        is_joined = true;
    }
}

// Takes up to DTSPMS_MOST_REMOVED orders out of the trial. Returns how many.
static int32_t ruin(const dtspms_walk_tables *t, dtspms_walk *w, int32_t *removed)
{
    const int32_t most = t->orders < DTSPMS_MOST_REMOVED ? t->orders : DTSPMS_MOST_REMOVED;
    const int32_t wanted = 1 + dtspms_walk_below(&w->random, most);
    const int32_t seed = 1 + dtspms_walk_below(&w->random, t->orders), network = dtspms_walk_below(&w->random, 2);
    const int32_t *near = t->near + ((int64_t)network * t->nodes + seed) * t->near_count;
    int32_t count = 0;
    for (int32_t k = -1; k < t->near_count && count < wanted; k++) {
        const int32_t node = k < 0 ? seed : near[k];
        if (w->is_removed[node])
            continue;
        const int sequence = dtspms_walk_below(&w->random, 2);
        const int32_t length = 1 + dtspms_walk_below(&w->random, DTSPMS_LONGEST_STRING);
        count = take_string(w, sequence, node, length < wanted - count ? length : wanted - count, removed, count);
    }
    for (int sequence = 0; sequence < 2; sequence++)
        close_up(t, w, sequence);
    w->trial.placed -= count;
    for (int32_t k = 0; k < count; k++)
        w->is_removed[removed[k]] = 0;
    return count;
}

static void shuffle(uint64_t *random, int32_t *node, int32_t count)
{
    for (int32_t k = count - 1; k > 0; k--) {
        const int32_t other = dtspms_walk_below(random, k + 1), kept = node[k];
        node[k] = node[other];
        node[other] = kept;
    }
}

// Puts the orders removed into the succession in which they come back. It is random half of the time. A quarter of the
// time the farthest from the depot comes first, and a quarter of the time the nearest.
static void arrange(const dtspms_walk_tables *t, dtspms_walk *w, int32_t *removed, int32_t count)
{
    const int32_t way = dtspms_walk_below(&w->random, 4);
    if (way < 2) {
        shuffle(&w->random, removed, count);
        return;
    }
    for (int32_t k = 1; k < count; k++) {
        const int32_t node = removed[k];
        int32_t at = k;
        for (; at > 0 && (t->rank[removed[at - 1]] > t->rank[node]) == (way == 3); at--)
            removed[at] = removed[at - 1];
        removed[at] = node;
    }
}

static void take_step(const dtspms_walk_tables *t, dtspms_walk *w, const dtspms_place *place)
{
    int32_t removed[DTSPMS_MOST_REMOVED];
    copy_tours(&w->now, t->nodes, &w->trial);
    const int32_t count = ruin(t, w, removed);
    arrange(t, w, removed, count);
    for (int32_t k = 0; k < count; k++)
        place->place(t, removed[k], (uint32_t)(mco_splitmix64(&w->random) >> 32), w->work, &w->trial);
    const int64_t most = (int64_t)w->now.cost + dtspms_walk_threshold(&w->random, w->temperature, t->logarithms);
    if (w->trial.cost > most)
        return;
    const dtspms_tours taken = w->trial;
    w->trial = w->now;
    w->now = taken;
    if (w->now.cost < w->best.cost)
        copy_tours(&w->now, t->nodes, &w->best);
}

// ---- All walks

#define DECLARE(set, simd) extern const dtspms_place dtspms_place_##set;
#define LIST(set, simd) &dtspms_place_##set,

MCO_EACH_SIMD(DECLARE)
static const dtspms_place *const places[] = {MCO_EACH_SIMD(LIST)};

// Recreate for a vector unit; the portable one if this processor lacks the unit.
static const dtspms_place *choose_place(mco_simd simd)
{
    const dtspms_place *place = NULL;
    return mco_pick(NULL, places, simd, 0, &place) == MCO_OK ? place : &dtspms_place_portable;
}

typedef struct job {
    const dtspms_walk_tables *tables;
    dtspms_walk *walks;
    int32_t count;
    int64_t steps;
    const dtspms_place *place;
    atomic_int next;
} job;

static void work(void *shared, int worker)
{
    job *j = shared;
    (void)worker;
    for (int32_t k; (k = atomic_fetch_add(&j->next, 1)) < j->count;)
        for (int64_t step = 0; step < j->steps; step++)
            take_step(j->tables, &j->walks[k], j->place);
}

bool dtspms_walk_scatter(const dtspms_walk_tables *tables, uint64_t seed, mco_simd simd, dtspms_walk *walk)
{
    const int32_t n = tables->orders;
    int64_t left = DTSPMS_LOOK;
    dtspms_tours *s = &walk->now;
    int32_t *order = walk->best.stack;
    const dtspms_place *place = choose_place(simd);
    walk->random = seed;
    s->placed = s->cost = 0;
    memset(s->heights, 0, sizeof s->heights);
    for (int w = 0; w < 2; w++)
        s->node[w][0] = s->node[w][1] = s->gap[w][0] = 0;
    for (int32_t k = 0; k < n; k++)
        order[k] = k + 1;
    shuffle(&walk->random, order, n);
    for (int32_t k = 0; k < n; k++) {
        if (dtspms_is_late(tables->model, &left, 2 * (int64_t)k))
            return false;
        place->place(tables, order[k], (uint32_t)(mco_splitmix64(&walk->random) >> 32), walk->work, s);
    }
    copy_tours(s, tables->nodes, &walk->best);
    return true;
}

mco_status dtspms_walk_all(mco_context *ctx, const dtspms_walk_tables *tables, dtspms_walk *walks, int32_t count, int64_t steps,
                           int threads, mco_simd simd)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    job j = {.tables = tables, .walks = walks, .count = count, .steps = steps, .place = choose_place(simd)};
    if (tables->orders < 1)
        return MCO_OK;
    if (threads < 2 || count < 2) {
        work(&j, 0);
        return MCO_OK;
    }
    MCO_TRY(mco_team_start_some(ctx, threads < count ? threads : count, work, NULL, &j, &team));
    if (team.started == 0)
        work(&j, 0);
done:
    mco_team_join(&team);
    return st;
}
