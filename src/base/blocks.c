// SPDX-License-Identifier: MIT
#include "base/blocks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef MCO_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/grow.h"

// ---- Two kinds of source: a stream, and zlib, which reads both plain and compressed files

static FILE *open_stream(const char *path)
{
    return strcmp(path, "-") == 0 ? fdopen(dup(STDIN_FILENO), "rb") : fopen(path, "rb");
}

#ifdef MCO_HAVE_ZLIB
enum { ZLIB_BUFFER = 1 << 17 };

static void *open_packed(const char *path)
{
    gzFile file = strcmp(path, "-") == 0 ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path, "rb");
    if (file != NULL)
        gzbuffer(file, ZLIB_BUFFER);
    return file;
}

// At the end of a cut file gzread returns the bytes there are, as it does at the end of a complete file. gzerror tells
// the difference.
static mco_status read_packed(mco_blocks *b, void *buffer, size_t size, size_t *got)
{
    enum { MOST = 1 << 30 };
    int code = Z_OK;
    *got = 0;
    while (*got < size) {
        const unsigned part = size - *got < MOST ? (unsigned)(size - *got) : MOST;
        errno = 0;
        const int now = gzread(b->source, (char *)buffer + *got, part);
        const char *text = gzerror(b->source, &code);
        if (now < 0)
            return mco_fail(b->ctx, MCO_ERR_IO, "cannot read %s: %s", b->name,
                            code == Z_ERRNO || text[0] == '\0' ? strerror(errno) : text);
        if (now == 0)
            break;
        *got += (size_t)now;
    }
    if (*got < size && code == Z_BUF_ERROR)
        return mco_fail(b->ctx, MCO_ERR_PARSE, "%s: the compressed file is cut", b->name);
    return MCO_OK;
}
#endif

static mco_status read_stream(mco_blocks *b, void *buffer, size_t size, size_t *got)
{
    errno = 0;
    *got = fread(buffer, 1, size, b->source);
    if (*got < size && ferror((FILE *)b->source))
        return mco_fail(b->ctx, MCO_ERR_IO, "cannot read %s: %s", b->name, strerror(errno));
    return MCO_OK;
}

// ---- The reader

mco_status mco_blocks_open(mco_context *ctx, const char *path, mco_packing packing, mco_blocks *out)
{
    const size_t length = strlen(path);
    const bool is_standard = strcmp(path, "-") == 0, is_gz = length > 3 && strcmp(path + length - 3, ".gz") == 0;
    mco_blocks b = {.ctx = ctx, .name = is_standard ? "standard input" : path, .size = -1};
    struct stat info;
    if (!is_standard && stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return mco_fail(ctx, MCO_ERR_IO, "cannot read %s: it is a folder", path);
    errno = 0;
#ifdef MCO_HAVE_ZLIB
    b.is_packed = packing == MCO_PACKING_BY_CONTENT || is_gz;
    b.source = b.is_packed ? open_packed(path) : open_stream(path);
#else
    if (packing == MCO_PACKING_BY_NAME && is_gz)
        return mco_fail(ctx, MCO_ERR_IO, "cannot read %s: this mco was built without zlib", path);
    b.source = open_stream(path);
#endif
    if (b.source == NULL)
        return mco_fail(ctx, MCO_ERR_IO, "cannot read %s: %s", path, errno != 0 ? strerror(errno) : "no memory");
    // A size of 0 says nothing: files of /proc have size 0 and still have content.
    if (!b.is_packed && !is_standard && fstat(fileno(b.source), &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0)
        b.size = info.st_size;
    *out = b;
    return MCO_OK;
}

mco_status mco_blocks_read(mco_blocks *b, void *buffer, size_t size, size_t *got)
{
#ifdef MCO_HAVE_ZLIB
    if (b->is_packed)
        return read_packed(b, buffer, size, got);
#endif
    return read_stream(b, buffer, size, got);
}

void mco_blocks_close(mco_blocks *b)
{
    if (b->source == NULL)
        return;
#ifdef MCO_HAVE_ZLIB
    if (b->is_packed)
        gzclose(b->source);
#endif
    if (!b->is_packed)
        fclose(b->source);
    b->source = NULL;
}

mco_status mco_blocks_read_all(mco_blocks *b, void **data, int64_t *bytes)
{
    enum { LEAST_BLOCK = 1 << 20 };
    mco_status st = MCO_OK;
    char *all = NULL;
    int64_t room = 0, size = 0;
    size_t got = 0, wanted;
    if (b->size >= 0) {  // room for one more byte shows the end of the file without another block
        MCO_TRY(mco_alloc(b->ctx, &all, b->size + 1));
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
