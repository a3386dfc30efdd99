// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/tails.h"

#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "vrp/bound/labels/crew.h"
#include "vrp/bound/labels/dominance.h"

enum {
    MOST_BUCKETS = 1 << 22,   // 16 MiB of heads
    STEPS_A_LOOK = 1 << 16,   // labels compared between looks at the clock
    FIRST_SLOTS = 1 << 12,
    CREW_LABELS = 64,         // of one load, from which threads pay
    GROUP_LABELS = 4096,      // of one load that grow before what they have made is taken
    ROUTES_OF_A_SET = 4       // elementary mode: so many times most_routes end the run before equal sets fold
};

mco_status vrp_side_open(mco_context *ctx, const vrp_label_task *task, const vrp_states *states, bool is_backward, int32_t most_load,
                         vrp_side *out)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = task->problem;
    *out = (vrp_side){.ctx = ctx, .run = ctx, .task = task, .states = states, .most_load = most_load, .most_labels = task->most_labels};
    out->set_words = (p->nodes + 63) / 64;
    out->item_bytes = sizeof(vrp_label_item) +
                      (size_t)(states->words + (task->is_elementary ? out->set_words : 0)) * sizeof(uint64_t);
    out->bucket_width = ((int64_t)p->capacity + 1) / (MOST_BUCKETS / p->nodes) + 1;
    out->buckets = p->capacity / out->bucket_width + 1;
    if (out->most_labels > INT32_MAX - 1)
        out->most_labels = INT32_MAX - 1;
    MCO_TRY(vrp_completion_open(ctx, task, is_backward, &out->completion));
    MCO_TRY(mco_alloc(ctx, &out->bucket, p->nodes * out->buckets));
    MCO_TRY(mco_alloc(ctx, &out->seen, out->set_words));
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&out->draft, 1, out->item_bytes));
    for (int64_t k = 0; k < p->nodes * out->buckets; k++)
        out->bucket[k] = -1;
    if (task->is_elementary) {
        out->slots = FIRST_SLOTS;
        MCO_TRY(mco_alloc(ctx, &out->slot, out->slots));
    } else {
        MCO_TRY(mco_alloc(ctx, &out->settled, p->nodes));
        MCO_TRY(mco_alloc(ctx, &out->rank_of, p->nodes * out->buckets));
    }
done:
    if (st != MCO_OK)
        vrp_side_close(out);
    return st;
}

static void clear_settled(vrp_side *side)
{
    for (int32_t i = 0; side->settled != NULL && i < side->task->problem->nodes; i++) {
        mco_free(side->ctx, &side->settled[i].value);
        mco_free(side->ctx, &side->settled[i].memory);
        mco_free(side->ctx, &side->settled[i].index);
    }
    mco_free(side->ctx, &side->settled);
}

static void clear_ranked(vrp_side *side)
{
    for (int64_t k = 0; k < side->ranked_count; k++)
        mco_free(side->ctx, &side->ranked[k].entry);
    mco_free(side->ctx, &side->ranked);
    mco_free(side->ctx, &side->rank_of);
}

void vrp_side_close(vrp_side *side)
{
    vrp_crew_close(side);
    clear_settled(side);
    clear_ranked(side);
    mco_free(side->ctx, &side->made);
    for (int64_t k = 0; k < side->chunk_room; k++)
        mco_free(side->ctx, &side->chunk[k]);
    mco_free(side->ctx, &side->chunk);
    mco_free(side->ctx, &side->final);
    mco_free(side->ctx, &side->slot);
    mco_free(side->ctx, &side->draft);
    mco_free(side->ctx, &side->seen);
    mco_free(side->ctx, &side->bucket);
    if (side->task != NULL)
        vrp_completion_close(side->ctx, &side->completion);
    *side = (vrp_side){.ctx = side->ctx};
}

bool vrp_side_goes_on(vrp_side *side, int64_t steps)
{
    side->steps += steps;
    if (side->steps >= STEPS_A_LOOK && side->end == VRP_LABELS_DONE) {
        side->steps = 0;
        if (mco_is_cancelled(side->run) || mco_clock_s() >= side->task->stop_s)
            side->end = VRP_LABELS_STOPPED;
    }
    return side->end == VRP_LABELS_DONE;
}

int64_t vrp_side_most_routes(const vrp_side *side)
{
    const int64_t most = side->task->most_labels, equal = ROUTES_OF_A_SET * side->task->most_routes;
    return side->task->is_elementary && equal < most ? equal : most;
}

mco_status vrp_side_finish(vrp_side *side, int64_t value, int32_t head, int32_t tail)
{
    mco_status st = MCO_OK;
    if (side->final_count >= vrp_side_most_routes(side)) {
        side->end = VRP_LABELS_LIMIT;
        return MCO_OK;
    }
    MCO_TRY(mco_grow(side->ctx, &side->final, &side->final_room, side->final_count + 1));
    side->final[side->final_count++] = (vrp_label_final){(int32_t)value, head, tail};
done:
    return st;
}

// ---- Bounds

void vrp_side_see(vrp_side *side, vrp_label_item *item)
{
    const vrp_ng_sets *sets = side->task->sets;
    if (side->task->is_elementary) {
        memcpy(side->seen, vrp_side_visited(side, item), (size_t)side->set_words * sizeof *side->seen);
        return;
    }
    memset(side->seen, 0, (size_t)side->set_words * sizeof *side->seen);
    side->seen[item->node >> 6] |= (uint64_t)1 << (item->node & 63);
    for (uint32_t left = item->memory; left != 0; left &= left - 1) {
        const int32_t node = sets->neighbour[(int64_t)item->node * VRP_NG_MOST + __builtin_ctz(left)];
        side->seen[node >> 6] |= (uint64_t)1 << (node & 63);
    }
}

uint32_t vrp_side_bits(const vrp_ng_sets *sets, int32_t node, const uint64_t *seen)
{
    const int32_t *neighbour = sets->neighbour + (int64_t)node * VRP_NG_MOST;
    uint32_t bits = 0;
    for (int32_t b = 0; b < sets->size[node] - 1; b++)
        bits |= (uint32_t)vrp_set_has(seen, neighbour[b]) << b;
    return bits;
}

// The least value of a way on from the end of `item`, its node included in the load and not in the length. Only for a node whose table
// was touched.
int32_t vrp_side_bound(const vrp_side *side, const vrp_label_item *item, const uint64_t *seen)
{
    const vrp_completion *c = &side->completion;
    const vrp_bound_problem *p = side->task->problem;
    const int32_t k = item->node;
    const int64_t left = (int64_t)p->capacity - item->load, with_node = left + p->demand[k];
    int32_t on;
    if (c->table != NULL) {
        const int32_t size = c->table_sets->size[k] - 1;
        const uint32_t all = ((uint32_t)1 << size) - 1, free = all & ~vrp_side_bits(c->table_sets, k, seen);
        on = c->table[k][(with_node << size) + free];
    } else {
        on = c->load[vrp_completion_row(with_node, c->load_step, c->load_has_slack, vrp_completion_visits(side->task, with_node)) *
                         p->stride + k];
    }
    if (c->length != NULL) {
        const int64_t row = vrp_completion_row(p->max_length - item->length, c->length_step, c->length_has_slack,
                                               vrp_completion_visits(side->task, left));
        const int32_t by_length = c->length[row * p->stride + k];
        on = on > by_length ? on : by_length;
    }
    return on >= VRP_NO_PATH ? VRP_NO_PATH : item->value + on;
}

// ---- Growing

// The draft: `from` (NULL: the depot) extended to node k, but for its memory. Returns false if no route can begin so.
static mco_status extend(vrp_side *side, vrp_label_item *from, int32_t k, bool *is_possible)
{
    const vrp_bound_problem *p = side->task->problem;
    vrp_label_item *draft = side->draft;
    const int32_t i = from != NULL ? from->node : 0, words = side->states->words;
    const int64_t cost = side->completion.is_backward ? p->cost[(int64_t)k * p->stride + i] : p->cost[(int64_t)i * p->stride + k];
    const int64_t load = (from != NULL ? from->load : 0) + (int64_t)p->demand[k];
    int64_t value = (from != NULL ? from->value : 0) + (int64_t)side->completion.arcs[(int64_t)i * p->stride + k];
    *is_possible = false;
    if (load > p->capacity)
        return MCO_OK;
    draft->length = 0;
    if (p->max_length < INT64_MAX && p->service != NULL) {
        const int64_t length = (from != NULL ? from->length : 0) + cost + p->service[k];
        if (length > p->max_length)
            return MCO_OK;
        draft->length = (int32_t)length;
    }
    if (from != NULL)
        value += vrp_states_visit(side->states, k, from->words, draft->words);
    else
        vrp_states_visit(side->states, k, (const uint64_t *)memset(draft->words, 0, (size_t)words * sizeof(uint64_t)), draft->words);
    if (value <= -VRP_NO_PATH / 2 || value >= VRP_NO_PATH / 2)
        return mco_fail(side->ctx, MCO_ERR_LIMIT, "a path of value %lld; between +-%d are supported", (long long)value, VRP_NO_PATH / 2);
    if (side->task->is_elementary)
        draft->cost = (from != NULL ? from->cost : 0) +
                      (side->completion.is_backward ? vrp_label_cost(p, k, i) : vrp_label_cost(p, i, k));
    draft->value = (int32_t)value;
    draft->load = (int32_t)load;
    draft->node = k;
    draft->status = VRP_LABEL_OPEN;
    *is_possible = true;
    return MCO_OK;
}

// Keeps the draft until it is offered.
static mco_status keep_draft(vrp_side *side)
{
    const int64_t at = side->made_count * (int64_t)side->item_bytes;
    const mco_status st = mco_grow(side->ctx, &side->made, &side->made_room, at + (int64_t)side->item_bytes);
    if (st != MCO_OK)
        return st;
    memcpy(side->made + at, side->draft, side->item_bytes);
    side->made_count++;
    return MCO_OK;
}

// In a quick run: whether a label of the bucket is better already, or the direct way to the depot too long (which proves nothing).
static bool is_idle(vrp_side *side)
{
    const vrp_label_item *draft = side->draft;
    const vrp_bound_problem *p = side->task->problem;
    const int32_t first = side->bucket[draft->node * side->buckets + draft->load / side->bucket_width];
    if (p->max_length < INT64_MAX && draft->length + (int64_t)p->cost[(int64_t)draft->node * p->stride] > p->max_length)
        return true;
    return first >= 0 && vrp_side_dominates(side, vrp_side_item(side, first), draft);
}

// Extends label `index` (-1: the depot) to node k, where its bound is below what is wanted. side->seen is that of the label.
static mco_status grow_to(vrp_side *side, int32_t index, int32_t k)
{
    mco_status st = MCO_OK;
    vrp_label_item *from = index >= 0 ? vrp_side_item(side, index) : NULL, *draft = side->draft;
    bool is_possible;
    MCO_TRY(extend(side, from, k, &is_possible));
    if (!is_possible || (side->task->is_quick && is_idle(side)))
        return MCO_OK;
    MCO_TRY(vrp_completion_touch(side->ctx, &side->completion, k));
    const int32_t bound = vrp_side_bound(side, draft, side->seen);
    if (side->arc_value != NULL) {
        int32_t *value = &side->arc_value[(int64_t)(from != NULL ? from->node : 0) * side->task->problem->stride + k];
        *value = bound < *value ? bound : *value;
    }
    if (bound >= side->task->below || (side->drops_heavier && draft->load > side->most_load) || !vrp_side_reaches_tail(side, from, k))
        return MCO_OK;
    draft->before = index;
    draft->memory = 0;
    if (side->task->is_elementary) {
        uint64_t *visited = vrp_side_visited(side, draft);
        memcpy(visited, side->seen, (size_t)side->set_words * sizeof *visited);
        visited[k >> 6] |= (uint64_t)1 << (k & 63);
    } else {
        draft->memory = vrp_side_bits(side->task->sets, k, side->seen);
    }
    MCO_TRY(keep_draft(side));
done:
    return st;
}

// Extends label `index` (-1: the depot) to all nodes.
static mco_status grow_label(vrp_side *side, int32_t index)
{
    mco_status st = MCO_OK;
    const vrp_label_task *task = side->task;
    const vrp_bound_problem *p = task->problem;
    const vrp_completion *c = &side->completion;
    vrp_label_item *item = index >= 0 ? vrp_side_item(side, index) : NULL;
    const int32_t *arcs = c->arcs + (int64_t)(item != NULL ? item->node : 0) * p->stride;
    const int64_t left = (int64_t)p->capacity - (item != NULL ? item->load : 0);
    const int64_t row = vrp_completion_row(left, c->load_step, c->load_has_slack, vrp_completion_visits(task, left));
    const int32_t *on = c->load + row * p->stride, most = task->below - (item != NULL ? item->value : 0);
    if (item != NULL)
        vrp_side_see(side, item);
    else
        memset(side->seen, 0, (size_t)side->set_words * sizeof *side->seen);
    for (int32_t k = 1; k < p->nodes; k++)
        if (arcs[k] + on[k] < most && arcs[k] < VRP_NO_ARC && !vrp_set_has(side->seen, k))
            MCO_TRY(grow_to(side, index, k));
    vrp_side_goes_on(side, p->nodes / 8 + 1);
done:
    return st;
}

// The route that ends here.
static mco_status close_route(vrp_side *side, int32_t index)
{
    const vrp_bound_problem *p = side->task->problem;
    const vrp_label_item *item = vrp_side_item(side, index);
    const int64_t at = (int64_t)item->node * p->stride;
    const int64_t value = (int64_t)item->value + side->completion.arcs[at];
    if (side->completion.arcs[at] >= VRP_NO_ARC || value >= side->task->below)
        return MCO_OK;
    if (p->max_length < INT64_MAX && p->service != NULL &&
        item->length + (int64_t)(side->completion.is_backward ? p->cost[item->node] : p->cost[at]) > p->max_length)
        return MCO_OK;
    return vrp_side_finish(side, value, index, -1);
}

// ---- Level after level

// What one node of a level has made: items first..first + count of `hand`.
typedef struct harvest {
    const vrp_side *hand;
    int64_t first, count;
} harvest;

// Some of the nodes of a bucket.
typedef struct level {
    int64_t bucket;
    int32_t *node;       // [count] those with labels to grow
    int32_t count;
    int64_t labels;      // of them
    harvest *harvest;    // [count]
} level;

// Lists nodes from `first` on that have labels to grow in the bucket, until these are GROUP_LABELS. Returns where the next list begins.
static int32_t find_nodes(const vrp_side *side, int32_t first, level *l)
{
    int32_t i = first;
    l->count = 0;
    l->labels = 0;
    for (; i < side->task->problem->nodes && l->labels < GROUP_LABELS; i++) {
        const int64_t before = l->labels;
        for (int32_t at = side->bucket[i * side->buckets + l->bucket]; at >= 0; at = vrp_side_item(side, at)->next)
            l->labels += vrp_side_item(side, at)->status == VRP_LABEL_OPEN;
        if (l->labels > before)
            l->node[l->count++] = i;
    }
    return i;
}

// Grows the labels of node k of the level. It changes nothing that another node looks at, but what `hand` makes.
static mco_status grow_node(vrp_side *hand, void *shared, int64_t k)
{
    mco_status st = MCO_OK;
    level *l = shared;
    l->harvest[k] = (harvest){hand, hand->made_count, 0};
    for (int32_t at = hand->bucket[l->node[k] * hand->buckets + l->bucket]; at >= 0 && hand->end == VRP_LABELS_DONE;) {
        vrp_label_item *item = vrp_side_item(hand, at);
        if (item->status == VRP_LABEL_OPEN) {
            if (!hand->task->is_elementary && vrp_side_has_lighter(hand, item)) {
                item->status = VRP_LABEL_DEAD;
            } else {
                if (item->load <= hand->most_load)
                    MCO_TRY(grow_label(hand, at));
                item->status = VRP_LABEL_GROWN;
            }
        }
        at = item->next;
    }
done:
    l->harvest[k].count = hand->made_count - l->harvest[k].first;
    return st;
}

static mco_status offer_all(vrp_side *side, const harvest *from)
{
    mco_status st = MCO_OK;
    for (int64_t k = from->first; k < from->first + from->count && side->end == VRP_LABELS_DONE; k++)
        MCO_TRY(vrp_side_offer(side, (const vrp_label_item *)(const void *)(from->hand->made + k * (int64_t)side->item_bytes)));
done:
    return st;
}

// Takes what node k of the level has grown, and closes its routes.
static mco_status reap_node(vrp_side *side, const level *l, int32_t k)
{
    mco_status st = MCO_OK;
    MCO_TRY(offer_all(side, &l->harvest[k]));
    for (int32_t at = side->bucket[l->node[k] * side->buckets + l->bucket]; at >= 0 && side->end == VRP_LABELS_DONE;) {
        vrp_label_item *item = vrp_side_item(side, at);
        if (item->status == VRP_LABEL_GROWN) {
            MCO_TRY(close_route(side, at));
            if (side->end == VRP_LABELS_DONE)
                item->status = item->load > side->most_load ? VRP_LABEL_WAITING : VRP_LABEL_DONE;
        }
        at = item->next;
    }
done:
    return st;
}

// Grows all labels of a level, group by group. *any: there were some.
static mco_status grow_groups(vrp_side *side, level *l, bool *any)
{
    mco_status st = MCO_OK;
    const int32_t nodes = side->task->problem->nodes;
    *any = false;
    for (int32_t first = 1; first < nodes && side->end == VRP_LABELS_DONE;) {
        first = find_nodes(side, first, l);
        *any = *any || l->count > 0;
        MCO_TRY(vrp_crew_run(side, l->count, l->labels >= CREW_LABELS, grow_node, l));
        for (int32_t k = 0; k < l->count && side->end == VRP_LABELS_DONE; k++)
            MCO_TRY(reap_node(side, l, k));
    }
done:
    return st;
}

static mco_status grow_level(vrp_side *side, level *l)
{
    mco_status st = MCO_OK;
    // A bucket wider than the least demand gets labels from itself; each round carries them on by one customer at least.
    for (bool any = true; any && side->end == VRP_LABELS_DONE;) {
        MCO_TRY(grow_groups(side, l, &any));
        any = any && side->bucket_width > side->task->problem->least_demand;
    }
    for (int32_t i = 1; i < side->task->problem->nodes && side->settled != NULL && side->end == VRP_LABELS_DONE; i++)
        MCO_TRY(vrp_side_settle(side, i, l->bucket));
done:
    return st;
}

mco_status vrp_side_grow(vrp_side *side)
{
    mco_status st = MCO_OK;
    const int32_t nodes = side->task->problem->nodes;
    level l = {0};
    side->steps = STEPS_A_LOOK;
    if (!vrp_side_goes_on(side, 0))
        return MCO_OK;
    MCO_TRY(mco_alloc(side->ctx, &l.node, nodes));
    MCO_TRY(mco_alloc(side->ctx, &l.harvest, nodes));
    side->made_count = 0;
    MCO_TRY(grow_label(side, -1));
    MCO_TRY(offer_all(side, &(harvest){side, 0, side->made_count}));
    for (; l.bucket < side->buckets && side->end == VRP_LABELS_DONE; l.bucket++)
        MCO_TRY(grow_level(side, &l));
done:
    mco_free(side->ctx, &l.harvest);
    mco_free(side->ctx, &l.node);
    return st;
}
