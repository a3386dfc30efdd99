// SPDX-License-Identifier: MIT
// Takes a state for a problem, also of an edited network.
//
// A state is taken link by link: the k-th link from a node to another is the k-th one of the state. A row is taken if its flows still carry the
// trips of the problem, so new capacities and costs cost nothing, and new trips cost their rows alone.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traffic/model/arc_names.h"
#include "traffic/model/network.h"
#include "traffic/model/problem.h"

static const double TOLERANCE = 1e-9;  // sum of the imbalances of a row that is taken, by its trips

// ---- Rows of numbers in order: a dense array, and a bit for each place in use

typedef struct sorter {
    double *value;   // [size]
    uint64_t *used;  // [words]
    int64_t words;
} sorter;

static mco_status sorter_open(mco_context *ctx, int64_t size, sorter *out)
{
    mco_status st = MCO_OK;
    out->words = (size + 63) / 64;
    MCO_TRY(mco_alloc(ctx, &out->value, size));
    MCO_TRY(mco_alloc(ctx, &out->used, out->words));
done:
    return st;
}

static void sorter_close(mco_context *ctx, sorter *s)
{
    mco_free(ctx, &s->value);
    mco_free(ctx, &s->used);
}

static inline void sorter_put(sorter *s, int32_t place, double value)
{
    s->value[place] = value;
    s->used[place / 64] |= UINT64_C(1) << place % 64;
}

// Appends what was put, ascending, and empties the sorter.
static int64_t sorter_take(sorter *s, int32_t *place, double *value)
{
    int64_t count = 0;
    for (int64_t w = 0; w < s->words; w++)
        for (; s->used[w] != 0; s->used[w] &= s->used[w] - 1) {
            const int32_t at = (int32_t)(64 * w + __builtin_ctzll(s->used[w]));
            place[count] = at;
            value[count++] = s->value[at];
        }
    return count;
}

// ---- The links of an edited network

typedef struct keyed_link {
    int32_t tail, head, link;
} keyed_link;

static int compare_links(const void *left, const void *right)
{
    const keyed_link *a = left, *b = right;
    if (a->tail != b->tail)
        return (a->tail > b->tail) - (a->tail < b->tail);
    return a->head != b->head ? (a->head > b->head) - (a->head < b->head) : (a->link > b->link) - (a->link < b->link);
}

static mco_status key_links(mco_context *ctx, int32_t links, const int32_t *tail, const int32_t *head, keyed_link **out)
{
    mco_status st = mco_alloc(ctx, out, links);
    if (st != MCO_OK)
        return st;
    for (int32_t a = 0; a < links; a++)
        (*out)[a] = (keyed_link){tail[a], head[a], a};
    qsort(*out, (size_t)links, sizeof **out, compare_links);
    return MCO_OK;
}

// map [links of the state]: links of the network; -1: lost.
static mco_status match_links(mco_context *ctx, const mco_traffic_network *net, const mco_traffic_state *s, int32_t *map)
{
    mco_status st = MCO_OK;
    keyed_link *old = NULL, *now = NULL;
    const size_t bytes = (size_t)s->links * sizeof *s->tail;
    if (s->links == net->links && (bytes == 0 || (memcmp(s->tail, net->tail, bytes) == 0 && memcmp(s->head, net->head, bytes) == 0))) {
        for (int32_t a = 0; a < s->links; a++)
            map[a] = a;
        return MCO_OK;
    }
    MCO_TRY(key_links(ctx, s->links, s->tail, s->head, &old));
    MCO_TRY(key_links(ctx, net->links, net->tail, net->head, &now));
    for (int32_t i = 0, j = 0; i < s->links; i++) {
        for (; j < net->links && (now[j].tail < old[i].tail || (now[j].tail == old[i].tail && now[j].head < old[i].head)); j++) {}
        const bool is_same = j < net->links && now[j].tail == old[i].tail && now[j].head == old[i].head;
        map[old[i].link] = is_same ? now[j++].link : -1;
    }
done:
    mco_free(ctx, &old);
    mco_free(ctx, &now);
    return st;
}

// A name of the state by the links of the network; INT32_MIN: what it names is lost.
static int32_t rename_end(int32_t end, const int32_t *map)
{
    if (end < 0)
        return end;
    return map[end] >= 0 ? map[end] : INT32_MIN;
}

// map [links + more_links of the state]: links of the problem; -1: lost.
static mco_status map_links(mco_context *ctx, const traffic_problem *p, const mco_traffic_state *s, int32_t *map)
{
    mco_status st = MCO_OK;
    traffic_arc_name *names = NULL;
    int32_t count = 0;
    MCO_TRY(match_links(ctx, &p->traffic->view, s, map));
    MCO_TRY(traffic_name_arcs(ctx, p, &names, &count));
    if (count > 0)
        qsort(names, (size_t)count, sizeof *names, traffic_compare_arc_names);
    for (int32_t i = 0; i < s->more_links; i++) {
        const traffic_arc_name wanted = {rename_end(s->more[2 * i], map), rename_end(s->more[2 * i + 1], map), 0};
        const traffic_arc_name *found = count > 0 ? bsearch(&wanted, names, (size_t)count, sizeof *names, traffic_compare_arc_names) : NULL;
        map[s->links + i] = found != NULL ? found->link : -1;
    }
    for (int32_t a = 0; a < s->links; a++)
        map[a] = map[a] >= 0 ? p->link_at[map[a]] : -1;
done:
    mco_free(ctx, &names);
    return st;
}

// ---- Taking a state

enum { CHUNK = 8 };  // nodes side by side

typedef struct taker {
    mco_context *ctx;
    const traffic_problem *p;
    const mco_traffic_state *s;
    int32_t *map;      // [links of the state]
    int32_t *row_at;   // [rows of the state] row of the problem; -1: none, or it is empty now
    double *balance;   // [nodes + CHUNK] 0 between rows
    bool *is_marked;   // [links] false between pairs
    sorter sort;
} taker;

static void taker_close(taker *t)
{
    mco_free(t->ctx, &t->map);
    mco_free(t->ctx, &t->row_at);
    mco_free(t->ctx, &t->balance);
    mco_free(t->ctx, &t->is_marked);
    sorter_close(t->ctx, &t->sort);
}

static mco_status taker_open(taker *t)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(t->ctx, &t->map, (int64_t)t->s->links + t->s->more_links));
    MCO_TRY(mco_alloc(t->ctx, &t->row_at, t->s->flows.rows));
    MCO_TRY(mco_alloc(t->ctx, &t->balance, (int64_t)t->p->nodes + CHUNK));
    MCO_TRY(mco_alloc(t->ctx, &t->is_marked, t->p->links));
    MCO_TRY(sorter_open(t->ctx, t->p->links, &t->sort));
    MCO_TRY(map_links(t->ctx, t->p, t->s, t->map));
    memset(t->row_at, 0xff, (size_t)t->s->flows.rows * sizeof *t->row_at);
    for (int32_t r = 0; r < t->p->rows; r++)
        t->row_at[traffic_state_row(t->p, r)] = r;
done:
    return st;
}

// The sum of |imbalance| over all nodes, which are 0 then.
static double clear_all(taker *t)
{
    double sum[CHUNK] = {0};
    for (int32_t v = 0; v < t->p->nodes; v += CHUNK)
        for (int k = 0; k < CHUNK; k++) {
            sum[k] += fabs(t->balance[v + k]);
            t->balance[v + k] = 0;
        }
    return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

static double clear_node(taker *t, int32_t node)
{
    const double value = fabs(t->balance[node]);
    t->balance[node] = 0;
    return value;
}

// The same where a row has flows on few nodes.
static double clear_ends(taker *t, int32_t row, int64_t count, const int32_t *link)
{
    const traffic_problem *p = t->p;
    double sum = clear_node(t, p->row_origin[row]);
    for (int64_t i = p->row_first[row]; i < p->row_first[row + 1]; i++)
        sum += clear_node(t, p->to[i]);
    for (int64_t i = 0; i < count; i++) {
        sum += clear_node(t, p->tail[link[i]]);
        sum += clear_node(t, p->head[link[i]]);
    }
    return sum;
}

// Whether the flows [count] carry the trips of a row: at each node what flows in leaves it, but for the trips; nothing passes an end.
static bool carries_trips(taker *t, int32_t row, int64_t count, const int32_t *link, const double *flow)
{
    const traffic_problem *p = t->p;
    const int32_t origin = p->row_origin[row];
    const int64_t touched = 2 * count + p->row_first[row + 1] - p->row_first[row];
    double trips = 0;
    bool passes_end = false;
    for (int64_t i = p->row_first[row]; i < p->row_first[row + 1]; i++) {
        t->balance[p->to[i]] -= p->amount[i];
        trips += p->amount[i];
    }
    t->balance[origin] += trips;
    for (int64_t i = 0; i < count; i++) {
        const int32_t from = p->tail[link[i]];
        passes_end |= from < p->first_through && from != origin;
        t->balance[from] -= flow[i];
        t->balance[p->head[link[i]]] += flow[i];
    }
    // Not a number where flows are beyond numbers, which is refused too.
    const double sum = touched > p->nodes / CHUNK ? clear_all(t) : clear_ends(t, row, count, link);
    return !passes_end && sum <= TOLERANCE * trips;
}

// Numbers the links [count] of a row by the map. Returns whether they ascend then and all flows are above 0.
static bool renumber_row(const int32_t *map, int64_t count, const int32_t *from_link, const double *from_flow, int32_t *link, double *flow)
{
    int32_t last = -1;
    bool is_good = true;
    for (int64_t i = 0; i < count; i++) {
        const int32_t to = map[from_link[i]];
        is_good &= to > last && from_flow[i] > 0;
        last = to;
        link[i] = to;
        flow[i] = from_flow[i];
    }
    return is_good;
}

// Takes the flows of a row to link and flow; returns how many, 0 if the row does not fit any more.
static int64_t take_row(taker *t, int32_t row, int32_t *link, double *flow)
{
    const traffic_flows *f = &t->s->flows;
    const int32_t from = traffic_state_row(t->p, row);
    const int64_t begin = f->first[from], end = f->first[from + 1];
    int64_t count = end - begin;
    bool is_lost = false;
    if (!renumber_row(t->map, count, f->link + begin, f->flow + begin, link, flow)) {
        for (int64_t i = begin; i < end; i++) {
            const int32_t e = t->map[f->link[i]];
            is_lost = is_lost || e < 0;
            if (e >= 0)
                sorter_put(&t->sort, e, f->flow[i]);
        }
        count = sorter_take(&t->sort, link, flow);
    }
    if (!is_lost && carries_trips(t, row, count, link, flow))
        return count;
    t->row_at[from] = -1;
    return 0;
}

static mco_status take_flows(taker *t, traffic_flows *out)
{
    mco_status st = MCO_OK;
    const traffic_flows *f = &t->s->flows;
    const int64_t most = f->first[f->rows];
    int64_t used = 0;
    out->rows = t->p->rows;
    MCO_TRY(mco_alloc(t->ctx, &out->first, (int64_t)t->p->rows + 1));
    MCO_TRY(mco_alloc_unset(t->ctx, &out->link, most));
    MCO_TRY(mco_alloc_unset(t->ctx, &out->flow, most));
    for (int32_t r = 0; r < t->p->rows; r++) {
        MCO_TRY(mco_call_in_time(t->ctx, (int64_t)r << 8));
        used += take_row(t, r, out->link + used, out->flow + used);
        out->first[r + 1] = used;
    }
done:
    return st;
}

// Copies a segment's links; false if one is lost, or if they make no path over nodes that may be passed.
static bool take_segment(const taker *t, int64_t segment, int32_t *link)
{
    const traffic_pairs *s = &t->s->pairs;
    const int64_t count = s->first[segment + 1] - s->first[segment];
    for (int64_t i = 0; i < count; i++) {
        link[i] = t->map[s->link[s->first[segment] + i]];
        if (link[i] < 0 || (i > 0 && (t->p->head[link[i - 1]] != t->p->tail[link[i]] || t->p->tail[link[i]] < t->p->first_through)))
            return false;
    }
    return count > 0;
}

// Whether two segments lead from one node to one other, and no link stands twice in them. O(count), whatever a damaged file has.
static bool are_a_pair(taker *t, int64_t first_count, int64_t count, const int32_t *link)
{
    const traffic_problem *p = t->p;
    int64_t differ = 0;
    if (p->tail[link[0]] != p->tail[link[first_count]] || p->head[link[first_count - 1]] != p->head[link[count - 1]])
        return false;
    for (; differ < count && !t->is_marked[link[differ]]; differ++)
        t->is_marked[link[differ]] = true;
    for (int64_t i = 0; i < differ; i++)
        t->is_marked[link[i]] = false;
    return differ == count;
}

static void take_pair(taker *t, int64_t pair, traffic_pairs *out)
{
    const traffic_pairs *s = &t->s->pairs;
    const int64_t n = out->count, begin = out->first[2 * n], row_begin = out->row_first[n];
    const int64_t first_count = s->first[2 * pair + 1] - s->first[2 * pair], count = s->first[2 * pair + 2] - s->first[2 * pair];
    int32_t *link = out->link + begin;
    int64_t rows = 0;
    if (!take_segment(t, 2 * pair, link) || !take_segment(t, 2 * pair + 1, link + first_count) || !are_a_pair(t, first_count, count, link))
        return;
    for (int64_t i = s->row_first[pair]; i < s->row_first[pair + 1]; i++)
        if (t->row_at[s->row[i]] >= 0)
            out->row[row_begin + rows++] = t->row_at[s->row[i]];
    if (rows == 0)
        return;
    out->first[2 * n + 1] = begin + first_count;
    out->first[2 * n + 2] = begin + count;
    out->row_first[n + 1] = row_begin + rows;
    out->count++;
}

static mco_status take_pairs(taker *t, traffic_pairs *out)
{
    mco_status st = MCO_OK;
    const traffic_pairs *s = &t->s->pairs;
    MCO_TRY(mco_alloc(t->ctx, &out->first, 2 * s->count + 1));
    MCO_TRY(mco_alloc(t->ctx, &out->row_first, s->count + 1));
    MCO_TRY(mco_alloc(t->ctx, &out->link, s->first[2 * s->count]));
    MCO_TRY(mco_alloc(t->ctx, &out->row, s->row_first[s->count]));
    for (int64_t k = 0; k < s->count; k++) {
        MCO_TRY(mco_call_in_time(t->ctx, k));
        take_pair(t, k, out);
    }
done:
    return st;
}

mco_status traffic_state_take(mco_context *ctx, const traffic_problem *problem, const mco_traffic_state *state, traffic_flows *flows,
                              traffic_pairs *pairs)
{
    mco_status st = MCO_OK;
    taker t = {.ctx = ctx, .p = problem, .s = state};
    traffic_flows f = {0};
    traffic_pairs s = {0};
    const int32_t zones = problem->traffic->view.zones;
    if (state->zones != zones || state->classes != problem->classes)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the state is of a network with %d zones and %d class%s, this one has %d and %d", state->zones,
                        state->classes, state->classes == 1 ? "" : "es", zones, problem->classes);
    MCO_TRY(taker_open(&t));
    MCO_TRY(take_flows(&t, &f));
    MCO_TRY(take_pairs(&t, &s));
    *flows = f;
    *pairs = s;
done:
    if (st != MCO_OK) {
        traffic_flows_clear(ctx, &f);
        traffic_pairs_clear(ctx, &s);
    }
    taker_close(&t);
    return st;
}
