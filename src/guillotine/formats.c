// SPDX-License-Identifier: MIT
// Readers and writers of instance files; docs/formats.md describes the formats.
//
// The first line tells the formats apart: a word (CSV, "plate,W,H"), one number (OR-Library's "n", then "W H"), or two
// numbers ("W H", then "n"). Text files have one piece per line.
#include "guillotine/formats.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/kinds.h"
#include "base/names.h"
#include "base/number.h"
#include "base/output.h"

enum {
    WHAT_ROOM = 80,      // bytes, enough for "the width of piece 10000000"
    LEAST_LINE = 6       // bytes of the shortest line of a piece: "1 1 0" and its end
};

// All numbers are read twice: the first pass finds how many decimals they have, the second brings them to integers.
typedef struct units {
    char separator;     // of cells; a semicolon allows decimal commas
    bool is_counting;   // the first pass
    bool has_areas;     // some value is not given, so that it is the area
    int places, value_places;
} units;

// A size, or a value, in the instance's unit. In the first pass *out is 1.
static mco_status read_number(mco_text *text, mco_slice cell, const char *what, units *u, bool is_value, int64_t *out)
{
    int *places = is_value ? &u->value_places : &u->places;
    const int64_t low = is_value ? 0 : 1, most = is_value ? MCO_GUILLOTINE_MAX_VALUE : MCO_GUILLOTINE_MAX_SIDE;
    const int64_t scale = guillotine_power(*places);
    *out = 1;
    if (u->is_counting)
        return mco_slice_places(text, cell, what, u->separator, GUILLOTINE_MOST_PLACES, places);
    if (*places == 0)
        return mco_slice_integer(text, cell, what, low, most, out);
    const mco_status st = mco_slice_scaled(text, cell, what, u->separator, *places, 0, most / scale, out);
    if (st == MCO_OK && *out < low)
        return mco_text_fail(text, cell.line, cell.column, "%s is %.*s, more than 0 was expected", what, mco_slice_shown(cell), cell.data);
    return st;
}

// The same for a cell of piece number `piece`. The name of the cell is composed only when a message needs it.
static mco_status piece_number(mco_text *text, mco_slice cell, const char *what, int64_t piece, units *u, bool is_value, int64_t *out)
{
    mco_status st = read_number(text, cell, what, u, is_value, out);
    if (st == MCO_OK)
        return MCO_OK;
    char name[WHAT_ROOM];
    snprintf(name, sizeof name, "the %s of piece %lld", what, (long long)piece);
    return read_number(text, cell, name, u, is_value, out);
}

// Ends the first pass. Areas are in squares of the unit of sizes, and all values in one unit.
static void end_counting(units *u)
{
    u->is_counting = false;
    if (u->has_areas && u->value_places < 2 * u->places)
        u->value_places = 2 * u->places;
}

static void give_units(mco_context *ctx, const units *u, mco_guillotine *g)
{
    g->places = u->places;
    g->value_places = u->value_places;
    g->scale = guillotine_power(u->places);
    g->value_scale = guillotine_power(u->value_places);
    if (u->places > 0 || u->value_places > 0)
        mco_log(ctx, MCO_LOG_INFO, "%s: sizes are multiples of 1/%lld of the file's unit, values of 1/%lld", g->name,
                (long long)g->scale, (long long)g->value_scale);
}

// ---- Text

static int64_t count_tokens(mco_slice line)
{
    mco_slice token;
    int64_t count = 0;
    while (mco_slice_token(&line, &token))
        count++;
    return count;
}

// Reads the next non-blank line, which must hold exactly `count` numbers. `piece` is 0 if `row` names no piece.
static mco_status read_row(mco_text *text, const char *row, int64_t piece, const char *columns, int64_t count,
                           mco_slice *tokens)
{
    mco_slice line, token;
    char number[24] = "";
    int64_t seen = 0;
    if (mco_text_skip_blank(text) && mco_text_line(text, &line)) {
        mco_slice rest = line;
        for (; mco_slice_token(&rest, &token); seen++)
            if (seen < count)
                tokens[seen] = token;
        if (seen == count)
            return MCO_OK;
        line = mco_slice_trim(line);
    }
    if (piece > 0)
        snprintf(number, sizeof number, " %lld", (long long)piece);
    if (seen == 0)
        return mco_text_fail_here(text, "the text ends where %s%s was expected", row, number);
    return mco_text_fail(text, line.line, line.column, "the line of %s%s holds %lld numbers, %lld were expected: %s", row,
                         number, (long long)seen, (long long)count, columns);
}

typedef struct sizes {
    int64_t width, height, pieces;
    mco_slice pieces_at;
} sizes;

static mco_status read_plate(mco_text *text, units *u, sizes *s)
{
    mco_status st = MCO_OK;
    mco_slice cells[2];
    MCO_TRY(read_row(text, "the plate", 0, "width, height", 2, cells));
    MCO_TRY(read_number(text, cells[0], "the width of the plate", u, false, &s->width));
    MCO_TRY(read_number(text, cells[1], "the height of the plate", u, false, &s->height));
done:
    return st;
}

static mco_status read_count(mco_text *text, units *u, sizes *s)
{
    mco_status st = MCO_OK;
    (void)u;
    MCO_TRY(read_row(text, "the number of pieces", 0, "pieces", 1, &s->pieces_at));
    MCO_TRY(mco_slice_integer(text, s->pieces_at, "the number of pieces", 0, MCO_GUILLOTINE_MAX_PIECES, &s->pieces));
done:
    return st;
}

static mco_status read_piece_row(mco_text *text, int64_t number, units *u, mco_guillotine_piece *p)
{
    mco_status st = MCO_OK;
    mco_slice cells[3];
    int64_t width, height;
    MCO_TRY(read_row(text, "piece", number, "width, height, value", 3, cells));
    MCO_TRY(piece_number(text, cells[0], "width", number, u, false, &width));
    MCO_TRY(piece_number(text, cells[1], "height", number, u, false, &height));
    MCO_TRY(piece_number(text, cells[2], "value", number, u, true, &p->value));
    p->width = (int32_t)width;
    p->height = (int32_t)height;
    p->is_rotatable = true;
done:
    return st;
}

// One pass over the text; without `g` the first, which also finds the sizes.
static mco_status read_numbers_once(mco_text *text, bool has_plate_first, units *u, sizes *s, mco_guillotine *g)
{
    mco_status st = MCO_OK;
    mco_guillotine_piece none;
    MCO_TRY((has_plate_first ? read_plate : read_count)(text, u, s));
    MCO_TRY((has_plate_first ? read_count : read_plate)(text, u, s));
    for (int64_t p = 0; p < s->pieces; p++) {
        MCO_TRY(mco_text_in_time(text, p + 1));
        MCO_TRY(read_piece_row(text, p + 1, u, g != NULL ? &g->piece[p] : &none));
    }
    if (mco_text_skip_blank(text))
        MCO_TRY(mco_text_fail_here(text, "the file goes on after the last of %lld pieces", (long long)s->pieces));
done:
    return st;
}

static mco_status read_numbers(mco_context *ctx, mco_text *text, bool has_plate_first, const char *name,
                               mco_guillotine **out)
{
    mco_status st = MCO_OK;
    mco_guillotine *g = NULL;
    sizes s = {0};
    units u = {.separator = ' ', .is_counting = true};
    const mco_text begin = *text;
    MCO_TRY((has_plate_first ? read_plate : read_count)(text, &u, &s));
    MCO_TRY((has_plate_first ? read_count : read_plate)(text, &u, &s));
    // Allocate no memory for pieces that cannot be there. The last line may lack its line end.
    const int64_t rest = (int64_t)(text->size - text->at), most = (rest + 1) / LEAST_LINE;
    if (s.pieces > most)
        MCO_TRY(mco_text_fail(text, s.pieces_at.line, s.pieces_at.column,
                              "the number of pieces is %lld, the %lld bytes after the sizes hold at most %lld",
                              (long long)s.pieces, (long long)rest, (long long)most));
    *text = begin;
    MCO_TRY(read_numbers_once(text, has_plate_first, &u, &s, NULL));
    end_counting(&u);
    *text = begin;
    MCO_TRY((has_plate_first ? read_plate : read_count)(text, &u, &s));
    MCO_TRY((has_plate_first ? read_count : read_plate)(text, &u, &s));
    MCO_TRY(guillotine_instance_create(ctx, s.width, s.height, s.pieces, name, &g));
    give_units(ctx, &u, g);
    *text = begin;
    MCO_TRY(read_numbers_once(text, has_plate_first, &u, &s, g));
    *out = g;
    g = NULL;
done:
    mco_guillotine_destroy(ctx, &g);
    return st;
}

// ---- CSV

typedef enum column { NAME, WIDTH, HEIGHT, VALUE, ROTATABLE, COLUMNS } column;

static const char *const column_names[COLUMNS] = {"name", "width", "height", "value", "rotatable"};

typedef struct csv {
    char separator;
    units units;
    int fields;               // columns of the table
    column kinds[COLUMNS];    // [fields]
    int64_t rows;
    mco_names names;          // reserved if the table has the column "name"
} csv;

// Tests that the cells of a row after the last expected one are empty.
static mco_status expect_row_end(mco_text *text, mco_slice rest, const csv *c, const char *row, int64_t number,
                                 int fields)
{
    mco_slice cell;
    while (mco_slice_field(&rest, c->separator, &cell)) {
        if (cell.size == 0)
            continue;
        if (number == 0)
            return mco_text_fail(text, cell.line, cell.column, "%s has more than %d cells", row, fields);
        return mco_text_fail(text, cell.line, cell.column, "%s %lld has more than %d cells", row, (long long)number,
                             fields);
    }
    return MCO_OK;
}

static mco_status read_plate_row(mco_text *text, csv *c, sizes *s)
{
    mco_status st = MCO_OK;
    mco_slice line, cells[3], rest;
    int count = 0;
    mco_text_line(text, &line);
    c->separator = c->units.separator = mco_slice_separator(line);
    rest = line;
    while (count < 3 && mco_slice_field(&rest, c->separator, &cells[count]))
        count++;
    if (!mco_slice_is(cells[0], "plate"))
        MCO_TRY(mco_text_fail(text, line.line, line.column,
                              "neither numbers nor the row \"plate,W,H\" that begins a CSV file: \"%.*s\"",
                              mco_slice_shown(line), line.data));
    if (count < 3)
        MCO_TRY(mco_text_fail(text, line.line, line.column,
                              "the row of the plate has %d cells, 3 were expected: plate, width, height", count));
    MCO_TRY(read_number(text, cells[1], "the width of the plate", &c->units, false, &s->width));
    MCO_TRY(read_number(text, cells[2], "the height of the plate", &c->units, false, &s->height));
    MCO_TRY(expect_row_end(text, rest, c, "the row of the plate", 0, 3));
done:
    return st;
}

static mco_status read_column(mco_text *text, mco_slice cell, csv *c)
{
    int kind = 0;
    while (kind < COLUMNS && !mco_slice_is(cell, column_names[kind]))
        kind++;
    if (kind == COLUMNS)
        return mco_text_fail(text, cell.line, cell.column,
                             "column %d is \"%.*s\", columns are name, width, height, value and rotatable", c->fields + 1,
                             mco_slice_shown(cell), cell.data);
    for (int i = 0; i < c->fields; i++)
        if (c->kinds[i] == (column)kind)
            return mco_text_fail(text, cell.line, cell.column, "columns %d and %d are both \"%s\"", i + 1,
                                 c->fields + 1, column_names[kind]);
    c->kinds[c->fields++] = (column)kind;
    return MCO_OK;
}

static bool has_column(const csv *c, column kind)
{
    for (int i = 0; i < c->fields; i++)
        if (c->kinds[i] == kind)
            return true;
    return false;
}

static mco_status read_header(mco_text *text, csv *c)
{
    mco_status st = MCO_OK;
    mco_slice line, cell;
    if (!mco_text_row(text, c->separator, &line))
        return mco_text_fail_here(text, "the text ends where the header was expected: name,width,height,...");
    mco_slice rest = line;
    while (rest.data != NULL && !mco_slice_is_blank(rest, c->separator)) {
        mco_slice_field(&rest, c->separator, &cell);
        MCO_TRY(read_column(text, cell, c));
    }
    for (column needed = WIDTH; needed <= HEIGHT; needed++)
        if (!has_column(c, needed))
            MCO_TRY(mco_text_fail(text, line.line, line.column, "the header has no column \"%s\"",
                                  column_names[needed]));
done:
    return st;
}

static int64_t count_rows(mco_text text, char separator)
{
    mco_slice line;
    int64_t rows = 0;
    while (mco_text_row(&text, separator, &line))
        rows++;
    return rows;
}

static mco_status read_rotatable(mco_text *text, mco_slice cell, int64_t number, bool *out)
{
    static const struct {
        const char *word;
        bool is_rotatable;
    } words[] = {{"", true}, {"yes", true}, {"no", false}, {"1", true}, {"0", false}, {"true", true}, {"false", false}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (mco_slice_is(cell, words[i].word)) {
            *out = words[i].is_rotatable;
            return MCO_OK;
        }
    return mco_text_fail(text, cell.line, cell.column,
                         "rotatable of piece %lld is \"%.*s\", allowed are yes, no, 1, 0, true and false",
                         (long long)number, mco_slice_shown(cell), cell.data);
}

// A value that is not given is the area. The area may be too large for a value.
static mco_status value_from_area(mco_text *text, mco_slice row, int64_t number, const units *u, mco_guillotine_piece *p)
{
    // Values with more decimals than areas make the areas' unit finer too. An area is at most 2^60.
    const int64_t finer = u->is_counting ? 1 : guillotine_power(u->value_places - 2 * u->places);
    p->value = (int64_t)p->width * p->height;
    if (u->is_counting)
        return MCO_OK;
    if (p->value > MCO_GUILLOTINE_MAX_VALUE / finer)
        return mco_text_fail(text, row.line, row.column,
                             "the value of piece %lld, its area, is %d x %d = %lld, allowed is 0 to %lld",
                             (long long)number, p->width, p->height, (long long)p->value,
                             (long long)(MCO_GUILLOTINE_MAX_VALUE / finer));
    p->value *= finer;
    return MCO_OK;
}

// Without `g` this is the first pass.
static mco_status read_csv_row(mco_text *text, mco_slice line, csv *c, mco_guillotine *g, int64_t piece)
{
    mco_status st = MCO_OK;
    mco_slice rest = line, cells[COLUMNS] = {{0}};
    mco_guillotine_piece none, *p = g != NULL ? &g->piece[piece] : &none;
    int64_t width, height;
    for (int i = 0; i < c->fields; i++)
        if (!mco_slice_field(&rest, c->separator, &cells[c->kinds[i]]))
            return mco_text_fail(text, line.line, line.column, "the row of piece %lld has %d cells, %d were expected",
                                 (long long)piece + 1, i, c->fields);
    MCO_TRY(expect_row_end(text, rest, c, "the row of piece", piece + 1, c->fields));
    MCO_TRY(piece_number(text, cells[WIDTH], "width", piece + 1, &c->units, false, &width));
    MCO_TRY(piece_number(text, cells[HEIGHT], "height", piece + 1, &c->units, false, &height));
    p->width = (int32_t)width;
    p->height = (int32_t)height;
    c->units.has_areas |= cells[VALUE].size == 0;
    if (cells[VALUE].size > 0)
        MCO_TRY(piece_number(text, cells[VALUE], "value", piece + 1, &c->units, true, &p->value));
    else
        MCO_TRY(value_from_area(text, line, piece + 1, &c->units, p));
    if (g == NULL)
        return MCO_OK;
    MCO_TRY(read_rotatable(text, cells[ROTATABLE], piece + 1, &p->is_rotatable));
    MCO_TRY(mco_names_give(&c->names, text, piece, cells[NAME]));
done:
    return st;
}

static mco_status read_csv(mco_context *ctx, mco_text *text, const char *name, mco_guillotine **out)
{
    mco_status st = MCO_OK;
    mco_guillotine *g = NULL;
    sizes s = {0};
    csv c = {.units = {.is_counting = true}};
    mco_slice line;
    const mco_text begin = *text;
    MCO_TRY(read_plate_row(text, &c, &s));
    MCO_TRY(read_header(text, &c));
    mco_text ahead = *text;
    for (int64_t p = 0; mco_text_row(&ahead, c.separator, &line); p++) {
        MCO_TRY(mco_text_in_time(&ahead, p + 1));
        MCO_TRY(read_csv_row(&ahead, line, &c, NULL, p));
    }
    end_counting(&c.units);
    ahead = begin;
    MCO_TRY(read_plate_row(&ahead, &c, &s));
    c.rows = count_rows(*text, c.separator);
    if (c.rows > MCO_GUILLOTINE_MAX_PIECES)
        MCO_TRY(mco_text_fail_here(text, "from here on %lld pieces, allowed are 0 to %lld", (long long)c.rows,
                                   (long long)MCO_GUILLOTINE_MAX_PIECES));
    MCO_TRY(guillotine_instance_create(ctx, s.width, s.height, c.rows, name, &g));
    give_units(ctx, &c.units, g);
    if (has_column(&c, NAME))
        MCO_TRY(mco_names_reserve(ctx, text, c.rows, &c.names));
    for (int64_t p = 0; mco_text_row(text, c.separator, &line); p++) {
        MCO_TRY(mco_text_in_time(text, p + 1));
        MCO_TRY(read_csv_row(text, line, &c, g, p));
    }
    MCO_TRY(mco_names_test(&c.names, text, c.rows));
    if (c.names.count > 0) {
        g->piece_names = c.names.names;
        c.names.names = NULL;
    }
    *out = g;
    g = NULL;
done:
    mco_names_clear(ctx, &c.names);
    mco_guillotine_destroy(ctx, &g);
    return st;
}

// ---- All formats

// A number begins with a digit; a wrong number may begin with a sign or a point.
static bool begins_with_word(mco_slice line)
{
    const unsigned char c = (unsigned char)line.data[0];
    return !isdigit(c) && strchr("+-.", c) == NULL;
}

mco_status guillotine_read_text(mco_context *ctx, mco_text *text, const char *name, mco_guillotine **out)
{
    mco_slice line;
    if (!mco_text_skip_blank(text))
        return mco_text_fail_here(text, "the file is empty");
    const mco_status st = mco_refuse_other_kind(text, "guillotine");
    if (st != MCO_OK)
        return st;
    mco_text_peek_line(text, &line);
    if (begins_with_word(line))
        return read_csv(ctx, text, name, out);
    const int64_t tokens = count_tokens(line);
    if (tokens > 2)
        return mco_text_fail(text, line.line, line.column,
                             "the first line holds %lld numbers, expected were 1 (pieces) or 2 (width and height of the "
                             "plate)",
                             (long long)tokens);
    return read_numbers(ctx, text, tokens == 2, name, out);
}

mco_status mco_guillotine_read(mco_context *ctx, const char *path, mco_guillotine **out)
{
    mco_text text;
    if (ctx == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_text_open(ctx, path, &text);
    if (st != MCO_OK)
        return st;
    st = guillotine_read_text(ctx, &text, mco_text_base_name(path), out);
    mco_text_close(&text);
    return st;
}

// ---- Writing

void guillotine_write_text(const mco_guillotine *problem, FILE *file)
{
    char width[MCO_NUMBER_TEXT], height[MCO_NUMBER_TEXT], value[MCO_NUMBER_TEXT];
    fprintf(file, "%lld\n%s %s\n", (long long)problem->pieces, guillotine_text(problem->width, problem->scale, width),
            guillotine_text(problem->height, problem->scale, height));
    for (int64_t i = 0; i < problem->pieces; i++) {
        const mco_guillotine_piece *p = &problem->piece[i];
        fprintf(file, "%s %s %s\n", guillotine_text(p->width, problem->scale, width),
                guillotine_text(p->height, problem->scale, height), guillotine_text(p->value, problem->value_scale, value));
    }
}

__extension__ typedef __int128 wide;

// An area may need more decimals than a file can state; the reader takes it for a value that is missing. Values with fewer
// decimals are all written: one that is missing would make the unit of all others finer, perhaps beyond the largest value.
static bool is_left_out(const mco_guillotine *g, const mco_guillotine_piece *p)
{
    return g->value_places > GUILLOTINE_MOST_PLACES &&
           (wide)p->value * g->scale * g->scale == (wide)p->width * p->height * g->value_scale;  // below 2^101
}

void guillotine_write_csv(const mco_guillotine *problem, FILE *file)
{
    const bool has_names = problem->piece_names != NULL;
    char width[MCO_NUMBER_TEXT], height[MCO_NUMBER_TEXT], value[MCO_NUMBER_TEXT];
    fprintf(file, "plate,%s,%s\n%swidth,height,value,rotatable\n", guillotine_text(problem->width, problem->scale, width),
            guillotine_text(problem->height, problem->scale, height), has_names ? "name," : "");
    for (int64_t i = 0; i < problem->pieces; i++) {
        const mco_guillotine_piece *p = &problem->piece[i];
        if (has_names) {
            mco_write_cell(problem->piece_names[i] != NULL ? problem->piece_names[i] : "", file);
            fputc(',', file);
        }
        fprintf(file, "%s,%s,%s,%s\n", guillotine_text(p->width, problem->scale, width),
                guillotine_text(p->height, problem->scale, height),
                is_left_out(problem, p) ? "" : guillotine_text(p->value, problem->value_scale, value),
                p->is_rotatable ? "yes" : "no");
    }
}

static bool needs_csv(const mco_guillotine *problem, const char *path)
{
    const size_t size = strlen(path);
    if (problem->piece_names != NULL || (size >= 4 && strcasecmp(path + size - 4, ".csv") == 0))
        return true;
    for (int64_t i = 0; i < problem->pieces; i++)
        if (!problem->piece[i].is_rotatable)
            return true;
    return false;
}

mco_status mco_guillotine_write(mco_context *ctx, const mco_guillotine *problem, const char *path)
{
    mco_output o;
    if (ctx == NULL || problem == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    mco_status st = mco_output_open(ctx, path, &o);
    if (st != MCO_OK)
        return st;
    (needs_csv(problem, path) ? guillotine_write_csv : guillotine_write_text)(problem, o.file);
    return mco_output_commit(ctx, &o, false);
}
