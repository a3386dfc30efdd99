// SPDX-License-Identifier: MIT
// A batch: fathers that a device works on, and its results. The pool loop fills the host's arrays, and a backend does
// the operators. One backend is CUDA (flowshop/systems/gpu.c). The other is the host itself (flowshop/systems/host.c):
// it runs the same functions thread by thread, for the unit tests.
#ifndef MCO_FLOWSHOP_SYSTEMS_BATCH_H
#define MCO_FLOWSHOP_SYSTEMS_BATCH_H

#include "device/device.h"
#include "flowshop/kernels.h"

// Which operators the device does; the host does the others.
typedef enum flowshop_operators {
    FLOWSHOP_BOUND_ONLY,       // bounds the children that the host lists
    FLOWSHOP_BRANCH_AND_BOUND, // a kernel each for branching and bounding; the host prunes
    FLOWSHOP_WHOLE_NODE,       // one thread branches a father, bounds its children and prunes them
    FLOWSHOP_THREE_KERNELS     // a kernel each for branching, bounding and pruning
} flowshop_operators;

typedef struct flowshop_batch {
    flowshop_tables tables; // of the host
    flowshop_operators operators;
    int32_t child_room, father_room;
    // In host memory. Input: rows, offsets, fathers, children, upper; with BOUND_ONLY also words. Output: bounds if
    // the host prunes, else counts and survivors. With THREE_KERNELS there are *survivor_count survivors without gaps.
    // With WHOLE_NODE the counts[s] survivors of father s begin at offsets[s] / 2. Other members are not used.
    flowshop_arrays host;
    int64_t bytes_up, bytes_down; // copied to and from devices so far
    double kernel_s;              // time of the devices' kernels so far
} flowshop_batch;

// Where a batch runs. With two devices (which may be the same one) the first branches. The second receives the children
// from it, bounds and prunes.
typedef struct flowshop_batch_place {
    const mco_gpu *gpu, *second; // second: NULL for one device
    int block;                   // threads of a block
    // [earlier_count] batches of the same tables, which outlive this one. This batch uses the constants that they
    // brought to its devices.
    flowshop_batch *const *earlier;
    int earlier_count;
} flowshop_batch_place;

// Only one thread at a time uses a batch. `ctx` belongs to that thread and receives the messages.
typedef struct flowshop_backend {
    const char *name;
    mco_status (*create)(mco_context *ctx, const flowshop_tables *tables, flowshop_operators operators,
                         const flowshop_batch_place *place, flowshop_batch **out);
    void (*destroy)(mco_context *ctx, flowshop_batch **batch);
    // Makes room for so many children and fathers. No work may be under way. After MEMORY the batch has no room and
    // holds no memory for it.
    mco_status (*resize)(flowshop_batch *batch, int32_t children, int32_t fathers);
    // begin queues the copies and kernels and returns. is_done does not wait; it is false while finish would have to
    // wait. finish waits and completes the results.
    mco_status (*begin)(flowshop_batch *batch);
    bool (*is_done)(flowshop_batch *batch);
    mco_status (*finish)(flowshop_batch *batch);
} flowshop_backend;

extern const flowshop_backend flowshop_host_backend;
#ifdef MCO_HAVE_CUDA
extern const flowshop_backend flowshop_cuda_backend;
#endif

// Bytes of each array of a batch in the memory of the device that computes; 0 if the operators do not need the array.
typedef struct flowshop_batch_bytes {
    size_t rows, offsets, words, ends, child_ends, bounds, survivors, counts;
} flowshop_batch_bytes;

static inline bool flowshop_host_prunes(flowshop_operators operators)
{
    return operators == FLOWSHOP_BOUND_ONLY || operators == FLOWSHOP_BRANCH_AND_BOUND;
}

// Strides are whole warps.
static inline int64_t flowshop_stride(int64_t count)
{
    return (count + 31) / 32 * 32;
}

static inline flowshop_batch_bytes flowshop_batch_room(const flowshop_tables *t, flowshop_operators operators,
                                                       int32_t children, int32_t fathers)
{
    const size_t child_count = (size_t)children, father_count = (size_t)fathers, word = sizeof(int32_t);
    const size_t stride = (size_t)flowshop_stride(fathers), m = (size_t)t->machines;
    const bool has_branch_kernel = operators == FLOWSHOP_THREE_KERNELS || operators == FLOWSHOP_BRANCH_AND_BOUND;
    const bool is_whole = operators == FLOWSHOP_WHOLE_NODE;
    const size_t ends = has_branch_kernel || t->is_lb2 ? (size_t)flowshop_stride(is_whole ? fathers : children) : 0;
    return (flowshop_batch_bytes){.rows = father_count * (size_t)flowshop_row_bytes(t->jobs),
                                  .offsets = (father_count + 1) * word,
                                  .words = is_whole ? 0 : child_count * word,
                                  .ends = (3 * m + (size_t)t->words) * stride * word,
                                  .child_ends = m * ends * word,
                                  .bounds = child_count * word,
                                  .survivors =
                                      flowshop_host_prunes(operators) ? 0 : child_count / 2 * sizeof(flowshop_survivor),
                                  .counts = flowshop_host_prunes(operators) ? 0 : father_count * word};
}

// Copies the size of the batch into the arrays of a device that computes it.
static inline void flowshop_batch_measure(const flowshop_batch *batch, flowshop_arrays *a)
{
    const bool is_whole = batch->operators == FLOWSHOP_WHOLE_NODE;
    a->row_bytes = flowshop_row_bytes(batch->tables.jobs);
    a->fathers = batch->host.fathers;
    a->children = batch->host.children;
    a->upper = batch->host.upper;
    a->stride = flowshop_stride(a->fathers);
    a->child_stride = flowshop_stride(is_whole ? a->fathers : a->children);
}

#endif
