// SPDX-License-Identifier: MIT
// The links of a problem: those of the network, arcs for turns, artificial arcs; sorted by tail, with the reverse star.
//
// Turns. A node v with a turn that costs or is banned is split. Each link into it ends at its own node (its gate), each link out of it
// begins at one, and an arc joins two gates where the turn is allowed. If v is a zone, it keeps arcs to the gates of
// the links out, and its sink has arcs from the gates of the links in.
//
// Artificial arcs, as in the published objective of Austin. The hub is the last node that is not split. An arc leads from it to
// each node that it cannot reach, and one to it from each node that cannot reach it. Both searches ignore first_through.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "traffic/model/settle.h"

// Links before they are sorted.
typedef struct draft {
    mco_context *ctx;
    const mco_traffic_network *net;
    int64_t nodes;
    int64_t count, tail_room, head_room, origin_room, fixed_room;
    int32_t *tail, *head, *origin;
    double *fixed;
    int32_t *sink;  // [zones] NULL: no zone has turns
    bool *is_split; // [nodes of the network] NULL: no turns
} draft;

static void draft_clear(draft *d)
{
    mco_free(d->ctx, &d->tail);
    mco_free(d->ctx, &d->head);
    mco_free(d->ctx, &d->origin);
    mco_free(d->ctx, &d->fixed);
    mco_free(d->ctx, &d->sink);
    mco_free(d->ctx, &d->is_split);
}

static mco_status add(draft *d, int64_t tail, int64_t head, int32_t origin, double fixed)
{
    mco_status st = MCO_OK;
    if (d->count == MCO_TRAFFIC_MAX_LINKS)
        return mco_fail(d->ctx, MCO_ERR_LIMIT, "more than %d links and turns, the most that are supported", MCO_TRAFFIC_MAX_LINKS);
    if (d->count == d->tail_room || d->count == d->head_room || d->count == d->origin_room || d->count == d->fixed_room) {
        MCO_TRY(mco_grow(d->ctx, &d->tail, &d->tail_room, d->count + 1));
        MCO_TRY(mco_grow(d->ctx, &d->head, &d->head_room, d->count + 1));
        MCO_TRY(mco_grow(d->ctx, &d->origin, &d->origin_room, d->count + 1));
        MCO_TRY(mco_grow(d->ctx, &d->fixed, &d->fixed_room, d->count + 1));
    }
    d->tail[d->count] = (int32_t)tail;
    d->head[d->count] = (int32_t)head;
    d->origin[d->count] = origin;
    d->fixed[d->count++] = fixed;
done:
    return st;
}

static mco_status add_network(draft *d)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = d->net;
    MCO_TRY(mco_grow(d->ctx, &d->tail, &d->tail_room, net->links));
    MCO_TRY(mco_grow(d->ctx, &d->head, &d->head_room, net->links));
    MCO_TRY(mco_grow(d->ctx, &d->origin, &d->origin_room, net->links));
    MCO_TRY(mco_grow(d->ctx, &d->fixed, &d->fixed_room, net->links));
    d->nodes = net->nodes;
    d->count = net->links;
    for (int32_t a = 0; a < net->links; a++) {
        d->tail[a] = net->tail[a];
        d->head[a] = net->head[a];
        d->origin[a] = a;
        d->fixed[a] = 0;
    }
done:
    return st;
}

// ---- Turns

static int compare_turns(const void *left, const void *right)
{
    const mco_traffic_turn *a = left, *b = right;
    return a->from != b->from ? (a->from > b->from) - (a->from < b->from) : (a->to > b->to) - (a->to < b->to);
}

// The turns that matter, sorted: those at ends are never made, and those that cost nothing change nothing.
static mco_status sort_turns(draft *d, mco_traffic_turn **out, int64_t *count)
{
    mco_traffic_turn *turns = NULL;
    *count = 0;
    mco_status st = mco_alloc(d->ctx, &turns, d->net->turn_count);
    *out = turns;
    if (st != MCO_OK)
        return st;
    memcpy(turns, d->net->turns, (size_t)d->net->turn_count * sizeof *turns);
    qsort(turns, (size_t)d->net->turn_count, sizeof *turns, compare_turns);
    for (int64_t k = 0; k < d->net->turn_count; k++) {
        const mco_traffic_turn t = turns[k];
        if (k > 0 && t.from == turns[k - 1].from && t.to == turns[k - 1].to)
            return mco_fail(d->ctx, MCO_ERR_ARGUMENT, "the turn from link %d into link %d is there twice", t.from + 1, t.to + 1);
    }
    for (int64_t k = 0; k < d->net->turn_count; k++)
        if (turns[k].cost > 0 && d->net->head[turns[k].from] >= d->net->first_through)
            turns[(*count)++] = turns[k];
    return MCO_OK;
}

// Links by a node of theirs: lists that end with -1.
typedef struct lists {
    int32_t *first, *next;  // [nodes], [links]
} lists;

static mco_status list_links(mco_context *ctx, const mco_traffic_network *net, const int32_t *node, lists *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &out->first, net->nodes));
    MCO_TRY(mco_alloc(ctx, &out->next, net->links));
    memset(out->first, 0xff, (size_t)net->nodes * sizeof *out->first);
    for (int32_t a = net->links - 1; a >= 0; a--) {
        out->next[a] = out->first[node[a]];
        out->first[node[a]] = a;
    }
done:
    return st;
}

// Gives the links at split nodes their gates, and zones their sinks.
static mco_status split_nodes(draft *d)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = d->net;
    MCO_TRY(mco_alloc(d->ctx, &d->sink, net->zones));
    for (int32_t a = 0; a < net->links; a++) {
        if (d->is_split[net->tail[a]])
            d->tail[a] = (int32_t)d->nodes++;
        if (d->is_split[net->head[a]])
            d->head[a] = (int32_t)d->nodes++;
        if (d->nodes > MCO_TRAFFIC_MAX_NODES)
            return mco_fail(d->ctx, MCO_ERR_LIMIT, "more than %d nodes with those of turns, the most that are supported", MCO_TRAFFIC_MAX_NODES);
    }
    for (int32_t z = 0; z < net->zones; z++)
        d->sink[z] = d->is_split[z] ? (int32_t)d->nodes++ : z;
    if (d->nodes > MCO_TRAFFIC_MAX_NODES)
        return mco_fail(d->ctx, MCO_ERR_LIMIT, "%" PRId64 " nodes with those of turns, at most %d supported", d->nodes, MCO_TRAFFIC_MAX_NODES);
done:
    return st;
}

// The arcs from the gate of link a to those of the links that follow it. *at is the first turn of link a.
static mco_status add_turns_of(draft *d, int32_t a, const lists *out_links, const mco_traffic_turn *turns, int64_t count, int64_t *at)
{
    mco_status st = MCO_OK;
    const int32_t via = d->net->head[a];
    for (int32_t b = out_links->first[via]; b >= 0; b = out_links->next[b]) {
        double cost = 0;
        for (; *at < count && turns[*at].from == a && turns[*at].to < b; (*at)++) {}
        if (*at < count && turns[*at].from == a && turns[*at].to == b)
            cost = turns[*at].cost;
        if (cost < INFINITY)
            MCO_TRY(add(d, d->head[a], d->tail[b], TRAFFIC_TURN_ARC, cost));
    }
    for (; *at < count && turns[*at].from == a; (*at)++) {}
done:
    return st;
}

// Arcs between a zone and the gates at it.
static mco_status add_ends(draft *d)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = d->net;
    for (int32_t a = 0; a < net->links; a++) {
        if (net->tail[a] < net->zones && d->is_split[net->tail[a]])
            MCO_TRY(add(d, net->tail[a], d->tail[a], TRAFFIC_TURN_ARC, 0));
        if (net->head[a] < net->zones && d->is_split[net->head[a]])
            MCO_TRY(add(d, d->head[a], d->sink[net->head[a]], TRAFFIC_TURN_ARC, 0));
    }
done:
    return st;
}

static mco_status add_turns(draft *d)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = d->net;
    mco_traffic_turn *turns = NULL;
    lists out_links = {0};
    int64_t count = 0, at = 0;
    MCO_TRY(sort_turns(d, &turns, &count));
    if (count == 0)
        goto done;
    MCO_TRY(mco_alloc(d->ctx, &d->is_split, net->nodes));
    for (int64_t k = 0; k < count; k++)
        d->is_split[net->head[turns[k].from]] = true;
    MCO_TRY(list_links(d->ctx, net, net->tail, &out_links));
    MCO_TRY(split_nodes(d));
    for (int32_t a = 0; a < net->links; a++) {
        MCO_TRY(mco_call_in_time(d->ctx, a));
        if (d->is_split[net->head[a]])
            MCO_TRY(add_turns_of(d, a, &out_links, turns, count, &at));
    }
    MCO_TRY(add_ends(d));
done:
    mco_free(d->ctx, &turns);
    mco_free(d->ctx, &out_links.first);
    mco_free(d->ctx, &out_links.next);
    return st;
}

// ---- Stars

static void clear_stars(mco_context *ctx, traffic_problem *p)
{
    mco_free(ctx, &p->first);
    mco_free(ctx, &p->tail);
    mco_free(ctx, &p->head);
    mco_free(ctx, &p->into_first);
    mco_free(ctx, &p->into);
    mco_free(ctx, &p->origin_link);
}

// Counts items by node and sums the counts up: first[v + 1] becomes where the items of v begin; filling moves it behind them.
static void begin_rows(int32_t nodes, int32_t count, const int32_t *node, int32_t *first)
{
    for (int32_t a = 0; a < count; a++)
        first[node[a] + 1]++;
    int32_t sum = 0;
    for (int32_t v = 0; v < nodes; v++) {
        const int32_t size = first[v + 1];
        first[v + 1] = sum;
        sum += size;
    }
}

// Sorts the draft by tail into the problem.
static mco_status make_stars(const draft *d, traffic_problem *p, double **fixed)
{
    mco_status st = MCO_OK;
    const int32_t links = (int32_t)d->count, nodes = (int32_t)d->nodes;
    mco_context *ctx = d->ctx;
    p->nodes = nodes;
    p->links = links;
    MCO_TRY(mco_alloc(ctx, &p->first, (int64_t)nodes + 1));
    MCO_TRY(mco_alloc(ctx, &p->into_first, (int64_t)nodes + 1));
    MCO_TRY(mco_alloc(ctx, &p->tail, links));
    MCO_TRY(mco_alloc(ctx, &p->head, links));
    MCO_TRY(mco_alloc(ctx, &p->into, links));
    MCO_TRY(mco_alloc(ctx, &p->origin_link, links));
    MCO_TRY(mco_alloc(ctx, fixed, links));
    begin_rows(nodes, links, d->tail, p->first);
    for (int32_t a = 0; a < links; a++) {
        const int32_t at = p->first[d->tail[a] + 1]++;
        p->tail[at] = d->tail[a];
        p->head[at] = d->head[a];
        p->origin_link[at] = d->origin[a];
        (*fixed)[at] = d->fixed[a];
        if (d->origin[a] >= 0)
            p->link_at[d->origin[a]] = at;
    }
    begin_rows(nodes, links, p->head, p->into_first);
    for (int32_t a = 0; a < links; a++)
        p->into[p->into_first[p->head[a] + 1]++] = a;
done:
    return st;
}

// ---- Artificial arcs

// Marks what a search from the hub reaches, forward or backward, through all nodes.
static mco_status search_all(mco_context *ctx, const traffic_problem *p, int32_t hub, bool is_forward, bool *seen)
{
    int32_t *queue = NULL, done = 0, count = 0;
    mco_status st = mco_alloc(ctx, &queue, p->nodes);
    if (st != MCO_OK)
        return st;
    const int32_t *first = is_forward ? p->first : p->into_first;
    queue[count++] = hub;
    seen[hub] = true;
    while (done < count) {
        const int32_t v = queue[done++];
        for (int32_t i = first[v]; i < first[v + 1]; i++) {
            const int32_t u = is_forward ? p->head[i] : p->tail[p->into[i]];
            if (!seen[u])
                queue[count++] = u;
            seen[u] = true;
        }
    }
    mco_free(ctx, &queue);
    return MCO_OK;
}

static bool is_split(const draft *d, int32_t v)
{
    return d->is_split != NULL && d->is_split[v];
}

// Adds the arcs of the rule. Split nodes that are no zones are passed by their gates alone, and need none.
static mco_status add_artificial(draft *d, traffic_problem *p, double cost)
{
    mco_status st = MCO_OK;
    bool *reached = NULL, *reaches = NULL;
    int32_t hub = d->net->nodes - 1;
    while (hub >= 0 && is_split(d, hub))
        hub--;
    if (hub < 0)
        return MCO_OK;
    p->hub = hub;
    MCO_TRY(mco_alloc(d->ctx, &reached, p->nodes));
    MCO_TRY(mco_alloc(d->ctx, &reaches, p->nodes));
    MCO_TRY(search_all(d->ctx, p, hub, true, reached));
    MCO_TRY(search_all(d->ctx, p, hub, false, reaches));
    for (int32_t v = 0; v < d->net->nodes; v++) {
        if (is_split(d, v) && v >= d->net->zones)
            continue;
        const int32_t end = d->sink != NULL && v < d->net->zones ? d->sink[v] : v;
        if (!reached[end]) {
            MCO_TRY(add(d, hub, end, TRAFFIC_ARTIFICIAL_ARC, cost));
            p->artificial_arcs++;
        }
        if (!reaches[v]) {
            MCO_TRY(add(d, v, hub, TRAFFIC_ARTIFICIAL_ARC, cost));
            p->artificial_arcs++;
        }
    }
done:
    mco_free(d->ctx, &reached);
    mco_free(d->ctx, &reaches);
    return st;
}

mco_status traffic_settle_arcs(mco_context *ctx, const mco_traffic_params *params, traffic_problem *problem, double **fixed)
{
    mco_status st = MCO_OK;
    const mco_traffic_network view = mco_traffic_view(problem->traffic), *net = &view;
    draft d = {.ctx = ctx, .net = net};
    MCO_TRY(mco_alloc(ctx, &problem->link_at, net->links));
    problem->first_through = net->first_through;
    problem->hub = -1;
    MCO_TRY(add_network(&d));
    if (net->turn_count > 0)
        MCO_TRY(add_turns(&d));
    MCO_TRY(make_stars(&d, problem, fixed));
    if (params->unreachable == MCO_TRAFFIC_ARC) {
        MCO_TRY(add_artificial(&d, problem, params->arc_cost));
        if (problem->artificial_arcs > 0) {
            clear_stars(ctx, problem);
            mco_free(ctx, fixed);
            MCO_TRY(make_stars(&d, problem, fixed));
        }
    }
    problem->sink = d.sink;
    d.sink = NULL;
done:
    draft_clear(&d);
    return st;
}
