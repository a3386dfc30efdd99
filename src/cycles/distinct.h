// SPDX-License-Identifier: MIT
// Whether many sets of vertices are all different, by hashes of 128 bits: a hash table, and beyond its memory sorted runs in a
// temporary file that are merged at the end.
#ifndef MCO_CYCLES_DISTINCT_H
#define MCO_CYCLES_DISTINCT_H

#include <stdio.h>

#include "base/context.h"

// A sum over the vertices of the set, so that their order does not matter. Two different sets have equal hashes with a
// probability of 2^-128.
typedef struct cycles_hash {
    uint64_t low, high;
} cycles_hash;

cycles_hash cycles_hash_vertex(int32_t vertex);
static inline void cycles_hash_add(cycles_hash *sum, int32_t vertex)
{
    const cycles_hash h = cycles_hash_vertex(vertex);
    sum->low += h.low;
    sum->high += h.high;
}

typedef struct cycles_record {
    cycles_hash hash;
    int64_t number;  // of the set, from 1; 0: an empty slot
} cycles_record;

typedef struct cycles_distinct {
    mco_context *ctx;
    double memory_bytes;
    cycles_record *slots;  // [room] open addressing
    int64_t room, used;
    FILE *file;            // runs one after the other; NULL: none yet
    int64_t *runs;         // [run_count] records of each
    int64_t run_count, run_room;
} cycles_distinct;

// Adds a set. *same: the number of an equal set among those in memory, else 0. Errors: IO, MEMORY.
mco_status cycles_distinct_add(cycles_distinct *distinct, cycles_hash hash, int64_t number, int64_t *same);
// Looks for equal sets among all. pair[0] < pair[1] are the numbers of two, or both are 0. Errors: IO, MEMORY.
mco_status cycles_distinct_end(cycles_distinct *distinct, int64_t pair[2]);
void cycles_distinct_clear(cycles_distinct *distinct);

#endif
