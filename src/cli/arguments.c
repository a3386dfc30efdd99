// SPDX-License-Identifier: MIT
// Parses what follows the action. Options go into their tables; the rest are inputs.
#include <string.h>

#include "cli/cli.h"

// "--threads=2" matches the flag "--threads".
static bool matches(const char *argument, const char *flag)
{
    size_t size = strlen(flag);
    return strncmp(argument, flag, size) == 0 && (argument[size] == '\0' || argument[size] == '=');
}

// For the message: the flag that has the longest beginning in common with the typed one.
static const char *nearest_flag(const cli_arguments *a, const char *typed)
{
    const char *best = NULL;
    size_t longest = 3;  // "--" and one letter are not enough
    for (const mco_option_values *v = a->tables; v->table != NULL; v++)
        for (size_t i = 0; i < v->table->count; i++) {
            const char *flag = v->table->options[i].flag;
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

// The words of the command line, and the parser's place.
typedef struct words {
    int count, at;
    char **words;
} words;

static mco_status take_option(mco_context *ctx, const cli_arguments *a, words *w)
{
    const char *argument = w->words[w->at];
    for (const mco_option_values *v = a->tables; v->table != NULL; v++)
        for (size_t i = 0; i < v->table->count; i++) {
            const mco_option *o = &v->table->options[i];
            if (!matches(argument, o->flag))
                continue;
            const char *value = argument[strlen(o->flag)] == '=' ? argument + strlen(o->flag) + 1 : NULL;
            if (o->kind == MCO_OPTION_FLAG && value != NULL)
                return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s takes no value", o->flag);
            if (o->kind != MCO_OPTION_FLAG && value == NULL) {
                if (w->at + 1 == w->count)
                    return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s needs a value", o->flag);
                value = w->words[++w->at];
            }
            return mco_option_set(ctx, o, v->params, value);
        }
    const char *nearest = nearest_flag(a, argument);
    if (nearest != NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "unknown option %s; did you mean %s?", argument, nearest);
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "unknown option %s; usage: %s", argument, a->usage);
}

mco_status cli_parse(cli_call *call, const cli_arguments *a, int argc, char **argv, int at)
{
    mco_status st = MCO_OK;
    words w = {argc, at, argv};
    for (; w.at < argc; w.at++) {
        const char *word = argv[w.at];
        if (word[0] == '-' && word[1] != '\0')
            MCO_TRY(take_option(call->ctx, a, &w));
        else if (call->input_count == a->most)
            MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "\"%s\" is one argument too many; usage: %s", word, a->usage));
        else
            call->inputs[call->input_count++] = word;
    }
    if (call->input_count < a->least)
        MCO_TRY(mco_fail(call->ctx, MCO_ERR_ARGUMENT, "usage: %s", a->usage));
done:
    return st;
}
