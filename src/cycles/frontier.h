// SPDX-License-Identifier: MIT
// The inside of the frontier method. The vertices are decided one after another: taken or not. The frontier is the set of decided
// vertices with neighbours that are still to be decided. What was taken induces paths, and no more matters of it than this: for
// each vertex of the frontier, whether it was not taken, is inside a path, or is an end of a path, and then which vertex is its
// other end. That is a state. A cycle closes where a vertex joins both ends of the last path. A path whose end leaves the frontier
// can never be closed: its state is dead.
//
// A state is a key with a field for each slot of the frontier: 0 for a vertex that was not taken, all ones for an inner vertex,
// else 1 + the slot of the other end; a path of one vertex is its own other end. Slots are reused.
#ifndef MCO_CYCLES_FRONTIER_H
#define MCO_CYCLES_FRONTIER_H

#include "base/simd.h"
#include "cycles/block.h"

// ---- The plan: in which order, in which slots

enum { FRONTIER_MOST_SLOTS = 72 };

// A neighbour of the step's vertex that was decided before.
typedef struct frontier_near {
    int32_t vertex, slot;
    int32_t later;        // its neighbours that come after this step; 0: it leaves the frontier now
    uint64_t friends[2];  // bit j: the vertex is adjacent to entry j of the step; only where the step has_adjacent
} frontier_near;

// The decision about one vertex.
typedef struct frontier_step {
    int32_t vertex;
    int32_t slot;         // where it is put, perhaps in place of one that leaves now; -1: it leaves at once
    int32_t later;        // its neighbours that come after
    bool is_needed;       // it must be taken
    bool is_early;        // one that must be taken comes later, so that no cycle may close
    bool has_adjacent;    // two of `near` are adjacent
    int32_t near_count;
    int64_t near;         // the first of them in the plan's array
} frontier_step;

// Where a state leads: the number of a state of the next layer, or one of these.
enum { FRONTIER_DEAD = -1, FRONTIER_CLOSED = -2 };
typedef struct frontier_child {
    int32_t skip, take;
} frontier_child;

// The states before a step. Layer 0 has one state.
typedef struct frontier_layer {
    int64_t states;
    frontier_child *child;  // [states]; NULL: not kept
} frontier_layer;

struct cycles_frontier {
    int32_t vertices, width;
    double cost;             // estimated states
    int32_t *order;          // [vertices]
    frontier_step *step;     // [vertices]
    frontier_near *near;     // [edges]
    frontier_layer *layer;   // [vertices + 1] after the states were made
    int64_t states, most_states;  // of all layers; of the largest
    bool is_kept;            // the layers have children
    int64_t bytes;           // of the layers
    int8_t forced_words;     // tests: words of a key at least; 0: as few as fit
};

// Chooses an order [vertices] of small frontiers; the best so far, or the natural one, where the run must stop.
// Errors: MEMORY. O((vertices + edges) * a few orders), and more where the estimate is large.
mco_status frontier_order(mco_context *ctx, mco_run *run, const graph_simple *graph, int32_t *order, int32_t *width, double *cost);
// The estimate of the states along `order`; *width: the most vertices of a frontier. later: [vertices] scratch. O(vertices +
// edges).
double frontier_cost(const graph_simple *graph, const int32_t *order, int32_t *later, int32_t *width);
// A frontier along a given order. Errors: MEMORY.
mco_status frontier_make(cycles_job *job, const int32_t *order, cycles_frontier **out);

// Makes the layers, with children. Errors: LIMIT, MEMORY; STOPPED if the run must stop.
mco_status frontier_keep_layers(cycles_job *job, cycles_frontier *frontier);
void frontier_drop_layers(mco_context *ctx, cycles_frontier *frontier);

// Counts the cycles from the kept layers, by length where the job wants that or has limits of length, exactly; adds them to the
// tally. Errors: LIMIT, MEMORY; STOPPED with nothing tallied.
mco_status frontier_count_back(cycles_job *job, cycles_frontier *frontier);

// cycles_frontier_factors(), but STOPPED if the run must stop.
mco_status frontier_factors(cycles_job *job, cycles_frontier *frontier, cycles_factors *out);

// Gives the products to the job's sink and tallies what was given. OK too where the run must stop. Errors: MEMORY.
mco_status frontier_emit(cycles_job *job, const cycles_factors *factors);

// ---- The inner loops, a build for each vector unit (frontier_lanes.c)

// An entry of the hash table. It holds a state of the layer being made if its id is at least the layer's first id.
typedef struct frontier_entry {
    uint64_t tag;  // the key, or its hash if the key has several words
    uint64_t id;
} frontier_entry;

// One step for the states of a layer.
typedef struct frontier_expansion {
    const frontier_step *step;
    const frontier_near *near;       // [step->near_count]
    const uint64_t *key;             // [states * words]
    const uint64_t *count;           // [states] ways to each state; NULL: children are kept instead
    frontier_child *child;           // [states] or NULL
    uint64_t *next_key;              // room for two states for each that is expanded, and one
    uint64_t *next_count;            // the same room, or NULL
    int64_t next_states;
    frontier_entry *table;           // a power of two of entries
    uint64_t table_mask;
    uint64_t first_id;               // of the layer being made
    uint64_t closed;                 // cycles, if `count` is there
    uint64_t overflow;               // not 0: a count has left 64 bits
} frontier_expansion;

// Expands the states from..to-1.
typedef void frontier_expand(frontier_expansion *expansion, int64_t from, int64_t to);

// Completions of the states of a layer by length: the sums of those of their children. Row s + FRONTIER_ROWS has the completions
// of state s; the rows before are those of FRONTIER_CLOSED and FRONTIER_DEAD. Entry k of a row counts completions by k vertices;
// if all cycles are even, by 2k or 2k + 1 vertices: the parity of a row says which. Rows end with a zero, and one is before row 0.
enum { FRONTIER_ROWS = 2, FRONTIER_PITCH = 8 };     // a pitch is a multiple of the latter
enum { FRONTIER_EVEN, FRONTIER_ODD, FRONTIER_NONE };  // parity of a row; NONE: no completion is left
typedef struct frontier_sums {
    uint64_t *rows;   // [(states + FRONTIER_ROWS) * pitch]
    uint8_t *parity;  // [states + FRONTIER_ROWS]
    int64_t pitch;
} frontier_sums;
typedef struct frontier_addition {
    const frontier_child *child;  // [states]
    int64_t states;
    frontier_sums next, sums;     // of the next layer; of this one
    bool is_even;
    int64_t longest;              // last entry that may be used
    uint64_t in_longest;          // all entries of that place, or'ed
    uint64_t seen;                // all entries, or'ed: a number beyond 2^63 shows here before it can overflow
} frontier_addition;

enum { FRONTIER_KEYS = 4 };  // kinds of keys
// Words and slots of each kind of keys.
static const int8_t frontier_words[FRONTIER_KEYS] = {1, 2, 4, 8};
static const int8_t frontier_slots[FRONTIER_KEYS] = {14, 24, 40, 72};

typedef struct frontier_lanes {
    mco_build build;
    frontier_expand *expand[FRONTIER_KEYS];
    // Puts the states first..states-1 of next_key into an empty table, as before.
    frontier_expand *rehash[FRONTIER_KEYS];
    void (*add)(frontier_addition *addition);
    // Writes row | rows[k] for k < count to `out`; all have `words` words.
    void (*multiply)(const uint64_t *row, const uint64_t *rows, int64_t count, int32_t words, uint64_t *out);
} frontier_lanes;

// The loops of this processor's widest vector unit. Errors: none but ARGUMENT, which cannot be.
mco_status frontier_choose_lanes(mco_context *ctx, const frontier_lanes **out);

#endif
