// SPDX-License-Identifier: MIT
// Ranks as threads: collectives, one rank that fails, ranks that disagree; and how a machine is divided among its processes.
#include "cluster/cluster.h"
#include "ranks_threads.h"

enum { RANKS = 4 };

typedef struct seen {
    int64_t sums[3], greatest, part[8];
    double least;
    char text[8];
} seen;
static seen of_rank[RANKS];

static mco_status use_all(ranks_member *m)
{
    mco_status st = MCO_OK;
    mco_context *ctx = m->ctx;
    const int rank = mco_rank(ctx);
    seen *s = &of_rank[rank];
    int64_t first[RANKS + 1];
    *s = (seen){.sums = {rank, -rank, INT64_C(1) << 40}, .greatest = rank == 2 ? 77 : -rank, .least = rank == 1 ? -0.5 : rank};
    memset(s->part, -1, sizeof s->part);
    for (int r = 0; r <= RANKS; r++)
        first[r] = mco_rank_first(ctx, 6, r) * (int64_t)sizeof *s->part;
    for (int64_t k = mco_rank_first(ctx, 6, rank); k < mco_rank_first(ctx, 6, rank + 1); k++)
        s->part[k] = 10 * k + rank;
    snprintf(s->text, sizeof s->text, "rank %d", rank);
    MCO_TRY(mco_ranks_reduce(ctx, s->sums, 3, MCO_REDUCE_SUM));
    MCO_TRY(mco_ranks_greatest(ctx, &s->greatest));
    MCO_TRY(mco_ranks_least(ctx, &s->least));
    MCO_TRY(mco_ranks_gather(ctx, s->part, first));
    MCO_TRY(mco_ranks_broadcast(ctx, s->text, sizeof s->text, 3));
    MCO_TRY(mco_ranks_agree(ctx, MCO_OK));
done:
    return st;
}

static void use(ranks_member *m)
{
    m->status = use_all(m);
}

static void collectives(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    ranks_run(RANKS, use, NULL, members);
    for (int r = 0; r < RANKS; r++) {
        static const int64_t parts[8] = {0, 10, 21, 31, 42, 53, -1, -1};
        const seen *s = &of_rank[r];
        assert_int_equal(members[r].status, MCO_OK);
        assert_int_equal(s->sums[0], 6);
        assert_int_equal(s->sums[1], -6);
        assert_int_equal(s->sums[2], INT64_C(1) << 42);
        assert_int_equal(s->greatest, 77);
        assert_true(s->least == -0.5);
        assert_memory_equal(s->part, parts, sizeof parts);
        assert_string_equal(s->text, "rank 3");
    }
    ranks_close(RANKS, members);
}

static void alone(void **state)
{
    (void)state;
    int64_t value = 5;
    const int64_t first[2] = {0, 8};
    assert_int_equal(mco_rank_count(test_ctx), 1);
    assert_int_equal(mco_rank_first(test_ctx, 9, 1), 9);
    assert_ok(mco_ranks_greatest(test_ctx, &value));
    assert_ok(mco_ranks_gather(test_ctx, &value, first));
    assert_int_equal(value, 5);
    assert_int_equal(mco_ranks_agree(test_ctx, MCO_ERR_IO), MCO_ERR_IO);
}

// Rank 2 fails where the others reduce; rank 3 fails there too. All learn what rank 2 says, and later calls fail at once.
static void fail_somewhere(ranks_member *m)
{
    int64_t value = 1;
    mco_context *ctx = m->ctx;
    const int rank = mco_rank(ctx);
    if (rank >= 2)
        m->status = mco_ranks_agree(ctx, mco_fail(ctx, rank == 2 ? MCO_ERR_LIMIT : MCO_ERR_IO, "%d is too many", rank));
    else
        m->status = mco_ranks_reduce(ctx, &value, 1, MCO_REDUCE_SUM);
    if (mco_ranks_reduce(ctx, &value, 1, MCO_REDUCE_SUM) != MCO_ERR_LIMIT || mco_ranks_agree(ctx, MCO_OK) != MCO_ERR_LIMIT)
        m->status = MCO_OK;
}

static void failure(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    ranks_run(RANKS, fail_somewhere, NULL, members);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(members[r].status, MCO_ERR_LIMIT);
        assert_string_equal(mco_context_error(members[r].ctx), "rank 2: 2 is too many");
    }
    ranks_close(RANKS, members);
}

static void disagree(ranks_member *m)
{
    int64_t values[2] = {0};
    m->status = mco_ranks_reduce(m->ctx, values, mco_rank(m->ctx) == 1 ? 2 : 1, MCO_REDUCE_SUM);
}

static void disagreement(void **state)
{
    (void)state;
    ranks_member members[RANKS];
    ranks_run(RANKS, disagree, NULL, members);
    for (int r = 0; r < RANKS; r++)
        assert_int_equal(members[r].status, MCO_ERR_INTERNAL);
    assert_non_null(strstr(mco_context_error(members[0].ctx), "ranks disagree"));
    ranks_close(RANKS, members);
}

// ---- The machine

static cpu_set_t mask_of(uint64_t bits)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (size_t k = 0; k < 64; k++)
        if (bits >> k & 1)
            CPU_SET(k, &set);
    return set;
}

static void expect_processors(const uint64_t *bits, int count, int usable, const uint64_t *expected)
{
    cpu_set_t masks[8], out;
    for (int k = 0; k < count; k++)
        masks[k] = mask_of(bits[k]);
    for (int k = 0; k < count; k++) {
        const cpu_set_t own = mask_of(expected[k]);
        cluster_divide_processors(masks, count, k, usable, &out);
        assert_true(CPU_EQUAL(&out, &own));
    }
}

static void processors(void **state)
{
    (void)state;
    expect_processors((uint64_t[]){0xff}, 1, 8, (uint64_t[]){0xff});                                    // one a machine
    expect_processors((uint64_t[]){0xff, 0xff}, 2, 8, (uint64_t[]){0x0f, 0xf0});                        // not bound
    expect_processors((uint64_t[]){0x0f, 0xf0}, 2, 8, (uint64_t[]){0x0f, 0xf0});                        // bound by the launcher
    expect_processors((uint64_t[]){0x0f, 0xf0, 0x0f}, 3, 8, (uint64_t[]){0x03, 0xf0, 0x0c});
    expect_processors((uint64_t[]){3, 3, 3, 3}, 4, 2, (uint64_t[]){1, 1, 2, 2});                        // too few
    expect_processors((uint64_t[]){0xff, 0xff}, 2, 4, (uint64_t[]){0x03, 0x0c});                        // a container with four
}

static void expect_gpus(const char *visible, int count, int which, const char *expected)
{
    char out[16];
    assert_true(cluster_divide_gpus(visible, count, which, out, sizeof out));
    assert_string_equal(out, expected);
}

static void gpus(void **state)
{
    (void)state;
    char out[4];
    expect_gpus("0,1,2,3", 4, 2, "2");
    expect_gpus("0,1,2,3", 2, 1, "1,3");
    expect_gpus("0,1,2", 2, 0, "0,2");
    expect_gpus("4,7", 4, 3, "7");
    expect_gpus("GPU-8a,GPU-9b", 2, 0, "GPU-8a");
    expect_gpus("", 2, 0, "");
    assert_false(cluster_divide_gpus("0,1,2,3,4", 1, 0, out, sizeof out));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(collectives), TEST(alone), TEST(failure), TEST(disagreement), TEST(processors), TEST(gpus)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
