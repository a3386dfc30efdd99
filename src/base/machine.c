// SPDX-License-Identifier: MIT
#include "base/machine.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "mco/version.h"

static const double MEMORY_SHARE = 0.8;  // of the machine's memory, for tables, if the caller gives no limit

// Number of processors that the control group of this container may keep busy, rounded up; 0 if it sets no limit.
// Outside of a container, limits of nested groups are not read.
static int group_limit(void)
{
    double quota = 0, period = 0;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    if (file == NULL)
        return 0;
    const int read = fscanf(file, "%lf %lf", &quota, &period);  // no limit is written as "max", which is not a number
    fclose(file);
    return read == 2 && quota > 0 && period > 0 && quota / period < 1e6 ? (int)((quota + period - 1) / period) : 0;
}

int mco_cpu_count(void)
{
    cpu_set_t set;
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    int count = online > 0 ? (int)online : 1;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        count = CPU_COUNT(&set);
    const int limit = group_limit();
    return limit > 0 && limit < count ? limit : count;
}

int mco_settle_threads(int64_t asked)
{
    return asked > 0 ? (int)asked : mco_cpu_count();
}

double mco_machine_memory(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
}

double mco_settle_memory(int64_t asked_mib)
{
    return asked_mib > 0 ? (double)asked_mib * (1 << 20) : MEMORY_SHARE * mco_machine_memory();
}
