// SPDX-License-Identifier: MIT
// Searches under an automaton: every vector unit against the oracle, the oracle against a fixed point of all arcs, certificates and
// their faults, functions that are refused, files, stops, memory.
#include "base/rng.h"
#include "base/simd.h"
#include "paths/multimodal/search.h"
#include "test_support.h"

enum { MOST_VERTICES = 24, MOST_ARCS = 120, MOST_POINTS = 8, FUNCTIONS = 9, PERIOD = 3600 };

typedef struct trial {
    mco_multimodal *network;
    mco_automaton *automaton;
    mco_multimodal_query query;
    int32_t states;
    int32_t label[MOST_VERTICES * MCO_MULTIMODAL_MAX_STATES], oracle[MOST_VERTICES * MCO_MULTIMODAL_MAX_STATES];
} trial;

static const char *const label_names[] = {"walk", "road", "bus", "on", "off"};
enum { LABELS = 5 };

static int32_t below(mco_rng *rng, int32_t limit)
{
    return (int32_t)mco_rng_below(rng, (uint32_t)limit);
}

// ---- Random networks

static mco_multimodal *make_network(mco_rng *rng, int32_t vertices, int32_t arcs)
{
    static const int32_t quarters[] = {0, 900, 1800, 2700};
    static const int32_t rides_at[] = {100, 700, 1300, 3500};
    static int32_t part[5][MOST_ARCS];
    double factor[4][4];
    int32_t ride[2][4];
    mco_multimodal *network = NULL;
    mco_multimodal_function function[FUNCTIONS] = {{.kind = MCO_MULTIMODAL_CONSTANT}};
    for (int32_t k = 0; k < 4; k++) {
        for (int32_t i = 0; i < 4; i++)
            factor[k][i] = 0.25 + 0.25 * below(rng, 12);
        function[1 + k] = (mco_multimodal_function){.kind = MCO_MULTIMODAL_PROFILE, .count = k == 3 ? 1 : 4, .time = quarters, .factor = factor[k]};
    }
    for (int32_t k = 0; k < 2; k++) {
        const int32_t headway = k == 0 ? 300 : 720;
        function[5 + k] = (mco_multimodal_function){.kind = MCO_MULTIMODAL_HEADWAY, .headway = headway, .offset = below(rng, headway)};
        for (int32_t i = 0; i < 4; i++)
            ride[k][i] = 200 + below(rng, 100);
        function[7 + k] = (mco_multimodal_function){.kind = MCO_MULTIMODAL_TIMETABLE, .count = k == 0 ? 4 : 1, .time = rides_at, .ride = ride[k]};
    }
    for (int32_t a = 0; a < arcs; a++) {
        part[0][a] = below(rng, vertices);
        part[1][a] = below(rng, vertices);
        part[2][a] = below(rng, LABELS);
        part[3][a] = below(rng, FUNCTIONS);
        part[4][a] = below(rng, 4) == 0 ? 0 : below(rng, 60);
    }
    const mco_multimodal_parts parts = {.vertices = vertices, .period = PERIOD, .labels = LABELS, .functions = FUNCTIONS,
                                        .label_name = label_names, .function = function,
                                        .arcs = {arcs, part[0], part[1], part[2], part[3], part[4]}};
    assert_ok(mco_multimodal_create(test_ctx, &parts, &network));
    return network;
}

// A random automaton, deterministic or not; some paces. Read from text, as users write it.
static mco_automaton *make_automaton(mco_rng *rng, const mco_multimodal *network, int32_t states)
{
    mco_automaton *automaton = NULL;
    const char *path = test_path("automaton.txt");
    FILE *file = fopen(path, "w");
    fputs("# a random automaton\nstates", file);
    for (int32_t q = 0; q < states; q++)
        fprintf(file, " s%d", q);
    fprintf(file, "\nstart s%d\nfinal s%d s%d\n", below(rng, states), below(rng, states), states - 1);
    const int32_t moves = states * LABELS * (1 + below(rng, 3)) / 2;
    for (int32_t k = 0; k < moves; k++)
        fprintf(file, "move s%d %s s%d\n", below(rng, states), label_names[below(rng, LABELS)], below(rng, states));
    for (int32_t q = 0; q < states; q++)
        fprintf(file, "move s%d walk s%d  # stays\n", q, q);
    fprintf(file, "pace s%d 2.5\n", below(rng, states));
    fclose(file);
    assert_ok(mco_automaton_read(test_ctx, network, path, &automaton));
    return automaton;
}

static void open_trial(trial *t, mco_rng *rng)
{
    const int32_t vertices = 1 + below(rng, MOST_VERTICES);
    t->states = 1 + below(rng, below(rng, 4) == 0 ? MCO_MULTIMODAL_MAX_STATES : 9);
    t->network = make_network(rng, vertices, below(rng, MOST_ARCS));
    t->automaton = make_automaton(rng, t->network, t->states);
    t->query = (mco_multimodal_query){.source = below(rng, vertices), .target = -1, .depart = below(rng, 3 * PERIOD)};
    assert_ok(mm_ref_tree(test_ctx, t->network, t->automaton, &t->query, t->oracle));
}

static void close_trial(trial *t)
{
    mco_automaton_destroy(test_ctx, &t->automaton);
    mco_multimodal_destroy(test_ctx, &t->network);
}

static int32_t best_at(const trial *t, int32_t vertex)
{
    int32_t best = MCO_MULTIMODAL_NONE;
    for (int32_t q = 0; q < t->states; q++)
        if ((t->automaton->final >> q & 1) != 0 && t->oracle[vertex * t->states + q] < best)
            best = t->oracle[vertex * t->states + q];
    return best;
}

// ---- Labels

// All arcs again and again until nothing changes.
static void fixed_point(const trial *t, int32_t *label)
{
    const mco_multimodal *n = t->network;
    bool has_changed = true;
    for (int32_t k = 0; k < n->vertices * t->states; k++)
        label[k] = MCO_MULTIMODAL_NONE;
    for (int32_t q = 0; q < t->states; q++)
        if ((t->automaton->start >> q & 1) != 0)
            label[t->query.source * t->states + q] = t->query.depart;
    while (has_changed) {
        has_changed = false;
        for (int32_t v = 0; v < n->vertices; v++)
            for (int32_t q = 0; q < t->states; q++)
                for (int64_t a = n->first[v]; a < n->first[v + 1] && label[v * t->states + q] != MCO_MULTIMODAL_NONE; a++) {
                    const mm_arc arc = n->arc[a];
                    const int32_t time = label[v * t->states + q];
                    const int32_t arrival = time + mm_cost(&n->tables, arc.word, time, t->automaton->pace[q]);
                    const uint32_t next = t->automaton->next[q * LABELS + (int32_t)mm_label(&n->tables, arc.word)];
                    for (int32_t p = 0; p < t->states; p++)
                        if ((next >> p & 1) != 0 && arrival < label[arc.head * t->states + p]) {
                            label[arc.head * t->states + p] = arrival;
                            has_changed = true;
                        }
                }
    }
}

static void test_oracle(void **state)
{
    (void)state;
    mco_rng rng;
    trial t;
    mco_rng_seed(&rng, 1, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 100 : 1000); k++) {
        open_trial(&t, &rng);
        fixed_point(&t, t.label);
        assert_memory_equal(t.label, t.oracle, (size_t)(t.network->vertices * t.states) * sizeof *t.label);
        assert_ok(mco_multimodal_check(test_ctx, t.network, t.automaton, &t.query, t.oracle));
        close_trial(&t);
    }
}

static void test_vector_units(void **state)
{
    (void)state;
    mco_rng rng;
    trial t;
    mco_rng_seed(&rng, 2, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 50 : 300); k++) {
        open_trial(&t, &rng);
        for (mco_simd simd = MCO_SIMD_AVX512; simd <= MCO_SIMD_PORTABLE; simd++) {
            mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
            mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
            if (!mco_simd_has(simd))
                continue;
            params.simd = simd;
            assert_ok(mco_multimodal_find_tree(test_ctx, t.network, t.automaton, &t.query, &params, &tree));
            assert_int_equal(tree.outcome, MCO_OUTCOME_OPTIMAL);
            assert_memory_equal(tree.label, t.oracle, (size_t)(t.network->vertices * t.states) * sizeof *t.oracle);
            mco_multimodal_tree_clear(test_ctx, &tree);
        }
        close_trial(&t);
    }
}

// Late departures leave the exact range of single precision.
static void test_late_departures(void **state)
{
    (void)state;
    mco_rng rng;
    trial t;
    mco_rng_seed(&rng, 3, 0);
    for (int k = 0; k < 100; k++) {
        const mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
        mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
        open_trial(&t, &rng);
        t.query.depart = (1 << 24) - 2000 + below(&rng, 4000) + (k % 2) * (1 << 28);
        assert_ok(mm_ref_tree(test_ctx, t.network, t.automaton, &t.query, t.oracle));
        assert_ok(mco_multimodal_find_tree(test_ctx, t.network, t.automaton, &t.query, &params, &tree));
        assert_memory_equal(tree.label, t.oracle, (size_t)(t.network->vertices * t.states) * sizeof *t.oracle);
        mco_multimodal_tree_clear(test_ctx, &tree);
        close_trial(&t);
    }
}

// ---- Journeys

static void walk_journey(const trial *t, const mco_multimodal_tree *tree)
{
    const mco_multimodal *n = t->network;
    int32_t vertex = t->query.source, time = t->query.depart;
    uint32_t states = t->automaton->start;
    for (int64_t k = 0; k < tree->steps; k++) {
        const mco_multimodal_step *s = &tree->step[k];
        assert_true(s->arc >= n->first[vertex] && s->arc < n->first[vertex + 1]);
        assert_int_equal(s->enter, time);
        const mm_arc arc = n->arc[s->arc];
        bool is_move = false;
        for (int32_t q = 0; q < t->states; q++)
            is_move = is_move || ((states >> q & 1) != 0 &&
                                  (t->automaton->next[q * LABELS + (int32_t)mm_label(&n->tables, arc.word)] >> s->state & 1) != 0 &&
                                  time + mm_cost(&n->tables, arc.word, time, t->automaton->pace[q]) == s->leave);
        assert_true(is_move);
        states = (uint32_t)1 << s->state;
        vertex = arc.head;
        time = s->leave;
    }
    assert_int_equal(vertex, t->query.target);
    assert_int_equal(time, tree->arrival);
    assert_true((t->automaton->final & states) != 0);
}

static void test_journeys(void **state)
{
    (void)state;
    mco_rng rng;
    trial t;
    mco_rng_seed(&rng, 4, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 50 : 200); k++) {
        mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
        mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
        open_trial(&t, &rng);
        t.query.target = below(&rng, t.network->vertices);
        params.engine = k % 3 == 0 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU;
        assert_ok(mco_multimodal_find_tree(test_ctx, t.network, t.automaton, &t.query, &params, &tree));
        assert_int_equal(tree.arrival, best_at(&t, t.query.target));
        assert_int_equal(tree.outcome, tree.arrival == MCO_MULTIMODAL_NONE ? MCO_OUTCOME_INFEASIBLE : MCO_OUTCOME_OPTIMAL);
        if (tree.outcome == MCO_OUTCOME_OPTIMAL)
            walk_journey(&t, &tree);
        mco_multimodal_tree_clear(test_ctx, &tree);
        close_trial(&t);
    }
}

static void test_many_and_profiles(void **state)
{
    (void)state;
    enum { COUNT = 40, STEP = 90 };
    mco_rng rng;
    trial t;
    mco_rng_seed(&rng, 5, 0);
    for (int k = 0; k < 20; k++) {
        mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
        mco_multimodal_result result = MCO_MULTIMODAL_RESULT_INIT;
        int32_t arrival[COUNT];
        open_trial(&t, &rng);
        t.query.target = below(&rng, t.network->vertices);
        params.threads = 1 + k % 4;
        assert_ok(mco_multimodal_find_profile(test_ctx, t.network, t.automaton, &t.query, STEP, COUNT, &params, arrival, &result));
        assert_int_equal(result.done, COUNT);
        for (int32_t i = 0; i < COUNT; i++) {
            mco_multimodal_query query = t.query;
            query.depart += i * STEP;
            assert_ok(mm_ref_tree(test_ctx, t.network, t.automaton, &query, t.oracle));
            assert_int_equal(arrival[i], best_at(&t, query.target));
            assert_true(i == 0 || arrival[i] >= arrival[i - 1]);  // first in, first out
        }
        close_trial(&t);
    }
}

// ---- Certificates

static void test_faults(void **state)
{
    (void)state;
    mco_rng rng;
    trial t;
    mco_rng_seed(&rng, 6, 0);
    for (int k = 0; k < 300; k++) {
        open_trial(&t, &rng);
        const int32_t pairs = t.network->vertices * t.states, at = below(&rng, pairs);
        t.oracle[at] += t.oracle[at] == MCO_MULTIMODAL_NONE || below(&rng, 2) == 0 ? -1 - below(&rng, 9) : 1 + below(&rng, 9);
        assert_int_equal(mco_multimodal_check(test_ctx, t.network, t.automaton, &t.query, t.oracle), MCO_ERR_CHECK);
        close_trial(&t);
    }
}

// Changes a label of a search where the certificate must see it: before the arrival, or the arrival made earlier.
static void fault_label(const trial *t, mco_rng *rng, const mm_search_build *build, mm_search *search)
{
    const int32_t end = t->query.target >= 0 ? best_at(t, t->query.target) : MCO_MULTIMODAL_NONE;
    const int32_t pair = below(rng, t->network->vertices * t->states), vertex = pair / t->states, state = pair % t->states;
    int32_t *label = &mm_labels(search, vertex)[state];
    const bool is_best = t->query.target == vertex && (t->automaton->final >> state & 1) != 0 && *label == end;
    const int32_t was = *label, by = 1 + below(rng, 9);
    if (*label >= end && !is_best && end < MCO_MULTIMODAL_NONE)
        return;
    *label += *label == MCO_MULTIMODAL_NONE || is_best || below(rng, 2) == 0 ? -by : by;
    assert_false(mm_certify_of(build, search)(search, &t->query));
    assert_true(search->is_wrong);
    *label = was;
    assert_true(mm_certify_of(build, search)(search, &t->query));
}

// The certificate that follows every search on cores: it accepts what is right, on every vector unit, and sees every change.
static void test_lane_certificates(void **state)
{
    (void)state;
    mco_rng rng;
    trial t;
    const atomic_bool never = false;
    mco_rng_seed(&rng, 12, 0);
    for (int k = 0; k < (TEST_IS_SANITIZED ? 60 : 400); k++) {
        open_trial(&t, &rng);
        t.query.target = below(&rng, 2) == 0 ? -1 : below(&rng, t.network->vertices);
        for (mco_simd simd = MCO_SIMD_AVX512; simd <= MCO_SIMD_PORTABLE; simd++) {
            const mm_search_build *build;
            mm_search search = {0};
            if (!mco_simd_has(simd))
                continue;
            assert_ok(mm_search_pick(test_ctx, simd, &build));
            assert_ok(mm_search_open(test_ctx, t.network, t.automaton, 1e9, &search));
            search.is_stopped = &never;
            assert_true(mm_search_of(build, &search)(&search, &t.query));
            assert_true(mm_certify_of(build, &search)(&search, &t.query));
            for (int fault = 0; fault < 5; fault++)
                fault_label(&t, &rng, build, &search);
            mm_search_close(test_ctx, &search);
        }
        assert_ok(mm_ref_tree(test_ctx, t.network, t.automaton, &t.query, t.label));
        assert_ok(mm_certify_labels(test_ctx, t.network, t.automaton, &t.query, t.label));
        close_trial(&t);
    }
}

// ---- What is refused

static mco_status create_with(mco_multimodal_function function, int32_t seconds)
{
    const int32_t zero = 0;
    mco_multimodal *network = NULL;
    const mco_multimodal_parts parts = {.vertices = 1, .period = PERIOD, .labels = 1, .functions = 1, .label_name = label_names,
                                        .function = &function, .arcs = {1, &zero, &zero, &zero, &zero, &seconds}};
    const mco_status st = mco_multimodal_create(test_ctx, &parts, &network);
    mco_multimodal_destroy(test_ctx, &network);
    return st;
}

static void test_refusals(void **state)
{
    (void)state;
    const int32_t times[] = {0, 10}, back[] = {10, 0}, rides[] = {100, 50};
    const double steep[] = {4, 0.5}, zero[] = {0, 1};
    assert_fails(create_with((mco_multimodal_function){.kind = MCO_MULTIMODAL_TIMETABLE, .count = 2, .time = times, .ride = rides}, 1),
                 MCO_ERR_ARGUMENT, "function 0 is not first in, first out: the ride at 0 s arrives at 100 s, the next one, at 10 s, at 60 s");
    assert_int_equal(create_with((mco_multimodal_function){.kind = MCO_MULTIMODAL_PROFILE, .count = 2, .time = times, .factor = steep}, 60),
                     MCO_ERR_ARGUMENT);
    assert_non_null(strstr(mco_context_error(test_ctx), "function 0 is not first in, first out for an arc of 60 s"));
    assert_ok(create_with((mco_multimodal_function){.kind = MCO_MULTIMODAL_PROFILE, .count = 2, .time = times, .factor = steep}, 2));
    assert_int_equal(create_with((mco_multimodal_function){.kind = MCO_MULTIMODAL_PROFILE, .count = 2, .time = times, .factor = zero}, 1),
                     MCO_ERR_ARGUMENT);
    assert_fails(create_with((mco_multimodal_function){.kind = MCO_MULTIMODAL_PROFILE, .count = 2, .time = back, .factor = steep}, 1),
                 MCO_ERR_ARGUMENT, "function 0: point 1 is at 0 s, times ascend from 0 to 3599");
    assert_fails(create_with((mco_multimodal_function){.kind = MCO_MULTIMODAL_HEADWAY, .headway = 7}, 1), MCO_ERR_ARGUMENT,
                 "function 0: headway 7 and offset 0, a divisor of 3600 and an offset below it were expected");
}

static void test_bad_automata(void **state)
{
    (void)state;
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"states a b\nstart a\n", "3:1: the automaton has no final state, a line \"final\" names it"},
        {"states a b\nfinal a\n", "3:1: the automaton has no start state, a line \"start\" names it"},
        {"start a\n", "1:1: the line \"states\" must come first"},
        {"states a a\n", "1:10: the state \"a\" is there twice"},
        {"states a\nmove a fly a\n", "2:8: \"fly\" is no label of the network"},
        {"states a\nmove a walk\n", "2:1: the line lacks a state"},
        {"states a\nmove a walk a a\n", "2:15: \"a\" is one word too many"},
        {"states a\nstart a\nfinal a\npace a 0\n", "4:8: the pace is 0, allowed is 0.00390625 to 127"},
    };
    mco_rng rng;
    char expected[256];
    mco_rng_seed(&rng, 7, 0);
    mco_multimodal *network = make_network(&rng, 5, 20);
    for (int k = 0; k < COUNT_OF(cases); k++) {
        mco_automaton *automaton = NULL;
        const char *path = test_file("bad.txt", cases[k].text);
        snprintf(expected, sizeof expected, "%s:%s", path, cases[k].error);
        assert_int_equal(mco_automaton_read(test_ctx, network, path, &automaton), MCO_ERR_PARSE);
        assert_null(automaton);
        assert_string_equal(mco_context_error(test_ctx), expected);
    }
    mco_multimodal_destroy(test_ctx, &network);
}

// ---- Files, generators, memory, stops

static void test_files(void **state)
{
    (void)state;
    mco_rng rng;
    trial t;
    mco_rng_seed(&rng, 8, 0);
    for (int k = 0; k < 50; k++) {
        mco_multimodal *again = NULL;
        open_trial(&t, &rng);
        const char *path = test_path("network.mm");
        assert_ok(mco_multimodal_write(test_ctx, t.network, path));
        assert_ok(mco_multimodal_read(test_ctx, path, &again));
        assert_int_equal(again->arcs, t.network->arcs);
        assert_memory_equal(again->arc, t.network->arc, (size_t)again->arcs * sizeof *again->arc);
        assert_int_equal(again->points, t.network->points);
        assert_memory_equal(again->point, t.network->point, (size_t)again->points * sizeof *again->point);
        mco_multimodal_destroy(test_ctx, &again);
        close_trial(&t);
    }
    static const char *const bad[] = {"p mm 2 0 60 9\n", "p mm 2 0 60\nl a b\n", "p mm 2 0 60\nf headway 20 5 1\n", "p mm 2 0 60\nv 1 0 0 0\n",
                                      "p mm 2 1 60\nl a\nf constant\na 1 2 a 1 5 5\n"};
    for (int k = 0; k < COUNT_OF(bad); k++) {
        mco_multimodal *network = NULL;
        assert_int_equal(mco_multimodal_read(test_ctx, test_file("bad.mm", bad[k]), &network), MCO_ERR_PARSE);
        assert_non_null(strstr(mco_context_error(test_ctx), "is one word too many"));
    }
}

static const mco_multimodal_shape small = {.rows = 16, .columns = 16, .layer = {60, 50, 40, 30}, .degree = 5, .seed = 1};

static void test_generated(void **state)
{
    (void)state;
    mco_multimodal *network = NULL;
    assert_ok(mco_multimodal_generate(test_ctx, &small, &network));
    for (int32_t states = 1; states <= 8; states++) {
        mco_automaton *automaton = NULL;
        mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT, other = MCO_MULTIMODAL_TREE_INIT;
        mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
        const mco_multimodal_query query = {.source = 3, .target = -1, .depart = 7 * 3600};
        assert_ok(mco_automaton_generate(test_ctx, network, states, &automaton));
        assert_ok(mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, &tree));
        params.engine = MCO_ENGINE_REFERENCE;
        assert_ok(mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, &other));
        assert_memory_equal(tree.label, other.label, (size_t)(tree.vertices * states) * sizeof *tree.label);
        assert_true(tree.reached > tree.vertices / 2);
        mco_multimodal_tree_clear(test_ctx, &tree);
        mco_multimodal_tree_clear(test_ctx, &other);
        mco_automaton_destroy(test_ctx, &automaton);
    }
    mco_multimodal_destroy(test_ctx, &network);
}

static mco_status whole_call(void)
{
    mco_status st = MCO_OK;
    mco_multimodal *network = NULL;
    mco_automaton *automaton = NULL;
    mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
    mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
    const mco_multimodal_query query = {.source = 3, .target = 200, .depart = 7 * 3600};
    params.threads = 1;
    MCO_TRY(mco_multimodal_generate(test_ctx, &small, &network));
    MCO_TRY(mco_automaton_generate(test_ctx, network, 3, &automaton));
    MCO_TRY(mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, &tree));
done:
    mco_multimodal_tree_clear(test_ctx, &tree);
    mco_automaton_destroy(test_ctx, &automaton);
    mco_multimodal_destroy(test_ctx, &network);
    return st;
}

static void test_memory_failures(void **state)
{
    (void)state;
    mco_status st = MCO_ERR_MEMORY;
    for (long k = 1; st == MCO_ERR_MEMORY; k++) {
        test_fail_allocation(k);
        st = whole_call();
        test_fail_allocation(0);
        assert_true(st == MCO_OK || st == MCO_ERR_MEMORY);
        assert_true(k < 1000);
    }
}

// A request stops the reference within a few thousand arcs, and a stopped query has no labels.
static void test_stop(void **state)
{
    (void)state;
    mco_multimodal *network = NULL;
    mco_automaton *automaton = NULL;
    mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
    mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
    mco_multimodal_result result = MCO_MULTIMODAL_RESULT_INIT;
    const mco_multimodal_query query = {.source = 0, .target = -1, .depart = 28800};
    int32_t arrival = 0;
    assert_ok(mco_multimodal_generate(test_ctx, &small, &network));
    assert_ok(mco_automaton_generate(test_ctx, network, 5, &automaton));
    params.engine = MCO_ENGINE_REFERENCE;
    mco_cancel(test_ctx);
    assert_ok(mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, &tree));
    assert_int_equal(tree.outcome, MCO_OUTCOME_UNKNOWN);
    assert_int_equal(tree.stop, MCO_STOP_CANCELLED);
    assert_null(tree.label);
    params.time_limit_s = 1e-9;
    assert_ok(mco_multimodal_find_many(test_ctx, network, automaton, 1, &query, &params, &arrival, &result));
    assert_int_equal(result.outcome, MCO_OUTCOME_UNKNOWN);
    assert_int_equal(result.stop, MCO_STOP_TIME);
    mco_multimodal_tree_clear(test_ctx, &tree);
    mco_automaton_destroy(test_ctx, &automaton);
    mco_multimodal_destroy(test_ctx, &network);
}

// ---- Sizes

// A network of one arc from vertex 0 to vertex 1, whose profile is level, and an automaton whose state has a pace.
static void open_long_arc(int32_t seconds, int32_t pace, mco_multimodal **network, mco_automaton **automaton)
{
    static const int32_t time = 0, tail = 0, head = 1, zero = 0;
    static const double factor = 7;
    const mco_multimodal_function function = {.kind = MCO_MULTIMODAL_PROFILE, .count = 1, .time = &time, .factor = &factor};
    const mco_multimodal_parts parts = {.vertices = 2, .period = PERIOD, .labels = 1, .functions = 1, .label_name = label_names,
                                        .function = &function, .arcs = {1, &tail, &head, &zero, &zero, &seconds}};
    assert_ok(mco_multimodal_create(test_ctx, &parts, network));
    char text[80];
    snprintf(text, sizeof text, "states A\nstart A\nfinal A\nmove A walk A\npace A %d\n", pace);
    assert_ok(mco_automaton_read(test_ctx, *network, test_file("long.txt", text), automaton));
}

// Every engine refuses an arc whose cost leaves the range of times; the memory of a search counts its queue.
static void test_long_arcs(void **state)
{
    (void)state;
    mco_multimodal *network = NULL;
    mco_automaton *automaton = NULL;
    mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
    const mco_multimodal_query query = {.source = 0, .target = 1};
    for (int k = 0; k < 2; k++) {
        mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
        params.engine = k == 0 ? MCO_ENGINE_REFERENCE : MCO_ENGINE_CPU;
        open_long_arc(500000000, 127, &network, &automaton);
        assert_fails(mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, &tree), MCO_ERR_LIMIT,
                     "an arc takes up to 444500000001 s, at most 1073741822 are allowed");
        mco_automaton_destroy(test_ctx, &automaton);
        mco_multimodal_destroy(test_ctx, &network);
    }
    mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
    params.engine = MCO_ENGINE_CPU;
    params.memory = 8;
    open_long_arc(2000000, 1, &network, &automaton);  // 14000000 s: 65536 buckets, and three chunks for each
    assert_int_equal(mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, &tree), MCO_ERR_LIMIT);
    assert_non_null(strstr(mco_context_error(test_ctx), "a search needs 5"));
    params.memory = 64;
    assert_ok(mco_multimodal_find_tree(test_ctx, network, automaton, &query, &params, &tree));
    assert_int_equal(tree.arrival, 14000000);
    mco_multimodal_tree_clear(test_ctx, &tree);
    mco_automaton_destroy(test_ctx, &automaton);
    mco_multimodal_destroy(test_ctx, &network);
}

// The greatest decrease of a factor is that of all seconds of the period, its end included.
static void test_drops(void **state)
{
    (void)state;
    mco_rng rng;
    mco_rng_seed(&rng, 11, 0);
    for (int k = 0; k < 200; k++) {
        int32_t time[MOST_POINTS], count = 1 + below(&rng, MOST_POINTS);
        double factor[MOST_POINTS];
        const int32_t zero = 0, step = 1 << below(&rng, 5), period = step * (MOST_POINTS + below(&rng, 100));
        mco_multimodal *network = NULL;
        for (int32_t i = 0; i < count; i++) {
            time[i] = step * i;
            factor[i] = 0.001 + 0.01 * below(&rng, 700);
        }
        const mco_multimodal_function function = {.kind = MCO_MULTIMODAL_PROFILE, .count = count, .time = time, .factor = factor};
        const mco_multimodal_parts parts = {.vertices = 1, .period = period, .labels = 1, .functions = 1, .label_name = label_names,
                                            .function = &function, .arcs = {1, &zero, &zero, &zero, &zero, &zero}};
        assert_ok(mco_multimodal_create(test_ctx, &parts, &network));
        int32_t drop = 0;
        for (int32_t t = 0; t < period; t++) {
            const int32_t next = t + 1 < period ? t + 1 : 0;
            const int32_t less = mm_factor(network->function, network->point, t) - mm_factor(network->function, network->point, next);
            drop = less > drop ? less : drop;
        }
        assert_int_equal(network->drop[0], drop);
        mco_multimodal_destroy(test_ctx, &network);
    }
}

// The GPU that is asked for is used, or its lack is an error; the cores do not stand in.
static void test_gpu_is_no_wish(void **state)
{
    (void)state;
    mco_rng rng;
    trial t;
    mco_multimodal_params params = MCO_MULTIMODAL_PARAMS_INIT;
    mco_multimodal_tree tree = MCO_MULTIMODAL_TREE_INIT;
    mco_multimodal_result result = MCO_MULTIMODAL_RESULT_INIT;
    int32_t arrival[2];
    mco_rng_seed(&rng, 10, 0);
    open_trial(&t, &rng);
    params.engine = MCO_ENGINE_GPU;
    params.gpus = "63";
    assert_int_equal(mco_multimodal_find_tree(test_ctx, t.network, t.automaton, &t.query, &params, &tree), MCO_ERR_DEVICE);
    assert_null(tree.label);
    assert_int_equal(mco_multimodal_find_many(test_ctx, t.network, t.automaton, 1, &t.query, &params, arrival, &result), MCO_ERR_DEVICE);
    assert_int_equal(mco_multimodal_find_profile(test_ctx, t.network, t.automaton, &t.query, 60, 2, &params, arrival, &result), MCO_ERR_DEVICE);
    close_trial(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_oracle), TEST(test_vector_units), TEST(test_late_departures), TEST(test_journeys), TEST(test_many_and_profiles),
        TEST(test_faults), TEST(test_lane_certificates), TEST(test_refusals), TEST(test_bad_automata), TEST(test_files), TEST(test_generated),
        TEST(test_memory_failures), TEST(test_stop), TEST(test_long_arcs), TEST(test_drops), TEST(test_gpu_is_no_wish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
