// SPDX-License-Identifier: MIT
// Shared libraries that are loaded when they are first needed. A program that does not need them does not pay for what they bring:
// HDF5 brings some 30 libraries of a web client, libzip brings OpenSSL, Cbc brings LAPACK.
//
//     #define SYMBOLS(SYMBOL) SYMBOL(zip_open) SYMBOL(zip_discard)
//     static struct { SYMBOLS(MCO_SYMBOL_POINTER) } zip;
//     static const char *const names[] = {SYMBOLS(MCO_SYMBOL_NAME)};
//     static mco_library library = {.file = "libzip.so.4", .purpose = "which reads zip archives", .count = sizeof zip / sizeof(void *),
//                                   .names = names, .symbols = &zip};
//
// Headers are those of the build, so the file is the one that the build found: its soname, which changes with its interface.
#ifndef MCO_BASE_LIBRARY_H
#define MCO_BASE_LIBRARY_H

#include "base/context.h"

// The pointer to a function or an object that a header declares, and its name in the library, where headers rename it too.
#define MCO_SYMBOL_POINTER(symbol) __typeof__(&symbol) symbol;
#define MCO_SYMBOL_NAME(symbol) MCO_SYMBOL_TEXT(symbol),
#define MCO_SYMBOL_TEXT(text) #text

typedef struct mco_library {
    const char *file;          // its soname
    const char *folder;        // where the build found it: the second place to look at; NULL: none
    const char *purpose;       // for messages: "which reads zip archives"
    size_t count;
    const char *const *names;  // [count]
    void *symbols;             // [count] pointers in the order of names; filled at the first call
    bool is_open;
} mco_library;

// Loads the library unless it is loaded, which it stays until the process ends. `path` is the file that needs it, or what does. Threads may call it.
// Errors: IO (there is no such library, or it lacks a symbol).
mco_status mco_library_open(mco_context *ctx, mco_library *library, const char *path);

#endif
