// SPDX-License-Identifier: MIT
// TSPLIB: a file holds one network; routing/tsplib.h reads it.
#include "routing/tsplib.h"

#include "dtspms/formats.h"

#define MAX_DISTANCE 0x1p30

static const char *const types[] = {"TSP", "ATSP"}, *const coordinates[] = {"TWOD_COORDS"};
static const char *const rules[] = {"EUC_2D", "CEIL_2D", "EXPLICIT"};  // by dtspms_rule

const tsplib_entry dtspms_keywords[TSPLIB_KEYWORDS] = {
    TSPLIB_COMMON_ENTRIES,
    [TSPLIB_TYPE] = {.kind = TSPLIB_WORD, .words = types, .count = 2},
    [TSPLIB_DIMENSION] = {.kind = TSPLIB_WHOLE, .low = 1, .high = MCO_DTSPMS_MAX_ORDERS + 1},
    [TSPLIB_EDGE_WEIGHT_TYPE] = {.kind = TSPLIB_WORD, .words = rules, .count = 3},
    [TSPLIB_NODE_COORD_TYPE] = {.kind = TSPLIB_WORD, .words = coordinates, .count = 1},
};

static const tsplib_layout place_layout = {"the coordinate", "node, x, y", 2, .is_complete = true,
                                           .low = -DTSPMS_MAX_COORDINATE, .high = DTSPMS_MAX_COORDINATE};

// The depot is the first node.
static mco_status read_places(mco_context *ctx, tsplib *t, dtspms_network *network)
{
    mco_status st = MCO_OK;
    tsplib_rows rows = {0};
    MCO_TRY(tsplib_read_rows(t, TSPLIB_NODE_COORD_SECTION, &place_layout, &rows));
    MCO_TRY(tsplib_test_numbers(t, TSPLIB_NODE_COORD_SECTION, &rows));
    tsplib_arrange(t, t->base, rows.value[0]);
    tsplib_arrange(t, t->base, rows.value[1]);
    network->x = rows.value[0];
    network->y = rows.value[1];
    rows.value[0] = rows.value[1] = NULL;
done:
    tsplib_clear_rows(ctx, &rows);
    return st;
}

// If the distances of a network are a matrix, its coordinates serve drawings alone and are not read.
static mco_status read_network(mco_context *ctx, mco_text *text, dtspms_network *network, tsplib *t)
{
    mco_status st = MCO_OK;
    MCO_TRY(tsplib_scan(text, dtspms_keywords, t));
    MCO_TRY(tsplib_require_distances(t, MCO_DTSPMS_MAX_MATRIX_ORDERS + 1));
    network->rule = (dtspms_rule)t->words[TSPLIB_EDGE_WEIGHT_TYPE];
    if (!t->is_explicit)
        return read_places(ctx, t, network);
    MCO_TRY(tsplib_expect_matrix(t));
    MCO_TRY(mco_alloc(ctx, &network->matrix, t->nodes * t->nodes));
    MCO_TRY(tsplib_read_matrix(t, MAX_DISTANCE, "", 1, network->matrix, NULL));
done:
    return st;
}

mco_status dtspms_read_tsplib(mco_context *ctx, mco_text *const texts[2], const char *name, mco_dtspms **out)
{
    mco_status st = MCO_OK;
    mco_dtspms *d = NULL;
    tsplib t[2];
    MCO_TRY(dtspms_instance_new(ctx, 0, name, &d));
    for (int k = 0; k < 2; k++)
        MCO_TRY(read_network(ctx, texts[k], &d->network[k], &t[k]));
    if (t[0].nodes != t[1].nodes) {
        const mco_slice at = t[1].values[TSPLIB_DIMENSION];
        MCO_TRY(mco_text_fail(texts[1], at.line, at.column,
                              "DIMENSION is %lld, but %lld in %s: both networks have the same orders",
                              (long long)t[1].nodes, (long long)t[0].nodes, texts[0]->name));
    }
    d->orders = (int32_t)t[0].nodes - 1;
    *out = d;
    d = NULL;
done:
    mco_dtspms_destroy(ctx, &d);
    return st;
}

// ---- Writing

static bool is_symmetric(const dtspms_network *n, int64_t nodes)
{
    for (int64_t i = 0; n->rule == DTSPMS_MATRIX && i < nodes; i++)
        for (int64_t j = 0; j < i; j++)
            if (n->matrix[i * nodes + j] != n->matrix[j * nodes + i])
                return false;
    return true;
}

static void write_head(const mco_dtspms *problem, const dtspms_network *n, FILE *file)
{
    fputs("NAME: ", file);
    tsplib_write_name(problem->name, file);
    fprintf(file, "\nTYPE: %s\n", is_symmetric(n, (int64_t)problem->orders + 1) ? "TSP" : "ATSP");
    fprintf(file, "COMMENT: %s network, the first node is the depot\n", n == problem->network ? "pickup" : "delivery");
    fprintf(file, "DIMENSION: %d\nEDGE_WEIGHT_TYPE: %s\n", problem->orders + 1, rules[n->rule]);
}

void dtspms_write_network(const mco_dtspms *problem, mco_dtspms_network network, FILE *file)
{
    const dtspms_network *n = &problem->network[network];
    const int64_t nodes = (int64_t)problem->orders + 1;
    write_head(problem, n, file);
    if (n->rule == DTSPMS_MATRIX) {
        fputs("EDGE_WEIGHT_FORMAT: FULL_MATRIX\nEDGE_WEIGHT_SECTION\n", file);
        tsplib_write_matrix(n->matrix, nodes, 1, file);
    } else {
        fputs("NODE_COORD_SECTION\n", file);
        tsplib_write_places(n->x, n->y, nodes, 0, file);
    }
    fputs("EOF\n", file);
}
