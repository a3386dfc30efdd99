// SPDX-License-Identifier: MIT
// VRPLIB: what routing/tsplib.h leaves open, which is the depot and the values of the customers.
//
// A matrix is read twice: first for its greatest entry, from which the scale of real distances follows, then for all
// entries.
#include <string.h>

#include "base/number.h"
#include "base/output.h"
#include "routing/features.h"
#include "routing/tsplib.h"
#include "vrp/formats.h"
#include "vrp/vrplib.h"

#define MAX_LENGTH_READ 1e15    // of a route or a service time in a file; doubles hold it exactly
#define MAX_VEHICLES 100000000  // as for --vehicles

static const char *const rules[] = {"EUC_2D", "CEIL_2D", "GEO", "EXPLICIT"};  // by vrp_rule
static const char *const types[] = {"CVRP", "ACVRP", "DCVRP"}, *const coordinates[] = {"TWOD_COORDS", "NO_COORDS"};

static mco_status refuse_type(mco_text *text, mco_slice value)
{
    if (!mco_slice_is(value, "TSP") && !mco_slice_is(value, "ATSP"))
        return routing_refuse_type(text, value);
    return mco_text_fail(text, value.line, value.column,
                         "TYPE is %.*s, a problem without demands and capacity; supported are CVRP, ACVRP and DCVRP",
                         mco_slice_shown(value), value.data);
}

const tsplib_entry vrp_keywords[TSPLIB_KEYWORDS] = {
    TSPLIB_COMMON_ENTRIES,
    [TSPLIB_TYPE] = {.kind = TSPLIB_WORD, .words = types, .count = 3, .refuse = refuse_type},
    [TSPLIB_DIMENSION] = {.kind = TSPLIB_WHOLE, .low = 1, .high = MCO_VRP_MAX_CUSTOMERS + 1},
    [TSPLIB_CAPACITY] = {.kind = TSPLIB_WHOLE, .low = 1, .high = MCO_VRP_MAX_LENGTH},
    [TSPLIB_DISTANCE] = {.kind = TSPLIB_REAL, .low = 0, .high = MAX_LENGTH_READ},
    [TSPLIB_SERVICE_TIME] = {.kind = TSPLIB_REAL, .low = 0, .high = MAX_LENGTH_READ},
    [TSPLIB_VEHICLES] = {.kind = TSPLIB_WHOLE, .low = 0, .high = MAX_VEHICLES},
    [TSPLIB_EDGE_WEIGHT_TYPE] = {.kind = TSPLIB_WORD, .words = rules, .count = 4},
    [TSPLIB_NODE_COORD_TYPE] = {.kind = TSPLIB_WORD, .words = coordinates, .count = 2},
    [TSPLIB_DEMAND_SECTION] = {.kind = TSPLIB_SECTION},
    [TSPLIB_DEPOT_SECTION] = {.kind = TSPLIB_SECTION},
    [TSPLIB_SERVICE_TIME_SECTION] = {.kind = TSPLIB_SECTION},
};

static const tsplib_layout place_layout = {"the coordinate", "node, x, y", 2, .is_complete = true, .low = -VRP_MAX_COORDINATE,
                                           .high = VRP_MAX_COORDINATE};
static const tsplib_layout demand_layout = {"the demand", "node, demand", 1, .is_whole = true, .high = MCO_VRP_MAX_LENGTH};
static const tsplib_layout service_layout = {"the service time", "node, time", 1, .high = MAX_LENGTH_READ};

typedef struct vrplib {
    mco_context *ctx;
    const mco_vrp_model *model;  // may be NULL
    tsplib t;
    int64_t depot;               // its number in the file
    mco_slice depot_at;
    vrp_draft draft;
} vrplib;

static mco_status require_all(vrplib *v)
{
    mco_status st = MCO_OK;
    tsplib *t = &v->t;
    MCO_TRY(tsplib_require_distances(t, MCO_VRP_MAX_MATRIX_CUSTOMERS + 1));
    if (!tsplib_has(t, TSPLIB_CAPACITY) && (v->model == NULL || v->model->capacity < 0))
        MCO_TRY(mco_text_fail_here(t->text, "the file ends without CAPACITY, and --capacity is not given"));
    MCO_TRY(tsplib_require(t, TSPLIB_DEMAND_SECTION));
    MCO_TRY(tsplib_require(t, TSPLIB_DEPOT_SECTION));
done:
    return st;
}

// ---- Sections

static mco_status read_depot(vrplib *v)
{
    mco_status st = MCO_OK;
    mco_text body = v->t.sections[TSPLIB_DEPOT_SECTION];
    mco_slice token;
    int64_t node = 0;
    for (v->depot = -1; tsplib_peek(&body, &token); body.at += token.size) {
        if (node < 0)
            return mco_text_fail(v->t.text, token.line, token.column, "DEPOT_SECTION goes on after -1");
        MCO_TRY(mco_slice_whole(v->t.text, token, "the number of the depot", -1, v->t.nodes, &node));
        if (node >= 0 && v->depot >= 0)
            return mco_text_fail(v->t.text, token.line, token.column,
                                 "a second depot, node %lld, the first is node %lld: several depots are not supported",
                                 (long long)node, (long long)v->depot);
        if (node >= 0) {
            v->depot = node;
            v->depot_at = token;
        }
    }
    if (v->depot < 0)
        return mco_text_fail_here(&body, "DEPOT_SECTION ends without a depot");
    if (v->depot == 0)
        v->t.base = 0;
done:
    return st;
}

// Tests that every customer has a value, and that the depot has none or 0.
static mco_status test_values(vrplib *v, tsplib_keyword section, const tsplib_rows *r)
{
    tsplib *t = &v->t;
    for (int64_t node = t->base; node < t->base + t->nodes; node++) {
        if (node == v->depot && r->lines[node] != 0 && r->value[0][node] != 0)
            return mco_text_fail(t->text, r->lines[node], 1, "node %lld, the depot, has %.15g in %s, 0 was expected",
                                 (long long)node, r->value[0][node], tsplib_names[section]);
        if (node != v->depot && r->lines[node] == 0) {
            const mco_slice at = t->heads[section];
            return mco_text_fail(t->text, at.line, at.column, "%s has no row for node %lld, DIMENSION is %lld",
                                 tsplib_names[section], (long long)node, (long long)t->nodes);
        }
    }
    return MCO_OK;
}

// Moves the row and the column of the depot to the front.
static mco_status arrange_matrix(vrplib *v, int32_t *matrix)
{
    mco_status st = MCO_OK;
    int32_t *row = NULL;
    const int64_t n = v->t.nodes, depot = v->depot - v->t.base;
    if (depot == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(v->ctx, &row, n));
    memcpy(row, matrix + depot * n, (size_t)n * sizeof *row);
    memmove(matrix + n, matrix, (size_t)(depot * n) * sizeof *matrix);
    memcpy(matrix, row, (size_t)n * sizeof *row);
    for (int64_t i = 0; i < n; i++) {
        int32_t *r = matrix + i * n;
        const int32_t first = r[depot];
        memmove(r + 1, r, (size_t)depot * sizeof *r);
        r[0] = first;
    }
done:
    mco_free(v->ctx, &row);
    return st;
}

// ---- All of it

static mco_status new_draft(vrplib *v, const char *name)
{
    mco_status st = MCO_OK;
    char *own = NULL;
    const tsplib *t = &v->t;
    const mco_slice title = t->values[TSPLIB_NAME];
    if (title.size > 0) {
        MCO_TRY(mco_alloc(v->ctx, &own, title.size + 1));
        memcpy(own, title.data, title.size);
    }
    MCO_TRY(vrp_draft_new(v->ctx, t->nodes - 1, (vrp_rule)t->words[TSPLIB_EDGE_WEIGHT_TYPE], own != NULL ? own : name,
                          &v->draft));
    v->draft.problem->distances = v->model != NULL ? v->model->distance : MCO_VRP_DISTANCES_ROUNDED;
    if (tsplib_has(t, TSPLIB_DISTANCE))
        v->draft.max_length = t->numbers[TSPLIB_DISTANCE];
    if (tsplib_has(t, TSPLIB_CAPACITY))
        v->draft.capacity = (int64_t)t->numbers[TSPLIB_CAPACITY];
    v->draft.vehicles = (int64_t)t->numbers[TSPLIB_VEHICLES];
done:
    mco_free(v->ctx, &own);
    return st;
}

// With a matrix, coordinates come from its display section, if it has one. They serve for pictures.
static tsplib_keyword section_of_places(const tsplib *t)
{
    const bool is_display = t->is_explicit && tsplib_has(t, TSPLIB_DISPLAY_DATA_SECTION);
    return is_display ? TSPLIB_DISPLAY_DATA_SECTION : TSPLIB_NODE_COORD_SECTION;
}

// The service times come from a row for each customer, or from one number for all of them.
static mco_status fill_service(vrplib *v, tsplib_rows *service)
{
    mco_status st = MCO_OK;
    tsplib *t = &v->t;
    if (service->lines != NULL) {
        MCO_TRY(test_values(v, TSPLIB_SERVICE_TIME_SECTION, service));
        tsplib_arrange(t, v->depot, service->value[0]);
        v->draft.service = service->value[0];
        service->value[0] = NULL;
    } else if (t->numbers[TSPLIB_SERVICE_TIME] > 0) {
        MCO_TRY(mco_alloc(v->ctx, &v->draft.service, t->nodes));
        for (int64_t i = 1; i < t->nodes; i++)
            v->draft.service[i] = t->numbers[TSPLIB_SERVICE_TIME];
    }
done:
    return st;
}

// Moves the values of all sections, by node, into the draft.
static mco_status fill_draft(vrplib *v, tsplib_rows *place, tsplib_rows *demand, tsplib_rows *service)
{
    mco_status st = MCO_OK;
    tsplib *t = &v->t;
    mco_vrp *p = v->draft.problem;
    const mco_slice at = v->depot_at;
    if (v->depot >= t->base + t->nodes)
        return mco_text_fail(t->text, at.line, at.column, "the depot is node %lld, but there is a node 0 and DIMENSION is %lld",
                             (long long)v->depot, (long long)t->nodes);
    MCO_TRY(tsplib_test_numbers(t, section_of_places(t), place));
    MCO_TRY(tsplib_test_numbers(t, TSPLIB_DEMAND_SECTION, demand));
    MCO_TRY(tsplib_test_numbers(t, TSPLIB_SERVICE_TIME_SECTION, service));
    MCO_TRY(test_values(v, TSPLIB_DEMAND_SECTION, demand));
    tsplib_arrange(t, v->depot, demand->value[0]);
    for (int64_t i = 0; i < t->nodes; i++)
        p->demand[i] = (int32_t)demand->value[0][i];
    if (place->lines != NULL) {
        tsplib_arrange(t, v->depot, place->value[0]);
        tsplib_arrange(t, v->depot, place->value[1]);
        p->x = place->value[0];
        p->y = place->value[1];
        place->value[0] = place->value[1] = NULL;
    }
    MCO_TRY(fill_service(v, service));
done:
    return st;
}

static mco_status read_sections(vrplib *v)
{
    mco_status st = MCO_OK;
    tsplib *t = &v->t;
    tsplib_rows place = {0}, demand = {0}, service = {0};
    MCO_TRY(read_depot(v));
    if (tsplib_has(t, section_of_places(t)))
        MCO_TRY(tsplib_read_rows(t, section_of_places(t), &place_layout, &place));
    MCO_TRY(tsplib_read_rows(t, TSPLIB_DEMAND_SECTION, &demand_layout, &demand));
    if (tsplib_has(t, TSPLIB_SERVICE_TIME_SECTION))
        MCO_TRY(tsplib_read_rows(t, TSPLIB_SERVICE_TIME_SECTION, &service_layout, &service));
    MCO_TRY(fill_draft(v, &place, &demand, &service));
done:
    tsplib_clear_rows(v->ctx, &service);
    tsplib_clear_rows(v->ctx, &demand);
    tsplib_clear_rows(v->ctx, &place);
    return st;
}

static mco_status read_matrix(vrplib *v, int32_t *matrix)
{
    const mco_vrp *p = v->draft.problem;
    const char *hint = p->distances == MCO_VRP_DISTANCES_ROUNDED ? "; --distance real keeps decimals" : NULL;
    return tsplib_read_matrix(&v->t, MCO_VRP_MAX_DISTANCE, hint, p->scale, matrix, &v->draft.longest);
}

mco_status vrp_read_vrplib(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out)
{
    mco_status st = MCO_OK;
    vrplib v = {.ctx = ctx, .model = model};
    tsplib *t = &v.t;
    MCO_TRY(tsplib_scan(text, vrp_keywords, t));
    MCO_TRY(require_all(&v));
    MCO_TRY(tsplib_expect_rows(t, TSPLIB_DEMAND_SECTION, &demand_layout));
    if (t->is_explicit)
        MCO_TRY(tsplib_expect_matrix(t));
    MCO_TRY(new_draft(&v, name));
    MCO_TRY(read_sections(&v));
    if (t->is_explicit)
        MCO_TRY(read_matrix(&v, NULL));
    MCO_TRY(vrp_settle(ctx, model, &v.draft));
    if (t->is_explicit) {
        mco_vrp *p = v.draft.problem;
        MCO_TRY(mco_alloc(ctx, &p->matrix, (int64_t)p->nodes * p->nodes));
        MCO_TRY(read_matrix(&v, p->matrix));
        MCO_TRY(arrange_matrix(&v, p->matrix));
    }
    vrp_take(&v.draft, out);
done:
    vrp_draft_clear(ctx, &v.draft);
    return st;
}

// ---- Writing: the depot comes first

static void write_head(const mco_vrp *p, FILE *file)
{
    fputs("NAME : ", file);
    tsplib_write_name(p->name, file);
    fprintf(file, "\nTYPE : %s\nDIMENSION : %d\nEDGE_WEIGHT_TYPE : %s\n", p->is_symmetric ? "CVRP" : "ACVRP", p->nodes,
            rules[p->rule]);
    if (p->rule == VRP_MATRIX)
        fputs("EDGE_WEIGHT_FORMAT : FULL_MATRIX\n", file);
    if (p->load_scale > 1)
        fprintf(file, "COMMENT : demands and the capacity are in units of 1/%d\n", p->load_scale);
    fprintf(file, "CAPACITY : %d\n", p->capacity);
    if (vrp_has_max_length(p)) {
        fputs("DISTANCE : ", file);
        mco_write_number(p->max_length / p->scale, file);
        fputc('\n', file);
    }
    if (p->vehicles > 0)
        fprintf(file, "VEHICLES : %d\n", p->vehicles);
}

static bool is_service_equal(const mco_vrp *p)
{
    for (int32_t i = 2; i < p->nodes; i++)
        if (vrp_service(p, i) != vrp_service(p, 1))
            return false;
    return true;
}

void vrp_write_text(const mco_vrp *problem, FILE *file)
{
    const mco_vrp *p = problem;
    const bool has_service = p->service != NULL, is_equal = is_service_equal(p);
    write_head(p, file);
    if (has_service && is_equal && p->customers > 0) {
        fputs("SERVICE_TIME : ", file);
        mco_write_number(p->service[1] / p->scale, file);
        fputc('\n', file);
    }
    if (p->rule == VRP_MATRIX) {
        fputs("EDGE_WEIGHT_SECTION\n", file);
        tsplib_write_matrix(p->matrix, p->nodes, p->scale, file);
    }
    if (p->x != NULL) {
        fputs(p->rule == VRP_MATRIX ? "DISPLAY_DATA_SECTION\n" : "NODE_COORD_SECTION\n", file);
        tsplib_write_places(p->x, p->y, p->nodes, 1, file);
    }
    fputs("DEMAND_SECTION\n", file);
    for (int32_t i = 0; i < p->nodes; i++)
        fprintf(file, "%d %d\n", i + 1, p->demand[i]);
    if (has_service && !is_equal) {
        fputs("SERVICE_TIME_SECTION\n", file);
        for (int32_t i = 1; i < p->nodes; i++) {
            fprintf(file, "%d ", i + 1);
            mco_write_number(p->service[i] / p->scale, file);
            fputc('\n', file);
        }
    }
    fputs("DEPOT_SECTION\n1\n-1\nEOF\n", file);
}
