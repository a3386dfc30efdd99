// SPDX-License-Identifier: MIT
// States as bytes.
#ifndef MCO_TRAFFIC_STATE_FILE_H
#define MCO_TRAFFIC_STATE_FILE_H

#include "traffic/model/problem.h"

// Reads a state from the bytes of a file. Errors: PARSE, MEMORY. O(bytes).
mco_status traffic_state_parse(mco_context *ctx, const char *name, const void *data, int64_t bytes, mco_traffic_state **out);
// The checksum of data [bytes], which is a multiple of 8.
uint64_t traffic_state_checksum(const void *data, int64_t bytes);

#endif
