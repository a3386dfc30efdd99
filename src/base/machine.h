// SPDX-License-Identifier: MIT
// How many threads and how much memory a call takes: what its parameters say, else what this process may use.
#ifndef MCO_BASE_MACHINE_H
#define MCO_BASE_MACHINE_H

#include <stdint.h>

// Worker threads: `asked`, or with 0 one for each processor that this process may use (mco_cpu_count()). At least 1.
int mco_settle_threads(int64_t asked);
// Bytes for tables: `asked` MiB, or with 0 most of the machine's memory.
double mco_settle_memory(int64_t asked_mib);
// Bytes of memory that the machine has.
double mco_machine_memory(void);

#endif
