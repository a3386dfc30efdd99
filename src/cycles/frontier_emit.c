// SPDX-License-Identifier: MIT
// The products of prefix and suffix lists, in batches that stay in the second-level cache. For each row of a segment's shorter list
// the longer one is or'ed with it. The tally of what was given follows from the lengths of the rows in the two lists.
#include <string.h>

#include "cycles/frontier.h"

enum {
    BATCH_BYTES = 65536,
    BATCHES_AT_ONCE = 8  // between two looks at the clock
};

typedef struct emission {
    cycles_job *job;
    const cycles_factors *factors;
    void (*multiply)(const uint64_t *row, const uint64_t *rows, int64_t count, int32_t words, uint64_t *out);
    uint64_t *batch;     // [room * words]
    int64_t room, count; // rows
    int64_t batches;
    // For the tally
    int64_t left;        // rows that were taken and are still to be tallied
    uint64_t *by_length; // [vertices + 1]
    int64_t *outer, *inner;  // [vertices + 1] rows of a segment by length
} emission;

// The lists of a segment, the longer one inside.
typedef struct segment_rows {
    const uint64_t *outer, *inner;
    int64_t outer_count, inner_count;
} segment_rows;

static segment_rows rows_of(const cycles_factors *f, const cycles_segment *s)
{
    const uint64_t *left = f->left + s->left * f->words, *right = f->right + s->right * f->words;
    if (s->left_count > s->right_count)
        return (segment_rows){right, left, s->right_count, s->left_count};
    return (segment_rows){left, right, s->left_count, s->right_count};
}

// ---- Giving

// Gives the batch to the sink. False: no more is wanted, or the run must stop.
static bool give(emission *e)
{
    const bool goes_on = cycles_sink_give(e->job->sink, e->job->block, e->batch, e->count);
    e->count = 0;
    return goes_on && (++e->batches % BATCHES_AT_ONCE != 0 || !mco_run_must_stop(e->job->run, e->job->run->work));
}

static bool give_segment(emission *e, const segment_rows *rows)
{
    const int32_t words = e->factors->words;
    for (int64_t i = 0; i < rows->outer_count; i++)
        for (int64_t j = 0; j < rows->inner_count;) {
            const int64_t free = e->room - e->count, count = rows->inner_count - j < free ? rows->inner_count - j : free;
            e->multiply(rows->outer + i * words, rows->inner + j * words, count, words, e->batch + e->count * words);
            e->count += count;
            j += count;
            if (e->count == e->room && !give(e))
                return false;
        }
    return true;
}

// Gives all products, then the single rows.
static void give_all(emission *e)
{
    const cycles_factors *f = e->factors;
    for (int64_t k = 0; k < f->segments; k++) {
        const segment_rows rows = rows_of(f, &f->segment[k]);
        if (!give_segment(e, &rows))
            return;
    }
    if (e->count > 0 && !give(e))
        return;
    for (int64_t k = 0; k < f->single_count; k += e->room) {
        e->count = f->single_count - k < e->room ? f->single_count - k : e->room;
        memcpy(e->batch, f->single + k * f->words, (size_t)(e->count * f->words) * sizeof *e->batch);
        if (!give(e))
            return;
    }
}

// ---- The tally of the rows that were taken: the first ones in the order of giving

static int32_t length_of(const uint64_t *row, int32_t words)
{
    int32_t length = 0;
    for (int32_t k = 0; k < words; k++)
        length += __builtin_popcountll(row[k]);
    return length;
}

// Counts rows by length, and returns the greatest length.
static int32_t count_lengths(const emission *e, const uint64_t *rows, int64_t count, int64_t *by_length)
{
    int32_t longest = 0;
    memset(by_length, 0, ((size_t)e->job->block->graph.vertices + 1) * sizeof *by_length);
    for (int64_t k = 0; k < count; k++) {
        const int32_t length = length_of(rows + k * e->factors->words, e->factors->words);
        by_length[length]++;
        longest = length > longest ? length : longest;
    }
    return longest;
}

// Tallies the first `outer` rows of a segment's outer list with all of the inner list.
static void tally_product(emission *e, const segment_rows *rows, int64_t outer)
{
    const int32_t longest = count_lengths(e, rows->outer, outer, e->outer);
    const int32_t longest_inner = count_lengths(e, rows->inner, rows->inner_count, e->inner);
    for (int32_t a = 0; a <= longest; a++)
        for (int32_t b = 0; b <= longest_inner && e->outer[a] != 0; b++)
            e->by_length[a + b] += (uint64_t)e->outer[a] * (uint64_t)e->inner[b];
    e->left -= outer * rows->inner_count;
}

static void tally_segment(emission *e, const segment_rows *rows)
{
    const int32_t words = e->factors->words;
    const int64_t whole = e->left / rows->inner_count;  // rows of the outer list with all of the inner one
    if (whole > 0)
        tally_product(e, rows, whole < rows->outer_count ? whole : rows->outer_count);
    if (whole >= rows->outer_count)
        return;
    const int32_t own = length_of(rows->outer + whole * words, words);
    for (int64_t j = 0; e->left > 0; j++, e->left--)
        e->by_length[own + length_of(rows->inner + j * words, words)]++;
}

static mco_status tally(emission *e)
{
    mco_status st = MCO_OK;
    const cycles_factors *f = e->factors;
    const int32_t n = e->job->block->graph.vertices;
    if (!e->job->wants_lengths)
        return cycles_tally_add_u64(e->job->tally, 0, (uint64_t)e->left);
    MCO_TRY(mco_alloc(e->job->ctx, &e->by_length, (int64_t)n + 1));
    MCO_TRY(mco_alloc(e->job->ctx, &e->outer, (int64_t)n + 1));
    MCO_TRY(mco_alloc(e->job->ctx, &e->inner, (int64_t)n + 1));
    for (int64_t k = 0; k < f->segments && e->left > 0; k++) {
        const segment_rows rows = rows_of(f, &f->segment[k]);
        tally_segment(e, &rows);
    }
    for (int64_t k = 0; e->left > 0; k++, e->left--)
        e->by_length[length_of(f->single + k * f->words, f->words)]++;
    for (int32_t length = 0; length <= n; length++)
        if (e->by_length[length] != 0)
            MCO_TRY(cycles_tally_add_u64(e->job->tally, length, e->by_length[length]));
done:
    return st;
}

mco_status frontier_emit(cycles_job *job, const cycles_factors *factors)
{
    mco_status st = MCO_OK;
    emission e = {.job = job, .factors = factors};
    const frontier_lanes *lanes;
    const int64_t before = job->sink->taken;
    MCO_TRY(frontier_choose_lanes(job->ctx, &lanes));
    e.multiply = lanes->multiply;
    e.room = BATCH_BYTES / 8 / factors->words > 0 ? BATCH_BYTES / 8 / factors->words : 1;
    MCO_TRY(mco_alloc(job->ctx, &e.batch, e.room * factors->words));
    give_all(&e);
    e.left = job->sink->taken - before;
    MCO_TRY(tally(&e));
done:
    mco_free(job->ctx, &e.inner);
    mco_free(job->ctx, &e.outer);
    mco_free(job->ctx, &e.by_length);
    mco_free(job->ctx, &e.batch);
    return st;
}
