// SPDX-License-Identifier: MIT
// Selection by the digits of keys: three counts of 11, 11 and 10 bits find the key of a rank.
#include "flowshop/beam/sieve.h"

#include <string.h>

enum { DIGIT = 11, VALUES = 1 << DIGIT };

uint32_t flowshop_beam_key_of_rank(const flowshop_beam_sieve *sieves, int count, int64_t rank, int64_t *ties)
{
    static const int shifts[3] = {21, 10, 0};
    uint32_t prefix = 0;
    for (int digit = 0; digit < 3; digit++) {
        int64_t counts[VALUES] = {0};
        const int shift = shifts[digit], bits = digit < 2 ? DIGIT : 10;
        for (int t = 0; t < count; t++)
            for (int64_t i = 0; i < sieves[t].count; i++) {
                const uint32_t key = (uint32_t)(sieves[t].children[i] >> 32);
                if (digit == 0 || key >> (shift + bits) == prefix)
                    counts[key >> shift & (((uint32_t)1 << bits) - 1)]++;
            }
        uint32_t value = 0;
        for (; counts[value] < rank; value++)
            rank -= counts[value];
        prefix = prefix << bits | value;
    }
    *ties = rank;
    return prefix;
}

void flowshop_beam_squeeze(flowshop_beam_sieve *s)
{
    int64_t ties, kept = 0;
    if (s->count <= s->width)
        return;
    const uint32_t last = flowshop_beam_key_of_rank(s, 1, s->width, &ties);
    for (int64_t i = 0; i < s->count; i++) {
        const uint32_t key = (uint32_t)(s->children[i] >> 32);
        if (key < last || (key == last && ties-- > 0))
            s->children[kept++] = s->children[i];
    }
    s->count = kept;
    s->limit = last;
    s->has_limit = true;
}

// Sorts numbers[count], ascending; `spare` is of the same size.
static void sort(uint32_t *numbers, uint32_t *spare, int64_t count)
{
    uint32_t *from = numbers, *to = spare;
    for (int shift = 0; shift < 32; shift += 8) {
        int64_t starts[257] = {0};
        for (int64_t i = 0; i < count; i++)
            starts[(from[i] >> shift & 255) + 1]++;
        for (int v = 0; v < 256; v++)
            starts[v + 1] += starts[v];
        for (int64_t i = 0; i < count; i++)
            to[starts[from[i] >> shift & 255]++] = from[i];
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
}

int64_t flowshop_beam_select(const flowshop_beam_sieve *sieves, int count, int64_t width, uint32_t *chosen, uint32_t *spare)
{
    int64_t total = 0, kept = 0, ties = 0, tied = 0;
    uint32_t last = 0;
    for (int t = 0; t < count; t++)
        total += sieves[t].count;
    const bool is_all = total <= width;
    if (!is_all)
        last = flowshop_beam_key_of_rank(sieves, count, width, &ties);
    for (int t = 0; t < count; t++)
        for (int64_t i = 0; i < sieves[t].count; i++)
            if (is_all || (uint32_t)(sieves[t].children[i] >> 32) < last)
                chosen[kept++] = (uint32_t)sieves[t].children[i];
    for (int t = 0; t < count && !is_all; t++)
        for (int64_t i = 0; i < sieves[t].count; i++)
            if ((uint32_t)(sieves[t].children[i] >> 32) == last)
                chosen[kept + tied++] = (uint32_t)sieves[t].children[i];
    sort(chosen + kept, spare, tied);
    kept += ties;
    sort(chosen, spare, kept);
    return kept;
}
