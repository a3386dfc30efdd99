// SPDX-License-Identifier: MIT
// Reads a file or standard input of any size block by block, plain or compressed by gzip.
#ifndef MCO_BASE_BLOCKS_H
#define MCO_BASE_BLOCKS_H

#include "base/context.h"

typedef enum mco_packing {
    MCO_PACKING_BY_CONTENT,  // compressed if it begins like a gzip file: for text
    MCO_PACKING_BY_NAME      // compressed if the path ends in .gz: for raw numbers, which may begin with any bytes
} mco_packing;

typedef struct mco_blocks {
    mco_context *ctx;
    const char *name;           // for messages: the path, or "standard input"; borrowed
    struct mco_source *source;  // NULL: closed
    bool is_packed;             // the content is compressed in the file
    int64_t size;               // bytes of the content; -1 if unknown before it is read
} mco_blocks;

// Opens a file and reads its first bytes. "-" is standard input. `path` is borrowed. Errors: IO (also for a folder, for a
// closed standard input, and for a compressed file if this build lacks zlib), MEMORY.
mco_status mco_blocks_open(mco_context *ctx, const char *path, mco_packing packing, mco_blocks *out);
// Reads `size` bytes; *got is less only at the end. A pipe that is silent is waited for until mco_read_in_time() fails.
// Errors: IO, PARSE (the compressed file is cut, or other bytes follow it), MEMORY, STOPPED.
mco_status mco_blocks_read(mco_blocks *blocks, void *buffer, size_t size, size_t *got);
// Makes sure that content of more than `most` bytes shows in the size, before memory is taken for it and before any other
// read. A compressed file that may hold so much is decompressed once for that. A pipe cannot be read twice: its size stays
// unknown. Errors: those of mco_blocks_read().
mco_status mco_blocks_measure(mco_blocks *blocks, int64_t most);
// A zeroed reader is allowed.
void mco_blocks_close(mco_blocks *blocks);

// Reads the whole file into *data [*bytes], before any other read. mco_free_bytes() releases it. Errors: IO, PARSE,
// MEMORY.
mco_status mco_blocks_read_all(mco_blocks *blocks, void **data, int64_t *bytes);

// Fails where the time for reading is over (mco_context.read_stop_s) or the context is cancelled, which answers
// the request. `name` is the file's in the message. Errors: STOPPED.
mco_status mco_read_in_time(mco_context *ctx, const char *name);

// Whether these bytes begin like a gzip file.
bool mco_is_gzip(const void *data, size_t size);

#endif
