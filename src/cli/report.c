// SPDX-License-Identifier: MIT
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "mco/version.h"

enum { SCHEMA = 1 };

static void write_part(mco_json *json, const char *key, void (*write)(mco_json *, const void *), const void *user,
                       char open, char close)
{
    mco_json_open(json, key, open);
    if (write != NULL)
        write(json, user);
    mco_json_close(json, close);
}

void cli_write_gpu(mco_json *json, const mco_gpu *gpu, const char *unusable)
{
    mco_json_open(json, NULL, '{');
    mco_json_integer(json, "index", gpu->index);
    mco_json_text(json, "name", gpu->name);
    mco_json_text(json, "bus_id", gpu->bus_id);
    mco_json_real(json, "capability", gpu->major + gpu->minor / 10.0);
    mco_json_integer(json, "multiprocessors", gpu->multiprocessors);
    mco_json_integer(json, "clock_mhz", gpu->clock_mhz);
    mco_json_integer(json, "memory_bytes", (int64_t)gpu->memory_bytes);
    if (gpu->free_bytes > 0)
        mco_json_integer(json, "free_bytes", (int64_t)gpu->free_bytes);
    else
        mco_json_null(json, "free_bytes");
    mco_json_integer(json, "l2_bytes", (int64_t)gpu->l2_bytes);
    mco_json_real(json, "peak_bytes_per_s", gpu->peak_bytes_per_s);
    if (unusable != NULL)
        mco_json_text(json, "unusable", unusable);
    mco_json_close(json, '}');
}

static void write_problem(mco_json *json, const cli_report *r)
{
    mco_json_open(json, "problem", '{');
    mco_json_text(json, "kind", r->kind);
    mco_json_text(json, "name", r->name);
    write_part(json, "sizes", r->write_sizes, r->user, '{', '}');
    mco_json_close(json, '}');
}

static double relative_gap(double objective, double bound)
{
    if (objective == bound)
        return 0;
    return objective > 0 ? fabs(objective - bound) / objective : NAN;
}

static void write_options(mco_json *json, const cli_report *r)
{
    mco_json_open(json, "options", '{');
    for (const cli_table *t = r->options; t->options != NULL; t++)
        mco_options_echo(json, t->options, t->count, t->params);
    mco_json_close(json, '}');
}

static void write_engine(mco_json *json, const cli_report *r)
{
    mco_json_open(json, "engine", '{');
    mco_json_text(json, "name", r->engine);
    mco_json_integer(json, "threads", r->threads);
    mco_json_open(json, "devices", '[');
    for (int i = 0; i < r->gpu_count; i++)
        cli_write_gpu(json, &r->gpus[i], NULL);
    mco_json_close(json, ']');
    mco_json_close(json, '}');
}

static void write_times(mco_json *json, const cli_report *r)
{
    mco_json_open(json, "time", '{');
    mco_json_real(json, "wall_s", mco_clock_s() - r->start_s);
    mco_json_real(json, "solve_s", r->solve_s);
    mco_json_real(json, "cpu_s", mco_cpu_clock_s());
    mco_json_real(json, "device_s", r->device_s);
    mco_json_close(json, '}');
}

// A result that fails the check never gets here.
static void write_check(mco_json *json, const cli_report *r)
{
    mco_json_open(json, "check", '{');
    if (r->is_unchecked)
        mco_json_null(json, "ok");
    else
        mco_json_bool(json, "ok", true);
    mco_json_real(json, "objective", r->is_unchecked ? NAN : r->objective);
    mco_json_close(json, '}');
}

static void write_report(FILE *file, const cli_report *r)
{
    mco_json json;
    mco_json_begin(&json, file);
    mco_json_open(&json, NULL, '{');
    mco_json_integer(&json, "schema", SCHEMA);
    mco_json_open(&json, "tool", '{');
    mco_json_text(&json, "version", mco_version());
    mco_json_text(&json, "git", mco_version_git());
    mco_json_close(&json, '}');
    write_problem(&json, r);
    mco_json_text(&json, "outcome", mco_outcome_text(r->outcome));
    mco_json_text(&json, "stop", mco_stop_text(r->stop));
    mco_json_real(&json, "objective", r->objective);
    mco_json_real(&json, "bound", r->bound);
    mco_json_real(&json, "gap", relative_gap(r->objective, r->bound));
    mco_json_integer(&json, "seed", r->seed);
    write_options(&json, r);
    write_engine(&json, r);
    write_times(&json, r);
    write_part(&json, "counters", r->write_counters, r->user, '{', '}');
    write_part(&json, "history", r->write_history, r->user, '[', ']');
    write_part(&json, "solution", r->write_solution, r->user, '{', '}');
    write_check(&json, r);
    mco_json_close(&json, '}');
    mco_json_end(&json);
}

void cli_write_history_entry(mco_json *json, double time_s, double cost, double bound)
{
    mco_json_open(json, NULL, '[');
    mco_json_real(json, NULL, time_s);
    mco_json_real(json, NULL, cost);
    mco_json_real(json, NULL, bound);
    mco_json_close(json, ']');
}

mco_status cli_write_report(mco_context *ctx, const char *path, const cli_report *report)
{
    mco_output o;
    mco_status st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    write_report(o.file, report);
    return mco_output_commit(ctx, &o, false);
}

void cli_print_engine(const char *engine, const mco_gpu *gpu, double device_s, int threads, const char *simd)
{
    printf("engine %s (", engine);
    if (gpu != NULL)
        printf("%s, kernels %.3f s", gpu->name, device_s);
    else
        printf("%d thread%s", threads, mco_plural(threads));
    if (gpu == NULL && simd != NULL && strcmp(simd, "none") != 0)
        printf(", simd %s", simd);
    printf(")");
}
