// SPDX-License-Identifier: MIT
// A node of the beam, for lanes of any width. A file that includes this header has defined the type `lane`.
#ifndef MCO_FLOWSHOP_BEAM_NODE_H
#define MCO_FLOWSHOP_BEAM_NODE_H

#include <string.h>

#include "flowshop/beam/layer.h"

enum { WEIGHT_BITS = 12, LARGEST_SLOPE = 65535 };

typedef struct node_head {
    uint32_t bound;
    uint32_t weight[2];  // of the idle time at the front and at the back, times 2^WEIGHT_BITS
    uint32_t ends;       // bit 0: there are jobs in front, bit 1: at the back
} node_head;

// Behind the head come fronts, backs, idle times at the front and work left, each [machines], then the set of free jobs.
typedef struct node_view {
    node_head *head;
    lane *ends[2], *idle, *left;
    uint64_t *free;
} node_view;

static inline int64_t bytes_before_set(const flowshop_beam_shape *s)
{
    return (int64_t)sizeof(node_head) + (4 * s->machines * (int64_t)sizeof(lane) + 7) / 8 * 8;
}

static inline int64_t node_bytes(const flowshop_beam_shape *s)
{
    return (bytes_before_set(s) + s->words * 8 + 15) / 16 * 16;
}

static inline node_view view_node(const flowshop_beam_shape *s, void *node)
{
    const int64_t m = s->machines;
    char *bytes = node;
    lane *values = (lane *)(void *)(bytes + sizeof(node_head));
    return (node_view){node, {values, values + m}, values + 2 * m, values + 3 * m,
                       (uint64_t *)(void *)(bytes + bytes_before_set(s))};
}

static inline node_view node_at(const flowshop_beam_layer *l, int64_t index)
{
    return view_node(l->shape, l->nodes + index * node_bytes(l->shape));
}

static inline void make_root(const flowshop_beam_shape *s, void *node)
{
    memset(node, 0, (size_t)node_bytes(s));
    const node_view root = view_node(s, node);
    for (int32_t k = 0; k < s->machines; k++)
        root.left[k] = (lane)s->totals[k];
    for (int32_t j = 0; j < s->jobs; j++)
        root.free[j >> 6] |= (uint64_t)1 << (j & 63);
}

static inline void join_free(const flowshop_beam_shape *s, const char *nodes, int64_t count, uint64_t *free)
{
    const int64_t bytes = node_bytes(s), set = bytes_before_set(s);
    for (int64_t i = 0; i < count; i++) {
        const uint64_t *of_node = (const uint64_t *)(const void *)(nodes + i * bytes + set);
        for (int32_t w = 0; w < s->words; w++)
            free[w] |= of_node[w];
    }
}

// The time that machine k has waited at the end `side`.
static inline uint32_t idle_at(const flowshop_beam_shape *s, const node_view *node, int side, int32_t k)
{
    const uint32_t front_idle = node->idle[k];
    if (side == 0)
        return front_idle;
    const uint32_t in_front = node->ends[0][k] - front_idle, placed = (uint32_t)s->totals[k] - node->left[k];
    return node->ends[1][k] - (placed - in_front);
}

static inline uint32_t make_child(const flowshop_beam_layer *l, int64_t index, int32_t job, void *memory)
{
    const flowshop_beam_shape *s = l->shape;
    const int32_t m = s->machines, *times = s->times + (int64_t)job * m;
    const int side = l->sides[index];
    memcpy(memory, node_at(l, index).head, (size_t)node_bytes(s));
    const node_view child = view_node(s, memory);
    lane *grown = child.ends[side], *other = child.ends[1 - side];
    uint32_t end = 0, bound = child.head->bound, weight = 0;
    for (int32_t i = 0; i < m; i++) {
        const int32_t k = side == 0 ? i : m - 1 - i;
        const uint32_t idle = idle_at(s, &child, side, k), before = grown[k], start = end > before ? end : before;
        const uint32_t through = start + child.left[k] + other[k];
        bound = through > bound ? through : bound;
        end = start + (uint32_t)times[k];
        grown[k] = (lane)end;
        child.left[k] = (lane)(child.left[k] - (uint32_t)times[k]);
        if (side == 0)
            child.idle[k] = (lane)(idle + start - before);
        weight += end > 0 ? (uint32_t)(((uint64_t)(idle + start - before) << WEIGHT_BITS) / end) : 0;
    }
    child.free[job >> 6] &= ~((uint64_t)1 << (job & 63));
    child.head->bound = bound;
    child.head->weight[side] = weight;
    child.head->ends |= (uint32_t)1 << side;
    return bound;
}

// What all children of a node at one end share.
typedef struct node_guide {
    float weight;     // of the node
    float unit;       // of a sum of gaps and spare times
    float share, idle_factor;
    uint32_t penalty;  // of the key while the other end is empty
} node_guide;

typedef struct node_slopes {
    uint32_t gap, time;
} node_slopes;

static inline uint32_t shifted(const flowshop_beam_shape *s, uint32_t value)
{
    return s->shift >= 0 ? value << s->shift : value >> -s->shift;
}

// What the machines say about a node: the weight of its idle time, in 2^-WEIGHT_BITS, and the least reach.
typedef struct node_sums {
    int64_t weight;
    uint32_t base;
} node_sums;

// Fills `slopes` [machines].
static inline node_sums fill_slopes(const flowshop_beam_layer *l, const node_view *node, int side, node_slopes *slopes)
{
    const flowshop_beam_shape *s = l->shape;
    uint32_t base = UINT32_MAX;
    int64_t weight = node->head->weight[1 - side];
    for (int32_t k = 0; k < s->machines; k++) {
        const uint32_t reach = node->ends[side][k] + (uint32_t)s->means[k];
        base = reach < base ? reach : base;
    }
    for (int32_t k = 0; k < s->machines; k++) {
        const uint32_t idle = idle_at(s, node, side, k), reach = node->ends[side][k] + (uint32_t)s->means[k];
        const uint32_t unit = (uint32_t)((uint64_t)LARGEST_SLOPE * base / reach);  // floors nest: floor(floor(a / b) c / b)
        const int64_t share = (int64_t)(((uint64_t)idle << WEIGHT_BITS) / reach);
        slopes[k].time = (uint32_t)((uint64_t)unit * idle / reach);
        slopes[k].gap = unit - slopes[k].time;
        weight += share - share * (s->largest - s->means[k]) / (int64_t)reach;
    }
    return (node_sums){weight, base};
}

static inline node_guide guide_of(const flowshop_beam_layer *l, const node_view *node, int side, node_sums sums)
{
    const flowshop_beam_shape *s = l->shape;
    const double base = sums.base, scale = s->shift >= 0 ? 1.0 / (base * (double)(1 << s->shift)) : (double)(1 << -s->shift) / base;
    const float share = (float)(l->depth + 1) / (float)s->jobs;
    return (node_guide){.weight = (float)sums.weight * (1.0f / (1 << WEIGHT_BITS)), .unit = (float)scale, .share = share,
                        .idle_factor = s->idle_share * (1.0f - share),
                        .penalty = (node->head->ends | (uint32_t)1 << side) == 3 ? 0 : (uint32_t)1 << 31};
}

// The key of a child. No product is contracted with a sum: all engines round alike.
static inline uint32_t key_of(const node_guide *g, uint32_t bound, uint32_t gaps)
{
    const float product = (float)gaps * g->unit;
    const float weight = product + g->weight;
    const float factor = (weight > 0 ? weight : 0) * g->idle_factor;
    const float guide = (float)(int32_t)bound * (factor + g->share);
    uint32_t bits;
    memcpy(&bits, &guide, sizeof bits);
    return bits | g->penalty;
}

#endif
