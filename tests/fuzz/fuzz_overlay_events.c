// SPDX-License-Identifier: MIT
// Takes any bytes as events of two small instances, one with all pairs as links and one without. What is accepted must be possible: all
// events happen, and the bound stays above the overlay. It must be the same after writing and reading again. What is refused must have
// a message.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "overlay/formats.h"
#include "overlay/instance.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODES = 6, DEGREE = 2, FOLLOWED = 60 };  // of the instances; events that happen

static void require(bool claim)
{
    if (!claim)
        abort();
}

static bool is_same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void write_and_read(mco_context *ctx, const mco_overlay *o, const mco_overlay_events *e)
{
    char path[] = "/tmp/mco-events-XXXXXX";
    mco_overlay_events back = {0};
    const int file = mkstemp(path);
    require(file >= 0 && close(file) == 0);
    require(mco_overlay_write_events(ctx, o, e, path) == MCO_OK);
    require(mco_overlay_read_events(ctx, o, path, &back) == MCO_OK && back.count == e->count);
    for (int64_t k = 0; k < e->count; k++) {
        const mco_overlay_event *a = &e->list[k], *b = &back.list[k];
        require(a->round == b->round && a->kind == b->kind && a->node == b->node && a->to == b->to && a->bandwidth == b->bandwidth);
        require(a->uptime == b->uptime && is_same(a->weight, b->weight) && a->least == b->least && a->most == b->most);
        require(strcmp(e->names[a->node], back.names[b->node]) == 0);
    }
    mco_overlay_events_clear(ctx, &back);
    unlink(path);
}

static void follow(mco_context *ctx, const mco_overlay *o, const mco_overlay_events *e)
{
    mco_overlay_bound_params p = MCO_OVERLAY_BOUND_PARAMS_INIT;
    mco_overlay_live_params live = MCO_OVERLAY_LIVE_PARAMS_INIT;
    mco_overlay_bound_result r = MCO_OVERLAY_BOUND_RESULT_INIT;
    p.engine = MCO_ENGINE_REFERENCE;
    p.iterations = 5;
    live.shakes = 2;
    const mco_status st = mco_overlay_follow(ctx, o, e, &p, &live, &r, NULL);
    require(st == MCO_OK || st == MCO_ERR_LIMIT || st == MCO_ERR_ARGUMENT);  // links that stand twice are found later
    for (int64_t k = 0; k < r.round_count; k++)
        require(r.rounds[k].worth <= r.rounds[k].bound);
    mco_overlay_bound_result_clear(ctx, &r);
}

static void read_events(mco_context *ctx, mco_text *text, const mco_overlay *o)
{
    mco_overlay_events e = {0};
    const mco_status st = overlay_read_events_text(ctx, text, o, &e);
    require((st == MCO_OK) == (e.names != NULL));
    require(st == MCO_OK || mco_context_error(ctx)[0] != '\0');
    if (st == MCO_OK && e.count <= FOLLOWED) {
        write_and_read(ctx, o, &e);
        follow(ctx, o, &e);
    }
    mco_overlay_events_clear(ctx, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mco_context *ctx = NULL;
    if (mco_context_create(&ctx, NULL) != MCO_OK)
        return 0;
    for (int64_t degree = -1; degree <= DEGREE; degree += DEGREE + 1) {
        mco_text text;
        mco_overlay *o = NULL;
        mco_overlay_generation g = MCO_OVERLAY_GENERATION_INIT;
        g.nodes = NODES;
        g.degree = degree;
        require(mco_overlay_generate(ctx, &g, &o) == MCO_OK);
        if (mco_text_from_memory(ctx, "input", data, size, &text) == MCO_OK) {
            read_events(ctx, &text, o);
            mco_text_close(&text);
        }
        mco_overlay_destroy(ctx, &o);
    }
    mco_context_destroy(&ctx);
    return 0;
}
