// SPDX-License-Identifier: MIT
// A thread evaluates one node. It replays the jobs fixed at both ends: d m steps for d jobs on m machines. Then it
// walks Johnson's order of all n jobs for each of 190 pairs of machines. A step reads one job index; a free job takes 2
// times, a lag, 2 maxima and 3 additions. All threads of a warp read the same order at the same time. Traffic of global
// memory for a node: a row of 2 n + 8 bytes in, 4 bytes out. The rest is in cache or shared memory. Issue is the limit.
#include "bounds_cuda.h"

__constant__ static uint8_t c_ptm[BOUNDS_MACHINES * BOUNDS_MOST_JOBS];
__constant__ static uint8_t c_jm[BOUNDS_PAIRS * 200]; // 38,000 bytes of 65,536

enum { MOST_CONSTANT_JOBS = 200, WORDS = BOUNDS_MOST_JOBS / 32 };

struct tables {
    const uint8_t *ptm, *jm;
    const uint16_t *lm;
};

// ---- The thesis' arithmetic in place of conditions (section 4.6); wrong from 355 jobs on, where cos(355) = -1.

// 1 if x is 0, else 0.
__device__ static int is_zero_by_cosine(int x)
{
    return (int)__cosf((float)x);
}

// 1 if x > y, else 0.
__device__ static int is_greater_by_exponential(int x, int y)
{
    return min(1, (int)__expf((float)(x - y - 1)));
}

template <int FORM> __device__ static int greater(int a, int b)
{
    if (FORM == BOUNDS_COSINE) {
        const int coefficient = is_greater_by_exponential(a, b);
        return coefficient * a + (1 - coefficient) * b;
    }
    if (FORM == BOUNDS_SELECT)
        return max(a, b);
    if (a > b)
        return a;
    return b;
}

// Where a machine starts: `end`, the end of the partial schedule, if jobs are `fixed`; else the smallest head or tail.
template <int FORM> __device__ static int start_of(int fixed, int end, int smallest)
{
    if (FORM == BOUNDS_COSINE) {
        const int coefficient = is_zero_by_cosine(fixed);
        return (1 - coefficient) * end + coefficient * smallest;
    }
    return fixed != 0 ? end : smallest;
}

// ---- One node

struct state {
    int rm[BOUNDS_MACHINES], qm[BOUNDS_MACHINES];
    uint32_t is_free[WORDS];
};

template <int FORM> __device__ static void replay(const bounds_args &a, const tables &t, int node, state &s)
{
    const flowshop_row *row = (const flowshop_row *)(a.rows + (size_t)node * a.row_bytes);
    const uint16_t *order = (const uint16_t *)(row + 1);
    const int front = row->front, back = row->back;
    for (int w = 0; w < WORDS; w++)
        s.is_free[w] = 0;
    for (int k = 0; k < BOUNDS_MACHINES; k++)
        s.rm[k] = s.qm[k] = 0;
    for (int i = 0; i < front; i++)
        for (int k = 0, reach = 0; k < BOUNDS_MACHINES; k++)
            s.rm[k] = reach = greater<FORM>(reach, s.rm[k]) + t.ptm[order[i] * BOUNDS_MACHINES + k];
    for (int i = a.jobs - 1; i >= a.jobs - back; i--)
        for (int k = BOUNDS_MACHINES - 1, reach = 0; k >= 0; k--)
            s.qm[k] = reach = greater<FORM>(reach, s.qm[k]) + t.ptm[order[i] * BOUNDS_MACHINES + k];
    for (int k = 0; k < BOUNDS_MACHINES; k++) {
        s.rm[k] = start_of<FORM>(front, s.rm[k], a.heads[k]);
        s.qm[k] = start_of<FORM>(back, s.qm[k], a.tails[k]);
    }
    for (int i = front; i < a.jobs - back; i++)
        s.is_free[order[i] >> 5] |= 1u << (order[i] & 31);
}

template <int PLACE, int FORM>
__device__ static int end_of_pair(const bounds_args &a, const tables &t, const state &s, int q, int k, int l)
{
    int t1 = s.rm[k], t2 = s.rm[l];
    for (int i = 0; i < a.jobs; i++) {
        int job, time_k, time_l, lag;
        if (PLACE == BOUNDS_FUSED) {
            const flowshop_step step = a.steps[q * a.jobs + i];
            job = step.job;
            time_k = step.time_k;
            time_l = step.time_l;
            lag = step.lag;
        } else {
            job = t.jm[q * a.jobs + i];
        }
        const int is_free = s.is_free[job >> 5] >> (job & 31) & 1;
        if (is_free == 0)
            continue;
        if (PLACE != BOUNDS_FUSED) {
            time_k = t.ptm[job * BOUNDS_MACHINES + k];
            time_l = t.ptm[job * BOUNDS_MACHINES + l];
            lag = t.lm[q * a.jobs + job];
        }
        t1 += time_k;
        t2 = greater<FORM>(t2, t1 + lag) + time_l;
    }
    return t2 + s.qm[l];
}

template <int PLACE> __device__ static tables place(const bounds_args &a, unsigned char *s_memory)
{
    const bool has_ptm = PLACE == BOUNDS_PTM_SHARED || PLACE == BOUNDS_JM_PTM_SHARED || PLACE == BOUNDS_ALL_SHARED;
    const bool has_jm = PLACE == BOUNDS_JM_SHARED || PLACE == BOUNDS_JM_PTM_SHARED || PLACE == BOUNDS_ALL_SHARED;
    tables t = {a.ptm, a.jm, a.lm};
    if (PLACE == BOUNDS_ALL_SHARED) {
        uint16_t *s_lm = (uint16_t *)s_memory;
        for (int i = threadIdx.x; i < BOUNDS_PAIRS * a.jobs; i += blockDim.x)
            s_lm[i] = a.lm[i];
        t.lm = s_lm;
        s_memory += BOUNDS_PAIRS * a.jobs * sizeof(uint16_t);
    }
    if (has_jm) {
        for (int i = threadIdx.x; i < BOUNDS_PAIRS * a.jobs; i += blockDim.x)
            s_memory[i] = a.jm[i];
        t.jm = s_memory;
        s_memory += BOUNDS_PAIRS * a.jobs;
    }
    if (has_ptm) {
        for (int i = threadIdx.x; i < BOUNDS_MACHINES * a.jobs; i += blockDim.x)
            s_memory[i] = a.ptm[i];
        t.ptm = s_memory;
    }
    if (PLACE == BOUNDS_CONSTANT) {
        t.ptm = c_ptm;
        t.jm = c_jm;
    }
    __syncthreads();
    return t;
}

template <int PLACE, int FORM> __global__ static void __launch_bounds__(1024, 1) bound_nodes(bounds_args a)
{
    extern __shared__ __align__(16) unsigned char s_memory[];
    const tables t = place<PLACE>(a, s_memory);
    const int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= a.count)
        return;
    state s;
    int bound = 0;
    replay<FORM>(a, t, node, s);
    for (int q = 0; q < BOUNDS_PAIRS; q++) {
        const int k = a.mm[q] >> 8, l = a.mm[q] & 0xff;
        bound = greater<FORM>(bound, end_of_pair<PLACE, FORM>(a, t, s, q, k, l));
    }
    a.bounds[node] = bound;
}

// ---- Launch

cudaError_t bounds_set_constant(const uint8_t *ptm, const uint8_t *jm, int32_t jobs)
{
    if (jobs > MOST_CONSTANT_JOBS)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaMemcpyToSymbol(c_ptm, ptm, (size_t)jobs * BOUNDS_MACHINES);
    return error != cudaSuccess ? error : cudaMemcpyToSymbol(c_jm, jm, (size_t)jobs * BOUNDS_PAIRS);
}

size_t bounds_shared_bytes(bounds_placement placement, int32_t jobs)
{
    const size_t ptm = (size_t)jobs * BOUNDS_MACHINES, jm = (size_t)jobs * BOUNDS_PAIRS;
    switch (placement) {
    case BOUNDS_PTM_SHARED: return ptm;
    case BOUNDS_JM_SHARED: return jm;
    case BOUNDS_JM_PTM_SHARED: return ptm + jm;
    case BOUNDS_ALL_SHARED: return ptm + jm + jm * sizeof(uint16_t);
    default: return 0;
    }
}

typedef void (*kernel)(bounds_args);

template <int PLACE> static kernel of_form(bounds_form form)
{
    switch (form) {
    case BOUNDS_COSINE: return bound_nodes<PLACE, BOUNDS_COSINE>;
    case BOUNDS_SELECT: return bound_nodes<PLACE, BOUNDS_SELECT>;
    default: return bound_nodes<PLACE, BOUNDS_IF>;
    }
}

static kernel choose(bounds_placement placement, bounds_form form)
{
    switch (placement) {
    case BOUNDS_PTM_SHARED: return of_form<BOUNDS_PTM_SHARED>(form);
    case BOUNDS_JM_SHARED: return of_form<BOUNDS_JM_SHARED>(form);
    case BOUNDS_JM_PTM_SHARED: return of_form<BOUNDS_JM_PTM_SHARED>(form);
    case BOUNDS_ALL_SHARED: return of_form<BOUNDS_ALL_SHARED>(form);
    case BOUNDS_CONSTANT: return of_form<BOUNDS_CONSTANT>(form);
    case BOUNDS_FUSED: return of_form<BOUNDS_FUSED>(form);
    default: return of_form<BOUNDS_GLOBAL>(form);
    }
}

cudaError_t bounds_launch(const bounds_args *args, bounds_placement placement, bounds_form form, int block,
                          cudaStream_t stream)
{
    const size_t bytes = bounds_shared_bytes(placement, args->jobs);
    const kernel chosen = choose(placement, form);
    cudaError_t error =
        cudaFuncSetAttribute((const void *)chosen, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (error != cudaSuccess)
        return error;
    chosen<<<(unsigned)((args->count + block - 1) / block), block, bytes, stream>>>(*args);
    return cudaGetLastError();
}
