// SPDX-License-Identifier: MIT
// Finds the pair that a row needs at a link with excess: one segment follows the row's flow back from the link, the other its tree. They end
// where they meet (Bar-Gera 2010; Xie and Xie 2016 follow the greatest flow, as here).
#include <math.h>
#include <string.h>

#include "traffic/pairs/balance.h"

// A pair serves a candidate if the row can move this share of the link's flow, and if its costs differ by this share of the reduced cost.
static const double ENOUGH_FLOW = 0.5, ENOUGH_COST = 0.5;

// ---- The list of pairs

static double class_extra(const traffic_problem *p, int32_t user_class, const int32_t *link, int32_t count0, int32_t count1)
{
    double sum = 0;
    if (p->extra == NULL)
        return 0;
    const double *extra = p->extra + (size_t)user_class * (size_t)p->links;
    for (int32_t k = 0; k < count0 + count1; k++)
        sum += k < count0 ? extra[link[k]] : -extra[link[k]];
    return sum;
}

// Makes room for `count` items, exactly so many at first and by half more later: most pairs are short-lived and have one use.
static mco_status fit(mco_context *ctx, int32_t **items, int64_t *room, int64_t count)
{
    int32_t *larger = NULL;
    if (count <= *room)
        return MCO_OK;
    const int64_t wanted = *room == 0 ? count : count + count / 2;
    const mco_status st = mco_alloc(ctx, &larger, wanted);
    if (st != MCO_OK)
        return st;
    if (*room > 0)
        memcpy(larger, *items, (size_t)*room * sizeof *larger);
    mco_free(ctx, items);
    *items = larger;
    *room = wanted;
    return MCO_OK;
}

mco_status pairs_add(pairs_balance *b, int32_t user_class, const int32_t *link, int32_t count0, int32_t count1, int32_t *index)
{
    mco_status st = MCO_OK;
    int32_t i;
    if (b->dead_count > 0) {
        i = b->dead[b->dead_count - 1];
    } else {
        i = b->pairs;
        MCO_TRY(mco_grow(b->ctx, &b->pair, &b->pair_room, (int64_t)i + 1));
        MCO_TRY(mco_grow(b->ctx, &b->dead, &b->dead_room, (int64_t)i + 1));  // so that pairs_remove() cannot fail
    }
    pairs_pair *pair = &b->pair[i];
    MCO_TRY(fit(b->ctx, &pair->link, &pair->link_room, (int64_t)count0 + count1));
    if (i == b->pairs)
        b->pairs++;
    else
        b->dead_count--;
    memcpy(pair->link, link, (size_t)(count0 + count1) * sizeof *link);
    pair->count[0] = count0;
    pair->count[1] = count1;
    pair->last[0] = link[count0 - 1];
    pair->last[1] = link[count0 + count1 - 1];
    pair->user_class = user_class;
    pair->extra = class_extra(b->problem, user_class, link, count0, count1);
    pair->uses = 0;
    pair->is_live = true;
    const int32_t node = b->problem->head[link[count0 - 1]];
    pair->next = b->at_node[node];
    b->at_node[node] = i;
    b->live++;
    *index = i;
done:
    return st;
}

void pairs_remove(pairs_balance *b, int32_t index)
{
    pairs_pair *pair = &b->pair[index];
    int32_t *at = &b->at_node[b->problem->head[pair->link[pair->count[0] - 1]]];
    while (*at != index)
        at = &b->pair[*at].next;
    *at = pair->next;
    pair->is_live = false;
    b->dead[b->dead_count++] = index;
    b->live--;
}

// The use of a batch by a pair, -1: none.
static int32_t find_use(const pairs_pair *pair, int32_t batch)
{
    int32_t u = pair->uses - 1;
    while (u >= 0 && pairs_use_at(pair, u)[0] != batch)
        u--;
    return u;
}

mco_status pairs_add_use(pairs_balance *b, int32_t index, int32_t batch, uint32_t lanes)
{
    pairs_pair *pair = &b->pair[index];
    const int32_t links = pair->count[0] + pair->count[1], u = find_use(pair, batch);
    if (u >= 0) {
        pairs_use_at(pair, u)[1] |= (int32_t)lanes;
        return MCO_OK;
    }
    mco_status st = fit(b->ctx, &pair->use, &pair->use_room, (int64_t)(pair->uses + 1) * (2 + links));
    if (st != MCO_OK)
        return st;
    int32_t *use = pairs_use_at(pair, pair->uses);
    use[0] = batch;
    use[1] = (int32_t)lanes;
    for (int32_t k = 0; k < links && st == MCO_OK; k++)
        st = pairs_slot_make(b->ctx, b->store, &b->store->batch[batch], pair->link[k], &use[2 + k]);
    if (st == MCO_OK)
        pair->uses++;
    return st;
}

static mco_status join(pairs_balance *b, int32_t index, int32_t place)
{
    const int32_t batch = place / PAIRS_LANES;
    const mco_status st = pairs_add_use(b, index, batch, 1u << place % PAIRS_LANES);
    const pairs_pair *pair = &b->pair[index];
    if (st == MCO_OK && b->is_eager)
        pairs_shift_row(b, pair, &b->store->batch[batch], place % PAIRS_LANES, pairs_use_at(pair, find_use(pair, batch)) + 2);
    return st;
}

// The lanes of a batch that have flow on all links, among `lanes`.
static uint32_t lanes_with_flow(const pairs_batch *batch, const int32_t *link, int32_t count)
{
    uint32_t lanes = (1u << PAIRS_LANES) - 1;
    for (int32_t k = 0; k < count && lanes != 0; k++) {
        const int32_t slot = pairs_slot(batch, link[k]);
        uint32_t here = 0;
        for (int lane = 0; slot >= 0 && lane < PAIRS_LANES; lane++)
            here |= (uint32_t)(batch->flow[(size_t)slot * PAIRS_LANES + (size_t)lane] > 0) << lane;
        lanes &= here;
    }
    return lanes;
}

// Lets all rows of the class use a pair if they have flow on its segment 0. O(batches * links of the segment).
static mco_status join_all(pairs_balance *b, int32_t index)
{
    mco_status st = MCO_OK;
    for (int32_t i = 0; i < b->store->batches && st == MCO_OK; i++) {
        const pairs_pair *pair = &b->pair[index];
        const pairs_batch *batch = &b->store->batch[i];
        const uint32_t lanes = batch->user_class != pair->user_class ? 0 : lanes_with_flow(batch, pair->link, pair->count[0]);
        if (lanes != 0)
            st = pairs_add_use(b, index, i, lanes);
    }
    return st;
}

// ---- Pairs that are there

// The pair that ends with `link` and `parent` and serves the candidate, -1: none.
static int32_t find_pair(const pairs_balance *b, const traffic_candidate *c, int32_t parent, double flow)
{
    const pairs_batch *batch = &b->store->batch[c->place / PAIRS_LANES];
    for (int32_t i = b->at_node[b->problem->head[c->link]]; i >= 0; i = b->pair[i].next) {
        const pairs_pair *pair = &b->pair[i];
        const int side = pair->last[1] == c->link;
        if (pair->last[side] != c->link || pair->last[1 - side] != parent || pair->user_class != batch->user_class)
            continue;
        const int32_t *link = pairs_segment(pair, side);
        double least = INFINITY, slope;
        for (int32_t k = 0; k < pair->count[side] && least >= ENOUGH_FLOW * flow; k++)
            least = fmin(least, pairs_flow(batch, c->place % PAIRS_LANES, link[k]));
        if (least < ENOUGH_FLOW * flow)
            continue;
        const double difference = pairs_difference(b, pair, &slope);
        if ((side == 0 ? difference : -difference) >= ENOUGH_COST * c->reduced)
            return i;
    }
    return -1;
}

// ---- New pairs

// The link into a node with the greatest flow of the row, -1: none has flow.
static int32_t greatest_inflow(const pairs_balance *b, const pairs_batch *batch, int lane, int32_t node)
{
    const traffic_problem *p = b->problem;
    int32_t best = -1;
    double most = 0;
    for (int32_t e = p->into_first[node]; e < p->into_first[node + 1]; e++) {
        const double flow = pairs_flow(batch, lane, p->into[e]);
        if (flow > most) {
            most = flow;
            best = p->into[e];
        }
    }
    return best;
}

// Takes the row's flow off a cycle: links back[first .. count - 1].
static void remove_cycle(pairs_balance *b, pairs_batch *batch, int lane, int32_t first, int32_t count)
{
    double least = INFINITY;
    for (int32_t k = first; k < count; k++)
        least = fmin(least, pairs_flow(batch, lane, b->back[k]));
    for (int32_t k = first; k < count; k++) {
        const int32_t link = b->back[k], slot = pairs_slot(batch, link);
        double *flow = &batch->flow[(size_t)slot * PAIRS_LANES + (size_t)lane];
        *flow = fmax(*flow - least, 0);
        if (batch->is_changed != NULL)
            batch->is_changed[slot] = 1;
        pairs_set_flow(b, link, b->flow[link] - least);
    }
}

typedef enum walk { WALK_MET, WALK_CYCLE, WALK_LOST } walk;

// Takes the tree's path one node back from *node, unless it ends there, and stamps what it finds. Returns whether the walk was there.
static bool climb(pairs_balance *b, const traffic_tree *tree, int32_t origin, int32_t *node)
{
    const int32_t link = *node == origin ? -1 : traffic_tree_link(b->problem, tree, *node);
    if (link < 0)
        return false;
    *node = b->problem->tail[link];
    b->on_tree[*node] = b->tree_stamp;
    return b->visited[*node] == b->visit_stamp;
}

// The walk back [count] has come to node v again: removes the cycle.
static void cut_cycle(pairs_balance *b, pairs_batch *batch, int lane, int32_t count, int32_t v)
{
    int32_t first = count - 1;
    while (first > 0 && b->problem->head[b->back[first]] != v)
        first--;
    remove_cycle(b, batch, lane, first, count);
}

// Follows the row's flow back from `link` and the tree's path back from its head, a node of each in turn, until one meets the other. So
// the work is that of short segments, however far away the origin is. A cycle is removed. `back` [*count], last link first.
static mco_status walk_back(pairs_balance *b, const traffic_tree *tree, pairs_batch *batch, int lane, int32_t link, int32_t *count, walk *how)
{
    const traffic_problem *p = b->problem;
    const int32_t origin = p->row_origin[batch->row[lane]];
    int32_t n = 0, on_path = p->head[link], before;
    b->tree_stamp++;
    b->visited[on_path] = ++b->visit_stamp;
    *how = WALK_LOST;  // flow of the size of rounding errors that comes from nowhere
    for (int32_t into = link; into >= 0;) {
        const mco_status st = mco_grow(b->ctx, &b->back, &b->back_room, (int64_t)n + 1);
        if (st != MCO_OK)
            return st;
        b->back[n++] = into;
        const int32_t v = p->tail[into];
        if (b->visited[v] == b->visit_stamp) {
            cut_cycle(b, batch, lane, n, v);
            *how = WALK_CYCLE;
            return MCO_OK;
        }
        b->visited[v] = b->visit_stamp;
        bool meets = b->on_tree[v] == b->tree_stamp;
        if (meets)
            on_path = v;
        do {  // at the origin the walk waits for the path, which ends there
            before = on_path;
            meets = meets || climb(b, tree, origin, &on_path);
        } while (v == origin && on_path != before && !meets);
        if (meets) {
            while (n > 1 && p->tail[b->back[n - 1]] != on_path)  // the path came to a node that the walk has left
                n--;
            *count = n;
            *how = WALK_MET;
            return MCO_OK;
        }
        into = v == origin ? -1 : greatest_inflow(b, batch, lane, v);
    }
    return MCO_OK;
}

// Both segments in the order of travel: `back` and then the tree's path from `meet` to `end` go to `front`.
static mco_status write_segments(pairs_balance *b, const traffic_tree *tree, int32_t count0, int32_t meet, int32_t end, int32_t *count1)
{
    const traffic_problem *p = b->problem;
    int32_t n = 0;
    for (int32_t v = end; v != meet; n++)
        v = p->tail[traffic_tree_link(p, tree, v)];
    const mco_status st = mco_grow(b->ctx, &b->front, &b->front_room, (int64_t)count0 + n);
    if (st != MCO_OK)
        return st;
    for (int32_t k = 0; k < count0; k++)
        b->front[k] = b->back[count0 - 1 - k];
    int32_t at = count0 + n;
    for (int32_t v = end; v != meet;) {
        b->front[--at] = traffic_tree_link(p, tree, v);
        v = p->tail[b->front[at]];
    }
    *count1 = n;
    return MCO_OK;
}

static mco_status build_pair(pairs_balance *b, const traffic_candidate *c, const traffic_tree *tree)
{
    const traffic_problem *p = b->problem;
    pairs_batch *batch = &b->store->batch[c->place / PAIRS_LANES];
    const int lane = c->place % PAIRS_LANES;
    const int32_t end = p->head[c->link];
    mco_status st = MCO_OK;
    walk how = WALK_CYCLE;
    int32_t count0 = 0, count1, index;
    while (how == WALK_CYCLE) {  // each cycle takes the flow off a link, so there are at most as many as links with flow
        if (pairs_flow(batch, lane, c->link) <= 0 || pairs_must_stop(b, 64))
            return MCO_OK;
        MCO_TRY(walk_back(b, tree, batch, lane, c->link, &count0, &how));
    }
    if (how == WALK_LOST)
        return MCO_OK;
    MCO_TRY(write_segments(b, tree, count0, p->tail[b->back[count0 - 1]], end, &count1));
    if (count1 == 0)
        return MCO_OK;
    MCO_TRY(pairs_add(b, batch->user_class, b->front, count0, count1, &index));
    MCO_TRY(join(b, index, c->place));
    if (b->is_sample)
        MCO_TRY(join_all(b, index));
done:
    return st;
}

mco_status pairs_improve(pairs_balance *b, const traffic_candidate *candidate, const traffic_tree *tree)
{
    const pairs_batch *batch = &b->store->batch[candidate->place / PAIRS_LANES];
    const int32_t parent = traffic_tree_link(b->problem, tree, b->problem->head[candidate->link]);
    const double flow = pairs_flow(batch, candidate->place % PAIRS_LANES, candidate->link);
    if (parent == candidate->link || flow <= 0)
        return MCO_OK;
    // Flow into the row's own origin is on a cycle: a pair of other rows passed through it. Following it back removes it.
    const int32_t index = parent < 0 ? -1 : find_pair(b, candidate, parent, flow);
    return index >= 0 ? join(b, index, candidate->place) : build_pair(b, candidate, tree);
}
