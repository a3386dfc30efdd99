// SPDX-License-Identifier: MIT
// Linked into the tests that tests/CMakeLists.txt lists as starting no thread. The first thread ends the test here;
// such a test must be taken off the list.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument)
{
    (void)thread, (void)attributes, (void)work, (void)argument;
    fputs("a test of MCO_UNTHREADED_TESTS (tests/CMakeLists.txt) starts threads\n", stderr);
    abort();
}
