// SPDX-License-Identifier: MIT
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

void mco_advise_huge(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t begin = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE, end = (uintptr_t)memory + bytes;
    if (end > begin + PAGE)
        (void)madvise((void *)begin, (end - begin) / PAGE * PAGE, MADV_HUGEPAGE);  // a hint
#else
    (void)memory;
    (void)bytes;
#endif
}

void mco_drop_pages(void *memory, size_t bytes)
{
#ifdef MADV_DONTNEED
    // The system rounds the end up to its own pages, which may be larger than PAGE: what lies behind the block must stay.
    const long size = sysconf(_SC_PAGESIZE);
    const uintptr_t page = size > PAGE ? (uintptr_t)size : PAGE;
    const uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page, end = ((uintptr_t)memory + bytes) / page * page;
    if (end > begin)
        (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
#else
    (void)memory;
    (void)bytes;
#endif
}

void mco_touch_pages(void *memory, size_t bytes)
{
    volatile char *at = memory;
    for (size_t k = 0; k < bytes; k += PAGE)
        at[k] = 0;
}
