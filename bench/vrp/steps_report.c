// SPDX-License-Identifier: MIT
// Rows of the result, on the standard output and in a file; the end of a program that cannot continue.
#include "steps.h"

#include <stdarg.h>
#include <stdlib.h>

static void print_row(FILE *f, const steps_row *r)
{
    static const char *const TYPE[] = {"complete-3opt", NULL, "2opt", "3opt"};
    fprintf(f, "%s,%s,%d,%s,%s,%.6g,", r->step, TYPE[r->cuts], r->nodes, r->variant, r->kernel, r->ms);
    if (r->registers >= 0)
        fprintf(f, "%d,%d,%.3f,", r->registers, r->local_bytes, r->occupancy);
    else
        fprintf(f, ",,,");
    if (r->moves > 0)
        fprintf(f, "%.4g", (double)r->moves / r->ms / 1e6);
    fprintf(f, ",");
    if (r->block > 0)
        fprintf(f, "%d", r->block);
    fprintf(f, ",");
    if (r->counted_bytes > 0)
        fprintf(f, "%.4g", r->counted_bytes / r->ms / 1e6);
    fprintf(f, "\n");
    fflush(f);
}

steps_row steps_row_of(const char *step, const char *variant, const char *kernel, int cuts, int32_t nodes, int64_t moves,
                       double ms)
{
    return (steps_row){.step = step,
                       .variant = variant,
                       .kernel = kernel,
                       .cuts = cuts,
                       .nodes = nodes,
                       .ms = ms,
                       .registers = -1,
                       .moves = moves};
}

void steps_report_row(const steps_report *r, const steps_row *row)
{
    print_row(stdout, row);
    if (r->csv)
        print_row(r->csv, row);
}

void steps_report_line(const steps_report *r, const char *format, ...)
{
    FILE *const files[] = {stdout, r->csv};
    for (int k = 0; k < 2; k++)
        if (files[k]) {
            va_list args;
            va_start(args, format);
            vfprintf(files[k], format, args);
            va_end(args);
            fputc('\n', files[k]);
        }
}

void steps_die(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "bench_vrp_steps: ");
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(EXIT_FAILURE);
}

void *steps_take(int64_t count, int64_t bytes)
{
    void *p = calloc((size_t)count, (size_t)bytes);
    if (!p)
        steps_die("no memory for %lld items of %lld bytes", (long long)count, (long long)bytes);
    return p;
}
