// SPDX-License-Identifier: MIT
// The queue of a GPU's units (guillotine/gpu_units.h) on the host: a single block that takes all units in order never waits,
// and the parts of launches grow without end.
#include "test_support.h"

#include "base/rng.h"
#include "guillotine/gpu_units.h"

enum { SLOTS = 528, MOST_UNITS = 1 << 17 };

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

// Sums of a few random sides up to `side`.
static void make_axis(mco_context *ctx, mco_rng *rng, int32_t side, guillotine_axis *axis)
{
    bool *is_sum = NULL;
    const int32_t least = 1 + (int32_t)mco_rng_below(rng, (uint32_t)side);
    assert_int_equal(mco_alloc(ctx, &is_sum, side + 1), MCO_OK);
    assert_int_equal(mco_alloc(ctx, &axis->at, side + 1), MCO_OK);
    is_sum[0] = true;
    for (int piece = 0; piece < 6; piece++) {
        const int32_t length = least + (int32_t)mco_rng_below(rng, (uint32_t)(side - least + 1));
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
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        mco_rng rng;
        guillotine_model model = {0};
        guillotine_schedule schedule;
        mco_rng_seed(&rng, seed, 0);
        make_axis(test_ctx, &rng, 40 + (int32_t)mco_rng_below(&rng, 2500), &model.x);
        make_axis(test_ctx, &rng, 40 + (int32_t)mco_rng_below(&rng, 2500), &model.y);
        assert_int_equal(guillotine_schedule_create(test_ctx, &model, seed % 2 == 0 ? 4 : 8, SLOTS, &schedule), MCO_OK);
        check_order(test_ctx, &schedule);
        guillotine_schedule_clear(test_ctx, &schedule);
        mco_free(test_ctx, &model.x.at);
        mco_free(test_ctx, &model.y.at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_parts_grow_to_the_most), TEST(test_a_single_block_never_waits)};
    return cmocka_run_group_tests_name("guillotine_gpu_units", tests, NULL, NULL);
}
