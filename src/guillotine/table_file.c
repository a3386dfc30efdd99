// SPDX-License-Identifier: MIT
// The table of values as a file: CSV, or binary with a line of text and little-endian numbers. docs/formats.md
// describes both.
#include <string.h>
#include <strings.h>

#include "base/output.h"
#include "guillotine/instance.h"

// A buffered writer of little-endian numbers, which is independent of the machine's byte order.
typedef struct byte_stream {
    FILE *file;
    unsigned char bytes[1 << 16];
    size_t count;
} byte_stream;

static void flush_bytes(byte_stream *s)
{
    fwrite(s->bytes, 1, s->count, s->file);
    s->count = 0;
}

static void put_little_endian(byte_stream *s, int64_t value, int bytes)
{
    if (s->count + (size_t)bytes > sizeof s->bytes)
        flush_bytes(s);
    for (int b = 0; b < bytes; b++)
        s->bytes[s->count++] = (unsigned char)((uint64_t)value >> (8 * b));
}

static int64_t value_at(const mco_guillotine_table *t, int64_t cell)
{
    return t->values != NULL ? t->values[cell] : t->values_32[cell];
}

static void write_csv(const mco_guillotine_table *t, int64_t scale, int64_t value_scale, FILE *file)
{
    char x[MCO_NUMBER_TEXT], y[MCO_NUMBER_TEXT], value[MCO_NUMBER_TEXT];
    fprintf(file, "x,y,value\n");
    for (int64_t i = 0; i < t->columns; i++)
        for (int64_t j = 0; j < t->rows; j++)
            fprintf(file, "%s,%s,%s\n", guillotine_text(t->x[i], scale, x), guillotine_text(t->y[j], scale, y),
                    guillotine_text(value_at(t, i * t->rows + j), value_scale, value));
}

// Integers are what they are; with decimals the line also says how many units make one of the file.
static void write_binary(const mco_guillotine_table *t, int64_t scale, int64_t value_scale, byte_stream *s)
{
    const int bits = t->values != NULL ? 64 : 32;
    if (scale == 1 && value_scale == 1)
        fprintf(s->file, "mco-guillotine-table 1 %lld %lld %d\n", (long long)t->columns, (long long)t->rows, bits);
    else
        fprintf(s->file, "mco-guillotine-table 2 %lld %lld %d %lld %lld\n", (long long)t->columns, (long long)t->rows, bits,
                (long long)scale, (long long)value_scale);
    for (int64_t i = 0; i < t->columns; i++)
        put_little_endian(s, t->x[i], sizeof *t->x);
    for (int64_t j = 0; j < t->rows; j++)
        put_little_endian(s, t->y[j], sizeof *t->y);
    for (int64_t cell = 0; cell < t->columns * t->rows; cell++)
        put_little_endian(s, value_at(t, cell), bits / 8);
    flush_bytes(s);
}

static mco_status write_scaled(mco_context *ctx, int64_t scale, int64_t value_scale, const mco_guillotine_table *table, const char *path)
{
    mco_status st = MCO_OK;
    mco_output o;
    byte_stream *stream = NULL;
    if (ctx == NULL || table == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (table->columns < 1 || table->rows < 1 || table->x == NULL || table->y == NULL ||
        (table->values == NULL && table->values_32 == NULL))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the table is empty: it is computed where the parameters want it");
    MCO_TRY(mco_alloc(ctx, &stream, 1));
    MCO_TRY(mco_output_open(ctx, path, &o));
    const size_t size = strlen(path);
    if (size >= 4 && strcasecmp(path + size - 4, ".csv") == 0) {
        write_csv(table, scale, value_scale, o.file);
    } else {
        stream->file = o.file;
        write_binary(table, scale, value_scale, stream);
    }
    st = mco_output_commit(ctx, &o, false);
done:
    mco_free(ctx, &stream);
    return st;
}

mco_status mco_guillotine_write_table(mco_context *ctx, const mco_guillotine_table *table, const char *path)
{
    return write_scaled(ctx, 1, 1, table, path);
}

mco_status mco_guillotine_write_values(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_table *table,
                                       const char *path)
{
    if (problem == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the instance is NULL");
    return write_scaled(ctx, problem->scale, problem->value_scale, table, path);
}
