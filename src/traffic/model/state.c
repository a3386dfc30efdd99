// SPDX-License-Identifier: MIT
// Flows of rows and pairs of segments by the links of the network as read, so that they outlive a problem and small edits (state_take.c).
//
// Links of a problem stand by tail, those of a state as in the file; arcs of turns and artificial arcs follow. Such an arc is known by
// what it joins: a link, or a node (-1 - node).
#include <string.h>

#include "traffic/model/arc_names.h"
#include "traffic/model/network.h"
#include "traffic/model/problem.h"

static mco_status copy_network(mco_context *ctx, const traffic_problem *p, mco_traffic_state *s)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = &p->traffic->view;
    s->nodes = net->nodes;
    s->zones = net->zones;
    s->links = net->links;
    s->classes = p->classes;
    MCO_TRY(mco_alloc(ctx, &s->tail, net->links));
    MCO_TRY(mco_alloc(ctx, &s->head, net->links));
    if (net->links > 0) {
        memcpy(s->tail, net->tail, (size_t)net->links * sizeof *s->tail);
        memcpy(s->head, net->head, (size_t)net->links * sizeof *s->head);
    }
done:
    return st;
}

// map [links of the problem]: numbers of the state.
static mco_status number_links(mco_context *ctx, const traffic_problem *p, mco_traffic_state *s, int32_t *map)
{
    mco_status st = MCO_OK;
    traffic_arc_name *names = NULL;
    MCO_TRY(traffic_name_arcs(ctx, p, &names, &s->more_links));
    MCO_TRY(mco_alloc(ctx, &s->more, 2 * (int64_t)s->more_links));
    for (int32_t i = 0; i < s->more_links; i++) {
        s->more[2 * i] = names[i].from;
        s->more[2 * i + 1] = names[i].to;
        map[names[i].link] = s->links + i;
    }
    for (int32_t e = 0; e < p->links; e++)
        if (p->origin_link[e] >= 0)
            map[e] = p->origin_link[e];
done:
    mco_free(ctx, &names);
    return st;
}

int32_t traffic_state_row(const traffic_problem *p, int32_t row)
{
    return p->row_class[row] * p->traffic->view.zones + p->row_origin[row];
}

// Numbers the links [count] of a row by the map where they stand, and drops those without flow. Returns how many are left.
static int64_t move_row(const int32_t *map, int64_t count, const int32_t *from_link, const double *from_flow, int32_t *link, double *flow)
{
    int64_t used = 0;
    for (int64_t i = 0; i < count; i++) {
        const double x = from_flow[i];
        link[used] = map[from_link[i]];
        flow[used] = x;
        used += x > 0;
    }
    return used;
}

// Moves the flows. Rows keep the order of the problem's links, so that nothing is sorted here and when the state is taken.
static mco_status move_flows(mco_context *ctx, const traffic_problem *p, traffic_flows *flows, const int32_t *map, mco_traffic_state *s)
{
    mco_status st = MCO_OK;
    const int32_t rows = s->classes * s->zones;
    s->flows.rows = rows;
    MCO_TRY(mco_alloc(ctx, &s->flows.first, (int64_t)rows + 1));
    if (flows->first == NULL) {
        MCO_TRY(mco_alloc(ctx, &s->flows.link, 0));
        MCO_TRY(mco_alloc(ctx, &s->flows.flow, 0));
        return MCO_OK;
    }
    int64_t used = 0;
    int32_t next = 0;
    for (int32_t r = 0; r < p->rows; r++) {
        for (; next <= traffic_state_row(p, r); next++)
            s->flows.first[next] = used;
        const int64_t begin = flows->first[r], count = flows->first[r + 1] - begin;
        used += move_row(map, count, flows->link + begin, flows->flow + begin, flows->link + used, flows->flow + used);
    }
    for (; next <= rows; next++)
        s->flows.first[next] = used;
    s->flows.link = flows->link;
    s->flows.flow = flows->flow;
    flows->link = NULL;
    flows->flow = NULL;
    traffic_flows_clear(ctx, flows);
done:
    return st;
}

static mco_status copy_pairs(mco_context *ctx, const traffic_problem *p, const traffic_pairs *pairs, const int32_t *map, mco_traffic_state *s)
{
    mco_status st = MCO_OK;
    const int64_t count = pairs != NULL && pairs->first != NULL ? pairs->count : 0;
    const int64_t links = count > 0 ? pairs->first[2 * count] : 0, rows = count > 0 ? pairs->row_first[count] : 0;
    s->pairs.count = count;
    MCO_TRY(mco_alloc(ctx, &s->pairs.first, 2 * count + 1));
    MCO_TRY(mco_alloc(ctx, &s->pairs.row_first, count + 1));
    MCO_TRY(mco_alloc(ctx, &s->pairs.link, links));
    MCO_TRY(mco_alloc(ctx, &s->pairs.row, rows));
    if (count == 0)
        return MCO_OK;
    memcpy(s->pairs.first, pairs->first, (size_t)(2 * count + 1) * sizeof *pairs->first);
    memcpy(s->pairs.row_first, pairs->row_first, (size_t)(count + 1) * sizeof *pairs->row_first);
    for (int64_t i = 0; i < links; i++)
        s->pairs.link[i] = map[pairs->link[i]];
    for (int64_t i = 0; i < rows; i++)
        s->pairs.row[i] = traffic_state_row(p, pairs->row[i]);
done:
    return st;
}

mco_status traffic_state_of(mco_context *ctx, const traffic_problem *problem, traffic_flows *flows, const traffic_pairs *pairs,
                            mco_traffic_state **out)
{
    mco_status st = MCO_OK;
    mco_traffic_state *s = NULL;
    int32_t *map = NULL;
    MCO_TRY(mco_alloc(ctx, &s, 1));
    MCO_TRY(mco_alloc(ctx, &map, problem->links));
    MCO_TRY(copy_network(ctx, problem, s));
    MCO_TRY(number_links(ctx, problem, s, map));
    MCO_TRY(copy_pairs(ctx, problem, pairs, map, s));
    MCO_TRY(move_flows(ctx, problem, flows, map, s));
    *out = s;
    s = NULL;
done:
    mco_free(ctx, &map);
    mco_traffic_state_clear(ctx, &s);
    return st;
}

void mco_traffic_state_clear(mco_context *ctx, mco_traffic_state **state)
{
    if (state == NULL || *state == NULL)
        return;
    mco_traffic_state *s = *state;
    if (s->block != NULL) {
        mco_free_bytes(ctx, &s->block);
        mco_free(ctx, state);
        return;
    }
    mco_free(ctx, &s->tail);
    mco_free(ctx, &s->head);
    mco_free(ctx, &s->more);
    traffic_flows_clear(ctx, &s->flows);
    traffic_pairs_clear(ctx, &s->pairs);
    traffic_plan_clear(ctx, &s->plan);
    mco_free(ctx, state);
}
