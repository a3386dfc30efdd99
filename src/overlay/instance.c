// SPDX-License-Identifier: MIT
// Instances: made from arrays, told about, ended.
#include "overlay/instance.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double ONE = 4294967296.0;  // 2^32

// ---- Rows

// Entries of rows while they are sorted.
typedef struct rows {
    int64_t *first;  // [nodes + 1]
    int32_t *to;     // [2 * links]
    int64_t *link;   // [2 * links] the link of each entry; NULL where links carry nothing
} rows;

static mco_status rows_open(mco_context *ctx, const mco_overlay_data *data, bool carries, rows *out)
{
    mco_status st = MCO_OK;
    *out = (rows){0};
    MCO_TRY(mco_alloc(ctx, &out->first, (int64_t)data->nodes + 1));
    MCO_TRY(mco_alloc(ctx, &out->to, 2 * data->links));
    if (carries)
        MCO_TRY(mco_alloc(ctx, &out->link, 2 * data->links));
done:
    return st;
}

static void rows_close(mco_context *ctx, rows *r)
{
    mco_free(ctx, &r->first);
    mco_free(ctx, &r->to);
    mco_free(ctx, &r->link);
}

// Moves the ends of the counted rows to where they begin; put() moves them on again.
static void begin_rows(rows *r, int32_t nodes)
{
    int64_t sum = 0;
    for (int32_t i = 0; i <= nodes; i++) {
        const int64_t count = r->first[i];
        r->first[i] = sum;
        sum += count;
    }
}

static void put(rows *r, int32_t i, int32_t j, int64_t link)
{
    const int64_t at = r->first[i]++;
    r->to[at] = j;
    if (r->link != NULL)
        r->link[at] = link;
}

static void end_rows(rows *r, int32_t nodes)
{
    memmove(r->first + 1, r->first, (size_t)nodes * sizeof *r->first);
    r->first[0] = 0;
}

// Rows by ascending neighbour: the transpose of a symmetric matrix is the matrix itself, in order. O(nodes + links).
static mco_status sort_rows(mco_context *ctx, const mco_overlay_data *data, bool carries, rows *out)
{
    mco_status st = MCO_OK;
    rows mixed = {0};
    MCO_TRY(rows_open(ctx, data, carries, &mixed));
    MCO_TRY(rows_open(ctx, data, carries, out));
    for (int64_t k = 0; k < data->links; k++) {
        mixed.first[data->from[k]]++;
        mixed.first[data->to[k]]++;
    }
    memcpy(out->first, mixed.first, ((size_t)data->nodes + 1) * sizeof *out->first);
    begin_rows(&mixed, data->nodes);
    for (int64_t k = 0; k < data->links; k++) {
        put(&mixed, data->from[k], data->to[k], k);
        put(&mixed, data->to[k], data->from[k], k);
    }
    end_rows(&mixed, data->nodes);
    begin_rows(out, data->nodes);
    for (int32_t i = 0; i < data->nodes; i++)
        for (int64_t a = mixed.first[i]; a < mixed.first[i + 1]; a++)
            put(out, mixed.to[a], i, carries ? mixed.link[a] : 0);
    end_rows(out, data->nodes);
done:
    rows_close(ctx, &mixed);
    return st;
}

static mco_status refuse_doubles(mco_context *ctx, const mco_overlay *o)
{
    char one[16], two[16];
    for (int32_t i = 0; i < o->nodes; i++)
        for (int64_t a = o->first[i] + 1; a < o->first[i + 1]; a++)
            if (o->to[a] == o->to[a - 1])
                return mco_fail(ctx, MCO_ERR_ARGUMENT, "the link between nodes %s and %s stands twice", mco_overlay_node_name(o, i, one),
                                mco_overlay_node_name(o, o->to[a], two));
    return MCO_OK;
}

// ---- Numbers

uint32_t overlay_rounded_uptime(double p)
{
    const double units = p * ONE + 0.5;
    return units >= ONE ? UINT32_MAX : (uint32_t)units;
}

static int32_t clipped(int64_t value, int64_t most)
{
    return (int32_t)(value < most ? value : most);
}

// A power of two above all weights, at least 1. So an instance that is written and read again has the same one.
static double weight_unit_of(const mco_overlay_data *data)
{
    double greatest = 0, unit = 1;
    for (int64_t k = 0; data->weight != NULL && k < data->links; k++)
        greatest = fmax(greatest, data->weight[k]);
    while (unit <= greatest)
        unit *= 2;
    return unit;
}

static uint32_t rounded_weight(double weight, double unit)
{
    const double units = weight / unit * ONE;
    return units <= 0 ? 0 : units >= ONE ? UINT32_MAX : (uint32_t)units;
}

static mco_status fill_links(mco_context *ctx, const mco_overlay_data *data, const rows *r, mco_overlay *o)
{
    mco_status st = MCO_OK;
    const int64_t entries = 2 * data->links;
    if (data->weight != NULL)
        MCO_TRY(mco_alloc(ctx, &o->weight, entries));
    if (data->most != NULL)
        MCO_TRY(mco_alloc(ctx, &o->row_most, entries));
    if (data->least != NULL)
        MCO_TRY(mco_alloc(ctx, &o->row_least, entries));
    for (int32_t i = 0; i < o->nodes; i++)
        for (int64_t a = r->first[i]; a < r->first[i + 1]; a++) {
            const int32_t cap = clipped(o->cap[i], o->cap[r->to[a]]);
            if (data->weight != NULL)
                o->weight[a] = rounded_weight(data->weight[r->link[a]], o->weight_unit);
            if (data->most != NULL)
                o->row_most[a] = clipped(data->most[r->link[a]], cap);
            if (data->least != NULL)
                o->row_least[a] = clipped(data->least[r->link[a]], INT32_MAX);
        }
done:
    return st;
}

static mco_status make_rows(mco_context *ctx, const mco_overlay_data *data, mco_overlay *o)
{
    mco_status st = MCO_OK;
    rows r = {0};
    MCO_TRY(sort_rows(ctx, data, data->weight != NULL || data->most != NULL || data->least != NULL, &r));
    MCO_TRY(fill_links(ctx, data, &r, o));
    o->first = r.first;
    o->to = r.to;
    r.first = NULL;
    r.to = NULL;
    MCO_TRY(refuse_doubles(ctx, o));
done:
    rows_close(ctx, &r);
    return st;
}

// ---- Limits

static mco_status refuse_nodes(mco_context *ctx, const mco_overlay_data *d)
{
    for (int32_t i = 0; i < d->nodes; i++) {
        if (!(d->uptime[i] >= 0 && d->uptime[i] <= 1))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the uptime of node %" PRId32 " is %g, allowed is 0 to 1", i + 1, d->uptime[i]);
        if (d->bandwidth[i] < 0 || d->bandwidth[i] > MCO_OVERLAY_MAX_BANDWIDTH)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the bandwidth of node %" PRId32 " is %" PRId64 ", allowed is 0 to %d", i + 1,
                            d->bandwidth[i], MCO_OVERLAY_MAX_BANDWIDTH);
    }
    return MCO_OK;
}

static mco_status refuse_limits(mco_context *ctx, int64_t link, int64_t least, int64_t most)
{
    char where[48] = "of all links";
    if (link >= 0)
        snprintf(where, sizeof where, "of link %" PRId64, link + 1);
    if (least < 0 || least > MCO_OVERLAY_MAX_BANDWIDTH)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the least bandwidth %s is %" PRId64 ", allowed is 0 to %d", where, least,
                        MCO_OVERLAY_MAX_BANDWIDTH);
    if (most >= 0 && least > most)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the least bandwidth %s, %" PRId64 ", is above the most, %" PRId64, where, least, most);
    return MCO_OK;
}

static mco_status refuse_links(mco_context *ctx, const mco_overlay_data *d)
{
    mco_status st = MCO_OK;
    for (int64_t k = 0; k < d->links; k++) {
        const int32_t i = d->from[k], j = d->to[k];
        if (i < 0 || j < 0 || i >= d->nodes || j >= d->nodes || i == j)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "link %" PRId64 " joins nodes %" PRId64 " and %" PRId64 ", expected are two different ones of %"
                            PRId32, k + 1, (int64_t)i + 1, (int64_t)j + 1, d->nodes);
        if (d->weight != NULL && !(fabs(d->weight[k]) <= MCO_OVERLAY_MAX_WEIGHT))
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the weight of link %" PRId64 " is %g, allowed is %g to %g", k + 1, d->weight[k],
                            -MCO_OVERLAY_MAX_WEIGHT, MCO_OVERLAY_MAX_WEIGHT);
        if (d->most != NULL && d->most[k] < 0)
            return mco_fail(ctx, MCO_ERR_ARGUMENT, "the most bandwidth of link %" PRId64 " is %" PRId64 ", 0 or more was expected", k + 1, d->most[k]);
        if (d->least != NULL || d->most != NULL)
            MCO_TRY(refuse_limits(ctx, k, d->least != NULL ? d->least[k] : d->least_of_all, d->most != NULL ? d->most[k] : d->most_of_all));
    }
done:
    return st;
}

static mco_status refuse_sizes(mco_context *ctx, const mco_overlay_data *d)
{
    if (d->nodes < 0 || d->nodes > MCO_OVERLAY_MAX_NODES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId32 " nodes, allowed are 0 to %d", d->nodes, MCO_OVERLAY_MAX_NODES);
    if (d->links < 0 && d->nodes > MCO_OVERLAY_MAX_COMPLETE)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId32 " nodes and all pairs as links, allowed are %d nodes; give the possible links",
                        d->nodes, MCO_OVERLAY_MAX_COMPLETE);
    if (d->links > MCO_OVERLAY_MAX_LINKS)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%" PRId64 " links, allowed are %" PRId64, d->links, MCO_OVERLAY_MAX_LINKS);
    return MCO_OK;
}

// The sum of the limits of a node's links. Among all pairs it is greatest where the node's own limit is.
static mco_status refuse_loads(mco_context *ctx, const mco_overlay *o)
{
    int64_t greatest = 0;
    int32_t where = 0;
    char name[16];
    if (o->is_complete) {
        for (int32_t i = 0; i < o->nodes; i++) {
            greatest += o->cap[i];
            where = o->cap[i] > o->cap[where] ? i : where;
        }
        greatest -= o->nodes > 0 ? o->cap[where] : 0;
    }
    for (int32_t i = 0; i < o->nodes && !o->is_complete; i++) {
        int64_t sum = 0;
        for (int64_t k = 0; k < overlay_row_size(o, i); k++)
            sum += overlay_entry(o, i, k).most;
        where = sum > greatest ? i : where;
        greatest = sum > greatest ? sum : greatest;
    }
    if (greatest > MCO_OVERLAY_MAX_LOAD)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the links of node %s may carry %" PRId64 " in all, allowed is %d; a coarser unit of "
                        "bandwidth or --most would help", mco_overlay_node_name(o, where, name), greatest, MCO_OVERLAY_MAX_LOAD);
    return MCO_OK;
}

// ---- Creation

static mco_status fill_nodes(mco_context *ctx, const mco_overlay_data *data, mco_overlay *o)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &o->uptime, (int64_t)o->nodes + OVERLAY_NODE_PAD));
    MCO_TRY(mco_alloc(ctx, &o->bandwidth, o->nodes));
    MCO_TRY(mco_alloc(ctx, &o->cap, (int64_t)o->nodes + OVERLAY_NODE_PAD));
    for (int32_t i = 0; i < o->nodes; i++) {
        o->uptime[i] = overlay_rounded_uptime(data->uptime[i]);
        o->bandwidth[i] = (int32_t)data->bandwidth[i];
        o->cap[i] = o->bandwidth[i] < o->most ? o->bandwidth[i] : o->most;
    }
done:
    return st;
}

static mco_status copy_name(mco_context *ctx, const char *name, char **out)
{
    const size_t size = strlen(name) + 1;
    const mco_status st = mco_alloc(ctx, out, size);
    if (st == MCO_OK)
        memcpy(*out, name, size);
    return st;
}

mco_status overlay_new(mco_context *ctx, const char *name, const mco_overlay_data *data, mco_overlay **out)
{
    mco_status st = MCO_OK;
    mco_overlay *o = NULL;
    MCO_TRY(refuse_sizes(ctx, data));
    MCO_TRY(refuse_nodes(ctx, data));
    MCO_TRY(refuse_limits(ctx, -1, data->least_of_all, data->most_of_all));
    MCO_TRY(mco_alloc(ctx, &o, 1));
    o->nodes = data->nodes;
    o->is_complete = data->links < 0;
    o->links = o->is_complete ? (int64_t)o->nodes * (o->nodes - 1) / 2 : data->links;
    o->degree = o->is_complete && o->nodes > 0 ? o->nodes - 1 : 0;
    o->scale = 1;
    o->weight_unit = weight_unit_of(data);
    o->least = (int32_t)data->least_of_all;
    o->most = data->most_of_all < 0 ? INT32_MAX : clipped(data->most_of_all, INT32_MAX);
    MCO_TRY(copy_name(ctx, name != NULL ? name : "overlay", &o->name));
    MCO_TRY(fill_nodes(ctx, data, o));
    *out = o;
    o = NULL;
done:
    mco_overlay_destroy(ctx, &o);
    return st;
}

mco_status overlay_settle(mco_context *ctx, mco_overlay *o)
{
    for (int32_t i = 0; i < o->nodes && !o->is_complete; i++)
        o->degree = o->degree > overlay_row_size(o, i) ? o->degree : overlay_row_size(o, i);
    return refuse_loads(ctx, o);
}

mco_status overlay_create_named(mco_context *ctx, const char *name, const mco_overlay_data *data, char ***names, mco_overlay **out)
{
    mco_status st = MCO_OK;
    mco_overlay *o = NULL;
    if (ctx == NULL || data == NULL || out == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    if ((data->nodes > 0 && (data->uptime == NULL || data->bandwidth == NULL)) ||
        (data->links > 0 && (data->from == NULL || data->to == NULL)))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "an array of the data is NULL");
    MCO_TRY(refuse_sizes(ctx, data));
    MCO_TRY(refuse_links(ctx, data));
    MCO_TRY(overlay_new(ctx, name, data, &o));
    o->names = *names;
    *names = NULL;
    if (!o->is_complete)
        MCO_TRY(make_rows(ctx, data, o));
    MCO_TRY(overlay_settle(ctx, o));
    *out = o;
    o = NULL;
done:
    mco_overlay_destroy(ctx, &o);
    return st;
}

mco_status mco_overlay_create(mco_context *ctx, const char *name, const mco_overlay_data *data, mco_overlay **out)
{
    char **names = NULL;
    return overlay_create_named(ctx, name, data, &names, out);
}

void mco_overlay_destroy(mco_context *ctx, mco_overlay **instance)
{
    if (ctx == NULL || instance == NULL || *instance == NULL)
        return;
    mco_overlay *o = *instance;
    mco_free(ctx, &o->name);
    mco_free(ctx, &o->uptime);
    mco_free(ctx, &o->bandwidth);
    mco_free(ctx, &o->cap);
    mco_free(ctx, &o->first);
    mco_free(ctx, &o->to);
    mco_free(ctx, &o->weight);
    mco_free(ctx, &o->row_most);
    mco_free(ctx, &o->row_least);
    mco_free(ctx, &o->names);
    mco_free(ctx, instance);
}

// ---- What an instance tells

const char *mco_overlay_name(const mco_overlay *instance)
{
    return instance->name;
}

int32_t mco_overlay_nodes(const mco_overlay *instance)
{
    return instance->nodes;
}

int64_t mco_overlay_links(const mco_overlay *instance)
{
    return instance->links;
}

int64_t mco_overlay_scale(const mco_overlay *instance)
{
    return instance->scale;
}

const char *mco_overlay_node_name(const mco_overlay *instance, int32_t node, char buffer[16])
{
    if (instance->names != NULL && instance->names[node] != NULL)
        return instance->names[node];
    snprintf(buffer, 16, "%" PRId32, node + 1);
    return buffer;
}

// ---- Bounds

// Uptimes are off by half a unit, weights by less than one more: a weight by less than 3 units in all. No overlay carries more than
// half of all bandwidths, and without a link nothing. The sums and quotients below have relative errors of 2^-52 each.
double overlay_bound_of(const mco_overlay *o, overlay_sum doubled)
{
    int64_t bandwidths = 0;
    for (int32_t i = 0; i < o->nodes && o->links > 0; i++)
        bandwidths += o->bandwidth[i];
    const double units = (double)doubled.high * ONE * ONE + (double)doubled.low + 3.0 * (double)bandwidths;
    return units / 2 / ONE * o->weight_unit / (double)o->scale * (1 + 0x1p-49);
}

double overlay_worth_of(const mco_overlay *o, overlay_sum sum)
{
    return ((double)sum.high * ONE * ONE + (double)sum.low) / ONE * o->weight_unit / (double)o->scale;
}
