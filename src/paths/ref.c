// SPDX-License-Identifier: MIT
// Dijkstra's algorithm (1959) with a binary heap, as plain as it can be: the oracle of all other methods.
//
// A state is a vertex. In a network with turns a state is an arc, because what follows depends on the arc on which a path arrives;
// the distance of a vertex is the least label of an arc into it. Labels have 64 bits, so that a distance beyond the limit is seen
// and not wrapped. The heap may hold a state several times; only its least label counts.
#include <inttypes.h>

#include "base/grow.h"
#include "paths/tree.h"

typedef struct entry {
    int64_t label, state;
} entry;

typedef struct search {
    mco_context *ctx;
    mco_run *run;     // NULL: mco_call_in_time() stops it
    int64_t taken;    // from the heap
    const mco_paths_rows *rows;
    int32_t source;
    int32_t *distance;
    int64_t *parent;  // NULL: nobody asks
    int64_t *label;   // [states]
    entry *heap;      // [count]
    int64_t count, room;
} search;

static mco_status push(search *s, int64_t label, int64_t state)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_grow(s->ctx, &s->heap, &s->room, s->count + 1));
    int64_t at = s->count++;
    for (; at > 0 && s->heap[(at - 1) / 2].label > label; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = (entry){label, state};
done:
    return st;
}

static entry pop(search *s)
{
    const entry least = s->heap[0], last = s->heap[--s->count];
    int64_t at = 0;
    for (int64_t child = 1; child < s->count; at = child, child = 2 * at + 1) {
        if (child + 1 < s->count && s->heap[child + 1].label < s->heap[child].label)
            child++;
        if (s->heap[child].label >= last.label)
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = last;
    return least;
}

// Looks at the clock and at requests now and then.
static mco_status go_on(search *s)
{
    enum { LOOK = 4096 };
    s->taken++;
    if (s->run == NULL)
        return mco_call_in_time(s->ctx, s->taken);
    if (s->taken % LOOK != 0 || !mco_run_must_stop(s->run, s->taken))
        return MCO_OK;
    return mco_fail(s->ctx, MCO_ERR_STOPPED, "stopped after %" PRId64 " steps", s->taken);
}

static mco_status reach(search *s, int64_t state, int64_t label)
{
    if (label >= s->label[state])
        return MCO_OK;
    s->label[state] = label;
    return push(s, label, state);
}

// The vertex has its distance: labels leave the heap in ascending order.
static mco_status settle(search *s, int32_t v, int64_t distance, int64_t arc)
{
    if (s->distance[v] != MCO_PATHS_NONE)
        return MCO_OK;
    if (distance >= MCO_PATHS_NONE)
        return mco_fail(s->ctx, MCO_ERR_LIMIT, "vertex %d has distance %" PRId64 ", at most %d is supported; a smaller scale helps", v,
                        distance, MCO_PATHS_NONE - 1);
    s->distance[v] = (int32_t)distance;
    if (s->parent != NULL)
        s->parent[v] = arc;
    return MCO_OK;
}

static bool may_pass(const search *s, int32_t v)
{
    return v >= s->rows->first_through || v == s->source;
}

// ---- States are vertices

static mco_status leave_vertex(search *s, int32_t v)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *r = s->rows;
    for (int64_t a = r->first[v]; may_pass(s, v) && a < r->first[v + 1]; a++) {
        const int64_t label = s->label[v] + r->weight[a];
        if (r->weight[a] == MCO_PATHS_NONE)
            continue;
        if (s->parent != NULL && label < s->label[r->head[a]])
            s->parent[r->head[a]] = a;
        MCO_TRY(reach(s, r->head[a], label));
    }
done:
    return st;
}

static mco_status search_vertices(search *s)
{
    mco_status st = MCO_OK;
    MCO_TRY(reach(s, s->source, 0));
    while (s->count > 0) {
        const entry e = pop(s);
        MCO_TRY(go_on(s));
        const int32_t v = (int32_t)e.state;
        if (e.label > s->label[v] || s->distance[v] != MCO_PATHS_NONE)
            continue;
        MCO_TRY(settle(s, v, e.label, s->parent != NULL ? s->parent[v] : -1));
        MCO_TRY(leave_vertex(s, v));
    }
done:
    return st;
}

// ---- States are arcs

// The first turn from an arc. The turns are sorted.
static int64_t first_turn(const mco_paths_rows *rows, int64_t arc)
{
    int64_t low = 0, high = rows->turn_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (rows->turns[middle].from < arc)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static mco_status leave_arc(search *s, int64_t arc)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *r = s->rows;
    const int32_t v = r->head[arc];
    int64_t turn = first_turn(r, arc);
    for (int64_t a = r->first[v]; may_pass(s, v) && a < r->first[v + 1]; a++) {
        while (turn < r->turn_count && r->turns[turn].from == arc && r->turns[turn].to < a)
            turn++;
        const bool is_turn = turn < r->turn_count && r->turns[turn].from == arc && r->turns[turn].to == a;
        const int32_t cost = is_turn ? r->turns[turn].cost : 0;
        if (cost >= 0 && r->weight[a] != MCO_PATHS_NONE)
            MCO_TRY(reach(s, a, s->label[arc] + cost + r->weight[a]));
    }
done:
    return st;
}

static mco_status search_arcs(search *s)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *r = s->rows;
    s->distance[s->source] = 0;
    for (int64_t a = r->first[s->source]; a < r->first[s->source + 1]; a++)
        if (r->weight[a] != MCO_PATHS_NONE)
            MCO_TRY(reach(s, a, r->weight[a]));
    while (s->count > 0) {
        const entry e = pop(s);
        MCO_TRY(go_on(s));
        if (e.label > s->label[e.state])
            continue;
        MCO_TRY(settle(s, r->head[e.state], e.label, e.state));
        MCO_TRY(leave_arc(s, e.state));
    }
done:
    return st;
}

mco_status paths_ref_search(mco_context *ctx, mco_run *run, const mco_paths_rows *rows, int32_t source, int32_t *distance,
                            int64_t *parent)
{
    mco_status st = MCO_OK;
    search s = {.ctx = ctx, .run = run, .rows = rows, .source = source, .distance = distance, .parent = parent};
    const int64_t states = rows->turn_count > 0 ? rows->arcs : rows->vertices;
    MCO_TRY(mco_alloc(ctx, &s.label, states));
    for (int64_t k = 0; k < states; k++)
        s.label[k] = INT64_MAX;
    for (int32_t v = 0; v < rows->vertices; v++) {
        distance[v] = MCO_PATHS_NONE;
        if (parent != NULL)
            parent[v] = -1;
    }
    MCO_TRY(rows->turn_count > 0 ? search_arcs(&s) : search_vertices(&s));
done:
    mco_free(ctx, &s.heap);
    mco_free(ctx, &s.label);
    return st;
}

mco_status paths_ref_tree(mco_context *ctx, const mco_paths_rows *rows, int32_t source, int32_t *distance, int64_t *parent)
{
    return paths_ref_search(ctx, NULL, rows, source, distance, parent);
}
