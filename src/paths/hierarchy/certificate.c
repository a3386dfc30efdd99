// SPDX-License-Identifier: MIT
// Certifies many trees at once against the arcs of the network itself, without a look at the hierarchy's weights: the conditions of
// mco_paths_check(), a lane for a tree. The source has 0, and every other label is the least sum over the arcs that arrive. Where
// an arc with a positive weight attains it, the way back to the source goes on at a smaller label. Labels that rest on arcs of weight
// 0 alone need a way over such arcs to a label that does not: rounds over these arcs find it. O(arcs) for 16 lanes.
#include "paths/hierarchy/query.h"

static const mco_paths_rows *rows_of(const mco_paths_hierarchy *h)
{
    return h->expanded != NULL ? &h->expanded->rows : &h->network->rows;
}

// The part of its row where an arc belongs: 0 positive, 1 zero, 2 from an end.
static int part_of(const paths_topology *t, int32_t tail, int32_t weight)
{
    return t->is_end != NULL && t->is_end[tail] ? 2 : weight == 0;
}

// Calls for each open arc that is no loop: counts it, or puts it where its part's next free place is.
static mco_status place_arcs(mco_context *ctx, const paths_certificate *c, int32_t *next[3], bool is_counting)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *rows = rows_of(c->hierarchy);
    const paths_topology *t = &c->hierarchy->topology;
    for (int32_t v = 0; v < rows->vertices; v++) {
        MCO_TRY(mco_call_in_time(ctx, v));
        for (int64_t a = rows->first[v]; a < rows->first[v + 1]; a++) {
            const int32_t tail = t->rank[v], head = t->rank[rows->head[a]], weight = rows->weight[a];
            if (tail == head || weight >= MCO_PATHS_NONE)
                continue;
            const int32_t at = next[part_of(t, tail, weight)][head]++;
            if (is_counting)
                continue;
            c->tail[at] = tail;
            c->arc[at] = (int32_t)a;
            c->weight[at] = weight;
        }
    }
done:
    return st;
}

// Turns counts of the three parts into the places where they begin.
static void begin_parts(paths_certificate *c, int32_t *next[3])
{
    int32_t at = 0;
    for (int32_t v = 0; v < c->in.vertices; v++) {
        const int32_t count[3] = {next[0][v], next[1][v], next[2][v]};
        c->first[v] = next[0][v] = at;
        c->zero[v] = next[1][v] = at + count[0];
        c->end[v] = next[2][v] = c->zero[v] + count[1];
        at = c->end[v] + count[2];
        c->has_zero |= count[1] > 0;
    }
    c->first[c->in.vertices] = at;
}

mco_status paths_certificate_open(mco_context *ctx, const mco_paths_hierarchy *hierarchy, mco_simd simd, paths_certificate *out)
{
    mco_status st = MCO_OK;
    const mco_paths_rows *rows = rows_of(hierarchy);
    const int32_t n = rows->vertices;
    paths_certificate c = {.hierarchy = hierarchy, .in.vertices = n};
    int32_t *next[3] = {NULL, NULL, NULL};
    if (rows->arcs > INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%lld arcs, at most %d are supported", (long long)rows->arcs, INT32_MAX);
    MCO_TRY(paths_lanes_find(ctx, simd, &c.lanes));
    for (int k = 0; k < 3; k++)
        MCO_TRY(mco_alloc(ctx, &next[k], n));
    MCO_TRY(mco_alloc(ctx, &c.first, (int64_t)n + 1));
    MCO_TRY(mco_alloc(ctx, &c.zero, n));
    MCO_TRY(mco_alloc(ctx, &c.end, n));
    MCO_TRY(mco_alloc(ctx, &c.tail, rows->arcs + PATHS_ARCS_AHEAD));
    MCO_TRY(mco_alloc(ctx, &c.weight, rows->arcs));
    MCO_TRY(mco_alloc(ctx, &c.arc, rows->arcs));
    MCO_TRY(place_arcs(ctx, &c, next, true));
    begin_parts(&c, next);
    MCO_TRY(place_arcs(ctx, &c, next, false));
    c.in = (paths_incoming){n, c.first, c.zero, c.end, c.tail, c.weight, c.arc, c.has_zero};
    *out = c;
    c = (paths_certificate){0};
done:
    for (int k = 0; k < 3; k++)
        mco_free(ctx, &next[k]);
    paths_certificate_close(ctx, &c);
    return st;
}

void paths_certificate_close(mco_context *ctx, paths_certificate *certificate)
{
    mco_free(ctx, &certificate->arc);
    mco_free(ctx, &certificate->weight);
    mco_free(ctx, &certificate->tail);
    mco_free(ctx, &certificate->end);
    mco_free(ctx, &certificate->zero);
    mco_free(ctx, &certificate->first);
    *certificate = (paths_certificate){0};
}

mco_status paths_evidence_open(mco_context *ctx, const paths_certificate *certificate, paths_evidence *out)
{
    mco_status st = MCO_OK;
    paths_evidence e = {0};
    MCO_TRY(mco_alloc(ctx, &e.is_source, certificate->in.vertices));
    MCO_TRY(mco_alloc(ctx, &e.grounded, certificate->in.vertices));
    *out = e;
    e = (paths_evidence){0};
done:
    paths_evidence_close(ctx, &e);
    return st;
}

void paths_evidence_close(mco_context *ctx, paths_evidence *evidence)
{
    mco_free(ctx, &evidence->grounded);
    mco_free(ctx, &evidence->is_source);
    *evidence = (paths_evidence){0};
}

// The lanes in which an arc of weight 0 carries the proof from u to v.
static uint64_t carried(const int32_t *u, const int32_t *v, uint64_t lanes)
{
    uint64_t out = 0;
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
        const int j = __builtin_ctzll(rest);
        out |= (uint64_t)(u[j] == v[j]) << j;
    }
    return out;
}

// Carries proofs over arcs of weight 0 until a round changes nothing. Returns the lanes that stay without a proof somewhere. A round
// before the last proves a label, so the rounds end; rounds that go up and down in turn need few of them.
static uint64_t ground(const paths_certificate *c, uint64_t *grounded, int32_t lanes, const int32_t *label, uint64_t asked,
                       const atomic_bool *stop)
{
    const int32_t n = c->in.vertices;
    uint64_t lacking = asked;
    bool is_changed = true;
    for (int64_t round = 0; is_changed && lacking != 0; round++) {
        is_changed = false;
        lacking = 0;
        if (stop != NULL && atomic_load_explicit(stop, memory_order_relaxed))
            return asked;
        for (int32_t i = 0; i < n; i++) {
            const int32_t v = round % 2 == 0 ? i : n - 1 - i;
            uint64_t rest = asked & ~grounded[v];
            for (int32_t a = c->zero[v]; rest != 0 && a < c->end[v]; a++) {
                const int32_t u = c->tail[a];
                const uint64_t more = carried(label + (int64_t)u * lanes, label + (int64_t)v * lanes, rest & grounded[u]);
                grounded[v] |= more;
                rest &= ~more;
                is_changed |= more != 0;
            }
            lacking |= rest;
        }
    }
    return lacking;
}

bool paths_certify(const paths_certificate *certificate, paths_evidence *evidence, int32_t lanes, int32_t count,
                   const int32_t *source_rank, const int32_t *label, paths_verdict *verdict, const atomic_bool *stop)
{
    int32_t source[PATHS_MOST_LANES];
    for (int32_t j = 0; j < PATHS_MOST_LANES; j++)
        source[j] = j < count ? source_rank[j] : -1;
    if (!certificate->lanes->certify(&certificate->in, lanes, count, source, label, evidence->is_source, evidence->grounded, verdict,
                                     stop))
        return false;
    // Without arcs of weight 0 a label that does not rest on a positive one is wrong already.
    if (verdict->pending != 0 && certificate->has_zero)
        verdict->wrong |= ground(certificate, evidence->grounded, lanes, label, verdict->pending, stop);
    return stop == NULL || !atomic_load_explicit(stop, memory_order_relaxed);
}

bool paths_certified_parents(const paths_certificate *certificate, int32_t lanes, int32_t count, const int32_t *source_rank,
                             const int32_t *label, int32_t *arc, const atomic_bool *stop)
{
    int32_t source[PATHS_MOST_LANES];
    for (int32_t j = 0; j < PATHS_MOST_LANES; j++)
        source[j] = j < count ? source_rank[j] : -1;
    return certificate->lanes->parents(&certificate->in, lanes, source, label, arc, stop);
}
