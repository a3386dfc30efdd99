// SPDX-License-Identifier: MIT
// The frontier method: plan, layers of states, counts (frontier.h says what a state is). Layer i has the states before step i;
// each state leads to at most two of the next layer. A plain count of 64 bits needs two layers at a time, which carry the ways to
// each state. All else, counts by length, longer counts and lists, keeps the children of every state and works on them.
#include <string.h>

#include "base/grow.h"
#include "cycles/frontier.h"

enum {
    CHUNK = 2048,      // states that are expanded between two looks at the clock and the memory
    LEAST_TABLE = 1024 // entries
};

// ---- The plan

// Sets the slots: those of leaving vertices are free for the vertex that comes. `slot` and `later` are [vertices] scratch; later
// has the neighbours to come, -1 before a vertex is decided.
static void assign_slots(const graph_simple *g, cycles_frontier *f, int32_t *slot, int32_t *later)
{
    bool is_used[FRONTIER_MOST_SLOTS + 1] = {false};
    int64_t near_count = 0;
    for (int32_t v = 0; v < g->vertices; v++)
        later[v] = -1;
    for (int32_t i = 0; i < g->vertices; i++) {
        const int32_t v = f->order[i];
        frontier_step *step = &f->step[i];
        step->vertex = v;
        step->near = near_count;
        for (int64_t a = g->first[v]; a < g->first[v + 1]; a++) {
            const int32_t w = g->head[a];
            if (later[w] < 0)
                continue;
            f->near[near_count++] = (frontier_near){.vertex = w, .slot = slot[w], .later = --later[w]};
            is_used[slot[w]] &= later[w] > 0;
        }
        step->near_count = (int32_t)(near_count - step->near);
        later[v] = step->later = (int32_t)(g->first[v + 1] - g->first[v]) - step->near_count;
        step->slot = -1;
        if (step->later > 0) {
            for (slot[v] = 0; is_used[slot[v]];)
                slot[v]++;
            is_used[slot[v]] = true;
            step->slot = slot[v];
        }
    }
}

// Notes which near vertices are adjacent.
static void find_friends(const graph_simple *g, frontier_step *step, frontier_near *near)
{
    for (int32_t i = 0; i < step->near_count; i++)
        for (int32_t j = 0; j < i; j++)
            if (graph_simple_has(g, near[i].vertex, near[j].vertex)) {
                near[i].friends[j / 64] |= UINT64_C(1) << (j % 64);
                near[j].friends[i / 64] |= UINT64_C(1) << (i % 64);
                step->has_adjacent = true;
            }
}

// Makes the steps, before the first layers only: a caller that only compares the estimates does without. The width fits.
static mco_status make_steps(cycles_job *job, cycles_frontier *f)
{
    mco_status st = MCO_OK;
    int32_t *scratch = NULL;
    const graph_simple *g = &job->block->graph;
    const int64_t n = g->vertices;
    mco_free(job->ctx, &f->near);
    mco_free(job->ctx, &f->step);
    MCO_TRY(mco_alloc(job->ctx, &f->step, n));
    MCO_TRY(mco_alloc(job->ctx, &f->near, g->arcs / 2));
    MCO_TRY(mco_alloc(job->ctx, &scratch, 2 * n));
    assign_slots(g, f, scratch, scratch + n);
    bool is_early = false;
    for (int64_t i = n - 1; i >= 0; i--) {
        find_friends(g, &f->step[i], f->near + f->step[i].near);
        f->step[i].is_early = is_early;
        for (int32_t k = 0; k < job->through_count; k++)
            f->step[i].is_needed |= job->through[k] == f->step[i].vertex;
        is_early |= f->step[i].is_needed;
    }
done:
    mco_free(job->ctx, &scratch);
    return st;
}

// Makes a frontier whose order, width and cost are set by `order`, or chosen if it is NULL.
static mco_status make_frontier(cycles_job *job, const int32_t *order, cycles_frontier **out)
{
    mco_status st = MCO_OK;
    cycles_frontier *f = NULL;
    int32_t *scratch = NULL;
    const graph_simple *g = &job->block->graph;
    MCO_TRY(mco_alloc(job->ctx, &f, 1));
    f->vertices = g->vertices;
    MCO_TRY(mco_alloc(job->ctx, &f->order, g->vertices));
    if (order == NULL) {
        MCO_TRY(frontier_order(job->ctx, job->run, g, f->order, &f->width, &f->cost));
    } else {
        MCO_TRY(mco_alloc(job->ctx, &scratch, g->vertices));
        memcpy(f->order, order, (size_t)g->vertices * sizeof *order);
        f->cost = frontier_cost(g, order, scratch, &f->width);
    }
    *out = f;
    f = NULL;
done:
    mco_free(job->ctx, &scratch);
    cycles_frontier_destroy(job->ctx, &f);
    return st;
}

mco_status frontier_make(cycles_job *job, const int32_t *order, cycles_frontier **out)
{
    return make_frontier(job, order, out);
}

mco_status cycles_frontier_plan(cycles_job *job, cycles_frontier **out, int32_t *width, double *cost)
{
    const mco_status st = make_frontier(job, NULL, out);
    if (st == MCO_OK) {
        *width = (*out)->width;
        *cost = (*out)->cost;
    }
    return st;
}

void cycles_frontier_destroy(mco_context *ctx, cycles_frontier **frontier)
{
    if (frontier == NULL || *frontier == NULL)
        return;
    cycles_frontier *f = *frontier;
    frontier_drop_layers(ctx, f);
    mco_free(ctx, &f->near);
    mco_free(ctx, &f->step);
    mco_free(ctx, &f->order);
    mco_free(ctx, frontier);
}

// ---- Layers

#define DECLARE(set, unit) extern const frontier_lanes frontier_lanes_of_##set;
#define LIST(set, unit) &frontier_lanes_of_##set,
MCO_EACH_SIMD(DECLARE)
static const frontier_lanes *const builds[] = {MCO_EACH_SIMD(LIST)};

mco_status frontier_choose_lanes(mco_context *ctx, const frontier_lanes **out)
{
    return mco_pick(ctx, builds, MCO_SIMD_AUTO, 0, out);
}

// Arrays while layers are made.
typedef struct layers {
    cycles_job *job;
    cycles_frontier *frontier;
    frontier_expand *expand, *rehash;
    int32_t words;
    bool counts;  // else children are kept
    uint64_t *key, *next_key;      // [room * words], [next_room * words]
    uint64_t *count, *next_count;  // [room], [next_room] if counts
    int64_t room, next_room;       // states
    frontier_entry *table;
    int64_t table_room;  // entries, a power of two
    int64_t kept_bytes;  // of children
    uint64_t next_id;    // no entry of the table has this id or a greater one
    frontier_expansion e;
} layers;

static int64_t state_bytes(const layers *l)
{
    return 8 * (l->words + (l->counts ? 1 : 0));
}

// Notes the bytes in use with `more` on top. Errors: LIMIT.
static mco_status account(layers *l, int64_t more)
{
    cycles_frontier *f = l->frontier;
    const int64_t bytes = (l->room + l->next_room) * state_bytes(l) + l->table_room * (int64_t)sizeof *l->table +
                          l->kept_bytes + more;
    if ((double)bytes > l->job->memory_bytes)
        return mco_fail(l->job->ctx, MCO_ERR_LIMIT, "the frontier of %d vertices needs %lld bytes and more, %.0f are allowed",
                        (int)f->width, (long long)bytes, l->job->memory_bytes);
    f->bytes = bytes > f->bytes ? bytes : f->bytes;
    return MCO_OK;
}

// Makes room for `states` states of the next layer. Those that are there stay.
static mco_status grow_next(layers *l, int64_t states)
{
    mco_status st = MCO_OK;
    uint64_t *key = NULL, *count = NULL;
    const int64_t room = states > 2 * l->next_room ? states : 2 * l->next_room;
    if (states <= l->next_room)
        return MCO_OK;
    MCO_TRY(account(l, room * state_bytes(l)));
    MCO_TRY(mco_alloc(l->job->ctx, &key, room * l->words));
    if (l->counts)
        MCO_TRY(mco_alloc(l->job->ctx, &count, room));
    if (l->e.next_states > 0)
        memcpy(key, l->next_key, (size_t)(l->e.next_states * l->words) * sizeof *key);
    if (l->e.next_states > 0 && l->counts)
        memcpy(count, l->next_count, (size_t)l->e.next_states * sizeof *count);
    uint64_t *old_key = l->next_key, *old_count = l->next_count;
    l->e.next_key = l->next_key = key;
    l->e.next_count = l->next_count = count;
    l->next_room = room;
    key = old_key;
    count = old_count;
done:
    mco_free(l->job->ctx, &count);
    mco_free(l->job->ctx, &key);
    return st;
}

// Gives the table at least `entries` entries, a power of two, and puts the states of the next layer there again. Ids grow, so
// that what was in the table counts no more.
static mco_status grow_table(layers *l, int64_t entries)
{
    mco_status st = MCO_OK;
    if (entries > l->table_room) {
        MCO_TRY(account(l, entries * (int64_t)sizeof *l->table));
        mco_free(l->job->ctx, &l->table);
        l->table_room = 0;
        MCO_TRY(mco_alloc(l->job->ctx, &l->table, entries));
        l->table_room = entries;
    }
    l->next_id += (uint64_t)l->e.next_states;
    l->e.first_id = l->next_id;
    l->e.table = l->table;
    l->e.table_mask = (uint64_t)entries - 1;
    l->rehash(&l->e, 0, l->e.next_states);
done:
    return st;
}

// Makes room for the successors of `states` states more: at most half of the table is used.
static mco_status make_room(layers *l, int64_t states)
{
    mco_status st = MCO_OK;
    const int64_t most = l->e.next_states + 2 * states + 1;
    if (most >= INT32_MAX)
        return mco_fail(l->job->ctx, MCO_ERR_LIMIT, "a frontier of %d vertices has more than %d states", (int)l->frontier->width,
                        INT32_MAX);
    MCO_TRY(grow_next(l, most));
    int64_t entries = (int64_t)l->e.table_mask + 1;
    while (entries < 2 * most)
        entries *= 2;
    if (entries > (int64_t)l->e.table_mask + 1)
        MCO_TRY(grow_table(l, entries));
done:
    return st;
}

// Expands layer i of `states` states, and makes the next one the current one.
static mco_status expand_layer(layers *l, int32_t i, int64_t states)
{
    mco_status st = MCO_OK;
    cycles_frontier *f = l->frontier;
    l->e.step = &f->step[i];
    l->e.near = f->near + f->step[i].near;
    l->e.key = l->key;
    l->e.count = l->count;
    l->e.child = f->layer[i].child;
    l->e.next_key = l->next_key;
    l->e.next_count = l->next_count;
    l->e.next_states = 0;
    int64_t entries = LEAST_TABLE;
    while (entries < 3 * states)
        entries *= 2;
    MCO_TRY(grow_table(l, entries));
    for (int64_t from = 0; from < states; from += CHUNK) {
        const int64_t to = states - from < CHUNK ? states : from + CHUNK;
        if (mco_run_must_stop(l->job->run, l->job->run->work))
            return MCO_ERR_STOPPED;
        MCO_TRY(make_room(l, to - from));
        l->expand(&l->e, from, to);
    }
    l->next_id = l->e.first_id + (uint64_t)l->e.next_states;
    uint64_t *key = l->key, *count = l->count;
    const int64_t room = l->room;
    l->key = l->next_key;
    l->count = l->next_count;
    l->room = l->next_room;
    l->next_key = key;
    l->next_count = count;
    l->next_room = room;
done:
    return st;
}

// Prepares layer 0.
static mco_status begin_layers(layers *l)
{
    mco_status st = MCO_OK;
    cycles_frontier *f = l->frontier;
    const frontier_lanes *lanes;
    int kind = 0;
    while (kind < FRONTIER_KEYS && (frontier_slots[kind] < f->width || frontier_words[kind] < f->forced_words))
        kind++;
    if (kind == FRONTIER_KEYS)
        return mco_fail(l->job->ctx, MCO_ERR_LIMIT, "a frontier of %d vertices, at most %d are possible", (int)f->width,
                        FRONTIER_MOST_SLOTS);
    MCO_TRY(make_steps(l->job, f));
    MCO_TRY(frontier_choose_lanes(l->job->ctx, &lanes));
    l->expand = lanes->expand[kind];
    l->rehash = lanes->rehash[kind];
    l->words = frontier_words[kind];
    l->next_id = 1;
    MCO_TRY(grow_next(l, 2 * LEAST_TABLE));
    l->key = l->next_key;
    l->count = l->next_count;
    l->room = l->next_room;
    l->next_key = l->next_count = NULL;
    l->next_room = 0;
    if (l->counts)
        l->count[0] = 1;
    f->states = f->most_states = 0;
    if (f->layer == NULL)
        MCO_TRY(mco_alloc(l->job->ctx, &f->layer, (int64_t)f->vertices + 1));
done:
    return st;
}

static void clear_layers(layers *l)
{
    mco_context *ctx = l->job->ctx;
    mco_free(ctx, &l->table);
    mco_free(ctx, &l->next_count);
    mco_free(ctx, &l->next_key);
    mco_free(ctx, &l->count);
    mco_free(ctx, &l->key);
}

// Makes all layers.
static mco_status make_layers(layers *l)
{
    mco_status st = MCO_OK;
    cycles_frontier *f = l->frontier;
    int64_t states = 1;
    MCO_TRY(begin_layers(l));
    for (int32_t i = 0; i <= f->vertices; i++) {
        f->layer[i].states = states;
        f->states += states;
        f->most_states = states > f->most_states ? states : f->most_states;
        if (i == f->vertices)
            break;
        if (!l->counts) {
            l->kept_bytes += states * (int64_t)sizeof *f->layer[i].child;
            MCO_TRY(account(l, 0));
            MCO_TRY(mco_alloc(l->job->ctx, &f->layer[i].child, states));
        }
        MCO_TRY(expand_layer(l, i, states));
        states = l->e.next_states;
    }
done:
    return st;
}

void frontier_drop_layers(mco_context *ctx, cycles_frontier *f)
{
    for (int32_t i = 0; f->layer != NULL && i <= f->vertices; i++)
        mco_free(ctx, &f->layer[i].child);
    mco_free(ctx, &f->layer);
    f->is_kept = false;
}

mco_status frontier_keep_layers(cycles_job *job, cycles_frontier *frontier)
{
    layers l = {.job = job, .frontier = frontier};
    if (frontier->is_kept)
        return MCO_OK;
    const mco_status st = make_layers(&l);
    clear_layers(&l);
    if (st != MCO_OK)
        frontier_drop_layers(job->ctx, frontier);
    frontier->is_kept = st == MCO_OK;
    return st;
}

// ---- Counts and lists

// Counts with 64 bits and two layers at a time. *is_done: the count fits and is tallied.
static mco_status count_plain(cycles_job *job, cycles_frontier *frontier, bool *is_done)
{
    mco_status st = MCO_OK;
    layers l = {.job = job, .frontier = frontier, .counts = true};
    MCO_TRY(make_layers(&l));
    *is_done = l.e.overflow == 0;
    if (*is_done)
        MCO_TRY(cycles_tally_add_u64(job->tally, 0, l.e.closed));
done:
    clear_layers(&l);
    return st;
}

static mco_status count(cycles_job *job, cycles_frontier *frontier)
{
    mco_status st = MCO_OK;
    bool is_done = false;
    const bool has_limits = job->min_length > 4 || job->max_length < frontier->vertices;
    if (!job->wants_lengths && !has_limits)
        MCO_TRY(count_plain(job, frontier, &is_done));
    if (!is_done) {
        MCO_TRY(frontier_keep_layers(job, frontier));
        MCO_TRY(frontier_count_back(job, frontier));
    }
done:
    return st;
}

static mco_status list(cycles_job *job, cycles_frontier *frontier)
{
    mco_status st = MCO_OK;
    cycles_factors factors = {0};
    MCO_TRY(frontier_factors(job, frontier, &factors));
    frontier_drop_layers(job->ctx, frontier);
    MCO_TRY(frontier_emit(job, &factors));
done:
    cycles_factors_clear(job->ctx, &factors);
    return st;
}

mco_status cycles_frontier_run(cycles_job *job, cycles_frontier *frontier)
{
    mco_status st = job->sink != NULL ? list(job, frontier) : count(job, frontier);
    mco_cycles_result *result = job->result;
    result->width = frontier->width > result->width ? frontier->width : result->width;
    result->states += frontier->states;
    result->bytes = frontier->bytes > result->bytes ? frontier->bytes : result->bytes;
    return st == MCO_ERR_STOPPED ? MCO_OK : st;
}
