// SPDX-License-Identifier: MIT
// Tables of trips, and lists of classes.
#include "traffic_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return take_file(data, size, "trips.csv", false, false);
}
