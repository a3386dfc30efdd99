// SPDX-License-Identifier: MIT
#include "flowshop/cluster/member.h"

#include <stdio.h>
#include <string.h>

static const double HELLO_S = 1.0;  // between two hellos, and between two pings

void flowshop_member_begin(flowshop_member *m, double now_s)
{
    m->state = FLOWSHOP_JOINING;
    m->heard_s = now_s;
    m->spoken_s = now_s - HELLO_S;
    m->incumbent = INT64_MAX;
}

void flowshop_member_end(flowshop_member *m)
{
    flowshop_message_clear(m->ctx, &m->welcome);
    flowshop_message_clear(m->ctx, &m->out);
    flowshop_intervals_clear(m->ctx, &m->work);
    mco_free(m->ctx, &m->children_by_depth);
}

void flowshop_member_rejoin(flowshop_member *m, double now_s)
{
    m->rejoins++;
    m->is_asked = m->has_work = m->is_ending = false;
    m->life = m->incarnation = 0;
    flowshop_member_begin(m, now_s);
}

// Sends m->out. Reports, gifts, schedules and the farewell are numbered.
static mco_status send(flowshop_member *m, flowshop_message_kind kind)
{
    const bool is_numbered = kind == FLOWSHOP_REPORT || kind == FLOWSHOP_GAVE || kind == FLOWSHOP_FOUND ||
                             kind == FLOWSHOP_LEAVE;
    m->out.kind = kind;
    m->out.life = m->life;
    m->out.incarnation = m->incarnation;
    m->out.slot = m->slot;
    m->out.number = is_numbered ? ++m->sent : 0;
    return m->send(m->to, &m->out);
}

static mco_status copy(mco_context *ctx, const flowshop_intervals *from, flowshop_intervals *to)
{
    mco_status st = MCO_OK;
    to->count = 0;
    MCO_TRY(flowshop_intervals_reserve(ctx, to, from->count));
    for (int64_t i = 0; i < from->count; i++)
        flowshop_interval_copy(&from->items[i], flowshop_intervals_push(to));
done:
    return st;
}

// ---- Receiving

// The instance and the parameters must be those of the first welcome: the search around the member has begun with them.
static bool is_another_search(const flowshop_message *a, const flowshop_message *b)
{
    return a->open.jobs != b->open.jobs || a->machines != b->machines || a->bound != b->bound ||
           a->branching != b->branching || a->rule_bound != b->rule_bound || a->count != b->count ||
           memcmp(a->values, b->values, (size_t)a->count * sizeof *a->values) != 0;
}

static mco_status be_welcome(flowshop_member *m, double now_s, const flowshop_message *in)
{
    mco_status st = MCO_OK;
    const bool is_first = m->welcome.count == 0;
    if (m->state != FLOWSHOP_JOINING)
        return MCO_OK;  // the answer to a second hello: its incarnation never speaks and is given up
    if (!is_first && is_another_search(&m->welcome, in)) {
        m->state = FLOWSHOP_REFUSED;
        snprintf(m->text, sizeof m->text, "the coordinator now has another instance or other parameters");
        return MCO_OK;
    }
    if (is_first) {
        const int32_t jobs = in->open.jobs;
        m->cells = ((int64_t)jobs + 1) * flowshop_children_columns(jobs);
        MCO_TRY(flowshop_message_reserve(m->ctx, &m->welcome, in->count));
        memcpy(m->welcome.values, in->values, (size_t)in->count * sizeof *in->values);
        MCO_TRY(mco_alloc(m->ctx, &m->children_by_depth, m->cells));
        int64_t *const values = m->welcome.values;
        const int64_t room = m->welcome.room;
        m->welcome = *in;
        m->welcome.values = values;
        m->welcome.room = room;
        m->welcome.open = (flowshop_intervals){.jobs = jobs};
        m->out.open.jobs = m->work.jobs = jobs;
    }
    memset(m->children_by_depth, 0, (size_t)m->cells * sizeof *m->children_by_depth);
    m->leaves = m->steals = m->received = m->sent = 0;
    m->life = in->life;
    m->incarnation = in->incarnation;
    m->slot = in->slot;
    m->incumbent = in->makespan;
    m->next_report_s = now_s + m->period_s;
    m->state = FLOWSHOP_WAITING_FOR_WORK;
done:
    return st;
}

static mco_status take_numbered(flowshop_member *m, double now_s, const flowshop_message *in)
{
    mco_status st = MCO_OK;
    if (in->number <= m->received)  // it came twice
        return MCO_OK;
    if (in->number > m->received + 1) {  // one before it was lost
        m->state = FLOWSHOP_VOID;
        return MCO_OK;
    }
    m->received = in->number;
    if (in->kind == FLOWSHOP_BEST)
        m->incumbent = in->makespan < m->incumbent ? in->makespan : m->incumbent;
    if (in->kind == FLOWSHOP_ASK)
        m->is_asked = true;
    if (in->kind == FLOWSHOP_WORK) {
        MCO_TRY(copy(m->ctx, &in->open, &m->work));
        m->has_work = true;
        m->state = FLOWSHOP_AT_WORK;
        m->next_report_s = now_s + m->period_s;
    }
done:
    return st;
}

mco_status flowshop_member_receive(flowshop_member *m, double now_s, flowshop_message *in)
{
    const bool is_over = m->state == FLOWSHOP_OVER || m->state == FLOWSHOP_REFUSED;
    // To nobody by name: the search is over also for one whose incarnation was given up. One that is ending reports first.
    if (!is_over && !m->is_ending && in->kind == FLOWSHOP_STOP && in->life == 0 && in->incarnation == 0) {
        m->state = FLOWSHOP_OVER;
        return MCO_OK;
    }
    if (is_over || m->state == FLOWSHOP_VOID)
        return MCO_OK;
    if (in->kind == FLOWSHOP_WELCOME) {
        m->heard_s = now_s;
        return be_welcome(m, now_s, in);
    }
    if (in->life != m->life || in->incarnation != m->incarnation)
        return MCO_OK;  // to an earlier incarnation
    m->heard_s = now_s;
    switch (in->kind) {
    case FLOWSHOP_WORK:
    case FLOWSHOP_ASK:
    case FLOWSHOP_BEST: return m->incarnation != 0 ? take_numbered(m, now_s, in) : MCO_OK;
    case FLOWSHOP_GONE: m->state = m->incarnation != 0 ? FLOWSHOP_VOID : m->state; return MCO_OK;
    case FLOWSHOP_STOP: {
        m->is_ending = m->state == FLOWSHOP_AT_WORK;
        if (m->is_ending)
            return MCO_OK;
        const mco_status st = flowshop_member_leave(m, now_s, NULL);
        m->state = FLOWSHOP_OVER;  // also if it was still joining
        return st;
    }
    case FLOWSHOP_REFUSE:
        m->state = FLOWSHOP_REFUSED;
        snprintf(m->text, sizeof m->text, "%s", in->text);
        return MCO_OK;
    default: return MCO_OK;
    }
}

mco_status flowshop_member_tick(flowshop_member *m, double now_s)
{
    const bool is_in = m->state == FLOWSHOP_WAITING_FOR_WORK || m->state == FLOWSHOP_AT_WORK;
    if (is_in && now_s > m->heard_s + m->silence_s) {
        m->state = FLOWSHOP_VOID;
        return MCO_OK;
    }
    if ((!is_in && m->state != FLOWSHOP_JOINING) || now_s < m->spoken_s + HELLO_S)
        return MCO_OK;
    m->spoken_s = now_s;
    m->out.build = m->build;
    m->out.instance = m->instance;
    m->out.power = m->power;
    return send(m, is_in ? FLOWSHOP_PING : FLOWSHOP_HELLO);
}

// ---- The search around it

void flowshop_member_wish(flowshop_member *m, double now_s, bool is_idle, flowshop_wish *wish)
{
    *wish = (flowshop_wish){.incumbent = m->incumbent, .gift = m->is_asked, .end = m->state == FLOWSHOP_OVER};
    if (m->state != FLOWSHOP_AT_WORK)
        return;
    wish->work = m->has_work ? &m->work : NULL;
    wish->report = !m->has_work && (is_idle || m->is_ending || now_s >= m->next_report_s);
    m->has_work = false;
}

mco_status flowshop_member_report(flowshop_member *m, double now_s, const flowshop_checkpoint *note)
{
    mco_status st = MCO_OK;
    flowshop_message *out = &m->out;
    // While it waits, all is reported: a report could cross work on its way. And `note` holds no work that was not yet taken.
    if (m->state != FLOWSHOP_AT_WORK || m->has_work)
        return MCO_OK;
    out->count = 0;
    for (int64_t c = 0; c < m->cells; c++)
        out->count += note->children_by_depth[c] != m->children_by_depth[c] ? 2 : 0;
    MCO_TRY(flowshop_message_reserve(m->ctx, out, out->count));
    out->count = 0;
    for (int64_t c = 0; c < m->cells; c++)
        if (note->children_by_depth[c] != m->children_by_depth[c]) {
            out->values[out->count++] = c;
            out->values[out->count++] = note->children_by_depth[c] - m->children_by_depth[c];
        }
    out->leaves = note->leaves - m->leaves;
    out->steals = note->steals - m->steals;
    MCO_TRY(copy(m->ctx, &note->open, &out->open));
    MCO_TRY(send(m, FLOWSHOP_REPORT));
    memcpy(m->children_by_depth, note->children_by_depth, (size_t)m->cells * sizeof *m->children_by_depth);
    m->leaves = note->leaves;
    m->steals = note->steals;
    m->next_report_s = now_s + m->period_s;
    if (note->open.count == 0)
        m->state = FLOWSHOP_WAITING_FOR_WORK;
    if (m->is_ending) {
        m->is_ending = false;
        MCO_TRY(send(m, FLOWSHOP_LEAVE));
        m->state = FLOWSHOP_OVER;
    }
done:
    return st;
}

mco_status flowshop_member_give(flowshop_member *m, const flowshop_intervals *given)
{
    mco_status st = MCO_OK;
    m->is_asked = false;
    MCO_TRY(copy(m->ctx, given, &m->out.open));
    MCO_TRY(send(m, FLOWSHOP_GAVE));
done:
    return st;
}

mco_status flowshop_member_found(flowshop_member *m, int64_t makespan, const int32_t *order)
{
    mco_status st = MCO_OK;
    flowshop_message *out = &m->out;
    const int32_t jobs = m->welcome.open.jobs;
    MCO_TRY(flowshop_message_reserve(m->ctx, out, jobs));
    for (out->count = 0; out->count < jobs; out->count++)
        out->values[out->count] = order[out->count];
    out->makespan = makespan;
    MCO_TRY(send(m, FLOWSHOP_FOUND));
done:
    return st;
}

mco_status flowshop_member_leave(flowshop_member *m, double now_s, const flowshop_checkpoint *note)
{
    mco_status st = MCO_OK;
    if (m->state != FLOWSHOP_AT_WORK && m->state != FLOWSHOP_WAITING_FOR_WORK)
        return MCO_OK;
    m->is_ending = false;
    if (note != NULL)
        MCO_TRY(flowshop_member_report(m, now_s, note));
    MCO_TRY(send(m, FLOWSHOP_LEAVE));
    m->state = FLOWSHOP_OVER;
done:
    return st;
}
