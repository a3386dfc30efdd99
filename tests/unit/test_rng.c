// SPDX-License-Identifier: MIT
// The generators against the test vectors of their authors' programs.
#include "test_support.h"

#include "base/rng.h"

static void test_splitmix64_vectors(void **state)
{
    (void)state;
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                        4593380528125082431u, 16408922859458223821u};
    uint64_t s = 1234567;
    for (int i = 0; i < COUNT_OF(expected); i++)
        assert_true(mco_splitmix64(&s) == expected[i]);
}

static void test_xoshiro_vectors(void **state)
{
    (void)state;
    static const uint64_t expected[] = {11520u,
                                        0u,
                                        1509978240u,
                                        1215971899390074240u,
                                        1216172134540287360u,
                                        607988272756665600u,
                                        16172922978634559625u,
                                        8476171486693032832u,
                                        10595114339597558777u,
                                        2904607092377533576u};
    mco_rng rng = {{1, 2, 3, 4}};
    for (int i = 0; i < COUNT_OF(expected); i++)
        assert_true(mco_rng_next(&rng) == expected[i]);
}

// The state is four draws of SplitMix64; stream 0 uses the seed as it is.
static void test_seed(void **state)
{
    (void)state;
    mco_rng rng, other;
    mco_rng_seed(&rng, 1234567, 0);
    assert_true(rng.state[0] == 6457827717110365317u && rng.state[3] == 4593380528125082431u);
    mco_rng_seed(&other, 1234567, 1);
    assert_true(other.state[0] != rng.state[0]);
    mco_rng_seed(&other, 1234567, 0);
    for (int i = 0; i < 100; i++)
        assert_true(mco_rng_next(&rng) == mco_rng_next(&other));
}

static void test_below(void **state)
{
    (void)state;
    enum { LIMIT = 7, DRAWS = 70000 };
    int count[LIMIT] = {0};
    mco_rng rng;
    mco_rng_seed(&rng, 1, 0);
    for (int i = 0; i < DRAWS; i++) {
        uint32_t v = mco_rng_below(&rng, LIMIT);
        assert_true(v < LIMIT);
        count[v]++;
    }
    // Five standard deviations of a binomial count, sqrt(DRAWS * 6/49) = 93.
    for (int v = 0; v < LIMIT; v++)
        assert_in_range(count[v], DRAWS / LIMIT - 465, DRAWS / LIMIT + 465);
    for (int i = 0; i < 100; i++)
        assert_int_equal(mco_rng_below(&rng, 1), 0);
}

static void test_real(void **state)
{
    (void)state;
    mco_rng rng;
    double sum = 0;
    mco_rng_seed(&rng, 2, 0);
    for (int i = 0; i < 10000; i++) {
        double v = mco_rng_real(&rng);
        assert_true(v >= 0 && v < 1);
        sum += v;
    }
    assert_true(sum > 4850 && sum < 5150);  // five standard deviations are 144
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_splitmix64_vectors), TEST(test_xoshiro_vectors), TEST(test_seed),
                                       TEST(test_below), TEST(test_real)};
    return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}
