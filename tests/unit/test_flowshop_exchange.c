// SPDX-License-Identifier: MIT
// The search as a part of a larger one: it reports, gives work away, takes work in, and is killed at random moments.
// The nodes must be those of one search, as long as the outside keeps the record of the last report.
#include "flowshop_search_support.h"

#include "base/rng.h"

// ---- Sets of intervals, against lists of all nodes of a small tree

enum { JOBS = 5, NODES = 1 + 5 + 20 + 60 + 120 + 120 };

typedef struct node {
    int32_t digits[JOBS], depth;
} node;

static int list_nodes(node *out, int count, node v)
{
    out[count++] = v;
    if (v.depth < JOBS)
        for (int32_t r = 0; r < JOBS - v.depth; r++) {
            node child = v;
            child.digits[child.depth++] = r;
            count = list_nodes(out, count, child);
        }
    return count;
}

// Adds the nodes from `from` up to `to`, without `to`; `to` = NODES is the end of the tree.
static void add(flowshop_intervals *list, const node *nodes, int from, int to, int64_t bound)
{
    flowshop_interval v = {0};
    assert_ok(flowshop_interval_create(test_ctx, JOBS, &v));
    v.a_depth = nodes[from].depth;
    memcpy(v.a, nodes[from].digits, sizeof nodes->digits);
    v.b_depth = to < NODES ? nodes[to].depth : 0;
    if (to < NODES)
        memcpy(v.b, nodes[to].digits, sizeof nodes->digits);
    v.bound = bound;
    assert_ok(flowshop_intervals_add(test_ctx, list, &v));
    flowshop_interval_destroy(test_ctx, &v);
}

static bool holds(const flowshop_interval *v, const node *x)
{
    return flowshop_node_compare(v->a, v->a_depth, x->digits, x->depth) <= 0 &&
           (v->b_depth == 0 || flowshop_node_compare(x->digits, x->depth, v->b, v->b_depth) < 0);
}

static int count_holders(const flowshop_intervals *list, const node *x, int64_t *bound)
{
    int count = 0;
    for (int64_t i = 0; i < list->count; i++)
        if (holds(&list->items[i], x)) {
            count++;
            *bound = list->items[i].bound;
        }
    return count;
}

// Random intervals, random parts of them taken out: each node is in the rest or in a part, never in both.
static void test_subtract(void **state)
{
    (void)state;
    static node nodes[NODES];
    mco_rng rng;
    mco_rng_seed(&rng, 5, 0);
    assert_int_equal(list_nodes(nodes, 0, (node){.depth = 0}), NODES);
    for (int i = 1; i < NODES; i++)
        assert_true(flowshop_node_compare(nodes[i - 1].digits, nodes[i - 1].depth, nodes[i].digits, nodes[i].depth) < 0);
    for (int round = 0; round < 400; round++) {
        flowshop_intervals list = {.jobs = JOBS}, given = {.jobs = JOBS};
        int owner[NODES], at = 0, pieces = 0, spoil = round % 4 == 3 ? (int)mco_rng_below(&rng, 3) : -1;
        bool is_given[NODES] = {false}, is_inside, is_spoilt = false;
        memset(owner, -1, sizeof owner);
        while (at < NODES) {
            const int from = at + (int)mco_rng_below(&rng, 20), to = from + 1 + (int)mco_rng_below(&rng, 60);
            at = to < NODES ? to : NODES;
            if (from >= at)
                break;
            add(&list, nodes, from, at, pieces);
            for (int i = from; i < at; i++)
                owner[i] = pieces;
            for (int cut = from; cut < at;) {
                const int begin = cut + (int)mco_rng_below(&rng, 15), end = begin + 1 + (int)mco_rng_below(&rng, 25);
                cut = end < at ? end : at;
                if (begin >= cut)
                    break;
                add(&given, nodes, begin, cut, 0);
                for (int i = begin; i < cut; i++)
                    is_given[i] = true;
            }
            pieces++;
        }
        const int64_t before = list.count;
        if (spoil == 0 && given.count > 0) {  // a part twice
            assert_ok(flowshop_intervals_reserve(test_ctx, &given, given.count + 1));
            assert_ok(flowshop_intervals_add(test_ctx, &given, &given.items[0]));
            is_spoilt = true;
        } else if (spoil == 1 && owner[0] < 0) {  // a node that nobody has
            add(&given, nodes, 0, 1, 0);
            is_spoilt = true;
        } else if (spoil == 2 && owner[NODES - 1] < 0) {
            add(&given, nodes, NODES - 1, NODES, 0);
            is_spoilt = true;
        }
        assert_ok(flowshop_intervals_subtract(test_ctx, &list, &given, &is_inside));
        assert_int_equal(is_inside, !is_spoilt);
        if (is_spoilt)
            assert_int_equal(list.count, before);
        for (int i = 0; i < NODES; i++) {
            int64_t bound = -1;
            assert_int_equal(count_holders(&list, &nodes[i], &bound), owner[i] >= 0 && (is_spoilt || !is_given[i]));
            assert_true(bound < 0 || bound == owner[i]);
        }
        flowshop_intervals_clear(test_ctx, &list);
        flowshop_intervals_clear(test_ctx, &given);
    }
}

// ---- A search with an outside that keeps records

typedef struct outside {
    mco_rng rng;
    bool kills, has_reported_idle;
    flowshop_intervals queue;   // nobody has it
    flowshop_intervals record;  // what the search was known to have
    flowshop_checkpoint last;   // counters of the last report of this search
    int64_t *children_by_depth, cells, leaves;  // committed
    int64_t lower_to;           // the incumbent of the outside; INT64_MAX: none
    int gifts, works, reports, deaths;
} outside;

static void move_all(flowshop_intervals *from, flowshop_intervals *to)
{
    for (int64_t i = 0; i < from->count; i++)
        assert_ok(flowshop_intervals_add(test_ctx, to, &from->items[i]));
    from->count = 0;
}

static mco_status look(void *self, bool is_idle, flowshop_wish *wish)
{
    outside *o = self;
    wish->incumbent = o->lower_to;
    if (o->kills && mco_rng_below(&o->rng, 12) == 0) {
        o->deaths++;
        return mco_fail(test_ctx, MCO_ERR_IO, "killed");
    }
    wish->report = is_idle ? !o->has_reported_idle : mco_rng_below(&o->rng, 6) == 0;
    wish->gift = mco_rng_below(&o->rng, 3) == 0;
    if (!is_idle || !o->has_reported_idle)
        return MCO_OK;
    wish->end = o->queue.count == 0;
    if (o->queue.count > 0) {
        while (o->queue.count > 0 && o->record.count <= 2)
            assert_ok(flowshop_intervals_add(test_ctx, &o->record, &o->queue.items[--o->queue.count]));
        wish->work = &o->record;
        o->has_reported_idle = false;
        o->works++;
    }
    return MCO_OK;
}

static mco_status report(void *self, const flowshop_checkpoint *note)
{
    outside *o = self;
    o->record.count = 0;
    for (int64_t i = 0; i < note->open.count; i++)
        assert_ok(flowshop_intervals_add(test_ctx, &o->record, &note->open.items[i]));
    for (int64_t c = 0; c < o->cells; c++) {
        o->children_by_depth[c] += note->children_by_depth[c] - o->last.children_by_depth[c];
        o->last.children_by_depth[c] = note->children_by_depth[c];
    }
    o->leaves += note->leaves - o->last.leaves;
    o->last.leaves = note->leaves;
    o->has_reported_idle = note->open.count == 0;
    o->reports++;
    return MCO_OK;
}

static mco_status give(void *self, flowshop_intervals *given)
{
    outside *o = self;
    bool is_inside;
    assert_ok(flowshop_intervals_subtract(test_ctx, &o->record, given, &is_inside));
    assert_true(is_inside);
    o->gifts += given->count > 0;
    for (int64_t i = 0; i < given->count; i++)
        assert_ok(flowshop_intervals_add(test_ctx, &o->queue, &given->items[i]));
    return MCO_OK;
}

static mco_status heard_of(void *self, int64_t makespan, const int32_t *order)
{
    outside *o = self;
    (void)order;
    o->lower_to = makespan < o->lower_to ? makespan : o->lower_to;
    return MCO_OK;
}

// One search that begins with nothing, until it ends or is killed.
static bool live(outside *o, const mco_flowshop *shop, const team *w, int64_t upper_bound, bool kills)
{
    const flowshop_exchange x = {o, look, heard_of, report, give};
    const flowshop_engine_setup setup = {.gpu_explorer = &mock_explorer, .exchange = &x};
    solve_of_test s;
    o->kills = kills;
    o->has_reported_idle = false;
    memset(o->last.children_by_depth, 0, (size_t)o->cells * sizeof *o->children_by_depth);
    o->last.leaves = 0;
    prepare(&s, shop, w->engine, w->gpus, w->threads, upper_bound);
    s.state.is_slice = true;
    const mco_status st = flowshop_search_tree_by(&s.run, &setup, &s.state, &s.is_proved, &s.stop);
    assert_true(st == MCO_OK || (st == MCO_ERR_IO && kills));
    if (st == MCO_OK)
        assert_int_equal(s.state.open.count, 0);
    end(&s);
    if (st != MCO_OK)  // its record is work again; what it did since its last report is done again
        move_all(&o->record, &o->queue);
    return st == MCO_OK;
}

static void begin_outside(outside *o, const mco_flowshop *shop, uint64_t seed)
{
    const int32_t n = mco_flowshop_jobs(shop);
    flowshop_interval whole = {0};
    *o = (outside){.queue.jobs = n, .record.jobs = n, .lower_to = INT64_MAX,
                   .cells = ((int64_t)n + 1) * flowshop_children_columns(n)};
    mco_rng_seed(&o->rng, seed, 0);
    assert_ok(flowshop_checkpoint_create(test_ctx, n, &o->last));
    assert_ok(mco_alloc(test_ctx, &o->children_by_depth, o->cells));
    assert_ok(flowshop_interval_create(test_ctx, n, &whole));
    assert_ok(flowshop_intervals_add(test_ctx, &o->queue, &whole));
    flowshop_interval_destroy(test_ctx, &whole);
}

static void end_outside(outside *o)
{
    mco_free(test_ctx, &o->children_by_depth);
    flowshop_checkpoint_destroy(test_ctx, &o->last);
    flowshop_intervals_clear(test_ctx, &o->record);
    flowshop_intervals_clear(test_ctx, &o->queue);
}

static int64_t nodes_of(const outside *o, int32_t n)
{
    int64_t sum = 0;
    for (int64_t c = flowshop_children_columns(n); c < o->cells; c++)
        sum += o->children_by_depth[c];
    return sum;
}

static void test_counts_survive(void **state)
{
    (void)state;
    enum { DEATHS = 12 };
    int gifts = 0, works = 0, reports = 0;
    mco_flowshop *shop = taillard(TEST_IS_SANITIZED ? "ta020" : "ta030");
    for (int w = 0; w < COUNT_OF(teams); w++) {
        outside o;
        begin_outside(&o, shop, (uint64_t)w);
        while (!live(&o, shop, &teams[w], TEST_IS_SANITIZED ? 1591 : 2178, o.deaths < DEATHS))
            continue;
        assert_int_equal(nodes_of(&o, 20), TEST_IS_SANITIZED ? 268812 : 2415746);
        assert_int_equal(o.leaves, TEST_IS_SANITIZED ? 2 : 32);
        gifts += o.gifts;
        works += o.works;
        reports += o.reports;
        end_outside(&o);
    }
    assert_true(gifts > 0 && works > COUNT_OF(teams) && reports > COUNT_OF(teams));
    mco_flowshop_destroy(test_ctx, &shop);
}

// A schedule found here is told, and one known outside prunes here.
static void test_incumbents(void **state)
{
    (void)state;
    mco_flowshop *shop = taillard("ta011");
    for (int w = 0; w < COUNT_OF(teams); w++)
        for (int64_t known = 1582; known <= 1583; known++) {
            outside o;
            begin_outside(&o, shop, (uint64_t)w);
            o.lower_to = known;
            assert_true(live(&o, shop, &teams[w], 1583, false));
            assert_int_equal(o.lower_to, 1582);
            end_outside(&o);
        }
    mco_flowshop_destroy(test_ctx, &shop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_subtract),
        TEST(test_counts_survive),
        TEST(test_incumbents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
