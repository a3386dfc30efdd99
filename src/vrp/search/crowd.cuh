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

#include "base/rng.h"
#include "device/kernel.cuh"
#include "vrp/search/crowd_cuda.h"

namespace vrp_crowds {

using namespace mco;

constexpr int LANES = VRP_CROWD_LANES;
constexpr int32_t NOWHERE = 0x7fffffff;    // greater than every change of cost and every load
constexpr uint16_t MOVED = 0xffff;         // position of a customer taken out since the last accepted step
constexpr float BLINK = 0.01f;             // chance that the cheapest place is passed over
constexpr float SPLIT = 0.5f;              // share of the strings that keep some customers in their middle
constexpr float SPLIT_ENDS = 0.01f;        // chance that the middle ends here; else it grows by one customer
constexpr int STEPS_BETWEEN_LOOKS = 256;    // at *stop
constexpr int MOST_MOVES = 8;              // of the improvement around one customer
constexpr int TOUCHED = 4 * VRP_CROWD_REMOVED + 2 * VRP_CROWD_REMOVED;
constexpr int RINGS = 2 * VRP_CROWD_REMOVED;

// What a warp has in shared memory.
struct shared_part {
    uint16_t own[VRP_CROWD_OWN];                 // rings of the part
    uint16_t removed[VRP_CROWD_REMOVED];         // customers taken out, in the order in which they come back
    uint16_t ring[VRP_CROWD_REMOVED], position[VRP_CROWD_REMOVED];  // where each was
    uint16_t touched[TOUCHED];                   // other nodes whose links changed
    uint16_t changed[RINGS];                     // rings that changed, each once
};

// A sum over the lanes up to this one.
DEVICE int32_t scan(int32_t value, int lane)
{
    for (int d = 1; d < LANES; d *= 2) {
        const int32_t other = __shfl_up_sync(ALL_LANES, value, (unsigned int)d);
        value += lane >= d ? other : 0;
    }
    return value;
}

// Where a node is: a point, or a row of the matrix.
template <bool IS_MATRIX> struct spot {
    float2 at;
};
template <> struct spot<true> {
    int row;
};

template <bool IS_MATRIX> DEVICE spot<IS_MATRIX> spot_of(const vrp_crowd &crowd, int id)
{
    const int row = id <= crowd.customers ? id : 0;
    if constexpr (IS_MATRIX)
        return {row};
    else
        return {__ldg(reinterpret_cast<const float2 *>(crowd.xy) + row)};
}

DEVICE int32_t distance_between(const vrp_crowd &crowd, spot<false> a, spot<false> b)
{
    const float dx = a.at.x - b.at.x, dy = a.at.y - b.at.y;
    return __float2int_rn(approximate_root(dx * dx + dy * dy) + crowd.bump);
}

DEVICE int32_t distance_between(const vrp_crowd &crowd, spot<true> a, spot<true> b)
{
    return __ldg(crowd.matrix + (int64_t)a.row * (crowd.customers + 1) + b.row);
}

template <bool IS_MATRIX, bool HAS_LENGTH> struct crowd_lane {
    const vrp_crowd &crowd;
    const vrp_crowd_plan &plan;
    const int lane, customers, nowhere, part;
    vrp_crowd_node *const node;                  // of the copy, like all below
    int32_t *const load_to, *const length_to;
    vrp_crowd_ring *const ring;
    uint16_t *const lines, *const scratch;
    shared_part *const s;
    uint32_t stream = 0, drawn = 0, draws = 0;
    int own = 0, own_customers = 0, used = 0, longest_seed = 0;
    int removed = 0, touched = 0, changed = 0;   // lengths of the lists
    int order = 0;                               // the customer that comes back as number `lane`
    int64_t cost = 0;                            // change since the launch

    __device__ crowd_lane(const vrp_crowd &c, const vrp_crowd_plan &p, int64_t copy, int32_t of_part, shared_part *shared)
        : crowd(c), plan(p), lane((int)threadIdx.x % LANES), customers(c.customers), nowhere(c.rings), part(of_part),
          node(c.node + copy * c.nodes), load_to(c.load_to + copy * c.nodes), length_to(c.length_to + copy * c.nodes),
          ring(c.ring + copy * (c.rings + 1)), lines(c.line + copy * c.rings * c.room),
          scratch(c.scratch + (copy * c.parts + of_part) * 2 * c.room), s(shared)
    {
    }

    __device__ int depot(int r) const { return customers + 1 + r; }
    __device__ uint16_t *line(int r) const { return lines + (int64_t)r * crowd.room; }
    __device__ int32_t demand(int c) const { return c <= customers ? __ldg(crowd.demand + c) : 0; }
    __device__ int32_t service(int c) const { return HAS_LENGTH && c <= customers ? __ldg(crowd.service + c) : 0; }
    // The neighbour of c for this lane; 0: none.
    __device__ int near(int c) const { return __ldg(crowd.near + c * LANES + lane); }

    // A node in one read of 16 bytes.
    __device__ vrp_crowd_node read(int id) const
    {
        const int4 words = *reinterpret_cast<const int4 *>(node + id);
        vrp_crowd_node out;
        out.next = (uint16_t)words.x;
        out.prev = (uint16_t)((uint32_t)words.x >> 16);
        out.ring = (uint16_t)words.y;
        out.position = (uint16_t)((uint32_t)words.y >> 16);
        out.edge = words.z;
        out.back = words.w;
        return out;
    }

    __device__ void write(int id, int next, int prev, int r, int position, int32_t edge, int32_t back) const
    {
        const int4 words = {(int)((uint32_t)next | (uint32_t)prev << 16), (int)((uint32_t)r | (uint32_t)position << 16), edge,
                            back};
        *reinterpret_cast<int4 *>(node + id) = words;
    }

    __device__ vrp_crowd_ring read_ring(int r) const
    {
        const int4 words = *reinterpret_cast<const int4 *>(ring + r);
        return {words.x, words.y, words.z, words.w};
    }

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

    __device__ spot<IS_MATRIX> place(int id) const { return spot_of<IS_MATRIX>(crowd, id); }
    __device__ int32_t between(spot<IS_MATRIX> a, spot<IS_MATRIX> b) const { return distance_between(crowd, a, b); }
    __device__ int32_t distance(int a, int b) const { return between(place(a), place(b)); }

    // ---- Lists of a step

    __device__ void touch(int id)
    {
        if (lane == 0)
            s->touched[touched] = (uint16_t)id;
        touched++;
    }

    __device__ void change_ring(int r)
    {
        const bool is_known = (lane < changed && s->changed[lane] == r) || (lane + LANES < changed && s->changed[lane + LANES] == r);
        if (__any_sync(ALL_LANES, is_known))
            return;
        if (lane == 0)
            s->changed[changed] = (uint16_t)r;
        changed++;
        __syncwarp();
    }

    __device__ void join(int from, int to, int32_t along) const
    {
        node[from].next = (uint16_t)to;
        node[from].edge = along;
        node[to].prev = (uint16_t)from;
        node[to].back = along;
    }

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
            const int mine = s->own[(int)__umulhi(number, (uint32_t)own)], position = (int)__umulhi(drawn, (uint32_t)longest_seed);
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
        const int id = has_one ? s->removed[lane] : 0, r = has_one ? s->ring[lane] : 0, at_before = has_one ? s->position[lane] : 0;
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
            differs = n.ring != r || n.next != (at + 1 < size ? l[at + 1] : depot(r)) || n.prev != (at > 0 ? l[at - 1] : depot(r));
        }
        return !__any_sync(ALL_LANES, differs);
    }

    // ---- Acceptance

    // Writes the list of a ring anew from the links, with positions and sums. A lane goes on from a customer of the old
    // list to those that came behind it, whose positions are still MOVED. The list moves by at most VRP_CROWD_REMOVED
    // places, so it is enough that the next LANES places are read before these are written.
    __device__ void rewrite(int r)
    {
        uint16_t *l = line(r);
        const int size = ring[r].count, end = depot(r);
        int32_t load = 0, length = 0;
        int count = 0, ahead = lane == 0 ? end : lane - 1 < size ? l[lane - 1] : 0;
        for (int first = -1; first < size; first += LANES) {
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
                write_run(l, id == end ? node[id].next : id, count + to_count - own_count, own_count, load + to_load - own_load,
                          length + to_length - own_length);
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

    // ---- Improvement: reversals and exchanges of route ends

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

    // Makes a ring of `count` customers: those that it has before position `from`, then those of `list`, which has the
    // rest at the same positions.
    __device__ void link(int r, const uint16_t *list, int from, int count)
    {
        uint16_t *l = line(r);
        const int end = depot(r), head = from > 0 ? l[from - 1] : end;
        int32_t load = from > 0 ? load_to[head] : 0, length = HAS_LENGTH && from > 0 ? length_to[head] : 0;
        for (int first = from; first < count; first += LANES) {
            const int k = first + lane;
            const bool is_one = k < count;
            const int id = is_one ? list[k] : 0, before = is_one && k > from ? list[k - 1] : head;
            const int next = is_one && k + 1 < count ? list[k + 1] : end;
            const int32_t back = is_one ? distance(before, id) : 0;
            const int32_t to_load = load + scan(demand(id), lane), to_length = length + scan(HAS_LENGTH && is_one ? back + service(id) : 0, lane);
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
        const int size = ring[r].count, last = count == from ? head : list[count - 1];
        used += (count > 0) - (size > 0);
        longest_seed = max(longest_seed, count);
        __syncwarp();
        if (lane == 0) {
            const int next = count > from ? list[from] : end;
            join(head, next, distance(head, next));
            join(last, end, distance(last, end));
            ring[r].count = count;
            ring[r].load = load;
            if (HAS_LENGTH)
                ring[r].length = count > 0 ? length + node[end].back : 0;
        }
        __syncwarp();
    }

    __device__ void make_move(int c, int u, int way)
    {
        const exchange e = exchange_of(c, u, way);
        const int first_count = e.first_count(), from_b = e.is_crossed ? 0 : e.j;
        __syncwarp();
        for (int p = e.i + lane; p < e.count_a; p += LANES)
            scratch[e.slot(true, p)] = line(e.a)[p];
        for (int p = lane; p < e.count_b && e.a != e.b; p += LANES)
            scratch[e.slot(false, p)] = line(e.b)[p];
        __syncwarp();
        link(e.a, scratch, e.i, first_count);
        if (e.a != e.b)
            link(e.b, scratch + first_count, from_b, e.count_a + e.count_b - first_count);
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

    // ---- Steps

    __device__ void step(float temperature)
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
            link(r, line(r), 0, size);
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
__global__ void __launch_bounds__(LANES) walk_crowd(const __grid_constant__ vrp_crowd crowd, const __grid_constant__ vrp_crowd_plan plan)
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
__global__ void __launch_bounds__(LANES) begin_crowd(const __grid_constant__ vrp_crowd crowd, const __grid_constant__ vrp_crowd_plan plan)
{
    __shared__ shared_part s;
    crowd_lane<IS_MATRIX, HAS_LENGTH> walk(crowd, plan, 0, 0, &s);
    walk.begin();
    if (threadIdx.x == 0)
        *crowd.cost = walk.cost;
}

// ---- Copies of copies, and parts

template <class T> DEVICE void copy_items(T *table, int64_t from, int64_t to, int64_t stride)
{
    for (int64_t k = threadIdx.x; k < stride; k += blockDim.x)
        table[to * stride + k] = table[from * stride + k];
}

// Block k makes copy to[k] equal to copy from[k].
__global__ void copy_crowd(const __grid_constant__ vrp_crowd crowd, const int32_t *from, const int32_t *to)
{
    const int64_t a = from[blockIdx.x], b = to[blockIdx.x], lists = (int64_t)crowd.rings * crowd.room;
    copy_items(reinterpret_cast<int4 *>(crowd.node), a, b, crowd.nodes);
    copy_items(reinterpret_cast<int4 *>(crowd.ring), a, b, crowd.rings + 1);
    copy_items(reinterpret_cast<int4 *>(crowd.line), a, b, lists * (int)sizeof *crowd.line / (int)sizeof(int4));
    copy_items(crowd.load_to, a, b, crowd.nodes);
    if (crowd.has_length)
        copy_items(crowd.length_to, a, b, crowd.nodes);
    if (threadIdx.x == 0)
        crowd.cost[b] = crowd.cost[a];
}

// Gives copy 0 each part of the copy that changed it to the least cost, or that of copy `before` if none improved it. All
// were equal to that one before their walks, and cut alike; that one was not cut. Block k has part k.
__global__ void gather_crowd(const __grid_constant__ vrp_crowd crowd, int32_t before)
{
    __shared__ int s_best;
    const int part = (int)blockIdx.x;
    if (threadIdx.x == 0) {
        int best = 0;
        for (int copy = 1; copy < crowd.copies; copy++)
            if (crowd.change[(int64_t)copy * crowd.parts + part] < crowd.change[(int64_t)best * crowd.parts + part])
                best = copy;
        const int64_t change = crowd.change[(int64_t)best * crowd.parts + part];
        s_best = change < 0 ? best : before;
        atomicAdd((unsigned long long *)crowd.cost, (unsigned long long)((change < 0 ? change : 0) - crowd.change[part]));
    }
    __syncthreads();
    const int64_t best = s_best;
    if (best == 0)
        return;
    const vrp_crowd_ring *ring = crowd.ring + best * (crowd.rings + 1);
    const uint16_t *lines = crowd.line + best * crowd.rings * crowd.room;
    for (int r = 0; r < crowd.rings; r++) {
        if (crowd.ring[r].part != part)
            continue;
        for (int k = (int)threadIdx.x; k <= ring[r].count; k += (int)blockDim.x) {
            const int id = k < ring[r].count ? lines[(int64_t)r * crowd.room + k] : crowd.customers + 1 + r;
            crowd.node[id] = crowd.node[best * crowd.nodes + id];
            crowd.load_to[id] = crowd.load_to[best * crowd.nodes + id];
            if (crowd.has_length)
                crowd.length_to[id] = crowd.length_to[best * crowd.nodes + id];
            if (k < ring[r].count)
                crowd.line[(int64_t)r * crowd.room + k] = (uint16_t)id;
        }
        if (threadIdx.x == 0)
            crowd.ring[r] = {ring[r].load, ring[r].length, ring[r].count, part};
    }
}

// Sorts the routes of a copy by how much nearer they lie to one customer than to another, both drawn, and cuts that
// order into parts of about as many customers. A block is a warp and has a copy.
template <bool IS_MATRIX>
__global__ void __launch_bounds__(LANES) cut_crowd(const __grid_constant__ vrp_crowd crowd, uint64_t seed, bool is_same)
{
    const int lane = (int)threadIdx.x % LANES;
    const int64_t copy = blockIdx.x;
    vrp_crowd_ring *ring = crowd.ring + copy * (crowd.rings + 1);
    const uint16_t *lines = crowd.line + copy * crowd.rings * crowd.room;
    float *key = crowd.key + copy * crowd.rings;
    seed += is_same ? 0 : (uint64_t)copy * 0xd1342543de82ef95u;
    const uint64_t first = mco_splitmix64(&seed), second = mco_splitmix64(&seed);
    const spot<IS_MATRIX> a = spot_of<IS_MATRIX>(crowd, (int)(1 + first % (uint32_t)crowd.customers));
    const spot<IS_MATRIX> b = spot_of<IS_MATRIX>(crowd, (int)(1 + second % (uint32_t)crowd.customers));
    for (int r = lane; r < crowd.rings; r += LANES) {
        float sum = 0;
        for (int k = 0; k < ring[r].count; k++) {
            const spot<IS_MATRIX> c = spot_of<IS_MATRIX>(crowd, lines[(int64_t)r * crowd.room + k]);
            sum += (float)(distance_between(crowd, c, a) - distance_between(crowd, c, b));
        }
        key[r] = sum / (float)max(ring[r].count, 1);
    }
    __syncwarp();
    for (int r = 0; r < crowd.rings; r++) {
        const bool is_empty = ring[r].count == 0;
        const float mine = key[r];
        int32_t before = 0;
        for (int k = lane; k < crowd.rings; k += LANES) {
            const bool is_first = is_empty ? ring[k].count == 0 && k < r : key[k] < mine || (key[k] == mine && k < r);
            before += is_first ? (is_empty ? 1 : ring[k].count) : 0;
        }
        before = __reduce_add_sync(ALL_LANES, before);
        if (lane == 0)
            ring[r].part = is_empty ? before % crowd.parts : (int32_t)((int64_t)before * crowd.parts / crowd.customers);
        __syncwarp();
    }
}

}  // namespace vrp_crowds
#endif
