// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/dominance.h"

#include <string.h>

#include "base/grow.h"

// ---- Dominance between labels of a relaxation

static int32_t *bucket_of(vrp_side *side, int32_t node, int32_t load)
{
    return &side->bucket[node * side->buckets + load / side->bucket_width];
}

mco_status vrp_side_settle(vrp_side *side, int32_t node, int64_t bucket)
{
    mco_status st = MCO_OK;
    vrp_side_settled *s = &side->settled[node];
    for (int32_t at = side->bucket[node * side->buckets + bucket]; at >= 0; at = vrp_side_item(side, at)->next) {
        const vrp_label_item *item = vrp_side_item(side, at);
        if (item->status == VRP_LABEL_DEAD)
            continue;
        MCO_TRY(mco_grow(side->ctx, &s->value, &s->value_room, s->count + 1));
        MCO_TRY(mco_grow(side->ctx, &s->memory, &s->memory_room, s->count + 1));
        MCO_TRY(mco_grow(side->ctx, &s->index, &s->index_room, s->count + 1));
        s->value[s->count] = item->value;
        s->memory[s->count] = side->task->is_quick ? 0 : item->memory;
        s->index[s->count++] = at;
    }
done:
    return st;
}

// Blocks of values and memories are tested without a branch. The few labels that are left lie far apart: all are fetched before one is
// looked at.
bool vrp_side_has_lighter(vrp_side *side, const vrp_label_item *item)
{
    enum { BLOCK = 64 };  // a loop that is short enough to be unrolled is not vectorised
    const vrp_side_settled *s = &side->settled[item->node];
    const int32_t *of = s->value, value = item->value;
    const uint32_t *memory = s->memory, not_in = ~item->memory;
    const vrp_label_item *left[BLOCK];
    bool is_dominated = false;
    int64_t k = 0;
    for (; k < s->count && !is_dominated; k += BLOCK) {
        const int64_t end = s->count - k < BLOCK ? s->count : k + BLOCK;
        int32_t any = end < k + BLOCK, count = 0;
        if (any == 0)
            for (int32_t l = 0; l < BLOCK; l++)
                any |= (of[k + l] <= value) & ((memory[k + l] & not_in) == 0);
        for (int64_t l = k; any != 0 && l < end; l++)
            if (of[l] <= value && (memory[l] & not_in) == 0) {
                left[count] = vrp_side_item(side, s->index[l]);
                __builtin_prefetch(left[count]);
                __builtin_prefetch(left[count++]->words);
            }
        for (int32_t l = 0; l < count && !is_dominated; l++)
            is_dominated = vrp_side_dominates(side, left[l], item);
    }
    vrp_side_goes_on(side, k / BLOCK + 1);
    return is_dominated;
}

static int32_t *rank_of(vrp_side *side, const vrp_label_item *item)
{
    return &side->rank_of[item->node * side->buckets + item->load / side->bucket_width];
}

static uint32_t memory_of(const vrp_side *side, const vrp_label_item *item)
{
    return side->task->is_quick ? 0 : item->memory;
}

// How many labels of its bucket, ordered by value, come before `item`; -1: one of them dominates it.
static int64_t find_rank(vrp_side *side, const vrp_label_item *item)
{
    const int32_t at = *rank_of(side, item);
    const vrp_side_ranked none = {NULL, 0, 0}, *r = at > 0 ? &side->ranked[at - 1] : &none;
    const uint32_t not_in = ~memory_of(side, item);
    bool is_dominated = false;
    int64_t k = 0;
    for (; k < r->count && r->entry[k].value <= item->value && !is_dominated; k++)
        is_dominated = (r->entry[k].memory & not_in) == 0 && vrp_side_dominates(side, vrp_side_item(side, r->entry[k].index), item);
    vrp_side_goes_on(side, k);
    return is_dominated ? -1 : k;
}

// Takes labels that `item`, of this rank, dominates out of its bucket.
static void drop_dominated(vrp_side *side, vrp_label_item *item, vrp_side_ranked *r, int64_t rank)
{
    const uint32_t memory = memory_of(side, item);
    int32_t *at = &item->next;
    int64_t kept = rank + 1;
    for (int64_t k = rank + 1; k < r->count; k++) {
        vrp_label_item *other = vrp_side_item(side, r->entry[k].index);
        if ((memory & ~r->entry[k].memory) == 0 && vrp_side_dominates(side, item, other)) {
            other->status = VRP_LABEL_DEAD;
            *at = other->next;
        } else {
            r->entry[kept++] = r->entry[k];
            at = &other->next;
        }
    }
    vrp_side_goes_on(side, r->count - rank);
    r->count = kept;
}

// ---- Dominance between labels of one set of customers

static uint64_t hash_of(const vrp_side *side, const vrp_label_item *item)
{
    uint64_t hash = (uint64_t)item->node;
    const uint64_t *visited = item->words + side->states->words;
    for (int32_t w = 0; w < side->set_words; w++) {
        hash = (hash ^ visited[w]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    return hash;
}

static bool has_same_set(const vrp_side *side, const vrp_label_item *a, const vrp_label_item *b)
{
    const size_t at = (size_t)side->states->words;
    return a->node == b->node && memcmp(a->words + at, b->words + at, (size_t)side->set_words * sizeof *a->words) == 0;
}

// Of two routes of equal customers only the cheaper counts. Of equal costs that of a lower value, after the rows, has all that the other
// one has.
static bool is_cheaper(const vrp_side *side, const vrp_label_item *a, const vrp_label_item *b)
{
    if (a->cost > b->cost)  // then it is longer as well
        return false;
    const int64_t most = (int64_t)b->value - a->value;
    return a->cost < b->cost || (most >= 0 && vrp_states_excess(side->states, a->words, b->words, most) <= most);
}

static mco_status grow_slots(vrp_side *side)
{
    mco_status st = MCO_OK;
    int32_t *slot = NULL;
    const int64_t slots = 2 * side->slots;
    MCO_TRY(mco_alloc(side->ctx, &slot, slots));
    for (int64_t k = 0; k < side->count; k++) {
        const vrp_label_item *item = vrp_side_item(side, k);
        if (item->status == VRP_LABEL_DEAD)
            continue;
        uint64_t at = hash_of(side, item) & (uint64_t)(slots - 1);
        while (slot[at] != 0)
            at = (at + 1) & (uint64_t)(slots - 1);
        slot[at] = (int32_t)k + 1;
    }
    mco_free(side->ctx, &side->slot);
    side->slot = slot;
    side->slots = slots;
done:
    return st;
}

// Whether `item` is needed. It marks labels dead that it makes needless. *place: its slot.
static bool is_needed(vrp_side *side, const vrp_label_item *item, uint64_t *place)
{
    uint64_t at = hash_of(side, item) & (uint64_t)(side->slots - 1);
    int64_t steps = 1;
    for (; side->slot[at] != 0; at = (at + 1) & (uint64_t)(side->slots - 1), steps++) {
        vrp_label_item *other = vrp_side_item(side, side->slot[at] - 1);
        if (other->status == VRP_LABEL_DEAD || !has_same_set(side, item, other))
            continue;
        if (is_cheaper(side, other, item))
            return false;
        if (is_cheaper(side, item, other))
            other->status = VRP_LABEL_DEAD;
    }
    vrp_side_goes_on(side, steps);
    *place = at;
    return true;
}

// ---- Taking labels

static mco_status make_room(vrp_side *side)
{
    mco_status st = MCO_OK;
    const int64_t chunk = side->count >> VRP_LABEL_CHUNK_BITS;
    if (chunk >= side->chunk_room)
        MCO_TRY(mco_grow(side->ctx, &side->chunk, &side->chunk_room, chunk + 1));
    if (side->chunk[chunk] == NULL)
        MCO_TRY(mco_alloc_bytes(side->ctx, (void **)&side->chunk[chunk], (size_t)1 << VRP_LABEL_CHUNK_BITS, side->item_bytes));
    if (side->task->is_elementary && 2 * (side->count + 1) > side->slots)
        MCO_TRY(grow_slots(side));
done:
    return st;
}

// Copies `made` to the labels, behind *place of its bucket.
static vrp_label_item *take(vrp_side *side, const vrp_label_item *made, int32_t *place)
{
    vrp_label_item *item = vrp_side_item(side, side->count);
    memcpy(item, made, side->item_bytes);
    item->next = *place;
    *place = (int32_t)side->count++;
    return item;
}

// The same for a label of a relaxation, which is the `rank`-th of its bucket.
static mco_status take_ranked(vrp_side *side, const vrp_label_item *made, int64_t rank)
{
    mco_status st = MCO_OK;
    const struct vrp_side_entry entry = {made->value, memory_of(side, made), (int32_t)side->count};
    int32_t *at = rank_of(side, made);
    if (*at == 0) {
        MCO_TRY(mco_grow(side->ctx, &side->ranked, &side->ranked_room, side->ranked_count + 1));
        side->ranked[side->ranked_count] = (vrp_side_ranked){NULL, 0, 0};
        *at = (int32_t)++side->ranked_count;
    }
    vrp_side_ranked *r = &side->ranked[*at - 1];
    int32_t *place = rank == 0 ? bucket_of(side, made->node, made->load) : &vrp_side_item(side, r->entry[rank - 1].index)->next;
    MCO_TRY(mco_grow(side->ctx, &r->entry, &r->room, r->count + 1));
    memmove(r->entry + rank + 1, r->entry + rank, (size_t)(r->count - rank) * sizeof *r->entry);
    r->entry[rank] = entry;
    r->count++;
    drop_dominated(side, take(side, made, place), r, rank);
done:
    return st;
}

mco_status vrp_side_offer(vrp_side *side, const vrp_label_item *item)
{
    mco_status st = MCO_OK;
    uint64_t slot = 0;
    const int64_t rank = side->task->is_elementary ? 0 : find_rank(side, item);
    if (rank < 0)
        return MCO_OK;
    if (side->count >= side->most_labels) {
        side->end = VRP_LABELS_LIMIT;
        return MCO_OK;
    }
    MCO_TRY(make_room(side));
    if (!side->task->is_elementary)
        return take_ranked(side, item, rank);
    if (!is_needed(side, item, &slot))
        return MCO_OK;
    side->slot[slot] = (int32_t)side->count + 1;
    take(side, item, bucket_of(side, item->node, item->load));
done:
    return st;
}
