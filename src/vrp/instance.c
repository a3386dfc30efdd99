// SPDX-License-Identifier: MIT
// Instances: creation from distances or coordinates, and accessors. vrp/formats.c reads and writes files.
#include "vrp/instance.h"

#include <stdio.h>
#include <string.h>

#include "base/options.h"
#include "base/structs.h"
#include "vrp/draft.h"

enum { NAME_ROOM = 32 };  // bytes of a name made here

void mco_vrp_destroy(mco_context *ctx, mco_vrp **problem)
{
    if (problem == NULL || *problem == NULL)
        return;
    mco_vrp *p = *problem;
    mco_free(ctx, &p->names);
    mco_free(ctx, &p->service);
    mco_free(ctx, &p->matrix);
    mco_free(ctx, &p->direction);
    mco_free(ctx, &p->longitude);
    mco_free(ctx, &p->latitude);
    mco_free(ctx, &p->y);
    mco_free(ctx, &p->x);
    mco_free(ctx, &p->demand);
    mco_free(ctx, &p->name);
    mco_free(ctx, problem);
}

// The haversine of an angle is the square of half its chord (Sinnott 1984). So no function of an angle is needed for a
// pair but the last, and places near each other keep all their digits.
static double haversine(const mco_vrp *p, int32_t i, int32_t j)
{
    const double *a = p->direction + 3 * (int64_t)i, *b = p->direction + 3 * (int64_t)j;
    const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], chord = sqrt(x * x + y * y + z * z);
    return 2 * vrp_earth_radius(p) * asin(chord < 2 ? chord / 2 : 1);
}

double vrp_geo_distance(const mco_vrp *problem, int32_t i, int32_t j)
{
    if (problem->distances == MCO_VRP_DISTANCES_GEO)
        return haversine(problem, i, j);
    const double q1 = cos(problem->longitude[i] - problem->longitude[j]);
    const double q2 = cos(problem->latitude[i] - problem->latitude[j]);
    const double q3 = cos(problem->latitude[i] + problem->latitude[j]);
    const double q = 0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3);
    return vrp_earth_radius(problem) * acos(q > 1 ? 1 : q < -1 ? -1 : q);
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
    const int32_t scale = (int32_t)p->scale;  // at most 10^6; vrp_settle() made sure that the greatest product fits
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

int32_t mco_vrp_load_scale(const mco_vrp *problem)
{
    return problem != NULL ? problem->load_scale : 0;
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

bool mco_vrp_has_names(const mco_vrp *problem)
{
    return problem != NULL && problem->names != NULL;
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
