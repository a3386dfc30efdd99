// SPDX-License-Identifier: MIT
#include "vrp/bound/cuts.h"

#include <string.h>

#include "base/grow.h"

void vrp_cuts_open(const vrp_bound_problem *problem, vrp_cuts *out)
{
    *out = (vrp_cuts){.words = (problem->nodes + 63) / 64};
}

static void clear_cut(mco_context *ctx, vrp_cut *cut)
{
    mco_free(ctx, &cut->node);
    mco_free(ctx, &cut->member);
    mco_free(ctx, &cut->memory);
}

void vrp_cuts_close(mco_context *ctx, vrp_cuts *cuts)
{
    for (int64_t k = 0; k < cuts->count; k++)
        clear_cut(ctx, &cuts->cut[k]);
    mco_free(ctx, &cuts->cut);
    cuts->count = cuts->room = 0;
}

// Adds `cut`, whose sets are still NULL; copies node [cut->size] and memory [words].
static mco_status add(mco_context *ctx, vrp_cuts *cuts, vrp_cut cut, const int32_t *node, const uint64_t *memory)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &cut.node, cut.size));
    MCO_TRY(mco_alloc(ctx, &cut.member, cuts->words));
    memcpy(cut.node, node, (size_t)cut.size * sizeof *node);
    for (int32_t k = 0; k < cut.size; k++)
        cut.member[node[k] >> 6] |= (uint64_t)1 << (node[k] & 63);
    if (memory != NULL) {
        MCO_TRY(mco_alloc(ctx, &cut.memory, cuts->words));
        for (int32_t w = 0; w < cuts->words; w++)
            cut.memory[w] = memory[w] | cut.member[w];
    }
    MCO_TRY(mco_grow(ctx, &cuts->cut, &cuts->room, cuts->count + 1));
    cuts->cut[cuts->count++] = cut;
done:
    if (st != MCO_OK)
        clear_cut(ctx, &cut);
    return st;
}

mco_status vrp_cuts_add_set(mco_context *ctx, vrp_cuts *cuts, const int32_t *node, int32_t size, vrp_cut_sense sense, int64_t rhs)
{
    return add(ctx, cuts, (vrp_cut){.kind = VRP_CUT_SET, .sense = sense, .rhs = rhs, .size = size}, node, NULL);
}

mco_status vrp_cuts_add_rank1(mco_context *ctx, vrp_cuts *cuts, const int32_t *node, int32_t size, const int32_t *numerator,
                              int32_t denominator, int64_t rhs, const uint64_t *memory)
{
    vrp_cut cut = {.kind = VRP_CUT_RANK1, .sense = VRP_CUT_AT_MOST, .rhs = rhs, .size = size, .denominator = denominator};
    if (size > VRP_RANK1_MOST_MEMBERS)
        return mco_fail(ctx, MCO_ERR_INTERNAL, "a rank-1 row of %d customers; %d are the most", size, VRP_RANK1_MOST_MEMBERS);
    memcpy(cut.numerator, numerator, (size_t)size * sizeof *numerator);
    return add(ctx, cuts, cut, node, memory);
}

void vrp_cuts_keep(mco_context *ctx, vrp_cuts *cuts, const bool *keep)
{
    int64_t kept = 0;
    for (int64_t k = 0; k < cuts->count; k++) {
        if (keep[k])
            cuts->cut[kept++] = cuts->cut[k];
        else
            clear_cut(ctx, &cuts->cut[k]);
    }
    cuts->count = kept;
}

mco_status vrp_cuts_copy(mco_context *ctx, const vrp_cuts *from, vrp_cuts *to)
{
    mco_status st = MCO_OK;
    vrp_cuts copy = {.words = from->words};
    for (int64_t k = 0; k < from->count; k++) {
        vrp_cut cut = from->cut[k];
        cut.node = NULL;
        cut.member = cut.memory = NULL;
        MCO_TRY(add(ctx, &copy, cut, from->cut[k].node, from->cut[k].memory));
    }
    *to = copy;
done:
    if (st != MCO_OK)
        vrp_cuts_close(ctx, &copy);
    return st;
}

static int32_t crossings(const vrp_cut *cut, const int32_t *node, int32_t count)
{
    int32_t sum = 0;
    bool is_inside = false;
    for (int32_t k = 0; k < count; k++) {
        const bool is_member = vrp_set_has(cut->member, node[k]);
        sum += is_member != is_inside;
        is_inside = is_member;
    }
    return sum + is_inside;
}

int32_t vrp_cut_coefficient(const vrp_cut *cut, const int32_t *node, int32_t count)
{
    int32_t state = 0, times = 0;
    if (cut->kind == VRP_CUT_SET)
        return crossings(cut, node, count);
    for (int32_t k = 0; k < count; k++) {
        if (cut->memory != NULL && !vrp_set_has(cut->memory, node[k]))
            state = 0;
        else if (vrp_set_has(cut->member, node[k]))
            state += vrp_cut_numerator(cut, node[k]);
        if (state >= cut->denominator) {
            state -= cut->denominator;
            times++;
        }
    }
    return times;
}
