// SPDX-License-Identifier: MIT
// Files by blocks: plain and compressed, by content and by name, at once and in parts; files that cannot be read.
#include "test_support.h"

#include <sys/stat.h>
#ifdef MCO_HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/blocks.h"
#include "base/clock.h"

enum { MOST = (3 << 20) + 77 };

static char *bytes;  // [MOST] that do not repeat

static int make_bytes(void **state)
{
    (void)state;
    uint32_t x = 12345;
    bytes = malloc(MOST);
    if (bytes == NULL)
        return -1;
    for (int i = 0; i < MOST; i++) {
        x = x * 1664525u + 1013904223u;
        bytes[i] = (char)(x >> 24);
    }
    bytes[0] = 'a';  // plain text, at least where gzip's mark would be
    return 0;
}

static int free_bytes(void **state)
{
    (void)state;
    free(bytes);
    return 0;
}

static const int64_t sizes[] = {0, 1, 2, 100, 65535, 65536, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2 << 20, MOST};
static const mco_packing packings[] = {MCO_PACKING_BY_CONTENT, MCO_PACKING_BY_NAME};

// The file must give bytes [size], all at once and in parts.
static void assert_bytes(const char *path, mco_packing packing, int64_t size)
{
    static const size_t parts[] = {1 << 10, 4096, 65536, 100003, MOST + 1};
    mco_blocks b = {0};
    void *data = NULL;
    int64_t read = -1;
    assert_ok(mco_blocks_open(test_ctx, path, packing, &b));
    assert_true(b.size == -1 || b.size == size);
    assert_string_equal(b.name, path);
    assert_ok(mco_blocks_read_all(&b, &data, &read));
    assert_int_equal(read, size);
    assert_non_null(data);
    assert_memory_equal(data, bytes, (size_t)size);
    mco_free_bytes(test_ctx, &data);
    mco_blocks_close(&b);
    assert_null(b.source);
    mco_blocks_close(&b);
    char *part = malloc(MOST + 1);
    assert_non_null(part);
    for (int p = 0; p < COUNT_OF(parts); p++) {
        int64_t at = 0;
        size_t got;
        assert_ok(mco_blocks_open(test_ctx, path, packing, &b));
        do {
            assert_ok(mco_blocks_read(&b, part, parts[p], &got));
            assert_true(at + (int64_t)got <= size);
            assert_memory_equal(part, bytes + at, got);
            at += (int64_t)got;
        } while (got == parts[p]);
        assert_int_equal(at, size);  // only the last read gives less than asked for
        assert_ok(mco_blocks_read(&b, part, parts[p], &got));
        assert_int_equal(got, 0);
        mco_blocks_close(&b);
    }
    free(part);
}

static void test_plain(void **state)
{
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++)
        for (int p = 0; p < COUNT_OF(packings); p++)
            assert_bytes(test_file_bytes("plain", bytes, (size_t)sizes[s]), packings[p], sizes[s]);
}

// Files of /proc claim to be empty, but are not.
static void test_file_without_size(void **state)
{
    (void)state;
    mco_blocks b;
    void *data = NULL;
    int64_t read;
    if (access("/proc/self/status", R_OK) != 0)
        skip();
    for (int p = 0; p < COUNT_OF(packings); p++) {
        assert_ok(mco_blocks_open(test_ctx, "/proc/self/status", packings[p], &b));
        assert_int_equal(b.size, -1);
        assert_ok(mco_blocks_read_all(&b, &data, &read));
        assert_true(read > 5);
        assert_memory_equal(data, "Name:", 5);
        mco_free_bytes(test_ctx, &data);
        mco_blocks_close(&b);
    }
}

static void test_unreadable(void **state)
{
    (void)state;
    char expected[300];
    const mco_blocks before = {.name = "untouched", .size = 7};
    mco_blocks b = before;
    test_file("f", "");
    for (int p = 0; p < COUNT_OF(packings); p++) {
        assert_fails(mco_blocks_open(test_ctx, "no/such/file", packings[p], &b), MCO_ERR_IO,
                     "cannot read no/such/file: No such file or directory");
        snprintf(expected, sizeof expected, "cannot read %s: it is a folder", test_folder);
        assert_fails(mco_blocks_open(test_ctx, test_folder, packings[p], &b), MCO_ERR_IO, expected);
        assert_int_equal(mco_blocks_open(test_ctx, "", packings[p], &b), MCO_ERR_IO);
        assert_memory_equal(&b, &before, sizeof b);
    }
    mco_blocks nothing = {0};
    mco_blocks_close(&nothing);
}

static void test_allocation_fails(void **state)
{
    (void)state;
    const char *path = test_file_bytes("plain", bytes, MOST);
    for (int p = 0; p < COUNT_OF(packings); p++) {
        mco_status st = MCO_ERR_MEMORY;
        long k = 0;
        for (const long before = test_memory.live; st != MCO_OK; assert_int_equal(test_memory.live, before)) {
            mco_blocks b = {0};
            void *data = NULL;
            int64_t read = -5;
            test_fail_allocation(++k);
            st = mco_blocks_open(test_ctx, path, packings[p], &b);
            if (st == MCO_OK)
                st = mco_blocks_read_all(&b, &data, &read);
            assert_true(st == MCO_OK || (st == MCO_ERR_MEMORY && data == NULL && read == -5));
            mco_blocks_close(&b);
            if (st == MCO_OK)
                mco_free_bytes(test_ctx, &data);
        }
        assert_true(k >= 2 && k < 20);
    }
    test_fail_allocation(0);
}

// ---- Compressed files

#ifdef MCO_HAVE_ZLIB
static const char *gzip_file(const char *name, size_t size)
{
    const char *path = test_path(name);
    gzFile file = gzopen(path, "wb1");
    assert_non_null(file);
    if (size > 0)
        assert_int_equal(gzwrite(file, bytes, (unsigned)size), size);
    assert_int_equal(gzclose(file), Z_OK);
    return path;
}

static void *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    void *content = malloc(2 * MOST);
    assert_true(file != NULL && content != NULL);
    *size = fread(content, 1, 2 * MOST, file);
    fclose(file);
    return content;
}

static void test_gzip(void **state)
{
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++) {
        assert_bytes(gzip_file("packed.gz", (size_t)sizes[s]), MCO_PACKING_BY_NAME, sizes[s]);
        assert_bytes(test_path("packed.gz"), MCO_PACKING_BY_CONTENT, sizes[s]);
        assert_bytes(gzip_file("packed", (size_t)sizes[s]), MCO_PACKING_BY_CONTENT, sizes[s]);
    }
}

// By name alone. A file that begins like gzip is read as it is if its path does not end in .gz. If the path ends in
// .gz, plain and empty files are read as they are too.
static void test_by_name(void **state)
{
    (void)state;
    static const char *const names[] = {"numbers", "numbersgz", "numbers.gz.bin"};
    size_t size;
    for (int i = 0; i < COUNT_OF(names); i++) {
        mco_blocks b;
        void *data = NULL;
        int64_t read;
        const char *path = gzip_file(names[i], 1000);
        void *raw = read_file(path, &size);
        assert_ok(mco_blocks_open(test_ctx, path, MCO_PACKING_BY_NAME, &b));
        assert_false(b.is_packed);
        assert_int_equal(b.size, size);
        assert_ok(mco_blocks_read_all(&b, &data, &read));
        assert_int_equal(read, size);
        assert_memory_equal(data, raw, size);
        mco_free_bytes(test_ctx, &data);
        mco_blocks_close(&b);
        free(raw);
    }
    assert_bytes(test_file_bytes("plain.gz", bytes, 1000), MCO_PACKING_BY_NAME, 1000);
    assert_bytes(test_file_bytes("empty.gz", bytes, 0), MCO_PACKING_BY_NAME, 0);
    assert_bytes(test_file_bytes("empty.gz", bytes, 0), MCO_PACKING_BY_CONTENT, 0);
}

// A compressed file that may hold more than the limit is measured, and can be read after that.
static void test_measure(void **state)
{
    (void)state;
    mco_blocks b;
    void *data = NULL;
    int64_t read;
    const char *path = gzip_file("packed.gz", MOST);
    static const struct {
        int64_t limit, size;
    } cases[] = {{MOST, MOST}, {MOST - 1, MOST}, {INT64_MAX, -1}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        assert_ok(mco_blocks_open(test_ctx, path, MCO_PACKING_BY_NAME, &b));
        assert_int_equal(b.size, -1);
        assert_ok(mco_blocks_measure(&b, cases[i].limit));
        assert_int_equal(b.size, cases[i].size);
        assert_ok(mco_blocks_read_all(&b, &data, &read));
        assert_int_equal(read, MOST);
        assert_memory_equal(data, bytes, MOST);
        mco_free_bytes(test_ctx, &data);
        mco_blocks_close(&b);
    }
    assert_ok(mco_blocks_open(test_ctx, path, MCO_PACKING_BY_NAME, &b));
    assert_ok(mco_blocks_measure(&b, 100));
    assert_true(b.size > 100 && b.size < MOST);
    mco_blocks_close(&b);
    assert_ok(mco_blocks_open(test_ctx, test_file_bytes("plain", bytes, MOST), MCO_PACKING_BY_CONTENT, &b));
    assert_ok(mco_blocks_measure(&b, 100));
    assert_int_equal(b.size, MOST);
    mco_blocks_close(&b);
}

static void test_measure_in_time(void **state)
{
    (void)state;
    mco_blocks b;
    assert_ok(mco_blocks_open(test_ctx, gzip_file("packed.gz", MOST), MCO_PACKING_BY_NAME, &b));
    test_ctx->read_stop_s = 1e-9;  // long ago
    assert_int_equal(mco_blocks_measure(&b, 100), MCO_ERR_STOPPED);
    mco_blocks_close(&b);
}

static void read_damaged(const void *content, size_t size, mco_status expected, const char *text)
{
    for (int p = 0; p < COUNT_OF(packings); p++) {
        mco_blocks b;
        void *data = NULL;
        int64_t read = -5;
        const char *path = test_file_bytes("damaged.gz", content, size);
        assert_ok(mco_blocks_open(test_ctx, path, packings[p], &b));
        assert_int_equal(mco_blocks_read_all(&b, &data, &read), expected);
        assert_non_null(strstr(mco_context_error(test_ctx), text));
        assert_non_null(strstr(mco_context_error(test_ctx), path));
        assert_null(data);
        assert_int_equal(read, -5);
        mco_blocks_close(&b);
    }
}

static void test_cut(void **state)
{
    (void)state;
    size_t size;
    char *whole = read_file(gzip_file("whole.gz", 200000), &size);
    const size_t kept[] = {size - 1, size - 7, size - 8, size - 9, size / 2, 1000, 20};
    for (int i = 0; i < COUNT_OF(kept); i++)
        read_damaged(whole, kept[i], MCO_ERR_PARSE, ": the compressed file is cut");
    // A wrong bit is not reported as a cut.
    whole[size / 2] ^= 1;
    read_damaged(whole, size, MCO_ERR_IO, "cannot read ");
    free(whole);
}

// The blocks before the cut are delivered.
static void test_cut_in_parts(void **state)
{
    (void)state;
    enum { PART = 4096 };
    size_t size, got = PART;
    char *whole = read_file(gzip_file("whole.gz", 200000), &size), part[PART];
    mco_blocks b;
    int64_t at = 0;
    mco_status st = MCO_OK;
    assert_ok(mco_blocks_open(test_ctx, test_file_bytes("damaged.gz", whole, size / 2), MCO_PACKING_BY_NAME, &b));
    for (; got == PART && (st = mco_blocks_read(&b, part, PART, &got)) == MCO_OK; at += (int64_t)got)
        assert_memory_equal(part, bytes + at, got);
    assert_int_equal(st, MCO_ERR_PARSE);
    assert_true(at > 50000 && at < 200000);
    mco_blocks_close(&b);
    free(whole);
}
#endif

// Reads a path that stays silent, until the time for reading is over, and until the context is cancelled.
static void assert_silence_ends(const char *path)
{
    mco_blocks blocks = {0};
    const double begin_s = mco_clock_s();
    test_ctx->read_stop_s = begin_s + 0.2;
    assert_int_equal(mco_blocks_open(test_ctx, path, MCO_PACKING_BY_CONTENT, &blocks), MCO_ERR_STOPPED);
    assert_non_null(strstr(mco_context_error(test_ctx), "the time limit, which counts from the start"));
    assert_true(mco_clock_s() >= begin_s + 0.2);
    test_ctx->read_stop_s = 0;
    mco_cancel(test_ctx);
    assert_int_equal(mco_blocks_open(test_ctx, path, MCO_PACKING_BY_CONTENT, &blocks), MCO_ERR_STOPPED);
    assert_non_null(strstr(mco_context_error(test_ctx), ": cancelled while the file was read"));
    assert_false(mco_is_cancelled(test_ctx));
}

// A pipe whose writer says nothing, and a named one that nobody writes to.
static void test_silent(void **state)
{
    (void)state;
    int ends[2];
    char path[32];
    mco_blocks blocks = {0};
    char read_bytes[4];
    size_t got = 0;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    assert_silence_ends(path);
    assert_int_equal(write(ends[1], "abc", 3), 3);
    close(ends[1]);
    assert_ok(mco_blocks_open(test_ctx, path, MCO_PACKING_BY_CONTENT, &blocks));
    assert_ok(mco_blocks_read(&blocks, read_bytes, sizeof read_bytes, &got));
    assert_int_equal(got, 3);
    assert_memory_equal(read_bytes, "abc", 3);
    mco_blocks_close(&blocks);
    close(ends[0]);
    const char *named = test_path("named");
    assert_int_equal(mkfifo(named, 0600), 0);
    assert_silence_ends(named);
}

int main(void)
{
    test_path("");
    const struct CMUnitTest tests[] = {
        TEST(test_plain), TEST(test_file_without_size), TEST(test_unreadable), TEST(test_allocation_fails), TEST(test_silent),
#ifdef MCO_HAVE_ZLIB
        TEST(test_gzip), TEST(test_measure), TEST(test_measure_in_time), TEST(test_by_name), TEST(test_cut), TEST(test_cut_in_parts),
#endif
    };
    return cmocka_run_group_tests_name("blocks", tests, make_bytes, free_bytes);
}
