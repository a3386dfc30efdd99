// SPDX-License-Identifier: MIT
// Hints about the pages of large blocks.
#ifndef MCO_BASE_PAGES_H
#define MCO_BASE_PAGES_H

#include <stddef.h>

// Asks for huge pages for the whole pages inside memory [bytes]. Does nothing if the system has no huge pages.
void mco_advise_huge(void *memory, size_t bytes);
// Gives the whole pages inside memory [bytes] back to the system; their content is lost. For a block that is freed next: an allocator alone keeps
// the pages of blocks that lie between others.
void mco_drop_pages(void *memory, size_t bytes);
// Makes the pages of memory [bytes] present. The memory must be all zero.
void mco_touch_pages(void *memory, size_t bytes);

#endif
