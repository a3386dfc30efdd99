// SPDX-License-Identifier: MIT
// Files of overlays: CSV with the columns from, to, bandwidth, and the members "from", "to", "bandwidth" of a result file.
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "base/names.h"
#include "base/number.h"
#include "base/output.h"
#include "base/table.h"
#include "overlay/instance.h"
#include "render/report.h"

typedef enum column { COLUMN_FROM, COLUMN_TO, COLUMN_BANDWIDTH, COLUMNS } column;
static const char *const columns[COLUMNS] = {"from", "to", "bandwidth"};

typedef struct reader {
    mco_context *ctx;
    const mco_overlay *o;
    mco_name_finder finder;
    int places;           // decimals of the instance's bandwidths
    mco_overlay_solution s;
    int64_t count[COLUMNS], room[COLUMNS];
    bool is_seen[COLUMNS];  // members of a result file
    double stated;
} reader;

// ---- CSV

static mco_status read_row(reader *r, mco_text *text, mco_table *table, mco_slice row)
{
    mco_status st = MCO_OK;
    mco_slice cells[MCO_TABLE_COLUMNS];
    const int64_t k = r->s.count;
    MCO_TRY(mco_table_cells(table, row, COLUMNS, cells));
    MCO_TRY(mco_grow(r->ctx, &r->s.from, &r->room[COLUMN_FROM], k + 1));
    MCO_TRY(mco_grow(r->ctx, &r->s.to, &r->room[COLUMN_TO], k + 1));
    MCO_TRY(mco_grow(r->ctx, &r->s.bandwidth, &r->room[COLUMN_BANDWIDTH], k + 1));
    MCO_TRY(mco_names_find_cell(&r->finder, text, cells[COLUMN_FROM], &r->s.from[k]));
    MCO_TRY(mco_names_find_cell(&r->finder, text, cells[COLUMN_TO], &r->s.to[k]));
    MCO_TRY(mco_slice_scaled(text, cells[COLUMN_BANDWIDTH], "the bandwidth", table->separator, r->places, 0, MCO_OVERLAY_MAX_BANDWIDTH,
                             &r->s.bandwidth[k]));
    r->s.count++;
done:
    return st;
}

static mco_status read_csv(reader *r, mco_text *text)
{
    mco_status st = MCO_OK;
    mco_table table;
    mco_slice row;
    MCO_TRY(mco_table_open(text, columns, COLUMNS, &table));
    for (int k = 0; k < COLUMNS; k++)
        MCO_TRY(mco_table_require(&table, k));
    while (mco_text_row(text, table.separator, &row)) {
        MCO_TRY(mco_text_in_time(text, r->s.count));
        MCO_TRY(read_row(r, text, &table, row));
    }
done:
    return st;
}

// ---- Result files

static mco_status read_ends(mco_text *text, reader *r, int32_t **out, column which)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    int64_t value;
    r->is_seen[which] = true;
    MCO_TRY(mco_json_enter(text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(mco_json_read_integer(text, "the node", 1, r->o->nodes, &value));
        MCO_TRY(mco_grow(r->ctx, out, &r->room[which], r->count[which] + 1));
        (*out)[r->count[which]++] = (int32_t)value - 1;
    }
done:
    return st;
}

static mco_status read_from(mco_text *text, void *user)
{
    reader *r = user;
    return read_ends(text, r, &r->s.from, COLUMN_FROM);
}

static mco_status read_to(mco_text *text, void *user)
{
    reader *r = user;
    return read_ends(text, r, &r->s.to, COLUMN_TO);
}

static mco_status read_bandwidth(mco_text *text, void *user)
{
    mco_status st = MCO_OK;
    reader *r = user;
    bool is_first = true, has_next;
    r->is_seen[COLUMN_BANDWIDTH] = true;
    MCO_TRY(mco_json_enter(text, '['));
    for (;;) {
        MCO_TRY(mco_json_next(text, '[', &is_first, &has_next, NULL, 0));
        if (!has_next)
            break;
        MCO_TRY(mco_grow(r->ctx, &r->s.bandwidth, &r->room[COLUMN_BANDWIDTH], r->count[COLUMN_BANDWIDTH] + 1));
        const mco_slice word = mco_json_peek_word(text);
        MCO_TRY(mco_slice_scaled(text, word, "the bandwidth", ',', r->places, 0, MCO_OVERLAY_MAX_BANDWIDTH,
                                 &r->s.bandwidth[r->count[COLUMN_BANDWIDTH]++]));
        MCO_TRY(mco_json_skip(text));
    }
done:
    return st;
}

static mco_status read_stated(mco_text *text, void *user)
{
    mco_status st = MCO_OK;
    reader *r = user;
    const mco_slice word = mco_json_peek_word(text);
    MCO_TRY(mco_slice_real(text, word, "the objective", 0, HUGE_VAL, &r->stated));
    MCO_TRY(mco_json_skip(text));
done:
    return st;
}

static mco_status read_result(reader *r, mco_text *text)
{
    static const mco_report_member members[] = {
        {"objective", false, read_stated}, {"from", true, read_from}, {"to", true, read_to}, {"bandwidth", true, read_bandwidth}};
    mco_status st = MCO_OK;
    MCO_TRY(mco_report_read(text, "overlay", members, sizeof members / sizeof *members, r));
    for (int k = 0; k < COLUMNS; k++)
        if (!r->is_seen[k])
            MCO_TRY(mco_text_fail_here(text, "the result file has no overlay: its solution lacks %s", columns[k]));
    if (r->count[COLUMN_FROM] != r->count[COLUMN_TO] || r->count[COLUMN_FROM] != r->count[COLUMN_BANDWIDTH])
        MCO_TRY(mco_text_fail_here(text, "the members from, to and bandwidth have %" PRId64 ", %" PRId64 " and %" PRId64 " entries",
                                   r->count[COLUMN_FROM], r->count[COLUMN_TO], r->count[COLUMN_BANDWIDTH]));
    r->s.count = r->count[COLUMN_FROM];
done:
    return st;
}

mco_status mco_overlay_read_solution(mco_context *ctx, const mco_overlay *instance, const char *path, mco_overlay_solution *out,
                                     double *stated)
{
    mco_status st = MCO_OK;
    mco_text text = {0};
    if (ctx == NULL || instance == NULL || path == NULL || out == NULL || stated == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    reader r = {.ctx = ctx, .o = instance, .stated = NAN,
                .finder = {.what = "the node", .names = instance->names, .rows = instance->nodes}};
    for (int64_t rest = instance->scale; rest > 1; rest /= 10)
        r.places++;
    MCO_TRY(mco_text_open(ctx, path, &text));
    if (!mco_text_skip_blank(&text))
        MCO_TRY(mco_text_fail_here(&text, "the text ends where an overlay was expected"));
    MCO_TRY(text.data[text.at] == '{' ? read_result(&r, &text) : read_csv(&r, &text));
    *out = r.s;
    *stated = r.stated;
    r.s = (mco_overlay_solution){0};
done:
    mco_free(ctx, &r.finder.table.slots);
    mco_overlay_solution_clear(ctx, &r.s);
    mco_text_close(&text);
    return st;
}

// ---- Writing

mco_status mco_overlay_write_solution(mco_context *ctx, const mco_overlay *instance, const mco_overlay_solution *solution, const char *path)
{
    mco_output output;
    char buffer[16], number[MCO_NUMBER_TEXT];
    if (ctx == NULL || instance == NULL || solution == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_status st = mco_output_open(ctx, path, &output);
    if (st != MCO_OK)
        return st;
    fputs("from,to,bandwidth\n", output.file);
    for (int64_t k = 0; k < solution->count; k++) {
        mco_write_cell(mco_overlay_node_name(instance, solution->from[k], buffer), output.file);
        fputc(',', output.file);
        mco_write_cell(mco_overlay_node_name(instance, solution->to[k], buffer), output.file);
        fprintf(output.file, ",%s\n", mco_scaled_text(solution->bandwidth[k], instance->scale, number));
    }
    return mco_output_commit(ctx, &output, false);
}
