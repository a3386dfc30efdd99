// SPDX-License-Identifier: MIT
// The queue of a GPU's units (guillotine/gpu_units.h) on the host: a single block that takes all units in order never waits,
// and the parts of launches grow without end.
#include "test_support.h"

#include "base/rng.h"
#include "guillotine/gpu_units.h"

enum { SLOTS = 528, MOST_UNITS = 1 << 17, MOST_CELLS = 40000 };

static void test_parts_grow_to_the_most(void **state)
{
    int64_t part = 0;
    (void)state;
    for (int launch = 0; launch < 1000; launch++) {
        const int64_t next = guillotine_next_part(part, MOST_UNITS);
        assert_true(next > 0 && next <= MOST_UNITS && (next > part || part == MOST_UNITS));
        part = next;
    }
    assert_int_equal(part, MOST_UNITS);
    assert_int_equal(guillotine_next_part(0, 3), 3);
    assert_int_equal(guillotine_next_part(0, 0), 1);  // steps without units still pass
}

// Every unit waits for a step whose units all come before it, and every step's end waits for the step before.
static void check_order(mco_context *ctx, const guillotine_schedule *s)
{
    int32_t *done = NULL, most = 1;
    guillotine_unit *units = NULL;
    for (int32_t step = 0; step < s->steps; step++)
        most = s->units[step] > most ? s->units[step] : most;
    assert_int_equal(mco_alloc(ctx, &done, s->steps), MCO_OK);
    assert_int_equal(mco_alloc(ctx, &units, most), MCO_OK);
    for (int32_t step = 0, last = -1; step < s->steps; step++) {
        const int64_t count = guillotine_schedule_units(s, step, units);
        assert_int_equal(count, s->units[step]);
        for (int64_t k = 0; k < count; k++) {
            assert_int_equal(units[k].step, step);
            assert_true(units[k].after < step);
            if (units[k].after >= 0) {
                assert_true(units[k].after_units > 0);
                assert_int_equal(done[units[k].after], units[k].after_units);
            }
            done[step]++;
        }
        if (count > 0) {
            assert_int_equal(units[count - 1].after, last);
            last = step;
        }
    }
    mco_free(ctx, &done);
    mco_free(ctx, &units);
}

// Marks the cuts that a unit relaxes in time, with cells that are final: their step, like all before, ends with
// unit->after. A unit also relaxes others, whose targets or lanes only fill it up.
static void mark_cuts(const guillotine_schedule *s, const guillotine_unit *u, bool *is_done, int32_t strips)
{
    const guillotine_bands *cut = &s->axis[u->axis], *other = &s->axis[1 - u->axis];
    for (int32_t t = cut->last_at[u->target]; t < cut->count && cut->at[t] < u->target + GUILLOTINE_TILE; t++)
        for (int32_t c = cut->last_at[u->strip]; c < strips && cut->at[c] < u->strip_end && 2 * cut->at[c] <= cut->at[t]; c++)
            for (int32_t lane = u->lane > 0 ? u->lane : 1; lane < u->lane + u->lanes; lane++) {
                const int32_t band = other->band_of[lane], rest = cut->band_of[cut->last_at[cut->at[t] - cut->at[c]]];
                if (s->last[rest + band] <= u->after && u->step <= cut->band_of[t] + band)
                    is_done[((int64_t)t * other->count + lane) * strips + c] = true;
            }
}

// Every cut of every rectangle is relaxed by a unit.
static void check_cover(mco_context *ctx, const guillotine_schedule *s)
{
    guillotine_unit *units = NULL;
    int32_t most = 1;
    for (int32_t step = 0; step < s->steps; step++)
        most = s->units[step] > most ? s->units[step] : most;
    assert_int_equal(mco_alloc(ctx, &units, most), MCO_OK);
    for (int axis = 0; axis < 2; axis++) {
        const guillotine_bands *cut = &s->axis[axis], *other = &s->axis[1 - axis];
        const int32_t strips = cut->last_at[cut->at[cut->count - 1] / 2] + 1;
        bool *is_done = NULL;
        assert_int_equal(mco_alloc(ctx, &is_done, (int64_t)cut->count * other->count * strips), MCO_OK);
        for (int32_t step = 0; step < s->steps; step++) {
            const int64_t count = guillotine_schedule_units(s, step, units);
            for (int64_t k = 0; k < count; k++)
                if (units[k].axis == axis)
                    mark_cuts(s, &units[k], is_done, strips);
        }
        for (int32_t t = 1; t < cut->count; t++)
            for (int32_t lane = 1; lane < other->count; lane++)
                for (int32_t c = 1; c < cut->count && 2 * cut->at[c] <= cut->at[t]; c++)
                    assert_true(is_done[((int64_t)t * other->count + lane) * strips + c]);
        mco_free(ctx, &is_done);
    }
    mco_free(ctx, &units);
}

// Sums of a few random sides up to `side`.
static void make_axis(mco_context *ctx, mco_rng *rng, int32_t side, bool is_dense, guillotine_axis *axis)
{
    bool *is_sum = NULL;
    const int32_t most = side / (is_dense ? 60 : 1 + (int32_t)mco_rng_below(rng, 40)), least = 1 + (int32_t)mco_rng_below(rng, (uint32_t)most);
    assert_int_equal(mco_alloc(ctx, &is_sum, side + 1), MCO_OK);
    assert_int_equal(mco_alloc(ctx, &axis->at, side + 1), MCO_OK);
    is_sum[0] = true;
    for (int piece = 0; piece < 6; piece++) {
        const int32_t length = least + (int32_t)mco_rng_below(rng, (uint32_t)(is_dense ? least + 6 : side - least + 1));
        for (int32_t c = length; c <= side; c++)
            is_sum[c] = is_sum[c] || is_sum[c - length];
    }
    for (int32_t c = 0; c <= side; c++)
        if (is_sum[c])
            axis->at[axis->count++] = c;
    axis->side = side;
    axis->shortest = axis->count > 1 ? axis->at[1] : 0;
    mco_free(ctx, &is_sum);
}

static void test_a_single_block_never_waits(void **state)
{
    int merged = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 90; seed++) {
        mco_rng rng;
        guillotine_model model = {0};
        guillotine_schedule schedule;
        mco_rng_seed(&rng, seed, 0);
        // Some are long and flat: they have groups, and few cells.
        const bool is_flat = seed % 3 == 0;
        make_axis(test_ctx, &rng, is_flat ? 1500 : 40 + (int32_t)mco_rng_below(&rng, 2500), is_flat, &model.x);
        make_axis(test_ctx, &rng, is_flat ? 50 : 40 + (int32_t)mco_rng_below(&rng, 2500), false, &model.y);
        assert_int_equal(guillotine_schedule_create(test_ctx, &model, 2 << seed % 5 / 2, SLOTS, &schedule), MCO_OK);
        check_order(test_ctx, &schedule);
        if ((int64_t)model.x.count * model.y.count < MOST_CELLS) {
            check_cover(test_ctx, &schedule);
            merged += schedule.axis[0].group_count > 3;
        }
        guillotine_schedule_clear(test_ctx, &schedule);
        mco_free(test_ctx, &model.x.at);
        mco_free(test_ctx, &model.y.at);
    }
    assert_true(merged > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_parts_grow_to_the_most), TEST(test_a_single_block_never_waits)};
    return cmocka_run_group_tests_name("guillotine_gpu_units", tests, NULL, NULL);
}
