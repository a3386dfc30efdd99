// SPDX-License-Identifier: MIT
// Graphs of DIMACS.
#include "graph_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return take_graph(data, size, MCO_GRAPH_FORMAT_DIMACS);
}
