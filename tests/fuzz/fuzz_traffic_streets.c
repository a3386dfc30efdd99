// SPDX-License-Identifier: MIT
// Tables of streets.
#include "traffic_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return take_file(data, size, "streets.csv", true, false);
}
