// SPDX-License-Identifier: MIT
// Messages of a cluster by hand: bytes that are none, and moments that a simulation rarely meets.
#include "flowshop_search_support.h"

#include <stdlib.h>

#include "base/rng.h"
#include "flowshop/cluster/coordinator.h"
#include "flowshop/cluster/member.h"

static const double PERIOD_S = 0.2, SILENCE_S = 1.5;

// ---- One worker by hand

static mco_status drop_message(void *to, const flowshop_message *m)
{
    (*(flowshop_message_kind *)to) = m->kind;
    return MCO_OK;
}

static flowshop_member welcome_member(flowshop_message_kind *last)
{
    static int64_t times[] = {1, 2, 3, 4, 5, 6};
    flowshop_message welcome = {.kind = FLOWSHOP_WELCOME, .life = 9, .incarnation = 4, .machines = 2, .scale = 1, .makespan = 30,
                                .rule_bound = 30, .count = 6, .values = times, .open.jobs = 3};
    flowshop_member m = {.ctx = test_ctx, .build = 7, .power = 1, .period_s = PERIOD_S, .silence_s = SILENCE_S, .to = last,
                         .send = drop_message};
    flowshop_member_begin(&m, 0);
    assert_ok(flowshop_member_receive(&m, 0, &welcome));
    assert_int_equal(m.state, FLOWSHOP_WAITING_FOR_WORK);
    return m;
}

static void receive_work(flowshop_member *m)
{
    flowshop_message work = {.kind = FLOWSHOP_WORK, .life = 9, .incarnation = 4, .number = 1, .open.jobs = 3};
    assert_ok(flowshop_intervals_reserve(test_ctx, &work.open, 1));
    flowshop_intervals_push(&work.open);
    assert_ok(flowshop_member_receive(m, 0, &work));
    assert_int_equal(m->state, FLOWSHOP_AT_WORK);
    flowshop_message_clear(test_ctx, &work);
}

// A signal comes after the work, and before the search has taken it: no report may say that nothing is left.
static void test_leave_before_work_is_taken(void **state)
{
    (void)state;
    flowshop_message_kind last = FLOWSHOP_PING;
    flowshop_checkpoint nothing;
    flowshop_member m = welcome_member(&last);
    assert_ok(flowshop_checkpoint_create(test_ctx, 3, &nothing));
    receive_work(&m);
    assert_ok(flowshop_member_report(&m, 0, &nothing));
    assert_int_equal(last, FLOWSHOP_PING);
    assert_ok(flowshop_member_leave(&m, 0, &nothing));
    assert_int_equal(last, FLOWSHOP_LEAVE);
    assert_int_equal(m.sent, 1);
    flowshop_member_end(&m);
    flowshop_checkpoint_destroy(test_ctx, &nothing);
}

// The end of all reaches a worker that was given up, and one that is at work.
static void test_end_of_all(void **state)
{
    (void)state;
    const flowshop_message_kind kinds[] = {FLOWSHOP_GONE, FLOWSHOP_PING};
    for (int k = 0; k < 2; k++) {
        flowshop_message_kind last = FLOWSHOP_PING;
        flowshop_message in = {.kind = kinds[k], .life = 9, .incarnation = 4}, stop = {.kind = FLOWSHOP_STOP};
        flowshop_member m = welcome_member(&last);
        receive_work(&m);
        assert_ok(flowshop_member_receive(&m, 0, &in));
        assert_ok(flowshop_member_receive(&m, 0, &stop));
        assert_int_equal(m.state, FLOWSHOP_OVER);
        flowshop_member_end(&m);
    }
}

// Hellos that waited for the coordinator together make one incarnation.
static mco_status drop_answer(void *to, uint64_t peer, const flowshop_message *m)
{
    (void)to, (void)peer, (void)m;
    return MCO_OK;
}

static void test_hellos_together(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    flowshop_checkpoint s;
    flowshop_interval whole = {0};
    flowshop_message hello = {.kind = FLOWSHOP_HELLO, .build = 7, .power = 1};
    assert_ok(flowshop_checkpoint_create(test_ctx, 20, &s));
    assert_ok(flowshop_interval_create(test_ctx, 20, &whole));
    assert_ok(flowshop_intervals_add(test_ctx, &s.open, &whole));
    flowshop_coordinator c = {.ctx = test_ctx, .shop = shop, .life = 1, .build = 7, .silence_s = SILENCE_S, .send = drop_answer,
                              .state = &s};
    flowshop_coordinator_begin(&c);
    for (int k = 0; k < 5; k++)
        assert_ok(flowshop_coordinator_receive(&c, 10, 77, &hello));
    assert_int_equal(c.workers, 1);
    assert_int_equal(c.last_incarnation, 1);
    assert_ok(flowshop_coordinator_receive(&c, 11, 77, &hello));
    assert_int_equal(c.workers, 1);
    assert_int_equal(c.last_incarnation, 2);
    flowshop_coordinator_end(&c);
    flowshop_interval_destroy(test_ctx, &whole);
    flowshop_checkpoint_destroy(test_ctx, &s);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Hostile bytes

// Random bytes, and true messages that are cut or have one byte changed: each is refused, or a message whose intervals lie in the tree.
static void test_hostile_bytes(void **state)
{
    (void)state;
    enum { JOBS = 4, ROUNDS = 40000, MOST = 64 };
    flowshop_bytes bytes = {0};
    flowshop_message m;
    mco_rng rng;
    int64_t values[] = {0, 5, 3, 1};
    int refused = 0, taken = 0;
    mco_rng_seed(&rng, 11, 0);
    for (int round = 0; round < ROUNDS; round++) {
        const flowshop_message_kind kind = (flowshop_message_kind)(round % FLOWSHOP_MESSAGE_KINDS);
        flowshop_message sent = {.kind = kind, .life = 1, .incarnation = 2, .power = 1, .machines = 1, .scale = 1, .values = values,
                                 .bound = MCO_FLOWSHOP_BOUND_LB1, .branching = MCO_FLOWSHOP_BRANCHING_FORWARD, .open.jobs = JOBS};
        sent.count = kind == FLOWSHOP_REPORT ? 2 * (int64_t)mco_rng_below(&rng, 3) : JOBS;
        assert_ok(flowshop_intervals_reserve(test_ctx, &sent.open, 2));
        flowshop_interval *v = flowshop_intervals_push(&sent.open);
        v->a_depth = v->b_depth = 2;
        v->a[0] = 1, v->a[1] = 0, v->b[0] = 2, v->b[1] = 2;
        assert_ok(flowshop_message_encode(test_ctx, &sent, &bytes));
        int64_t size = bytes.count;
        for (int64_t i = 0; round % 3 == 0 && i < size; i++)
            bytes.data[i] = (uint8_t)(i < 2 ? bytes.data[i] : mco_rng_below(&rng, 256));
        if (round % 3 == 1)
            bytes.data[mco_rng_below(&rng, (uint32_t)size)] = (uint8_t)mco_rng_below(&rng, 256);
        if (round % 3 == 2)
            size = (int64_t)mco_rng_below(&rng, (uint32_t)size);
        uint8_t *exact = malloc(size > 0 ? (size_t)size : 1);  // so that a sanitizer sees a read behind the end
        assert_non_null(exact);
        memcpy(exact, bytes.data, (size_t)size);
        flowshop_message_begin(round % 2 == 0 ? JOBS : 0, &m);
        const mco_status st = flowshop_message_decode(test_ctx, exact, size, &m);
        assert_true(st == MCO_OK || st == MCO_ERR_PARSE);
        assert_true(round % 3 != 2 || st == MCO_ERR_PARSE);
        refused += st != MCO_OK;
        taken += st == MCO_OK;
        for (int64_t i = 0; st == MCO_OK && i < m.open.count; i++)
            for (int32_t d = 0; d < m.open.items[i].a_depth; d++)
                assert_in_range(m.open.items[i].a[d], 0, JOBS - d - 1);
        free(exact);
        flowshop_message_clear(test_ctx, &m);
        flowshop_message_clear(test_ctx, &(flowshop_message){.open = sent.open});
    }
    assert_true(refused > ROUNDS / 3 && taken > 100);
    mco_free(test_ctx, &bytes.data);
}

// A report with half a pair of changes, and intervals that reach a worker before it knows the instance.
static void test_odd_reports(void **state)
{
    (void)state;
    int64_t values[] = {0, 5, 3};
    flowshop_bytes bytes = {0};
    flowshop_message m, sent = {.kind = FLOWSHOP_REPORT, .count = 3, .values = values, .open.jobs = 4};
    flowshop_message_begin(4, &m);
    assert_ok(flowshop_message_encode(test_ctx, &sent, &bytes));
    assert_int_equal(flowshop_message_decode(test_ctx, bytes.data, bytes.count, &m), MCO_ERR_PARSE);
    sent = (flowshop_message){.kind = FLOWSHOP_WORK, .open.jobs = 4};
    assert_ok(flowshop_intervals_reserve(test_ctx, &sent.open, 1));
    flowshop_intervals_push(&sent.open);
    assert_ok(flowshop_message_encode(test_ctx, &sent, &bytes));
    assert_ok(flowshop_message_decode(test_ctx, bytes.data, bytes.count, &m));
    flowshop_message_clear(test_ctx, &m);
    flowshop_message_begin(0, &m);
    assert_int_equal(flowshop_message_decode(test_ctx, bytes.data, bytes.count, &m), MCO_ERR_PARSE);
    flowshop_message_clear(test_ctx, &m);
    flowshop_message_clear(test_ctx, &(flowshop_message){.open = sent.open});
    mco_free(test_ctx, &bytes.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_leave_before_work_is_taken),
        TEST(test_end_of_all),
        TEST(test_hellos_together),
        TEST(test_hostile_bytes),
        TEST(test_odd_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
