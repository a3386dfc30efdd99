// SPDX-License-Identifier: MIT
// Passes over q-paths: they open, run, and give cells, the least route and routes, whatever the engine.
#include <stdlib.h>

#include "device/device.h"
#include "vrp/bound/relax/q_inside.h"

enum { ROUTES_OF_NODE = 8 };  // with one last node that a call adds: one for each of its best loads

mco_status vrp_q_refuse_value(mco_context *ctx, const char *what, int64_t value)
{
    return mco_fail(ctx, MCO_ERR_LIMIT, "%s has the value %lld in units of the bound, between %d and %d supported; take a smaller unit", what,
                    (long long)value, -VRP_NO_PATH / 2 + 1, VRP_NO_PATH / 2 - 1);
}

// ---- Threads

int32_t vrp_relax_threads(const vrp_relax_settings *settings)
{
    const int32_t now = settings->threads_now != NULL ? atomic_load(settings->threads_now) : settings->threads;
    return now < 1 ? 1 : now < settings->threads ? now : settings->threads;
}

mco_status vrp_relax_fit_team(mco_context *ctx, const vrp_relax_settings *settings, mco_team *team, int32_t *size)
{
    const int32_t threads = vrp_relax_threads(settings);
    if (threads == *size || (threads == 1 && *size == 0))
        return MCO_OK;
    if (*size > 1)
        mco_team_close(team);
    *team = (mco_team){0};
    *size = 0;
    const mco_status st = threads > 1 ? mco_team_open(ctx, threads, false, team) : MCO_OK;
    if (st != MCO_OK)
        mco_team_close(team);
    *size = st == MCO_OK && threads > 1 ? threads : 0;
    return st;
}

// ---- Open, run, close

static const vrp_q_engine *engine_of(mco_engine engine)
{
    switch (engine) {
    case MCO_ENGINE_REFERENCE: return &VRP_Q_REFERENCE;
    case MCO_ENGINE_CPU: return &VRP_Q_CPU;
#ifdef MCO_HAVE_CUDA
    case MCO_ENGINE_GPU: return &VRP_Q_GPU;
#endif
    default: return NULL;
    }
}

static mco_status open_with(mco_context *ctx, const vrp_bound_problem *problem, const vrp_relax_settings *settings, vrp_direction direction,
                            vrp_q_pass **out);

// On two GPUs the pass has one direction, and its twin the other one.
static mco_status open_twin(mco_context *ctx, vrp_q_pass *pass)
{
    mco_status st = MCO_OK;
    MCO_TRY(vrp_twin_open(ctx, pass->problem, &pass->settings, &pass->twin));
    vrp_relax_settings own = pass->settings;
    pass->settings.gpus = pass->twin.gpu[0][0] != '\0' ? pass->twin.gpu[0] : NULL;
    own.gpus = pass->twin.gpu[1];
    if (!pass->twin.is_there)
        return MCO_OK;
    pass->direction = VRP_FORWARD;
    MCO_TRY(open_with(ctx, pass->problem, &own, VRP_BACKWARD, &pass->back));
done:
    return st;
}

static mco_status open_with(mco_context *ctx, const vrp_bound_problem *problem, const vrp_relax_settings *settings, vrp_direction direction,
                            vrp_q_pass **out)
{
    mco_status st = MCO_OK;
    vrp_q_pass *pass = NULL;
    *out = NULL;
    const vrp_q_engine *engine = engine_of(settings->engine);
    if (engine == NULL && settings->engine == MCO_ENGINE_GPU)
        return mco_gpu_choose(ctx, NULL, &(mco_gpu){0});  // in a build without GPU engines it fails, and says why
    if (engine == NULL)
        return mco_fail(ctx, MCO_ERR_ARGUMENT, "no pass over q-paths has the engine %s; --engine cpu has one",
                        mco_engine_text(settings->engine));
    const double bytes = engine->bytes(problem, settings);
    if (bytes > settings->memory)
        return mco_fail(ctx, MCO_ERR_LIMIT, "tables of %d nodes and loads up to %d need %.0f MiB, at most %.0f MiB may be taken", problem->nodes,
                        problem->capacity, bytes / (1 << 20), settings->memory / (1 << 20));
    MCO_TRY(mco_alloc(ctx, &pass, 1));
    pass->problem = problem;
    pass->settings = *settings;
    pass->engine = engine;
    pass->direction = direction;
    pass->room_stride = problem->capacity + 1;
    MCO_TRY(mco_alloc(ctx, &pass->home, problem->nodes));
    MCO_TRY(mco_alloc(ctx, &pass->room, 3 * (size_t)pass->room_stride));
    if (settings->engine == MCO_ENGINE_GPU && direction == VRP_BOTH_DIRECTIONS)
        MCO_TRY(open_twin(ctx, pass));
    MCO_TRY(engine->open(ctx, pass));
    *out = pass;
done:
    if (st != MCO_OK)
        vrp_q_close(ctx, &pass);
    return st;
}

mco_status vrp_q_open(mco_context *ctx, const vrp_bound_problem *problem, const vrp_relax_settings *settings, vrp_q_pass **out)
{
    const mco_status st = open_with(ctx, problem, settings, VRP_BOTH_DIRECTIONS, out);
    const bool is_refused = st == MCO_ERR_LIMIT || st == MCO_ERR_DEVICE || st == MCO_ERR_MEMORY;
    if (!is_refused || settings->engine != MCO_ENGINE_GPU || !settings->may_use_cores)
        return st;
    mco_log(ctx, MCO_LOG_INFO, "passes over q-paths on the cores: %s", mco_context_error(ctx));
    vrp_relax_settings own = *settings;
    own.engine = MCO_ENGINE_CPU;
    return open_with(ctx, problem, &own, VRP_BOTH_DIRECTIONS, out);
}

mco_engine vrp_q_engine_in_use(const vrp_q_pass *pass)
{
    return pass->settings.engine;
}

void vrp_q_close(mco_context *ctx, vrp_q_pass **pass)
{
    if (*pass == NULL)
        return;
    vrp_q_close(ctx, &(*pass)->back);
    vrp_twin_close(&(*pass)->twin);
    (*pass)->engine->close(ctx, *pass);
    mco_free(ctx, &(*pass)->home);
    mco_free(ctx, &(*pass)->room);
    mco_free(ctx, pass);
}

typedef struct both {
    vrp_q_pass *pass;
    const int32_t *arcs;
} both;

static mco_status run_direction(mco_context *ctx, void *shared, int direction)
{
    const both *b = shared;
    return b->pass->engine->run(ctx, direction == 0 ? b->pass : b->pass->back, b->arcs, b->pass->stop_s);
}

mco_status vrp_q_run(mco_context *ctx, vrp_q_pass *pass, const int32_t *arcs, double stop_s)
{
    const vrp_bound_problem *problem = pass->problem;
    for (int32_t i = 0; i < problem->nodes; i++)
        pass->home[i] = arcs[(int64_t)i * problem->stride];
    pass->ctx = ctx;
    pass->stop_s = stop_s;
    if (pass->back != NULL)
        return vrp_twin_run(ctx, &pass->twin, run_direction, &(both){pass, arcs});
    return pass->engine->run(ctx, pass, arcs, stop_s);
}

// ---- Cells

int32_t vrp_q_value(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node)
{
    return vrp_q_cell_of(pass, backward, load, node).value;
}

int32_t vrp_q_before(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node)
{
    return vrp_q_cell_of(pass, backward, load, node).before;
}

int32_t vrp_q_second(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node)
{
    return vrp_q_cell_of(pass, backward, load, node).second;
}

int32_t vrp_q_second_before(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node)
{
    return vrp_q_cell_of(pass, backward, load, node).second_before;
}

// ---- Routes

void vrp_q_trace(const vrp_q_pass *pass, bool backward, int32_t load, int32_t node, bool is_second, bool skips_it, int32_t *out,
                 int32_t *count)
{
    vrp_q_cell cell = vrp_q_cell_of(pass, backward, load, node);
    while (node > 0) {
        if (!skips_it)
            out[(*count)++] = node;
        skips_it = false;
        const int32_t before = is_second ? cell.second_before : cell.before;
        load -= pass->problem->demand[node];
        if (before > 0) {
            cell = vrp_q_cell_of(pass, backward, load, before);
            is_second = cell.before == node;
        }
        node = before;
    }
}

static vrp_q_column room_for_column(const vrp_q_pass *pass)
{
    return (vrp_q_column){pass->room, pass->room + pass->room_stride, pass->room + 2 * (int64_t)pass->room_stride};
}

int32_t vrp_q_least_route(const vrp_q_pass *pass)
{
    const vrp_q_column column = room_for_column(pass);
    int64_t least = VRP_NO_PATH;
    for (int32_t i = 1; i < pass->problem->nodes; i++) {
        int32_t value = VRP_NO_PATH;
        if (vrp_q_is_over(pass->ctx, pass->stop_s))  // a column has at most capacity + 1 loads
            return -VRP_NO_PATH;
        pass->engine->column(pass, false, i, &column);
        for (int32_t k = 0; k <= pass->problem->capacity - pass->problem->demand[i]; k++)
            value = column.value[k] < value ? column.value[k] : value;
        const int64_t route = (int64_t)value + pass->home[i];
        if (value < VRP_NO_PATH && pass->home[i] < VRP_NO_ARC && route < least)
            least = route;
    }
    return (int32_t)least;
}

// A path that ends a route, and its place among those of its last node.
typedef struct ending {
    int32_t rank, value, node, load;
} ending;

static int by_rank(const void *a, const void *b)
{
    const ending *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

// The best loads of one last node, least first, ties by load. Returns how many.
static int32_t endings_of(const vrp_q_pass *pass, int32_t node, int32_t below, ending *out)
{
    const vrp_q_column column = room_for_column(pass);
    int32_t count = 0;
    if (pass->home[node] >= VRP_NO_ARC)
        return 0;
    pass->engine->column(pass, false, node, &column);
    const int32_t demand = pass->problem->demand[node];
    for (int32_t k = 0; k <= pass->problem->capacity - demand; k++) {
        const int64_t value = (int64_t)column.value[k] + pass->home[node];
        if (column.value[k] >= VRP_NO_PATH || value >= below || (count == ROUTES_OF_NODE && value >= out[count - 1].value))
            continue;
        int32_t at = count < ROUTES_OF_NODE ? count++ : count - 1;
        for (; at > 0 && out[at - 1].value > value; at--)
            out[at] = out[at - 1];
        out[at] = (ending){0, (int32_t)value, node, demand + k};
    }
    for (int32_t k = 0; k < count; k++)
        out[k].rank = k;
    return count;
}

mco_status vrp_q_routes(mco_context *ctx, const vrp_q_pass *pass, int32_t below, int32_t most, vrp_routes *routes)
{
    mco_status st = MCO_OK;
    const vrp_bound_problem *problem = pass->problem;
    ending *endings = NULL;
    int32_t *node = NULL, added = 0;
    int64_t count = 0;
    MCO_TRY(mco_alloc(ctx, &endings, (size_t)problem->nodes * ROUTES_OF_NODE));
    MCO_TRY(mco_alloc(ctx, &node, problem->capacity / problem->least_demand + 1));
    for (int32_t i = 1; i < problem->nodes; i++) {
        if (vrp_q_is_over(ctx, pass->stop_s)) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
        count += endings_of(pass, i, below, endings + count);
    }
    qsort(endings, (size_t)count, sizeof *endings, by_rank);
    for (int64_t k = 0; k < count && added < most; k++) {
        int32_t length = 0;
        int64_t index;
        bool is_new;
        if (vrp_q_is_over(ctx, pass->stop_s)) {
            st = MCO_ERR_STOPPED;
            goto done;
        }
        vrp_q_trace(pass, false, endings[k].load, endings[k].node, false, false, node, &length);
        for (int32_t a = 0, b = length - 1; a < b; a++, b--) {
            const int32_t swap = node[a];
            node[a] = node[b];
            node[b] = swap;
        }
        MCO_TRY(vrp_routes_add(ctx, routes, node, length, vrp_bound_route_cost(problem, node, length), &index, &is_new));
        added += is_new;
    }
done:
    mco_free(ctx, &endings);
    mco_free(ctx, &node);
    return st;
}
