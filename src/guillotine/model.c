// SPDX-License-Identifier: MIT
// From pieces to normal patterns (Christofides and Whitlock 1977), seeds and raster points.
#include "guillotine/model.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_POSITIONS = 1 << 22 };  // of an axis; a table of 2^22 x 128 positions in 64 bits would take 4 GiB
enum { WORD_BITS = 64 };
__extension__ typedef __int128 wide;

// A piece in one of its two ways, kerf added.
typedef struct placed {
    int32_t width, height;
    int64_t value;
    int64_t piece;
    bool is_rotated;
} placed;

static int compare_placed(const void *a, const void *b)
{
    const placed *p = a, *q = b;
    if (p->width != q->width)
        return p->width < q->width ? -1 : 1;
    if (p->height != q->height)
        return p->height < q->height ? -1 : 1;
    if (p->value != q->value)
        return p->value > q->value ? -1 : 1;
    return p->piece < q->piece ? -1 : p->piece > q->piece;
}

static int compare_int32(const void *a, const void *b)
{
    int32_t p = *(const int32_t *)a, q = *(const int32_t *)b;
    return p < q ? -1 : p > q;
}

// ---- Time

typedef struct timer {
    mco_run *run;  // NULL: never stops
    int64_t left;  // work until the next look
    bool is_over;
} timer;

enum { LOOK = 1 << 20 };  // words, or pieces, between two looks: about a millisecond

static bool is_late(timer *t, int64_t work)
{
    t->left -= work;
    if (t->left <= 0) {
        t->left = LOOK;
        t->is_over = t->is_over || (t->run != NULL && mco_run_must_stop(t->run, 0));
    }
    return t->is_over;
}

// ---- Pieces that fit, without the dominated ones

static int64_t place_all(const mco_guillotine *problem, const mco_guillotine_params *params, placed *all,
                         int64_t *too_large)
{
    const int32_t kerf = (int32_t)params->kerf;
    int64_t count = 0;
    for (int64_t k = 0; k < problem->pieces; k++) {
        const mco_guillotine_piece *p = &problem->piece[k];
        int64_t before = count;
        if (p->width <= problem->width && p->height <= problem->height)
            all[count++] = (placed){p->width + kerf, p->height + kerf, p->value, k, false};
        if (params->rotate && p->is_rotatable && p->width != p->height && p->height <= problem->width &&
            p->width <= problem->height)
            all[count++] = (placed){p->height + kerf, p->width + kerf, p->value, k, true};
        *too_large += count == before;
    }
    return count;
}

// best is a Fenwick tree: best_below() gives the greatest value seen so far among heights 1..h.
static int64_t best_below(const int64_t *best, int64_t h)
{
    int64_t value = -1;
    for (; h > 0; h -= h & -h)
        value = best[h] > value ? best[h] : value;
    return value;
}

static void raise_best(int64_t *best, int64_t heights, int64_t h, int64_t value)
{
    for (; h <= heights; h += h & -h)
        best[h] = best[h] > value ? best[h] : value;
}

// Of all [count], sorted by compare_placed(), keeps those worth more than every other piece that fits into them.
static mco_status drop_dominated(mco_context *ctx, placed *all, int64_t *count)
{
    mco_status st = MCO_OK;
    int32_t *heights = NULL;
    int64_t *best = NULL;
    int64_t distinct = 0, kept = 0;
    MCO_TRY(mco_alloc(ctx, &heights, *count));
    for (int64_t k = 0; k < *count; k++)
        heights[k] = all[k].height;
    qsort(heights, (size_t)*count, sizeof *heights, compare_int32);
    for (int64_t k = 0; k < *count; k++)
        if (k == 0 || heights[k] != heights[k - 1])
            heights[distinct++] = heights[k];
    MCO_TRY(mco_alloc(ctx, &best, distinct + 1));
    for (int64_t h = 0; h <= distinct; h++)
        best[h] = 0;  // so a piece worth nothing is dropped: it is waste
    for (int64_t k = 0; k < *count; k++) {
        const int32_t *place = bsearch(&all[k].height, heights, (size_t)distinct, sizeof *heights, compare_int32);
        int64_t h = place - heights + 1;
        if (best_below(best, h) >= all[k].value)
            continue;
        raise_best(best, distinct, h, all[k].value);
        all[kept++] = all[k];
    }
    *count = kept;
done:
    mco_free(ctx, &best);
    mco_free(ctx, &heights);
    return st;
}

// ---- Normal patterns

// Bit x of `reach` says whether x is a sum. Adds all sums with any number of lengths w: reach |= reach << w, repeated.
// The source of a word lies in earlier words, or for w < 64 also in the word itself.
static void add_multiples(uint64_t *reach, int64_t words, int32_t w, timer *t)
{
    const int64_t far = w / WORD_BITS;
    const int shift = w % WORD_BITS;
    for (int64_t k = far; k < words; k++) {
        if (k % LOOK == LOOK - 1 && is_late(t, LOOK))
            return;
        uint64_t from = reach[k - far] << shift;
        if (shift > 0 && k > far)
            from |= reach[k - far - 1] >> (WORD_BITS - shift);
        reach[k] |= from;
        if (far == 0)
            for (int s = shift; s < WORD_BITS; s *= 2)
                reach[k] |= reach[k] << s;
    }
}

static int64_t count_bits(const uint64_t *reach, int64_t words)
{
    int64_t count = 0;
    for (int64_t k = 0; k < words; k++)
        count += __builtin_popcountll(reach[k]);
    return count;
}

// Makes an axis of all sums of lengths [count] up to `side`. A length that is a sum of smaller ones adds nothing.
static mco_status make_axis(mco_context *ctx, int32_t *lengths, int64_t count, int32_t side, const char *name, timer *t,
                            guillotine_axis *axis)
{
    mco_status st = MCO_OK;
    uint64_t *reach = NULL;
    const int64_t words = side / WORD_BITS + 1;
    int64_t positions = 1;
    MCO_TRY(mco_alloc(ctx, &reach, words));
    reach[0] = 1;
    qsort(lengths, (size_t)count, sizeof *lengths, compare_int32);
    for (int64_t k = 0; k < count; k++) {
        if (reach[lengths[k] / WORD_BITS] >> (lengths[k] % WORD_BITS) & 1)
            continue;
        add_multiples(reach, words, lengths[k], t);
        if (is_late(t, words))
            goto done;
        positions = count_bits(reach, words);
        if (positions > MOST_POSITIONS)
            MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT,
                             "at least %lld normal patterns of piece %s up to %d, at most %d supported: a square table "
                             "would need at least %.0f GiB",
                             (long long)positions, name, side, MOST_POSITIONS,
                             (double)positions * (double)positions * 4 / (1 << 30)));
    }
    if (side % WORD_BITS != WORD_BITS - 1)
        reach[words - 1] &= ((uint64_t)1 << (side % WORD_BITS + 1)) - 1;
    positions = count_bits(reach, words);
    MCO_TRY(mco_alloc(ctx, &axis->at, positions));
    for (int64_t k = 0; k < words; k++)
        for (uint64_t bits = reach[k]; bits != 0; bits &= bits - 1)
            axis->at[axis->count++] = (int32_t)(k * WORD_BITS + __builtin_ctzll(bits));
    axis->side = side;
    axis->shortest = axis->count > 1 ? axis->at[1] : 0;
done:
    mco_free(ctx, &reach);
    return st;
}

// The axis of an incomplete model: all that a grid of one piece needs.
static mco_status make_short_axis(mco_context *ctx, int32_t length, int32_t side, guillotine_axis *axis)
{
    const mco_status st = mco_alloc(ctx, &axis->at, 2);
    if (st != MCO_OK)
        return st;
    axis->at[1] = axis->shortest = length;
    axis->count = length > 0 ? 2 : 1;
    axis->side = side;
    return MCO_OK;
}

int32_t guillotine_axis_floor(const guillotine_axis *axis, int64_t at)
{
    int32_t low = 0, high = axis->count;  // at[low] <= at < at[high]
    while (high - low > 1) {
        int32_t middle = low + (high - low) / 2;
        if (axis->at[middle] <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static mco_status make_axes(mco_context *ctx, const mco_guillotine *problem, const placed *all, int64_t count, timer *t,
                            guillotine_model *model)
{
    mco_status st = MCO_OK;
    int32_t *lengths = NULL;
    MCO_TRY(mco_alloc(ctx, &lengths, count));
    for (int64_t k = 0; k < count; k++)
        lengths[k] = all[k].width;
    MCO_TRY(make_axis(ctx, lengths, count, problem->width + model->kerf, "widths", t, &model->x));
    for (int64_t k = 0; k < count; k++)
        lengths[k] = all[k].height;
    MCO_TRY(make_axis(ctx, lengths, count, problem->height + model->kerf, "heights", t, &model->y));
done:
    mco_free(ctx, &lengths);
    return st;
}

// ---- Values

// No plan is worth more than this area at the greatest value per area.
static mco_status bound_values(mco_context *ctx, const placed *all, int64_t count, wide area, guillotine_model *model)
{
    const int64_t most = (int64_t)1 << 62;
    model->is_within_area = true;
    for (int64_t k = 0; k < count; k++) {
        const wide own = (wide)all[k].width * all[k].height;
        const wide bound = all[k].value * area / own;
        if (bound >= most)
            return mco_fail(ctx, MCO_ERR_LIMIT,
                            "piece %lld is worth %lld: a plate full of it would be worth %.3g, less than %.3g is supported",
                            (long long)all[k].piece + 1, (long long)all[k].value, (double)bound, (double)most);
        model->value_bound = (int64_t)bound > model->value_bound ? (int64_t)bound : model->value_bound;
        model->is_within_area &= all[k].value <= own;
    }
    return MCO_OK;
}

// Of all [count], keeps the piece whose grid is worth most. The products stay at or below the model's bound.
static void keep_best_grid(const mco_guillotine *problem, int32_t kerf, placed *all, int64_t *count)
{
    int64_t best = 0;
    for (int64_t k = 0; k < *count; k++) {
        const int64_t columns = (problem->width + kerf) / all[k].width, rows = (problem->height + kerf) / all[k].height;
        if (columns * rows * all[k].value > best) {
            best = columns * rows * all[k].value;
            all[0] = all[k];
        }
    }
    *count = *count > 0;
}

mco_status guillotine_model_create(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params,
                                   mco_run *run, guillotine_model *model)
{
    mco_status st = MCO_OK;
    placed *all = NULL;
    int64_t count = 0;
    timer t = {.run = run, .left = LOOK};
    *model = (guillotine_model){.kerf = (int32_t)params->kerf, .is_complete = true};
    MCO_TRY(mco_alloc(ctx, &all, 2 * problem->pieces));
    count = place_all(problem, params, all, &model->too_large);
    qsort(all, (size_t)count, sizeof *all, compare_placed);
    MCO_TRY(drop_dominated(ctx, all, &count));
    MCO_TRY(make_axes(ctx, problem, all, count, &t, model));
    if (t.is_over) {
        guillotine_model_clear(ctx, model);
        model->is_complete = false;
        MCO_TRY(bound_values(ctx, all, count, (wide)(problem->width + model->kerf) * (problem->height + model->kerf), model));
        keep_best_grid(problem, model->kerf, all, &count);
        MCO_TRY(make_short_axis(ctx, count > 0 ? all[0].width : 0, problem->width + model->kerf, &model->x));
        MCO_TRY(make_short_axis(ctx, count > 0 ? all[0].height : 0, problem->height + model->kerf, &model->y));
    } else {
        MCO_TRY(bound_values(ctx, all, count, (wide)model->x.at[model->x.count - 1] * model->y.at[model->y.count - 1], model));
    }
    MCO_TRY(mco_alloc(ctx, &model->seeds, count));
    for (int64_t k = 0; k < count; k++)
        model->seeds[k] = (guillotine_seed){guillotine_axis_floor(&model->x, all[k].width),
                                            guillotine_axis_floor(&model->y, all[k].height), all[k].width,
                                            all[k].height, all[k].value, all[k].piece, all[k].is_rotated};
    model->seed_count = count;
done:
    mco_free(ctx, &all);
    if (st != MCO_OK)
        guillotine_model_clear(ctx, model);
    return st;
}

// ---- Raster points

static mco_status make_raster_axis(mco_context *ctx, const guillotine_axis *axis, guillotine_axis *raster)
{
    mco_status st = MCO_OK;
    const int32_t last = axis->count - 1;
    int32_t below = 0;  // index of the last position at or below W' - at[p], as p descends
    *raster = (guillotine_axis){.side = axis->side};
    MCO_TRY(mco_alloc(ctx, &raster->at, axis->count));
    for (int32_t p = last; p >= 0; p--) {
        const int32_t left = axis->at[last] - axis->at[p];
        while (below < last && axis->at[below + 1] <= left)
            below++;
        if (raster->count == 0 || raster->at[raster->count - 1] != axis->at[below])
            raster->at[raster->count++] = axis->at[below];
    }
    raster->shortest = raster->count > 1 ? raster->at[1] : 0;
done:
    return st;
}

// The first position at or above `at`.
static int32_t position_above(const guillotine_axis *axis, int32_t at)
{
    const int32_t p = guillotine_axis_floor(axis, at);
    return axis->at[p] < at ? p + 1 : p;
}

static int compare_seeds(const void *a, const void *b)
{
    const guillotine_seed *p = a, *q = b;
    if (p->i != q->i)
        return p->i < q->i ? -1 : 1;
    if (p->j != q->j)
        return p->j < q->j ? -1 : 1;
    if (p->value != q->value)
        return p->value > q->value ? -1 : 1;
    return p->piece < q->piece ? -1 : p->piece > q->piece;
}

mco_status guillotine_model_raster(mco_context *ctx, const guillotine_model *model, guillotine_model *raster)
{
    mco_status st = MCO_OK;
    *raster = *model;
    raster->x.at = raster->y.at = NULL;
    raster->seeds = NULL;
    raster->seed_count = 0;
    raster->is_raster = true;
    MCO_TRY(make_raster_axis(ctx, &model->x, &raster->x));
    MCO_TRY(make_raster_axis(ctx, &model->y, &raster->y));
    MCO_TRY(mco_alloc(ctx, &raster->seeds, model->seed_count));
    for (int64_t k = 0; k < model->seed_count; k++) {
        raster->seeds[k] = model->seeds[k];
        raster->seeds[k].i = position_above(&raster->x, model->seeds[k].width);
        raster->seeds[k].j = position_above(&raster->y, model->seeds[k].height);
    }
    qsort(raster->seeds, (size_t)model->seed_count, sizeof *raster->seeds, compare_seeds);
    for (int64_t k = 0; k < model->seed_count; k++) {
        const guillotine_seed *s = &raster->seeds[k], *before = k > 0 ? s - 1 : NULL;
        if (before == NULL || before->i != s->i || before->j != s->j)
            raster->seeds[raster->seed_count++] = *s;
    }
done:
    if (st != MCO_OK)
        guillotine_model_clear(ctx, raster);
    return st;
}

void guillotine_model_clear(mco_context *ctx, guillotine_model *model)
{
    mco_free(ctx, &model->x.at);
    mco_free(ctx, &model->y.at);
    mco_free(ctx, &model->seeds);
}
