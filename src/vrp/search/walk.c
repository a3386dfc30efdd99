// SPDX-License-Identifier: MIT
// Annealing by ruin and recreate: "slack induction by string removals" (Christiaens, Vanden Berghe 2020). A step takes
// strings of customers out of some routes near each other. It puts each customer back where it adds least, and passes
// over a place now and then. An accepted solution is improved by reversals and exchanges of route ends around the
// customers moved. Where routes are long, exchanges of their ends and of their middles anywhere are annealed too. No part of a
// step depends on the size of the part: changes are logged so that they can be undone, and only they are copied to the best.
#include "vrp/search/walk.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"

static const double SPLIT = 0.5;         // share of the strings that keep some customers in their middle
static const double SPLIT_ENDS = 0.01;   // chance that the middle ends here; else it grows by one customer
static const double TAILS_HEAT = 0.3;    // temperature of exchanges of route ends, relative to that of steps
enum {
    LONG_ROUTE = 40, MOST_KEPT = 20,     // customers: in a longer route a middle has at most MOST_KEPT of them
    FEW_CUSTOMERS = 1000,                // of a part whose lists fit a second-level cache
    SEEDS_OF_PLACE = 16, STEPS_OF_PLACE = 64,  // of a larger part: so many steps take their seeds from so many customers
    STEPS_PER_LOOK = 256                 // between looks at *stop and at the view, each with a new temperature
};

// ---- Changes that can be undone

static void begin_step(vrp_walk *w)
{
    w->step++;
    w->saved_node_count = w->saved_ring_count = 0;
    w->removed_count = 0;
}

static inline vrp_node *touch(vrp_walk *w, int32_t id)
{
    if (w->node_stamp[id] != w->step) {
        w->node_stamp[id] = w->step;
        w->saved_nodes[w->saved_node_count++] = (vrp_saved_node){id, w->node[id]};
    }
    return &w->node[id];
}

static inline vrp_ring *touch_ring(vrp_walk *w, int32_t id)
{
    if (w->ring[id].stamp != w->step) {
        w->saved_rings[w->saved_ring_count++] = (vrp_saved_ring){id, w->ring[id]};
        w->ring[id].stamp = w->step;
    }
    return &w->ring[id];
}

static void undo_step(vrp_walk *w)
{
    for (int32_t k = 0; k < w->saved_node_count; k++) {
        w->node[w->saved_nodes[k].id] = w->saved_nodes[k].node;
        vrp_walk_mirror(w, w->saved_nodes[k].id);
    }
    for (int32_t k = w->saved_ring_count - 1; k >= 0; k--) {
        const vrp_saved_ring *s = &w->saved_rings[k];
        if (s->ring.size == 0 && w->ring[s->id].size > 0)
            w->spare[w->spare_count++] = s->id;
        else if (s->ring.size > 0 && w->ring[s->id].size == 0)
            vrp_walk_take_spare(w, s->id);
        w->ring[s->id] = s->ring;
        w->load_of[s->id] = s->ring.size > 0 ? s->ring.load : INT32_MAX;
    }
}

static int32_t take_out(vrp_walk *w, int32_t c)
{
    const vrp_part *p = w->part;
    vrp_node *n = touch(w, c);
    vrp_node *a = touch(w, n->prev), *b = touch(w, n->next);
    vrp_ring *r = touch_ring(w, n->route);
    const int32_t d = vrp_part_distance(p, n->prev, n->next), change = d - n->to_prev - n->to_next;
    a->next = n->next;
    a->to_next = d;
    b->prev = n->prev;
    b->to_prev = d;
    r->load -= p->demand[c];
    w->load_of[n->route] = --r->size > 0 ? r->load : INT32_MAX;
    if (r->size == 0)
        w->spare[w->spare_count++] = n->route;
    r->length += w->measure * (change - p->service[c]);
    vrp_walk_mirror(w, n->prev);
    vrp_walk_mirror(w, n->next);
    n->route = w->route_of[c] = w->end_of[c] = -1;
    return change;
}

static void put_in(vrp_walk *w, int32_t c, int32_t after, int32_t change)
{
    const vrp_part *p = w->part;
    vrp_node *n = touch(w, c), *a = touch(w, after);
    const int32_t before = a->next;
    vrp_node *b = touch(w, before);
    vrp_ring *r = touch_ring(w, a->route);
    n->prev = after;
    n->next = before;
    n->route = a->route;
    n->to_prev = a->to_next = vrp_part_distance(p, after, c);
    n->to_next = b->to_prev = vrp_part_distance(p, c, before);
    a->next = b->prev = c;
    w->load_of[n->route] = r->load += p->demand[c];
    r->size++;
    r->length += w->measure * (change + p->service[c]);
    vrp_walk_mirror(w, after);
    vrp_walk_mirror(w, c);
    vrp_walk_mirror(w, before);
}

// ---- Ruin

static double real(vrp_walk *w)
{
    return mco_rng_real(&w->rng);
}

static int32_t below(vrp_walk *w, int32_t limit)
{
    return (int32_t)mco_rng_below(&w->rng, (uint32_t)limit);
}

// Takes `length` customers around c out of its route: one string, or two parts around a middle that stays. Returns the
// change of the cost.
static int32_t take_string(vrp_walk *w, int32_t c, int32_t length)
{
    const vrp_ring *r = &w->ring[w->node[c].route];
    const int32_t size = r->size, position = w->node[c].position;
    const int32_t most_kept = size > LONG_ROUTE ? MOST_KEPT : size;
    int32_t kept = 0, kept_from = 0, span = length, change = 0;
    if (length > 1 && length < size && real(w) < SPLIT) {
        kept = 1;
        while (kept < most_kept && length + kept < size && real(w) > SPLIT_ENDS)
            kept++;
        // The first kept_from customers go, the middle stays, the rest go.
        span = length + kept;
        kept_from = 1 + below(w, length - 1);
    }
    int32_t low = position - span + 1, high = position;
    low = low < 0 ? 0 : low;
    high = high > size - span ? size - span : high;
    int32_t first = low + below(w, high - low + 1), at = c;
    for (int32_t k = position; k > first; k--)
        at = w->node[at].prev;
    for (int32_t k = 0; k < span; k++) {
        const int32_t next = w->node[at].next;
        if (kept == 0 || k < kept_from || k >= kept_from + kept) {
            change += take_out(w, at);
            w->removed[w->removed_count++] = at;
        }
        at = next;
    }
    return change;
}

// Draws the customer around which a step takes customers out. All have the same chance. Nodes are numbered route by route, so
// steps one after the other in a large part stay near each other, and find lists and routes in the cache. Not so with long routes:
// there such steps gain less than others, by 0.4 % on XL-n5174-k55.
static int32_t draw_seed(vrp_walk *w, const vrp_walk_plan *plan)
{
    const int32_t n = w->part->customers;
    if (n <= FEW_CUSTOMERS || plan->tails > 0)
        return 1 + below(w, n);
    if (w->steps_here-- == 0) {
        w->steps_here = STEPS_OF_PLACE - 1;
        w->here = below(w, n);
    }
    return 1 + (w->here + below(w, SEEDS_OF_PLACE)) % n;
}

static int32_t ruin(vrp_walk *w, const vrp_walk_plan *plan)
{
    const vrp_part *p = w->part;
    const int32_t n = p->customers, seed = draw_seed(w, plan);
    const double average = (double)n / (p->routes - w->spare_count);
    const double longest = average < plan->longest_string ? average : plan->longest_string;
    const int32_t strings = (int32_t)(1 + real(w) * (4 * plan->removed / (1 + longest) - 1));
    int32_t change = 0, taken = 0;
    const int32_t *near = p->near + (int64_t)seed * p->neighbours;
    for (int32_t k = -1; k < p->neighbours && taken < strings; k++) {
        const int32_t c = k < 0 ? seed : near[k];
        if (c == 0)
            break;
        const int32_t route = w->node[c].route;
        if (route < 0 || w->ring[route].stamp == w->step)
            continue;
        const int32_t size = w->ring[route].size;
        const double most = size < longest ? size : longest;
        const int32_t length = (int32_t)(1 + real(w) * most);
        change += take_string(w, c, length < size ? length : size);
        taken++;
    }
    return change;
}

// ---- Recreate

static void sort_removed(vrp_walk *w)
{
    const vrp_part *p = w->part;
    const int32_t kind = below(w, 11);
    for (int32_t k = 0; k < w->removed_count; k++) {
        const int32_t c = w->removed[k];
        const int32_t key = kind < 4 ? (int32_t)(mco_rng_next(&w->rng) >> 33)
                            : kind < 8 ? -p->demand[c]
                            : kind < 10 ? -p->depot_distance[c] : p->depot_distance[c];
        int32_t at = k;
        for (; at > 0 && w->key[at - 1] > key; at--) {
            w->key[at] = w->key[at - 1];
            w->removed[at] = w->removed[at - 1];
        }
        w->key[at] = key;
        w->removed[at] = c;
    }
}

static void place(vrp_walk *w, int32_t c, int32_t after, int32_t change)
{
    if (w->ring[w->node[after].route].size == 0)
        w->spare_count--;
    put_in(w, c, after, change);
}

// Fetches what the scan for a place of the k-th removed customer will read, while another scan runs.
static inline void expect_place(const vrp_walk *w, int32_t k)
{
    const vrp_part *p = w->part;
    if (k >= w->removed_count)
        return;
    const int64_t row = (int64_t)w->removed[k] * p->neighbours;
    for (int32_t m = 0; m < p->neighbours; m += VRP_LIST_STEP) {
        __builtin_prefetch(p->near + row + m);
        __builtin_prefetch(p->near_distance + row + m);
    }
    __builtin_prefetch(p->behind + row);
    __builtin_prefetch(p->behind_change + row);
}

// Puts the removed customers back. False once the cost reaches the threshold, or a customer fits nowhere.
static bool recreate(vrp_walk *w, int64_t *cost, double threshold)
{
    expect_place(w, 0);
    for (int32_t k = 0; k < w->removed_count; k++) {
        const int32_t c = w->removed[k];
        int32_t after = 0;
        expect_place(w, k + 1);
        const int32_t change = VARIANT(vrp_walk_find_place)(w, c, &after);
        if (change == VRP_WALK_NO_PLACE || (double)(*cost += change) >= threshold)
            return false;
        place(w, c, after, change);
    }
    return true;
}

// ---- Acceptance

static void number_ring(vrp_walk *w, int32_t route)
{
    const vrp_part *p = w->part;
    const int32_t depot = p->customers + 1 + route;
    int32_t position = 0, load = 0, length = 0;
    for (int32_t c = w->node[depot].next; c != depot; c = w->node[c].next) {
        vrp_node *n = &w->node[c];
        n->position = position++;
        n->load = load += p->demand[c];
        n->length = length += w->measure * (n->to_prev + p->service[c]);
    }
}

static void keep_best(vrp_walk *w)
{
    for (int32_t k = 0; k < w->changed_count; k++) {
        const int32_t id = w->changed[k];
        w->best_node[id] = w->node[id];
        w->is_changed[id] = 0;
    }
    w->changed_count = 0;
    w->best_cost = w->cost;
}

// Whether the step has put everything back where it was, as half of the steps do.
static bool is_unchanged(const vrp_walk *w)
{
    for (int32_t k = 0; k < w->saved_node_count; k++)
        if (w->node[w->saved_nodes[k].id].next != w->saved_nodes[k].node.next)
            return false;
    return true;
}

static void accept(vrp_walk *w, int64_t cost, int32_t exchanges)
{
    if (cost == w->cost && is_unchanged(w))
        return;
    w->cost = cost;
    for (int32_t k = 0; k < w->saved_node_count; k++)
        vrp_walk_mark(w, w->saved_nodes[k].id);
    for (int32_t k = 0; k < w->saved_ring_count; k++)
        number_ring(w, w->saved_rings[k].id);
    if (exchanges > 0)
        VARIANT(vrp_walk_improve)(w, exchanges);
    if (w->cost < w->best_cost)
        keep_best(w);
}

// Removing a customer can make a route longer where the triangle inequality fails: by rounding or in a matrix.
static bool are_short_enough(const vrp_walk *w)
{
    for (int32_t k = 0; w->measure != 0 && k < w->saved_ring_count; k++)
        if (w->ring[w->saved_rings[k].id].length > w->part->problem->max_length)
            return false;
    return true;
}

static void step(vrp_walk *w, const vrp_walk_plan *plan, double temperature)
{
    begin_step(w);
    const double threshold = (double)w->cost - temperature * log(1 - real(w));
    int64_t cost = w->cost + ruin(w, plan);
    sort_removed(w);
    if (recreate(w, &cost, threshold) && are_short_enough(w))
        accept(w, cost, plan->exchanges);
    else
        undo_step(w);
    if (plan->tails > 0 || plan->middles > 0) {
        VARIANT(vrp_walk_exchange_tails)(w, plan->tails, TAILS_HEAT * temperature);
        VARIANT(vrp_walk_exchange_middles)(w, plan->middles, temperature);
        if (w->cost < w->best_cost)
            keep_best(w);
    }
}

// ---- Tasks

static void clear(vrp_walk *w, const vrp_task *task)
{
    const vrp_part *p = &task->part;
    const int32_t n = p->customers, nodes = n + 1 + p->routes;
    w->part = p;
    w->measure = vrp_has_max_length(p->problem);
    w->step = w->steps_here = 0;
    memset(w->node_stamp, 0, (size_t)nodes * sizeof *w->node_stamp);
    memset(w->is_changed, 0, (size_t)nodes);
    w->changed_count = 0;
    for (int32_t r = 0; r < p->routes; r++) {
        const int32_t depot = n + 1 + r;
        w->node[depot] = (vrp_node){.next = depot, .prev = depot, .route = r, .position = -1};
        vrp_walk_mirror(w, depot);
        w->ring[r] = (vrp_ring){.stamp = 0};
        w->load_of[r] = INT32_MAX;
        w->spare[r] = p->routes - 1 - r;
    }
    w->spare_count = p->routes;
    for (int32_t c = 0; c <= n; c++) {
        w->node[c] = (vrp_node){.route = -1};
        vrp_walk_mirror(w, c);
    }
    mco_rng_seed(&w->rng, task->seed, 0);
    VARIANT(vrp_walk_draw_blink)(w);
}

static int64_t total(const vrp_walk *w)
{
    int64_t cost = 0;
    for (int32_t r = 0; r < w->part->routes; r++) {
        const int32_t depot = w->part->customers + 1 + r;
        int32_t at = depot;
        do {
            cost += w->node[at].to_next;
            at = w->node[at].next;
        } while (at != depot);
    }
    return cost;
}

// Makes the present solution the best.
static void settle(vrp_walk *w)
{
    w->cost = w->best_cost = total(w);
    memcpy(w->best_node, w->node, (size_t)(w->part->customers + 1 + w->part->routes) * sizeof *w->node);
    memset(w->is_changed, 0, (size_t)(w->part->customers + 1 + w->part->routes));
    w->changed_count = 0;
}

// Loads the first routes of the task, at most part.routes.
static void load(vrp_walk *w, const vrp_task *task)
{
    clear(w, task);
    const int32_t routes = task->routes < task->part.routes ? task->routes : task->part.routes;
    for (int32_t r = 0; r < routes; r++)
        VARIANT(vrp_walk_relink)(w, r, task->order + task->first[r], task->first[r + 1] - task->first[r]);
    settle(w);
}

// Lists the routes that are not empty; returns their number.
static int32_t list_routes(const vrp_walk *w, const vrp_node *node, int32_t *order, int32_t *first)
{
    const vrp_part *p = w->part;
    int32_t count = 0, routes = 0;
    for (int32_t r = 0; r < p->routes; r++) {
        const int32_t depot = p->customers + 1 + r;
        if (node[depot].next == depot)
            continue;
        first[routes++] = count;
        for (int32_t c = node[depot].next; c != depot; c = node[c].next)
            order[count++] = c;
    }
    first[routes] = count;
    return routes;
}

static void store(const vrp_walk *w, const vrp_node *node, int64_t cost, vrp_task *task)
{
    task->routes = list_routes(w, node, task->order, task->first);
    task->cost = cost;
}

static void show_best(const vrp_walk *w, vrp_view *v)
{
    atomic_store_explicit(&v->best, w->best_cost, memory_order_relaxed);
    pthread_mutex_lock(&v->lock);
    v->routes = list_routes(w, w->best_node, v->order, v->first);
    v->cost = w->best_cost;
    pthread_mutex_unlock(&v->lock);
    atomic_store(&v->is_wanted, false);
}

// Puts in the customers that the task's solution leaves out. False if one fits nowhere, or a route that it has left is
// too long without it.
static bool complete(vrp_walk *w)
{
    int64_t cost = 0;
    begin_step(w);
    for (int32_t c = 1; c <= w->part->customers; c++)
        if (w->node[c].route < 0)
            w->removed[w->removed_count++] = c;
    if (w->removed_count > 0) {
        sort_removed(w);
        if (!recreate(w, &cost, (double)INT64_MAX))
            return false;
        for (int32_t k = 0; k < w->saved_ring_count; k++)
            number_ring(w, w->saved_rings[k].id);
        settle(w);
    }
    for (int32_t r = 0; w->measure != 0 && r < w->part->routes; r++)
        if (w->ring[r].length > w->part->problem->max_length)
            return false;
    return true;
}

// The share of the walk that is over before step k.
static double share_of(const vrp_walk_plan *plan, int64_t k)
{
    if (plan->end_s > 0)
        return k > 0 ? (mco_clock_s() - plan->begin_s) / (plan->end_s - plan->begin_s) : 0;
    return (double)k / (double)plan->steps;
}

static void run(vrp_walk *w, vrp_task *task, const atomic_bool *stop)
{
    const vrp_walk_plan *plan = &task->plan;
    const int64_t most = plan->end_s > 0 ? INT64_MAX : plan->steps;
    load(w, task);
    if (!complete(w)) {
        task->cost = INT64_MAX;
        w->steps += plan->steps > 0;  // so that a search of N steps ends even if all its tasks end here
        return;
    }
    double temperature = 0;
    int64_t k = 0;
    bool is_stopped = false;
    for (; k < most; k++) {
        if (k % STEPS_PER_LOOK == 0) {
            const double share = share_of(plan, k);
            is_stopped = atomic_load_explicit(stop, memory_order_relaxed);
            if (is_stopped || share >= 1)
                break;
            atomic_store_explicit(&task->view->best, w->best_cost, memory_order_relaxed);
            if (atomic_load_explicit(&task->view->is_wanted, memory_order_relaxed))
                show_best(w, task->view);
            temperature = plan->hot * pow(plan->cold / plan->hot, share);
        }
        step(w, plan, temperature);
    }
    w->steps += k;
    show_best(w, task->view);
    if (task->wants_last && !is_stopped)
        store(w, w->node, w->cost, task);
    else
        store(w, w->best_node, w->best_cost, task);
}

// ---- Packing into few routes. Customers may be absent; each counts for more the more often it has found no place.

static int64_t absence_of(const vrp_walk *w, const int32_t *customers, int32_t count)
{
    int64_t sum = 0;
    for (int32_t k = 0; k < count; k++)
        sum += 1 + w->absences[customers[k]];
    return sum;
}

static void pack_step(vrp_walk *w, const vrp_walk_plan *plan)
{
    begin_step(w);
    const int64_t before = absence_of(w, w->absent, w->absent_count);
    int64_t cost = w->cost + ruin(w, plan);
    for (int32_t k = 0; k < w->absent_count; k++)
        w->removed[w->removed_count++] = w->absent[k];
    sort_removed(w);
    int32_t *left = w->line, left_count = 0;
    for (int32_t k = 0; k < w->removed_count; k++) {
        const int32_t c = w->removed[k];
        int32_t after = 0;
        const int32_t change = VARIANT(vrp_walk_find_place)(w, c, &after);
        if (change == VRP_WALK_NO_PLACE) {
            left[left_count++] = c;
            continue;
        }
        cost += change;
        place(w, c, after, change);
    }
    const int64_t sum = absence_of(w, left, left_count);
    for (int32_t k = 0; k < left_count; k++)
        w->absences[left[k]]++;
    if ((left_count > 0 && sum > before) || !are_short_enough(w)) {
        undo_step(w);
        return;
    }
    memcpy(w->absent, left, (size_t)left_count * sizeof *left);
    w->absent_count = left_count;
    w->removed_count = 0;
    accept(w, cost, 0);
}

static bool pack(vrp_walk *w, vrp_task *task, const atomic_bool *stop)
{
    load(w, task);
    w->absent_count = 0;
    for (int32_t c = 1; c <= w->part->customers; c++) {
        w->absences[c] = 0;
        if (w->node[c].route < 0)
            w->absent[w->absent_count++] = c;
    }
    int64_t k = 0;
    for (; k < task->plan.steps && w->absent_count > 0; k++) {
        if (k % STEPS_PER_LOOK == 0 && atomic_load_explicit(stop, memory_order_relaxed))
            break;
        pack_step(w, &task->plan);
    }
    w->steps += k;
    if (w->absent_count > 0)
        return false;
    settle(w);
    store(w, w->node, w->cost, task);
    return true;
}

extern const vrp_walk_variant VARIANT(vrp_walk);
const vrp_walk_variant VARIANT(vrp_walk) = {{LANE_SIMD, 0}, run, pack};
