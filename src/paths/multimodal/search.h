// SPDX-License-Identifier: MIT
// The search on cores: all states of a vertex in one vector, vertices in buckets of time. Labels may improve again within a
// bucket (label-correcting); a bucket is left when it is empty, so labels of earlier buckets are final.
//
// A vertex has a record of one or two cache lines: its labels, which of them changed since its arcs were last walked, and the
// bucket that it stands in. Entries of buckets may be stale. A pool of chunks holds them; when it runs out, the queue is made
// anew from the records. So the memory is known beforehand, and workers never allocate.
#ifndef MCO_PATHS_MULTIMODAL_SEARCH_H
#define MCO_PATHS_MULTIMODAL_SEARCH_H

#include <stdatomic.h>

#include "base/simd.h"
#include "paths/multimodal/multimodal.h"

enum { MM_CHUNK = 63, MM_WIDTHS = 4 };  // entries of a chunk; builds for 4, 8, 16, 32 states

// Bytes of a record: labels and 20 bytes, in whole cache lines and whole rows.
#define MM_RECORD_BYTES(width) ((width) <= 8 ? 64 : 8 * (width))

typedef struct mm_chunk {
    int32_t next;             // the following chunk of the bucket; -1: none
    int32_t vertex[MM_CHUNK];
} mm_chunk;

typedef struct mm_bucket {
    int32_t first, last;      // chunks; -1: the bucket is empty
    int32_t count;            // entries in the last chunk
} mm_bucket;

// Where the states of a vector go by a label: `way` permutations; lane q receives from lane from[w][q] if bit q of into[w] is set.
typedef struct mm_moves {
    uint32_t leaving;                            // states that have a move
    int32_t ways;
    bool is_identity[MCO_MULTIMODAL_MAX_STATES];
    uint32_t into[MCO_MULTIMODAL_MAX_STATES];
    int32_t from[MCO_MULTIMODAL_MAX_STATES][MCO_MULTIMODAL_MAX_STATES];
} mm_moves;

// The most seconds of an arc, its wait included, in any state. Errors: LIMIT.
mco_status mm_longest_arc(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, int32_t *out);

typedef struct mm_search {
    const mco_multimodal *network;
    const mco_automaton *automaton;
    const mm_moves *moves;     // [labels] owned
    const float *inverse;      // [functions] 1 / width; owned
    int32_t width;             // lanes: states rounded up to 4, 8, 16 or 32
    size_t record_bytes;
    char *memory;              // owned; the records stand in it, aligned
    char *records;             // [vertices]
    int32_t delta;             // seconds of a bucket
    int32_t buckets;           // a power of two; the ring
    mm_bucket *bucket;         // [buckets]
    mm_chunk *chunk;           // [chunks]
    int32_t chunks, free, left;  // the list of free chunks, and how many it has
    int32_t reserve;           // chunks that one vertex may take
    int32_t longest;           // most seconds of an arc, its wait included
    int64_t entries;           // in all buckets, stale ones included
    int64_t visits, relaxed;   // counted
    // How it ends.
    const atomic_bool *is_stopped;  // looked at every 63 vertices, and every 16384 arcs of a vertex
    bool is_over;              // an arrival of MCO_MULTIMODAL_NONE or more
    bool is_wrong;             // labels fail their certificate
} mm_search;

// Fills the labels of a query; false: stopped, or is_over.
typedef bool mm_search_function(mm_search *search, const mco_multimodal_query *query);

typedef struct mm_search_build {
    mco_build build;
    mm_search_function *run[MM_WIDTHS];
    // Certifies the labels that run() left; false: stopped, or is_wrong. Without a target all labels count, else those up to the arrival.
    // The start has its departure; no arc from a label before the end arrives before the label of its head and before the end; tight arcs
    // that take time, or take none from a label that is held, hold every label up to the end. Costs do not let later overtake earlier, so
    // the labels are earliest arrivals. One pass over the arcs, and more where arcs take no time. Arrivals are computed by mm_cost().
    mm_search_function *certify[MM_WIDTHS];
} mm_search_build;

// Opens a search; one thread uses it. Errors: LIMIT (memory: `bytes` are allowed), MEMORY.
mco_status mm_search_open(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, double bytes,
                          mm_search *out);
// Bytes of a search, beside the network. Errors: LIMIT (an arc takes too long, more chunks than can be counted).
mco_status mm_search_bytes(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, double *bytes);
void mm_search_close(mco_context *ctx, mm_search *search);
// The build for a vector unit. Errors: ARGUMENT.
mco_status mm_search_pick(mco_context *ctx, mco_simd simd, const mm_search_build **out);
static inline mm_search_function *mm_search_of(const mm_search_build *build, const mm_search *search)
{
    return build->run[search->width == 4 ? 0 : search->width == 8 ? 1 : search->width == 16 ? 2 : 3];
}

static inline mm_search_function *mm_certify_of(const mm_search_build *build, const mm_search *search)
{
    return build->certify[search->width == 4 ? 0 : search->width == 8 ? 1 : search->width == 16 ? 2 : 3];
}

// Labels are at the begin of a record.
static inline int32_t *mm_labels(const mm_search *search, int32_t vertex)
{
    return (int32_t *)(void *)(search->records + (size_t)vertex * search->record_bytes);
}

#endif
