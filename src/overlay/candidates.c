// SPDX-License-Identifier: MIT
// The candidates of the search (search.h): links that are worth a look, by falling reduced weight. Lists end with the time, and so does
// their order: then there are fewer candidates.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "overlay/search.h"

// Links of a node below reduced weight 0 that are looked at; candidates that are sorted without a look at the clock (10 ms).
enum { MORE_LINKS = 12, SORTED_AT_ONCE = 1 << 16 };

// ---- Lists

typedef struct seen {
    int64_t reduced;
    int64_t entry;
} seen;

static int32_t least_of(const overlay_search *s, int32_t i, int64_t k)
{
    const mco_overlay *o = s->o;
    const int32_t least = s->guide.is_split ? 1 : o->row_least != NULL ? o->row_least[o->first[i] + k] : o->least;
    return least > 1 ? least : 1;
}

// Of a unit of bandwidth, less the prices of both ends.
static int64_t reduced_weight(const overlay_search *s, int32_t i, const overlay_link *link)
{
    if (s->guide.price == NULL)
        return (int64_t)link->weight - s->guide.dual[i] - s->guide.dual[link->node];
    return (int64_t)link->weight - (int64_t)fmin((s->guide.price[i] + s->guide.price[link->node]) / link->most, 0x1p62);
}

// Keeps the best MORE_LINKS of those below, by falling reduced weight; the first of equal ones comes first.
static void insert(seen *best, int64_t *count, seen one)
{
    int64_t at = *count;
    while (at > 0 && best[at - 1].reduced < one.reduced)
        at--;
    if (at == MORE_LINKS)
        return;
    *count += *count < MORE_LINKS;
    memmove(best + at + 1, best + at, (size_t)(*count - 1 - at) * sizeof *best);
    best[at] = one;
}

// Lists what a node would keep: links of positive reduced weight and the best of the others. A link that can never be kept is none.
static int64_t look_at_row(const overlay_search *s, int32_t i, seen *list)
{
    const mco_overlay *o = s->o;
    seen best[MORE_LINKS];
    int64_t count = 0, others = 0;
    for (int64_t k = 0; k < overlay_row_size(o, i); k++) {
        const overlay_link link = overlay_entry(o, i, k);
        if (link.weight == 0 || link.most < least_of(s, i, k))
            continue;
        const seen one = {reduced_weight(s, i, &link), k};
        if (one.reduced > 0)
            list[count++] = one;
        else
            insert(best, &others, one);
    }
    memcpy(list + count, best, (size_t)others * sizeof *best);
    return count + others;
}

// By falling reduced weight; those of equal ends come together.
static int by_falling(const void *a, const void *b)
{
    const overlay_candidate *x = a, *y = b;
    if (x->reduced != y->reduced)
        return x->reduced > y->reduced ? -1 : 1;
    if (x->end[0] != y->end[0])
        return x->end[0] < y->end[0] ? -1 : 1;
    return (x->end[1] > y->end[1]) - (x->end[1] < y->end[1]);
}

// Links of positive reduced weight stand in the lists of both ends, and are taken from that of the lesser one.
static mco_status take_list(overlay_search *s, int32_t i, const seen *list, int64_t count)
{
    mco_status st = MCO_OK;
    if (s->links + count > INT32_MAX)
        return mco_fail(s->ctx, MCO_ERR_LIMIT, "%" PRId64 " links are worth a look, the search takes %d", s->links + count, INT32_MAX);
    MCO_TRY(mco_grow(s->ctx, &s->link, &s->room, s->links + count));
    for (int64_t k = 0; k < count; k++) {
        const overlay_link link = overlay_entry(s->o, i, list[k].entry);
        if (list[k].reduced > 0 && link.node < i)
            continue;
        s->link[s->links++] = (overlay_candidate){
            .end = {i < link.node ? i : link.node, i < link.node ? link.node : i}, .least = least_of(s, i, list[k].entry),
            .most = link.most, .weight = link.weight, .reduced = list[k].reduced};
    }
done:
    return st;
}

// ---- The order

// Merges two runs of sorted candidates that are next to each other.
static void merge(const overlay_candidate *a, int64_t count, const overlay_candidate *b, int64_t others, overlay_candidate *out)
{
    const overlay_candidate *const a_end = a + count, *const b_end = b + others;
    while (a < a_end && b < b_end)
        *out++ = by_falling(b, a) < 0 ? *b++ : *a++;
    memcpy(out, a, (size_t)(a_end - a) * sizeof *out);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *out);
}

// Merges all pairs of runs. False: the run of the search ended before.
static bool merge_runs(overlay_search *s, int64_t run, const overlay_candidate *from, overlay_candidate *to)
{
    for (int64_t k = 0; k < s->links; k += 2 * run) {
        if (mco_run_must_stop(s->run, 0))
            return false;
        const int64_t left = s->links - k, count = left < run ? left : run, others = left - count < run ? left - count : run;
        merge(from + k, count, from + k + count, others, to + k);
    }
    return true;
}

// Sorts runs, then merges them. Where the time ends before, the candidates of the first run are kept.
static mco_status sort_candidates(overlay_search *s)
{
    mco_status st = MCO_OK;
    overlay_candidate *other = NULL;
    int64_t run = SORTED_AT_ONCE;
    for (int64_t k = 0; k < s->links; k += run) {
        if (k > 0 && mco_run_must_stop(s->run, 0))
            s->links = k < run ? k : run;
        else
            qsort(s->link + k, (size_t)(s->links - k < run ? s->links - k : run), sizeof *s->link, by_falling);
    }
    if (s->links > run)
        MCO_TRY(mco_alloc(s->ctx, &other, s->links));
    for (; run < s->links; run *= 2) {
        if (!merge_runs(s, run, s->link, other)) {
            s->links = run;
            break;
        }
        overlay_candidate *const merged = other;
        other = s->link;
        s->link = merged;
        s->room = s->links;
    }
done:
    mco_free(s->ctx, &other);
    return st;
}

// The candidates of each node. They come by falling reduced weight, and so they stay.
static mco_status join_candidates(overlay_search *s)
{
    mco_status st = MCO_OK;
    const int32_t nodes = s->o->nodes;
    int64_t *at = NULL;
    MCO_TRY(mco_alloc(s->ctx, &s->first, (int64_t)nodes + 1));
    MCO_TRY(mco_alloc(s->ctx, &s->of, 2 * s->links));
    MCO_TRY(mco_alloc(s->ctx, &at, nodes));
    for (int64_t e = 0; e < 2 * s->links; e++)
        s->first[s->link[e / 2].end[e % 2] + 1]++;
    for (int32_t i = 0; i < nodes; i++) {
        s->first[i + 1] += s->first[i];
        at[i] = s->first[i];
    }
    for (int64_t e = 0; e < 2 * s->links; e++)
        s->of[at[s->link[e / 2].end[e % 2]]++] = (int32_t)(e / 2);
done:
    mco_free(s->ctx, &at);
    return st;
}

mco_status overlay_list_candidates(overlay_search *s)
{
    mco_status st = MCO_OK;
    seen *list = NULL;
    int64_t kept = 0;
    MCO_TRY(mco_alloc(s->ctx, &list, s->o->degree + MORE_LINKS));
    for (int32_t i = 0; i < s->o->nodes && !mco_run_must_stop(s->run, 0); i++)
        MCO_TRY(take_list(s, i, list, look_at_row(s, i, list)));
    MCO_TRY(sort_candidates(s));
    for (int64_t k = 0; k < s->links; k++)
        if (kept == 0 || by_falling(&s->link[k], &s->link[kept - 1]) != 0)
            s->link[kept++] = s->link[k];
    s->links = kept;
    MCO_TRY(join_candidates(s));
done:
    mco_free(s->ctx, &list);
    return st;
}

// ---- For nodes that come and go (renew.c)

mco_status overlay_search_look(const overlay_search *s, int32_t v, overlay_candidate **out, int64_t *count)
{
    mco_status st = MCO_OK;
    seen *list = NULL;
    MCO_TRY(mco_alloc(s->ctx, &list, overlay_row_size(s->o, v) + MORE_LINKS));
    *count = look_at_row(s, v, list);
    MCO_TRY(mco_alloc(s->ctx, out, *count));
    for (int64_t k = 0; k < *count; k++) {
        const overlay_link link = overlay_entry(s->o, v, list[k].entry);
        (*out)[k] = (overlay_candidate){.end = {v < link.node ? v : link.node, v < link.node ? link.node : v},
                                        .least = least_of(s, v, list[k].entry), .most = link.most, .weight = link.weight,
                                        .reduced = list[k].reduced};
    }
done:
    mco_free(s->ctx, &list);
    return st;
}
