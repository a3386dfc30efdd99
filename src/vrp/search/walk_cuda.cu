// SPDX-License-Identifier: MIT
// Launcher of walks on a GPU.
#include "vrp/search/walk_cuda.h"

#include "vrp/search/walk.cuh"

namespace vrp {

// Nodes that the instances of the kernel hold, in units of LANES, ascending. First in the plane without a limit of
// length.
constexpr int PLANE_ROUNDS[] = {4, 5, 6, 8, 12, 16};
constexpr int PLANES = 6;
// With a limit of length, and with a matrix. There are fewer, so that they compile in less time.
constexpr int LENGTH_ROUNDS[] = {5, 6, 8, 16};
constexpr int LENGTHS = 4;
constexpr int MATRIX_ROUNDS[] = {6, 16};
constexpr int MATRICES = 2;

// Calls use(shape) for the instance with this number; its type is a walk_shape.
template <class Use> static cudaError_t with_shape(int shape, Use use)
{
    switch (shape) {
    case 0:
        return use(walk_shape<PLANE_ROUNDS[0], false, false>{});
    case 1:
        return use(walk_shape<PLANE_ROUNDS[1], false, false>{});
    case 2:
        return use(walk_shape<PLANE_ROUNDS[2], false, false>{});
    case 3:
        return use(walk_shape<PLANE_ROUNDS[3], false, false>{});
    case 4:
        return use(walk_shape<PLANE_ROUNDS[4], false, false>{});
    case 5:
        return use(walk_shape<PLANE_ROUNDS[5], false, false>{});
    case 6:
        return use(walk_shape<LENGTH_ROUNDS[0], false, true>{});
    case 7:
        return use(walk_shape<LENGTH_ROUNDS[1], false, true>{});
    case 8:
        return use(walk_shape<LENGTH_ROUNDS[2], false, true>{});
    case 9:
        return use(walk_shape<LENGTH_ROUNDS[3], false, true>{});
    case 10:
        return use(walk_shape<MATRIX_ROUNDS[0], true, true>{});
    case 11:
        return use(walk_shape<MATRIX_ROUNDS[1], true, true>{});
    default:
        return cudaErrorInvalidValue;
    }
}

template <class S> static cudaError_t prepare(vrp_walk_form *form)
{
    const size_t bytes = S::WORDS * sizeof(uint32_t);
    int blocks = 0;
    cudaError_t error = allow_shared(walk_part<S>, bytes);
    if (error == cudaSuccess)
        error = cudaFuncSetAttribute(walk_part<S>, cudaFuncAttributePreferredSharedMemoryCarveout,
                                     cudaSharedmemCarveoutMaxShared);
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, walk_part<S>, LANES, bytes);
    form->nodes = S::NODES;
    form->resident = blocks;
    return error;
}

}  // namespace vrp

using namespace vrp;

cudaError_t vrp_walk_form_choose(int32_t nodes, bool is_matrix, bool has_length, vrp_walk_form *form)
{
    const int first = is_matrix ? PLANES + LENGTHS : has_length ? PLANES : 0;
    const int count = is_matrix ? MATRICES : has_length ? LENGTHS : PLANES;
    const int *rounds = is_matrix ? MATRIX_ROUNDS : has_length ? LENGTH_ROUNDS : PLANE_ROUNDS;
    int k = 0;
    while (k < count && rounds[k] * LANES < nodes)
        k++;
    form->shape = k < count ? first + k : -1;
    if (k == count)
        return cudaSuccess;
    return with_shape(form->shape, [&](auto shape) { return prepare<decltype(shape)>(form); });
}

cudaError_t vrp_launch_walks(const vrp_device_walks *walks, const vrp_walk_form *form, cudaStream_t stream)
{
    return with_shape(form->shape, [&](auto shape) {
        using S = decltype(shape);
        return launch(walk_part<S>, dim3((unsigned int)walks->walks), LANES, S::WORDS * sizeof(uint32_t), stream, *walks);
    });
}
