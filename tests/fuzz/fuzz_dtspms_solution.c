// SPDX-License-Identifier: MIT
// Takes any bytes as a solution for an instance of six orders, four of them with names. What is accepted must have the
// shape of a solution, and be the same after writing and reading again.
#include <stdlib.h>
#include <string.h>

#include "dtspms/formats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ORDERS = 6 };

static const char instance[] = "name,pickup_x,pickup_y,delivery_x,delivery_y\ndepot,0,0,0,0\nA,1,0,1,0\n,2,0,2,0\n"
                               "c:d,3,0,3,0\n4,4,0,4,0\n,5,0,5,0\n#,6,0,6,0\n";

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(const mco_dtspms_solution *s)
{
    int32_t placed = 0;
    require(s->orders == ORDERS && s->stacks >= 1 && s->stacks <= MCO_DTSPMS_MAX_STACKS);
    for (int32_t k = 0; k < MCO_DTSPMS_MAX_STACKS; k++) {
        require(s->heights[k] >= 0 && (k < s->stacks || s->heights[k] == 0));
        placed += s->heights[k];
    }
    require(placed == ORDERS);
    for (int32_t i = 0; i < ORDERS; i++) {
        require(s->plan[i] >= 0 && s->plan[i] < ORDERS);
        require(s->pickup == NULL || (s->pickup[i] >= 0 && s->pickup[i] < ORDERS));
        require(s->delivery == NULL || (s->delivery[i] >= 0 && s->delivery[i] < ORDERS));
    }
}

static bool is_same(const int32_t *a, const int32_t *b)
{
    return a == NULL || b == NULL ? a == b : memcmp(a, b, ORDERS * sizeof *a) == 0;
}

static void compare(const mco_dtspms_solution *a, const mco_dtspms_solution *b)
{
    require(a->stacks == b->stacks && memcmp(a->heights, b->heights, sizeof a->heights) == 0);
    require(is_same(a->plan, b->plan) && is_same(a->pickup, b->pickup) && is_same(a->delivery, b->delivery));
}

static void write_and_read(mco_context *ctx, const mco_dtspms *d, const mco_dtspms_solution *s, int64_t cost)
{
    char *content = NULL;
    size_t size = 0;
    mco_dtspms_solution back = {0};
    mco_text text;
    int64_t again;
    FILE *file = open_memstream(&content, &size);
    require(file != NULL);
    dtspms_write_solution_text(d, s, cost, file);
    require(fclose(file) == 0);
    require(mco_text_from_memory(ctx, "again", content, size, &text) == MCO_OK);
    require(dtspms_read_solution_text(ctx, d, &text, &back, &again) == MCO_OK && again == cost);
    compare(s, &back);
    mco_text_close(&text);
    mco_dtspms_solution_clear(ctx, &back);
    free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_dtspms *d = NULL;
    mco_dtspms_solution s = {0};
    mco_text text;
    int64_t cost;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    require(mco_text_from_memory(ctx, "instance", instance, sizeof instance - 1, &text) == MCO_OK);
    require(dtspms_read_texts(ctx, &text, NULL, "instance", &d) == MCO_OK);
    mco_text_close(&text);
    if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
        mco_status st = dtspms_read_solution_text(ctx, d, &text, &s, &cost);
        require((st == MCO_OK) == (s.plan != NULL));
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (st == MCO_OK) {
            require(cost >= -1);
            examine(&s);
            write_and_read(ctx, d, &s, cost);
        }
        mco_text_close(&text);
    }
    mco_dtspms_solution_clear(ctx, &s);
    mco_dtspms_destroy(ctx, &d);
    mco_context_destroy(&ctx);
    return 0;
}
