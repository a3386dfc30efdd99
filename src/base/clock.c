// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <stdint.h>

static double read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double mco_clock_s(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

double mco_cpu_clock_s(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

void mco_clock_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct timespec mco_clock_after(double seconds)
{
    enum { BILLION = 1000000000 };
    static const double LONGEST_S = 1e6;  // keeps the sums here far from overflow
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    seconds = seconds > 0 ? seconds < LONGEST_S ? seconds : LONGEST_S : 0;
    const int64_t nanoseconds = until.tv_nsec + (int64_t)(seconds * BILLION);
    until.tv_sec += (time_t)(nanoseconds / BILLION);
    until.tv_nsec = (long)(nanoseconds % BILLION);
    return until;
}
