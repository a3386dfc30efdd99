// SPDX-License-Identifier: MIT
// Structs of callers. The first member says how large the caller's version is: a program that was built with an older header
// hands over a shorter struct, and what it lacks keeps its default.
#ifndef MCO_BASE_STRUCTS_H
#define MCO_BASE_STRUCTS_H

#include "base/context.h"

// Copies what the caller gave over the defaults in *full [size]. Errors: ARGUMENT (NULL, not filled by its _INIT macro, or of
// a later version than this library); `name` is the struct's in the message.
mco_status mco_struct_take(mco_context *ctx, const char *name, const void *given, void *full, size_t size);
// The same test of a struct that will be filled, without reading it.
mco_status mco_struct_test(mco_context *ctx, const char *name, const void *given, size_t size);
// Fills the caller's struct from *full [size], as much as it has room for, and sets that part of *full to zero: what it still
// owns afterwards is to be released.
void mco_struct_give(void *given, void *full, size_t size);

// For the release of a result: moves what the caller's struct holds into *full [size], which is zero, and leaves the struct as
// its _INIT macro does.
void mco_struct_clear(void *given, void *full, size_t size);

#define MCO_TAKE(ctx, given, full) mco_struct_take(ctx, #given, given, full, sizeof *(full))

#endif
