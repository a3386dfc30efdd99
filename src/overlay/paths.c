// SPDX-License-Identifier: MIT
// Rests meet (search.h). Nodes are left with less bandwidth than the least of any link. A path of kept links moves such a rest: one link
// carries more, the next one less, and so on, until another node with a rest is reached. So two rests that are far apart become bandwidth
// of links, as augmenting paths enlarge a matching. Where no path helps, a link is added at its least, and what its ends then carry too
// much goes away by such paths.
//
// A state is a node that has some bandwidth left, or one that needs some. From a node that has, a link carries more, and its other end
// needs; from a node that needs, a link carries less, and its other end has. States are labelled layer by layer; only the best of a layer
// by their weights and duals are looked at further. A link may stand twice on a path; paths that break its limits so are undone.
#include <string.h>

#include "overlay/search.h"

// Layers of a search; candidates that are tried; nodes that get something back; paths of a node at a time.
enum { LAYERS = 7, ADDED_LINKS = 6, MOST_TOUCHED = 32, MOST_PATHS = 64 };

static int32_t state_of(int32_t node, bool needs)
{
    return 2 * node + needs;
}

mco_status overlay_paths_open(mco_context *ctx, int32_t nodes, overlay_paths *out)
{
    mco_status st = MCO_OK;
    *out = (overlay_paths){.ctx = ctx};
    MCO_TRY(mco_alloc(ctx, &out->label, 2 * (int64_t)nodes));
    MCO_TRY(mco_alloc(ctx, &out->layer, 2 * (int64_t)nodes));
done:
    return st;
}

void overlay_paths_close(overlay_paths *p)
{
    mco_free(p->ctx, &p->layer);
    mco_free(p->ctx, &p->label);
}

// ---- Labels

// What a unit at a state promises: its worth so far, and the price of the bandwidth that it has or needs.
static int64_t promise_of(const overlay_search *s, int32_t state)
{
    const int64_t dual = s->guide.dual[state / 2];
    return s->paths.label[state].score + (state % 2 != 0 ? -dual : dual);
}

// Labels a state, or gives it a better label of the same layer.
static void label(overlay_search *s, int32_t state, overlay_label by)
{
    overlay_paths *p = &s->paths;
    overlay_label *at = &p->label[state];
    const bool is_new = at->search != p->searches;
    if (!is_new && (at->depth != by.depth || at->score >= by.score))
        return;
    if (is_new)
        p->layer[p->in_layer++] = state;
    *at = by;
}

// How much less or more a link can carry and still be kept. Where its least is a unit, it may come and go.
static int32_t slack_of(const overlay_search *s, int32_t e, bool less)
{
    const overlay_candidate *link = &s->link[e];
    const bool is_free = link->least <= 1;
    if (s->x[e] == 0 && !is_free)
        return 0;
    return less ? s->x[e] - (is_free ? 0 : link->least) : link->most - s->x[e];
}

static void label_ends(overlay_search *s, int32_t state, int depth)
{
    const overlay_label from = s->paths.label[state];
    const int32_t v = state / 2;
    const bool needs = state % 2 != 0;
    overlay_look look = overlay_look_at(s, v);
    for (int32_t e = overlay_next(&look); e >= 0; e = overlay_next(&look)) {
        const overlay_candidate *link = &s->link[e];
        const int32_t slack = slack_of(s, e, needs);
        if (slack <= 0)
            continue;
        label(s, state_of(overlay_other_end(link, v), !needs),
              (overlay_label){.search = s->paths.searches, .depth = depth, .link = e, .before = state,
                              .most = slack < from.most ? slack : from.most, .score = from.score + (needs ? -1 : 1) * (int64_t)link->weight});
    }
}

typedef struct path_end {
    int32_t state;
    int32_t amount;
    double gain;
} path_end;

// What the path to a state is worth if it ends there: where a node that needs has a rest, the rests meet; a node that has keeps it.
static path_end end_at(const overlay_search *s, int32_t state, int32_t start)
{
    const overlay_label *l = &s->paths.label[state];
    const int32_t v = state / 2;
    const bool is_need = state % 2 != 0;
    int64_t amount = l->most;
    int64_t unit = l->score;
    if (is_need) {
        const int64_t rest = v == start / 2 ? s->rest[v] / 2 : s->rest[v];
        amount = rest < amount ? rest : amount;
    } else if (start % 2 != 0) {
        unit += s->guide.dual[v] / 2;  // the rest may meet another one
    }
    return (path_end){state, (int32_t)amount, (double)amount * (double)unit};
}

// Keeps the most promising states of the layer, the best one first.
static void cut_layer(overlay_search *s)
{
    overlay_paths *p = &s->paths;
    int32_t kept = 0;
    for (int32_t k = 0; k < p->in_layer; k++) {
        const int32_t state = p->layer[k];
        const int64_t promise = promise_of(s, state);
        int32_t at = kept;
        while (at > 0 && p->promise[at - 1] < promise)
            at--;
        if (at == OVERLAY_BEAM)
            continue;
        kept += kept < OVERLAY_BEAM;
        memmove(p->beam + at + 1, p->beam + at, (size_t)(kept - 1 - at) * sizeof *p->beam);
        memmove(p->promise + at + 1, p->promise + at, (size_t)(kept - 1 - at) * sizeof *p->promise);
        p->beam[at] = state;
        p->promise[at] = promise;
    }
    p->in_beam = kept;
}

// The best path from a state with that much to have or to need. A need must go, whatever that costs. False: there is none.
static bool find_path(overlay_search *s, int32_t start, int64_t amount, path_end *best)
{
    overlay_paths *p = &s->paths;
    const bool must_go = start % 2 != 0;
    p->searches++;
    p->label[start] = (overlay_label){.search = p->searches, .link = -1, .before = -1, .most = amount < INT32_MAX ? (int32_t)amount : INT32_MAX};
    p->beam[0] = start;
    p->in_beam = 1;
    *best = (path_end){.state = -1};
    bool meets = false;
    for (int depth = 1; depth <= LAYERS && p->in_beam > 0 && !meets; depth++) {
        p->in_layer = 0;
        for (int32_t k = 0; k < p->in_beam; k++)
            label_ends(s, p->beam[k], depth);
        for (int32_t k = 0; k < p->in_layer; k++) {
            const path_end end = end_at(s, p->layer[k], start);
            if (end.amount <= 0 || (!must_go && end.gain <= 0) || (best->state >= 0 && end.gain <= best->gain))
                continue;
            *best = end;
            meets = end.state % 2 != 0;
        }
        cut_layer(s);
    }
    return best->state >= 0;
}

// Moves the amount along the path. False: a limit is broken, since a link stands twice, or there is no memory; the caller undoes it.
static bool follow(overlay_search *s, const path_end *end)
{
    for (int32_t state = end->state; s->paths.label[state].link >= 0; state = s->paths.label[state].before) {
        const int32_t e = s->paths.label[state].link;
        if (!overlay_change_link(s, e, s->x[e] + (state % 2 != 0 ? end->amount : -end->amount)))
            return false;
    }
    for (int32_t state = end->state; s->paths.label[state].link >= 0; state = s->paths.label[state].before) {
        const int32_t e = s->paths.label[state].link;
        if ((s->x[e] < s->link[e].least && s->x[e] != 0) || s->x[e] < 0 || s->x[e] > s->link[e].most)
            return false;
    }
    return true;
}

bool overlay_meet(overlay_search *s, int32_t v)
{
    const double before = s->worth;
    path_end end;
    for (int k = 0; k < MOST_PATHS && s->rest[v] > 0 && !mco_run_must_stop(s->run, s->moves) && find_path(s, state_of(v, false), s->rest[v], &end); k++) {
        const int64_t changes = s->changes;
        const double worth = s->worth;
        if (!follow(s, &end) || s->worth <= worth) {
            overlay_undo(s, changes, worth);
            break;
        }
    }
    return s->worth > before;
}

// ---- Links that are added

// What a node carries too much goes away. Appends the nodes that have more left then to touched[*count).
static bool relieve(overlay_search *s, int32_t v, int32_t *touched, int32_t *count)
{
    path_end end;
    for (int k = 0; s->rest[v] < 0; k++) {
        if (k == MOST_PATHS || *count == MOST_TOUCHED || mco_run_must_stop(s->run, s->moves) || !find_path(s, state_of(v, true), -s->rest[v], &end) || !follow(s, &end))
            return false;
        if (end.state % 2 == 0)
            touched[(*count)++] = end.state / 2;
    }
    return true;
}

// Adds a link at its least, or with what both ends have left. False: that gains nothing; it is undone.
static bool add_link(overlay_search *s, int32_t e)
{
    const overlay_candidate *link = &s->link[e];
    const int64_t changes = s->changes;
    const double before = s->worth;
    int32_t touched[MOST_TOUCHED], count = 0;
    if (overlay_change_link(s, e, link->least) && relieve(s, link->end[0], touched, &count) && relieve(s, link->end[1], touched, &count)) {
        overlay_meet(s, link->end[0]);
        overlay_meet(s, link->end[1]);
        for (int32_t k = 0; k < count; k++)
            overlay_meet(s, touched[k]);
        if (s->worth > before)
            return true;
    }
    overlay_undo(s, changes, before);
    return false;
}

bool overlay_add_links(overlay_search *s, int32_t v)
{
    int32_t tried = 0;
    overlay_look look = overlay_look_at(s, v);
    for (int32_t e = overlay_next(&look); e >= 0 && tried < ADDED_LINKS && s->rest[v] > 0; e = overlay_next(&look)) {
        if (s->x[e] > 0 || s->rest[overlay_other_end(&s->link[e], v)] == 0)
            continue;
        if (add_link(s, e))
            return true;
        tried++;
    }
    return false;
}
