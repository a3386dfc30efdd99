// SPDX-License-Identifier: MIT
// Files of states (.mcot). docs/formats.md has the table.
//
// A checksum ends the file: four sums over 64-bit words, each of every fourth word, so that none waits for another, then their sum. Each word
// enters by a one-to-one step, so a change of any one word shows. Sizes in
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

enum { VERSION = 2, BYTE_ORDER_MARK = 0x01020304, WORD = 8, SUMS = 4, PART = SUMS * WORD };

// All fields have the byte order of the machine that wrote them.
typedef struct header {
    char magic[8];
    uint32_t version, byte_order;
    int64_t bytes;  // of the whole file
    int32_t nodes, zones, links, classes, more_links, order_first;
    int64_t flows, pairs, pair_links, pair_rows;
    int32_t batches, places;  // of the plan; places of an order, 0: there are no orders
} header;

typedef enum section { TAIL, HEAD, MORE, FLOW_FIRST, FLOW_LINK, FLOW, PAIR_FIRST, PAIR_LINK, PAIR_ROW_FIRST, PAIR_ROW, PLAN_ROW, ORDER, SECTIONS } section;

static int64_t pad(int64_t bytes)
{
    return (bytes + PART - 1) / PART * PART;
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
    bytes[PLAN_ROW] = 4 * TRAFFIC_PLAN_ROWS * (int64_t)h->batches;
    bytes[ORDER] = 2 * (int64_t)h->batches * h->places;
}

static int64_t sum_bytes(const header *h)
{
    int64_t bytes[SECTIONS], sum = pad(sizeof *h) + WORD;
    find_sizes(h, bytes);
    for (int s = 0; s < SECTIONS; s++)
        sum += pad(bytes[s]);
    return sum;
}

typedef struct checksum {
    uint64_t sum[SUMS];
} checksum;

static uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * CHECKSUM_FACTOR;
    return sum ^ sum >> 32;
}

static checksum checksum_begin(void)
{
    checksum c;
    for (int k = 0; k < SUMS; k++)
        c.sum[k] = CHECKSUM_BEGIN + (uint64_t)k;
    return c;
}

// Adds a part of the file, with zeros behind it up to a multiple of PART.
static void add_part(checksum *c, const void *data, int64_t bytes)
{
    uint64_t word[SUMS], sum[SUMS];
    memcpy(sum, c->sum, sizeof sum);
    for (int64_t k = 0; k < bytes; k += PART) {
        if (bytes - k < PART)
            memset(word, 0, sizeof word);
        memcpy(word, (const char *)data + k, (size_t)(bytes - k < PART ? bytes - k : PART));
        for (int i = 0; i < SUMS; i++)
            sum[i] = add_word(sum[i], word[i]);
    }
    memcpy(c->sum, sum, sizeof sum);
}

static uint64_t checksum_of(const checksum *c)
{
    uint64_t all = CHECKSUM_BEGIN;
    for (int k = 0; k < SUMS; k++)
        all = add_word(all, c->sum[k]);
    return all;
}

uint64_t traffic_state_checksum(const void *data, int64_t bytes)
{
    checksum c = checksum_begin();
    add_part(&c, data, bytes);
    return checksum_of(&c);
}

// ---- Writing

static bool put(mco_stream *stream, const void *data, int64_t bytes, checksum *sum)
{
    static const char zeros[PART] = {0};
    add_part(sum, data, bytes);
    return (bytes == 0 || mco_stream_put(stream, data, (size_t)bytes)) && mco_stream_put(stream, zeros, (size_t)(pad(bytes) - bytes));
}

mco_status mco_traffic_state_write(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, const char *path)
{
    mco_status st = MCO_OK;
    mco_stream stream = {0};
    checksum parts = checksum_begin();
    int64_t bytes[SECTIONS];
    if (ctx == NULL || traffic == NULL || state == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_traffic_state *s = state;
    header h = {.version = VERSION, .byte_order = BYTE_ORDER_MARK, .nodes = s->nodes, .zones = s->zones, .links = s->links,
                .classes = s->classes, .more_links = s->more_links, .flows = s->flows.first[s->flows.rows], .pairs = s->pairs.count,
                .pair_links = s->pairs.first[2 * s->pairs.count], .pair_rows = s->pairs.row_first[s->pairs.count],
                .order_first = s->plan.order != NULL ? s->plan.first : 0, .batches = s->plan.batches,
                .places = s->plan.order != NULL ? s->plan.places : 0};
    const void *const data[SECTIONS] = {s->tail,       s->head,       s->more,           s->flows.first, s->flows.link, s->flows.flow,
                                        s->pairs.first, s->pairs.link, s->pairs.row_first, s->pairs.row,
                                        s->plan.row,    s->plan.order};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    h.bytes = sum_bytes(&h);
    find_sizes(&h, bytes);
    MCO_TRY(mco_stream_open(ctx, path, &stream));
    bool is_good = put(&stream, &h, sizeof h, &parts);
    for (int k = 0; k < SECTIONS && is_good; k++)
        is_good = put(&stream, data[k], bytes[k], &parts);
    const uint64_t sum = checksum_of(&parts);
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
           h->more_links <= MCO_TRAFFIC_MAX_LINKS && h->order_first >= 0 && h->batches >= 0 && h->batches <= bytes && h->places >= 0 &&
           h->places <= UINT16_MAX && h->flows >= 0 && h->flows <= bytes && h->pairs >= 0 &&
           h->pairs <= bytes && h->pair_links >= 0 && h->pair_links <= bytes && h->pair_rows >= 0 && h->pair_rows <= bytes;
}

static mco_status parse_header(parser *p, const char *data, int64_t bytes)
{
    header *h = &p->h;
    uint64_t sum;
    if (bytes < pad(sizeof *h) + WORD || memcmp(data, MAGIC, sizeof MAGIC) != 0)
        return refuse(p, "this is no state of an assignment, or its beginning is cut off");
    memcpy(h, data, sizeof *h);
    if (h->byte_order != BYTE_ORDER_MARK)
        return refuse(p, "the state was written by a machine of another byte order, or its header is damaged");
    if (h->version != VERSION)
        return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: the file has version %u, version %d was expected", p->name, h->version, VERSION);
    if (h->bytes > bytes)
        return mco_fail(p->ctx, MCO_ERR_PARSE, "%s: the file is cut off, or its header is damaged: it has %" PRId64 " bytes, %" PRId64 " were expected", p->name,
                        bytes, h->bytes);
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
                                 (void **)&s->pairs.row,   (void **)&s->plan.row,   (void **)&s->plan.order};
    s->nodes = p->h.nodes;
    s->zones = p->h.zones;
    s->links = p->h.links;
    s->classes = p->h.classes;
    s->more_links = p->h.more_links;
    s->flows.rows = p->h.classes * p->h.zones;
    s->pairs.count = p->h.pairs;
    s->plan.batches = p->h.batches;
    s->plan.first = p->h.order_first;
    s->plan.places = p->h.places;
    data += pad(sizeof p->h);
    for (int k = 0; k < SECTIONS; k++) {
        *to[k] = data;
        data += pad(p->bytes[k]);
    }
    if (p->h.places == 0)
        s->plan.order = NULL;
}

static bool are_in_range(const int32_t *values, int64_t count, int32_t least, int32_t end)
{
    const uint32_t width = (uint32_t)end - (uint32_t)least;
    uint32_t bad = 0;
    for (int64_t i = 0; i < count; i++)
        bad |= (uint32_t)values[i] - (uint32_t)least >= width ? 1u : 0u;
    return bad == 0;
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
    uint64_t bad = 0;
    for (int64_t i = 0; i < count; i++)
        bad |= !(values[i] > 0 && values[i] < INFINITY) ? 1u : 0u;
    return bad == 0;
}

static mco_status check_state(const parser *p)
{
    const mco_traffic_state *s = p->state;
    const header *h = &p->h;
    const int32_t all = s->links + s->more_links;
    if (!are_in_range(s->tail, s->links, 0, s->nodes) || !are_in_range(s->head, s->links, 0, s->nodes) || !are_names(s))
        return refuse(p, "a link of the state joins nodes that are not there");
    if (!are_rows(s->flows.first, s->flows.rows, h->flows) || !are_in_range(s->flows.link, h->flows, 0, all) ||
        !are_positive(s->flows.flow, h->flows))
        return refuse(p, "the flows of the state are damaged");
    if (!are_rows(s->pairs.first, 2 * h->pairs, h->pair_links) || !are_in_range(s->pairs.link, h->pair_links, 0, all) ||
        !are_rows(s->pairs.row_first, h->pairs, h->pair_rows) || !are_in_range(s->pairs.row, h->pair_rows, 0, s->flows.rows) ||
        !ascend(s->pairs.row_first, h->pairs, s->pairs.row))
        return refuse(p, "the pairs of the state are damaged");
    if (!are_in_range(s->plan.row, TRAFFIC_PLAN_ROWS * (int64_t)h->batches, -1, s->flows.rows))
        return refuse(p, "the plan of the state is damaged");
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
