// SPDX-License-Identifier: MIT
// Beam search from both ends, with targets.
//
// A beam goes down the tree of the branch and bound layer by layer and keeps the best `width` nodes of each (L. Libralesso,
// P. Focke, A. Secardin, V. Jost, EJOR 301, 2022). Here it has a target: children whose bound reaches it are pruned, and the rule
// for the end that grows counts the children below it. Where n is much larger than m and m is small, a target between bound and
// incumbent leads to far better schedules than the incumbent itself. A layer that is empty while nothing was discarded
// proves the target.
//
// A layer: all threads bound the children of its nodes and sieve them; the calling thread selects the best; all threads make them.
#include "flowshop/beam/beam.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "base/team.h"
#include "flowshop/beam/layer.h"
#include "flowshop/beam/path.h"
#include "flowshop/beam/place.h"
#include "flowshop/beam/sieve.h"

enum {
    EXPANDED = 8,        // nodes of an item
    MADE = 64,           // children of an item
    MADE_CELLS = 16,     // cells of a table that take as long as a child and machine when it is made
    ALONE_CELLS = 1 << 20,  // so few take the calling thread some 0.1 ms, hardly longer than threads take to wake up
    TILE = 16,           // jobs: a cache line
    ROOM_FACTOR = 4,     // a sieve holds so many widths
    LARGEST_WIDTH = 1 << 24,
    FIRST_TARGET_WIDTH = 16
};
static const double WAIT_S = 0.01;

typedef struct beam {
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
    int64_t bounded;           // children, for the log
    mco_team team;
    atomic_bool must_stop;
    mco_stop *stop;
    bool is_over;
    flowshop_beam_place place;
    bool is_on_gpu;            // the beam
} beam;

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
    for (int64_t i = first; i < last && !must_stop(b); i++)  // a node of 20,000 jobs on 1,000 machines takes 20 ms
        b->ops->expand(&b->layer, i, i + 1, &b->sieves[worker]);
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
    b->is_over = b->is_over || flowshop_run_must_stop(b->run, b->run->result->iterations, b->stop);
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

// ---- One beam

typedef struct outcome {
    bool is_complete;   // not cut off
    int64_t makespan;   // of the schedule found, INT64_MAX if none is below the target
    bool must_repeat;   // a GPU has failed, and the cores go on
} outcome;

// The last layer has one free job in each node: its children are schedules.
static mco_status take_leaf(beam *b, outcome *out)
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
    MCO_TRY(flowshop_run_improve(b->run, makespan, b->order, "beam"));
done:
    return st;
}

// A beam has ended by itself.
static void finish_beam(beam *b, int64_t target, outcome *out)
{
    out->is_complete = true;
    b->run->result->iterations++;
    if (!b->has_discarded)
        flowshop_run_raise_bound(b->run, out->makespan < target ? out->makespan : target);
}

static mco_status run_on_gpu(beam *b, int64_t target, outcome *out)
{
    mco_status st = MCO_OK;
    const flowshop_beam_gpu_task task = {b->width, target, b->shape.idle_share, look_at_clock, b, &b->layer.depth};
    flowshop_beam_gpu_answer answer;
    st = flowshop_beam_run_on_gpu(&b->place, &task, &answer, b->order);
    out->must_repeat = st != MCO_OK;
    if (st != MCO_OK)
        return flowshop_beam_leave_gpu(&b->place, st);
    b->bounded += answer.bounded;
    b->has_discarded = answer.has_discarded;
    if (!answer.is_complete)
        return MCO_OK;
    out->makespan = answer.makespan;
    if (answer.makespan < INT64_MAX)
        MCO_TRY(flowshop_run_improve(b->run, answer.makespan, b->order, "beam"));
    finish_beam(b, target, out);
done:
    return st;
}

static mco_status run_beam(beam *b, int64_t width, int64_t target, outcome *out)
{
    mco_status st = MCO_OK;
    *out = (outcome){.makespan = INT64_MAX};
    b->width = width;
    b->has_discarded = false;
    if (b->is_on_gpu)
        return run_on_gpu(b, target, out);
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
    }
    finish_beam(b, target, out);
done:
    for (int t = 0; t < b->threads; t++) {
        b->bounded += b->sieves[t].bounded;
        b->sieves[t].bounded = 0;
    }
    return st;
}

// ---- Memory

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

// Bytes that a beam of `width` takes, paths of eight layers included.
static double bytes_of(const beam *b, int64_t width)
{
    const double nodes = 2.0 * (double)b->ops->node_bytes(&b->shape) + 8 * 7.0, sieves = (double)b->threads * (8 + 2 * 4.0) * ROOM_FACTOR;
    return (double)width * (nodes + sieves + 1);
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
    MCO_TRY(mco_alloc(ctx, &b->layer.nodes, width * b->ops->node_bytes(&b->shape)));
    MCO_TRY(mco_alloc(ctx, &b->spare_nodes, width * b->ops->node_bytes(&b->shape)));
    MCO_TRY(mco_alloc(ctx, &b->layer.sides, width));
    MCO_TRY(mco_alloc(ctx, &b->chosen, b->threads * sieve_room(width)));
    MCO_TRY(mco_alloc(ctx, &b->spare, b->threads * sieve_room(width)));
    b->room = width;
done:
    return st;
}

static mco_status fill_shape(beam *b)
{
    mco_status st = MCO_OK;
    mco_context *ctx = b->run->ctx;
    const mco_flowshop *shop = b->run->shop;
    const int32_t n = shop->jobs, m = shop->machines;
    int64_t largest = 1;
    MCO_TRY(mco_alloc(ctx, &b->times, (int64_t)n * m));
    MCO_TRY(mco_alloc(ctx, &b->totals, m));
    MCO_TRY(mco_alloc(ctx, &b->means, m));
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
    b->shape = (flowshop_beam_shape){.jobs = n, .machines = m, .words = (n + 63) / 64, .shift = shift, .largest = (int32_t)largest, .idle_share = 1,
                                     .times = b->times, .rows = shop->times, .totals = b->totals, .means = b->means};
done:
    return st;
}

static mco_status create(beam *b)
{
    mco_status st = MCO_OK;
    mco_context *ctx = b->run->ctx;
    MCO_TRY(fill_shape(b));
    const int64_t n = b->shape.jobs, stride = (n + 63) / 64 * 64;
    const int lane_bytes = b->ops->build.bits / 8;
    MCO_TRY(mco_alloc(ctx, &b->sieves, b->threads));
    for (int t = 0; t < b->threads; t++) {
        for (int side = 0; side < 2; side++)
            MCO_TRY(mco_alloc_bytes(ctx, &b->sieves[t].bounds[side], (size_t)stride, (size_t)lane_bytes));
        MCO_TRY(mco_alloc(ctx, &b->sieves[t].keys, 64));
        b->sieves[t].look = look;
        b->sieves[t].user = b;
    }
    MCO_TRY(mco_alloc_bytes(ctx, &b->layer.table, (size_t)(2 * b->shape.machines * stride), (size_t)lane_bytes));
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

static void destroy(beam *b)
{
    mco_context *ctx = b->run->ctx;
    mco_team_close(&b->team);
    flowshop_beam_close_place(&b->place);
    free_room(ctx, b);
    flowshop_beam_path_destroy(ctx, &b->path);
    mco_free(ctx, &b->order);
    mco_free(ctx, &b->joined);
    mco_free(ctx, &b->free);
    mco_free(ctx, &b->jobs);
    mco_free_bytes(ctx, &b->layer.table);
    for (int t = 0; b->sieves != NULL && t < b->threads; t++) {
        mco_free(ctx, &b->sieves[t].keys);
        for (int side = 0; side < 2; side++)
            mco_free_bytes(ctx, &b->sieves[t].bounds[side]);
    }
    mco_free(ctx, &b->sieves);
    mco_free(ctx, &b->means);
    mco_free(ctx, &b->totals);
    mco_free(ctx, &b->times);
}

// ---- The sequence of beams

bool flowshop_beam_has_targets(const mco_flowshop *shop)
{
    return shop->machines <= 20 && shop->jobs >= 4 * shop->machines;
}

// The target between bound and incumbent, which falls at wider beams and rises when a beam finds nothing. A beam that finds a schedule is
// run again with the same share of the smaller gap.
static int64_t target_at(const flowshop_run *run, double share)
{
    const int64_t bound = run->result->bound, upper = run->upper_bound;
    const int64_t target = bound + 1 + (int64_t)(share * (double)(upper - bound - 1));
    return target < upper ? target : upper;
}

typedef struct plan {
    int64_t width;
    double share;  // of the gap; 1 without targets
    bool has_targets;
} plan;

static void plan_next(plan *p, bool has_found)
{
    if (p->has_targets && has_found)
        return;
    if (p->has_targets && p->share < 0.97) {
        p->share = fmin(1, p->share + fmax(0.04, (1 - p->share) / 2));
        return;
    }
    p->width *= 2;
    if (p->has_targets)
        p->share = fmax(0.1, p->share - 0.2);
}

static int64_t target_of(const beam *b, const plan *p)
{
    return p->has_targets ? target_at(b->run, p->share) : b->run->upper_bound;
}

static void log_beam(const beam *b, int64_t number, int64_t target, const outcome *found, int64_t bounded, double seconds)
{
    const mco_flowshop *shop = b->run->shop;
    char below[FLOWSHOP_UNITS_TEXT], makespan[FLOWSHOP_UNITS_TEXT];
    mco_log(b->run->ctx, MCO_LOG_DETAIL, "beam %lld: width %lld, target %s, %s%s%s%s, %.2f s, %.0f M children/s", (long long)number,
            (long long)b->width, flowshop_units_text(shop, target, below), found->makespan < INT64_MAX ? "found " : "found none",
            found->makespan < INT64_MAX ? flowshop_units_text(shop, found->makespan, makespan) : "",
            found->is_complete ? "" : ", cut off", b->has_discarded ? "" : ", nothing discarded", seconds,
            (double)bounded / 1e6 / fmax(1e-9, seconds));
}

static void write_columns(void *user, char *out, size_t size)
{
    const beam *b = user;
    snprintf(out, size, "  %10lld  %8d", (long long)b->width, b->layer.depth);
}

static bool fits(const beam *b, int64_t width, double memory)
{
    return b->is_on_gpu ? width <= flowshop_beam_place_widest(&b->place) : bytes_of(b, width) <= memory;
}

static mco_status run_beams(beam *b, int64_t beams, int64_t widest, mco_stop *stop)
{
    mco_status st = MCO_OK;
    flowshop_run *run = b->run;
    const double memory = mco_settle_memory(0);
    plan p = {.width = 1, .share = 1};
    for (int64_t i = 0; run->upper_bound > run->result->bound; i++) {
        outcome found;
        if (i == beams) {
            *stop = MCO_STOP_ITERATIONS;
            return MCO_OK;
        }
        MCO_TRY(flowshop_beam_choose_place(&b->place, p.width, &b->is_on_gpu));
        if (!fits(b, p.width, memory) || p.width > LARGEST_WIDTH || (widest >= 0 && p.width > widest) || p.width * b->shape.jobs > UINT32_MAX)
            break;
        if (!b->is_on_gpu)
            MCO_TRY(take_room(b, p.width));
        const double begin_s = mco_run_time_s(&run->run);
        const int64_t bounded = b->bounded, target = target_of(b, &p), width = p.width;
        MCO_TRY(run_beam(b, p.width, target, &found));
        if (found.must_repeat) {
            i--;
            continue;
        }
        log_beam(b, i + 1, target, &found, b->bounded - bounded, mco_run_time_s(&run->run) - begin_s);
        if (!found.is_complete)
            return MCO_OK;
        if (!p.has_targets && flowshop_beam_has_targets(run->shop)) {
            p = (plan){.width = FIRST_TARGET_WIDTH, .share = 0.3, .has_targets = true};
            continue;
        }
        do
            plan_next(&p, found.makespan < target);
        while (p.has_targets && p.width == width && found.makespan >= target && target_of(b, &p) == target);
    }
    *stop = MCO_STOP_FINISHED;
done:
    return st;
}

mco_status flowshop_beam(flowshop_run *run, int64_t beams, int64_t widest, mco_stop *stop)
{
    mco_status st = MCO_OK;
    beam b = {.run = run, .stop = stop, .threads = run->threads, .place = {.run = run}};
    b.place.shape = &b.shape;
    const bool is_plain = run->result->work.engine == MCO_ENGINE_REFERENCE;
    *stop = MCO_STOP_FINISHED;
    if (run->shop->jobs < 2 || run->upper_bound > INT32_MAX)
        return MCO_OK;
    if (is_plain)
        b.ops = &flowshop_beam_plain;
    else
        MCO_TRY(flowshop_beam_choose(run->ctx, run->params->simd, run->upper_bound <= UINT16_MAX ? 16 : 32, &b.ops));
    MCO_TRY(create(&b));
    if (run->params->method == MCO_FLOWSHOP_METHOD_BEAM) {
        run->result->work.simd = b.ops->build.simd;
        run->result->work.lane_bits = b.ops->build.bits;
    }
    if (run->params->engine != MCO_ENGINE_GPU)
        mco_log(run->ctx, MCO_LOG_INFO, "beams from both ends on %d thread%s, simd %s, %d-bit lanes", b.threads, b.threads > 1 ? "s" : "", mco_simd_text(b.ops->build.simd), b.ops->build.bits);
    mco_run_set_columns(&run->run, "       width    placed", write_columns, &b);
    MCO_TRY(run_beams(&b, beams, widest, stop));
done:
    mco_run_set_columns(&run->run, NULL, NULL, NULL);
    destroy(&b);
    return st;
}
