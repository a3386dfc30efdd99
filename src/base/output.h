// SPDX-License-Identifier: MIT
// Output files that are whole or absent: written under a temporary name, renamed when complete.
#ifndef MCO_BASE_OUTPUT_H
#define MCO_BASE_OUTPUT_H

#include <stdio.h>

#include "base/context.h"

enum { MCO_PATH_LENGTH = 4096 };

typedef struct mco_output {
    FILE *file;  // NULL while closed
    char path[MCO_PATH_LENGTH];
    char temporary[MCO_PATH_LENGTH];  // "" when written in place (a device, a pipe)
} mco_output;

// Opens "path.tmp-PID" beside the path, so that a wrong path fails now and not after hours of
// work. What is not a regular file (/dev/stdout, a pipe) is written in place; "-" is standard output.
mco_status mco_output_open(mco_context *ctx, const char *path, mco_output *out);
// Flushes, syncs, renames. With `keep_previous` the file replaced stays as "path.prev".
mco_status mco_output_commit(mco_context *ctx, mco_output *out, bool keep_previous);
// Forgets what was written; the file under the path stays as it was. Fine on a closed output.
void mco_output_discard(mco_output *out);

#endif
