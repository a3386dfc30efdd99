// SPDX-License-Identifier: MIT
// Flows of a row in the order of their nodes. Kahn's order; where it halts, a cycle of flow is found by walking backward, and
// the least flow of the cycle is taken off all of it: nobody's trip gets longer, and the flows still carry the trips.
#include "traffic/analysis/bush.h"

#include <string.h>

#include "traffic/model/network.h"

// ---- The graph of a state

static mco_status check_same(mco_context *ctx, const mco_traffic_network *net, const mco_traffic *traffic, const mco_traffic_state *state)
{
    const size_t bytes = (size_t)net->links * sizeof *net->tail;
    if (state->links == net->links && state->zones == net->zones && state->nodes == net->nodes && state->classes == traffic->class_count &&
        (bytes == 0 || (memcmp(state->tail, net->tail, bytes) == 0 && memcmp(state->head, net->head, bytes) == 0)))
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "the state is of another network: it has %d nodes, %d links and %d zones, this one has %d, %d and %d%s",
                    state->nodes, state->links, state->zones, net->nodes, net->links, net->zones,
                    state->links == net->links ? ", or links join other nodes" : "");
}

// Gives links their gates: one that an arc leads to begins at a gate, one that an arc leads from ends at one. *nodes grows.
static void add_gates(const mco_traffic_state *s, traffic_state_graph *g)
{
    for (int32_t i = 0; i < s->more_links; i++) {
        const int32_t from = s->more[2 * i], to = s->more[2 * i + 1];
        if (from >= 0 && g->head[from] < s->nodes)
            g->head[from] = g->nodes++;
        if (to >= 0 && g->tail[to] < s->nodes)
            g->tail[to] = g->nodes++;
        if (from >= 0 && to < 0 && -1 - to < s->zones && g->end[-1 - to] < s->nodes)
            g->end[-1 - to] = g->nodes++;
    }
    for (int32_t i = 0; i < s->more_links; i++) {
        const int32_t from = s->more[2 * i], to = s->more[2 * i + 1], a = s->links + i;
        g->tail[a] = from >= 0 ? g->head[from] : -1 - from;
        g->head[a] = to >= 0 ? g->tail[to] : -1 - to < s->zones ? g->end[-1 - to] : -1 - to;
    }
}

mco_status traffic_state_graph_open(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, traffic_state_graph *out)
{
    mco_status st = MCO_OK;
    traffic_state_graph g = {.nodes = state->nodes, .links = state->links + state->more_links};
    MCO_TRY(check_same(ctx, &traffic->view, traffic, state));
    MCO_TRY(mco_alloc(ctx, &g.tail, g.links));
    MCO_TRY(mco_alloc(ctx, &g.head, g.links));
    MCO_TRY(mco_alloc(ctx, &g.end, state->zones));
    for (int32_t z = 0; z < state->zones; z++)
        g.end[z] = z;
    for (int32_t a = 0; a < state->links; a++) {
        g.tail[a] = state->tail[a];
        g.head[a] = state->head[a];
    }
    add_gates(state, &g);
    *out = g;
    g = (traffic_state_graph){0};
done:
    traffic_state_graph_close(ctx, &g);
    return st;
}

void traffic_state_graph_close(mco_context *ctx, traffic_state_graph *graph)
{
    mco_free(ctx, &graph->tail);
    mco_free(ctx, &graph->head);
    mco_free(ctx, &graph->end);
}

// ---- The bush

mco_status traffic_bush_open(mco_context *ctx, const traffic_state_graph *graph, const traffic_flows *flows, traffic_bush *out)
{
    mco_status st = MCO_OK;
    traffic_bush b = {.graph = graph};
    int64_t links = 0;
    for (int32_t r = 0; r < flows->rows; r++)
        links = flows->first[r + 1] - flows->first[r] > links ? flows->first[r + 1] - flows->first[r] : links;
    const int64_t nodes = 2 * links < graph->nodes ? 2 * links : graph->nodes;
    MCO_TRY(mco_alloc(ctx, &b.link, links));
    MCO_TRY(mco_alloc(ctx, &b.flow, links));
    MCO_TRY(mco_alloc(ctx, &b.tail, links));
    MCO_TRY(mco_alloc(ctx, &b.head, links));
    MCO_TRY(mco_alloc(ctx, &b.out, links));
    MCO_TRY(mco_alloc(ctx, &b.in, links));
    MCO_TRY(mco_alloc(ctx, &b.out_first, nodes + 2));
    MCO_TRY(mco_alloc(ctx, &b.in_first, nodes + 2));
    MCO_TRY(mco_alloc(ctx, &b.node, nodes));
    MCO_TRY(mco_alloc(ctx, &b.order, nodes));
    MCO_TRY(mco_alloc(ctx, &b.into, nodes));
    MCO_TRY(mco_alloc(ctx, &b.ends, nodes));
    MCO_TRY(mco_alloc(ctx, &b.waiting, nodes));
    MCO_TRY(mco_alloc(ctx, &b.cycle, nodes));
    MCO_TRY(mco_alloc(ctx, &b.at, graph->nodes));
    memset(b.at, 0xff, (size_t)graph->nodes * sizeof *b.at);
    *out = b;
    b = (traffic_bush){0};
done:
    traffic_bush_close(ctx, &b);
    return st;
}

void traffic_bush_close(mco_context *ctx, traffic_bush *b)
{
    mco_free(ctx, &b->link);
    mco_free(ctx, &b->flow);
    mco_free(ctx, &b->tail);
    mco_free(ctx, &b->head);
    mco_free(ctx, &b->out);
    mco_free(ctx, &b->in);
    mco_free(ctx, &b->out_first);
    mco_free(ctx, &b->in_first);
    mco_free(ctx, &b->node);
    mco_free(ctx, &b->order);
    mco_free(ctx, &b->into);
    mco_free(ctx, &b->ends);
    mco_free(ctx, &b->waiting);
    mco_free(ctx, &b->cycle);
    mco_free(ctx, &b->at);
}

static int32_t node_of(traffic_bush *b, int32_t node)
{
    if (b->at[node] < 0) {
        b->at[node] = b->nodes;
        b->node[b->nodes++] = node;
    }
    return b->at[node];
}

// Sorts links by a node of theirs: item[first[v]] .. item[first[v + 1] - 1].
static void make_star(int32_t nodes, int32_t links, const int32_t *node, int32_t *first, int32_t *item)
{
    memset(first, 0, (size_t)(nodes + 2) * sizeof *first);
    for (int32_t i = 0; i < links; i++)
        first[node[i] + 2]++;
    for (int32_t v = 0; v < nodes; v++)
        first[v + 2] += first[v + 1];
    for (int32_t i = 0; i < links; i++)
        item[first[node[i] + 1]++] = i;
}

// A link with flow into v from a node that waits; v waits.
static int32_t waiting_link(const traffic_bush *b, int32_t v)
{
    for (int32_t i = b->in_first[v]; i < b->in_first[v + 1]; i++)
        if (b->flow[b->in[i]] > 0 && b->waiting[b->tail[b->in[i]]] > 0)
            return b->in[i];
    return -1;
}

// Takes a cycle off that is found by walking backward from v, and appends nodes that wait for nothing more. Links with the least flow
// vanish, so there are fewer cycles than links.
static void break_cycle(traffic_bush *b, int32_t v, int32_t *count)
{
    int32_t length = 0, u;
    for (int32_t steps = 0; steps < b->nodes; steps++)  // now v is on a cycle
        v = b->tail[waiting_link(b, v)];
    u = v;
    double least = b->flow[waiting_link(b, v)];
    do {
        const int32_t i = waiting_link(b, u);
        least = b->flow[i] < least ? b->flow[i] : least;
        b->cycle[length++] = i;
        u = b->tail[i];
    } while (u != v);
    for (int32_t k = 0; k < length; k++) {
        const int32_t i = b->cycle[k];
        b->flow[i] = b->flow[i] > least ? b->flow[i] - least : 0;
        if (b->flow[i] == 0 && --b->waiting[b->head[i]] == 0)
            b->order[(*count)++] = b->head[i];
    }
}

static void find_order(traffic_bush *b)
{
    int32_t done = 0, count = 0, next = 0;
    for (int32_t v = 0; v < b->nodes; v++)
        if (b->waiting[v] == 0)
            b->order[count++] = v;
    while (done < b->nodes) {
        for (; done < count; done++) {
            const int32_t v = b->order[done];
            for (int32_t i = b->out_first[v]; i < b->out_first[v + 1]; i++)
                if (b->flow[b->out[i]] > 0 && --b->waiting[b->head[b->out[i]]] == 0)
                    b->order[count++] = b->head[b->out[i]];
        }
        for (; next < b->nodes && b->waiting[next] <= 0; next++) {}
        if (next < b->nodes)
            break_cycle(b, next, &count);
    }
}

void traffic_bush_take(traffic_bush *b, const traffic_flows *flows, int32_t row)
{
    for (int32_t v = 0; v < b->nodes; v++)
        b->at[b->node[v]] = -1;
    b->nodes = 0;
    b->links = (int32_t)(flows->first[row + 1] - flows->first[row]);
    for (int32_t i = 0; i < b->links; i++) {
        b->link[i] = flows->link[flows->first[row] + i];
        b->flow[i] = flows->flow[flows->first[row] + i];
        b->tail[i] = node_of(b, b->graph->tail[b->link[i]]);
        b->head[i] = node_of(b, b->graph->head[b->link[i]]);
    }
    make_star(b->nodes, b->links, b->tail, b->out_first, b->out);
    make_star(b->nodes, b->links, b->head, b->in_first, b->in);
    for (int32_t v = 0; v < b->nodes; v++)
        b->waiting[v] = b->in_first[v + 1] - b->in_first[v];
    find_order(b);
    for (int32_t v = 0; v < b->nodes; v++)
        b->into[v] = b->ends[v] = 0;
    for (int32_t i = 0; i < b->links; i++)
        b->into[b->head[i]] += b->flow[i];
    for (int32_t i = 0; i < b->links; i++)
        b->ends[b->tail[i]] -= b->flow[i];
    for (int32_t v = 0; v < b->nodes; v++) {
        b->ends[v] += b->into[v];
        b->ends[v] = b->ends[v] > 0 ? b->ends[v] : 0;
    }
}
