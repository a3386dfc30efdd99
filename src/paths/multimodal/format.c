// SPDX-License-Identifier: MIT
// Files of multi-modal networks (docs/formats.md): a line "p mm VERTICES ARCS PERIOD" first, then lines "l" of labels, "f" of functions,
// "v" of places, "a" of arcs. Comments begin with c.
#include <inttypes.h>
#include <string.h>

#include "base/grow.h"
#include "base/number.h"
#include "base/output.h"
#include "base/text.h"
#include "paths/multimodal/multimodal.h"

// ---- Reading

typedef struct reader {
    mco_context *ctx;
    mco_text *text;
    mco_multimodal_parts parts;
    int64_t arcs;                  // as stated
    char *names;                   // [MCO_MULTIMODAL_MAX_LABELS][NAME_ROOM]
    const char **label_name;       // [MCO_MULTIMODAL_MAX_LABELS]
    mco_multimodal_function *function;
    int64_t function_room;
    // Points of all functions. Their arrays are handed out at the end, because they move while they grow.
    int32_t *time, *ride;
    double *factor;
    int64_t points, time_room, ride_room, factor_room;
    int32_t *tail, *head, *label, *kind, *seconds;  // [arcs]
    double *x, *y;
} reader;

enum { NAME_ROOM = 64 };

static mco_status take_integer(reader *r, mco_slice line, mco_slice *rest, const char *what, int64_t low, int64_t high, int64_t *out)
{
    mco_slice word = {.data = "", .line = line.line, .column = line.column};
    mco_slice_token(rest, &word);
    return mco_slice_integer(r->text, word, what, low, high, out);
}

// A line has no words behind those that it needs.
static mco_status end_line(reader *r, mco_slice rest)
{
    mco_slice word;
    if (!mco_slice_token(&rest, &word))
        return MCO_OK;
    return mco_text_fail(r->text, word.line, word.column, "\"%.*s\" is one word too many", mco_slice_shown(word), word.data);
}

static mco_status read_head(reader *r, mco_slice line, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_slice word = {0};
    int64_t vertices, period;
    if (r->parts.period > 0)
        return mco_text_fail(r->text, line.line, line.column, "a second line \"p\"");
    mco_slice_token(&rest, &word);
    if (!mco_slice_is(word, "mm"))
        return mco_text_fail(r->text, line.line, line.column, "the line \"p\" names another problem than mm");
    MCO_TRY(take_integer(r, line, &rest, "the number of vertices", 0, MCO_GRAPH_MAX_VERTICES, &vertices));
    MCO_TRY(take_integer(r, line, &rest, "the number of arcs", 0, MCO_GRAPH_MAX_ARCS, &r->arcs));
    MCO_TRY(take_integer(r, line, &rest, "the period", 1, MCO_MULTIMODAL_MAX_PERIOD, &period));
    MCO_TRY(end_line(r, rest));
    if (r->arcs > (int64_t)r->text->size)
        return mco_text_fail(r->text, line.line, line.column, "%" PRId64 " arcs are stated, the file has %zu bytes", r->arcs, r->text->size);
    r->parts.vertices = (int32_t)vertices;
    r->parts.period = (int32_t)period;
    MCO_TRY(mco_alloc(r->ctx, &r->tail, r->arcs));
    MCO_TRY(mco_alloc(r->ctx, &r->head, r->arcs));
    MCO_TRY(mco_alloc(r->ctx, &r->label, r->arcs));
    MCO_TRY(mco_alloc(r->ctx, &r->kind, r->arcs));
    MCO_TRY(mco_alloc(r->ctx, &r->seconds, r->arcs));
done:
    return st;
}

static int32_t find_label(const reader *r, mco_slice word)
{
    for (int32_t k = 0; k < r->parts.labels; k++)
        if (strlen(r->label_name[k]) == word.size && memcmp(r->label_name[k], word.data, word.size) == 0)
            return k;
    return -1;
}

static mco_status read_label(reader *r, mco_slice line, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_slice word = {0};
    mco_slice_token(&rest, &word);
    if (word.size == 0 || word.size >= NAME_ROOM)
        return mco_text_fail(r->text, line.line, line.column, "a label has 1 to %d bytes", NAME_ROOM - 1);
    if (find_label(r, word) >= 0)
        return mco_text_fail(r->text, word.line, word.column, "the label \"%.*s\" is there twice", mco_slice_shown(word), word.data);
    if (r->parts.labels == MCO_MULTIMODAL_MAX_LABELS)
        return mco_text_fail(r->text, word.line, word.column, "more than %d labels", MCO_MULTIMODAL_MAX_LABELS);
    MCO_TRY(end_line(r, rest));
    char *name = r->names + (size_t)r->parts.labels * NAME_ROOM;
    memcpy(name, word.data, word.size);
    r->label_name[r->parts.labels++] = name;
done:
    return st;
}

// Reads "TIME VALUE" pairs: factors of a profile, or rides of a timetable.
static mco_status read_points(reader *r, mco_slice line, mco_slice rest, mco_multimodal_function *f)
{
    mco_status st = MCO_OK;
    mco_slice word;
    int64_t value;
    for (mco_slice more = rest; mco_slice_token(&more, &word); more = rest) {
        MCO_TRY(mco_grow(r->ctx, &r->time, &r->time_room, r->points + 1));
        MCO_TRY(mco_grow(r->ctx, &r->ride, &r->ride_room, r->points + 1));
        MCO_TRY(mco_grow(r->ctx, &r->factor, &r->factor_room, r->points + 1));
        MCO_TRY(take_integer(r, line, &rest, "the time", 0, r->parts.period - 1, &value));
        r->time[r->points] = (int32_t)value;
        if (f->kind == MCO_MULTIMODAL_TIMETABLE) {
            MCO_TRY(take_integer(r, line, &rest, "the ride", 0, MCO_PATHS_MAX_WEIGHT, &value));
            r->ride[r->points] = (int32_t)value;
        } else {
            word = (mco_slice){.data = "", .line = line.line, .column = line.column};
            mco_slice_token(&rest, &word);
            MCO_TRY(mco_slice_real(r->text, word, "the factor", 0, MCO_MULTIMODAL_MAX_FACTOR, &r->factor[r->points]));
        }
        r->points++;
        f->count++;
    }
done:
    return st;
}

static mco_status read_function(reader *r, mco_slice line, mco_slice rest)
{
    static const char *const words[] = {"constant", "profile", "headway", "timetable"};
    mco_status st = MCO_OK;
    mco_slice word = {.data = "", .line = line.line, .column = line.column};
    int kind;
    int64_t headway, offset;
    mco_slice_token(&rest, &word);
    MCO_TRY(mco_slice_find(r->text, word, "the function is", words, 4, &kind));
    MCO_TRY(mco_grow(r->ctx, &r->function, &r->function_room, r->parts.functions + 1));
    mco_multimodal_function *f = &r->function[r->parts.functions];
    *f = (mco_multimodal_function){.kind = (mco_multimodal_kind)kind};
    if (f->kind == MCO_MULTIMODAL_HEADWAY) {
        MCO_TRY(take_integer(r, line, &rest, "the headway", 1, r->parts.period, &headway));
        MCO_TRY(take_integer(r, line, &rest, "the offset", 0, headway - 1, &offset));
        f->headway = (int32_t)headway;
        f->offset = (int32_t)offset;
    }
    if (f->kind == MCO_MULTIMODAL_PROFILE || f->kind == MCO_MULTIMODAL_TIMETABLE)
        MCO_TRY(read_points(r, line, rest, f));
    else
        MCO_TRY(end_line(r, rest));
    r->parts.functions++;
done:
    return st;
}

static mco_status read_place(reader *r, mco_slice line, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_slice x = {.data = "", .line = line.line, .column = line.column}, y = x;
    int64_t v;
    if (r->x == NULL) {
        MCO_TRY(mco_alloc(r->ctx, &r->x, r->parts.vertices));
        MCO_TRY(mco_alloc(r->ctx, &r->y, r->parts.vertices));
    }
    MCO_TRY(take_integer(r, line, &rest, "the vertex", 1, r->parts.vertices, &v));
    mco_slice_token(&rest, &x);
    mco_slice_token(&rest, &y);
    MCO_TRY(mco_slice_real(r->text, x, "x", -1e15, 1e15, &r->x[v - 1]));
    MCO_TRY(mco_slice_real(r->text, y, "y", -1e15, 1e15, &r->y[v - 1]));
    MCO_TRY(end_line(r, rest));
done:
    return st;
}

static mco_status read_arc(reader *r, mco_slice line, mco_slice rest)
{
    mco_status st = MCO_OK;
    const int64_t a = r->parts.arcs.count;
    mco_slice word = {0};
    int64_t tail, head, function, seconds;
    if (a == r->arcs)
        return mco_text_fail(r->text, line.line, line.column, "more than the %" PRId64 " arcs that are stated", r->arcs);
    MCO_TRY(take_integer(r, line, &rest, "the tail", 1, r->parts.vertices, &tail));
    MCO_TRY(take_integer(r, line, &rest, "the head", 1, r->parts.vertices, &head));
    mco_slice_token(&rest, &word);
    r->label[a] = find_label(r, word);
    if (r->label[a] < 0)
        return mco_text_fail(r->text, line.line, line.column, "\"%.*s\" is no label of a line before", mco_slice_shown(word), word.data);
    MCO_TRY(take_integer(r, line, &rest, "the function", 1, r->parts.functions, &function));
    MCO_TRY(take_integer(r, line, &rest, "the number of seconds", 0, MCO_PATHS_MAX_WEIGHT - 1, &seconds));
    MCO_TRY(end_line(r, rest));
    r->tail[a] = (int32_t)tail - 1;
    r->head[a] = (int32_t)head - 1;
    r->kind[a] = (int32_t)function - 1;
    r->seconds[a] = (int32_t)seconds;
    r->parts.arcs.count++;
done:
    return st;
}

static mco_status read_line(reader *r, mco_slice line)
{
    mco_slice word, rest = line;
    mco_slice_token(&rest, &word);
    const char kind = word.size == 1 ? word.data[0] : '\0';
    if (kind == 'c')
        return MCO_OK;
    if (kind == 'p')
        return read_head(r, line, rest);
    if (kind != '\0' && strchr("lfva", kind) != NULL && r->parts.period == 0)
        return mco_text_fail(r->text, line.line, line.column, "the line \"p mm\" must come first");
    switch (kind) {
    case 'l':
        return read_label(r, line, rest);
    case 'f':
        return read_function(r, line, rest);
    case 'v':
        return read_place(r, line, rest);
    case 'a':
        return read_arc(r, line, rest);
    default:
        return mco_text_fail(r->text, line.line, line.column, "the line begins with \"%.*s\", c, p, l, f, v or a was expected",
                             mco_slice_shown(word), word.data);
    }
}

// Hands out the points to their functions.
static void settle_points(reader *r)
{
    int64_t at = 0;
    for (int32_t k = 0; k < r->parts.functions; k++) {
        if (r->function[k].count == 0)
            continue;
        r->function[k].time = r->time + at;
        r->function[k].ride = r->ride + at;
        r->function[k].factor = r->factor + at;
        at += r->function[k].count;
    }
    r->parts.function = r->function;
    r->parts.label_name = r->label_name;
    r->parts.x = r->x;
    r->parts.y = r->y;
    r->parts.arcs.tail = r->tail;
    r->parts.arcs.head = r->head;
    r->parts.arcs.label = r->label;
    r->parts.arcs.function = r->kind;
    r->parts.arcs.seconds = r->seconds;
}

static mco_status read_lines(reader *r)
{
    mco_status st = MCO_OK;
    mco_slice line;
    MCO_TRY(mco_alloc(r->ctx, &r->names, MCO_MULTIMODAL_MAX_LABELS * NAME_ROOM));
    MCO_TRY(mco_alloc(r->ctx, &r->label_name, MCO_MULTIMODAL_MAX_LABELS));
    for (int64_t lines = 1; mco_text_line(r->text, &line); lines++) {
        MCO_TRY(mco_text_in_time(r->text, lines));
        line = mco_slice_trim(line);
        if (line.size > 0)
            MCO_TRY(read_line(r, line));
    }
    if (r->parts.period == 0)
        return mco_text_fail_here(r->text, "the file has no line \"p mm\"");
    if (r->parts.arcs.count != r->arcs)
        return mco_text_fail_here(r->text, "%" PRId64 " arcs are stated, %" PRId64 " are there", r->arcs, r->parts.arcs.count);
    settle_points(r);
done:
    return st;
}

static void clear(reader *r)
{
    mco_free(r->ctx, &r->names);
    mco_free(r->ctx, &r->label_name);
    mco_free(r->ctx, &r->function);
    mco_free(r->ctx, &r->time);
    mco_free(r->ctx, &r->ride);
    mco_free(r->ctx, &r->factor);
    mco_free(r->ctx, &r->tail);
    mco_free(r->ctx, &r->head);
    mco_free(r->ctx, &r->label);
    mco_free(r->ctx, &r->kind);
    mco_free(r->ctx, &r->seconds);
    mco_free(r->ctx, &r->x);
    mco_free(r->ctx, &r->y);
}

mco_status mco_multimodal_read(mco_context *ctx, const char *path, mco_multimodal **out)
{
    mco_status st = MCO_OK;
    mco_text text = {0};
    reader r = {.ctx = ctx, .text = &text};
    if (ctx == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(read_lines(&r));
    st = mco_multimodal_create(ctx, &r.parts, out);
    if (st == MCO_ERR_ARGUMENT)  // the content of a file is at fault
        st = mco_text_fail(&text, 1, 1, "%s", mco_context_error(ctx));
done:
    clear(&r);
    mco_text_close(&text);
    mco_clear_cancel(ctx);
    return st;
}

// ---- Writing

static void write_profile(const mco_multimodal *n, const mm_function *f, FILE *file)
{
    fputs("f profile", file);
    for (int32_t k = 0; k < f->count; k++) {
        fprintf(file, " %d ", k * f->width);
        mco_write_number((double)n->point[f->first + k].a / (1 << MM_FACTOR_BITS), file);
    }
    fputc('\n', file);
}

static void write_function(const mco_multimodal *n, const mm_function *f, FILE *file)
{
    switch (f->kind) {
    case MCO_MULTIMODAL_PROFILE:
        write_profile(n, f, file);
        break;
    case MCO_MULTIMODAL_HEADWAY:
        fprintf(file, "f headway %d %d\n", f->width, f->offset);
        break;
    case MCO_MULTIMODAL_TIMETABLE:
        fputs("f timetable", file);
        for (int32_t k = 0; k < f->count; k++)
            fprintf(file, " %d %d", n->point[f->first + k].a, n->point[f->first + k].b);
        fputc('\n', file);
        break;
    default:
        fputs("f constant\n", file);
    }
}

static void write_arcs(const mco_multimodal *n, FILE *file)
{
    const mm_tables *m = &n->tables;
    for (int32_t v = 0; v < n->vertices; v++)
        for (int64_t a = n->first[v]; a < n->first[v + 1]; a++) {
            const uint32_t word = n->arc[a].word;
            fprintf(file, "a %d %d %s %u %d\n", v + 1, n->arc[a].head + 1, n->label_name[mm_label(m, word)], mm_function_of(m, word) + 1,
                    mm_seconds(m, word));
        }
}

mco_status mco_multimodal_write(mco_context *ctx, const mco_multimodal *network, const char *path)
{
    mco_status st = MCO_OK;
    mco_output out = {0};
    if (ctx == NULL || network == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_output_open(ctx, path, &out));
    fprintf(out.file, "p mm %d %" PRId64 " %d\n", network->vertices, network->arcs, network->tables.period);
    for (int32_t k = 0; k < network->labels; k++)
        fprintf(out.file, "l %s\n", network->label_name[k]);
    for (int32_t k = 0; k < network->functions; k++)
        write_function(network, &network->function[k], out.file);
    for (int32_t v = 0; network->x != NULL && v < network->vertices; v++) {
        fprintf(out.file, "v %d ", v + 1);
        mco_write_number(network->x[v], out.file);
        fputc(' ', out.file);
        mco_write_number(network->y[v], out.file);
        fputc('\n', out.file);
    }
    write_arcs(network, out.file);
    MCO_TRY(mco_output_commit(ctx, &out, false));
done:
    mco_output_discard(&out);
    return st;
}
