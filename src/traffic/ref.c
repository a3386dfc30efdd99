// SPDX-License-Identifier: MIT
// The reference, the oracle of the tests: the shortest readable algorithms on one core, for small networks.
//
// fw, cfw, bfw: Frank and Wolfe (1956); conjugate and biconjugate directions after Mitradjieva and Lindberg (2013). `pairs` is
// here a gradient projection over paths (Jayakrishnan and others 1994): each pair of zones keeps its used paths, and trips move
// from each path to the cheapest by a Newton step. Its fixed points are the equilibria too, so it is an oracle for the engine of pairs.
#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "traffic/engine.h"
#include "traffic/sum.h"

typedef struct reference {
    mco_context *ctx;
    const traffic_call *call;
    const traffic_problem *p;
    int64_t cells;       // classes * links: all flows are by class
    double *flow;        // [classes][links]
    double *total;       // [links] sum over classes
    double *cost;        // [classes][links]
    double *label;       // [nodes]
    int32_t *enters;     // [nodes] the link by which the tree enters, -1: none
    struct place { double label; int32_t node; } *heap;
    int64_t heap_count, heap_room;
    traffic_answer *out;
} reference;

// ---- Costs

static void set_costs(reference *r)
{
    const traffic_problem *p = r->p;
    for (int64_t l = 0; l < p->links; l++) {
        r->total[l] = 0;
        for (int32_t k = 0; k < p->classes; k++)
            r->total[l] += r->flow[(int64_t)k * p->links + l];
        const double cost = traffic_cost(&p->costs, l, r->total[l]);
        for (int32_t k = 0; k < p->classes; k++)
            r->cost[(int64_t)k * p->links + l] = cost + (p->extra != NULL ? p->extra[(int64_t)k * p->links + l] : 0);
    }
}

// ---- Shortest paths: Dijkstra with a binary heap

static mco_status push(reference *r, double label, int32_t node)
{
    const mco_status st = mco_grow(r->ctx, &r->heap, &r->heap_room, r->heap_count + 1);
    if (st != MCO_OK)
        return st;
    int64_t i = r->heap_count++;
    for (; i > 0 && r->heap[(i - 1) / 2].label > label; i = (i - 1) / 2)
        r->heap[i] = r->heap[(i - 1) / 2];
    r->heap[i] = (struct place){label, node};
    return MCO_OK;
}

static struct place pop(reference *r)
{
    const struct place least = r->heap[0], last = r->heap[--r->heap_count];
    int64_t i = 0;
    for (int64_t child = 1; child < r->heap_count; child = 2 * i + 1) {
        child += child + 1 < r->heap_count && r->heap[child + 1].label < r->heap[child].label;
        if (r->heap[child].label >= last.label)
            break;
        r->heap[i] = r->heap[child];
        i = child;
    }
    r->heap[i] = last;
    return least;
}

static mco_status make_tree(reference *r, int32_t row)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = r->p;
    const int32_t origin = p->row_origin[row];
    const double *cost = r->cost + (int64_t)p->row_class[row] * p->links;
    for (int32_t v = 0; v < p->nodes; v++) {
        r->label[v] = INFINITY;
        r->enters[v] = -1;
    }
    r->label[origin] = 0;
    MCO_TRY(push(r, 0, origin));
    while (r->heap_count > 0) {
        const struct place least = pop(r);
        const int32_t v = least.node;
        if (least.label > r->label[v] || (v < p->first_through && v != origin))
            continue;
        for (int32_t l = p->first[v]; l < p->first[v + 1]; l++) {
            const double reach = least.label + cost[l];
            if (reach >= r->label[p->head[l]])
                continue;
            r->label[p->head[l]] = reach;
            r->enters[p->head[l]] = l;
            MCO_TRY(push(r, reach, p->head[l]));
        }
    }
done:
    return st;
}

// ---- The Frank-Wolfe family. All arrays are [cells].

// All trips on their shortest paths. *least: sum of trips * least cost.
static mco_status load(reference *r, double *y, double *least)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = r->p;
    traffic_sum sum = {0, 0};
    memset(y, 0, (size_t)r->cells * sizeof *y);
    for (int32_t row = 0; row < p->rows; row++) {
        double *of_class = y + (int64_t)p->row_class[row] * p->links;
        if (mco_run_must_stop(r->call->run, r->out->iterations))
            MCO_TRY(mco_fail(r->ctx, MCO_ERR_STOPPED, "stopped after %d of %d rows", row, p->rows));
        MCO_TRY(make_tree(r, row));
        for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++) {
            traffic_sum_add_product(&sum, p->amount[t], r->label[p->to[t]]);
            for (int32_t v = p->to[t]; v != p->row_origin[row]; v = p->tail[r->enters[v]])
                of_class[r->enters[v]] += p->amount[t];
        }
    }
    *least = sum.high;
done:
    return st;
}

// The derivative of the objective at flow + step * d, along d.
static double derivative(const reference *r, const double *d, double step)
{
    const traffic_problem *p = r->p;
    traffic_sum sum = {0, 0};
    for (int64_t l = 0; l < p->links; l++) {
        double flow = 0, total_d = 0;
        for (int32_t k = 0; k < p->classes; k++) {
            const int64_t i = (int64_t)k * p->links + l;
            flow += r->flow[i] + step * d[i];
            total_d += d[i];
            if (p->extra != NULL)
                traffic_sum_add_product(&sum, p->extra[i], d[i]);
        }
        traffic_sum_add_product(&sum, traffic_cost(&p->costs, l, flow), total_d);
    }
    return sum.high;
}

// The growth of the objective up to flow + step * d.
static double growth(const reference *r, const double *d, double step)
{
    const traffic_problem *p = r->p;
    traffic_sum sum = {0, 0};
    for (int64_t l = 0; l < p->links; l++) {
        double flow = r->total[l];
        for (int32_t k = 0; k < p->classes; k++) {
            const int64_t i = (int64_t)k * p->links + l;
            flow += step * d[i];
            if (p->extra != NULL)
                traffic_sum_add_product(&sum, p->extra[i], step * d[i]);
        }
        traffic_sum_add(&sum, traffic_integral(&p->costs, l, flow));
        traffic_sum_add(&sum, -traffic_integral(&p->costs, l, r->total[l]));
    }
    return sum.high;
}

static const double NARROW = 1e-10;  // width at which a search of values ends: below it values differ by their rounding alone

// Zero of the derivative, by halving: it grows with the step.
static double search_exactly(const reference *r, const double *d)
{
    double low = 0, high = 1;
    if (derivative(r, d, 1) <= 0)
        return 1;
    for (int i = 0; i < 60; i++) {
        const double middle = (low + high) / 2;
        *(derivative(r, d, middle) > 0 ? &high : &low) = middle;
    }
    return low;
}

static double search_golden(const reference *r, const double *d)
{
    const double ratio = (sqrt(5) - 1) / 2;
    double a = 0, b = 1, x = b - ratio * (b - a), y = a + ratio * (b - a), fx = growth(r, d, x), fy = growth(r, d, y);
    while (b - a > NARROW) {
        if (fx < fy) {
            b = y, y = x, fy = fx;
            x = b - ratio * (b - a), fx = growth(r, d, x);
        } else {
            a = x, x = y, fx = fy;
            y = a + ratio * (b - a), fy = growth(r, d, y);
        }
    }
    return (a + b) / 2;
}

static double search_fibonacci(const reference *r, const double *d)
{
    enum { STEPS = 50 };  // F(50) = 2e10: the last interval is as narrow as NARROW
    double fibonacci[STEPS + 1] = {1, 1}, a = 0, b = 1;
    for (int i = 2; i <= STEPS; i++)
        fibonacci[i] = fibonacci[i - 1] + fibonacci[i - 2];
    for (int k = STEPS; k >= 2; k--) {
        const double x = a + fibonacci[k - 2] / fibonacci[k] * (b - a), y = a + fibonacci[k - 1] / fibonacci[k] * (b - a);
        *(growth(r, d, x) < growth(r, d, y) ? &b : &a) = growth(r, d, x) < growth(r, d, y) ? y : x;
    }
    return (a + b) / 2;
}

// Five points, of which those three stay that hold the least value, the middle case included.
static double search_dichotomy(const reference *r, const double *d)
{
    double a = 0, b = 1, middle = growth(r, d, 0.5);
    while (b - a > NARROW) {
        const double width = (b - a) / 4, left = growth(r, d, a + width), right = growth(r, d, b - width);
        if (left < middle && left <= right) {
            b -= 2 * width, middle = left;
        } else if (right < middle) {
            a += 2 * width, middle = right;
        } else {
            a += width, b -= width;
        }
    }
    return (a + b) / 2;
}

static double search_step(const reference *r, const double *d)
{
    switch (r->call->params->line_search) {
    case MCO_TRAFFIC_SEARCH_GOLDEN: return search_golden(r, d);
    case MCO_TRAFFIC_SEARCH_FIBONACCI: return search_fibonacci(r, d);
    case MCO_TRAFFIC_SEARCH_DICHOTOMY: return search_dichotomy(r, d);
    default: return search_exactly(r, d);
    }
}

// a' H b with the second derivatives of the objective, which belong to sums over classes.
static double curve(const reference *r, const double *a, const double *b)
{
    const traffic_problem *p = r->p;
    double sum = 0;
    for (int64_t l = 0; l < p->links; l++) {
        double of_a = 0, of_b = 0;
        for (int32_t k = 0; k < p->classes; k++) {
            of_a += a[(int64_t)k * p->links + l];
            of_b += b[(int64_t)k * p->links + l];
        }
        const double slope = traffic_slope(&p->costs, l, r->total[l]);
        sum += isfinite(slope) ? of_a * slope * of_b : 0;
    }
    return sum;
}

// The target of a step: y, or a mean of y and the targets before it, s1 and s2. `step`: the length of the last step.
static void mix_target(const reference *r, double *y, const double *s1, const double *s2, double step, double *u, double *v)
{
    const mco_traffic_method method = r->call->params->method;
    const double most = 0.99;  // a direction always keeps some of y, or it would stall
    double share1 = 0, share2 = 0;
    if (s1 == NULL || method == MCO_TRAFFIC_METHOD_FW)
        return;
    for (int64_t i = 0; i < r->cells; i++) {
        u[i] = s1[i] - r->flow[i];
        v[i] = y[i] - r->flow[i];
    }
    const double of_u = curve(r, u, v);
    if (method == MCO_TRAFFIC_METHOD_BFW && s2 != NULL) {
        double *w = u;  // first the direction before the last
        double numerator, uu, ww;
        const double nu_num = -of_u;
        uu = curve(r, u, u);
        for (int64_t i = 0; i < r->cells; i++)
            w[i] = step * s1[i] - r->flow[i] + (1 - step) * s2[i];
        numerator = -curve(r, w, v);
        for (int64_t i = 0; i < r->cells; i++)
            v[i] = s2[i] - s1[i];
        ww = curve(r, w, v);
        const double mu = ww != 0 ? fmax(0, numerator / ww) : 0;
        const double nu = uu != 0 ? fmax(0, nu_num / uu + (step < 1 ? mu * step / (1 - step) : 0)) : 0;
        const double beta = 1 / (1 + mu + nu);
        share1 = nu * beta;
        share2 = mu * beta;
    } else {
        for (int64_t i = 0; i < r->cells; i++)
            v[i] = y[i] - s1[i];
        const double below = curve(r, u, v);
        share1 = below != 0 ? of_u / below : 0;
        share1 = share1 > 0 ? fmin(share1, most) : 0;
    }
    for (int64_t i = 0; i < r->cells; i++)
        y[i] = (1 - share1 - share2) * y[i] + share1 * s1[i] + share2 * (s2 != NULL ? s2[i] : 0);
}

static mco_status note(reference *r, double least)
{
    const traffic_problem *p = r->p;
    traffic_sum total = {0, 0};
    for (int64_t i = 0; i < r->cells; i++)
        traffic_sum_add_product(&total, r->flow[i], r->cost[i]);
    r->out->gap = total.high > 0 ? fmax(0, (total.high - least) / total.high) : 0;
    return traffic_note(r->call, p->is_integral ? traffic_objective(p, r->total, p->classes > 1 ? r->flow : NULL) : NAN, r->out->gap);
}

static bool is_last(const reference *r)
{
    const int64_t most = r->call->params->iterations;
    return r->out->gap <= r->call->gap || (most > 0 && r->out->iterations >= most);
}

static mco_status run_frank_wolfe(reference *r)
{
    mco_status st = MCO_OK;
    double *y = NULL, *s1 = NULL, *s2 = NULL, *u = NULL, *v = NULL, least = 0, step = 1;
    int kept = 0;
    bool has_flows = false;
    double **const arrays[] = {&y, &s1, &s2, &u, &v};
    for (int i = 0; i < 5; i++)
        MCO_TRY(mco_alloc(r->ctx, arrays[i], r->cells));
    set_costs(r);
    if (r->call->start_flow == NULL || r->p->classes > 1) {
        MCO_TRY(load(r, r->flow, &least));
    } else {
        memcpy(r->flow, r->call->start_flow, (size_t)r->cells * sizeof *r->flow);
    }
    for (;;) {
        set_costs(r);
        has_flows = true;
        MCO_TRY(load(r, y, &least));
        MCO_TRY(note(r, least));
        if (is_last(r))
            break;
        mix_target(r, y, kept > 0 ? s1 : NULL, kept > 1 ? s2 : NULL, step, u, v);
        for (int64_t i = 0; i < r->cells; i++)
            u[i] = y[i] - r->flow[i];
        if (derivative(r, u, 0) >= 0 && kept > 0) {  // the mean goes uphill: begin anew with the shortest paths alone
            MCO_TRY(load(r, y, &least));
            for (int64_t i = 0; i < r->cells; i++)
                u[i] = y[i] - r->flow[i];
            kept = 0;
        }
        if (derivative(r, u, 0) >= 0)  // rounding hides what is left of the gap
            break;
        step = search_step(r, u);
        if (step <= 0)  // the same flows would follow for ever
            break;
        for (int64_t i = 0; i < r->cells; i++)
            r->flow[i] = fmax(0, r->flow[i] + step * u[i]);
        double *const last = s2;  // y becomes s1, s1 becomes s2
        s2 = s1;
        s1 = y;
        y = last;
        kept = step < 0.99 && step > NARROW ? kept + 1 : 0;  // after a full step, or none, the targets before it say nothing
        r->out->iterations++;
    }
done:
    for (int i = 0; i < 5; i++)
        mco_free(r->ctx, arrays[i]);
    return st == MCO_ERR_STOPPED && has_flows ? MCO_OK : st;
}

// ---- Gradient projection over paths

typedef struct path {
    int64_t first, count;  // in `links` of the store
    double flow;
    struct path *next;
} path;

typedef struct store {
    path **of_trip;   // [trips] used paths
    path *all;        // [count] in blocks that never move: `next` of a block's last is the block before
    int32_t *link;
    int64_t links, link_room;
    uint8_t *mark;    // [links of the problem] zero
    path **block;
    int64_t blocks, block_room, in_block;
} store;

enum { BLOCK = 4096 };

static mco_status new_path(reference *r, store *s, path **out)
{
    mco_status st = MCO_OK;
    if (s->blocks == 0 || s->in_block == BLOCK) {
        MCO_TRY(mco_grow(r->ctx, &s->block, &s->block_room, s->blocks + 1));
        MCO_TRY(mco_alloc(r->ctx, &s->block[s->blocks], BLOCK));
        s->blocks++;
        s->in_block = 0;
    }
    *out = &s->block[s->blocks - 1][s->in_block++];
done:
    return st;
}

// The path of the tree to a trip's end: one of the trip's own if it is equal, else a new one without flow.
static mco_status find_path(reference *r, store *s, int32_t row, int64_t t, path **out)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = r->p;
    int64_t count = 0;
    for (int32_t v = p->to[t]; v != p->row_origin[row]; v = p->tail[r->enters[v]])
        count++;
    MCO_TRY(mco_grow(r->ctx, &s->link, &s->link_room, s->links + count));
    int32_t *link = s->link + s->links;
    int64_t at = count;
    for (int32_t v = p->to[t]; v != p->row_origin[row]; v = p->tail[r->enters[v]])
        link[--at] = r->enters[v];
    for (path *q = s->of_trip[t]; q != NULL; q = q->next)
        if (q->count == count && memcmp(s->link + q->first, link, (size_t)count * sizeof *link) == 0) {
            *out = q;
            return MCO_OK;
        }
    MCO_TRY(new_path(r, s, out));
    **out = (path){.first = s->links, .count = count, .next = s->of_trip[t]};
    s->of_trip[t] = *out;
    s->links += count;
done:
    return st;
}

static double cost_of(const reference *r, const store *s, int32_t k, const path *q)
{
    double sum = 0;
    for (int64_t i = q->first; i < q->first + q->count; i++)
        sum += r->cost[(int64_t)k * r->p->links + s->link[i]];
    return sum;
}

static void add_flow(reference *r, const store *s, int32_t k, path *q, double amount)
{
    const traffic_problem *p = r->p;
    q->flow += amount;
    for (int64_t i = q->first; i < q->first + q->count; i++) {
        const int32_t l = s->link[i];
        r->flow[(int64_t)k * p->links + l] += amount;
        r->total[l] += amount;
        const double cost = traffic_cost(&p->costs, l, r->total[l]);
        for (int32_t c = 0; c < p->classes; c++)
            r->cost[(int64_t)c * p->links + l] = cost + (p->extra != NULL ? p->extra[(int64_t)c * p->links + l] : 0);
    }
}

// The sum of slopes over links of one path that the other lacks.
static double slope_between(reference *r, store *s, const path *a, const path *b)
{
    double sum = 0;
    const path *const both[] = {a, b};
    for (int side = 0; side < 2; side++) {
        const path *own = both[side], *other = both[1 - side];
        for (int64_t i = other->first; i < other->first + other->count; i++)
            s->mark[s->link[i]] = 1;
        for (int64_t i = own->first; i < own->first + own->count; i++)
            if (!s->mark[s->link[i]])
                sum += traffic_slope(&r->p->costs, s->link[i], r->total[s->link[i]]);
        for (int64_t i = other->first; i < other->first + other->count; i++)
            s->mark[s->link[i]] = 0;
    }
    return sum;
}

// Moves flow from a path to the best one by a Newton step. Where costs bend, the step is halved until the sign of the difference stays or
// the difference is half as large; so no two steps undo each other.
static void move_to_best(reference *r, store *s, int32_t k, path *q, path *best, double excess)
{
    enum { HALVINGS = 60 };
    const double slope = slope_between(r, s, q, best);
    double step = slope > 0 ? fmin(excess / slope, q->flow) : q->flow;
    add_flow(r, s, k, q, -step);
    add_flow(r, s, k, best, step);
    for (int i = 0; i < HALVINGS && cost_of(r, s, k, q) - cost_of(r, s, k, best) < -excess / 2; i++) {
        step /= 2;
        add_flow(r, s, k, q, step);
        add_flow(r, s, k, best, -step);
    }
}

static void balance_trip(reference *r, store *s, int32_t k, int64_t t)
{
    path *best = NULL;
    double least = INFINITY;
    for (path *q = s->of_trip[t]; q != NULL; q = q->next) {
        const double cost = cost_of(r, s, k, q);
        best = cost < least ? q : best;
        least = fmin(least, cost);
    }
    for (path *q = s->of_trip[t]; q != NULL; q = q->next) {
        const double excess = q != best && q->flow > 0 ? cost_of(r, s, k, q) - cost_of(r, s, k, best) : 0;
        if (excess > 0)
            move_to_best(r, s, k, q, best, excess);
    }
}

// Paths without flow leave the lists.
static void drop_empty(store *s, int64_t t)
{
    for (path **at = &s->of_trip[t]; *at != NULL;)
        if ((*at)->flow <= 0)
            *at = (*at)->next;
        else
            at = &(*at)->next;
}

// Flows of links anew from those of paths, so that sums of many steps carry no rounding along.
static void sum_paths(reference *r, const store *s)
{
    const traffic_problem *p = r->p;
    memset(r->flow, 0, (size_t)r->cells * sizeof *r->flow);
    for (int32_t row = 0; row < p->rows; row++)
        for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++) {
            double left = p->amount[t];
            for (path *q = s->of_trip[t]; q != NULL; q = q->next)
                left -= q->flow;
            if (s->of_trip[t] != NULL)
                s->of_trip[t]->flow += left;
            for (const path *q = s->of_trip[t]; q != NULL; q = q->next)
                for (int64_t i = q->first; i < q->first + q->count; i++)
                    r->flow[(int64_t)p->row_class[row] * p->links + s->link[i]] += q->flow;
        }
    set_costs(r);
}

static mco_status pass_paths(reference *r, store *s)
{
    enum { INNER = 8 };
    mco_status st = MCO_OK;
    const traffic_problem *p = r->p;
    for (int32_t row = 0; row < p->rows; row++) {
        if (mco_run_must_stop(r->call->run, r->out->iterations))
            MCO_TRY(mco_fail(r->ctx, MCO_ERR_STOPPED, "stopped after %d of %d rows", row, p->rows));
        MCO_TRY(make_tree(r, row));
        for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++) {
            path *q = NULL;
            const bool is_new = s->of_trip[t] == NULL;
            MCO_TRY(find_path(r, s, row, t, &q));
            if (is_new)
                add_flow(r, s, p->row_class[row], q, p->amount[t]);
            balance_trip(r, s, p->row_class[row], t);
        }
    }
    for (int i = 0; i < INNER; i++)
        for (int32_t row = 0; row < p->rows; row++) {
            if (mco_run_must_stop(r->call->run, r->out->iterations))
                return MCO_OK;
            for (int64_t t = p->row_first[row]; t < p->row_first[row + 1]; t++)
                balance_trip(r, s, p->row_class[row], t);
        }
    for (int64_t t = 0; t < p->row_first[p->rows]; t++)
        drop_empty(s, t);
done:
    return st;
}

static mco_status run_paths(reference *r)
{
    enum { PATIENCE = 50 };  // passes without a smaller gap: rounding hides the rest
    mco_status st = MCO_OK;
    const traffic_problem *p = r->p;
    store s = {0};
    double *y = NULL, least = 0;
    bool has_flows = false;
    double best = INFINITY;
    int stalled = 0;
    MCO_TRY(mco_alloc(r->ctx, &y, r->cells));
    MCO_TRY(mco_alloc(r->ctx, &s.of_trip, p->row_first[p->rows]));
    MCO_TRY(mco_alloc(r->ctx, &s.mark, p->links));
    set_costs(r);
    for (;;) {
        MCO_TRY(pass_paths(r, &s));
        r->out->iterations++;
        has_flows = true;
        sum_paths(r, &s);
        MCO_TRY(load(r, y, &least));
        MCO_TRY(note(r, least));
        stalled = r->out->gap < best ? 0 : stalled + 1;
        best = fmin(best, r->out->gap);
        if (is_last(r) || stalled == PATIENCE)
            break;
    }
done:
    if (st == MCO_ERR_STOPPED && has_flows) {
        sum_paths(r, &s);
        st = MCO_OK;
    }
    for (int64_t b = 0; b < s.blocks; b++)
        mco_free(r->ctx, &s.block[b]);
    mco_free(r->ctx, &s.block);
    mco_free(r->ctx, &s.link);
    mco_free(r->ctx, &s.mark);
    mco_free(r->ctx, &s.of_trip);
    mco_free(r->ctx, &y);
    return st;
}

// ---- The engine

mco_status traffic_ref_assign(mco_context *ctx, const traffic_call *call, traffic_answer *out)
{
    mco_status st = MCO_OK;
    const traffic_problem *p = call->problem;
    reference r = {.ctx = ctx, .call = call, .p = p, .cells = (int64_t)p->classes * p->links, .out = out};
    out->gap = INFINITY;
    out->threads = 1;
    MCO_TRY(mco_alloc(ctx, &r.flow, r.cells));
    MCO_TRY(mco_alloc(ctx, &r.total, p->links));
    MCO_TRY(mco_alloc(ctx, &r.cost, r.cells));
    MCO_TRY(mco_alloc(ctx, &r.label, p->nodes));
    MCO_TRY(mco_alloc(ctx, &r.enters, p->nodes));
    MCO_TRY(call->params->method == MCO_TRAFFIC_METHOD_PAIRS ? run_paths(&r) : run_frank_wolfe(&r));
    set_costs(&r);
    out->flow = r.total;
    r.total = NULL;
    if (p->classes > 1) {
        out->class_flow = r.flow;
        r.flow = NULL;
    }
done:
    mco_free(ctx, &r.heap);
    mco_free(ctx, &r.enters);
    mco_free(ctx, &r.label);
    mco_free(ctx, &r.cost);
    mco_free(ctx, &r.total);
    mco_free(ctx, &r.flow);
    return st;
}
