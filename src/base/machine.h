// SPDX-License-Identifier: MIT
// How many threads and how much memory a call uses: as its parameters say, else as much as this process may use.
#ifndef MCO_BASE_MACHINE_H
#define MCO_BASE_MACHINE_H

#include <stdint.h>

// Number of worker threads: `asked`; or, if that is 0, one for each processor that this process may use
// (mco_cpu_count()). At least 1.
int mco_settle_threads(int64_t asked);
// Bytes for tables: `asked_mib` MiB; or, if that is 0, 0.8 of the machine's memory.
double mco_settle_memory(int64_t asked_mib);
// The machine's memory in bytes.
double mco_machine_memory(void);

#endif
