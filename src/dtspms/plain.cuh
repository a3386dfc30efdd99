// SPDX-License-Identifier: MIT
// The dynamic program of dtspms/model.h in 32 bits, by one thread, for any number of stacks. Only memory limits the
// heights. The same word of neighbouring threads lies side by side. Reference: dtspms/ref.c.
#ifndef MCO_DTSPMS_PLAIN_CUH
#define MCO_DTSPMS_PLAIN_CUH

#include "dtspms/cuda.h"

namespace dtspms {

// Heights as an odometer: the last sequence runs fastest.
template <int STACKS> struct plain_state {
    int h[STACKS];
    int64_t at[STACKS];                  // place of F_k in its table, by the heights of the sequences after k
    int32_t node[STACKS], next[STACKS];  // nodes at the heights, and one step above
};

// A thread with its words: the sequences of the plan, one after another, then the tables of F_0, F_1, ...
struct plain_thread {
    const dtspms_device_problem &problem;
    const int network;
    int32_t *const words;
    const int64_t stride;

    __device__ plain_thread(const dtspms_device_problem &p, int of_network, int32_t *own_words, int64_t threads)
        : problem(p), network(of_network), words(own_words), stride(threads)
    {
    }

    __device__ int32_t &step(int k) const { return words[k * stride]; }
    __device__ int begin(int stack) const { return problem.first[stack] + 2 * stack; }

    // Puts a node at a position of the plan.
    __device__ void set(int position, int32_t node) const
    {
        int stack = 0;
        while (position >= problem.first[stack + 1])
            stack++;
        const int up = position - problem.first[stack];
        step(begin(stack) + (network == MCO_DTSPMS_NETWORK_PICKUP ? up + 1 : problem.heights[stack] - up)) = node;
    }

    template <class Node> __device__ void build(const Node *node) const
    {
        for (int k = 0; k < problem.stacks; k++)
            step(begin(k)) = step(begin(k) + problem.heights[k] + 1) = 0;
        for (int k = 0; k < problem.orders; k++)
            set(k, node[k]);
    }

    // Length of the tour. Limit: latency of device memory.
    template <int STACKS> __device__ int32_t tour() const
    {
        const int32_t *d = problem.distance[network];
        const int32_t infinite = INT32_MAX - problem.longest[network];
        int64_t table[STACKS], size[STACKS];
        plain_state<STACKS> s;
        place_tables<STACKS>(table, size);
#pragma unroll
        for (int k = 0; k < STACKS; k++)
            enter<STACKS>(s, k, 0);
        for (bool is_origin = true;; is_origin = false) {
            int32_t f[STACKS], into[STACKS];
            locate<STACKS>(s);
#pragma unroll
            for (int k = 0; k < STACKS; k++) {
                f[k] = s.h[k] == 0 ? (is_origin ? 0 : infinite) : words[(table[k] + s.at[k]) * stride];
                into[k] = INT32_MAX;
            }
#pragma unroll
            for (int k = 0; k < STACKS; k++) {
#pragma unroll
                for (int q = 0; q < STACKS; q++)
                    into[k] = min(into[k], f[q] + d[(int64_t)s.node[q] * problem.nodes + s.next[k]]);
                words[(table[k] + s.at[k]) * stride] = into[k];
            }
            if (!advance<STACKS>(s))
                return into[0];  // the way from the last state to the depot
        }
    }

  private:
    template <int STACKS> __device__ void place_tables(int64_t (&table)[STACKS], int64_t (&size)[STACKS]) const
    {
        int64_t begin_table = problem.orders + DTSPMS_DEVICE_SEQUENCE;
        size[STACKS - 1] = 1;
#pragma unroll
        for (int k = STACKS - 2; k >= 0; k--)
            size[k] = size[k + 1] * (problem.heights[k + 1] + 1);
#pragma unroll
        for (int k = 0; k < STACKS; k++) {
            table[k] = begin_table;
            begin_table += size[k];
        }
    }

    template <int STACKS> __device__ void enter(plain_state<STACKS> &s, int k, int height) const
    {
        s.h[k] = height;
        s.node[k] = step(begin(k) + height);
        s.next[k] = step(begin(k) + height + 1);
    }

    template <int STACKS> __device__ void locate(plain_state<STACKS> &s) const
    {
        int64_t size = 1;
        s.at[STACKS - 1] = 0;
#pragma unroll
        for (int k = STACKS - 2; k >= 0; k--) {
            s.at[k] = s.at[k + 1] + s.h[k + 1] * size;
            size *= problem.heights[k + 1] + 1;
        }
    }

    template <int STACKS> __device__ bool advance(plain_state<STACKS> &s) const
    {
#pragma unroll
        for (int k = STACKS - 1; k >= 0; k--) {
            if (s.h[k] < problem.heights[k]) {
                enter<STACKS>(s, k, s.h[k] + 1);
                return true;
            }
            enter<STACKS>(s, k, 0);
        }
        return false;
    }
};

}  // namespace dtspms
#endif
