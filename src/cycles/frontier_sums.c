// SPDX-License-Identifier: MIT
// Exact counts by length from kept layers, from the last layer to the first: the completions of a state, by the number of vertices
// they take, are those of its two children, one of them a vertex longer. Two layers are in memory at a time. If all cycles are
// even, the parity of a state's completions is known, and only every other length has an entry: the ends of each path say, by
// their sides, whether its number of vertices is even. Numbers of 64 bits come first; if they are too short the pass is
// repeated with 2, 4, 8 limbs and so on.
#include <string.h>

#include "cycles/frontier.h"

enum { CHUNK = 16384 };  // states between two looks at the clock

typedef struct back_pass {
    cycles_job *job;
    const cycles_frontier *frontier;
    const frontier_lanes *lanes;
    int32_t limbs;       // of an entry
    uint64_t *base[2];   // [room] the memory of the rows of two layers, with zeros before the first
    int64_t room[2];
    uint8_t *parity[2];  // [states of the largest layer + FRONTIER_ROWS]
    int64_t kept_bytes;  // of the children
    double most_bytes;
    frontier_addition a;
} back_pass;

// Whether all cycles are even. side: [vertices] scratch, queue: [vertices] scratch.
static bool is_bipartite(const graph_simple *g, int8_t *side, int32_t *queue)
{
    for (int32_t root = 0; root < g->vertices; root++) {
        int32_t count = 0;
        if (side[root] != 0)
            continue;
        side[root] = 1;
        queue[count++] = root;
        for (int32_t i = 0; i < count; i++)
            for (int64_t a = g->first[queue[i]]; a < g->first[queue[i] + 1]; a++) {
                const int32_t w = g->head[a];
                if (side[w] == side[queue[i]])
                    return false;
                if (side[w] == 0) {
                    side[w] = (int8_t)-side[queue[i]];
                    queue[count++] = w;
                }
            }
    }
    return true;
}

static mco_status find_parity(cycles_job *job, bool *is_even)
{
    mco_status st = MCO_OK;
    int8_t *side = NULL;
    int32_t *queue = NULL;
    MCO_TRY(mco_alloc(job->ctx, &side, job->block->graph.vertices));
    MCO_TRY(mco_alloc(job->ctx, &queue, job->block->graph.vertices));
    *is_even = is_bipartite(&job->block->graph, side, queue);
done:
    mco_free(job->ctx, &queue);
    mco_free(job->ctx, &side);
    return st;
}

// ---- One pass

// Makes rows for the states of a layer in memory `which`, with `pitch` entries each. The rows before the states' get their values.
static mco_status prepare_sums(back_pass *b, int which, int64_t states, int64_t pitch, frontier_sums *sums)
{
    mco_status st = MCO_OK;
    const int64_t ahead = (int64_t)FRONTIER_PITCH * b->limbs, limbs = ahead + (states + FRONTIER_ROWS) * pitch * b->limbs;
    if (limbs > b->room[which]) {
        // Enough for the largest layer and four times the pitch, if that is allowed; pages that are not used cost nothing.
        const double used = 8.0 * (double)b->room[1 - which] + (double)b->kept_bytes;
        int64_t room = ahead + 4 * (b->frontier->most_states + FRONTIER_ROWS) * pitch * b->limbs;
        if (used + 8.0 * (double)room > b->job->memory_bytes)
            room = limbs;
        const double bytes = used + 8.0 * (double)room;
        if (bytes > b->job->memory_bytes)
            return mco_fail(b->job->ctx, MCO_ERR_LIMIT, "counts by length need %.0f bytes and more, %.0f are allowed", bytes,
                            b->job->memory_bytes);
        b->most_bytes = bytes > b->most_bytes ? bytes : b->most_bytes;
        mco_free(b->job->ctx, &b->base[which]);
        b->room[which] = 0;
        MCO_TRY(mco_alloc(b->job->ctx, &b->base[which], room));
        b->room[which] = room;
    }
    *sums = (frontier_sums){b->base[which] + ahead, b->parity[which], pitch};
    memset(sums->rows, 0, (size_t)(FRONTIER_ROWS * pitch * b->limbs) * sizeof *sums->rows);
    sums->rows[(FRONTIER_CLOSED + FRONTIER_ROWS) * pitch * b->limbs] = 1;
    sums->parity[FRONTIER_CLOSED + FRONTIER_ROWS] = FRONTIER_EVEN;
    sums->parity[FRONTIER_DEAD + FRONTIER_ROWS] = FRONTIER_NONE;
done:
    return st;
}

// frontier_lanes.add for entries of several limbs.
static void add_long(frontier_addition *a, int32_t limbs)
{
    const int64_t in = a->next.pitch * limbs, out = a->sums.pitch * limbs;
    for (int64_t s = 0; s < a->states; s++) {
        const int64_t skip = a->child[s].skip + FRONTIER_ROWS, take = a->child[s].take + FRONTIER_ROWS;
        const uint8_t taken = a->next.parity[take];
        const int64_t shift = !a->is_even || taken == FRONTIER_ODD ? limbs : 0;
        const uint64_t *x = a->next.rows + skip * in, *y = a->next.rows + take * in - shift;
        uint64_t *sum = a->sums.rows + (s + FRONTIER_ROWS) * out;
        for (int64_t k = 0; k < out; k += limbs) {
            uint64_t carry = 0;
            for (int32_t j = 0; j < limbs; j++) {
                const uint64_t xj = k < in ? x[k + j] : 0, yj = k < in ? y[k + j] : 0, partial = xj + yj;
                sum[k + j] = partial + carry;
                carry = (uint64_t)(partial < xj) + (uint64_t)(sum[k + j] < carry);
                a->in_longest |= k == a->longest * limbs ? sum[k + j] : 0;
            }
            a->seen |= sum[k + limbs - 1];
        }
        a->sums.parity[s + FRONTIER_ROWS] = taken != FRONTIER_NONE ? (uint8_t)(taken ^ 1) : a->next.parity[skip];
    }
}

// Adds up one layer; b->a.next has the sums of the next one.
static mco_status add_layer(back_pass *b, int32_t i)
{
    mco_status st = MCO_OK;
    const frontier_layer *layer = &b->frontier->layer[i];
    frontier_addition *a = &b->a;
    frontier_sums sums;
    a->longest++;
    a->in_longest = 0;
    const int64_t pitch = (a->longest + 2 + FRONTIER_PITCH - 1) / FRONTIER_PITCH * FRONTIER_PITCH;
    MCO_TRY(prepare_sums(b, i % 2, layer->states, pitch, &sums));
    for (int64_t from = 0; from < layer->states; from += CHUNK) {
        if (mco_run_must_stop(b->job->run, b->job->run->work))
            return MCO_ERR_STOPPED;
        a->states = layer->states - from < CHUNK ? layer->states - from : CHUNK;
        a->child = layer->child + from;
        a->sums = (frontier_sums){sums.rows + from * pitch * b->limbs, sums.parity + from, pitch};
        if (b->limbs == 1)
            b->lanes->add(a);
        else
            add_long(a, b->limbs);
    }
    a->longest -= a->in_longest == 0;
    a->next = sums;
done:
    return st;
}

// Adds up all layers. The row of the first state has the result.
static mco_status add_layers(back_pass *b)
{
    mco_status st = MCO_OK;
    const cycles_frontier *f = b->frontier;
    const int32_t n = f->vertices;
    b->a.longest = 0;
    b->a.seen = 0;
    MCO_TRY(prepare_sums(b, n % 2, f->layer[n].states, FRONTIER_PITCH, &b->a.next));
    for (int64_t s = 0; s < f->layer[n].states; s++) {
        memset(b->a.next.rows + (s + FRONTIER_ROWS) * FRONTIER_PITCH * b->limbs, 0,
               FRONTIER_PITCH * (size_t)b->limbs * sizeof *b->a.next.rows);
        b->a.next.parity[s + FRONTIER_ROWS] = FRONTIER_NONE;
    }
    for (int32_t i = n - 1; i >= 0; i--)
        MCO_TRY(add_layer(b, i));
done:
    return st;
}

// Tallies the first state's row, within the job's limits.
static mco_status tally_row(const back_pass *b)
{
    mco_status st = MCO_OK;
    const frontier_sums *first = &b->a.next;
    const cycles_job *job = b->job;
    for (int64_t k = 0; k <= b->a.longest; k++) {
        const int64_t length = b->a.is_even ? 2 * k + (first->parity[FRONTIER_ROWS] == FRONTIER_ODD) : k;
        const uint64_t *count = first->rows + (FRONTIER_ROWS * first->pitch + k) * b->limbs;
        uint64_t any = 0;
        for (int32_t j = 0; j < b->limbs; j++)
            any |= count[j];
        if (any != 0 && length >= job->min_length && length <= job->max_length)
            MCO_TRY(cycles_tally_add(job->tally, (int32_t)length, count, b->limbs));
    }
done:
    return st;
}

mco_status frontier_count_back(cycles_job *job, cycles_frontier *frontier)
{
    mco_status st = MCO_OK;
    back_pass b = {.job = job, .frontier = frontier, .limbs = 1};
    b.kept_bytes = frontier->states * (int64_t)sizeof(frontier_child);
    MCO_TRY(frontier_choose_lanes(job->ctx, &b.lanes));
    MCO_TRY(find_parity(job, &b.a.is_even));
    for (int k = 0; k < 2; k++)
        MCO_TRY(mco_alloc(job->ctx, &b.parity[k], frontier->most_states + FRONTIER_ROWS));
    MCO_TRY(add_layers(&b));
    while (b.a.seen >> 63 != 0) {
        b.limbs *= 2;
        MCO_TRY(add_layers(&b));
    }
    MCO_TRY(tally_row(&b));
    if (b.most_bytes > (double)frontier->bytes)
        frontier->bytes = (int64_t)b.most_bytes;
done:
    for (int k = 0; k < 2; k++) {
        mco_free(job->ctx, &b.parity[k]);
        mco_free(job->ctx, &b.base[k]);
    }
    return st;
}
