// SPDX-License-Identifier: MIT
// Times of traffic assignment. Each row is a process of its own, so that CPU seconds and peak memory count reading too.
//
//     bench_traffic NET TRIPS METHOD THREADS REPEATS GAP[,GAP...] [--demand C] [--toll A] [--distance B] [--simd UNIT]
//                   [--search exact|golden|fibonacci|dichotomy] [--unreachable drop|arc] [--limit SECONDS]
//
// A row: gap asked and certified, passes, pairs, user CPU seconds (the least of the repeats), of these for reading, seconds by the
// clock, peak memory, objective.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "mco/mco.h"

typedef struct row {
    mco_status status;
    double read_s, wall_s, gap, objective;
    int64_t iterations, pairs;
} row;

static double user_s(int who)
{
    struct rusage use;
    getrusage(who, &use);
    return (double)use.ru_utime.tv_sec + (double)use.ru_utime.tv_usec * 1e-6;
}

static double wall_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// Reads and assigns in this process.
static row measure(const mco_traffic_files *files, const mco_traffic_params *params)
{
    row r = {0};
    mco_context *ctx = NULL;
    mco_traffic *traffic = NULL;
    mco_traffic_result result = MCO_TRAFFIC_RESULT_INIT;
    const double begin = wall_s();
    r.status = mco_context_create(&ctx, NULL);
    if (r.status != MCO_OK)
        return r;
    r.status = mco_traffic_read(ctx, files, &traffic);
    r.read_s = user_s(RUSAGE_SELF);
    if (r.status == MCO_OK)
        r.status = mco_traffic_assign(ctx, traffic, params, NULL, &result);
    r.wall_s = wall_s() - begin;
    r.gap = result.gap;
    r.objective = result.objective;
    r.iterations = result.iterations;
    r.pairs = result.segment_pairs;
    if (r.status != MCO_OK)
        fprintf(stderr, "%s\n", mco_context_error(ctx));
    mco_traffic_result_clear(ctx, &result);
    mco_traffic_destroy(ctx, &traffic);
    mco_context_destroy(&ctx);
    return r;
}

// Runs measure() in a child. Returns false if it failed. The wait ends with the child, whose solve ends by its time limit.
static bool run_child(const mco_traffic_files *files, const mco_traffic_params *params, row *out, double *cpu_s, long *peak_kib)
{
    int ends[2], state;
    struct rusage use;
    if (pipe(ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        const row r = measure(files, params);
        _exit(write(ends[1], &r, sizeof r) == (ssize_t)sizeof r && r.status == MCO_OK ? 0 : 1);
    }
    close(ends[1]);
    const bool is_whole = child > 0 && read(ends[0], out, sizeof *out) == (ssize_t)sizeof *out;
    close(ends[0]);
    if (child <= 0 || wait4(child, &state, 0, &use) != child || !WIFEXITED(state) || WEXITSTATUS(state) != 0)
        return false;
    *cpu_s = (double)use.ru_utime.tv_sec + (double)use.ru_utime.tv_usec * 1e-6;
    *peak_kib = use.ru_maxrss;
    return is_whole;
}

static bool bench_gap(const mco_traffic_files *files, const mco_traffic_params *params, int repeats)
{
    row best = {0};
    double least = INFINITY, wall = INFINITY;
    long peak = 0;
    for (int k = 0; k < repeats; k++) {
        row r;
        double cpu;
        long kib;
        if (!run_child(files, params, &r, &cpu, &kib))
            return false;
        wall = fmin(wall, r.wall_s);
        peak = kib > peak ? kib : peak;
        if (cpu < least) {
            least = cpu;
            best = r;
        }
    }
    printf("%9.1e %9.2e %6lld %7lld %9.4f %9.4f %9.4f %8.1f %.15g\n", params->gap, best.gap, (long long)best.iterations,
           (long long)best.pairs, least, best.read_s, wall, (double)peak / 1024, best.objective);
    return true;
}

int main(int count, char **words)
{
    if (count < 7) {
        fprintf(stderr, "usage: bench_traffic NET TRIPS pairs|fw|cfw|bfw THREADS REPEATS GAP[,GAP...] "
                        "[--demand C] [--toll A] [--distance B] [--simd avx512|avx2|portable] "
                        "[--search exact|golden|fibonacci|dichotomy] [--unreachable drop|arc] [--limit SECONDS]\n");
        return 2;
    }
    const mco_traffic_files files = {.network = words[1], .trips = words[2]};
    mco_traffic_params params = MCO_TRAFFIC_PARAMS_INIT;
    params.engine = MCO_ENGINE_CPU;
    params.method = strcmp(words[3], "fw") == 0    ? MCO_TRAFFIC_METHOD_FW
                    : strcmp(words[3], "cfw") == 0 ? MCO_TRAFFIC_METHOD_CFW
                    : strcmp(words[3], "bfw") == 0 ? MCO_TRAFFIC_METHOD_BFW
                                                   : MCO_TRAFFIC_METHOD_PAIRS;
    params.threads = atoi(words[4]);
    params.time_limit_s = 600;
    static const char *const searches[] = {"exact", "golden", "fibonacci", "dichotomy"};
    for (int k = 7; k + 1 < count; k += 2) {
        const double value = atof(words[k + 1]);
        if (strcmp(words[k], "--demand") == 0)
            params.demand_factor = value;
        else if (strcmp(words[k], "--toll") == 0)
            params.toll_factor = value;
        else if (strcmp(words[k], "--distance") == 0)
            params.distance_factor = value;
        else if (strcmp(words[k], "--limit") == 0)
            params.time_limit_s = value;
        else if (strcmp(words[k], "--unreachable") == 0)
            params.unreachable = strcmp(words[k + 1], "arc") == 0 ? MCO_TRAFFIC_ARC : MCO_TRAFFIC_DROP;
        else if (strcmp(words[k], "--search") == 0)
            for (int s = 0; s < 4; s++)
                params.line_search = strcmp(words[k + 1], searches[s]) == 0 ? (mco_traffic_line_search)s : params.line_search;
        else if (strcmp(words[k], "--simd") == 0)
            params.simd = strcmp(words[k + 1], "avx2") == 0 ? MCO_SIMD_AVX2 : strcmp(words[k + 1], "portable") == 0 ? MCO_SIMD_PORTABLE : MCO_SIMD_AVX512;
    }
    printf("%9s %9s %6s %7s %9s %9s %9s %8s %s\n", "asked", "gap", "passes", "pairs", "user s", "read s", "clock s", "MiB", "objective");
    for (char *gap = words[6]; gap != NULL; gap = strchr(gap, ',') != NULL ? strchr(gap, ',') + 1 : NULL) {
        params.gap = strtod(gap, NULL);
        if (!bench_gap(&files, &params, atoi(words[5]) > 0 ? atoi(words[5]) : 1))
            return 1;
    }
    return 0;
}
