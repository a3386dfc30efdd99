// SPDX-License-Identifier: MIT
// Inner loops over 8 rows (pairs/lanes.h): trees by relaxation in a shared order, the scan of flows, and the moves of the balance.
#include "traffic/pairs/lanes.h"

#include <math.h>

#include "base/lanes64.h"

enum { PULLS_OF_LOOK = 1 << 13 };  // between two looks at the clock: below 1 ms
enum { PATIENCE = 8 };  // relaxations by nodes, after which words wait for the next round

static inline size_t at(int64_t row)
{
    return (size_t)row * PAIRS_LANES;
}

// ---- Labels

// Lowers the labels of an end to the least over the links into it.
static inline void pull(const pairs_trees *t, int32_t node)
{
    const traffic_problem *p = t->graph->problem;
    const int32_t *tail = t->graph->into_tail;
    lanes64 best = lanes64_load(t->label + at(node));
    for (int32_t k = p->into_first[node]; k < p->into_first[node + 1]; k++)
        best = lanes64_lesser(lanes64_load(t->label + at(tail[k])) + lanes64_all(t->into_cost[k]), best);
    lanes64_store(t->label + at(node), best);
}

// The labels that an arc gives its head: those of its tail, and the links one by one.
static inline lanes64 along(const pairs_trees *t, const pairs_arc *arc, lanes64 label)
{
    const double *cost = t->arc_cost + arc->first, *const end = t->arc_cost + arc->end;
    do {
        for (int k = 0; k < PAIRS_ARC_BLOCK; k++)
            label += lanes64_all(cost[k]);
        cost += PAIRS_ARC_BLOCK;
    } while (cost != end);
    return label;
}

// Lowers the labels of a junction to the least over the arcs into it. Returns whether one fell.
static inline bool pull_junction(const pairs_trees *t, int32_t node)
{
    const pairs_chains *c = &t->graph->chains;
    const lanes64 old = lanes64_load(t->junction_label + at(node));
    lanes64 best = old;
    for (int32_t a = c->into_first[node]; a < c->into_first[node + 1]; a++)
        best = lanes64_lesser(along(t, &c->into[a], lanes64_load(t->junction_label + at(c->into[a].other))), best);
    if (lanes64_less(best, old) == 0)
        return false;
    lanes64_store(t->junction_label + at(node), best);
    return true;
}

// Marks the junctions behind `node` whose labels it can lower. Returns the least position that was marked, or `least` if that is smaller.
static inline int32_t mark(const pairs_trees *t, int32_t node, int32_t least)
{
    const pairs_chains *c = &t->graph->chains;
    const lanes64 label = lanes64_load(t->junction_label + at(node));
    for (int32_t k = c->first[node]; k < c->first[node + 1]; k++) {
        const pairs_arc *arc = &c->out[k];
        const int32_t place = t->position[arc->other];
        if ((t->dirty[place >> 6] >> (place & 63) & 1) != 0 ||
            lanes64_less(along(t, arc, label), lanes64_load(t->junction_label + at(arc->other))) == 0)
            continue;
        t->dirty[place >> 6] |= UINT64_C(1) << (place & 63);
        if (place < least)
            least = place;
    }
    return least;
}

static void lower(pairs_trees *t, int32_t node, int lane, double value)
{
    const pairs_chains *c = &t->graph->chains;
    double *label = &(c->is_junction[node] ? t->junction_label + at(c->number[node]) : t->label + at(node))[lane];
    *label = value < *label ? value : *label;
}

// Lowers the label of a node, and, if it is between junctions, those of its chain up to both ends.
static void lower_from(pairs_trees *t, int32_t node, int lane, double value)
{
    const pairs_chains *c = &t->graph->chains;
    const int32_t slot = c->slot_of[node];
    lower(t, node, lane, value);
    if (slot < 0)
        return;
    double sum = value;
    for (int32_t s = slot + 1; !c->is_junction[c->node[s - 1]]; s++)
        lower(t, c->node[s], lane, sum += t->ahead_cost[s]);
    sum = value;
    for (int32_t s = slot - 1; !c->is_junction[c->node[s + 1]]; s--)
        lower(t, c->node[s], lane, sum += t->back_cost[s]);
}

// Labels of the origins, and of what an origin that is an end leads to. All others are infinite.
static void begin_labels(pairs_trees *t)
{
    const traffic_problem *p = t->graph->problem;
    for (int32_t v = 0; v < t->graph->label_rows; v++)
        lanes64_store(t->label + at(v), lanes64_all(INFINITY));
    for (int32_t j = 0; j < t->graph->chains.junctions; j++)
        lanes64_store(t->junction_label + at(j), lanes64_all(INFINITY));
    for (int lane = 0; lane < PAIRS_LANES; lane++) {
        const int32_t origin = t->origin[lane];
        if (origin < 0)
            continue;
        if (origin >= p->first_through) {
            lower_from(t, origin, lane, 0);
            continue;
        }
        t->label[at(p->nodes + origin) + (size_t)lane] = 0;
        for (int32_t l = p->first[origin]; l < p->first[origin + 1]; l++)
            if (p->head[l] >= p->first_through)
                lower_from(t, p->head[l], lane, 0 + t->cost[l]);
    }
}

// Gives all nodes their labels: junctions, then what is between them, from both ends of the chains.
static void sweep_chains(pairs_trees *t)
{
    const pairs_chains *c = &t->graph->chains;
    for (int32_t j = 0; j < c->junctions; j++)
        lanes64_store(t->label + at(c->junction[j]), lanes64_load(t->junction_label + at(j)));
    for (int32_t i = 0; i < c->chains; i++) {
        const int32_t first = c->chain_first[i], last = c->chain_first[i + 1] - 1;
        lanes64 label = lanes64_load(t->label + at(c->node[first]));
        for (int32_t s = first + 1; s < last; s++) {
            double *own = t->label + at(c->node[s]);
            label = lanes64_lesser(label + lanes64_all(t->ahead_cost[s]), lanes64_load(own));
            lanes64_store(own, label);
        }
        label = lanes64_load(t->label + at(c->node[last]));
        for (int32_t s = last - 1; s > first; s--) {
            double *own = t->label + at(c->node[s]);
            label = lanes64_lesser(label + lanes64_all(t->back_cost[s]), lanes64_load(own));
            lanes64_store(own, label);
        }
    }
}

// The junctions in the order of all nodes, and their places.
static void order_junctions(pairs_trees *t)
{
    const traffic_problem *p = t->graph->problem;
    const pairs_chains *c = &t->graph->chains;
    int32_t count = 0;
    for (int32_t i = 0; i < p->nodes - p->first_through; i++) {
        const int32_t v = t->order[i];
        if (!c->is_junction[v])
            continue;
        t->junction[count] = c->number[v];
        t->position[c->number[v]] = count++;
    }
}

// All positions are to be relaxed.
static void mark_all(pairs_trees *t, int32_t count)
{
    for (int32_t w = 0; w < count / 64; w++)
        t->dirty[w] = UINT64_MAX;
    if (count % 64 != 0)
        t->dirty[count / 64] = (UINT64_C(1) << (count % 64)) - 1;
}

// Relaxes the marked positions of a word until none is left. Returns the least position that was marked, and -1 if it was stopped.
static int32_t settle_word(pairs_trees *t, int32_t word, int32_t none, int64_t *pulls)
{
    int32_t least = none;
    while (t->dirty[word] != 0) {
        const int32_t node = t->junction[word * 64 + __builtin_ctzll(t->dirty[word])];
        t->dirty[word] &= t->dirty[word] - 1;
        if (++*pulls % PULLS_OF_LOOK == 0 && t->must_stop(t->user))
            return -1;
        if (pull_junction(t, node))
            least = mark(t, node, least);
    }
    return least;
}

// A word of 64 positions after the other. What a word lowers before itself is settled before the next word: else all nodes behind would be
// relaxed with labels that fall later. Where that takes long, since the order fits badly, words wait for the next round, so that
// there are at most as many rounds as nodes.
static int64_t labels(pairs_trees *t)
{
    const traffic_problem *p = t->graph->problem;
    const int32_t count = t->graph->chains.junctions, words = (count + 63) / 64;
    const int64_t patience = (int64_t)PATIENCE * count;
    int64_t pulls = 0;
    begin_labels(t);
    order_junctions(t);
    mark_all(t, count);
    for (int32_t word = 0, behind = words; word < words;) {
        const int32_t least = settle_word(t, word, count, &pulls);
        if (least < 0)
            return -1;
        if (least >> 6 < word && least >> 6 < behind)
            behind = least >> 6;
        word++;
        if (behind < words && (pulls < patience || word == words)) {
            word = behind;
            behind = words;
        }
    }
    sweep_chains(t);
    for (int32_t v = 0; v < p->first_through; v++)
        pull(t, v);
    return pulls - count;
}

// ---- Parents

// The bytes of the lanes in `bits`: all ones.
static inline uint64_t spread(uint32_t bits)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), low = UINT64_C(0x7f7f7f7f7f7f7f7f);
    const uint64_t single = bits * ones & UINT64_C(0x8040201008040201);
    return ((((single & low) + low) | single) & ~low) / 128 * 255;
}

// Stores a position for the lanes in `bits`.
static inline void set_parents(const pairs_trees *t, int32_t node, uint32_t bits, uint32_t position, uint64_t *word)
{
    if (t->narrow != NULL) {
        const uint64_t bytes = spread(bits);
        *word = (*word & ~bytes) | (position * UINT64_C(0x0101010101010101) & bytes);
        return;
    }
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        if (bits >> lane & 1)
            t->wide[at(node) + (size_t)lane] = (int32_t)position;
}

// Lanes where `node` is the origin.
static inline uint32_t origin_lanes(const pairs_trees *t, int32_t node)
{
    uint32_t bits = 0;
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        bits |= (uint32_t)(t->origin[lane] == node) << lane;
    return bits;
}

// Sets the parents of lanes in `open` that a link into the node reaches tightly: by tails with smaller labels, or with `is_round` by tails
// that were in the tree when the round began. Returns the lanes that stay open.
static inline __attribute__((always_inline)) uint32_t close_lanes(const pairs_trees *t, int32_t node, uint32_t open, bool is_round, uint64_t *word)
{
    const traffic_problem *p = t->graph->problem;
    const int32_t *tail = t->graph->into_tail;
    const lanes64 label = lanes64_load(t->label + at(node));
    for (int32_t k = p->into_first[node]; open != 0 && k < p->into_first[node + 1]; k++) {
        const lanes64 before = lanes64_load(t->label + at(tail[k]));
        const uint32_t tight = lanes64_equal(before + lanes64_all(t->into_cost[k]), label);
        const uint32_t bits = open & tight & (is_round ? ~(uint32_t)t->is_open[tail[k]] : lanes64_less(before, label));
        if (bits != 0) {
            set_parents(t, node, bits, (uint32_t)(k - p->into_first[node]), word);
            open &= ~bits;
        }
    }
    return open;
}

// Parents where no tail has a smaller label, because costs vanish: a breadth-first search over tight links, in rounds.
static bool close_flat(const pairs_trees *t, int32_t count)
{
    while (count > 0) {
        int32_t left = 0;
        bool is_closer = false;
        for (int32_t i = 0; i < count; i++) {
            const int32_t v = t->flat[i].node;
            uint64_t none = UINT64_MAX, *word = t->narrow != NULL ? &t->narrow[v] : &none;
            const uint32_t open = close_lanes(t, v, t->flat[i].lanes, true, word);
            is_closer |= open != t->flat[i].lanes;
            t->flat[i].lanes = open;
        }
        const bool is_stopped = !is_closer || t->must_stop(t->user);  // every reached node has a tight path, so a round without any gain is impossible
        for (int32_t i = 0; i < count; i++) {
            t->is_open[t->flat[i].node] = is_stopped ? 0 : (uint8_t)t->flat[i].lanes;
            if (t->flat[i].lanes != 0)
                t->flat[left++] = t->flat[i];
        }
        if (is_stopped)
            return left == 0;
        count = left;
    }
    return true;
}

static bool parents(pairs_trees *t)
{
    const traffic_problem *p = t->graph->problem;
    int32_t count = 0;
    for (int32_t v = 0; v < p->nodes; v++) {
        const uint32_t reached = lanes64_less(lanes64_load(t->label + at(v)), lanes64_all(INFINITY));
        uint64_t word = UINT64_MAX;
        if (t->wide != NULL)
            for (int lane = 0; lane < PAIRS_LANES; lane++)
                t->wide[at(v) + (size_t)lane] = -1;
        uint32_t open = close_lanes(t, v, reached, false, &word);
        if (t->narrow != NULL)
            t->narrow[v] = word;
        if (open != 0 && (open &= ~origin_lanes(t, v)) != 0) {
            t->flat[count++] = (pairs_flat){v, open};
            t->is_open[v] = (uint8_t)open;
        }
    }
    return close_flat(t, count);
}

// ---- Scan

static pairs_sums scan(const pairs_trees *t, const pairs_batch *b, double threshold, pairs_found *found, int64_t *count)
{
    const int32_t *tail = t->graph->tail_label, *head = t->graph->problem->head;
    const lanes64 zero = lanes64_all(0), least = lanes64_all(threshold);
    lanes64 total = zero, excess = zero;
    int64_t n = 0;
    for (int32_t s = 0; s < b->slots; s++) {
        const lanes64 flow = lanes64_load(b->flow + at(s));
        const uint32_t carries = lanes64_less(zero, flow);
        if (carries == 0)
            continue;
        const int32_t link = b->link[s];
        const lanes64 cost = lanes64_all(t->cost[link]);
        // Lanes without flow may have infinite labels.
        const lanes64 raw = lanes64_load(t->label + at(tail[link])) + cost - lanes64_load(t->label + at(head[link]));
        const lanes64 reduced = lanes64_choose((lanes64_mask)(flow > zero), raw, zero), part = reduced * flow;
        total += flow * cost;
        excess += part;
        for (uint32_t bits = lanes64_less(least, part); bits != 0; bits &= bits - 1) {
            const int lane = __builtin_ctz(bits);
            found[n++] = (pairs_found){lane, link, reduced[lane]};
        }
    }
    *count = n;
    return (pairs_sums){lanes64_sum(total), lanes64_sum(excess)};
}

// ---- Moves

static double least(const pairs_batch *b, const int32_t *slot, int32_t count, uint32_t lanes, double *least)
{
    lanes64 m = lanes64_load(b->flow + at(slot[0]));
    for (int32_t k = 1; k < count; k++)
        m = lanes64_lesser(lanes64_load(b->flow + at(slot[k])), m);
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        least[lane] = lanes >> lane & 1 ? m[lane] : 0;
    return lanes64_sum(lanes64_load(least));
}

static void move(pairs_batch *b, const int32_t *from, int32_t from_count, const int32_t *to, int32_t to_count, double share,
                 const double *least)
{
    const lanes64 moved = lanes64_all(share) * lanes64_load(least);
    for (int32_t k = 0; k < from_count; k++) {
        double *flow = b->flow + at(from[k]);
        lanes64_store(flow, lanes64_greater(lanes64_load(flow) - moved, lanes64_all(0)));
    }
    for (int32_t k = 0; k < to_count; k++) {
        double *flow = b->flow + at(to[k]);
        lanes64_store(flow, lanes64_load(flow) + moved);
    }
}

const pairs_build VARIANT(pairs_lanes) = {{LANE_SIMD, 0}, labels, parents, scan, least, move};
