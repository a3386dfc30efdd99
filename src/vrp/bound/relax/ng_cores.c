// SPDX-License-Identifier: MIT
// Dense ng tables on cores. Loads go up in tiles (ng_lanes.h). A customer of demand at least VRP_NG_TILE takes tiles of that many
// loads; one of demand 8..15 takes tiles of 8 loads, and so on down to 1. So a step is a class of customers and a tile of loads:
// all its cells read finished cells only, in any order, by any number of threads.
#include "vrp/bound/relax/ng_lanes.h"

#include <stdatomic.h>

#include "base/team.h"

// Classes of demands: class c has demands 2^c .. 2^(c + 1) - 1, the last one all from VRP_NG_TILE on.
enum { CLASSES = 5 };
// Customers of an item of the team, and the cells from which on a step is worth the team: some 50 microseconds of work.
enum { ITEM = 8, TEAM_CELLS = 512 };
// Entries of an item from which on it looks at the clock first: some 0.1 ms of work.
static const int64_t LOOK_PAYS = 1 << 19;
// After a pass in 32 bits, so many go straight to 32 bits before one tries 16 again.
enum { WIDE_PASSES = 15 };

typedef struct cores {
    const vrp_ng_build *build;
    mco_team team;
    int32_t team_size;              // 0: there is none
    int32_t sets, rooms;
    int32_t first_of[CLASSES + 1];  // the customers of class c are order[first_of[c]] .. order[first_of[c + 1] - 1]
    int32_t *order;                 // [customers]
    int32_t *from, *top;            // ng_lanes.h
    uint8_t *kind;
    uint32_t *lanes;
    uint16_t *low, *high;
    vrp_ng_common *common;          // NULL if the build does not read it
    vrp_ng_scratch *scratch;        // [threads]
    uint16_t *cell[VRP_NG_SIDES];
    int32_t *wide[VRP_NG_SIDES];    // NULL until a pass needs it
    bool is_wide;                   // the last pass was
    int32_t wide_passes;            // still to come
    // Of the step in work.
    const vrp_ng_view *view;
    bool (*tiles)(const vrp_ng_view *, const vrp_ng_scratch *, const int32_t *, int32_t, int32_t, int32_t);
    int32_t begin, end, load, count;
    atomic_bool has_overflow;
    // Of the run: for steps that take long.
    mco_context *ctx;
    double stop_s;
    atomic_bool is_stopped;
} cores;

#define DECLARE(set, unit) extern const vrp_ng_build vrp_ng_build_##set;
MCO_EACH_SIMD(DECLARE)
#define ADDRESS(set, unit) &vrp_ng_build_##set,
static const vrp_ng_build *const builds[] = {MCO_EACH_SIMD(ADDRESS)};

// ---- Open and close

static int class_of(int32_t demand)
{
    int class = 0;
    while (class + 1 < CLASSES && demand >> (class + 1) != 0)
        class++;
    return class;
}

static mco_status sort_customers(mco_context *ctx, const vrp_bound_problem *p, cores *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(ctx, &c->order, p->nodes));
    int32_t count = 0;
    for (int class = 0; class < CLASSES; class++) {
        c->first_of[class] = count;
        for (int32_t k = 1; k < p->nodes; k++)
            if (class_of(p->demand[k]) == class)
                c->order[count++] = k;
    }
    c->first_of[CLASSES] = count;
done:
    return st;
}

// An entry is a union over the bits of m and of what m does not change. So entries of the lower five bits and of the others do.
static mco_status map_entries(mco_context *ctx, const vrp_ng_pass *pass, cores *c)
{
    mco_status st = MCO_OK;
    const int32_t highs = c->sets / 32;
    MCO_TRY(mco_alloc(ctx, &c->low, (int64_t)pass->pairs * 32));
    MCO_TRY(mco_alloc(ctx, &c->high, (int64_t)pass->pairs * highs));
    MCO_TRY(mco_alloc(ctx, &c->lanes, (int64_t)pass->pairs * highs));
    MCO_TRY(mco_alloc(ctx, &c->from, pass->pairs));
    MCO_TRY(mco_alloc(ctx, &c->kind, pass->pairs));
    MCO_TRY(mco_alloc(ctx, &c->top, pass->pairs));
    for (int32_t a = 0; a < pass->pairs; a++) {
        const int32_t bit = pass->pair[a].bit;
        c->from[a] = pass->pair[a].from;
        c->kind[a] = (uint8_t)pass->pair[a].kind;
        c->top[a] = bit < 0 ? 0 : 1 << bit;
        for (int32_t m = 0; m < c->sets; m++)
            if (bit < 0 || (m >> bit & 1) != 0)
                c->lanes[(int64_t)a * highs + m / 32] |= UINT32_C(1) << m % 32;
        for (int32_t m = 0; m < 32; m++)
            c->low[(int64_t)a * 32 + m] = vrp_ng_entry(pass, &pass->pair[a], c->sets, (uint32_t)m);
        for (int32_t h = 0; h < highs; h++)
            c->high[(int64_t)a * highs + h] = vrp_ng_entry(pass, &pass->pair[a], c->sets, 32 * (uint32_t)h);
    }
done:
    return st;
}

// The choice for set m of the sets that differ in the bits at[] [count] of the common customers.
static uint16_t choice(const int32_t *at, int32_t count, int32_t m)
{
    int32_t j = 0;
    for (int32_t c = 0; c < count; c++)
        j |= (m >> at[c] & 1) << c;
    return (uint16_t)(0x0202 * j);
}

static vrp_ng_common common_of(const vrp_ng_pass *pass, const vrp_ng_pair *pair, int32_t sets)
{
    enum { MOST = 4 };
    vrp_ng_common out = {.is_small = sets <= 128};
    int32_t at[VRP_NG_MOST], count = 0;
    for (int32_t b = 0; b < pass->sets.size[pair->from] - 1; b++) {
        const int32_t customer = pass->sets.neighbour[(int64_t)pair->from * VRP_NG_MOST + b];
        const int32_t bit = customer == pair->to ? -1 : vrp_ng_sets_bit(&pass->sets, pair->to, customer);
        if (bit >= 0)
            at[count++] = bit;
    }
    out.is_small = out.is_small && count <= MOST;
    for (int32_t j = 0; j < 16 && out.is_small; j++) {
        uint32_t m = 0;
        for (int32_t c = 0; c < count; c++)
            m |= ((uint32_t)j >> c & 1) << at[c];
        out.entry[j] = vrp_ng_entry(pass, pair, sets, m);
        out.low[j] = choice(at, count, j);
    }
    for (int32_t h = 0; h < sets / 16 && out.is_small; h++)
        out.high[h] = choice(at, count, 16 * h);
    return out;
}

static mco_status map_common(mco_context *ctx, const vrp_ng_pass *pass, cores *c)
{
    mco_status st = MCO_OK;
    if (!c->build->reads_common)
        goto done;
    MCO_TRY(mco_alloc(ctx, &c->common, pass->pairs));
    for (int32_t a = 0; a < pass->pairs; a++)
        c->common[a] = common_of(pass, &pass->pair[a], c->sets);
done:
    return st;
}

static mco_status allocate_cells(mco_context *ctx, const vrp_ng_pass *pass, cores *c)
{
    mco_status st = MCO_OK;
    const int64_t rows = pass->problem->nodes * (int64_t)c->rooms;
    for (int s = 0; s < pass->sides; s++) {
        MCO_TRY(mco_alloc(ctx, &c->cell[s], rows * c->sets));
    }
done:
    return st;
}

static mco_status allocate_scratch(mco_context *ctx, const vrp_ng_pass *pass, cores *c)
{
    mco_status st = MCO_OK;
    int32_t most = 0;
    for (int32_t k = 1; k < pass->problem->nodes; k++) {
        const int32_t pairs = pass->first_pair[k + 1] - pass->first_pair[k];
        most = pairs > most ? pairs : most;
    }
    MCO_TRY(mco_alloc(ctx, &c->scratch, pass->settings.threads));
    for (int32_t t = 0; t < pass->settings.threads; t++) {
        MCO_TRY(mco_alloc(ctx, &c->scratch[t].live, most + 1));
    }
done:
    return st;
}

static double table_bytes(const vrp_ng_pass *pass, const cores *c, size_t entry)
{
    return (double)pass->sides * c->rooms * pass->problem->nodes * c->sets * (double)entry;
}

static mco_status check_memory(mco_context *ctx, const vrp_ng_pass *pass, const cores *c, double bytes)
{
    if (bytes <= pass->settings.memory)
        return MCO_OK;
    return mco_fail(ctx, MCO_ERR_LIMIT, "ng tables of %d loads, %d nodes and %d sets need %.0f bytes, at most %.0f may be taken",
                    pass->problem->capacity + 1, pass->problem->nodes, c->sets, bytes, pass->settings.memory);
}

static mco_status open(mco_context *ctx, vrp_ng_pass *pass)
{
    mco_status st = MCO_OK;
    cores *c = NULL;
    const mco_build *build = NULL;
    MCO_TRY(mco_alloc(ctx, &c, 1));
    pass->own = c;
    c->sets = pass->largest > 6 ? 1 << (pass->largest - 1) : VRP_NG_LEAST_SETS;
    c->rooms = pass->problem->capacity + 1;
    MCO_TRY(check_memory(ctx, pass, c, table_bytes(pass, c, sizeof **c->cell)));
    MCO_TRY(mco_pick(ctx, builds, pass->settings.simd, 0, &build));
    c->build = (const vrp_ng_build *)build;
    MCO_TRY(sort_customers(ctx, pass->problem, c));
    MCO_TRY(map_entries(ctx, pass, c));
    MCO_TRY(map_common(ctx, pass, c));
    MCO_TRY(allocate_scratch(ctx, pass, c));
    MCO_TRY(allocate_cells(ctx, pass, c));
    MCO_TRY(vrp_relax_fit_team(ctx, &pass->settings, &c->team, &c->team_size));
done:
    return st;
}

static void close(mco_context *ctx, vrp_ng_pass *pass)
{
    cores *c = pass->own;
    if (c == NULL)
        return;
    if (c->team_size > 0)
        mco_team_close(&c->team);
    for (int s = 0; s < VRP_NG_SIDES; s++) {
        mco_free(ctx, &c->cell[s]);
        mco_free(ctx, &c->wide[s]);
    }
    for (int32_t t = 0; c->scratch != NULL && t < pass->settings.threads; t++)
        mco_free(ctx, &c->scratch[t].live);
    mco_free(ctx, &c->scratch);
    mco_free(ctx, &c->common);
    mco_free(ctx, &c->lanes);
    mco_free(ctx, &c->top);
    mco_free(ctx, &c->kind);
    mco_free(ctx, &c->from);
    mco_free(ctx, &c->high);
    mco_free(ctx, &c->low);
    mco_free(ctx, &c->order);
    mco_free(ctx, &c);
    pass->own = NULL;
}

// ---- Steps

static void do_item(void *shared, int worker, int64_t item)
{
    cores *c = shared;
    const int32_t begin = c->begin + (int32_t)item * ITEM, end = begin + ITEM < c->end ? begin + ITEM : c->end;
    if ((int64_t)(end - begin) * c->count * (c->view->stride + 64 * (int64_t)c->sets) >= LOOK_PAYS && vrp_bound_is_over(c->ctx, c->stop_s))
        atomic_store_explicit(&c->is_stopped, true, memory_order_relaxed);
    if (atomic_load_explicit(&c->is_stopped, memory_order_relaxed))
        return;
    if (!c->tiles(c->view, &c->scratch[worker], c->order + begin, end - begin, c->load, c->count))
        atomic_store_explicit(&c->has_overflow, true, memory_order_relaxed);
}

// The cells of a class at loads load .. load + count - 1, then those of the classes of smaller demands at both halves.
static void do_step(cores *c, int class, int32_t load, int32_t capacity)
{
    if (load > capacity)
        return;
    const int32_t tile = 1 << class, room = capacity + 1 - load;
    c->load = load;
    c->count = tile < room ? tile : room;
    c->begin = c->first_of[class];
    c->end = c->first_of[class + 1];
    const int32_t items = (c->end - c->begin + ITEM - 1) / ITEM;
    if (c->team_size > 0 && (c->end - c->begin) * c->count >= TEAM_CELLS)
        mco_team_run(&c->team, items, do_item, NULL, c);
    else
        for (int32_t item = 0; item < items; item++)
            do_item(c, 0, item);
    if (class == 0 || c->first_of[class] == 0)
        return;
    do_step(c, class - 1, load, capacity);
    do_step(c, class - 1, load + tile / 2, capacity);
}

// All loads of one side. Ends early with an overflow.
static mco_status do_side(mco_context *ctx, cores *c, const vrp_ng_view *view, int32_t capacity)
{
    c->view = view;
    c->tiles = c->is_wide ? c->build->wide_tiles : c->build->tiles;
    for (int32_t load = 0; load <= capacity && !atomic_load(&c->has_overflow); load += VRP_NG_TILE) {
        if (!vrp_bound_is_over(c->ctx, c->stop_s))
            do_step(c, CLASSES - 1, load, capacity);
        else
            atomic_store(&c->is_stopped, true);
        if (atomic_load(&c->is_stopped))
            return mco_fail(ctx, MCO_ERR_STOPPED, "the ng pass was stopped at load %d of %d", load, capacity);
    }
    return MCO_OK;
}

static vrp_ng_view view_of(const vrp_ng_pass *pass, int s)
{
    const cores *c = pass->own;
    const vrp_ng_side *side = &pass->side[s];
    return (vrp_ng_view){.stride = pass->problem->stride, .rooms = c->rooms, .sets = c->sets, .demand = pass->problem->demand,
                         .first = side->first, .far = side->far, .near = side->near, .first_pair = pass->first_pair,
                         .from = c->from, .kind = c->kind, .top = c->top, .lanes = c->lanes, .common = c->common,
                         .low = c->low, .high = c->high, .base = side->base,
                         .cell = c->cell[s], .wide = c->is_wide ? c->wide[s] : NULL};
}

static mco_status do_sides(mco_context *ctx, vrp_ng_pass *pass, double stop_s)
{
    mco_status st = MCO_OK;
    cores *c = pass->own;
    c->ctx = ctx;
    c->stop_s = stop_s;
    atomic_store(&c->is_stopped, false);
    atomic_store(&c->has_overflow, false);
    for (int s = 0; s < pass->sides && !atomic_load(&c->has_overflow); s++) {
        const vrp_ng_view view = view_of(pass, s);
        MCO_TRY(do_side(ctx, c, &view, pass->problem->capacity));
    }
done:
    return st;
}

static mco_status open_wide(mco_context *ctx, const vrp_ng_pass *pass, cores *c)
{
    mco_status st = MCO_OK;
    MCO_TRY(check_memory(ctx, pass, c, table_bytes(pass, c, sizeof **c->cell + sizeof **c->wide)));
    for (int s = 0; s < pass->sides; s++)
        if (c->wide[s] == NULL)
            MCO_TRY(mco_alloc(ctx, &c->wide[s], pass->problem->nodes * (int64_t)c->rooms * c->sets));
done:
    return st;
}

static mco_status run(mco_context *ctx, vrp_ng_pass *pass, const int32_t *arcs, double stop_s)
{
    mco_status st = MCO_OK;
    cores *c = pass->own;
    (void)arcs;
    MCO_TRY(vrp_relax_fit_team(ctx, &pass->settings, &c->team, &c->team_size));
    c->is_wide = c->wide_passes > 0;
    if (!c->is_wide) {
        MCO_TRY(do_sides(ctx, pass, stop_s));
        if (!atomic_load(&c->has_overflow))
            goto done;
        MCO_TRY(open_wide(ctx, pass, c));
        c->wide_passes = WIDE_PASSES + 1;
        c->is_wide = true;
    }
    c->wide_passes--;
    MCO_TRY(do_sides(ctx, pass, stop_s));
done:
    return st;
}

static int32_t value(const vrp_ng_pass *pass, int side, int32_t load, int32_t node, uint32_t memory)
{
    const cores *c = pass->own;
    const int32_t base = pass->side[side].base[(int64_t)load * pass->problem->stride + node];
    const int64_t at = ((int64_t)node * c->rooms + load) * c->sets + memory;
    if (!vrp_ng_is_path(base))
        return VRP_NO_PATH;
    if (c->is_wide)
        return c->wide[side][at];
    return c->cell[side][at] == VRP_NG_NONE ? VRP_NO_PATH : base + c->cell[side][at];
}

const vrp_ng_engine vrp_ng_cores = {.open = open, .close = close, .run = run, .value = value, .has_tables = true};
