// SPDX-License-Identifier: MIT
// Parses what follows the action. Options go into their tables; the rest are inputs.
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

// "--threads=2" matches the flag "--threads".
static bool matches(const char *argument, const char *flag)
{
    size_t size = strlen(flag);
    return strncmp(argument, flag, size) == 0 && (argument[size] == '\0' || argument[size] == '=');
}

static bool is_among(const char *flag, int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (matches(argv[i], flag))
            return true;
    return false;
}

bool cli_is_given(const mco_option *option, int argc, char **argv)
{
    return is_among(option->flag, argc, argv);
}

bool cli_has(const cli_call *call, const char *flag)
{
    return is_among(flag, call->argc, call->argv);
}

// Letters to insert, delete, replace or swap with a neighbour until `a` is `b`, at most `most` + 1. Words beyond ROOM letters are
// unlike any.
static size_t edits(const char *a, const char *b, size_t most)
{
    enum { ROOM = 40 };
    size_t rows[3][ROOM + 1];
    const size_t m = strlen(a), n = strlen(b);
    if (m > ROOM || n > ROOM)
        return most + 1;
    for (size_t j = 0; j <= n; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *two_before = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t least = before[j - 1] + (a[i - 1] != b[j - 1]);
            least = before[j] + 1 < least ? before[j] + 1 : least;
            least = now[j - 1] + 1 < least ? now[j - 1] + 1 : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && two_before[j - 2] + 1 < least)
                least = two_before[j - 2] + 1;
            now[j] = least;
        }
    }
    return rows[m % 3][n] < most ? rows[m % 3][n] : most + (rows[m % 3][n] > most);
}

bool cli_is_likely(const char *typed, const char *word, size_t *least)
{
    const size_t size = strlen(typed), begin = strspn(word, "-");
    // A beginning of three letters and more, else as many slips as a word of this length may have.
    const bool is_beginning = size >= begin + 3 && strncmp(typed, word, size) == 0;
    const size_t most = size > begin + 5 ? 2 : 1, found = is_beginning ? 0 : edits(typed, word, most);
    if (found > most || found >= *least)
        return false;
    *least = found;
    return true;
}

// Of flags with the same beginning the shortest was meant.
static bool is_shorter(const char *name, const char *flag, const char *best)
{
    const size_t size = strlen(name);
    return best != NULL && strncmp(name, best, size) == 0 && strncmp(name, flag, size) == 0 && strlen(flag) < strlen(best);
}

// The flag that was meant, for the message; NULL where none is likely.
static const char *nearest_flag(const cli_arguments *a, const char *typed)
{
    const char *best = NULL;
    size_t least = SIZE_MAX;
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(typed, "="), typed);
    for (const mco_option_values *v = a->tables; v->table != NULL; v++)
        for (size_t i = 0; i < v->table->count; i++) {
            const char *flag = v->table->options[i].flag;
            if (cli_is_likely(name, flag, &least) || (least == 0 && is_shorter(name, flag, best)))
                best = flag;
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
    call->argc = argc;
    call->argv = argv;
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
