// SPDX-License-Identifier: MIT
// The reference: the recurrence of guillotine/model.h over tables of 64-bit values, as short and plain as possible
// (Beasley 1985; Cintra, Miyazawa, Wakabayashi, Xavier 2008). Every engine must give the same values.
//
// A level is a table V[i * rows + j] of the best values of the rectangles x[i] x y[j]; it is zero where i or j is 0.
// The level that cuts along an axis starts as a copy of the level before. Positions ascend, so both parts of a cut are
// already closed. Without stages, one level is closed along both axes at once.
#include <string.h>

#include "base/pages.h"
#include "guillotine/engine.h"

typedef struct levels {
    int64_t **table;  // [count] of [cells]
    int64_t count, cells, rows;
} levels;

static int64_t max64(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t value_at(const void *table, int32_t level, int32_t i, int32_t j)
{
    const levels *l = table;
    return l->table[level][i * l->rows + j];
}

// F_0: the best single piece that fits. Returns false if the run must stop.
static bool place_seeds(const guillotine_job *job, int64_t *v, guillotine_answer *answer)
{
    const guillotine_model *model = job->model;
    int64_t left = GUILLOTINE_LOOK;
    const int64_t columns = model->x.count, rows = model->y.count;
    for (int64_t k = 0; k < model->seed_count; k++)
        v[model->seeds[k].i * rows + model->seeds[k].j] = model->seeds[k].value;
    for (int64_t i = 1; i < columns; i++) {
        if (guillotine_is_late(job, &left, rows, 0, &answer->stop))
            return false;
        for (int64_t j = 1; j < rows; j++)
            v[i * rows + j] = max64(v[i * rows + j], max64(v[(i - 1) * rows + j], v[i * rows + j - 1]));
    }
    return true;
}

// The value of the best cut of position `whole` into two parts. V of position p on this line is line[p * stride]. By
// symmetry the first part is the smaller one. The second is the last position that the first leaves room for.
static int64_t best_cut(const guillotine_axis *axis, const int64_t *line, int64_t stride, int32_t whole,
                        int64_t *relaxations)
{
    int64_t best = 0;
    int32_t rest = whole;
    for (int32_t part = 1; axis->at[part] <= axis->at[whole] / 2; part++) {
        while (axis->at[rest] > axis->at[whole] - axis->at[part])
            rest--;
        best = max64(best, line[part * stride] + line[rest * stride]);
        ++*relaxations;
    }
    return best;
}

// Closes a level along x or y, or along both for ANY. Returns false if the run must stop.
static bool close_level(const guillotine_job *job, mco_guillotine_cut cut, int64_t *v,
                        guillotine_answer *answer)
{
    const guillotine_axis *x = &job->model->x, *y = &job->model->y;
    const int64_t rows = y->count;
    int64_t left = GUILLOTINE_LOOK;
    for (int32_t i = 1; i < x->count; i++) {
        if (guillotine_is_stopped(job, answer->relaxations, &answer->stop))
            return false;
        for (int32_t j = 1; j < y->count; j++) {
            if (guillotine_is_late(job, &left, i + j, answer->relaxations, &answer->stop))
                return false;
            int64_t *cell = &v[i * rows + j];
            if (cut != MCO_GUILLOTINE_CUT_Y)
                *cell = max64(*cell, best_cut(x, v + j, rows, i, &answer->relaxations));
            if (cut != MCO_GUILLOTINE_CUT_X)
                *cell = max64(*cell, best_cut(y, v + i * rows, 1, j, &answer->relaxations));
        }
    }
    return true;
}

static mco_status create_levels(mco_context *ctx, const guillotine_job *job, levels *l)
{
    mco_status st = MCO_OK;
    l->rows = job->model->y.count;
    l->cells = job->model->x.count * l->rows;  // at most 2^44
    const int64_t count = job->stages == 0 ? 1 : (int64_t)job->stages + 1;
    const double need = (double)count * (double)l->cells * sizeof **l->table;
    if (need > (double)job->memory_bytes)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "the reference needs %.1f MiB for %lld x %lld x %lld values, at most %.1f MiB are allowed",
                        need / (1 << 20), (long long)count, (long long)job->model->x.count, (long long)l->rows,
                        (double)job->memory_bytes / (1 << 20));
    MCO_TRY(mco_alloc(ctx, &l->table, count));
    l->count = count;
    for (int64_t level = 0; level < count; level++) {
        MCO_TRY(mco_alloc(ctx, &l->table[level], l->cells));
        mco_advise_huge(l->table[level], (size_t)l->cells * sizeof **l->table);  // also released sooner
    }
done:
    return st;
}

// Computes all levels, one after the other. Returns false if the run must stop.
static bool close_levels(const guillotine_job *job, const levels *l, guillotine_answer *answer)
{
    int64_t left = GUILLOTINE_LOOK;
    if (!place_seeds(job, l->table[0], answer))
        return false;
    if (job->stages == 0)
        return close_level(job, MCO_GUILLOTINE_CUT_ANY, l->table[0], answer);
    for (int32_t level = 1; level < l->count; level++) {
        for (int64_t at = 0; at < l->cells; at += l->rows) {
            if (guillotine_is_late(job, &left, l->rows, answer->relaxations, &answer->stop))
                return false;
            memcpy(l->table[level] + at, l->table[level - 1] + at, (size_t)l->rows * sizeof **l->table);
        }
        if (!close_level(job, guillotine_level_axis(job, level), l->table[level], answer))
            return false;
    }
    return true;
}

mco_status guillotine_ref_run(mco_context *ctx, const guillotine_job *job, guillotine_answer *answer)
{
    mco_status st = MCO_OK;
    levels l = {0};
    guillotine_answer a = {.stop = MCO_STOP_FINISHED, .passes = 1, .work = {.lane_bits = 64, .threads = 1}};
    MCO_TRY(create_levels(ctx, job, &l));
    a.table_bytes = l.count * l.cells * (int64_t)sizeof **l.table;
    if (!close_levels(job, &l, &a)) {
        *answer = (guillotine_answer){.stop = a.stop};
        goto done;
    }
    int64_t **last = &l.table[l.count - 1];
    const guillotine_values values = {&l, value_at};
    a.value = (*last)[l.cells - 1];
    MCO_TRY(guillotine_walk(ctx, job, &values, &a.steps, &a.step_count, &a.stop));
    if (job->wants_table && a.stop == MCO_STOP_FINISHED) {
        a.table_64 = *last;
        *last = NULL;
    }
    *answer = a;
done:
    for (int64_t level = 0; level < l.count; level++)
        mco_free(ctx, &l.table[level]);
    mco_free(ctx, &l.table);
    return st;
}
