// SPDX-License-Identifier: MIT
// Keys of a given number of words: frontier_lanes.c includes this file once for each of them, after it has defined
//   KEY_WORDS  words of a key
//   KEY_BITS   bits of a field; no field lies across two words
//   KEY(name)  the name of a type or function of these keys
// A place is the position of a field's lowest bit: 64 * word + bit. A set of slots is a key with the lowest bits of its fields.
// Successors are made for a block of states before they are inserted, so that the loads of the table overlap.

#define KEY_FIELDS (64 / KEY_BITS)
#define KEY_INNER ((UINT64_C(1) << KEY_BITS) - 1)
#define KEY_LOWEST ((~UINT64_C(0) >> (64 - KEY_BITS * KEY_FIELDS)) / KEY_INNER)
#define KEY_WORD(place) (KEY_WORDS == 1 ? 0 : (place) >> 6)
enum { KEY(BLOCK) = 128 };  // states that are expanded before their successors are inserted

typedef struct KEY(key) {
    uint64_t word[KEY_WORDS];
} KEY(key);

// What a step needs, as sets of slots, or as whole fields where it says so.
typedef struct KEY(masks) {
    KEY(key) near;         // decided neighbours of the vertex
    KEY(key) leave;        // those that leave
    KEY(key) leave_fields; // the same as whole fields
    KEY(key) last;         // those with one neighbour after the step: not taking the vertex kills paths of that one vertex
    KEY(key) self;         // fields: each slot's own value
    KEY(key) friends[64 * KEY_WORDS];  // [place] of a near slot: the near slots adjacent to it; unless has_adjacent is false
    uint16_t place[1 << KEY_BITS];     // [value of a field]
    uint64_t own;          // the value of the vertex's own slot
    uint32_t own_place;
    bool is_stored;        // the vertex has a slot
    bool is_needed, is_early, has_adjacent;
    uint32_t joins;        // taken neighbours that the vertex needs at least, if it is taken
} KEY(masks);

static inline uint32_t KEY(place_of_slot)(int32_t slot)
{
    return 64 * ((uint32_t)slot / KEY_FIELDS) + (uint32_t)slot % KEY_FIELDS * KEY_BITS;
}

static inline uint64_t KEY(value_at)(uint32_t place)
{
    return 1 + KEY_WORD(place) * KEY_FIELDS + (place & 63) / KEY_BITS;
}

static inline uint64_t KEY(field)(const KEY(key) *k, uint32_t place)
{
    return k->word[KEY_WORD(place)] >> (place & 63) & KEY_INNER;
}

static inline void KEY(put_or)(KEY(key) *k, uint32_t place, uint64_t field)
{
    k->word[KEY_WORD(place)] |= field << (place & 63);
}

static inline void KEY(put_xor)(KEY(key) *k, uint32_t place, uint64_t field)
{
    k->word[KEY_WORD(place)] ^= field << (place & 63);
}

// The place of the other end, for a field that has one. Other fields give some place in range.
static inline uint32_t KEY(place_of_value)(const KEY(masks) *m, uint64_t value)
{
    return KEY_WORDS == 1 ? (uint32_t)(value * KEY_BITS - KEY_BITS) & 63 : m->place[value];
}

// The lowest bits of fields in which some bit is set, and of those with all bits set.
static inline uint64_t KEY(some_bit)(uint64_t w)
{
    w |= w >> 1;
    w |= (w >> 2) | (KEY_BITS == 5 ? w >> 3 : KEY_BITS > 5 ? w >> 4 : 0) | (KEY_BITS == 7 ? w >> 5 : 0);
    return w & KEY_LOWEST;
}
static inline uint64_t KEY(all_bits)(uint64_t w)
{
    return ~KEY(some_bit)(~w) & KEY_LOWEST;
}

static void KEY(prepare)(const frontier_expansion *e, KEY(masks) *m)
{
    const frontier_step *step = e->step;
    memset(m, 0, offsetof(KEY(masks), friends));
    for (int32_t slot = 0; slot < KEY_WORDS * KEY_FIELDS; slot++) {
        const uint64_t value = (uint64_t)slot + 1;
        if (value >= KEY_INNER)
            break;
        KEY(put_or)(&m->self, KEY(place_of_slot)(slot), value);
        m->place[value] = (uint16_t)KEY(place_of_slot)(slot);
    }
    m->place[0] = m->place[KEY_INNER] = 0;
    for (int32_t i = 0; i < step->near_count; i++) {
        const uint32_t place = KEY(place_of_slot)(e->near[i].slot);
        KEY(put_or)(&m->near, place, 1);
        if (e->near[i].later == 0) {
            KEY(put_or)(&m->leave, place, 1);
            KEY(put_or)(&m->leave_fields, place, KEY_INNER);
        }
        if (e->near[i].later == 1)
            KEY(put_or)(&m->last, place, 1);
        m->friends[place] = (KEY(key)){0};
        for (int32_t j = 0; step->has_adjacent && j < step->near_count; j++)
            if (e->near[i].friends[j / 64] >> (j % 64) & 1)
                KEY(put_or)(&m->friends[place], KEY(place_of_slot)(e->near[j].slot), 1);
    }
    m->is_stored = step->slot >= 0;
    m->is_needed = step->is_needed;
    m->is_early = step->is_early;
    m->has_adjacent = step->has_adjacent;
    m->own_place = m->is_stored ? KEY(place_of_slot)(step->slot) : 0;
    m->own = m->is_stored ? KEY(value_at)(m->own_place) : 0;
    m->joins = step->later >= 2 ? 0 : 2 - (uint32_t)step->later;
}

// The place of the lowest bit of a set, some place in range if the set is empty; takes the bit out of it.
static inline uint32_t KEY(pop_lowest)(KEY(key) *set, bool *was_empty)
{
    uint32_t word = 0;
    if (KEY_WORDS > 1)
        while (word + 1 < KEY_WORDS && set->word[word] == 0)
            word++;
    const uint64_t w = set->word[word];
    *was_empty = w == 0;
    set->word[word] = w & (w - 1);
    return 64 * word + ((uint32_t)__builtin_ctzll(w | UINT64_C(1) << 63) & 63);
}

// Code without any branch was 1.2 times slower on Zen 4.
// The two successors of state *k. The state where the vertex is taken goes to *taken, the other to *skipped. Returns bits:
// 1: *skipped lives; 2: *taken lives; 4: taking the vertex closes a cycle.
static inline uint32_t KEY(successors)(const KEY(masks) *m, const KEY(key) *k, KEY(key) *skipped, KEY(key) *taken)
{
    KEY(key) joined, ends, pair = {0};
    uint64_t skip_dead = m->is_needed, take_dead = 0;
    for (int w = 0; w < KEY_WORDS; w++) {
        const uint64_t used = KEY(some_bit)(k->word[w]), inner = KEY(all_bits)(k->word[w]);
        const uint64_t single = ~KEY(some_bit)(k->word[w] ^ m->self.word[w]) & used;
        ends.word[w] = used & ~inner;
        joined.word[w] = used & m->near.word[w];
        skip_dead |= (ends.word[w] & m->leave.word[w]) | (single & m->last.word[w]);
        take_dead |= (inner & m->near.word[w]) | (single & m->leave.word[w]);
        skipped->word[w] = taken->word[w] = k->word[w] & ~m->leave_fields.word[w];
    }
    bool has_none, has_one_at_most, has_two_at_most;
    const uint32_t p1 = KEY(pop_lowest)(&joined, &has_none), p2 = KEY(pop_lowest)(&joined, &has_one_at_most);
    uint64_t more = 0;
    for (int w = 0; w < KEY_WORDS; w++)
        more |= joined.word[w];
    has_two_at_most = more == 0;
    const bool has_two = !has_one_at_most;
    const uint64_t f1 = KEY(field)(k, p1), f2 = KEY(field)(k, p2);
    const uint32_t q1 = KEY(place_of_value)(m, f1), q2 = KEY(place_of_value)(m, f2);  // the other ends
    const uint64_t v1 = KEY(value_at)(p1), v2 = KEY(value_at)(p2);
    const bool meets = has_two && q1 == p2;
    take_dead |= (uint64_t)!has_two_at_most | (uint64_t)((uint32_t)!has_none + (uint32_t)has_two < m->joins);
    if (m->has_adjacent)
        take_dead |= (uint64_t)(has_two && (m->friends[p1].word[KEY_WORD(p2)] >> (p2 & 63) & 1) != 0);
    // A cycle closes if no other path is left.
    KEY(put_or)(&pair, p1, 1);
    KEY(put_or)(&pair, p2, 1);
    uint64_t other = m->is_early;
    for (int w = 0; w < KEY_WORDS; w++)
        other |= ends.word[w] & ~pair.word[w];
    const bool closes = meets && other == 0;
    // The joined ends become inner, unless they are paths of one vertex; the ends beyond them get new partners. A slot that
    // leaves is clear and stays so.
    const uint64_t partner = has_two ? f2 : m->own;
    const uint64_t keep1 = ~m->leave.word[KEY_WORD(p1)] >> (p1 & 63) & 1, keep2 = ~m->leave.word[KEY_WORD(p2)] >> (p2 & 63) & 1;
    KEY(put_or)(taken, p1, !has_none && q1 != p1 ? KEY_INNER * keep1 : 0);
    KEY(put_xor)(taken, q1, has_none ? 0 : v1 ^ partner);
    KEY(put_or)(taken, p2, has_two && q2 != p2 ? KEY_INNER * keep2 : 0);
    KEY(put_xor)(taken, q2, has_two ? v2 ^ f1 : 0);
    if (m->is_stored)
        KEY(put_or)(taken, m->own_place, has_two ? KEY_INNER : has_none ? m->own : f1);
    return (uint32_t)(skip_dead == 0) | (uint32_t)(take_dead == 0 && !meets) << 1 | (uint32_t)(take_dead == 0 && closes) << 2;
}

static inline uint64_t KEY(hash)(const KEY(key) *k)
{
    uint64_t h = k->word[0] * UINT64_C(0x9E3779B97F4A7C15);
    for (int w = 1; w < KEY_WORDS; w++)
        h = ((h ^ h >> 32) + k->word[w]) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

// The entry of key *k, or the free one where it belongs.
static inline frontier_entry *KEY(find)(const frontier_expansion *e, const KEY(key) *k, uint64_t tag, uint64_t hash)
{
    const KEY(key) *next = (const KEY(key) *)e->next_key;
    for (uint64_t at = hash & e->table_mask;; at = (at + 1) & e->table_mask) {
        frontier_entry *entry = &e->table[at];
        if (entry->id < e->first_id)
            return entry;
        if (entry->tag == tag && (KEY_WORDS == 1 || memcmp(&next[entry->id - e->first_id], k, sizeof *k) == 0))
            return entry;
    }
}

// Inserts a successor and returns its number in the next layer.
static inline int64_t KEY(insert)(frontier_expansion *e, const KEY(key) *k)
{
    const uint64_t hash = KEY(hash)(k), tag = KEY_WORDS == 1 ? k->word[0] : hash;
    frontier_entry *entry = KEY(find)(e, k, tag, hash);
    const bool is_new = entry->id < e->first_id;
    const uint64_t id = is_new ? e->first_id + (uint64_t)e->next_states : entry->id;
    *entry = (frontier_entry){tag, id};
    ((KEY(key) *)e->next_key)[e->next_states] = *k;
    e->next_states += is_new;
    return (int64_t)(id - e->first_id);
}

// Expands states without counts: children are kept.
static void KEY(expand_kept)(frontier_expansion *e, const KEY(masks) *m, int64_t from, int64_t to)
{
    KEY(key) next[2 * KEY(BLOCK) + 2];
    int32_t *source[2 * KEY(BLOCK) + 2];
    const KEY(key) *key = (const KEY(key) *)e->key;
    int count = 0;
    for (int64_t s = from; s < to; s++) {
        KEY(key) taken;
        const uint32_t lives = KEY(successors)(m, &key[s], &next[count], &taken);
        e->child[s].skip = FRONTIER_DEAD;
        e->child[s].take = lives >> 2 != 0 ? FRONTIER_CLOSED : FRONTIER_DEAD;
        source[count] = &e->child[s].skip;
        count += (int)(lives & 1);
        next[count] = taken;
        source[count] = &e->child[s].take;
        count += (int)(lives >> 1 & 1);
    }
    for (int i = 0; i < count; i++)
        *source[i] = (int32_t)KEY(insert)(e, &next[i]);
}

// Expands states with counts.
static void KEY(expand_counted)(frontier_expansion *e, const KEY(masks) *m, int64_t from, int64_t to)
{
    KEY(key) next[2 * KEY(BLOCK) + 2];
    uint64_t ways[2 * KEY(BLOCK) + 2];
    const KEY(key) *key = (const KEY(key) *)e->key;
    uint64_t overflow = 0;
    int count = 0;
    for (int64_t s = from; s < to; s++) {
        KEY(key) taken;
        const uint32_t lives = KEY(successors)(m, &key[s], &next[count], &taken);
        const uint64_t closed = lives >> 2 != 0 ? e->count[s] : 0;
        e->closed += closed;
        overflow |= (uint64_t)(e->closed < closed);
        ways[count] = e->count[s];
        count += (int)(lives & 1);
        next[count] = taken;
        ways[count] = e->count[s];
        count += (int)(lives >> 1 & 1);
    }
    for (int i = 0; i < count; i++) {
        const int64_t there = e->next_states, id = KEY(insert)(e, &next[i]);
        const uint64_t sum = (id == there ? 0 : e->next_count[id]) + ways[i];
        overflow |= (uint64_t)(sum < ways[i]);
        e->next_count[id] = sum;
    }
    e->overflow |= overflow;
}

static void KEY(expand)(frontier_expansion *expansion, int64_t from, int64_t to)
{
    frontier_expansion e = *expansion;
    KEY(masks) m;
    KEY(prepare)(&e, &m);
    for (int64_t s = from; s < to; s += KEY(BLOCK)) {
        const int64_t end = to - s < KEY(BLOCK) ? to : s + KEY(BLOCK);
        if (e.count != NULL)
            KEY(expand_counted)(&e, &m, s, end);
        else
            KEY(expand_kept)(&e, &m, s, end);
    }
    *expansion = e;
}

static void KEY(rehash)(frontier_expansion *e, int64_t from, int64_t to)
{
    const KEY(key) *key = (const KEY(key) *)e->next_key;
    for (int64_t s = from; s < to; s++) {
        const uint64_t hash = KEY(hash)(&key[s]), tag = KEY_WORDS == 1 ? key[s].word[0] : hash;
        *KEY(find)(e, &key[s], tag, hash) = (frontier_entry){tag, e->first_id + (uint64_t)s};
    }
}

#undef KEY_FIELDS
#undef KEY_INNER
#undef KEY_LOWEST
#undef KEY_WORD
#undef KEY_WORDS
#undef KEY_BITS
#undef KEY
