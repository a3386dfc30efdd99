// SPDX-License-Identifier: MIT
// Networks as folders of vectors in compressed rows, one file for each, little-endian without a header: the form of RoutingKit's data.
// docs/formats.md has the table. Vectors that are read become arrays of the network without a copy where their type allows it.
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/blocks.h"
#include "base/output.h"
#include "paths/file.h"

enum { ITEM = 4 };  // bytes of an item in every vector

static const char *const vector_names[PATHS_VECTORS] = {"first_out",    "head",         "travel_time", "latitude",     "longitude",
                                                        "turn_from_arc", "turn_to_arc", "turn_cost",   "first_through"};
// Files of weights, the first one that is there.
static const char *const weight_names[] = {"travel_time", "weight", "geo_distance"};
enum { WEIGHT_NAMES = sizeof weight_names / sizeof weight_names[0] };

// ---- Building

typedef struct folder_sizes {
    int64_t vertices, arcs, turns;
} folder_sizes;

static mco_status refuse_size(mco_context *ctx, const paths_folder *f, paths_vector k, int64_t items, const char *of)
{
    if (f->data[k] == NULL || f->bytes[k] == items * ITEM)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_PARSE, "%s: %s has %" PRId64 " bytes, %" PRId64 " were expected: %d for each %s", f->name, f->file[k],
                    f->bytes[k], items * ITEM, ITEM, of);
}

// Whether two vectors are both there, or both absent.
static mco_status refuse_half(mco_context *ctx, const paths_folder *f, paths_vector a, paths_vector b)
{
    if ((f->data[a] == NULL) == (f->data[b] == NULL))
        return MCO_OK;
    const paths_vector there = f->data[a] != NULL ? a : b, absent = there == a ? b : a;
    return mco_fail(ctx, MCO_ERR_PARSE, "%s: %s is there without %s", f->name, f->file[there], f->file[absent]);
}

static mco_status find_sizes(mco_context *ctx, const paths_folder *f, folder_sizes *out)
{
    mco_status st = MCO_OK;
    for (int k = 0; k <= PATHS_WEIGHT; k++)
        if (f->data[k] == NULL)
            return mco_fail(ctx, MCO_ERR_PARSE, "%s: %s is absent", f->name, f->file[k]);
    if (f->bytes[PATHS_FIRST_OUT] % ITEM != 0 || f->bytes[PATHS_FIRST_OUT] < ITEM)
        return mco_fail(ctx, MCO_ERR_PARSE, "%s: %s has %" PRId64 " bytes, a multiple of %d was expected: one for each vertex and one more", f->name,
                        f->file[PATHS_FIRST_OUT], f->bytes[PATHS_FIRST_OUT], ITEM);
    const uint32_t *first = f->data[PATHS_FIRST_OUT];
    out->vertices = f->bytes[PATHS_FIRST_OUT] / ITEM - 1;
    if (out->vertices > MCO_GRAPH_MAX_VERTICES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s: %" PRId64 " vertices, at most %d are supported", f->name, out->vertices, MCO_GRAPH_MAX_VERTICES);
    out->arcs = first[out->vertices];
    out->turns = f->data[PATHS_TURN_FROM] != NULL ? f->bytes[PATHS_TURN_FROM] / ITEM : 0;
    if (out->arcs > INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s: %s ends with %" PRId64 " arcs, at most %d are supported", f->name, f->file[PATHS_FIRST_OUT],
                        out->arcs, INT32_MAX);
    MCO_TRY(refuse_size(ctx, f, PATHS_HEAD, out->arcs, "arc"));
    MCO_TRY(refuse_size(ctx, f, PATHS_WEIGHT, out->arcs, "arc"));
    MCO_TRY(refuse_size(ctx, f, PATHS_LATITUDE, out->vertices, "vertex"));
    MCO_TRY(refuse_size(ctx, f, PATHS_LONGITUDE, out->vertices, "vertex"));
    MCO_TRY(refuse_size(ctx, f, PATHS_TURN_FROM, out->turns, "turn"));
    MCO_TRY(refuse_size(ctx, f, PATHS_TURN_TO, out->turns, "turn"));
    MCO_TRY(refuse_size(ctx, f, PATHS_TURN_COST, out->turns, "turn"));
    MCO_TRY(refuse_size(ctx, f, PATHS_THROUGH, 1, "file"));
    MCO_TRY(refuse_half(ctx, f, PATHS_LATITUDE, PATHS_LONGITUDE));
    MCO_TRY(refuse_half(ctx, f, PATHS_TURN_FROM, PATHS_TURN_TO));
    if (f->data[PATHS_TURN_COST] != NULL)
        MCO_TRY(refuse_half(ctx, f, PATHS_TURN_COST, PATHS_TURN_FROM));
done:
    return st;
}

static mco_status take_first(mco_context *ctx, const paths_folder *f, const folder_sizes *sizes, int64_t **out)
{
    const uint32_t *first = f->data[PATHS_FIRST_OUT];
    const mco_status st = mco_alloc(ctx, out, sizes->vertices + 1);
    if (st != MCO_OK)
        return st;
    for (int64_t v = 0; v <= sizes->vertices; v++) {
        const uint32_t before = v > 0 ? first[v - 1] : 0;
        if (first[v] < before || (v == 0 && first[v] != 0))
            return mco_fail(ctx, MCO_ERR_PARSE, "%s: %s[%" PRId64 "] is %" PRIu32 ", %" PRIu32 "%s was expected", f->name, f->file[PATHS_FIRST_OUT],
                            v, first[v], before, v > 0 ? " or more" : "");
        (*out)[v] = first[v];
    }
    return MCO_OK;
}

static mco_status test_heads(mco_context *ctx, const paths_folder *f, const folder_sizes *sizes)
{
    const uint32_t *head = f->data[PATHS_HEAD];
    for (int64_t a = 0; a < sizes->arcs; a++)
        if (head[a] >= (uint64_t)sizes->vertices)
            return mco_fail(ctx, MCO_ERR_PARSE, "%s: %s[%" PRId64 "] is %" PRIu32 ", there are vertices 0 to %" PRId64, f->name, f->file[PATHS_HEAD],
                            a, head[a], sizes->vertices - 1);
    return MCO_OK;
}

// Scales the weights where they stand. MCO_PATHS_NONE closes an arc.
static mco_status scale_weights(mco_context *ctx, const paths_folder *f, const folder_sizes *sizes, double scale)
{
    uint32_t *weight = f->data[PATHS_WEIGHT];
    for (int64_t a = 0; a < sizes->arcs; a++) {
        const double scaled = weight[a] == MCO_PATHS_NONE ? MCO_PATHS_NONE : nearbyint(scale * weight[a]);
        if (!(scaled <= MCO_PATHS_MAX_WEIGHT) && weight[a] != MCO_PATHS_NONE)
            return mco_fail(ctx, MCO_ERR_LIMIT, "%s: %s[%" PRId64 "] is %" PRIu32 ", times the scale at most %d is supported", f->name,
                            f->file[PATHS_WEIGHT], a, weight[a], MCO_PATHS_MAX_WEIGHT);
        weight[a] = (uint32_t)scaled;
    }
    return MCO_OK;
}

static mco_status take_places(mco_context *ctx, const paths_folder *f, paths_vector k, int64_t count, double most, double **out)
{
    const float *place = f->data[k];
    if (place == NULL)
        return MCO_OK;
    const mco_status st = mco_alloc(ctx, out, count);
    if (st != MCO_OK)
        return st;
    for (int64_t v = 0; v < count; v++) {
        if (!(fabsf(place[v]) <= most))
            return mco_fail(ctx, MCO_ERR_PARSE, "%s: %s[%" PRId64 "] is %g, %g to %g were expected", f->name, f->file[k], v, (double)place[v], -most, most);
        (*out)[v] = place[v];
    }
    return MCO_OK;
}

static mco_status take_turns(mco_context *ctx, const paths_folder *f, const folder_sizes *sizes, mco_paths_turn **out)
{
    const uint32_t *from = f->data[PATHS_TURN_FROM], *to = f->data[PATHS_TURN_TO];
    const int32_t *cost = f->data[PATHS_TURN_COST];
    const mco_status st = mco_alloc(ctx, out, sizes->turns);
    for (int64_t k = 0; st == MCO_OK && k < sizes->turns; k++)
        (*out)[k] = (mco_paths_turn){from[k], to[k], cost != NULL ? cost[k] : -1};
    return st;
}

mco_status paths_graph_adopt(mco_context *ctx, const char *name, int32_t base, int32_t vertices, int64_t **first, int32_t **head,
                             double **x, double **y, mco_graph **out)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    MCO_TRY(mco_alloc(ctx, &graph, 1));
    MCO_TRY(mco_alloc(ctx, &graph->name, strlen(name) + 1));
    memcpy(graph->name, name, strlen(name) + 1);
    graph->base = base;
    graph->first = *first;
    graph->head = *head;
    graph->x = *x;
    graph->y = *y;
    const int64_t arcs = graph->first[vertices];
    graph->rows = (mco_graph_rows){.vertices = vertices, .arcs = arcs, .first = graph->first, .head = graph->head, .x = graph->x,
                                   .y = graph->y, .is_directed = true, .edges = arcs};
    *first = NULL;
    *head = NULL;
    *x = *y = NULL;
    *out = graph;
    graph = NULL;
done:
    mco_graph_destroy(ctx, &graph);
    return st;
}

// A bad turn in the file is not the caller's argument.
static mco_status as_parse(mco_context *ctx, const paths_folder *f, mco_status st)
{
    if (st != MCO_ERR_ARGUMENT)
        return st;
    char message[MCO_ERROR_LENGTH];
    snprintf(message, sizeof message, "%s", mco_context_error(ctx));
    return mco_fail(ctx, MCO_ERR_PARSE, "%s: %s", f->name, message);
}

mco_status paths_folder_build(mco_context *ctx, paths_folder *f, double scale, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    folder_sizes sizes = {0};
    int64_t *first = NULL;
    double *x = NULL, *y = NULL;
    mco_paths_turn *turns = NULL;
    mco_graph *graph = NULL;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    MCO_TRY(find_sizes(ctx, f, &sizes));
    MCO_TRY(take_first(ctx, f, &sizes, &first));
    MCO_TRY(test_heads(ctx, f, &sizes));
    MCO_TRY(scale_weights(ctx, f, &sizes, scale > 0 ? scale : 1));
    MCO_TRY(take_places(ctx, f, PATHS_LONGITUDE, sizes.vertices, 360, &x));
    MCO_TRY(take_places(ctx, f, PATHS_LATITUDE, sizes.vertices, 90, &y));
    MCO_TRY(take_turns(ctx, f, &sizes, &turns));
    const uint32_t *through = f->data[PATHS_THROUGH];
    if (through != NULL && *through > sizes.vertices)
        MCO_TRY(mco_fail(ctx, MCO_ERR_PARSE, "%s: %s is %" PRIu32 ", 0 to %" PRId64 " were expected", f->name, f->file[PATHS_THROUGH],
                         *through, sizes.vertices));
    const bool is_map = x != NULL;
    MCO_TRY(paths_graph_adopt(ctx, f->name, 0, (int32_t)sizes.vertices, &first, (int32_t **)&f->data[PATHS_HEAD], &x, &y, &graph));
    model.scale = scale > 0 ? scale : 1;
    model.first_through = through != NULL ? (int32_t)*through : 0;
    model.turns = turns;
    model.turn_count = sizes.turns;
    st = paths_network_adopt(ctx, &graph, (int32_t **)&f->data[PATHS_WEIGHT], &model, is_map, out);
    st = as_parse(ctx, f, st);
done:
    mco_graph_destroy(ctx, &graph);
    mco_free(ctx, &turns);
    mco_free(ctx, &x);
    mco_free(ctx, &y);
    mco_free(ctx, &first);
    return st;
}

void paths_folder_clear(mco_context *ctx, paths_folder *f)
{
    for (int k = 0; k < PATHS_VECTORS; k++)
        mco_free_bytes(ctx, &f->data[k]);
}

// ---- Reading

static bool is_kind(const char *path, mode_t kind)
{
    struct stat s;
    return stat(path, &s) == 0 && (s.st_mode & S_IFMT) == kind;
}

static mco_status join(mco_context *ctx, const char *folder, size_t size, const char *file, char out[MCO_PATH_LENGTH])
{
    if (snprintf(out, MCO_PATH_LENGTH, "%.*s/%s", (int)size, folder, file) >= MCO_PATH_LENGTH)
        return mco_fail(ctx, MCO_ERR_IO, "%s: the path is longer than %d bytes", folder, MCO_PATH_LENGTH - 1);
    return MCO_OK;
}

static mco_status read_vector(mco_context *ctx, const char *path, void **data, int64_t *bytes)
{
    mco_status st = MCO_OK;
    mco_blocks blocks = {0};
    MCO_TRY(mco_blocks_open(ctx, path, MCO_PACKING_BY_NAME, &blocks));
    MCO_TRY(mco_blocks_read_all(&blocks, data, bytes));
done:
    mco_blocks_close(&blocks);
    return st;
}

// Reads the vectors that are there, from the folder of the first `size` bytes of `folder`.
static mco_status read_vectors(mco_context *ctx, const char *folder, size_t size, const char *weights, paths_folder *f)
{
    mco_status st = MCO_OK;
    char path[MCO_PATH_LENGTH];
    for (int k = 0; k < PATHS_VECTORS; k++) {
        f->file[k] = vector_names[k];
        if (k == PATHS_WEIGHT && weights != NULL)
            f->file[k] = weights;
        MCO_TRY(join(ctx, folder, size, f->file[k], path));
        for (int w = 0; k == PATHS_WEIGHT && weights == NULL && w < WEIGHT_NAMES && !is_kind(path, S_IFREG); w++) {
            f->file[k] = weight_names[w];
            MCO_TRY(join(ctx, folder, size, f->file[k], path));
        }
        if (k > PATHS_WEIGHT && !is_kind(path, S_IFREG))
            continue;
        MCO_TRY(read_vector(ctx, path, &f->data[k], &f->bytes[k]));
    }
done:
    return st;
}

// Finds the folder: `path` itself, or where the file of weights at `path` is. `size` 0: it is neither.
static mco_status find_folder(mco_context *ctx, const char *path, size_t *size, const char **weights)
{
    mco_status st = MCO_OK;
    char beside[MCO_PATH_LENGTH];
    const char *slash = strrchr(path, '/');
    *size = 0;
    *weights = NULL;
    if (is_kind(path, S_IFDIR)) {
        *size = strlen(path);
        return MCO_OK;
    }
    if (slash == NULL || slash == path || !is_kind(path, S_IFREG))
        return MCO_OK;
    MCO_TRY(join(ctx, path, (size_t)(slash - path), vector_names[PATHS_FIRST_OUT], beside));
    if (is_kind(beside, S_IFREG) && strchr(slash, '.') == NULL) {
        *size = (size_t)(slash - path);
        *weights = slash + 1;
    }
done:
    return st;
}

// The last part of the path of the folder.
static mco_status name_folder(mco_context *ctx, const char *path, size_t size, char **out)
{
    while (size > 1 && path[size - 1] == '/')
        size--;
    size_t begin = size;
    while (begin > 0 && path[begin - 1] != '/')
        begin--;
    const mco_status st = mco_alloc(ctx, out, size - begin + 1);
    if (st == MCO_OK)
        memcpy(*out, path + begin, size - begin);
    return st;
}

mco_status paths_folder_read(mco_context *ctx, const char *path, double scale, bool *is_folder, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    paths_folder f = {0};
    char *name = NULL;
    const char *weights;
    size_t size;
    MCO_TRY(find_folder(ctx, path, &size, &weights));
    *is_folder = size > 0;
    if (!*is_folder)
        return MCO_OK;
    MCO_TRY(name_folder(ctx, path, size, &name));
    f.name = name;
    MCO_TRY(read_vectors(ctx, path, size, weights, &f));
    MCO_TRY(paths_folder_build(ctx, &f, scale, out));
    const mco_paths_rows rows = mco_paths_view(*out);
    mco_log(ctx, MCO_LOG_INFO, "%s: vectors, %d vertices, %" PRId64 " arcs, weights of %s%s", path, rows.vertices, rows.arcs,
            f.file[PATHS_WEIGHT], rows.x != NULL ? ", places" : "");
done:
    paths_folder_clear(ctx, &f);
    mco_free(ctx, &name);
    return st;
}

// ---- Writing

// What fills a vector: item k of it.
typedef uint32_t paths_item(const mco_paths_rows *rows, int64_t k);

static uint32_t item_first(const mco_paths_rows *r, int64_t k) { return (uint32_t)r->first[k]; }
static uint32_t item_head(const mco_paths_rows *r, int64_t k) { return (uint32_t)r->head[k]; }
static uint32_t item_weight(const mco_paths_rows *r, int64_t k) { return (uint32_t)r->weight[k]; }
static uint32_t item_from(const mco_paths_rows *r, int64_t k) { return (uint32_t)r->turns[k].from; }
static uint32_t item_to(const mco_paths_rows *r, int64_t k) { return (uint32_t)r->turns[k].to; }
static uint32_t item_cost(const mco_paths_rows *r, int64_t k) { return (uint32_t)r->turns[k].cost; }
static uint32_t item_through(const mco_paths_rows *r, int64_t k) { return (void)k, (uint32_t)r->first_through; }
static uint32_t bits_of(double place)
{
    const float single = (float)place;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}
static uint32_t item_latitude(const mco_paths_rows *r, int64_t k) { return bits_of(r->y[k]); }
static uint32_t item_longitude(const mco_paths_rows *r, int64_t k) { return bits_of(r->x[k]); }

static mco_status write_vector(mco_context *ctx, const mco_paths_rows *rows, const char *path, int64_t count, paths_item *item)
{
    enum { BATCH = 4096 };
    mco_status st = MCO_OK;
    mco_output output = {0};
    uint32_t batch[BATCH];
    MCO_TRY(mco_output_open(ctx, path, &output));
    for (int64_t k = 0; k < count; k += BATCH) {
        const int64_t size = count - k < BATCH ? count - k : BATCH;
        for (int64_t i = 0; i < size; i++)
            batch[i] = item(rows, k + i);
        fwrite(batch, sizeof batch[0], (size_t)size, output.file);
    }
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    return st;
}

mco_status paths_folder_write(mco_context *ctx, const mco_paths_network *network, const char *path)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *r = &network->rows;
    char file[MCO_PATH_LENGTH];
    const struct {
        int64_t count;
        paths_item *item;
        bool is_there;
    } vectors[PATHS_VECTORS] = {
        {(int64_t)r->vertices + 1, item_first, true},       {r->arcs, item_head, true},
        {r->arcs, item_weight, true},                       {r->vertices, item_latitude, r->is_map && r->y != NULL},
        {r->vertices, item_longitude, r->is_map && r->x != NULL}, {r->turn_count, item_from, r->turn_count > 0},
        {r->turn_count, item_to, r->turn_count > 0},        {r->turn_count, item_cost, r->turn_count > 0},
        {1, item_through, r->first_through > 0},
    };
    if (r->arcs > INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " arcs, a folder of vectors has at most %d", r->arcs, INT32_MAX);
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return mco_fail(ctx, MCO_ERR_IO, "cannot make the folder %s: %s", path, strerror(errno));
    for (int k = 0; k < PATHS_VECTORS; k++) {
        MCO_TRY(join(ctx, path, strlen(path) - 1, vector_names[k], file));
        if (vectors[k].is_there)
            MCO_TRY(write_vector(ctx, r, file, vectors[k].count, vectors[k].item));
        else if (is_kind(file, S_IFREG))
            MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is of another network; remove it, or name a new folder", file));
    }
done:
    return st;
}
