// SPDX-License-Identifier: MIT
// Libraries that are loaded late: their symbols, a library that is not there, and one that lacks a symbol.
#include <stdlib.h>
#include <string.h>

#include "test_support.h"

#include "base/library.h"

// The C library itself stands for a library: it is there.
#define SYMBOLS(SYMBOL) SYMBOL(strlen) SYMBOL(abs) SYMBOL(stdout)
typedef struct c_library {
    SYMBOLS(MCO_SYMBOL_POINTER)
} c_library;
static const char *const names[] = {SYMBOLS(MCO_SYMBOL_NAME)};
static const char *const wrong[] = {"strlen", "no_such_symbol"};
enum { COUNT = sizeof names / sizeof *names };

static void test_symbols(void **state)
{
    (void)state;
    c_library c = {0};
    mco_library library = {.file = "libc.so.6", .purpose = "which is C", .count = COUNT, .names = names, .symbols = &c};
    assert_int_equal(sizeof c, COUNT * sizeof(void *));
    assert_ok(mco_library_open(test_ctx, &library, "a file"));
    assert_true(library.is_open);
    assert_int_equal(c.strlen("four"), 4);
    assert_int_equal(c.abs(-4), 4);
    assert_ptr_equal(*c.stdout, stdout);
    library.file = "libmco-is-not-there.so.1";  // what is loaded stays
    assert_ok(mco_library_open(test_ctx, &library, "a file"));
}

static void test_absent(void **state)
{
    (void)state;
    c_library c = {0};
    mco_library library = {.file = "libmco-is-not-there.so.1", .folder = "/no/such/folder", .purpose = "which reads stones",
                           .count = COUNT, .names = names, .symbols = &c};
    const char *const text = "a.stone: libmco-is-not-there.so.1, which reads stones, cannot be loaded: ";  // the system's reason follows
    for (int k = 0; k < 2; k++, library.folder = NULL) {
        assert_int_equal(mco_library_open(test_ctx, &library, "a.stone"), MCO_ERR_IO);
        assert_ptr_equal(strstr(mco_context_error(test_ctx), text), mco_context_error(test_ctx));
        assert_non_null(strstr(mco_context_error(test_ctx), k == 0 ? ": /no/such/folder/libmco" : "loaded: libmco"));
        assert_false(library.is_open);
    }
}

static void test_symbol_absent(void **state)
{
    (void)state;
    void *symbols[2] = {0};
    mco_library library = {.file = "libc.so.6", .purpose = "which reads stones", .count = 2, .names = wrong, .symbols = symbols};
    assert_fails(mco_library_open(test_ctx, &library, "a.stone"), MCO_ERR_IO, "a.stone: libc.so.6, which reads stones, has no no_such_symbol");
    assert_false(library.is_open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(test_symbols), TEST(test_absent), TEST(test_symbol_absent)};
    return cmocka_run_group_tests_name("library", tests, NULL, NULL);
}
