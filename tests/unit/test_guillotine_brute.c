// SPDX-License-Identifier: MIT
// Every engine against a brute force over all integer rectangles and all integer cuts. It is written from the
// definitions and shares nothing with the library: no normal patterns, the kerf as a blade, turned pieces tried at
// every leaf.
#include "test_support.h"

#include "base/rng.h"
#include "guillotine/engine.h"

enum { MOST_PIECES = 4, LONGEST = 10, MOST_STAGES = 4 };
enum { X, Y };  // directions of cuts

// ---- The brute force

typedef struct task {
    int width, height, count;
    struct {
        int width, height, value;
        bool is_rotatable;
    } piece[MOST_PIECES];
    int kerf, stages;  // stages 0: any number
    bool rotate;
    mco_guillotine_cut first;
} task;

typedef struct brute {
    task t;
    int known[LONGEST + 1][LONGEST + 1][MOST_STAGES + 1][2];  // 0: not known yet, else the value + 1
} brute;

// The best piece that equals the rectangle, or that one cut trims out of it.
static int best_leaf(const task *t, int width, int height)
{
    int best = 0;
    for (int k = 0; k < t->count; k++)
        for (int turned = 0; turned <= (t->rotate && t->piece[k].is_rotatable); turned++) {
            int w = turned ? t->piece[k].height : t->piece[k].width,
                h = turned ? t->piece[k].width : t->piece[k].height;
            bool is_trimmed = (w == width && h <= height) || (h == height && w <= width);
            if (is_trimmed && t->piece[k].value > best)
                best = t->piece[k].value;
        }
    return best;
}

// The greatest value of a rectangle that cuts of stage `stage` in direction `axis` have made. More cuts in this
// direction belong to the same stage, others to the next. If stages do not count, `stage` is 0 and `axis` has no
// meaning.
static int best_value(brute *b, int width, int height, int stage, int axis)
{
    if (width == 0 || height == 0)
        return 0;
    int *known = &b->known[width][height][stage][axis];
    if (*known > 0)
        return *known - 1;
    int best = best_leaf(&b->t, width, height);
    for (int cut = X; cut <= Y; cut++) {
        const int side = cut == X ? width : height, now = stage == 0 || cut == axis ? stage : stage + 1;
        if (stage > 0 && now > b->t.stages)
            continue;
        for (int at = 1; at < side; at++) {
            const int rest = at + b->t.kerf < side ? side - at - b->t.kerf : 0, memo = stage == 0 ? X : cut;
            const int value = cut == X ? best_value(b, at, height, now, memo) + best_value(b, rest, height, now, memo)
                                       : best_value(b, width, at, now, memo) + best_value(b, width, rest, now, memo);
            if (value > best)
                best = value;
        }
    }
    *known = best + 1;
    return best;
}

static int solve_brute(brute *b, int width, int height)
{
    if (b->t.stages == 0)
        return best_value(b, width, height, 0, X);
    int x = best_value(b, width, height, 1, X), y = best_value(b, width, height, 1, Y);
    return b->t.first == MCO_GUILLOTINE_CUT_X ? x : b->t.first == MCO_GUILLOTINE_CUT_Y ? y : x > y ? x : y;
}

static int brute_value(task t)
{
    brute b = {.t = t};
    return solve_brute(&b, t.width, t.height);
}

// ---- Examples by hand

static void brute_force_finds_examples(void **state)
{
    (void)state;
    task t = {.width = 10, .height = 10, .count = 1, .piece = {{5, 5, 25, true}}};
    assert_int_equal(brute_value(t), 100);
    t.kerf = 1;  // 5 + 1 + 5 > 10; the blade takes a part of the rest
    assert_int_equal(brute_value(t), 25);
    t.piece[0].width = t.piece[0].height = 4;  // 4 + 1 + 4 < 10
    assert_int_equal(brute_value(t), 100);
    t.kerf = 2;  // 4 + 2 + 4 = 10: no kerf at the edges
    assert_int_equal(brute_value(t), 100);
    t.kerf = 3;
    assert_int_equal(brute_value(t), 25);

    // The rest is 2 wide; the blade takes all of it, though it is 3 wide.
    t = (task){.width = 5, .height = 7, .count = 1, .piece = {{5, 5, 9, true}}, .kerf = 3};
    assert_int_equal(brute_value(t), 9);
    t.stages = 1;
    for (int first = 0; first <= 2; first++) {
        t.first = (mco_guillotine_cut)first;
        assert_int_equal(brute_value(t), 9);
    }

    // Two bars fit one way only, and only if they are turned.
    t = (task){.width = 4, .height = 9, .count = 1, .piece = {{9, 2, 1, true}}};
    assert_int_equal(brute_value(t), 0);
    t.rotate = true;
    assert_int_equal(brute_value(t), 2);
    t.piece[0].is_rotatable = false;
    assert_int_equal(brute_value(t), 0);

    // Guillotine cuts cannot make a pinwheel of four 3 x 2.
    t = (task){.width = 5, .height = 5, .count = 1, .piece = {{3, 2, 6, true}}, .rotate = true};
    assert_int_equal(brute_value(t), 18);
}

static void brute_force_counts_stages(void **state)
{
    (void)state;
    // y at 1, then x at 2: a strip of 4 x 1 and two of 2 x 3.
    task t = {.width = 4, .height = 4, .count = 2, .piece = {{4, 1, 3, true}, {2, 3, 6, true}}};
    static const struct {
        int stages;
        mco_guillotine_cut first;
        int value;
    } cases[] = {{0, MCO_GUILLOTINE_CUT_ANY, 15}, {1, MCO_GUILLOTINE_CUT_X, 12},   {1, MCO_GUILLOTINE_CUT_Y, 12},
                 {2, MCO_GUILLOTINE_CUT_X, 12},   {2, MCO_GUILLOTINE_CUT_Y, 15},   {2, MCO_GUILLOTINE_CUT_ANY, 15},
                 {3, MCO_GUILLOTINE_CUT_X, 15},   {1, MCO_GUILLOTINE_CUT_ANY, 12}, {4, MCO_GUILLOTINE_CUT_Y, 15}};
    for (int k = 0; k < COUNT_OF(cases); k++) {
        t.stages = cases[k].stages;
        t.first = cases[k].first;
        assert_int_equal(brute_value(t), cases[k].value);
    }
    // A trim is free once for each piece: columns of one piece each, then columns of two.
    t = (task){
        .width = 4, .height = 4, .count = 1, .piece = {{2, 2, 4, true}}, .stages = 1, .first = MCO_GUILLOTINE_CUT_X};
    assert_int_equal(brute_value(t), 8);
    t.stages = 2;
    assert_int_equal(brute_value(t), 16);
    // A piece in one corner takes a cut of the stage and a trim.
    t = (task){.width = 9, .height = 9, .count = 1, .piece = {{5, 6, 7, true}}, .stages = 1};
    assert_int_equal(brute_value(t), 7);
}

// ---- The engines

typedef struct engine {
    const char *name;
    mco_engine engine;
    mco_simd simd;
} engine;

static const engine engines[] = {
    {"reference", MCO_ENGINE_REFERENCE, MCO_SIMD_AUTO},
    {"cpu", MCO_ENGINE_CPU, MCO_SIMD_AUTO},
    {"cpu, portable", MCO_ENGINE_CPU, MCO_SIMD_PORTABLE},
};

static mco_guillotine *instance_of(const task *t)
{
    mco_guillotine_piece pieces[MOST_PIECES];
    mco_guillotine *problem = NULL;
    for (int k = 0; k < t->count; k++)
        pieces[k] =
            (mco_guillotine_piece){t->piece[k].width, t->piece[k].height, t->piece[k].value, t->piece[k].is_rotatable};
    assert_ok(mco_guillotine_create(test_ctx, t->width, t->height, pieces, t->count, &problem));
    return problem;
}

static mco_guillotine_params params_of(const task *t)
{
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    p.rotate = t->rotate;
    p.stages = t->stages;
    p.first_cut = t->first;
    p.kerf = t->kerf;
    return p;
}

static void print_task(const task *t, const char *engine_name)
{
    static const char *const firsts[] = {"any", "x", "y"};
    print_error("%s: plate %d x %d, kerf %d, stages %d, first cut %s%s; pieces", engine_name, t->width, t->height,
                t->kerf, t->stages, firsts[t->first], t->rotate ? ", rotated" : "");
    for (int k = 0; k < t->count; k++)
        print_error(" %d x %d = %d%s", t->piece[k].width, t->piece[k].height, t->piece[k].value,
                    t->piece[k].is_rotatable ? "" : " (fixed)");
    print_error("\n");
}

// The checker does not look at this: squares of the plate under two pieces.
static bool pieces_overlap(const task *t, const mco_guillotine_result *r)
{
    bool is_covered[LONGEST][LONGEST] = {{false}};
    for (int64_t k = 0; k < r->node_count; k++) {
        const mco_guillotine_node *n = &r->nodes[k];
        if (n->kind != MCO_GUILLOTINE_NODE_PIECE)
            continue;
        for (int x = n->x; x < n->x + n->width; x++)
            for (int y = n->y; y < n->y + n->height; y++) {
                if (x < 0 || y < 0 || x >= t->width || y >= t->height || is_covered[x][y])
                    return true;
                is_covered[x][y] = true;
            }
    }
    return false;
}

static int64_t table_value(const mco_guillotine_table *table, int width, int height)
{
    int64_t i = 0, j = 0;
    while (i + 1 < table->columns && table->x[i + 1] <= width)
        i++;
    while (j + 1 < table->rows && table->y[j + 1] <= height)
        j++;
    return table->values != NULL ? table->values[i * table->rows + j] : table->values_32[i * table->rows + j];
}

static int compare_table(brute *b, const mco_guillotine_table *table)
{
    int wrong = 0;
    for (int width = 1; width <= b->t.width; width++)
        for (int height = 1; height <= b->t.height; height++) {
            int64_t seen = table_value(table, width, height), expected = solve_brute(b, width, height);
            if (seen != expected && wrong++ == 0)
                print_error("the table says %lld of %d x %d, the brute force %lld\n", (long long)seen, width, height,
                            (long long)expected);
        }
    return wrong;
}

static void compare(brute *b, const mco_guillotine *problem, const engine *e, int threads, bool wants_table)
{
    mco_guillotine_params p = params_of(&b->t);
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    const int expected = solve_brute(b, b->t.width, b->t.height);
    int64_t checked = -1;
    p.engine = e->engine;
    p.simd = e->simd;
    p.threads = e->engine == MCO_ENGINE_REFERENCE ? 0 : threads;
    p.wants_table = wants_table;
    mco_status st = mco_guillotine_solve(test_ctx, problem, &p, &r);
    if (st == MCO_OK)
        st = mco_guillotine_check(test_ctx, problem, &p, r.nodes, r.node_count, &checked);
    if (st != MCO_OK)
        print_error("%s: %s\n", mco_status_text(st), mco_context_error(test_ctx));
    bool is_right = st == MCO_OK && r.value == expected && checked == expected && r.bound == expected &&
                    r.outcome == MCO_OUTCOME_OPTIMAL && r.stop == MCO_STOP_FINISHED && !pieces_overlap(&b->t, &r) &&
                    r.history_count == 1 && r.history[0].objective == expected && r.history[0].bound == expected;
    if (is_right && wants_table)
        is_right = compare_table(b, &r.table) == 0;
    if (!is_right) {
        print_task(&b->t, e->name);
        fail_msg("value %lld, of the plan %lld; the brute force finds %d", (long long)r.value, (long long)checked,
                 expected);
    }
    mco_guillotine_result_clear(test_ctx, &r);
}

static void compare_all(task t, int threads, bool wants_table)
{
    brute b = {.t = t};
    mco_guillotine *problem = instance_of(&t);
    for (int k = 0; k < COUNT_OF(engines); k++)
        compare(&b, problem, &engines[k], threads, wants_table);
    mco_guillotine_destroy(test_ctx, &problem);
}

static int below(mco_rng *rng, int limit)
{
    return (int)mco_rng_below(rng, (uint32_t)limit);
}

// Most pieces have small sides; some are as large as the plate or a little larger.
static task random_task(mco_rng *rng)
{
    task t = {
        .width = 1 + below(rng, LONGEST), .height = 1 + below(rng, LONGEST), .count = 1 + below(rng, MOST_PIECES)};
    const bool is_weighted = below(rng, 2) == 1;
    const int widest = 1 + below(rng, t.width + 1), highest = 1 + below(rng, t.height + 1);
    for (int k = 0; k < t.count; k++) {
        const int w = 1 + below(rng, widest), h = 1 + below(rng, highest);
        t.piece[k].width = w;
        t.piece[k].height = h;
        t.piece[k].value = is_weighted ? below(rng, 20) : w * h;
        t.piece[k].is_rotatable = below(rng, 4) > 0;
    }
    return t;
}

static const mco_guillotine_cut firsts_of_stages[] = {MCO_GUILLOTINE_CUT_ANY, MCO_GUILLOTINE_CUT_X,
                                                      MCO_GUILLOTINE_CUT_Y};

static void engines_agree_on_random_instances(void **state)
{
    enum { INSTANCES = TEST_IS_SANITIZED ? 600 : 12000 };
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 20, 0);
    for (int k = 0; k < INSTANCES; k++) {
        task t = random_task(&rng);
        t.rotate = below(&rng, 2) == 1;
        t.kerf = below(&rng, 4);
        t.stages = below(&rng, MOST_STAGES + 1);
        t.first = t.stages > 0 ? firsts_of_stages[below(&rng, 3)] : MCO_GUILLOTINE_CUT_ANY;
        compare_all(t, 1 + (k % 16 == 0), below(&rng, 2) == 1);
    }
}

static void engines_agree_on_every_combination(void **state)
{
    enum { INSTANCES = TEST_IS_SANITIZED ? 1 : 6 };
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 21, 0);
    for (int k = 0; k < INSTANCES; k++) {
        task t = random_task(&rng);
        for (int rotate = 0; rotate < 2; rotate++)
            for (t.kerf = 0; t.kerf <= 3; t.kerf++)
                for (t.stages = 0; t.stages <= MOST_STAGES; t.stages++)
                    for (int first = 0; first < (t.stages > 0 ? 3 : 1); first++) {
                        t.rotate = rotate;
                        t.first = firsts_of_stages[first];
                        compare_all(t, 1, true);
                    }
    }
}

// Values that need more than 32 bits, and pieces without value.
static void engines_agree_on_values_of_all_sizes(void **state)
{
    static const int64_t units[] = {0, 1, 1000, 1 << 20, (int64_t)1 << 33, (int64_t)1 << 45};
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 22, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 120 : 300); k++) {
        task t = random_task(&rng);
        const int64_t unit = units[k % COUNT_OF(units)];
        mco_guillotine_piece pieces[MOST_PIECES];
        mco_guillotine *problem = NULL;
        t.kerf = below(&rng, 2);
        t.stages = below(&rng, 3);
        for (int p = 0; p < t.count; p++)
            pieces[p] = (mco_guillotine_piece){t.piece[p].width, t.piece[p].height, t.piece[p].value * unit, true};
        assert_ok(mco_guillotine_create(test_ctx, t.width, t.height, pieces, t.count, &problem));
        for (int e = 0; e < COUNT_OF(engines); e++) {
            mco_guillotine_params p = params_of(&t);
            mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
            p.engine = engines[e].engine;
            p.simd = engines[e].simd;
            p.wants_table = k % 2;
            assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &r));
            assert_int_equal(r.value, brute_value(t) * unit);
            mco_guillotine_result_clear(test_ctx, &r);
        }
        mco_guillotine_destroy(test_ctx, &problem);
    }
}

// ---- Larger plates, against the reference

static mco_guillotine *random_problem(mco_rng *rng, int longest)
{
    mco_guillotine_piece pieces[8];
    mco_guillotine *problem = NULL;
    const int width = 1 + below(rng, longest), height = 1 + below(rng, longest),
              count = 1 + below(rng, COUNT_OF(pieces));
    const int64_t unit = (int64_t)1 << below(rng, 34);
    const int shortest = 1 + below(rng, 12);
    for (int k = 0; k < count; k++) {
        const int w = shortest + below(rng, width), h = shortest + below(rng, height);
        pieces[k] = (mco_guillotine_piece){w, h, below(rng, 2) ? (int64_t)w * h : below(rng, 2 * w * h) * unit, true};
    }
    assert_ok(mco_guillotine_create(test_ctx, width, height, pieces, count, &problem));
    return problem;
}

static void engines_agree_with_the_reference(void **state)
{
    enum { INSTANCES = TEST_IS_SANITIZED ? 80 : 250, WIDEST = 160 };
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 23, 0);
    for (int k = 0; k < INSTANCES; k++) {
        mco_guillotine *problem = random_problem(&rng, WIDEST);
        mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
        mco_guillotine_result reference = MCO_GUILLOTINE_RESULT_INIT;
        p.rotate = below(&rng, 2);
        p.kerf = below(&rng, 2) * below(&rng, 5);
        p.stages = below(&rng, 2) * below(&rng, MOST_STAGES + 1);
        p.first_cut = p.stages > 0 ? firsts_of_stages[below(&rng, 3)] : MCO_GUILLOTINE_CUT_ANY;
        p.wants_table = true;
        p.engine = MCO_ENGINE_REFERENCE;
        assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &reference));
        assert_int_equal(reference.relaxations_skipped, 0);
        for (int e = 1; e < 2 * COUNT_OF(engines); e++) {
            mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
            p.engine = engines[e / 2].engine;
            p.simd = engines[e / 2].simd;
            p.threads = p.engine == MCO_ENGINE_REFERENCE ? 0 : 1 + k % 3;
            p.wants_table = e % 2;
            assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &r));
            assert_int_equal(r.value, reference.value);
            assert_int_equal(r.patterns_x, reference.patterns_x);
            assert_int_equal(r.patterns_y, reference.patterns_y);
            for (int x = 0; x <= mco_guillotine_width(problem) && p.wants_table; x += 1 + x / 8)
                for (int y = 0; y <= mco_guillotine_height(problem); y += 1 + y / 8)
                    assert_int_equal(table_value(&r.table, x, y), table_value(&reference.table, x, y));
            mco_guillotine_result_clear(test_ctx, &r);
        }
        mco_guillotine_result_clear(test_ctx, &reference);
        mco_guillotine_destroy(test_ctx, &problem);
    }
}

// ---- The reference: limits and stops

static void reference_tells_how_much_memory_it_needs(void **state)
{
    const mco_guillotine_piece square = {1, 1, 1, false};
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    mco_guillotine *problem = NULL;
    (void)state;
    assert_ok(mco_guillotine_create(test_ctx, 400, 300, &square, 1, &problem));
    p.engine = MCO_ENGINE_REFERENCE;
    p.memory = 1;
    assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &r));
    assert_int_equal(r.value, 400 * 300);
    assert_int_equal(r.table_bytes, 401 * 301 * 8);
    mco_guillotine_result_clear(test_ctx, &r);
    p.stages = 2;
    assert_fails(mco_guillotine_solve(test_ctx, problem, &p, &r), MCO_ERR_LIMIT,
                 "the reference needs 2.8 MiB for 3 x 401 x 301 values, at most 1.0 MiB are allowed");
    mco_guillotine_destroy(test_ctx, &problem);
}

// A run asks its callback at most every 0.1 s. Here the first allocation and every call take longer, so the callback is
// asked each time that the engine looks whether to stop.
static void take_long(void)
{
    usleep(101000);
}

static void *allocate_late(size_t bytes, void *user)
{
    if (test_memory.calls == 0)
        take_long();
    return test_allocate(bytes, user);
}

typedef struct calls {
    int progress, stop_at;  // asks to stop from this call on
    int incumbents;
    int64_t value;          // of the last plan given
} calls;

static int count_calls(const mco_progress *progress, void *user)
{
    calls *c = user;
    const mco_guillotine_solution *plan = progress->solution;
    if (progress->event == MCO_EVENT_INCUMBENT) {
        c->incumbents++;
        c->value = plan->value;
        assert_true(progress->objective == (double)plan->value && progress->objective <= progress->bound);
        assert_true(plan->node_count > 0);
        return 0;
    }
    assert_null(plan);
    take_long();
    return ++c->progress >= c->stop_at;
}

static void count_all_calls(calls *c)
{
    test_fail_allocation(0);
    test_ctx->params.allocate = allocate_late;
    mco_context_set_callback(test_ctx, count_calls, c);
}

static void reference_stops_when_asked(void **state)
{
    mco_rng rng;
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    calls c = {.stop_at = 3};
    (void)state;
    mco_rng_seed(&rng, 24, 0);
    mco_guillotine *problem = random_problem(&rng, 300);
    p.engine = MCO_ENGINE_REFERENCE;
    p.wants_table = 1;
    for (int how = 0; how < 3; how++) {
        p.time_limit_s = how == 0 ? 0 : (double)INFINITY;
        if (how == 1)
            mco_cancel(test_ctx);
        if (how == 2)
            count_all_calls(&c);
        assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &r));
        assert_int_equal(r.stop, how == 0 ? MCO_STOP_TIME : MCO_STOP_CANCELLED);
        assert_true(r.value > 0 && r.value <= r.bound);
        assert_int_equal(r.outcome, r.value == r.bound ? MCO_OUTCOME_OPTIMAL : MCO_OUTCOME_FEASIBLE);
        assert_null(r.table.values);
        assert_true(how < 2 || r.value == c.value);
        mco_guillotine_result_clear(test_ctx, &r);
    }
    assert_int_equal(c.progress, 3);
    assert_int_equal(c.incumbents, 1);
    mco_guillotine_destroy(test_ctx, &problem);
}

// The value of the best grid of one piece, with all ways tried. With one stage a strip holds one piece along the other
// axis.
static int64_t best_grid(const mco_guillotine *problem, const mco_guillotine_params *p)
{
    int64_t best = 0;
    for (int64_t k = 0; k < mco_guillotine_pieces(problem); k++)
        for (int turned = 0; turned <= (p->rotate ? 1 : 0); turned++) {
            const mco_guillotine_piece piece = mco_guillotine_piece_at(problem, k);
            if (turned && !piece.is_rotatable)
                continue;
            const int64_t width = turned ? piece.height : piece.width, height = turned ? piece.width : piece.height;
            int64_t columns = (mco_guillotine_width(problem) + p->kerf) / (width + p->kerf);
            int64_t rows = (mco_guillotine_height(problem) + p->kerf) / (height + p->kerf);
            if (columns == 0 || rows == 0)
                continue;
            if (p->stages == 1 && p->first_cut == MCO_GUILLOTINE_CUT_ANY)
                columns = columns > rows ? columns : rows;
            else if (p->stages == 1 && p->first_cut == MCO_GUILLOTINE_CUT_Y)
                columns = 1;
            if (p->stages == 1 && p->first_cut != MCO_GUILLOTINE_CUT_Y)
                rows = 1;
            best = columns * rows * piece.value > best ? columns * rows * piece.value : best;
        }
    return best;
}

static void a_stopped_run_has_the_best_grid(void **state)
{
    enum { INSTANCES = 300 };
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 77, 0);
    for (int k = 0; k < INSTANCES; k++) {
        mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
        mco_guillotine_result stopped = MCO_GUILLOTINE_RESULT_INIT, whole = MCO_GUILLOTINE_RESULT_INIT;
        mco_guillotine *problem = random_problem(&rng, 20 + below(&rng, 60));
        int64_t value = -1;
        p.engine = MCO_ENGINE_REFERENCE;
        p.rotate = below(&rng, 2);
        p.kerf = below(&rng, 4);
        p.stages = below(&rng, 5);
        p.first_cut = p.stages > 0 ? (mco_guillotine_cut)below(&rng, 3) : MCO_GUILLOTINE_CUT_ANY;
        assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &whole));
        p.time_limit_s = 0;
        assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &stopped));
        assert_ok(mco_guillotine_check(test_ctx, problem, &p, stopped.nodes, stopped.node_count, &value));
        assert_int_equal(value, stopped.value);
        if (stopped.stop == MCO_STOP_TIME)  // a table without positions is complete at once
            assert_int_equal(stopped.value, best_grid(problem, &p));
        assert_true(stopped.value <= whole.value && whole.value <= stopped.bound);
        mco_guillotine_result_clear(test_ctx, &stopped);
        mco_guillotine_result_clear(test_ctx, &whole);
        mco_guillotine_destroy(test_ctx, &problem);
    }
}

// Time is over before the positions are known: bit sets of 2^30 sums take longer than a look at the clock. The plan is a grid.
static void a_late_model_has_the_best_grid(void **state)
{
    enum { SIDE = 1000000000 };
    static const mco_guillotine_piece pieces[] = {{400000001, 300000007, 5, true}, {300000011, 200000003, 7, true}};
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    mco_guillotine *problem = NULL;
    (void)state;
    assert_ok(mco_guillotine_create(test_ctx, SIDE, SIDE, pieces, COUNT_OF(pieces), &problem));
    p.time_limit_s = 0;
    assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &r));
    assert_int_equal(r.stop, MCO_STOP_TIME);
    assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
    assert_int_equal(r.value, 3 * 4 * 7);
    assert_true(r.bound >= r.value);
    assert_int_equal(r.patterns_x, 1);  // of the piece alone: no others were computed
    mco_guillotine_result_clear(test_ctx, &r);
    mco_guillotine_destroy(test_ctx, &problem);
}

// If either first cut is allowed, both are computed, X first. A stop in the second run leaves the plan of the first.
static void stop_in_the_second_run_keeps_the_plan(void **state)
{
    task t = {.width = 4, .height = 4, .count = 2, .piece = {{4, 1, 3, true}, {2, 3, 6, true}}, .stages = 2};
    mco_guillotine_params p = params_of(&t);
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    mco_guillotine *problem = instance_of(&t);
    calls c = {.stop_at = 5};  // two positions of X, two levels, so the reference asks four times in each run
    (void)state;
    p.engine = MCO_ENGINE_REFERENCE;
    p.wants_table = 1;
    count_all_calls(&c);
    assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &r));
    assert_int_equal(c.progress, 5);
    assert_int_equal(c.value, 12);
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    assert_int_equal(r.outcome, MCO_OUTCOME_FEASIBLE);
    assert_int_equal(r.value, 12);  // 15 with the first cut along y
    assert_int_equal(r.bound, 16);
    assert_non_null(r.nodes);
    assert_null(r.table.values);
    mco_guillotine_result_clear(test_ctx, &r);
    mco_guillotine_destroy(test_ctx, &problem);
}

static void reference_survives_failing_memory(void **state)
{
    mco_rng rng;
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    (void)state;
    mco_rng_seed(&rng, 25, 0);
    mco_guillotine *problem = random_problem(&rng, 40);
    p.engine = MCO_ENGINE_REFERENCE;
    p.stages = 3;
    p.wants_table = 1;
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st != MCO_OK; k++) {
        test_fail_allocation(k);
        st = mco_guillotine_solve(test_ctx, problem, &p, &r);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
    }
    test_fail_allocation(0);
    mco_guillotine_result_clear(test_ctx, &r);
    mco_guillotine_destroy(test_ctx, &problem);
}

// ---- The cpu engine: stops and counters

// A problem so dense that a core works for seconds: all sides from 1 occur, and no value is an area.
static mco_guillotine *dense_problem(int side)
{
    const mco_guillotine_piece pieces[] = {{1, 1, 1, false}, {2, 3, 9, false}, {7, 5, 60, false}};
    mco_guillotine *problem = NULL;
    assert_ok(mco_guillotine_create(test_ctx, side, side, pieces, COUNT_OF(pieces), &problem));
    return problem;
}

static int stop_now(const mco_progress *progress, void *user)
{
    (void)progress;
    (void)user;
    return 1;
}

static void cores_stop_when_asked(void **state)
{
    enum { SIDE = TEST_IS_SANITIZED ? 4000 : 12000 };
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    (void)state;
    mco_guillotine *problem = dense_problem(SIDE);
    const mco_guillotine *const problems[] = {problem, problem};
    p.engine = MCO_ENGINE_CPU;
    p.threads = 2;
    mco_context_set_callback(test_ctx, stop_now, NULL);
    assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &r));
    assert_int_equal(r.stop, MCO_STOP_CANCELLED);
    assert_int_not_equal(r.outcome, MCO_OUTCOME_OPTIMAL);
    assert_true(r.relaxations > 0);  // of the tiles that are done
    assert_int_equal(r.work.threads, 2);
    assert_int_not_equal(r.work.simd, MCO_SIMD_AUTO);
    mco_guillotine_result_clear(test_ctx, &r);

    // The workers of a batch have contexts of their own, but stop as well.
    mco_guillotine_result results[] = {MCO_GUILLOTINE_RESULT_INIT, MCO_GUILLOTINE_RESULT_INIT};
    assert_ok(mco_guillotine_solve_batch(test_ctx, problems, 2, &p, results));
    for (int k = 0; k < 2; k++) {
        assert_int_equal(results[k].stop, MCO_STOP_CANCELLED);
        assert_int_not_equal(results[k].outcome, MCO_OUTCOME_OPTIMAL);
        mco_guillotine_result_clear(test_ctx, &results[k]);
    }
    mco_guillotine_destroy(test_ctx, &problem);
}

// What a tile does, and so the number of sums, does not depend on the earlier tiles of its thread.
static void threads_evaluate_the_same_sums(void **state)
{
    enum { INSTANCES = TEST_IS_SANITIZED ? 2 : 6 };
    mco_rng rng;
    (void)state;
    mco_rng_seed(&rng, 26, 0);
    for (int k = 0; k < INSTANCES; k++) {
        mco_guillotine_piece pieces[8];
        mco_guillotine *problem = NULL;
        for (int i = 0; i < COUNT_OF(pieces); i++) {
            const int w = 10 + below(&rng, 120), h = 10 + below(&rng, 120);
            pieces[i] = (mco_guillotine_piece){w, h, (int64_t)w * h, true};
        }
        assert_ok(mco_guillotine_create(test_ctx, 600 + below(&rng, 100), 600 + below(&rng, 100), pieces,
                                        COUNT_OF(pieces), &problem));
        int64_t expected = -1;
        for (int threads = 1; threads <= 4; threads++) {
            mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
            mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
            p.engine = MCO_ENGINE_CPU;
            p.stages = 2 + k % 2;
            p.rotate = 1;
            p.wants_table = 1;
            p.threads = threads;
            assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &r));
            assert_int_equal(r.work.threads, threads);
            expected = threads == 1 ? r.relaxations : expected;
            assert_int_equal(r.relaxations, expected);
            mco_guillotine_result_clear(test_ctx, &r);
        }
        mco_guillotine_destroy(test_ctx, &problem);
    }
}

static void few_sums_take_one_thread(void **state)
{
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    (void)state;
    mco_guillotine *problem = dense_problem(50);
    p.engine = MCO_ENGINE_CPU;
    p.threads = 64;
    assert_ok(mco_guillotine_solve(test_ctx, problem, &p, &r));
    assert_int_equal(r.work.threads, 1);
    mco_guillotine_result_clear(test_ctx, &r);
    mco_guillotine_destroy(test_ctx, &problem);
}

// The most positions of both axes: 2^65 relaxations.
static void relaxations_beyond_a_counter_are_told(void **state)
{
    enum { SIDE = (1 << 22) - 1 };
    mco_guillotine_params p = MCO_GUILLOTINE_PARAMS_INIT;
    mco_guillotine_result r = MCO_GUILLOTINE_RESULT_INIT;
    guillotine_model model;
    (void)state;
    mco_guillotine *problem = dense_problem(SIDE);
    assert_ok(guillotine_model_create(test_ctx, problem, &p, NULL, &model));
    const guillotine_job job = {.model = &model};
    assert_int_equal(guillotine_all_relaxations(&job), INT64_MAX);
    guillotine_model_clear(test_ctx, &model);
    p.engine = MCO_ENGINE_CPU;
    p.memory = 1000;
    assert_int_equal(mco_guillotine_solve(test_ctx, problem, &p, &r), MCO_ERR_LIMIT);
    mco_guillotine_destroy(test_ctx, &problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(brute_force_finds_examples),
        TEST(brute_force_counts_stages),
        TEST(engines_agree_on_random_instances),
        TEST(engines_agree_on_every_combination),
        TEST(engines_agree_on_values_of_all_sizes),
        TEST(engines_agree_with_the_reference),
        TEST(reference_tells_how_much_memory_it_needs),
        TEST(reference_stops_when_asked),
        TEST(a_stopped_run_has_the_best_grid),
        TEST(a_late_model_has_the_best_grid),
        TEST(stop_in_the_second_run_keeps_the_plan),
        TEST(reference_survives_failing_memory),
        TEST(cores_stop_when_asked),
        TEST(threads_evaluate_the_same_sums),
        TEST(few_sums_take_one_thread),
        TEST(relaxations_beyond_a_counter_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
