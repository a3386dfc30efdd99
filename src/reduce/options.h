// SPDX-License-Identifier: MIT
// The table of options as records and the names in it, for the command and the result file.
#ifndef MCO_REDUCE_OPTIONS_H
#define MCO_REDUCE_OPTIONS_H

#include "base/options.h"
#include "mco/reduce.h"

const mco_option *reduce_options(size_t *count);
const char *reduce_engine_name(mco_reduce_engine engine);
const char *reduce_op_name(mco_reduce_op op);
const char *reduce_type_name(mco_reduce_type type);

// The value in its type: an f32 or a 32-bit integer in the low 32 bits.
uint64_t reduce_value_bits(mco_reduce_type type, mco_reduce_value value);

#endif
