// SPDX-License-Identifier: MIT
#include "base/options.h"

#include <math.h>
#include <string.h>

static const void *field_of(const mco_option *o, const void *params)
{
    return (const char *)params + o->offset;
}

const char *mco_option_choice(const mco_option *option, int index, char *out, size_t size)
{
    const char *name = option != NULL ? option->choices : NULL;
    if (name == NULL || out == NULL)
        return NULL;
    for (; index > 0 && name[0] != '\0'; index--) {
        name += strcspn(name, "|");
        name += strspn(name, "|");
    }
    if (name[0] == '\0' || index < 0)
        return NULL;
    snprintf(out, size, "%.*s", (int)strcspn(name, "|"), name);
    return out;
}

// The choices for study as "|a|b", or "" if there are none.
static const char *study_choices(const mco_option *o)
{
    const char *study = strstr(o->choices, "||");
    return study != NULL ? study + 1 : "";
}

// Length in bytes of the choices for users: those before "||".
static int user_choices(const mco_option *o)
{
    const char *study = strstr(o->choices, "||");
    return (int)(study != NULL ? (size_t)(study - o->choices) : strlen(o->choices));
}

static bool choice_index(const mco_option *o, const char *value, int *out)
{
    char name[32];
    for (int i = 0; mco_option_choice(o, i, name, sizeof name) != NULL; i++)
        if (strcmp(name, value) == 0) {
            *out = i;
            return true;
        }
    return false;
}

// Reads a number in the option's range. "inf" is a number where the range is endless. Where infinity itself means "not
// given", so that a solver may choose an end of its own, "inf" gives MCO_NO_LIMIT.
static bool read_real(const mco_option *o, const char *value, double *out)
{
    if (isinf(o->high) && strcmp(value, "inf") == 0) {
        *out = isinf(o->unset) ? MCO_NO_LIMIT : (double)INFINITY;
        return true;
    }
    return mco_parse_real(value, o->low, o->high, out);
}

mco_status mco_option_set(mco_context *ctx, const mco_option *option, void *params, const char *value)
{
    void *field = (char *)params + option->offset;
    switch (option->kind) {
    case MCO_OPTION_INTEGER:
        if (mco_parse_integer(value, (int64_t)option->low, (int64_t)option->high, field))
            return MCO_OK;
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is \"%s\", an integer from %.0f to %.0f was expected",
                        option->flag, value, option->low, option->high);
    case MCO_OPTION_REAL:
        if (read_real(option, value, field))
            return MCO_OK;
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is \"%s\", a number from %g to %g was expected", option->flag,
                        value, option->low, option->high);
    case MCO_OPTION_CHOICE:
        if (choice_index(option, value, field))
            return MCO_OK;
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is \"%s\", one of %.*s was expected", option->flag, value,
                        user_choices(option), option->choices);
    case MCO_OPTION_TEXT:
        *(const char **)field = value;
        return MCO_OK;
    case MCO_OPTION_FLAG:
        if (value != NULL && strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is \"%s\", 0 or 1 was expected", option->flag, value);
        *(int *)field = value == NULL || value[0] == '1';
        return MCO_OK;
    }
    return MCO_ERR_INTERNAL;
}

const mco_option *mco_options_find(const mco_option_table *table, const char *name)
{
    if (table == NULL || name == NULL)
        return NULL;
    name += strncmp(name, "--", 2) == 0 ? 2 : 0;
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->options[i].flag + 2, name) == 0)
            return &table->options[i];
    return NULL;
}

mco_status mco_options_set(mco_context *ctx, const mco_option_table *table, void *params, const char *name, const char *value)
{
    size_t size;
    if (table == NULL || params == NULL || name == NULL || value == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_option *option = mco_options_find(table, name);
    if (option == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "no option is named \"%s\"", name);
    // The caller's struct may be an older, smaller version.
    memcpy(&size, params, sizeof size);
    if (option->offset >= size)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the struct has %zu bytes, %s is behind them", size, option->flag + 2);
    return mco_option_set(ctx, option, params, value);
}

mco_status mco_options_validate(mco_context *ctx, const mco_option_table *table, const void *params)
{
    for (size_t i = 0; i < table->count; i++) {
        const mco_option *o = &table->options[i];
        const void *field = field_of(o, params);
        char name[32];
        double value = 0;
        if (o->kind == MCO_OPTION_INTEGER)
            value = (double)*(const int64_t *)field;
        else if (o->kind == MCO_OPTION_REAL)
            value = *(const double *)field;
        if (o->kind == MCO_OPTION_CHOICE &&
            mco_option_choice(o, *(const int *)field, name, sizeof name) == NULL)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is %d, one of %.*s was expected", o->flag + 2,
                            *(const int *)field, user_choices(o), o->choices);
        if ((o->kind == MCO_OPTION_INTEGER || o->kind == MCO_OPTION_REAL) && value != o->unset &&
            !(value >= o->low && value <= o->high))
            return mco_fail(ctx, MCO_ERR_ARGUMENT,
                            o->kind == MCO_OPTION_INTEGER ? "%s is %.0f, allowed is %.0f to %.0f"
                                                          : "%s is %g, allowed is %g to %g",
                            o->flag + 2, value, o->low, o->high);
    }
    return MCO_OK;
}

// JSON has no infinity: a limit that is none is null, as one that is not given.
static bool is_number(const mco_option *o, double value)
{
    return value != o->unset && !isinf(value) && !(isinf(o->high) && value == MCO_NO_LIMIT);
}

void mco_options_echo(mco_json *json, const mco_option_table *table, const void *params)
{
    for (size_t i = 0; i < table->count; i++) {
        const mco_option *o = &table->options[i];
        const void *field = field_of(o, params);
        const char *key = o->flag + 2;
        char name[32];
        switch (o->kind) {
        case MCO_OPTION_INTEGER:
            if ((double)*(const int64_t *)field == o->unset)
                mco_json_null(json, key);
            else
                mco_json_integer(json, key, *(const int64_t *)field);
            break;
        case MCO_OPTION_REAL:
            mco_json_real(json, key, is_number(o, *(const double *)field) ? *(const double *)field : NAN);
            break;
        case MCO_OPTION_CHOICE:
            mco_json_text(json, key, mco_option_choice(o, *(const int *)field, name, sizeof name));
            break;
        case MCO_OPTION_TEXT: mco_json_text(json, key, *(const char *const *)field); break;
        case MCO_OPTION_FLAG: mco_json_bool(json, key, *(const int *)field != 0); break;
        }
    }
}

static void describe_default(const mco_option *o, const void *defaults, char *buffer, size_t size)
{
    const void *field = field_of(o, defaults);
    char name[32];
    buffer[0] = '\0';
    if (o->kind == MCO_OPTION_INTEGER && (double)*(const int64_t *)field != o->unset)
        snprintf(buffer, size, " [%lld]", (long long)*(const int64_t *)field);
    else if (o->kind == MCO_OPTION_REAL && *(const double *)field != o->unset)
        snprintf(buffer, size, " [%g]", *(const double *)field);
    else if (o->kind == MCO_OPTION_CHOICE)
        snprintf(buffer, size, " [%s]", mco_option_choice(o, *(const int *)field, name, sizeof name));
}

void mco_options_help(FILE *file, const mco_option_table *table, const void *defaults, bool has_study)
{
    enum { COLUMN = 28 };
    const size_t count = has_study ? table->count : table->user_count;
    for (size_t i = 0; i < count; i++) {
        const mco_option *o = &table->options[i];
        char value[64];
        describe_default(o, defaults, value, sizeof value);
        int used = fprintf(file, "  %s", o->flag);
        if (o->kind == MCO_OPTION_CHOICE)
            used += fprintf(file, " %.*s%s", user_choices(o), o->choices, has_study ? study_choices(o) : "");
        else if (o->argument != NULL)
            used += fprintf(file, " %s", o->argument);
        if (used >= COLUMN) {
            fputc('\n', file);
            used = 0;
        }
        fprintf(file, "%*s%s%s\n", COLUMN - used, "", o->help, value);
    }
}
