// SPDX-License-Identifier: MIT
// The list of the places that a filter keeps, by the toolkit's CUB.
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

#include "steps_bench.cuh"

static size_t select(cudaStream_t stream, void *scratch, size_t bytes, const uint8_t *keep, uint32_t places, uint32_t *list,
                     uint32_t *d_count)
{
    const thrust::counting_iterator<uint32_t> every(0);
    MUST(cub::DeviceSelect::Flagged(scratch, bytes, every, keep, list, d_count, (int)places, stream));
    return bytes;
}

size_t compaction_bytes(uint32_t places)
{
    return select(0, NULL, 0, NULL, places, NULL, NULL);
}

void enqueue_compaction(cudaStream_t stream, void *scratch, size_t bytes, const uint8_t *keep, uint32_t places, uint32_t *list,
                        uint32_t *d_count)
{
    select(stream, scratch, bytes, keep, places, list, d_count);
}
