// SPDX-License-Identifier: MIT
#include <string.h>

#include "cycles/block.h"

// Makes room for this length and these limbs. Rows keep their values.
static mco_status tally_room(cycles_tally *tally, int32_t length, int32_t limbs)
{
    mco_status st = MCO_OK;
    uint64_t *grown = NULL;
    const int32_t new_limbs = limbs > tally->limbs ? limbs : tally->limbs;
    const int32_t doubled = length < 64 ? 128 : length < INT32_MAX / 2 ? 2 * length : INT32_MAX;
    const int32_t new_lengths = length < tally->lengths ? tally->lengths : doubled;
    if (new_limbs == tally->limbs && new_lengths == tally->lengths)
        return MCO_OK;
    MCO_TRY(mco_alloc(tally->ctx, &grown, (int64_t)new_lengths * new_limbs));
    for (int32_t k = 0; k < tally->lengths; k++)
        memcpy(grown + (size_t)k * (size_t)new_limbs, tally->by_length + (size_t)k * (size_t)tally->limbs,
               (size_t)tally->limbs * sizeof *grown);
    mco_free(tally->ctx, &tally->by_length);
    tally->by_length = grown;
    tally->limbs = new_limbs;
    tally->lengths = new_lengths;
done:
    return st;
}

// Adds to a number [limbs]; returns what is carried out of it.
static uint64_t add_limbs(uint64_t *sum, int32_t limbs, const uint64_t *count, int32_t count_limbs)
{
    uint64_t carry = 0;
    for (int32_t k = 0; k < limbs; k++) {
        const uint64_t item = k < count_limbs ? count[k] : 0;
        const uint64_t partial = sum[k] + item;
        sum[k] = partial + carry;
        carry = (uint64_t)(partial < item) + (uint64_t)(sum[k] < carry);
    }
    return carry;
}

mco_status cycles_tally_add(cycles_tally *tally, int32_t length, const uint64_t *count, int32_t limbs)
{
    mco_status st = MCO_OK;
    while (limbs > 1 && count[limbs - 1] == 0)
        limbs--;
    MCO_TRY(tally_room(tally, length, limbs));
    // One limb more before a carry could leave the row: the top limb of a sum of two is at most twice the greater plus one.
    const uint64_t *row = tally->by_length + (size_t)length * (size_t)tally->limbs;
    const uint64_t top = row[tally->limbs - 1] | (limbs == tally->limbs ? count[limbs - 1] : 0);
    if (top >> 63 != 0)
        MCO_TRY(tally_room(tally, length, tally->limbs + 1));
    add_limbs(tally->by_length + (size_t)length * (size_t)tally->limbs, tally->limbs, count, limbs);
done:
    return st;
}

void cycles_tally_clear(cycles_tally *tally)
{
    mco_free(tally->ctx, &tally->by_length);
    *tally = (cycles_tally){.ctx = tally->ctx};
}

bool cycles_sink_give(cycles_sink *sink, const cycles_block *block, const uint64_t *rows, int64_t count)
{
    const int32_t n = block->graph.vertices;
    const mco_cycles_batch batch = {.rows = rows, .count = count < sink->left ? count : sink->left, .words = (n + 63) / 64,
                                    .vertices = n, .vertex = block->vertex};
    if (sink->is_closed || batch.count == 0)
        return !sink->is_closed;
    sink->taken += batch.count;
    sink->left -= sink->left == INT64_MAX ? 0 : batch.count;
    sink->is_closed = !sink->take(&batch, sink->user) || sink->left == 0;
    return !sink->is_closed;
}
