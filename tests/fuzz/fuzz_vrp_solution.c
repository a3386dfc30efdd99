// SPDX-License-Identifier: MIT
// Takes any bytes as a solution for an instance of six customers, four of them with names. What is accepted must have
// the shape of a solution, and be the same after writing and reading again in both formats. The check must cope with
// it.
#include <stdlib.h>
#include <string.h>

#include "vrp/formats.h"
#include "vrp/solution_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CUSTOMERS = 6 };

static const char instance[] = "name,x,y,demand\ndepot,0,0,0\nA,1,0,1\n"
                               ",2,0,1\n\"c \"\"d\"\"\",3,0,1\n4,4,0,1\n,5,0,1\n#,6,0,1\n";

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(const mco_vrp_solution *s)
{
    require(s->customers >= 0 && s->routes >= 0 && s->first[0] == 0 && s->first[s->routes] == s->customers);
    for (int32_t r = 0; r < s->routes; r++)
        require(s->first[r] < s->first[r + 1]);
    for (int32_t i = 0; i < s->customers; i++)
        require(s->order[i] >= 0 && s->order[i] < CUSTOMERS);
}

static void write_and_read(mco_context *ctx, const mco_vrp *p, const mco_vrp_solution *s, bool is_csv)
{
    char *content = NULL;
    size_t size = 0;
    mco_vrp_solution back = {0};
    mco_text text;
    double cost;
    FILE *file = open_memstream(&content, &size);
    require(file != NULL);
    if (is_csv)
        vrp_write_solution_csv(p, s, file);
    else
        vrp_write_solution_text(p, s, file);
    require(fclose(file) == 0);
    require(mco_text_from_memory(ctx, "again", content, size, &text) == MCO_OK);
    require(vrp_read_solution_text(ctx, p, &text, &back, &cost) == MCO_OK && isnan(cost) == is_csv);
    require(back.customers == s->customers && back.routes == s->routes);
    require(memcmp(back.order, s->order, (size_t)s->customers * sizeof *s->order) == 0);
    require(memcmp(back.first, s->first, ((size_t)s->routes + 1) * sizeof *s->first) == 0);
    mco_text_close(&text);
    mco_vrp_solution_clear(ctx, &back);
    free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_vrp *p = NULL;
    mco_vrp_solution s = {0};
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    mco_text text;
    double cost;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    model.capacity = 3;
    require(mco_text_from_memory(ctx, "instance", instance, sizeof instance - 1, &text) == MCO_OK);
    require(vrp_read_text(ctx, &text, &model, "instance", &p) == MCO_OK);
    mco_text_close(&text);
    if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
        const mco_status st = vrp_read_solution_text(ctx, p, &text, &s, &cost);
        require((st == MCO_OK) == (s.first != NULL));
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (st == MCO_OK) {
            require(isnan(cost) || cost >= 0);
            examine(&s);
            const mco_status checked = mco_vrp_check(ctx, p, &s, NULL);
            require(checked == MCO_OK || (checked == MCO_ERR_CHECK && mco_context_error(ctx)[0] != '\0'));
            write_and_read(ctx, p, &s, false);
            write_and_read(ctx, p, &s, true);
        }
        mco_text_close(&text);
    }
    mco_vrp_solution_clear(ctx, &s);
    mco_vrp_destroy(ctx, &p);
    mco_context_destroy(&ctx);
    return 0;
}
