// SPDX-License-Identifier: MIT
// A coordinator with many workers: who is asked, who is served, and when all is done. The test plays all workers.
#include "flowshop_search_support.h"

#include "flowshop/cluster/coordinator.h"
#include "flowshop/state_file.h"

enum { WORKERS = 300 };

typedef struct player {
    uint64_t incarnation;
    int64_t slot, number;
    int asks, works;           // messages that came
    flowshop_intervals work;
} player;

typedef struct game {
    mco_flowshop *shop;
    flowshop_checkpoint state;
    flowshop_coordinator c;
    player players[WORKERS];
} game;

static mco_status take(void *to, uint64_t peer, const flowshop_message *m)
{
    game *g = to;
    player *p = &g->players[peer - 1];
    p->asks += m->kind == FLOWSHOP_ASK;
    if (m->kind == FLOWSHOP_WELCOME) {
        p->incarnation = m->incarnation;
        p->slot = m->slot;
    }
    if (m->kind != FLOWSHOP_WORK)
        return MCO_OK;
    p->works++;
    for (int64_t i = 0; i < m->open.count; i++)
        assert_ok(flowshop_intervals_add(test_ctx, &p->work, &m->open.items[i]));
    return MCO_OK;
}

static void say(game *g, int who, double now_s, flowshop_message_kind kind, const flowshop_intervals *open)
{
    player *p = &g->players[who];
    flowshop_message m = {.kind = kind, .life = 1, .incarnation = p->incarnation, .slot = p->slot, .number = ++p->number,
                          .open.jobs = mco_flowshop_jobs(g->shop)};
    for (int64_t i = 0; open != NULL && i < open->count; i++)
        assert_ok(flowshop_intervals_add(test_ctx, &m.open, &open->items[i]));
    assert_ok(flowshop_coordinator_receive(&g->c, now_s, (uint64_t)who + 1, &m));
    flowshop_intervals_clear(test_ctx, &m.open);
}

static void begin_game(game *g)
{
    flowshop_interval whole = {0};
    *g = (game){.shop = taillard("ta020")};
    const int32_t n = mco_flowshop_jobs(g->shop);
    assert_ok(flowshop_checkpoint_create(test_ctx, n, &g->state));
    assert_ok(flowshop_interval_create(test_ctx, n, &whole));
    assert_ok(flowshop_intervals_add(test_ctx, &g->state.open, &whole));
    flowshop_interval_destroy(test_ctx, &whole);
    g->c = (flowshop_coordinator){.ctx = test_ctx, .shop = g->shop, .life = 1, .build = 7, .silence_s = 100, .to = g, .send = take,
                                  .state = &g->state};
    flowshop_coordinator_begin(&g->c);
    const flowshop_message hello = {.kind = FLOWSHOP_HELLO, .build = 7, .power = 1};
    for (int i = 0; i < WORKERS; i++) {
        flowshop_message m = hello;
        g->players[i].work.jobs = n;
        assert_ok(flowshop_coordinator_receive(&g->c, 0, (uint64_t)i + 1, &m));
    }
}

static int asks(const game *g)
{
    int sum = 0;
    for (int i = 0; i < WORKERS; i++)
        sum += g->players[i].asks;
    return sum;
}

static void end_game(game *g)
{
    flowshop_coordinator_end(&g->c);
    for (int i = 0; i < WORKERS; i++)
        flowshop_intervals_clear(test_ctx, &g->players[i].work);
    flowshop_checkpoint_destroy(test_ctx, &g->state);
    mco_flowshop_destroy(test_ctx, &g->shop);
}

// The holder gives the nodes from `digit` at the root on, and keeps those before.
static void give(game *g, int who, double now_s, int32_t digit)
{
    player *p = &g->players[who];
    flowshop_intervals given = {.jobs = p->work.jobs};
    flowshop_interval *mine = &p->work.items[0];
    assert_ok(flowshop_intervals_add(test_ctx, &given, mine));
    given.items[0].a[0] = mine->b[0] = digit;
    given.items[0].a_depth = mine->b_depth = 1;
    say(g, who, now_s, FLOWSHOP_GAVE, &given);
    flowshop_intervals_clear(test_ctx, &given);
}

static void test_many(void **state)
{
    (void)state;
    game *g;
    assert_ok(mco_alloc(test_ctx, &g, 1));
    begin_game(g);
    // The first has all, everybody else waits, and only the first can be asked.
    assert_int_equal(g->players[0].works, 1);
    assert_int_equal(g->players[0].asks, 1);
    assert_int_equal(asks(g), 1);
    assert_int_equal(g->c.waiting.count, WORKERS - 1);
    // A gift serves one that waits. Then two can be asked.
    give(g, 0, 1, 10);
    assert_int_equal(g->c.gifts, 1);
    assert_int_equal(g->c.waiting.count, WORKERS - 2);
    assert_int_equal(asks(g), 3);
    assert_int_equal(g->c.asked, 2);
    // One that has nothing to give is asked again after a while.
    say(g, 0, 1.01, FLOWSHOP_GAVE, NULL);
    assert_int_equal(asks(g), 3);
    assert_ok(flowshop_coordinator_tick(&g->c, 2));
    assert_int_equal(g->players[0].asks, 3);
    // The work of one that leaves goes to another one at once.
    int second = 1;
    while (g->players[second].works == 0)
        second++;
    say(g, second, 2, FLOWSHOP_LEAVE, NULL);
    int third = 1;
    while (third == second || g->players[third].works == 0)
        third++;
    assert_int_equal(g->players[third].work.items[0].a[0], 10);
    assert_int_equal(g->c.workers, WORKERS - 1);
    assert_int_equal(g->c.waiting.count, WORKERS - 3);
    assert_int_equal(g->c.holders, 2);
    // All is done when the last one reports that nothing is left.
    say(g, third, 2, FLOWSHOP_REPORT, NULL);
    assert_false(g->c.is_done);
    say(g, 0, 2, FLOWSHOP_REPORT, NULL);
    assert_true(g->c.is_done);
    assert_int_equal(g->c.waiting.count, WORKERS - 1);
    // The silent are given up, and their slots are free.
    assert_ok(flowshop_coordinator_tick(&g->c, 200));
    assert_int_equal(g->c.workers, 0);
    assert_int_equal(g->c.unused.count, WORKERS);
    end_game(g);
    mco_free(test_ctx, &g);
}

// Reports of more nodes than a checkpoint may hold: their worker is given up before.
static void test_overflow(void **state)
{
    (void)state;
    game *g;
    int64_t values[2] = {flowshop_children_columns(20) + 1, FLOWSHOP_STATE_LARGEST / 8};  // of the first depth
    int reports = 0;
    assert_ok(mco_alloc(test_ctx, &g, 1));
    begin_game(g);
    player *p = &g->players[0];
    while (g->c.lost == 0 && reports++ < 100) {
        flowshop_message m = {.kind = FLOWSHOP_REPORT, .life = 1, .incarnation = p->incarnation, .slot = p->slot, .number = ++p->number,
                              .open = p->work, .count = 2, .values = values};
        assert_ok(flowshop_coordinator_receive(&g->c, 1, 1, &m));
    }
    assert_int_equal(reports, 9);  // the first beyond
    assert_true(flowshop_search_nodes(&g->state) <= FLOWSHOP_STATE_LARGEST);
    assert_int_equal(g->c.lost, 1);
    end_game(g);
    mco_free(test_ctx, &g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_many), TEST(test_overflow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
