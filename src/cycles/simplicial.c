// SPDX-License-Identifier: MIT
// Every vertex keeps a witness: the first two of its neighbours, in the order of pairs, that are not joined. Pairs before the
// witness are joined or gone, so they are never tested again. The search for a witness goes on when one of the two is removed.
// Without a witness the vertex is simplicial. When it goes, each neighbour with as many neighbours as it has the same ones, and
// is simplicial without a test.
#include "cycles/simplicial.h"

enum { STEPS_PER_LOOK = 1 << 18 };  // between two looks at the clock

typedef struct strip {
    mco_run *run;       // NULL: no clock
    const graph_simple *graph;
    int64_t *budget;
    bool *is_left;      // [n]
    bool *is_waiting;   // [n] on the stack
    int32_t *degree;    // [n] neighbours that are left
    int32_t *one, *two; // [n] the witness: places in the row; `one` at the end of the row: none
    int32_t *stack;     // [n] vertices to test
    int32_t stacked, left;
} strip;

static int32_t row_length(const strip *s, int32_t v)
{
    return (int32_t)(s->graph->first[v + 1] - s->graph->first[v]);
}

// Takes a step from the budget. False: none is left.
static bool spend(strip *s)
{
    if (--*s->budget % STEPS_PER_LOOK == 0 && s->run != NULL && mco_run_must_stop(s->run, 0))
        *s->budget = 0;
    return *s->budget > 0;
}

// Moves on to the next pair that is left and not joined. False: there is none.
static bool find_witness(strip *s, int32_t v)
{
    const int32_t *row = s->graph->head + s->graph->first[v];
    const int32_t length = row_length(s, v);
    for (; s->one[v] < length; s->one[v]++, s->two[v] = s->one[v] + 1) {
        const int32_t u = row[s->one[v]];
        if (!s->is_left[u])
            continue;
        for (; s->two[v] < length; s->two[v]++)
            if (s->is_left[row[s->two[v]]] && (!spend(s) || !graph_simple_has(s->graph, u, row[s->two[v]])))
                return true;
    }
    return false;
}

static void wait(strip *s, int32_t v)
{
    if (s->is_waiting[v])
        return;
    s->is_waiting[v] = true;
    s->stack[s->stacked++] = v;
}

static void remove_vertex(strip *s, int32_t v)
{
    s->is_left[v] = false;
    s->left--;
    for (int64_t a = s->graph->first[v]; a < s->graph->first[v + 1]; a++) {
        const int32_t u = s->graph->head[a], *row = s->graph->head + s->graph->first[u];
        const int32_t length = row_length(s, u);
        if (!s->is_left[u])
            continue;
        if (s->degree[u]-- == s->degree[v])
            s->one[u] = length;
        if (s->one[u] == length || row[s->one[u]] == v || (s->two[u] < length && row[s->two[u]] == v))
            wait(s, u);
    }
}

static void strip_all(strip *s)
{
    for (int32_t root = 0; root < s->graph->vertices; root++) {
        if (s->is_left[root])
            wait(s, root);
        while (s->stacked > 0 && *s->budget > 0) {
            const int32_t v = s->stack[--s->stacked];
            s->is_waiting[v] = false;
            if (s->is_left[v] && !find_witness(s, v))
                remove_vertex(s, v);
        }
    }
}

mco_status cycles_strip_simplicial(mco_context *ctx, mco_run *run, const graph_simple *graph, int64_t *budget, bool **is_left,
                                   int32_t *left)
{
    mco_status st = MCO_OK;
    const int32_t n = graph->vertices;
    strip s = {.run = run, .graph = graph, .budget = budget, .left = n};
    MCO_TRY(mco_alloc(ctx, &s.is_left, n));
    MCO_TRY(mco_alloc(ctx, &s.is_waiting, n));
    MCO_TRY(mco_alloc(ctx, &s.degree, n));
    MCO_TRY(mco_alloc(ctx, &s.one, n));
    MCO_TRY(mco_alloc(ctx, &s.two, n));
    MCO_TRY(mco_alloc(ctx, &s.stack, n));
    for (int32_t v = 0; v < n; v++) {
        s.is_left[v] = true;
        s.degree[v] = row_length(&s, v);
        s.two[v] = 1;
    }
    strip_all(&s);
    *is_left = s.is_left;
    s.is_left = NULL;
    *left = s.left;
done:
    mco_free(ctx, &s.is_left);
    mco_free(ctx, &s.is_waiting);
    mco_free(ctx, &s.degree);
    mco_free(ctx, &s.one);
    mco_free(ctx, &s.two);
    mco_free(ctx, &s.stack);
    return st;
}
