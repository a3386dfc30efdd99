// SPDX-License-Identifier: MIT
#include "flowshop/systems/size.h"

// Pools of a trial. The thesis does not give its value. With ten, the rates of equal sizes differ by a few percent.
enum { TRIAL_BATCHES = 10, BISECTIONS = 2 };

void flowshop_pool_size_start(flowshop_pool_size *size, int64_t first, int64_t most, int64_t fixed)
{
    const int64_t wanted = fixed > 0 ? fixed : first;
    *size = (flowshop_pool_size){.phase = fixed > 0 ? FLOWSHOP_POOL_FIXED : FLOWSHOP_POOL_DOUBLING, .most = most};
    size->target = size->best = wanted < most ? wanted : most;
}

void flowshop_pool_size_limit(flowshop_pool_size *size, int64_t most)
{
    size->most = most;
    size->best = size->best < most ? size->best : most;
    size->target = size->best;
    size->phase = FLOWSHOP_POOL_FIXED;
}

static void begin_bisection(flowshop_pool_size *size, flowshop_pool_phase phase)
{
    const int64_t twice = 2 * size->best < size->most ? 2 * size->best : size->most;
    size->phase = phase;
    size->steps = 0;
    size->low = phase == FLOWSHOP_POOL_BELOW ? size->best / 2 : size->best;
    size->high = phase == FLOWSHOP_POOL_BELOW ? size->best : twice;
    size->target = (size->low + size->high) / 2;
}

// Takes the outcome of a trial of the middle and halves the range. Of the middle and the best size so far, the better
// one stays at its end of the range; the other one becomes the other end.
static void bisect(flowshop_pool_size *size, bool is_better)
{
    const int64_t middle = size->target;
    if (is_better == (size->phase == FLOWSHOP_POOL_BELOW))
        size->high = middle;
    else
        size->low = middle;
    size->target = (size->low + size->high) / 2;
    if (++size->steps < BISECTIONS)
        return;
    if (size->phase == FLOWSHOP_POOL_BELOW) {
        begin_bisection(size, FLOWSHOP_POOL_ABOVE);
    } else {
        size->phase = FLOWSHOP_POOL_FIXED;
        size->target = size->best;
    }
}

void flowshop_pool_size_observe(flowshop_pool_size *size, bool is_full, int64_t nodes, double seconds)
{
    if (size->phase == FLOWSHOP_POOL_FIXED || !is_full)
        return;
    size->nodes += nodes;
    size->seconds += seconds;
    if (++size->batches < TRIAL_BATCHES)
        return;
    const double rate = size->seconds > 0 ? (double)size->nodes / size->seconds : 0;
    const bool is_better = rate > size->best_rate;
    size->batches = 0;
    size->nodes = 0;
    size->seconds = 0;
    if (is_better) {
        size->best = size->target;
        size->best_rate = rate;
    }
    if (size->phase != FLOWSHOP_POOL_DOUBLING)
        bisect(size, is_better);
    else if (is_better && size->target < size->most)
        size->target = 2 * size->target < size->most ? 2 * size->target : size->most;
    else
        begin_bisection(size, FLOWSHOP_POOL_BELOW);
}
