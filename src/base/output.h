// SPDX-License-Identifier: MIT
// Output files that are either complete or absent. They are written under a temporary name and renamed when complete.
#ifndef MCO_BASE_OUTPUT_H
#define MCO_BASE_OUTPUT_H

#include <stdio.h>

#include "base/context.h"

enum { MCO_PATH_LENGTH = 4096 };

typedef struct mco_output {
    FILE *file;  // NULL while closed
    char path[MCO_PATH_LENGTH];
    char temporary[MCO_PATH_LENGTH];  // "" if written in place (a device, a pipe)
} mco_output;

// Finds the file that an output to `path` makes or replaces: the end of its links, which may not exist yet. False with
// errno where there is no end (a circle) or the path is too long.
bool mco_output_target(const char *path, char target[MCO_PATH_LENGTH]);

// Opens "path.tmp-" with random letters beside the path. So a wrong path fails now and not after hours of work. The
// temporary file is new, has the mode of the file that it will replace, and is locked until it is committed. A path that
// is no regular file (/dev/stdout, a pipe) is written in place. A link stays; the file that it leads to is made or replaced.
// "-" is standard output. Errors: IO.
mco_status mco_output_open(mco_context *ctx, const char *path, mco_output *out);
// Flushes, syncs and renames. With `keep_previous` the replaced file stays as "path.prev". Errors: IO.
mco_status mco_output_commit(mco_context *ctx, mco_output *out, bool keep_previous);
// Drops what was written; the file under the path stays as it was. A closed output is allowed.
void mco_output_discard(mco_output *out);

// Whether an output to this path goes into what is there, and no new file takes its place: a device, a pipe, a stream of
// this process.
bool mco_output_is_in_place(const char *path);
// Removes temporary files of this path that no process holds. Runs that were killed left them.
void mco_output_sweep(const char *path);

#endif
