// SPDX-License-Identifier: MIT
#include "flowshop/systems/tree.h"

#include "flowshop/tree/bounds.h"

_Static_assert((int)MCO_FLOWSHOP_MAX_TREE_JOBS <= (int)FLOWSHOP_BACK_BIT, "the index of a free job fits its bits");
_Static_assert((int)MCO_FLOWSHOP_MAX_MACHINES < 1 << 15, "two machines fit a word");

// ---- Tables

static mco_status sort_steps(flowshop_run *run, flowshop_pool_tree *tree, bool *is_ready)
{
    mco_status st = MCO_OK;
    const mco_flowshop *shop = run->shop;
    const int32_t n = shop->jobs;
    flowshop_johnson johnson = {0};
    MCO_TRY(flowshop_johnson_create(run->ctx, shop, run->run.stop_s, &johnson));
    flowshop_run_raise_bound(run, johnson.bound);
    *is_ready = johnson.is_complete;
    if (!*is_ready)
        goto done;
    MCO_TRY(mco_alloc(tree->ctx, &tree->pair_machines, johnson.pairs));
    MCO_TRY(mco_alloc(tree->ctx, &tree->steps, (int64_t)johnson.pairs * n));
    for (int32_t q = 0; q < johnson.pairs; q++) {
        const int32_t k = johnson.first[q], l = johnson.second[q];
        tree->pair_machines[q] = k << 16 | l;
        for (int64_t i = (int64_t)q * n; i < ((int64_t)q + 1) * n; i++) {
            const int32_t j = johnson.order[i];
            tree->steps[i] = (flowshop_step){j, mco_flowshop_time(shop, k, j), mco_flowshop_time(shop, l, j),
                                             flowshop_lag(&johnson, shop->machines, j, k, l)};
        }
    }
    tree->tables.pairs = johnson.pairs;
    tree->tables.words = (n + 31) / 32;
    tree->tables.is_lb2 = 1;
    tree->tables.pair_machines = tree->pair_machines;
    tree->tables.steps = tree->steps;
done:
    flowshop_johnson_destroy(run->ctx, &johnson);
    return st;
}

static mco_status fill_tables(flowshop_run *run, int64_t rule_bound, flowshop_pool_tree *tree, bool *is_ready)
{
    mco_status st = MCO_OK;
    const mco_flowshop *shop = run->shop;
    const int32_t n = shop->jobs, m = shop->machines;
    MCO_TRY(mco_alloc(tree->ctx, &tree->constants, 3 * (int64_t)m));
    int32_t *heads = tree->constants, *tails = heads + m, *loads = tails + m;
    flowshop_root_ends(shop, heads, tails);
    for (int32_t k = 0; k < m; k++)
        for (int32_t j = 0; j < n; j++)
            loads[k] += mco_flowshop_time(shop, k, j);
    tree->tables = (flowshop_tables){.jobs = n,
                                     .machines = m,
                                     .rule = (int32_t)run->branching,
                                     .rule_bound = rule_bound,
                                     .times = shop->times,
                                     .heads = heads,
                                     .tails = tails,
                                     .loads = loads};
    *is_ready = true;
    if (run->bound == MCO_FLOWSHOP_BOUND_LB2)
        MCO_TRY(sort_steps(run, tree, is_ready));
done:
    return st;
}

mco_status flowshop_pool_tree_create(flowshop_run *run, mco_context *ctx, int64_t rule_bound, flowshop_pool_tree *tree,
                                     bool *is_ready)
{
    mco_status st = MCO_OK;
    const int32_t n = run->shop->jobs;
    *tree = (flowshop_pool_tree){.ctx = ctx, .shop = run->shop, .found_makespan = -1};
    tree->columns = run->result->children_columns;
    atomic_init(&tree->upper, run->upper_bound);
    pthread_mutex_init(&tree->found_lock, NULL);
    MCO_TRY(mco_alloc(ctx, &tree->found_order, n));
    MCO_TRY(mco_alloc(ctx, &tree->order, n));
    MCO_TRY(mco_alloc(ctx, &tree->survivors, n));
    MCO_TRY(fill_tables(run, rule_bound, tree, is_ready));
    MCO_TRY(flowshop_pool_nodes_create(ctx, n, run->result->bound, run->upper_bound, &tree->nodes));
done:
    if (st != MCO_OK)
        flowshop_pool_tree_destroy(tree);
    return st;
}

void flowshop_pool_tree_destroy(flowshop_pool_tree *tree)
{
    if (tree->ctx == NULL)
        return;
    flowshop_pool_nodes_destroy(&tree->nodes);
    mco_free(tree->ctx, &tree->steps);
    mco_free(tree->ctx, &tree->pair_machines);
    mco_free(tree->ctx, &tree->constants);
    mco_free(tree->ctx, &tree->survivors);
    mco_free(tree->ctx, &tree->order);
    mco_free(tree->ctx, &tree->found_order);
    pthread_mutex_destroy(&tree->found_lock);
    *tree = (flowshop_pool_tree){0};
}

mco_status flowshop_pool_counts_create(mco_context *ctx, const flowshop_pool_tree *tree, flowshop_pool_counts *out)
{
    *out = (flowshop_pool_counts){0};
    return mco_alloc(ctx, &out->children_by_depth, ((int64_t)tree->tables.jobs + 1) * tree->columns);
}

// ---- Counting and inserting

static void count_father(const flowshop_pool_tree *tree, const flowshop_row *father, int64_t survivors,
                         flowshop_pool_counts *counts)
{
    const int64_t depth = (int64_t)father->front + father->back, columns = tree->columns;
    if (depth == 0)
        return;
    counts->children_by_depth[depth * columns + (survivors < columns ? survivors : columns - 1)]++;
    counts->nodes++;
}

// Evaluates a complete schedule exactly and keeps it if it is below the incumbent.
static mco_status evaluate_leaf(flowshop_pool_tree *tree, const flowshop_row *father, flowshop_survivor survivor,
                                flowshop_pool_counts *counts)
{
    const int32_t n = tree->tables.jobs;
    const uint16_t *jobs = flowshop_row_order(father);
    const bool in_front = (survivor.word & FLOWSHOP_BACK_BIT) == 0;
    const int32_t at = father->front + (int32_t)(survivor.word & FLOWSHOP_INDEX_MASK);
    const int32_t place = in_front ? father->front : n - 1 - father->back;
    int64_t makespan;
    counts->leaves++;
    for (int32_t i = 0; i < n; i++)
        tree->order[i] = jobs[i];
    tree->order[at] = jobs[place];
    tree->order[place] = jobs[at];
    mco_status st = mco_flowshop_check(tree->ctx, tree->shop, tree->order, n, &makespan);
    if (st != MCO_OK || makespan >= atomic_load(&tree->upper))
        return st;
    pthread_mutex_lock(&tree->found_lock);
    atomic_store(&tree->upper, makespan);
    tree->found_makespan = makespan;
    memcpy(tree->found_order, tree->order, (size_t)n * sizeof *tree->order);
    pthread_mutex_unlock(&tree->found_lock);
    return MCO_OK;
}

// Inserts one survivor. If its father has at most two free jobs, the child is a complete schedule: a leaf.
static mco_status insert(flowshop_pool_tree *tree, const flowshop_row *father, flowshop_survivor survivor,
                         flowshop_pool_counts *counts)
{
    const int32_t depth = father->front + father->back;
    flowshop_row *place;
    if (tree->tables.jobs - depth <= 2)
        return evaluate_leaf(tree, father, survivor, counts);
    mco_status st = flowshop_pool_nodes_add(&tree->nodes, depth + 1, survivor.bound, &place);
    if (st == MCO_OK)
        flowshop_make_child(&tree->tables, father, survivor, place);
    return st;
}

static mco_status insert_all(flowshop_pool_tree *tree, const flowshop_row *father, const flowshop_survivor *survivors,
                             int64_t count, flowshop_pool_counts *counts)
{
    mco_status st = MCO_OK;
    for (int64_t i = 0; i < count && st == MCO_OK; i++)
        st = insert(tree, father, survivors[i], counts);
    return st;
}

// ---- Batches

static void list_children(const flowshop_pool_tree *tree, flowshop_batch *batch, int32_t slot)
{
    const flowshop_row *father = flowshop_row_of(&batch->host, slot);
    const uint32_t free_jobs = (uint32_t)(tree->tables.jobs - father->front - father->back);
    const uint32_t word = (uint32_t)slot << FLOWSHOP_SLOT_SHIFT;
    uint32_t *words = batch->host.words + batch->host.offsets[slot];
    for (uint32_t c = 0; c < free_jobs; c++)
        words[c] = word | c;
    for (uint32_t c = 0; c < free_jobs; c++)
        words[free_jobs + c] = word | (uint32_t)FLOWSHOP_BACK_BIT | c;
}

bool flowshop_pool_fill(flowshop_pool_tree *tree, flowshop_batch *batch, int32_t children, int32_t fathers)
{
    flowshop_arrays *a = &batch->host;
    const int64_t upper = atomic_load(&tree->upper);
    bool is_full = false;
    a->upper = upper;
    a->fathers = a->children = 0;
    a->offsets[0] = 0;
    while (tree->nodes.count > 0) {
        const int32_t more = 2 * (tree->tables.jobs - flowshop_pool_nodes_depth(&tree->nodes));
        is_full = a->children > children - more || a->fathers == fathers;
        if (is_full)
            break;
        const flowshop_row *row = flowshop_pool_nodes_take(&tree->nodes);
        if (row->bound >= upper)
            continue;
        memcpy(flowshop_row_of(a, a->fathers), row, (size_t)a->row_bytes);
        a->children += more;
        a->offsets[++a->fathers] = a->children;
        if (batch->operators == FLOWSHOP_BOUND_ONLY)
            list_children(tree, batch, a->fathers - 1);
    }
    return is_full;
}

static mco_status apply_bounds(flowshop_pool_tree *tree, const flowshop_batch *batch, flowshop_pool_counts *counts)
{
    mco_status st = MCO_OK;
    const flowshop_arrays *a = &batch->host;
    for (int32_t s = 0; s < a->fathers && st == MCO_OK; s++) {
        const int32_t *bounds;
        int32_t count;
        bool in_front;
        const int32_t survivors = flowshop_choose(&tree->tables, a, s, &bounds, &count, &in_front);
        count_father(tree, flowshop_row_of(a, s), survivors, counts);
        if (survivors == 0)
            continue;
        flowshop_write_survivors(a, s, bounds, count, in_front, tree->survivors);
        st = insert_all(tree, flowshop_row_of(a, s), tree->survivors, survivors, counts);
    }
    return st;
}

mco_status flowshop_pool_apply(flowshop_pool_tree *tree, const flowshop_batch *batch, flowshop_pool_counts *counts)
{
    mco_status st = MCO_OK;
    const flowshop_arrays *a = &batch->host;
    if (flowshop_host_prunes(batch->operators))
        return apply_bounds(tree, batch, counts);
    for (int32_t s = 0; s < a->fathers && st == MCO_OK; s++) {
        count_father(tree, flowshop_row_of(a, s), a->counts[s], counts);
        if (batch->operators == FLOWSHOP_WHOLE_NODE)
            st = insert_all(tree, flowshop_row_of(a, s), a->survivors + a->offsets[s] / 2, a->counts[s], counts);
    }
    for (uint32_t i = 0; batch->operators == FLOWSHOP_THREE_KERNELS && i < *a->survivor_count && st == MCO_OK; i++)
        st = insert(tree, flowshop_row_of(a, a->survivors[i].word >> FLOWSHOP_SLOT_SHIFT), a->survivors[i], counts);
    return st;
}

// ---- Single nodes

mco_status flowshop_pool_node_create(mco_context *ctx, const flowshop_pool_tree *tree, flowshop_pool_node *out)
{
    mco_status st = MCO_OK;
    const int32_t children = 2 * tree->tables.jobs;
    const flowshop_batch_bytes room = flowshop_batch_room(&tree->tables, FLOWSHOP_WHOLE_NODE, children, 1);
    flowshop_arrays *a = &out->arrays;
    *out = (flowshop_pool_node){.arrays = {.row_bytes = flowshop_row_bytes(tree->tables.jobs), .fathers = 1}};
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&a->rows, room.rows, 1));
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&a->ends, room.ends, 1));
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&a->child_ends, room.child_ends, 1));
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&a->bounds, room.bounds, 1));
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&a->survivors, room.survivors, 1));
    MCO_TRY(mco_alloc_bytes(ctx, (void **)&a->counts, room.counts, 1));
    a->stride = a->child_stride = 1;
done:
    if (st != MCO_OK)
        flowshop_pool_node_destroy(ctx, out);
    return st;
}

void flowshop_pool_node_destroy(mco_context *ctx, flowshop_pool_node *node)
{
    mco_free(ctx, &node->arrays.counts);
    mco_free(ctx, &node->arrays.survivors);
    mco_free(ctx, &node->arrays.bounds);
    mco_free(ctx, &node->arrays.child_ends);
    mco_free(ctx, &node->arrays.ends);
    mco_free(ctx, &node->arrays.rows);
}

bool flowshop_pool_take(flowshop_pool_tree *tree, flowshop_pool_node *node)
{
    const flowshop_row *row;
    node->arrays.upper = atomic_load(&tree->upper);
    do
        row = flowshop_pool_nodes_take(&tree->nodes);
    while (row != NULL && row->bound >= node->arrays.upper);
    if (row != NULL)
        memcpy(node->arrays.rows, row, (size_t)node->arrays.row_bytes);
    return row != NULL;
}

void flowshop_pool_decompose(flowshop_pool_tree *tree, flowshop_pool_node *node)
{
    const flowshop_row *row = flowshop_row_of(&node->arrays, 0);
    node->offsets[1] = 2 * (tree->tables.jobs - row->front - row->back);
    node->arrays.offsets = node->offsets;
    flowshop_thread_node(&tree->tables, &node->arrays, 0);
}

mco_status flowshop_pool_insert(flowshop_pool_tree *tree, const flowshop_pool_node *node, flowshop_pool_counts *counts)
{
    const flowshop_row *father = flowshop_row_of(&node->arrays, 0);
    count_father(tree, father, node->arrays.counts[0], counts);
    return insert_all(tree, father, node->arrays.survivors, node->arrays.counts[0], counts);
}
