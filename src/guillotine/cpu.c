// SPDX-License-Identifier: MIT
// The cpu engine: tiles of the table (guillotine/lanes.h) on all cores.
//
// Threads claim rows of tiles in turn. A tile waits until the tile under it, in the row below, is done; there are no
// barriers.
//
// If only the plate's value and plan are wanted and no piece is worth more than its area, 16 bits hold the waste up to
// a cap. The cap grows until the plate's waste lies below it. A small cap pays because most strips reach it and are
// left out.
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/pages.h"
#include "base/simd.h"
#include "base/team.h"
#include "guillotine/engine.h"
#include "guillotine/lanes.h"

static const int32_t CAPS[] = {400, 2400, 12000, 32767};
enum { CAP_COUNT = sizeof CAPS / sizeof CAPS[0] };
static const int64_t PARALLEL_RELAXATIONS = 30000000;  // about a millisecond; less is not worth a thread
static const int64_t MAX_SIDE = 1 << 26;               // the table of ranks has an entry for every coordinate
static const int64_t WASTE_AHEAD_CELLS = 20000000;     // in smaller tables most tiles have cells at the cap
static const double SUPERVISE_S = 0.02;

// ---- Variants

#define DECLARE(set, simd, bits) extern const guillotine_lanes_variant guillotine_lanes_##set##_##bits;
#define LIST(set, simd, bits) &guillotine_lanes_##set##_##bits,

MCO_EACH_LANES(DECLARE, 16)
MCO_EACH_LANES(DECLARE, 32)
MCO_EACH_LANES(DECLARE, 64)
static const guillotine_lanes_variant *const variants[] = {MCO_EACH_LANES(LIST, 16) MCO_EACH_LANES(LIST, 32)
                                                               MCO_EACH_LANES(LIST, 64)};

// ---- The engine

typedef struct level {
    char *a, *b;  // tables A and B; NULL where not kept
} level;

typedef struct engine {
    mco_context *ctx;
    const guillotine_job *job;
    const guillotine_lanes_variant *variant;
    int lane_bits;
    int32_t panel;  // lanes of a panel
    int32_t cap;
    guillotine_lanes_axis x, y;
    int32_t *x_rank, *y_rank;
    guillotine_seed *seeds;  // by tile
    int64_t *seeds_of_tile;
    level *levels;           // [job->stages + 1]
    int32_t level_count;     // levels computed; all further ones equal the last
    int64_t bytes, relaxations;
    int threads;             // workers; 0: there is too little work for one, and the calling thread does it
    void *out;                          // the caller's table; NULL while it is not allocated
    const guillotine_lanes_run *known;  // a finished run by waste, whose exact tiles are copied; NULL for none
    // State of the level that is being computed
    guillotine_lanes_run run;
    atomic_int next_row;
    atomic_int *progress;  // [x.tiles] tiles of a row that are done
    atomic_bool is_stopped;
    atomic_int_least64_t sums;
    char *scratch;  // of each thread
} engine;

static void wait_for(const atomic_int *progress, int32_t most, const atomic_bool *is_stopped)
{
    enum { SPINS = 2000 };
    for (int spins = 0; atomic_load_explicit(progress, memory_order_acquire) <= most; spins++) {
        if (atomic_load_explicit(is_stopped, memory_order_relaxed))
            return;
        if (spins > SPINS)
            sched_yield();
    }
}

// Waste: the last row of each panel, for rests that are no position, holds the cap. A thread fills it before the panel's first
// tile, so that no pass begins by touching all memory.
static void fill_sentinels(const engine *e, char *table, int32_t panel, int32_t rows)
{
    uint16_t *row = (uint16_t *)(void *)(table + ((int64_t)panel * (rows + 1) + rows) * GUILLOTINE_PANEL_BYTES);
    for (int32_t l = 0; l < e->panel; l++)
        row[l] = (uint16_t)e->cap;
}

static void work(void *shared, int worker)
{
    engine *e = shared;
    void *scratch = e->scratch + (size_t)worker * e->variant->scratch_bytes;
    bool is_stopped = false;
    for (int32_t ti; !is_stopped && (ti = atomic_fetch_add(&e->next_row, 1)) < e->x.tiles;) {
        int64_t sums = 0;
        for (int32_t tj = 0; tj < e->y.tiles; tj++) {
            if (ti > 0)
                wait_for(&e->progress[ti - 1], tj, &e->is_stopped);
            is_stopped = atomic_load_explicit(&e->is_stopped, memory_order_relaxed);
            if (is_stopped)
                break;
            if (e->lane_bits == 16 && ti == 0)
                fill_sentinels(e, e->run.x.table, tj, e->x.count);
            if (e->lane_bits == 16 && tj == 0)
                fill_sentinels(e, e->run.y.table, ti, e->y.count);
            sums += e->variant->run_tile(&e->run, ti, tj, scratch);
            atomic_store_explicit(&e->progress[ti], tj + 1, memory_order_release);
        }
        atomic_fetch_add(&e->sums, sums);
    }
}

// Computes the level that e->run describes. *stop is set if the run is stopped.
static mco_status run_level(engine *e, mco_stop *stop)
{
    mco_status st = MCO_OK;
    mco_team team = {0};
    atomic_store(&e->next_row, 0);
    for (int32_t ti = 0; ti < e->x.tiles; ti++)
        atomic_store(&e->progress[ti], 0);
    atomic_store(&e->sums, 0);
    if (e->threads == 0) {
        work(e, 0);
    } else {
        MCO_TRY(mco_team_start_some(e->ctx, e->threads, work, NULL, e, &team));
        if (team.started == 0)
            MCO_TRY(mco_fail(e->ctx, MCO_ERR_MEMORY, "no thread could be started"));
        while (!mco_team_wait(&team, SUPERVISE_S))
            if (guillotine_is_stopped(e->job, e->relaxations + atomic_load(&e->sums), stop))
                atomic_store(&e->is_stopped, true);
    }
    e->relaxations += atomic_load(&e->sums);
done:
    mco_team_join(&team);
    return st;
}

// ---- Memory

static int32_t tiles_of(const engine *e, const guillotine_axis *axis)
{
    return (axis->count + e->panel - 1) / e->panel;
}

static int64_t table_bytes(const engine *e, const guillotine_axis *rows, const guillotine_axis *lanes)
{
    return (int64_t)tiles_of(e, lanes) * (rows->count + 1) * GUILLOTINE_PANEL_BYTES;
}

static int64_t bytes_needed(const engine *e)
{
    const guillotine_axis *x = &e->job->model->x, *y = &e->job->model->y;
    const int64_t a = table_bytes(e, x, y), b = table_bytes(e, y, x), cells = (int64_t)x->count * y->count;
    const int64_t strips = (int64_t)sizeof(guillotine_strip) *
                           ((int64_t)x->count * tiles_of(e, y) + (int64_t)y->count * tiles_of(e, x));
    const int64_t stages = e->job->stages, table = e->job->wants_table ? cells * (e->lane_bits / 8) : 0;
    return (a + b) * (1 + (stages + 1) / 2) + strips + ((int64_t)x->side + y->side) * 4 + table;
}

static mco_status take_table(engine *e, int64_t bytes, char **table)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(e->ctx, table, bytes));
    mco_advise_huge(*table, (size_t)bytes);
    e->bytes += bytes;
done:
    return st;
}

static mco_status take_level(engine *e, bool has_a, bool has_b, level *out)
{
    mco_status st = MCO_OK;
    const guillotine_axis *x = &e->job->model->x, *y = &e->job->model->y;
    if (has_a)
        MCO_TRY(take_table(e, table_bytes(e, x, y), &out->a));
    if (has_b)
        MCO_TRY(take_table(e, table_bytes(e, y, x), &out->b));
done:
    return st;
}

// For every coordinate, the last position at or below it. For waste, a coordinate that is no position gets axis->count.
static mco_status make_rank(engine *e, const guillotine_axis *axis, int32_t **rank, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const bool is_exact = e->lane_bits == 16;
    int64_t left = GUILLOTINE_LOOK;
    MCO_TRY(mco_alloc(e->ctx, rank, (int64_t)axis->side + 1));
    for (int32_t p = 0; p < axis->count; p++) {
        if (guillotine_is_late(e->job, &left, p > 0 ? axis->at[p] - axis->at[p - 1] : 1, 0, stop))
            break;
        const int32_t end = p + 1 < axis->count ? axis->at[p + 1] : axis->side + 1;
        (*rank)[axis->at[p]] = p;
        for (int32_t at = axis->at[p] + 1; at < end; at++)
            (*rank)[at] = is_exact ? axis->count : p;
    }
done:
    return st;
}

static mco_status take_axis(engine *e, const guillotine_axis *axis, int32_t panels, const int32_t *rank,
                            guillotine_lanes_axis *out)
{
    mco_status st = MCO_OK;
    *out = (guillotine_lanes_axis){.at = axis->at, .count = axis->count, .tiles = tiles_of(e, axis), .rank = rank};
    MCO_TRY(mco_alloc(e->ctx, &out->strips, (int64_t)panels * axis->count));
    MCO_TRY(mco_alloc(e->ctx, &out->strip_count, panels));
    e->bytes += (int64_t)panels * axis->count * (int64_t)sizeof(guillotine_strip);
done:
    return st;
}

static mco_status sort_seeds(engine *e)
{
    mco_status st = MCO_OK;
    const guillotine_model *model = e->job->model;
    const int64_t tiles = (int64_t)e->x.tiles * e->y.tiles;
    MCO_TRY(mco_alloc(e->ctx, &e->seeds, model->seed_count));
    MCO_TRY(mco_alloc(e->ctx, &e->seeds_of_tile, tiles + 2));
    int64_t *end = e->seeds_of_tile + 1;  // of each tile, where its next seed goes; finally where the next tile begins
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t k = 0; k < model->seed_count; k++) {
            const guillotine_seed *s = &model->seeds[k];
            const int64_t tile = (int64_t)(s->i / e->panel) * e->y.tiles + s->j / e->panel;
            if (pass == 0)
                end[tile + 1 < tiles ? tile + 1 : tiles]++;
            else
                e->seeds[end[tile]++] = *s;
        }
        for (int64_t t = 1; t < tiles && pass == 0; t++)
            end[t] += end[t - 1];
    }
done:
    return st;
}

// If the run is stopped, *stop says so, and the engine is incomplete.
static mco_status open_engine(mco_context *ctx, const guillotine_job *job, int lane_bits, int32_t cap, mco_stop *stop, engine *e)
{
    mco_status st = MCO_OK;
    const guillotine_axis *x = &job->model->x, *y = &job->model->y;
    *e = (engine){.ctx = ctx, .job = job, .cap = cap, .lane_bits = lane_bits};
    MCO_TRY(mco_pick(ctx, variants, job->simd, lane_bits, &e->variant));
    e->panel = GUILLOTINE_PANEL_BYTES * 8 / lane_bits;
    const int64_t need = bytes_needed(e);
    if (need > job->memory_bytes)
        MCO_TRY(mco_fail(ctx, MCO_ERR_LIMIT,
                         "tables over %d x %d normal patterns need %.1f MiB, at most %.1f MiB allowed", x->count - 1,
                         y->count - 1, (double)need / (1 << 20), (double)job->memory_bytes / (1 << 20)));
    MCO_TRY(make_rank(e, x, &e->x_rank, stop));
    MCO_TRY(make_rank(e, y, &e->y_rank, stop));
    MCO_TRY(take_axis(e, x, tiles_of(e, y), e->x_rank, &e->x));
    MCO_TRY(take_axis(e, y, tiles_of(e, x), e->y_rank, &e->y));
    MCO_TRY(sort_seeds(e));
    MCO_TRY(mco_alloc(ctx, &e->levels, job->stages + 1));
    MCO_TRY(mco_alloc(ctx, &e->progress, e->x.tiles));
    if (guillotine_all_relaxations(job) >= PARALLEL_RELAXATIONS)
        e->threads = job->threads < e->x.tiles ? job->threads : e->x.tiles;
    MCO_TRY(mco_alloc(ctx, &e->scratch, (int64_t)(e->threads + (e->threads == 0)) * (int64_t)e->variant->scratch_bytes));
done:
    return st;
}

static void close_engine(engine *e)
{
    for (int32_t s = 0; e->levels != NULL && s <= e->job->stages; s++) {
        mco_free(e->ctx, &e->levels[s].a);
        mco_free(e->ctx, &e->levels[s].b);
    }
    mco_free(e->ctx, &e->levels);
    mco_free(e->ctx, &e->progress);
    mco_free(e->ctx, &e->scratch);
    mco_free(e->ctx, &e->seeds);
    mco_free(e->ctx, &e->seeds_of_tile);
    mco_free(e->ctx, &e->x.strips);
    mco_free(e->ctx, &e->x.strip_count);
    mco_free(e->ctx, &e->y.strips);
    mco_free(e->ctx, &e->y.strip_count);
    mco_free(e->ctx, &e->x_rank);
    mco_free(e->ctx, &e->y_rank);
}

// ---- Levels

// Computes the level *now from the level *before (NULL: from the seeds), closed along the axes given.
static mco_status compute_level(engine *e, const level *before, const level *now, bool has_cuts_x, bool has_cuts_y,
                                mco_stop *stop)
{
    guillotine_lanes_run *run = &e->run;
    *run = (guillotine_lanes_run){.x = e->x, .y = e->y, .has_cuts_x = has_cuts_x, .has_cuts_y = has_cuts_y, .cap = e->cap};
    run->x.table = now->a;
    run->y.table = now->b;
    run->known = e->known;
    run->out = e->out;
    memset(e->x.strip_count, 0, (size_t)e->y.tiles * sizeof *e->x.strip_count);
    memset(e->y.strip_count, 0, (size_t)e->x.tiles * sizeof *e->y.strip_count);
    if (before == NULL) {
        run->seeds = e->seeds;
        run->seeds_of_tile = e->seeds_of_tile;
    } else {
        run->before_a = before->a;
        run->before_b = before->a == NULL ? before->b : NULL;
    }
    return run_level(e, stop);
}

static int64_t lane_at(const engine *e, const char *table, int64_t cell)
{
    switch (e->lane_bits) {
    case 16: return ((const uint16_t *)(const void *)table)[cell];
    case 32: return ((const int32_t *)(const void *)table)[cell];
    default: return ((const int64_t *)(const void *)table)[cell];
    }
}

// V(i,j) of a level; INT64_MIN where its waste reached the cap.
static int64_t value_at(const void *table, int32_t number, int32_t i, int32_t j)
{
    const engine *e = table;
    const level *l = &e->levels[number < e->level_count ? number : e->level_count - 1];
    const int32_t p = e->panel;
    const int64_t lane = l->a != NULL ? lane_at(e, l->a, ((int64_t)(j / p) * (e->x.count + 1) + i) * p + j % p)
                                      : lane_at(e, l->b, ((int64_t)(i / p) * (e->y.count + 1) + j) * p + i % p);
    if (e->lane_bits != 16)
        return lane;
    return lane < e->cap ? (int64_t)e->x.at[i] * e->y.at[j] - lane : INT64_MIN;
}

static bool equal_levels(const engine *e, int32_t s, mco_stop *stop)
{
    int64_t left = GUILLOTINE_LOOK;
    for (int32_t i = 0; i < e->x.count && !guillotine_is_late(e->job, &left, e->y.count, e->relaxations, stop); i++)
        for (int32_t j = 0; j < e->y.count; j++)
            if (value_at(e, s, i, j) != value_at(e, s - 1, i, j))
                return false;
    return true;
}

// Computes levels 0..stages. If a level after level 1 equals the level before, it is closed along both axes. All
// further levels would equal it, and are not computed.
static mco_status compute_stages(engine *e, mco_stop *stop)
{
    mco_status st = MCO_OK;
    MCO_TRY(take_level(e, true, true, &e->levels[0]));
    MCO_TRY(compute_level(e, NULL, &e->levels[0], false, false, stop));
    e->level_count = 1;
    for (int32_t s = 1; s <= e->job->stages && *stop == MCO_STOP_FINISHED; s++) {
        const bool is_x = guillotine_level_axis(e->job, s) == MCO_GUILLOTINE_CUT_X;
        MCO_TRY(take_level(e, is_x, !is_x, &e->levels[s]));
        MCO_TRY(compute_level(e, &e->levels[s - 1], &e->levels[s], is_x, !is_x, stop));
        e->level_count = s + 1;
        if (s > 1 && equal_levels(e, s, stop))
            break;
    }
done:
    return st;
}

// Allocates the caller's table, which is filled tile by tile.
static mco_status take_answer_table(engine *e, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    const int64_t cells = (int64_t)e->x.count * e->y.count;
    const bool is_32 = e->lane_bits == 32;
    if (is_32)
        MCO_TRY(mco_alloc(e->ctx, &answer->table_32, cells));
    else
        MCO_TRY(mco_alloc(e->ctx, &answer->table_64, cells));
    e->out = is_32 ? (void *)answer->table_32 : (void *)answer->table_64;
    mco_advise_huge(e->out, (size_t)cells * (is_32 ? sizeof(int32_t) : sizeof(int64_t)));
done:
    return st;
}

// Makes one pass over the table, or over all levels.
static mco_status compute(engine *e, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    answer->passes++;
    answer->work.lane_bits = e->lane_bits;
    answer->work.simd = e->variant->build.simd;
    answer->work.threads = e->threads + (e->threads == 0);
    if (e->job->stages > 0)
        return compute_stages(e, &answer->stop);
    if (e->levels[0].a == NULL)
        MCO_TRY(take_level(e, true, true, &e->levels[0]));
    e->level_count = 1;
    if (e->job->wants_table && e->lane_bits != 16)
        MCO_TRY(take_answer_table(e, answer));
    MCO_TRY(compute_level(e, NULL, &e->levels[0], true, true, &answer->stop));
done:
    return st;
}
// ---- Answers

// Copies the last level to the caller's table.
static void copy_values(const engine *e, mco_stop *stop)
{
    int64_t left = GUILLOTINE_LOOK;
    const level *l = &e->levels[e->level_count - 1];
    const int64_t columns = e->x.count, rows = e->y.count, bytes = e->lane_bits / 8;
    for (int64_t i = 0; i < columns && l->a != NULL && !guillotine_is_late(e->job, &left, rows, e->relaxations, stop); i++)
        for (int64_t j = 0; j < rows; j += e->panel) {
            const int64_t lanes = rows - j < e->panel ? rows - j : e->panel;
            memcpy((char *)e->out + (i * rows + j) * bytes,
                   l->a + (j / e->panel * (columns + 1) + i) * GUILLOTINE_PANEL_BYTES, (size_t)(lanes * bytes));
        }
    for (int64_t i = 0; i < columns && l->a == NULL && !guillotine_is_late(e->job, &left, rows, e->relaxations, stop); i++)
        for (int64_t j = 0; j < rows; j++)
            memcpy((char *)e->out + (i * rows + j) * bytes,
                   l->b + ((i / e->panel * (rows + 1) + j) * e->panel + i % e->panel) * bytes, (size_t)bytes);
}

static mco_status make_answer(engine *e, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    const guillotine_values values = {e, value_at};
    answer->value = value_at(e, e->job->stages, e->x.count - 1, e->y.count - 1);
    MCO_TRY(guillotine_walk(e->ctx, e->job, &values, &answer->steps, &answer->step_count, &answer->stop));
    if (e->job->wants_table && e->out == NULL && answer->stop == MCO_STOP_FINISHED) {
        MCO_TRY(take_answer_table(e, answer));
        copy_values(e, &answer->stop);
    }
done:
    return st;
}

// Computes the waste in 16 bits under growing caps. *is_solved: the plate's waste lies below one of them.
static mco_status run_by_waste(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer, bool *is_solved)
{
    mco_status st = MCO_OK;
    engine e = {0};
    const guillotine_axis *x = &job->model->x, *y = &job->model->y;
    const int64_t least = (int64_t)x->at[x->count - 1] * y->at[y->count - 1] - job->model->value_bound;
    *is_solved = false;
    if (job->wants_table || job->stages > 0 || job->model->is_raster || !job->model->is_within_area ||
        least >= CAPS[CAP_COUNT - 1])
        return MCO_OK;
    MCO_TRY(open_engine(ctx, job, 16, 0, &answer->stop, &e));
    for (int k = 0; k < CAP_COUNT && !*is_solved && answer->stop == MCO_STOP_FINISHED; k++) {
        if (CAPS[k] <= least)
            continue;
        e.cap = CAPS[k];
        MCO_TRY(compute(&e, answer));
        *is_solved = answer->stop == MCO_STOP_FINISHED && value_at(&e, 0, x->count - 1, y->count - 1) >= 0;
        mco_log(ctx, MCO_LOG_DETAIL, "cap %d on the waste: %s, %lld sums", e.cap, *is_solved ? "enough" : "too small",
                (long long)e.relaxations);
    }
    if (*is_solved)
        MCO_TRY(make_answer(&e, answer));
done:
    answer->relaxations += e.relaxations;
    answer->table_bytes = e.bytes;
    close_engine(&e);
    return st;
}

// If the whole table is wanted, the waste is computed first, in 16 bits and at the largest cap, which is twice as fast.
// Cells that reach the cap, near the axes of large plates, are left to the run by value. *e stays empty if this does
// not pay or memory is short.
static mco_status run_waste_ahead(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer, engine *e)
{
    mco_status st = MCO_OK;
    const guillotine_model *m = job->model;
    guillotine_job half = *job;
    engine values = {.job = job, .panel = GUILLOTINE_PANEL_BYTES / 4, .lane_bits = 32};
    if (!job->wants_table || job->stages > 0 || !m->is_within_area || m->value_bound > INT32_MAX ||
        (int64_t)m->x.count * m->y.count < WASTE_AHEAD_CELLS)
        return MCO_OK;
    half.memory_bytes -= bytes_needed(&values);
    half.wants_table = false;
    values.job = &half;
    values.panel = GUILLOTINE_PANEL_BYTES / 2;
    values.lane_bits = 16;
    if (bytes_needed(&values) > half.memory_bytes)
        return MCO_OK;
    MCO_TRY(open_engine(ctx, job, 16, CAPS[CAP_COUNT - 1], &answer->stop, e));
    if (answer->stop == MCO_STOP_FINISHED)
        MCO_TRY(compute(e, answer));
done:
    return st;
}

static mco_status run_by_value(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    engine e = {0}, waste = {0};
    MCO_TRY(run_waste_ahead(ctx, job, answer, &waste));
    if (answer->stop != MCO_STOP_FINISHED)
        goto done;
    MCO_TRY(open_engine(ctx, job, job->model->value_bound <= INT32_MAX ? 32 : 64, 0, &answer->stop, &e));
    e.known = waste.ctx != NULL ? &waste.run : NULL;
    if (answer->stop == MCO_STOP_FINISHED)
        MCO_TRY(compute(&e, answer));
    close_engine(&waste);
    if (answer->stop == MCO_STOP_FINISHED)
        MCO_TRY(make_answer(&e, answer));
done:
    answer->relaxations += e.relaxations + waste.relaxations;
    answer->table_bytes = e.bytes + waste.bytes;
    close_engine(&waste);
    close_engine(&e);
    return st;
}

mco_status guillotine_cpu_run(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    bool is_solved = false;
    if (job->model->x.side > MAX_SIDE || job->model->y.side > MAX_SIDE)
        return mco_fail(ctx, MCO_ERR_LIMIT, "the cpu engine takes sides up to %lld, the plate has %d x %d",
                        (long long)MAX_SIDE, job->model->x.side, job->model->y.side);
    MCO_TRY(run_by_waste(ctx, job, answer, &is_solved));
    if (!is_solved && answer->stop == MCO_STOP_FINISHED)
        MCO_TRY(run_by_value(ctx, job, answer));
done:
    return st;
}
