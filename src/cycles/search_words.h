// SPDX-License-Identifier: MIT
// The walker for sets of WORDS words; search_lanes.c includes this file once for each width. A step grows the node of each lane by
// one vertex of its Q. If the grown path is a node it takes the lane, and the old node goes to the stack if its Q has more
// vertices. A lane without a node takes one from the stack. Nothing branches by what a lane finds but cycles.
// The stack stays bounded: beyond `room` less the vertices only one lane works, whose subtree adds one entry a level.

#define SEARCH_PASTE(name, words) name##_##words
#define SEARCH_NAME(name, words) SEARCH_PASTE(name, words)
#define SET SEARCH_NAME(set, WORDS)
#define EACH_WORD UNROLL(16) for (int i = 0; i < WORDS; i++)

typedef struct SET {
    lanes w[WORDS];
} SET;

static inline __attribute__((always_inline)) void SEARCH_NAME(refill, WORDS)(SET *x, lanes_mask m, lanes order,
                                                                            const uint64_t *end, int64_t room)
{
    EACH_WORD x->w[i] = lanes_refill(x->w[i], m, order, end + i * room);
}

static inline __attribute__((always_inline)) SET SEARCH_NAME(choose, WORDS)(lanes_mask m, SET yes, SET no)
{
    EACH_WORD no.w[i] = lanes_choose(m, yes.w[i], no.w[i]);
    return no;
}

static inline __attribute__((always_inline)) void SEARCH_NAME(pack, WORDS)(uint64_t *to, int64_t room, lanes_mask m, SET x)
{
    EACH_WORD lanes_pack(to + i * room, m, x.w[i]);
}

static inline __attribute__((always_inline)) lanes_mask SEARCH_NAME(any, WORDS)(SET x)
{
    lanes all = x.w[0];
    for (int i = 1; i < WORDS; i++)
        all = lanes_or(all, x.w[i]);
    return lanes_any(all);
}

static inline __attribute__((always_inline)) lanes SEARCH_NAME(count, WORDS)(SET x)
{
    lanes bytes = lanes_count_bytes(x.w[0]);
    for (int i = 1; i < WORDS; i++)
        bytes = lanes_add_bytes(bytes, lanes_count_bytes(x.w[i]));
    return lanes_sum_bytes(bytes);
}

// Takes the least vertex out of each set: its bit to *bit; returns WORDS times its number. 0 for an empty set.
static inline __attribute__((always_inline)) lanes SEARCH_NAME(take, WORDS)(SET *x, SET *bit)
{
    const lanes one = lanes_all(1);
    lanes_mask open = ~(lanes_mask)0;
    lanes place = lanes_all(0), rest;
    EACH_WORD {
        const lanes_mask here = lanes_any(x->w[i]) & open;
        rest = lanes_choose(here, lanes_and(x->w[i], lanes_subtract(x->w[i], one)), x->w[i]);
        bit->w[i] = lanes_xor(x->w[i], rest);
        // Position of the bit; one instead of an empty word, whose result is not taken.
        const lanes at = lanes_place(lanes_choose(here, bit->w[i], one));
        place = lanes_choose(here, lanes_add(at, lanes_all(64 * (uint64_t)i)), place);
        x->w[i] = rest;
        open &= ~here;
    }
    if (WORDS >= 2)
        place = lanes_add(place, place);
    for (int k = 4; k <= WORDS; k *= 2)
        place = lanes_add(place, place);
    return place;
}

static inline __attribute__((always_inline)) SET SEARCH_NAME(rows, WORDS)(const uint64_t *rows, lanes place)
{
    SET x;
    lanes_rows(rows, place, WORDS, x.w);
    return x;
}

// The lanes of `asked` whose Q and P are joined by vertices of R: Q grows vertex by vertex until it touches P.
static inline __attribute__((always_inline)) lanes_mask SEARCH_NAME(joined, WORDS)(const search_rows *rows, lanes_mask asked,
                                                                                 SET q, SET r, SET p)
{
    lanes_mask found = 0;
    SET bit;
    EACH_WORD q.w[i] = lanes_choose(asked, q.w[i], lanes_all(0));
    while (asked != 0) {
        const SET row = SEARCH_NAME(rows, WORDS)(rows->near, SEARCH_NAME(take, WORDS)(&q, &bit));
        SET hit;
        EACH_WORD {
            const lanes next = lanes_and(row.w[i], r.w[i]);
            hit.w[i] = lanes_and(row.w[i], p.w[i]);
            q.w[i] = lanes_or(q.w[i], next);
            r.w[i] = lanes_less(r.w[i], next);
        }
        found |= SEARCH_NAME(any, WORDS)(hit) & asked;
        asked &= SEARCH_NAME(any, WORDS)(q) & ~found;
    }
    return found;
}

// Leaves to *c the closers by which all required vertices are on the cycle; returns the lanes that may go on.
static inline __attribute__((always_inline)) lanes_mask SEARCH_NAME(require, WORDS)(const search_walker *w, SET path, SET *c,
                                                                                  SET p, SET q, SET r)
{
    SET missing, blocked;
    EACH_WORD {
        missing.w[i] = lanes_less(lanes_all(w->required[i]), path.w[i]);
        blocked.w[i] = lanes_less(missing.w[i], lanes_or(lanes_or(p.w[i], q.w[i]), r.w[i]));
    }
    const lanes_mask is_open = SEARCH_NAME(any, WORDS)(missing);
    const lanes_mask is_last = ~lanes_greater(SEARCH_NAME(count, WORDS)(missing), lanes_all(1));
    // One is missing: it alone may close. More: nothing closes yet.
    EACH_WORD c->w[i] = lanes_choose(is_open, lanes_choose(is_last, lanes_and(c->w[i], missing.w[i]), lanes_all(0)), c->w[i]);
    return ~SEARCH_NAME(any, WORDS)(blocked);
}

// Paths that close, noted one after the other, so that no step branches by how many there are.
#define NOTES SEARCH_NAME(notes, WORDS)
typedef struct NOTES {
    int64_t count;
    uint64_t sum[SEARCH_NOTES + LANES];          // length of the cycles, and from bit 40 on how many
    uint64_t path[WORDS][SEARCH_NOTES + LANES];  // only if there are lists
    uint64_t closers[WORDS][SEARCH_NOTES + LANES];
} NOTES;

static inline __attribute__((always_inline)) void SEARCH_NAME(note, WORDS)(NOTES *notes, lanes_mask m, lanes length, SET c, SET path,
                                                                          bool is_listing)
{
    const lanes count = SEARCH_NAME(count, WORDS)(c);
    lanes_pack(notes->sum + notes->count, m, lanes_or(length, lanes_shift(count, 40)));
    for (int i = 0; i < WORDS && is_listing; i++) {
        lanes_pack(notes->path[i] + notes->count, m, path.w[i]);
        lanes_pack(notes->closers[i] + notes->count, m, c.w[i]);
    }
    notes->count += __builtin_popcount(m);
}

// Writes the cycles of a note: its path and one closer each.
static inline __attribute__((always_inline)) uint64_t *SEARCH_NAME(list, WORDS)(const NOTES *notes, int64_t k, int32_t words,
                                                                               uint64_t *to)
{
    uint64_t path[WORDS];
    EACH_WORD path[i] = notes->path[i][k];
    for (int32_t j = 0; j < words; j++)
        for (uint64_t left = notes->closers[j][k]; left != 0; left &= left - 1) {
            EACH_WORD to[i] = path[i];  // beyond `words` the next row overwrites it
            to[j] |= left & -left;
            to += words;
        }
    return to;
}

static __attribute__((noinline)) void SEARCH_NAME(settle, WORDS)(search_walker *w, NOTES *notes)
{
    const int32_t words = w->list_words;
    uint64_t *to = w->list + w->list_count * words, sum = 0;
    for (int64_t k = 0; k < notes->count; k++) {
        const uint64_t length = notes->sum[k] & UINT32_MAX, count = notes->sum[k] >> 40;
        w->tally[length * SEARCH_LANES + (uint64_t)(k % SEARCH_LANES)] += count;
        sum += count;
        if (w->is_listing && (int64_t)length >= w->min_length)
            to = SEARCH_NAME(list, WORDS)(notes, k, words, to);
    }
    if (w->is_listing)
        w->list_count = (to - w->list) / words;
    w->cycles += sum;
    notes->count = 0;
}

// A node in each lane.
#define NODES SEARCH_NAME(nodes, WORDS)
typedef struct NODES {
    SET r, p, q, path;
    lanes length;
} NODES;

static inline __attribute__((always_inline)) void SEARCH_NAME(push, WORDS)(search_stack *s, lanes_mask m, const NODES *x,
                                                                          bool keeps_paths)
{
    uint64_t *to = s->field + s->top;
    const int64_t room = s->room;
    SEARCH_NAME(pack, WORDS)(to, room, m, x->r);
    SEARCH_NAME(pack, WORDS)(to + WORDS * room, room, m, x->p);
    SEARCH_NAME(pack, WORDS)(to + 2 * WORDS * room, room, m, x->q);
    lanes_pack(to + 3 * WORDS * room, m, x->length);
    if (keeps_paths)
        SEARCH_NAME(pack, WORDS)(to + (3 * WORDS + 1) * room, room, m, x->path);
    s->top += __builtin_popcount(m);
}

// Fills the lanes of the mask from the stack, as many as it can. The other ones of the mask get empty sets. Returns those filled.
static inline __attribute__((always_inline)) lanes_mask SEARCH_NAME(pull, WORDS)(search_stack *s, lanes_mask m, NODES *x,
                                                                                bool keeps_paths)
{
    const int64_t room = s->room;
    lanes_mask idle = m;
    int64_t count = __builtin_popcount(m);
    if (count <= s->top)
        idle = 0;
    for (; count > s->top; count--)
        m &= m - 1;
    const uint64_t *end = s->field + s->top;
    s->top -= count;
    const lanes order = lanes_refill_order(m);
    SEARCH_NAME(refill, WORDS)(&x->r, m, order, end, room);
    SEARCH_NAME(refill, WORDS)(&x->p, m, order, end + WORDS * room, room);
    SEARCH_NAME(refill, WORDS)(&x->q, m, order, end + 2 * WORDS * room, room);
    x->length = lanes_refill(x->length, m, order, end + 3 * WORDS * room);
    if (keeps_paths)
        SEARCH_NAME(refill, WORDS)(&x->path, m, order, end + (3 * WORDS + 1) * room, room);
    idle &= ~m;
    if (idle != 0)
        EACH_WORD {
            x->p.w[i] = lanes_choose(idle, lanes_all(0), x->p.w[i]);
            x->q.w[i] = lanes_choose(idle, lanes_all(0), x->q.w[i]);
        }
    return m;
}

static inline __attribute__((always_inline)) void SEARCH_NAME(walk, WORDS)(search_walker *w, int64_t steps, bool is_directed,
                                                                         bool keeps_paths, bool checks)
{
    const lanes_mask every = (1u << LANES) - 1;
    const search_rows rows = w->rows;
    search_stack stack = w->stack;
    const int64_t narrow_from = stack.room - rows.vertices - SEARCH_SLACK;
    const int64_t list_end = w->list_room - (int64_t)SEARCH_NOTES * rows.vertices;
    const lanes longest = lanes_all((uint64_t)(w->max_length - 3));
    int64_t nodes = 0;
    NODES x;
    NOTES notes;
    lanes_mask live = 0;
    notes.count = 0;
    EACH_WORD x.r.w[i] = x.p.w[i] = x.q.w[i] = x.path.w[i] = lanes_all(0);
    x.length = lanes_all(0);
    for (; steps > 0 && (!keeps_paths || w->list_count <= list_end); steps--) {
        if (stack.top > narrow_from) {  // one lane only
            SEARCH_NAME(push, WORDS)(&stack, live & ~(lanes_mask)1, &x, keeps_paths);
            live &= 1;
            EACH_WORD x.p.w[i] = lanes_choose(live, x.p.w[i], lanes_all(0));
            EACH_WORD x.q.w[i] = lanes_choose(live, x.q.w[i], lanes_all(0));
        }
        if (live == 0) {
            live = SEARCH_NAME(pull, WORDS)(&stack, stack.top > narrow_from ? 1 : every, &x, keeps_paths);
            if (live == 0)
                break;
        }
        nodes += __builtin_popcount(live);
        SET bit, c;
        NODES child;
        const lanes place = SEARCH_NAME(take, WORDS)(&x.q, &bit);
        const SET near = SEARCH_NAME(rows, WORDS)(rows.near, place);
        SET grows = near;
        if (is_directed) {
            const lanes_mask side = lanes_greater(x.length, lanes_all(UINT32_MAX));
            grows = SEARCH_NAME(choose, WORDS)(side, SEARCH_NAME(rows, WORDS)(rows.grows[1], place),
                                               SEARCH_NAME(rows, WORDS)(rows.grows[0], place));
        }
        EACH_WORD {
            c.w[i] = lanes_and(x.p.w[i], grows.w[i]);
            child.q.w[i] = lanes_and(x.r.w[i], grows.w[i]);
            child.p.w[i] = lanes_less(x.p.w[i], near.w[i]);
            child.r.w[i] = lanes_less(x.r.w[i], near.w[i]);
            child.path.w[i] = keeps_paths ? lanes_or(x.path.w[i], bit.w[i]) : bit.w[i];
        }
        const lanes_mask more = SEARCH_NAME(any, WORDS)(x.q) & live;
        const lanes size = lanes_and(x.length, lanes_all(UINT32_MAX));
        lanes_mask ok = live & ~lanes_greater(size, longest);
        if (keeps_paths && w->required_count > 0)
            ok &= SEARCH_NAME(require, WORDS)(w, child.path, &c, child.p, child.q, child.r);
        // Cycles have two vertices more than the node.
        SEARCH_NAME(note, WORDS)(&notes, SEARCH_NAME(any, WORDS)(c), lanes_add(size, lanes_all(2)), c, child.path, keeps_paths);
        if (notes.count > SEARCH_NOTES - LANES)
            SEARCH_NAME(settle, WORDS)(w, &notes);
        const lanes q_count = SEARCH_NAME(count, WORDS)(child.q), p_count = SEARCH_NAME(count, WORDS)(child.p);
        ok &= lanes_any(q_count) & lanes_any(p_count);
        const lanes_mask swaps = lanes_greater(q_count, p_count);
        if (checks && ok != 0)
            ok = SEARCH_NAME(joined, WORDS)(&rows, ok, child.q, child.r, child.p);
        const NODES old = x;
        x.r = SEARCH_NAME(choose, WORDS)(ok, child.r, x.r);
        x.p = SEARCH_NAME(choose, WORDS)(ok, SEARCH_NAME(choose, WORDS)(swaps, child.q, child.p), x.p);
        x.q = SEARCH_NAME(choose, WORDS)(ok, SEARCH_NAME(choose, WORDS)(swaps, child.p, child.q), x.q);
        if (keeps_paths)
            x.path = SEARCH_NAME(choose, WORDS)(ok, child.path, x.path);
        child.length = lanes_add(x.length, lanes_all(1));
        if (is_directed)
            child.length = lanes_choose(swaps, lanes_xor(child.length, lanes_all((uint64_t)1 << 32)), child.length);
        x.length = lanes_choose(ok, child.length, x.length);
        live = ok | more;
        // First what is on the stack, then what goes there: a load from a place that was just written would wait for it.
        if (stack.top <= narrow_from)
            live |= SEARCH_NAME(pull, WORDS)(&stack, every & ~live, &x, keeps_paths);
        SEARCH_NAME(push, WORDS)(&stack, more & ok, &old, keeps_paths);
    }
    SEARCH_NAME(push, WORDS)(&stack, live, &x, keeps_paths);
    SEARCH_NAME(settle, WORDS)(w, &notes);
    w->stack.top = stack.top;
    w->nodes += nodes;
}

static void SEARCH_NAME(start, WORDS)(search_walker *w, int64_t steps)
{
#if WORDS <= 2
    if (!w->is_directed && !w->keeps_paths && !w->checks)
        SEARCH_NAME(walk, WORDS)(w, steps, false, false, false);
    else if (!w->is_directed && !w->keeps_paths)
        SEARCH_NAME(walk, WORDS)(w, steps, false, false, true);
    else if (!w->is_directed)
        SEARCH_NAME(walk, WORDS)(w, steps, false, true, w->checks);
    else
        SEARCH_NAME(walk, WORDS)(w, steps, true, w->keeps_paths, w->checks);
#else
    SEARCH_NAME(walk, WORDS)(w, steps, w->is_directed, w->keeps_paths, w->checks);
#endif
}

#undef NODES
#undef NOTES
#undef SET
#undef EACH_WORD
#undef SEARCH_NAME
#undef SEARCH_PASTE
#undef WORDS
