// SPDX-License-Identifier: MIT
// Automata: a text of few lines becomes tables of states and labels.
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/output.h"
#include "base/text.h"
#include "paths/multimodal/multimodal.h"

// ---- Text: "states A B", "start A", "final B", "move A LABEL B", "pace A FACTOR"; # begins a comment.

typedef struct reader {
    mco_context *ctx;
    mco_text *text;
    const mco_multimodal *network;
    mco_automaton *automaton;
} reader;

static int32_t find_name(char **names, int32_t count, mco_slice word)
{
    for (int32_t k = 0; k < count; k++)
        if (strlen(names[k]) == word.size && memcmp(names[k], word.data, word.size) == 0)
            return k;
    return -1;
}

static mco_status fail_name(reader *r, mco_slice line, mco_slice word, const char *what)
{
    if (word.size == 0)
        return mco_text_fail(r->text, line.line, line.column, "the line lacks a %s", what);
    return mco_text_fail(r->text, word.line, word.column, "\"%.*s\" is no %s", mco_slice_shown(word), word.data, what);
}

static mco_status take_state(reader *r, mco_slice line, mco_slice *rest, int32_t *state)
{
    mco_slice word = {0};
    mco_slice_token(rest, &word);
    *state = find_name(r->automaton->name, r->automaton->states, word);
    return *state >= 0 ? MCO_OK : fail_name(r, line, word, "state");
}

// A line has no words behind those that it needs.
static mco_status end_line(reader *r, mco_slice rest)
{
    mco_slice word;
    if (!mco_slice_token(&rest, &word))
        return MCO_OK;
    return mco_text_fail(r->text, word.line, word.column, "\"%.*s\" is one word too many", mco_slice_shown(word), word.data);
}

static mco_status take_states(reader *r, mco_slice line, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_automaton *m = r->automaton;
    mco_slice word, list = rest;
    size_t bytes = MCO_MULTIMODAL_MAX_STATES * sizeof(char *) + rest.size + MCO_MULTIMODAL_MAX_STATES;
    if (m->name != NULL)
        return mco_text_fail(r->text, line.line, line.column, "a second line \"states\"");
    MCO_TRY(mco_alloc_bytes(r->ctx, (void **)&m->name, bytes, 1));
    char *next = (char *)(m->name + MCO_MULTIMODAL_MAX_STATES);
    while (mco_slice_token(&list, &word)) {
        if (find_name(m->name, m->states, word) >= 0)
            return mco_text_fail(r->text, word.line, word.column, "the state \"%.*s\" is there twice", mco_slice_shown(word), word.data);
        if (m->states == MCO_MULTIMODAL_MAX_STATES)
            return mco_text_fail(r->text, word.line, word.column, "more than %d states", MCO_MULTIMODAL_MAX_STATES);
        m->name[m->states] = memcpy(next, word.data, word.size);
        m->pace[m->states++] = 1 << MM_PACE_BITS;
        next += word.size + 1;  // the block is zero, so the name ends here
    }
done:
    return st;
}

static mco_status take_set(reader *r, mco_slice line, mco_slice rest, uint32_t *set)
{
    mco_status st = MCO_OK;
    mco_slice more = rest, word;
    int32_t state;
    do {
        MCO_TRY(take_state(r, line, &rest, &state));
        *set |= (uint32_t)1 << state;
        more = rest;
    } while (mco_slice_token(&more, &word));
done:
    return st;
}

static mco_status take_move(reader *r, mco_slice line, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_slice word = {0};
    int32_t from, to;
    MCO_TRY(take_state(r, line, &rest, &from));
    mco_slice_token(&rest, &word);
    const int32_t label = find_name(r->network->label_name, r->network->labels, word);
    if (label < 0)
        return fail_name(r, line, word, "label of the network");
    MCO_TRY(take_state(r, line, &rest, &to));
    MCO_TRY(end_line(r, rest));
    r->automaton->next[from * r->automaton->labels + label] |= (uint32_t)1 << to;
done:
    return st;
}

static mco_status take_pace(reader *r, mco_slice line, mco_slice rest)
{
    mco_status st = MCO_OK;
    mco_slice word = {0};
    int32_t state;
    double factor;
    MCO_TRY(take_state(r, line, &rest, &state));
    mco_slice_token(&rest, &word);
    if (word.size == 0)
        return fail_name(r, line, word, "factor");
    MCO_TRY(mco_slice_real(r->text, word, "the pace", 1.0 / (1 << MM_PACE_BITS), 127, &factor));
    MCO_TRY(end_line(r, rest));
    r->automaton->pace[state] = (int32_t)nearbyint(factor * (1 << MM_PACE_BITS));
done:
    return st;
}

static mco_status read_line(reader *r, mco_slice line)
{
    static const char *const words[] = {"states", "start", "final", "move", "pace"};
    mco_status st = MCO_OK;
    mco_slice word, rest = line;
    int kind;
    mco_slice_token(&rest, &word);
    MCO_TRY(mco_slice_find(r->text, word, "the line begins with", words, 5, &kind));
    if (kind > 0 && r->automaton->name == NULL)
        return mco_text_fail(r->text, line.line, line.column, "the line \"states\" must come first");
    switch (kind) {
    case 0:
        return take_states(r, line, rest);
    case 1:
        return take_set(r, line, rest, &r->automaton->start);
    case 2:
        return take_set(r, line, rest, &r->automaton->final);
    case 3:
        return take_move(r, line, rest);
    default:
        return take_pace(r, line, rest);
    }
done:
    return st;
}

static mco_slice without_comment(mco_slice line)
{
    const char *comment = line.size > 0 ? memchr(line.data, '#', line.size) : NULL;
    if (comment != NULL)
        line.size = (size_t)(comment - line.data);
    return mco_slice_trim(line);
}

static mco_status read_lines(reader *r)
{
    mco_status st = MCO_OK;
    mco_slice line;
    for (int64_t lines = 1; mco_text_line(r->text, &line); lines++) {
        MCO_TRY(mco_text_in_time(r->text, lines));
        line = without_comment(line);
        if (line.size > 0)
            MCO_TRY(read_line(r, line));
    }
    if (r->automaton->start == 0)
        return mco_text_fail_here(r->text, "the automaton has no start state, a line \"start\" names it");
    if (r->automaton->final == 0)
        return mco_text_fail_here(r->text, "the automaton has no final state, a line \"final\" names it");
done:
    return st;
}

// ---- Automata

static mco_status open_automaton(mco_context *ctx, const mco_multimodal *network, mco_automaton **out)
{
    mco_status st = MCO_OK;
    mco_automaton *m = NULL;
    MCO_TRY(mco_alloc(ctx, &m, 1));
    m->labels = network->labels;
    MCO_TRY(mco_alloc(ctx, &m->next, (int64_t)MCO_MULTIMODAL_MAX_STATES * m->labels));
    MCO_TRY(mco_alloc(ctx, &m->pace, MCO_MULTIMODAL_MAX_STATES));
    *out = m;
    m = NULL;
done:
    mco_automaton_destroy(ctx, &m);
    return st;
}

static mco_status test_paces(mco_context *ctx, const mco_multimodal *network, const mco_automaton *m)
{
    mco_status st = MCO_OK;
    for (int32_t q = 0; q < m->states; q++)
        MCO_TRY(mm_test_fifo(ctx, network, m->pace[q], m->name[q]));
done:
    return st;
}

static mco_status read_text(mco_context *ctx, const mco_multimodal *network, mco_text *text, mco_automaton **out)
{
    mco_status st = MCO_OK;
    mco_automaton *m = NULL;
    MCO_TRY(open_automaton(ctx, network, &m));
    reader r = {.ctx = ctx, .text = text, .network = network, .automaton = m};
    MCO_TRY(read_lines(&r));
    MCO_TRY(test_paces(ctx, network, m));
    *out = m;
    m = NULL;
done:
    mco_automaton_destroy(ctx, &m);
    return st;
}

mco_status mco_automaton_read(mco_context *ctx, const mco_multimodal *network, const char *path, mco_automaton **out)
{
    mco_status st = MCO_OK;
    mco_text text = {0};
    if (ctx == NULL || network == NULL || path == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(mco_text_open(ctx, path, &text));
    MCO_TRY(read_text(ctx, network, &text, out));
done:
    mco_text_close(&text);
    mco_clear_cancel(ctx);
    return st;
}

void mco_automaton_destroy(mco_context *ctx, mco_automaton **automaton)
{
    if (automaton == NULL || *automaton == NULL)
        return;
    mco_free(ctx, &(*automaton)->name);
    mco_free(ctx, &(*automaton)->next);
    mco_free(ctx, &(*automaton)->pace);
    mco_free(ctx, automaton);
}

int32_t mco_automaton_states(const mco_automaton *automaton)
{
    return automaton != NULL ? automaton->states : 0;
}

const char *mco_automaton_state_name(const mco_automaton *automaton, int32_t state)
{
    return automaton != NULL && state >= 0 && state < automaton->states ? automaton->name[state] : NULL;
}

static void write_set(const mco_automaton *m, const char *word, uint32_t set, FILE *file)
{
    fputs(word, file);
    for (; set != 0; set &= set - 1)
        fprintf(file, " %s", m->name[__builtin_ctz(set)]);
    fputc('\n', file);
}

mco_status mco_automaton_write(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, const char *path)
{
    mco_status st = MCO_OK;
    mco_output out = {0};
    if (ctx == NULL || network == NULL || automaton == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    const mco_automaton *m = automaton;
    MCO_TRY(mco_output_open(ctx, path, &out));
    write_set(m, "states", (uint32_t)(((uint64_t)1 << m->states) - 1), out.file);
    write_set(m, "start", m->start, out.file);
    write_set(m, "final", m->final, out.file);
    for (int32_t q = 0; q < m->states; q++)
        for (int32_t l = 0; l < m->labels; l++)
            for (uint32_t next = m->next[q * m->labels + l]; next != 0; next &= next - 1)
                fprintf(out.file, "move %s %s %s\n", m->name[q], network->label_name[l], m->name[__builtin_ctz(next)]);
    for (int32_t q = 0; q < m->states; q++) {
        fprintf(out.file, "pace %s ", m->name[q]);
        mco_write_number((double)m->pace[q] / (1 << MM_PACE_BITS), out.file);
        fputc('\n', out.file);
    }
    MCO_TRY(mco_output_commit(ctx, &out, false));
done:
    mco_output_discard(&out);
    return st;
}

// ---- Automata of generated networks. Labels: street, avenue, layer1 to layer4, up, down.

// The state behind a label: all states use streets, state q rides on the first q layers; up leads to the next state, down to the
// one before. -1: none.
static int32_t state_behind(int32_t state, int32_t label, int32_t states)
{
    enum { FIRST_LAYER = 2, UP = 6, DOWN = 7 };
    if (label == UP)
        return state + 1 < states ? state + 1 : -1;
    if (label == DOWN)
        return state - 1;
    return label - FIRST_LAYER < state ? state : -1;
}

// State 0 walks, four times as slow as the others; of these, every second one is a slow vehicle.
static int32_t pace_of(int32_t state)
{
    if (state == 0)
        return 4 << MM_PACE_BITS;
    return state % 2 == 1 ? 1 << MM_PACE_BITS : 3 << (MM_PACE_BITS - 1);
}

mco_status mco_automaton_generate(mco_context *ctx, const mco_multimodal *network, int32_t states, mco_automaton **out)
{
    enum { LABELS = 8, NAME = 4, MOST = 8 };
    mco_status st = MCO_OK;
    mco_automaton *m = NULL;
    if (ctx == NULL || network == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (states < 1 || states > MOST || network->labels != LABELS)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d states and %d labels, 1 to %d states and the %d labels of a generated network were expected",
                        states, network->labels, (int)MOST, (int)LABELS);
    MCO_TRY(open_automaton(ctx, network, &m));
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&m->name, (size_t)states * (sizeof(char *) + NAME), 1));
    m->states = states;
    m->start = 1;
    m->final = (uint32_t)(((uint64_t)1 << states) - 1);
    for (int32_t q = 0; q < states; q++) {
        m->name[q] = (char *)(m->name + states) + q * NAME;
        m->name[q][0] = 'q';
        m->name[q][1] = (char)('0' + q);
        m->pace[q] = pace_of(q);
        for (int32_t l = 0; l < LABELS; l++)
            if (state_behind(q, l, states) >= 0)
                m->next[q * LABELS + l] = (uint32_t)1 << state_behind(q, l, states);
    }
    MCO_TRY(test_paces(ctx, network, m));
    *out = m;
    m = NULL;
done:
    mco_automaton_destroy(ctx, &m);
    return st;
}
