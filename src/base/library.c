// SPDX-License-Identifier: MIT
#include "base/library.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/output.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// The library where the system has it, else where the build found it; NULL: in neither place.
static void *load(const mco_library *library)
{
    char path[MCO_PATH_LENGTH];
    void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
    if (handle != NULL || library->folder == NULL)
        return handle;
    if (snprintf(path, sizeof path, "%s/%s", library->folder, library->file) >= (int)sizeof path)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static mco_status open_locked(mco_context *ctx, mco_library *library, const char *path)
{
    void *const handle = load(library);
    if (handle == NULL) {
        const char *why = dlerror();
        return mco_fail(ctx, MCO_ERR_IO, "%s: %s, %s, cannot be loaded: %s", path, library->file, library->purpose, why != NULL ? why : "its path is too long");
    }
    for (size_t k = 0; k < library->count; k++) {
        void *const symbol = dlsym(handle, library->names[k]);
        if (symbol == NULL) {
            dlclose(handle);
            return mco_fail(ctx, MCO_ERR_IO, "%s: %s, %s, has no %s", path, library->file, library->purpose, library->names[k]);
        }
        memcpy((char *)library->symbols + k * sizeof symbol, &symbol, sizeof symbol);
    }
    library->is_open = true;
    return MCO_OK;
}

mco_status mco_library_open(mco_context *ctx, mco_library *library, const char *path)
{
    pthread_mutex_lock(&lock);
    const mco_status st = library->is_open ? MCO_OK : open_locked(ctx, library, path);
    pthread_mutex_unlock(&lock);
    return st;
}
