// SPDX-License-Identifier: MIT
// Sweeps of several processes. Each has the whole instance and all duals, and sweeps every ranks-th block of nodes. Behind a sweep all
// get the new duals of all nodes (allgather, 4 bytes a node), the bound (a sum of integers), for `std` the excesses too (a sum, 8
// bytes a node), and the same answer to whether the run goes on. So duals and bounds are those of one process, bit for bit.
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "overlay/dual.h"

static const double SHARE_UNIT = 1099511627776.0;  // 2^40: a share of the time limit as an integer

int64_t overlay_own_blocks(const overlay_dual *d)
{
    return (d->blocks - mco_rank(d->ctx) + mco_rank_count(d->ctx) - 1) / mco_rank_count(d->ctx);
}

// A sum of 128 bits as four integers, which many ranks can add up; and back.
static void split_sum(const overlay_sum *sum, int64_t part[4])
{
    const uint64_t words[2] = {sum->low, sum->high};
    for (int k = 0; k < 4; k++)
        part[k] = (int64_t)(words[k / 2] >> 32 * (k % 2) & UINT32_MAX);
}

static overlay_sum join_sum(const int64_t part[4])
{
    uint64_t word[4], carry = 0;
    for (int k = 0; k < 4; k++) {
        carry += (uint64_t)part[k];
        word[k] = carry & UINT32_MAX;
        carry >>= 32;
    }
    return (overlay_sum){word[1] << 32 | word[0], word[3] << 32 | word[2]};
}

// The node at place k of a sweep.
static int32_t node_at(const overlay_dual *d, int64_t k)
{
    return d->prices.order != NULL ? d->prices.order[k] : (int32_t)k;
}

void overlay_pack(const overlay_dual *d, int rank, uint32_t *duals, uint32_t *packed, bool is_back)
{
    int64_t at = 0;
    for (int64_t b = rank; b < d->blocks; b += mco_rank_count(d->ctx)) {
        const int64_t begin = b * d->block, end = begin + d->block < d->o->nodes ? begin + d->block : d->o->nodes;
        for (int64_t k = begin; k < end; k++, at++)
            if (is_back)
                duals[node_at(d, k)] = packed[at];
            else
                packed[at] = duals[node_at(d, k)];
    }
}

// Where the duals of each rank begin in the buffer.
static void settle_first(overlay_dual *d)
{
    const int ranks = mco_rank_count(d->ctx);
    for (int r = 0; r < ranks; r++) {
        d->first[r + 1] = d->first[r];
        for (int64_t b = r; b < d->blocks; b += ranks)
            d->first[r + 1] += (int64_t)sizeof *d->packed * ((b + 1) * d->block < d->o->nodes ? d->block : d->o->nodes - b * d->block);
    }
}

// All ranks get d->next of all nodes. In the buffer the duals of a rank stand behind those of the ranks before it.
static mco_status give_next(overlay_dual *d)
{
    mco_status st = MCO_OK;
    const int rank = mco_rank(d->ctx);
    overlay_pack(d, rank, d->next, d->packed + d->first[rank] / (int64_t)sizeof *d->packed, false);
    MCO_TRY(mco_ranks_gather(d->ctx, d->packed, d->first));
    for (int r = 0; r < mco_rank_count(d->ctx); r++)
        overlay_pack(d, r, d->next, d->packed + d->first[r] / (int64_t)sizeof *d->packed, true);
done:
    return st;
}

mco_status overlay_exchange_open(overlay_dual *d)
{
    mco_status st = MCO_OK;
    if (mco_rank_count(d->ctx) == 1)
        return MCO_OK;
    MCO_TRY(mco_alloc(d->ctx, &d->packed, d->o->nodes));
    MCO_TRY(mco_alloc(d->ctx, &d->first, mco_rank_count(d->ctx) + 1));
    settle_first(d);
done:
    return st;
}

// What ranks add up behind a sweep: the bound, who wants to end and why, and the share of the time that the first rank sees.
typedef struct word {
    int64_t bound[4], cut, stops[MCO_STOP_CANCELLED + 1], share;
} word;

static mco_status exchange(overlay_dual *d, bool moves, overlay_sum *bound)
{
    mco_status st = MCO_OK;
    word w = {.cut = atomic_load(&d->is_cut)};
    mco_run_must_stop(d->run, d->iterations);
    if (d->run->stop == MCO_STOP_FINISHED && (mco_clock_s() >= d->stop_s || w.cut != 0))
        d->run->stop = MCO_STOP_TIME;  // what is left is for the check
    split_sum(bound, w.bound);
    w.stops[d->run->stop] = 1;
    w.share = mco_rank(d->ctx) == 0 ? (int64_t)(fmin(mco_run_share(d->run), 2) * SHARE_UNIT) : 0;
    MCO_TRY(mco_ranks_reduce(d->ctx, &w, sizeof w / sizeof(int64_t), MCO_REDUCE_SUM));
    *bound = join_sum(w.bound);
    atomic_store(&d->is_cut, w.cut != 0);
    for (int k = 0; k <= MCO_STOP_CANCELLED; k++)
        d->run->stop = w.stops[k] > 0 ? (mco_stop)k : d->run->stop;
    d->share = (double)w.share / SHARE_UNIT;
    if (w.cut == 0 && moves)
        MCO_TRY(give_next(d));
    if (w.cut == 0 && !moves && d->excess != NULL)
        MCO_TRY(mco_ranks_reduce(d->ctx, d->excess, d->o->nodes, MCO_REDUCE_SUM));
done:
    return st;
}

bool overlay_exchange(overlay_dual *d, bool moves, overlay_sum *bound)
{
    if (overlay_is_shared(d) && exchange(d, moves, bound) != MCO_OK) {
        d->run->stop = MCO_STOP_CANCELLED;  // the next call of all ranks tells why (base/ranks.h)
        return false;
    }
    return !atomic_load(&d->is_cut);
}

double overlay_share(const overlay_dual *d)
{
    return overlay_is_shared(d) ? d->share : mco_run_share(d->run);
}

mco_status overlay_check_together(overlay_dual *d, overlay_sum *sum)
{
    int64_t part[5];
    part[4] = overlay_check_best(d, sum) ? 0 : 1;
    split_sum(sum, part);
    const mco_status st = mco_ranks_reduce(d->ctx, part, 5, MCO_REDUCE_SUM);
    *sum = join_sum(part);
    if (st == MCO_OK && part[4] > 0)
        return mco_fail(d->ctx, MCO_ERR_STOPPED, "the check of the bound was cancelled");
    return st;
}

mco_status overlay_agree_on_gap(overlay_dual *d, bool *goes_on)
{
    int64_t end = d->run->stop;
    const mco_status st = mco_ranks_broadcast(d->ctx, &end, sizeof end, 0);
    if (mco_rank_count(d->ctx) > 1) {
        d->run->stop = (mco_stop)end;
        *goes_on = end == MCO_STOP_FINISHED;
    }
    return st;
}
