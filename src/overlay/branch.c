// SPDX-License-Identifier: MIT
// Branch and bound (branch.h). The linear program is a flow of greatest weight between the nodes and copies of them: what goes from i to
// the copy of j and from j to that of i is twice the bandwidth of the link. Shortest augmenting paths with potentials find it (Edmonds,
// Karp 1972), so its value is exact.
#include "overlay/branch.h"

#include <math.h>
#include <string.h>

enum { MOST_DEPTH = 2000 };
static const int64_t MOST_BANDWIDTH = (int64_t)1 << 28;  // of all nodes; sums of weights times flows stay below 2^62
static const int64_t FAR = INT64_MAX / 4;

typedef struct branch_link {
    int32_t end[2];
    int32_t least, most;
    int32_t low, high;  // limits in the present part; low 0, high above it: may be kept or not
    int64_t weight;
} branch_link;

typedef struct brancher {
    mco_context *ctx;
    mco_run *run;
    const mco_overlay *o;
    int32_t nodes;
    branch_link *link;
    int32_t links;
    int32_t *kept;        // [links] bandwidths of the best overlay; all 0: none
    int64_t best;         // its worth
    bool is_better;
    int64_t programs, most_programs;
    double most_share;
    // A program.
    int64_t *weight;      // [nodes * nodes]
    int32_t *room, *flow; // [nodes * nodes]
    int64_t *supply;      // [2 * nodes] what nodes and copies may still carry
    int64_t *potential, *distance;  // [2 * nodes]
    int32_t *before;      // [2 * nodes] on the shortest path; -1: its begin
    bool *is_done;        // [2 * nodes]
} brancher;

// ---- The linear program

// Takes the limits of the part. *fixed: what the lower limits are worth. False: no overlay is in it.
static bool set_up(brancher *b, int64_t *fixed)
{
    const int32_t n = b->nodes;
    *fixed = 0;
    memset(b->flow, 0, (size_t)n * (size_t)n * sizeof *b->flow);
    memset(b->room, 0, (size_t)n * (size_t)n * sizeof *b->room);
    for (int32_t i = 0; i < n; i++) {
        b->supply[i] = b->o->bandwidth[i];
        b->potential[i] = b->potential[n + i] = 0;
    }
    for (int32_t e = 0; e < b->links; e++) {
        const branch_link *l = &b->link[e];
        const int32_t i = l->end[0], j = l->end[1];
        b->room[i * n + j] = b->room[j * n + i] = l->high - l->low;
        b->supply[i] -= l->low;
        b->supply[j] -= l->low;
        *fixed += l->weight * l->low;
        b->potential[n + i] = b->potential[n + i] < -l->weight ? b->potential[n + i] : -l->weight;
        b->potential[n + j] = b->potential[n + j] < -l->weight ? b->potential[n + j] : -l->weight;
    }
    for (int32_t i = 0; i < n; i++) {
        if (b->supply[i] < 0)
            return false;
        b->supply[n + i] = b->supply[i];
    }
    return true;
}

static void relax(brancher *b, int32_t from, int32_t to, int64_t cost)
{
    const int64_t there = b->distance[from] + cost + b->potential[from] - b->potential[to];
    if (there < b->distance[to]) {
        b->distance[to] = there;
        b->before[to] = from;
    }
}

static void relax_all(brancher *b, int32_t v)
{
    const int32_t n = b->nodes;
    for (int32_t u = 0; u < n; u++) {
        const int64_t at = v < n ? (int64_t)v * n + u : (int64_t)u * n + v - n;
        if (v < n && b->flow[at] < b->room[at])
            relax(b, v, n + u, -b->weight[at]);
        if (v >= n && b->flow[at] > 0)
            relax(b, v, u, b->weight[at]);
    }
}

// The copy where the shortest path from any node with supply to any copy with supply ends; -1: no path gains. Lengths are true ones: the
// source has the potential 0, and so has every node with supply, which no path has passed at a positive distance.
static int32_t shortest(brancher *b)
{
    const int32_t n = b->nodes;
    int32_t end = -1;
    int64_t length = 0;
    for (int32_t v = 0; v < 2 * n; v++) {
        b->is_done[v] = false;
        b->before[v] = -1;
        b->distance[v] = v < n && b->supply[v] > 0 ? -b->potential[v] : FAR;
    }
    for (;;) {
        int32_t v = -1;
        for (int32_t u = 0; u < 2 * n; u++)
            if (!b->is_done[u] && b->distance[u] < FAR && (v < 0 || b->distance[u] < b->distance[v]))
                v = u;
        if (v < 0)
            break;
        b->is_done[v] = true;
        if (v >= n && b->supply[v] > 0 && b->distance[v] + b->potential[v] < length) {
            length = b->distance[v] + b->potential[v];
            end = v;
        }
        relax_all(b, v);
    }
    int64_t farthest = 0;
    for (int32_t v = 0; v < 2 * n; v++)
        if (b->is_done[v] && b->distance[v] > farthest)
            farthest = b->distance[v];
    for (int32_t v = 0; v < 2 * n; v++)
        b->potential[v] += b->is_done[v] ? b->distance[v] : farthest;
    return end;
}

static void augment(brancher *b, int32_t end)
{
    const int32_t n = b->nodes;
    int64_t amount = b->supply[end];
    int32_t begin = end;
    for (int32_t v = end; b->before[v] >= 0; v = b->before[v]) {
        const int32_t u = b->before[v];
        const int64_t at = u < n ? (int64_t)u * n + v - n : (int64_t)v * n + u - n;
        const int64_t more = u < n ? b->room[at] - b->flow[at] : b->flow[at];
        amount = more < amount ? more : amount;
        begin = u;
    }
    amount = b->supply[begin] < amount ? b->supply[begin] : amount;
    for (int32_t v = end; b->before[v] >= 0; v = b->before[v]) {
        const int32_t u = b->before[v];
        const int64_t at = u < n ? (int64_t)u * n + v - n : (int64_t)v * n + u - n;
        b->flow[at] += (int32_t)(u < n ? amount : -amount);
    }
    b->supply[begin] -= amount;
    b->supply[end] -= amount;
}

// Solves the program of the part. *bound: no overlay in it is worth more; FAR where the run ended before. False: there is none.
static bool solve(brancher *b, int64_t *bound)
{
    int64_t fixed, doubled = 0;
    int32_t end;
    b->programs++;
    if (!set_up(b, &fixed))
        return false;
    while ((end = shortest(b)) >= 0) {
        if (mco_run_must_stop(b->run, b->programs)) {
            *bound = FAR;
            return true;
        }
        augment(b, end);
    }
    for (int64_t at = 0; at < (int64_t)b->nodes * b->nodes; at++)
        doubled += b->weight[at] * b->flow[at];
    *bound = fixed + doubled / 2;
    return true;
}

// Twice the bandwidth of a link in the program that was solved last.
static int64_t doubled_of(const brancher *b, const branch_link *l)
{
    return 2 * (int64_t)l->low + b->flow[l->end[0] * b->nodes + l->end[1]] + b->flow[l->end[1] * b->nodes + l->end[0]];
}

// ---- Parts

// The link whose bandwidth is the farthest from what it may carry, by weight; -1: the solution is an overlay. *doubled: its bandwidth.
static int32_t find_wrong(const brancher *b, int64_t *doubled)
{
    int32_t wrong = -1;
    double most = 0;
    for (int32_t e = 0; e < b->links; e++) {
        const branch_link *l = &b->link[e];
        const int64_t x = doubled_of(b, l), below = x < 2 * (int64_t)l->least ? 2 * (int64_t)l->least - x : 0;
        const int64_t off = x == 0 ? 0 : below > 0 ? (x < below ? x : below) : x % 2;
        const double score = (double)off * (double)l->weight;
        if (score > most) {
            most = score;
            wrong = e;
            *doubled = x;
        }
    }
    return wrong;
}

static void keep(brancher *b)
{
    int64_t worth = 0;
    for (int32_t e = 0; e < b->links; e++)
        worth += b->link[e].weight * (doubled_of(b, &b->link[e]) / 2);
    if (worth <= b->best)
        return;
    b->best = worth;
    b->is_better = true;
    for (int32_t e = 0; e < b->links; e++)
        b->kept[e] = (int32_t)(doubled_of(b, &b->link[e]) / 2);
}

static bool must_end(const brancher *b)
{
    return b->programs >= b->most_programs || mco_run_must_stop(b->run, b->programs) || mco_run_share(b->run) >= b->most_share;
}

static int64_t explore(brancher *b, int depth);

// The half of a part in which a link has other limits. Returns what its overlays are worth at most.
static int64_t explore_half(brancher *b, int32_t e, int32_t low, int32_t high, int depth)
{
    branch_link *l = &b->link[e];
    const int32_t low_before = l->low, high_before = l->high;
    l->low = low;
    l->high = high;
    const int64_t bound = low <= high ? explore(b, depth + 1) : 0;
    l->low = low_before;
    l->high = high_before;
    return bound;
}

// Searches the present part. Returns what its overlays are worth at most: the best worth known where all were searched or ruled out.
static int64_t explore(brancher *b, int depth)
{
    int64_t bound, x = 0;
    if (!solve(b, &bound) || bound <= b->best)
        return 0;
    if (bound == FAR)
        return bound;
    const int32_t e = find_wrong(b, &x);
    if (e < 0) {
        keep(b);
        return 0;
    }
    if (depth >= MOST_DEPTH || must_end(b))
        return bound;
    const branch_link l = b->link[e];
    const bool is_short = x < 2 * (int64_t)l.least;
    const int32_t under = (int32_t)(x / 2), low = is_short ? l.least : under + 1;
    const int32_t high = is_short || under < l.least ? 0 : under;
    const bool up_first = is_short ? x >= l.least : true;
    int64_t one, two;
    if (up_first) {
        one = explore_half(b, e, low, l.high, depth);
        two = explore_half(b, e, l.low, high, depth);
    } else {
        one = explore_half(b, e, l.low, high, depth);
        two = explore_half(b, e, low, l.high, depth);
    }
    one = one > two ? one : two;
    return one < bound ? one : bound;
}

// ---- Entry

bool overlay_branch_takes(const mco_overlay *o)
{
    int64_t bandwidth = 0;
    for (int32_t i = 0; i < o->nodes && o->nodes <= OVERLAY_BRANCH_NODES; i++)
        bandwidth += o->bandwidth[i];
    return o->nodes <= OVERLAY_BRANCH_NODES && bandwidth <= MOST_BANDWIDTH;
}

static mco_status open_links(brancher *b)
{
    mco_status st = MCO_OK;
    const mco_overlay *o = b->o;
    MCO_TRY(mco_alloc(b->ctx, &b->link, o->links));
    for (int32_t i = 0; i < o->nodes; i++)
        for (int64_t k = 0; k < overlay_row_size(o, i); k++) {
            const overlay_link link = overlay_entry(o, i, k);
            const int32_t least = o->row_least != NULL ? o->row_least[o->first[i] + k] : o->least;
            if (link.node < i || link.weight == 0 || link.most < least || link.most == 0)
                continue;
            b->link[b->links++] = (branch_link){.end = {i, link.node}, .least = least, .most = link.most, .high = link.most,
                                                .weight = link.weight};
            b->weight[i * b->nodes + link.node] = b->weight[link.node * b->nodes + i] = link.weight;
        }
    MCO_TRY(mco_alloc(b->ctx, &b->kept, b->links));
done:
    return st;
}

static mco_status open_brancher(brancher *b)
{
    mco_status st = MCO_OK;
    const int64_t n = b->nodes;
    MCO_TRY(mco_alloc(b->ctx, &b->weight, n * n));
    MCO_TRY(mco_alloc(b->ctx, &b->room, n * n));
    MCO_TRY(mco_alloc(b->ctx, &b->flow, n * n));
    MCO_TRY(mco_alloc(b->ctx, &b->supply, 2 * n));
    MCO_TRY(mco_alloc(b->ctx, &b->potential, 2 * n));
    MCO_TRY(mco_alloc(b->ctx, &b->distance, 2 * n));
    MCO_TRY(mco_alloc(b->ctx, &b->before, 2 * n));
    MCO_TRY(mco_alloc(b->ctx, &b->is_done, 2 * n));
    MCO_TRY(open_links(b));
done:
    return st;
}

static void close_brancher(brancher *b)
{
    mco_free(b->ctx, &b->kept);
    mco_free(b->ctx, &b->link);
    mco_free(b->ctx, &b->is_done);
    mco_free(b->ctx, &b->before);
    mco_free(b->ctx, &b->distance);
    mco_free(b->ctx, &b->potential);
    mco_free(b->ctx, &b->supply);
    mco_free(b->ctx, &b->flow);
    mco_free(b->ctx, &b->room);
    mco_free(b->ctx, &b->weight);
}

static mco_status give(const brancher *b, mco_overlay_solution *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(b->ctx, &out->from, b->links));
    MCO_TRY(mco_alloc(b->ctx, &out->to, b->links));
    MCO_TRY(mco_alloc(b->ctx, &out->bandwidth, b->links));
    for (int32_t e = 0; e < b->links; e++)
        if (b->kept[e] > 0) {
            out->from[out->count] = b->link[e].end[0];
            out->to[out->count] = b->link[e].end[1];
            out->bandwidth[out->count++] = b->kept[e];
        }
done:
    return st;
}

// Weights as they were given may be some units more than the rounded ones, on each unit of bandwidth.
static double bound_of(const mco_overlay *o, int64_t units)
{
    double carried = 0;
    for (int32_t i = 0; i < o->nodes; i++)
        carried += 0.5 * o->bandwidth[i];
    return ((double)units + (o->weight != NULL ? 1 : 3) * carried) * 0x1p-32 * o->weight_unit / (double)o->scale * (1 + 0x1p-49);
}

mco_status overlay_branch(mco_context *ctx, mco_run *run, const mco_overlay *o, int64_t known, int64_t most_programs, double most_share,
                          overlay_branch_result *out)
{
    mco_status st = MCO_OK;
    brancher b = {.ctx = ctx, .run = run, .o = o, .nodes = o->nodes, .best = known, .most_programs = most_programs,
                  .most_share = most_share};
    *out = (overlay_branch_result){.bound = INFINITY};
    MCO_TRY(open_brancher(&b));
    const int64_t left = explore(&b, 0);
    out->bound = left == FAR ? INFINITY : bound_of(o, left > b.best ? left : b.best);
    out->programs = b.programs;
    out->is_better = b.is_better;
    if (b.is_better)
        MCO_TRY(give(&b, &out->solution));
done:
    close_brancher(&b);
    return st;
}
