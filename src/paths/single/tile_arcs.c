// SPDX-License-Identifier: MIT
// The arcs of a layout as the kernel of the tiles reads them: turned around, by tile, in slots.
#include <string.h>

#include "paths/single/gpu.h"

typedef struct maker {
    const paths_layout *layout;
    const paths_tiles_plan *plan;
    paths_tile_arcs *arcs;
    uint8_t *used;  // [vertices] arcs in slots, up to SLOTS
} maker;

// What an arc is to the tiles.
typedef enum arc_kind { LEFT_OUT, IN_SLOT, IN_MORE, BETWEEN } arc_kind;

// Decides about an arc and takes its slot. The same order of calls gives the same answers.
static arc_kind sort_arc(maker *m, int32_t tail, const paths_arc *arc)
{
    const int32_t tile = m->plan->tile;
    if (arc->head == tail || (m->layout->is_end != NULL && m->layout->is_end[tail]))
        return LEFT_OUT;
    if (arc->head / tile != tail / tile)
        return BETWEEN;
    if (m->used[arc->head] == PATHS_TILE_SLOTS)
        return IN_MORE;
    m->used[arc->head]++;
    return IN_SLOT;
}

// The warp of a vertex, over all tiles.
static int64_t warp_of(const maker *m, int32_t v)
{
    return v / (m->plan->tile / m->arcs->warps);
}

static void count(maker *m)
{
    const paths_layout *l = m->layout;
    paths_tile_arcs *out = m->arcs;
    for (int32_t v = 0; v < l->vertices; v++)
        for (int32_t a = l->first[v]; a < l->first[v + 1]; a++) {
            const arc_kind kind = sort_arc(m, v, &l->arc[a]);
            if (kind == IN_MORE)
                out->more_first[warp_of(m, l->arc[a].head) + 1]++;
            if (kind != BETWEEN)
                continue;
            out->in_first[l->arc[a].head / out->tile + 1]++;
            out->out_first[v / out->tile + 1]++;
        }
}

static void add_up(int32_t *first, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        first[i + 1] += first[i];
}

// Undoes what filling does to the begins of rows: each has become that of the next row.
static void shift_back(int32_t *first, int64_t count)
{
    memmove(first + 1, first, (size_t)count * sizeof *first);
    first[0] = 0;
}

static int32_t key_of(const paths_tiles_plan *plan, int32_t tile)
{
    return tile % plan->blocks * plan->own + tile / plan->blocks;
}

static void put_between(maker *m, int32_t tail, const paths_arc *arc)
{
    paths_tile_arcs *out = m->arcs;
    const int32_t from = tail / out->tile, to = arc->head / out->tile;
    out->out[out->out_first[from]++] = (paths_tile_border){tail % out->tile, arc->head, arc->weight, key_of(m->plan, to)};
    out->in[out->in_first[to]++] = (paths_tile_border){arc->head % out->tile, tail, arc->weight, 0};
}

// Also notes which warps read the tail.
static void put_inside(maker *m, int32_t tail, const paths_arc *arc, arc_kind kind)
{
    paths_tile_arcs *out = m->arcs;
    const int32_t tile = tail / out->tile, head = arc->head % out->tile;
    const int64_t reader = warp_of(m, arc->head);
    if (reader != warp_of(m, tail))
        out->readers[tail] |= (uint16_t)(1u << (reader % out->warps));
    if (kind == IN_MORE) {
        out->more[out->more_first[reader]++] = (paths_tile_more){(uint16_t)head, (uint16_t)(tail % out->tile), arc->weight};
        return;
    }
    const int64_t slot = m->used[arc->head] - 1, at = ((int64_t)tile * PATHS_TILE_SLOTS + slot) * out->tile + head;
    out->weight[at] = arc->weight;
    out->tail[at] = (uint16_t)(tail % out->tile);
}

// A head that falls by an arc from another tile concerns its own warp and those that read it.
static void note_readers(maker *m)
{
    paths_tile_arcs *out = m->arcs;
    for (int32_t tile = 0; tile < out->tiles; tile++)
        for (int32_t e = out->in_first[tile]; e < out->in_first[tile + 1]; e++) {
            const int32_t head = tile * out->tile + out->in[e].local;
            out->in[e].more = out->readers[head] | 1 << (warp_of(m, head) % out->warps);
        }
}

static void fill(maker *m)
{
    const paths_layout *l = m->layout;
    paths_tile_arcs *out = m->arcs;
    memset(m->used, 0, (size_t)l->vertices);
    for (int32_t v = 0; v < l->vertices; v++)
        for (int32_t a = l->first[v]; a < l->first[v + 1]; a++) {
            const arc_kind kind = sort_arc(m, v, &l->arc[a]);
            if (kind == BETWEEN)
                put_between(m, v, &l->arc[a]);
            else if (kind != LEFT_OUT)
                put_inside(m, v, &l->arc[a], kind);
        }
    shift_back(out->in_first, out->tiles);
    note_readers(m);
    shift_back(out->out_first, out->tiles);
    shift_back(out->more_first, (int64_t)out->tiles * out->warps);
}

static void clear_slots(paths_tile_arcs *out)
{
    for (int64_t row = 0; row < (int64_t)out->tiles * PATHS_TILE_SLOTS; row++)
        for (int32_t i = 0; i < out->tile; i++) {
            out->weight[row * out->tile + i] = MCO_PATHS_NONE;
            out->tail[row * out->tile + i] = (uint16_t)i;
        }
}

mco_status paths_tile_arcs_make(mco_context *ctx, const paths_layout *layout, const paths_tiles_plan *plan, paths_tile_arcs *out)
{
    mco_status st = MCO_OK;
    maker m = {.layout = layout, .plan = plan, .arcs = out};
    *out = (paths_tile_arcs){.tile = plan->tile, .tiles = plan->tiles, .warps = plan->threads / 32};
    const int64_t places = (int64_t)out->tiles * out->tile, warps = (int64_t)out->tiles * out->warps;
    MCO_TRY(mco_alloc(ctx, &m.used, layout->vertices));
    MCO_TRY(mco_alloc(ctx, &out->weight, places * PATHS_TILE_SLOTS));
    MCO_TRY(mco_alloc(ctx, &out->tail, places * PATHS_TILE_SLOTS));
    MCO_TRY(mco_alloc(ctx, &out->readers, places));
    MCO_TRY(mco_alloc(ctx, &out->more_first, warps + 1));
    MCO_TRY(mco_alloc(ctx, &out->in_first, out->tiles + 1));
    MCO_TRY(mco_alloc(ctx, &out->out_first, out->tiles + 1));
    clear_slots(out);
    count(&m);
    add_up(out->in_first, out->tiles);
    add_up(out->out_first, out->tiles);
    add_up(out->more_first, warps);
    MCO_TRY(mco_alloc(ctx, &out->in, out->in_first[out->tiles]));
    MCO_TRY(mco_alloc(ctx, &out->out, out->out_first[out->tiles]));
    MCO_TRY(mco_alloc(ctx, &out->more, out->more_first[warps]));
    fill(&m);
done:
    mco_free(ctx, &m.used);
    if (st != MCO_OK)
        paths_tile_arcs_clear(ctx, out);
    return st;
}

void paths_tile_arcs_clear(mco_context *ctx, paths_tile_arcs *arcs)
{
    mco_free(ctx, &arcs->weight);
    mco_free(ctx, &arcs->tail);
    mco_free(ctx, &arcs->readers);
    mco_free(ctx, &arcs->more_first);
    mco_free(ctx, &arcs->more);
    mco_free(ctx, &arcs->in_first);
    mco_free(ctx, &arcs->out_first);
    mco_free(ctx, &arcs->in);
    mco_free(ctx, &arcs->out);
}
