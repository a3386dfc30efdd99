// SPDX-License-Identifier: MIT
#include "cycles/prefix.h"

#include <string.h>

// Degree labelling (Dias et al.): label k goes to a vertex of least degree in the graph without labels 0..k-1, the first one
// by number. degree [n] is used up.
static void label_by_degree(const graph_simple *graph, int32_t *degree, int32_t *label)
{
    const int32_t n = graph->vertices;
    for (int32_t v = 0; v < n; v++) {
        degree[v] = (int32_t)(graph->first[v + 1] - graph->first[v]);
        label[v] = -1;
    }
    for (int32_t k = 0; k < n; k++) {
        int32_t least = -1;
        for (int32_t v = 0; v < n; v++)
            if (label[v] < 0 && (least < 0 || degree[v] < degree[least]))
                least = v;
        label[least] = k;
        for (int64_t a = graph->first[least]; a < graph->first[least + 1]; a++)
            degree[graph->head[a]]--;
    }
}

static void set_add(uint64_t *set, int32_t vertex)
{
    set[vertex >> 6] |= (uint64_t)1 << (vertex & 63);
}

static bool set_has(const uint64_t *set, int32_t vertex)
{
    return (set[vertex >> 6] >> (vertex & 63) & 1) != 0;
}

// Makes the node of root {u, x}. False: no cycle that counts begins there. `later`: vertices of greater label than u.
static bool root_node(const cycles_prefixes *p, const uint64_t *later, int32_t u, int32_t x, uint64_t *node)
{
    const int words = p->row_words;
    const uint64_t *u_row = p->adjacent + (size_t)u * (size_t)words, *x_row = p->adjacent + (size_t)x * (size_t)words;
    uint64_t missing = 0, starts = 0, ends = 0;
    for (int k = 0; k < words; k++) {
        const uint64_t above_x = k < (x >> 6) ? 0 : k > (x >> 6) ? UINT64_MAX : (UINT64_MAX << (x & 63)) << 1;
        const uint64_t start = u_row[k] & later[k] & above_x & ~x_row[k], open = later[k] & ~u_row[k];
        node[k] = start | open;
        starts |= start;
        ends |= open & x_row[k];
        missing |= p->rules.through[k] & ~(node[k] | cycles_set_bit(u, k) | cycles_set_bit(x, k));
    }
    return starts != 0 && ends != 0 && missing == 0;
}

// Of several processes each takes every parts-th root.
static void add_roots(cycles_prefixes *p, const cycles_job *job, const int32_t *label, int64_t room)
{
    const graph_simple *graph = &job->block->graph;
    const int words = p->row_words;
    int64_t found = 0;
    for (int32_t u = 0; u < graph->vertices; u++) {
        uint64_t later[CYCLES_STEP_WORDS] = {0}, node[CYCLES_STEP_WORDS];
        for (int32_t v = 0; v < graph->vertices; v++)
            if (label[v] > label[u])
                set_add(later, v);
        for (int64_t a = graph->first[u]; a < graph->first[u + 1]; a++) {
            const int32_t x = graph->head[a];
            if (!set_has(later, x) || !root_node(p, later, u, x, node))
                continue;
            if (job->parts > 1 && found++ % job->parts != job->part)
                continue;
            const int64_t at = p->roots.count++;
            for (int k = 0; k < words; k++) {
                p->roots.words[k * room + at] = node[k];
                p->roots.words[(words + k) * room + at] = cycles_set_bit(u, k) | cycles_set_bit(x, k);
            }
            p->roots.tags[at] = cycles_tag(u, x, 2);
        }
    }
    for (int k = 1; k < 2 * words; k++)  // the rows of words stand behind each other
        memmove(p->roots.words + k * p->roots.count, p->roots.words + k * room, (size_t)p->roots.count * sizeof(uint64_t));
}

mco_status cycles_prefixes_make(const cycles_job *job, cycles_prefixes *out)
{
    mco_status st = MCO_OK;
    const graph_simple *graph = &job->block->graph;
    const int32_t n = graph->vertices;
    cycles_prefixes p = {.row_words = n <= 64 ? 1 : n <= 128 ? 2 : 4};
    int32_t *label = NULL, *degree = NULL;
    if (job->is_directed)
        return mco_fail(job->ctx, MCO_ERR_ARGUMENT, "the search on a GPU finds undirected cycles, directed ones were asked for");
    if (n > CYCLES_STEP_VERTICES)
        return mco_fail(job->ctx, MCO_ERR_LIMIT, "a block has %d vertices, the search on a GPU takes at most %d", n,
                        (int)CYCLES_STEP_VERTICES);
    MCO_TRY(mco_alloc(job->ctx, &label, n));
    MCO_TRY(mco_alloc(job->ctx, &degree, n));
    MCO_TRY(mco_alloc(job->ctx, &p.adjacent, (int64_t)n * p.row_words));
    MCO_TRY(mco_alloc(job->ctx, &p.roots.words, graph->arcs * p.row_words));  // a root for each edge, two sets each
    MCO_TRY(mco_alloc(job->ctx, &p.roots.tags, graph->arcs / 2));
    for (int32_t v = 0; v < n; v++) {
        const int64_t size = graph->first[v + 1] - graph->first[v];
        p.max_degree = size > p.max_degree ? (int32_t)size : p.max_degree;
        for (int64_t a = graph->first[v]; a < graph->first[v + 1]; a++)
            set_add(p.adjacent + (size_t)v * (size_t)p.row_words, graph->head[a]);
    }
    p.rules.min_length = job->min_length;
    p.rules.max_length = job->max_length;
    p.rules.has_through = job->through_count > 0;
    for (int32_t k = 0; k < job->through_count; k++)
        set_add(p.rules.through, job->through[k]);
    label_by_degree(graph, degree, label);
    add_roots(&p, job, label, graph->arcs / 2);
    *out = p;
done:
    mco_free(job->ctx, &degree);
    mco_free(job->ctx, &label);
    if (st != MCO_OK)
        cycles_prefixes_clear(job->ctx, &p);
    return st;
}

void cycles_prefixes_clear(mco_context *ctx, cycles_prefixes *p)
{
    mco_free(ctx, &p->roots.tags);
    mco_free(ctx, &p->roots.words);
    mco_free(ctx, &p->adjacent);
    *p = (cycles_prefixes){0};
}
