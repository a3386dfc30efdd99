// SPDX-License-Identifier: MIT
// The cycles as products. The layers are kept; a pass from the last layer to the first counts the completions of each state and cuts
// dead children off; one from the first to the last counts the ways to each state. Then the layers are cut where the lists are
// shortest: a cycle that passes a state there is a way to this state (left) or'ed with a completion (right). Cycles that close
// before the cut are listed as they are. With limits of length the lists of a state are in order of length, and each length
// of its left list has a segment with the right rows that fit: they are neighbours.
#include <string.h>

#include "base/grow.h"
#include "cycles/frontier.h"

enum { STATES_PER_LOOK = 64 };  // of the cut, whose lists are sorted, between two looks at the clock

typedef struct factors_work {
    cycles_job *job;
    cycles_frontier *frontier;
    cycles_factors *out;
    double **back;          // [vertices + 1] for each layer, [states] completions; above 2^53 not exact, which no memory holds
    double *ways, *next_ways;  // [states of the largest layer]
    double *cut_ways;       // [states of the largest layer] of the best cut so far
    int32_t cut;
    double left, right, single;  // rows
    int64_t *cursor;        // [states at the cut + 1] places in a list
    int64_t *first;         // [vertices + 2] number of the first state of each layer, among all states
    int32_t *jump;          // [all states] where a state leads without a choice
    uint64_t *via;          // [all states * words] the vertices that are taken on the way
    uint64_t *stack;        // [(vertices + 2) * words] rows of the walk
    int32_t *stack_to;      // [vertices + 2] where they are
    int32_t *branch_to;     // [2 * branches] where a branch leads without its vertex, and with it
    uint64_t *branch_via;   // [2 * branches * words] what is taken on the way
    int64_t branches;
    bool has_limits;
    int64_t looks;
} factors_work;

void cycles_factors_clear(mco_context *ctx, cycles_factors *factors)
{
    mco_free(ctx, &factors->segment);
    mco_free(ctx, &factors->left);
    mco_free(ctx, &factors->right);
    mco_free(ctx, &factors->single);
    *factors = (cycles_factors){0};
}

// ---- Counts of ways and completions

// Counts the completions of the states of layer i and makes dead children FRONTIER_DEAD.
static void count_completions(factors_work *w, int32_t i)
{
    const frontier_layer *layer = &w->frontier->layer[i];
    const double *next = w->back[i + 1];
    for (int64_t s = 0; s < layer->states; s++) {
        frontier_child *child = &layer->child[s];
        const double skip = child->skip >= 0 ? next[child->skip] : 0;
        const double take = child->take >= 0 ? next[child->take] : child->take == FRONTIER_CLOSED;
        child->skip = skip > 0 ? child->skip : FRONTIER_DEAD;
        child->take = take > 0 ? child->take : FRONTIER_DEAD;
        w->back[i][s] = skip + take;
    }
}

// Adds the ways of layer i to those of the next layer, and returns how many cycles close there.
static double count_ways(factors_work *w, int32_t i)
{
    const frontier_layer *layer = &w->frontier->layer[i];
    double closed = 0;
    memset(w->next_ways, 0, (size_t)w->frontier->layer[i + 1].states * sizeof *w->next_ways);
    for (int64_t s = 0; s < layer->states; s++) {
        const frontier_child child = layer->child[s];
        if (child.skip >= 0)
            w->next_ways[child.skip] += w->ways[s];
        if (child.take >= 0)
            w->next_ways[child.take] += w->ways[s];
        closed += child.take == FRONTIER_CLOSED ? w->ways[s] : 0;
    }
    double *swap = w->ways;
    w->ways = w->next_ways;
    w->next_ways = swap;
    return closed;
}

// Chooses the cut with the fewest rows.
static mco_status choose_cut(factors_work *w)
{
    const cycles_frontier *f = w->frontier;
    double closed = 0, fewest = -1;
    w->ways[0] = 1;
    for (int32_t i = 0; i <= f->vertices; i++) {
        double left = 0, right = 0;
        if (mco_run_must_stop(w->job->run, w->job->run->work))
            return MCO_ERR_STOPPED;
        for (int64_t s = 0; s < f->layer[i].states; s++) {
            const bool lives = w->back[i][s] > 0;
            left += lives ? w->ways[s] : 0;
            right += w->back[i][s];
        }
        if (fewest < 0 || left + right + closed < fewest) {
            fewest = left + right + closed;
            w->left = left;
            w->right = right;
            w->single = closed;
            w->cut = i;
            memcpy(w->cut_ways, w->ways, (size_t)f->layer[i].states * sizeof *w->ways);
        }
        if (i < f->vertices)
            closed += count_ways(w, i);
    }
    return MCO_OK;
}

static mco_status count_rows(factors_work *w)
{
    mco_status st = MCO_OK;
    cycles_frontier *f = w->frontier;
    mco_context *ctx = w->job->ctx;
    MCO_TRY(mco_alloc(ctx, &w->back, (int64_t)f->vertices + 1));
    for (int32_t i = 0; i <= f->vertices; i++)
        MCO_TRY(mco_alloc(ctx, &w->back[i], f->layer[i].states));
    MCO_TRY(mco_alloc(ctx, &w->ways, f->most_states));
    MCO_TRY(mco_alloc(ctx, &w->next_ways, f->most_states));
    MCO_TRY(mco_alloc(ctx, &w->cut_ways, f->most_states));
    for (int32_t i = f->vertices - 1; i >= 0; i--) {
        if (mco_run_must_stop(w->job->run, w->job->run->work))
            return MCO_ERR_STOPPED;
        count_completions(w, i);
    }
    MCO_TRY(choose_cut(w));
done:
    return st;
}

// ---- Rows

// Where a state leads without a choice, over states with one live child each: to a branch (its number), to a closing, or to
// state s of the cut (JUMP_ARRIVED - s).
enum { JUMP_CLOSED = -1, JUMP_ARRIVED = -2 };

static inline void copy_row(uint64_t *to, const uint64_t *from, int32_t words)
{
    for (int32_t k = 0; k < words; k++)
        to[k] = from[k];
}

static inline void set_bit(uint64_t *row, int32_t vertex)
{
    row[vertex / 64] |= UINT64_C(1) << (vertex % 64);
}

// Makes a branch of a state with two live children.
static void add_branch(factors_work *w, const frontier_child *child, int64_t next_first, int32_t vertex)
{
    const int32_t words = w->out->words;
    uint64_t *via = w->branch_via + 2 * w->branches * words;
    const int64_t skip = next_first + child->skip, take = next_first + child->take;
    w->branch_to[2 * w->branches] = w->jump[skip];
    copy_row(via, w->via + skip * words, words);
    if (child->take == FRONTIER_CLOSED) {
        w->branch_to[2 * w->branches + 1] = JUMP_CLOSED;
        memset(via + words, 0, (size_t)words * sizeof *via);
    } else {
        w->branch_to[2 * w->branches + 1] = w->jump[take];
        copy_row(via + words, w->via + take * words, words);
    }
    set_bit(via + words, vertex);
    w->branches++;
}

// Sets the jumps of layer i from those of the next layer.
static void make_jumps(factors_work *w, int32_t i)
{
    const frontier_layer *layer = &w->frontier->layer[i];
    const int32_t words = w->out->words;
    for (int64_t s = 0; s < layer->states; s++) {
        const frontier_child child = layer->child[s];
        uint64_t *via = w->via + (w->first[i] + s) * words;
        int32_t *jump = &w->jump[w->first[i] + s];
        memset(via, 0, (size_t)words * sizeof *via);
        if (child.skip == FRONTIER_DEAD && child.take == FRONTIER_DEAD)
            continue;
        if (child.skip != FRONTIER_DEAD && child.take != FRONTIER_DEAD) {
            *jump = (int32_t)w->branches;
            add_branch(w, &child, w->first[i + 1], w->frontier->order[i]);
            continue;
        }
        const int32_t only = child.take == FRONTIER_DEAD ? child.skip : child.take;
        *jump = JUMP_CLOSED;
        if (only != FRONTIER_CLOSED) {
            *jump = w->jump[w->first[i + 1] + only];
            copy_row(via, w->via + (w->first[i + 1] + only) * words, words);
        }
        if (child.take != FRONTIER_DEAD)
            set_bit(via, w->frontier->order[i]);
    }
}

// Appends a row to a list.
static inline void append(uint64_t *list, int64_t at, const uint64_t *row, int32_t words)
{
    copy_row(list + at * words, row, words);
}

// A walk from a state on. What closes goes to a list from *closed_count on; what arrives goes to the left list of its state.
typedef struct walk_begin {
    int64_t state;  // among all states
    uint64_t *closed;
    int64_t *closed_count;
} walk_begin;

// False: the run must stop. `words` is a constant where this is inlined.
static inline bool walk_words(factors_work *w, const walk_begin *begin, int32_t words)
{
    int64_t closed_count = *begin->closed_count;
    int32_t depth = 1;
    copy_row(w->stack, w->via + begin->state * words, words);
    w->stack_to[0] = w->jump[begin->state];
    while (depth > 0) {
        // The row that goes on is on top of the stack; the branch with the vertex waits below it.
        uint64_t *row = w->stack + (int64_t)(--depth) * words;
        int64_t at = w->stack_to[depth];
        if ((++w->looks & 0xffff) == 0 && mco_run_must_stop(w->job->run, w->job->run->work))
            return false;
        for (; at >= 0; row += words) {
            const uint64_t *via = w->branch_via + 2 * at * words;
            for (int32_t k = 0; k < words; k++) {
                row[words + k] = row[k] | via[k];
                row[k] |= via[words + k];
            }
            w->stack_to[depth++] = w->branch_to[2 * at + 1];
            at = w->branch_to[2 * at];
        }
        if (at == JUMP_CLOSED)
            append(begin->closed, closed_count++, row, words);
        else
            append(w->out->left, w->cursor[JUMP_ARRIVED - at]++, row, words);
    }
    *begin->closed_count = closed_count;
    return true;
}

static bool walk(factors_work *w, const walk_begin *begin)
{
    const int32_t words = w->out->words;
    return words == 1 ? walk_words(w, begin, 1) : words == 2 ? walk_words(w, begin, 2) : walk_words(w, begin, words);
}

// ---- Lists and segments

static mco_status allocate_lists(factors_work *w)
{
    mco_status st = MCO_OK;
    mco_context *ctx = w->job->ctx;
    cycles_factors *out = w->out;
    const cycles_frontier *f = w->frontier;
    // A state has two children, completions, a jump with the vertices on the way, and perhaps a branch.
    const double list_bytes = (w->left + w->right + w->single) * 8 * out->words;
    // The stack of a walk has a row for each vertex.
    const double bytes = list_bytes + (double)f->states * (28.0 + 24.0 * out->words) + 8.0 * out->words * (f->vertices + 2.0);
    if (bytes > w->job->memory_bytes)
        return mco_fail(ctx, MCO_ERR_LIMIT, "lists of cycles need %.0f bytes, %.0f are allowed", bytes, w->job->memory_bytes);
    mco_log(ctx, MCO_LOG_INFO, "lists of %.0f prefixes, %.0f suffixes and %.0f cycles take %.0f bytes", w->left, w->right, w->single,
            list_bytes);
    MCO_TRY(mco_alloc(ctx, &out->left, (int64_t)w->left * out->words));
    MCO_TRY(mco_alloc(ctx, &out->right, (int64_t)w->right * out->words));
    MCO_TRY(mco_alloc(ctx, &out->single, (int64_t)w->single * out->words));
    MCO_TRY(mco_alloc(ctx, &w->cursor, f->layer[w->cut].states + 1));
    MCO_TRY(mco_alloc(ctx, &w->stack, ((int64_t)f->vertices + 2) * out->words));
    MCO_TRY(mco_alloc(ctx, &w->stack_to, (int64_t)f->vertices + 2));
    if ((double)w->frontier->bytes < bytes)
        w->frontier->bytes = (int64_t)bytes;
done:
    return st;
}

// Makes the jumps: after the cut to branches and closings, before it to branches and states of the cut.
static mco_status prepare_walks(factors_work *w)
{
    mco_status st = MCO_OK;
    mco_context *ctx = w->job->ctx;
    const cycles_frontier *f = w->frontier;
    if (f->states >= INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "lists of a frontier with %lld states, at most %d are possible", (long long)f->states,
                        INT32_MAX);
    MCO_TRY(mco_alloc(ctx, &w->first, (int64_t)f->vertices + 2));
    MCO_TRY(mco_alloc(ctx, &w->jump, f->states));
    MCO_TRY(mco_alloc(ctx, &w->via, f->states * w->out->words));
    MCO_TRY(mco_alloc(ctx, &w->branch_to, 2 * f->states));
    MCO_TRY(mco_alloc(ctx, &w->branch_via, 2 * f->states * w->out->words));
    for (int32_t i = 0; i <= f->vertices; i++)
        w->first[i + 1] = w->first[i] + f->layer[i].states;
done:
    return st;
}

// Sets the jumps of the layers from..to-1. States of layer `to` are where walks arrive.
static mco_status jump_layers(factors_work *w, int32_t from, int32_t to)
{
    const int64_t states = w->frontier->layer[to].states;
    w->branches = 0;
    for (int64_t s = 0; s < states; s++)
        w->jump[w->first[to] + s] = (int32_t)(JUMP_ARRIVED - s);
    memset(w->via + w->first[to] * w->out->words, 0, (size_t)(states * w->out->words) * sizeof *w->via);
    for (int32_t i = to - 1; i >= from; i--) {
        if (mco_run_must_stop(w->job->run, w->job->run->work))
            return MCO_ERR_STOPPED;
        make_jumps(w, i);
    }
    return MCO_OK;
}

// Fills the lists. A state of the cut has its rows together.
static mco_status fill_lists(factors_work *w)
{
    mco_status st = MCO_OK;
    const cycles_frontier *f = w->frontier;
    const int64_t states = f->layer[w->cut].states;
    cycles_factors *out = w->out;
    for (int64_t s = 0; s < states; s++) {
        w->cursor[s] = out->left_count;
        out->left_count += w->back[w->cut][s] > 0 ? (int64_t)w->cut_ways[s] : 0;
    }
    MCO_TRY(jump_layers(w, w->cut, f->vertices));
    for (int64_t s = 0; s < states; s++) {
        const walk_begin begin = {w->first[w->cut] + s, out->right, &out->right_count};
        if (w->back[w->cut][s] > 0 && !walk(w, &begin))
            return MCO_ERR_STOPPED;
    }
    MCO_TRY(jump_layers(w, 0, w->cut));
    const walk_begin begin = {0, out->single, &out->single_count};
    if (w->back[0][0] > 0 && !walk(w, &begin))
        return MCO_ERR_STOPPED;
done:
    return st;
}

static int32_t length_of(const uint64_t *row, int32_t words)
{
    int32_t length = 0;
    for (int32_t k = 0; k < words; k++)
        length += __builtin_popcountll(row[k]);
    return length;
}

// Sorts rows [count] by length. first: [vertices + 2] receives where each length begins. sorted: [count * words] scratch.
static void sort_rows(uint64_t *rows, int64_t count, int32_t words, int32_t vertices, int64_t *first, uint64_t *sorted)
{
    memset(first, 0, ((size_t)vertices + 2) * sizeof *first);
    for (int64_t k = 0; k < count; k++)
        first[length_of(rows + k * words, words) + 1]++;
    for (int32_t length = 0; length <= vertices; length++)
        first[length + 1] += first[length];
    for (int64_t k = 0; k < count; k++)
        append(sorted, first[length_of(rows + k * words, words)]++, rows + k * words, words);
    for (int32_t length = vertices; length >= 0; length--)
        first[length + 1] = first[length];
    first[0] = 0;
    memcpy(rows, sorted, (size_t)(count * words) * sizeof *rows);
}

static mco_status add_segment(factors_work *w, int64_t *room, cycles_segment segment)
{
    mco_status st = MCO_OK;
    cycles_factors *out = w->out;
    int64_t cycles;
    MCO_TRY(mco_grow(w->job->ctx, &out->segment, room, out->segments + 1));
    out->segment[out->segments++] = segment;
    if (__builtin_mul_overflow(segment.left_count, segment.right_count, &cycles) ||
        __builtin_add_overflow(out->cycles, cycles, &out->cycles))
        out->cycles = INT64_MAX;
done:
    return st;
}

// Scratch of sorting.
typedef struct sort_room {
    int64_t *left_first, *right_first;  // [vertices + 2]
    uint64_t *sorted;                   // [rows of the longest list * words]
} sort_room;

// Makes the segments of one state with limits of length: for each length of the left rows, the right rows that fit.
static mco_status add_limited(factors_work *w, int64_t *room, cycles_segment all, sort_room *sort)
{
    mco_status st = MCO_OK;
    cycles_factors *out = w->out;
    const int32_t n = w->frontier->vertices, least = w->job->min_length, most = w->job->max_length;
    sort_rows(out->left + all.left * out->words, all.left_count, out->words, n, sort->left_first, sort->sorted);
    sort_rows(out->right + all.right * out->words, all.right_count, out->words, n, sort->right_first, sort->sorted);
    for (int32_t length = 0; length <= n && length <= most; length++) {
        const int64_t left = sort->left_first[length], left_end = sort->left_first[length + 1];
        const int64_t right = sort->right_first[least > length ? least - length : 0];
        const int64_t right_end = sort->right_first[most - length < n ? most - length + 1 : n + 1];
        if (left < left_end && right < right_end)
            MCO_TRY(add_segment(w, room, (cycles_segment){all.left + left, left_end - left, all.right + right, right_end - right}));
    }
done:
    return st;
}

// Keeps the single rows within the limits.
static void limit_single(factors_work *w)
{
    cycles_factors *out = w->out;
    int64_t count = 0;
    for (int64_t k = 0; k < out->single_count; k++) {
        const int32_t length = length_of(out->single + k * out->words, out->words);
        if (length >= w->job->min_length && length <= w->job->max_length)
            append(out->single, count++, out->single + k * out->words, out->words);
    }
    out->single_count = count;
}

static mco_status make_segments(factors_work *w)
{
    mco_status st = MCO_OK;
    mco_context *ctx = w->job->ctx;
    const int64_t n = w->frontier->vertices, states = w->frontier->layer[w->cut].states;
    int64_t room = 0, longest = 0;
    cycles_segment all = {0};
    sort_room sort = {0};
    for (int64_t s = 0; s < states && w->has_limits; s++) {
        const double most = w->back[w->cut][s] > w->cut_ways[s] ? w->back[w->cut][s] : w->cut_ways[s];
        longest = w->back[w->cut][s] > 0 && most > (double)longest ? (int64_t)most : longest;
    }
    MCO_TRY(mco_alloc(ctx, &sort.left_first, n + 2));
    MCO_TRY(mco_alloc(ctx, &sort.right_first, n + 2));
    MCO_TRY(mco_alloc(ctx, &sort.sorted, longest * w->out->words));
    for (int64_t s = 0; s < states; s++) {
        if (s % STATES_PER_LOOK == 0 && mco_run_must_stop(w->job->run, w->job->run->work)) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
        if (w->back[w->cut][s] <= 0)
            continue;
        all.left_count = (int64_t)w->cut_ways[s];
        all.right_count = (int64_t)w->back[w->cut][s];
        MCO_TRY(w->has_limits ? add_limited(w, &room, all, &sort) : add_segment(w, &room, all));
        all.left += all.left_count;
        all.right += all.right_count;
    }
    if (w->has_limits)
        limit_single(w);
    if (__builtin_add_overflow(w->out->cycles, w->out->single_count, &w->out->cycles))
        w->out->cycles = INT64_MAX;
done:
    mco_free(ctx, &sort.sorted);
    mco_free(ctx, &sort.right_first);
    mco_free(ctx, &sort.left_first);
    return st;
}

static void clear_work(factors_work *w)
{
    mco_context *ctx = w->job->ctx;
    mco_free(ctx, &w->stack_to);
    mco_free(ctx, &w->stack);
    mco_free(ctx, &w->branch_via);
    mco_free(ctx, &w->branch_to);
    mco_free(ctx, &w->via);
    mco_free(ctx, &w->jump);
    mco_free(ctx, &w->first);
    mco_free(ctx, &w->cursor);
    mco_free(ctx, &w->cut_ways);
    mco_free(ctx, &w->next_ways);
    mco_free(ctx, &w->ways);
    for (int32_t i = 0; w->back != NULL && i <= w->frontier->vertices; i++)
        mco_free(ctx, &w->back[i]);
    mco_free(ctx, &w->back);
}

mco_status frontier_factors(cycles_job *job, cycles_frontier *frontier, cycles_factors *out)
{
    mco_status st = MCO_OK;
    cycles_factors factors = {.words = (frontier->vertices + 63) / 64};
    factors_work w = {.job = job, .frontier = frontier, .out = &factors};
    w.has_limits = job->min_length > 4 || job->max_length < frontier->vertices;
    MCO_TRY(frontier_keep_layers(job, frontier));
    MCO_TRY(count_rows(&w));
    MCO_TRY(allocate_lists(&w));
    MCO_TRY(prepare_walks(&w));
    MCO_TRY(fill_lists(&w));
    MCO_TRY(make_segments(&w));
    *out = factors;
    factors = (cycles_factors){0};
done:
    clear_work(&w);
    cycles_factors_clear(job->ctx, &factors);
    return st;
}

mco_status cycles_frontier_factors(cycles_job *job, cycles_frontier *frontier, cycles_factors *out)
{
    const mco_status st = frontier_factors(job, frontier, out);
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}
