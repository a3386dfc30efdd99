// SPDX-License-Identifier: MIT
// Labels of the recheck (vrp/bound/recheck_labels.h): plain ones, load after load. A label leaves where its value and the completion,
// which pays for no RANK1 row, reach the least value so far; or where another label of its load and node is as good in every way. The
// first limit is small: at good prices no route has a value far below 0. While no route is found below it, it grows.
#include "vrp/bound/recheck_labels.h"

#include <string.h>

#include "base/clock.h"
#include "base/grow.h"

static const int64_t FIRST_LIMIT = 1, LAST_LIMIT = (int64_t)1 << 40, LIMIT_GROWTH = 8;
enum { MOST_LABELS = 4000000, LOOK_LABELS = 1024 };

typedef struct label {
    int64_t value;
    uint32_t memory;   // of neighbours of its node
    int32_t next;      // of the same load and node; -1: none
} label;

typedef struct labels {
    mco_context *ctx;
    const vrp_recheck_labels *task;
    const vrp_cut **row;   // [rows] of RANK1 with a price
    int32_t rows;
    int8_t *moved;         // [nodes * nodes * bits] the bit at the next node of a neighbour of this one; -1: none
    label *label;          // [count]
    uint8_t *state;        // [count * rows]
    int64_t count, room, state_room;
    int32_t *head;         // [(capacity + 1) * nodes] the first label; -1: none
    int64_t least;         // of the routes so far, or the limit
} labels;

// The place of a customer among the neighbours of a node; -1: none.
static int8_t place_of(const vrp_ng_sets *sets, int32_t node, int32_t customer)
{
    for (int32_t b = 0; b < sets->size[node] - 1; b++)
        if (sets->neighbour[(int64_t)node * VRP_NG_MOST + b] == customer)
            return (int8_t)b;
    return -1;
}

static void fill_moves(labels *l)
{
    const vrp_recheck_labels *t = l->task;
    for (int32_t i = 1; i < t->nodes; i++)
        for (int32_t k = 1; k < t->nodes; k++)
            for (int32_t b = 0; b < t->bits; b++)
                l->moved[((int64_t)i * t->nodes + k) * t->bits + b] =
                    b < t->sets->size[i] - 1 ? place_of(t->sets, k, t->sets->neighbour[(int64_t)i * VRP_NG_MOST + b]) : -1;
}

// The memory at k of a path that came from i, with k among no more than the memory at i; false: i remembers k.
static bool move_memory(const labels *l, int32_t i, int32_t k, uint32_t memory, uint32_t *out)
{
    const vrp_recheck_labels *t = l->task;
    const int8_t at_i = place_of(t->sets, i, k), at_k = place_of(t->sets, k, i);
    if (at_i >= 0 && (memory >> at_i & 1) != 0)
        return false;
    *out = at_k >= 0 ? (uint32_t)1 << at_k : 0;
    for (uint32_t rest = memory; rest != 0; rest &= rest - 1) {
        const int8_t b = l->moved[((int64_t)i * t->nodes + k) * t->bits + __builtin_ctz(rest)];
        *out |= b >= 0 ? (uint32_t)1 << b : 0;
    }
    return true;
}

// Visits k: the states of the rows change, and what they cost is added.
static int64_t visit(const labels *l, int32_t k, uint8_t *state)
{
    int64_t cost = 0;
    for (int32_t r = 0; r < l->rows; r++) {
        const vrp_cut *row = l->row[r];
        if (row->memory != NULL && !vrp_set_has(row->memory, k)) {
            state[r] = 0;
        } else if (vrp_set_has(row->member, k)) {
            state[r] = (uint8_t)(state[r] + row->numerator);
            if (state[r] >= row->denominator) {
                state[r] = (uint8_t)(state[r] - row->denominator);
                cost -= row->price;
            }
        }
    }
    return cost;
}

// Whether `a` is as good as a label of this value, memory and states, whatever follows.
static bool is_as_good(const labels *l, int32_t a, int64_t value, uint32_t memory, const uint8_t *state)
{
    int64_t worst = l->label[a].value;
    if ((l->label[a].memory & ~memory) != 0 || worst > value)
        return false;
    for (int32_t r = 0; r < l->rows && worst <= value; r++)
        if (l->state[(int64_t)a * l->rows + r] > state[r])
            worst -= l->row[r]->price;
    return worst <= value;
}

// Adds a label at k unless it is of no use. `state` are those after k.
static mco_status add(labels *l, int64_t load, int32_t k, int64_t value, uint32_t memory, const uint8_t *state)
{
    mco_status st = MCO_OK;
    const vrp_recheck_labels *t = l->task;
    const int64_t left = t->capacity - load + t->demand[k], at = load * t->nodes + k;
    const uint32_t whole = ((uint32_t)1 << (t->sets->size[k] - 1)) - 1;
    if (value + t->completion[((left * t->nodes + k) << t->bits) + (whole & ~memory)] >= l->least)
        return MCO_OK;
    const int64_t route = value + t->arc[(int64_t)k * t->nodes];
    l->least = route < l->least ? route : l->least;
    for (int32_t a = l->head[at]; a >= 0; a = l->label[a].next)
        if (is_as_good(l, a, value, memory, state))
            return MCO_OK;
    MCO_TRY(mco_grow(l->ctx, &l->label, &l->room, l->count + 1));
    MCO_TRY(mco_grow(l->ctx, &l->state, &l->state_room, (l->count + 1) * (l->rows + 1)));
    l->label[l->count] = (label){value, memory, l->head[at]};
    memcpy(l->state + l->count * l->rows, state, (size_t)l->rows);
    l->head[at] = (int32_t)l->count++;
done:
    return st;
}

static mco_status extend(labels *l, int64_t load, int32_t i, int32_t from)
{
    mco_status st = MCO_OK;
    const vrp_recheck_labels *t = l->task;
    uint8_t state[UINT8_MAX];
    for (int32_t k = 1; k < t->nodes && st == MCO_OK; k++) {
        uint32_t memory = 0;
        if (k == i || load + t->demand[k] > t->capacity)
            continue;
        const uint32_t before = i > 0 ? l->label[from].memory : 0;
        if (i > 0 && !move_memory(l, i, k, before, &memory))
            continue;
        memset(state, 0, sizeof state);
        if (i > 0)
            memcpy(state, l->state + (int64_t)from * l->rows, (size_t)l->rows);
        const int64_t value = (i > 0 ? l->label[from].value : 0) + t->arc[(int64_t)i * t->nodes + k];
        st = add(l, load + t->demand[k], k, value + visit(l, k, state), memory, state);
    }
    return st;
}

// All labels below the limit. *is_done false: too many, or no time.
static mco_status search(labels *l, bool *is_done)
{
    mco_status st = MCO_OK;
    const vrp_recheck_labels *t = l->task;
    l->count = 0;
    for (int64_t at = 0; at < (t->capacity + 1) * t->nodes; at++)
        l->head[at] = -1;
    MCO_TRY(extend(l, 0, 0, -1));
    for (int64_t load = 1; load <= t->capacity; load++)
        for (int32_t i = 1; i < t->nodes; i++)
            for (int32_t a = l->head[load * t->nodes + i], seen = 0; a >= 0; a = l->label[a].next, seen++) {
                if (l->count >= MOST_LABELS)
                    return MCO_OK;
                if (seen % LOOK_LABELS == 0 && (mco_clock_s() >= t->stop_s || mco_call_is_over(l->ctx) || mco_is_cancelled(l->ctx)))
                    return MCO_OK;
                MCO_TRY(extend(l, load, i, a));
            }
    *is_done = true;
done:
    return st;
}

mco_status vrp_recheck_least(mco_context *ctx, const vrp_recheck_labels *task, int64_t *least, bool *is_done)
{
    mco_status st = MCO_OK;
    labels l = {.ctx = ctx, .task = task};
    *is_done = false;
    MCO_TRY(mco_alloc(ctx, &l.row, task->cuts->count));
    for (int64_t k = 0; k < task->cuts->count; k++)
        if (task->cuts->cut[k].kind == VRP_CUT_RANK1 && task->cuts->cut[k].price != 0) {
            if (l.rows == UINT8_MAX || task->cuts->cut[k].denominator > UINT8_MAX / 2)
                goto done;
            l.row[l.rows++] = &task->cuts->cut[k];
        }
    MCO_TRY(mco_alloc(ctx, &l.moved, (int64_t)task->nodes * task->nodes * (task->bits + 1)));
    MCO_TRY(mco_alloc(ctx, &l.head, (task->capacity + 1) * task->nodes));
    fill_moves(&l);
    for (int64_t limit = FIRST_LIMIT; limit <= LAST_LIMIT; limit *= LIMIT_GROWTH) {
        *is_done = false;
        l.least = limit;
        MCO_TRY(search(&l, is_done));
        if (!*is_done || l.least < limit)
            break;
    }
    *least = l.least;
done:
    mco_free(ctx, &l.head);
    mco_free(ctx, &l.state);
    mco_free(ctx, &l.label);
    mco_free(ctx, &l.moved);
    mco_free(ctx, &l.row);
    return st;
}
