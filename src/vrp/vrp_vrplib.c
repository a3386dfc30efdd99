// SPDX-License-Identifier: MIT
// VRPLIB and TSPLIB (Reinelt 1991, 1995): lines "KEYWORD : value" and sections of numbers, in any order.
//
// The text is gone through twice: once for keywords, values, and where each section lies; then the sections are read, which
// by then have DIMENSION and the rest before them. A matrix is read twice, for its greatest entry and for all of them: the
// scale of real distances follows from the former.
#include <ctype.h>
#include <string.h>

#include "vrp/vrp_formats.h"

enum { LEAST_ENTRY = 2 };  // bytes of the shortest entry of a matrix and its end

static const double MAX_LENGTH_READ = 1e15;  // of a route or a service time in a file; exact in double precision
static const int64_t MAX_VEHICLES = 100000000;  // as --vehicles

// ---- Keywords

typedef enum keyword {
    NAME,
    COMMENT,
    TYPE,
    DIMENSION,
    CAPACITY,
    DISTANCE,
    SERVICE_TIME,
    VEHICLES,
    EDGE_WEIGHT_TYPE,
    EDGE_WEIGHT_FORMAT,
    NODE_COORD_TYPE,
    DISPLAY_DATA_TYPE,
    NODE_COORD_SECTION,  // from here on without a value
    DEMAND_SECTION,
    DEPOT_SECTION,
    EDGE_WEIGHT_SECTION,
    SERVICE_TIME_SECTION,
    DISPLAY_DATA_SECTION,
    END,
    KEYWORDS
} keyword;

static const char *const keywords[KEYWORDS] = {
    "NAME",          "COMMENT",       "TYPE",                "DIMENSION",            "CAPACITY",
    "DISTANCE",      "SERVICE_TIME",  "VEHICLES",            "EDGE_WEIGHT_TYPE",     "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE", "DISPLAY_DATA_TYPE", "NODE_COORD_SECTION", "DEMAND_SECTION", "DEPOT_SECTION",
    "EDGE_WEIGHT_SECTION", "SERVICE_TIME_SECTION", "DISPLAY_DATA_SECTION", "EOF",
};

// What says nothing about the problem.
static const char *const remarks[] = {"AUTHOR", "BEST_KNOWN", "BKS", "DATE", "EDGE_WEIGHT_UNIT_OF_MEASUREMENT", "OPTIMAL",
                                      "SOURCE", "VERSION"};

typedef enum format {
    FULL_MATRIX,
    UPPER_ROW,
    LOWER_ROW,
    UPPER_DIAG_ROW,
    LOWER_DIAG_ROW,
    UPPER_COL,
    LOWER_COL,
    UPPER_DIAG_COL,
    LOWER_DIAG_COL,
    FORMATS
} format;

static const char *const formats[FORMATS] = {"FULL_MATRIX",    "UPPER_ROW", "LOWER_ROW", "UPPER_DIAG_ROW", "LOWER_DIAG_ROW",
                                             "UPPER_COL",      "LOWER_COL", "UPPER_DIAG_COL", "LOWER_DIAG_COL"};

const char *const vrp_rule_names[] = {"EUC_2D", "CEIL_2D", "GEO", "EXPLICIT"};

typedef struct vrplib {
    mco_context *ctx;
    mco_text *text;
    const mco_vrp_model *model;    // may be NULL
    mco_slice heads[KEYWORDS];     // the word; line 0 where the keyword has not been seen
    mco_slice values[KEYWORDS];    // what follows it
    mco_text sections[KEYWORDS];   // from behind the head to the end of the section; the text is borrowed
    int64_t nodes, capacity, vehicles;
    double max_length, service;
    vrp_rule rule;
    format format;
    int64_t base;                  // number of the first node: 0 where a node 0 is named, else 1
    int64_t depot;                 // its number
    mco_slice depot_at;
    vrp_draft draft;
} vrplib;

static mco_slice first_word(mco_slice line)
{
    mco_slice word = line;
    word.size = 0;
    while (word.size < line.size && !isspace((unsigned char)line.data[word.size]) && line.data[word.size] != ':')
        word.size++;
    return word;
}

static keyword keyword_of(mco_slice word)
{
    int k = 0;
    while (k < KEYWORDS && !mco_slice_is(word, keywords[k]))
        k++;
    return (keyword)k;
}

static bool is_remark(mco_slice word)
{
    for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; i++)
        if (mco_slice_is(word, remarks[i]))
            return true;
    return false;
}

bool vrp_is_vrplib_line(mco_slice line)
{
    enum { LEAST_SEPARATORS = 2 };  // of a header of CSV: x, y, demand
    const mco_slice word = first_word(line);
    int separators = 0;
    for (size_t i = word.size; i < line.size && line.data[i] != ':'; i++)
        separators += line.data[i] == ',' || line.data[i] == ';' || line.data[i] == '\t';
    const bool is_header = keyword_of(word) == NAME && separators > LEAST_SEPARATORS;
    return is_remark(word) || (keyword_of(word) < KEYWORDS && !is_header);
}

// ---- The first pass

static mco_status read_type(vrplib *t, mco_slice value)
{
    static const char *const types[] = {"CVRP", "ACVRP", "DCVRP"};
    if (mco_slice_is(value, "TSP") || mco_slice_is(value, "ATSP"))
        return mco_text_fail(t->text, value.line, value.column,
                             "TYPE is %.*s, a problem without demands and capacity; supported are CVRP, ACVRP and DCVRP",
                             mco_slice_shown(value), value.data);
    return vrp_find_word(t->text, value, "TYPE is", types, 3, &(int){0});
}

static mco_status read_value(vrplib *t, keyword k, mco_slice value)
{
    static const char *const coordinates[] = {"TWOD_COORDS", "NO_COORDS"};
    mco_status st = MCO_OK;
    int found = 0;
    switch (k) {
    case TYPE: MCO_TRY(read_type(t, value)); break;
    case DIMENSION:
        MCO_TRY(vrp_slice_whole(t->text, value, "DIMENSION", 1, MCO_VRP_MAX_CUSTOMERS + 1, &t->nodes));
        break;
    case CAPACITY: MCO_TRY(vrp_slice_whole(t->text, value, "CAPACITY", 1, MCO_VRP_MAX_LENGTH, &t->capacity)); break;
    case VEHICLES: MCO_TRY(vrp_slice_whole(t->text, value, "VEHICLES", 0, MAX_VEHICLES, &t->vehicles)); break;
    case DISTANCE: MCO_TRY(vrp_slice_number(t->text, value, "DISTANCE", 0, MAX_LENGTH_READ, &t->max_length)); break;
    case SERVICE_TIME: MCO_TRY(vrp_slice_number(t->text, value, "SERVICE_TIME", 0, MAX_LENGTH_READ, &t->service)); break;
    case EDGE_WEIGHT_TYPE:
        MCO_TRY(vrp_find_word(t->text, value, "EDGE_WEIGHT_TYPE is", vrp_rule_names, 4, &found));
        t->rule = (vrp_rule)found;
        break;
    case EDGE_WEIGHT_FORMAT:  // FUNCTION goes with coordinates: the type is the function
        t->format = FORMATS;
        if (!mco_slice_is(value, "FUNCTION")) {
            MCO_TRY(vrp_find_word(t->text, value, "EDGE_WEIGHT_FORMAT is", formats, FORMATS, &found));
            t->format = (format)found;
        }
        break;
    case NODE_COORD_TYPE: MCO_TRY(vrp_find_word(t->text, value, "NODE_COORD_TYPE is", coordinates, 2, &found)); break;
    default: break;
    }
done:
    return st;
}

static mco_status read_keyword(vrplib *t, mco_slice line, keyword *k)
{
    const mco_slice word = first_word(line);
    mco_slice value = mco_slice_trim(mco_slice_behind(line, word.size));
    if (value.size > 0 && value.data[0] == ':')
        value = mco_slice_trim(mco_slice_behind(value, 1));
    *k = keyword_of(word);
    if (*k == KEYWORDS && is_remark(word)) {
        mco_log(t->ctx, MCO_LOG_DETAIL, "%s:%lld: %.*s is not used", t->text->name, (long long)line.line,
                mco_slice_shown(word), word.data);
        return MCO_OK;
    }
    if (*k == KEYWORDS)
        return vrp_find_word(t->text, word, "the keyword is", keywords, KEYWORDS, &(int){0});
    if (*k == COMMENT)
        return MCO_OK;
    if (*k >= NODE_COORD_SECTION && value.size > 0)
        return mco_text_fail(t->text, value.line, value.column, "\"%.*s\" stands behind %s, nothing was expected",
                             mco_slice_shown(value), value.data, keywords[*k]);
    if (t->heads[*k].line != 0)
        return mco_text_fail(t->text, line.line, line.column, "%s stands in line %lld and in line %lld", keywords[*k],
                             (long long)t->heads[*k].line, (long long)line.line);
    t->heads[*k] = word;
    t->values[*k] = value;
    return *k < NODE_COORD_SECTION ? read_value(t, *k, value) : MCO_OK;
}

// Values, and where the sections lie: each up to the next line that is no row of numbers and no comment.
static mco_status find_sections(vrplib *t)
{
    mco_status st = MCO_OK;
    mco_text *text = t->text;
    mco_slice line;
    keyword k = KEYWORDS, open = KEYWORDS;
    while (k != END && mco_text_skip_blank(text)) {
        const mco_text before = *text;
        mco_text_line(text, &line);
        const bool is_row = strchr("0123456789+-.", line.data[0]) != NULL;
        if (line.data[0] == '#' || (is_row && open != KEYWORDS))
            continue;
        if (open != KEYWORDS)
            t->sections[open].size = before.at;
        MCO_TRY(read_keyword(t, line, &k));
        open = k >= NODE_COORD_SECTION && k < END ? k : KEYWORDS;
        if (open != KEYWORDS)
            t->sections[open] = *text;
    }
    if (mco_text_skip_blank(text))
        MCO_TRY(mco_text_fail_here(text, "the file goes on after EOF"));
done:
    return st;
}

static mco_status require_keyword(vrplib *t, keyword k)
{
    if (t->heads[k].line != 0)
        return MCO_OK;
    return mco_text_fail_here(t->text, "the file ends without %s", keywords[k]);
}

static mco_status require_all(vrplib *t)
{
    mco_status st = MCO_OK;
    MCO_TRY(require_keyword(t, DIMENSION));
    MCO_TRY(require_keyword(t, EDGE_WEIGHT_TYPE));
    if (t->heads[CAPACITY].line == 0 && (t->model == NULL || t->model->capacity < 0))
        MCO_TRY(mco_text_fail_here(t->text, "the file ends without CAPACITY, and --capacity is not given"));
    if (t->rule == VRP_MATRIX) {
        MCO_TRY(require_keyword(t, EDGE_WEIGHT_FORMAT));
        if (t->format == FORMATS)
            MCO_TRY(vrp_find_word(t->text, t->values[EDGE_WEIGHT_FORMAT], "EDGE_WEIGHT_FORMAT is", formats, FORMATS,
                                  &(int){0}));
        MCO_TRY(require_keyword(t, EDGE_WEIGHT_SECTION));
        if (t->nodes > MCO_VRP_MAX_MATRIX_CUSTOMERS + 1)
            MCO_TRY(mco_text_fail(t->text, t->values[DIMENSION].line, t->values[DIMENSION].column,
                                  "DIMENSION is %lld, with a matrix allowed is 1 to %d", (long long)t->nodes,
                                  MCO_VRP_MAX_MATRIX_CUSTOMERS + 1));
    } else {
        MCO_TRY(require_keyword(t, NODE_COORD_SECTION));
        const mco_slice at = t->heads[EDGE_WEIGHT_SECTION];
        if (at.line != 0)
            MCO_TRY(mco_text_fail(t->text, at.line, at.column,
                                  "EDGE_WEIGHT_SECTION with EDGE_WEIGHT_TYPE %s, EXPLICIT was expected",
                                  vrp_rule_names[t->rule]));
    }
    MCO_TRY(require_keyword(t, DEMAND_SECTION));
    MCO_TRY(require_keyword(t, DEPOT_SECTION));
done:
    return st;
}

// ---- Sections with a row for each node

typedef struct rows {
    int columns;       // numbers behind the node's
    double *value[2];  // [nodes + 1] by the number of the node; owned
    int32_t *lines;    // [nodes + 1] where the row stands, 0: nowhere; owned
    int64_t count;
} rows;

static void clear_rows(vrplib *t, rows *r)
{
    mco_free(t->ctx, &r->lines);
    mco_free(t->ctx, &r->value[1]);
    mco_free(t->ctx, &r->value[0]);
}

// No memory for what cannot be there: `items` of at least `least` bytes each; the last may lack its end.
static mco_status expect_room(vrplib *t, keyword section, int64_t items, const char *what, int64_t least)
{
    const mco_slice at = t->values[DIMENSION];
    const mco_text *s = &t->sections[section];
    const int64_t rest = (int64_t)(s->size - s->at);
    if (items > (rest + 1) / least)
        return mco_text_fail(t->text, at.line, at.column,
                             "DIMENSION is %lld, %lld %s are too many for the %lld bytes of %s in line %lld",
                             (long long)t->nodes, (long long)items, what, (long long)rest, keywords[section],
                             (long long)t->heads[section].line);
    return MCO_OK;
}

static mco_status read_row(vrplib *t, keyword section, mco_slice line, rows *r)
{
    static const char *const what[] = {"the coordinate", "the demand", "the service time"};
    mco_status st = MCO_OK;
    mco_slice rest = line, tokens[3], token;
    int64_t node, seen = 0;
    for (; mco_slice_token(&rest, &token); seen++)
        if (seen <= r->columns)
            tokens[seen] = token;
    if (seen != r->columns + 1)
        return mco_text_fail(t->text, line.line, line.column, "the row holds %lld numbers, %d were expected: %s",
                             (long long)seen, r->columns + 1,
                             r->columns == 2 ? "node, x, y" : section == DEMAND_SECTION ? "node, demand" : "node, time");
    MCO_TRY(vrp_slice_whole(t->text, tokens[0], "the number of the node", 0, MCO_VRP_MAX_LENGTH, &node));
    if (node > t->nodes)
        return mco_text_fail(t->text, line.line, line.column, "node %lld, but DIMENSION is %lld", (long long)node,
                             (long long)t->nodes);
    if (r->lines[node] != 0)
        return mco_text_fail(t->text, line.line, line.column, "node %lld stands in line %d and in line %lld", (long long)node,
                             r->lines[node], (long long)line.line);
    r->lines[node] = (int32_t)line.line;  // of a text of at most 2^30 bytes
    r->count++;
    if (section == DEMAND_SECTION) {
        int64_t demand;
        MCO_TRY(vrp_slice_whole(t->text, tokens[1], what[1], 0, MCO_VRP_MAX_LENGTH, &demand));
        r->value[0][node] = (double)demand;
        return MCO_OK;
    }
    for (int c = 0; c < r->columns; c++)
        MCO_TRY(vrp_slice_number(t->text, tokens[c + 1], r->columns == 2 ? what[0] : what[2],
                                 r->columns == 2 ? -VRP_MAX_COORDINATE : 0,
                                 r->columns == 2 ? VRP_MAX_COORDINATE : MAX_LENGTH_READ, &r->value[c][node]));
done:
    return st;
}

static mco_status read_rows(vrplib *t, keyword section, int columns, rows *r)
{
    mco_status st = MCO_OK;
    mco_text body = t->sections[section];
    mco_slice line;
    r->columns = columns;
    // The shortest row is "0 0" or "0 0 0" and its end; the depot may be left out where it has no value.
    MCO_TRY(expect_room(t, section, columns == 2 ? t->nodes : t->nodes - 1, "rows", 2 * columns + 2));
    MCO_TRY(mco_alloc(t->ctx, &r->lines, t->nodes + 1));
    for (int c = 0; c < columns; c++)
        MCO_TRY(mco_alloc(t->ctx, &r->value[c], t->nodes + 1));
    while (mco_text_skip_blank(&body)) {
        mco_text_line(&body, &line);
        if (line.data[0] != '#')
            MCO_TRY(read_row(t, section, line, r));
    }
    if (columns == 2 && r->count < t->nodes)
        MCO_TRY(mco_text_fail_here(&body, "%s ends after %lld nodes, DIMENSION is %lld", keywords[section],
                                   (long long)r->count, (long long)t->nodes));
    if (r->lines[0] != 0)
        t->base = 0;
done:
    return st;
}

// All numbers are 0..nodes - 1 or all are 1..nodes.
static mco_status test_numbers(vrplib *t, keyword section, const rows *r)
{
    if (r->lines == NULL || t->base == 1 || r->lines[t->nodes] == 0)
        return MCO_OK;
    return mco_text_fail(t->text, r->lines[t->nodes], 1,
                         "node %lld in %s, but there is a node 0: nodes are numbered 0 to %lld or 1 to %lld",
                         (long long)t->nodes, keywords[section], (long long)t->nodes - 1, (long long)t->nodes);
}

// A value of every node but the depot, which has none.
static mco_status test_values(vrplib *t, keyword section, const rows *r)
{
    for (int64_t node = t->base; node < t->base + t->nodes; node++) {
        if (node == t->depot && r->lines[node] != 0 && r->value[0][node] != 0)
            return mco_text_fail(t->text, r->lines[node], 1, "node %lld, the depot, has %.15g in %s, 0 was expected",
                                 (long long)node, r->value[0][node], keywords[section]);
        if (node != t->depot && r->lines[node] == 0) {
            const mco_slice at = t->heads[section];
            return mco_text_fail(t->text, at.line, at.column, "%s has no row for node %lld, DIMENSION is %lld",
                                 keywords[section], (long long)node, (long long)t->nodes);
        }
    }
    return MCO_OK;
}

// From numbers to nodes: they begin at 0, and the depot comes first.
static void arrange(const vrplib *t, double *values)
{
    const int64_t depot = t->depot - t->base;
    if (t->base == 1)
        memmove(values, values + 1, (size_t)t->nodes * sizeof *values);
    const double first = values[depot];
    memmove(values + 1, values, (size_t)depot * sizeof *values);
    values[0] = first;
}

// ---- The depot

static bool next_token(mco_text *body, mco_slice *token)
{
    mco_slice line;
    while (mco_text_peek(body, token)) {
        if (token->data[0] != '#')
            return true;
        mco_text_line(body, &line);
    }
    return false;
}

static mco_status read_depot(vrplib *t)
{
    mco_status st = MCO_OK;
    mco_text body = t->sections[DEPOT_SECTION];
    mco_slice token;
    int64_t node = 0;
    for (t->depot = -1; next_token(&body, &token); body.at += token.size) {
        if (node < 0)
            return mco_text_fail(t->text, token.line, token.column, "DEPOT_SECTION goes on after -1");
        MCO_TRY(vrp_slice_whole(t->text, token, "the number of the depot", -1, t->nodes, &node));
        if (node >= 0 && t->depot >= 0)
            return mco_text_fail(t->text, token.line, token.column,
                                 "a second depot, node %lld, the first is node %lld; one is supported", (long long)node,
                                 (long long)t->depot);
        if (node >= 0) {
            t->depot = node;
            t->depot_at = token;
        }
    }
    if (t->depot < 0)
        return mco_text_fail_here(&body, "DEPOT_SECTION ends without a depot");
    if (t->depot == 0)
        t->base = 0;
done:
    return st;
}

// ---- Matrices

// One entry, unscaled. What it is called is put together only where a message needs it.
static mco_status read_entry(vrplib *t, mco_slice token, int64_t i, int64_t j, double *out)
{
    enum { WHAT_ROOM = 80 };
    char what[WHAT_ROOM];
    const bool is_rounded = t->draft.problem->distances == MCO_VRP_ROUNDED;
    const double low = i == j ? -INFINITY : 0, high = i == j ? INFINITY : MCO_VRP_MAX_DISTANCE;
    mco_status st = vrp_slice_number(t->text, token, "", low, high, out);
    if (st != MCO_OK) {
        snprintf(what, sizeof what, "the distance from node %lld to node %lld", (long long)(i + t->base),
                 (long long)(j + t->base));
        return vrp_slice_number(t->text, token, what, low, high, out);
    }
    if (i != j && is_rounded && *out != floor(*out))
        return mco_text_fail(t->text, token.line, token.column,
                             "the distance from node %lld to node %lld is %.*s, an integer was expected; --distance real "
                             "keeps decimals",
                             (long long)(i + t->base), (long long)(j + t->base), mco_slice_shown(token), token.data);
    return MCO_OK;
}

static bool has_diagonal(format f)
{
    return f == FULL_MATRIX || f == UPPER_DIAG_ROW || f == LOWER_DIAG_ROW || f == UPPER_DIAG_COL || f == LOWER_DIAG_COL;
}

static int64_t entries_of(const vrplib *t)
{
    const int64_t n = t->nodes;
    return t->format == FULL_MATRIX ? n * n : has_diagonal(t->format) ? n * (n + 1) / 2 : n * (n - 1) / 2;
}

// Goes through the section: with `matrix` NULL for the greatest entry, else for all of them, scaled. The lower triangle by
// columns is the upper one by rows.
static mco_status read_matrix(vrplib *t, int32_t *matrix, double scale, double *longest)
{
    mco_status st = MCO_OK;
    mco_text body = t->sections[EDGE_WEIGHT_SECTION];
    mco_slice token;
    const int64_t n = t->nodes, diagonal = has_diagonal(t->format) ? 1 : 0;
    const bool is_full = t->format == FULL_MATRIX;
    const bool is_upper = t->format == UPPER_ROW || t->format == UPPER_DIAG_ROW || t->format == LOWER_COL ||
                          t->format == LOWER_DIAG_COL;
    int64_t seen = 0;
    double value;
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = is_upper ? i + 1 - diagonal : 0, end = is_upper || is_full ? n : i + diagonal;
        for (int64_t j = first; j < end; j++, seen++, body.at += token.size) {
            if (!next_token(&body, &token))
                return mco_text_fail_here(&body, "EDGE_WEIGHT_SECTION ends after %lld numbers, %lld were expected of a %s as "
                                          "DIMENSION is %lld", (long long)seen, (long long)entries_of(t),
                                          formats[t->format], (long long)n);
            MCO_TRY(read_entry(t, token, i, j, &value));
            if (i == j)
                continue;
            if (matrix == NULL) {
                *longest = value > *longest ? value : *longest;
                continue;
            }
            matrix[i * n + j] = (int32_t)floor(value * scale + 0.5);
            if (!is_full)
                matrix[j * n + i] = matrix[i * n + j];
        }
    }
    if (next_token(&body, &token))
        return mco_text_fail(t->text, token.line, token.column,
                             "EDGE_WEIGHT_SECTION goes on after %lld numbers of a %s, DIMENSION is %lld",
                             (long long)entries_of(t), formats[t->format], (long long)n);
done:
    return st;
}

// The row and the column of the depot come first.
static mco_status arrange_matrix(vrplib *t, int32_t *matrix)
{
    mco_status st = MCO_OK;
    int32_t *row = NULL;
    const int64_t n = t->nodes, depot = t->depot - t->base;
    if (depot == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(t->ctx, &row, n));
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
    mco_free(t->ctx, &row);
    return st;
}

// ---- All of it

static mco_status new_draft(vrplib *t, const char *name)
{
    mco_status st = MCO_OK;
    char *own = NULL;
    const mco_slice title = t->values[NAME];
    if (title.line != 0 && title.size > 0) {
        MCO_TRY(mco_alloc(t->ctx, &own, title.size + 1));
        memcpy(own, title.data, title.size);
    }
    MCO_TRY(vrp_draft_new(t->ctx, t->nodes - 1, t->rule, own != NULL ? own : name, &t->draft));
    t->draft.problem->distances = t->model != NULL ? t->model->distance : MCO_VRP_ROUNDED;
    t->draft.max_length = t->max_length;
    t->draft.capacity = t->capacity;
    t->draft.vehicles = t->vehicles;
done:
    mco_free(t->ctx, &own);
    return st;
}

// Where a matrix has places as well, they are for pictures.
static keyword section_of_places(const vrplib *t)
{
    if (t->rule == VRP_MATRIX && t->heads[DISPLAY_DATA_SECTION].line != 0)
        return DISPLAY_DATA_SECTION;
    return t->heads[NODE_COORD_SECTION].line != 0 ? NODE_COORD_SECTION : KEYWORDS;
}

// The values of all sections, by node, into the draft.
static mco_status fill_draft(vrplib *t, keyword places, rows *place, rows *demand, rows *service)
{
    mco_status st = MCO_OK;
    mco_vrp *p = t->draft.problem;
    const mco_slice at = t->depot_at;
    if (t->depot >= t->base + t->nodes)
        return mco_text_fail(t->text, at.line, at.column, "the depot is node %lld, but there is a node 0 and DIMENSION is %lld",
                             (long long)t->depot, (long long)t->nodes);
    MCO_TRY(test_numbers(t, places, place));
    MCO_TRY(test_numbers(t, DEMAND_SECTION, demand));
    MCO_TRY(test_numbers(t, SERVICE_TIME_SECTION, service));
    MCO_TRY(test_values(t, DEMAND_SECTION, demand));
    arrange(t, demand->value[0]);
    for (int64_t i = 0; i < t->nodes; i++)
        p->demand[i] = (int32_t)demand->value[0][i];
    if (place->lines != NULL) {
        arrange(t, place->value[0]);
        arrange(t, place->value[1]);
        p->x = place->value[0];
        p->y = place->value[1];
        place->value[0] = place->value[1] = NULL;
    }
    if (service->lines != NULL) {
        MCO_TRY(test_values(t, SERVICE_TIME_SECTION, service));
        arrange(t, service->value[0]);
        t->draft.service = service->value[0];
        service->value[0] = NULL;
    } else if (t->service > 0) {
        MCO_TRY(mco_alloc(t->ctx, &t->draft.service, t->nodes));
        for (int64_t i = 1; i < t->nodes; i++)
            t->draft.service[i] = t->service;
    }
done:
    return st;
}

static mco_status read_sections(vrplib *t)
{
    mco_status st = MCO_OK;
    rows place = {0}, demand = {0}, service = {0};
    const keyword places = section_of_places(t);
    MCO_TRY(read_depot(t));
    if (places != KEYWORDS)
        MCO_TRY(read_rows(t, places, 2, &place));
    MCO_TRY(read_rows(t, DEMAND_SECTION, 1, &demand));
    if (t->heads[SERVICE_TIME_SECTION].line != 0)
        MCO_TRY(read_rows(t, SERVICE_TIME_SECTION, 1, &service));
    MCO_TRY(fill_draft(t, places, &place, &demand, &service));
done:
    clear_rows(t, &service);
    clear_rows(t, &demand);
    clear_rows(t, &place);
    return st;
}

mco_status vrp_read_vrplib(mco_context *ctx, mco_text *text, const mco_vrp_model *model, const char *name, mco_vrp **out)
{
    mco_status st = MCO_OK;
    vrplib t = {.ctx = ctx, .text = text, .model = model, .capacity = -1, .max_length = -1, .base = 1};
    MCO_TRY(find_sections(&t));
    MCO_TRY(require_all(&t));
    MCO_TRY(expect_room(&t, DEMAND_SECTION, t.nodes - 1, "rows", 4));
    if (t.rule == VRP_MATRIX)
        MCO_TRY(expect_room(&t, EDGE_WEIGHT_SECTION, entries_of(&t), "numbers", LEAST_ENTRY));
    MCO_TRY(new_draft(&t, name));
    MCO_TRY(read_sections(&t));
    if (t.rule == VRP_MATRIX)
        MCO_TRY(read_matrix(&t, NULL, 1, &t.draft.longest));
    MCO_TRY(vrp_settle(ctx, model, &t.draft));
    if (t.rule == VRP_MATRIX) {
        mco_vrp *p = t.draft.problem;
        MCO_TRY(mco_alloc(ctx, &p->matrix, (int64_t)p->nodes * p->nodes));
        MCO_TRY(read_matrix(&t, p->matrix, p->scale, NULL));
        MCO_TRY(arrange_matrix(&t, p->matrix));
    }
    vrp_take(&t.draft, out);
done:
    vrp_draft_clear(ctx, &t.draft);
    return st;
}
