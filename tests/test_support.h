// SPDX-License-Identifier: MIT
// What the unit tests share: a context whose memory is counted and can fail on demand, and a folder
// of temporary files. One test program is one process; the state below belongs to it.
#ifndef MCO_TEST_SUPPORT_H
#define MCO_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/context.h"

#if defined(__GNUC__)
#define TEST_UNUSED __attribute__((unused))
#else
#define TEST_UNUSED
#endif

// 1 under a sanitizer, which makes tests twenty times slower. Tests of many random cases take fewer cases then.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_IS_SANITIZED 1
#endif
#endif
#ifndef TEST_IS_SANITIZED
#define TEST_IS_SANITIZED 0
#endif

#define COUNT_OF(array) ((int)(sizeof(array) / sizeof((array)[0])))

// ---- Memory: live blocks are counted; call number `fail_at` fails (0: none); `most_bytes` is the largest block

static struct {
    long calls, live, fail_at;
    size_t most_bytes;
} test_memory;

static mco_context *test_ctx;

enum { TEST_DIRTY_BYTES = 1 << 20 };  // at the beginning of a block

static void *test_allocate(size_t bytes, void *user)
{
    (void)user;
    if (bytes > test_memory.most_bytes)
        test_memory.most_bytes = bytes;
    if (++test_memory.calls == test_memory.fail_at)
        return NULL;
    void *memory = malloc(bytes);
    if (memory != NULL)  // what reads before it writes shall not find zeros
        memset(memory, 0xa5, bytes < TEST_DIRTY_BYTES ? bytes : TEST_DIRTY_BYTES);
    test_memory.live += memory != NULL;
    return memory;
}

static void test_release(void *memory, void *user)
{
    (void)user;
    test_memory.live -= memory != NULL;
    free(memory);
}

// Makes the k-th allocation from this call on fail; 0: none.
TEST_UNUSED static void test_fail_allocation(long k)
{
    test_memory.calls = 0;
    test_memory.fail_at = k;
}

// A test begins with a silent context and ends with nothing allocated.
TEST_UNUSED static int test_setup(void **state)
{
    (void)state;
    mco_context_params params = MCO_CONTEXT_PARAMS_INIT;
    params.allocate = test_allocate;
    params.release = test_release;
    memset(&test_memory, 0, sizeof test_memory);
    return mco_context_create(&test_ctx, &params) == MCO_OK ? 0 : -1;
}

TEST_UNUSED static int test_teardown(void **state)
{
    (void)state;
    mco_context_destroy(&test_ctx);
    if (test_memory.live != 0)
        print_error("%ld blocks were not released\n", test_memory.live);
    return test_memory.live == 0 ? 0 : -1;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, test_setup, test_teardown)

// The call must succeed; otherwise shows the reason.
#define assert_ok(call)                                                                        \
    do {                                                                                       \
        mco_status seen_status = (call);                                                       \
        if (seen_status != MCO_OK)                                                             \
            fail_msg("%s: %s", mco_status_text(seen_status), mco_context_error(test_ctx));     \
    } while (0)

// The call must fail with this status and exactly this text.
#define assert_fails(call, expected_status, expected_text)                        \
    do {                                                                          \
        mco_status seen_status = (call);                                          \
        assert_string_equal(mco_context_error(test_ctx), expected_text);          \
        assert_int_equal(seen_status, expected_status);                           \
    } while (0)

// ---- Files, in a folder of this process below the working folder of the tests.

static char test_folder[64];

static void test_remove_folder(void)
{
    DIR *folder = opendir(test_folder);
    if (folder == NULL)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        unlinkat(dirfd(folder), entry->d_name, 0);
    closedir(folder);
    rmdir(test_folder);
}

// The path of `name` in the folder; valid until the fourth later call.
TEST_UNUSED static const char *test_path(const char *name)
{
    static char paths[4][160];
    static int next;
    if (test_folder[0] == '\0') {
        snprintf(test_folder, sizeof test_folder, "test-files-XXXXXX");
        if (mkdtemp(test_folder) == NULL)
            abort();
        atexit(test_remove_folder);
    }
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", test_folder, name);
    return path;
}

TEST_UNUSED static const char *test_file_bytes(const char *name, const void *data, size_t size)
{
    const char *path = test_path(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

TEST_UNUSED static const char *test_file(const char *name, const char *text)
{
    return test_file_bytes(name, text, strlen(text));
}

// The content of a file, NUL-terminated; NULL if there is none. To be freed.
TEST_UNUSED static char *test_content(const char *path)
{
    enum { ROOM = 1 << 16 };
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return NULL;
    char *content = calloc(1, ROOM);
    assert_non_null(content);
    size_t size = fread(content, 1, ROOM - 1, file);
    content[size] = '\0';
    fclose(file);
    return content;
}

TEST_UNUSED static void assert_content(const char *path, const char *expected)
{
    char *content = test_content(path);
    assert_non_null(content);
    assert_string_equal(content, expected);
    free(content);
}

#endif
