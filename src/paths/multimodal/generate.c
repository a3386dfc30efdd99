// SPDX-License-Identifier: MIT
// Networks like those of Strappaveccia (2015), section 6.d: roads with profiles, random layers with headways, transitions.
#include <inttypes.h>
#include <string.h>

#include "base/rng.h"
#include "paths/multimodal/multimodal.h"

enum {
    DAY = 86400,
    LAYERS = 4,
    STREET = 0, AVENUE = 1, FIRST_LAYER = 2, UP = 6, DOWN = 7, LABELS = 8,
    PROFILES = 4, HEADWAYS = 4, OFFSETS = 16,
    CONSTANT = 0, FIRST_PROFILE = 1, FIRST_HEADWAY = FIRST_PROFILE + PROFILES, FUNCTIONS = FIRST_HEADWAY + HEADWAYS * OFFSETS,
    BOARD_S = 60, LEAVE_S = 30, CHANGE_S = 45,  // seconds of transitions
    RIDE_S = 60, RIDE_MORE_S = 900              // of a ride: least, and how much more at most
};

static const char *const label_names[LABELS] = {"street", "avenue", "layer1", "layer2", "layer3", "layer4", "up", "down"};
static const int32_t headways[HEADWAYS] = {300, 600, 900, 1200};

enum { POINTS = 7 };
static const int32_t hours[POINTS] = {0, 21600, 28800, 36000, 57600, 63000, 72000};  // 0:00, 6:00, 8:00, 10:00, 16:00, 17:30, 20:00

typedef struct maker {
    mco_context *ctx;
    const mco_multimodal_shape *shape;
    const mco_paths_rows *roads;
    int32_t base[LAYERS];     // first vertex of a layer
    int64_t count, room;      // arcs
    int32_t *tail, *head, *label, *function, *seconds;  // [room]
    double factor[PROFILES][POINTS];
    mco_multimodal_function functions[FUNCTIONS];
    mco_rng rng;
} maker;

// Profile k has rush hours at 8:00 and 17:30 that take 1.3 + 0.2 k times as long as the night.
static void make_functions(maker *m)
{
    m->functions[CONSTANT].kind = MCO_MULTIMODAL_CONSTANT;
    for (int32_t k = 0; k < PROFILES; k++) {
        const double rush = 1.3 + 0.2 * k, by_point[POINTS] = {1, 1, rush, 1.1, 1.1, rush, 1};
        memcpy(m->factor[k], by_point, sizeof by_point);
        m->functions[FIRST_PROFILE + k] = (mco_multimodal_function){.kind = MCO_MULTIMODAL_PROFILE, .count = POINTS, .time = hours,
                                                                    .factor = m->factor[k]};
    }
    for (int32_t k = 0; k < HEADWAYS * OFFSETS; k++) {
        const int32_t headway = headways[k / OFFSETS];
        m->functions[FIRST_HEADWAY + k] = (mco_multimodal_function){.kind = MCO_MULTIMODAL_HEADWAY, .headway = headway,
                                                                    .offset = headway * (k % OFFSETS) / OFFSETS};
    }
}

static void add(maker *m, int64_t tail, int64_t head, int32_t label, int32_t function, int32_t seconds)
{
    m->tail[m->count] = (int32_t)tail;
    m->head[m->count] = (int32_t)head;
    m->label[m->count] = label;
    m->function[m->count] = function;
    m->seconds[m->count++] = seconds;
}

static void add_roads(maker *m)
{
    for (int32_t v = 0; v < m->roads->vertices; v++)
        for (int64_t a = m->roads->first[v]; a < m->roads->first[v + 1]; a++) {
            const int32_t label = mco_rng_below(&m->rng, 5) == 0 ? AVENUE : STREET;
            const int32_t profile = FIRST_PROFILE + (int32_t)mco_rng_below(&m->rng, PROFILES);
            add(m, v, m->roads->head[a], label, profile, 3 + m->roads->weight[a] / 30);
        }
}

static void add_rides(maker *m, int32_t layer, int64_t vertex)
{
    for (int64_t k = 0; k < m->shape->degree; k++) {
        const int64_t head = m->base[layer] + (int64_t)mco_rng_below(&m->rng, (uint32_t)m->shape->layer[layer]);
        const int32_t headway = FIRST_HEADWAY + (int32_t)mco_rng_below(&m->rng, HEADWAYS * OFFSETS);
        add(m, vertex, head, FIRST_LAYER + layer, headway, RIDE_S + (int32_t)mco_rng_below(&m->rng, RIDE_MORE_S));
    }
}

static void add_transitions(maker *m, int32_t layer, int64_t vertex)
{
    const int64_t road = mco_rng_below(&m->rng, (uint32_t)m->roads->vertices);
    const int32_t other = (int32_t)mco_rng_below(&m->rng, LAYERS);
    add(m, vertex, road, DOWN, CONSTANT, LEAVE_S);
    add(m, road, vertex, UP, CONSTANT, BOARD_S);
    if (other != layer && m->shape->layer[other] > 0)
        add(m, vertex, m->base[other] + (int64_t)mco_rng_below(&m->rng, (uint32_t)m->shape->layer[other]), UP, CONSTANT, CHANGE_S);
}

static mco_status test_shape(mco_context *ctx, const mco_multimodal_shape *shape)
{
    int64_t vertices = shape->rows * shape->columns;
    for (int32_t k = 0; k < LAYERS; k++) {
        if (shape->layer[k] < 0 || shape->layer[k] > MCO_GRAPH_MAX_VERTICES)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "layer %d has %" PRId64 " vertices, 0 to %d were expected", k + 1, shape->layer[k],
                            MCO_GRAPH_MAX_VERTICES);
        vertices += shape->layer[k];
    }
    if (shape->degree < 0 || shape->degree > 1000)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the degree is %" PRId64 ", 0 to 1000 were expected", shape->degree);
    if (vertices > MCO_GRAPH_MAX_VERTICES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " vertices, at most %d are allowed", vertices, MCO_GRAPH_MAX_VERTICES);
    return MCO_OK;
}

static mco_status make_room(maker *m, int32_t *vertices)
{
    mco_status st = MCO_OK;
    int64_t count = m->roads->vertices;
    m->room = m->roads->arcs;
    for (int32_t k = 0; k < LAYERS; k++) {
        m->base[k] = (int32_t)count;
        count += m->shape->layer[k];
        m->room += m->shape->layer[k] * (m->shape->degree + 3);
    }
    *vertices = (int32_t)count;
    MCO_TRY(mco_alloc(m->ctx, &m->tail, m->room));
    MCO_TRY(mco_alloc(m->ctx, &m->head, m->room));
    MCO_TRY(mco_alloc(m->ctx, &m->label, m->room));
    MCO_TRY(mco_alloc(m->ctx, &m->function, m->room));
    MCO_TRY(mco_alloc(m->ctx, &m->seconds, m->room));
done:
    return st;
}

static mco_status make(maker *m, mco_multimodal **out)
{
    mco_status st = MCO_OK;
    int32_t vertices;
    MCO_TRY(make_room(m, &vertices));
    make_functions(m);
    add_roads(m);
    for (int32_t layer = 0; layer < LAYERS; layer++)
        for (int64_t k = 0; k < m->shape->layer[layer]; k++) {
            add_rides(m, layer, m->base[layer] + k);
            add_transitions(m, layer, m->base[layer] + k);
        }
    const mco_multimodal_parts parts = {
        .vertices = vertices, .period = DAY, .labels = LABELS, .functions = FUNCTIONS, .label_name = label_names,
        .function = m->functions,
        .arcs = {m->count, m->tail, m->head, m->label, m->function, m->seconds}};
    MCO_TRY(mco_multimodal_create(m->ctx, &parts, out));
done:
    mco_free(m->ctx, &m->tail);
    mco_free(m->ctx, &m->head);
    mco_free(m->ctx, &m->label);
    mco_free(m->ctx, &m->function);
    mco_free(m->ctx, &m->seconds);
    return st;
}

mco_status mco_multimodal_generate(mco_context *ctx, const mco_multimodal_shape *shape, mco_multimodal **out)
{
    mco_status st = MCO_OK;
    mco_paths_network *roads = NULL;
    maker *m = NULL;
    if (ctx == NULL || shape == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_paths_shape road = {.family = MCO_PATHS_ROAD, .a = shape->rows, .b = shape->columns, .seed = shape->seed};
    MCO_TRY(test_shape(ctx, shape));
    MCO_TRY(mco_paths_generate(ctx, &road, &roads, NULL));
    const mco_paths_rows rows = mco_paths_view(roads);
    MCO_TRY(mco_alloc(ctx, &m, 1));
    m->ctx = ctx;
    m->shape = shape;
    m->roads = &rows;
    mco_rng_seed(&m->rng, shape->seed, 1);
    MCO_TRY(make(m, out));
done:
    mco_free(ctx, &m);
    mco_paths_destroy(ctx, &roads);
    return st;
}
