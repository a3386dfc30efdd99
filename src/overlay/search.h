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

enum { OVERLAY_BEAM = 12, OVERLAY_LOOKS = 1024 };  // states of a layer that are looked at further; candidates of a node, at a time

// How a search for a path came to a state: a node that has bandwidth left, or one that needs some (paths.c).
typedef struct overlay_label {
    int64_t search;        // the label is void in any other search
    int64_t score;         // weights of the links that carry more, less those of the links that carry less
    int32_t link, before;  // the last link; the state before; -1 at the start
    int32_t most;          // what the path can move
    int32_t depth;
} overlay_label;

typedef struct overlay_paths {
    mco_context *ctx;
    overlay_label *label;  // [2 * nodes] of a node that has, of one that needs
    int32_t *layer;        // [2 * nodes] states of the present layer
    int32_t in_layer, in_beam;
    int32_t beam[OVERLAY_BEAM + 1];
    int64_t promise[OVERLAY_BEAM + 1];
    int64_t searches;
} overlay_paths;

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
    int64_t moves, looks;
    int64_t seen, most_seen;  // links that chains have looked at; a descent ends at the most; 0: nowhere
    bool is_full;          // no memory for the log: the move is void
    overlay_paths paths;
    mco_rng rng;
} overlay_search;

// Lists the candidates and fills them greedily by reduced weight. With `is_split` no link has a least bandwidth: the search then is
// for a solution of the linear program. overlay_search_close() releases it. Errors: LIMIT, MEMORY. O(links)
mco_status overlay_search_open(mco_context *ctx, mco_run *run, const mco_overlay *o, const overlay_guide *guide, overlay_search *out);
void overlay_search_close(overlay_search *s);
// Fills link, links, first and of (candidates.c). Errors: LIMIT, MEMORY. O(links + candidates log candidates)
mco_status overlay_list_candidates(overlay_search *s);

// Moves bandwidth along chains from node v while that gains. True: it gained. O(depth * sum of the candidates of the ends).
bool overlay_chain(overlay_search *s, int32_t v);
// Drops some links near a random one and repairs; undone if that loses. Errors: MEMORY.
mco_status overlay_shake(overlay_search *s);
// The same near node v.
mco_status overlay_shake_at(overlay_search *s, int32_t v);
// Chains from all nodes, again and again until a pass gains next to nothing, or the run ends. Errors: MEMORY.
mco_status overlay_descend(overlay_search *s);

// ---- Rests that meet (paths.c)

mco_status overlay_paths_open(mco_context *ctx, int32_t nodes, overlay_paths *out);  // Errors: MEMORY.
void overlay_paths_close(overlay_paths *p);
// Moves what node v has left along paths of kept links to nodes that have something left, too. True: it gained.
// O(paths * layers * beam * candidates of a node).
bool overlay_meet(overlay_search *s, int32_t v);
// Adds a link of node v to a node that has something left, and makes room for it by paths. True: it gained.
bool overlay_add_links(overlay_search *s, int32_t v);
// ---- Other starts (starts.c). The overlay before comes back if it is worth as much. Errors: MEMORY. O(links) and the paths

// Links are kept while their ends have any bandwidth left, then carry less, so that many could carry more or less; and rests meet.
mco_status overlay_start_over(overlay_search *s);
// Keeps the links that are given, as far as they are candidates.
mco_status overlay_start_with(overlay_search *s, int64_t count, const int32_t *from, const int32_t *to);

// ---- Candidates of a node. A look at a hub is one at OVERLAY_LOOKS of its candidates, at other ones each time.

typedef struct overlay_look {
    const int32_t *of;
    int64_t count, at, left;
} overlay_look;

static inline overlay_look overlay_look_at(const overlay_search *s, int32_t v)
{
    const int64_t count = s->first[v + 1] - s->first[v];
    if (count <= OVERLAY_LOOKS)
        return (overlay_look){s->of + s->first[v], count, 0, count};
    return (overlay_look){s->of + s->first[v], count, s->looks * OVERLAY_LOOKS % count, OVERLAY_LOOKS};
}

// The next candidate; -1: that was all.
static inline int32_t overlay_next(overlay_look *look)
{
    if (look->left == 0)
        return -1;
    const int32_t e = look->of[look->at++];
    look->at = look->at < look->count ? look->at : 0;
    look->left--;
    return e;
}

// ---- Changes

static inline int32_t overlay_other_end(const overlay_candidate *link, int32_t v)
{
    return link->end[0] == v ? link->end[1] : link->end[0];
}

// Sets the bandwidth of a link; what its ends have left may fall below 0.
void overlay_set_bandwidth(overlay_search *s, int32_t e, int32_t x);
// The same, and writes it down. False: no memory.
bool overlay_change_link(overlay_search *s, int32_t e, int32_t x);
// Undoes all changes behind the first `changes`; the worth before them was `worth`.
void overlay_undo(overlay_search *s, int64_t changes, double worth);

// Makes the changes so far final. Errors: MEMORY (an earlier change was refused).
mco_status overlay_commit(overlay_search *s);

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
