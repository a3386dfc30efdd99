// SPDX-License-Identifier: MIT
#include "base/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"

#define MARK ".tmp-"  // between a path and the letters of its temporary file
enum { LETTERS = 12, TRIES = 100, MOST_LINKS = 40, FILE_MODE = 0666, MODE_BITS = 07777 };

static bool is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

// True for devices, pipes, and links such as /dev/stdout and /proc/self/fd/1. These links lead to a file that is
// already open. A new file would not reach its reader, and a rename would replace the link.
bool mco_output_is_in_place(const char *path)
{
    struct stat info;
    const bool is_system = strncmp(path, "/dev/std", 8) == 0 || strncmp(path, "/dev/fd/", 8) == 0 || strncmp(path, "/proc/", 6) == 0;
    return (is_system && is_link(path)) || (stat(path, &info) == 0 && !S_ISREG(info.st_mode));
}

// A link's text is relative to the folder of the link.
bool mco_output_target(const char *path, char target[MCO_PATH_LENGTH])
{
    char text[MCO_PATH_LENGTH];
    const size_t size = strlen(path);
    errno = ENAMETOOLONG;
    if (size >= MCO_PATH_LENGTH)
        return false;
    memcpy(target, path, size + 1);
    for (int links = 0; links <= MOST_LINKS; links++) {
        const ssize_t got = readlink(target, text, sizeof text - 1);
        if (got < 0)
            return true;  // no link, or no file yet
        const char *slash = text[0] != '/' ? strrchr(target, '/') : NULL;
        const size_t folder = slash != NULL ? (size_t)(slash - target) + 1 : 0;
        errno = ENAMETOOLONG;
        if (folder + (size_t)got >= MCO_PATH_LENGTH)
            return false;
        memcpy(target + folder, text, (size_t)got);
        target[folder + (size_t)got] = '\0';
    }
    errno = ELOOP;
    return false;
}

// ---- The temporary file

// Letters [LETTERS + 1] that nobody foresees, and no other thread or process draws.
static void draw_letters(char *letters)
{
    static atomic_uint_least64_t draws;
    uint64_t word = 0;
    if (getrandom(&word, sizeof word, GRND_NONBLOCK) != (ssize_t)sizeof word)
        word = (uint64_t)(mco_clock_s() * 1e9) ^ (uint64_t)getpid() << 40 ^ (uint64_t)(uintptr_t)letters;
    word += atomic_fetch_add(&draws, 1);
    word = mco_splitmix64(&word);
    for (int i = 0; i < LETTERS; i++, word >>= 5)
        letters[i] = "abcdefghijklmnopqrstuvwxyz234567"[word & 31];
    letters[LETTERS] = '\0';
}

// Bytes of a file's name that its temporary file has as well: the whole name has at most NAME_MAX.
static size_t kept_of(const char *base)
{
    const size_t most = NAME_MAX - (sizeof MARK - 1) - LETTERS, size = strlen(base);
    return size < most ? size : most;
}

// A new, locked file with the mode of the file under `path`, if there is one. Returns -1 with errno.
static int create_temporary(const char *path, char *temporary, size_t size)
{
    struct stat old, mine;
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    const size_t kept = (size_t)(base - path) + kept_of(base);
    const bool replaces = stat(path, &old) == 0 && S_ISREG(old.st_mode);
    for (int tries = 0; tries < TRIES; tries++) {
        char letters[LETTERS + 1];
        draw_letters(letters);
        snprintf(temporary, size, "%.*s" MARK "%s", (int)kept, path, letters);
        const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                            replaces ? old.st_mode & FILE_MODE : FILE_MODE);
        if (fd < 0 && errno == EEXIST)
            continue;
        if (fd < 0)
            return -1;
        // A sweep may have taken the file before the lock: then another one is made. File systems without locks have no sweeps.
        const bool is_lost = (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) ||
                             (fstat(fd, &mine) == 0 && mine.st_nlink == 0);
        if (!is_lost) {
            if (replaces && fchmod(fd, old.st_mode & MODE_BITS) != 0 && errno != EPERM)
                errno = 0;  // the content matters more than the mode
            return fd;
        }
        close(fd);
    }
    errno = EEXIST;
    return -1;
}

static bool is_temporary_of(const char *name, const char *base, size_t size)
{
    return strncmp(name, base, size) == 0 && strncmp(name + size, MARK, sizeof MARK - 1) == 0 &&
           strlen(name + size + sizeof MARK - 1) == LETTERS &&
           strspn(name + size + sizeof MARK - 1, "abcdefghijklmnopqrstuvwxyz234567") == LETTERS;
}

// Removes the file of the open folder unless it is locked, linked, a link or another user's.
static void remove_leftover(int folder, const char *name)
{
    struct stat info;
    const int fd = openat(folder, name, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 && info.st_uid == geteuid() &&
        flock(fd, LOCK_EX | LOCK_NB) == 0)
        unlinkat(folder, name, 0);
    close(fd);
}

void mco_output_sweep(const char *path)
{
    char target[MCO_PATH_LENGTH], folder_path[MCO_PATH_LENGTH];
    if (mco_output_is_in_place(path) || !mco_output_target(path, target))
        return;
    const char *slash = strrchr(target, '/'), *base = slash != NULL ? slash + 1 : target;
    if (base[0] == '\0')
        return;
    snprintf(folder_path, sizeof folder_path, "%.*s", slash != NULL ? (int)(base - target) : 1, slash != NULL ? target : ".");
    DIR *folder = opendir(folder_path);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        if (is_temporary_of(entry->d_name, base, kept_of(base)))
            remove_leftover(dirfd(folder), entry->d_name);
    closedir(folder);
}

// ---- Open, commit, discard

static int duplicate_stdout(void)
{
    const int flags = fcntl(STDOUT_FILENO, F_GETFL);
    errno = EBADF;
    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY ? dup(STDOUT_FILENO) : -1;
}

// The stream, or NULL with errno. Sets o->temporary where a new file is made.
static FILE *open_stream(mco_output *o, const char *path, bool is_standard, bool is_in_place)
{
    if (is_in_place && !is_standard)
        return fopen(path, "a");
    const int fd = is_standard ? duplicate_stdout() : create_temporary(path, o->temporary, sizeof o->temporary);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL && fd >= 0) {
        const int reason = errno;
        close(fd);
        if (!is_standard)
            unlink(o->temporary);
        errno = reason;
    }
    return file;
}

mco_status mco_output_open(mco_context *ctx, const char *path, mco_output *out)
{
    mco_output o = {0};
    char target[MCO_PATH_LENGTH];
    bool is_standard = strcmp(path, "-") == 0;
    bool is_in_place = is_standard || mco_output_is_in_place(path);
    if (path[0] == '\0')
        return mco_fail(ctx, MCO_ERR_IO, "cannot write: the path is empty");
    if (strlen(path) + 24 > sizeof o.path)
        return mco_fail(ctx, MCO_ERR_IO, "cannot write %.60s...: the path has %zu bytes, at most %d are allowed",
                        path, strlen(path), MCO_PATH_LENGTH - 24);
    if (!is_in_place && is_link(path)) {  // the link stays, and the file that it leads to is made or replaced
        if (!mco_output_target(path, target) || strlen(target) + 24 > sizeof o.path)
            return mco_fail(ctx, MCO_ERR_IO, "cannot write %s: it is a link, and %s", path,
                            errno == ELOOP ? "the links lead round in a circle" : "it leads to a path that is too long");
        path = target;
    }
    memcpy(o.path, path, strlen(path) + 1);
    o.file = open_stream(&o, path, is_standard, is_in_place);
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
    // Renamed while it is open and so locked: a sweep by another process would take it between close and rename.
    if (is_written && is_regular && !replace(out, keep_previous)) {
        is_written = false;
        reason = errno;
    }
    if (fclose(out->file) != 0 && is_written && !is_regular) {  // a regular file is on the disk already
        is_written = false;
        reason = errno;
    }
    out->file = NULL;
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
