// SPDX-License-Identifier: MIT
// Selection: of all children that the threads have kept, the best ones, in the order of nodes and columns.
#ifndef MCO_FLOWSHOP_BEAM_SIEVE_H
#define MCO_FLOWSHOP_BEAM_SIEVE_H

#include "flowshop/beam/layer.h"

// The key of rank `rank` (from 1) among the children of all sieves, and how many children with that key are among the best `rank`.
// The sieves hold at least `rank` children.
uint32_t flowshop_beam_key_of_rank(const flowshop_beam_sieve *sieves, int count, int64_t rank, int64_t *ties);

// Writes node * columns + column of the best `width` children of all sieves to chosen[], ascending. Where keys are equal the lesser number
// wins. `spare` [room of chosen] is scratch. Returns how many there are. chosen has room for all children of the sieves with the
// key of rank `width` and those before. O(children of the sieves).
int64_t flowshop_beam_select(const flowshop_beam_sieve *sieves, int count, int64_t width, uint32_t *chosen, uint32_t *spare);

#endif
