// SPDX-License-Identifier: MIT
// The walker for sets of WORDS words; search_lanes.c includes this file once for each width. A step takes the top nodes of the
// stack, one for each lane, and grows each by one vertex of its Q. The node goes back if Q has more vertices, the grown path goes
// on top if it is a node. Lanes do not wait for each other, and nothing branches by what a lane finds but cycles.
// The stack stays bounded: beyond `room` less the vertices a step takes the top node only, whose subtree adds one entry a level.

#define SEARCH_PASTE(name, words) name##_##words
#define SEARCH_NAME(name, words) SEARCH_PASTE(name, words)
#define SET SEARCH_NAME(set, WORDS)
#define EACH_WORD UNROLL(16) for (int i = 0; i < WORDS; i++)

typedef struct SET {
    lanes w[WORDS];
} SET;

static inline __attribute__((always_inline)) SET SEARCH_NAME(load, WORDS)(const uint64_t *from, int64_t room, lanes_mask m)
{
    SET x;
    EACH_WORD x.w[i] = lanes_load(from + i * room, m);
    return x;
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
    EACH_WORD x.w[i] = lanes_gather(rows + i, place);
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

// Writes the cycles of each lane: its path and one closer.
static __attribute__((noinline)) void SEARCH_NAME(list, WORDS)(search_walker *w, lanes_mask m, const SET *path, const SET *c)
{
    uint64_t paths[WORDS][LANES], closers[WORDS][LANES];
    EACH_WORD {
        lanes_store(paths[i], path->w[i]);
        lanes_store(closers[i], c->w[i]);
    }
    const int32_t words = w->list_words;
    uint64_t *to = w->list + w->list_count * words;
    for (; m != 0; m &= m - 1) {
        const int lane = __builtin_ctz(m);
        for (int32_t k = 0; k < words; k++)
            for (uint64_t left = closers[k][lane]; left != 0; left &= left - 1) {
                for (int32_t i = 0; i < words; i++)
                    to[i] = paths[i][lane];
                to[k] |= left & -left;
                to += words;
            }
    }
    w->list_count = (to - w->list) / words;
}

static inline __attribute__((always_inline)) void SEARCH_NAME(tally, WORDS)(search_walker *w, lanes_mask m, lanes length, SET c)
{
    uint64_t at[LANES], count[LANES];
    lanes_store(at, length);
    lanes_store(count, SEARCH_NAME(count, WORDS)(c));
    for (; m != 0; m &= m - 1) {
        const int lane = __builtin_ctz(m);
        w->tally[(at[lane] & UINT32_MAX) * SEARCH_LANES + (uint32_t)lane] += count[lane];
        w->cycles += count[lane];
    }
}

static inline __attribute__((always_inline)) void SEARCH_NAME(walk, WORDS)(search_walker *w, int64_t steps, bool is_directed,
                                                                         bool keeps_paths, bool checks)
{
    const search_rows *rows = &w->rows;
    const int64_t room = w->stack.room, narrow_from = room - rows->vertices - SEARCH_SLACK;
    uint64_t *const at_r = w->stack.field, *const at_p = at_r + WORDS * room, *const at_q = at_p + WORDS * room,
             *const at_length = at_q + WORDS * room, *const at_path = at_length + room;
    const int64_t list_end = w->list_room - (int64_t)SEARCH_LANES * rows->vertices;
    const lanes shortest = lanes_all((uint64_t)(w->min_length - 1)), longest = lanes_all((uint64_t)(w->max_length - 3));
    int64_t top = w->stack.top, nodes = 0;
    for (; steps > 0 && top > 0 && (!keeps_paths || w->list_count <= list_end); steps--) {
        const int64_t taken = top > narrow_from ? 1 : top < LANES ? top : LANES;
        const lanes_mask all = (1u << taken) - 1;
        top -= taken;
        nodes += taken;
        SET r = SEARCH_NAME(load, WORDS)(at_r + top, room, all), p = SEARCH_NAME(load, WORDS)(at_p + top, room, all);
        SET q = SEARCH_NAME(load, WORDS)(at_q + top, room, all), path = r, bit, c, new_p, new_q, new_r;
        const lanes length = lanes_load(at_length + top, all);
        if (keeps_paths)
            path = SEARCH_NAME(load, WORDS)(at_path + top, room, all);
        const lanes place = SEARCH_NAME(take, WORDS)(&q, &bit);
        const SET near = SEARCH_NAME(rows, WORDS)(rows->near, place);
        SET grows = near;
        if (is_directed) {
            const lanes_mask side = lanes_greater(length, lanes_all(UINT32_MAX));
            const SET forth = SEARCH_NAME(rows, WORDS)(rows->grows[0], place);
            const SET back = SEARCH_NAME(rows, WORDS)(rows->grows[1], place);
            EACH_WORD grows.w[i] = lanes_choose(side, back.w[i], forth.w[i]);
        }
        EACH_WORD {
            c.w[i] = lanes_and(p.w[i], grows.w[i]);
            new_q.w[i] = lanes_and(r.w[i], grows.w[i]);
            new_p.w[i] = lanes_less(p.w[i], near.w[i]);
            new_r.w[i] = lanes_less(r.w[i], near.w[i]);
        }
        // The node itself, if Q has more.
        const lanes_mask more = SEARCH_NAME(any, WORDS)(q);
        SEARCH_NAME(pack, WORDS)(at_r + top, room, more, r);
        SEARCH_NAME(pack, WORDS)(at_p + top, room, more, p);
        SEARCH_NAME(pack, WORDS)(at_q + top, room, more, q);
        lanes_pack(at_length + top, more, length);
        if (keeps_paths)
            SEARCH_NAME(pack, WORDS)(at_path + top, room, more, path);
        top += __builtin_popcount(more);
        // Its child.
        const lanes size = lanes_and(length, lanes_all(UINT32_MAX));
        lanes_mask ok = all & ~lanes_greater(size, longest);
        if (keeps_paths) {
            EACH_WORD path.w[i] = lanes_or(path.w[i], bit.w[i]);
            if (w->required_count > 0)
                ok &= SEARCH_NAME(require, WORDS)(w, path, &c, new_p, new_q, new_r);
        }
        lanes_mask closing = SEARCH_NAME(any, WORDS)(c);
        if (closing != 0) {
            // Cycles have two vertices more than the node.
            SEARCH_NAME(tally, WORDS)(w, closing, lanes_add(length, lanes_all(2)), c);
            closing &= lanes_greater(lanes_add(size, lanes_all(2)), shortest);
            if (keeps_paths && w->is_listing && closing != 0)
                SEARCH_NAME(list, WORDS)(w, closing, &path, &c);
        }
        const lanes q_count = SEARCH_NAME(count, WORDS)(new_q), p_count = SEARCH_NAME(count, WORDS)(new_p);
        ok &= lanes_any(q_count) & lanes_any(p_count);
        const lanes_mask swaps = lanes_greater(q_count, p_count);
        if (checks && ok != 0)
            ok = SEARCH_NAME(joined, WORDS)(rows, ok, new_q, new_r, new_p);
        SET first, second;
        EACH_WORD {
            first.w[i] = lanes_choose(swaps, new_q.w[i], new_p.w[i]);
            second.w[i] = lanes_choose(swaps, new_p.w[i], new_q.w[i]);
        }
        lanes new_length = lanes_add(length, lanes_all(1));
        if (is_directed)
            new_length = lanes_choose(swaps, lanes_xor(new_length, lanes_all((uint64_t)1 << 32)), new_length);
        SEARCH_NAME(pack, WORDS)(at_r + top, room, ok, new_r);
        SEARCH_NAME(pack, WORDS)(at_p + top, room, ok, first);
        SEARCH_NAME(pack, WORDS)(at_q + top, room, ok, second);
        lanes_pack(at_length + top, ok, new_length);
        if (keeps_paths)
            SEARCH_NAME(pack, WORDS)(at_path + top, room, ok, path);
        top += __builtin_popcount(ok);
    }
    w->stack.top = top;
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

#undef SET
#undef EACH_WORD
#undef SEARCH_NAME
#undef SEARCH_PASTE
#undef WORDS
