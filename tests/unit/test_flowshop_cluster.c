// SPDX-License-Identifier: MIT
// Coordinator and workers without threads, clock or channel: a simulated network delays, repeats and drops what they
// send, workers are killed or frozen, the coordinator is killed and begins again from its checkpoint. The workers
// search real trees with the explorer of a core. The nodes must be those of one search, whatever happens.
#include "flowshop_search_support.h"

#include "base/rng.h"
#include "flowshop/cluster/coordinator.h"
#include "flowshop/cluster/member.h"

enum { WORKERS = 5, BATCH = 400 };
static const double STEP_S = 0.01;
static const double PERIOD_S = 0.2, SILENCE_S = 1.5, CHECKPOINT_S = 0.7;

// ---- The network: messages as bytes, with the time at which they arrive

typedef struct letter {
    flowshop_bytes bytes;
    double due_s;
    bool to_coordinator;
    uint64_t peer;
} letter;

enum { MOST_LETTERS = 20000 };

typedef struct worker {
    struct sim *sim;
    uint64_t peer;
    bool is_alive;
    double frozen_until_s;
    flowshop_member member;
    flowshop_search search;
    flowshop_explorer *x;
    bool has_work;            // the explorer holds an interval
    flowshop_intervals queue; // intervals not begun
    flowshop_checkpoint note;
    int64_t *base;            // counters of the explorer when this incarnation began
    int64_t base_leaves;
} worker;

typedef struct sim {
    mco_rng rng;
    const mco_flowshop *shop;
    double now_s, slowest_s;
    bool repeats;
    letter *letters;
    int64_t letter_count;
    flowshop_coordinator coordinator;
    flowshop_checkpoint state, saved, expected;
    double next_checkpoint_s;
    uint64_t life, next_peer;
    worker workers[WORKERS];
    flowshop_message in;
    int kills, restarts, zombies, repeated, lost, leaves, snapshots;
} sim;

static void post(sim *s, bool to_coordinator, uint64_t peer, const flowshop_message *m)
{
    const int copies = s->repeats && mco_rng_below(&s->rng, 10) == 0 ? 2 : 1;
    s->repeated += copies - 1;
    double after_s = s->now_s;
    // A channel keeps the order of one direction of one peer.
    for (int64_t i = 0; i < s->letter_count; i++)
        if (s->letters[i].to_coordinator == to_coordinator && s->letters[i].peer == peer && s->letters[i].due_s > after_s)
            after_s = s->letters[i].due_s;
    for (int k = 0; k < copies; k++) {
        assert_true(s->letter_count < MOST_LETTERS);
        letter *l = &s->letters[s->letter_count++];
        const double delay_s = mco_rng_below(&s->rng, 50) == 0 ? s->slowest_s : 0.001 * (double)mco_rng_below(&s->rng, 30);
        *l = (letter){.to_coordinator = to_coordinator, .peer = peer};
        l->due_s = after_s > s->now_s + delay_s ? after_s : s->now_s + delay_s;
        after_s = l->due_s;
        assert_ok(flowshop_message_encode(test_ctx, m, &l->bytes));
    }
}

static mco_status to_worker(void *to, uint64_t peer, const flowshop_message *m)
{
    post(to, false, peer, m);
    return MCO_OK;
}

static mco_status to_coordinator(void *to, const flowshop_message *m)
{
    worker *w = to;
    post(w->sim, true, w->peer, m);
    return MCO_OK;
}

// ---- A worker: one explorer

static void heard(flowshop_search *search, int64_t makespan, const int32_t *order)
{
    worker *w = (worker *)(void *)((char *)search - offsetof(worker, search));
    if (makespan >= atomic_load(&search->incumbent))
        return;
    atomic_store(&search->incumbent, makespan);
    assert_ok(flowshop_member_found(&w->member, makespan, order));
}

static const flowshop_explorer_ops *explorer_of(const sim *s)
{
    return flowshop_variant_choose(NULL, MCO_SIMD_AUTO, s->shop)->explorer;
}

static void begin_worker(sim *s, worker *w)
{
    *w = (worker){.sim = s, .peer = ++s->next_peer, .is_alive = true};
    w->member = (flowshop_member){.ctx = test_ctx, .build = 7, .power = 1, .period_s = PERIOD_S, .silence_s = SILENCE_S,
                                  .to = w, .send = to_coordinator};
    flowshop_member_begin(&w->member, s->now_s);
}

static void end_worker(worker *w)
{
    flowshop_member_end(&w->member);
    if (w->x != NULL)
        explorer_of(w->sim)->destroy(test_ctx, &w->x);
    flowshop_intervals_clear(test_ctx, &w->queue);
    flowshop_checkpoint_destroy(test_ctx, &w->note);
    mco_free(test_ctx, &w->base);
    w->is_alive = false;
}

// After the first welcome.
static void begin_search(worker *w)
{
    const flowshop_message *m = &w->member.welcome;
    const int32_t n = m->open.jobs;
    w->search = (flowshop_search){.shop = w->sim->shop, .bound = (mco_flowshop_bound)m->bound,
                                  .branching = (mco_flowshop_branching)m->branching, .rule_bound = m->rule_bound,
                                  .found = heard};
    assert_int_equal(m->count, n * m->machines);
    for (int64_t i = 0; i < m->count; i++)
        assert_int_equal(m->values[i], w->sim->shop->times[i]);
    atomic_init(&w->search.incumbent, m->makespan);
    assert_ok(explorer_of(w->sim)->create(test_ctx, &w->search, NULL, &w->x));
    assert_ok(flowshop_checkpoint_create(test_ctx, n, &w->note));
    assert_ok(mco_alloc(test_ctx, &w->base, w->member.cells));
    w->queue.jobs = n;
}

// Drops all that this incarnation had.
static void drop(worker *w)
{
    const flowshop_explorer_ops *ops = explorer_of(w->sim);
    memcpy(w->base, ops->children_by_depth(w->x), (size_t)w->member.cells * sizeof *w->base);
    w->base_leaves = ops->leaves(w->x);
    w->has_work = false;
    w->queue.count = 0;
}

static void take_note(worker *w)
{
    const flowshop_explorer_ops *ops = explorer_of(w->sim);
    w->note.open.count = 0;
    assert_ok(flowshop_intervals_reserve(test_ctx, &w->note.open, w->queue.count + 1));
    if (w->has_work)
        ops->fold(w->x, &w->note.open);
    for (int64_t i = 0; i < w->queue.count; i++)
        flowshop_interval_copy(&w->queue.items[i], flowshop_intervals_push(&w->note.open));
    for (int64_t c = 0; c < w->member.cells; c++)
        w->note.children_by_depth[c] = ops->children_by_depth(w->x)[c] - w->base[c];
    w->note.leaves = ops->leaves(w->x) - w->base_leaves;
}

static void give_away(worker *w)
{
    flowshop_intervals given = {.jobs = w->queue.jobs};
    assert_ok(flowshop_intervals_reserve(test_ctx, &given, 1));
    if (w->queue.count > 0)
        flowshop_interval_copy(&w->queue.items[--w->queue.count], flowshop_intervals_push(&given));
    else if (w->has_work)
        explorer_of(w->sim)->split(w->x, 0.5, 1, &given);
    assert_ok(flowshop_member_give(&w->member, &given));
    flowshop_intervals_clear(test_ctx, &given);
}

static void explore(worker *w)
{
    const flowshop_explorer_ops *ops = explorer_of(w->sim);
    if (!w->has_work && w->queue.count > 0) {
        ops->unfold(w->x, &w->queue.items[--w->queue.count], 1);
        w->has_work = true;
    }
    if (w->has_work)
        w->has_work = ops->explore(w->x, BATCH) == FLOWSHOP_WORK_LEFT;
}

static void step_worker(sim *s, worker *w)
{
    flowshop_wish wish;
    if (!w->is_alive || s->now_s < w->frozen_until_s)
        return;
    assert_ok(flowshop_member_tick(&w->member, s->now_s));
    if (w->member.state == FLOWSHOP_VOID) {
        if (w->x != NULL)
            drop(w);
        flowshop_member_rejoin(&w->member, s->now_s);
    }
    if (w->x == NULL && w->member.welcome.count > 0)
        begin_search(w);
    if (w->x == NULL || w->member.state == FLOWSHOP_OVER)
        return;
    flowshop_member_wish(&w->member, s->now_s, !w->has_work && w->queue.count == 0, &wish);
    if (wish.incumbent < atomic_load(&w->search.incumbent))
        atomic_store(&w->search.incumbent, wish.incumbent);
    for (int64_t i = 0; wish.work != NULL && i < wish.work->count; i++)
        assert_ok(flowshop_intervals_add(test_ctx, &w->queue, &wish.work->items[i]));
    if (wish.gift)
        give_away(w);
    if (wish.report) {
        take_note(w);
        assert_ok(flowshop_member_report(&w->member, s->now_s, &w->note));
    }
    explore(w);
}

// As by SIGTERM: it reports and leaves.
static void leave(sim *s, worker *w)
{
    if (w->x != NULL && w->member.state != FLOWSHOP_VOID) {
        take_note(w);
        assert_ok(flowshop_member_leave(&w->member, s->now_s, &w->note));
    }
    end_worker(w);
    begin_worker(s, w);
    s->leaves++;
}

// ---- The coordinator

static void begin_coordinator(sim *s)
{
    s->coordinator = (flowshop_coordinator){.ctx = test_ctx, .shop = s->shop, .life = ++s->life, .build = 7,
                                            .silence_s = SILENCE_S, .to = s, .send = to_worker, .state = &s->state};
    flowshop_coordinator_begin(&s->coordinator);
}

// What is to be saved: all that is left, and the counters. It is known at once; a snapshot of it is taken in slices.
static void expect_snapshot(sim *s)
{
    assert_ok(flowshop_coordinator_rest(&s->coordinator, &s->expected.open));
    flowshop_checkpoint_copy(&s->state, &s->expected);
    s->next_checkpoint_s = s->now_s + CHECKPOINT_S;
}

static void save(sim *s)
{
    expect_snapshot(s);
    flowshop_checkpoint_copy(&s->expected, &s->saved);
    assert_ok(flowshop_coordinator_rest(&s->coordinator, &s->saved.open));
}

// The snapshot has what was left when it began, and the counters of that moment.
static void take_snapshot(sim *s)
{
    const flowshop_snapshot *snapshot = &s->coordinator.snapshot;
    flowshop_intervals *left = &s->expected.open, *open = &s->saved.open;
    flowshop_packed_place place = {0};
    open->count = 0;
    assert_ok(flowshop_intervals_reserve(test_ctx, open, snapshot->open.count));
    while (open->count < snapshot->open.count)
        assert_true(flowshop_packed_next(&snapshot->open, open->jobs, &place, flowshop_intervals_push(open)));
    flowshop_checkpoint_copy(&snapshot->state, &s->saved);
    assert_int_equal(open->count, left->count);
    flowshop_intervals_sort(open);
    flowshop_intervals_sort(left);
    for (int64_t i = 0; i < open->count; i++) {
        const flowshop_interval *v = &open->items[i], *w = &left->items[i];
        assert_int_equal(flowshop_node_compare(v->a, v->a_depth, w->a, w->a_depth), 0);
        assert_int_equal(flowshop_node_compare(v->b, v->b_depth, w->b, w->b_depth), 0);
    }
    assert_int_equal(flowshop_search_nodes(&s->saved), flowshop_search_nodes(&s->expected));
    s->snapshots++;
}

static void step_snapshot(sim *s)
{
    if (s->coordinator.snapshot.is_open) {
        if (flowshop_snapshot_go_on(&s->coordinator, 1))
            take_snapshot(s);
    } else if (s->now_s >= s->next_checkpoint_s) {
        assert_ok(flowshop_snapshot_begin(&s->coordinator));
        expect_snapshot(s);
    }
}

static void restart_coordinator(sim *s)
{
    s->lost += (int)s->coordinator.lost;
    flowshop_coordinator_end(&s->coordinator);
    flowshop_checkpoint_copy(&s->saved, &s->state);
    s->state.open.count = 0;
    for (int64_t i = 0; i < s->saved.open.count; i++)
        assert_ok(flowshop_intervals_add(test_ctx, &s->state.open, &s->saved.open.items[i]));
    begin_coordinator(s);
    s->restarts++;
}

// ---- The simulation

static void deliver(sim *s)
{
    for (int64_t i = 0; i < s->letter_count; i++) {
        letter l = s->letters[i];
        worker *w = NULL;
        for (int k = 0; k < WORKERS && !l.to_coordinator; k++)
            w = s->workers[k].peer == l.peer ? &s->workers[k] : w;
        const bool is_frozen = w != NULL && s->now_s < w->frozen_until_s;
        if (l.due_s > s->now_s || is_frozen)
            continue;
        memmove(&s->letters[i], &s->letters[i + 1], (size_t)(s->letter_count - i - 1) * sizeof l);
        s->letter_count--;
        i--;
        s->in.open.jobs = l.to_coordinator ? mco_flowshop_jobs(s->shop) : 0;
        if (w != NULL && w->member.welcome.count > 0)
            s->in.open.jobs = w->member.welcome.open.jobs;
        flowshop_intervals_clear(test_ctx, &s->in.open);
        if (l.to_coordinator || w != NULL)
            assert_ok(flowshop_message_decode(test_ctx, l.bytes.data, l.bytes.count, &s->in));
        if (l.to_coordinator)
            assert_ok(flowshop_coordinator_receive(&s->coordinator, s->now_s, l.peer, &s->in));
        else if (w != NULL)
            assert_ok(flowshop_member_receive(&w->member, s->now_s, &s->in));
        mco_free(test_ctx, &l.bytes.data);
    }
}

static void misfortune(sim *s, uint32_t one_in)
{
    worker *w = &s->workers[mco_rng_below(&s->rng, WORKERS)];
    if (mco_rng_below(&s->rng, one_in) != 0)
        return;
    switch (mco_rng_below(&s->rng, 5)) {
    case 0:
        end_worker(w);
        begin_worker(s, w);
        s->kills++;
        break;
    case 1:  // longer than the silence: the others have its work when it wakes up
        w->frozen_until_s = s->now_s + 2 * SILENCE_S;
        s->zombies++;
        break;
    case 2: w->frozen_until_s = s->now_s + SILENCE_S / 3; break;
    case 3: restart_coordinator(s); break;
    default: leave(s, w);
    }
}

static void begin_sim(sim *s, const mco_flowshop *shop, int64_t upper_bound, uint64_t seed)
{
    const int32_t n = mco_flowshop_jobs(shop);
    flowshop_interval whole = {0};
    *s = (sim){.shop = shop, .slowest_s = seed % 3 == 0 ? 2 * SILENCE_S : 0.3, .repeats = seed % 2 == 0};
    mco_rng_seed(&s->rng, seed, 0);
    flowshop_message_begin(n, &s->in);
    assert_ok(mco_alloc(test_ctx, &s->letters, MOST_LETTERS));
    assert_ok(flowshop_checkpoint_create(test_ctx, n, &s->state));
    assert_ok(flowshop_checkpoint_create(test_ctx, n, &s->saved));
    assert_ok(flowshop_checkpoint_create(test_ctx, n, &s->expected));
    s->state.bound = MCO_FLOWSHOP_BOUND_LB1;
    s->state.branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH;
    s->state.rule_bound = s->state.upper_bound = upper_bound;
    assert_ok(flowshop_interval_create(test_ctx, n, &whole));
    assert_ok(flowshop_intervals_add(test_ctx, &s->state.open, &whole));
    flowshop_interval_destroy(test_ctx, &whole);
    begin_coordinator(s);
    save(s);
    for (int i = 0; i < WORKERS; i++)
        begin_worker(s, &s->workers[i]);
}

static void end_sim(sim *s)
{
    flowshop_coordinator_end(&s->coordinator);
    for (int i = 0; i < WORKERS; i++)
        end_worker(&s->workers[i]);
    for (int64_t i = 0; i < s->letter_count; i++)
        mco_free(test_ctx, &s->letters[i].bytes.data);
    mco_free(test_ctx, &s->letters);
    flowshop_message_clear(test_ctx, &s->in);
    flowshop_checkpoint_destroy(test_ctx, &s->state);
    flowshop_checkpoint_destroy(test_ctx, &s->saved);
    flowshop_checkpoint_destroy(test_ctx, &s->expected);
}

static void advance(sim *s)
{
    s->now_s += STEP_S;
    deliver(s);
    assert_ok(flowshop_coordinator_tick(&s->coordinator, s->now_s));
    for (int i = 0; i < WORKERS; i++)
        step_worker(s, &s->workers[i]);
}

// Runs to the end. Misfortunes come for a while, one in so many steps; 0: none.
static void run(sim *s, uint32_t one_in)
{
    enum { MOST_STEPS = 200000, UNLUCKY_STEPS = 3000 };
    int step = 0;
    for (; !s->coordinator.is_done && step < MOST_STEPS; step++) {
        if (one_in > 0 && step < UNLUCKY_STEPS)
            misfortune(s, one_in);
        advance(s);
        step_snapshot(s);
    }
    assert_true(step < MOST_STEPS);
}

static void test_counts(void **state)
{
    (void)state;
    enum { SEEDS = TEST_IS_SANITIZED ? 6 : 40 };
    sim *s;
    mco_flowshop *shop = taillard("ta020");
    int kills = 0, restarts = 0, zombies = 0, repeated = 0, lost = 0, leaves = 0, snapshots = 0;
    assert_ok(mco_alloc(test_ctx, &s, 1));
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        begin_sim(s, shop, 1591, seed);
        run(s, seed % 4 == 3 ? 0 : 20);
        assert_int_equal(flowshop_search_nodes(&s->state), 268812);
        assert_int_equal(s->state.leaves, 2);
        assert_int_equal(s->state.makespan, -1);
        kills += s->kills;
        restarts += s->restarts;
        zombies += s->zombies;
        repeated += s->repeated;
        leaves += s->leaves;
        snapshots += s->snapshots;
        lost += s->lost + (int)s->coordinator.lost;
        end_sim(s);
    }
    printf("%d killed, %d left, %d frozen, %d lost; %d coordinators killed; %d messages came twice; %d snapshots\n", kills, leaves,
           zombies, lost, restarts, repeated, snapshots);
    assert_true(kills > SEEDS && restarts > SEEDS && zombies > SEEDS && repeated > SEEDS && lost > SEEDS && leaves > SEEDS && snapshots > SEEDS);
    mco_free(test_ctx, &s);
    mco_flowshop_destroy(test_ctx, &shop);
}

// The coordinator ends early: all report once more, so what is left and what is done are exact, and another one goes on.
static void test_early_end(void **state)
{
    (void)state;
    sim *s;
    mco_flowshop *shop = taillard("ta020");
    int begun = 0;
    assert_ok(mco_alloc(test_ctx, &s, 1));
    for (uint64_t seed = 1; seed < 12; seed += 2) {
        begin_sim(s, shop, 1591, seed);
        s->slowest_s = 0.1;
        for (int step = 0; step < 100 + 10 * (int)seed && !s->coordinator.is_done; step++)
            advance(s);
        assert_ok(flowshop_coordinator_stop(&s->coordinator));
        for (int step = 0; step < 200 && s->coordinator.workers > 0; step++)
            advance(s);
        assert_int_equal(s->coordinator.workers, 0);
        for (int i = 0; i < WORKERS; i++)
            assert_int_equal(s->workers[i].member.state, FLOWSHOP_OVER);
        assert_int_equal(s->coordinator.lost, 0);
        begun += s->state.open.count > 0;
        save(s);
        restart_coordinator(s);
        for (int i = 0; i < WORKERS; i++) {
            end_worker(&s->workers[i]);
            begin_worker(s, &s->workers[i]);
        }
        run(s, 0);
        assert_int_equal(flowshop_search_nodes(&s->state), 268812);
        assert_int_equal(s->state.leaves, 2);
        end_sim(s);
    }
    assert_true(begun > 0);
    mco_free(test_ctx, &s);
    mco_flowshop_destroy(test_ctx, &shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_counts),
        TEST(test_early_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
