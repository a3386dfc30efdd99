// SPDX-License-Identifier: MIT
// The checker: recomputes a plan's value from the raw instance. It shares nothing with the solvers.
//
// One pass goes through the nodes in their order. A cut comes before its parts, so when a node's turn comes, the cut
// above it has already said which rectangle the node must be and how many stages lie above it. A plan may be any number
// of cuts deep, so nothing here is recursive.
//
// Stages: on the way down from the plate, every change of direction begins a stage. With a first cut x or y, the first
// stage has that direction; if the first cut of the plate has the other direction, the first stage counts as used. A
// trim, the cut that parts a piece from waste or from nothing, is free.
#include <inttypes.h>
#include <stdio.h>

#include "base/structs.h"
#include "guillotine/instance.h"

// What the cut above a node says about it.
typedef struct above {
    int64_t part_of;          // the node of that cut; -1: none yet
    int64_t stage;            // of the nearest cut above that is no trim; 0 if there is none
    mco_guillotine_cut axis;  // of the same cut as the stage
} above;

typedef struct check {
    mco_context *ctx;
    const mco_guillotine *problem;
    const mco_guillotine_params *params;
    const mco_guillotine_node *nodes;  // [count]
    int64_t count;
    above *above;  // [count]
    int64_t value;
} check;

typedef struct rectangle {
    int64_t x, y, width, height;
} rectangle;

// Messages count nodes from 0 (the plate) and pieces from 1, as files do. A wrong plan may hold any number.
static int64_t piece_number(int64_t piece)
{
    return piece < INT64_MAX ? piece + 1 : piece;
}

typedef struct node_text {
    char text[240];
} node_text;

typedef struct pair_text {
    char text[2 * MCO_NUMBER_TEXT];
} pair_text;

// Two sizes in the file's unit: "700 x 900".
static pair_text pair(const check *c, int64_t first, const char *between, int64_t second)
{
    pair_text t;
    char a[MCO_NUMBER_TEXT], b[MCO_NUMBER_TEXT];
    snprintf(t.text, sizeof t.text, "%s%s%s", guillotine_text(first, c->problem->scale, a), between,
             guillotine_text(second, c->problem->scale, b));
    return t;
}

// "node 17 (cut at x = 365 of 700 x 900 at 0,0)"
static node_text describe(const check *c, int64_t node)
{
    const mco_guillotine_node *n = &c->nodes[node];
    node_text t;
    char what[80] = "", at[MCO_NUMBER_TEXT];
    if (n->kind == MCO_GUILLOTINE_NODE_CUT)
        snprintf(what, sizeof what, "cut at %c = %s of ", n->cut == MCO_GUILLOTINE_CUT_X ? 'x' : 'y',
                 guillotine_text(n->at, c->problem->scale, at));
    else if (n->kind == MCO_GUILLOTINE_NODE_PIECE)
        snprintf(what, sizeof what, "piece %" PRId64 "%s, ", piece_number(n->piece), n->is_rotated ? " turned" : "");
    else if (n->kind == MCO_GUILLOTINE_NODE_WASTE)
        snprintf(what, sizeof what, "waste, ");
    snprintf(t.text, sizeof t.text, "node %" PRId64 " (%s%s at %s)", node, what, pair(c, n->width, " x ", n->height).text,
             pair(c, n->x, ",", n->y).text);
    return t;
}

// Makes a node part 0 or 1 of the cut `of`. The node must come after the cut, belong to no other cut and equal `r`.
static mco_status claim(check *c, int64_t of, int part, rectangle r)
{
    const int64_t node = c->nodes[of].parts[part];
    if (node <= of || node >= c->count)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: a part is node %lld, between %lld and %lld was expected",
                        describe(c, of).text, (long long)node, (long long)of + 1, (long long)c->count - 1);
    if (c->above[node].part_of >= 0)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: a part of node %lld and again of node %lld",
                        describe(c, node).text, (long long)c->above[node].part_of, (long long)of);
    c->above[node].part_of = of;
    const mco_guillotine_node *n = &c->nodes[node];
    if (n->x != r.x || n->y != r.y || n->width != r.width || n->height != r.height)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: the cut leaves %s at %s there, see %s", describe(c, node).text,
                        pair(c, r.width, " x ", r.height).text, pair(c, r.x, ",", r.y).text, describe(c, of).text);
    return MCO_OK;
}

static bool is_trim(const check *c, const mco_guillotine_node *cut)
{
    const mco_guillotine_node_kind a = c->nodes[cut->parts[0]].kind, b = c->nodes[cut->parts[1]].kind;
    return (a == MCO_GUILLOTINE_NODE_PIECE && b == MCO_GUILLOTINE_NODE_WASTE) ||
           (a == MCO_GUILLOTINE_NODE_WASTE && b == MCO_GUILLOTINE_NODE_PIECE);
}

// The stage of a cut that is no trim.
static int64_t stage_of(const check *c, int64_t node)
{
    const above *a = &c->above[node];
    const mco_guillotine_cut axis = c->nodes[node].cut, first = c->params->first_cut;
    if (a->stage > 0)
        return a->stage + (axis != a->axis);
    return first == MCO_GUILLOTINE_CUT_ANY || first == axis ? 1 : 2;
}

static mco_status check_cut(check *c, int64_t node)
{
    mco_status st = MCO_OK;
    const mco_guillotine_node *n = &c->nodes[node];
    if (n->cut != MCO_GUILLOTINE_CUT_X && n->cut != MCO_GUILLOTINE_CUT_Y)
        MCO_TRY(mco_fail(c->ctx, MCO_ERR_CHECK, "node %lld: the cut's direction is %d, x or y was expected",
                         (long long)node, (int)n->cut));
    const bool is_x = n->cut == MCO_GUILLOTINE_CUT_X;
    const int64_t side = is_x ? n->width : n->height;
    if (n->at <= 0 || n->at >= side)
        MCO_TRY(mco_fail(c->ctx, MCO_ERR_CHECK, "%s: not inside, more than %s was expected",
                         describe(c, node).text, pair(c, 0, " and less than ", side).text));
    rectangle first = {n->x, n->y, n->width, n->height}, second = first;
    // If the blade takes all that is left, the second part is empty.
    const int64_t next = n->at + c->params->kerf, begin = next < side ? next : side;
    if (is_x) {
        first.width = n->at;
        second.x += begin;
        second.width -= begin;
    } else {
        first.height = n->at;
        second.y += begin;
        second.height -= begin;
    }
    MCO_TRY(claim(c, node, 0, first));
    MCO_TRY(claim(c, node, 1, second));
    if (is_trim(c, n))
        return MCO_OK;
    const int64_t stage = stage_of(c, node);
    if (c->params->stages > 0 && stage > c->params->stages)
        MCO_TRY(mco_fail(c->ctx, MCO_ERR_CHECK, "%s: stage %lld, at most %lld allowed", describe(c, node).text,
                         (long long)stage, (long long)c->params->stages));
    for (int part = 0; part < 2; part++) {
        c->above[n->parts[part]].stage = stage;
        c->above[n->parts[part]].axis = n->cut;
    }
done:
    return st;
}

static mco_status check_piece(check *c, int64_t node)
{
    const mco_guillotine_node *n = &c->nodes[node];
    if (n->piece < 0 || n->piece >= c->problem->pieces)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: pieces are 1 to %lld", describe(c, node).text,
                        (long long)c->problem->pieces);
    const mco_guillotine_piece *p = &c->problem->piece[n->piece];
    if (n->is_rotated && !c->params->rotate)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: rotation is not allowed", describe(c, node).text);
    if (n->is_rotated && !p->is_rotatable)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: this piece must not be turned", describe(c, node).text);
    const int32_t width = n->is_rotated ? p->height : p->width, height = n->is_rotated ? p->width : p->height;
    if (n->width != width || n->height != height)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: this piece is %s", describe(c, node).text,
                        pair(c, width, " x ", height).text);
    if (p->value > INT64_MAX - c->value)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: worth %lld and %lld before it, the sum is beyond 2^63 - 1",
                        describe(c, node).text, (long long)p->value, (long long)c->value);
    c->value += p->value;
    return MCO_OK;
}

static mco_status check_node(check *c, int64_t node)
{
    if (c->above[node].part_of < 0)
        return mco_fail(c->ctx, MCO_ERR_CHECK, "%s: a part of no cut before it", describe(c, node).text);
    switch (c->nodes[node].kind) {
    case MCO_GUILLOTINE_NODE_CUT: return check_cut(c, node);
    case MCO_GUILLOTINE_NODE_PIECE: return check_piece(c, node);
    case MCO_GUILLOTINE_NODE_WASTE: return MCO_OK;
    }
    return mco_fail(c->ctx, MCO_ERR_CHECK, "node %lld: kind %d, waste, a piece or a cut was expected",
                    (long long)node, (int)c->nodes[node].kind);
}

static mco_status check_params(mco_context *ctx, const mco_guillotine_params *p)
{
    if (p->stages < 0)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "stages is %lld, at least 0 was expected", (long long)p->stages);
    if (p->kerf < 0 || p->kerf > MCO_GUILLOTINE_MAX_SIDE)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "kerf is %lld, 0 to %lld was expected", (long long)p->kerf,
                        (long long)MCO_GUILLOTINE_MAX_SIDE);
    if (p->first_cut != MCO_GUILLOTINE_CUT_ANY && p->first_cut != MCO_GUILLOTINE_CUT_X &&
        p->first_cut != MCO_GUILLOTINE_CUT_Y)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "the first cut is %d, any, x or y was expected", (int)p->first_cut);
    return MCO_OK;
}

mco_status mco_guillotine_check(mco_context *ctx, const mco_guillotine *problem, const mco_guillotine_params *params,
                                const mco_guillotine_node *nodes, int64_t count, int64_t *value)
{
    mco_status st = MCO_OK;
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    if (ctx == NULL || problem == NULL || value == NULL || (nodes == NULL && count > 0))
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "a pointer is NULL");
    check c = {.ctx = ctx, .problem = problem, .params = &p, .nodes = nodes, .count = count};
    MCO_TRY(MCO_TAKE(ctx, params, &p));
    MCO_TRY(guillotine_settle_kerf(ctx, problem, &p));
    MCO_TRY(check_params(ctx, &p));
    if (count < 1)
        MCO_TRY(mco_fail(ctx, MCO_ERR_CHECK, "the plan has %lld nodes, at least 1 was expected", (long long)count));
    if (nodes[0].x != 0 || nodes[0].y != 0 || nodes[0].width != problem->width || nodes[0].height != problem->height)
        MCO_TRY(mco_fail(ctx, MCO_ERR_CHECK, "%s: the plate is %s at 0,0", describe(&c, 0).text,
                         pair(&c, problem->width, " x ", problem->height).text));
    MCO_TRY(mco_alloc(ctx, &c.above, count));
    for (int64_t node = 1; node < count; node++)
        c.above[node].part_of = -1;  // node 0, the plate, is part of no cut and needs none
    for (int64_t node = 0; node < count; node++)
        MCO_TRY(check_node(&c, node));
    *value = c.value;
done:
    mco_free(ctx, &c.above);
    return st;
}
