// SPDX-License-Identifier: MIT
// How many workers one coordinator serves, and when two levels of coordinators are needed. What is assumed: simulate.c.
// Usage: bench_cluster_simulate [NAME=VALUE...]; names as below. `workers` and `group` take lists with commas.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulate.h"

enum { MOST_VALUES = 16 };

typedef struct numbers {
    int64_t values[MOST_VALUES];
    int count;
} numbers;

static bool read_numbers(const char *text, numbers *out)
{
    char *end = NULL;
    for (out->count = 0; out->count < MOST_VALUES; text = end + 1) {
        out->values[out->count++] = strtoll(text, &end, 10);
        if (end == text || *end != ',')
            break;
    }
    return *end == '\0';
}

static bool read_setting(const char *text, sim_facts *f, numbers *workers, numbers *groups)
{
    double seed = (double)f->seed;
    const struct {
        const char *name;
        double *value;
        double scale;
    } settings[] = {{"rate", &f->rate, 1},          {"spread", &f->spread, 1},           {"work-s", &f->work_s, 1},
                    {"period-s", &f->period_s, 1},  {"latency-us", &f->latency_s, 1e-6}, {"look-us", &f->look_s, 1e-6},
                    {"join-s", &f->join_s, 1},      {"message-us", &f->message_s, 1e-6}, {"nap-us", &f->nap_s, 1e-6},
                    {"seed", &seed, 1}};
    const char *value = strchr(text, '=');
    if (value == NULL)
        return false;
    const size_t length = (size_t)(value++ - text);
    if (strncmp(text, "workers", length) == 0)
        return read_numbers(value, workers);
    if (strncmp(text, "group", length) == 0)
        return read_numbers(value, groups);
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (strlen(settings[i].name) == length && strncmp(text, settings[i].name, length) == 0) {
            char *end;
            *settings[i].value = strtod(value, &end) * settings[i].scale;
            f->seed = (uint64_t)seed;
            return end != value && *end == '\0';
        }
    return false;
}

int main(int argc, char **argv)
{
    mco_context *ctx = NULL;
    sim_facts f = {.rate = 2e6, .spread = 0.2, .work_s = 100, .period_s = 5, .latency_s = 20e-6, .look_s = 2e-3, .message_s = 13e-6,
                   .join_s = 1, .seed = 1};
    numbers workers = {{10, 100, 1000, 10000, 100000}, 5}, groups = {{0}, 1};
    mco_status st = mco_context_create(&ctx, NULL);
    if (st != MCO_OK)
        return 3;
    for (int i = 1; i < argc; i++)
        if (!read_setting(argv[i], &f, &workers, &groups))
            return fprintf(stderr, "%s: no NAME=VALUE of those that bench_simulate.c lists\n", argv[i]), 2;
    puts("workers,group,rate,work_s,period_s,latency_us,message_us,seed,time_s,busy,reports_per_s,messages_per_s,gifts,load,group_load,"
         "longest_queue_s,nodes");
    for (int g = 0; g < groups.count; g++)
        for (int w = 0; w < workers.count; w++) {
            sim_result r;
            f.workers = workers.values[w];
            f.group = groups.values[g];
            MCO_TRY(simulate(ctx, &f, &r));
            printf("%lld,%lld,%g,%g,%g,%g,%g,%llu,%.3f,%.4f,%.0f,%.0f,%lld,%.4f,%.4f,%.4f,%s\n", (long long)f.workers, (long long)f.group,
                   f.rate, f.work_s, f.period_s, 1e6 * f.latency_s, 1e6 * f.message_s, (unsigned long long)f.seed, r.time_s, r.busy,
                   (double)r.reports / r.time_s, (double)r.messages / r.time_s, (long long)r.gifts, r.load, r.group_load, r.queue_s,
                   r.nodes == r.nodes_expected ? "equal" : "DIFFERENT");
            fflush(stdout);
        }
done:
    if (st != MCO_OK)
        fprintf(stderr, "%s\n", mco_context_error(ctx));
    mco_context_destroy(&ctx);
    return st != MCO_OK;
}
