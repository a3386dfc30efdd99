// SPDX-License-Identifier: MIT
#include "routing/tsplib.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/output.h"
#include "routing/features.h"

enum {
    LEAST_NUMBER = 2,      // bytes of the shortest number with the blank after it
    MAX_NUMBER = 1 << 30,  // greatest number that is read as a node's
    LARGE_MATRIX = 2000,   // rows
    WHAT_ROOM = 80         // bytes for "the distance from node 10000000 to node 10000000"
};

const char *const tsplib_names[TSPLIB_KEYWORDS] = {
    "NAME",          "COMMENT",       "TYPE",                "DIMENSION",            "CAPACITY",
    "DISTANCE",      "SERVICE_TIME",  "VEHICLES",            "EDGE_WEIGHT_TYPE",     "EDGE_WEIGHT_FORMAT",
    "NODE_COORD_TYPE", "DISPLAY_DATA_TYPE", "NODE_COORD_SECTION", "DEMAND_SECTION", "DEPOT_SECTION",
    "EDGE_WEIGHT_SECTION", "SERVICE_TIME_SECTION", "DISPLAY_DATA_SECTION", "EOF",
};

// Keywords that say nothing about the problem; they are skipped.
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
    LOWER_DIAG_COL
} format;

const char *const tsplib_formats[TSPLIB_FORMATS] = {
    "FULL_MATRIX", "UPPER_ROW", "LOWER_ROW",      "UPPER_DIAG_ROW", "LOWER_DIAG_ROW",
    "UPPER_COL",   "LOWER_COL", "UPPER_DIAG_COL", "LOWER_DIAG_COL"};

// ---- Keywords

static tsplib_keyword keyword_of(const tsplib_entry *table, mco_slice word)
{
    int k = 0;
    while (k < TSPLIB_KEYWORDS && (table[k].kind == TSPLIB_REFUSED || !mco_slice_is(word, tsplib_names[k])))
        k++;
    return (tsplib_keyword)k;
}

static bool is_remark(mco_slice word)
{
    for (size_t i = 0; i < sizeof remarks / sizeof remarks[0]; i++)
        if (mco_slice_is(word, remarks[i]))
            return true;
    return false;
}

static bool is_keyword_line(const tsplib_entry *table, mco_slice line)
{
    enum { LEAST_COLUMNS = 4 };  // of a CSV header that begins with the column "name"
    const mco_slice word = mco_slice_before(line, ':');
    int columns = 1;
    for (size_t i = word.size; i < line.size && line.data[i] != ':'; i++)
        columns += line.data[i] == ',' || line.data[i] == ';' || line.data[i] == '\t';
    const tsplib_keyword k = keyword_of(table, word);
    return is_remark(word) || (k < TSPLIB_KEYWORDS && !(k == TSPLIB_NAME && columns >= LEAST_COLUMNS));
}

mco_status tsplib_tell_csv(mco_text *text, const tsplib_entry *table, bool *is_csv, mco_slice *line)
{
    mco_text ahead = *text;
    do {
        if (!mco_text_skip_blank(&ahead))
            return mco_text_fail_here(&ahead, "the file is empty");
        mco_text_line(&ahead, line);
    } while (line->data[0] == '#');
    *is_csv = false;
    for (size_t i = 0; i < line->size; i++)
        *is_csv |= strchr(",;\t", line->data[i]) != NULL;
    *is_csv = *is_csv && !is_keyword_line(table, *line);
    return MCO_OK;
}

// ---- The first pass

static mco_status fail_keyword(tsplib *t, mco_slice word)
{
    const char *taken[TSPLIB_KEYWORDS];
    int count = 0;
    const mco_status st = routing_refuse_feature(t->text, word, "the keyword is");
    if (st != MCO_OK)
        return st;
    for (int k = 0; k < TSPLIB_KEYWORDS; k++)
        if (t->table[k].kind != TSPLIB_REFUSED)
            taken[count++] = tsplib_names[k];
    return mco_slice_find(t->text, word, "the keyword is", taken, count, &count);
}

static mco_status read_value(tsplib *t, tsplib_keyword k)
{
    mco_status st = MCO_OK;
    const tsplib_entry *e = &t->table[k];
    const mco_slice value = t->values[k];
    char what[WHAT_ROOM];
    int64_t whole = 0;
    switch (e->kind) {
    case TSPLIB_WORD:
        if (k == TSPLIB_EDGE_WEIGHT_FORMAT && mco_slice_is(value, "FUNCTION"))
            return MCO_OK;  // FUNCTION is allowed with coordinates: the type gives the function
        if (e->refuse != NULL)
            MCO_TRY(e->refuse(t->text, value));
        snprintf(what, sizeof what, "%s is", tsplib_names[k]);
        MCO_TRY(mco_slice_find(t->text, value, what, e->words, e->count, &t->words[k]));
        break;
    case TSPLIB_WHOLE:
        MCO_TRY(mco_slice_whole(t->text, value, tsplib_names[k], (int64_t)e->low, (int64_t)e->high, &whole));
        t->numbers[k] = (double)whole;
        break;
    case TSPLIB_REAL: MCO_TRY(mco_slice_real(t->text, value, tsplib_names[k], e->low, e->high, &t->numbers[k])); break;
    case TSPLIB_SECTION:
        if (value.size > 0)
            MCO_TRY(mco_text_fail(t->text, value.line, value.column, "\"%.*s\" stands behind %s, nothing was expected",
                                  mco_slice_shown(value), value.data, tsplib_names[k]));
        break;
    default: break;
    }
done:
    return st;
}

// Reads a line "KEYWORD : value". The colon may be missing.
static mco_status read_line(tsplib *t, mco_slice line, tsplib_keyword *k)
{
    const mco_slice word = mco_slice_before(line, ':');
    mco_slice value = mco_slice_trim(mco_slice_behind(line, word.size));
    mco_slice_take(&value, ':');
    *k = keyword_of(t->table, word);
    if (*k == TSPLIB_KEYWORDS && is_remark(word)) {
        mco_log(t->text->ctx, MCO_LOG_DETAIL, "%s:%lld: %.*s is not used", t->text->name, (long long)line.line,
                mco_slice_shown(word), word.data);
        return MCO_OK;
    }
    if (*k == TSPLIB_KEYWORDS)
        return fail_keyword(t, word);
    if (*k == TSPLIB_COMMENT)
        return MCO_OK;
    if (tsplib_has(t, *k))
        return mco_text_fail(t->text, line.line, line.column, "%s stands in line %lld and in line %lld", tsplib_names[*k],
                             (long long)t->heads[*k].line, (long long)line.line);
    t->heads[*k] = word;
    t->values[*k] = value;
    return read_value(t, *k);
}

// A section ends before the next line that is neither a row of numbers nor a comment.
mco_status tsplib_scan(mco_text *text, const tsplib_entry *table, tsplib *out)
{
    mco_status st = MCO_OK;
    mco_text *open = NULL;  // the current section; NULL outside of a section
    mco_slice line;
    tsplib_keyword k = TSPLIB_KEYWORDS;
    *out = (tsplib){.text = text, .table = table, .base = 1};
    while (k != TSPLIB_EOF && mco_text_skip_blank(text)) {
        const mco_text before = *text;
        MCO_TRY(mco_text_in_time(text, text->line));
        mco_text_line(text, &line);
        const bool is_row = strchr("0123456789+-.", line.data[0]) != NULL;
        if (line.data[0] == '#' || (is_row && open != NULL))
            continue;
        if (open != NULL)
            open->size = before.at;
        MCO_TRY(read_line(out, line, &k));
        open = k < TSPLIB_KEYWORDS && table[k].kind == TSPLIB_SECTION ? &out->sections[k] : NULL;
        if (open != NULL)
            *open = *text;
    }
    if (mco_text_skip_blank(text))
        MCO_TRY(mco_text_fail_here(text, "the file goes on after EOF"));
    out->nodes = (int64_t)out->numbers[TSPLIB_DIMENSION];
    out->is_explicit = mco_slice_is(out->values[TSPLIB_EDGE_WEIGHT_TYPE], "EXPLICIT");
done:
    return st;
}

bool tsplib_has(const tsplib *t, tsplib_keyword keyword)
{
    return t->heads[keyword].line != 0;
}

mco_status tsplib_require(tsplib *t, tsplib_keyword keyword)
{
    if (tsplib_has(t, keyword))
        return MCO_OK;
    return mco_text_fail_here(t->text, "the file ends without %s", tsplib_names[keyword]);
}

mco_status tsplib_require_distances(tsplib *t, int64_t matrix_nodes)
{
    mco_status st = MCO_OK;
    const mco_slice at = t->values[TSPLIB_DIMENSION], section = t->heads[TSPLIB_EDGE_WEIGHT_SECTION];
    const mco_slice type = t->values[TSPLIB_EDGE_WEIGHT_TYPE];
    MCO_TRY(tsplib_require(t, TSPLIB_DIMENSION));
    MCO_TRY(tsplib_require(t, TSPLIB_EDGE_WEIGHT_TYPE));
    if (t->is_explicit) {
        MCO_TRY(tsplib_require(t, TSPLIB_EDGE_WEIGHT_FORMAT));
        MCO_TRY(mco_slice_find(t->text, t->values[TSPLIB_EDGE_WEIGHT_FORMAT], "EDGE_WEIGHT_FORMAT is", tsplib_formats,
                               TSPLIB_FORMATS, &t->words[TSPLIB_EDGE_WEIGHT_FORMAT]));  // refuses FUNCTION
        MCO_TRY(tsplib_require(t, TSPLIB_EDGE_WEIGHT_SECTION));
        if (t->nodes > matrix_nodes)
            MCO_TRY(mco_text_fail(t->text, at.line, at.column, "DIMENSION is %lld, with a matrix allowed is 1 to %lld",
                                  (long long)t->nodes, (long long)matrix_nodes));
    } else {
        if (section.line != 0)
            MCO_TRY(mco_text_fail(t->text, section.line, section.column,
                                  "EDGE_WEIGHT_SECTION with EDGE_WEIGHT_TYPE %.*s, EXPLICIT was expected",
                                  mco_slice_shown(type), type.data));
        MCO_TRY(tsplib_require(t, TSPLIB_NODE_COORD_SECTION));
    }
done:
    return st;
}

// ---- Sections with a row for each node

// Fails if the section is too short for `items` of at least `least` bytes each. The last item may lack the blank after
// it.
static mco_status expect_room(tsplib *t, tsplib_keyword section, int64_t items, const char *what, int64_t least)
{
    const mco_slice at = t->values[TSPLIB_DIMENSION];
    const mco_text *s = &t->sections[section];
    const int64_t rest = (int64_t)(s->size - s->at);
    if (items <= (rest + 1) / least)
        return MCO_OK;
    return mco_text_fail(t->text, at.line, at.column,
                         "DIMENSION is %lld, %lld %s are too many for the %lld bytes of %s in line %lld", (long long)t->nodes,
                         (long long)items, what, (long long)rest, tsplib_names[section], (long long)t->heads[section].line);
}

mco_status tsplib_expect_rows(tsplib *t, tsplib_keyword section, const tsplib_layout *layout)
{
    return expect_room(t, section, layout->is_complete ? t->nodes : t->nodes - 1, "rows", LEAST_NUMBER * (layout->columns + 1));
}

static mco_status read_number(tsplib *t, mco_slice token, const tsplib_layout *layout, double *out)
{
    int64_t whole = 0;
    if (!layout->is_whole)
        return mco_slice_real(t->text, token, layout->what, layout->low, layout->high, out);
    const mco_status st = mco_slice_whole(t->text, token, layout->what, (int64_t)layout->low, (int64_t)layout->high, &whole);
    *out = (double)whole;
    return st;
}

static mco_status read_row(tsplib *t, mco_slice line, const tsplib_layout *layout, tsplib_rows *r)
{
    mco_status st = MCO_OK;
    mco_slice rest = line, tokens[3], token;
    int64_t node, seen = 0;
    for (; mco_slice_token(&rest, &token); seen++)
        if (seen <= layout->columns)
            tokens[seen] = token;
    if (seen != layout->columns + 1)
        return mco_text_fail(t->text, line.line, line.column, "the row holds %lld numbers, %d were expected: %s",
                             (long long)seen, layout->columns + 1, layout->row);
    MCO_TRY(mco_slice_whole(t->text, tokens[0], "the number of the node", -MAX_NUMBER, MAX_NUMBER, &node));
    if (node < 0 || node > t->nodes)
        return mco_text_fail(t->text, line.line, line.column, "node %lld, but DIMENSION is %lld", (long long)node,
                             (long long)t->nodes);
    if (r->lines[node] != 0)
        return mco_text_fail(t->text, line.line, line.column, "node %lld stands in line %d and in line %lld", (long long)node,
                             r->lines[node], (long long)line.line);
    r->lines[node] = (int32_t)line.line;  // fits: a text has at most 2^30 bytes
    r->count++;
    for (int c = 0; c < layout->columns; c++)
        MCO_TRY(read_number(t, tokens[c + 1], layout, &r->value[c][node]));
done:
    return st;
}

mco_status tsplib_read_rows(tsplib *t, tsplib_keyword section, const tsplib_layout *layout, tsplib_rows *rows)
{
    mco_status st = MCO_OK;
    mco_context *ctx = t->text->ctx;
    mco_text body = t->sections[section];
    mco_slice line;
    const int columns = layout->columns;
    MCO_TRY(tsplib_expect_rows(t, section, layout));
    MCO_TRY(mco_alloc(ctx, &rows->lines, t->nodes + 1));
    for (int c = 0; c < columns; c++)
        MCO_TRY(mco_alloc(ctx, &rows->value[c], t->nodes + 1));
    while (mco_text_skip_blank(&body)) {
        MCO_TRY(mco_text_in_time(&body, body.line));
        mco_text_line(&body, &line);
        if (line.data[0] != '#')
            MCO_TRY(read_row(t, line, layout, rows));
    }
    if (layout->is_complete && rows->count < t->nodes)
        MCO_TRY(mco_text_fail_here(&body, "%s ends after %lld nodes, DIMENSION is %lld", tsplib_names[section],
                                   (long long)rows->count, (long long)t->nodes));
    if (rows->lines[0] != 0)
        t->base = 0;
done:
    return st;
}

void tsplib_clear_rows(mco_context *ctx, tsplib_rows *rows)
{
    mco_free(ctx, &rows->lines);
    mco_free(ctx, &rows->value[1]);
    mco_free(ctx, &rows->value[0]);
}

mco_status tsplib_test_numbers(tsplib *t, tsplib_keyword section, const tsplib_rows *rows)
{
    if (rows->lines == NULL || t->base == 1 || rows->lines[t->nodes] == 0)
        return MCO_OK;
    return mco_text_fail(t->text, rows->lines[t->nodes], 1,
                         "node %lld in %s, but there is a node 0: nodes are numbered 0 to %lld or 1 to %lld",
                         (long long)t->nodes, tsplib_names[section], (long long)t->nodes - 1, (long long)t->nodes);
}

void tsplib_arrange(const tsplib *t, int64_t first, double *values)
{
    const int64_t place = first - t->base;
    if (t->base == 1)
        memmove(values, values + 1, (size_t)t->nodes * sizeof *values);
    const double value = values[place];
    memmove(values + 1, values, (size_t)place * sizeof *values);
    values[0] = value;
}

// ---- Matrices

bool tsplib_peek(mco_text *section, mco_slice *token)
{
    mco_slice line;
    while (mco_text_peek(section, token)) {
        if (token->data[0] != '#')
            return true;
        mco_text_line(section, &line);
    }
    return false;
}

// Reads one entry, unscaled. Its name is built only if a message needs it.
static mco_status read_entry(tsplib *t, mco_slice token, int64_t i, int64_t j, double most, const char *hint, double *out)
{
    char what[WHAT_ROOM];
    const double low = i == j ? -INFINITY : 0, high = i == j ? INFINITY : most;
    mco_status st = mco_slice_real(t->text, token, "", low, high, out);
    if (st == MCO_OK && (i == j || hint == NULL || *out == (double)(int64_t)*out))
        return MCO_OK;
    snprintf(what, sizeof what, "the distance from node %lld to node %lld", (long long)(i + t->base), (long long)(j + t->base));
    if (st != MCO_OK)
        return mco_slice_real(t->text, token, what, low, high, out);
    return mco_text_fail(t->text, token.line, token.column, "%s is %.*s, an integer was expected%s", what,
                         mco_slice_shown(token), token.data, hint);
}

static bool has_diagonal(format f)
{
    return f == FULL_MATRIX || f == UPPER_DIAG_ROW || f == LOWER_DIAG_ROW || f == UPPER_DIAG_COL || f == LOWER_DIAG_COL;
}

static int64_t entries_of(const tsplib *t)
{
    const int64_t n = t->nodes;
    const format f = (format)t->words[TSPLIB_EDGE_WEIGHT_FORMAT];
    return f == FULL_MATRIX ? n * n : has_diagonal(f) ? n * (n + 1) / 2 : n * (n - 1) / 2;
}

mco_status tsplib_expect_matrix(tsplib *t)
{
    return expect_room(t, TSPLIB_EDGE_WEIGHT_SECTION, entries_of(t), "numbers", LEAST_NUMBER);
}

// The lower triangle by columns has the same order as the upper triangle by rows.
mco_status tsplib_read_matrix(tsplib *t, double most, const char *hint, double scale, int32_t *matrix, double *longest)
{
    mco_status st = MCO_OK;
    mco_text body = t->sections[TSPLIB_EDGE_WEIGHT_SECTION];
    mco_slice token;
    const format f = (format)t->words[TSPLIB_EDGE_WEIGHT_FORMAT];
    const int64_t n = t->nodes, diagonal = has_diagonal(f) ? 1 : 0;
    const bool is_full = f == FULL_MATRIX;
    const bool is_upper = f == UPPER_ROW || f == UPPER_DIAG_ROW || f == LOWER_COL || f == LOWER_DIAG_COL;
    int64_t seen = 0;
    double value;
    for (int64_t i = 0; i < n; i++) {
        const int64_t first = is_upper ? i + 1 - diagonal : 0, end = is_upper || is_full ? n : i + diagonal;
        MCO_TRY(mco_text_in_time(&body, n < LARGE_MATRIX));  // every row of a large one
        for (int64_t j = first; j < end; j++, seen++, body.at += token.size) {
            if (!tsplib_peek(&body, &token))
                return mco_text_fail_here(&body, "EDGE_WEIGHT_SECTION ends after %lld numbers, %lld were expected of a %s as "
                                          "DIMENSION is %lld", (long long)seen, (long long)entries_of(t), tsplib_formats[f],
                                          (long long)n);
            MCO_TRY(read_entry(t, token, i, j, most, hint, &value));
            if (i == j)
                continue;
            if (matrix == NULL) {
                *longest = value > *longest ? value : *longest;
                continue;
            }
            matrix[i * n + j] = (int32_t)(value * scale + 0.5);  // rounds, because the value is at least 0
            if (!is_full)
                matrix[j * n + i] = matrix[i * n + j];
        }
    }
    if (tsplib_peek(&body, &token))
        return mco_text_fail(t->text, token.line, token.column,
                             "EDGE_WEIGHT_SECTION goes on after %lld numbers of a %s, DIMENSION is %lld",
                             (long long)entries_of(t), tsplib_formats[f], (long long)n);
done:
    return st;
}

// ---- Writing

// The name may come from a file name, which may hold a newline or other control characters.
void tsplib_write_name(const char *name, FILE *file)
{
    for (const char *c = name; *c != '\0'; c++)
        fputc((unsigned char)*c < ' ' ? '_' : *c, file);
}

void tsplib_write_places(const double *x, const double *y, int64_t nodes, int64_t base, FILE *file)
{
    for (int64_t i = 0; i < nodes; i++) {
        fprintf(file, "%lld ", (long long)(i + base));
        mco_write_number(x[i], file);
        fputc(' ', file);
        mco_write_number(y[i], file);
        fputc('\n', file);
    }
}

void tsplib_write_matrix(const int32_t *matrix, int64_t nodes, double scale, FILE *file)
{
    for (int64_t i = 0; i < nodes * nodes; i++) {
        mco_write_number(matrix[i] / scale, file);
        fputc(i % nodes == nodes - 1 ? '\n' : ' ', file);
    }
}
