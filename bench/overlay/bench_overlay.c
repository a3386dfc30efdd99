// SPDX-License-Identifier: MIT
// CPU seconds of bounds of a generated instance: to the first bound, to bounds near the last one, and of an iteration. The fractional
// overlay that follows the last iteration is left out.
//
//     bench_overlay GROUP|NODES:DEGREE[:SKEW] METHOD ITERATIONS THREADS REPEATS [zero|half|auto]
//
// A row for each repeat: the last bound, iterations, CPU seconds to 0.1 % of the last bound and to it, of an iteration; clock seconds of
// an iteration; memory of the process before and after, bytes a link.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "mco/mco.h"

enum { ROOM = 20000 };

typedef struct course {
    double cpu_s[ROOM], wall_s[ROOM], bound[ROOM];
    int64_t work[ROOM];
    int count;
} course;

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int note(const mco_progress *progress, void *user)
{
    course *c = user;
    if (c->count < ROOM && progress->event == MCO_EVENT_INCUMBENT) {
        c->cpu_s[c->count] = seconds(CLOCK_PROCESS_CPUTIME_ID);
        c->wall_s[c->count] = seconds(CLOCK_MONOTONIC);
        c->bound[c->count] = progress->objective;
        c->work[c->count++] = progress->work;
    }
    return 0;
}

static double peak_mib(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1024;
}

static mco_status make(mco_context *ctx, const char *what, mco_overlay **out)
{
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    char *rest;
    if (strchr(what, ':') == NULL) {
        g.group = what;
    } else {
        g.nodes = strtoll(what, &rest, 10);
        g.degree = strtoll(rest + 1, &rest, 10);
        g.skew = *rest == ':' ? strtod(rest + 1, NULL) : 0;
    }
    return mco_overlay_generate(ctx, &g, out);
}

static int fail(mco_context *ctx)
{
    fprintf(stderr, "%s\n", mco_context_error(ctx));
    return 1;
}

static bool take_method(const char *name, mco_overlay_bound_params *p)
{
    static const char *const names[] = {"auto", "lp", "jump", "std", "dist"};
    for (int k = 0; k < 5; k++)
        if (strcmp(name, names[k]) == 0) {
            p->method = (mco_overlay_method)k;
            return true;
        }
    return false;
}

static void print(const course *c, double begin_s, int64_t links, double before_mib)
{
    int near = 0;
    const int last = c->count - 1;
    while (near < last && c->bound[near] > c->bound[last] * 1.001)
        near++;
    const double sweeps = (double)(c->work[last] - c->work[0]);
    printf("%.5f,%lld,%.5f,%.5f,%.6f,%.6f,%.0f,%.0f,%.1f\n", c->bound[last], (long long)c->work[last], c->cpu_s[near] - begin_s,
           c->cpu_s[last] - begin_s, (c->cpu_s[last] - c->cpu_s[0]) / sweeps, (c->wall_s[last] - c->wall_s[0]) / sweeps, before_mib,
           peak_mib(), before_mib * 1048576 / (double)links);
    fflush(stdout);
}

int main(int count, char **argument)
{
    static course c;
    mco_context *ctx = NULL;
    mco_overlay *o = NULL;
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    if (count < 6 || !take_method(argument[2], &p))
        return fprintf(stderr, "bench_overlay GROUP|NODES:DEGREE[:SKEW] METHOD ITERATIONS THREADS REPEATS [zero|half|auto]\n"), 2;
    p.iterations = atoll(argument[3]);
    p.threads = atoi(argument[4]);
    if (count > 6)
        p.start = argument[6][0] == 'z' ? MCO_OVERLAY_START_ZERO : argument[6][0] == 'h' ? MCO_OVERLAY_START_HALF : MCO_OVERLAY_START_AUTO;
    if (mco_context_create(&ctx, NULL) != MCO_OK || make(ctx, argument[1], &o) != MCO_OK)
        return fail(ctx);
    mco_context_set_callback(ctx, note, &c);
    printf("bound,iterations,near_cpu_s,last_cpu_s,iteration_cpu_s,iteration_s,before_mib,peak_mib,bytes_a_link\n");
    for (int k = 0; k < atoi(argument[5]); k++) {
        mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
        const double before_mib = peak_mib(), begin_s = seconds(CLOCK_PROCESS_CPUTIME_ID);
        c.count = 0;
        if (mco_overlay_bound(ctx, o, &p, &r) != MCO_OK)
            return fail(ctx);
        print(&c, begin_s, mco_overlay_links(o), before_mib);
        mco_overlay_bound_result_clear(ctx, &r);
    }
    mco_overlay_destroy(ctx, &o);
    mco_context_destroy(&ctx);
    return 0;
}
