// SPDX-License-Identifier: MIT
#include "paths/transit/feed.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/blocks.h"
#include "base/grow.h"
#include "base/output.h"

// Puts the path of a file of the folder together, for messages and for the system.
static mco_status put_path(const transit_folder *folder, const char *name, char out[MCO_PATH_LENGTH])
{
    const size_t size = strlen(folder->path);
    const char *slash = size > 0 && folder->path[size - 1] == '/' ? "" : "/";
    if (snprintf(out, MCO_PATH_LENGTH, "%s%s%s", folder->path, slash, name) < MCO_PATH_LENGTH)
        return MCO_OK;
    return mco_fail(folder->ctx, MCO_ERR_IO, "the path of %s has %zu bytes, at most %d are supported", name,
                    size + strlen(name) + 1, MCO_PATH_LENGTH - 1);
}

#ifdef MCO_HAVE_LIBZIP
#include <zip.h>

#include "base/library.h"

#define SYMBOLS(SYMBOL) \
    SYMBOL(zip_discard) SYMBOL(zip_error_code_zip) SYMBOL(zip_error_fini) SYMBOL(zip_error_init_with_code) \
    SYMBOL(zip_error_strerror) SYMBOL(zip_fclose) SYMBOL(zip_file_get_error) SYMBOL(zip_fopen_index) SYMBOL(zip_fread) \
    SYMBOL(zip_get_error) SYMBOL(zip_name_locate) SYMBOL(zip_open) SYMBOL(zip_stat_index)
static struct {
    SYMBOLS(MCO_SYMBOL_POINTER)
} zip;
static const char *const symbols[] = {SYMBOLS(MCO_SYMBOL_NAME)};
static mco_library library = {.file = MCO_LIBZIP_FILE, .folder = MCO_LIBZIP_FOLDER, .purpose = "which reads zip archives",
                              .count = sizeof symbols / sizeof *symbols, .names = symbols, .symbols = &zip};

// The status of a failed read: an archive that is damaged is the file's fault, all else the system's.
static mco_status status_of(int zip_error)
{
    switch (zip_error) {
    case ZIP_ER_NOZIP:
    case ZIP_ER_INCONS:
    case ZIP_ER_CRC:
    case ZIP_ER_ZLIB:
    case ZIP_ER_EOF:
    case ZIP_ER_COMPRESSED_DATA:
    case ZIP_ER_MULTIDISK:
        return MCO_ERR_PARSE;
    case ZIP_ER_MEMORY:
        return MCO_ERR_MEMORY;
    default:
        return MCO_ERR_IO;
    }
}

static mco_status refuse(const transit_folder *folder, const char *name, zip_error_t *error)
{
    return mco_fail(folder->ctx, status_of(zip.zip_error_code_zip(error)), "%s%s%s: %s", folder->path, name[0] != '\0' ? "/" : "", name,
                    zip.zip_error_strerror(error));
}

static mco_status open_archive(transit_folder *folder)
{
    int code = 0;
    const mco_status is_loaded = mco_library_open(folder->ctx, &library, folder->path);
    if (is_loaded != MCO_OK)
        return is_loaded;
    folder->archive = zip.zip_open(folder->path, ZIP_RDONLY, &code);
    if (folder->archive != NULL)
        return MCO_OK;
    zip_error_t error;
    zip.zip_error_init_with_code(&error, code);
    const mco_status st = refuse(folder, "", &error);
    zip.zip_error_fini(&error);
    return st;
}

// Reads the content of an open file, `size` bytes by the directory of the archive; a file of another size is damaged. Memory
// grows with what is there: the directory may lie.
static mco_status read_entry(transit_folder *folder, const char *name, zip_file_t *file, size_t size, char **data)
{
    enum { BLOCK = 1 << 20 };
    mco_status st = MCO_OK;
    int64_t room = 0;
    size_t done = 0;
    for (;;) {  // the read behind the last byte tests the checksum
        const size_t part = size + 1 - done < BLOCK ? size + 1 - done : BLOCK;
        MCO_TRY(mco_grow(folder->ctx, data, &room, (int64_t)(done + part)));
        const zip_int64_t got = zip.zip_fread(file, *data + done, part);
        if (got < 0)
            return refuse(folder, name, zip.zip_file_get_error(file));
        if ((got == 0 && done < size) || (size_t)got + done > size)
            return mco_fail(folder->ctx, MCO_ERR_PARSE, "%s/%s: the archive states %zu bytes and holds %s", folder->path, name, size,
                            got == 0 ? "fewer" : "more");
        if (got == 0)
            break;
        done += (size_t)got;
        MCO_TRY(mco_read_in_time(folder->ctx, folder->path));
    }
done:
    return st;
}

static mco_status read_archive(transit_folder *folder, const char *name, const char *path, bool *is_there, mco_text *text)
{
    mco_status st = MCO_OK;
    char *data = NULL;
    zip_file_t *file = NULL;
    zip_stat_t stat;
    const zip_int64_t index = zip.zip_name_locate(folder->archive, name, ZIP_FL_NODIR);
    *is_there = index >= 0;
    if (index < 0)
        return MCO_OK;
    if (zip.zip_stat_index(folder->archive, (zip_uint64_t)index, 0, &stat) != 0)
        return refuse(folder, name, zip.zip_get_error(folder->archive));
    if ((stat.valid & ZIP_STAT_SIZE) == 0 || stat.size > MCO_TEXT_MAX_BYTES)
        return mco_fail(folder->ctx, MCO_ERR_LIMIT, "%s has %llu bytes of text, at most %d are supported", path,
                        (unsigned long long)stat.size, MCO_TEXT_MAX_BYTES);
    file = zip.zip_fopen_index(folder->archive, (zip_uint64_t)index, 0);
    if (file == NULL)
        return refuse(folder, name, zip.zip_get_error(folder->archive));
    MCO_TRY(read_entry(folder, name, file, (size_t)stat.size, &data));
    MCO_TRY(mco_text_from_memory(folder->ctx, path, data, (size_t)stat.size, text));
done:
    zip.zip_fclose(file);
    mco_free(folder->ctx, &data);
    return st;
}

static void close_archive(transit_folder *folder)
{
    if (folder->archive != NULL)
        zip.zip_discard(folder->archive);
}
#else
static mco_status open_archive(transit_folder *folder)
{
    return mco_fail(folder->ctx, MCO_ERR_IO, "%s: this build lacks libzip, which reads zip archives (Debian: libzip-dev); a folder "
                    "with the same files is read without it", folder->path);
}

static mco_status read_archive(transit_folder *folder, const char *name, const char *path, bool *is_there, mco_text *text)
{
    (void)folder, (void)name, (void)path, (void)is_there, (void)text;
    return MCO_ERR_INTERNAL;  // open_archive() has refused
}

static void close_archive(transit_folder *folder)
{
    (void)folder;
}
#endif

mco_status transit_folder_open(mco_context *ctx, const char *path, transit_folder *out)
{
    struct stat info;
    *out = (transit_folder){.ctx = ctx, .path = path};
    if (stat(path, &info) != 0)
        return mco_fail(ctx, MCO_ERR_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return MCO_OK;
    return open_archive(out);
}

mco_status transit_folder_text(transit_folder *folder, const char *name, bool *is_there, mco_text *text)
{
    mco_status st = MCO_OK;
    char path[MCO_PATH_LENGTH];
    struct stat info;
    *text = (mco_text){.ctx = folder->ctx};
    MCO_TRY(put_path(folder, name, path));
    if (folder->archive != NULL)
        return read_archive(folder, name, path, is_there, text);
    *is_there = stat(path, &info) == 0;
    if (!*is_there && errno != ENOENT)
        return mco_fail(folder->ctx, MCO_ERR_IO, "%s: %s", path, strerror(errno));
    if (*is_there)
        MCO_TRY(mco_text_open(folder->ctx, path, text));
done:
    return st;
}

void transit_folder_close(transit_folder *folder)
{
    close_archive(folder);
    *folder = (transit_folder){0};
}
