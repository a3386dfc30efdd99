// SPDX-License-Identifier: MIT
// Reads a file or standard input block by block: plain or compressed by gzip, of any size.
#ifndef MCO_BASE_BLOCKS_H
#define MCO_BASE_BLOCKS_H

#include "base/context.h"

typedef enum mco_packing {
    MCO_PACKING_BY_CONTENT,  // compressed if it begins as gzip does: for text
    MCO_PACKING_BY_NAME      // compressed if the path ends in .gz: for numbers, which may begin with anything
} mco_packing;

typedef struct mco_blocks {
    mco_context *ctx;
    const char *name;  // for messages: the path, or "standard input"; borrowed
    void *source;      // NULL: closed
    bool is_packed;    // the source unpacks
    int64_t size;      // of what is read, -1 where nobody knows before
} mco_blocks;

// "-" is standard input; `path` is borrowed. Errors: IO (also a folder, and a .gz where this build lacks zlib).
mco_status mco_blocks_open(mco_context *ctx, const char *path, mco_packing packing, mco_blocks *out);
// Reads up to `size` bytes; *got is less at the end alone. Errors: IO, PARSE (a compressed file that is cut).
mco_status mco_blocks_read(mco_blocks *blocks, void *buffer, size_t size, size_t *got);
// Fine on a zeroed one.
void mco_blocks_close(mco_blocks *blocks);

// The whole file, before any other read, in *data [*bytes], to be released by mco_free_bytes(). Errors: IO, PARSE, MEMORY.
mco_status mco_blocks_read_all(mco_blocks *blocks, void **data, int64_t *bytes);

#endif
