// SPDX-License-Identifier: MIT
// Populations ranked by cost and by how much their members differ from each other (Vidal et al. 2012).
#include "vrp/genetic/pool.h"

enum { ELITE = 4, CLOSE = 5, ROWS = 2 * (VRP_POOL_MOST + 1) };

mco_status vrp_pools_open(mco_context *ctx, const vrp_network *network, vrp_pools *out)
{
    mco_status st = MCO_OK;
    out->network = network;
    MCO_TRY(mco_alloc(ctx, &out->members, ROWS));
    MCO_TRY(mco_alloc(ctx, &out->free, ROWS));
    MCO_TRY(mco_alloc(ctx, &out->apart, ROWS * ROWS));
    for (int32_t k = 0; k < ROWS; k++) {
        MCO_TRY(vrp_genome_open(ctx, network, &out->members[k].genome));
        out->members[k].row = k;
        out->free[out->free_count++] = &out->members[k];
    }
done:
    return st;
}

void vrp_pools_close(mco_context *ctx, vrp_pools *pools)
{
    for (int32_t k = 0; pools->members != NULL && k < ROWS; k++)
        vrp_genome_close(ctx, &pools->members[k].genome);
    mco_free(ctx, &pools->apart);
    mco_free(ctx, &pools->free);
    mco_free(ctx, &pools->members);
}

static inline float *apart(const vrp_pools *pools, const vrp_member *a, const vrp_member *b)
{
    return &pools->apart[a->row * ROWS + b->row];
}

// ---- Ranks

static double apart_from_closest(const vrp_pools *pools, const vrp_pool *p, const vrp_member *m)
{
    float closest[CLOSE];
    int32_t held = 0;
    for (int32_t k = 0; k < p->count; k++) {
        if (p->all[k] == m)
            continue;
        const float distance = *apart(pools, m, p->all[k]);
        if (held == CLOSE && distance >= closest[CLOSE - 1])
            continue;
        int32_t at = held < CLOSE ? held++ : CLOSE - 1;
        for (; at > 0 && closest[at - 1] > distance; at--)
            closest[at] = closest[at - 1];
        closest[at] = distance;
    }
    double sum = 0;
    for (int32_t k = 0; k < held; k++)
        sum += (double)closest[k];
    return held > 0 ? sum / held : 1;
}

static void rank_pool(const vrp_pools *pools, vrp_pool *p)
{
    const double last = p->count > 1 ? p->count - 1 : 1;
    const double share = p->count > ELITE ? 1 - (double)ELITE / p->count : 0;
    for (int32_t i = 0; i < p->count; i++)
        p->all[i]->apart = apart_from_closest(pools, p, p->all[i]);
    for (int32_t i = 0; i < p->count; i++) {
        vrp_member *m = p->all[i];
        int32_t farther = 0;
        for (int32_t k = 0; k < p->count; k++)
            farther += p->all[k]->apart > m->apart || (k < i && p->all[k]->apart >= m->apart);
        m->rank = i / last + share * farther / last;
    }
}

void vrp_pools_rank(vrp_pools *pools)
{
    rank_pool(pools, &pools->within);
    rank_pool(pools, &pools->beyond);
}

const vrp_genome *vrp_pools_draw(const vrp_pools *pools, mco_rng *rng)
{
    const vrp_pool *a = &pools->within, *b = &pools->beyond;
    const vrp_member *best = NULL;
    for (int k = 0; k < 2; k++) {
        const int32_t i = (int32_t)mco_rng_below(rng, (uint32_t)(a->count + b->count));
        const vrp_member *m = i < a->count ? a->all[i] : b->all[i - a->count];
        best = best == NULL || m->rank < best->rank ? m : best;
    }
    return &best->genome;
}

// ---- Who joins, who stays

// Puts m into its place among the first k members of the pool, which are in order. Place k is free or holds m.
static void insert(vrp_pool *p, int32_t k, vrp_member *m)
{
    for (; k > 0 && p->all[k - 1]->weighted > m->weighted; k--)
        p->all[k] = p->all[k - 1];
    p->all[k] = m;
}

static void weigh_pool(vrp_pool *p, vrp_weights weights)
{
    for (int32_t k = 0; k < p->count; k++) {
        p->all[k]->weighted = vrp_weighted_cost(&p->all[k]->genome, weights);
        insert(p, k, p->all[k]);
    }
}

void vrp_pools_weigh(vrp_pools *pools, vrp_weights weights)
{
    weigh_pool(&pools->within, weights);
    weigh_pool(&pools->beyond, weights);
}

static void drop(vrp_pools *pools, vrp_pool *p, int32_t i)
{
    pools->free[pools->free_count++] = p->all[i];
    for (p->count--; i < p->count; i++)
        p->all[i] = p->all[i + 1];
}

static bool is_clone(const vrp_pools *pools, const vrp_pool *p, const vrp_member *m)
{
    for (int32_t k = 0; k < p->count; k++)
        if (p->all[k] != m && *apart(pools, m, p->all[k]) <= 0 && p->all[k]->genome.cost == m->genome.cost)
            return true;
    return false;
}

// The cheapest member always stays.
static void choose_survivors(vrp_pools *pools, vrp_pool *p)
{
    while (p->count > VRP_POOL_LEAST) {
        rank_pool(pools, p);
        int32_t worst = 1;
        bool has_clone = is_clone(pools, p, p->all[1]);
        for (int32_t i = 2; i < p->count; i++) {
            const bool clone = is_clone(pools, p, p->all[i]);
            if (clone > has_clone || (clone == has_clone && p->all[i]->rank > p->all[worst]->rank)) {
                worst = i;
                has_clone = clone;
            }
        }
        drop(pools, p, worst);
    }
}

void vrp_pools_join(vrp_pools *pools, vrp_weights weights, const vrp_genome *genome)
{
    vrp_pool *p = vrp_genome_is_within(genome) ? &pools->within : &pools->beyond;
    vrp_member *m = pools->free[--pools->free_count];
    vrp_genome_copy(pools->network, &m->genome, genome);
    m->weighted = vrp_weighted_cost(genome, weights);
    for (int32_t k = 0; k < p->count; k++)
        *apart(pools, m, p->all[k]) = *apart(pools, p->all[k], m) = vrp_broken_pairs(pools->network, genome, &p->all[k]->genome);
    insert(p, p->count++, m);
    if (p->count > VRP_POOL_MOST)
        choose_survivors(pools, p);
}

void vrp_pools_clear(vrp_pools *pools)
{
    while (pools->within.count > 0)
        drop(pools, &pools->within, pools->within.count - 1);
    while (pools->beyond.count > 0)
        drop(pools, &pools->beyond, pools->beyond.count - 1);
}
