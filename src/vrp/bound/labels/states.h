// SPDX-License-Identifier: MIT
// The states of all RANK1 rows that have a price, in a few words of a label.
//
// A row of denominator d has a group of d - 1 bits, of which the lowest s are set in state s. No group crosses a word. So "greater"
// is a bit operation: the rows whose state in A exceeds that in B have bits in A & ~B, and the lowest such bit of a group stands for it.
#ifndef MCO_VRP_BOUND_LABELS_STATES_H
#define MCO_VRP_BOUND_LABELS_STATES_H

#include <string.h>

#include "vrp/bound/cuts.h"

enum { VRP_STATES_MOST_DENOMINATOR = 64 };

typedef struct vrp_state_row {
    int32_t word, shift;      // of its group
    int32_t denominator;
    int32_t penalty;          // > 0: what one more time costs a route
} vrp_state_row;

// A customer as a member of a row.
typedef struct vrp_state_member {
    int32_t row, numerator;
} vrp_state_member;

typedef struct vrp_states {
    int32_t words;            // of a state; 0: no row has a price
    int32_t count;            // rows
    vrp_state_row *row;       // [count]
    int32_t *row_of;          // [64 * words] the row of a bit
    uint64_t *higher;         // [words] bits that are not the lowest of their group
    uint64_t *keep;           // [nodes * words] groups of the rows that remember this node
    int32_t *first;           // [nodes + 1] into `member`
    vrp_state_member *member; // [first[nodes]] the rows of which each node is a member
} vrp_states;

// Errors: MEMORY, LIMIT (a denominator above VRP_STATES_MOST_DENOMINATOR).
mco_status vrp_states_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_cuts *cuts, vrp_states *out);
void vrp_states_close(mco_context *ctx, vrp_states *states);

// The state of a row: how many bits of its group are set, which are the lowest.
static inline int32_t vrp_states_of(const vrp_state_row *row, const uint64_t *state)
{
    const uint64_t group = state[row->word] >> row->shift & (((uint64_t)1 << (row->denominator - 1)) - 1);
    return 63 - __builtin_clzll(group << 1 | 1);
}

// The state `to` after a visit of `node`; returns what the visit costs.
static inline int32_t vrp_states_visit(const vrp_states *s, int32_t node, const uint64_t *from, uint64_t *to)
{
    int32_t penalty = 0;
    for (int32_t w = 0; w < s->words; w++)
        to[w] = from[w] & s->keep[(int64_t)node * s->words + w];
    for (int32_t k = s->first[node]; k < s->first[node + 1]; k++) {
        const vrp_state_row *row = &s->row[s->member[k].row];
        const uint64_t whole = ((uint64_t)1 << (row->denominator - 1)) - 1;
        int32_t state = vrp_states_of(row, to) + s->member[k].numerator;
        if (state >= row->denominator) {
            state -= row->denominator;
            penalty += row->penalty;
        }
        to[row->word] = (to[row->word] & ~(whole << row->shift)) | (((uint64_t)1 << state) - 1) << row->shift;
    }
    return penalty;
}

// The penalties of the rows whose state in a exceeds that in b: no way on costs `a` more than that beyond what it costs `b`. Stops
// adding when the sum exceeds `most`.
static inline int64_t vrp_states_excess(const vrp_states *s, const uint64_t *a, const uint64_t *b, int64_t most)
{
    int64_t sum = 0;
    for (int32_t w = 0; w < s->words && sum <= most; w++) {
        const uint64_t more = a[w] & ~b[w];
        for (uint64_t lowest = more & ~(more << 1 & s->higher[w]); lowest != 0; lowest &= lowest - 1)
            sum += s->row[s->row_of[64 * w + __builtin_ctzll(lowest)]].penalty;
    }
    return sum;
}

// What joining a path in state a and a reversed one in state b costs: the rows whose states reach the denominator together.
static inline int64_t vrp_states_join(const vrp_states *s, const uint64_t *a, const uint64_t *b)
{
    int64_t sum = 0;
    for (int32_t w = 0; w < s->words; w++)
        for (uint64_t both = a[w] & b[w] & ~s->higher[w]; both != 0; both &= both - 1) {
            const vrp_state_row *row = &s->row[s->row_of[64 * w + __builtin_ctzll(both)]];
            if (vrp_states_of(row, a) + vrp_states_of(row, b) >= row->denominator)
                sum += row->penalty;
        }
    return sum;
}

#endif
