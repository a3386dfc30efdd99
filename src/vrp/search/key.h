// SPDX-License-Identifier: MIT
// Things sorted by a key: arrays of double[2], key and number.
#ifndef MCO_VRP_SEARCH_KEY_H
#define MCO_VRP_SEARCH_KEY_H

// For qsort(): ascending, equal keys by number.
static inline int vrp_by_key(const void *a, const void *b)
{
    const double *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

#endif
