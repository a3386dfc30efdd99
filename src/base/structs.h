// SPDX-License-Identifier: MIT
// Structs that callers pass. The first member is the size of the caller's version. A program that was built with an
// older header passes a shorter struct. The members that it lacks keep their defaults.
#ifndef MCO_BASE_STRUCTS_H
#define MCO_BASE_STRUCTS_H

#include "base/context.h"

// Copies the caller's struct over the defaults in *full [size]. `name` names the struct in the message. Errors:
// ARGUMENT (the struct is NULL, not filled by its _INIT macro, or from a later version than this library).
mco_status mco_struct_take(mco_context *ctx, const char *name, const void *given, void *full, size_t size);
// The same test for a struct that the library will fill. Reads only its size.
mco_status mco_struct_test(mco_context *ctx, const char *name, const void *given, size_t size);
// Fills the caller's struct from *full [size], as far as the struct has room. Sets the copied part of *full to zero.
// The caller of this function releases what *full still owns.
void mco_struct_give(void *given, void *full, size_t size);

// For the release of a result. Moves the content of the caller's struct into *full [size], which is zero before. Leaves
// the struct as its _INIT macro makes it.
void mco_struct_clear(void *given, void *full, size_t size);

#define MCO_TAKE(ctx, given, full) mco_struct_take(ctx, #given, given, full, sizeof *(full))

#endif
