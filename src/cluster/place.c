// SPDX-License-Identifier: MIT
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cluster/cluster.h"
#include "mco/version.h"

void cluster_divide_processors(const cpu_set_t *masks, int count, int which, int usable, cpu_set_t *out)
{
    int sharing = 0, place = 0, at = 0;
    for (int k = 0; k < count; k++)
        if (CPU_EQUAL(&masks[k], &masks[which])) {
            place += k < which;
            sharing++;
        }
    const int all = CPU_COUNT(&masks[which]), shared = usable > 0 && usable < all ? usable : all;
    const int first = (int)((int64_t)shared * place / sharing), last = (int)((int64_t)shared * (place + 1) / sharing);
    const int end = last > first ? last : first + 1;
    CPU_ZERO(out);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &masks[which])) {
            if (at >= first && at < end)
                CPU_SET(cpu, out);
            at++;
        }
}

bool cluster_divide_gpus(const char *visible, int count, int which, char *out, size_t size)
{
    int gpus = visible[0] != '\0';
    size_t used = 0;
    for (const char *c = visible; *c != '\0'; c++)
        gpus += *c == ',';
    const char *name = visible;
    out[0] = '\0';
    for (int k = 0; k < gpus; k++) {
        const int length = (int)strcspn(name, ",");
        if (gpus >= count ? k % count == which : k == which % gpus) {
            const int written = snprintf(out + used, size - used, "%s%.*s", used > 0 ? "," : "", length, name);
            if (written < 0 || (size_t)written >= size - used)
                return false;
            used += (size_t)written;
        }
        name += length + 1;
    }
    return true;
}

// The devices /dev/nvidia0, /dev/nvidia1, ... as the numbers 0, 1, ... that CUDA gives them.
static void list_gpus(char *out, size_t size)
{
    int count = 0;
    size_t used = 0;
    const struct dirent *entry;
    DIR *folder = opendir("/dev");
    while (folder != NULL && (entry = readdir(folder)) != NULL)
        count += strncmp(entry->d_name, "nvidia", 6) == 0 && isdigit((unsigned char)entry->d_name[6]);
    if (folder != NULL)
        closedir(folder);
    out[0] = '\0';
    for (int k = 0; k < count && used < size; k++)
        used += (size_t)snprintf(out + used, size - used, "%s%d", k > 0 ? "," : "", k);
}

// A process alone on its machine keeps all GPUs.
static void take_gpus(int count, int which)
{
    char all[512], own[512];
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    list_gpus(all, sizeof all);
    if (visible == NULL)
        visible = all;
    if (count > 1 && strchr(visible, ',') != NULL && cluster_divide_gpus(visible, count, which, own, sizeof own))
        setenv("CUDA_VISIBLE_DEVICES", own, 1);
}

cluster_place cluster_take_place(const cpu_set_t *masks, int count, int which)
{
    cpu_set_t own;
    const bool is_bound = CPU_COUNT(&masks[which]) == 1 && sysconf(_SC_NPROCESSORS_ONLN) > count;
    cluster_divide_processors(masks, count, which, mco_cpu_count(), &own);
    if (!CPU_EQUAL(&own, &masks[which]))
        sched_setaffinity(0, sizeof own, &own);  // if it fails, there are more threads than processors
    take_gpus(count, which);
    return (cluster_place){.processors = mco_cpu_count(), .is_bound = is_bound};
}
