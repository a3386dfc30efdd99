// SPDX-License-Identifier: MIT
// Linked into tests that tests/CMakeLists.txt lists as starting no thread: a call of mco_team_start(), which alone starts
// threads, ends here, and the test is to be taken off the list.
#include <stdio.h>
#include <stdlib.h>

#include "base/team.h"

mco_status __wrap_mco_team_start(mco_context *ctx, int count, void (*work)(void *, int), void *shared, mco_team *team);

mco_status __wrap_mco_team_start(mco_context *ctx, int count, void (*work)(void *, int), void *shared, mco_team *team)
{
    (void)ctx, (void)count, (void)work, (void)shared, (void)team;
    fputs("a test of MCO_UNTHREADED_TESTS (tests/CMakeLists.txt) starts threads\n", stderr);
    abort();
}
