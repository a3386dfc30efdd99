// SPDX-License-Identifier: MIT
#include "base/output.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(MCO_PATH_LENGTH >= PATH_MAX, "realpath writes PATH_MAX bytes");

static bool is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

// True for devices, pipes, and links such as /dev/stdout and /proc/self/fd/1. These links lead to a file that is
// already open. A new file would not reach its reader, and a rename would replace the link.
static bool is_written_in_place(const char *path)
{
    struct stat info;
    bool is_system = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
    return (is_system && is_link(path)) || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

mco_status mco_output_open(mco_context *ctx, const char *path, mco_output *out)
{
    mco_output o = {0};
    char target[MCO_PATH_LENGTH];
    bool is_standard = strcmp(path, "-") == 0;
    bool is_in_place = is_standard || is_written_in_place(path);
    if (path[0] == '\0')
        return mco_fail(ctx, MCO_ERR_IO, "cannot write: the path is empty");
    if (!is_in_place && is_link(path) && realpath(path, target) != NULL)
        path = target;  // replaces the file that the link leads to, not the link
    if (strlen(path) + 24 > sizeof o.path)
        return mco_fail(ctx, MCO_ERR_IO, "cannot write %.60s...: the path has %zu bytes, at most %d are allowed",
                        path, strlen(path), MCO_PATH_LENGTH - 24);
    memcpy(o.path, path, strlen(path) + 1);
    if (!is_in_place)
        snprintf(o.temporary, sizeof o.temporary, "%.4072s.tmp-%ld", path, (long)getpid() % 10000000000);
    o.file = is_standard ? fdopen(dup(STDOUT_FILENO), "w") : fopen(is_in_place ? path : o.temporary, is_in_place ? "a" : "w");
    if (o.file == NULL)
        return mco_fail(ctx, MCO_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    *out = o;
    return MCO_OK;
}

static bool replace(const mco_output *o, bool keep_previous)
{
    if (keep_previous) {
        char previous[MCO_PATH_LENGTH + 8];
        snprintf(previous, sizeof previous, "%s.prev", o->path);
        // A hard link and not a rename, so that the path always has a file. If the file system has no hard links, a
        // rename must do.
        unlink(previous);
        if (link(o->path, previous) != 0 && errno != ENOENT && rename(o->path, previous) != 0)
            return false;
    }
    return rename(o->temporary, o->path) == 0;
}

mco_status mco_output_commit(mco_context *ctx, mco_output *out, bool keep_previous)
{
    errno = 0;
    bool is_regular = out->temporary[0] != '\0';
    bool is_written = fflush(out->file) == 0 && !ferror(out->file) && (!is_regular || fsync(fileno(out->file)) == 0);
    int reason = errno;
    if (fclose(out->file) != 0 && is_written) {
        is_written = false;
        reason = errno;
    }
    out->file = NULL;
    if (is_written && is_regular && !replace(out, keep_previous)) {
        is_written = false;
        reason = errno;
    }
    if (is_written)
        return MCO_OK;
    if (is_regular)
        unlink(out->temporary);
    return mco_fail(ctx, MCO_ERR_IO, "cannot write %s: %s", out->path, strerror(reason));
}

void mco_output_discard(mco_output *out)
{
    if (out->file == NULL)
        return;
    fclose(out->file);
    out->file = NULL;
    if (out->temporary[0] != '\0')
        unlink(out->temporary);
}
