// SPDX-License-Identifier: MIT
// Networks by rule. Streets are those of mco_paths_generate(); their attributes and the trips come from SplitMix64. Integers decide all
// that machines could round differently, so a shape and a seed give the same network everywhere.
//
// A street is an arterial, a collector or a local one: 3, 2 or 1 lanes, 70, 50 or 40 km/h. Zones are nodes, one in each of as many equal
// parts of the rows. The load of trips is measured on the shortest paths of a few zones.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "mco/paths.h"
#include "traffic/files/files.h"

enum { ARTERIAL, COLLECTOR, LOCAL, RANKS };
enum { ARTERIAL_PERCENT = 10, COLLECTOR_PERCENT = 30, SIGNAL_PERCENT = 30, ROUNDABOUT_PERCENT = 25 };
enum { MOST_TRIPS = 100 };  // of a pair, before the load
static const int32_t speeds[RANKS] = {70, 50, 40}, lanes_of[RANKS] = {3, 2, 1}, lane_capacities[RANKS] = {900, 800, 600};
static const double DEFAULT_B = 0.15, DEFAULT_POWER = 4;
enum { BRAESS_TRIPS = 6, NAME_ROOM = 128 };

typedef struct draft {
    mco_context *ctx;
    const mco_traffic_shape *shape;
    mco_traffic *traffic;
    mco_paths_network *roads;
    mco_paths_rows rows;
    int32_t *place;         // [nodes] number of a vertex of the roads
    int32_t *vertex;        // [nodes] the reverse
    int32_t nodes, links;
    int64_t *first;         // [nodes + 1] links by tail
    int32_t *tail, *head;   // [links]
    uint8_t *rank;          // [links]
    double *capacity, *length, *free_time, *speed;  // [links] moved to the network
} draft;

static uint64_t mix(uint64_t seed, uint64_t key)
{
    uint64_t state = key + 0x2545f4914f6cdd1du;
    state = mco_splitmix64(&state) ^ seed;
    return mco_splitmix64(&state);
}

// Uniform in [0, limit) from the upper half of a random number.
static uint32_t part(uint64_t number, uint32_t limit)
{
    return (uint32_t)(((number >> 32) * limit) >> 32);
}

static void draft_clear(draft *d)
{
    mco_paths_destroy(d->ctx, &d->roads);
    mco_traffic_destroy(d->ctx, &d->traffic);
    mco_free(d->ctx, &d->place);
    mco_free(d->ctx, &d->vertex);
    mco_free(d->ctx, &d->first);
    mco_free(d->ctx, &d->rank);
}

// ---- Nodes and links

// Zones become the first nodes; the others follow by row and column.
static mco_status number_nodes(draft *d)
{
    mco_status st = MCO_OK;
    const int64_t nodes = d->nodes, zones = d->shape->zones;
    int32_t next = (int32_t)zones;
    MCO_TRY(mco_alloc(d->ctx, &d->place, nodes));
    MCO_TRY(mco_alloc(d->ctx, &d->vertex, nodes));
    for (int64_t v = 0; v < nodes; v++)
        d->place[v] = -1;
    for (int64_t z = 0; z < zones; z++) {
        const int64_t low = nodes * z / zones, high = nodes * (z + 1) / zones;
        d->place[low + part(mix(d->shape->seed, (uint64_t)z), (uint32_t)(high - low))] = (int32_t)z;
    }
    for (int64_t v = 0; v < nodes; v++) {
        if (d->place[v] < 0)
            d->place[v] = next++;
        d->vertex[d->place[v]] = (int32_t)v;
    }
done:
    return st;
}

// A random number that both directions of a street share.
static uint64_t number_of_street(const draft *d, int32_t u, int32_t v)
{
    const uint64_t low = (uint64_t)(u < v ? u : v), high = (uint64_t)(u < v ? v : u);
    return mix(~d->shape->seed, low << 32 | high);
}

static uint8_t rank_of(uint64_t number)
{
    const uint32_t percent = part(number, 100);
    return percent < ARTERIAL_PERCENT ? ARTERIAL : percent < ARTERIAL_PERCENT + COLLECTOR_PERCENT ? COLLECTOR : LOCAL;
}

// Moves an array of the draft to the network.
#define ARRAY(type_, member, count)                        \
    do {                                                   \
        type_ *array = NULL;                               \
        MCO_TRY(mco_alloc(d->ctx, &array, count));         \
        d->traffic->view.member = d->member = array;       \
    } while (0)

static mco_status make_links(draft *d)
{
    mco_status st = MCO_OK;
    int32_t a = 0;
    MCO_TRY(mco_alloc(d->ctx, &d->first, (int64_t)d->nodes + 1));
    MCO_TRY(mco_alloc(d->ctx, &d->rank, d->links));
    ARRAY(int32_t, tail, d->links);
    ARRAY(int32_t, head, d->links);
    ARRAY(double, capacity, d->links);
    ARRAY(double, length, d->links);
    ARRAY(double, free_time, d->links);
    ARRAY(double, speed, d->links);
    for (int32_t v = 0; v < d->nodes; v++) {
        const int32_t u = d->vertex[v];
        d->first[v] = a;
        for (int64_t arc = d->rows.first[u]; arc < d->rows.first[u + 1]; arc++, a++) {
            const uint8_t rank = rank_of(number_of_street(d, u, d->rows.head[arc]));
            d->rank[a] = rank;
            d->tail[a] = v;
            d->head[a] = d->place[d->rows.head[arc]];
            d->length[a] = d->rows.weight[arc];
            d->speed[a] = speeds[rank];
            d->capacity[a] = lanes_of[rank] * lane_capacities[rank];
            d->free_time[a] = traffic_street_time(d->length[a], d->speed[a]);
        }
    }
    d->first[d->nodes] = a;
done:
    return st;
}

static mco_status make_curves_and_places(draft *d)
{
    mco_status st = MCO_OK;
    mco_traffic_network *view = &d->traffic->view;
    double *b = NULL, *power = NULL, *x = NULL, *y = NULL;
    MCO_TRY(mco_alloc(d->ctx, &b, d->links));
    view->b = b;
    MCO_TRY(mco_alloc(d->ctx, &power, d->links));
    view->power = power;
    MCO_TRY(mco_alloc(d->ctx, &x, d->nodes));
    view->x = x;
    MCO_TRY(mco_alloc(d->ctx, &y, d->nodes));
    view->y = y;
    for (int32_t a = 0; a < d->links; a++) {
        b[a] = DEFAULT_B;
        power[a] = DEFAULT_POWER;
    }
    for (int32_t v = 0; v < d->nodes; v++) {
        x[v] = d->rows.x[d->vertex[v]];
        y[v] = d->rows.y[d->vertex[v]];
    }
done:
    return st;
}

// ---- Streets: the control of a crossing decides the types of the links that end there

enum { UNDIVIDED = 3 };  // the last of three types of a control: two-way with interaction

typedef struct crossing {
    const int32_t *link;  // [count] that end there
    int64_t count;
    int32_t preferential[2];
} crossing;

// The link back; -1: none.
static int32_t reverse_of(const draft *d, int32_t a)
{
    for (int64_t k = d->first[d->head[a]]; k < d->first[d->head[a] + 1]; k++)
        if (d->head[k] == d->tail[a])
            return (int32_t)k;
    return -1;
}

// The two links of the highest rank, the first among equals, are preferential.
static void find_preferential(const draft *d, crossing *c)
{
    c->preferential[0] = c->preferential[1] = -1;
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < c->count; i++) {
            const int32_t a = c->link[i], best = c->preferential[k];
            if ((k == 0 || a != c->preferential[0]) && (best < 0 || d->rank[a] < d->rank[best]))
                c->preferential[k] = a;
        }
}

// The first of the three types that a link has by its crossing: 1 traffic light, 4 preferential, 7 not, 10 roundabout.
static int32_t control_of(uint64_t number, const crossing *c, int32_t a)
{
    const uint32_t percent = part(number, 100);
    if (c->count <= 2)
        return 4;
    if (percent < SIGNAL_PERCENT)
        return 1;
    if (percent < SIGNAL_PERCENT + ROUNDABOUT_PERCENT)
        return 10;
    return a == c->preferential[0] || a == c->preferential[1] ? 4 : 7;
}

static void fill_street(const draft *d, const crossing *c, uint64_t number, int32_t a, mco_traffic_street *s)
{
    const int32_t control = control_of(number, c, a), kind = d->rank[a] + 1;  // divided arterials count as one-way streets
    int used = 0;
    *s = (mco_traffic_street){control + kind - 1, lanes_of[d->rank[a]], 0, -1, {-1, -1}, {-1, -1, -1}};
    if (kind == UNDIVIDED)
        s->reverse = reverse_of(d, a);
    if (control == 1)
        s->signal = (double)(2 + part(mix(d->shape->seed, number ^ (uint64_t)a), 7)) / 8;  // 0.25 to 1
    for (int k = 0; control == 7 && k < 2; k++)
        s->preferential[k] = c->preferential[k];
    for (int64_t i = 0; control == 10 && i < c->count && used < 3; i++)
        if (c->link[i] != a)
            s->circulating[used++] = c->link[i];
}

static mco_status make_streets(draft *d)
{
    mco_status st = MCO_OK;
    mco_traffic_street *street = NULL;
    int32_t *into = NULL, *type = NULL;
    int64_t *into_first = NULL;
    MCO_TRY(mco_alloc(d->ctx, &street, d->links));
    d->traffic->view.street = street;
    MCO_TRY(mco_alloc(d->ctx, &type, d->links));
    d->traffic->view.type = type;
    MCO_TRY(mco_alloc(d->ctx, &into, d->links));
    MCO_TRY(mco_alloc(d->ctx, &into_first, (int64_t)d->nodes + 2));
    for (int32_t a = 0; a < d->links; a++)
        into_first[d->head[a] + 2]++;
    for (int32_t v = 0; v < d->nodes; v++)
        into_first[v + 2] += into_first[v + 1];
    for (int32_t a = 0; a < d->links; a++)
        into[into_first[d->head[a] + 1]++] = a;
    for (int32_t v = 0; v < d->nodes; v++) {
        crossing c = {into + into_first[v], into_first[v + 1] - into_first[v], {-1, -1}};
        find_preferential(d, &c);
        for (int64_t i = 0; i < c.count; i++) {
            const int32_t a = c.link[i];
            fill_street(d, &c, mix(d->shape->seed + 1, (uint64_t)v), a, &street[a]);
            type[a] = street[a].type;
            d->capacity[a] = traffic_lane_capacity(type[a]) * street[a].lanes;
        }
    }
done:
    mco_free(d->ctx, &into_first);
    mco_free(d->ctx, &into);
    return st;
}

// ---- Trips

static void swap(int32_t *a, int32_t *b)
{
    const int32_t c = *a;
    *a = *b;
    *b = c;
}

// Sorts a row by destination: shell sort, rows are short.
static void sort_row(int32_t *to, double *amount, int64_t count)
{
    for (int64_t gap = count / 2; gap > 0; gap /= 2)
        for (int64_t i = gap; i < count; i++) {
            const int32_t key = to[i];
            const double value = amount[i];
            int64_t k = i;
            for (; k >= gap && to[k - gap] > key; k -= gap) {
                to[k] = to[k - gap];
                amount[k] = amount[k - gap];
            }
            to[k] = key;
            amount[k] = value;
        }
}

// Draws destinations without repetition by the first steps of a shuffle; the permutation of the row before is as good a start as any.
static void draw_row(const draft *d, int32_t o, int64_t count, int32_t *permutation, int32_t *to, double *amount)
{
    uint64_t state = mix(d->shape->seed + 2, (uint64_t)o);
    int64_t used = 0;
    for (int64_t k = 0; used < count; k++) {
        const uint64_t number = mco_splitmix64(&state);
        swap(&permutation[k], &permutation[k + part(number, (uint32_t)(d->shape->zones - k))]);
        if (permutation[k] == o)
            continue;
        to[used] = permutation[k];
        amount[used++] = 1 + part(number << 32, MOST_TRIPS);
    }
    sort_row(to, amount, count);
}

static mco_status draw_trips(draft *d, mco_traffic_class *c)
{
    mco_status st = MCO_OK;
    const int64_t zones = d->shape->zones, other = zones > 0 ? zones - 1 : 0;
    const int64_t count = d->shape->load == 0 ? 0 : d->shape->destinations > 0 ? d->shape->destinations : other;
    int32_t *permutation = NULL;
    MCO_TRY(mco_alloc(d->ctx, &permutation, zones));
    MCO_TRY(traffic_class_fill(d->ctx, d->shape->zones, 0, NULL, c));
    mco_free(d->ctx, &c->to);
    mco_free(d->ctx, &c->amount);
    MCO_TRY(mco_alloc(d->ctx, &c->to, zones * count));
    MCO_TRY(mco_alloc(d->ctx, &c->amount, zones * count));
    MCO_TRY(traffic_copy_text(d->ctx, "trips", 5, &c->name));
    for (int32_t z = 0; z < zones; z++)
        permutation[z] = z;
    for (int32_t o = 0; o < zones; o++) {
        MCO_TRY(mco_call_in_time(d->ctx, (int64_t)o << 8));
        draw_row(d, o, count, permutation, c->to + o * count, c->amount + o * count);
        c->first[o + 1] = (o + 1) * count;
    }
done:
    mco_free(d->ctx, &permutation);
    return st;
}

// ---- The load: shortest paths by free-flow times in tenths of a second, with a ring of buckets

enum { RING = 1 << 11 };  // above the time of any link: 1,149 m at 40 km/h are 1,034 tenths
static const int64_t UNIT = 1000000000;  // of 1 / capacity

typedef struct tree {
    int32_t bucket[RING];
    int32_t *next, *previous;  // [nodes] lists of buckets; -1: none
    int64_t *label;            // [nodes] -1: none; a row of 50 million nodes is beyond 32 bits
    int64_t *weight;           // [nodes] sum of UNIT / capacity on the path
} tree;

static int32_t tenths_of(const draft *d, int32_t a)
{
    return (int32_t)(36 * (int64_t)d->length[a] / (int64_t)d->speed[a]);
}

static void take_out(tree *t, int32_t v)
{
    if (t->previous[v] >= 0)
        t->next[t->previous[v]] = t->next[v];
    else
        t->bucket[t->label[v] % RING] = t->next[v];
    if (t->next[v] >= 0)
        t->previous[t->next[v]] = t->previous[v];
}

static void put_in(tree *t, int32_t v, int64_t label)
{
    int32_t *bucket = &t->bucket[label % RING];
    t->label[v] = label;
    t->previous[v] = -1;
    t->next[v] = *bucket;
    if (*bucket >= 0)
        t->previous[*bucket] = v;
    *bucket = v;
}

static void grow_tree(const draft *d, tree *t, int32_t origin)
{
    for (int k = 0; k < RING; k++)
        t->bucket[k] = -1;
    for (int32_t v = 0; v < d->nodes; v++)
        t->label[v] = -1;
    put_in(t, origin, 0);
    t->weight[origin] = 0;
    int32_t empty = 0;
    for (int64_t now = 0; empty < RING; now++) {
        empty++;
        while (t->bucket[now % RING] >= 0) {
            const int32_t u = t->bucket[now % RING];
            take_out(t, u);
            empty = 0;
            for (int64_t a = d->first[u]; a < d->first[u + 1]; a++) {
                const int32_t v = d->head[a];
                const int64_t label = now + tenths_of(d, (int32_t)a);
                if (t->label[v] >= 0 && t->label[v] <= label)
                    continue;
                if (t->label[v] >= 0)
                    take_out(t, v);
                put_in(t, v, label);
                t->weight[v] = t->weight[u] + UNIT / (int64_t)d->capacity[a];
            }
        }
    }
}

// The sum of trips * weight of their paths over `samples` zones: a double, added in one order, since 64 bits may overflow.
static mco_status measure(draft *d, const mco_traffic_class *c, int64_t samples, double *sum)
{
    mco_status st = MCO_OK;
    tree *t = NULL;
    *sum = 0;
    MCO_TRY(mco_alloc(d->ctx, &t, 1));
    MCO_TRY(mco_alloc(d->ctx, &t->next, d->nodes));
    MCO_TRY(mco_alloc(d->ctx, &t->previous, d->nodes));
    MCO_TRY(mco_alloc(d->ctx, &t->label, d->nodes));
    MCO_TRY(mco_alloc(d->ctx, &t->weight, d->nodes));
    for (int64_t s = 0; s < samples; s++) {
        const int32_t o = (int32_t)(d->shape->zones * s / samples);
        MCO_TRY(mco_call_in_time(d->ctx, 0));
        grow_tree(d, t, o);
        for (int64_t k = c->first[o]; k < c->first[o + 1]; k++)
            if (t->label[c->to[k]] >= 0)
                *sum += c->amount[k] * (double)(t->weight[c->to[k]] >> 10);
    }
done:
    if (t != NULL) {
        mco_free(d->ctx, &t->next);
        mco_free(d->ctx, &t->previous);
        mco_free(d->ctx, &t->label);
        mco_free(d->ctx, &t->weight);
    }
    mco_free(d->ctx, &t);
    return st;
}

// Multiplies all trips, so that the mean of flow over capacity is about the load. Trips are thousandths.
static mco_status scale_trips(draft *d, mco_traffic_class *c)
{
    enum { MOST_SAMPLES = 32, LEAST_SAMPLES = 2, VERTICES = 1 << 23 };  // about the work of 8 million vertices
    mco_status st = MCO_OK;
    const int64_t zones = d->shape->zones;
    const double thousandths = 1000;
    int64_t samples = VERTICES / d->nodes;
    double sum;
    samples = samples > MOST_SAMPLES ? MOST_SAMPLES : samples < LEAST_SAMPLES ? LEAST_SAMPLES : samples;
    samples = samples < zones ? samples : zones;
    MCO_TRY(measure(d, c, samples, &sum));
    if (sum == 0)
        return MCO_OK;
    const double all = (double)d->links * (double)(UNIT >> 10) * (double)samples / (double)zones / sum;
    const double factor = all * d->shape->load * thousandths;
    for (int64_t k = 0; k < c->first[zones]; k++) {
        const double amount = rint(c->amount[k] * factor);
        c->amount[k] = (amount > 1 ? amount : 1) / thousandths;
    }
done:
    return st;
}

static mco_status make_trips(draft *d)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(d->ctx, &d->traffic->classes, 1));
    d->traffic->class_count = 1;
    MCO_TRY(draw_trips(d, &d->traffic->classes[0]));
    if (d->traffic->classes[0].first[d->shape->zones] > 0)
        MCO_TRY(scale_trips(d, &d->traffic->classes[0]));
done:
    return st;
}

// ---- The families

static mco_status make_city(draft *d)
{
    mco_status st = MCO_OK;
    const mco_traffic_shape *s = d->shape;
    const mco_paths_shape roads = {s->family == MCO_TRAFFIC_GRID ? MCO_PATHS_GRID : MCO_PATHS_ROAD, s->rows, s->columns, s->seed};
    MCO_TRY(mco_paths_generate(d->ctx, &roads, &d->roads, NULL));
    d->rows = mco_paths_view(d->roads);
    d->nodes = d->rows.vertices;
    if (d->rows.arcs > MCO_TRAFFIC_MAX_LINKS)
        return mco_fail(d->ctx, MCO_ERR_LIMIT, "%" PRId64 " links, at most %d supported", d->rows.arcs, MCO_TRAFFIC_MAX_LINKS);
    d->links = (int32_t)d->rows.arcs;
    d->traffic->view.nodes = d->nodes;
    d->traffic->view.zones = s->zones;
    d->traffic->view.links = d->links;
    MCO_TRY(number_nodes(d));
    MCO_TRY(make_links(d));
    MCO_TRY(make_curves_and_places(d));
    if (s->family == MCO_TRAFFIC_STREETS)
        MCO_TRY(make_streets(d));
    MCO_TRY(make_trips(d));
done:
    return st;
}

// Braess (1968): 1 -> 3 and 4 -> 2 cost 10 x, 1 -> 4 and 3 -> 2 cost 50 + x, 3 -> 4 costs 10 + x; 6 trips from 1 to 2.
static mco_status make_braess(mco_context *ctx, double load, const char *name, mco_traffic **out)
{
    enum { NODES = 4, ZONES = 2, LINKS = 5 };
    static const double TINY = 1e-8;  // a free-flow time of 0 would leave the cost 0
    static const int32_t tail[LINKS] = {0, 0, 2, 2, 3}, head[LINKS] = {2, 3, 1, 3, 1};
    static const double capacity[LINKS] = {1, 1, 1, 1, 1}, power[LINKS] = {1, 1, 1, 1, 1}, b[LINKS] = {1e9, 0.02, 0.02, 0.1, 1e9};
    static const double x[NODES] = {0, 2, 1, 1}, y[NODES] = {1, 1, 2, 0};
    const double free_time[LINKS] = {TINY, 50, 50, 10, TINY};
    const mco_traffic_network network = {.nodes = NODES, .zones = ZONES, .links = LINKS, .tail = tail, .head = head, .capacity = capacity,
                                         .free_time = free_time, .b = b, .power = power, .x = x, .y = y};
    int64_t first[ZONES + 1] = {0, load > 0, load > 0};
    int32_t to[1] = {1};
    double amount[1] = {BRAESS_TRIPS * load};
    const mco_traffic_class c = {.name = "trips", .first = first, .to = to, .amount = amount, .toll_factor = -1, .distance_factor = -1,
                                 .car_equivalent = 1, .stated_total = NAN, .stated_toll_factor = NAN, .stated_distance_factor = NAN};
    return mco_traffic_create(ctx, name, &network, 1, &c, out);
}

static mco_status refuse_shape(mco_context *ctx, const mco_traffic_shape *s)
{
    if ((int)s->family < MCO_TRAFFIC_GRID || (int)s->family > MCO_TRAFFIC_BRAESS)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "family %d, 0 to %d were expected", (int)s->family, MCO_TRAFFIC_BRAESS);
    if (!(s->load >= 0 && s->load <= 1e9))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the load is %g, allowed is 0 to 1e9", s->load);
    if (s->family == MCO_TRAFFIC_BRAESS)
        return MCO_OK;
    if (s->rows < 1 || s->columns < 1)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%" PRId64 " rows and %" PRId64 " columns, 1 or more were expected", s->rows, s->columns);
    if (s->rows > MCO_TRAFFIC_MAX_NODES / s->columns)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " rows of %" PRId64 " nodes, at most %d nodes supported", s->rows, s->columns,
                        MCO_TRAFFIC_MAX_NODES);
    if (s->zones < 1 || s->zones > s->rows * s->columns)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d zones, 1 to %" PRId64 " were expected: one at a node", s->zones, s->rows * s->columns);
    if (s->zones > MCO_TRAFFIC_MAX_ROWS)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d zones with trips, at most %d supported", s->zones, MCO_TRAFFIC_MAX_ROWS);
    if (s->destinations < 0 || s->destinations >= s->zones)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%d destinations of each zone, allowed is 0 to %d, the other zones", s->destinations, s->zones - 1);
    return MCO_OK;
}

mco_status mco_traffic_generate(mco_context *ctx, const mco_traffic_shape *shape, mco_traffic **out)
{
    static const char *const names[] = {"grid", "road", "streets", "braess"};
    mco_status st = MCO_OK;
    draft d = {.ctx = ctx, .shape = shape};
    char name[NAME_ROOM];
    if (ctx == NULL || shape == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    MCO_TRY(refuse_shape(ctx, shape));
    snprintf(name, sizeof name, "%s-%" PRId64 "x%" PRId64 "-%d-%d-%" PRIu64, names[shape->family], shape->rows, shape->columns, shape->zones,
             shape->destinations, shape->seed);
    if (shape->family == MCO_TRAFFIC_BRAESS)
        return make_braess(ctx, shape->load, "braess", out);
    MCO_TRY(traffic_network_new(ctx, name, &d.traffic));
    MCO_TRY(make_city(&d));
    MCO_TRY(traffic_network_complete(ctx, d.traffic, name));
    *out = d.traffic;
    d.traffic = NULL;
done:
    draft_clear(&d);
    return traffic_call_end(ctx, st);
}
