// SPDX-License-Identifier: MIT
// Rounded capacity cuts. Customers joined by a value of at least 1 are shrunk to one vertex. A set grows from each vertex by the best
// neighbour: by connection, by the cut that results, by both with demand, or at random. Each set on the way and its complement are
// tested. (Augerat et al. 1998; Lysgaard, Letchford, Eglese 2004.) Demands are integers, so the right-hand side is exact.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "base/rng.h"
#include "vrp/bound/columns/separate.h"

// Values below TINY are 0. Vertices with a joint value of at least 1 - TINY are one.
static const double TINY = 1e-7;
// A rule adds this for a customer that makes another vehicle necessary, for each 1 of x, and up to that for demand.
static const double MORE_VEHICLES = 0.3, BY_DEMAND = 0.2;
// Sets in hand before the worst go; rules of growth; a set stops growing beyond so many vehicles by the rules behind the first two.
enum { SETS_IN_HAND = 2000, RULES = 6, WIDE_RULES = 2, MOST_VEHICLES = 12, TIMES_A_CUSTOMER = 4 };

// The support on vertices: groups of customers.
typedef struct graph {
    int32_t count;       // vertices
    int32_t *first;      // [count + 1] neighbours of each in `to` and `value`
    int32_t *to;
    double *value;
    double *degree;      // [count] crossings of the vertex
    double *depot;       // [count] its value to the depot
    int64_t *demand;     // [count]
    int32_t *group;      // [nodes] vertex of each customer
} graph;

typedef struct candidate {
    double violation;
    uint64_t hash;
    int64_t rhs;
    int32_t slot;        // of its set
} candidate;

typedef struct separation {
    mco_context *ctx;
    const vrp_bound_problem *problem;
    const double *support;
    int64_t total, capacity;      // as the instance has them
    double depot_degree, least_violation, stop_s;
    uint64_t *hash;               // [nodes] of a customer; a set has the sum
    uint64_t hash_of_all;
    int32_t words;
    candidate *list;              // [count]
    int64_t count, room;
    uint64_t *sets;               // [slots * words]
    int64_t set_room;
    graph g;
    uint64_t *vertex_hash;        // [vertices]
    bool *is_in;                  // [vertices]
    double *joint;                // [vertices] value to the set
    int32_t *edge;                // [vertices] vertices outside with a joint value
    mco_rng rng;
} separation;

// ---- The graph

static void graph_close(mco_context *ctx, graph *g)
{
    mco_free(ctx, &g->first);
    mco_free(ctx, &g->to);
    mco_free(ctx, &g->value);
    mco_free(ctx, &g->degree);
    mco_free(ctx, &g->depot);
    mco_free(ctx, &g->demand);
    mco_free(ctx, &g->group);
}

static int32_t root_of(int32_t *parent, int32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// Joins customers with a value of at least 1; `shrink` false: none. Then numbers the vertices.
static mco_status group_customers(separation *s, bool shrink)
{
    mco_status st = MCO_OK;
    const int32_t nodes = s->problem->nodes;
    int32_t *parent = NULL;
    MCO_TRY(mco_alloc(s->ctx, &parent, nodes));
    for (int32_t i = 0; i < nodes; i++)
        parent[i] = i;
    for (int32_t i = 1; shrink && i < nodes; i++)
        for (int32_t j = i + 1; j < nodes; j++)
            if (s->support[(int64_t)i * nodes + j] >= 1 - TINY)
                parent[root_of(parent, j)] = root_of(parent, i);
    s->g.count = 0;
    for (int32_t i = 1; i < nodes; i++)
        if (root_of(parent, i) == i)
            s->g.group[i] = s->g.count++;
    for (int32_t i = 1; i < nodes; i++)
        s->g.group[i] = s->g.group[root_of(parent, i)];
done:
    mco_free(s->ctx, &parent);
    return st;
}

static void add_up(separation *s, double *between)
{
    const int32_t nodes = s->problem->nodes;
    graph *g = &s->g;
    for (int32_t i = 1; i < nodes; i++) {
        const int32_t a = g->group[i];
        g->demand[a] += s->problem->vrp->demand[i];
        s->vertex_hash[a] += s->hash[i];
        for (int32_t j = 0; j < nodes; j++) {
            const double x = s->support[(int64_t)i * nodes + j];
            if (x <= TINY || j == i || (j > 0 && g->group[j] == a))
                continue;
            g->degree[a] += x;
            if (j == 0)
                g->depot[a] += x;
            else
                between[(int64_t)a * g->count + g->group[j]] += x;
        }
    }
}

static mco_status graph_open(separation *s, bool shrink)
{
    mco_status st = MCO_OK;
    graph *g = &s->g;
    double *between = NULL;
    int64_t edges = 0, count;
    graph_close(s->ctx, g);
    MCO_TRY(mco_alloc(s->ctx, &g->group, s->problem->nodes));
    MCO_TRY(group_customers(s, shrink));
    count = g->count;
    MCO_TRY(mco_alloc(s->ctx, &g->first, count + 1));
    MCO_TRY(mco_alloc(s->ctx, &g->degree, count));
    MCO_TRY(mco_alloc(s->ctx, &g->depot, count));
    MCO_TRY(mco_alloc(s->ctx, &g->demand, count));
    MCO_TRY(mco_alloc(s->ctx, &between, count * count));
    memset(s->vertex_hash, 0, (size_t)count * sizeof *s->vertex_hash);
    add_up(s, between);
    for (int64_t k = 0; k < count * count; k++)
        edges += between[k] > 0;
    MCO_TRY(mco_alloc(s->ctx, &g->to, edges));
    MCO_TRY(mco_alloc(s->ctx, &g->value, edges));
    edges = 0;
    for (int64_t a = 0; a < count; a++) {
        for (int64_t b = 0; b < count; b++)
            if (between[a * count + b] > 0) {
                g->to[edges] = (int32_t)b;
                g->value[edges++] = between[a * count + b];
            }
        g->first[a + 1] = (int32_t)edges;
    }
done:
    mco_free(s->ctx, &between);
    return st;
}

// ---- Candidates

static int by_violation(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->violation != y->violation)
        return x->violation > y->violation ? -1 : 1;
    return x->hash < y->hash ? -1 : x->hash > y->hash;
}

// Sorts the candidates, drops all but the best of equal sets, and keeps the best half of the room.
static void tidy(separation *s, int64_t most)
{
    int64_t kept = 0;
    if (s->count > 0)
        qsort(s->list, (size_t)s->count, sizeof *s->list, by_violation);
    for (int64_t k = 0; k < s->count; k++) {
        // Equal sets have equal violations but for roundings, so they are near each other.
        bool is_new = true;
        for (int64_t l = kept - 1; l >= 0 && is_new && s->list[l].violation - s->list[k].violation < TINY; l--)
            is_new = s->list[l].hash != s->list[k].hash;
        if (!is_new || kept >= most)
            continue;
        const candidate swap = s->list[kept];
        s->list[kept++] = s->list[k];
        s->list[k] = swap;
    }
    s->count = kept;
}

// Puts the customers of the set in hand, or of its complement, into the bits of `out`.
static void write_set(const separation *s, bool complement, uint64_t *out)
{
    memset(out, 0, (size_t)s->words * sizeof *out);
    for (int32_t i = 1; i < s->problem->nodes; i++)
        if (s->is_in[s->g.group[i]] != complement)
            out[i >> 6] |= (uint64_t)1 << (i & 63);
}

static int64_t vehicles_of(const separation *s, int64_t demand)
{
    return (demand + s->capacity - 1) / s->capacity;
}

// Takes the set in hand if it is violated.
static mco_status consider(separation *s, int64_t demand, double crossings, uint64_t hash, bool complement)
{
    mco_status st = MCO_OK;
    const int64_t rhs = 2 * vehicles_of(s, demand);
    const double violation = (double)rhs - crossings;
    if (violation <= s->least_violation)
        return MCO_OK;
    if (s->count == 2 * (int64_t)SETS_IN_HAND)
        tidy(s, SETS_IN_HAND);
    const int64_t slot = s->count < s->room && s->list[s->count].rhs != 0 ? s->list[s->count].slot : s->count;
    MCO_TRY(mco_grow(s->ctx, &s->list, &s->room, s->count + 1));
    MCO_TRY(mco_grow(s->ctx, &s->sets, &s->set_room, (s->count + 1) * s->words));
    s->list[s->count++] = (candidate){violation, hash, rhs, (int32_t)slot};
    write_set(s, complement, s->sets + slot * s->words);
done:
    return st;
}

// ---- Growth

typedef struct grown {
    int64_t demand;
    double crossings, depot;
    uint64_t hash;
    int32_t edges;      // vertices of `edge`
    int32_t inside;
} grown;

static void take_vertex(separation *s, int32_t v, grown *set)
{
    const graph *g = &s->g;
    s->is_in[v] = true;
    set->inside++;
    set->demand += g->demand[v];
    set->crossings += g->degree[v] - 2 * s->joint[v];
    set->depot += g->depot[v];
    set->hash += s->vertex_hash[v];
    for (int32_t e = g->first[v]; e < g->first[v + 1]; e++) {
        const int32_t u = g->to[e];
        if (!s->is_in[u] && s->joint[u] == 0)
            s->edge[set->edges++] = u;
        s->joint[u] += g->value[e];
    }
}

static double score(separation *s, int rule, int32_t v, const grown *set)
{
    const double share = (double)s->g.demand[v] / (double)s->capacity;
    const bool is_more = vehicles_of(s, set->demand + s->g.demand[v]) > vehicles_of(s, set->demand);
    const double more = is_more ? MORE_VEHICLES : 0;
    switch (rule) {
    case 0: return s->joint[v] + TINY * share;
    case 1: return 2 * s->joint[v] - s->g.degree[v] + BY_DEMAND * share;
    case 2: return 2 * s->joint[v] - s->g.degree[v] + 2 * more;
    default: return s->joint[v] * (0.7 + 0.6 * mco_rng_real(&s->rng)) + more;
    }
}

// The best vertex of the edge, taken off it; -1: none.
static int32_t best_vertex(separation *s, int rule, grown *set)
{
    int32_t best = -1;
    double most = -INFINITY;
    for (int32_t k = 0; k < set->edges; k++) {
        const double value = score(s, rule, s->edge[k], set);
        if (value > most || (value == most && s->edge[k] < s->edge[best])) {
            most = value;
            best = k;
        }
    }
    if (best < 0)
        return -1;
    const int32_t v = s->edge[best];
    s->edge[best] = s->edge[--set->edges];
    return v;
}

static mco_status grow_set(separation *s, int rule, int32_t from)
{
    mco_status st = MCO_OK;
    grown set = {0};
    memset(s->is_in, 0, (size_t)s->g.count * sizeof *s->is_in);
    memset(s->joint, 0, (size_t)s->g.count * sizeof *s->joint);
    for (int32_t v = from; v >= 0; v = best_vertex(s, rule, &set)) {
        take_vertex(s, v, &set);
        if (set.inside < s->g.count) {
            const double complement = set.crossings - set.depot + (s->depot_degree - set.depot);
            MCO_TRY(consider(s, set.demand, set.crossings, set.hash, false));
            MCO_TRY(consider(s, s->total - set.demand, complement, s->hash_of_all - set.hash, true));
        } else
            MCO_TRY(consider(s, set.demand, set.crossings, set.hash, false));
        if (rule >= WIDE_RULES && set.demand > MOST_VEHICLES * s->capacity)
            break;
    }
done:
    return st;
}

// Grows sets from every vertex by every rule. Ends early at stop_s.
static mco_status grow_all(separation *s, int first_rule)
{
    mco_status st = MCO_OK;
    for (int rule = first_rule; rule < RULES; rule++)
        for (int32_t v = 0; v < s->g.count; v++) {
            if (mco_clock_s() >= s->stop_s || mco_is_cancelled(s->ctx))
                return MCO_OK;
            MCO_TRY(grow_set(s, rule, v));
        }
done:
    return st;
}

// ---- The choice

static uint64_t hash_of_cut(const separation *s, const vrp_cut *cut)
{
    uint64_t hash = 0;
    for (int32_t k = 0; k < cut->size; k++)
        hash += s->hash[cut->node[k]];
    return hash;
}

static bool has_cut(const separation *s, const vrp_cuts *cuts, uint64_t hash)
{
    for (int64_t k = 0; k < cuts->count; k++)
        if (cuts->cut[k].kind == VRP_CUT_SET && cuts->cut[k].sense == VRP_CUT_AT_LEAST && hash_of_cut(s, &cuts->cut[k]) == hash)
            return true;
    return false;
}

// Adds the most violated sets. A set needs a customer that is in few of those before it.
static mco_status choose(separation *s, int32_t most, vrp_cuts *cuts, int32_t *found)
{
    mco_status st = MCO_OK;
    int32_t *times = NULL, *node = NULL;
    tidy(s, s->count);
    MCO_TRY(mco_alloc(s->ctx, &times, s->problem->nodes));
    MCO_TRY(mco_alloc(s->ctx, &node, s->problem->nodes));
    for (int64_t k = 0; k < s->count && *found < most; k++) {
        const uint64_t *set = s->sets + (int64_t)s->list[k].slot * s->words;
        int32_t size = 0;
        bool is_rare = false;
        for (int32_t i = 1; i < s->problem->nodes; i++)
            if (vrp_set_has(set, i)) {
                node[size++] = i;
                is_rare |= times[i] < TIMES_A_CUSTOMER;
            }
        if (!is_rare || has_cut(s, cuts, s->list[k].hash))
            continue;
        for (int32_t v = 0; v < size; v++)
            times[node[v]]++;
        MCO_TRY(vrp_cuts_add_set(s->ctx, cuts, node, size, VRP_CUT_AT_LEAST, s->list[k].rhs));
        ++*found;
    }
done:
    mco_free(s->ctx, &node);
    mco_free(s->ctx, &times);
    return st;
}

static mco_status open_separation(separation *s, uint64_t seed)
{
    mco_status st = MCO_OK;
    const int32_t nodes = s->problem->nodes;
    MCO_TRY(mco_alloc(s->ctx, &s->hash, nodes));
    MCO_TRY(mco_alloc(s->ctx, &s->vertex_hash, nodes));
    MCO_TRY(mco_alloc(s->ctx, &s->is_in, nodes));
    MCO_TRY(mco_alloc(s->ctx, &s->joint, nodes));
    MCO_TRY(mco_alloc(s->ctx, &s->edge, nodes));
    mco_rng_seed(&s->rng, seed, 0);
    uint64_t state = 0;  // the same for all calls, so that hashes of cuts compare
    for (int32_t i = 1; i < nodes; i++) {
        s->hash[i] = mco_splitmix64(&state);
        s->hash_of_all += s->hash[i];
        s->total += s->problem->vrp->demand[i];
        s->depot_degree += s->support[i];
    }
done:
    return st;
}

static void close_separation(separation *s)
{
    graph_close(s->ctx, &s->g);
    mco_free(s->ctx, &s->edge);
    mco_free(s->ctx, &s->joint);
    mco_free(s->ctx, &s->is_in);
    mco_free(s->ctx, &s->vertex_hash);
    mco_free(s->ctx, &s->hash);
    mco_free(s->ctx, &s->sets);
    mco_free(s->ctx, &s->list);
}

mco_status vrp_separate_capacity(mco_context *ctx, const vrp_bound_problem *problem, const double *support, uint64_t seed,
                                 int32_t most, double least_violation, double stop_s, vrp_cuts *cuts, int32_t *found)
{
    mco_status st = MCO_OK;
    separation s = {.ctx = ctx, .problem = problem, .support = support, .capacity = problem->vrp->capacity,
                    .least_violation = least_violation, .stop_s = stop_s, .words = cuts->words};
    *found = 0;
    MCO_TRY(open_separation(&s, seed));
    MCO_TRY(graph_open(&s, true));
    MCO_TRY(grow_all(&s, 0));
    if (s.g.count < problem->customers && s.count < most) {
        MCO_TRY(graph_open(&s, false));
        MCO_TRY(grow_all(&s, 0));
    }
    MCO_TRY(choose(&s, most, cuts, found));
done:
    close_separation(&s);
    return st;
}
