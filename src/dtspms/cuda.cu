// SPDX-License-Identifier: MIT
// Launchers of the dtspms kernels.
#include "dtspms/cuda.h"

#include <type_traits>

#include "dtspms/scan.cuh"
#include "dtspms/walk.cuh"

namespace dtspms {

// ---- Kernel instances, in ascending order of the heights they hold

template <bool IS_SYMMETRIC> using shape_12 = pair_shape<12, 3, 4, IS_SYMMETRIC, 10>;
template <bool IS_SYMMETRIC> using shape_23 = pair_shape<23, 3, 8, IS_SYMMETRIC, 8>;
template <bool IS_SYMMETRIC> using shape_34 = pair_shape<34, 3, 16, IS_SYMMETRIC, 8>;
template <bool IS_SYMMETRIC> using shape_45 = pair_shape<45, 3, 16, IS_SYMMETRIC, 8>;

constexpr int SHAPES = 4;

// Calls use(shape) for the kernel instance with this number; the value `shape` carries the type.
template <class Use> static cudaError_t with_shape(int shape, bool is_symmetric, Use use)
{
    switch (2 * shape + is_symmetric) {
    case 0:
        return use(shape_12<false>{});
    case 1:
        return use(shape_12<true>{});
    case 2:
        return use(shape_23<false>{});
    case 3:
        return use(shape_23<true>{});
    case 4:
        return use(shape_34<false>{});
    case 5:
        return use(shape_34<true>{});
    case 6:
        return use(shape_45<false>{});
    case 7:
        return use(shape_45<true>{});
    default:
        return cudaErrorInvalidValue;
    }
}

// Chooses as many warps as fit. The matrix goes into shared memory if it costs no warp.
template <class S> static void fit_scan(const dtspms_device_problem &problem, size_t shared_bytes, dtspms_pair_form *form)
{
    const size_t warp_bytes = (size_t)form->group_bytes * S::GROUPS;
    const size_t matrix_bytes = sizeof(uint16_t) * (size_t)problem.nodes * (size_t)problem.nodes;
    const size_t warps = shared_bytes / warp_bytes < S::WARPS ? shared_bytes / warp_bytes : S::WARPS;
    form->scan_warps = (int32_t)warps;
    form->scan_shares_distances = warps > 0 && warps * warp_bytes + matrix_bytes <= shared_bytes;
    form->scan_bytes = (int32_t)(warps * warp_bytes + (form->scan_shares_distances ? matrix_bytes : 0));
}

// Whether the kernel instance holds the heights, with the stacks in the order of problem->sequence_of. Fills in *form.
template <class S> static bool fits(const dtspms_device_problem &problem, size_t shared_bytes, dtspms_pair_form *form)
{
    const pair_layout layout = pair_layout::of<S>(problem);
    if (layout.c0 >= S::R * S::G || layout.c2 >= S::Z)
        return false;
    form->cells = S::Z, form->rows = S::R, form->threads = S::G;
    form->group_bytes = layout.words * (int32_t)sizeof(uint32_t);
    fit_scan<S>(problem, shared_bytes, form);
    return form->scan_warps > 0;
}

}  // namespace dtspms

using namespace dtspms;

// The lowest stack becomes sequence 2, whose heights are unrolled and cost most. The second lowest becomes sequence 0,
// so that a group has few threads. The highest becomes sequence 1.
static void order_stacks(dtspms_device_problem *problem)
{
    static const int32_t SEQUENCE[3] = {2, 0, 1};
    for (int k = 0; k < 3; k++) {
        int rank = 0;
        for (int other = 0; other < 3; other++)
            rank += problem->heights[other] < problem->heights[k] ||
                    (problem->heights[other] == problem->heights[k] && other < k);
        problem->sequence_of[k] = SEQUENCE[rank];
    }
}

cudaError_t dtspms_pair_choose(dtspms_device_problem *problem, size_t shared_bytes, dtspms_pair_form *form)
{
    order_stacks(problem);
    for (form->shape = 0; form->shape < SHAPES; form->shape++) {
        bool is_enough = false;
        const cudaError_t error = with_shape(form->shape, problem->is_symmetric, [&](auto shape) {
            using S = decltype(shape);
            is_enough = fits<S>(*problem, shared_bytes, form);
            return is_enough ? allow_shared(scan_pairs<S>, (size_t)form->scan_bytes) : cudaSuccess;
        });
        if (error != cudaSuccess || is_enough)
            return error;
    }
    form->shape = -1;
    return cudaSuccess;
}

cudaError_t dtspms_launch_scan_pairs(const dtspms_device_problem *problem, const dtspms_device_scan *scan,
                                     const dtspms_pair_form *form, mco_dtspms_network network, int64_t first, int64_t end,
                                     int blocks, cudaStream_t stream)
{
    const scan_range range = {first, end, form->scan_shares_distances};
    return with_shape(form->shape, problem->is_symmetric, [&](auto shape) {
        return launch(scan_pairs<decltype(shape)>, (unsigned int)blocks, (unsigned int)(form->scan_warps * WARP),
                      (size_t)form->scan_bytes, stream, *problem, *scan, range, network);
    });
}

// ---- Plain

double dtspms_plain_words(const dtspms_device_problem *problem)
{
    double words = problem->orders + (double)DTSPMS_DEVICE_SEQUENCE + 1, table = 1;
    for (int k = problem->stacks - 1; k > 0; k--) {
        table *= problem->heights[k] + 1.0;
        words += table;
    }
    return words;
}

// Calls use(stacks) with the number as a type.
template <class Use> static cudaError_t with_stacks(int stacks, Use use)
{
    switch (stacks) {
    case 2:
        return use(std::integral_constant<int, 2>{});
    case 3:
        return use(std::integral_constant<int, 3>{});
    case 4:
        return use(std::integral_constant<int, 4>{});
    case 5:
        return use(std::integral_constant<int, 5>{});
    case 6:
        return use(std::integral_constant<int, 6>{});
    default:
        return cudaErrorInvalidValue;
    }
}

cudaError_t dtspms_launch_scan_plain(const dtspms_device_problem *problem, const dtspms_device_scan *scan,
                                     mco_dtspms_network network, int64_t first, int64_t end, int32_t *d_tables,
                                     int64_t threads, cudaStream_t stream)
{
    const scan_range range = {first, end, false};
    const unsigned int blocks = (unsigned int)(threads / DTSPMS_PLAIN_THREADS);
    return with_stacks(problem->stacks, [&](auto stacks) {
        return launch(scan_plain<decltype(stacks)::value>, blocks, DTSPMS_PLAIN_THREADS, 0, stream, *problem, *scan, range,
                      network, d_tables);
    });
}

// ---- Answer of a scan

cudaError_t dtspms_launch_begin(const dtspms_device_scan *scan, cudaStream_t stream)
{
    return launch(begin_scan, 1, 1, 0, stream, *scan);
}

cudaError_t dtspms_launch_end(const dtspms_device_scan *scan, cudaStream_t stream)
{
    return launch(end_scan, 1, 1, 0, stream, *scan);
}

// ---- Walks

// Calls use(shape) for the kernel instance with this number; the value `shape` carries the type. First groups of 4
// lanes, then of 8. For each: 32 bits with shared symmetric distances; with shared distances; with distances in device
// memory; 64 bits.
template <class Use> static cudaError_t with_walk_shape(int shape, Use use)
{
    switch (shape) {
    case 0:
        return use(walk_shape<4, false, true, true>{});
    case 1:
        return use(walk_shape<4, false, false, true>{});
    case 2:
        return use(walk_shape<4, false, false, false>{});
    case 3:
        return use(walk_shape<4, true, false, false>{});
    case 4:
        return use(walk_shape<8, false, true, true>{});
    case 5:
        return use(walk_shape<8, false, false, true>{});
    case 6:
        return use(walk_shape<8, false, false, false>{});
    case 7:
        return use(walk_shape<8, true, false, false>{});
    default:
        return cudaErrorInvalidValue;
    }
}

// Chooses as many warps as fit.
template <class S> static void fit_walks(int32_t orders, size_t shared_bytes, dtspms_walk_form *form)
{
    const walk_layout layout = walk_layout::of<S>(orders);
    const size_t nodes = (size_t)orders + 1;
    form->is_wide = S::IS_WIDE;
    form->positions = layout.positions;
    form->node_bit = S::NODE, form->length_bit = S::LENGTH;
    form->walks = S::GROUPS;
    form->warp_bytes = layout.words * S::GROUPS * (int32_t)sizeof(typename S::word);
    form->shared_bytes = S::IS_SHARED ? (int32_t)(2 * nodes * nodes * sizeof(typename S::distance)) : 0;
    const size_t bytes = (size_t)form->shared_bytes, warp_bytes = (size_t)form->warp_bytes;
    const size_t warps = bytes < shared_bytes ? (shared_bytes - bytes) / warp_bytes : 0;
    form->warps = warps < MOST_WALK_WARPS ? (int32_t)warps : MOST_WALK_WARPS;
}

static cudaError_t prepare_walks(int shape, int32_t orders, size_t shared_bytes, dtspms_walk_form *form)
{
    form->shape = shape;
    return with_walk_shape(shape, [&](auto type) {
        using S = decltype(type);
        fit_walks<S>(orders, shared_bytes, form);
        return allow_shared(walk_groups<S>, shared_bytes);
    });
}

// Distances are in shared memory if that costs at most half of the warps.
cudaError_t dtspms_walk_choose(int32_t orders, int32_t stacks, int32_t longest, bool is_symmetric, size_t shared_bytes,
                               dtspms_walk_form *form)
{
    const int first = stacks > 4 ? 4 : 0;
    const bool is_wide = !(stacks > 4 ? walk_shape<8, false, false, false>::fits(orders, longest)
                                      : walk_shape<4, false, false, false>::fits(orders, longest));
    dtspms_walk_form shared = {};
    form->shape = -1;
    if (orders < 1 || orders > DTSPMS_DEVICE_WALK_ORDERS)
        return cudaSuccess;
    cudaError_t error = prepare_walks(first + (is_wide ? 3 : 2), orders, shared_bytes, form);
    if (error == cudaSuccess && !is_wide)
        error = prepare_walks(first + (is_symmetric ? 0 : 1), orders, shared_bytes, &shared);
    if (shared.warps > 0 && 2 * shared.warps >= form->warps)
        *form = shared;
    if (form->warps == 0)
        form->shape = -1;
    return error;
}

cudaError_t dtspms_launch_walks(const dtspms_device_walks *walks, const dtspms_walk_form *form, int multiprocessors,
                                cudaStream_t stream)
{
    // Few walks are spread over all multiprocessors.
    const int64_t warps = ((int64_t)walks->count + form->walks - 1) / form->walks;
    const int64_t even = (warps + multiprocessors - 1) / multiprocessors, of_block = even < form->warps ? even : form->warps;
    const int64_t blocks = (warps + of_block - 1) / of_block;
    const size_t bytes = (size_t)(of_block * form->warp_bytes + form->shared_bytes);
    return with_walk_shape(form->shape, [&](auto shape) {
        return launch(walk_groups<decltype(shape)>, (unsigned int)blocks, (unsigned int)(of_block * WARP), bytes, stream,
                      *walks);
    });
}
