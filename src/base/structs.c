// SPDX-License-Identifier: MIT
#include "base/structs.h"

#include <string.h>

static size_t size_of(const void *given)
{
    size_t size;
    memcpy(&size, given, sizeof size);
    return size;
}

mco_status mco_struct_test_sizes(mco_context *ctx, const char *name, const void *given, size_t least, size_t size)
{
    if (given == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "%s is NULL", name);
    if (size_of(given) < least || size_of(given) > size)
        return mco_fail(ctx, MCO_ERR_ARGUMENT,
                        "struct_size of %s is %zu, %zu to %zu was expected: fill it by its _INIT macro, from the headers of "
                        "this library or older ones",
                        name, size_of(given), least, size);
    return MCO_OK;
}

mco_status mco_struct_take_sizes(mco_context *ctx, const char *name, const void *given, void *full, size_t least, size_t size)
{
    const mco_status st = mco_struct_test_sizes(ctx, name, given, least, size);
    if (st == MCO_OK) {
        memcpy(full, given, size_of(given));
        memcpy(full, &size, sizeof size);
    }
    return st;
}

void mco_struct_give(void *given, void *full, size_t size)
{
    const size_t room = size_of(given) < size ? size_of(given) : size;
    memcpy((char *)given + sizeof size, (char *)full + sizeof size, room - sizeof size);
    memset((char *)full + sizeof size, 0, room - sizeof size);
}

void mco_struct_clear(void *given, void *full, size_t size)
{
    const size_t room = size_of(given) < size ? size_of(given) : size;
    if (room < sizeof size)
        return;
    memcpy((char *)full + sizeof size, (char *)given + sizeof size, room - sizeof size);
    memset((char *)given + sizeof size, 0, room - sizeof size);
}
