// SPDX-License-Identifier: MIT
// Reduction: the arithmetic of single elements, the shape of the tree, the reference against plain loops and hand-made
// cases, every engine and vector unit against the reference, segments, refusals, failing memory.
#include "test_support.h"

#include "mco/mco.h"
#include "reduce/kernels.h"
#include "reduce/lanes.h"
#include "reduce_support.h"

static const int64_t sizes[] = {0,    1,    2,    3,    31,   32,   33,    511,    512,           513,
                                1000, 1023, 1025, 2048, 4095, 4097, 16385, 100003, (1 << 20) + 1};

static mco_reduce_params params_of(mco_engine engine, int threads, bool is_compensated)
{
    mco_reduce_params p = MCO_REDUCE_PARAMS_INIT;
    p.engine = engine;
    p.threads = threads;
    p.compensated = is_compensated;
    return p;
}

static mco_reduce_value reduced(mco_reduce_op op, mco_reduce_type type, const void *data, int64_t count,
                                const mco_reduce_params *p)
{
    mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
    assert_ok(mco_reduce(test_ctx, op, type, data, count, p, &r));
    return r.value;
}

static void assert_same(mco_reduce_value a, mco_reduce_value b, const char *what, mco_reduce_type type, int64_t count)
{
    if (a.u != b.u || a.index != b.index)
        fail_msg("%s of type %d, %lld elements: %016llx at %lld and %016llx at %lld", what, type, (long long)count,
                 (unsigned long long)a.u, (long long)a.index, (unsigned long long)b.u, (long long)b.index);
}

// ---- Arithmetic

static void test_keys(void **state)
{
    (void)state;
    static const double ascending[] = {-INFINITY, -3e38, -1.5, -1e-42, -0.0, 0.0, 1e-42, 1.5, 3e38, INFINITY};
    for (int i = 0; i < COUNT_OF(ascending); i++) {
        const double a = ascending[i];
        const float f = (float)a;
        assert_true(reduce_f64_of_key(reduce_key_f64(a, true)) == a);
        assert_true(reduce_f32_of_key(reduce_key_f32(f, false)) == f);
        assert_int_equal(signbit(reduce_f32_of_key(reduce_key_f32(f, false))) != 0, signbit(f) != 0);
        for (int j = 0; j < i; j++) {
            assert_true(reduce_key_f64(ascending[j], true) < reduce_key_f64(a, true));
            assert_true(reduce_key_f32((float)ascending[j], false) < reduce_key_f32(f, false));
            assert_true((reduce_place_key_f64(ascending[j], true) < reduce_place_key_f64(a, true)) == (ascending[j] < a));
            assert_true((reduce_place_key_f32((float)ascending[j], true) < reduce_place_key_f32(f, true)) ==
                        ((float)ascending[j] < f));
        }
        assert_true(reduce_key_f64(NAN, true) < reduce_key_f64(a, true));
        assert_true(reduce_key_f64(-NAN, true) < reduce_key_f64(a, true));
        assert_true(reduce_key_f32(NAN, false) > reduce_key_f32(f, false));
        assert_true(reduce_key_f32(-NAN, false) > reduce_key_f32(f, false));
        assert_true(reduce_place_key_f64(-NAN, false) > reduce_place_key_f64(a, false));
    }
    assert_true(isnan(reduce_f32_of_key(reduce_key_f32(NAN, true))) && isnan(reduce_f64_of_key(reduce_key_f64(NAN, false))));
}

static void test_two_sum(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 7, 0);
    for (int k = 0; k < 100000; k++) {
        // 24-bit numbers up to 2^20 apart: their sum is exact in a double.
        const float a = ldexpf((float)mco_rng_real(&rng) - 0.5f, (int)mco_rng_below(&rng, 20));
        const float b = (float)mco_rng_real(&rng) - 0.5f;
        float error;
        const float s = reduce_two_sum_f32(a, b, &error);
        assert_true((double)s + (double)error == (double)a + (double)b);
    }
}

static void test_generator(void **state)
{
    (void)state;
    uint64_t stream = 12345;
    float f[100];
    double d[100];
    uint64_t u[100];
    int32_t i[100];
    assert_ok(mco_reduce_generate(test_ctx, MCO_REDUCE_TYPE_F32, 12345, 0, 100, f));
    assert_ok(mco_reduce_generate(test_ctx, MCO_REDUCE_TYPE_F64, 12345, 0, 100, d));
    assert_ok(mco_reduce_generate(test_ctx, MCO_REDUCE_TYPE_U64, 12345, 0, 100, u));
    assert_ok(mco_reduce_generate(test_ctx, MCO_REDUCE_TYPE_I32, 12345, 0, 50, i));
    assert_ok(mco_reduce_generate(test_ctx, MCO_REDUCE_TYPE_I32, 12345, 50, 50, i + 50));
    for (int k = 0; k < 100; k++) {
        const uint64_t z = mco_splitmix64(&stream);
        assert_true(u[k] == z);
        assert_int_equal((uint32_t)i[k], (uint32_t)(z >> 32));
        assert_true(f[k] >= -1 && f[k] < 1 && (double)f[k] == (double)(z >> 40) / (1 << 23) - 1);
        assert_true(d[k] >= -1 && d[k] < 1 && fabs(d[k] - (double)f[k]) < 2e-7);
    }
}

static void test_shape(void **state)
{
    (void)state;
    for (int bytes = 4; bytes <= 8; bytes += 4)
        for (int64_t count = 0; count <= MCO_REDUCE_MAX_COUNT; count = count * 5 / 4 + 1) {
            const reduce_shape s = reduce_shape_of(count, bytes);
            assert_int_equal(s.lanes * bytes, REDUCE_ROW_BYTES);
            assert_true(s.chunk > 0 && s.chunk % s.lanes == 0 && s.chunks <= REDUCE_MAX_CHUNKS);
            assert_true(s.chunks * s.chunk >= count && (s.chunks - 1) * s.chunk < count);
        }
    assert_int_equal(reduce_shape_of(4096, 4).chunks, 1);
    assert_int_equal(reduce_shape_of(4097, 4).chunks, 2);
}

// ---- The reference, against loops without a tree

static void test_reference_integers(void **state)
{
    (void)state;
    const int64_t count = 5000;
    int32_t *x = malloc((size_t)count * sizeof *x);
    uint64_t sum = 0, prod = 1, nonzero = 0;
    int32_t least = INT32_MAX, all = -1, any = 0, odd = 0;
    int64_t place = -1;
    assert_non_null(x);
    assert_ok(test_elements(test_ctx, MCO_REDUCE_TYPE_I32, count, 3, 1, x));
    for (int64_t k = 0; k < count; k++) {
        x[k] |= 17;  // keeps the product odd and the conjunction nonzero
        sum += (uint64_t)(int64_t)x[k];
        prod *= (uint64_t)(int64_t)x[k];
        nonzero += x[k] != 0;
        all &= x[k];
        any |= x[k];
        odd ^= x[k];
        if (x[k] < least) {
            least = x[k];
            place = k;
        }
    }
    const mco_reduce_params p = params_of(MCO_ENGINE_REFERENCE, 0, false);
    assert_true(reduced(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_I32, x, count, &p).u == sum);
    assert_true(reduced(MCO_REDUCE_OP_PROD, MCO_REDUCE_TYPE_I32, x, count, &p).u == prod);
    assert_true(reduced(MCO_REDUCE_OP_COUNT_NONZERO, MCO_REDUCE_TYPE_I32, x, count, &p).u == nonzero);
    assert_true(reduced(MCO_REDUCE_OP_AND, MCO_REDUCE_TYPE_I32, x, count, &p).i == all);
    assert_true(reduced(MCO_REDUCE_OP_OR, MCO_REDUCE_TYPE_I32, x, count, &p).i == any);
    assert_true(reduced(MCO_REDUCE_OP_XOR, MCO_REDUCE_TYPE_I32, x, count, &p).i == odd);
    assert_true(reduced(MCO_REDUCE_OP_MIN, MCO_REDUCE_TYPE_I32, x, count, &p).i == least);
    const mco_reduce_value v = reduced(MCO_REDUCE_OP_ARGMIN, MCO_REDUCE_TYPE_I32, x, count, &p);
    assert_true(v.i == least && v.index == place);
    free(x);
}

// Sums less than a row of f32 as reduce/tree.h describes it.
static void test_reference_tree(void **state)
{
    (void)state;
    enum { VECTORS = 256, COUNT = 777 };
    float x[1024] = {0}, tree[VECTORS];
    const mco_reduce_params p = params_of(MCO_ENGINE_REFERENCE, 0, false);
    assert_ok(test_elements(test_ctx, MCO_REDUCE_TYPE_F32, COUNT, 11, 0, x));
    for (int v = 0; v < VECTORS; v++)
        tree[v] = (x[4 * v] + x[4 * v + 1]) + (x[4 * v + 2] + x[4 * v + 3]);
    for (int half = VECTORS / 2; half > 0; half /= 2)
        for (int v = 0; v < half; v++)
            tree[v] += tree[v + half];
    assert_true(reduced(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, x, COUNT, &p).f == (double)tree[0]);
    // Another order gives another sum, so the test can tell them apart.
    float in_turn = 0;
    for (int k = 0; k < COUNT; k++)
        in_turn += x[k];
    assert_true(in_turn != tree[0]);
}

// ---- Hand-made cases, on the reference and the cpu engine

typedef struct float_case {
    float x[4];
    int count;
    mco_reduce_op op;
    double value;
    int64_t index;
} float_case;

static void test_float_policy(void **state)
{
    (void)state;
    static const float_case cases[] = {
        {{1, NAN, 0}, 3, MCO_REDUCE_OP_MIN, NAN, -1},
        {{1, -NAN, 0}, 3, MCO_REDUCE_OP_MAX, NAN, -1},
        {{1, NAN, -INFINITY, NAN}, 4, MCO_REDUCE_OP_ARGMIN, NAN, 1},
        {{1, INFINITY, -NAN, NAN}, 4, MCO_REDUCE_OP_ARGMAX, NAN, 2},
        {{0.0f, -0.0f, 0.0f}, 3, MCO_REDUCE_OP_MIN, -0.0, -1},
        {{-0.0f, -0.0f}, 2, MCO_REDUCE_OP_MAX, -0.0, -1},
        {{-0.0f, 0.0f}, 2, MCO_REDUCE_OP_MAX, 0.0, -1},
        {{0.0f, -0.0f}, 2, MCO_REDUCE_OP_ARGMIN, 0.0, 0},
        {{-0.0f, 0.0f}, 2, MCO_REDUCE_OP_ARGMAX, -0.0, 0},
        {{3, 1, 2, 1}, 4, MCO_REDUCE_OP_ARGMIN, 1, 1},
        {{3, 1, 3}, 3, MCO_REDUCE_OP_ARGMAX, 3, 0},
        {{INFINITY, INFINITY}, 2, MCO_REDUCE_OP_ARGMIN, INFINITY, 0},
        {{-INFINITY}, 1, MCO_REDUCE_OP_ARGMAX, -INFINITY, 0},
        {{NAN, -0.0f, 0, 2}, 4, MCO_REDUCE_OP_COUNT_NONZERO, 2, -1},
        {{INFINITY, -INFINITY}, 2, MCO_REDUCE_OP_SUM, NAN, -1},
        {{-0.0f, -0.0f}, 2, MCO_REDUCE_OP_SUM, 0.0, -1},
        {{INFINITY, 1, 2}, 3, MCO_REDUCE_OP_SUM, INFINITY, -1},
        {{-2, 3, 0.5f}, 3, MCO_REDUCE_OP_PROD, -3, -1},
    };
    static const uint64_t quiet = 0x7ff8000000000000u;
    for (int c = 0; c < COUNT_OF(cases); c++)
        for (int is_double = 0; is_double < 2; is_double++)
            for (int engine = MCO_ENGINE_CPU; engine <= MCO_ENGINE_REFERENCE; engine += 2)
                for (int is_compensated = 0; is_compensated <= (cases[c].op == MCO_REDUCE_OP_SUM); is_compensated++) {
                    const float_case *k = &cases[c];
                    double wide[4];
                    for (int j = 0; j < 4; j++)
                        wide[j] = (double)k->x[j];
                    const mco_reduce_params p = params_of((mco_engine)engine, 0, is_compensated);
                    const mco_reduce_value v = reduced(k->op, is_double ? MCO_REDUCE_TYPE_F64 : MCO_REDUCE_TYPE_F32,
                                                       is_double ? (const void *)wide : k->x, k->count, &p);
                    mco_reduce_value expected = {.f = k->value, .index = k->index};
                    if (k->op == MCO_REDUCE_OP_COUNT_NONZERO)
                        expected.u = (uint64_t)k->value;
                    else if (isnan(k->value))
                        expected.u = quiet;
                    assert_same(v, expected, mco_reduce_op_text(k->op), (mco_reduce_type)c, k->count);
                }
}

static void test_integers_wrap(void **state)
{
    (void)state;
    const int32_t big[] = {INT32_MAX, INT32_MAX, INT32_MAX};
    const uint32_t ubig[] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    const int64_t wide[] = {INT64_MAX, 2, 3};
    for (int engine = MCO_ENGINE_CPU; engine <= MCO_ENGINE_REFERENCE; engine += 2) {
        const mco_reduce_params p = params_of((mco_engine)engine, 0, false);
        assert_true(reduced(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_I32, big, 3, &p).i == 3 * (int64_t)INT32_MAX);
        assert_true(reduced(MCO_REDUCE_OP_PROD, MCO_REDUCE_TYPE_I32, big, 2, &p).i == (int64_t)INT32_MAX * INT32_MAX);
        assert_true(reduced(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_U32, ubig, 3, &p).u == 3 * (uint64_t)UINT32_MAX);
        assert_true(reduced(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_I64, wide, 3, &p).u == (uint64_t)INT64_MAX + 5);
        assert_true(reduced(MCO_REDUCE_OP_PROD, MCO_REDUCE_TYPE_I64, wide, 3, &p).u == (uint64_t)INT64_MAX * 6);
    }
    assert_int_equal(mco_reduce_value_type(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_I32), MCO_REDUCE_TYPE_I64);
    assert_int_equal(mco_reduce_value_type(MCO_REDUCE_OP_PROD, MCO_REDUCE_TYPE_U32), MCO_REDUCE_TYPE_U64);
    assert_int_equal(mco_reduce_value_type(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32), MCO_REDUCE_TYPE_F32);
    assert_int_equal(mco_reduce_value_type(MCO_REDUCE_OP_COUNT_NONZERO, MCO_REDUCE_TYPE_F32), MCO_REDUCE_TYPE_U64);
    assert_int_equal(mco_reduce_value_type(MCO_REDUCE_OP_ARGMIN, MCO_REDUCE_TYPE_I32), MCO_REDUCE_TYPE_I32);
}

static void test_empty(void **state)
{
    (void)state;
    for (int engine = MCO_ENGINE_CPU; engine <= MCO_ENGINE_REFERENCE; engine += 2) {
        const mco_reduce_params p = params_of((mco_engine)engine, 0, false);
        assert_true(reduced(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, NULL, 0, &p).u == 0);
        assert_true(reduced(MCO_REDUCE_OP_PROD, MCO_REDUCE_TYPE_F64, NULL, 0, &p).f == 1);
        assert_true(reduced(MCO_REDUCE_OP_PROD, MCO_REDUCE_TYPE_U32, NULL, 0, &p).u == 1);
        assert_true(reduced(MCO_REDUCE_OP_MIN, MCO_REDUCE_TYPE_F32, NULL, 0, &p).f == (double)INFINITY);
        assert_true(reduced(MCO_REDUCE_OP_MAX, MCO_REDUCE_TYPE_F64, NULL, 0, &p).f == -(double)INFINITY);
        assert_true(reduced(MCO_REDUCE_OP_MIN, MCO_REDUCE_TYPE_I32, NULL, 0, &p).i == INT32_MAX);
        assert_true(reduced(MCO_REDUCE_OP_MAX, MCO_REDUCE_TYPE_I64, NULL, 0, &p).i == INT64_MIN);
        assert_true(reduced(MCO_REDUCE_OP_MIN, MCO_REDUCE_TYPE_U32, NULL, 0, &p).u == UINT32_MAX);
        assert_true(reduced(MCO_REDUCE_OP_AND, MCO_REDUCE_TYPE_I32, NULL, 0, &p).i == -1);
        assert_true(reduced(MCO_REDUCE_OP_AND, MCO_REDUCE_TYPE_U32, NULL, 0, &p).u == UINT32_MAX);
        assert_true(reduced(MCO_REDUCE_OP_COUNT_NONZERO, MCO_REDUCE_TYPE_F32, NULL, 0, &p).u == 0);
        mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
        assert_fails(mco_reduce(test_ctx, MCO_REDUCE_OP_ARGMIN, MCO_REDUCE_TYPE_F32, NULL, 0, &p, &r), MCO_ERR_ARGUMENT,
                     "argmin of no elements: there is no place to tell");
    }
}

// ---- Parity

// Under a sanitizer each kind takes the largest sizes with one sort of elements.
static void test_cpu_is_reference(void **state)
{
    enum { LARGE = 20000 };
    (void)state;
    const int64_t most = sizes[COUNT_OF(sizes) - 1];
    uint64_t *data = malloc((size_t)(most + 8) * sizeof *data);
    assert_non_null(data);
    for (int number = 0; number < 3 * TEST_KINDS; number++) {
        reduce_kind k;
        if (!test_kind(number / 3, &k))
            continue;
        assert_ok(test_elements(test_ctx, k.type, most + 3, 17 + (uint64_t)k.type, number % 3, data));
        for (int n = reduce_is_place(k.op) ? 1 : 0; n < COUNT_OF(sizes); n++) {
            if (TEST_IS_SANITIZED && sizes[n] > LARGE && number / 3 % 3 != number % 3)
                continue;
            // Each size begins one element further in, so that vectors lie at odd addresses.
            const void *from = (char *)data + (n % 4) * mco_reduce_type_bytes(k.type);
            const mco_reduce_params ref = params_of(MCO_ENGINE_REFERENCE, 0, k.is_compensated);
            const mco_reduce_value expected = reduced(k.op, k.type, from, sizes[n], &ref);
            const int first = TEST_IS_SANITIZED ? 1 + (n + number) % 3 : 1, last = TEST_IS_SANITIZED ? first : 3;
            for (int threads = first; threads <= last; threads++) {
                const mco_reduce_params p = params_of(MCO_ENGINE_CPU, threads, k.is_compensated);
                assert_same(reduced(k.op, k.type, from, sizes[n], &p), expected, mco_reduce_op_text(k.op), k.type, sizes[n]);
            }
        }
    }
    free(data);
}

static void test_vector_units_agree(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 5, 63, 1000, 1024, 5000, 40000};
    static const mco_simd units[] = {MCO_SIMD_AVX2, MCO_SIMD_AVX512};
    const reduce_lanes *portable = NULL, *wide = NULL;
    uint64_t *data = malloc(40000 * sizeof *data);
    assert_non_null(data);
    assert_ok(reduce_lanes_choose(test_ctx, MCO_SIMD_PORTABLE, &portable));
    assert_int_equal(portable->build.simd, MCO_SIMD_PORTABLE);
    for (int number = 0; number < TEST_KINDS; number++) {
        reduce_kind kind;
        if (!test_kind(number, &kind))
            continue;
        assert_ok(test_elements(test_ctx, kind.type, 40000, 23, 2, data));
        for (int n = 0; n < COUNT_OF(lengths); n++) {
            reduce_partial first, other;
            portable->function_of(&kind)(data, lengths[n], 100, &first);
            const mco_reduce_value a = reduce_comb(&kind, &first, 1);
            for (int k = 0; k < COUNT_OF(units); k++) {
                if (!mco_simd_has(units[k]))
                    continue;
                assert_ok(reduce_lanes_choose(test_ctx, units[k], &wide));
                assert_int_equal(wide->build.simd, units[k]);
                wide->function_of(&kind)(data, lengths[n], 100, &other);
                assert_same(reduce_comb(&kind, &other, 1), a, mco_reduce_op_text(kind.op), kind.type, lengths[n]);
            }
        }
    }
    // auto takes the widest vector unit; units that the processor lacks are refused.
    assert_ok(reduce_lanes_choose(test_ctx, MCO_SIMD_AUTO, &wide));
    assert_int_equal(wide->build.simd, mco_simd_widest());
    for (int k = 0; k < COUNT_OF(units); k++)
        if (!mco_simd_has(units[k]))
            assert_int_equal(reduce_lanes_choose(test_ctx, units[k], &wide), MCO_ERR_ARGUMENT);
    free(data);
}

// ---- Compensated sums

static void test_compensated_accuracy(void **state)
{
    (void)state;
    enum { COUNT = 300000 };
    float *x = malloc(COUNT * sizeof *x);
    double exact = 0;
    assert_non_null(x);
    assert_ok(test_elements(test_ctx, MCO_REDUCE_TYPE_F32, COUNT, 5, 0, x));
    for (int k = 0; k < COUNT; k++) {
        x[k] += k % 3 == 0 ? 1e6f : k % 3 == 1 ? -1e6f : 0;
        exact += (double)x[k];  // 53 bits hold 300000 numbers of 24 bits up to 2^20
    }
    const mco_reduce_params plain = params_of(MCO_ENGINE_CPU, 0, false), better = params_of(MCO_ENGINE_CPU, 0, true);
    const double error = fabs(reduced(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, x, COUNT, &better).f - exact);
    const double plain_error = fabs(reduced(MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, x, COUNT, &plain).f - exact);
    assert_true(error <= fabs(exact) * 0x1p-23);
    assert_true(plain_error > error);
    free(x);
}

// ---- Segments

static void test_segments(void **state)
{
    (void)state;
    enum { SEGMENTS = 9 };
    static const int64_t offsets[SEGMENTS + 1] = {0, 1, 5, 1029, 1029, 6000, 30000, 30007, 31031, 400000};
    double *x = malloc(400000 * sizeof *x);
    assert_non_null(x);
    for (int number = 0; number < TEST_KINDS; number++) {
        reduce_kind k;
        if (!test_kind(number, &k) || k.is_compensated || reduce_is_place(k.op))
            continue;
        assert_ok(test_elements(test_ctx, k.type, 400000, 31, 2, x));
        const int64_t width = mco_reduce_type_bytes(k.type);
        for (int engine = MCO_ENGINE_CPU; engine <= MCO_ENGINE_REFERENCE; engine += 2) {
            const mco_reduce_params p = params_of((mco_engine)engine, engine == MCO_ENGINE_CPU ? 2 : 0, false);
            mco_reduce_value values[SEGMENTS];
            mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
            assert_ok(mco_reduce_segments(test_ctx, k.op, k.type, x, offsets, SEGMENTS, &p, values, &r));
            for (int s = 0; s < SEGMENTS; s++)
                assert_same(values[s], reduced(k.op, k.type, (char *)x + offsets[s] * width, offsets[s + 1] - offsets[s], &p),
                            mco_reduce_op_text(k.op), k.type, s);
        }
    }
    free(x);
}

// Places count from the beginning of their segment. Few long segments take another code path than many short ones.
static void test_segment_places(void **state)
{
    (void)state;
    static const int64_t lengths[] = {1, 7, 1024, 5000, 1 << 19};
    const int64_t count = 1600000;
    float *x = malloc((size_t)count * sizeof *x);
    assert_non_null(x);
    assert_ok(mco_reduce_generate(test_ctx, MCO_REDUCE_TYPE_F32, 9, 0, count, x));
    for (int n = 0; n < COUNT_OF(lengths); n++) {
        const int64_t segments = reduce_ceil_div(count, lengths[n]);
        mco_reduce_value *values = malloc((size_t)segments * sizeof *values);
        mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
        const mco_reduce_params p = params_of(MCO_ENGINE_CPU, 2, false);
        assert_non_null(values);
        assert_ok(mco_reduce_generated(test_ctx, MCO_REDUCE_OP_ARGMAX, MCO_REDUCE_TYPE_F32, 9, count, lengths[n], &p, values,
                                       &r));
        for (int64_t s = 0; s < segments; s++) {
            const int64_t begin = s * lengths[n], end = begin + lengths[n] < count ? begin + lengths[n] : count;
            int64_t best = begin;
            for (int64_t k = begin; k < end; k++)
                best = x[k] > x[best] ? k : best;
            assert_int_equal(values[s].index, best - begin);
            assert_true(values[s].f == (double)x[best]);
        }
        free(values);
    }
    free(x);
}

static void test_generated_is_data(void **state)
{
    (void)state;
    const int64_t count = 200001;
    double *x = malloc((size_t)count * sizeof *x);
    assert_non_null(x);
    for (int type = 0; type < MCO_REDUCE_TYPES; type++)
        for (int engine = MCO_ENGINE_CPU; engine <= MCO_ENGINE_REFERENCE; engine += 2) {
            const bool is_cpu = engine == MCO_ENGINE_CPU;
            mco_reduce_params p = params_of((mco_engine)engine, is_cpu ? 2 : 0, false);
            mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
            p.repeat = is_cpu ? 3 : 1;
            p.check = MCO_REDUCE_CHECK_FULL;
            assert_ok(mco_reduce_generate(test_ctx, (mco_reduce_type)type, 77, 0, count, x));
            assert_ok(mco_reduce_generated(test_ctx, MCO_REDUCE_OP_SUM, (mco_reduce_type)type, 77, count, 0, &p, NULL, &r));
            assert_same(r.value, reduced(MCO_REDUCE_OP_SUM, (mco_reduce_type)type, x, count, &p), "sum", (mco_reduce_type)type, count);
            assert_int_equal(r.bytes, count * mco_reduce_type_bytes((mco_reduce_type)type));
            assert_int_equal(r.work.engine, engine);
            assert_int_equal(r.work.gpus, 0);
            assert_true(r.kernel_s >= 0 && r.chunks > 1 && r.work.device_s == 0 && r.work.solve_s > 0);
            assert_int_equal(r.work.simd, is_cpu ? mco_simd_widest() : MCO_SIMD_AUTO);
        }
    free(x);
}

// ---- Refusals

static void test_refusals(void **state)
{
    (void)state;
    const mco_reduce_op sum = MCO_REDUCE_OP_SUM;
    const mco_reduce_type f32 = MCO_REDUCE_TYPE_F32;
    const float x[4] = {1, 2, 3, 4};
    static const int64_t falling[] = {0, 3, 2}, late[] = {1, 2}, hollow[] = {0, 2, 2, 4};
    mco_reduce_params p = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
    mco_reduce_value values[3];
    assert_fails(mco_reduce(test_ctx, MCO_REDUCE_OP_XOR, f32, x, 4, &p, &r), MCO_ERR_ARGUMENT,
                 "xor is for integers, the type is f32");
    assert_fails(mco_reduce(test_ctx, sum, f32, x, -1, &p, &r), MCO_ERR_ARGUMENT, "count is -1, 0 or more was expected");
    assert_fails(mco_reduce(test_ctx, sum, f32, x, MCO_REDUCE_MAX_COUNT + 1, &p, &r), MCO_ERR_LIMIT,
                 "count is 1099511627777, at most 1099511627776 elements are supported");
    assert_fails(mco_reduce(test_ctx, sum, f32, NULL, 4, &p, &r), MCO_ERR_ARGUMENT, "a pointer is NULL");
    assert_fails(mco_reduce(test_ctx, (mco_reduce_op)10, f32, x, 4, &p, &r), MCO_ERR_ARGUMENT,
                 "operation 10 on type 4: there are operations 0 to 9 and types 0 to 5");
    assert_int_equal(mco_reduce(test_ctx, sum, f32, (const char *)x + 1, 3, &p, &r), MCO_ERR_ARGUMENT);
    assert_fails(mco_reduce_segments(test_ctx, sum, f32, x, falling, 2, &p, values, &r), MCO_ERR_ARGUMENT,
                 "offset 2 is 2, less than the one before, 3");
    assert_fails(mco_reduce_segments(test_ctx, sum, f32, x, late, 1, &p, values, &r), MCO_ERR_ARGUMENT,
                 "offset 0 is 1, 0 was expected");
    assert_fails(mco_reduce_segments(test_ctx, MCO_REDUCE_OP_ARGMAX, f32, x, hollow, 3, &p, values, &r), MCO_ERR_ARGUMENT,
                 "segment 1 is empty: argmax has no place to tell there");
    p.gpus = "0";
    p.engine = MCO_ENGINE_CPU;
    assert_fails(mco_reduce(test_ctx, sum, f32, x, 4, &p, &r), MCO_ERR_ARGUMENT,
                 "--gpus is for the gpu engine, the engine is cpu");
    p = (mco_reduce_params)MCO_REDUCE_PARAMS_INIT;
    p.repeat = 0;
    assert_int_equal(mco_reduce(test_ctx, sum, f32, x, 4, &p, &r), MCO_ERR_ARGUMENT);
    p.repeat = 1;
    p.compensated = 1;
    assert_fails(mco_reduce(test_ctx, sum, MCO_REDUCE_TYPE_I32, x, 4, &p, &r), MCO_ERR_ARGUMENT,
                 "compensated is for the sum of f32 or f64, not for sum of i32");
    p.struct_size = 1;
    assert_fails(mco_reduce(test_ctx, sum, f32, x, 4, &p, &r), MCO_ERR_ARGUMENT,
                 "struct_size of params is 1, 48 to 48 was expected: fill it by its _INIT macro, from the headers of this "
                 "library or older ones");
}

// auto keeps host data on the cpu. No segments are allowed as input.
static void test_auto(void **state)
{
    (void)state;
    const float x[2] = {1, 2};
    static const int64_t none[1] = {0};
    mco_reduce_params p = MCO_REDUCE_PARAMS_INIT;
    mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
    mco_reduce_value values[1];
    assert_ok(mco_reduce(test_ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, x, 2, &p, &r));
    assert_int_equal(r.work.engine, MCO_ENGINE_CPU);
    assert_true(r.value.f == 3 && r.value_bits == 0x40400000 && r.value_type == MCO_REDUCE_TYPE_F32 && r.work.threads == 1);
    assert_ok(mco_reduce_segments(test_ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, NULL, none, 0, &p, values, &r));
    assert_int_equal(r.bytes, 0);
}

// A cancellation ends the repeats. A request made before the call counts too, and the value is there all the same.
static void test_cancel(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 2; threads++) {
        mco_reduce_params p = params_of(MCO_ENGINE_CPU, threads, false);
        mco_reduce_result r = MCO_REDUCE_RESULT_INIT, whole = MCO_REDUCE_RESULT_INIT;
        p.check = MCO_REDUCE_CHECK_FULL;
        p.repeat = 1000;
        mco_cancel(test_ctx);
        assert_ok(mco_reduce_generated(test_ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, 1, 300000, 0, &p, NULL, &r));
        assert_int_equal(r.repeats, 1);
        assert_true(r.kernel_s > 0);
        // The request ends with the call.
        p.repeat = 3;
        assert_ok(mco_reduce_generated(test_ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, 1, 300000, 0, &p, NULL, &whole));
        assert_int_equal(whole.repeats, 3);
        assert_true(r.value.u == whole.value.u);
    }
}

static void test_failing_memory(void **state)
{
    (void)state;
    mco_reduce_value values[100];
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st == MCO_ERR_MEMORY && k < 100; k++) {
        mco_reduce_params p = params_of(MCO_ENGINE_CPU, 2, false);
        mco_reduce_result r = MCO_REDUCE_RESULT_INIT;
        p.check = MCO_REDUCE_CHECK_FULL;
        test_fail_allocation(k);
        st = mco_reduce_generated(test_ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, 1, 300000, 3000, &p, values, &r);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        assert_true(st == MCO_OK || r.bytes == 0);
        assert_true(st != MCO_OK || k > 5);
    }
    test_fail_allocation(0);
    assert_int_equal(st, MCO_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_keys), TEST(test_two_sum), TEST(test_generator), TEST(test_shape), TEST(test_reference_integers),
        TEST(test_reference_tree), TEST(test_float_policy), TEST(test_integers_wrap), TEST(test_empty),
        TEST(test_cpu_is_reference), TEST(test_vector_units_agree), TEST(test_compensated_accuracy), TEST(test_segments),
        TEST(test_segment_places), TEST(test_generated_is_data), TEST(test_refusals), TEST(test_auto),
        TEST(test_cancel), TEST(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
