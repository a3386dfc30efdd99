// SPDX-License-Identifier: MIT
// The search (search.h). An overlay is changed by chains, as alternating paths change a matching: node v has bandwidth left; it raises a
// link to j, which lowers its link to k for that; now k has bandwidth left. The reduced weights guide the choice, since the duals
// are the prices of bandwidth: a step is worth the reduced weight that it takes up less the one that it gives away. The best part of
// the chain from its beginning stays, if it gains (Lin, Kernighan 1973).
#include "overlay/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/grow.h"

// Steps of a chain; links that a shake drops.
enum { DEPTH = 16, LEAST_DROPPED = 1, MOST_DROPPED = 4 };

// Of the worth, in one pass over all nodes. Around odd cycles of links of large bandwidths chains may gain a few units each time, for
// millions of passes.
static const double LEAST_GAIN = 1e-7;

// ---- Changes

void overlay_set_bandwidth(overlay_search *s, int32_t e, int32_t x)
{
    const overlay_candidate *link = &s->link[e];
    const int64_t more = (int64_t)x - s->x[e];
    s->rest[link->end[0]] -= more;
    s->rest[link->end[1]] -= more;
    s->worth += (double)more * link->weight;
    s->x[e] = x;
}

bool overlay_change_link(overlay_search *s, int32_t e, int32_t x)
{
    s->is_full = s->is_full || mco_grow(s->ctx, &s->log, &s->log_room, s->changes + 1) != MCO_OK;
    if (s->is_full)
        return false;
    s->log[s->changes++] = (overlay_change){e, s->x[e]};
    overlay_set_bandwidth(s, e, x);
    return true;
}

void overlay_undo(overlay_search *s, int64_t changes, double worth)
{
    while (s->changes > changes) {
        const overlay_change *last = &s->log[--s->changes];
        overlay_set_bandwidth(s, last->link, last->before);
    }
    s->worth = worth;
}

mco_status overlay_commit(overlay_search *s)
{
    s->moves += s->changes;
    s->looks++;
    s->changes = 0;
    return s->is_full ? MCO_ERR_MEMORY : MCO_OK;
}

// What the link could carry more if both ends had that much left: 0 if it could not be kept.
static int64_t raise_of(const overlay_search *s, int32_t e, int64_t left)
{
    const overlay_candidate *link = &s->link[e];
    const int64_t room = (int64_t)link->most - s->x[e], more = left < room ? left : room;
    return more > 0 && s->x[e] + more >= link->least ? more : 0;
}

// ---- Chains

static bool fill(overlay_search *s, int32_t v)
{
    bool gains = false;
    overlay_look look = overlay_look_at(s, v);
    for (int32_t e = overlay_next(&look); e >= 0 && s->rest[v] > 0; e = overlay_next(&look)) {
        const int32_t j = overlay_other_end(&s->link[e], v);
        const int64_t more = raise_of(s, e, s->rest[v] < s->rest[j] ? s->rest[v] : s->rest[j]);
        if (more > 0 && overlay_change_link(s, e, s->x[e] + (int32_t)more))
            gains = true;
    }
    return gains;
}

typedef struct shift {
    int32_t raised, lowered, next;  // links; the node that has bandwidth left behind it
    int64_t more, less;
    double score;
} shift;

// How much the link must fall so that `wanted` is free: by that, or all of it where less than its least would stay.
static int64_t fall_of(const overlay_search *s, int32_t g, int64_t wanted)
{
    return s->x[g] - wanted >= s->link[g].least ? wanted : s->x[g];
}

static bool is_in_chain(const shift *steps, int count, int32_t link)
{
    for (int k = 0; k < count; k++)
        if (steps[k].raised == link || steps[k].lowered == link)
            return true;
    return false;
}

static void look_at_shifts(const overlay_search *s, int32_t v, int32_t e, const shift *steps, int count, shift *best)
{
    const int32_t j = overlay_other_end(&s->link[e], v);
    overlay_look look = overlay_look_at(s, j);
    for (int32_t g = overlay_next(&look); g >= 0; g = overlay_next(&look)) {
        if (s->x[g] == 0 || g == e)
            continue;
        const int64_t most = raise_of(s, e, s->rest[v] < s->rest[j] + s->x[g] ? s->rest[v] : s->rest[j] + s->x[g]);
        if (most == 0)
            continue;
        const int64_t wanted = most > s->rest[j] ? most - s->rest[j] : 0, less = fall_of(s, g, wanted);
        const double score = (double)s->link[e].reduced * (double)most - (double)s->link[g].reduced * (double)less;
        if (wanted > 0 && score > best->score && !is_in_chain(steps, count, g))
            *best = (shift){e, g, overlay_other_end(&s->link[g], j), most, less, score};
    }
}

static bool find_shift(overlay_search *s, int32_t v, const shift *steps, int count, shift *best)
{
    *best = (shift){.raised = -1, .score = -INFINITY};
    overlay_look look = overlay_look_at(s, v);
    for (int32_t e = overlay_next(&look); e >= 0; e = overlay_next(&look))
        if (s->x[e] < s->link[e].most && !is_in_chain(steps, count, e)) {
            s->seen += overlay_look_at(s, overlay_other_end(&s->link[e], v)).left;
            look_at_shifts(s, v, e, steps, count, best);
        }
    return best->raised >= 0;
}

bool overlay_chain(overlay_search *s, int32_t v)
{
    shift steps[DEPTH];
    const double before = s->worth;
    fill(s, v);
    double most = s->worth;
    int64_t best = s->changes;
    for (int k = 0; k < DEPTH && s->rest[v] > 0 && find_shift(s, v, steps, k, &steps[k]); k++) {
        const shift *step = &steps[k];
        if (!overlay_change_link(s, step->lowered, s->x[step->lowered] - (int32_t)step->less) ||
            !overlay_change_link(s, step->raised, s->x[step->raised] + (int32_t)step->more))
            break;
        v = step->next;
        fill(s, v);
        if (s->worth > most) {
            most = s->worth;
            best = s->changes;
        }
    }
    overlay_undo(s, best, most);
    return s->worth > before;
}

// ---- Descent and shakes

mco_status overlay_descend(overlay_search *s)
{
    mco_status st = MCO_OK;
    double before = -1;
    while (s->worth > before + LEAST_GAIN * fabs(before) && !mco_run_must_stop(s->run, s->moves)) {
        before = s->worth;
        for (int32_t v = 0; v < s->o->nodes && !mco_run_must_stop(s->run, s->moves); v++) {
            if (s->most_seen > 0 && s->seen >= s->most_seen)
                goto done;
            if (s->rest[v] > 0)
                overlay_chain(s, v);
            if (s->rest[v] > 0)
                overlay_meet(s, v);
            if (s->rest[v] > 0)
                overlay_add_links(s, v);
            MCO_TRY(overlay_commit(s));
        }
    }
done:
    return st;
}

// A kept link of node v, drawn; -1: none.
static int32_t draw_kept(overlay_search *s, int32_t v)
{
    int32_t drawn = -1, kept = 0;
    overlay_look look = overlay_look_at(s, v);
    for (int32_t e = overlay_next(&look); e >= 0; e = overlay_next(&look))
        if (s->x[e] > 0 && mco_rng_below(&s->rng, (uint32_t)++kept) == 0)
            drawn = e;
    return drawn;
}

mco_status overlay_shake(overlay_search *s)
{
    return overlay_shake_at(s, (int32_t)mco_rng_below(&s->rng, (uint32_t)s->o->nodes));
}

mco_status overlay_shake_at(overlay_search *s, int32_t v)
{
    int32_t touched[2 * MOST_DROPPED], count = 0;
    const double before = s->worth;
    const uint32_t dropped = LEAST_DROPPED + mco_rng_below(&s->rng, MOST_DROPPED - LEAST_DROPPED + 1);
    for (uint32_t k = 0; k < dropped; k++) {
        const int32_t e = draw_kept(s, v);
        if (e >= 0 && overlay_change_link(s, e, 0)) {
            touched[count++] = s->link[e].end[0];
            touched[count++] = s->link[e].end[1];
        }
        // On to a node that a candidate of this one leads to.
        const int64_t links = s->first[v + 1] - s->first[v];
        if (links > 0)
            v = overlay_other_end(&s->link[s->of[s->first[v] + mco_rng_below(&s->rng, (uint32_t)links)]], v);
    }
    for (int32_t k = count - 1; k >= 0 && !mco_run_must_stop(s->run, s->moves); k--)  // of hubs they take many milliseconds each
        overlay_chain(s, touched[k]);
    for (int32_t k = 0; k < count && !mco_run_must_stop(s->run, s->moves); k++)
        overlay_meet(s, touched[k]);
    if (s->worth < before)
        overlay_undo(s, 0, before);
    return overlay_commit(s);
}

// ---- Opening

mco_status overlay_search_open(mco_context *ctx, mco_run *run, const mco_overlay *o, const overlay_guide *guide, overlay_search *out)
{
    mco_status st = MCO_OK;
    *out = (overlay_search){.ctx = ctx, .run = run, .o = o, .guide = *guide};
    mco_rng_seed(&out->rng, guide->seed, 0);
    MCO_TRY(overlay_list_candidates(out));
    MCO_TRY(mco_alloc(ctx, &out->x, out->links));
    MCO_TRY(mco_alloc(ctx, &out->rest, o->nodes));
    MCO_TRY(overlay_paths_open(ctx, o->nodes, &out->paths));
    for (int32_t i = 0; i < o->nodes; i++)
        out->rest[i] = o->bandwidth[i];
    for (int64_t e = 0; e < out->links; e++) {
        const int64_t a = out->rest[out->link[e].end[0]], b = out->rest[out->link[e].end[1]];
        overlay_set_bandwidth(out, (int32_t)e, (int32_t)raise_of(out, (int32_t)e, a < b ? a : b));
    }
done:
    return st;
}

void overlay_search_close(overlay_search *s)
{
    overlay_paths_close(&s->paths);
    mco_free(s->ctx, &s->log);
    mco_free(s->ctx, &s->rest);
    mco_free(s->ctx, &s->x);
    mco_free(s->ctx, &s->of);
    mco_free(s->ctx, &s->first);
    mco_free(s->ctx, &s->link);
}

static int by_ends(const void *a, const void *b)
{
    const overlay_candidate *x = *(const overlay_candidate *const *)a, *y = *(const overlay_candidate *const *)b;
    if (x->end[0] != y->end[0])
        return x->end[0] < y->end[0] ? -1 : 1;
    return (x->end[1] > y->end[1]) - (x->end[1] < y->end[1]);
}

mco_status overlay_give(const overlay_search *s, mco_overlay_solution *out)
{
    mco_status st = MCO_OK;
    const overlay_candidate **kept = NULL;
    int64_t count = 0;
    mco_overlay_solution given = {0};
    for (int64_t e = 0; e < s->links; e++)
        given.count += s->x[e] > 0;
    MCO_TRY(mco_alloc(s->ctx, &kept, given.count));
    MCO_TRY(mco_alloc(s->ctx, &given.from, given.count));
    MCO_TRY(mco_alloc(s->ctx, &given.to, given.count));
    MCO_TRY(mco_alloc(s->ctx, &given.bandwidth, given.count));
    for (int64_t e = 0; e < s->links; e++)
        if (s->x[e] > 0)
            kept[count++] = &s->link[e];
    if (count > 0)
        qsort(kept, (size_t)count, sizeof *kept, by_ends);
    for (int64_t k = 0; k < count; k++) {
        given.from[k] = kept[k]->end[0];
        given.to[k] = kept[k]->end[1];
        given.bandwidth[k] = s->x[kept[k] - s->link];
    }
    mco_overlay_solution_clear(s->ctx, out);
    *out = given;
    given = (mco_overlay_solution){0};
done:
    mco_free(s->ctx, &kept);
    mco_overlay_solution_clear(s->ctx, &given);
    return st;
}
