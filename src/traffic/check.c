// SPDX-License-Identifier: MIT
// The checker: costs, sums, balance and least costs from the raw network and flows of links alone. It shares no code with the
// engines and none with what settles their problem: its own formulas of costs, its own search, sums in double-double.
//
// Formulas: BPR; Spiess (1990); Akcelik (1991); Jradi (2016), section 8. Searches: Dijkstra over nodes, or over links where turns
// are banned. Vehicles count as their car equivalents in every sum, so that a gap has one unit.
#include "traffic/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/options.h"
#include "base/structs.h"
#include "traffic/sum.h"

typedef struct checker {
    mco_context *ctx;
    const mco_traffic *traffic;
    mco_traffic_network n;
    mco_traffic_params p;
    const double *flow;        // [links] cars
    const double *class_flow;  // [classes][links] vehicles; NULL: one class
    double *time;              // [links] what a traveller pays for the flow: without tolls and lengths
    double *marginal;          // [links] what a traveller costs all others: the toll that makes a system optimum an equilibrium
    double *cost;              // [links] of the class and objective that is being checked
    int32_t *first, *link;     // links by tail: link[first[v]] .. link[first[v + 1] - 1] leave v
    int32_t *turn_first;       // [links + 1] turns by their first link; NULL: no turns
    int32_t *turn_to;          // [turns]
    double *turn_cost;
    double *label;             // [nodes]
    double *link_label;        // [links] cost up to the end of a link; NULL: no turns
    struct place { double label; int32_t at; } *heap;
    int64_t heap_count, heap_room;
    bool *has_into, *has_out;  // [nodes] artificial arcs: from the last node, to the last node; NULL: none
    double *begun;             // [nodes] vehicles of a class that begin there and leave by no link; NULL: no artificial arcs
} checker;

// ---- Costs of links: time(flow), flow * d time / d flow, and the integral from 0

typedef struct values {
    double time, marginal, integral;
} values;

static values bpr(double free, double b, double power, double capacity, double v)
{
    const double grown = b == 0 || free == 0 ? 0 : power == 0 ? b : b * pow(v / capacity, power);
    return (values){free * (1 + grown), free * grown * power, free * v * (1 + grown / (power + 1))};
}

// With w = time / free - 1 as the variable, z(w) is elementary: the integral of w by z is w z less that of z by w.
static values conical(double free, double a, double capacity, double v)
{
    const double b = (2 * a - 1) / (2 * a - 2), u = 1 / (2 * a - 2), z = v / capacity, x = a * (1 - z), root = hypot(x, b);
    const double rest = x > 0 ? b * b / (root + x) : root - x;
    const double w = a * z * (rest + u) / (root + a + u);
    const double area = w * z - w + (b * b * log1p(w / u) - w * u - w * w / 2) / (2 * a);
    return (values){free * (1 + w), free * z * a * rest / root, free * v + free * capacity * area};
}

// The same with time = free + T / 4 * w, where z = w (w + 2) / (2 w + e).
static values akcelik(double free, double delay, double capacity, double period, double v)
{
    const double z = v / capacity, e = 8 * delay / (capacity * period), y = z - 1, root = sqrt(y * y + e * z), T = period / 4;
    const double w = y < 0 ? e * z / (root - y) : y + root;
    const double by_z = root > 0 ? (2 * w + e) / (2 * root) : 2;
    const double log = e > 0 && w > 0 ? e / 2 * (1 - e / 4) * log1p(2 * w / e) : 0;
    const double area = w * z - w * w / 4 - w * (1 - e / 4) + log;
    return (values){free + T * w, T * z * by_z, free * v + capacity * T * area};
}

// Coefficients of the twelve types of streets; C is infinite where the other direction does not count.
typedef struct street_type {
    double p, q, A, B, C;
    bool has_signal, has_preferential, has_circle;
} street_type;

static const street_type street_types[13] = {
    {0},
    {1, 0, 2500, 500, INFINITY, true, false, false}, {1, 0, 2500, 500, INFINITY, true, false, false},
    {3, 1, 8000, 900, 1500, true, false, false},
    {1, 0, 4000, 900, INFINITY, false, false, false}, {1, 0, 4000, 900, INFINITY, false, false, false},
    {3, 1, 14000, 900, 1600, false, false, false},
    {1, 0, 2500, 900, INFINITY, false, true, false}, {1, 0, 2500, 900, INFINITY, false, true, false},
    {3, 1, 10000, 900, 1600, false, true, false},
    {1, 0, 3000, 1200, INFINITY, false, false, true}, {1, 0, 3000, 1200, INFINITY, false, false, true},
    {3, 1, 12000, 1200, 2000, false, false, true},
};

static double cube(double x)
{
    return x * x * x;
}

static double flow_of(const checker *c, int32_t link)
{
    return link >= 0 ? c->flow[link] : 0;
}

// A street by all flows that stand in its cost; the integral has the flows of others as they are.
static values street(const checker *c, int32_t l)
{
    const mco_traffic_street *s = &c->n.street[l];
    const street_type *t = &street_types[s->type];
    const double free = c->n.free_time[l], x = c->flow[l], f = s->lanes, z = flow_of(c, s->reverse);
    double share = 1 + t->q * z / (t->A * f) + cube(z / (t->C * f)), fixed = 0;
    for (int k = 0; k < 3 && t->has_circle; k++)
        share += cube(flow_of(c, s->circulating[k]) / 1800);
    for (int k = 0; k < 2 && t->has_preferential; k++)
        fixed += pow(flow_of(c, s->preferential[k]) / 300, 2);
    fixed += t->has_signal ? s->signal * (3 + free) : 0;
    const double linear = t->p * x / (t->A * f), cubic = cube(x / (t->B * f));
    return (values){free * (share + linear + cubic) + fixed, free * (linear + 3 * cubic),
                    x * (free * (share + linear / 2 + cubic / 4) + fixed)};
}

// Adds to the marginal costs of other links what their flow costs the travellers of this street.
static void add_cross_costs(checker *c, int32_t l)
{
    const mco_traffic_street *s = &c->n.street[l];
    const street_type *t = &street_types[s->type];
    const double free = c->n.free_time[l], x = c->flow[l], f = s->lanes;
    if (s->reverse >= 0) {
        const double z = flow_of(c, s->reverse);
        c->marginal[s->reverse] += x * free * (t->q / (t->A * f) + 3 * z * z / cube(t->C * f));
    }
    for (int k = 0; k < 3 && t->has_circle; k++)
        if (s->circulating[k] >= 0)
            c->marginal[s->circulating[k]] += x * free * 3 * pow(flow_of(c, s->circulating[k]), 2) / cube(1800);
    for (int k = 0; k < 2 && t->has_preferential; k++)
        if (s->preferential[k] >= 0)
            c->marginal[s->preferential[k]] += x * 2 * flow_of(c, s->preferential[k]) / 90000;
}

static bool depends_on_others(const mco_traffic_street *s)
{
    const street_type *t = &street_types[s->type];
    bool does = t->q > 0 && s->reverse >= 0;
    for (int k = 0; k < 3; k++)
        does = does || (t->has_circle && s->circulating[k] >= 0) || (k < 2 && t->has_preferential && s->preferential[k] >= 0);
    return does;
}

static mco_traffic_cost kind_of(const checker *c)
{
    if (c->p.cost != MCO_TRAFFIC_COST_AUTO)
        return c->p.cost;
    return c->n.street != NULL ? MCO_TRAFFIC_COST_STREETS : MCO_TRAFFIC_COST_BPR;
}

static values values_of(const checker *c, int32_t l)
{
    const double free = c->n.free_time[l], v = c->flow[l], capacity = c->n.capacity[l];
    if (c->p.capacities == MCO_TRAFFIC_CAPACITIES_HARD)
        return (values){free, 0, free * v};
    switch (kind_of(c)) {
    case MCO_TRAFFIC_COST_CONICAL: return free == 0 ? (values){0, 0, 0} : conical(free, c->n.power[l], capacity, v);
    case MCO_TRAFFIC_COST_AKCELIK: return akcelik(free, c->n.b[l], capacity, c->p.period, v);
    case MCO_TRAFFIC_COST_STREETS: return street(c, l);
    default: return bpr(free, c->n.b[l], c->n.power[l], capacity, v);
    }
}

static double or_zero(const double *array, int32_t l)
{
    return array != NULL ? array[l] : 0;
}

static double factor(double of_class, double of_call, double of_file)
{
    return of_class >= 0 ? of_class : of_call >= 0 ? of_call : isnan(of_file) ? 0 : of_file;
}

// What class k pays for a link beside the time.
static double fixed_of(const checker *c, int32_t k, int32_t l)
{
    if (k >= c->traffic->class_count)
        return 0;
    const mco_traffic_class *of = &c->traffic->classes[k];
    const double toll = factor(of->toll_factor, c->p.toll_factor, of->stated_toll_factor) +
                        (of->value_of_time > 0 ? 1 / of->value_of_time : 0);
    return toll * or_zero(c->n.toll, l) +
           factor(of->distance_factor, c->p.distance_factor, of->stated_distance_factor) * or_zero(c->n.length, l);
}

// ---- Flows

static int32_t class_count(const checker *c)
{
    return c->traffic->class_count > 0 ? c->traffic->class_count : 1;
}

static double equivalent_of(const checker *c, int32_t k)
{
    return k < c->traffic->class_count ? c->traffic->classes[k].car_equivalent : 1;
}

// Cars of class k on a link.
static double cars_of(const checker *c, int32_t k, int32_t l)
{
    return c->class_flow != NULL ? equivalent_of(c, k) * c->class_flow[(int64_t)k * c->n.links + l] : c->flow[l];
}

static mco_status refuse_flow(const checker *c, double flow, int32_t l, const char *of)
{
    char tail[16], head[16];
    return mco_fail(c->ctx, MCO_ERR_CHECK, "%sflow of link %d, from %s to %s, is %.17g, 0 or more was expected", of, l + 1,
                    mco_traffic_node_name(c->traffic, c->n.tail[l], tail), mco_traffic_node_name(c->traffic, c->n.head[l], head), flow);
}

static mco_status check_signs(const checker *c)
{
    for (int32_t l = 0; l < c->n.links; l++) {
        double sum = 0;
        if (!(c->flow[l] >= 0) || isinf(c->flow[l]))
            return refuse_flow(c, c->flow[l], l, "");
        for (int32_t k = 0; k < class_count(c) && c->class_flow != NULL; k++) {
            const double flow = c->class_flow[(int64_t)k * c->n.links + l];
            if (!(flow >= 0) || isinf(flow))
                return refuse_flow(c, flow, l, "a class: ");
            sum += equivalent_of(c, k) * flow;
        }
        if (c->class_flow != NULL && fabs(sum - c->flow[l]) > 1e-9 * (1 + c->flow[l]))
            return mco_fail(c->ctx, MCO_ERR_CHECK, "link %d has a flow of %.17g, its classes have %.17g", l + 1, c->flow[l], sum);
    }
    return MCO_OK;
}

static mco_status price_links(checker *c, mco_traffic_facts *facts)
{
    traffic_sum objective = {0, 0}, total = {0, 0};
    const bool is_hard = c->p.capacities == MCO_TRAFFIC_CAPACITIES_HARD, is_so = c->p.objective == MCO_TRAFFIC_SO;
    const bool has_streets = !is_hard && kind_of(c) == MCO_TRAFFIC_COST_STREETS;
    bool is_integral = true;
    facts->excess = 0;
    if (has_streets && c->n.street == NULL)
        return mco_fail(c->ctx, MCO_ERR_ARGUMENT, "the cost is streets, and the network has no types of streets");
    const bool is_conical = !is_hard && kind_of(c) == MCO_TRAFFIC_COST_CONICAL;
    for (int32_t l = 0; l < c->n.links; l++) {
        if (is_conical && c->n.free_time[l] > 0 && !(c->n.power[l] > 1))
            return mco_fail(c->ctx, MCO_ERR_ARGUMENT, "link %d: the power is %.15g; for conical costs it must be above 1", l + 1, c->n.power[l]);
        const values v = values_of(c, l);
        c->time[l] = v.time;
        c->marginal[l] += v.marginal;
        if (has_streets)
            add_cross_costs(c, l);
        is_integral = is_integral && !(has_streets && depends_on_others(&c->n.street[l]));
        traffic_sum_add(&objective, v.integral);
        traffic_sum_add_product(&total, c->flow[l], v.time);
        if (is_hard)
            facts->excess = fmax(facts->excess, c->flow[l] - c->n.capacity[l]);
        for (int32_t k = 0; k < class_count(c); k++) {
            const double fixed = fixed_of(c, k, l), cars = cars_of(c, k, l);
            traffic_sum_add_product(&objective, cars, fixed);
            traffic_sum_add_product(&total, cars, fixed);
        }
    }
    facts->total_cost = total.high;
    facts->objective = is_so ? total.high : is_integral ? objective.high : NAN;
    return MCO_OK;
}

// The cost of the objective, without what a class adds.
static double paid(const checker *c, int32_t l)
{
    return c->time[l] + (c->p.objective == MCO_TRAFFIC_SO ? c->marginal[l] : 0);
}

// ---- Who can be reached

static mco_status make_rows(checker *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(c->ctx, &c->first, (int64_t)c->n.nodes + 1));
    MCO_TRY(mco_alloc(c->ctx, &c->link, c->n.links));
    for (int32_t l = 0; l < c->n.links; l++)
        c->first[c->n.tail[l] + 1]++;
    for (int32_t v = 0; v < c->n.nodes; v++)
        c->first[v + 1] += c->first[v];
    for (int32_t l = c->n.links - 1; l >= 0; l--)
        c->link[--c->first[c->n.tail[l] + 1]] = l;
    for (int32_t v = 0; v < c->n.nodes; v++)  // first[v + 1] has become the begin of v
        c->first[v] = c->first[v + 1];
    c->first[c->n.nodes] = c->n.links;
done:
    return st;
}

static mco_status make_turns(checker *c)
{
    mco_status st = MCO_OK;
    if (c->n.turn_count == 0)
        return MCO_OK;
    MCO_TRY(mco_alloc(c->ctx, &c->turn_first, (int64_t)c->n.links + 2));
    MCO_TRY(mco_alloc(c->ctx, &c->turn_to, c->n.turn_count));
    MCO_TRY(mco_alloc(c->ctx, &c->turn_cost, c->n.turn_count));
    MCO_TRY(mco_alloc(c->ctx, &c->link_label, c->n.links));
    for (int64_t t = 0; t < c->n.turn_count; t++) {
        if (c->n.turns[t].cost > 0 && !isinf(c->n.turns[t].cost))
            MCO_TRY(mco_fail(c->ctx, MCO_ERR_ARGUMENT, "the turn from link %d into link %d costs %g: flows of links do not say how many make it; assign proves its gap with the flows of origins",
                             c->n.turns[t].from + 1, c->n.turns[t].to + 1, c->n.turns[t].cost));
        c->turn_first[c->n.turns[t].from + 2]++;
    }
    for (int32_t l = 0; l < c->n.links; l++)
        c->turn_first[l + 2] += c->turn_first[l + 1];
    for (int64_t t = 0; t < c->n.turn_count; t++) {
        const int32_t at = c->turn_first[c->n.turns[t].from + 1]++;
        c->turn_to[at] = c->n.turns[t].to;
        c->turn_cost[at] = c->n.turns[t].cost;
    }
done:
    return st;
}

// ---- Least costs: Dijkstra with a binary heap

static mco_status push(checker *c, double label, int32_t at)
{
    const mco_status st = mco_grow(c->ctx, &c->heap, &c->heap_room, c->heap_count + 1);
    if (st != MCO_OK)
        return st;
    int64_t i = c->heap_count++;
    while (i > 0 && c->heap[(i - 1) / 2].label > label) {
        c->heap[i] = c->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    c->heap[i] = (struct place){label, at};
    return MCO_OK;
}

static struct place pop(checker *c)
{
    const struct place least = c->heap[0], last = c->heap[--c->heap_count];
    int64_t i = 0, child = 1;
    while (child < c->heap_count) {
        if (child + 1 < c->heap_count && c->heap[child + 1].label < c->heap[child].label)
            child++;
        if (c->heap[child].label >= last.label)
            break;
        c->heap[i] = c->heap[child];
        i = child;
        child = 2 * i + 1;
    }
    c->heap[i] = last;
    return least;
}

static mco_status reach(checker *c, int32_t node, double label)
{
    if (label >= c->label[node])
        return MCO_OK;
    c->label[node] = label;
    return push(c, label, node);
}

static mco_status search_nodes(checker *c, int32_t origin)
{
    mco_status st = MCO_OK;
    const int32_t hub = c->n.nodes - 1;
    MCO_TRY(reach(c, origin, 0));
    while (c->heap_count > 0) {
        const struct place least = pop(c);
        const int32_t v = least.at;
        if (least.label > c->label[v] || (v < c->n.first_through && v != origin))
            continue;
        for (int32_t i = c->first[v]; i < c->first[v + 1]; i++)
            MCO_TRY(reach(c, c->n.head[c->link[i]], least.label + c->cost[c->link[i]]));
        if (c->has_out != NULL && c->has_out[v])
            MCO_TRY(reach(c, hub, least.label + c->p.arc_cost));
        for (int32_t w = 0; c->has_into != NULL && v == hub && w < c->n.nodes; w++)
            if (c->has_into[w])
                MCO_TRY(reach(c, w, least.label + c->p.arc_cost));
    }
done:
    return st;
}

static mco_status reach_link(checker *c, int32_t link, double label)
{
    if (label >= c->link_label[link])
        return MCO_OK;
    c->link_label[link] = label;
    c->label[c->n.head[link]] = fmin(c->label[c->n.head[link]], label);
    return push(c, label, link);
}

static double turn_cost(const checker *c, int32_t from, int32_t to)
{
    for (int32_t t = c->turn_first[from]; t < c->turn_first[from + 1]; t++)
        if (c->turn_to[t] == to)
            return c->turn_cost[t];
    return 0;
}

// Over links, whose labels are costs up to their ends.
static mco_status search_links(checker *c, int32_t origin)
{
    mco_status st = MCO_OK;
    for (int32_t l = 0; l < c->n.links; l++)
        c->link_label[l] = INFINITY;
    c->label[origin] = 0;
    for (int32_t i = c->first[origin]; i < c->first[origin + 1]; i++)
        MCO_TRY(reach_link(c, c->link[i], c->cost[c->link[i]]));
    while (c->heap_count > 0) {
        const struct place least = pop(c);
        const int32_t v = c->n.head[least.at];
        if (least.label > c->link_label[least.at] || v < c->n.first_through)
            continue;
        for (int32_t i = c->first[v]; i < c->first[v + 1]; i++)
            MCO_TRY(reach_link(c, c->link[i], least.label + turn_cost(c, least.at, c->link[i]) + c->cost[c->link[i]]));
    }
done:
    return st;
}

// Artificial arcs join the last node with those that it does not reach, and those that do not reach it.
static mco_status find_arcs(checker *c)
{
    mco_status st = MCO_OK;
    int32_t *stack = NULL, *first = NULL, *into = NULL;
    const int32_t n = c->n.nodes;
    if (c->p.unreachable != MCO_TRAFFIC_ARC || n == 0)
        return MCO_OK;
    if (c->n.turn_count > 0)
        return mco_fail(c->ctx, MCO_ERR_ARGUMENT, "flows of links do not say which artificial arcs trips take where turns are banned; assign proves its gap with the flows of origins");
    MCO_TRY(mco_alloc(c->ctx, &c->begun, n));
    MCO_TRY(mco_alloc(c->ctx, &c->has_into, n));
    MCO_TRY(mco_alloc(c->ctx, &c->has_out, n));
    MCO_TRY(mco_alloc(c->ctx, &stack, n));
    MCO_TRY(mco_alloc(c->ctx, &first, (int64_t)n + 2));
    MCO_TRY(mco_alloc(c->ctx, &into, c->n.links));
    for (int32_t l = 0; l < c->n.links; l++)
        first[c->n.head[l] + 2]++;
    for (int32_t v = 0; v < n; v++)
        first[v + 2] += first[v + 1];
    for (int32_t l = 0; l < c->n.links; l++)
        into[first[c->n.head[l] + 1]++] = l;
    for (int side = 0; side < 2; side++) {
        bool *is_lacking = side == 0 ? c->has_into : c->has_out;
        int32_t count = 0;
        for (int32_t v = 0; v < n; v++)
            is_lacking[v] = v != n - 1;
        stack[count++] = n - 1;
        while (count > 0) {
            const int32_t v = stack[--count];
            const int32_t begin = side == 0 ? c->first[v] : first[v], end = side == 0 ? c->first[v + 1] : first[v + 1];
            for (int32_t i = begin; i < end; i++) {
                const int32_t w = side == 0 ? c->n.head[c->link[i]] : c->n.tail[into[i]];
                if (!is_lacking[w])
                    continue;
                is_lacking[w] = false;
                stack[count++] = w;
            }
        }
    }
done:
    mco_free(c->ctx, &into);
    mco_free(c->ctx, &first);
    mco_free(c->ctx, &stack);
    return st;
}

// ---- Sums and balance

// Trips of class k at least costs; net [nodes] gets what must leave each node more than enters it, in vehicles.
static mco_status check_class(checker *c, int32_t k, double *net, traffic_sum *least, double *trips)
{
    mco_status st = MCO_OK;
    const mco_traffic_class *of = &c->traffic->classes[k];
    for (int32_t l = 0; l < c->n.links; l++)
        c->cost[l] = paid(c, l) + fixed_of(c, k, l);
    for (int32_t o = 0; o < c->n.zones; o++) {
        if (of->first[o] == of->first[o + 1])
            continue;
        if (mco_call_is_over(c->ctx))
            MCO_TRY(mco_fail(c->ctx, MCO_ERR_STOPPED, "stopped while the flows were checked"));
        for (int32_t v = 0; v < c->n.nodes; v++)
            c->label[v] = INFINITY;
        MCO_TRY(c->link_label != NULL ? search_links(c, o) : search_nodes(c, o));
        for (int64_t t = of->first[o]; t < of->first[o + 1]; t++) {
            const double amount = c->p.demand_factor * of->amount[t], label = c->label[of->to[t]];
            if (of->to[t] == o || isinf(label) || amount == 0)
                continue;
            traffic_sum_add_product(least, amount * of->car_equivalent, label);
            net[o] += amount;
            net[of->to[t]] -= amount;
            if (c->begun != NULL)
                c->begun[o] += amount;
            *trips += amount;
        }
    }
done:
    return st;
}

// Artificial arcs carry what links do not; the last node has the rest. A node may have an arc of either direction: then at least those trips
// that begin there and leave by no link take the one, and the difference of both follows from the balance. This is exact unless
// trips of others pass through the node too. `off` and sums are vehicles of class k.
static void balance_arcs(const checker *c, int32_t k, double *off, traffic_sum *total)
{
    const int32_t hub = c->n.nodes - 1;
    for (int32_t v = 0; v < hub; v++) {
        const double difference = off[v];  // above 0: more vehicles begin than leave by links
        double out = difference > 0 ? difference : 0;
        if ((difference > 0 && !c->has_out[v]) || (difference < 0 && !c->has_into[v]) || (!c->has_out[v] && !c->has_into[v]))
            continue;
        if (c->has_out[v] && c->has_into[v])
            out = fmax(out, c->begun[v]);
        traffic_sum_add_product(total, equivalent_of(c, k) * (2 * out - difference), c->p.arc_cost);
        off[v] = 0;
        off[hub] += difference;
    }
}

static mco_status check_balance(checker *c, int32_t k, double *net, double trips, traffic_sum *total, mco_traffic_facts *facts)
{
    const double tolerance = 1e-6 * (trips > 1 ? trips : 1);
    int32_t worst = 0;
    char name[16];
    for (int32_t l = 0; l < c->n.links; l++) {
        const double flow = cars_of(c, k, l) / equivalent_of(c, k);
        net[c->n.tail[l]] -= flow;
        net[c->n.head[l]] += flow;
        if (c->begun != NULL)
            c->begun[c->n.tail[l]] -= flow;
    }
    if (c->begun != NULL)
        balance_arcs(c, k, net, total);
    for (int32_t v = 0; v < c->n.nodes; v++)
        worst = fabs(net[v]) > fabs(net[worst]) ? v : worst;
    if (c->n.nodes > 0)
        facts->imbalance = fmax(facts->imbalance, fabs(net[worst]));
    if (c->n.nodes > 0 && fabs(net[worst]) > tolerance)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "node %s: trips and links differ by %.9g, at most %.3g was expected",
                        mco_traffic_node_name(c->traffic, worst, name), fabs(net[worst]), tolerance);
    return MCO_OK;
}

// Sum of flow * cost of the objective.
static traffic_sum sum_costs(const checker *c)
{
    traffic_sum total = {0, 0};
    for (int32_t l = 0; l < c->n.links; l++) {
        traffic_sum_add_product(&total, c->flow[l], paid(c, l));
        for (int32_t k = 0; k < class_count(c); k++)
            traffic_sum_add_product(&total, cars_of(c, k, l), fixed_of(c, k, l));
    }
    return total;
}

static mco_status check_gap(checker *c, mco_traffic_facts *facts)
{
    mco_status st = MCO_OK;
    double *net = NULL;
    traffic_sum total = sum_costs(c), least = {0, 0}, arcs = {0, 0};
    MCO_TRY(mco_alloc(c->ctx, &c->label, c->n.nodes));
    MCO_TRY(mco_alloc(c->ctx, &c->cost, c->n.links));
    MCO_TRY(mco_alloc(c->ctx, &net, c->n.nodes));
    MCO_TRY(make_rows(c));
    MCO_TRY(make_turns(c));
    MCO_TRY(find_arcs(c));
    facts->imbalance = 0;
    for (int32_t k = 0; k < class_count(c); k++) {
        double trips = 0;
        memset(net, 0, (size_t)c->n.nodes * sizeof *net);
        if (c->begun != NULL)
            memset(c->begun, 0, (size_t)c->n.nodes * sizeof *c->begun);
        if (k < c->traffic->class_count)
            MCO_TRY(check_class(c, k, net, &least, &trips));
        MCO_TRY(check_balance(c, k, net, trips, &arcs, facts));
    }
    traffic_sum_add_sum(&total, arcs);
    facts->total_cost += arcs.high;
    facts->objective += arcs.high;
    facts->least_cost = least.high;
    facts->gap = total.high > 0 ? fmax(0, traffic_sum_less(total, least) / total.high) : 0;
done:
    mco_free(c->ctx, &net);
    return st;
}

// ---- Entry points

static mco_status begin(checker *c, mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, const double *flow,
                        const double *class_flow)
{
    mco_status st = MCO_OK;
    *c = (checker){.ctx = ctx, .traffic = traffic, .n = mco_traffic_view(traffic), .p = MCO_TRAFFIC_PARAMS_INIT, .flow = flow,
                   .class_flow = class_flow};
    MCO_TRY(MCO_TAKE(ctx, params, &c->p));
    MCO_TRY(mco_options_validate(ctx, mco_traffic_options(), &c->p));
    if (class_flow == NULL && traffic->class_count > 1)
        MCO_TRY(mco_fail(ctx, MCO_ERR_ARGUMENT, "the network has %d classes: flows of each are needed", traffic->class_count));
    MCO_TRY(check_signs(c));
    MCO_TRY(mco_alloc(ctx, &c->time, c->n.links));
    MCO_TRY(mco_alloc(ctx, &c->marginal, c->n.links));
done:
    return st;
}

static void end(checker *c)
{
    void **const arrays[] = {(void **)&c->time, (void **)&c->marginal, (void **)&c->cost, (void **)&c->first, (void **)&c->link,
                             (void **)&c->turn_first, (void **)&c->turn_to, (void **)&c->turn_cost, (void **)&c->label,
                             (void **)&c->link_label, (void **)&c->heap, (void **)&c->has_into, (void **)&c->has_out,
                             (void **)&c->begun};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        mco_free_bytes(c->ctx, arrays[i]);
}

mco_status traffic_check_costs(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, const double *flow,
                               const double *class_flow, mco_traffic_facts *facts, double *cost, double *toll)
{
    mco_status st = MCO_OK;
    checker c = {.ctx = ctx};
    MCO_TRY(begin(&c, ctx, traffic, params, flow, class_flow));
    MCO_TRY(price_links(&c, facts));
    for (int32_t l = 0; cost != NULL && l < c.n.links; l++)
        cost[l] = c.time[l] + (class_count(&c) == 1 ? fixed_of(&c, 0, l) : 0);
    if (toll != NULL)
        memcpy(toll, c.marginal, (size_t)c.n.links * sizeof *toll);
done:
    end(&c);
    return st;
}

mco_status mco_traffic_check(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_params *params, const double *flow,
                             const double *class_flow, mco_traffic_facts *facts)
{
    mco_status st = MCO_OK;
    checker c = {.ctx = ctx};
    mco_traffic_facts found = {0};
    if (ctx == NULL || traffic == NULL || params == NULL || flow == NULL || facts == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(begin(&c, ctx, traffic, params, flow, class_flow));
    MCO_TRY(price_links(&c, &found));
    MCO_TRY(check_gap(&c, &found));
    *facts = found;
done:
    end(&c);
    return traffic_call_end(ctx, st);
}
