// SPDX-License-Identifier: MIT
// Random instances. The instances of Boschetti, Maniezzo, Roffilli (2011) are lost. The rule below was found from the values that
// Strappaveccia (2015) prints: README.md compares them.
//
// Groups grafo{N}{a|b}-{L}: N nodes, all pairs, uptimes uniform in [0, 1), bandwidths uniform integers; every link carries at least L.
//     b   bandwidths from L to 256, a link carries at most the lesser bandwidth of its ends
//     a   bandwidths from L to 4000, a link carries at most 20 too, or at most L where L is more
// Sparse graphs. With equal degrees: nodes stand on a circle in random order, and links join those at random distances, the same ones
// all around. With --skew S: both ends of a link are drawn, rank r with a probability that falls as r^-S; pairs drawn twice count once.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/options.h"
#include "base/rng.h"
#include "base/structs.h"
#include "overlay/instance.h"

enum { NAME_ROOM = 64, HIGHEST_B = 256, HIGHEST_A = 4000, CAP_A = 20, LOWEST = 14 };

#define MCO_OPTION_STRUCT mco_overlay_generation
static const mco_option records[] = {MCO_OPTION_RECORDS(MCO_OVERLAY_GENERATION_OPTIONS)};
static const mco_option_table options = MCO_OPTION_TABLE(records);

const mco_option_table *mco_overlay_generation_options(void)
{
    return &options;
}

typedef struct generator {
    mco_context *ctx;
    const mco_overlay_generation *g;
    char name[NAME_ROOM];
    int32_t nodes;
    int64_t lowest, highest, least, most;  // bandwidths; limits of links, most -1: none
    double *uptime;
    int64_t *bandwidth;
    mco_rng rng;
} generator;

// ---- Groups

static mco_status take_group(generator *m)
{
    static const int32_t sizes[] = {50, 100, 250, 500, 750, 1000};
    static const int64_t lows[] = {14, 128};
    for (size_t n = 0; n < sizeof sizes / sizeof *sizes; n++)
        for (int kind = 'a'; kind <= 'b'; kind++)
            for (size_t l = 0; l < sizeof lows / sizeof *lows; l++) {
                snprintf(m->name, sizeof m->name, "grafo%" PRId32 "%c-%" PRId64, sizes[n], kind, lows[l]);
                if (strcmp(m->name, m->g->group) != 0)
                    continue;
                m->nodes = sizes[n];
                m->lowest = m->least = lows[l];
                m->highest = kind == 'a' ? HIGHEST_A : HIGHEST_B;
                m->most = kind == 'a' ? (lows[l] > CAP_A ? lows[l] : CAP_A) : -1;
                return MCO_OK;
            }
    return mco_fail(m->ctx, MCO_ERR_ARGUMENT, "--group %.40s is none of the groups, which are grafoN{a|b}-{14|128} with N 50, 100, 250, 500, "
                    "750 or 1000", m->g->group);
}

static void take_nodes(generator *m)
{
    m->nodes = (int32_t)m->g->nodes;
    m->lowest = m->least = LOWEST;
    m->highest = HIGHEST_B;
    m->most = -1;
    if (m->g->degree >= 0)
        snprintf(m->name, sizeof m->name, "overlay-n%" PRId32 "-d%" PRId64 "-s%" PRId64, m->nodes, m->g->degree, m->g->seed);
    else
        snprintf(m->name, sizeof m->name, "overlay-n%" PRId32 "-s%" PRId64, m->nodes, m->g->seed);
}

static mco_status draw_nodes(generator *m)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(m->ctx, &m->uptime, m->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->bandwidth, m->nodes));
    for (int32_t i = 0; i < m->nodes; i++) {
        m->uptime[i] = mco_rng_real(&m->rng);
        m->bandwidth[i] = m->lowest + mco_rng_below(&m->rng, (uint32_t)(m->highest - m->lowest + 1));
    }
done:
    return st;
}

// ---- Equal degrees

// A random order of the nodes.
static mco_status shuffle(generator *m, int32_t **out)
{
    mco_status st = MCO_OK;
    int32_t *order = NULL;
    MCO_TRY(mco_alloc(m->ctx, &order, m->nodes));
    for (int32_t i = 0; i < m->nodes; i++) {
        const int32_t j = (int32_t)mco_rng_below(&m->rng, (uint32_t)i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    *out = order;
done:
    return st;
}

// Different distances from 1 to (nodes - 1) / 2, `count` of them (Floyd 1987).
static mco_status draw_distances(generator *m, int64_t count, int32_t **out)
{
    mco_status st = MCO_OK;
    int32_t *distance = NULL;
    bool *is_taken = NULL;
    const int32_t most = (m->nodes - 1) / 2;
    MCO_TRY(mco_alloc(m->ctx, &distance, count));
    MCO_TRY(mco_alloc(m->ctx, &is_taken, (int64_t)most + 1));
    for (int64_t k = 0; k < count; k++) {
        const int32_t last = most - (int32_t)(count - 1 - k);
        const int32_t drawn = 1 + (int32_t)mco_rng_below(&m->rng, (uint32_t)last);
        distance[k] = is_taken[drawn] ? last : drawn;
        is_taken[distance[k]] = true;
    }
    *out = distance;
    distance = NULL;
done:
    mco_free(m->ctx, &is_taken);
    mco_free(m->ctx, &distance);
    return st;
}

static mco_status join_circle(generator *m, mco_overlay *o)
{
    mco_status st = MCO_OK;
    int32_t *order = NULL, *distance = NULL;
    const int64_t degree = m->g->degree;
    MCO_TRY(mco_alloc(m->ctx, &o->first, (int64_t)m->nodes + 1));
    MCO_TRY(mco_alloc(m->ctx, &o->to, degree * m->nodes));
    MCO_TRY(shuffle(m, &order));
    MCO_TRY(draw_distances(m, degree / 2, &distance));
    for (int32_t i = 0; i < m->nodes; i++)
        o->first[i + 1] = o->first[i] + degree;
    for (int32_t place = 0; place < m->nodes; place++) {
        int32_t *row = o->to + (int64_t)order[place] * degree;
        for (int64_t k = 0; k < degree / 2; k++) {
            const int64_t on = (int64_t)place + distance[k], back = (int64_t)place - distance[k];
            *row++ = order[on < m->nodes ? on : on - m->nodes];
            *row++ = order[back >= 0 ? back : back + m->nodes];
        }
        if (degree % 2 == 1)
            *row++ = order[((int64_t)place + m->nodes / 2) % m->nodes];
    }
done:
    mco_free(m->ctx, &distance);
    mco_free(m->ctx, &order);
    return st;
}

static mco_status refuse_degree(const generator *m)
{
    const int64_t degree = m->g->degree;
    if (degree >= m->nodes && degree > 0)
        return mco_fail(m->ctx, MCO_ERR_ARGUMENT, "--degree %" PRId64 " of %" PRId32 " nodes, most is %" PRId32, degree, m->nodes, m->nodes - 1);
    if (degree % 2 == 1 && m->nodes % 2 == 1)
        return mco_fail(m->ctx, MCO_ERR_ARGUMENT, "--degree %" PRId64 " of %" PRId32 " nodes: one of both must be even", degree, m->nodes);
    if (degree * m->nodes / 2 > MCO_OVERLAY_MAX_LINKS)
        return mco_fail(m->ctx, MCO_ERR_LIMIT, "%" PRId64 " links, allowed are %" PRId64, degree * m->nodes / 2, MCO_OVERLAY_MAX_LINKS);
    return MCO_OK;
}

// ---- Skewed degrees

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// A rank by its weight: the first whose cumulated weight exceeds a number that is drawn.
static int32_t draw_rank(generator *m, const double *cumulated)
{
    const double drawn = mco_rng_real(&m->rng) * cumulated[m->nodes - 1];
    int32_t low = 0, high = m->nodes - 1;
    while (low < high) {
        const int32_t middle = low + (high - low) / 2;
        if (cumulated[middle] > drawn)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

// Draws pairs as two words of 32 bits, the lesser end first. *count: different ones.
static mco_status draw_pairs(generator *m, uint64_t **out, int64_t *count)
{
    mco_status st = MCO_OK;
    double *cumulated = NULL, sum = 0;
    uint64_t *pair = NULL;
    int32_t *order = NULL;
    const int64_t drawn = m->g->degree * m->nodes / 2;
    int64_t kept = 0;
    MCO_TRY(mco_alloc(m->ctx, &cumulated, m->nodes));
    MCO_TRY(mco_alloc(m->ctx, &pair, drawn));
    MCO_TRY(shuffle(m, &order));
    for (int32_t r = 0; r < m->nodes; r++)
        cumulated[r] = sum += pow(r + 1.0, -m->g->skew);
    for (int64_t k = 0; k < drawn; k++) {
        const uint32_t a = (uint32_t)order[draw_rank(m, cumulated)], b = (uint32_t)order[draw_rank(m, cumulated)];
        if (a != b)
            pair[kept++] = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    }
    if (kept > 0)
        qsort(pair, (size_t)kept, sizeof *pair, compare_pairs);
    *count = 0;
    for (int64_t k = 0; k < kept; k++)
        if (k == 0 || pair[k] != pair[k - 1])
            pair[(*count)++] = pair[k];
    *out = pair;
    pair = NULL;
done:
    mco_free(m->ctx, &order);
    mco_free(m->ctx, &pair);
    mco_free(m->ctx, &cumulated);
    return st;
}

static mco_status make_skewed(generator *m, mco_overlay_data *data, mco_overlay **out)
{
    mco_status st = MCO_OK;
    uint64_t *pair = NULL;
    int32_t *from = NULL, *to = NULL;
    MCO_TRY(draw_pairs(m, &pair, &data->links));
    MCO_TRY(mco_alloc(m->ctx, &from, data->links));
    MCO_TRY(mco_alloc(m->ctx, &to, data->links));
    for (int64_t k = 0; k < data->links; k++) {
        from[k] = (int32_t)(pair[k] >> 32);
        to[k] = (int32_t)(pair[k] & UINT32_MAX);
    }
    data->from = from;
    data->to = to;
    MCO_TRY(mco_overlay_create(m->ctx, m->name, data, out));
done:
    mco_free(m->ctx, &to);
    mco_free(m->ctx, &from);
    mco_free(m->ctx, &pair);
    return st;
}

// ---- The instance

static mco_status make_circle(generator *m, mco_overlay_data *data, mco_overlay **out)
{
    mco_status st = MCO_OK;
    mco_overlay *o = NULL;
    data->links = m->g->degree * m->nodes / 2;
    MCO_TRY(overlay_new(m->ctx, m->name, data, &o));
    MCO_TRY(join_circle(m, o));
    MCO_TRY(overlay_settle(m->ctx, o));
    *out = o;
    o = NULL;
done:
    mco_overlay_destroy(m->ctx, &o);
    return st;
}

static mco_status take_generation(generator *m)
{
    mco_status st = MCO_OK;
    const mco_overlay_generation *g = m->g;
    if ((g->group != NULL) == (g->nodes >= 0))
        return mco_fail(m->ctx, MCO_ERR_ARGUMENT, "%s of --group and --nodes is given, one was expected", g->group != NULL ? "each" : "none");
    if (g->degree < 0 && g->skew > 0)
        return mco_fail(m->ctx, MCO_ERR_ARGUMENT, "--skew is for sparse graphs, which --degree makes");
    if (g->group != NULL && g->degree >= 0)
        return mco_fail(m->ctx, MCO_ERR_ARGUMENT, "--degree is for --nodes; a group has all pairs");
    if (g->group != NULL)
        MCO_TRY(take_group(m));
    else
        take_nodes(m);
    if (g->degree >= 0)
        MCO_TRY(refuse_degree(m));
done:
    return st;
}

mco_status mco_overlay_generate(mco_context *ctx, const mco_overlay_generation *generation, mco_overlay **out)
{
    mco_status st = MCO_OK;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    generator m = {.ctx = ctx, .g = &g};
    if (ctx == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_struct_take(ctx, "the generation", generation, &g, sizeof g));
    MCO_TRY(mco_options_validate(ctx, &options, &g));
    MCO_TRY(take_generation(&m));
    mco_rng_seed(&m.rng, (uint64_t)g.seed, 0);
    MCO_TRY(draw_nodes(&m));
    mco_overlay_data data = {.nodes = m.nodes, .uptime = m.uptime, .bandwidth = m.bandwidth, .links = -1, .least_of_all = m.least,
                             .most_of_all = m.most};
    if (g.degree < 0)
        MCO_TRY(mco_overlay_create(ctx, m.name, &data, out));
    else if (g.skew > 0 && m.nodes > 0)
        MCO_TRY(make_skewed(&m, &data, out));
    else
        MCO_TRY(make_circle(&m, &data, out));
done:
    mco_free(ctx, &m.bandwidth);
    mco_free(ctx, &m.uptime);
    return st;
}

// ---- Events

typedef struct drawing {
    generator m;
    mco_overlay_events e;
    int64_t room;       // of the list
    int32_t *present;   // [count] nodes that are there
    int32_t count;
} drawing;

static mco_status add_event(drawing *d, const mco_overlay_event *event)
{
    const mco_status st = mco_grow(d->m.ctx, &d->e.list, &d->room, d->e.count + 1);
    if (st == MCO_OK)
        d->e.list[d->e.count++] = *event;
    return st;
}

// As many of the nodes that are there as `degree` says, each once: they move to the end of the list, one after another.
static mco_status link_new(drawing *d, int64_t round, int32_t node)
{
    mco_status st = MCO_OK;
    for (int64_t k = 0; k < d->m.g->degree && k < d->count; k++) {
        const int32_t last = d->count - 1 - (int32_t)k, drawn = (int32_t)mco_rng_below(&d->m.rng, (uint32_t)last + 1), to = d->present[drawn];
        d->present[drawn] = d->present[last];
        d->present[last] = to;
        MCO_TRY(add_event(d, &(mco_overlay_event){.round = round, .kind = MCO_OVERLAY_EVENT_LINK, .node = node, .to = to, .weight = NAN,
                                                  .least = -1, .most = -1}));
    }
done:
    return st;
}

static mco_status draw_event(drawing *d, int64_t round)
{
    mco_status st = MCO_OK;
    mco_overlay_event e = {.round = round, .kind = MCO_OVERLAY_EVENT_LEAVE, .to = -1, .weight = NAN, .least = -1, .most = -1};
    if (mco_rng_below(&d->m.rng, 2) == 0 && d->count > 0) {
        const int32_t drawn = (int32_t)mco_rng_below(&d->m.rng, (uint32_t)d->count);
        e.node = d->present[drawn];
        d->present[drawn] = d->present[--d->count];
        return add_event(d, &e);
    }
    e.kind = MCO_OVERLAY_EVENT_JOIN;
    e.node = d->e.ids++;
    e.uptime = mco_rng_real(&d->m.rng);
    e.bandwidth = d->m.lowest + mco_rng_below(&d->m.rng, (uint32_t)(d->m.highest - d->m.lowest + 1));
    MCO_TRY(add_event(d, &e));
    MCO_TRY(link_new(d, round, e.node));
    d->present[d->count++] = e.node;
done:
    return st;
}

// Numbers from 1, as those of nodes without names.
static mco_status name_nodes(drawing *d, const mco_overlay *o)
{
    enum { NUMBER_ROOM = 16 };
    mco_status st = MCO_OK;
    char buffer[NUMBER_ROOM];
    size_t bytes = (size_t)d->e.ids * (sizeof *d->e.names + NUMBER_ROOM);
    for (int32_t i = 0; i < o->nodes; i++)
        bytes += strlen(mco_overlay_node_name(o, i, buffer));
    MCO_TRY(mco_alloc_bytes(d->m.ctx, (void **)&d->e.names, 1, bytes));
    char *at = (char *)(d->e.names + d->e.ids);
    for (int32_t i = 0; i < d->e.ids; i++) {
        d->e.names[i] = at;
        if (i < o->nodes)
            strcpy(at, mco_overlay_node_name(o, i, buffer));
        else
            snprintf(at, NUMBER_ROOM, "%" PRId32, i + 1);
        at += strlen(at) + 1;
    }
done:
    return st;
}

mco_status mco_overlay_generate_events(mco_context *ctx, const mco_overlay *instance, const mco_overlay_generation *generation,
                                       mco_overlay_events *out)
{
    mco_status st = MCO_OK;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    drawing d = {.m = {.ctx = ctx, .g = &g}};
    if (ctx == NULL || instance == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_struct_take(ctx, "the generation", generation, &g, sizeof g));
    MCO_TRY(mco_options_validate(ctx, &options, &g));
    MCO_TRY(take_generation(&d.m));
    if (g.events < 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the number of events is not given"));
    mco_rng_seed(&d.m.rng, (uint64_t)g.seed, 1);
    MCO_TRY(mco_alloc(ctx, &d.present, instance->nodes + g.events));
    for (int32_t i = 0; i < instance->nodes; i++)
        d.present[d.count++] = d.e.ids++;
    for (int64_t k = 0; k < g.events; k++)
        MCO_TRY(draw_event(&d, k + 1));
    MCO_TRY(name_nodes(&d, instance));
    *out = d.e;
    d.e = (mco_overlay_events){0};
done:
    mco_free(ctx, &d.present);
    mco_overlay_events_clear(ctx, &d.e);
    return st;
}
