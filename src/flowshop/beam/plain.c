// SPDX-License-Identifier: MIT
// The reference of a layer: plain loops that say what layer.h says.
#include <stdint.h>

typedef uint32_t lane;

#include "flowshop/beam/node.h"

typedef struct child {
    uint32_t bound, gaps;
} child_terms;

static child_terms look_at_child(const flowshop_beam_layer *l, const node_view *node, int side, int32_t job, const node_slopes *slopes)
{
    const flowshop_beam_shape *s = l->shape;
    const int32_t m = s->machines, *times = s->times + (int64_t)job * m;
    child_terms c = {node->head->bound, 0};
    uint32_t end = 0;
    for (int32_t i = 0; i < m; i++) {
        const int32_t k = side == 0 ? i : m - 1 - i;
        const uint32_t before = node->ends[side][k], start = end > before ? end : before;
        const uint32_t through = start + node->left[k] + node->ends[1 - side][k], gap = start - before;
        c.bound = through > c.bound ? through : c.bound;
        c.gaps += (shifted(s, gap) * slopes[k].gap >> 16) + (shifted(s, (uint32_t)(s->largest - times[k])) * slopes[k].time >> 16);
        end = start + (uint32_t)times[k];
    }
    c.gaps = c.gaps < LARGEST_SLOPE ? c.gaps : LARGEST_SLOPE;
    return c;
}

static bool is_free(const node_view *node, int32_t job)
{
    return (node->free[job >> 6] >> (job & 63) & 1) != 0;
}

static int choose_side(const flowshop_beam_layer *l, const node_view *node, const node_slopes *slopes)
{
    int64_t below[2] = {0, 0}, sum[2] = {0, 0};
    for (int32_t c = 0; c < l->columns; c++)
        for (int side = 0; side < 2 && is_free(node, l->jobs[c]); side++) {
            const int64_t bound = look_at_child(l, node, side, l->jobs[c], slopes).bound;
            below[side] += bound < l->upper;
            sum[side] += bound < l->upper ? bound : l->upper;
        }
    if (l->depth == 0)
        return 0;
    return below[0] != below[1] ? below[0] > below[1] : sum[0] < sum[1];
}

static void expand(const flowshop_beam_layer *l, int64_t first, int64_t last, flowshop_beam_sieve *sieve)
{
    node_slopes slopes[MCO_FLOWSHOP_MAX_MACHINES] = {{0, 0}};
    const bool is_last = l->depth + 1 == l->shape->jobs;
    for (int64_t i = first; i < last; i++) {
        const node_view node = node_at(l, i);
        const int side = choose_side(l, &node, slopes);
        const node_guide guide = guide_of(l, &node, side, fill_slopes(l, &node, side, slopes));
        l->sides[i] = (uint8_t)side;
        sieve->bounded += 2 * (int64_t)(l->shape->jobs - l->depth);
        for (int32_t c = 0; c < l->columns; c++) {
            if (!is_free(&node, l->jobs[c]))
                continue;
            const child_terms child = look_at_child(l, &node, side, l->jobs[c], slopes);
            if (child.bound >= l->upper)
                continue;
            const uint32_t key = is_last ? child.bound : key_of(&guide, child.bound, child.gaps);
            sieve->seen++;
            if (sieve->has_limit && key >= sieve->limit)
                continue;
            sieve->children[sieve->count++] = (uint64_t)key << 32 | (uint64_t)(i * l->columns + c);
            if (sieve->count == sieve->room)
                flowshop_beam_squeeze(sieve);
        }
    }
}

static void fill_table(const flowshop_beam_layer *l)
{
    (void)l;  // plain loops read the times themselves
}

static int64_t scratch_bytes(const flowshop_beam_shape *s)
{
    (void)s;
    return 0;
}

const flowshop_beam_ops flowshop_beam_plain = {.build = {MCO_SIMD_PORTABLE, 32}, .node_bytes = node_bytes, .scratch_bytes = scratch_bytes,
                                               .make_root = make_root, .join_free = join_free, .fill_table = fill_table,
                                               .expand = expand, .make_child = make_child};
