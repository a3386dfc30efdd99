// SPDX-License-Identifier: MIT
#include "render/report.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/output.h"
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

void mco_report_write_gpu(mco_json *json, const mco_gpu *gpu, const char *unusable)
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

static void write_problem(mco_json *json, const mco_report *r)
{
    mco_json_open(json, "problem", '{');
    mco_json_text(json, "kind", r->kind);
    mco_json_text(json, "name", r->name);
    write_part(json, "sizes", r->write_sizes, r->user, '{', '}');
    mco_json_close(json, '}');
}

double mco_report_gap(double objective, double bound)
{
    if (objective == bound)
        return 0;
    return objective > 0 ? fabs(objective - bound) / objective : NAN;
}

static void write_options(mco_json *json, const mco_report *r)
{
    mco_json_open(json, "options", '{');
    mco_options_echo(json, r->options.table, r->options.params);
    for (const mco_option_values *v = r->more; v != NULL && v->table != NULL; v++)
        mco_options_echo(json, v->table, v->params);
    mco_json_close(json, '}');
}

static mco_status write_engine(mco_context *ctx, mco_json *json, const mco_work *w)
{
    mco_gpu gpus[MCO_MAX_GPUS];
    int count = 0;
    const char *reason;
    const mco_status st = w->gpus != 0 ? mco_gpus_list(ctx, gpus, &count, &reason) : MCO_OK;
    mco_json_open(json, "engine", '{');
    mco_json_text(json, "name", mco_engine_text(w->engine));
    mco_json_integer(json, "threads", w->threads);
    mco_json_open(json, "devices", '[');
    for (int i = 0; i < count; i++)
        if (w->gpus >> gpus[i].index & 1)
            mco_report_write_gpu(json, &gpus[i], NULL);
    mco_json_close(json, ']');
    mco_json_close(json, '}');
    return st;
}

static void write_times(const mco_context *ctx, mco_json *json, const mco_work *w)
{
    mco_json_open(json, "time", '{');
    mco_json_real(json, "wall_s", mco_clock_s() - ctx->created_s);
    mco_json_real(json, "solve_s", w->solve_s);
    mco_json_real(json, "cpu_s", mco_cpu_clock_s());
    mco_json_real(json, "device_s", w->device_s);
    mco_json_close(json, '}');
}

static void write_history(mco_json *json, const mco_report *r)
{
    mco_json_open(json, "history", '[');
    for (int64_t i = 0; i < r->history_count; i++) {
        mco_json_open(json, NULL, '[');
        mco_json_real(json, NULL, r->history[i].time_s);
        mco_json_real(json, NULL, r->history[i].objective);
        mco_json_real(json, NULL, r->history[i].bound);
        mco_json_close(json, ']');
    }
    mco_json_close(json, ']');
}

// A result that fails its check is never written, so ok is true or, without a check, null.
static void write_check(mco_json *json, const mco_report *r)
{
    mco_json_open(json, "check", '{');
    if (r->is_unchecked)
        mco_json_null(json, "ok");
    else
        mco_json_bool(json, "ok", true);
    mco_json_real(json, "objective", r->is_unchecked ? NAN : r->objective);
    mco_json_close(json, '}');
}

static mco_status write_members(mco_context *ctx, mco_json *json, const mco_report *r)
{
    mco_json_integer(json, "schema", SCHEMA);
    mco_json_open(json, "tool", '{');
    mco_json_text(json, "version", mco_version());
    mco_json_text(json, "git", mco_version_git());
    mco_json_close(json, '}');
    write_problem(json, r);
    mco_json_text(json, "outcome", mco_outcome_text(r->outcome));
    mco_json_text(json, "stop", mco_stop_text(r->stop));
    if (r->reason != NULL && r->reason[0] != '\0')
        mco_json_text(json, "reason", r->reason);
    else
        mco_json_null(json, "reason");
    mco_json_real(json, "objective", r->objective);
    mco_json_real(json, "bound", r->bound);
    mco_json_real(json, "gap", r->gap != NULL ? *r->gap : mco_report_gap(r->objective, r->bound));
    mco_json_integer(json, "seed", r->seed);
    write_options(json, r);
    const mco_status st = write_engine(ctx, json, r->work);
    write_times(ctx, json, r->work);
    write_part(json, "counters", r->write_counters, r->user, '{', '}');
    write_history(json, r);
    write_part(json, "solution", r->write_solution, r->user, '{', '}');
    write_check(json, r);
    return st;
}

mco_status mco_report_write(mco_context *ctx, const mco_report *report, const char *path)
{
    mco_status st = MCO_OK;
    mco_output o = {0};
    mco_json json;
    MCO_TRY(mco_output_open(ctx, path, &o));
    mco_json_begin(&json, o.file);
    mco_json_open(&json, NULL, '{');
    MCO_TRY(write_members(ctx, &json, report));
    mco_json_close(&json, '}');
    mco_json_end(&json);
    MCO_TRY(mco_output_commit(ctx, &o, false));
done:
    mco_output_discard(&o);
    return st;
}

// ---- Reading

typedef struct wanted {
    const char *kind;
    const mco_report_member *members;  // [count]
    size_t count;
    void *user;
} wanted;

static const mco_report_member *find_member(const wanted *w, const char *key, bool is_inside)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->members[i].is_inside == is_inside && strcmp(w->members[i].key, key) == 0)
            return &w->members[i];
    return NULL;
}

// The object "problem": a file of another problem has nothing that is wanted here.
static mco_status read_problem(mco_text *text, const char *own)
{
    enum { ROOM = 32 };
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[ROOM], kind[ROOM];
    MCO_TRY(mco_json_enter(text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        if (strcmp(key, "kind") != 0) {
            MCO_TRY(mco_json_skip(text));
            continue;
        }
        MCO_TRY(mco_json_read_text(text, kind, sizeof kind));
        if (strcmp(kind, own) != 0)
            MCO_TRY(mco_text_fail_here(text, "this is a result of mco %s, one of mco %s was expected", kind, own));
    }
done:
    return st;
}

static mco_status read_object(mco_text *text, const wanted *w, bool is_inside)
{
    enum { KEY_ROOM = 32 };
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[KEY_ROOM];
    MCO_TRY(mco_json_enter(text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        const mco_report_member *member = find_member(w, key, is_inside);
        const bool is_solution = member == NULL && !is_inside && strcmp(key, "solution") == 0;
        if ((member != NULL || is_solution) && mco_json_skip_word(text, "null"))
            continue;
        if (!is_inside && strcmp(key, "problem") == 0) {
            MCO_TRY(read_problem(text, w->kind));
            continue;
        }
        MCO_TRY(member != NULL ? member->read(text, w->user) : is_solution ? read_object(text, w, true) : mco_json_skip(text));
    }
done:
    return st;
}

mco_status mco_report_read(mco_text *text, const char *kind, const mco_report_member *members, size_t count, void *user)
{
    mco_status st = MCO_OK;
    const wanted w = {kind, members, count, user};
    MCO_TRY(read_object(text, &w, false));
    if (mco_text_skip_blank(text))
        MCO_TRY(mco_text_fail_here(text, "the result ends before \"%c\"", text->data[text->at]));
done:
    return st;
}
