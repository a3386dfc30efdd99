// SPDX-License-Identifier: MIT
#include "vrp/bound/recheck_routes.h"

#include <string.h>

#include "base/grow.h"
#include "vrp/bound/recheck.h"
#include "vrp/bound/recheck_detours.h"
#include "vrp/bound/recheck_labels.h"
#include "vrp/bound/recheck_lengths.h"

enum { LOOK_LABELS = 256, FIRST_SLOTS = 1 << 12, TAILS_SHARE = 4 };  // TAILS_SHARE: of the labels

typedef struct label {
    int64_t value;     // at the prices
    int64_t cost;      // scaled
    int64_t length;    // scaled, with service
    int32_t node, before;  // before: the label that it came from; -1: the depot
    int32_t next;      // of the same load; -1: none
    bool is_dead;      // a cheaper one has its customers and its end
} label;

typedef struct listing {
    mco_context *ctx;
    const vrp_recheck *t;
    int64_t limit;
    const vrp_recheck_filter *filter;
    int32_t filters;
    vrp_recheck_lengths lengths;
    int64_t least_demand;
    int32_t words;
    label *label;        // [count]
    uint64_t *visited;   // [count * words]
    int64_t count, room, visited_room;
    int32_t *head;       // [capacity + 1]
    uint32_t *slot;      // [slots] label + 1; 0: empty
    int64_t slots;
    const vrp_cut **row; // [rows] of RANK1 with a price
    int32_t rows;
    int32_t *of_node;    // [nodes * rows] rows that have the node as a member
    int32_t *of_count;   // [nodes]
    uint8_t *state;      // [rows] behind the label that grows
    int32_t *active;     // [actives] rows whose state is not 0
    int32_t actives;
    vrp_recheck_tails tails;  // first NULL: none
    int32_t *path;       // [nodes]
    int32_t *distance;   // [nodes * nodes] scaled
    uint64_t *draft;     // [words]
    uint32_t *by_set;    // [sets] route + 1 of the list; 0: empty
    int64_t sets;
} listing;

// ---- Paths

static int32_t path_of(const listing *l, int32_t at, int32_t *node)
{
    int32_t count = 0;
    for (int32_t k = at; k >= 0; k = l->label[k].before)
        count++;
    for (int32_t k = at, i = count; k >= 0; k = l->label[k].before)
        node[--i] = l->label[k].node;
    return count;
}

// Whether the path that ends with a, then node, is before that of b in the order of sequences read from the end.
static bool is_before(const listing *l, int32_t a, int32_t b)
{
    while (a >= 0 && b >= 0 && a != b) {
        if (l->label[a].node != l->label[b].node)
            return l->label[a].node < l->label[b].node;
        a = l->label[a].before;
        b = l->label[b].before;
    }
    return false;  // the same path
}

// ---- Rows of RANK1

static mco_status open_rows(listing *l)
{
    mco_status st = MCO_OK;
    const vrp_cuts *cuts = l->t->cuts;
    const int64_t count = cuts != NULL ? cuts->count : 0;
    MCO_TRY(mco_alloc(l->ctx, &l->row, count));
    for (int64_t k = 0; k < count; k++)
        if (cuts->cut[k].kind == VRP_CUT_RANK1 && cuts->cut[k].price != 0)
            l->row[l->rows++] = &cuts->cut[k];
    MCO_TRY(mco_alloc(l->ctx, &l->of_node, (int64_t)l->t->nodes * l->rows));
    MCO_TRY(mco_alloc(l->ctx, &l->of_count, l->t->nodes));
    MCO_TRY(mco_alloc(l->ctx, &l->state, l->rows));
    MCO_TRY(mco_alloc(l->ctx, &l->active, l->rows));
    for (int32_t r = 0; r < l->rows; r++)
        for (int32_t m = 0; m < l->row[r]->size; m++) {
            const int32_t i = l->row[r]->node[m];
            l->of_node[(int64_t)i * l->rows + l->of_count[i]++] = r;
        }
done:
    return st;
}

// The states of all rows behind a path.
static void set_states(listing *l, int32_t count)
{
    memset(l->state, 0, (size_t)l->rows);
    for (int32_t v = 0; v < count; v++)
        for (int32_t r = 0; r < l->rows; r++) {
            const vrp_cut *row = l->row[r];
            if (row->memory != NULL && !vrp_set_has(row->memory, l->path[v]))
                l->state[r] = 0;
            else if (vrp_set_has(row->member, l->path[v]))
                l->state[r] = (uint8_t)((l->state[r] + vrp_cut_numerator(row, l->path[v])) % row->denominator);
        }
    l->actives = 0;
    for (int32_t r = 0; r < l->rows; r++)
        if (l->state[r] != 0)
            l->active[l->actives++] = r;
}

// What the rows take at the next node k.
static int64_t cost_of_visit(const listing *l, int32_t k)
{
    int64_t cost = 0;
    for (int32_t m = 0; m < l->of_count[k]; m++) {
        const int32_t r = l->of_node[(int64_t)k * l->rows + m];
        if (l->state[r] + vrp_cut_numerator(l->row[r], k) >= l->row[r]->denominator)
            cost -= l->row[r]->price;
    }
    return cost;
}

// ---- Labels

static uint64_t hash_of(const uint64_t *set, int32_t words, int32_t node)
{
    uint64_t hash = (uint64_t)node + 1;
    for (int32_t w = 0; w < words; w++) {
        hash = (hash ^ set[w]) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
    }
    return hash;
}

static mco_status grow_slots(listing *l)
{
    mco_status st = MCO_OK;
    uint32_t *slot = NULL;
    const int64_t slots = l->slots > 0 ? 2 * l->slots : FIRST_SLOTS;
    MCO_TRY(mco_alloc(l->ctx, &slot, slots));
    for (int64_t k = 0; k < l->count; k++) {
        uint64_t at = hash_of(l->visited + k * l->words, l->words, l->label[k].node) & (uint64_t)(slots - 1);
        while (slot[at] != 0)
            at = (at + 1) & (uint64_t)(slots - 1);
        slot[at] = (uint32_t)k + 1;
    }
    mco_free(l->ctx, &l->slot);
    l->slot = slot;
    l->slots = slots;
done:
    return st;
}

// Whether a path of the same customers and end is as good as the draft. One that is worse dies. *place: the draft's slot.
static bool has_better(listing *l, int32_t from, int32_t k, int64_t cost, uint64_t *place)
{
    uint64_t at = hash_of(l->draft, l->words, k) & (uint64_t)(l->slots - 1);
    for (; l->slot[at] != 0; at = (at + 1) & (uint64_t)(l->slots - 1)) {
        label *other = &l->label[l->slot[at] - 1];
        if (other->is_dead || other->node != k ||
            memcmp(l->visited + (int64_t)(l->slot[at] - 1) * l->words, l->draft, (size_t)l->words * sizeof *l->draft) != 0)
            continue;
        if (other->cost < cost || (other->cost == cost && is_before(l, other->before, from)))
            return true;
        other->is_dead = true;
    }
    *place = at;
    return false;
}

// The neighbours of k that the path has not visited.
static uint32_t free_neighbours(const listing *l, int32_t k, const uint64_t *visited)
{
    const vrp_ng_sets *sets = l->t->sets;
    uint32_t bits = 0;
    for (int32_t b = 0; b < sets->size[k] - 1; b++)
        bits |= (uint32_t)!vrp_set_has(visited, sets->neighbour[(int64_t)k * VRP_NG_MOST + b]) << b;
    return bits;
}

// The least value of the way home from k, by the length that is left behind it; -INT64_MAX / 4: lengths are not limited.
static int64_t way_by_length(const listing *l, int32_t from, int32_t k, int64_t load, int64_t length)
{
    const int64_t left = l->t->vrp->max_length - length;
    if (l->lengths.rows == 0)
        return -VRP_RECHECK_NONE;
    return left < 0 ? VRP_RECHECK_NONE
                    : vrp_recheck_way(&l->lengths, l->t->nodes, k, from, left, (l->t->capacity - load) / l->least_demand + 1);
}

static mco_status add(listing *l, int32_t from, int32_t k, int64_t load, int64_t value, int64_t cost, int64_t length)
{
    mco_status st = MCO_OK;
    uint64_t place = 0;
    if (2 * (l->count + 1) > l->slots)
        MCO_TRY(grow_slots(l));
    if (has_better(l, from, k, cost, &place))
        return MCO_OK;
    MCO_TRY(mco_grow(l->ctx, &l->label, &l->room, l->count + 1));
    MCO_TRY(mco_grow(l->ctx, &l->visited, &l->visited_room, (l->count + 1) * l->words));
    l->label[l->count] = (label){.value = value, .cost = cost, .length = length, .node = k, .before = from, .next = l->head[load]};
    memcpy(l->visited + l->count * l->words, l->draft, (size_t)l->words * sizeof *l->draft);
    l->head[load] = (int32_t)l->count;
    l->slot[place] = (uint32_t)++l->count;
done:
    return st;
}

// Goes on from a label, or from the depot, to every customer by which a route below the limit may go.
static mco_status extend(listing *l, int32_t from, int64_t load)
{
    mco_status st = MCO_OK;
    const vrp_recheck *t = l->t;
    const int32_t i = from >= 0 ? l->label[from].node : 0;
    const label behind = from >= 0 ? l->label[from] : (label){0};
    const int32_t count = path_of(l, from, l->path);
    set_states(l, count);
    const vrp_recheck_head head = {t->capacity - load, l->state, l->active, l->actives};
    for (int32_t k = 1; k < t->nodes; k++) {
        const int64_t *on = t->cell + (((t->capacity - load) * t->nodes + k) << t->bits);
        const uint32_t known = vrp_recheck_known(t->sets, t->bits, k);
        const int64_t next = behind.value + t->arc[(int64_t)i * t->nodes + k];
        if (load + t->demand[k] > t->capacity || next + on[known] >= l->limit)
            continue;
        if (from >= 0)
            memcpy(l->draft, l->visited + (int64_t)from * l->words, (size_t)l->words * sizeof *l->draft);
        else
            memset(l->draft, 0, (size_t)l->words * sizeof *l->draft);
        if (vrp_set_has(l->draft, k))
            continue;
        const int64_t paid = next + cost_of_visit(l, k), distance = vrp_distance(t->vrp, i, k);
        const int64_t length = behind.length + distance + vrp_service(t->vrp, k);
        const uint32_t free = free_neighbours(l, k, l->draft);
        if (paid + on[free & known] >= l->limit || paid + way_by_length(l, i, k, load + t->demand[k], length) >= l->limit)
            continue;
        if (t->vrp->is_symmetric && vrp_recheck_is_detour(l->distance, t->nodes, l->path, count, k))
            continue;
        if (l->tails.first != NULL && !vrp_recheck_reaches(&l->tails, &head, k, next, free, l->limit))
            continue;
        l->draft[k >> 6] |= (uint64_t)1 << (k & 63);
        MCO_TRY(add(l, from, k, load + t->demand[k], paid, behind.cost + distance, length));
    }
done:
    return st;
}

// ---- Routes

static int64_t times_of(const vrp_cut *cut, const int32_t *node, int32_t count)
{
    int64_t times = 0, state = 0;
    for (int32_t v = 0; v < count; v++) {
        const bool is_member = vrp_set_has(cut->member, node[v]), was = v > 0 && vrp_set_has(cut->member, node[v - 1]);
        if (cut->kind == VRP_CUT_SET) {
            times += (is_member != was) + (v == count - 1 && is_member);
            continue;
        }
        state = cut->memory != NULL && !vrp_set_has(cut->memory, node[v]) ? 0 : state + (is_member ? vrp_cut_numerator(cut, node[v]) : 0);
        times += state >= cut->denominator;
        state %= cut->denominator;
    }
    return times;
}

// The value of the route in l->path at other prices. Costs are rounded arc by arc.
static int64_t value_at(const listing *l, const vrp_claim_prices *p, int32_t count)
{
    int64_t value = 0;
    for (int32_t v = 0; v <= count; v++) {
        const int64_t distance = vrp_distance(l->t->vrp, v > 0 ? l->path[v - 1] : 0, v < count ? l->path[v] : 0);
        value += p->unit >= 1 ? distance * (int64_t)p->unit : distance / (int64_t)(1 / p->unit);
        value -= v < count ? p->price[l->path[v]] : 0;
    }
    for (int64_t k = 0; k < p->cuts.count; k++)
        value -= p->cuts.cut[k].price * times_of(&p->cuts.cut[k], l->path, count);
    return value;
}

static bool passes(const listing *l, int32_t count)
{
    for (int32_t k = 0; k < l->filters; k++)
        if (value_at(l, l->filter[k].prices, count) >= l->filter[k].limit)
            return false;
    return true;
}

static mco_status grow_sets(listing *l, const vrp_recheck_list *list, const uint64_t *sets)
{
    mco_status st = MCO_OK;
    uint32_t *by_set = NULL;
    const int64_t room = l->sets > 0 ? 2 * l->sets : FIRST_SLOTS;
    MCO_TRY(mco_alloc(l->ctx, &by_set, room));
    for (int64_t k = 0; k < list->routes.count; k++) {
        uint64_t at = hash_of(sets + k * l->words, l->words, 0) & (uint64_t)(room - 1);
        while (by_set[at] != 0)
            at = (at + 1) & (uint64_t)(room - 1);
        by_set[at] = (uint32_t)k + 1;
    }
    mco_free(l->ctx, &l->by_set);
    l->by_set = by_set;
    l->sets = room;
done:
    return st;
}

static void replace(const listing *l, vrp_recheck_list *list, int64_t k, int32_t at, int64_t cost)
{
    list->routes.cost[k] = cost;
    (void)path_of(l, at, list->routes.node + list->routes.first[k]);  // of equal customers: as long
}

// Closes a label to a route; of equal customers the cheapest stays. `sets` [room * words] are those of the list.
static mco_status close_route(listing *l, int32_t at, vrp_recheck_list *list, uint64_t **sets, int64_t *room)
{
    mco_status st = MCO_OK;
    const label *end = &l->label[at];
    const uint64_t *visited = l->visited + (int64_t)at * l->words;
    const int64_t value = end->value + l->t->arc[(int64_t)end->node * l->t->nodes], cost = end->cost + vrp_distance(l->t->vrp, end->node, 0);
    const bool is_too_long = vrp_has_max_length(l->t->vrp) && end->length + vrp_distance(l->t->vrp, end->node, 0) > l->t->vrp->max_length;
    if (value >= l->limit || is_too_long)
        return MCO_OK;
    const int32_t count = path_of(l, at, l->path);
    if ((l->t->vrp->is_symmetric && vrp_recheck_is_detour(l->distance, l->t->nodes, l->path, count, 0)) || !passes(l, count))
        return MCO_OK;
    if (2 * (list->routes.count + 1) > l->sets)
        MCO_TRY(grow_sets(l, list, *sets));
    uint64_t place = hash_of(visited, l->words, 0) & (uint64_t)(l->sets - 1);
    for (; l->by_set[place] != 0; place = (place + 1) & (uint64_t)(l->sets - 1)) {
        const int64_t k = (int64_t)l->by_set[place] - 1;
        if (memcmp(*sets + k * l->words, visited, (size_t)l->words * sizeof *visited) != 0)
            continue;
        list->value[k] = value < list->value[k] ? value : list->value[k];
        if (cost < list->routes.cost[k])
            replace(l, list, k, at, cost);
        return MCO_OK;
    }
    const int64_t k = list->routes.count;
    MCO_TRY(mco_grow(l->ctx, sets, room, (k + 1) * l->words));
    MCO_TRY(mco_grow(l->ctx, &list->value, &list->room, k + 1));
    memcpy(*sets + k * l->words, visited, (size_t)l->words * sizeof *visited);
    list->value[k] = value;
    MCO_TRY(vrp_routes_append(l->ctx, &list->routes, l->path, count, cost));
    l->by_set[place] = (uint32_t)k + 1;
done:
    return st;
}

// ---- Routes that are not the cheapest of their customers
//
// A cheapest plan has none of them: the cheapest one would be in the list, whose costs are lower. Symmetric lists hold no detours.

static mco_status drop_improvable(const listing *l, vrp_recheck_list *list)
{
    mco_status st = MCO_OK;
    bool *keep = NULL;
    int64_t kept = 0;
    MCO_TRY(mco_alloc(l->ctx, &keep, list->routes.count));
    for (int64_t k = 0; k < list->routes.count; k++) {
        keep[k] = (k % LOOK_LABELS == 0 && vrp_recheck_is_over(l->t)) ||
                  !vrp_recheck_is_improvable(l->t->vrp, list->routes.node + list->routes.first[k], vrp_routes_length(&list->routes, k), list->routes.cost[k]);
        list->value[kept] = list->value[k];
        kept += keep[k];
    }
    vrp_routes_keep(&list->routes, keep);
done:
    mco_free(l->ctx, &keep);
    return st;
}

// ---- All of it

static mco_status search(listing *l, int64_t most, vrp_recheck_list *list, bool *is_done)
{
    mco_status st = MCO_OK;
    uint64_t *sets = NULL;
    int64_t room = 0, seen = 0;
    MCO_TRY(extend(l, -1, 0));
    for (int64_t load = 1; load <= l->t->capacity; load++)
        for (int32_t at = l->head[load]; at >= 0; at = l->label[at].next) {
            if (l->label[at].is_dead)
                continue;
            list->is_full = l->count > most;
            if (list->is_full || (seen++ % LOOK_LABELS == 0 && vrp_recheck_is_over(l->t)))
                goto done;
            MCO_TRY(close_route(l, at, list, &sets, &room));
            MCO_TRY(extend(l, at, load));
        }
    *is_done = true;
    if (!l->t->vrp->is_symmetric)
        st = drop_improvable(l, list);
done:
    mco_free(l->ctx, &sets);
    return st;
}

// Where rows have prices, tables tell little of ways home: tails do. Without them the list is as right, and its labels are more.
static mco_status open_tails(listing *l, int64_t most)
{
    const vrp_recheck_labels task = vrp_recheck_task(l->t);
    bool is_done;
    if (l->rows == 0 || !l->t->vrp->is_symmetric)
        return MCO_OK;
    return vrp_recheck_tails_open(l->ctx, &task, l->limit, most, &l->tails, &is_done);
}

mco_status vrp_recheck_list_routes(const vrp_recheck *tables, int64_t limit, int64_t most, const vrp_recheck_filter *filter, int32_t filters,
                                   vrp_recheck_list *list, bool *is_done)
{
    mco_status st = MCO_OK;
    listing l = {.ctx = tables->ctx, .t = tables, .limit = limit, .filter = filter, .filters = filters, .words = (tables->nodes + 63) / 64};
    *is_done = false;
    *list = (vrp_recheck_list){0};
    vrp_routes_open(false, &list->routes);
    MCO_TRY(mco_alloc(l.ctx, &l.head, tables->capacity + 1));
    MCO_TRY(mco_alloc(l.ctx, &l.path, tables->nodes));
    MCO_TRY(mco_alloc(l.ctx, &l.draft, l.words));
    for (int64_t load = 0; load <= tables->capacity; load++)
        l.head[load] = -1;
    l.least_demand = tables->capacity;
    for (int32_t i = 1; i < tables->nodes; i++)
        l.least_demand = tables->demand[i] < l.least_demand ? tables->demand[i] : l.least_demand;
    MCO_TRY(mco_alloc(l.ctx, &l.distance, (int64_t)tables->nodes * tables->nodes));
    for (int32_t i = 0; i < tables->nodes && !vrp_recheck_is_over(tables); i++)  // the search looks again
        for (int32_t j = 0; j < tables->nodes; j++)
            l.distance[(int64_t)i * tables->nodes + j] = vrp_distance(tables->vrp, i, j);
    MCO_TRY(open_rows(&l));
    MCO_TRY(vrp_recheck_lengths_open(tables, &l.lengths, is_done));
    if (!*is_done)
        goto done;
    *is_done = false;
    MCO_TRY(open_tails(&l, most / TAILS_SHARE));
    MCO_TRY(search(&l, most < INT32_MAX - 1 ? most : INT32_MAX - 1, list, is_done));
    mco_log(l.ctx, MCO_LOG_DETAIL, "recheck: %lld tails, %lld labels, %lld route%s below %lld",
            l.tails.first != NULL ? (long long)l.tails.first[tables->nodes] : 0, (long long)l.count, (long long)list->routes.count,
            mco_plural(list->routes.count), (long long)limit);
done:
    vrp_recheck_tails_close(l.ctx, &l.tails);
    mco_free(l.ctx, &l.active);
    vrp_recheck_lengths_close(l.ctx, &l.lengths);
    mco_free(l.ctx, &l.by_set);
    mco_free(l.ctx, &l.draft);
    mco_free(l.ctx, &l.distance);
    mco_free(l.ctx, &l.path);
    mco_free(l.ctx, &l.state);
    mco_free(l.ctx, &l.of_count);
    mco_free(l.ctx, &l.of_node);
    mco_free(l.ctx, &l.row);
    mco_free(l.ctx, &l.slot);
    mco_free(l.ctx, &l.head);
    mco_free(l.ctx, &l.visited);
    mco_free(l.ctx, &l.label);
    if (st != MCO_OK)
        vrp_recheck_list_clear(l.ctx, list);
    return st;
}

void vrp_recheck_list_clear(mco_context *ctx, vrp_recheck_list *list)
{
    vrp_routes_close(ctx, &list->routes);
    mco_free(ctx, &list->value);
}
