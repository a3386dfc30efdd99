// SPDX-License-Identifier: MIT
#include "flowshop/cluster/message.h"

#include <string.h>

#include "base/grow.h"

// The first byte of a message. Another layout has another one.
enum { PROTOCOL = 1 };

void flowshop_message_begin(int32_t jobs, flowshop_message *out)
{
    *out = (flowshop_message){.open.jobs = jobs};
}

void flowshop_message_clear(mco_context *ctx, flowshop_message *m)
{
    mco_free(ctx, &m->values);
    flowshop_intervals_clear(ctx, &m->open);
    m->room = m->count = 0;
}

mco_status flowshop_message_reserve(mco_context *ctx, flowshop_message *m, int64_t count)
{
    return mco_grow(ctx, &m->values, &m->room, count);
}

// ---- Writing. flowshop_message_encode() has made room before.

static void put_text(flowshop_bytes *b, const char *text, size_t size)
{
    const size_t length = strnlen(text, size - 1);
    flowshop_put(b, length);
    memcpy(b->data + b->count, text, length);
    b->count += (int64_t)length;
}

static bool has_intervals(flowshop_message_kind kind)
{
    return kind == FLOWSHOP_REPORT || kind == FLOWSHOP_GAVE || kind == FLOWSHOP_WORK;
}

static bool has_values(flowshop_message_kind kind)
{
    return kind == FLOWSHOP_REPORT || kind == FLOWSHOP_FOUND || kind == FLOWSHOP_WELCOME;
}

static int64_t most_bytes(const flowshop_message *m)
{
    int64_t bytes = (32 + m->count + m->open.count) * FLOWSHOP_NUMBER_BYTES + (int64_t)sizeof m->name + (int64_t)sizeof m->text;
    for (int64_t i = 0; i < m->open.count; i++)
        bytes += flowshop_most_path_bytes(&m->open.items[i]);
    return bytes;
}

mco_status flowshop_message_encode(mco_context *ctx, const flowshop_message *m, flowshop_bytes *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(ctx, &out->data, &out->room, most_bytes(m)));
    out->count = 0;
    flowshop_put(out, PROTOCOL);
    flowshop_put(out, (uint64_t)m->kind);
    flowshop_put(out, m->life);
    flowshop_put(out, m->incarnation);
    flowshop_put_signed(out, m->slot);
    flowshop_put_signed(out, m->number);
    if (m->kind == FLOWSHOP_HELLO) {
        flowshop_put(out, m->build);
        flowshop_put(out, m->instance);
        flowshop_put_signed(out, m->power);
    }
    if (m->kind == FLOWSHOP_WELCOME) {
        const int32_t facts[] = {m->open.jobs, m->machines, m->scale, m->places, m->bound, m->branching};
        for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++)
            flowshop_put_signed(out, facts[i]);
        flowshop_put_signed(out, m->rule_bound);
        put_text(out, m->name, sizeof m->name);
    }
    if (m->kind == FLOWSHOP_WELCOME || m->kind == FLOWSHOP_BEST || m->kind == FLOWSHOP_FOUND)
        flowshop_put_signed(out, m->makespan);
    if (m->kind == FLOWSHOP_REFUSE)
        put_text(out, m->text, sizeof m->text);
    if (m->kind == FLOWSHOP_REPORT) {
        flowshop_put_signed(out, m->leaves);
        flowshop_put_signed(out, m->steals);
    }
    if (has_values(m->kind)) {
        flowshop_put_signed(out, m->count);
        for (int64_t i = 0; i < m->count; i++)
            flowshop_put_signed(out, m->values[i]);
    }
    if (has_intervals(m->kind)) {
        flowshop_put_signed(out, m->open.count);
        for (int64_t i = 0; i < m->open.count; i++) {
            const flowshop_interval *v = &m->open.items[i];
            flowshop_put_paths(out, v);
            flowshop_put_signed(out, v->bound);
        }
    }
done:
    return st;
}

// ---- Reading. A reader that has failed gives zeros.

static void take_text(flowshop_reader *r, char *out, size_t size)
{
    const uint64_t length = flowshop_take(r);
    out[0] = '\0';
    r->has_failed |= length >= size || (int64_t)length > r->size - r->at;
    if (r->has_failed)
        return;
    memcpy(out, r->data + r->at, length);
    out[length] = '\0';
    r->at += (int64_t)length;
}

static mco_status take_intervals(mco_context *ctx, flowshop_reader *r, flowshop_message *m)
{
    mco_status st = MCO_OK;
    const int64_t left = (r->size - r->at) / 3;  // an interval has at least three bytes
    const int64_t count = flowshop_take_signed(r, 0, left < FLOWSHOP_MOST_INTERVALS ? left : FLOWSHOP_MOST_INTERVALS);
    r->has_failed |= count > 0 && m->open.jobs == 0;
    if (r->has_failed)
        return MCO_OK;
    MCO_TRY(flowshop_intervals_reserve(ctx, &m->open, count));
    for (int64_t i = 0; i < count && !r->has_failed; i++) {
        flowshop_interval *v = flowshop_intervals_push(&m->open);
        flowshop_take_paths(r, m->open.jobs, v);
        v->bound = flowshop_take_signed(r, 0, INT64_MAX);
        r->has_failed |= v->b_depth > 0 && flowshop_node_compare(v->a, v->a_depth, v->b, v->b_depth) > 0;
    }
done:
    return st;
}

// True if the values are what they must be: times, a permutation's jobs, or changes of cells in increasing order.
static bool are_values_valid(const flowshop_message *m)
{
    const int64_t jobs = m->open.jobs, cells = (jobs + 1) * flowshop_children_columns((int32_t)jobs);
    if (m->kind != FLOWSHOP_REPORT) {
        const int64_t most = m->kind == FLOWSHOP_FOUND ? jobs - 1 : MCO_FLOWSHOP_MAX_TIME;
        for (int64_t i = 0; i < m->count; i++)
            if (m->values[i] < 0 || m->values[i] > most)
                return false;
        return m->count == (m->kind == FLOWSHOP_FOUND ? jobs : jobs * m->machines);
    }
    for (int64_t i = 0; i + 1 < m->count; i += 2)
        if (m->values[i] < (i > 0 ? m->values[i - 2] + 1 : 0) || m->values[i] >= cells || m->values[i + 1] < 0)
            return false;
    return m->count % 2 == 0;
}

static mco_status take_values(mco_context *ctx, flowshop_reader *r, flowshop_message *m)
{
    mco_status st = MCO_OK;
    const int64_t jobs = m->open.jobs, most = m->kind == FLOWSHOP_REPORT ? 2 * (jobs + 1) * flowshop_children_columns((int32_t)jobs)
                                              : m->kind == FLOWSHOP_FOUND ? jobs : jobs * m->machines;
    const int64_t count = flowshop_take_signed(r, 0, most);
    MCO_TRY(flowshop_message_reserve(ctx, m, count));
    for (m->count = 0; m->count < count && !r->has_failed; m->count++)
        m->values[m->count] = flowshop_take_signed(r, 0, INT64_MAX / 4096);
    r->has_failed |= !are_values_valid(m);
done:
    return st;
}

static void take_welcome(flowshop_reader *r, flowshop_message *m)
{
    const int32_t jobs = (int32_t)flowshop_take_signed(r, 1, MCO_FLOWSHOP_MAX_TREE_JOBS);
    r->has_failed |= m->open.jobs != 0 && m->open.jobs != jobs;
    m->open.jobs = m->open.jobs != 0 ? m->open.jobs : jobs;
    m->machines = (int32_t)flowshop_take_signed(r, 1, MCO_FLOWSHOP_MAX_MACHINES);
    m->scale = (int32_t)flowshop_take_signed(r, 1, 1000000);
    m->places = (int32_t)flowshop_take_signed(r, 0, 6);
    m->bound = (int32_t)flowshop_take_signed(r, MCO_FLOWSHOP_BOUND_LB1, MCO_FLOWSHOP_BOUND_LB2);
    m->branching = (int32_t)flowshop_take_signed(r, MCO_FLOWSHOP_BRANCHING_FORWARD, MCO_FLOWSHOP_BRANCHING_MAXSUM);
    m->rule_bound = flowshop_take_signed(r, 0, INT64_MAX);
    take_text(r, m->name, sizeof m->name);
}

mco_status flowshop_message_decode(mco_context *ctx, const uint8_t *data, int64_t size, flowshop_message *m)
{
    mco_status st = MCO_OK;
    flowshop_reader r = {.data = data, .size = size};
    m->open.count = m->count = 0;
    r.has_failed |= flowshop_take(&r) != PROTOCOL;
    const uint64_t kind = flowshop_take(&r);
    r.has_failed |= kind >= FLOWSHOP_MESSAGE_KINDS;
    m->kind = r.has_failed ? FLOWSHOP_PING : (flowshop_message_kind)kind;
    m->life = flowshop_take(&r);
    m->incarnation = flowshop_take(&r);
    m->slot = flowshop_take_signed(&r, 0, INT64_MAX);
    m->number = flowshop_take_signed(&r, 0, INT64_MAX);
    if (m->kind == FLOWSHOP_HELLO) {
        m->build = flowshop_take(&r);
        m->instance = flowshop_take(&r);
        m->power = flowshop_take_signed(&r, 1, 1 << 20);
    }
    if (m->kind == FLOWSHOP_WELCOME)
        take_welcome(&r, m);
    if (m->kind == FLOWSHOP_WELCOME || m->kind == FLOWSHOP_BEST || m->kind == FLOWSHOP_FOUND)
        m->makespan = flowshop_take_signed(&r, 0, INT64_MAX);
    if (m->kind == FLOWSHOP_REFUSE)
        take_text(&r, m->text, sizeof m->text);
    if (m->kind == FLOWSHOP_REPORT) {
        m->leaves = flowshop_take_signed(&r, 0, INT64_MAX / 4096);
        m->steals = flowshop_take_signed(&r, 0, INT64_MAX / 4096);
    }
    if (has_values(m->kind))
        MCO_TRY(take_values(ctx, &r, m));
    if (has_intervals(m->kind))
        MCO_TRY(take_intervals(ctx, &r, m));
    if (r.has_failed || r.at != size)
        MCO_TRY(mco_fail(ctx, MCO_ERR_PARSE, "%lld bytes that are no message of this protocol", (long long)size));
done:
    return st;
}
