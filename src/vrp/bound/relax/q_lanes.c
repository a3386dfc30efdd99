// SPDX-License-Identifier: MIT
// Inner loops of q-paths (vrp/bound/relax/q_lanes.h), compiled once for each vector unit.
//
// Loads before that do not depend on one another share each row of arcs: `layers` of them keep both minima in registers while the
// rows of a block pass. A row costs four operations a vector and layer: add, max, min, min. Where the node before a source is a
// target of the group, the source leaves the block for this layer and is put in by itself, with its second path in the one lane.
#include "vrp/bound/relax/q_lanes.h"

#include "base/lanes32.h"

enum {
    PARTS = VRP_Q_GROUP / LANES32,  // vectors of a group
    // Layers at once: both minima of each take 2 * PARTS registers.
    LAYERS = VEC_BYTES == 64 ? 12 : VEC_BYTES == 32 ? 3 : 1
};

// What a group gathers for one layer: packed keys of the block at hand, values and nodes of all blocks before.
typedef struct gathered {
    lanes32 first[PARTS], other[PARTS];
    lanes32 value[PARTS], before[PARTS], second[PARTS], second_before[PARTS];
} gathered;

static inline __attribute__((always_inline)) lanes32 greater_of(lanes32 a, lanes32 b)
{
#if defined(__AVX512BW__)
    return (lanes32)_mm512_max_epi32((__m512i)a, (__m512i)b);
#elif defined(__AVX2__)
    return (lanes32)_mm256_max_epi32((__m256i)a, (__m256i)b);
#else
    return lanes32_choose((lanes32)(a > b), a, b);
#endif
}

// ---- The rows of a block

static inline __attribute__((always_inline)) void rows_of(const int layers, const int32_t *restrict panel,
                                                          const int32_t *restrict keys, int32_t rows, gathered *restrict to)
{
    lanes32 a[LAYERS][PARTS], b[LAYERS][PARTS];
    UNROLL(12)
    for (int l = 0; l < layers; l++)
        UNROLL(4)
        for (int p = 0; p < PARTS; p++) {
            a[l][p] = to[l].first[p];
            b[l][p] = to[l].other[p];
        }
    for (int32_t r = 0; r < rows; r++)
        UNROLL(4)
        for (int p = 0; p < PARTS; p++) {
            const lanes32 arcs = lanes32_load(panel + (int64_t)r * VRP_Q_GROUP + p * LANES32);
            UNROLL(12)
            for (int l = 0; l < layers; l++) {
                const lanes32 key = arcs + lanes32_all(keys[l * VRP_Q_BLOCK + r]);
                b[l][p] = lanes32_lesser(b[l][p], greater_of(a[l][p], key));
                a[l][p] = lanes32_lesser(a[l][p], key);
            }
        }
    UNROLL(12)
    for (int l = 0; l < layers; l++)
        UNROLL(4)
        for (int p = 0; p < PARTS; p++) {
            to[l].first[p] = a[l][p];
            to[l].other[p] = b[l][p];
        }
}

#define ROWS(layers) \
    case layers: rows_of(layers < LAYERS ? layers : LAYERS, panel, keys, rows, to); break;
static void block_rows(int layers, const int32_t *panel, const int32_t *keys, int32_t rows, gathered *to)
{
    switch (layers) {
        ROWS(1) ROWS(2) ROWS(3) ROWS(4) ROWS(5) ROWS(6) ROWS(7) ROWS(8) ROWS(9) ROWS(10) ROWS(11) ROWS(12)
    }
}

// ---- Sources whose node before is a target of the group

static inline void insert(gathered *to, int p, lanes32 key)
{
    to->other[p] = lanes32_lesser(to->other[p], greater_of(to->first[p], key));
    to->first[p] = lanes32_lesser(to->first[p], key);
}

// Source `j` of the load `layer`, `place` in its block: its first path to all targets but one, its second path to that one.
static void insert_apart(const vrp_q_task *task, int32_t layer, int32_t j, int32_t place, int32_t key, gathered *to)
{
    const vrp_q_paths *paths = task->paths;
    const int64_t cell = paths->where[j] + (int64_t)VRP_Q_GROUP * layer;
    const int32_t second = paths->second[cell] == VRP_NO_PATH ? vrp_q_no_source(paths->bits)
                                                             : paths->second[cell] * (1 << paths->bits) + place;
    const lanes32 lane = lanes32_all(paths->lane_of[paths->before[cell]]);
    const int32_t *row = paths->panels + ((int64_t)task->group * paths->nodes + j) * VRP_Q_GROUP;
    for (int p = 0; p < PARTS; p++) {
        const lanes32 is_it = (lanes32)(lanes32_count() + lanes32_all(p * LANES32) == lane);
        insert(to, p, lanes32_load(row + p * LANES32) + lanes32_choose(is_it, lanes32_all(second), lanes32_all(key)));
    }
}

// ---- Blocks

// Adds the block's minima to those of the blocks before; their nodes win ties.
static void fold(gathered *to, int bits, int32_t base)
{
    const lanes32 mask = lanes32_all((1 << bits) - 1), first = lanes32_all(base);
    for (int p = 0; p < PARTS; p++) {
        const lanes32 value = to->first[p] >> bits, before = (to->first[p] & mask) + first;
        const lanes32 other = to->other[p] >> bits, other_before = (to->other[p] & mask) + first;
        const lanes32 is_less = (lanes32)(value < to->value[p]);
        const lanes32 rival = lanes32_choose(is_less, other, value), rival_before = lanes32_choose(is_less, other_before, before);
        const lanes32 kept = lanes32_choose(is_less, to->value[p], to->second[p]);
        const lanes32 kept_before = lanes32_choose(is_less, to->before[p], to->second_before[p]);
        const lanes32 is_rival = (lanes32)(rival < kept);
        to->second[p] = lanes32_choose(is_rival, rival, kept);
        to->second_before[p] = lanes32_choose(is_rival, rival_before, kept_before);
        to->value[p] = lanes32_choose(is_less, value, to->value[p]);
        to->before[p] = lanes32_choose(is_less, before, to->before[p]);
    }
}

// Copies the keys of a block, but those of sources that are put in by themselves. apart[l]: the next of them.
static void take_block(const vrp_q_task *task, int layers, int32_t begin, int32_t base, int32_t rows, int32_t *keys, int32_t *apart,
                       gathered *to)
{
    const vrp_q_paths *paths = task->paths;
    for (int l = 0; l < layers; l++) {
        const int64_t layer = begin + l;
        const int32_t *from = paths->key + layer * paths->key_stride + base;
        int32_t *key = keys + l * VRP_Q_BLOCK;
        for (int32_t r = 0; r < rows; r++)
            key[r] = from[r];
        for (int p = 0; p < PARTS; p++)
            to[l].first[p] = to[l].other[p] = lanes32_all(INT32_MAX);
        for (; apart[l] >= 0 && apart[l] < base + rows; apart[l] = paths->next[layer * paths->key_stride + apart[l]]) {
            const int32_t place = apart[l] - base;
            insert_apart(task, begin + l, apart[l], place, key[place], &to[l]);
            key[place] = vrp_q_no_source(paths->bits);
        }
    }
}

static bool write_cells(const vrp_q_task *task, int32_t layer, const gathered *from)
{
    const vrp_q_paths *paths = task->paths;
    const int64_t cell = task->cells + (int64_t)VRP_Q_GROUP * layer;
    const lanes32 limit = lanes32_all(VRP_Q_NO_KEY >> paths->bits), none = lanes32_all(VRP_NO_PATH), no_node = lanes32_all(-1);
    const lanes32 least = lanes32_all(paths->least), most = lanes32_all(paths->most);
    lanes32 is_wrong = lanes32_all(0);
    for (int p = 0; p < PARTS; p++) {
        const int64_t at = cell + p * LANES32;
        const lanes32 is_cell = (lanes32)(lanes32_load(task->last + p * LANES32) >= lanes32_all(layer));
        const lanes32 has = is_cell & (lanes32)(from->value[p] < limit), has_second = is_cell & (lanes32)(from->second[p] < limit);
        is_wrong |= has & ((lanes32)(from->value[p] < least) | (lanes32)(from->value[p] > most));
        is_wrong |= has_second & (lanes32)(from->second[p] > most);
        lanes32_store(paths->value + at, lanes32_choose(has, from->value[p], none));
        lanes32_store(paths->before + at, lanes32_choose(has, from->before[p], no_node));
        lanes32_store(paths->second + at, lanes32_choose(has_second, from->second[p], none));
        lanes32_store(paths->second_before + at, lanes32_choose(has_second, from->second_before[p], no_node));
    }
    return lanes32_signs(is_wrong) == 0;
}

static bool reach_layers(const vrp_q_task *task, int32_t begin, int layers)
{
    const vrp_q_paths *paths = task->paths;
    const int32_t block = 1 << paths->bits;
    gathered to[LAYERS];
    int32_t apart[LAYERS];
    int32_t keys[LAYERS * VRP_Q_BLOCK];
    bool is_right = true;
    for (int l = 0; l < layers; l++) {
        apart[l] = paths->head[(int64_t)(begin + l) * paths->groups + task->group];
        for (int p = 0; p < PARTS; p++) {
            to[l].value[p] = to[l].second[p] = lanes32_all(INT32_MAX);
            to[l].before[p] = to[l].second_before[p] = lanes32_all(-1);
        }
    }
    for (int32_t base = 0; base < paths->nodes; base += block) {
        const int32_t rows = paths->nodes - base < block ? paths->nodes - base : block;
        take_block(task, layers, begin, base, rows, keys, apart, to);
        block_rows(layers, paths->panels + ((int64_t)task->group * paths->nodes + base) * VRP_Q_GROUP, keys, rows, to);
        for (int l = 0; l < layers; l++)
            fold(&to[l], paths->bits, base);
    }
    for (int l = 0; l < layers; l++)
        is_right = write_cells(task, begin + l, &to[l]) && is_right;
    return is_right;
}

static bool reach(const vrp_q_task *task)
{
    bool is_right = true;
    int32_t begin = task->begin;
    while (begin < task->end && is_right) {
        const int32_t left = task->end - begin, tiles = (left + LAYERS - 1) / LAYERS, layers = (left + tiles - 1) / tiles;
        is_right = reach_layers(task, begin, layers);
        begin += layers;
    }
    return is_right;
}

// ---- Arcs

static void panel_row(const vrp_q_paths *paths, const int32_t *node_of, int32_t from, const int32_t *row)
{
    const lanes32 own = lanes32_all(from), no_arc = lanes32_all(VRP_NO_ARC), absent = lanes32_all(VRP_Q_ABSENT);
    for (int32_t g = 0; g < paths->groups; g++) {
        int32_t *panel = paths->panels + ((int64_t)g * paths->nodes + from) * VRP_Q_GROUP;
        for (int p = 0; p < PARTS; p++) {
            const lanes32 node = lanes32_load(node_of + g * VRP_Q_GROUP + p * LANES32), arc = lanes32_gather(row, node);
            const lanes32 is_arc = (lanes32)(node > 0) & (lanes32)(node != own) & (lanes32)(arc < no_arc);
            lanes32_store(panel + p * LANES32, lanes32_choose(is_arc, arc << paths->bits, absent));
        }
    }
}

extern const vrp_q_lanes_variant VARIANT(vrp_q_lanes);
const vrp_q_lanes_variant VARIANT(vrp_q_lanes) = {.build = {LANE_SIMD, 0}, .reach = reach, .panel_row = panel_row};
