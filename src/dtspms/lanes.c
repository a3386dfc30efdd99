// SPDX-License-Identifier: MIT
// One desk (dtspms/lanes.h), compiled once for each vector unit and lane width.
//
// A row is all heights z of the last stack. The heights of the other stacks advance as an odometer. Along a row, F of
// the last stack stays in a register. F_k of each other stack is loaded, pushed to its successors and stored in the
// same place. FUSED rows at neighbouring heights of one stack f go together: F_f passes from one row to the next in a
// register, and the rows share the distances between the other stacks. A cell of s stacks takes s^2 additions and
// s (s - 1) minima: with s = 3, 15 operations for 9 relaxations. If the number of heights of f is no multiple of FUSED,
// the rows beyond its top hold values that nothing reads.
#include "dtspms/lanes.h"

#include <string.h>

#include "base/lanes.h"
#include "dtspms/vector.h"

// Rows that go together, as many as the registers allow: AVX-512 has 32, the others have 16.
#if defined(__AVX512BW__)
enum { FUSED = 4 };
#else
enum { FUSED = 2 };
#endif

enum { MOST = MCO_DTSPMS_MAX_STACKS };


// ---- Desk

typedef struct lengths {
    const lane *rows, *columns;  // of distances: D[node][other], D[other][node] at node * nodes + other
    lane *out, *in;              // [nodes * orders] the same, with the other node given by its position in the plan
    vec *to[MOST][MOST];    // q < k: [steps_q * steps_k] distance from step t of q to step u of k at t * steps_k + u
    vec *from[MOST][MOST];  // the opposite direction; the same memory where distances are symmetric
    vec *chain[MOST];       // [c_k + 1] from step t to step t + 1
} lengths;

typedef struct desk {
    const dtspms_model *model;  // for its clock
    int64_t left;               // see dtspms_is_late()
    bool has_long_tours;        // the program of one tour may last longer than a look at the clock
    int32_t orders, stacks, nodes;
    int32_t heights[MOST], first[MOST + 1];
    int32_t steps[MOST];  // number of steps: 0..c + 1; for f also those of the rows beyond its top
    lengths networks[2];
    vec *paths[MOST - 1];  // F_k by the heights of the stacks after k
    // F in rows where its stack is empty, by z; c is the height of the last stack. infinite: [(c + 1) * FUSED].
    // origin: [(c + 1) * (FUSED + 1)] for the rows with the origin. Stacks after f read FUSED rows side by side, the
    // others read one row, which begins at (c + 1) * FUSED.
    vec *infinite, *origin;
    vec *to_last_f, *from_last_f;  // [steps of the last stack * (FUSED + 1)] see interleave()
    int32_t *node;  // [orders] the base plan
    int32_t *stack;  // [orders] of each position
    int32_t *lane_node;  // [orders][LANES] the neighbours' nodes
    int32_t *touched;  // [orders] positions to be restored
    int32_t touched_count;
    bool *is_touched;  // [orders]
    uint64_t *changed;  // [orders] lanes in which a position changes, by bit
} desk;

// Rows that go together: FUSED for up to three stacks. More stacks fill the registers with one row.
static inline int fused_rows(const int stacks)
{
    return stacks <= 3 ? FUSED : 1;
}

// Stack f whose rows go together: the third from the end, or the first of two stacks.
static inline int fused_stack(const int stacks)
{
    return stacks > 2 ? stacks - 3 : 0;
}

// Lays the desk out in memory and returns its bytes. With memory NULL it only counts them.
static double lay_out(desk *d, const dtspms_model *model, const int32_t *heights, char *memory)
{
    char *next = memory;
    double bytes = 0, inner = 1;
    const int32_t s = model->stacks, n = model->orders;
    take(&next, &bytes, 1, sizeof(desk));
    for (int32_t k = 0; k < s; k++)
        d->steps[k] = k == fused_stack(s) ? (heights[k] / fused_rows(s) + 1) * fused_rows(s) + 1 : heights[k] + 2;
    for (int network = 0; network < 2; network++) {
        const double cells = (n + 1.0) * n;
        lane *out = take(&next, &bytes, cells, sizeof *out);
        d->networks[network].out = out;
        d->networks[network].in = model->is_symmetric[network] ? out : take(&next, &bytes, cells, sizeof *out);
        for (int32_t k = 0; k < s; k++) {
            d->networks[network].chain[k] = take(&next, &bytes, d->steps[k], sizeof(vec));
            for (int32_t q = 0; q < k; q++) {
                const double pairs = (double)d->steps[q] * d->steps[k];
                vec *to = take(&next, &bytes, pairs, sizeof(vec));
                d->networks[network].to[q][k] = to;
                d->networks[network].from[q][k] = model->is_symmetric[network] ? to : take(&next, &bytes, pairs, sizeof(vec));
            }
        }
    }
    for (int32_t k = s - 2; k >= 0; k--) {
        inner *= k + 1 == s - 1 ? heights[k + 1] + 1.0 : d->steps[k + 1] - 1.0;
        d->paths[k] = take(&next, &bytes, k > fused_stack(s) ? inner * FUSED : inner, sizeof(vec));
    }
    d->infinite = take(&next, &bytes, (heights[s - 1] + 1.0) * FUSED, sizeof(vec));
    d->origin = take(&next, &bytes, (heights[s - 1] + 1.0) * (FUSED + 1), sizeof(vec));
    d->to_last_f = take(&next, &bytes, (double)d->steps[s - 1] * (FUSED + 1), sizeof(vec));
    d->from_last_f = take(&next, &bytes, (double)d->steps[s - 1] * (FUSED + 1), sizeof(vec));
    d->node = take(&next, &bytes, n, sizeof *d->node);
    d->stack = take(&next, &bytes, n, sizeof *d->stack);
    d->lane_node = take(&next, &bytes, (double)n * LANES, sizeof *d->lane_node);
    d->touched = take(&next, &bytes, n, sizeof *d->touched);
    d->is_touched = take(&next, &bytes, n, sizeof *d->is_touched);
    d->changed = take(&next, &bytes, n, sizeof *d->changed);
    return bytes;
}

static double desk_bytes(const dtspms_model *model, const int32_t *heights)
{
    desk d;
    return lay_out(&d, model, heights, NULL);
}

// ---- Distances of a position

// The step of a position in the sequence of its stack, from 1.
static inline int32_t step_of(const desk *d, int network, int32_t position)
{
    const int32_t k = d->stack[position];
    return network == MCO_DTSPMS_NETWORK_PICKUP ? position - d->first[k] + 1 : d->first[k + 1] - position;
}

// Position of the next (way 1) or previous (way -1) step in the sequence; -1 for the depot.
static inline int32_t neighbour_position(const desk *d, int network, int32_t position, int32_t way)
{
    const int32_t k = d->stack[position], other = position + (network == MCO_DTSPMS_NETWORK_PICKUP ? way : -way);
    return other >= d->first[k] && other < d->first[k + 1] ? other : -1;
}

// Where the distances between a position and all steps of stack k are: those of step u at u * skip vectors.
typedef struct line {
    vec *out, *in;
    int64_t skip;
    int32_t top;  // the last step, the depot again
} line;

static inline line line_of(const desk *d, const lengths *w, int32_t stack, int32_t step, int32_t k)
{
    const bool is_first = stack < k;
    const int64_t stride = d->steps[is_first ? k : stack];
    return (line){.out = is_first ? w->to[stack][k] + step * stride : w->from[k][stack] + step,
                  .in = is_first ? w->from[stack][k] + step * stride : w->to[k][stack] + step,
                  .skip = is_first ? 1 : stride,
                  .top = d->heights[k] + 1};
}

// The distance at step 1 of stack k, in a row of distances by position. *on is the way to the next step.
static inline const lane *steps_of(const desk *d, int network, const lane *by_position, int32_t k, int64_t *on)
{
    *on = network == MCO_DTSPMS_NETWORK_PICKUP ? 1 : -1;
    return by_position + (network == MCO_DTSPMS_NETWORK_PICKUP ? d->first[k] : d->first[k + 1] - 1);
}

// Sets all distances from and to one position to those of the base plan, in all lanes.
static void refresh(desk *d, int network, int32_t position)
{
    lengths *w = &d->networks[network];
    const int32_t node = d->node[position], a = d->stack[position], t = step_of(d, network, position);
    const lane *out = w->out + (int64_t)node * d->orders, *in = w->in + (int64_t)node * d->orders;
    const int32_t before = neighbour_position(d, network, position, -1), after = neighbour_position(d, network, position, 1);
    const lane from_depot = w->columns[(int64_t)node * d->nodes], to_depot = w->rows[(int64_t)node * d->nodes];
    for (int32_t k = 0; k < d->stacks; k++) {
        if (k == a)
            continue;
        const line to = line_of(d, w, a, t, k);
        int64_t on;
        const lane *outs = steps_of(d, network, out, k, &on), *ins = steps_of(d, network, in, k, &on);
        to.in[0] = to.in[to.top * to.skip] = broadcast(from_depot);
        to.out[0] = to.out[to.top * to.skip] = broadcast(to_depot);
        for (int32_t u = 1; u < to.top; u++) {
            to.out[u * to.skip] = broadcast(outs[(u - 1) * on]);
            if (to.in != to.out)
                to.in[u * to.skip] = broadcast(ins[(u - 1) * on]);
        }
    }
    w->chain[a][t - 1] = broadcast(before < 0 ? from_depot : in[before]);
    w->chain[a][t] = broadcast(after < 0 ? to_depot : out[after]);
}

static inline void set_lane(vec *v, int32_t l, lane value)
{
    ((lane *)v)[l] = value;
}

// Patches the distances of one position in the lanes where it changes, as if no other position changed. It goes through
// the lanes within a stack, since they share cache lines.
static void patch(desk *d, int network, int32_t position)
{
    lengths *w = &d->networks[network];
    const int32_t a = d->stack[position], t = step_of(d, network, position);
    const int32_t *own = d->lane_node + position * LANES;
    for (int32_t k = 0; k < d->stacks; k++) {
        if (k == a)
            continue;
        const line to = line_of(d, w, a, t, k);
        const int64_t skip = to.skip * LANES;
        for (uint64_t lanes = d->changed[position]; lanes != 0; lanes &= lanes - 1) {
            const int l = __builtin_ctzll(lanes);
            int64_t on;
            const lane *outs = steps_of(d, network, w->out + (int64_t)own[l] * d->orders, k, &on);
            lane *put = (lane *)to.out + l;
            put[0] = put[to.top * skip] = w->rows[(int64_t)own[l] * d->nodes];
            for (int32_t u = 1; u < to.top; u++)
                put[u * skip] = outs[(u - 1) * on];
            if (to.in == to.out)
                continue;
            const lane *ins = steps_of(d, network, w->in + (int64_t)own[l] * d->orders, k, &on);
            put = (lane *)to.in + l;
            put[0] = put[to.top * skip] = w->columns[(int64_t)own[l] * d->nodes];
            for (int32_t u = 1; u < to.top; u++)
                put[u * skip] = ins[(u - 1) * on];
        }
    }
}

// Patches the distances along the stack before and after a position, in the lanes where it changes.
static void patch_chain(desk *d, int network, int32_t position)
{
    lengths *w = &d->networks[network];
    const int32_t a = d->stack[position], t = step_of(d, network, position);
    const int32_t *own = d->lane_node + position * LANES;
    const int32_t before = neighbour_position(d, network, position, -1), after = neighbour_position(d, network, position, 1);
    for (uint64_t lanes = d->changed[position]; lanes != 0; lanes &= lanes - 1) {
        const int l = __builtin_ctzll(lanes);
        const int64_t at = (int64_t)own[l] * d->nodes;
        set_lane(&w->chain[a][t - 1], l, w->columns[at + (before < 0 ? 0 : d->lane_node[before * LANES + l])]);
        set_lane(&w->chain[a][t], l, w->rows[at + (after < 0 ? 0 : d->lane_node[after * LANES + l])]);
    }
}

// Patches, in one lane, the distances between positions that both change.
static void patch_between(desk *d, int network, const dtspms_move *move, int32_t l)
{
    lengths *w = &d->networks[network];
    for (int32_t i = 1; i < move->count; i++) {
        const int32_t position = move->position[i], a = d->stack[position], t = step_of(d, network, position);
        const int64_t from = (int64_t)move->node[i] * d->nodes;
        if ((d->changed[position] >> l & 1) == 0)
            continue;
        for (int32_t k = 0; k < i; k++) {
            const int32_t other = move->position[k];
            if (d->stack[other] == a || (d->changed[other] >> l & 1) == 0)
                continue;
            const line to = line_of(d, w, a, t, d->stack[other]);
            const int64_t at = step_of(d, network, other) * to.skip;
            set_lane(to.out + at, l, w->rows[from + move->node[k]]);
            set_lane(to.in + at, l, w->columns[from + move->node[k]]);
        }
    }
}

// Notes that the position changes in lane l; l < 0: in the base plan.
static void touch(desk *d, int32_t position, int32_t l)
{
    if (!d->is_touched[position]) {
        d->is_touched[position] = true;
        d->touched[d->touched_count++] = position;
    }
    if (l >= 0)
        d->changed[position] |= (uint64_t)1 << l;
}

// Restores the base plan at all touched positions. False if time is over.
static bool restore(desk *d)
{
    while (d->touched_count > 0) {
        const int32_t position = d->touched[--d->touched_count];
        for (int32_t l = 0; l < LANES; l++)
            d->lane_node[position * LANES + l] = d->node[position];
        refresh(d, MCO_DTSPMS_NETWORK_PICKUP, position);
        refresh(d, MCO_DTSPMS_NETWORK_DELIVERY, position);
        d->is_touched[position] = false;
        d->changed[position] = 0;
        if (dtspms_is_late(d->model, &d->left, 2 * (int64_t)d->orders))
            return false;
    }
    return true;
}

static void desk_open(void *memory, const dtspms_model *model, const int32_t *heights,
                               const dtspms_lanes_distances *distances)
{
    desk *d = memory;
    lay_out(d, model, heights, memory);
    d->model = model;
    d->left = DTSPMS_LOOK;
    d->has_long_tours = dtspms_relaxations(heights, model->stacks) > DTSPMS_LOOK;
    d->orders = model->orders;
    d->stacks = model->stacks;
    d->nodes = model->nodes;
    for (int32_t k = 0; k < model->stacks; k++) {
        d->heights[k] = heights[k];
        d->first[k + 1] = d->first[k] + heights[k];
        for (int32_t p = d->first[k]; p < d->first[k + 1]; p++)
            d->stack[p] = k;
    }
    const int32_t longest = model->longest[0] > model->longest[1] ? model->longest[0] : model->longest[1];
    const int32_t cells = heights[model->stacks - 1] + 1;
    for (int32_t z = 0; z < cells * (FUSED + 1); z++)
        d->origin[z] = broadcast((lane)(GREATEST - longest));
    for (int32_t z = 0; z < cells * FUSED; z++)
        d->infinite[z] = broadcast((lane)(GREATEST - longest));
    d->origin[0] = d->origin[cells * FUSED] = broadcast((lane)ORIGIN);
    for (int network = 0; network < 2; network++) {
        d->networks[network].rows = distances->rows[network];
        d->networks[network].columns = distances->columns[network];
    }
}

// Writes the distances between all nodes and the node at `position`.
static void permute(const desk *d, lengths *w, int32_t position)
{
    const lane *to = w->columns + (int64_t)d->node[position] * d->nodes, *from = w->rows + (int64_t)d->node[position] * d->nodes;
    for (int32_t node = 0; node < d->nodes; node++) {
        w->out[(int64_t)node * d->orders + position] = to[node];
        w->in[(int64_t)node * d->orders + position] = from[node];
    }
}

static bool desk_load(void *memory, const int32_t *node)
{
    desk *d = memory;
    for (int32_t p = 0; p < d->orders; p++)
        if (d->node[p] != node[p]) {
            d->node[p] = node[p];
            touch(d, p, -1);
            for (int network = 0; network < 2; network++)
                permute(d, &d->networks[network], p);
            if (dtspms_is_late(d->model, &d->left, 4 * (int64_t)d->nodes))
                return false;
        }
    return restore(d);
}

// ---- The dynamic program

typedef struct rows {
    // Of stack f, and of those after it, only row [0] is used. After f, row i is at z * FUSED + i. to_last: from the
    // step of k to those of the last stack; from_last: from those to the next step of k.
    const vec *in[MOST - 1][FUSED];  // F_k by z in this row; infinite where stack k is empty
    vec *out[MOST - 1][FUSED];       // F_k by z for the next height of k
    const vec *to_last[MOST - 1], *from_last[MOST - 1];
    const vec *to_last_f, *from_last_f;                    // the same for f: row i at z * (FUSED + 1) + i
    vec between[MOST - 1][MOST - 1];                       // from the step of q to the next step of k; neither is f
    vec leave[FUSED][MOST - 1], arrive[FUSED][MOST - 1];   // from f to k, from q to f
    vec stay[FUSED];               // from f to its own next step
    const vec *chain;              // the same of the last stack, by z
    vec last[FUSED];               // F of the last stack: before a row at z = 0, after it at the depot beyond the top.
                                   // With all other stacks complete it is then the length of the tour.
} rows;

static inline __attribute__((always_inline)) void run_rows(rows *r, const int outer, const int f, const int fused, int32_t height)
{
    vec last[FUSED];
    UNROLL(4)
    for (int i = 0; i < fused; i++)
        last[i] = r->last[i];
    for (int32_t z = 0; z <= height; z++) {
        vec passing = r->in[f][0][z];  // F of stack f, which passes from row to row
        UNROLL(4)
        for (int i = 0; i < fused; i++) {
            vec own[MOST - 1], next_passing = lesser(passing + r->stay[i], last[i] + r->from_last_f[z * (FUSED + 1) + i + 1]);
            vec next_last = lesser(last[i] + r->chain[z], passing + r->to_last_f[(z + 1) * (FUSED + 1) + i]);
            UNROLL(5)
            for (int k = 0; k < outer; k++)
                if (k != f) {
                    own[k] = k > f ? r->in[k][0][z * FUSED + i] : r->in[k][i][z];
                    next_last = lesser(next_last, own[k] + r->to_last[k][z + 1]);
                    next_passing = lesser(next_passing, own[k] + r->arrive[i][k]);
                }
            UNROLL(5)
            for (int k = 0; k < outer; k++)
                if (k != f) {
                    vec next = lesser(last[i] + r->from_last[k][z], passing + r->leave[i][k]);
                    UNROLL(5)
                    for (int q = 0; q < outer; q++)
                        if (q != f)
                            next = lesser(next, own[q] + r->between[q][k]);
                    *(k > f ? &r->out[k][0][z * FUSED + i] : &r->out[k][i][z]) = next;
                }
            last[i] = next_last;
            passing = next_passing;
        }
        r->out[f][0][z] = passing;
    }
    UNROLL(4)
    for (int i = 0; i < fused; i++)
        r->last[i] = last[i];
}

// Copies the distances between steps h..h + FUSED of f and all steps of the last stack. Those of one step of the last
// stack lie side by side, so that a group of rows reads one stream of memory instead of FUSED + 1.
static void interleave(const desk *d, const lengths *w, int outer, int f, int fused, int32_t h)
{
    const int64_t last_steps = d->steps[outer];
    for (int32_t i = 0; i <= fused; i++)
        for (int32_t z = 0; z < last_steps; z++) {
            d->to_last_f[z * (FUSED + 1) + i] = w->to[f][outer][(h + i) * last_steps + z];
            d->from_last_f[z * (FUSED + 1) + i] = w->from[f][outer][(h + i) * last_steps + z];
        }
}

// Sets the distances for heights h of the outer stacks; f has the heights h[f]..h[f] + fused - 1.
static inline __attribute__((always_inline)) void set_distances(const desk *d, const lengths *w, const int outer, const int f,
                                                                const int fused, const int32_t *h, rows *r)
{
    const int64_t last_steps = d->steps[outer];
    r->chain = w->chain[outer];
    UNROLL(4)
    for (int i = 0; i < fused; i++)
        r->stay[i] = w->chain[f][h[f] + i];
    UNROLL(5)
    for (int k = 0; k < outer; k++) {
        if (k == f)
            continue;
        r->to_last[k] = w->to[k][outer] + h[k] * last_steps;
        r->from_last[k] = w->from[k][outer] + (h[k] + 1) * last_steps;
        UNROLL(4)
        for (int i = 0; i < fused; i++) {
            const int64_t here = h[f] + i, steps = k < f ? d->steps[f] : d->steps[k];
            r->leave[i][k] = k < f ? w->from[k][f][(h[k] + 1) * steps + here] : w->to[f][k][here * steps + h[k] + 1];
            r->arrive[i][k] = k < f ? w->to[k][f][h[k] * steps + here + 1] : w->from[f][k][(here + 1) * steps + h[k]];
        }
        UNROLL(5)
        for (int q = 0; q < outer; q++)
            if (q != f)
                r->between[q][k] = q == k  ? w->chain[k][h[k]]
                                   : q < k ? w->to[q][k][h[q] * (int64_t)d->steps[k] + h[k] + 1]
                                           : w->from[k][q][(h[k] + 1) * (int64_t)d->steps[q] + h[q]];
    }
}

// Sets the places of F for heights h of the outer stacks; f has the heights h[f]..h[f] + fused - 1.
static inline __attribute__((always_inline)) void set_paths(const desk *d, const int outer, const int f,
                                                            const int fused, const int32_t *h, rows *r)
{
    const int64_t length = d->heights[outer] + 1;
    int64_t at = 0, stride = length, fused_stride = 0;  // of the row in F_k; of one height more in k, in f
    bool is_origin = true;
    UNROLL(5)
    for (int k = 0; k < outer; k++)
        is_origin &= h[k] == 0;
    UNROLL(5)
    for (int k = outer - 1; k >= 0; k--) {
        UNROLL(4)
        for (int i = 0; i < fused; i++) {
            r->out[k][i] = d->paths[k] + (k > f ? 0 : at + i * fused_stride);
            r->in[k][i] = h[k] > 0                         ? r->out[k][i]
                          : is_origin && (i == 0 || k > f) ? d->origin + (k > f ? 0 : (d->heights[outer] + 1) * FUSED)
                                                           : d->infinite;
        }
        if (k == f)
            fused_stride = stride;
        at += h[k] * stride;
        stride *= d->steps[k] - 1;
    }
    UNROLL(4)
    for (int i = 0; i < fused; i++)
        r->last[i] = is_origin && i == 0 ? d->origin[0] : d->infinite[0];
}

// The tours of all lanes. Returns early if time is over; d->left is then negative. The clock is looked at when the heights of the
// last outer stack are through, so that single rows take no longer.
static inline __attribute__((always_inline)) vec run_stacks(const desk *d, const lengths *w, const int outer,
                                                             bool *is_late)
{
    const int f = fused_stack(outer + 1), fused = fused_rows(outer + 1);
    int32_t h[MOST - 1] = {0};
    const int64_t cells = (d->heights[outer] + 1) * (outer == 1 ? (int64_t)fused : d->heights[outer - 1] + 1);
    int64_t left = DTSPMS_LOOK;
    rows r = {.to_last_f = d->to_last_f, .from_last_f = w->to[f][outer] == w->from[f][outer] ? d->to_last_f : d->from_last_f};
    for (;;) {
        if (outer == 1 || h[outer - 1] == 0)
            interleave(d, w, outer, f, fused, h[f]);
        set_distances(d, w, outer, f, fused, h, &r);
        set_paths(d, outer, f, fused, h, &r);
        run_rows(&r, outer, f, fused, d->heights[outer]);
        int k = outer - 1;
        while (k >= 0 && h[k] + (k == f ? fused : 1) > d->heights[k])
            h[k--] = 0;
        if (k < 0)
            return r.last[d->heights[f] % fused];
        if (is_late != NULL && (k < outer - 1 || outer == 1)) {
            left -= cells;
            if (left <= 0 && dtspms_is_over(d->model)) {
                *is_late = true;
                return r.last[0];
            }
            left = left <= 0 ? DTSPMS_LOOK : left;
        }
        h[k] += k == f ? fused : 1;
    }
}

static inline __attribute__((always_inline)) vec run_any(const desk *d, const lengths *w, bool *is_late)
{
    switch (d->stacks) {
    case 2: return run_stacks(d, w, 1, is_late);
    case 3: return run_stacks(d, w, 2, is_late);
    case 4: return run_stacks(d, w, 3, is_late);
    case 5: return run_stacks(d, w, 4, is_late);
    default: return run_stacks(d, w, 5, is_late);
    }
}

// Looks at the clock, which costs the loops 6 %: for long tours only.
static __attribute__((noinline)) vec run_long_network(desk *d, const lengths *w)
{
    bool is_late = false;
    const vec cost = run_any(d, w, &is_late);
    d->left = is_late ? -1 : d->left;
    return cost;
}

static __attribute__((noinline)) vec run_network(const desk *d, const lengths *w)
{
    return run_any(d, w, NULL);
}

static bool desk_run(void *memory, const dtspms_move *moves, int32_t count, int32_t *pickup, int32_t *delivery)
{
    desk *d = memory;
    int32_t *const costs[2] = {pickup, delivery};
    for (int32_t l = 0; l < count; l++)
        for (int32_t k = 0; k < moves[l].count; k++) {
            if (moves[l].node[k] != d->node[moves[l].position[k]]) {
                d->lane_node[moves[l].position[k] * LANES + l] = moves[l].node[k];
                touch(d, moves[l].position[k], l);
            }
        }
    for (int network = 0; network < 2; network++) {
        for (int32_t k = 0; k < d->touched_count; k++) {
            patch(d, network, d->touched[k]);
            patch_chain(d, network, d->touched[k]);
        }
        for (int32_t l = 0; l < count; l++)
            patch_between(d, network, &moves[l], l);
        const lengths *w = &d->networks[network];
        const vec cost = d->has_long_tours ? run_long_network(d, w) : run_network(d, w);
        if (d->left < 0) {
            d->left = DTSPMS_LOOK;
            return false;
        }
        for (int32_t l = 0; l < count; l++)
            costs[network][l] = (int32_t)cost[l] - ORIGIN;
    }
    return restore(d);
}

extern const dtspms_lanes_variant VARIANT(dtspms_lanes);
const dtspms_lanes_variant VARIANT(dtspms_lanes) = {{LANE_SIMD, LANE_BITS}, LANES,     desk_bytes,
                                                    desk_open,              desk_load, desk_run};
