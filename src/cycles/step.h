// SPDX-License-Identifier: MIT
// One step of the search for chordless cycles, on sets of vertices as bits. Host and device share it.
//
// A walk is a chordless path with two ends, the head and the tail. `open` holds the vertices that may come later: none is
// adjacent to the path, except perhaps to the tail. `next` holds the vertices that may follow the head and are still to be
// tried. A step tries one of them: vertices that are adjacent to it and to the tail close a cycle each. The longer path goes
// on if both ends can grow. The end with fewer ways to grow becomes the head, so forced vertices come first. That halves the
// steps of a search that grows one end only (grid of 7x10: 36 million instead of 86 million).
//
// Every chordless cycle is found once. Its root is its vertex u of least label, with the neighbour x of less number as tail.
// From there a cycle contains exactly one of the vertices tried at the head, or exactly one of those that close.
//
// Between steps a walk is a node: the set open | next, and head, tail and length in one word (the tag). Sets have `words`
// words, at most CYCLES_STEP_WORDS; only these words are touched.
#ifndef MCO_CYCLES_STEP_H
#define MCO_CYCLES_STEP_H

#include "base/rng.h"

enum { CYCLES_STEP_WORDS = 4, CYCLES_STEP_VERTICES = 64 * CYCLES_STEP_WORDS };

#ifdef __CUDA_ARCH__
#define CYCLES_UNROLL _Pragma("unroll")
#else
#define CYCLES_UNROLL
#endif

// Which cycles count.
typedef struct cycles_rules {
    uint64_t through[CYCLES_STEP_WORDS];  // vertices that every cycle holds
    bool has_through;
    int32_t min_length, max_length;
} cycles_rules;

typedef struct cycles_walk {
    uint64_t open[CYCLES_STEP_WORDS], next[CYCLES_STEP_WORDS];
    uint64_t rim[CYCLES_STEP_WORDS];  // neighbours of the tail
    int32_t head, tail, length;       // length: vertices of the path
} cycles_walk;

// ---- Sets

static inline MCO_HD int32_t cycles_bits(uint64_t word)
{
#ifdef __CUDA_ARCH__
    return __popcll((long long)word);
#else
    return (int32_t)__builtin_popcountll(word);
#endif
}

static inline MCO_HD int32_t cycles_set_size(const uint64_t *set, int words)
{
    int32_t size = 0;
    CYCLES_UNROLL
    for (int k = 0; k < words; k++)
        size += cycles_bits(set[k]);
    return size;
}

static inline MCO_HD bool cycles_set_any(const uint64_t *set, int words)
{
    uint64_t all = 0;
    CYCLES_UNROLL
    for (int k = 0; k < words; k++)
        all |= set[k];
    return all != 0;
}

// The bits of word k that stand for this vertex.
static inline MCO_HD uint64_t cycles_set_bit(int32_t vertex, int k)
{
    return (vertex >> 6) == k ? (uint64_t)1 << (vertex & 63) : 0;
}

// Takes the least vertex out of a set that is not empty.
static inline MCO_HD int32_t cycles_set_take(uint64_t *set, int words)
{
    uint64_t word = 0;
    int32_t at = 0;
    CYCLES_UNROLL
    for (int k = words - 1; k >= 0; k--)
        if (set[k] != 0) {
            word = set[k];
            at = k;
        }
    const uint64_t least = word & (0 - word);
    CYCLES_UNROLL
    for (int k = 0; k < words; k++)
        set[k] ^= k == at ? least : 0;
    return 64 * at + cycles_bits(least - 1);
}

// A hash of the set. Sums of them compare lists whatever their order.
static inline MCO_HD uint64_t cycles_set_hash(const uint64_t *set, int words)
{
    uint64_t hash = 0;
    CYCLES_UNROLL
    for (int k = 0; k < words; k++) {
        uint64_t state = hash ^ set[k];
        hash = mco_splitmix64(&state);
    }
    return hash;
}

// ---- Tags

static inline MCO_HD uint32_t cycles_tag(int32_t head, int32_t tail, int32_t length)
{
    return (uint32_t)head | (uint32_t)tail << 8 | (uint32_t)length << 16;
}

// ---- Walks

// Keeps of `next` what the rules allow. `lost`: open vertices that leave with this step, among them those of `next`; a
// vertex that every cycle holds must not be lost unless it is the one that follows.
static inline MCO_HD void cycles_restrict(uint64_t *next, const uint64_t *lost, int words, const cycles_rules *rules)
{
    uint64_t needed[CYCLES_STEP_WORDS];
    CYCLES_UNROLL
    for (int k = 0; k < words; k++)
        needed[k] = lost[k] & rules->through[k];
    const int32_t size = cycles_set_size(needed, words);
    CYCLES_UNROLL
    for (int k = 0; k < words; k++)
        next[k] = size == 0 ? next[k] : size == 1 ? next[k] & needed[k] : 0;
}

// Makes the walk of a node. head_row, tail_row: the neighbours of the two ends.
static inline MCO_HD void cycles_walk_begin(cycles_walk *walk, int words, const uint64_t *node, uint32_t tag,
                                            const uint64_t *head_row, const uint64_t *tail_row, const cycles_rules *rules)
{
    uint64_t lost[CYCLES_STEP_WORDS];
    walk->head = (int32_t)(tag & 0xff);
    walk->tail = (int32_t)(tag >> 8 & 0xff);
    walk->length = (int32_t)(tag >> 16);
    CYCLES_UNROLL
    for (int k = 0; k < words; k++) {
        lost[k] = node[k] & head_row[k];
        walk->next[k] = walk->length + 2 <= rules->max_length ? lost[k] & ~tail_row[k] : 0;
        walk->open[k] = node[k] & ~head_row[k];
        walk->rim[k] = tail_row[k];
    }
    if (rules->has_through)
        cycles_restrict(walk->next, lost, words, rules);
}

static inline MCO_HD uint32_t cycles_walk_tag(const cycles_walk *walk)
{
    return cycles_tag(walk->head, walk->tail, walk->length);
}

// Lets `vertex`, taken out of walk->next, follow the head; `row`: its neighbours. closing [words] receives the vertices that
// close a cycle of length + 2 vertices each. True: the longer path goes on, and *child is its walk.
static inline MCO_HD bool cycles_walk_try(const cycles_walk *walk, int words, int32_t vertex, const uint64_t *row,
                                          const cycles_rules *rules, uint64_t *closing, cycles_walk *child)
{
    uint64_t at_head[CYCLES_STEP_WORDS], at_tail[CYCLES_STEP_WORDS], needed[CYCLES_STEP_WORDS], lost[CYCLES_STEP_WORDS];
    const int32_t length = walk->length + 1;
    const bool counts = length + 1 >= rules->min_length && length + 1 <= rules->max_length;
    CYCLES_UNROLL
    for (int k = 0; k < words; k++) {
        const uint64_t near_tail = walk->open[k] & walk->rim[k];
        closing[k] = counts ? near_tail & row[k] : 0;
        at_head[k] = walk->open[k] & row[k] & ~walk->rim[k];
        at_tail[k] = near_tail & ~row[k];
        needed[k] = walk->open[k] & rules->through[k];
    }
    if (rules->has_through) {  // a vertex that closes leaves all other open vertices out
        const int32_t size = cycles_set_size(needed, words);
        CYCLES_UNROLL
        for (int k = 0; k < words; k++)
            closing[k] = size == 0 ? closing[k] : size == 1 ? closing[k] & needed[k] : 0;
    }
    const int32_t ways = cycles_set_size(at_head, words), ways_of_tail = cycles_set_size(at_tail, words);
    const bool turns = ways_of_tail < ways;
    child->head = turns ? walk->tail : vertex;
    child->tail = turns ? vertex : walk->tail;
    child->length = length;
    CYCLES_UNROLL
    for (int k = 0; k < words; k++) {
        const uint64_t gone = turns ? walk->rim[k] : row[k];
        lost[k] = walk->open[k] & gone;
        child->next[k] = turns ? at_tail[k] : at_head[k];
        child->open[k] = walk->open[k] & ~gone;
        child->rim[k] = turns ? row[k] : walk->rim[k];
    }
    if (rules->has_through)
        cycles_restrict(child->next, lost, words, rules);
    return ways > 0 && ways_of_tail > 0 && length + 2 <= rules->max_length &&
           (!rules->has_through || cycles_set_any(child->next, words));
}

#endif
