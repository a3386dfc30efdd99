// SPDX-License-Identifier: MIT
// The labels of one direction: forward from the depot, or backward to it. They are made by load, lightest first.
//
// A label is a partial route. Another one of the same last node dominates it if it has at most its load, length and memory, and if its
// value stays below even after the rows in which its state is greater. In elementary mode the label of the cheaper real cost dominates,
// between labels of one set and one end alone, by costs that are not rounded, and so by lengths as well: what replaces a route is a cheaper one of the same customers.
#ifndef MCO_VRP_BOUND_LABELS_GROW_H
#define MCO_VRP_BOUND_LABELS_GROW_H

#include "vrp/bound/labels/completion.h"
#include "vrp/bound/labels/states.h"

// WAITING: too heavy to grow, to be joined. GROWN: what it has grown to is not among the labels yet.
typedef enum vrp_label_status { VRP_LABEL_OPEN, VRP_LABEL_GROWN, VRP_LABEL_DONE, VRP_LABEL_WAITING, VRP_LABEL_DEAD } vrp_label_status;

typedef struct vrp_label_item {
    int64_t cost;      // elementary mode: of the partial route, not rounded (vrp_label_cost)
    int32_t value, load;
    int32_t length;    // with services, that of the last node too
    int32_t node;      // the last one
    int32_t next;      // in its bucket, by value; -1: the last
    int32_t before;    // the label it extends; -1: the depot
    uint32_t memory;   // bits over sets->neighbour of the node; the node itself is in the memory as well
    int32_t status;    // vrp_label_status
    uint64_t words[];  // states [states.words], then in elementary mode the customers visited [set_words]
} vrp_label_item;

enum { VRP_LABEL_CHUNK_BITS = 12 };  // labels are taken from the allocator by so many

typedef struct vrp_label_final {
    int32_t value;
    int32_t head, tail;  // a route: the label `head`, then back along label `tail` of the other direction; -1: then the depot
} vrp_label_final;

// Labels of a node that are settled: no other one dominates them, lighter ones first. Side by side, since each heavier label asks all of them.
typedef struct vrp_side_settled {
    int32_t *value;          // [count]
    uint32_t *memory;
    int32_t *index;
    int64_t count, value_room, memory_room, index_room;
} vrp_side_settled;

// The labels of a bucket, in its order: a new one asks most of them, and few of those are looked at whole.
typedef struct vrp_side_ranked {
    struct vrp_side_entry {
        int32_t value;
        uint32_t memory;     // 0 where memories do not count
        int32_t index;
    } *entry;                // [count]
    int64_t count, room;
} vrp_side_ranked;

typedef struct vrp_side {
    mco_context *ctx;
    const vrp_label_task *task;
    const vrp_states *states;
    vrp_completion completion;
    int32_t most_load;       // labels of a greater load grow no more
    bool drops_heavier;      // and are not even made
    int32_t set_words;       // of a set of nodes
    size_t item_bytes;
    char **chunk;            // [chunk_room] of 2^VRP_LABEL_CHUNK_BITS labels each
    int64_t chunk_room, count;
    int64_t most_labels;
    int32_t *bucket;         // [nodes * buckets] first label by node and load; -1: none
    int64_t buckets, bucket_width;
    vrp_side_ranked *ranked; // [ranked_count] of buckets that have had labels
    int64_t ranked_count, ranked_room;
    int32_t *rank_of;        // [nodes * buckets] 1 + place in `ranked`; 0: none yet. NULL: elementary
    vrp_side_settled *settled;  // [nodes] of the buckets before the one that grows; NULL: elementary
    int32_t *slot;           // elementary mode: [slots] index + 1 by set and end
    int64_t slots;
    uint64_t *seen;          // [set_words] where the label that grows may not go
    vrp_label_item *draft;   // a label before it is taken
    char *made;              // [made_count] of item_bytes each: labels that are to be taken, in the order in which they were made
    int64_t made_count, made_room;  // made_room: bytes
    vrp_label_final *final;  // [final_count] routes below task->below
    int64_t final_count, final_room;
    const struct vrp_tails *tails;  // further completion bounds (vrp/bound/labels/tails.h); NULL: none
    int32_t *arc_value;      // [nodes * stride] least bound of a label that used the arc; NULL: not wanted
    int64_t steps;           // of work since the clock was read
    vrp_labels_end end;
    const mco_context *run;  // tells of a cancellation; `ctx` may be that of a thread
    struct vrp_crew *crew;   // vrp/bound/labels/crew.h; owned; NULL: none yet
} vrp_side;

static inline vrp_label_item *vrp_side_item(const vrp_side *side, int64_t k)
{
    const int64_t in_chunk = k & ((1 << VRP_LABEL_CHUNK_BITS) - 1);
    return (vrp_label_item *)(void *)(side->chunk[k >> VRP_LABEL_CHUNK_BITS] + (size_t)in_chunk * side->item_bytes);
}

// The cost of an arc, not rounded: in units, or in scaled units of mco_vrp where units are coarser.
static inline int64_t vrp_label_cost(const vrp_bound_problem *problem, int32_t from, int32_t to)
{
    return problem->is_exact ? problem->cost[(int64_t)from * problem->stride + to] : vrp_distance(problem->vrp, from, to);
}

static inline uint64_t *vrp_side_visited(const vrp_side *side, vrp_label_item *item)
{
    return item->words + side->states->words;
}

// states: borrowed. Errors: those of vrp_completion_open().
mco_status vrp_side_open(mco_context *ctx, const vrp_label_task *task, const vrp_states *states, bool is_backward, int32_t most_load,
                         vrp_side *out);
void vrp_side_close(vrp_side *side);

// Makes all labels. side->end says how it ended. Errors: MEMORY, LIMIT (values beyond 32 bits).
mco_status vrp_side_grow(vrp_side *side);

// Sets side->seen to the nodes where `item` may not go. O(set_words + neighbours).
void vrp_side_see(vrp_side *side, vrp_label_item *item);
// A lower bound of all routes that begin with `item`, whose seen nodes are in `seen` already (its own node may be among them).
int32_t vrp_side_bound(const vrp_side *side, const vrp_label_item *item, const uint64_t *seen);
// Whether label `from` (NULL: the depot), whose seen nodes are in side->seen, may go to node k and on as one of side->tails does; true without
// tails. O(tails of k).
bool vrp_side_reaches_tail(vrp_side *side, const vrp_label_item *from, int32_t k);
// Counts work; reads the clock now and then. Returns false if the run must end; side->end says why then.
bool vrp_side_goes_on(vrp_side *side, int64_t steps);
// The bits of the neighbours of `node` that are in `seen`.
uint32_t vrp_side_bits(const vrp_ng_sets *sets, int32_t node, const uint64_t *seen);
// How many routes a run may have.
int64_t vrp_side_most_routes(const vrp_side *side);
// Adds a route; too many end the run. Errors: MEMORY.
mco_status vrp_side_finish(vrp_side *side, int64_t value, int32_t head, int32_t tail);

#endif
