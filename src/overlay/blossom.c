// SPDX-License-Identifier: MIT
// Weighted matchings with odd sets (blossom.h).
//
// Parity. Edges of a tree are tight and their weights are even, so all duals of a tree are of one parity, and the slack between two even
// vertices is even: half of it is an integer. A dual changes by an integer, a set by twice that.
#include "overlay/blossom.h"

#include <string.h>

enum { NONE, EVEN, ODD };

static const int64_t FAR = INT64_MAX;

// ---- Opening

static mco_status open_arrays(overlay_blossom *b, int64_t edges)
{
    mco_status st = MCO_OK;
    mco_context *ctx = b->ctx;
    const int64_t n = b->vertices;
    int32_t **const all[] = {&b->parent, &b->base, &b->start, &b->next, &b->previous, &b->edge_from, &b->edge_to, &b->entry_from,
                             &b->entry_to, &b->stamp};
    int32_t **const own[] = {&b->mate, &b->unused, &b->top, &b->queue};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        MCO_TRY(mco_alloc(ctx, all[k], 2 * n));
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        MCO_TRY(mco_alloc(ctx, own[k], n));
    MCO_TRY(mco_alloc(ctx, &b->y, n));
    MCO_TRY(mco_alloc(ctx, &b->z, 2 * n));
    MCO_TRY(mco_alloc(ctx, &b->mark, 2 * n));
    MCO_TRY(mco_alloc(ctx, &b->near, n));
    MCO_TRY(mco_alloc(ctx, &b->level, n));
    MCO_TRY(mco_alloc(ctx, &b->first, n + 2));
    MCO_TRY(mco_alloc(ctx, &b->tail, 2 * edges));
    MCO_TRY(mco_alloc(ctx, &b->head, 2 * edges));
    MCO_TRY(mco_alloc(ctx, &b->weight, 2 * edges));
done:
    return st;
}

static void put_edges(overlay_blossom *b, int64_t edges, const overlay_edge *edge)
{
    for (int64_t e = 0; e < 2 * edges; e++)
        b->first[edge[e / 2].end[e % 2] + 2]++;
    for (int32_t v = 0; v < b->vertices; v++)
        b->first[v + 2] += b->first[v + 1];
    for (int64_t e = 0; e < 2 * edges; e++) {
        const int32_t u = edge[e / 2].end[e % 2];
        const int64_t at = b->first[u + 1]++;
        b->tail[at] = u;
        b->head[at] = edge[e / 2].end[1 - e % 2];
        b->weight[at] = edge[e / 2].weight;
    }
}

mco_status overlay_blossom_open(mco_context *ctx, int32_t vertices, int64_t edges, const overlay_edge *edge, const int64_t *y,
                                overlay_blossom *out)
{
    mco_status st = MCO_OK;
    *out = (overlay_blossom){.ctx = ctx, .vertices = vertices};
    MCO_TRY(open_arrays(out, edges));
    put_edges(out, edges, edge);
    for (int32_t v = 0; v < vertices; v++) {
        out->y[v] = y[v];
        out->mate[v] = -1;
        out->top[v] = out->base[v] = v;
        out->unused[v] = 2 * vertices - 1 - v;
    }
    for (int32_t c = 0; c < 2 * vertices; c++)
        out->parent[c] = -1;
done:
    return st;
}

void overlay_blossom_close(overlay_blossom *b)
{
    int32_t **const all[] = {&b->parent, &b->base, &b->start, &b->next, &b->previous, &b->edge_from, &b->edge_to, &b->entry_from, &b->entry_to,
                             &b->stamp, &b->mate, &b->unused, &b->top, &b->queue, &b->tail, &b->head};
    int64_t **const wide[] = {&b->y, &b->z, &b->near, &b->level, &b->first, &b->weight};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        mco_free(b->ctx, all[k]);
    for (size_t k = 0; k < sizeof wide / sizeof *wide; k++)
        mco_free(b->ctx, wide[k]);
    mco_free(b->ctx, &b->mark);
}

// ---- Sets

static bool is_set(const overlay_blossom *b, int32_t c)
{
    return c >= b->vertices;
}

// Of edges between different largest sets.
static int64_t slack_of(const overlay_blossom *b, int64_t k)
{
    return b->y[b->tail[k]] + b->y[b->head[k]] - b->weight[k];
}

static int32_t child_with(const overlay_blossom *b, int32_t set, int32_t v)
{
    int32_t c = v;
    while (b->parent[c] != set)
        c = b->parent[c];
    return c;
}

static void pair_up(overlay_blossom *b, int32_t u, int32_t v)
{
    b->mate[u] = v;
    b->mate[v] = u;
}

// Changes the pairs inside a set so that v has none of them: from its child on, each two next children are joined by the edge between
// them. The caller sees to the mate of v. Nested sets are fewer than half of the vertices, which bounds the depth.
static void rebase(overlay_blossom *b, int32_t set, int32_t v)
{
    if (b->base[set] == v)
        return;
    const int32_t c = child_with(b, set, v);
    rebase(b, c, v);
    for (int32_t one = b->next[c]; one != c; one = b->next[b->next[one]]) {
        const int32_t two = b->next[one];
        rebase(b, one, b->edge_from[one]);
        rebase(b, two, b->edge_to[one]);
        pair_up(b, b->edge_from[one], b->edge_to[one]);
    }
    b->start[set] = c;
    b->base[set] = v;
}

// Makes `set` the largest set of all vertices in c.
static void set_top(overlay_blossom *b, int32_t c, int32_t set)
{
    if (!is_set(b, c)) {
        b->top[c] = set;
        return;
    }
    int32_t child = b->start[c];
    do {
        set_top(b, child, set);
        child = b->next[child];
    } while (child != b->start[c]);
}

// Makes a set, or a vertex, even: its vertices are looked at. Even ones have no `near`.
static void make_even(overlay_blossom *b, int32_t c)
{
    if (!is_set(b, c)) {
        b->queue[b->queued++] = c;
        b->level[c] = -1;
        return;
    }
    int32_t child = b->start[c];
    do {
        make_even(b, child);
        child = b->next[child];
    } while (child != b->start[c]);
}

// ---- The tree

// Labels what holds `to`, which the tree reaches from the even vertex `from`, and its mate.
static void grow(overlay_blossom *b, int32_t from, int32_t to)
{
    const int32_t odd = b->top[to], even = b->top[b->mate[b->base[odd]]];
    b->mark[odd] = ODD;
    b->entry_from[odd] = from;
    b->entry_to[odd] = to;
    b->mark[even] = EVEN;
    make_even(b, even);
}

// The even set two steps nearer to the root; -1 at the root.
static int32_t before(const overlay_blossom *b, int32_t even)
{
    const int32_t mate = b->mate[b->base[even]];
    return mate < 0 ? -1 : b->top[b->entry_from[b->top[mate]]];
}

// Where the ways of two even sets to the root meet.
static int32_t meeting(overlay_blossom *b, int32_t one, int32_t two)
{
    b->walks++;
    for (; one >= 0 || two >= 0; one = one < 0 ? -1 : before(b, one), two = two < 0 ? -1 : before(b, two)) {
        if (one >= 0 && b->stamp[one] == b->walks)
            return one;
        if (one >= 0)
            b->stamp[one] = b->walks;
        if (two >= 0 && b->stamp[two] == b->walks)
            return two;
        if (two >= 0)
            b->stamp[two] = b->walks;
    }
    return -1;
}

static void join(overlay_blossom *b, int32_t one, int32_t two, int32_t from, int32_t to)
{
    b->next[one] = two;
    b->previous[two] = one;
    b->edge_from[one] = from;
    b->edge_to[one] = to;
}

// Joins the way from an even set up to the meeting into the circle; `down`: in the direction from the meeting.
static void join_way(overlay_blossom *b, int32_t even, int32_t end, bool down)
{
    while (even != end) {
        const int32_t base = b->base[even], mate = b->mate[base], odd = b->top[mate];
        const int32_t from = b->entry_from[odd], to = b->entry_to[odd], over = b->top[from];
        if (down) {
            join(b, odd, even, mate, base);
            join(b, over, odd, from, to);
        } else {
            join(b, even, odd, base, mate);
            join(b, odd, over, to, from);
        }
        even = over;
    }
}

// The even ends of a tight edge and the ways to where they meet become one even set.
static void contract(overlay_blossom *b, int32_t u, int32_t v)
{
    const int32_t one = b->top[u], two = b->top[v], end = meeting(b, one, two);
    const int32_t set = b->unused[b->sets++];
    join_way(b, one, end, true);
    join_way(b, two, end, false);
    join(b, one, two, u, v);
    b->start[set] = end;
    b->base[set] = b->base[end];
    b->z[set] = 0;
    b->parent[set] = -1;
    b->mark[set] = EVEN;
    int32_t child = end;
    do {
        b->parent[child] = set;
        if (b->mark[child] == ODD)
            make_even(b, child);
        child = b->next[child];
    } while (child != end);
    set_top(b, set, set);
}

// An odd set whose dual is 0 falls into its children. Those on the even way from the entry to the base stay in the tree.
static void expand(overlay_blossom *b, int32_t set)
{
    const int32_t from = b->entry_from[set], to = b->entry_to[set], end = b->start[set];
    int32_t c = child_with(b, set, to);
    int32_t child = end;
    do {
        b->parent[child] = -1;
        b->mark[child] = NONE;
        set_top(b, child, child);
        child = b->next[child];
    } while (child != end);
    b->unused[--b->sets] = set;
    b->mark[set] = NONE;
    b->mark[c] = ODD;
    b->entry_from[c] = from;
    b->entry_to[c] = to;
    // The mate of an odd child is the next one or the previous one: that way is even.
    const bool forward = c != end && b->top[b->mate[b->base[c]]] == b->next[c];
    while (c != end) {
        const int32_t even = forward ? b->next[c] : b->previous[c], odd = forward ? b->next[even] : b->previous[even];
        b->mark[even] = EVEN;
        make_even(b, even);
        b->mark[odd] = ODD;
        b->entry_from[odd] = forward ? b->edge_from[even] : b->edge_to[odd];
        b->entry_to[odd] = forward ? b->edge_to[even] : b->edge_from[odd];
        c = odd;
    }
}

// Changes pairs along the way from the even vertex u to the root: u is free then, for the mate that is given.
static void free_vertex(overlay_blossom *b, int32_t u, int32_t new_mate)
{
    while (u >= 0) {
        const int32_t even = b->top[u], mate = b->mate[b->base[even]];
        rebase(b, even, u);
        b->mate[u] = new_mate;
        if (mate < 0)
            return;
        const int32_t odd = b->top[mate], to = b->entry_to[odd];
        rebase(b, odd, to);
        u = b->entry_from[odd];
        b->mate[to] = u;
        new_mate = to;
    }
}

// ---- The search

static void note(const overlay_blossom *b, int64_t *least, int64_t k)
{
    if (*least < 0 || slack_of(b, k) < slack_of(b, *least))
        *least = k;
}

// Uses a tight half edge that leaves an even vertex. True: the search ends with one more pair.
static bool use(overlay_blossom *b, int64_t k)
{
    const int32_t u = b->tail[k], v = b->head[k], other = b->top[v];
    if (other == b->top[u] || b->mark[other] == ODD)
        return false;
    if (b->mark[other] == EVEN) {
        contract(b, u, v);
        return false;
    }
    if (b->mate[b->base[other]] >= 0) {
        grow(b, u, v);
        return false;
    }
    rebase(b, other, v);
    free_vertex(b, u, v);
    b->mate[v] = u;
    return true;
}

static bool look_at(overlay_blossom *b, int32_t u)
{
    for (int64_t k = b->first[u]; k < b->first[u + 1]; k++) {
        const int32_t v = b->head[k];
        if (b->top[v] == b->top[u])
            continue;
        if (b->mark[b->top[v]] == EVEN)
            note(b, &b->level[u], k);
        else
            note(b, &b->near[v], k);
        if (slack_of(b, k) == 0 && use(b, k))
            return true;
    }
    return false;
}

// The least slack between u and even vertices of other sets: what was found may lie within one set by now.
static int64_t level_slack(overlay_blossom *b, int32_t u)
{
    const int64_t k = b->level[u];
    if (k >= 0 && b->top[b->head[k]] == b->top[u]) {
        b->level[u] = -1;
        for (int64_t a = b->first[u]; a < b->first[u + 1]; a++)
            if (b->top[b->head[a]] != b->top[u] && b->mark[b->top[b->head[a]]] == EVEN)
                note(b, &b->level[u], a);
    }
    return b->level[u] < 0 ? FAR : slack_of(b, b->level[u]);
}

typedef struct event {
    int64_t change;
    int64_t half_edge;  // that becomes tight; -1: none
    int32_t vertex;     // whose dual becomes 0; -1: none
    int32_t set;        // the odd one whose dual becomes 0; -1: none
} event;

static event next_event(overlay_blossom *b)
{
    event e = {.change = FAR, .half_edge = -1, .vertex = -1, .set = -1};
    for (int32_t v = 0; v < b->vertices; v++) {
        const int32_t set = b->top[v];
        if (b->mark[set] == EVEN) {
            const int64_t slack = level_slack(b, v), half = slack == FAR ? FAR : slack / 2;
            if (b->y[v] < e.change)
                e = (event){b->y[v], -1, v, -1};
            if (half < e.change)
                e = (event){half, b->level[v], -1, -1};
        } else if (b->mark[set] == NONE && b->near[v] >= 0 && slack_of(b, b->near[v]) < e.change) {
            e = (event){slack_of(b, b->near[v]), b->near[v], -1, -1};
        } else if (b->mark[set] == ODD && is_set(b, set) && b->base[set] == v && b->z[set] / 2 < e.change) {
            e = (event){b->z[set] / 2, -1, -1, set};
        }
    }
    return e;
}

static void change_duals(overlay_blossom *b, int64_t change)
{
    for (int32_t v = 0; v < b->vertices && change > 0; v++) {
        const int32_t set = b->top[v], sign = b->mark[set] == EVEN ? 1 : b->mark[set] == ODD ? -1 : 0;
        b->y[v] -= sign * change;
        if (is_set(b, set) && b->base[set] == v)
            b->z[set] += 2 * sign * change;
    }
}

static void begin_search(overlay_blossom *b, int32_t root)
{
    for (int32_t v = 0; v < b->vertices; v++) {
        b->near[v] = b->level[v] = -1;
        b->mark[b->top[v]] = NONE;
    }
    b->queued = b->looked = 0;
    b->mark[b->top[root]] = EVEN;
    make_even(b, b->top[root]);
}

// Matches the root, or frees a vertex of dual 0 in its place. False: the run ended.
static bool search_from(overlay_blossom *b, int32_t root, mco_run *run)
{
    begin_search(b, root);
    for (;;) {
        while (b->looked < b->queued)
            if (look_at(b, b->queue[b->looked++]))
                return true;
        if (mco_run_must_stop(run, 0))
            return false;
        const event e = next_event(b);  // a vertex of the tree has a finite dual: there is always one
        change_duals(b, e.change);
        if (e.vertex >= 0) {
            free_vertex(b, e.vertex, -1);
            return true;
        }
        if (e.set >= 0)
            expand(b, e.set);
        else if (use(b, e.half_edge))
            return true;
    }
}

bool overlay_blossom_match(overlay_blossom *b, mco_run *run)
{
    for (int32_t v = 0; v < b->vertices; v++)  // tight edges first
        for (int64_t k = b->first[v]; k < b->first[v + 1] && b->mate[v] < 0; k++)
            if (b->mate[b->head[k]] < 0 && slack_of(b, k) == 0)
                pair_up(b, v, b->head[k]);
    for (int32_t v = 0; v < b->vertices; v++)
        while (b->mate[v] < 0 && b->y[v] > 0)
            if (!search_from(b, v, run))
                return false;
    return true;
}

int64_t overlay_blossom_shared(const overlay_blossom *b, int32_t u, int32_t v)
{
    int64_t sum = 0;
    for (int32_t one = b->parent[u]; one >= 0; one = b->parent[one])
        for (int32_t two = b->parent[v]; two >= 0; two = b->parent[two])
            if (one == two)
                sum += b->z[one];
    return sum;
}
