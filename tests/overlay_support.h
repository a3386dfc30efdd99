// SPDX-License-Identifier: MIT
// What the tests of the membership overlay share: small random instances, and their best overlay among all.
#ifndef MCO_TESTS_OVERLAY_SUPPORT_H
#define MCO_TESTS_OVERLAY_SUPPORT_H

#include "base/rng.h"
#include "overlay/instance.h"

enum { TEST_NODES = 7, TEST_LINKS = TEST_NODES * (TEST_NODES - 1) / 2 };

// What a random instance has.
typedef struct test_shape {
    int32_t nodes;      // at most TEST_NODES
    uint32_t highest;   // bandwidth of a node
    bool is_sparse, has_weights, has_limits;
} test_shape;

static inline test_shape test_random_shape(mco_rng *rng, int32_t most_nodes)
{
    test_shape s = {.nodes = (int32_t)mco_rng_below(rng, (uint32_t)most_nodes + 1), .highest = 1 + mco_rng_below(rng, 4),
                    .is_sparse = mco_rng_below(rng, 2)};
    const uint32_t walked = s.nodes >= TEST_NODES ? 2 : s.nodes == TEST_NODES - 1 ? 3 : 4;  // so that all overlays are soon found
    s.highest = s.highest < walked ? s.highest : walked;
    s.has_weights = s.is_sparse && mco_rng_below(rng, 2);
    s.has_limits = s.is_sparse && mco_rng_below(rng, 2);
    return s;
}

static inline mco_overlay *test_random_overlay(mco_context *ctx, mco_rng *rng, const test_shape *s)
{
    double uptime[TEST_NODES], weight[TEST_LINKS];
    int64_t bandwidth[TEST_NODES], least[TEST_LINKS], most[TEST_LINKS], links = 0;
    int32_t from[TEST_LINKS], to[TEST_LINKS];
    mco_overlay *o = NULL;
    for (int32_t i = 0; i < s->nodes; i++) {
        uptime[i] = mco_rng_below(rng, 5) == 0 ? mco_rng_below(rng, 2) : mco_rng_real(rng);
        bandwidth[i] = mco_rng_below(rng, s->highest + 1);
        for (int32_t j = 0; j < i; j++) {
            if (!mco_rng_below(rng, 3))
                continue;
            const bool turns = mco_rng_below(rng, 2);
            from[links] = turns ? j : i;
            to[links] = turns ? i : j;
            weight[links] = 20 * mco_rng_real(rng) - 2;
            most[links] = mco_rng_below(rng, 5);
            least[links] = mco_rng_below(rng, (uint32_t)most[links] + 1);
            links++;
        }
    }
    const int64_t least_of_all = mco_rng_below(rng, 3);
    const mco_overlay_data data = {.nodes = s->nodes, .uptime = uptime, .bandwidth = bandwidth, .links = s->is_sparse ? links : -1,
                                   .from = from, .to = to, .weight = s->has_weights ? weight : NULL,
                                   .least = s->has_limits ? least : NULL, .most = s->has_limits ? most : NULL,
                                   .least_of_all = least_of_all,
                                   .most_of_all = mco_rng_below(rng, 2) ? -1 : least_of_all + mco_rng_below(rng, 3)};
    return mco_overlay_create(ctx, NULL, &data, &o) == MCO_OK ? o : NULL;
}

// ---- All overlays

typedef struct test_walk {
    int32_t end[TEST_LINKS][2];
    int64_t weight[TEST_LINKS], least[TEST_LINKS], most[TEST_LINKS], rest[TEST_NODES];
    int links;
    int64_t best;
} test_walk;

static inline void test_walk_on(test_walk *w, int k, int64_t worth)
{
    if (k == w->links) {
        w->best = worth > w->best ? worth : w->best;
        return;
    }
    int64_t *a = &w->rest[w->end[k][0]], *b = &w->rest[w->end[k][1]];
    test_walk_on(w, k + 1, worth);
    for (int64_t x = w->least[k] > 0 ? w->least[k] : 1; x <= w->most[k] && x <= *a && x <= *b; x++) {
        *a -= x;
        *b -= x;
        test_walk_on(w, k + 1, worth + x * w->weight[k]);
        *a += x;
        *b += x;
    }
}

// The greatest worth of all overlays, in units of the instance. `is_halved`: twice that of all fractional ones, whose corners have
// halves: so bandwidths and limits are doubled, and there is no least bandwidth.
static inline int64_t test_best_worth(const mco_overlay *o, bool is_halved)
{
    test_walk w = {.links = 0};
    for (int32_t i = 0; i < o->nodes; i++) {
        w.rest[i] = o->bandwidth[i] * (is_halved ? 2 : 1);
        for (int64_t k = 0; k < overlay_row_size(o, i); k++) {
            const overlay_link link = overlay_entry(o, i, k);
            if (link.node < i || link.weight == 0)
                continue;
            w.end[w.links][0] = i;
            w.end[w.links][1] = link.node;
            w.weight[w.links] = link.weight;
            w.least[w.links] = is_halved ? 0 : o->row_least != NULL ? o->row_least[o->first[i] + k] : o->least;
            w.most[w.links++] = link.most * (is_halved ? 2 : 1);
        }
    }
    test_walk_on(&w, 0, 0);
    return w.best;
}

#endif
