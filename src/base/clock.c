// SPDX-License-Identifier: MIT
#include "base/clock.h"

#include <time.h>

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
