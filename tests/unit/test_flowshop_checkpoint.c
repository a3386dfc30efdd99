// SPDX-License-Identifier: MIT
// Checkpoints as files: text and binary, cut and spoilt ones, a thread that writes them, a disk that is full.
#include "flowshop_search_support.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/rng.h"
#include "flowshop/cluster/coordinator.h"
#include "flowshop/cluster/writer.h"
#include "flowshop/state_file.h"

enum { MANY = FLOWSHOP_MOST_IN_TEXT + 1 };

static void fill(const mco_flowshop *shop, int64_t count, flowshop_checkpoint *out)
{
    const int32_t n = mco_flowshop_jobs(shop);
    mco_rng rng;
    mco_rng_seed(&rng, 7, 0);
    assert_ok(flowshop_checkpoint_create(test_ctx, n, out));
    out->bound = MCO_FLOWSHOP_BOUND_LB1;
    out->branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH;
    out->rule_bound = out->upper_bound = 1600;
    out->leaves = 12;
    out->children_by_depth[3 * flowshop_children_columns(n) + 2] = 123456789012;
    assert_ok(flowshop_intervals_reserve(test_ctx, &out->open, count));
    for (int64_t i = 0; i < count; i++) {
        flowshop_interval *v = flowshop_intervals_push(&out->open);
        v->a_depth = v->b_depth = 1 + (int32_t)mco_rng_below(&rng, (uint32_t)n - 1);
        for (int32_t d = 0; d < v->a_depth; d++)
            v->a[d] = v->b[d] = (int32_t)mco_rng_below(&rng, (uint32_t)(n - d));
        const int32_t last = v->b_depth - 1;
        v->b[last] = n - last - 1;
        v->b_depth = i % 10 == 0 ? 0 : v->b_depth;
    }
}

static void assert_equal(const flowshop_checkpoint *a, const flowshop_checkpoint *b)
{
    const int64_t cells = ((int64_t)a->open.jobs + 1) * flowshop_children_columns(a->open.jobs);
    assert_int_equal(a->upper_bound, b->upper_bound);
    assert_int_equal(a->leaves, b->leaves);
    assert_memory_equal(a->children_by_depth, b->children_by_depth, (size_t)cells * sizeof *a->children_by_depth);
    assert_int_equal(a->open.count, b->open.count);
    for (int64_t i = 0; i < a->open.count; i++) {
        const flowshop_interval *v = &a->open.items[i], *w = &b->open.items[i];
        assert_int_equal(v->a_depth, w->a_depth);
        assert_int_equal(v->b_depth, w->b_depth);
        assert_memory_equal(v->a, w->a, (size_t)v->a_depth * sizeof *v->a);
        assert_memory_equal(v->b, w->b, (size_t)v->b_depth * sizeof *v->b);
    }
}

static int64_t size_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

// Up to FLOWSHOP_MOST_IN_TEXT intervals are text, more are binary, and both are read alike.
static void test_both_forms(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    const int64_t counts[] = {0, 1, FLOWSHOP_MOST_IN_TEXT, MANY};
    for (int k = 0; k < COUNT_OF(counts); k++) {
        flowshop_checkpoint written, read;
        const char *path = test_path("form.ckpt");
        fill(shop, counts[k], &written);
        assert_ok(flowshop_checkpoint_create(test_ctx, 20, &read));
        assert_ok(flowshop_checkpoint_write(test_ctx, shop, &written, path));
        char *begin = test_content(path);
        assert_int_equal(begin[0], counts[k] > FLOWSHOP_MOST_IN_TEXT ? FLOWSHOP_STATE_MARK[0] : '{');
        free(begin);
        assert_ok(flowshop_checkpoint_read(test_ctx, shop, path, &read));
        assert_equal(&written, &read);
        printf("%lld intervals: %lld bytes\n", (long long)counts[k], (long long)size_of(path));
        flowshop_checkpoint_destroy(test_ctx, &written);
        flowshop_checkpoint_destroy(test_ctx, &read);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Cut and spoilt files

// The file of `data` must be refused with this text.
static void expect_refused(const mco_flowshop *shop, const char *data, int64_t size, const char *part)
{
    flowshop_checkpoint c;
    const char *path = test_file_bytes("bad.ckpt", data, (size_t)size);
    assert_ok(flowshop_checkpoint_create(test_ctx, mco_flowshop_jobs(shop), &c));
    assert_int_equal(flowshop_checkpoint_read(test_ctx, shop, path, &c), MCO_ERR_PARSE);
    expect_text(part);
    flowshop_checkpoint_destroy(test_ctx, &c);
}

static void test_spoilt_files(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    flowshop_checkpoint c;
    mco_rng rng;
    const char *path = test_path("whole.ckpt");
    char text[80];
    mco_rng_seed(&rng, 3, 0);
    fill(shop, MANY, &c);
    assert_ok(flowshop_checkpoint_write(test_ctx, shop, &c, path));
    flowshop_checkpoint_destroy(test_ctx, &c);
    const int64_t size = size_of(path);
    char *data = malloc((size_t)size);
    FILE *file = fopen(path, "rb");
    assert_true(data != NULL && file != NULL);
    assert_int_equal(fread(data, 1, (size_t)size, file), size);
    fclose(file);
    for (int k = 0; k < 12; k++) {
        const int64_t cut = 48 + mco_rng_below(&rng, (uint32_t)size - 48), at = 40 + mco_rng_below(&rng, (uint32_t)size - 40);
        snprintf(text, sizeof text, "cut: it has %lld bytes, its header says %lld", (long long)cut, (long long)size);
        expect_refused(shop, data, cut, text);
        data[at] ^= 4;
        expect_refused(shop, data, size, "its hash does not match");
        data[at] ^= 4;
    }
    for (int64_t at = 0; at < 40; at++) {
        data[at] ^= 1;
        expect_refused(shop, data, size, "The file is left as it is");
        data[at] ^= 1;
    }
    expect_refused(shop, data, 20, "cut: it has 20 bytes, its header alone 40");
    expect_refused(shop, data, 5, "5 bytes without its last line");
    expect_refused(shop, data, 20, "there is no checkpoint before it");
    assert_non_null(test_file("bad.ckpt.prev", "{"));
    expect_refused(shop, data, 20, "/bad.ckpt.prev goes on from the checkpoint before it");
    free(data);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- Files with sound sizes and hashes and a wrong content

static void put_word(char *out, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        out[i] = (char)(value >> 8 * i & 0xff);
}

static int64_t compose(const char *head, const void *tail, int64_t tail_bytes, char *out)
{
    const size_t head_bytes = strlen(head), size = 40 + head_bytes + (size_t)tail_bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    memcpy(out, FLOWSHOP_STATE_MARK, 8);
    put_word(out + 8, 1);
    put_word(out + 16, size + 8);
    put_word(out + 24, head_bytes);
    put_word(out + 32, (uint64_t)tail_bytes);
    memcpy(out + 40, head, head_bytes);
    memcpy(out + 40 + head_bytes, tail, (size_t)tail_bytes);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)out[i]) * 0x100000001b3u;
    put_word(out + size, hash);
    return (int64_t)size + 8;
}

static void test_wrong_content(void **state)
{
    (void)state;
    static const struct {
        const char *open, *reason;  // the member of that name; NULL: it must be taken
        unsigned char tail[8];
        int64_t bytes;
    } cases[] = {
        {"2", NULL, {1, 3, 0, 2, 3, 0, 0}, 7},
        {"0", NULL, {0}, 0},
        {"2", "interval 2 of 2, at byte", {1, 3, 0, 1, 4, 0}, 6},
        {"1", "is none of a tree of 4 jobs", {2, 3, 3, 0}, 4},
        {"1", "is none of a tree of 4 jobs", {1, 3, 1, 2}, 4},
        {"1", "is none of a tree of 4 jobs", {5, 0, 0, 0, 0, 0, 0}, 7},
        {"1", "3 bytes follow the last of 1 intervals", {0, 0, 0, 0, 0}, 5},
        {"3", "3 intervals in 4 bytes", {0, 0, 0, 0}, 4},
        {"9223372036854775807", "intervals in 4 bytes", {0, 0, 0, 0}, 4},
        {"[]", "-1 intervals in 4 bytes", {0, 0, 0, 0}, 4},
        {"-1", "a number of intervals", {0, 0}, 2},
    };
    static const int32_t times[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    mco_flowshop *shop = NULL;
    flowshop_checkpoint c;
    assert_ok(mco_flowshop_create(test_ctx, 4, 3, times, &shop));
    fill(shop, 0, &c);
    const char *path = test_path("small.ckpt");
    assert_ok(flowshop_checkpoint_write(test_ctx, shop, &c, path));
    char *body = test_content(path), *open = strstr(body, "\"open\": []"), head[2048], file[4096];
    assert_non_null(open);
    for (int k = 0; k < COUNT_OF(cases); k++) {
        snprintf(head, sizeof head, "%.*s\"open\": %s\n}\n", (int)(open - body), body, cases[k].open);
        const int64_t size = compose(head, cases[k].tail, cases[k].bytes, file);
        if (cases[k].reason != NULL) {
            expect_refused(shop, file, size, cases[k].reason);
            continue;
        }
        c.open.count = 0;
        assert_ok(flowshop_checkpoint_read(test_ctx, shop, test_file_bytes("good.ckpt", file, (size_t)size), &c));
        assert_int_equal(c.open.count, atoi(cases[k].open));
    }
    // A text whose intervals should follow.
    const int length = snprintf(head, sizeof head, "%.*s\"open\": 2\n}\n", (int)(open - body), body);
    uint64_t hash = 0xcbf29ce484222325u;
    for (int i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)head[i]) * 0x100000001b3u;
    const int size = snprintf(file, sizeof file, "%s# fnv1a %016llx\n", head, (unsigned long long)hash);
    expect_refused(shop, file, size, "its members contradict each other");
    free(body);
    flowshop_checkpoint_destroy(test_ctx, &c);
    mco_flowshop_destroy(test_ctx, &shop);
}

// ---- The writer's thread

static mco_status drop_message(void *to, uint64_t peer, const flowshop_message *m)
{
    (void)to, (void)peer, (void)m;
    return MCO_OK;
}

// Writes a snapshot of `c` and returns what became of it.
static mco_status write_snapshot(const mco_flowshop *shop, flowshop_checkpoint *c, const char *path)
{
    flowshop_coordinator coordinator = {.ctx = test_ctx, .shop = shop, .send = drop_message, .state = c};
    flowshop_writer writer;
    const double end_s = mco_clock_s() + 60;
    flowshop_coordinator_begin(&coordinator);
    assert_ok(flowshop_writer_create(test_ctx, shop, path, &writer));
    assert_ok(flowshop_snapshot_begin(&coordinator));
    while (!flowshop_snapshot_go_on(&coordinator, 1000))
        assert_true(coordinator.snapshot.is_open);
    assert_ok(flowshop_writer_start(&writer, &coordinator.snapshot));
    while (!flowshop_writer_is_done(&writer))
        assert_true(mco_clock_s() < end_s);
    const mco_status st = writer.st;
    if (st != MCO_OK)
        mco_fail(test_ctx, st, "%s", mco_context_error(writer.own));
    flowshop_writer_destroy(&writer);
    flowshop_coordinator_end(&coordinator);
    return st;
}

// A worker takes the queue and is lost while a snapshot is taken, so the queue has other intervals at the same places. The snapshot has
// those of its begin, each once.
static void test_snapshot_of_a_moving_queue(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    mco_flowshop *shop = taillard("ta020");
    flowshop_checkpoint c, begun;
    flowshop_message hello = {.kind = FLOWSHOP_HELLO, .power = 1};
    flowshop_packed_place place = {0};
    flowshop_interval v = {0};
    fill(shop, COUNT, &c);
    fill(shop, COUNT, &begun);
    assert_ok(flowshop_interval_create(test_ctx, 20, &v));
    flowshop_coordinator coordinator = {.ctx = test_ctx, .shop = shop, .silence_s = 1, .send = drop_message, .state = &c};
    flowshop_coordinator_begin(&coordinator);
    assert_ok(flowshop_snapshot_begin(&coordinator));
    bool is_whole = false;
    for (int step = 1; !is_whole; step++) {
        is_whole = flowshop_snapshot_go_on(&coordinator, 7);
        if (step % 3 == 0)
            assert_ok(flowshop_coordinator_receive(&coordinator, step, 1, &hello));
        if (step % 3 == 1)
            assert_ok(flowshop_coordinator_tick(&coordinator, step + 2));
        c.leaves++;
    }
    assert_int_equal(coordinator.snapshot.open.count, COUNT);
    assert_int_equal(coordinator.snapshot.state.leaves, begun.leaves);
    int64_t found[COUNT] = {0};
    while (flowshop_packed_next(&coordinator.snapshot.open, 20, &place, &v))
        for (int i = 0; i < COUNT; i++) {
            const flowshop_interval *w = &begun.open.items[i];
            found[i] += flowshop_node_compare(v.a, v.a_depth, w->a, w->a_depth) == 0 &&
                        flowshop_node_compare(v.b, v.b_depth, w->b, w->b_depth) == 0;
        }
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(found[i], 1);
    flowshop_interval_destroy(test_ctx, &v);
    flowshop_coordinator_end(&coordinator);
    flowshop_checkpoint_destroy(test_ctx, &begun);
    flowshop_checkpoint_destroy(test_ctx, &c);
    mco_flowshop_destroy(test_ctx, &shop);
}

// Without memory for it the snapshot fails and the search goes on.
static void test_snapshot_without_memory(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    flowshop_checkpoint c;
    fill(shop, 10, &c);
    flowshop_coordinator coordinator = {.ctx = test_ctx, .shop = shop, .silence_s = 1, .send = drop_message, .state = &c};
    flowshop_coordinator_begin(&coordinator);
    assert_ok(flowshop_snapshot_begin(&coordinator));
    test_fail_allocation(1);
    assert_false(flowshop_snapshot_go_on(&coordinator, 100));
    test_fail_allocation(0);
    assert_true(coordinator.snapshot.has_failed && !coordinator.snapshot.is_open);
    assert_ok(flowshop_snapshot_begin(&coordinator));
    assert_true(flowshop_snapshot_go_on(&coordinator, 100));
    assert_int_equal(coordinator.snapshot.open.count, 10);
    flowshop_coordinator_end(&coordinator);
    flowshop_checkpoint_destroy(test_ctx, &c);
    mco_flowshop_destroy(test_ctx, &shop);
}

static void test_writer(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    const int64_t counts[] = {50, MANY};
    for (int k = 0; k < COUNT_OF(counts); k++) {
        flowshop_checkpoint written, read;
        const char *path = test_path("thread.ckpt");
        fill(shop, counts[k], &written);
        assert_ok(flowshop_checkpoint_create(test_ctx, 20, &read));
        assert_ok(write_snapshot(shop, &written, path));
        assert_ok(flowshop_checkpoint_read(test_ctx, shop, path, &read));
        flowshop_intervals_sort(&written.open);
        flowshop_intervals_sort(&read.open);
        assert_int_equal(read.open.count, written.open.count);
        assert_int_equal(flowshop_search_nodes(&read), flowshop_search_nodes(&written));
        for (int64_t i = 0; i < read.open.count; i++)
            assert_int_equal(flowshop_node_compare(read.open.items[i].a, read.open.items[i].a_depth, written.open.items[i].a,
                                                   written.open.items[i].a_depth), 0);
        assert_int_equal(write_snapshot(shop, &written, "no-such-folder/c"), MCO_ERR_IO);
        expect_text("no-such-folder/c");
        flowshop_checkpoint_destroy(test_ctx, &written);
        flowshop_checkpoint_destroy(test_ctx, &read);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

// The tree of ta020 in pieces at depth 4, more than a text takes. A file of them passes through a coordinator into another file, and one
// process does the rest: the nodes are those of the whole tree.
static void test_search_from_many_intervals(void **state)
{
    (void)state;
    enum { JOBS = 20, DEPTH = 4, PIECES = 20 * 19 * 18 * 17 };
    mco_flowshop *shop = taillard("ta020");
    const char *first = test_path("pieces.ckpt"), *second = test_path("again.ckpt");
    solve_of_test s;
    flowshop_checkpoint passed;
    int32_t next[DEPTH] = {0};
    prepare(&s, shop, MCO_ENGINE_CPU, 0, 2, 1591);
    s.state.bound = MCO_FLOWSHOP_BOUND_LB1;
    s.state.branching = MCO_FLOWSHOP_BRANCHING_MINBRANCH;
    s.state.upper_bound = 1591;
    assert_ok(flowshop_intervals_reserve(test_ctx, &s.state.open, PIECES));
    for (int i = 0; i < PIECES; i++) {
        flowshop_interval *v = flowshop_intervals_push(&s.state.open);
        memcpy(v->a, next, sizeof next);
        v->a_depth = flowshop_path_trim(next, DEPTH);  // the ancestors of the same number are in this piece
        for (int d = DEPTH - 1; d >= 0 && ++next[d] == JOBS - d; d--)
            next[d] = 0;
        memcpy(v->b, next, sizeof next);
        v->b_depth = i + 1 < PIECES ? flowshop_path_trim(next, DEPTH) : 0;
    }
    assert_ok(flowshop_checkpoint_write(test_ctx, shop, &s.state, first));
    assert_ok(flowshop_checkpoint_create(test_ctx, JOBS, &passed));
    assert_ok(flowshop_checkpoint_read(test_ctx, shop, first, &passed));
    assert_ok(write_snapshot(shop, &passed, second));
    s.state.open.count = 0;
    assert_ok(flowshop_checkpoint_read(test_ctx, shop, second, &s.state));
    assert_int_equal(s.state.open.count, PIECES);
    assert_ok(search(&s));
    assert_int_equal(s.result.nodes, 268812);
    assert_true(s.is_proved);
    flowshop_checkpoint_destroy(test_ctx, &passed);
    end(&s);
    mco_flowshop_destroy(test_ctx, &shop);
}

// A file may have 4,096 bytes, as on a disk that is full: the checkpoint fails, the earlier one stays. Then there is room again.
static void test_full_disk(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta020");
    const int64_t counts[] = {1000, MANY};
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = (struct rlimit){.rlim_cur = 4096, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    for (int k = 0; k < COUNT_OF(counts); k++) {
        flowshop_checkpoint few, many, read;
        const char *path = test_path("full.ckpt");
        fill(shop, 3, &few);
        fill(shop, counts[k], &many);
        assert_ok(flowshop_checkpoint_write(test_ctx, shop, &few, path));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        assert_int_equal(flowshop_checkpoint_write(test_ctx, shop, &many, path), MCO_ERR_IO);
        expect_text(strerror(EFBIG));
        assert_int_equal(write_snapshot(shop, &many, path), MCO_ERR_IO);
        expect_text(strerror(EFBIG));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_ok(flowshop_checkpoint_create(test_ctx, 20, &read));
        assert_ok(flowshop_checkpoint_read(test_ctx, shop, path, &read));
        assert_equal(&few, &read);
        assert_ok(write_snapshot(shop, &many, path));
        read.open.count = 0;
        assert_ok(flowshop_checkpoint_read(test_ctx, shop, path, &read));
        assert_int_equal(read.open.count, counts[k]);
        flowshop_checkpoint_destroy(test_ctx, &few);
        flowshop_checkpoint_destroy(test_ctx, &many);
        flowshop_checkpoint_destroy(test_ctx, &read);
    }
    mco_flowshop_destroy(test_ctx, &shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_both_forms), TEST(test_spoilt_files), TEST(test_wrong_content), TEST(test_snapshot_of_a_moving_queue),
                                       TEST(test_snapshot_without_memory), TEST(test_writer),
                                       TEST(test_search_from_many_intervals),
                                       TEST(test_full_disk)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
