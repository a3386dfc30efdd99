// SPDX-License-Identifier: MIT
#include "flowshop/beam/path.h"

#include <string.h>

enum { STEPS = 1 << 17 };

mco_status flowshop_beam_path_create(mco_context *ctx, int32_t jobs, flowshop_beam_path *path)
{
    return mco_alloc(ctx, &path->begin, (int64_t)jobs + 1);
}

void flowshop_beam_path_destroy(mco_context *ctx, flowshop_beam_path *path)
{
    mco_free(ctx, &path->is_kept);
    mco_free(ctx, &path->moves);
    mco_free(ctx, &path->parents);
    mco_free(ctx, &path->begin);
}

void flowshop_beam_path_clear(flowshop_beam_path *path)
{
    path->layers = 0;
    path->begin[0] = 0;
}

// Asks every 131,072 steps, which take about a millisecond.
static inline bool gives_up(int64_t step, flowshop_beam_look *look, void *user)
{
    return (step & (STEPS - 1)) == STEPS - 1 && look(user);
}

// Marks the ancestors of the newest layer and makes their parents places among those marked. False if it gave up.
static bool mark(flowshop_beam_path *p, flowshop_beam_look *look, void *user)
{
    memset(p->is_kept, 0, (size_t)p->begin[p->layers - 1]);
    memset(p->is_kept + p->begin[p->layers - 1], 1, (size_t)(p->begin[p->layers] - p->begin[p->layers - 1]));
    for (int32_t d = p->layers - 1; d > 0; d--) {
        uint8_t *before = p->is_kept + p->begin[d - 1];
        uint32_t marked = 0;
        for (int64_t i = p->begin[d]; i < p->begin[d + 1]; i++) {
            if (gives_up(i, look, user))
                return false;
            if (p->is_kept[i] == 0)
                continue;
            marked += before[p->parents[i]] == 0;
            before[p->parents[i]] = 1;
            p->parents[i] = marked - 1;  // parents ascend
        }
    }
    return true;
}

static bool drop_unmarked(flowshop_beam_path *p, flowshop_beam_look *look, void *user)
{
    int64_t end = 0;
    for (int32_t d = 0; d < p->layers; d++) {
        const int64_t first = p->begin[d];
        p->begin[d] = end;
        for (int64_t i = first; i < p->begin[d + 1]; i++) {
            if (gives_up(i, look, user))
                return false;
            if (p->is_kept[i] != 0) {
                p->parents[end] = p->parents[i];
                p->moves[end++] = p->moves[i];
            }
        }
    }
    p->begin[p->layers] = end;
    return true;
}

static void copy_nodes(const flowshop_beam_path *from, flowshop_beam_path *to, flowshop_beam_look *look, void *user)
{
    const int64_t count = from->begin[from->layers];
    for (int64_t i = 0; i < count && (i == 0 || !look(user)); i += STEPS) {
        const size_t part = (size_t)(count - i < STEPS ? count - i : STEPS);
        memcpy(to->parents + i, from->parents + i, part * sizeof *to->parents);
        memcpy(to->moves + i, from->moves + i, part * sizeof *to->moves);
    }
}

static mco_status grow(mco_context *ctx, flowshop_beam_path *p, int64_t room, flowshop_beam_look *look, void *user)
{
    mco_status st = MCO_OK;
    flowshop_beam_path grown = {.room = room};
    MCO_TRY(mco_alloc(ctx, &grown.parents, room));
    MCO_TRY(mco_alloc(ctx, &grown.moves, room));
    MCO_TRY(mco_alloc(ctx, &grown.is_kept, room));
    copy_nodes(p, &grown, look, user);
    const flowshop_beam_path old = *p;
    *p = grown;
    p->layers = old.layers;
    p->begin = old.begin;
    grown = old;
    grown.begin = NULL;
done:
    flowshop_beam_path_destroy(ctx, &grown);
    return st;
}

mco_status flowshop_beam_path_extend(mco_context *ctx, flowshop_beam_path *p, int64_t count, flowshop_beam_look *look, void *user)
{
    if (p->begin[p->layers] + count <= p->room)
        return MCO_OK;
    if (p->layers > 1 && !(mark(p, look, user) && drop_unmarked(p, look, user)))
        return MCO_OK;
    const int64_t needed = p->begin[p->layers] + count;
    return needed <= p->room / 2 ? MCO_OK : grow(ctx, p, 4 * needed, look, user);
}

void flowshop_beam_path_order(const flowshop_beam_path *p, int64_t node, int32_t *order)
{
    int32_t in_front = 0;
    int64_t at = node;
    for (int32_t d = p->layers - 1; d >= 0; at = p->parents[p->begin[d] + at], d--)
        in_front += (p->moves[p->begin[d] + at] & 1) == 0;
    // From the newest job to the oldest: places go from the middle to both ends.
    int32_t front = in_front - 1, back = in_front;
    at = node;
    for (int32_t d = p->layers - 1; d >= 0; at = p->parents[p->begin[d] + at], d--) {
        const uint16_t move = p->moves[p->begin[d] + at];
        order[(move & 1) == 0 ? front-- : back++] = move >> 1;
    }
}
