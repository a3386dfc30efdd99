// SPDX-License-Identifier: MIT
#include "vrp/bound/pool/pool.h"

#include <math.h>
#include <string.h>

#include "base/grow.h"
#include "vrp/bound/columns/separate.h"
#include "vrp/bound/pool/branch.h"

// Rounds of cuts at the root and at other nodes; rows a round; a round goes on while the bound rises by this part of the gap.
enum { ROOT_ROUNDS = 40, NODE_ROUNDS = 3, ROWS_A_ROUND = 60 };
// So many routes a customer are columns at first: the first ones of the list, which are the best where labels have listed them.
enum { BEGIN_A_CUSTOMER = 10 };
static const double LEAST_VIOLATION = 0.02, LEAST_RISE = 0.01;

// A node is its parent's, and one decision.
typedef struct node {
    int32_t parent;        // -1: the root
    pool_decision decision;
    int64_t bound;         // of the parent, in units of proofs
    bool is_open;
    mco_lp_basis basis;    // of the parent
} node;

typedef struct search {
    mco_context *ctx;
    mco_run *run;
    pool_program program;
    int64_t known;         // scaled units; plans must cost less
    double stop_s;         // as long as many routes are left
    double small_stop_s;   // then
    node *nodes;           // [count]
    int64_t count, room;
    bool is_stopped, is_stuck;
    vrp_pool_result *result;
} search;

static bool must_stop(search *s)
{
    s->is_stopped = s->is_stopped || vrp_bound_is_over(s->ctx, s->stop_s) ||
                    (s->run != NULL && mco_run_must_stop(s->run, s->run->work));
    return s->is_stopped;
}

// Whether no plan of a node with this bound can cost less than the best known: plans cost integers.
static bool is_closed(const search *s, int64_t bound)
{
    return bound > (s->known - 1) * s->program.unit;
}

// ---- Plans

// Takes the whole routes of the program as the best plan, after a count of their own.
static mco_status take_plan(search *s)
{
    mco_status st = MCO_OK;
    const pool_program *p = &s->program;
    int64_t *plan = NULL, cost = 0;
    int32_t routes = 0, visits = 0;
    uint64_t *seen = NULL;
    bool is_plan = true;
    MCO_TRY(mco_alloc(s->ctx, &plan, p->customers));
    MCO_TRY(mco_alloc(s->ctx, &seen, p->words));
    for (int32_t j = 0; j < p->routes && is_plan; j++) {
        if (p->value[j] < 0.5)
            continue;
        for (int64_t k = p->first[j]; k < p->first[j + 1]; k++) {
            is_plan = is_plan && !vrp_set_has(seen, p->node[k]);
            seen[p->node[k] >> 6] |= (uint64_t)1 << (p->node[k] & 63);
            visits++;
        }
        cost += p->cost[j];
        if (is_plan)
            plan[routes++] = p->index[j];
    }
    is_plan = is_plan && visits == p->customers && routes >= p->problem->fleet.least && routes <= p->problem->fleet.most;
    if (is_plan && cost < s->known) {
        mco_free(s->ctx, &s->result->plan);
        s->result->plan = plan;
        s->result->plan_count = routes;
        s->result->cost = s->known = cost;
        plan = NULL;
    }
done:
    mco_free(s->ctx, &plan);
    mco_free(s->ctx, &seen);
    return st;
}

// ---- The program at a node

// Keeps the prices of the last proof for the recheck. At the root only.
static mco_status keep_prices(search *s)
{
    mco_status st = MCO_OK;
    const pool_program *p = &s->program;
    vrp_claim_pools *pools = &s->result->prices;
    vrp_claim_pool kept = {.unit = p->unit};
    MCO_TRY(mco_alloc(s->ctx, &kept.price, p->customers + 1));
    memcpy(kept.price, p->price, ((size_t)p->customers + 1) * sizeof *kept.price);
    MCO_TRY(vrp_cuts_copy(s->ctx, &p->cuts, &kept.cuts));
    MCO_TRY(mco_alloc(s->ctx, &kept.row_price, kept.cuts.count));
    for (int64_t k = 0; k < kept.cuts.count; k++) {
        kept.row_price[k] = p->rows[k].price;
        kept.cuts.cut[k].price = (p->rows[k].price > 0) - (p->rows[k].price < 0);  // its sign
    }
    MCO_TRY(mco_grow(s->ctx, &pools->pool, &pools->room, pools->count + 1));
    pools->pool[pools->count++] = kept;
    kept = (vrp_claim_pool){0};
done:
    vrp_claim_pool_clear(s->ctx, &kept);
    return st;
}

// A list that is small now has all the time.
static void take_time(search *s)
{
    if (s->program.routes <= VRP_POOL_SMALL)
        s->stop_s = s->program.stop_s = s->small_stop_s;
}

// Deletes routes that no better plan uses: their reduced cost exceeds the gap. Right at the root only.
static mco_status remove_routes(search *s)
{
    mco_status st = MCO_OK;
    pool_program *p = &s->program;
    bool *keep = NULL;
    int32_t kept = 0;
    MCO_TRY(mco_alloc(s->ctx, &keep, p->routes));
    for (int32_t j = 0; j < p->routes; j++) {
        keep[j] = !is_closed(s, p->bound + (p->reduced[j] > 0 ? p->reduced[j] : 0));
        kept += keep[j];
    }
    if (kept < p->routes) {
        MCO_TRY(keep_prices(s));
        MCO_TRY(pool_keep(p, keep));
        take_time(s);
    }
done:
    mco_free(s->ctx, &keep);
    return st;
}

// RANK1 rows count with full memory here: routes are explicit, so memories save nothing.
static void forget_memories(search *s, int64_t from)
{
    for (int64_t k = from; k < s->program.cuts.count; k++)
        mco_free(s->ctx, &s->program.cuts.cut[k].memory);
}

// The routes of the program as a list, for separation. *values [routes] are theirs.
static mco_status list_support(search *s, vrp_routes *list, double **values)
{
    mco_status st = MCO_OK;
    const pool_program *p = &s->program;
    vrp_routes_open(false, list);
    MCO_TRY(mco_alloc(s->ctx, values, p->routes));
    for (int32_t j = 0; j < p->routes; j++) {
        const int64_t at = list->count;
        if (p->value[j] <= 1e-9)
            continue;
        MCO_TRY(vrp_routes_add(s->ctx, list, p->node + p->first[j], (int32_t)(p->first[j + 1] - p->first[j]), p->cost[j], NULL, NULL));
        (*values)[at] = p->value[j];
    }
done:
    return st;
}

static mco_status add_cuts(search *s, int32_t *found)
{
    mco_status st = MCO_OK;
    vrp_routes list;
    double *values = NULL;
    int32_t grown = 0;
    const int64_t from = s->program.cuts.count;
    *found = 0;
    if (from + ROWS_A_ROUND > POOL_MOST_CUTS)
        return MCO_OK;
    MCO_TRY(list_support(s, &list, &values));
    MCO_TRY(vrp_separate_rank1(s->ctx, s->program.problem, &list, values, ROWS_A_ROUND, LEAST_VIOLATION, s->stop_s, &s->program.cuts, found,
                               &grown));
    forget_memories(s, from);
    *found = (int32_t)(s->program.cuts.count - from);
    st = pool_add_rows(&s->program, from);
    s->is_stopped = s->is_stopped || st == MCO_ERR_STOPPED;
    st = st == MCO_ERR_STOPPED ? MCO_OK : st;
done:
    vrp_routes_close(s->ctx, &list);
    mco_free(s->ctx, &values);
    return st;
}

// Solves and proves, until no route joins the program; false in *is_solved if the solver was stopped or failed. Ends: routes join, none
// leaves.
static mco_status solve(search *s, bool *is_solved)
{
    mco_status st = MCO_OK;
    mco_lp_end end = MCO_LP_OPTIMAL;
    mco_lp_method method = MCO_LP_DUAL;
    int32_t joined = 1;
    for (*is_solved = true; *is_solved && joined > 0; method = MCO_LP_PRIMAL) {
        MCO_TRY(mco_lp_solve(s->ctx, s->program.lp, method, s->stop_s, &end));
        *is_solved = end == MCO_LP_OPTIMAL;
        if (*is_solved) {
            pool_prove(&s->program);
            MCO_TRY(pool_join(&s->program, &joined));
        }
    }
    s->is_stuck = s->is_stuck || (!*is_solved && end != MCO_LP_STOPPED);
    s->is_stopped = s->is_stopped || !*is_solved;
done:
    return st;
}

// Whether the bound still rises enough for another round of cuts.
static bool is_worth_a_round(const search *s, bool is_root, int round, int64_t before, int64_t bound)
{
    const double gap = (double)((s->known - 1) * s->program.unit - bound);
    return round < (is_root ? ROOT_ROUNDS : NODE_ROUNDS) && (round < 3 || (double)(bound - before) >= LEAST_RISE * gap);
}

// Solves the program with rounds of cuts. *bound rises to what is proved; a whole solution becomes the plan. At the end the program
// stands at its optimum, unless the node is closed or the search stops.
static mco_status work_on(search *s, bool is_root, int64_t *bound)
{
    mco_status st = MCO_OK;
    int32_t found = 1;
    for (int round = 0; found > 0 && !must_stop(s); round++) {
        bool is_solved = false;
        const int64_t before = *bound;
        const int32_t routes = s->program.routes;
        MCO_TRY(solve(s, &is_solved));
        if (!is_solved)
            break;
        *bound = s->program.bound > *bound ? s->program.bound : *bound;
        const bool is_whole = pool_is_whole(&s->program);
        if (is_whole)
            MCO_TRY(take_plan(s));
        if (is_closed(s, *bound))
            break;
        found = 0;
        if (!is_whole && is_worth_a_round(s, is_root, round, before, *bound))
            MCO_TRY(add_cuts(s, &found));
        if (s->is_stopped)
            break;
        if (is_root)
            MCO_TRY(remove_routes(s));
        if (found == 0 && s->program.routes < routes)
            MCO_TRY(solve(s, &is_solved));
    }
done:
    return st;
}

// ---- The tree

static mco_status restrict_to(search *s, int32_t k)
{
    mco_status st = MCO_OK;
    pool_program *p = &s->program;
    vrp_fleet fleet = p->problem->fleet;
    bool *allowed = NULL;
    MCO_TRY(mco_alloc(s->ctx, &allowed, p->routes));
    memset(allowed, true, (size_t)p->routes * sizeof *allowed);
    for (int32_t at = k; at >= 0; at = s->nodes[at].parent) {
        const pool_decision *d = &s->nodes[at].decision;
        if (d->choice == POOL_FLEET) {
            fleet.least = d->a > fleet.least ? d->a : fleet.least;
            fleet.most = d->b < fleet.most ? d->b : fleet.most;
        }
        for (int32_t j = 0; j < p->routes; j++)
            allowed[j] = allowed[j] && pool_obeys(p, j, d);
    }
    MCO_TRY(pool_restrict(p, allowed, fleet));
    if (s->nodes[k].basis.place != NULL)
        MCO_TRY(mco_lp_load_basis(s->ctx, p->lp, &s->nodes[k].basis));
done:
    mco_free(s->ctx, &allowed);
    return st;
}

static mco_status add_node(search *s, int32_t parent, const pool_decision *decision, int64_t bound)
{
    mco_status st = MCO_OK;
    node n = {.parent = parent, .decision = *decision, .bound = bound, .is_open = true};
    MCO_TRY(mco_grow(s->ctx, &s->nodes, &s->room, s->count + 1));
    if (parent >= 0)
        MCO_TRY(mco_lp_save_basis(s->ctx, s->program.lp, &n.basis));
    s->nodes[s->count++] = n;
done:
    return st;
}

// The open node of least bound, the latest of several; -1: none. Nodes keep bases of thousands of bytes each, so memory ends a search before
// its nodes are as many as can be read in 0.1 s.
static int32_t next_node(const search *s)
{
    int32_t best = -1;
    for (int32_t k = 0; k < s->count; k++)
        if (s->nodes[k].is_open && (best < 0 || s->nodes[k].bound <= s->nodes[best].bound))
            best = k;
    return best;
}

// At the root, before a basis is saved: nodes go on with the rows that hold something.
static mco_status drop_rows(search *s)
{
    mco_status st = MCO_OK;
    bool has_dropped = false, is_solved;
    MCO_TRY(pool_drop_idle_rows(&s->program, &has_dropped));
    if (has_dropped)
        MCO_TRY(solve(s, &is_solved));
done:
    return st;
}

static mco_status expand(search *s, int32_t k)
{
    mco_status st = MCO_OK;
    pool_decision decisions[2];
    bool found = false;
    int64_t bound = s->nodes[k].bound;
    MCO_TRY(restrict_to(s, k));
    MCO_TRY(work_on(s, k == 0, &bound));
    s->nodes[k].bound = bound;
    if (k == 0 && bound > INT64_MIN / 2)
        MCO_TRY(keep_prices(s));
    if (k == 0 && !s->is_stopped && !is_closed(s, bound))
        MCO_TRY(drop_rows(s));
    if (s->is_stopped && !is_closed(s, bound))
        return MCO_OK;
    if (!is_closed(s, bound)) {
        MCO_TRY(pool_branch(&s->program, s->stop_s, decisions, &found));
        s->is_stuck = s->is_stuck || !found;
        if (!found)
            return MCO_OK;
        for (int side = 1; side >= 0; side--)
            MCO_TRY(add_node(s, k, &decisions[side], bound));
    }
    s->nodes[k].is_open = false;
    mco_lp_basis_clear(s->ctx, &s->nodes[k].basis);
done:
    return st;
}

static mco_status run_search(search *s)
{
    mco_status st = MCO_OK;
    const pool_decision nothing = {POOL_NOTHING, 0, 0};
    MCO_TRY(add_node(s, -1, &nothing, INT64_MIN / 2));
    for (int32_t k = 0; k >= 0 && !must_stop(s) && !s->is_stuck; k = next_node(s)) {
        if (is_closed(s, s->nodes[k].bound))
            break;
        MCO_TRY(expand(s, k));
    }
done:
    return st;
}

// The bound of all plans: of the open node of least bound, rounded up to the next cost.
static void settle(search *s)
{
    vrp_pool_result *r = s->result;
    const int32_t k = next_node(s);
    const int64_t unit = s->program.unit;
    r->bound = s->known;
    if (k >= 0 && !is_closed(s, s->nodes[k].bound)) {
        const int64_t bound = s->nodes[k].bound;
        r->bound = bound < 0 ? 0 : (bound + unit - 1) / unit;
    }
    r->is_done = r->bound >= s->known;
    r->nodes = s->count;
    r->cuts = s->program.cuts.count;
    r->routes_left = s->program.routes;
}

static mco_status open_search(search *s, const vrp_bound_problem *problem, const vrp_routes *routes, const vrp_cuts *cuts)
{
    mco_status st = MCO_OK;
    MCO_TRY(pool_open(s->ctx, problem, routes, s->known, BEGIN_A_CUSTOMER * problem->customers, s->stop_s, &s->program));
    take_time(s);
    if (cuts != NULL && cuts->count < POOL_MOST_CUTS) {
        MCO_TRY(vrp_cuts_copy(s->ctx, cuts, &s->program.cuts));
        forget_memories(s, 0);
        MCO_TRY(pool_add_rows(&s->program, 0));
    }
done:
    s->is_stopped = st == MCO_ERR_STOPPED;
    return s->is_stopped ? MCO_OK : st;
}

mco_status vrp_pool_solve(mco_context *ctx, mco_run *run, const vrp_bound_problem *problem, const vrp_routes *routes, const vrp_cuts *cuts,
                          int64_t known, int32_t threads, double stop_s, double large_stop_s, vrp_pool_result *result)
{
    mco_status st = MCO_OK;
    const int64_t most = pool_most_cost(problem);
    vrp_pool_result r = {.cost = INT64_MAX};
    search s = {.ctx = ctx, .run = run, .known = known < most ? known : most, .small_stop_s = stop_s, .stop_s = fmin(stop_s, large_stop_s),
                .result = &r};
    MCO_TRY(open_search(&s, problem, routes, cuts));
    s.program.threads = threads;
    MCO_TRY(run_search(&s));
    settle(&s);
    if (r.is_done && r.plan == NULL)
        r.bound = known;
    *result = r;
    r = (vrp_pool_result){0};
done:
    for (int64_t k = 0; k < s.count; k++)
        mco_lp_basis_clear(ctx, &s.nodes[k].basis);
    mco_free(ctx, &s.nodes);
    vrp_pool_result_clear(ctx, &r);
    pool_close(&s.program);
    return st;
}

void vrp_pool_result_clear(mco_context *ctx, vrp_pool_result *result)
{
    mco_free(ctx, &result->plan);
    vrp_claim_pools_clear(ctx, &result->prices);
    *result = (vrp_pool_result){0};
}
