// SPDX-License-Identifier: MIT
// A layer: all threads bound the children of its nodes and sieve them; the calling thread selects the best; all threads make them.
#include "flowshop/beam/cores.h"

#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "base/team.h"
#include "flowshop/beam/layer.h"
#include "flowshop/beam/path.h"
#include "flowshop/beam/sieve.h"

enum {
    EXPANDED = 8,        // nodes of an item
    LONG_CELLS = 1 << 20,  // of a table from which on nodes are expanded one by one: 20,000 jobs on 1,000 machines take 20 ms each
    MADE = 64,           // children of an item
    MADE_CELLS = 16,     // cells of a table that take as long as a child and machine when it is made
    ALONE_CELLS = 1 << 20,  // so few take the calling thread some 0.1 ms, hardly longer than threads take to wake up
    TILE = 16,           // jobs: a cache line
    SLACK = 16,          // values behind an array: vectors read beyond its end
    SLACK_BYTES = 64,    // behind the nodes
    ROOM_FACTOR = 4,     // a sieve holds so many widths
    PATH_LAYERS = 24,    // of the full width, as memory for paths
    OTHER_BYTES = 1 << 16
};
static const double WAIT_S = 0.01;
static const double SETTLED_S = 0.2;  // after which the time of a layer tells those of others

struct flowshop_cores_beam {
    flowshop_run *run;
    const flowshop_beam_ops *ops;
    flowshop_beam_shape shape;
    flowshop_beam_layer layer;
    flowshop_beam_sieve *sieves;  // [threads]
    flowshop_beam_path path;
    int threads;
    int64_t width, room;       // of this beam; of the arrays
    int64_t nodes;             // of the layer
    char *spare_nodes;         // [room] of the next layer
    uint32_t *chosen, *spare;  // [threads * (ROOM_FACTOR * room + 64)]
    int64_t chosen_count;
    int32_t *jobs;             // [jobs] of the columns
    uint64_t *free;            // [words] their set
    uint64_t *joined;          // [threads * words] free in nodes that each thread has made
    int32_t *order;            // [jobs] a schedule found
    int32_t *times, *totals, *means;
    bool has_discarded;
    float idle_share;
    int64_t first_upper;       // incumbent when the beam was made
    mco_team team;
    atomic_bool must_stop;
    flowshop_beam_look *look;  // of the caller
    void *user;                // of look
    bool is_over;
};
typedef struct flowshop_cores_beam beam;

// ---- One layer

static bool must_stop(const beam *b)
{
    return atomic_load_explicit(&b->must_stop, memory_order_relaxed);
}

// For threads.
static bool look(void *user)
{
    return must_stop(user);
}

static void expand_item(void *shared, int worker, int64_t item)
{
    beam *b = shared;
    const int64_t first = item * EXPANDED, last = first + EXPANDED < b->nodes ? first + EXPANDED : b->nodes;
    const int64_t cells = (int64_t)b->layer.stride * b->shape.machines, step = cells < LONG_CELLS ? EXPANDED : 1;
    for (int64_t i = first; i < last && !must_stop(b); i += step)
        b->ops->expand(&b->layer, i, i + step < last ? i + step : last, &b->sieves[worker]);
}

// Makes chosen[i].
static void make_one(beam *b, int64_t i)
{
    const int64_t bytes = b->ops->node_bytes(&b->shape), at = b->path.begin[b->path.layers] + i;
    const int64_t node = b->chosen[i] / (uint32_t)b->layer.columns;
    const int32_t job = b->layer.jobs[b->chosen[i] % (uint32_t)b->layer.columns];
    b->path.parents[at] = (uint32_t)node;
    b->path.moves[at] = (uint16_t)(2 * job + b->layer.sides[node]);
    b->ops->make_child(&b->layer, node, job, b->spare_nodes + i * bytes);
}

static void make_item(void *shared, int worker, int64_t item)
{
    beam *b = shared;
    const int64_t first = item * MADE, last = first + MADE < b->chosen_count ? first + MADE : b->chosen_count;
    if (must_stop(b))
        return;
    for (int64_t i = first; i < last; i++)
        make_one(b, i);
    b->ops->join_free(&b->shape, b->spare_nodes + first * b->ops->node_bytes(&b->shape), last - first,
                      b->joined + (int64_t)worker * b->shape.words);
}

static double watch(void *shared)
{
    beam *b = shared;
    b->is_over = b->is_over || b->look(b->user);
    if (b->is_over)
        atomic_store_explicit(&b->must_stop, true, memory_order_relaxed);
    return WAIT_S;
}

// For the calling thread.
static bool look_at_clock(void *user)
{
    watch(user);
    return ((beam *)user)->is_over;
}

// Does all items: the calling thread alone if they are short, else the team.
static void share_out(beam *b, int64_t items, mco_team_item *work, double cells)
{
    if (cells > ALONE_CELLS)
        mco_team_run(&b->team, items, work, watch, b);
    for (int64_t i = 0; i < items && cells <= ALONE_CELLS; i++)
        work(b, 0, i);
    watch(b);
}

// The columns of a layer: the jobs that are free in some node, and their times. The sets of a beam's layers only shrink, so equally
// many are the same.
static void open_columns(beam *b)
{
    flowshop_beam_layer *l = &b->layer;
    const int32_t before = l->depth == 0 ? 0 : l->columns, words = b->shape.words;
    memset(b->free, 0, (size_t)words * sizeof *b->free);
    l->columns = 0;
    for (int64_t i = 0; i < (int64_t)b->threads * words; i++)
        b->free[i % words] |= b->joined[i];
    memset(b->joined, 0, (size_t)b->threads * (size_t)words * sizeof *b->joined);
    for (int32_t w = 0; w < words; w++)
        for (uint64_t left = b->free[w]; left != 0; left &= left - 1)
            b->jobs[l->columns++] = w * 64 + __builtin_ctzll(left);
    l->stride = (l->columns + 63) / 64 * 64;
    if (l->columns != before)
        b->ops->fill_table(l);
    for (int t = 0; t < b->threads; t++) {
        flowshop_beam_sieve *s = &b->sieves[t];
        s->count = s->seen = 0;
        s->has_limit = false;
        s->width = b->width;
    }
}

// Selects and makes the next layer, unless the run is over meanwhile.
static mco_status advance(beam *b, bool *is_empty)
{
    mco_status st = MCO_OK;
    int64_t seen = 0;
    for (int t = 0; t < b->threads; t++)
        seen += b->sieves[t].seen;
    b->has_discarded = b->has_discarded || seen > b->width;
    b->chosen_count = flowshop_beam_select(b->sieves, b->threads, b->width, look_at_clock, b, b->chosen, b->spare);
    *is_empty = b->chosen_count == 0;
    if (*is_empty)
        return MCO_OK;
    MCO_TRY(flowshop_beam_path_extend(b->run->ctx, &b->path, b->chosen_count, look_at_clock, b));
    if (b->is_over)
        return MCO_OK;
    share_out(b, (b->chosen_count + MADE - 1) / MADE, make_item, (double)b->chosen_count * b->shape.machines * MADE_CELLS);
    b->path.layers++;
    b->path.begin[b->path.layers] = b->path.begin[b->path.layers - 1] + b->chosen_count;
    char *swap = b->layer.nodes;
    b->layer.nodes = b->spare_nodes;
    b->spare_nodes = swap;
    b->nodes = b->chosen_count;
done:
    return st;
}

// Of the last layer the first node is not always the best: finds the one of least makespan.
static int64_t best_leaf(const beam *b, uint32_t *makespan)
{
    int64_t best = 0;
    *makespan = UINT32_MAX;
    for (int t = 0; t < b->threads; t++)
        for (int64_t i = 0; i < b->sieves[t].count; i++) {
            const uint32_t key = (uint32_t)(b->sieves[t].children[i] >> 32), child = (uint32_t)b->sieves[t].children[i];
            if (key < *makespan || (key == *makespan && child < (uint32_t)best)) {
                *makespan = key;
                best = child;
            }
        }
    return best;
}

// ---- Room for a width

static void free_room(mco_context *ctx, beam *b)
{
    for (int t = 0; b->sieves != NULL && t < b->threads; t++)
        mco_free(ctx, &b->sieves[t].children);
    mco_free(ctx, &b->layer.nodes);
    mco_free(ctx, &b->spare_nodes);
    mco_free(ctx, &b->layer.sides);
    mco_free(ctx, &b->chosen);
    mco_free(ctx, &b->spare);
    b->room = 0;
}

static int64_t sieve_room(int64_t width)
{
    return ROOM_FACTOR * width + 1024;
}

double flowshop_cores_beam_bytes(const beam *b, int64_t width)
{
    const double table = (double)b->shape.machines * b->shape.jobs * (4 + 3 * (double)b->ops->build.bits / 8);
    const double scratch = (double)b->threads * (double)b->ops->scratch_bytes(&b->shape);
    const double nodes = 2.0 * (double)b->ops->node_bytes(&b->shape) + PATH_LAYERS * 7.0;
    const double sieves = (double)b->threads * (8 + 2 * 4.0);
    return OTHER_BYTES + table + scratch + (double)width * (nodes + 1) + sieves * (double)sieve_room(width);
}

static mco_status take_room(beam *b, int64_t width)
{
    mco_status st = MCO_OK;
    mco_context *ctx = b->run->ctx;
    if (width <= b->room)
        return MCO_OK;
    free_room(ctx, b);
    for (int t = 0; t < b->threads; t++) {
        b->sieves[t].room = sieve_room(width);
        MCO_TRY(mco_alloc(ctx, &b->sieves[t].children, b->sieves[t].room));
    }
    MCO_TRY(mco_alloc(ctx, &b->layer.nodes, width * b->ops->node_bytes(&b->shape) + SLACK_BYTES));
    MCO_TRY(mco_alloc(ctx, &b->spare_nodes, width * b->ops->node_bytes(&b->shape) + SLACK_BYTES));
    MCO_TRY(mco_alloc(ctx, &b->layer.sides, width));
    MCO_TRY(mco_alloc(ctx, &b->chosen, b->threads * sieve_room(width)));
    MCO_TRY(mco_alloc(ctx, &b->spare, b->threads * sieve_room(width)));
    b->room = width;
done:
    return st;
}

// ---- One beam

// The last layer has one free job in each node: its children are schedules.
static mco_status take_leaf(beam *b, flowshop_beam_outcome *out)
{
    mco_status st = MCO_OK;
    uint32_t makespan;
    const int64_t leaf = best_leaf(b, &makespan);
    if (makespan == UINT32_MAX)
        return MCO_OK;
    MCO_TRY(flowshop_beam_path_extend(b->run->ctx, &b->path, 1, look_at_clock, b));
    if (b->is_over)
        return MCO_OK;
    b->chosen[0] = (uint32_t)leaf;
    make_one(b, 0);
    b->path.layers++;
    b->path.begin[b->path.layers] = b->path.begin[b->path.layers - 1] + 1;
    flowshop_beam_path_order(&b->path, 0, b->order);
    out->makespan = makespan;
    out->order = b->order;
done:
    return st;
}

// Narrows the layers that follow if the beam would end late. A layer of k free jobs has 2 width k children.
static bool narrow(beam *b, double begin_s, double end_s)
{
    const double n = b->shape.jobs, left = n - b->layer.depth - 1, all = n * (n + 1), open = left * (left + 1);
    const double now_s = mco_run_time_s(&b->run->run), needed_s = (now_s - begin_s) * open / (all - open);
    const bool is_late = now_s - begin_s > SETTLED_S && needed_s > end_s - now_s && end_s > now_s;
    if (is_late)
        b->width = (int64_t)fmin((double)b->width - 1, (double)b->width * (end_s - now_s) / needed_s) + 1;  // never beyond its room
    return is_late;
}

mco_status flowshop_cores_beam_run(beam *b, int64_t width, int64_t target, double end_s, flowshop_beam_outcome *out)
{
    mco_status st = MCO_OK;
    const double begin_s = mco_run_time_s(&b->run->run);
    *out = (flowshop_beam_outcome){.makespan = INT64_MAX};
    MCO_TRY(take_room(b, width));
    b->width = width;
    b->has_discarded = false;
    b->nodes = 1;
    b->layer.upper = target;
    b->ops->make_root(&b->shape, b->layer.nodes);
    memset(b->joined, 0, (size_t)b->threads * (size_t)b->shape.words * sizeof *b->joined);
    b->ops->join_free(&b->shape, b->layer.nodes, 1, b->joined);
    flowshop_beam_path_clear(&b->path);
    for (b->layer.depth = 0; b->layer.depth < b->shape.jobs; b->layer.depth++) {
        bool is_empty = false;
        open_columns(b);
        share_out(b, (b->nodes + EXPANDED - 1) / EXPANDED, expand_item, (double)b->nodes * b->layer.columns * b->shape.machines);
        if (b->is_over)
            goto done;
        if (b->layer.depth + 1 == b->shape.jobs)
            MCO_TRY(take_leaf(b, out));
        else
            MCO_TRY(advance(b, &is_empty));
        if (b->is_over)
            goto done;
        if (is_empty)
            break;
        out->is_narrowed = narrow(b, begin_s, end_s) || out->is_narrowed;
    }
    out->is_complete = true;
done:
    out->has_discarded = b->has_discarded;
    for (int t = 0; t < b->threads; t++) {
        out->bounded += b->sieves[t].bounded;
        b->sieves[t].bounded = 0;
    }
    return st;
}

// ---- Its life

static mco_status fill_shape(beam *b)
{
    mco_status st = MCO_OK;
    mco_context *ctx = b->run->ctx;
    const mco_flowshop *shop = b->run->shop;
    const int32_t n = shop->jobs, m = shop->machines;
    int64_t largest = 1;
    MCO_TRY(mco_alloc(ctx, &b->times, (int64_t)n * m + SLACK));
    MCO_TRY(mco_alloc(ctx, &b->totals, m + SLACK));
    MCO_TRY(mco_alloc(ctx, &b->means, m + SLACK));
    for (int32_t first = 0; first < n; first += TILE)
        for (int32_t k = 0; k < m; k++)
            for (int32_t j = first; j < n && j < first + TILE; j++) {
                const int32_t time = shop->times[(int64_t)k * n + j];
                b->times[(int64_t)j * m + k] = time;
                b->totals[k] += time;
                largest = time > largest ? time : largest;
            }
    for (int32_t k = 0; k < m; k++)
        b->means[k] = b->totals[k] / n > 0 ? b->totals[k] / n : 1;
    // No gap exceeds the work of a job on all machines. Shifted it fits 16 bits.
    int32_t shift = 0;
    while (largest * m >> -shift > UINT16_MAX)
        shift--;
    while (shift >= 0 && shift < 8 && largest * m << (shift + 1) <= UINT16_MAX)
        shift++;
    b->shape = (flowshop_beam_shape){.jobs = n, .machines = m, .words = (n + 63) / 64, .shift = shift, .largest = (int32_t)largest,
                                     .fits = b->first_upper + largest * m <= UINT16_MAX, .idle_share = b->idle_share,
                                     .times = b->times, .rows = shop->times, .totals = b->totals, .means = b->means};
done:
    return st;
}

static mco_status make(beam *b)
{
    mco_status st = MCO_OK;
    mco_context *ctx = b->run->ctx;
    MCO_TRY(fill_shape(b));
    const int64_t n = b->shape.jobs, stride = (n + 63) / 64 * 64;
    const int lane_bytes = b->ops->build.bits / 8;
    MCO_TRY(mco_alloc(ctx, &b->sieves, b->threads));
    for (int t = 0; t < b->threads; t++) {
        MCO_TRY(mco_alloc_bytes(ctx, &b->sieves[t].scratch, (size_t)b->ops->scratch_bytes(&b->shape), 1));
        b->sieves[t].look = look;
        b->sieves[t].user = b;
    }
    MCO_TRY(mco_alloc_bytes(ctx, &b->layer.table, (size_t)(3 * b->shape.machines * stride), (size_t)lane_bytes));
    MCO_TRY(mco_alloc(ctx, &b->jobs, n));
    MCO_TRY(mco_alloc(ctx, &b->free, b->shape.words));
    MCO_TRY(mco_alloc(ctx, &b->joined, (int64_t)b->threads * b->shape.words));
    MCO_TRY(mco_alloc(ctx, &b->order, n));
    MCO_TRY(flowshop_beam_path_create(ctx, b->shape.jobs, &b->path));
    MCO_TRY(mco_team_open(ctx, b->threads, true, &b->team));
    b->layer.shape = &b->shape;
    b->layer.jobs = b->jobs;
    b->layer.free = b->free;
done:
    return st;
}

mco_status flowshop_cores_beam_create(flowshop_run *run, int64_t largest, float idle_share, flowshop_beam_look *look_at_run, void *user,
                                      beam **out)
{
    mco_status st = MCO_OK;
    beam *b = NULL;
    MCO_TRY(mco_alloc(run->ctx, &b, 1));
    b->run = run;
    b->threads = run->threads;
    b->idle_share = idle_share;
    b->first_upper = largest;
    b->look = look_at_run;
    b->user = user;
    b->ops = &flowshop_beam_plain;
    if (run->result->work.engine != MCO_ENGINE_REFERENCE)
        MCO_TRY(flowshop_beam_choose(run->ctx, run->params->simd, largest <= UINT16_MAX ? 16 : 32, &b->ops));
    MCO_TRY(make(b));
    *out = b;
done:
    if (st != MCO_OK)
        flowshop_cores_beam_destroy(run->ctx, &b);
    return st;
}

void flowshop_cores_beam_destroy(mco_context *ctx, beam **out)
{
    beam *b = *out;
    if (b == NULL)
        return;
    mco_team_close(&b->team);
    free_room(ctx, b);
    flowshop_beam_path_destroy(ctx, &b->path);
    mco_free(ctx, &b->order);
    mco_free(ctx, &b->joined);
    mco_free(ctx, &b->free);
    mco_free(ctx, &b->jobs);
    mco_free_bytes(ctx, &b->layer.table);
    for (int t = 0; b->sieves != NULL && t < b->threads; t++)
        mco_free_bytes(ctx, &b->sieves[t].scratch);
    mco_free(ctx, &b->sieves);
    mco_free(ctx, &b->means);
    mco_free(ctx, &b->totals);
    mco_free(ctx, &b->times);
    mco_free(ctx, out);
}

const flowshop_beam_shape *flowshop_cores_beam_shape(const beam *b)
{
    return &b->shape;
}

int32_t flowshop_cores_beam_depth(const beam *b)
{
    return b->layer.depth;
}

mco_build flowshop_cores_beam_build(const beam *b)
{
    return b->ops->build;
}
