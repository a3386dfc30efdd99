// SPDX-License-Identifier: MIT
// Takes any bytes as a checkpoint of an instance with four jobs, of the tree search and of beams. If the first byte is '#', the hash line that belongs
// to the other bytes is added, so that the reader behind it is reached. If it is '!', the other bytes are the object and, behind a NUL, the
// intervals of the binary form, and its header and hash are added. What is accepted must be sound.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flowshop/beam/campaign.h"
#include "flowshop/instance.h"
#include "flowshop/state_file.h"
#include "flowshop/tree/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { JOBS = 4, MACHINES = 3, LONGEST = 1 << 16, HASH_ROOM = 64 };

static const int32_t times[JOBS * MACHINES] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine_path(const int32_t *digits, int32_t depth)
{
    require(depth >= 0 && depth <= JOBS);
    for (int32_t d = 0; d < depth; d++)
        require(digits[d] >= 0 && digits[d] < JOBS - d);
}

static void examine(mco_context *ctx, const mco_flowshop *shop, const flowshop_checkpoint *c)
{
    int64_t makespan;
    require(c->makespan < 0 ||
            (mco_flowshop_check(ctx, shop, c->order, JOBS, &makespan) == MCO_OK && makespan == c->makespan));
    for (int64_t i = 0; i < c->open.count; i++) {
        examine_path(c->open.items[i].a, c->open.items[i].a_depth);
        examine_path(c->open.items[i].b, c->open.items[i].b_depth);
    }
}

static void examine_beams(mco_context *ctx, const mco_flowshop *shop, const flowshop_campaign *c)
{
    int64_t makespan;
    require(mco_flowshop_check(ctx, shop, c->order, JOBS, &makespan) == MCO_OK && makespan == c->makespan);
    require(c->bound <= makespan && c->width > 0 && c->share >= 0 && c->share <= FLOWSHOP_BEAM_WHOLE);
}

static uint64_t hash_of(const char *data, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)data[i]) * 0x100000001b3u;
    return hash;
}

// Writes the bytes and their hash line: FNV-1a of everything before it.
static size_t add_hash(const uint8_t *data, size_t size, char *out)
{
    memcpy(out, data, size);
    return size + (size_t)snprintf(out + size, HASH_ROOM, "# fnv1a %016" PRIx64 "\n", hash_of(out, size));
}

static void put_word(char *out, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        out[i] = (char)(value >> 8 * i & 0xff);
}

// Writes the binary form of the object and the bytes behind its NUL.
static size_t add_header(const uint8_t *data, size_t size, char *out)
{
    enum { HEADER = 40 };
    const size_t head = strnlen((const char *)data, size), tail = head < size ? size - head - 1 : 0, all = HEADER + head + tail;
    memcpy(out, FLOWSHOP_STATE_MARK, 8);
    put_word(out + 8, 1);
    put_word(out + 16, all + 8);
    put_word(out + 24, head);
    put_word(out + 32, tail);
    memcpy(out + HEADER, data, head);
    memcpy(out + HEADER + head, data + size - tail, tail);
    put_word(out + all, hash_of(out, all));
    return all + 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char with_hash[LONGEST + HASH_ROOM];
    mco_context *ctx = NULL;
    mco_flowshop *shop = NULL;
    flowshop_checkpoint c = {0};
    flowshop_campaign beams = {0};
    mco_text text;
    if (size > LONGEST || mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    require(mco_flowshop_create(ctx, JOBS, MACHINES, times, &shop) == MCO_OK);
    require(flowshop_checkpoint_create(ctx, JOBS, &c) == MCO_OK);
    require(flowshop_campaign_create(ctx, JOBS, &beams) == MCO_OK);
    const void *content = data;
    if (size > 0 && data[0] == '#') {
        size = add_hash(data + 1, size - 1, with_hash);
        content = with_hash;
    } else if (size > 0 && data[0] == '!') {
        size = add_header(data + 1, size - 1, with_hash);
        content = with_hash;
    }
    if (mco_text_from_memory_marked(ctx, "input", content, size, FLOWSHOP_STATE_MARK, &text) == MCO_OK) {
        if (flowshop_checkpoint_read_text(ctx, shop, &text, &c) == MCO_OK)
            examine(ctx, shop, &c);
        mco_text_close(&text);
    }
    if (mco_text_from_memory_marked(ctx, "input", content, size, FLOWSHOP_STATE_MARK, &text) == MCO_OK) {
        if (flowshop_campaign_read_text(ctx, shop, &text, &beams) == MCO_OK)
            examine_beams(ctx, shop, &beams);
        mco_text_close(&text);
    }
    flowshop_campaign_destroy(ctx, &beams);
    flowshop_checkpoint_destroy(ctx, &c);
    mco_flowshop_destroy(ctx, &shop);
    mco_context_destroy(&ctx);
    return 0;
}
