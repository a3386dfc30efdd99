// SPDX-License-Identifier: MIT
// Labels of the recheck (vrp/bound/recheck_labels.h): plain ones, load after load. A label leaves where its value and the completion,
// which pays for no RANK1 row, reach the least value so far; or where another label of its load and node is as good in every way. The
// first limit is small: at good prices no route has a value far below 0. While no route is found below it, it grows. Tails are the same
// labels below a limit that stays.
#include "vrp/bound/recheck_labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/grow.h"

static const int64_t FIRST_LIMIT = 1, LAST_LIMIT = (int64_t)1 << 40, LIMIT_GROWTH = 8;
enum { MOST_LABELS = 4000000, LOOK_LABELS = 1024 };

typedef struct label {
    int64_t value;
    uint32_t memory;   // of neighbours of its node
    int32_t next;      // of the same load and node; -1: none
    int64_t load;
} label;

// Labels of a node that have grown: none of them is as good as a later one. What they are asked for most lies side by side.
typedef struct grown {
    int64_t value;
    uint32_t memory;
    int32_t index;         // of the label
} grown;

typedef struct lighter {
    int64_t count, room;
    grown *grown;          // [count]
} lighter;

typedef struct labels {
    mco_context *ctx;
    const vrp_recheck_labels *task;
    const vrp_cut **row;   // [rows] of RANK1 with a price
    int32_t rows;
    int32_t bits;          // of the largest set
    int8_t *moved;         // [nodes * nodes * bits] the bit at the next node of a neighbour of this one; -1: none
    label *label;          // [count]
    uint8_t *state;        // [count * rows]
    int64_t count, room, state_room;
    int32_t *head;         // [(capacity + 1) * nodes] the first label; -1: none
    lighter *light;        // [nodes]
    int64_t least;         // of the routes so far, or the limit
    bool is_fixed;         // the limit stays
    int64_t most;          // labels
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
            for (int32_t b = 0; b < l->bits; b++)
                l->moved[((int64_t)i * t->nodes + k) * l->bits + b] =
                    b < t->sets->size[i] - 1 ? place_of(t->sets, k, t->sets->neighbour[(int64_t)i * VRP_NG_MOST + b]) : -1;
}

// The memory at k of a path that came from i, with k among no more than the memory at i; false: i remembers k.
static bool move_memory(const vrp_recheck_labels *t, const int8_t *moved, int32_t bits, int32_t i, int32_t k, uint32_t memory, uint32_t *out)
{
    const int8_t at_i = place_of(t->sets, i, k), at_k = place_of(t->sets, k, i);
    if (at_i >= 0 && (memory >> at_i & 1) != 0)
        return false;
    *out = at_k >= 0 ? (uint32_t)1 << at_k : 0;
    for (uint32_t rest = memory; rest != 0; rest &= rest - 1) {
        const int8_t b = moved[((int64_t)i * t->nodes + k) * bits + __builtin_ctz(rest)];
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
            state[r] = (uint8_t)(state[r] + vrp_cut_numerator(row, k));
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
    const uint32_t whole = vrp_recheck_known(t->sets, t->bits, k);
    if (value + t->completion[((left * t->nodes + k) << t->bits) + (whole & ~memory)] >= l->least)
        return MCO_OK;
    const int64_t route = value + t->arc[(int64_t)k * t->nodes];
    if (!l->is_fixed)
        l->least = route < l->least ? route : l->least;
    for (int32_t a = l->head[at]; a >= 0; a = l->label[a].next)
        if (is_as_good(l, a, value, memory, state))
            return MCO_OK;
    MCO_TRY(mco_grow(l->ctx, &l->label, &l->room, l->count + 1));
    MCO_TRY(mco_grow(l->ctx, &l->state, &l->state_room, (l->count + 1) * (l->rows + 1)));
    l->label[l->count] = (label){value, memory, l->head[at], load};
    memcpy(l->state + l->count * l->rows, state, (size_t)l->rows);
    l->head[at] = (int32_t)l->count++;
done:
    return st;
}

// Whether a label of the same node that has grown, so of no greater load, is as good as label `a`. Else `a` is the next of them.
static mco_status join_lighter(labels *l, int32_t i, int32_t a, bool *is_needless)
{
    mco_status st = MCO_OK;
    lighter *own = &l->light[i];
    const uint8_t *state = l->state + (int64_t)a * l->rows;
    const int64_t value = l->label[a].value;
    const uint32_t memory = l->label[a].memory;
    *is_needless = false;
    for (int64_t k = 0; k < own->count; k++)
        if (own->grown[k].value <= value && (own->grown[k].memory & ~memory) == 0 && is_as_good(l, own->grown[k].index, value, memory, state)) {
            *is_needless = true;
            return MCO_OK;
        }
    MCO_TRY(mco_grow(l->ctx, &own->grown, &own->room, own->count + 1));
    own->grown[own->count++] = (grown){value, memory, a};
done:
    return st;
}

static mco_status extend(labels *l, int64_t load, int32_t i, int32_t from)
{
    mco_status st = MCO_OK;
    const vrp_recheck_labels *t = l->task;
    const uint32_t before = i > 0 ? l->label[from].memory : 0;
    const int64_t so_far = i > 0 ? l->label[from].value : 0;
    uint8_t state[UINT8_MAX];
    for (int32_t k = 1; k < t->nodes && st == MCO_OK; k++) {
        const int64_t value = so_far + t->arc[(int64_t)i * t->nodes + k], left = t->capacity - load;
        const uint32_t whole = vrp_recheck_known(t->sets, t->bits, k);
        uint32_t memory = 0;
        if (k == i || t->demand[k] > left || value + t->completion[((left * t->nodes + k) << t->bits) + whole] >= l->least)
            continue;
        if (i > 0 && !move_memory(t, l->moved, l->bits, i, k, before, &memory))
            continue;
        if (i > 0)
            memcpy(state, l->state + (int64_t)from * l->rows, (size_t)l->rows);
        else
            memset(state, 0, (size_t)l->rows);
        st = add(l, load + t->demand[k], k, value + visit(l, k, state), memory, state);
    }
    return st;
}

// All labels below the limit. *is_done false: too many, or no time.
static mco_status search(labels *l, bool *is_done)
{
    mco_status st = MCO_OK;
    const vrp_recheck_labels *t = l->task;
    bool is_needless;
    l->count = 0;
    for (int32_t i = 0; i < t->nodes; i++)
        l->light[i].count = 0;
    for (int64_t at = 0; at < (t->capacity + 1) * t->nodes; at++)
        l->head[at] = -1;
    MCO_TRY(extend(l, 0, 0, -1));
    for (int64_t load = 1; load <= t->capacity; load++)
        for (int32_t i = 1; i < t->nodes; i++)
            for (int32_t a = l->head[load * t->nodes + i], seen = 0; a >= 0; a = l->label[a].next, seen++) {
                if (l->count >= l->most)
                    return MCO_OK;
                if (seen % LOOK_LABELS == 0 && (mco_clock_s() >= t->stop_s || mco_call_is_over(l->ctx) || mco_is_cancelled(l->ctx)))
                    return MCO_OK;
                MCO_TRY(join_lighter(l, i, a, &is_needless));
                if (!is_needless)
                    MCO_TRY(extend(l, load, i, a));
            }
    *is_done = true;
done:
    return st;
}

// Lists the rows that count. False: they are too many for states of a byte each.
static bool take_rows(labels *l)
{
    for (int64_t k = 0; k < l->task->cuts->count; k++) {
        const vrp_cut *cut = &l->task->cuts->cut[k];
        if (cut->kind != VRP_CUT_RANK1 || cut->price == 0)
            continue;
        if (l->rows == UINT8_MAX || cut->denominator > UINT8_MAX / 2)
            return false;
        l->row[l->rows++] = cut;
    }
    return true;
}

static mco_status open_labels(labels *l)
{
    mco_status st = MCO_OK;
    const vrp_recheck_labels *t = l->task;
    for (int32_t i = 1; i < t->nodes; i++)
        l->bits = t->sets->size[i] - 1 > l->bits ? t->sets->size[i] - 1 : l->bits;
    MCO_TRY(mco_alloc(l->ctx, &l->moved, (int64_t)t->nodes * t->nodes * (l->bits + 1)));
    MCO_TRY(mco_alloc(l->ctx, &l->head, (t->capacity + 1) * t->nodes));
    MCO_TRY(mco_alloc(l->ctx, &l->light, t->nodes));
    fill_moves(l);
done:
    return st;
}

static void close_labels(labels *l)
{
    for (int32_t i = 0; l->light != NULL && i < l->task->nodes; i++)
        mco_free(l->ctx, &l->light[i].grown);
    mco_free(l->ctx, &l->light);
    mco_free(l->ctx, &l->head);
    mco_free(l->ctx, &l->state);
    mco_free(l->ctx, &l->label);
    mco_free(l->ctx, &l->moved);
    mco_free(l->ctx, &l->row);
}

mco_status vrp_recheck_least(mco_context *ctx, const vrp_recheck_labels *task, int64_t *least, bool *is_done)
{
    mco_status st = MCO_OK;
    labels l = {.ctx = ctx, .task = task, .most = MOST_LABELS};
    *is_done = false;
    MCO_TRY(mco_alloc(ctx, &l.row, task->cuts->count));
    if (!take_rows(&l))
        goto done;
    MCO_TRY(open_labels(&l));
    for (int64_t limit = FIRST_LIMIT; limit <= LAST_LIMIT; limit *= LIMIT_GROWTH) {
        *is_done = false;
        l.least = limit;
        MCO_TRY(search(&l, is_done));
        if (!*is_done || l.least < limit)
            break;
    }
    *least = l.least;
done:
    close_labels(&l);
    return st;
}

// ---- Tails

static int by_value(const void *a, const void *b)
{
    const vrp_recheck_tail *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

// Lists the labels of each node, by value.
static mco_status sort_tails(const labels *l, vrp_recheck_tails *out)
{
    mco_status st = MCO_OK;
    const vrp_recheck_labels *t = l->task;
    int64_t count = 0;
    MCO_TRY(mco_alloc(l->ctx, &out->first, t->nodes + 1));
    MCO_TRY(mco_alloc(l->ctx, &out->tail, l->count));
    for (int32_t i = 1; i < t->nodes; i++) {
        out->first[i] = count;
        for (int64_t k = 0; k < l->light[i].count; k++) {
            const grown *a = &l->light[i].grown[k];
            out->tail[count++] = (vrp_recheck_tail){a->value, l->label[a->index].load, a->memory, a->index};
        }
        qsort(out->tail + out->first[i], (size_t)(count - out->first[i]), sizeof *out->tail, by_value);
    }
    out->first[t->nodes] = count;
done:
    return st;
}

mco_status vrp_recheck_tails_open(mco_context *ctx, const vrp_recheck_labels *task, int64_t limit, int64_t most, vrp_recheck_tails *out,
                                  bool *is_done)
{
    mco_status st = MCO_OK;
    labels l = {.ctx = ctx, .task = task, .least = limit, .is_fixed = true, .most = most};
    *out = (vrp_recheck_tails){0};
    *is_done = false;
    MCO_TRY(mco_alloc(ctx, &l.row, task->cuts->count));
    if (!take_rows(&l))
        goto done;
    MCO_TRY(open_labels(&l));
    MCO_TRY(search(&l, is_done));
    if (!*is_done)
        goto done;
    MCO_TRY(sort_tails(&l, out));
    out->rows = l.rows;
    out->row = l.row;
    out->state = l.state;
    out->moved = l.moved;
    out->bits = l.bits;
    l.row = NULL;
    l.state = NULL;
    l.moved = NULL;
done:
    close_labels(&l);
    if (st != MCO_OK)
        vrp_recheck_tails_close(ctx, out);
    return st;
}

void vrp_recheck_tails_close(mco_context *ctx, vrp_recheck_tails *tails)
{
    mco_free(ctx, &tails->moved);
    mco_free(ctx, &tails->row);
    mco_free(ctx, &tails->state);
    mco_free(ctx, &tails->tail);
    mco_free(ctx, &tails->first);
}

bool vrp_recheck_reaches(const vrp_recheck_tails *tails, const vrp_recheck_head *head, int32_t k, int64_t value, uint32_t free, int64_t limit)
{
    for (int64_t x = tails->first[k]; x < tails->first[k + 1] && value + tails->tail[x].value < limit; x++) {
        const vrp_recheck_tail *tail = &tails->tail[x];
        const uint8_t *state = tails->state + (int64_t)tail->index * tails->rows;
        int64_t whole = value + tail->value;
        if (tail->load > head->left || (tail->memory & ~free) != 0)
            continue;
        for (int32_t a = 0; a < head->actives && whole < limit; a++) {
            const vrp_cut *row = tails->row[head->active[a]];
            if (head->state[head->active[a]] + state[head->active[a]] >= row->denominator)
                whole -= row->price;
        }
        if (whole < limit)
            return true;
    }
    return false;
}

// Whether a path that ends as `head` does, the arc behind it paid, joins a tail of j below the limit. memory: what it has visited, over the
// neighbours of j.
static bool joins_tail(const vrp_recheck_tails *s, const vrp_recheck_labels *task, const vrp_recheck_tail *head, int32_t j, int64_t arc,
                       uint32_t memory, int64_t limit)
{
    const uint8_t *a = s->state + (int64_t)head->index * s->rows;
    for (int64_t x = s->first[j]; x < s->first[j + 1] && head->value + arc + s->tail[x].value < limit; x++) {
        const vrp_recheck_tail *tail = &s->tail[x];
        const uint8_t *b = s->state + (int64_t)tail->index * s->rows;
        int64_t whole = head->value + arc + tail->value;
        if (head->load + tail->load > task->capacity || (tail->memory & memory) != 0)
            continue;
        for (int32_t r = 0; r < s->rows && whole < limit; r++)
            if (a[r] + b[r] >= s->row[r]->denominator)
                whole -= s->row[r]->price;
        if (whole < limit)
            return true;
    }
    return false;
}

bool vrp_recheck_has_route(const vrp_recheck_tails *tails, const vrp_recheck_labels *task, int32_t i, int32_t j, int64_t limit)
{
    const int64_t arc = task->arc[(int64_t)i * task->nodes + j];
    if (i == 0)
        return tails->first[j] < tails->first[j + 1] && tails->tail[tails->first[j]].value + arc < limit;
    for (int64_t x = tails->first[i]; x < tails->first[i + 1]; x++) {
        uint32_t memory;
        if (move_memory(task, tails->moved, tails->bits, i, j, tails->tail[x].memory, &memory) &&
            joins_tail(tails, task, &tails->tail[x], j, arc, memory, limit))
            return true;
    }
    return false;
}
