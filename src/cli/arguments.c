// SPDX-License-Identifier: MIT
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"

#define MCO_OPTION_STRUCT cli_outputs
static const mco_option output_options[] = {
    CLI_OUTPUT_OPTIONS(MCO_OPTION_INTEGER_ENTRY, MCO_OPTION_TEXT_ENTRY, MCO_OPTION_FLAG_ENTRY)};

const mco_option *cli_output_options(size_t *count)
{
    *count = sizeof output_options / sizeof output_options[0];
    return output_options;
}

int exit_code(mco_status status)
{
    switch (status) {
    case MCO_OK: return EXIT_USABLE;
    case MCO_ERR_ARGUMENT: return EXIT_USAGE;
    case MCO_ERR_PARSE:
    case MCO_ERR_IO:
    case MCO_ERR_LIMIT: return EXIT_FILE;
    case MCO_ERR_MEMORY:
    case MCO_ERR_DEVICE: return EXIT_RESOURCES;
    case MCO_ERR_INTERNAL: break;
    }
    return EXIT_INTERNAL;
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
    for (size_t t = 0; t < a->table_count; t++)
        for (size_t i = 0; i < a->tables[t].count; i++) {
            const char *flag = a->tables[t].options[i].flag;
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

static mco_status take_option(mco_context *ctx, const cli_arguments *a, int argc, char **argv, int *at)
{
    const char *argument = argv[*at];
    for (size_t t = 0; t < a->table_count; t++)
        for (size_t i = 0; i < a->tables[t].count; i++) {
            const mco_option *o = &a->tables[t].options[i];
            if (!matches(argument, o->flag))
                continue;
            const char *value = argument[strlen(o->flag)] == '=' ? argument + strlen(o->flag) + 1 : NULL;
            if (o->kind == MCO_OPTION_FLAG && value != NULL)
                return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s takes no value", o->flag);
            if (o->kind != MCO_OPTION_FLAG && value == NULL) {
                if (*at + 1 == argc)
                    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s needs a value", o->flag);
                value = argv[++*at];
            }
            return mco_option_set(ctx, o, a->tables[t].params, value);
        }
    const char *nearest = nearest_flag(a, argument);
    if (nearest != NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "unknown option %s; did you mean %s?", argument, nearest);
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "unknown option %s; usage: %s", argument, a->usage);
}

mco_status cli_parse(mco_context *ctx, int argc, char **argv, int first, cli_arguments *a)
{
    for (int at = first; at < argc; at++) {
        if (argv[at][0] == '-' && argv[at][1] != '\0') {
            mco_status st = take_option(ctx, a, argc, argv, &at);
            if (st != MCO_OK)
                return st;
        } else if (a->positional_count == a->positional_most) {
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "\"%s\" is one argument too many; usage: %s", argv[at], a->usage);
        } else {
            a->positional[a->positional_count++] = argv[at];
        }
    }
    if (a->positional_count < a->positional_least)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "usage: %s", a->usage);
    return MCO_OK;
}

mco_status cli_test_output(mco_context *ctx, const char *path)
{
    mco_output o = {0};
    struct stat info;
    if (path == NULL)
        return MCO_OK;
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
