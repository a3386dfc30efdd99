// SPDX-License-Identifier: MIT
// The distributed bound of overlays by ranks without common iterations. Ranks are threads here, and letters between them are late by
// random times. Ranks stop, for a while or until all is over. Whatever happens, bounds are valid, and their gaps are near those of one rank.
#include "mco/overlay.h"
#include "ranks_threads.h"

#include <math.h>
#include <time.h>

#include "base/clock.h"
#include "base/rng.h"
#include "cluster/channel.h"

enum { RANKS = 4, ITERATIONS = 300 };
static const double LONGEST_S = 60;  // of a rank that stops

typedef struct message {
    struct message *next;
    int from;
    double due_s;
    int64_t size;
    uint8_t *data;
} message;

typedef struct mailbox {
    pthread_mutex_t lock;
    message *first;
    double last_s[RANKS];  // when the last message of each rank is due, for messages of a rank stay in order
    message *given;        // to the owner
    mco_rng rng;
    int64_t looks;
} mailbox;

// What happens to the ranks.
typedef struct fate {
    double most_delay_s;
    int stopped;            // the rank that stops; -1: none
    int64_t stops_at;       // so many looks for letters
    double stop_s;          // for so long; INFINITY: until all others are through
} fate;

static struct {
    fate fate;
    const mco_overlay *overlay;
    mco_overlay_bound_params params;
    mailbox boxes[RANKS];
    mco_overlay_bound_result results[RANKS];
    double took_s[RANKS];
    atomic_int through;     // ranks
} now;

// ---- The channel

// Of any thread: the list behind test_malloc belongs to one.
static void *allocate(size_t bytes)
{
    void *block = malloc(bytes);
    if (block == NULL)
        abort();
    return block;
}

static mco_status send_message(void *self, uint64_t peer, const uint8_t *data, int64_t size)
{
    mailbox *box = &now.boxes[peer], *own = self;
    const int from = (int)(own - now.boxes);
    message *m = allocate(sizeof *m), **end = &box->first;
    *m = (message){.from = from, .size = size, .data = allocate((size_t)size + 1)};
    memcpy(m->data, data, (size_t)size);
    const double due_s = mco_clock_s() + now.fate.most_delay_s * mco_rng_real(&own->rng);
    pthread_mutex_lock(&box->lock);
    m->due_s = box->last_s[from] = fmax(due_s, box->last_s[from]);
    while (*end != NULL)
        end = &(*end)->next;
    *end = m;
    pthread_mutex_unlock(&box->lock);
    return MCO_OK;
}

static void free_message(message **m)
{
    if (*m != NULL)
        free((*m)->data);
    free(*m);
    *m = NULL;
}

static bool take_due(mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    message **at = &box->first;
    while (*at != NULL && (*at)->due_s > mco_clock_s())
        at = &(*at)->next;
    box->given = *at;
    if (*at != NULL)
        *at = (*at)->next;
    pthread_mutex_unlock(&box->lock);
    return box->given != NULL;
}

static void nap(void)
{
    const struct timespec time = {.tv_nsec = 100000};
    nanosleep(&time, NULL);
}

// Ends with the fate's time, or when the others are through.
static void stop_if_due(mailbox *box)
{
    if (box != &now.boxes[now.fate.stopped < 0 ? 0 : now.fate.stopped] || now.fate.stopped < 0 || ++box->looks != now.fate.stops_at)
        return;
    const double end_s = mco_clock_s() + fmin(now.fate.stop_s, LONGEST_S);
    while (mco_clock_s() < end_s && atomic_load(&now.through) < RANKS - 1)
        nap();
}

static mco_status receive_message(void *self, double wait_s, uint64_t *peer, const uint8_t **data, int64_t *size)
{
    mailbox *box = self;
    const double end_s = mco_clock_s() + wait_s;
    stop_if_due(box);
    free_message(&box->given);
    *size = -1;
    while (!take_due(box)) {
        if (mco_clock_s() >= end_s)
            return MCO_OK;
        nap();
    }
    *peer = (uint64_t)box->given->from;
    *data = box->given->data;
    *size = box->given->size;
    return MCO_OK;
}

static void close_nothing(mco_context *ctx, void *self)
{
    (void)ctx, (void)self;
}

static mco_status open_channel(void *user, mco_context *ctx, mco_channel *out)
{
    const ranks_member *m = user;
    (void)ctx;
    *out = (mco_channel){.self = &now.boxes[m->ranks.rank], .send = send_message, .receive = receive_message, .close = close_nothing};
    return MCO_OK;
}

// ---- Runs

static void find_bound(ranks_member *m)
{
    const int rank = m->ranks.rank;
    const double begin_s = mco_clock_s();
    m->ranks.open_channel = open_channel;
    now.results[rank] = (mco_overlay_bound_result)MCO_OVERLAY_BOUND_RESULT_INIT;
    m->status = mco_overlay_bound(m->ctx, now.overlay, &now.params, &now.results[rank]);
    now.took_s[rank] = mco_clock_s() - begin_s;
    atomic_fetch_add(&now.through, 1);
}

static mco_overlay_bound_params params_of(int64_t iterations)
{
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    p.method = MCO_OVERLAY_METHOD_DIST;
    p.engine = MCO_ENGINE_CPU;
    p.iterations = iterations;
    p.threads = 1;
    p.start = MCO_OVERLAY_START_ZERO;
    return p;
}

static void run_ranks(const mco_overlay *o, const mco_overlay_bound_params *p, fate f, uint64_t seed, ranks_member *members)
{
    now.fate = f;
    now.overlay = o;
    now.params = *p;
    now.params.asynchronous = 1;
    atomic_store(&now.through, 0);
    for (int r = 0; r < RANKS; r++) {
        now.boxes[r] = (mailbox){0};
        pthread_mutex_init(&now.boxes[r].lock, NULL);
        mco_rng_seed(&now.boxes[r].rng, seed, (uint64_t)r);
    }
    ranks_run(RANKS, find_bound, NULL, members);
    for (int r = 0; r < RANKS; r++) {
        free_message(&now.boxes[r].given);
        while (now.boxes[r].first != NULL) {
            message *m = now.boxes[r].first;
            now.boxes[r].first = m->next;
            free_message(&m);
        }
        pthread_mutex_destroy(&now.boxes[r].lock);
    }
}

static void close_ranks(ranks_member *members)
{
    for (int r = 0; r < RANKS; r++)
        mco_overlay_bound_result_clear(members[r].ctx, &now.results[r]);
    ranks_close(RANKS, members);
}

static mco_overlay *made(const char *group, int64_t seed)
{
    mco_overlay *o = NULL;
    mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
    g.group = group;
    g.seed = seed;
    assert_ok(mco_overlay_generate(test_ctx, &g, &o));
    return o;
}

// The least bound of one rank, and a feasible fractional overlay of it.
static double bound_of(const mco_overlay *o, mco_overlay_method method, int64_t iterations, double *value)
{
    mco_overlay_bound_params p = params_of(iterations);
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    p.method = method;
    assert_ok(mco_overlay_bound(test_ctx, o, &p, &r));
    const double bound = r.bound;
    *value = fmax(*value, r.value);
    mco_overlay_bound_result_clear(test_ctx, &r);
    return bound;
}

// A rank's answer is the bound of its duals, as the checker finds it anew, and no fractional overlay is worth more.
static void assert_valid(const mco_overlay *o, const ranks_member *m, double value)
{
    double bound;
    uint64_t exact[2];
    const mco_overlay_bound_result *r = &now.results[m->ranks.rank];
    assert_string_equal(mco_context_error(m->ctx), "");
    assert_int_equal(m->status, MCO_OK);
    assert_ok(mco_overlay_check_bound(test_ctx, o, r->duals, &bound, exact));
    assert_true(bound == r->bound);
    assert_memory_equal(exact, r->exact, sizeof exact);
    assert_true(bound >= value && bound >= r->value);
}

// ---- Tests

static const fate NO_FATE = {0, -1, 0, 0};

// Ranks that answer have one bound, and the same duals.
static void assert_equal_answers(const mco_overlay *o, const ranks_member *members)
{
    for (int r = 1; r < RANKS; r++) {
        assert_memory_equal(now.results[r].duals, now.results[0].duals, (size_t)mco_overlay_nodes(o) * sizeof(uint32_t));
        assert_int_equal(now.results[r].iterations, now.results[0].iterations);
        assert_int_equal(now.results[r].stop, now.results[0].stop);
        assert_false(members[r].ranks.must_abort);
    }
    assert_false(members[0].ranks.must_abort);
    assert_true(members[0].ranks.have_parted);
}

static int compare_shares(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The gaps of delayed ranks as shares of the gap of one rank; `near` is the least bound known.
static void add_shares(const mco_overlay *o, int64_t seed, double *share)
{
    static const double delays_s[] = {0, 0.0003, 0.003};
    double value = 0;
    const mco_overlay_bound_params p = params_of(ITERATIONS);
    const double common = bound_of(o, MCO_OVERLAY_METHOD_DIST, ITERATIONS, &value);
    const double near = bound_of(o, MCO_OVERLAY_METHOD_DIST, 8 * ITERATIONS, &value);
    const double unit = 1e-7 * near;  // gaps below it count as if they had it
    for (int k = 0; k < COUNT_OF(delays_s); k++) {
        ranks_member members[RANKS];
        run_ranks(o, &p, (fate){delays_s[k], -1, 0, 0}, (uint64_t)seed, members);
        for (int r = 0; r < RANKS; r++)
            assert_valid(o, &members[r], value);
        assert_equal_answers(o, members);
        assert_int_equal(now.results[0].stop, MCO_STOP_ITERATIONS);
        assert_true(now.results[0].iterations >= ITERATIONS);
        share[k] = fmax(now.results[0].bound - near, unit) / fmax(common - near, unit);
        close_ranks(members);
    }
}

// About the gap of one rank in the median; up to 2.3 times on cores with other work, so the test asks for 4, in one of some tries. The method
// ends at a point that depends on the way to it: of twelve such instances one rank has ten times the usual gap, 1e-5 in place of 1e-6, at one.
// So do late ranks.
static void delays(void **state)
{
    enum { SEEDS = 3, CASES = 3 * SEEDS, TRIES = 4 };
    double shares[CASES];
    bool is_near = false;
    (void)state;
    for (int64_t try = 0; try < TRIES && !is_near; try++) {
        for (int64_t seed = 1; seed <= SEEDS; seed++) {
            mco_overlay *o = made("grafo500b-14", seed + try * SEEDS);
            add_shares(o, seed, &shares[3 * (seed - 1)]);
            mco_overlay_destroy(test_ctx, &o);
        }
        qsort(shares, CASES, sizeof *shares, compare_shares);
        print_message("%.3f times the gap of one rank in the median, %.3f at most\n", shares[CASES / 2], shares[CASES - 1]);
        is_near = shares[CASES / 2] <= 4 && shares[CASES - 1] <= 100;
    }
    assert_true(is_near);
}

// The bound of the first duals, which are zero.
static double first_bound(const mco_overlay *o)
{
    double bound;
    uint32_t *zero = test_malloc((size_t)mco_overlay_nodes(o) * sizeof *zero);
    memset(zero, 0, (size_t)mco_overlay_nodes(o) * sizeof *zero);
    assert_ok(mco_overlay_check_bound(test_ctx, o, zero, &bound, NULL));
    test_free(zero);
    return bound;
}

// A rank stops for ever. The others end by the clock, and their bound is valid.
static void stopped_for_ever(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    double value = 0;
    mco_overlay *o = made("grafo500b-14", 3);
    mco_overlay_bound_params p = params_of(ITERATIONS);
    bound_of(o, MCO_OVERLAY_METHOD_DIST, ITERATIONS, &value);
    p.silence_s = 2;
    run_ranks(o, &p, (fate){0.0003, 2, 100, INFINITY}, 1, members);
    for (int r = 0; r < RANKS; r++)
        assert_valid(o, &members[r], value);
    assert_true(members[0].ranks.must_abort);
    assert_false(members[1].ranks.must_abort);
    assert_true(now.results[0].bound < first_bound(o));
    assert_true(now.took_s[0] < LONGEST_S / 2);
    close_ranks(members);
    mco_overlay_destroy(test_ctx, &o);
}

// It stops at once: its nodes keep the duals of the start.
static void stopped_at_once(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    double value = 0;
    mco_overlay *o = made("grafo500b-14", 4);
    mco_overlay_bound_params p = params_of(100);
    bound_of(o, MCO_OVERLAY_METHOD_DIST, 100, &value);
    p.silence_s = 2;
    run_ranks(o, &p, (fate){0, 1, 1, INFINITY}, 1, members);
    for (int r = 0; r < RANKS; r++)
        assert_valid(o, &members[r], value);
    assert_true(members[0].ranks.must_abort);
    assert_true(now.results[0].bound < first_bound(o));
    close_ranks(members);
    mco_overlay_destroy(test_ctx, &o);
}

// It comes back: nobody has missed it, and it has missed nobody.
static void stopped_for_a_while(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    double value = 0;
    mco_overlay *o = made("grafo500b-14", 5);
    const mco_overlay_bound_params p = params_of(ITERATIONS);
    bound_of(o, MCO_OVERLAY_METHOD_DIST, ITERATIONS, &value);
    for (int stopped = 0; stopped <= 3; stopped += 3) {
        run_ranks(o, &p, (fate){0, stopped, 50, 0.3}, 1, members);
        for (int r = 0; r < RANKS; r++)
            assert_valid(o, &members[r], value);
        assert_equal_answers(o, members);
        close_ranks(members);
    }
    mco_overlay_destroy(test_ctx, &o);
}

// The first rank stops. The others say so and end; it ends without them.
static void first_rank_stopped(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    mco_overlay *o = made("grafo500b-14", 6);
    mco_overlay_bound_params p = params_of(ITERATIONS);
    p.silence_s = 2;
    run_ranks(o, &p, (fate){0, 0, 30, INFINITY}, 1, members);
    for (int r = 1; r < RANKS; r++) {
        assert_int_equal(members[r].status, MCO_ERR_STOPPED);
        assert_non_null(strstr(mco_context_error(members[r].ctx), "the first rank has not answered for"));
        assert_true(members[r].ranks.must_abort);
        assert_true(now.took_s[r] < LONGEST_S / 2);
    }
    assert_valid(o, &members[0], 0);
    assert_true(members[0].ranks.must_abort);
    close_ranks(members);
    mco_overlay_destroy(test_ctx, &o);
}

// In the short ones the first rank has no time to measure a bound, and the others may have swept.
static void limits(void **state)
{
    (void)state;
    static const double limits_s[] = {0, 0.0005, 0.001, 0.002, 0.004, 0.3};
    ranks_member members[RANKS];
    mco_overlay *o = made("grafo500b-14", 7);
    mco_overlay_bound_params p = params_of(100000000);
    for (int k = 0; k < COUNT_OF(limits_s); k++) {
        p.time_limit_s = limits_s[k];
        run_ranks(o, &p, (fate){0.0003, -1, 0, 0}, 1, members);
        for (int r = 0; r < RANKS; r++) {
            assert_valid(o, &members[r], 0);
            assert_int_equal(now.results[r].stop, MCO_STOP_TIME);
        }
        assert_equal_answers(o, members);
        close_ranks(members);
    }
    mco_overlay_destroy(test_ctx, &o);
}

// Fewer blocks of nodes than ranks: some ranks have none.
static void few_nodes(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    mco_overlay *o = made("grafo50b-14", 1);
    const mco_overlay_bound_params p = params_of(20);
    run_ranks(o, &p, NO_FATE, 1, members);
    for (int r = 0; r < RANKS; r++)
        assert_valid(o, &members[r], 0);
    assert_equal_answers(o, members);
    close_ranks(members);
    mco_overlay_destroy(test_ctx, &o);
}

static void refusals(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    mco_overlay *o = made("grafo50b-14", 1);
    mco_overlay_bound_params p = params_of(20);
    p.asynchronous = 1;
    assert_int_equal(mco_overlay_bound(test_ctx, o, &p, &r), MCO_ERR_ARGUMENT);
    assert_string_equal(mco_context_error(test_ctx), "--asynchronous is for several ranks of a launcher, and there is one");
    p.method = MCO_OVERLAY_METHOD_STD;
    run_ranks(o, &p, NO_FATE, 1, members);
    assert_int_equal(members[1].status, MCO_ERR_ARGUMENT);
    assert_string_equal(mco_context_error(members[1].ctx), "--asynchronous is for --method dist");
    close_ranks(members);
    p.method = MCO_OVERLAY_METHOD_DIST;
    p.gap = 0.1;
    run_ranks(o, &p, NO_FATE, 1, members);
    assert_string_equal(mco_context_error(members[3].ctx), "--gap is for common iterations, --asynchronous has none");
    close_ranks(members);
    mco_overlay_destroy(test_ctx, &o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(delays), TEST(stopped_for_ever), TEST(stopped_at_once), TEST(stopped_for_a_while),
                                       TEST(first_rank_stopped), TEST(limits), TEST(few_nodes), TEST(refusals)};
    return cmocka_run_group_tests_name("overlay, asynchronous ranks", tests, NULL, NULL);
}
