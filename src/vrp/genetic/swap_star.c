// SPDX-License-Identifier: MIT
// SWAP* (Vidal 2022): two customers change routes, each to its best place there, or only one does. The best such move
// of a pair of routes is made. The three cheapest places of a customer in a route are kept until the route changes; at
// least one of them is not beside the customer that leaves. A bound rules out most pairs of customers: what taking both
// out saves, what their cheapest places cost, and how the loads change.
#include <string.h>

#include "vrp/genetic/swap_star.h"

#include "vrp/genetic/local_search.h"

// Two routes lie together if a customer of the lower-numbered one is among this many nearest ones of a customer of the
// other.
enum { NEAR = 5 };

static inline void keep_place(vrp_local_search_places *places, int32_t after, int32_t change)
{
    int k = VRP_BEST_PLACES - 1;
    if (change >= places->change[k])
        return;
    for (; k > 0 && change < places->change[k - 1]; k--) {
        places->change[k] = places->change[k - 1];
        places->after[k] = places->after[k - 1];
    }
    places->change[k] = change;
    places->after[k] = after;
}

static void find_places(const vrp_local_search *s, int32_t u, int32_t r, vrp_local_search_places *out)
{
    const int32_t depot = local_depot(s, r), *row = local_row(s, u);
    int32_t least = INT32_MAX, before = depot, at = s->node[depot].next;
    int32_t to_before = row[0], to_at = at != depot ? row[at] : row[0];
    for (int k = 0; k < VRP_BEST_PLACES; k++) {
        out->change[k] = INT32_MAX;
        out->after[k] = -1;
    }
    while (at != depot) {
        const vrp_local_search_node *node = &s->node[at];
        const int32_t next = node->next, to_next = next != depot ? row[next] : row[0];
        const int32_t instead = to_before + to_next - node->skip;
        keep_place(out, before, to_before + to_at - node->to_prev);
        least = instead < least ? instead : least;
        before = at;
        at = next;
        to_before = to_at;
        to_at = to_next;
    }
    keep_place(out, before, to_before + to_at - s->node[depot].to_prev);
    out->least = least < out->change[0] ? least : out->change[0];
}

static const vrp_local_search_places *places_of(vrp_local_search *s, int32_t u, int32_t r)
{
    vrp_local_search_places *places = &s->places[(int64_t)r * (s->network->customers + 1) + u];
    if (places->stamp < s->route[r].changed) {
        places->stamp = s->stamp;
        find_places(s, u, r, places);
    }
    return places;
}

// Finds the cheapest place of u in the route of v after v has left it. Returns the change of the distances there.
static int32_t place_without(vrp_local_search *s, int32_t u, int32_t v, int32_t *after)
{
    const vrp_local_search_node *node = &s->node[v];
    const vrp_local_search_places *places = places_of(s, u, node->route);
    const int32_t instead = local_distance(s, node->prev, u) + local_distance(s, u, node->next) - node->skip;
    int k = 0;
    while (places->after[k] == v || places->after[k] == node->prev)  // holds for at most two of the three
        k++;
    const bool is_instead = places->after[k] < 0 || instead <= places->change[k];
    *after = is_instead ? node->prev : places->after[k];
    return is_instead ? instead : places->change[k];
}

static inline int32_t change_without(const vrp_local_search *s, int32_t u)
{
    const vrp_local_search_node *node = &s->node[u];
    return node->skip - node->to_prev - node->to_next;
}

typedef struct swap {
    int32_t u, v;              // v 0: only u changes its route
    int32_t after_u, after_v;  // the nodes that they go behind
    double change;
} swap;

// Considers exchanging u and v. The distances change by at least `least`.
static inline void consider(vrp_local_search *s, int32_t u, int32_t v, int32_t least, swap *best)
{
    const vrp_local_search_route *a = &s->route[s->node[u].route], *b = &s->route[s->node[v].route];
    const int32_t load = s->node[u].demand - s->node[v].demand;
    const int64_t load_a = (int64_t)a->load - load, load_b = (int64_t)b->load + load;
    const double before = a->excess + b->excess;
    if (least + local_excess(s, load_a, 0) + local_excess(s, load_b, 0) - before >= best->change)
        return;
    int32_t after_u = 0, after_v = 0;
    const int64_t service = (int64_t)s->network->service[u] - s->network->service[v];
    const int64_t change_a = (int64_t)change_without(s, u) + place_without(s, v, u, &after_v);
    const int64_t change_b = (int64_t)change_without(s, v) + place_without(s, u, v, &after_u);
    const double after = local_excess(s, load_a, a->length + change_a - service) +
                         local_excess(s, load_b, b->length + change_b + service);
    const double change = (double)(change_a + change_b) + (after - before);
    if (change < best->change)
        *best = (swap){u, v, after_u, after_v, change};
}

// Considers moving u to its cheapest place in route r.
static void consider_alone(vrp_local_search *s, int32_t u, int32_t r, swap *best)
{
    const vrp_local_search_route *a = &s->route[s->node[u].route], *b = &s->route[r];
    const vrp_local_search_places *places = places_of(s, u, r);
    const int64_t out = change_without(s, u), in = places->change[0], load = s->node[u].demand, service = s->network->service[u];
    const double after = local_excess(s, a->load - load, a->length + out - service) +
                         local_excess(s, b->load + load, b->length + in + service);
    const double change = (double)(out + in) + (after - (a->excess + b->excess));
    if (change < best->change)
        *best = (swap){u, 0, places->after[0], 0, change};
}

static swap best_swap(vrp_local_search *s, int32_t a, int32_t b)
{
    const int32_t depot_a = local_depot(s, a), depot_b = local_depot(s, b);
    const double before = s->route[a].excess + s->route[b].excess;
    swap best = {.change = -local_least_gain(before)};
    int32_t *least_of = s->line, least = INT32_MAX, count = 0;
    for (int32_t v = s->node[depot_b].next; v != depot_b; v = s->node[v].next) {
        least_of[count] = change_without(s, v) + places_of(s, v, a)->least;
        least = least_of[count] < least ? least_of[count] : least;
        count++;
        consider_alone(s, v, a, &best);
    }
    for (int32_t u = s->node[depot_a].next; u != depot_a; u = s->node[u].next) {
        const int32_t mine = change_without(s, u) + places_of(s, u, b)->least;
        consider_alone(s, u, b, &best);
        if ((double)mine + least - before >= best.change)
            continue;
        int32_t k = 0;
        for (int32_t v = s->node[depot_b].next; v != depot_b; v = s->node[v].next)
            consider(s, u, v, mine + least_of[k++], &best);
    }
    return best;
}

static void take_out(vrp_local_search *s, int32_t u)
{
    local_link(s, s->node[u].prev, s->node[u].next);
}

static void put_behind(vrp_local_search *s, int32_t u, int32_t after)
{
    local_link(s, u, s->node[after].next);
    local_link(s, after, u);
}

static void make_swap(vrp_local_search *s, int32_t a, int32_t b)
{
    const swap best = best_swap(s, a, b);
    if (best.u == 0)
        return;
    take_out(s, best.u);
    if (best.v != 0)
        take_out(s, best.v);
    put_behind(s, best.u, best.after_u);  // neither customer goes behind the other
    if (best.v != 0)
        put_behind(s, best.v, best.after_v);
    vrp_local_search_moved(s, a, b);
}

void vrp_swap_star(vrp_local_search *s, int32_t r)
{
    const vrp_network *g = s->network;
    const int32_t tested = s->route[r].tested, depot = local_depot(s, r);
    s->route[r].tested = s->stamp;
    memset(s->is_near, 0, (size_t)g->routes * sizeof *s->is_near);
    for (int32_t u = s->node[depot].next; u != depot; u = s->node[u].next)
        for (int32_t k = 0; k < g->near_count && k < NEAR; k++)
            s->is_near[s->node[g->near[(int64_t)u * g->near_count + k]].route] = true;
    for (int32_t other = 0; other < r; other++)
        if (s->is_near[other] && !local_knows(s, r, other) &&
            (s->route[r].changed > tested || s->route[other].changed > tested))
            make_swap(s, r, other);
}
