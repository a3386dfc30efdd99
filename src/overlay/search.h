// SPDX-License-Identifier: MIT
// The search for an overlay: links that are worth a look, bandwidths on them, and moves along chains of links.
#ifndef MCO_OVERLAY_SEARCH_H
#define MCO_OVERLAY_SEARCH_H

#include "base/rng.h"
#include "base/run.h"
#include "overlay/instance.h"

// A link that is worth a look.
typedef struct overlay_candidate {
    int32_t end[2];
    int32_t least, most;  // of a link that is kept
    uint32_t weight;
    int64_t reduced;      // weight less both duals
} overlay_candidate;

// A bandwidth before a change, to undo it.
typedef struct overlay_change {
    int32_t link;
    int32_t before;
} overlay_change;

// What guides a search.
typedef struct overlay_guide {
    const uint32_t *dual;  // [nodes]
    const double *price;   // [nodes] of one more link, in units of weight times bandwidth; NULL: the duals, prices of bandwidth, guide
    bool is_split;         // links may carry any bandwidth up to their most
    uint64_t seed;
} overlay_guide;

typedef struct overlay_search {
    mco_context *ctx;
    mco_run *run;
    const mco_overlay *o;
    overlay_guide guide;
    overlay_candidate *link;
    int64_t links, room;
    int64_t *first;        // [nodes + 1] into `of`
    int32_t *of;           // candidates of each node, by falling reduced weight
    int32_t *x;            // [links] bandwidth; 0: the link is not kept
    int64_t *rest;         // [nodes] bandwidth that is left
    double worth;          // in units of weight times bandwidth
    overlay_change *log;   // changes since the last commit
    int64_t changes, log_room;
    int64_t moves;
    int64_t looks, most_looks;  // at links beside those of a chain; a descent ends there; 0: nowhere
    bool is_full;          // no memory for the log: the move is void
    mco_rng rng;
} overlay_search;

// Lists the candidates and fills them greedily by reduced weight. With `is_split` no link has a least bandwidth: the search then is
// for a solution of the linear program. overlay_search_close() releases it. Errors: LIMIT, MEMORY. O(links)
mco_status overlay_search_open(mco_context *ctx, mco_run *run, const mco_overlay *o, const overlay_guide *guide, overlay_search *out);
void overlay_search_close(overlay_search *s);

// Moves bandwidth along chains from node v while that gains. True: it gained. O(depth * sum of the candidates of the ends).
bool overlay_chain(overlay_search *s, int32_t v);
// Drops some links near a random one and repairs; undone if that loses. Errors: MEMORY.
mco_status overlay_shake(overlay_search *s);
// Chains from all nodes, again and again until a pass gains next to nothing, or the run ends. Errors: MEMORY.
mco_status overlay_descend(overlay_search *s);

// Sets the bandwidth of candidate e, and what follows from it. No log.
void overlay_search_set(overlay_search *s, int32_t e, int32_t x);
// Lists the links of node v that are worth a look, *out [*count], which the caller releases. Errors: MEMORY. O(row)
mco_status overlay_search_look(const overlay_search *s, int32_t v, overlay_candidate **out, int64_t *count);

// ---- Nodes that come and go, in a search that stays open (renew.c). The instance may have more nodes since then; `nodes` is their number before.

// A node leaves: none of its links is a candidate any more. O(candidates of the node)
void overlay_search_leave(overlay_search *s, int32_t v);
// Adds the candidates of nodes that joined or have new links, `joined` [count]. The caller sets their `rest`. Errors: LIMIT, MEMORY.
// O(rows of these nodes, and all candidates)
mco_status overlay_search_join(overlay_search *s, int32_t nodes, const int32_t *joined, int64_t count);
// Takes over the overlay of an older search of the same instance, which knows all nodes. Errors: MEMORY. O(candidates)
mco_status overlay_search_take(overlay_search *s, const overlay_search *old);
// Chains from nodes that have bandwidth left, `touched` [count], in a few passes. Errors: MEMORY.
mco_status overlay_search_mend(overlay_search *s, const int32_t *touched, int64_t count);

// The links that are kept, by ends. Errors: MEMORY.
mco_status overlay_give(const overlay_search *s, mco_overlay_solution *out);

#endif
