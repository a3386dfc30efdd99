// SPDX-License-Identifier: MIT
// The inside of queries on cores: what query.c, sweep.c, labels.c, matrix.c, trees.c and routes.c share.
#ifndef MCO_PATHS_HIERARCHY_QUERY_H
#define MCO_PATHS_HIERARCHY_QUERY_H

#include "paths/hierarchy/lanes.h"

// ---- query.c

mco_status paths_climb_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_climb *out);
void paths_climb_close(mco_context *ctx, paths_climb *climb);

struct paths_query {
    const paths_lanes *lanes;
    paths_climb climb;
};

// ---- sweep.c: one tree, and batches of trees

// Rows of the hierarchy in the order of ranks with weights that ends of paths do not pass. Shared by all threads.
typedef struct paths_batches {
    const mco_paths_hierarchy *hierarchy;
    const paths_lanes *lanes;
    int32_t *down;    // [arcs] owned, or NULL: the metric serves
} paths_batches;
mco_status paths_batches_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_batches *out);
void paths_batches_weigh(paths_batches *batches);
void paths_batches_close(mco_context *ctx, paths_batches *batches);

// Scratch of one thread.
typedef struct paths_batch {
    paths_climb climb;
    int32_t *ancestors;  // [height] labels of the way up
    bool *is_begun;      // [vertices]
} paths_batch;
mco_status paths_batch_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, paths_batch *out);
void paths_batch_close(mco_context *ctx, paths_batch *batch);
// Trees of the first `count` lanes, 16, 32 or 64 lanes; label [vertices][lanes] by rank. The other lanes get MCO_PATHS_NONE. False:
// *stop was set.
bool paths_batch_sweep(const paths_batches *batches, paths_batch *batch, int32_t lanes, int32_t count, const int32_t *source_rank,
                       int32_t *label, const atomic_bool *stop);

const paths_lanes *paths_sweep_lanes(const paths_sweep *sweep);
// Takes the metric if it has changed since.
void paths_sweep_refresh(paths_sweep *sweep);
// The labels of one tree inside the sweep, without the copy to the network's order. False: *stop was set; the sweep is then to be closed.
bool paths_sweep_labels(paths_sweep *sweep, int32_t source_rank, const atomic_bool *stop);

// ---- ancestors.c: how many ancestors two vertices share

// Between two vertices in a post-order lies exactly one child of their least common ancestor, and nothing is less deep. So the number of
// common ancestors, a vertex being its own, is the least depth in between: a minimum over a range. Blocks of 16 have minima of
// their prefixes and suffixes, and a table of minima over powers of two of blocks (Bender, Farach-Colton 2000).
typedef struct paths_ancestors {
    const int32_t *depth;
    uint16_t *prefix, *suffix;  // [vertices] least depth from the block's begin to v, from v to the block's end
    uint16_t *table;            // [levels][blocks] least depth in 2^level blocks
    int64_t blocks;
} paths_ancestors;
mco_status paths_ancestors_open(mco_context *ctx, const paths_topology *topology, paths_ancestors *out);
void paths_ancestors_close(mco_context *ctx, paths_ancestors *ancestors);
int32_t paths_ancestors_near(const paths_ancestors *ancestors, int32_t low, int32_t high);

// The number of common ancestors of two ranks.
static inline int32_t paths_common(const paths_ancestors *t, int32_t a, int32_t b)
{
    enum { SHIFT = 4 };
    const int32_t low = a < b ? a : b, high = (a < b ? b : a) - 1;
    const int64_t from = (low >> SHIFT) + 1, to = high >> SHIFT;  // whole blocks from .. to - 1
    if (from > to)
        return paths_ancestors_near(t, low, high);
    int32_t least = t->suffix[low] < t->prefix[high] ? t->suffix[low] : t->prefix[high];
    if (from < to) {
        const int level = 63 - __builtin_clzll((unsigned long long)(to - from));
        const uint16_t *row = t->table + level * t->blocks;
        const int32_t x = row[from], y = row[to - ((int64_t)1 << level)];
        least = x < least ? x : least;
        least = y < least ? y : least;
    }
    return least;
}

// ---- labels.c

// The length of the arc between two vertices that end paths, which no label has; MCO_PATHS_NONE: none, or others.
int32_t paths_between_ends(const mco_paths_hierarchy *hierarchy, int32_t source_rank, int32_t target_rank);
// Distances of many queries, a few of them on their way from memory at a time.
void paths_labels_distances(const paths_labels *labels, int64_t count, const int32_t *source_rank, const int32_t *target_rank,
                            int32_t *distance);

// ---- certificate.c: trees by rank against the arcs of the network

typedef struct paths_certificate {
    const mco_paths_hierarchy *hierarchy;
    const paths_lanes *lanes;
    paths_incoming in;
    int32_t *first, *zero, *end, *tail, *weight, *arc;  // owned
    bool has_zero;
} paths_certificate;
mco_status paths_certificate_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_certificate *out);
void paths_certificate_close(mco_context *ctx, paths_certificate *certificate);
typedef struct paths_evidence {
    uint8_t *is_source;  // [vertices] zero between two calls
    uint64_t *grounded;  // [vertices]
} paths_evidence;
mco_status paths_evidence_open(mco_context *ctx, const paths_certificate *certificate, paths_evidence *out);
void paths_evidence_close(mco_context *ctx, paths_evidence *evidence);
// Tests the first `count` lanes. False: *stop was set. A lane that is neither wrong nor beyond the limit is proven.
bool paths_certify(const paths_certificate *certificate, paths_evidence *evidence, int32_t lanes, int32_t count,
                   const int32_t *source_rank, const int32_t *label, paths_verdict *verdict, const atomic_bool *stop);
// The first tight arcs of positive weight of certified labels, arc [vertices][lanes] by rank; INT32_MAX: none. False: *stop was set.
bool paths_certified_parents(const paths_certificate *certificate, int32_t lanes, int32_t count, const int32_t *source_rank,
                             const int32_t *label, int32_t *arc, const atomic_bool *stop);

// ---- Ranks

// Ranks where paths from a vertex of the network begin, and where paths to it end.
static inline int32_t paths_source_rank(const mco_paths_hierarchy *h, int32_t vertex)
{
    return h->topology.rank[h->entry != NULL ? h->entry[vertex] : vertex];
}

static inline int32_t paths_target_rank(const mco_paths_hierarchy *h, int32_t vertex)
{
    return h->topology.rank[vertex];
}

#endif
