// SPDX-License-Identifier: MIT
// Opens searches on cores: their tables, records and queue.
#include "paths/multimodal/search.h"

#include "base/pages.h"

enum { DELTA = 256, MOST_BUCKETS = 1 << 16, ALIGN = 256 };

static int32_t width_of(const mco_automaton *automaton)
{
    int32_t width = 4;
    while (width < automaton->states)
        width *= 2;
    return width;
}

// ---- Moves

// Adds the move from q to p by the first way whose lane p is free.
static void add_move(mm_moves *m, int32_t q, int32_t p)
{
    int32_t w = 0;
    while (w < m->ways && (m->into[w] >> p & 1) != 0)
        w++;
    if (w == m->ways)
        m->is_identity[m->ways++] = true;
    m->into[w] |= (uint32_t)1 << p;
    m->from[w][p] = q;
    m->is_identity[w] = m->is_identity[w] && p == q;
}

static mco_status make_moves(mco_context *ctx, const mco_automaton *automaton, const mm_moves **out)
{
    mco_status st = MCO_OK;
    mm_moves *moves = NULL;
    MCO_TRY(mco_alloc(ctx, &moves, automaton->labels));
    for (int32_t l = 0; l < automaton->labels; l++)
        for (int32_t q = 0; q < automaton->states; q++) {
            uint32_t next = automaton->next[q * automaton->labels + l];
            moves[l].leaving |= (uint32_t)(next != 0) << q;
            for (; next != 0; next &= next - 1)
                add_move(&moves[l], q, __builtin_ctz(next));
        }
    *out = moves;
done:
    return st;
}

static int32_t most_ways(const mm_search *s)
{
    int32_t most = 0;
    for (int32_t l = 0; l < s->automaton->labels; l++)
        most = s->moves[l].ways > most ? s->moves[l].ways : most;
    return most;
}

// ---- The queue

// The most seconds from the begin to the end of an arc with this function.
static int64_t longest_cost(const mco_multimodal *n, const mco_automaton *automaton, int32_t id)
{
    const mm_function *f = &n->function[id];
    int64_t most = n->longest[id], extra = 0, pace = 0;
    for (int32_t q = 0; q < automaton->states; q++)
        pace = automaton->pace[q] > pace ? automaton->pace[q] : pace;
    for (int32_t k = 0; k < f->count; k++) {
        const mm_point p = n->point[f->first + k];
        const int64_t value = f->kind == MCO_MULTIMODAL_PROFILE ? p.a : p.b;
        extra = value > extra ? value : extra;
    }
    if (f->kind == MCO_MULTIMODAL_PROFILE)
        return (most * pace * extra >> (MM_FACTOR_BITS + MM_PACE_BITS)) + 1;
    if (f->kind == MCO_MULTIMODAL_HEADWAY)
        return most + f->width;
    return most + extra + (f->kind == MCO_MULTIMODAL_TIMETABLE ? n->tables.period : 0);
}

mco_status mm_longest_arc(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, int32_t *out)
{
    int64_t longest = 0;
    for (int32_t k = 0; k < network->functions; k++) {
        const int64_t cost = longest_cost(network, automaton, k);
        longest = cost > longest ? cost : longest;
    }
    if (longest >= MCO_MULTIMODAL_NONE)
        return mco_fail(ctx, MCO_ERR_LIMIT, "an arc takes up to %lld s, at most %d are allowed", (long long)longest, MCO_MULTIMODAL_NONE - 1);
    *out = (int32_t)longest;
    return MCO_OK;
}

// Buckets of DELTA seconds, or of more if the ring would be too long for the longest arc.
static mco_status settle_queue(mco_context *ctx, mm_search *s)
{
    mco_status st = MCO_OK;
    const mco_multimodal *n = s->network;
    int64_t most_arcs = 0;
    MCO_TRY(mm_longest_arc(ctx, n, s->automaton, &s->longest));
    const int64_t longest = s->longest;
    s->delta = DELTA;
    while (longest / s->delta + 2 > MOST_BUCKETS)
        s->delta *= 2;
    for (s->buckets = 1; s->buckets < longest / s->delta + 2;)
        s->buckets *= 2;
    for (int32_t v = 0; v < n->vertices; v++)
        most_arcs = n->first[v + 1] - n->first[v] > most_arcs ? n->first[v + 1] - n->first[v] : most_arcs;
    const int64_t reserve = s->buckets + most_arcs * most_ways(s) / MM_CHUNK + 2;
    const int64_t chunks = 2 * (int64_t)n->vertices / MM_CHUNK + 2 * s->buckets + reserve + 2;
    if (chunks > INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the queue needs %lld chunks, at most %d are allowed", (long long)chunks, INT32_MAX);
    s->reserve = (int32_t)reserve;
    s->chunks = (int32_t)chunks;
done:
    return st;
}

static mco_status make_inverses(mco_context *ctx, const mco_multimodal *network, const float **out)
{
    mco_status st = MCO_OK;
    float *inverse = NULL;
    MCO_TRY(mco_alloc(ctx, &inverse, network->functions));
    for (int32_t k = 0; k < network->functions; k++)
        inverse[k] = network->function[k].width > 0 ? 1.0f / (float)network->function[k].width : 0;
    *out = inverse;
done:
    return st;
}

// ---- Searches

double mm_search_bytes(const mco_multimodal *network, const mco_automaton *automaton)
{
    const double entries = 2 * (double)network->vertices / MM_CHUNK + 4 * MOST_BUCKETS / 64;
    return (double)network->vertices * MM_RECORD_BYTES(width_of(automaton)) + entries * sizeof(mm_chunk);
}

mco_status mm_search_open(mco_context *ctx, const mco_multimodal *network, const mco_automaton *automaton, double bytes,
                          mm_search *out)
{
    mco_status st = MCO_OK;
    mm_search s = {.network = network, .automaton = automaton, .width = width_of(automaton)};
    const double needed = mm_search_bytes(network, automaton);
    s.record_bytes = (size_t)MM_RECORD_BYTES(s.width);
    if (needed > bytes)
        return mco_fail(ctx, MCO_ERR_LIMIT, "a search needs %.0f bytes, %.0f are allowed", needed, bytes);
    const size_t size = (size_t)network->vertices * s.record_bytes + ALIGN;
    MCO_TRY(make_moves(ctx, automaton, &s.moves));
    MCO_TRY(make_inverses(ctx, network, &s.inverse));
    MCO_TRY(settle_queue(ctx, &s));
    MCO_TRY(mco_alloc(ctx, &s.bucket, s.buckets));
    MCO_TRY(mco_alloc(ctx, &s.chunk, s.chunks));
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&s.memory, size, 1));
    mco_advise_huge(s.memory, size);
    s.records = s.memory + (ALIGN - (size_t)(uintptr_t)s.memory % ALIGN);
    *out = s;
    s = (mm_search){0};
done:
    mm_search_close(ctx, &s);
    return st;
}

void mm_search_close(mco_context *ctx, mm_search *search)
{
    mco_free(ctx, (mm_moves **)(void *)&search->moves);
    mco_free(ctx, (float **)(void *)&search->inverse);
    mco_free(ctx, &search->bucket);
    mco_free(ctx, &search->chunk);
    mco_free(ctx, &search->memory);
}

#define DECLARE(set, simd) extern const mm_search_build mm_search_build_##set;
MCO_EACH_SIMD(DECLARE)

mco_status mm_search_pick(mco_context *ctx, mco_simd simd, const mm_search_build **out)
{
#define ENTRY(set, simd) &mm_search_build_##set,
    static const mm_search_build *const builds[] = {MCO_EACH_SIMD(ENTRY)};
    return mco_pick(ctx, builds, simd, 0, out);
}
