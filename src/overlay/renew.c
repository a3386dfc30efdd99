// SPDX-License-Identifier: MIT
// A search that stays open while nodes come and go (search.h). Candidates of the other nodes keep the reduced weights that they had when
// they were listed; the caller lists all of them anew now and then.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "overlay/search.h"

enum { MORE_LINKS = 12, MOST_PASSES = 4, MOST_CHAINS = 256 };  // over all nodes; from one node, which may have room for many links
static const double LEAST_GAIN = 1e-7;  // of the worth, in one pass

static int by_ends(const void *a, const void *b)
{
    const overlay_candidate *x = a, *y = b;
    if (x->end[0] != y->end[0])
        return x->end[0] < y->end[0] ? -1 : 1;
    return (x->end[1] > y->end[1]) - (x->end[1] < y->end[1]);
}

// ---- Joins

// The best links of node v to nodes with bandwidth left, which its own list may lack: with equal uptimes it has the first nodes. Returns how
// many were written to list [MORE_LINKS].
static int64_t look_at_rests(const overlay_search *s, int32_t v, overlay_candidate *list)
{
    const mco_overlay *o = s->o;
    int64_t count = 0;
    for (int64_t k = 0; s->guide.price == NULL && k < overlay_row_size(o, v); k++) {
        const overlay_link link = overlay_entry(o, v, k);
        const int32_t stated = o->row_least != NULL ? o->row_least[o->first[v] + k] : o->least, least = stated > 1 ? stated : 1;
        if (link.weight == 0 || link.most < least || s->rest[link.node] < least)
            continue;
        const int64_t reduced = (int64_t)link.weight - s->guide.dual[v] - s->guide.dual[link.node];
        int64_t at = count;
        while (at > 0 && list[at - 1].reduced < reduced)
            at--;
        if (at == MORE_LINKS)
            continue;
        count += count < MORE_LINKS;
        memmove(list + at + 1, list + at, (size_t)(count - 1 - at) * sizeof *list);
        list[at] = (overlay_candidate){.end = {v < link.node ? v : link.node, v < link.node ? link.node : v}, .least = least,
                                       .most = link.most, .weight = link.weight, .reduced = reduced};
    }
    return count;
}

// Lists the links of node v that are worth a look and are no candidates yet. `mark` [nodes] is zero before and after.
static mco_status add_candidates(overlay_search *s, int32_t v, int32_t nodes, bool *mark)
{
    mco_status st = MCO_OK;
    overlay_candidate *list = NULL, rests[MORE_LINKS];
    int64_t count = 0;
    const int64_t more = look_at_rests(s, v, rests), old = v < nodes ? s->first[v + 1] - s->first[v] : 0;
    MCO_TRY(overlay_search_look(s, v, &list, &count));
    MCO_TRY(mco_grow(s->ctx, &s->link, &s->room, s->links + count + more));
    for (int64_t a = 0; a < old; a++)
        mark[overlay_other_end(&s->link[s->of[s->first[v] + a]], v)] = s->link[s->of[s->first[v] + a]].most > 0;
    for (int64_t k = 0; k < count; k++)
        if (!mark[overlay_other_end(&list[k], v)])
            s->link[s->links++] = list[k];
    for (int64_t k = 0; k < more; k++)
        if (!mark[overlay_other_end(&rests[k], v)])
            s->link[s->links++] = rests[k];
    for (int64_t a = 0; a < old; a++)
        mark[overlay_other_end(&s->link[s->of[s->first[v] + a]], v)] = false;
done:
    mco_free(s->ctx, &list);
    return st;
}

// Both lists of a node, and two nodes that joined together, may have the same link.
static void drop_doubles(overlay_search *s, int64_t first)
{
    int64_t kept = first;
    if (s->links > first)
        qsort(s->link + first, (size_t)(s->links - first), sizeof *s->link, by_ends);
    for (int64_t k = first; k < s->links; k++)
        if (kept == first || by_ends(&s->link[k], &s->link[kept - 1]) != 0)
            s->link[kept++] = s->link[k];
    s->links = kept;
}

// Puts candidate e into the list of node v, by falling reduced weight; *at is the end of the list.
static void insert_candidate(const overlay_search *s, int32_t *of, int64_t first, int64_t *at, int32_t e)
{
    int64_t k = (*at)++;
    for (; k > first && s->link[of[k - 1]].reduced < s->link[e].reduced; k--)
        of[k] = of[k - 1];
    of[k] = e;
}

// Lists without the links that ended and with those behind `first_new`, for all slots of the instance; before there were `nodes`.
static mco_status join_again(overlay_search *s, int32_t nodes, int64_t first_new)
{
    mco_status st = MCO_OK;
    int64_t *first = NULL, *at = NULL;
    int32_t *of = NULL;
    MCO_TRY(mco_alloc(s->ctx, &first, (int64_t)s->o->nodes + 1));
    MCO_TRY(mco_alloc(s->ctx, &at, s->o->nodes));
    MCO_TRY(mco_alloc(s->ctx, &of, 2 * s->links));
    for (int64_t e = 0; e < 2 * s->links; e++)
        first[s->link[e / 2].end[e % 2] + 1] += s->link[e / 2].most > 0;
    for (int32_t i = 0; i < s->o->nodes; i++) {
        first[i + 1] += first[i];
        at[i] = first[i];
        for (int64_t a = i < nodes ? s->first[i] : 0; i < nodes && a < s->first[i + 1]; a++)
            if (s->link[s->of[a]].most > 0)
                of[at[i]++] = s->of[a];
    }
    for (int64_t e = 2 * first_new; e < 2 * s->links; e++)
        insert_candidate(s, of, first[s->link[e / 2].end[e % 2]], &at[s->link[e / 2].end[e % 2]], (int32_t)(e / 2));
    mco_free(s->ctx, &s->first);
    mco_free(s->ctx, &s->of);
    s->first = first;
    s->of = of;
    first = NULL;
    of = NULL;
done:
    mco_free(s->ctx, &of);
    mco_free(s->ctx, &at);
    mco_free(s->ctx, &first);
    return st;
}

static mco_status lengthen_nodes(overlay_search *s, int32_t nodes)
{
    mco_status st = MCO_OK;
    int64_t *rest = NULL;
    if (nodes == s->o->nodes)
        return MCO_OK;
    MCO_TRY(mco_alloc(s->ctx, &rest, s->o->nodes));
    memcpy(rest, s->rest, (size_t)nodes * sizeof *rest);
    mco_free(s->ctx, &s->rest);
    s->rest = rest;
    overlay_paths_close(&s->paths);
    MCO_TRY(overlay_paths_open(s->ctx, s->o->nodes, &s->paths));
done:
    return st;
}

static mco_status lengthen_links(overlay_search *s, int64_t links)
{
    int32_t *x = NULL;
    const mco_status st = mco_alloc(s->ctx, &x, s->links);
    if (st != MCO_OK)
        return st;
    memcpy(x, s->x, (size_t)links * sizeof *x);
    mco_free(s->ctx, &s->x);
    s->x = x;
    return MCO_OK;
}

mco_status overlay_search_join(overlay_search *s, int32_t nodes, const int32_t *joined, int64_t count)
{
    mco_status st = MCO_OK;
    bool *mark = NULL;
    const int64_t before = s->links;
    MCO_TRY(mco_alloc(s->ctx, &mark, s->o->nodes));
    MCO_TRY(lengthen_nodes(s, nodes));
    for (int64_t k = 0; k < count && !mco_run_must_stop(s->run, s->moves); k++)  // nodes may lack candidates
        MCO_TRY(add_candidates(s, joined[k], nodes, mark));
    drop_doubles(s, before);
    if (s->links > INT32_MAX)
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_LIMIT, "%" PRId64 " links are worth a look, the search takes %d", s->links, INT32_MAX));
    MCO_TRY(lengthen_links(s, before));
    MCO_TRY(join_again(s, nodes, before));
done:
    mco_free(s->ctx, &mark);
    return st;
}

// ---- Leaves, and a search that is opened anew

void overlay_search_leave(overlay_search *s, int32_t v)
{
    for (int64_t a = s->first[v]; a < s->first[v + 1]; a++) {
        overlay_set_bandwidth(s, s->of[a], 0);
        s->link[s->of[a]].most = 0;
    }
    s->rest[v] = 0;
}

// Kept links of the old search that are no candidates of the new one become such. `at` [nodes] is zero before and after.
static mco_status take_missing(overlay_search *s, const overlay_search *old, int32_t v, int32_t *at)
{
    mco_status st = MCO_OK;
    for (int64_t a = s->first[v]; a < s->first[v + 1]; a++)
        at[overlay_other_end(&s->link[s->of[a]], v)] = s->of[a] + 1;
    for (int64_t a = old->first[v]; a < old->first[v + 1]; a++) {
        const overlay_candidate *link = &old->link[old->of[a]];
        if (link->end[0] != v || old->x[old->of[a]] == 0 || at[link->end[1]] > 0)
            continue;
        MCO_TRY(mco_grow(s->ctx, &s->link, &s->room, s->links + 1));
        s->link[s->links++] = *link;
    }
done:
    for (int64_t a = s->first[v]; a < s->first[v + 1]; a++)
        at[overlay_other_end(&s->link[s->of[a]], v)] = 0;
    return st;
}

static void take_kept(overlay_search *s, const overlay_search *old, int32_t v, int32_t *at)
{
    for (int64_t a = s->first[v]; a < s->first[v + 1]; a++)
        at[overlay_other_end(&s->link[s->of[a]], v)] = s->of[a] + 1;
    for (int64_t a = old->first[v]; a < old->first[v + 1]; a++) {
        const overlay_candidate *link = &old->link[old->of[a]];
        if (link->end[0] == v && old->x[old->of[a]] > 0)
            overlay_set_bandwidth(s, at[link->end[1]] - 1, old->x[old->of[a]]);
    }
    for (int64_t a = s->first[v]; a < s->first[v + 1]; a++)
        at[overlay_other_end(&s->link[s->of[a]], v)] = 0;
}

mco_status overlay_search_take(overlay_search *s, const overlay_search *old)
{
    mco_status st = MCO_OK;
    int32_t *at = NULL;
    const int32_t nodes = s->o->nodes;
    const int64_t before = s->links;
    MCO_TRY(mco_alloc(s->ctx, &at, nodes));
    for (int64_t e = 0; e < s->links; e++)
        overlay_set_bandwidth(s, (int32_t)e, 0);
    for (int32_t v = 0; v < nodes; v++)
        MCO_TRY(take_missing(s, old, v, at));
    MCO_TRY(lengthen_links(s, before));
    MCO_TRY(join_again(s, nodes, before));
    for (int32_t v = 0; v < nodes; v++)
        take_kept(s, old, v, at);
done:
    mco_free(s->ctx, &at);
    return st;
}

mco_status overlay_search_mend(overlay_search *s, const int32_t *touched, int64_t count)
{
    mco_status st = MCO_OK;
    bool gains = true;
    for (int pass = 0; gains && pass < MOST_PASSES; pass++) {
        const double before = s->worth;
        for (int64_t k = 0; k < count; k++) {
            bool goes_on = true;
            for (int chains = 0; goes_on && chains < MOST_CHAINS && s->rest[touched[k]] > 0; chains++) {
                goes_on = overlay_chain(s, touched[k]);
                goes_on = (s->rest[touched[k]] > 0 && overlay_meet(s, touched[k])) || goes_on;
                goes_on = (s->rest[touched[k]] > 0 && overlay_add_links(s, touched[k])) || goes_on;
                MCO_TRY(overlay_commit(s));
                if (mco_run_must_stop(s->run, s->moves))
                    goto done;
            }
        }
        gains = s->worth > before + LEAST_GAIN * fabs(before);
    }
done:
    return st;
}
