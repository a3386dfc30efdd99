// SPDX-License-Identifier: MIT
// The files that the frame writes: their options, the tests before the work, the history.
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/output.h"
#include "cli/cli.h"

// ---- Options

static void add(cli_output_options *o, mco_option_kind kind, size_t offset, const char *flag, const char *argument,
                const char *help)
{
    o->records[o->table.count++] =
        (mco_option){.kind = kind, .offset = offset, .flag = flag, .argument = argument, .help = help};
    o->table.user_count = o->table.count;
}

void cli_make_start_options(const cli_action *a, cli_output_options *out)
{
    out->table = (mco_option_table){.options = out->records, .struct_size = sizeof(cli_outputs)};
    if (a->start_text != NULL)
        add(out, MCO_OPTION_TEXT, offsetof(cli_outputs, start), "--start", "F", a->start_text);
}

void cli_make_output_options(const cli_action *a, cli_output_options *out)
{
    cli_make_start_options(a, out);
    if (a->write_result == NULL)
        return;
    add(out, MCO_OPTION_TEXT, offsetof(cli_outputs, json), "--json", "F", "write the result file");
    if (a->solution_text != NULL)
        add(out, MCO_OPTION_TEXT, offsetof(cli_outputs, solution), "--solution", "F", a->solution_text);
    if (a->plot_text != NULL)
        add(out, MCO_OPTION_TEXT, offsetof(cli_outputs, plot), "--plot", "F.svg", a->plot_text);
    if (a->objective != NULL)
        add(out, MCO_OPTION_TEXT, offsetof(cli_outputs, history), "--history", "F.csv",
            "write the improvements: time, objective, bound");
    add(out, MCO_OPTION_FLAG, offsetof(cli_outputs, quiet), "--quiet", NULL, "no log");
    add(out, MCO_OPTION_FLAG, offsetof(cli_outputs, verbose), "-v", NULL, "a more detailed log");
}

// ---- Tests before the work

// Fails if the file at `path` cannot be written. Leaves the file unchanged.
static mco_status test_output(mco_context *ctx, const char *path)
{
    mco_output o = {0};
    struct stat info;
    // The test does not open a pipe or a device, because a reader would take the close for the end.
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        if (!S_ISDIR(info.st_mode) && access(path, W_OK) == 0)
            return MCO_OK;
        return mco_fail(ctx, MCO_ERR_IO, "cannot write %s: %s", path,
                        S_ISDIR(info.st_mode) ? "it is a folder" : strerror(errno));
    }
    mco_output_sweep(path);
    mco_status st = mco_output_open(ctx, path, &o);
    mco_output_discard(&o);
    return st;
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Whether both files lie in one folder, however it is spelled.
static bool is_same_folder(const char *a, const char *b)
{
    struct stat info[2];
    const char *const paths[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        char folder[MCO_PATH_LENGTH] = ".";
        const size_t size = (size_t)(name_of(paths[i]) - paths[i]);
        if (size >= sizeof folder)
            return false;
        if (size > 0)
            snprintf(folder, sizeof folder, "%.*s", (int)size, paths[i]);
        if (stat(folder, &info[i]) != 0)
            return false;
    }
    return info[0].st_dev == info[1].st_dev && info[0].st_ino == info[1].st_ino;
}

bool cli_is_old_file(const char *path)
{
    struct stat info;
    return strcmp(path, "-") != 0 && stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (mco_output_is_in_place(a) || mco_output_is_in_place(b))
        return false;
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    char a_target[MCO_PATH_LENGTH], b_target[MCO_PATH_LENGTH];
    return mco_output_target(a, a_target) && mco_output_target(b, b_target) &&
           strcmp(name_of(a_target), name_of(b_target)) == 0 && is_same_folder(a_target, b_target);
}

// Whether `path` is a file in the folder `input` that the run may read: a vector, which has no ending, a table of a timetable, or one of
// a GMNS network.
static bool is_part_of_folder(const char *input, const char *path)
{
    static const char *const gmns[] = {"link.csv", "node.csv", "config.csv"};
    struct stat info;
    char inside[MCO_PATH_LENGTH], table[MCO_PATH_LENGTH];
    const char *name = name_of(path), *ending = strrchr(name, '.');
    if (stat(input, &info) != 0 || !S_ISDIR(info.st_mode) || snprintf(inside, sizeof inside, "%s/%s", input, name) >= (int)sizeof inside ||
        !cli_is_same_file(inside, path))
        return false;
    for (size_t k = 0; k < sizeof gmns / sizeof gmns[0]; k++)
        if (strcmp(name, gmns[k]) == 0)
            return true;
    return ending == NULL || (strcmp(ending, ".txt") == 0 && snprintf(table, sizeof table, "%s/stop_times.txt", input) < (int)sizeof table &&
                              cli_is_old_file(table));
}

static bool is_read_from(const char *input, const char *path)
{
    return cli_is_same_file(input, path) || is_part_of_folder(input, path);
}

// Whether `input`, or a part of it between commas, is the file at `path` or its folder.
static bool is_in_list(const char *input, const char *path)
{
    char part[MCO_PATH_LENGTH];
    if (is_read_from(input, path))
        return true;
    for (const char *begin = strchr(input, ',') != NULL ? input : NULL; begin != NULL;) {
        const char *end = strchr(begin, ',');
        const size_t size = end != NULL ? (size_t)(end - begin) : strlen(begin);
        if (snprintf(part, sizeof part, "%.*s", (int)size, begin) < (int)sizeof part && is_read_from(part, path))
            return true;
        begin = end != NULL ? end + 1 : NULL;
    }
    return false;
}

mco_status cli_refuse_replacing(mco_context *ctx, const char *const *inputs, int64_t input_count, const char *path)
{
    if (path == NULL || !cli_is_old_file(path))  // the inputs are there, so the path leads to none of them
        return MCO_OK;
    for (int64_t i = 0; i < input_count; i++)
        if (inputs[i] != NULL && strcmp(inputs[i], "-") != 0 && is_in_list(inputs[i], path))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "an output goes to %s: it would replace the input; give it another path", path);
    return MCO_OK;
}

mco_status cli_test_outputs(mco_context *ctx, const char *const *paths, size_t count)
{
    mco_status st = MCO_OK;
    for (size_t i = 0; i < count; i++) {
        if (paths[i] == NULL)
            continue;
        for (size_t k = i + 1; k < count; k++)
            if (paths[k] != NULL && ((cli_is_stdout(paths[i]) && cli_is_stdout(paths[k])) || cli_is_same_file(paths[i], paths[k])))
                return mco_fail(ctx, MCO_ERR_ARGUMENT, "two outputs go to %s: one would replace the other", paths[k]);
    }
    for (size_t i = 0; i < count; i++)
        if (paths[i] != NULL)
            MCO_TRY(test_output(ctx, paths[i]));
done:
    return st;
}

bool cli_is_stdout(const char *path)
{
    static const char *const names[] = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
    bool is_one = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        is_one = is_one || (path != NULL && strcmp(path, names[i]) == 0);
    return is_one;
}

// ---- History

static void write_cell(double value, FILE *file)
{
    fputc(',', file);
    if (!isnan(value))
        mco_write_number(value, file);
}

mco_status cli_write_history(cli_call *call, const cli_action *action, const char *path)
{
    mco_output o;
    const mco_improvement *history;
    int64_t count;
    const mco_status st = mco_output_open(call->ctx, path, &o);
    if (st != MCO_OK)
        return st;
    memcpy(&history, (const char *)call->state + action->history, sizeof history);
    memcpy(&count, (const char *)call->state + action->history_count, sizeof count);
    fprintf(o.file, "time_s,%s,bound\n", action->objective);
    for (int64_t i = 0; i < count; i++) {
        fprintf(o.file, "%.6f", history[i].time_s);
        write_cell(history[i].objective, o.file);
        write_cell(history[i].bound, o.file);
        fputc('\n', o.file);
    }
    return mco_output_commit(call->ctx, &o, false);
}
