// SPDX-License-Identifier: MIT
#include "flowshop/beam/campaign.h"

#include <string.h>

#include "flowshop/instance.h"
#include "flowshop/state_file.h"

mco_status flowshop_campaign_create(mco_context *ctx, int32_t jobs, flowshop_campaign *out)
{
    *out = (flowshop_campaign){.makespan = -1, .width = 1, .share = FLOWSHOP_BEAM_WHOLE};
    return mco_alloc(ctx, &out->order, jobs);
}

void flowshop_campaign_destroy(mco_context *ctx, flowshop_campaign *c)
{
    mco_free(ctx, &c->order);
}

static void write_members(mco_json *json, const mco_flowshop *shop, const void *state)
{
    const flowshop_campaign *c = state;
    mco_json_integers(json, "order", c->order, c->makespan >= 0 ? shop->jobs : 0, 1);
    mco_json_integer(json, "bound", c->bound);
    mco_json_integer(json, "beams", c->beams);
    mco_json_integer(json, "reached", c->reached);
    mco_json_integer(json, "width", c->width);
    mco_json_integer(json, "share", c->share);
    mco_json_integer(json, "has_targets", c->has_targets);
}

static mco_status read_member(mco_context *ctx, mco_text *text, const mco_flowshop *shop, const char *key, void *state)
{
    flowshop_campaign *c = state;
    if (strcmp(key, "order") == 0)
        return flowshop_state_order(ctx, text, shop, c->order, &c->makespan);
    if (strcmp(key, "bound") == 0)
        return mco_json_read_integer(text, key, 0, INT32_MAX, &c->bound);
    if (strcmp(key, "beams") == 0)
        return mco_json_read_integer(text, key, 0, FLOWSHOP_STATE_LARGEST, &c->beams);
    if (strcmp(key, "reached") == 0)
        return mco_json_read_integer(text, key, 0, FLOWSHOP_BEAM_LARGEST_WIDTH, &c->reached);
    if (strcmp(key, "width") == 0)
        return mco_json_read_integer(text, key, 1, 2 * FLOWSHOP_BEAM_LARGEST_WIDTH, &c->width);
    if (strcmp(key, "share") == 0)
        return mco_json_read_integer(text, key, 0, FLOWSHOP_BEAM_WHOLE, &c->share);
    if (strcmp(key, "has_targets") == 0)
        return flowshop_state_flag(text, key, &c->has_targets);
    return MCO_ERR_INTERNAL;
}

static bool is_sound(const mco_flowshop *shop, const void *state)
{
    const flowshop_campaign *c = state;
    return c->makespan < 0 ? shop->jobs == 0 : c->bound <= c->makespan;
}

static const char *const members[] = {"order", "bound", "beams", "reached", "width", "share", "has_targets"};
static const flowshop_state_format format = {.kind = "mco_flowshop_beams", .name = "a checkpoint of --method beam", .version = 1,
                                             .members = members, .count = sizeof members / sizeof members[0],
                                             .write = write_members, .read = read_member, .is_sound = is_sound};

mco_status flowshop_campaign_write(mco_context *ctx, const mco_flowshop *shop, const flowshop_campaign *c, const char *path)
{
    return flowshop_state_write(ctx, shop, &format, c, path);
}

mco_status flowshop_campaign_read(mco_context *ctx, const mco_flowshop *shop, const char *path, flowshop_campaign *c)
{
    return flowshop_state_read(ctx, shop, path, &format, c);
}

mco_status flowshop_campaign_read_text(mco_context *ctx, const mco_flowshop *shop, mco_text *text, flowshop_campaign *c)
{
    return flowshop_state_read_text(ctx, shop, text, &format, c);
}
