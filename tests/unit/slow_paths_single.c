// SPDX-License-Identifier: MIT
// The tests of test_paths_single.c with more cases and more numbers of threads.
#define FACTOR 5
#include "test_paths_single.c"
