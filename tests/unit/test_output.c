// SPDX-License-Identifier: MIT
// Output files are whole or absent.
#include "test_support.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "base/number.h"
#include "base/output.h"
#include "base/rng.h"

// Counts the files in the folder of the tests, to find temporary files left behind.
static int count_files(void)
{
    int count = 0;
    DIR *folder = opendir(test_folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static void write_whole(const char *path, const char *text, bool keep_previous)
{
    mco_output o;
    assert_ok(mco_output_open(test_ctx, path, &o));
    fputs(text, o.file);
    assert_ok(mco_output_commit(test_ctx, &o, keep_previous));
    assert_null(o.file);
    mco_output_discard(&o);
}

// Until the commit the name holds the old content; after a discard it still does.
static void test_atomic(void **state)
{
    (void)state;
    mco_output o;
    const char *path = test_path("atomic");
    assert_ok(mco_output_open(test_ctx, path, &o));
    fputs("one\n", o.file);
    fflush(o.file);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_ok(mco_output_commit(test_ctx, &o, false));
    assert_content(path, "one\n");
    assert_ok(mco_output_open(test_ctx, path, &o));
    fputs("two\n", o.file);
    fflush(o.file);
    assert_content(path, "one\n");
    mco_output_discard(&o);
    assert_content(path, "one\n");
    mco_output_discard(&o);
    unlink(path);
    assert_int_equal(count_files(), 0);
}

static void test_keep_previous(void **state)
{
    (void)state;
    const char *path = test_path("kept"), *previous = test_path("kept.prev");
    write_whole(path, "one\n", true);
    assert_int_not_equal(access(previous, F_OK), 0);
    write_whole(path, "two\n", true);
    write_whole(path, "three\n", true);
    assert_content(path, "three\n");
    assert_content(previous, "two\n");
    unlink(path);
    unlink(previous);
    assert_int_equal(count_files(), 0);
}

// A link stays a link, and its target is replaced as a whole.
static void test_link(void **state)
{
    (void)state;
    struct stat info;
    const char *target = test_file("target", "old\n"), *path = test_path("link");
    assert_int_equal(symlink("target", path), 0);
    write_whole(path, "new\n", false);
    assert_content(target, "new\n");
    assert_int_equal(lstat(path, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    unlink(path);
    unlink(target);
    assert_int_equal(count_files(), 0);
}

// Two writers of one path in one process, as in containers where processes have equal numbers: both files are whole, and
// the last one stays.
static void test_two_writers(void **state)
{
    (void)state;
    const char *path = test_path("twice");
    mco_output first, second;
    assert_ok(mco_output_open(test_ctx, path, &first));
    fputs("the first, which is longer\n", first.file);
    fflush(first.file);
    assert_ok(mco_output_open(test_ctx, path, &second));
    fputs("second\n", second.file);
    fflush(second.file);
    assert_ok(mco_output_commit(test_ctx, &first, false));
    assert_content(path, "the first, which is longer\n");
    assert_ok(mco_output_commit(test_ctx, &second, false));
    assert_content(path, "second\n");
    unlink(path);
    assert_int_equal(count_files(), 0);
}

// A link that leads to no file yet, by another link in another folder: the last one's file is made.
static void test_dangling_link(void **state)
{
    (void)state;
    char found[MCO_PATH_LENGTH];
    const char *made = test_path("made"), *path = test_path("link"), *second = test_path("second");
    assert_int_equal(symlink("second", path), 0);
    assert_int_equal(symlink("made", second), 0);
    assert_true(mco_output_target(path, found));
    assert_string_equal(found, made);
    write_whole(path, "new\n", false);
    assert_content(made, "new\n");
    assert_int_equal(unlink(made), 0);
    assert_int_equal(unlink(second), 0);
    assert_int_equal(symlink("link", second), 0);
    assert_false(mco_output_target(path, found));
    assert_int_equal(errno, ELOOP);
    mco_output o;
    assert_int_equal(mco_output_open(test_ctx, path, &o), MCO_ERR_IO);
    unlink(path);
    unlink(second);
    assert_int_equal(count_files(), 0);
}

// The links in /dev and /proc lead to open files; these are written, not replaced.
static void test_open_file(void **state)
{
    (void)state;
    char link_path[64];
    const char *path = test_path("open");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", fileno(file));
    if (access(link_path, W_OK) != 0) {
        fclose(file);
        skip();
    }
    write_whole(link_path, "text\n", false);
    fclose(file);
    assert_content(path, "text\n");
    unlink(path);
    assert_int_equal(count_files(), 0);
}

static void test_unwritable(void **state)
{
    (void)state;
    mco_output o;
    char expected[512], long_path[MCO_PATH_LENGTH + 1];
    assert_fails(mco_output_open(test_ctx, "", &o), MCO_ERR_IO, "cannot write: the path is empty");
    assert_fails(mco_output_open(test_ctx, "no/such/folder/f", &o), MCO_ERR_IO,
                 "cannot write no/such/folder/f: No such file or directory");
    snprintf(expected, sizeof expected, "cannot write %s: Is a directory", test_folder);
    assert_fails(mco_output_open(test_ctx, test_folder, &o), MCO_ERR_IO, expected);
    memset(long_path, 'x', sizeof long_path - 1);
    long_path[sizeof long_path - 1] = '\0';
    assert_int_equal(mco_output_open(test_ctx, long_path, &o), MCO_ERR_IO);
    assert_non_null(strstr(mco_context_error(test_ctx), "the path has 4096 bytes, at most 4072 are allowed"));
}

// Folders without write permission stop everyone but the superuser, so the superuser becomes nobody for the test.
static void test_read_only_folder(void **state)
{
    (void)state;
    mco_output o;
    char expected[512];
    enum { NOBODY = 65534 };
    const uid_t user = geteuid();
    const char *folder = test_path("locked");
    char path[256];
    snprintf(path, sizeof path, "%s/f", folder);
    assert_int_equal(mkdir(folder, 0500), 0);
    snprintf(expected, sizeof expected, "cannot write %s: Permission denied", path);
    if (user == 0 && seteuid(NOBODY) != 0)
        skip();
    mco_status st = mco_output_open(test_ctx, path, &o);
    if (user == 0 && seteuid(0) != 0)
        abort();
    assert_fails(st, MCO_ERR_IO, expected);
    rmdir(folder);
}

static void test_full_disk(void **state)
{
    (void)state;
    mco_output o;
    if (access("/dev/full", W_OK) != 0)
        skip();
    assert_ok(mco_output_open(test_ctx, "/dev/full", &o));
    fputs("text\n", o.file);
    assert_fails(mco_output_commit(test_ctx, &o, false), MCO_ERR_IO,
                 "cannot write /dev/full: No space left on device");
    // An earlier failure is not forgotten when the last flush succeeds.
    assert_ok(mco_output_open(test_ctx, "/dev/full", &o));
    for (int i = 0; i < 100000; i++)
        fputs("text\n", o.file);
    assert_int_equal(mco_output_commit(test_ctx, &o, false), MCO_ERR_IO);
}

// The folder vanishes during the solve: this is a failure, and the temporary file does not stay.
static void test_rename_fails(void **state)
{
    (void)state;
    mco_output o;
    const char *path = test_path("taken");
    assert_ok(mco_output_open(test_ctx, path, &o));
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(mco_output_commit(test_ctx, &o, false), MCO_ERR_IO);
    rmdir(path);
    assert_int_equal(count_files(), 0);
}

static void test_integers(void **state)
{
    (void)state;
    const char *path = test_path("integers");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    const int64_t values[] = {0, 7, -7, 1234567890, INT64_MAX, INT64_MIN};
    for (int i = 0; i < COUNT_OF(values); i++) {
        mco_write_integer(values[i], i == 1 ? 3 : 1, file);
        fputc(' ', file);
    }
    assert_int_equal(fclose(file), 0);
    assert_content(path, "0 007 -7 1234567890 9223372036854775807 -9223372036854775808 ");
}

// The text of a number by the C library: the fewest digits from 15 on that read back.
static void by_library(double value, char *out)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, MCO_NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
}

// Numbers of all sizes, quotients, powers of 2, neighbours of powers of 10.
static void test_shortest_digits(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 3, 1);
    for (int k = 0; k < 60000; k++) {
        double value = mco_rng_real(&rng) * pow(10, floor(24 * mco_rng_real(&rng)) - 6);
        char fast[MCO_NUMBER_TEXT], slow[MCO_NUMBER_TEXT];
        if (k % 5 == 1)
            value = floor(1e6 * mco_rng_real(&rng)) / (1 + floor(1e3 * mco_rng_real(&rng)));
        else if (k % 5 == 2)
            value = ldexp(1, (int)(mco_rng_real(&rng) * 100) - 40);
        else if (k % 5 == 3)
            value = pow(10, floor(20 * mco_rng_real(&rng)) - 5);
        for (int step = k % 7; k % 5 == 3 && step > 0; step--)
            value = nextafter(value, k % 2 == 0 ? 0 : INFINITY);
        if (k % 5 == 4)
            value = -value;
        by_library(value, slow);
        assert_string_equal(mco_shortest_digits(value, 15, false, fast), slow);
    }
}

int main(void)
{
    test_path("");
    const struct CMUnitTest tests[] = {TEST(test_atomic),           TEST(test_keep_previous), TEST(test_link),
                                       TEST(test_two_writers),      TEST(test_dangling_link), TEST(test_open_file),
                                       TEST(test_unwritable),       TEST(test_read_only_folder),
                                       TEST(test_full_disk),        TEST(test_rename_fails),  TEST(test_integers),
                                       TEST(test_shortest_digits)};
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
