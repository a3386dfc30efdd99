// SPDX-License-Identifier: MIT
#include "vrp/bound/labels/states.h"

static bool has_price(const vrp_cut *cut)
{
    return cut->kind == VRP_CUT_RANK1 && cut->price < 0;
}

static bool remembers(const vrp_cut *cut, int32_t node)
{
    return cut->memory == NULL || vrp_set_has(cut->memory, node) || vrp_set_has(cut->member, node);
}

// Gives each row with a price its group of bits, and counts rows, words and members.
static mco_status place_rows(mco_context *ctx, const vrp_cuts *cuts, vrp_states *s, int32_t *members)
{
    mco_status st = MCO_OK;
    int32_t bit = 0;
    MCO_TRY(mco_alloc(ctx, &s->row, cuts->count));
    for (int64_t k = 0; k < cuts->count; k++) {
        const vrp_cut *cut = &cuts->cut[k];
        if (!has_price(cut))
            continue;
        if (cut->denominator > VRP_STATES_MOST_DENOMINATOR || cut->denominator < 2)
            return mco_fail(ctx, MCO_ERR_LIMIT, "a rank-1 row of denominator %d; 2..%d are supported", cut->denominator, VRP_STATES_MOST_DENOMINATOR);
        for (int32_t m = 0; m < cut->size; m++)
            if (cut->numerator[m] < 1 || cut->numerator[m] >= cut->denominator)
                return mco_fail(ctx, MCO_ERR_LIMIT, "a rank-1 row of multiplier %d/%d; those between 0 and 1 are supported",
                                cut->numerator[m], cut->denominator);
        const int32_t bits = cut->denominator - 1;
        if (bit % 64 + bits > 64)
            bit += 64 - bit % 64;
        s->row[s->count++] = (vrp_state_row){bit / 64, bit % 64, cut->denominator, -cut->price};
        bit += bits;
        *members += cut->size;
    }
    s->words = (bit + 63) / 64;
done:
    return st;
}

static void fill_groups(const vrp_bound_problem *problem, const vrp_cuts *cuts, vrp_states *s)
{
    int32_t r = 0;
    for (int64_t k = 0; k < cuts->count; k++) {
        if (!has_price(&cuts->cut[k]))
            continue;
        const vrp_state_row *row = &s->row[r];
        const uint64_t group = (((uint64_t)1 << (row->denominator - 1)) - 1) << row->shift;
        for (int32_t b = 0; b < row->denominator - 1; b++)
            s->row_of[64 * row->word + row->shift + b] = r;
        s->higher[row->word] |= group & group << 1;
        for (int32_t i = 1; i < problem->nodes; i++)
            if (remembers(&cuts->cut[k], i))
                s->keep[(int64_t)i * s->words + row->word] |= group;
        r++;
    }
}

// Lists the rows of each node: counts, then begins, then entries, which move each begin to the next one.
static void fill_members(const vrp_bound_problem *problem, const vrp_cuts *cuts, vrp_states *s)
{
    int32_t r = 0;
    for (int64_t k = 0; k < cuts->count; k++)
        for (int32_t m = 0; has_price(&cuts->cut[k]) && m < cuts->cut[k].size; m++)
            s->first[cuts->cut[k].node[m] + 1]++;
    for (int32_t i = 0; i < problem->nodes; i++)
        s->first[i + 1] += s->first[i];
    for (int64_t k = 0; k < cuts->count; k++) {
        if (!has_price(&cuts->cut[k]))
            continue;
        for (int32_t m = 0; m < cuts->cut[k].size; m++)
            s->member[s->first[cuts->cut[k].node[m]]++] = (vrp_state_member){r, cuts->cut[k].numerator[m]};
        r++;
    }
    for (int32_t i = problem->nodes; i > 0; i--)
        s->first[i] = s->first[i - 1];
    s->first[0] = 0;
}

mco_status vrp_states_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_cuts *cuts, vrp_states *out)
{
    mco_status st = MCO_OK;
    const vrp_cuts none = {0};
    int32_t members = 0;
    *out = (vrp_states){0};
    if (cuts == NULL)
        cuts = &none;
    MCO_TRY(place_rows(ctx, cuts, out, &members));
    MCO_TRY(mco_alloc(ctx, &out->row_of, 64 * (int64_t)out->words));
    MCO_TRY(mco_alloc(ctx, &out->higher, out->words));
    MCO_TRY(mco_alloc(ctx, &out->keep, (int64_t)problem->nodes * out->words));
    MCO_TRY(mco_alloc(ctx, &out->first, problem->nodes + 1));
    MCO_TRY(mco_alloc(ctx, &out->member, members));
    fill_groups(problem, cuts, out);
    fill_members(problem, cuts, out);
done:
    if (st != MCO_OK)
        vrp_states_close(ctx, out);
    return st;
}

void vrp_states_close(mco_context *ctx, vrp_states *states)
{
    mco_free(ctx, &states->row);
    mco_free(ctx, &states->row_of);
    mco_free(ctx, &states->higher);
    mco_free(ctx, &states->keep);
    mco_free(ctx, &states->first);
    mco_free(ctx, &states->member);
}
