// SPDX-License-Identifier: MIT
// The checker: valid plans pass with their value; plans broken in one place are refused with the place and the values.
#include "test_support.h"

#include "base/rng.h"
#include "mco/guillotine.h"

#define X   MCO_GUILLOTINE_CUT_X
#define Y   MCO_GUILLOTINE_CUT_Y
#define ANY MCO_GUILLOTINE_CUT_ANY

// ---- A plan that has everything: a kerf, a turned piece, a trim, an empty part, three stages

static const mco_guillotine_piece PIECES[] = {
    {365, 400, 10, true}, {300, 200, 20, true}, {365, 499, 30, false}, {100, 50, 5, true}, {365, 400, 12, true},
    {364, 499, 1, true}, {365, 498, 1, true}};

static mco_guillotine_node cut(mco_guillotine_cut axis, int32_t at, int32_t x, int32_t y, int32_t width, int32_t height,
                               int64_t first, int64_t second)
{
    return (mco_guillotine_node){.kind = MCO_GUILLOTINE_NODE_CUT,
                                 .x = x,
                                 .y = y,
                                 .width = width,
                                 .height = height,
                                 .cut = axis,
                                 .at = at,
                                 .parts = {first, second}};
}

static mco_guillotine_node piece(int64_t number, bool is_rotated, int32_t x, int32_t y, int32_t width, int32_t height)
{
    return (mco_guillotine_node){.kind = MCO_GUILLOTINE_NODE_PIECE,
                                 .x = x,
                                 .y = y,
                                 .width = width,
                                 .height = height,
                                 .piece = number - 1,
                                 .is_rotated = is_rotated};
}

static mco_guillotine_node waste(int32_t x, int32_t y, int32_t width, int32_t height)
{
    return (mco_guillotine_node){.x = x, .y = y, .width = width, .height = height};
}

enum { NODES = 11 };

typedef struct example {
    mco_guillotine *problem;
    mco_guillotine_params params;
    mco_guillotine_node nodes[NODES];
    int64_t count, value;
} example;

static void create_example(example *e)
{
    const mco_guillotine_node nodes[NODES] = {
        cut(X, 365, 0, 0, 700, 900, 1, 4),  // stage 1
        cut(Y, 400, 0, 0, 365, 900, 2, 3),  // stage 2
        piece(1, false, 0, 0, 365, 400),
        piece(3, false, 0, 401, 365, 499),
        cut(Y, 300, 366, 0, 334, 900, 5, 8),  // stage 2
        cut(X, 200, 366, 0, 334, 300, 6, 7),  // a trim
        piece(2, true, 366, 0, 200, 300),
        waste(567, 0, 133, 300),
        cut(X, 333, 366, 301, 334, 599, 9, 10),  // stage 3; the blade takes the rest
        waste(366, 301, 333, 599),
        waste(700, 301, 0, 599),
    };
    *e = (example){.params = MCO_GUILLOTINE_PARAMS_INIT, .count = NODES, .value = -7};
    memcpy(e->nodes, nodes, sizeof nodes);
    e->params.kerf = 1;
    e->params.rotate = 1;
    assert_ok(mco_guillotine_create(test_ctx, 700, 900, PIECES, COUNT_OF(PIECES), &e->problem));
}

static mco_status check(example *e)
{
    return mco_guillotine_check(test_ctx, e->problem, &e->params, e->nodes, e->count, &e->value);
}

// Changes one thing of the plan or the call, and compares what the checker says.
#define ASSERT_FAILS(change, status, text)                                                                             \
    do {                                                                                                               \
        example e;                                                                                                     \
        create_example(&e);                                                                                            \
        change;                                                                                                        \
        assert_fails(check(&e), status, text);                                                                         \
        assert_int_equal(e.value, -7);                                                                                 \
        mco_guillotine_destroy(test_ctx, &e.problem);                                                                  \
    } while (0)
#define ASSERT_REFUSED(change, text) ASSERT_FAILS(change, MCO_ERR_CHECK, text)

#define ASSERT_WORTH(change, worth)                                                                                    \
    do {                                                                                                               \
        example e;                                                                                                     \
        create_example(&e);                                                                                            \
        change;                                                                                                        \
        assert_ok(check(&e));                                                                                          \
        assert_int_equal(e.value, worth);                                                                              \
        mco_guillotine_destroy(test_ctx, &e.problem);                                                                  \
    } while (0)

static void valid_plans_pass(void **state)
{
    (void)state;
    ASSERT_WORTH(, 60);
    ASSERT_WORTH(e.params.stages = 3, 60);
    ASSERT_WORTH((e.params.stages = 3, e.params.first_cut = X), 60);
    ASSERT_WORTH((e.params.stages = 4, e.params.first_cut = Y), 60);
    // Another piece of the same size, and waste in place of a piece.
    ASSERT_WORTH(e.nodes[2].piece = 4, 62);
    ASSERT_WORTH(e.nodes[2].kind = MCO_GUILLOTINE_NODE_WASTE, 50);
    // Nothing is cut at all.
    ASSERT_WORTH((e.nodes[0] = waste(0, 0, 700, 900), e.count = 1), 0);
    // The parameters that only engines read do not matter here.
    ASSERT_WORTH((e.params.engine = MCO_ENGINE_GPU, e.params.threads = -5, e.params.memory = -1), 60);
}

static void wrong_rectangles_are_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(e.nodes[0].width = 701,
                   "node 0 (cut at x = 365 of 701 x 900 at 0,0): the plate is 700 x 900 at 0,0");
    ASSERT_REFUSED(e.nodes[0].height = 0, "node 0 (cut at x = 365 of 700 x 0 at 0,0): the plate is 700 x 900 at 0,0");
    ASSERT_REFUSED(e.nodes[0].x = -1, "node 0 (cut at x = 365 of 700 x 900 at -1,0): the plate is 700 x 900 at 0,0");
    ASSERT_REFUSED(e.nodes[0].y = 1, "node 0 (cut at x = 365 of 700 x 900 at 0,1): the plate is 700 x 900 at 0,0");
    // The part would overlap node 2, or leave the plate.
    ASSERT_REFUSED(e.nodes[3].y = 399,
                   "node 3 (piece 3, 365 x 499 at 0,399): the cut leaves 365 x 499 at 0,401 there, see "
                   "node 1 (cut at y = 400 of 365 x 900 at 0,0)");
    ASSERT_REFUSED(e.nodes[7].width = 134,
                   "node 7 (waste, 134 x 300 at 567,0): the cut leaves 133 x 300 at 567,0 there, see "
                   "node 5 (cut at x = 200 of 334 x 300 at 366,0)");
    // The cut does not go from edge to edge: the part does not have the height of what was cut.
    ASSERT_REFUSED(e.nodes[1].height = 899,
                   "node 1 (cut at y = 400 of 365 x 899 at 0,0): the cut leaves 365 x 900 at 0,0 there, see "
                   "node 0 (cut at x = 365 of 700 x 900 at 0,0)");
    // Parts in the wrong order.
    ASSERT_REFUSED((e.nodes[1].parts[0] = 3, e.nodes[1].parts[1] = 2),
                   "node 3 (piece 3, 365 x 499 at 0,401): the cut leaves 365 x 400 at 0,0 there, see "
                   "node 1 (cut at y = 400 of 365 x 900 at 0,0)");
    // The empty part lies at the end of what was cut.
    ASSERT_REFUSED(e.nodes[10].width = 1,
                   "node 10 (waste, 1 x 599 at 700,301): the cut leaves 0 x 599 at 700,301 there, see "
                   "node 8 (cut at x = 333 of 334 x 599 at 366,301)");
}

static void wrong_cuts_are_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(
        e.nodes[4].at = 0,
        "node 4 (cut at y = 0 of 334 x 900 at 366,0): not inside, more than 0 and less than 900 was expected");
    ASSERT_REFUSED(
        e.nodes[4].at = 900,
        "node 4 (cut at y = 900 of 334 x 900 at 366,0): not inside, more than 0 and less than 900 was expected");
    ASSERT_REFUSED(e.nodes[4].at = INT32_MIN, "node 4 (cut at y = -2147483648 of 334 x 900 at 366,0): not inside, more "
                                              "than 0 and less than 900 was expected");
    ASSERT_REFUSED(e.nodes[0].at = 366,
                   "node 1 (cut at y = 400 of 365 x 900 at 0,0): the cut leaves 366 x 900 at 0,0 there, see "
                   "node 0 (cut at x = 366 of 700 x 900 at 0,0)");
    ASSERT_REFUSED(
        e.nodes[1].cut = X,
        "node 1 (cut at x = 400 of 365 x 900 at 0,0): not inside, more than 0 and less than 365 was expected");
    ASSERT_REFUSED(e.nodes[1].cut = ANY, "node 1: the cut's direction is 0, x or y was expected");
    ASSERT_REFUSED(e.nodes[1].kind = (mco_guillotine_node_kind)7,
                   "node 1: kind 7, waste, a piece or a cut was expected");
    // An empty rectangle cannot be cut.
    ASSERT_REFUSED(
        e.nodes[10].kind = MCO_GUILLOTINE_NODE_CUT;
        e.nodes[10].cut = X,
        "node 10 (cut at x = 0 of 0 x 599 at 700,301): not inside, more than 0 and less than 0 was expected");
}

static void wrong_kerf_is_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(e.params.kerf = 0,
                   "node 4 (cut at y = 300 of 334 x 900 at 366,0): the cut leaves 335 x 900 at 365,0 there, see "
                   "node 0 (cut at x = 365 of 700 x 900 at 0,0)");
    ASSERT_REFUSED(e.params.kerf = 2,
                   "node 4 (cut at y = 300 of 334 x 900 at 366,0): the cut leaves 333 x 900 at 367,0 there, see "
                   "node 0 (cut at x = 365 of 700 x 900 at 0,0)");
    ASSERT_REFUSED(e.params.kerf = 1000000000,
                   "node 4 (cut at y = 300 of 334 x 900 at 366,0): the cut leaves 0 x 900 at 700,0 there, see "
                   "node 0 (cut at x = 365 of 700 x 900 at 0,0)");
    // A plan that forgets the blade in one place.
    ASSERT_REFUSED((e.nodes[7].x = 566, e.nodes[7].width = 134),
                   "node 7 (waste, 134 x 300 at 566,0): the cut leaves 133 x 300 at 567,0 there, see "
                   "node 5 (cut at x = 200 of 334 x 300 at 366,0)");
}

static void wrong_pieces_are_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(e.nodes[3].piece = 3, "node 3 (piece 4, 365 x 499 at 0,401): this piece is 100 x 50");
    ASSERT_REFUSED(e.nodes[3].piece = 5, "node 3 (piece 6, 365 x 499 at 0,401): this piece is 364 x 499");
    ASSERT_REFUSED(e.nodes[3].piece = 6, "node 3 (piece 7, 365 x 499 at 0,401): this piece is 365 x 498");
    ASSERT_REFUSED(e.nodes[6].is_rotated = false, "node 6 (piece 2, 200 x 300 at 366,0): this piece is 300 x 200");
    ASSERT_REFUSED(e.nodes[2].is_rotated = true, "node 2 (piece 1 turned, 365 x 400 at 0,0): this piece is 400 x 365");
    ASSERT_REFUSED(e.nodes[3].is_rotated = true,
                   "node 3 (piece 3 turned, 365 x 499 at 0,401): this piece must not be turned");
    ASSERT_REFUSED(e.params.rotate = 0, "node 6 (piece 2 turned, 200 x 300 at 366,0): rotation is not allowed");
    ASSERT_REFUSED(e.nodes[2].piece = -1, "node 2 (piece 0, 365 x 400 at 0,0): pieces are 1 to 7");
    ASSERT_REFUSED(e.nodes[2].piece = 7, "node 2 (piece 8, 365 x 400 at 0,0): pieces are 1 to 7");
    ASSERT_REFUSED(e.nodes[2].piece = INT64_MAX,
                   "node 2 (piece 9223372036854775807, 365 x 400 at 0,0): pieces are 1 to 7");
    ASSERT_REFUSED((e.nodes[10].kind = MCO_GUILLOTINE_NODE_PIECE, e.nodes[10].piece = 0),
                   "node 10 (piece 1, 0 x 599 at 700,301): this piece is 365 x 400");
}

static void what_is_no_tree_is_refused(void **state)
{
    (void)state;
    // Two parents, the same part twice, a cycle, a node as its own part, an earlier node.
    ASSERT_REFUSED(e.nodes[1].parts[0] = 4,
                   "node 4 (cut at y = 300 of 334 x 900 at 366,0): a part of node 0 and again of node 1");
    ASSERT_REFUSED(e.nodes[1].parts[1] = 2, "node 2 (piece 1, 365 x 400 at 0,0): a part of node 1 and again of node 1");
    ASSERT_REFUSED(e.nodes[4].parts[0] = 0,
                   "node 4 (cut at y = 300 of 334 x 900 at 366,0): a part is node 0, between 5 "
                   "and 10 was expected");
    ASSERT_REFUSED(e.nodes[4].parts[1] = 4,
                   "node 4 (cut at y = 300 of 334 x 900 at 366,0): a part is node 4, between 5 "
                   "and 10 was expected");
    ASSERT_REFUSED(e.nodes[4].parts[1] = -1,
                   "node 4 (cut at y = 300 of 334 x 900 at 366,0): a part is node -1, between "
                   "5 and 10 was expected");
    // A part that is missing, none at all, and nodes left over.
    ASSERT_REFUSED(e.count = 10, "node 8 (cut at x = 333 of 334 x 599 at 366,301): a part is node 10, between 9 and 9 "
                                 "was expected");
    ASSERT_REFUSED(e.nodes[8].parts[1] = INT64_MAX, "node 8 (cut at x = 333 of 334 x 599 at 366,301): a part is node "
                                                    "9223372036854775807, between 9 and 10 was expected");
    ASSERT_REFUSED(e.nodes[8].kind = MCO_GUILLOTINE_NODE_WASTE,
                   "node 9 (waste, 333 x 599 at 366,301): a part of no cut before it");
    ASSERT_REFUSED(e.count = 0, "the plan has 0 nodes, at least 1 was expected");
    ASSERT_REFUSED(e.count = -3, "the plan has -3 nodes, at least 1 was expected");
}

// ---- Stages

static void stages_are_counted_from_the_plate(void **state)
{
    (void)state;
    ASSERT_REFUSED(e.params.stages = 2, "node 8 (cut at x = 333 of 334 x 599 at 366,301): stage 3, at most 2 allowed");
    ASSERT_REFUSED((e.params.stages = 2, e.params.first_cut = X),
                   "node 8 (cut at x = 333 of 334 x 599 at 366,301): stage 3, at most 2 allowed");
    ASSERT_REFUSED(e.params.stages = 1, "node 1 (cut at y = 400 of 365 x 900 at 0,0): stage 2, at most 1 allowed");
    // The first stage is used up if the plate's first cut has the other direction.
    ASSERT_REFUSED((e.params.stages = 3, e.params.first_cut = Y),
                   "node 8 (cut at x = 333 of 334 x 599 at 366,301): stage 4, at most 3 allowed");
    ASSERT_REFUSED((e.params.stages = 1, e.params.first_cut = Y),
                   "node 0 (cut at x = 365 of 700 x 900 at 0,0): stage 2, at most 1 allowed");
}

static void only_the_last_trim_is_free(void **state)
{
    // Columns of a 2 x 2 and waste above, in a plate of 4 x 5.
    mco_guillotine_node nodes[] = {
        cut(X, 2, 0, 0, 4, 5, 1, 4), cut(Y, 2, 0, 0, 2, 5, 2, 3), piece(1, false, 0, 0, 2, 2), waste(0, 2, 2, 3),
        cut(Y, 3, 2, 0, 2, 5, 5, 6), waste(2, 0, 2, 3),           piece(1, false, 2, 3, 2, 2)};
    const mco_guillotine_piece pieces[] = {{2, 2, 4, true}, {2, 3, 5, true}};
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine *problem = NULL;
    int64_t value = -1;
    (void)state;
    params.stages = 1;
    assert_ok(mco_guillotine_create(test_ctx, 4, 5, pieces, 2, &problem));
    for (int first = 0; first < 2; first++) {
        params.first_cut = first == 0 ? ANY : X;
        assert_ok(mco_guillotine_check(test_ctx, problem, &params, nodes, COUNT_OF(nodes), &value));
        assert_int_equal(value, 8);
    }
    params.first_cut = Y;
    assert_fails(mco_guillotine_check(test_ctx, problem, &params, nodes, COUNT_OF(nodes), &value), MCO_ERR_CHECK,
                 "node 0 (cut at x = 2 of 4 x 5 at 0,0): stage 2, at most 1 allowed");
    // A cut between two pieces is no trim.
    params.first_cut = ANY;
    nodes[3] = piece(2, false, 0, 2, 2, 3);
    assert_fails(mco_guillotine_check(test_ctx, problem, &params, nodes, COUNT_OF(nodes), &value), MCO_ERR_CHECK,
                 "node 1 (cut at y = 2 of 2 x 5 at 0,0): stage 2, at most 1 allowed");
    mco_guillotine_destroy(test_ctx, &problem);

    // A piece in the corner: the second of its two cuts is free, the first counts as a stage.
    mco_guillotine_node corner[] = {cut(X, 2, 0, 0, 5, 5, 1, 4), cut(Y, 2, 0, 0, 2, 5, 2, 3),
                                    piece(1, false, 0, 0, 2, 2), waste(0, 2, 2, 3), waste(2, 0, 3, 5)};
    assert_ok(mco_guillotine_create(test_ctx, 5, 5, pieces, 2, &problem));
    params.first_cut = X;
    assert_ok(mco_guillotine_check(test_ctx, problem, &params, corner, COUNT_OF(corner), &value));
    assert_int_equal(value, 4);
    params.first_cut = Y;
    assert_fails(mco_guillotine_check(test_ctx, problem, &params, corner, COUNT_OF(corner), &value), MCO_ERR_CHECK,
                 "node 0 (cut at x = 2 of 5 x 5 at 0,0): stage 2, at most 1 allowed");
    mco_guillotine_destroy(test_ctx, &problem);

    // A trim alone takes no stage, whatever the first cut is said to be. The empty part counts as waste too.
    mco_guillotine_node trim[] = {cut(Y, 2, 0, 0, 2, 3, 1, 2), piece(1, false, 0, 0, 2, 2), waste(0, 3, 2, 0)};
    assert_ok(mco_guillotine_create(test_ctx, 2, 3, pieces, 2, &problem));
    params.first_cut = X;
    params.kerf = 4;
    assert_ok(mco_guillotine_check(test_ctx, problem, &params, trim, COUNT_OF(trim), &value));
    assert_int_equal(value, 4);
    mco_guillotine_destroy(test_ctx, &problem);
}

// ---- Random plans

enum { MOST_NODES = 400, MOST_PIECES = MOST_NODES };

typedef struct random_plan {
    mco_rng *rng;
    int32_t kerf;
    mco_guillotine_node nodes[MOST_NODES];
    mco_guillotine_piece pieces[MOST_PIECES];
    int64_t count, piece_count, value;
} random_plan;

static bool is_chance(mco_rng *rng, uint32_t of)
{
    return mco_rng_below(rng, of) == 0;
}

// Makes nodes depth first, as in plans. Every leaf is waste or a piece of its own, sometimes turned.
static int64_t grow(random_plan *p, int32_t x, int32_t y, int32_t width, int32_t height, int depth)
{
    const int64_t node = p->count++;
    mco_guillotine_node *n = &p->nodes[node];
    *n = waste(x, y, width, height);
    const bool can_cut = (width > 1 || height > 1) && width > 0 && height > 0 && depth < 7;
    if (can_cut && !is_chance(p->rng, 8)) {
        const bool is_x = height == 1 || (width > 1 && is_chance(p->rng, 2));
        const int32_t side = is_x ? width : height, at = 1 + (int32_t)mco_rng_below(p->rng, (uint32_t)side - 1);
        const int32_t begin = at + p->kerf < side ? at + p->kerf : side;
        n->kind = MCO_GUILLOTINE_NODE_CUT;
        n->cut = is_x ? X : Y;
        n->at = at;
        n->parts[0] = grow(p, x, y, is_x ? at : width, is_x ? height : at, depth + 1);
        n->parts[1] = is_x ? grow(p, x + begin, y, side - begin, height, depth + 1)
                           : grow(p, x, y + begin, width, side - begin, depth + 1);
    } else if (width > 0 && height > 0 && !is_chance(p->rng, 3)) {
        const int64_t value = mco_rng_below(p->rng, 100);
        const bool is_turned = is_chance(p->rng, 3);
        p->pieces[p->piece_count] =
            (mco_guillotine_piece){is_turned ? height : width, is_turned ? width : height, value, true};
        *n = piece(++p->piece_count, is_turned, x, y, width, height);
        p->value += value;
    }
    return node;
}

// By the definition: the stages that are used up from a node down, if the last cut was `axis` in stage `stage`.
static int64_t stages_below(const random_plan *p, int64_t node, int64_t stage, mco_guillotine_cut axis)
{
    const mco_guillotine_node *n = &p->nodes[node];
    if (n->kind != MCO_GUILLOTINE_NODE_CUT)
        return stage;
    const mco_guillotine_node *a = &p->nodes[n->parts[0]], *b = &p->nodes[n->parts[1]];
    if (a->kind + b->kind == MCO_GUILLOTINE_NODE_PIECE && a->kind != b->kind)
        return stage;
    stage += axis != n->cut;
    int64_t first = stages_below(p, n->parts[0], stage, n->cut), second = stages_below(p, n->parts[1], stage, n->cut);
    return first > second ? first : second;
}

static mco_status check_random(const random_plan *p, const mco_guillotine *problem, const mco_guillotine_params *params)
{
    int64_t value = -1;
    mco_status st = mco_guillotine_check(test_ctx, problem, params, p->nodes, p->count, &value);
    if (st == MCO_OK)
        assert_int_equal(value, p->value);
    return st;
}

static void assert_stages(const random_plan *p, const mco_guillotine *problem, mco_guillotine_params params)
{
    static const mco_guillotine_cut firsts[] = {ANY, X, Y};
    for (int k = 0; k < 3; k++) {
        // Without a given direction, the first cut begins the first stage.
        int64_t need = stages_below(p, 0, firsts[k] == ANY ? 0 : 1, firsts[k]);
        // If x or y is given, stage 1 exists even if it has no cut.
        params.first_cut = firsts[k];
        params.stages = need > 0 ? need : 1;
        assert_ok(check_random(p, problem, &params));
        params.stages = need - 1;
        if (need > 1)
            assert_int_equal(check_random(p, problem, &params), MCO_ERR_CHECK);
    }
}

// Every number of every node counts: any number that is one larger or smaller is refused.
static void assert_exact(random_plan *p, const mco_guillotine *problem, const mco_guillotine_params *params)
{
    for (int64_t node = 0; node < p->count; node++) {
        mco_guillotine_node *n = &p->nodes[node];
        const bool is_cut = n->kind == MCO_GUILLOTINE_NODE_CUT;
        int32_t *const numbers[] = {&n->x, &n->y, &n->width, &n->height, &n->at};
        for (int f = 0; f < (is_cut ? 5 : 4); f++)
            for (int32_t step = -1; step <= 1; step += 2) {
                *numbers[f] += step;
                assert_int_equal(check_random(p, problem, params), MCO_ERR_CHECK);
                *numbers[f] -= step;
            }
        for (int part = 0; part < 2 && is_cut; part++)
            for (int64_t step = -1; step <= 1; step += 2) {
                n->parts[part] += step;
                assert_int_equal(check_random(p, problem, params), MCO_ERR_CHECK);
                n->parts[part] -= step;
            }
        if (is_cut) {
            n->cut = n->cut == X ? Y : X;
            assert_int_equal(check_random(p, problem, params), MCO_ERR_CHECK);
            n->cut = n->cut == X ? Y : X;
        }
    }
    assert_ok(check_random(p, problem, params));
}

static void random_plans_pass_and_no_number_may_change(void **state)
{
    static random_plan p;
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 5, 0);
    for (int k = 0; k < 400; k++) {
        mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
        mco_guillotine *problem = NULL;
        const int32_t width = 1 + (int32_t)mco_rng_below(&rng, 40), height = 1 + (int32_t)mco_rng_below(&rng, 40);
        p.rng = &rng;
        p.kerf = k % 2 * (int32_t)mco_rng_below(&rng, 5);
        p.count = p.piece_count = p.value = 0;
        grow(&p, 0, 0, width, height, 0);
        params.rotate = 1;
        params.kerf = p.kerf;
        assert_ok(mco_guillotine_create(test_ctx, width, height, p.pieces, p.piece_count, &problem));
        assert_stages(&p, problem, params);
        assert_exact(&p, problem, &params);
        mco_guillotine_destroy(test_ctx, &problem);
    }
}

// ---- Size

// A strip of `length` squares, each cut off the left of the rest. To be freed.
static mco_guillotine_node *strip(int32_t length, int64_t *count)
{
    *count = 2 * (int64_t)length - 1;
    mco_guillotine_node *nodes = malloc((size_t)*count * sizeof *nodes);
    assert_non_null(nodes);
    for (int32_t x = 0; x + 1 < length; x++) {
        nodes[2 * x] = cut(X, 1, x, 0, length - x, 1, 2 * x + 1, 2 * x + 2);
        nodes[2 * x + 1] = piece(1, false, x, 0, 1, 1);
    }
    nodes[*count - 1] = piece(1, false, length - 1, 0, 1, 1);
    return nodes;
}

static void deep_plans_pass(void **state)
{
    enum { LENGTH = 300000 };
    const mco_guillotine_piece square = {1, 1, 3, false};
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine *problem = NULL;
    int64_t count, value = -1;
    (void)state;
    mco_guillotine_node *nodes = strip(LENGTH, &count);
    assert_ok(mco_guillotine_create(test_ctx, LENGTH, 1, &square, 1, &problem));
    params.stages = 1;
    assert_ok(mco_guillotine_check(test_ctx, problem, &params, nodes, count, &value));
    assert_int_equal(value, 3 * LENGTH);
    mco_guillotine_destroy(test_ctx, &problem);
    free(nodes);
}

static void sums_beyond_64_bits_are_refused(void **state)
{
    enum { LENGTH = 1024 };  // 2^10 pieces of 2^53 are one too many
    const mco_guillotine_piece square = {1, 1, MCO_GUILLOTINE_MAX_VALUE, false};
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine *problem = NULL;
    int64_t count, value = -1;
    (void)state;
    mco_guillotine_node *nodes = strip(LENGTH, &count);
    assert_ok(mco_guillotine_create(test_ctx, LENGTH, 1, &square, 1, &problem));
    assert_fails(
        mco_guillotine_check(test_ctx, problem, &params, nodes, count, &value), MCO_ERR_CHECK,
        "node 2046 (piece 1, 1 x 1 at 1023,0): worth 9007199254740992 and 9214364837600034816 before it, the sum "
        "is beyond 2^63 - 1");
    assert_int_equal(value, -1);
    nodes[count - 1].kind = MCO_GUILLOTINE_NODE_WASTE;
    assert_ok(mco_guillotine_check(test_ctx, problem, &params, nodes, count, &value));
    assert_int_equal(value, 1023 * MCO_GUILLOTINE_MAX_VALUE);
    mco_guillotine_destroy(test_ctx, &problem);
    free(nodes);
}

static void the_largest_plate_is_no_overflow(void **state)
{
    const int32_t side = (int32_t)MCO_GUILLOTINE_MAX_SIDE;
    const mco_guillotine_piece square = {side - 1, side, MCO_GUILLOTINE_MAX_VALUE, false};
    mco_guillotine_node nodes[] = {cut(X, side - 1, 0, 0, side, side, 1, 2), piece(1, false, 0, 0, side - 1, side),
                                   waste(side, 0, 0, side)};
    mco_guillotine_params params = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine *problem = NULL;
    int64_t value = -1;
    (void)state;
    params.kerf = 1000000000;
    assert_ok(mco_guillotine_create(test_ctx, side, side, &square, 1, &problem));
    assert_ok(mco_guillotine_check(test_ctx, problem, &params, nodes, COUNT_OF(nodes), &value));
    assert_int_equal(value, MCO_GUILLOTINE_MAX_VALUE);
    mco_guillotine_destroy(test_ctx, &problem);
}

// ---- The call itself

static void wrong_calls_are_refused(void **state)
{
    example e;
    (void)state;
    create_example(&e);
    static const char is_null[] = "a pointer is NULL";
    assert_int_equal(mco_guillotine_check(NULL, e.problem, &e.params, e.nodes, e.count, &e.value), MCO_ERR_ARGUMENT);
    assert_fails(mco_guillotine_check(test_ctx, NULL, &e.params, e.nodes, e.count, &e.value), MCO_ERR_ARGUMENT,
                 is_null);
    assert_fails(mco_guillotine_check(test_ctx, e.problem, NULL, e.nodes, e.count, &e.value), MCO_ERR_ARGUMENT,
                 "params is NULL");
    assert_fails(mco_guillotine_check(test_ctx, e.problem, &e.params, NULL, e.count, &e.value), MCO_ERR_ARGUMENT,
                 is_null);
    assert_fails(mco_guillotine_check(test_ctx, e.problem, &e.params, e.nodes, e.count, NULL), MCO_ERR_ARGUMENT,
                 is_null);
    assert_fails(mco_guillotine_check(test_ctx, e.problem, &e.params, NULL, 0, &e.value), MCO_ERR_CHECK,
                 "the plan has 0 nodes, at least 1 was expected");
    mco_guillotine_destroy(test_ctx, &e.problem);
}

static void describe_size(char *text, size_t room, size_t size)
{
    snprintf(text, room,
             "struct_size of params is %zu, %zu to %zu was expected: fill it by its _INIT macro, from the headers of this "
             "library or older ones",
             size, offsetof(mco_guillotine_params, wants_table) + sizeof(int), sizeof(mco_guillotine_params));
}

static void wrong_params_are_refused(void **state)
{
    (void)state;
    char none[200], later[200];
    describe_size(none, sizeof none, 0);
    describe_size(later, sizeof later, sizeof(mco_guillotine_params) + 1);
    ASSERT_FAILS(e.params.struct_size = 0, MCO_ERR_ARGUMENT, none);
    ASSERT_FAILS(e.params.struct_size++, MCO_ERR_ARGUMENT, later);
    ASSERT_FAILS(e.params.stages = -1, MCO_ERR_ARGUMENT, "stages is -1, at least 0 was expected");
    ASSERT_FAILS(e.params.kerf = -1, MCO_ERR_ARGUMENT, "kerf is -1, 0 to 1073741824 was expected");
    ASSERT_FAILS(e.params.kerf = INT64_MAX, MCO_ERR_ARGUMENT,
                 "kerf is 9223372036854775807, 0 to 1073741824 was expected");
    ASSERT_FAILS(e.params.first_cut = (mco_guillotine_cut)9, MCO_ERR_ARGUMENT,
                 "the first cut is 9, any, x or y was expected");
    describe_size(none, sizeof none, offsetof(mco_guillotine_params, engine));
    ASSERT_FAILS(e.params.struct_size = offsetof(mco_guillotine_params, engine), MCO_ERR_ARGUMENT, none);
}

static void failing_memory_is_told(void **state)
{
    example e;
    (void)state;
    create_example(&e);
    test_fail_allocation(1);
    assert_int_equal(check(&e), MCO_ERR_MEMORY);
    assert_int_equal(e.value, -7);
    test_fail_allocation(0);
    assert_ok(check(&e));
    mco_guillotine_destroy(test_ctx, &e.problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(valid_plans_pass),
        TEST(wrong_rectangles_are_refused),
        TEST(wrong_cuts_are_refused),
        TEST(wrong_kerf_is_refused),
        TEST(wrong_pieces_are_refused),
        TEST(what_is_no_tree_is_refused),
        TEST(stages_are_counted_from_the_plate),
        TEST(only_the_last_trim_is_free),
        TEST(random_plans_pass_and_no_number_may_change),
        TEST(deep_plans_pass),
        TEST(sums_beyond_64_bits_are_refused),
        TEST(the_largest_plate_is_no_overflow),
        TEST(wrong_calls_are_refused),
        TEST(wrong_params_are_refused),
        TEST(failing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
