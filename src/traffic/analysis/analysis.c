// SPDX-License-Identifier: MIT
// What follows from an assignment: skims at given flows; trips that use a link, and used paths, from the flows of rows.
//
// Flows of rows do not say which paths their trips take. The rule here is proportionality at nodes: trips of a row that meet at a node
// leave it in the same proportions, wherever they came from (Bar-Gera 2010). It gives one answer, the one of greatest entropy.
#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/machine.h"
#include "base/number.h"
#include "base/options.h"
#include "base/output.h"
#include "base/structs.h"
#include "base/team.h"
#include "traffic/analysis/bush.h"
#include "traffic/files/files.h"
#include "traffic/model/network.h"
#include "traffic/streets/types.h"

// ---- Skims

typedef struct heap_item {
    double label;
    int32_t node;
} heap_item;

// What a thread works with.
typedef struct searcher {
    double *label, *total; // [nodes]
    heap_item *heap;       // [links + 1]
    int32_t heap_count;
} searcher;

typedef struct skimmer {
    mco_context *ctx;
    traffic_problem problem;
    double *cost, *sum;    // [links] what paths minimise, what is summed along them
    searcher *own;         // [threads]
    int threads;
    double *matrix;        // [zones][zones] borrowed
    atomic_bool is_over;
} skimmer;

static void push(searcher *s, double label, int32_t node)
{
    int32_t at = s->heap_count++;
    for (; at > 0 && s->heap[(at - 1) / 2].label > label; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = (heap_item){label, node};
}

static heap_item pop(searcher *s)
{
    const heap_item top = s->heap[0], last = s->heap[--s->heap_count];
    int32_t at = 0;
    for (int32_t child = 1; child < s->heap_count; child = 2 * at + 1) {
        child += child + 1 < s->heap_count && s->heap[child + 1].label < s->heap[child].label;
        if (s->heap[child].label >= last.label)
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return top;
}

// Dijkstra from a zone. Of paths with equal costs the first one found counts.
static void search(const skimmer *all, searcher *s, int32_t origin)
{
    const traffic_problem *p = &all->problem;
    for (int32_t v = 0; v < p->nodes; v++)
        s->label[v] = INFINITY;
    s->label[origin] = s->total[origin] = 0;
    s->heap_count = 0;
    push(s, 0, origin);
    while (s->heap_count > 0) {
        const heap_item top = pop(s);
        const int32_t v = top.node;
        if (top.label > s->label[v] || (v < p->first_through && v != origin))
            continue;
        for (int32_t e = p->first[v]; e < p->first[v + 1]; e++) {
            const double label = top.label + all->cost[e];
            if (label >= s->label[p->head[e]])
                continue;
            s->label[p->head[e]] = label;
            s->total[p->head[e]] = s->total[v] + all->sum[e];
            push(s, label, p->head[e]);
        }
    }
}

// The time on a link of the network, without tolls and lengths.
static double link_time(const mco_traffic_network *net, const mco_traffic_params *params, int32_t a, const double *flow)
{
    const double v = flow[a] > 0 ? flow[a] : 0, free = net->free_time[a], z = v / net->capacity[a];
    switch (params->cost) {
    case MCO_TRAFFIC_COST_CONICAL: return free > 0 ? free * (1 + traffic_conical(z, net->power[a]).value) : 0;
    case MCO_TRAFFIC_COST_AKCELIK: return free + traffic_akcelik(z, net->b[a], net->capacity[a], params->period).value;
    case MCO_TRAFFIC_COST_STREETS: {
        const traffic_street_terms terms = traffic_street_terms_of(net, a);
        const traffic_street_others others = traffic_street_others_of(net, a, flow);
        return traffic_street_cost(&terms, v, &others);
    }
    case MCO_TRAFFIC_COST_AUTO:
    case MCO_TRAFFIC_COST_BPR: break;
    }
    return free * (1 + net->b[a] * pow(z, net->power[a]));
}

// Costs at the flows, and what is summed. Turns and artificial arcs count as time.
static mco_status settle_sums(skimmer *s, const mco_traffic_params *params, int32_t k, const double *flow, mco_traffic_skim what)
{
    mco_status st = MCO_OK;
    traffic_problem *p = &s->problem;
    const mco_traffic_network *net = &p->traffic->view;
    double *base = NULL, *linear = NULL, *cubic = NULL;
    traffic_costs costs = p->costs;
    if (costs.shape == TRAFFIC_CUBIC) {
        MCO_TRY(mco_alloc(s->ctx, &base, p->links));
        MCO_TRY(mco_alloc(s->ctx, &linear, p->links));
        MCO_TRY(mco_alloc(s->ctx, &cubic, p->links));
        traffic_streets_freeze(p, params->objective == MCO_TRAFFIC_SO, p->fixed, flow, base, linear, cubic);
        costs = (traffic_costs){.shape = TRAFFIC_CUBIC, .base = base, .p = linear, .k = cubic};
    }
    for (int32_t e = 0; e < p->links; e++) {
        const int32_t a = p->origin_link[e];
        s->cost[e] = traffic_cost(&costs, e, a >= 0 ? flow[a] : 0) + (p->extra != NULL ? p->extra[(int64_t)k * p->links + e] : 0);
        const double own = a >= 0 ? 0 : s->cost[e];
        switch (what) {
        case MCO_TRAFFIC_SKIM_COST: s->sum[e] = s->cost[e]; break;
        case MCO_TRAFFIC_SKIM_TIME: s->sum[e] = a >= 0 ? link_time(net, params, a, flow) : own; break;
        case MCO_TRAFFIC_SKIM_LENGTH: s->sum[e] = a >= 0 ? net->length[a] : 0; break;
        case MCO_TRAFFIC_SKIM_TOLL: s->sum[e] = a >= 0 ? net->toll[a] : 0; break;
        }
    }
done:
    mco_free(s->ctx, &base);
    mco_free(s->ctx, &linear);
    mco_free(s->ctx, &cubic);
    return st;
}

static mco_status open_skimmer(skimmer *s, int threads)
{
    mco_status st = MCO_OK;
    const int32_t zones = s->problem.traffic->view.zones;
    MCO_TRY(mco_alloc(s->ctx, &s->cost, s->problem.links));
    MCO_TRY(mco_alloc(s->ctx, &s->sum, s->problem.links));
    s->threads = threads < zones ? threads : zones > 0 ? zones : 1;
    MCO_TRY(mco_alloc(s->ctx, &s->own, s->threads));
    for (int k = 0; k < s->threads; k++) {
        MCO_TRY(mco_alloc(s->ctx, &s->own[k].label, s->problem.nodes));
        MCO_TRY(mco_alloc(s->ctx, &s->own[k].total, s->problem.nodes));
        MCO_TRY(mco_alloc(s->ctx, &s->own[k].heap, (int64_t)s->problem.links + 1));
    }
done:
    return st;
}

static void close_skimmer(skimmer *s)
{
    for (int k = 0; s->own != NULL && k < s->threads; k++) {
        mco_free(s->ctx, &s->own[k].label);
        mco_free(s->ctx, &s->own[k].total);
        mco_free(s->ctx, &s->own[k].heap);
    }
    mco_free(s->ctx, &s->own);
    mco_free(s->ctx, &s->cost);
    mco_free(s->ctx, &s->sum);
    traffic_problem_clear(s->ctx, &s->problem);
}

// A row of the matrix.
static void skim_row(void *shared, int worker, int64_t row)
{
    skimmer *s = shared;
    searcher *own = &s->own[worker];
    const int32_t zones = s->problem.traffic->view.zones, o = (int32_t)row;
    if (atomic_load(&s->is_over) || mco_call_is_over(s->ctx)) {
        atomic_store(&s->is_over, true);
        return;
    }
    search(s, own, o);
    for (int32_t d = 0; d < zones; d++) {
        const int32_t end = s->problem.sink != NULL && d != o ? s->problem.sink[d] : d;
        s->matrix[(int64_t)o * zones + d] = own->label[end] < INFINITY ? own->total[end] : INFINITY;
    }
}

static mco_status skim_rows(skimmer *s)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    MCO_TRY(mco_team_open(s->ctx, s->threads, false, &team));
    mco_team_run(&team, s->problem.traffic->view.zones, skim_row, NULL, s);
    if (atomic_load(&s->is_over))
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_STOPPED, "stopped while least costs were searched"));
done:
    mco_team_close(&team);
    return st;
}

static mco_status check_class(mco_context *ctx, const mco_traffic *traffic, int32_t k)
{
    if (k >= 0 && (k < traffic->class_count || k == 0))
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_ARGUMENT, "class %d, there are classes 0 to %d", k, traffic->class_count - 1);
}

mco_status mco_traffic_find_skim(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, int32_t k,
                                 const double *flow, mco_traffic_skim what, double *matrix)
{
    mco_status st = MCO_OK;
    skimmer s = {.ctx = ctx, .matrix = matrix};
    mco_traffic_params p = MCO_TRAFFIC_PARAMS_INIT;
    if (ctx == NULL || traffic == NULL || flow == NULL || matrix == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(mco_options_validate(ctx, mco_traffic_options(), &p));
    MCO_TRY(check_class(ctx, traffic, k));
    if (what != MCO_TRAFFIC_SKIM_COST && what != MCO_TRAFFIC_SKIM_TIME && what != MCO_TRAFFIC_SKIM_LENGTH && what != MCO_TRAFFIC_SKIM_TOLL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "skim %d, allowed are " MCO_TRAFFIC_SKIM_NAMES, (int)what);
    for (int32_t a = 0; a < traffic->view.links; a++)
        if (!(flow[a] >= 0 && flow[a] < INFINITY))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the flow of link %d is %.15g, a number of 0 or more was expected", a + 1, flow[a]);
    if (p.time_limit_s < MCO_NO_LIMIT)
        ctx->call_stop_s = mco_clock_s() + p.time_limit_s;
    MCO_TRY(traffic_problem_make(ctx, traffic, &p, &s.problem));
    if (s.problem.costs.shape == TRAFFIC_CUBIC)
        p.cost = MCO_TRAFFIC_COST_STREETS;
    MCO_TRY(open_skimmer(&s, mco_settle_threads(p.threads)));
    MCO_TRY(settle_sums(&s, &p, k, flow, what));
    MCO_TRY(skim_rows(&s));
done:
    close_skimmer(&s);
    ctx->call_stop_s = 0;
    return traffic_call_end(ctx, st);
}

// ---- Select link

typedef struct selector {
    traffic_bush bush;
    double *past, *future;  // [nodes of a row] share of what reaches a node that has used the link; of what leaves it that will
    int32_t link;
} selector;

static double past_of(const selector *s, int32_t i)
{
    return s->bush.link[i] == s->link ? 1 : s->past[s->bush.tail[i]];
}

static double future_of(const selector *s, int32_t i)
{
    return s->bush.link[i] == s->link ? 1 : s->future[s->bush.head[i]];
}

static void find_past(selector *s)
{
    const traffic_bush *b = &s->bush;
    for (int32_t n = 0; n < b->nodes; n++) {
        const int32_t v = b->order[n];
        double sum = 0;
        for (int32_t i = b->in_first[v]; i < b->in_first[v + 1]; i++)
            sum += b->flow[b->in[i]] * past_of(s, b->in[i]);
        s->past[v] = b->into[v] > 0 ? sum / b->into[v] : 0;
    }
}

static void find_future(selector *s)
{
    const traffic_bush *b = &s->bush;
    for (int32_t n = b->nodes - 1; n >= 0; n--) {
        const int32_t v = b->order[n];
        double sum = 0, all = b->ends[v];
        for (int32_t i = b->out_first[v]; i < b->out_first[v + 1]; i++) {
            sum += b->flow[b->out[i]] * future_of(s, b->out[i]);
            all += b->flow[b->out[i]];
        }
        s->future[v] = all > 0 ? sum / all : 0;
    }
}

// A link of a row is used once at most, so past and future exclude each other.
static void add_share(const selector *s, double equivalent, int32_t links, double *share)
{
    const traffic_bush *b = &s->bush;
    for (int32_t i = 0; i < b->links; i++) {
        const double used = b->link[i] == s->link ? 1 : s->past[b->tail[i]] + s->future[b->head[i]];
        if (b->link[i] < links)
            share[b->link[i]] += b->flow[i] / equivalent * (used < 1 ? used : 1);
    }
}

mco_status mco_traffic_select_link(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, int32_t k,
                                   int32_t link, double *matrix, double *share)
{
    mco_status st = MCO_OK;
    traffic_state_graph graph = {0};
    selector s = {.link = link};
    if (ctx == NULL || traffic == NULL || state == NULL || matrix == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (k < 0 || k >= traffic->class_count)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "class %d, there are classes 0 to %d", k, traffic->class_count - 1);
    if (link < 0 || link >= traffic->view.links)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %d, there are links 0 to %d", link, traffic->view.links - 1);
    const int32_t zones = traffic->view.zones;
    const double equivalent = traffic->classes[k].car_equivalent;
    MCO_TRY(traffic_state_graph_open(ctx, traffic, state, &graph));
    MCO_TRY(traffic_bush_open(ctx, &graph, &state->flows, &s.bush));
    MCO_TRY(mco_alloc(ctx, &s.past, graph.nodes));
    MCO_TRY(mco_alloc(ctx, &s.future, graph.nodes));
    memset(matrix, 0, (size_t)zones * (size_t)zones * sizeof *matrix);
    if (share != NULL)
        memset(share, 0, (size_t)traffic->view.links * sizeof *share);
    for (int32_t o = 0; o < zones; o++) {
        MCO_TRY(mco_call_is_over(ctx) ? mco_call_in_time(ctx, 0) : MCO_OK);
        traffic_bush_take(&s.bush, &state->flows, k * zones + o);
        find_past(&s);
        const mco_traffic_class *c = &traffic->classes[k];
        for (int64_t i = c->first[o]; i < c->first[o + 1]; i++) {
            const int32_t at = s.bush.at[graph.end[c->to[i]]];
            if (at >= 0 && c->to[i] != o)
                matrix[(int64_t)o * zones + c->to[i]] = s.bush.ends[at] / equivalent * s.past[at];
        }
        if (share == NULL)
            continue;
        find_future(&s);
        add_share(&s, equivalent, traffic->view.links, share);
    }
done:
    mco_free(ctx, &s.past);
    mco_free(ctx, &s.future);
    traffic_bush_close(ctx, &s.bush);
    traffic_state_graph_close(ctx, &graph);
    return traffic_call_end(ctx, st);
}

// ---- Used paths

typedef struct path_writer {
    mco_context *ctx;
    const mco_traffic *traffic;
    const mco_traffic_state *state;
    traffic_bush bush;
    double least;        // vehicles
    int32_t *path;       // [nodes] links of a row, from the end backward
    int32_t *next;       // [nodes] the link into each node of the path that is tried next
    double *amount;      // [nodes + 1] what the path carries up to each of its links
    int64_t count;
    FILE *file;
} path_writer;

// Names of nodes are any text, so the list of them stands in double quotes.
static void write_node(const path_writer *w, int32_t node)
{
    char buffer[16];
    for (const char *c = mco_traffic_node_name(w->traffic, node, buffer); *c != '\0'; c++) {
        if (*c == '"')
            fputc('"', w->file);
        fputc(*c, w->file);
    }
}

// A line: the nodes of the network on the path, without gates.
static void write_path(const path_writer *w, int32_t k, int32_t origin, int32_t end, int32_t length, double flow)
{
    char buffer[16];
    const mco_traffic_class *c = &w->traffic->classes[k];
    mco_write_cell(c->name != NULL ? c->name : "", w->file);
    fputc(',', w->file);
    mco_write_cell(traffic_zone_name(w->traffic, origin, buffer), w->file);
    fputc(',', w->file);
    mco_write_cell(traffic_zone_name(w->traffic, end, buffer), w->file);
    fputc(',', w->file);
    mco_write_number(flow, w->file);
    fputc(',', w->file);
    const char *quote = w->traffic->node_name != NULL ? "\"" : "";
    fputs(quote, w->file);
    write_node(w, origin);
    for (int32_t n = length - 1; n >= 0; n--) {
        const int32_t a = w->bush.link[w->path[n]], links = w->state->links;
        if (a >= links && (w->state->more[2 * (a - links)] >= 0 || w->state->more[2 * (a - links) + 1] >= 0))
            continue;  // a turn
        fputc(' ', w->file);
        write_node(w, a < links ? w->state->head[a] : -1 - w->state->more[2 * (a - links) + 1]);
    }
    fprintf(w->file, "%s\n", quote);
}

// Writes the paths of a row to an end, by a search backward. A path carries what ends, times the share of each of its links in what
// flows into its head; a part that carries less than `least` already is given up.
static mco_status write_paths_to(path_writer *w, int32_t k, int32_t origin, int32_t end, int32_t at)
{
    const traffic_bush *b = &w->bush;
    const int32_t start = b->at[origin];
    int32_t depth = 0, v = at;
    w->amount[0] = b->ends[at] / w->traffic->classes[k].car_equivalent;
    w->next[0] = b->in_first[v];
    for (;;) {
        mco_status st = mco_call_in_time(w->ctx, w->count++);
        if (st != MCO_OK)
            return st;
        if (v == start)
            write_path(w, k, origin, end, depth, w->amount[depth]);
        const int32_t last = v == start ? w->next[depth] : b->in_first[v + 1];
        while (w->next[depth] < last && !(w->amount[depth] * b->flow[b->in[w->next[depth]]] / b->into[v] >= w->least &&
                                          b->flow[b->in[w->next[depth]]] > 0))
            w->next[depth]++;
        if (w->next[depth] < last) {
            const int32_t i = b->in[w->next[depth]++];
            w->amount[depth + 1] = w->amount[depth] * b->flow[i] / b->into[v];
            w->path[depth++] = i;
            v = b->tail[i];
            w->next[depth] = b->in_first[v];
            continue;
        }
        if (depth-- == 0)
            return MCO_OK;
        v = b->head[w->path[depth]];
    }
}

static mco_status write_rows(path_writer *w, const traffic_state_graph *graph)
{
    mco_status st = MCO_OK;
    const int32_t zones = w->traffic->view.zones;
    for (int32_t k = 0; k < w->traffic->class_count; k++)
        for (int32_t o = 0; o < zones; o++) {
            const int64_t row = (int64_t)k * zones + o;
            if (w->state->flows.first[row + 1] == w->state->flows.first[row])
                continue;
            traffic_bush_take(&w->bush, &w->state->flows, (int32_t)row);
            const mco_traffic_class *c = &w->traffic->classes[k];
            for (int64_t i = c->first[o]; i < c->first[o + 1]; i++) {
                const int32_t at = w->bush.at[graph->end[c->to[i]]];
                if (at >= 0 && c->to[i] != o && w->bush.ends[at] > 0 && w->bush.at[o] >= 0)
                    MCO_TRY(write_paths_to(w, k, o, c->to[i], at));
            }
        }
done:
    return st;
}

mco_status mco_traffic_write_paths(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_state *state, double least,
                                   const char *path)
{
    mco_status st = MCO_OK;
    traffic_state_graph graph = {0};
    mco_output output = {0};
    path_writer w = {.ctx = ctx, .traffic = traffic, .state = state, .least = least};
    if (ctx == NULL || traffic == NULL || state == NULL || path == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if (!(least >= 0 && least < INFINITY))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the least flow of a path is %.15g, a number of 0 or more was expected", least);
    MCO_TRY(traffic_state_graph_open(ctx, traffic, state, &graph));
    MCO_TRY(traffic_bush_open(ctx, &graph, &state->flows, &w.bush));
    MCO_TRY(mco_alloc(ctx, &w.path, graph.nodes));
    MCO_TRY(mco_alloc(ctx, &w.next, (int64_t)graph.nodes + 1));
    MCO_TRY(mco_alloc(ctx, &w.amount, (int64_t)graph.nodes + 1));
    MCO_TRY(mco_output_open(ctx, path, &output));
    w.file = output.file;
    fputs("class,origin,destination,flow,nodes\n", w.file);
    MCO_TRY(write_rows(&w, &graph));
    MCO_TRY(mco_output_commit(ctx, &output, false));
done:
    mco_output_discard(&output);
    mco_free(ctx, &w.path);
    mco_free(ctx, &w.next);
    mco_free(ctx, &w.amount);
    traffic_bush_close(ctx, &w.bush);
    traffic_state_graph_close(ctx, &graph);
    return traffic_call_end(ctx, st);
}
