// SPDX-License-Identifier: MIT
// The options that a result file states. `check` takes those of the instance from there, unless the user gives them: a
// result is valid for the instance that it was computed for.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "render/report.h"

enum { KEY_ROOM = 32, VALUE_ROOM = 64, FIELD_ROOM = 16 };

typedef struct stated {
    mco_text *text;
    const mco_option_values *tables;  // [CLI_TABLES]
    int argc;
    char **argv;
} stated;

static const mco_option *find(const stated *s, const char *key, void **params)
{
    for (int i = 0; i < CLI_TABLES && s->tables[i].table != NULL; i++) {
        const mco_option *o = mco_options_find(s->tables[i].table, key);
        *params = s->tables[i].params;
        if (o != NULL)
            return o;
    }
    return NULL;
}

// The value as text; "" for null.
static mco_status read_value(mco_text *text, char value[VALUE_ROOM])
{
    if (mco_text_skip_blank(text) && text->data[text->at] == '"')
        return mco_json_read_text(text, value, VALUE_ROOM);
    const mco_slice word = mco_json_peek_word(text);
    const bool is_null = mco_slice_is(word, "null");
    snprintf(value, VALUE_ROOM, "%.*s", is_null || word.size >= VALUE_ROOM ? 0 : (int)word.size, word.data);
    return mco_json_skip(text);
}

static size_t field_size(mco_option_kind kind)
{
    return kind == MCO_OPTION_INTEGER ? sizeof(int64_t) : kind == MCO_OPTION_REAL ? sizeof(double) : sizeof(int);
}

// Sets an option that the user did not give, and says so where that changes something. Texts are paths, which may have
// moved.
static mco_status set(const stated *s, const mco_text *place, const char *key, char *value)
{
    void *params;
    char before[FIELD_ROOM], why[MCO_ERROR_LENGTH];
    mco_context *ctx = s->text->ctx;
    const mco_option *o = find(s, key, &params);
    if (o == NULL || o->kind == MCO_OPTION_TEXT || value[0] == '\0' || cli_is_given(o, s->argc, s->argv))
        return MCO_OK;
    if (o->kind == MCO_OPTION_FLAG)
        snprintf(value, VALUE_ROOM, "%d", strcmp(value, "true") == 0);
    const void *field = (const char *)params + o->offset;
    memcpy(before, field, field_size(o->kind));
    if (mco_option_set(ctx, o, params, value) != MCO_OK) {
        snprintf(why, sizeof why, "%s", mco_context_error(ctx));
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s:%lld: %s", place->name, (long long)place->line, why);
    }
    if (memcmp(before, field, field_size(o->kind)) != 0)
        mco_log(ctx, MCO_LOG_INFO, "%s %s is taken from %s", o->flag, value, place->name);
    return MCO_OK;
}

static mco_status read_options(mco_text *text, void *user)
{
    mco_status st = MCO_OK;
    bool is_first = true, has_next;
    char key[KEY_ROOM], value[VALUE_ROOM];
    MCO_TRY(mco_json_enter(text, '{'));
    for (;;) {
        MCO_TRY(mco_json_next(text, '{', &is_first, &has_next, key, sizeof key));
        if (!has_next)
            break;
        const mco_text place = *text;
        MCO_TRY(read_value(text, value));
        MCO_TRY(set(user, &place, key, value));
    }
done:
    return st;
}

// Whoever reads the solution reports a file that is missing or broken.
mco_status cli_take_stated(mco_context *ctx, const char *problem, const char *path, const mco_option_values *tables, int argc,
                           char **argv)
{
    static const mco_report_member members[] = {{"options", false, read_options}};
    mco_text text;
    if (strcmp(path, "-") == 0 || mco_text_open(ctx, path, &text) != MCO_OK)
        return MCO_OK;
    stated s = {&text, tables, argc, argv};
    mco_status st = MCO_OK;
    if (mco_text_skip_blank(&text) && text.data[text.at] == '{')
        st = mco_report_read(&text, problem, members, 1, &s);
    mco_text_close(&text);
    return st == MCO_ERR_PARSE ? MCO_OK : st;
}
