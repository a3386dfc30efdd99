// SPDX-License-Identifier: MIT
// A pass of ng-paths (ng.h): opens an engine, and reads its tables.
#include "vrp/bound/relax/ng_pass.h"

#include <assert.h>
#include <stdlib.h>

// The loads of one last node of which vrp_ng_routes() takes routes.
enum { LOADS_OF_A_NODE = 8 };

// ---- Open, close, run

// The largest set, and 1 << (size - 1) sets fit a memory of 32 bits.
static mco_status check_sizes(mco_context *ctx, const vrp_ng_sets *sets, int32_t *largest)
{
    *largest = 1;
    for (int32_t i = 1; i < sets->nodes; i++)
        *largest = sets->size[i] > *largest ? sets->size[i] : *largest;
    if (*largest > VRP_NG_TABLES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "ng sets of %d customers, at most %d in dense tables", *largest, VRP_NG_TABLES);
    return MCO_OK;
}

static mco_status open_sides(mco_context *ctx, vrp_ng_pass *pass)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = pass->problem;
    for (int s = 0; s < pass->sides; s++) {
        vrp_ng_side *side = &pass->side[s];
        MCO_TRY(mco_alloc(ctx, &side->first, p->nodes));
        MCO_TRY(mco_alloc(ctx, &side->last, p->nodes));
        if (pass->engine->is_device)
            continue;
        MCO_TRY(mco_alloc(ctx, &side->far, p->nodes * (int64_t)p->stride));
        MCO_TRY(mco_alloc(ctx, &side->near, pass->pairs));
        MCO_TRY(mco_alloc(ctx, &side->base, (p->capacity + 1) * (int64_t)p->stride));
        for (int64_t at = 0; at < (p->capacity + 1) * (int64_t)p->stride; at++)
            side->base[at] = VRP_NO_PATH;
    }
done:
    return st;
}

static mco_status open_with(mco_context *ctx, const vrp_bound_problem *problem, const vrp_ng_sets *sets,
                            const vrp_relax_settings *settings, vrp_direction direction, vrp_ng_pass **out);

// On two GPUs the pass has one direction, and its twin the other one.
static mco_status open_twin(mco_context *ctx, const vrp_ng_sets *sets, vrp_ng_pass *pass)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_twin_open(ctx, pass->problem, &pass->settings, &pass->twin));
    vrp_relax_settings own = pass->settings;
    pass->settings.gpus = pass->twin.gpu[0][0] != '\0' ? pass->twin.gpu[0] : NULL;
    own.gpus = pass->twin.gpu[1];
    if (!pass->twin.is_there)
        return MCO_OK;
    pass->direction = VRP_FORWARD;
    pass->sides = 1;
    MCO_TRY(open_with(ctx, pass->problem, sets, &own, VRP_BACKWARD, &pass->back));
done:
    return st;
}

static mco_status open_with(mco_context *ctx, const vrp_bound_problem *problem, const vrp_ng_sets *sets,
                            const vrp_relax_settings *settings, vrp_direction direction, vrp_ng_pass **out)
{
    mco_status st = MCO_OK;
    vrp_ng_pass *pass = NULL;
    *out = NULL;
    MCO_TRY(mco_alloc(ctx, &pass, 1));
    *pass = (vrp_ng_pass){.problem = problem, .settings = *settings, .direction = direction, .grain = 1,
                          .sides = problem->is_symmetric || direction != VRP_BOTH_DIRECTIONS ? 1 : 2};
    const vrp_ng_engine *engine = vrp_ng_engine_of(settings->engine);
    if (engine == NULL)
        MCO_TRY(mco_fail(ctx, MCO_ERR_DEVICE, "this build has no ng pass on a GPU"));
    MCO_TRY(check_sizes(ctx, sets, &pass->largest));
    MCO_TRY(vrp_ng_sets_copy(ctx, sets, &pass->sets));
    MCO_TRY(vrp_ng_find_pairs(ctx, pass));
    if (engine->is_device && direction == VRP_BOTH_DIRECTIONS)
        MCO_TRY(open_twin(ctx, sets, pass));
    pass->engine = engine;
    MCO_TRY(engine->open(ctx, pass));
    MCO_TRY(open_sides(ctx, pass));
    *out = pass;
    pass = NULL;
done:
    vrp_ng_close(ctx, &pass);
    return st;
}

mco_status vrp_ng_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_ng_sets *sets,
                       const vrp_relax_settings *settings, vrp_ng_pass **out)
{
    const mco_status st = open_with(ctx, problem, sets, settings, VRP_BOTH_DIRECTIONS, out);
    const bool is_refused = st == MCO_ERR_LIMIT || st == MCO_ERR_DEVICE || st == MCO_ERR_MEMORY;
    if (!is_refused || settings->engine != MCO_ENGINE_GPU || !settings->may_use_cores)
        return st;
    mco_log(ctx, MCO_LOG_INFO, "passes over ng-paths on the cores: %s", mco_context_error(ctx));
    vrp_relax_settings own = *settings;
    own.engine = MCO_ENGINE_CPU;
    return open_with(ctx, problem, sets, &own, VRP_BOTH_DIRECTIONS, out);
}

void vrp_ng_close(mco_context *ctx, vrp_ng_pass **pass)
{
    vrp_ng_pass *gone = *pass;
    if (gone == NULL)
        return;
    vrp_ng_close(ctx, &gone->back);
    vrp_twin_close(&gone->twin);
    if (gone->engine != NULL)
        gone->engine->close(ctx, gone);
    for (int s = 0; s < VRP_NG_SIDES; s++) {
        mco_free(ctx, &gone->side[s].far);
        mco_free(ctx, &gone->side[s].near);
        mco_free(ctx, &gone->side[s].first);
        mco_free(ctx, &gone->side[s].last);
        mco_free(ctx, &gone->side[s].base);  // NULL with a device
    }
    mco_free(ctx, &gone->coarse);
    mco_free(ctx, &gone->pair);
    mco_free(ctx, &gone->first_pair);
    vrp_ng_sets_close(ctx, &gone->sets);
    mco_free(ctx, pass);
}

mco_engine vrp_ng_engine_in_use(const vrp_ng_pass *pass)
{
    return pass->settings.engine;
}

const vrp_ng_engine *vrp_ng_engine_of(mco_engine engine)
{
    switch (engine) {
    case MCO_ENGINE_REFERENCE: return &vrp_ng_reference;
#ifdef MCO_HAVE_CUDA
    case MCO_ENGINE_GPU: return &vrp_ng_gpu;
#else
    case MCO_ENGINE_GPU: return NULL;
#endif
    default: return &vrp_ng_cores;
    }
}

typedef struct both {
    vrp_ng_pass *pass;
    const int32_t *arcs;
} both;

static mco_status run_direction(mco_context *ctx, void *shared, int direction)
{
    const both *b = shared;
    return b->pass->engine->run(ctx, direction == 0 ? b->pass : b->pass->back, b->arcs, b->pass->stop_s);
}

void vrp_ng_coarsen(vrp_ng_pass *pass, int32_t grain)
{
    pass->grain = pass->engine->is_device ? 1 : grain;
}

int32_t vrp_ng_grain(const vrp_ng_pass *pass)
{
    return pass->grain;
}

// The arcs in multiples of the grain, rounded down.
static mco_status divide_arcs(mco_context *ctx, vrp_ng_pass *pass, const int32_t *arcs)
{
    mco_status st = MCO_OK;
    const int64_t cells = (int64_t)pass->problem->nodes * pass->problem->stride;
    const int32_t grain = pass->grain;
    if (pass->coarse == NULL)
        MCO_TRY(mco_alloc(ctx, &pass->coarse, cells));
    for (int64_t k = 0; k < cells; k++)
        pass->coarse[k] = arcs[k] >= VRP_NO_ARC ? arcs[k] : arcs[k] >= 0 ? arcs[k] / grain : -((grain - 1 - arcs[k]) / grain);
done:
    return st;
}

mco_status vrp_ng_run(mco_context *ctx, vrp_ng_pass *pass, const int32_t *arcs, double stop_s)
{
    mco_status st = pass->engine->is_device ? MCO_OK : vrp_ng_check_range(ctx, pass, arcs);
    if (st == MCO_OK && pass->grain > 1)
        st = divide_arcs(ctx, pass, arcs);
    if (st != MCO_OK)
        return st;
    arcs = pass->grain > 1 ? pass->coarse : arcs;
    vrp_ng_set_arcs(pass, arcs);
    pass->ctx = ctx;
    pass->stop_s = stop_s;
    if (pass->back == NULL)
        return pass->engine->run(ctx, pass, arcs, stop_s);
    pass->back->ctx = ctx;
    pass->back->stop_s = stop_s;
    return vrp_twin_run(ctx, &pass->twin, run_direction, &(both){pass, arcs});
}

// ---- Values

// A value of the tables in units of the arcs.
static int32_t in_units(const vrp_ng_pass *pass, int32_t value)
{
    return vrp_ng_is_path(value) ? value * pass->grain : value;
}

int32_t vrp_ng_value(const vrp_ng_pass *pass, bool backward, int32_t load, int32_t node, uint32_t memory)
{
    if (backward && pass->back != NULL)
        return pass->engine->value(pass->back, 0, load, node, memory);
    return in_units(pass, pass->engine->value(pass, backward ? 1 : 0, load, node, memory));
}

// Loads between looks at the clock, each of all nodes or of all memories of one: some 2^20 cells at most at the sizes that memory allows.
enum { LOADS_A_LOOK = 64 };

static bool is_over(const vrp_ng_pass *pass)
{
    return vrp_bound_is_over(pass->ctx, pass->stop_s);
}

mco_status vrp_ng_fetch(mco_context *ctx, const vrp_ng_pass *pass)
{
    const mco_status st = pass->back != NULL ? vrp_ng_fetch(ctx, pass->back) : MCO_OK;
    return st == MCO_OK && pass->engine->fetch != NULL ? pass->engine->fetch(ctx, pass) : st;
}

mco_status vrp_ng_completion(mco_context *ctx, const vrp_ng_pass *pass, bool backward, int32_t node, int32_t *out)
{
    if (!pass->engine->has_tables)
        return mco_fail(ctx, MCO_ERR_LIMIT, "completion bounds need dense tables");
    const mco_status st = vrp_ng_fetch(ctx, pass);
    if (st != MCO_OK)
        return st;
    const int64_t sets = INT64_C(1) << (pass->sets.size[node] - 1);
    for (int32_t q = 0; q <= pass->problem->capacity; q++) {
        if (q % LOADS_A_LOOK == 0 && is_over(pass))
            return MCO_ERR_STOPPED;
        for (int64_t memory = 0; memory < sets; memory++) {
            const int32_t value = vrp_ng_value(pass, backward, q, node, (uint32_t)memory);
            const int32_t before = q == 0 ? VRP_NO_PATH : out[(q - 1) * sets + memory];
            out[q * sets + memory] = value < before ? value : before;
        }
    }
    return MCO_OK;
}

// ---- Routes

// The value of a route of that load whose last customer is `node`; VRP_NO_PATH where there is none.
static int32_t route_value(const vrp_ng_pass *pass, int32_t load, int32_t node)
{
    const vrp_ng_side *side = &pass->side[0];
    const int32_t path = side->base[(int64_t)load * pass->problem->stride + node];
    return vrp_ng_is_path(path) && side->last[node] < VRP_NG_APART ? path + side->last[node] : VRP_NO_PATH;
}

int32_t vrp_ng_least_route(const vrp_ng_pass *pass)
{
    int32_t least = VRP_NO_PATH;
    for (int32_t q = 0; q <= pass->problem->capacity; q++) {
        if (q % LOADS_A_LOOK == 0 && is_over(pass))
            return -VRP_NO_PATH;
        for (int32_t i = 1; i < pass->problem->nodes; i++) {
            const int32_t value = route_value(pass, q, i);
            least = value < least ? value : least;
        }
    }
    return in_units(pass, least);
}

// A path that is being traced back: F(load, node, memory) = value.
typedef struct trace {
    int32_t load, node, value;
    uint32_t memory;
} trace;

// The first customer whose far arc gives the value, or `count`. Whole rows are compared, without a branch for each.
static int32_t far_before(const int32_t *base, const int32_t *far, int32_t value, int32_t count)
{
    enum { ROW = 16 };  // strides are multiples of it
    for (int32_t i = 0; i < count; i += ROW) {
        uint32_t found = 0;
        for (int32_t l = 0; l < ROW; l++)
            found |= (uint32_t)(base[i + l] + far[i + l] == value) << l;
        for (int32_t l = 0; found != 0 && l < ROW; l++)
            if ((found >> l & 1) != 0)
                return i + l;
    }
    return count;
}

// Steps to the predecessor of the smallest index that gives the value. There is one, as the value was made from it.
static void step_back(const vrp_ng_pass *pass, trace *t)
{
    const vrp_bound_problem *p = pass->problem;
    const vrp_ng_side *side = &pass->side[0];
    const int32_t load = t->load - p->demand[t->node], *far = side->far + (int64_t)t->node * p->stride;
    const int32_t *base = side->base + (int64_t)load * p->stride;
    int32_t from = far_before(base, far, t->value, p->nodes), arc = from < p->nodes ? far[from] : 0;
    uint32_t memory = from < p->nodes ? (UINT32_C(1) << (pass->sets.size[from] - 1)) - 1 : 0;
    for (int32_t a = pass->first_pair[t->node]; a < pass->first_pair[t->node + 1]; a++) {
        const vrp_ng_pair *pair = &pass->pair[a];
        // No memory gives less than the base value.
        if (pair->from >= from || base[pair->from] + side->near[a] > t->value)
            continue;
        if (pair->bit >= 0 && (t->memory >> pair->bit & 1) == 0)
            continue;
        const uint32_t before = vrp_ng_memory_before(&pass->sets, pair->from, t->node, t->memory);
        if (pass->engine->value(pass, 0, load, pair->from, before) + side->near[a] != t->value)
            continue;
        from = pair->from;
        arc = side->near[a];
        memory = before;
    }
    assert(from < p->nodes);
    *t = (trace){load, from, t->value - arc, memory};
}

// The best path to `node` of that load, in order of visit, at the end of path [capacity / least_demand]. Returns where it begins.
static int32_t trace_path(const vrp_ng_pass *pass, int32_t load, int32_t node, int32_t *path)
{
    const vrp_bound_problem *p = pass->problem;
    int32_t begin = p->capacity / p->least_demand;
    trace t = {load, node, pass->side[0].base[(int64_t)load * p->stride + node], (UINT32_C(1) << (pass->sets.size[node] - 1)) - 1};
    for (;;) {  // every step takes a demand off the load
        path[--begin] = t.node;
        if (t.load == p->demand[t.node])
            return begin;
        step_back(pass, &t);
    }
}

typedef struct ending {
    int32_t value, node, load;
} ending;

static int compare(const void *a, const void *b)
{
    const ending *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}

// The best loads of each node whose routes have a value < below, the least value first, ties by the smaller load:
// best[node * LOADS_OF_A_NODE] .., count[node] of them.
static void best_loads(const vrp_ng_pass *pass, int32_t below, ending *best, int32_t *count)
{
    for (int32_t q = 1; q <= pass->problem->capacity && (q % LOADS_A_LOOK != 0 || !is_over(pass)); q++)
        for (int32_t i = 1; i < pass->problem->nodes; i++) {
            ending *own = best + (int64_t)i * LOADS_OF_A_NODE;
            const int32_t value = route_value(pass, q, i);
            if (value >= below || value == VRP_NO_PATH || (count[i] == LOADS_OF_A_NODE && value >= own[count[i] - 1].value))
                continue;
            int32_t at = count[i] < LOADS_OF_A_NODE ? count[i]++ : count[i] - 1;
            for (; at > 0 && own[at - 1].value > value; at--)
                own[at] = own[at - 1];
            own[at] = (ending){value, i, q};
        }
}

// The paths of the endings [count], path [count * (capacity / least_demand)].
static mco_status trace_paths(mco_context *ctx, const vrp_ng_pass *pass, vrp_ng_ending *ends, int32_t count, int32_t *path)
{
    const int64_t longest = pass->problem->capacity / pass->problem->least_demand;
    if (pass->engine->trace != NULL)
        return pass->engine->trace(ctx, pass, ends, count, path);
    for (int32_t e = 0; e < count; e++)
        ends[e].begin = trace_path(pass, ends[e].load, ends[e].node, path + e * longest);
    return MCO_OK;
}

// Adds the routes of endings [count] in their order, at most `most` new ones, and counts these in *added. Endings are traced
// vrp_ng_paths() at a time: path [vrp_ng_paths() * (capacity / least_demand)].
static mco_status add_routes(mco_context *ctx, const vrp_ng_pass *pass, const ending *endings, int32_t count, int32_t most,
                             int32_t *path, vrp_routes *routes, int32_t *added)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = pass->problem;
    const int32_t longest = p->capacity / p->least_demand, paths = vrp_ng_paths(p);
    vrp_ng_ending piece[VRP_NG_PATHS];
    for (int32_t e = 0; e < count && *added < most;) {
        if (is_over(pass))
            return MCO_ERR_STOPPED;
        const int32_t left = count - e < most - *added ? count - e : most - *added, own = left < paths ? left : paths;
        for (int32_t k = 0; k < own; k++)
            piece[k] = (vrp_ng_ending){.node = endings[e + k].node, .load = endings[e + k].load};
        MCO_TRY(trace_paths(ctx, pass, piece, own, path));
        for (int32_t k = 0; k < own; k++) {
            const int32_t *first = path + (int64_t)k * longest + piece[k].begin, length = longest - piece[k].begin;
            int64_t index = 0;
            bool is_new = false;
            MCO_TRY(vrp_routes_add(ctx, routes, first, length, vrp_bound_route_cost(p, first, length), &index, &is_new));
            *added += is_new;
        }
        e += own;
    }
done:
    return st;
}

mco_status vrp_ng_routes(mco_context *ctx, const vrp_ng_pass *pass, int32_t below, int32_t most, vrp_routes *routes)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *p = pass->problem;
    ending *best = NULL, *round = NULL;
    int32_t *count = NULL, *path = NULL, added = 0;
    MCO_TRY(mco_alloc(ctx, &best, (int64_t)p->nodes * LOADS_OF_A_NODE));
    MCO_TRY(mco_alloc(ctx, &round, p->nodes));
    MCO_TRY(mco_alloc(ctx, &count, p->nodes));
    MCO_TRY(mco_alloc(ctx, &path, vrp_ng_paths(p) * (int64_t)(p->capacity / p->least_demand)));
    // The least multiple of the grain that is not below it.
    best_loads(pass, below >= 0 ? (int32_t)(((int64_t)below + pass->grain - 1) / pass->grain) : below / pass->grain, best, count);
    for (int32_t rank = 0; rank < LOADS_OF_A_NODE && added < most; rank++) {
        int32_t own = 0;
        for (int32_t i = 1; i < p->nodes; i++)
            if (rank < count[i])
                round[own++] = best[(int64_t)i * LOADS_OF_A_NODE + rank];
        qsort(round, (size_t)own, sizeof *round, compare);
        MCO_TRY(add_routes(ctx, pass, round, own, most, path, routes, &added));
    }
done:
    mco_free(ctx, &path);
    mco_free(ctx, &count);
    mco_free(ctx, &round);
    mco_free(ctx, &best);
    return st;
}
