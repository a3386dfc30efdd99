// SPDX-License-Identifier: MIT
// Files of states (.mcot). docs/formats.md has the table.
//
// A checksum over 64-bit words ends the file. Each word enters it by a one-to-one step, so a change of any one word shows. Sizes in
// the header must give the size of the file before any memory is taken for them, and every number is in its range when a state leaves
// this file. What else could be wrong (flows that do not balance, segments that are no paths) is seen when the state is taken.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "base/stream.h"
#include "traffic/model/network.h"
#include "traffic/files/state_file.h"

static const uint64_t CHECKSUM_BEGIN = 0x6a09e667f3bcc909u, CHECKSUM_FACTOR = 0x9e3779b97f4a7c15u;  // the latter is odd
static const char MAGIC[8] = {'m', 'c', 'o', 't', 'r', 'a', 'f', '\n'};

enum { VERSION = 1, BYTE_ORDER_MARK = 0x01020304, WORD = 8 };

// All fields have the byte order of the machine that wrote them.
typedef struct header {
    char magic[8];
    uint32_t version, byte_order;
    int64_t bytes;  // of the whole file
    int32_t nodes, zones, links, classes, more_links, unused;
    int64_t flows, pairs, pair_links, pair_rows;
} header;

typedef enum section { TAIL, HEAD, MORE, FLOW_FIRST, FLOW_LINK, FLOW, PAIR_FIRST, PAIR_LINK, PAIR_ROW_FIRST, PAIR_ROW, SECTIONS } section;

static int64_t pad(int64_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

static void find_sizes(const header *h, int64_t bytes[SECTIONS])
{
    const int64_t rows = (int64_t)h->classes * h->zones;
    bytes[TAIL] = bytes[HEAD] = 4 * (int64_t)h->links;
    bytes[MORE] = 8 * (int64_t)h->more_links;
    bytes[FLOW_FIRST] = 8 * (rows + 1);
    bytes[FLOW_LINK] = 4 * h->flows;
    bytes[FLOW] = 8 * h->flows;
    bytes[PAIR_FIRST] = 8 * (2 * h->pairs + 1);
    bytes[PAIR_LINK] = 4 * h->pair_links;
    bytes[PAIR_ROW_FIRST] = 8 * (h->pairs + 1);
    bytes[PAIR_ROW] = 4 * h->pair_rows;
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

uint64_t traffic_state_checksum(const void *data, int64_t bytes)
{
    return add_words(CHECKSUM_BEGIN, data, bytes);
}

// ---- Writing

static bool put(mco_stream *stream, const void *data, int64_t bytes, uint64_t *sum)
{
    static const char zeros[WORD] = {0};
    *sum = add_words(*sum, data, bytes);
    return (bytes == 0 || mco_stream_put(stream, data, (size_t)bytes)) && mco_stream_put(stream, zeros, (size_t)(pad(bytes) - bytes));
}

mco_status mco_traffic_state_write(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, const char *path)
{
    mco_status st = MCO_OK;
    mco_stream stream = {0};
    uint64_t sum = CHECKSUM_BEGIN;
    int64_t bytes[SECTIONS];
    if (ctx == NULL || traffic == NULL || state == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_traffic_state *s = state;
    header h = {.version = VERSION, .byte_order = BYTE_ORDER_MARK, .nodes = s->nodes, .zones = s->zones, .links = s->links,
                .classes = s->classes, .more_links = s->more_links, .flows = s->flows.first[s->flows.rows], .pairs = s->pairs.count,
                .pair_links = s->pairs.first[2 * s->pairs.count], .pair_rows = s->pairs.row_first[s->pairs.count]};
    const void *const data[SECTIONS] = {s->tail,       s->head,       s->more,           s->flows.first, s->flows.link, s->flows.flow,
                                        s->pairs.first, s->pairs.link, s->pairs.row_first, s->pairs.row};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    h.bytes = sum_bytes(&h);
    find_sizes(&h, bytes);
    MCO_TRY(mco_stream_open(ctx, path, &stream));
    bool is_good = put(&stream, &h, sizeof h, &sum);
    for (int k = 0; k < SECTIONS && is_good; k++)
        is_good = put(&stream, data[k], bytes[k], &sum);
    if (is_good)
        mco_stream_put(&stream, &sum, sizeof sum);
    MCO_TRY(mco_stream_commit(&stream));
done:
    mco_stream_discard(&stream);
    return st;
}

// ---- Reading

typedef struct parser {
    mco_context *ctx;
    const char *name;  // of the file, for messages
    header h;
    int64_t bytes[SECTIONS];
    mco_traffic_state *state;
} parser;

static mco_status refuse(const parser *p, const char *what)
{
    return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: %s", p->name, what);
}

// The numbers of the header are in range, so that no sum of sizes overflows.
static bool has_sane_sizes(const header *h, int64_t bytes)
{
    return h->nodes >= 0 && h->nodes <= MCO_TRAFFIC_MAX_NODES && h->zones >= 0 && h->zones <= h->nodes && h->links >= 0 &&
           h->links <= MCO_TRAFFIC_MAX_LINKS && h->classes >= 0 && h->classes <= MCO_TRAFFIC_MAX_CLASSES && h->more_links >= 0 &&
           h->more_links <= MCO_TRAFFIC_MAX_LINKS && h->unused == 0 && h->flows >= 0 && h->flows <= bytes && h->pairs >= 0 &&
           h->pairs <= bytes && h->pair_links >= 0 && h->pair_links <= bytes && h->pair_rows >= 0 && h->pair_rows <= bytes;
}

static mco_status parse_header(parser *p, const char *data, int64_t bytes)
{
    header *h = &p->h;
    uint64_t sum;
    if (bytes < (int64_t)(sizeof *h + WORD) || memcmp(data, MAGIC, sizeof MAGIC) != 0)
        return refuse(p, "this is no state of an assignment, or its beginning is cut off");
    memcpy(h, data, sizeof *h);
    if (h->byte_order != BYTE_ORDER_MARK)
        return refuse(p, "the state was written by a machine of another byte order, or its header is damaged");
    if (h->version != VERSION)
        return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: the file has version %u, version %d was expected", p->name, h->version, VERSION);
    if (!has_sane_sizes(h, bytes))
        return refuse(p, "the header of the state is damaged");
    if (sum_bytes(h) != bytes || h->bytes != bytes)
        return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: the file has %" PRId64 " bytes, %" PRId64 " were expected", p->name, bytes, sum_bytes(h));
    memcpy(&sum, data + bytes - WORD, sizeof sum);
    if (traffic_state_checksum(data, bytes - WORD) != sum)
        return refuse(p, "the checksum does not fit: the file is damaged");
    find_sizes(h, p->bytes);
    return MCO_OK;
}

// Lets the arrays of the state point into the bytes of its file, where each begins at a multiple of 8.
static void find_sections(parser *p, char *data)
{
    mco_traffic_state *s = p->state;
    void **const to[SECTIONS] = {(void **)&s->tail,       (void **)&s->head,      (void **)&s->more,
                                 (void **)&s->flows.first, (void **)&s->flows.link, (void **)&s->flows.flow,
                                 (void **)&s->pairs.first, (void **)&s->pairs.link, (void **)&s->pairs.row_first,
                                 (void **)&s->pairs.row};
    s->nodes = p->h.nodes;
    s->zones = p->h.zones;
    s->links = p->h.links;
    s->classes = p->h.classes;
    s->more_links = p->h.more_links;
    s->flows.rows = p->h.classes * p->h.zones;
    s->pairs.count = p->h.pairs;
    data += sizeof p->h;
    for (int k = 0; k < SECTIONS; k++) {
        *to[k] = data;
        data += pad(p->bytes[k]);
    }
}

static bool are_in_range(const int32_t *values, int64_t count, int32_t least, int32_t end)
{
    for (int64_t i = 0; i < count; i++)
        if (values[i] < least || values[i] >= end)
            return false;
    return true;
}

// Whether first [rows + 1] leads from 0 to count and never back.
static bool are_rows(const int64_t *first, int64_t rows, int64_t count)
{
    if (first[0] != 0 || first[rows] != count)
        return false;
    for (int64_t r = 0; r < rows; r++)
        if (first[r + 1] < first[r] || first[r + 1] > count)
            return false;
    return true;
}

static bool ascend(const int64_t *first, int64_t rows, const int32_t *value)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t i = first[r] + 1; i < first[r + 1]; i++)
            if (value[i] <= value[i - 1])
                return false;
    return true;
}

static bool are_names(const mco_traffic_state *s)
{
    for (int64_t i = 0; i < 2 * (int64_t)s->more_links; i++)
        if (s->more[i] >= s->links || s->more[i] < -s->nodes)
            return false;
    return true;
}

static bool are_positive(const double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (!(values[i] > 0 && values[i] < INFINITY))
            return false;
    return true;
}

static mco_status check_state(const parser *p)
{
    const mco_traffic_state *s = p->state;
    const header *h = &p->h;
    const int32_t all = s->links + s->more_links;
    if (!are_in_range(s->tail, s->links, 0, s->nodes) || !are_in_range(s->head, s->links, 0, s->nodes) || !are_names(s))
        return refuse(p, "a link of the state joins nodes that are not there");
    if (!are_rows(s->flows.first, s->flows.rows, h->flows) || !are_in_range(s->flows.link, h->flows, 0, all) ||
        !ascend(s->flows.first, s->flows.rows, s->flows.link) || !are_positive(s->flows.flow, h->flows))
        return refuse(p, "the flows of the state are damaged");
    if (!are_rows(s->pairs.first, 2 * h->pairs, h->pair_links) || !are_in_range(s->pairs.link, h->pair_links, 0, all) ||
        !are_rows(s->pairs.row_first, h->pairs, h->pair_rows) || !are_in_range(s->pairs.row, h->pair_rows, 0, s->flows.rows) ||
        !ascend(s->pairs.row_first, h->pairs, s->pairs.row))
        return refuse(p, "the pairs of the state are damaged");
    return MCO_OK;
}

// The state takes the block, which is NULL then, unless there is an error.
static mco_status parse_block(mco_context *ctx, const char *name, void **block, int64_t bytes, mco_traffic_state **out)
{
    mco_status st = MCO_OK;
    parser p = {.ctx = ctx, .name = name};
    MCO_TRY(parse_header(&p, *block, bytes));
    MCO_TRY(mco_alloc(ctx, &p.state, 1));
    p.state->block = *block;
    *block = NULL;
    find_sections(&p, p.state->block);
    MCO_TRY(check_state(&p));
    *out = p.state;
    p.state = NULL;
done:
    mco_traffic_state_clear(ctx, &p.state);
    return st;
}

mco_status traffic_state_parse(mco_context *ctx, const char *name, const void *data, int64_t bytes, mco_traffic_state **out)
{
    void *block = NULL;
    mco_status st = mco_alloc_bytes(ctx, &block, (size_t)bytes, 1);
    if (st != MCO_OK)
        return st;
    if (bytes > 0)
        memcpy(block, data, (size_t)bytes);
    st = parse_block(ctx, name, &block, bytes, out);
    mco_free_bytes(ctx, &block);
    return st;
}

mco_status mco_traffic_state_read(mco_context *ctx, const mco_traffic *traffic, const char *path, mco_traffic_state **out)
{
    mco_status st = MCO_OK;
    mco_blocks blocks = {0};
    void *data = NULL;
    int64_t bytes = 0;
    mco_traffic_state *state = NULL;
    if (ctx == NULL || traffic == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_blocks_open(ctx, path, MCO_PACKING_BY_CONTENT, &blocks));
    MCO_TRY(mco_blocks_read_all(&blocks, &data, &bytes));
    MCO_TRY(parse_block(ctx, blocks.name, &data, bytes, &state));
    if (state->zones != traffic->view.zones || state->classes != traffic->class_count)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: the state is of a network with %d zones and %d class%s, this one has %d and %d", path,
                         state->zones, state->classes, state->classes == 1 ? "" : "es", traffic->view.zones, traffic->class_count));
    *out = state;
    state = NULL;
done:
    mco_traffic_state_clear(ctx, &state);
    mco_free_bytes(ctx, &data);
    mco_blocks_close(&blocks);
    return st;
}
