// SPDX-License-Identifier: MIT
// A step of the Frank-Wolfe family on a GPU, in one kernel: gap, direction, line search, new flows, new costs.
//
// The direction aims at a mean of the all-or-nothing flows and the two points aimed at before, so that it is conjugate to the last
// one (CFW) or two (BFW) directions by the second derivative of the objective (Mitradjieva, Lindberg 2013). The line search finds the
// zero of the derivative: a polynomial of degree 4 or 3 for QUARTIC and CUBIC, whose coefficients are sums over slots; for other
// shapes by Newton's method within a bracket, a sum over slots for each try.
//
// Sums have a fixed order: a thread's slots, the lanes of a warp, its warps, the blocks. So a step gives the same bits on every run.
#include "device/kernel.cuh"
#include "mco/traffic.h"
#include "device/barrier.cuh"
#include "traffic/frank_wolfe/direction.h"
#include "traffic/gpu/cuda.h"

namespace {

using namespace mco;

constexpr int STEP_BLOCK = 256, STEP_WARPS = STEP_BLOCK / WARP, NEWTON_MOST = 60, FIBONACCI_MOST = 48;
constexpr double LEAST_SCALE = 0x1p-200, TINY_STEP = 1e-15, LINE_TOLERANCE = 1e-8, MOST_COST = 4294967290.0;

// ---- Costs

// The integral of the cost from 0 to the flow: exact for polynomials and powers, else by Gauss's formula of 5 points.
DEVICE double integral(const traffic_costs &costs, int64_t s, double v)
{
    const double base = costs.base[s], k = costs.k[s];
    switch (costs.shape) {
    case TRAFFIC_QUARTIC: return v * (base + k * ((v * v) * (v * v)) / 5);
    case TRAFFIC_POWER: return k == 0 ? v * base : v * (base + k * pow(v, costs.p[s]) / (costs.p[s] + 1));
    case TRAFFIC_CUBIC: return v * (base + v * (costs.p[s] / 2 + k * (v * v) / 4));
    default: break;
    }
    const double x1 = 0.5384693101056831, x2 = 0.9061798459386640, w0 = 0.5688888888888889, w1 = 0.4786286704993665, w2 = 0.2369268850561891;
    const double half = v / 2;
    return half * (w0 * traffic_cost(&costs, s, half) +
                   w1 * (traffic_cost(&costs, s, half * (1 - x1)) + traffic_cost(&costs, s, half * (1 + x1))) +
                   w2 * (traffic_cost(&costs, s, half * (1 - x2)) + traffic_cost(&costs, s, half * (1 + x2))));
}

DEVICE uint32_t label_of(double cost, double scale)
{
    const double units = floor(cost * scale);
    return units > 0 ? (uint32_t)fmin(units, MOST_COST) + 1 : 1;
}

// ---- Sums over the grid

struct grid {
    const traffic_gpu_steps &plan;
    uint32_t goal;
    int turn;

    DEVICE explicit grid(const traffic_gpu_steps &p) : plan(p), goal(0), turn(0) {}

    DEVICE void wait()
    {
        goal += gridDim.x;
        grid_barrier(plan.d_barrier, goal);
    }

    // Every a[i] becomes the sum over all threads of the grid. Two buffers: a block that is ahead writes to the other one.
    template <int N> DEVICE void sum(double (&a)[N])
    {
        __shared__ double s_part[TRAFFIC_GPU_SUMS][STEP_WARPS], s_all[TRAFFIC_GPU_SUMS];
        const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
        double *const partial = plan.d_partial + (int64_t)turn * gridDim.x * TRAFFIC_GPU_SUMS;
#pragma unroll
        for (int i = 0; i < N; i++) {
            for (int o = WARP / 2; o > 0; o /= 2)
                a[i] += __shfl_xor_sync(ALL_LANES, a[i], o);
            if (lane == 0)
                s_part[i][warp] = a[i];
        }
        __syncthreads();
        if (threadIdx.x < N) {
            double all = 0;
            for (int w = 0; w < STEP_WARPS; w++)
                all += s_part[threadIdx.x][w];
            __stcg(partial + (int64_t)blockIdx.x * TRAFFIC_GPU_SUMS + threadIdx.x, all);
        }
        wait();
        for (int i = warp; i < N; i += STEP_WARPS) {
            double all = 0;
            for (int b = lane; b < (int)gridDim.x; b += WARP)
                all += __ldcg(partial + (int64_t)b * TRAFFIC_GPU_SUMS + i);
            for (int o = WARP / 2; o > 0; o /= 2)
                all += __shfl_xor_sync(ALL_LANES, all, o);
            if (lane == 0)
                s_all[i] = all;
        }
        __syncthreads();
        for (int i = 0; i < N; i++)
            a[i] = s_all[i];
        __syncthreads();
        turn ^= 1;
    }
};

// ---- Parts of a step. `loads` is the point that trees aim at.

DEVICE double loads(const traffic_gpu_steps &plan, int32_t s)
{
    unsigned long long all = 0;
    for (int32_t k = 0; k < plan.classes; k++)
        all += plan.d_load[(int64_t)k * plan.slots + s];
    return (double)all * plan.flow_unit;
}

struct sums {
    enum { TOTAL, LEAST, X_Y, X_X, Z_Y, Z_Z, LINKS, FIXED, FIXED_LOAD, OBJECTIVE, COUNT };
};

// Sums at the flows of now; x points to the last line, z to the last point aimed at. H is the second derivative.
DEVICE void gather(const traffic_gpu_steps &plan, double step, double (&a)[sums::COUNT])
{
    for (int32_t s = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); s < plan.slots; s += (int32_t)(gridDim.x * blockDim.x)) {
        const double y = loads(plan, s), v = plan.d_flow[s], s1 = plan.d_before[s], s2 = plan.d_before_last[s];
        const double c = traffic_cost(&plan.costs, s, v), slope = traffic_slope(&plan.costs, s, v), h = isfinite(slope) ? slope : 0;
        const double to_y = y - v, x = step * s1 + (1 - step) * s2 - v, z = s1 - v;
        a[sums::TOTAL] += v * c;
        a[sums::LEAST] += y * c;
        a[sums::X_Y] += x * to_y * h;
        a[sums::X_X] += x * (s2 - s1) * h;
        a[sums::Z_Y] += z * to_y * h;
        a[sums::Z_Z] += z * z * h;
        a[sums::LINKS] += y;
        a[sums::OBJECTIVE] += integral(plan.costs, s, v);
        for (int32_t k = 0; plan.d_extra != nullptr && k < plan.classes; k++) {
            const int64_t at = (int64_t)k * plan.slots + s;
            const double extra = plan.d_extra[at];
            a[sums::FIXED] += extra * (plan.d_class_flow != nullptr ? plan.d_class_flow[at] : v);
            a[sums::FIXED_LOAD] += extra * ((double)plan.d_load[at] * plan.flow_unit);
        }
    }
}

DEVICE traffic_shares shares_of(const traffic_gpu_state &state, const double (&a)[sums::COUNT])
{
    const traffic_conjugacy found = {a[sums::Z_Y], a[sums::Z_Z], a[sums::X_Y], a[sums::X_X]};
    return traffic_direction(state.memory, state.step, &found);
}

DEVICE double direction(const traffic_gpu_steps &plan, const traffic_shares &m, int32_t s)
{
    return m.y * loads(plan, s) + m.last * plan.d_before[s] + m.before * plan.d_before_last[s] - plan.d_flow[s];
}

// Adds a slot's part of the derivative of the objective along the direction, a polynomial of the step.
DEVICE void add_polynomial(const traffic_costs &costs, int32_t s, double v, double d, double (&p)[5])
{
    const double kd = costs.k[s] * d;
    if (costs.shape == TRAFFIC_QUARTIC) {
        const double v2 = v * v, d2 = d * d;
        p[0] += d * costs.base[s] + kd * v2 * v2;
        p[1] += 4 * kd * v2 * v * d;
        p[2] += 6 * kd * v2 * d2;
        p[3] += 4 * kd * v * d2 * d;
        p[4] += kd * d2 * d2;
    } else {
        const double linear = costs.p[s];
        p[0] += d * (costs.base[s] + linear * v) + kd * v * v * v;
        p[1] += d * d * linear + 3 * kd * v * v * d;
        p[2] += 3 * kd * v * d * d;
        p[3] += kd * d * d * d;
    }
}

DEVICE double next_try(double f, double slope, double x, double *low, double *high)
{
    *(f > 0 ? high : low) = x;
    const double next = slope > 0 && isfinite(slope) ? x - f / slope : (*low + *high) / 2;
    return next > *low && next < *high ? next : (*low + *high) / 2;
}

// A line from the flows of now, and the polynomial of the derivative along it where there is one. Searches run in all threads of the
// grid at once, with the same numbers.
struct line {
    const traffic_gpu_steps &plan;
    grid &all;
    const traffic_shares &shares;
    double fixed;                 // what constants of classes add to the derivative
    bool is_polynomial;
    double p[5];
};

// The derivative at a step, and its slope.
DEVICE void derive(line &l, double x, double (&f)[2])
{
    f[0] = f[1] = 0;
    for (int32_t s = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); s < l.plan.slots; s += (int32_t)(gridDim.x * blockDim.x)) {
        const double d = direction(l.plan, l.shares, s), v = l.plan.d_flow[s] + x * d;
        f[0] += d * traffic_cost(&l.plan.costs, s, v);
        if (d != 0)
            f[1] += d * d * traffic_slope(&l.plan.costs, s, v);
    }
    l.all.sum(f);
    f[0] += l.fixed;
}

// The objective at a step, without that of now.
DEVICE double value_at(line &l, double x)
{
    if (l.is_polynomial)
        return x * (l.p[0] + x * (l.p[1] / 2 + x * (l.p[2] / 3 + x * (l.p[3] / 4 + x * l.p[4] / 5))));
    double f[1] = {0};
    for (int32_t s = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); s < l.plan.slots; s += (int32_t)(gridDim.x * blockDim.x)) {
        const double d = direction(l.plan, l.shares, s), v = l.plan.d_flow[s];
        if (d != 0)
            f[0] += integral(l.plan.costs, s, v + x * d) - integral(l.plan.costs, s, v);
    }
    l.all.sum(f);
    return f[0] + x * l.fixed;
}

// Newton's method within a bracket. The derivative is negative at 0.
DEVICE double search_zero(line &l, double slope_at_0, double at_0)
{
    double f[2], low = 0, high = 1, x = slope_at_0 > 0 && -at_0 < slope_at_0 ? -at_0 / slope_at_0 : 0.5;
    if (l.is_polynomial)
        return traffic_polynomial_zero(l.p, 5);
    derive(l, 1, f);
    if (f[0] <= 0)
        return 1;
    for (int i = 0; i < NEWTON_MOST; i++) {
        derive(l, x, f);
        const double next = next_try(f[0], f[1], x, &low, &high);
        if (fabs(next - x) < TINY_STEP + 1e-12 * x)
            break;
        x = next;
    }
    return x;
}

// Golden section, or with the shares of Fibonacci's numbers, which are the same to the tolerance but for the last rounds.
DEVICE double search_sections(line &l, bool by_fibonacci)
{
    double number[FIBONACCI_MOST] = {1, 1}, low = 0, high = 1;
    int left = 1;
    while (left < FIBONACCI_MOST - 1 && 1 / number[left] > LINE_TOLERANCE) {
        left++;
        number[left] = number[left - 1] + number[left - 2];
    }
    const double golden = (sqrt(5.0) - 1) / 2;
    auto ratio = [&](int n) { return by_fibonacci ? number[n - 1] / number[n] : golden; };
    double a = 1 - ratio(left), b = ratio(left), at_a = value_at(l, a), at_b = value_at(l, b);
    for (left--; left >= 2; left--) {
        if (at_a < at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - ratio(left) * (high - low);
            at_a = value_at(l, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + ratio(left) * (high - low);
            at_b = value_at(l, b);
        }
    }
    return low + (high - low) / 2;
}

// Five points, evenly spread: the best of the inner three, and its two neighbours are the next ends.
DEVICE double search_dichotomy(line &l)
{
    double low = 0, high = 1, middle = 0.5, at_middle = value_at(l, middle);
    while (high - low > LINE_TOLERANCE) {  // ends: the interval is halved
        const double a = low + (middle - low) / 2, b = middle + (high - middle) / 2, at_a = value_at(l, a), at_b = value_at(l, b);
        if (at_a < at_middle) {
            high = middle;
            middle = a;
            at_middle = at_a;
        } else if (at_b < at_middle) {
            low = middle;
            middle = b;
            at_middle = at_b;
        } else {
            low = a;
            high = b;
        }
    }
    return middle;
}

// The step along a direction; negative: it does not descend.
DEVICE double search(const traffic_gpu_steps &plan, grid &all, const traffic_shares &m, double fixed)
{
    line l = {plan, all, m, fixed, plan.costs.shape == TRAFFIC_QUARTIC || plan.costs.shape == TRAFFIC_CUBIC, {0, 0, 0, 0, 0}};
    double f[2];
    if (l.is_polynomial) {
        for (int32_t s = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); s < plan.slots; s += (int32_t)(gridDim.x * blockDim.x))
            add_polynomial(plan.costs, s, plan.d_flow[s], direction(plan, m, s), l.p);
        all.sum(l.p);
        l.p[0] += fixed;
        f[0] = l.p[0];
        f[1] = l.p[1];
    } else {
        derive(l, 0, f);
    }
    if (!(f[0] < 0))
        return -1;
    if (plan.search == MCO_TRAFFIC_SEARCH_EXACT)
        return search_zero(l, f[1], f[0]);
    const double x = plan.search == MCO_TRAFFIC_SEARCH_DICHOTOMY ? search_dichotomy(l) : search_sections(l, plan.search == MCO_TRAFFIC_SEARCH_FIBONACCI);
    const double at_x = value_at(l, x), at_1 = value_at(l, 1);
    return at_1 <= at_x ? 1 : at_x < 0 ? x : -1;
}

// Costs of a slot's flow in labels, and an empty load.
DEVICE void renew(const traffic_gpu_steps &plan, int32_t s, double flow, double scale)
{
    const double cost = traffic_cost(&plan.costs, s, flow);
    for (int32_t k = 0; k < plan.classes; k++) {
        const int64_t at = (int64_t)k * plan.slots + s;
        plan.d_arc[at].cost = label_of(plan.d_extra != nullptr ? cost + plan.d_extra[at] : cost, scale);
        plan.d_load[at] = 0;
    }
}

// Moves a flow and the points before it. Rounding leaves no flow below 0.
DEVICE double move(double load, const traffic_shares &m, double step, double *flow, double *before, double *last)
{
    const double v = *flow, point = m.y * load + m.last * *before + m.before * *last, now = fmax(v + step * (point - v), 0.0);
    *last = *before;
    *before = point;
    *flow = now;
    return now;
}

DEVICE void move_all(const traffic_gpu_steps &plan, const traffic_shares &m, double step, double scale)
{
    for (int32_t s = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); s < plan.slots; s += (int32_t)(gridDim.x * blockDim.x)) {
        const double now = move(loads(plan, s), m, step, plan.d_flow + s, plan.d_before + s, plan.d_before_last + s);
        for (int32_t k = 0; plan.d_class_flow != nullptr && k < plan.classes; k++) {
            const int64_t at = (int64_t)k * plan.slots + s;
            move((double)plan.d_load[at] * plan.flow_unit, m, step, plan.d_class_flow + at, plan.d_class_before + at, plan.d_class_before_last + at);
        }
        renew(plan, s, now, scale);
    }
}

// The first loads are the first flows, and both points before.
DEVICE void begin_all(const traffic_gpu_steps &plan, double scale)
{
    for (int32_t s = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); s < plan.slots; s += (int32_t)(gridDim.x * blockDim.x)) {
        const double y = loads(plan, s);
        plan.d_flow[s] = plan.d_before[s] = plan.d_before_last[s] = y;
        for (int32_t k = 0; plan.d_class_flow != nullptr && k < plan.classes; k++) {
            const int64_t at = (int64_t)k * plan.slots + s;
            plan.d_class_flow[at] = plan.d_class_before[at] = plan.d_class_before_last[at] = (double)plan.d_load[at] * plan.flow_unit;
        }
        renew(plan, s, y, scale);
    }
}

DEVICE void renew_all(const traffic_gpu_steps &plan, double scale)
{
    for (int32_t s = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); s < plan.slots; s += (int32_t)(gridDim.x * blockDim.x))
        renew(plan, s, plan.d_flow[s], scale);
}

// The greatest label of a destination stays between `longest` and half of it: two bits are left for costs that rise.
DEVICE double next_scale(double scale, uint32_t greatest, uint32_t longest)
{
    if (greatest == 0)
        return scale;
    for (; greatest < longest / 2; greatest *= 2)
        scale *= 2;
    for (; greatest > longest; greatest /= 2)
        scale /= 2;
    return scale;
}

DEVICE void keep(const traffic_gpu_steps &plan, traffic_gpu_state state)
{
    if (blockIdx.x != 0 || threadIdx.x != 0)
        return;
    state.greatest = 0;
    *plan.d_state = state;
}

DEVICE void step_all(const traffic_gpu_steps &plan, grid &all)
{
    traffic_gpu_state state = *plan.d_state;  // all read it before the first barrier, and one writes it after the last
    if (state.greatest >= TRAFFIC_GPU_FAR_LABEL) {  // labels were too coarse for a path: the same costs in smaller units
        state.scale /= 16;
        if (state.scale < LEAST_SCALE)
            state.end = TRAFFIC_GPU_LOST;
        renew_all(plan, state.scale);
        all.wait();
        return keep(plan, state);
    }
    const double scale = state.scale;
    state.scale = next_scale(scale, state.greatest, plan.longest);
    if (state.iteration == 0) {
        begin_all(plan, state.scale);
        state.iteration = 1;
        state.memory = 0;
        state.step = 1;
        double a[1] = {0};
        for (int32_t s = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x); plan.d_extra != nullptr && s < plan.slots;
             s += (int32_t)(gridDim.x * blockDim.x))
            for (int32_t k = 0; k < plan.classes; k++) {
                const int64_t at = (int64_t)k * plan.slots + s;
                a[0] += plan.d_extra[at] * (plan.d_class_flow != nullptr ? plan.d_class_flow[at] : plan.d_flow[s]);
            }
        all.sum(a);
        state.fixed_before[0] = state.fixed_before[1] = a[0];
        return keep(plan, state);
    }
    double a[sums::COUNT] = {};
    gather(plan, state.step, a);
    all.sum(a);
    const double total = a[sums::TOTAL] + a[sums::FIXED], least = a[sums::LEAST] + a[sums::FIXED_LOAD];
    state.total = total;
    // A link of a path may be counted one unit too long.
    state.gap = total > 0 ? fmax(0.0, (total - least + a[sums::LINKS] / scale) / total) : 0;
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        double *const entry = plan.d_history + 2 * (int64_t)(state.iteration % plan.history_room);
        entry[0] = state.gap;
        entry[1] = a[sums::OBJECTIVE] + a[sums::FIXED];
    }
    if (state.gap <= plan.gap) {
        state.end = TRAFFIC_GPU_REACHED;
        return keep(plan, state);
    }
    traffic_shares m = shares_of(state, a);
    double fixed = m.y * a[sums::FIXED_LOAD] + m.last * state.fixed_before[0] + m.before * state.fixed_before[1] - a[sums::FIXED];
    double step = search(plan, all, m, fixed);
    if (step < 0 && m.y < 1) {  // rounding: the plain direction
        m = {1, 0, 0};
        fixed = a[sums::FIXED_LOAD] - a[sums::FIXED];
        step = search(plan, all, m, fixed);
    }
    if (step < 0) {
        state.end = TRAFFIC_GPU_STUCK;
        return keep(plan, state);
    }
    move_all(plan, m, step, state.scale);
    state.fixed_before[1] = state.fixed_before[0];
    state.fixed_before[0] = fixed + a[sums::FIXED];
    state.step = step;
    state.iteration++;
    state.memory = traffic_memory_after(state.memory, step, plan.memory);
    keep(plan, state);
}

// Mapping: a thread takes slots a grid apart, mostly one; all blocks are on the device at once. Shared memory: 1 KB. Traffic: about 80
// bytes a slot, in the L2 cache. Limit: two barriers of the grid, about 1.5 us each, and 4 us of loads one after the other.
// Ends: barrier.cuh; loops are over counts that do not change, NEWTON_MOST tries, and intervals that shrink.
__global__ void __launch_bounds__(STEP_BLOCK) step(const traffic_gpu_steps plan)
{
    grid all(plan);
    let_next_begin();  // the trees of the next iteration take their network meanwhile
    if (plan.d_state->end == TRAFFIC_GPU_RUNNING)
        step_all(plan, all);
    leave_barriers(plan.d_barrier);
}

// Mapping: a thread takes a word. Traffic: 8 bytes of a word for each GPU, in the L2 cache.
__global__ void __launch_bounds__(STEP_BLOCK) sum_up(const traffic_gpu_sum plan)
{
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= plan.words)
        return;
    unsigned long long all = plan.d_mine[i];
    const bool is_label = i + 1 == plan.words;
    for (int32_t k = 0; k < plan.others; k++) {
        const unsigned long long other = plan.d_others[k * plan.words + i];
        all = is_label ? max(all, other) : all + other;
    }
    if (is_label)
        plan.d_state->greatest = (uint32_t)all;
    else
        plan.d_load[i] = all;
    plan.d_empty[i] = 0;
}

__global__ void __launch_bounds__(STEP_BLOCK) costs(const traffic_gpu_steps plan)
{
    renew_all(plan, plan.d_state->scale);
}

}  // namespace

cudaError_t traffic_gpu_steps_shape(traffic_gpu_steps *plan, int multiprocessors)
{
    int fits = 0;
    const cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fits, step, STEP_BLOCK, 0);
    if (error == cudaSuccess && fits == 0)
        return cudaErrorInvalidConfiguration;
    plan->threads = STEP_BLOCK;
    plan->blocks = (plan->slots + STEP_BLOCK - 1) / STEP_BLOCK;
    if (plan->blocks > multiprocessors)
        plan->blocks = multiprocessors;
    if (plan->blocks < 1)
        plan->blocks = 1;
    return error;
}

cudaError_t traffic_gpu_launch_costs(const traffic_gpu_steps *plan, cudaStream_t stream)
{
    return launch(costs, (unsigned int)plan->blocks, (unsigned int)plan->threads, 0, stream, *plan);
}

cudaError_t traffic_gpu_launch_sum(const traffic_gpu_sum *plan, cudaStream_t stream)
{
    return launch(sum_up, (unsigned int)((plan->words + STEP_BLOCK - 1) / STEP_BLOCK), (unsigned int)STEP_BLOCK, 0, stream, *plan);
}

cudaError_t traffic_gpu_launch_step(const traffic_gpu_steps *plan, cudaStream_t stream)
{
    void *arguments[] = {const_cast<traffic_gpu_steps *>(plan)};
    const cudaError_t error = cudaLaunchCooperativeKernel(reinterpret_cast<const void *>(step), dim3((unsigned int)plan->blocks),
                                                          dim3((unsigned int)plan->threads), arguments, 0, stream);
    return error != cudaSuccess ? error : cudaGetLastError();
}
