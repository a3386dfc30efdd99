// SPDX-License-Identifier: MIT
// Wall clock that never runs backwards, and CPU time of the process.
#ifndef MCO_BASE_CLOCK_H
#define MCO_BASE_CLOCK_H

double mco_clock_s(void);      // seconds since an arbitrary moment
double mco_cpu_clock_s(void);  // CPU seconds of all threads of this process

#endif
