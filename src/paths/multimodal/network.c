// SPDX-License-Identifier: MIT
// Multi-modal networks: functions become integer tables, arcs become two words each.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/blocks.h"
#include "base/structs.h"
#include "paths/multimodal/multimodal.h"

// ---- Functions

static int32_t gcd(int32_t a, int32_t b)
{
    while (b != 0) {
        const int32_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static mco_status test_times(mco_context *ctx, const mco_multimodal_function *f, int32_t k, int32_t period)
{
    if (f->count < 1 || f->time == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "function %d has %d points, 1 or more were expected", k, f->count);
    for (int32_t i = 0; i < f->count; i++)
        if (f->time[i] < 0 || f->time[i] >= period || (i > 0 && f->time[i] <= f->time[i - 1]))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "function %d: point %d is at %d s, times ascend from 0 to %d", k, i, f->time[i], period - 1);
    return MCO_OK;
}

static mco_status test_profile(mco_context *ctx, const mco_multimodal_function *f, int32_t k)
{
    for (int32_t i = 0; i < f->count; i++)
        if (f->factor == NULL || !(f->factor[i] > 0) || f->factor[i] > MCO_MULTIMODAL_MAX_FACTOR)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "function %d: factor %g at %d s, above 0 and at most %g were expected", k,
                            f->factor != NULL ? f->factor[i] : 0, f->time[i], MCO_MULTIMODAL_MAX_FACTOR);
    return MCO_OK;
}

// A ride that leaves later must not arrive earlier, the first of the next period included.
static mco_status test_timetable(mco_context *ctx, const mco_multimodal_function *f, int32_t k, int32_t period)
{
    for (int32_t i = 0; i < f->count; i++) {
        const int32_t next = i + 1 < f->count ? i + 1 : 0;
        const int64_t arrival = (int64_t)f->time[i] + f->ride[i];
        const int64_t later = (int64_t)f->time[next] + f->ride[next] + (next == 0 ? period : 0);
        if (f->ride[i] < 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "function %d: the ride at %d s takes %d s", k, f->time[i], f->ride[i]);
        if (later < arrival)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "function %d is not first in, first out: the ride at %d s arrives at %" PRId64
                            " s, the next one, at %d s, at %" PRId64 " s", k, f->time[i], arrival, f->time[next], later);
    }
    return MCO_OK;
}

static mco_status test_function(mco_context *ctx, const mco_multimodal_function *f, int32_t k, int32_t period)
{
    mco_status st = MCO_OK;
    switch (f->kind) {
    case MCO_MULTIMODAL_CONSTANT:
        break;
    case MCO_MULTIMODAL_PROFILE:
        MCO_TRY(test_times(ctx, f, k, period));
        MCO_TRY(test_profile(ctx, f, k));
        break;
    case MCO_MULTIMODAL_HEADWAY:
        if (f->headway < 1 || period % f->headway != 0 || f->offset < 0 || f->offset >= f->headway)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "function %d: headway %d and offset %d, a divisor of %d and an offset below it were expected",
                            k, f->headway, f->offset, period);
        break;
    case MCO_MULTIMODAL_TIMETABLE:
        MCO_TRY(test_times(ctx, f, k, period));
        if (f->ride == NULL)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "function %d has no rides", k);
        MCO_TRY(test_timetable(ctx, f, k, period));
        break;
    default:
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "function %d has the unknown kind %d", k, (int)f->kind);
    }
done:
    return st;
}

// The widest interval whose multiples are all times of the profile, and the period.
static int32_t interval_of(const mco_multimodal_function *f, int32_t period)
{
    int32_t width = period;
    for (int32_t i = 0; i < f->count; i++)
        width = gcd(width, f->time[i]);
    return width;
}

static int64_t points_of(const mco_multimodal_function *f, int32_t period)
{
    if (f->kind == MCO_MULTIMODAL_PROFILE)
        return period / interval_of(f, period);
    return f->kind == MCO_MULTIMODAL_TIMETABLE ? f->count : 0;
}

// The factor at `t` by the straight line between two points of the profile; `behind` is the first point after t, or their count.
static double factor_at(const mco_multimodal_function *f, int32_t period, int32_t t, int32_t behind)
{
    const int32_t a = (behind + f->count - 1) % f->count, b = behind % f->count;
    const int32_t from = f->time[a] - (behind == 0 ? period : 0), to = f->time[b] + (behind == f->count ? period : 0);
    return f->factor[a] + (f->factor[b] - f->factor[a]) * (t - from) / (double)(to - from);
}

static void make_profile(const mco_multimodal_function *f, int32_t period, mm_function *out, mm_point *point)
{
    int32_t behind = 0;
    out->width = interval_of(f, period);
    out->count = period / out->width;
    for (int32_t k = 0; k < out->count; k++) {
        while (behind < f->count && f->time[behind] <= k * out->width)
            behind++;
        const int32_t factor = (int32_t)nearbyint(factor_at(f, period, k * out->width, behind) * (1 << MM_FACTOR_BITS));
        point[k].a = factor > 0 ? factor : 1;
    }
    for (int32_t k = 0; k < out->count; k++)
        point[k].b = (point[(k + 1) % out->count].a - point[k].a) * (1 << MM_SLOPE_BITS) / out->width;
}

// The greatest decrease of the factor within one second. Within an interval that is its first second, because factors are rounded down;
// the last second of an interval leads to the point behind it.
static int32_t drop_of(const mm_function *f, const mm_point *point)
{
    int32_t drop = 0;
    for (int32_t k = 0; k < f->count; k++) {
        const mm_point *p = &point[f->first + k];
        const int32_t first = f->width > 1 ? p->a - mm_factor(f, point, k * f->width + 1) : 0;
        const int32_t last = mm_factor(f, point, k * f->width + f->width - 1) - point[f->first + (k + 1) % f->count].a;
        drop = first > drop ? first : drop;
        drop = last > drop ? last : drop;
    }
    return drop;
}

static void make_function(const mco_multimodal_function *f, int32_t period, mm_function *out, mm_point *all)
{
    mm_point *point = all + out->first;
    out->kind = (int32_t)f->kind;
    if (f->kind == MCO_MULTIMODAL_PROFILE) {
        make_profile(f, period, out, point);
    } else if (f->kind == MCO_MULTIMODAL_HEADWAY) {
        out->width = f->headway;
        out->offset = f->offset;
    } else if (f->kind == MCO_MULTIMODAL_TIMETABLE) {
        out->count = f->count;
        for (int32_t i = 0; i < f->count; i++)
            point[i] = (mm_point){f->time[i], f->ride[i]};
    }
}

static mco_status make_functions(mco_context *ctx, const mco_multimodal_parts *parts, mco_multimodal *network)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &network->function, parts->functions));
    MCO_TRY(mco_alloc(ctx, &network->drop, parts->functions));
    MCO_TRY(mco_alloc(ctx, &network->longest, parts->functions));
    for (int32_t k = 0; k < parts->functions; k++) {
        MCO_TRY(test_function(ctx, &parts->function[k], k, parts->period));
        network->function[k].first = (int32_t)network->points;
        network->points += points_of(&parts->function[k], parts->period);
        if (network->points > INT32_MAX)
            return mco_fail(ctx, MCO_ERR_LIMIT, "the functions have more than %d points", INT32_MAX);
    }
    MCO_TRY(mco_alloc(ctx, &network->point, network->points));
    for (int32_t k = 0; k < parts->functions; k++) {
        MCO_TRY(mco_read_in_time(ctx, "functions"));
        make_function(&parts->function[k], parts->period, &network->function[k], network->point);
        if (parts->function[k].kind == MCO_MULTIMODAL_PROFILE)
            network->drop[k] = drop_of(&network->function[k], network->point);
    }
done:
    return st;
}

mco_status mm_test_fifo(mco_context *ctx, const mco_multimodal *network, int32_t pace, const char *whose)
{
    const int64_t most = (int64_t)1 << (MM_FACTOR_BITS + MM_PACE_BITS);
    for (int32_t k = 0; k < network->functions; k++)
        if ((int64_t)network->longest[k] * pace * network->drop[k] > most)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "function %d is not first in, first out for an arc of %d s at the pace %g of %s: its factor"
                            " falls by %g in a second, %g is allowed", k, network->longest[k], (double)pace / (1 << MM_PACE_BITS), whose,
                            (double)network->drop[k] / (1 << MM_FACTOR_BITS),
                            (double)most / network->longest[k] / pace / (1 << MM_FACTOR_BITS));
    return MCO_OK;
}

// ---- Arcs

static mco_status test_arc(mco_context *ctx, const mco_multimodal_parts *parts, int64_t a)
{
    const mco_multimodal_arcs *arcs = &parts->arcs;
    const struct {
        const char *what;
        int32_t value, limit;
    } index[] = {{"tail", arcs->tail[a], parts->vertices},
                 {"head", arcs->head[a], parts->vertices},
                 {"label", arcs->label[a], parts->labels},
                 {"function", arcs->function[a], parts->functions},
                 {"number of seconds", arcs->seconds[a], MCO_PATHS_MAX_WEIGHT}};
    for (size_t k = 0; k < sizeof index / sizeof *index; k++)
        if (index[k].value < 0 || index[k].value >= index[k].limit)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "arc %" PRId64 " has the %s %d, 0 to %d were expected", a, index[k].what, index[k].value,
                            index[k].limit - 1);
    return MCO_OK;
}

static int32_t bits_of(int64_t values)
{
    int32_t bits = 0;
    while ((int64_t)1 << bits < values)
        bits++;
    return bits;
}

// Tests the arcs and settles how many bits of a word each part takes.
static mco_status settle_words(mco_context *ctx, const mco_multimodal_parts *parts, mco_multimodal *network)
{
    mco_status st = MCO_OK;
    int32_t longest = 0;
    for (int64_t a = 0; a < parts->arcs.count; a++) {
        MCO_TRY(test_arc(ctx, parts, a));
        const int32_t seconds = parts->arcs.seconds[a];
        int32_t *most = &network->longest[parts->arcs.function[a]];
        *most = seconds > *most ? seconds : *most;
        longest = seconds > longest ? seconds : longest;
    }
    network->tables.label_bits = bits_of(parts->labels);
    network->tables.function_bits = bits_of(parts->functions);
    const int32_t bits = network->tables.label_bits + network->tables.function_bits + bits_of((int64_t)longest + 1);
    if (bits > 32)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d labels, %d functions and %d s of an arc take %d bits together, at most 32 are allowed",
                        parts->labels, parts->functions, longest, bits);
done:
    return st;
}

static mco_status make_rows(mco_context *ctx, const mco_multimodal_parts *parts, mco_multimodal *network)
{
    mco_status st = MCO_OK;
    const mco_multimodal_arcs *arcs = &parts->arcs;
    const mm_tables *m = &network->tables;
    int64_t *next = NULL;
    MCO_TRY(mco_alloc(ctx, &network->first, (int64_t)parts->vertices + 1));
    MCO_TRY(mco_alloc(ctx, &next, (int64_t)parts->vertices + 1));
    MCO_TRY(mco_alloc(ctx, &network->arc, arcs->count));
    for (int64_t a = 0; a < arcs->count; a++)
        network->first[arcs->tail[a] + 1]++;
    for (int32_t v = 0; v < parts->vertices; v++)
        network->first[v + 1] += network->first[v];
    memcpy(next, network->first, ((size_t)parts->vertices + 1) * sizeof *next);
    for (int64_t a = 0; a < arcs->count; a++) {
        const uint64_t high = (uint64_t)arcs->seconds[a] << m->function_bits | (uint32_t)arcs->function[a];
        network->arc[next[arcs->tail[a]]++] = (mm_arc){arcs->head[a], (uint32_t)(high << m->label_bits | (uint32_t)arcs->label[a])};
    }
done:
    mco_free(ctx, &next);
    return st;
}

// ---- Networks

static mco_status copy_names(mco_context *ctx, const mco_multimodal_parts *parts, char ***out)
{
    mco_status st = MCO_OK;
    size_t bytes = (size_t)parts->labels * sizeof(char *);
    void *block = NULL;
    for (int32_t k = 0; k < parts->labels; k++)
        bytes += strlen(parts->label_name[k]) + 1;
    MCO_TRY(mco_alloc_bytes(ctx, &block, bytes, 1));
    char **names = block, *next = (char *)(names + parts->labels);
    for (int32_t k = 0; k < parts->labels; k++) {
        const size_t size = strlen(parts->label_name[k]) + 1;
        names[k] = memcpy(next, parts->label_name[k], size);
        next += size;
    }
    *out = names;
done:
    return st;
}

static mco_status copy_places(mco_context *ctx, const mco_multimodal_parts *parts, mco_multimodal *network)
{
    mco_status st = MCO_OK;
    if (parts->x == NULL || parts->y == NULL)
        return MCO_OK;
    MCO_TRY(mco_alloc(ctx, &network->x, parts->vertices));
    MCO_TRY(mco_alloc(ctx, &network->y, parts->vertices));
    memcpy(network->x, parts->x, (size_t)parts->vertices * sizeof *parts->x);
    memcpy(network->y, parts->y, (size_t)parts->vertices * sizeof *parts->y);
done:
    return st;
}

static mco_status test_parts(mco_context *ctx, const mco_multimodal_parts *parts)
{
    const mco_multimodal_arcs *arcs = &parts->arcs;
    if (parts->vertices < 0 || parts->vertices > MCO_GRAPH_MAX_VERTICES)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d vertices, 0 to %d were expected", parts->vertices, MCO_GRAPH_MAX_VERTICES);
    if (parts->period < 1 || parts->period > MCO_MULTIMODAL_MAX_PERIOD)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the period is %d s, 1 to %d were expected", parts->period, MCO_MULTIMODAL_MAX_PERIOD);
    if (parts->labels < 1 || parts->labels > MCO_MULTIMODAL_MAX_LABELS)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d labels, 1 to %d were expected", parts->labels, MCO_MULTIMODAL_MAX_LABELS);
    if (parts->functions < 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d functions, 1 or more were expected", parts->functions);
    if (parts->label_name == NULL || parts->function == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is NULL", parts->label_name == NULL ? "label_name" : "function");
    if (arcs->count < 0 || (arcs->count > 0 && (arcs->tail == NULL || arcs->head == NULL || arcs->label == NULL ||
                                                arcs->function == NULL || arcs->seconds == NULL)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " arcs, and an array of them is NULL", arcs->count);
    return MCO_OK;
}

mco_status mco_multimodal_create(mco_context *ctx, const mco_multimodal_parts *parts, mco_multimodal **out)
{
    mco_status st = MCO_OK;
    mco_multimodal *network = NULL;
    if (ctx == NULL || parts == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is NULL", ctx == NULL ? "the context" : parts == NULL ? "parts" : "out");
    MCO_TRY(test_parts(ctx, parts));
    MCO_TRY(mco_alloc(ctx, &network, 1));
    network->vertices = parts->vertices;
    network->labels = parts->labels;
    network->functions = parts->functions;
    network->arcs = parts->arcs.count;
    network->tables.period = parts->period;
    MCO_TRY(copy_names(ctx, parts, &network->label_name));
    MCO_TRY(copy_places(ctx, parts, network));
    MCO_TRY(make_functions(ctx, parts, network));
    MCO_TRY(settle_words(ctx, parts, network));
    MCO_TRY(mm_test_fifo(ctx, network, 1 << MM_PACE_BITS, "the network"));
    network->tables.function = network->function;
    network->tables.point = network->point;
    MCO_TRY(make_rows(ctx, parts, network));
    *out = network;
    network = NULL;
done:
    mco_multimodal_destroy(ctx, &network);
    return st;
}

void mco_multimodal_destroy(mco_context *ctx, mco_multimodal **network)
{
    if (network == NULL || *network == NULL)
        return;
    mco_multimodal *n = *network;
    mco_free(ctx, &n->first);
    mco_free(ctx, &n->arc);
    mco_free(ctx, &n->label_name);
    mco_free(ctx, &n->function);
    mco_free(ctx, &n->point);
    mco_free(ctx, &n->drop);
    mco_free(ctx, &n->longest);
    mco_free(ctx, &n->x);
    mco_free(ctx, &n->y);
    mco_free(ctx, network);
}

mco_status mco_multimodal_tell(mco_context *ctx, const mco_multimodal *network, mco_multimodal_facts *facts)
{
    mco_status st = MCO_OK;
    if (network == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the network is NULL");
    MCO_TRY(mco_struct_test(ctx, "facts", facts, sizeof *facts));
    mco_multimodal_facts f = MCO_MULTIMODAL_FACTS_INIT;
    f.vertices = network->vertices;
    f.labels = network->labels;
    f.functions = network->functions;
    f.period = network->tables.period;
    f.arcs = network->arcs;
    mco_struct_give(facts, &f, sizeof f);
done:
    return st;
}

const char *mco_multimodal_label_name(const mco_multimodal *network, int32_t label)
{
    return network != NULL && label >= 0 && label < network->labels ? network->label_name[label] : NULL;
}

int32_t mco_multimodal_label(const mco_multimodal *network, int64_t arc)
{
    if (network == NULL || arc < 0 || arc >= network->arcs)
        return -1;
    return (int32_t)mm_label(&network->tables, network->arc[arc].word);
}
