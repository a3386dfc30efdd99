// SPDX-License-Identifier: MIT
// Sorting by a key: the items are double[2], a key and a number.
#ifndef MCO_VRP_SEARCH_KEY_H
#define MCO_VRP_SEARCH_KEY_H

// For qsort(): ascending, equal keys by number.
static inline int vrp_by_key(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

#endif
