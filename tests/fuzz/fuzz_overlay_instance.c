// SPDX-License-Identifier: MIT
// Takes any bytes as an instance of the membership overlay. What is accepted must be within the limits, and the same after writing and
// reading again. What is refused must have a message. Small ones are bounded and solved, too.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "overlay/formats.h"
#include "overlay/instance.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SOLVED = 40 };  // nodes of an instance that is solved

static void require(bool claim)
{
    if (!claim)
        abort();
}

static void examine(const mco_overlay *o)
{
    char number[16];
    require(o->nodes >= 0 && o->nodes <= MCO_OVERLAY_MAX_NODES && o->links >= 0 && o->links <= MCO_OVERLAY_MAX_LINKS);
    require(o->scale >= 1 && o->scale <= 1000000 && o->weight_unit >= 1 && o->least >= 0 && o->most >= o->least);
    for (int32_t i = 0; i < o->nodes; i++) {
        int64_t load = 0;
        require(o->bandwidth[i] >= 0 && o->bandwidth[i] <= MCO_OVERLAY_MAX_BANDWIDTH && o->cap[i] <= o->bandwidth[i]);
        require(mco_overlay_node_name(o, i, number)[0] != '\0');
        for (int64_t k = 0; k < overlay_row_size(o, i); k++) {
            const overlay_link link = overlay_entry(o, i, k);
            require(link.node >= 0 && link.node < o->nodes && link.node != i && link.most >= 0 && link.most <= o->bandwidth[i]);
            load += link.most;
        }
        require(load <= MCO_OVERLAY_MAX_LOAD);
    }
}

static void compare(const mco_overlay *a, const mco_overlay *b)
{
    require(a->nodes == b->nodes && a->links == b->links && a->is_complete == b->is_complete && a->scale >= b->scale);
    require(a->weight_unit == b->weight_unit);
    for (int32_t i = 0; i < a->nodes; i++) {
        require(a->uptime[i] == b->uptime[i] && (int64_t)a->bandwidth[i] * b->scale == (int64_t)b->bandwidth[i] * a->scale);
        require(overlay_row_size(a, i) == overlay_row_size(b, i));
        for (int64_t k = 0; k < overlay_row_size(a, i); k++) {
            const overlay_link x = overlay_entry(a, i, k), y = overlay_entry(b, i, k);
            require(x.node == y.node && x.weight == y.weight && (int64_t)x.most * b->scale == (int64_t)y.most * a->scale);
        }
    }
}

static void write_and_read(mco_context *ctx, const mco_overlay *o, bool is_json)
{
    char path[] = "/tmp/mco-overlay-XXXXXX.json";
    const int suffix = is_json ? 5 : 0;
    if (!is_json)
        path[sizeof path - 6] = '\0';
    mco_overlay *back = NULL;
    const int file = mkstemps(path, suffix);
    require(file >= 0 && close(file) == 0);
    require(mco_overlay_write(ctx, o, path) == MCO_OK);
    require(mco_overlay_read(ctx, path, NULL, &back) == MCO_OK);
    compare(o, back);
    mco_overlay_destroy(ctx, &back);
    unlink(path);
}

static void solve(mco_context *ctx, const mco_overlay *o)
{
    mco_overlay_params p = MCO_OVERLAY_PARAMS_INIT;
    mco_overlay_result r = MCO_OVERLAY_RESULT_INIT;
    p.threads = 1;
    p.iterations = 10;
    require(mco_overlay_solve(ctx, o, &p, &r) == MCO_OK && r.worth <= r.bound);
    mco_overlay_result_clear(ctx, &r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    mco_text text;
    mco_overlay *o = NULL;
    const mco_overlay_model model = MCO_OVERLAY_MODEL_INIT;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
        const mco_status st = overlay_read_text(ctx, &text, &model, "input", &o);
        require((st == MCO_OK) == (o != NULL));
        require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
        if (o != NULL && o->nodes <= SOLVED) {
            examine(o);
            write_and_read(ctx, o, false);
            write_and_read(ctx, o, true);
            solve(ctx, o);
        }
        mco_text_close(&text);
    }
    mco_overlay_destroy(ctx, &o);
    mco_context_destroy(&ctx);
    return 0;
}
