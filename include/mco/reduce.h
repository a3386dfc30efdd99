// SPDX-License-Identifier: MIT
// Reduction of an array to one value: sum, product, minimum, maximum, their places, bits, a count.
//
// Every engine, thread count, block size and number of GPUs gives the same bits, floating point
// included: the order of the operations is a fixed tree, a function of the count and the element
// size alone (src/reduce/README.md).
//
//     mco_reduce_params params = MCO_REDUCE_PARAMS_INIT;
//     mco_reduce_result result = MCO_REDUCE_RESULT_INIT;
//     if (mco_reduce(ctx, MCO_REDUCE_OP_SUM, MCO_REDUCE_TYPE_F32, data, count, &params, &result) == MCO_OK)
//         printf("%.9g\n", result.value.f);
#ifndef MCO_REDUCE_H
#define MCO_REDUCE_H

#include "mco/compiler.h"
#include "mco/context.h"
#include "mco/devices.h"
#include "mco/engine.h"
#include "mco/reduce_options.def"

MCO_BEGIN_C

// ---- Limits, refused with a message that names the value seen and the value allowed.
#define MCO_REDUCE_MAX_COUNT ((int64_t)1 << 40)     // elements
#define MCO_REDUCE_MAX_SEGMENTS ((int64_t)1 << 31)  // less one

typedef enum mco_reduce_op {
    MCO_REDUCE_OP_SUM,     // integers: 64 bits, wraps; floats: in the element type
    MCO_REDUCE_OP_PROD,    // the same
    MCO_REDUCE_OP_MIN,     // floats: any NaN gives NaN; -0 lies below +0
    MCO_REDUCE_OP_MAX,
    MCO_REDUCE_OP_ARGMIN,  // floats: the first NaN, if any; ties, and -0 against +0, to the lowest index
    MCO_REDUCE_OP_ARGMAX,
    MCO_REDUCE_OP_AND,     // bits; integers only, as the two below
    MCO_REDUCE_OP_OR,
    MCO_REDUCE_OP_XOR,
    MCO_REDUCE_OP_COUNT_NONZERO  // NaN counts, -0 does not
} mco_reduce_op;
#define MCO_REDUCE_OP_NAMES "sum|prod|min|max|argmin|argmax|and|or|xor|count-nonzero"
enum { MCO_REDUCE_OPS = 10 };

typedef enum mco_reduce_type {
    MCO_REDUCE_TYPE_I32,
    MCO_REDUCE_TYPE_I64,
    MCO_REDUCE_TYPE_U32,
    MCO_REDUCE_TYPE_U64,
    MCO_REDUCE_TYPE_F32,
    MCO_REDUCE_TYPE_F64
} mco_reduce_type;
#define MCO_REDUCE_TYPE_NAMES "i32|i64|u32|u64|f32|f64"
enum { MCO_REDUCE_TYPES = 6 };

typedef enum mco_reduce_check { MCO_REDUCE_CHECK_OFF, MCO_REDUCE_CHECK_FULL } mco_reduce_check;

// One reduction's value, 16 bytes, in host or device memory. The member follows from
// mco_reduce_value_type: `i` of I32 and I64, `u` of U32 and U64, `f` of F32 and F64 (an f32 is held exactly; a
// NaN is the positive quiet one without payload). argmin and argmax give the element and its 0-based
// index; every other operation has index -1.
typedef struct mco_reduce_value {
    MCO_EXTENSION union {
        int64_t i;
        uint64_t u;
        double f;
    };
    int64_t index;
} mco_reduce_value;

// Type of the value of `op` over elements of `type`: 64-bit integers for integer sums and products, U64 for
// the count, else the element type.
MCO_API mco_reduce_type mco_reduce_value_type(mco_reduce_op op, mco_reduce_type type);
MCO_API int64_t mco_reduce_type_bytes(mco_reduce_type type);
// The value in its type: an f32 or a 32-bit integer in the low 32 bits.
MCO_API uint64_t mco_reduce_value_bits(mco_reduce_type type, mco_reduce_value value);
// Names as the options take them, "sum", "f32"; "?" for a value outside the list. Static storage.
MCO_API const char *mco_reduce_op_text(mco_reduce_op op);
MCO_API const char *mco_reduce_type_text(mco_reduce_type type);

// Fields, defaults and meanings are the table in reduce_options.def.
typedef struct mco_reduce_params {
    size_t struct_size;
    MCO_FIELDS(MCO_REDUCE_OPTIONS)
} mco_reduce_params;

#define MCO_REDUCE_PARAMS_INIT { sizeof(mco_reduce_params), MCO_DEFAULTS(MCO_REDUCE_OPTIONS) }

// The options as a table.
MCO_API const mco_option_table *mco_reduce_options(void);

// What a reduction on host data returns. Holds no memory.
typedef struct mco_reduce_result {
    size_t struct_size;
    mco_reduce_value value;      // of the whole array; unused by segmented reductions
    mco_reduce_type value_type;
    uint64_t value_bits;         // of the value in its type: an f32 in the low 32 bits
    mco_work work;               // its solve_s leaves the check out
    int64_t bytes;     // of the array: one reading of it
    int64_t chunks;    // of the fixed tree, all segments together
    int64_t parts;     // pieces in which the data passed through a GPU's memory; 1 if they fitted
    double kernel_s;   // one reduction, median over the repeats: engine time on data in place. GPU: kernels, of the
                       // slowest device; CPU: from all threads ready to the value
    double copy_s;     // generating the data, or bringing them to the GPUs
    double bytes_per_s;  // bytes / kernel_s; 0 where kernel_s is 0
} mco_reduce_result;

#define MCO_REDUCE_RESULT_INIT MCO_SIZED(mco_reduce_result)

// ---- Host data

// Reduces data [count], aligned to its element size, borrowed. count 0 gives the identity: 0; 1 for prod;
// the largest or lowest value of the type for min or max (infinities for floats); all ones for and; for argmin
// and argmax it is ARGUMENT. auto: the cpu engine, unless many repeats pay for a copy to a GPU.
// Errors: ARGUMENT (bits of floats, compensated for anything but float sums, alignment), LIMIT, MEMORY,
// DEVICE, INTERNAL (the check failed). O(count).
MCO_API mco_status mco_reduce(mco_context *ctx, mco_reduce_op op, mco_reduce_type type, const void *data,
                              int64_t count, const mco_reduce_params *params, mco_reduce_result *result);

// Reduces each segment data[offsets[s] .. offsets[s+1]) into values[s], with the bits of mco_reduce() on that
// segment alone; an index counts from the segment's begin. offsets [segments + 1] ascend from 0; segments 0 is
// fine. An empty segment gives the identity; argmin and argmax refuse it. Errors: as mco_reduce().
MCO_API mco_status mco_reduce_segments(mco_context *ctx, mco_reduce_op op, mco_reduce_type type, const void *data,
                                       const int64_t *offsets, int64_t segments, const mco_reduce_params *params,
                                       mco_reduce_value *values, mco_reduce_result *result);

// ---- Generated data: element i is a function of seed and i, so that any engine makes it in place. The i-th
// output of SplitMix64 from `seed`, its high bits: i32, u32 32 bits; i64, u64 all; f32 24 bits and f64 53 bits as
// a multiple of 2^-23, 2^-52 uniform in [-1, 1).

// data [count] receives elements first .. first + count - 1. Errors: ARGUMENT. O(count).
MCO_API mco_status mco_reduce_generate(mco_context *ctx, mco_reduce_type type, uint64_t seed, int64_t first,
                                       int64_t count, void *data);

// Reduces generated data. segment_length 0: the whole, `values` is NULL. Else segments of that length, the last
// one may be shorter: values [ceil(count / segment_length)]. auto: a GPU where there is one. Errors: as mco_reduce().
MCO_API mco_status mco_reduce_generated(mco_context *ctx, mco_reduce_op op, mco_reduce_type type, uint64_t seed,
                                        int64_t count, int64_t segment_length, const mco_reduce_params *params,
                                        mco_reduce_value *values, mco_reduce_result *result);

// Writes the result file (docs/formats.md) of a reduction of `count` elements called `name`: result->value, or values
// [segments] of a segmented one. `more`: further options to be echoed, up to the first without a table; NULL: none. Errors:
// ARGUMENT, IO.
MCO_API mco_status mco_reduce_write_result(mco_context *ctx, const char *name, mco_reduce_op op, int64_t count, int64_t seed,
                                           const mco_reduce_value *values, int64_t segments,
                                           const mco_reduce_params *params, const mco_reduce_result *result,
                                           const mco_option_values *more, const char *path);
// Writes a value as text to `out` [size] and returns it: an integer's digits, or the fewest digits that read back as the same
// number; and its bits as hexadecimal digits. 64 bytes are enough.
MCO_API const char *mco_reduce_value_text(mco_reduce_type type, mco_reduce_value value, char *out, size_t size);
MCO_API const char *mco_reduce_bits_text(mco_reduce_type type, mco_reduce_value value, char *out, size_t size);

// ---- Device data: calls enqueue work on a stream and return; nothing is allocated, nothing waits, so that they may
// be captured into a graph.

// Scratch of one GPU. Reductions that may run at the same time need a workspace each.
typedef struct mco_reduce_workspace mco_reduce_workspace;

// For GPU `gpu` (index as mco_gpus_list() gives it). Errors: DEVICE (none, or a build without GPU engines), MEMORY.
MCO_API mco_status mco_reduce_workspace_create(mco_context *ctx, int gpu, mco_reduce_workspace **out);
// Waits for the work that uses it.
MCO_API void mco_reduce_workspace_destroy(mco_context *ctx, mco_reduce_workspace **workspace);

// d_data [count], aligned to its element size; d_value in memory that the device writes (its own, or pinned and
// mapped), aligned to 16 bytes. `stream` is a cudaStream_t, NULL the default one; of the workspace's GPU, which is the
// calling thread's current device afterwards. count 0 as in mco_reduce(). Errors: ARGUMENT, LIMIT, DEVICE.
MCO_API mco_status mco_reduce_device(mco_context *ctx, mco_reduce_workspace *workspace, mco_reduce_op op,
                                     mco_reduce_type type, bool is_compensated, const void *d_data, int64_t count,
                                     mco_reduce_value *d_value, void *stream);

// Segments by d_offsets [segments + 1] in device memory, which are trusted: ascending, within the data. `mean_length`
// is a hint that chooses between a warp and a block for a segment. With d_offsets NULL segment s is
// d_data[s * mean_length .. (s + 1) * mean_length). An empty segment gives the identity, and index -1 of argmin
// and argmax. d_values [segments], aligned to 16 bytes. Errors: as mco_reduce_device().
MCO_API mco_status mco_reduce_segments_device(mco_context *ctx, mco_reduce_workspace *workspace, mco_reduce_op op,
                                              mco_reduce_type type, bool is_compensated, const void *d_data,
                                              const int64_t *d_offsets, int64_t mean_length, int64_t segments,
                                              mco_reduce_value *d_values, void *stream);

MCO_END_C
#endif
