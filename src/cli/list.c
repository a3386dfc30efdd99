// SPDX-License-Identifier: MIT
// Lists of files: the problems of a batch.
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"

typedef struct list_line {
    mco_slice path;
    int64_t repeat;
    struct list_line *first;  // the first line with this path
    int64_t file;
} list_line;

// Takes " x8" off the end of the path.
static mco_status take_repeat(mco_text *text, list_line *line)
{
    mco_slice tail = line->path;
    while (tail.size > 0 && strchr("0123456789", tail.data[tail.size - 1]) != NULL)
        tail.size--;
    const size_t digits = line->path.size - tail.size;
    line->repeat = 1;
    if (digits == 0 || tail.size < 3 || tail.data[tail.size - 1] != 'x' || strchr(" \t", tail.data[tail.size - 2]) == NULL)
        return MCO_OK;
    const mco_slice number = {tail.data + tail.size, digits, tail.line, tail.column + (int64_t)tail.size};
    line->path.size = tail.size - 1;
    line->path = mco_slice_trim(line->path);
    return mco_slice_integer(text, number, "the number of times", 1, CLI_LIST_MOST, &line->repeat);
}

// Reads *lines [*line_count]; mco_free() releases them. Their paths are borrowed from the text.
static mco_status read_lines(mco_context *ctx, mco_text *text, list_line **lines, int64_t *line_count, int64_t *count)
{
    mco_status st = MCO_OK;
    mco_slice line;
    int64_t most = 1;
    for (size_t k = 0; k < text->size; k++)
        most += text->data[k] == '\n';
    MCO_TRY(mco_alloc(ctx, lines, most));
    while (mco_text_line(text, &line)) {
        list_line *next = &(*lines)[*line_count];
        next->path = mco_slice_trim(line);
        if (next->path.size == 0 || next->path.data[0] == '#')
            continue;
        MCO_TRY(take_repeat(text, next));
        *count += next->repeat;
        ++*line_count;
        if (*count > CLI_LIST_MOST)
            MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT, "%s:%lld: the list has %lld problems up to here, at most %d are supported",
                             text->name, (long long)line.line, (long long)*count, CLI_LIST_MOST));
    }
    if (*count == 0)
        MCO_TRY(mco_text_fail_here(text, "the list names no file"));
done:
    return st;
}

static int compare_text(const list_line *p, const list_line *q)
{
    const size_t size = p->path.size < q->path.size ? p->path.size : q->path.size;
    const int order = memcmp(p->path.data, q->path.data, size);
    return order != 0 ? order : p->path.size < q->path.size ? -1 : p->path.size > q->path.size;
}

static int compare_lines(const void *a, const void *b)
{
    const list_line *p = *(list_line *const *)a, *q = *(list_line *const *)b;
    const int order = compare_text(p, q);
    return order != 0 ? order : p < q ? -1 : p > q;
}

// Sets the `first` of every line. Sorting brings equal paths together.
static mco_status find_first_lines(mco_context *ctx, list_line *lines, int64_t count)
{
    mco_status st = MCO_OK;
    list_line **sorted = NULL;
    MCO_TRY(mco_alloc(ctx, &sorted, count));
    for (int64_t k = 0; k < count; k++)
        sorted[k] = &lines[k];
    qsort(sorted, (size_t)count, sizeof *sorted, compare_lines);
    for (int64_t k = 0; k < count; k++)
        sorted[k]->first = k > 0 && compare_text(sorted[k - 1], sorted[k]) == 0 ? sorted[k - 1]->first : sorted[k];
done:
    mco_free(ctx, &sorted);
    return st;
}

static mco_status add_file(mco_context *ctx, const char *list_path, mco_slice path, cli_list *out)
{
    mco_status st = MCO_OK;
    const char *slash = strrchr(list_path, '/');
    const size_t folder = path.data[0] == '/' || slash == NULL ? 0 : (size_t)(slash - list_path) + 1;
    char **whole = &out->paths[out->file_count];
    out->file_count++;
    MCO_TRY(mco_alloc(ctx, whole, folder + path.size + 1));
    memcpy(*whole, list_path, folder);
    memcpy(*whole + folder, path.data, path.size);
    out->names[out->file_count - 1] = *whole + folder;
done:
    return st;
}

static mco_status number_files(mco_context *ctx, const char *list_path, list_line *lines, int64_t line_count, cli_list *out)
{
    mco_status st = MCO_OK;
    int64_t at = 0;
    MCO_TRY(mco_alloc(ctx, &out->paths, line_count));
    MCO_TRY(mco_alloc(ctx, &out->names, line_count));
    MCO_TRY(mco_alloc(ctx, &out->first, line_count));
    MCO_TRY(mco_alloc(ctx, &out->file_of, out->count));
    for (list_line *line = lines; line < lines + line_count; line++) {
        line->file = line->first->file;
        if (line->first == line) {
            line->file = out->file_count;
            out->first[line->file] = at;
            MCO_TRY(add_file(ctx, list_path, line->path, out));
        }
        for (int64_t times = 0; times < line->repeat; times++)
            out->file_of[at++] = line->file;
    }
done:
    return st;
}

mco_status cli_read_list(mco_context *ctx, const char *path, cli_list *out)
{
    mco_status st = MCO_OK;
    mco_text text = {0};
    list_line *lines = NULL;
    int64_t line_count = 0;
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(read_lines(ctx, &text, &lines, &line_count, &out->count));
    MCO_TRY(find_first_lines(ctx, lines, line_count));
    MCO_TRY(number_files(ctx, path, lines, line_count, out));
done:
    mco_free(ctx, &lines);
    mco_text_close(&text);
    return st;
}

void cli_clear_list(mco_context *ctx, cli_list *list)
{
    for (int64_t k = 0; k < list->file_count; k++)
        mco_free(ctx, &list->paths[k]);
    mco_free(ctx, &list->file_of);
    mco_free(ctx, &list->first);
    mco_free(ctx, &list->names);
    mco_free(ctx, &list->paths);
}
