// SPDX-License-Identifier: MIT
// Takes any bytes as an instance, VRPLIB or CSV, with rounded, real and geographic distances. What is accepted must be
// within the limits, and the same after writing and reading again. What is refused must have a message.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "vrp/formats.h"
#include "vrp/vrplib.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { COMPARED = 50 };  // nodes whose distances are all compared

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(mco_context *ctx, const mco_vrp *p)
{
    const int32_t nodes = p->nodes < COMPARED ? p->nodes : COMPARED;
    char number[16];
    int64_t sum = 0;
    require(p->customers >= 0 && p->customers <= MCO_VRP_MAX_CUSTOMERS && p->nodes == p->customers + 1);
    require(p->load_scale >= 1 && p->load_scale <= 1000000);
    require(p->capacity >= 1 && p->capacity <= MCO_VRP_MAX_LENGTH && p->vehicles >= 0);
    require(p->max_length >= 0 && p->max_length <= MCO_VRP_MAX_LENGTH && p->scale >= 1 && p->scale <= 1e6);
    require(p->longest >= 0 && p->longest <= MCO_VRP_MAX_DISTANCE && p->demand[0] == 0 && vrp_service(p, 0) == 0);
    for (int32_t i = 0; i < nodes; i++)
        for (int32_t j = 0; j < nodes; j++) {
            const int32_t d = mco_vrp_distance(p, i, j);
            require(d >= 0 && d <= p->longest && (i != j || d == 0));
            require(!p->is_symmetric || d == mco_vrp_distance(p, j, i));
        }
    for (int32_t c = 0; c < p->customers; c++) {
        require(mco_vrp_demand(p, c) >= 0 && mco_vrp_service(p, c) >= 0 && mco_vrp_service(p, c) <= MCO_VRP_MAX_LENGTH);
        require(mco_vrp_customer_name(p, c, number)[0] != '\0');
        sum += mco_vrp_demand(p, c);
    }
    require(sum <= MCO_VRP_MAX_LENGTH);
    const mco_status servable = vrp_refuse_unservable(ctx, p, (double)INFINITY);
    require(servable == MCO_OK || (servable == MCO_ERR_ARGUMENT && mco_context_error(ctx)[0] != '\0'));
}

static bool is_same(const void *a, const void *b, size_t bytes)
{
    return a == NULL || b == NULL ? a == b : memcmp(a, b, bytes) == 0;
}

static void compare(const mco_vrp *a, const mco_vrp *b)
{
    const size_t nodes = (size_t)a->nodes;
    require(a->nodes == b->nodes && a->rule == b->rule && a->scale == b->scale && a->is_symmetric == b->is_symmetric);
    require(a->capacity == b->capacity && a->max_length == b->max_length && a->vehicles == b->vehicles);
    require(is_same(a->matrix, b->matrix, nodes * nodes * sizeof *a->matrix));
    require(is_same(a->demand, b->demand, nodes * sizeof *a->demand));
    require(is_same(a->service, b->service, nodes * sizeof *a->service));
    require((a->x == NULL) == (b->x == NULL));
    for (size_t i = 0; a->x != NULL && i < nodes; i++)
        require(a->x[i] == b->x[i] && a->y[i] == b->y[i]);
}

static void write_and_read(mco_context *ctx, const mco_vrp *p, mco_vrp_distances distances)
{
    char *content = NULL;
    size_t size = 0;
    mco_text text;
    mco_vrp *back = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.distance = distances;
    FILE *file = open_memstream(&content, &size);
    require(file != NULL);
    vrp_write_text(p, file);
    require(fclose(file) == 0);
    require(mco_text_from_memory(ctx, "again", content, size, &text) == MCO_OK);
    require(vrp_read_text(ctx, &text, &model, "again", &back) == MCO_OK);
    compare(p, back);
    mco_vrp_destroy(ctx, &back);
    mco_text_close(&text);
    free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    for (int k = 0; k < 3; k++) {
        mco_text text;
        mco_vrp *p = NULL;
        mco_vrp_model model = MCO_VRP_MODEL_INIT;
        model.distance = (mco_vrp_distances)k;
        model.capacity = size > 0 && data[0] == '#' ? 7 : -1;  // CSV may lack one
        if (mco_text_from_memory(ctx, "input", data, size, &text) != MCO_OK)
            break;
        const mco_status st = vrp_read_text(ctx, &text, &model, "input", &p);
        require((st == MCO_OK) == (p != NULL));
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (p != NULL) {
            examine(ctx, p);
            write_and_read(ctx, p, mco_vrp_distance_rule(p));
        }
        mco_text_close(&text);
        mco_vrp_destroy(ctx, &p);
    }
    mco_context_destroy(&ctx);
    return 0;
}
