// SPDX-License-Identifier: MIT
// Flows of rows in batches (store.h): grouping of near rows, slots, and the way in and out.
#include "traffic/pairs/store.h"

#include <math.h>
#include <string.h>

#include "base/pages.h"
#include "traffic/pairs/heap.h"

// ---- Grouping

// A search from one row after another for the nearest rows that have no batch yet.
typedef struct grouping {
    const traffic_problem *problem;
    double *label;       // [nodes] infinite between searches
    int32_t *touched;    // [nodes] nodes with labels
    int32_t touched_count;
    pairs_heap heap;
    int32_t *row_of;     // [nodes] row of the class that begins there and has no batch, -1: none
} grouping;

static mco_status reach(mco_context *ctx, grouping *g, double label, int32_t node)
{
    if (label >= g->label[node])
        return MCO_OK;
    if (g->label[node] == INFINITY)
        g->touched[g->touched_count++] = node;
    g->label[node] = label;
    return pairs_heap_push(ctx, &g->heap, label, node);
}

// Takes the nearest rows from `origin` on, the own row first.
static mco_status group_near(mco_context *ctx, grouping *g, int32_t origin, int32_t row[PAIRS_LANES])
{
    const traffic_problem *p = g->problem;
    int count = 0;
    mco_status st = reach(ctx, g, 0, origin);
    while (st == MCO_OK && g->heap.count > 0 && count < PAIRS_LANES) {
        const pairs_entry top = pairs_heap_pop(&g->heap);
        const int32_t v = top.node;
        if (top.label > g->label[v])
            continue;
        if (g->row_of[v] >= 0) {
            row[count++] = g->row_of[v];
            g->row_of[v] = -1;
        }
        if (v < p->first_through && v != origin)
            continue;
        for (int32_t l = p->first[v]; l < p->first[v + 1] && st == MCO_OK; l++)
            st = reach(ctx, g, top.label + p->costs.base[l], p->head[l]);
    }
    while (count < PAIRS_LANES)
        row[count++] = -1;
    for (int32_t k = 0; k < g->touched_count; k++)
        g->label[g->touched[k]] = INFINITY;
    g->touched_count = 0;
    g->heap.count = 0;
    return st;
}

static mco_status group_class(pairs_store *store, grouping *g, int32_t first, int32_t end)
{
    const traffic_problem *p = store->problem;
    mco_status st = MCO_OK;
    for (int32_t r = first; r < end; r++)
        g->row_of[p->row_origin[r]] = r;
    for (int32_t r = first; r < end && st == MCO_OK; r++) {
        if (g->row_of[p->row_origin[r]] < 0)
            continue;
        pairs_batch *b = &store->batch[store->batches];
        b->user_class = p->row_class[r];
        st = group_near(store->ctx, g, p->row_origin[r], b->row);
        for (int lane = 0; lane < PAIRS_LANES; lane++)
            if (b->row[lane] >= 0)
                store->place[b->row[lane]] = store->batches * PAIRS_LANES + lane;
        store->batches++;
        if (st == MCO_OK)
            st = mco_call_in_time(store->ctx, (int64_t)r << 8);  // a group's search takes a millisecond or more
    }
    return st;
}

static mco_status group_rows(pairs_store *store)
{
    const traffic_problem *p = store->problem;
    mco_context *ctx = store->ctx;
    mco_status st = MCO_OK;
    grouping g = {.problem = p};
    MCO_TRY(mco_alloc(ctx, &g.label, p->nodes));
    MCO_TRY(mco_alloc(ctx, &g.touched, p->nodes));
    MCO_TRY(mco_alloc(ctx, &g.row_of, p->nodes));
    for (int32_t v = 0; v < p->nodes; v++) {
        g.label[v] = INFINITY;
        g.row_of[v] = -1;
    }
    for (int32_t first = 0, end; first < p->rows; first = end) {
        for (end = first; end < p->rows && p->row_class[end] == p->row_class[first]; end++)
            ;
        MCO_TRY(group_class(store, &g, first, end));
    }
done:
    mco_free(ctx, &g.row_of);
    mco_free(ctx, &g.heap.entry);
    mco_free(ctx, &g.touched);
    mco_free(ctx, &g.label);
    return st;
}

// Batches of a plan, which has each row of the problem once.
static void take_plan(pairs_store *store, const traffic_plan *plan)
{
    for (int32_t i = 0; i < plan->batches; i++) {
        pairs_batch *b = &store->batch[i];
        memcpy(b->row, plan->row + (size_t)i * PAIRS_LANES, sizeof b->row);
        b->user_class = store->problem->row_class[b->row[0]];
        for (int lane = 0; lane < PAIRS_LANES; lane++)
            if (b->row[lane] >= 0)
                store->place[b->row[lane]] = i * PAIRS_LANES + lane;
    }
    store->batches = plan->batches;
}

mco_status pairs_store_plan(const pairs_store *store, traffic_plan *plan)
{
    mco_status st = MCO_OK;
    MCO_TRY(mco_alloc(store->ctx, &plan->row, (size_t)store->batches * PAIRS_LANES));
    for (int32_t i = 0; i < store->batches; i++)
        memcpy(plan->row + (size_t)i * PAIRS_LANES, store->batch[i].row, sizeof store->batch[i].row);
    plan->batches = store->batches;
done:
    return st;
}

mco_status pairs_store_open(mco_context *ctx, const traffic_problem *problem, bool is_watched, const traffic_plan *plan, pairs_store *out)
{
    mco_status st = MCO_OK;
    *out = (pairs_store){.ctx = ctx, .problem = problem, .is_watched = is_watched};
    MCO_TRY(mco_alloc(ctx, &out->place, problem->rows));
    MCO_TRY(mco_alloc(ctx, &out->batch, problem->rows));  // groups may be small where rows do not reach each other
    if (plan != NULL)
        take_plan(out, plan);
    else
        MCO_TRY(group_rows(out));
    for (int32_t i = 0; i < out->batches; i++) {
        if (problem->links < UINT16_MAX)  // slot + 1 <= links
            MCO_TRY(mco_alloc(ctx, &out->batch[i].narrow, problem->links));
        else
            MCO_TRY(mco_alloc(ctx, &out->batch[i].wide, problem->links));
    }
done:
    if (st != MCO_OK)
        pairs_store_close(out);
    return st;
}

static void close_batch(mco_context *ctx, pairs_batch *b)
{
    mco_free(ctx, &b->wide);
    mco_free(ctx, &b->narrow);
    mco_free(ctx, &b->is_changed);
    mco_free(ctx, &b->flow);
    mco_free(ctx, &b->link);
}

void pairs_store_close(pairs_store *store)
{
    for (int32_t i = 0; i < store->batches; i++)
        close_batch(store->ctx, &store->batch[i]);
    mco_free(store->ctx, &store->batch);
    mco_free(store->ctx, &store->place);
    store->batches = 0;
}

// ---- Slots

static void set_slot(pairs_batch *b, int32_t link, int32_t slot)
{
    if (b->narrow != NULL)
        b->narrow[link] = (uint16_t)(slot + 1);
    else
        b->wide[link] = slot + 1;
}

// Arrays of a batch with room for `room` slots; flows of the first `slots` are copied by the caller.
static mco_status new_arrays(mco_context *ctx, const pairs_store *store, int32_t room, pairs_batch *out)
{
    mco_status st = MCO_OK;
    out->link = NULL;
    out->flow = NULL;
    out->is_changed = NULL;
    out->room = room;
    MCO_TRY(mco_alloc(ctx, &out->link, room));
    MCO_TRY(mco_alloc(ctx, &out->flow, (size_t)room * PAIRS_LANES));
    if (store->is_watched)
        MCO_TRY(mco_alloc(ctx, &out->is_changed, room));
done:
    if (st != MCO_OK) {
        mco_free(ctx, &out->flow);
        mco_free(ctx, &out->link);
    }
    return st;
}

static void take_arrays(mco_context *ctx, pairs_batch *b, const pairs_batch *from)
{
    mco_free(ctx, &b->is_changed);
    mco_free(ctx, &b->flow);
    mco_free(ctx, &b->link);
    b->is_changed = from->is_changed;
    b->flow = from->flow;
    b->link = from->link;
    b->room = from->room;
}

// Room grows by a sixteenth, since memory is short here rather than time. Before the first packing it grows by half, as few batches are in that state.
static mco_status grow_batch(mco_context *ctx, const pairs_store *store, pairs_batch *b)
{
    const int64_t most = store->problem->links, wanted = (int64_t)b->room + b->room / (b->is_packed ? 16 : 2) + 64;
    pairs_batch larger;
    const mco_status st = new_arrays(ctx, store, (int32_t)(wanted < most ? wanted : most), &larger);
    if (st != MCO_OK)
        return st;
    const size_t slots = (size_t)b->slots;
    if (slots > 0) {
        memcpy(larger.link, b->link, slots * sizeof *b->link);
        memcpy(larger.flow, b->flow, slots * PAIRS_LANES * sizeof *b->flow);
        if (b->is_changed != NULL)
            memcpy(larger.is_changed, b->is_changed, slots);
    }
    take_arrays(ctx, b, &larger);
    return MCO_OK;
}

mco_status pairs_slot_make(mco_context *ctx, pairs_store *store, pairs_batch *b, int32_t link, int32_t *slot)
{
    *slot = pairs_slot(b, link);
    if (*slot >= 0)
        return MCO_OK;
    if (b->slots == b->room) {
        const mco_status st = grow_batch(ctx, store, b);
        if (st != MCO_OK)
            return st;
    }
    *slot = b->slots++;
    b->link[*slot] = link;
    if (b->is_changed != NULL)
        b->is_changed[*slot] = 1;
    set_slot(b, link, *slot);
    return MCO_OK;
}

static bool has_flow(const double *flow)
{
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        if (flow[lane] > 0)
            return true;
    return false;
}

mco_status pairs_batch_pack(mco_context *ctx, pairs_store *store, pairs_batch *b)
{
    int32_t count = 0;
    for (int32_t s = 0; s < b->slots; s++)
        count += has_flow(b->flow + (size_t)s * PAIRS_LANES);
    const int64_t room = (int64_t)count + count / 16 + 16, most = store->problem->links;
    pairs_batch packed;
    const mco_status st = new_arrays(ctx, store, (int32_t)(room < most ? room : most), &packed);
    if (st != MCO_OK)
        return st;
    count = 0;
    for (int32_t l = 0; l < store->problem->links; l++) {
        const int32_t slot = pairs_slot(b, l);
        if (slot < 0)
            continue;
        const double *flow = b->flow + (size_t)slot * PAIRS_LANES;
        if (!has_flow(flow)) {
            set_slot(b, l, -1);
            continue;
        }
        packed.link[count] = l;
        memcpy(packed.flow + (size_t)count * PAIRS_LANES, flow, PAIRS_LANES * sizeof *flow);
        set_slot(b, l, count++);
    }
    b->slots = count;
    b->is_packed = true;
    take_arrays(ctx, b, &packed);
    if (b->is_changed != NULL)
        memset(b->is_changed, 1, (size_t)count);
    return MCO_OK;
}

// ---- In and out

// Slots for all links of the rows of a batch, by ascending links. used [words] is 0 before and after.
static mco_status make_slots(pairs_store *store, pairs_batch *b, const traffic_flows *flows, uint64_t *used, int64_t words)
{
    int32_t count = 0;
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        for (int64_t k = b->row[lane] < 0 ? 0 : flows->first[b->row[lane]]; b->row[lane] >= 0 && k < flows->first[b->row[lane] + 1]; k++)
            used[flows->link[k] / 64] |= UINT64_C(1) << flows->link[k] % 64;
    for (int64_t w = 0; w < words; w++)
        count += __builtin_popcountll(used[w]);
    const int64_t room = (int64_t)count + count / 16 + 16, most = store->problem->links;
    pairs_batch made;
    const mco_status st = new_arrays(store->ctx, store, (int32_t)(room < most ? room : most), &made);
    if (st == MCO_OK)
        take_arrays(store->ctx, b, &made);
    b->slots = 0;
    b->is_packed = true;
    for (int64_t w = 0; w < words; w++)
        for (; used[w] != 0; used[w] &= used[w] - 1) {
            const int32_t link = (int32_t)(64 * w + __builtin_ctzll(used[w]));
            if (st != MCO_OK)
                continue;
            b->link[b->slots] = link;
            set_slot(b, link, b->slots++);
        }
    if (st == MCO_OK && b->is_changed != NULL)
        memset(b->is_changed, 1, (size_t)b->slots);
    return st;
}

mco_status pairs_store_take(pairs_store *store, const traffic_flows *flows)
{
    mco_status st = MCO_OK;
    uint64_t *used = NULL;
    const int64_t words = ((int64_t)store->problem->links + 63) / 64;
    MCO_TRY(mco_alloc(store->ctx, &used, words));
    for (int32_t i = 0; i < store->batches; i++) {
        pairs_batch *b = &store->batch[i];
        MCO_TRY(make_slots(store, b, flows, used, words));
        for (int lane = 0; lane < PAIRS_LANES; lane++)
            for (int64_t k = b->row[lane] < 0 ? 0 : flows->first[b->row[lane]]; b->row[lane] >= 0 && k < flows->first[b->row[lane] + 1]; k++)
                b->flow[(size_t)pairs_slot(b, flows->link[k]) * PAIRS_LANES + (size_t)lane] = flows->flow[k];
    }
done:
    mco_free(store->ctx, &used);
    return st;
}

// Room for the rows of a batch while they are separated.
typedef struct separator {
    int32_t *link;  // [PAIRS_LANES][links + 1]
    double *flow;
} separator;

// Appends a slot's flows to the lanes' rows. What a lane without flow writes is overwritten: no jump depends on flows.
static inline void separate_slot(separator *room, size_t stride, int32_t link, const double *flow, size_t count[PAIRS_LANES])
{
    for (int lane = 0; lane < PAIRS_LANES; lane++) {
        const size_t at = (size_t)lane * stride + count[lane];
        room->link[at] = link;
        room->flow[at] = flow[lane];
        count[lane] += flow[lane] > 0;
    }
}

static bool is_packed(const pairs_batch *b)
{
    for (int32_t k = 1; k < b->slots; k++)
        if (b->link[k] <= b->link[k - 1])
            return false;
    return true;
}

// Writes the flows of a batch to the rows' places in `out`, by ascending links.
static void give_batch(const pairs_store *store, const pairs_batch *b, separator *room, traffic_flows *out)
{
    const size_t stride = (size_t)store->problem->links + 1;
    size_t count[PAIRS_LANES] = {0};
    if (is_packed(b)) {
        for (int32_t k = 0; k < b->slots; k++)
            separate_slot(room, stride, b->link[k], b->flow + (size_t)k * PAIRS_LANES, count);
    } else {
        for (int32_t l = 0; l < store->problem->links; l++) {
            const int32_t slot = pairs_slot(b, l);
            if (slot >= 0)
                separate_slot(room, stride, l, b->flow + (size_t)slot * PAIRS_LANES, count);
        }
    }
    for (int lane = 0; lane < PAIRS_LANES; lane++) {
        if (count[lane] == 0)
            continue;
        const size_t from = (size_t)lane * stride;
        memcpy(out->link + out->first[b->row[lane]], room->link + from, count[lane] * sizeof *out->link);
        memcpy(out->flow + out->first[b->row[lane]], room->flow + from, count[lane] * sizeof *out->flow);
    }
}

static void count_flows(const pairs_batch *b, traffic_flows *out)
{
    int64_t count[PAIRS_LANES] = {0};
    for (int32_t k = 0; k < b->slots; k++)
        for (int lane = 0; lane < PAIRS_LANES; lane++)
            count[lane] += b->flow[(size_t)k * PAIRS_LANES + (size_t)lane] > 0;
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        if (b->row[lane] >= 0)
            out->first[b->row[lane] + 1] = count[lane];
}

mco_status pairs_store_give(pairs_store *store, traffic_flows *out)
{
    const traffic_problem *p = store->problem;
    mco_context *ctx = store->ctx;
    mco_status st = MCO_OK;
    separator room = {0};
    *out = (traffic_flows){.rows = p->rows};
    MCO_TRY(mco_alloc(ctx, &out->first, (int64_t)p->rows + 1));
    MCO_TRY(mco_alloc_unset(ctx, &room.link, PAIRS_LANES * ((int64_t)p->links + 1)));
    MCO_TRY(mco_alloc_unset(ctx, &room.flow, PAIRS_LANES * ((int64_t)p->links + 1)));
    for (int32_t i = 0; i < store->batches; i++)
        count_flows(&store->batch[i], out);
    for (int32_t r = 0; r < p->rows; r++)
        out->first[r + 1] += out->first[r];
    MCO_TRY(mco_alloc_unset(ctx, &out->link, out->first[p->rows]));
    MCO_TRY(mco_alloc_unset(ctx, &out->flow, out->first[p->rows]));
    for (int32_t i = 0; i < store->batches; i++) {
        pairs_batch *b = &store->batch[i];
        give_batch(store, b, &room, out);
        if (b->flow != NULL)
            mco_drop_pages(b->flow, (size_t)b->room * PAIRS_LANES * sizeof *b->flow);
        close_batch(ctx, b);
        b->slots = 0;
    }
done:
    mco_free(ctx, &room.flow);
    mco_free(ctx, &room.link);
    if (st != MCO_OK) {
        mco_free(ctx, &out->flow);
        mco_free(ctx, &out->link);
        mco_free(ctx, &out->first);
        out->rows = 0;
    }
    return st;
}

void pairs_store_add(const pairs_store *store, const pairs_range *range, double *flow, double *class_flow)
{
    const uint32_t width = (uint32_t)(range->end_link - range->first_link);
    for (int32_t i = range->first; i < store->batches; i += range->step) {
        const pairs_batch *b = &store->batch[i];
        double *of_class = class_flow == NULL ? NULL : class_flow + (size_t)b->user_class * (size_t)store->problem->links;
        for (int32_t s = 0; s < b->slots; s++) {
            const int32_t link = b->link[s];
            if ((uint32_t)(link - range->first_link) >= width)
                continue;
            const double *x = b->flow + (size_t)s * PAIRS_LANES;
            const double sum = ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
            flow[link] += sum;
            if (of_class != NULL)
                of_class[link] += sum;
        }
    }
}

void pairs_store_sum(const pairs_store *store, double *flow, double *class_flow)
{
    const traffic_problem *p = store->problem;
    memset(flow, 0, (size_t)p->links * sizeof *flow);
    if (class_flow != NULL)
        memset(class_flow, 0, (size_t)p->classes * (size_t)p->links * sizeof *class_flow);
    pairs_store_add(store, &(pairs_range){0, p->links, 0, 1}, flow, class_flow);
}
