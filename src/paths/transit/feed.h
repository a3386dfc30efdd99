// SPDX-License-Identifier: MIT
// The files of a GTFS feed, from a folder or from a zip archive. libzip reads archives, in a build that has it. Its own memory
// does not come from the context's allocator.
#ifndef MCO_PATHS_TRANSIT_FEED_H
#define MCO_PATHS_TRANSIT_FEED_H

#include "base/text.h"

typedef struct transit_folder {
    mco_context *ctx;
    const char *path;  // borrowed
    void *archive;     // NULL: a folder of the system
} transit_folder;

// Opens a folder or an archive. Errors: IO (none of the two; an archive in a build without libzip), PARSE (an archive that is
// cut or damaged).
mco_status transit_folder_open(mco_context *ctx, const char *path, transit_folder *out);
// Reads a file whole. *is_there false: there is none, and *text is closed. An archive may hold its files in a folder. Messages
// call the text path/name. Errors: IO, PARSE (a damaged archive, binary content), LIMIT, MEMORY, STOPPED.
mco_status transit_folder_text(transit_folder *folder, const char *name, bool *is_there, mco_text *text);
// A zeroed folder is allowed.
void transit_folder_close(transit_folder *folder);

#endif
