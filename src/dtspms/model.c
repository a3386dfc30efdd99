// SPDX-License-Identifier: MIT
// Distances as matrices, random plans, moves by index, counts of states and relaxations.
#include "dtspms/model.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "dtspms/instance.h"

static const int64_t MAX_PATH = ((int64_t)1 << 30) - 1;  // two networks and an infinite value fit 32 bits

// ---- Model

bool dtspms_is_over(const dtspms_model *model)
{
    return mco_clock_s() >= model->stop_s || mco_is_cancelled(model->ctx);
}

static mco_status measure(mco_context *ctx, const mco_dtspms *problem, dtspms_model *model, mco_dtspms_network network)
{
    const int32_t nodes = model->nodes, *d = model->distance[network];
    const bool is_matrix = problem->network[network].rule == DTSPMS_MATRIX;
    int64_t path = 0, left = DTSPMS_LOOK;
    model->is_symmetric[network] = true;
    for (int32_t i = 0; i < nodes && model->is_complete; i++) {
        int32_t longest = 0;
        for (int32_t j = 0; j < nodes; j++) {
            const int32_t length = d[(int64_t)i * nodes + j];
            longest = length > longest ? length : longest;
            if (is_matrix)
                model->is_symmetric[network] &= length == d[(int64_t)j * nodes + i];
        }
        model->is_complete = !dtspms_is_late(model, &left, nodes);
        path += longest;
        if (longest > model->longest[network])
            model->longest[network] = longest;
    }
    model->path_bound[network] = path;
    if (path > MAX_PATH)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%s distances allow a tour of %lld, at most %lld supported: scale them down",
                        network == MCO_DTSPMS_NETWORK_PICKUP ? "pickup" : "delivery", (long long)path, (long long)MAX_PATH);
    return MCO_OK;
}

// Writes the distances of a network. Those of coordinates are the same both ways.
static void fill_distances(const mco_dtspms *problem, mco_dtspms_network network, dtspms_model *model)
{
    const int64_t nodes = model->nodes;
    const bool is_matrix = problem->network[network].rule == DTSPMS_MATRIX;
    int32_t *d = model->distance[network];
    int64_t left = DTSPMS_LOOK;
    for (int32_t i = 0; i < nodes && model->is_complete; i++) {
        for (int32_t j = is_matrix ? 0 : i + 1; j < nodes; j++)
            if (i != j) {
                const int32_t length = mco_dtspms_distance(problem, network, i, j);
                d[i * nodes + j] = length;
                if (!is_matrix)
                    d[j * nodes + i] = length;
            }
        model->is_complete = !dtspms_is_late(model, &left, nodes);
    }
}

mco_status dtspms_model_create(mco_context *ctx, const mco_dtspms *problem, int32_t stacks, int64_t capacity, double stop_s,
                               dtspms_model *out)
{
    mco_status st = MCO_OK;
    const int32_t nodes = problem->orders + 1;
    const int64_t needed = ((int64_t)problem->orders + stacks - 1) / stacks;
    dtspms_model model = {.orders = problem->orders, .stacks = stacks, .nodes = nodes, .ctx = ctx, .stop_s = stop_s,
                          .is_complete = true};
    model.capacity = (int32_t)(capacity == 0 ? needed : capacity < problem->orders ? capacity : problem->orders);
    for (mco_dtspms_network network = 0; network < 2 && model.is_complete; network++) {
        MCO_TRY(mco_alloc(ctx, &model.distance[network], (int64_t)nodes * nodes));
        fill_distances(problem, network, &model);
        if (model.is_complete)
            MCO_TRY(measure(ctx, problem, &model, network));
    }
    *out = model;
done:
    if (st != MCO_OK)
        dtspms_model_clear(ctx, &model);
    return st;
}

void dtspms_model_clear(mco_context *ctx, dtspms_model *model)
{
    mco_free(ctx, &model->distance[1]);
    mco_free(ctx, &model->distance[0]);
}

// ---- Plans

void dtspms_plan_random(const dtspms_model *model, uint64_t seed, dtspms_plan *plan)
{
    for (int32_t k = 0; k < model->stacks; k++)
        plan->heights[k] = model->orders / model->stacks + (k < model->orders % model->stacks);
    dtspms_plan_shuffle(model, seed, plan);
}

void dtspms_plan_shuffle(const dtspms_model *model, uint64_t seed, dtspms_plan *plan)
{
    mco_rng rng;
    mco_rng_seed(&rng, seed, 0);
    for (int32_t i = 0; i < model->orders; i++) {
        const int32_t j = (int32_t)mco_rng_below(&rng, (uint32_t)i + 1);
        plan->node[i] = plan->node[j];
        plan->node[j] = i + 1;
    }
}

int32_t dtspms_plan_first(const dtspms_plan *plan, int32_t stack)
{
    int32_t first = 0;
    for (int32_t k = 0; k < stack; k++)
        first += plan->heights[k];
    return first;
}

// ---- Moves

int64_t dtspms_move_count(mco_dtspms_move kind, int32_t orders)
{
    const int64_t n = orders;
    if (kind == MCO_DTSPMS_MOVE_SWAP)
        return n * (n - 1) / 2;
    return n < 3 ? 0 : n % 3 == 1 ? n * ((n - 1) / 3) * (n - 2) : n % 3 == 2 ? n * (n - 1) * ((n - 2) / 3) : n / 3 * (n - 1) * (n - 2);
}

// Largest k < limit with before(k, n) <= index, by bisection. before(k, n) counts the tuples whose first position is
// below k.
static int32_t first_of(int64_t index, int32_t n, int32_t limit, int64_t (*before)(int64_t k, int64_t n))
{
    int32_t low = 0, high = limit - 1;
    while (low < high) {
        const int32_t middle = low + (high - low + 1) / 2;
        if (before(middle, n) <= index)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static int64_t pairs(int64_t n)
{
    return n * (n - 1) / 2;
}

static int64_t triples(int64_t n)
{
    return dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, (int32_t)n) / 2;
}

static int64_t pairs_before(int64_t k, int64_t n)
{
    return pairs(n) - pairs(n - k);
}

static int64_t triples_before(int64_t k, int64_t n)
{
    return triples(n) - triples(n - k);
}

// Pair number `index` of the pairs over low..n-1.
static void pair_at(int64_t index, int32_t low, int32_t n, int32_t out[2])
{
    const int32_t k = first_of(index, n - low, n - low, pairs_before);
    out[0] = low + k;
    out[1] = (int32_t)(out[0] + 1 + index - pairs_before(k, n - low));
}

void dtspms_move_positions(mco_dtspms_move kind, int32_t orders, int64_t index, int32_t positions[3])
{
    if (kind == MCO_DTSPMS_MOVE_SWAP) {
        pair_at(index, 0, orders, positions);
        positions[2] = -1;
        return;
    }
    const int64_t triple = index / 2;
    positions[0] = first_of(triple, orders, orders, triples_before);
    pair_at(triple - triples_before(positions[0], orders), positions[0] + 1, orders, positions + 1);
}

void dtspms_move_at(const dtspms_plan *plan, mco_dtspms_move kind, int32_t orders, int64_t index, dtspms_move *out)
{
    int32_t p[3];
    dtspms_move_positions(kind, orders, index, p);
    const int32_t count = kind == MCO_DTSPMS_MOVE_SWAP ? 2 : 3, shift = kind == MCO_DTSPMS_MOVE_EXCHANGE && index % 2 == 1 ? 2 : 1;
    out->count = count;
    for (int32_t k = 0; k < count; k++) {
        out->position[k] = p[k];
        out->node[k] = plan->node[p[(k + shift) % count]];
    }
}

void dtspms_move_apply(const dtspms_move *move, dtspms_plan *plan)
{
    for (int32_t k = 0; k < move->count; k++)
        plan->node[move->position[k]] = move->node[k];
}

// ---- Counts

double dtspms_states(const int32_t *heights, int32_t stacks)
{
    double states = stacks;
    for (int32_t k = 0; k < stacks; k++)
        states *= heights[k] + 1.0;
    return states;
}

// For each pair of stacks q, k there is a relaxation from q to k at all heights h with h_k < c_k and h_q >= 1. Each
// stack that is not empty has two more: one from and one to the depot.
int64_t dtspms_relaxations(const int32_t *heights, int32_t stacks)
{
    int64_t count = 0;
    if (dtspms_states(heights, stacks) * stacks > 1e18)
        return (int64_t)1e18;
    for (int32_t k = 0; k < stacks; k++)
        for (int32_t q = 0; q < stacks; q++) {
            int64_t product = 1;
            for (int32_t j = 0; j < stacks; j++)
                product *= (int64_t)heights[j] + 1 - (j == k) - (j == q);
            count += heights[k] > 0 && heights[q] > 0 ? product : 0;
        }
    for (int32_t k = 0; k < stacks; k++)
        count += heights[k] > 0 ? 2 : 0;
    return count;
}
