// SPDX-License-Identifier: MIT
#include "made.h"

enum { JOBS = 50 };  // of ta056

mco_status made_begin(mco_context *ctx, made *out)
{
    mco_status st = MCO_OK;
    *out = (made){.ctx = ctx};
    MCO_TRY(mco_flowshop_taillard(ctx, "ta056", &out->shop));
    MCO_TRY(flowshop_checkpoint_create(ctx, JOBS, &out->state));
    MCO_TRY(made_refill(out));
    out->state.bound = MCO_FLOWSHOP_BOUND_LB1;
    out->state.branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH;
    out->coordinator = (flowshop_coordinator){.ctx = ctx, .shop = out->shop, .life = MADE_LIFE, .build = MADE_BUILD,
                                              .silence_s = 1e9, .state = &out->state};
    flowshop_coordinator_begin(&out->coordinator);
done:
    return st;
}

mco_status made_refill(made *m)
{
    mco_status st = MCO_OK;
    flowshop_interval whole = {0};
    if (m->state.open.count > 0)
        return MCO_OK;
    MCO_TRY(flowshop_interval_create(m->ctx, JOBS, &whole));
    MCO_TRY(flowshop_intervals_add(m->ctx, &m->state.open, &whole));
done:
    flowshop_interval_destroy(m->ctx, &whole);
    return st;
}

void made_end(made *m)
{
    flowshop_coordinator_end(&m->coordinator);
    flowshop_checkpoint_destroy(m->ctx, &m->state);
    mco_flowshop_destroy(m->ctx, &m->shop);
}

void made_hello(flowshop_message *out)
{
    flowshop_message_begin(JOBS, out);
    out->kind = FLOWSHOP_HELLO;
    out->build = MADE_BUILD;
    out->power = 1;
}

mco_status made_report(mco_context *ctx, int64_t intervals, flowshop_message *out)
{
    enum { CHANGES = 60 };
    mco_status st = MCO_OK;
    flowshop_message_begin(JOBS, out);
    out->kind = FLOWSHOP_REPORT;
    out->life = MADE_LIFE;
    MCO_TRY(flowshop_message_reserve(ctx, out, 2 * CHANGES));
    for (out->count = 0; out->count < 2 * CHANGES; out->count += 2) {
        out->values[out->count] = JOBS + 3 * out->count;
        out->values[out->count + 1] = 1000 + out->count;
    }
    MCO_TRY(flowshop_intervals_reserve(ctx, &out->open, intervals));
    for (out->open.count = 0; out->open.count < intervals;) {
        flowshop_interval *v = flowshop_intervals_push(&out->open);
        v->a_depth = v->b_depth = JOBS / 2;
        for (int32_t d = 0; d < JOBS / 2; d++)
            v->a[d] = v->b[d] = d % 5;
        v->b[3]++;
        v->bound = 2000;
    }
done:
    return st;
}
