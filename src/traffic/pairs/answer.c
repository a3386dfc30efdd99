// SPDX-License-Identifier: MIT
// What the method of pairs leaves: flows of links, and a state or the balance of all rows.
#include <string.h>

#include "traffic/pairs/balance.h"

static mco_status give_pairs(const pairs_balance *b, traffic_pairs *out)
{
    int64_t links = 0, rows = 0, count = 0;
    mco_status st = MCO_OK;
    for (int32_t i = 0; i < b->pairs; i++) {
        const pairs_pair *pair = &b->pair[i];
        if (!pair->is_live)
            continue;
        links += pair->count[0] + pair->count[1];
        rows += (int64_t)pair->uses * PAIRS_LANES;
    }
    MCO_TRY(mco_alloc(b->ctx, &out->first, 2 * (int64_t)b->live + 1));
    MCO_TRY(mco_alloc(b->ctx, &out->link, links));
    MCO_TRY(mco_alloc(b->ctx, &out->row_first, (int64_t)b->live + 1));
    MCO_TRY(mco_alloc(b->ctx, &out->row, rows));
    for (int32_t i = 0; i < b->pairs; i++) {
        const pairs_pair *pair = &b->pair[i];
        if (!pair->is_live)
            continue;
        const int64_t first = out->first[2 * count];
        memcpy(out->link + first, pair->link, (size_t)(pair->count[0] + pair->count[1]) * sizeof *pair->link);
        out->first[2 * count + 1] = first + pair->count[0];
        out->first[2 * count + 2] = first + pair->count[0] + pair->count[1];
        int64_t n = out->row_first[count];
        for (int32_t u = 0; u < pair->uses; u++)
            for (int lane = 0; lane < PAIRS_LANES; lane++)
                if (pairs_use_at(pair, u)[1] >> lane & 1)
                    out->row[n++] = b->store->batch[pairs_use_at(pair, u)[0]].row[lane];
        for (int64_t k = out->row_first[count] + 1; k < n; k++)  // uses are few and nearly in order
            for (int64_t j = k; j > out->row_first[count] && out->row[j - 1] > out->row[j]; j--) {
                const int32_t row = out->row[j];
                out->row[j] = out->row[j - 1];
                out->row[j - 1] = row;
            }
        out->row_first[++count] = n;
    }
    out->count = count;
done:
    if (st != MCO_OK)
        traffic_pairs_clear(b->ctx, out);
    return st;
}

mco_status pairs_give_answer(pairs_balance *b, traffic_answer *out)
{
    const traffic_problem *p = b->problem;
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(b->ctx, &out->flow, p->links));
    if (p->classes > 1)
        MCO_TRY(mco_alloc(b->ctx, &out->class_flow, (size_t)p->classes * (size_t)p->links));
    if (out->certificate.cost != NULL) {  // the last scan was of these sums
        memcpy(out->flow, out->certificate.flow, (size_t)p->links * sizeof *out->flow);
        if (p->classes > 1)
            memcpy(out->class_flow, out->certificate.class_flow, (size_t)p->classes * (size_t)p->links * sizeof *out->class_flow);
    } else {
        pairs_store_sum(b->store, out->flow, out->class_flow);
    }
    out->segment_pairs = b->live;
    if (b->call->wants_state) {
        MCO_TRY(give_pairs(b, &out->pairs));
        MCO_TRY(pairs_store_plan(b->store, &out->plan));
        MCO_TRY(pairs_store_give(b->store, &out->flows));
    }
done:
    return st;
}
