// SPDX-License-Identifier: MIT
// A wall clock that never runs backwards, and the CPU time of the process.
#ifndef MCO_BASE_CLOCK_H
#define MCO_BASE_CLOCK_H

#include <pthread.h>
#include <time.h>

double mco_clock_s(void);      // seconds since an arbitrary moment
double mco_cpu_clock_s(void);  // CPU seconds of all threads of this process

// Conditions that wait by this clock. The first makes one. The second returns the moment that is `seconds` (at most
// 10^6) from now.
void mco_clock_condition(pthread_cond_t *condition);
struct timespec mco_clock_after(double seconds);

#endif
