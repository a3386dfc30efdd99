// SPDX-License-Identifier: MIT
// From the best value to the move. Scans by tables offer keys: a value, x and y / 4 in one word. An atomic minimum
// keeps the least key, which has the least value with its lowest x and then lowest y / 4. Only the moves of that x and
// y / 4 are decided again, by sums, to find the lowest y, z and p.
#ifndef MCO_VRP_SWEEP_NARROW_CUH
#define MCO_VRP_SWEEP_NARROW_CUH

#include "vrp/sweep/device.cuh"

namespace vrp {

constexpr int VALUE_OFFSET = 1 << 27, PLACE_BITS = 18, GROUP = 4;  // VALUE_OFFSET: values are at least -2^27
constexpr word_64 PLACE_MASK = (1 << PLACE_BITS) - 1;
static_assert(VRP_DEVICE_THREE_OPT_NODES <= 1 << (PLACE_BITS - 2), "x, y, and four times z and p fit their places");

// The key of a legal move; NO_KEY if it does not count. With wants_first all improving moves have the same value.
DEVICE word_64 offered_key(const vrp_device_three_opt &search, int32_t value, int32_t x, int32_t y)
{
    if (value >= (search.wants_first ? 0 : VRP_FAR / 2))
        return NO_KEY;
    const word_64 offset = search.wants_first ? 0 : (word_64)(value + VALUE_OFFSET);
    return (offset << PLACE_BITS | (word_64)x) << PLACE_BITS | (word_64)(y / GROUP);
}

DEVICE void lower(word_64 *least, word_64 key)
{
    if (key < *(volatile word_64 *)least)
        atomicMin(least, key);
}

// Offers a legal move of this value with x and y.
DEVICE void offer(const vrp_device_three_opt &search, int32_t value, int32_t x, int32_t y)
{
    const word_64 key = offered_key(search, value, x, y);
    if (key == NO_KEY)
        return;
    lower(search.best, key);
    if (search.rows != nullptr)
        lower(search.rows + x, key);
}

DEVICE int32_t value_of_key(word_64 key)
{
    return (int32_t)(key >> 2 * PLACE_BITS) - VALUE_OFFSET;
}

DEVICE int32_t x_of_key(word_64 key)
{
    return (int32_t)(key >> PLACE_BITS & PLACE_MASK);
}

DEVICE vrp_decision decide(const vrp_device_tour &tour, vrp_move m)
{
    int32_t from[3], to[3], join[3] = {0, 0, 0};
    const int joins = vrp_joins(m, from, to);
    for (int k = 0; k < joins; k++)
        join[k] = tour.distance[from[k] * tour.stride + to[k]];
    return vrp_decide(&tour.sums, m, join);
}

// Whether the move is one that could have left the key.
DEVICE bool matches(const vrp_device_three_opt &search, int32_t weight, word_64 key, vrp_move m)
{
    const vrp_sums &t = search.tour.sums;
    const vrp_decision d = decide(search.tour, m);
    if (!d.is_feasible || (search.needs_few && vrp_penalty(d.routes, t.vehicles) > 0))
        return false;
    const int64_t value = d.change + (int64_t)weight * (d.routes - t.routes);
    return search.wants_first ? value < 0 : value == value_of_key(key);
}

constexpr int NARROW_THREADS = 256, NARROW_BLOCKS = 64;

static __global__ void begin_search(vrp_device_three_opt search)
{
    const int32_t k = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x), edges = search.tour.sums.count - 1;
    if (k == 0)
        *search.best = NO_KEY;
    if (search.rows != nullptr && k < edges)
        search.rows[k] = NO_KEY;
    if (k < (search.rows != nullptr ? edges : 1))
        search.index[k] = NO_KEY;
}

// Mapping: a row of blocks has a key and shares its moves; a thread takes every (gridDim.x * NARROW_THREADS)-th. With
// one key it takes a few microseconds of latency.
static __global__ void __launch_bounds__(NARROW_THREADS) narrow_keys(vrp_device_three_opt search, int32_t weight)
{
    const word_64 key = search.rows != nullptr ? search.rows[blockIdx.y] : *search.best;
    const int32_t edges = search.tour.sums.count - 1;
    if (key == NO_KEY)
        return;
    const int32_t x = x_of_key(key), first = (int32_t)(key & PLACE_MASK) * GROUP;
    const int64_t count = (int64_t)GROUP * edges * 4, step = (int64_t)gridDim.x * NARROW_THREADS;
    for (int64_t k = (int64_t)blockIdx.x * NARROW_THREADS + threadIdx.x; k < count; k += step) {
        const int32_t p = (int32_t)(k % 4), z = (int32_t)(k / 4 % edges), y = first + (int32_t)(k / 4 / edges);
        if (y <= x || z <= y)
            continue;
        const word_64 index = ((word_64)y << PLACE_BITS | (word_64)z) << 2 | (word_64)p;
        if (index < *(volatile word_64 *)&search.index[blockIdx.y] && matches(search, weight, key, {x, y, z, p}))
            atomicMin(&search.index[blockIdx.y], index);
    }
}

// Writes the moves, one a thread. x is -1 if there is no move, -2 if no move of the best value leaves few enough
// routes.
static __global__ void tell_moves(vrp_device_three_opt search)
{
    const int32_t k = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    const vrp_sums &t = search.tour.sums;
    if (k >= (search.rows != nullptr ? t.count - 1 : 1))
        return;
    const word_64 key = search.rows != nullptr ? search.rows[k] : *search.best, index = search.index[k];
    vrp_candidate c = {{key == NO_KEY ? -1 : -2, -1, -1, -1}, {0, 0}};
    if (key != NO_KEY && index != NO_KEY) {
        c.move = {x_of_key(key), (int32_t)(index >> (PLACE_BITS + 2)),
                  (int32_t)(index >> 2 & PLACE_MASK), (int32_t)(index & 3)};
        const vrp_decision d = decide(search.tour, c.move);
        c.value = {vrp_penalty(d.routes, t.vehicles), d.change};
    }
    search.answer[k] = c;
}

}  // namespace vrp

#endif
