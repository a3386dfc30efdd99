// SPDX-License-Identifier: MIT
// The search for WIDTH states. lanes.c includes this file once for each width.
#define PASTE_(name, width) name##_##width
#define PASTE(name, width) PASTE_(name, width)
#define ROW(name) PASTE(name, WIDTH)

typedef int32_t ROW(row) __attribute__((vector_size(4 * WIDTH), may_alias));
typedef float ROW(real) __attribute__((vector_size(4 * WIDTH)));

typedef struct ROW(record) {
    ROW(row) label __attribute__((aligned(64)));
    int32_t queued;   // the bucket; INT32_MAX: none
    uint32_t dirty;   // states whose label changed since their arcs were walked
    int64_t first;    // arc
    int32_t arcs;
} ROW(record);
_Static_assert(sizeof(ROW(record)) == MM_RECORD_BYTES(WIDTH), "search.c allocates records of this size");

static inline ROW(record) *ROW(record_of)(const mm_search *s, int32_t vertex)
{
    return (ROW(record) *)(void *)(s->records + (size_t)vertex * sizeof(ROW(record)));
}

// The set of lanes that are not zero; each is 0 or -1.
static inline uint32_t ROW(set_of)(ROW(row) r)
{
#if WIDTH == 8 && defined(__AVX2__)
    return (uint32_t)_mm256_movemask_ps((__m256)r);
#elif WIDTH == 4 && defined(__SSE2__)
    return (uint32_t)_mm_movemask_ps((__m128)r);
#elif WIDTH == 16 && defined(__AVX512BW__)
    return (uint32_t)_mm512_movepi32_mask((__m512i)r);
#else
    uint32_t set = 0;
    for (int32_t q = 0; q < WIDTH; q++)
        set |= (uint32_t)(r[q] & 1) << q;
    return set;
#endif
}

// Lanes of the set are -1, others 0.
static inline ROW(row) ROW(lanes_of)(uint32_t set)
{
    ROW(row) bit;
    for (int32_t q = 0; q < WIDTH; q++)
        bit[q] = (int32_t)((uint32_t)1 << q);
    return ((bit & (int32_t)set) != 0);
}

static inline ROW(row) ROW(select)(ROW(row) mask, ROW(row) a, ROW(row) b)
{
    return (mask & a) | (~mask & b);
}

// t mod width for t in [0, 2^24): the quotient by floats is off by one at most.
static inline ROW(row) ROW(rest)(ROW(row) t, int32_t width, float inverse)
{
    const ROW(row) quotient = __builtin_convertvector(__builtin_convertvector(t, ROW(real)) * inverse, ROW(row));
    ROW(row) rest = t - quotient * width;
    rest += (rest < 0) & width;
    return rest - ((rest >= width) & width);
}

// Arrivals by an arc that is entered at t; lanes outside of `go` hold anything.
static inline ROW(row) ROW(arrive)(const mm_search *s, ROW(row) t, uint32_t go, uint32_t word, bool is_exact)
{
    const mm_tables *m = &s->network->tables;
    const uint32_t id = mm_function_of(m, word);
    const mm_function *f = &m->function[id];
    if (f->kind == 0)
        return t + mm_seconds(m, word);
    if (f->kind == 2 && is_exact) {
        const ROW(row) wait = f->offset - ROW(rest)(t, f->width, s->inverse[id]);
        return t + mm_seconds(m, word) + wait + ((wait < 0) & f->width);
    }
    for (uint32_t left = go; left != 0; left &= left - 1) {
        const int32_t q = __builtin_ctz(left);
        t[q] += profile_cost(s, word, t[q], s->automaton->pace[q]);
    }
    return t;
}

// Lane q of the result comes from lane from[q].
static inline ROW(row) ROW(permute)(ROW(row) r, const int32_t *from)
{
    ROW(row) out;
#if defined(__clang__)
    for (int32_t q = 0; q < WIDTH; q++)
        out[q] = r[from[q]];
#else
    memcpy(&out, from, sizeof out);
    out = __builtin_shuffle(r, out);
#endif
    return out;
}

// Takes arrivals at a vertex that are earlier than its labels.
static inline void ROW(take)(mm_search *s, int32_t head, ROW(row) arrival)
{
    ROW(record) *r = ROW(record_of)(s, head);
    const ROW(row) better = arrival < r->label;
    const uint32_t set = ROW(set_of)(better);
    if (set == 0)
        return;
    r->label = ROW(select)(better, arrival, r->label);
    r->dirty |= set;
    int32_t least = INT32_MAX;
    for (uint32_t left = set; left != 0; left &= left - 1) {
        const int32_t value = arrival[__builtin_ctz(left)];
        least = value < least ? value : least;
    }
    const int32_t bucket = least / s->delta;
    if (bucket < r->queued) {
        r->queued = bucket;
        push(s, bucket, head);
    }
}

static inline void ROW(relax)(mm_search *s, ROW(row) t, uint32_t go, mm_arc arc, bool is_exact)
{
    const mm_moves *moves = &s->moves[mm_label(&s->network->tables, arc.word)];
    const ROW(row) none = (ROW(row)){0} + MCO_MULTIMODAL_NONE;
    go &= moves->leaving;
    if (go == 0)
        return;
    const ROW(row) arrival = ROW(select)(ROW(lanes_of)(go), ROW(arrive)(s, t, go, arc.word, is_exact), none);
    for (int32_t w = 0; w < moves->ways; w++) {
        const ROW(row) moved = moves->is_identity[w] ? arrival : ROW(permute)(arrival, moves->from[w]);
        ROW(take)(s, arc.head, ROW(select)(ROW(lanes_of)(moves->into[w]), moved, none));
    }
}

// Walks the arcs of a vertex for its changed labels of this bucket; later ones stay for their own.
static inline void ROW(visit)(mm_search *s, int32_t vertex, int32_t bucket)
{
    ROW(record) *r = ROW(record_of)(s, vertex);
    if (r->queued != bucket)
        return;
    const ROW(row) t = r->label;
    const int32_t end = (bucket + 1) * s->delta;
    const uint32_t go = r->dirty & ROW(set_of)(t < end);
    uint32_t later = r->dirty & ~go;
    int32_t least = INT32_MAX;
    for (uint32_t left = later; left != 0; left &= left - 1)
        least = t[__builtin_ctz(left)] < least ? t[__builtin_ctz(left)] : least;
    r->dirty = later;
    r->queued = later != 0 ? least / s->delta : INT32_MAX;
    if (later != 0)
        push(s, r->queued, vertex);
    s->visits++;
    s->relaxed += r->arcs;
    const mm_arc *arc = s->network->arc + r->first;
    for (int32_t k = 0; k < r->arcs; k++) {
        if (__builtin_expect((k & (ARCS_OF_LOOK - 1)) == ARCS_OF_LOOK - 1, 0) && is_stopped(s))
            return;
        ROW(relax)(s, t, go, arc[k], end <= EXACT_FLOAT);
    }
}

static inline void ROW(fetch_heads)(const mm_search *s, int32_t vertex)
{
    const ROW(record) *r = ROW(record_of)(s, vertex);
    const mm_arc *arc = s->network->arc + r->first;
    for (int32_t k = 0; k < r->arcs; k++)
        __builtin_prefetch(ROW(record_of)(s, arc[k].head), 1);
}

// Makes the queue anew, without stale entries: at most one for each vertex.
static void ROW(renew)(mm_search *s)
{
    clear_queue(s);
    for (int32_t v = 0; v < s->network->vertices; v++)
        if (ROW(record_of)(s, v)->queued != INT32_MAX)
            push(s, ROW(record_of)(s, v)->queued, v);
}

// Visits the entries of a chunk. If the pool runs out, the queue is made anew; it has the other entries of this chunk then.
static void ROW(visit_chunk)(mm_search *s, int32_t taken, int32_t count, int32_t bucket)
{
    const mm_chunk *chunk = &s->chunk[taken];
    for (int32_t k = 0; k < count && k < AHEAD_RECORD; k++)
        __builtin_prefetch(ROW(record_of)(s, chunk->vertex[k]), 1);
    for (int32_t k = 0; k < count; k++) {
        if (k + AHEAD_RECORD < count)
            __builtin_prefetch(ROW(record_of)(s, chunk->vertex[k + AHEAD_RECORD]), 1);
        if (k + 2 * AHEAD_HEADS < count)
            __builtin_prefetch(s->network->arc + ROW(record_of)(s, chunk->vertex[k + 2 * AHEAD_HEADS])->first);
        if (k + AHEAD_HEADS < count)
            ROW(fetch_heads)(s, chunk->vertex[k + AHEAD_HEADS]);
        ROW(visit)(s, chunk->vertex[k], bucket);
        if (s->left < s->reserve) {
            ROW(renew)(s);
            return;
        }
    }
    give_chunk(s, taken);
}

static bool ROW(begin)(mm_search *s, const mco_multimodal_query *query)
{
    clear_queue(s);
    for (int32_t v = 0; v < s->network->vertices; v++) {
        if (v % VERTICES_OF_LOOK == 0 && is_stopped(s))
            return false;
        ROW(record) *r = ROW(record_of)(s, v);
        r->label = (ROW(row)){0} + MCO_MULTIMODAL_NONE;
        r->queued = INT32_MAX;
        r->dirty = 0;
        r->first = s->network->first[v];
        r->arcs = (int32_t)(s->network->first[v + 1] - s->network->first[v]);
    }
    ROW(row) start = (ROW(row)){0} + query->depart;
    start = ROW(select)(ROW(lanes_of)(s->automaton->start), start, (ROW(row)){0} + MCO_MULTIMODAL_NONE);
    ROW(take)(s, query->source, start);
    return true;
}

// Whether no later bucket can improve the target.
static bool ROW(is_settled)(const mm_search *s, int32_t target, int32_t bucket)
{
    const ROW(row) t = ROW(record_of)(s, target)->label;
    for (uint32_t left = s->automaton->final; left != 0; left &= left - 1)
        if (t[__builtin_ctz(left)] / s->delta < bucket)
            return true;
    return false;
}

static bool ROW(run)(mm_search *s, const mco_multimodal_query *query)
{
    if (!ROW(begin)(s, query))
        return false;
    for (int32_t bucket = query->depart / s->delta; s->entries > 0; bucket++) {
        mm_bucket *b = &s->bucket[bucket & (s->buckets - 1)];
        if (query->target >= 0 && ROW(is_settled)(s, query->target, bucket))
            break;
        if ((int64_t)(bucket + 1) * s->delta + s->longest >= MCO_MULTIMODAL_NONE) {
            s->is_over = true;
            return false;
        }
        while (b->first >= 0) {  // ends: every visit walks arcs from a label that has become earlier, or removes an entry
            const int32_t chunk = b->first, count = take_chunk(s, b);
            ROW(visit_chunk)(s, chunk, count, bucket);
            if (is_stopped(s))
                return false;
        }
    }
    return true;
}

// ---- The certificate of the labels of a query (search.h)

// Arrivals by an arc that is entered at t, by the definition of its cost; lanes outside of `go` hold anything.
static inline ROW(row) ROW(walk)(const mm_search *s, ROW(row) t, uint32_t go, uint32_t word)
{
    const mm_tables *m = &s->network->tables;
    if (m->function[mm_function_of(m, word)].kind == 0)
        return t + mm_seconds(m, word);
    for (uint32_t left = go; left != 0; left &= left - 1) {
        const int32_t q = __builtin_ctz(left);
        t[q] += mm_cost(m, word, t[q], s->automaton->pace[q]);
    }
    return t;
}

// Holds what tight arcs lead to: those that take time, or (`is_zero`) those that take none, from states that are held. False: an arc
// arrives before the label of its head and before `end`. *is_changed is set where a label is held anew.
static inline bool ROW(test_arc)(const mm_search *s, ROW(row) t, uint32_t go, mm_arc arc, int32_t end, bool is_zero, bool *is_changed)
{
    const mm_moves *moves = &s->moves[mm_label(&s->network->tables, arc.word)];
    const ROW(row) none = (ROW(row)){0} + MCO_MULTIMODAL_NONE;
    ROW(record) *head = ROW(record_of)(s, arc.head);
    const ROW(row) label = head->label;
    uint32_t held = 0, early = 0;
    go &= moves->leaving;
    if (go == 0)
        return true;
    const ROW(row) arrival = ROW(select)(ROW(lanes_of)(go), ROW(walk)(s, t, go, arc.word), none);
    const ROW(row) step = ROW(select)(is_zero ? arrival == t : arrival > t, arrival, none);
    for (int32_t w = 0; w < moves->ways; w++) {
        const bool is_identity = moves->is_identity[w];
        const ROW(row) all = is_identity ? arrival : ROW(permute)(arrival, moves->from[w]);
        const ROW(row) some = is_identity ? step : ROW(permute)(step, moves->from[w]);
        early |= ROW(set_of)((all < label) & (all < end)) & moves->into[w];
        held |= ROW(set_of)((some == label) & (some < MCO_MULTIMODAL_NONE)) & moves->into[w];
    }
    if ((held & ~head->dirty) != 0) {
        head->dirty |= held;
        *is_changed = true;
    }
    return early == 0;
}

// One pass over the arcs of all labels before `end`.
static bool ROW(pass)(mm_search *s, int32_t end, bool is_zero, bool *is_changed)
{
    for (int32_t v = 0; v < s->network->vertices; v++) {
        const ROW(record) *r = ROW(record_of)(s, v);
        const ROW(row) t = r->label;
        const uint32_t go = ROW(set_of)(is_zero ? t <= end : t < end) & (is_zero ? r->dirty : UINT32_MAX);
        const mm_arc *arc = s->network->arc + r->first;
        if (v % VERTICES_OF_PASS == 0 && is_stopped(s))
            return false;
        for (int32_t k = 0; go != 0 && k < r->arcs; k++) {
            if (r->first + k + AHEAD_ARC < s->network->arcs)  // rows follow each other
                __builtin_prefetch(ROW(record_of)(s, arc[k + AHEAD_ARC].head), 1);
            if ((k & (ARCS_OF_LOOK - 1)) == ARCS_OF_LOOK - 1 && is_stopped(s))
                return false;
            if (!ROW(test_arc)(s, t, go, arc[k], end, is_zero, is_changed)) {
                s->is_wrong = true;
                return false;
            }
        }
    }
    return true;
}

// Whether a label up to `end` is not held.
static bool ROW(is_loose)(const mm_search *s, int32_t end)
{
    for (int32_t v = 0; v < s->network->vertices; v++) {
        const ROW(record) *r = ROW(record_of)(s, v);
        if ((ROW(set_of)((r->label <= end) & (r->label < MCO_MULTIMODAL_NONE)) & ~r->dirty) != 0)
            return true;
    }
    return false;
}

// The masks of changed labels serve as those of held ones: the search is over.
static bool ROW(certify)(mm_search *s, const mco_multimodal_query *query)
{
    int32_t end = MCO_MULTIMODAL_NONE;
    bool is_changed = false;
    for (int32_t v = 0; v < s->network->vertices; v++)
        ROW(record_of)(s, v)->dirty = 0;
    ROW(record) *source = ROW(record_of)(s, query->source);
    for (uint32_t left = query->target >= 0 ? s->automaton->final : 0; left != 0; left &= left - 1) {
        const int32_t arrival = ROW(record_of)(s, query->target)->label[__builtin_ctz(left)];
        end = arrival < end ? arrival : end;
    }
    source->dirty = ROW(set_of)(source->label == query->depart) & s->automaton->start;
    s->is_wrong = source->dirty != s->automaton->start;
    if (s->is_wrong || !ROW(pass)(s, end, false, &is_changed))
        return false;
    while (ROW(is_loose)(s, end)) {  // ends: a pass holds another label, or none is held
        is_changed = false;
        if (!ROW(pass)(s, end, true, &is_changed))
            return false;
        if (!is_changed) {
            s->is_wrong = true;
            return false;
        }
    }
    return true;
}

#undef PASTE_
#undef PASTE
#undef ROW
#undef WIDTH
