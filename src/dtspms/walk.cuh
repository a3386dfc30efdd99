// SPDX-License-Identifier: MIT
// Walks (dtspms/walk.h) on a GPU, bit for bit as dtspms_walk_all() moves them.
//
// A group of G lanes has a walk; its lane k has stack k. A warp has 32 / G walks. All groups recreate side by side.
// Ruin differs from walk to walk, so the whole warp does it for one walk after another, whenever a walk is due. So all
// 32 lanes are at the same place when they wait for each other, and no walk waits for the end of another's step.
//
// A sequence is an array of **elements**, one word each: the length of the edge after the stop, the stop's node, and
// its stack as one bit. An **offer** is a word too. It describes an edge: its detour, its number, whether the slot
// below the stop at its end blinks, and the stack of that stop. So the least offer has the least detour, and the lowest
// edge among equals. Slots of a stack are numbered in the succession of the stack, which is the same in both sequences.
// The lane of the stack counts them.
//
// Trials are in shared memory. Solutions and the best solutions are in device memory. A step reads or writes the
// solution once, in full. Reference: dtspms/walk.c, dtspms/walk_lanes.c.
#ifndef MCO_DTSPMS_WALK_CUH
#define MCO_DTSPMS_WALK_CUH

#include <type_traits>

#include "dtspms/pair.cuh"

namespace dtspms {

constexpr int MOST_WALK_WARPS = 24;  // of a block; there is one block on a multiprocessor

// A kernel instance: words of 32 bits with lengths of 16, or words of 64 with lengths of 32. IS_SHARED: distances are
// in shared memory.
template <int G_, bool IS_WIDE_, bool IS_SYMMETRIC_, bool IS_SHARED_> struct walk_shape {
    static constexpr int G = G_;
    static constexpr bool IS_WIDE = IS_WIDE_, IS_SYMMETRIC = IS_SYMMETRIC_, IS_SHARED = IS_SHARED_;
    static constexpr int GROUPS = WARP / G;  // of a warp
    static constexpr int QUAD = 4;           // words that a lane takes at once
    using word = std::conditional_t<IS_WIDE, int64_t, int32_t>;
    using unsigned_word = std::make_unsigned_t<word>;
    using distance = std::conditional_t<IS_WIDE, int32_t, uint16_t>;
    // The lowest bits of node, blink, edge and length. Below them is one bit for each stack.
    static constexpr int NODE = G == 4 ? 4 : MCO_DTSPMS_MAX_STACKS, BLINK = NODE, EDGE = NODE + 1, LENGTH = IS_WIDE ? 32 : 16;
    static constexpr word LOW = ((word)1 << LENGTH) - 1;
    static constexpr word MARKS = ((word)1 << EDGE) - 1;  // of an offer: stack and blink
    static constexpr word NONE = (word)(((unsigned_word)~0ull >> 1) & ~(unsigned_word)LOW);  // greater than any offer
    static_assert(DTSPMS_DEVICE_WALK_ORDERS < WARP * WARP, "a warp has a bit for each node");

    // Whether sums of two offers fit: each detour is up to twice a length, and the numbers of two edges are added.
    static bool fits(int orders, int32_t longest)
    {
        return IS_WIDE || (longest < 1 << (LENGTH - 3) && orders < 1 << (LENGTH - 1 - EDGE));
    }

    struct alignas(16) quad {
        word at[QUAD];
    };
};

// Where things lie in the shared memory of a group, in its words.
struct walk_layout {
    int positions;  // of a sequence: stops, both depots, and two more at least; whole quads
    int words;      // of a group; chosen so that eight lanes, a quad each, read all 32 banks

    template <class S> __host__ __device__ static walk_layout of(int orders)
    {
        constexpr int UNIT = (int)sizeof(typename S::word) / 4;
        walk_layout l = {};
        l.positions = (orders + 7) / S::QUAD * S::QUAD;
        l.words = 4 * l.positions + (DTSPMS_MOST_REMOVED / 2 + UNIT - 1) / UNIT;
        const int banks = l.words * UNIT;
        l.words = ((banks + 15) / 32 * 32 + 16) / UNIT;
        return l;
    }
};

// A lane. Its values of the walk are the same in all lanes of the group, except the heights.
template <class S> struct walk_lane {
    using word = typename S::word;
    using quad = typename S::quad;
    using distance = typename S::distance;

    const dtspms_device_walks &walks;
    const distance *const leave[2];  // in shared or in device memory
    word *const s_warp;              // of the groups of this warp
    const walk_layout l;
    const int lane, k, group, first;  // lane in the warp; lane in the group; group in the warp; first walk of the warp
    const word own;                   // bit of the lane's stack

    uint64_t random = 0;
    int64_t steps = 0;  // left
    int32_t temperature = 0, cost = 0, best_cost = 0, trial_cost = 0, placed = 0;  // placed: in the trial
    int32_t height = 0, height_before = 0;                                         // of the stack: trial, solution
    int32_t removed = 0, next = 0;  // number of orders on the list; index of the one to place next

    __device__ walk_lane(const dtspms_device_walks &w, const distance *pickup, const distance *delivery, word *s_words,
                         const walk_layout &layout)
        : walks(w), leave{pickup, delivery}, s_warp(s_words), l(layout), lane((int)threadIdx.x % WARP), k(lane % S::G),
          group(lane / S::G),
          first((int)((blockIdx.x * blockDim.x + threadIdx.x) / WARP) * S::GROUPS), own(k < w.stacks ? (word)1 << k : 0)
    {
    }

    // ---- Words

    static __device__ int node_of(word element) { return (int)((element & S::LOW) >> S::NODE); }
    static __device__ int32_t length_of(word w) { return (int32_t)(w >> S::LENGTH); }
    static __device__ int edge_of(word offer) { return (int)((offer & S::LOW) >> S::EDGE); }
    static __device__ word with_length(int32_t length, word low)
    {
        return (word)((typename S::unsigned_word)length << S::LENGTH) | low;
    }

    __device__ int32_t length(int sequence, int from, int to) const
    {
        return (int32_t)leave[sequence][from * walks.nodes + to];
    }

    // Of a group: the sequences of its trial, offers, costs of slots in the first sequence, list of orders to place.
    __device__ word *trial(int of_group) const { return s_warp + of_group * l.words; }
    __device__ word *sequence_of(int of_group, int sequence) const { return trial(of_group) + sequence * l.positions; }
    __device__ word *offers() const { return sequence_of(group, 2); }
    __device__ word *below() const { return sequence_of(group, 3); }
    __device__ uint16_t *list(int of_group) const { return reinterpret_cast<uint16_t *>(sequence_of(of_group, 4)); }

    // ---- Ruin: by the whole warp, for the walk of one group

    // Whether a node is in a set; each lane has the bits of 32 nodes.
    __device__ bool has(uint32_t bits, int node) const { return __shfl_sync(ALL_LANES, bits, node >> 5) >> (node & 31) & 1; }

    __device__ int find(const word *sequence, int node) const
    {
        for (int base = 0;; base += WARP) {
            const int at = base + lane;
            const uint32_t found = __ballot_sync(ALL_LANES, at <= walks.orders && node_of(sequence[at]) == node);
            if (found != 0)
                return base + __ffs((int)found) - 1;
        }
    }

    // Removes the stops that are gone from a sequence. Returns this lane's share of the length that remains.
    __device__ int32_t close_up(int of_group, int sequence, uint32_t gone) const
    {
        word *elements = sequence_of(of_group, sequence);
        int kept = 0;
        for (int base = 0; base < walks.orders + 2; base += WARP) {
            const bool is_stop = base + lane < walks.orders + 2;
            const word element = is_stop ? elements[base + lane] : 0;
            const bool is_gone = has(gone, node_of(element));
            const uint32_t stays = __ballot_sync(ALL_LANES, is_stop && !is_gone);
            __syncwarp();
            if (stays >> lane & 1)
                elements[kept + __popc(stays & ((1u << lane) - 1))] = element;
            kept += __popc(stays);
        }
        int32_t sum = 0;
        for (int base = 0; base < kept - 1; base += WARP) {
            const int at = base + lane;
            __syncwarp();
            const word element = at < kept - 1 ? elements[at] : 0, behind = at < kept - 1 ? elements[at + 1] : 0;
            __syncwarp();
            if (at < kept - 1) {
                const int32_t edge = length(sequence, node_of(element), node_of(behind));
                elements[at] = with_length(edge, element & S::LOW);
                sum += edge;
            }
        }
        return sum;
    }

    // Lanes 0..count-1 have the orders removed. Puts them onto the list in the succession in which they come back.
    __device__ void arrange(int of_group, uint64_t *of_random, int node, int count) const
    {
        const int way = dtspms_walk_below(of_random, 4);
        int at = lane;
        if (way < 2) {
            for (int j = count - 1; j > 0; j--) {
                const int other = dtspms_walk_below(of_random, j + 1);
                const int kept = __shfl_sync(ALL_LANES, node, j), taken = __shfl_sync(ALL_LANES, node, other);
                node = lane == j ? taken : lane == other ? kept : node;
            }
        } else {
            const int rank = lane < count ? walks.rank[node] : 0;
            at = 0;
            for (int j = 0; j < count; j++) {
                const int other = __shfl_sync(ALL_LANES, rank, j);
                at += way == 3 ? other < rank : other > rank;
            }
        }
        if (lane < count)
            list(of_group)[at] = (uint16_t)node;
    }

    // Takes orders out of a group's trial. All lanes have passed a __syncwarp() since the trial was written.
    __device__ void ruin(int of_group)
    {
        const int n = walks.orders, most = n < DTSPMS_MOST_REMOVED ? n : DTSPMS_MOST_REMOVED;
        uint64_t r = __shfl_sync(ALL_LANES, random, of_group * S::G);
        const int wanted = 1 + dtspms_walk_below(&r, most), seed = 1 + dtspms_walk_below(&r, n);
        const int network = dtspms_walk_below(&r, 2);
        const int near = lane < walks.near_count ? walks.near[(network * walks.nodes + seed) * walks.near_count + lane] : 0;
        uint32_t gone = 0;        // the lane's bits of the orders removed
        int node = 0, count = 0;  // the order removed as number `lane`; how many are removed
        for (int j = -1; j < walks.near_count && count < wanted; j++) {
            const int from = j < 0 ? seed : __shfl_sync(ALL_LANES, near, j);
            if (has(gone, from))
                continue;
            const int sequence = dtspms_walk_below(&r, 2), longest = 1 + dtspms_walk_below(&r, DTSPMS_LONGEST_STRING);
            const int string = longest < wanted - count ? longest : wanted - count;
            const word *elements = sequence_of(of_group, sequence);
            int begin = find(elements, from) - dtspms_walk_below(&r, string);
            begin = begin > n + 1 - string ? n + 1 - string : begin;
            begin = begin < 1 ? 1 : begin;
            const word element = lane < string ? elements[begin + lane] : 0;
            const bool is_gone = has(gone, node_of(element));
            for (uint32_t fresh = __ballot_sync(ALL_LANES, lane < string && !is_gone); fresh != 0; fresh &= fresh - 1) {
                const word taken = __shfl_sync(ALL_LANES, element, __ffs((int)fresh) - 1);
                const int order = node_of(taken);
                gone |= lane == order >> 5 ? 1u << (order & 31) : 0;
                node = lane == count ? order : node;
                height -= group == of_group && (taken & own) != 0;
                count++;
            }
        }
        __syncwarp();
        int32_t sum = close_up(of_group, 0, gone);
        sum += close_up(of_group, 1, gone);
        sum = __reduce_add_sync(ALL_LANES, sum);
        arrange(of_group, &r, node, count);
        if (group == of_group) {
            random = r;
            trial_cost = sum;
            placed = n - count;
            removed = count;
            next = 0;
        }
        __syncwarp();
    }

    // ---- Recreate: by all groups at once. edges: of a sequence; 0 if the group's walk has no steps left

    // Makes the offer of each edge of a sequence: by how much it would grow with the node between its ends.
    template <int SEQUENCE> __device__ void make_offers(int node, uint32_t drawn, int edges) const
    {
        const word *elements = sequence_of(group, SEQUENCE);
        for (int first_edge = S::QUAD * k; first_edge < edges; first_edge += S::QUAD * S::G) {
            const quad stops = *reinterpret_cast<const quad *>(elements + first_edge);
            const word last = elements[first_edge + S::QUAD];
            quad out;
            int32_t before = S::IS_SYMMETRIC ? length(SEQUENCE, node, node_of(stops.at[0])) : 0;
#pragma unroll
            for (int j = 0; j < S::QUAD; j++) {
                const int edge = first_edge + j;
                const word behind = j + 1 < S::QUAD ? stops.at[(j + 1) % S::QUAD] : last;
                const int32_t after = length(SEQUENCE, node, node_of(behind));
                if (!S::IS_SYMMETRIC)
                    before = length(SEQUENCE, node_of(stops.at[j]), node);
                word low = (word)edge << S::EDGE | (behind & (((word)1 << S::NODE) - 1));
                if (SEQUENCE == 1)
                    low |= (word)dtspms_walk_blinks(drawn, (uint32_t)edge) << S::BLINK;
                out.at[j] = edge < edges ? with_length(before + after - length_of(stops.at[j]), low) : S::NONE;
                before = after;
            }
            *reinterpret_cast<quad *>(offers() + first_edge) = out;
        }
    }

    // Where the lane begins in below(): after the slots of the stacks before its own.
    __device__ int first_slot() const
    {
        int slot = 0;
#pragma unroll
        for (int j = 0; j < S::G - 1; j++) {
            const int of_stack = __shfl_sync(ALL_LANES, height, j, S::G);
            slot += j < k ? of_stack : 0;
        }
        return slot;
    }

    // Writes the best offer of the first sequence for each slot below a stop of the lane's stack. Returns the best for
    // the top. The offers are without their marks, so that sums of two offers carry nothing from field to field.
    __device__ word price_slots(int edges, word *of_slot) const
    {
        word least = S::NONE;
        for (int base = 0; base < edges; base += S::QUAD) {
            const quad in = *reinterpret_cast<const quad *>(offers() + base);
#pragma unroll
            for (int j = 0; j < S::QUAD; j++) {
                least = in.at[j] < least ? in.at[j] : least;
                if ((in.at[j] & own) != 0) {
                    *of_slot++ = least & ~S::MARKS;
                    least = S::NONE;
                }
            }
        }
        return least & ~S::MARKS;
    }

    // A slot: the sum of both sequences' offers, the first sequence's offer, and the number of the slot in the search
    // order.
    struct slot {
        word both, first;
        int number;
    };

    // The lane's cheapest slot that does not blink, the first among equals; `both` is NONE if there is none. The edges
    // of a later slot are later in both sequences. So the least sum is the cheapest slot, and the first one among equal
    // costs.
    __device__ slot find_slot(int edges, const word *of_slot, word top, uint32_t drawn, bool may_blink) const
    {
        const word blinks = may_blink ? (word)1 << S::BLINK : 0;
        word least = S::NONE, above = 0;  // the offer at which the best slot was seen
        slot best = {S::NONE, *of_slot, 0};
        word first_offer = best.first;
        for (int base = 0; base < edges; base += S::QUAD) {
            const quad in = *reinterpret_cast<const quad *>(offers() + base);
#pragma unroll
            for (int j = 0; j < S::QUAD; j++) {
                const word offer = in.at[j];
                least = offer < least ? offer : least;
                const bool is_slot = (offer & own) != 0;
                const word both = sum(first_offer, least);
                const bool is_better = is_slot && (offer & blinks) == 0 && both < best.both;
                best.both = is_better ? both : best.both;
                best.first = is_better ? first_offer : best.first;
                above = is_better ? offer : above;
                first_offer = is_slot ? *++of_slot : first_offer;
                least = is_slot ? S::NONE : least;
            }
        }
        best.number = edge_of(above);
        const word both = sum(top, least);
        const int number = edges - 1 + k;
        if (both < best.both && !(may_blink && dtspms_walk_blinks(drawn, (uint32_t)number)))
            best = {both, top, number};
        if (own == 0 || height >= walks.capacity)
            best.both = S::NONE;
        return best;
    }

    static __device__ word sum(word a, word b) { return (word)((typename S::unsigned_word)a + (typename S::unsigned_word)b); }

    // Cost and number of the cheapest slot among the lanes of a group, the lowest number among equals; INT64_MAX if
    // there is none. *owner is the lane that has it.
    __device__ int64_t choose(const slot &found, int *owner) const
    {
        const int64_t key = found.both == S::NONE ? INT64_MAX
                                                  : (int64_t)((uint64_t)length_of(found.both) << 32) | found.number;
        int64_t least = key;
#pragma unroll
        for (int apart = 1; apart < S::G; apart *= 2) {
            const int64_t other = __shfl_xor_sync(ALL_LANES, least, apart);
            least = other < least ? other : least;
        }
        const uint32_t has_it = __ballot_sync(ALL_LANES, key == least) >> (group * S::G);
        *owner = __ffs((int)has_it) - 1;
        return least;
    }

    // Puts the node onto an edge of each sequence. The elements after the edge move up, the last ones first, a quad in
    // each lane.
    __device__ void insert(int node, word stack, const int (&edge)[2], bool is_active) const
    {
        word *elements[2];
        word split[2] = {0, 0}, entered[2] = {0, 0};  // the element before the node; the node's element
#pragma unroll
        for (int w = 0; w < 2; w++) {
            elements[w] = sequence_of(group, w);
            if (!is_active)
                continue;
            const word before = elements[w][edge[w]], behind = elements[w][edge[w] + 1];
            split[w] = with_length(length(w, node_of(before), node), before & S::LOW);
            entered[w] = with_length(length(w, node, node_of(behind)), (word)node << S::NODE | stack);
        }
        const int end = placed + 3, stride = S::QUAD * S::G;  // positions after the insertion
        for (int base = (walks.orders + 1) / stride * stride; base >= 0; base -= stride) {
            const int begin = base + S::QUAD * k;
            quad in[2] = {};
            word last[2] = {0, 0};
            bool moves[2];
#pragma unroll
            for (int w = 0; w < 2; w++) {
                moves[w] = is_active && begin < end && begin + S::QUAD > edge[w];
                if (!moves[w])
                    continue;
                in[w] = *reinterpret_cast<const quad *>(elements[w] + begin);
                last[w] = begin > 0 ? elements[w][begin - 1] : 0;
            }
            __syncwarp();
#pragma unroll
            for (int w = 0; w < 2; w++) {
                if (!moves[w])
                    continue;
                quad out;
#pragma unroll
                for (int j = 0; j < S::QUAD; j++) {
                    const int behind = begin + j - edge[w];
                    word element = j > 0 ? in[w].at[(j + S::QUAD - 1) % S::QUAD] : last[w];
                    element = behind == 1 ? entered[w] : element;
                    element = behind == 0 ? split[w] : element;
                    out.at[j] = behind < 0 ? in[w].at[j] : element;
                }
                *reinterpret_cast<quad *>(elements[w] + begin) = out;
            }
        }
        __syncwarp();
    }

    // Places the next order of each walk that has steps left.
    __device__ void place()
    {
        const bool is_active = steps > 0;
        const int edges = is_active ? placed + 1 : 0;
        int node = 0;
        uint32_t drawn = 0;
        if (is_active) {
            node = list(group)[next++];
            drawn = (uint32_t)(mco_splitmix64(&random) >> 32);
        }
        word *of_slot = below() + first_slot();
        make_offers<0>(node, drawn, edges);
        __syncwarp();
        const word top = price_slots(edges, of_slot);
        __syncwarp();
        make_offers<1>(node, drawn, edges);
        __syncwarp();
        slot best;
        int64_t least;
        int owner;
        bool may_blink = true, is_again;
        do {
            best = find_slot(edges, of_slot, top, drawn, may_blink);
            least = choose(best, &owner);
            is_again = is_active && may_blink && least == INT64_MAX;
            may_blink = may_blink && !is_again;
        } while (__any_sync(ALL_LANES, is_again));
        const int first_edge = __shfl_sync(ALL_LANES, edge_of(best.first), owner, S::G);
        const int edge[2] = {first_edge, __shfl_sync(ALL_LANES, edge_of(best.both), owner, S::G) - first_edge};
        insert(node, (word)1 << owner, edge, is_active);
        if (is_active) {
            trial_cost += (int32_t)(least >> 32);
            placed++;
            height += k == owner;
        }
    }

    // ---- Steps

    // By the whole warp. If accepted, the trial becomes the solution, and the best if it is better; else the solution
    // becomes the trial.
    __device__ void settle(int of_group, bool is_accepted, bool is_best) const
    {
        const int64_t at = (int64_t)(first + of_group) * 2 * l.positions;
        quad *s_trial = reinterpret_cast<quad *>(trial(of_group));
        quad *now = reinterpret_cast<quad *>(static_cast<word *>(walks.now) + at);
        quad *best = reinterpret_cast<quad *>(static_cast<word *>(walks.best) + at);
        for (int j = lane; j < 2 * l.positions / S::QUAD; j += WARP) {
            if (is_accepted)
                now[j] = s_trial[j];
            else
                s_trial[j] = now[j];
            if (is_best)
                best[j] = s_trial[j];
        }
        __syncwarp();
    }

    // For each walk with all orders placed, ends the step and begins the next one. The first time there is no step to
    // end.
    __device__ void turn(bool is_first)
    {
        const bool is_due = steps > 0 && next == removed;
        bool is_accepted = false, is_best = false;
        if (is_due && !is_first) {
            const int32_t threshold = dtspms_walk_threshold(&random, temperature, walks.logarithms);
            is_accepted = trial_cost <= (int64_t)cost + threshold;
            is_best = is_accepted && trial_cost < best_cost;
            cost = is_accepted ? trial_cost : cost;
            best_cost = is_best ? cost : best_cost;
            height = is_accepted ? height : height_before;
            height_before = height;
            steps--;
            if (is_best)
                walks.walk[first + group].best_heights[k] = height;
        }
        const uint32_t due = __ballot_sync(ALL_LANES, is_due), accepted = __ballot_sync(ALL_LANES, is_accepted),
                       best = __ballot_sync(ALL_LANES, is_best), goes_on = __ballot_sync(ALL_LANES, steps > 0);
#pragma unroll 1
        for (int g = 0; g < S::GROUPS; g++) {
            const int bit = g * S::G;
            if ((due >> bit & 1) == 0)
                continue;
            settle(g, accepted >> bit & 1, best >> bit & 1);
            if (goes_on >> bit & 1)
                ruin(g);
        }
    }

    __device__ void run()
    {
        const bool has_walk = first + group < walks.count;
        dtspms_device_walk *walk = walks.walk + (has_walk ? first + group : 0);
        if (has_walk) {
            steps = walks.steps;
            random = walk->random;
            temperature = walk->temperature;
            cost = walk->cost;
            best_cost = walk->best_cost;
            height = height_before = walk->heights[k];
        }
        for (bool is_first = true; __any_sync(ALL_LANES, steps > 0); is_first = false) {
            turn(is_first);
            place();  // does nothing if no walk has steps left
        }
        if (!has_walk)
            return;
        walk->heights[k] = height;
        if (k == 0) {
            walk->random = random;
            walk->cost = cost;
            walk->best_cost = best_cost;
        }
    }
};

// Moves walks on, by at least one step, with at least one order. A warp has S::GROUPS consecutive walks. A block has as
// many warps as shared memory holds: four words for each order of each walk, and the distances of both networks if
// S::IS_SHARED (66 orders in 32 bits: 1.2 KB and 18 KB, 22 warps). Device memory: a step reads or writes a solution.
// Rate (H200, 66 orders): 193 M steps a second with 23,232 walks, 81 M with a quarter of them. Limit: not profiled.
template <class S>
__global__ void __launch_bounds__(MOST_WALK_WARPS *WARP, 1) walk_groups(const __grid_constant__ dtspms_device_walks walks)
{
    using distance = typename S::distance;
    const walk_layout layout = walk_layout::of<S>(walks.orders);
    const int entries = walks.nodes * walks.nodes, warp = (int)threadIdx.x / WARP;
    typename S::word *const s_all = dynamic_shared<typename S::word>();
    typename S::word *const s_words = s_all + warp * S::GROUPS * layout.words;
    const distance *pickup = static_cast<const distance *>(walks.leave[0]);
    const distance *delivery = static_cast<const distance *>(walks.leave[1]);
    if (S::IS_SHARED) {
        distance *s_distance = reinterpret_cast<distance *>(s_all + (int)blockDim.x / WARP * S::GROUPS * layout.words);
        for (int j = (int)threadIdx.x; j < 2 * entries; j += (int)blockDim.x)
            s_distance[j] = j < entries ? pickup[j] : delivery[j - entries];
        __syncthreads();
        walk_lane<S>(walks, s_distance, s_distance + entries, s_words, layout).run();
    } else {
        walk_lane<S>(walks, pickup, delivery, s_words, layout).run();
    }
}

}  // namespace dtspms
#endif
