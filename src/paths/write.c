// SPDX-License-Identifier: MIT
// Networks as files: DIMACS .gr with places in a .co file beside it, or a folder of vectors.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/output.h"
#include "paths/file.h"

static const double MICRO = 1e6;  // units of a map in a degree

static int64_t count_open(const mco_paths_rows *r)
{
    int64_t open = 0;
    for (int64_t a = 0; a < r->arcs; a++)
        open += r->weight[a] != MCO_PATHS_NONE;
    return open;
}

static void put(FILE *file, char before, int64_t value)
{
    fputc(before, file);
    mco_write_integer(value, 0, file);
}

static mco_status write_arcs(mco_context *ctx, const mco_paths_network *network, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    const mco_paths_rows *r = &network->rows;
    const int64_t open = count_open(r);
    MCO_TRY(mco_output_open(ctx, path, &output));
    fprintf(output.file, "p sp %d %" PRId64 "\n", r->vertices, open);
    for (int32_t v = 0; v < r->vertices; v++)
        for (int64_t a = r->first[v]; a < r->first[v + 1]; a++) {
            if (r->weight[a] == MCO_PATHS_NONE)
                continue;
            fputc('a', output.file);
            put(output.file, ' ', (int64_t)v + 1);
            put(output.file, ' ', (int64_t)r->head[a] + 1);
            put(output.file, ' ', r->weight[a]);
            fputc('\n', output.file);
        }
    MCO_TRY(mco_output_commit(ctx, &output, false));
    if (open < r->arcs)
        mco_log(ctx, MCO_LOG_WARNING, "%s: %" PRId64 " closed arcs are left out", path, r->arcs - open);
done:
    mco_output_discard(&output);
    return st;
}

static mco_status write_places(mco_context *ctx, const mco_paths_rows *r, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    MCO_TRY(mco_output_open(ctx, path, &output));
    if (r->is_map)
        fputs("c " PATHS_MAP_COMMENT "\n", output.file);
    fprintf(output.file, "p aux sp co %d\n", r->vertices);
    for (int32_t v = 0; v < r->vertices; v++) {
        const double place[2] = {r->x[v], r->y[v]};
        fputs("v", output.file);
        put(output.file, ' ', (int64_t)v + 1);
        for (int k = 0; k < 2; k++) {
            fputc(' ', output.file);
            if (r->is_map)
                mco_write_integer((int64_t)nearbyint(MICRO * place[k]), 0, output.file);
            else
                mco_write_number(place[k], output.file);
        }
        fputc('\n', output.file);
    }
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    return st;
}

// A text of arcs cannot hold turns or ends.
static mco_status refuse_more(mco_context *ctx, const mco_paths_rows *r, const char *path)
{
    if (r->turn_count == 0 && r->first_through == 0)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: DIMACS holds no %s; a folder does, whose path ends with a slash", path,
                    r->turn_count > 0 ? "turns" : "first through vertex");
}

mco_status mco_paths_write(mco_context *ctx, const mco_paths_network *network, const char *path)
{
    mco_status st = MCO_OK;
    char places[MCO_PATH_LENGTH];
    if (ctx == NULL || network == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_paths_rows *r = &network->rows;
    if (path[0] != '\0' && path[strlen(path) - 1] == '/')
        return paths_folder_write(ctx, network, path);
    MCO_TRY(refuse_more(ctx, r, path));
    MCO_TRY(write_arcs(ctx, network, path));
    if (r->x != NULL && paths_places_path(path, places, sizeof places))
        MCO_TRY(write_places(ctx, r, places));
done:
    return st;
}
