// SPDX-License-Identifier: MIT
// Finds the chains of a network (chains.h).
#include "traffic/pairs/chains.h"

#include <string.h>

// What a node is joined to by links that paths may pass along.
typedef struct between {
    int32_t node[2];          // neighbours, -1: none
    int32_t from[2], to[2];   // links from and to each, -1: none
    bool is_simple;           // at most two neighbours, and one link at most from and to each
} between;

static void note_neighbour(between *b, int32_t node, int32_t link, bool is_from)
{
    for (int k = 0; k < 2; k++) {
        if (b->node[k] >= 0 && b->node[k] != node)
            continue;
        int32_t *at = is_from ? &b->from[k] : &b->to[k];
        b->is_simple = b->is_simple && *at < 0;
        b->node[k] = node;
        *at = link;
        return;
    }
    b->is_simple = false;
}

// What node v lies between. A link from a node to itself shortens no path.
static between look_around(const traffic_problem *p, int32_t v)
{
    between b = {{-1, -1}, {-1, -1}, {-1, -1}, true};
    for (int32_t k = p->into_first[v]; k < p->into_first[v + 1] && b.is_simple; k++) {
        const int32_t from = p->tail[p->into[k]];
        if (from >= p->first_through && from != v)
            note_neighbour(&b, from, p->into[k], true);
    }
    for (int32_t l = p->first[v]; l < p->first[v + 1] && b.is_simple; l++)
        if (p->head[l] >= p->first_through && p->head[l] != v)
            note_neighbour(&b, p->head[l], l, false);
    b.is_simple = b.is_simple && b.node[0] >= 0;
    return b;
}

static int32_t put_slot(pairs_chains *c, int32_t node, int32_t ahead, int32_t back)
{
    c->node[c->slots] = node;
    c->ahead[c->slots] = ahead;
    c->back[c->slots] = back;
    return c->slots++;
}

// Writes the chain that begins at a junction with its neighbour v, unless it is written already.
static void follow_chain(const traffic_problem *p, pairs_chains *c, int32_t junction, int32_t v)
{
    if (v < p->first_through || c->is_junction[v] || c->slot_of[v] >= 0)
        return;
    int32_t before = junction, last = put_slot(c, junction, -1, -1);
    while (v >= 0 && !c->is_junction[v]) {
        const between b = look_around(p, v);
        const int side = b.node[0] != before;
        c->back[last] = b.to[side];
        last = c->slot_of[v] = put_slot(c, v, b.from[side], -1);
        before = v;
        v = b.node[1 - side];
    }
    if (v >= 0) {
        const between b = look_around(p, before);
        const int side = b.node[0] != v;
        c->back[last] = b.from[side];
        put_slot(c, v, b.to[side], -1);
    } else {
        put_slot(c, junction, -1, -1);
    }
    c->chain_first[++c->chains] = c->slots;
}

static mco_status find_chains(mco_context *ctx, const traffic_problem *p, pairs_chains *c)
{
    mco_status st = MCO_OK;
    int32_t between_count = 0;
    MCO_TRY(mco_alloc(ctx, &c->is_junction, p->nodes));
    MCO_TRY(mco_alloc(ctx, &c->slot_of, p->nodes));
    MCO_TRY(mco_alloc(ctx, &c->number, p->nodes));
    for (int32_t v = 0; v < p->nodes; v++) {
        c->slot_of[v] = -1;
        c->is_junction[v] = v >= p->first_through && !look_around(p, v).is_simple;
        between_count += v >= p->first_through && !c->is_junction[v];
    }
    MCO_TRY(mco_alloc(ctx, &c->chain_first, (int64_t)between_count + 1));
    MCO_TRY(mco_alloc(ctx, &c->node, 3 * (int64_t)between_count));
    MCO_TRY(mco_alloc(ctx, &c->ahead, 3 * (int64_t)between_count));
    MCO_TRY(mco_alloc(ctx, &c->back, 3 * (int64_t)between_count));
    for (int32_t v = p->first_through; v < p->nodes; v++) {
        if (!c->is_junction[v])
            continue;
        for (int32_t l = p->first[v]; l < p->first[v + 1]; l++)
            follow_chain(p, c, v, p->head[l]);
        for (int32_t k = p->into_first[v]; k < p->into_first[v + 1]; k++)
            follow_chain(p, c, v, p->tail[p->into[k]]);
    }
    for (int32_t v = p->first_through; v < p->nodes; v++) {  // rings and lines without a junction
        c->is_junction[v] = c->slot_of[v] < 0;
        c->number[v] = c->junctions;
        c->junctions += c->is_junction[v];
    }
    MCO_TRY(mco_alloc(ctx, &c->junction, c->junctions));
    for (int32_t v = p->first_through; v < p->nodes; v++)
        if (c->is_junction[v])
            c->junction[c->number[v]] = v;
done:
    return st;
}

// ---- Arcs

// Where an arc begins and ends, by number, and where its links are: link `code`, or those of chain (-1 - code) / 2, back if that is odd.
typedef struct source {
    int32_t tail, head, code;
} source;

// Whether a chain can be travelled from one junction to another one.
static bool is_open(const pairs_chains *c, int32_t chain, bool is_back)
{
    const int32_t first = c->chain_first[chain], last = c->chain_first[chain + 1] - 1;
    if (c->node[first] == c->node[last])
        return false;
    for (int32_t s = first; s < last; s++)
        if ((is_back ? c->back[s] : c->ahead[s + 1]) < 0)
            return false;
    return true;
}

// Arcs in any order; returns how many. `out` NULL: only counts.
static int32_t list_arcs(const traffic_problem *p, const pairs_chains *c, source *out)
{
    int32_t count = 0;
    for (int32_t l = 0; l < p->links; l++)
        if (c->is_junction[p->tail[l]] && c->is_junction[p->head[l]] && p->tail[l] != p->head[l]) {
            if (out != NULL)
                out[count] = (source){c->number[p->tail[l]], c->number[p->head[l]], l};
            count++;
        }
    for (int32_t i = 0; i < 2 * c->chains; i++) {
        const int32_t first = c->number[c->node[c->chain_first[i / 2]]], last = c->number[c->node[c->chain_first[i / 2 + 1] - 1]];
        const bool is_back = i % 2 == 1;
        if (!is_open(c, i / 2, is_back))
            continue;
        if (out != NULL)
            out[count] = is_back ? (source){last, first, -1 - i} : (source){first, last, -1 - i};
        count++;
    }
    return count;
}

static void write_links(pairs_chains *c, const source *from, pairs_arc *arc)
{
    arc->other = from->tail;
    arc->first = c->arc_links;
    if (from->code >= 0) {
        c->arc_link[c->arc_links++] = from->code;
    } else {
        const int32_t chain = (-1 - from->code) / 2, first = c->chain_first[chain], last = c->chain_first[chain + 1] - 1;
        const bool is_back = (-1 - from->code) % 2 == 1;
        for (int32_t k = 0; k < last - first; k++)
            c->arc_link[c->arc_links++] = is_back ? c->back[last - 1 - k] : c->ahead[first + 1 + k];
    }
    while (c->arc_links % PAIRS_ARC_BLOCK != 0)
        c->arc_link[c->arc_links++] = PAIRS_FREE_LINK;
    arc->end = c->arc_links;
}

// Turns counts at [v + 1] into first entries at [v].
static void sum_counts(int32_t count, int32_t *first)
{
    for (int32_t v = 0; v < count; v++)
        first[v + 1] += first[v];
}

static mco_status make_arcs(mco_context *ctx, const traffic_problem *p, pairs_chains *c)
{
    mco_status st = MCO_OK;
    source *all = NULL;
    int32_t *next = NULL, *at = NULL;
    c->arcs = list_arcs(p, c, NULL);
    MCO_TRY(mco_alloc(ctx, &all, c->arcs));
    MCO_TRY(mco_alloc(ctx, &at, c->arcs));
    MCO_TRY(mco_alloc(ctx, &next, c->junctions));
    MCO_TRY(mco_alloc(ctx, &c->into, c->arcs));
    MCO_TRY(mco_alloc(ctx, &c->out, c->arcs));
    MCO_TRY(mco_alloc(ctx, &c->into_first, (int64_t)c->junctions + 1));
    MCO_TRY(mco_alloc(ctx, &c->first, (int64_t)c->junctions + 1));
    MCO_TRY(mco_alloc(ctx, &c->arc_link, p->links + (PAIRS_ARC_BLOCK - 1) * (int64_t)c->arcs));  // a link is of one arc at most
    (void)list_arcs(p, c, all);
    for (int32_t a = 0; a < c->arcs; a++) {
        c->into_first[all[a].head + 1]++;
        c->first[all[a].tail + 1]++;
    }
    sum_counts(c->junctions, c->into_first);
    sum_counts(c->junctions, c->first);
    memcpy(next, c->into_first, (size_t)c->junctions * sizeof *next);
    for (int32_t a = 0; a < c->arcs; a++)
        at[next[all[a].head]++] = a;
    memcpy(next, c->first, (size_t)c->junctions * sizeof *next);
    for (int32_t a = 0; a < c->arcs; a++) {
        const source *from = &all[at[a]];
        write_links(c, from, &c->into[a]);
        c->out[next[from->tail]++] = (pairs_arc){from->head, c->into[a].first, c->into[a].end};
    }
done:
    mco_free(ctx, &next);
    mco_free(ctx, &at);
    mco_free(ctx, &all);
    return st;
}

mco_status pairs_chains_open(mco_context *ctx, const traffic_problem *problem, pairs_chains *out)
{
    mco_status st = MCO_OK;
    *out = (pairs_chains){0};
    MCO_TRY(find_chains(ctx, problem, out));
    MCO_TRY(make_arcs(ctx, problem, out));
done:
    if (st != MCO_OK)
        pairs_chains_close(ctx, out);
    return st;
}

void pairs_chains_close(mco_context *ctx, pairs_chains *c)
{
    mco_free(ctx, &c->is_junction);
    mco_free(ctx, &c->number);
    mco_free(ctx, &c->junction);
    mco_free(ctx, &c->slot_of);
    mco_free(ctx, &c->chain_first);
    mco_free(ctx, &c->node);
    mco_free(ctx, &c->ahead);
    mco_free(ctx, &c->back);
    mco_free(ctx, &c->into);
    mco_free(ctx, &c->out);
    mco_free(ctx, &c->into_first);
    mco_free(ctx, &c->first);
    mco_free(ctx, &c->arc_link);
}
