// SPDX-License-Identifier: MIT
// The tests of test_paths_query.c with more cases.
#define FACTOR 5
#include "test_paths_query.c"
