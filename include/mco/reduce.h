// SPDX-License-Identifier: MIT
// Reduction of an array to one value: sum, product, minimum, maximum, the place of either, bitwise operations, a count.
//
// Every engine, thread count, block size and number of GPUs gives the same bits, also for floating point. The reason is
// that the operations follow a fixed tree, which depends on the count and the element size alone
// (src/reduce/README.md).
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

// ---- Limits. A value beyond a limit is refused, with a message that names the value and the limit.
#define MCO_REDUCE_MAX_COUNT ((int64_t)1 << 40)     // elements of an array
#define MCO_REDUCE_MAX_SEGMENTS ((int64_t)1 << 31)  // segments are fewer than this

typedef enum mco_reduce_op {
    MCO_REDUCE_OP_SUM,     // integers: in 64 bits, wraps; floats: in the element type
    MCO_REDUCE_OP_PROD,    // like SUM
    MCO_REDUCE_OP_MIN,     // floats: any NaN gives NaN; -0 is below +0
    MCO_REDUCE_OP_MAX,
    MCO_REDUCE_OP_ARGMIN,  // floats: the first NaN, if any; of equal elements, also of -0 and +0, the first
    MCO_REDUCE_OP_ARGMAX,
    MCO_REDUCE_OP_AND,     // bitwise; AND, OR and XOR are for integers only
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

// The value of a reduction: 16 bytes, in host or device memory. mco_reduce_value_type() says which member holds it: `i`
// for I32 and I64, `u` for U32 and U64, `f` for F32 and F64. `f` holds an f32 exactly; a NaN is the positive quiet one
// without payload. argmin and argmax give the element and its 0-based index; every other operation has index -1.
typedef struct mco_reduce_value {
    MCO_EXTENSION union {
        int64_t i;
        uint64_t u;
        double f;
    };
    int64_t index;
} mco_reduce_value;

// Type of the value of `op` over elements of `type`: I64 or U64 for integer sums and products, U64 for the count, else
// the element type.
MCO_API mco_reduce_type mco_reduce_value_type(mco_reduce_op op, mco_reduce_type type);
MCO_API int64_t mco_reduce_type_bytes(mco_reduce_type type);
// The bits of the value in its type. An f32 or a 32-bit integer is in the low 32 bits.
MCO_API uint64_t mco_reduce_value_bits(mco_reduce_type type, mco_reduce_value value);
// The names that the options use, such as "sum" and "f32"; "?" for a value outside the list. Static storage.
MCO_API const char *mco_reduce_op_text(mco_reduce_op op);
MCO_API const char *mco_reduce_type_text(mco_reduce_type type);

// reduce_options.def lists the fields, their defaults and their meanings.
typedef struct mco_reduce_params {
    size_t struct_size;
    MCO_FIELDS(MCO_REDUCE_OPTIONS)
} mco_reduce_params;

#define MCO_REDUCE_PARAMS_INIT { sizeof(mco_reduce_params), MCO_DEFAULTS(MCO_REDUCE_OPTIONS) }

// The options as a table.
MCO_API const mco_option_table *mco_reduce_options(void);

// What a reduction of host data or generated data returns. It owns no memory.
typedef struct mco_reduce_result {
    size_t struct_size;
    mco_reduce_value value;      // of the whole array; unused by segmented reductions
    mco_reduce_type value_type;
    uint64_t value_bits;         // mco_reduce_value_bits() of the value
    mco_work work;               // its solve_s excludes the check
    int64_t bytes;     // size of the array: the bytes that one pass reads
    int64_t chunks;    // of the fixed tree, sum over all segments
    int64_t parts;     // parts in which the data pass through the memory of a GPU; 1 if all of them fit
    double kernel_s;   // time of one reduction of data in place, median over the repeats. GPU: kernels of the slowest
                       // device. CPU: from the moment that all threads are ready to the value.
    double copy_s;     // time to generate the data or to copy them to the GPUs
    double bytes_per_s;  // bytes / kernel_s; 0 if kernel_s is 0
    int64_t repeats;     // reductions that were timed: fewer than asked for after mco_cancel(), but at least one
} mco_reduce_result;

#define MCO_REDUCE_RESULT_INIT MCO_SIZED(mco_reduce_result)

// ---- Host data

// Reduces data [count], which is borrowed and aligned to its element size. count 0 gives the identity: 1 for prod, the
// largest value of the type for min, the lowest for max (infinities for floats), all ones for and, else 0. argmin and
// argmax refuse count 0. Engine auto is cpu, unless many repeats pay for a copy to a GPU. Errors: ARGUMENT (and, or,
// xor of floats; compensated with anything but a sum of floats; wrong alignment), LIMIT, MEMORY, DEVICE, INTERNAL (the
// check failed). mco_cancel() ends it after the repeat of the moment, with the value. O(count).
MCO_API mco_status mco_reduce(mco_context *ctx, mco_reduce_op op, mco_reduce_type type, const void *data,
                              int64_t count, const mco_reduce_params *params, mco_reduce_result *result);

// Reduces each segment data[offsets[s] .. offsets[s+1]) into values[s]. The bits are those of mco_reduce() on that
// segment alone. An index counts from the begin of its segment. offsets [segments + 1] ascend from 0; `segments` may be
// 0. An empty segment gives the identity; argmin and argmax refuse it. Errors: as mco_reduce().
MCO_API mco_status mco_reduce_segments(mco_context *ctx, mco_reduce_op op, mco_reduce_type type, const void *data,
                                       const int64_t *offsets, int64_t segments, const mco_reduce_params *params,
                                       mco_reduce_value *values, mco_reduce_result *result);

// ---- Generated data. Element i is a function of the seed and i, so every engine can make it in place. It consists of
// the high bits of the i-th output of SplitMix64 from `seed`. i32 and u32 take 32 bits, i64 and u64 all 64. f32 takes
// 24 bits as a multiple of 2^-23, f64 takes 53 bits as a multiple of 2^-52; both are uniform in [-1, 1).

// Writes elements first .. first + count - 1 to data [count]. Errors: ARGUMENT. O(count).
MCO_API mco_status mco_reduce_generate(mco_context *ctx, mco_reduce_type type, uint64_t seed, int64_t first,
                                       int64_t count, void *data);

// Reduces generated data. With segment_length 0 it reduces the whole array, and `values` is NULL. Else it reduces
// segments of that length into values [ceil(count / segment_length)]; the last segment may be shorter. Engine auto is a
// GPU if there is one. Errors: as mco_reduce().
MCO_API mco_status mco_reduce_generated(mco_context *ctx, mco_reduce_op op, mco_reduce_type type, uint64_t seed,
                                        int64_t count, int64_t segment_length, const mco_reduce_params *params,
                                        mco_reduce_value *values, mco_reduce_result *result);

// Writes the result file (docs/formats.md) of a reduction of `count` elements called `name`. It holds result->value, or
// values [segments] of a segmented reduction. `more` lists further options to echo and ends with an entry whose table
// is NULL. `more` NULL: none. Errors: ARGUMENT, IO.
MCO_API mco_status mco_reduce_write_result(mco_context *ctx, const char *name, mco_reduce_op op, int64_t count, int64_t seed,
                                           const mco_reduce_value *values, int64_t segments,
                                           const mco_reduce_params *params, const mco_reduce_result *result,
                                           const mco_option_values *more, const char *path);
// Write a value as text to `out` [size] and return `out`; 64 bytes are enough. The first writes an integer in full, and
// a float with the fewest digits that read back as the same number. The second writes the bits as hexadecimal digits.
MCO_API const char *mco_reduce_value_text(mco_reduce_type type, mco_reduce_value value, char *out, size_t size);
MCO_API const char *mco_reduce_bits_text(mco_reduce_type type, mco_reduce_value value, char *out, size_t size);

// ---- Device data. The reductions enqueue work on a stream and return. They allocate nothing and never wait, so they
// can be captured into a graph.

// Scratch memory of one GPU. Reductions that may run at the same time need one workspace each.
typedef struct mco_reduce_workspace mco_reduce_workspace;

// Creates a workspace on GPU `gpu`, an index of mco_gpus_list(). Errors: DEVICE (no such GPU, or a build without GPU
// engines), MEMORY.
MCO_API mco_status mco_reduce_workspace_create(mco_context *ctx, int gpu, mco_reduce_workspace **out);
// Destroys the workspace, after the work that uses it has ended.
MCO_API void mco_reduce_workspace_destroy(mco_context *ctx, mco_reduce_workspace **workspace);

// Reduces d_data [count] into *d_value. d_data is aligned to its element size. d_value is aligned to 16 bytes, in
// memory that the device can write: its own, or pinned and mapped host memory. `stream` is a cudaStream_t of the
// workspace's GPU; NULL is the default stream. Afterwards that GPU is the calling thread's current device. count 0 is
// as in mco_reduce(). Errors: ARGUMENT, LIMIT, DEVICE.
MCO_API mco_status mco_reduce_device(mco_context *ctx, mco_reduce_workspace *workspace, mco_reduce_op op,
                                     mco_reduce_type type, bool is_compensated, const void *d_data, int64_t count,
                                     mco_reduce_value *d_value, void *stream);

// Reduces segments into d_values [segments], aligned to 16 bytes. d_offsets [segments + 1] is in device memory and is
// not tested: the offsets must ascend and lie within the data. `mean_length` is a hint: it chooses between a warp and a
// block for each segment. If d_offsets is NULL, segment s is d_data[s * mean_length .. (s + 1) * mean_length). An empty
// segment gives the identity; argmin and argmax give it index -1. Errors: as mco_reduce_device().
MCO_API mco_status mco_reduce_segments_device(mco_context *ctx, mco_reduce_workspace *workspace, mco_reduce_op op,
                                              mco_reduce_type type, bool is_compensated, const void *d_data,
                                              const int64_t *d_offsets, int64_t mean_length, int64_t segments,
                                              mco_reduce_value *d_values, void *stream);

MCO_END_C
#endif
