// SPDX-License-Identifier: MIT
// Linear-programming duality as a proof of the gap; the header has the idea.
#include "traffic/certificate.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/team.h"
#include "traffic/certificate_lanes.h"

static const double ROUNDING = 0x1p-52;  // twice the half unit of a rounded sum: the factor covers all sums of errors

#define ROW(set, simd) &traffic_tight_##set,
static const traffic_tight *const builds[] = {MCO_EACH_SIMD(ROW)};
#undef ROW

mco_status traffic_certificate_open(mco_context *ctx, const traffic_problem *problem, const double *flow, const double *class_flow,
                                    traffic_certificate *out)
{
    mco_status st = MCO_OK;
    const int64_t links = problem->links;
    const bool differs = problem->extra != NULL;
    *out = (traffic_certificate){.problem = problem, .cost_classes = differs ? problem->classes : 1};
    MCO_TRY(mco_pick(ctx, builds, MCO_SIMD_AUTO, 0, &out->tight));
    MCO_TRY(mco_alloc(ctx, &out->cost, links * out->cost_classes));
    MCO_TRY(mco_alloc(ctx, &out->flow, links));
    MCO_TRY(mco_alloc(ctx, &out->row, problem->rows));
    memcpy(out->flow, flow, (size_t)links * sizeof *flow);
    if (class_flow != NULL) {
        MCO_TRY(mco_alloc(ctx, &out->class_flow, links * problem->classes));
        memcpy(out->class_flow, class_flow, (size_t)(links * problem->classes) * sizeof *class_flow);
    }
    for (int64_t l = 0; l < links; l++)
        out->cost[l] = traffic_cost(&problem->costs, l, flow[l]);
    for (int64_t k = out->cost_classes - 1; k >= 0 && differs; k--)  // row 0 last: the others are made of it
        for (int64_t l = 0; l < links; l++)
            out->cost[k * links + l] = out->cost[l] + problem->extra[k * links + l];
done:
    if (st != MCO_OK)
        traffic_certificate_clear(ctx, out);
    return st;
}

void traffic_certificate_clear(mco_context *ctx, traffic_certificate *c)
{
    mco_free(ctx, &c->cost);
    mco_free(ctx, &c->flow);
    mco_free(ctx, &c->class_flow);
    mco_free(ctx, &c->row);
    mco_free(ctx, &c->balance.net);
    mco_free(ctx, &c->balance.sum);
}

void traffic_certificate_reset(traffic_certificate *c)
{
    memset(c->row, 0, (size_t)c->problem->rows * sizeof *c->row);
}

// The first link of a node that paths may pass through.
static int64_t through_link(const traffic_problem *p)
{
    return p->first[p->first_through < p->nodes ? p->first_through : p->nodes];
}

// ---- Rows

// How far the labels of lane `lane` of `lanes` miss p(head) <= p(tail) + cost on links begin .. end - 1; infinite for NaN.
static double worst_of(const traffic_problem *p, const double *cost, const double *label, int lanes, int lane, int64_t begin, int64_t end)
{
    double worst = 0;
    for (int64_t l = begin; l < end; l++) {
        const double reach = label[(int64_t)p->tail[l] * lanes + lane] + cost[l], seen = label[(int64_t)p->head[l] * lanes + lane];
        if (seen <= reach)
            continue;
        const double miss = seen - reach;
        worst = miss > worst ? miss : isnan(miss) ? (double)INFINITY : worst;
    }
    return worst;
}

static void finish_row(traffic_certificate *c, int32_t row, const double *label, int lanes, int lane, bool is_tight)
{
    const traffic_problem *p = c->problem;
    struct traffic_row_proof *proof = &c->row[row];
    const double *cost = traffic_certificate_cost(c, row);
    const int32_t origin = p->row_origin[row];
    double worst = 0, amount = 0;
    proof->is_done = true;
    if (origin < p->first_through)  // an end: its links are outside of those that all rows share
        worst = worst_of(p, cost, label, lanes, lane, p->first[origin], p->first[origin + 1]);
    if (!is_tight)
        worst = fmax(worst, worst_of(p, cost, label, lanes, lane, through_link(p), p->links));
    traffic_dot dot = {0, 0};
    for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++) {
        traffic_dot_add(&dot, p->amount[t], label[(int64_t)p->to[t] * lanes + lane]);
        amount += p->amount[t];
    }
    proof->least = traffic_dot_sum(dot);
    proof->loss = (double)(p->nodes - 1) * (ROUNDING * proof->least.high + worst * amount);
    if (!isfinite(proof->loss) || !isfinite(proof->least.high) || label[(int64_t)origin * lanes + lane] != 0)
        *proof = (struct traffic_row_proof){.loss = INFINITY, .is_done = true};
}

void traffic_certificate_row(traffic_certificate *c, int32_t row, const double *label)
{
    const traffic_problem *p = c->problem;
    const double *cost = traffic_certificate_cost(c, row);
    bool is_tight = true;
    for (int64_t l = through_link(p); l < p->links; l++)
        is_tight &= label[p->head[l]] <= label[p->tail[l]] + cost[l];
    finish_row(c, row, label, 1, 0, is_tight);
}

void traffic_certificate_lanes8(traffic_certificate *c, const int32_t row[8], const double *label)
{
    enum { LANES = 8 };
    const traffic_problem *p = c->problem;
    int32_t any = -1;
    for (int k = 0; k < LANES; k++)
        any = row[k] >= 0 ? row[k] : any;
    if (any < 0)
        return;
    const double *cost = traffic_certificate_cost(c, any);
    const uint32_t misses = c->tight->misses(p->tail, p->head, cost, through_link(p), p->links, label);
    for (int k = 0; k < LANES; k++)
        if (row[k] >= 0)
            finish_row(c, row[k], label, LANES, k, (misses >> k & 1) == 0);
}

// ---- The search of its own: Dijkstra with a binary heap of fixed room, rows shared by threads

// What a thread works with.
typedef struct searcher {
    double *label;   // [nodes]
    int32_t *heap;   // [nodes] nodes
    int32_t *place;  // [nodes] where a node stands in the heap, -1: not there
    int32_t count;
} searcher;

typedef struct searching {
    mco_context *ctx;
    traffic_certificate *c;
    searcher *own;      // [threads]
    double stop_s;
    _Atomic double cancelled_s;  // when a cancellation was seen first; 0: not yet
} searching;

// By the clock. A cancellation leaves CANCEL_S, which suffices for the proof of a small network.
static bool is_search_over(searching *job)
{
    static const double CANCEL_S = 0.1;
    const double now = mco_clock_s();
    if (now >= job->stop_s)
        return true;
    if (!mco_is_cancelled(job->ctx))
        return false;
    double seen = 0;
    return !atomic_compare_exchange_strong(&job->cancelled_s, &seen, now) && now >= seen + CANCEL_S;
}

static void put(searcher *s, int32_t at, int32_t node)
{
    s->heap[at] = node;
    s->place[node] = at;
}

static void rise(searcher *s, int32_t node)
{
    int32_t i = s->place[node];
    for (; i > 0 && s->label[s->heap[(i - 1) / 2]] > s->label[node]; i = (i - 1) / 2)
        put(s, i, s->heap[(i - 1) / 2]);
    put(s, i, node);
}

static int32_t pop(searcher *s)
{
    const int32_t least = s->heap[0], last = s->heap[--s->count];
    int32_t i = 0;
    s->place[least] = -1;
    if (s->count == 0)
        return least;
    for (int32_t child = 1; child < s->count; child = 2 * i + 1) {
        child += child + 1 < s->count && s->label[s->heap[child + 1]] < s->label[s->heap[child]];
        if (s->label[s->heap[child]] >= s->label[last])
            break;
        put(s, i, s->heap[child]);
        i = child;
    }
    put(s, i, last);
    return least;
}

// Returns false if it must end before all nodes have labels.
static bool search(searching *job, int32_t row, searcher *s)
{
    enum { LOOK = 0x7fff };  // nodes between two looks at the clock: some milliseconds
    const traffic_certificate *c = job->c;
    const traffic_problem *p = c->problem;
    int64_t popped = 0;
    const double *cost = traffic_certificate_cost(c, row);
    const int32_t origin = p->row_origin[row];
    for (int32_t v = 0; v < p->nodes; v++) {
        s->label[v] = INFINITY;
        s->place[v] = -1;
    }
    s->label[origin] = 0;
    s->count = 1;
    put(s, 0, origin);
    while (s->count > 0) {
        const int32_t v = pop(s);
        if ((++popped & LOOK) == 0 && is_search_over(job))
            return false;
        if (v < p->first_through && v != origin)
            continue;
        for (int64_t l = p->first[v]; l < p->first[v + 1]; l++) {
            const int32_t w = p->head[l];
            const double reach = s->label[v] + cost[l];
            if (reach >= s->label[w])
                continue;
            s->label[w] = reach;
            if (s->place[w] < 0)
                put(s, s->count++, w);
            rise(s, w);
        }
    }
    return true;
}

static bool is_proved(const struct traffic_row_proof *row)
{
    return row->is_done && row->loss < INFINITY;
}

static void search_row(void *shared, int worker, int64_t item)
{
    searching *job = shared;
    if (!is_proved(&job->c->row[item]) && !is_search_over(job) && search(job, (int32_t)item, &job->own[worker]))
        traffic_certificate_row(job->c, (int32_t)item, job->own[worker].label);
}

mco_status traffic_certificate_search(mco_context *ctx, traffic_certificate *c, int threads, double stop_s)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    searching job = {.ctx = ctx, .c = c, .stop_s = stop_s};
    int64_t missing = 0;
    const int32_t rows = c->problem->rows;
    for (int32_t row = 0; row < rows; row++)
        missing += !is_proved(&c->row[row]);
    if (missing == 0)
        return MCO_OK;
    const int workers = threads < missing ? threads : (int)missing;
    MCO_TRY(mco_alloc(ctx, &job.own, workers));
    for (int k = 0; k < workers; k++) {
        MCO_TRY(mco_alloc(ctx, &job.own[k].label, c->problem->nodes));
        MCO_TRY(mco_alloc(ctx, &job.own[k].heap, c->problem->nodes));
        MCO_TRY(mco_alloc(ctx, &job.own[k].place, c->problem->nodes));
    }
    MCO_TRY(mco_team_open(ctx, workers, false, &team));
    mco_team_run(&team, rows, search_row, NULL, &job);
done:
    mco_team_close(&team);
    for (int k = 0; job.own != NULL && k < workers; k++) {
        mco_free(ctx, &job.own[k].label);
        mco_free(ctx, &job.own[k].heap);
        mco_free(ctx, &job.own[k].place);
    }
    mco_free(ctx, &job.own);
    return st;
}

// ---- The end

static double larger(double a, double b)
{
    return b > a || isnan(b) ? b : a;
}

// The trips of a row leave its origin and arrive: net flow out of each node.
static void add_trips(const traffic_problem *p, int32_t row, double *net)
{
    for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++) {
        net[p->row_origin[row]] -= p->amount[t];
        net[p->to[t]] += p->amount[t];
    }
}

// The greatest entry of net [nodes] at the ends of a link or of a row's trips; these entries are 0 afterwards.
static double take_worst(double *net, int32_t from, int32_t to, double worst)
{
    worst = larger(worst, fabs(net[from]));
    worst = larger(worst, fabs(net[to]));
    net[from] = net[to] = 0;
    return worst;
}

static int64_t cells_of(const traffic_certificate *c)
{
    return (c->class_flow != NULL ? c->problem->classes : 1) * (int64_t)c->problem->links;
}

// How far sums of rows [classes][links] miss the flows.
static double worst_difference(const traffic_certificate *c, const double *sum)
{
    const double *seen = c->class_flow != NULL ? c->class_flow : c->flow;
    double worst = 0;
    for (int64_t i = 0; i < cells_of(c); i++)
        worst = larger(worst, fabs(sum[i] - seen[i]));
    return worst;
}

// Every row for itself. net [nodes] is zero before and after; sum [classes][links] takes the flows. O(flows + trips + links).
static double balance_rows(const traffic_certificate *c, const traffic_flows *flows, double *net, double *sum)
{
    const traffic_problem *p = c->problem;
    double worst = 0;
    for (int32_t row = 0; row < p->rows; row++) {
        double *of_class = sum + (c->class_flow != NULL ? (size_t)p->row_class[row] * (size_t)p->links : 0);
        add_trips(p, row, net);
        for (int64_t i = flows->first[row]; i < flows->first[row + 1]; i++) {
            const int32_t l = flows->link[i];
            if (flows->flow[i] < 0)
                worst = larger(worst, -flows->flow[i]);
            net[p->tail[l]] += flows->flow[i];
            net[p->head[l]] -= flows->flow[i];
            of_class[l] += flows->flow[i];
        }
        for (int64_t i = flows->first[row]; i < flows->first[row + 1]; i++)
            worst = take_worst(net, p->tail[flows->link[i]], p->head[flows->link[i]], worst);
        for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++)
            worst = take_worst(net, p->row_origin[row], p->to[t], worst);
    }
    return larger(worst, worst_difference(c, sum));
}

enum { LANES = 8 };

static double take_entry(double *entry, double worst)
{
    worst = larger(worst, fabs(*entry));
    *entry = 0;
    return worst;
}

// As take_worst(), for a node and 8 rows.
static double take_worst8(double *net, int32_t node, double worst)
{
    double *const at = net + (size_t)node * LANES, most[4];
    // Most nodes are in balance or looked at again, so one test of 8 sums settles them; NaN fails it.
    for (int lane = 0; lane < 4; lane++)
        most[lane] = fabs(at[lane]) + fabs(at[lane + 4]);
    if ((most[0] + most[2]) + (most[1] + most[3]) <= worst) {
        memset(at, 0, LANES * sizeof *at);
        return worst;
    }
    for (size_t lane = 0; lane < LANES; lane++)
        worst = take_entry(at + lane, worst);
    return worst;
}

// The net flow of 8 rows out of each node: their trips, then their flows on links. Returns the most negative flow, its sign changed.
// Adds the flows of 8 rows to the balance at the ends of their links, and to `sum`. Returns how far the least flow is below 0.
static double add_flows8(const traffic_problem *p, double *net, int64_t count, const int32_t *link, const double *flow, double *sum)
{
    double least[LANES] = {0};
    for (int64_t i = 0; i < count; i++) {
        double *const out = net + (size_t)p->tail[link[i]] * LANES, *const in = net + (size_t)p->head[link[i]] * LANES;
        const double *x = flow + i * LANES;
        for (int lane = 0; lane < LANES; lane++) {
            out[lane] += x[lane];
            in[lane] -= x[lane];
            least[lane] = x[lane] >= least[lane] ? least[lane] : x[lane];
        }
        sum[link[i]] += ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
    }
    double worst = 0;
    for (int lane = 0; lane < LANES; lane++)
        worst = larger(worst, -least[lane]);
    return worst;
}

// Adds the trips of a row, in lane `lane`.
static void add_trips8(const traffic_problem *p, double *net, int32_t row, size_t lane)
{
    double sum = 0;
    for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++) {
        net[(size_t)p->to[t] * LANES + lane] += p->amount[t];
        sum += p->amount[t];
    }
    net[(size_t)p->row_origin[row] * LANES + lane] -= sum;
}

// Takes what the trips of a row have left at their ends.
static double take_trips8(const traffic_problem *p, double *net, int32_t row, size_t lane, double worst)
{
    for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++)
        worst = take_entry(net + (size_t)p->to[t] * LANES + lane, worst);
    return take_entry(net + (size_t)p->row_origin[row] * LANES + lane, worst);
}

mco_status traffic_balance_open(mco_context *ctx, const traffic_certificate *c, traffic_balance *out)
{
    mco_status st = MCO_OK;
    *out = (traffic_balance){0};
    MCO_TRY(mco_alloc(ctx, &out->net, (int64_t)c->problem->nodes * LANES));
    MCO_TRY(mco_alloc(ctx, &out->sum, cells_of(c)));
done:
    if (st != MCO_OK)
        mco_free(ctx, &out->net);
    return st;
}

void traffic_balance_flows8(const traffic_certificate *c, traffic_balance *b, const int32_t row[8], int64_t count, const int32_t *link,
                            const double *flow)
{
    const traffic_problem *p = c->problem;
    int32_t k = 0;
    for (size_t lane = 0; lane < LANES; lane++)
        if (row[lane] >= 0) {
            k = c->class_flow != NULL ? p->row_class[row[lane]] : 0;
            b->balanced++;
            add_trips8(p, b->net, row[lane], lane);
        }
    double worst = larger(b->imbalance, add_flows8(p, b->net, count, link, flow, b->sum + (size_t)k * (size_t)p->links));
    for (int64_t i = 0; i < count; i++) {
        worst = take_worst8(b->net, p->tail[link[i]], worst);
        worst = take_worst8(b->net, p->head[link[i]], worst);
    }
    for (size_t lane = 0; lane < LANES; lane++)
        if (row[lane] >= 0)
            worst = take_trips8(p, b->net, row[lane], lane, worst);
    b->imbalance = worst;
}

void traffic_certificate_take_balance(mco_context *ctx, traffic_certificate *c, traffic_balance *b)
{
    traffic_balance *all = &c->balance;
    if (all->sum == NULL) {
        *all = *b;
        *b = (traffic_balance){0};
        return;
    }
    for (int64_t i = 0; b->sum != NULL && i < cells_of(c); i++)
        all->sum[i] += b->sum[i];
    all->balanced += b->balanced;
    all->imbalance = larger(all->imbalance, b->imbalance);
    mco_free(ctx, &b->net);
    mco_free(ctx, &b->sum);
}

mco_status traffic_certificate_flows8(mco_context *ctx, traffic_certificate *c, const int32_t row[8], int64_t count, const int32_t *link,
                                      const double *flow)
{
    mco_status st = MCO_OK;
    if (c->balance.sum == NULL)
        MCO_TRY(traffic_balance_open(ctx, c, &c->balance));
    traffic_balance_flows8(c, &c->balance, row, count, link, flow);
done:
    return st;
}

// All rows of a class together.
static double balance_classes(const traffic_certificate *c, double *net)
{
    const traffic_problem *p = c->problem;
    double worst = 0;
    int32_t row = 0;
    for (int32_t k = 0; k < p->classes; k++) {
        const double *flow = c->class_flow != NULL ? c->class_flow + (size_t)k * (size_t)p->links : c->flow;
        for (; row < p->rows && p->row_class[row] == k; row++)
            add_trips(p, row, net);
        for (int32_t l = 0; l < p->links; l++) {
            net[p->tail[l]] += flow[l];
            net[p->head[l]] -= flow[l];
            if (flow[l] < 0)
                worst = larger(worst, -flow[l]);
        }
        for (int32_t v = 0; v < p->nodes; v++) {
            worst = larger(worst, fabs(net[v]));
            net[v] = 0;
        }
    }
    return worst;
}

static traffic_sum total_of(const traffic_certificate *c)
{
    const traffic_problem *p = c->problem;
    const int32_t classes = c->class_flow != NULL ? p->classes : 1;
    const double *flow = c->class_flow != NULL ? c->class_flow : c->flow;
    traffic_sum total = {0, 0};
    for (int32_t k = 0; k < classes; k++) {
        const double *cost = c->cost + (c->cost_classes > 1 ? (size_t)k * (size_t)p->links : 0);
        for (int32_t l = 0; l < p->links; l++)
            traffic_sum_add_product(&total, flow[(size_t)k * (size_t)p->links + (size_t)l], cost[l]);
    }
    return total;
}

mco_status traffic_certificate_close(mco_context *ctx, traffic_certificate *c, const traffic_flows *flows, traffic_proof *out)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = c->problem;
    double *net = NULL, *sum = NULL, loss = 0;
    int32_t missing = 0;
    traffic_sum least = {0, 0};
    const traffic_sum total = total_of(c);
    MCO_TRY(mco_alloc(ctx, &net, p->nodes));
    if (c->balance.sum != NULL && c->balance.balanced == p->rows) {
        out->imbalance = larger(c->balance.imbalance, worst_difference(c, c->balance.sum));
    } else if (flows != NULL && flows->first != NULL) {
        MCO_TRY(mco_alloc(ctx, &sum, cells_of(c)));
        out->imbalance = balance_rows(c, flows, net, sum);
    } else {
        out->imbalance = balance_classes(c, net);
    }
    for (int32_t row = 0; row < p->rows; row++) {
        if (!is_proved(&c->row[row])) {
            missing++;
            continue;
        }
        traffic_sum_add_sum(&least, c->row[row].least);
        loss += c->row[row].loss;
    }
    out->missing = missing;
    out->total = total.high;
    out->least = least.high;
    out->gap = total.high > 0 ? (traffic_sum_less(total, least) + loss) / total.high : loss > 0 ? (double)INFINITY : 0;
done:
    mco_free(ctx, &sum);
    mco_free(ctx, &net);
    return st;
}
