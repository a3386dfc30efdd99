// SPDX-License-Identifier: MIT
// Pull relaxation: a node takes the least sum over the links that enter it, in 8 lanes at once. Nodes are pulled in an order that 8
// near rows share. A pull that could lower a node which was pulled before marks that node; marked nodes are pulled again until none
// is left. Labels are then the least sums over all paths, whatever the order was.
//
// A link becomes the entering one only if it lowers the label strictly. Costs are 0 or more, so these links form a tree, also with
// links of cost 0 and with sums that rounding makes equal: a label on a circle would have to be below itself.
#include "traffic/frank_wolfe/lanes.h"

#include <string.h>

#include "base/lanes.h"

enum { LOOK = 4095 };  // pulls between two looks at the flag

static const double NO_PATH = 1e300;

// ---- 8 doubles

#if defined(__AVX512BW__)

typedef __m512d vec;
static inline vec load8(const double *p) { return _mm512_load_pd(p); }
static inline void store8(double *p, vec a) { _mm512_store_pd(p, a); }
static inline vec add8(vec a, double b) { return _mm512_add_pd(a, _mm512_set1_pd(b)); }
static inline unsigned less8(vec a, vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ); }
static inline vec lesser8(vec a, vec b) { return _mm512_min_pd(a, b); }
static inline void mark8(int32_t *p, unsigned mask, int32_t link)
{
    _mm256_mask_storeu_epi32(p, (__mmask8)mask, _mm256_set1_epi32(link));
}

#else

#if defined(__AVX2__)
typedef struct vec { __m256d a, b; } vec;
static inline vec load8(const double *p) { return (vec){_mm256_load_pd(p), _mm256_load_pd(p + 4)}; }
static inline void store8(double *p, vec v) { _mm256_store_pd(p, v.a), _mm256_store_pd(p + 4, v.b); }
static inline vec add8(vec v, double b) { return (vec){_mm256_add_pd(v.a, _mm256_set1_pd(b)), _mm256_add_pd(v.b, _mm256_set1_pd(b))}; }
static inline unsigned less8(vec x, vec y)
{
    const int low = _mm256_movemask_pd(_mm256_cmp_pd(x.a, y.a, _CMP_LT_OQ)), high = _mm256_movemask_pd(_mm256_cmp_pd(x.b, y.b, _CMP_LT_OQ));
    return (unsigned)low | (unsigned)high << 4;
}
static inline vec lesser8(vec x, vec y) { return (vec){_mm256_min_pd(x.a, y.a), _mm256_min_pd(x.b, y.b)}; }
#else
typedef struct vec { double x[TRAFFIC_LANES]; } vec;
static inline vec load8(const double *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}
static inline void store8(double *p, vec v) { memcpy(p, &v, sizeof v); }
static inline vec add8(vec v, double b)
{
    for (int k = 0; k < TRAFFIC_LANES; k++)
        v.x[k] += b;
    return v;
}
static inline unsigned less8(vec a, vec b)
{
    unsigned mask = 0;
    for (int k = 0; k < TRAFFIC_LANES; k++)
        mask |= (unsigned)(a.x[k] < b.x[k]) << k;
    return mask;
}
static inline vec lesser8(vec a, vec b)
{
    for (int k = 0; k < TRAFFIC_LANES; k++)
        a.x[k] = a.x[k] < b.x[k] ? a.x[k] : b.x[k];
    return a;
}
#endif

static inline void mark8(int32_t *p, unsigned mask, int32_t link)
{
    for (; mask != 0; mask &= mask - 1)
        p[__builtin_ctz(mask)] = link;
}

#endif

// ---- Trees

// Pulls a node; whether a label fell.
static inline bool pull(const traffic_lane_net *net, const double *cost_into, int32_t node, traffic_lane_room *room)
{
    double *label = room->label + (int64_t)node * TRAFFIC_LANES;
    int32_t *entered = room->entered + (int64_t)node * TRAFFIC_LANES;
    const vec old = load8(label);
    vec best = old;
    for (int32_t k = net->into_first[node]; k < net->into_first[node + 1]; k++) {
        const vec sum = add8(load8(room->label + (int64_t)net->into_place[k] * TRAFFIC_LANES), cost_into[k]);
        const unsigned mask = less8(sum, best);
        if (mask != 0) {
            mark8(entered, mask, net->into[k]);
            best = lesser8(sum, best);
        }
    }
    if (less8(best, old) == 0)
        return false;
    store8(label, best);
    return true;
}

// Marks the nodes at positions before `end` that a node could lower; returns the least of these positions and `low`.
static inline int32_t mark(const traffic_lane_net *net, const double *cost, int32_t node, int32_t end, int32_t low, traffic_lane_room *room)
{
    const vec label = load8(room->label + (int64_t)node * TRAFFIC_LANES);
    for (int32_t a = net->first[node]; a < net->first[node + 1]; a++) {
        const int32_t w = net->head[a];
        if (w < net->first_through || room->position[w] >= end || less8(add8(label, cost[a]), load8(room->label + (int64_t)w * TRAFFIC_LANES)) == 0)
            continue;
        const int32_t i = room->position[w];
        room->dirty[i >> 6] |= (uint64_t)1 << (i & 63);
        low = i < low ? i : low;
    }
    return low;
}

static void begin(const traffic_lane_net *net, const int32_t *origin, const int32_t *order, traffic_lane_room *room)
{
    const int64_t places = ((int64_t)net->nodes + net->first_through) * TRAFFIC_LANES;
    for (int64_t k = 0; k < places; k++)
        room->label[k] = NO_PATH;
    for (int32_t i = 0; i < net->nodes - net->first_through; i++)
        room->position[order[i]] = i;
    for (int32_t k = 0; k < TRAFFIC_LANES; k++)
        if (origin[k] >= 0) {
            const int64_t place = origin[k] < net->first_through ? (int64_t)net->nodes + origin[k] : origin[k];
            room->label[place * TRAFFIC_LANES + k] = 0;
        }
}

// Pulls marked nodes, the first ones of the order first, until none is left.
static int64_t repair(const traffic_lane_net *net, const double *cost, const double *cost_into, const int32_t *order, int32_t low,
                      traffic_lane_room *room, const atomic_bool *stop)
{
    const int32_t count = net->nodes - net->first_through, words = (count + 63) / 64;
    int64_t pulls = 0;
    while (low < count) {
        int32_t next = count;
        for (int32_t word = low >> 6; word < words; word++)
            while (room->dirty[word] != 0) {
                const int32_t i = word * 64 + __builtin_ctzll(room->dirty[word]);
                room->dirty[word] &= room->dirty[word] - 1;
                if ((++pulls & LOOK) == 0 && atomic_load_explicit(stop, memory_order_relaxed)) {
                    memset(room->dirty, 0, (size_t)words * sizeof *room->dirty);
                    return -1;
                }
                if (pull(net, cost_into, order[i], room)) {
                    const int32_t before = mark(net, cost, order[i], count, next, room);
                    next = before < i ? before : next;
                }
            }
        low = next;
    }
    return pulls;
}

static int64_t grow(const traffic_lane_net *net, const double *cost, const double *cost_into, const int32_t *origin, const int32_t *order,
                    traffic_lane_room *room, const atomic_bool *stop)
{
    const int32_t count = net->nodes - net->first_through;
    int32_t low = count;
    begin(net, origin, order, room);
    for (int32_t i = 0; i < count; i++) {
        pull(net, cost_into, order[i], room);
        low = mark(net, cost, order[i], i, low, room);
    }
    const int64_t pulls = repair(net, cost, cost_into, order, low, room, stop);
    for (int32_t z = 0; z < net->first_through; z++)
        pull(net, cost_into, z, room);
    return pulls;
}

// ---- The order

// Sorts by the least label of the lanes, by buckets of equal width, two for a node, and then by insertion.
static void sort(const traffic_lane_net *net, int32_t *order, traffic_lane_room *room)
{
    const int32_t count = net->nodes - net->first_through, buckets = 2 * count;
    double least = INFINITY, most = 0;
    for (int32_t i = 0; i < count; i++) {
        const double *label = room->label + (int64_t)order[i] * TRAFFIC_LANES;
        double first = label[0];
        for (int32_t k = 1; k < TRAFFIC_LANES; k++)
            first = label[k] < first ? label[k] : first;
        room->key[order[i]] = first;
        least = first < least ? first : least;
        most = first > most ? first : most;
    }
    const double scale = most > least ? (buckets - 1) / (most - least) : 0;
    memset(room->count, 0, (size_t)(buckets + 1) * sizeof *room->count);
    for (int32_t i = 0; i < count; i++)
        room->count[(int32_t)((room->key[order[i]] - least) * scale) + 1]++;
    for (int32_t k = 0; k < buckets; k++)
        room->count[k + 1] += room->count[k];
    for (int32_t i = 0; i < count; i++)
        room->sorted[room->count[(int32_t)((room->key[order[i]] - least) * scale)]++] = order[i];
    for (int32_t i = 0; i < count; i++) {
        const int32_t node = room->sorted[i];
        int32_t j = i;
        for (; j > 0 && room->key[order[j - 1]] > room->key[node]; j--)
            order[j] = order[j - 1];
        order[j] = node;
    }
}

// ---- Loads

// Moves the flow of a node towards the origin: to the node before, if that comes later in this pass, else all the way up to such a node.
static inline void climb(const traffic_lane_net *net, int32_t origin, int32_t lane, int32_t node, int32_t position, int64_t amount,
                         traffic_lane_room *room, int64_t *y)
{
    while (node != origin) {
        const int32_t link = room->entered[(int64_t)node * TRAFFIC_LANES + lane];
        y[link] += amount;
        node = net->tail[link];
        if (node < net->first_through)
            return;  // paths pass through no end: it is the origin
        if (room->position[node] < position) {
            room->flow[(int64_t)node * TRAFFIC_LANES + lane] += amount;
            return;
        }
    }
}

static void spread(const traffic_lane_net *net, const int32_t *origin, const int32_t *order, traffic_lane_room *room, int64_t *y)
{
    for (int32_t i = net->nodes - 1; i >= 0; i--) {
        const bool is_end = i >= net->nodes - net->first_through;  // ends come first: nothing passes through them
        const int32_t node = is_end ? net->nodes - 1 - i : order[i];
        const int32_t position = is_end ? net->nodes : i;
        int64_t *flow = room->flow + (int64_t)node * TRAFFIC_LANES, any = 0;
        for (int32_t k = 0; k < TRAFFIC_LANES; k++)
            any |= flow[k];
        if (any == 0)
            continue;
        for (int32_t k = 0; k < TRAFFIC_LANES; k++) {
            if (flow[k] != 0)
                climb(net, origin[k], k, node, position, flow[k], room, y);
            flow[k] = 0;
        }
    }
}

// ---- Flows over a hierarchy

// Lanes where label + weight is the other label.
static inline uint32_t equal16(const int32_t *label, int32_t weight, const int32_t *other)
{
#if defined(__AVX512BW__)
    return _mm512_cmpeq_epi32_mask(_mm512_add_epi32(_mm512_load_si512(label), _mm512_set1_epi32(weight)), _mm512_load_si512(other));
#elif defined(__AVX2__)
    const __m256i w = _mm256_set1_epi32(weight);
    uint32_t mask = 0;
    for (int k = 0; k < 2; k++) {
        const __m256i a = _mm256_load_si256((const __m256i *)(const void *)label + k), b = _mm256_load_si256((const __m256i *)(const void *)other + k);
        mask |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_add_epi32(a, w), b))) << (8 * k);
    }
    return mask;
#else
    uint32_t mask = 0;
    for (int k = 0; k < TRAFFIC_TREES; k++)
        mask |= (uint32_t)(label[k] + weight == other[k]) << k;
    return mask;
#endif
}

// Adds the lanes of the mask to other flows; returns their sum.
static inline int64_t move16(const int64_t *flow, uint32_t mask, int64_t *to)
{
#if defined(__AVX512BW__)
    const __m512i low = _mm512_maskz_load_epi64((__mmask8)mask, flow), high = _mm512_maskz_load_epi64((__mmask8)(mask >> 8), flow + 8);
    _mm512_store_si512(to, _mm512_add_epi64(_mm512_load_si512(to), low));
    _mm512_store_si512(to + 8, _mm512_add_epi64(_mm512_load_si512(to + 8), high));
    return _mm512_reduce_add_epi64(_mm512_add_epi64(low, high));
#else
    int64_t sum = 0;
    for (; mask != 0; mask &= mask - 1) {
        const int k = __builtin_ctz(mask);
        to[k] += flow[k];
        sum += flow[k];
    }
    return sum;
#endif
}

static uint32_t descend(const traffic_descent *d, int32_t vertex, uint32_t pending)
{
    const int32_t *label = d->label + (int64_t)vertex * TRAFFIC_TREES;
    const int64_t *flow = d->flow + (int64_t)vertex * TRAFFIC_TREES;
    for (int32_t a = d->first[vertex]; a < d->first[vertex + 1] && pending != 0; a++) {
        const int32_t head = d->head[a];
        const uint32_t mask = equal16(d->label + (int64_t)head * TRAFFIC_TREES, d->down[a], label) & pending;
        if (mask == 0)
            continue;
        const int64_t amount = move16(flow, mask, d->flow + (int64_t)head * TRAFFIC_TREES);
        d->touched[head >> 6] |= (uint64_t)1 << (head & 63);
        atomic_fetch_add_explicit(&d->arc_flow[2 * (int64_t)a + 1], amount, memory_order_relaxed);
        pending &= ~mask;
    }
    return pending;
}

extern const traffic_lane_build VARIANT(traffic_lanes);
const traffic_lane_build VARIANT(traffic_lanes) = {.build = {LANE_SIMD, 0}, .grow = grow, .sort = sort, .spread = spread, .descend = descend};
