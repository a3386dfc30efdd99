// SPDX-License-Identifier: MIT
// A crowd on a GPU: copies of a whole solution, annealed by ruin and recreate (vrp/search/walk.h). A warp walks one part of
// one copy: some of its routes, which no other warp changes. Parts are cut anew between launches. Nothing is renumbered
// for a part, so a copy stays in device memory, and all copies share the instance.
//
// The **accepted** state of a route is a list (`line`) with positions and loads up to each customer. The **trial** of a
// step is the links of the nodes and the loads of the rings. A step touches a few nodes, so it costs the same for a
// route of ten customers and of thousands. It is undone from the lists: each node touched gets its links back from
// them. That needs no order, and nodes listed twice do no harm. Only an accepted step rewrites the lists of the rings
// that it changed, 32 positions at a time.
//
// A customer may come back beside one of its LANES nearest, one for each lane, or at an end of a route of the part.
// Between neighbours of other parts and those nowhere a ring tells the difference: its part is another one.
//
// Distances are computed in floats and can differ from those of the host, which therefore recounts.
#ifndef MCO_VRP_SEARCH_CROWD_CUH
#define MCO_VRP_SEARCH_CROWD_CUH

#include "vrp/search/crowd_exchange.cuh"

namespace vrp_crowds {

template <bool IS_MATRIX, bool HAS_LENGTH> struct crowd_lane : crowd_exchange<IS_MATRIX, HAS_LENGTH> {
    using state = crowd_state<IS_MATRIX, HAS_LENGTH>;
    using state::crowd, state::plan, state::lane, state::customers, state::nowhere, state::part, state::node,
        state::load_to, state::length_to, state::ring, state::lines, state::s, state::drawn, state::drawn_by,
        state::own, state::own_customers, state::used, state::longest_seed, state::removed, state::touched,
        state::changed, state::order, state::cost, state::depot, state::line, state::demand, state::service,
        state::near, state::read, state::write, state::read_ring, state::draw, state::below, state::real,
        state::as_real, state::place, state::between, state::distance, state::touch, state::change_ring,
        state::join, state::stream;
    using crowd_exchange<IS_MATRIX, HAS_LENGTH>::crowd_exchange;
    using crowd_exchange<IS_MATRIX, HAS_LENGTH>::improve;
    using crowd_exchange<IS_MATRIX, HAS_LENGTH>::exchange_tails;
    using crowd_exchange<IS_MATRIX, HAS_LENGTH>::link;

    // ---- Ruin

    // Takes out a string of ring r with position `at`; a middle of the string may stay. Returns the change of cost.
    __device__ int32_t take_string(int r, int at, float longest)
    {
        draw();
        const int size = ring[r].count;
        const int wanted = 1 + (int)(real(0) * fminf((float)size, longest));
        const int gone = min(min(wanted, size), VRP_CROWD_REMOVED - removed);
        int kept = 0;
        if (real(1) < SPLIT && gone > 1) {
            const float grown = __logf(real(2) + 0x1p-25f) * (1 / __logf(1 - SPLIT_ENDS));
            kept = min(min(1 + (int)fminf(grown, 1e6f), plan.longest_kept), size - gone);
        }
        const int span = gone + kept, kept_from = kept > 0 ? 1 + below(3, gone - 1) : gone;
        const int low = max(0, at - span + 1), high = min(at, size - span);
        const int first = low + below(4, high - low + 1);
        return cut_string(r, size, first, gone, kept_from, kept);
    }

    // Takes out `gone` customers from position `first` on; after kept_from of them `kept` customers stay.
    __device__ int32_t cut_string(int r, int size, int first, int gone, int kept_from, int kept)
    {
        const uint16_t *l = line(r);
        const int span = gone + kept, at = first + (lane < kept_from ? lane : lane + kept);
        const bool is_gone = lane < gone;
        const int id = is_gone ? l[at] : 0;
        const int before = first > 0 ? l[first - 1] : depot(r), after = first + span < size ? l[first + span] : depot(r);
        const int first_kept = kept > 0 ? l[first + kept_from] : after;
        const int last_kept = kept > 0 ? l[first + kept_from + kept - 1] : before;
        const int32_t edges = __reduce_add_sync(ALL_LANES, is_gone ? node[id].edge : 0);
        const int32_t loads = __reduce_add_sync(ALL_LANES, is_gone ? demand(id) : 0);
        const int32_t first_edge = distance(before, first_kept), last_edge = kept > 0 ? distance(last_kept, after) : 0;
        const int32_t change = first_edge + last_edge - node[before].edge - (kept > 0 ? node[last_kept].edge : 0) - edges;
        int32_t served = 0;
        if (HAS_LENGTH)
            served = __reduce_add_sync(ALL_LANES, is_gone ? service(id) : 0);
        __syncwarp();
        if (is_gone) {
            s->removed[removed + lane] = (uint16_t)id;
            s->ring[removed + lane] = (uint16_t)r;
            s->position[removed + lane] = (uint16_t)at;
            node[id].ring = (uint16_t)nowhere;
            node[id].position = MOVED;
        }
        if (lane == 0) {
            join(before, first_kept, first_edge);
            if (kept > 0)
                join(last_kept, after, last_edge);
            ring[r].load -= loads;
            if (HAS_LENGTH)
                ring[r].length += change - served;
        }
        removed += gone;
        touch(before);
        touch(after);
        if (kept > 0) {
            touch(first_kept);
            touch(last_kept);
        }
        change_ring(r);
        __syncwarp();
        return change;
    }

    // Draws a customer of the part, each with the same chance. Returns 0 if there is none.
    __device__ int draw_customer(int *r, int *at)
    {
        for (int tries = 0; tries < 64; tries++) {
            draw();
            const uint32_t number = drawn;
            draw();
            const int mine = s->own[(int)__umulhi(number, (uint32_t)own)],
                      position = (int)__umulhi(drawn, (uint32_t)longest_seed);
            const uint32_t good = __ballot_sync(ALL_LANES, position < ring[mine].count);
            if (good != 0) {
                const int owner = __ffs((int)good) - 1;
                *r = __shfl_sync(ALL_LANES, mine, owner);
                *at = __shfl_sync(ALL_LANES, position, owner);
                return line(*r)[*at];
            }
        }
        return 0;
    }

    // Takes strings out of routes near each other. Returns the change of cost. The whole step is accepted if it changes
    // the cost by less than *bound.
    __device__ int32_t ruin(float temperature, int32_t *bound)
    {
        int r = 0, at = 0, c = draw_customer(&r, &at);
        removed = touched = changed = 0;
        *bound = 0;
        if (c == 0)
            return 0;
        draw();
        const float chance = (float)(drawn_by(2) | 1u) * 0x1p-32f;
        *bound = __float2int_ru(fminf(-temperature * __logf(chance), (float)(1 << 29)));
        const int other = near(c);
        const vrp_crowd_node of_other = read(other);
        int other_ring = other > 0 && ring[of_other.ring].part == part ? of_other.ring : nowhere;
        const float longest = fminf((float)own_customers / (float)max(used, 1), (float)plan.longest_string);
        const int strings = 1 + (int)(real(1) * fmaxf(4 * plan.removed / (1 + longest) - 1, 0));
        int32_t change = 0;
        for (int taken = 1;; taken++) {
            change += take_string(r, at, longest);
            if (taken >= strings || removed == VRP_CROWD_REMOVED)
                break;
            other_ring = other_ring == r ? nowhere : other_ring;
            const uint32_t among = __ballot_sync(ALL_LANES, other_ring != nowhere);
            if (among == 0)
                break;
            const int owner = __ffs((int)among) - 1;
            r = __shfl_sync(ALL_LANES, other_ring, owner);
            at = __shfl_sync(ALL_LANES, (int)of_other.position, owner);
        }
        return change;
    }

    // ---- Recreate

    // Draws the order in which customers come back, and sorts them by it: at random, heavy, far, or near ones first.
    __device__ void arrange()
    {
        draw();
        const int way = below(0, 11);
        const bool has_one = lane < removed;
        const int id = has_one ? s->removed[lane] : 0, r = has_one ? s->ring[lane] : 0,
                  at_before = has_one ? s->position[lane] : 0;
        uint32_t key = drawn;
        if (way >= 4 && way < 8)
            key = ~(uint32_t)demand(id);
        else if (way >= 8)
            key = (uint32_t)(way < 10 ? ~distance(depot(0), id) : distance(depot(0), id));
        int at = 0;
        for (int j = 0; j < removed; j++) {
            const uint32_t other = __shfl_sync(ALL_LANES, key, j);
            at += other < key || (other == key && j < lane);
        }
        __syncwarp();
        if (has_one) {
            s->removed[at] = (uint16_t)id;
            s->ring[at] = (uint16_t)r;
            s->position[at] = (uint16_t)at_before;
        }
        __syncwarp();
        order = has_one ? s->removed[lane] : 0;
    }

    // A place for a customer: between two nodes of a ring.
    struct gap {
        int behind, before, ring;
        int32_t change, first, second;           // of the cost; the lengths of the new edges
    };

    __device__ bool may_take(const vrp_crowd_ring &r, int32_t weight) const
    {
        return r.part == part && r.load <= crowd.capacity - weight && r.count + VRP_CROWD_REMOVED <= crowd.room;
    }

    __device__ bool is_short(const vrp_crowd_ring &r, int32_t change, int32_t served) const
    {
        return !HAS_LENGTH || r.length + change <= crowd.longest - served;
    }

    __device__ void offer(gap *best, const vrp_crowd_ring &of, int r, int behind, int before, int32_t first, int32_t second,
                          int32_t cut, int32_t served) const
    {
        const int32_t change = first + second - cut;
        if (change < best->change && is_short(of, change, served))
            *best = {behind, before, r, change, first, second};
    }

    __device__ void offer_ends(gap *best, int r, const vrp_crowd_ring &of, const vrp_crowd_node &d, spot<IS_MATRIX> here,
                               spot<IS_MATRIX> first, spot<IS_MATRIX> last, int32_t home, int32_t served) const
    {
        offer(best, of, r, depot(r), d.next, home, between(here, first), d.edge, served);
        offer(best, of, r, d.prev, depot(r), between(here, last), home, d.back, served);
    }

    // The cheapest place for c beside its neighbour u of this lane, and at the ends of routes lane, lane + 32, ... What
    // is read does not depend on what is allowed, so that all reads are under way at the same time.
    __device__ gap best_gap(int c, int u) const
    {
        gap best = {0, 0, nowhere, NOWHERE, 0, 0};
        const int mine = lane < own ? s->own[lane] : nowhere;
        const vrp_crowd_node n = read(u), d = read(lane < own ? depot(mine) : 0);
        const spot<IS_MATRIX> here = place(c), there = place(u);
        const int32_t weight = demand(c), served = service(c);
        const vrp_crowd_ring of = read_ring(n.ring), of_mine = read_ring(mine);
        const spot<IS_MATRIX> behind = place(n.next), before = place(n.prev), first = place(d.next), last = place(d.prev);
        const int32_t beside = between(here, there), home = between(here, place(0));
        if (may_take(of, weight)) {
            offer(&best, of, n.ring, u, n.next, beside, between(here, behind), n.edge, served);
            offer(&best, of, n.ring, n.prev, u, between(here, before), beside, n.back, served);
        }
        if (may_take(of_mine, weight))
            offer_ends(&best, mine, of_mine, d, here, first, last, home, served);
        for (int k = lane + LANES; k < own; k += LANES) {
            const int r = s->own[k];
            const vrp_crowd_ring at = read_ring(r);
            const vrp_crowd_node ends = read(depot(r));
            if (may_take(at, weight))
                offer_ends(&best, r, at, ends, here, place(ends.next), place(ends.prev), home, served);
        }
        return best;
    }

    // Puts c, whose neighbour of this lane is u, into the cheapest place, or into the next one. Returns the change of cost;
    // NOWHERE if there is no place.
    __device__ int32_t put_in(int c, int u, bool blinks)
    {
        gap best = best_gap(c, u);
        int32_t change = __reduce_min_sync(ALL_LANES, best.change);
        int owner = __ffs((int)__ballot_sync(ALL_LANES, best.change == change)) - 1;
        if (blinks && change != NOWHERE) {
            best.change = lane == owner ? NOWHERE : best.change;
            change = __reduce_min_sync(ALL_LANES, best.change);
            owner = __ffs((int)__ballot_sync(ALL_LANES, best.change == change)) - 1;
        }
        if (change == NOWHERE)
            return NOWHERE;
        if (lane == owner) {
            write(c, best.before, best.behind, best.ring, MOVED, best.second, best.first);
            node[best.behind].next = (uint16_t)c;
            node[best.behind].edge = best.first;
            node[best.before].prev = (uint16_t)c;
            node[best.before].back = best.second;
            ring[best.ring].load += demand(c);
            if (HAS_LENGTH)
                ring[best.ring].length += change + service(c);
            s->touched[touched] = (uint16_t)best.behind;
            s->touched[touched + 1] = (uint16_t)best.before;
        }
        touched += 2;
        change_ring(__shfl_sync(ALL_LANES, best.ring, owner));
        __syncwarp();
        return change;
    }

    // Puts the customers back. False once the change of cost reaches `bound`, or a customer fits nowhere.
    __device__ bool recreate(int32_t *change, int32_t bound)
    {
        draw();
        const uint32_t blinks = __ballot_sync(ALL_LANES, as_real(drawn) < BLINK);
        int c = __shfl_sync(ALL_LANES, order, 0), u = near(c);
        for (int k = 0; k < removed; k++) {
            const int next = __shfl_sync(ALL_LANES, order, (k + 1) % LANES), next_u = near(next);
            const int32_t more = put_in(c, u, blinks >> k & 1);
            c = next;
            u = next_u;
            if (more == NOWHERE || (*change += more) >= bound)
                return false;
        }
        return true;
    }

    // ---- Undoing

    __device__ void restore(int id, int r, int position) const
    {
        const uint16_t *l = line(r);
        const int size = ring[r].count, end = depot(r);
        const int next = position + 1 < size ? l[position + 1] : end;
        const int prev = position > 0 ? l[position - 1] : position < 0 && size > 0 ? l[size - 1] : end;
        write(id, next, prev, r, position & 0xffff, distance(id, next), distance(prev, id));
    }

    // Gives every node and every ring touched its accepted state. A node in both lists was taken out, so it is restored
    // from that list alone.
    __device__ void undo() const
    {
        __syncwarp();
        if (lane < removed)
            restore(s->removed[lane], s->ring[lane], s->position[lane]);
        __syncwarp();
        for (int k = lane; k < touched; k += LANES) {
            const int id = s->touched[k];
            if (id > customers)
                restore(id, id - customers - 1, -1);
            else
                restore(id, node[id].ring, node[id].position);
        }
        for (int k = lane; k < changed; k += LANES) {
            const int r = s->changed[k], size = ring[r].count, last = size > 0 ? line(r)[size - 1] : 0;
            ring[r].load = size > 0 ? load_to[last] : 0;
            if (HAS_LENGTH)
                ring[r].length = size > 0 ? length_to[last] + distance(last, depot(r)) : 0;
        }
        __syncwarp();
    }

    // Whether the step has put everything back where it was, as half of the steps do.
    __device__ bool is_unchanged() const
    {
        bool differs = false;
        if (lane < removed) {
            const int r = s->ring[lane], at = s->position[lane], size = ring[r].count;
            const vrp_crowd_node n = read(s->removed[lane]);
            const uint16_t *l = line(r);
            differs =
                n.ring != r || n.next != (at + 1 < size ? l[at + 1] : depot(r)) || n.prev != (at > 0 ? l[at - 1] : depot(r));
        }
        return !__any_sync(ALL_LANES, differs);
    }

    // ---- Acceptance

    // The first position of a ring's list that changes.
    __device__ int first_change(int r) const
    {
        int first = NOWHERE;
        if (lane < removed) {
            const int c = s->removed[lane];
            first = s->ring[lane] == r ? s->position[lane] : NOWHERE;
            if (node[c].ring == r) {
                int v = node[c].prev;
                while (v <= customers && node[v].position == MOVED)
                    v = node[v].prev;
                first = min(first, v <= customers ? node[v].position + 1 : 0);
            }
        }
        return __reduce_min_sync(ALL_LANES, first);
    }

    // Writes the list of a ring anew from the links, with positions and sums, from the first change on. A lane goes on
    // from a customer of the old list to those that came behind it, whose positions are still MOVED. The list moves by at
    // most VRP_CROWD_REMOVED places, so it is enough that the next LANES places are read before these are written.
    __device__ void rewrite(int r)
    {
        uint16_t *l = line(r);
        const int size = ring[r].count, end = depot(r), begin = min(first_change(r), size) - 1,
                  before = begin > 0 ? l[begin - 1] : 0;
        int32_t load = begin > 0 ? load_to[before] : 0, length = HAS_LENGTH && begin > 0 ? length_to[before] : 0;
        int count = max(begin, 0), ahead = begin + lane < 0 ? end : begin + lane < size ? l[begin + lane] : 0;
        for (int first = begin; first < size; first += LANES) {
            const int id = ahead, next = first + LANES + lane;
            ahead = next < size ? l[next] : 0;
            const bool is_here = id > 0 && !is_removed(id);
            int own_count = 0, follows = 0;
            int32_t own_load = 0, own_length = 0;
            if (is_here) {
                vrp_crowd_node n = read(id);
                if (id != end) {
                    own_count = 1;
                    own_load = demand(id);
                    own_length = n.back + service(id);
                }
                for (int v = n.next; v <= customers && node[v].position == MOVED; v = n.next, follows++) {
                    n = read(v);
                    own_load += demand(v);
                    own_length += n.back + service(v);
                }
                own_count += follows;
            }
            const int to_count = scan(own_count, lane);
            const int32_t to_load = scan(own_load, lane), to_length = HAS_LENGTH ? scan(own_length, lane) : 0;
            __syncwarp();
            if (is_here)
                write_run(l, id == end ? node[id].next : id, count + to_count - own_count, own_count,
                          load + to_load - own_load, length + to_length - own_length);
            count += __shfl_sync(ALL_LANES, to_count, LANES - 1);
            load += __shfl_sync(ALL_LANES, to_load, LANES - 1);
            length += HAS_LENGTH ? __shfl_sync(ALL_LANES, to_length, LANES - 1) : 0;
            __syncwarp();
        }
        used += (count > 0) - (size > 0);
        longest_seed = max(longest_seed, count);
        if (lane == 0) {
            ring[r].count = count;
            ring[r].load = load;
            if (HAS_LENGTH)
                ring[r].length = count > 0 ? length + node[end].back : 0;
        }
        __syncwarp();
    }

    // Whether the step took out a customer.
    __device__ bool is_removed(int id) const
    {
        bool is = false;
        for (int k = 0; k < removed; k++)
            is = is || s->removed[k] == id;
        return is;
    }

    __device__ void write_run(uint16_t *l, int id, int at, int count, int32_t load, int32_t length) const
    {
        for (int k = 0; k < count; k++) {
            const vrp_crowd_node n = read(id);
            load += demand(id);
            length += n.back + service(id);
            l[at + k] = (uint16_t)id;
            node[id].position = (uint16_t)(at + k);
            load_to[id] = load;
            if (HAS_LENGTH)
                length_to[id] = length;
            id = n.next;
        }
    }

    // ---- Steps

    __device__ void ruin_and_recreate(float temperature)
    {
        int32_t bound, change = ruin(temperature, &bound);
        arrange();
        if (!recreate(&change, bound) || (change == 0 && is_unchanged())) {
            undo();
            return;
        }
        for (int k = 0; k < changed; k++)
            rewrite(s->changed[k]);
        cost += change;
        if (plan.exchanges > 0)
            cost += improve();
    }

    __device__ void step(float temperature)
    {
        ruin_and_recreate(temperature);
        if (plan.tails > 0)
            cost += exchange_tails(TAILS_HEAT * temperature);
    }

    // Lists the rings of the part, and counts its customers.
    __device__ void find_own()
    {
        int all = 0;
        for (int first = 0; first < nowhere; first += LANES) {
            const int r = first + lane;
            const bool is_own = r < nowhere && ring[r].part == part;
            const int32_t size = is_own ? ring[r].count : 0;
            const uint32_t ours = __ballot_sync(ALL_LANES, is_own);
            const int at = all + __popc(ours & ((1u << lane) - 1));
            if (is_own && at < VRP_CROWD_OWN)
                s->own[at] = (uint16_t)r;
            all += __popc(ours);
            used += __popc(__ballot_sync(ALL_LANES, size > 0));
            own_customers += __reduce_add_sync(ALL_LANES, size);
            longest_seed = max(longest_seed, __reduce_max_sync(ALL_LANES, size));
        }
        own = min(all, (int)VRP_CROWD_OWN);
        __syncwarp();
    }

    // Walks the steps of the plan; returns how many it did.
    __device__ int64_t run(int64_t number)
    {
        uint64_t seed = plan.seed + (uint64_t)(number * LANES + lane) * 0xd1342543de82ef95u;
        stream = (uint32_t)(mco_splitmix64(&seed) >> 32);
        find_own();
        if (own_customers == 0)
            return 0;
        const float copy = (float)(number / crowd.parts) / (float)max(crowd.copies - 1, 1);
        const float hot = fmaxf(plan.hot * exp2f(plan.spread * (copy - 0.5f)), plan.cold);
        const float fall = __log2f(plan.cold / hot) / (float)plan.steps;
        int64_t done = 0;
        for (; done < plan.steps; done++) {
            if (done % STEPS_BETWEEN_LOOKS == 0 && __any_sync(ALL_LANES, *crowd.stop != 0))
                break;
            step(hot * exp2f(fall * (float)done));
        }
        return done;
    }

    // ---- Begin: all of a copy from its lines and counts

    __device__ void begin()
    {
        int64_t sum = 0;
        for (int r = 0; r < nowhere; r++) {
            const int size = ring[r].count;
            link(r, line(r), 0, size, size);
            sum += node[depot(r)].edge;
            for (int k = 0; k < size; k += LANES) {  // 32 edges below 2^24 fit a sum
                const int32_t edge = k + lane < size ? node[line(r)[k + lane]].edge : 0;
                sum += __reduce_add_sync(ALL_LANES, edge);
            }
        }
        cost = sum;
    }
};

// A block is one warp and has one walk. A step reads and writes some 12 KB, most of it in caches.
template <bool IS_MATRIX, bool HAS_LENGTH>
__global__ void __launch_bounds__(LANES)
    walk_crowd(const __grid_constant__ vrp_crowd crowd, const __grid_constant__ vrp_crowd_plan plan)
{
    __shared__ shared_part s;
    const int64_t copy = (int64_t)blockIdx.x / crowd.parts;
    crowd_lane<IS_MATRIX, HAS_LENGTH> walk(crowd, plan, copy, (int32_t)(blockIdx.x % crowd.parts), &s);
    const int64_t done = walk.run((int64_t)blockIdx.x);
    if (threadIdx.x == 0) {
        crowd.change[blockIdx.x] = walk.cost;
        atomicAdd((unsigned long long *)(crowd.cost + copy), (unsigned long long)walk.cost);
        atomicAdd((unsigned long long *)crowd.steps, (unsigned long long)done);
    }
}

// Completes copy 0.
template <bool IS_MATRIX, bool HAS_LENGTH>
__global__ void __launch_bounds__(LANES)
    begin_crowd(const __grid_constant__ vrp_crowd crowd, const __grid_constant__ vrp_crowd_plan plan)
{
    __shared__ shared_part s;
    crowd_lane<IS_MATRIX, HAS_LENGTH> walk(crowd, plan, 0, 0, &s);
    walk.begin();
    if (threadIdx.x == 0)
        *crowd.cost = walk.cost;
}

}  // namespace vrp_crowds
#endif
