// SPDX-License-Identifier: MIT
// Tours, hierarchies, reductions and executions of the benchmark: everything that does not depend on a configuration.
#include "steps_bench.cuh"

#include <cmath>
#include <cstdlib>
#include <cstring>

static const uint64_t SEED = 20110615;  // the date of the report
enum { TIED_STEP = 500 };  // nine points; 2-opt has 2 best moves, 3-opt 53

void must(cudaError_t error, const char *what)
{
    if (error != cudaSuccess)
        steps_die("%s: %s", what, cudaGetErrorString(error));
}

void *device_take(int64_t bytes)
{
    void *p = NULL;
    MUST(cudaMalloc(&p, bytes > 0 ? (size_t)bytes : 1));
    return p;
}

static void *device_copy(const void *from, int64_t bytes)
{
    void *p = device_take(bytes);
    MUST(cudaMemcpy(p, from, (size_t)bytes, cudaMemcpyHostToDevice));
    return p;
}

static unsigned blocks_for(int64_t threads, int block)
{
    return (unsigned)((threads + block - 1) / block);
}

template <typename... P, typename... A>
static void enqueue(cudaStream_t stream, dim3 grid, int block, void (*kernel)(P...), A... args)
{
    cudaLaunchConfig_t c = {};
    c.gridDim = grid;
    c.blockDim = dim3((unsigned)block);
    c.stream = stream;
    MUST(cudaLaunchKernelEx(&c, kernel, P(args)...));
}

// ---- Tours

static device_tour tour_open(int32_t nodes)
{
    device_tour t = {};
    steps_tour_generate(&t.host, nodes, nodes == TIED_NODES ? TIED_STEP : 1, SEED);
    const int64_t locations = t.host.locations;
    t.d_node = (int32_t *)device_copy(t.host.node, nodes * (int64_t)sizeof(int32_t));
    t.d_start = (int32_t *)device_copy(t.host.node, nodes * (int64_t)sizeof(int32_t));
    t.p.distance = (int32_t *)device_copy(t.host.distance, locations * locations * (int64_t)sizeof(int32_t));
    t.p.demand = (int32_t *)device_copy(t.host.demand, locations * (int64_t)sizeof(int32_t));
    t.p.node = t.d_node;
    t.p.locations = t.host.locations;
    t.p.edges = t.host.edges;
    t.p.capacity = t.host.capacity;
    t.p.length = t.host.length;
    t.p.vehicles = t.host.vehicles;
    for (int s = 0; s < SMALL_TOURS; s++)
        for (int cuts = 2; nodes == SMALL_NODES[s] && cuts <= 3; cuts++) {
            t.answers[cuts] = steps_all_answers(&t.host, cuts);
            t.best[cuts] = best_of_answers(&t, cuts, NULL, 0);
            t.has_best[cuts] = true;
        }
    return t;
}

device_tour *tour_of(bench *b, int32_t nodes)
{
    nodes = nodes < b->largest ? nodes : b->largest;
    for (int k = 0; k < b->tour_count; k++)
        if (b->tours[k].host.nodes == nodes)
            return &b->tours[k];
    if (b->tour_count == MOST_TOURS)
        steps_die("more than %d tours", MOST_TOURS);
    b->tours[b->tour_count] = tour_open(nodes);
    return &b->tours[b->tour_count++];
}

void tours_close(bench *b)
{
    for (int k = 0; k < b->tour_count; k++) {
        device_tour *t = &b->tours[k];
        cudaFree(t->d_node);
        cudaFree(t->d_start);
        cudaFree((void *)t->p.distance);
        cudaFree((void *)t->p.demand);
        free(t->answers[2].of);
        free(t->answers[3].of);
        steps_tour_free(&t->host);
    }
    b->tour_count = 0;
}

bool is_wanted(const bench *b, const char *part)
{
    return !b->part || strcmp(b->part, part) == 0;
}

// ---- Hierarchies

static int32_t to_power_of_two(double size, int32_t *bits)
{
    const int log2_size = (int)lround(log2(size));
    *bits = log2_size > 1 ? log2_size : 1;
    return 1 << *bits;
}

// Units of a part of level l. Least effort: T^(1/3) nodes with one level; with two, T^(1/7) nodes, then T^(2/7) such
// parts.
static int32_t part_of_level(const config *c, part_sizes parts, int32_t nodes, int l, int32_t *bits)
{
    const int32_t given = l == 0 ? parts.low : parts.high;
    const double size = given > 0 ? given : pow(nodes, c->level == 1 ? 1.0 / 3 : (l + 1) / 7.0);
    if (c->parts == SHIFT)
        return to_power_of_two(size, bits);
    *bits = 0;
    return size < 2 ? 2 : (int32_t)lround(size);
}

static hierarchy_sizes sizes_for(const device_tour *t, const config *c, part_sizes parts, int32_t *rows, int32_t *places)
{
    hierarchy_sizes s = {};
    s.levels = c->level + 1;
    *rows = *places = 0;
    for (int l = 0; l < s.levels; l++) {
        level_sizes *level = &s.level[l];
        level->units = l == 0 ? t->host.edges : (level[-1].units + level[-1].part - 1) / level[-1].part;
        level->part = l < c->level ? part_of_level(c, parts, t->host.nodes, l, &level->bits) : level->units;
        level->width = 2 * level->part;
        level->row = *rows;
        *rows += level->units;
        level->first = *places;
        for (int32_t i = 0; i < level->units; i++) {
            const int32_t end = (i / level->part + 1) * level->part;
            s.half += (end < level->units ? end : level->units) - i;
        }
        *places = c->index == RECTANGLE ? *places + level->units * level->width : 2 * s.half;
    }
    return s;
}

static int32_t *starts_open(const hierarchy_sizes *s, index_mode index, int32_t rows)
{
    int32_t *start = (int32_t *)steps_take(rows, sizeof *start), next = 0;
    for (int l = 0; l < s->levels; l++)
        for (int32_t i = 0; i < s->level[l].units; i++) {
            const int32_t part = s->level[l].part, end = (i / part + 1) * part;
            start[s->level[l].row + i] = index == ROWS ? 2 * next : next;
            next += (end < s->level[l].units ? end : s->level[l].units) - i;
        }
    int32_t *d_start = (int32_t *)device_copy(start, rows * (int64_t)sizeof *start);
    free(start);
    return d_start;
}

hierarchy hierarchy_open(const device_tour *t, const config *c, part_sizes parts)
{
    static const int WORDS[RESOURCES] = {1, 2, 4, 4};
    hierarchy h = {{}, c->index, c->layout, c->level};
    int32_t rows;
    h.stored.sizes = sizes_for(t, c, parts, &rows, &h.stored.count);
    h.stored.d_sizes = (hierarchy_sizes *)device_copy(&h.stored.sizes, sizeof h.stored.sizes);
    h.stored.start = starts_open(&h.stored.sizes, c->index, rows);
    for (int r = 0; r < RESOURCES; r++)
        h.stored.words[r] = (int32_t *)device_take(h.stored.count * (int64_t)sizeof(int32_t) * WORDS[r]);
    return h;
}

void hierarchy_close(hierarchy *h)
{
    for (int r = 0; r < RESOURCES; r++)
        cudaFree(h->stored.words[r]);
    cudaFree((void *)h->stored.start);
    cudaFree((void *)h->stored.d_sizes);
}

template <int MASK, int W> static __device__ inline segment<MASK> shuffle_segment(const segment<MASK> &s, int lane)
{
    segment<MASK> r;
    const auto from = [&](int32_t v) { return __shfl_sync(~0u, v, lane, W); };
    const auto bound = [&](bound_segment b) { return bound_segment{from(b.a), from(b.t), from(b.u), from(b.ok)}; };
    if constexpr (MASK & COST)
        r.cost = from(s.cost);
    if constexpr (MASK & VEHICLES)
        r.vehicles = {from(s.vehicles.routes), from(s.vehicles.depots)};
    if constexpr (MASK & CAPACITY)
        r.capacity = bound(s.capacity);
    if constexpr (MASK & LENGTH)
        r.length = bound(s.length);
    return r;
}

// The segment of the unit of level l that ends at border j.
template <int MASK>
static __device__ inline segment<MASK> unit_of(const problem &p, const stored_segments &stored, const hierarchy &h, int l,
                                               int32_t j, bool inverted)
{
    if (l == 0)
        return of_edge<MASK>(p, p.node[inverted ? j : j - 1], p.node[inverted ? j - 1 : j]);
    const level_sizes &below = stored.sizes.level[l - 1];
    const int32_t at =
        place_of(h.index, stored.sizes, stored.start, l - 1, (j - 1) * below.part, min(j * below.part, below.units), inverted);
    return load_segment<MASK>(h.layout, stored, at);
}

// W threads make all segments of level l that begin at one border and have one direction. They do inclusive scans of W
// units, one scan after the other. With W below a warp, all rows take as many turns as the longest.
template <int MASK, int W>
static __global__ void store_level(const __grid_constant__ problem p, const __grid_constant__ hierarchy h, int l)
{
    const stored_segments &stored = h.stored;
    const level_sizes &level = stored.sizes.level[l];
    const int32_t group = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x) / W, lane = threadIdx.x % W, i = group / 2;
    const bool inverted = group % 2;
    const int32_t part_end = min((i / level.part + 1) * level.part, level.units), end = i < level.units ? part_end : i;
    const int32_t turns = ((W < WARP ? level.part : end - i) + W - 1) / W;
    const auto extend = [&](const segment<MASK> &s, const segment<MASK> &by) { return inverted ? join(by, s) : join(s, by); };
    segment<MASK> carried = of_node<MASK>(p, 1);
    for (int32_t turn = 0; turn < turns; turn++) {
        const int32_t j = i + 1 + turn * W + lane;
        segment<MASK> s = j <= end ? unit_of<MASK>(p, stored, h, l, j, inverted) : of_node<MASK>(p, 1);
        for (int d = 1; d < W; d *= 2) {
            const segment<MASK> before = shuffle_segment<MASK, W>(s, lane - d < 0 ? lane : lane - d);
            if (lane >= d)
                s = extend(before, s);
        }
        if (turn > 0)
            s = extend(carried, s);
        if (j <= end)
            store_segment(h.layout, stored, place_of(h.index, stored.sizes, stored.start, l, i, j, inverted), s);
        carried = shuffle_segment<MASK, W>(s, W - 1);
    }
}

template <int MASK> static void enqueue_level(cudaStream_t stream, const hierarchy *h, const device_tour *t, int l)
{
    constexpr int NARROW = 8, NARROW_PART = 16;
    const level_sizes *level = &h->stored.sizes.level[l];
    const bool is_narrow = l < h->level && level->part <= NARROW_PART;
    const int64_t threads = 2 * (int64_t)level->units * (is_narrow ? NARROW : (int)WARP);
    enqueue(stream, dim3(blocks_for(threads, DEFAULT_BLOCK)), DEFAULT_BLOCK,
            is_narrow ? store_level<MASK, NARROW> : store_level<MASK, WARP>, t->p, *h, l);
}

void enqueue_hierarchy(cudaStream_t stream, const hierarchy *h, const device_tour *t, bool all_resources_in_one)
{
    for (int l = 0; l <= h->level; l++)
        if (all_resources_in_one) {
            enqueue_level<ALL_FOUR>(stream, h, t, l);
        } else {
            enqueue_level<COST>(stream, h, t, l);
            enqueue_level<VEHICLES>(stream, h, t, l);
            enqueue_level<CAPACITY>(stream, h, t, l);
            enqueue_level<LENGTH>(stream, h, t, l);
        }
}

// ---- What kernels are given

static __global__ void write_triples(int32_t edges, uint32_t count, triple *out)
{
    const uint32_t t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < count)
        out[t] = triple_by_newton(edges, t);
}

triple *triples_open(int32_t edges)
{
    const int64_t count = steps_triples(edges);
    triple *triples = (triple *)device_take(count * (int64_t)sizeof *triples);
    enqueue(0, dim3(blocks_for(count, BEST_THREADS)), BEST_THREADS, write_triples, edges, (uint32_t)count, triples);
    return triples;
}

move_args args_of(const device_tour *t, const hierarchy *h, const workspace *w, const triple *triples, int cuts)
{
    move_args a = {};
    a.p = t->p;
    a.stored = h->stored;
    a.triples = triples;
    a.count = a.stride = (uint32_t)(cuts == 2 ? steps_moves(t->p.edges, 2) : steps_triples(t->p.edges));
    a.value = w->value;
    a.feasible = w->feasible;
    return a;
}

// ---- Launches

static uint32_t places_of(const kernel_set *k, const move_args *a)
{
    return a->list ? a->listed : k->cuts == 2 ? a->count : 4 * (k->c.order == P_OUTERMOST ? a->stride : a->count);
}

void enqueue_moves(cudaStream_t stream, const kernel_set *k, move_kernel kernel, const move_args *a, int block)
{
    dim3 grid;
    if (a->list)
        grid = dim3(blocks_for(a->listed, block));
    else if (k->cuts == 2 && k->c.pair == PAIR_TRIANGLE)
        grid = dim3(blocks_for(triangle_width(a->p.edges), block), (unsigned)a->p.edges / 2);
    else if (k->cuts == 3 && k->c.order == P_OUTERMOST)
        grid = dim3(blocks_for(a->count, block), 4);
    else
        grid = dim3(blocks_for(places_of(k, a), block));
    if (grid.x > 0)
        enqueue(stream, grid, block, kernel, *a);
}

void enqueue_clear(cudaStream_t stream, const kernel_set *k, const move_args *a)
{
    const size_t places = places_of(k, a);
    const bool has_gaps = k->cuts == 3 && k->c.order == P_OUTERMOST && a->count < a->stride;
    MUST(cudaMemsetAsync(a->value, 0, places * sizeof *a->value, stream));
    MUST(cudaMemsetAsync(a->feasible, !has_gaps, places, stream));
    for (int p = 0; has_gaps && p < 4; p++)
        MUST(cudaMemsetAsync(a->feasible + (size_t)p * a->stride, 1, a->count, stream));
}

// How a place of the fitness structure names a move: as for the kernels that filled it, but triples by their rank.
struct naming {
    int cuts;
    pair_mode pair;
    order_mode order;
};

static __device__ inline steps_move move_named(const naming &n, const move_args &a, uint32_t place, uint32_t part)
{
    if (n.cuts == 2) {
        const uint32_t width = triangle_width(a.p.edges);
        return n.pair == PAIR_TRIANGLE ? pair_of_triangle(a.p.edges, place / width, place % width)
                                       : pair_by_formula(a.p.edges, place);
    }
    const bool outermost = n.order == P_OUTERMOST;
    const uint32_t t = outermost ? place % a.stride : place / 4, p = outermost ? place / a.stride : place % 4;
    const triple m = triple_by_newton(a.p.edges, a.first + part * a.stride + t);
    return {m.x, m.y, m.z, (int32_t)p};
}

// Each block finds its best feasible place.
static __global__ void __launch_bounds__(BEST_THREADS)
    best_of_places(const __grid_constant__ move_args a, naming n, uint32_t places, const uint8_t *part, candidate *partial)
{
    const uint32_t threads = gridDim.x * blockDim.x;
    candidate best = no_candidate();
    for (uint64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < places; i += threads) {
        const int32_t value = a.value[i];
        if (!a.feasible[i] || value > best.value)
            continue;
        const candidate c = {value, key_of(move_named(n, a, a.list ? a.list[i] : (uint32_t)i, part ? part[i] : 0))};
        if (is_better(c, best))
            best = c;
    }
    best = best_of_block(best);
    if (threadIdx.x == 0)
        partial[blockIdx.x] = best;
}

workspace workspace_open(int64_t moves, best_kernel best)
{
    workspace w = {};
    int processors, each;
    MUST(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
    MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, best ? (const void *)best : (const void *)best_of_places,
                                                       BEST_THREADS, 0));
    w.moves = moves;
    w.blocks = processors * each;
    w.value = (int32_t *)device_take(moves * (int64_t)sizeof *w.value);
    w.feasible = (uint8_t *)device_take(moves);
    w.partial = (candidate *)device_take(w.blocks * (int64_t)sizeof *w.partial);
    w.best = (candidate *)device_take(sizeof *w.best);
    return w;
}

void workspace_close(workspace *w)
{
    cudaFree(w->value);
    cudaFree(w->feasible);
    cudaFree(w->partial);
    cudaFree(w->best);
}

// One block finds the best of all.
static __global__ void __launch_bounds__(BEST_THREADS)
    best_of_partial(const candidate *partial, int count, candidate *best_of_all)
{
    candidate best = no_candidate();
    for (int i = threadIdx.x; i < count; i += BEST_THREADS)
        if (is_better(partial[i], best))
            best = partial[i];
    best = best_of_block(best);
    if (threadIdx.x == 0)
        *best_of_all = best;
}

static void enqueue_last(cudaStream_t stream, const workspace *w, int count)
{
    enqueue(stream, dim3(1), BEST_THREADS, best_of_partial, w->partial, count, w->best);
}

static unsigned reduction_blocks(int64_t items, int most)
{
    const unsigned wanted = blocks_for(items, BEST_THREADS);
    return wanted < 1 ? 1 : wanted < (unsigned)most ? wanted : (unsigned)most;
}

void enqueue_reduction(cudaStream_t stream, const kernel_set *k, const move_args *a, const workspace *w, const uint8_t *part)
{
    const uint32_t places = places_of(k, a);
    const naming n = {k->cuts, k->c.pair, k->c.order};
    const unsigned blocks = reduction_blocks(places, w->blocks);
    enqueue(stream, dim3(blocks), BEST_THREADS, best_of_places, *a, n, places, part, w->partial);
    enqueue_last(stream, w, (int)blocks);
}

void enqueue_best(cudaStream_t stream, const kernel_set *k, const move_args *a, const workspace *w)
{
    const unsigned blocks = reduction_blocks(a->count, w->blocks);
    enqueue(stream, dim3(blocks), BEST_THREADS, k->best, *a, w->partial);
    enqueue_last(stream, w, (int)blocks);
}

static __global__ void keep_better(int32_t *value, uint8_t *feasible, uint8_t *part, const int32_t *other_value,
                                   const uint8_t *other_feasible, int number, uint32_t places)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < places && other_feasible[i] && (!feasible[i] || other_value[i] < value[i])) {
        value[i] = other_value[i];
        feasible[i] = 1;
        part[i] = (uint8_t)number;
    }
}

void enqueue_merge(cudaStream_t stream, const workspace *a, const workspace *b, uint8_t *part, int number, int64_t places)
{
    enqueue(stream, dim3(blocks_for(places, BEST_THREADS)), BEST_THREADS, keep_better, a->value, a->feasible, part, b->value,
            b->feasible, number, (uint32_t)places);
}

// ---- Moves

enum { EXECUTION_THREADS = 1024 };

static __device__ __host__ inline steps_move move_named_by(uint64_t key)
{
    enum { MASK = STEPS_MOST_EDGES - 1 };
    const int32_t z = (int32_t)(key >> 2 & MASK);
    return {(int32_t)(key >> 26 & MASK), (int32_t)(key >> 14 & MASK), z > 0 ? z : -1, z > 0 ? (int32_t)(key & 3) : -1};
}

steps_move move_of_key(uint64_t key)
{
    return move_named_by(key);
}

// Node k of the neighbour is node `old_place` of the tour.
template <int CUTS> static __device__ inline int32_t old_place(steps_move m, int32_t edges, int32_t k)
{
    const pieces<CUTS> q = pieces_of<CUTS>(m, edges);
    int32_t begin = 0;
    for (int piece = 0; piece <= CUTS; piece++) {
        const bool inverted = q.from[piece] > q.to[piece];
        const int32_t nodes = (inverted ? q.from[piece] - q.to[piece] : q.to[piece] - q.from[piece]) + 1;
        if (k < begin + nodes)
            return inverted ? q.from[piece] - (k - begin) : q.from[piece] + (k - begin);
        begin += nodes;
    }
    return k;
}

// One block executes the better candidate; see enqueue_execution().
static __global__ void __launch_bounds__(EXECUTION_THREADS)
    execute_move(const candidate *a, const candidate *b, int32_t *node, const int32_t *start, int32_t nodes, candidate *moves,
                 uint32_t *counter)
{
    __shared__ int32_t s_node[STEPS_MOST_EDGES];
    const candidate best = b && is_better(*b, *a) ? *b : *a;
    const steps_move m = move_named_by(best.key);
    for (int32_t k = threadIdx.x; k < nodes; k += EXECUTION_THREADS)
        s_node[k] = best.value >= 0 ? start[k] : node[m.z < 0 ? old_place<2>(m, nodes - 1, k) : old_place<3>(m, nodes - 1, k)];
    __syncthreads();
    for (int32_t k = threadIdx.x; k < nodes; k += EXECUTION_THREADS)
        node[k] = s_node[k];
    if (threadIdx.x == 0) {
        moves[*counter % RING] = best;
        ++*counter;
        __threadfence_system();
    }
}

void enqueue_execution(cudaStream_t stream, const candidate *a, const candidate *b, int32_t *d_node, const int32_t *d_start,
                       int32_t nodes, candidate *moves, uint32_t *counter)
{
    enqueue(stream, dim3(1), EXECUTION_THREADS, execute_move, a, b, d_node, d_start, nodes, moves, counter);
}
