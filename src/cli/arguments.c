// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define MCO_OPTION_STRUCT cli_outputs
static const mco_option output_options[] = {
    CLI_OUTPUT_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_TEXT_ENTRY, MCO_OPTION_FLAG_ENTRY)};
static const mco_option input_options[] = {CLI_INPUT_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_TEXT_ENTRY)};

cli_table cli_output_table(cli_outputs *outputs)
{
    return CLI_TABLE(output_options, outputs);
}

cli_table cli_input_table(cli_outputs *outputs)
{
    return CLI_TABLE(input_options, outputs);
}

void cli_help(FILE *file, cli_table table)
{
    mco_options_help(file, table.options, table.count, table.params);
}

// "--threads=2" matches the flag "--threads".
static bool matches(const char *argument, const char *flag)
{
    size_t size = strlen(flag);
    return strncmp(argument, flag, size) == 0 && (argument[size] == '\0' || argument[size] == '=');
}

// The flag that shares the longest beginning with what was typed, for the message.
static const char *nearest_flag(const cli_arguments *a, const char *typed)
{
    const char *best = NULL;
    size_t longest = 3;  // "--" and one letter are no likeness
    for (const cli_table *t = a->tables; t->options != NULL; t++)
        for (size_t i = 0; i < t->count; i++) {
            const char *flag = t->options[i].flag;
            size_t same = 0;
            while (flag[same] != '\0' && flag[same] == typed[same])
                same++;
            if (same > longest) {
                longest = same;
                best = flag;
            }
        }
    return best;
}

static mco_status take_option(const cli_call *call, const cli_arguments *a, int *at)
{
    mco_context *ctx = call->ctx;
    const char *argument = call->argv[*at];
    for (const cli_table *t = a->tables; t->options != NULL; t++)
        for (size_t i = 0; i < t->count; i++) {
            const mco_option *o = &t->options[i];
            if (!matches(argument, o->flag))
                continue;
            const char *value = argument[strlen(o->flag)] == '=' ? argument + strlen(o->flag) + 1 : NULL;
            if (o->kind == MCO_OPTION_FLAG && value != NULL)
                return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s takes no value", o->flag);
            if (o->kind != MCO_OPTION_FLAG && value == NULL) {
                if (*at + 1 == call->argc)
                    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s needs a value", o->flag);
                value = call->argv[++*at];
            }
            return mco_option_set(ctx, o, t->params, value);
        }
    const char *nearest = nearest_flag(a, argument);
    if (nearest != NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "unknown option %s; did you mean %s?", argument, nearest);
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "unknown option %s; usage: %s", argument, a->usage);
}

mco_status cli_parse(const cli_call *call, cli_arguments *a)
{
    char **argv = call->argv;
    for (int at = 3; at < call->argc; at++) {
        if (argv[at][0] == '-' && argv[at][1] != '\0') {
            mco_status st = take_option(call, a, &at);
            if (st != MCO_OK)
                return st;
        } else if (a->positional_count == a->positional_most) {
            return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "\"%s\" is one argument too many; usage: %s", argv[at], a->usage);
        } else {
            a->positional[a->positional_count++] = argv[at];
        }
    }
    if (a->positional_count < a->positional_least)
        return mco_fail(call->ctx, MCO_ERR_ARGUMENT, "usage: %s", a->usage);
    return MCO_OK;
}

// Fails unless the file under `path` can be written; leaves it as it is.
static mco_status test_output(mco_context *ctx, const char *path)
{
    mco_output o = {0};
    struct stat info;
    // A pipe or a device is not opened for a test: its reader would take the close for the end.
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        if (!S_ISDIR(info.st_mode) && access(path, W_OK) == 0)
            return MCO_OK;
        return mco_fail(ctx, MCO_ERR_IO, "cannot write %s: %s", path,
                        S_ISDIR(info.st_mode) ? "it is a folder" : strerror(errno));
    }
    mco_status st = mco_output_open(ctx, path, &o);
    mco_output_discard(&o);
    return st;
}

// Whether two paths lead to one regular file, there already or yet to be made. Streams may be shared.
static bool is_same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (strncmp(a, "/dev/", 5) == 0 || strncmp(b, "/dev/", 5) == 0)
        return false;
    if (stat(a, &x) == 0 && stat(b, &y) == 0)
        return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
    while (strncmp(a, "./", 2) == 0)
        a += 2;
    while (strncmp(b, "./", 2) == 0)
        b += 2;
    return strcmp(a, b) == 0;
}

mco_status cli_test_outputs(mco_context *ctx, const char *input, const char *const *paths, size_t count)
{
    mco_status st = MCO_OK;
    for (size_t i = 0; i < count; i++) {
        if (paths[i] == NULL)
            continue;
        if (input != NULL && strcmp(input, "-") != 0 && is_same_file(input, paths[i]))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "an output goes to %s: it would replace the input", paths[i]);
        for (size_t k = i + 1; k < count; k++)
            if (paths[k] != NULL && is_same_file(paths[i], paths[k]))
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
    return path != NULL && (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0);
}

bool cli_prints_summary(const cli_outputs *o)
{
    return !cli_is_stdout(o->json) && !cli_is_stdout(o->solution) && !cli_is_stdout(o->plot) && !cli_is_stdout(o->history);
}
