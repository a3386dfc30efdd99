// SPDX-License-Identifier: MIT
// Instances: from distances, from the random streams of the literature, and as prefixes of others. Also their
// distances. Files are in dtspms/formats.c.
//
// Petersen and Madsen (2009) drew their customers with java.util.Random. The seeds here are reconstructed from the
// published coordinates. With more orders the streams run on, as the authors let them from 33 to 66 orders. Distances
// are computed when they are asked for, so memory is linear in the orders except for matrices.
#include "dtspms/instance.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NAME_ROOM = 64, NAMED = 20 };  // bytes of a name made here, a word and two numbers; instances R00 to R19

static const double DEPOT = 50, SIDE = 100;
static const int64_t MAX_SEED = (int64_t)1 << 53;
static const int32_t MAX_DISTANCE = (int32_t)1 << 30;

static const char *const network_names[2] = {"pickup", "delivery"};

// ---- Creation

static mco_status copy_text(mco_context *ctx, const char *text, char **out)
{
    mco_status st = mco_alloc(ctx, out, strlen(text) + 1);
    if (st == MCO_OK)
        memcpy(*out, text, strlen(text) + 1);
    return st;
}

mco_status dtspms_instance_new(mco_context *ctx, int32_t orders, const char *name, mco_dtspms **out)
{
    mco_status st = MCO_OK;
    mco_dtspms *d = NULL;
    MCO_TRY(mco_alloc(ctx, &d, 1));
    d->orders = orders;
    MCO_TRY(copy_text(ctx, name, &d->name));
    *out = d;
    d = NULL;
done:
    mco_dtspms_destroy(ctx, &d);
    return st;
}

void mco_dtspms_destroy(mco_context *ctx, mco_dtspms **problem)
{
    if (problem == NULL || *problem == NULL)
        return;
    mco_dtspms *d = *problem;
    mco_free(ctx, &d->names);
    for (int k = 1; k >= 0; k--) {
        mco_free(ctx, &d->network[k].matrix);
        mco_free(ctx, &d->network[k].y);
        mco_free(ctx, &d->network[k].x);
    }
    mco_free(ctx, &d->name);
    mco_free(ctx, problem);
}

static mco_status test_orders(mco_context *ctx, int32_t orders, int32_t most)
{
    if (orders < 0 || orders > most)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d orders, allowed are 0 to %d", orders, most);
    return MCO_OK;
}

// Copies the first `nodes` rows and columns of a matrix with rows of `row` entries. The diagonal becomes 0.
static mco_status copy_matrix(mco_context *ctx, const int32_t *from, int32_t nodes, int64_t row, int32_t **out)
{
    mco_status st = mco_alloc(ctx, out, (int64_t)nodes * nodes);
    if (st != MCO_OK)
        return st;
    for (int64_t i = 0; i < nodes; i++) {
        memcpy(*out + i * nodes, from + i * row, (size_t)nodes * sizeof *from);
        (*out)[i * nodes + i] = 0;
    }
    return MCO_OK;
}

static mco_status test_matrix(mco_context *ctx, const mco_dtspms *d, mco_dtspms_network network)
{
    for (int32_t i = 0; i <= d->orders; i++)
        for (int32_t j = 0; j <= d->orders; j++) {
            const int32_t length = mco_dtspms_distance(d, network, i, j);
            if (length < 0 || length > MAX_DISTANCE)
                return mco_fail(ctx, length < 0 ? MCO_ERR_ARGUMENT : MCO_ERR_LIMIT,
                                "the %s distance from node %d to node %d is %d, allowed is 0 to %d",
                                network_names[network], i, j, length, MAX_DISTANCE);
        }
    return MCO_OK;
}

mco_status mco_dtspms_create(mco_context *ctx, int32_t orders, const int32_t *pickup, const int32_t *delivery,
                             mco_dtspms **out)
{
    mco_status st = MCO_OK;
    mco_dtspms *d = NULL;
    char name[NAME_ROOM];
    if (ctx == NULL || pickup == NULL || delivery == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(test_orders(ctx, orders, MCO_DTSPMS_MAX_MATRIX_ORDERS));
    snprintf(name, sizeof name, "dtspms-%d", orders);
    MCO_TRY(dtspms_instance_new(ctx, orders, name, &d));
    for (int k = 0; k < 2; k++) {
        d->network[k].rule = DTSPMS_MATRIX;
        MCO_TRY(copy_matrix(ctx, k == 0 ? pickup : delivery, orders + 1, orders + 1, &d->network[k].matrix));
        MCO_TRY(test_matrix(ctx, d, (mco_dtspms_network)k));
    }
    *out = d;
    d = NULL;
done:
    mco_dtspms_destroy(ctx, &d);
    return st;
}

// ---- Streams of java.util.Random: x -> x * 0x5DEECE66D + 11 modulo 2^48; the high bits are the output

static const uint64_t JAVA_FACTOR = 0x5DEECE66D, JAVA_STATES = (uint64_t)1 << 48;

static int64_t java_next(uint64_t *state, int bits)
{
    *state = (*state * JAVA_FACTOR + 11) & (JAVA_STATES - 1);
    return (int64_t)(*state >> (48 - bits));
}

// nextDouble(): 53 bits, uniform in [0, 1).
static double java_next_double(uint64_t *state)
{
    const int64_t high = java_next(state, 26);
    return (double)((high << 27) + java_next(state, 27)) * 0x1p-53;
}

static mco_status draw_network(mco_context *ctx, int32_t orders, int64_t seed, dtspms_network *network)
{
    mco_status st = MCO_OK;
    uint64_t state = ((uint64_t)seed ^ JAVA_FACTOR) & (JAVA_STATES - 1);
    network->rule = DTSPMS_EUC_2D;
    MCO_TRY(mco_alloc(ctx, &network->x, (int64_t)orders + 1));
    MCO_TRY(mco_alloc(ctx, &network->y, (int64_t)orders + 1));
    network->x[0] = network->y[0] = DEPOT;
    for (int32_t i = 1; i <= orders; i++) {
        network->x[i] = java_next_double(&state) * SIDE;
        network->y[i] = java_next_double(&state) * SIDE;
    }
done:
    return st;
}

static mco_status draw(mco_context *ctx, const char *name, int32_t orders, const int64_t seeds[2], mco_dtspms **out)
{
    mco_status st = MCO_OK;
    mco_dtspms *d = NULL;
    MCO_TRY(test_orders(ctx, orders, MCO_DTSPMS_MAX_ORDERS));
    MCO_TRY(dtspms_instance_new(ctx, orders, name, &d));
    for (int k = 0; k < 2; k++)
        MCO_TRY(draw_network(ctx, orders, seeds[k], &d->network[k]));
    *out = d;
    d = NULL;
done:
    mco_dtspms_destroy(ctx, &d);
    return st;
}

mco_status mco_dtspms_generate(mco_context *ctx, int32_t orders, int64_t seed_pickup, int64_t seed_delivery,
                               mco_dtspms **out)
{
    const int64_t seeds[2] = {seed_pickup, seed_delivery};
    char name[NAME_ROOM];
    if (ctx == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    for (int k = 0; k < 2; k++)
        if (seeds[k] < 0 || seeds[k] > MAX_SEED)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the %s seed is %lld, allowed is 0 to %lld", network_names[k],
                            (long long)seeds[k], (long long)MAX_SEED);
    snprintf(name, sizeof name, "random-%lld-%lld", (long long)seed_pickup, (long long)seed_delivery);
    return draw(ctx, name, orders, seeds, out);
}

mco_status mco_dtspms_named(mco_context *ctx, const char *name, int32_t orders, mco_dtspms **out)
{
    // Seeds of pickup (file R00p) and delivery (R00d).
    static const int64_t seeds[NAMED][2] = {
        {234876, 9386}, {347, 93486}, {97453291, 1871}, {984272, 6918}, {1960, 69706781}, {934, 3204}, {2349605, 8483},
        {104, 83761},   {10034, 71496}, {43846, 64923}, {10, 101},      {11, 111},        {12, 121},   {13, 131},
        {14, 141},      {15, 151},      {16, 161},      {17, 171},      {18, 181},        {19, 191},
    };
    char known[NAME_ROOM];
    if (ctx == NULL || name == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    for (int i = 0; i < NAMED; i++) {
        snprintf(known, sizeof known, "R%02d", i);
        if (strcasecmp(name, known) == 0)
            return draw(ctx, known, orders, seeds[i], out);
    }
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "there is no instance \"%.40s\", the names are R00 to R%02d", name, NAMED - 1);
}

// ---- Prefixes

static mco_status copy_network(mco_context *ctx, const mco_dtspms *from, int32_t nodes, int k, dtspms_network *to)
{
    mco_status st = MCO_OK;
    const dtspms_network *source = &from->network[k];
    to->rule = source->rule;
    if (source->rule == DTSPMS_MATRIX)
        return copy_matrix(ctx, source->matrix, nodes, (int64_t)from->orders + 1, &to->matrix);
    MCO_TRY(mco_alloc(ctx, &to->x, nodes));
    MCO_TRY(mco_alloc(ctx, &to->y, nodes));
    memcpy(to->x, source->x, (size_t)nodes * sizeof *to->x);
    memcpy(to->y, source->y, (size_t)nodes * sizeof *to->y);
done:
    return st;
}

// The pointers, and the characters after them, are one block of memory.
static mco_status copy_names(mco_context *ctx, char *const *names, int32_t orders, char ***out)
{
    size_t bytes = (size_t)orders * sizeof *names;
    char *block = NULL;
    for (int32_t i = 0; i < orders; i++)
        bytes += names[i] != NULL ? strlen(names[i]) + 1 : 0;
    mco_status st = mco_alloc(ctx, &block, bytes);
    if (st != MCO_OK)
        return st;
    *out = (char **)(void *)block;
    block += (size_t)orders * sizeof *names;
    for (int32_t i = 0; i < orders; i++)
        if (names[i] != NULL) {
            const size_t size = strlen(names[i]) + 1;
            (*out)[i] = memcpy(block, names[i], size);
            block += size;
        }
    return MCO_OK;
}

mco_status mco_dtspms_prefix(mco_context *ctx, const mco_dtspms *problem, int32_t orders, mco_dtspms **out)
{
    mco_status st = MCO_OK;
    mco_dtspms *d = NULL;
    if (ctx == NULL || problem == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (orders < 0 || orders > problem->orders)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the first %d orders are asked for, %s has %d", orders, problem->name,
                        problem->orders);
    MCO_TRY(dtspms_instance_new(ctx, orders, problem->name, &d));
    for (int k = 0; k < 2; k++)
        MCO_TRY(copy_network(ctx, problem, orders + 1, k, &d->network[k]));
    if (problem->names != NULL)
        MCO_TRY(copy_names(ctx, problem->names, orders, &d->names));
    *out = d;
    d = NULL;
done:
    mco_dtspms_destroy(ctx, &d);
    return st;
}

// ---- Reading

int32_t mco_dtspms_orders(const mco_dtspms *problem)
{
    return problem != NULL ? problem->orders : 0;
}

int32_t mco_dtspms_distance(const mco_dtspms *problem, mco_dtspms_network network, int32_t from, int32_t to)
{
    if (problem == NULL)
        return 0;
    const dtspms_network *n = &problem->network[network];
    if (n->rule == DTSPMS_MATRIX)
        return n->matrix[(int64_t)from * (problem->orders + 1) + to];
    // The squares are separate statements, so that no compiler fuses them with the sum into one rounding. The distance
    // is then the same on every machine.
    const double dx = n->x[from] - n->x[to], dy = n->y[from] - n->y[to];
    const double xx = dx * dx, yy = dy * dy;
    const double length = sqrt(xx + yy);
    // Coordinates within 1e7 are at most 2.9e7 apart.
    return (int32_t)(n->rule == DTSPMS_CEIL_2D ? ceil(length) : floor(length + 0.5));
}

const char *mco_dtspms_name(const mco_dtspms *problem)
{
    return problem != NULL ? problem->name : NULL;
}

bool mco_dtspms_has_names(const mco_dtspms *problem)
{
    return problem != NULL && problem->names != NULL;
}

const char *mco_dtspms_order_name(const mco_dtspms *problem, int32_t order, char buffer[16])
{
    enum { NUMBER_ROOM = 16 };
    if (problem == NULL)
        return NULL;
    if (problem->names != NULL && problem->names[order] != NULL)
        return problem->names[order];
    snprintf(buffer, NUMBER_ROOM, "%d", order + 1);
    return buffer;
}

bool mco_dtspms_coordinates(const mco_dtspms *problem, mco_dtspms_network network, int32_t node, double *x, double *y)
{
    if (problem == NULL || problem->network[network].rule == DTSPMS_MATRIX)
        return false;
    const dtspms_network *n = &problem->network[network];
    *x = n->x[node];
    *y = n->y[node];
    return true;
}
