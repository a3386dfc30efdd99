// SPDX-License-Identifier: MIT
// The shortest closed tour, or a lower bound on it, by branch and bound on 1-trees.
//
// A 1-tree is a spanning tree over all nodes except one, plus two edges of that node. Every tour is a 1-tree.
// Multipliers pi change the length of edge (i, j) to d + pi_i + pi_j, and the length of every tour by the constant
// 2 sum(pi). So the shortest 1-tree minus that constant is a bound for any pi. A subgradient ascent finds good
// multipliers (Held, Karp 1970, 1971). Branch and bound requires and forbids edges at a node whose degree in the 1-tree
// is above two (Volgenant, Jonker 1982). It also fixes all edges whose use, or whose absence, would lift the bound to
// the target.
//
// The search runs in rounds. A round looks only for tours shorter than its target. If it finds none, the target is
// proven as a bound, and the next round has a greater target. So the search needs no good tour at the start, and when
// time runs out the last proven bound remains.
//
// An asymmetric network becomes a symmetric graph with twice the nodes. A tour leaves node i at i and enters it at
// nodes + i; a required edge of length 0 joins the two. All other edges join a node of each kind. The multipliers start
// as the duals of the assignment problem, so the first 1-tree is at least as long as the assignment.
//
// Lengths and multipliers are integers in units of 1/SCALE, so that bounds are exact.
#include "dtspms/bound.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "lagrange/lagrange.h"

enum {
    SCALE = 1 << 10,
    MOST_NODES = 1 << 16,        // of a graph: sums of lengths stay below 2^63
    MOST_TREE_NODES = 1 << 10,   // of a graph with a matrix of its own, which branch and bound needs
    LEVELS_PER_NODE = 4,         // greatest depth of branch and bound; beyond it the search gives up
    ROOT_STEPS = 2000,           // of the first ascent, at most; it ends earlier when its steps have become small
    ROOT_PATIENCE = 30,          // steps without a better bound before they are halved
    NODE_STEPS = 12,
    NODE_PATIENCE = 2
};
// Distances are below 2^30, and below 2^40 times SCALE. Multipliers are held to at most 2^42. So a change of 2^46
// outweighs four multipliers and a distance, and MOST_NODES such changes are 2^62.
static const int64_t FIXED = (int64_t)1 << 46;
static const double MOST_MULTIPLIER = 0x1p42;
static const int64_t NO_TREE = INT64_MAX;
static const lagrange_rules ASCENT = {.factor = 1, .shrink = 0.5, .least_factor = 1e-3, .newest = 0.7, .before = 0.3,
                                      .memory = LAGRANGE_SUBGRADIENT};

typedef struct search {
    mco_context *ctx;
    const int32_t *distance;  // [nodes * nodes]
    int32_t nodes, size;      // nodes of the network; nodes of the graph, as many or twice as many
    bool is_symmetric;
    double stop_s;
    int64_t *wide;      // all arrays of 64 bits below; those of 32 bits are in `narrow`
    int32_t *narrow;
    int64_t *cost;      // [size * size] length, minus FIXED if required, plus FIXED if forbidden; NULL if too large
    int64_t *row;       // [size] a row of it, computed where there is no matrix
    int32_t *start;     // [size + 1] first of each node's edges in `near`; [size] is 0 before the edges are listed
    int32_t *near;      // [size * size] other ends of the edges that are not forbidden
    int64_t *pi;        // [levels * size] best multipliers at each level down to the current node of branch and bound
    int32_t levels;
    // The last 1-tree: a spanning tree over nodes 1..size-1 with root 1, and two edges of node 0
    int32_t *parent;    // [size]
    int64_t *key;       // [size] length of the edge to the parent, with multipliers
    int32_t *rank;      // [size] place of a node in the order in which the tree grew
    int32_t *degree;    // [size]
    int32_t end[2];     // neighbours of node 0
    int64_t end_key[3]; // lengths of the edges to them and of the third shortest edge, with multipliers
    int32_t *rest;      // [size] nodes not yet in the tree
    int64_t *trial;     // [size] multipliers of the ascent
    lagrange ascent;    // multipliers, and their next step
    int64_t *without;   // [size] length of the shortest edge that can replace the edge to the parent
    // Branch and bound
    int32_t *trail;     // [size * size] edges fixed, as indices of cost, the latest last
    int32_t trail_count;
    int32_t *required;  // [size] number of required edges of each node
    int32_t *allowed;   // [size] number of edges that are not forbidden
    int64_t required_count;
    int64_t proven;     // no tour is shorter
    int64_t target;     // the search looks only for shorter tours
    bool has_tour;      // a tour of length `target` has been found
    bool is_stopped;
} search;

static bool is_late(const search *s)
{
    return mco_clock_s() >= s->stop_s || mco_is_cancelled(s->ctx);
}

// ---- 1-trees

// Writes the lengths of the edges of one node of the graph.
static void fill_row(const search *s, int32_t from, int64_t *row)
{
    const int32_t n = s->nodes;
    for (int32_t to = 0; to < s->size; to++) {
        if (to == from || (!s->is_symmetric && (from < n) == (to < n)))
            row[to] = FIXED;
        else if (!s->is_symmetric && from % n == to % n)
            row[to] = -FIXED;
        else
            row[to] = SCALE * (int64_t)s->distance[from < n ? (int64_t)from * n + to % n : (int64_t)to * n + from % n];
    }
}

static const int64_t *row_of(search *s, int32_t node)
{
    if (s->cost != NULL)
        return s->cost + (int64_t)node * s->size;
    fill_row(s, node, s->row);
    return s->row;
}

static void find_edges_of_zero(search *s, const int64_t *pi)
{
    const int64_t *row = row_of(s, 0);
    int32_t third = -1;
    s->end_key[0] = s->end_key[1] = s->end_key[2] = INT64_MAX;
    for (int32_t j = 1; j < s->size; j++) {
        const int64_t key = row[j] + pi[0] + pi[j];
        int32_t *end[3] = {&s->end[0], &s->end[1], &third};
        int32_t at = 3;
        for (; at > 0 && key < s->end_key[at - 1]; at--)
            if (at < 3) {
                s->end_key[at] = s->end_key[at - 1];
                *end[at] = *end[at - 1];
            }
        if (at < 3) {
            s->end_key[at] = key;
            *end[at] = j;
        }
    }
}

// A node joins the tree. Offers its edges to the nodes outside the tree.
static void relax(search *s, const int64_t *pi, int32_t node, int32_t outside)
{
    const bool has_list = s->start[s->size] > 0;
    const int32_t *to = has_list ? s->near + s->start[node] : s->rest;
    const int32_t count = has_list ? s->start[node + 1] - s->start[node] : outside;
    const int64_t *row = row_of(s, node), here = pi[node];
    for (int32_t k = 0; k < count; k++) {
        const int64_t key = row[to[k]] + here + pi[to[k]];
        if (s->rank[to[k]] < 0 && key < s->key[to[k]]) {
            s->key[to[k]] = key;
            s->parent[to[k]] = node;
        }
    }
}

// Finds the shortest 1-tree (Prim 1957). Returns the bound times SCALE; NO_TREE if there is none; INT64_MIN if time is over
// before it is known. The bound is valid for any pi and any fixed edges: a tour that respects them uses every required edge and
// no forbidden one. O(size^2).
static int64_t one_tree(search *s, const int64_t *pi)
{
    enum { LOOK = 1 << 25 };  // edges between two looks at the clock: some hundredths of a second
    int32_t count = 0, node = 1;
    int64_t left = LOOK, sum = FIXED * s->required_count - 2 * (pi[0] + pi[1]);
    for (int32_t j = 2; j < s->size; j++) {
        s->rest[count++] = j;
        s->rank[j] = -1;
        s->key[j] = NO_TREE;
        sum -= 2 * pi[j];
    }
    memset(s->degree, 0, sizeof *s->degree * (size_t)s->size);
    s->rank[0] = s->rank[1] = 0;
    while (count > 0) {
        int64_t least = NO_TREE;
        int32_t nearest = 0;
        left -= s->size;
        if (left <= 0) {
            left = LOOK;
            s->is_stopped |= is_late(s);
            if (s->is_stopped)
                return INT64_MIN;
        }
        relax(s, pi, node, count);
        for (int32_t k = 0; k < count; k++)
            if (s->key[s->rest[k]] < least) {
                least = s->key[s->rest[k]];
                nearest = k;
            }
        if (least == NO_TREE)
            return NO_TREE;
        node = s->rest[nearest];
        s->rest[nearest] = s->rest[--count];
        s->rank[node] = s->size - count;
        s->degree[node]++;
        s->degree[s->parent[node]]++;
        sum += least;
    }
    find_edges_of_zero(s, pi);
    s->degree[0] = 2;
    s->degree[s->end[0]]++;
    s->degree[s->end[1]]++;
    return sum + s->end_key[0] + s->end_key[1];
}

static int64_t within_limits(double multiplier)
{
    return (int64_t)fmax(-MOST_MULTIPLIER, fmin(MOST_MULTIPLIER, multiplier));
}

// Raises the bound by steps along degree - 2 (src/lagrange), smoothed by the step before (Volgenant, Jonker 1982). A step has the
// length that would reach the goal (Polyak 1969). Without a goal (INT64_MAX) steps aim a little above the best bound so
// far. pi [size] is the start; it receives the best multipliers. Returns their bound. Ends at the goal, at a tour, or
// when time is over.
static int64_t ascend(search *s, int64_t *pi, int64_t goal, int32_t steps, int32_t patience)
{
    lagrange *l = &s->ascent;
    int64_t best = INT64_MIN;
    for (int32_t i = 0; i < s->size; i++)
        l->dual[i] = (double)pi[i];
    l->rules.patience = patience;
    lagrange_restart(l);
    for (int32_t step = 0; step < steps; step++) {
        for (int32_t i = 0; i < s->size; i++)
            s->trial[i] = within_limits(l->dual[i]);
        const int64_t bound = one_tree(s, s->trial);
        if (bound == INT64_MIN)
            break;
        for (int32_t i = 0; i < s->size; i++) {
            l->dual[i] = (double)s->trial[i];
            l->subgradient[i] = s->degree[i] - 2;
        }
        lagrange_take(l, (double)bound);
        if (bound > best) {
            best = bound;
            memcpy(pi, s->trial, sizeof *pi * (size_t)s->size);
        }
        s->is_stopped |= is_late(s);
        if (best >= goal || s->is_stopped)
            break;
        const double aim = goal == INT64_MAX ? (double)best + fabs((double)best) / 100 + SCALE : (double)goal;
        if (!lagrange_move(l, aim - (double)bound))
            break;
    }
    return best;
}

// ---- Branch and bound

static bool is_free(int64_t cost)
{
    return cost >= 0 && cost < FIXED;
}

static void change_edge(search *s, int32_t i, int32_t j, bool is_required, int32_t way)
{
    const int64_t change = way * (is_required ? -FIXED : FIXED);
    int32_t *count = is_required ? s->required : s->allowed;
    s->cost[(int64_t)i * s->size + j] += change;
    s->cost[(int64_t)j * s->size + i] += change;
    count[i] += is_required ? way : -way;
    count[j] += is_required ? way : -way;
    s->required_count += is_required ? way : 0;
}

static void mark_edge(search *s, int32_t i, int32_t j, bool is_required)
{
    change_edge(s, i, j, is_required, 1);
    s->trail[s->trail_count++] = i * s->size + j;
}

// If a node has two required edges or only two allowed edges, fixes all its free edges. Returns false if it has more
// than two required or fewer than two allowed edges.
static bool settle_node(search *s, int32_t i)
{
    if (s->required[i] > 2 || s->allowed[i] < 2)
        return false;
    if (s->required[i] < 2 && s->allowed[i] > 2)
        return true;
    const bool is_required = s->required[i] < 2;
    for (int32_t j = 0; j < s->size; j++)
        if (is_free(s->cost[(int64_t)i * s->size + j]))
            mark_edge(s, i, j, is_required);
    return true;
}

// Requires or forbids a free edge and fixes all edges that follow from it, node by node along the trail. Returns false
// at a contradiction.
static bool fix_edge(search *s, int32_t i, int32_t j, bool is_required)
{
    int32_t next = s->trail_count;
    mark_edge(s, i, j, is_required);
    for (; next < s->trail_count; next++)
        if (!settle_node(s, s->trail[next] / s->size) || !settle_node(s, s->trail[next] % s->size))
            return false;
    return true;
}

static void undo(search *s, int32_t trail_count)
{
    while (s->trail_count > trail_count) {
        const int32_t edge = s->trail[--s->trail_count];
        change_edge(s, edge / s->size, edge % s->size, s->cost[edge] < 0, -1);
    }
}

static bool is_in_tree(const search *s, int32_t i, int32_t j)
{
    if (i == 0 || j == 0)
        return i + j == s->end[0] || i + j == s->end[1];
    return (j != 1 && s->parent[j] == i) || (i != 1 && s->parent[i] == j);
}

// Returns the greatest key on the path between two nodes in the tree. An edge of length `key` between them could
// replace any edge of the path; `without` is updated for these edges.
static int64_t longest_on_path(search *s, int32_t i, int32_t j, int64_t key)
{
    int64_t longest = INT64_MIN;
    while (i != j) {
        int32_t *lower = s->rank[i] > s->rank[j] ? &i : &j;
        longest = s->key[*lower] > longest ? s->key[*lower] : longest;
        s->without[*lower] = key < s->without[*lower] ? key : s->without[*lower];
        *lower = s->parent[*lower];
    }
    return longest;
}

// By how much the bound rises, at least, without a free edge of the 1-tree.
static int64_t gain_without(const search *s, int32_t i, int32_t j)
{
    if (i == 0 || j == 0)
        return s->end_key[2] - s->end_key[i + j == s->end[0] ? 0 : 1];
    const int32_t lower = j != 1 && s->parent[j] == i ? j : i;
    return s->without[lower] - s->key[lower];
}

// Forbids each free edge whose use lifts the bound to the goal, and requires each whose absence does. `room` is the
// goal minus the bound of the last 1-tree. Fixing edges does not invalidate earlier conclusions: less freedom means
// longer 1-trees. Returns false at a contradiction.
static bool fix_all(search *s, const int64_t *pi, int64_t room)
{
    for (int32_t i = 1; i < s->size; i++)
        s->without[i] = FIXED;
    for (int32_t i = 0; i < s->size; i++)
        for (int32_t e = s->start[i]; e < s->start[i + 1]; e++) {
            const int32_t j = s->near[e];
            const int64_t cost = s->cost[(int64_t)i * s->size + j];
            if (j < i || cost >= FIXED || is_in_tree(s, i, j))
                continue;
            // An edge required since the 1-tree was built replaces others as if it were free.
            const int64_t key = (is_free(cost) ? cost : cost + FIXED) + pi[i] + pi[j];
            const int64_t removed = i == 0 ? s->end_key[1] : longest_on_path(s, i, j, key);
            if (is_free(cost) && key - removed >= room && !fix_edge(s, i, j, false))
                return false;
        }
    for (int32_t i = 0; i < s->size; i++)
        for (int32_t j = i + 1; j < s->size; j++)
            if (is_free(s->cost[(int64_t)i * s->size + j]) && is_in_tree(s, i, j) && gain_without(s, i, j) >= room &&
                !fix_edge(s, i, j, true))
                return false;
    return true;
}

// A bound times SCALE that excludes all tours shorter than the target.
static int64_t goal_of(const search *s)
{
    return (s->target - 1) * SCALE + 1;
}

static bool is_tour(const search *s)
{
    for (int32_t i = 0; i < s->size; i++)
        if (s->degree[i] != 2)
            return false;
    return true;
}

// Lists the edges that are not forbidden. No 1-tree needs others.
static void list_edges(search *s)
{
    int32_t count = 0;
    for (int32_t i = 0; i < s->size; i++) {
        s->start[i] = count;
        for (int32_t j = 0; j < s->size; j++)
            if (s->cost[(int64_t)i * s->size + j] < FIXED)
                s->near[count++] = j;
    }
    s->start[s->size] = count;
}

// Bounds a node of branch and bound and fixes what edges it can. Returns false if nothing of the node is left to
// explore.
static bool bound_node(search *s, int64_t *pi)
{
    for (;;) {
        list_edges(s);
        ascend(s, pi, goal_of(s), NODE_STEPS, NODE_PATIENCE);
        const int64_t bound = one_tree(s, pi);
        if (bound >= goal_of(s) || s->is_stopped)
            return false;
        if (is_tour(s)) {
            s->target = bound / SCALE;
            s->has_tour = true;
            s->is_stopped = s->target == s->proven;
            return false;
        }
        const int32_t before = s->trail_count;
        if (!fix_all(s, pi, goal_of(s) - bound))
            return false;
        if (s->trail_count == before)
            return true;
    }
}

typedef struct branch {
    int32_t node;
    int32_t to[2];    // free edges of the 1-tree; [1] is -1 where the node has a required edge
    int64_t gain[2];  // of the bound without them
} branch;

// Finds a node with three or more edges in the 1-tree, and its free edges whose absence lifts the bound most.
static branch find_branch(const search *s)
{
    branch best = {.node = -1, .to = {-1, -1}};
    for (int32_t i = 1; i < s->size; i++) {
        branch b = {i, {-1, -1}, {-1, -1}};
        if (s->degree[i] < 3)
            continue;
        for (int32_t j = 0; j < s->size; j++) {
            if (!is_free(s->cost[(int64_t)i * s->size + j]) || !is_in_tree(s, i, j))
                continue;
            const int64_t gain = gain_without(s, i, j);
            const int32_t at = gain > b.gain[0] ? 0 : 1;
            if (gain <= b.gain[at])
                continue;
            if (at == 0) {
                b.to[1] = b.to[0];
                b.gain[1] = b.gain[0];
            }
            b.to[at] = j;
            b.gain[at] = gain;
        }
        if (s->required[i] == 1)
            b.to[1] = -1;
        if (best.node < 0 || b.gain[0] + b.gain[1] > best.gain[0] + best.gain[1])
            best = b;
    }
    return best;
}

// Searches depth first: tours with both edges of the branch, tours with the first edge alone, tours without the first
// edge.
static void explore(search *s, int32_t level)
{
    int64_t *pi = s->pi + (int64_t)level * s->size;
    const int32_t before = s->trail_count;
    if (!bound_node(s, pi)) {
        undo(s, before);
        return;
    }
    const branch b = find_branch(s);
    const int32_t mark = s->trail_count;
    s->is_stopped |= level + 1 == s->levels;
    // A 1-tree without a free edge to branch on uses a forbidden edge, so there is no tour.
    for (int32_t child = b.to[1] < 0 ? 1 : 0; child < 3 && b.to[0] >= 0 && !s->is_stopped; child++) {
        bool is_child_open = fix_edge(s, b.node, b.to[0], child < 2);
        if (is_child_open && child < 2 && b.to[1] >= 0) {
            const int64_t cost = s->cost[(int64_t)b.node * s->size + b.to[1]];
            is_child_open = is_free(cost) ? fix_edge(s, b.node, b.to[1], child == 0) : (cost < 0) == (child == 0);
        }
        if (is_child_open) {
            memcpy(pi + s->size, pi, sizeof *pi * (size_t)s->size);
            explore(s, level + 1);
        }
        undo(s, mark);
    }
    undo(s, before);
}

// Runs rounds with growing targets. A target grows by a thousandth, or by a quarter of what the rounds so far have
// added if that is more. So the number of rounds is logarithmic in the gap.
static void run_rounds(search *s, const int64_t *root)
{
    const int64_t first = s->proven;
    while (!s->has_tour && !s->is_stopped) {
        const int64_t share = s->proven / 1000, grown = (s->proven - first) / 4, step = share > grown ? share : grown;
        s->target = s->proven + (step > 1 ? step : 1);
        memcpy(s->pi, root, sizeof *root * (size_t)s->size);
        explore(s, 0);
        if (!s->is_stopped)
            s->proven = s->target;
    }
}

// Prepares the arrays for 1-trees and the ascent. If the graph is small enough, also the matrix, the lists of edges and
// the counts of fixed edges.
static mco_status search_prepare(search *s)
{
    mco_status st = MCO_OK;
    const int32_t size = s->size;
    const bool has_matrix = size <= MOST_TREE_NODES;
    const int64_t square = has_matrix ? (int64_t)size * size : 0;
    s->levels = has_matrix ? LEVELS_PER_NODE * size : 1;
    MCO_TRY(mco_alloc(s->ctx, &s->wide, (int64_t)(s->levels + 4) * size + square));
    MCO_TRY(mco_alloc(s->ctx, &s->narrow, 7 * (int64_t)size + 1 + 2 * square));
    MCO_TRY(lagrange_open(s->ctx, &ASCENT, size, 0, &s->ascent));
    int64_t *wide = s->wide;
    int32_t *narrow = s->narrow;
    int64_t **const wides[] = {&s->row, &s->key, &s->trial, &s->without, &s->pi};
    int32_t **const narrows[] = {&s->parent,   &s->rank,     &s->degree,  &s->rest,
                                 &s->required, &s->allowed, &s->start};
    for (size_t k = 0; k < sizeof wides / sizeof *wides; k++, wide += size)
        *wides[k] = wide;
    for (size_t k = 0; k < sizeof narrows / sizeof *narrows; k++, narrow += size)
        *narrows[k] = narrow;
    s->required_count = s->is_symmetric ? 0 : s->nodes;
    if (!has_matrix)
        goto done;
    s->cost = s->pi + (int64_t)s->levels * size;
    s->near = s->start + size + 1;
    s->trail = s->near + square;
    for (int32_t i = 0; i < size; i++) {
        int64_t *row = s->cost + (int64_t)i * size;
        fill_row(s, i, row);
        for (int32_t j = 0; j < size; j++) {
            s->required[i] += row[j] == -FIXED;
            s->allowed[i] += row[j] != FIXED;
        }
    }
done:
    return st;
}

mco_status dtspms_bound_tree(mco_context *ctx, const int32_t *distance, int32_t nodes, bool is_symmetric, double stop_s,
                             int64_t *bound, bool *is_optimal)
{
    mco_status st = MCO_OK;
    const int64_t size = is_symmetric ? nodes : 2 * (int64_t)nodes;
    search s = {.ctx = ctx, .distance = distance, .nodes = nodes, .is_symmetric = is_symmetric, .stop_s = stop_s};
    int64_t *root = NULL;  // [2 * nodes] multipliers of the first ascent
    MCO_TRY(mco_alloc(ctx, &root, 2 * (int64_t)nodes));
    *is_optimal = false;
    if (!is_symmetric || size > MOST_NODES)
        MCO_TRY(dtspms_bound_assignment(ctx, distance, nodes, stop_s, root, &s.proven));
    if (size <= MOST_NODES) {
        s.size = (int32_t)size;
        MCO_TRY(search_prepare(&s));
        for (int32_t i = 0; i < nodes; i++) {
            root[i] = within_limits(-SCALE * (double)root[i]);
            root[nodes + i] = within_limits(-SCALE * (double)root[nodes + i]);
        }
        const int64_t value = ascend(&s, root, INT64_MAX, ROOT_STEPS, ROOT_PATIENCE);
        const int64_t ceiling = value > 0 ? (value + SCALE - 1) / SCALE : 0;
        s.proven = ceiling > s.proven ? ceiling : s.proven;
        if (s.cost != NULL)
            run_rounds(&s, root);
    }
    *bound = s.proven;
    *is_optimal = s.has_tour && s.target == s.proven;
done:
    lagrange_close(ctx, &s.ascent);
    mco_free(ctx, &s.narrow);
    mco_free(ctx, &s.wide);
    mco_free(ctx, &root);
    return st;
}
