// SPDX-License-Identifier: MIT
// The search for chordless cycles on a GPU: kernels and launchers. cycles/step.h has the algorithm; a lane holds a walk in
// registers. The reference is cycles_search() (search.c).
//
// Nodes wait in a pool in device memory. A round is two kernels. `prepare` goes on breadth-first until there are enough nodes
// for all lanes. `search` goes on depth-first: warps pull nodes from the top of the pool, keep siblings in a stack in shared
// memory, and spill the oldest of them to the pool when the stack is full. When a share of the warps has run out of work, the
// others put everything back. So the next round spreads the work anew, and no warp ever waits for another one.
#include "cycles/cuda.h"
#include "device/kernel.cuh"

namespace {

using namespace mco;

constexpr int POLL_STEPS = 16;  // steps of a warp between two looks at the reasons to end

// Copies of the table of neighbours, one beside the other, so that lanes that read different rows seldom meet in a bank.
template <int WORDS> constexpr int TABLE_COPIES = WORDS == 4 ? 1 : 4;

template <int WORDS> struct alignas(WORDS == 1 ? 8 : 16) set_row {
    uint64_t word[WORDS];
};

template <int WORDS> DEVICE void load_row(uint64_t *out, const set_row<WORDS> *s_table, int vertex)
{
    const set_row<WORDS> row = s_table[vertex * TABLE_COPIES<WORDS> + threadIdx.x % TABLE_COPIES<WORDS>];
    CYCLES_UNROLL
    for (int k = 0; k < WORDS; k++)
        out[k] = row.word[k];
}

template <int WORDS> DEVICE void fill_table(set_row<WORDS> *s_table, const cycles_search_plan &plan)
{
    for (int i = threadIdx.x; i < plan.vertices * TABLE_COPIES<WORDS>; i += CYCLES_BLOCK)
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++)
            s_table[i].word[k] = plan.d_adjacent[i / TABLE_COPIES<WORDS> * WORDS + k];
}

DEVICE int lane_id() { return (int)(threadIdx.x % WARP); }
DEVICE unsigned int lanes_below() { return (1u << lane_id()) - 1; }

template <class T> DEVICE T from_first_lane(T value) { return __shfl_sync(ALL_LANES, value, 0); }

// One lane adds to a counter for its warp; all get the value before.
DEVICE unsigned long long add_for_warp(unsigned long long *counter, unsigned long long count)
{
    unsigned long long before = 0;
    if (lane_id() == 0)
        before = atomicAdd(counter, count);
    return from_first_lane(before);
}

template <class T> DEVICE T read_now(const T *word) { return *const_cast<const volatile T *>(word); }

// ---- Walks of lanes

template <int WORDS, bool LISTS> struct lane_walk {
    static constexpr int NODE_WORDS = LISTS ? 2 * WORDS : WORDS;
    cycles_walk walk;
    uint64_t path[WORDS];  // if LISTS

    DEVICE void clear()
    {
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++)
            walk.next[k] = 0;
    }
    DEVICE bool has_next() const { return cycles_set_any(walk.next, WORDS); }

    // Begins with the node of these words, `stride` apart.
    DEVICE void begin(const uint64_t *words, int64_t stride, uint32_t tag, const set_row<WORDS> *s_table,
                      const cycles_rules &rules)
    {
        uint64_t node[WORDS], head_row[WORDS], tail_row[WORDS];
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++) {
            node[k] = words[k * stride];
            if (LISTS)
                path[k] = words[(WORDS + k) * stride];
        }
        load_row<WORDS>(head_row, s_table, (int)(tag & 0xff));
        load_row<WORDS>(tail_row, s_table, (int)(tag >> 8 & 0xff));
        cycles_walk_begin(&walk, WORDS, node, tag, head_row, tail_row, &rules);
    }

    // Stores a node of this walk or of its child: what is left to try.
    DEVICE void store(const cycles_walk &of, const uint64_t *path_of, uint64_t *words, int64_t stride, uint32_t *tag) const
    {
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++) {
            words[k * stride] = of.open[k] | of.next[k];
            if (LISTS)
                words[(WORDS + k) * stride] = path_of[k];
        }
        *tag = cycles_walk_tag(&of);
    }
    DEVICE void store_rest(uint64_t *words, int64_t stride, uint32_t *tag) const { store(walk, path, words, stride, tag); }

    DEVICE void give_back(int vertex)
    {
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++)
            walk.next[k] |= cycles_set_bit(vertex, k);
    }
};

template <int WORDS> DEVICE void copy_walk(cycles_walk *to, const cycles_walk &from)
{
    to->head = from.head;
    to->tail = from.tail;
    to->length = from.length;
    CYCLES_UNROLL
    for (int k = 0; k < WORDS; k++) {
        to->open[k] = from.open[k];
        to->next[k] = from.next[k];
        to->rim[k] = from.rim[k];
    }
}

// ---- The list

// What a warp fills. All members but `plan` are the same in all lanes.
template <int WORDS> struct list_end {
    const cycles_search_plan &plan;
    int chunk, used;

    DEVICE list_end(const cycles_search_plan &p, int warp) : plan(p), chunk(CYCLES_NO_CHUNK), used(0)
    {
        if (plan.lists) {
            chunk = plan.d_open[warp].chunk;
            used = plan.d_open[warp].used;
        }
    }

    DEVICE void note_fill() const
    {
        if (chunk != CYCLES_NO_CHUNK && lane_id() == 0)
            plan.d_fill[chunk] = used;
    }

    DEVICE void close(int warp) const
    {
        note_fill();
        if (lane_id() == 0) {
            plan.d_open[warp].chunk = chunk;
            plan.d_open[warp].used = used;
        }
    }

    // Makes room for `rows` more rows. False: the list is full.
    DEVICE bool make_room(int rows)
    {
        if (chunk != CYCLES_NO_CHUNK && used + rows <= plan.chunk_rows)
            return true;
        const unsigned long long taken = add_for_warp(&plan.d_control->chunks, 1);
        if (taken >= (unsigned long long)plan.chunks) {
            if (lane_id() == 0)
                atomicExch(&plan.d_control->is_full, 1);
            return false;
        }
        note_fill();
        chunk = (int)taken;
        used = 0;
        return true;
    }

    DEVICE void write(uint64_t *row, const uint64_t *path, int vertex, int last) const
    {
        uint64_t set[WORDS];
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++)
            set[k] = path[k] | cycles_set_bit(vertex, k) | cycles_set_bit(last, k);
        if (WORDS == 2) {
            __stcs(reinterpret_cast<ulonglong2 *>(row), make_ulonglong2(set[0], set[WORDS - 1]));
        } else {
            CYCLES_UNROLL
            for (int k = 0; k < WORDS; k++)
                if (k < plan.row_words)
                    __stcs(reinterpret_cast<unsigned long long *>(row) + k, (unsigned long long)set[k]);
        }
    }

    // Lists path + vertex + one vertex of `closing` (a copy, used up), for all lanes of the warp. False: no room, and nothing
    // is listed.
    DEVICE bool give(const uint64_t *path, int vertex, const uint64_t *closing)
    {
        uint64_t left[WORDS];
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++)
            left[k] = closing[k];
        const int rows = (int)__reduce_add_sync(ALL_LANES, (unsigned int)cycles_set_size(left, WORDS));
        if (rows == 0)
            return true;
        if (!make_room(rows))
            return false;
        for (;;) {  // ends: each round takes a vertex out of every set that has one
            const bool has = cycles_set_any(left, WORDS);
            const unsigned int who = __ballot_sync(ALL_LANES, has);
            if (who == 0)
                return true;
            if (has) {
                const int64_t at = (int64_t)chunk * plan.chunk_rows + used + __popc(who & lanes_below());
                write(plan.d_rows + at * plan.row_words, path, vertex, cycles_set_take(left, WORDS));
            }
            used += __popc(who);
        }
    }
};

// ---- One step of all lanes

// What a lane counts.
struct lane_counts {
    unsigned long long cycles;
    uint32_t steps;
};

// Lets every lane that has something to try take a step. A lane whose path goes on has the child in `child` and its path in
// `child_path`, and *goes_on is true. False: the list had no room; nothing has changed.
template <int WORDS, bool LISTS>
DEVICE bool step(lane_walk<WORDS, LISTS> &lane, const set_row<WORDS> *s_table, const cycles_search_plan &plan,
                 list_end<WORDS> &list, uint32_t *s_by_length, lane_counts &counts, cycles_walk &child, uint64_t *child_path,
                 bool *goes_on)
{
    uint64_t closing[WORDS];
    int vertex = 0;
    const bool has = lane.has_next();
    *goes_on = false;
    CYCLES_UNROLL
    for (int k = 0; k < WORDS; k++)
        closing[k] = 0;
    if (has) {
        uint64_t row[WORDS];
        vertex = cycles_set_take(lane.walk.next, WORDS);
        load_row<WORDS>(row, s_table, vertex);
        *goes_on = cycles_walk_try(&lane.walk, WORDS, vertex, row, &plan.rules, closing, &child);
    }
    if (LISTS && !list.give(lane.path, vertex, closing)) {
        if (has)
            lane.give_back(vertex);
        *goes_on = false;
        return false;
    }
    if (!has)
        return true;
    const int found = cycles_set_size(closing, WORDS);
    counts.steps++;
    counts.cycles += (unsigned long long)found;
    if (plan.by_length && found > 0)
        atomicAdd(&s_by_length[lane.walk.length + 2], (uint32_t)found);
    if (LISTS) {
        CYCLES_UNROLL
        for (int k = 0; k < WORDS; k++)
            child_path[k] = lane.path[k] | cycles_set_bit(vertex, k);
    }
    return true;
}

// ---- Counters of a block

DEVICE void clear_lengths(uint32_t *s_by_length)
{
    for (int k = threadIdx.x; k < CYCLES_LENGTHS; k += CYCLES_BLOCK)
        s_by_length[k] = 0;
}

// Adds what the block has counted. All threads of the block call it. A block closes far fewer than 2^32 cycles of one length
// in the time of a launch.
DEVICE void add_counts(const cycles_search_plan &plan, const uint32_t *s_by_length, const lane_counts &counts)
{
    unsigned long long cycles = counts.cycles, steps = counts.steps;
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
        cycles += __shfl_xor_sync(ALL_LANES, cycles, apart);
        steps += __shfl_xor_sync(ALL_LANES, steps, apart);
    }
    if (lane_id() == 0 && steps > 0) {
        atomicAdd(&plan.d_control->cycles, cycles);
        atomicAdd(&plan.d_control->steps, steps);
    }
    __syncthreads();
    for (int k = threadIdx.x; plan.by_length && k < CYCLES_LENGTHS; k += CYCLES_BLOCK)
        if (s_by_length[k] > 0)
            atomicAdd(&plan.d_control->by_length[k], (unsigned long long)s_by_length[k]);
}

// ---- Breadth-first

// Waits until all blocks of the grid have come here; what they wrote before is visible then. `arrived` is a multiple of the
// number of blocks whenever none is in the barrier. The wait ends because a cooperative launch has all blocks on the device.
DEVICE void grid_barrier(unsigned long long *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const unsigned long long ticket = atomicAdd(arrived, 1);
        const unsigned long long goal = (ticket / gridDim.x + 1) * gridDim.x;
        while (read_now(arrived) < goal)
            __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
}

// What the search has dumped lies above the top of before; below it there is a gap where nodes were pulled. The last nodes
// dumped move into the gap. They are as many as fit there, so no node is read after it was overwritten. Returns the count.
template <int NODE_WORDS> DEVICE int64_t close_gap(const cycles_search_plan &plan)
{
    const cycles_search_control *control = plan.d_control;
    const int64_t count = control->count, dumped = (int64_t)control->dumped;
    const int64_t gap = (int64_t)control->next < count ? (int64_t)control->next : count;
    const int64_t moved = gap < dumped ? gap : dumped, from = count + dumped - moved, to = count - gap;
    uint64_t *words = plan.d_words[control->side];
    uint32_t *tags = plan.d_tags[control->side];
    const int64_t stride = (int64_t)gridDim.x * CYCLES_BLOCK;
    for (int64_t i = (int64_t)blockIdx.x * CYCLES_BLOCK + threadIdx.x; i < moved; i += stride) {
        CYCLES_UNROLL
        for (int k = 0; k < NODE_WORDS; k++)
            words[k * plan.capacity + to + i] = words[k * plan.capacity + from + i];
        tags[to + i] = tags[from + i];
    }
    return count - gap + dumped;
}

// Appends nodes to the other half of the pool: those of the lanes with `has`.
template <int WORDS, bool LISTS>
DEVICE void append(const cycles_search_plan &plan, int side, cycles_level *level, bool has, const lane_walk<WORDS, LISTS> &lane,
                   const cycles_walk &walk, const uint64_t *path)
{
    const unsigned int who = __ballot_sync(ALL_LANES, has);
    if (who == 0)
        return;
    const int64_t at = (int64_t)add_for_warp(&level->count, (unsigned long long)__popc(who)) + __popc(who & lanes_below());
    if (has)
        lane.store(walk, path, plan.d_words[side] + at, plan.capacity, plan.d_tags[side] + at);
}

// Tries all vertices that may follow in the 32 nodes of a warp. Once the list is full, nodes go on as they are.
template <int WORDS, bool LISTS>
DEVICE void expand(const cycles_search_plan &plan, int side, cycles_level *level, bool &failed, lane_walk<WORDS, LISTS> &lane,
                   const set_row<WORDS> *s_table, list_end<WORDS> &list, uint32_t *s_by_length, lane_counts &counts)
{
    cycles_walk child;
    uint64_t child_path[WORDS];
    while (!failed && __any_sync(ALL_LANES, lane.has_next())) {  // ends: every step takes vertices out of `next`
        bool goes_on;
        failed = !step<WORDS, LISTS>(lane, s_table, plan, list, s_by_length, counts, child, child_path, &goes_on);
        append<WORDS, LISTS>(plan, side, level, goes_on, lane, child, child_path);
    }
    if (failed)
        append<WORDS, LISTS>(plan, side, level, lane.has_next(), lane, lane.walk, lane.path);
}

// A warp takes 32 nodes at a time; all blocks are on the device at once, and a barrier ends each level. There are at most as
// many levels as vertices, and a level has few nodes: the kernel ends within milliseconds without looking at the clock.
// Shared memory: the table of neighbours (4 copies; 1 of 4 words) and the counts by length. Traffic: a node of 12 to 68 bytes read and its
// children written, per level. The floor is the barrier, about 2 microseconds a level; for the last levels it is traffic and
// one atomic addition for each warp and child. On an H200 a level takes 3.4 microseconds where it has one node (a circle of 100).
template <int WORDS, bool LISTS> __global__ void __launch_bounds__(CYCLES_BLOCK) prepare(const cycles_search_plan plan)
{
    constexpr int NODE_WORDS = lane_walk<WORDS, LISTS>::NODE_WORDS;
    __shared__ uint32_t s_by_length[CYCLES_LENGTHS];
    set_row<WORDS> *const s_table = dynamic_shared<set_row<WORDS>>();
    cycles_search_control *const control = plan.d_control;
    const int warp = (int)(blockIdx.x * CYCLES_BLOCK_WARPS + threadIdx.x / WARP);
    const int64_t stride = (int64_t)gridDim.x * CYCLES_BLOCK;
    const bool is_first = blockIdx.x == 0 && threadIdx.x == 0;
    list_end<WORDS> list(plan, warp);
    lane_counts counts = {0, 0};
    bool failed = false;
    int side = control->side;
    const bool was_full = control->is_full != 0;
    fill_table<WORDS>(s_table, plan);
    clear_lengths(s_by_length);
    if (is_first)
        control->level[0] = control->level[1] = control->level[2] = {0, 0, 0};
    int64_t count = close_gap<NODE_WORDS>(plan);
    grid_barrier(&control->arrived);  // the nodes are in place, and all blocks have read what the first thread changes now
    if (is_first) {
        control->all_dumped += control->dumped;
        control->all_spilled += control->spilled;
        control->next = control->dumped = control->spilled = 0;
        control->idle = 0;
    }
    bool goes_on = count > 0 && count < plan.prefixes && !was_full;
    int levels = 0;
    for (; goes_on; levels++) {
        cycles_level *const level = &control->level[levels % 3];
        for (int64_t base = (int64_t)warp * WARP; base < count; base += stride) {
            lane_walk<WORDS, LISTS> lane;
            const int64_t i = base + lane_id();
            lane.clear();
            if (i < count)
                lane.begin(plan.d_words[side] + i, plan.capacity, plan.d_tags[side][i], s_table, plan.rules);
            expand<WORDS, LISTS>(plan, 1 - side, level, failed, lane, s_table, list, s_by_length, counts);
        }
        if (failed && lane_id() == 0)
            atomicExch(&level->failed, 1u);
        grid_barrier(&control->arrived);
        // All threads read the same two words: they change two levels later only.
        count = (int64_t)read_now(&level->count);
        goes_on = count > 0 && count < plan.prefixes && read_now(&level->failed) == 0;
        side = 1 - side;
        if (is_first)  // the level before this one: all blocks have read it before the barrier
            control->level[(levels + 2) % 3] = {0, 0, 0};
    }
    if (LISTS)
        list.close(warp);
    add_counts(plan, s_by_length, counts);
    if (is_first) {
        control->count = count;
        control->side = side;
        control->levels += (unsigned long long)levels;
        control->is_crowded = count > plan.crowded;
        control->goes_on = count > 0 && count <= plan.crowded && read_now(&control->is_full) == 0 && read_now(&control->stop) == 0;
    }
}

// ---- Depth-first

// A warp's stack, a ring in shared memory. Entry 0 is the oldest. All lanes hold the same numbers.
template <int WORDS, bool LISTS> struct warp_stack {
    static constexpr int NODE_WORDS = lane_walk<WORDS, LISTS>::NODE_WORDS;
    uint64_t *words;  // [NODE_WORDS * room]
    uint32_t *tags;   // [room]
    int room, oldest, size;

    DEVICE int place(int entry) const { return (oldest + entry) & (room - 1); }

    // Copies the entry to the pool.
    DEVICE void put_out(int entry, const cycles_search_plan &plan, int side, int64_t at) const
    {
        CYCLES_UNROLL
        for (int k = 0; k < NODE_WORDS; k++)
            plan.d_words[side][k * plan.capacity + at] = words[k * room + place(entry)];
        plan.d_tags[side][at] = tags[place(entry)];
    }

    // Copies a node of the pool to the entry.
    DEVICE void put_in(int entry, const cycles_search_plan &plan, int side, int64_t at)
    {
        CYCLES_UNROLL
        for (int k = 0; k < NODE_WORDS; k++)
            words[k * room + place(entry)] = plan.d_words[side][k * plan.capacity + at];
        tags[place(entry)] = plan.d_tags[side][at];
    }
};

// What a launch of the search keeps: the pool as it was at its begin.
struct search_frame {
    int64_t count, top;  // nodes in the pool; dumped nodes go to `top` and above, which is the same number
    int side, pull;      // pull: nodes that a warp takes at a time
    unsigned long long begin_ns;
};

// Pulls nodes onto the stack. False: the pool is empty.
template <int WORDS, bool LISTS>
DEVICE bool pull(warp_stack<WORDS, LISTS> &stack, const cycles_search_plan &plan, const search_frame &frame)
{
    const int64_t taken = (int64_t)add_for_warp(&plan.d_control->next, (unsigned long long)frame.pull);
    const int64_t left = frame.count - taken;
    const int count = left >= frame.pull ? frame.pull : left > 0 ? (int)left : 0;
    if (lane_id() < count)
        stack.put_in(stack.size + lane_id(), plan, frame.side, frame.count - 1 - (taken + lane_id()));
    stack.size += count;
    __syncwarp();
    return count > 0;
}

// Gives walks from the stack to lanes that have nothing to try.
template <int WORDS, bool LISTS>
DEVICE void pop(warp_stack<WORDS, LISTS> &stack, lane_walk<WORDS, LISTS> &lane, unsigned int who, const set_row<WORDS> *s_table,
                const cycles_rules &rules)
{
    const int wanted = __popc(who), count = wanted < stack.size ? wanted : stack.size;
    const int rank = __popc(who & lanes_below());
    if ((who >> lane_id() & 1) != 0 && rank < count) {
        const int place = stack.place(stack.size - 1 - rank);
        lane.begin(stack.words + place, stack.room, stack.tags[place], s_table, rules);
    }
    stack.size -= count;
    __syncwarp();  // before entries are written again
}

// Moves the 32 oldest entries to the pool. False: there is no more room for spills in this launch.
template <int WORDS, bool LISTS>
DEVICE bool spill(warp_stack<WORDS, LISTS> &stack, const cycles_search_plan &plan, const search_frame &frame)
{
    const unsigned long long before = add_for_warp(&plan.d_control->spilled, WARP);
    if ((int64_t)before + WARP > plan.spill_room)
        return false;
    const int64_t at = frame.top + (int64_t)add_for_warp(&plan.d_control->dumped, WARP);
    stack.put_out(lane_id(), plan, frame.side, at + lane_id());
    stack.oldest = stack.place(WARP);
    stack.size -= WARP;
    __syncwarp();
    return true;
}

// Puts the stack and the walks of all lanes back into the pool. There is room: besides spills a warp dumps at most its stack
// and one node for each lane, and the pool keeps that much free.
template <int WORDS, bool LISTS>
DEVICE void dump(const warp_stack<WORDS, LISTS> &stack, const lane_walk<WORDS, LISTS> &lane, const cycles_search_plan &plan,
                 const search_frame &frame)
{
    const unsigned int who = __ballot_sync(ALL_LANES, lane.has_next());
    const int count = stack.size + __popc(who);
    if (count == 0)
        return;
    const int64_t at = frame.top + (int64_t)add_for_warp(&plan.d_control->dumped, (unsigned long long)count);
    for (int entry = lane_id(); entry < stack.size; entry += WARP)
        stack.put_out(entry, plan, frame.side, at + entry);
    if (lane.has_next()) {
        const int64_t mine = at + stack.size + __popc(who & lanes_below());
        lane.store_rest(plan.d_words[frame.side] + mine, plan.capacity, plan.d_tags[frame.side] + mine);
    }
}

// Whether there is a reason to end before the work is done. One lane looks.
DEVICE bool must_end(const cycles_search_plan &plan, const search_frame &frame)
{
    int ends = 0;
    if (lane_id() == 0) {
        const cycles_search_control *control = plan.d_control;
        ends = read_now(&control->stop) != 0 || read_now(&control->is_full) != 0 ||
               read_now(&control->idle) >= (uint32_t)plan.idle_warps ||
               device_clock() - frame.begin_ns >= (unsigned long long)plan.slice_ns;
    }
    return from_first_lane(ends) != 0;
}

// The loop of a warp. It ends: every turn takes a vertex out of a lane's `next`, a node off the stack, or finds the pool
// empty; the tree is finite; and every POLL_STEPS steps the warp looks whether it must end. So it makes some progress in any
// case.
template <int WORDS, bool LISTS>
DEVICE void search_of_warp(warp_stack<WORDS, LISTS> &stack, const cycles_search_plan &plan, const search_frame &frame,
                           const set_row<WORDS> *s_table, list_end<WORDS> &list, uint32_t *s_by_length, lane_counts &counts)
{
    lane_walk<WORDS, LISTS> lane;
    cycles_walk child;
    uint64_t child_path[WORDS];
    bool is_drained = false;
    unsigned int turns = 0;
    lane.clear();
    for (;;) {
        const unsigned int who = __ballot_sync(ALL_LANES, !lane.has_next());
        if (who != 0) {
            if (stack.size < __popc(who) && !is_drained)
                is_drained = !pull<WORDS, LISTS>(stack, plan, frame);
            pop<WORDS, LISTS>(stack, lane, who, s_table, plan.rules);
            if (!__any_sync(ALL_LANES, lane.has_next())) {
                if (is_drained && stack.size == 0)
                    break;
                continue;
            }
        }
        turns++;
        if (turns % POLL_STEPS == 0 && must_end(plan, frame)) {
            dump<WORDS, LISTS>(stack, lane, plan, frame);
            break;
        }
        bool goes_on;
        if ((stack.size > stack.room - WARP && !spill<WORDS, LISTS>(stack, plan, frame)) ||
            !step<WORDS, LISTS>(lane, s_table, plan, list, s_by_length, counts, child, child_path, &goes_on)) {
            dump<WORDS, LISTS>(stack, lane, plan, frame);
            break;
        }
        const bool pushes = goes_on && lane.has_next();
        const unsigned int pushing = __ballot_sync(ALL_LANES, pushes);
        if (pushes) {
            const int place = stack.place(stack.size + __popc(pushing & lanes_below()));
            lane.store_rest(stack.words + place, stack.room, stack.tags + place);
        }
        stack.size += __popc(pushing);
        if (goes_on) {
            copy_walk<WORDS>(&lane.walk, child);
            CYCLES_UNROLL
            for (int k = 0; LISTS && k < WORDS; k++)
                lane.path[k] = child_path[k];
        }
        __syncwarp();  // the entries are written before another lane pops them
    }
    if (lane_id() == 0)
        atomicAdd(&plan.d_control->idle, 1u);
}

// A lane holds a walk and takes one step a turn: it tries one vertex, goes on with the child, and pushes what is left of the
// parent. A warp shares a stack; blocks stay as long as the launch. Shared memory: the table of neighbours, the counts by
// length, and for each of 8 warps a stack of plan.stack nodes of 12 (1 word) to 68 bytes (4 words and paths). Device memory is touched at
// the ends of subtrees and for cycles listed (8 bytes a word, in order). The limit is shared memory: a turn of a warp reads
// one row at random (about 8 cycles of a multiprocessor with 2 words), and writes and reads a fraction of a node. About 45 cycles a turn, that is 150
// million steps a millisecond on 132 multiprocessors, is the floor that was estimated: 2.7 ms for the 398 million steps of the
// grid of 8x10. An H200 makes 82 million steps a millisecond (4.83 ms), of a random graph of degree 5 91 million.
template <int WORDS, bool LISTS> __global__ void __launch_bounds__(CYCLES_BLOCK) search(const cycles_search_plan plan)
{
    using stack_type = warp_stack<WORDS, LISTS>;
    __shared__ uint32_t s_by_length[CYCLES_LENGTHS];
    const cycles_search_control *const control = plan.d_control;
    if (control->goes_on == 0)  // only the prepare kernel writes it
        return;
    set_row<WORDS> *const s_table = dynamic_shared<set_row<WORDS>>();
    uint64_t *const s_words = reinterpret_cast<uint64_t *>(s_table + plan.vertices * TABLE_COPIES<WORDS>);
    uint32_t *const s_tags =
        reinterpret_cast<uint32_t *>(s_words + (int64_t)CYCLES_BLOCK_WARPS * stack_type::NODE_WORDS * plan.stack);
    const int in_block = (int)threadIdx.x / WARP, warp = (int)blockIdx.x * CYCLES_BLOCK_WARPS + in_block;
    stack_type stack = {s_words + (int64_t)in_block * stack_type::NODE_WORDS * plan.stack, s_tags + in_block * plan.stack,
                        plan.stack, 0, 0};
    list_end<WORDS> list(plan, warp);
    lane_counts counts = {0, 0};
    const int64_t share = control->count / (2 * (int64_t)gridDim.x * CYCLES_BLOCK_WARPS);
    const search_frame frame = {control->count, control->count, control->side,
                                share < 1 ? 1 : share > WARP ? WARP : (int)share, device_clock()};
    fill_table<WORDS>(s_table, plan);
    clear_lengths(s_by_length);
    __syncthreads();
    search_of_warp<WORDS, LISTS>(stack, plan, frame, s_table, list, s_by_length, counts);
    if (LISTS)
        list.close(warp);
    add_counts(plan, s_by_length, counts);
}

// ---- Launches

size_t table_bytes(const cycles_search_plan *plan)
{
    const size_t copies = plan->words == 1 ? TABLE_COPIES<1> : plan->words == 2 ? TABLE_COPIES<2> : TABLE_COPIES<4>;
    return (size_t)plan->vertices * copies * (size_t)plan->words * sizeof(uint64_t);
}

size_t search_bytes(const cycles_search_plan *plan)
{
    const size_t node = (size_t)plan->words * (plan->lists ? 2 : 1) * sizeof(uint64_t) + sizeof(uint32_t);
    return table_bytes(plan) + CYCLES_BLOCK_WARPS * (size_t)plan->stack * node;
}

typedef void (*search_kernel)(const cycles_search_plan);

struct search_kernels {
    search_kernel prepare, search;
};

search_kernels kernels_of(const cycles_search_plan *plan)
{
    switch (plan->words) {
    case 1: return plan->lists ? search_kernels{prepare<1, true>, search<1, true>} : search_kernels{prepare<1, false>, search<1, false>};
    case 2: return plan->lists ? search_kernels{prepare<2, true>, search<2, true>} : search_kernels{prepare<2, false>, search<2, false>};
    case 4: return plan->lists ? search_kernels{prepare<4, true>, search<4, true>} : search_kernels{prepare<4, false>, search<4, false>};
    default: return {nullptr, nullptr};
    }
}

}  // namespace

cudaError_t cycles_search_shape(cycles_search_plan *plan, int multiprocessors)
{
    const search_kernels k = kernels_of(plan);
    int search_blocks = 0, prepare_blocks = 0;
    if (k.search == nullptr)
        return cudaErrorInvalidValue;
    cudaError_t error = allow_shared(k.search, search_bytes(plan));
    if (error == cudaSuccess)
        error = allow_shared(k.prepare, table_bytes(plan));
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&search_blocks, k.search, CYCLES_BLOCK, search_bytes(plan));
    if (error == cudaSuccess)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&prepare_blocks, k.prepare, CYCLES_BLOCK, table_bytes(plan));
    if (error != cudaSuccess)
        return error;
    if (search_blocks == 0 || prepare_blocks == 0)
        return cudaErrorInvalidConfiguration;
    plan->search_blocks = search_blocks * multiprocessors;
    plan->prepare_blocks = (prepare_blocks < 2 ? prepare_blocks : 2) * multiprocessors;  // few blocks make barriers fast
    return cudaSuccess;
}

cudaError_t cycles_launch_prepare(const cycles_search_plan *plan, cudaStream_t stream)
{
    void *arguments[] = {const_cast<cycles_search_plan *>(plan)};
    const cudaError_t error =
        cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(kernels_of(plan).prepare),
                                    dim3((unsigned int)plan->prepare_blocks), dim3(CYCLES_BLOCK), arguments, table_bytes(plan), stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}

cudaError_t cycles_launch_search(const cycles_search_plan *plan, cudaStream_t stream)
{
    return launch(kernels_of(plan).search, (unsigned int)plan->search_blocks, CYCLES_BLOCK, search_bytes(plan), stream, *plan);
}
