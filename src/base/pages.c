// SPDX-License-Identifier: MIT
#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

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
    const uintptr_t begin = ((uintptr_t)memory + PAGE - 1) / PAGE * PAGE, end = ((uintptr_t)memory + bytes) / PAGE * PAGE;
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
