// SPDX-License-Identifier: MIT
// The network of mco_traffic: how it is made, what it refuses, and the rows of its trips.
#include "traffic/model/network.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Making and releasing

static mco_status copy_text(mco_context *ctx, const char *text, char **out)
{
    const size_t size = strlen(text) + 1;
    mco_status st = mco_alloc(ctx, out, size);
    if (st == MCO_OK)
        memcpy(*out, text, size);
    return st;
}

mco_status traffic_network_new(mco_context *ctx, const char *name, mco_traffic **out)
{
    mco_status st = MCO_OK;
    mco_traffic *traffic = NULL;
    MCO_TRY(mco_alloc(ctx, &traffic, 1));
    MCO_TRY(copy_text(ctx, name, &traffic->name));
    *out = traffic;
    traffic = NULL;
done:
    mco_traffic_destroy(ctx, &traffic);
    return st;
}

mco_status traffic_call_end(mco_context *ctx, mco_status st)
{
    if (st == MCO_ERR_STOPPED && ctx->parent == NULL && ctx->call_stop_s == 0)  // nobody else clears the request
        mco_clear_cancel(ctx);
    return st;
}

// The arrays of a view are constant for its users; the network owns them.
static void free_constant(mco_context *ctx, const void *array)
{
    void *memory = (void *)(uintptr_t)array;
    mco_free_bytes(ctx, &memory);
}

static void clear_view(mco_context *ctx, mco_traffic_network *view)
{
    const void *arrays[] = {view->tail,   view->head, view->capacity, view->length, view->free_time, view->b, view->power, view->speed,
                            view->toll,   view->type, view->street,   view->x,      view->y,         view->turns};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free_constant(ctx, arrays[k]);
    *view = (mco_traffic_network){0};
}

void mco_traffic_destroy(mco_context *ctx, mco_traffic **traffic)
{
    if (traffic == NULL || *traffic == NULL)
        return;
    mco_traffic *t = *traffic;
    clear_view(ctx, &t->view);
    for (int32_t k = 0; k < t->class_count; k++)
        traffic_class_clear(ctx, &t->classes[k]);
    mco_free(ctx, &t->classes);
    mco_free(ctx, &t->node_name);
    mco_free(ctx, &t->zone_name);
    mco_free(ctx, &t->name);
    mco_free(ctx, traffic);
}

// Copies `count` items; NULL stays NULL.
static mco_status copy_bytes(mco_context *ctx, const void *from, int64_t count, size_t item_bytes, const void **out)
{
    void *copy = NULL;
    if (from == NULL)
        return MCO_OK;
    mco_status st = mco_alloc_bytes(ctx, &copy, (size_t)count, item_bytes);
    if (st == MCO_OK && count > 0)
        memcpy(copy, from, (size_t)count * item_bytes);
    *out = copy;
    return st;
}
#define COPY(member, count) \
    MCO_TRY(copy_bytes(ctx, from->member, count, sizeof *from->member, (const void **)&to->member))

static mco_status copy_view(mco_context *ctx, const mco_traffic_network *from, mco_traffic_network *to)
{
    mco_status st = MCO_OK;
    to->nodes = from->nodes;
    to->zones = from->zones;
    to->first_through = from->first_through;
    to->links = from->links;
    to->is_map = from->is_map;
    to->turn_count = from->turn_count;
    COPY(tail, from->links);
    COPY(head, from->links);
    COPY(capacity, from->links);
    COPY(length, from->links);
    COPY(free_time, from->links);
    COPY(b, from->links);
    COPY(power, from->links);
    COPY(speed, from->links);
    COPY(toll, from->links);
    COPY(type, from->links);
    COPY(street, from->links);
    COPY(x, from->nodes);
    COPY(y, from->nodes);
    COPY(turns, from->turn_count);
done:
    return st;
}

static mco_status zeros(mco_context *ctx, int64_t count, size_t item_bytes, const void **array)
{
    void *memory = NULL;
    if (*array != NULL)
        return MCO_OK;
    mco_status st = mco_alloc_bytes(ctx, &memory, (size_t)count, item_bytes);
    *array = memory;
    return st;
}
#define ZEROS(member) MCO_TRY(zeros(ctx, view->links, sizeof *view->member, (const void **)&view->member))

mco_status traffic_network_complete(mco_context *ctx, mco_traffic *traffic, const char *where)
{
    mco_status st = MCO_OK;
    mco_traffic_network *view = &traffic->view;
    MCO_TRY(traffic_network_check(ctx, traffic, where));
    ZEROS(tail);
    ZEROS(head);
    ZEROS(capacity);
    ZEROS(length);
    ZEROS(free_time);
    ZEROS(b);
    ZEROS(power);
    ZEROS(speed);
    ZEROS(toll);
    ZEROS(type);
done:
    return st;
}

// ---- What is refused

#define REFUSE(...) return mco_fail(ctx, MCO_ERR_ARGUMENT, __VA_ARGS__)
// Messages count from 1, as files do; the sum is 64 bits wide, since what is refused may be any number.
#define NUMBER(index) ((int64_t)(index) + 1)
#define LIMIT(...) return mco_fail(ctx, MCO_ERR_LIMIT, __VA_ARGS__)

static mco_status check_counts(mco_context *ctx, const mco_traffic_network *net, const char *where)
{
    if (net->nodes < 0 || net->zones < 0 || net->links < 0 || net->turn_count < 0)
        REFUSE("%s: %d nodes, %d zones, %d links and %" PRId64 " turns: all must be 0 or more", where, net->nodes, net->zones, net->links,
               net->turn_count);
    if (net->nodes > MCO_TRAFFIC_MAX_NODES)
        LIMIT("%s: %d nodes, at most %d supported", where, net->nodes, MCO_TRAFFIC_MAX_NODES);
    if (net->links > MCO_TRAFFIC_MAX_LINKS)
        LIMIT("%s: %d links, at most %d supported", where, net->links, MCO_TRAFFIC_MAX_LINKS);
    if (net->turn_count > MCO_TRAFFIC_MAX_LINKS)
        LIMIT("%s: %" PRId64 " turns, at most %d supported", where, net->turn_count, MCO_TRAFFIC_MAX_LINKS);
    if (net->zones > net->nodes)
        REFUSE("%s: %d zones, but %d nodes: zones are the first nodes", where, net->zones, net->nodes);
    if (net->first_through < 0 || net->first_through > net->nodes)
        REFUSE("%s: the first through node is %d from 0, allowed is 0 to %d", where, net->first_through, net->nodes);
    if (net->links > 0 && (net->tail == NULL || net->head == NULL || net->capacity == NULL))
        REFUSE("%s: the %s of the links %s missing", where, net->tail == NULL ? "tails" : net->head == NULL ? "heads" : "capacities", "are");
    if ((net->x == NULL) != (net->y == NULL))
        REFUSE("%s: nodes have %s, but no %s", where, net->x != NULL ? "x" : "y", net->x != NULL ? "y" : "x");
    if (net->turn_count > 0 && net->turns == NULL)
        REFUSE("%s: %" PRId64 " turns, but their array is NULL", where, net->turn_count);
    return MCO_OK;
}

// `array` NULL: zeros.
static mco_status check_values(mco_context *ctx, const mco_traffic_network *net, const double *array, const char *what, double least,
                               const char *where)
{
    for (int32_t a = 0; array != NULL && a < net->links; a++)
        if (!(array[a] >= least && array[a] < INFINITY))
            REFUSE("%s: link %d: the %s is %.15g, a number%s was expected", where, a + 1, what, array[a],
                   least == 0 ? " of 0 or more" : "");
    return MCO_OK;
}

static mco_status check_links(mco_context *ctx, const mco_traffic_network *net, const char *where)
{
    mco_status st = MCO_OK;
    for (int32_t a = 0; a < net->links; a++) {
        if (net->tail[a] < 0 || net->tail[a] >= net->nodes || net->head[a] < 0 || net->head[a] >= net->nodes)
            REFUSE("%s: link %d goes from node %" PRId64 " to node %" PRId64 ", there are nodes 1 to %d", where, a + 1, NUMBER(net->tail[a]),
                   NUMBER(net->head[a]), net->nodes);
        if (!(net->capacity[a] > 0 && net->capacity[a] < INFINITY))
            REFUSE("%s: link %d: the capacity is %.15g, a number above 0 was expected", where, a + 1, net->capacity[a]);
    }
    MCO_TRY(check_values(ctx, net, net->length, "length", 0, where));
    MCO_TRY(check_values(ctx, net, net->free_time, "free-flow time", 0, where));
    MCO_TRY(check_values(ctx, net, net->b, "factor b", 0, where));
    MCO_TRY(check_values(ctx, net, net->power, "power", 0, where));
    MCO_TRY(check_values(ctx, net, net->speed, "speed", -DBL_MAX, where));
    MCO_TRY(check_values(ctx, net, net->toll, "toll", -DBL_MAX, where));
done:
    return st;
}

static mco_status check_street(mco_context *ctx, const mco_traffic_network *net, int32_t a, const char *where)
{
    const mco_traffic_street *s = &net->street[a];
    const int32_t others[] = {s->reverse,         s->preferential[0], s->preferential[1],
                              s->circulating[0], s->circulating[1],  s->circulating[2]};
    if (s->type < 1 || s->type > 12)
        REFUSE("%s: link %d: the type of its street is %d, allowed is 1 to 12", where, a + 1, s->type);
    if (!(s->lanes > 0 && s->lanes < INFINITY))
        REFUSE("%s: link %d has %.15g lanes, a number above 0 was expected", where, a + 1, s->lanes);
    if (!(s->signal >= 0 && s->signal < INFINITY))
        REFUSE("%s: link %d: the factor of its traffic light is %.15g, a number of 0 or more was expected", where, a + 1, s->signal);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (others[k] < -1 || others[k] >= net->links)
            REFUSE("%s: link %d depends on link %" PRId64 ", there are links 1 to %d, and 0 for none", where, a + 1, NUMBER(others[k]), net->links);
    return MCO_OK;
}

static mco_status check_turn(mco_context *ctx, const mco_traffic_network *net, int64_t k, const char *where)
{
    const mco_traffic_turn *t = &net->turns[k];
    if (t->from < 0 || t->from >= net->links || t->to < 0 || t->to >= net->links)
        REFUSE("%s: turn %" PRId64 " leads from link %" PRId64 " into link %" PRId64 ", there are links 1 to %d", where, k + 1,
               NUMBER(t->from), NUMBER(t->to), net->links);
    if (net->head[t->from] != net->tail[t->to])
        REFUSE("%s: turn %" PRId64 ": link %d ends at node %d, link %d begins at node %d", where, k + 1, t->from + 1, net->head[t->from] + 1,
               t->to + 1, net->tail[t->to] + 1);
    if (!(t->cost >= 0))
        REFUSE("%s: turn %" PRId64 ": its cost is %.15g, a number of 0 or more was expected", where, k + 1, t->cost);
    return MCO_OK;
}

static mco_status check_row(mco_context *ctx, const mco_traffic *traffic, const mco_traffic_class *c, int32_t origin, const char *where)
{
    for (int64_t i = c->first[origin]; i < c->first[origin + 1]; i++) {
        if (c->to[i] < 0 || c->to[i] >= traffic->view.zones)
            REFUSE("%s: trips from zone %d to zone %" PRId64 ", there are zones 1 to %d", where, origin + 1, NUMBER(c->to[i]), traffic->view.zones);
        if (i > c->first[origin] && c->to[i] <= c->to[i - 1])
            REFUSE("%s: trips from zone %d: zone %d follows zone %d, an ascending order was expected", where, origin + 1, c->to[i] + 1, c->to[i - 1] + 1);
        if (!(c->amount[i] > 0 && c->amount[i] < INFINITY))
            REFUSE("%s: %.15g trips from zone %d to zone %d, a number above 0 was expected", where, c->amount[i], origin + 1, c->to[i] + 1);
    }
    return MCO_OK;
}

static mco_status check_factor(mco_context *ctx, int32_t k, const char *what, double value, const char *where)
{
    if (value == -1 || (value >= 0 && value < INFINITY))
        return MCO_OK;
    REFUSE("%s: class %d: the %s factor is %.15g, a number of 0 or more was expected, or -1 for that of the call", where, k + 1, what, value);
}

static mco_status check_class(mco_context *ctx, const mco_traffic *traffic, int32_t k, int64_t *rows, const char *where)
{
    mco_status st = MCO_OK;
    const mco_traffic_class *c = &traffic->classes[k];
    const int32_t zones = traffic->view.zones;
    MCO_TRY(check_factor(ctx, k, "toll", c->toll_factor, where));
    MCO_TRY(check_factor(ctx, k, "distance", c->distance_factor, where));
    if (!(c->value_of_time >= 0 && c->value_of_time < INFINITY))
        REFUSE("%s: class %d: the value of time is %.15g, a number of 0 or more was expected", where, k + 1, c->value_of_time);
    if (!(c->car_equivalent > 0 && c->car_equivalent < INFINITY))
        REFUSE("%s: class %d: the car equivalent is %.15g, a number above 0 was expected", where, k + 1, c->car_equivalent);
    if (c->first == NULL || c->first[0] != 0)
        REFUSE("%s: class %d: its first row does not begin at entry 0", where, k + 1);
    for (int32_t o = 0; o < zones; o++) {
        if (c->first[o + 1] < c->first[o])
            REFUSE("%s: class %d: row %d begins at entry %" PRId64 ", the next one at %" PRId64, where, k + 1, o + 1, c->first[o], c->first[o + 1]);
        MCO_TRY(check_row(ctx, traffic, c, o, where));
        *rows += c->first[o + 1] > c->first[o];
    }
done:
    return st;
}

mco_status traffic_network_check(mco_context *ctx, const mco_traffic *traffic, const char *where)
{
    mco_status st = MCO_OK;
    const mco_traffic_network *net = &traffic->view;
    int64_t rows = 0;
    MCO_TRY(check_counts(ctx, net, where));
    MCO_TRY(check_links(ctx, net, where));
    for (int32_t a = 0; net->street != NULL && a < net->links; a++)
        MCO_TRY(check_street(ctx, net, a, where));
    for (int64_t k = 0; k < net->turn_count; k++)
        MCO_TRY(check_turn(ctx, net, k, where));
    for (int32_t v = 0; net->x != NULL && v < net->nodes; v++)
        if (!isfinite(net->x[v]) || !isfinite(net->y[v]))
            REFUSE("%s: node %d is at (%.15g, %.15g), numbers were expected", where, v + 1, net->x[v], net->y[v]);
    if (traffic->class_count < 0 || traffic->class_count > MCO_TRAFFIC_MAX_CLASSES)
        LIMIT("%s: %d classes, at most %d supported", where, traffic->class_count, MCO_TRAFFIC_MAX_CLASSES);
    for (int32_t k = 0; k < traffic->class_count; k++)
        MCO_TRY(check_class(ctx, traffic, k, &rows, where));
    if (rows > MCO_TRAFFIC_MAX_ROWS)
        LIMIT("%s: %" PRId64 " pairs of a class and an origin with trips, at most %d supported", where, rows, MCO_TRAFFIC_MAX_ROWS);
done:
    return st;
}

// ---- Trips

// By origin, then by destination; entries with equal ends by amount, so that their sum does not depend on how qsort() works.
static int compare_trips(const void *left, const void *right)
{
    const traffic_trip *a = left, *b = right;
    if (a->from != b->from)
        return (a->from > b->from) - (a->from < b->from);
    return a->to != b->to ? (a->to > b->to) - (a->to < b->to) : (a->amount > b->amount) - (a->amount < b->amount);
}

static bool are_sorted(int64_t count, const traffic_trip *trips)
{
    for (int64_t i = 1; i < count; i++)
        if (compare_trips(&trips[i - 1], &trips[i]) > 0)
            return false;
    return true;
}

mco_status traffic_class_fill(mco_context *ctx, int32_t zones, int64_t count, traffic_trip *trips, mco_traffic_class *out)
{
    mco_status st = MCO_OK;
    mco_traffic_class c = {.toll_factor = -1, .distance_factor = -1, .car_equivalent = 1, .stated_total = NAN,
                           .stated_toll_factor = NAN, .stated_distance_factor = NAN};
    int64_t used = 0;
    int32_t row = 0;
    if (!are_sorted(count, trips))
        qsort(trips, (size_t)count, sizeof *trips, compare_trips);
    MCO_TRY(mco_alloc(ctx, &c.first, (int64_t)zones + 1));
    MCO_TRY(mco_alloc_unset(ctx, &c.to, count));
    MCO_TRY(mco_alloc_unset(ctx, &c.amount, count));
    for (int64_t i = 0; i < count;) {
        const traffic_trip pair = trips[i];
        double amount = 0;
        for (; i < count && trips[i].from == pair.from && trips[i].to == pair.to; i++)
            amount += trips[i].amount;
        for (; row < pair.from; row++)
            c.first[row + 1] = used;
        c.to[used] = pair.to;
        c.amount[used] = amount;
        used += amount != 0;
    }
    for (; row < zones; row++)
        c.first[row + 1] = used;
    *out = c;
    c = (mco_traffic_class){0};
done:
    traffic_class_clear(ctx, &c);
    return st;
}

void traffic_class_clear(mco_context *ctx, mco_traffic_class *out)
{
    free_constant(ctx, out->name);
    out->name = NULL;
    mco_free(ctx, &out->first);
    mco_free(ctx, &out->to);
    mco_free(ctx, &out->amount);
}

static mco_status copy_class(mco_context *ctx, int32_t zones, const mco_traffic_class *from, mco_traffic_class *out)
{
    mco_status st = MCO_OK;
    mco_traffic_class copy = *from, *to = &copy;
    copy.name = NULL;
    copy.first = NULL;
    copy.to = NULL;
    copy.amount = NULL;
    MCO_TRY(copy_text(ctx, from->name != NULL ? from->name : "trips", (char **)(uintptr_t)&copy.name));
    COPY(first, (int64_t)zones + 1);
    COPY(to, from->first[zones]);
    COPY(amount, from->first[zones]);
done:
    *out = copy;
    return st;
}

// The part of the check that must come before arrays are copied: their sizes.
static mco_status check_shapes(mco_context *ctx, const mco_traffic_network *net, int32_t class_count, const mco_traffic_class *classes)
{
    mco_status st = MCO_OK;
    MCO_TRY(check_counts(ctx, net, "the network"));
    if (class_count < 0 || class_count > MCO_TRAFFIC_MAX_CLASSES)
        LIMIT("%d classes, at most %d supported", class_count, MCO_TRAFFIC_MAX_CLASSES);
    if (class_count > 0 && classes == NULL)
        REFUSE("the array of %d classes is NULL", class_count);
    for (int32_t k = 0; k < class_count; k++) {
        const mco_traffic_class *c = &classes[k];
        if (c->first == NULL || c->first[0] != 0 || c->first[net->zones] < 0)
            REFUSE("class %d: its rows do not begin at entry 0", k + 1);
        if (c->first[net->zones] > 0 && (c->to == NULL || c->amount == NULL))
            REFUSE("class %d: the %s of its trips are missing", k + 1, c->to == NULL ? "ends" : "amounts");
        for (int32_t o = 0; o < net->zones; o++)
            if (c->first[o + 1] < c->first[o])
                REFUSE("class %d: row %d begins at entry %" PRId64 ", the next one at %" PRId64, k + 1, o + 1, c->first[o], c->first[o + 1]);
    }
done:
    return st;
}

mco_status mco_traffic_create(mco_context *ctx, const char *name, const mco_traffic_network *network, int32_t class_count,
                              const mco_traffic_class *classes, mco_traffic **out)
{
    mco_status st = MCO_OK;
    mco_traffic *traffic = NULL;
    if (ctx == NULL || network == NULL || out == NULL)
        REFUSE("%s is NULL", ctx == NULL ? "the context" : network == NULL ? "the network" : "the place of the result");
    MCO_TRY(check_shapes(ctx, network, class_count, classes));
    MCO_TRY(traffic_network_new(ctx, name != NULL ? name : "network", &traffic));
    MCO_TRY(copy_view(ctx, network, &traffic->view));
    MCO_TRY(mco_alloc(ctx, &traffic->classes, class_count));
    for (; traffic->class_count < class_count; traffic->class_count++) {
        mco_traffic_class *c = &traffic->classes[traffic->class_count];
        st = copy_class(ctx, network->zones, &classes[traffic->class_count], c);
        if (st != MCO_OK) {
            traffic_class_clear(ctx, c);
            goto done;
        }
    }
    MCO_TRY(traffic_network_complete(ctx, traffic, traffic->name));
    *out = traffic;
    traffic = NULL;
done:
    mco_traffic_destroy(ctx, &traffic);
    return st;
}

// ---- What it tells

const char *mco_traffic_name(const mco_traffic *traffic)
{
    return traffic->name;
}

mco_traffic_network mco_traffic_view(const mco_traffic *traffic)
{
    return traffic->view;
}

int32_t mco_traffic_class_count(const mco_traffic *traffic)
{
    return traffic->class_count;
}

const mco_traffic_class *mco_traffic_class_at(const mco_traffic *traffic, int32_t k)
{
    return &traffic->classes[k];
}

const char *mco_traffic_node_name(const mco_traffic *traffic, int32_t node, char buffer[16])
{
    if (traffic->node_name != NULL && traffic->node_name[node] != NULL)
        return traffic->node_name[node];
    snprintf(buffer, 16, "%d", node + 1);
    return buffer;
}
