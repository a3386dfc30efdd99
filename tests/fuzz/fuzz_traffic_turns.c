// SPDX-License-Identifier: MIT
// Tables of turns.
#include "traffic_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return take_file(data, size, "turns.csv", false, true);
}
