// SPDX-License-Identifier: MIT
// Bounds by matchings (matching.h). Few links matter: those of small slack at the first duals. The matching is found on them; then all
// possible links are tested against its duals, and those that break them join. When none does, the bound stands.
#include "overlay/matching.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"
#include "overlay/blossom.h"

enum { MOST_VERTICES = 6000, NEAR_LINKS = 10, ROUNDS = 12, MOST_SHARED = 4, PASSES = 5, MOST_WORK = 262144 };
static const double MOST_SHARE = 0.6;                  // of a time limit, when the last pass begins
static const double GRACE_S = 0.05;                    // beyond the end of the run, for the last test of the duals
static const int64_t MOST_WEIGHT = (int64_t)1 << 46;  // of an edge; sums of all vertices stay below 2^63

typedef struct matcher {
    mco_context *ctx;
    mco_run *run;
    const mco_overlay *o;
    int32_t vertices;
    int32_t *node;       // [vertices] of the instance
    int32_t *first;      // [nodes + 1] vertices of each node
    const uint32_t *dual;  // [nodes] of bandwidth
    uint32_t *cost, *step; // [nodes] prices m of bandwidth; their next changes
    bool *was_up;        // [nodes] the last change
    int32_t *share;      // [nodes] a link carries at most that much of the node's bandwidth
    int32_t *used;       // [nodes] vertices of the node that take part, the first ones
    bool *is_settled;    // [nodes] in the present case: how many links the node keeps
    bool shares;         // a node has room for several links
    int32_t cases;       // that may still be matched
    int shift;           // worths are in units of 2^shift
    int64_t *y;          // [vertices] duals, in half units: weights of edges are doubled
    overlay_edge *edge;
    int64_t edges, room;
    double worth;        // of the links that were taken
    double late_s;       // when the run was seen to have ended, and GRACE_S more; 0: it goes on
    overlay_blossom blossom;
} matcher;

// ---- Worths

static int32_t least_of(const mco_overlay *o, int32_t i, int64_t k)
{
    return o->row_least != NULL ? o->row_least[o->first[i] + k] : o->least;
}

// The least that a link of node i carries.
static int32_t least_of_node(const mco_overlay *o, int32_t i)
{
    int32_t least = o->row_least != NULL ? INT32_MAX : o->least;
    for (int64_t k = 0; o->row_least != NULL && k < overlay_row_size(o, i); k++)
        least = least < least_of(o, i, k) ? least : least_of(o, i, k);
    return least;
}

int64_t overlay_room_of(const mco_overlay *o, int32_t i)
{
    const int64_t links = overlay_row_size(o, i);
    const int32_t least = least_of_node(o, i);
    const int64_t fits = least > 0 ? o->bandwidth[i] / least : INT32_MAX;
    return fits < links ? fits : links;
}

bool overlay_matching_pays(const mco_overlay *o)
{
    int64_t vertices = 0;
    if (o->nodes > MOST_VERTICES || (o->row_least == NULL && o->least == 0))
        return false;
    for (int32_t i = 0; i < o->nodes; i++) {
        const int64_t room = overlay_room_of(o, i);
        if (room > MOST_SHARED)  // a hub: its vertices would multiply its links
            return false;
        vertices += room;
    }
    return vertices <= MOST_VERTICES && vertices <= 2 * (int64_t)o->nodes;
}

// Twice the worth of entry k of row i, rounded up, in units of 2^shift; 0: it is not kept. The weight as it was given may be some units
// more than the rounded one.
static int64_t worth_of(const matcher *m, int32_t i, int64_t k, const overlay_link *link)
{
    const int64_t least = least_of(m->o, i, k), missing = m->o->weight != NULL ? 1 : 3;
    if (link->most == 0 || link->most < least)
        return 0;
    const int32_t share = m->share[i] < m->share[link->node] ? m->share[i] : m->share[link->node];
    const int64_t most = link->most < share ? link->most : share;
    if (most < least || m->used[i] == 0 || m->used[link->node] == 0)
        return 0;
    const int64_t unit = link->weight + missing - m->cost[i] - m->cost[link->node];
    const int64_t worth = unit * (unit > 0 ? most : least);
    return worth <= 0 ? 0 : 2 * ((worth >> m->shift) + 1);
}

// ---- Duals

// Gives the vertices of node i the least duals that their links allow.
static void settle_duals(matcher *m, int32_t i)
{
    for (int32_t v = m->first[i]; v < m->first[i + 1]; v++) {
        int64_t y = 0;
        for (int64_t k = 0; v < m->first[i] + m->used[i] && k < overlay_row_size(m->o, i); k++) {
            const overlay_link link = overlay_entry(m->o, i, k);
            const int64_t worth = worth_of(m, i, k, &link);
            for (int32_t u = m->first[link.node]; worth > y && u < m->first[link.node] + m->used[link.node]; u++)
                y = worth - m->y[u] > y ? worth - m->y[u] : y;
        }
        m->y[v] = y;
    }
}

// Lowers each dual as far as its own links allow, or raises it: afterwards all links hold. Nodes with room for several links come first:
// their worths change from pass to pass, and else all others would rise for them. False: the run ended.
static bool make_feasible(matcher *m)
{
    for (int turn = 0; turn < 2; turn++)
        for (int32_t i = 0; i < m->o->nodes; i++) {
            if (mco_run_must_stop(m->run, 0))
                return false;
            if ((m->first[i + 1] - m->first[i] > 1) == (turn == 0))
                settle_duals(m, i);
        }
    return true;
}

typedef struct near_link {
    int64_t slack, worth;
    int32_t node;
} near_link;

static mco_status add_edges(matcher *m, int32_t i, int32_t j, int64_t worth)
{
    mco_status st = MCO_OK;
    for (int32_t v = m->first[i]; v < m->first[i] + m->used[i]; v++)
        for (int32_t u = m->first[j]; u < m->first[j] + m->used[j]; u++) {
            MCO_TRY(mco_grow(m->ctx, &m->edge, &m->room, m->edges + 1));
            m->edge[m->edges++] = (overlay_edge){{v, u}, worth};
        }
done:
    return st;
}

// The links of least slack of each node become edges.
static mco_status take_near_links(matcher *m)
{
    mco_status st = MCO_OK;
    for (int32_t i = 0; i < m->o->nodes && !mco_run_must_stop(m->run, 0); i++) {
        near_link near[NEAR_LINKS + 1];
        int32_t count = 0;
        for (int64_t k = 0; k < overlay_row_size(m->o, i) && m->used[i] > 0; k++) {
            const overlay_link link = overlay_entry(m->o, i, k);
            const int64_t worth = worth_of(m, i, k, &link);
            if (worth == 0)
                continue;
            const int64_t slack = m->y[m->first[i]] + m->y[m->first[link.node]] - worth;
            int32_t at = count;
            while (at > 0 && near[at - 1].slack > slack)
                at--;
            if (at == NEAR_LINKS)
                continue;
            count += count < NEAR_LINKS;
            memmove(near + at + 1, near + at, (size_t)(count - 1 - at) * sizeof *near);
            near[at] = (near_link){slack, worth, link.node};
        }
        for (int32_t k = 0; k < count; k++)
            MCO_TRY(add_edges(m, i, near[k].node, near[k].worth));
    }
done:
    return st;
}

// ---- Certificates

// Whether the run ended GRACE_S ago.
static bool is_late(matcher *m)
{
    if (m->late_s == 0 && mco_run_must_stop(m->run, 0))
        m->late_s = mco_clock_s() + GRACE_S;
    return m->late_s > 0 && mco_clock_s() >= m->late_s;
}

// Tests each pair of vertices of each possible link. Links that break the duals become edges if `joins`, and are counted. Else the dual of
// the lesser end rises, and they hold. That may go on for GRACE_S after the end of the run. *broken is not 0 where it was too little.
static mco_status test_all(matcher *m, bool joins, int64_t *broken)
{
    mco_status st = MCO_OK;
    *broken = 0;
    for (int32_t i = 0; i < m->o->nodes; i++) {
        if (joins ? mco_run_must_stop(m->run, 0) : is_late(m)) {
            *broken = 1;  // not all are tested
            return MCO_OK;
        }
        for (int64_t k = m->o->is_complete ? i : 0; k < overlay_row_size(m->o, i); k++) {
            const overlay_link link = overlay_entry(m->o, i, k);
            const int64_t worth = link.node > i ? worth_of(m, i, k, &link) : 0;
            bool is_broken = false;
            for (int32_t v = m->first[i]; v < m->first[i] + m->used[i]; v++)
                for (int32_t u = m->first[link.node]; u < m->first[link.node] + m->used[link.node]; u++) {
                    int64_t over = worth - m->y[v] - m->y[u];
                    over -= over > 0 ? overlay_blossom_shared(&m->blossom, v, u) : 0;
                    if (over <= 0)
                        continue;
                    is_broken = true;
                    if (!joins)
                        m->y[v] += over;
                }
            *broken += is_broken && joins;
            if (is_broken && joins)
                MCO_TRY(add_edges(m, i, link.node, worth));
        }
    }
done:
    return st;
}

// The bound of the duals. The size of a set is counted anew; an odd set of s vertices has (s - 1) / 2 pairs at most, as any set.
static mco_status add_up(const matcher *m, double *bound)
{
    mco_status st = MCO_OK;
    const overlay_blossom *b = &m->blossom;
    int32_t *size = NULL;
    overlay_sum sum = {0}, costs = {0};
    MCO_TRY(mco_alloc(m->ctx, &size, 2 * (int64_t)m->vertices));
    for (int32_t v = 0; v < m->vertices; v++) {
        overlay_add(&sum, (uint64_t)m->y[v]);
        for (int32_t set = b->parent[v]; set >= 0; set = b->parent[set])
            size[set]++;
    }
    for (int32_t set = m->vertices; set < 2 * m->vertices; set++)
        for (int32_t k = 0; k < size[set] / 2; k++)
            overlay_add(&sum, (uint64_t)b->z[set]);
    for (int32_t i = 0; i < m->o->nodes; i++)
        overlay_add(&costs, (uint64_t)m->cost[i] * (uint32_t)m->o->bandwidth[i]);
    // Fewer than ten roundings, each of half a unit in the last place at most; the factor covers sixteen. Worths are doubled.
    const double pairs = ldexp((double)sum.high * 0x1p64 + (double)sum.low, m->shift - 1);
    *bound = (pairs + (double)costs.high * 0x1p64 + (double)costs.low) * 0x1p-32 * m->o->weight_unit / (double)m->o->scale * (1 + 0x1p-49);
done:
    mco_free(m->ctx, &size);
    return st;
}

// ---- Passes

// Matches on the links that matter until all hold. *broken: not 0 where the end of the run came before all links were tested.
static mco_status match(matcher *m, int64_t *broken)
{
    mco_status st = MCO_OK;
    bool ended = false;
    *broken = 1;
    m->edges = 0;
    for (int round = 0; round < ROUNDS && *broken > 0 && !ended && make_feasible(m); round++) {
        MCO_TRY(take_near_links(m));
        overlay_blossom_close(&m->blossom);
        MCO_TRY(overlay_blossom_open(m->ctx, m->vertices, m->edges, m->edge, m->y, &m->blossom));
        ended = !overlay_blossom_match(&m->blossom, m->run);
        memcpy(m->y, m->blossom.y, (size_t)m->vertices * sizeof *m->y);
        if (!ended)
            MCO_TRY(test_all(m, true, broken));
    }
    if (*broken > 0 && m->blossom.y != NULL)
        MCO_TRY(test_all(m, false, broken));
done:
    return st;
}

// The weight of a link of the matching, by its first vertex.
static overlay_link link_of(const matcher *m, int32_t v, int64_t *entry)
{
    const int32_t i = m->node[v], j = m->node[m->blossom.mate[v]];
    int64_t k = m->o->is_complete ? j - (j > i) : 0;
    while (overlay_entry(m->o, i, k).node != j)
        k++;
    *entry = k;
    return overlay_entry(m->o, i, k);
}

// What the links of the matching are worth, each at its least where both ends have room for that, and then at what is left.
static mco_status measure(const matcher *m, double *worth)
{
    mco_status st = MCO_OK;
    int64_t *rest = NULL, *x = NULL;
    int64_t k;
    *worth = 0;
    MCO_TRY(mco_alloc(m->ctx, &rest, m->o->nodes));
    MCO_TRY(mco_alloc(m->ctx, &x, m->vertices));
    for (int32_t i = 0; i < m->o->nodes; i++)
        rest[i] = m->o->bandwidth[i];
    for (int turn = 0; turn < 2; turn++)
        for (int32_t v = 0; v < m->vertices; v++) {
            if (m->blossom.mate[v] < v)
                continue;
            const overlay_link link = link_of(m, v, &k);
            int64_t *const a = &rest[m->node[v]], *const b = &rest[link.node];
            const int64_t least = least_of(m->o, m->node[v], k);
            const int64_t room = (*a < *b ? *a : *b), wanted = turn == 0 ? least : x[v] > 0 ? link.most - x[v] : 0;
            const int64_t more = turn == 0 && wanted > room ? 0 : wanted < room ? wanted : room;
            x[v] += more;
            *a -= more;
            *b -= more;
            *worth += (double)more * link.weight;
        }
done:
    mco_free(m->ctx, &x);
    mco_free(m->ctx, &rest);
    return st;
}

// Takes links and prices of the matching if its links are worth the most of all so far.
static mco_status take_links(matcher *m, overlay_matching *out)
{
    mco_status st = MCO_OK;
    const overlay_blossom *b = &m->blossom;
    double worth;
    MCO_TRY(measure(m, &worth));
    if (worth <= m->worth)
        return MCO_OK;
    m->worth = worth;
    mco_free(m->ctx, &out->from);
    mco_free(m->ctx, &out->to);
    out->count = 0;
    MCO_TRY(mco_alloc(m->ctx, &out->from, m->vertices));
    MCO_TRY(mco_alloc(m->ctx, &out->to, m->vertices));
    for (int32_t v = 0; v < m->vertices; v++)
        if (b->mate[v] > v) {
            out->from[out->count] = m->node[v];
            out->to[out->count++] = m->node[b->mate[v]];
        }
    for (int32_t i = 0; i < m->o->nodes; i++)
        if (m->first[i] < m->first[i + 1])
            out->price[i] = ldexp((double)m->y[m->first[i]], m->shift - 1) +
                            (double)m->cost[i] * m->o->bandwidth[i] / (m->first[i + 1] - m->first[i]);
done:
    return st;
}

// What the matching takes of the bandwidth of node i at the present price.
static int64_t used_by(const matcher *m, int32_t i)
{
    int64_t used = 0, k;
    for (int32_t v = m->first[i]; v < m->first[i + 1]; v++)
        if (m->blossom.mate[v] >= 0) {
            const overlay_link link = link_of(m, v, &k);
            const int64_t unit = (int64_t)link.weight - m->cost[i] - m->cost[link.node];
            used += unit > 0 ? link.most : least_of(m->o, i, k);
        }
    return used;
}

// Prices of bandwidth for the next pass, where nodes have room for several links: up where the matching takes too much, down where it
// takes too little; steps are halved when that changes. The first prices are the duals of bandwidth.
static void set_costs(matcher *m, int pass)
{
    for (int32_t i = 0; i < m->o->nodes; i++) {
        if (m->first[i + 1] - m->first[i] < 2)
            continue;
        const bool is_up = used_by(m, i) > m->o->bandwidth[i];
        if (pass == 0) {
            m->cost[i] = is_up ? m->dual[i] : 0;
            m->step[i] = m->cost[i] / 4;
            continue;
        }
        if (pass > 1 && is_up != m->was_up[i])
            m->step[i] /= 2;
        m->was_up[i] = is_up;
        m->cost[i] = is_up ? (m->cost[i] < UINT32_MAX - m->step[i] ? m->cost[i] + m->step[i] : UINT32_MAX)
                           : (m->cost[i] > m->step[i] ? m->cost[i] - m->step[i] : 0);
    }
}

// What node i gains by `count` links that share its bandwidth alike, at the duals of the others.
static int64_t gain_of(const matcher *m, int32_t i, int32_t count)
{
    int64_t best[MOST_SHARED] = {0}, sum = 0;
    for (int64_t k = 0; k < overlay_row_size(m->o, i); k++) {
        const overlay_link link = overlay_entry(m->o, i, k);
        if (m->used[link.node] == 0)
            continue;
        int64_t gain = worth_of(m, i, k, &link) - m->y[m->first[link.node]];
        for (int32_t at = 0; at < count; at++)
            if (gain > best[at]) {
                const int64_t less = best[at];
                best[at] = gain;
                gain = less;
            }
    }
    for (int32_t at = 0; at < count; at++)
        sum += best[at];
    return sum;
}

// Settles how many links each node keeps, where it has room for several, by the duals of the last pass. Then a matching is an overlay.
static void settle_shares(matcher *m)
{
    memset(m->cost, 0, (size_t)m->o->nodes * sizeof *m->cost);
    for (int32_t i = 0; i < m->o->nodes; i++) {
        const int32_t room = m->used[i];
        int32_t best = room;
        int64_t most = -1;
        for (int32_t count = 1; count <= room; count++) {
            m->share[i] = m->o->bandwidth[i] / count;
            const int64_t gain = gain_of(m, i, count);
            best = gain > most ? count : best;
            most = gain > most ? gain : most;
        }
        m->share[i] = best > 0 ? m->o->bandwidth[i] / best : 0;
        m->used[i] = best;
    }
}

// ---- Cases

static void open_room(matcher *m, int32_t i)
{
    m->used[i] = m->first[i + 1] - m->first[i];
    m->share[i] = m->o->bandwidth[i];
    m->is_settled[i] = false;
}

// The node that the matching gives most bandwidth beyond its own, of those that may keep any number of links. -1: none.
static int32_t fullest_node(const matcher *m)
{
    int32_t fullest = -1;
    int64_t most = 0, k;
    for (int32_t i = 0; i < m->o->nodes; i++) {
        int64_t over = -m->o->bandwidth[i];
        if (m->used[i] < 2 || m->is_settled[i])
            continue;
        for (int32_t v = m->first[i]; v < m->first[i + 1]; v++)
            if (m->blossom.mate[v] >= 0) {
                const overlay_link link = link_of(m, v, &k);
                over += link.most < m->share[link.node] ? link.most : m->share[link.node];
            }
        fullest = over > most ? i : fullest;
        most = over > most ? over : most;
    }
    return fullest;
}

static double bound_of_worth(const matcher *m, double worth)
{
    return worth * 0x1p-32 * m->o->weight_unit / (double)m->o->scale;
}

// Bounds what is left to choose. Where the matching gives a node too much, it keeps one link, or two, ...: of c links none carries more than
// what is left when the others carry their least. Every overlay is in one of these cases (no link is within one link), so the greatest
// of their bounds is one. A case that is no longer worth its time has the bound it has without being divided. Each level settles a node and
// takes a case, so there are at most 400: a node to settle has two vertices, and V vertices have MOST_WORK / V cases.
static mco_status divide(matcher *m, overlay_matching *out, double *bound)
{
    mco_status st = MCO_OK;
    int64_t broken = 0;
    double own = INFINITY, greatest = 0;
    MCO_TRY(match(m, &broken));
    m->cases--;
    if (m->blossom.y == NULL || broken > 0)
        return MCO_OK;
    MCO_TRY(add_up(m, &own));
    MCO_TRY(take_links(m, out));
    *bound = fmin(*bound, own);
    const int32_t i = fullest_node(m), room = i >= 0 ? m->used[i] : 0;
    if (i < 0 || *bound <= bound_of_worth(m, m->worth) || m->cases < room || mco_run_share(m->run) >= MOST_SHARE || mco_run_must_stop(m->run, 0))
        return MCO_OK;
    for (int32_t links = 1; links <= room; links++) {
        double part = *bound;
        m->used[i] = links;
        m->share[i] = m->o->bandwidth[i] - (links - 1) * least_of_node(m->o, i);
        m->is_settled[i] = true;
        MCO_TRY(divide(m, out, &part));
        greatest = fmax(greatest, part);
    }
    open_room(m, i);
    *bound = greatest;
done:
    return st;
}

// A bound by cases, without prices.
static mco_status match_cases(matcher *m, overlay_matching *out)
{
    mco_status st = MCO_OK;
    const int32_t most = MOST_WORK / m->vertices;
    memset(m->cost, 0, (size_t)m->o->nodes * sizeof *m->cost);
    for (int32_t i = 0; i < m->o->nodes; i++)
        open_room(m, i);
    m->cases = most;
    MCO_TRY(divide(m, out, &out->bound));
    mco_log(m->ctx, MCO_LOG_INFO, "bound by matchings, %" PRId32 " cases of how many links nodes keep: %.10g", most - m->cases, out->bound);
done:
    return st;
}

static mco_status open_matcher(matcher *m, const double *price)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = m->o;
    int64_t greatest = 0;
    MCO_TRY(mco_alloc(m->ctx, &m->first, (int64_t)o->nodes + 1));
    MCO_TRY(mco_alloc(m->ctx, &m->cost, o->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->step, o->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->share, o->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->used, o->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->is_settled, o->nodes));
    MCO_TRY(mco_alloc(m->ctx, &m->was_up, o->nodes));
    for (int32_t i = 0; i < o->nodes; i++) {
        const int64_t room = overlay_room_of(o, i);
        m->shares = m->shares || room > 1;
        m->vertices += (int32_t)room;
        m->first[i + 1] = m->vertices;
        open_room(m, i);
        greatest = greatest > o->cap[i] ? greatest : o->cap[i];
    }
    MCO_TRY(mco_alloc(m->ctx, &m->node, m->vertices));
    MCO_TRY(mco_alloc(m->ctx, &m->y, m->vertices));
    while (((greatest << 32) >> m->shift) > MOST_WEIGHT)
        m->shift++;
    for (int32_t i = 0; i < o->nodes; i++)
        for (int32_t v = m->first[i]; v < m->first[i + 1]; v++) {
            m->node[v] = i;
            m->y[v] = (int64_t)fmin(ldexp(price != NULL ? price[i] : (double)o->cap[i] * 0x1p32, 1 - m->shift), (double)(4 * MOST_WEIGHT));
        }
done:
    return st;
}

mco_status overlay_matching_find(mco_context *ctx, mco_run *run, const mco_overlay *o, const uint32_t *dual, const double *price,
                                 overlay_matching *out)
{
    mco_status st = MCO_OK;
    matcher m = {.ctx = ctx, .run = run, .o = o, .dual = dual, .blossom = {.ctx = ctx}};
    int64_t broken = 0;
    *out = (overlay_matching){.bound = INFINITY};
    MCO_TRY(open_matcher(&m, price));
    MCO_TRY(mco_alloc(ctx, &out->price, o->nodes));
    for (int pass = 0; pass < PASSES && !mco_run_must_stop(run, 0) && mco_run_share(run) < MOST_SHARE; pass++) {
        double bound = INFINITY;
        MCO_TRY(match(&m, &broken));
        if (m.blossom.y == NULL || broken > 0)
            break;
        MCO_TRY(add_up(&m, &bound));
        mco_log(ctx, MCO_LOG_INFO, "bound by a matching of %" PRId32 " vertices on %" PRId64 " edges %.10g", m.vertices, m.edges, bound);
        out->bound = fmin(out->bound, bound);
        MCO_TRY(take_links(&m, out));
        if (!m.shares)
            goto done;
        set_costs(&m, pass);
    }
    if (m.blossom.y != NULL && !mco_run_must_stop(run, 0)) {
        settle_shares(&m);
        MCO_TRY(match(&m, &broken));
        MCO_TRY(take_links(&m, out));
        MCO_TRY(match_cases(&m, out));
    }
done:
    overlay_blossom_close(&m.blossom);
    mco_free(ctx, &m.edge);
    mco_free(ctx, &m.y);
    mco_free(ctx, &m.node);
    mco_free(ctx, &m.was_up);
    mco_free(ctx, &m.is_settled);
    mco_free(ctx, &m.used);
    mco_free(ctx, &m.share);
    mco_free(ctx, &m.step);
    mco_free(ctx, &m.cost);
    mco_free(ctx, &m.first);
    return st;
}

void overlay_matching_clear(mco_context *ctx, overlay_matching *m)
{
    mco_free(ctx, &m->from);
    mco_free(ctx, &m->to);
    mco_free(ctx, &m->price);
    m->count = 0;
}
