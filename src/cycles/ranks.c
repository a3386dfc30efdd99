// SPDX-License-Identifier: MIT
// Several processes count together. Each has the whole graph and finds the same blocks. A search is dealt: each rank has a part of
// every root (search_deal.h). What a method cannot share (a frontier, labels, a small block) belongs to the rank whose turn it is.
// Nobody talks before the end, when the counts are summed exactly.
#include <inttypes.h>

#include "base/ranks.h"
#include "cycles/solver.h"

mco_status cycles_ranks_begin(cycles_solver *s)
{
    mco_status st = MCO_OK;
    const int ranks = mco_rank_count(s->ctx);
    if (ranks == 1)
        return MCO_OK;
    if (s->listener != NULL || s->p.limit > 0)
        return mco_fail(s->ctx, MCO_ERR_ARGUMENT, "cycles are listed by one process, %d were started", ranks);
    // Equal choices on all ranks: of the engine, and of what fits the memory.
    if (s->engine == MCO_ENGINE_AUTO) {
        mco_log(s->ctx, MCO_LOG_DETAIL, "engine cpu: several ranks choose no GPU by themselves; --engine gpu asks for them");
        s->engine = MCO_ENGINE_CPU;
    }
    MCO_TRY(mco_ranks_least(s->ctx, &s->memory_bytes));
done:
    return st;
}

// Adds up by_length [lengths * limbs] of all ranks: halves of limbs as integers of 64 bits, so that no sum overflows.
static mco_status sum_tallies(mco_context *ctx, cycles_tally *tally)
{
    mco_status st = MCO_OK;
    int64_t sizes[2] = {tally->lengths, tally->limbs}, *halves = NULL;
    uint64_t *row = NULL;
    cycles_tally sum = {.ctx = ctx};
    MCO_TRY(mco_ranks_reduce(ctx, sizes, 2, MCO_REDUCE_MAX));
    const int64_t lengths = sizes[0], limbs = sizes[1], count = 2 * lengths * limbs;
    MCO_TRY(mco_alloc(ctx, &halves, count));
    MCO_TRY(mco_alloc(ctx, &row, limbs + 1));
    for (int64_t k = 0; k < tally->lengths; k++)
        for (int64_t i = 0; i < tally->limbs; i++) {
            const uint64_t limb = tally->by_length[k * tally->limbs + i];
            halves[2 * (k * limbs + i)] = (int64_t)(limb & UINT32_MAX);
            halves[2 * (k * limbs + i) + 1] = (int64_t)(limb >> 32);
        }
    MCO_TRY(mco_ranks_reduce(ctx, halves, count, MCO_REDUCE_SUM));
    for (int64_t k = 0; k < lengths; k++) {
        uint64_t carry = 0, any = 0;
        for (int64_t i = 0; i < limbs; i++) {
            const int64_t *half = halves + 2 * (k * limbs + i);
            const uint64_t low = carry + (uint64_t)half[0], high = (low >> 32) + (uint64_t)half[1];
            row[i] = high << 32 | (low & UINT32_MAX);
            carry = high >> 32;
            any |= row[i];
        }
        row[limbs] = carry;
        if ((any | carry) != 0)
            MCO_TRY(cycles_tally_add(&sum, (int32_t)k, row, (int32_t)limbs + 1));
    }
    cycles_tally_clear(tally);
    *tally = sum;
    sum = (cycles_tally){.ctx = ctx};
done:
    cycles_tally_clear(&sum);
    mco_free(ctx, &row);
    mco_free(ctx, &halves);
    return st;
}

mco_status cycles_ranks_end(cycles_solver *s)
{
    mco_status st = MCO_OK;
    mco_cycles_result *r = &s->r;
    int64_t sums[] = {r->states, r->nodes, s->threads};
    int64_t greatest[] = {s->run.stop, r->width, r->bytes};
    if (mco_rank_count(s->ctx) == 1)
        return MCO_OK;
    mco_log(s->ctx, MCO_LOG_DETAIL, "rank 0 has visited %" PRId64 " nodes", r->nodes);
    MCO_TRY(sum_tallies(s->ctx, &s->tally));
    MCO_TRY(mco_ranks_reduce(s->ctx, sums, 3, MCO_REDUCE_SUM));
    MCO_TRY(mco_ranks_reduce(s->ctx, greatest, 3, MCO_REDUCE_MAX));
    r->states = sums[0];
    r->nodes = sums[1];
    s->threads = (int)sums[2];
    s->run.stop = (mco_stop)greatest[0];
    r->width = (int32_t)greatest[1];
    r->bytes = greatest[2];
done:
    return st;
}
