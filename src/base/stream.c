// SPDX-License-Identifier: MIT
#include "base/stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#ifdef MCO_HAVE_ZLIB
#include <zlib.h>
#endif

enum { BUFFER_BYTES = 1 << 20, PACKED_BYTES = 1 << 18 };

#ifdef MCO_HAVE_ZLIB
struct mco_packer {
    z_stream z;
    bool has_z;
    unsigned char bytes[PACKED_BYTES];
};
#endif

// ---- Writes

static bool can_write(const mco_stream *s)
{
    return !s->is_closed && s->reason == 0;
}

// Past the stream of the C library, whose errors would show only at its end.
static bool write_all(mco_stream *s, const char *data, size_t bytes)
{
    while (bytes > 0 && can_write(s)) {
        const ssize_t put = write(fileno(s->output.file), data, bytes);
        if (put >= 0) {
            data += put;
            bytes -= (size_t)put;
        } else if (errno == EPIPE) {
            s->is_closed = true;
        } else if (errno != EINTR) {
            s->reason = errno;
        }
    }
    return can_write(s);
}

#ifdef MCO_HAVE_ZLIB
static bool pack(mco_stream *s, const char *data, size_t bytes, int flush)
{
    enum { MOST = 1 << 30 };  // zlib counts in unsigned integers
    struct mco_packer *p = s->packer;
    do {
        const size_t part = bytes < MOST ? bytes : MOST;
        const bool is_last = part == bytes;
        p->z.next_in = (Bytef *)(uintptr_t)data;
        p->z.avail_in = (unsigned)part;
        do {
            p->z.next_out = p->bytes;
            p->z.avail_out = PACKED_BYTES;
            deflate(&p->z, is_last ? flush : Z_NO_FLUSH);
            if (!write_all(s, (const char *)p->bytes, PACKED_BYTES - p->z.avail_out))
                return false;
        } while (p->z.avail_out == 0);
        data += part;
        bytes -= part;
    } while (bytes > 0);
    return true;
}

static mco_status begin_packer(mco_stream *s)
{
    enum { GZIP = 16, MEMORY_LEVEL = 8 };  // GZIP is added to the bits of the window: the format of gzip
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(s->ctx, &s->packer, 1));
    s->packer->has_z =
        deflateInit2(&s->packer->z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) == Z_OK;
    if (!s->packer->has_z)
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_MEMORY, "cannot write %s: no memory for zlib", s->output.path));
done:
    return st;
}

static void end_packer(mco_stream *s)
{
    if (s->packer != NULL && s->packer->has_z)
        deflateEnd(&s->packer->z);
    mco_free(s->ctx, &s->packer);
}
#else
enum { Z_NO_FLUSH, Z_FINISH };

static bool pack(mco_stream *s, const char *data, size_t bytes, int flush)
{
    (void)flush;
    return write_all(s, data, bytes);
}

static mco_status begin_packer(mco_stream *s)
{
    return mco_fail(s->ctx, MCO_ERR_IO, "cannot write %s: it would be compressed, and this mco was built without zlib",
                    s->output.path);
}

static void end_packer(mco_stream *s)
{
    s->packer = NULL;
}
#endif

static bool pass(mco_stream *s, const char *data, size_t bytes)
{
    return s->packer != NULL ? pack(s, data, bytes, Z_NO_FLUSH) : write_all(s, data, bytes);
}

static bool empty_buffer(mco_stream *s)
{
    const size_t bytes = s->used;
    s->used = 0;
    return pass(s, s->buffer, bytes);
}

// ---- The stream

mco_status mco_stream_open(mco_context *ctx, const char *path, mco_stream *out)
{
    mco_status st = MCO_OK;
    const size_t length = strlen(path);
    *out = (mco_stream){.ctx = ctx, .room = BUFFER_BYTES};
    MCO_TRY(mco_alloc(ctx, &out->buffer, out->room));
    MCO_TRY(mco_output_open(ctx, path, &out->output));
    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        MCO_TRY(begin_packer(out));
done:
    if (st != MCO_OK)
        mco_stream_discard(out);
    return st;
}

char *mco_stream_reserve(mco_stream *s, size_t bytes)
{
    if (s->room - s->used < bytes && !empty_buffer(s))
        return NULL;
    if (s->room < bytes) {  // a line longer than the buffer, which is empty now
        mco_free(s->ctx, &s->buffer);
        s->room = 0;
        if (mco_alloc(s->ctx, &s->buffer, bytes) != MCO_OK) {
            s->reason = ENOMEM;
            return NULL;
        }
        s->room = bytes;
    }
    return can_write(s) ? s->buffer + s->used : NULL;
}

bool mco_stream_put(mco_stream *s, const void *data, size_t bytes)
{
    if (bytes > s->room - s->used && !empty_buffer(s))
        return false;
    if (bytes > s->room)
        return pass(s, data, bytes);
    if (bytes > 0)
        memcpy(s->buffer + s->used, data, bytes);
    s->used += bytes;
    return can_write(s);
}

mco_status mco_stream_commit(mco_stream *s)
{
    mco_status st = MCO_OK;
    if (can_write(s) && empty_buffer(s) && s->packer != NULL)
        pack(s, NULL, 0, Z_FINISH);
    if (s->reason == ENOMEM && s->room == 0)
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_MEMORY, "no memory for a line of %s", s->output.path));
    if (s->reason != 0)
        MCO_TRY(mco_fail(s->ctx, MCO_ERR_IO, "cannot write %s: %s",
                         strcmp(s->output.path, "-") == 0 ? "standard output" : s->output.path, strerror(s->reason)));
    MCO_TRY(mco_output_commit(s->ctx, &s->output, false));
done:
    mco_stream_discard(s);
    return st;
}

void mco_stream_discard(mco_stream *s)
{
    if (s->ctx == NULL)
        return;
    mco_output_discard(&s->output);
    end_packer(s);
    mco_free(s->ctx, &s->buffer);
}
