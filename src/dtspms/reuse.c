// SPDX-License-Identifier: MIT
// Lower bounds for all 3-exchanges.
//
// An exchange is a directed cycle of positions p -> q -> r -> p: p receives the node of q, q that of r, r that of p.
// Take the best tour of a network after the exchange. Let b be the node at q in this tour; in the plan it is at r.
// Leave out the stop at b. What remains is a tour of the plan without position q, in which p holds the node of q, and r
// the node of p. It is at least as long as the best such tour. The stop at b made the tour longer by
// D[x][b] + D[b][z] - D[x][z], where x and z are the nodes around b. These two nodes are different, since at least two
// orders remain. With
//
//     detour(b) = min over x, z, b all different of  D[x][b] + D[b][z] - D[x][z]
//
// the exchange costs, in each network, at least detour(b) plus the best tour without q in which p and r hold these
// nodes. The proof uses no triangle inequality; where that does not hold, detours may be negative.
//
// For fixed q and p, one dynamic program of one plan, forwards and backwards, gives the best tours for all r (Casazza,
// Ceselli, Nunkesser 2012). Let x be the node of p. Let I(h) be the length of the shortest path from the depot through
// heights h and on to x. Let O(h) be the length of the shortest path from x through all steps after h to the depot. If
// r is step t of stack j,
//
//     best tour = min over h with h_j = t of  I(h - e_j) + O(h)
//
// A cycle has three pairs of successive positions; a bound from one of them is enough. Divide the positions into two
// parts. Every cycle of three has two positions in the same part. So pairs p -> q within a part, both ways, cover all
// exchanges. With parts of equal size these are n (n / 2 - 1) sweeps forwards and backwards in each network, instead of
// 2 C(n, 3) dynamic programs. Item q runs the sweeps for all p, in lanes. The sizes of the parts are chosen for the
// fewest vectors. If all of a cycle is in one part, the item of its lowest position computes the bound.
//
// In each network lengths are below 2^30 (dtspms/model.h) and detours are between -2^30 and 2^30, so a bound fits 32
// bits.
//
// Measured on R00: with 33 and 66 orders, for random plans and plans of a search of 20 s, at most one exchange in 200
// is left to evaluate. With 132 orders and a random plan it is one in 5000. Two other bounds are of less use. Bounds
// from tables of the plan alone, which change one position at a time and split the old tour among the three, leave 60
// to 90 of 100. Old tours with the orders renamed (Urrutia, Lokketangen, as told by Milanes, Lokketangen) give upper
// bounds too far above the best.
#include "dtspms/reuse.h"

// ---- Detours

static int32_t detour_of(const dtspms_model *model, int network, int32_t b, int64_t *left)
{
    const int32_t nodes = model->nodes, *d = model->distance[network], *out = d + (int64_t)b * nodes;
    int32_t least = INT32_MAX;
    for (int32_t x = 0; x < nodes && !dtspms_is_late(model, left, nodes); x++) {
        const int32_t to = d[(int64_t)x * nodes + b], *row = d + (int64_t)x * nodes;
        for (int32_t z = 0; z < nodes && x != b; z++) {
            const int32_t longer = to + out[z] - row[z];
            if (z != x && z != b && longer < least)
                least = longer;
        }
    }
    return least;
}

// ---- Items

static int64_t choose_3(int64_t n)
{
    return dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, (int32_t)n) / 2;
}

// Index of the exchange in which p receives the node of q, q that of r, r that of p.
static int64_t index_of(int32_t orders, int32_t p, int32_t q, int32_t r)
{
    while (p > q || p > r) {  // the same cycle, from its lowest position
        const int32_t first = p;
        p = q;
        q = r;
        r = first;
    }
    const int64_t n = orders, low = p, middle = q < r ? q : r, high = q < r ? r : q;
    const int64_t before = choose_3(n) - choose_3(n - low), rest = n - 1 - low, left = n - middle;
    return 2 * (before + rest * (rest - 1) / 2 - left * (left - 1) / 2 + high - middle - 1) + (q > r);
}

static bool is_same_part(const dtspms_reuse *reuse, int32_t position, int32_t other)
{
    return (position < reuse->split) == (other < reuse->split);
}

// Writes the bounds of one lane of a batch.
static void write_bounds(dtspms_reuse *reuse, int32_t p, int32_t q, const int32_t *pickup, const int32_t *delivery)
{
    const dtspms_model *model = reuse->model;
    for (int32_t r = 0; r < model->orders; r++) {
        if (r == p || r == q || (is_same_part(reuse, q, r) && (q > p || q > r)))
            continue;
        const int32_t b = reuse->plan->node[r];
        const int64_t move = index_of(model->orders, p, q, r), least = reuse->least[q];
        const int32_t bound = pickup[r] + reuse->detour[0][b] + delivery[r] + reuse->detour[1][b];
        reuse->bounds[move] = bound;
        if (least < 0 || bound < reuse->bounds[least] || (bound == reuse->bounds[least] && move < least))
            reuse->least[q] = move;
    }
}

// Relaxations of both sweeps of one lane in both networks: those of a tour, and those for I.
static int64_t item_relaxations(const dtspms_model *model, const dtspms_plan *plan, int32_t removed)
{
    int32_t heights[MCO_DTSPMS_MAX_STACKS];
    int64_t inserted = 1;
    for (int32_t k = 0, first = 0; k < model->stacks; first += plan->heights[k++])
        heights[k] = plan->heights[k] - (removed >= first && removed < first + plan->heights[k]);
    for (int32_t k = 0; k < model->stacks; k++) {
        int64_t states = heights[k];
        for (int32_t j = 0; j < model->stacks; j++)
            states *= j == k ? 1 : heights[j] + 1;
        inserted += states;
    }
    return 4 * (dtspms_relaxations(heights, model->stacks) + inserted);
}

int64_t dtspms_reuse_item(dtspms_reuse *reuse, void *memory, int32_t item)
{
    const dtspms_model *model = reuse->model;
    const int32_t lanes = reuse->variant.lanes;
    int32_t *lengths[2] = {memory, (int32_t *)memory + (int64_t)lanes * model->orders};
    void *rest = (char *)memory + (size_t)2 * (size_t)lanes * (size_t)model->orders * sizeof **lengths;
    int32_t replaced[DTSPMS_REUSE_MOST_LANES], count = 0, lanes_run = 0;
    reuse->least[item] = -1;
    for (int32_t p = 0; p <= model->orders && !dtspms_is_over(model); p++) {
        if (p < model->orders && p != item && is_same_part(reuse, p, item))
            replaced[count++] = p;
        if (count == 0 || (count < lanes && p < model->orders))
            continue;
        for (int network = 0; network < 2; network++)
            reuse->variant.run(rest, model, reuse->plan, network, item, replaced, count, lengths[network]);
        for (int32_t l = 0; l < count; l++)
            write_bounds(reuse, replaced[l], item, lengths[0] + (int64_t)l * model->orders, lengths[1] + (int64_t)l * model->orders);
        lanes_run += count;
        count = 0;
    }
    return lanes_run * item_relaxations(model, reuse->plan, item);
}

// ---- Making

static int64_t vectors(int64_t part, int32_t lanes)
{
    return part * ((part - 1 + lanes - 1) / lanes);
}

// Number of positions in the first part, at least a quarter of all. It is chosen for the fewest vectors, since lanes
// left empty take time too.
static int32_t best_split(int32_t orders, int32_t lanes)
{
    int32_t best = orders / 2;
    for (int32_t split = best; split > orders / 4; split--)
        if (vectors(split, lanes) + vectors(orders - split, lanes) < vectors(best, lanes) + vectors(orders - best, lanes))
            best = split;
    return best;
}

double dtspms_reuse_bytes(const dtspms_model *model)
{
    const double moves = (double)dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, model->orders);
    return moves * (sizeof(int32_t) + sizeof(int64_t)) + 2.0 * model->nodes * sizeof(int32_t) + (double)model->orders * sizeof(int64_t);
}

double dtspms_reuse_worker_bytes(const dtspms_reuse_variant *variant, const dtspms_model *model, const int32_t *heights)
{
    return variant->bytes(model, heights) + 2.0 * variant->lanes * model->orders * sizeof(int32_t);
}

mco_status dtspms_reuse_make(mco_context *ctx, const dtspms_model *model, const dtspms_plan *plan,
                             const dtspms_reuse_variant *variant, dtspms_reuse *out)
{
    mco_status st = MCO_OK;
    int64_t left = DTSPMS_LOOK;
    *out = (dtspms_reuse){.model = model, .plan = plan, .variant = *variant};
    out->moves = dtspms_move_count(MCO_DTSPMS_MOVE_EXCHANGE, model->orders);
    out->split = best_split(model->orders, variant->lanes);
    for (int network = 0; network < 2; network++) {
        MCO_TRY(mco_alloc(ctx, &out->detour[network], model->nodes));
        for (int32_t b = 1; b < model->nodes && !dtspms_is_late(model, &left, 1); b++)
            out->detour[network][b] = detour_of(model, network, b, &left);
    }
    MCO_TRY(mco_alloc(ctx, &out->bounds, out->moves));
    MCO_TRY(mco_alloc(ctx, &out->least, model->orders));
done:
    if (st != MCO_OK)
        dtspms_reuse_clear(ctx, out);
    return st;
}

void dtspms_reuse_clear(mco_context *ctx, dtspms_reuse *reuse)
{
    mco_free(ctx, &reuse->least);
    mco_free(ctx, &reuse->bounds);
    mco_free(ctx, &reuse->detour[1]);
    mco_free(ctx, &reuse->detour[0]);
}
