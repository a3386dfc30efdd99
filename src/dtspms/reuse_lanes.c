// SPDX-License-Identifier: MIT
// The sweeps of dtspms/reuse.c, with one replaced position in each lane. Compiled once for each vector unit and lane
// width.
//
// Place 0 is the depot, place i + 1 is position i. A stack is a sequence of places from the depot to the depot.
// Distances are vectors, one for each pair of places. The backward sweep is the forward sweep over reversed sequences
// and transposed distances; O(h) is its I at heights c - h. As in dtspms/lanes.c, F_k is kept in place, by the heights
// of the stacks after k.
//
// Measured with 66 orders in 3 stacks and 16-bit lanes of AVX-512: 0.3 ms for 32 lanes of one network, both sweeps and
// the join.
#include <string.h>

#include "base/lanes.h"
#include "dtspms/reuse.h"
#include "dtspms/vector.h"

enum { MOST = MCO_DTSPMS_MAX_STACKS };


#if LANE_BITS == 16
typedef uint16_t unsigned_lane;
#else
typedef uint32_t unsigned_lane;
#endif
typedef unsigned_lane unsigned_vec __attribute__((vector_size(VEC_BYTES), may_alias));

typedef struct desk {
    const dtspms_model *model;  // for its clock
    int64_t left;               // see dtspms_is_late()
    int32_t stacks, nodes;
    int32_t heights[MOST];   // without the position removed
    int64_t states;          // number of choices of heights
    int64_t digit[MOST];     // what one order more in a stack adds to the number of a state; 1 for the last stack
    vec *between[2];         // [nodes * nodes] at i * nodes + j: from place i to j; from j to i. May be the same memory
    vec *insert[2];          // [nodes] from each place to the inserted node; from that to each place
    vec *infinite;           // [height of the last stack + 1]
    vec *chain;              // [height of the last stack + 1] from step to step, in the direction of the sweep
    vec *paths[MOST - 1];    // F_k by the heights of the stacks after k
    vec *ways[2];            // [states] I by h, O by c - h
    vec *least;              // [nodes] best tour with the inserted node at each place
    int32_t *place[2][MOST]; // [heights + 2] the place of each step, forwards and backwards
} desk;

// Lays the desk out in memory and returns its bytes. With memory NULL it only counts them.
static double lay_out(desk *d, const dtspms_model *model, const int32_t *heights, char *memory)
{
    char *next = memory;
    double bytes = 0, states = 1;
    const double pairs = (double)model->nodes * model->nodes;
    d->between[0] = take(&next, &bytes, pairs, sizeof(vec));
    d->between[1] = model->is_symmetric[0] && model->is_symmetric[1] ? d->between[0] : take(&next, &bytes, pairs, sizeof(vec));
    d->insert[0] = take(&next, &bytes, model->nodes, sizeof(vec));
    d->insert[1] = take(&next, &bytes, model->nodes, sizeof(vec));
    d->least = take(&next, &bytes, model->nodes, sizeof(vec));
    d->infinite = take(&next, &bytes, heights[model->stacks - 1] + 1.0, sizeof(vec));
    d->chain = take(&next, &bytes, heights[model->stacks - 1] + 1.0, sizeof(vec));
    for (int32_t k = model->stacks - 1; k >= 0; k--) {
        if (k < model->stacks - 1)
            d->paths[k] = take(&next, &bytes, states, sizeof(vec));
        states *= heights[k] + 1.0;
        for (int way = 0; way < 2; way++)
            d->place[way][k] = take(&next, &bytes, heights[k] + 2.0, sizeof(int32_t));
    }
    d->ways[0] = take(&next, &bytes, states, sizeof(vec));
    d->ways[1] = take(&next, &bytes, states, sizeof(vec));
    return bytes;
}

static double bytes(const dtspms_model *model, const int32_t *heights)
{
    desk d;
    return lay_out(&d, model, heights, NULL);
}

// ---- Distances

// Sets the sequences without the position removed, and the numbers of states.
static void set_sequences(desk *d, const dtspms_plan *plan, int network, int32_t removed)
{
    int32_t first = 0;
    for (int32_t k = 0; k < d->stacks; k++) {
        const int32_t height = plan->heights[k];
        int32_t *forwards = d->place[0][k], *backwards = d->place[1][k], step = 0;
        forwards[step++] = 0;
        for (int32_t t = 0; t < height; t++) {
            const int32_t position = network == MCO_DTSPMS_NETWORK_PICKUP ? first + t : first + height - 1 - t;
            if (position != removed)
                forwards[step++] = position + 1;
        }
        forwards[step] = 0;
        d->heights[k] = step - 1;
        for (int32_t t = 0; t <= step; t++)
            backwards[t] = forwards[step - t];
        first += height;
    }
    d->states = 1;
    for (int32_t k = d->stacks - 1; k >= 0; k--) {
        d->digit[k] = d->states;
        d->states *= d->heights[k] + 1;
    }
}

static inline void set_lane(vec *v, int32_t l, lane value)
{
    ((lane *)v)[l] = value;
}

// Sets the distances of lane l, in which position `replaced` holds `node`, and those of its own node, which is
// inserted.
static void set_distances(desk *d, const int32_t *distance, const int32_t *plan_node, int32_t replaced, int32_t node, int32_t l)
{
    const int32_t nodes = d->nodes, place = replaced + 1, inserted = plan_node[replaced];
    for (int32_t j = 0; j < nodes; j++) {
        const int32_t other = j == 0 ? 0 : j == place ? node : plan_node[j - 1];
        const lane out = (lane)distance[(int64_t)node * nodes + other], in = (lane)distance[(int64_t)other * nodes + node];
        set_lane(&d->between[0][(int64_t)place * nodes + j], l, out);
        set_lane(&d->between[0][(int64_t)j * nodes + place], l, in);
        set_lane(&d->between[1][(int64_t)place * nodes + j], l, in);
        set_lane(&d->between[1][(int64_t)j * nodes + place], l, out);
        set_lane(&d->insert[0][j], l, (lane)distance[(int64_t)other * nodes + inserted]);
        set_lane(&d->insert[1][j], l, (lane)distance[(int64_t)inserted * nodes + other]);
    }
}

// Sets the distances of the plan in all lanes. Lanes without a replaced position insert the depot; nothing reads them.
static void broadcast_distances(desk *d, const int32_t *distance, const int32_t *plan_node)
{
    const int32_t nodes = d->nodes;
    for (int32_t i = 0; i < nodes && !dtspms_is_late(d->model, &d->left, 2 * (int64_t)nodes); i++) {
        const int32_t node = i == 0 ? 0 : plan_node[i - 1];
        const int32_t *row = distance + (int64_t)node * nodes, *column = distance + node;
        vec *out = d->between[0] + (int64_t)i * nodes, *in = d->between[1] + (int64_t)i * nodes;
        out[0] = d->insert[0][i] = broadcast((lane)row[0]);
        in[0] = d->insert[1][i] = broadcast((lane)column[0]);
        for (int32_t j = 1; j < nodes; j++) {
            out[j] = broadcast((lane)row[plan_node[j - 1]]);
            if (in != out)
                in[j] = broadcast((lane)column[(int64_t)plan_node[j - 1] * nodes]);
        }
    }
}

// ---- Sweeps

// Computes I at all heights; `way` 1: backwards. A row is all heights of the last stack, whose F is in a register. False if time
// is over.
static inline __attribute__((always_inline)) bool sweep(desk *d, int way, const int outer)
{
    const vec *between = d->between[way], *reversed = d->between[1 - way], *insert = d->insert[way];
    const int32_t *places = d->place[way][outer], height = d->heights[outer];
    const int64_t nodes = d->nodes;
    int32_t h[MOST - 1] = {0};
    vec *const chain = d->chain;
    for (int32_t z = 0; z <= height; z++)
        chain[z] = between[places[z] * nodes + places[z + 1]];
    for (vec *row = d->ways[way];; row += height + 1) {
        const vec *in[MOST - 1], *here[MOST - 1], *next_of[MOST - 1];
        vec *out[MOST - 1], pass[MOST - 1][MOST - 1], end[MOST - 1];
        int64_t at = 0, stride = height + 1;
        UNROLL(5)
        for (int k = outer - 1; k >= 0; k--) {
            out[k] = d->paths[k] + at;
            in[k] = h[k] > 0 ? out[k] : d->infinite;
            at += h[k] * stride;
            stride *= d->heights[k] + 1;
            here[k] = between + d->place[way][k][h[k]] * nodes;
            next_of[k] = reversed + d->place[way][k][h[k] + 1] * nodes;
            end[k] = insert[d->place[way][k][h[k]]];
            UNROLL(5)
            for (int q = 0; q < outer; q++)
                pass[q][k] = between[d->place[way][q][h[q]] * nodes + d->place[way][k][h[k] + 1]];
        }
        vec last = at == 0 ? broadcast((lane)ORIGIN) : d->infinite[0];
        for (int32_t z = 0; z <= height; z++) {
            const int32_t place = places[z], next = places[z + 1];
            vec own[MOST - 1], next_last = last + chain[z], inserted = last + insert[place];
            UNROLL(5)
            for (int k = 0; k < outer; k++) {
                own[k] = in[k][z];
                next_last = lesser(next_last, own[k] + here[k][next]);
                inserted = lesser(inserted, own[k] + end[k]);
            }
            row[z] = inserted;
            UNROLL(5)
            for (int k = 0; k < outer; k++) {
                vec least = last + next_of[k][place];
                UNROLL(5)
                for (int q = 0; q < outer; q++)
                    least = lesser(least, own[q] + pass[q][k]);
                out[k][z] = least;
            }
            last = next_last;
        }
        int k = outer - 1;
        while (k >= 0 && h[k] == d->heights[k])
            h[k--] = 0;
        if (k < 0)
            return true;
        if (dtspms_is_late(d->model, &d->left, (int64_t)(height + 1) * (outer + 1) * (outer + 1)))
            return false;
        h[k]++;
    }
}

// The sum of two lengths that both count from ORIGIN. It is the length of a tour, so it fits a lane.
static inline vec join(vec before, vec after)
{
    return (vec)((unsigned_vec)before + (unsigned_vec)after - (unsigned_vec)broadcast((lane)ORIGIN));
}

// Finds for each place the least tour over all heights. Where a stack is empty there is no place; the result goes to
// the depot's entry, which nothing reads.
static inline __attribute__((always_inline)) void join_ways(desk *d, const int outer)
{
    const int32_t height = d->heights[outer];
    int32_t h[MOST - 1] = {0};
    for (int32_t i = 0; i < d->nodes; i++)
        d->least[i] = broadcast((lane)GREATEST);
    for (int64_t at = 0;; at += height + 1) {
        const vec *after = d->ways[1] + d->states - 1 - at, *before[MOST];
        vec best[MOST - 1];
        UNROLL(5)
        for (int k = 0; k < outer; k++) {
            before[k] = d->ways[0] + at - (h[k] > 0 ? d->digit[k] : 0);
            best[k] = d->least[d->place[0][k][h[k]]];
        }
        before[outer] = d->ways[0] + at;
        for (int32_t z = 0; z <= height; z++) {
            const vec rest = after[-z];
            UNROLL(5)
            for (int k = 0; k < outer; k++)
                best[k] = lesser(best[k], join(before[k][z], rest));
            if (z > 0) {
                vec *least = &d->least[d->place[0][outer][z]];
                *least = lesser(*least, join(before[outer][z - 1], rest));
            }
        }
        UNROLL(5)
        for (int k = 0; k < outer; k++)
            d->least[d->place[0][k][h[k]]] = best[k];
        int k = outer - 1;
        while (k >= 0 && h[k] == d->heights[k])
            h[k--] = 0;
        if (k < 0 || dtspms_is_late(d->model, &d->left, (int64_t)(height + 1) * (outer + 1) * (outer + 1)))
            return;
        h[k]++;
    }
}

static inline __attribute__((always_inline)) void sweep_stacks(desk *d, const int outer)
{
    if (sweep(d, 0, outer) && sweep(d, 1, outer))
        join_ways(d, outer);
}

static void run(void *memory, const dtspms_model *model, const dtspms_plan *plan, int network, int32_t removed,
                               const int32_t *replaced, int32_t count, int32_t *lengths)
{
    desk d = {.model = model, .left = DTSPMS_LOOK, .stacks = model->stacks, .nodes = model->nodes};
    const int32_t longest = model->longest[0] > model->longest[1] ? model->longest[0] : model->longest[1];
    lay_out(&d, model, plan->heights, memory);
    set_sequences(&d, plan, network, removed);
    broadcast_distances(&d, model->distance[network], plan->node);
    for (int32_t l = 0; l < count; l++)
        set_distances(&d, model->distance[network], plan->node, replaced[l], plan->node[removed], l);
    for (int32_t z = 0; z <= plan->heights[model->stacks - 1]; z++)
        d.infinite[z] = broadcast((lane)(GREATEST - longest));
    switch (model->stacks) {
    case 2: sweep_stacks(&d, 1); break;
    case 3: sweep_stacks(&d, 2); break;
    case 4: sweep_stacks(&d, 3); break;
    case 5: sweep_stacks(&d, 4); break;
    default: sweep_stacks(&d, 5); break;
    }
    for (int32_t l = 0; l < count; l++)
        for (int32_t r = 0; r < model->orders; r++)
            lengths[(int64_t)l * model->orders + r] = (int32_t)d.least[r + 1][l] - ORIGIN;
}

extern const dtspms_reuse_variant VARIANT(dtspms_reuse);
const dtspms_reuse_variant VARIANT(dtspms_reuse) = {{LANE_SIMD, LANE_BITS}, LANES, bytes, run};
