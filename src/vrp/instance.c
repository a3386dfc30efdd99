// SPDX-License-Identifier: MIT
// Instances: from distances or coordinates, the scale of real distances, accessors. Files are in vrp/formats.c.
//
// Everything an engine sees is an integer. With rounded distances a unit is the file's. With real ones a unit is a power of
// ten of it, as small as the limits allow: a distance is then wrong by at most half a unit, and the longest route is rounded
// down, so that no route passes that the file forbids by more than the sum of its roundings. Distances are computed where
// they are asked for: memory is linear in the customers except for matrices.
#include "vrp/instance.h"

#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/structs.h"
#include "vrp/formats.h"

enum { NAME_ROOM = 32, LONGEST_NAME = 48 };  // of a name made here; bytes of a name in a message

// TSPLIB's earth and pi (Reinelt 1995).
static const double EARTH_RADIUS = 6378.388, TSPLIB_PI = 3.141592;
static const double GREATEST_SCALE = 1e6;
// What rounding in double precision may add to a distance, as a part of it; with GEO in kilometres, as the arc cosine of
// numbers close to 1 has 8 digits.
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

void mco_vrp_destroy(mco_context *ctx, mco_vrp **problem)
{
    if (problem == NULL || *problem == NULL)
        return;
    mco_vrp *p = *problem;
    mco_free(ctx, &p->names);
    mco_free(ctx, &p->service);
    mco_free(ctx, &p->matrix);
    mco_free(ctx, &p->longitude);
    mco_free(ctx, &p->latitude);
    mco_free(ctx, &p->y);
    mco_free(ctx, &p->x);
    mco_free(ctx, &p->demand);
    mco_free(ctx, &p->name);
    mco_free(ctx, problem);
}

// Blocks, so that rows and columns are both read from the cache.
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

// Degrees and minutes, DDD.MM, in radians.
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

double vrp_geo_distance(const mco_vrp *problem, int32_t i, int32_t j)
{
    const double q1 = cos(problem->longitude[i] - problem->longitude[j]);
    const double q2 = cos(problem->latitude[i] - problem->latitude[j]);
    const double q3 = cos(problem->latitude[i] + problem->latitude[j]);
    const double q = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
    return EARTH_RADIUS * acos(q > 1 ? 1 : q < -1 ? -1 : q);
}

// A bound on the real distance between two nodes: by the triangle inequality twice the greatest from the depot; in the plane
// also the diagonal of the rectangle around all places.
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
    if (p->rule == VRP_GEO)
        return fmin(2 * radius + GEO_SLACK, EARTH_RADIUS * acos(-1));
    const double width = high_x - low_x, height = high_y - low_y;
    return fmin(2 * radius, sqrt(width * width + height * height)) * (1 + SLACK);
}

// No scaled distance is greater; in double precision, as it may not fit an integer.
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
    const double *service;  // [nodes]; NULL: nobody takes time
} lengths;

static double scaled_service(double service, double scale)
{
    return floor(service * scale + 0.5);
}

// Sums that decimals of a file are not exact in: a route of this length is not too long.
static double scaled_max_length(const lengths *l, double scale)
{
    return floor(l->max_length * scale + 1e-9);
}

// Whether a route can be too long: all customers in one, each as far as can be.
static bool is_limit_reachable(const mco_vrp *p, const lengths *l, double scale)
{
    double reach = ((double)p->customers + 1) * scaled_longest(p, l->longest, scale);
    if (l->max_length < 0)
        return false;
    for (int32_t i = 1; l->service != NULL && i < p->nodes; i++)
        reach += scaled_service(l->service[i], scale);
    return scaled_max_length(l, scale) < reach;
}

// 10^9 and not MCO_VRP_MAX_LENGTH: a limit that was rounded down to a multiple of the unit and written then has the same scale.
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

// The model before the file.
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
        draft->capacity = model->capacity;
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

// Loads are sums of demands: with a sum that fits, every load does.
static mco_status test_loads(mco_context *ctx, const vrp_draft *draft)
{
    const mco_vrp *p = draft->problem;
    int64_t sum = 0;
    if (draft->capacity < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: the capacity is not given, in the model it is --capacity", p->name);
    if (draft->capacity < 1 || draft->capacity > MCO_VRP_MAX_LENGTH)
        return mco_fail(ctx, draft->capacity < 1 ? MCO_ERR_ARGUMENT : MCO_ERR_LIMIT,
                        "%s: the capacity is %lld, allowed is 1 to %d", p->name, (long long)draft->capacity,
                        MCO_VRP_MAX_LENGTH);
    for (int32_t i = 1; i < p->nodes; i++) {
        if (p->demand[i] < 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s: the demand of customer %d is %d, at least 0 was expected", p->name, i,
                            p->demand[i]);
        sum += p->demand[i];
    }
    if (sum > MCO_VRP_MAX_LENGTH)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s: the demands sum up to %lld, at most %d supported", p->name, (long long)sum,
                        MCO_VRP_MAX_LENGTH);
    return MCO_OK;
}

static mco_status set_service(mco_context *ctx, mco_vrp *p, const double *service)
{
    static const double NOTICEABLE = 1e-6;  // part of a service time
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
    if (p->rule == VRP_GEO)
        MCO_TRY(place_on_earth(ctx, p));
    if (p->rule != VRP_MATRIX)
        l.longest = longest_of_places(p);
    MCO_TRY(set_scale(ctx, p, &l));
    if (l.greatest_service > 0)
        MCO_TRY(set_service(ctx, p, draft->service));
done:
    return st;
}

// ---- Creation

static mco_status test_matrix(mco_context *ctx, int32_t nodes, const int32_t *distances, double *longest)
{
    int32_t most = 0;
    for (int32_t i = 0; i < nodes; i++)
        for (int32_t j = 0; j < nodes; j++) {
            const int32_t d = distances[(int64_t)i * nodes + j];
            if (i == j)
                continue;
            if (d < 0)
                return mco_fail(ctx, MCO_ERR_ARGUMENT, "the distance from node %d to node %d is %d, at least 0 was expected",
                                i, j, d);
            most = d > most ? d : most;
        }
    *longest = most;
    return MCO_OK;
}

mco_status mco_vrp_create(mco_context *ctx, int32_t customers, const int32_t *distances, const int32_t *demands,
                          const mco_vrp_model *model, mco_vrp **out)
{
    mco_status st = MCO_OK;
    vrp_draft draft = {0};
    char name[NAME_ROOM];
    if (ctx == NULL || distances == NULL || demands == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    snprintf(name, sizeof name, "vrp-%d", customers);
    MCO_TRY(vrp_draft_new(ctx, customers, VRP_MATRIX, name, &draft));
    mco_vrp *p = draft.problem;
    memcpy(p->demand + 1, demands, (size_t)customers * sizeof *demands);
    MCO_TRY(test_matrix(ctx, p->nodes, distances, &draft.longest));
    MCO_TRY(vrp_settle(ctx, model, &draft));
    MCO_TRY(mco_alloc(ctx, &p->matrix, (int64_t)p->nodes * p->nodes));
    const int32_t scale = (int32_t)p->scale;  // at most 10^6, and the greatest product fits
    for (int64_t i = 0; i < p->nodes; i++)
        for (int64_t j = 0; j < p->nodes; j++)
            p->matrix[i * p->nodes + j] = i == j ? 0 : distances[i * p->nodes + j] * scale;
    vrp_take(&draft, out);
done:
    vrp_draft_clear(ctx, &draft);
    return st;
}

mco_status mco_vrp_from_coordinates(mco_context *ctx, int32_t customers, const double *x, const double *y,
                                    const int32_t *demands, const mco_vrp_model *model, mco_vrp **out)
{
    mco_status st = MCO_OK;
    vrp_draft draft = {0};
    char name[NAME_ROOM];
    if (ctx == NULL || x == NULL || y == NULL || demands == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    snprintf(name, sizeof name, "vrp-%d", customers);
    MCO_TRY(vrp_draft_new(ctx, customers, VRP_EUC_2D, name, &draft));
    MCO_TRY(vrp_draft_places(ctx, &draft));
    for (int32_t i = 0; i <= customers; i++) {
        if (!(fabs(x[i]) <= VRP_MAX_COORDINATE && fabs(y[i]) <= VRP_MAX_COORDINATE))
            MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "node %d is at (%g, %g), coordinates are at most %g", i, x[i], y[i],
                             VRP_MAX_COORDINATE));
        draft.problem->x[i] = x[i];
        draft.problem->y[i] = y[i];
    }
    memcpy(draft.problem->demand + 1, demands, (size_t)customers * sizeof *demands);
    MCO_TRY(vrp_settle(ctx, model, &draft));
    vrp_take(&draft, out);
done:
    vrp_draft_clear(ctx, &draft);
    return st;
}

// ---- What no vehicle can serve

// There, its service, and back. Two distances of at most 2^24 and a service time below 2^30 fit.
static int32_t single_length(const mco_vrp *p, int32_t customer)
{
    return vrp_distance(p, 0, customer + 1) + vrp_service(p, customer + 1) + vrp_distance(p, customer + 1, 0);
}

int32_t vrp_unservable(const mco_vrp *problem)
{
    for (int32_t c = 0; c < problem->customers; c++)
        if (problem->demand[c + 1] > problem->capacity ||
            (vrp_has_max_length(problem) && single_length(problem, c) > problem->max_length))
            return c;
    return -1;
}

mco_status vrp_fail_unservable(mco_context *ctx, const mco_vrp *problem, int32_t customer, mco_status status)
{
    enum { NUMBER_ROOM = 16 };
    char number[NUMBER_ROOM], shown[LONGEST_NAME + 4] = "";
    const char *name = mco_vrp_customer_name(problem, customer, number);
    if (name != number)
        snprintf(shown, sizeof shown, " (%.*s)", LONGEST_NAME, name);
    if (problem->demand[customer + 1] > problem->capacity)
        return mco_fail(ctx, status, "customer %d%s: the demand is %d, the capacity of a vehicle %d", customer + 1, shown,
                        problem->demand[customer + 1], problem->capacity);
    return mco_fail(ctx, status, "customer %d%s: there and back is %.10g with its service, the longest route allowed %.10g",
                    customer + 1, shown, single_length(problem, customer) / problem->scale,
                    problem->max_length / problem->scale);
}

// ---- Accessors

int32_t mco_vrp_customers(const mco_vrp *problem)
{
    return problem != NULL ? problem->customers : 0;
}

int32_t mco_vrp_distance(const mco_vrp *problem, int32_t from, int32_t to)
{
    return problem != NULL ? vrp_distance(problem, from, to) : 0;
}

int32_t mco_vrp_demand(const mco_vrp *problem, int32_t customer)
{
    return problem != NULL ? problem->demand[customer + 1] : 0;
}

int32_t mco_vrp_service(const mco_vrp *problem, int32_t customer)
{
    return problem != NULL ? vrp_service(problem, customer + 1) : 0;
}

int32_t mco_vrp_capacity(const mco_vrp *problem)
{
    return problem != NULL ? problem->capacity : 0;
}

int32_t mco_vrp_max_length(const mco_vrp *problem)
{
    return problem != NULL ? problem->max_length : 0;
}

int32_t mco_vrp_vehicles(const mco_vrp *problem)
{
    return problem != NULL ? problem->vehicles : 0;
}

double mco_vrp_scale(const mco_vrp *problem)
{
    return problem != NULL ? problem->scale : 0;
}

mco_vrp_distances mco_vrp_distance_rule(const mco_vrp *problem)
{
    return problem != NULL ? problem->distances : (mco_vrp_distances)0;
}

const char *mco_vrp_name(const mco_vrp *problem)
{
    return problem != NULL ? problem->name : NULL;
}

const char *mco_vrp_customer_name(const mco_vrp *problem, int32_t customer, char buffer[16])
{
    enum { NUMBER_ROOM = 16 };
    if (problem == NULL)
        return NULL;
    if (problem->names != NULL && problem->names[customer] != NULL)
        return problem->names[customer];
    snprintf(buffer, NUMBER_ROOM, "%d", customer + 1);
    return buffer;
}

bool mco_vrp_coordinates(const mco_vrp *problem, int32_t node, double *x, double *y)
{
    if (problem == NULL || problem->x == NULL)
        return false;
    *x = problem->x[node];
    *y = problem->y[node];
    return true;
}
