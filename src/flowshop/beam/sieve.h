// SPDX-License-Identifier: MIT
// Selection: of all children that the threads have kept, the best ones, in the order of nodes and columns.
#ifndef MCO_FLOWSHOP_BEAM_SIEVE_H
#define MCO_FLOWSHOP_BEAM_SIEVE_H

#include "flowshop/beam/layer.h"

// The key of a rank, and how many children with that key are among the best.
typedef struct flowshop_beam_rank {
    uint32_t key;
    int64_t ties;
} flowshop_beam_rank;

// Finds rank `rank` (from 1) among the children of all sieves, which hold so many at least. False if look(user) said that the run
// is over; `look` may be NULL.
bool flowshop_beam_key_of_rank(const flowshop_beam_sieve *sieves, int count, int64_t rank, flowshop_beam_look *look, void *user,
                               flowshop_beam_rank *found);

// Writes node * columns + column of the best `width` children of all sieves to chosen[], ascending. Where keys are equal the lesser number
// wins. `spare` [room of chosen] is scratch. Returns how many there are; 0 if look(user) said that the run is over. chosen has room
// for all children of the sieves. O(children of the sieves).
int64_t flowshop_beam_select(const flowshop_beam_sieve *sieves, int count, int64_t width, flowshop_beam_look *look, void *user,
                             uint32_t *chosen, uint32_t *spare);

#endif
