// SPDX-License-Identifier: MIT
// Parts of the genetic search: crossing, splits against all cuts of a tour, distances of solutions, populations.
#include "vrp_genetic_support.h"

// ---- Crossing

enum { MOST_CROSSED = 12 };

// Whether the child has `count` customers of tour a from place `begin` on, and then the others in the order of tour b.
static bool is_crossed(int32_t n, const int32_t *a, const int32_t *b, const int32_t *child, int32_t begin, int32_t count)
{
    bool is_taken[MOST_CROSSED + 1] = {false};
    int32_t to = begin + count;
    for (int32_t k = begin; k < begin + count; k++) {
        if (child[k % n] != a[k % n])
            return false;
        is_taken[a[k % n]] = true;
    }
    for (int32_t k = begin + count; k < begin + count + n; k++)
        if (!is_taken[b[k % n]] && child[to++ % n] != b[k % n])
            return false;
    return true;
}

static void children_are_crossed_from_two_tours(void **state)
{
    mco_rng rng;
    bool has_length[MOST_CROSSED + 1] = {false};
    (void)state;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < 3000; k++) {
        const int32_t n = 1 + k % MOST_CROSSED;
        int32_t a[MOST_CROSSED], b[MOST_CROSSED], child[MOST_CROSSED] = {0}, length = 0;
        bool memory[MOST_CROSSED + 1], is_seen[MOST_CROSSED + 1] = {false};
        memset(memory, 1, sizeof memory);  // what the last child may leave there
        vrp_random_tour(n, &rng, a);
        vrp_random_tour(n, &rng, b);
        vrp_cross(n, a, b, &rng, memory, child);
        for (int32_t i = 0; i < n; i++) {
            assert_in_range(child[i], 1, n);
            assert_false(is_seen[child[i]]);
            is_seen[child[i]] = true;
        }
        for (int32_t count = n; count > 0; count--)  // the shortest stretch that explains the child
            for (int32_t begin = 0; begin < n; begin++)
                if (is_crossed(n, a, b, child, begin, count))
                    length = count;
        assert_true(length > 0);
        if (n == MOST_CROSSED)
            has_length[length] = true;
    }
    for (int32_t length = 1; length < MOST_CROSSED - 1; length++)
        assert_true(has_length[length]);
}

// ---- Split

enum { MOST_SPLIT = 9 };

typedef enum split_kind { SPLIT_FREE, SPLIT_FEW_ROUTES, SPLIT_NONE, SPLIT_KINDS } split_kind;

static bool is_cut_allowed(const mco_vrp *p, const vrp_genome *cut)
{
    for (int32_t r = 0; r < cut->routes; r++) {
        int64_t load = 0;
        for (int32_t k = cut->first[r]; k < cut->first[r + 1]; k++)
            load += p->demand[cut->order[k]];
        if ((double)load > VRP_SPLIT_LOAD * p->capacity && cut->first[r + 1] - cut->first[r] > 1)
            return false;
    }
    return true;
}

// The cheapest of all 2^(n - 1) cuts of a tour into at most `routes` routes; INFINITY if no cut is allowed.
static double cheapest_cut(const vrp_network *g, vrp_weights w, int32_t *order, int32_t routes)
{
    double best = INFINITY;
    int32_t first[MOST_SPLIT + 1] = {0};
    vrp_genome cut = {.order = order, .first = first};
    for (unsigned places = 0; places < 1u << (g->customers - 1); places++) {
        cut.routes = 1;
        for (int32_t k = 1; k < g->customers; k++)
            if (places >> (k - 1) & 1u)
                first[cut.routes++] = k;
        first[cut.routes] = g->customers;
        if (cut.routes <= routes && is_cut_allowed(g->problem, &cut))
            best = fmin(best, plain_cost(g->problem, w, &cut));
    }
    return best;
}

static split_kind split_once(const mco_vrp *problem, int32_t routes, vrp_weights w, mco_rng *rng)
{
    vrp_network g = made_ground(problem, routes, 0);
    vrp_genome genome = {0};
    vrp_split *split = NULL;
    const int32_t n = g.customers;
    int32_t order[MOST_SPLIT];
    assert_ok(vrp_genome_open(test_ctx, &g, &genome));
    assert_ok(vrp_split_open(test_ctx, &g, &split));
    split_kind kind = SPLIT_FREE;
    for (int again = 0; again < 2; again++) {  // what the first split leaves behind must not matter
        vrp_random_tour(n, rng, genome.order);
        memcpy(order, genome.order, sizeof *order * (size_t)n);
        const double free_cost = cheapest_cut(&g, w, order, n), cost = cheapest_cut(&g, w, order, routes);
        kind = isinf(cost) ? SPLIT_NONE : cost > free_cost + 1e-3 ? SPLIT_FEW_ROUTES : SPLIT_FREE;
        vrp_split_run(split, w, &genome);
        assert_memory_equal(genome.order, order, sizeof *order * (size_t)n);
        vrp_genome_complete(&g, &genome);
        assert_complete(&g, &genome);
        if (kind == SPLIT_NONE) {
            assert_int_equal(genome.routes, routes);
            for (int32_t r = 0; r < routes; r++)
                assert_in_range(genome.first[r + 1] - genome.first[r], n / routes, n / routes + 1);
        } else {
            assert_true(is_cut_allowed(problem, &genome));
            assert_true(fabs(plain_cost(problem, w, &genome) - cost) <= 1e-9 * cost);
        }
    }
    vrp_split_close(test_ctx, &split);
    vrp_genome_close(test_ctx, &genome);
    free_ground(&g);
    return kind;
}

static void splits_are_the_cheapest_of_all_cuts(void **state)
{
    int seen[SPLIT_KINDS] = {0};
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 2, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 400 : 4000); k++) {
        const int32_t n = 1 + (int32_t)mco_rng_below(&rng, MOST_SPLIT);
        const vrp_made made = {.customers = n,
                               .capacity = 3 + (int32_t)mco_rng_below(&rng, 25),  // some single customers have more
                               .is_matrix = k % 2 == 0,
                               .is_real = k % 4 == 1,
                               .has_service = k % 3 == 0,
                               .max_length = k % 5 < 2 ? 500.0 + mco_rng_below(&rng, 2000) : -1};
        mco_vrp *problem = made_problem(&rng, &made);
        const double scale = k % 7 == 0 ? 0 : problem->scale;  // sometimes nothing is to be paid
        const vrp_weights w = {scale * 300 * mco_rng_real(&rng), 3 * mco_rng_real(&rng) * (k % 7 != 1)};
        seen[split_once(problem, 1 + (int32_t)mco_rng_below(&rng, (uint32_t)n), w, &rng)]++;
        mco_vrp_destroy(test_ctx, &problem);
    }
    for (split_kind kind = SPLIT_FREE; kind < SPLIT_KINDS; kind++)
        assert_true(seen[kind] >= 8);
}

// ---- Distances of solutions

static void set_genome(const vrp_network *g, vrp_genome *genome, const int32_t *order, const int32_t *first, int32_t routes)
{
    memcpy(genome->order, order, sizeof *order * (size_t)g->customers);
    memcpy(genome->first, first, sizeof *first * ((size_t)routes + 1));
    genome->routes = routes;
    vrp_genome_complete(g, genome);
}

// Turns every route round and puts the last route first.
static void turn_around(const vrp_network *g, const vrp_genome *from, vrp_genome *to)
{
    to->routes = from->routes;
    for (int32_t k = 0; k < g->customers; k++)
        to->order[k] = from->order[g->customers - 1 - k];
    for (int32_t r = 0; r <= from->routes; r++)
        to->first[r] = g->customers - from->first[from->routes - r];
    vrp_genome_complete(g, to);
}

static void pairs_that_are_broken_are_counted(void **state)
{
    mco_rng rng;
    mco_rng_seed(&rng, 3, 0);
    mco_vrp *problem = made_problem(&rng, &(vrp_made){.customers = 6, .capacity = 100, .max_length = -1});
    vrp_network g = made_ground(problem, 6, 5);
    vrp_genome a = {0}, b = {0};
    (void)state;
    assert_ok(vrp_genome_open(test_ctx, &g, &a));
    assert_ok(vrp_genome_open(test_ctx, &g, &b));
    for (int k = 0; k < 50; k++) {
        random_genome(&g, 1 + k % 6, &rng, &a);
        vrp_genome_copy(&g, &b, &a);
        assert_complete(&g, &b);
        assert_true(vrp_broken_pairs(&g, &a, &b) <= 0);
        turn_around(&g, &a, &b);
        assert_true(vrp_broken_pairs(&g, &a, &b) <= 0);
    }
    static const int32_t whole[] = {0, 6}, halves[] = {0, 3, 6}, line[] = {1, 2, 3, 4, 5, 6};
    set_genome(&g, &a, line, whole, 1);
    set_genome(&g, &b, (const int32_t[]){2, 4, 6, 1, 3, 5}, whole, 1);
    assert_true(vrp_broken_pairs(&g, &a, &b) >= 1 && vrp_broken_pairs(&g, &a, &b) < 1.2f);  // no pair in common
    set_genome(&g, &b, (const int32_t[]){1, 3, 2, 4, 5, 6}, whole, 1);  // without 1-2 and 3-4
    assert_true(fabsf(vrp_broken_pairs(&g, &a, &b) - 2.0f / 6) < 1e-6f);
    assert_true(fabsf(vrp_broken_pairs(&g, &b, &a) - 2.0f / 6) < 1e-6f);
    set_genome(&g, &b, line, halves, 2);  // without 3-4; in b, 3 and 4 are newly at the depot
    assert_true(fabsf(vrp_broken_pairs(&g, &a, &b) - 1.0f / 6) < 1e-6f);
    assert_true(fabsf(vrp_broken_pairs(&g, &b, &a) - 2.0f / 6) < 1e-6f);
    vrp_genome_close(test_ctx, &b);
    vrp_genome_close(test_ctx, &a);
    free_ground(&g);
    mco_vrp_destroy(test_ctx, &problem);
}

// ---- Populations

enum { OF_POOL = 24, FULL = OF_POOL / 3 };  // customers; customers of a full vehicle

typedef struct fixture {
    mco_rng rng;
    mco_vrp *problem;
    vrp_network network;
    vrp_genome genome, other;
    vrp_pools pools;
    vrp_weights weights;
} fixture;

static fixture open_fixture(void)
{
    fixture f = {.weights = {10, 1}};
    mco_rng_seed(&f.rng, 4, 0);
    f.problem = made_problem(&f.rng, &(vrp_made){.customers = OF_POOL, .capacity = FULL, .max_length = -1});
    for (int32_t c = 1; c <= OF_POOL; c++)
        f.problem->demand[c] = 1;
    f.network = made_ground(f.problem, OF_POOL, 10);
    assert_ok(vrp_genome_open(test_ctx, &f.network, &f.genome));
    assert_ok(vrp_genome_open(test_ctx, &f.network, &f.other));
    return f;
}

static void close_fixture(fixture *f)
{
    vrp_pools_close(test_ctx, &f->pools);
    vrp_genome_close(test_ctx, &f->other);
    vrp_genome_close(test_ctx, &f->genome);
    free_ground(&f->network);
    mco_vrp_destroy(test_ctx, &f->problem);
}

// Three full vehicles; or, beyond the limit, one of them with 1 to 5 customers too many.
static void draw_genome(fixture *f, bool is_within)
{
    const int32_t over = is_within ? 0 : 1 + (int32_t)mco_rng_below(&f->rng, 5);
    int32_t order[OF_POOL];
    vrp_random_tour(OF_POOL, &f->rng, order);
    set_genome(&f->network, &f->genome, order, (const int32_t[]){0, FULL + over, 2 * FULL, OF_POOL}, 3);
    assert_int_equal(vrp_genome_is_within(&f->genome), is_within);
}

static void assert_pool(const fixture *f, const vrp_pool *pool, bool is_within)
{
    for (int32_t k = 0; k < pool->count; k++) {
        const vrp_member *m = pool->all[k];
        assert_complete(&f->network, &m->genome);
        assert_int_equal(vrp_genome_is_within(&m->genome), is_within);
        assert_true(fabs(m->weighted - plain_cost(f->problem, f->weights, &m->genome)) < 1e-6);
        assert_true(k == 0 || pool->all[k - 1]->weighted <= m->weighted);
        for (int32_t i = 0; i < k; i++)
            assert_true(m != pool->all[i]);
    }
}

// Both pools grow independently, and the cheapest member is never lost.
static void populations_keep_the_cheapest(void **state)
{
    fixture f = open_fixture();
    double cheapest[2] = {INFINITY, INFINITY};
    int32_t expected[2] = {0, 0};
    (void)state;
    assert_ok(vrp_pools_open(test_ctx, &f.network, &f.pools));
    const int32_t room = f.pools.free_count;
    for (int k = 0; k < 3 * VRP_POOL_MOST; k++) {
        const bool is_within = k % 3 != 0;
        draw_genome(&f, is_within);
        cheapest[is_within] = fmin(cheapest[is_within], plain_cost(f.problem, f.weights, &f.genome));
        vrp_pools_join(&f.pools, f.weights, &f.genome);
        expected[is_within] += expected[is_within] < VRP_POOL_MOST ? 1 : VRP_POOL_LEAST - VRP_POOL_MOST;
        assert_int_equal(f.pools.within.count, expected[1]);
        assert_int_equal(f.pools.beyond.count, expected[0]);
        assert_int_equal(f.pools.free_count, room - expected[0] - expected[1]);
        assert_true(fabs((is_within ? &f.pools.within : &f.pools.beyond)->all[0]->weighted - cheapest[is_within]) < 1e-6);
    }
    assert_pool(&f, &f.pools.within, true);
    assert_pool(&f, &f.pools.beyond, false);
    close_fixture(&f);
}

// VRP_POOL_LEAST solutions join, then copies of them, some with turned routes, until some members have to go. Copies of
// the cheapest, or only of others, are dropped before any other member, however cheap they are.
static void check_clones(int32_t first_copied)
{
    fixture f = open_fixture();
    int64_t cost[VRP_POOL_LEAST];
    assert_ok(vrp_pools_open(test_ctx, &f.network, &f.pools));
    for (int32_t k = 0; k < VRP_POOL_LEAST; k++) {
        draw_genome(&f, true);
        vrp_pools_join(&f.pools, f.weights, &f.genome);
    }
    for (int32_t k = 0; k < VRP_POOL_LEAST; k++)
        cost[k] = f.pools.within.all[k]->genome.cost;
    for (int32_t k = VRP_POOL_LEAST; k <= VRP_POOL_MOST; k++) {
        const uint32_t others = (uint32_t)(f.pools.within.count - first_copied);
        const int32_t which = first_copied + (k % 2 == 0 ? 0 : (int32_t)mco_rng_below(&f.rng, others));
        vrp_genome_copy(&f.network, &f.other, &f.pools.within.all[which]->genome);
        if (k % 3 == 0)
            turn_around(&f.network, &f.pools.within.all[which]->genome, &f.other);
        vrp_pools_join(&f.pools, f.weights, &f.other);
    }
    assert_int_equal(f.pools.within.count, VRP_POOL_LEAST);
    assert_pool(&f, &f.pools.within, true);
    for (int32_t k = 0; k < VRP_POOL_LEAST; k++) {
        assert_true(k == 0 || cost[k] > cost[k - 1]);
        assert_int_equal(f.pools.within.all[k]->genome.cost, cost[k]);
    }
    close_fixture(&f);
}

static void clones_go_first(void **state)
{
    (void)state;
    check_clones(0);
    check_clones(7);
}

// The last two customers share a route, or each has its own. The latter breaks no link of the former, but the costs
// differ, so they are no clones.
static void solutions_of_another_cost_are_no_clones(void **state)
{
    enum { DRAWS = 20000, ELITE = 4 };
    static const int32_t together[] = {0, FULL, 2 * FULL, OF_POOL - 2, OF_POOL};
    static const int32_t apart[] = {0, FULL, 2 * FULL, OF_POOL - 2, OF_POOL - 1, OF_POOL};
    fixture f = open_fixture();
    int32_t order[OF_POOL], best[OF_POOL];
    int64_t least = INT64_MAX;
    int found = 0;
    (void)state;
    assert_ok(vrp_pools_open(test_ctx, &f.network, &f.pools));
    for (int k = 0; k < DRAWS; k++) {
        vrp_random_tour(OF_POOL, &f.rng, order);
        set_genome(&f.network, &f.genome, order, apart, COUNT_OF(apart) - 1);
        if (f.genome.cost < least) {
            least = f.genome.cost;
            memcpy(best, order, sizeof best);
        }
    }
    set_genome(&f.network, &f.other, best, together, COUNT_OF(together) - 1);
    vrp_pools_join(&f.pools, f.weights, &f.other);
    set_genome(&f.network, &f.genome, best, apart, COUNT_OF(apart) - 1);
    assert_true(vrp_broken_pairs(&f.network, &f.genome, &f.other) <= 0);
    assert_true(f.genome.cost > f.other.cost);
    vrp_pools_join(&f.pools, f.weights, &f.genome);
    for (int k = 2; k <= VRP_POOL_MOST; k++) {
        if (k == VRP_POOL_MOST)
            for (int i = 0; i < ELITE; i++)
                found += f.pools.within.all[i]->genome.cost == least;
        draw_genome(&f, true);
        vrp_pools_join(&f.pools, f.weights, &f.genome);
    }
    assert_int_equal(found, 1);  // among the few that always stay
    assert_int_equal(f.pools.within.count, VRP_POOL_LEAST);
    for (int i = 0; i < VRP_POOL_LEAST; i++)
        found += f.pools.within.all[i]->genome.cost == least;
    assert_int_equal(found, 2);
    close_fixture(&f);
}

// Without clones: most of the cheaper ones stay, but not only the cheapest.
static void survivors_are_cheap_and_apart(void **state)
{
    fixture f = open_fixture();
    double all = 0, survivors = 0, dearest_of_cheapest = 0;
    (void)state;
    assert_ok(vrp_pools_open(test_ctx, &f.network, &f.pools));
    for (int k = 0; k < VRP_POOL_MOST; k++) {
        draw_genome(&f, true);
        vrp_pools_join(&f.pools, f.weights, &f.genome);
        all += (double)f.genome.cost / (VRP_POOL_MOST + 1);
    }
    dearest_of_cheapest = f.pools.within.all[VRP_POOL_LEAST - 1]->weighted;
    draw_genome(&f, true);
    all += (double)f.genome.cost / (VRP_POOL_MOST + 1);
    vrp_pools_join(&f.pools, f.weights, &f.genome);
    for (int32_t k = 0; k < VRP_POOL_LEAST; k++)
        survivors += f.pools.within.all[k]->weighted / VRP_POOL_LEAST;
    assert_int_equal(f.pools.within.count, VRP_POOL_LEAST);
    assert_true(survivors < all);
    assert_true(f.pools.within.all[VRP_POOL_LEAST - 1]->weighted > dearest_of_cheapest);
    close_fixture(&f);
}

// The distance is the mean over the five closest. A member that is cheaper and farther apart than another has the
// better rank.
static void ranks_weigh_cost_and_distance(void **state)
{
    enum { CLOSEST = 5 };
    fixture f = open_fixture();
    const vrp_pool *pool = &f.pools.within;
    (void)state;
    assert_ok(vrp_pools_open(test_ctx, &f.network, &f.pools));
    for (int k = 0; k < 40; k++) {
        draw_genome(&f, true);
        if (k % 4 == 1) {  // breaks few pairs
            vrp_genome_copy(&f.network, &f.genome, &pool->all[0]->genome);
            const int32_t c = f.genome.order[k % FULL];
            f.genome.order[k % FULL] = f.genome.order[OF_POOL - 1];
            f.genome.order[OF_POOL - 1] = c;
            vrp_genome_complete(&f.network, &f.genome);
        }
        vrp_pools_join(&f.pools, f.weights, &f.genome);
    }
    vrp_pools_rank(&f.pools);
    int pairs = 0;
    for (int32_t i = 0; i < pool->count; i++) {
        float apart[40];
        double sum = 0;
        for (int32_t k = 0; k < pool->count; k++) {
            int32_t at = k;
            // The matrix of the pools holds the distance found when the later of the two joined.
            const float is = f.pools.apart[pool->all[i]->row * 2 * (VRP_POOL_MOST + 1) + pool->all[k]->row];
            const float expected[2] = {vrp_broken_pairs(&f.network, &pool->all[i]->genome, &pool->all[k]->genome),
                                       vrp_broken_pairs(&f.network, &pool->all[k]->genome, &pool->all[i]->genome)};
            assert_true(i == k || fabsf(is - expected[0]) < 1e-6f || fabsf(is - expected[1]) < 1e-6f);
            for (; at > 0 && apart[at - 1] > (i == k ? INFINITY : is); at--)
                apart[at] = apart[at - 1];
            apart[at] = i == k ? INFINITY : is;
        }
        for (int32_t k = 0; k < CLOSEST; k++)
            sum += (double)apart[k];
        assert_true(fabs(pool->all[i]->apart - sum / CLOSEST) < 1e-6);
        for (int32_t k = i + 1; k < pool->count; k++)
            if (pool->all[i]->apart > pool->all[k]->apart) {
                pairs++;
                assert_true(pool->all[i]->rank < pool->all[k]->rank);
            }
    }
    assert_true(pairs > 0 && pairs < 40 * 39 / 2);
    close_fixture(&f);
}

static void other_weights_give_another_order(void **state)
{
    fixture f = open_fixture();
    vrp_genome before = {0};
    (void)state;
    assert_ok(vrp_pools_open(test_ctx, &f.network, &f.pools));
    for (int k = 0; k < VRP_POOL_MOST; k++) {
        draw_genome(&f, k % 2 == 0);
        vrp_pools_join(&f.pools, f.weights, &f.genome);
    }
    assert_pool(&f, &f.pools.beyond, false);
    assert_ok(vrp_genome_open(test_ctx, &f.network, &before));
    vrp_genome_copy(&f.network, &before, &f.pools.beyond.all[0]->genome);
    f.weights = (vrp_weights){1e5, 1};
    vrp_pools_weigh(&f.pools, f.weights);
    assert_pool(&f, &f.pools.within, true);
    assert_pool(&f, &f.pools.beyond, false);
    assert_true(f.pools.beyond.all[0]->genome.cost > before.cost);
    assert_true(f.pools.beyond.all[0]->genome.load_excess < before.load_excess);
    vrp_genome_close(test_ctx, &before);
    close_fixture(&f);
}

// A draw takes the better of two. The better of two members of one pool is drawn in three quarters of all draws; of two
// members that lead their pools, in half of them.
static void draws_prefer_the_better(void **state)
{
    enum { DRAWS = 4000 };
    (void)state;
    for (int is_apart = 0; is_apart <= 1; is_apart++) {
        fixture f = open_fixture();
        int drawn = 0;
        assert_ok(vrp_pools_open(test_ctx, &f.network, &f.pools));
        for (int k = 0; k < 2; k++) {
            draw_genome(&f, k == 0 || !is_apart);
            vrp_pools_join(&f.pools, f.weights, &f.genome);
        }
        vrp_pools_rank(&f.pools);
        for (int k = 0; k < DRAWS; k++)
            drawn += vrp_pools_draw(&f.pools, &f.rng) == &f.pools.within.all[0]->genome;
        const double expected = is_apart ? DRAWS / 2 : DRAWS * 3 / 4;
        assert_true(fabs(drawn - expected) < DRAWS * 0.04);  // five standard deviations
        close_fixture(&f);
    }
}

static void populations_are_cleared(void **state)
{
    fixture f = open_fixture();
    (void)state;
    assert_ok(vrp_pools_open(test_ctx, &f.network, &f.pools));
    const int32_t room = f.pools.free_count;
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 3 * VRP_POOL_MOST - 7; k++) {
            draw_genome(&f, k % 2 == 0);
            vrp_pools_join(&f.pools, f.weights, &f.genome);
        }
        assert_pool(&f, &f.pools.within, true);
        assert_pool(&f, &f.pools.beyond, false);
        assert_true(f.pools.within.count >= VRP_POOL_LEAST && f.pools.beyond.count >= VRP_POOL_LEAST);
        vrp_pools_clear(&f.pools);
        assert_int_equal(f.pools.within.count, 0);
        assert_int_equal(f.pools.beyond.count, 0);
        assert_int_equal(f.pools.free_count, room);
    }
    close_fixture(&f);
}

// Twenty customers with demands 6 and 4, and vehicles of capacity 10: how many routes children may have.
static void full_routes_stay_as_many(void **state)
{
    enum { N = 20 };
    static const int32_t even = 6, odd = 4, middle = 5;
    const vrp_made made = {.customers = N, .capacity = even + odd, .max_length = -1};
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 9, 0);
    mco_vrp *problem = made_problem(&rng, &made);
    for (int32_t i = 1; i <= N; i++)
        problem->demand[i] = i % 2 == 0 ? even : odd;
    assert_int_equal(vrp_genetic_routes(problem, N / 2), N / 2);
    assert_int_equal(vrp_genetic_routes(problem, N / 2 + 1), 18);  // 1.3 times as many plus three
    for (int32_t k = 1; k <= odd; k++) {  // in the end there is room for one more customer
        problem->demand[2 * k]--;
        assert_int_equal(vrp_genetic_routes(problem, N / 2), k < odd ? N / 2 : 16);
    }
    for (int32_t i = 1; i <= N; i++)
        problem->demand[i] = middle;
    assert_int_equal(vrp_genetic_routes(problem, N / 2), 16);
    assert_int_equal(vrp_genetic_routes(problem, N), N);
    problem->vehicles = 12;
    assert_int_equal(vrp_genetic_routes(problem, N / 2), 12);
    mco_vrp_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(children_are_crossed_from_two_tours),
                                       TEST(full_routes_stay_as_many),
                                       TEST(splits_are_the_cheapest_of_all_cuts),
                                       TEST(pairs_that_are_broken_are_counted),
                                       TEST(populations_keep_the_cheapest),
                                       TEST(clones_go_first),
                                       TEST(solutions_of_another_cost_are_no_clones),
                                       TEST(survivors_are_cheap_and_apart),
                                       TEST(ranks_weigh_cost_and_distance),
                                       TEST(other_weights_give_another_order),
                                       TEST(draws_prefer_the_better),
                                       TEST(populations_are_cleared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
