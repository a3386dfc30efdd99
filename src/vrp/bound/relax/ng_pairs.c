// SPDX-License-Identifier: MIT
// Near pairs of an ng pass, and its arcs (ng_pass.h).
#include "vrp/bound/relax/ng_pass.h"

#include <stdlib.h>

// ---- Pairs

uint32_t vrp_ng_memory_before(const vrp_ng_sets *sets, int32_t from, int32_t to, uint32_t memory)
{
    uint32_t before = 0;
    for (int32_t b = 0; b < sets->size[from] - 1; b++) {
        const int32_t customer = sets->neighbour[(int64_t)from * VRP_NG_MOST + b];
        const int32_t there = vrp_ng_sets_bit(sets, to, customer);
        if (customer != to && (there < 0 || memory >> there & 1))
            before |= UINT32_C(1) << b;
    }
    return before;
}

uint16_t vrp_ng_entry(const vrp_ng_pass *pass, const vrp_ng_pair *pair, int32_t sets, uint32_t m)
{
    const uint32_t own = (UINT32_C(1) << (pass->sets.size[pair->from] - 1)) - 1;
    return (uint16_t)(vrp_ng_memory_before(&pass->sets, pair->from, pair->to, m) | ((uint32_t)(sets - 1) & ~own));
}

// Near k are: the customers of N(k), those whose set has k, those whose set meets N(k).
typedef struct users {
    int32_t *first, *node;  // the nodes whose set has customer j, without j: node[first[j]] .. node[first[j + 1] - 1]
} users;

static mco_status find_users(mco_context *ctx, const vrp_ng_sets *sets, users *out)
{
    mco_status st = MCO_OK;
    int64_t total = 0;
    for (int32_t i = 1; i < sets->nodes; i++)
        total += sets->size[i] - 1;
    MCO_TRY(mco_alloc(ctx, &out->first, sets->nodes + 2));
    MCO_TRY(mco_alloc(ctx, &out->node, total));
    for (int32_t i = 1; i < sets->nodes; i++)
        for (int32_t b = 0; b < sets->size[i] - 1; b++)
            out->first[sets->neighbour[(int64_t)i * VRP_NG_MOST + b] + 2]++;
    for (int32_t j = 0; j < sets->nodes; j++)
        out->first[j + 2] += out->first[j + 1];
    for (int32_t i = 1; i < sets->nodes; i++)
        for (int32_t b = 0; b < sets->size[i] - 1; b++)
            out->node[out->first[sets->neighbour[(int64_t)i * VRP_NG_MOST + b] + 1]++] = i;
done:
    return st;
}

// is_near[i] becomes true for each i near k.
static void mark_near(const vrp_ng_sets *sets, const users *u, int32_t k, bool *is_near)
{
    for (int32_t at = u->first[k]; at < u->first[k + 1]; at++)
        is_near[u->node[at]] = true;
    for (int32_t b = 0; b < sets->size[k] - 1; b++) {
        const int32_t j = sets->neighbour[(int64_t)k * VRP_NG_MOST + b];
        is_near[j] = true;
        for (int32_t at = u->first[j]; at < u->first[j + 1]; at++)
            is_near[u->node[at]] = true;
    }
    is_near[k] = false;
}

// Bit 0: the pair reads entries of `from` that differ in bit VRP_NG_TOP_BIT. Bit 1: entries of `to` that differ in that bit read
// different ones, or only those that have the bit are allowed.
static int32_t kind_of(const vrp_ng_sets *sets, int32_t from, int32_t to)
{
    int32_t kind = 0;
    for (int32_t b = 0; b < sets->size[from] - 1; b++) {
        const int32_t customer = sets->neighbour[(int64_t)from * VRP_NG_MOST + b];
        const int32_t there = vrp_ng_sets_bit(sets, to, customer);
        if (customer == to || there < 0)
            continue;
        kind |= b >= VRP_NG_TOP_BIT ? VRP_NG_DEEP_FROM : 0;
        kind |= there >= VRP_NG_TOP_BIT ? VRP_NG_DEEP_TO : 0;
    }
    return vrp_ng_sets_bit(sets, to, from) >= VRP_NG_TOP_BIT ? kind | VRP_NG_DEEP_TO : kind;
}

static int compare(const void *a, const void *b)
{
    const vrp_ng_pair *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

// Counts the pairs; writes them where `pair` is not NULL. is_near [nodes] is false before and after.
static int32_t list_pairs(const vrp_ng_sets *sets, const users *u, bool *is_near, int32_t *first_pair, vrp_ng_pair *pair)
{
    int32_t count = 0;
    for (int32_t k = 1; k < sets->nodes; k++) {
        first_pair[k] = count;
        mark_near(sets, u, k, is_near);
        for (int32_t i = 1; i < sets->nodes; i++) {
            if (!is_near[i])
                continue;
            is_near[i] = false;
            if (pair != NULL)
                pair[count] = (vrp_ng_pair){i, k, vrp_ng_sets_bit(sets, k, i), vrp_ng_sets_bit(sets, i, k), kind_of(sets, i, k)};
            count++;
        }
        if (pair != NULL && count > first_pair[k])
            qsort(pair + first_pair[k], (size_t)(count - first_pair[k]), sizeof *pair, compare);
    }
    first_pair[sets->nodes] = count;
    return count;
}

mco_status vrp_ng_find_pairs(mco_context *ctx, vrp_ng_pass *pass)
{
    mco_status st = MCO_OK;
    users u = {0};
    bool *is_near = NULL;
    MCO_TRY(find_users(ctx, &pass->sets, &u));
    MCO_TRY(mco_alloc(ctx, &is_near, pass->sets.nodes));
    MCO_TRY(mco_alloc(ctx, &pass->first_pair, pass->sets.nodes + 1));
    pass->pairs = list_pairs(&pass->sets, &u, is_near, pass->first_pair, NULL);
    MCO_TRY(mco_alloc(ctx, &pass->pair, pass->pairs));
    (void)list_pairs(&pass->sets, &u, is_near, pass->first_pair, pass->pair);
done:
    mco_free(ctx, &is_near);
    mco_free(ctx, &u.node);
    mco_free(ctx, &u.first);
    return st;
}

// ---- Arcs

static int32_t arc_or_apart(int32_t arc)
{
    return arc >= VRP_NO_ARC ? VRP_NG_APART : arc;
}

// Transposes in squares, so that both sides of the copy stay in the cache.
static void copy_far(const vrp_bound_problem *p, const int32_t *arcs, bool is_transposed, int32_t *far)
{
    enum { SQUARE = 32 };
    const int64_t stride = p->stride;
    if (!is_transposed) {
        for (int64_t at = 0; at < p->nodes * stride; at++)
            far[at] = arc_or_apart(arcs[at]);
        return;
    }
    for (int32_t k0 = 0; k0 < p->nodes; k0 += SQUARE)
        for (int32_t i0 = 0; i0 < p->nodes; i0 += SQUARE)
            for (int32_t k = k0; k < k0 + SQUARE && k < p->nodes; k++)
                for (int32_t i = i0; i < i0 + SQUARE && i < p->nodes; i++)
                    far[k * stride + i] = arc_or_apart(arcs[i * stride + k]);
}

void vrp_ng_set_arcs(vrp_ng_pass *pass, const int32_t *arcs)
{
    const vrp_bound_problem *p = pass->problem;
    const int64_t stride = p->stride;
    for (int s = 0; s < pass->sides; s++) {
        vrp_ng_side *side = &pass->side[s];
        for (int32_t i = 0; i < p->nodes; i++) {
            const int32_t out = arc_or_apart(arcs[i]), in = arc_or_apart(arcs[i * stride]);
            side->first[i] = s == 0 ? out : in;
            side->last[i] = s == 0 ? in : out;
        }
        if (side->far == NULL)
            continue;
        // The rows of a symmetric matrix are its columns; the backward side needs the rows.
        copy_far(p, arcs, s == 0 && !p->is_symmetric, side->far);
        for (int32_t a = 0; a < pass->pairs; a++) {
            int32_t *arc = &side->far[pass->pair[a].to * stride + pass->pair[a].from];
            side->near[a] = *arc;
            *arc = VRP_NG_APART;
        }
        for (int32_t i = 0; i < p->nodes; i++)
            side->far[i * stride] = side->far[i * stride + i] = VRP_NG_APART;
        for (int32_t k = 0; k < p->nodes; k++)
            for (int64_t i = p->nodes; i < stride; i++)
                side->far[k * stride + i] = VRP_NG_APART;
    }
}

// A path of load q has at most q / least_demand arcs, and one more back to the depot.
mco_status vrp_ng_check_values(mco_context *ctx, const vrp_bound_problem *p, int32_t least, int32_t greatest)
{
    const int64_t hops = p->capacity / p->least_demand + 1;
    const int64_t size = -(int64_t)least > greatest ? -(int64_t)least : greatest;
    if (hops * size >= VRP_NO_PATH / 2)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "ng-paths of up to %lld arcs of up to %lld units may have a value of %lld, less than %d supported",
                        (long long)hops, (long long)size, (long long)(hops * size), VRP_NO_PATH / 2);
    return MCO_OK;
}

mco_status vrp_ng_check_range(mco_context *ctx, const vrp_ng_pass *pass, const int32_t *arcs)
{
    const vrp_bound_problem *p = pass->problem;
    int32_t least = 0, largest = 0;
    for (int32_t i = 0; i < p->nodes; i++) {
        const int32_t *row = arcs + (int64_t)i * p->stride;
        for (int32_t j = 0; j < p->nodes; j++) {
            least = row[j] < least ? row[j] : least;
            largest = row[j] > largest && row[j] < VRP_NO_ARC ? row[j] : largest;
        }
    }
    return vrp_ng_check_values(ctx, p, least - (pass->grain - 1), largest);  // rounded down
}
