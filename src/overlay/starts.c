// SPDX-License-Identifier: MIT
// Other starts of the search than the greedy one (search.h).
#include "overlay/search.h"

// Empties the overlay. *x takes what it was. Errors: MEMORY.
static mco_status begin(overlay_search *s, int32_t **x)
{
    const mco_status st = mco_alloc(s->ctx, x, s->links);
    for (int64_t e = 0; st == MCO_OK && e < s->links; e++) {
        (*x)[e] = s->x[e];
        overlay_set_bandwidth(s, (int32_t)e, 0);
    }
    return st;
}

// Goes back to the overlay x, which was worth `before`, if the new one is not worth more. Releases x.
static void end(overlay_search *s, int32_t **x, double before)
{
    const bool is_better = s->worth > before;
    for (int64_t e = 0; *x != NULL && !is_better && e < s->links; e++)
        overlay_set_bandwidth(s, (int32_t)e, (*x)[e]);
    mco_free(s->ctx, x);
}

static mco_status meet_all(overlay_search *s)
{
    mco_status st = MCO_OK;
    for (int32_t v = 0; v < s->o->nodes && !mco_run_must_stop(s->run, s->moves); v++) {
        overlay_meet(s, v);
        MCO_TRY(overlay_commit(s));
    }
done:
    return st;
}

// ---- Room for paths

// Keeps links at their most while both ends have any bandwidth left and room for the least of all. So nodes carry too much.
static void overfill(overlay_search *s, int64_t *least)
{
    for (int64_t e = 0; e < s->links; e++) {
        const overlay_candidate *link = &s->link[e];
        const int32_t i = link->end[0], j = link->end[1];
        const mco_overlay *o = s->o;
        if (s->rest[i] <= 0 || s->rest[j] <= 0 || least[i] + link->least > o->bandwidth[i] || least[j] + link->least > o->bandwidth[j])
            continue;
        overlay_set_bandwidth(s, (int32_t)e, link->most);
        least[i] += link->least;
        least[j] += link->least;
    }
}

// Takes back what nodes carry too much, from links of low reduced weight first: where both ends carry too much, then where one does.
static void take_back(overlay_search *s, bool from_both)
{
    for (int64_t e = s->links - 1; e >= 0; e--) {
        const overlay_candidate *link = &s->link[e];
        const int64_t i = -s->rest[link->end[0]], j = -s->rest[link->end[1]], slack = (int64_t)s->x[e] - link->least;
        int64_t less = from_both ? (i < j ? i : j) : (i > j ? i : j);
        less = less < slack ? less : slack;
        if (s->x[e] > 0 && less > 0)
            overlay_set_bandwidth(s, (int32_t)e, (int32_t)(s->x[e] - less));
    }
}

mco_status overlay_start_over(overlay_search *s)
{
    mco_status st = MCO_OK;
    const double before = s->worth;
    int64_t *least = NULL;
    int32_t *x = NULL;
    MCO_TRY(mco_alloc(s->ctx, &least, s->o->nodes));
    MCO_TRY(begin(s, &x));
    overfill(s, least);
    take_back(s, true);
    take_back(s, false);
    MCO_TRY(meet_all(s));
done:
    end(s, &x, before);
    mco_free(s->ctx, &least);
    return st;
}

// ---- Given links

// The candidate with these ends; -1: there is none.
static int32_t candidate_of(const overlay_search *s, int32_t i, int32_t j)
{
    for (int64_t a = s->first[i]; a < s->first[i + 1]; a++)
        if (overlay_other_end(&s->link[s->of[a]], i) == j)
            return s->of[a];
    return -1;
}

mco_status overlay_start_with(overlay_search *s, int64_t count, const int32_t *from, const int32_t *to)
{
    mco_status st = MCO_OK;
    const double before = s->worth;
    int32_t *x = NULL;
    MCO_TRY(begin(s, &x));
    for (int64_t k = 0; k < count; k++) {
        const int32_t e = candidate_of(s, from[k], to[k]);
        if (e >= 0 && s->rest[from[k]] >= s->link[e].least && s->rest[to[k]] >= s->link[e].least)
            overlay_set_bandwidth(s, e, s->link[e].least);
    }
    for (int64_t e = 0; e < s->links; e++) {  // the best links take what is left
        const overlay_candidate *link = &s->link[e];
        const int64_t i = s->rest[link->end[0]], j = s->rest[link->end[1]], rest = i < j ? i : j, room = (int64_t)link->most - s->x[e];
        if (s->x[e] > 0)
            overlay_set_bandwidth(s, (int32_t)e, (int32_t)(s->x[e] + (rest < room ? rest : room)));
    }
    MCO_TRY(meet_all(s));
done:
    end(s, &x, before);
    return st;
}
