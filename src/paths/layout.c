// SPDX-License-Identifier: MIT
// Copies of a network for engines, in another order of vertices.
#include <inttypes.h>

#include "paths/network.h"

static mco_status refuse_arcs(mco_context *ctx, int64_t arcs)
{
    if (arcs <= INT32_MAX)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " arcs, which take %" PRId64 " bytes; at most %d are supported", arcs,
                    arcs * (int64_t)sizeof(paths_arc), INT32_MAX);
}

static int64_t count_open(const mco_paths_rows *rows)
{
    int64_t open = 0;
    for (int64_t a = 0; a < rows->arcs; a++)
        open += rows->weight[a] != MCO_PATHS_NONE;
    return open;
}

static mco_status alloc_arcs(mco_context *ctx, int64_t arcs, bool has_origin, paths_layout *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(refuse_arcs(ctx, arcs));
    out->arcs = (int32_t)arcs;
    MCO_TRY(mco_alloc(ctx, &out->first, (int64_t)out->vertices + 1));
    MCO_TRY(mco_alloc(ctx, &out->arc, arcs));
    if (has_origin)
        MCO_TRY(mco_alloc(ctx, &out->origin, arcs));
done:
    return st;
}

// Fills the rows in the order of the places.
static mco_status fill_rows(mco_context *ctx, const mco_paths_rows *rows, paths_layout *out)
{
    mco_status st = MCO_OK;
    int32_t next = 0;
    for (int32_t k = 0; k < out->vertices; k++) {
        const int32_t v = out->vertex[k];
        MCO_TRY(mco_call_in_time(ctx, k));
        out->first[k] = next;
        for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++) {
            const int32_t weight = rows->weight[a];
            if (weight == MCO_PATHS_NONE)
                continue;
            if (out->origin != NULL)
                out->origin[next] = a;
            out->max_weight = weight > out->max_weight ? weight : out->max_weight;
            out->arc[next++] = (paths_arc){out->place[rows->head[a]], weight};
        }
    }
    out->first[out->vertices] = next;
done:
    return st;
}

mco_status paths_layout_make(mco_context *ctx, const mco_paths_rows *rows, const int32_t *vertex_at, bool has_origin,
                             paths_layout *out)
{
    mco_status st = MCO_OK;
    const int32_t n = rows->vertices;
    *out = (paths_layout){.vertices = n};
    MCO_TRY(alloc_arcs(ctx, count_open(rows), has_origin, out));
    MCO_TRY(mco_alloc(ctx, &out->place, n));
    MCO_TRY(mco_alloc(ctx, &out->vertex, n));
    for (int32_t k = 0; k < n; k++) {
        out->vertex[k] = vertex_at != NULL ? vertex_at[k] : k;
        out->place[out->vertex[k]] = k;
    }
    if (rows->first_through > 0) {
        MCO_TRY(mco_alloc(ctx, &out->is_end, n));
        for (int32_t v = 0; v < rows->first_through; v++)
            out->is_end[out->place[v]] = true;
    }
    MCO_TRY(fill_rows(ctx, rows, out));
done:
    if (st != MCO_OK)
        paths_layout_clear(ctx, out);
    return st;
}

void paths_layout_clear(mco_context *ctx, paths_layout *layout)
{
    mco_free(ctx, &layout->first);
    mco_free(ctx, &layout->arc);
    mco_free(ctx, &layout->place);
    mco_free(ctx, &layout->vertex);
    mco_free(ctx, &layout->origin);
    mco_free(ctx, &layout->is_end);
    *layout = (paths_layout){0};
}
