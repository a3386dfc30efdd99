// SPDX-License-Identifier: MIT
// Walks (vrp/search/walk.h) on a GPU: annealing by ruin and recreate, a warp for each walk, its solution in shared
// memory.
//
// A node is a **word**: the nodes behind and before it and its ring. Ring `rings` is nowhere: it holds the customers
// taken out, node 0 and the nodes that the part does not have. Its load is so great that nothing fits, so the search
// for a place needs no test for these nodes. A second array holds the length of the edge behind each node.
//
// A step looks for a place behind every node: lane k has nodes k, k + 32, ... The distances of the customer to all
// nodes go to shared memory first, where each lane reads the distance to the node behind its own. An empty route is the
// edge of a depot to itself. To pass over places with a chance of BLINK each, it is enough to pass over the cheapest
// place with that chance and take the next one instead.
//
// A step changes the trial. If it is accepted, the trial is copied to the solution, else the solution is copied back:
// 2.5 words for each node, four of them for a lane at a time. Between acceptance and that copy the solution's memory
// holds loads and positions for the improvement. The best solution lies in device memory, where it is only written.
//
// Distances are computed in floats and can differ from those of the host, which therefore recounts. Reference:
// vrp/search/walk.c.
#ifndef MCO_VRP_SEARCH_WALK_CUH
#define MCO_VRP_SEARCH_WALK_CUH

#include "base/rng.h"
#include "device/kernel.cuh"
#include "vrp/search/walk_cuda.h"

namespace vrp {

using namespace mco;

constexpr int LANES = VRP_WALK_LANES;
constexpr int32_t NOWHERE = 0x7fffffff;      // greater than every change of cost and every load
constexpr float BLINK = 0.01f;               // chance that a place is passed over
constexpr float SPLIT = 0.5f;                // share of the strings that keep some customers in their middle
constexpr float SPLIT_GROWS = 0.01f;         // chance that the kept middle grows by one
constexpr int STEPS_BETWEEN_LOOKS = 512;     // at *walks.stop
constexpr int MOST_MOVES = 8;                // of the improvement around one customer
constexpr uint32_t FIELD_MASK = (1u << VRP_WALK_FIELD) - 1;

// The parts of a word.
DEVICE int next_of(uint32_t word)
{
    return (int)(word >> VRP_WALK_NEXT_BIT & FIELD_MASK);
}

DEVICE int prev_of(uint32_t word)
{
    return (int)(word >> VRP_WALK_PREV_BIT & FIELD_MASK);
}

DEVICE int ring_of(uint32_t word)
{
    return (int)(word >> VRP_WALK_RING_BIT);
}

DEVICE uint32_t word_of(int next, int prev, int ring)
{
    return (uint32_t)next << VRP_WALK_NEXT_BIT | (uint32_t)prev << VRP_WALK_PREV_BIT | (uint32_t)ring << VRP_WALK_RING_BIT;
}

DEVICE uint32_t with_next(uint32_t word, int next)
{
    return (word & ~(FIELD_MASK << VRP_WALK_NEXT_BIT)) | (uint32_t)next << VRP_WALK_NEXT_BIT;
}

DEVICE uint32_t with_prev(uint32_t word, int prev)
{
    return (word & ~(FIELD_MASK << VRP_WALK_PREV_BIT)) | (uint32_t)prev << VRP_WALK_PREV_BIT;
}

// An instance of the kernel: a lane has ROUNDS nodes. The constants from EDGES on are places in shared memory, in
// words.
template <int ROUNDS_, bool IS_MATRIX_, bool HAS_LENGTH_> struct walk_shape {
    static constexpr int ROUNDS = ROUNDS_, NODES = ROUNDS * LANES;
    static constexpr bool IS_MATRIX = IS_MATRIX_, HAS_LENGTH = HAS_LENGTH_;
    static constexpr int RINGS = NODES / 2;  // with nowhere; a part has no more routes than customers
    static constexpr int EDGES = NODES, LOADS = EDGES + NODES, LENGTHS = LOADS + RINGS;
    static constexpr int STATE = LENGTHS + (HAS_LENGTH ? RINGS : 0);  // words of a solution
    static constexpr int SOLUTION = STATE, ROW = SOLUTION + STATE, XY = ROW + NODES;
    static constexpr int DEMANDS = XY + (IS_MATRIX ? 0 : 2 * NODES), SERVICES = DEMANDS + NODES;
    static constexpr int LIST = SERVICES + (HAS_LENGTH ? NODES : 0), WORDS = LIST + VRP_WALK_REMOVED;
    // The improvement uses the place of the solution and the row. It holds loads and lengths up to a customer there,
    // positions (half a word each), and two routes as lists (half a word each).
    static constexpr int LOADS_TO = SOLUTION, POSITIONS = LOADS_TO + NODES, LINES = POSITIONS + NODES / 2, LENGTHS_TO = ROW;
    static_assert(LINES + NODES / 2 <= ROW, "the scratch of the improvement fits");
    static_assert(STATE % 4 == 0 && XY % 2 == 0, "aligned");
    static_assert(NODES <= VRP_WALK_MOST_NODES && NODES <= 1 << VRP_WALK_FIELD, "nodes fit words");
};

template <class S> struct walk_lane {
    const vrp_device_walks &walks;
    const vrp_device_task task;
    uint32_t *const s_memory;
    const int lane, customers, rings;
    const int64_t of_task;
    const uint32_t *const near;
    float2 own[S::ROUNDS];          // places of the lane's nodes
    uint32_t stream, drawn = 0, draws = 0;
    int used = 0;                   // routes with customers
    int removed = 0;                // customers on the list
    int order = 0;                  // the customer that comes back as number `lane`
    int64_t cost = 0, best_cost = 0;

    __device__ walk_lane(const vrp_device_walks &w, int64_t task_number, uint32_t *s_words)
        : walks(w), task(w.task[task_number]), s_memory(s_words), lane((int)threadIdx.x % LANES), customers(task.customers),
          rings(task.rings), of_task(task_number), near(w.near + task_number * w.rows * LANES)
    {
    }

    // ---- Shared memory. Votes and shuffles do not order accesses to memory. A __syncwarp() has to separate a write of
    // one lane from the reads of others, earlier and later ones. So a function that writes calls it before its first
    // write and after its last one.

    __device__ uint32_t &word(int node) const { return s_memory[node]; }
    __device__ int32_t *signed_words(int at) const { return reinterpret_cast<int32_t *>(s_memory) + at; }
    __device__ int32_t &edge(int node) const { return signed_words(S::EDGES)[node]; }
    __device__ int32_t &load(int ring) const { return signed_words(S::LOADS)[ring]; }
    __device__ int32_t &length(int ring) const { return signed_words(S::LENGTHS)[ring]; }
    __device__ int32_t &row(int node) const { return signed_words(S::ROW)[node]; }
    __device__ float2 &xy(int node) const { return reinterpret_cast<float2 *>(s_memory + S::XY)[node]; }
    __device__ int32_t &demand(int node) const { return signed_words(S::DEMANDS)[node]; }
    __device__ int32_t &service(int node) const { return signed_words(S::SERVICES)[node]; }
    __device__ uint32_t &list(int at) const { return s_memory[S::LIST + at]; }
    __device__ int32_t &load_to(int node) const { return signed_words(S::LOADS_TO)[node]; }
    __device__ int32_t &length_to(int node) const { return signed_words(S::LENGTHS_TO)[node]; }
    __device__ uint16_t &position(int node) const { return reinterpret_cast<uint16_t *>(s_memory + S::POSITIONS)[node]; }
    __device__ uint16_t &line(int at) const { return reinterpret_cast<uint16_t *>(s_memory + S::LINES)[at]; }
    __device__ int depot(int ring) const { return customers + 1 + ring; }

    // ---- Random numbers: each lane draws from a stream of its own, and all lanes read some of the numbers drawn

    __device__ void draw()
    {
        uint32_t x = stream + 0x9e3779b9u * ++draws;
        x = (x ^ x >> 16) * 0x7feb352du;
        x = (x ^ x >> 15) * 0x846ca68bu;
        drawn = x ^ x >> 16;
    }

    __device__ uint32_t drawn_by(int of_lane) const { return __shfl_sync(ALL_LANES, drawn, of_lane); }
    __device__ int below(int of_lane, int limit) const { return (int)__umulhi(drawn_by(of_lane), (uint32_t)limit); }
    static __device__ float as_real(uint32_t number) { return (float)(number >> 8) * 0x1p-24f; }
    __device__ float real(int of_lane) const { return as_real(drawn_by(of_lane)); }

    // ---- Distances

    __device__ int32_t plane_distance(float2 a, float2 b) const
    {
        const float dx = a.x - b.x, dy = a.y - b.y;
        return __float2int_rn(approximate_root(dx * dx + dy * dy) + walks.bump);
    }

    __device__ int row_of(int node) const { return node <= customers ? node : 0; }

    __device__ int32_t distance(int from, int to) const
    {
        if (!S::IS_MATRIX)
            return plane_distance(xy(from), xy(to));
        return walks.matrix[(of_task * walks.rows + row_of(from)) * walks.rows + row_of(to)];
    }

    // ---- Ruin

    // Takes out a string around the customer c of a ring; a middle of the string may stay. Returns the change of cost.
    // First lanes 0..top each go to the nodes that are `lane` hops from c on both sides, and stop at a depot.
    __device__ int32_t take_string(int c, int ring, float longest)
    {
        draw();
        const int top = min((int)longest + 3, LANES - 1);
        int behind = c, ahead = c;
        for (int hop = 1; hop <= top; hop++) {
            if (hop > lane)
                continue;
            behind = behind <= customers ? prev_of(word(behind)) : behind;
            ahead = ahead <= customers ? next_of(word(ahead)) : ahead;
        }
        const bool is_near = lane > 0 && lane < top;
        const int before = __popc(__ballot_sync(ALL_LANES, is_near && behind <= customers));
        const int after = __popc(__ballot_sync(ALL_LANES, is_near && ahead <= customers));
        const int size = min(before + 1 + after, top);
        const int wanted = 1 + (int)(real(0) * fminf((float)size, longest));
        const int gone = min(min(wanted, size), VRP_WALK_REMOVED - removed);
        int kept = 0;
        if (real(1) < SPLIT && gone > 1) {
            const float grown = real(2);
            kept = min(1 + (grown < SPLIT_GROWS) + (grown < SPLIT_GROWS * SPLIT_GROWS), size - gone);
        }
        const int span = gone + kept, kept_from = 1 + below(3, max(gone - 1, 1));
        const int least = max(0, span - 1 - after), most = min(before, span - 1);
        return cut_string(ring, behind, ahead, least + below(4, most - least + 1), span, kept_from, kept);
    }

    // Takes out `span` customers, the first of which is `back` hops before c; `kept` of them, from kept_from on, stay.
    __device__ int32_t cut_string(int ring, int behind, int ahead, int back, int span, int kept_from, int kept)
    {
        const int node_behind = __shfl_sync(ALL_LANES, behind, max(back - lane, 0));
        const int node_ahead = __shfl_sync(ALL_LANES, ahead, max(lane - back, 0));
        const int node = lane < back ? node_behind : node_ahead;
        const int before = __shfl_sync(ALL_LANES, behind, back + 1), after = __shfl_sync(ALL_LANES, ahead, span - back);
        const int first_kept = __shfl_sync(ALL_LANES, node, kept_from);
        const int last_kept = __shfl_sync(ALL_LANES, node, (kept_from + kept - 1) % LANES);
        const bool is_gone = lane < span && (lane < kept_from || lane >= kept_from + kept);
        const int32_t edges = __reduce_add_sync(ALL_LANES, is_gone ? edge(node) : 0);
        const int32_t loads = __reduce_add_sync(ALL_LANES, is_gone ? demand(node) : 0);
        const int behind_before = kept > 0 ? first_kept : after;
        const int32_t first_edge = distance(before, behind_before), last_edge = kept > 0 ? distance(last_kept, after) : 0;
        const int32_t change = first_edge + last_edge - edge(before) - (kept > 0 ? edge(last_kept) : 0) - edges;
        const uint32_t all_gone = __ballot_sync(ALL_LANES, is_gone);
        int32_t served = 0;
        if (S::HAS_LENGTH)
            served = __reduce_add_sync(ALL_LANES, is_gone ? service(node) : 0);
        __syncwarp();
        if (is_gone) {
            word(node) = word_of(0, 0, rings);
            list(removed + __popc(all_gone & ((1u << lane) - 1))) = (uint32_t)node;
        }
        removed += __popc(all_gone);
        if (lane == 0) {
            join(before, behind_before, first_edge);
            if (kept > 0)
                join(last_kept, after, last_edge);
            load(ring) -= loads;
            if (S::HAS_LENGTH)
                length(ring) += change - served;
        }
        __syncwarp();
        return change;
    }

    __device__ void join(int from, int to, int32_t along) const
    {
        word(from) = with_next(word(from), to);
        word(to) = with_prev(word(to), from);
        edge(from) = along;
    }

    // Takes strings out of routes near each other. Returns the change of cost. The whole step is accepted if it changes
    // the cost by less than *bound.
    __device__ int32_t ruin(float temperature, int32_t *bound)
    {
        draw();
        removed = 0;
        const float chance = (float)(drawn_by(2) | 1u) * 0x1p-32f;
        *bound = __float2int_ru(fminf(-temperature * __logf(chance), (float)(1 << 29)));
        int c = 1 + below(0, customers);
        const uint32_t pair = near[c * LANES + lane];
        const int first = (int)(pair & 0xffffu), second = (int)(pair >> 16);
        int first_ring = ring_of(word(first)), second_ring = ring_of(word(second)), ring = ring_of(word(c));
        const float longest = fminf((float)customers / (float)used, (float)task.longest_string);
        const int strings = 1 + (int)(real(1) * fmaxf(4 * task.removed / (1 + longest) - 1, 0));
        int32_t change = 0;
        for (int taken = 1;; taken++) {
            change += take_string(c, ring, longest);
            if (taken >= strings || removed == VRP_WALK_REMOVED)
                break;
            first_ring = first_ring == ring ? rings : first_ring;
            second_ring = second_ring == ring ? rings : second_ring;
            const uint32_t among_first = __ballot_sync(ALL_LANES, first_ring != rings);
            const uint32_t among_second = __ballot_sync(ALL_LANES, second_ring != rings);
            if ((among_first | among_second) == 0)
                break;
            const int owner = __ffs((int)(among_first != 0 ? among_first : among_second)) - 1;
            c = __shfl_sync(ALL_LANES, among_first != 0 ? first : second, owner);
            ring = __shfl_sync(ALL_LANES, among_first != 0 ? first_ring : second_ring, owner);
        }
        return change;
    }

    // ---- Recreate

    // Draws the order in which customers come back, and sorts the list by it: at random, heavy, far, or near ones
    // first.
    __device__ void arrange()
    {
        draw();
        const int way = below(0, 11), node = lane < removed ? (int)list(lane) : 0;
        uint32_t key = drawn;
        if (way >= 4 && way < 8)
            key = ~(uint32_t)demand(node);
        else if (way >= 8)
            key = (uint32_t)(way < 10 ? ~distance(depot(0), node) : distance(depot(0), node));
        int at = 0;
        for (int j = 0; j < removed; j++) {
            const uint32_t other = __shfl_sync(ALL_LANES, key, j);
            at += other < key || (other == key && j < lane);
        }
        __syncwarp();
        if (lane < removed)
            list(at) = (uint32_t)node;
        __syncwarp();
        order = lane < removed ? (int)list(lane) : 0;
    }

    // Writes the distances from c to all nodes to row(); to_c becomes those from the lane's nodes to c. No barrier is
    // needed before the write: one in put_in() or copy_state() came after the last read of the old row.
    __device__ void make_row(int c, int32_t (&to_c)[S::ROUNDS]) const
    {
        const float2 place = S::IS_MATRIX ? float2{} : xy(c);
        const int64_t begin = (of_task * walks.rows + c) * walks.rows;
#pragma unroll
        for (int k = 0; k < S::ROUNDS; k++) {
            const int node = lane + k * LANES;
            const int32_t from_c = S::IS_MATRIX ? walks.matrix[begin + row_of(node)] : plane_distance(own[k], place);
            to_c[k] = S::IS_MATRIX ? walks.transposed[begin + row_of(node)] : from_c;
            row(node) = from_c;
        }
        __syncwarp();
    }

    // The least change of cost, of those that are at least `least`, for c behind a node of this lane; *behind is that
    // node.
    __device__ int32_t best_place(int c, const int32_t (&to_c)[S::ROUNDS], int32_t least, int *behind) const
    {
        const int32_t room = walks.capacity - demand(c);
        const int32_t longest = S::HAS_LENGTH ? walks.longest - service(c) : 0;
        int32_t best = NOWHERE;
#pragma unroll
        for (int k = 0; k < S::ROUNDS; k++) {
            const int node = lane + k * LANES;
            const uint32_t w = word(node);
            const int ring = ring_of(w);
            const int32_t change = to_c[k] + row(next_of(w)) - edge(node);
            bool is_better = load(ring) <= room && change < best && change >= least;
            if (S::HAS_LENGTH)
                is_better = is_better && length(ring) + change <= longest;
            best = is_better ? change : best;
            *behind = is_better ? node : *behind;
        }
        return best;
    }

    // The change of cost of the cheapest place for c, behind *behind; with `blinks`, of the place next in cost.
    __device__ int32_t find_place(int c, bool blinks, int *behind) const
    {
        int32_t to_c[S::ROUNDS], least = -NOWHERE;
        make_row(c, to_c);
        for (;; blinks = false) {
            int node = 0;
            const int32_t best = best_place(c, to_c, least, &node), change = __reduce_min_sync(ALL_LANES, best);
            const int owner = __ffs((int)__ballot_sync(ALL_LANES, best == change)) - 1;
            *behind = __shfl_sync(ALL_LANES, node, owner);
            if (!blinks || change == NOWHERE)
                return change;
            least = lane <= owner ? change + 1 : change;
        }
    }

    // Puts c behind a node; row() is that of c.
    __device__ void put_in(int c, int behind, int32_t change) const
    {
        __syncwarp();
        if (lane == 0) {
            const uint32_t w = word(behind);
            const int before = next_of(w), ring = ring_of(w);
            const int32_t along = row(before);
            edge(c) = along;
            edge(behind) += change - along;
            word(c) = word_of(before, behind, ring);
            word(behind) = with_next(w, c);
            word(before) = with_prev(word(before), c);
            load(ring) += demand(c);
            if (S::HAS_LENGTH)
                length(ring) += change + service(c);
        }
        __syncwarp();
    }

    // Puts the customers back. False once the change of cost reaches `bound`, or a customer fits nowhere.
    __device__ bool recreate(int32_t *change, int32_t bound)
    {
        draw();
        const uint32_t blinks = __ballot_sync(ALL_LANES, as_real(drawn) < BLINK);
        for (int k = 0; k < removed; k++) {
            const int c = __shfl_sync(ALL_LANES, order, k);
            int behind;
            const int32_t more = find_place(c, blinks >> k & 1, &behind);
            if (more == NOWHERE || (*change += more) >= bound)
                return false;
            put_in(c, behind, more);
        }
        return true;
    }

    // ---- Improvement: reversals and exchanges of route ends

    // Each lane goes through a ring, or none (-1), and writes loads and lengths up to each customer, positions and
    // totals.
    __device__ void number(int ring) const
    {
        if (ring < 0)
            return;
        const int begin = depot(ring);
        int32_t carried = 0, gone = edge(begin);
        int count = 0;
        for (int c = next_of(word(begin)); c != begin; c = next_of(word(c))) {
            position(c) = (uint16_t)count++;
            load_to(c) = carried += demand(c);
            if (S::HAS_LENGTH) {
                length_to(c) = gone += service(c);
                gone += edge(c);
            }
        }
        load(ring) = carried;
        if (S::HAS_LENGTH)
            length(ring) = gone;
    }

    __device__ void number_all() const
    {
        __syncwarp();
        for (int first = 0; first < rings; first += LANES)
            number(first + lane < rings ? first + lane : -1);
        __syncwarp();
    }

    // One end of an exchange: node c, whose edge behind or before it is cut.
    struct end {
        int c, ring, other;      // other: the node on the far side of the cut
        int32_t cut;             // length of the edge that is cut
        bool is_behind;
    };

    __device__ end end_at(int c, bool is_behind) const
    {
        const uint32_t w = word(c);
        const int other = is_behind ? next_of(w) : prev_of(w);
        return {c, ring_of(w), other, edge(is_behind ? c : other), is_behind};
    }

    // Load and length of the side that c is on, without the edge that is cut.
    __device__ int32_t load_of(const end &e) const
    {
        return e.is_behind ? load_to(e.c) : load(e.ring) - load_to(e.c) + demand(e.c);
    }

    __device__ int32_t length_of(const end &e) const
    {
        return e.is_behind ? length_to(e.c) : length(e.ring) - length_to(e.c) + service(e.c);
    }

    // Whether the limits allow a route of the sides of c and u, and one of the other two sides, joined by edges of
    // these lengths.
    __device__ bool may_join(const end &a, const end &b, int32_t along, int32_t other_along) const
    {
        const int32_t sides = load_of(a) + load_of(b);
        bool may = sides <= walks.capacity && load(a.ring) + load(b.ring) - sides <= walks.capacity;
        if (S::HAS_LENGTH && may) {
            const int32_t near_length = length_of(a) + length_of(b);
            const int32_t far_length = length(a.ring) + length(b.ring) - near_length - a.cut - b.cut;
            may = near_length + along <= walks.longest && far_length + other_along <= walks.longest;
        }
        return may;
    }

    // The change of cost by the best exchange that makes c and u neighbours; NOWHERE if none improves. *way: bit 0 is
    // set if the edge behind c is cut, else that before it; bit 1 likewise for u.
    __device__ int32_t best_move(int c, int u, int *way) const
    {
        int32_t best = 0;
        const int of_u = ring_of(word(u));
        if (of_u == rings)
            return NOWHERE;
        const int32_t along = distance(c, u);
        for (int k = 0; k < 4; k++) {
            const end a = end_at(c, k & 1), b = end_at(u, k >> 1);
            const bool is_reversal = a.ring == b.ring;
            if (is_reversal && a.is_behind != b.is_behind)
                continue;
            const int32_t other_along = distance(a.other, b.other), change = along + other_along - a.cut - b.cut;
            if (change < best && (is_reversal || may_join(a, b, along, other_along))) {
                best = change;
                *way = k;
            }
        }
        return best < 0 ? best : NOWHERE;
    }

    __device__ int count_of(int ring) const
    {
        const int last = prev_of(word(depot(ring)));
        return last <= customers ? position(last) + 1 : 0;
    }

    // What becomes of two rings that are cut before their positions i and j. Straight: the first new ring has the head
    // of a and the tail of b, the second the head of b and the tail of a. Crossed: the first has both heads, that of b
    // backwards, the second both tails, that of a backwards. If a == b, positions i..j are turned round.
    struct exchange {
        int a, b;
        int i, j, count_a, count_b;
        bool is_crossed;

        __device__ int first_count() const
        {
            return a == b ? count_a : is_crossed ? i + j : i + count_b - j;
        }

        // Place of the customer at position p in the new lists, which lie one behind the other.
        __device__ int slot(bool is_of_a, int p) const
        {
            if (a == b)
                return p >= i && p <= j ? i + j - p : p;
            if (is_of_a && p < i)
                return p;
            if (is_crossed)
                return is_of_a ? i + j + count_a - 1 - p : p < j ? i + j - 1 - p : i + j + count_a - i + p - j;
            return is_of_a ? i + count_b + p - i : p < j ? i + count_b - j + p : i + p - j;
        }
    };

    __device__ exchange exchange_of(int c, int u, int way) const
    {
        const int at_c = position(c), at_u = position(u), behind_c = way & 1, behind_u = way >> 1;
        exchange e = {ring_of(word(c)), ring_of(word(u)), at_c + behind_c, at_u + behind_u, 0, 0, behind_c == behind_u};
        e.count_a = count_of(e.a);
        e.count_b = count_of(e.b);
        if (e.a == e.b) {
            e.i = min(at_c, at_u) + behind_c;
            e.j = max(at_c, at_u) - 1 + behind_c;
        }
        return e;
    }

    // Links a list of `count` customers from line(first) on as a ring.
    __device__ void link(int ring, int first, int count) const
    {
        for (int k = lane; k <= count; k += LANES) {
            const int node = k < count ? line(first + k) : depot(ring);
            const int before = k > 0 ? line(first + k - 1) : depot(ring);
            // Behind the last customer is the depot, and behind the depot the first customer.
            const int next = k + 1 < count ? line(first + k + 1) : k < count || count == 0 ? depot(ring) : line(first);
            word(node) = word_of(next, before, ring);
            edge(node) = distance(node, next);
        }
    }

    __device__ void make_move(int c, int u, int way) const
    {
        const exchange e = exchange_of(c, u, way);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < S::ROUNDS; k++) {
            const int node = lane + k * LANES;
            const int ring = ring_of(word(node));
            if (node > 0 && node <= customers && (ring == e.a || ring == e.b))
                line(e.slot(ring == e.a, position(node))) = (uint16_t)node;
        }
        __syncwarp();
        link(e.a, 0, e.first_count());
        if (e.a != e.b)
            link(e.b, e.first_count(), e.count_a + e.count_b - e.first_count());
        __syncwarp();
        number(lane == 0 ? e.a : lane == 1 && e.a != e.b ? e.b : -1);
        __syncwarp();
    }

    // Improves the routes around the customers that came back. Overwrites the solution and the row. Returns the change
    // of cost.
    __device__ int32_t improve() const
    {
        int32_t sum = 0;
        number_all();
        for (int k = 0; k < removed; k++) {
            const int c = __shfl_sync(ALL_LANES, order, k);
            const int u = lane < task.exchanges ? (int)(near[c * LANES + lane] & 0xffffu) : 0;
            for (int made = 0; made < MOST_MOVES; made++) {
                int way = 0;
                const int32_t best = best_move(c, u, &way), change = __reduce_min_sync(ALL_LANES, best);
                if (change == NOWHERE)
                    break;
                const int owner = __ffs((int)__ballot_sync(ALL_LANES, best == change)) - 1;
                make_move(c, __shfl_sync(ALL_LANES, u, owner), __shfl_sync(ALL_LANES, way, owner));
                sum += change;
            }
        }
        return sum;
    }

    // ---- Steps

    __device__ void copy_state(int from, int to) const
    {
        const uint4 *in = reinterpret_cast<const uint4 *>(s_memory + from);
        uint4 *out = reinterpret_cast<uint4 *>(s_memory + to);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < (S::STATE / 4 + LANES - 1) / LANES; k++)
            if (lane + k * LANES < S::STATE / 4)
                out[lane + k * LANES] = in[lane + k * LANES];
        __syncwarp();
    }

    // Whether the step has put everything back where it was, as half of the steps do.
    __device__ bool is_unchanged() const
    {
        bool differs = false;
#pragma unroll
        for (int k = 0; k < S::ROUNDS; k++)
            differs = differs || word(lane + k * LANES) != s_memory[S::SOLUTION + lane + k * LANES];
        return !__any_sync(ALL_LANES, differs);
    }

    __device__ void count_used()
    {
        used = 0;
        for (int first = 0; first < rings; first += LANES) {
            const int node = depot(first + lane);
            const bool is_used = first + lane < rings && next_of(word(min(node, S::NODES - 1))) != node;
            used += __popc(__ballot_sync(ALL_LANES, is_used));
        }
    }

    __device__ void keep_best()
    {
        uint32_t *best = walks.best + (int64_t)blockIdx.x * S::NODES;
        best_cost = cost;
#pragma unroll
        for (int k = 0; k < S::ROUNDS; k++)
            best[lane + k * LANES] = word(lane + k * LANES);
    }

    __device__ void step(float temperature)
    {
        int32_t bound, change = ruin(temperature, &bound);
        arrange();
        if (!recreate(&change, bound)) {
            copy_state(S::SOLUTION, 0);
            return;
        }
        if (change == 0 && is_unchanged())
            return;
        if (task.exchanges > 0 && walks.is_symmetric)
            change += improve();
        cost += change;
        copy_state(0, S::SOLUTION);
        count_used();
        if (cost < best_cost)
            keep_best();
    }

    // ---- Begin and end

    __device__ void read_part()
    {
        const int64_t begin = of_task * walks.nodes;
#pragma unroll
        for (int k = 0; k < S::ROUNDS; k++) {
            const int node = lane + k * LANES;
            word(node) = walks.start[begin + node];
            demand(node) = walks.demand[begin + node];
            if (S::HAS_LENGTH)
                service(node) = walks.service[begin + node];
            own[k] = {};
            if (!S::IS_MATRIX) {
                own[k] = reinterpret_cast<const float2 *>(walks.xy)[begin + node];
                xy(node) = own[k];
            }
        }
        __syncwarp();
    }

    // Computes edges, loads and lengths from the words.
    __device__ void measure() const
    {
#pragma unroll
        for (int k = 0; k < S::ROUNDS; k++) {
            const int node = lane + k * LANES;
            edge(node) = ring_of(word(node)) != rings ? distance(node, next_of(word(node))) : 0;
        }
        for (int ring = lane; ring < S::RINGS; ring += LANES) {
            load(ring) = NOWHERE;
            if (S::HAS_LENGTH)
                length(ring) = 0;
        }
        number_all();
    }

    __device__ void run(vrp_device_walk *walk)
    {
        uint64_t seed = walk->seed + (uint64_t)lane * 0xd1342543de82ef95u;
        stream = (uint32_t)(mco_splitmix64(&seed) >> 32);
        read_part();
        measure();
        count_used();
        copy_state(0, S::SOLUTION);
        keep_best();
        const float fall = __log2f(walk->cold / walk->hot) / (float)task.steps;
        int64_t done = 0;
        for (; done < task.steps; done++) {
            if (done % STEPS_BETWEEN_LOOKS == 0 && __any_sync(ALL_LANES, *walks.stop != 0))
                break;
            step(walk->hot * exp2f(fall * (float)done));
        }
        if (lane == 0) {
            walk->best_cost = best_cost;
            walk->steps = done;
        }
    }
};

// A block is one warp and has one walk. A multiprocessor holds 28 blocks of 192 nodes (8 KB of shared memory each).
// Traffic: a step reads a row of 128 bytes of the lists of neighbours.
template <class S> __global__ void __launch_bounds__(LANES) walk_part(const __grid_constant__ vrp_device_walks walks)
{
    walk_lane<S>(walks, (int64_t)blockIdx.x / walks.replicas, dynamic_shared<uint32_t>()).run(walks.walk + blockIdx.x);
}

}  // namespace vrp
#endif
