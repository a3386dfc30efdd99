// SPDX-License-Identifier: MIT
#include "base/blocks.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef MCO_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/clock.h"
#include "base/grow.h"
#include "base/machine.h"

enum { INPUT_BYTES = 1 << 17 };
static const unsigned char GZIP_MARK[2] = {0x1f, 0x8b};

struct mco_source {
    int file;       // descriptor; -1: none
    int64_t begin;  // where the content begins in the file; -1: it cannot be read twice (a pipe)
    int64_t taken;  // bytes read from the file
    unsigned char input[INPUT_BYTES];
    size_t at, end;  // input[at..end) has been read and waits
#ifdef MCO_HAVE_ZLIB
    z_stream z;
    bool has_z, is_inside;  // is_inside: a member of the compressed file has begun and has not ended
#endif
};

// ---- The file

// Opens without waiting for the writer of a named pipe.
static int open_file(const char *path, bool is_standard)
{
    if (!is_standard)
        return open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const int flags = fcntl(STDIN_FILENO, F_GETFL);
    errno = EBADF;
    return flags >= 0 && (flags & O_ACCMODE) != O_WRONLY ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0) : -1;
}

mco_status mco_read_in_time(mco_context *ctx, const char *name)
{
    if (mco_is_cancelled(ctx)) {
        mco_clear_cancel(ctx);
        return mco_fail(ctx, MCO_ERR_STOPPED, "%s: cancelled while the file was read: there is no solution", name);
    }
    if (ctx->read_stop_s == 0 || mco_clock_s() < ctx->read_stop_s)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_STOPPED, "%s: the time limit, which counts from the start of the command, ended while "
                    "the file was read: there is no solution; a longer --time-limit gives one", name);
}

static mco_status fail_to_read(mco_blocks *b)
{
    return mco_fail(b->ctx, MCO_ERR_IO, "cannot read %s: %s", b->name, strerror(errno));
}

// Waits for bytes or for the end of the file. A pipe may stay silent for as long as it likes, so the time is looked at.
static mco_status wait_for_bytes(mco_blocks *b)
{
    enum { WAIT_MS = 50 };
    mco_status st = MCO_OK;
    for (;;) {
        struct pollfd wanted = {.fd = b->source->file, .events = POLLIN};
        const int ready = poll(&wanted, 1, WAIT_MS);
        if (ready > 0)
            return MCO_OK;
        if (ready < 0 && errno != EINTR)
            return fail_to_read(b);
        MCO_TRY(mco_read_in_time(b->ctx, b->name));
    }
done:
    return st;
}

// Reads up to `size` bytes from the file itself.
static mco_status read_file(mco_blocks *b, void *buffer, size_t size, size_t *got)
{
    enum { MOST = 1 << 30 };  // a read takes less than 2^31 bytes
    mco_status st = MCO_OK;
    *got = 0;
    while (*got < size) {
        MCO_TRY(wait_for_bytes(b));
        const size_t rest = size - *got;
        const ssize_t part = read(b->source->file, (char *)buffer + *got, rest < MOST ? rest : MOST);
        if (part < 0 && errno != EINTR && errno != EAGAIN)
            return fail_to_read(b);
        if (part == 0)
            break;
        *got += part > 0 ? (size_t)part : 0;
    }
    b->source->taken += (int64_t)*got;
done:
    return st;
}

static mco_status refill(mco_blocks *b, size_t size)
{
    b->source->at = 0;
    return read_file(b, b->source->input, size, &b->source->end);
}

static mco_status read_plain(mco_blocks *b, void *buffer, size_t size, size_t *got)
{
    struct mco_source *s = b->source;
    const size_t waiting = s->end - s->at, head = waiting < size ? waiting : size;
    memcpy(buffer, s->input + s->at, head);
    s->at += head;
    const mco_status st = read_file(b, (char *)buffer + head, size - head, got);
    *got += head;
    return st;
}

// ---- Compressed files: members one after the other

#ifdef MCO_HAVE_ZLIB
// Begins the next member. Zeros may follow the last one: tapes fill their blocks with them. Other bytes may not, because they
// could be content that would be missed. *is_end: there is no further member.
static mco_status begin_member(mco_blocks *b, bool *is_end)
{
    mco_status st = MCO_OK;
    struct mco_source *s = b->source;
    bool has_padding = false;
    for (;; s->at++, has_padding = true) {
        if (s->at == s->end)
            MCO_TRY(refill(b, INPUT_BYTES));
        *is_end = s->at == s->end;
        if (*is_end || s->input[s->at] != 0)
            break;
    }
    if (*is_end)
        return MCO_OK;
    if (has_padding || s->input[s->at] != GZIP_MARK[0])
        MCO_TRY(mco_fail(b->ctx, MCO_ERR_PARSE,
                         "%s: other bytes follow the compressed data, from offset %lld on: remove them or compress the file again",
                         b->name, (long long)(s->taken - (int64_t)(s->end - s->at))));
    s->is_inside = inflateReset(&s->z) == Z_OK;
done:
    return st;
}

static mco_status read_packed(mco_blocks *b, void *buffer, size_t size, size_t *got)
{
    enum { MOST = 1 << 30 };  // zlib counts in unsigned integers
    mco_status st = MCO_OK;
    struct mco_source *s = b->source;
    bool is_end = false;
    *got = 0;
    while (*got < size) {
        if (!s->is_inside)
            MCO_TRY(begin_member(b, &is_end));
        if (is_end)
            break;
        if (s->at == s->end)
            MCO_TRY(refill(b, INPUT_BYTES));
        if (s->at == s->end)
            MCO_TRY(mco_fail(b->ctx, MCO_ERR_PARSE, "%s: the compressed file is cut after %lld bytes", b->name, (long long)s->taken));
        const unsigned part = size - *got < MOST ? (unsigned)(size - *got) : MOST;
        s->z.next_in = s->input + s->at;
        s->z.avail_in = (unsigned)(s->end - s->at);
        s->z.next_out = (unsigned char *)buffer + *got;
        s->z.avail_out = part;
        const int code = inflate(&s->z, Z_NO_FLUSH);
        s->at = s->end - s->z.avail_in;
        *got += part - s->z.avail_out;
        s->is_inside = code != Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            MCO_TRY(mco_fail(b->ctx, code == Z_MEM_ERROR ? MCO_ERR_MEMORY : MCO_ERR_IO, "cannot read %s: %s", b->name,
                             s->z.msg != NULL ? s->z.msg : zError(code)));
    }
done:
    return st;
}

static mco_status begin_packed(mco_blocks *b)
{
    enum { GZIP_ALONE = 16 };  // added to the bits of the window: zlib's own format is not read
    b->is_packed = true;
    b->source->has_z = inflateInit2(&b->source->z, MAX_WBITS + GZIP_ALONE) == Z_OK;
    return b->source->has_z ? MCO_OK : mco_fail(b->ctx, MCO_ERR_MEMORY, "cannot read %s: no memory for zlib", b->name);
}
#else
static mco_status begin_packed(mco_blocks *b)
{
    return mco_fail(b->ctx, MCO_ERR_IO, "cannot read %s: it is compressed, and this mco was built without zlib", b->name);
}
#endif

bool mco_is_gzip(const void *data, size_t size)
{
    return size >= sizeof GZIP_MARK && memcmp(data, GZIP_MARK, sizeof GZIP_MARK) == 0;
}

// ---- The reader

mco_status mco_blocks_open(mco_context *ctx, const char *path, mco_packing packing, mco_blocks *out)
{
    mco_status st = MCO_OK;
    const size_t length = strlen(path);
    const bool is_standard = strcmp(path, "-") == 0, is_gz = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    mco_blocks b = {.ctx = ctx, .name = is_standard ? "standard input" : path, .size = -1};
    struct stat info;
    if (length == 0)
        return mco_fail(ctx, MCO_ERR_IO, "cannot read: the path is empty");
    if (!is_standard && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return mco_fail(ctx, MCO_ERR_IO, "cannot read %s: it is a folder", path);
    MCO_TRY(mco_alloc(ctx, &b.source, 1));
    b.source->file = open_file(path, is_standard);
    if (b.source->file < 0)
        MCO_TRY(mco_fail(ctx, MCO_ERR_IO, "cannot read %s: %s", b.name,
                         is_standard && errno == EBADF ? "it is closed, or not open for reading" : strerror(errno)));
    b.source->begin = lseek(b.source->file, 0, SEEK_CUR);
    MCO_TRY(refill(&b, sizeof GZIP_MARK));
    if ((packing == MCO_PACKING_BY_CONTENT || is_gz) && mco_is_gzip(b.source->input, b.source->end))
        MCO_TRY(begin_packed(&b));
    // A size of 0 says nothing: files of /proc have size 0 and still have content.
    if (!b.is_packed && !is_standard && fstat(b.source->file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
        b.size = info.st_size;
    *out = b;
    return MCO_OK;
done:
    mco_blocks_close(&b);
    return st;
}

mco_status mco_blocks_read(mco_blocks *b, void *buffer, size_t size, size_t *got)
{
#ifdef MCO_HAVE_ZLIB
    if (b->is_packed)
        return read_packed(b, buffer, size, got);
#endif
    return read_plain(b, buffer, size, got);
}

void mco_blocks_close(mco_blocks *b)
{
    if (b->source == NULL)
        return;
#ifdef MCO_HAVE_ZLIB
    if (b->source->has_z)
        inflateEnd(&b->source->z);
#endif
    if (b->source->file >= 0)
        close(b->source->file);
    mco_free(b->ctx, &b->source);
}

// ---- Sizes

// Goes back to the begin of the content.
static mco_status rewind_source(mco_blocks *b)
{
    struct mco_source *s = b->source;
    if (lseek(s->file, s->begin, SEEK_SET) < 0)
        return fail_to_read(b);
    s->at = s->end = 0;
    s->taken = 0;
#ifdef MCO_HAVE_ZLIB
    s->is_inside = false;
#endif
    return MCO_OK;
}

// Decompresses up to more than `most` bytes and throws them away.
static mco_status measure_packed(mco_blocks *b, int64_t most)
{
    mco_status st = MCO_OK;
    char *block = NULL;
    size_t got = INPUT_BYTES;
    int64_t size = 0;
    MCO_TRY(mco_alloc(b->ctx, &block, INPUT_BYTES));
    for (; got == INPUT_BYTES && size <= most; size += (int64_t)got) {
        MCO_TRY(mco_read_in_time(b->ctx, b->name));
        MCO_TRY(mco_blocks_read(b, block, INPUT_BYTES, &got));
    }
    MCO_TRY(rewind_source(b));
    b->size = size;
done:
    mco_free(b->ctx, &block);
    return st;
}

mco_status mco_blocks_measure(mco_blocks *b, int64_t most)
{
    enum { MOST_RATIO = 1032 };  // of deflate: two bits stand for at most 258 bytes
    struct stat info;
    const bool may_be_larger = b->is_packed && b->source->begin >= 0 && fstat(b->source->file, &info) == 0 &&
                               S_ISREG(info.st_mode) && info.st_size > most / MOST_RATIO;
    return may_be_larger ? measure_packed(b, most) : MCO_OK;
}

mco_status mco_blocks_read_all(mco_blocks *b, void **data, int64_t *bytes)
{
    enum { LEAST_BLOCK = 1 << 20 };
    mco_status st = MCO_OK;
    char *all = NULL;
    int64_t room = 0, size = 0;
    size_t got = 0, wanted;
    const int64_t memory = (int64_t)mco_machine_memory();
    MCO_TRY(mco_blocks_measure(b, memory));
    if (b->size > memory)
        MCO_TRY(mco_fail(b->ctx, MCO_ERR_MEMORY, "%s has more than %lld bytes, which is the memory of this machine", b->name,
                         (long long)memory));
    if (b->size >= 0) {  // room for one more byte shows the end of the file without another block
        MCO_TRY(mco_alloc_unset(b->ctx, &all, b->size + 1));
        room = b->size + 1;
    }
    do {
        if (size == room)
            MCO_TRY(mco_grow(b->ctx, &all, &room, size + LEAST_BLOCK));
        wanted = (size_t)(room - size);
        MCO_TRY(mco_blocks_read(b, all + size, wanted, &got));
        size += (int64_t)got;
    } while (got == wanted);
    if (size < b->size)
        MCO_TRY(mco_fail(b->ctx, MCO_ERR_IO, "cannot read %s: it ended after %lld of %lld bytes", b->name, (long long)size,
                         (long long)b->size));
    *data = all;
    *bytes = size;
    all = NULL;
done:
    mco_free(b->ctx, &all);
    return st;
}
