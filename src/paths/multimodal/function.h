// SPDX-License-Identifier: MIT
// Costs of arcs as functions of time, in integers, the same on host and device.
//
// An arc is 8 bytes: its head, and a word of label, function and seconds. A profile is a table of equal intervals: the factor at the
// begin of each, in 1/4096, and its slope, in 2^-24 a second. Rounding is part of the definition: the checker, the reference
// and all engines compute this value.
#ifndef MCO_PATHS_MULTIMODAL_FUNCTION_H
#define MCO_PATHS_MULTIMODAL_FUNCTION_H

#include <stdint.h>

#include "mco/compiler.h"

enum {
    MM_FACTOR_BITS = 12,  // of a profile's factor
    MM_PACE_BITS = 8,     // of a state's pace
    MM_SLOPE_BITS = 12    // more of a slope
};

typedef struct mm_arc {
    int32_t head;
    uint32_t word;  // label, then function, then seconds, from the low bits on
} mm_arc;

typedef struct mm_function {
    int32_t kind;           // mco_multimodal_kind
    int32_t width;          // PROFILE: seconds of an interval; HEADWAY: the headway
    int32_t first, count;   // PROFILE: intervals in `point`; TIMETABLE: departures in `point`
    int32_t offset;         // HEADWAY
} mm_function;

typedef struct mm_point {
    int32_t a;  // PROFILE: factor; TIMETABLE: departure
    int32_t b;  // PROFILE: slope; TIMETABLE: ride
} mm_point;

typedef struct mm_tables {
    int32_t period;
    int32_t label_bits, function_bits;
    const mm_function *function;
    const mm_point *point;
} mm_tables;

static inline MCO_HD uint32_t mm_label(const mm_tables *m, uint32_t word)
{
    return word & ((1u << m->label_bits) - 1);
}

static inline MCO_HD uint32_t mm_function_of(const mm_tables *m, uint32_t word)
{
    return (word >> m->label_bits) & ((1u << m->function_bits) - 1);
}

static inline MCO_HD int32_t mm_seconds(const mm_tables *m, uint32_t word)
{
    return (int32_t)((uint64_t)word >> (m->label_bits + m->function_bits));
}

// The factor of a profile at `t` in [0, period), in 1/4096.
static inline MCO_HD int32_t mm_factor(const mm_function *f, const mm_point *point, int32_t t)
{
    const int32_t k = t / f->width;
    return point[f->first + k].a + ((point[f->first + k].b * (t - k * f->width)) >> MM_SLOPE_BITS);
}

// Seconds from `t` in [0, period) to the arrival by the next departure of a timetable, which has at least one.
static inline MCO_HD int32_t mm_ride(const mm_function *f, const mm_point *point, int32_t period, int32_t t)
{
    int32_t low = 0, high = f->count;
    while (low < high) {
        const int32_t middle = (low + high) / 2;
        if (point[f->first + middle].a < t)
            low = middle + 1;
        else
            high = middle;
    }
    const mm_point next = point[f->first + (low < f->count ? low : 0)];
    return next.a - t + (low < f->count ? 0 : period) + next.b;
}

// Seconds that an arc takes if it is entered at `t` >= 0 with a pace in 1/256.
static inline MCO_HD int32_t mm_cost(const mm_tables *m, uint32_t word, int32_t t, int32_t pace)
{
    const mm_function *f = &m->function[mm_function_of(m, word)];
    const int32_t seconds = mm_seconds(m, word);
    if (f->kind == 0)
        return seconds;
    if (f->kind == 1) {
        const int32_t factor = mm_factor(f, m->point, t % m->period);
        return (int32_t)(((int64_t)seconds * pace * factor) >> (MM_FACTOR_BITS + MM_PACE_BITS));
    }
    if (f->kind == 2) {
        const int32_t wait = f->offset - t % f->width;
        return seconds + (wait < 0 ? wait + f->width : wait);
    }
    return seconds + mm_ride(f, m->point, m->period, t % m->period);
}

#endif
