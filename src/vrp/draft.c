// SPDX-License-Identifier: MIT
// Makes an instance of a draft: tests, the model, and the scale.
//
// Engines see integers only. With rounded distances the unit is that of the file. With real distances it is 1/scale of
// that, where scale is the greatest power of ten that the limits allow, at most 10^6. A distance is then wrong by at
// most half a unit. The longest route is rounded down. So a route that the file forbids is accepted only if it is too
// long by at most the sum of its roundings. Distances are computed when they are asked for: memory is linear in the
// customers, except for matrices.
#include "vrp/draft.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/structs.h"
#include "vrp/doubts.h"

static const double TSPLIB_PI = 3.141592;  // Reinelt (1995)
static const double GREATEST_SCALE = 1e6;
// The most that rounding in double precision adds to a distance, relative to it. GEO_SLACK is absolute, in kilometres:
// the arc cosine of numbers close to 1 has 8 digits. With --distance geo it is in metres, which is more than enough.
static const double SLACK = 1e-12, GEO_SLACK = 1e-3;

// ---- Drafts

mco_status vrp_draft_new(mco_context *ctx, int64_t customers, vrp_rule rule, const char *name, vrp_draft *out)
{
    mco_status st = MCO_OK;
    mco_vrp *p = NULL;
    const int32_t most = rule == VRP_MATRIX ? MCO_VRP_MAX_MATRIX_CUSTOMERS : MCO_VRP_MAX_CUSTOMERS;
    if (customers < 0 || customers > most)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%lld customers, allowed are 0 to %d%s", (long long)customers, most,
                        rule == VRP_MATRIX ? " with a matrix" : "");
    MCO_TRY(mco_alloc(ctx, &p, 1));
    p->customers = (int32_t)customers;
    p->nodes = p->customers + 1;
    p->rule = rule;
    p->load_scale = 1;
    MCO_TRY(mco_alloc(ctx, &p->name, strlen(name) + 1));
    memcpy(p->name, name, strlen(name) + 1);
    MCO_TRY(mco_alloc(ctx, &p->demand, p->nodes));
    *out = (vrp_draft){.problem = p, .max_length = -1, .capacity = -1};
    p = NULL;
done:
    mco_vrp_destroy(ctx, &p);
    return st;
}

void vrp_draft_clear(mco_context *ctx, vrp_draft *draft)
{
    mco_free(ctx, &draft->service);
    mco_vrp_destroy(ctx, &draft->problem);
}

mco_status vrp_draft_places(mco_context *ctx, vrp_draft *draft)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &draft->problem->x, draft->problem->nodes));
    MCO_TRY(mco_alloc(ctx, &draft->problem->y, draft->problem->nodes));
done:
    return st;
}

// Works in blocks, so that the cache serves rows and columns.
static bool is_matrix_symmetric(const int32_t *matrix, int64_t nodes)
{
    enum { BLOCK = 64 };
    for (int64_t a = 0; a < nodes; a += BLOCK)
        for (int64_t b = 0; b <= a; b += BLOCK)
            for (int64_t i = a; i < nodes && i < a + BLOCK; i++)
                for (int64_t j = b; j < i && j < b + BLOCK; j++)
                    if (matrix[i * nodes + j] != matrix[j * nodes + i])
                        return false;
    return true;
}

void vrp_take(vrp_draft *draft, mco_vrp **out)
{
    mco_vrp *p = draft->problem;
    p->is_symmetric = p->rule != VRP_MATRIX || is_matrix_symmetric(p->matrix, p->nodes);
    *out = p;
    draft->problem = NULL;
}

// ---- Scale

// Converts degrees and minutes, DDD.MM, to radians.
static double geo_radians(double value)
{
    const double degrees = trunc(value), minutes = value - degrees;
    return TSPLIB_PI * (degrees + 5.0 * minutes / 3.0) / 180.0;
}

static mco_status place_on_earth(mco_context *ctx, mco_vrp *p)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &p->latitude, p->nodes));
    MCO_TRY(mco_alloc(ctx, &p->longitude, p->nodes));
    for (int32_t i = 0; i < p->nodes; i++) {
        p->latitude[i] = geo_radians(p->x[i]);
        p->longitude[i] = geo_radians(p->y[i]);
    }
done:
    return st;
}

// The same from decimal degrees, as directions from the centre.
static mco_status place_by_direction(mco_context *ctx, mco_vrp *p)
{
    const double turn = acos(-1) / 180;
    const mco_status st = mco_alloc(ctx, &p->direction, 3 * (int64_t)p->nodes);
    for (int32_t i = 0; st == MCO_OK && i < p->nodes; i++) {
        const double latitude = p->x[i] * turn, longitude = p->y[i] * turn;
        double *d = p->direction + 3 * (int64_t)i;
        d[0] = cos(latitude) * cos(longitude);
        d[1] = cos(latitude) * sin(longitude);
        d[2] = sin(latitude);
    }
    return st;
}

// Where the bound of longest_of_places() is too large, so few nodes are compared pair by pair: tenths of a second.
enum { FEW_NODES = 3000 };

static double longest_on_earth(const mco_vrp *p)
{
    double longest = 0;
    for (int32_t i = 0; i < p->nodes; i++)
        for (int32_t j = i + 1; j < p->nodes; j++)
            longest = fmax(longest, vrp_geo_distance(p, i, j));
    return longest;
}

// Returns an upper bound of the real distance between two nodes. By the triangle inequality this is twice the greatest
// distance from the depot. In the plane it is also the diagonal of the rectangle around all nodes; on the sphere, half
// the circumference.
static double longest_of_places(const mco_vrp *p)
{
    double low_x = p->x[0], high_x = low_x, low_y = p->y[0], high_y = low_y, radius = 0;
    for (int32_t i = 1; i < p->nodes; i++) {
        const double dx = p->x[i] - p->x[0], dy = p->y[i] - p->y[0];
        radius = fmax(radius, p->rule == VRP_GEO ? vrp_geo_distance(p, 0, i) : sqrt(dx * dx + dy * dy));
        low_x = fmin(low_x, p->x[i]);
        high_x = fmax(high_x, p->x[i]);
        low_y = fmin(low_y, p->y[i]);
        high_y = fmax(high_y, p->y[i]);
    }
    if (p->rule == VRP_GEO) {
        const double most = fmin(2 * radius + GEO_SLACK, vrp_earth_radius(p) * acos(-1));
        return most > MCO_VRP_MAX_DISTANCE && p->nodes <= FEW_NODES ? longest_on_earth(p) + GEO_SLACK : most;
    }
    const double width = high_x - low_x, height = high_y - low_y;
    return fmin(2 * radius, sqrt(width * width + height * height)) * (1 + SLACK);
}

// Returns an upper bound of all scaled distances. It is a double because it may not fit in an integer.
static double scaled_longest(const mco_vrp *p, double longest, double scale)
{
    if (p->distances == MCO_VRP_DISTANCES_ROUNDED && p->rule == VRP_CEIL_2D)
        return ceil(longest);
    return floor(longest * scale + (p->distances == MCO_VRP_DISTANCES_ROUNDED && p->rule == VRP_GEO ? 1.0 : 0.5));
}

// All unscaled.
typedef struct lengths {
    double longest, max_length;
    double greatest_service;
    const double *service;  // [nodes]; NULL: no service times
} lengths;

static double scaled_service(double service, double scale)
{
    return floor(service * scale + 0.5);
}

// The greatest integer of units that is not above the limit. The decimals of a file are not exact in binary, and the
// product is rounded: it may lie just below the integer that is meant. That integer divided by the scale, both of them
// exact, is again the double that the decimals were read as.
static double scaled_max_length(const lengths *l, double scale)
{
    const double nearest = floor(l->max_length * scale + 0.5);
    return nearest / scale > l->max_length ? nearest - 1 : nearest;
}

// Whether a route can be too long at all: one with all customers, where every distance is the greatest.
static bool is_limit_reachable(const mco_vrp *p, const lengths *l, double scale)
{
    double reach = ((double)p->customers + 1) * scaled_longest(p, l->longest, scale);
    if (l->max_length < 0)
        return false;
    for (int32_t i = 1; l->service != NULL && i < p->nodes; i++)
        reach += scaled_service(l->service[i], scale);
    return scaled_max_length(l, scale) < reach;
}

// The bound is 10^9, a power of ten, instead of MCO_VRP_MAX_LENGTH. So a limit that is rounded down to a multiple of
// the unit, written to a file and read again leads to the same scale.
static bool fits_scale(const mco_vrp *p, const lengths *l, double scale)
{
    static const double MOST = 1e9;
    return scaled_longest(p, l->longest, scale) <= MCO_VRP_MAX_DISTANCE && l->greatest_service * scale < MOST &&
           (!is_limit_reachable(p, l, scale) || l->max_length * scale < MOST);
}

static mco_status set_scale(mco_context *ctx, mco_vrp *p, const lengths *l)
{
    p->scale = p->distances == MCO_VRP_DISTANCES_REAL ? GREATEST_SCALE : 1;
    while (p->scale > 1 && !fits_scale(p, l, p->scale))
        p->scale /= 10;
    const double longest = scaled_longest(p, l->longest, p->scale), most = scaled_max_length(l, p->scale);
    const bool has_limit = is_limit_reachable(p, l, p->scale);
    if (longest > MCO_VRP_MAX_DISTANCE)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s: distances up to %.15g, at most %d supported", p->name, longest,
                        MCO_VRP_MAX_DISTANCE);
    if (scaled_service(l->greatest_service, p->scale) >= MCO_VRP_MAX_LENGTH)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s: service times up to %.15g, less than %d supported", p->name,
                        l->greatest_service, MCO_VRP_MAX_LENGTH);
    if (has_limit && most >= MCO_VRP_MAX_LENGTH)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s: routes as long as %.15g, less than %d supported", p->name, most,
                        MCO_VRP_MAX_LENGTH);
    p->longest = (int32_t)longest;
    p->max_length = has_limit ? (int32_t)most : MCO_VRP_MAX_LENGTH;
    if (p->distances == MCO_VRP_DISTANCES_REAL)
        mco_log(ctx, MCO_LOG_INFO, "distances are real: in units of 1/%.0f", p->scale);
    return MCO_OK;
}

// ---- Settling

#define MCO_OPTION_STRUCT mco_vrp_model
static const mco_option model_records[] = {MCO_OPTION_RECORDS(MCO_VRP_MODEL_OPTIONS)};
static const mco_option_table model_options = MCO_OPTION_TABLE(model_records);

const mco_option_table *mco_vrp_model_options(void)
{
    return &model_options;
}

// Values of the model replace those of the file.
static mco_status apply_model(mco_context *ctx, const mco_vrp_model *given, vrp_draft *draft)
{
    mco_status st = MCO_OK;
    mco_vrp *p = draft->problem;
    mco_vrp_model own = MCO_VRP_MODEL_INIT;
    const mco_vrp_model *model = &own;
    MCO_TRY(mco_struct_take(ctx, "the model", given, &own, sizeof own));
    MCO_TRY(mco_options_validate(ctx, &model_options, model));
    p->distances = model->distance;
    if (model->capacity >= 0)
        draft->capacity = model->capacity * p->load_scale;  // at most 10^9 * 10^6
    if (model->vehicles >= 0)
        draft->vehicles = model->vehicles;
    if (model->max_length >= 0)
        draft->max_length = model->max_length;
    if (model->service_time >= 0) {
        mco_free(ctx, &draft->service);
        if (model->service_time > 0) {
            MCO_TRY(mco_alloc(ctx, &draft->service, p->nodes));
            for (int32_t i = 1; i < p->nodes; i++)
                draft->service[i] = model->service_time;
        }
    }
done:
    return st;
}

// Loads are sums of demands. If the sum of all demands fits, every load does.
static mco_status test_loads(mco_context *ctx, const vrp_draft *draft)
{
    const mco_vrp *p = draft->problem;
    int64_t sum = 0;
    if (draft->capacity < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: the capacity is not given, in the model it is --capacity", p->name);
    if (draft->capacity < 1 || draft->capacity > MCO_VRP_MAX_LENGTH)
        return mco_fail(ctx, draft->capacity < 1 ? MCO_ERR_ARGUMENT : MCO_ERR_LIMIT,
                        "%s: the capacity is %.15g, allowed is 1 to %d", p->name, vrp_load(p, draft->capacity),
                        MCO_VRP_MAX_LENGTH / p->load_scale);
    for (int32_t i = 1; i < p->nodes; i++) {
        if (p->demand[i] < 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: the demand of customer %d is %d, at least 0 was expected", p->name, i,
                            p->demand[i]);
        sum += p->demand[i];
    }
    if (sum > MCO_VRP_MAX_LENGTH)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s: the demands sum up to %.15g, at most %d supported", p->name, vrp_load(p, sum),
                        MCO_VRP_MAX_LENGTH / p->load_scale);
    return MCO_OK;
}

static mco_status set_service(mco_context *ctx, mco_vrp *p, const double *service)
{
    static const double NOTICEABLE = 1e-6;  // relative to a service time
    mco_status st = MCO_OK;
    int32_t rounded = 0;
    bool is_any = false;
    MCO_TRY(mco_alloc(ctx, &p->service, p->nodes));
    for (int32_t i = 1; i < p->nodes; i++) {
        const double scaled = service[i] * p->scale;
        p->service[i] = (int32_t)scaled_service(service[i], p->scale);
        is_any |= p->service[i] > 0;
        if (rounded == 0 && fabs(p->service[i] - scaled) > NOTICEABLE * scaled)
            rounded = i;
    }
    if (rounded > 0 && p->distances == MCO_VRP_DISTANCES_ROUNDED)
        mco_log(ctx, MCO_LOG_WARNING, "service times are rounded, that of customer %d from %.15g to %d; --distance real keeps "
                "decimals", rounded, service[rounded], p->service[rounded]);
    if (!is_any)
        mco_free(ctx, &p->service);
done:
    return st;
}

// Latitudes and longitudes in decimal degrees: latitudes become x, as in TSPLIB's GEO files. Places of other files are
// those of a map, so that their x is the longitude.
static mco_status take_degrees(mco_context *ctx, vrp_draft *draft)
{
    mco_vrp *p = draft->problem;
    if (draft->is_geographic && p->distances == MCO_VRP_DISTANCES_REAL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT,
                        "%s: the file has latitudes and longitudes, for which --distance is geo, not real", p->name);
    if (p->rule == VRP_MATRIX)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: --distance geo is for coordinates, the distances are a matrix", p->name);
    p->distances = MCO_VRP_DISTANCES_GEO;
    const char *const names =
        p->rule == VRP_GEO ? "the first coordinate is the latitude" : "x is the longitude, y the latitude";
    if (p->rule != VRP_GEO) {
        double *longitude = p->x;
        p->x = p->y;
        p->y = longitude;
        p->rule = VRP_GEO;
    }
    for (int32_t i = 0; i < p->nodes; i++)
        if (fabs(p->x[i]) > 90 || fabs(p->y[i]) > 180)
            return mco_fail(ctx, MCO_ERR_LIMIT,
                            "%s: the latitude of %s %d is %.15g and its longitude %.15g, allowed are -90 to 90 and -180 to "
                            "180; with --distance geo %s", p->name, i == 0 ? "node" : "customer", i, p->x[i], p->y[i], names);
    mco_log(ctx, MCO_LOG_INFO,
            "distances are geographic: %s, in decimal degrees; metres on a sphere of radius %.1f m (haversine)", names,
            vrp_earth_radius(p));
    return MCO_OK;
}

mco_status vrp_settle(mco_context *ctx, const mco_vrp_model *model, vrp_draft *draft)
{
    mco_status st = MCO_OK;
    mco_vrp *p = draft->problem;
    lengths l = {.longest = draft->longest};
    if (model != NULL)
        MCO_TRY(apply_model(ctx, model, draft));
    MCO_TRY(test_loads(ctx, draft));
    p->capacity = (int32_t)draft->capacity;
    p->vehicles = (int32_t)draft->vehicles;
    l.max_length = draft->max_length;
    l.service = draft->service;
    for (int32_t i = 1; l.service != NULL && i < p->nodes; i++)
        l.greatest_service = fmax(l.greatest_service, l.service[i]);
    if (draft->is_geographic || p->distances == MCO_VRP_DISTANCES_GEO)
        MCO_TRY(take_degrees(ctx, draft));
    if (p->rule == VRP_GEO)
        MCO_TRY((p->distances == MCO_VRP_DISTANCES_GEO ? place_by_direction : place_on_earth)(ctx, p));
    if (p->rule != VRP_MATRIX)
        l.longest = longest_of_places(p);
    MCO_TRY(set_scale(ctx, p, &l));
    if (l.greatest_service > 0)
        MCO_TRY(set_service(ctx, p, draft->service));
    if (p->load_scale > 1)
        mco_log(ctx, MCO_LOG_INFO, "demands have decimals: they and the capacity are in units of 1/%d", p->load_scale);
    vrp_doubt_distances(ctx, p);
done:
    return st;
}
