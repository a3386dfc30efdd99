// SPDX-License-Identifier: MIT
// One GPU as an explorer: starts the kernel of flowshop/gpu/dfs.cu, watches it, and turns the work of its searches into
// intervals and back. flowshop/gpu/tables.c has the tables of the instance.
//
// While the kernel runs, the host only writes the incumbent and the wish to stop, and reads schedules and a count of
// nodes. Everything else happens between two launches: the states and paths of all searches come back. The host keeps
// two copies of them. If a device is lost during a launch, the copy from before the launch is still there.
#include "flowshop/gpu/explorer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "device/device_cuda.h"
#include "flowshop/gpu/tables.h"
#include "flowshop/variants.h"

static const double LEAST_RUN_S = 0.002;  // a launch lasts this long even if others ask for work: its start takes 50 us
// A launch is asked to stop after this time at the latest, for two reasons. It waits for all its blocks, and another
// kernel on the device may keep some of them out. A device that also draws a screen does not allow longer kernels.
// Launches of one second cost 0.2 %.
static const double MOST_RUN_S = 1;
static const double NODES_S = 0.05;       // time between two readings of the count of nodes
static const double FIRST_NAP_S = 10e-6, LONGEST_NAP_S = 200e-6;

// The states of all searches of the device between two launches, in pinned memory.
typedef struct snapshot {
    flowshop_dfs_search *states;  // [searches]
    uint16_t *paths, *ends;       // [searches * jobs]
    int64_t *rows;                // [(jobs + 1)^2] nodes by depth and children
    flowshop_dfs_control *control;
} snapshot;

struct flowshop_explorer {
    flowshop_search *search;
    int32_t n, m;
    mco_context *ctx;  // of its own, because the explorer runs in a worker's thread
    mco_device device;
    flowshop_dfs_shape shape;
    flowshop_dfs_args args;  // device addresses
    snapshot now, next;      // after the last complete launch; room for the launch under way
    flowshop_dfs_found *found;
    uint32_t found_version;
    int32_t *word;           // [2] pinned: the values sent to the device while the kernel runs
    int64_t *sent_nodes;     // pinned: the count of nodes that the device sends
    int32_t most;            // greatest value of a bound; stands for a makespan not known yet
    int32_t sent_incumbent;
    bool is_unfolded;        // paths and ends on the host are newer than on the device
    int64_t bound;           // no leaf of the work it holds is shorter
    int32_t *order;          // [jobs]
    atomic_int_least64_t nodes;
    mco_status failure;
};

// ---- Limits

mco_status flowshop_gpu_refuse(mco_context *ctx, const mco_flowshop *shop)
{
    if (shop->jobs > FLOWSHOP_DFS_MAX_JOBS)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d jobs, the GPU engine takes at most %d", shop->jobs,
                        FLOWSHOP_DFS_MAX_JOBS);
    if (shop->machines > FLOWSHOP_DFS_MAX_MACHINES)
        return mco_fail(ctx, MCO_ERR_LIMIT, "%d machines, the GPU engine takes at most %d",
                        shop->machines, FLOWSHOP_DFS_MAX_MACHINES);
    // The branching rules sum the bounds over all jobs in 32 bits.
    const int64_t sum = shop->jobs * (flowshop_longest_path(shop) + flowshop_longest_job(shop));
    if (sum >= INT32_MAX)
        return mco_fail(ctx, MCO_ERR_LIMIT,
                        "bounds that add up to %lld over the jobs, the GPU engine takes less than %d",
                        (long long)sum, INT32_MAX);
    return MCO_OK;
}

// ---- Memory

static mco_status take_snapshot(flowshop_explorer *x, snapshot *s)
{
    mco_status st = MCO_OK;
    const int64_t searches = x->args.searches, n = x->n;
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_PINNED, &s->states, searches));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_PINNED, &s->paths, searches * n));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_PINNED, &s->ends, searches * n));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_PINNED, &s->rows, (n + 1) * (n + 1)));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_PINNED, &s->control, 1));
    memset(s->states, 0, (size_t)searches * sizeof *s->states);
    memset(s->rows, 0, (size_t)((n + 1) * (n + 1)) * sizeof *s->rows);
    memset(s->control, 0, sizeof *s->control);
done:
    return st;
}

static size_t frames_bytes(const flowshop_explorer *x, int32_t blocks)
{
    return (size_t)blocks * (size_t)x->shape.searches_per_block * (size_t)x->args.levels *
           (size_t)x->shape.frame_words * sizeof *x->args.frames;
}

// Takes the frames of all searches. There are as many searches as the device runs at a time, or fewer if memory is
// short.
static mco_status take_frames(flowshop_explorer *x, mco_context *log)
{
    enum { OTHER_BYTES = 64 << 20 };  // paths, queue and states take less than this
    mco_status st = MCO_OK;
    flowshop_dfs_args *a = &x->args;
    size_t free_bytes, all_bytes;
    a->levels = x->n + 1;
    const int32_t most = a->blocks = x->device.info.multiprocessors * x->shape.blocks_per_multiprocessor;
    MCO_CUDA(x->ctx, cudaMemGetInfo(&free_bytes, &all_bytes));
    while (a->blocks > 1 && frames_bytes(x, a->blocks) + OTHER_BYTES > free_bytes)
        a->blocks /= 2;
    do {
        a->searches = a->blocks * x->shape.searches_per_block;
        st = mco_device_take_bytes(&x->device, MCO_MEMORY_DEVICE, (void **)&a->frames, frames_bytes(x, a->blocks), 1);
    } while (st == MCO_ERR_MEMORY && (a->blocks /= 2) > 0);
    MCO_TRY(st);
    if (a->blocks < most)
        mco_log(log, MCO_LOG_WARNING, "GPU %d: %.1f MB of memory are free: %d searches instead of %d",
                x->device.info.index, (double)free_bytes * 1e-6, a->searches, most * x->shape.searches_per_block);
done:
    return st;
}

static mco_status take_memory(flowshop_explorer *x, mco_context *log)
{
    mco_status st = MCO_OK;
    flowshop_dfs_args *a = &x->args;
    const int64_t n = x->n;
    MCO_TRY(take_frames(x, log));
    uint32_t room = 1;
    while (room < 2u * (uint32_t)a->searches)
        room *= 2;
    a->queue_mask = room - 1;
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_DEVICE, &a->paths, a->searches * n));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_DEVICE, &a->ends, a->searches * n));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_DEVICE, &a->queue, room));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_DEVICE, &a->searches_state, a->searches));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_DEVICE, &a->control, 1));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_DEVICE, &a->rows, (n + 1) * (n + 1)));
    MCO_CUDA(x->ctx, cudaMemsetAsync(a->rows, 0, (size_t)((n + 1) * (n + 1)) * sizeof *a->rows, x->device.stream));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_PINNED, &x->found, 1));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_PINNED, &x->word, 2));
    MCO_TRY(mco_device_take(&x->device, MCO_MEMORY_PINNED, &x->sent_nodes, 1));
    memset(x->found, 0, sizeof *x->found);
    *x->sent_nodes = 0;
    a->found = x->found;  // host and device share one address space
    MCO_TRY(take_snapshot(x, &x->now));
    MCO_TRY(take_snapshot(x, &x->next));
done:
    return st;
}

static void destroy(mco_context *ctx, flowshop_explorer **explorer)
{
    flowshop_explorer *x = *explorer;
    if (x == NULL)
        return;
    mco_device_close(&x->device);
    mco_free(ctx, &x->order);
    mco_context_destroy(&x->ctx);
    mco_free(ctx, explorer);
}

static mco_status create(mco_context *ctx, flowshop_search *search, const mco_gpu *gpu, flowshop_explorer **out)
{
    mco_status st = MCO_OK;
    flowshop_explorer *x = NULL;
    const mco_flowshop *shop = search->shop;
    const int64_t longest = flowshop_longest_path(shop) + flowshop_longest_job(shop);
    MCO_TRY(mco_alloc(ctx, &x, 1));
    MCO_TRY(mco_alloc(ctx, &x->order, shop->jobs));
    if (mco_context_create(&x->ctx, NULL) != MCO_OK)
        MCO_TRY(mco_fail(ctx, MCO_ERR_MEMORY, "out of memory: a context"));
    x->search = search;
    x->n = shop->jobs;
    x->m = shop->machines;
    MCO_TRY(mco_device_open(x->ctx, gpu, &x->device));
    const int32_t bits = longest < INT16_MAX ? 16 : 32;
    MCO_CUDA(x->ctx, flowshop_dfs_choose(x->n, x->m, bits, (int32_t)search->branching, search->johnson != NULL, gpu->index,
                                         &x->shape));
    if (x->shape.blocks_per_multiprocessor == 0)
        MCO_TRY(mco_fail(x->ctx, MCO_ERR_LIMIT, "GPU %d: %d jobs need %d bytes of shared memory a block, it has %d",
                         gpu->index, x->n, x->shape.shared_bytes, x->shape.shared_limit));
    x->most = x->shape.lane_bits == 16 ? INT16_MAX : INT32_MAX;
    x->args = (flowshop_dfs_args){
        .jobs = x->n,
        .has_shared_rows = x->shape.has_shared_rows,
        .rule = (int32_t)search->branching,
        .rule_bound = search->rule_bound < x->most ? (int32_t)search->rule_bound : x->most};
    MCO_TRY(flowshop_gpu_upload(&x->device, &x->shape, shop, search->johnson, &x->args));
    MCO_TRY(take_memory(x, ctx));
    mco_log(ctx, MCO_LOG_DETAIL,
            "GPU %d: %d searches of %d threads, %d-bit lanes, %d machines, %d bytes of shared memory a block",
            gpu->index, x->args.searches, x->shape.group, x->shape.lane_bits, x->shape.machines, x->shape.shared_bytes);
    *out = x;
    return MCO_OK;
done:
    if (x != NULL && x->ctx != NULL && mco_context_error(x->ctx)[0] != '\0')
        (void)mco_fail(ctx, st, "%s", mco_context_error(x->ctx));
    destroy(ctx, &x);
    return st;
}

// ---- Work in and out

static int64_t room(const flowshop_explorer *x)
{
    return x->args.searches;
}

static void unfold(flowshop_explorer *x, const flowshop_interval *intervals, int64_t count)
{
    snapshot *s = &x->now;
    x->bound = INT64_MAX;
    memset(s->states, 0, (size_t)x->args.searches * sizeof *s->states);
    for (int64_t i = 0; i < count; i++) {
        const flowshop_interval *v = &intervals[i];
        s->states[i] = (flowshop_dfs_search){.status = FLOWSHOP_DFS_NEW, .walk = v->a_depth, .end_depth = v->b_depth,
                                             .match = v->b_depth > 0 ? 0 : -1};
        for (int32_t d = 0; d < v->a_depth; d++)
            s->paths[i * x->n + d] = (uint16_t)v->a[d];
        for (int32_t d = 0; d < v->b_depth; d++)
            s->ends[i * x->n + d] = (uint16_t)v->b[d];
        x->bound = v->bound < x->bound ? v->bound : x->bound;
    }
    s->control->asked = s->control->served = 0;
    s->control->unclaimed = 0;
    x->is_unfolded = true;
}

static bool holds_work(const flowshop_dfs_search *s)
{
    return s->status == FLOWSHOP_DFS_NEW || s->status == FLOWSHOP_DFS_SAVED || s->mail != 0;
}

static int64_t count_holders(const flowshop_explorer *x)
{
    int64_t count = 0;
    for (int64_t i = 0; i < x->args.searches; i++)
        count += holds_work(&x->now.states[i]);
    return count;
}

// Writes the digits of the first `depth` jobs of a path: the rank of each among the jobs still free before it.
static void ranks_of_path(const uint16_t *path, int32_t depth, int32_t *digits)
{
    enum { WORD = 64 };
    uint64_t taken[FLOWSHOP_DFS_MAX_JOBS / WORD] = {0};
    for (int32_t d = 0; d < depth; d++) {
        const int32_t job = path[d] & ~FLOWSHOP_DFS_SIDE, word = job / WORD;
        const uint64_t bit = (uint64_t)1 << (job % WORD);
        int32_t before = __builtin_popcountll(taken[word] & (bit - 1));
        for (int32_t w = 0; w < word; w++)
            before += __builtin_popcountll(taken[w]);
        digits[d] = job - before;
        taken[word] |= bit;
    }
}

// Sets B to the node behind the subtree of `last` [depth]: its next sibling, or the next sibling of an ancestor.
static void end_behind(int32_t n, const int32_t *last, int32_t depth, flowshop_interval *out)
{
    while (depth > 0 && last[depth - 1] + 1 >= n - (depth - 1))
        depth--;
    out->b_depth = depth;
    if (depth == 0)
        return;
    memmove(out->b, last, (size_t)depth * sizeof *last);
    out->b[depth - 1]++;
}

static void interval_of(const flowshop_explorer *x, int64_t at, flowshop_interval *out)
{
    const flowshop_dfs_search *s = &x->now.states[at];
    const uint16_t *path = x->now.paths + at * x->n, *end = x->now.ends + at * x->n;
    const bool is_new = s->status == FLOWSHOP_DFS_NEW;
    const int32_t known = is_new ? 0 : s->status == FLOWSHOP_DFS_SAVED ? s->depth : s->first_depth;
    out->bound = x->bound;
    // A: the jobs fixed so far, then the rest of the walk, or the first child of a gift.
    ranks_of_path(path, known, out->a);
    out->a_depth = is_new ? s->walk : s->first_depth;
    for (int32_t d = known; d < out->a_depth; d++)
        out->a[d] = path[d];
    if (!is_new && s->first_rank >= 0)
        out->a[out->a_depth++] = s->first_rank;
    // B: as given if the last node lies on the path to it, else right behind the last node.
    int32_t last_depth = is_new ? 0 : s->last_depth, last_rank = is_new ? -1 : s->last_rank;
    bool reaches_end = s->match >= last_depth && s->end_depth > last_depth + (last_rank >= 0) &&
                       (last_rank < 0 || last_rank == end[last_depth]);
    if (reaches_end) {
        out->b_depth = s->end_depth;
        for (int32_t d = 0; d < s->end_depth; d++)
            out->b[d] = end[d];
        return;
    }
    ranks_of_path(path, last_depth, out->b);
    if (last_rank >= 0)
        out->b[last_depth++] = last_rank;
    end_behind(x->n, out->b, last_depth, out);
}

static void fold(const flowshop_explorer *x, flowshop_intervals *out)
{
    for (int64_t i = 0; i < x->args.searches; i++)
        if (holds_work(&x->now.states[i]))
            interval_of(x, i, flowshop_intervals_push(out));
}

// Depth of the shallowest nodes that a search has left. They have its largest subtrees.
static int32_t depth_left(const flowshop_dfs_search *s)
{
    return s->status == FLOWSHOP_DFS_NEW ? 0 : s->last_depth;
}

// The least depth d such that at least `count` searches with work have depth_left() <= d.
static int32_t depth_of_the_largest(const flowshop_explorer *x, int64_t count)
{
    int64_t at_depth[FLOWSHOP_DFS_MAX_JOBS + 1] = {0}, seen = 0;
    for (int64_t i = 0; i < x->args.searches; i++)
        if (holds_work(&x->now.states[i]))
            at_depth[depth_left(&x->now.states[i])]++;
    for (int32_t d = 0; d <= x->n; d++)
        if ((seen += at_depth[d]) >= count)
            return d;
    return x->n;
}

// Gives whole searches away. A GPU takes a large share, spread evenly over all searches. A core takes few (a share
// below FEW) and gets those with the largest subtrees, which keep it busy for long.
static int64_t split(flowshop_explorer *x, double share, int64_t most, flowshop_intervals *given)
{
    static const double FEW = 0.25;
    const int64_t holders = count_holders(x);
    int64_t count = (int64_t)(share * (double)holders), seen = 0, taken = 0;
    count = count < 1 ? 1 : count > most ? most : count;
    if (holders < 2 || count < 1 || count >= holders)
        return 0;
    const bool are_few = share < FEW;
    const int32_t deepest = are_few ? depth_of_the_largest(x, count) : x->n;
    for (int64_t i = 0; i < x->args.searches && taken < count; i++) {
        flowshop_dfs_search *s = &x->now.states[i];
        if (!holds_work(s) || depth_left(s) > deepest)
            continue;
        // Even spread: the k-th of `count` is taken once k / count of all holders have been seen.
        if (are_few || ++seen * count / holders > taken) {
            interval_of(x, i, flowshop_intervals_push(given));
            *s = (flowshop_dfs_search){.status = FLOWSHOP_DFS_IDLE};
            taken++;
        }
    }
    return taken;
}

// ---- A launch

static int32_t known_incumbent(const flowshop_explorer *x)
{
    int64_t incumbent = atomic_load_explicit(&x->search->incumbent, memory_order_relaxed);
    return incumbent < x->most ? (int32_t)incumbent : x->most;
}

static mco_status start(flowshop_explorer *x)
{
    enum { EARLY_STEPS = 256 };
    mco_status st = MCO_OK;
    flowshop_dfs_args *a = &x->args;
    const snapshot *s = &x->now;
    const size_t path_bytes = (size_t)a->searches * (size_t)x->n * sizeof *a->paths;
    cudaStream_t stream = x->device.stream;
    x->sent_incumbent = known_incumbent(x);
    s->control->incumbent = s->control->outside = x->sent_incumbent;
    s->control->stop = 0;
    s->control->lock = 0;
    a->early_steps = count_holders(x) < a->searches / 2 ? EARLY_STEPS : 0;
    if (x->is_unfolded) {
        MCO_CUDA(x->ctx, cudaMemsetAsync(a->queue, 0, ((size_t)a->queue_mask + 1) * sizeof *a->queue, stream));
        MCO_CUDA(x->ctx, cudaMemcpyAsync(a->paths, s->paths, path_bytes, cudaMemcpyHostToDevice, stream));
        MCO_CUDA(x->ctx, cudaMemcpyAsync(a->ends, s->ends, path_bytes, cudaMemcpyHostToDevice, stream));
    }
    x->is_unfolded = false;
    MCO_CUDA(x->ctx, cudaMemcpyAsync(a->searches_state, s->states, (size_t)a->searches * sizeof *s->states,
                                     cudaMemcpyHostToDevice, stream));
    MCO_CUDA(x->ctx, cudaMemcpyAsync(a->control, s->control, sizeof *s->control, cudaMemcpyHostToDevice, stream));
    MCO_TRY(mco_device_start_clock(&x->device));
    MCO_CUDA(x->ctx, flowshop_dfs_launch(&x->shape, a, stream));
    MCO_CUDA(x->ctx, cudaEventRecord(x->device.end, stream));
done:
    return st;
}

// Passes a schedule that the device found on to the search, which tells the other workers.
static void read_found(flowshop_explorer *x)
{
    const volatile flowshop_dfs_found *f = x->found;
    uint16_t path[FLOWSHOP_DFS_MAX_JOBS];
    const uint32_t version = f->version;
    if (version == x->found_version || version % 2 != 0)
        return;
    atomic_thread_fence(memory_order_acquire);
    const int32_t makespan = f->makespan;
    for (int32_t d = 0; d < x->n; d++)
        path[d] = f->path[d];
    atomic_thread_fence(memory_order_acquire);
    if (f->version != version)
        return;
    x->found_version = version;
    int32_t front = 0, back = x->n;
    for (int32_t d = 0; d < x->n; d++) {
        int32_t job = path[d] & ~FLOWSHOP_DFS_SIDE;
        x->order[path[d] & FLOWSHOP_DFS_SIDE ? --back : front++] = job;
    }
    x->search->found(x->search, makespan, x->order);
}

static mco_status send(flowshop_explorer *x, int32_t *to, int32_t value, int slot)
{
    mco_status st = MCO_OK;
    x->word[slot] = value;
    MCO_CUDA(x->ctx, cudaMemcpyAsync(to, &x->word[slot], sizeof value, cudaMemcpyHostToDevice, x->device.side));
done:
    return st;
}

static void nap(double seconds)
{
    struct timespec t = {0, (long)(seconds * 1e9)};
    nanosleep(&t, NULL);
}

// Runs until the kernel ends. Passes on schedules and incumbents, and asks the kernel to stop when other workers ask
// for work. The kernel does end: it is asked after MOST_RUN_S at the latest, and every warp looks at the wish to stop
// after a few nodes. When its threads wait for each other, the thread they wait for is always a running one.
static mco_status watch(flowshop_explorer *x)
{
    mco_status st = MCO_OK;
    const double start_s = mco_clock_s();
    double nodes_s = start_s, nap_s = FIRST_NAP_S;
    bool is_stopping = false;
    for (;;) {
        cudaError_t error = cudaEventQuery(x->device.end);
        if (error == cudaSuccess)
            break;
        if (error != cudaErrorNotReady)
            MCO_CUDA(x->ctx, error);
        const double now = mco_clock_s();
        read_found(x);
        bool is_called = atomic_load_explicit(&x->search->calls, memory_order_relaxed) > 0;
        bool must_stop = atomic_load_explicit(&x->search->must_stop, memory_order_relaxed);
        if (!is_stopping && (must_stop || now - start_s >= (is_called ? LEAST_RUN_S : MOST_RUN_S))) {
            MCO_TRY(send(x, &x->args.control->stop, 1, 0));
            is_stopping = true;
        }
        // Only one value is on its way at a time, so incumbents arrive in the order in which they fall.
        if (known_incumbent(x) < x->sent_incumbent && cudaStreamQuery(x->device.side) == cudaSuccess) {
            x->sent_incumbent = known_incumbent(x);
            MCO_TRY(send(x, &x->args.control->outside, x->sent_incumbent, 1));
        }
        if (now - nodes_s >= NODES_S && cudaStreamQuery(x->device.side) == cudaSuccess) {
            atomic_store_explicit(&x->nodes, *x->sent_nodes, memory_order_relaxed);
            MCO_CUDA(x->ctx, cudaMemcpyAsync(x->sent_nodes, &x->args.control->nodes, sizeof *x->sent_nodes,
                                             cudaMemcpyDeviceToHost, x->device.side));
            nodes_s = now;
        }
        nap(nap_s);
        nap_s = 2 * nap_s < LONGEST_NAP_S ? 2 * nap_s : LONGEST_NAP_S;
    }
done:
    if (st != MCO_OK && !is_stopping)
        (void)cudaMemsetAsync(&x->args.control->stop, 1, sizeof x->args.control->stop, x->device.side);
    return st;
}

static mco_status collect(flowshop_explorer *x)
{
    mco_status st = MCO_OK;
    const flowshop_dfs_args *a = &x->args;
    snapshot s = x->next;
    const size_t path_bytes = (size_t)a->searches * (size_t)x->n * sizeof *a->paths;
    cudaStream_t stream = x->device.stream;
    float ms = 0;
    MCO_CUDA(x->ctx, cudaStreamSynchronize(x->device.side));
    MCO_CUDA(x->ctx, cudaMemcpyAsync(s.states, a->searches_state, (size_t)a->searches * sizeof *s.states,
                                     cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(x->ctx, cudaMemcpyAsync(s.paths, a->paths, path_bytes, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(x->ctx, cudaMemcpyAsync(s.ends, a->ends, path_bytes, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(x->ctx, cudaMemcpyAsync(s.rows, a->rows, (size_t)((x->n + 1) * (x->n + 1)) * sizeof *s.rows,
                                     cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(x->ctx, cudaMemcpyAsync(s.control, a->control, sizeof *s.control, cudaMemcpyDeviceToHost, stream));
    MCO_CUDA(x->ctx, cudaStreamSynchronize(stream));
    MCO_CUDA(x->ctx, cudaEventElapsedTime(&ms, x->device.begin, x->device.end));
    x->device.kernel_s += 1e-3 * (double)ms;
    int64_t sum = 0;
    for (int64_t i = x->n + 1; i < (int64_t)(x->n + 1) * (x->n + 1); i++)
        sum += s.rows[i];
    atomic_store_explicit(&x->nodes, sum, memory_order_relaxed);
    *x->sent_nodes = sum;
    // The launch is complete: its states replace those it began with.
    x->next = x->now;
    x->now = s;
done:
    return st;
}

static flowshop_progress explore(flowshop_explorer *x, int64_t nodes)
{
    (void)nodes;
    mco_status st = MCO_OK;
    if (x->failure != MCO_OK)
        return FLOWSHOP_WORK_FAILED;
    MCO_TRY(mco_device_use(&x->device));
    MCO_TRY(start(x));
    MCO_TRY(watch(x));
    MCO_TRY(collect(x));
    read_found(x);
done:
    x->failure = st;
    if (st != MCO_OK)
        return FLOWSHOP_WORK_FAILED;
    return count_holders(x) > 0 ? FLOWSHOP_WORK_LEFT : FLOWSHOP_WORK_DONE;
}

// ---- Counters

static const int64_t *children_by_depth(const flowshop_explorer *x)
{
    return x->now.rows;
}

static int64_t leaves(const flowshop_explorer *x)
{
    return (int64_t)x->now.control->leaves;
}

static int64_t nodes(const flowshop_explorer *x)
{
    return atomic_load_explicit(&((flowshop_explorer *)x)->nodes, memory_order_relaxed);
}

static mco_status failure(const flowshop_explorer *x, const char **text)
{
    *text = mco_context_error(x->ctx);
    return x->failure;
}

static double device_s(const flowshop_explorer *x)
{
    return x->device.kernel_s;
}

const flowshop_explorer_ops flowshop_gpu_explorer = {
    "gpu", create, destroy, room, unfold, explore, fold, split, children_by_depth, leaves, nodes, failure, device_s};
