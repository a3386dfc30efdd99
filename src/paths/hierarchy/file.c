// SPDX-License-Identifier: MIT
// Files of hierarchies (.mcoh): the network, its weights, and the order. docs/formats.md has the table.
//
// The topology and the metric follow from these in a few hundredths of a second, so they are not stored, and no file can make
// them inconsistent. A checksum over 64-bit words ends the file. Each word enters it by a one-to-one step, so a change of any
// one word shows.
#include <inttypes.h>
#include <math.h>
#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "base/machine.h"
#include "base/output.h"
#include "base/text.h"
#include "graph/graph.h"
#include "paths/file.h"
#include "paths/hierarchy/prepare.h"

static const uint64_t CHECKSUM_BEGIN = 0x6a09e667f3bcc909u, CHECKSUM_FACTOR = 0x9e3779b97f4a7c15u;  // the latter is odd
static const char MAGIC[8] = {'m', 'c', 'o', 'h', 'i', 'e', 'r', '\n'};

enum {
    VERSION = 1,
    BYTE_ORDER_MARK = 0x01020304,
    WORD = 8,
    HAS_PLACES = 1,
    IS_MAP = 2,
    MOST_NAME = 1 << 16  // bytes of a name
};

// All fields have the byte order of the machine that wrote them.
typedef struct header {
    char magic[8];
    uint32_t version, byte_order;
    int64_t bytes;        // of the whole file
    int64_t vertices, arcs, turns;
    int64_t name_bytes;   // of the network's name, with its end
    int64_t names_bytes;  // of the vertices' names, each with its end, empty ones for vertices without; 0: none has one
    int32_t flags, first_through;
    int32_t base, unused;
    double scale, order_s;
    char order_by[16];
} header;

typedef enum section {
    NAME, NAMES, FIRST, HEAD, WEIGHT, ORDER, TURN_FROM, TURN_TO, TURN_COST, X, Y, SECTIONS
} section;

static int64_t pad(int64_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

static void find_sizes(const header *h, int64_t bytes[SECTIONS])
{
    const int64_t places = (h->flags & HAS_PLACES) != 0 ? (int64_t)sizeof(double) * h->vertices : 0;
    bytes[NAME] = h->name_bytes;
    bytes[NAMES] = h->names_bytes;
    bytes[FIRST] = (int64_t)sizeof(int64_t) * (h->vertices + 1);
    bytes[HEAD] = bytes[WEIGHT] = (int64_t)sizeof(int32_t) * h->arcs;
    bytes[ORDER] = (int64_t)sizeof(int32_t) * h->vertices;
    bytes[TURN_FROM] = bytes[TURN_TO] = (int64_t)sizeof(int64_t) * h->turns;
    bytes[TURN_COST] = (int64_t)sizeof(int32_t) * h->turns;
    bytes[X] = bytes[Y] = places;
}

static int64_t sum_bytes(const header *h)
{
    int64_t bytes[SECTIONS], sum = (int64_t)sizeof *h + WORD;
    find_sizes(h, bytes);
    for (int s = 0; s < SECTIONS; s++)
        sum += pad(bytes[s]);
    return sum;
}

static uint64_t add_words(uint64_t sum, const void *data, int64_t bytes)
{
    for (int64_t k = 0; k < bytes; k += WORD) {
        uint64_t word = 0;
        memcpy(&word, (const char *)data + k, (size_t)(bytes - k < WORD ? bytes - k : WORD));
        sum = (sum ^ word) * CHECKSUM_FACTOR;
        sum ^= sum >> 32;
    }
    return sum;
}

uint64_t paths_hierarchy_checksum(const void *data, int64_t bytes)
{
    return add_words(CHECKSUM_BEGIN, data, bytes);
}

// ---- Writing

static bool put(FILE *file, const void *data, int64_t bytes, uint64_t *sum)
{
    static const char zeros[WORD] = {0};
    const size_t rest = (size_t)(pad(bytes) - bytes);
    *sum = add_words(*sum, data, bytes);
    return (bytes == 0 || fwrite(data, 1, (size_t)bytes, file) == (size_t)bytes) && fwrite(zeros, 1, rest, file) == rest;
}

// The names as one block, empty where there is none.
static mco_status join_names(mco_context *ctx, const mco_graph *graph, char **out, int64_t *bytes)
{
    mco_status st = MCO_OK;
    const int64_t n = graph->rows.vertices;
    if (graph->names == NULL)
        return MCO_OK;
    for (int64_t v = 0; v < n; v++)
        *bytes += graph->names[v] != NULL ? (int64_t)strlen(graph->names[v]) + 1 : 1;
    MCO_TRY(mco_alloc(ctx, out, *bytes));
    char *next = *out;
    for (int64_t v = 0; v < n; v++) {
        const size_t length = graph->names[v] != NULL ? strlen(graph->names[v]) : 0;
        memcpy(next, graph->names[v] != NULL ? graph->names[v] : "", length + 1);
        next += length + 1;
    }
done:
    return st;
}

typedef struct turn_vectors {
    int64_t *from, *to;
    int32_t *cost;
} turn_vectors;

static mco_status split_turns(mco_context *ctx, const mco_paths_rows *rows, turn_vectors *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &out->from, rows->turn_count));
    MCO_TRY(mco_alloc(ctx, &out->to, rows->turn_count));
    MCO_TRY(mco_alloc(ctx, &out->cost, rows->turn_count));
    for (int64_t k = 0; k < rows->turn_count; k++) {
        out->from[k] = rows->turns[k].from;
        out->to[k] = rows->turns[k].to;
        out->cost[k] = rows->turns[k].cost;
    }
done:
    return st;
}

static void clear_turns(mco_context *ctx, turn_vectors *turns)
{
    mco_free(ctx, &turns->cost);
    mco_free(ctx, &turns->to);
    mco_free(ctx, &turns->from);
}

static header make_header(const mco_paths_hierarchy *hierarchy, int64_t names_bytes)
{
    const mco_paths_network *n = hierarchy->network;
    const mco_paths_rows *rows = &n->rows;
    header h = {.version = VERSION, .byte_order = BYTE_ORDER_MARK, .vertices = rows->vertices, .arcs = rows->arcs,
                .turns = rows->turn_count, .name_bytes = (int64_t)strlen(n->name) + 1, .names_bytes = names_bytes,
                .flags = (rows->x != NULL ? HAS_PLACES : 0) | (rows->is_map ? IS_MAP : 0), .first_through = rows->first_through,
                .base = n->graph->base, .scale = rows->scale, .order_s = hierarchy->facts.order_s};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    memcpy(h.order_by, hierarchy->facts.order_by, sizeof h.order_by);
    h.bytes = sum_bytes(&h);
    return h;
}

static mco_status put_all(mco_context *ctx, const mco_paths_hierarchy *hierarchy, const char *names, int64_t names_bytes,
                          const turn_vectors *turns, const mco_output *output)
{
    const mco_paths_rows *rows = &hierarchy->network->rows;
    const header h = make_header(hierarchy, names_bytes);
    const void *const data[SECTIONS] = {hierarchy->network->name, names, rows->first, rows->head, rows->weight, hierarchy->order,
                                        turns->from, turns->to, turns->cost, rows->x, rows->y};
    int64_t bytes[SECTIONS];
    uint64_t sum = CHECKSUM_BEGIN;
    find_sizes(&h, bytes);
    bool is_good = put(output->file, &h, sizeof h, &sum);
    for (int s = 0; s < SECTIONS && is_good; s++)
        is_good = put(output->file, data[s], bytes[s], &sum);
    if (is_good && fwrite(&sum, sizeof sum, 1, output->file) == 1)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_IO, "%s: cannot be written", output->path);
}

mco_status mco_paths_hierarchy_write(mco_context *ctx, const mco_paths_hierarchy *hierarchy, const char *path)
{
    mco_status st = MCO_OK;
    mco_output output = {0};
    turn_vectors turns = {0};
    char *names = NULL;
    int64_t names_bytes = 0;
    if (ctx == NULL || hierarchy == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(join_names(ctx, hierarchy->network->graph, &names, &names_bytes));
    MCO_TRY(split_turns(ctx, &hierarchy->network->rows, &turns));
    MCO_TRY(mco_output_open(ctx, path, &output));
    MCO_TRY(put_all(ctx, hierarchy, names, names_bytes, &turns, &output));
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    clear_turns(ctx, &turns);
    mco_free(ctx, &names);
    return st;
}

// ---- Reading

typedef struct parser {
    mco_context *ctx;
    const char *name;  // of the file, for messages
    header h;
    const char *data[SECTIONS];
    int64_t bytes[SECTIONS];
} parser;

static mco_status refuse(const parser *p, const char *what)
{
    return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: %s", p->name, what);
}

// The numbers of the header are in range, so that no sum of sizes overflows.
static bool has_sane_sizes(const header *h)
{
    return h->vertices >= 0 && h->vertices < INT32_MAX && h->arcs >= 0 && h->arcs <= INT32_MAX && h->turns >= 0 &&
           h->turns <= INT32_MAX && h->name_bytes > 0 && h->name_bytes <= MOST_NAME && h->names_bytes >= 0 &&
           h->names_bytes <= h->vertices * MOST_NAME && (h->flags & ~(HAS_PLACES | IS_MAP)) == 0 && h->first_through >= 0 &&
           h->first_through <= h->vertices && (h->base == 0 || h->base == 1) && h->unused == 0 && isfinite(h->scale) && h->scale > 0 &&
           isfinite(h->order_s) && h->order_by[sizeof h->order_by - 1] == '\0';
}

static mco_status parse_header(parser *p, const char *data, int64_t bytes)
{
    header *h = &p->h;
    if (bytes < (int64_t)(sizeof *h + WORD) || memcmp(data, MAGIC, sizeof MAGIC) != 0)
        return refuse(p, "this is no hierarchy (.mcoh), or its beginning is cut off");
    memcpy(h, data, sizeof *h);
    if (h->byte_order != BYTE_ORDER_MARK)
        return refuse(p, "the hierarchy was written by a machine of another byte order, or its header is damaged");
    if (h->version != VERSION)
        return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: the file has version %u, version %d was expected", p->name, h->version, VERSION);
    if (!has_sane_sizes(h))
        return refuse(p, "the header of the hierarchy is damaged");
    if (sum_bytes(h) != bytes || h->bytes != bytes)
        return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: the file has %" PRId64 " bytes, %" PRId64 " were expected", p->name, bytes, sum_bytes(h));
    return MCO_OK;
}

static mco_status parse_sections(parser *p, const char *data, int64_t bytes)
{
    uint64_t sum;
    memcpy(&sum, data + bytes - WORD, sizeof sum);
    if (paths_hierarchy_checksum(data, bytes - WORD) != sum)
        return refuse(p, "the checksum does not fit: the file is damaged");
    find_sizes(&p->h, p->bytes);
    data += sizeof p->h;
    for (int s = 0; s < SECTIONS; s++) {
        p->data[s] = data;
        data += pad(p->bytes[s]);
    }
    if (p->data[NAME][p->bytes[NAME] - 1] != '\0')
        return refuse(p, "the name of the network has no end");
    return MCO_OK;
}

static mco_status copy_section(const parser *p, section s, void **out)
{
    const mco_status st = mco_alloc_bytes(p->ctx, out, (size_t)p->bytes[s], 1);
    if (st == MCO_OK)
        memcpy(*out, p->data[s], (size_t)p->bytes[s]);
    return st;
}

// The names of a graph are one block: pointers [vertices], then the characters.
static mco_status read_names(const parser *p, char ***out)
{
    mco_status st = MCO_OK;
    const int64_t n = p->h.vertices, pointers = n * (int64_t)sizeof(char *);
    void *block = NULL;
    if (p->bytes[NAMES] == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc_bytes(p->ctx, &block, (size_t)(pointers + p->bytes[NAMES]), 1));
    char **names = block;
    char *next = (char *)block + pointers, *end = next + p->bytes[NAMES];
    memcpy(next, p->data[NAMES], (size_t)p->bytes[NAMES]);
    *out = names;
    for (int64_t v = 0; v < n; v++) {
        char *last = next < end ? memchr(next, '\0', (size_t)(end - next)) : NULL;
        if (last == NULL)
            return refuse(p, "a vertex lacks its name");
        names[v] = last > next ? next : NULL;
        next = last + 1;
    }
    if (next != end)
        return refuse(p, "there are more names than vertices");
done:
    return st;
}

static mco_status check_rows(const parser *p, const mco_graph *g)
{
    const int64_t n = p->h.vertices, m = p->h.arcs;
    bool is_good = g->first[0] == 0 && g->first[n] == m;
    for (int64_t v = 0; v < n; v++)
        is_good = is_good && g->first[v] <= g->first[v + 1];
    for (int64_t a = 0; a < m; a++)
        is_good = is_good && g->head[a] >= 0 && g->head[a] < n;
    return is_good ? MCO_OK : refuse(p, "arcs are out of range");
}

static mco_status check_places(const parser *p, const mco_graph *g)
{
    for (int64_t v = 0; v < p->h.vertices; v++)
        if (!isfinite(g->x[v]) || !isfinite(g->y[v]))
            return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: vertex %" PRId64 " is at %g, %g: finite numbers were expected", p->name, v, g->x[v], g->y[v]);
    return MCO_OK;
}

static mco_status read_graph(const parser *p, mco_graph **out)
{
    mco_status st = MCO_OK;
    mco_graph *g = NULL;
    MCO_TRY(mco_alloc(p->ctx, &g, 1));
    *out = g;
    g->base = p->h.base;
    MCO_TRY(copy_section(p, NAME, (void **)&g->name));
    MCO_TRY(read_names(p, &g->names));
    MCO_TRY(copy_section(p, FIRST, (void **)&g->first));
    MCO_TRY(copy_section(p, HEAD, (void **)&g->head));
    if ((p->h.flags & HAS_PLACES) != 0) {
        MCO_TRY(copy_section(p, X, (void **)&g->x));
        MCO_TRY(copy_section(p, Y, (void **)&g->y));
        MCO_TRY(check_places(p, g));
    }
    g->rows = (mco_graph_rows){.vertices = (int32_t)p->h.vertices, .arcs = p->h.arcs, .first = g->first, .head = g->head, .x = g->x,
                               .y = g->y, .is_directed = true, .edges = p->h.arcs};
    MCO_TRY(check_rows(p, g));
done:
    return st;
}

static mco_status read_turns(const parser *p, mco_paths_turn **out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(p->ctx, out, p->h.turns));
    for (int64_t k = 0; k < p->h.turns; k++) {
        memcpy(&(*out)[k].from, p->data[TURN_FROM] + k * (int64_t)sizeof(int64_t), sizeof(int64_t));
        memcpy(&(*out)[k].to, p->data[TURN_TO] + k * (int64_t)sizeof(int64_t), sizeof(int64_t));
        memcpy(&(*out)[k].cost, p->data[TURN_COST] + k * (int64_t)sizeof(int32_t), sizeof(int32_t));
    }
done:
    return st;
}

// What is wrong with a number of a file is wrong with the file.
static mco_status as_file_fault(mco_status st)
{
    return st == MCO_ERR_ARGUMENT ? MCO_ERR_PARSE : st;
}

static mco_status read_network(const parser *p, mco_paths_network **out)
{
    mco_status st = MCO_OK;
    mco_graph *graph = NULL;
    mco_paths_turn *turns = NULL;
    int32_t *weight = NULL;
    mco_paths_model model = MCO_PATHS_MODEL_INIT;
    MCO_TRY(read_graph(p, &graph));
    MCO_TRY(read_turns(p, &turns));
    MCO_TRY(copy_section(p, WEIGHT, (void **)&weight));
    model.scale = p->h.scale;
    model.first_through = p->h.first_through;
    model.turns = turns;
    model.turn_count = p->h.turns;
    MCO_TRY(as_file_fault(paths_network_adopt(p->ctx, &graph, &weight, &model, (p->h.flags & IS_MAP) != 0, out)));
done:
    mco_free(p->ctx, &weight);
    mco_free(p->ctx, &turns);
    mco_graph_destroy(p->ctx, &graph);
    return st;
}

static mco_status begin_parsing(parser *p, const char *data, int64_t bytes)
{
    const mco_status st = parse_header(p, data, bytes);
    return st == MCO_OK ? parse_sections(p, data, bytes) : st;
}

mco_status paths_hierarchy_parse(mco_context *ctx, const char *name, const void *data, int64_t bytes, mco_paths_hierarchy **out)
{
    mco_status st = MCO_OK;
    parser p = {.ctx = ctx, .name = name};
    mco_paths_network *network = NULL;
    int32_t *order = NULL;
    MCO_TRY(begin_parsing(&p, data, bytes));
    MCO_TRY(read_network(&p, &network));
    MCO_TRY(copy_section(&p, ORDER, (void **)&order));
    MCO_TRY(as_file_fault(paths_order_refuse(ctx, order, network->rows.vertices)));
    const paths_limits limits = {.memory = mco_settle_memory(0), .stop_s = ctx->read_stop_s > 0 ? ctx->read_stop_s : INFINITY};
    MCO_TRY(paths_hierarchy_build(ctx, &network, order, &limits, mco_settle_threads(0), out));
    (*out)->facts.order_s = p.h.order_s;
    memcpy((*out)->facts.order_by, p.h.order_by, sizeof p.h.order_by);
done:
    mco_free(ctx, &order);
    mco_paths_destroy(ctx, &network);
    return st;
}

// Reads the hierarchy, or the network alone.
static mco_status read_file(mco_context *ctx, const char *path, mco_paths_hierarchy **hierarchy, mco_paths_network **network)
{
    mco_status st = MCO_OK;
    mco_blocks blocks = {0};
    void *data = NULL;
    int64_t bytes = 0;
    MCO_TRY(mco_blocks_open(ctx, path, MCO_PACKING_BY_NAME, &blocks));
    MCO_TRY(mco_blocks_read_all(&blocks, &data, &bytes));
    if (hierarchy != NULL) {
        MCO_TRY(paths_hierarchy_parse(ctx, blocks.name, data, bytes, hierarchy));
    } else {
        parser p = {.ctx = ctx, .name = blocks.name};
        MCO_TRY(begin_parsing(&p, data, bytes));
        MCO_TRY(read_network(&p, network));
    }
done:
    if (st == MCO_ERR_STOPPED)
        mco_clear_cancel(ctx);
    mco_free_bytes(ctx, &data);
    mco_blocks_close(&blocks);
    return st;
}

mco_status mco_paths_hierarchy_read(mco_context *ctx, const char *path, mco_paths_hierarchy **out)
{
    if (ctx == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    return read_file(ctx, path, out, NULL);
}

mco_status paths_hierarchy_read_network(mco_context *ctx, const char *path, mco_paths_network **out)
{
    return read_file(ctx, path, NULL, out);
}

bool paths_is_hierarchy_file(const char *path)
{
    return paths_ends_with(path, ".mcoh") || paths_ends_with(path, ".mcoh.gz");
}
