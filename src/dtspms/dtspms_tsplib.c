// SPDX-License-Identifier: MIT
// TSPLIB (Reinelt 1991, 1995): lines "KEYWORD : value", then sections of numbers; one network in a file.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dtspms/dtspms_formats.h"

enum {
    LEAST_ROW = 6,   // bytes of the shortest row of a node: "0 0 0" and its end
    LEAST_ENTRY = 2  // and of an entry of a matrix
};

static const int64_t MAX_DISTANCE = (int64_t)1 << 30;

// ---- Keywords

typedef enum keyword {
    NAME,
    TYPE,
    COMMENT,
    DIMENSION,
    EDGE_WEIGHT_TYPE,
    EDGE_WEIGHT_FORMAT,
    NODE_COORD_TYPE,
    DISPLAY_DATA_TYPE,
    NODE_COORD_SECTION,  // from here on without a value
    EDGE_WEIGHT_SECTION,
    DISPLAY_DATA_SECTION,
    END,
    KEYWORDS
} keyword;

static const char *const keywords[KEYWORDS] = {
    "NAME",               "TYPE",            "COMMENT",           "DIMENSION",          "EDGE_WEIGHT_TYPE",
    "EDGE_WEIGHT_FORMAT", "NODE_COORD_TYPE", "DISPLAY_DATA_TYPE", "NODE_COORD_SECTION", "EDGE_WEIGHT_SECTION",
    "DISPLAY_DATA_SECTION", "EOF",
};

typedef enum format { FULL_MATRIX, UPPER_ROW, LOWER_ROW, UPPER_DIAG_ROW, LOWER_DIAG_ROW, FORMATS } format;

static const char *const formats[FORMATS] = {"FULL_MATRIX", "UPPER_ROW", "LOWER_ROW", "UPPER_DIAG_ROW", "LOWER_DIAG_ROW"};

static const char *const rules[] = {"EUC_2D", "CEIL_2D", "EXPLICIT"};  // by dtspms_rule

typedef struct tsplib {
    mco_context *ctx;
    mco_text *text;
    dtspms_network *network;     // filled
    mco_slice values[KEYWORDS];  // and their places; line 0 where the keyword has not been seen
    int64_t nodes;
    dtspms_rule rule;
    format format;
} tsplib;

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

// Whether a line is a keyword with its colon, which only the keywords without a value may lack; *value is what follows.
static bool split_keyword(mco_slice line, keyword *k, mco_slice *value)
{
    const mco_slice word = first_word(line);
    *k = keyword_of(word);
    *value = mco_slice_trim(mco_slice_behind(line, word.size));
    const bool has_colon = value->size > 0 && value->data[0] == ':';
    if (has_colon)
        *value = mco_slice_trim(mco_slice_behind(*value, 1));
    return *k < KEYWORDS && (has_colon || (*k >= NODE_COORD_SECTION && value->size == 0));
}

bool dtspms_is_tsplib_line(mco_slice line)
{
    keyword k;
    mco_slice value;
    return split_keyword(line, &k, &value);
}

static mco_status expect_before(tsplib *t, mco_slice section, keyword needed)
{
    if (t->values[needed].line != 0)
        return MCO_OK;
    return mco_text_fail(t->text, section.line, section.column, "%.*s begins before %s is known", mco_slice_shown(section),
                         section.data, keywords[needed]);
}

// No memory for what cannot be there: `items` of at least `least` bytes each; the last may lack its end.
static mco_status expect_room(tsplib *t, int64_t items, const char *what, int64_t least)
{
    const mco_slice at = t->values[DIMENSION];
    const int64_t rest = (int64_t)(t->text->size - t->text->at), most = (rest + 1) / least;
    if (items > most)
        return mco_text_fail(t->text, at.line, at.column,
                             "DIMENSION is %lld, %lld %s are too many for the %lld bytes after line %lld",
                             (long long)t->nodes, (long long)items, what, (long long)rest, (long long)t->text->line - 1);
    return MCO_OK;
}

// ---- Sections

// The section that ends here has too few items.
static mco_status fail_early_end(tsplib *t, keyword section, int64_t seen, int64_t expected, const char *what)
{
    return mco_text_fail_here(t->text, "%s ends after %lld %s, %lld were expected as DIMENSION is %lld", keywords[section],
                              (long long)seen, what, (long long)expected, (long long)t->nodes);
}

// Whether another row of numbers follows.
static bool has_row(mco_text *text, mco_slice *line)
{
    return mco_text_peek_line(text, line) && strchr("0123456789+-.", line->data[0]) != NULL;
}

static mco_status read_node(tsplib *t, mco_slice line, int32_t *lines)
{
    mco_status st = MCO_OK;
    mco_slice rest = line, tokens[3], token;
    dtspms_network *n = t->network;
    int64_t node, seen = 0;
    for (; mco_slice_token(&rest, &token); seen++)
        if (seen < 3)
            tokens[seen] = token;
    if (seen != 3)
        return mco_text_fail(t->text, line.line, line.column,
                             "the row of the node holds %lld numbers, 3 were expected: node, x, y", (long long)seen);
    MCO_TRY(mco_slice_integer(t->text, tokens[0], "the number of the node", 0, t->nodes, &node));
    if (lines[node] != 0)
        MCO_TRY(mco_text_fail(t->text, line.line, line.column, "node %lld stands in line %d and in line %lld",
                              (long long)node, lines[node], (long long)line.line));
    lines[node] = (int32_t)line.line;  // of a text of at most 2^30 bytes
    MCO_TRY(dtspms_read_coordinate(t->text, tokens[1], &n->x[node]));
    MCO_TRY(dtspms_read_coordinate(t->text, tokens[2], &n->y[node]));
done:
    return st;
}

// Nodes are numbered from 0 or from 1; they are read to the place of their number and then moved to begin at 0.
static mco_status read_nodes(tsplib *t)
{
    mco_status st = MCO_OK;
    mco_slice line;
    int32_t *lines = NULL;  // [nodes + 1] where a node stands, 0: nowhere
    dtspms_network *n = t->network;
    MCO_TRY(expect_room(t, t->nodes, "rows", LEAST_ROW));
    MCO_TRY(mco_alloc(t->ctx, &lines, t->nodes + 1));
    MCO_TRY(mco_alloc(t->ctx, &n->x, t->nodes + 1));
    MCO_TRY(mco_alloc(t->ctx, &n->y, t->nodes + 1));
    for (int64_t seen = 0; seen < t->nodes; seen++) {
        if (!mco_text_peek_line(t->text, &line) || keyword_of(first_word(line)) != KEYWORDS)
            MCO_TRY(fail_early_end(t, NODE_COORD_SECTION, seen, t->nodes, "nodes"));
        mco_text_line(t->text, &line);
        MCO_TRY(read_node(t, line, lines));
    }
    if (has_row(t->text, &line))
        MCO_TRY(mco_text_fail_here(t->text, "NODE_COORD_SECTION goes on after %lld nodes, DIMENSION is %lld",
                                   (long long)t->nodes, (long long)t->nodes));
    if (lines[0] != 0 && lines[t->nodes] != 0)
        MCO_TRY(mco_text_fail(t->text, lines[t->nodes], 1,
                              "node %lld stands in line %d and node 0 in line %d: nodes are numbered 0 to %lld or 1 to %lld",
                              (long long)t->nodes, lines[t->nodes], lines[0], (long long)t->nodes - 1, (long long)t->nodes));
    if (lines[0] == 0) {
        memmove(n->x, n->x + 1, (size_t)t->nodes * sizeof *n->x);
        memmove(n->y, n->y + 1, (size_t)t->nodes * sizeof *n->y);
    }
done:
    mco_free(t->ctx, &lines);
    return st;
}

// One entry. What it is called is put together only where a message needs it; entries of the diagonal may be anything.
static mco_status read_entry(tsplib *t, int64_t i, int64_t j, int32_t *out)
{
    enum { WHAT_ROOM = 80 };
    char what[WHAT_ROOM];
    mco_slice token;
    int64_t value;
    const int64_t low = i == j ? INT64_MIN : 0, high = i == j ? INT64_MAX : MAX_DISTANCE;
    mco_text_peek(t->text, &token);
    mco_status st = mco_slice_integer(t->text, token, "", low, high, &value);
    if (st != MCO_OK) {
        snprintf(what, sizeof what, "the distance from node %lld to node %lld", (long long)i + 1, (long long)j + 1);
        return mco_slice_integer(t->text, token, what, low, high, &value);
    }
    t->text->at += token.size;
    *out = i == j ? 0 : (int32_t)value;
    return MCO_OK;
}

static mco_status read_rows(tsplib *t, int64_t entries)
{
    mco_status st = MCO_OK;
    const int64_t n = t->nodes;
    const bool is_full = t->format == FULL_MATRIX, is_upper = t->format == UPPER_ROW || t->format == UPPER_DIAG_ROW;
    const int64_t diagonal = t->format == UPPER_ROW || t->format == LOWER_ROW ? 0 : 1;
    int32_t *d = t->network->matrix;
    int64_t seen = 0;
    mco_slice line;
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = is_upper ? i + 1 - diagonal : 0, end = is_upper || is_full ? n : i + diagonal;
        for (int64_t j = first; j < end; j++, seen++) {
            if (!mco_text_skip_blank(t->text) ||
                (isalpha((unsigned char)t->text->data[t->text->at]) && mco_text_peek_line(t->text, &line) &&
                 keyword_of(first_word(line)) != KEYWORDS))
                MCO_TRY(fail_early_end(t, EDGE_WEIGHT_SECTION, seen, entries, "numbers"));
            MCO_TRY(read_entry(t, i, j, &d[i * n + j]));
            if (!is_full)
                d[j * n + i] = d[i * n + j];
        }
    }
done:
    return st;
}

static mco_status read_matrix(tsplib *t)
{
    mco_status st = MCO_OK;
    const int64_t n = t->nodes, most = MCO_DTSPMS_MAX_MATRIX_ORDERS + 1;
    const mco_slice at = t->values[DIMENSION];
    mco_slice line;
    if (n > most)
        return mco_text_fail(t->text, at.line, at.column, "DIMENSION is %lld, with a matrix allowed is 1 to %lld",
                             (long long)n, (long long)most);
    const int64_t triangle = t->format == UPPER_ROW || t->format == LOWER_ROW ? n * (n - 1) / 2 : n * (n + 1) / 2;
    const int64_t entries = t->format == FULL_MATRIX ? n * n : triangle;
    MCO_TRY(expect_room(t, entries, "numbers", LEAST_ENTRY));
    MCO_TRY(mco_alloc(t->ctx, &t->network->matrix, n * n));
    MCO_TRY(read_rows(t, entries));
    if (has_row(t->text, &line))
        MCO_TRY(mco_text_fail_here(t->text, "EDGE_WEIGHT_SECTION goes on after %lld numbers of a %s, DIMENSION is %lld",
                                   (long long)entries, formats[t->format], (long long)n));
done:
    return st;
}

// Coordinates of a network whose distances are a matrix serve drawings only.
static mco_status skip_rows(tsplib *t)
{
    mco_slice line;
    while (has_row(t->text, &line))
        mco_text_line(t->text, &line);
    return MCO_OK;
}

static mco_status read_section(tsplib *t, keyword section, mco_slice line)
{
    mco_status st = MCO_OK;
    MCO_TRY(expect_before(t, line, DIMENSION));
    MCO_TRY(expect_before(t, line, EDGE_WEIGHT_TYPE));
    if (section == DISPLAY_DATA_SECTION || (section == NODE_COORD_SECTION && t->rule == DTSPMS_MATRIX))
        return skip_rows(t);
    if (section == NODE_COORD_SECTION)
        return read_nodes(t);
    if (t->rule != DTSPMS_MATRIX)
        MCO_TRY(mco_text_fail(t->text, line.line, line.column,
                              "EDGE_WEIGHT_SECTION with EDGE_WEIGHT_TYPE %s, EXPLICIT was expected", rules[t->rule]));
    MCO_TRY(expect_before(t, line, EDGE_WEIGHT_FORMAT));
    if (t->format == FORMATS)
        MCO_TRY(dtspms_find_word(t->text, t->values[EDGE_WEIGHT_FORMAT], "EDGE_WEIGHT_FORMAT is", formats, FORMATS,
                                 &(int){0}));
    MCO_TRY(read_matrix(t));
done:
    return st;
}

// ---- Files

static mco_status read_value(tsplib *t, keyword k, mco_slice value)
{
    static const char *const types[] = {"TSP", "ATSP"}, *const coordinates[] = {"TWOD_COORDS"};
    mco_status st = MCO_OK;
    int found = 0;
    switch (k) {
    case TYPE: MCO_TRY(dtspms_find_word(t->text, value, "TYPE is", types, 2, &found)); break;
    case DIMENSION:
        MCO_TRY(mco_slice_integer(t->text, value, "DIMENSION", 1, MCO_DTSPMS_MAX_ORDERS + 1, &t->nodes));
        break;
    case EDGE_WEIGHT_TYPE:
        MCO_TRY(dtspms_find_word(t->text, value, "EDGE_WEIGHT_TYPE is", rules, 3, &found));
        t->rule = (dtspms_rule)found;
        break;
    case EDGE_WEIGHT_FORMAT:  // FUNCTION goes with coordinates: the type is the function
        t->format = FORMATS;
        if (!mco_slice_is(value, "FUNCTION")) {
            MCO_TRY(dtspms_find_word(t->text, value, "EDGE_WEIGHT_FORMAT is", formats, FORMATS, &found));
            t->format = (format)found;
        }
        break;
    case NODE_COORD_TYPE: MCO_TRY(dtspms_find_word(t->text, value, "NODE_COORD_TYPE is", coordinates, 1, &found)); break;
    default: break;
    }
done:
    return st;
}

static mco_status read_line(tsplib *t, mco_slice line, keyword *k)
{
    mco_slice value;
    const bool is_split = split_keyword(line, k, &value);
    if (*k == KEYWORDS)
        return dtspms_find_word(t->text, first_word(line), "the keyword is", keywords, KEYWORDS, &(int){0});
    if (!is_split)
        return mco_text_fail(t->text, line.line, line.column, "%s has no colon: \"%.*s\"", keywords[*k],
                             mco_slice_shown(line), line.data);
    if (*k >= NODE_COORD_SECTION && value.size > 0)
        return mco_text_fail(t->text, value.line, value.column, "\"%.*s\" stands behind %s, nothing was expected",
                             mco_slice_shown(value), value.data, keywords[*k]);
    if (*k != COMMENT && t->values[*k].line != 0)
        return mco_text_fail(t->text, line.line, line.column, "%s stands in line %lld and in line %lld", keywords[*k],
                             (long long)t->values[*k].line, (long long)line.line);
    t->values[*k] = value;
    if (*k == END)
        return MCO_OK;
    return *k < NODE_COORD_SECTION ? read_value(t, *k, value) : read_section(t, *k, line);
}

static mco_status read_network(mco_context *ctx, mco_text *text, dtspms_network *network, tsplib *t)
{
    mco_status st = MCO_OK;
    mco_slice line;
    keyword k = KEYWORDS;
    *t = (tsplib){.ctx = ctx, .text = text, .network = network};
    while (k != END && mco_text_skip_blank(text) && mco_text_line(text, &line))
        MCO_TRY(read_line(t, line, &k));
    if (mco_text_skip_blank(text))
        MCO_TRY(mco_text_fail_here(text, "the file goes on after EOF"));
    for (int needed = DIMENSION; needed <= EDGE_WEIGHT_TYPE; needed++)
        if (t->values[needed].line == 0)
            MCO_TRY(mco_text_fail_here(text, "the file ends without %s", keywords[needed]));
    const keyword section = t->rule == DTSPMS_MATRIX ? EDGE_WEIGHT_SECTION : NODE_COORD_SECTION;
    if (t->values[section].line == 0)
        MCO_TRY(mco_text_fail_here(text, "the file ends without %s", keywords[section]));
    network->rule = t->rule;
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
        const mco_slice at = t[1].values[DIMENSION];
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

// The fewest digits that read back as the same number, with a point in every locale.
static void write_real(double value, FILE *file)
{
    char digits[32];
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    const size_t whole = strspn(digits, "-0123456789"), point = strcspn(digits + whole, "0123456789e");
    fprintf(file, "%.*s%s%s", (int)whole, digits, point > 0 ? "." : "", digits + whole + point);
}

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
    for (const char *c = problem->name; *c != '\0'; c++)  // a file's name may hold the end of a line
        fputc((unsigned char)*c < ' ' ? '_' : *c, file);
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
        for (int64_t i = 0; i < nodes * nodes; i++)
            fprintf(file, "%d%c", n->matrix[i], i % nodes == nodes - 1 ? '\n' : ' ');
    } else {
        fputs("NODE_COORD_SECTION\n", file);
        for (int64_t i = 0; i < nodes; i++) {
            fprintf(file, "%lld ", (long long)i);
            write_real(n->x[i], file);
            fputc(' ', file);
            write_real(n->y[i], file);
            fputc('\n', file);
        }
    }
    fputs("EOF\n", file);
}
