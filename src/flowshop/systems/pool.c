// SPDX-License-Identifier: MIT
// The systems of Chakroun (2013) on one pool loop. The loop takes a batch of pending nodes, deepest first: the fathers.
// Devices do the operators on their children. The loop inserts the survivors into the pending nodes.
//
//   gpu-bound             GB&B: the host branches and prunes, the device bounds          1 batch under way
//   gpu-multinode         a thread of the device does a whole father                     1
//   gpu-tree              LL-GB&B: a kernel each for branching, bounding, pruning        1
//   gpu-concurrent        RLL-GB&B: the same on a pool shared with CPU threads           1
//   gpu-cooperative       PLL-GB&B: the same in G streams, the host explores meanwhile   G
//   multi-gpu-bound       GB&B, the pool split over D devices                            D
//   multi-gpu-functional  LL-MultiGB&B: pairs of devices, one branches, one bounds and
//                         prunes; double-buffered                                        2 a pair
//
// Differences from the thesis: a child travels as its difference to the father. If the host branches, that is 4 bytes
// up. If the host prunes, a child takes 4 bytes down; else a survivor takes 8 bytes down, and pruned children do not
// return. A batch starts as soon as one is idle, while PLL waits for all streams. Pools that are not full also run.
// Every system decomposes the same nodes as the reference.
//
// Left out: slices, checkpoints, resume. Paper: I. Chakroun, Parallel heterogeneous Branch and Bound
// algorithms for multi-core and multi-GPU environments, Lille 1, 2013, chapters 3 to 5.
#include "flowshop/systems/pool.h"

#include <stdio.h>

#include "base/clock.h"
#include "flowshop/systems/run.h"

// Pending nodes may take this much memory. Pools shrink before that. If the nodes need more even with single fathers,
// the search ends with MCO_STOP_MEMORY.
static const int64_t PENDING_BYTES = (int64_t)8 << 30;
// Largest pool that the adaptive size tries: 16 times the largest of the thesis.
static const int64_t MOST_CHILDREN = (int64_t)1 << 22;
// Most steps of the innermost loop in a pool. A large GPU takes about 0.05 s for them: the time between looks at the
// clock.
static const double MOST_STEPS = 2e11;
// Steps of a single thread above which a kernel takes seconds: LB2 of 500 jobs and 20 machines has 9.5e7.
static const double MOST_THREAD_STEPS = 5e7;
// A father is assumed to have at least so many children on average: room for fathers is room for children over this.
enum { CHILDREN_OF_FATHER = 8 };
// Without a device: nodes that the host decomposes between two looks at the clock.
enum { HOST_NODES = 64 };

// ---- Batches

static int32_t at_least_one_father(const flowshop_pool_run *p, int64_t children)
{
    const int64_t least = 2 * (int64_t)p->tree.tables.jobs;
    return (int32_t)(children > least ? children : least);
}

static int32_t share_of(const flowshop_pool_run *p, int64_t children)
{
    return at_least_one_father(p, children / p->parts);
}

static int32_t fathers_of(int32_t children)
{
    const int32_t fathers = children / CHILDREN_OF_FATHER + 1;
    return fathers < FLOWSHOP_MAX_FATHERS ? fathers : FLOWSHOP_MAX_FATHERS;
}

mco_status flowshop_pool_make_room(flowshop_pool_run *p)
{
    const int64_t least = 2 * (int64_t)p->tree.tables.jobs * p->parts;
    for (;;) {
        const int32_t children = share_of(p, p->size.target);
        mco_status st = MCO_OK;
        for (int i = 0; i < p->batch_count && st == MCO_OK; i++)
            st = p->setup->backend->resize(p->batches[i], children, fathers_of(children));
        if (st == MCO_OK)
            p->room = p->size.target;
        if (st != MCO_ERR_MEMORY || p->size.target <= least)
            return st;
        snprintf(p->shortage, sizeof p->shortage, "%s", mco_context_error(p->ctx));
        flowshop_pool_size_limit(&p->size, p->size.target / 2 > least ? p->size.target / 2 : least);
        p->is_short = true;
    }
}

// The most children of a batch such that its survivors, at most half of the children, find room beside those of the
// other batches. A depth-first search leaves survivors behind at every level below, so each level has a share of the
// room left. As long as more than half of the whole room is free, a pool may take half of what is left. So pools have
// the size wanted most of the time.
static int64_t children_within_room(flowshop_pool_run *p)
{
    const int64_t left = p->most_nodes - p->tree.nodes.count;
    const int64_t levels = p->tree.tables.jobs - flowshop_pool_nodes_depth(&p->tree.nodes);
    const int64_t shares = left > p->most_nodes / 2 ? 2 : levels;
    return 2 * left / shares / p->batch_count;
}

mco_status flowshop_pool_begin_batch(flowshop_pool_run *p, int idle, bool *is_begun)
{
    const int at = (p->oldest + p->in_flight) % p->batch_count;
    flowshop_batch *batch = p->batches[at];
    const double begin_s = mco_clock_s();
    const int64_t fitting = children_within_room(p);
    const int32_t wanted = share_of(p, p->size.target);
    const bool is_cut = fitting < wanted;
    const int32_t children = is_cut ? at_least_one_father(p, fitting) : wanted;
    // The idle batches share the pending nodes.
    const int64_t fair = (p->tree.nodes.count + idle - 1) / idle;
    const int32_t fathers = fair < batch->father_room ? (int32_t)fair : batch->father_room;
    const bool is_limited = flowshop_pool_fill(&p->tree, batch, children, fathers);
    p->is_full[at] = is_limited && !is_cut && (batch->host.fathers < fathers || fathers == batch->father_room);
    p->is_cut = p->is_cut || (is_limited && is_cut);
    p->stats.fill_s += mco_clock_s() - begin_s;
    *is_begun = batch->host.fathers > 0;
    if (!*is_begun)
        return MCO_OK;
    p->in_flight++;
    p->stats.batches++;
    return p->setup->backend->begin(batch);
}

mco_status flowshop_pool_finish_batch(flowshop_pool_run *p)
{
    const double begin_s = mco_clock_s();
    mco_status st = p->setup->backend->finish(p->batches[p->oldest]);
    p->stats.finish_s += mco_clock_s() - begin_s;
    return st;
}

mco_status flowshop_pool_collect_batch(flowshop_pool_run *p)
{
    const double begin_s = mco_clock_s();
    mco_status st = flowshop_pool_apply(&p->tree, p->batches[p->oldest], &p->counts);
    const double now = mco_clock_s();
    p->stats.apply_s += now - begin_s;
    flowshop_pool_size_observe(&p->size, p->is_full[p->oldest], p->counts.nodes - p->collected_nodes,
                               now - p->collected_s);
    p->collected_s = now;
    p->collected_nodes = p->counts.nodes;
    p->oldest = (p->oldest + 1) % p->batch_count;
    p->in_flight--;
    return st;
}

// ---- The calling thread

mco_status flowshop_pool_record_found(flowshop_pool_run *p)
{
    mco_status st = MCO_OK;
    int32_t *order = NULL;
    if (atomic_load(&p->tree.upper) >= p->run->upper_bound)
        return MCO_OK;
    MCO_TRY(mco_alloc(p->run->ctx, &order, p->tree.tables.jobs));
    pthread_mutex_lock(&p->tree.found_lock);
    const int64_t makespan = p->tree.found_makespan;
    memcpy(order, p->tree.found_order, (size_t)p->tree.tables.jobs * sizeof *order);
    p->tree.found_makespan = -1;
    pthread_mutex_unlock(&p->tree.found_lock);
    if (makespan >= 0)
        st = flowshop_run_improve(p->run, makespan, order, "tree");
done:
    mco_free(p->run->ctx, &order);
    return st;
}

// Logs, once each, what keeps pools below the size wanted.
static void log_limits(flowshop_pool_run *p)
{
    if (p->is_short && !p->is_short_logged)
        mco_log(p->run->ctx, MCO_LOG_WARNING, "memory is short, pools of at most %lld children (%s)",
                (long long)p->size.most, p->shortage);
    if (p->is_cut && !p->is_cut_logged)
        mco_log(p->run->ctx, MCO_LOG_WARNING, "at most %lld nodes may be pending: pools are cut to leave room",
                (long long)p->most_nodes);
    p->is_short_logged = p->is_short;
    p->is_cut_logged = p->is_cut;
}

void flowshop_pool_write_columns(void *pool, char *out, size_t size)
{
    flowshop_pool_run *p = pool;
    const double now = mco_clock_s();
    const int64_t nodes = p->run->run.work;
    snprintf(out, size, " %11.3f %9lld %11.2f %9lld", (double)nodes * 1e-6, (long long)p->tree.nodes.count,
             now > p->rate_s ? (double)(nodes - p->rate_nodes) * 1e-6 / (now - p->rate_s) : 0, (long long)p->size.target);
    p->rate_s = now;
    p->rate_nodes = nodes;
    log_limits(p);
}

static mco_status adapt_room(flowshop_pool_run *p)
{
    if (p->batch_count == 0 || p->in_flight > 0 || p->size.target <= p->room)
        return MCO_OK;
    mco_status st = flowshop_pool_make_room(p);
    p->collected_s = mco_clock_s();
    return st;
}

// Starts idle batches, unless a larger pool is wanted: then the batches under way end first.
static mco_status begin_idle(flowshop_pool_run *p)
{
    mco_status st = MCO_OK;
    bool is_begun = p->size.target <= p->room;
    while (is_begun && p->in_flight < p->batch_count && p->tree.nodes.count > 0)
        MCO_TRY(flowshop_pool_begin_batch(p, p->batch_count - p->in_flight, &is_begun));
done:
    return st;
}

static mco_status explore_one(flowshop_pool_run *p, flowshop_pool_node *node)
{
    if (!flowshop_pool_take(&p->tree, node))
        return MCO_OK;
    flowshop_pool_decompose(&p->tree, node);
    p->stats.host_nodes++;
    return flowshop_pool_insert(&p->tree, node, &p->counts);
}

// The host decomposes nodes: in gpu-cooperative while all streams are busy, and always without a device.
static mco_status explore_meanwhile(flowshop_pool_run *p, flowshop_pool_node *node)
{
    mco_status st = MCO_OK;
    for (int i = 0; i < HOST_NODES && p->batch_count == 0 && p->tree.nodes.count > 0; i++)
        MCO_TRY(explore_one(p, node));
    const bool explores = p->run->result->work.engine == MCO_ENGINE_GPU_COOPERATIVE && !p->setup->is_idle_host;
    while (explores && p->in_flight == p->batch_count && p->tree.nodes.count > 0 &&
           !p->setup->backend->is_done(p->batches[p->oldest]))
        MCO_TRY(explore_one(p, node));
done:
    return st;
}

static bool must_stop(flowshop_pool_run *p, mco_stop *stop)
{
    const bool is_full = p->tree.nodes.count > p->most_nodes;
    if (is_full)
        *stop = MCO_STOP_MEMORY;
    return is_full || flowshop_run_must_stop(p->run, p->counts.nodes, stop);
}

static mco_status run_batches(flowshop_pool_run *p, bool *is_stopped, mco_stop *stop)
{
    mco_status st = MCO_OK;
    flowshop_pool_node node = {0};
    MCO_TRY(flowshop_pool_node_create(p->run->ctx, &p->tree, &node));
    p->collected_s = mco_clock_s();
    while (p->in_flight > 0 || p->tree.nodes.count > 0) {
        *is_stopped = must_stop(p, stop);
        if (*is_stopped)
            break;
        MCO_TRY(adapt_room(p));
        MCO_TRY(begin_idle(p));
        MCO_TRY(explore_meanwhile(p, &node));
        if (p->in_flight > 0) {
            MCO_TRY(flowshop_pool_finish_batch(p));
            MCO_TRY(flowshop_pool_collect_batch(p));
        }
        MCO_TRY(flowshop_pool_record_found(p));
    }
done:
    flowshop_pool_node_destroy(p->run->ctx, &node);
    return st;
}

// ---- Setting a system up

static flowshop_operators operators_of(const flowshop_pool_run *p)
{
    switch (p->run->result->work.engine) {
    case MCO_ENGINE_GPU_BOUND:
    case MCO_ENGINE_MULTI_GPU_BOUND: return FLOWSHOP_BOUND_ONLY;
    case MCO_ENGINE_GPU_MULTINODE: return FLOWSHOP_WHOLE_NODE;
    default: return p->setup->prunes_on_host ? FLOWSHOP_BRANCH_AND_BOUND : FLOWSHOP_THREE_KERNELS;
    }
}

// Decides how many batches there are and on which devices. The functional split takes pairs of devices. A single device
// plays both parts. With an odd number above 1, one device stays unused.
static void plan(flowshop_pool_run *p, flowshop_batch_place places[FLOWSHOP_POOL_MOST_BATCHES])
{
    const flowshop_pool_setup *s = p->setup;
    const mco_engine engine = p->run->result->work.engine;
    const bool is_functional = engine == MCO_ENGINE_MULTI_GPU_FUNCTIONAL;
    const int pairs = s->gpu_count > 1 ? s->gpu_count / 2 : 1;
    p->parts = engine == MCO_ENGINE_GPU_COOPERATIVE   ? (int)s->streams
               : engine == MCO_ENGINE_MULTI_GPU_BOUND ? s->gpu_count
               : is_functional                                 ? pairs
                                                               : 1;
    p->parts = p->parts < FLOWSHOP_POOL_MOST_BATCHES / 2 ? p->parts : FLOWSHOP_POOL_MOST_BATCHES / 2;
    p->batch_count = engine == MCO_ENGINE_CPU ? 0 : is_functional ? 2 * p->parts : p->parts;
    for (int i = 0; i < p->batch_count; i++) {
        places[i] = (flowshop_batch_place){.gpu = &s->gpus[0], .block = (int)s->block};
        if (engine == MCO_ENGINE_MULTI_GPU_BOUND)
            places[i].gpu = &s->gpus[i];
        if (!is_functional)
            continue;
        const int pair = i % pairs; // devices 0..pairs-1 branch
        places[i].gpu = &s->gpus[pair];
        places[i].second = &s->gpus[s->gpu_count > 1 ? pairs + pair : 0];
    }
    if (is_functional && s->gpu_count == 1)
        mco_log(p->run->ctx, MCO_LOG_WARNING,
                "one GPU: it plays both parts of the functional split, each part in its own stream");
}

// Steps of the innermost loop that computes the bound of a child.
static double steps_of_child(const flowshop_tables *t)
{
    return (double)t->machines + (double)t->pairs * t->jobs;
}

// A thread of gpu-multinode bounds all children of its father. A smaller pool does not make that shorter.
static void warn_of_long_kernels(const flowshop_pool_run *p)
{
    const double steps = 2 * (double)p->tree.tables.jobs * steps_of_child(&p->tree.tables);
    if (p->run->result->work.engine == MCO_ENGINE_GPU_MULTINODE && steps > MOST_THREAD_STEPS)
        mco_log(p->run->ctx, MCO_LOG_WARNING,
                "a thread takes up to %.0f million steps to bound the children of a node: a kernel can run for "
                "seconds, and the time limit waits for it",
                steps * 1e-6);
}

static void start_size(flowshop_pool_run *p)
{
    const flowshop_tables *t = &p->tree.tables;
    const double affordable = MOST_STEPS / steps_of_child(t);
    int64_t most = affordable < (double)MOST_CHILDREN ? (int64_t)affordable : MOST_CHILDREN;
    const int64_t least = 2 * (int64_t)t->jobs * p->parts;
    const int blocks = p->setup->gpu_count > 0 ? p->setup->gpus[0].multiprocessors : 1;
    const int64_t first = p->setup->block * (blocks > 0 ? blocks : 1) * p->parts;
    most = most > least ? most : least;
    if (p->setup->pool_size > most)
        most = p->setup->pool_size;
    flowshop_pool_size_start(&p->size, first > least ? first : least, most,
                             p->setup->pool_size > 0 && p->setup->pool_size < least ? least : p->setup->pool_size);
}

static mco_status create_batches(flowshop_pool_run *p)
{
    mco_status st = MCO_OK;
    flowshop_batch_place places[FLOWSHOP_POOL_MOST_BATCHES];
    plan(p, places);
    start_size(p);
    warn_of_long_kernels(p);
    for (int i = 0; i < p->batch_count; i++) {
        places[i].earlier = p->batches;
        places[i].earlier_count = i;
        MCO_TRY(p->setup->backend->create(p->ctx, &p->tree.tables, operators_of(p), &places[i], &p->batches[i]));
    }
done:
    return st;
}

static mco_status insert_root(flowshop_pool_run *p)
{
    flowshop_row *root;
    mco_status st = flowshop_pool_nodes_add(&p->tree.nodes, 0, 0, &root);
    if (st != MCO_OK)
        return st;
    *root = (flowshop_row){0};
    for (int32_t j = 0; j < p->tree.tables.jobs; j++)
        flowshop_row_order(root)[j] = (uint16_t)j;
    return MCO_OK;
}

static void summarise(flowshop_pool_run *p)
{
    mco_flowshop_result *r = p->run->result;
    for (int i = 0; i < p->batch_count; i++) {
        r->work.device_s += p->batches[i]->kernel_s;
        p->stats.bytes_up += p->batches[i]->bytes_up;
        p->stats.bytes_down += p->batches[i]->bytes_down;
    }
    p->stats.pool_size = p->size.target;
    log_limits(p);
    const int64_t columns = p->tree.columns, cells = ((int64_t)p->tree.tables.jobs + 1) * columns;
    memcpy(r->children_by_depth, p->counts.children_by_depth, (size_t)cells * sizeof *r->children_by_depth);
    r->nodes = p->counts.nodes;
    r->leaves = p->counts.leaves;
    mco_log(p->run->ctx, MCO_LOG_INFO, "%lld pools, the last of %lld children%s; %.1f MB up, %.1f MB down",
            (long long)p->stats.batches, (long long)p->size.target,
            p->setup->pool_size > 0                ? ""
            : p->size.phase == FLOWSHOP_POOL_FIXED ? " (found best)"
                                                   : " (still trying)",
            (double)p->stats.bytes_up * 1e-6, (double)p->stats.bytes_down * 1e-6);
    if (p->setup->stats != NULL)
        *p->setup->stats = p->stats;
}

// Passes a failure of the setup on to the run's context. Every failure ends the setup, so a message in one of our own
// contexts is the message of this failure.
static mco_status pass_failure(flowshop_run *run, mco_status st, mco_context *const own[2])
{
    for (int i = 0; i < 2 && st != MCO_OK; i++)
        if (own[i] != NULL && mco_context_error(own[i])[0] != '\0')
            return mco_fail(run->ctx, st, "%s", mco_context_error(own[i]));
    return st;
}

// own[0] is the context of the thread that drives, own[1] of the thread that holds the shared pool. Both are NULL if
// the calling thread does both.
static mco_status set_up(flowshop_pool_run *p, mco_context *const own[2], bool *is_ready)
{
    mco_status st = MCO_OK;
    flowshop_run *run = p->run;
    const flowshop_pool_setup *s = p->setup;
    p->ctx = own[0] != NULL ? own[0] : run->ctx;
    MCO_TRY(flowshop_pool_tree_create(run, own[1] != NULL ? own[1] : run->ctx, s->rule_bound, &p->tree, is_ready));
    MCO_TRY(flowshop_pool_counts_create(run->ctx, &p->tree, &p->counts));
    p->most_nodes = s->most_pending > 0 ? s->most_pending : PENDING_BYTES / flowshop_row_bytes(run->shop->jobs);
    MCO_TRY(create_batches(p));
    MCO_TRY(insert_root(p));
done:
    return pass_failure(run, st, own);
}

mco_status flowshop_pool_search(flowshop_run *run, const flowshop_pool_setup *setup, bool *is_proved, mco_stop *stop)
{
    mco_status st = MCO_OK;
    const bool is_concurrent = run->result->work.engine == MCO_ENGINE_GPU_CONCURRENT;
    bool is_stopped = false, is_ready = true;
    mco_context *own[2] = {NULL, NULL};
    double begin_s;
    flowshop_pool_run p = {.run = run, .setup = setup, .ctx = run->ctx};
    for (int i = 0; i < 2 && is_concurrent; i++)
        if (mco_context_create_child(run->ctx, &own[i]) != MCO_OK)
            MCO_TRY(mco_fail(run->ctx, MCO_ERR_MEMORY, "out of memory: no context for a worker thread"));
    MCO_TRY(set_up(&p, own, &is_ready));
    *stop = MCO_STOP_FINISHED;
    begin_s = p.rate_s = mco_clock_s();
    if (!is_concurrent)
        mco_run_set_columns(&run->run, FLOWSHOP_POOL_COLUMNS, flowshop_pool_write_columns, &p);
    // Sorting the orders of LB2 may have used up the time.
    is_stopped = flowshop_run_must_stop(run, 0, stop) || !is_ready;
    if (!is_stopped)
        MCO_TRY(is_concurrent ? flowshop_pool_concurrent(&p, &is_stopped, stop) : run_batches(&p, &is_stopped, stop));
    p.stats.search_s = mco_clock_s() - begin_s;
    MCO_TRY(flowshop_pool_record_found(&p));
    *is_proved = !is_stopped;
    summarise(&p);
done:
    mco_run_set_columns(&run->run, NULL, NULL, NULL);
    for (int i = p.batch_count - 1; i >= 0; i--)
        setup->backend->destroy(p.ctx, &p.batches[i]);
    mco_free(run->ctx, &p.counts.children_by_depth);
    flowshop_pool_tree_destroy(&p.tree);
    mco_context_destroy(&own[1]);
    mco_context_destroy(&own[0]);
    return st;
}

mco_status flowshop_pool(flowshop_run *run, const flowshop_checkpoint *state, bool *is_proved, mco_stop *stop)
{
#ifdef MCO_HAVE_CUDA
    enum { WARP = 32 };
    const mco_flowshop_params *q = run->params;
    if (q->block % WARP != 0)
        return mco_fail(run->ctx, MCO_ERR_ARGUMENT, "--block is %lld, a multiple of %d was expected",
                        (long long)q->block, WARP);
    const flowshop_pool_setup setup = {.backend = &flowshop_cuda_backend,
                                       .gpus = run->gpus,
                                       .gpu_count = run->gpu_count,
                                       .pool_size = q->pool_size,
                                       .streams = q->streams,
                                       .block = q->block,
                                       .rule_bound = state->rule_bound};
    run->result->work.threads = run->result->work.engine == MCO_ENGINE_GPU_CONCURRENT ? 1 + run->threads : 1;
    return flowshop_pool_search(run, &setup, is_proved, stop);
#else
    (void)state;
    (void)is_proved;
    (void)stop;
    return mco_fail(run->ctx, MCO_ERR_DEVICE, "this build has no GPU engine");
#endif
}
