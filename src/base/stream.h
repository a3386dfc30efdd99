// SPDX-License-Identifier: MIT
// The bytes of a list on their way to a file or a pipe, plain or gzip, through one buffer.
#ifndef MCO_BASE_STREAM_H
#define MCO_BASE_STREAM_H

#include "base/output.h"

typedef struct mco_stream {
    mco_context *ctx;
    mco_output output;
    struct mco_packer *packer;  // NULL: plain
    char *buffer;                  // [room]
    size_t room, used;
    bool is_closed;                // the reader has closed the pipe: nothing more arrives
    int reason;                    // errno of a failed write; 0: none
} mco_stream;

// Opens the output; ".gz" at the end of the path compresses. Errors: IO, MEMORY.
mco_status mco_stream_open(mco_context *ctx, const char *path, mco_stream *out);
// Makes room for `bytes` more and returns where they go; the caller adds to `used` what it wrote. NULL: no more can be written,
// because the pipe is closed, a write has failed, or there is no memory.
char *mco_stream_reserve(mco_stream *stream, size_t bytes);
// Writes bytes of any size. False as NULL above.
bool mco_stream_put(mco_stream *stream, const void *data, size_t bytes);
// Writes what is left and commits the file. A pipe that was closed is no error. Errors: IO.
mco_status mco_stream_commit(mco_stream *stream);
// Drops what was not committed. A zeroed stream is allowed.
void mco_stream_discard(mco_stream *stream);

#endif
