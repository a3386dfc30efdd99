// SPDX-License-Identifier: MIT
// Random instances of up to seven customers against every partition of the customers into routes and every order of
// each route. It shares nothing with the library but the public interface. Distances are rounded or real, of places or
// of matrices, symmetric or not, with and without the triangle inequality; limits are the capacity, the length with
// service times, and the vehicles. Up to twelve customers the answers are exact. So that the search has to find them as
// well, the same instances are also solved with customers added that need a vehicle each, at the place of the depot.
//
// MCO_PARTITION_INSTANCES sets the number of instances, MCO_PARTITION_SEED the first of them. With MCO_PARTITION_SAVE
// instances without an answer are written to files. An argument names the one test to run.
#include "test_support.h"

#include "mco/vrp.h"

enum { MOST = 7, SETS = 1 << MOST, INSTANCES = 250, ITERATIONS = 3000, CAPACITY = 10, PADDED = 13 };
static const int64_t NONE = INT64_MAX;

// ---- Random numbers (xorshift; Marsaglia 2003)

static uint64_t random_state;

static int below(int limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (int)((random_state >> 20) % (uint64_t)limit);
}

// ---- Instances

typedef enum shape { ROUNDED, REAL, SYMMETRIC, ASYMMETRIC, ROADS, CONSTANT, SHAPES } shape;

// Roads: shortest paths in a random graph of one-way streets, which obey the triangle inequality.
static void close_paths(int nodes, int32_t *d)
{
    for (int k = 0; k < nodes; k++)
        for (int i = 0; i < nodes; i++)
            for (int j = 0; j < nodes; j++)
                if (d[i * nodes + k] + d[k * nodes + j] < d[i * nodes + j])
                    d[i * nodes + j] = d[i * nodes + k] + d[k * nodes + j];
}

static void fill_matrix(shape kind, int nodes, int32_t *d)
{
    const int range = 1 + below(below(2) ? 6 : 50), same = below(3);
    for (int i = 0; i < nodes; i++)
        for (int j = 0; j < nodes; j++)
            d[i * nodes + j] = i == j ? 0
                               : kind == CONSTANT ? same
                               : kind == SYMMETRIC && j < i ? d[j * nodes + i] : below(range);
    if (kind == ROADS)
        close_paths(nodes, d);
}

// The limits are drawn around what the instance needs, so that about a third has no solution.
static mco_vrp_model random_model(shape kind, int customers, int size)
{
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.distance = kind == REAL || (kind != ROUNDED && below(4) == 0) ? MCO_VRP_DISTANCES_REAL : MCO_VRP_DISTANCES_ROUNDED;
    model.capacity = CAPACITY;
    if (below(4) > 0)
        model.max_length = (double)below(4 * size + 1) + (below(2) ? 0 : below(1000) / 1000.0);
    if (below(3) == 0)
        model.service_time = below(size + 1) / (below(2) ? 2.0 : 1.0);
    if (below(4) > 0)
        model.vehicles = 1 + below(customers < 4 ? customers + 1 : 4);
    return model;
}

static mco_vrp *random_instance(void)
{
    const shape kind = (shape)below(SHAPES);
    const int customers = 1 + below(MOST), nodes = customers + 1, size = 1 + below(below(2) ? 4 : 30);
    double x[MOST + 1], y[MOST + 1];
    int32_t demands[MOST], d[(MOST + 1) * (MOST + 1)];
    mco_vrp *problem = NULL;
    const int heavy = 1 + below(CAPACITY);
    for (int c = 0; c < customers; c++)
        demands[c] = below(10) == 0 ? 0 : 1 + below(heavy);
    mco_vrp_model model = random_model(kind, customers, size);
    if (kind == ROUNDED || kind == REAL) {
        const bool is_line = below(3) == 0;  // the depot among the customers; many customers at one place
        for (int i = 0; i < nodes; i++) {
            x[i] = below(10 * size + 1) / 10.0;
            y[i] = is_line ? 0 : below(10 * size + 1) / 10.0;
        }
        assert_ok(mco_vrp_from_coordinates(test_ctx, customers, x, y, demands, &model, &problem));
    } else {
        fill_matrix(kind, nodes, d);
        assert_ok(mco_vrp_create(test_ctx, customers, d, demands, &model, &problem));
    }
    return problem;
}

// The same customers, and PADDED in all: each new one fills a vehicle of its own, which drives 0. NULL where that is
// not the same problem: a customer of no demand could join them, or their service is too long.
static mco_vrp *padded(const mco_vrp *p)
{
    const int customers = mco_vrp_customers(p), nodes = customers + 1;
    const bool is_limited = mco_vrp_max_length(p) < MCO_VRP_MAX_LENGTH;
    int32_t demands[PADDED], d[(PADDED + 1) * (PADDED + 1)];
    mco_vrp *out = NULL;
    mco_vrp_model model = MCO_VRP_MODEL_INIT;
    model.capacity = CAPACITY;
    model.service_time = mco_vrp_service(p, 0);
    model.max_length = is_limited ? mco_vrp_max_length(p) : -1;
    model.vehicles = mco_vrp_vehicles(p) > 0 ? mco_vrp_vehicles(p) + PADDED - customers : 0;
    for (int c = 0; c < PADDED; c++) {
        demands[c] = c < customers ? mco_vrp_demand(p, c) : CAPACITY;
        if (demands[c] == 0)
            return NULL;
    }
    if (is_limited && model.service_time > model.max_length)
        return NULL;
    for (int i = 0; i <= PADDED; i++)
        for (int j = 0; j <= PADDED; j++)
            d[i * (PADDED + 1) + j] = mco_vrp_distance(p, i < nodes ? i : 0, j < nodes ? j : 0);
    assert_ok(mco_vrp_create(test_ctx, PADDED, d, demands, &model, &out));
    return out;
}

// ---- Every partition

typedef struct oracle {
    const mco_vrp *problem;
    int customers;
    int64_t route[SETS];  // least cost of a route of these customers within the limits; NONE: there is none
} oracle;

// Lowers the cost of every set of customers by all routes that begin like this one.
static void extend(oracle *o, unsigned visited, int at, int64_t cost)
{
    const int64_t home = cost + mco_vrp_distance(o->problem, at, 0);
    if (visited != 0 && home < o->route[visited])
        o->route[visited] = home;
    for (int c = 0; c < o->customers; c++)
        if ((visited & 1u << c) == 0)
            extend(o, visited | 1u << c, c + 1, cost + mco_vrp_distance(o->problem, at, c + 1));
}

static void refuse_routes(oracle *o)
{
    const mco_vrp *p = o->problem;
    for (unsigned set = 1; set < 1u << o->customers; set++) {
        int64_t load = 0, length = o->route[set];
        for (int c = 0; c < o->customers; c++)
            if (set & 1u << c) {
                load += mco_vrp_demand(p, c);
                length += mco_vrp_service(p, c);
            }
        const bool is_long = mco_vrp_max_length(p) < MCO_VRP_MAX_LENGTH && length > mco_vrp_max_length(p);
        if (load > mco_vrp_capacity(p) || is_long)
            o->route[set] = NONE;
    }
}

// The least cost of routes for the customers left. The first of them is in each set that is tried.
static int64_t best_partition(const oracle *o, unsigned left, int vehicles)
{
    int64_t best = NONE;
    if (left == 0)
        return 0;
    if (vehicles == 0)
        return NONE;
    const unsigned first = left & -left, others = left ^ first;
    for (unsigned more = others;; more = (more - 1) & others) {
        const int64_t route = o->route[more | first];
        const int64_t rest = route == NONE ? NONE : best_partition(o, others ^ more, vehicles - 1);
        if (rest != NONE && route + rest < best)
            best = route + rest;
        if (more == 0)
            return best;
    }
}

static int64_t optimum_of(const mco_vrp *problem)
{
    oracle o = {.problem = problem, .customers = mco_vrp_customers(problem)};
    for (int set = 0; set < SETS; set++)
        o.route[set] = NONE;
    extend(&o, 0, 0, 0);
    refuse_routes(&o);
    const int vehicles = mco_vrp_vehicles(problem);
    return best_partition(&o, (1u << o.customers) - 1, vehicles > 0 ? vehicles : o.customers);
}

// ---- Runs

typedef struct tally {
    int instances, runs, infeasible, unknown, optimal;
    int wrong, missed, above;  // called infeasible, or unknown, where there is a solution; not the optimum
} tally;

// The cost of the routes; fails if they break a rule.
static int64_t cost_of(const mco_vrp *p, const mco_vrp_solution *s)
{
    unsigned seen = 0;
    int64_t total = 0;
    const int vehicles = mco_vrp_vehicles(p);
    assert_true(s->customers == mco_vrp_customers(p) && (vehicles == 0 || s->routes <= vehicles));
    for (int r = 0; r < s->routes; r++) {
        int64_t load = 0, length = 0, cost = 0;
        int at = 0;
        for (int k = s->first[r]; k < s->first[r + 1]; k++) {
            const int c = s->order[k];
            assert_true(c >= 0 && c < s->customers && (seen & 1u << c) == 0);
            seen |= 1u << c;
            load += mco_vrp_demand(p, c);
            length += mco_vrp_service(p, c);
            cost += mco_vrp_distance(p, at, c + 1);
            at = c + 1;
        }
        cost += mco_vrp_distance(p, at, 0);
        assert_true(at > 0 && load <= mco_vrp_capacity(p));
        assert_true(mco_vrp_max_length(p) == MCO_VRP_MAX_LENGTH || length + cost <= mco_vrp_max_length(p));
        total += cost;
    }
    assert_int_equal(seen, (1u << s->customers) - 1);
    return total;
}

static void run(const mco_vrp *problem, const mco_vrp_params *params, int64_t optimum, tally *t)
{
    mco_vrp_result r = MCO_VRP_RESULT_INIT;
    assert_ok(mco_vrp_solve(test_ctx, problem, params, &r));
    t->runs++;
    switch (r.outcome) {
    case MCO_OUTCOME_INFEASIBLE:
        t->infeasible++;
        t->wrong += optimum != NONE;
        assert_true(r.reason[0] != '\0' && r.solution.order == NULL);
        break;
    case MCO_OUTCOME_UNKNOWN:
        t->unknown++;
        t->missed += optimum != NONE;
        break;
    default:
        assert_int_equal(cost_of(problem, &r.solution), r.scaled_cost);
        assert_true(r.scaled_cost >= optimum);
        assert_true(r.outcome != MCO_OUTCOME_OPTIMAL || r.scaled_cost == optimum);
        t->above += r.scaled_cost > optimum;
        t->optimal += r.outcome == MCO_OUTCOME_OPTIMAL;
    }
    mco_vrp_result_clear(test_ctx, &r);
}

// Without a start, and from every construction that keeps the limits.
static void run_from_all_starts(const mco_vrp *problem, mco_vrp_params params, int64_t optimum, tally *t)
{
    run(problem, &params, optimum, t);
    for (int k = MCO_VRP_CONSTRUCTION_INSERTION; k <= (int)MCO_VRP_CONSTRUCTION_SAVINGS; k++) {
        mco_vrp_solution start = {0};
        const mco_status st = mco_vrp_construct(test_ctx, problem, (mco_vrp_construction)k, &start);
        assert_true(st == MCO_OK || st == MCO_ERR_ARGUMENT);
        t->wrong += st == MCO_ERR_ARGUMENT && optimum != NONE;
        if (st == MCO_OK && mco_vrp_check(test_ctx, problem, &start, NULL) == MCO_OK) {
            params.start = &start;
            run(problem, &params, optimum, t);
        }
        mco_vrp_solution_clear(test_ctx, &start);
    }
}

static int environment(const char *name, int otherwise)
{
    const char *value = getenv(name);
    return value != NULL ? atoi(value) : otherwise / (TEST_IS_SANITIZED ? 10 : 1);
}

static void save(const mco_vrp *problem, const char *label, int number)
{
    char name[64];
    snprintf(name, sizeof name, "open-%s-%d.vrp", label, number);
    assert_ok(mco_vrp_write(test_ctx, problem, name));
}

static void all_instances(const char *label, mco_engine engine, int64_t iterations, bool is_padded, tally *t)
{
    const int instances = environment("MCO_PARTITION_INSTANCES", INSTANCES), first = environment("MCO_PARTITION_SEED", 0);
    *t = (tally){0};
    for (int k = 1; k <= instances; k++) {
        random_state = (uint64_t)(first + k) * 0x9e3779b97f4a7c15u;
        mco_vrp *problem = random_instance(), *larger = is_padded ? padded(problem) : NULL;
        const int64_t optimum = optimum_of(problem);
        mco_vrp_params params = MCO_VRP_PARAMS_INIT;
        params.engine = engine;
        params.threads = 1;
        params.seed = k;
        params.iterations = iterations;
        const int missed = t->missed;
        if (is_padded == (larger != NULL)) {
            t->instances++;
            run_from_all_starts(is_padded ? larger : problem, params, optimum, t);
        }
        if (t->missed > missed && getenv("MCO_PARTITION_SAVE") != NULL)
            save(problem, label, first + k);
        mco_vrp_destroy(test_ctx, &larger);
        mco_vrp_destroy(test_ctx, &problem);
    }
    print_message("%s: %d instances, %d runs: %d optimal, %d infeasible (%d wrong), %d unknown (%d have a solution), "
                  "%d above the optimum\n", label, t->instances, t->runs, t->optimal, t->infeasible, t->wrong, t->unknown,
                  t->missed, t->above);
    assert_int_equal(t->wrong, 0);
}

// Few customers are decided exactly.
static void the_answers_are_proven(void **state)
{
    static const mco_engine engines[] = {MCO_ENGINE_CPU, MCO_ENGINE_REFERENCE};
    tally t;
    (void)state;
    for (int k = 0; k < COUNT_OF(engines); k++) {
        all_instances(k == 0 ? "cpu" : "reference", engines[k], -1, false, &t);
        assert_true(t.unknown == 0 && t.optimal + t.infeasible == t.runs);
    }
}

// A number of iterations asks for the search. What it leaves open is decided exactly.
static void no_answer_stays_open(void **state)
{
    tally t;
    (void)state;
    all_instances("iterations", MCO_ENGINE_CPU, ITERATIONS, false, &t);
    assert_int_equal(t.unknown, 0);
}

// The search alone misses a solution now and then, if distances break the triangle inequality in both directions.
static void the_search_finds_solutions(void **state)
{
    tally t;
    (void)state;
    all_instances("padded, cpu", MCO_ENGINE_CPU, ITERATIONS, true, &t);
    assert_true(t.missed <= 1 + t.runs / 1000);
    all_instances("padded, reference", MCO_ENGINE_REFERENCE, ITERATIONS, true, &t);
    assert_true(t.missed <= 1 + t.runs / 1000);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {TEST(the_answers_are_proven), TEST(no_answer_stays_open),
                                       TEST(the_search_finds_solutions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
