// SPDX-License-Identifier: MIT
// From a table of values to the steps of a plan, and from steps to rectangles on the plate.
#include <string.h>

#include "base/clock.h"
#include "guillotine/engine.h"

__extension__ typedef __int128 wide;

// ---- A stack or list that grows

static mco_status grow(mco_context *ctx, void **items, int64_t *room, int64_t count, size_t item_bytes)
{
    mco_status st = MCO_OK;
    char *larger = NULL;
    const int64_t new_room = *room < 512 ? 1024 : *room * 2;
    if (count < *room)
        return MCO_OK;
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&larger, (size_t)new_room, item_bytes));
    if (count > 0)
        memcpy(larger, *items, (size_t)count * item_bytes);
    mco_free_bytes(ctx, items);
    *items = larger;
    *room = new_room;
done:
    return st;
}
#define GROW(ctx, items, room, count) grow(ctx, (void **)&(items), &(room), count, sizeof *(items))

// ---- Values to steps

typedef struct rectangle {
    int32_t level, i, j;
} rectangle;

mco_guillotine_cut guillotine_level_axis(const guillotine_job *job, int32_t level)
{
    const mco_guillotine_cut other =
        job->first == MCO_GUILLOTINE_CUT_X ? MCO_GUILLOTINE_CUT_Y : MCO_GUILLOTINE_CUT_X;
    return (job->stages - level) % 2 == 0 ? job->first : other;
}

int64_t guillotine_seed_at(const guillotine_model *model, int32_t i, int32_t j)
{
    int64_t low = 0, high = model->seed_count;  // the seed, if any, is in [low, high)
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        const guillotine_seed *s = &model->seeds[middle];
        if (s->i == i && s->j == j)
            return middle;
        if (s->i < i || (s->i == i && s->j < j))
            low = middle + 1;
        else
            high = middle;
    }
    return -1;
}

// Finds the x cut of r whose parts are together worth `value`, the lowest such cut. Returns false if there is none.
static bool find_x_cut(const guillotine_job *job, const guillotine_values *values, rectangle r, int64_t value,
                       guillotine_step *step)
{
    const guillotine_axis *axis = &job->model->x;
    int32_t second = r.i;
    for (int32_t first = 1; first < r.i && axis->at[first] <= axis->at[r.i] / 2; first++) {
        while (axis->at[second] > axis->at[r.i] - axis->at[first])
            second--;
        const int64_t a = values->at(values->table, r.level, first, r.j);
        const int64_t b = values->at(values->table, r.level, second, r.j);
        if (a >= 0 && b >= 0 && a + b == value) {
            *step = (guillotine_step){GUILLOTINE_X_STEP, first, second};
            return true;
        }
    }
    return false;
}

static bool find_y_cut(const guillotine_job *job, const guillotine_values *values, rectangle r, int64_t value,
                       guillotine_step *step)
{
    const guillotine_axis *axis = &job->model->y;
    int32_t second = r.j;
    for (int32_t first = 1; first < r.j && axis->at[first] <= axis->at[r.j] / 2; first++) {
        while (axis->at[second] > axis->at[r.j] - axis->at[first])
            second--;
        const int64_t a = values->at(values->table, r.level, r.i, first);
        const int64_t b = values->at(values->table, r.level, r.i, second);
        if (a >= 0 && b >= 0 && a + b == value) {
            *step = (guillotine_step){GUILLOTINE_Y_STEP, first, second};
            return true;
        }
    }
    return false;
}

// Takes *r to the lowest level that has its value, makes it as small as that value allows, and finds the step for it.
static mco_status next_step(mco_context *ctx, const guillotine_job *job, const guillotine_values *values, rectangle *r,
                            guillotine_step *step)
{
    const int64_t value = values->at(values->table, r->level, r->i, r->j);
    while (r->level > 0 && values->at(values->table, r->level - 1, r->i, r->j) == value)
        r->level--;
    while (r->i > 0 && values->at(values->table, r->level, r->i - 1, r->j) == value)
        r->i--;
    while (r->j > 0 && values->at(values->table, r->level, r->i, r->j - 1) == value)
        r->j--;
    const int64_t seed = guillotine_seed_at(job->model, r->i, r->j);
    const mco_guillotine_cut axis =
        job->stages == 0 ? MCO_GUILLOTINE_CUT_ANY : guillotine_level_axis(job, r->level);
    const bool has_cut = job->stages == 0 || r->level > 0;
    if (value == 0)
        *step = (guillotine_step){GUILLOTINE_WASTE_STEP, 0, 0};
    else if (seed >= 0 && job->model->seeds[seed].value == value)
        *step = (guillotine_step){GUILLOTINE_PIECE_STEP, r->i, r->j};
    else if (has_cut && axis != MCO_GUILLOTINE_CUT_Y && find_x_cut(job, values, *r, value, step))
        return MCO_OK;
    else if (has_cut && axis != MCO_GUILLOTINE_CUT_X && find_y_cut(job, values, *r, value, step))
        return MCO_OK;
    else
        return mco_fail(ctx, MCO_ERR_INTERNAL, "no cut explains the value %lld of %d x %d at level %d", (long long)value,
                        job->model->x.at[r->i], job->model->y.at[r->j], r->level);
    return MCO_OK;
}

mco_status guillotine_walk(mco_context *ctx, const guillotine_job *job, const guillotine_values *values,
                           guillotine_step **steps, int64_t *count, mco_stop *stop)
{
    mco_status st = MCO_OK;
    rectangle *open = NULL;
    guillotine_step *list = NULL;
    const int64_t node_work = (int64_t)job->model->x.count + job->model->y.count;
    int64_t left = GUILLOTINE_LOOK, open_count = 0, open_room = 0, list_count = 0, list_room = 0;
    MCO_TRY(GROW(ctx, open, open_room, open_count));
    open[open_count++] = (rectangle){job->stages, job->model->x.count - 1, job->model->y.count - 1};
    while (open_count > 0) {
        rectangle r = open[--open_count];
        guillotine_step step;
        if (guillotine_is_late(job, &left, node_work, 0, stop))
            goto done;
        MCO_TRY(next_step(ctx, job, values, &r, &step));
        MCO_TRY(GROW(ctx, list, list_room, list_count));
        list[list_count++] = step;
        if (step.kind != GUILLOTINE_X_STEP && step.kind != GUILLOTINE_Y_STEP)
            continue;
        MCO_TRY(GROW(ctx, open, open_room, open_count + 1));
        rectangle first = r, second = r;
        if (step.kind == GUILLOTINE_X_STEP) {
            first.i = step.first;
            second.i = step.second;
        } else {
            first.j = step.first;
            second.j = step.second;
        }
        open[open_count++] = second;
        open[open_count++] = first;
    }
    *steps = list;
    *count = list_count;
    list = NULL;
done:
    mco_free(ctx, &list);
    mco_free(ctx, &open);
    return st;
}

// ---- Steps to rectangles

typedef struct plan {
    mco_context *ctx;
    const guillotine_model *model;
    mco_guillotine_node *nodes;
    int64_t count, room;
} plan;

static mco_status add_waste(plan *p, int32_t x, int32_t y, int32_t width, int32_t height, int64_t *node)
{
    mco_status st = MCO_OK;
    MCO_TRY(GROW(p->ctx, p->nodes, p->room, p->count));
    p->nodes[p->count] = (mco_guillotine_node){
        .kind = MCO_GUILLOTINE_NODE_WASTE, .x = x, .y = y, .width = width, .height = height};
    *node = p->count++;
done:
    return st;
}

// Turns `node`, a waste node, into a cut at distance `at` from its lower left corner. Both parts are waste nodes.
static mco_status cut_node(plan *p, int64_t node, mco_guillotine_cut axis, int32_t at)
{
    mco_status st = MCO_OK;
    const mco_guillotine_node whole = p->nodes[node];
    const bool is_x = axis == MCO_GUILLOTINE_CUT_X;
    const int32_t side = is_x ? whole.width : whole.height, next = at + p->model->kerf;
    const int32_t begin = next < side ? next : side, rest = side - begin;
    int64_t parts[2];
    MCO_TRY(add_waste(p, whole.x, whole.y, is_x ? at : whole.width, is_x ? whole.height : at, &parts[0]));
    MCO_TRY(add_waste(p, is_x ? whole.x + begin : whole.x, is_x ? whole.y : whole.y + begin, is_x ? rest : whole.width,
                      is_x ? whole.height : rest, &parts[1]));
    p->nodes[node].kind = MCO_GUILLOTINE_NODE_CUT;
    p->nodes[node].cut = axis;
    p->nodes[node].at = at;
    p->nodes[node].parts[0] = parts[0];
    p->nodes[node].parts[1] = parts[1];
done:
    return st;
}

// Turns `node` into the piece of a seed. Trims it first along `last_cut` and then along the other axis, where needed.
static mco_status cut_piece(plan *p, int64_t node, const guillotine_seed *seed, mco_guillotine_cut last_cut)
{
    mco_status st = MCO_OK;
    const int32_t width = seed->width - p->model->kerf, height = seed->height - p->model->kerf;
    for (int trim = 0; trim < 2; trim++) {
        const bool is_x = (trim == 0) == (last_cut == MCO_GUILLOTINE_CUT_X);
        if ((is_x ? p->nodes[node].width : p->nodes[node].height) == (is_x ? width : height))
            continue;
        MCO_TRY(cut_node(p, node, is_x ? MCO_GUILLOTINE_CUT_X : MCO_GUILLOTINE_CUT_Y, is_x ? width : height));
        node = p->nodes[node].parts[0];
    }
    p->nodes[node].kind = MCO_GUILLOTINE_NODE_PIECE;
    p->nodes[node].piece = seed->piece;
    p->nodes[node].is_rotated = seed->is_rotated;
done:
    return st;
}

// Renumbers nodes so that they stand depth first, the first part before the second.
static mco_status sort_depth_first(mco_context *ctx, mco_guillotine_node **nodes, int64_t count)
{
    mco_status st = MCO_OK;
    mco_guillotine_node *sorted = NULL;
    int64_t *open = NULL, open_count = 0, done_count = 0;
    struct parent {
        int64_t node;
        int part;
    } *parents = NULL;  // [count] the parent, by its new number, of the node at the same place in `open`
    MCO_TRY(mco_alloc(ctx, &sorted, count));
    MCO_TRY(mco_alloc(ctx, &open, count));
    MCO_TRY(mco_alloc(ctx, &parents, count));
    parents[open_count] = (struct parent){-1, 0};
    open[open_count++] = 0;
    while (open_count > 0) {
        const int64_t node = open[--open_count], number = done_count++;
        const struct parent parent = parents[open_count];
        sorted[number] = (*nodes)[node];
        if (parent.node >= 0)
            sorted[parent.node].parts[parent.part] = number;
        for (int part = 1; part >= 0 && sorted[number].kind == MCO_GUILLOTINE_NODE_CUT; part--) {
            parents[open_count] = (struct parent){number, part};
            open[open_count++] = (*nodes)[node].parts[part];
        }
    }
    mco_free(ctx, nodes);
    *nodes = sorted;
    sorted = NULL;
done:
    mco_free(ctx, &parents);
    mco_free(ctx, &open);
    mco_free(ctx, &sorted);
    return st;
}

// The size that the pieces of a step, and of all steps below it, need together; kerf added.
typedef struct extent {
    int32_t width, height;
} extent;

static extent extent_of_cut(guillotine_step_kind kind, extent a, extent b)
{
    const bool is_x = kind == GUILLOTINE_X_STEP;
    const int32_t higher = a.height > b.height ? a.height : b.height, wider = a.width > b.width ? a.width : b.width;
    return is_x ? (extent){a.width + b.width, higher} : (extent){wider, a.height + b.height};
}

// Computes the extents of steps [count], from the last step to the first. When the turn of a cut comes, the extents of
// its two parts are on top of the stack. Errors: INTERNAL (steps that are no plan), MEMORY.
static mco_status measure(mco_context *ctx, const guillotine_model *model, const guillotine_step *steps, int64_t count,
                          extent *extents)
{
    mco_status st = MCO_OK;
    extent *open = NULL;
    int64_t open_count = 0;
    MCO_TRY(mco_alloc(ctx, &open, count + 1));
    for (int64_t k = count - 1; k >= 0; k--) {
        const guillotine_step *step = &steps[k];
        const bool is_piece = step->kind == GUILLOTINE_PIECE_STEP, is_leaf = is_piece || step->kind == GUILLOTINE_WASTE_STEP;
        const int64_t seed = is_piece ? guillotine_seed_at(model, step->first, step->second) : -1;
        if ((is_piece && seed < 0) || (!is_leaf && open_count < 2))
            MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "step %lld of the plan is no %s", (long long)k, is_piece ? "piece" : "cut"));
        if (!is_leaf)
            open_count -= 2;
        extents[k] = is_piece  ? (extent){model->seeds[seed].width, model->seeds[seed].height}
                     : is_leaf ? (extent){0, 0}
                               : extent_of_cut(step->kind, open[open_count + 1], open[open_count]);
        open[open_count++] = extents[k];
    }
    if (open_count != 1)
        MCO_TRY(mco_fail(ctx, MCO_ERR_INTERNAL, "the steps make %lld trees, 1 was expected", (long long)open_count));
done:
    mco_free(ctx, &open);
    return st;
}

// A cut is made where the pieces of its first part end, which may be before the position of the cut.
mco_status guillotine_plan(mco_context *ctx, const mco_guillotine *problem, const guillotine_model *model,
                           const guillotine_step *steps, int64_t step_count, mco_guillotine_cut last_cut,
                           mco_guillotine_node **nodes, int64_t *count)
{
    mco_status st = MCO_OK;
    plan p = {.ctx = ctx, .model = model};
    extent *extents = NULL;
    int64_t *open = NULL, open_count = 0, open_room = 0, root = 0;
    MCO_TRY(mco_alloc(ctx, &extents, step_count));
    MCO_TRY(measure(ctx, model, steps, step_count, extents));
    MCO_TRY(add_waste(&p, 0, 0, problem->width, problem->height, &root));
    MCO_TRY(GROW(ctx, open, open_room, open_count));
    open[open_count++] = root;
    for (int64_t k = 0; k < step_count; k++) {
        const guillotine_step *step = &steps[k];
        const bool is_x = step->kind == GUILLOTINE_X_STEP;
        const int64_t node = open[--open_count];  // measure() has tested that there is one
        if (step->kind == GUILLOTINE_WASTE_STEP)
            continue;
        if (step->kind == GUILLOTINE_PIECE_STEP) {
            MCO_TRY(cut_piece(&p, node, &model->seeds[guillotine_seed_at(model, step->first, step->second)], last_cut));
            continue;
        }
        const extent *first = &extents[k + 1];
        MCO_TRY(cut_node(&p, node, is_x ? MCO_GUILLOTINE_CUT_X : MCO_GUILLOTINE_CUT_Y,
                         (is_x ? first->width : first->height) - model->kerf));
        MCO_TRY(GROW(ctx, open, open_room, open_count + 1));
        open[open_count++] = p.nodes[node].parts[1];
        open[open_count++] = p.nodes[node].parts[0];
    }
    MCO_TRY(sort_depth_first(ctx, &p.nodes, p.count));
    *nodes = p.nodes;
    *count = p.count;
    p.nodes = NULL;
done:
    mco_free(ctx, &extents);
    mco_free(ctx, &open);
    mco_free(ctx, &p.nodes);
    return st;
}

// ---- What engines share

void guillotine_answer_clear(mco_context *ctx, guillotine_answer *answer)
{
    mco_free(ctx, &answer->steps);
    mco_free(ctx, &answer->table_64);
    mco_free(ctx, &answer->table_32);
}

bool guillotine_is_stopped(const guillotine_job *job, int64_t done, mco_stop *stop)
{
    if (job->run == NULL || !mco_run_must_stop(job->run, done))
        return false;
    *stop = job->run->stop;
    return true;
}

// Counts the pairs (i, i') with x[i'] <= x[i] / 2.
static int64_t count_halves(const guillotine_axis *axis)
{
    int64_t pairs = 0;
    int32_t half = 0;  // positions 1..half lie at or below x[i] / 2
    for (int32_t i = 1; i < axis->count; i++) {
        while (axis->at[half + 1] <= axis->at[i] / 2)
            half++;
        pairs += half;
    }
    return pairs;
}

int64_t guillotine_all_relaxations(const guillotine_job *job)
{
    // An axis has at most 2^43 pairs, on 2^22 lines and 2^9 levels. The sum may reach 2^74, which int64_t cannot hold.
    const wide rows = job->model->y.count - 1, columns = job->model->x.count - 1;
    const wide x = count_halves(&job->model->x) * rows, y = count_halves(&job->model->y) * columns;
    const bool is_x_first = job->first == MCO_GUILLOTINE_CUT_X;
    const int64_t more = (job->stages + 1) / 2, fewer = job->stages / 2;
    const wide all = job->stages == 0 ? x + y : is_x_first ? more * x + fewer * y : more * y + fewer * x;
    return all < INT64_MAX ? (int64_t)all : INT64_MAX;
}
