// SPDX-License-Identifier: MIT
// A crowd on a GPU (vrp/search/crowd.cuh): reversals and exchanges of route ends around the customers that a step has moved;
// and annealed exchanges of route ends anywhere, for long routes.
#ifndef MCO_VRP_SEARCH_CROWD_EXCHANGE_CUH
#define MCO_VRP_SEARCH_CROWD_EXCHANGE_CUH

#include "vrp/search/crowd_state.cuh"

namespace vrp_crowds {

template <bool IS_MATRIX, bool HAS_LENGTH> struct crowd_exchange : crowd_state<IS_MATRIX, HAS_LENGTH> {
    using state = crowd_state<IS_MATRIX, HAS_LENGTH>;
    using state::crowd, state::plan, state::lane, state::customers, state::part, state::node, state::load_to,
        state::length_to, state::ring, state::scratch, state::s, state::drawn, state::own, state::used,
        state::longest_seed, state::removed, state::order, state::cost, state::depot, state::line, state::demand,
        state::service, state::near, state::read, state::write, state::draw, state::distance, state::join;
    using crowd_state<IS_MATRIX, HAS_LENGTH>::crowd_state;

    // One end of an exchange: customer c, whose edge behind or before it is cut.
    struct end {
        int c, ring, other;                      // other: the node on the far side of the cut
        int32_t cut;                             // length of the edge that is cut
        bool is_behind;
    };

    static __device__ end end_at(int c, const vrp_crowd_node &n, bool is_behind)
    {
        return {c, n.ring, is_behind ? n.next : n.prev, is_behind ? n.edge : n.back, is_behind};
    }

    // Load and length of the side that c is on, without the edge that is cut.
    __device__ int32_t load_of(const end &e) const
    {
        return e.is_behind ? load_to[e.c] : ring[e.ring].load - load_to[e.c] + demand(e.c);
    }

    __device__ int32_t length_of(const end &e) const
    {
        return e.is_behind ? length_to[e.c] : ring[e.ring].length - length_to[e.c] + service(e.c);
    }

    // Whether the limits allow a route of the sides of a and b, and one of the other two sides, joined by edges of these
    // lengths.
    __device__ bool may_join(const end &a, const end &b, int32_t along, int32_t other_along) const
    {
        const int32_t sides = load_of(a) + load_of(b), all = ring[a.ring].load + ring[b.ring].load;
        bool may = sides <= crowd.capacity && all - sides <= crowd.capacity;
        if (HAS_LENGTH && may) {
            const int32_t near_length = length_of(a) + length_of(b);
            const int32_t far_length = ring[a.ring].length + ring[b.ring].length - near_length - a.cut - b.cut;
            may = near_length + along <= crowd.longest && far_length + other_along <= crowd.longest;
        }
        return may;
    }

    // Customers on the side that c is on.
    __device__ int count_of(const end &e) const
    {
        const int at = node[e.c].position;
        return e.is_behind ? at + 1 : ring[e.ring].count - at;
    }

    __device__ bool has_room(const end &a, const end &b) const
    {
        const int sides = count_of(a) + count_of(b);
        return sides <= crowd.room && ring[a.ring].count + ring[b.ring].count - sides <= crowd.room;
    }

    // The change of cost by the best exchange that makes c and u neighbours; NOWHERE if none improves. *way: bit 0 is
    // set if the edge behind c is cut, else that before it; bit 1 likewise for u.
    __device__ int32_t best_move(int c, int u, int *way) const
    {
        int32_t best = 0;
        if (u == 0)
            return NOWHERE;
        const vrp_crowd_node of_u = read(u), of_c = read(c);
        if (ring[of_u.ring].part != part)
            return NOWHERE;
        const int32_t along = distance(c, u);
        for (int k = 0; k < 4; k++) {
            const end a = end_at(c, of_c, k & 1), b = end_at(u, of_u, k >> 1);
            const bool is_reversal = a.ring == b.ring;
            if ((is_reversal && a.is_behind != b.is_behind) || along >= a.cut + b.cut)
                continue;
            const int32_t other_along = distance(a.other, b.other), change = along + other_along - a.cut - b.cut;
            if (change < best && (is_reversal || (has_room(a, b) && may_join(a, b, along, other_along)))) {
                best = change;
                *way = k;
            }
        }
        return best < 0 ? best : NOWHERE;
    }

    // What becomes of two rings that are cut before their positions i and j. Straight: the first new ring has the head
    // of a and the tail of b, the second the head of b and the tail of a. Crossed: the first has both heads, that of b
    // backwards, the second both tails, that of a backwards. If a == b, positions i..j are turned round.
    struct exchange {
        int a, b;
        int i, j, count_a, count_b;
        bool is_crossed;

        __device__ int first_count() const { return a == b ? count_a : is_crossed ? i + j : i + count_b - j; }

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
        const vrp_crowd_node of_c = read(c), of_u = read(u);
        const int behind_c = way & 1, behind_u = way >> 1;
        exchange e = {of_c.ring, of_u.ring, of_c.position + behind_c, of_u.position + behind_u, 0, 0, behind_c == behind_u};
        e.count_a = ring[e.a].count;
        e.count_b = ring[e.b].count;
        if (e.a == e.b) {
            e.i = min((int)of_c.position, (int)of_u.position) + behind_c;
            e.j = max((int)of_c.position, (int)of_u.position) - 1 + behind_c;
        }
        return e;
    }

    // Gives a ring `count` customers: those that it has before position `from`, then those of `list` up to position `to`,
    // which has them at these positions, then those that it has. A tail that stays has the same sums before it.
    __device__ void link(int r, const uint16_t *list, int from, int to, int count)
    {
        uint16_t *l = line(r);
        const int end = depot(r), head = from > 0 ? l[from - 1] : end, tail = to < count ? l[to] : end;
        int32_t load = from > 0 ? load_to[head] : 0, length = HAS_LENGTH && from > 0 ? length_to[head] : 0;
        for (int first = from; first < to; first += LANES) {
            const int k = first + lane;
            const bool is_one = k < to;
            const int id = is_one ? list[k] : 0, before = is_one && k > from ? list[k - 1] : head;
            const int next = is_one && k + 1 < to ? list[k + 1] : tail;
            const int32_t back = is_one ? distance(before, id) : 0;
            const int32_t to_load = load + scan(demand(id), lane),
                          to_length = length + scan(HAS_LENGTH && is_one ? back + service(id) : 0, lane);
            if (is_one) {
                l[k] = (uint16_t)id;
                write(id, next, before, r, k, distance(id, next), back);
                load_to[id] = to_load;
                if (HAS_LENGTH)
                    length_to[id] = to_length;
            }
            load = __shfl_sync(ALL_LANES, to_load, LANES - 1);
            length = __shfl_sync(ALL_LANES, to_length, LANES - 1);
        }
        __syncwarp();
        const int size = ring[r].count, last = to == from ? head : list[to - 1];
        used += (count > 0) - (size > 0);
        longest_seed = max(longest_seed, count);
        __syncwarp();
        if (lane == 0) {
            const int next = to > from ? list[from] : tail;
            join(head, next, distance(head, next));
            join(last, tail, distance(last, tail));
            if (to == count) {
                ring[r].count = count;
                ring[r].load = load;
                if (HAS_LENGTH)
                    ring[r].length = count > 0 ? length + node[end].back : 0;
            }
        }
        __syncwarp();
    }

    __device__ void make_move(int c, int u, int way)
    {
        const exchange e = exchange_of(c, u, way);
        const bool is_reversal = e.a == e.b;
        const int first_count = e.first_count(), from_b = e.is_crossed ? 0 : e.j;
        const int to = is_reversal && !HAS_LENGTH ? e.j + 1 : first_count;
        __syncwarp();
        for (int p = e.i + lane; p < (is_reversal ? to : e.count_a); p += LANES)
            scratch[e.slot(true, p)] = line(e.a)[p];
        for (int p = lane; p < e.count_b && !is_reversal; p += LANES)
            scratch[e.slot(false, p)] = line(e.b)[p];
        __syncwarp();
        link(e.a, scratch, e.i, to, first_count);
        if (!is_reversal)
            link(e.b, scratch + first_count, from_b, e.count_a + e.count_b - first_count,
                 e.count_a + e.count_b - first_count);
    }

    // Improves the routes around the customers that came back. Returns the change of cost.
    __device__ int32_t improve()
    {
        int32_t sum = 0;
        for (int k = 0; k < removed; k++) {
            const int c = __shfl_sync(ALL_LANES, order, k), u = lane < plan.exchanges ? near(c) : 0;
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

    // Each of the first plan.tails lanes draws a customer of the part, one near it in another route of the part, and a way
    // to exchange the ends of these routes there. One exchange whose change of cost is less than `heat` times an exponential
    // random number is made. Returns the change of cost.
    __device__ int32_t exchange_tails(float heat)
    {
        draw();
        const int mine = s->own[(int)__umulhi(drawn, (uint32_t)own)];
        draw();
        const int at = (int)__umulhi(drawn, (uint32_t)longest_seed);
        const int c = lane < plan.tails && at < ring[mine].count ? line(mine)[at] : 0;
        draw();
        const int u = __ldg(crowd.near + c * LANES + (int)__umulhi(drawn, NEAR_TAILS)), way = (int)(drawn & 3);
        draw();
        const float chance = (float)(drawn | 1u) * 0x1p-32f;
        const int32_t limit = __float2int_ru(fminf(-heat * __logf(chance), (float)(1 << 29)));
        const vrp_crowd_node of_c = read(c), of_u = read(u);
        bool may = c > 0 && u > 0 && of_u.ring != of_c.ring && ring[of_u.ring].part == part;
        int32_t change = 0;
        if (may) {
            const end a = end_at(c, of_c, way & 1), b = end_at(u, of_u, way >> 1);
            const int32_t along = distance(c, u), other_along = distance(a.other, b.other);
            change = along + other_along - a.cut - b.cut;
            may = change < limit && has_room(a, b) && may_join(a, b, along, other_along);
        }
        const uint32_t among = __ballot_sync(ALL_LANES, may);
        if (among == 0)
            return 0;
        const int owner = __ffs((int)among) - 1;
        make_move(__shfl_sync(ALL_LANES, c, owner), __shfl_sync(ALL_LANES, u, owner), __shfl_sync(ALL_LANES, way, owner));
        return __shfl_sync(ALL_LANES, change, owner);
    }
};

}  // namespace vrp_crowds
#endif
