// SPDX-License-Identifier: MIT
// Distributed steps of a node (overlay/subgradient.c has the method; the same integers here).
#ifndef MCO_OVERLAY_GPU_DIST_CUH
#define MCO_OVERLAY_GPU_DIST_CUH

#include "overlay/gpu/rows.cuh"

namespace {

constexpr int DIST_STALLS = 10, MOST_VIEWED = 40, STEPS_A_LOOK = 64;
constexpr uint64_t FIRST_ALPHA = 703687441777, LEAST_ALPHA = 1407374884, MOST_ALPHA = (uint64_t)1 << 47;

struct descent {
    uint64_t alpha, first;  // first: worth of the row at the first dual
    int32_t stalls;
    uint32_t dual, best;
};

DEVICE uint32_t moved_by(uint32_t dual, int64_t step)
{
    const int64_t moved = (int64_t)dual + step;
    return moved <= 0 ? 0 : moved >= UINT32_MAX ? UINT32_MAX : (uint32_t)moved;
}

DEVICE uint64_t longer_of(uint64_t alpha)
{
    const uint64_t longer = alpha + alpha / 200;
    return longer < MOST_ALPHA ? longer : MOST_ALPHA;
}

DEVICE uint64_t shorter_of(uint64_t alpha)
{
    const uint64_t shorter = alpha - alpha / 20;
    return shorter > LEAST_ALPHA ? shorter : LEAST_ALPHA;
}

// Steps of one node by their sign, the chain that dist waits for. So nothing branches, the move takes 32 bits, and what does not depend on the
// sums, alpha's quotients, is found while they are on their way. `far_load` and `far_worth` are those of links above all duals that it can reach.
template <class ROW>
DEVICE void descend_by_sign(const ROW &row, const overlay_gpu_rules &rules, uint32_t far_load, uint64_t far_worth, uint32_t bandwidth,
                            const int32_t *d_stop, descent &d)
{
    uint64_t least = UINT64_MAX, alpha = d.alpha;
    uint32_t dual = d.dual, best = d.dual;
    int32_t stalls = d.stalls;
    for (int32_t from = 0; from < rules.inner; from += STEPS_A_LOOK) {
        const int32_t end = rules.inner < from + STEPS_A_LOOK ? rules.inner : from + STEPS_A_LOOK;
        if (from > 0 && ROW::agree(load_word(d_stop) != 0))
            break;
        for (int32_t k = from; k < end; k++) {
            uint64_t worth;
            const bool is_up = row.both(dual, &worth) + far_load > bandwidth, is_worn = stalls >= DIST_STALLS;
            const uint64_t longer = longer_of(alpha), shorter = is_worn ? shorter_of(alpha) : alpha;
            const uint32_t far = (uint32_t)(longer >> 16), near = (uint32_t)(shorter >> 16);
            const uint64_t far_part = far_worth - (uint64_t)far_load * dual, own = (uint64_t)dual * bandwidth;
            worth += far_part;
            const bool gains = worth + own < least;
            const uint32_t units = gains ? far : near;
            const uint32_t up = dual + units < dual ? UINT32_MAX : dual + units, down = dual > units ? dual - units : 0;
            d.first = k == 0 ? worth : d.first;
            least = gains ? worth + own : least;
            best = gains ? dual : best;
            alpha = gains ? longer : shorter;
            stalls = gains ? stalls : is_worn ? 0 : stalls + 1;
            dual = is_up ? up : down;
        }
    }
    d.alpha = alpha;
    d.stalls = stalls;
    d.dual = dual;
    d.best = best;
}

// Steps by the share of the bandwidth.
template <class ROW>
DEVICE void descend_by_share(const ROW &row, const overlay_gpu_rules &rules, uint32_t bandwidth, const int32_t *d_stop, descent &d)
{
    uint64_t least = UINT64_MAX;
    d.best = d.dual;
    for (int32_t k = 0; k < rules.inner; k++) {
        if (k % STEPS_A_LOOK == STEPS_A_LOOK - 1 && ROW::agree(load_word(d_stop) != 0))
            return;
        uint64_t worth;
        const int64_t excess = (int64_t)row.both(d.dual, &worth) - bandwidth;
        const uint64_t bound = worth + (uint64_t)d.dual * bandwidth;
        const bool gains = bound < least, is_worn = d.stalls >= DIST_STALLS;
        d.first = k == 0 ? worth : d.first;
        least = gains ? bound : least;
        d.best = gains ? d.dual : d.best;
        d.alpha = gains ? longer_of(d.alpha) : is_worn ? shorter_of(d.alpha) : d.alpha;
        d.stalls = gains ? d.stalls : is_worn ? 0 : d.stalls + 1;
        d.dual = moved_by(d.dual, bandwidth > 0 ? (int64_t)(d.alpha >> 16) * excess / (int64_t)bandwidth : 0);
    }
}

template <class ROW> DEVICE void descend(const ROW &row, const overlay_gpu_rules &rules, uint32_t bandwidth, const int32_t *d_stop, descent &d)
{
    if (rules.by_sign)
        descend_by_sign(row, rules, 0, 0, bandwidth, d_stop, d);
    else
        descend_by_share(row, rules, bandwidth, d_stop, d);
}

constexpr int VIEW_MOST = 256;  // links that a warp keeps of a longer row

template <int R>
DEVICE void descend_in(const uint64_t *view, int count, const overlay_gpu_rules &rules, uint32_t far_load, uint64_t far_worth,
                       uint32_t bandwidth, const int32_t *d_stop, descent &d)
{
    const int lane = (int)(threadIdx.x % WARP);
    warp_row<R> row;
#pragma unroll
    for (int r = 0; r < R; r++) {
        const int at = r * WARP + lane;
        const uint64_t e = at < count ? view[at] : 0;
        row.excess[r] = (uint32_t)e;
        row.most[r] = (uint32_t)(e >> 32);
    }
    descend_by_sign(row, rules, far_load, far_worth, bandwidth, d_stop, d);
}

// Steps by the sign have a length that is known before. So a warp sums the links above all duals that it can reach, keeps those within
// reach side by side in `view` [VIEW_MOST], and looks only at these, if there are not too many.
template <int K>
DEVICE void descend_by_view(const warp_row<K> &row, uint64_t *view, const overlay_gpu_rules &rules, uint32_t bandwidth, const int32_t *d_stop,
                            descent &d)
{
    const int lane = (int)(threadIdx.x % WARP);
    const int64_t reach = (int64_t)((d.alpha >> 16) * (uint64_t)rules.inner * 5 / 4) + rules.inner, low = d.dual - reach, high = d.dual + reach;
    const uint32_t from = low > 0 ? (uint32_t)low : 0, to = high < UINT32_MAX ? (uint32_t)high : UINT32_MAX;
    uint32_t load = 0;
    uint64_t worth = 0;
    int count = 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
        const uint32_t excess = row.excess[k], most = row.most[k], counted = excess > to ? most : 0;
        const bool is_near = excess > from && excess <= to;
        const unsigned int near = __ballot_sync(ALL_LANES, is_near);
        const int at = count + __popc(near & ((1u << lane) - 1));
        if (is_near && at < VIEW_MOST)
            view[at] = excess | (uint64_t)most << 32;
        count += __popc(near);
        load += counted;
        worth += (uint64_t)excess * counted;
    }
    __syncwarp();
    load = __reduce_add_sync(ALL_LANES, load);
    worth = sum_of_lanes(worth);
    if (count <= WARP)
        descend_in<1>(view, count, rules, load, worth, bandwidth, d_stop, d);
    else if (count <= 2 * WARP)
        descend_in<2>(view, count, rules, load, worth, bandwidth, d_stop, d);
    else if (count <= 4 * WARP)
        descend_in<4>(view, count, rules, load, worth, bandwidth, d_stop, d);
    else if (count <= 8 * WARP)
        descend_in<8>(view, count, rules, load, worth, bandwidth, d_stop, d);
    else
        descend_by_sign(row, rules, 0, 0, bandwidth, d_stop, d);
    __syncwarp();
}

DEVICE uint32_t kept_of(const overlay_gpu_rules &rules, uint32_t old, const descent &d)
{
    return rules.keep == 2 ? d.dual : rules.keep == 1 ? d.best : (uint32_t)(((uint64_t)old + d.best) / 2);
}

}  // namespace

#endif
