// SPDX-License-Identifier: MIT
// Where a search on sets of bits begins (cycles/step.h): the neighbours of all vertices as rows of bits, the rules of the
// job, and one node for each root, an edge {u, x} with u before x by degree labelling.
#ifndef MCO_CYCLES_PREFIX_H
#define MCO_CYCLES_PREFIX_H

#include "cycles/block.h"
#include "cycles/step.h"

// Nodes, word by word: word w of node i is words[w * count + i]. Words [0, row_words) of a node are its open set; the words
// [row_words, 2 * row_words) behind them are the path.
typedef struct cycles_nodes {
    int64_t count;
    uint64_t *words;  // [2 * row_words * count]
    uint32_t *tags;   // [count]
} cycles_nodes;

typedef struct cycles_prefixes {
    int32_t row_words;     // (vertices + 63) / 64, but a power of two: 1, 2 or 4
    int32_t max_degree;
    uint64_t *adjacent;    // [vertices * row_words]
    cycles_rules rules;
    cycles_nodes roots;
} cycles_prefixes;

// Errors: LIMIT (more than CYCLES_STEP_VERTICES vertices), ARGUMENT (directed cycles), MEMORY. O(vertices^2 + edges).
mco_status cycles_prefixes_make(const cycles_job *job, cycles_prefixes *out);
void cycles_prefixes_clear(mco_context *ctx, cycles_prefixes *prefixes);

#endif
