// SPDX-License-Identifier: MIT
// A path x, root, y, ... grows at its last vertex only. A step costs as much as the vertex has neighbours, whatever the size of the
// graph. It goes on only while a vertex is left that can close the cycle. Memory is O(vertices).
#include "cycles/search_lists.h"

enum { LOOK_STEPS = 1 << 16 };

double search_lists_bytes(int32_t n)
{
    return 17.0 * n;
}

mco_status search_lists_make(mco_context *ctx, int32_t n, search_lists *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &out->touched, n));
    MCO_TRY(mco_alloc(ctx, &out->joins, n));
    MCO_TRY(mco_alloc(ctx, &out->arc, n));
    MCO_TRY(mco_alloc(ctx, &out->path, n));
done:
    return st;
}

void search_lists_clear(mco_context *ctx, search_lists *l)
{
    mco_free(ctx, &l->touched);
    mco_free(ctx, &l->joins);
    mco_free(ctx, &l->arc);
    mco_free(ctx, &l->path);
}

static bool step(search_lists *l)
{
    if (++l->steps < LOOK_STEPS)
        return true;
    l->steps = 0;
    return l->look(l->user, 0);
}

static void touch_row(const graph_simple *g, search_lists *l, int32_t root, int32_t v, int32_t by)
{
    l->steps += g->first[v + 1] - g->first[v];
    for (int64_t a = g->first[v]; a < g->first[v + 1]; a++) {
        const int32_t w = g->head[a];
        const bool is_target = l->joins[w] > 0 && w > root;
        l->targets -= is_target && l->touched[w] == 0;
        l->touched[w] += by;
        l->targets += is_target && l->touched[w] == 0;
    }
}

// Adds `by` to the counters of the neighbours of v.
static void touch(const search_block *b, search_lists *l, int32_t root, int32_t v, int32_t by)
{
    touch_row(&b->out, l, root, v, by);
    if (b->job->is_directed)
        touch_row(&b->in, l, root, v, by);
}

// Marks who may follow and precede x in a cycle, or takes the marks back.
static void mark(const search_block *b, search_lists *l, int32_t root, int32_t x, bool is_on)
{
    const graph_simple *before = b->job->is_directed ? &b->in : &b->out;
    l->targets = 0;
    l->steps += before->first[x + 1] - before->first[x];
    for (int64_t a = before->first[x]; a < before->first[x + 1]; a++)
        l->joins[before->head[a]] = is_on;
    for (int64_t a = b->out.first[x]; b->job->is_directed && a < b->out.first[x + 1]; a++)
        l->joins[b->out.head[a]] = is_on ? -1 : 0;
    for (int64_t a = before->first[x]; is_on && a < before->first[x + 1]; a++) {
        const int32_t w = before->head[a];
        l->targets += l->joins[w] > 0 && w > root && l->touched[w] == 0;
    }
}

// Whether the only arc between u and v is (u, v), in an undirected graph the edge.
static bool leads(const search_block *b, int32_t u, int32_t v)
{
    return !b->job->is_directed || !graph_simple_has(&b->out, v, u);
}

// All cycles that begin with x, root, y. `touched` counts the root's neighbours already.
static bool extend(const search_block *b, search_lists *l, int32_t x, int32_t root, int32_t y)
{
    bool goes_on = true;
    int32_t length = 3;
    l->path[0] = x;
    l->path[1] = root;
    l->path[2] = y;
    l->arc[2] = b->out.first[y];
    while (length > 2) {
        const int32_t end = l->path[length - 1];
        if (!goes_on || l->arc[length - 1] == b->out.first[end + 1] || length >= b->job->max_length) {
            if (--length > 2)
                touch(b, l, root, l->path[length - 1], -1);
            continue;
        }
        goes_on = step(l);
        const int32_t v = b->out.head[l->arc[length - 1]++];
        if (v <= root || l->touched[v] > 0 || l->joins[v] < 0 || !leads(b, end, v))
            continue;
        l->path[length] = v;
        if (l->joins[v] > 0) {
            goes_on &= l->look(l->user, length + 1);
            continue;
        }
        touch(b, l, root, end, 1);
        l->nodes++;
        l->arc[length] = b->out.first[v];
        length++;
        if (l->targets == 0) {
            length--;
            touch(b, l, root, end, -1);
        }
    }
    return goes_on;
}

// All cycles in which x comes before the root.
static bool search_before(const search_block *b, search_lists *l, int32_t root, int32_t x)
{
    bool goes_on = true;
    mark(b, l, root, x, true);
    for (int64_t a = b->out.first[root]; a < b->out.first[root + 1] && goes_on; a++) {
        const int32_t y = b->out.head[a];
        goes_on = step(l);
        if (y <= (b->job->is_directed ? root : x) || !leads(b, root, y) || y == x)
            continue;
        l->path[2] = y;
        if (l->joins[y] > 0 && b->job->is_directed) {
            l->path[0] = x;
            l->path[1] = root;
            goes_on &= l->look(l->user, 3);
        }
        if (l->joins[y] == 0 && goes_on)
            goes_on = extend(b, l, x, root, y);
    }
    mark(b, l, root, x, false);
    return goes_on;
}

bool search_lists_root(const search_block *b, search_lists *l, int32_t root)
{
    const graph_simple *before = b->job->is_directed ? &b->in : &b->out;
    bool goes_on = true;
    touch(b, l, root, root, 1);
    for (int64_t a = before->first[root]; a < before->first[root + 1] && goes_on; a++) {
        const int32_t x = before->head[a];
        if (x > root && leads(b, x, root))
            goes_on = search_before(b, l, root, x);
    }
    touch(b, l, root, root, -1);
    return goes_on;
}
