// SPDX-License-Identifier: MIT
// Instances: creation, Taillard's generator, and the writer of his format. Readers of files are in
// flowshop/formats.c.
#include "flowshop/instance.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/output.h"

enum { NAME_ROOM = 16 };  // a default name is a number, or M and a number

static mco_status default_names(mco_context *ctx, mco_flowshop *s)
{
    mco_status st = MCO_OK;
    int64_t count = (int64_t)s->jobs + s->machines;
    MCO_TRY(mco_alloc(ctx, &s->names, count * NAME_ROOM));
    MCO_TRY(mco_alloc(ctx, &s->job_names, s->jobs));
    MCO_TRY(mco_alloc(ctx, &s->machine_names, s->machines));
    char *next = s->names;
    for (int32_t j = 0; j < s->jobs; j++, next += NAME_ROOM) {
        s->job_names[j] = next;
        snprintf(next, NAME_ROOM, "%d", j + 1);
    }
    for (int32_t i = 0; i < s->machines; i++, next += NAME_ROOM) {
        s->machine_names[i] = next;
        snprintf(next, NAME_ROOM, "M%d", i + 1);
    }
done:
    return st;
}

static mco_status test_times(mco_context *ctx, int32_t jobs, int32_t machines, const int32_t *times)
{
    int32_t largest = 0;
    for (int64_t c = 0; c < (int64_t)jobs * machines; c++) {
        if (times[c] < 0 || times[c] > MCO_FLOWSHOP_MAX_TIME)
            return mco_fail(ctx, MCO_ERR_LIMIT, "the time of job %lld on machine %lld is %d, allowed is 0 to %d",
                            (long long)(c % jobs) + 1, (long long)(c / jobs) + 1, times[c], MCO_FLOWSHOP_MAX_TIME);
        if (times[c] > largest)
            largest = times[c];
    }
    int64_t longest_path = ((int64_t)jobs + machines - 1) * largest;
    if (jobs > 0 && longest_path > INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "(jobs + machines - 1) * largest time = (%d + %d - 1) * %d = %lld, allowed is %d", jobs,
                        machines, largest, (long long)longest_path, INT32_MAX);
    return MCO_OK;
}

mco_status mco_flowshop_create(mco_context *ctx, int32_t jobs, int32_t machines, const int32_t *times,
                               mco_flowshop **out)
{
    mco_status st = MCO_OK;
    mco_flowshop *s = NULL;
    if (ctx == NULL || out == NULL || (times == NULL && jobs > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (jobs < 0 || jobs > MCO_FLOWSHOP_MAX_JOBS || machines < 1 || machines > MCO_FLOWSHOP_MAX_MACHINES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d jobs and %d machines, allowed are 0 to %d and 1 to %d", jobs,
                        machines, MCO_FLOWSHOP_MAX_JOBS, MCO_FLOWSHOP_MAX_MACHINES);
    MCO_TRY(test_times(ctx, jobs, machines, times));
    MCO_TRY(mco_alloc(ctx, &s, 1));
    s->jobs = jobs;
    s->machines = machines;
    s->scale = 1;
    s->best_makespan = s->best_bound = -1;
    snprintf(s->name, sizeof s->name, "flowshop-%dx%d", jobs, machines);
    MCO_TRY(mco_alloc(ctx, &s->times, (int64_t)jobs * machines));
    if (jobs > 0)
        memcpy(s->times, times, (size_t)jobs * (size_t)machines * sizeof *times);
    MCO_TRY(default_names(ctx, s));
    *out = s;
    s = NULL;
done:
    mco_flowshop_destroy(ctx, &s);
    return st;
}

void mco_flowshop_destroy(mco_context *ctx, mco_flowshop **shop)
{
    if (shop == NULL || *shop == NULL)
        return;
    mco_flowshop *s = *shop;
    mco_free(ctx, &s->given_names[1]);
    mco_free(ctx, &s->given_names[0]);
    mco_free(ctx, &s->names);
    mco_free(ctx, &s->machine_names);
    mco_free(ctx, &s->job_names);
    mco_free(ctx, &s->times);
    mco_free(ctx, shop);
}

// Park and Miller's generator as Taillard uses it: x <- 16807 x mod (2^31 - 1). Schrage's split keeps x within 32 bits.
// A time is 1 + floor(99 x / (2^31 - 1)). Times are drawn machine by machine.
static int32_t next_time(int32_t *seed)
{
    enum { A = 16807, M = 2147483647, Q = 127773, R = 2836, LARGEST = 99 };
    int32_t k = *seed / Q;
    *seed = A * (*seed % Q) - k * R;
    if (*seed < 0)
        *seed += M;
    return 1 + (int32_t)((int64_t)*seed * LARGEST / M);
}

mco_status mco_flowshop_generate(mco_context *ctx, int32_t jobs, int32_t machines, int32_t seed,
                                 mco_flowshop **out)
{
    mco_status st = MCO_OK;
    int32_t *times = NULL;
    if (ctx == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (seed < 1 || seed > INT32_MAX - 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the seed is %d, allowed is 1 to %d", seed, INT32_MAX - 1);
    if (jobs < 0 || jobs > MCO_FLOWSHOP_MAX_JOBS || machines < 1 || machines > MCO_FLOWSHOP_MAX_MACHINES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d jobs and %d machines, allowed are 0 to %d and 1 to %d", jobs,
                        machines, MCO_FLOWSHOP_MAX_JOBS, MCO_FLOWSHOP_MAX_MACHINES);
    int64_t count = (int64_t)jobs * machines;
    MCO_TRY(mco_alloc(ctx, &times, count));
    int32_t state = seed;
    for (int64_t c = 0; c < count; c++)
        times[c] = next_time(&state);
    MCO_TRY(mco_flowshop_create(ctx, jobs, machines, times, out));
    (*out)->seed = seed;
done:
    mco_free(ctx, &times);
    return st;
}

typedef struct taillard_fact {
    const char *name;
    int32_t jobs, machines, seed;
    int64_t best_makespan, best_bound;
} taillard_fact;

mco_status mco_flowshop_taillard(mco_context *ctx, const char *name, mco_flowshop **out)
{
#include "flowshop/taillard.def"
#define FACT(...) {__VA_ARGS__},
    static const taillard_fact facts[] = {MCO_FLOWSHOP_TAILLARD(FACT)};
    if (ctx == NULL || name == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const taillard_fact *f = &facts[i];
        if (strcasecmp(name, f->name) != 0)
            continue;
        mco_status st = mco_flowshop_generate(ctx, f->jobs, f->machines, f->seed, out);
        if (st == MCO_OK) {
            (*out)->best_makespan = f->best_makespan;
            (*out)->best_bound = f->best_bound;
            snprintf((*out)->name, sizeof (*out)->name, "%s", f->name);
        }
        return st;
    }
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "\"%s\" names no instance of Taillard's: they are ta001 to ta120", name);
}

mco_status mco_flowshop_write(mco_context *ctx, const mco_flowshop *shop, const char *path)
{
    mco_output o;
    if (ctx == NULL || shop == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    // Best known values come from the line of sizes of such a file, which has integers.
    fprintf(o.file, "number of jobs, number of machines, initial seed, upper bound and lower bound :\n");
    fprintf(o.file, "%12d%12d%12d%12lld%12lld\nprocessing times :\n", shop->jobs, shop->machines, shop->seed,
            (long long)(shop->best_makespan < 0 ? 0 : shop->best_makespan / shop->scale),
            (long long)(shop->best_bound < 0 ? 0 : shop->best_bound / shop->scale));
    for (int32_t i = 0; i < shop->machines; i++) {
        char text[FLOWSHOP_UNITS_TEXT];
        for (int32_t j = 0; j < shop->jobs; j++)
            fprintf(o.file, j == 0 ? "%2s" : " %2s", flowshop_units_text(shop, mco_flowshop_time(shop, i, j), text));
        fputc('\n', o.file);
    }
    return mco_output_commit(ctx, &o, false);
}

// ---- What an instance says about itself

const char *flowshop_units_text(const mco_flowshop *shop, int64_t value, char text[FLOWSHOP_UNITS_TEXT])
{
    if (shop->places == 0)
        snprintf(text, FLOWSHOP_UNITS_TEXT, "%lld", (long long)value);
    else
        snprintf(text, FLOWSHOP_UNITS_TEXT, "%lld.%0*lld", (long long)(value / shop->scale), shop->places,
                 (long long)(value % shop->scale));
    return text;
}

int32_t mco_flowshop_scale(const mco_flowshop *shop)
{
    return shop != NULL ? shop->scale : 1;
}

int32_t mco_flowshop_jobs(const mco_flowshop *shop)
{
    return shop != NULL ? shop->jobs : 0;
}

int32_t mco_flowshop_machines(const mco_flowshop *shop)
{
    return shop != NULL ? shop->machines : 0;
}

int32_t mco_flowshop_time(const mco_flowshop *shop, int32_t machine, int32_t job)
{
    return shop != NULL ? shop->times[(int64_t)machine * shop->jobs + job] : 0;
}

const char *mco_flowshop_name(const mco_flowshop *shop)
{
    return shop != NULL ? shop->name : NULL;
}

const char *mco_flowshop_job_name(const mco_flowshop *shop, int32_t job)
{
    return shop != NULL ? shop->job_names[job] : NULL;
}

const char *mco_flowshop_machine_name(const mco_flowshop *shop, int32_t machine)
{
    return shop != NULL ? shop->machine_names[machine] : NULL;
}

void mco_flowshop_best_known(const mco_flowshop *shop, int64_t *makespan, int64_t *bound)
{
    if (makespan != NULL)
        *makespan = shop != NULL ? shop->best_makespan : -1;
    if (bound != NULL)
        *bound = shop != NULL ? shop->best_bound : -1;
}

static uint64_t fnv1a(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3u;
    return hash;
}

uint64_t flowshop_fingerprint(const mco_flowshop *shop)
{
    uint64_t hash = 0xcbf29ce484222325u;
    hash = fnv1a(hash, &shop->jobs, sizeof shop->jobs);
    hash = fnv1a(hash, &shop->machines, sizeof shop->machines);
    return fnv1a(hash, shop->times, (size_t)shop->jobs * (size_t)shop->machines * sizeof *shop->times);
}
