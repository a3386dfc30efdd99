// SPDX-License-Identifier: MIT
// The solutions of the genetic search, and how their giant tours are made: at random, or crossed from two.
#include <string.h>

#include "vrp/genetic/genome.h"

mco_status vrp_genome_open(mco_context *ctx, const vrp_network *g, vrp_genome *out)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &out->order, g->customers));
    MCO_TRY(mco_alloc(ctx, &out->first, (int64_t)g->routes + 1));
    MCO_TRY(mco_alloc(ctx, &out->next, (int64_t)g->customers + 1));
    MCO_TRY(mco_alloc(ctx, &out->prev, (int64_t)g->customers + 1));
done:
    return st;
}

void vrp_genome_close(mco_context *ctx, vrp_genome *genome)
{
    mco_free(ctx, &genome->prev);
    mco_free(ctx, &genome->next);
    mco_free(ctx, &genome->first);
    mco_free(ctx, &genome->order);
}

void vrp_genome_complete(const vrp_network *g, vrp_genome *genome)
{
    const mco_vrp *p = g->problem;
    genome->cost = genome->load_excess = genome->length_excess = 0;
    for (int32_t r = 0; r < genome->routes; r++) {
        int64_t load = 0, length = 0, distance = 0;
        int32_t last = 0;
        for (int32_t k = genome->first[r]; k < genome->first[r + 1]; k++) {
            const int32_t c = genome->order[k];
            genome->prev[c] = last;
            genome->next[last] = c;  // next[0] is written too, but never read
            distance += vrp_network_distance(g, last, c);
            length += g->service[c];
            load += p->demand[c];
            last = c;
        }
        genome->next[last] = 0;
        distance += vrp_network_distance(g, last, 0);
        length += distance;
        genome->cost += distance;
        genome->load_excess += vrp_load_excess(p, load);
        genome->length_excess += vrp_length_excess(p, length);
    }
}

void vrp_genome_copy(const vrp_network *g, vrp_genome *to, const vrp_genome *from)
{
    const vrp_genome kept = *to;
    *to = *from;
    to->order = memcpy(kept.order, from->order, (size_t)g->customers * sizeof *kept.order);
    to->first = memcpy(kept.first, from->first, ((size_t)from->routes + 1) * sizeof *kept.first);
    to->next = memcpy(kept.next, from->next, ((size_t)g->customers + 1) * sizeof *kept.next);
    to->prev = memcpy(kept.prev, from->prev, ((size_t)g->customers + 1) * sizeof *kept.prev);
}

// Has no branches, so that compilers can vectorize it: a single thread compares all children with the pools.
float vrp_broken_pairs(const vrp_network *g, const vrp_genome *a, const vrp_genome *b)
{
    int32_t differ = 0;
    for (int32_t c = 1; c <= g->customers; c++) {
        differ += (a->next[c] != b->next[c]) & (a->next[c] != b->prev[c]);
        differ += (a->prev[c] == 0) & (b->prev[c] != 0) & (b->next[c] != 0);
    }
    return (float)differ / (float)g->customers;
}

void vrp_random_tour(int32_t customers, mco_rng *rng, int32_t *order)
{
    for (int32_t k = 0; k < customers; k++) {
        const int32_t other = (int32_t)mco_rng_below(rng, (uint32_t)k + 1);
        order[k] = order[other];
        order[other] = k + 1;
    }
}

void vrp_cross(int32_t n, const int32_t *a, const int32_t *b, mco_rng *rng, bool *is_taken, int32_t *child)
{
    const int32_t begin = (int32_t)mco_rng_below(rng, (uint32_t)n), count = 1 + (int32_t)mco_rng_below(rng, (uint32_t)n);
    memset(is_taken, 0, (size_t)n + 1);
    for (int32_t k = 0; k < count; k++) {
        const int32_t at = (begin + k) % n;
        child[at] = a[at];
        is_taken[a[at]] = true;
    }
    int32_t to = (begin + count) % n;
    for (int32_t k = 0; k < n; k++) {
        const int32_t c = b[(begin + count + k) % n];
        if (!is_taken[c]) {
            child[to] = c;
            to = (to + 1) % n;
        }
    }
}
