// SPDX-License-Identifier: MIT
// The help of a problem, from the tables of its actions.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

// The tables whose options are already in the help, and whether some options were left out.
typedef struct shown {
    const mco_option_table *tables[32];
    size_t count;
    bool has_study, has_hidden;
} shown;

static bool is_shown(shown *s, const mco_option_table *table)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->tables[i] == table)
            return true;
    if (s->count < sizeof s->tables / sizeof s->tables[0])
        s->tables[s->count++] = table;
    s->has_hidden |= !s->has_study && table->user_count < table->count;
    return false;
}

static void name_options(FILE *file, const mco_option_table *table, bool has_study)
{
    fputs("  as above:", file);
    for (size_t i = 0; i < (has_study ? table->count : table->user_count); i++)
        fprintf(file, " %s", table->options[i].flag);
    fputc('\n', file);
}

static void help_action(FILE *file, const cli_action *a, shown *seen)
{
    mco_option_values tables[CLI_TABLES] = {{NULL, NULL}};
    cli_output_options outputs;
    cli_outputs none = {0};
    void *state = calloc(1, a->state_bytes);
    if (state == NULL)
        return;
    cli_begin_state(a, state, tables);
    fprintf(file, "\n%s:%s%s\n", a->name, a->text != NULL ? " " : "", a->text != NULL ? a->text : "");
    for (size_t i = 0; i < CLI_TABLES && tables[i].table != NULL; i++)
        if (is_shown(seen, tables[i].table))
            name_options(file, tables[i].table, seen->has_study);
        else
            mco_options_help(file, tables[i].table, tables[i].params, seen->has_study);
    cli_make_output_options(a, &outputs);
    mco_options_help(file, &outputs.table, &none, true);
    free(state);
}

static void help_csv(FILE *file, const cli_csv *csv)
{
    enum { COLUMN = 23 };
    fprintf(file, "\n%s\n", csv->text);
    for (const cli_column *c = csv->columns; c->name != NULL; c++)
        fprintf(file, "  %-*s %s\n", COLUMN, c->name, c->text);
}

void cli_help_example(FILE *file, const cli_problem *p)
{
    if (p->example != NULL)
        fprintf(file, "  mco %s %s\n", p->name, p->example);
}

void cli_help(FILE *file, const cli_problem *p, bool has_study)
{
    shown seen = {.has_study = has_study};
    fprintf(file, "%s\n\n", p->about);
    for (const cli_action *a = p->actions; a->name != NULL; a++)
        fprintf(file, "  mco %s %-13s %s\n", p->name, a->name, a->arguments);
    if (p->example != NULL)
        fputs("\nexample (" CLI_EXAMPLES "):\n", file);
    cli_help_example(file, p);
    for (const cli_csv *csv = p->csv; csv->text != NULL; csv++)
        help_csv(file, csv);
    fputs("\nDefaults are in brackets.\n", file);
    for (const cli_action *a = p->actions; a->name != NULL; a++)
        help_action(file, a, &seen);
    fputs("\nexit codes: 0 usable result, 1 no solution or check failed, 2 usage, 3 file, 4 memory or device, 5 internal\n", file);
    if (seen.has_hidden)
        fprintf(file, "mco help %s --all shows the options for study too\n", p->name);
}
