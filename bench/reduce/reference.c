// SPDX-License-Identifier: MIT
// The reference values: one pass over data.h's numbers on the host, kept at each count asked for.
#include "bench.h"
#include "data.h"

typedef struct running {
    uint32_t i32_sum;  // modulo 2^32
    int32_t i32_min, i32_max;
    int64_t f32_sum;  // in units of 1/128; below 2^37 for 2^30 items of at most 32 * 128 units
    int32_t f32_min, f32_max;
    int64_t i32_argmin, f32_argmin;
} running;

static void add_range(running *r, int64_t from, int64_t to)
{
    running s = *r;
    for (int64_t i = from; i < to; i++) {
        int32_t a = bench_i32((uint32_t)i), b = bench_f32_units((uint32_t)i);
        s.i32_sum += (uint32_t)a;
        s.f32_sum += b;
        if (a < s.i32_min) {
            s.i32_min = a;
            s.i32_argmin = i;
        }
        if (b < s.f32_min) {
            s.f32_min = b;
            s.f32_argmin = i;
        }
        s.i32_max = a > s.i32_max ? a : s.i32_max;
        s.f32_max = b > s.f32_max ? b : s.f32_max;
    }
    *r = s;
}

static bench_reference snapshot(const running *r, int64_t count)
{
    const float unit = 1.0f / 128;
    bench_reference row = {.count = count};
    row.value[BENCH_I32][BENCH_SUM].i32 = (int32_t)r->i32_sum;
    row.value[BENCH_I32][BENCH_MIN].i32 = r->i32_min;
    row.value[BENCH_I32][BENCH_MAX].i32 = r->i32_max;
    row.value[BENCH_F32][BENCH_SUM].f32 = (float)r->f32_sum * unit;
    row.value[BENCH_F32][BENCH_MIN].f32 = (float)r->f32_min * unit;
    row.value[BENCH_F32][BENCH_MAX].f32 = (float)r->f32_max * unit;
    row.argmin[BENCH_I32] = r->i32_argmin;
    row.argmin[BENCH_F32] = r->f32_argmin;
    return row;
}

void bench_reference_fill(bench_reference *rows, int row_count)
{
    running r = {.i32_min = INT32_MAX, .i32_max = INT32_MIN, .f32_min = INT32_MAX, .f32_max = INT32_MIN};
    int64_t from = 0;
    for (int i = 0; i < row_count; i++) {
        add_range(&r, from, rows[i].count);
        from = rows[i].count;
        rows[i] = snapshot(&r, from);
    }
}
