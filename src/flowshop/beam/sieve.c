// SPDX-License-Identifier: MIT
// Selection by the digits of keys: three counts of 11, 11 and 10 bits find the key of a rank.
#include "flowshop/beam/sieve.h"

#include <string.h>

enum { DIGIT = 11, VALUES = 1 << DIGIT, STEPS = 1 << 17 };

// Asks every 131,072 steps, which take about a millisecond.
static inline bool gives_up(int64_t step, flowshop_beam_look *look, void *user)
{
    return (step & (STEPS - 1)) == STEPS - 1 && look != NULL && look(user);
}

static inline uint32_t key_of_child(uint64_t child)
{
    return (uint32_t)(child >> 32);
}

bool flowshop_beam_key_of_rank(const flowshop_beam_sieve *sieves, int count, int64_t rank, flowshop_beam_look *look, void *user,
                               flowshop_beam_rank *found)
{
    static const int shifts[3] = {21, 10, 0};
    uint32_t prefix = 0;
    for (int digit = 0; digit < 3; digit++) {
        int64_t counts[VALUES] = {0};
        const int shift = shifts[digit], bits = digit < 2 ? DIGIT : 10;
        for (int t = 0; t < count; t++)
            for (int64_t i = 0; i < sieves[t].count; i++) {
                const uint32_t key = key_of_child(sieves[t].children[i]);
                if (gives_up(i, look, user))
                    return false;
                if (digit == 0 || key >> (shift + bits) == prefix)
                    counts[key >> shift & (((uint32_t)1 << bits) - 1)]++;
            }
        uint32_t value = 0;
        for (; counts[value] < rank; value++)
            rank -= counts[value];
        prefix = prefix << bits | value;
    }
    *found = (flowshop_beam_rank){prefix, rank};
    return true;
}

void flowshop_beam_squeeze(flowshop_beam_sieve *s)
{
    int64_t kept = 0;
    flowshop_beam_rank last;
    if (s->count <= s->width)
        return;
    if (!flowshop_beam_key_of_rank(s, 1, s->width, s->look, s->user, &last)) {
        s->count = 0;
        return;
    }
    for (int64_t i = 0; i < s->count && !gives_up(i, s->look, s->user); i++) {
        const uint32_t key = key_of_child(s->children[i]);
        if (key < last.key || (key == last.key && last.ties-- > 0))
            s->children[kept++] = s->children[i];
    }
    s->count = kept;
    s->limit = last.key;
    s->has_limit = true;
}

// Sorts numbers[count], ascending; `spare` is of the same size. False if it gave up.
static bool sort(uint32_t *numbers, uint32_t *spare, int64_t count, flowshop_beam_look *look, void *user)
{
    uint32_t *from = numbers, *to = spare;
    for (int shift = 0; shift < 32; shift += 8) {
        int64_t starts[257] = {0};
        for (int64_t i = 0; i < count; i++) {
            if (gives_up(i, look, user))
                return false;
            starts[(from[i] >> shift & 255) + 1]++;
        }
        for (int v = 0; v < 256; v++)
            starts[v + 1] += starts[v];
        for (int64_t i = 0; i < count; i++) {
            if (gives_up(i, look, user))
                return false;
            to[starts[from[i] >> shift & 255]++] = from[i];
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    return true;
}

// Copies the children of all sieves whose key is below last.key, and behind them those whose key equals it. Returns how many are
// below, or -1 if it gave up.
static int64_t copy_best(const flowshop_beam_sieve *sieves, int count, flowshop_beam_rank last, flowshop_beam_look *look, void *user,
                         uint32_t *chosen, int64_t *tied)
{
    int64_t kept = 0;
    *tied = 0;
    for (int is_tie = 0; is_tie < 2; is_tie++)
        for (int t = 0; t < count; t++)
            for (int64_t i = 0; i < sieves[t].count; i++) {
                const uint32_t key = key_of_child(sieves[t].children[i]);
                if (gives_up(i, look, user))
                    return -1;
                if (is_tie == 0 && key < last.key)
                    chosen[kept++] = (uint32_t)sieves[t].children[i];
                else if (is_tie == 1 && key == last.key)
                    chosen[kept + (*tied)++] = (uint32_t)sieves[t].children[i];
            }
    return kept;
}

// The same of one sieve, whose children are in order already: no sort. Returns how many it has copied.
static int64_t copy_in_order(const flowshop_beam_sieve *s, flowshop_beam_rank last, flowshop_beam_look *look, void *user, uint32_t *chosen)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < s->count; i++) {
        const uint32_t key = key_of_child(s->children[i]);
        if (gives_up(i, look, user))
            return 0;
        if (key < last.key || (key == last.key && last.ties-- > 0))
            chosen[kept++] = (uint32_t)s->children[i];
    }
    return kept;
}

// The number of the only sieve that has children, -1 if several have.
static int only_one(const flowshop_beam_sieve *sieves, int count)
{
    int only = 0, having = 0;
    for (int t = 0; t < count; t++)
        if (sieves[t].count > 0) {
            only = t;
            having++;
        }
    return having > 1 ? -1 : only;
}

int64_t flowshop_beam_select(const flowshop_beam_sieve *sieves, int count, int64_t width, flowshop_beam_look *look, void *user,
                             uint32_t *chosen, uint32_t *spare)
{
    int64_t total = 0, tied;
    flowshop_beam_rank last = {UINT32_MAX, INT64_MAX};
    for (int t = 0; t < count; t++)
        total += sieves[t].count;
    if (total > width && !flowshop_beam_key_of_rank(sieves, count, width, look, user, &last))
        return 0;
    const int only = only_one(sieves, count);
    if (only >= 0)
        return copy_in_order(&sieves[only], last, look, user, chosen);
    const int64_t below = copy_best(sieves, count, last, look, user, chosen, &tied);
    if (below < 0 || !sort(chosen + below, spare, tied, look, user))
        return 0;
    const int64_t kept = below + (tied < last.ties ? tied : last.ties);
    return sort(chosen, spare, kept, look, user) ? kept : 0;
}
