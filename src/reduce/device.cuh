// SPDX-License-Identifier: MIT
// The common part of the reduction kernels: the operations as types, and how a thread, a warp and a team of 256 threads
// follow the fixed tree (reduce/tree.h). Templates over the operation and the element type let each kernel be written
// once.
#ifndef MCO_REDUCE_DEVICE_CUH
#define MCO_REDUCE_DEVICE_CUH

#include <type_traits>

#include "device/kernel.cuh"
#include "reduce/cuda.h"
#include "reduce/kernels.h"

namespace {

using namespace mco;

// ---- Tuning, at compile time
constexpr int IN_FLIGHT = 8;           // 16-byte loads of a thread before the first one is used: 32 KiB for a team
constexpr int PARTIALS_IN_FLIGHT = 8;  // the same in the comb

// ---- Elements by type

DEVICE bool is_below(float x, float best) { return reduce_is_below_f32(x, best); }
DEVICE bool is_below(double x, double best) { return reduce_is_below_f64(x, best); }
template <class T> DEVICE bool is_below(T x, T best) { return x < best; }
DEVICE bool is_above(float x, float best) { return reduce_is_above_f32(x, best); }
DEVICE bool is_above(double x, double best) { return reduce_is_above_f64(x, best); }
template <class T> DEVICE bool is_above(T x, T best) { return x > best; }

DEVICE float least_of(float a, float b) { return reduce_min_f32(a, b); }
DEVICE double least_of(double a, double b) { return reduce_min_f64(a, b); }
template <class T> DEVICE T least_of(T a, T b) { return a < b ? a : b; }
DEVICE float greatest_of(float a, float b) { return reduce_max_f32(a, b); }
DEVICE double greatest_of(double a, double b) { return reduce_max_f64(a, b); }
template <class T> DEVICE T greatest_of(T a, T b) { return a > b ? a : b; }

DEVICE float two_sum(float a, float b, float *error) { return reduce_two_sum_f32(a, b, error); }
DEVICE double two_sum(double a, double b, double *error) { return reduce_two_sum_f64(a, b, error); }
DEVICE float round_sum(float sum, float rest) { return reduce_round_f32(sum, rest); }
DEVICE double round_sum(double sum, double rest) { return reduce_round_f64(sum, rest); }

// Identities of min and max.
template <class T> DEVICE T largest();
template <> DEVICE int32_t largest<int32_t>() { return INT32_MAX; }
template <> DEVICE int64_t largest<int64_t>() { return INT64_MAX; }
template <> DEVICE uint32_t largest<uint32_t>() { return UINT32_MAX; }
template <> DEVICE uint64_t largest<uint64_t>() { return UINT64_MAX; }
template <> DEVICE float largest<float>() { return INFINITY; }
template <> DEVICE double largest<double>() { return (double)INFINITY; }
template <class T> DEVICE T lowest();
template <> DEVICE int32_t lowest<int32_t>() { return INT32_MIN; }
template <> DEVICE int64_t lowest<int64_t>() { return INT64_MIN; }
template <> DEVICE uint32_t lowest<uint32_t>() { return 0; }
template <> DEVICE uint64_t lowest<uint64_t>() { return 0; }
template <> DEVICE float lowest<float>() { return -INFINITY; }
template <> DEVICE double lowest<double>() { return -(double)INFINITY; }

// Conversion to and from the widened value of a partial result.
DEVICE void widen(reduce_partial *p, int32_t x) { p->i = x; }
DEVICE void widen(reduce_partial *p, int64_t x) { p->i = x; }
DEVICE void widen(reduce_partial *p, uint32_t x) { p->u = x; }
DEVICE void widen(reduce_partial *p, uint64_t x) { p->u = x; }
DEVICE void widen(reduce_partial *p, float x) { p->f = x; }
DEVICE void widen(reduce_partial *p, double x) { p->f = x; }
DEVICE void narrow(const reduce_partial &p, int32_t *x) { *x = (int32_t)p.i; }
DEVICE void narrow(const reduce_partial &p, int64_t *x) { *x = p.i; }
DEVICE void narrow(const reduce_partial &p, uint32_t *x) { *x = (uint32_t)p.u; }
DEVICE void narrow(const reduce_partial &p, uint64_t *x) { *x = p.u; }
DEVICE void narrow(const reduce_partial &p, float *x) { *x = (float)p.f; }
DEVICE void narrow(const reduce_partial &p, double *x) { *x = p.f; }
DEVICE void make_canonical(reduce_partial *p, float) { p->f = reduce_canonical(p->f); }
DEVICE void make_canonical(reduce_partial *p, double) { p->f = reduce_canonical(p->f); }
template <class T> DEVICE void make_canonical(reduce_partial *, T) {}

template <class T> DEVICE T shuffle_down(T x, int distance)
{
    return __shfl_down_sync(ALL_LANES, x, distance);
}

// ---- Operations. A lane accumulates elements of a chunk. Lanes and chunks combine to a value. `step` is the number of
// the element among those of its lane. IS_EXACT: any order gives the same value.

// The common part of the operations with a plain accumulator.
template <class T, class A> struct plain {
    using element = T;
    using lane = A;
    using value = A;
    static DEVICE A value_of(A l, int64_t, int64_t) { return l; }
    static DEVICE A shuffle(A v, int distance) { return shuffle_down(v, distance); }
    static DEVICE reduce_partial pack(A v)
    {
        reduce_partial p;
        widen(&p, v);
        p.index = -1;
        return p;
    }
    static DEVICE A unpack(const reduce_partial &p)
    {
        A v;
        narrow(p, &v);
        return v;
    }
    static DEVICE reduce_partial finish(A v)
    {
        reduce_partial p = pack(v);
        make_canonical(&p, v);
        return p;
    }
};

template <class T, class A> struct sum : plain<T, A> {
    static constexpr bool IS_EXACT = std::is_integral<A>::value;
    static DEVICE A begin() { return A(0); }
    static DEVICE A none() { return A(0); }
    static DEVICE A combine(A a, A b) { return a + b; }
    static DEVICE void take(A &l, T x, uint32_t) { l += (A)x; }
};

template <class T, class A> struct product : plain<T, A> {
    static constexpr bool IS_EXACT = std::is_integral<A>::value;
    static DEVICE A begin() { return A(1); }
    static DEVICE A none() { return A(1); }
    static DEVICE A combine(A a, A b) { return a * b; }
    static DEVICE void take(A &l, T x, uint32_t) { l *= (A)x; }
};

template <class T> struct minimum : plain<T, T> {
    static constexpr bool IS_EXACT = true;
    static DEVICE T begin() { return largest<T>(); }
    static DEVICE T none() { return largest<T>(); }
    static DEVICE T combine(T a, T b) { return least_of(a, b); }
    static DEVICE void take(T &l, T x, uint32_t) { l = least_of(l, x); }
};

template <class T> struct maximum : plain<T, T> {
    static constexpr bool IS_EXACT = true;
    static DEVICE T begin() { return lowest<T>(); }
    static DEVICE T none() { return lowest<T>(); }
    static DEVICE T combine(T a, T b) { return greatest_of(a, b); }
    static DEVICE void take(T &l, T x, uint32_t) { l = greatest_of(l, x); }
};

template <class T> struct bits_and : plain<T, T> {
    static constexpr bool IS_EXACT = true;
    static DEVICE T begin() { return ~T(0); }
    static DEVICE T none() { return ~T(0); }
    static DEVICE T combine(T a, T b) { return a & b; }
    static DEVICE void take(T &l, T x, uint32_t) { l &= x; }
};

template <class T> struct bits_or : plain<T, T> {
    static constexpr bool IS_EXACT = true;
    static DEVICE T begin() { return T(0); }
    static DEVICE T none() { return T(0); }
    static DEVICE T combine(T a, T b) { return a | b; }
    static DEVICE void take(T &l, T x, uint32_t) { l |= x; }
};

template <class T> struct bits_xor : plain<T, T> {
    static constexpr bool IS_EXACT = true;
    static DEVICE T begin() { return T(0); }
    static DEVICE T none() { return T(0); }
    static DEVICE T combine(T a, T b) { return a ^ b; }
    static DEVICE void take(T &l, T x, uint32_t) { l ^= x; }
};

template <class T> struct nonzero : plain<T, uint64_t> {
    static constexpr bool IS_EXACT = true;
    using lane = uint32_t;  // a lane of a chunk has fewer than 2^32 elements
    static DEVICE uint32_t begin() { return 0; }
    static DEVICE uint64_t none() { return 0; }
    static DEVICE uint64_t combine(uint64_t a, uint64_t b) { return a + b; }
    static DEVICE void take(uint32_t &l, T x, uint32_t) { l += x != T(0); }
    static DEVICE uint64_t value_of(uint32_t l, int64_t, int64_t) { return l; }
};

template <class T> struct two_parts {
    T sum, rest;
};

template <class T> struct compensated_sum {
    using element = T;
    using lane = two_parts<T>;
    using value = two_parts<T>;
    static constexpr bool IS_EXACT = false;
    static DEVICE lane begin() { return {T(0), T(0)}; }
    static DEVICE value none() { return {T(0), T(0)}; }
    static DEVICE value combine(value a, value b)
    {
        T error;
        T s = two_sum(a.sum, b.sum, &error);
        return {s, (a.rest + b.rest) + error};
    }
    static DEVICE void take(lane &l, T x, uint32_t)
    {
        T error;
        l.sum = two_sum(l.sum, x, &error);
        l.rest += error;
    }
    static DEVICE value value_of(lane l, int64_t, int64_t) { return l; }
    static DEVICE value shuffle(value v, int distance)
    {
        return {shuffle_down(v.sum, distance), shuffle_down(v.rest, distance)};
    }
    static DEVICE reduce_partial pack(value v)
    {
        reduce_partial p;
        p.f = v.sum;
        p.rest = v.rest;
        return p;
    }
    static DEVICE value unpack(const reduce_partial &p) { return {(T)p.f, (T)p.rest}; }
    static DEVICE reduce_partial finish(value v)
    {
        reduce_partial p;
        p.f = reduce_canonical(round_sum(v.sum, v.rest));
        p.index = -1;
        return p;
    }
};

template <class T> struct placed_lane {
    T best;
    uint32_t step;
};

template <class T> struct placed {
    T best;
    int64_t index;
};

// A lane begins with the identity, as if that were its first element. If no element is better, all equal the identity,
// and the first element is the answer. A lane without elements has an index behind all others, so it loses.
template <class T, bool IS_MIN> struct place {
    using element = T;
    using lane = placed_lane<T>;
    using value = placed<T>;
    static constexpr bool IS_EXACT = true;
    static DEVICE bool is_better(T a, T b) { return IS_MIN ? is_below(a, b) : is_above(a, b); }
    static DEVICE T identity() { return IS_MIN ? largest<T>() : lowest<T>(); }
    static DEVICE lane begin() { return {identity(), 0}; }
    static DEVICE value none() { return {identity(), INT64_MAX}; }
    static DEVICE value combine(value a, value b)
    {
        bool is_b = is_better(b.best, a.best) || (!is_better(a.best, b.best) && b.index < a.index);
        return is_b ? b : a;
    }
    static DEVICE void take(lane &l, T x, uint32_t step)
    {
        bool is_x = is_better(x, l.best);
        l.best = is_x ? x : l.best;
        l.step = is_x ? step : l.step;
    }
    static DEVICE value value_of(lane l, int64_t first, int64_t stride)
    {
        return {l.best, first + stride * l.step};
    }
    static DEVICE value shuffle(value v, int distance)
    {
        return {shuffle_down(v.best, distance), shuffle_down(v.index, distance)};
    }
    static DEVICE reduce_partial pack(value v)
    {
        reduce_partial p;
        widen(&p, v.best);
        p.index = v.index;
        return p;
    }
    static DEVICE value unpack(const reduce_partial &p)
    {
        value v;
        narrow(p, &v.best);
        v.index = p.index;
        return v;
    }
    static DEVICE reduce_partial finish(value v)
    {
        reduce_partial p = pack(v);
        make_canonical(&p, v.best);
        p.index = v.index == INT64_MAX ? -1 : v.index;
        return p;
    }
};
template <class T> using first_minimum = place<T, true>;
template <class T> using first_maximum = place<T, false>;

// ---- One thread. TEAM threads share rows of TEAM * FOLD vectors. A thread holds the lanes of FOLD of these vectors.

// Loads the vector at `from`.
template <bool IS_ALIGNED, int N, class T> DEVICE void load(T (&x)[N], const T *from)
{
    if (IS_ALIGNED) {
        const uint4 bits = __ldg(reinterpret_cast<const uint4 *>(from));
        memcpy(x, &bits, sizeof bits);
    } else {
#pragma unroll
        for (int e = 0; e < N; e++)
            x[e] = __ldg(from + e);
    }
}

// Takes this thread's part of a chunk of `length` elements into its lanes. `from` is the thread's first vector. All
// loads of a batch are under way before the first one is used.
template <class Op, int TEAM, int FOLD, bool IS_ALIGNED, int N>
DEVICE void take_elements(typename Op::lane (&lanes)[FOLD][N], const typename Op::element *from, int64_t length, int thread)
{
    constexpr int STEP = TEAM * N;
    static_assert(IN_FLIGHT % FOLD == 0, "a batch is whole rows");
    const uint32_t steps = (uint32_t)((uint64_t)length / STEP);
    typename Op::element x[IN_FLIGHT][N];
    uint32_t step = 0;
    for (; step + IN_FLIGHT <= steps; step += IN_FLIGHT, from += IN_FLIGHT * STEP) {
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
            load<IS_ALIGNED>(x[u], from + u * STEP);
#pragma unroll
        for (int u = 0; u < IN_FLIGHT; u++)
#pragma unroll
            for (int e = 0; e < N; e++)
                Op::take(lanes[u % FOLD][e], x[u][e], step + u);
    }
    // The elements left from this thread's vector on are less than a batch.
    const int left = (int)(length - (int64_t)step * STEP) - thread * N;
    if (left <= 0)
        return;
#pragma unroll
    for (int u = 0; u < IN_FLIGHT; u++) {
        if (u * STEP >= left)
            break;
        if (u * STEP + N <= left) {
            load<IS_ALIGNED>(x[u], from + u * STEP);
        } else {
#pragma unroll
            for (int e = 0; e < N; e++)
                x[u][e] = u * STEP + e < left ? __ldg(from + u * STEP + e) : typename Op::element(0);
        }
    }
#pragma unroll
    for (int u = 0; u < IN_FLIGHT; u++) {
        if (u * STEP >= left)
            break;
#pragma unroll
        for (int e = 0; e < N; e++)
            if (u * STEP + e < left)
                Op::take(lanes[u % FOLD][e], x[u][e], step + u);
    }
}

// The same for exactly ROWS whole rows. They are few enough for all loads to be under way at once, without tests.
template <class Op, int ROWS, int TEAM, bool IS_ALIGNED, int N>
DEVICE void take_rows(typename Op::lane (&lanes)[N], const typename Op::element *from)
{
    typename Op::element x[ROWS][N];
#pragma unroll
    for (int u = 0; u < ROWS; u++)
        load<IS_ALIGNED>(x[u], from + u * TEAM * N);
#pragma unroll
    for (int u = 0; u < ROWS; u++)
#pragma unroll
        for (int e = 0; e < N; e++)
            Op::take(lanes[e], x[u][e], u);
}

// Reduces this thread's part of data[0..length) to one value. The first element of data has index `first`. With ROWS >
// 0, chunks of exactly ROWS whole aligned rows take a faster path.
template <class Op, int TEAM, int FOLD, int ROWS = 0>
DEVICE typename Op::value thread_value(const typename Op::element *data, int64_t length, int64_t first, int thread)
{
    constexpr int N = REDUCE_VECTOR_BYTES / sizeof(typename Op::element);
    static_assert(FOLD == 1 || !Op::IS_EXACT, "places are counted without folding");
    typename Op::lane lanes[FOLD][N];
    typename Op::value values[FOLD];
#pragma unroll
    for (int k = 0; k < FOLD; k++)
#pragma unroll
        for (int e = 0; e < N; e++)
            lanes[k][e] = Op::begin();
    const bool is_aligned = reinterpret_cast<uintptr_t>(data) % REDUCE_VECTOR_BYTES == 0;
    if (ROWS > 0 && is_aligned && length == (int64_t)ROWS * TEAM * N)
        take_rows<Op, (ROWS > 0 ? ROWS : 1), TEAM, true>(lanes[0], data + thread * N);
    else if (is_aligned)
        take_elements<Op, TEAM, FOLD, true, N>(lanes, data + thread * N, length, thread);
    else
        take_elements<Op, TEAM, FOLD, false, N>(lanes, data + thread * N, length, thread);
    // Neighbours inside a vector meet, then vectors half a row apart.
#pragma unroll
    for (int k = 0; k < FOLD; k++) {
        typename Op::value v[N];
#pragma unroll
        for (int e = 0; e < N; e++)
            v[e] = Op::value_of(lanes[k][e], first + thread * N + e, TEAM * N);
#pragma unroll
        for (int width = 1; width < N; width *= 2)
#pragma unroll
            for (int e = 0; e + width < N; e += 2 * width)
                v[e] = Op::combine(v[e], v[e + width]);
        values[k] = v[0];
    }
#pragma unroll
    for (int half = FOLD / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < half; k++)
            values[k] = Op::combine(values[k], values[k + half]);
    return values[0];
}

// ---- Threads together

// Thread 0 of the warp returns the value of the whole warp.
template <class Op> DEVICE typename Op::value warp_value(typename Op::value mine)
{
#pragma unroll
    for (int half = WARP / 2; half > 0; half /= 2)
        mine = Op::combine(mine, Op::shuffle(mine, half));
    return mine;
}

// Thread 0 of a team returns the value of the team. s_values [REDUCE_TEAM] belongs to the team. All threads of the
// block call this. s_values may be written again after the next barrier.
template <class Op>
DEVICE typename Op::value team_value(typename Op::value mine, typename Op::value *s_values, int thread)
{
    constexpr int PARTS = REDUCE_TEAM / WARP;
    s_values[thread] = mine;
    __syncthreads();
    if (thread >= WARP)
        return mine;
    typename Op::value v[PARTS];
#pragma unroll
    for (int k = 0; k < PARTS; k++)
        v[k] = s_values[thread + k * WARP];
#pragma unroll
    for (int half = PARTS / 2; half > 0; half /= 2)
#pragma unroll
        for (int k = 0; k < half; k++)
            v[k] = Op::combine(v[k], v[k + half]);
    return warp_value<Op>(v[0]);
}

// Writes a partial result or a value: both are 16 bytes, written by one store.
DEVICE void store(void *to, const reduce_partial &p)
{
    static_assert(sizeof(reduce_partial) == sizeof(uint4) && sizeof(mco_reduce_value) == sizeof(uint4), "16 bytes");
    uint4 bits;
    memcpy(&bits, &p, sizeof bits);
    *reinterpret_cast<uint4 *>(to) = bits;
}

// ---- From an operation and an element type at run time to one of the types above. The functions return f.of<Op>(), or
// f.none() if the operation does not exist for the type.

template <template <class> class Op, class F> auto visit_number(mco_reduce_type type, F f)
{
    switch (type) {
    case MCO_REDUCE_TYPE_I32: return f.template of<Op<int32_t>>();
    case MCO_REDUCE_TYPE_I64: return f.template of<Op<int64_t>>();
    case MCO_REDUCE_TYPE_U32: return f.template of<Op<uint32_t>>();
    case MCO_REDUCE_TYPE_U64: return f.template of<Op<uint64_t>>();
    case MCO_REDUCE_TYPE_F32: return f.template of<Op<float>>();
    case MCO_REDUCE_TYPE_F64: return f.template of<Op<double>>();
    }
    return f.none();
}

// Sums and products: i64 and u64 wrap to the same bits, so they share a type.
template <template <class, class> class Op, class F> auto visit_wrapping(mco_reduce_type type, F f)
{
    switch (type) {
    case MCO_REDUCE_TYPE_I32: return f.template of<Op<int32_t, uint64_t>>();
    case MCO_REDUCE_TYPE_U32: return f.template of<Op<uint32_t, uint64_t>>();
    case MCO_REDUCE_TYPE_I64:
    case MCO_REDUCE_TYPE_U64: return f.template of<Op<uint64_t, uint64_t>>();
    case MCO_REDUCE_TYPE_F32: return f.template of<Op<float, float>>();
    case MCO_REDUCE_TYPE_F64: return f.template of<Op<double, double>>();
    }
    return f.none();
}

template <template <class> class Op, class F> auto visit_bits(mco_reduce_type type, F f)
{
    switch (type) {
    case MCO_REDUCE_TYPE_I32: return f.template of<Op<int32_t>>();
    case MCO_REDUCE_TYPE_U32: return f.template of<Op<uint32_t>>();
    case MCO_REDUCE_TYPE_I64:
    case MCO_REDUCE_TYPE_U64: return f.template of<Op<uint64_t>>();
    case MCO_REDUCE_TYPE_F32:
    case MCO_REDUCE_TYPE_F64: break;
    }
    return f.none();
}

template <class F> auto visit_nonzero(mco_reduce_type type, F f)
{
    switch (type) {
    case MCO_REDUCE_TYPE_I32:
    case MCO_REDUCE_TYPE_U32: return f.template of<nonzero<uint32_t>>();
    case MCO_REDUCE_TYPE_I64:
    case MCO_REDUCE_TYPE_U64: return f.template of<nonzero<uint64_t>>();
    case MCO_REDUCE_TYPE_F32: return f.template of<nonzero<float>>();
    case MCO_REDUCE_TYPE_F64: return f.template of<nonzero<double>>();
    }
    return f.none();
}

template <class F> auto visit(const reduce_launch_args *a, F f)
{
    if (a->is_compensated)
        return a->op != MCO_REDUCE_OP_SUM     ? f.none()
               : a->type == MCO_REDUCE_TYPE_F32 ? f.template of<compensated_sum<float>>()
               : a->type == MCO_REDUCE_TYPE_F64 ? f.template of<compensated_sum<double>>()
                                           : f.none();
    switch (a->op) {
    case MCO_REDUCE_OP_SUM: return visit_wrapping<sum>(a->type, f);
    case MCO_REDUCE_OP_PROD: return visit_wrapping<product>(a->type, f);
    case MCO_REDUCE_OP_MIN: return visit_number<minimum>(a->type, f);
    case MCO_REDUCE_OP_MAX: return visit_number<maximum>(a->type, f);
    case MCO_REDUCE_OP_ARGMIN: return visit_number<first_minimum>(a->type, f);
    case MCO_REDUCE_OP_ARGMAX: return visit_number<first_maximum>(a->type, f);
    case MCO_REDUCE_OP_AND: return visit_bits<bits_and>(a->type, f);
    case MCO_REDUCE_OP_OR: return visit_bits<bits_or>(a->type, f);
    case MCO_REDUCE_OP_XOR: return visit_bits<bits_xor>(a->type, f);
    case MCO_REDUCE_OP_COUNT_NONZERO: return visit_nonzero(a->type, f);
    }
    return f.none();
}

}  // namespace

#endif
