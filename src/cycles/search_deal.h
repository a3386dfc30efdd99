// SPDX-License-Identifier: MIT
// The share that one of several processes has of a root: some of the nodes in which its search goes on.
#ifndef MCO_CYCLES_SEARCH_DEAL_H
#define MCO_CYCLES_SEARCH_DEAL_H

#include "cycles/search_root.h"

// Entries that a stack has room for beyond what a walk needs, where roots are dealt.
int64_t search_deal_room(int parts);

// Begins the root and leaves to the walker's stack what part job->part of job->parts has of it. All parts do the same: they search
// breadth first, without vector units, until there are many nodes, and each takes every parts-th of them. What was found on the
// way counts for one part, which is another one for each root. So the parts together find what one search finds.
void search_deal(const search_block *block, const search_root *root, search_walker *walker);

#endif
